#include "unit/check_main.h"
#include "sql/lexer.h"

static struct error err;
static struct sql_token *tokens;
static size_t count;

static int lex(const char *text)
{
	mem_free(tokens);
	return sql_lex("s.sql", text, strlen(text), &tokens, &count, &err);
}

START_TEST(comments_of_both_kinds_and_blanks_are_dropped)
{
	ck_ok(lex("a -- b;\n\t/* c\n ; */ d /**/--"));
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(tokens[1].line, 3);
	ck_assert_uint_eq(tokens[1].position, 7);
}
END_TEST

START_TEST(each_kind_of_token_is_told_apart)
{
	static const uint16_t kinds[] = {
		TOKEN_WORD, TOKEN_QUOTED_NAME, TOKEN_STRING,
		TOKEN_UNICODE_STRING, TOKEN_HEX_STRING, TOKEN_INTEGER,
		TOKEN_DECIMAL, TOKEN_DECIMAL, TOKEN_DECIMAL, TOKEN_DOUBLE,
		TOKEN_DOUBLE, TOKEN_PARAMETER, TOKEN_NOT_EQUAL,
		TOKEN_NOT_EQUAL, TOKEN_LESS_EQUAL, TOKEN_GREATER_EQUAL,
		TOKEN_CONCAT, TOKEN_ARROW, TOKEN_LAMBDA, '(', '*', ';', '%',
	};

	ck_ok(lex("x1 \"a\"\"b\" 'it''s' U&'\\0041' x'0a' 1_000 1.5 .5 2. "
		  "1e3 1.5E-3 :run <> != <= >= || => -> (*;%"));
	ck_assert_uint_eq(count, ARRAY_COUNT(kinds));
	for (size_t i = 0; i < count; i++)
		ck_assert_uint_eq(tokens[i].kind, kinds[i]);
	ck_assert_uint_eq(tokens[1].length, 6);
}
END_TEST

START_TEST(a_minus_between_numbers_is_a_token_of_its_own)
{
	ck_ok(lex("5-3"));
	ck_assert_uint_eq(count, 3);
	ck_assert_uint_eq(tokens[1].kind, '-');
}
END_TEST

START_TEST(a_number_with_a_point_then_a_range_of_letters_is_refused)
{
	ck_assert_int_eq(lex("12abc"), ERROR_SYNTAX);
	ck_assert_uint_eq(err.column, 1);
	ck_assert_ptr_nonnull(strstr(err.hint, "quotes"));
}
END_TEST

START_TEST(letters_beyond_ascii_make_names)
{
	ck_ok(lex("sch\xc3\xb6n \xe6\x95\xb0"));
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(tokens[0].kind, TOKEN_WORD);
	ck_assert_uint_eq(tokens[0].length, 6);
}
END_TEST

START_TEST(a_byte_order_mark_in_front_is_skipped)
{
	ck_ok(lex("\xef\xbb\xbf" "a"));
	ck_assert_uint_eq(count, 1);
}
END_TEST

static const struct bad_text {
	const char *text;
	uint64_t line;
	uint64_t column;
} bad_texts[] = {
	{ "a\n  'open", 2, 3 },
	{ "a \"open", 1, 3 },
	{ "a\n\n/* open", 3, 1 },
	{ "/*", 1, 1 },
	{ "a ` b", 1, 3 },
	{ "x::int", 1, 2 },
	{ "a # b", 1, 3 },
	{ "ok\n \xff", 2, 2 },
	{ "\xc0\x80", 1, 1 },		/* overlong */
	{ "\xed\xa0\x80", 1, 1 },	/* a surrogate */
	{ "\xf4\x90\x80\x80", 1, 1 },	/* past U+10FFFF */
	{ "\xe6\x95", 1, 1 },		/* cut short */
};

START_TEST(a_text_that_cannot_be_split_is_refused_with_its_place)
{
	ck_assert_int_eq(lex(bad_texts[_i].text), ERROR_SYNTAX);
	ck_assert_ptr_null(tokens);
	ck_assert_str_eq(err.file, "s.sql");
	ck_assert_uint_eq(err.line, bad_texts[_i].line);
	ck_assert_uint_eq(err.column, bad_texts[_i].column);
}
END_TEST

START_TEST(a_zero_byte_is_refused_not_the_end)
{
	mem_free(tokens);
	ck_assert_int_eq(sql_lex("s.sql", "a\0b", 3, &tokens, &count, &err),
			 ERROR_SYNTAX);
	ck_assert_uint_eq(err.column, 2);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	mem_free(tokens);
	mem_fail_at(0);
	ck_assert_int_eq(sql_lex("s", "a b c", 5, &tokens, &count, &err),
			 ERROR_NO_MEMORY);
	mem_fail_at(-1);
	ck_assert_ptr_null(tokens);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lexer");
	TCase *tc = tcase_create("lexer");

	tcase_add_test(tc, comments_of_both_kinds_and_blanks_are_dropped);
	tcase_add_test(tc, each_kind_of_token_is_told_apart);
	tcase_add_test(tc, a_minus_between_numbers_is_a_token_of_its_own);
	tcase_add_test(tc,
		a_number_with_a_point_then_a_range_of_letters_is_refused);
	tcase_add_test(tc, letters_beyond_ascii_make_names);
	tcase_add_test(tc, a_byte_order_mark_in_front_is_skipped);
	tcase_add_loop_test(tc,
		a_text_that_cannot_be_split_is_refused_with_its_place, 0,
		(int)ARRAY_COUNT(bad_texts));
	tcase_add_test(tc, a_zero_byte_is_refused_not_the_end);
	tcase_add_test(tc, each_failed_allocation_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
