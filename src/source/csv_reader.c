/*
 * csv_reader.c - records by libcsv
 *
 * Why:    libcsv is the reader of record: what is not provably plain goes
 *         through it, and what the scanner does is proved equal to it.
 * How:    libcsv tells neither whether a field was quoted nor where it was,
 *         so both are derived: without trimming and in strict mode a field's
 *         place in the bytes follows from its value. It is quoted if its
 *         first byte is the quote, and then took its length, two quotes and
 *         one more for each quote in the value. Every line end is reported,
 *         so that CR LF, a lone CR and an empty line can be told apart.
 * Cost:   about 4 ns per byte; the values are copied.
 * Limits: without a quote character libcsv gets one that starts no field; if
 *         fields start with all 256 bytes the input is refused.
 */
#include "source/csv_reader.h"
#include "source/csv_scan.h"

#include <assert.h>
#include <csv.h>

/* libcsv cannot be stopped from a callback: it is fed in pieces. */
#define PIECE_BYTES ((size_t)64 << 10)
#define VALUE_GROWTH_BYTES ((size_t)16 << 10)

struct reader {
	struct csv_chunk *chunk;
	const struct csv_options *options;
	bool sets_aside;	/* wrong records, and goes on */
	int parser_quote;	/* what libcsv is told; -1 = not known yet */
	struct csv_place place;	/* of the last record set aside */
	size_t expected;	/* fields of a record, 0 = first record only */
	bool trailing_field;
	uint8_t quote;
	bool has_quote;
	size_t position;	/* where the next field or line end is */
	size_t row_start;
	size_t row_fields;	/* fields of the record so far */
	bool pending_lf;	/* a CR ended a line, LF is next */
	bool stopped;		/* chunk->error is set, or first record read */
	bool no_memory;
};

static int not_space(unsigned char c)
{
	return 0;
}

static void *grow_value(void *old, size_t byte_count)
{
	return mem_realloc_array(old, byte_count, 1);
}

static void refuse(struct reader *reader, enum error_code code, size_t offset,
		   const char *what)
{
	struct csv_chunk *chunk = reader->chunk;
	struct csv_place *place = &reader->place;

	if (offset > chunk->length)
		offset = chunk->length;
	error_set(&chunk->error, code, "%s", what);
	/* from a place before: there may be many wrong records */
	place->line += csv_count_byte(chunk->bytes + place->offset,
				      offset - place->offset, '\n');
	place->offset = offset;
	error_at(&chunk->error, chunk->file->name, place->line, 0);
	reader->stopped = true;
}

static void refuse_lone_cr(struct reader *reader, size_t offset)
{
	refuse(reader, ERROR_BAD_CSV, offset,
	       "a carriage return outside quotes without a line feed");
	error_hint(&reader->chunk->error, "end lines with LF or CR LF, or put "
		   "the field in quotes");
}

static void out_of_memory(struct reader *reader)
{
	reader->no_memory = true;
	reader->stopped = true;
}

static bool add_field(struct reader *reader, const void *data, size_t length,
		      bool quoted)
{
	struct csv_chunk *chunk = reader->chunk;
	struct csv_field *field;

	if (!mem_grow((void **)&chunk->fields, &chunk->field_capacity,
		      chunk->field_count, sizeof(*chunk->fields)) ||
	    !text_add(&chunk->text, data, length)) {
		out_of_memory(reader);
		return false;
	}
	field = &chunk->fields[chunk->field_count++];
	field->offset = (uint32_t)(chunk->text.length - length);
	field->length = (uint32_t)length;
	field->quoted = quoted;
	reader->row_fields++;
	return true;
}

static void on_field(void *data, size_t length, void *context)
{
	struct reader *reader = context;
	struct csv_chunk *chunk = reader->chunk;
	size_t raw_length = length;
	bool quoted;

	if (reader->stopped)
		return;
	quoted = reader->has_quote && reader->position < chunk->length &&
		 chunk->bytes[reader->position] == reader->quote;
	if (quoted)
		raw_length += 2 + csv_count_byte(data, length, reader->quote);
	if (add_field(reader, data ? data : "", length, quoted))
		reader->position += raw_length + 1;
}

