#ifndef SOURCE_CSV_SPLIT_H
#define SOURCE_CSV_SPLIT_H
#include "source/csv_chunk.h"

/*
 * Cuts the files of a batch, one after the other, into chunks of whole
 * records. Where it cuts depends on the bytes and chunk_bytes alone. For one
 * thread at a time: the source locks.
 */
struct csv_splitter;

/*
 * Open the first file and read its header. paths and options are kept.
 * Errors: as csv_input_open().
 */
int csv_splitter_new(struct csv_splitter **out, char *const *paths,
		     size_t path_count, const struct csv_options *options,
		     struct error *err);
void csv_splitter_free(struct csv_splitter *splitter);
size_t csv_splitter_column_count(const struct csv_splitter *splitter);
const char *csv_splitter_column_name(const struct csv_splitter *splitter,
				     size_t i);
/* Names in place of column1, column2, ...; copied. */
int csv_splitter_set_names(struct csv_splitter *splitter,
			   const char *const *names, struct error *err);
/* JSON Lines: all begins with the columns that there are; the others of it are
 * columns too from now on. Names are copied. Errors: ERROR_NO_MEMORY. */
int csv_splitter_add_columns(struct csv_splitter *splitter,
			     const struct schema *all, struct error *err);
/* The file that is read. */
const struct csv_file *csv_splitter_file(const struct csv_splitter *splitter);
/* Which columns later files must have (kept, of column_count). */
void csv_splitter_want(struct csv_splitter *splitter, const bool *wanted);
/*
 * Fill the next chunk: bytes, length, file, first_line. *more_out is false at
 * the end. After an error there is nothing more to get. Errors: as
 * csv_input_open(), ERROR_UNKNOWN_COLUMN, ERROR_CORRUPT.
 */
int csv_splitter_next(struct csv_splitter *splitter, struct csv_chunk *chunk,
		      bool *more_out, struct error *err);
/* The last chunk was the last one of all. */
bool csv_splitter_at_end(const struct csv_splitter *splitter);
/* Bytes taken from files so far. */
uint64_t csv_splitter_taken(const struct csv_splitter *splitter);
#endif
