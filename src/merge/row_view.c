/*
 * row_view.c - rows of a join with the combined columns, made on demand
 *
 * Why:    conditions need few columns of many rows, values need all columns
 *         of few; each column should be fetched once, for the rows in hand.
 * How:    a view names rows on both sides. A column is made when an
 *         expression reads it: by late materialisation from the target's
 *         stream, by gathering from the store, or by borrowing.
 * Cost:   one gather per column and view.
 */
#include "merge/merge_state.h"

int row_view_init(struct row_view *view, struct merge_state *state,
		  struct error *err)
{
	const struct schema *schema = state->ops->schema(state->plan->target);
	size_t count = state->target_count + state->source_count;

	memset(view, 0, sizeof(*view));
	view->columns = mem_zalloc_array(count + 1, sizeof(*view->columns));
	view->made = mem_zalloc_array(count + 1, sizeof(*view->made));
	if (!view->columns || !view->made)
		return error_set(err, ERROR_NO_MEMORY, "merge");
	for (size_t i = 0; i < count; i++)
		vector_init(&view->made[i],
			    i < state->target_count
				    ? schema->columns[i].type
				    : state->store_types[i -
						state->target_count]);
	return 0;
}

void row_view_release(struct row_view *view, struct merge_state *state)
{
	size_t count = state->target_count + state->source_count;

	for (size_t i = 0; view->made && i < count; i++)
		vector_release(&view->made[i]);
	mem_free(view->made);
	mem_free(view->columns);
}

void row_view_reset(struct row_view *view, struct merge_state *state,
		    size_t count)
{
	memset(view->columns, 0, (state->target_count + state->source_count) *
					 sizeof(*view->columns));
	view->count = count;
	view->target_rows = NULL;
	view->source_rows = NULL;
	view->borrowed = NULL;
	view->picked = NULL;
	view->origin = NULL;
	view->is_stored = false;
	view->store_first = 0;
}

/* Rows of a list with repeats taken out; place[i] is where row i went. */
static size_t unique_rows(const uint32_t *rows, size_t count, uint32_t *out,
			  uint32_t *place)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (n == 0 || out[n - 1] != rows[i])
			out[n++] = rows[i];
		place[i] = (uint32_t)(n - 1);
	}
	return n;
}

static int make_target(struct row_view *view, struct merge_worker *worker,
		       size_t column, struct error *err)
{
	struct merge_state *state = worker->state;
	const struct vector *had = &worker->batch->batch.columns[column];
	struct vector *out = &view->made[column];
	struct selection rows;
	size_t unique;
	int rc;

	view->columns[column] = out;
	if (had->data || worker->batch->batch.row_count == 0)
		return vector_gather(out, had, view->target_rows, view->count,
				     NULL, err);
	unique = unique_rows(view->target_rows, view->count, worker->list_a,
			     worker->list_b);
	rows.rows = worker->list_a;
	rows.count = unique;
	rc = state->ops->stream_fetch(worker->stream, column, &rows,
				      &worker->scratch[column], err);
	if (rc)
		return rc;
	if (unique == view->count) {
		vector_reference(out, &worker->scratch[column]);
		return 0;
	}
	return vector_gather(out, &worker->scratch[column], worker->list_b,
			     view->count, NULL, err);
}

static int make_source(struct row_view *view, struct merge_worker *worker,
		       size_t column, struct error *err)
{
	struct merge_state *state = worker->state;
	size_t at = state->target_count + column;
	struct vector *out = &view->made[at];

	view->columns[at] = out;
	if (view->source_rows)
		return row_store_gather(state->store, column,
					view->source_rows, view->count, out,
					err);
	if (view->picked)
		return vector_gather(out, &view->borrowed[column],
				     view->picked, view->count, NULL, err);
	vector_reference(out, &view->borrowed[column]);
	return 0;
}

int row_view_need_column(struct row_view *view, struct merge_worker *worker,
			 size_t column, struct error *err)
{
	struct merge_state *state = worker->state;

	if (view->columns[column])
		return 0;
	if (column < state->target_count)
		return make_target(view, worker, column, err);
	return make_source(view, worker, column - state->target_count, err);
}

int row_view_need(struct row_view *view, struct merge_worker *worker,
		  const struct expr *expr, struct error *err)
{
	int rc = 0;

	if (!expr)
		return 0;
	if (expr->kind == EXPR_COLUMN)
		return row_view_need_column(view, worker, expr->column, err);
	for (size_t i = 0; i < expr->arg_count && !rc; i++)
		rc = row_view_need(view, worker, expr->args[i], err);
	return rc;
}

bool row_view_place(const struct row_view *view,
		    const struct merge_state *state, size_t i,
		    struct row_place *out)
{
	size_t row = view->picked ? view->picked[i] : i;

	if (view->source_rows) {
		*out = row_store_place(state->store, view->source_rows[i]);
		return true;
	}
	if (view->is_stored) {
		*out = row_store_place(state->store,
				       view->store_first + (uint32_t)row);
		return true;
	}
	if (!view->origin)
		return false;
	out->origin = view->origin->origin;
	out->is_line = view->origin->lines != NULL;
	out->line = out->is_line ? view->origin->lines[row]
				 : view->origin->first_row + row;
	out->unit = view->origin->unit;
	return true;
}

int row_view_blame(const struct row_view *view, struct merge_worker *worker,
		   size_t i, struct error *err)
{
	struct row_place place;

	if (i >= view->count ||
	    !row_view_place(view, worker->state, i, &place))
		return err->code;
	worker->blame = place;
	worker->is_blamed = true;
	if (place.origin && place.is_line)
		return error_prefix(err, "%s:%llu", place.origin,
				    (unsigned long long)place.line);
	return error_prefix(err, "source row %llu",
			    (unsigned long long)place.line + 1);
}
