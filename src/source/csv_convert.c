/*
 * csv_convert.c - fields to columns
 *
 * Why:    a type is looked at once per column and batch, not once per value.
 * How:    a block of rows at a time, so that its bytes stay in the first
 *         cache, and in it column by column: the values are extracted to
 *         views, then one loop per type turns them into the vector. Text is
 *         not copied, its views are the vector. A row that does not convert
 *         ends the batch; the columns after it look only at the rows before
 *         it, so that the first wrong row is found in any order of columns.
 * Cost:   2 to 20 ns a value.
 */
#include "source/csv_convert.h"
#include "source/json_value.h"
#include "source/text_encoding.h"
#include "source/view_convert.h"
#include "source/value_rewrite.h"

#include <inttypes.h>

/* Rows whose views stay in the first cache; a multiple of 64. */
#define BLOCK_ROWS 256
#define VALIDITY_WORDS (BATCH_ROW_COUNT / 64)
/* A block larger than this would only push itself out of the cache. */
#define PREFETCH_BYTES_LIMIT ((size_t)256 << 10)
/* How much of a value a message shows. */
#define SHOWN_BYTES 100

struct csv_converter {
	struct csv_conversion what;
	struct byte_view *views;	/* BLOCK_ROWS */
	uint64_t *validity;		/* VALIDITY_WORDS per column */
	bool *has_nulls;		/* per column */
	struct json_builder **builders;	/* per column, of nested ones */
	bool *rewrites;			/* per column: its values are */
	struct vector packed;		/* a block of them */
	struct error reason;		/* why one does not convert */
};

/* A value that did not convert. */
struct failure {
	size_t row;		/* of the batch; = count: none */
	size_t column;
	enum error_code code;
	struct byte_view value;
};

int csv_converter_new(struct csv_converter **out,
		      const struct csv_conversion *what, struct error *err)
{
	struct csv_converter *converter = mem_zalloc(sizeof(*converter));
	size_t columns = what->schema->column_count;
	int rc = 0;

	*out = NULL;
	if (converter) {
		converter->views = mem_alloc_array(BLOCK_ROWS,
						   sizeof(struct byte_view));
		converter->validity = mem_alloc_array(columns, VALIDITY_WORDS *
						      sizeof(uint64_t));
		converter->has_nulls = mem_alloc_array(columns, sizeof(bool));
		converter->builders = mem_zalloc_array(columns + 1,
					sizeof(*converter->builders));
		converter->rewrites = mem_zalloc_array(columns + 1,
						       sizeof(bool));
		converter->what = *what;
	}
	if (!converter || !converter->views || !converter->validity ||
	    !converter->has_nulls || !converter->builders ||
	    !converter->rewrites)
		rc = error_set(err, ERROR_NO_MEMORY, "convert fields");
	for (size_t i = 0; i < columns && !rc; i++)
		converter->rewrites[i] = value_rewrite_applies(what->options,
					&what->schema->columns[i].type);
	for (size_t i = 0; i < columns && !rc; i++)
		if (what->wanted[i] &&
		    type_is_nested(&what->schema->columns[i].type))
			rc = json_builder_new(&converter->builders[i],
					&what->schema->columns[i].type,
					what->options->zone, err);
	if (rc) {
		csv_converter_free(converter);
		return rc;
	}
	*out = converter;
	return 0;
}

void csv_converter_free(struct csv_converter *converter)
{
	if (!converter)
		return;
	for (size_t i = 0; converter->builders &&
	     i < converter->what.schema->column_count; i++)
		json_builder_free(converter->builders[i]);
	mem_free(converter->builders);
	mem_free(converter->rewrites);
	vector_release(&converter->packed);
	mem_free(converter->views);
	mem_free(converter->validity);
	mem_free(converter->has_nulls);
	mem_free(converter);
}

/* The first row that is not UTF-8. */
static size_t check_text(const struct byte_view *views, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (views[i].length &&
		    !utf8_is_valid(views[i].data, views[i].length))
			return i;
	return count;
}

/* One column of a block being converted. */
struct block_job {
	struct csv_converter *converter;
	struct csv_rows rows;		/* of the block */
	size_t first;			/* row of the batch */
	size_t column;
	struct batch *batch;
};

/* Hex to bytes in the heap. */
static int convert_binary(const struct block_job *job, struct byte_view *out,
			  const struct byte_view *v, size_t *row_out,
			  struct error *err)
{
	const struct type *type = &job->batch->columns[job->column].type;

