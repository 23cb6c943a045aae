#ifndef FILETARGET_CSV_DIALECT_H
#define FILETARGET_CSV_DIALECT_H
#include "column/column.h"
#include "source/source.h"

/* How the fields of a CSV file are written: as those that it has. */
struct csv_dialect {
	char delimiter;
	char quote;		/* 0 = none */
	/* Texts that mean NULL; the first is written, or an empty field. */
	const char *const *null_texts;
	size_t null_text_count;
	bool has_crlf;
	bool quotes_all;	/* its header has all names in quotes */
	bool trailing_delimiter;
	size_t field_count;
};
/*
 * Append a value, or NULL, as a field. quoted: in quotes even where none are
 * needed. Errors: ERROR_BAD_CSV: a value that this dialect cannot hold.
 */
int csv_dialect_add(const struct csv_dialect *dialect,
		    const struct vector *vector, size_t row, bool quoted,
		    struct text *out, struct error *err);
void csv_dialect_end(const struct csv_dialect *dialect, struct text *out);
#endif
