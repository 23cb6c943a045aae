/*
 * expr_run.c - evaluate a program over a batch
 *
 * Why:    one expression, thousands of rows at a time, only where asked.
 * How:    each step computes the selected rows into its own register, which
 *         is aligned with the batch, so that nothing is ever compacted.
 *         Strict calls get the validity of their result as the AND of their
 *         arguments' bitmaps before the kernel runs; with one argument that
 *         has nulls its bitmap is borrowed.
 * Cost:   per step and batch a few hundred ns of overhead; registers are
 *         reused between runs, bytes of text go to one arena.
 */
#include "expr/expr_compile.h"

static const struct expr_context no_context;

int step_buffer(struct selection_buffer *buffer, size_t row_count,
		struct error *err)
{
	if (buffer->rows && buffer->capacity >= row_count)
		return 0;
	selection_buffer_release(buffer);
	return selection_buffer_init(buffer, row_count ? row_count : 1, err);
}

int step_result(struct expr_step *step, struct expr_frame *frame)
{
	int rc;

	vector_reset(&step->result);
	rc = vector_reserve(&step->result, frame->row_count, frame->err);
	step->result.count = frame->row_count;
	return rc;
}

int step_evaluate(struct expr_step *step, struct expr_frame *frame,
		  const struct selection *rows, const struct vector **out)
{
	int rc;

	if (!rows->count && step->node->kind != EXPR_COLUMN &&
	    step->node->kind != EXPR_LITERAL) {
		*out = &step->result;
		return step_result(step, frame);
	}
	rc = step->run(step, frame, rows, out);
	if (rc && frame->err && !frame->err->line && step->node->line &&
	    rc != ERROR_NO_MEMORY)
		error_at(frame->err, NULL, step->node->line,
			 step->node->position);
	return rc;
}

int step_run_literal(struct expr_step *step, struct expr_frame *frame,
		     const struct selection *rows, const struct vector **out)
{
	int rc;

	*out = &step->result;
	if (step->filled_rows < frame->row_count) {
		rc = vector_fill(&step->result, &step->node->literal,
				 frame->row_count, frame->err);
		if (rc) {
			step->filled_rows = 0;
			return rc;
		}
		step->filled_rows = frame->row_count;
	}
	step->result.count = frame->row_count;
	return 0;
}

int step_run_column(struct expr_step *step, struct expr_frame *frame,
		    const struct selection *rows, const struct vector **out)
{
	*out = frame->columns[step->node->column];
	return 0;
}

static int strict_validity(struct expr_step *step, struct expr_frame *frame)
{
	struct vector *result = &step->result;
	size_t words = BITMAP_WORDS(frame->row_count);

	for (size_t i = 0; i < step->arg_count; i++) {
		const uint64_t *validity = step->arg_values[i]->validity;
		int rc;

		if (!validity || validity == result->validity)
			continue;
		if (!result->validity) {
			result->validity = (uint64_t *)validity;
			continue;
		}
		rc = vector_own_validity(result, frame->err);
		if (rc)
			return rc;
		for (size_t w = 0; w < words; w++)
			result->validity[w] &= validity[w];
	}
	return 0;
}

int step_run_call(struct expr_step *step, struct expr_frame *frame,
		  const struct selection *rows, const struct vector **out)
{
	struct kernel_call call = {
		.node = step->node,
		.args = step->arg_values,
		.is_constant = step->arg_is_constant,
		.arg_count = step->arg_count,
		.rows = rows,
		.row_count = frame->row_count,
		.result = &step->result,
		.heap = &frame->program->heap,
		.context = frame->program->context ? frame->program->context
						   : &no_context,
		.state = step->state,
		.failed_row = selection_row(rows, 0),
		.err = frame->err,
	};
	int rc;

	for (size_t i = 0; i < step->arg_count; i++) {
		rc = step_evaluate(step->args[i], frame, rows,
				   &step->arg_values[i]);
		if (rc)
			return rc;
	}
	rc = step_result(step, frame);
	if (!rc && step->is_strict)
		rc = strict_validity(step, frame);
	if (rc)
		return rc;
	rc = step->kernel(&call);
	if (rc)
		frame->failed_row = call.failed_row;
	*out = &step->result;
	return rc;
}

int step_run_relabel(struct expr_step *step, struct expr_frame *frame,
		     const struct selection *rows, const struct vector **out)
{
	const struct vector *in;
	int rc = step_evaluate(step->args[0], frame, rows, &in);

	if (rc)
		return rc;
	vector_reference(&step->result, in);
	step->result.type = step->node->type;
	*out = &step->result;
	return 0;
}

