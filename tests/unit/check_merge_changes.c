/*
 * check_merge_changes.c - a feed of changes makes the new table of the old
 *
 * The rows told are applied to the model's rows by their values alone: each
 * old one must be there and is taken out, each new one is put in.
 */
#include "unit/merge_rules.h"

#define FEED_LIMIT (2 * (MODEL_ROW_LIMIT + SOURCE_LIMIT))

struct told {
	bool has_old;
	bool has_new;
	struct model_row old;
	struct model_row now;
};

static struct told told[FEED_LIMIT];
static size_t told_count;
static size_t thread_limit;
static int commits;		/* calls of before_commit */
static int64_t calls_left;	/* that do not fail; -1 = any number */
static pthread_mutex_t told_lock = PTHREAD_MUTEX_INITIALIZER;

static void read_row(const struct vector *const *values, size_t i,
		     struct model_row *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t c = 0; c < MODEL_COLUMNS; c++) {
		struct literal value = vector_get(values[c], i);

		ck_assert_uint_gt(values[c]->count, i);
		if (c < 2)
			out->number[c] = value.is_null ? INT64_MIN
						       : value.value.int64;
		else if (!value.is_null)
			memcpy(out->t, value.value.bytes.data,
			       value.value.bytes.length);
	}
}

static int on_changed(void *context, const struct merge_changed_rows *rows,
		      struct error *e)
{
	int rc = 0;

	ck_assert_ptr_eq(context, told);
	ck_assert_uint_lt(rows->worker, thread_limit);
	ck_assert_uint_gt(rows->row_count, 0);
	ck_assert(rows->old_values || rows->new_values);
	pthread_mutex_lock(&told_lock);
	if (calls_left == 0)
		rc = error_set(e, ERROR_NO_SPACE, "the feed is full");
	calls_left -= calls_left > 0;
	for (size_t i = 0; !rc && i < rows->row_count; i++) {
		struct told *row = &told[told_count++];

		ck_assert_uint_lt(told_count, FEED_LIMIT);
		row->has_old = rows->old_values != NULL;
		row->has_new = rows->new_values != NULL;
		if (row->has_old)
			read_row(rows->old_values, i, &row->old);
		if (row->has_new)
			read_row(rows->new_values, i, &row->now);
	}
	pthread_mutex_unlock(&told_lock);
	return rc;
}

static int on_commit(void *context, struct error *e)
{
	ck_assert_ptr_eq(context, told);
	commits++;
	ck_assert(!model.finished);
	if (calls_left == 0)
		return error_set(e, ERROR_NO_SPACE, "the feed is full");
	return 0;
}

static void setup(void)
{
	merge_world_init();
	has_residual = false;
	options.changed = on_changed;
	options.before_commit = on_commit;
	options.changed_context = told;
	calls_left = -1;
}

static int run_told(size_t threads, size_t memory)
{
	told_count = 0;
	commits = 0;
	thread_limit = threads;
	return run(threads, memory);
}

static void check_feed(void)
{
	static struct model_row rows[MODEL_ROW_LIMIT], news[FEED_LIMIT];
	static struct model_row olds[FEED_LIMIT];
	size_t n = 0, old_count = 0, new_count = 0, counts[3] = { 0 }, o = 0;

	for (size_t i = 0; i < model.row_count; i++)
		if (!model.is_gone[i])
			rows[n++] = model.rows[i];
	for (size_t i = 0; i < told_count; i++) {
		counts[told[i].has_old && told[i].has_new ? 1
		       : told[i].has_old ? 2 : 0]++;
		if (told[i].has_old)
			olds[old_count++] = told[i].old;
		if (told[i].has_new)
			news[new_count++] = told[i].now;
		if (told[i].has_old && told[i].has_new) {
			ck_assert(!is_same_row(&told[i].old, &told[i].now));
			ck_assert_int_eq(told[i].old.number[0],
					 told[i].now.number[0]);
		}
	}
	ck_assert_uint_eq(counts[0], expected.inserted);
	ck_assert_uint_eq(counts[1], expected.updated);
	ck_assert_uint_eq(counts[2], expected.deleted);
	qsort(rows, n, sizeof(*rows), compare_rows);
	qsort(olds, old_count, sizeof(*olds), compare_rows);
	for (size_t i = 0; i < n; i++) {
		if (o < old_count && is_same_row(&olds[o], &rows[i]))
			o++;
		else
			news[new_count++] = rows[i];
	}
	ck_assert_uint_eq(o, old_count);
	ck_assert_uint_eq(new_count, expected.row_count);
	qsort(news, new_count, sizeof(*news), compare_rows);
	qsort(expected.rows, new_count, sizeof(*news), compare_rows);
	for (size_t i = 0; i < new_count; i++)
		ck_assert(is_same_row(&news[i], &expected.rows[i]));
}

