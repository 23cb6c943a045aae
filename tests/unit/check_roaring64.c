/* check_roaring64.c - sets of row positions against a sorted array */
#include "unit/check_main.h"

#include <string.h>
#include "codec/codec.h"

#define HIGH (UINT64_C(3) << 32)

static struct error err;
static struct roaring64 *set;
static struct text text;
/* The model: distinct positions, ascending. */
static uint64_t *model;
static size_t model_count, model_capacity;
static uint32_t random_state;

static uint32_t next_random(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return random_state >> 4;
}

static void setup(void)
{
	error_init(&err);
	text_init(&text);
	random_state = 42;
	model_count = 0;
	ck_ok(roaring64_new(&set, &err));
}

static void teardown(void)
{
	mem_fail_at(-1);
	roaring64_free(set);
	set = NULL;
	text_release(&text);
	mem_free(model);
	model = NULL;
	model_capacity = 0;
}

static void model_add(uint64_t position)
{
	ck_assert(mem_grow((void **)&model, &model_capacity, model_count,
			   sizeof(*model)));
	model[model_count++] = position;
}

/*
 * Every kind of container, in two high words: a few values, a run, a dense
 * random stretch, all of a container, values at both ends of a word.
 */
static void fill(void)
{
	for (uint64_t p = 5; p < 2000; p += 1 + next_random() % 90)
		model_add(p);
	for (uint64_t p = 70000; p < 90000; p++)
		model_add(p);
	for (uint64_t p = 3 << 16; p < 4 << 16; p++)
		if (next_random() % 3)
			model_add(p);
	for (uint64_t p = 6 << 16; p < 7 << 16; p++)
		model_add(p);
	model_add(UINT32_MAX);
	model_add(HIGH);
	model_add(HIGH + 77);
	model_add(HIGH + UINT32_MAX);
	ck_ok(roaring64_add_many(set, model, model_count, &err));
}

static void expect_model(const struct roaring64 *any)
{
	uint64_t piece[700];
	uint64_t first = 0;
	size_t done = 0, got;

	ck_assert_uint_eq(roaring64_cardinality(any), model_count);
	do {
		got = roaring64_positions(any, first, piece,
					  1 + done % ARRAY_COUNT(piece));
		ck_assert_uint_le(done + got, model_count);
		ck_assert_int_eq(memcmp(piece, model + done,
					got * sizeof(*piece)), 0);
		done += got;
		if (got)
			first = piece[got - 1] + 1;
	} while (got > 0);
	ck_assert_uint_eq(done, model_count);
}

static bool model_has(uint64_t position)
{
	for (size_t i = 0; i < model_count; i++)
		if (model[i] == position)
			return true;
	return false;
}

START_TEST(what_was_added_is_in_the_set_and_nothing_else)
{
	static const uint64_t edges[] = {
		0, 69999, 70000, 89999, 90000, (6 << 16) - 1, 6 << 16,
		7 << 16, UINT32_MAX, HIGH - 1, HIGH, HIGH + 1,
		HIGH + UINT32_MAX, HIGH + UINT32_MAX + UINT64_C(1),
		UINT64_MAX,
	};

	fill();
	expect_model(set);
	ck_ok(roaring64_add_many(set, model, model_count, &err));
	ck_ok(roaring64_add(set, HIGH, &err));
	expect_model(set);
	for (size_t i = 0; i < ARRAY_COUNT(edges); i++)
		ck_assert(roaring64_contains(set, edges[i]) ==
			  model_has(edges[i]));
}
END_TEST

START_TEST(positions_may_come_in_any_order)
{
	fill();
	roaring64_free(set);
	ck_ok(roaring64_new(&set, &err));
	for (size_t i = model_count; i > 0; i--)
		ck_ok(roaring64_add(set, model[i - 1], &err));
	expect_model(set);
}
END_TEST

/*
 * Ascending stretches go in by the thousand. Here they begin and end anywhere,
 * go back, repeat themselves, cross arrays and words, lie close or apart.
 */
