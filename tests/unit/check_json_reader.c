#include "unit/check_main.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "codec/codec.h"

static struct error err;
static struct json_reader reader;
static char buffer[1 << 16];

static uint64_t random_state = 88172645463325252;

/* xorshift */
static uint64_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void start(const char *text)
{
	error_init(&err);
	strcpy(buffer, text);
	json_reader_init(&reader, buffer, strlen(buffer));
}

START_TEST(members_and_items_come_in_order)
{
	const char *key;

	start(" { \"a\" : [1, 2 ,3] , \"b\":{\"c\":null},\"d\":true } ");
	json_begin_object(&reader);
	key = json_next_key(&reader);
	ck_assert_str_eq(key, "a");
	json_begin_array(&reader);
	for (int i = 1; i <= 3; i++) {
		ck_assert(json_next_item(&reader));
		ck_assert_int_eq(json_int64(&reader), i);
	}
	ck_assert(!json_next_item(&reader));
	key = json_next_key(&reader);
	ck_assert_str_eq(key, "b");
	json_begin_object(&reader);
	ck_assert_str_eq(json_next_key(&reader), "c");
	ck_assert(json_null(&reader));
	ck_assert_ptr_null(json_next_key(&reader));
	ck_assert_str_eq(json_next_key(&reader), "d");
	ck_assert(json_boolean(&reader));
	ck_assert_ptr_null(json_next_key(&reader));
	ck_ok(json_finish(&reader, "x", &err));
}
END_TEST

START_TEST(integers_are_exact_to_the_ends_of_64_bits)
{
	start("[9007199254740993,9223372036854775807,-9223372036854775808,-0]");
	json_begin_array(&reader);
	json_next_item(&reader);
	ck_assert(json_int64(&reader) == INT64_C(9007199254740993));
	json_next_item(&reader);
	ck_assert(json_int64(&reader) == INT64_MAX);
	json_next_item(&reader);
	ck_assert(json_int64(&reader) == INT64_MIN);
	json_next_item(&reader);
	ck_assert(json_int64(&reader) == 0);
	ck_assert(!json_next_item(&reader));
	ck_ok(json_finish(&reader, "x", &err));
}
END_TEST

/* Of every length, in text that ends at once or does not. */
START_TEST(integers_are_what_strtoll_reads)
{
	static const char *const ends[] = { "", " ", ",", "]", "x", "-1" };
	char text[64];

	for (int i = 0; i < 20000; i++) {
		uint64_t bits = random_word() >> random_word() % 64;
		int64_t value = i % 2 ? (int64_t)bits : -(int64_t)(bits >> 1);

		snprintf(text, sizeof(text), "%" PRId64 "%s", value,
			 ends[(size_t)i % ARRAY_COUNT(ends)]);
		start(text);
		ck_assert(json_int64(&reader) == strtoll(text, NULL, 10));
		ck_assert_ptr_null(reader.problem);
		ck_assert_str_eq(reader.next,
				 ends[(size_t)i % ARRAY_COUNT(ends)]);
	}
}
END_TEST

/* Any byte in place of any digit. */
START_TEST(what_is_no_digit_ends_an_integer)
{
	static const char digits[] = "123456789012345678";
	char text[32];

	for (size_t at = 0; at < strlen(digits); at++) {
		for (int byte = 1; byte < 0x80; byte++) {
			int64_t value;

			memcpy(text, digits, sizeof(digits));
			text[at] = (char)byte;
			start(text);
			value = json_int64(&reader);
			if (byte >= '0' && byte <= '9') {
				bool is_bad = at == 0 && byte == '0';

				ck_assert(is_bad == !!reader.problem);
				ck_assert(is_bad || value ==
					  strtoll(text, NULL, 10));
			} else if (at == 0) {
				ck_assert(strchr(" \t\n\r-", byte)
						  ? value == strtoll(
							text, NULL, 10)
						  : !!reader.problem);
			} else if (strchr(".eE", byte)) {
				ck_assert_ptr_nonnull(reader.problem);
			} else {
				ck_assert_ptr_null(reader.problem);
				ck_assert_ptr_eq(reader.next, buffer + at);
				ck_assert(value == strtoll(text, NULL, 10));
			}
		}
	}
}
END_TEST

