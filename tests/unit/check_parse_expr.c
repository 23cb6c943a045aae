#include "unit/check_main.h"
#include "unit/sql_world.h"

static struct error err;
static struct schema schema;
static struct arena arena;
static struct expr *expr;

/* a #0, b #1, c #2 INTEGER; p #3, q #4 BOOLEAN; s #5 VARCHAR; d #6 DATE;
 * f #7 DOUBLE; n #8 DECIMAL(10,2); ts #9 TIMESTAMP; big #10 BIGINT */
static void setup(void)
{
	schema_init(&schema);
	arena_init(&arena, 0);
	ck_ok(sql_parse_columns("a INTEGER, b INT, c INTEGER, p BOOLEAN, "
		"q BOOL, s VARCHAR, d DATE, f DOUBLE PRECISION, "
		"n NUMERIC(10,2), ts TIMESTAMP(6), big BIGINT", NULL, &schema,
		&err));
}

static void teardown(void)
{
	schema_release(&schema);
	arena_release(&arena);
}

static int bind(const char *text)
{
	return sql_bind_condition("where", text, &schema, NULL, &arena, &expr,
				  &err);
}

static const struct {
	const char *text;
	const char *tree;
} trees[] = {
	/* precedence */
	{ "p OR q AND NOT p", "(or #3 (and #4 (not #3)))" },
	{ "(p OR q) AND p", "(and (or #3 #4) #3)" },
	{ "p AND q AND p", "(and #3 #4 #3)" },
	{ "(a, b) = (1, 2)", "(and (= #0 1) (= #1 2))" },
	{ "ROW(a, s) <> (1, 'x')", "(not (and (= #0 1) (= #5 'x')))" },
	{ "NOT a = b AND p", "(and (not (= #0 #1)) #3)" },
	{ "a + b * c = 7", "(= (+ #0 (* #1 #2)) 7)" },
	{ "(a + b) * c < 7", "(< (* (+ #0 #1) #2) 7)" },
	{ "a - b - c > 0", "(> (- (- #0 #1) #2) 0)" },
	{ "a / b % c <> 1", "(<> (% (/ #0 #1) #2) 1)" },
	{ "-a + b >= 1", "(>= (+ (negate #0) #1) 1)" },
	{ "- - a = 1", "(= (negate (negate #0)) 1)" },
	{ "+a = 1", "(= #0 1)" },
	{ "a - -5 = 1", "(= (- #0 -5) 1)" },
	{ "a-5 = 1", "(= (- #0 5) 1)" },
	{ "s || 'x' || s = 'y'", "(= (|| (|| #5 'x') #5) 'y')" },
	/* intervals */
	{ "ts < ts + INTERVAL '1' DAY", "(< #9 (date_add 'day' 1 #9))" },
	{ "d = INTERVAL '-2' YEAR + d", "(= #6 (date_add 'year' -2 #6))" },
	{ "ts = ts - a * INTERVAL '3' HOUR",
	  "(= #9 (date_add 'hour' (negate (* 3 (cast #0 BIGINT))) #9))" },
	{ "ts = ts + - INTERVAL - '1.5' SECOND",
	  "(= #9 (date_add 'millisecond' 1500 #9))" },
	{ "ts = ts + INTERVAL '1.000001' SECOND",
	  "(= #9 (date_add 'microsecond' 1000001 #9))" },
	{ "d = d + INTERVAL '1-11' YEAR TO MONTH",
	  "(= #6 (date_add 'month' 23 #6))" },
	{ "ts = ts + INTERVAL '1 02:03:04' DAY TO SECOND",
	  "(= #9 (date_add 'millisecond' 93784000 #9))" },
	{ "ts = ts + INTERVAL '5' SECOND",
	  "(= #9 (date_add 'second' 5 #9))" },
	/* predicates */
	{ "a BETWEEN 1 AND 2 AND p", "(and (and (>= #0 1) (<= #0 2)) #3)" },
	{ "a NOT BETWEEN b AND c",
	  "(not (and (>= #0 #1) (<= #0 #2)))" },
	{ "a IN (1, b, 2)", "(in #0 1 #1 2)" },
	{ "a NOT IN (1)", "(not (in #0 1))" },
	{ "s LIKE 'a%'", "(like #5 'a%')" },
	{ "s NOT LIKE 'a!_' ESCAPE '!'", "(not (like #5 'a!_' '!'))" },
	{ "a IS NULL", "(isnull #0)" },
	{ "a IS NOT NULL", "(not (isnull #0))" },
	{ "a IS DISTINCT FROM b", "(is distinct from #0 #1)" },
	{ "a IS NOT DISTINCT FROM b", "(not (is distinct from #0 #1))" },
	{ "p IS TRUE", "(not (is distinct from #3 true))" },
	{ "p IS NOT FALSE", "(is distinct from #3 false)" },
	{ "p IS UNKNOWN", "(isnull #3)" },
	{ "a = b IS NOT TRUE", "(is distinct from (= #0 #1) true)" },
	/* forms of their own */
	{ "CASE WHEN p THEN a WHEN q THEN b ELSE c END = 1",
	  "(= (case #3 #0 #4 #1 #2) 1)" },
	{ "CASE a WHEN 1 THEN p ELSE q END", "(case (= #0 1) #3 #4)" },
	{ "CASE WHEN p THEN q END", "(case #3 #4)" },
	{ "COALESCE(a, b, 0) = 1", "(= (coalesce #0 #1 0) 1)" },
	{ "NULLIF(a, b) = 1", "(= (case (= #0 #1) NULL:INTEGER #0) 1)" },
	{ "IF(p, a, b) = 1", "(= (case #3 #0 #1) 1)" },
	{ "IF(p, q)", "(case #3 #4)" },
	{ "CAST(a AS VARCHAR) = s", "(= (cast #0 VARCHAR) #5)" },
	{ "TRY_CAST(s AS BIGINT) = 1",
	  "(= (try_cast #5 BIGINT) 1)" },
	{ "EXTRACT(YEAR FROM d) = 2024",
	  "(= (year #6) 2024)" },
	{ "hour(ts AT TIME ZONE 'Europe/Berlin') = 2",
	  "(= (hour (at_timezone (cast #9 TIMESTAMP WITH TIME ZONE) "
	  "'Europe/Berlin')) 2)" },
	{ "LEFT(s, 1) = RIGHT(s, 2)", "(= (left #5 1) (right #5 2))" },
	{ "SUBSTRING(s FROM 2 FOR 3) = 'x'",
	  "(= (substring #5 2 3) 'x')" },
	{ "substring(s, 2) = 'x'", "(= (substring #5 2) 'x')" },
	{ "TRIM(BOTH 'x' FROM s) = 'y'", "(= (trim #5 'x') 'y')" },
	{ "TRIM(LEADING FROM s) = 'y'", "(= (ltrim #5) 'y')" },
	{ "TRIM(TRAILING 'x' FROM s) = 'y'", "(= (rtrim #5 'x') 'y')" },
	{ "trim(s) = 'y'", "(= (trim #5) 'y')" },
	{ "POSITION('a' IN s) = 1",
	  "(= (position 'a' #5) 1)" },
	{ "d = current_date", "(= #6 (current_date))" },
	{ "ts < localtimestamp(6)", "(< #9 (localtimestamp))" },
	/* literals */
	{ "big = 2147483648", "(= #10 2147483648)" },
	{ "a = -2147483648", "(= #0 -2147483648)" },
	{ "f = 1e3", "(= #7 DOUBLE '1000.0')" },
	{ "s = 'it''s'", "(= #5 'it''s')" },
	{ "s = U&'d\\0061t\\+000061 \\\\'", "(= #5 'data \\')" },
	{ "d = DATE '2024-02-29'", "(= #6 DATE '2024-02-29')" },
	{ "ts = TIMESTAMP '2024-02-29 10:00:00.5'",
	  "(= #9 TIMESTAMP '2024-02-29 10:00:00.5')" },
	{ "big = BIGINT '1'", "(= #10 1)" },
	{ "a = NULL", "NULL:BOOLEAN" },
	{ "p = true", "(= #3 true)" },
	{ "\"A\" = 1 AND \"p\"", "(and (= #0 1) #3)" },
};

