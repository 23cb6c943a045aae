/*
 * update_diff.c - does an UPDATE change anything?
 *
 * Why:    a row whose new values are its old ones is not written again.
 * How:    column by column, the likeliest to differ and cheapest to read
 *         first. A row stops at its first difference; a later column is read
 *         only for rows that are still equal, and usually there are none.
 * Cost:   most batches read one old column.
 */
#include "merge/merge_state.h"

/* Up to so many rows are few. */
#define FEW_ROWS 256

/* Smaller is compared earlier. */
static int compare_rank(const struct type *type, bool is_few)
{
	if (is_few && (type->id == TYPE_INTEGER || type->id == TYPE_DATE))
		return 0;
	switch (type->id) {
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		return 1;
	case TYPE_DATE:
	case TYPE_TIME:
	case TYPE_INTEGER:
	case TYPE_BIGINT:
	case TYPE_DECIMAL:
		return 2;
	case TYPE_DOUBLE:
	case TYPE_REAL:
		return 3;
	case TYPE_BOOLEAN:
		return 4;
	default:
		return 5;
	}
}

void update_diff_order(const struct schema *schema, bool is_few,
		       size_t *order)
{
	size_t n = 0;

	for (int rank = 0; rank <= 5; rank++)
		for (size_t i = 0; i < schema->column_count; i++)
			if (compare_rank(&schema->columns[i].type, is_few) ==
			    rank)
				order[n++] = i;
}

/* Equal need not be identical where there are zeroes with a sign or maps. */
bool update_is_joined(const struct merge_plan *plan, size_t column,
		      const struct expr *value)
{
	for (size_t k = 0; k < plan->key_count; k++) {
		const struct merge_key *key = &plan->keys[k];

		if (key->target->kind == EXPR_COLUMN &&
		    key->target->column == column &&
		    value->type.id != TYPE_REAL &&
		    value->type.id != TYPE_DOUBLE &&
		    !type_is_nested(&value->type) &&
		    expr_equal(key->source, value))
			return true;
	}
	return false;
}

bool update_mark_columns(const struct merge_plan *plan, bool *updated)
{
	bool any = false;

	for (size_t c = 0; c < plan->clause_count; c++) {
		const struct merge_clause *when = &plan->clauses[c];

		if (when->operation != OPERATION_UPDATE)
			continue;
		for (size_t i = 0; i < plan->target_column_count; i++)
			if (when->values[i] &&
			    !update_is_joined(plan, i, when->values[i]))
				any = updated[i] = true;
	}
	return any;
}

/* Keep in `equal` (numbers of rows) those whose old value is the new one. */
static int keep_equal(struct merge_worker *worker, size_t column,
		      uint32_t *equal, size_t *equal_count, struct error *err)
{
	struct merge_state *state = worker->state;
	const struct vector *had = &worker->batch->batch.columns[column];
	const struct vector *made = worker->action.columns[column];
	const struct vector *fresh = worker->values[column];
	uint64_t same[BITMAP_WORDS(BATCH_ROW_COUNT)] = { 0 };
	size_t count = *equal_count, kept = 0;

	for (size_t i = 0; i < count; i++)
		worker->list_b[i] = worker->action.target_rows[equal[i]];
	bits_set_range(same, 0, count);
	if (made) {
		vector_and_identical(fresh, equal, made, equal, count, same);
	} else if (had->data) {
		vector_and_identical(fresh, equal, had, worker->list_b, count,
				     same);
	} else {
		struct selection rows = { worker->list_b, count };
		int rc;

		rc = state->ops->stream_fetch(worker->stream, column, &rows,
					      &worker->scratch[column], err);
		if (rc)
			return rc;
		vector_and_identical(fresh, equal, &worker->scratch[column],
				     NULL, count, same);
	}
	for (size_t i = 0; i < count; i++)
		if (bits_get(same, i))
			equal[kept++] = equal[i];
	*equal_count = kept;
	return 0;
}

int update_diff(struct merge_worker *worker, size_t clause, size_t count,
		uint32_t *changed, size_t *changed_count, struct error *err)
{
	struct merge_state *state = worker->state;
	const struct merge_clause *when = &state->plan->clauses[clause];
	uint32_t *equal = worker->list_c;
	const size_t *order = count <= FEW_ROWS ? state->compare_few
					        : state->compare_order;
	size_t equal_count = count, n = 0, at = 0;

	for (size_t i = 0; i < count; i++)
		equal[i] = (uint32_t)i;
	for (size_t i = 0; i < state->target_count && equal_count; i++) {
		size_t column = order[i];
		int rc;

		if (!when->values[column] ||
		    update_is_joined(state->plan, column,
				     when->values[column]))
			continue;
		rc = keep_equal(worker, column, equal, &equal_count, err);
		if (rc)
			return rc;
	}
	for (size_t i = 0; i < count; i++) {
		if (at < equal_count && equal[at] == i)
			at++;
		else
			changed[n++] = (uint32_t)i;
	}
	*changed_count = n;
	return 0;
}
