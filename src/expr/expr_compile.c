/*
 * expr_compile.c - from a bound tree to steps with registers
 *
 * Why:    everything that holds for all rows is decided once: which kernel
 *         the types want, what a LIKE pattern means, the set of an IN list.
 * How:    one step per node, children first. IN with anything but constants
 *         on the right becomes OR of comparisons, so that it is evaluated
 *         only as far as needed.
 * Cost:   registers are allocated by the first run and kept; a register holds
 *         one batch.
 * Limits: trees deeper than EXPR_DEPTH_LIMIT are refused.
 */
#include "expr/expr_compile.h"
#include "expr/kernel_cast.h"
#include "expr/kernel_nested.h"
#include "expr/kernel_zone.h"

static int compile(struct expr_program *program, const struct expr *node,
		   unsigned depth, struct expr_step **out, struct error *err);

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "expression");
}

static struct expr_step *step_new(struct expr_program *program,
				  const struct expr *node, size_t arg_count)
{
	struct expr_step *step;

	if (!mem_grow((void **)&program->steps, &program->step_capacity,
		      program->step_count, sizeof(*program->steps)))
		return NULL;
	step = arena_zalloc(&program->arena, sizeof(*step));
	if (!step)
		return NULL;
	step->node = node;
	step->arg_count = arg_count;
	step->args = arena_zalloc_array(&program->arena, arg_count,
					sizeof(*step->args));
	step->arg_values = arena_zalloc_array(&program->arena, arg_count,
					      sizeof(*step->arg_values));
	step->arg_is_constant = arena_zalloc_array(&program->arena, arg_count,
						   sizeof(bool));
	if (!step->args || !step->arg_values || !step->arg_is_constant)
		return NULL;
	vector_init(&step->result, node->type);
	vector_init(&step->codes, type_of(TYPE_BOOLEAN));
	program->steps[program->step_count++] = step;
	return step;
}

/* Fixed width all through: worth doing for rows that do not need it. */
static bool is_cheap_node(const struct expr *node)
{
	switch (node->kind) {
	case EXPR_LITERAL:
	case EXPR_COLUMN:
	case EXPR_NOT:
	case EXPR_IS_NULL:
		return true;
	case EXPR_CALL:
		return !node_can_fail(node) &&
		       (node->function->flags & (FUNCTION_SAFE |
						 FUNCTION_FLOAT_SAFE)) &&
		       node->arg_count <= 2 && node->arg_count > 0 &&
		       !type_is_view(&node->args[0]->type) &&
		       !type_is_view(&node->type);
	case EXPR_CAST:
		return !node_can_fail(node) && !type_is_view(&node->type) &&
		       !type_is_view(&node->args[0]->type);
	default:
		return false;
	}
}

static int compile_args(struct expr_program *program, struct expr_step *step,
			unsigned depth, struct error *err)
{
	const struct expr *node = step->node;

	step->is_cheap = is_cheap_node(node);
	for (size_t i = 0; i < step->arg_count; i++) {
		int rc = compile(program, node->args[i], depth + 1,
				 &step->args[i], err);

		if (rc)
			return rc;
		step->arg_is_constant[i] =
			node->args[i]->kind == EXPR_LITERAL;
		step->is_cheap &= step->args[i]->is_cheap;
	}
	return 0;
}

static int compile_call(struct expr_program *program, struct expr_step *step,
			struct error *err)
{
	const struct function *function = step->node->function;

	step->run = step_run_call;
	step->is_strict = !(function->flags & FUNCTION_LAX);
	step->kernel = function->kernel ? function->kernel
					: function->choose(step->node);
	if (!step->kernel)
		return error_set(err, ERROR_INTERNAL, "function %s was bound "
				 "to types that it does not take",
				 function->name);
	if (function->flags & FUNCTION_TRY)
		step->run = step_run_try;
	step->has_release = function->flags & FUNCTION_RELEASE;
	if (!function->prepare)
		return 0;
	return function->prepare(step->node, &program->arena, &step->state,
				 err);
}

static int compile_cast(struct expr_program *program, struct expr_step *step,
			struct error *err)
{
	const struct expr *node = step->node;
	const struct type *from = &node->args[0]->type;
	char a[TYPE_NAME_BYTES], b[TYPE_NAME_BYTES];

	if (cast_is_relabel(from, &node->type)) {
		step->run = step_run_relabel;
		return 0;
	}
	step->run = step_run_call;
	step->is_strict = true;
	step->kernel = cast_kernel(node);
	if (step->kernel == cast_nested)
		return nested_cast_prepare(node, &program->arena,
					   &step->state, err);
	if (step->kernel && zone_is_read(node)) {
		step->has_release = true;
		return zone_prepare(node, &program->arena, &step->state, err);
	}
	if (step->kernel)
		return 0;
	return error_set(err, ERROR_TYPE_MISMATCH, "cannot cast %s to %s",
			 type_name(from, a), type_name(&node->type, b));
}

static bool all_literals(struct expr *const *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (items[i]->kind != EXPR_LITERAL)
			return false;
	}
	return true;
}

/* x IN (a, b) with a or b not constant, or where a NULL may be inside: x = a
 * OR x = b. */
