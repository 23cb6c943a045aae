/* check_mem.c - the heap, its injected failures, and arithmetic on sizes */
#include "unit/check_main.h"

#include <string.h>

static void teardown(void)
{
	mem_fail_at(-1);
}

START_TEST(the_nth_allocation_fails_once_and_only_that_one)
{
	void *p[4];

	mem_fail_at(2);
	for (size_t i = 0; i < 4; i++)
		p[i] = mem_alloc(8);
	ck_assert_ptr_nonnull(p[0]);
	ck_assert_ptr_nonnull(p[1]);
	ck_assert_ptr_null(p[2]);
	ck_assert_ptr_nonnull(p[3]);
	ck_assert_int_eq(mem_alloc_count(), 4);
	for (size_t i = 0; i < 4; i++)
		mem_free(p[i]);
}
END_TEST

static void *allocate(int kind)
{
	switch (kind) {
	case 0: return mem_alloc(1);
	case 1: return mem_zalloc(1);
	case 2: return mem_alloc_array(2, 3);
	case 3: return mem_zalloc_array(2, 3);
	case 4: return mem_realloc_array(NULL, 2, 3);
	case 5: return mem_alloc_aligned(1);
	case 6: return mem_strdup("a");
	case 7: return mem_strndup("abc", 2);
	}
	return NULL;
}

START_TEST(each_kind_of_allocation_can_be_made_to_fail)
{
	void *memory;

	mem_fail_at(0);
	ck_assert_ptr_null(allocate(_i));
	memory = allocate(_i);
	ck_assert_ptr_nonnull(memory);
	ck_assert_int_eq(mem_alloc_count(), 2);
	mem_free(memory);
}
END_TEST

START_TEST(zero_bytes_are_a_valid_allocation)
{
	void *p[4] = { mem_alloc(0), mem_zalloc(0), mem_alloc_aligned(0),
		       mem_alloc_array(0, 8) };

	for (size_t i = 0; i < 4; i++) {
		ck_assert_ptr_nonnull(p[i]);
		mem_free(p[i]);
	}
	mem_free(NULL);
}
END_TEST

START_TEST(a_size_that_overflows_is_no_memory)
{
	ck_assert_ptr_null(mem_alloc_array(SIZE_MAX / 2, 3));
	ck_assert_ptr_null(mem_zalloc_array(SIZE_MAX / 2, 3));
	ck_assert_ptr_null(mem_realloc_array(NULL, SIZE_MAX / 2, 3));
	ck_assert_ptr_null(mem_alloc_aligned(SIZE_MAX - 3));
}
END_TEST

START_TEST(zeroed_memory_is_zero_and_aligned_memory_is_aligned)
{
	unsigned char *zeroes = mem_zalloc_array(10, 10);
	void *aligned;

	for (size_t i = 0; i < 100; i++)
		ck_assert_uint_eq(zeroes[i], 0);
	mem_free(zeroes);
	for (size_t bytes = 1; bytes < 300; bytes += 37) {
		aligned = mem_alloc_aligned(bytes);
		ck_assert_uint_eq((uintptr_t)aligned % 64, 0);
		memset(aligned, 1, bytes);
		mem_free(aligned);
	}
}
END_TEST

START_TEST(copies_of_text_end_at_the_length_or_the_nul)
{
	char *whole = mem_strdup("hello");
	char *part = mem_strndup("hello", 2);
	char *shorter = mem_strndup("hi\0there", 8);
	char *empty = mem_strndup(NULL, 0);

	ck_assert_str_eq(whole, "hello");
	ck_assert_str_eq(part, "he");
	ck_assert_str_eq(shorter, "hi");
	ck_assert_str_eq(empty, "");
	mem_free(whole);
	mem_free(part);
	mem_free(shorter);
	mem_free(empty);
}
END_TEST

