/* check_thrift_compact.c - the compact protocol against bytes by hand */
#include "unit/check_main.h"
#include "parquet/footer.h"

START_TEST(fields_and_lists_are_written_as_the_protocol_says)
{
	/* 1: i32 1; 3: "ab"; 20: list<i32> [-1, 2]; 21: true; 22: {1: 5} */
	static const uint8_t expected[] = {
		0x15, 0x02, 0x28, 0x02, 'a', 'b', 0x09, 0x28, 0x25, 0x01, 0x04,
		0x11, 0x1c, 0x16, 0x0a, 0x00, 0x00
	};
	struct text out = TEXT_INIT;
	struct thrift_writer w;
	int16_t outer;

	thrift_writer_init(&w, &out);
	thrift_put_i32(&w, 1, 1);
	thrift_put_binary(&w, 3, "ab", 2);
	thrift_begin_list(&w, 20, THRIFT_I32, 2);
	thrift_add_i32(&w, -1);
	thrift_add_i32(&w, 2);
	thrift_put_bool(&w, 21, true);
	outer = thrift_begin_struct(&w, 22);
	thrift_put_i64(&w, 1, 5);
	thrift_end_struct(&w, outer);
	thrift_finish(&w);
	ck_assert_uint_eq(out.length, sizeof(expected));
	ck_assert_mem_eq(out.data, expected, sizeof(expected));
	text_release(&out);
}
END_TEST

START_TEST(unknown_fields_of_every_type_are_skipped)
{
	static const uint8_t data[] = {
		0x11,				/* 1: true */
		0x13, 0x7f,			/* 2: i8 */
		0x14, 0x03,			/* 3: i16 */
		0x17, 1, 2, 3, 4, 5, 6, 7, 8,	/* 4: double */
		0x19, 0x21, 0x01, 0x02,		/* 5: list<bool> */
		0x1b, 0x01, 0x85, 0x01, 'k', 0x06, /* 6: map<binary, i32> */
		0x1b, 0x00,			/* 7: empty map */
		0x1c, 0x1c, 0x15, 0x02, 0x00, 0x00, /* 8: {1: {1: 1}} */
		0x1a, 0x15, 0x08,		/* 9: set<i32> */
		0x15, 0x54,			/* 10: i32 42 */
		0x00
	};
	struct thrift_field field = { 0, 0 };
	struct thrift_reader in;
	int32_t found = 0;

	thrift_reader_init(&in, data, sizeof(data));
	while (thrift_next(&in, &field)) {
		if (field.id == 10)
			found = thrift_i32(&in, &field);
		else
			thrift_skip(&in, &field);
	}
	ck_assert(!in.failed);
	ck_assert_int_eq(found, 42);
	ck_assert_uint_eq(cursor_left(&in.in), 0);
}
END_TEST

START_TEST(a_list_longer_than_the_rest_is_refused)
{
	static const uint8_t data[] = { 0x19, 0xf5, 0xff, 0xff, 0xff, 0x07,
					0x00 };
	struct thrift_field field = { 0, 0 };
	struct thrift_reader in;

	thrift_reader_init(&in, data, sizeof(data));
	ck_assert(thrift_next(&in, &field));
	ck_assert_uint_eq(thrift_list(&in, &field, THRIFT_I32, 1), 0);
	ck_assert(in.failed);
}
END_TEST

START_TEST(endless_nesting_is_refused)
{
	uint8_t data[4096];
	struct thrift_field field = { 0, 0 };
	struct thrift_reader in;

	memset(data, 0x1c, sizeof(data));	/* struct in struct in ... */
	thrift_reader_init(&in, data, sizeof(data));
	ck_assert(thrift_next(&in, &field));
	thrift_skip(&in, &field);
	ck_assert(in.failed);
}
END_TEST

