/*
 * check_merge_keep.c - one row per key: against a model, refusals, failures
 *
 * The model sorts nothing and hashes nothing: for each row it looks through
 * all rows for a better one.
 */
#include "unit/merge_rules.h"

static struct merge_keep keep;
static size_t latest[2];
static size_t own_key[2];
static struct model_row all_rows[SOURCE_LIMIT];
static size_t all_count;
static size_t kept_count;
static size_t tie_first, tie_second;	/* SIZE_MAX = none */

static void setup(void)
{
	struct model_clause update = { WHEN_MATCHED, OPERATION_UPDATE,
				       TERM_TRUE, 0, VALUE_S, VALUE_S };
	struct model_clause insert = { WHEN_NOT_MATCHED, OPERATION_INSERT,
				       TERM_TRUE, 0, VALUE_S, VALUE_S };

	merge_world_init();
	has_residual = false;
	memset(&keep, 0, sizeof(keep));
	options.keep = &keep;
	add_clause(&update);
	add_clause(&insert);
}

static int compare_value(const struct model_row *a, const struct model_row *b,
			 size_t column)
{
	if (column < 2)	/* NULL is INT64_MIN, the least */
		return (a->number[column] > b->number[column]) -
		       (a->number[column] < b->number[column]);
	return strcmp(a->t, b->t);	/* "" is NULL */
}

static bool is_null_in(const struct model_row *row, size_t column)
{
	return column < 2 ? row->number[column] == INT64_MIN : !row->t[0];
}

static bool share_key(const struct model_row *a, const struct model_row *b)
{
	static const size_t joined[] = { 0 };
	const size_t *columns = keep.key ? keep.key : joined;
	size_t count = keep.key ? keep.key_count : 1;

	for (size_t i = 0; i < count; i++) {
		bool null_safe = columns[i] == 0 && key.null_safe;

		if (compare_value(a, b, columns[i]) != 0 ||
		    (is_null_in(a, columns[i]) && !null_safe))
			return false;
	}
	return true;
}

/* Is row a better than row b of its key? */
static int compare_order(size_t a, size_t b)
{
	int order = 0;

	for (size_t i = 0; !order && keep.latest && i < keep.latest_count; i++)
		order = compare_value(&all_rows[a], &all_rows[b],
				      keep.latest[i]);
	if (!keep.latest)
		order = (a > b) - (a < b);
	return order;
}

/* What the run has to work with goes to source. */
static void keep_by_model(void)
{
	all_count = source_count;
	memcpy(all_rows, source, sizeof(all_rows));
	source_count = 0;
	tie_first = tie_second = SIZE_MAX;
	for (size_t i = 0; i < all_count; i++) {
		size_t first = i;
		bool is_best = true;

		for (size_t j = 0; j < all_count && is_best; j++) {
			int order;

			if (j == i || !share_key(&all_rows[i], &all_rows[j]))
				continue;
			order = compare_order(i, j);
			is_best = order >= 0;
			if (order == 0 && j < first)
				first = j;
		}
		if (!is_best)
			continue;
		if (first == i) {
			source[source_count++] = all_rows[i];
		} else if (tie_first == SIZE_MAX &&
			   !is_same_row(&all_rows[first], &all_rows[i])) {
			tie_first = first;
			tie_second = i;
		}
	}
}

static void restore_source(void)
{
	kept_count = source_count;
	source_count = all_count;
	memcpy(source, all_rows, sizeof(all_rows));
}

static void check_tie(bool in_memory)
{
	char text[100];

	ck_assert(model.aborted && !model.finished);
	snprintf(text, sizeof(text),
		 "source rows s.csv:%zu and s.csv:%zu have one key",
		 tie_first + 2, tie_second + 2);
	if (in_memory)
		ck_assert_msg(strncmp(err.text, text, strlen(text)) == 0,
			      "%s, not %s", err.text, text);
	ck_assert(err.hint[0]);
}

static void check_run(size_t threads, size_t memory)
{
	int rc = run(threads, memory);

	if (tie_first != SIZE_MAX) {
		ck_assert_int_eq(rc, ERROR_DUPLICATE_KEY);
		check_tie(memory == 0);
		return;
	}
	if (expected.is_refused) {
		ck_assert_int_eq(rc, ERROR_DUPLICATE_MATCH);
		return;
	}
	ck_assert_msg(rc == 0, "%s", err.text);
	check_counts();
	check_table();
	ck_assert_uint_eq(result.rows_superseded, all_count - kept_count);
}