	for (size_t i = 0; i < job->rows.count; i++) {
		size_t length = 0;
		uint8_t *bytes;

		out[i] = byte_view(NULL, 0);
		if (!v[i].data)
			continue;
		bytes = arena_alloc_bytes(&job->batch->heap,
					  v[i].length / 2 + 1);
		if (!bytes)
			return error_set(err, ERROR_NO_MEMORY,
					 "convert fields");
		if (parse_hex((const char *)v[i].data, v[i].length, bytes,
			      &length) ||
		    (type->id == TYPE_FIXED && length != type->length)) {
			*row_out = i;
			return 0;
		}
		out[i] = byte_view(bytes, length);
	}
	return 0;
}

/* The JSON text of one value. */
static int add_json(const struct block_job *job, struct byte_view text,
		    struct error *err)
{
	struct json_builder *builder = job->converter->builders[job->column];
	struct arena *heap = &job->batch->heap;
	struct json_reader reader;
	char *copy;
	int rc;

	if (!text.data)
		return json_builder_add_null(builder, err);
	copy = json_text_copy(heap, text);
	if (!copy)
		return error_set(err, ERROR_NO_MEMORY, "convert fields");
	json_reader_init(&reader, copy, text.length);
	rc = json_builder_add(builder, &reader, heap, err);
	if (!rc && json_finish(&reader, "value", NULL))
		rc = json_syntax_error(&reader, err);
	return rc;
}

/* The first of `count` values that cannot be packed. */
static int find_refused(const struct block_job *job,
			const struct byte_view *v, size_t count,
			size_t *row_out, struct error *err)
{
	struct csv_converter *converter = job->converter;
	struct json_builder *builder = converter->builders[job->column];
	int rc = 0;

	for (*row_out = 0; *row_out < count; ++*row_out) {
		json_builder_reset(builder);
		rc = add_json(job, v[*row_out], err);
		if (!rc)
			rc = json_builder_finish(builder, &converter->packed,
						 &job->batch->heap, err);
		if (rc)
			break;
	}
	return rc;
}

/* `count` JSON texts to packed values; *row_out: the first that is none. */
static int pack_json(const struct block_job *job, const struct byte_view *v,
		     size_t count, size_t *row_out, struct error *err)
{
	struct csv_converter *converter = job->converter;
	struct json_builder *builder = converter->builders[job->column];
	int rc = 0, together;

	json_builder_reset(builder);
	for (size_t i = 0; i < count && !rc; i++) {
		rc = add_json(job, v[i], err);
		if (rc)
			*row_out = i;
	}
	if (rc)
		return rc;
	together = json_builder_finish(builder, &converter->packed,
				       &job->batch->heap, err);
	if (together != ERROR_CAST && together != ERROR_OVERFLOW)
		return together;
	rc = find_refused(job, v, count, row_out, err);
	if (!rc)
		*row_out = 0;	/* they fit one by one alone */
	return rc ? rc : together;
}

/* JSON text to packed values, of the rows before a refused one too; null is a
 * NULL. */
static int convert_nested(const struct block_job *job, struct byte_view *out,
			  struct csv_values *values, size_t *row_out,
			  struct error *err)
{
	struct csv_converter *converter = job->converter;
	struct error *reason = &converter->reason;
	size_t count = job->rows.count;
	int rc;

	for (;;) {
		rc = pack_json(job, values->views, count, row_out, reason);
		if (rc != ERROR_CAST && rc != ERROR_OVERFLOW)
			break;
		count = *row_out;
	}
	if (rc) {
		if (err)
			*err = *reason;
		return rc;
	}
	for (size_t i = 0; i < count; i++) {
		out[i] = vector_bytes(&converter->packed)[i];
		if (!vector_is_null(&converter->packed, i))
			continue;
		bits_clear(values->validity, i);
		values->has_nulls = true;
	}
	return 0;
}

/* Numbers and times, which may be written in another way. */
static int convert_written(const struct block_job *job, void *to,
			   struct csv_values *values, size_t *row_out,
			   struct error *err)
{
	struct csv_converter *converter = job->converter;
	const struct type *type = &job->batch->columns[job->column].type;
	size_t count = job->rows.count;
	int rc = 0;

	if (converter->rewrites[job->column])
		rc = value_rewrite(converter->what.options, type,
				   values->views, count, values->heap, &count,
				   err);
	if (!rc)
		*row_out = view_convert(type, converter->what.options->zone, to,
					values->views, count);
	return rc;
}