START_TEST(stretches_that_ascend_give_what_single_positions_give)
{
	uint64_t many[9000];
	struct roaring64 *single;

	ck_ok(roaring64_new(&single, &err));
	for (int round = 0; round < 300; round++) {
		uint64_t step = UINT64_C(1) << next_random() % 17;
		uint64_t at = next_random() % 2 ? HIGH - step * 300
						: next_random() % (1 << 20);
		size_t count = 1 + next_random() % ARRAY_COUNT(many);

		for (size_t i = 0; i < count; i++) {
			many[i] = at;
			if (round % 3 == 1 && next_random() % 500 == 0)
				continue;	/* once more */
			if (round % 3 == 2 && next_random() % 700 == 0)
				at -= at < step * 50 ? 0 : step * 50;
			at += 1 + next_random() % step;
		}
		ck_ok(roaring64_add_many(set, many, count, &err));
		for (size_t i = 0; i < count; i++)
			ck_ok(roaring64_add(single, many[i], &err));
		if (round % 50)
			continue;
		ck_assert_uint_eq(roaring64_cardinality(set),
				  roaring64_cardinality(single));
		text_reset(&text);
		ck_ok(roaring64_serialize(single, &text, &err));
		count = text.length;
		ck_ok(roaring64_serialize(set, &text, &err));
		ck_assert_uint_eq(text.length, 2 * count);
		ck_assert_int_eq(memcmp(text.data, text.data + count, count),
				 0);
	}
	roaring64_free(single);
}
END_TEST

START_TEST(a_position_out_of_range_is_refused)
{
	ck_assert_int_eq(roaring64_add(set, UINT64_C(1) << 63, &err),
			 ERROR_CORRUPT);
	ck_assert_int_eq(roaring64_add(set, UINT64_MAX, &err), ERROR_CORRUPT);
	ck_assert_uint_eq(roaring64_cardinality(set), 0);
	ck_ok(roaring64_add(set, (UINT64_C(0x7ffffffe) << 32) + 1, &err));
	ck_assert_uint_eq(roaring64_cardinality(set), 1);
}
END_TEST

START_TEST(positions_behind_the_last_of_a_word_come_from_the_next)
{
	uint64_t out[2];

	ck_ok(roaring64_add(set, 5, &err));
	ck_ok(roaring64_add(set, HIGH + 1, &err));
	ck_assert_uint_eq(roaring64_positions(set, 6, out, 2), 1);
	ck_assert(out[0] == HIGH + 1);
	ck_assert_uint_eq(roaring64_positions(set, HIGH + 2, out, 2), 0);
	ck_assert_uint_eq(roaring64_positions(set, UINT64_MAX, out, 2), 0);
	ck_assert_uint_eq(roaring64_positions(set, 0, out, 0), 0);
}
END_TEST

START_TEST(an_addition_or_union_without_memory_adds_nothing)
{
	struct roaring64 *other;

	ck_ok(roaring64_new(&other, &err));
	ck_ok(roaring64_add(other, 5, &err));
	mem_fail_at(0);
	ck_assert_int_eq(roaring64_add(set, 5, &err), ERROR_NO_MEMORY);
	mem_fail_at(0);
	ck_assert_int_eq(roaring64_union(set, other, &err), ERROR_NO_MEMORY);
	ck_assert_uint_eq(roaring64_cardinality(set), 0);
	ck_ok(roaring64_union(set, other, &err));
	ck_assert_uint_eq(roaring64_cardinality(set), 1);
	roaring64_free(other);
}
END_TEST

START_TEST(a_union_has_the_members_of_both)
{
	struct roaring64 *other;

	fill();
	ck_ok(roaring64_new(&other, &err));
	ck_ok(roaring64_union(set, other, &err));
	expect_model(set);
	ck_ok(roaring64_union(other, set, &err));
	expect_model(other);
	ck_ok(roaring64_union(set, set, &err));
	expect_model(set);
	/* the copy is its own: adding to it leaves the other alone */
	ck_ok(roaring64_add(other, HIGH * 2, &err));
	ck_ok(roaring64_add(other, 1, &err));
	expect_model(set);
	roaring64_free(other);
}
END_TEST

