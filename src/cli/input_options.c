/*
 * input_options.c - how an input is read
 *
 * Why:    the options of a command and the arguments of read_csv() are the
 *         same things and must not differ in what they take.
 * How:    one table by name.
 */
#include "cli/input_options.h"
#include <strings.h>

void input_options_init(struct input_options *options)
{
	memset(options, 0, sizeof(*options));
	csv_options_init(&options->csv);
}

static int refuse(const char *name, const char *value, const char *what,
		  enum error_code code, struct error *err)
{
	if (code == ERROR_USAGE)
		return error_set(err, code, "--%s takes %s, not '%s'", name,
				 what, value);
	return error_set(err, code, "%s => '%s' is not %s", name, value, what);
}

static int set_char(const char *value, bool may_be_empty, char *out)
{
	if (strcmp(value, "\\t") == 0)
		*out = '\t';
	else if (strlen(value) == 1 || (may_be_empty && !*value))
		*out = *value;
	else
		return 1;
	return 0;
}

static int set_null(struct csv_options *csv, const char *value)
{
	if (csv->null_text_count == CSV_NULL_TEXTS_LIMIT)
		return 1;
	csv->null_texts[csv->null_text_count++] = value;
	return 0;
}

static int set_lines(struct csv_options *csv, const char *value)
{
	int64_t lines;

	if (parse_int64(value, strlen(value), &lines) || lines < 0)
		return 1;
	csv->skip_lines = (uint64_t)lines;
	return 0;
}

static int set_header(struct csv_options *csv, const char *value, bool is_no)
{
	uint8_t flag;

	if (parse_boolean(value, strlen(value), &flag))
		return 1;
	csv->has_header = is_no ? !flag : flag;
	return 0;
}

static int set_encoding(struct csv_options *csv, const char *value)
{
	bool known;

	csv->encoding = csv_encoding_is_utf8(value, &known) ? NULL : value;
	return !known;
}

enum setting {
	SET_DELIMITER, SET_QUOTE, SET_HEADER, SET_NO_HEADER, SET_NULL,
	SET_SKIP_LINES, SET_ENCODING, SET_DECIMAL, SET_THOUSANDS, SET_DATE,
	SET_TIMESTAMP, SET_COLUMNS, SET_TYPES,
};

static const struct setting_def {
	const char *name;
	enum setting setting;
	const char *takes;
} settings[] = {
	{ "delimiter", SET_DELIMITER, "one character" },
	{ "quote", SET_QUOTE, "one character" },
	{ "header", SET_HEADER, "true or false" },
	{ "no-header", SET_NO_HEADER, "true or false" },
	{ "null", SET_NULL, "one more text; there are too many" },
	{ "skip-lines", SET_SKIP_LINES, "a number of lines" },
	{ "encoding", SET_ENCODING, "an encoding that iconv knows" },
	{ "decimal", SET_DECIMAL, "one character" },
	{ "thousands", SET_THOUSANDS, "one character" },
	{ "date-format", SET_DATE, "a format" },
	{ "timestamp-format", SET_TIMESTAMP, "a format" },
	{ "columns", SET_COLUMNS, "a list of columns" },
	{ "types", SET_TYPES, "a list of columns with types" },
};

static const struct setting_def *find_setting(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(settings); i++) {
		const char *a = name, *b = settings[i].name;

		while (*a && *b && ((*a | 0x20) == (*b | 0x20) ||
				    (*a == '_' && *b == '-'))) {
			a++;
			b++;
		}
		if (!*a && !*b)
			return &settings[i];
	}
	return NULL;
}

bool input_option_is(const char *name)
{
	return find_setting(name) != NULL;
}

bool input_option_is_general(const char *name)
{
	const struct setting_def *def = find_setting(name);

	return def && (def->setting == SET_TYPES ||
		       def->setting == SET_COLUMNS ||
		       def->setting == SET_SKIP_LINES ||
		       def->setting == SET_ENCODING);
}

int input_option_set(struct input_options *options, const char *name,
		     const char *value, enum error_code code,
		     struct error *err)
{
	const struct setting_def *def = find_setting(name);
	struct csv_options *csv = &options->csv;
	int bad = 0;

	if (!def)
		return error_set(err, ERROR_UNSUPPORTED, "no option %s", name);
	switch (def->setting) {
	case SET_DELIMITER:
		options->has_delimiter = true;
		bad = set_char(value, false, &csv->delimiter);
		break;
	case SET_QUOTE:
		bad = set_char(value, true, &csv->quote);
		break;
	case SET_HEADER:
	case SET_NO_HEADER:
		bad = set_header(csv, value, def->setting == SET_NO_HEADER);
		break;
	case SET_NULL:
		bad = set_null(csv, value);
		break;
	case SET_SKIP_LINES:
		bad = set_lines(csv, value);
		break;
	case SET_ENCODING:
		bad = set_encoding(csv, value);
		break;
	case SET_DECIMAL:
		bad = set_char(value, false, &csv->decimal_mark);
		break;
	case SET_THOUSANDS:
		csv->thousands_mark = value;
		break;
	case SET_DATE:
		csv->date_format = value;
		return csv_time_format_check(value, false, err);
	case SET_TIMESTAMP:
		csv->timestamp_format = value;
		return csv_time_format_check(value, true, err);
	case SET_COLUMNS:
		options->columns = value;
		break;
	case SET_TYPES:
		options->types = value;
		break;
	}
	return bad ? refuse(name, value, def->takes, code, err) : 0;
}

static bool has_suffix(const char *path, const char *suffix)
{
	static const char *const packed[] = { "", ".gz", ".zst" };
	size_t length = strlen(path);

	for (size_t i = 0; i < ARRAY_COUNT(packed); i++) {
		size_t a = strlen(suffix), b = strlen(packed[i]);

		if (length >= a + b &&
		    strncasecmp(path + length - a - b, suffix, a) == 0 &&
		    strcasecmp(path + length - b, packed[i]) == 0)
			return true;
	}
	return false;
}

bool input_is_tsv(const char *path)
{
	return has_suffix(path, ".tsv") || has_suffix(path, ".tab");
}

int input_format_of(const char *path, enum input_format fallback,
		    enum input_format *out, struct error *err)
{
	*out = fallback;
	if (has_suffix(path, ".json")) {
		error_set(err, ERROR_UNSUPPORTED, "%s: a file of one JSON "
			  "value cannot be a source", path);
		return error_hint(err, "jq -c '.[]' makes JSON Lines of an "
				  "array");
	}
	if (has_suffix(path, ".jsonl") || has_suffix(path, ".ndjson"))
		*out = INPUT_JSONL;
	else if (has_suffix(path, ".parquet"))
		*out = INPUT_PARQUET;
	else if (has_suffix(path, ".csv") || input_is_tsv(path))
		*out = INPUT_CSV;
	return 0;
}
