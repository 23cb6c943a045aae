/*
 * merge_error.c - rows as the reason of a refusal, in words
 *
 * Why:    at three in the morning "duplicate key" is not enough: which key,
 *         which lines, which clause.
 * Cost:   looks through the stored source once; only on the way out.
 */
#include "merge/merge_state.h"

static const char *operation_name(enum row_operation operation)
{
	switch (operation) {
	case OPERATION_INSERT:
		return "INSERT";
	case OPERATION_UPDATE:
		return "UPDATE";
	case OPERATION_DELETE:
		return "DELETE";
	case OPERATION_NONE:
		break;
	}
	return "DO NOTHING";
}

static void add_place(const struct row_place *place, struct text *out)
{
	if (place->origin && place->is_line)
		text_addf(out, "%s:%llu", place->origin,
			  (unsigned long long)place->line);
	else
		text_addf(out, "source row %llu",
			  (unsigned long long)place->line + 1);
}

static void add_collision(const struct merge_state *state,
			  const struct collision_list *list, size_t i,
			  struct text *out)
{
	const struct match_collision *item = &list->items[i];
	const struct merge_clause *clauses = state->plan->clauses;
	const char *file;
	uint64_t position;
	struct error ignored;

	error_init(&ignored);
	text_add_str(out, "\n  ");
	if (list->keys[i] && list->keys[i][0])
		text_add_str(out, list->keys[i]);
	else if (state->ops->describe_row &&
		 state->ops->describe_row(state->handle, item->row_id, &file,
					  &position) == 0)
		text_addf(out, "row %llu of %s",
			  (unsigned long long)position, file);
	else
		text_addf(out, "target row %llu",
			  (unsigned long long)item->row_id);
	text_add_str(out, ": ");
	add_place(&item->first_place, out);
	text_addf(out, " (WHEN clause %u, %s) and ", item->first_clause + 1,
		  operation_name(clauses[item->first_clause].operation));
	add_place(&item->second_place, out);
	text_addf(out, " (WHEN clause %u, %s)", item->second_clause + 1,
		  operation_name(clauses[item->second_clause].operation));
}

/* Of a MERGE also what the program can do itself. which: of --key, or "". */
static int hint_unique(const struct merge_state *state, const char *what,
		       const char *which, struct error *err)
{
	bool may_keep = state->plan->statement == STATEMENT_MERGE &&
			!state->options->keep;

	return error_hint(err, "%s%s%s", what, may_keep
			  ? "; --keep-latest-by COLUMN, or --keep-last, keeps "
			    "one source row of each key" : "",
			  may_keep ? which : "");
}

int merge_collision_error(const struct merge_state *state,
			  const struct collision_list *list,
			  struct error *err)
{
	struct text text = TEXT_INIT;
	const struct row_place *place = &list->items[0].second_place;
	int rc;

	if (list->total == 1 && !list->is_cut)
		text_add_str(&text, "a target row is");
	else
		text_addf(&text, "%s%llu target rows are",
			  list->is_cut ? "at least " : "",
			  (unsigned long long)list->total);
	text_add_str(&text, " changed by more than one source row");
	for (size_t i = 0; i < list->count; i++)
		add_collision(state, list, i, &text);
	if (list->total > list->count)
		text_addf(&text, "\n  ... and %llu more",
			  (unsigned long long)(list->total - list->count));
	rc = error_set(err, ERROR_DUPLICATE_MATCH, "%s",
		       text.data ? text.data : "");
	text_release(&text);
	hint_unique(state, "make the source unique on the ON columns, or let "
		    "a WHEN condition pick one row of each key", "", err);
	if (place->origin && place->is_line)
		error_at(err, place->origin, place->line, 0);
	return rc;
}

/* Does the INSERT that takes the action's only row give the duplicate key?
 * describe: append the key to value. */
static bool row_has_key(struct merge_worker *worker,
			const struct key_guard_duplicate *duplicate,
			struct text *value, bool describe)
{
	struct merge_state *state = worker->state;
	const struct merge_plan *plan = state->plan;
	const struct schema *schema = state->ops->schema(plan->target);
	struct error ignored;

	error_init(&ignored);
	for (size_t c = 0; c < plan->clause_count; c++) {
		struct selection one = selection_all(1);
		size_t failed;

		if (worker->taken[c].count == 0 ||
		    plan->clauses[c].operation != OPERATION_INSERT)
			continue;
		for (size_t i = 0; i < plan->identifier_count; i++) {
			size_t column = plan->identifier_columns[i];
			const struct expr *expr =
				plan->clauses[c].values[column];

			if (row_view_need(&worker->action, worker, expr,
					  &ignored) ||
			    expr_program_run(worker->clauses[c].values[column],
					     worker->action.columns, 1, &one,
					     &worker->key_vectors[i], &failed,
					     &ignored))
				return false;
		}
		if (!key_guard_is_duplicate(state->key_guard, duplicate,
					    worker->key_vectors, 0))
			return false;
		for (size_t i = 0; describe && i < plan->identifier_count;
		     i++) {
			struct literal key =
				vector_get(worker->key_vectors[i], 0);
			size_t column = plan->identifier_columns[i];

			text_addf(value, "%s%s = ", i ? " AND " : "",
				  schema->columns[column].name);
			format_literal_sql(&key, value);
		}
		return true;
	}
	return false;
}

