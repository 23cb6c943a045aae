/* check_text.c - growable bytes, JSON strings, case folding */
#include "unit/check_main.h"

#include <string.h>

static struct text text;

static void setup(void)
{
	text_init(&text);
}

static void teardown(void)
{
	mem_fail_at(-1);
	text_release(&text);
}

START_TEST(what_is_added_is_there_and_ends_with_a_nul)
{
	ck_assert(text_add(&text, "a\0b", 3));
	ck_assert_uint_eq(text.length, 3);
	ck_assert_int_eq(text.data[3], '\0');
	ck_assert(text_add_str(&text, "cd"));
	ck_assert(text_add_char(&text, 'e'));
	ck_assert(text_addf(&text, "%03d", 7));
	ck_assert_mem_eq(text.data, "a\0bcde007", 10);
	ck_assert(text_add(&text, NULL, 0));
	ck_assert_uint_eq(text.length, 9);
}
END_TEST

START_TEST(a_formatted_text_of_any_length_fits)
{
	text_add_str(&text, "<");
	ck_assert(text_addf(&text, "%0*d", 5000, 1));
	ck_assert_uint_eq(text.length, 5001);
	ck_assert_int_eq(text.data[5000], '1');
	ck_assert_uint_eq(strlen(text.data), 5001);
}
END_TEST

START_TEST(a_failed_growth_adds_nothing_and_is_remembered)
{
	char big[300];

	memset(big, 'x', sizeof(big));
	ck_assert(text_add_str(&text, "kept"));
	mem_fail_at(0);
	ck_assert(!text_add(&text, big, sizeof(big)));
	ck_assert(text.failed);
	ck_assert_str_eq(text.data, "kept");
	ck_assert(!text_add_str(&text, "y"));
	ck_assert_str_eq(text.data, "kept");
	text_reset(&text);
	ck_assert(!text.failed);
	ck_assert(text_add(&text, big, sizeof(big)));
	mem_fail_at(0);
	ck_assert(!text_addf(&text, "%0*d", 5000, 1));
	ck_assert_uint_eq(text.length, sizeof(big));
	ck_assert_uint_eq(strlen(text.data), sizeof(big));
}
END_TEST

START_TEST(a_json_string_that_does_not_fit_is_not_begun)
{
	char big[300];

	memset(big, '"', sizeof(big));
	ck_assert(text_add_str(&text, "kept"));
	mem_fail_at(0);
	ck_assert(!text_add_json(&text, big, sizeof(big)));
	ck_assert_str_eq(text.data, "kept");
	ck_assert_uint_eq(text.length, 4);
}
END_TEST

START_TEST(a_size_that_overflows_is_a_failure)
{
	ck_assert(text_add_str(&text, "a"));
	ck_assert(!text_reserve(&text, SIZE_MAX));
	ck_assert(text.failed);
	text_reset(&text);
	ck_assert(!text_reserve(&text, SIZE_MAX - 1));
}
END_TEST

START_TEST(reset_keeps_the_memory)
{
	ck_assert(text_reserve(&text, 1000));
	text_add_str(&text, "x");
	text_reset(&text);
	ck_assert_uint_eq(text.length, 0);
	ck_assert_str_eq(text.data, "");
	mem_fail_at(0);
	ck_assert(text_reserve(&text, 1000));
}
END_TEST

START_TEST(detached_text_is_the_callers)
{
	char *data;

	text_add_str(&text, "mine");
	data = text_detach(&text);
	ck_assert_str_eq(data, "mine");
	ck_assert_ptr_null(text.data);
	ck_assert_uint_eq(text.length, 0);
	mem_free(data);
	data = text_detach(&text);
	ck_assert_str_eq(data, "");
	mem_free(data);
	mem_fail_at(0);
	ck_assert(!text_add_str(&text, "x"));
	ck_assert_ptr_null(text_detach(&text));
	ck_assert(!text.failed);
}
END_TEST

