/*
 * Programs over batches: whatever the selection, each row comes out as if it
 * were alone; filters split accordingly.
 */
#include "unit/expr_build.h"

#define ROWS 200
#define COLUMNS 6

static const char *const column_types[COLUMNS] = {
	"INTEGER", "BIGINT", "DOUBLE", "DECIMAL(9,2)", "VARCHAR", "BOOLEAN",
};
static struct vector columns[COLUMNS];
static const struct vector *vectors[COLUMNS];
static uint64_t seed;

static uint32_t below(uint32_t limit)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % limit;
}

static struct literal random_value(size_t column)
{
	static const char *const doubles[] = {
		"DOUBLE:NaN", "DOUBLE:-0.0", "DOUBLE:0.0", "DOUBLE:1.5",
		"DOUBLE:-Infinity",
	};
	static const char *const texts[] = {
		"VARCHAR:", "VARCHAR:a", "VARCHAR:ab", "VARCHAR:7",
		"VARCHAR:12",
	};
	const char *type = column_types[column];

	if (below(6) == 0)
		return value_from_text(type);
	switch (column) {
	case 2:
		return value_from_text(doubles[below(5)]);
	case 3:
		return value_from_text(arena_printf(&arena, "%s:%d.%02u",
						    type,
						    (int)below(9) - 4,
						    below(100)));
	case 4:
		return value_from_text(texts[below(5)]);
	case 5:
		return value_from_text(below(2) ? "BOOLEAN:true"
						: "BOOLEAN:false");
	default:
		return value_from_text(arena_printf(&arena, "%s:%d", type,
						    (int)below(7) - 3));
	}
}

static void batch_setup(void)
{
	expr_setup();
	seed = 20240229;
	for (size_t c = 0; c < COLUMNS; c++) {
		size_t used;

		vector_init(&columns[c],
			    type_from_name(column_types[c], &used));
		for (size_t row = 0; row < ROWS; row++) {
			struct literal value = random_value(c);

			ck_ok(vector_append(&columns[c], &value, &err));
		}
		vectors[c] = &columns[c];
	}
}

static void batch_teardown(void)
{
	for (size_t c = 0; c < COLUMNS; c++)
		vector_release(&columns[c]);
	expr_teardown();
}

static struct expr *random_boolean(unsigned depth);
static struct expr *random_number(unsigned depth);

/* What a join found for a subquery: one row, none or several. */
static struct expr *random_single(unsigned depth)
{
	struct type integer = type_of(TYPE_INTEGER);
	struct type bigint = type_of(TYPE_BIGINT);
	struct expr *state = NODE(EXPR_CASE, integer,
				  random_boolean(depth), lit("INTEGER:0"),
				  BOOL_NODE(EXPR_IS_NULL, col(1, "BIGINT")),
				  lit("INTEGER:1"));
	struct expr *value = call2("+", random_number(depth),
				   lit("BIGINT:0"));

	value = cast_to(value, bigint);
	if (below(2))
		return NODE(EXPR_SINGLE, bigint, state, value);
	return NODE(EXPR_SINGLE, bigint, state, value,
		    cast_to(random_number(depth), bigint));
}

static struct expr *random_number(unsigned depth)
{
	static const char *const operators[] = { "+", "-", "*", "/", "%" };
	struct type bigint = type_of(TYPE_BIGINT);
	struct expr *a;

	switch (depth ? below(9) : below(3)) {
	case 0:
		return col(0, "INTEGER");
	case 1:
		return cast_to(col(1, "BIGINT"), bigint);
	case 2:
		return lit(arena_printf(&arena, "BIGINT:%d",
					(int)below(7) - 3));
	case 3:
		return NODE(EXPR_CASE, bigint, random_boolean(depth - 1),
			    cast_to(random_number(depth - 1), bigint),
			    random_boolean(depth - 1),
			    cast_to(random_number(depth - 1), bigint));
	case 4:
		return NODE(EXPR_COALESCE, bigint,
			    cast_to(random_number(depth - 1), bigint),
			    cast_to(random_number(depth - 1), bigint));
	case 5:
		return cast_as(EXPR_TRY_CAST, col(4, "VARCHAR"), "BIGINT");
	case 6:
		a = cast_as(EXPR_CAST, col(3, "DECIMAL(9,2)"), "INTEGER");
		return call2("+", a, random_number(depth - 1));
	case 7:
		return random_single(depth - 1);
	default:
		a = random_number(depth - 1);
		return call2(operators[below(5)], a,
			     random_number(depth - 1));
	}
}

static struct expr *random_boolean(unsigned depth)
{
	static const char *const compares[] = {
		"=", "<>", "<", "<=", ">", ">=", "is distinct from",
	};
	struct expr *a;

