/*
 * kernel_try.c - try and typeof
 *
 * Why:    one bad value in a batch should not always end the statement.
 * How:    the argument is evaluated for all rows; when a row fails, for each
 *         half of them, and so on down to the one that does, which is NULL.
 *         What each part gave is put into the result before the next part
 *         runs. Only errors of values become NULL: CAST, OVERFLOW,
 *         DIVISION_BY_ZERO and BAD_ARGUMENT.
 * Cost:   nothing without a failure; else log n more runs for each.
 */
#include <assert.h>
#include <ctype.h>
#include "expr/expr_compile.h"
#include "expr/kernel_try.h"

static bool is_of_values(int rc)
{
	return rc == ERROR_CAST || rc == ERROR_OVERFLOW ||
	       rc == ERROR_DIVISION_BY_ZERO || rc == ERROR_BAD_ARGUMENT;
}

/* The rows, of which there is at least one, into the result. */
static int try_rows(struct expr_step *step, struct expr_frame *frame,
		    const struct selection *rows, const uint32_t *numbers)
{
	struct selection half[2];
	const struct vector *out;
	int rc = step_evaluate(step->args[0], frame, rows, &out);

	if (!rc)
		return vector_scatter(&step->result, out, rows,
				      frame->row_count, frame->err);
	if (!is_of_values(rc))
		return rc;
	if (frame->err)
		error_init(frame->err);
	frame->failed_row = SIZE_MAX;
	if (rows->count == 1)
		return vector_set_null(&step->result, numbers[0], frame->err);
	half[0].rows = numbers;
	half[0].count = rows->count / 2;
	half[1].rows = numbers + half[0].count;
	half[1].count = rows->count - half[0].count;
	rc = try_rows(step, frame, &half[0], half[0].rows);
	return rc ? rc : try_rows(step, frame, &half[1], half[1].rows);
}

int step_run_try(struct expr_step *step, struct expr_frame *frame,
		 const struct selection *rows, const struct vector **out)
{
	int rc = step_result(step, frame);

	if (!rc)
		rc = step_buffer(&step->picked, frame->row_count, frame->err);
	if (rc)
		return rc;
	for (size_t k = 0; k < rows->count; k++)
		step->picked.rows[k] = (uint32_t)selection_row(rows, k);
	*out = &step->result;
	return try_rows(step, frame, rows, step->picked.rows);
}

int try_kernel(struct kernel_call *call)
{
	assert(!"try is run by step_run_try()");
	return error_set(call->err, ERROR_INTERNAL, "try");
}

bool resolve_try(const struct function_query *query)
{
	query->wanted[0] = *query->result = query->args[0];
	return true;
}

bool resolve_typeof(const struct function_query *query)
{
	query->wanted[0] = query->args[0];
	*query->result = type_of(TYPE_VARCHAR);
	return true;
}

/* In lower case, with the precision of times, as Trino shows types. */
int type_name_of(struct kernel_call *call)
{
	struct text name = TEXT_INIT;
	const struct type *type = &call->node->args[0]->type;
	struct byte_view shown;
	uint8_t *bytes;
	bool is_ok;

	switch (type->id) {
	case TYPE_TIME:
		is_ok = text_add_str(&name, "time(6)");
		break;
	case TYPE_TIMESTAMP:
		is_ok = text_add_str(&name, "timestamp(6)");
		break;
	case TYPE_TIMESTAMP_TZ:
		is_ok = text_add_str(&name, "timestamp(6) with time zone");
		break;
	default:
		is_ok = type_format(type, &name);
		break;
	}
	bytes = is_ok ? arena_copy(call->heap, name.data, name.length) : NULL;
	shown = byte_view(bytes, name.length);
	text_release(&name);
	if (!bytes)
		return error_set(call->err, ERROR_NO_MEMORY, "typeof");
	for (size_t i = 0; i < shown.length; i++)
		bytes[i] = (uint8_t)tolower(bytes[i]);
	for (size_t k = 0; k < call->rows->count; k++)
		vector_bytes(call->result)[selection_row(call->rows, k)] =
			shown;
	return 0;
}
