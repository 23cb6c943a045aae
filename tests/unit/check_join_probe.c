/*
 * The join against a naive nested loop over the same rows: every type, NULL,
 * NaN, -0.0, one and several keys, null-safe or not, both filters, chains
 * longer than a page of pairs.
 */
#include "unit/join_sample.h"

#define KEY_MOST 3
#define STORED_MOST 20000

static struct row_store *store;
static struct row_store_writer *writer;
static struct join_table *table;
static struct join_probe *probe;
static struct batch source, target;
static struct type types[KEY_MOST];
static bool null_safe[KEY_MOST];
static size_t key_count;
static const struct vector *source_keys[KEY_MOST], *target_keys[KEY_MOST];
static uint64_t stored[STORED_MOST][KEY_MOST];
static uint8_t stored_joinable[STORED_MOST];
static size_t stored_count;
static uint64_t probed[BATCH_ROW_COUNT][KEY_MOST];

static void setup(void)
{
	error_init(&err);
	store = NULL;
	writer = NULL;
	table = NULL;
	probe = NULL;
	stored_count = 0;
	memset(null_safe, 0, sizeof(null_safe));
	memset(&source, 0, sizeof(source));
	memset(&target, 0, sizeof(target));
}

static void release(void)
{
	join_probe_free(probe);
	join_table_free(table);
	row_store_writer_free(writer);
	row_store_free(store);
	batch_release(&source);
	batch_release(&target);
	setup();
}

static void teardown(void)
{
	mem_fail_at(-1);
	release();
}

static void begin(size_t keys)
{
	key_count = keys;
	ck_ok(row_store_new(&store, types, NULL, keys, &err));
	ck_ok(row_store_writer_new(&writer, store, &err));
	ck_ok(batch_init_types(&source, types, keys, &err));
	ck_ok(batch_init_types(&target, types, keys, &err));
	for (size_t k = 0; k < keys; k++) {
		source_keys[k] = &source.columns[k];
		target_keys[k] = &target.columns[k];
	}
	ck_ok(join_probe_new(&probe, &err));
}

/* Append rows with keys numbers below `below`, times step. */
static void store_rows(size_t count, uint64_t below, uint64_t step)
{
	while (count) {
		size_t n = count < 1500 ? count : 1500;
		uint8_t joinable[1500];
		struct selection all = selection_all(n);

		batch_reset(&source);
		for (size_t i = 0; i < n; i++) {
			joinable[i] = sample_random(10) != 0;
			stored_joinable[stored_count] = joinable[i];
			for (size_t k = 0; k < key_count; k++) {
				uint64_t number = sample_number(below);

				if (number != SAMPLE_NULL)
					number *= step;
				stored[stored_count][k] = number;
				sample_append(&source.columns[k], number);
			}
			stored_count++;
		}
		source.row_count = n;
		ck_ok(row_store_append(writer, source_keys, &source, &all,
				       joinable, &err));
		count -= n;
	}
}

static void build(void)
{
	static const size_t columns[] = { 0, 1, 2 };
	struct join_table_options options = { columns, null_safe, key_count };

	ck_ok(join_table_new(&table, store, &options, &err));
}

static void fill_target(size_t count, uint64_t below, uint64_t step)
{
	batch_reset(&target);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < key_count; k++) {
			uint64_t number = sample_number(below);

			if (number != SAMPLE_NULL)
				number *= step;
			probed[i][k] = number;
			sample_append(&target.columns[k], number);
		}
	target.row_count = count;
}

/* The oracle: do two rows match by the rules of SQL? */
static bool is_match(const uint64_t *a, const uint64_t *b)
{
	for (size_t k = 0; k < key_count; k++) {
		bool a_null = a[k] == SAMPLE_NULL, b_null = b[k] == SAMPLE_NULL;

		if (a_null || b_null) {
			if (!null_safe[k] || a_null != b_null)
				return false;
			continue;
		}
		if (sample_class(types[k], a[k]) !=
		    sample_class(types[k], b[k]))
			return false;
		if (!null_safe[k] && sample_is_nan(types[k], a[k]))
			return false;
	}
	return true;
}

