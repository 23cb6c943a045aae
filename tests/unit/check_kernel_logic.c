/* AND, OR, NOT, IS NULL, IN, CASE, COALESCE: truth tables and what runs. */
#include "unit/expr_build.h"

static const char *const truth[] = {
	"BOOLEAN:false", "BOOLEAN", "BOOLEAN:true",
};
static const char *const truth_shown[] = { "false", "NULL", "true" };

/* A BOOLEAN column of false, NULL, true, ... of which row r has truth[of(r)]
 */
static void fill_truth(struct vector *vector, size_t count, size_t divisor)
{
	vector_init(vector, type_of(TYPE_BOOLEAN));
	for (size_t row = 0; row < count; row++) {
		struct literal value =
			value_from_text(truth[row / divisor % 3]);

		ck_ok(vector_append(vector, &value, &err));
	}
}

START_TEST(and_and_or_follow_the_truth_tables_of_sql)
{
	/* NULL AND FALSE is FALSE, NULL OR TRUE is TRUE (ISO 9075-2, 6.39):
	 * with FALSE < NULL < TRUE these are minimum and maximum. */
	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < 3; k++) {
			size_t least = i < k ? i : k, most = i < k ? k : i;

			ck_assert_str_eq(
				evaluated(BOOL_NODE(EXPR_AND, lit(truth[i]),
						    lit(truth[k]))),
				truth_shown[least]);
			ck_assert_str_eq(
				evaluated(BOOL_NODE(EXPR_OR, lit(truth[i]),
						    lit(truth[k]))),
				truth_shown[most]);
		}
		ck_assert_str_eq(evaluated(BOOL_NODE(EXPR_NOT,
						     lit(truth[i]))),
				 truth_shown[2 - i]);
		ck_assert_str_eq(evaluated(BOOL_NODE(EXPR_IS_NULL,
						     lit(truth[i]))),
				 i == 1 ? "true" : "false");
	}
}
END_TEST

/* Three columns of all combinations, 27 rows, whole and in part. */
START_TEST(and_and_or_of_columns_follow_the_truth_tables)
{
	static const uint32_t some[] = { 1, 5, 9, 13, 22, 26 };
	const struct selection picks[] = { { NULL, 27 }, { some, 6 } };
	struct vector columns[3];
	const struct vector *vectors[3];

	for (size_t c = 0; c < 3; c++) {
		fill_truth(&columns[c], 27, c == 0 ? 1 : c == 1 ? 3 : 9);
		vectors[c] = &columns[c];
	}
	for (size_t k = 0; k < 4; k++) {
		bool is_or = k & 1;
		const struct selection *rows = &picks[k >> 1];
		struct expr *expr = BOOL_NODE(is_or ? EXPR_OR : EXPR_AND,
					      col(0, "BOOLEAN"),
					      col(1, "BOOLEAN"),
					      col(2, "BOOLEAN"));
		struct expr_program *program;
		const struct vector *out;

		ck_ok(expr_program_new(&program, expr, &utc, &err));
		ck_ok(expr_program_run(program, vectors, 27, rows, &out, NULL,
				       &err));
		for (size_t i = 0; i < rows->count; i++) {
			size_t row = selection_row(rows, i), want = row % 3;
			struct literal got = vector_get(out, row);

			for (size_t d = 3; d <= 9; d *= 3) {
				size_t other = row / d % 3;

				if (is_or ? other > want : other < want)
					want = other;
			}
			ck_assert_str_eq(shown(&got), truth_shown[want]);
		}
		expr_program_free(program);
	}
	for (size_t c = 0; c < 3; c++)
		vector_release(&columns[c]);
}
END_TEST

static struct expr *division_by_zero(void)
{
	return call2("=", call2("/", lit("INTEGER:1"), lit("INTEGER:0")),
		     lit("INTEGER:1"));
}

