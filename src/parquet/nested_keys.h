#ifndef PARQUET_NESTED_KEYS_H
#define PARQUET_NESTED_KEYS_H
#include "column/column.h"

/*
 * Of entries of maps with the same key leave the last one, as the format says
 * (LogicalTypes, Maps). Map i is parts[0] (keys) and parts[1] (values) from
 * offsets[i] to offsets[i + 1]; all three are replaced. ERROR_CORRUPT for a
 * key that is null.
 */
int nested_keys_leave_last(struct vector parts[2], uint32_t *offsets,
			   size_t count, struct error *err);
#endif