static void refuse_ragged(struct reader *reader, size_t found)
{
	size_t expected = reader->expected;

	if (reader->trailing_field && found == expected)
		expected--;	/* a value where all others end */
	refuse(reader, ERROR_RAGGED_ROW, reader->row_start, "");
	snprintf(reader->chunk->error.text,
		 sizeof(reader->chunk->error.text),
		 "the row has %zu field%s, expected are %zu", found,
		 found == 1 ? "" : "s", expected);
}

/* The record is complete; false if it is refused. */
static bool end_record(struct reader *reader)
{
	struct csv_chunk *chunk = reader->chunk;
	const struct csv_field *last = &chunk->fields[chunk->field_count - 1];

	if (reader->expected == 0) {
		reader->stopped = true;
		return true;
	}
	if (reader->row_fields != reader->expected ||
	    (reader->trailing_field && (last->quoted || last->length))) {
		refuse_ragged(reader, reader->row_fields);
		return false;
	}
	if (csv_chunk_reserve_rows(chunk, chunk->row_count + 1, NULL)) {
		out_of_memory(reader);
		return false;
	}
	chunk->row_starts[chunk->row_count++] = (uint32_t)reader->row_start;
	return true;
}

/* end: CR, LF, or -1 for the end of the input. */
static void on_line_end(int end, void *context)
{
	struct reader *reader = context;
	const struct csv_chunk *chunk = reader->chunk;
	bool is_row = reader->row_fields > 0;

	if (reader->stopped)
		return;
	if (!is_row)
		reader->position++;
	if (reader->pending_lf) {
		reader->pending_lf = false;
		reader->row_start = reader->position;
		return;
	}
	if (end == '\r' && (reader->position >= chunk->length ||
			    chunk->bytes[reader->position] != '\n')) {
		refuse_lone_cr(reader, reader->position - 1);
		return;
	}
	if (!is_row && reader->expected == 1)
		is_row = add_field(reader, "", 0, false);
	if (is_row && !end_record(reader))
		return;
	reader->row_fields = 0;
	reader->row_start = reader->position;
	reader->pending_lf = end == '\r';
}

/* A byte that no field starts with, for inputs without quotes; -1 = none. */
static int unused_quote(const struct csv_chunk *chunk, uint8_t delimiter)
{
	bool used[256] = { false };
	uint8_t before = '\n';

	used[delimiter] = used['\n'] = used['\r'] = true;
	for (size_t i = 0; i < chunk->length; i++) {
		if (before == delimiter || before == '\n' || before == '\r')
			used[chunk->bytes[i]] = true;
		before = chunk->bytes[i];
	}
	for (int i = 0; i < 256; i++)
		if (!used[i])
			return i;
	return -1;
}

static int start_parser(struct csv_parser *parser, struct reader *reader)
{
	const struct csv_options *options = reader->options;
	unsigned char flags = CSV_REPALL_NL | CSV_EMPTY_IS_NULL;

	if (reader->has_quote)
		flags |= CSV_STRICT | CSV_STRICT_FINI;
	if (reader->parser_quote < 0)
		reader->parser_quote = reader->has_quote
			? reader->quote
			: unused_quote(reader->chunk,
				       (uint8_t)options->delimiter);
	csv_init(parser, flags);
	if (reader->parser_quote < 0)
		return -1;
	csv_set_quote(parser, (unsigned char)reader->parser_quote);
	csv_set_delim(parser, (unsigned char)options->delimiter);
	csv_set_space_func(parser, not_space);
	csv_set_realloc_func(parser, grow_value);
	csv_set_free_func(parser, mem_free);
	csv_set_blk_size(parser, VALUE_GROWTH_BYTES);
	return 0;
}

/* libcsv stopped at an offset. */
static void refuse_at(struct reader *reader, int csv_status, size_t offset)
{
	const struct csv_chunk *chunk = reader->chunk;

	if (csv_status != CSV_EPARSE) {
		out_of_memory(reader);
		return;
	}
	if (chunk->bytes[reader->position] == reader->quote)
		refuse(reader, ERROR_BAD_CSV, offset,
		       "text after the closing quote of a field");
	else
		refuse(reader, ERROR_BAD_CSV, offset,
		       "a quote inside a field that is not quoted");
	error_prefix(&reader->chunk->error, "field %zu",
		     reader->row_fields + 1);
	error_hint(&reader->chunk->error, "put the field in quotes and double "
		   "the quotes in it");
}

