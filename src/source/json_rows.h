#ifndef SOURCE_JSON_ROWS_H
#define SOURCE_JSON_ROWS_H
#include "source/csv_convert.h"
#include "source/csv_header.h"

/*
 * JSON Lines: one object a line. The names of the columns are the members of
 * the objects at the start of the first file (JSON_SAMPLE_BYTES, at least one
 * record) and of those of later files that can be opened twice
 * (JSON_LATER_BYTES); names that differ in ASCII case alone are one.
 */
#define JSON_SAMPLE_BYTES ((size_t)4 << 20)
#define JSON_LATER_BYTES ((size_t)256 << 10)

/*
 * As csv_header_read(): names, and what is before the first record. Errors:
 * ERROR_BAD_CSV (no record), ERROR_CAST (not an object), ERROR_BAD_ENCODING,
 * ERROR_NO_MEMORY.
 */
int json_names_read(struct csv_header *out, const struct csv_head *head,
		    struct arena *arena, bool *more_out, struct error *err);
/* Add the names of more that names lacks. */
int json_names_join(struct csv_header *names, const struct csv_header *more,
		    struct arena *arena, struct error *err);
/* Where the rows of a chunk of whole lines start; empty lines are none, nor
 * are tombstones among change events. */
int json_chunk_read(struct csv_chunk *chunk, bool is_debezium,
		    struct error *err);

/* Lines to columns of their types. For one thread. */
struct json_converter;

int json_converter_new(struct json_converter **out,
		       const struct csv_conversion *what, struct error *err);
void json_converter_free(struct json_converter *converter);
/*
 * As csv_convert(), but the columns borrow from the converter until its next
 * call. A member that is no column is ERROR_CAST, as is a line that is no
 * object, and a member that is there twice.
 */
int json_convert(struct json_converter *converter,
		 const struct csv_rows *rows, struct batch *batch,
		 struct csv_refusal *refusal, struct error *err);
#endif
