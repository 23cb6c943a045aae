#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H
/*
 * source: batches of rows from files that are not tables: CSV, JSON Lines and
 * Parquet (also .gz and .zst, standard input), and their columns. It also writes CSV
 * and JSON Lines, the same dialect back. It knows no SQL names and no tables.
 */
#include "column/column.h"
#include "io/io.h"
#include "parquet/parquet.h"
#include "source/reject_log.h"

#define CSV_NULL_TEXTS_LIMIT 16

#define DEBEZIUM_TS_MS "_ts_ms"
struct csv_options {
	bool is_jsonl;		/* JSON Lines; of the rest only skip_lines and
				 * those of tests count then */
	/* JSON Lines of change events: the columns are those of their rows,
	 * then _op ("c", "r", "u" or "d") and _ts_ms, a whole number. */
	bool is_debezium;
	char delimiter;		/* ',' */
	char quote;		/* '"'; 0 = none */
	bool has_header;	/* true */
	/* A later file with a column that the first one lacks is an error,
	 * not only one that lacks a column: no value may be left out. */
	bool all_columns;
	/* Further texts that mean NULL when not quoted. */
	const char *null_texts[CSV_NULL_TEXTS_LIMIT];
	size_t null_text_count;
	uint64_t skip_lines;	/* lines before the header */
	const char *encoding;	/* as iconv names it; NULL = UTF-8 */
	/* How numbers are written; exact places of three digits. */
	char decimal_mark;	/* '.' */
	const char *thousands_mark;	/* one character of UTF-8; NULL = none */
	/* How DATE and TIMESTAMP values are written, see csv_time_format_check();
	 * NULL = as the manual has it. */
	const char *date_format;
	const char *timestamp_format;
	const struct time_zone *zone;	/* of instants that tell none; NULL =
					 * UTC; outlives the input */
	/* Rows that cannot be read go there; NULL = the first one is an
	 * error. Kept. */
	struct reject_input *rejects;
	bool hints_rejects;	/* without: such an error names --rejects */
	size_t chunk_bytes;	/* 0 = default; tests use tiny ones */
	/* tests: everything through libcsv, or the exact way of JSON */
	bool force_reference;
};
void csv_options_init(struct csv_options *options);
/* Of a record that was refused: what options->hints_rejects asks for. */
void csv_hint_rejects(const struct csv_options *options, struct error *err);
/*
 * The letters of strftime, digits exactly so many: %Y %m %d %H %I %M %S %y %j
 * %f (a fraction of 1 to 9 digits) %p %b %B %z %e %F %T %R %D %%; anything
 * else stands for itself. A year must be said, nothing twice, %I and %p only
 * together; of the rest what is not said is the first of its kind.
 * timestamp: times may be in it. Errors: ERROR_USAGE.
 */
int csv_time_format_check(const char *format, bool timestamp,
			  struct error *err);
/* Is the name one of UTF-8 (true), or one that iconv knows (*known)? */
bool csv_encoding_is_utf8(const char *name, bool *known);

/*
 * An input whose header was read: the names are known, the types are yet to
 * be said. Several paths make one batch; columns are matched by name in each
 * file by its own header (the first file's are the names). JSON Lines has no
 * header: the names are the members of the records at the start of the first
 * file; a record that lacks one has NULL there.
 */
struct csv_input;
/* paths are copied; "-" is standard input; .gz and .zst are decompressed by
 * their first bytes. Without a header the names are column1, column2, ...
 * Errors: ERROR_IO, ERROR_BAD_CSV (zero bytes), ERROR_DUPLICATE_HEADER,
 * ERROR_BAD_ENCODING; of JSON Lines ERROR_CAST (a line is not an object). */
int csv_input_open(struct csv_input **out, const char *const *paths,
		   size_t path_count, const struct csv_options *options,
		   struct error *err);
void csv_input_free(struct csv_input *input);
size_t csv_input_column_count(const struct csv_input *input);
const char *csv_input_column_name(const struct csv_input *input, size_t i);
/* Other names for the columns of an input without a header; copied. */
int csv_input_set_names(struct csv_input *input, const char *const *names,
			struct error *err);
/*
 * JSON Lines: columns that records need not have. all begins with those of the
 * input, the others are added: NULL where a record lacks them. Names are
 * copied. Errors: ERROR_NO_MEMORY.
 */