/* All pairs of the selected target rows, compared with a nested loop. */
static void compare_pairs(const struct selection *rows)
{
	uint8_t *seen = calloc(BATCH_ROW_COUNT * (stored_count + 1), 1);
	uint32_t last = 0;
	size_t total = 0, expected = 0;

	for (;;) {
		struct join_pairs pairs = join_probe_next(probe);

		if (pairs.count == 0)
			break;
		ck_assert_uint_le(pairs.count, JOIN_PAIR_LIMIT);
		for (size_t i = 0; i < pairs.count; i++) {
			uint32_t t = pairs.target[i], s = pairs.source[i];
			uint8_t *flag = &seen[t * stored_count + s];

			ck_assert_uint_ge(t, last);
			last = t;
			ck_assert_uint_lt(s, stored_count);
			ck_assert(stored_joinable[s]);
			ck_assert(is_match(probed[t], stored[s]));
			ck_assert_uint_eq(*flag, 0);
			*flag = 1;
			total++;
		}
	}
	for (size_t i = 0; i < rows->count; i++)
		for (size_t s = 0; s < stored_count; s++)
			expected += stored_joinable[s] &&
				    is_match(probed[selection_row(rows, i)],
					     stored[s]);
	ck_assert_uint_eq(total, expected);
	free(seen);
}

static void run_probe(uint64_t below, uint64_t step)
{
	struct selection all;
	uint32_t some[BATCH_ROW_COUNT];
	struct selection picked = { some, 0 };

	fill_target(700, below, step);
	all = selection_all(target.row_count);
	ck_ok(join_probe_keys(probe, table, target_keys, &all, &err));
	compare_pairs(&all);
	for (size_t i = 0; i < target.row_count; i++)
		if (sample_random(3) == 0)
			some[picked.count++] = (uint32_t)i;
	ck_ok(join_probe_keys(probe, table, target_keys, &picked, &err));
	compare_pairs(&picked);
}

START_TEST(pairs_are_those_of_a_nested_loop_for_every_type)
{
	size_t count;
	const struct type *all = sample_types(&count);

	sample_state = hash_word((uint64_t)_i);
	types[0] = all[_i % (int)count];
	null_safe[0] = _i / (int)count;
	begin(1);
	store_rows(600, 400, 1);
	build();
	run_probe(450, 1);
}
END_TEST

START_TEST(pairs_are_those_of_a_nested_loop_for_several_keys)
{
	size_t count;
	const struct type *all = sample_types(&count);

	sample_state = hash_word((uint64_t)_i + 1000);
	for (size_t k = 0; k < KEY_MOST; k++) {
		types[k] = all[sample_random(count)];
		null_safe[k] = sample_random(2);
	}
	begin(2 + (size_t)_i % 2);
	store_rows(800, 9, 1);
	build();
	run_probe(10, 1);
}
END_TEST

START_TEST(dense_integers_get_a_bitmap_and_sparse_ones_a_bloom_filter)
{
	types[0] = type_of(TYPE_BIGINT);
	begin(1);
	store_rows(500, 1000, 1);
	build();
	ck_assert_str_eq(join_table_filter_name(table), "bitmap");
	run_probe(1200, 1);
	release();
	begin(1);
	store_rows(500, 1000, UINT64_C(1) << 50);
	build();
	ck_assert_str_eq(join_table_filter_name(table), "bloom");
	run_probe(1200, UINT64_C(1) << 50);
}
END_TEST

START_TEST(keys_at_both_ends_of_the_range_are_found)
{
	static const int64_t ends[] = { INT64_MIN, INT64_MAX, 0, -1 };
	struct selection all = selection_all(4);

	types[0] = type_of(TYPE_BIGINT);
	begin(1);
	for (size_t i = 0; i < 4; i++) {
		struct literal value = literal_null(types[0]);

		value.is_null = false;
		value.value.int64 = ends[i];
		ck_ok(vector_append(&source.columns[0], &value, &err));
		ck_ok(vector_append(&target.columns[0], &value, &err));
		stored[i][0] = probed[i][0] = i;
		stored_joinable[i] = 1;
	}
	stored_count = source.row_count = target.row_count = 4;
	ck_ok(row_store_append(writer, source_keys, &source, &all, NULL,
			       &err));
	build();
	ck_ok(join_probe_keys(probe, table, target_keys, &all, &err));
	compare_pairs(&all);
}
END_TEST

START_TEST(a_chain_longer_than_a_page_of_pairs_comes_whole)
{
	types[0] = _i ? type_of(TYPE_VARCHAR) : type_of(TYPE_BIGINT);
	sample_state = 5;
	begin(1);
	store_rows(12000, 2, 1);
	build();
	fill_target(4, 2, 1);
	{
		struct selection all = selection_all(4);

		ck_ok(join_probe_keys(probe, table, target_keys, &all, &err));
		compare_pairs(&all);
	}
}
END_TEST

