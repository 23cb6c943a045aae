/*
 * csv_extract.c - fields to views of their values
 *
 * Why:    conversion goes column by column and needs to know nothing of
 *         quotes, line ends and NULL markers.
 * How:    a plain chunk has its separators: a field lies between two of
 *         them. Only fields with doubled quotes are copied.
 * Cost:   about 2 ns a field.
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

static bool is_null_text(const uint8_t *data, size_t length,
			 const char *null_text, size_t null_length)
{
	return length == null_length &&
	       memcmp(data, null_text, null_length) == 0;
}

/* Where the fields of a plain chunk are. */
struct plain_fields {
	const uint8_t *bytes;
	const uint32_t *starts;	/* NULL: behind the separator before */
	const uint32_t *ends;
	size_t stride;
	bool cut_cr;
};

static struct plain_fields plain_fields(const struct csv_rows *rows,
					size_t field)
{
	const struct csv_chunk *chunk = rows->chunk;
	size_t stride = chunk->file->field_count;
	struct plain_fields f = {
		.bytes = chunk->bytes,
		.ends = chunk->separators + rows->first_row * stride + field,
		.stride = stride,
		.cut_cr = chunk->has_cr && field == stride - 1,
	};

	if (field == 0 && chunk->has_row_starts)
		f.starts = chunk->row_starts + rows->first_row;
	return f;
}

static inline struct byte_view plain_view(const struct plain_fields *f,
					  size_t i)
{
	size_t end = f->ends[i * f->stride];
	size_t start = f->starts ? f->starts[i] : (uint32_t)
		       (f->ends[(ptrdiff_t)(i * f->stride) - 1] + 1);

	if (f->cut_cr && end > start && f->bytes[end - 1] == '\r')
		end--;
	return byte_view(f->bytes + start, end - start);
}

static int extract_plain(const struct csv_rows *rows, size_t field,
			 const struct csv_options *options,
			 struct arena *heap, struct byte_view *views,
			 struct error *err)
{
	const struct plain_fields f = plain_fields(rows, field);
	const char *null_text = options->null_text;
	size_t null_length = null_text ? strlen(null_text) : 0;
	int quote = options->quote ? (uint8_t)options->quote : -1;

	for (size_t i = 0; i < rows->count; i++) {
		struct byte_view view = plain_view(&f, i);

		if (view.length == 0) {
			views[i] = null_view;
			continue;
		}
		if (*view.data == quote) {
			view.data++;
			view.length -= 2;
			if (memchr(view.data, quote, view.length)) {
				int rc = unescape(&view, (uint8_t)quote, heap,
						  err);

				if (rc)
					return rc;
			}
		} else if (null_text && is_null_text(view.data, view.length,
						     null_text, null_length)) {
			view = null_view;
		}
		views[i] = view;
	}
	return 0;
}

static void extract_reference(const struct csv_rows *rows, size_t field,
			      const struct csv_options *options,
			      struct byte_view *views)
{
	const struct csv_chunk *chunk = rows->chunk;
	size_t stride = chunk->file->field_count;
	const struct csv_field *fields = chunk->fields +
					 rows->first_row * stride + field;
	const char *null_text = options->null_text;
	size_t null_length = null_text ? strlen(null_text) : 0;

	for (size_t i = 0; i < rows->count; i++) {
		const struct csv_field *f = &fields[i * stride];
		const char *data = chunk->text.data + f->offset;

		views[i] = byte_view(data, f->length);
		if (f->quoted)
			continue;
		if (f->length == 0 ||
		    (null_text && f->length == null_length &&
		     memcmp(data, null_text, null_length) == 0))
			views[i] = null_view;
	}
}

int csv_extract(const struct csv_rows *rows, size_t field,
		const struct csv_options *options, struct arena *heap,
		struct byte_view *views, struct error *err)
{
	if (rows->chunk->plain)
		return extract_plain(rows, field, options, heap, views, err);
	extract_reference(rows, field, options, views);
	return 0;
}
