/*
 * csv_format.c - rows to CSV
 *
 * Why:    what is written here csv_input_open() reads back as the same rows.
 *         A nested value is its JSON text.
 * How:    a field is quoted only if it has to be: it holds the delimiter, a
 *         quote, CR or LF, or it is empty text (a bare empty field is NULL).
 * Cost:   about 1.5 ns per byte of output.
 */
#include "source/source.h"
#include "source/row_format.h"
#include "source/byte_copy.h"

static const struct special_bytes csv_special = {
	{ ',', '"', '\r', '\n' }, 0
};

/* Where rows go; room is what is left of the reserved bytes. */
struct csv_writer {
	struct text *out;
	char *at;
	char *end;
	struct text json;	/* of one nested value */
};

/* count more bytes can be written; false = out of memory. */
static bool make_room(struct csv_writer *writer, size_t count)
{
	struct text *out = writer->out;

	if ((size_t)(writer->end - writer->at) >= count)
		return true;
	if (writer->at)
		out->length = (size_t)(writer->at - out->data);
	if (!text_reserve(out, count))
		return false;
	writer->at = out->data + out->length;
	writer->end = out->data + out->capacity;
	return true;
}

/* In quotes, those inside doubled; most text has none. */
static char *put_quoted(char *at, struct byte_view bytes)
{
	const uint8_t *from = bytes.data;
	size_t left = bytes.length;

	*at++ = '"';
	while (left > 0) {
		const uint8_t *hit = memchr(from, '"', left);
		size_t length = hit ? (size_t)(hit - from) + 1 : left;

		memcpy(at, from, length);
		at += length;
		from += length;
		left -= length;
		if (hit)
			*at++ = '"';
	}
	*at++ = '"';
	return at;
}

/* Text or binary, and room behind it for the rest of the row. */
static bool put_bytes(struct csv_writer *writer, bool is_text,
		      struct byte_view bytes, size_t row_bytes)
{
	size_t needed;

	if (!size_mul(bytes.length, 2, &needed) ||
	    !size_add(needed, row_bytes, &needed) ||
	    !make_room(writer, needed))
		return false;
	if (bytes.length == 0)
		writer->at = put_quoted(writer->at, bytes);
	else if (!is_text)
		writer->at = format_hex(writer->at, bytes);
	else if (copy_finding(writer->at, bytes.data, bytes.length,
			      &csv_special))
		writer->at = put_quoted(writer->at, bytes);
	else
		writer->at += bytes.length;
	return true;
}

static bool put_nested(struct csv_writer *writer, const struct vector *vector,
		       size_t row, size_t row_bytes)
{
	struct text *json = &writer->json;

	text_reset(json);
	return nested_format_json(&vector->type, vector_bytes(vector)[row],
				  json) &&
	       put_bytes(writer, true, byte_view(json->data, json->length),
			 row_bytes);
}

static bool put_row(struct csv_writer *writer,
		    const struct vector *const *columns,
		    const enum format_kind *kinds, size_t column_count,
		    size_t row)
{
	/* 64: what quotes and copies write besides */
	size_t row_bytes = column_count * FORMAT_FIXED_BYTES + 64;

	if (!make_room(writer, row_bytes))
		return false;
	for (size_t i = 0; i < column_count; i++) {
		const struct vector *vector = columns[i];

		bool ok = true;

		if (kinds[i] == FORMAT_NONE || vector_is_null(vector, row))
			;
		else if (kinds[i] < FORMAT_TEXT)
			writer->at = format_fixed_value(writer->at, kinds[i],
							vector, row);
		else if (kinds[i] == FORMAT_NESTED)
			ok = put_nested(writer, vector, row, row_bytes);
		else
			ok = put_bytes(writer, kinds[i] == FORMAT_TEXT,
				       vector_bytes(vector)[row], row_bytes);
		if (!ok)
			return false;
		*writer->at++ = ',';
	}
	writer->at[-1] = '\n';
	return true;
}

int csv_format_batch(const struct vector *const *columns,
		     size_t column_count, const struct selection *rows,
		     struct text *out, struct error *err)
{
	enum format_kind few[64];
	enum format_kind *kinds = few;
	struct csv_writer writer = { .out = out };
	bool ok = true;

	if (column_count == 0 || rows->count == 0)
		return 0;
	if (column_count > ARRAY_COUNT(few))
		kinds = mem_alloc_array(column_count, sizeof(*kinds));
	if (!kinds)
		return error_set(err, ERROR_NO_MEMORY, "write rows");
	for (size_t i = 0; i < column_count; i++)
		kinds[i] = format_kind_of(&columns[i]->type);
	for (size_t i = 0; i < rows->count && ok; i++)
		ok = put_row(&writer, columns, kinds, column_count,
			     selection_row(rows, i));
	if (writer.at) {
		out->length = (size_t)(writer.at - out->data);
		out->data[out->length] = '\0';
	}
	text_release(&writer.json);
	if (kinds != few)
		mem_free(kinds);
	if (!ok)
		return error_set(err, ERROR_NO_MEMORY, "write rows");
	return 0;
}

bool csv_format_header(const struct schema *schema, struct text *out)
{
	struct csv_writer writer = { .out = out };

	for (size_t i = 0; i < schema->column_count; i++) {
		const char *name = schema->columns[i].name;

		if (!put_bytes(&writer, true, byte_view(name, strlen(name)),
			       FORMAT_FIXED_BYTES))
			return false;
		*writer.at++ = i + 1 < schema->column_count ? ',' : '\n';
		out->length = (size_t)(writer.at - out->data);
		out->data[out->length] = '\0';
	}
	return true;
}
