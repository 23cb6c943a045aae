/*
 * case_select.c - the WHEN clauses as one searched CASE
 *
 * Why:    the first clause whose condition is true acts; later conditions are
 *         not evaluated for a row that an earlier clause took.
 * How:    a selection that shrinks from clause to clause. A condition runs
 *         only over the rows that reach it.
 */
#include "merge/merge_state.h"

static void copy_rows(const struct selection *in,
		      struct selection_buffer *out)
{
	for (size_t i = 0; i < in->count; i++)
		out->rows[i] = (uint32_t)selection_row(in, i);
	out->count = in->count;
}

static void swap_buffers(struct selection_buffer *a,
			 struct selection_buffer *b)
{
	struct selection_buffer kept = *a;

	*a = *b;
	*b = kept;
}

int case_select(struct merge_worker *worker, struct row_view *view,
		enum merge_match match, const struct selection *in,
		struct error *err)
{
	const struct merge_plan *plan = worker->state->plan;

	copy_rows(in, &worker->rest);
	for (size_t c = 0; c < plan->clause_count; c++) {
		struct selection rest = selection_of(&worker->rest);
		struct expr_program *condition =
			worker->clauses[c].condition;
		size_t failed;
		int rc;

		worker->taken[c].count = 0;
		if (plan->clauses[c].match != match || rest.count == 0)
			continue;
		if (!condition) {
			swap_buffers(&worker->rest, &worker->taken[c]);
			worker->rest.count = 0;
			continue;
		}
		rc = row_view_need(view, worker, plan->clauses[c].condition,
				   err);
		if (rc)
			return rc;
		rc = expr_program_filter(condition, view->columns,
					 view->count, &rest,
					 &worker->taken[c], &worker->spare,
					 &failed, err);
		if (rc)
			return row_view_blame(view, worker, failed, err);
		swap_buffers(&worker->rest, &worker->spare);
	}
	return 0;
}
