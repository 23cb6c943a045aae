#ifndef SOURCE_CSV_CONVERT_H
#define SOURCE_CSV_CONVERT_H
#include "source/csv_extract.h"

/* Fields to columns of their types. For one thread. */
struct csv_converter;

/* What is converted: all kept by the converter. */
struct csv_conversion {
	const struct schema *schema;	/* names and types of the columns */
	const bool *wanted;		/* per column */
	const struct csv_options *options;
};

int csv_converter_new(struct csv_converter **out,
		      const struct csv_conversion *what, struct error *err);
void csv_converter_free(struct csv_converter *converter);
/* The first row that does not convert, where rows are set aside. */
struct csv_refusal {
	bool is_set;
	size_t row;		/* of the rows asked for */
	struct error reason;	/* file, line and field are set */
};
/*
 * Fill the wanted columns of batch (reset by the caller) and row_count; at
 * most BATCH_ROW_COUNT rows. Errors: ERROR_CAST, ERROR_BAD_ENCODING with
 * file, line and field of the first row, and in it the first column, that
 * does not convert; ERROR_NO_MEMORY. With refusal (not NULL) such a row is no
 * error: the batch has the rows before it.
 */
int csv_convert(struct csv_converter *converter, const struct csv_rows *rows,
		struct batch *batch, struct csv_refusal *refusal,
		struct error *err);
#endif
