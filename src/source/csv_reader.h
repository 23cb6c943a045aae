#ifndef SOURCE_CSV_READER_H
#define SOURCE_CSV_READER_H
#include "source/csv_chunk.h"

/*
 * The reader of record: libcsv in strict mode, without trimming. Fills the
 * not plain half of the chunk: fields, text, row_starts, row_count, and
 * error at the first record that is refused:
 *
 *	BAD_CSV		a quote inside an unquoted field, text behind a
 *			closing quote, a quote left open (with the line where
 *			it opened), a CR outside quotes without LF
 *	RAGGED_ROW	another number of fields than expected
 *
 * field_count 0 takes the first record's, which must not be an empty line;
 * then only this record is read. Errors: ERROR_NO_MEMORY.
 */
int csv_reader_read(struct csv_chunk *chunk, size_t field_count,
		    bool trailing_field, const struct csv_options *options,
		    struct error *err);
#endif