/* A batch with few keys and few values. */
static void fill_batch(uint64_t keys, uint64_t values)
{
	fill_rows(100 + random_below(300), 20 + random_below(900), false);
	for (size_t i = 0; i < source_count; i++) {
		if (source[i].number[0] != INT64_MIN)
			source[i].number[0] = (int64_t)random_below(keys);
		if (source[i].number[1] != INT64_MIN)
			source[i].number[1] = (int64_t)random_below(values);
	}
}

START_TEST(the_row_that_stays_is_the_one_of_the_model)
{
	static const size_t threads[] = { 1, 2, 4 };

	state = hash_word((uint64_t)_i + 31);
	key.null_safe = random_below(3) == 0;
	if (random_below(4)) {
		keep.latest = latest;
		keep.latest_count = 1 + random_below(2);
		latest[0] = 1 + random_below(2);
		latest[1] = 3 - latest[0];
	}
	if (random_below(4) == 0) {
		keep.key = own_key;
		keep.key_count = 1 + random_below(2);
		own_key[0] = 2 * random_below(2);
		own_key[1] = 2 - own_key[0];
	}
	fill_batch(1 + random_below(500), 1 + random_below(100000));
	keep_by_model();
	run_model();
	restore_source();
	for (size_t i = 0; i < 6; i++)
		check_run(threads[i % 3], i < 3 ? 0 : 60000);
}
END_TEST

static void put_row(size_t i, int64_t k, int64_t v, const char *t)
{
	source[i].number[0] = k;
	source[i].number[1] = v;
	snprintf(source[i].t, sizeof(source[i].t), "%s", t);
	source_count = i + 1;
}

START_TEST(a_tie_is_told_with_its_key_its_values_and_what_differs)
{
	keep.latest = latest;
	keep.latest_count = 1;
	latest[0] = 1;
	put_row(0, 8, 1, "a");
	put_row(1, 7, 5, "x");
	put_row(2, 7, 5, "x");	/* equal: no tie */
	put_row(3, 7, 5, "y");
	put_row(4, 8, 1, "a");
	ck_assert_int_eq(run(2, 0), ERROR_DUPLICATE_KEY);
	ck_assert_str_eq(err.text, "source rows s.csv:3 and s.csv:5 have one "
			 "key, k = 7, and tie in v = 5, but differ in t");
	ck_assert_ptr_nonnull(strstr(err.hint, "--keep-latest-by"));
	put_row(5, 7, 6, "z");	/* a later row: they do not matter */
	ck_ok(run(2, 0));
	ck_assert_uint_eq(result.rows_superseded, 4);
	ck_assert_uint_eq(result.rows_inserted, 2);
}
END_TEST

START_TEST(a_statement_without_a_key_is_refused)
{
	plan.key_count = 0;
	plan.residual = call2("=", column(0), column(MODEL_COLUMNS));
	put_row(0, 1, 1, "a");
	ck_assert_int_eq(run(1, 0), ERROR_USAGE);
	ck_assert_ptr_nonnull(strstr(err.hint, "--key"));
	ck_assert(!model.finished);
}
END_TEST

START_TEST(an_interrupt_ends_it)
{
	keep.latest = NULL;
	fill_batch(10, 10);
	interrupt_request(2);
	ck_assert_int_eq(run(2, 0), ERROR_INTERRUPTED);
	interrupt_reset();
	ck_assert(!model.finished);
}
END_TEST

START_TEST(each_failed_allocation_is_reported_and_leaves_nothing)
{
	state = 3;
	keep.latest = _i & 1 ? latest : NULL;
	keep.latest_count = 2;
	latest[0] = 1;
	latest[1] = 2;
	own_key[0] = 0;
	keep.key = _i & 2 ? own_key : NULL;
	keep.key_count = 1;
	fill_batch(200, 50);
	fail_each_allocation(run, 0);
	ck_assert(model.finished);
	ck_assert_uint_gt(result.rows_superseded, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("merge_keep");
	TCase *tc = tcase_create("merge_keep");

	tcase_add_checked_fixture(tc, setup, merge_world_release);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc,
		the_row_that_stays_is_the_one_of_the_model, 0, 60);
	tcase_add_test(tc,
		a_tie_is_told_with_its_key_its_values_and_what_differs);
	tcase_add_test(tc, a_statement_without_a_key_is_refused);
	tcase_add_test(tc, an_interrupt_ends_it);
	tcase_add_loop_test(tc,
		each_failed_allocation_is_reported_and_leaves_nothing, 0, 4);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
