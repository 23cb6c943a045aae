#ifndef BENCH_CSV_ROWS_H
#define BENCH_CSV_ROWS_H
#include <stdbool.h>
#include <stddef.h>

/* The columns that gen writes, in its order. */
enum csv_column {
	COLUMN_ID,
	COLUMN_CUSTOMER,
	COLUMN_PURCHASES,
	COLUMN_ADDRESS,
	COLUMN_UPDATED_AT,
	COLUMN_IS_DELETED,
	COLUMN_STATUS,
	COLUMN_QUANTITY,
	COLUMN_SCORE,
	COLUMN_NOTE,
	COLUMN_COUNT
};

struct csv_field {
	char *text;		/* unescaped, length bytes, then a NUL */
	size_t length;
	bool is_null;		/* an empty field without quotes */
};

/* One row: valid until the next csv_rows_next. */
struct csv_row {
	struct csv_field field[COLUMN_COUNT];
};

/*
 * A reader of CSV with these columns, in any order, named by a header line.
 * An input that is not such a CSV ends the program with a message.
 */
struct csv_rows;

/* path "-" is standard input. */
struct csv_rows *csv_rows_open(const char *path);
/* False at the end of the input. */
bool csv_rows_next(struct csv_rows *rows, struct csv_row *row);
void csv_rows_close(struct csv_rows *rows);

/* A decimal number as an integer of 10^-digits; it must fit exactly. */
long long csv_scaled(const struct csv_field *field, int digits);
/* true, t, 1 or false, f, 0 in any case. */
bool csv_boolean(const struct csv_field *field);
#endif
