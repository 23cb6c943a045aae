/*
 * row_block.c - columns as bytes of a temporary file
 *
 * Why:    what does not fit in memory waits on disk, in joins, groups, sorts.
 * Cost:   a copy of the values each way; bytes are not copied when read.
 * Limits: a file never leaves the process that wrote it.
 */
#include "join/row_block.h"

void row_block_put(const struct vector *column, size_t n, struct text *block)
{
	bool has_nulls = vector_has_nulls(column);

	text_add_char(block, has_nulls);
	if (has_nulls)
		text_add(block, column->validity, 8 * BITMAP_WORDS(n));
	if (!type_is_view(&column->type)) {
		text_add(block, column->data, n * type_width(&column->type));
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t length = vector_is_null(column, i)
					  ? 0 : vector_bytes(column)[i].length;

		text_add(block, &length, sizeof(length));
	}
	for (size_t i = 0; i < n; i++)
		if (!vector_is_null(column, i) &&
		    vector_bytes(column)[i].length)
			text_add(block, vector_bytes(column)[i].data,
				 vector_bytes(column)[i].length);
}

const void *row_block_take_bytes(struct block_reader *reader, size_t length)
{
	const uint8_t *at = reader->next;

	if (length > reader->left)
		return NULL;
	reader->next += length;
	reader->left -= length;
	return at;
}

static bool read_bytes(struct block_reader *reader, size_t n,
		       struct vector *out)
{
	const void *lengths = row_block_take_bytes(reader, 8 * n);

	for (size_t i = 0; lengths && i < n; i++) {
		struct byte_view *view = &vector_bytes(out)[i];
		uint64_t length;

		memcpy(&length, (const uint8_t *)lengths + 8 * i, 8);
		view->length = (size_t)length;
		view->data = row_block_take_bytes(reader, (size_t)length);
		if (!view->data)
			return false;
	}
	return lengths != NULL;
}

int row_block_take(struct block_reader *reader, size_t n, struct vector *out,
		   struct error *err)
{
	const uint8_t *flag = row_block_take_bytes(reader, 1);
	const void *data;
	int rc;

	vector_reset(out);
	rc = vector_reserve(out, n, err);
	if (rc)
		return rc;
	out->count = n;
	if (flag && *flag) {
		rc = vector_own_validity(out, err);
		if (rc)
			return rc;
		data = row_block_take_bytes(reader, 8 * BITMAP_WORDS(n));
		if (data)
			memcpy(out->validity, data, 8 * BITMAP_WORDS(n));
		else
			flag = NULL;
	}
	if (flag && type_is_view(&out->type)) {
		if (read_bytes(reader, n, out))
			return 0;
		flag = NULL;
	}
	data = flag ? row_block_take_bytes(reader,
					   n * type_width(&out->type)) : NULL;
	if (!data)
		return error_set(err, ERROR_INTERNAL,
				 "a spill file is damaged");
	memcpy(out->data, data, n * type_width(&out->type));
	return 0;
}
