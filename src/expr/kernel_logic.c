/*
 * kernel_logic.c - AND, OR, NOT, IS NULL, IN, CASE, COALESCE, subqueries
 *
 * Why:    these decide which rows go on: an argument runs only on rows that
 *         the ones before have left open, so an error on any other row
 *         cannot happen. What a join found for a subquery that stands for a
 *         value is such a branch too: several rows are an error only where
 *         the value is asked for.
 * How:    AND and OR keep one byte a row, 0 false, 1 null, 2 true; then AND
 *         is the minimum and OR the maximum. What cannot fail and is cheap
 *         runs on all rows at once instead of on a list of those left, which
 *         is faster. CASE and COALESCE scatter each branch into the result.
 * Cost:   AND, OR: about 1 ns a row and argument; CASE: two list passes a
 *         branch.
 */
/* Loops over flat arrays; -O2 alone leaves them scalar. */
#pragma GCC optimize("O3")
#include "expr/expr_compile.h"
#include "util/error_list.h"

enum { CODE_FALSE, CODE_NULL, CODE_TRUE };

/* Rows 0 .. count - 1 of a BOOLEAN vector as codes. */
static void codes_of(const struct vector *flag, size_t count,
		     uint8_t *restrict codes)
{
	const uint8_t *value = vector_bool(flag);

	for (size_t i = 0; i < count; i++)
		codes[i] = value[i] ? CODE_TRUE : CODE_FALSE;
	if (!flag->validity)
		return;
	for (size_t w = 0; w < BITMAP_WORDS(count); w++) {
		uint64_t nulls = ~flag->validity[w];

		while (nulls) {
			size_t i = w * 64 + (size_t)__builtin_ctzll(nulls);

			if (i < count)
				codes[i] = CODE_NULL;
			nulls &= nulls - 1;
		}
	}
}

/* codes = codes AND (or OR) flag, for rows 0 .. count - 1. */
static void merge_all(const struct vector *flag, bool is_or, size_t count,
		      uint8_t *restrict codes, uint8_t *restrict scratch)
{
	codes_of(flag, count, scratch);
	if (is_or) {
		for (size_t i = 0; i < count; i++)
			codes[i] = codes[i] > scratch[i] ? codes[i]
							 : scratch[i];
	} else {
		for (size_t i = 0; i < count; i++)
			codes[i] = codes[i] < scratch[i] ? codes[i]
							 : scratch[i];
	}
}

static void merge_rows(const struct vector *flag, bool is_or,
		       const struct selection *rows, uint8_t *codes)
{
	for (size_t k = 0; k < rows->count; k++) {
		size_t i = selection_row(rows, k);
		uint8_t code = vector_is_null(flag, i) ? CODE_NULL
			: vector_bool(flag)[i] ? CODE_TRUE : CODE_FALSE;

		if (is_or ? code > codes[i] : code < codes[i])
			codes[i] = code;
	}
}

/* The rows whose code is not the one that decides. */
static void open_rows(const struct selection *rows, const uint8_t *codes,
		      uint8_t decided, struct selection_buffer *out)
{
	size_t count = 0;

	for (size_t k = 0; k < rows->count; k++) {
		uint32_t i = (uint32_t)selection_row(rows, k);

		out->rows[count] = i;
		count += codes[i] != decided;
	}
	out->count = count;
}

/* Codes to a BOOLEAN vector. */
static int codes_to_result(struct expr_step *step, struct expr_frame *frame,
			   const uint8_t *codes)
{
	size_t count = frame->row_count;
	uint8_t *restrict value;
	uint8_t any_null = 0;
	int rc = step_result(step, frame);

	if (rc)
		return rc;
	value = vector_bool(&step->result);
	for (size_t i = 0; i < count; i++) {
		value[i] = codes[i] >> 1;
		any_null |= codes[i] & CODE_NULL;
	}
	if (!any_null)
		return 0;
	rc = vector_own_validity(&step->result, frame->err);
	for (size_t i = 0; i < count && !rc; i++) {
		if (codes[i] == CODE_NULL)
			bits_clear(step->result.validity, i);
	}
	return rc;
}

/* Codes and the scratch behind them, row_count bytes each. Rows nobody asked
 * for start as decided. */
static int reserve_codes(struct expr_step *step, struct expr_frame *frame,
			 uint8_t decided)
{
	int rc = vector_reserve(&step->codes, 2 * frame->row_count,
				frame->err);

	if (!rc)
		memset(step->codes.data, decided, frame->row_count);
	return rc;
}