	switch (depth ? below(9) : below(4)) {
	case 0:
		return col(5, "BOOLEAN");
	case 1:
		return call2(compares[below(7)], col(2, "DOUBLE"),
			     lit("DOUBLE:0.0"));
	case 2:
		return call2(compares[below(7)], col(4, "VARCHAR"),
			     lit("VARCHAR:ab"));
	case 3:
		return BOOL_NODE(EXPR_IS_NULL, col(below(2), "INTEGER"));
	case 4:
		a = random_boolean(depth - 1);
		return BOOL_NODE(EXPR_AND, a, random_boolean(depth - 1),
				 random_boolean(depth - 1));
	case 5:
		a = random_boolean(depth - 1);
		return BOOL_NODE(EXPR_OR, a, random_boolean(depth - 1));
	case 6:
		return BOOL_NODE(EXPR_NOT, random_boolean(depth - 1));
	case 7:
		return BOOL_NODE(EXPR_IN, col(0, "INTEGER"),
				 lit("INTEGER:1"), lit("INTEGER:-2"),
				 lit(below(2) ? "INTEGER" : "INTEGER:3"));
	default:
		a = random_number(depth - 1);
		return call2(compares[below(7)], a, random_number(depth - 1));
	}
}

/* IS NULL of column 0 or 1 must carry that column's own type. */
static void fix_types(struct expr *expr)
{
	size_t used;

	if (expr->kind == EXPR_COLUMN)
		expr->type = type_from_name(column_types[expr->column],
					    &used);
	for (size_t i = 0; i < expr->arg_count; i++)
		fix_types(expr->args[i]);
}

/* Each row evaluated in a batch of its own, into texts. */
static void rows_alone(struct expr_program *program, const char **out)
{
	for (size_t row = 0; row < ROWS; row++) {
		struct vector one[COLUMNS];
		const struct vector *pointers[COLUMNS], *result;
		const struct selection all = selection_all(1);
		struct literal value;
		int rc;

		for (size_t c = 0; c < COLUMNS; c++) {
			vector_init(&one[c], columns[c].type);
			value = vector_get(&columns[c], row);
			ck_ok(vector_append(&one[c], &value, &err));
			pointers[c] = &one[c];
		}
		rc = expr_program_run(program, pointers, 1, &all, &result,
				      NULL, &err);
		if (rc) {
			out[row] = arena_printf(&arena, "!%s",
						error_name(rc));
		} else {
			value = vector_get(result, 0);
			out[row] = shown(&value);
		}
		for (size_t c = 0; c < COLUMNS; c++)
			vector_release(&one[c]);
	}
}

/* Some of the rows that do not fail alone (all of them for density 100). */
static size_t pick_rows(const char *const *alone, uint32_t density,
			uint32_t *rows)
{
	size_t count = 0;

	for (uint32_t row = 0; row < ROWS; row++) {
		if (alone[row][0] != '!' && below(100) < density)
			rows[count++] = row;
	}
	return count;
}

static void check_selection(struct expr_program *program,
			    const char *const *alone,
			    const struct selection *rows)
{
	const struct vector *out;

	ck_ok(expr_program_run(program, vectors, ROWS, rows, &out, NULL,
			       &err));
	for (size_t k = 0; k < rows->count; k++) {
		size_t row = selection_row(rows, k);
		struct literal value = vector_get(out, row);

		ck_assert_msg(strcmp(shown(&value), alone[row]) == 0,
			      "row %zu is %s, alone %s", row, shown(&value),
			      alone[row]);
	}
}

static void check_filter(struct expr_program *program,
			 const char *const *alone,
			 const struct selection *rows)
{
	struct selection_buffer yes = { 0 }, no = { 0 };
	size_t y = 0, n = 0;

	ck_ok(selection_buffer_init(&yes, ROWS, &err));
	ck_ok(selection_buffer_init(&no, ROWS, &err));
	ck_ok(expr_program_filter(program, vectors, ROWS, rows, &yes, &no,
				  NULL, &err));
	for (size_t k = 0; k < rows->count; k++) {
		size_t row = selection_row(rows, k);

		if (strcmp(alone[row], "true") == 0)
			ck_assert_uint_eq(yes.rows[y++], row);
		else
			ck_assert_uint_eq(no.rows[n++], row);
	}
	ck_assert_uint_eq(yes.count, y);
	ck_assert_uint_eq(no.count, n);
	no.count = 99;
	ck_ok(expr_program_filter(program, vectors, ROWS, rows, NULL, &no,
				  NULL, &err));
	ck_assert_uint_eq(no.count, n);
	ck_ok(expr_program_filter(program, vectors, ROWS, rows, &yes, NULL,
				  NULL, &err));
	ck_assert_uint_eq(yes.count, y);
	selection_buffer_release(&yes);
	selection_buffer_release(&no);
}

