/* Ranges of conditions: tight where promised, never too tight. */
#include "unit/expr_build.h"

static struct column_range *ranges;
static size_t range_count;
static bool never;

static void bound(const struct expr *condition)
{
	ck_ok(stat_bounds(condition, 10, &arena, &ranges, &range_count,
			  &never, &err));
}

/* "[1, 5]", "{1, 3}", "null", "nan", joined by " or "; "-" = no range. */
static const char *range_text(size_t column)
{
	struct text text = TEXT_INIT;
	const struct column_range *range = NULL;
	char *copy;

	if (never)
		return "never";
	for (size_t i = 0; i < range_count; i++) {
		if (ranges[i].column == column)
			range = &ranges[i];
	}
	if (!range)
		return "-";
	if (range->values) {
		text_add_str(&text, "{");
		for (size_t i = 0; i < range->value_count; i++) {
			struct literal value = vector_get(range->values, i);

			text_addf(&text, "%s%s", i ? ", " : "",
				  shown(&value));
		}
		text_add_str(&text, "}");
	} else {
		text_addf(&text, "[%s, %s]",
			  range->has_min ? shown(&range->min) : "",
			  range->has_max ? shown(&range->max) : "");
	}
	text_add_str(&text, range->null_matches ? " or null" : "");
	text_add_str(&text, range->nan_matches ? " or nan" : "");
	copy = arena_strdup(&arena, text.data);
	text_release(&text);
	return copy;
}

static const char *bounds_text(const struct expr *condition)
{
	bound(condition);
	return range_text(0);
}

#define I col(0, "INTEGER")
#define F col(0, "DOUBLE")
#define NOT(x) BOOL_NODE(EXPR_NOT, x)
#define AND(...) BOOL_NODE(EXPR_AND, __VA_ARGS__)
#define OR(...) BOOL_NODE(EXPR_OR, __VA_ARGS__)

START_TEST(comparisons_of_a_column_give_its_range)
{
	struct expr *five = lit("INTEGER:5");

	ck_assert_str_eq(bounds_text(call2("=", I, five)), "{5}");
	ck_assert_str_eq(bounds_text(call2("=", five, I)), "{5}");
	ck_assert_str_eq(bounds_text(call2("<", I, five)), "[, 4]");
	ck_assert_str_eq(bounds_text(call2("<=", I, five)), "[, 5]");
	ck_assert_str_eq(bounds_text(call2("<", five, I)), "[6, ]");
	ck_assert_str_eq(bounds_text(call2(">=", I, five)), "[5, ]");
	ck_assert_str_eq(bounds_text(call2("<>", I, five)), "[, ]");
	ck_assert_str_eq(bounds_text(NOT(call2("<", I, five))), "[5, ]");
	ck_assert_str_eq(bounds_text(NOT(call2("<>", I, five))), "{5}");
	ck_assert_str_eq(bounds_text(call2("=", I, lit("INTEGER"))), "never");
	ck_assert_str_eq(bounds_text(call2("<", I, lit("INTEGER:-2147483648"))
				     ), "never");
	ck_assert_str_eq(bounds_text(call2(">", col(0, "VARCHAR"),
					   lit("VARCHAR:b"))), "[b, ]");
	ck_assert_str_eq(bounds_text(call2("<", col(0, "DECIMAL(5,2)"),
					   lit("DECIMAL(5,2):1.00"))),
			 "[, 0.99]");
	ck_assert_str_eq(bounds_text(col(0, "BOOLEAN")), "{true}");
	ck_assert_str_eq(bounds_text(NOT(col(0, "BOOLEAN"))), "{false}");
}
END_TEST

START_TEST(null_and_nan_are_kept_apart_from_the_range)
{
	struct expr *null = BOOL_NODE(EXPR_IS_NULL, I);
	struct expr *five = lit("DOUBLE:5.0"), *nan = lit("DOUBLE:NaN");

	ck_assert_str_eq(bounds_text(null), "{} or null");
	ck_assert_str_eq(bounds_text(NOT(null)), "[, ]");
	ck_assert_str_eq(bounds_text(OR(null, call2("=", I,
						    lit("INTEGER:1")))),
			 "{1} or null");
	ck_assert_str_eq(bounds_text(AND(null, call2("=", I,
						     lit("INTEGER:1")))),
			 "never");
	ck_assert_str_eq(bounds_text(call2("<", F, five)), "[, 5.0]");
	ck_assert_str_eq(bounds_text(NOT(call2("<", F, five))),
			 "[5.0, ] or nan");
	ck_assert_str_eq(bounds_text(call2("<>", F, five)), "[, ] or nan");
	ck_assert_str_eq(bounds_text(call2("=", F, nan)), "never");
	ck_assert_str_eq(bounds_text(NOT(call2("is distinct from", F, nan))),
			 "{} or nan");
	ck_assert_str_eq(bounds_text(NOT(call2("is distinct from", I,
					       lit("INTEGER")))),
			 "{} or null");
	ck_assert_str_eq(bounds_text(call2("is distinct from", I,
					   lit("INTEGER:1"))), "-");
}
END_TEST