/* RFC 8259, section 7, and the substitution that the header promises. */
static const struct {
	const char *from;
	size_t length;
	const char *json;
} json_cases[] = {
	{ "", 0, "\"\"" },
	{ "plain", 5, "\"plain\"" },
	{ "\"\\/", 3, "\"\\\"\\\\/\"" },
	{ "\b\t\n\f\r", 5, "\"\\b\\t\\n\\f\\r\"" },
	{ "a\0b\x1f\x7f", 5, "\"a\\u0000b\\u001f\x7f\"" },
	{ "\xea\xb0\x80\xf0\x9f\x98\x80", 7,
	  "\"\xea\xb0\x80\xf0\x9f\x98\x80\"" },
	{ "x\xff" "y", 3, "\"x\xef\xbf\xbdy\"" },
	{ "\xc0\x80", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "\xea\xb0x", 3, "\"\xef\xbf\xbd\xef\xbf\xbdx\"" },
	{ "\xea\xb0", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "\xf4\x90\x80\x80", 4,
	  "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "\xf4\x8f\xbf\xbf", 4, "\"\xf4\x8f\xbf\xbf\"" },
	{ "\xe0\x9f\xbf", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
};

START_TEST(json_strings_are_escaped_and_valid_utf8)
{
	ck_assert(text_add_json(&text, json_cases[_i].from,
				json_cases[_i].length));
	ck_assert_str_eq(text.data, json_cases[_i].json);
}
END_TEST

START_TEST(names_match_in_any_ascii_case)
{
	ck_assert(text_equal_nocase("Accounts", "aCCOUNTS"));
	ck_assert(text_equal_nocase("", ""));
	ck_assert(!text_equal_nocase("a", "ab"));
	ck_assert(!text_equal_nocase("ab", "a"));
	ck_assert(!text_equal_nocase("a@", "a`"));
	ck_assert(!text_equal_nocase("[", "{"));
	ck_assert(!text_equal_nocase("\xc3\x84", "\xc3\xa4"));
	ck_assert_int_lt(text_compare_nocase("Abc", "abD"), 0);
	ck_assert_int_gt(text_compare_nocase("b", "A"), 0);
	ck_assert_int_lt(text_compare_nocase("a", "\xc3"), 0);
}
END_TEST

START_TEST(prefixes_and_suffixes_are_found)
{
	ck_assert(text_starts_with("metadata", "meta"));
	ck_assert(text_starts_with("metadata", ""));
	ck_assert(!text_starts_with("met", "meta"));
	ck_assert(text_ends_with("v1.metadata.json", ".json"));
	ck_assert(text_ends_with("x", ""));
	ck_assert(!text_ends_with("json", "x.json"));
}
END_TEST

START_TEST(views_are_equal_by_their_bytes)
{
	ck_assert(byte_view_equal(byte_view("a\0b", 3), byte_view("a\0b", 3)));
	ck_assert(!byte_view_equal(byte_view("ab", 2), byte_view("ac", 2)));
	ck_assert(!byte_view_equal(byte_view("ab", 2), byte_view("ab", 1)));
	ck_assert(byte_view_equal(byte_view(NULL, 0), byte_view("", 0)));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("text");
	TCase *tc = tcase_create("text");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, what_is_added_is_there_and_ends_with_a_nul);
	tcase_add_test(tc, a_formatted_text_of_any_length_fits);
	tcase_add_test(tc, a_failed_growth_adds_nothing_and_is_remembered);
	tcase_add_test(tc, a_json_string_that_does_not_fit_is_not_begun);
	tcase_add_test(tc, a_size_that_overflows_is_a_failure);
	tcase_add_test(tc, reset_keeps_the_memory);
	tcase_add_test(tc, detached_text_is_the_callers);
	tcase_add_loop_test(tc, json_strings_are_escaped_and_valid_utf8, 0,
			    (int)ARRAY_COUNT(json_cases));
	tcase_add_test(tc, names_match_in_any_ascii_case);
	tcase_add_test(tc, prefixes_and_suffixes_are_found);
	tcase_add_test(tc, views_are_equal_by_their_bytes);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
