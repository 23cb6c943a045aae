/*
 * check_bit_pack.c - packed integers against the definition, bit by bit
 *
 * Inputs and outputs end where a page without access begins, so that a byte
 * too many is a fault.
 */
#include "unit/check_main.h"

#include <string.h>
#include <sys/mman.h>
#include "codec/bit_unpack.h"
#include "codec/codec.h"

#define PAGE ((size_t)4096)
#define ROOM (4 * PAGE)
#define MOST_VALUES ((size_t)300)

static uint8_t *packed_end;	/* first byte behind the writable pages */
static uint8_t *values_end;
static uint64_t random_state;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Pages with one behind and one before them that may not be touched. */
static uint8_t *guarded_end(void)
{
	uint8_t *start = mmap(NULL, ROOM + 2 * PAGE, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(start, MAP_FAILED);
	ck_assert_int_eq(mprotect(start + PAGE, ROOM, PROT_READ | PROT_WRITE),
			 0);
	return start + PAGE + ROOM;
}

static void setup(void)
{
	random_state = 88172645463325252u;
	packed_end = guarded_end();
	values_end = guarded_end();
}

static void teardown(void)
{
	munmap(packed_end - ROOM - PAGE, ROOM + 2 * PAGE);
	munmap(values_end - ROOM - PAGE, ROOM + 2 * PAGE);
}

/* The definition: bit b of value i is bit i * width + b of the bytes. */
static uint64_t value_at(const uint8_t *packed, unsigned width, size_t i)
{
	uint64_t value = 0;
	size_t bit;

	for (unsigned b = 0; b < width; b++) {
		bit = i * width + b;
		if (packed[bit / 8] >> (bit % 8) & 1)
			value |= UINT64_C(1) << b;
	}
	return value;
}

static size_t test_count(size_t i)
{
	static const size_t counts[] = {
		0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65,
		72, 127, 128, 129, 200, 256, MOST_VALUES,
	};

	return i < ARRAY_COUNT(counts) ? counts[i] : SIZE_MAX;
}

/* Random bytes that end at the guard; returns where they begin. */
static uint8_t *random_bytes(size_t length)
{
	uint8_t *bytes = packed_end - length;

	for (size_t i = 0; i < length; i++)
		bytes[i] = (uint8_t)(next_random() >> 32);
	return bytes;
}

static void expect32(unsigned width, size_t count, bool plain)
{
	uint8_t *packed = random_bytes(bit_pack_bytes(count, width));
	uint32_t *out = (uint32_t *)(void *)values_end - count;
	size_t i = 0;

	memset(out, 0xee, count * sizeof(*out));
	if (plain)
		bit_unpack32_plain(packed, width, count, out);
	else
		bit_unpack32(packed, width, count, out);
	while (i < count && out[i] == value_at(packed, width, i))
		i++;
	ck_assert_msg(i == count, "width %u, value %zu of %zu", width, i,
		      count);
}

START_TEST(unpacking_to_32_bits_reads_all_bytes_and_no_more)
{
	for (size_t c = 0; test_count(c) != SIZE_MAX; c++) {
		expect32((unsigned)_i, test_count(c), false);
		expect32((unsigned)_i, test_count(c), true);
	}
}
END_TEST

START_TEST(unpacking_to_64_bits_reads_all_bytes_and_no_more)
{
	unsigned width = (unsigned)_i;
	uint64_t *out;
	uint8_t *packed;
	size_t count, i;

	for (size_t c = 0; test_count(c) != SIZE_MAX; c++) {
		count = test_count(c);
		packed = random_bytes(bit_pack_bytes(count, width));
		out = (uint64_t *)(void *)values_end - count;
		bit_unpack64(packed, width, count, out);
		for (i = 0; i < count &&
		     out[i] == value_at(packed, width, i); i++)
			;
		ck_assert_msg(i == count, "width %u, value %zu of %zu", width,
			      i, count);
	}
}
END_TEST

static uint64_t width_mask(unsigned width)
{
	return width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

/* Are the bytes those values, with zero bits behind them? */
static void expect_packed(const uint8_t *packed, unsigned width, size_t count,
			  const uint64_t *values)
{
	size_t bits = bit_pack_bytes(count, width) * 8, i;

	for (i = 0; i < count && value_at(packed, width, i) == values[i]; i++)
		;
	ck_assert_msg(i == count, "width %u, value %zu of %zu", width, i,
		      count);
	for (size_t bit = count * width; bit < bits; bit++)
		ck_assert_uint_eq(packed[bit / 8] >> (bit % 8) & 1, 0);
}

START_TEST(packing_writes_all_bytes_and_no_more)
{
	uint64_t values[MOST_VALUES];
	uint32_t narrow[MOST_VALUES];
	unsigned width = (unsigned)_i;
	uint8_t *packed;
	size_t count;

	for (size_t c = 0; test_count(c) != SIZE_MAX; c++) {
		count = test_count(c);
		for (size_t i = 0; i < count; i++) {
			values[i] = next_random() & width_mask(width);
			narrow[i] = (uint32_t)values[i];
		}
		packed = random_bytes(bit_pack_bytes(count, width));
		bit_pack64(values, width, count, packed);
		expect_packed(packed, width, count, values);
		if (width > 32)
			continue;
		packed = random_bytes(bit_pack_bytes(count, width));
		bit_pack32(narrow, width, count, packed);
		expect_packed(packed, width, count, values);
	}
}
END_TEST

/* The example of Parquet's Encodings.md: 0 to 7 in three bits. */
START_TEST(the_example_of_the_parquet_specification_holds)
{
	static const uint32_t values[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	static const uint8_t bytes[3] = { 0x88, 0xc6, 0xfa };
	uint32_t out[8];
	uint8_t packed[3];

	bit_pack32(values, 3, 8, packed);
	ck_assert_mem_eq(packed, bytes, 3);
	bit_unpack32(bytes, 3, 8, out);
	ck_assert_mem_eq(out, values, sizeof(values));
}
END_TEST

START_TEST(the_width_of_a_value_is_its_highest_bit)
{
	ck_assert_uint_eq(bit_width64(0), 0);
	ck_assert_uint_eq(bit_width64(1), 1);
	ck_assert_uint_eq(bit_width64(255), 8);
	ck_assert_uint_eq(bit_width64(256), 9);
	ck_assert_uint_eq(bit_width64(UINT64_MAX), 64);
	ck_assert_uint_eq(bit_pack_bytes(0, 7), 0);
	ck_assert_uint_eq(bit_pack_bytes(9, 7), 8);
	ck_assert_uint_eq(bit_pack_bytes(16, 64), 128);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bit_pack");
	TCase *tc = tcase_create("bit_pack");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc,
		unpacking_to_32_bits_reads_all_bytes_and_no_more, 0, 33);
	tcase_add_loop_test(tc,
		unpacking_to_64_bits_reads_all_bytes_and_no_more, 0, 65);
	tcase_add_loop_test(tc, packing_writes_all_bytes_and_no_more, 0, 65);
	tcase_add_test(tc, the_example_of_the_parquet_specification_holds);
	tcase_add_test(tc, the_width_of_a_value_is_its_highest_bit);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
