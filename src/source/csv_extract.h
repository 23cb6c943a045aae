#ifndef SOURCE_CSV_EXTRACT_H
#define SOURCE_CSV_EXTRACT_H
#include "source/csv_chunk.h"

/* Rows of a chunk. */
struct csv_rows {
	const struct csv_chunk *chunk;
	size_t first_row;
	size_t count;
};

/* How the values of a field are made, and where they go: views and validity
 * have room for all the rows. */
struct csv_values {
	const struct csv_options *options;
	struct arena *heap;
	struct byte_view *views;
	uint64_t *validity;	/* whole words */
	bool has_nulls;		/* set, never cleared */
};

/*
 * The values of one field, unquoted and unescaped, as views into the chunk
 * or, where quotes were doubled, into heap. A NULL (a bare empty field, or
 * null text without quotes) has data NULL and its bit of validity clear.
 * Errors: ERROR_NO_MEMORY.
 */
int csv_extract(const struct csv_rows *rows, size_t field,
		struct csv_values *out, struct error *err);
#endif
