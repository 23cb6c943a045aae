/*
 * merge_prune.c - which target rows can matter at all
 *
 * Why:    a merge of recent keys must not read the whole table.
 * How:    the batch's keys give the least and greatest value of each key
 *         column and, for a small batch, the sorted list of them; conditions
 *         on the target alone give more. A BY SOURCE clause looks at every
 *         row, so that only a statement without a source is pruned then.
 */
#include <stdlib.h>
#include "merge/merge_state.h"

#define KEY_LIST_LIMIT 65536

static int compare_at(const void *a, const void *b, void *context)
{
	const struct vector *values = context;

	return vector_compare_values(values, *(const uint32_t *)a, values,
				     *(const uint32_t *)b);
}

/* The distinct keys of the store in order; lives in arena. */
static int sorted_keys(const struct merge_state *state, size_t column,
		       struct arena *arena, struct column_range *range,
		       struct error *err)
{
	uint64_t total = row_store_row_count(state->store);
	uint32_t *order = arena_zalloc_array(arena, total + 1,
					     sizeof(*order));
	struct vector *sorted = arena_zalloc(arena, sizeof(*sorted));
	struct vector all, picked;
	size_t count = 0, n = 0;
	int rc;

	if (!order || !sorted)
		return error_set(err, ERROR_NO_MEMORY, "merge");
	vector_init(&all, row_store_type(state->store, column));
	vector_init(&picked, all.type);
	vector_init(sorted, all.type);
	for (size_t c = 0; c < row_store_chunk_count(state->store); c++) {
		struct store_chunk *chunk = row_store_chunk(state->store, c);

		for (size_t i = 0; i < chunk->row_count; i++)
			if (chunk->joinable[i] &&
			    !vector_is_null(&chunk->columns[column], i))
				order[count++] = (uint32_t)(
					c << STORE_CHUNK_BITS | i);
	}
	rc = row_store_gather(state->store, column, order, count, &all, err);
	if (rc)
		goto out;
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, count, sizeof(*order), compare_at, &all);
	for (size_t i = 0; i < count; i++)
		if (n == 0 || vector_compare_values(&all, order[n - 1], &all,
						    order[i]) != 0)
			order[n++] = order[i];
	rc = vector_gather(&picked, &all, order, n, NULL, err);
	if (rc)
		goto out;
	sorted->data = arena_copy(arena, picked.data,
				  n * type_width(&all.type));
	sorted->count = n;
	if (!sorted->data)
		rc = error_set(err, ERROR_NO_MEMORY, "merge");
	range->values = sorted;
	range->value_count = n;
out:
	vector_release(&picked);
	vector_release(&all);
	return rc;
}

static void key_min_max(const struct merge_state *state, size_t column,
			struct column_range *range, bool *has_nulls)
{
	*has_nulls = false;
	for (size_t c = 0; c < row_store_chunk_count(state->store); c++) {
		const struct vector *values =
			&row_store_chunk(state->store, c)->columns[column];
		struct literal min, max;
		size_t nans = 0;

		vector_min_max(values, &min, &max, &nans);
		*has_nulls = *has_nulls || vector_has_nulls(values);
		range->nan_matches = range->nan_matches || nans;
		if (min.is_null)
			continue;
		if (!range->has_min ||
		    literal_compare(&min, &range->min) < 0)
			range->min = min;
		if (!range->has_max ||
		    literal_compare(&max, &range->max) > 0)
			range->max = max;
		range->has_min = range->has_max = true;
	}
}

static int key_range(const struct merge_state *state, size_t k,
		     struct arena *arena, struct column_range *range,
		     bool *never, struct error *err)
{
	const struct merge_key *key = &state->plan->keys[k];
	size_t column = state->key_columns[k];
	bool has_nulls;

	memset(range, 0, sizeof(*range));
	range->column = key->target->column;
	key_min_max(state, column, range, &has_nulls);
	range->null_matches = key->null_safe && has_nulls;
	if (!range->has_min && !range->null_matches && !range->nan_matches)
		*never = true;	/* no key can match */
	if (row_store_row_count(state->store) > KEY_LIST_LIMIT ||
	    !range->has_min || range->nan_matches)
		return 0;
	return sorted_keys(state, column, arena, range, err);
}

/* The one condition of a statement without a source, if it is one. */
static const struct expr *only_condition(const struct merge_plan *plan)
{
	if (plan->source || plan->clause_count != 1)
		return NULL;
	return plan->clauses[0].condition;
}

int merge_prune_ranges(const struct merge_state *state, struct arena *arena,
		       struct column_range **out, size_t *count_out,
		       bool *never, struct error *err)
{
	const struct merge_plan *plan = state->plan;
	struct column_range *more;
	size_t more_count = 0, n = 0;
	const struct expr *condition = plan->target_only;
	int rc = 0;

	*out = NULL;
	*count_out = 0;
	*never = false;
	if (state->has_match[WHEN_NOT_MATCHED_BY_SOURCE]) {
		condition = only_condition(plan);
		if (!condition)
			return 0;
	}
	if (condition)
		rc = stat_bounds(condition, state->target_count, arena, &more,
				 &more_count, never, err);
	if (rc || *never)
		return rc;
	*out = arena_zalloc_array(arena, plan->key_count + more_count + 1,
				  sizeof(**out));
	if (!*out)
		return error_set(err, ERROR_NO_MEMORY, "merge");
	for (size_t i = 0; i < more_count; i++)
		(*out)[n++] = more[i];
	for (size_t k = 0; !rc && state->table && k < plan->key_count; k++)
		if (plan->keys[k].target->kind == EXPR_COLUMN &&
		    !type_is_nested(&plan->keys[k].target->type))
			rc = key_range(state, k, arena, &(*out)[n++], never,
				       err);
	*count_out = n;
	return rc;
}