START_TEST(every_cut_of_a_page_header_asks_for_more)
{
	struct page_header header, back;
	struct text out = TEXT_INIT;

	memset(&header, 0, sizeof(header));
	header.type = PAGE_DATA;
	header.uncompressed_bytes = 1000;
	header.compressed_bytes = 700;
	header.has_crc = true;
	header.crc = 0xdeadbeef;
	header.value_count = 20480;
	header.encoding = ENCODING_DELTA_BINARY_PACKED;
	header.def_encoding = header.rep_encoding = ENCODING_RLE;
	ck_assert(page_header_serialize(&header, &out));
	for (size_t cut = 0; cut < out.length; cut++)
		ck_assert_int_eq(page_header_parse(&back, out.data, cut),
				 PAGE_HEADER_SHORT);
	ck_assert_int_eq(page_header_parse(&back, out.data, out.length),
			 PAGE_HEADER_OK);
	ck_assert_uint_eq(back.header_bytes, out.length);
	ck_assert_uint_eq(back.crc, 0xdeadbeef);
	ck_assert_int_eq(back.value_count, 20480);
	ck_assert_int_eq(back.encoding, ENCODING_DELTA_BINARY_PACKED);
	text_release(&out);
}
END_TEST

/* A header of the kind without its field `left_out`. */
static enum page_header_result parse_without(int32_t kind, int16_t left_out)
{
	static const int16_t places[] = { [PAGE_DATA] = 5,
					  [PAGE_DICTIONARY] = 7,
					  [PAGE_DATA_V2] = 8 };
	static const int16_t counts[] = { [PAGE_DATA] = 4,
					  [PAGE_DICTIONARY] = 2,
					  [PAGE_DATA_V2] = 6 };
	struct page_header header;
	struct text out = TEXT_INIT;
	struct thrift_writer w;
	enum page_header_result result;
	int16_t outer;

	thrift_writer_init(&w, &out);
	thrift_put_i32(&w, 1, kind);
	thrift_put_i32(&w, 2, 10);
	thrift_put_i32(&w, 3, 10);
	outer = thrift_begin_struct(&w, places[kind]);
	for (int16_t id = 1; id <= counts[kind]; id++)
		if (id != left_out)
			thrift_put_i32(&w, id, 0);
	thrift_end_struct(&w, outer);
	thrift_finish(&w);
	result = page_header_parse(&header, out.data, out.length);
	text_release(&out);
	return result;
}

START_TEST(a_page_header_has_all_that_it_must)
{
	for (int16_t id = 1; id <= 6; id++) {
		ck_assert_int_eq(parse_without(PAGE_DATA_V2, id),
				 PAGE_HEADER_BAD);
		if (id <= 4)
			ck_assert_int_eq(parse_without(PAGE_DATA, id),
					 PAGE_HEADER_BAD);
		if (id <= 2)
			ck_assert_int_eq(parse_without(PAGE_DICTIONARY, id),
					 PAGE_HEADER_BAD);
	}
	ck_assert_int_eq(parse_without(PAGE_DATA, 0), PAGE_HEADER_OK);
	ck_assert_int_eq(parse_without(PAGE_DATA_V2, 0), PAGE_HEADER_OK);
	ck_assert_int_eq(parse_without(PAGE_DICTIONARY, 0), PAGE_HEADER_OK);
}
END_TEST

START_TEST(sizes_that_cannot_be_are_refused)
{
	static const int32_t sizes[] = { -1, INT32_MIN, INT32_MAX };

	for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
		struct text out = TEXT_INIT;
		struct page_header header;

		memset(&header, 0, sizeof(header));
		header.type = PAGE_DICTIONARY;
		header.uncompressed_bytes = sizes[i];
		ck_assert(page_header_serialize(&header, &out));
		ck_assert_int_eq(page_header_parse(&header, out.data,
						   out.length),
				 PAGE_HEADER_BAD);
		text_release(&out);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("thrift_compact");
	TCase *tc = tcase_create("thrift_compact");

	tcase_add_test(tc,
		       fields_and_lists_are_written_as_the_protocol_says);
	tcase_add_test(tc, unknown_fields_of_every_type_are_skipped);
	tcase_add_test(tc, a_list_longer_than_the_rest_is_refused);
	tcase_add_test(tc, endless_nesting_is_refused);
	tcase_add_test(tc, every_cut_of_a_page_header_asks_for_more);
	tcase_add_test(tc, a_page_header_has_all_that_it_must);
	tcase_add_test(tc, sizes_that_cannot_be_are_refused);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
