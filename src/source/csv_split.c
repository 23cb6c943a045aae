/*
 * csv_split.c - inputs cut into chunks of whole records
 *
 * Why:    several threads share an input; a line break may be inside quotes,
 *         so the place of a cut cannot be guessed from the bytes around it.
 * How:    a chunk starts where the one before ended, at a true boundary.
 *         While its bytes arrive the quotes are counted; the parity at the
 *         end, walked back byte by byte, finds the last LF outside quotes.
 *         What is behind it starts the next chunk. A stray quote turns the
 *         parity over, but it is in the chunk that it spoils, or in a later
 *         one, and the reader refuses it there: no cut behind it is used.
 * Cost:   one pass over bytes that were just read, about 0.1 ns per byte.
 * Limits: a record has at most CSV_RECORD_BYTES_LIMIT bytes.
 */
#include "source/csv_split.h"
#include "source/byte_input.h"
#include "source/csv_header.h"
#include "source/csv_scan.h"
#include "source/json_rows.h"

#include <assert.h>
#include <inttypes.h>

/* Read and looked at while in the cache. */
#define PIECE_BYTES ((size_t)256 << 10)
#define HEAD_BYTES ((size_t)64 << 10)

struct csv_splitter {
	char *const *paths;
	size_t path_count;
	size_t next_path;
	const struct csv_options *options;
	const bool *wanted;		/* NULL = not said yet */
	struct arena arena;		/* names, files, their columns */
	char **names;			/* of the first file */
	size_t column_count;
	struct byte_input *input;	/* NULL = open the next */
	struct csv_file *file;
	struct text carry;		/* read, but in no chunk yet, */
	size_t carry_used;		/* from here on */
	bool at_end;			/* of the bytes of the input */
	uint64_t line;			/* of the first byte of carry */
	uint64_t taken;			/* by the inputs before */
	bool failed;
};

static size_t carry_left(const struct csv_splitter *splitter)
{
	return splitter->carry.length - splitter->carry_used;
}

/* More of the input behind carry. */
static int read_head(struct csv_splitter *splitter, struct error *err)
{
	struct text *carry = &splitter->carry;
	size_t want = carry->length > HEAD_BYTES ? carry->length : HEAD_BYTES;
	size_t got;
	int rc;

	if (!text_reserve(carry, want))
		return error_set(err, ERROR_NO_MEMORY, "read a header");
	rc = byte_input_read(splitter->input, carry->data + carry->length,
			     want, &got, err);
	if (rc)
		return rc;
	carry->length += got;
	splitter->at_end = got < want;
	return 0;
}

static size_t find_name(const struct csv_header *header, const char *name,
			size_t expected_at)
{
	if (expected_at < header->name_count &&
	    text_equal_nocase(header->names[expected_at], name))
		return expected_at;
	for (size_t i = 0; i < header->name_count; i++)
		if (text_equal_nocase(header->names[i], name))
			return i;
	return CSV_NO_FIELD;
}

/* Every column of a file must be one of the input's. */
static int check_all_known(const struct csv_splitter *splitter,
			   const struct csv_header *header, struct error *err)
{
	const struct csv_header known = {
		.names = splitter->names,
		.name_count = splitter->column_count,
	};

	for (size_t i = 0; i < header->name_count; i++) {
		const char *name = header->names[i];

		if (find_name(&known, name, i) != CSV_NO_FIELD)
			continue;
		error_set(err, ERROR_UNKNOWN_COLUMN, "the file has a column "
			  "'%s' that '%s' lacks", name, splitter->paths[0]);
		error_hint(err, "put a file that has all columns first, or "
			   "load the files one by one");
		error_field(err, name);
		return error_at(err, splitter->file->name, 1, 0);
	}
	return 0;
}

