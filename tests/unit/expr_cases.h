#ifndef TESTS_UNIT_EXPR_CASES_H
#define TESTS_UNIT_EXPR_CASES_H
/*
 * Run a table of calls (make_expr_tables.py). Each call is made with every
 * subset of its arguments as columns and the rest as literals, over a few
 * rows of which some are NULL, with all rows and with some selected.
 */
#include "unit/expr_build.h"

struct expr_case {
	const char *function;	/* or "cast TYPE", "try TYPE", "assign TYPE" */
	const char *args[4];
	const char *expected;	/* "TYPE:text", "TYPE" (NULL), "!CODE" */
};

#define CASE_ROWS 5

static size_t case_arg_count(const struct expr_case *c)
{
	size_t count = 0;

	while (count < 4 && c->args[count])
		count++;
	return count;
}

/* The call over these arguments; NULL (err set) if it does not bind. */
static struct expr *case_expr(const struct expr_case *c, struct expr **args,
			      size_t count)
{
	static const struct {
		const char *word;
		enum expr_kind kind;
		bool is_assignment;
	} casts[] = {
		{ "cast ", EXPR_CAST, false },
		{ "try ", EXPR_TRY_CAST, false },
		{ "assign ", EXPR_CAST, true },
	};
	char a[TYPE_NAME_BYTES], b[TYPE_NAME_BYTES];

	for (size_t i = 0; i < sizeof(casts) / sizeof(casts[0]); i++) {
		size_t length = strlen(casts[i].word);
		struct expr *cast;

		if (strncmp(c->function, casts[i].word, length) != 0)
			continue;
		cast = cast_as(casts[i].kind, args[0], c->function + length);
		cast->is_assignment = casts[i].is_assignment;
		if (type_castable(&args[0]->type, &cast->type))
			return cast;
		error_set(&err, ERROR_TYPE_MISMATCH, "cannot cast %s to %s",
			  type_name(&args[0]->type, a),
			  type_name(&cast->type, b));
		return NULL;
	}
	return call_n(c->function, args, count);
}

/* One argument as a column: NULL in the odd rows. */
static const struct vector *case_column(const struct literal *value)
{
	struct vector *vector = arena_zalloc(&arena, sizeof(*vector));
	struct literal null = literal_null(value->type);

	vector_init(vector, value->type);
	for (size_t row = 0; row < CASE_ROWS; row++)
		ck_ok(vector_append(vector, row % 2 ? &null : value, &err));
	return vector;
}

static void check_value(const struct expr_case *c, const struct literal *got,
			unsigned columns)
{
	struct literal want = value_from_text(c->expected);
	char a[TYPE_NAME_BYTES], b[TYPE_NAME_BYTES];

	ck_assert_msg(type_equal(&got->type, &want.type),
		      "%s(%s, %s): type %s, expected %s", c->function,
		      c->args[0] ? c->args[0] : "",
		      c->args[1] ? c->args[1] : "", type_name(&got->type, a),
		      type_name(&want.type, b));
	ck_assert_msg(strcmp(shown(got), shown(&want)) == 0,
		      "%s(%s, %s, %s) is %s, expected %s, columns %x",
		      c->function, c->args[0] ? c->args[0] : "",
		      c->args[1] ? c->args[1] : "",
		      c->args[2] ? c->args[2] : "", shown(got),
		      c->expected, columns);
}

/* Rows where every argument is there must be as expected. */
static void run_case(const struct expr_case *c, const struct expr *expr,
		     const struct vector *const *vectors, unsigned columns,
		     const struct selection *rows)
{
	struct expr_program *program;
	const struct vector *out;
	size_t failed;
	int rc;

	ck_ok(expr_program_new(&program, expr, &utc, &err));
	rc = expr_program_run(program, vectors, CASE_ROWS, rows, &out,
			      &failed, &err);
	if (c->expected[0] == '!') {
		ck_assert_msg(strcmp(error_name(rc), c->expected + 1) == 0,
			      "%s(%s, %s): %s, expected %s", c->function,
			      c->args[0], c->args[1] ? c->args[1] : "",
			      error_name(rc), c->expected);
		ck_assert_uint_eq(failed, selection_row(rows, 0));
	} else {
		ck_assert_msg(rc == 0, "%s(%s, %s): %s", c->function,
			      c->args[0] ? c->args[0] : "",
			      c->args[1] ? c->args[1] : "", err.text);
		for (size_t k = 0; k < rows->count; k++) {
			size_t row = selection_row(rows, k);
			struct literal got = vector_get(out, row);

			if (row % 2 == 0 || !columns)
				check_value(c, &got, columns);
		}
	}
	expr_program_free(program);
}

static void check_case(const struct expr_case *c)
{
	static const uint32_t some[] = { 2, 3, 4 }, even[] = { 0, 2 };
	const struct selection picks[] = {
		{ NULL, CASE_ROWS }, { some, 3 }, { even, 1 },
	};
	size_t count = case_arg_count(c);
	const struct vector *vectors[4] = { NULL };
	struct literal values[4];

	for (size_t i = 0; i < count; i++) {
		values[i] = value_from_text(c->args[i]);
		vectors[i] = case_column(&values[i]);
	}
	for (unsigned columns = 0; columns < 1u << count; columns++) {
		struct expr *args[4], *expr;

		for (size_t i = 0; i < count; i++)
			args[i] = columns >> i & 1
				? expr_column(&arena, i, values[i].type)
				: expr_literal(&arena, &values[i]);
		expr = case_expr(c, args, count);
		if (!expr) {
			ck_assert_msg(strcmp(error_name(err.code),
					     c->expected + 1) == 0,
				      "%s: %s", c->function, err.text);
			continue;
		}
		for (size_t k = 0; k < 3; k++)
			run_case(c, expr, vectors, columns, &picks[k]);
	}
	for (size_t i = 0; i < count; i++)
		vector_release((struct vector *)vectors[i]);
}

static void check_cases(const struct expr_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		check_case(&cases[i]);
		arena_reset(&arena);
	}
}

#define CHECK_CASES(cases) \
	check_cases(cases, sizeof(cases) / sizeof((cases)[0]))
#endif
