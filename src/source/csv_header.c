/*
 * csv_header.c - the head of a CSV file
 *
 * Why:    columns are matched by name, in each file by its own header.
 * How:    the first record is found by quote parity and read by libcsv, so
 *         that a header follows the same rules as the data.
 * Limits: a header of more than HEADER_BYTES_LIMIT is read as far as it goes
 *         and then refused for its open quote or its length.
 */
#include "source/csv_header.h"
#include "source/csv_reader.h"
#include "source/csv_scan.h"
#include "codec/codec.h"

#include <stdlib.h>

#define HEADER_BYTES_LIMIT ((size_t)16 << 20)
#define BOM_BYTES 3
/* Not an error: errors are negative. */
#define MORE_BYTES 1

static int refuse(const struct csv_head *head, uint64_t line,
		  struct error *err, const char *what)
{
	error_set(err, ERROR_BAD_CSV, "%s", what);
	return error_at(err, head->file_name, line, 0);
}

/* Is it a file of another kind, by the bytes that those begin with? */
static int check_kind(const struct csv_head *head, struct error *err)
{
	if (head->length < 4)
		return 0;
	if (!memcmp(head->bytes, "PAR1", 4)) {
		refuse(head, 0, err, "this is a Parquet file, not CSV");
		return error_hint(err, "name it .parquet, or say --format "
				  "parquet");
	}
	if (!memcmp(head->bytes, "PK\003\004", 4)) {
		refuse(head, 0, err, "this is a ZIP archive or a workbook, "
		       "not CSV");
		return error_hint(err, "unpack it, or save the sheet as CSV");
	}
	return 0;
}

static int check_first_bytes(const struct csv_head *head, size_t *bom_out,
			     struct error *err)
{
	const uint8_t *b = head->bytes;
	int rc = check_kind(head, err);

	*bom_out = 0;
	if (rc)
		return rc;
	if (head->length >= 2 && ((b[0] == 0xff && b[1] == 0xfe) ||
				  (b[0] == 0xfe && b[1] == 0xff))) {
		error_set(err, ERROR_BAD_ENCODING,
			  "the file begins as UTF-16 does, expected is UTF-8");
		error_hint(err, "say --encoding utf-16");
		return error_at(err, head->file_name, 1, 0);
	}
	if (head->length >= BOM_BYTES && b[0] == 0xef && b[1] == 0xbb &&
	    b[2] == 0xbf)
		*bom_out = BOM_BYTES;
	if (head->length == *bom_out) {
		refuse(head, 0, err, "the file is empty, not even a header");
		return error_hint(err, "an upload cut short looks like this; a "
				  "batch without rows has its header");
	}
	return 0;
}

/* Behind the next LF; 0 = there is none. */
static size_t line_end(const struct csv_head *head, size_t offset)
{
	const uint8_t *lf = NULL;

	if (offset < head->length)
		lf = memchr(head->bytes + offset, '\n', head->length - offset);
	return lf ? (size_t)(lf - head->bytes) + 1 : 0;
}

static size_t skip_empty_lines(const struct csv_head *head, size_t offset,
			       uint64_t *line)
{
	for (;;) {
		size_t end = offset;

		if (end < head->length && head->bytes[end] == '\r')
			end++;
		if (end >= head->length || head->bytes[end] != '\n')
			return offset;
		offset = end + 1;
		++*line;
	}
}

/* Behind the record that starts at offset; 0 = it does not end here. */
static size_t record_end(const struct csv_head *head, size_t offset)
{
	uint8_t quote = (uint8_t)head->options->quote;
	bool inside = false;

	for (size_t i = offset; i < head->length; i++) {
		if (quote && head->bytes[i] == quote)
			inside = !inside;
		else if (head->bytes[i] == '\n' && !inside)
			return i + 1;
	}
	return 0;
}

/* The bytes first .. end - 1 of a file, which start on a line. */
struct head_record {
	size_t first;
	size_t end;
	uint64_t line;
};

