/* check_arena.c - memory that is freed all at once */
#include "unit/check_main.h"

#include <string.h>

static struct arena arena;

static void setup(void)
{
	arena_init(&arena, 0);
}

static void teardown(void)
{
	mem_fail_at(-1);
	arena_release(&arena);
}

START_TEST(pieces_are_aligned_and_do_not_overlap)
{
	unsigned char *pieces[500];
	size_t bytes[500];

	for (size_t i = 0; i < 500; i++) {
		bytes[i] = i * 7919 % 1500;
		pieces[i] = arena_alloc(&arena, bytes[i]);
		ck_assert_ptr_nonnull(pieces[i]);
		ck_assert_uint_eq((uintptr_t)pieces[i] % 16, 0);
		memset(pieces[i], (int)(i & 255), bytes[i]);
	}
	for (size_t i = 0; i < 500; i++)
		for (size_t k = 0; k < bytes[i]; k++)
			ck_assert_uint_eq(pieces[i][k], i & 255);
}
END_TEST

START_TEST(strings_are_packed_tightly)
{
	char *first = arena_alloc_bytes(&arena, 3);
	char *second = arena_alloc_bytes(&arena, 5);

	ck_assert_ptr_eq(second, first + 3);
	memcpy(first, "abc", 3);
	memcpy(second, "defgh", 5);
	ck_assert_mem_eq(first, "abcdefgh", 8);
}
END_TEST

START_TEST(zero_bytes_give_an_address)
{
	struct arena zeroes = { 0 };

	ck_assert_ptr_nonnull(arena_alloc(&zeroes, 0));
	ck_assert_ptr_nonnull(arena_alloc_bytes(&zeroes, 0));
	ck_assert_ptr_nonnull(arena_zalloc_array(&zeroes, 0, 8));
	ck_assert_ptr_nonnull(arena_copy(&zeroes, NULL, 0));
	arena_release(&zeroes);
}
END_TEST

START_TEST(a_large_piece_does_not_end_the_current_block)
{
	char *small = arena_alloc_bytes(&arena, 10);
	char *large = arena_alloc(&arena, 3 << 20);
	char *next = arena_alloc_bytes(&arena, 10);

	memset(large, 1, 3 << 20);
	ck_assert_ptr_eq(next, small + 10);
}
END_TEST

START_TEST(reset_keeps_the_largest_block_for_the_next_use)
{
	char *again;

	arena_alloc(&arena, 100);
	arena_alloc(&arena, 2 << 20);
	ck_assert_uint_eq(arena.total_bytes, 100 + (2 << 20));
	arena_reset(&arena);
	ck_assert_uint_eq(arena.total_bytes, 0);
	mem_fail_at(0);		/* no new memory is needed */
	again = arena_alloc(&arena, 2 << 20);
	ck_assert_ptr_nonnull(again);
	memset(again, 1, 2 << 20);
	ck_assert_int_eq(mem_alloc_count(), 0);
}
END_TEST

START_TEST(an_empty_arena_can_be_reset_and_released)
{
	arena_reset(&arena);
	arena_release(&arena);
	arena_release(&arena);
	ck_assert_ptr_nonnull(arena_alloc(&arena, 1));
}
END_TEST

START_TEST(zeroed_pieces_are_zero_even_in_used_blocks)
{
	unsigned char *piece;

	memset(arena_alloc(&arena, 4000), 255, 4000);
	arena_reset(&arena);
	piece = arena_zalloc_array(&arena, 100, 30);
	for (size_t i = 0; i < 3000; i++)
		ck_assert_uint_eq(piece[i], 0);
}
END_TEST

START_TEST(copies_of_text_end_with_a_nul)
{
	ck_assert_str_eq(arena_strdup(&arena, "one"), "one");
	ck_assert_str_eq(arena_strndup(&arena, "twofold", 3), "two");
	ck_assert_str_eq(arena_strndup(&arena, "a\0b", 3), "a");
	ck_assert_str_eq(arena_strndup(&arena, NULL, 0), "");
	ck_assert_str_eq(arena_printf(&arena, "%d-%s", 7, "x"), "7-x");
	ck_assert_mem_eq(arena_copy(&arena, "\0\1\2", 3), "\0\1\2", 3);
}
END_TEST