START_TEST(a_nested_loop_gives_every_pair)
{
	struct selection all = selection_all(5);
	const uint32_t some[] = { 1, 3 };
	struct selection picked = { some, 2 };

	types[0] = type_of(TYPE_BIGINT);
	begin(1);
	store_rows(3000, 50, 1);
	key_count = 0;	/* everything matches */
	ck_ok(join_probe_loop(probe, store, &all, &err));
	compare_pairs(&all);
	ck_ok(join_probe_loop(probe, store, &picked, &err));
	compare_pairs(&picked);
}
END_TEST

START_TEST(a_table_counts_rows_and_keys)
{
	uint64_t rows = 0, keys = 0;
	bool seen[50] = { false };

	types[0] = _i ? type_of(TYPE_UUID) : type_of(TYPE_INTEGER);
	begin(1);
	store_rows(2000, 50, 1);
	build();
	for (size_t i = 0; i < stored_count; i++) {
		if (!stored_joinable[i] || stored[i][0] == SAMPLE_NULL)
			continue;
		rows++;
		keys += !seen[stored[i][0]];
		seen[stored[i][0]] = true;
	}
	ck_assert_uint_eq(join_table_row_count(table), rows);
	ck_assert_uint_eq(join_table_key_count(table), keys);
	ck_assert_uint_gt(join_table_bytes(table), 0);
}
END_TEST

START_TEST(a_store_without_a_row_that_can_match_gives_no_pair)
{
	struct selection all;

	types[0] = _i ? type_of(TYPE_DOUBLE) : type_of(TYPE_BIGINT);
	begin(1);
	store_rows(100, 1, 1);
	for (size_t c = 0; c < row_store_chunk_count(store); c++)
		memset(row_store_chunk(store, c)->joinable, 0, 100);
	memset(stored_joinable, 0, sizeof(stored_joinable));
	build();
	fill_target(100, 3, 1);
	all = selection_all(100);
	ck_ok(join_probe_keys(probe, table, target_keys, &all, &err));
	ck_assert_uint_eq(join_probe_next(probe).count, 0);
	all.count = 0;
	ck_ok(join_probe_keys(probe, table, target_keys, &all, &err));
	ck_assert_uint_eq(join_probe_next(probe).count, 0);
}
END_TEST

START_TEST(too_many_keys_are_refused)
{
	size_t columns[JOIN_KEY_LIMIT + 1] = { 0 };
	struct join_table_options options = { columns, NULL,
					      JOIN_KEY_LIMIT + 1 };

	types[0] = type_of(TYPE_BIGINT);
	begin(1);
	ck_assert_int_eq(join_table_new(&table, store, &options, &err),
			 ERROR_UNSUPPORTED);
	ck_assert_ptr_null(table);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	static const size_t column = 0;
	struct join_table_options options = { &column, NULL, 1 };
	struct selection all;
	bool failed = true;

	types[0] = _i ? type_of(TYPE_VARCHAR) : type_of(TYPE_BIGINT);
	begin(1);
	store_rows(100, 50, 1);
	fill_target(100, 50, 1);
	all = selection_all(100);
	for (long n = 0; failed; n = next_fault(n)) {
		struct join_probe *other;
		int rc;

		mem_fail_at(n);
		rc = join_table_new(&table, store, &options, &err);
		if (rc)
			ck_assert_ptr_null(table);
		if (!rc)
			rc = join_probe_new(&other, &err);
		if (!rc) {
			rc = join_probe_keys(other, table, target_keys, &all,
					     &err);
			mem_fail_at(-1);
			join_probe_free(other);
		}
		mem_fail_at(-1);
		failed = rc != 0;
		if (failed)
			ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		join_table_free(table);
		table = NULL;
		ck_assert_int_lt(n, 100);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("join_probe");
	TCase *tc = tcase_create("join_probe");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, pairs_are_those_of_a_nested_loop_for_every_type,
			    0, 26);
	tcase_add_loop_test(tc,
			    pairs_are_those_of_a_nested_loop_for_several_keys,
			    0, 30);
	tcase_add_test(tc,
		dense_integers_get_a_bitmap_and_sparse_ones_a_bloom_filter);
	tcase_add_test(tc, keys_at_both_ends_of_the_range_are_found);
	tcase_add_loop_test(tc, a_chain_longer_than_a_page_of_pairs_comes_whole,
			    0, 2);
	tcase_add_test(tc, a_nested_loop_gives_every_pair);
	tcase_add_loop_test(tc, a_table_counts_rows_and_keys, 0, 2);
	tcase_add_loop_test(tc,
		a_store_without_a_row_that_can_match_gives_no_pair, 0, 2);
	tcase_add_test(tc, too_many_keys_are_refused);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, 2);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
