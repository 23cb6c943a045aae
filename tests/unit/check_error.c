/* check_error.c - names, exit statuses and texts of failures */
#include "unit/check_main.h"

#include <errno.h>
#include <string.h>

static struct error err;

static void setup(void)
{
	error_init(&err);
	interrupt_reset();
}

/* The table of reference/cli.md, written down by hand. */
static const struct {
	enum error_code code;
	const char *name;
	int status;
} expected[] = {
	{ ERROR_IO, "IO", 1 },
	{ ERROR_NO_SPACE, "NO_SPACE", 1 },
	{ ERROR_CORRUPT, "CORRUPT", 1 },
	{ ERROR_NO_MEMORY, "NO_MEMORY", 1 },
	{ ERROR_INTERNAL, "INTERNAL", 1 },
	{ ERROR_USAGE, "USAGE", 2 },
	{ ERROR_SYNTAX, "SYNTAX", 2 },
	{ ERROR_UNKNOWN_TABLE, "UNKNOWN_TABLE", 2 },
	{ ERROR_TABLE_EXISTS, "TABLE_EXISTS", 2 },
	{ ERROR_MOVED_TABLE, "MOVED_TABLE", 2 },
	{ ERROR_UNKNOWN_VERSION, "UNKNOWN_VERSION", 2 },
	{ ERROR_UNKNOWN_COLUMN, "UNKNOWN_COLUMN", 2 },
	{ ERROR_COLUMN_EXISTS, "COLUMN_EXISTS", 2 },
	{ ERROR_INCOMPATIBLE_CHANGE, "INCOMPATIBLE_CHANGE", 2 },
	{ ERROR_UNSET_PARAMETER, "UNSET_PARAMETER", 2 },
	{ ERROR_AMBIGUOUS_COLUMN, "AMBIGUOUS_COLUMN", 2 },
	{ ERROR_DUPLICATE_ASSIGNMENT, "DUPLICATE_ASSIGNMENT", 2 },
	{ ERROR_ARITY, "ARITY", 2 },
	{ ERROR_TYPE_MISMATCH, "TYPE_MISMATCH", 2 },
	{ ERROR_UNSUPPORTED, "UNSUPPORTED", 2 },
	{ ERROR_NOT_SUPPORTED, "NOT_SUPPORTED", 2 },
	{ ERROR_CAST, "CAST", 3 },
	{ ERROR_OVERFLOW, "OVERFLOW", 3 },
	{ ERROR_DIVISION_BY_ZERO, "DIVISION_BY_ZERO", 3 },
	{ ERROR_NOT_NULL, "NOT_NULL", 3 },
	{ ERROR_RAGGED_ROW, "RAGGED_ROW", 3 },
	{ ERROR_BAD_CSV, "BAD_CSV", 3 },
	{ ERROR_BAD_ENCODING, "BAD_ENCODING", 3 },
	{ ERROR_DUPLICATE_HEADER, "DUPLICATE_HEADER", 3 },
	{ ERROR_DUPLICATE_KEY, "DUPLICATE_KEY", 3 },
	{ ERROR_DUPLICATE_MATCH, "MERGE_TARGET_ROW_MULTIPLE_MATCHES", 3 },
	{ ERROR_SUBQUERY_MULTIPLE_ROWS, "SUBQUERY_MULTIPLE_ROWS", 3 },
	{ ERROR_BAD_ARGUMENT, "BAD_ARGUMENT", 3 },
	{ ERROR_REJECT_LIMIT, "REJECT_LIMIT", 3 },
	{ ERROR_GUARD_DELETES, "GUARD_DELETES", 5 },
	{ ERROR_GUARD_EMPTY_SOURCE, "GUARD_EMPTY_SOURCE", 5 },
	{ ERROR_GUARD_REJECTS, "GUARD_REJECTS", 5 },
	{ ERROR_GUARD_MANUAL_CHANGES, "GUARD_MANUAL_CHANGES", 5 },
	{ ERROR_STALE_RUN, "STALE_RUN", 5 },
	{ ERROR_RUN_NOT_FOUND, "RUN_NOT_FOUND", 5 },
	{ ERROR_VERSION_EXPIRED, "VERSION_EXPIRED", 5 },
	{ ERROR_FOREIGN_CATALOG, "FOREIGN_CATALOG", 5 },
	{ ERROR_CONCURRENT_TRANSACTION, "CONCURRENT_TRANSACTION", 5 },
	{ ERROR_CONCURRENT_APPEND, "CONCURRENT_APPEND", 75 },
	{ ERROR_CONCURRENT_DELETE_READ, "CONCURRENT_DELETE_READ", 75 },
	{ ERROR_CONCURRENT_DELETE_DELETE, "CONCURRENT_DELETE_DELETE", 75 },
	{ ERROR_METADATA_CHANGED, "METADATA_CHANGED", 75 },
	{ ERROR_PROTOCOL_CHANGED, "PROTOCOL_CHANGED", 75 },
	{ ERROR_LOCKED, "LOCKED", 75 },
	{ ERROR_INTERRUPTED, "INTERRUPTED", 128 + 2 },
};