START_TEST(sizes_that_overflow_are_no_memory)
{
	ck_assert_ptr_null(arena_alloc(&arena, SIZE_MAX));
	ck_assert_ptr_null(arena_alloc(&arena, SIZE_MAX - 8));
	ck_assert_ptr_null(arena_alloc_bytes(&arena, SIZE_MAX));
	ck_assert_ptr_null(arena_zalloc_array(&arena, SIZE_MAX / 2, 3));
	ck_assert_ptr_nonnull(arena_alloc(&arena, 1));
	ck_assert_ptr_null(arena_alloc(&arena, SIZE_MAX));
	ck_assert_ptr_null(arena_alloc_bytes(&arena, SIZE_MAX - 20));
}
END_TEST

START_TEST(a_failed_allocation_leaves_the_arena_usable)
{
	char *kept = arena_strdup(&arena, "kept");

	mem_fail_at(0);
	ck_assert_ptr_null(arena_alloc(&arena, 10000));
	ck_assert_ptr_nonnull(arena_alloc(&arena, 10000));
	mem_fail_at(0);
	ck_assert_ptr_null(arena_printf(&arena, "%09999d", 1));
	ck_assert_str_eq(kept, "kept");
}
END_TEST

START_TEST(blocks_double_up_to_a_megabyte)
{
	mem_fail_at(-1);
	for (size_t i = 0; i < (8 << 20) / 64; i++)
		ck_assert_ptr_nonnull(arena_alloc(&arena, 64));
	/* 1 KiB + 8 + .. + 512 KiB make 1017 KiB, the rest 1 MiB each */
	ck_assert_int_ge(mem_alloc_count(), 8 + 7);
	ck_assert_int_le(mem_alloc_count(), 8 + 9);
}
END_TEST

START_TEST(pieces_of_half_a_page_share_blocks)
{
	mem_fail_at(-1);
	for (size_t i = 0; i < 1000; i++)
		ck_assert_ptr_nonnull(arena_alloc_bytes(&arena, 2000));
	ck_assert_int_le(mem_alloc_count(), 12);
}
END_TEST

START_TEST(large_first_blocks_stop_at_a_megabyte_too)
{
	struct arena large;

	arena_init(&large, 700000);
	mem_fail_at(-1);
	for (size_t i = 0; i < 3000000 / 1000; i++)
		ck_assert_ptr_nonnull(arena_alloc_bytes(&large, 1000));
	ck_assert_int_eq(mem_alloc_count(), 4);
	arena_release(&large);
}
END_TEST

START_TEST(no_memory_for_text_is_no_text)
{
	for (int kind = 0; kind < 3; kind++) {
		mem_fail_at(0);
		ck_assert_ptr_null(kind == 0 ? arena_strdup(&arena, "a") :
				   kind == 1 ? arena_copy(&arena, "a", 1) :
				   arena_printf(&arena, "%d", 1));
	}
	ck_assert_uint_eq(arena.total_bytes, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("arena");
	TCase *tc = tcase_create("arena");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, pieces_are_aligned_and_do_not_overlap);
	tcase_add_test(tc, strings_are_packed_tightly);
	tcase_add_test(tc, zero_bytes_give_an_address);
	tcase_add_test(tc, a_large_piece_does_not_end_the_current_block);
	tcase_add_test(tc, reset_keeps_the_largest_block_for_the_next_use);
	tcase_add_test(tc, an_empty_arena_can_be_reset_and_released);
	tcase_add_test(tc, zeroed_pieces_are_zero_even_in_used_blocks);
	tcase_add_test(tc, copies_of_text_end_with_a_nul);
	tcase_add_test(tc, sizes_that_overflow_are_no_memory);
	tcase_add_test(tc, a_failed_allocation_leaves_the_arena_usable);
	tcase_add_test(tc, blocks_double_up_to_a_megabyte);
	tcase_add_test(tc, pieces_of_half_a_page_share_blocks);
	tcase_add_test(tc, large_first_blocks_stop_at_a_megabyte_too);
	tcase_add_test(tc, no_memory_for_text_is_no_text);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