static int match_columns(struct csv_splitter *splitter,
			 const struct csv_header *header, struct error *err)
{
	bool has_header = splitter->options->has_header &&
			  !splitter->options->is_jsonl;
	size_t *fields = arena_zalloc_array(&splitter->arena,
					    splitter->column_count,
					    sizeof(*fields));

	if (!fields)
		return error_set(err, ERROR_NO_MEMORY, "match columns");
	/* header is not looked at for JSON Lines */
	for (size_t i = 0; i < splitter->column_count; i++) {
		const char *name = splitter->names[i];

		fields[i] = has_header ? find_name(header, name, i) : i;
		if (fields[i] != CSV_NO_FIELD ||
		    (splitter->wanted && !splitter->wanted[i]))
			continue;
		error_set(err, ERROR_UNKNOWN_COLUMN,
			  "the file has no column '%s'", name);
		error_hint(err, "each file of a batch needs the columns that "
			   "the statement uses");
		error_field(err, name);
		return error_at(err, splitter->file->name, 1, 0);
	}
	splitter->file->fields = fields;
	return has_header && splitter->options->all_columns
		? check_all_known(splitter, header, err) : 0;
}

static int open_decoded(const struct csv_splitter *splitter,
			const char *path, struct byte_input **out,
			struct error *err)
{
	const char *encoding = splitter->options->encoding;
	int rc = byte_input_open(out, path, err);

	if (!rc && encoding)
		rc = byte_input_decode(*out, encoding, err);
	if (rc) {
		byte_input_free(*out);
		*out = NULL;
	}
	return rc;
}

/* The names at the start of a later file of JSON Lines. */
static int sample_file(struct csv_splitter *splitter, const char *path,
		       struct csv_header *names, struct error *err)
{
	struct csv_head head = { .file_name = path, .is_sample = true,
				 .options = splitter->options };
	struct byte_input *input;
	struct csv_header more = { 0 };
	struct text bytes = TEXT_INIT;
	bool unused;
	int rc = open_decoded(splitter, path, &input, err);

	if (!rc && !text_reserve(&bytes, JSON_LATER_BYTES))
		rc = error_set(err, ERROR_NO_MEMORY, "read a header");
	if (!rc)
		rc = byte_input_read(input, bytes.data, JSON_LATER_BYTES,
				     &head.length, err);
	head.bytes = (const uint8_t *)bytes.data;
	head.at_end = head.length < JSON_LATER_BYTES;
	if (!rc)
		rc = json_names_read(&more, &head, &splitter->arena, &unused,
				     err);
	if (!rc)
		rc = json_names_join(names, &more, &splitter->arena, err);
	text_release(&bytes);
	byte_input_free(input);
	return rc;
}

static int sample_files(struct csv_splitter *splitter,
			struct csv_header *names, struct error *err)
{
	int rc = 0;

	for (size_t i = 1; i < splitter->path_count && !rc; i++)
		if (byte_input_is_file(splitter->paths[i]))
			rc = sample_file(splitter, splitter->paths[i], names,
					 err);
	return rc;
}

static int read_header(struct csv_splitter *splitter, struct error *err)
{
	struct csv_file *file = splitter->file;
	struct text *carry = &splitter->carry;
	struct csv_header header;
	bool more;
	int rc;

	do {
		struct csv_head head = { 0 };

		rc = read_head(splitter, err);
		if (rc)
			return rc;
		head.file_name = file->name;
		head.bytes = (const uint8_t *)carry->data;
		head.length = carry->length;
		head.at_end = splitter->at_end;
		head.options = splitter->options;
		rc = (splitter->options->is_jsonl ? json_names_read
						  : csv_header_read)(
			&header, &head, &splitter->arena, &more, err);
		/* of JSON Lines what is wrong is a record */
		if (rc && err && err->line && splitter->options->is_jsonl)
			csv_hint_rejects(splitter->options, err);
		if (rc)
			return rc;
	} while (more);
	if (!splitter->names && splitter->options->is_jsonl) {
		rc = sample_files(splitter, &header, err);
		if (rc)
			return rc;
	}
	if (!splitter->names) {
		splitter->names = header.names;
		splitter->column_count = header.name_count;
	}
	file->trailing_field = header.trailing_field;
	file->field_count = header.name_count + header.trailing_field;
	if (!splitter->options->has_header)
		file->field_count = splitter->column_count;
	splitter->carry_used = header.length;
	splitter->line = header.lines + 1;
	return match_columns(splitter, &header, err);
}

