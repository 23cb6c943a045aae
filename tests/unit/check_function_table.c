/*
 * Names and types. The decimal results are those that Trino documents
 * (docs: functions/decimal, "Decimal operators").
 */
#include "unit/expr_build.h"

/* "RESULT(WANTED, WANTED)" of a function for argument types, or "!CODE". */
static const char *resolved(const char *name, const char *a, const char *b,
			    const char *c)
{
	const char *names[] = { a, b, c };
	struct type args[3], wanted[3], result;
	const struct function *function;
	struct text text = TEXT_INIT;
	size_t count = 0, used;
	char *copy;
	int rc;

	while (count < 3 && names[count]) {
		args[count] = type_from_name(names[count], &used);
		count++;
	}
	rc = function_resolve(name, args, count, &function, wanted, &result,
			      &err);
	if (rc) {
		ck_assert_ptr_null(function);
		return arena_printf(&arena, "!%s", error_name(rc));
	}
	type_format(&result, &text);
	for (size_t i = 0; i < count; i++) {
		text_add_str(&text, i ? ", " : "(");
		type_format(&wanted[i], &text);
	}
	text_add_str(&text, ")");
	copy = arena_strdup(&arena, text.data);
	text_release(&text);
	return copy;
}

#define RESOLVES(name, a, b, want) \
	ck_assert_str_eq(resolved(name, a, b, NULL), want)

START_TEST(operators_coerce_numbers_upwards)
{
	RESOLVES("+", "INTEGER", "INTEGER", "INTEGER(INTEGER, INTEGER)");
	RESOLVES("-", "INTEGER", "BIGINT", "BIGINT(BIGINT, BIGINT)");
	RESOLVES("*", "DOUBLE", "REAL", "DOUBLE(DOUBLE, DOUBLE)");
	RESOLVES("/", "REAL", "BIGINT", "REAL(REAL, REAL)");
	RESOLVES("/", "DECIMAL(5,2)", "DOUBLE", "DOUBLE(DOUBLE, DOUBLE)");
	RESOLVES("+", "UNKNOWN", "BIGINT", "BIGINT(BIGINT, BIGINT)");
	RESOLVES("+", "INTEGER", "BOOLEAN", "!TYPE_MISMATCH");
	RESOLVES("+", "DATE", "INTEGER", "!TYPE_MISMATCH");
}
END_TEST

START_TEST(decimal_results_are_trino_s)
{
	RESOLVES("+", "DECIMAL(10,2)", "DECIMAL(5,4)",
		 "DECIMAL(13,4)(DECIMAL(10,2), DECIMAL(5,4))");
	RESOLVES("+", "DECIMAL(38,0)", "DECIMAL(38,0)",
		 "DECIMAL(38,0)(DECIMAL(38,0), DECIMAL(38,0))");
	RESOLVES("*", "DECIMAL(10,2)", "DECIMAL(5,4)",
		 "DECIMAL(15,6)(DECIMAL(10,2), DECIMAL(5,4))");
	RESOLVES("*", "DECIMAL(30,20)", "DECIMAL(30,20)", "!TYPE_MISMATCH");
	RESOLVES("/", "DECIMAL(10,2)", "DECIMAL(5,4)",
		 "DECIMAL(16,4)(DECIMAL(10,2), DECIMAL(5,4))");
	RESOLVES("%", "DECIMAL(10,2)", "DECIMAL(5,4)",
		 "DECIMAL(5,4)(DECIMAL(10,2), DECIMAL(5,4))");
	RESOLVES("+", "DECIMAL(9,2)", "INTEGER",
		 "DECIMAL(13,2)(DECIMAL(9,2), DECIMAL(10,0))");
	RESOLVES("*", "BIGINT", "DECIMAL(3,1)",
		 "DECIMAL(22,1)(DECIMAL(19,0), DECIMAL(3,1))");
	RESOLVES("round", "DECIMAL(5,2)", NULL, "DECIMAL(4,0)(DECIMAL(5,2))");
	RESOLVES("floor", "DECIMAL(5,0)", NULL, "DECIMAL(5,0)(DECIMAL(5,0))");
	RESOLVES("truncate", "DECIMAL(3,3)", NULL,
		 "DECIMAL(1,0)(DECIMAL(3,3))");
	RESOLVES("round", "DECIMAL(5,2)", "INTEGER",
		 "DECIMAL(6,2)(DECIMAL(5,2), INTEGER)");
}
END_TEST

