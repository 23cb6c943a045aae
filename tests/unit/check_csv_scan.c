/* check_csv_scan.c - what is plain, and that all levels see the same */
#include "unit/check_main.h"
#include "source/csv_scan.h"
#include "source/csv_reader.h"

#include <stdio.h>

static struct error err;
static struct csv_options options;
static struct csv_chunk *chunk;
static struct csv_file file;

static void setup(void)
{
	error_init(&err);
	csv_options_init(&options);
	ck_ok(csv_chunk_new(&chunk, &err));
	file.name = "f";
	file.field_count = 2;
	file.trailing_field = false;
}

static void teardown(void)
{
	mem_fail_at(-1);
	csv_scan_force(CSV_SCAN_BEST);
	csv_chunk_free(chunk);
}

static bool scan(const char *bytes, size_t length)
{
	bool plain;

	csv_chunk_reset(chunk);
	chunk->file = &file;
	ck_ok(csv_chunk_reserve(chunk, length, &err));
	memcpy(chunk->bytes, bytes, length);
	chunk->length = length;
	ck_ok(csv_scan_chunk(chunk, &options, &plain, &err));
	return plain;
}

static bool scan_text(const char *text)
{
	return scan(text, strlen(text));
}

START_TEST(plain_records_are_taken_at_every_level)
{
	if (!csv_scan_force((enum csv_scan_level)_i))
		return;
	ck_assert(scan_text("1,2\n3,4\n"));
	ck_assert_uint_eq(chunk->row_count, 2);
	ck_assert(chunk->has_line_per_row && !chunk->has_row_starts);
	ck_assert(chunk->is_utf8 && !chunk->has_cr);
	ck_assert_uint_eq(csv_chunk_row_start(chunk, 0), 0);
	ck_assert_uint_eq(csv_chunk_row_start(chunk, 1), 4);
	ck_assert(scan_text("\"a\",\"\"\n\"\"\"\",\"x\"\"\"\n"));
	ck_assert(scan_text("\"a\r\n,\n\",b\r\nc,\"d\"\r\n"));
	ck_assert(chunk->has_cr && !chunk->has_line_per_row);
	ck_assert_uint_eq(chunk->row_count, 2);
	ck_assert(scan_text("1,2\n\n\r\n3,4"));
	ck_assert(chunk->has_row_starts);
	ck_assert_uint_eq(chunk->row_count, 2);
	ck_assert_uint_eq(csv_chunk_row_start(chunk, 1), 7);
	ck_assert_uint_eq(csv_chunk_row_line(chunk, 1), 4);
	ck_assert(scan_text("\xc3\xa9,\n"));
	ck_assert(chunk->is_utf8);
	ck_assert(scan_text("\xc3,\n"));
	ck_assert(!chunk->is_utf8);
	ck_assert(scan("\0,x\0\n", 5));
	ck_assert(scan_text("\n"));
	ck_assert_uint_eq(chunk->row_count, 0);
}
END_TEST

START_TEST(what_is_not_provably_plain_is_left_to_libcsv)
{
	static const char *const odd[] = {
		"a\"b,c\n", "\"a\"b,c\n", "\"a,c\n", "a,b\rc,d\n", "a,b\r",
		"a,b,c\n", "a\n", "a,b\nc\n", "a,\"b\" \n", " \"a\",b\n",
		"a,b\r\r\n", "\r\na,\n\r", "a,\"\"\"\n", "\"a\"\r,b\n",
		"a\n,b\n", "a,b,c\nd\n", "a,b\n,", "\"\"\"a\",\"\n",
	};

	for (int level = CSV_SCAN_PORTABLE; level <= CSV_SCAN_AVX2; level++) {
		if (!csv_scan_force((enum csv_scan_level)level))
			continue;
		for (size_t i = 0; i < ARRAY_COUNT(odd); i++)
			ck_assert_msg(scan_text(odd[i]) == (i == 16),
				      "level %d: %s", level, odd[i]);
	}
}
END_TEST

START_TEST(a_trailing_field_must_be_bare_and_empty)
{
	file.trailing_field = true;
	ck_assert(scan_text("a,\nb,\r\n"));
	ck_assert(!scan_text("a,\"\"\n"));
	ck_assert(!scan_text("a,x\n"));
	ck_assert(!scan_text("a,x\r\n"));
}
END_TEST

START_TEST(every_line_of_a_one_column_file_is_a_row)
{
	file.field_count = 1;
	ck_assert(scan_text("a\n\n\r\nb"));
	ck_assert_uint_eq(chunk->row_count, 4);
	ck_assert(!chunk->has_row_starts);
	ck_assert(!scan_text("a,b\n"));
}
END_TEST