START_TEST(an_argument_that_no_row_reaches_does_not_fail)
{
	struct expr *bad = division_by_zero();
	struct type integer = type_of(TYPE_INTEGER);
	struct expr *bad_integer = call2("/", lit("INTEGER:1"),
					 lit("INTEGER:0"));

	ck_assert_str_eq(evaluated(bad), "!DIVISION_BY_ZERO");
	ck_assert_str_eq(evaluated(BOOL_NODE(EXPR_AND, lit("BOOLEAN:false"),
					     bad)), "false");
	ck_assert_str_eq(evaluated(BOOL_NODE(EXPR_AND, lit("BOOLEAN"), bad)),
			 "!DIVISION_BY_ZERO");
	ck_assert_str_eq(evaluated(BOOL_NODE(EXPR_OR, lit("BOOLEAN:true"),
					     bad)), "true");
	ck_assert_str_eq(evaluated(NODE(EXPR_COALESCE, integer,
					lit("INTEGER:5"), bad_integer)), "5");
	ck_assert_str_eq(evaluated(NODE(EXPR_COALESCE, integer,
					lit("INTEGER"), bad_integer)),
			 "!DIVISION_BY_ZERO");
	ck_assert_str_eq(evaluated(NODE(EXPR_CASE, integer,
					lit("BOOLEAN:false"), bad_integer,
					lit("BOOLEAN:true"), lit("INTEGER:7"),
					bad, bad_integer)), "7");
	ck_assert_str_eq(evaluated(NODE(EXPR_CASE, integer, lit("BOOLEAN"),
					bad_integer)), "NULL");
	ck_assert_str_eq(evaluated(NODE(EXPR_CASE, integer, lit("BOOLEAN"),
					bad_integer, lit("INTEGER:9"))), "9");
	ck_assert_str_eq(evaluated(BOOL_NODE(EXPR_IN, lit("INTEGER:1"),
					     lit("INTEGER:1"), bad_integer)),
			 "true");
}
END_TEST

/* 100 / v where v <> 0, row by row: only the rows with a zero may fail. */
START_TEST(the_first_failing_row_is_named)
{
	static const char *const values[] = {
		"INTEGER:1", "INTEGER", "INTEGER:5", "INTEGER:0", "INTEGER:0",
	};
	static const uint32_t good[] = { 0, 1, 2 }, late[] = { 2, 4 };
	const struct selection all = selection_all(5);
	const struct selection some = { good, 3 }, last = { late, 2 };
	struct expr *expr = call2("/", lit("INTEGER:100"), col(0, "INTEGER"));
	struct expr_program *program;
	const struct vector *vectors[1], *out;
	struct vector column;
	size_t failed = 99;

	expr->line = 3;
	expr->position = 14;
	vector_init(&column, type_of(TYPE_INTEGER));
	for (size_t i = 0; i < 5; i++) {
		struct literal value = value_from_text(values[i]);

		ck_ok(vector_append(&column, &value, &err));
	}
	vectors[0] = &column;
	ck_ok(expr_program_new(&program, expr, &utc, &err));
	ck_ok(expr_program_run(program, vectors, 5, &some, &out, &failed,
			       &err));
	ck_assert_int_eq(vector_i32(out)[2], 20);
	ck_assert(vector_is_null(out, 1));
	ck_assert_int_eq(expr_program_run(program, vectors, 5, &all, &out,
					  &failed, &err),
			 ERROR_DIVISION_BY_ZERO);
	ck_assert_ptr_null(out);
	ck_assert_uint_eq(failed, 3);
	ck_assert_uint_eq(err.line, 3);
	ck_assert_uint_eq(err.column, 14);
	ck_assert_ptr_nonnull(strstr(err.text, "100 / 0"));
	ck_assert_int_eq(expr_program_run(program, vectors, 5, &last, &out,
					  &failed, &err),
			 ERROR_DIVISION_BY_ZERO);
	ck_assert_uint_eq(failed, 4);
	ck_ok(expr_program_run(program, vectors, 5, &some, &out, &failed,
			       &err));
	expr_program_free(program);
	vector_release(&column);
}
END_TEST

START_TEST(in_knows_null_nan_and_negative_zero)
{
	ck_assert_str_eq(evaluated(BOOL_NODE(EXPR_IN, lit("DOUBLE:-0.0"),
					     lit("DOUBLE:0.0"))), "true");
	ck_assert_str_eq(evaluated(BOOL_NODE(EXPR_IN, lit("DOUBLE:NaN"),
					     lit("DOUBLE:NaN"))), "false");
	ck_assert_str_eq(evaluated(BOOL_NODE(EXPR_IN, lit("INTEGER:1"),
					     lit("INTEGER:2"),
					     lit("INTEGER"))), "NULL");
	ck_assert_str_eq(evaluated(BOOL_NODE(EXPR_IN, lit("INTEGER:2"),
					     lit("INTEGER:2"),
					     lit("INTEGER"))), "true");
	ck_assert_str_eq(evaluated(BOOL_NODE(EXPR_IN, lit("INTEGER"),
					     lit("INTEGER:2"))), "NULL");
	ck_assert_str_eq(evaluated(BOOL_NODE(EXPR_IN, lit("VARCHAR:b"),
					     lit("VARCHAR:a"),
					     lit("VARCHAR:b"))), "true");
	ck_assert_str_eq(evaluated(BOOL_NODE(EXPR_IN, lit("DECIMAL(38,1):2.5"),
					     lit("DECIMAL(38,1):-2.5"))),
			 "false");
}
END_TEST

