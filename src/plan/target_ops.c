/*
 * target_ops.c - what the engine gets from a target that lacks an operation
 *
 * Why:    a target implements what it can; the engine must not know which.
 * How:    each call of an optional operation goes through a function here:
 *         the layouts have a default ("no layout", and an update layout that
 *         falls back to the insert layout), the rest answers NOT_SUPPORTED.
 * Limits: operations of a handle that merge_begin gave are called directly:
 *         who can begin a merge implements them.
 */
#include "plan/target_ops.h"

int fragments_add(struct fragments *fragments, char *item, struct error *err)
{
	if (!mem_grow((void **)&fragments->items, &fragments->capacity,
		      fragments->count, sizeof(*fragments->items)))
		return error_set(err, ERROR_NO_MEMORY, "fragments");
	fragments->items[fragments->count++] = item;
	return 0;
}

void fragments_release(struct fragments *fragments)
{
	for (size_t i = 0; i < fragments->count; i++)
		mem_free(fragments->items[i]);
	mem_free(fragments->items);
	memset(fragments, 0, sizeof(*fragments));
}

static const char *target_name(const struct target *target)
{
	return target->ops->name ? target->ops->name(target) : "the target";
}

static int not_supported(const struct target *target, struct error *err)
{
	error_set(err, ERROR_NOT_SUPPORTED,
		  "%s does not support row changes (MERGE, UPDATE, DELETE)",
		  target_name(target));
	error_hint(err, "write to a table made with CREATE TABLE");
	return ERROR_NOT_SUPPORTED;
}

int target_evolve(struct target *target, const struct table_change *changes,
		  size_t count, struct error *err)
{
	if (target->ops->evolve)
		return target->ops->evolve(target, changes, count, err);
	error_set(err, ERROR_NOT_SUPPORTED, "the columns of %s cannot be "
		  "changed by a merge (WITH SCHEMA EVOLUTION)",
		  target_name(target));
	error_hint(err, "write to a table made with CREATE TABLE");
	return ERROR_NOT_SUPPORTED;
}

int target_row_change_paradigm(struct target *target,
			       enum statement_kind statement,
			       enum row_change_paradigm *out,
			       struct error *err)
{
	*out = DELETE_ROW_AND_INSERT_ROW;
	if (!target->ops->row_change_paradigm)
		return not_supported(target, err);
	return target->ops->row_change_paradigm(target, statement, out, err);
}

int target_merge_row_id_column(struct target *target,
			       struct row_id_column *out, struct error *err)
{
	memset(out, 0, sizeof(*out));
	if (!target->ops->merge_row_id_column)
		return not_supported(target, err);
	return target->ops->merge_row_id_column(target, out, err);
}

int target_insert_layout(struct target *target, struct write_layout *out,
			 struct error *err)
{
	memset(out, 0, sizeof(*out));
	if (!target->ops->insert_layout)
		return 0;
	return target->ops->insert_layout(target, out, err);
}

int target_update_layout(struct target *target, struct write_layout *out,
			 struct error *err)
{
	int rc;

	memset(out, 0, sizeof(*out));
	if (target->ops->update_layout) {
		rc = target->ops->update_layout(target, out, err);
		if (rc || out->column_count)
			return rc;
	}
	return target_insert_layout(target, out, err);
}

int target_merge_begin(struct target *target,
		       const struct merge_begin_options *options,
		       struct merge_handle **out, struct error *err)
{
	*out = NULL;
	if (!target->ops->merge_begin)
		return not_supported(target, err);
	return target->ops->merge_begin(target, options, out, err);
}

void target_free(struct target *target)
{
	if (target && target->ops->free)
		target->ops->free(target);
}