START_TEST(each_code_has_the_name_and_exit_status_of_the_manual)
{
	for (size_t i = 0; i < ARRAY_COUNT(expected); i++) {
		ck_assert_str_eq(error_name(expected[i].code),
				 expected[i].name);
		ck_assert_int_eq(error_exit_status(expected[i].code),
				 expected[i].status);
	}
	ck_assert_int_eq(error_exit_status(ERROR_NONE), 0);
	ck_assert_str_eq(error_name((enum error_code)-4711), "INTERNAL");
	ck_assert_int_eq(error_exit_status((enum error_code)-4711), 1);
}
END_TEST

START_TEST(an_interrupted_run_exits_with_128_and_the_signal)
{
	interrupt_request(15);
	ck_assert_int_eq(error_exit_status(ERROR_INTERRUPTED), 143);
	interrupt_reset();
}
END_TEST

START_TEST(the_six_conflicts_carry_the_class_names_and_no_other_code_does)
{
	size_t named = 0;

	ck_assert_str_eq(error_exception(ERROR_CONCURRENT_APPEND),
			 "ConcurrentAppendException");
	ck_assert_str_eq(error_exception(ERROR_CONCURRENT_DELETE_READ),
			 "ConcurrentDeleteReadException");
	ck_assert_str_eq(error_exception(ERROR_CONCURRENT_DELETE_DELETE),
			 "ConcurrentDeleteDeleteException");
	ck_assert_str_eq(error_exception(ERROR_METADATA_CHANGED),
			 "MetadataChangedException");
	ck_assert_str_eq(error_exception(ERROR_PROTOCOL_CHANGED),
			 "ProtocolChangedException");
	ck_assert_str_eq(error_exception(ERROR_CONCURRENT_TRANSACTION),
			 "ConcurrentTransactionException");
	for (size_t i = 0; i < ARRAY_COUNT(expected); i++)
		named += error_exception(expected[i].code) != NULL;
	ck_assert_uint_eq(named, 6);
}
END_TEST

START_TEST(setting_an_error_clears_what_the_last_one_left)
{
	error_set(&err, ERROR_LOCKED, "first");
	ck_assert(err.retryable);
	error_hint(&err, "wait");
	error_at(&err, "a.sql", 3, 4);
	error_field(&err, "id");
	ck_assert_int_eq(error_set(&err, ERROR_CAST, "%s %d", "second", 2),
			 ERROR_CAST);
	ck_assert_int_eq(err.code, ERROR_CAST);
	ck_assert_str_eq(err.text, "second 2");
	ck_assert_str_eq(err.hint, "");
	ck_assert_str_eq(err.file, "");
	ck_assert_str_eq(err.field, "");
	ck_assert_uint_eq(err.line, 0);
	ck_assert_uint_eq(err.column, 0);
	ck_assert(!err.retryable);
}
END_TEST