/* Lists past what is compared one by one, of each kind of table. */
START_TEST(in_a_table_knows_them_too)
{
	static const char *const kinds[][3] = {
		{ "DOUBLE:%u.5", "DOUBLE:0.0", "DOUBLE:-0.0" },
		{ "REAL:%u.5", "REAL:-0.0", "REAL:0.0" },
		{ "BIGINT:%u", "BIGINT:-9223372036854775808",
		  "BIGINT:-9223372036854775808" },
		{ "DECIMAL(9,2):%u.25", "DECIMAL(9,2):-0.01",
		  "DECIMAL(9,2):-0.01" },
		{ "DECIMAL(38,2):%u.25", "DECIMAL(38,2):-0.01",
		  "DECIMAL(38,2):-0.01" },
		{ "VARCHAR:x%u", "VARCHAR:", "VARCHAR:" },
		{ "DATE:2024-01-%02u", "DATE:1969-12-31", "DATE:1969-12-31" },
	};

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		struct expr *args[22];
		char text[64];

		for (unsigned i = 1; i < 21; i++) {
			sprintf(text, kinds[k][0], i);
			args[i] = lit(text);
		}
		args[0] = lit(kinds[k][2]);
		args[21] = lit(kinds[k][1]);
		ck_assert_str_eq(evaluated(node_n(EXPR_IN,
			type_of(TYPE_BOOLEAN), args, 22)), "true");
		ck_assert_str_eq(evaluated(node_n(EXPR_IN,
			type_of(TYPE_BOOLEAN), args, 21)), "false");
		args[0] = args[7];
		ck_assert_str_eq(evaluated(node_n(EXPR_IN,
			type_of(TYPE_BOOLEAN), args, 21)), "true");
	}
}
END_TEST

/* A list long enough for the hash table: every third number. */
START_TEST(in_a_long_list_finds_each_of_its_members)
{
	struct expr *args[1001], *expr;
	struct expr_program *program;
	const struct selection all = selection_all(3000);
	const struct vector *vectors[1], *out;
	struct vector column;

	args[0] = col(0, "BIGINT");
	for (size_t i = 1; i < 1001; i++)
		args[i] = lit(arena_printf(&arena, "BIGINT:%zu", i * 3));
	expr = node_n(EXPR_IN, type_of(TYPE_BOOLEAN), args, 1001);
	vector_init(&column, type_of(TYPE_BIGINT));
	ck_ok(vector_reserve(&column, 3000, &err));
	column.count = 3000;
	for (size_t i = 0; i < 3000; i++)
		vector_i64(&column)[i] = (int64_t)i;
	vectors[0] = &column;
	ck_ok(expr_program_new(&program, expr, &utc, &err));
	ck_ok(expr_program_run(program, vectors, 3000, &all, &out, NULL,
			       &err));
	for (size_t i = 0; i < 3000; i++)
		ck_assert_int_eq(vector_bool(out)[i], i && i % 3 == 0);
	expr_program_free(program);
	vector_release(&column);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kernel_logic");
	TCase *tc = tcase_create("kernel_logic");

	tcase_add_checked_fixture(tc, expr_setup, expr_teardown);
	tcase_add_test(tc, and_and_or_follow_the_truth_tables_of_sql);
	tcase_add_test(tc, and_and_or_of_columns_follow_the_truth_tables);
	tcase_add_test(tc, an_argument_that_no_row_reaches_does_not_fail);
	tcase_add_test(tc, the_first_failing_row_is_named);
	tcase_add_test(tc, in_knows_null_nan_and_negative_zero);
	tcase_add_test(tc, in_a_table_knows_them_too);
	tcase_add_test(tc, in_a_long_list_finds_each_of_its_members);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