START_TEST(an_expression_becomes_this_tree)
{
	struct text text = TEXT_INIT;

	ck_assert_msg(!bind(trees[_i].text), "%s: %s", trees[_i].text,
		      err.text);
	world_dump(expr, &text);
	ck_assert_msg(!strcmp(text.data, trees[_i].tree), "%s: %s, not %s",
		      trees[_i].text, text.data, trees[_i].tree);
	text_release(&text);
}
END_TEST

static const struct refused_case refused[] = {
	{ "", ERROR_SYNTAX, 1 },
	{ "a =", ERROR_SYNTAX, 4 },
	{ "a = 1 2", ERROR_SYNTAX, 7 },
	{ "a < b < c", ERROR_SYNTAX, 7 },
	{ "a = b = p", ERROR_SYNTAX, 7 },
	{ "(a = 1", ERROR_SYNTAX, 7 },
	{ "a = 1)", ERROR_SYNTAX, 6 },
	{ "a BETWEEN 1", ERROR_SYNTAX, 12 },
	{ "a IN ()", ERROR_SYNTAX, 7 },
	{ "a IS 5", ERROR_SYNTAX, 6 },
	{ "CASE END", ERROR_SYNTAX, 6 },
	{ "CASE WHEN p q END", ERROR_SYNTAX, 13 },
	{ "CAST(a INTEGER) = 1", ERROR_SYNTAX, 8 },
	{ "CAST(a AS INTGER) = 1", ERROR_SYNTAX, 11 },
	{ "select = 1", ERROR_SYNTAX, 1 },
	{ "EXTRACT(EON FROM d) = 1", ERROR_SYNTAX, 9 },
	{ "EXTRACT(TIMEZONE_HOUR FROM d) = 1", ERROR_UNSUPPORTED, 9 },
	{ "f = 1e400", ERROR_SYNTAX, 5 },
	{ "a = DEFAULT", ERROR_UNKNOWN_COLUMN, 5 },
	{ "d = DATE '2023-02-29'", ERROR_SYNTAX, 10 },
	{ "a = INTEGER '1.5'", ERROR_SYNTAX, 13 },
	{ "s = X'0g'", ERROR_SYNTAX, 5 },
	{ "s = U&'\\zzzz'", ERROR_SYNTAX, 5 },
	{ "n = 123456789012345678901234567890123456789", ERROR_SYNTAX, 5 },
	{ "a = (SELECT 1)", ERROR_UNSUPPORTED, 5 },
	{ "EXISTS (SELECT 1)", ERROR_UNSUPPORTED, 1 },
	{ "a IN (SELECT 1)", ERROR_UNSUPPORTED, 3 },
	{ "a = ANY (SELECT 1)", ERROR_UNSUPPORTED, 3 },
	{ "(a, b) = (1, 2, 3)", ERROR_TYPE_MISMATCH, 8 },
	{ "sum(a) = 1", ERROR_SYNTAX, 1 },
	{ "1 = count(*)", ERROR_SYNTAX, 5 },
	{ "1 = count(DISTINCT a)", ERROR_SYNTAX, 5 },
	{ "row_number() OVER (ORDER BY a) = 1", ERROR_SYNTAX, 1 },
	{ "d < INTERVAL '1' DAY", ERROR_UNSUPPORTED, 3 },
	{ "INTERVAL '1' DAY IS NULL", ERROR_UNSUPPORTED, 1 },
	{ "d = INTERVAL '1' DAY - d", ERROR_UNSUPPORTED, 22 },
	{ "d = d + (INTERVAL '1' DAY + INTERVAL '1' DAY)",
	  ERROR_UNSUPPORTED, 27 },
	{ "d = d + INTERVAL '1x' DAY", ERROR_SYNTAX, 18 },
	{ "d = d + INTERVAL '' DAY", ERROR_SYNTAX, 18 },
	{ "d = d + INTERVAL '1.' SECOND", ERROR_SYNTAX, 18 },
	{ "d = d + INTERVAL '1.0000001' SECOND", ERROR_SYNTAX, 18 },
	{ "d = d + INTERVAL '1-12' YEAR TO MONTH", ERROR_SYNTAX, 18 },
	{ "d = d + INTERVAL '1 24' DAY TO HOUR", ERROR_SYNTAX, 18 },
	{ "d = d + INTERVAL '1' MONTH TO DAY", ERROR_SYNTAX, 18 },
	{ "d = d + INTERVAL '9223372036854775807' SECOND", ERROR_SYNTAX, 18 },
	{ "d = d + INTERVAL '1' WEEK", ERROR_SYNTAX, 22 },
	{ "d = d + INTERVAL '1' DAY TO WEEK", ERROR_SYNTAX, 29 },
	{ "a = a + INTERVAL '1' DAY", ERROR_TYPE_MISMATCH, 7 },
	{ "ARRAY[1] = 1", ERROR_TYPE_MISMATCH, 10 },
	{ "ARRAY[1:2] = 1", ERROR_SYNTAX, 8 },
	{ "a[1] = 1", ERROR_TYPE_MISMATCH, 2 },
	{ "a[1:2] = 1", ERROR_UNSUPPORTED, 4 },
	{ "ts = ts AT LOCAL", ERROR_UNSUPPORTED, 9 },
	{ "ts = ts AT TIME ZONE s", ERROR_SYNTAX, 22 },
	{ "left(s) = s", ERROR_SYNTAX, 7 },
	{ "CAST(a AS TIMESTAMP(3)) = ts", ERROR_UNSUPPORTED, 11 },
	{ "CAST(s AS VARCHAR(3)) = s", ERROR_UNSUPPORTED, 11 },
	{ "CAST(a AS SMALLINT) = 1", ERROR_UNSUPPORTED, 11 },
	{ "CAST(a AS DECIMAL(39,0)) = 1", ERROR_UNSUPPORTED, 11 },
	{ "CAST(a AS DECIMAL(3,4)) = 1", ERROR_UNSUPPORTED, 11 },
	{ "nosuch(a) = 1", ERROR_UNSUPPORTED, 1 },
	{ "a", ERROR_TYPE_MISMATCH, 1 },
	{ "a AND p", ERROR_TYPE_MISMATCH, 1 },
	{ "a = 'x'", ERROR_TYPE_MISMATCH, 3 },
	{ "d > '2024-01-01'", ERROR_TYPE_MISMATCH, 3 },
	{ "p = 1", ERROR_TYPE_MISMATCH, 3 },
	{ "a IN (1, 'x')", ERROR_TYPE_MISMATCH, 10 },
	{ "CASE WHEN p THEN 1 ELSE 'x' END = 1", ERROR_TYPE_MISMATCH, 25 },
	{ "CAST(d AS INTEGER) = 1", ERROR_TYPE_MISMATCH, 1 },
	{ "upper(s, s) = s", ERROR_ARITY, 1 },
	{ "nullif(a) = 1", ERROR_ARITY, 1 },
	{ "zz = 1", ERROR_UNKNOWN_COLUMN, 1 },
	{ "t.a = 1", ERROR_UNKNOWN_COLUMN, 1 },
	{ "a = :x", ERROR_UNSET_PARAMETER, 5 },
};

