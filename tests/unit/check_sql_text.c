#include "unit/check_main.h"
#include "unit/sql_world.h"

static struct error err;
static struct sql_script *script;

static void teardown(void)
{
	sql_script_free(script);
	script = NULL;
}

static void open_script(const char *text)
{
	sql_script_free(script);
	ck_ok(sql_script_new(&script, "s.sql", text, strlen(text), &err));
}

START_TEST(statements_are_separated_by_semicolons_outside_quotes)
{
	open_script(" ; SELECT ';' AS \";\"; -- no ; here\n;; DELETE FROM t /* "
		    "; */ ;\n");
	ck_assert_uint_eq(sql_script_statement_count(script), 2);
	open_script("");
	ck_assert_uint_eq(sql_script_statement_count(script), 0);
	open_script("-- only a comment");
	ck_assert_uint_eq(sql_script_statement_count(script), 0);
}
END_TEST

START_TEST(parsing_says_kind_and_table_without_looking_anything_up)
{
	static const struct {
		enum sql_kind kind;
		const char *table;
	} kinds[] = {
		{ SQL_MERGE, "a.t" }, { SQL_MERGE, "u" }, { SQL_MERGE, "d" },
		{ SQL_MERGE, "i" }, { SQL_QUERY, NULL },
		{ SQL_CREATE_TABLE, "c" }, { SQL_DROP_TABLE, "x" },
		{ SQL_ALTER_TABLE, "y" }, { SQL_MERGE, "w" },
		{ SQL_QUERY, NULL },
	};
	const char *table;
	enum sql_kind kind;

	open_script("MERGE INTO a.t USING s ON true WHEN MATCHED THEN DELETE;"
		    "UPDATE u SET a = 1; DELETE FROM d; INSERT INTO i "
		    "VALUES (1); SELECT 1; CREATE TABLE c (a INT); DROP TABLE "
		    "x; ALTER TABLE y SET PROPERTIES a = 1; WITH q AS (SELECT "
		    "1) INSERT INTO w SELECT * FROM q; WITH q AS (SELECT 1) "
		    "SELECT * FROM q");
	ck_assert_uint_eq(sql_script_statement_count(script),
			  ARRAY_COUNT(kinds));
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		ck_ok(sql_statement_parse(script, i, &kind, &table, &err));
		ck_assert_int_eq(kind, kinds[i].kind);
		if (kinds[i].table)
			ck_assert_str_eq(table, kinds[i].table);
		else
			ck_assert_ptr_null(table);
	}
	ck_assert_int_eq(sql_statement_parse(script, 99, &kind, &table, &err),
			 ERROR_INTERNAL);
}
END_TEST

START_TEST(an_error_in_a_later_statement_has_the_place_in_the_script)
{
	const char *table;
	enum sql_kind kind;

	open_script("SELECT 1;\n\nSELECT 2 +;\nSELECT 3");
	ck_assert_int_eq(sql_statement_parse(script, 1, &kind, &table, &err),
			 ERROR_SYNTAX);
	ck_assert_uint_eq(err.line, 3);
	ck_assert_uint_eq(err.column, 11);
	ck_assert_str_eq(err.file, "s.sql");
	ck_ok(sql_statement_parse(script, 2, &kind, &table, &err));
}
END_TEST

START_TEST(a_bound_statement_keeps_its_own_text_and_line)
{
	static const struct world_table tables[] = { { NULL, NULL, NULL } };
	struct sql_statement *statement;
	struct world world;

	world_init(&world, tables);
	open_script("-- first\nSELECT 1 ;\n\n  SELECT\n 2 -- end\n ; ");
	ck_ok(sql_statement_bind(script, 1, &world.options, &statement,
				 &err));
	ck_assert_str_eq(statement->text, "SELECT\n 2");
	ck_assert_uint_eq(statement->line, 4);
	sql_statement_free(statement);
	world_forget(&world);
}
END_TEST

static void ck_caret(uint64_t line, uint64_t position, const char *expected)
{
	struct text text = TEXT_INIT;

	ck_assert(sql_script_caret(script, line, position, &text));
	ck_assert_str_eq(text.data ? text.data : "", expected);
	text_release(&text);
}

START_TEST(the_caret_stands_under_the_place)
{
	open_script("SELECT a\r\n\tFROM b\n'd\xc3\xa4' x");
	ck_caret(1, 8, "SELECT a\n       ^\n");
	ck_caret(2, 2, "\tFROM b\n\t^\n");
	ck_caret(3, 7, "'d\xc3\xa4' x\n     ^\n");
	ck_caret(3, 99, "'d\xc3\xa4' x\n      ^\n");
	ck_caret(9, 1, "");
	ck_caret(0, 0, "");
}
END_TEST

START_TEST(the_caret_of_a_long_line_shows_a_part_of_it)
{
	struct text text = TEXT_INIT, caret = TEXT_INIT;

	for (int i = 0; i < 1000; i++)
		text_add_str(&text, "\xc3\xa4");
	open_script(text.data);
	ck_assert(sql_script_caret(script, 1, 1001, &caret));
	ck_assert_uint_lt(caret.length, 300);
	ck_assert_int_eq(caret.data[0], (char)0xc3);
	text_release(&text);
	text_release(&caret);
}
END_TEST

START_TEST(each_failed_allocation_gives_no_script)
{
	long allocations;

	mem_fail_at(1000000);
	open_script("SELECT 1; SELECT 2");
	allocations = mem_alloc_count();
	for (long i = 0; i < allocations; i++) {
		sql_script_free(script);
		mem_fail_at(i);
		ck_assert_int_eq(sql_script_new(&script, "s", "SELECT 1; "
						"SELECT 2", 18, &err),
				 ERROR_NO_MEMORY);
		mem_fail_at(-1);
		ck_assert_ptr_null(script);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sql_text");
	TCase *tc = tcase_create("sql_text");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc,
		statements_are_separated_by_semicolons_outside_quotes);
	tcase_add_test(tc,
		parsing_says_kind_and_table_without_looking_anything_up);
	tcase_add_test(tc,
		an_error_in_a_later_statement_has_the_place_in_the_script);
	tcase_add_test(tc, a_bound_statement_keeps_its_own_text_and_line);
	tcase_add_test(tc, the_caret_stands_under_the_place);
	tcase_add_test(tc, the_caret_of_a_long_line_shows_a_part_of_it);
	tcase_add_test(tc, each_failed_allocation_gives_no_script);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
