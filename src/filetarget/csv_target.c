/*
 * csv_target.c - a CSV file that is merged into
 *
 * Why:    people keep small tables as CSV and edit them by hand: what a merge
 *         does not change must stay as it stands, to the byte.
 * How:    the new file is a copy, record by record, in which deleted records
 *         are left out, changed fields replaced, and new records added at the
 *         end in the dialect of the file. New values are text from the start.
 *         Columns are of the types that the statement needs; those that it
 *         does not look at are text and never converted.
 *
 * New values of a row, in a text of file_changes; until column UINT32_MAX:
 *	offset	size	meaning
 *	0	4	column
 *	4	4	bytes of the field; bit 31: it is NULL
 *	8	n	the field, in quotes where it needs them
 */
#include "filetarget/csv_records.h"
#include "filetarget/file_target.h"

#define NULL_FIELD UINT32_C(0x80000000)
#define NO_COLUMN UINT32_MAX
#define COPY_BYTES ((size_t)1 << 18)
#define BOM "\xEF\xBB\xBF"

/* The next field of a record: its bytes, quotes included. */
static bool next_field(const struct csv_dialect *dialect, const char **at,
		       const char *end, struct byte_view *out)
{
	const char *from = *at, *to = from;
	bool inside = false;

	if (!from)
		return false;
	for (; to < end; to++) {
		inside ^= dialect->quote && *to == dialect->quote;
		if (*to == dialect->delimiter && !inside)
			break;
	}
	*out = byte_view(from, (size_t)(to - from));
	*at = to < end ? to + 1 : NULL;
	return true;
}

static bool is_quoted(const struct csv_dialect *dialect,
		      const struct byte_view *field)
{
	return dialect->quote && field->length &&
	       *(const char *)field->data == dialect->quote;
}

/* What the first record shows of the dialect. */
static void look_at_record(struct csv_dialect *dialect, const char *data,
			   size_t length)
{
	size_t bytes = csv_record_bytes(data, length), count = 0;
	const char *at = data;
	struct byte_view field;
	bool all = true;

	dialect->has_crlf = length - bytes == 2;
	while (next_field(dialect, &at, data + bytes, &field)) {
		if (count++ < dialect->field_count)
			all = all && is_quoted(dialect, &field);
	}
	dialect->quotes_all = all;
	dialect->trailing_delimiter = count == dialect->field_count + 1;
}

static int find_dialect(struct file_target *target, struct input_file *file,
			struct error *err)
{
	const struct csv_options *options = &target->options.csv;
	struct csv_dialect *dialect = &target->dialect;
	struct csv_records records;
	const char *data;
	size_t length = 0;
	int rc = 0;

	dialect->delimiter = options->delimiter;
	dialect->quote = options->quote;
	dialect->null_texts = options->null_texts;
	dialect->null_text_count = options->null_text_count;
	dialect->field_count = target->columns.schema.column_count;
	csv_records_init(&records, file, options->quote);
	for (uint64_t i = 0; !rc && i < options->skip_lines; i++)
		rc = csv_records_next(&records, true, &data, &length, err);
	do {
		if (!rc)
			rc = csv_records_next(&records, false, &data, &length,
					      err);
	} while (!rc && length && csv_record_bytes(data, length) == 0);
	if (!rc && length >= 3 && memcmp(data, BOM, 3) == 0) {
		data += 3;
		length -= 3;
	}
	if (!rc && length)
		look_at_record(dialect, data, length);
	csv_records_release(&records);
	return rc;
}

/* Packed files and UTF-16 are read, but not written as they were. */
static int check_bytes(const struct file_target *target,
		       struct input_file *file, struct error *err)
{
	static const char *const marks[] = { "\x1f\x8b", "\x28\xb5",
					     "\xff\xfe", "\xfe\xff" };
	char head[2];
	int rc;

