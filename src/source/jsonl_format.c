/*
 * jsonl_format.c - rows to JSON Lines
 *
 * Why:    one object a line, for programs; numbers keep every digit.
 * How:    the keys are made JSON once per call. A NULL is null. NaN and the
 *         infinities, which JSON has not, dates, times, binary (hex) and
 *         UUIDs are strings; nested values are objects and arrays.
 * Cost:   about 1.5 ns per byte of output.
 */
#include "source/source.h"
#include "source/row_format.h"
#include "source/byte_copy.h"

#include <math.h>

static const struct special_bytes json_special = {
	{ '"', '\\', '"', '\\' }, 0x20
};

struct json_column {
	const struct vector *vector;
	enum format_kind kind;
	bool is_string;		/* the value stands in quotes */
	size_t key_offset;	/* of its key in keys: ,"name": */
	size_t key_length;
};

struct json_writer {
	struct text *out;
	struct json_column *columns;
	size_t column_count;
	struct text keys;
};

static bool kind_is_string(enum format_kind kind)
{
	return kind >= FORMAT_DATE;
}

static int add_columns(struct json_writer *writer, const struct schema *schema,
		       const struct vector *const *vectors, struct error *err)
{
	for (size_t i = 0; i < writer->column_count; i++) {
		struct json_column *column = &writer->columns[i];
		const char *name = schema->columns[i].name;

		column->vector = vectors[i];
		column->kind = format_kind_of(&vectors[i]->type);
		column->is_string = kind_is_string(column->kind);
		column->key_offset = writer->keys.length;
		text_add_char(&writer->keys, i ? ',' : '{');
		text_add_json(&writer->keys, name, strlen(name));
		text_add_char(&writer->keys, ':');
		column->key_length = writer->keys.length - column->key_offset;
	}
	if (writer->keys.failed)
		return error_set(err, ERROR_NO_MEMORY, "write rows");
	return 0;
}

static char *put_null(char *at)
{
	memcpy(at, "null", 4);
	return at + 4;
}

static bool put_bytes(struct json_writer *writer, const char *key,
		      const struct json_column *column, struct byte_view bytes)
{
	struct text *out = writer->out;
	size_t needed;
	char *at;

	if (!size_mul(bytes.length, 2, &needed) ||
	    !size_add(needed, column->key_length + 64, &needed) ||
	    !text_reserve(out, needed))
		return false;
	at = out->data + out->length;
	memcpy(at, key, column->key_length);
	at += column->key_length;
	*at++ = '"';
	if (column->kind == FORMAT_BINARY) {
		at = format_hex(at, bytes);
	} else if (!copy_finding(at, bytes.data, bytes.length,
				 &json_special)) {
		at += bytes.length;
	} else {
		out->length = (size_t)(at - 1 - out->data);
		return text_add_json(out, (const char *)bytes.data,
				     bytes.length);
	}
	*at++ = '"';
	out->length = (size_t)(at - out->data);
	return true;
}

/* JSON has no NaN and no infinities. */
static bool is_json_number(const struct json_column *column, size_t row)
{
	if (column->kind == FORMAT_DOUBLE)
		return isfinite(vector_f64(column->vector)[row]);
	if (column->kind == FORMAT_REAL)
		return isfinite(vector_f32(column->vector)[row]);
	return true;
}

static bool put_fixed(struct json_writer *writer, const char *key,
		      const struct json_column *column, size_t row)
{
	struct text *out = writer->out;
	bool quoted;
	char *at;

	if (!text_reserve(out, column->key_length + FORMAT_FIXED_BYTES))
		return false;
	at = out->data + out->length;
	memcpy(at, key, column->key_length);
	at += column->key_length;
	if (column->kind == FORMAT_NONE ||
	    vector_is_null(column->vector, row)) {
		at = put_null(at);
	} else {
		quoted = column->is_string || !is_json_number(column, row);
		*at = '"';
		at = format_fixed_value(at + quoted, column->kind,
					column->vector, row);
		*at = '"';
		at += quoted;
	}
	out->length = (size_t)(at - out->data);
	return true;
}

static bool put_nested(struct json_writer *writer, const char *key,
		       const struct json_column *column, size_t row)
{
	return text_add(writer->out, key, column->key_length) &&
	       nested_format_json(&column->vector->type,
				  vector_bytes(column->vector)[row],
				  writer->out);
}

static bool put_row(struct json_writer *writer, size_t row)
{
	for (size_t i = 0; i < writer->column_count; i++) {
		const struct json_column *column = &writer->columns[i];
		const char *key = writer->keys.data + column->key_offset;
		bool ok;

		if (column->kind < FORMAT_TEXT ||
		    vector_is_null(column->vector, row))
			ok = put_fixed(writer, key, column, row);
		else if (column->kind == FORMAT_NESTED)
			ok = put_nested(writer, key, column, row);
		else
			ok = put_bytes(writer, key, column,
				       vector_bytes(column->vector)[row]);
		if (!ok)
			return false;
	}
	return text_add(writer->out, "}\n", 2);
}

int jsonl_format_batch(const struct schema *schema,
		       const struct vector *const *columns,
		       size_t column_count, const struct selection *rows,
		       struct text *out, struct error *err)
{
	struct json_writer writer = { .out = out,
				      .column_count = column_count };
	bool ok = true;
	int rc;

	if (column_count == 0)
		return 0;
	writer.columns = mem_zalloc_array(column_count,
					  sizeof(*writer.columns));
	if (!writer.columns)
		return error_set(err, ERROR_NO_MEMORY, "write rows");
	rc = add_columns(&writer, schema, columns, err);
	for (size_t i = 0; i < rows->count && ok && !rc; i++)
		ok = put_row(&writer, selection_row(rows, i));
	text_release(&writer.keys);
	mem_free(writer.columns);
	if (!ok)
		return error_set(err, ERROR_NO_MEMORY, "write rows");
	return rc;
}