START_TEST(numbers_that_are_not_whole_are_refused)
{
	static const char *const bad[] = {
		"9223372036854775808", "-9223372036854775809", "1.0", "1e3",
		"01", "-", "+1", ".5", "1.", "99999999999999999999999",
	};

	start(bad[_i]);
	json_int64(&reader);
	ck_assert_int_eq(json_finish(&reader, "x", &err), ERROR_CORRUPT);
}
END_TEST

START_TEST(escapes_become_utf8)
{
	start("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC"
	      "\\ud83d\\ude00z\"");
	ck_assert_str_eq(json_string(&reader),
			 "a\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac"
			 "\xf0\x9f\x98\x80z");
	ck_ok(json_finish(&reader, "x", &err));
}
END_TEST

START_TEST(a_nul_is_a_character_of_data_and_none_of_names)
{
	struct byte_view text;
	size_t length;

	start("[\"a\\u0000b\", {\"k\\u0000\": \"\"}, \"\\u0000\"]");
	json_begin_array(&reader);
	ck_assert(json_next_item(&reader));
	text = json_text(&reader);
	ck_assert_uint_eq(text.length, 3);
	ck_assert_mem_eq(text.data, "a\0b", 4);
	ck_assert(json_next_item(&reader));
	json_begin_object(&reader);
	ck_assert_mem_eq(json_next_text(&reader, &length), "k\0", 3);
	ck_assert_uint_eq(length, 2);
	text = json_text(&reader);
	ck_assert_uint_eq(text.length, 0);
	ck_assert_ptr_null(json_next_text(&reader, &length));
	ck_assert(json_next_item(&reader));
	json_skip(&reader);
	ck_assert(!json_next_item(&reader));
	ck_ok(json_finish(&reader, "x", &err));

	start("\"\\u0000\"");
	ck_assert_str_eq(json_string(&reader), "");
	ck_assert_int_eq(json_finish(&reader, "x", &err), ERROR_CORRUPT);
	ck_assert_ptr_nonnull(strstr(err.text, "\\u0000 in a name"));
	start("{\"a\\u0000\":1}");
	json_begin_object(&reader);
	ck_assert_ptr_null(json_next_key(&reader));
	ck_assert_ptr_nonnull(reader.problem);
}
END_TEST

START_TEST(malformed_texts_are_refused)
{
	static const char *const bad[] = {
		"", "{", "[", "[1", "[1,", "[1,]", "{\"a\"}", "{\"a\":}",
		"{\"a\":1,}", "{a:1}", "{\"a\" 1}", "[1 2]", "\"abc", "\"\\x\"",
		"\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"",
		"\"a\nb\"", "\"a\tb\"", "nul", "tru", "[1]]", "{}x", "]",
		"{]", "[}", "\"\xff\"", "[1,,2]", "{\"a\":1 \"b\":2}",
		"{,\"a\":1}", "[,1]", "-a", "1e", "1e+", "\"\\",
		"\xef\xbb\xbf{}",
	};

	start(bad[_i]);
	json_skip(&reader);
	ck_assert_msg(json_finish(&reader, "x", &err) == ERROR_CORRUPT, "%s",
		      bad[_i]);
}
END_TEST

START_TEST(the_span_of_any_value_is_kept_as_it_stands)
{
	static const char *const values[] = {
		"1.50e+10", "\"a\\u0041\\n\"", "[ 1, {\"x\" : [ ] } ]", "{ }",
		"null", "false",
	};
	struct byte_view raw;

	start("[");
	strcat(buffer, values[_i]);
	strcat(buffer, " , 7]");
	json_reader_init(&reader, buffer, strlen(buffer));
	json_begin_array(&reader);
	ck_assert(json_next_item(&reader));
	raw = json_raw(&reader);
	ck_assert(byte_view_equal(raw, byte_view(values[_i],
						 strlen(values[_i]))));
	ck_assert(json_next_item(&reader));
	ck_assert_int_eq(json_int32(&reader), 7);
	ck_assert(!json_next_item(&reader));
	ck_ok(json_finish(&reader, "x", &err));
}
END_TEST

