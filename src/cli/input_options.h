#ifndef CLI_INPUT_OPTIONS_H
#define CLI_INPUT_OPTIONS_H
#include "source/source.h"
#include "sql/sql.h"

/*
 * How an input is read, as the options of a command and the arguments of
 * read_csv(), read_jsonl() and read_parquet() say it; they have the same
 * names ("skip-lines", skip_lines).
 */
enum input_format {
	INPUT_CSV,
	INPUT_JSONL,
	INPUT_PARQUET,
};

struct input_options {
	struct csv_options csv;		/* rejects is not set here */
	enum input_format format;	/* of inputs whose name does not say */
	bool has_delimiter;		/* it was said */
	const char *columns;		/* "a, b" or "a BIGINT, b"; NULL = none */
	const char *types;		/* "a BIGINT, b DATE"; NULL = none */
};
void input_options_init(struct input_options *options);

/* The name of an option that says how an input is read? */
bool input_option_is(const char *name);
/* One that JSON Lines and Parquet have, too? */
bool input_option_is_general(const char *name);
/*
 * One of them; name with - or _, in any case; value lives on. code is of the
 * errors: ERROR_USAGE for a command line, or ERROR_BAD_ARGUMENT.
 */
int input_option_set(struct input_options *options, const char *name,
		     const char *value, enum error_code code,
		     struct error *err);
/* The format that the name of a file says, packed or not; fallback if none.
 * Errors: ERROR_UNSUPPORTED (.json). */
int input_format_of(const char *path, enum input_format fallback,
		    enum input_format *out, struct error *err);
/* Is the path one of tab separated values? */
bool input_is_tsv(const char *path);

/*
 * Columns of an input that are named or typed by the user. names and types
 * are of the input: without a header (has_header false) columns names them in
 * order; else columns and types are looked up by name. What is not found is
 * ERROR_UNKNOWN_COLUMN, or of JSON Lines one more column, behind the others:
 * an entry of columns with or without a type, one of types with it. An entry
 * of typed is true where a type was said. Errors: ERROR_UNKNOWN_COLUMN,
 * ERROR_ARITY, ERROR_SYNTAX and ERROR_USAGE of a list that is none.
 */
struct input_columns {
	struct schema schema;	/* names, and the types that were said */
	bool *typed;		/* per column */
	bool has_header;	/* CSV that has one, as far as options say */
	bool is_jsonl;		/* records lack what is declared */
};
int input_columns_new(struct input_columns *out,
		      const struct input_options *options,
		      const char *const *names, size_t count,
		      struct error *err);
void input_columns_release(struct input_columns *columns);
#endif
