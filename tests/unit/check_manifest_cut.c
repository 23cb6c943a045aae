/* check_manifest_cut.c - which entries share a manifest */
#include "unit/check_main.h"
#include "table/commit/commit_state.h"

#define LIMIT 10
#define ENTRIES 400

static struct error err;
static struct arena arena;
static struct placed_entry entries[ENTRIES];
static struct literal values[ENTRIES];
static uint32_t state;

static void setup(void)
{
	error_init(&err);
	arena_init(&arena, 0);
	memset(entries, 0, sizeof(entries));
	state = 7;
}

static void teardown(void)
{
	mem_fail_at(-1);
	arena_release(&arena);
}

static uint32_t draw(uint32_t limit)
{
	state = state * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)(state >> 4) * limit) >> 28);
}

/* Entry i in partition `value` (negative: NULL) of an old manifest. */
static void put(size_t i, int32_t value, size_t origin)
{
	values[i] = literal_null(type_of(TYPE_INTEGER));
	values[i].is_null = value < 0;
	values[i].value.int32 = value;
	entries[i].partition = &values[i];
	entries[i].partition_count = 1;
	entries[i].origin = origin;
	entries[i].order = i;
}

static int32_t value_of(size_t i)
{
	const struct literal *value = entries[i].partition;

	return value->is_null ? -1 : value->value.int32;
}

START_TEST(few_entries_stay_one_manifest_in_their_order)
{
	size_t *ends, count;

	for (size_t i = 0; i < LIMIT - 1; i++)
		put(i, (int32_t)(LIMIT - i), 0);
	ck_ok(manifest_cut(entries, LIMIT - 1, LIMIT, &arena, &ends, &count,
			   &err));
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(ends[0], LIMIT - 1);
	ck_assert_int_eq(value_of(0), LIMIT);
	ck_ok(manifest_cut(entries, 0, LIMIT, &arena, &ends, &count, &err));
	ck_assert_uint_eq(count, 0);
	/* no limit: no cut, however many */
	for (size_t i = 0; i < ENTRIES; i++)
		put(i, (int32_t)(ENTRIES - i), 0);
	ck_ok(manifest_cut(entries, ENTRIES, 0, &arena, &ends, &count, &err));
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(ends[0], ENTRIES);
	ck_assert_int_eq(value_of(0), ENTRIES);
}
END_TEST

/* Pieces of any entries: ordered, all there, none too large or too small. */
START_TEST(many_entries_are_ordered_and_cut_evenly)
{
	for (int run = 0; run < 200; run++) {
		size_t n = LIMIT + draw(ENTRIES - LIMIT), first = 0;
		size_t origins = 1 + draw(6), *ends, count;
		int64_t sum = 0;

		for (size_t i = 0; i < n; i++) {
			put(i, (int32_t)draw(300) - 1,
			    draw(3) ? draw((uint32_t)origins) : SIZE_MAX);
			sum += value_of(i) + 1;
		}
		ck_ok(manifest_cut(entries, n, LIMIT, &arena, &ends, &count,
				   &err));
		for (size_t i = 0; i < n; i++)
			sum -= value_of(i) + 1;
		ck_assert_int_eq(sum, 0);
		for (size_t i = 1; i < n; i++)
			ck_assert_int_le(value_of(i - 1), value_of(i));
		for (size_t k = 0; k < count; first = ends[k++]) {
			ck_assert_uint_gt(ends[k], first);
			ck_assert_uint_le(ends[k] - first, LIMIT);
			ck_assert_uint_ge(ends[k] - first, LIMIT / 2);
		}
		ck_assert_uint_eq(first, n);
	}
}
END_TEST

START_TEST(manifests_far_apart_do_not_become_one)
{
	size_t n = 0, first = 0, *ends, count;

	/* two that are nearly full, with new entries in either */
	for (int32_t i = 0; i < 8; i++)
		put(n++, 100 + i, 3);
	for (int32_t i = 0; i < 7; i++)
		put(n++, 900 + i, 5);
	put(n++, 100, SIZE_MAX);
	put(n++, 903, SIZE_MAX);
	ck_ok(manifest_cut(entries, n, LIMIT, &arena, &ends, &count, &err));
	ck_assert_uint_eq(count, 2);
	for (size_t k = 0; k < count; first = ends[k++])
		ck_assert_int_lt(value_of(ends[k] - 1) - value_of(first), 100);
}
END_TEST

START_TEST(a_cut_without_memory_is_an_error)
{
	size_t *ends, count;

	for (size_t i = 0; i < ENTRIES; i++)
		put(i, (int32_t)i, 0);
	arena_release(&arena);
	arena_init(&arena, 0);
	mem_fail_at(0);
	ck_assert_int_eq(manifest_cut(entries, ENTRIES, LIMIT, &arena, &ends,
				      &count, &err), ERROR_NO_MEMORY);
	ck_assert_uint_eq(count, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("manifest_cut");
	TCase *tc = tcase_create("manifest_cut");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, few_entries_stay_one_manifest_in_their_order);
	tcase_add_test(tc, many_entries_are_ordered_and_cut_evenly);
	tcase_add_test(tc, manifests_far_apart_do_not_become_one);
	tcase_add_test(tc, a_cut_without_memory_is_an_error);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