START_TEST(and_intersects_and_or_unites)
{
	struct expr *low = call2(">=", I, lit("INTEGER:3"));
	struct expr *high = call2("<=", I, lit("INTEGER:9"));
	struct expr *list = BOOL_NODE(EXPR_IN, I, lit("INTEGER:12"),
				      lit("INTEGER:7"), lit("INTEGER:7"),
				      lit("INTEGER:1"));
	struct expr *other = call2("=", col(1, "INTEGER"), lit("INTEGER:4"));
	struct expr *unknown = call2("=", I, col(1, "INTEGER"));

	ck_assert_str_eq(bounds_text(list), "{1, 7, 12}");
	ck_assert_str_eq(bounds_text(AND(low, high)), "[3, 9]");
	ck_assert_str_eq(bounds_text(AND(low, high, list)), "{7}");
	ck_assert_str_eq(bounds_text(AND(low, unknown)), "[3, ]");
	ck_assert_str_eq(bounds_text(OR(low, unknown)), "-");
	ck_assert_str_eq(bounds_text(OR(low, high)), "[, ]");
	ck_assert_str_eq(bounds_text(OR(list, call2("=", I,
						    lit("INTEGER:3")))),
			 "{1, 3, 7, 12}");
	ck_assert_str_eq(bounds_text(OR(list, AND(low, high))), "[1, 12]");
	ck_assert_str_eq(bounds_text(OR(list, other)), "-");
	ck_assert_str_eq(bounds_text(NOT(OR(low, high))), "never");
	ck_assert_str_eq(bounds_text(NOT(list)), "[, ]");
	bound(AND(low, other));
	ck_assert_uint_eq(range_count, 2);
	ck_assert_str_eq(range_text(1), "{4}");
	ck_ok(stat_bounds(AND(low, other), 1, &arena, &ranges, &range_count,
			  &never, &err));
	ck_assert_uint_eq(range_count, 1);
	ck_assert_str_eq(bounds_text(NULL), "-");
	ck_assert_str_eq(bounds_text(lit("BOOLEAN:false")), "never");
	ck_assert_str_eq(bounds_text(OR(lit("BOOLEAN"), list)),
			 "{1, 7, 12}");
}
END_TEST

static struct column_stats stats_of(const char *min, const char *max,
				    int64_t nulls, int64_t count)
{
	struct column_stats stats;

	memset(&stats, 0, sizeof(stats));
	stats.has_min = min != NULL;
	stats.has_max = max != NULL;
	if (min)
		stats.min = value_from_text(min);
	if (max)
		stats.max = value_from_text(max);
	stats.null_count = nulls;
	stats.value_count = count;
	return stats;
}

static bool may_match(struct expr *condition, struct column_stats stats)
{
	bound(condition);
	ck_assert_uint_eq(range_count, 1);
	return column_range_may_match(&ranges[0], &stats);
}

