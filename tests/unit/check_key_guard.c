/*
 * Keys inserted twice, against a sorted list of the same keys: ascending,
 * shuffled, mixed and text keys, several writers, several columns.
 */
#include <stdio.h>
#include "unit/check_main.h"
#include "merge/key_guard.h"

static struct error err;
static struct key_guard *guard;
static struct key_guard_writer *writers[3];
static struct vector keys[2];
static struct arena arena;
static uint64_t state;

static uint64_t random_below(uint64_t below)
{
	state = state * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return (state >> 33) % below;
}

static void setup(void)
{
	error_init(&err);
	arena_init(&arena, 0);
	guard = NULL;
	memset(keys, 0, sizeof(keys));
}

static void teardown(void)
{
	mem_fail_at(-1);
	key_guard_free(guard);
	vector_release(&keys[0]);
	vector_release(&keys[1]);
	arena_release(&arena);
}

static void begin(const struct type *types, size_t count)
{
	ck_ok(key_guard_new(&guard, types, count, &err));
	for (size_t i = 0; i < 3; i++)
		ck_ok(key_guard_writer_new(&writers[i], guard, &err));
	for (size_t k = 0; k < count; k++)
		vector_init(&keys[k], types[k]);
}

static void put(size_t column, int64_t value)
{
	struct literal l = literal_null(keys[column].type);

	l.is_null = false;
	if (keys[column].type.id == TYPE_INTEGER)
		l.value.int32 = (int32_t)value;
	else if (keys[column].type.id == TYPE_VARCHAR)
		l.value.bytes = byte_view(arena_printf(&arena, "%d",
						       (int)value),
					  (size_t)snprintf(NULL, 0, "%d",
							   (int)value));
	else
		l.value.int64 = value;
	ck_ok(vector_append(&keys[column], &l, &err));
}

static void flush(size_t writer)
{
	const struct vector *list[2] = { &keys[0], &keys[1] };

	ck_ok(key_guard_add(writers[writer], list, keys[0].count, 0, &err));
	vector_reset(&keys[0]);
	vector_reset(&keys[1]);
}

static int compare_i64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static struct key_guard_duplicate check(void)
{
	struct key_guard_duplicate found;

	ck_ok(key_guard_check(guard, &found, &err));
	return found;
}

START_TEST(what_is_found_is_what_sorting_finds)
{
	struct type type = type_of(_i % 3 == 0 ? TYPE_BIGINT
				   : _i % 3 == 1 ? TYPE_INTEGER
						 : TYPE_VARCHAR);
	int64_t all[3000];
	size_t n = 0;
	bool expected = false;
	struct key_guard_duplicate found;

	state = hash_word((uint64_t)_i + 1);
	begin(&type, 1);
	while (n < 2500) {
		size_t rows = 1 + random_below(200);
		int64_t next = (int64_t)random_below(100000000) - 50000000;
		bool ascending = random_below(2);

		for (size_t i = 0; i < rows; i++) {
			if (ascending)
				next += 1 + (int64_t)random_below(300);
			else
				next = (int64_t)random_below(100000000) -
				       50000000;
			all[n++] = next;
			put(0, next);
		}
		flush(random_below(3));
	}
	if (random_below(2)) {	/* one more that is there already */
		all[n] = all[random_below(n)];
		put(0, all[n++]);
		flush(random_below(3));
	}
	qsort(all, n, sizeof(*all), compare_i64);
	for (size_t i = 1; i < n; i++)
		expected |= all[i] == all[i - 1];
	found = check();
	ck_assert_int_eq(found.found, expected);
	if (found.found && found.is_known)
		ck_assert_ptr_nonnull(bsearch(&found.value, all, n,
					      sizeof(*all), compare_i64));
}
END_TEST

START_TEST(ascending_keys_take_little_memory_and_have_no_duplicate)
{
	struct type type = type_of(TYPE_BIGINT);

	begin(&type, 1);
	for (int64_t i = 0; i < 100000; i++) {
		put(0, i * 3);
		if (i % 4096 == 4095)
			flush(0);
	}
	flush(0);
	ck_assert(!check().found);
	ck_assert_uint_lt(key_guard_bytes(guard), 300000);
}
END_TEST

START_TEST(a_key_in_two_writers_is_found_and_known)
{
	struct type type = type_of(TYPE_BIGINT);
	struct key_guard_duplicate found;
	const struct vector *list[1] = { &keys[0] };

	begin(&type, 1);
	put(0, INT64_MIN);
	put(0, -1);
	put(0, INT64_MAX);
	flush(0);
	put(0, -1);
	flush(1);
	found = check();
	ck_assert(found.found && found.is_known);
	ck_assert_int_eq(found.value, -1);
	put(0, -1);
	put(0, 1);
	ck_assert(key_guard_is_duplicate(guard, &found, list, 0));
	ck_assert(!key_guard_is_duplicate(guard, &found, list, 1));
}
END_TEST

START_TEST(a_key_of_two_columns_is_both_of_them)
{
	struct type types[2] = { type_of(TYPE_VARCHAR),
				 type_of(TYPE_VARCHAR) };
	const struct vector *list[2] = { &keys[0], &keys[1] };
	struct key_guard_duplicate found;

	begin(types, 2);
	put(0, 1);
	put(1, 23);
	put(0, 12);
	put(1, 3);
	put(0, 1);
	put(1, 2);
	flush(0);
	ck_assert(!check().found);
	put(0, 12);
	put(1, 3);
	flush(2);
	found = check();
	ck_assert(found.found && !found.is_known);
	put(0, 12);
	put(1, 3);
	put(0, 1);
	put(1, 23);
	ck_assert(key_guard_is_duplicate(guard, &found, list, 0));
	ck_assert(!key_guard_is_duplicate(guard, &found, list, 1));
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct type type = type_of(_i ? TYPE_VARCHAR : TYPE_BIGINT);
	const struct vector *list[1] = { &keys[0] };
	bool failed = true;

	vector_init(&keys[0], type);
	for (int i = 0; i < 300; i++)
		put(0, i < 290 ? 300 - i : i * 1000);
	for (long n = 0; failed; n = next_fault(n)) {
		struct key_guard_duplicate found;
		int rc;

		mem_fail_at(n);
		rc = key_guard_new(&guard, &type, 1, &err);
		if (!rc)
			rc = key_guard_writer_new(&writers[0], guard, &err);
		if (!rc)
			rc = key_guard_add(writers[0], list, 300, 0, &err);
		if (!rc)
			rc = key_guard_check(guard, &found, &err);
		mem_fail_at(-1);
		failed = rc != 0;
		if (failed)
			ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		key_guard_free(guard);
		guard = NULL;
		ck_assert_int_lt(n, 100);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("key_guard");
	TCase *tc = tcase_create("key_guard");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, what_is_found_is_what_sorting_finds, 0, 60);
	tcase_add_test(tc,
		ascending_keys_take_little_memory_and_have_no_duplicate);
	tcase_add_test(tc, a_key_in_two_writers_is_found_and_known);
	tcase_add_test(tc, a_key_of_two_columns_is_both_of_them);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, 2);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
