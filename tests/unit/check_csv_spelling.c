/* check_csv_spelling.c - encodings, times, numbers and what is inferred */
#include "unit/check_main.h"
#include "source/text_encoding.h"
#include "source/time_pattern.h"
#include "source/type_infer.h"
#include "source/value_rewrite.h"

static struct error err;

static void setup(void)
{
	error_init(&err);
}

static void teardown(void)
{
	mem_fail_at(-1);
}

/* A text that is pulled a few bytes at a time. */
struct drip {
	struct byte_view left;
};

static int drip_read(void *context, void *buffer, size_t capacity,
		     size_t *length_out, struct error *unused)
{
	struct drip *drip = context;
	size_t n = drip->left.length < capacity ? drip->left.length
						: capacity;

	memcpy(buffer, drip->left.data, n);
	drip->left.data += n;
	drip->left.length -= n;
	*length_out = n;
	return 0;
}

/* Decoded and encoded again, step bytes at once: what it was. */
static void round_trip(const char *encoding, const void *bytes, size_t length,
		       size_t step)
{
	struct drip drip = { byte_view(bytes, length) };
	struct text_pull pull = { drip_read, &drip };
	struct text_decoder *decoder;
	struct text all = TEXT_INIT, back = TEXT_INIT;
	char buffer[64];
	size_t got = step;

	ck_assert_int_eq(text_decoder_new(&decoder, encoding, &err), 0);
	while (got == step) {
		ck_assert_int_eq(text_decoder_read(decoder, &pull, buffer,
						   step, &got, &err), 0);
		text_add(&all, buffer, got);
	}
	ck_assert_int_eq(text_encode(text_decoder_encoding(decoder),
				     byte_view(all.data, all.length), &back,
				     &err), 0);
	ck_assert_uint_eq(back.length, length);
	ck_assert(memcmp(back.data, bytes, length) == 0);
	text_decoder_free(decoder);
	text_release(&all);
	text_release(&back);
}

START_TEST(bytes_of_any_kind_come_back_from_an_encoding)
{
	uint8_t bytes[512];

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7 + (i >> 8));
	for (size_t step = 1; step < 64; step += 9) {
		round_trip("latin1", bytes, sizeof(bytes), step);
		round_trip("windows-1252", bytes, sizeof(bytes), step);
		round_trip("utf-16le", bytes, sizeof(bytes), step);
		round_trip("utf-16be", bytes, sizeof(bytes) - 1, step);
		round_trip("utf-16", "\xff\xfe\x41\0\0\xd8", 6, step);
		round_trip("utf-16", "\xfe\xff\0\x41\xd8\0\n", 7, step);
	}
}
END_TEST

START_TEST(utf_16_needs_its_mark_and_names_are_known)
{
	struct drip drip = { byte_view("a\0b\0", 4) };
	struct text_pull pull = { drip_read, &drip };
	struct text_decoder *decoder;
	char buffer[16];
	size_t got;
	bool known;

	ck_assert_int_eq(text_decoder_new(&decoder, "utf-16", &err), 0);
	ck_assert_int_eq(text_decoder_read(decoder, &pull, buffer, 16, &got,
					   &err), ERROR_BAD_ENCODING);
	text_decoder_free(decoder);
	ck_assert_int_eq(text_decoder_new(&decoder, "no such", &err),
			 ERROR_USAGE);
	ck_assert(csv_encoding_is_utf8("UTF-8", &known) && known);
	ck_assert(!csv_encoding_is_utf8("latin1", &known) && known);
	ck_assert(!csv_encoding_is_utf8("latin1//IGNORE", &known) && !known);
	ck_assert(!csv_encoding_is_utf8("", &known) && !known);
}
END_TEST

START_TEST(times_are_put_into_the_manuals_form)
{
	static const struct {
		const char *pattern, *text, *wanted;	/* NULL = refused */
		bool timestamp;
	} cases[] = {
		{ "%d.%m.%Y", "1.2.2024", "2024-02-01", false },
		{ "%d.%m.%Y", "01.02.24", NULL, false },
		{ "%d.%m.%Y", "01.02.2024 ", NULL, false },
		{ "%y%m%d", "690101", "1969-01-01", false },
		{ "%y%m%d", "680101", "2068-01-01", false },
		{ "%Y%j", "2024366", "2024-12-31", false },
		{ "%Y%j", "2023366", NULL, false },
		{ "%Y%j", "2023000", NULL, false },
		{ "%e %B %Y", " 3 march 2024", "2024-03-03", false },
		{ "%Y-%b", "1970-Sep", "1970-09-01", false },
		{ "%D", "12/31/99", "1999-12-31", false },
		{ "100%%%Y", "100%2024", "2024-01-01", false },
		{ "%F %T", "2024-01-02 3:04:05", "2024-01-02 03:04:05", true },
		{ "%F %I %p", "2024-01-02 12 am", "2024-01-02 00:00:00", true },
		{ "%F %I %p", "2024-01-02 12 PM", "2024-01-02 12:00:00", true },
		{ "%F %I %p", "2024-01-02 13 PM", NULL, true },
		{ "%FT%T.%f%z", "2024-01-02T03:04:05.678+0130",
		  "2024-01-02 03:04:05.678+01:30", true },
		{ "%F%z", "2024-01-02Z", "2024-01-02 00:00:00+00:00", true },
		{ "%F%z", "2024-01-02+1", NULL, true },
		{ "%F %H:%M", "2024-01-02 ", NULL, true },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		char out[TIME_PATTERN_BYTES + 1];
		size_t length;

		ck_assert_int_eq(csv_time_format_check(cases[i].pattern,
					cases[i].timestamp, &err), 0);
		length = time_pattern_apply(cases[i].pattern,
				cases[i].timestamp,
				byte_view(cases[i].text,
					  strlen(cases[i].text)), out);
		out[length] = '\0';
		ck_assert_str_eq(out, cases[i].wanted ? cases[i].wanted : "");
	}
}
END_TEST