/* Quotes and line ends at each place of the 64-byte blocks. */
START_TEST(fields_over_block_borders_are_found)
{
	char bytes[400];

	if (!csv_scan_force((enum csv_scan_level)_i))
		return;
	for (size_t pad = 0; pad < 200; pad++) {
		size_t n = 0;

		memset(bytes, 'x', pad);
		n = pad + (size_t)sprintf(bytes + pad,
			",\"q\"\"\n,\r\n\"\r\ny,\"\"\r\n");
		ck_assert(scan(bytes, n));
		ck_assert_uint_eq(chunk->row_count, 2);
		ck_assert_uint_eq(chunk->separators[0], pad);
		ck_assert_uint_eq(chunk->separators[1],
				  (pad + 11) | CSV_ESCAPED);
		ck_assert_uint_eq(chunk->separators[2], pad + 13);
		ck_assert_uint_eq(chunk->separators[3], pad + 17);
		/* the same without what makes it plain */
		bytes[pad + 10] = 'z';
		ck_assert(!scan(bytes, n));
	}
}
END_TEST

START_TEST(bytes_are_counted_at_every_level)
{
	uint8_t bytes[300];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(hash_word(i) % 3);
	if (!csv_scan_force((enum csv_scan_level)_i))
		return;
	for (size_t first = 0; first < 70; first++) {
		for (size_t n = 0; n + first <= sizeof(bytes); n += 7) {
			size_t expected = 0;

			for (size_t i = 0; i < n; i++)
				expected += bytes[first + i] == 2;
			ck_assert_uint_eq(csv_count_byte(bytes + first, n, 2),
					  expected);
		}
	}
}
END_TEST

START_TEST(without_memory_it_says_so)
{
	bool plain;

	csv_chunk_reset(chunk);
	chunk->file = &file;
	ck_ok(csv_chunk_reserve(chunk, 10, &err));
	memcpy(chunk->bytes, "a,b\n\nc,d\n", 9);
	chunk->length = 9;
	mem_fail_at(_i);
	ck_assert_int_eq(csv_scan_chunk(chunk, &options, &plain, &err),
			 ERROR_NO_MEMORY);
	ck_assert(!plain);
}
END_TEST

START_TEST(libcsv_reads_what_the_scanner_leaves)
{
	csv_chunk_reset(chunk);
	chunk->file = &file;
	ck_ok(csv_chunk_reserve(chunk, 40, &err));
	memcpy(chunk->bytes, "a,\"b\"\"\"\n\n\"\",\r\nx,y\"\n", 20);
	chunk->length = 20;
	chunk->first_line = 10;
	ck_ok(csv_chunk_read(chunk, &options, &err));
	ck_assert(!chunk->plain);
	ck_assert_uint_eq(chunk->row_count, 2);
	ck_assert_uint_ge(chunk->field_count, 4);
	ck_assert(!chunk->fields[0].quoted && chunk->fields[1].quoted);
	ck_assert_uint_eq(chunk->fields[1].length, 2);
	ck_assert_mem_eq(chunk->text.data + chunk->fields[1].offset, "b\"",
			 2);
	ck_assert(chunk->fields[2].quoted && !chunk->fields[3].quoted);
	ck_assert_uint_eq(csv_chunk_row_start(chunk, 1), 9);
	ck_assert_int_eq(chunk->error.code, ERROR_BAD_CSV);
	ck_assert_uint_eq(chunk->error.line, 13);
	ck_assert_str_eq(chunk->error.file, "f");
}
END_TEST

START_TEST(without_quotes_libcsv_gets_a_quote_that_starts_no_field)
{
	options.quote = 0;
	csv_chunk_reset(chunk);
	chunk->file = &file;
	ck_ok(csv_chunk_reserve(chunk, 600, &err));
	memcpy(chunk->bytes, "\0a,\1\"\n\2,\3\3\n", 11);
	chunk->length = 11;
	ck_ok(csv_reader_read(chunk, 2, false, &options, &err));
	ck_assert_int_eq(chunk->error.code, 0);
	ck_assert_uint_eq(chunk->row_count, 2);
	/* fields that start with all there is */
	chunk->length = 0;
	for (unsigned i = 0; i < 256; i++) {
		if (i == ',' || i == '\n' || i == '\r')
			continue;
		chunk->bytes[chunk->length++] = (uint8_t)i;
		chunk->bytes[chunk->length++] = ',';
	}
	ck_ok(csv_reader_read(chunk, 254, false, &options, &err));
	ck_assert_int_eq(chunk->error.code, ERROR_BAD_CSV);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("csv_scan");
	TCase *tc = tcase_create("csv_scan");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, plain_records_are_taken_at_every_level,
			    CSV_SCAN_PORTABLE, CSV_SCAN_AVX2 + 1);
	tcase_add_test(tc, what_is_not_provably_plain_is_left_to_libcsv);
	tcase_add_test(tc, a_trailing_field_must_be_bare_and_empty);
	tcase_add_test(tc, every_line_of_a_one_column_file_is_a_row);
	tcase_add_loop_test(tc, fields_over_block_borders_are_found,
			    CSV_SCAN_PORTABLE, CSV_SCAN_AVX2 + 1);
	tcase_add_loop_test(tc, bytes_are_counted_at_every_level,
			    CSV_SCAN_PORTABLE, CSV_SCAN_AVX2 + 1);
	tcase_add_loop_test(tc, without_memory_it_says_so, 0, 2);
	tcase_add_test(tc, libcsv_reads_what_the_scanner_leaves);
	tcase_add_test(tc,
		without_quotes_libcsv_gets_a_quote_that_starts_no_field);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