/* A failing row anywhere in the selection fails the run with its error. */
static void check_failure(struct expr_program *program,
			  const char *const *alone)
{
	const struct selection all = selection_all(ROWS);
	const struct vector *out;
	bool any = false;
	size_t failed;
	int rc = expr_program_run(program, vectors, ROWS, &all, &out, &failed,
				  &err);

	for (size_t row = 0; row < ROWS; row++)
		any |= alone[row][0] == '!';
	ck_assert_int_eq(rc != 0, any);
	if (rc)
		ck_assert_msg(alone[failed][0] == '!',
			      "row %zu is blamed, alone it is %s", failed,
			      alone[failed]);
}

START_TEST(any_selection_gives_what_each_row_gives_alone)
{
	static const uint32_t densities[] = { 100, 80, 30, 5, 0 };
	bool is_boolean = _i % 2;

	seed += (uint64_t)_i * 7919;
	for (unsigned round = 0; round < 12; round++) {
		struct expr *expr = is_boolean ? random_boolean(4)
					       : random_number(4);
		const char **alone = arena_zalloc_array(&arena, ROWS,
							sizeof(*alone));
		struct expr_program *program;
		uint32_t rows[ROWS];

		fix_types(expr);
		ck_ok(expr_program_new(&program, expr, &utc, &err));
		rows_alone(program, alone);
		for (size_t d = 0; d < 5; d++) {
			struct selection some = {
				rows, pick_rows(alone, densities[d], rows),
			};

			check_selection(program, alone, &some);
			if (is_boolean)
				check_filter(program, alone, &some);
		}
		check_failure(program, alone);
		expr_program_free(program);
	}
}
END_TEST

/* Folding must not change what any row gives. */
START_TEST(a_folded_tree_gives_the_same)
{
	seed += (uint64_t)_i * 104729;
	for (unsigned round = 0; round < 12; round++) {
		struct expr *expr = _i % 2 ? random_boolean(4)
					   : random_number(4);
		struct expr *folded = expr;
		const char **a = arena_zalloc_array(&arena, ROWS, sizeof(*a));
		const char **b = arena_zalloc_array(&arena, ROWS, sizeof(*b));
		struct expr_program *program;

		fix_types(expr);
		ck_ok(expr_fold(&folded, &arena, &err));
		ck_ok(expr_program_new(&program, expr, &utc, &err));
		rows_alone(program, a);
		expr_program_free(program);
		ck_ok(expr_program_new(&program, folded, &utc, &err));
		rows_alone(program, b);
		expr_program_free(program);
		for (size_t row = 0; row < ROWS; row++) {
			/* A row may fail less once nothing needs it. */
			if (a[row][0] != '!')
				ck_assert_str_eq(a[row], b[row]);
		}
	}
}
END_TEST

/* Whatever stands at a null or at a row nobody asked for is not computed
 * with, or not so that it shows. */
START_TEST(what_nobody_asked_for_cannot_fail)
{
	static const uint32_t good[] = { 0, 1, 3, 4 };
	const struct selection some = { good, 4 };
	struct vector big, dec;
	const struct vector *both[2] = { &big, &dec };
	struct expr *a = col(0, "BIGINT"), *d = col(1, "DECIMAL(9,2)");
	struct expr *exprs[] = {
		call2("+", a, lit("BIGINT:1")), call2("-", lit("BIGINT:-2"), a),
		call2("*", a, a), cast_as(EXPR_CAST, a, "INTEGER"),
		call2("/", lit("BIGINT:6"), a), call1("negate", a),
		call2("+", cast_as(EXPR_CAST, a, "INTEGER"),
		      lit("INTEGER:1")),
		cast_as(EXPR_CAST, d, "DECIMAL(5,2)"),
		call2("/", d, cast_as(EXPR_CAST, a, "DECIMAL(3,0)")),
		BOOL_NODE(EXPR_AND, call2(">", a, lit("BIGINT:0")),
			  call2("<", a, lit("BIGINT:9"))),
	};

	vector_init(&big, type_of(TYPE_BIGINT));
	vector_init(&dec, type_decimal(9, 2));
	for (size_t row = 0; row < 5; row++) {
		struct literal one = value_from_text("BIGINT:2");
		struct literal two = value_from_text("DECIMAL(9,2):2.00");

		ck_ok(vector_append(&big, &one, &err));
		ck_ok(vector_append(&dec, &two, &err));
	}
	/* Row 1 is null, row 2 is not selected. */
	ck_ok(vector_set_null(&big, 1, &err));
	ck_ok(vector_set_null(&dec, 1, &err));
	vector_i64(&big)[1] = INT64_MAX;
	vector_i64(&big)[2] = INT64_MIN;
	vector_i64(&dec)[1] = vector_i64(&dec)[2] = INT64_MAX;
	for (size_t i = 0; i < sizeof(exprs) / sizeof(exprs[0]); i++) {
		struct expr_program *program;
		const struct vector *out;

		ck_ok(expr_program_new(&program, exprs[i], &utc, &err));
		ck_ok(expr_program_run(program, both, 5, &some, &out, NULL,
				       &err));
		ck_assert(vector_is_null(out, 1));
		ck_assert(!vector_is_null(out, 4));
		expr_program_free(program);
	}
	vector_release(&big);
	vector_release(&dec);
}
END_TEST