START_TEST(statistics_outside_the_range_cannot_match)
{
	struct column_stats stats = stats_of("INTEGER:10", "INTEGER:20", 0, 9);
	struct column_stats nulls = stats_of(NULL, NULL, 9, 9);
	struct expr *list = BOOL_NODE(EXPR_IN, I, lit("INTEGER:9"),
				      lit("INTEGER:21"));
	struct expr *null = BOOL_NODE(EXPR_IS_NULL, I);
	size_t first, count;

	ck_assert(!may_match(call2("<", I, lit("INTEGER:10")), stats));
	ck_assert(may_match(call2("<=", I, lit("INTEGER:10")), stats));
	ck_assert(!may_match(call2(">", I, lit("INTEGER:20")), stats));
	ck_assert(may_match(call2("=", I, lit("INTEGER:15")), stats));
	ck_assert(!may_match(list, stats));
	ck_assert(!may_match(null, stats));
	ck_assert(may_match(null, nulls));
	ck_assert(!may_match(call2("<>", I, lit("INTEGER:1")), nulls));
	nulls.null_count = -1;
	ck_assert(may_match(null, nulls));
	stats.may_have_nan = true;
	ck_assert(!may_match(list, stats));
	bound(BOOL_NODE(EXPR_IN, I, lit("INTEGER:9"), lit("INTEGER:10"),
			lit("INTEGER:20"), lit("INTEGER:30")));
	column_range_values_in(&ranges[0], &stats, &first, &count);
	ck_assert_uint_eq(first, 1);
	ck_assert_uint_eq(count, 2);
	stats = stats_of(NULL, NULL, -1, -1);
	column_range_values_in(&ranges[0], &stats, &first, &count);
	ck_assert_uint_eq(first, 0);
	ck_assert_uint_eq(count, 4);
}
END_TEST

START_TEST(statistics_that_are_no_help_match)
{
	struct column_stats other = stats_of("BIGINT:10", "BIGINT:20", 0, 9);
	struct column_stats nan = stats_of("DOUBLE:NaN", "DOUBLE:NaN", 0, 9);
	struct column_stats zero = stats_of("DOUBLE:-0.0", "DOUBLE:-0.0", 0,
					    9);

	ck_assert(may_match(call2("<", I, lit("INTEGER:1")), other));
	ck_assert(may_match(call2("<", F, lit("DOUBLE:1.0")), nan));
	ck_assert(may_match(call2("=", F, lit("DOUBLE:0.0")), zero));
	zero.may_have_nan = true;
	ck_assert(may_match(NOT(call2("<", F, lit("DOUBLE:1.0"))), zero));
	zero.may_have_nan = false;
	ck_assert(!may_match(NOT(call2("<", F, lit("DOUBLE:1.0"))), zero));
}
END_TEST

/* --- soundness: no row that passes lies outside ----------------------- */

static uint64_t seed;

static uint32_t below(uint32_t limit)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % limit;
}

static const char *const values[2][7] = {
	{ "INTEGER", "INTEGER:-2147483648", "INTEGER:-1", "INTEGER:0",
	  "INTEGER:1", "INTEGER:2", "INTEGER:2147483647" },
	{ "DOUBLE", "DOUBLE:NaN", "DOUBLE:-Infinity", "DOUBLE:-0.0",
	  "DOUBLE:0.0", "DOUBLE:1.5", "DOUBLE:Infinity" },
};

static struct expr *random_column(uint32_t c)
{
	return col(c, c ? "DOUBLE" : "INTEGER");
}

static struct expr *random_condition(unsigned depth)
{
	static const char *const operators[] = {
		"=", "<>", "<", "<=", ">", ">=", "is distinct from",
	};
	uint32_t c = below(2);
	struct expr *a, *value = lit(values[c][below(7)]);

	switch (depth ? below(7) : below(4)) {
	case 0:
		return call2(operators[below(7)], random_column(c), value);
	case 1:
		return call2(operators[below(7)], value, random_column(c));
	case 2:
		return BOOL_NODE(EXPR_IS_NULL, random_column(c));
	case 3:
		return BOOL_NODE(EXPR_IN, random_column(c), value,
				 lit(values[c][below(7)]),
				 lit(values[c][below(7)]));
	case 4:
		return NOT(random_condition(depth - 1));
	case 5:
		a = random_condition(depth - 1);
		return AND(a, random_condition(depth - 1),
			   random_condition(depth - 1));
	default:
		a = random_condition(depth - 1);
		return OR(a, random_condition(depth - 1),
			  random_condition(depth - 1));
	}
}

static bool is_nan(const struct literal *v)
{
	return v->type.id == TYPE_DOUBLE && v->value.real64 != v->value.real64;
}

static bool range_admits(const struct column_range *range,
			 const struct literal *value)
{
	if (value->is_null)
		return range->null_matches;
	if (is_nan(value))
		return range->nan_matches;
	if (range->has_min && literal_compare(value, &range->min) < 0)
		return false;
	if (range->has_max && literal_compare(value, &range->max) > 0)
		return false;
	if (!range->values)
		return true;
	for (size_t i = 0; i < range->value_count; i++) {
		struct literal one = vector_get(range->values, i);

		if (literal_compare(value, &one) == 0)
			return true;
	}
	return false;
}