/* What is before the first record goes before those that are set aside. */
static int keep_head(struct csv_splitter *splitter, struct error *err)
{
	struct csv_file *file = splitter->file;
	const char *encoding = byte_input_encoding(splitter->input);
	size_t length = splitter->carry_used;
	const char *head = arena_copy(&splitter->arena, splitter->carry.data,
				      length);

	if (encoding)
		file->encoding = arena_strdup(&splitter->arena, encoding);
	if (!head || (encoding && !file->encoding))
		return error_set(err, ERROR_NO_MEMORY, "read a header");
	file->head = byte_view(head, length);
	return 0;
}

static int open_next(struct csv_splitter *splitter, struct error *err)
{
	const char *path = splitter->paths[splitter->next_path];
	struct csv_file *file;
	int rc;

	file = arena_zalloc(&splitter->arena, sizeof(*file));
	if (!file)
		return error_set(err, ERROR_NO_MEMORY, "open '%s'", path);
	file->name = strcmp(path, "-") == 0 ? "standard input" : path;
	splitter->file = file;
	text_reset(&splitter->carry);
	splitter->carry_used = 0;
	rc = open_decoded(splitter, path, &splitter->input, err);
	if (rc)
		return rc;
	splitter->next_path++;
	splitter->at_end = false;
	rc = read_header(splitter, err);
	return rc || !splitter->options->rejects ? rc
						 : keep_head(splitter, err);
}

static void close_input(struct csv_splitter *splitter)
{
	if (splitter->input)
		splitter->taken += byte_input_taken(splitter->input);
	byte_input_free(splitter->input);
	splitter->input = NULL;
}

int csv_splitter_new(struct csv_splitter **out, char *const *paths,
		     size_t path_count, const struct csv_options *options,
		     struct error *err)
{
	struct csv_splitter *splitter = mem_zalloc(sizeof(*splitter));
	int rc;

	*out = NULL;
	if (!splitter)
		return error_set(err, ERROR_NO_MEMORY, "open '%s'", paths[0]);
	splitter->paths = paths;
	splitter->path_count = path_count;
	splitter->options = options;
	arena_init(&splitter->arena, 0);
	rc = open_next(splitter, err);
	if (rc) {
		csv_splitter_free(splitter);
		return rc;
	}
	*out = splitter;
	return 0;
}

void csv_splitter_free(struct csv_splitter *splitter)
{
	if (!splitter)
		return;
	byte_input_free(splitter->input);
	text_release(&splitter->carry);
	arena_release(&splitter->arena);
	mem_free(splitter);
}

size_t csv_splitter_column_count(const struct csv_splitter *splitter)
{
	return splitter->column_count;
}

const char *csv_splitter_column_name(const struct csv_splitter *splitter,
				     size_t i)
{
	return splitter->names[i];
}

int csv_splitter_set_names(struct csv_splitter *splitter,
			   const char *const *names, struct error *err)
{
	for (size_t i = 0; i < splitter->column_count; i++) {
		char *name = arena_strdup(&splitter->arena, names[i]);

		if (!name)
			return error_set(err, ERROR_NO_MEMORY,
					 "names of columns");
		splitter->names[i] = name;
	}
	return 0;
}

int csv_splitter_add_columns(struct csv_splitter *splitter,
			     const struct schema *all, struct error *err)
{
	size_t count = all->column_count;
	char **names = arena_zalloc_array(&splitter->arena, count,
					  sizeof(*names));
	bool ok = names != NULL;

	assert(splitter->options->is_jsonl);
	for (size_t i = 0; i < count && ok; i++) {
		names[i] = i < splitter->column_count
			? splitter->names[i]
			: arena_strdup(&splitter->arena, all->columns[i].name);
		ok = names[i] != NULL;
	}
	if (!ok)
		return error_set(err, ERROR_NO_MEMORY, "names of columns");
	splitter->names = names;
	splitter->column_count = count;
	return match_columns(splitter, NULL, err);
}