/* A value as it is in the file. */
static struct byte_view failure_value(const struct block_job *job, size_t row,
				      const struct csv_values *values)
{
	struct csv_rows rows = { job->rows.chunk, job->rows.first_row + row,
				 1 };
	struct byte_view view = values->views[row];
	uint64_t validity;
	struct csv_values one = {
		.options = values->options,
		.heap = values->heap,
		.views = &view,
		.validity = &validity,
	};

	csv_extract(&rows, rows.chunk->file->fields[job->column], &one, NULL);
	return view;
}

static int convert_block(const struct block_job *job, struct failure *failure,
			 struct error *err)
{
	struct csv_converter *converter = job->converter;
	const struct csv_chunk *chunk = job->rows.chunk;
	struct vector *vector = &job->batch->columns[job->column];
	const struct type *type = &vector->type;
	size_t count = job->rows.count;
	size_t row = count;
	bool is_text = type->id == TYPE_VARCHAR;
	uint8_t *to = (uint8_t *)vector->data +
		      job->first * type_width(type);
	struct csv_values values = {
		.options = converter->what.options,
		.heap = &job->batch->heap,
		.views = is_text ? (struct byte_view *)to : converter->views,
		.validity = converter->validity +
			    job->column * VALIDITY_WORDS + job->first / 64,
	};
	int rc = csv_extract(&job->rows, chunk->file->fields[job->column],
			     &values, err);

	if (rc)
		return rc;
	if (is_text && !(chunk->plain && chunk->is_utf8))
		row = check_text(values.views, count);
	else if (type_is_bytes(type) && !is_text)
		rc = convert_binary(job, (struct byte_view *)to, values.views,
				    &row, err);
	else if (type_is_nested(type))
		rc = convert_nested(job, (struct byte_view *)to, &values, &row,
				    err);
	else if (!is_text)
		rc = convert_written(job, to, &values, &row, err);
	converter->has_nulls[job->column] |= values.has_nulls;
	if (row < count) {
		failure->row = job->first + row;
		failure->column = job->column;
		failure->value = values.views[row];
		if (converter->rewrites[job->column])
			failure->value = failure_value(job, row, &values);
		failure->code = ERROR_CAST;
		if (is_text || (type_is_nested(type) &&
				!utf8_is_valid(failure->value.data,
					       failure->value.length)))
			failure->code = ERROR_BAD_ENCODING;
	}
	return rc;
}

/* All columns of a block; those after a failure only up to its row. */
static int convert_columns(struct block_job *job, struct failure *failure,
			   struct error *err)
{
	const bool *wanted = job->converter->what.wanted;
	size_t end = job->first + job->rows.count;

	for (size_t i = 0; i < job->batch->column_count; i++) {
		int rc;

		if (!wanted[i] || job->rows.count == 0)
			continue;
		job->column = i;
		rc = convert_block(job, failure, err);
		if (rc)
			return rc;
		if (failure->row < end) {
			end = failure->row;
			job->rows.count = end - job->first;
		}
	}
	return 0;
}

/* The bytes of rows come from far; they are asked for a block ahead. */
static void prefetch_rows(const struct csv_chunk *chunk, size_t first,
			  size_t end)
{
	const uint8_t *at, *stop;

	if (!chunk->plain || first >= end || end >= chunk->row_count)
		return;
	at = chunk->bytes + csv_chunk_row_start(chunk, first);
	stop = chunk->bytes + csv_chunk_row_start(chunk, end);
	if ((size_t)(stop - at) > PREFETCH_BYTES_LIMIT)
		return;
	for (; at < stop; at += 64)
		__builtin_prefetch(at);
}

static void hint_encoding(const char *encoding, struct error *err)
{
	if (encoding)
		error_hint(err, "see whether the file is of another encoding "
			   "than --encoding %s", encoding);
	else
		error_hint(err, "say which encoding the file has: --encoding "
			   "latin1, windows-1252, utf-16, ...");
}

