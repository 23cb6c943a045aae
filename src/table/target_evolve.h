#ifndef TABLE_TARGET_EVOLVE_H
#define TABLE_TARGET_EVOLVE_H
#include "table/table_state.h"

/*
 * Changes of a target's metadata that its next commit makes together with the
 * rows (MERGE WITH SCHEMA EVOLUTION). Zeroes are none. Private to table.
 */
struct target_evolution {
	struct table_change *changes;	/* all taken; what hangs below is kept */
	size_t count;
	size_t capacity;
	/* What the table was before each call, newest first; schemas that
	 * were handed out live as long as the target. */
	struct evolved_from *before;
};

struct evolved_from {
	struct table_metadata *metadata;
	struct schema filled;
	bool is_filled;
	struct evolved_from *next;
};

/* The open table becomes what the changes make of it. */
int target_evolution_take(struct target_evolution *evolution,
			  struct table *table,
			  const struct table_change *changes, size_t count,
			  struct error *err);
void target_evolution_release(struct target_evolution *evolution);
/* What the table was when it was read; NULL = nothing is pending. */
const struct table_metadata *
target_evolution_read(const struct target_evolution *evolution);
/*
 * The same on another head, whose metadata is what was read: it must come to
 * the same columns by the same ids, which the files written have.
 * ERROR_METADATA_CHANGED otherwise.
 */
int target_evolution_again(const struct target_evolution *evolution,
			   const struct table_metadata *evolved,
			   struct catalog_table *head, struct error *err);
#endif