int step_run_and_or(struct expr_step *step, struct expr_frame *frame,
		    const struct selection *rows, const struct vector **out)
{
	bool is_or = step->node->kind == EXPR_OR;
	uint8_t decided = is_or ? CODE_TRUE : CODE_FALSE;
	struct selection open = *rows;
	uint8_t *codes;
	int rc = reserve_codes(step, frame, decided);

	if (rc)
		return rc;
	codes = vector_bool(&step->codes);
	for (size_t k = 0; k < rows->count; k++)
		codes[selection_row(rows, k)] = is_or ? CODE_FALSE
						      : CODE_TRUE;
	for (size_t i = 0; i < step->arg_count; i++) {
		struct selection_buffer *rest = &step->rest[i & 1];
		const struct vector *flag;

		if (i && !step->args[i]->is_cheap) {
			rc = step_buffer(rest, frame->row_count, frame->err);
			if (rc)
				return rc;
			open_rows(&open, codes, decided, rest);
			open = selection_of(rest);
			if (!open.count)
				break;
		}
		rc = step_evaluate(step->args[i], frame, &open, &flag);
		if (rc)
			return rc;
		if (open.rows)
			merge_rows(flag, is_or, &open, codes);
		else
			merge_all(flag, is_or, open.count, codes,
				  codes + frame->row_count);
	}
	*out = &step->result;
	return codes_to_result(step, frame, codes);
}

int step_run_not(struct expr_step *step, struct expr_frame *frame,
		 const struct selection *rows, const struct vector **out)
{
	const struct vector *in;
	const uint8_t *value;
	uint8_t *restrict result;
	int rc = step_evaluate(step->args[0], frame, rows, &in);

	if (!rc)
		rc = step_result(step, frame);
	if (rc)
		return rc;
	value = vector_bool(in);
	result = vector_bool(&step->result);
	step->result.validity = in->validity;
	for (size_t i = 0; i < frame->row_count; i++)
		result[i] = !value[i];
	*out = &step->result;
	return 0;
}

int step_run_is_null(struct expr_step *step, struct expr_frame *frame,
		     const struct selection *rows, const struct vector **out)
{
	const struct vector *in;
	uint8_t *result;
	int rc = step_evaluate(step->args[0], frame, rows, &in);

	if (!rc)
		rc = step_result(step, frame);
	if (rc)
		return rc;
	*out = &step->result;
	result = vector_bool(&step->result);
	if (!in->validity) {
		memset(result, 0, frame->row_count);
		return 0;
	}
	for (size_t i = 0; i < frame->row_count; i++)
		result[i] = !bits_get(in->validity, i);
	return 0;
}

int step_run_in(struct expr_step *step, struct expr_frame *frame,
		const struct selection *rows, const struct vector **out)
{
	const struct vector *in;
	uint8_t *result;
	int rc = step_evaluate(step->args[0], frame, rows, &in);

	if (!rc)
		rc = step_result(step, frame);
	if (rc)
		return rc;
	*out = &step->result;
	result = vector_bool(&step->result);
	step->result.validity = in->validity;
	literal_set_match(step->set, in, rows, result);
	if (!step->set_has_null)
		return 0;
	/* Not found beside a NULL: unknown. */
	rc = vector_own_validity(&step->result, frame->err);
	for (size_t k = 0; k < rows->count && !rc; k++) {
		size_t i = selection_row(rows, k);

		if (!vector_is_null(in, i) && !result[i])
			bits_clear(step->result.validity, i);
	}
	return rc;
}

static int set_nulls(struct expr_step *step, struct expr_frame *frame,
		     const struct selection *rows)
{
	int rc = vector_reserve(&step->result, frame->row_count, frame->err);

	if (rc)
		return rc;
	step->result.count = frame->row_count;
	rc = vector_own_validity(&step->result, frame->err);
	for (size_t k = 0; k < rows->count && !rc; k++)
		bits_clear(step->result.validity, selection_row(rows, k));
	return rc;
}

/* The result of one branch for its rows. */
static int take_branch(struct expr_step *step, struct expr_step *branch,
		       struct expr_frame *frame, const struct selection *rows)
{
	const struct vector *value;
	int rc;

	if (!rows->count)
		return 0;
	rc = step_evaluate(branch, frame, rows, &value);
	if (rc)
		return rc;
	return vector_scatter(&step->result, value, rows, frame->row_count,
			      frame->err);
}

int step_run_case(struct expr_step *step, struct expr_frame *frame,
		  const struct selection *rows, const struct vector **out)
{
	struct selection open = *rows, picked;
	const struct vector *flag;
	int rc = step_buffer(&step->picked, frame->row_count, frame->err);

	*out = &step->result;
	for (size_t i = 0; i < 2 && !rc; i++)
		rc = step_buffer(&step->rest[i], frame->row_count,
				 frame->err);
	if (!rc)
		rc = step_result(step, frame);
	for (size_t i = 0; !rc && i + 1 < step->arg_count && open.count;
	     i += 2) {
		struct selection_buffer *rest = &step->rest[i / 2 & 1];

		rc = step_evaluate(step->args[i], frame, &open, &flag);
		if (rc)
			break;
		selection_split(&open, flag, &step->picked, rest);
		picked = selection_of(&step->picked);
		open = selection_of(rest);
		if (!open.count && picked.count == rows->count)
			return step_evaluate(step->args[i + 1], frame, rows,
					     out);
		rc = take_branch(step, step->args[i + 1], frame, &picked);
	}
	if (rc || !open.count)
		return rc;
	if (step->arg_count % 2 == 0)
		return set_nulls(step, frame, &open);
	if (open.count == rows->count)
		return step_evaluate(step->args[step->arg_count - 1], frame,
				     rows, out);
	return take_branch(step, step->args[step->arg_count - 1], frame,
			   &open);
}

