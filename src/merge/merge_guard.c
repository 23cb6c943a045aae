/*
 * merge_guard.c - what a run is refused for, and what it warns of
 *
 * Why:    a statement can be right and still not be meant: a batch that came
 *         empty deletes the table, a slip in a condition most of it; a row
 *         that is marked as deleted is inserted because only MATCHED looks.
 * How:    guards are checked with all counts known, before the commit;
 *         warnings are said after it. A delete flag is a source column that
 *         alone decides a part of the condition of WHEN MATCHED ... DELETE;
 *         what INSERT stores as it is and is no BOOLEAN is data instead.
 */
#include "merge/merge_state.h"

static int target_rows(const struct merge_state *state, uint64_t *out,
		       struct error *err)
{
	*out = 0;
	if (state->ops->row_count)
		return state->ops->row_count(state->handle, out, err);
	*out = state->ops->row_id_limit(state->handle);
	return 0;
}

/* Does a BY SOURCE clause change anything? is_whole: each row, whatever. */
static bool changes_by_source(const struct merge_state *state, bool *is_whole)
{
	const struct merge_plan *plan = state->plan;
	bool found = false;

	*is_whole = false;
	for (size_t i = 0; i < plan->clause_count; i++) {
		const struct merge_clause *when = &plan->clauses[i];

		if (!merge_clause_is_by_source(when))
			continue;
		if (!found && expr_is_true(when->condition))
			*is_whole = when->operation != OPERATION_NONE;
		if (when->operation != OPERATION_NONE)
			found = true;
		if (expr_is_true(when->condition))
			break;
	}
	return found;
}

/*
 * Can no row of the source match, for want of rows (*rows_out 0) or because
 * each that ON lets match has NULL in a key? ON FALSE is no such source.
 */
static bool source_is_empty(const struct merge_state *state,
			    uint64_t *rows_out)
{
	uint64_t null_rows, unjoined_rows = 0;

	if (state->plan->source_mark) {
		*rows_out = state->marked_rows;
		null_rows = state->null_mark_rows;
	} else if (state->plan->source_is_lookup) {
		return false;
	} else {
		*rows_out = state->rows_read;
		null_rows = state->null_key_rows;
		unjoined_rows = state->unjoined_rows;
	}
	return *rows_out == 0 ||
	       (null_rows && null_rows + unjoined_rows == *rows_out);
}

int merge_guard_source(const struct merge_state *state, struct error *err)
{
	const char *why = "the source has 0 rows";
	uint64_t rows, source_rows;
	bool is_whole;
	int rc;

	if (!state->plan->source || !source_is_empty(state, &source_rows) ||
	    !changes_by_source(state, &is_whole) ||
	    state->options->allow_empty_source)
		return 0;
	rc = target_rows(state, &rows, err);	/* all files: not for nothing */
	if (rc || !rows)
		return rc;
	if (source_rows)
		why = "no row of the source can match, each has NULL in a key "
		      "column of ON";
	if (is_whole)
		error_set(err, ERROR_GUARD_EMPTY_SOURCE,
			  "%s, and a NOT MATCHED BY SOURCE "
			  "clause would act on all %llu rows (100 %%) of %s",
			  why, (unsigned long long)rows,
			  state->plan->target_name);
	else
		error_set(err, ERROR_GUARD_EMPTY_SOURCE,
			  "%s, and a NOT MATCHED BY SOURCE "
			  "clause would look at every row of %s and act on up "
			  "to %llu", why, state->plan->target_name,
			  (unsigned long long)rows);
	if (source_rows)
		return error_hint(err, "look whether the batch is broken; if "
				  "it is meant, say --allow-empty-source");
	return error_hint(err, "if the batch is meant to be empty, say "
			  "--allow-empty-source");
}

int merge_guard_deletes(const struct merge_state *state, uint64_t deleted,
			struct error *err)
{
	const struct merge_delete_limit *limit = &state->options->delete_limit;
	uint64_t rows;
	int rc;

	if (!limit->is_set || (!limit->is_share && deleted <= limit->rows))
		return 0;
	rc = target_rows(state, &rows, err);
	if (rc)
		return rc;
	if (limit->is_share && (uint128_t)deleted * 1000000 <=
				       (uint128_t)rows * limit->share_ppm)
		return 0;
	if (limit->is_share)
		error_set(err, ERROR_GUARD_DELETES,
			  "%llu of the %llu rows of %s would be deleted "
			  "(%.4g %%), and --max-deletes allows %g %%",
			  (unsigned long long)deleted,
			  (unsigned long long)rows, state->plan->target_name,
			  rows ? 100.0 * (double)deleted / (double)rows : 0.0,
			  (double)limit->share_ppm / 1e4);
	else
		error_set(err, ERROR_GUARD_DELETES,
			  "%llu of the %llu rows of %s would be deleted, and "
			  "--max-deletes allows %llu",
			  (unsigned long long)deleted,
			  (unsigned long long)rows, state->plan->target_name,
			  (unsigned long long)limit->rows);
	return error_hint(err, "if that is meant, raise --max-deletes or "
			  "leave it out");
}

