/*
 * json_rows.c - lines of JSON to columns
 *
 * Why:    events and exports of other programs come as JSON Lines.
 * How:    plain lines go a quick way (json_columns.c). All others, and any
 *         batch that has something wrong in it, are read here exactly: the
 *         lines of a batch are copied once, as the reader unescapes text
 *         where it stands while other threads may look at the chunk again.
 *         Then row by row, member by member; the next column is tried
 *         before all, as most lines have their members in one order. A
 *         value that only packing refuses (a map with a key twice) is found
 *         by packing the rows one by one.
 * Cost:   2 to 3 ns per byte, a third of it on the quick way.
 */
#include "source/json_rows.h"
#include "source/csv_scan.h"
#include "source/debezium.h"
#include "source/json_columns.h"
#include "source/json_value.h"

#include <inttypes.h>

struct json_converter {
	struct csv_conversion what;
	struct json_builder **builders;	/* NULL = not wanted */
	bool *seen;			/* members of this row */
	struct json_columns *columns;	/* the quick way; NULL = none */
};

int json_chunk_read(struct csv_chunk *chunk, bool is_debezium,
		    struct error *err)
{
	size_t lines = csv_count_byte(chunk->bytes, chunk->length, '\n') + 1;
	const uint8_t *at = chunk->bytes, *end = at + chunk->length;
	int rc = csv_chunk_reserve_rows(chunk, lines, err);

	if (rc)
		return rc;
	memset(chunk->bytes + chunk->length, 0, CSV_PADDING_BYTES);
	while (at < end) {
		const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
		const uint8_t *first = at;

		if (!stop)
			stop = end;
		while (first < stop && (*first == ' ' || *first == '\t' ||
					*first == '\r'))
			first++;
		if (first < stop &&
		    !(is_debezium &&
		      debezium_is_tombstone(first, (size_t)(stop - first))))
			chunk->row_starts[chunk->row_count++] =
				(uint32_t)(at - chunk->bytes);
		at = stop + 1;
	}
	return 0;
}

int json_converter_new(struct json_converter **out,
		       const struct csv_conversion *what, struct error *err)
{
	struct json_converter *converter = mem_zalloc(sizeof(*converter));
	size_t count = what->schema->column_count;
	int rc = 0;

	*out = NULL;
	if (converter) {
		converter->what = *what;
		converter->builders = mem_zalloc_array(count + 1,
					sizeof(*converter->builders));
		converter->seen = mem_zalloc_array(count + 1, sizeof(bool));
	}
	if (!converter || !converter->builders || !converter->seen)
		rc = error_set(err, ERROR_NO_MEMORY, "read JSON");
	for (size_t i = 0; i < count && !rc; i++)
		if (what->wanted[i])
			rc = json_builder_new(&converter->builders[i],
					&what->schema->columns[i].type,
					what->options->zone, err);
	if (!rc)
		rc = json_columns_new(&converter->columns, what, err);
	if (rc) {
		json_converter_free(converter);
		return rc;
	}
	*out = converter;
	return 0;
}

void json_converter_free(struct json_converter *converter)
{
	if (!converter)
		return;
	for (size_t i = 0; converter->builders &&
	     i < converter->what.schema->column_count; i++)
		json_builder_free(converter->builders[i]);
	mem_free(converter->builders);
	mem_free(converter->seen);
	json_columns_free(converter->columns);
	mem_free(converter);
}

static void reset(struct json_converter *converter)
{
	for (size_t i = 0; i < converter->what.schema->column_count; i++)
		if (converter->builders[i])
			json_builder_reset(converter->builders[i]);
}

static int add_member(struct json_converter *converter, size_t column,
		      struct json_reader *reader, struct arena *heap,
		      struct error *err)
{
	const char *name = converter->what.schema->columns[column].name;
	int rc;