	if (input_file_size(file) < sizeof(head))
		return 0;
	rc = input_file_read(file, 0, head, sizeof(head), err);
	for (size_t i = 0; !rc && i < ARRAY_COUNT(marks); i++)
		if (memcmp(head, marks[i], sizeof(head)) == 0)
			rc = error_set(err, ERROR_NOT_SUPPORTED, "'%s' is no "
				       "plain UTF-8 text and cannot be merged "
				       "into", target->name);
	return rc;
}

static int open_input(const struct file_target *target,
		      struct csv_input **out, struct error *err)
{
	const char *path = target->name;	/* messages have it */

	return csv_input_open(out, &path, 1, &target->options.csv, err);
}

static int add_columns(struct file_target *target, struct error *err)
{
	const struct schema *types = target->options.types;
	size_t count = csv_input_column_count(target->csv);
	struct relation *columns = &target->columns;
	int rc = 0;

	columns->untyped = mem_zalloc_array(count + 1, sizeof(bool));
	if (!columns->untyped)
		return error_set(err, ERROR_NO_MEMORY, "%s", target->name);
	for (size_t i = 0; !rc && i < count; i++) {
		const char *name = csv_input_column_name(target->csv, i);
		long at = types ? schema_find(types, name) : -1;
		struct type type = type_of(TYPE_VARCHAR);

		columns->untyped[i] = at < 0;
		if (at >= 0)
			type = types->columns[at].type;
		rc = schema_add_column(&columns->schema, name, type, err);
	}
	return rc;
}

/* Values are written in one way only. */
static int check_options(const struct file_target *target, struct error *err)
{
	const struct csv_options *options = &target->options.csv;

	if (!options->encoding && options->decimal_mark == '.' &&
	    !options->thousands_mark && !options->date_format &&
	    !options->timestamp_format)
		return 0;
	error_set(err, ERROR_NOT_SUPPORTED, "'%s' cannot be merged into with "
		  "other encodings, marks in numbers or forms of dates",
		  target->name);
	return error_hint(err, "to read the source so, say it there: "
			  "read_csv('path', decimal => ',')");
}

static int csv_open(struct file_target *target, struct error *err)
{
	struct input_file *file;
	int rc = check_options(target, err);

	target->options.csv.is_jsonl = false;
	target->options.csv.rejects = NULL;
	if (!rc)
		rc = input_file_open(&file, target->path, err);
	if (rc)
		return rc;
	if (text_ends_with(target->path, ".tsv") &&
	    target->options.csv.delimiter == ',')
		target->options.csv.delimiter = '\t';
	rc = check_bytes(target, file, err);
	if (!rc)
		rc = open_input(target, &target->csv, err);
	if (!rc)
		rc = add_columns(target, err);
	if (!rc)
		rc = find_dialect(target, file, err);
	input_file_close(file);
	return rc;
}

static void csv_close(struct file_target *target)
{
	csv_input_free(target->csv);
	target->csv = NULL;
}

/* Takes the input. wanted: of the columns, NULL = all. */
static int open_rows(const struct file_target *target,
		     struct csv_input *input, const bool *wanted,
		     struct batch_source **out, struct error *err)
{
	const struct schema *schema = &target->columns.schema;
	struct type *types;
	int rc;

	/* the caller looks why */
	if (csv_input_column_count(input) != schema->column_count)
		return error_set(err, ERROR_IO, "the columns of '%s' have "
				 "changed", target->name);
	types = mem_alloc_array(schema->column_count + 1, sizeof(*types));
	if (!types)
		return error_set(err, ERROR_NO_MEMORY, "%s", target->name);
	for (size_t i = 0; i < schema->column_count; i++)
		types[i] = schema->columns[i].type;
	rc = csv_source_new(out, input, types, wanted,
			    target->options.thread_count, err);
	mem_free(types);
	return rc;
}

static int csv_rows(struct file_target *target, struct batch_source **out,
		    struct error *err)
{
	int rc = 0;

	*out = NULL;
	if (!target->csv)
		rc = open_input(target, &target->csv, err);
	if (!rc)
		rc = open_rows(target, target->csv, NULL, out, err);
	if (!rc)
		target->csv = NULL;	/* taken */
	return rc;
}