static void frame_begin(struct expr_frame *frame,
			struct expr_program *program,
			const struct vector *const *columns, size_t row_count,
			struct error *err)
{
	frame->program = program;
	frame->columns = columns;
	frame->row_count = row_count;
	frame->failed_row = SIZE_MAX;
	frame->err = err;
	arena_reset(&program->heap);
}

static int frame_end(const struct expr_frame *frame, int rc,
		     const struct selection *rows, size_t *failed_row)
{
	if (!rc || !failed_row)
		return rc;
	*failed_row = frame->failed_row;
	if (*failed_row == SIZE_MAX)
		*failed_row = rows->count ? selection_row(rows, 0) : 0;
	return rc;
}

int expr_program_run(struct expr_program *program,
		     const struct vector *const *columns, size_t row_count,
		     const struct selection *rows, const struct vector **out,
		     size_t *failed_row, struct error *err)
{
	struct expr_frame frame;
	int rc;

	frame_begin(&frame, program, columns, row_count, err);
	rc = step_evaluate(program->root, &frame, rows, out);
	if (rc)
		*out = NULL;
	return frame_end(&frame, rc, rows, failed_row);
}

/* rows of `in` that are not in `taken`, both ascending. */
static void rows_without(const struct selection *in,
			 const struct selection *taken,
			 struct selection_buffer *out)
{
	size_t next = 0, count = 0;

	for (size_t i = 0; i < in->count; i++) {
		uint32_t row = (uint32_t)selection_row(in, i);

		if (next < taken->count && selection_row(taken, next) == row)
			next++;
		else
			out->rows[count++] = row;
	}
	out->count = count;
}

/* The conjuncts of the root; a condition that is no AND is one of its own. */
static size_t conjuncts(struct expr_program *program,
			struct expr_step *const **out)
{
	if (program->root->node->kind != EXPR_AND) {
		*out = &program->root;
		return 1;
	}
	*out = program->root->args;
	return program->root->arg_count;
}

/* Narrow in by one conjunct after the other; the last goes to yes. */
static int filter_all(struct expr_program *program, struct expr_frame *frame,
		      const struct selection *in,
		      struct selection_buffer *yes)
{
	struct expr_step *const *steps;
	size_t count = conjuncts(program, &steps);
	struct selection rows = *in;

	for (size_t i = 0; i < count; i++) {
		struct selection_buffer *to = i + 1 == count
			? yes : &program->split[i & 1];
		const struct vector *flag;
		int rc = step_evaluate(steps[i], frame, &rows, &flag);

		if (!rc && to != yes)
			rc = step_buffer(to, in->count, frame->err);
		if (rc)
			return rc;
		selection_split(&rows, flag, to, NULL);
		rows = selection_of(to);
	}
	return 0;
}

int expr_program_filter(struct expr_program *program,
			const struct vector *const *columns,
			size_t row_count, const struct selection *in,
			struct selection_buffer *yes,
			struct selection_buffer *no, size_t *failed_row,
			struct error *err)
{
	const struct vector *flag;
	struct expr_step *const *steps;
	struct expr_frame frame;
	struct selection taken;
	int rc = 0;

	frame_begin(&frame, program, columns, row_count, err);
	if (conjuncts(program, &steps) == 1) {
		rc = step_evaluate(program->root, &frame, in, &flag);
		if (!rc)
			selection_split(in, flag, yes, no);
		return frame_end(&frame, rc, in, failed_row);
	}
	if (!yes) {
		/* The last conjunct's rows go to a buffer of our own that the
		 * one before did not use. */
		yes = &program->split[(program->root->arg_count - 1) & 1];
		rc = step_buffer(yes, in->count, err);
	}
	if (!rc)
		rc = filter_all(program, &frame, in, yes);
	if (!rc && no) {
		taken = selection_of(yes);
		rows_without(in, &taken, no);
	}
	return frame_end(&frame, rc, in, failed_row);
}

int expr_evaluate(const struct expr *expr, const struct expr_context *context,
		  struct arena *arena, struct literal *out,
		  struct error *err)
{
	struct expr_program *program;
	struct selection one = selection_all(1);
	const struct vector *values;
	struct literal value;
	int rc = expr_program_new(&program, expr, context, err);

	*out = literal_null(expr->type);
	if (rc)
		return rc;
	rc = expr_program_run(program, NULL, 1, &one, &values, NULL, err);
	if (!rc) {
		value = vector_get(values, 0);
		value.type = expr->type;
		rc = literal_copy(out, &value, arena, err);
	}
	expr_program_free(program);
	return rc;
}
