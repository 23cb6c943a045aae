#ifndef ICEBERG_LITERAL_JSON_H
#define ICEBERG_LITERAL_JSON_H
#include "column/column.h"
#include "codec/codec.h"

/*
 * Read the next value of json, not null, as a default of a primitive type;
 * bytes go into arena. A value that does not fit fails the reader. Private to
 * iceberg. Errors: ERROR_NO_MEMORY.
 */
int literal_json_read(struct json_reader *json, const struct type *type,
		      struct arena *arena, struct literal *out,
		      struct error *err);
#endif