START_TEST(nesting_ends_at_the_limit)
{
	size_t deep = JSON_NESTING_LIMIT + (size_t)_i;

	memset(buffer, '[', deep);
	memset(buffer + deep, ']', deep);
	buffer[2 * deep] = '\0';
	json_reader_init(&reader, buffer, 2 * deep);
	json_skip(&reader);
	ck_assert_int_eq(json_finish(&reader, "x", &err),
			 _i ? ERROR_CORRUPT : 0);
}
END_TEST

/* The text stays as it was where it is no such object. */
START_TEST(a_flat_object_is_read_in_one_go_or_not_at_all)
{
	static const char *const others[] = {
		"{}", "{\"a\":1}", "{\"a\": \"b\"}", "{\"a\":\"b\" }",
		"{\"a\":\"b\\n\"}", "{\"a\\t\":\"b\"}", "{\"a\":\"b\"",
		"{\"a\":\"b\",}", "{\"a\",\"b\"}", "{\"a\":\"b\":\"c\"}",
		"{\"a\"}", "{\"a\":\"b", "{\"a\":", "{", "[\"a\"]",
		"{\"a\":\"b\",\"c\":{}}", "{\"a\":\"b\nc\"}", "",
	};
	struct text many = TEXT_INIT;
	char *text;

	start("[ {\"a\":\"\",\"bcdefghijklmnopqrst\":\"0123456789abcdefghi\"}"
	      ",7]");
	json_begin_array(&reader);
	ck_assert(json_next_item(&reader));
	text = json_flat_object(&reader);
	ck_assert_mem_eq(text, "\"a\0:\"\0,\"bcdefghijklmnopqrst\0:"
			 "\"0123456789abcdefghi\0}", 51);
	ck_assert(json_next_item(&reader));
	ck_assert_int_eq(json_int64(&reader), 7);
	ck_assert(!json_next_item(&reader));
	ck_ok(json_finish(&reader, "x", &err));
	for (size_t i = 0; i < ARRAY_COUNT(others); i++) {
		start(others[i]);
		ck_assert_ptr_null(json_flat_object(&reader));
		ck_assert_mem_eq(buffer, others[i], strlen(others[i]) + 1);
		ck_assert_ptr_eq(reader.next, buffer);
	}
	for (int i = 0; i < JSON_FLAT_STRINGS / 2; i++)
		text_addf(&many, "%s\"%d\":\"x\"", i ? "," : "{", i);
	text_add_char(&many, '}');
	start(many.data);
	ck_assert_ptr_nonnull(json_flat_object(&reader));
	ck_ok(json_finish(&reader, "x", &err));
	many.length--;
	text_add_str(&many, ",\"y\":\"z\"}");
	start(many.data);
	ck_assert_ptr_null(json_flat_object(&reader));
	text_release(&many);
}
END_TEST

/* A random object of strings, of which one character may be another. */
static void random_object(struct text *out)
{
	static const char others[] = "\"\"\\:,{}\n 1";
	size_t strings = 2 * (1 + random_word() % 12);

	text_reset(out);
	for (size_t i = 0; i < strings; i++) {
		size_t length = random_word() % 4 ? random_word() % 24
						  : random_word() % 150;

		text_add_str(out, i % 2 ? ":" : i ? "," : "{");
		text_add_char(out, '"');
		for (size_t k = 0; k < length; k++)
			text_add_char(out, random_word() % 9 ? 'a' : ':');
		text_add_char(out, '"');
	}
	text_add_char(out, '}');
	if (random_word() % 2)
		out->data[1 + random_word() % (out->length - 1)] =
			others[random_word() % (sizeof(others) - 1)];
}