	if (converter->seen[column]) {
		error_set(err, ERROR_CAST, "the member '%.100s' is there "
			  "twice", name);
		return error_field(err, name);
	}
	converter->seen[column] = true;
	if (!converter->builders[column]) {
		json_skip(reader);
		return 0;
	}
	rc = json_builder_add(converter->builders[column], reader, heap, err);
	if (rc == ERROR_CAST) {
		error_prefix(err, "column %s", name);
		error_field(err, name);
	}
	return rc;
}

/* A member that the envelope of an event gives; text is its JSON. */
static int add_extra(struct json_converter *converter, const char *name,
		     char *text, struct arena *heap, struct error *err)
{
	size_t column = json_column_find(converter->what.schema, name, SIZE_MAX);
	struct json_reader reader;

	if (column == SIZE_MAX)
		return 0;
	json_reader_init(&reader, text, strlen(text));
	return add_member(converter, column, &reader, heap, err);
}

/* Text of an event lives in the heap, where values may point into it. */
static int add_event(struct json_converter *converter,
		     struct debezium_event *event, struct arena *heap,
		     struct error *err)
{
	struct debezium_event *kept = arena_copy(heap, event, sizeof(*event));
	int rc;

	if (!kept)
		return error_set(err, ERROR_NO_MEMORY, "read JSON");
	rc = add_extra(converter, DEBEZIUM_OP, kept->op, heap, err);
	if (!rc)
		rc = add_extra(converter, DEBEZIUM_TS_MS, kept->ts_ms, heap,
			       err);
	return rc;
}

/* event: NULL, or what the row is of. */
static int add_members(struct json_converter *converter,
		       struct json_reader *reader,
		       struct debezium_event *event, struct arena *heap,
		       struct error *err)
{
	const struct schema *schema = converter->what.schema;
	size_t expected = 0;
	const char *key;
	int rc;

	memset(converter->seen, 0, schema->column_count * sizeof(bool));
	json_begin_object(reader);
	while ((key = json_next_key(reader))) {
		size_t column = json_column_find(schema, key, expected);

		if (column == SIZE_MAX) {
			error_set(err, ERROR_CAST, "the member '%.100s' is in "
				  "no record at the start of the input, so it "
				  "is no column", key);
			return error_hint(err, "put a record that has every "
					  "member first, or declare it: "
					  "--types '%.100s TYPE'", key);
		}
		expected = column + 1;
		rc = add_member(converter, column, reader, heap, err);
		if (rc)
			return rc;
	}
	if (json_finish(reader, "line", NULL))
		return json_syntax_error(reader, err);
	rc = event ? add_event(converter, event, heap, err) : 0;
	if (rc)
		return rc;
	for (size_t i = 0; i < schema->column_count; i++) {
		if (converter->seen[i] || !converter->builders[i])
			continue;
		rc = json_builder_add_null(converter->builders[i], err);
		if (rc)
			return rc;
	}
	return 0;
}

static int refuse_encoding(struct byte_view line, struct error *err)
{
	size_t at = utf8_valid_prefix(line.data, line.length);

	error_set(err, ERROR_BAD_ENCODING, "the line is not UTF-8: byte "
		  "0x%02X", (unsigned)line.data[at]);
	return error_hint(err, "say which encoding the file has: --encoding "
			  "latin1, windows-1252, utf-16, ...");
}

/* Row i, whose line was copied to text. */
static int add_row(struct json_converter *converter,
		   const struct csv_rows *rows, size_t i, char *text,
		   struct arena *heap, struct error *err)
{
	const struct csv_chunk *chunk = rows->chunk;
	struct byte_view line = json_row_text(rows, i);
	bool is_event = converter->what.options->is_debezium;
	struct debezium_event event;
	struct json_reader reader;
	int rc = 0;

