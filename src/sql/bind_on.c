/*
 * bind_on.c - ON of a MERGE as keys and what is left
 */
#include "sql/bind_level.h"

int bind_on(struct binder *binder, struct merge_plan *plan, struct expr *on)
{
	struct equi_split split;
	int rc;

	if (!on)
		return 0;
	rc = equi_split(binder, on, plan->target_column_count, 0, &split);
	if (rc)
		return rc;
	plan->keys = binder_alloc(binder, split.key_count + 1,
				  sizeof(*plan->keys));
	if (!plan->keys)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < split.key_count; i++) {
		plan->keys[i].target = split.keys[i].left;
		plan->keys[i].source = split.keys[i].right;
		plan->keys[i].null_safe = split.keys[i].null_safe;
	}
	plan->key_count = split.key_count;
	plan->target_only = split.left_only;
	plan->source_only = split.right_only;
	plan->on_is_false = plan->on_is_false || split.is_false;
	plan->residual = split.is_false ? NULL : split.residual;
	return 0;
}
