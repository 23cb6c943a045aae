#ifndef TESTS_UNIT_EXPR_BUILD_H
#define TESTS_UNIT_EXPR_BUILD_H
/*
 * What the tests of expr/ build trees with: a small binder that resolves
 * functions and adds the casts they want, literals from "TYPE:text".
 */
#include <stdio.h>
#include "unit/check_main.h"
#include "expr/expr.h"

static struct arena arena;
static struct error err;
static const struct expr_context utc = { .now_us = 0, .zone = NULL };

__attribute__((unused)) static void expr_setup(void)
{
	memset(&arena, 0, sizeof(arena));
	arena_init(&arena, 0);
	error_init(&err);
}

__attribute__((unused)) static void expr_teardown(void)
{
	arena_release(&arena);
}

/* "DECIMAL(10,2)" and the like; the length it takes in *used. */
static inline struct type type_from_name(const char *name, size_t *used)
{
	static const struct {
		const char *name;
		enum type_id id;
	} names[] = {
		{ "BOOLEAN", TYPE_BOOLEAN }, { "TINYINT", TYPE_TINYINT },
		{ "INTEGER", TYPE_INTEGER }, { "BIGINT", TYPE_BIGINT },
		{ "REAL", TYPE_REAL }, { "DOUBLE", TYPE_DOUBLE },
		{ "DATE", TYPE_DATE }, { "TIMESTAMP_TZ", TYPE_TIMESTAMP_TZ },
		{ "TIMESTAMP", TYPE_TIMESTAMP }, { "TIME", TYPE_TIME },
		{ "VARCHAR", TYPE_VARCHAR }, { "VARBINARY", TYPE_VARBINARY },
		{ "UUID", TYPE_UUID }, { "UNKNOWN", TYPE_UNKNOWN },
	};
	unsigned p, s;
	int length;

	if (sscanf(name, "DECIMAL(%u,%u)%n", &p, &s, &length) == 2) {
		*used = (size_t)length;
		return type_decimal(p, s);
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		*used = strlen(names[i].name);
		if (strncmp(name, names[i].name, *used) == 0 &&
		    (name[*used] == ':' || name[*used] == '\0'))
			return type_of(names[i].id);
	}
	ck_abort_msg("no type %s", name);
	return type_of(TYPE_UNKNOWN);
}

/* "INTEGER:5", "VARCHAR:abc", "DATE" (a NULL). */
static inline struct literal value_from_text(const char *text)
{
	size_t used;
	struct type type = type_from_name(text, &used);
	struct literal value = literal_null(type);
	int rc;

	if (text[used] != ':')
		return value;
	rc = parse_value(text + used + 1, strlen(text + used + 1), &type,
			 &arena, &value);
	ck_assert_msg(rc == 0, "%s does not parse: %s", text,
		      error_name(rc));
	return value;
}

static inline struct expr *lit(const char *text)
{
	struct literal value = value_from_text(text);

	return expr_literal(&arena, &value);
}

__attribute__((unused)) static struct expr *col(size_t column,
						const char *type)
{
	size_t used;

	return expr_column(&arena, column, type_from_name(type, &used));
}

static inline struct expr *cast_to(struct expr *arg, struct type type)
{
	struct expr *cast;

	if (type_equal(&arg->type, &type))
		return arg;
	cast = expr_new(&arena, EXPR_CAST, type, 1);
	cast->args[0] = arg;
	cast->line = arg->line;
	cast->position = arg->position;
	return cast;
}

__attribute__((unused)) static struct expr *
cast_as(enum expr_kind kind, struct expr *arg, const char *type)
{
	size_t used;
	struct expr *cast = expr_new(&arena, kind,
				     type_from_name(type, &used), 1);

	cast->args[0] = arg;
	return cast;
}

/* A call of count arguments with the casts that it wants; NULL (err set) if
 * there is no such function. */
static inline struct expr *call_n(const char *name, struct expr **args,
				  size_t count)
{
	struct type types[16] = { { 0 } }, wanted[16], result;
	const struct function *function;
	struct expr *call;

	for (size_t i = 0; i < count; i++)
		types[i] = args[i]->type;
	if (function_resolve(name, types, count, &function, wanted, &result,
			     &err))
		return NULL;
	call = expr_new(&arena, EXPR_CALL, result, count);
	call->function = function;
	for (size_t i = 0; i < count; i++)
		call->args[i] = cast_to(args[i], wanted[i]);
	return call;
}

__attribute__((unused)) static struct expr *
call1(const char *name, struct expr *a)
{
	return call_n(name, &a, 1);
}

__attribute__((unused)) static struct expr *
call2(const char *name, struct expr *a, struct expr *b)
{
	struct expr *args[] = { a, b };

	return call_n(name, args, 2);
}

__attribute__((unused)) static struct expr *
call3(const char *name, struct expr *a, struct expr *b, struct expr *c)
{
	struct expr *args[] = { a, b, c };

	return call_n(name, args, 3);
}

/* A node of another kind over count arguments. */
__attribute__((unused)) static struct expr *
node_n(enum expr_kind kind, struct type type, struct expr **args,
       size_t count)
{
	struct expr *node = expr_new(&arena, kind, type, count);

	memcpy(node->args, args, count * sizeof(*args));
	return node;
}

#define NODE(kind, type, ...) \
	node_n(kind, type, (struct expr *[]){ __VA_ARGS__ }, \
	       sizeof((struct expr *[]){ __VA_ARGS__ }) / \
	       sizeof(struct expr *))
#define BOOL_NODE(kind, ...) \
	NODE(kind, type_of(TYPE_BOOLEAN), __VA_ARGS__)

/* "NULL", the text of a value, or "!CODE" for an error. */
__attribute__((unused)) static const char *shown(const struct literal *value)
{
	struct text text = TEXT_INIT;
	char *copy;

	if (value->is_null)
		return "NULL";
	format_literal(value, &text);
	copy = arena_strndup(&arena, text.data ? text.data : "",
			     text.length);
	text_release(&text);
	return copy;
}

__attribute__((unused)) static const char *evaluated(const struct expr *expr)
{
	struct literal value;
	int rc;

	if (!expr)
		return arena_printf(&arena, "!%s", error_name(err.code));
	error_init(&err);
	rc = expr_evaluate(expr, &utc, &arena, &value, &err);
	if (rc)
		return arena_printf(&arena, "!%s", error_name(rc));
	return shown(&value);
}
#endif
