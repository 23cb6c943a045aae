/*
 * binder.c - what every part of the binder needs
 *
 * Limits: some syntax is bound more than once (BETWEEN's operand, a CTE at
 *         each reference), and nested uses of it multiply; the number of
 *         nodes per token is bounded so that a small text cannot become a
 *         huge plan.
 */
#include <stdarg.h>
#include <stdio.h>
#include "sql/binder.h"

void *binder_alloc(struct binder *binder, size_t count, size_t size)
{
	void *memory = arena_zalloc_array(binder->arena, count, size);

	if (!memory)
		binder_no_memory(binder);
	return memory;
}

int binder_no_memory(struct binder *binder)
{
	return error_set(binder->err, ERROR_NO_MEMORY, "binding %s",
			 binder->file);
}

int binder_count(struct binder *binder, const struct sql_place *place)
{
	if (binder->node_count++ < binder->node_limit)
		return 0;
	return sql_error(binder->err, ERROR_UNSUPPORTED, place,
			 "the statement repeats its parts too often");
}

int binder_enter(struct binder *binder, const struct sql_place *place)
{
	if (binder->depth < SQL_DEPTH_LIMIT) {
		binder->depth++;
		return 0;
	}
	return sql_error(binder->err, ERROR_UNSUPPORTED, place,
			 "queries nested deeper than %d levels",
			 SQL_DEPTH_LIMIT);
}

void binder_leave(struct binder *binder)
{
	binder->depth--;
}

int binder_warn(struct binder *binder, const char *fmt, ...)
{
	char text[ERROR_TEXT_BYTES];
	char *copy;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	copy = arena_strdup(binder->arena, text);
	if (!copy || !ast_list_add(&binder->warnings, binder->arena, copy))
		return binder_no_memory(binder);
	return 0;
}

/*
 * What expr_fold() leaves because it depends on the statement's time or zone:
 * evaluate that too, so that it can prune. A failure stays for the rows that
 * reach it. No function differs from call to call within a statement.
 */
static int fold_context(struct binder *binder, struct expr **slot)
{
	struct expr *expr = *slot;
	struct literal literal;
	struct error ignored;
	int rc = 0;

	if (expr->kind == EXPR_LITERAL || expr->kind == EXPR_COLUMN)
		return 0;
	if (!expr_is_constant(expr)) {
		for (size_t i = 0; i < expr->arg_count && !rc; i++)
			rc = fold_context(binder, &expr->args[i]);
		return rc;
	}
	rc = expr_evaluate(expr, &binder->options->context, binder->arena,
			   &literal, &ignored);
	if (rc)
		return rc == ERROR_NO_MEMORY ? binder_no_memory(binder) : 0;
	literal.type = expr->type;
	*slot = expr_literal(binder->arena, &literal);
	if (!*slot)
		return binder_no_memory(binder);
	(*slot)->line = expr->line;
	(*slot)->position = expr->position;
	return 0;
}

int binder_fold(struct binder *binder, struct expr **expr)
{
	int rc = *expr ? expr_fold(expr, binder->arena, binder->err) : 0;

	if (rc || !*expr || !binder->options || binder->keeps_calls)
		return rc;
	return fold_context(binder, expr);
}

struct expr *null_expr(struct binder *binder, const struct type *type)
{
	struct literal literal = literal_null(*type);

	return expr_literal(binder->arena, &literal);
}

int expr_node(struct binder *binder, enum expr_kind kind, struct type type,
	      size_t arg_count, const struct sql_place *place,
	      struct expr **out)
{
	*out = expr_new(binder->arena, kind, type, arg_count);
	if (!*out)
		return binder_no_memory(binder);
	(*out)->line = place->line;
	(*out)->position = place->position;
	return 0;
}