static void random_statement(void)
{
	size_t count = 2 + random_below(3);

	model.paradigm = random_below(2) ? DELETE_ROW_AND_INSERT_ROW
					 : CHANGE_ONLY_UPDATED_COLUMNS;
	random_clause(WHEN_MATCHED);
	for (size_t i = 0; i < count; i++)
		random_clause((enum merge_match)random_below(3));
	fill_rows(random_below(2500), random_below(2500), false);
}

START_TEST(the_rows_told_make_the_new_table_of_the_old_one)
{
	static const size_t threads[] = { 1, 2, 4 };

	state = hash_word((uint64_t)_i + 500);
	random_statement();
	run_model();
	ck_assert(!expected.is_refused);
	for (size_t i = 0; i < 6; i++) {
		ck_ok(run_told(threads[i % 3], i < 3 ? 0 : 60000));
		ck_assert_int_eq(commits, 1);
		check_counts();
		check_table();
		check_feed();
	}
}
END_TEST

START_TEST(a_feed_that_fails_ends_the_run_with_its_error)
{
	state = hash_word(501);
	for (size_t i = 0; i < 3; i++) {
		struct model_clause rule = { (enum merge_match)i,
			OPERATION_UPDATE, TERM_TRUE, 0, VALUE_SUM, VALUE_S };

		if (rule.match == WHEN_NOT_MATCHED)
			rule.operation = OPERATION_INSERT;
		if (rule.match == WHEN_NOT_MATCHED)
			rule.v = VALUE_S;
		if (rule.match == WHEN_NOT_MATCHED_BY_SOURCE)
			rule.operation = OPERATION_DELETE;
		add_clause(&rule);
	}
	fill_rows(2000, 2000, false);
	for (size_t threads = 1; threads <= 4; threads++) {
		calls_left = _i;
		ck_assert_int_eq(run_told(threads, 0), ERROR_NO_SPACE);
		ck_assert_str_eq(err.text, "the feed is full");
		ck_assert(model.aborted && !model.finished);
		ck_assert_int_eq(model.open_sinks, 0);
		ck_assert_int_eq(model.open_streams, 0);
	}
}
END_TEST

START_TEST(nothing_is_told_where_nothing_changes)
{
	struct model_clause update = { WHEN_MATCHED, OPERATION_UPDATE,
				       TERM_TRUE, 0, VALUE_S, VALUE_S };

	add_clause(&update);
	fill_rows(500, 500, false);
	for (size_t i = 0; i < 500; i++) {
		model.is_gone[i] = false;
		source[i] = model.rows[i];
	}
	calls_left = _i ? 0 : -1;
	if (_i) {	/* but the end is, and may fail */
		ck_assert_int_eq(run_told(2, 0), ERROR_NO_SPACE);
		ck_assert(model.aborted && !model.finished);
	} else {
		ck_ok(run_told(2, 0));
		ck_assert_uint_gt(result.rows_unchanged, 300);
	}
	ck_assert_uint_eq(told_count, 0);
	ck_assert_int_eq(commits, 1);
}
END_TEST

START_TEST(each_failed_allocation_is_reported_and_leaves_nothing)
{
	state = hash_word(502);
	random_statement();
	random_clause(WHEN_NOT_MATCHED_BY_SOURCE);
	fail_each_allocation(run_told, 0);
	run_model();
	check_feed();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("merge_changes");
	TCase *tc = tcase_create("merge_changes");

	tcase_add_checked_fixture(tc, setup, merge_world_release);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc,
		the_rows_told_make_the_new_table_of_the_old_one, 0, 40);
	tcase_add_loop_test(tc,
		a_feed_that_fails_ends_the_run_with_its_error, 0, 8);
	tcase_add_loop_test(tc, nothing_is_told_where_nothing_changes, 0, 2);
	tcase_add_test(tc,
		each_failed_allocation_is_reported_and_leaves_nothing);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