START_TEST(a_column_comes_out_as_the_column_itself)
{
	const struct selection all = selection_all(ROWS);
	struct expr_program *program;
	const struct vector *out;

	ck_ok(expr_program_new(&program, col(1, "BIGINT"), &utc, &err));
	ck_ok(expr_program_run(program, vectors, ROWS, &all, &out, NULL,
			       &err));
	ck_assert_ptr_eq(out, &columns[1]);
	expr_program_free(program);
}
END_TEST

START_TEST(the_statement_s_time_and_zone_are_used)
{
	struct time_zone *zone;
	struct expr_context context = {
		.now_us = INT64_C(1709251200000000) - 1,
	};
	static const char *const want[][2] = {
		{ "current_date", "2024-03-01" },
		{ "current_timestamp", "2024-02-29 23:59:59.999999+00:00" },
		{ "localtimestamp", "2024-03-01 00:59:59.999999" },
	};
	struct literal value;

	ck_ok(time_zone_new(&zone, byte_view("+01:00", 6), &err));
	context.zone = zone;
	for (size_t i = 0; i < 3; i++) {
		struct expr *call = call_n(want[i][0], NULL, 0);

		ck_ok(expr_evaluate(call, &context, &arena, &value, &err));
		ck_assert_str_eq(shown(&value), want[i][1]);
		ck_assert(function_is_volatile(call->function));
		ck_ok(expr_fold(&call, &arena, &err));
		ck_assert_int_eq(call->kind, EXPR_CALL);
		ck_ok(expr_fold_context(&call, &context, &arena, &err));
		ck_assert_int_eq(call->kind, EXPR_LITERAL);
		ck_assert_str_eq(shown(&call->literal), want[i][1]);
	}
	ck_ok(expr_evaluate(cast_as(EXPR_CAST, lit("DATE:2024-03-01"),
				    "TIMESTAMP_TZ"), &context, &arena, &value,
			    &err));
	ck_assert_str_eq(shown(&value), "2024-02-29 23:00:00+00:00");
	ck_ok(expr_evaluate(call1("hour", lit("TIMESTAMP_TZ:"
					      "2024-02-29 23:30:00+00:00")),
			    &context, &arena, &value, &err));
	ck_assert_str_eq(shown(&value), "0");
	time_zone_free(zone);
}
END_TEST

START_TEST(batches_of_any_size_may_follow_one_another)
{
	static const size_t sizes[] = { 1, 200, 0, 64, 3 };
	struct expr *expr = call2("+", col(1, "BIGINT"), lit("BIGINT:10"));
	struct expr_program *program;
	const struct vector *out;

	ck_ok(expr_program_new(&program, expr, &utc, &err));
	for (size_t i = 0; i < 5; i++) {
		const struct selection all = selection_all(sizes[i]);

		ck_ok(expr_program_run(program, vectors, sizes[i], &all, &out,
				       NULL, &err));
		for (size_t row = 0; row < sizes[i]; row++) {
			ck_assert_int_eq(vector_is_null(out, row),
					 vector_is_null(&columns[1], row));
			if (!vector_is_null(out, row))
				ck_assert_int_eq(vector_i64(out)[row],
					vector_i64(&columns[1])[row] + 10);
		}
	}
	expr_program_free(program);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("expr_run");
	TCase *tc = tcase_create("expr_run");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, batch_setup, batch_teardown);
	tcase_add_loop_test(tc, any_selection_gives_what_each_row_gives_alone,
			    0, 16);
	tcase_add_loop_test(tc, a_folded_tree_gives_the_same, 0, 8);
	tcase_add_test(tc, what_nobody_asked_for_cannot_fail);
	tcase_add_test(tc, a_column_comes_out_as_the_column_itself);
	tcase_add_test(tc, the_statement_s_time_and_zone_are_used);
	tcase_add_test(tc, batches_of_any_size_may_follow_one_another);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