	text[line.length] = '\0';
	if (is_event) {
		rc = debezium_read(&event, text, line.length, err);
		if (!rc && event.is_tombstone)
			rc = error_set(err, ERROR_CAST, "a tombstone");
		if (!rc)
			json_reader_init(&reader, event.row,
					 event.row_length);
	} else {
		json_reader_init(&reader, text, line.length);
	}
	if (!rc)
		rc = add_members(converter, &reader, is_event ? &event : NULL,
				 heap, err);
	if (!rc)
		return 0;
	if (rc == ERROR_CAST && !utf8_is_valid(line.data, line.length))
		rc = refuse_encoding(line, err);
	error_at(err, chunk->file->name,
		 csv_chunk_row_line(chunk, rows->first_row + i), 0);
	return rc;
}

static int finish_columns(struct json_converter *converter,
			  struct batch *batch, struct error *err)
{
	const struct schema *schema = converter->what.schema;
	int rc = 0;

	for (size_t i = 0; i < schema->column_count && !rc; i++) {
		if (!converter->builders[i])
			continue;
		rc = json_builder_finish(converter->builders[i],
					 &batch->columns[i], &batch->heap,
					 err);
		if (rc == ERROR_CAST || rc == ERROR_OVERFLOW) {
			error_prefix(err, "column %s",
				     schema->columns[i].name);
			error_field(err, schema->columns[i].name);
		}
	}
	return rc;
}

/* Some value cannot be packed: which is the first row that has one? */
static int find_refused(struct json_converter *converter,
			const struct csv_rows *rows, struct batch *batch,
			size_t *row_out, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < rows->count && !rc; i++) {
		char *text = json_text_copy(&batch->heap, json_row_text(rows, i));

		*row_out = i;
		reset(converter);
		if (!text)
			return error_set(err, ERROR_NO_MEMORY, "read JSON");
		rc = add_row(converter, rows, i, text, &batch->heap, err);
		if (!rc)
			rc = finish_columns(converter, batch, err);
		if (rc)
			error_at(err, rows->chunk->file->name,
				 csv_chunk_row_line(rows->chunk,
						    rows->first_row + i), 0);
	}
	return rc;
}

/* *row_out: the first row that is wrong, where one is. */
static int convert(struct json_converter *converter,
		   const struct csv_rows *rows, struct batch *batch,
		   size_t *row_out, struct error *err)
{
	struct byte_view first, last;
	char *text;
	int rc = 0;

	reset(converter);
	batch->row_count = 0;
	if (rows->count == 0)
		return 0;
	first = json_row_text(rows, 0);
	last = json_row_text(rows, rows->count - 1);
	text = json_text_copy(&batch->heap, byte_view(first.data,
			      (size_t)(last.data - first.data) +
			      last.length));
	if (!text)
		return error_set(err, ERROR_NO_MEMORY, "read JSON");
	for (size_t i = 0; i < rows->count && !rc; i++) {
		rc = add_row(converter, rows, i, text +
			     (json_row_text(rows, i).data - first.data),
			     &batch->heap, err);
		*row_out = i;
	}
	if (rc)
		return rc;
	rc = finish_columns(converter, batch, err);
	if (rc == ERROR_CAST || rc == ERROR_OVERFLOW) {
		int alone = find_refused(converter, rows, batch, row_out, err);

		return alone ? alone : rc;
	}
	batch->row_count = rows->count;
	return rc;
}

int json_convert(struct json_converter *converter,
		 const struct csv_rows *rows, struct batch *batch,
		 struct csv_refusal *refusal, struct error *err)
{
	struct csv_rows before = *rows;
	size_t wrong = 0;
	bool done = false;
	int rc;

	if (converter->columns) {
		rc = json_columns_convert(converter->columns, rows, batch,
					  &done, err);
		if (rc || done)
			return rc;
		batch_reset(batch);
	}
	if (!refusal)
		return convert(converter, rows, batch, &wrong, err);
	/* packing may refuse a row before the first that does not parse */
	for (;;) {
		rc = convert(converter, &before, batch, &wrong,
			     &refusal->reason);
		if (rc != ERROR_CAST && rc != ERROR_BAD_ENCODING)
			break;
		refusal->is_set = true;
		refusal->row = before.count = wrong;
	}
	if (rc && err)
		*err = refusal->reason;
	return rc;
}