const struct csv_file *csv_splitter_file(const struct csv_splitter *splitter)
{
	return splitter->file;
}

void csv_splitter_want(struct csv_splitter *splitter, const bool *wanted)
{
	splitter->wanted = wanted;
}

bool csv_splitter_at_end(const struct csv_splitter *splitter)
{
	return splitter->failed ||
	       (splitter->next_path == splitter->path_count &&
		(!splitter->input ||
		 (splitter->at_end && carry_left(splitter) == 0)));
}

uint64_t csv_splitter_taken(const struct csv_splitter *splitter)
{
	return splitter->taken + (splitter->input
				  ? byte_input_taken(splitter->input) : 0);
}

/*
 * Is there a quote that no reader takes, or text behind a closing quote? Asked
 * before more memory is spent on a record that does not end.
 */
static bool is_broken(const struct csv_chunk *chunk,
		      const struct csv_options *options)
{
	enum { START, BARE, QUOTED, CLOSED } state = START;
	uint8_t quote = (uint8_t)options->quote;

	for (size_t i = 0; i < chunk->length && quote; i++) {
		uint8_t c = chunk->bytes[i];
		bool is_end = c == (uint8_t)options->delimiter || c == '\n';

		if (state == QUOTED)
			state = c == quote ? CLOSED : QUOTED;
		else if (is_end)
			state = START;
		else if (c == quote && state == BARE)
			return true;
		else if (c == quote)
			state = QUOTED;
		else if (state == CLOSED && c != '\r')
			return true;
		else
			state = BARE;
	}
	return false;
}

/* Behind the last LF outside quotes; 0 = none. */
static size_t last_record_end(const struct csv_chunk *chunk, uint8_t quote,
			      uint64_t quotes)
{
	bool inside = quote && (quotes & 1);

	for (size_t i = chunk->length; i > 0; i--) {
		uint8_t c = chunk->bytes[i - 1];

		if (c == '\n' && !inside)
			return i;
		if (quote && c == quote)
			inside = !inside;
	}
	return 0;
}

/*
 * With rejects: behind the last record that surely ends in the chunk, for a
 * stray quote may be before it; 0 = none does.
 */
static size_t last_sure_end(const struct csv_chunk *chunk,
			    const struct csv_options *options)
{
	struct byte_view bytes = byte_view(chunk->bytes, chunk->length);
	size_t end = 0, next;

	while ((next = csv_record_end(bytes, end, options)) != 0)
		end = next;
	return end;
}

/* Bytes of carry, then of the input; fewer than want only if either ends. */
static int take_bytes(struct csv_splitter *splitter, uint8_t *at, size_t want,
		      size_t *got, struct error *err)
{
	size_t left = carry_left(splitter);
	int rc;

	if (left) {
		*got = left < want ? left : want;
		memcpy(at, splitter->carry.data + splitter->carry_used, *got);
		splitter->carry_used += *got;
		return 0;
	}
	rc = byte_input_read(splitter->input, at, want, got, err);
	if (!rc)
		splitter->at_end = *got < want;
	return rc;
}

static bool is_exhausted(const struct csv_splitter *splitter)
{
	return splitter->at_end && carry_left(splitter) == 0;
}

/* What was counted in the bytes of a chunk. */
struct tally {
	uint64_t quotes;
	uint64_t line_ends;
};

/* Read until the chunk has target bytes. */
static int fill(struct csv_splitter *splitter, struct csv_chunk *chunk,
		size_t target, struct tally *tally, struct error *err)
{
	uint8_t quote = (uint8_t)splitter->options->quote;

	while (chunk->length < target && !is_exhausted(splitter)) {
		size_t want = target - chunk->length;
		uint8_t *at = chunk->bytes + chunk->length;
		size_t got;
		int rc;

		if (want > PIECE_BYTES)
			want = PIECE_BYTES;
		rc = take_bytes(splitter, at, want, &got, err);
		if (rc)
			return rc;
		chunk->length += got;
		if (quote)
			tally->quotes += csv_count_byte(at, got, quote);
		tally->line_ends += csv_count_byte(at, got, '\n');
	}
	return 0;
}