/* The strings by json_flat_object() on the left, one by one on the right. */
static void expect_same_strings(struct json_reader *right, const char *p)
{
	const char *key;

	while ((key = json_next_key(right))) {
		const char *value = json_string(right);

		ck_assert_str_eq(p + 1, key);
		p += strlen(key) + 3;	/* quote, NUL and colon */
		ck_assert_str_eq(p + 1, value);
		p += strlen(value) + 3;
	}
	ck_assert_ptr_null(right->problem);
	ck_assert_ptr_eq(p, reader.next);
}

/*
 * With text behind it, which is read by the block, and without, which is
 * not. Where it is refused one at a time tells of nothing flat.
 */
START_TEST(a_flat_object_is_what_its_strings_are_one_by_one)
{
	static char other[sizeof(buffer)];
	struct text object = TEXT_INIT;
	size_t taken = 0;

	for (int round = 0; round < 40000; round++) {
		struct json_reader right;
		const char *flat, *alone;
		size_t length;

		random_object(&object);
		length = object.length;
		start(object.data);
		alone = json_flat_object(&reader);
		for (int i = 0; i < 100; i++)
			text_add_char(&object, " ]\"\\"[random_word() % 4]);
		start(object.data);
		flat = json_flat_object(&reader);
		ck_assert((flat != NULL) == (alone != NULL));
		memcpy(other, object.data, object.length + 1);
		json_reader_init(&right, other, object.length);
		if (flat) {
			taken++;
			json_begin_object(&right);
			expect_same_strings(&right, flat);
			continue;
		}
		ck_assert_mem_eq(buffer, object.data, object.length + 1);
		json_skip(&right);
		/* escapes, spaces, {} and others than strings are left */
		ck_assert(right.problem || memchr(object.data, '\\', length) ||
			  memchr(object.data, ' ', length) ||
			  memchr(object.data, '\n', length) ||
			  memchr(object.data, '1', length) ||
			  memchr(object.data + 1, '{', length) ||
			  object.data[1] == '}');
	}
	ck_assert_uint_gt(taken, 20000);
	text_release(&object);
}
END_TEST

START_TEST(the_first_failure_sticks_and_names_the_member)
{
	start("{\"good\":1,\"snapshot-id\":\"x\",\"later\":2}");
	json_begin_object(&reader);
	while (json_next_key(&reader))
		json_int64(&reader);
	ck_assert_str_eq(json_string(&reader), "");
	ck_assert_int_eq(json_finish(&reader, "v1.json", &err),
			 ERROR_CORRUPT);
	ck_assert_ptr_nonnull(strstr(err.text, "snapshot-id"));
	ck_assert_ptr_nonnull(strstr(err.text, "v1.json"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("json_reader");
	TCase *tc = tcase_create("json_reader");

	tcase_add_test(tc, members_and_items_come_in_order);
	tcase_add_test(tc, integers_are_exact_to_the_ends_of_64_bits);
	tcase_add_test(tc, integers_are_what_strtoll_reads);
	tcase_add_test(tc, what_is_no_digit_ends_an_integer);
	tcase_add_loop_test(tc, numbers_that_are_not_whole_are_refused, 0,
			    10);
	tcase_add_test(tc, escapes_become_utf8);
	tcase_add_test(tc, a_nul_is_a_character_of_data_and_none_of_names);
	tcase_add_loop_test(tc, malformed_texts_are_refused, 0, 37);
	tcase_add_loop_test(tc, the_span_of_any_value_is_kept_as_it_stands, 0,
			    6);
	tcase_add_loop_test(tc, nesting_ends_at_the_limit, 0, 2);
	tcase_add_test(tc, a_flat_object_is_read_in_one_go_or_not_at_all);
	tcase_add_test(tc, a_flat_object_is_what_its_strings_are_one_by_one);
	tcase_add_test(tc, the_first_failure_sticks_and_names_the_member);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