START_TEST(an_expression_is_refused_with_its_kind_and_place)
{
	int rc = bind(refused[_i].text);

	ck_assert_msg(rc == refused[_i].code && err.code == rc, "%s: %s: %s",
		      refused[_i].text, error_name(rc), err.text);
	ck_assert_ptr_null(expr);
	ck_assert_msg(err.line == 1 && err.column == refused[_i].column,
		      "%s: at %d: %s", refused[_i].text, (int)err.column,
		      err.text);
	ck_assert_str_eq(err.file, "where");
}
END_TEST

START_TEST(a_decimal_literal_has_as_many_digits_as_are_written)
{
	static const struct {
		const char *text;
		unsigned precision, scale;
	} shapes[] = {
		{ "n = 100.0", 4, 1 }, { "n = 0.5", 1, 1 },
		{ "n = 00.50", 2, 2 }, { "n = 7.", 1, 0 },
		{ "n = DECIMAL '-012.340'", 5, 3 },
		{ "n = 0.0", 1, 1 },
		{ "n = 99999999999999999999", 20, 0 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(shapes); i++) {
		char text[128];
		const struct expr *cast;

		/* under a product its own type stays visible */
		snprintf(text, sizeof(text), "n * %s > 0",
			 shapes[i].text + 4);
		ck_assert_msg(!bind(text), "%s: %s", text, err.text);
		cast = expr->args[0];
		if (cast->kind == EXPR_CAST)
			cast = cast->args[0];
		ck_assert_int_eq(cast->args[1]->type.id, TYPE_DECIMAL);
		ck_assert_uint_eq(cast->args[1]->type.precision,
				  shapes[i].precision);
		ck_assert_uint_eq(cast->args[1]->type.scale,
				  shapes[i].scale);
	}
}
END_TEST

START_TEST(a_timestamp_literal_with_an_offset_has_a_zone)
{
	ck_ok(bind("current_timestamp > TIMESTAMP '2024-01-01 10:00:00 "
		   "+02:00'"));
	ck_assert_int_eq(expr->args[1]->type.id, TYPE_TIMESTAMP_TZ);
	ck_ok(bind("ts > TIMESTAMP '2024-01-01 10:00:00'"));
	ck_assert_int_eq(expr->args[1]->type.id, TYPE_TIMESTAMP);
}
END_TEST

START_TEST(deep_nesting_is_refused_not_a_crash)
{
	static const char *const starts[] = {
		"(", "NOT ", "- ", "abs(", "CASE WHEN p THEN ",
		"CAST(", "s || s || ", "p IN (",
	};

	for (size_t i = 0; i < ARRAY_COUNT(starts); i++) {
		struct text text = TEXT_INIT;
		int rc;

		for (int n = 0; n < 100000; n++)
			text_add_str(&text, starts[i]);
		rc = bind(text.data);
		ck_assert_msg(rc == ERROR_SYNTAX, "%s: %s", starts[i],
			      error_name(rc));
		text_release(&text);
	}
}
END_TEST

START_TEST(nested_nullif_cannot_blow_up)
{
	struct text text = TEXT_INIT;

	for (int n = 0; n < 100; n++)
		text_add_str(&text, "NULLIF(");
	text_add_str(&text, "a");
	for (int n = 0; n < 100; n++)
		text_add_str(&text, ", 1)");
	text_add_str(&text, " = 1");
	ck_assert_int_eq(bind(text.data), ERROR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.text, "too often"));
	text_release(&text);
}
END_TEST

