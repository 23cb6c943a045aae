/*
 * explain_rows.c - the merge page and the change page as JSON Lines
 *
 * Why:    what a MERGE does to each row should be there to look at.
 * How:    one line a row, members in the order of the page; "page" says which
 *         of the two it is.
 */
#include "merge/merge_state.h"
#include <math.h>

static bool is_json(const struct vector *vector, size_t row)
{
	switch (vector->type.id) {
	case TYPE_BOOLEAN:	/* a word, also without quotes */
	case TYPE_TINYINT:
	case TYPE_INTEGER:
	case TYPE_BIGINT:
	case TYPE_DECIMAL:
	case TYPE_ROW:		/* its text is JSON */
	case TYPE_ARRAY:
	case TYPE_MAP:
		return true;
	case TYPE_REAL:
		return isfinite(vector_f32(vector)[row]);
	case TYPE_DOUBLE:
		return isfinite(vector_f64(vector)[row]);
	default:
		return false;
	}
}

static void add_value(struct text *out, const struct vector *vector,
		      size_t row)
{
	struct text value = TEXT_INIT;

	if (!vector->data || vector_is_null(vector, row)) {
		text_add_str(out, "null");
		return;
	}
	format_value(vector, row, &value);
	if (is_json(vector, row))
		text_add(out, value.data, value.length);
	else
		text_add_json(out, value.data ? value.data : "",
			      value.length);
	text_release(&value);
}

static void add_row(struct text *out, const struct vector *const *columns,
		    size_t column_count, size_t row)
{
	for (size_t i = 0; i < column_count; i++) {
		text_add_str(out, i ? "," : "");
		add_value(out, columns[i], row);
	}
}

static void add_row_id(struct merge_state *state, struct text *out,
		       uint64_t row_id)
{
	const char *file = NULL;
	uint64_t position = 0;

	text_add_str(out, "\"row_id\":");
	if (row_id == ROW_ID_NONE) {
		text_add_str(out, "null");
		return;
	}
	if (state->ops->describe_row &&
	    state->ops->describe_row(state->handle, row_id, &file,
				     &position) == 0 && file) {
		text_add_str(out, "{\"file\":");
		text_add_json(out, file, strlen(file));
		text_addf(out, ",\"position\":%llu}",
			  (unsigned long long)position);
	} else {
		text_addf(out, "%llu", (unsigned long long)row_id);
	}
}

/* The redistribution columns and their hash, for a target with a layout. */
static int add_layout(struct merge_state *state,
		      const struct merge_page *page, size_t row,
		      struct text *out, struct error *err)
{
	struct write_layout layout;
	struct selection one;
	uint32_t at = (uint32_t)row;
	uint64_t hash = 0;
	int rc;

	rc = page->operation == OPERATION_INSERT
		     ? target_insert_layout(state->plan->target, &layout, err)
		     : target_update_layout(state->plan->target, &layout, err);
	if (rc || layout.column_count == 0)
		return rc;
	one.rows = &at;
	one.count = 1;
	text_add_str(out, "\"redistribution\":[");
	for (size_t i = 0; i < layout.column_count; i++) {
		const struct vector *column = page->columns[layout.columns[i]];

		text_add_str(out, i ? "," : "");
		add_value(out, column, row);
		if (column->data)
			vector_hash(column, &one, i == 0, &hash);
	}
	text_addf(out, "],\"hash\":%lld,", (long long)hash);
	return 0;
}

static bool take_line(struct merge_state *state)
{
	if (state->explain_left == 0)
		return false;
	state->explain_left--;
	return true;
}

int explain_merge_page(struct merge_state *state,
		       const struct merge_page *page, struct error *err)
{
	struct text *out = state->options->explain_out;
	int rc = 0;

	pthread_mutex_lock(&state->explain_lock);
	for (size_t i = 0; !rc && i < page->row_count; i++) {
		if (!take_line(state))
			break;
		text_add_str(out, "{\"page\":\"merge\",");
		rc = add_layout(state, page, i, out, err);
		add_row_id(state, out, page->row_id[i]);
		text_add_str(out, ",\"case_row\":[");
		add_row(out, page->columns, page->column_count, i);
		text_addf(out, ",%s,%d,%d],\"case_number\":%d,"
			  "\"is_distinct\":%d}\n",
			  page->present ? "true" : "false", page->operation,
			  page->case_number, page->case_number,
			  page->is_distinct);
	}
	pthread_mutex_unlock(&state->explain_lock);
	if (!rc && out->failed)
		rc = error_set(err, ERROR_NO_MEMORY, "explain");
	return rc;
}

int explain_change_page(struct merge_state *state,
			const struct change_page *page, struct error *err)
{
	struct text *out = state->options->explain_out;

	pthread_mutex_lock(&state->explain_lock);
	for (size_t i = 0; i < page->row_count; i++) {
		if (!take_line(state))
			break;
		text_add_str(out, "{\"page\":\"change\",\"row\":[");
		add_row(out, page->columns, page->column_count, i);
		text_addf(out, "],\"operation\":%d,\"case_number\":%d,",
			  page->operation[i], page->case_number[i]);
		add_row_id(state, out, page->row_id[i]);
		text_addf(out, ",\"insert_from_update\":%d}\n",
			  page->insert_from_update[i]);
	}
	pthread_mutex_unlock(&state->explain_lock);
	return out->failed ? error_set(err, ERROR_NO_MEMORY, "explain") : 0;
}