/* Numbers and days that look like those of another place. */
static void hint_spelling(const struct csv_options *options,
			  const struct type *type,
			  const struct byte_view *value, struct error *err)
{
	const char *data = (const char *)value->data;
	size_t length = value->length;
	bool has_digit = false;

	for (size_t i = 0; i < length; i++)
		has_digit |= data[i] >= '0' && data[i] <= '9';
	if (!has_digit)
		return;
	if (type_is_numeric(type) && memchr(data, ',', length))
		error_hint(err, options->decimal_mark == '.' &&
			   !options->thousands_mark
			   ? "--decimal , reads a decimal comma, --thousands , "
			     "commas between thousands"
			   : "each group between thousands has three digits");
	else if (type->id == TYPE_DATE && !options->date_format)
		error_hint(err, "a DATE is YYYY-MM-DD; --date-format says "
			   "another form, such as %%d.%%m.%%Y");
	else if ((type->id == TYPE_TIMESTAMP ||
		  type->id == TYPE_TIMESTAMP_TZ) && !options->timestamp_format)
		error_hint(err, "--timestamp-format says another form than "
			   "YYYY-MM-DD HH:MM:SS");
}

static int refuse(const struct csv_converter *converter,
		  const struct csv_rows *rows, const struct failure *failure,
		  struct error *err)
{
	const struct csv_chunk *chunk = rows->chunk;
	const struct column_def *column =
		&converter->what.schema->columns[failure->column];
	size_t length = failure->value.length;
	const char *data = (const char *)failure->value.data;
	const struct csv_options *options = converter->what.options;
	char type[TYPE_NAME_BYTES];

	if (failure->code == ERROR_BAD_ENCODING) {
		size_t at = utf8_valid_prefix(data, length);

		error_set(err, ERROR_BAD_ENCODING, "a value of column %s is "
			  "not %s: byte 0x%02X", column->name,
			  options->encoding ? options->encoding : "UTF-8",
			  text_bad_byte(failure->value.data + at,
					length - at));
		hint_encoding(options->encoding, err);
	} else if (type_is_nested(&column->type)) {
		error_set(err, ERROR_CAST, "column %s of type %s: %s",
			  column->name, type_name(&column->type, type),
			  converter->reason.text);
	} else {
		if (length > SHOWN_BYTES)
			length = utf8_valid_prefix(data, SHOWN_BYTES);
		error_set(err, ERROR_CAST,
			  "value '%.*s%s' of column %s does not convert to %s",
			  (int)length, data,
			  length < failure->value.length ? "..." : "",
			  column->name, type_name(&column->type, type));
		hint_spelling(options, &column->type, &failure->value, err);
	}
	error_field(err, column->name);
	return error_at(err, chunk->file->name,
			csv_chunk_row_line(chunk,
					   rows->first_row + failure->row), 0);
}

static int start_batch(struct csv_converter *converter, struct batch *batch,
		       size_t count, struct error *err)
{
	for (size_t i = 0; i < batch->column_count; i++) {
		int rc;

		if (!converter->what.wanted[i])
			continue;
		rc = vector_reserve(&batch->columns[i], count, err);
		if (rc)
			return rc;
		converter->has_nulls[i] = false;
	}
	return 0;
}

static int finish_batch(struct csv_converter *converter, struct batch *batch,
			size_t count, struct error *err)
{
	batch->row_count = count;
	for (size_t i = 0; i < batch->column_count; i++) {
		int rc;

		if (!converter->what.wanted[i])
			continue;
		batch->columns[i].count = count;
		if (!converter->has_nulls[i])
			continue;
		rc = view_set_validity(&batch->columns[i],
				       converter->validity +
				       i * VALIDITY_WORDS, err);
		if (rc)
			return rc;
	}
	return 0;
}

int csv_convert(struct csv_converter *converter, const struct csv_rows *rows,
		struct batch *batch, struct csv_refusal *refusal,
		struct error *err)
{
	struct block_job job = { .converter = converter, .batch = batch };
	struct failure failure = { .row = rows->count };
	size_t count = rows->count;
	int rc = start_batch(converter, batch, rows->count, err);

	while (job.first < rows->count && failure.row == rows->count && !rc) {
		size_t left = rows->count - job.first;

		job.rows = *rows;
		job.rows.first_row += job.first;
		job.rows.count = left < BLOCK_ROWS ? left : BLOCK_ROWS;
		prefetch_rows(rows->chunk,
			      job.rows.first_row + job.rows.count,
			      job.rows.first_row + 2 * job.rows.count);
		rc = convert_columns(&job, &failure, err);
		job.first += left < BLOCK_ROWS ? left : BLOCK_ROWS;
	}
	if (!rc && failure.row < rows->count) {
		count = failure.row;
		if (!refusal)
			return refuse(converter, rows, &failure, err);
		refusal->is_set = true;
		refusal->row = failure.row;
		refuse(converter, rows, &failure, &refusal->reason);
	}
	return rc ? rc : finish_batch(converter, batch, count, err);
}