START_TEST(clearing_bits_clears_members_of_the_range_only)
{
	static const struct {
		uint64_t first;
		size_t count;
	} ranges[] = {
		{ 0, 2048 }, { 7, 100 }, { 69990, 2000 }, { 89000, 4096 },
		{ (3 << 16) + 5, 70000 }, { UINT32_MAX - 10, 4000 },
		{ HIGH - 64, 4096 }, { HIGH + UINT32_MAX - 5, 100 },
		{ 200000000, 100 }, { HIGH * 3, 64 }, { 5, 0 },
		{ UINT64_MAX - 5, 3 }, { INT64_MAX - 1, 100 },
	};
	uint64_t *keep;
	size_t count, words;

	fill();
	for (size_t r = 0; r < ARRAY_COUNT(ranges); r++) {
		count = ranges[r].count;
		words = BITMAP_WORDS(count) + 1;
		keep = mem_alloc_array(words, sizeof(*keep));
		memset(keep, 0xff, words * sizeof(*keep));
		roaring64_clear_bits(set, ranges[r].first, count, keep);
		for (size_t i = 0; i < count; i++)
			if (bits_get(keep, i) == roaring64_contains(set,
						ranges[r].first + i))
				ck_abort_msg("range %zu, bit %zu", r, i);
		for (size_t i = count; i < words * 64; i++)
			ck_assert(bits_get(keep, i));
		mem_free(keep);
	}
}
END_TEST

/* The blobs of the Iceberg reference: magic and payload under one CRC. */
static uint32_t blob_crc(void)
{
	return crc32_of(crc32_of(0, "\xd1\xd3\x39\x64", 4), text.data,
			text.length);
}

START_TEST(the_payload_of_one_position_is_the_golden_one)
{
	static const char golden[] =
		"\1\0\0\0\0\0\0\0" "\0\0\0\0" "\x3a\x30\0\0" "\1\0\0\0"
		"\0\0\0\0" "\x10\0\0\0" "\1\0";

	ck_ok(roaring64_add(set, 1, &err));
	ck_ok(roaring64_serialize(set, &text, &err));
	ck_assert_uint_eq(text.length, sizeof(golden) - 1);
	ck_assert_mem_eq(text.data, golden, sizeof(golden) - 1);
	ck_assert_uint_eq(blob_crc(), 0xeebd85f4);
}
END_TEST

START_TEST(the_payload_of_the_java_fixture_has_its_checksum)
{
	static const uint64_t odd[] = { 1, 3, 5, 7, 9 };

	ck_ok(roaring64_add_many(set, odd, 5, &err));
	ck_ok(roaring64_serialize(set, &text, &err));
	ck_assert_uint_eq(text.length, 50 - 4 - 4 - 4);
	ck_assert_uint_eq(blob_crc(), 0xb3fb20be);
}
END_TEST

START_TEST(the_payload_of_a_run_is_the_golden_one)
{
	static const char golden[] =
		"\1\0\0\0\0\0\0\0" "\0\0\0\0" "\x3b\x30\0\0" "\1"
		"\0\0\xe7\3" "\1\0" "\0\0\xe7\3";

	for (uint64_t p = 0; p < 1000; p++)
		ck_ok(roaring64_add(set, p, &err));
	ck_assert(text_add_str(&text, "before"));
	ck_ok(roaring64_serialize(set, &text, &err));
	ck_assert_uint_eq(text.length, 6 + sizeof(golden) - 1);
	ck_assert_mem_eq(text.data + 6, golden, sizeof(golden) - 1);
}
END_TEST

START_TEST(a_payload_reads_back_as_the_same_set)
{
	struct roaring64 *copy;

	fill();
	ck_ok(roaring64_serialize(set, &text, &err));
	ck_ok(roaring64_deserialize(&copy, text.data, text.length, &err));
	expect_model(copy);
	expect_model(set);
	roaring64_free(copy);
}
END_TEST

START_TEST(bitmaps_without_members_are_read_over)
{
	/* keys 0 (empty), 1 (one member), 2 (empty), as Java writes gaps */
	static const char payload[] =
		"\3\0\0\0\0\0\0\0"
		"\0\0\0\0" "\x3a\x30\0\0" "\0\0\0\0"
		"\1\0\0\0" "\x3a\x30\0\0" "\1\0\0\0" "\0\0\0\0" "\x10\0\0\0"
		"\5\0"
		"\2\0\0\0" "\x3a\x30\0\0" "\0\0\0\0";
	static const char nothing[] = "\0\0\0\0\0\0\0\0";
	struct roaring64 *copy;

	ck_ok(roaring64_deserialize(&copy, payload, sizeof(payload) - 1,
				    &err));
	ck_assert_uint_eq(roaring64_cardinality(copy), 1);
	ck_assert(roaring64_contains(copy, (UINT64_C(1) << 32) + 5));
	roaring64_free(copy);
	ck_ok(roaring64_deserialize(&copy, nothing, 8, &err));
	ck_assert_uint_eq(roaring64_cardinality(copy), 0);
	ck_ok(roaring64_serialize(copy, &text, &err));
	ck_assert_uint_eq(text.length, 8);
	roaring64_free(copy);
}
END_TEST

