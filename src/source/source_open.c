/*
 * source_open.c - an input whose header is read and whose types are not said
 *
 * Why:    the statement needs the names of the columns to be bound; the types
 *         come from the table that it writes.
 * How:    the first file is opened and its header read; the later ones are
 *         opened when their turn comes.
 */
#include "source/csv_source.h"
#include "source/byte_input.h"
#include "codec/codec.h"

void csv_options_init(struct csv_options *options)
{
	memset(options, 0, sizeof(*options));
	options->delimiter = ',';
	options->quote = '"';
	options->has_header = true;
	options->decimal_mark = '.';
}

void csv_hint_rejects(const struct csv_options *options, struct error *err)
{
	char hint[ERROR_HINT_BYTES];

	if (!err || !options->hints_rejects || options->rejects ||
	    (err->code != ERROR_CAST && err->code != ERROR_RAGGED_ROW &&
	     err->code != ERROR_BAD_CSV && err->code != ERROR_BAD_ENCODING))
		return;
	memcpy(hint, err->hint, sizeof(hint));
	error_hint(err, "%s%s--rejects FILE sets rows aside that cannot be "
		   "read", hint, hint[0] ? "; " : "");
}

/* The marks in numbers. */
static int check_marks(const struct csv_options *options, struct error *err)
{
	char decimal = options->decimal_mark;
	const char *thousands = options->thousands_mark;
	int rc = 0;

	if (strchr("0123456789+-eE\n\r\"", decimal) || (decimal & 0x80))
		return error_set(err, ERROR_USAGE, "the decimal mark must be "
				 "one ASCII character that is no part of a "
				 "number");
	if (thousands && (!*thousands ||
			  !utf8_is_valid(thousands, strlen(thousands)) ||
			  utf8_length(thousands, strlen(thousands)) != 1 ||
			  strchr("0123456789+-eE\n\r\"", *thousands)))
		return error_set(err, ERROR_USAGE, "the mark between "
				 "thousands must be one character that is no "
				 "part of a number");
	if (thousands && *thousands == decimal)
		return error_set(err, ERROR_USAGE, "the decimal mark and that "
				 "between thousands must differ, both are "
				 "'%c'", decimal);
	if (options->date_format)
		rc = csv_time_format_check(options->date_format, false, err);
	if (!rc && options->timestamp_format)
		rc = csv_time_format_check(options->timestamp_format, true,
					   err);
	return rc;
}

static int check_options(const struct csv_options *options, struct error *err)
{
	unsigned char delimiter = (unsigned char)options->delimiter;
	unsigned char quote = (unsigned char)options->quote;

	if (delimiter == 0 || delimiter == '\n' || delimiter == '\r' ||
	    delimiter >= 0x80)
		return error_set(err, ERROR_USAGE, "the delimiter must be one "
				 "ASCII character and no line end");
	if (quote == '\n' || quote == '\r' || quote >= 0x80)
		return error_set(err, ERROR_USAGE, "the quote must be one "
				 "ASCII character and no line end");
	if (quote == delimiter)
		return error_set(err, ERROR_USAGE, "the delimiter and the "
				 "quote must differ, both are '%c'", quote);
	return check_marks(options, err);
}

/* The sum of the sizes, if all are known. */
static uint64_t total_bytes(char *const *paths, size_t path_count)
{
	uint64_t total = 0;

	for (size_t i = 0; i < path_count; i++) {
		uint64_t size = byte_input_size(paths[i]);

		if (size == 0)
			return 0;
		total += size;
	}
	return total;
}

static bool copy_text(struct arena *arena, const char **text)
{
	if (*text)
		*text = arena_strdup(arena, *text);
	return *text != NULL;
}

static int copy_texts(struct csv_input *input)
{
	struct csv_options *options = &input->options;
	const char **const texts[] = {
		&options->encoding, &options->thousands_mark,
		&options->date_format, &options->timestamp_format,
	};

	for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
		if (*texts[i] && !copy_text(&input->arena, texts[i]))
			return ERROR_NO_MEMORY;
	for (size_t i = 0; i < options->null_text_count; i++)
		if (!copy_text(&input->arena, &options->null_texts[i]))
			return ERROR_NO_MEMORY;
	return 0;
}

static int copy_arguments(struct csv_input *input, const char *const *paths,
			  size_t path_count, const struct csv_options *options,
			  struct error *err)
{
	input->options = *options;
	if (options->is_jsonl)
		input->options.quote = 0;	/* a line is a record */
	input->path_count = path_count;
	if (input->options.chunk_bytes == 0)
		input->options.chunk_bytes = CSV_DEFAULT_CHUNK_BYTES;
	if (input->options.chunk_bytes > CSV_RECORD_BYTES_LIMIT)
		input->options.chunk_bytes = CSV_RECORD_BYTES_LIMIT;
	if (copy_texts(input))
		return error_set(err, ERROR_NO_MEMORY, "open inputs");
	input->paths = arena_zalloc_array(&input->arena, path_count,
					  sizeof(*input->paths));
	for (size_t i = 0; input->paths && i < path_count; i++) {
		input->paths[i] = arena_strdup(&input->arena, paths[i]);
		if (!input->paths[i])
			return error_set(err, ERROR_NO_MEMORY, "open inputs");
	}
	return input->paths ? 0 : error_set(err, ERROR_NO_MEMORY,
					    "open inputs");
}

int csv_input_open(struct csv_input **out, const char *const *paths,
		   size_t path_count, const struct csv_options *options,
		   struct error *err)
{
	struct csv_input *input;
	int rc;

	*out = NULL;
	if (path_count == 0)
		return error_set(err, ERROR_USAGE, "no input is named");
	rc = options->is_jsonl ? 0 : check_options(options, err);
	if (rc)
		return rc;
	input = mem_zalloc(sizeof(*input));
	if (!input)
		return error_set(err, ERROR_NO_MEMORY, "open '%s'", paths[0]);
	arena_init(&input->arena, 0);
	rc = copy_arguments(input, paths, path_count, options, err);
	if (!rc)
		rc = csv_splitter_new(&input->splitter, input->paths,
				      path_count, &input->options, err);
	if (rc) {
		csv_input_free(input);
		return rc;
	}
	input->byte_count = total_bytes(input->paths, path_count);
	*out = input;
	return 0;
}

void csv_input_free(struct csv_input *input)
{
	if (!input)
		return;
	csv_splitter_free(input->splitter);
	arena_release(&input->arena);
	mem_free(input);
}

size_t csv_input_column_count(const struct csv_input *input)
{
	return csv_splitter_column_count(input->splitter);
}

const char *csv_input_column_name(const struct csv_input *input, size_t i)
{
	return csv_splitter_column_name(input->splitter, i);
}

int csv_input_set_names(struct csv_input *input, const char *const *names,
			struct error *err)
{
	return csv_splitter_set_names(input->splitter, names, err);
}

int csv_input_add_columns(struct csv_input *input, const struct schema *all,
			  struct error *err)
{
	return csv_splitter_add_columns(input->splitter, all, err);
}

uint64_t csv_input_bytes(const struct csv_input *input)
{
	return input->byte_count;
}