int csv_input_add_columns(struct csv_input *input, const struct schema *all,
			  struct error *err);
/* Of all files; 0 = unknown (a pipe, a packed file). */
uint64_t csv_input_bytes(const struct csv_input *input);
/*
 * Batches of the wanted columns (bool each, NULL = all; others are checked for
 * structure only) with the given types. Takes the input: it is freed with
 * the source. unit = chunk in input order; lines and first_row are exact.
 * Rows that do not convert are errors with file, line, column name and value
 * (the first in input order that any thread meets: of several the smallest).
 * A chunk never holds rows of two files. Text points into the chunk, so it is
 * valid until the stream's next call, as everything of a batch.
 *
 * A ROW, ARRAY or MAP is JSON (source/json_value.h), in CSV as text.
 *
 * Errors: ERROR_NO_MEMORY and of the first chunk, then the input is still the
 * caller's. Of the streams: ERROR_CAST, ERROR_BAD_ENCODING, ERROR_BAD_CSV,
 * ERROR_RAGGED_ROW with file and line; ERROR_UNKNOWN_COLUMN and those of
 * csv_input_open() for a later file; ERROR_CORRUPT (packed and damaged or cut
 * short). After one, every stream of the source gives the same.
 */
int csv_source_new(struct batch_source **out, struct csv_input *input,
		   const struct type *types, const bool *wanted,
		   size_t thread_count, struct error *err);

/*
 * The columns of an input with the types that all its values have, into an
 * initialised schema (type_infer.h has the rules). Of an input that was not
 * read yet, which is freed in any case. Errors: those of streams.
 */
int csv_input_infer(struct csv_input *input, size_t thread_count,
		    struct schema *out, struct error *err);

/*
 * Parquet files, one input: the columns are those of the first file, with its
 * types; later files have them by name in any case. Standard input and packed
 * files are copied to directory first.
 */
struct parquet_input;
/* paths and directory are copied. Errors: ERROR_IO, ERROR_CORRUPT,
 * ERROR_UNSUPPORTED, ERROR_DUPLICATE_HEADER. */
int parquet_input_open(struct parquet_input **out, const char *const *paths,
		       size_t path_count, const char *directory,
		       struct error *err);
void parquet_input_free(struct parquet_input *input);
/* Names and types; a column that cannot be read is VARCHAR. */
const struct schema *parquet_input_schema(const struct parquet_input *input);
/* Has a later file a column that the first one lacks? Errors:
 * ERROR_UNKNOWN_COLUMN: it has. */
int parquet_input_check_columns(const struct parquet_input *input,
				struct error *err);

/*
 * May row group `group` of reader have rows that are wanted? leaves[i] is the
 * leaf of column i, -1 = none or nested. Called by any thread.
 */
struct parquet_source_filter {
	bool (*may_match)(void *context, const struct parquet_reader *reader,
			  size_t group, const long *leaves);
	void *context;
};
/*
 * Batches of the wanted columns (NULL = all), row groups as units. input is
 * kept and may be read again once the source was freed. filter may be NULL.
 * Errors: ERROR_NO_MEMORY, ERROR_UNSUPPORTED (a wanted column cannot be read);
 * of the streams ERROR_UNKNOWN_COLUMN (a later file lacks one), ERROR_CORRUPT,
 * ERROR_CAST (a time with parts of microseconds).
 */
int parquet_source_new(struct batch_source **out, struct parquet_input *input,
		       const bool *wanted, size_t thread_count,
		       const struct parquet_source_filter *filter,
		       struct error *err);

/* Row counts and bytes so far, for progress and the summary; any thread. */
uint64_t csv_source_bytes_read(const struct batch_source *source);

/*
 * Rows as text: appended for the selected rows in order. header lines are the
 * caller's. Values as the manual has them.
 */
bool csv_format_header(const struct schema *schema, struct text *out);
int csv_format_batch(const struct vector *const *columns,
		     size_t column_count, const struct selection *rows,
		     struct text *out, struct error *err);
int jsonl_format_batch(const struct schema *schema,
		       const struct vector *const *columns,
		       size_t column_count, const struct selection *rows,
		       struct text *out, struct error *err);
#endif