/* Keep the two that come first in the input. */
static size_t keep_place(struct row_place places[2], size_t count,
			 const struct row_place *place)
{
	size_t at = count;

	while (at > 0 && row_place_compare(place, &places[at - 1]) < 0)
		at--;
	if (at == 2)
		return count;
	if (at == 0 && count)
		places[1] = places[0];
	places[at] = *place;
	return count < 2 ? count + 1 : 2;
}

/* The first two rows of the source whose INSERT gives the duplicate key. */
static size_t find_duplicate_rows(struct merge_state *state,
				  const struct key_guard_duplicate *duplicate,
				  struct row_place found[2],
				  struct text *value)
{
	struct merge_worker *worker = &state->workers[0];
	struct error ignored;
	size_t n = 0;

	error_init(&ignored);
	for (size_t c = 0; c < row_store_chunk_count(state->store); c++) {
		struct store_chunk *chunk = row_store_chunk(state->store, c);

		for (size_t i = 0; i < chunk->row_count; i++) {
			uint32_t row = (uint32_t)(c << STORE_CHUNK_BITS | i);
			struct selection one = selection_all(1);
			struct row_place place;

			if (chunk->marks[i] & (STORE_MARK_MATCHED |
					       STORE_MARK_DROPPED))
				continue;
			row_view_reset(&worker->action, state, 1);
			worker->action.source_rows = &row;
			if (case_select(worker, &worker->action,
					WHEN_NOT_MATCHED, &one, &ignored))
				return n;
			if (!row_has_key(worker, duplicate, value, n == 0))
				continue;
			place = row_store_place(state->store, row);
			n = keep_place(found, n, &place);
		}
	}
	return n;
}

static void add_places(const struct row_place places[2], struct text *out)
{
	text_add_str(out, ": ");
	add_place(&places[0], out);
	text_add_str(out, " and ");
	add_place(&places[1], out);
}

/* The same in rows that were not kept: the source is read once more. The
 * places name files of that source, so they go into the text before it ends.
 * True: it can be read only once. */
static bool find_streamed_rows(struct merge_state *state,
			       const struct key_guard_duplicate *duplicate,
			       struct text *value, struct text *text)
{
	struct merge_worker *worker = &state->workers[0];
	struct row_view *view = &worker->action;
	struct batch_source *source = NULL;
	struct batch_stream *stream = NULL;
	struct row_place found[2];
	struct error ignored;
	struct batch *batch;
	uint32_t row = 0;
	size_t n = 0;
	int rc;

	error_init(&ignored);
	rc = state->options->source_open(state->options->source_context,
					 state->plan, &source, &ignored);
	if (!rc)
		rc = source->stream_new(source, &stream, &ignored);
	while (!rc && n < 2 && interrupt_check(&ignored) == 0) {
		rc = batch_stream_next(stream, &batch, &ignored);
		if (rc || !batch)
			break;
		for (row = 0; !rc && n < 2 && row < batch->row_count; row++) {
			struct selection one = selection_all(1);

			row_view_reset(view, state, 1);
			view->borrowed = batch->columns;
			view->origin = batch;
			view->picked = &row;
			rc = case_select(worker, view, WHEN_NOT_MATCHED, &one,
					 &ignored);
			if (!rc && row_has_key(worker, duplicate, value,
					       n == 0))
				n += row_view_place(view, state, 0, &found[n]);
		}
	}
	if (n == 2)
		add_places(found, text);
	batch_stream_free(stream);
	batch_source_free(source);
	return rc == ERROR_IO;
}

int merge_duplicate_key_error(struct merge_state *state,
			      const struct key_guard_duplicate *duplicate,
			      struct error *err)
{
	const struct merge_plan *plan = state->plan;
	const struct schema *schema = state->ops->schema(plan->target);
	struct text text = TEXT_INIT, value = TEXT_INIT, places = TEXT_INIT;
	bool was_read_once = false;
	struct row_place rows[2];
	int rc;

	if (!state->store && plan->source)
		was_read_once = find_streamed_rows(state, duplicate, &value,
						   &places);
	else if (state->store &&
		 find_duplicate_rows(state, duplicate, rows, &value) == 2)
		add_places(rows, &places);
	if (value.length == 0 && duplicate->is_known)
		text_addf(&value, "%s = %lld",
			  schema->columns[plan->identifier_columns[0]].name,
			  (long long)duplicate->value);
	text_add_str(&text, "the statement inserts the primary key ");
	if (value.length)
		text_add(&text, value.data, value.length);
	text_add_str(&text, value.length ? " twice" : "of one row twice");
	if (places.length)
		text_add(&text, places.data, places.length);
	rc = error_set(err, ERROR_DUPLICATE_KEY, "%s",
		       text.data ? text.data : "");
	hint_unique(state, was_read_once
		    ? "make the source unique on the primary key; of an input "
		      "that is kept in a file the lines are told"
		    : "make the source unique on the primary key",
		    " (say --key if ON has other columns)", err);
	text_release(&text);
	text_release(&value);
	text_release(&places);
	return rc;
}
