/*
 * csv_extract.c - fields to views of their values
 *
 * Why:    conversion goes column by column and needs to know nothing of
 *         quotes, line ends and NULL markers.
 * How:    a plain chunk has its separators: a field lies between two of
 *         them. Only fields with doubled quotes are copied.
 * Cost:   about 2 ns a field, without a branch that depends on the value.
 */
#include "source/csv_extract.h"

static const struct byte_view null_view = { NULL, 0 };

/* Doubled quotes become one. */
static int unescape(struct byte_view *view, uint8_t quote, struct arena *heap,
		    struct error *err)
{
	const uint8_t *from = view->data;
	const uint8_t *end = from + view->length;
	uint8_t *to = arena_alloc_bytes(heap, view->length);

	if (!to)
		return error_set(err, ERROR_NO_MEMORY, "unescape a field");
	view->data = to;
	while (from < end) {
		const uint8_t *hit = memchr(from, quote, (size_t)(end - from));
		size_t length = (size_t)((hit ? hit + 1 : end) - from);

		memcpy(to, from, length);
		to += length;
		from += length + (hit != NULL);
	}
	view->length = (size_t)(to - view->data);
	return 0;
}

/* Where the fields of a plain chunk are. */
struct plain_fields {
	const uint8_t *bytes;
	const uint32_t *starts;	/* NULL: behind the separator before */
	const uint32_t *ends;
	size_t stride;
	int quote;		/* -1 = none */
	bool cut_cr;
};

static struct plain_fields plain_fields(const struct csv_rows *rows,
					size_t field,
					const struct csv_options *options)
{
	const struct csv_chunk *chunk = rows->chunk;
	size_t stride = chunk->file->field_count;
	struct plain_fields f = {
		.bytes = chunk->bytes,
		.ends = chunk->separators + rows->first_row * stride + field,
		.stride = stride,
		.quote = options->quote ? (uint8_t)options->quote : -1,
		.cut_cr = chunk->has_cr && field == stride - 1,
	};

	if (field == 0 && chunk->has_row_starts)
		f.starts = chunk->row_starts + rows->first_row;
	return f;
}

static inline struct byte_view plain_view(const struct plain_fields *f,
					  size_t i)
{
	const uint32_t *at = f->ends + i * f->stride;
	size_t end = CSV_OFFSET(at[0]);
	size_t start = f->starts ? f->starts[i] : CSV_OFFSET(at[-1] + 1);

	if (f->cut_cr && end > start && f->bytes[end - 1] == '\r')
		end--;
	return byte_view(f->bytes + start, end - start);
}

/* One word of validity: up to 64 rows from first on. */
static int extract_word(const struct plain_fields *f, size_t first,
			size_t count, struct csv_values *out,
			struct error *err)
{
	struct byte_view *views = out->views + first;
	uint64_t valid = 0;

	for (size_t i = 0; i < count; i++) {
		struct byte_view view = plain_view(f, first + i);
		/* an empty field is followed by its separator */
		bool quoted = *view.data == f->quote;
		bool is_value = view.length > 0;

		view.data = is_value ? view.data + quoted : NULL;
		view.length -= quoted ? 2 : 0;
		valid |= (uint64_t)is_value << i;
		views[i] = view;
		if ((f->ends[(first + i) * f->stride] & CSV_ESCAPED) &&
		    unescape(&views[i], (uint8_t)f->quote, out->heap, err))
			return ERROR_NO_MEMORY;
	}
	out->validity[first / 64] = valid;
	out->has_nulls |= ~valid << (64 - count) != 0;
	return 0;
}

static bool is_null_text(const struct csv_options *options,
			 const uint8_t *data, size_t length)
{
	for (size_t i = 0; i < options->null_text_count; i++)
		if (strlen(options->null_texts[i]) == length &&
		    memcmp(options->null_texts[i], data, length) == 0)
			return true;
	return false;
}

/* A null text without quotes is NULL too. */
static void drop_null_texts(const struct plain_fields *f, size_t count,
			    struct csv_values *out)
{
	for (size_t i = 0; i < count; i++) {
		struct byte_view *view = &out->views[i];

		if (!view->data || view->data != plain_view(f, i).data ||
		    !is_null_text(out->options, view->data, view->length))
			continue;
		*view = null_view;
		bits_clear(out->validity, i);
		out->has_nulls = true;
	}
}

static int extract_plain(const struct csv_rows *rows, size_t field,
			 struct csv_values *out, struct error *err)
{
	const struct plain_fields f = plain_fields(rows, field, out->options);

	for (size_t i = 0; i < rows->count; i += 64) {
		size_t count = rows->count - i < 64 ? rows->count - i : 64;

		if (extract_word(&f, i, count, out, err))
			return ERROR_NO_MEMORY;
	}
	if (out->options->null_text_count)
		drop_null_texts(&f, rows->count, out);
	return 0;
}

static void extract_reference(const struct csv_rows *rows, size_t field,
			      struct csv_values *out)
{
	const struct csv_chunk *chunk = rows->chunk;
	size_t stride = chunk->file->field_count;
	const struct csv_field *fields = chunk->fields +
					 rows->first_row * stride + field;

	for (size_t i = 0; i < rows->count; i++) {
		const struct csv_field *f = &fields[i * stride];
		const uint8_t *data = (const uint8_t *)chunk->text.data +
				      f->offset;
		bool is_null = !f->quoted && (f->length == 0 ||
			is_null_text(out->options, data, f->length));

		out->views[i] = is_null ? null_view
					: byte_view(data, f->length);
		bits_put(out->validity, i, !is_null);
		out->has_nulls |= is_null;
	}
}

int csv_extract(const struct csv_rows *rows, size_t field,
		struct csv_values *out, struct error *err)
{
	if (rows->chunk->plain)
		return extract_plain(rows, field, out, err);
	extract_reference(rows, field, out);
	return 0;
}