/* The chunk ends at cut; the rest is carried on. */
static int cut_at(struct csv_splitter *splitter, struct csv_chunk *chunk,
		  size_t cut, uint64_t line_ends, struct error *err)
{
	size_t rest = chunk->length - cut;

	splitter->line += line_ends -
		csv_count_byte(chunk->bytes + cut, rest, '\n');
	chunk->length = cut;
	if (carry_left(splitter)) {
		/* the whole chunk came from carry */
		splitter->carry_used -= rest;
		return 0;
	}
	text_reset(&splitter->carry);
	splitter->carry_used = 0;
	if (!text_add(&splitter->carry, chunk->bytes + cut, rest))
		return error_set(err, ERROR_NO_MEMORY, "cut '%s'",
				 splitter->file->name);
	return 0;
}

static int refuse_long_record(const struct csv_splitter *splitter,
			      struct error *err)
{
	error_set(err, ERROR_BAD_CSV, "the record that starts here has more "
		  "than %zu bytes", CSV_RECORD_BYTES_LIMIT);
	return error_at(err, splitter->file->name, splitter->line, 0);
}

static int fill_chunk(struct csv_splitter *splitter, struct csv_chunk *chunk,
		      struct error *err)
{
	const struct csv_options *options = splitter->options;
	uint8_t quote = (uint8_t)options->quote;
	struct tally tally = { 0, 0 };
	size_t target = options->chunk_bytes;
	size_t cut;
	int rc;

	chunk->first_line = splitter->line;
	rc = csv_chunk_reserve(chunk, target, err);
	if (rc)
		return rc;
	for (;;) {
		rc = fill(splitter, chunk, target, &tally, err);
		if (rc)
			return rc;
		if (is_exhausted(splitter))
			break;
		cut = options->rejects && tally.quotes
			? last_sure_end(chunk, options)
			: last_record_end(chunk, quote, tally.quotes);
		if (cut)
			return cut_at(splitter, chunk, cut, tally.line_ends,
				      err);
		if (!options->rejects && is_broken(chunk, options))
			break;
		if (target >= CSV_RECORD_BYTES_LIMIT && quote &&
		    (tally.quotes & 1) && !options->rejects)
			break;
		if (target >= CSV_RECORD_BYTES_LIMIT)
			return refuse_long_record(splitter, err);
		target *= 2;
		rc = csv_chunk_reserve(chunk, target, err);
		if (rc)
			return rc;
	}
	/* the end, or the reader will refuse what is there */
	return cut_at(splitter, chunk, chunk->length, tally.line_ends, err);
}

static int next_chunk(struct csv_splitter *splitter, struct csv_chunk *chunk,
		      bool *more_out, struct error *err)
{
	for (;;) {
		int rc;

		if (!splitter->input) {
			if (splitter->next_path == splitter->path_count)
				return 0;
			rc = open_next(splitter, err);
			if (rc)
				return rc;
		}
		chunk->length = 0;
		chunk->file = splitter->file;
		rc = fill_chunk(splitter, chunk, err);
		if (rc)
			return rc;
		if (chunk->length > 0) {
			*more_out = true;
			return 0;
		}
		close_input(splitter);
	}
}

int csv_splitter_next(struct csv_splitter *splitter, struct csv_chunk *chunk,
		      bool *more_out, struct error *err)
{
	int rc;

	*more_out = false;
	if (splitter->failed)
		return 0;
	rc = next_chunk(splitter, chunk, more_out, err);
	if (rc) {
		splitter->failed = true;
		chunk->file = splitter->file;
		chunk->length = 0;
		chunk->first_line = splitter->line;
	}
	return rc;
}