static void expect_corrupt(const void *data, size_t length)
{
	struct roaring64 *copy;

	ck_assert_int_eq(roaring64_deserialize(&copy, data, length, &err),
			 ERROR_CORRUPT);
	ck_assert_ptr_null(copy);
}

START_TEST(a_payload_cut_short_or_too_long_is_corrupt)
{
	/* stops at each byte of the small parts, and samples the large */
	fill();
	ck_ok(roaring64_serialize(set, &text, &err));
	for (size_t length = 0; length < text.length;
	     length += length < 500 || length + 300 > text.length ? 1 : 97)
		expect_corrupt(text.data, length);
	ck_assert(text_add_char(&text, '\0'));
	expect_corrupt(text.data, text.length);
}
END_TEST

/* One bitmap after the number 1 and the key 0. */
#define ONE "\1\0\0\0\0\0\0\0" "\0\0\0\0"
static const struct {
	const char *why;
	const char *bytes;
	size_t length;
} bad[] = {
#define BAD(why, bytes) { why, bytes, sizeof(bytes) - 1 }
	BAD("a count that no length can hold", "\xff\xff\xff\xff\xff\xff\xff"
	    "\xff" "\0\0\0\0" "\x3a\x30\0\0" "\0\0\0\0"),
	BAD("an unknown cookie", ONE "\x3c\x30\0\0" "\0\0\0\0"),
	BAD("more containers than there can be",
	    ONE "\x3a\x30\0\0" "\1\0\1\0"),
	BAD("values that do not ascend", ONE "\x3a\x30\0\0" "\1\0\0\0"
	    "\0\0\1\0" "\x10\0\0\0" "\5\0\4\0"),
	BAD("a value twice", ONE "\x3a\x30\0\0" "\1\0\0\0"
	    "\0\0\1\0" "\x10\0\0\0" "\5\0\5\0"),
	BAD("containers that do not ascend", ONE "\x3a\x30\0\0" "\2\0\0\0"
	    "\1\0\0\0" "\0\0\0\0" "\x18\0\0\0" "\x1a\0\0\0" "\5\0\4\0"),
	BAD("a run past the end of its container", ONE "\x3b\x30\0\0" "\1"
	    "\0\0\2\0" "\1\0" "\xfe\xff\2\0"),
	BAD("runs that overlap", ONE "\x3b\x30\0\0" "\1"
	    "\0\0\5\0" "\2\0" "\0\0\2\0" "\2\0\2\0"),
	BAD("runs that miss their number", ONE "\x3b\x30\0\0" "\1"
	    "\0\0\5\0" "\1\0" "\0\0\2\0"),
	BAD("a run container without runs", ONE "\x3b\x30\0\0" "\1"
	    "\0\0\0\0" "\0\0"),
	BAD("keys that do not ascend", "\2\0\0\0\0\0\0\0"
	    "\1\0\0\0" "\x3a\x30\0\0" "\1\0\0\0" "\0\0\0\0" "\x10\0\0\0"
	    "\1\0" "\1\0\0\0" "\x3a\x30\0\0" "\1\0\0\0" "\0\0\0\0"
	    "\x10\0\0\0" "\2\0"),
	BAD("a key out of range", "\1\0\0\0\0\0\0\0" "\xff\xff\xff\x7f"
	    "\x3a\x30\0\0" "\0\0\0\0"),
};

START_TEST(a_payload_that_is_not_well_formed_is_corrupt)
{
	error_init(&err);
	expect_corrupt(bad[_i].bytes, bad[_i].length);
}
END_TEST