static int compile_in_as_or(struct expr_program *program,
			    const struct expr *node, unsigned depth,
			    struct expr_step **out, struct error *err)
{
	struct arena *arena = &program->arena;
	struct expr *any = expr_new(arena, EXPR_OR, node->type,
				    node->arg_count - 1);

	if (!any)
		return no_memory(err);
	for (size_t i = 1; i < node->arg_count; i++) {
		struct type sides[2] = { node->args[0]->type,
					 node->args[i]->type };
		struct type wanted[2], result;
		struct expr *same = expr_new(arena, EXPR_CALL, node->type, 2);
		int rc;

		if (!same)
			return no_memory(err);
		rc = function_resolve("=", sides, 2, &same->function, wanted,
				      &result, err);
		if (rc)
			return rc;
		same->args[0] = node->args[0];
		same->args[1] = node->args[i];
		same->line = node->line;
		same->position = node->position;
		any->args[i - 1] = same;
	}
	return compile(program, any, depth + 1, out, err);
}

static int compile_in(struct expr_program *program, struct expr_step *step,
		      struct error *err)
{
	const struct expr *node = step->node;

	step->run = step_run_in;
	step->is_cheap = step->args[0]->is_cheap &&
			 !type_is_view(&node->args[0]->type);
	for (size_t i = 1; i < node->arg_count; i++)
		step->set_has_null |= node->args[i]->literal.is_null;
	return literal_set_new(&step->set, node->args + 1,
			       node->arg_count - 1, &program->arena, err);
}

static int compile_kind(struct expr_program *program, struct expr_step *step,
			struct error *err)
{
	switch (step->node->kind) {
	case EXPR_LITERAL:
		step->run = step_run_literal;
		return 0;
	case EXPR_COLUMN:
		step->run = step_run_column;
		return 0;
	case EXPR_CALL:
		return compile_call(program, step, err);
	case EXPR_AND:
	case EXPR_OR:
		step->run = step_run_and_or;
		return 0;
	case EXPR_NOT:
		step->run = step_run_not;
		return 0;
	case EXPR_IS_NULL:
		step->run = step_run_is_null;
		return 0;
	case EXPR_IN:
		return compile_in(program, step, err);
	case EXPR_CASE:
		step->run = step_run_case;
		return 0;
	case EXPR_COALESCE:
		step->run = step_run_coalesce;
		return 0;
	case EXPR_CAST:
	case EXPR_TRY_CAST:
		return compile_cast(program, step, err);
	case EXPR_SINGLE:
		step->run = step_run_single;
		return 0;
	case EXPR_FIELD:
		step->run = step_run_call;
		step->kernel = nested_field_of;
		return 0;
	}
	return error_set(err, ERROR_INTERNAL, "expression of unknown kind");
}

static int compile(struct expr_program *program, const struct expr *node,
		   unsigned depth, struct expr_step **out, struct error *err)
{
	struct expr_step *step;
	int rc;

	*out = NULL;
	if (depth > EXPR_DEPTH_LIMIT)
		return error_set(err, ERROR_UNSUPPORTED, "expression nested "
				 "deeper than %d", EXPR_DEPTH_LIMIT);
	if ((node->kind == EXPR_CAST || node->kind == EXPR_TRY_CAST) &&
	    type_equal(&node->type, &node->args[0]->type))
		return compile(program, node->args[0], depth + 1, out, err);
	if (node->kind == EXPR_IN &&
	    (type_is_nested(&node->args[0]->type) ||
	     !all_literals(node->args + 1, node->arg_count - 1)))
		return compile_in_as_or(program, node, depth, out, err);
	step = step_new(program, node,
			node->kind == EXPR_IN ? 1 : node->arg_count);
	if (!step)
		return no_memory(err);
	rc = compile_args(program, step, depth, err);
	if (!rc)
		rc = compile_kind(program, step, err);
	if (rc) {
		if (rc != ERROR_NO_MEMORY && node->line && err && !err->line)
			error_at(err, NULL, node->line, node->position);
		return rc;
	}
	*out = step;
	return 0;
}

int expr_program_new(struct expr_program **out, const struct expr *expr,
		     const struct expr_context *context, struct error *err)
{
	struct expr_program *program;
	int rc;

	*out = NULL;
	program = mem_zalloc(sizeof(*program));
	if (!program)
		return no_memory(err);
	arena_init(&program->arena, 0);
	arena_init(&program->heap, 0);
	program->context = context;
	rc = compile(program, expr, 0, &program->root, err);
	if (rc) {
		expr_program_free(program);
		return rc;
	}
	*out = program;
	return 0;
}

void expr_program_free(struct expr_program *program)
{
	if (!program)
		return;
	for (size_t i = 0; i < program->step_count; i++) {
		struct expr_step *step = program->steps[i];

		if (step->has_release && step->state)
			(*(void (**)(void *))step->state)(step->state);
		vector_release(&step->result);
		vector_release(&step->codes);
		selection_buffer_release(&step->picked);
		selection_buffer_release(&step->rest[0]);
		selection_buffer_release(&step->rest[1]);
	}
	selection_buffer_release(&program->split[0]);
	selection_buffer_release(&program->split[1]);
	mem_free(program->steps);
	arena_release(&program->arena);
	arena_release(&program->heap);
	mem_free(program);
}