/* Split rows by whether the value is there. */
static void split_nulls(const struct selection *rows,
			const struct vector *value,
			struct selection_buffer *present,
			struct selection_buffer *missing)
{
	size_t there = 0, gone = 0;

	for (size_t k = 0; k < rows->count; k++) {
		uint32_t i = (uint32_t)selection_row(rows, k);
		bool is_null = vector_is_null(value, i);

		present->rows[there] = i;
		missing->rows[gone] = i;
		there += !is_null;
		gone += is_null;
	}
	present->count = there;
	missing->count = gone;
}

int step_run_coalesce(struct expr_step *step, struct expr_frame *frame,
		      const struct selection *rows, const struct vector **out)
{
	struct selection open = *rows, there;
	const struct vector *value;
	int rc = step_evaluate(step->args[0], frame, rows, &value);

	if (rc)
		return rc;
	if (!value->validity || step->arg_count == 1) {
		*out = value;
		return 0;
	}
	*out = &step->result;
	rc = step_buffer(&step->picked, frame->row_count, frame->err);
	for (size_t i = 0; i < 2 && !rc; i++)
		rc = step_buffer(&step->rest[i], frame->row_count,
				 frame->err);
	if (!rc)
		rc = step_result(step, frame);
	for (size_t i = 0; !rc; ) {
		struct selection_buffer *rest = &step->rest[i & 1];

		split_nulls(&open, value, &step->picked, rest);
		there = selection_of(&step->picked);
		open = selection_of(rest);
		rc = vector_scatter(&step->result, value, &there,
				    frame->row_count, frame->err);
		if (rc || !open.count)
			return rc;
		if (++i == step->arg_count)
			return set_nulls(step, frame, &open);
		rc = step_evaluate(step->args[i], frame, &open, &value);
	}
	return rc;
}

/* What is wrong with a subquery that is asked for. */
static int tell_state(struct expr_frame *frame, int32_t state)
{
	if (state == SINGLE_SEVERAL)
		return error_set(frame->err, ERROR_SUBQUERY_MULTIPLE_ROWS,
				 "a subquery that stands for a value gives "
				 "more than one row");
	return error_list_get(frame->program->context->errors,
			      (size_t)state - SINGLE_FAILED, frame->err);
}

/* Split rows by whether the subquery gave one; the first that is wrong. */
static size_t split_states(struct expr_step *step, const struct vector *state,
			   const struct selection *rows)
{
	struct selection_buffer *one = &step->picked, *none = &step->rest[0];
	size_t wrong = SIZE_MAX;

	for (size_t k = rows->count; k-- > 0;) {
		size_t i = selection_row(rows, k);

		if (!vector_is_null(state, i) && vector_i32(state)[i])
			wrong = i;
	}
	if (wrong == SIZE_MAX) {
		split_nulls(rows, state, one, none);
	} else {
		one->count = 0;
		none->count = 0;
	}
	return wrong;
}

int step_run_single(struct expr_step *step, struct expr_frame *frame,
		    const struct selection *rows, const struct vector **out)
{
	/* a column of the join is NULL already where there was no row */
	bool is_found = step->arg_count == 2 &&
			step->args[1]->node->kind == EXPR_COLUMN;
	struct selection one, none;
	const struct vector *state;
	size_t wrong;
	int rc = step_evaluate(step->args[0], frame, rows, &state);

	if (!rc)
		rc = step_buffer(&step->picked, frame->row_count, frame->err);
	if (!rc)
		rc = step_buffer(&step->rest[0], frame->row_count, frame->err);
	if (rc)
		return rc;
	wrong = split_states(step, state, rows);
	if (wrong != SIZE_MAX) {
		frame->failed_row = wrong;
		return tell_state(frame, vector_i32(state)[wrong]);
	}
	one = selection_of(&step->picked);
	none = selection_of(&step->rest[0]);
	if (!none.count || is_found)
		return step_evaluate(step->args[1], frame, rows, out);
	*out = &step->result;
	rc = step_result(step, frame);
	if (!rc)
		rc = take_branch(step, step->args[1], frame, &one);
	if (rc)
		return rc;
	return step->arg_count == 2 ? set_nulls(step, frame, &none)
		: take_branch(step, step->args[2], frame, &none);
}