/* From an offset on, until something is wrong. */
static void parse_from(struct csv_parser *parser, struct reader *reader,
		       size_t done)
{
	const struct csv_chunk *chunk = reader->chunk;

	while (done < chunk->length && !reader->stopped) {
		size_t piece = chunk->length - done;
		size_t got;

		if (piece > PIECE_BYTES)
			piece = PIECE_BYTES;
		got = csv_parse(parser, chunk->bytes + done, piece, on_field,
				on_line_end, reader);
		done += got;
		if (got < piece && !reader->stopped)
			refuse_at(reader, csv_error(parser), done);
	}
	if (!reader->stopped &&
	    csv_fini(parser, on_field, on_line_end, reader) != 0 &&
	    !reader->stopped)
		refuse(reader, ERROR_BAD_CSV, reader->position,
		       "the quote that opens here is never closed");
	assert(reader->stopped || reader->position == chunk->length ||
	       reader->position == chunk->length + 1);
}

/*
 * Put the wrong record aside and begin behind it. The reader has stopped for
 * chunk->error; *next is where it goes on.
 */
static int set_aside(struct reader *reader, size_t *next, struct error *err)
{
	struct csv_chunk *chunk = reader->chunk;
	size_t start = reader->row_start, end;
	struct csv_bad_record *bad;
	int rc;

	end = csv_record_end(byte_view(chunk->bytes, chunk->length), start,
			     reader->options);
	if (!end)
		end = chunk->length;
	if (!mem_grow((void **)&chunk->bad, &chunk->bad_capacity,
		      chunk->bad_count, sizeof(*chunk->bad)))
		return error_set(err, ERROR_NO_MEMORY, "rejects");
	rc = csv_chunk_pack_reject(chunk, start, reader->options,
				   &chunk->error, &chunk->bad_text, err);
	if (rc)
		return rc;
	bad = &chunk->bad[chunk->bad_count++];
	bad->row = chunk->row_count;
	bad->end = chunk->bad_text.length;
	chunk->error.code = ERROR_NONE;
	chunk->field_count = chunk->row_count * reader->expected;
	reader->position = reader->row_start = end;
	reader->row_fields = 0;
	reader->pending_lf = false;
	reader->stopped = false;
	*next = end;
	return 0;
}

static int parse_all(struct reader *reader, struct error *err)
{
	struct csv_parser parser;
	size_t from = 0;
	int rc = 0;

	for (;;) {
		if (start_parser(&parser, reader))
			refuse(reader, ERROR_BAD_CSV, from,
			       "fields start with every byte there is");
		else
			parse_from(&parser, reader, from);
		csv_free(&parser);
		if (reader->no_memory)
			rc = error_set(err, ERROR_NO_MEMORY,
				       "read records of '%s'",
				       reader->chunk->file->name);
		if (rc || !reader->sets_aside || !reader->chunk->error.code ||
		    reader->parser_quote < 0)
			return rc;
		rc = set_aside(reader, &from, err);
		if (rc || from >= reader->chunk->length)
			return rc;
	}
}

int csv_reader_read(struct csv_chunk *chunk, size_t field_count,
		    bool trailing_field, const struct csv_options *options,
		    struct error *err)
{
	struct reader reader = {
		.chunk = chunk,
		.options = options,
		.sets_aside = options->rejects && field_count,
		.parser_quote = -1,
		.place = { 0, chunk->first_line },
		.expected = field_count,
		.trailing_field = trailing_field,
		.quote = (uint8_t)options->quote,
		.has_quote = options->quote != 0,
	};
	int rc;

	chunk->plain = false;
	chunk->row_count = 0;
	chunk->field_count = 0;
	chunk->error.code = ERROR_NONE;
	chunk->bad_count = 0;
	text_reset(&chunk->text);
	text_reset(&chunk->bad_text);
	rc = parse_all(&reader, err);
	if (rc)
		return rc;
	/* converters load whole words behind a value */
	if (!text_reserve(&chunk->text, CSV_PADDING_BYTES))
		return error_set(err, ERROR_NO_MEMORY, "read records of '%s'",
				 chunk->file->name);
	return 0;
}