static int count_rows(struct batch_source *rows, uint64_t *out,
		      struct error *err)
{
	struct batch_stream *stream = NULL;
	struct batch *batch = NULL;
	int rc = rows->stream_new(rows, &stream, err);

	*out = 0;
	while (!rc && !(rc = batch_stream_next(stream, &batch, err)) && batch) {
		*out += batch->row_count;
		rc = interrupt_check(err);
	}
	batch_stream_free(stream);
	return rc;
}

static int csv_count(const struct file_target *target, uint64_t *out,
		     struct error *err)
{
	bool *wanted = mem_zalloc_array(
		target->columns.schema.column_count + 1, sizeof(*wanted));
	struct csv_input *input = NULL;
	struct batch_source *rows;
	int rc = wanted ? open_input(target, &input, err)
			: error_set(err, ERROR_NO_MEMORY, "%s", target->name);

	if (!rc)
		rc = open_rows(target, input, wanted, &rows, err);
	if (rc) {
		csv_input_free(input);
	} else {
		rc = count_rows(rows, out, err);
		batch_source_free(rows);
	}
	mem_free(wanted);
	return rc;
}

/* Each row takes a byte at the least. */
static uint64_t csv_limit(const struct file_target *target)
{
	return target->seen.size;
}

static int add_text(struct file_changes *changes, struct error *err)
{
	struct text *text;

	if (changes->text_count)
		return 0;
	text = mem_zalloc(sizeof(*text));
	if (!text || !mem_grow((void **)&changes->texts,
			       &changes->text_capacity, 0,
			       sizeof(*changes->texts))) {
		mem_free(text);
		return error_set(err, ERROR_NO_MEMORY, "CSV");
	}
	text_init(text);
	changes->texts[changes->text_count++] = text;
	return 0;
}

static int add_field(const struct file_target *target, struct text *text,
		     const struct vector *vector, size_t column, size_t row,
		     struct error *err)
{
	uint32_t head[2] = { (uint32_t)column, 0 };
	size_t at = text->length, length;
	int rc;

	text_add(text, head, sizeof(head));
	rc = csv_dialect_add(&target->dialect, vector, row, false, text, err);
	if (rc) {
		error_field(err, target->columns.schema.columns[column].name);
		return rc;
	}
	if (text->failed)
		return error_set(err, ERROR_NO_MEMORY, "CSV");
	length = text->length - at - sizeof(head);
	if (length >= NULL_FIELD)
		return error_set(err, ERROR_BAD_CSV, "a field of 2 GiB");
	head[1] = (uint32_t)length |
		  (vector_is_null(vector, row) ? NULL_FIELD : 0);
	memcpy(text->data + at, head, sizeof(head));
	return 0;
}

static int add_update(const struct file_target *target,
		      struct file_changes *changes,
		      const struct change_page *page, size_t row,
		      struct error *err)
{
	struct row_update update = { .row = page->row_id[row] };
	struct text *text = changes->texts[0];
	uint32_t end[2] = { NO_COLUMN, 0 };
	int rc = 0;

	update.at = text->length;
	for (size_t c = 0; !rc && c < page->column_count; c++)
		if (page->columns[c]->data)
			rc = add_field(target, text, page->columns[c], c, row,
				       err);
	if (!rc && !text_add(text, end, sizeof(end)))
		rc = error_set(err, ERROR_NO_MEMORY, "CSV");
	return rc ? rc : file_changes_add_update(changes, &update, err);
}

static int add_record(const struct file_target *target, struct text *text,
		      const struct change_page *page, size_t row,
		      struct error *err)
{
	const struct csv_dialect *dialect = &target->dialect;
	int rc = 0;

	for (size_t c = 0; !rc && c < page->column_count; c++) {
		if (c)
			text_add_char(text, dialect->delimiter);
		rc = csv_dialect_add(dialect, page->columns[c], row,
				     dialect->quotes_all, text, err);
		if (rc)
			error_field(err, target->columns.schema.columns[c]
						 .name);
	}
	csv_dialect_end(dialect, text);
	if (!rc && text->failed)
		rc = error_set(err, ERROR_NO_MEMORY, "CSV");
	return rc;
}

