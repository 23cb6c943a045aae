/* Programs: what compiles, what is refused, and memory that runs out. */
#include "unit/expr_build.h"

static struct expr_program *program;

static int compile(const struct expr *expr)
{
	int rc = expr_program_new(&program, expr, &utc, &err);

	ck_assert_int_eq(rc != 0, program == NULL);
	return rc;
}

START_TEST(a_cast_that_does_not_exist_is_refused_with_its_place)
{
	struct expr *cast = cast_as(EXPR_CAST, lit("DATE:2024-01-01"),
				    "INTEGER");

	cast->line = 4;
	cast->position = 9;
	ck_assert_int_eq(compile(cast), ERROR_TYPE_MISMATCH);
	ck_assert_ptr_nonnull(strstr(err.text, "DATE"));
	ck_assert_uint_eq(err.line, 4);
	ck_assert_uint_eq(err.column, 9);
}
END_TEST

START_TEST(a_tree_too_deep_is_refused_and_one_less_deep_runs)
{
	struct expr *expr = col(0, "BOOLEAN");

	for (int i = 0; i < EXPR_DEPTH_LIMIT; i++)
		expr = BOOL_NODE(EXPR_NOT, expr);
	ck_assert_int_eq(compile(expr), 0);
	expr_program_free(program);
	ck_assert_int_eq(compile(BOOL_NODE(EXPR_NOT, expr)),
			 ERROR_UNSUPPORTED);
}
END_TEST

START_TEST(an_in_list_may_hold_other_columns)
{
	struct expr *in = BOOL_NODE(EXPR_IN, lit("INTEGER:2"),
				    lit("INTEGER:1"),
				    call2("+", lit("INTEGER:1"),
					  lit("INTEGER:1")));

	ck_assert_str_eq(evaluated(in), "true");
	in->args[2] = call2("+", lit("INTEGER:1"), lit("INTEGER"));
	ck_assert_str_eq(evaluated(in), "NULL");
}
END_TEST

START_TEST(a_bad_like_escape_fails_only_when_reached)
{
	struct expr *like = call3("like", col(0, "VARCHAR"),
				  lit("VARCHAR:a#b"), lit("VARCHAR:#"));
	struct expr *guarded = BOOL_NODE(EXPR_AND, lit("BOOLEAN:false"),
					 call3("like", lit("VARCHAR:a"),
					       lit("VARCHAR:a#b"),
					       lit("VARCHAR:#")));

	ck_assert_int_eq(compile(like), 0);
	expr_program_free(program);
	ck_assert_str_eq(evaluated(guarded), "false");
}
END_TEST

START_TEST(freeing_no_program_is_fine)
{
	expr_program_free(NULL);
}
END_TEST

/* One of everything that allocates. */
static struct expr *rich_expr(void)
{
	struct type text = type_of(TYPE_VARCHAR);
	struct expr *flag = BOOL_NODE(EXPR_IN, col(0, "INTEGER"),
				      lit("INTEGER:1"), lit("INTEGER"));
	struct expr *risky = call2(">", call2("/", lit("INTEGER:6"),
					      col(0, "INTEGER")),
				   lit("INTEGER:0"));
	struct expr *like = call2("like", col(1, "VARCHAR"),
				  lit("VARCHAR:%a_"));

	return NODE(EXPR_CASE, text, BOOL_NODE(EXPR_OR, flag, like, risky),
		    call2("||", col(1, "VARCHAR"), lit("VARCHAR:x")),
		    BOOL_NODE(EXPR_AND, risky, like),
		    cast_as(EXPR_CAST, col(0, "INTEGER"), "VARCHAR"),
		    NODE(EXPR_COALESCE, text,
			 cast_as(EXPR_TRY_CAST, col(1, "VARCHAR"), "VARCHAR"),
			 call2("concat_ws", lit("VARCHAR:-"),
			       call1("upper", col(1, "VARCHAR")))));
}

START_TEST(each_failed_allocation_of_a_program_is_reported)
{
	const struct expr *expr = rich_expr();
	const struct selection all = selection_all(3);
	const struct vector *vectors[2], *out = NULL;
	struct vector number, text;
	int rc = ERROR_NO_MEMORY;
	long n;

	vector_init(&number, type_of(TYPE_INTEGER));
	vector_init(&text, type_of(TYPE_VARCHAR));
	for (size_t i = 0; i < 3; i++) {
		struct literal a = value_from_text(i == 2 ? "INTEGER"
							  : "INTEGER:-3");
		struct literal b = value_from_text(i == 1 ? "VARCHAR"
							  : "VARCHAR:bab");

		ck_ok(vector_append(&number, &a, &err));
		ck_ok(vector_append(&text, &b, &err));
	}
	vectors[0] = &number;
	vectors[1] = &text;
	for (n = 0; rc == ERROR_NO_MEMORY; n = next_fault(n)) {
		mem_fail_at(n);
		rc = expr_program_new(&program, expr, &utc, &err);
		if (!rc)
			rc = expr_program_run(program, vectors, 3, &all, &out,
					      NULL, &err);
		mem_fail_at(-1);
		if (rc)
			expr_program_free(program);
	}
	ck_assert_int_eq(rc, 0);
	ck_assert_int_gt(n, 20);
	/* The same program runs again after its memory has been made. */
	ck_ok(expr_program_run(program, vectors, 3, &all, &out, NULL, &err));
	expr_program_free(program);
	vector_release(&number);
	vector_release(&text);
}
END_TEST

START_TEST(a_run_without_memory_can_be_repeated)
{
	const struct expr *expr = rich_expr();
	const struct selection all = selection_all(1);
	const struct vector *vectors[2], *out;
	struct vector number, text;
	struct literal a = value_from_text("INTEGER:1");
	struct literal b = value_from_text("VARCHAR:ab");
	int rc = ERROR_NO_MEMORY;

	vector_init(&number, type_of(TYPE_INTEGER));
	vector_init(&text, type_of(TYPE_VARCHAR));
	ck_ok(vector_append(&number, &a, &err));
	ck_ok(vector_append(&text, &b, &err));
	vectors[0] = &number;
	vectors[1] = &text;
	ck_ok(expr_program_new(&program, expr, &utc, &err));
	for (long n = 0; rc == ERROR_NO_MEMORY; n = next_fault(n)) {
		mem_fail_at(0);
		rc = expr_program_run(program, vectors, 1, &all, &out, NULL,
				      &err);
		mem_fail_at(-1);
		if (rc)
			ck_ok(expr_program_run(program, vectors, 1, &all,
					       &out, NULL, &err));
	}
	ck_assert_int_eq(rc, 0);
	ck_assert(byte_view_equal(vector_bytes(out)[0],
				  byte_view("abx", 3)));
	expr_program_free(program);
	vector_release(&number);
	vector_release(&text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("expr_compile");
	TCase *tc = tcase_create("expr_compile");

	tcase_add_checked_fixture(tc, expr_setup, expr_teardown);
	tcase_add_test(tc,
		       a_cast_that_does_not_exist_is_refused_with_its_place);
	tcase_add_test(tc, a_tree_too_deep_is_refused_and_one_less_deep_runs);
	tcase_add_test(tc, an_in_list_may_hold_other_columns);
	tcase_add_test(tc, a_bad_like_escape_fails_only_when_reached);
	tcase_add_test(tc, freeing_no_program_is_fine);
	tcase_add_test(tc, each_failed_allocation_of_a_program_is_reported);
	tcase_add_test(tc, a_run_without_memory_can_be_repeated);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
