#ifndef TESTS_UNIT_SOURCE_WORLD_H
#define TESTS_UNIT_SOURCE_WORLD_H
#include "unit/csv_readback.h"

/* One input, read as options and in say; what came out, and what is wanted. */
static struct csv_options options;
static struct readback in;

static inline void read_text(const char *text)
{
	text_release(&in.rows);
	readback_bytes(&in, text, strlen(text));
}

static inline void expect_rows(const char *rows)
{
	ck_assert_msg(in.rc == 0, "%s", in.err.text);
	ck_assert_str_eq(in.rows.length ? in.rows.data : "", rows);
}

static inline void expect_error(int code, uint64_t line, const char *text)
{
	ck_assert_int_eq(in.rc, code);
	ck_assert_msg(strstr(in.err.text, text) != NULL, "%s", in.err.text);
	ck_assert_uint_eq(in.err.line, line);
	ck_assert_str_ne(in.err.file, "");
}
#endif