/* Statistics of a chunk that holds just this value. */
static struct column_stats stats_around(const struct literal *value)
{
	struct column_stats stats;

	memset(&stats, 0, sizeof(stats));
	stats.null_count = value->is_null;
	stats.value_count = 1;
	stats.may_have_nan = !value->is_null && is_nan(value);
	stats.has_min = stats.has_max = !value->is_null && !is_nan(value);
	stats.min = stats.max = *value;
	return stats;
}

START_TEST(a_row_that_passes_is_within_every_range)
{
	seed = 77 + (uint64_t)_i;
	for (unsigned round = 0; round < 150; round++) {
		struct expr *condition = random_condition(3);
		struct expr_program *program;
		struct vector columns[2];
		const struct vector *vectors[2] = { &columns[0], &columns[1] };
		const struct selection all = selection_all(49);
		const struct vector *out;

		vector_init(&columns[0], type_of(TYPE_INTEGER));
		vector_init(&columns[1], type_of(TYPE_DOUBLE));
		for (size_t row = 0; row < 49; row++) {
			struct literal a = value_from_text(values[0][row / 7]);
			struct literal b = value_from_text(values[1][row % 7]);

			ck_ok(vector_append(&columns[0], &a, &err));
			ck_ok(vector_append(&columns[1], &b, &err));
		}
		bound(condition);
		ck_ok(expr_program_new(&program, condition, &utc, &err));
		ck_ok(expr_program_run(program, vectors, 49, &all, &out, NULL,
				       &err));
		for (size_t row = 0; row < 49; row++) {
			if (vector_is_null(out, row) || !vector_bool(out)[row])
				continue;
			ck_assert(!never);
			for (size_t i = 0; i < range_count; i++) {
				struct literal v = vector_get(
					vectors[ranges[i].column], row);
				struct column_stats stats = stats_around(&v);

				ck_assert(range_admits(&ranges[i], &v));
				ck_assert(column_range_may_match(&ranges[i],
								 &stats));
			}
		}
		expr_program_free(program);
		vector_release(&columns[0]);
		vector_release(&columns[1]);
		arena_reset(&arena);
	}
}
END_TEST

START_TEST(ten_thousand_alternatives_become_one_list)
{
	size_t count = 10000;
	struct expr **args = arena_zalloc_array(&arena, count, sizeof(*args));

	for (size_t i = 0; i < count; i++)
		args[i] = call2("=", I, lit(arena_printf(&arena, "INTEGER:%zu",
						 i * 7919 % count)));
	bound(node_n(EXPR_OR, type_of(TYPE_BOOLEAN), args, count));
	ck_assert_uint_eq(range_count, 1);
	ck_assert_uint_eq(ranges[0].value_count, count);
	for (size_t i = 0; i < count; i++)
		ck_assert_int_eq(vector_i32(ranges[0].values)[i], (int)i);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct expr *condition = OR(call2("=", I, lit("INTEGER:1")),
				    call2("=", I, lit("INTEGER:2")));
	struct arena small;
	int rc = ERROR_NO_MEMORY;
	long n;

	for (n = 0; rc == ERROR_NO_MEMORY; n = next_fault(n)) {
		memset(&small, 0, sizeof(small));
		arena_init(&small, 16);
		mem_fail_at(n);
		rc = stat_bounds(condition, 10, &small, &ranges, &range_count,
				 &never, &err);
		mem_fail_at(-1);
		arena_release(&small);
	}
	ck_assert_int_eq(rc, 0);
	ck_assert_int_gt(n, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stat_bounds");
	TCase *tc = tcase_create("stat_bounds");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, expr_setup, expr_teardown);
	tcase_add_test(tc, comparisons_of_a_column_give_its_range);
	tcase_add_test(tc, null_and_nan_are_kept_apart_from_the_range);
	tcase_add_test(tc, and_intersects_and_or_unites);
	tcase_add_test(tc, statistics_outside_the_range_cannot_match);
	tcase_add_test(tc, statistics_that_are_no_help_match);
	tcase_add_loop_test(tc, a_row_that_passes_is_within_every_range, 0,
			    10);
	tcase_add_test(tc, ten_thousand_alternatives_become_one_list);
	tcase_add_test(tc, each_failed_allocation_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
