#ifndef SOURCE_CSV_EXTRACT_H
#define SOURCE_CSV_EXTRACT_H
#include "source/csv_chunk.h"

/*
 * The values of one field of count rows from first_row on, unquoted and
 * unescaped, as views into the chunk or, where quotes were doubled, into
 * heap. A NULL (a bare empty field, or null_text without quotes) has data
 * NULL. CSV_PADDING_BYTES may be read behind the start of a view into the
 * chunk. Errors: ERROR_NO_MEMORY.
 */
struct csv_rows {
	const struct csv_chunk *chunk;
	size_t first_row;
	size_t count;
};

int csv_extract(const struct csv_rows *rows, size_t field,
		const struct csv_options *options, struct arena *heap,
		struct byte_view *views, struct error *err);
#endif