START_TEST(comparisons_want_one_type_and_nothing_implicit)
{
	RESOLVES("=", "INTEGER", "DECIMAL(5,2)",
		 "BOOLEAN(DECIMAL(12,2), DECIMAL(12,2))");
	RESOLVES("<", "DATE", "TIMESTAMP_TZ",
		 "BOOLEAN(TIMESTAMP WITH TIME ZONE, "
		 "TIMESTAMP WITH TIME ZONE)");
	RESOLVES("=", "VARCHAR", "UNKNOWN", "BOOLEAN(VARCHAR, VARCHAR)");
	RESOLVES("=", "VARCHAR", "INTEGER", "!TYPE_MISMATCH");
	ck_assert_ptr_nonnull(strstr(err.text,
				     "cannot compare VARCHAR with INTEGER"));
	RESOLVES("=", "BOOLEAN", "INTEGER", "!TYPE_MISMATCH");
	RESOLVES("=", "DATE", "VARCHAR", "!TYPE_MISMATCH");
	RESOLVES("=", "TIME", "TIMESTAMP", "!TYPE_MISMATCH");
}
END_TEST

START_TEST(names_are_found_in_any_case_and_others_refused)
{
	RESOLVES("LOWER", "VARCHAR", NULL, "VARCHAR(VARCHAR)");
	RESOLVES("Extract_Year", "DATE", NULL, "BIGINT(DATE)");
	RESOLVES("extract_lower", "VARCHAR", NULL, "!UNSUPPORTED");
	RESOLVES("nosuch", "VARCHAR", NULL, "!UNSUPPORTED");
	ck_assert_str_eq(err.text,
			 "no function named nosuch; see rowmerge-functions(5)");
	RESOLVES("", "VARCHAR", NULL, "!UNSUPPORTED");
	RESOLVES("length", "VARBINARY", NULL, "BIGINT(VARBINARY)");
	RESOLVES("length", "INTEGER", NULL, "!TYPE_MISMATCH");
	RESOLVES("substr", "VARCHAR", "INTEGER", "VARCHAR(VARCHAR, BIGINT)");
	RESOLVES("substr", "VARCHAR", NULL, "!ARITY");
	ck_assert_ptr_nonnull(strstr(err.text, "2 to 3"));
	RESOLVES("greatest", NULL, NULL, "!ARITY");
	RESOLVES("sqrt", "INTEGER", NULL, "DOUBLE(DOUBLE)");
	ck_assert_str_eq(resolved("date_add", "VARCHAR", "INTEGER", "DATE"),
			 "DATE(VARCHAR, BIGINT, DATE)");
}
END_TEST

static bool rule(bool (*test)(const struct type *, const struct type *),
		 const char *from, const char *to)
{
	size_t used;
	struct type a = type_from_name(from, &used);
	struct type b = type_from_name(to, &used);

	return test(&a, &b);
}

START_TEST(coercion_never_loses_and_assignment_may_narrow_numbers)
{
	ck_assert(rule(type_coerces, "INTEGER", "BIGINT"));
	ck_assert(!rule(type_coerces, "BIGINT", "INTEGER"));
	ck_assert(rule(type_coerces, "INTEGER", "DECIMAL(10,0)"));
	ck_assert(!rule(type_coerces, "INTEGER", "DECIMAL(9,0)"));
	ck_assert(rule(type_coerces, "DECIMAL(5,2)", "DECIMAL(6,3)"));
	ck_assert(!rule(type_coerces, "DECIMAL(5,2)", "DECIMAL(5,3)"));
	ck_assert(rule(type_coerces, "DATE", "TIMESTAMP"));
	ck_assert(!rule(type_coerces, "TIMESTAMP", "DATE"));
	ck_assert(rule(type_coerces, "UNKNOWN", "UUID"));
	ck_assert(rule(type_assignable, "DOUBLE", "INTEGER"));
	ck_assert(rule(type_assignable, "DECIMAL(38,10)", "DECIMAL(5,2)"));
	ck_assert(rule(type_assignable, "DATE", "TIMESTAMP_TZ"));
	ck_assert(rule(type_assignable, "VARCHAR", "VARCHAR"));
	ck_assert(!rule(type_assignable, "TIMESTAMP", "DATE"));
	ck_assert(!rule(type_assignable, "VARCHAR", "INTEGER"));
	ck_assert(!rule(type_assignable, "INTEGER", "VARCHAR"));
	ck_assert(!rule(type_assignable, "DATE", "INTEGER"));
	ck_assert(!rule(type_assignable, "BOOLEAN", "INTEGER"));
	ck_assert(rule(type_castable, "VARCHAR", "INTEGER"));
	ck_assert(rule(type_castable, "TIMESTAMP", "DATE"));
	ck_assert(!rule(type_castable, "DATE", "INTEGER"));
	ck_assert(!rule(type_castable, "VARBINARY", "VARCHAR"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("function_table");
	TCase *tc = tcase_create("function_table");

	tcase_add_checked_fixture(tc, expr_setup, expr_teardown);
	tcase_add_test(tc, operators_coerce_numbers_upwards);
	tcase_add_test(tc, decimal_results_are_trino_s);
	tcase_add_test(tc, comparisons_want_one_type_and_nothing_implicit);
	tcase_add_test(tc, names_are_found_in_any_case_and_others_refused);
	tcase_add_test(tc,
		coercion_never_loses_and_assignment_may_narrow_numbers);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