START_TEST(a_bitset_whose_members_were_miscounted_is_corrupt)
{
	for (uint64_t p = 0; p < 40000; p += 2)
		ck_ok(roaring64_add(set, p, &err));
	ck_ok(roaring64_serialize(set, &text, &err));
	ck_assert_uint_eq(text.length, 8 + 4 + 16 + 8192);
	text.data[8 + 4 + 16 + 100] ^= 2;
	expect_corrupt(text.data, text.length);
}
END_TEST

/* Damage is either seen, or gives another well-formed set. */
START_TEST(any_flipped_bit_is_refused_or_gives_a_sound_set)
{
	struct roaring64 *copy;
	uint64_t *positions;
	size_t got, refused = 0;
	int rc;

	for (uint64_t p = 1; p < 400; p += 3)
		ck_ok(roaring64_add(set, p, &err));
	for (uint64_t p = 70000; p < 70100; p++)
		ck_ok(roaring64_add(set, p, &err));
	ck_ok(roaring64_serialize(set, &text, &err));
	positions = mem_alloc_array(200000, sizeof(*positions));
	for (size_t bit = 0; bit < text.length * 8; bit++) {
		text.data[bit / 8] ^= (char)(1 << bit % 8);
		rc = roaring64_deserialize(&copy, text.data, text.length,
					   &err);
		text.data[bit / 8] ^= (char)(1 << bit % 8);
		if (rc) {
			ck_assert_int_eq(rc, ERROR_CORRUPT);
			refused++;
			continue;
		}
		got = roaring64_positions(copy, 0, positions, 200000);
		ck_assert_uint_eq(got, roaring64_cardinality(copy));
		for (size_t i = 1; i < got; i++)
			if (positions[i] <= positions[i - 1])
				ck_abort_msg("bit %zu", bit);
		roaring64_free(copy);
	}
	ck_assert_uint_gt(refused, text.length);
	mem_free(positions);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct roaring64 *copy;
	int rc, failures = 0;

	fill();
	ck_ok(roaring64_serialize(set, &text, &err));
	for (long n = 0; ; n++, failures++) {
		mem_fail_at(n);
		rc = roaring64_deserialize(&copy, text.data, text.length,
					   &err);
		if (!rc)
			break;
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		ck_assert_ptr_null(copy);
	}
	roaring64_free(copy);
	ck_assert_int_ge(failures, 2);
	mem_fail_at(0);
	ck_assert_int_eq(roaring64_new(&copy, &err), ERROR_NO_MEMORY);
	ck_assert_ptr_null(copy);
	text_release(&text);
	for (long n = 0; ; n++) {
		mem_fail_at(n);
		rc = roaring64_serialize(set, &text, &err);
		if (!rc)
			break;
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		ck_assert_uint_eq(text.length, 0);
		text_reset(&text);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("roaring64");
	TCase *tc = tcase_create("roaring64");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, what_was_added_is_in_the_set_and_nothing_else);
	tcase_add_test(tc, positions_may_come_in_any_order);
	tcase_add_test(tc, stretches_that_ascend_give_what_single_positions_give);
	tcase_add_test(tc, a_position_out_of_range_is_refused);
	tcase_add_test(tc,
		positions_behind_the_last_of_a_word_come_from_the_next);
	tcase_add_test(tc, an_addition_or_union_without_memory_adds_nothing);
	tcase_add_test(tc, a_union_has_the_members_of_both);
	tcase_add_test(tc, clearing_bits_clears_members_of_the_range_only);
	tcase_add_test(tc, the_payload_of_one_position_is_the_golden_one);
	tcase_add_test(tc, the_payload_of_the_java_fixture_has_its_checksum);
	tcase_add_test(tc, the_payload_of_a_run_is_the_golden_one);
	tcase_add_test(tc, a_payload_reads_back_as_the_same_set);
	tcase_add_test(tc, bitmaps_without_members_are_read_over);
	tcase_add_test(tc, a_payload_cut_short_or_too_long_is_corrupt);
	tcase_add_loop_test(tc, a_payload_that_is_not_well_formed_is_corrupt,
			    0, (int)ARRAY_COUNT(bad));
	tcase_add_test(tc,
		a_bitset_whose_members_were_miscounted_is_corrupt);
	tcase_add_test(tc,
		any_flipped_bit_is_refused_or_gives_a_sound_set);
	tcase_add_test(tc, each_failed_allocation_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