/* Does the record begin as a line of JSON does? */
static bool is_object(const struct csv_chunk *chunk)
{
	size_t at = 0;

	while (at < chunk->length && (chunk->bytes[at] == ' ' ||
				      chunk->bytes[at] == '\t'))
		at++;
	return at < chunk->length && chunk->bytes[at] == '{';
}

/* The record as libcsv has it; the caller frees *out. */
static int read_record(struct csv_chunk **out, const struct csv_head *head,
		       const struct head_record *record,
		       const struct csv_file *file, struct error *err)
{
	size_t length = record->end - record->first;
	struct csv_chunk *chunk;
	int rc = csv_chunk_new(&chunk, err);

	*out = NULL;
	if (rc)
		return rc;
	csv_chunk_reset(chunk);
	chunk->file = file;
	chunk->first_line = record->line;
	rc = csv_chunk_reserve(chunk, length, err);
	if (!rc) {
		memcpy(chunk->bytes, head->bytes + record->first, length);
		chunk->length = length;
		rc = csv_reader_read(chunk, 0, false, head->options, err);
	}
	if (!rc && chunk->error.code) {
		if (err)
			*err = chunk->error;
		rc = chunk->error.code;
		if (rc == ERROR_BAD_CSV && is_object(chunk))
			error_hint(err, "if this is JSON Lines, say --format "
				   "jsonl");
	}
	if (rc)
		csv_chunk_free(chunk);
	else
		*out = chunk;
	return rc;
}

static int compare_names(const void *a, const void *b)
{
	return text_compare_nocase(*(char *const *)a, *(char *const *)b);
}

/* Which column it is, from 1; the names are told apart by where they lie. */
static size_t name_ordinal(const struct csv_header *header, const char *name)
{
	size_t i = 0;

	while (header->names[i] != name)
		i++;
	return i + 1;
}

static int refuse_duplicates(const struct csv_header *header,
			     const struct csv_head *head, uint64_t line,
			     struct error *err)
{
	size_t count = header->name_count;
	char **sorted = mem_alloc_array(count, sizeof(*sorted));
	int rc = 0;

	if (!sorted)
		return error_set(err, ERROR_NO_MEMORY, "read a header");
	memcpy(sorted, header->names, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_names);
	for (size_t i = 1; i < count && !rc; i++) {
		size_t a, b;

		if (!text_equal_nocase(sorted[i - 1], sorted[i]))
			continue;
		a = name_ordinal(header, sorted[i - 1]);
		b = name_ordinal(header, sorted[i]);
		error_set(err, ERROR_DUPLICATE_HEADER,
			  "the header has column '%s' twice: columns %zu and "
			  "%zu", header->names[(a > b ? a : b) - 1],
			  a < b ? a : b, a > b ? a : b);
		error_field(err, header->names[(a > b ? a : b) - 1]);
		rc = error_at(err, head->file_name, line, 0);
	}
	mem_free(sorted);
	return rc;
}

static int take_name(char **out, const struct csv_chunk *chunk, size_t i,
		     struct arena *arena, struct error *err)
{
	const struct csv_field *field = &chunk->fields[i];
	const char *name = chunk->text.data + field->offset;

	if (field->length && memchr(name, 0, field->length)) {
		error_set(err, ERROR_BAD_CSV,
			  "the name of column %zu has a NUL byte", i + 1);
		return error_at(err, chunk->file->name, chunk->first_line, 0);
	}
	if (!utf8_is_valid(name, field->length)) {
		error_set(err, ERROR_BAD_ENCODING,
			  "the name of column %zu is not UTF-8", i + 1);
		error_hint(err, "say which encoding the file has: "
			   "--encoding latin1, windows-1252, utf-16, ...");
		return error_at(err, chunk->file->name, chunk->first_line, 0);
	}
	*out = arena_strndup(arena, field->length ? name : "", field->length);
	return *out ? 0 : error_set(err, ERROR_NO_MEMORY, "read a header");
}

static int take_names(struct csv_header *out, const struct csv_chunk *chunk,
		      const struct csv_head *head, struct arena *arena,
		      struct error *err)
{
	size_t count = chunk->field_count;
	const struct csv_field *last = &chunk->fields[count - 1];