START_TEST(a_long_list_of_and_is_no_nesting)
{
	struct text text = TEXT_INIT;

	text_add_str(&text, "p");
	for (int n = 0; n < 20000; n++)
		text_add_str(&text, n % 2 ? " AND q" : " AND a = 1");
	ck_ok(bind(text.data));
	ck_assert_uint_eq(expr->arg_count, 20001);
	text_release(&text);
}
END_TEST

START_TEST(a_misspelled_column_gets_a_guess)
{
	ck_assert_int_eq(bind("bigg = 1"), ERROR_UNKNOWN_COLUMN);
	ck_assert_str_eq(err.hint, "did you mean big?");
	ck_assert_str_eq(err.field, "bigg");
	ck_assert_int_eq(bind("nothing_like_it = 1"), ERROR_UNKNOWN_COLUMN);
	ck_assert_str_eq(err.hint, "");
}
END_TEST

START_TEST(types_are_read_by_all_their_names)
{
	static const struct {
		const char *text, *name;
	} types[] = {
		{ "int", "INTEGER" }, { "BIGINT", "BIGINT" },
		{ "float", "DOUBLE" }, { "float(24)", "REAL" },
		{ "decimal", "DECIMAL(38,0)" }, { "dec(5)", "DECIMAL(5,0)" },
		{ "NUMERIC(18, 2)", "DECIMAL(18,2)" },
		{ "varchar(20)", "VARCHAR" },
		{ "character varying(3)", "VARCHAR" },
		{ "string", "VARCHAR" }, { "text", "VARCHAR" },
		{ "bytea", "VARBINARY" }, { "uuid", "UUID" },
		{ "timestamp with time zone", "TIMESTAMP WITH TIME ZONE" },
		{ "timestamp(6) with time zone", "TIMESTAMP WITH TIME ZONE" },
		{ "timestamp without time zone", "TIMESTAMP" },
		{ "time", "TIME" },
	};
	char name[TYPE_NAME_BYTES];
	struct type type;

	for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
		ck_ok(sql_parse_type(types[i].text, &arena, &type, &err));
		ck_assert_str_eq(type_name(&type, name), types[i].name);
	}
	ck_assert_int_eq(sql_parse_type("int int", &arena, &type, &err),
			 ERROR_SYNTAX);
	ck_assert_int_eq(sql_parse_type("decimal(1,2,3)", &arena, &type, &err),
			 ERROR_SYNTAX);
	ck_assert_int_eq(sql_parse_type("array(json)", &arena, &type, &err),
			 ERROR_UNSUPPORTED);
	ck_assert_int_eq(sql_parse_type("", &arena, &type, &err), ERROR_SYNTAX);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("parse_expr");
	TCase *tc = tcase_create("parse_expr");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, an_expression_becomes_this_tree, 0,
			    (int)ARRAY_COUNT(trees));
	tcase_add_loop_test(tc,
		an_expression_is_refused_with_its_kind_and_place, 0,
		(int)ARRAY_COUNT(refused));
	tcase_add_test(tc,
		a_decimal_literal_has_as_many_digits_as_are_written);
	tcase_add_test(tc, a_timestamp_literal_with_an_offset_has_a_zone);
	tcase_add_test(tc, deep_nesting_is_refused_not_a_crash);
	tcase_add_test(tc, nested_nullif_cannot_blow_up);
	tcase_add_test(tc, a_long_list_of_and_is_no_nesting);
	tcase_add_test(tc, a_misspelled_column_gets_a_guess);
	tcase_add_test(tc, types_are_read_by_all_their_names);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