START_TEST(a_growing_array_keeps_its_items)
{
	size_t *items = NULL, capacity = 0;

	for (size_t i = 0; i < 1000; i++) {
		ck_assert(mem_grow((void **)&items, &capacity, i,
				   sizeof(*items)));
		ck_assert_uint_gt(capacity, i);
		items[i] = i * i;
	}
	for (size_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(items[i], i * i);
	mem_free(items);
}
END_TEST

START_TEST(an_array_that_cannot_grow_is_left_as_it_was)
{
	int *items = NULL;
	size_t capacity = 0;
	int *before;

	ck_assert(mem_grow((void **)&items, &capacity, 0, sizeof(*items)));
	for (size_t i = 0; i < capacity; i++)
		items[i] = (int)i;
	before = items;
	mem_fail_at(0);
	ck_assert(!mem_grow((void **)&items, &capacity, capacity,
			    sizeof(*items)));
	ck_assert_ptr_eq(items, before);
	for (size_t i = 0; i < capacity; i++)
		ck_assert_int_eq(items[i], (int)i);
	capacity = SIZE_MAX / 2 + 1;
	ck_assert(!mem_grow((void **)&items, &capacity, capacity, 1));
	mem_free(items);
}
END_TEST

START_TEST(an_array_makes_room_for_many_at_once)
{
	int64_t *items = NULL;
	size_t capacity = 0, before;

	ck_assert(mem_reserve((void **)&items, &capacity, 0, sizeof(*items)));
	ck_assert_ptr_null(items);
	ck_assert(mem_reserve((void **)&items, &capacity, 1000,
			      sizeof(*items)));
	ck_assert_uint_ge(capacity, 1000);
	items[999] = 7;
	before = capacity;
	ck_assert(mem_reserve((void **)&items, &capacity, capacity,
			      sizeof(*items)));
	ck_assert_uint_eq(capacity, before);
	ck_assert(mem_reserve((void **)&items, &capacity, capacity + 1,
			      sizeof(*items)));
	ck_assert_uint_ge(capacity, 2 * before);
	ck_assert_int_eq(items[999], 7);
	before = capacity;
	ck_assert(!mem_reserve((void **)&items, &capacity, SIZE_MAX,
			       sizeof(*items)));
	mem_fail_at(0);
	ck_assert(!mem_reserve((void **)&items, &capacity, capacity + 1,
			       sizeof(*items)));
	mem_fail_at(-1);
	ck_assert_uint_eq(capacity, before);
	ck_assert_int_eq(items[999], 7);
	mem_free(items);
}
END_TEST

START_TEST(sums_and_products_of_sizes_never_wrap)
{
	size_t out = 7;

	ck_assert(!size_add(SIZE_MAX, 1, &out));
	ck_assert(!size_mul(SIZE_MAX / 2 + 1, 2, &out));
	ck_assert_uint_eq(out, 7);
	ck_assert(size_add(SIZE_MAX - 1, 1, &out));
	ck_assert_uint_eq(out, SIZE_MAX);
	ck_assert(size_mul(SIZE_MAX / 2, 2, &out));
	ck_assert_uint_eq(out, SIZE_MAX - 1);
}
END_TEST

START_TEST(giving_memory_back_keeps_what_is_in_use)
{
	uint8_t *kept = mem_alloc(1 << 20), *freed = mem_alloc(1 << 20);

	ck_assert_ptr_nonnull(kept);
	ck_assert_ptr_nonnull(freed);
	memset(kept, 7, 1 << 20);
	mem_free(freed);
	mem_trim();
	for (size_t i = 0; i < (size_t)1 << 20; i++)
		ck_assert_uint_eq(kept[i], 7);
	mem_free(kept);
}
END_TEST

START_TEST(the_peak_covers_memory_that_was_touched)
{
	size_t bytes = (size_t)64 << 20;
	char *memory = mem_alloc(bytes);

	memset(memory, 1, bytes);
	ck_assert_int_eq(memory[bytes - 1], 1);
	ck_assert_uint_ge(mem_peak_bytes(), bytes);
	mem_free(memory);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mem");
	TCase *tc = tcase_create("mem");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, the_nth_allocation_fails_once_and_only_that_one);
	tcase_add_loop_test(tc, each_kind_of_allocation_can_be_made_to_fail,
			    0, 8);
	tcase_add_test(tc, zero_bytes_are_a_valid_allocation);
	tcase_add_test(tc, a_size_that_overflows_is_no_memory);
	tcase_add_test(tc,
		zeroed_memory_is_zero_and_aligned_memory_is_aligned);
	tcase_add_test(tc, copies_of_text_end_at_the_length_or_the_nul);
	tcase_add_test(tc, a_growing_array_keeps_its_items);
	tcase_add_test(tc, an_array_makes_room_for_many_at_once);
	tcase_add_test(tc, an_array_that_cannot_grow_is_left_as_it_was);
	tcase_add_test(tc, sums_and_products_of_sizes_never_wrap);
	tcase_add_test(tc, giving_memory_back_keeps_what_is_in_use);
	tcase_add_test(tc, the_peak_covers_memory_that_was_touched);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