	if (count > 1 && !last->quoted && last->length == 0 &&
	    head->options->has_header) {
		out->trailing_field = true;
		count--;
	}
	out->name_count = count;
	out->names = arena_zalloc_array(arena, count, sizeof(*out->names));
	if (!out->names)
		return error_set(err, ERROR_NO_MEMORY, "read a header");
	for (size_t i = 0; i < count; i++) {
		int rc = 0;

		if (head->options->has_header)
			rc = take_name(&out->names[i], chunk, i, arena, err);
		else
			out->names[i] = arena_printf(arena, "column%zu", i + 1);
		if (rc)
			return rc;
		if (!out->names[i])
			return error_set(err, ERROR_NO_MEMORY,
					 "read a header");
	}
	return refuse_duplicates(out, head, chunk->first_line, err);
}

/* No header and nothing but empty lines: rows of one column. */
static int take_single_column(struct csv_header *out, struct arena *arena,
			      struct error *err)
{
	out->names = arena_zalloc_array(arena, 1, sizeof(*out->names));
	if (out->names)
		out->names[0] = arena_strdup(arena, "column1");
	if (!out->names || !out->names[0])
		return error_set(err, ERROR_NO_MEMORY, "read a header");
	out->name_count = 1;
	return 0;
}

/* Names from the record; its line moves behind it. */
static int take_record(struct csv_header *out, const struct csv_head *head,
		       struct head_record *record, struct arena *arena,
		       struct error *err)
{
	struct csv_file file = { .name = head->file_name };
	struct csv_chunk *chunk;
	int rc;

	if (record->end == 0 && !head->at_end &&
	    csv_count_byte(head->bytes + record->first,
			   head->length - record->first,
			   (uint8_t)head->options->quote) % 2 == 0)
		return refuse(head, record->line, err,
			      "the first record is too long");
	if (record->end == 0)
		record->end = head->length;
	rc = read_record(&chunk, head, record, &file, err);
	if (rc)
		return rc;
	rc = take_names(out, chunk, head, arena, err);
	record->line += csv_count_byte(chunk->bytes, chunk->length, '\n');
	csv_chunk_free(chunk);
	return rc;
}

/* start: where the data would begin if there were no header. */
static int read_first_record(struct csv_header *out,
			     const struct csv_head *head,
			     struct head_record start, struct arena *arena,
			     struct error *err)
{
	bool has_header = head->options->has_header;
	struct head_record record = start;
	int rc;

	record.first = skip_empty_lines(head, start.first, &record.line);
	record.end = record_end(head, record.first);
	if (record.end == 0 && !head->at_end &&
	    head->length <= HEADER_BYTES_LIMIT)
		return MORE_BYTES;
	if (record.first == head->length && has_header)
		return refuse(head, record.line, err,
			      "the file has no header");
	if (record.first == head->length)
		rc = take_single_column(out, arena, err);
	else
		rc = take_record(out, head, &record, arena, err);
	out->length = has_header ? record.end : start.first;
	out->lines = (has_header ? record.line : start.line) - 1;
	return rc;
}

/* 0, MORE_BYTES or an error. */
static int read_head(struct csv_header *out, const struct csv_head *head,
		     struct arena *arena, struct error *err)
{
	struct head_record start = { 0, 0, 1 };
	int rc;

	if (head->length < BOM_BYTES && !head->at_end)
		return MORE_BYTES;
	rc = check_first_bytes(head, &start.first, err);
	if (rc)
		return rc;
	for (; start.line <= head->options->skip_lines; start.line++) {
		size_t next = line_end(head, start.first);

		if (next == 0 && !head->at_end)
			return MORE_BYTES;
		if (next == 0)
			return refuse(head, start.line, err, "the file has "
				      "fewer lines than are to be skipped");
		start.first = next;
	}
	return read_first_record(out, head, start, arena, err);
}

int csv_header_read(struct csv_header *out, const struct csv_head *head,
		    struct arena *arena, bool *more_out, struct error *err)
{
	int rc;

	memset(out, 0, sizeof(*out));
	rc = read_head(out, head, arena, err);
	*more_out = rc == MORE_BYTES;
	return *more_out ? 0 : rc;
}