START_TEST(a_time_format_that_says_no_one_time_is_refused)
{
	static const char *const formats[] = {
		"", "%Y%", "%H:%M", "%F %H:%M %p", "%F %I:%M", "%Y-%m-%d %j",
		"%F %Y", "%F %y", "%T %F %H", "%d %b %B %Y", "%F %R %S.%f %f",
		"%F %z%z", "%d.%m.", "%F %I %p %H", "%D %e", "%F %p", "%F %Q",
	};

	for (size_t i = 0; i < ARRAY_COUNT(formats); i++)
		ck_assert_msg(csv_time_format_check(formats[i], true, &err) ==
			      ERROR_USAGE, "%s", formats[i]);
	ck_assert_int_eq(csv_time_format_check("%F %H", false, &err),
			 ERROR_USAGE);
	ck_assert_int_eq(csv_time_format_check("100%%%F %%", false, &err), 0);
	ck_assert_int_eq(csv_time_format_check("%F %%I", true, &err), 0);
}
END_TEST

START_TEST(numbers_lose_their_marks_only_where_these_stand_right)
{
	static const char *const cases[][2] = {
		{ "1.234,5", "1234.5" }, { "-12.345.678", "-12345678" },
		{ "0,5", "0.5" }, { ",5", ".5" }, { "7", "7" },
		{ "1.5e3", NULL }, { "1,5e3", "1.5e3" }, { "1.23", NULL },
		{ ".123", NULL }, { "1234.567", NULL }, { "1..234", NULL },
		{ "1.234.", NULL }, { "1,234.567", NULL },
	};
	const struct type type = type_of(TYPE_DOUBLE);
	struct csv_options options;
	struct arena heap;

	csv_options_init(&options);
	ck_assert(!value_rewrite_applies(&options, &type));
	options.decimal_mark = ',';
	options.thousands_mark = ".";
	arena_init(&heap, 0);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct byte_view view = byte_view(cases[i][0],
						  strlen(cases[i][0]));
		size_t row;

		ck_assert_int_eq(value_rewrite(&options, &type, &view, 1,
					       &heap, &row, &err), 0);
		ck_assert_msg(row == (cases[i][1] != NULL), "%s",
			      cases[i][0]);
		if (row)
			ck_assert(byte_view_equal(view,
				byte_view(cases[i][1],
					  strlen(cases[i][1]))));
	}
	arena_release(&heap);
}
END_TEST

START_TEST(types_do_not_depend_on_how_values_are_shared_out)
{
	static const char *const values[] = {
		"1", "-2.50", "9223372036854775808", "1e-5", "true",
		"2024-01-01", "2024-01-01 10:00:00", "x", "10:00:00",
		"007", "NaN", "2024-01-01T00:00:00Z",
	};
	struct csv_options options;

	csv_options_init(&options);
	for (unsigned set = 0; set < 4096; set++) {
		struct text_types all = { 0 }, even = { 0 }, odd = { 0 };
		struct type a, b;

		for (unsigned i = 0; i < 12; i++) {
			struct byte_view v = byte_view(values[i],
						       strlen(values[i]));

			if (!(set >> i & 1))
				continue;
			text_types_add(&all, &options, v);
			text_types_add(i & 1 ? &odd : &even, &options, v);
		}
		text_types_merge(&odd, &even);
		a = text_types_type(&all);
		b = text_types_type(&odd);
		ck_assert(type_equal(&a, &b));
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("csv_spelling");
	TCase *tc = tcase_create("csv_spelling");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, bytes_of_any_kind_come_back_from_an_encoding);
	tcase_add_test(tc, utf_16_needs_its_mark_and_names_are_known);
	tcase_add_test(tc, times_are_put_into_the_manuals_form);
	tcase_add_test(tc, a_time_format_that_says_no_one_time_is_refused);
	tcase_add_test(tc,
		numbers_lose_their_marks_only_where_these_stand_right);
	tcase_add_test(tc, types_do_not_depend_on_how_values_are_shared_out);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
