#ifndef TABLE_TARGET_LAYOUT_H
#define TABLE_TARGET_LAYOUT_H
#include "iceberg/iceberg.h"
#include "plan/plan.h"

/*
 * How the newest partition spec places rows, in the engine's words: the
 * columns that its fields are made of, each once, in the order of the fields.
 * "bucket" when every field is a bucket, else "partition"; no columns for a
 * spec that places no rows. *columns (mem_free) is what out points to.
 * Private to table.
 */
int target_layout(const struct table_metadata *metadata, size_t **columns,
		  struct write_layout *out, struct error *err);
#endif