/* The one source column that expr reads; SIZE_MAX = none or more. */
static size_t lone_column(const struct merge_plan *plan,
			  const struct expr *expr, bool *used)
{
	size_t all = plan->target_column_count + plan->source_column_count;
	size_t found = SIZE_MAX;

	memset(used, 0, all * sizeof(*used));
	expr_mark_columns(expr, used);
	for (size_t i = 0; i < all; i++) {
		if (!used[i])
			continue;
		if (found != SIZE_MAX || i < plan->target_column_count)
			return SIZE_MAX;
		found = i;
	}
	return found;
}

/* Mark what alone decides a part of a condition. */
static void mark_flags(const struct merge_plan *plan, const struct expr *expr,
		       bool *used, bool *flags)
{
	size_t column;

	if (!expr)
		return;
	if (expr->kind == EXPR_AND) {
		for (size_t i = 0; i < expr->arg_count; i++)
			mark_flags(plan, expr->args[i], used, flags);
		return;
	}
	column = lone_column(plan, expr, used);
	if (column != SIZE_MAX)
		flags[column] = true;
}

/* A key is no flag, nor what ON has looked at. */
static void unmark_joined(const struct merge_plan *plan, bool *used,
			  bool *flags)
{
	size_t all = plan->target_column_count + plan->source_column_count;

	memset(used, 0, all * sizeof(*used));
	for (size_t k = 0; k < plan->key_count; k++)
		expr_mark_columns(plan->keys[k].source, used);
	expr_mark_columns(plan->source_only, used);
	expr_mark_columns(plan->residual, used);
	for (size_t i = 0; i < all; i++)
		flags[i] = flags[i] && !used[i];
}

static void unmark_stored(const struct merge_plan *plan, bool *flags)
{
	for (size_t i = 0; i < plan->clause_count; i++) {
		const struct merge_clause *when = &plan->clauses[i];

		if (when->match != WHEN_NOT_MATCHED ||
		    when->operation != OPERATION_INSERT)
			continue;
		for (size_t c = 0; c < plan->target_column_count; c++)
			if (when->values[c]->kind == EXPR_COLUMN &&
			    when->values[c]->type.id != TYPE_BOOLEAN)
				flags[when->values[c]->column] = false;
	}
}

int merge_guard_init(struct merge_state *state, struct error *err)
{
	const struct merge_plan *plan = state->plan;
	size_t all = plan->target_column_count + plan->source_column_count;
	bool *used = mem_zalloc_array(all + 1, 2 * sizeof(*used));
	bool *flags = used ? used + all + 1 : NULL;

	state->flag_columns = mem_alloc_array(plan->source_column_count + 1,
					      sizeof(*state->flag_columns));
	if (!used || !state->flag_columns) {
		mem_free(used);
		return error_set(err, ERROR_NO_MEMORY, "merge");
	}
	for (size_t i = 0; i < plan->clause_count; i++)
		if (plan->clauses[i].match == WHEN_MATCHED &&
		    plan->clauses[i].operation == OPERATION_DELETE)
			mark_flags(plan, plan->clauses[i].condition, used,
				   flags);
	unmark_joined(plan, used, flags);
	unmark_stored(plan, flags);
	for (size_t i = plan->target_column_count;
	     i < all - plan->lookup_count && !plan->source_is_lookup; i++)
		if (flags[i])
			state->flag_columns[state->flag_count++] =
				i - plan->target_column_count;
	mem_free(used);
	return 0;
}

static uint64_t count_nulls(const struct merge_state *state,
			    const struct vector *columns,
			    const uint32_t *rows, size_t count)
{
	uint64_t found = 0;

	for (size_t i = 0; i < count; i++) {
		bool is_null = false;

		for (size_t f = 0; f < state->flag_count; f++)
			is_null |= vector_is_null(
				&columns[state->flag_columns[f]], rows[i]);
		found += is_null;
	}
	return found;
}

static bool may_be_null(const struct merge_state *state,
			const struct vector *columns)
{
	bool found = false;

	for (size_t f = 0; f < state->flag_count; f++)
		found |= vector_has_nulls(&columns[state->flag_columns[f]]);
	return found;
}

void merge_guard_untaken(struct merge_worker *worker,
			 const struct row_view *view)
{
	struct merge_state *state = worker->state;

	if (!state->flag_count || !worker->rest.count ||
	    !may_be_null(state, view->borrowed))
		return;
	__atomic_add_fetch(&state->null_flag_rows,
			   count_nulls(state, view->borrowed,
				       worker->rest.rows, worker->rest.count),
			   __ATOMIC_RELAXED);
}

