/* check_debezium.c - change events of Debezium: taken, refused, passed over */
#include "unit/check_main.h"
#include "source/debezium.h"

static struct error err;

static void setup(void)
{
	error_init(&err);
}

/* The event of a text, which lives in buffer. */
static int read_event(struct debezium_event *event, const char *text)
{
	static char buffer[4096];
	size_t length = strlen(text);

	ck_assert_uint_lt(length, sizeof(buffer));
	memset(buffer, 'Z', sizeof(buffer));
	memcpy(buffer, text, length + 1);
	return debezium_read(event, buffer, length, &err);
}

START_TEST(an_event_is_its_row_its_kind_and_its_time)
{
	static const struct {
		const char *text, *row, *op, *ts_ms;
	} cases[] = {
		{ "{\"before\":null,\"after\":{\"id\":1},\"op\":\"c\","
		  "\"ts_ms\":12}", "{\"id\":1}", "\"c\"", "12" },
		{ "{\"op\":\"r\",\"after\":{},\"ts_ms\":null}", "{}", "\"r\"",
		  "null" },
		{ "{\"op\":\"u\",\"before\":{\"id\":1},\"after\":{\"id\":2}}",
		  "{\"id\":2}", "\"u\"", "null" },
		{ "{\"op\":\"d\",\"before\":{\"id\":1},\"after\":null}",
		  "{\"id\":1}", "\"d\"", "null" },
		/* what is else there does not matter, nor in what order */
		{ " { \"source\" : {\"op\":\"x\",\"after\":[1,{}]} , "
		  "\"ts_ms\" : -5 , \"after\" : {\"a\":{\"after\":1}} , "
		  "\"op\" : \"c\" , \"transaction\":null } ",
		  "{\"a\":{\"after\":1}}", "\"c\"", "-5" },
		/* beside its schema */
		{ "{\"schema\":{\"after\":{}},\"payload\":{\"op\":\"c\","
		  "\"after\":{\"s\":\"}\\\"\"},\"ts_ms\":1}}",
		  "{\"s\":\"}\\\"\"}", "\"c\"", "1" },
		{ "{\"payload\":{\"op\":\"d\",\"before\":{\"k\":[]}},"
		  "\"schema\":null}", "{\"k\":[]}", "\"d\"", "null" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct debezium_event event;

		ck_ok(read_event(&event, cases[i].text));
		ck_assert(!event.is_tombstone);
		ck_assert_str_eq(event.row, cases[i].row);
		ck_assert_uint_eq(event.row_length, strlen(cases[i].row));
		ck_assert_str_eq(event.op, cases[i].op);
		ck_assert_str_eq(event.ts_ms, cases[i].ts_ms);
	}
}
END_TEST

START_TEST(what_is_about_no_row_is_refused_with_its_reason)
{
	static const struct {
		const char *text, *reason, *hint;
	} cases[] = {
		{ "{}", "no op", "before, after and op" },
		{ "{\"id\":1}", "no op", "before, after and op" },
		{ "{\"op\":\"t\"}", "op \"t\" is about no row", "truncates" },
		{ "{\"op\":\"m\",\"after\":{}}", "op \"m\"", "messages" },
		{ "{\"op\":\"cc\",\"after\":{}}", "op \"cc\"", "op c, r" },
		{ "{\"op\":1,\"after\":{}}", "op 1", "op c, r" },
		{ "{\"op\":null,\"after\":{}}", "op null", "op c, r" },
		{ "{\"op\":\"\\u0063\",\"after\":{}}", "op \"", "op c, r" },
		{ "{\"op\":\"d\",\"before\":null}", "op \"d\" has no before",
		  "REPLICA IDENTITY FULL" },
		{ "{\"op\":\"d\",\"after\":{}}", "op \"d\" has no before",
		  "REPLICA IDENTITY FULL" },
		{ "{\"op\":\"u\",\"before\":{}}", "op \"u\" has no after",
		  "cut short" },
		{ "{\"payload\":{\"op\":\"c\"}}", "op \"c\" has no after",
		  "cut short" },
		{ "{\"payload\":{},\"op\":\"c\",\"after\":{}}", "no op", "" },
		{ "{\"op\":\"c\",\"after\":{},\"ts_ms\":"
		  "1234567890123456789012345678901234567890}", "ts_ms", "" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct debezium_event event;

		error_init(&err);
		ck_assert_int_eq(read_event(&event, cases[i].text),
				 ERROR_CAST);
		ck_assert_msg(strstr(err.text, cases[i].reason) != NULL,
			      "%s: %s", cases[i].text, err.text);
		ck_assert_msg(strstr(err.hint, cases[i].hint) != NULL,
			      "%s: %s", cases[i].text, err.hint);
	}
}
END_TEST

START_TEST(what_is_no_object_is_refused)
{
	static const char *const wrong[] = {
		"", " ", "1", "[]", "\"c\"", "{", "{\"op\"", "{\"op\":",
		"{\"op\":\"c\"", "{\"op\":\"c\",}", "{\"op\":\"c\"} x",
		"{\"payload\":1}", "{\"payload\":[]}", "{\"payload\":{},\"x\"}",
		"{\"payload\":{\"op\":\"c\"]}", "nulll",
	};

	for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
		struct debezium_event event;

		error_init(&err);
		ck_assert_msg(read_event(&event, wrong[i]) == ERROR_CAST,
			      "%s", wrong[i]);
		ck_assert(err.text[0]);
	}
}
END_TEST

/* Every text that an event is cut to is refused. */
START_TEST(an_event_cut_short_is_refused)
{
	static const char whole[] = "{\"schema\":{\"t\":[1,2]},\"payload\":{"
		"\"before\":null,\"after\":{\"id\":1,\"s\":\"a\\\\\"},"
		"\"op\":\"u\",\"ts_ms\":17}}";
	struct debezium_event event;
	char text[sizeof(whole)];

	ck_ok(read_event(&event, whole));
	for (size_t n = 0; n + 1 < sizeof(whole); n++) {
		memcpy(text, whole, n);
		text[n] = '\0';
		ck_assert_int_eq(read_event(&event, text), ERROR_CAST);
	}
}
END_TEST

START_TEST(a_tombstone_has_no_row)
{
	static const struct {
		const char *text;
		bool is_one;
	} cases[] = {
		{ "null", true }, { " null \t\r", true }, { "\tnull", true },
		{ "{\"schema\":null,\"payload\":null}", true },
		{ "{\"payload\" : null } ", true },
		{ "{\"payload\": null}", true },
		{ "{\"payload\":null}\r", true },
		{ "{\"schema\":{},\"payload\":{\"op\":null}}", false },
		{ "xnull", false }, { "nul", false }, { "", false },
		{ "{\"after\":null}", false }, { "{}", false },
		{ "}", false }, { "null}", false },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct debezium_event event;

		ck_assert_msg(debezium_is_tombstone(
				(const uint8_t *)cases[i].text,
				strlen(cases[i].text)) == cases[i].is_one,
			      "%s", cases[i].text);
		if (!cases[i].is_one)
			continue;
		ck_ok(read_event(&event, cases[i].text));
		ck_assert(event.is_tombstone);
		ck_assert_ptr_null(event.row);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("debezium");
	TCase *tc = tcase_create("debezium");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, an_event_is_its_row_its_kind_and_its_time);
	tcase_add_test(tc, what_is_about_no_row_is_refused_with_its_reason);
	tcase_add_test(tc, what_is_no_object_is_refused);
	tcase_add_test(tc, an_event_cut_short_is_refused);
	tcase_add_test(tc, a_tombstone_has_no_row);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
