#ifndef COLUMN_VECTOR_HASH_H
#define COLUMN_VECTOR_HASH_H
#include "column/vector.h"
#include "column/selection.h"

/*
 * Hash values for joins (in memory only, never on disk). Equal by SQL `=`
 * gives equal hashes within one type: -0.0 hashes as 0.0, NaN as one value.
 * hashes[i] is for the i-th selected row. first: start; else combine with what
 * is there (further key columns). A NULL hashes to a fixed value.
 */
void vector_hash(const struct vector *vector, const struct selection *rows,
		 bool first, uint64_t *hashes);
#endif