/* Rows that matched and were left; the others went by in the inserts. */
void merge_guard_store(struct merge_state *state)
{
	for (size_t c = 0; state->flag_count &&
			   c < row_store_chunk_count(state->store); c++) {
		struct store_chunk *chunk = row_store_chunk(state->store, c);

		if (!may_be_null(state, chunk->columns))
			continue;
		for (size_t i = 0; i < chunk->row_count; i++) {
			uint32_t row = (uint32_t)i;

			if ((chunk->marks[i] & STORE_MARK_MATCHED) &&
			    !(chunk->marks[i] & STORE_MARK_TAKEN))
				state->null_flag_rows += count_nulls(
					state, chunk->columns, &row, 1);
		}
	}
}

static const char *source_name(const struct merge_state *state, size_t column)
{
	return state->plan->source->schema->columns[column].name;
}

/* A flag that WHEN NOT MATCHED ... INSERT does not look at. */
static void warn_untested_flags(const struct merge_state *state)
{
	const struct merge_plan *plan = state->plan;
	size_t all = plan->target_column_count + plan->source_column_count;
	bool *used = mem_zalloc_array(all + 1, sizeof(*used));
	bool inserts = false;

	for (size_t i = 0; used && i < plan->clause_count; i++) {
		if (plan->clauses[i].match != WHEN_NOT_MATCHED)
			continue;
		inserts |= plan->clauses[i].operation == OPERATION_INSERT;
		expr_mark_columns(plan->clauses[i].condition, used);
	}
	for (size_t f = 0; inserts && f < state->flag_count; f++) {
		const char *name = source_name(state, state->flag_columns[f]);

		if (used[plan->target_column_count + state->flag_columns[f]])
			continue;
		log_warn(state->options->log, "WHEN MATCHED ... DELETE tests "
			 "%s and WHEN NOT MATCHED does not: a row to be "
			 "deleted that matches nothing is inserted", name);
	}
	mem_free(used);
}

static void warn_null_flags(const struct merge_state *state)
{
	uint64_t rows = state->null_flag_rows;

	if (rows)
		log_warn(state->options->log, "%llu source row%s had NULL in "
			 "%s, which WHEN MATCHED ... DELETE tests, and no "
			 "clause took %s", (unsigned long long)rows,
			 rows == 1 ? "" : "s",
			 state->flag_count == 1
				 ? source_name(state, state->flag_columns[0])
				 : "a column",
			 rows == 1 ? "it" : "them");
}

static const struct expr *without_casts(const struct expr *expr)
{
	while (expr->kind == EXPR_CAST)
		expr = expr->args[0];
	return expr;
}

/* Is the column equated by ON; does the value keep it as it is? */
static bool is_equated(const struct merge_plan *plan, size_t column,
		       const struct expr *value, bool *is_kept)
{
	bool found = false;

	value = without_casts(value);
	*is_kept = value->kind == EXPR_COLUMN && value->column == column;
	for (size_t k = 0; k < plan->key_count; k++) {
		const struct merge_key *key = &plan->keys[k];
		const struct expr *target = without_casts(key->target);

		if (target->kind != EXPR_COLUMN || target->column != column)
			continue;
		found = true;
		*is_kept |= expr_equal(without_casts(key->source), value);
	}
	return found;
}

static void warn_set_keys(const struct merge_state *state)
{
	const struct merge_plan *plan = state->plan;
	const struct schema *schema = state->ops->schema(plan->target);

	for (size_t i = 0; i < plan->clause_count; i++) {
		const struct merge_clause *when = &plan->clauses[i];

		if (when->operation != OPERATION_UPDATE)
			continue;
		for (size_t c = 0; c < plan->target_column_count; c++) {
			bool equated, kept;

			if (!when->values[c])
				continue;
			equated = is_equated(plan, c, when->values[c], &kept);
			if (kept || (!equated &&
				     !schema->columns[c].is_identifier))
				continue;
			log_warn(state->options->log, "UPDATE sets %s, which "
				 "%s: a second run of the statement finds "
				 "other rows than the first",
				 schema->columns[c].name, equated
					 ? "ON equates"
					 : "is of the PRIMARY KEY");
		}
	}
}

static void warn_null_keys(const struct merge_state *state)
{
	uint64_t rows = state->null_key_rows;

	if (rows)
		log_warn(state->options->log,
			 "%llu source row%s had NULL in a key column of ON and "
			 "could match no row; IS NOT DISTINCT FROM matches "
			 "NULL with NULL", (unsigned long long)rows,
			 rows == 1 ? "" : "s");
}

static void warn_shared_rows(const struct merge_state *state)
{
	uint64_t shared = 0;

	for (size_t w = 0; w < state->worker_count; w++)
		shared += match_guard_shared_rows(state->workers[w].guard);
	if (shared)
		log_warn(state->options->log,
			 "%llu target row%s changed by more than one WHEN "
			 "clause (--duplicate-match=case)",
			 (unsigned long long)shared,
			 shared == 1 ? " was" : "s were");
}

void merge_warn(const struct merge_state *state)
{
	warn_shared_rows(state);
	if (state->plan->source_is_lookup)
		return;
	warn_null_keys(state);
	warn_untested_flags(state);
	warn_null_flags(state);
	warn_set_keys(state);
}