static int csv_add_page(struct file_target *target,
			struct file_changes *changes,
			const struct change_page *page, struct error *err)
{
	struct added_text added = { .unit = page->unit };
	size_t before;
	int rc = add_text(changes, err);

	if (rc)
		return rc;
	before = changes->texts[0]->length;
	for (size_t i = 0; !rc && i < page->row_count; i++)
		if (page->operation[i] == OPERATION_UPDATE)
			rc = add_update(target, changes, page, i, err);
	added.at = changes->texts[0]->length;
	for (size_t i = 0; !rc && i < page->row_count; i++)
		if (page->operation[i] == OPERATION_INSERT)
			rc = add_record(target, changes->texts[0], page, i,
					err);
	added.length = changes->texts[0]->length - added.at;
	changes->byte_count += changes->texts[0]->length - before;
	if (rc || !added.length)
		return rc;
	if (!mem_grow((void **)&changes->added, &changes->added_capacity,
		      changes->added_count, sizeof(*changes->added)))
		return error_set(err, ERROR_NO_MEMORY, "CSV");
	changes->added[changes->added_count++] = added;
	return 0;
}

static int csv_finish_changes(struct file_target *target,
			      struct file_changes *changes, struct error *err)
{
	return 0;
}

/* A new field in the place of an old one, in quotes if that was. */
static int write_field(const struct csv_dialect *dialect,
		       const struct byte_view *old, const char *text,
		       uint32_t length, struct output_file *out,
		       struct error *err)
{
	bool is_null = length & NULL_FIELD;
	bool quote;
	int rc = 0;

	length &= ~NULL_FIELD;
	quote = !is_null && dialect->quote && is_quoted(dialect, old) &&
		!(length && text[0] == dialect->quote);
	if (quote)
		rc = output_file_write(out, &dialect->quote, 1, err);
	if (!rc && length)
		rc = output_file_write(out, text, length, err);
	if (!rc && quote)
		rc = output_file_write(out, &dialect->quote, 1, err);
	return rc;
}

static int write_updated(const struct csv_dialect *dialect, const char *data,
			 size_t length, const char *values,
			 struct output_file *out, struct error *err)
{
	size_t bytes = csv_record_bytes(data, length);
	const char *at = data;
	struct byte_view field;
	uint32_t column = 0, head[2];
	int rc = 0;

	while (!rc && next_field(dialect, &at, data + bytes, &field)) {
		memcpy(head, values, sizeof(head));
		if (column)
			rc = output_file_write(out, &dialect->delimiter, 1,
					       err);
		if (!rc && head[0] == column) {
			rc = write_field(dialect, &field,
					 values + sizeof(head), head[1], out,
					 err);
			values += sizeof(head) + (head[1] & ~NULL_FIELD);
		} else if (!rc && field.length) {
			rc = output_file_write(out, field.data, field.length,
					       err);
		}
		column++;
	}
	if (!rc && length > bytes)
		rc = output_file_write(out, data + bytes, length - bytes, err);
	return rc;
}

/* Where the copy stands among the changes, which are in the order of rows. */
struct csv_copy {
	const struct merge_handle *handle;
	struct csv_records records;
	struct output_file *out;
	uint64_t row;
	size_t deleted;
	size_t updated;
	char last;		/* byte written */
};

static int copy_record(struct csv_copy *copy, const char *data, size_t length,
		       struct error *err)
{
	const struct file_changes *changes = &copy->handle->changes;
	const struct csv_dialect *dialect = &copy->handle->target->dialect;
	uint64_t row = copy->row++;
	const struct row_update *update;

	if (copy->deleted < changes->deleted_count &&
	    changes->deleted[copy->deleted] == row) {
		copy->deleted++;
		return 0;
	}
	copy->last = data[length - 1];
	update = &changes->updates[copy->updated];
	if (copy->updated == changes->update_count || update->row != row)
		return output_file_write(copy->out, data, length, err);
	copy->updated++;
	return write_updated(dialect, data, length,
			     changes->texts[update->text]->data + update->at,
			     copy->out, err);
}

