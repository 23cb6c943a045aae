#ifndef SOURCE_CSV_HEADER_H
#define SOURCE_CSV_HEADER_H
#include "source/csv_chunk.h"

/* What the head of a file says. Names live in the caller's arena. */
struct csv_header {
	char **names;
	size_t name_count;
	bool trailing_field;	/* the header line ends with a delimiter */
	size_t length;		/* bytes before the first record of data */
	uint64_t lines;		/* line ends in them */
};

/* The first bytes of a file. */
struct csv_head {
	const char *file_name;
	const uint8_t *bytes;
	size_t length;
	bool at_end;		/* there are no more */
	bool is_sample;		/* JSON Lines: there are more, but what is
				 * here has to do, also if it is nothing */
	const struct csv_options *options;
};

/*
 * Read the head of a file: BOM, lines to skip, header. *more_out is true, and
 * nothing else set, when the bytes do not suffice and at_end is false.
 * Errors: ERROR_BAD_CSV (no bytes, no header, a record that is refused),
 * ERROR_BAD_ENCODING, ERROR_DUPLICATE_HEADER, ERROR_NO_MEMORY.
 */
int csv_header_read(struct csv_header *out, const struct csv_head *head,
		    struct arena *arena, bool *more_out, struct error *err);
#endif