START_TEST(place_hint_and_prefix_are_added_to_a_failure)
{
	error_set(&err, ERROR_CAST, "'x' is no number");
	ck_assert_int_eq(error_at(&err, "in.csv", 17, 0), ERROR_CAST);
	ck_assert_int_eq(error_field(&err, "price"), ERROR_CAST);
	ck_assert_int_eq(error_hint(&err, "see %s", "--rejects"), ERROR_CAST);
	ck_assert_int_eq(error_prefix(&err, "column %s", "price"), ERROR_CAST);
	ck_assert_str_eq(err.text, "column price: 'x' is no number");
	ck_assert_str_eq(err.file, "in.csv");
	ck_assert_str_eq(err.field, "price");
	ck_assert_str_eq(err.hint, "see --rejects");
	ck_assert_uint_eq(err.line, 17);
	error_at(&err, NULL, 18, 2);
	ck_assert_str_eq(err.file, "in.csv");
	ck_assert_uint_eq(err.line, 18);
	ck_assert_uint_eq(err.column, 2);
}
END_TEST

START_TEST(an_error_number_becomes_its_own_code_and_text)
{
	ck_assert_int_eq(error_set_errno(&err, ENOENT, "open '%s'", "x"),
			 ERROR_IO);
	ck_assert_str_eq(err.text, "open 'x': No such file or directory");
	ck_assert_int_eq(error_set_errno(&err, ENOSPC, "w"), ERROR_NO_SPACE);
	ck_assert_int_eq(error_set_errno(&err, EDQUOT, "w"), ERROR_NO_SPACE);
	ck_assert_int_eq(error_set_errno(&err, ENOMEM, "w"), ERROR_NO_MEMORY);
}
END_TEST

START_TEST(an_argument_may_point_into_the_error_itself)
{
	error_set(&err, ERROR_IO, "inner");
	error_set(&err, ERROR_CORRUPT, "outer: %s", err.text);
	ck_assert_str_eq(err.text, "outer: inner");
	error_at(&err, "f", 1, 1);
	error_at(&err, err.file, 2, 2);
	ck_assert_str_eq(err.file, "f");
}
END_TEST

START_TEST(a_text_that_is_too_long_is_cut_between_characters)
{
	char longer[ERROR_TEXT_BYTES + 100];

	/* a two-byte character across the last byte that fits */
	memset(longer, 'x', sizeof(longer));
	longer[ERROR_TEXT_BYTES - 2] = (char)0xc3;
	longer[ERROR_TEXT_BYTES - 1] = (char)0xa4;
	longer[sizeof(longer) - 1] = '\0';
	error_set(&err, ERROR_IO, "%s", longer);
	ck_assert_uint_eq(strlen(err.text), ERROR_TEXT_BYTES - 2);
	error_prefix(&err, "%s", longer);
	ck_assert_uint_le(strlen(err.text), ERROR_TEXT_BYTES - 1);
	error_hint(&err, "%s", longer);
	ck_assert_uint_eq(strlen(err.hint), ERROR_HINT_BYTES - 1);
	error_field(&err, longer);
	ck_assert_uint_eq(strlen(err.field), ERROR_PLACE_BYTES - 1);
}
END_TEST

START_TEST(nobody_has_to_give_an_error_to_fill)
{
	ck_assert_int_eq(error_set(NULL, ERROR_IO, "x"), ERROR_IO);
	ck_assert_int_eq(error_set_errno(NULL, ENOSPC, "x"), ERROR_NO_SPACE);
	ck_assert_int_eq(error_hint(NULL, "x"), ERROR_NONE);
	ck_assert_int_eq(error_at(NULL, "f", 1, 1), ERROR_NONE);
	ck_assert_int_eq(error_field(NULL, "f"), ERROR_NONE);
	ck_assert_int_eq(error_prefix(NULL, "f"), ERROR_NONE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("error");
	TCase *tc = tcase_create("error");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc,
		each_code_has_the_name_and_exit_status_of_the_manual);
	tcase_add_test(tc, an_interrupted_run_exits_with_128_and_the_signal);
	tcase_add_test(tc,
		the_six_conflicts_carry_the_class_names_and_no_other_code_does);
	tcase_add_test(tc, setting_an_error_clears_what_the_last_one_left);
	tcase_add_test(tc, place_hint_and_prefix_are_added_to_a_failure);
	tcase_add_test(tc, an_error_number_becomes_its_own_code_and_text);
	tcase_add_test(tc, an_argument_may_point_into_the_error_itself);
	tcase_add_test(tc, a_text_that_is_too_long_is_cut_between_characters);
	tcase_add_test(tc, nobody_has_to_give_an_error_to_fill);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