static int copy_records(struct csv_copy *copy, struct error *err)
{
	const struct merge_handle *handle = copy->handle;
	const struct csv_dialect *dialect = &handle->target->dialect;
	/* an empty line is a row where a row may have no byte */
	bool one_column = dialect->field_count == 1 &&
			  !dialect->trailing_delimiter;
	const char *data;
	size_t length;
	int rc = 0;

	for (uint64_t line = 1; !rc && line < handle->first_line; line++) {
		rc = csv_records_next(&copy->records, true, &data, &length,
				      err);
		if (!rc && length)
			rc = output_file_write(copy->out, data, length, err);
		if (!rc && length)
			copy->last = data[length - 1];
	}
	while (!rc) {
		rc = csv_records_next(&copy->records, false, &data, &length,
				      err);
		if (rc || !length)
			break;
		if (csv_record_bytes(data, length) == 0 && !one_column)
			rc = output_file_write(copy->out, data, length, err);
		else
			rc = copy_record(copy, data, length, err);
		if (!rc && copy->row % 65536 == 0)
			rc = interrupt_check(err);
	}
	if (!rc && copy->row != handle->rows_scanned)
		rc = error_set(err, ERROR_INTERNAL, "%llu records of '%s' were "
			       "read and %llu copied",
			       (unsigned long long)handle->rows_scanned,
			       handle->target->name,
			       (unsigned long long)copy->row);
	return rc;
}

static int copy_all(struct csv_copy *copy, struct error *err)
{
	struct input_file *file = copy->records.file;
	uint64_t size = input_file_size(file), at = 0;
	char *block = mem_alloc(COPY_BYTES);
	int rc = block ? 0 : error_set(err, ERROR_NO_MEMORY, "CSV");

	while (!rc && at < size) {
		size_t part = size - at < COPY_BYTES ? (size_t)(size - at)
						     : COPY_BYTES;

		rc = input_file_read(file, at, block, part, err);
		if (!rc)
			rc = output_file_write(copy->out, block, part, err);
		if (!rc)
			copy->last = block[part - 1];
		at += part;
		if (!rc)
			rc = interrupt_check(err);
	}
	mem_free(block);
	return rc;
}

static int write_added(struct csv_copy *copy, struct error *err)
{
	const struct file_changes *changes = &copy->handle->changes;
	const char *line_end = copy->handle->target->dialect.has_crlf
				       ? "\r\n" : "\n";
	int rc = 0;

	if (changes->added_count && copy->last && copy->last != '\n')
		rc = output_file_write(copy->out, line_end, strlen(line_end),
				       err);
	for (size_t i = 0; !rc && i < changes->added_count; i++) {
		const struct added_text *added = &changes->added[i];

		rc = output_file_write(copy->out,
				       changes->texts[added->text]->data +
					       added->at, added->length, err);
	}
	return rc;
}

static int csv_rewrite(struct merge_handle *handle, struct output_file *out,
		       struct error *err)
{
	const struct file_changes *changes = &handle->changes;
	struct csv_copy copy = { .handle = handle, .out = out };
	struct input_file *file;
	int rc = input_file_open(&file, handle->target->path, err);

	if (rc)
		return rc;
	csv_records_init(&copy.records, file, handle->target->dialect.quote);
	if (changes->deleted_count || changes->update_count)
		rc = copy_records(&copy, err);
	else
		rc = copy_all(&copy, err);
	if (!rc)
		rc = write_added(&copy, err);
	csv_records_release(&copy.records);
	input_file_close(file);
	return rc;
}

const struct file_format csv_format = {
	.open = csv_open,
	.close = csv_close,
	.rows_open = csv_rows,
	.row_limit = csv_limit,
	.row_count = csv_count,
	.add_page = csv_add_page,
	.finish_changes = csv_finish_changes,
	.rewrite = csv_rewrite,
};
