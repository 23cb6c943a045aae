#include "unit/check_main.h"
#include "unit/change_dump.h"
#include "unit/sql_world.h"

static const struct world_table tables[] = {
	{ "t", "k INTEGER NOT NULL, v VARCHAR", NULL },
	{ NULL, NULL, NULL },
};
static struct world world;
static struct error err;

static void setup(void)
{
	world_init(&world, tables);
}

static void teardown(void)
{
	world_forget(&world);
}

static void dump_changes(const struct sql_alter *alter, struct text *out)
{
	for (size_t i = 0; i < alter->change_count; i++) {
		text_add_str(out, i ? "; " : "");
		dump_change(&alter->changes[i], out);
	}
}

#define ck_changes(text_, expected) \
	do { \
		struct text ck_text = TEXT_INIT; \
		ck_bound(&world, "ALTER TABLE t " text_); \
		ck_assert_int_eq(world.statement->kind, SQL_ALTER_TABLE); \
		ck_assert_str_eq(world.statement->alter->name, "t"); \
		dump_changes(world.statement->alter, &ck_text); \
		ck_assert_str_eq(ck_text.data, (expected)); \
		text_release(&ck_text); \
	} while (0)

START_TEST(columns_are_added_in_both_spellings)
{
	ck_changes("ADD COLUMN price DECIMAL(10,2) NOT NULL DEFAULT 1.5 "
		   "COMMENT 'in euro' AFTER k",
		   "add price DECIMAL(10,2) not null default DECIMAL '1.50' "
		   "// in euro after k");
	ck_changes("ADD COLUMN IF NOT EXISTS a.b.\"C d\" DATE FIRST",
		   "add+ a.b.C d DATE first");
	ck_changes("ADD COLUMNS (a INT, m.value.b BIGINT COMMENT 'x', "
		   "c VARCHAR AFTER a)",
		   "add a INTEGER; add m.value.b BIGINT // x; "
		   "add c VARCHAR after a");
	ck_changes("ADD COLUMN a INT, b DATE, ADD c BIGINT",
		   "add a INTEGER; add b DATE; add c BIGINT");
	ck_changes("ADD COLUMN partition DATE FIRST COMMENT 'p'",
		   "add partition DATE // p first");
	ck_changes("ADD COLUMN a INT, \"set\" VARCHAR",
		   "add a INTEGER; add set VARCHAR");
}
END_TEST

START_TEST(columns_are_dropped_and_renamed)
{
	ck_changes("DROP COLUMN a.b", "drop a.b");
	ck_changes("DROP COLUMN IF EXISTS a", "drop? a");
	ck_changes("DROP COLUMNS (a, b.element.c)",
		   "drop a; drop b.element.c");
	ck_changes("DROP COLUMN a, b, DROP c", "drop a; drop b; drop c");
	ck_changes("RENAME COLUMN a.b TO \"C\"", "rename a.b C");
	ck_changes("RENAME COLUMN IF EXISTS a TO b", "rename? a b");
	ck_changes("RENAME a TO b", "rename a b");
}
END_TEST

START_TEST(a_column_is_changed_in_each_way)
{
	ck_changes("ALTER COLUMN a SET DATA TYPE BIGINT", "type a BIGINT");
	ck_changes("ALTER COLUMN a.key TYPE DECIMAL(20,2)",
		   "type a.key DECIMAL(20,2)");
	ck_changes("ALTER a SET NOT NULL, ALTER COLUMN b DROP NOT NULL",
		   "not-null a; null b");
	ck_changes("ALTER COLUMN a.c FIRST, ALTER COLUMN b AFTER \"x y\"",
		   "move a.c first; move b after x y");
	ck_changes("ALTER COLUMN IF EXISTS a COMMENT 'it''s'",
		   "comment? a it's");
	ck_changes("ALTER COLUMN a COMMENT NULL", "comment a");
	ck_changes("ALTER COLUMN a SET DEFAULT 2 + 3",
		   "default a to 5");
	ck_changes("ALTER COLUMN a SET DEFAULT 'x', ALTER b SET DEFAULT "
		   "DATE '2024-02-29'",
		   "default a to 'x'; default b to DATE '2024-02-29'");
	ck_changes("ALTER COLUMN a SET DEFAULT -1.50",
		   "default a to DECIMAL '-1.50'");
	ck_changes("ALTER COLUMN a SET DEFAULT NULL", "no-default a");
	ck_changes("ALTER COLUMN a DROP DEFAULT", "no-default a");
}
END_TEST

START_TEST(partition_fields_are_changed)
{
	ck_changes("ADD PARTITION FIELD bucket(8, id), DROP PARTITION FIELD "
		   "category",
		   "add-field bucket[8](id); drop-field identity(category)");
	ck_changes("ADD PARTITION FIELD IF NOT EXISTS days(ts) AS d",
		   "add-field+ day(ts) as d");
	ck_changes("ADD PARTITION FIELD a.b", "add-field identity(a.b)");
	ck_changes("DROP PARTITION FIELD bucket(8, id)",
		   "drop-field bucket[8](id)");
	ck_changes("DROP PARTITION FIELD IF EXISTS a.b",
		   "drop-field? identity(a.b)");
	ck_changes("REPLACE PARTITION FIELD ts_month WITH day(ts) AS d",
		   "replace-field identity(ts_month) by day(ts) as d");
	ck_changes("REPLACE PARTITION FIELD month(ts) WITH ts",
		   "replace-field month(ts) by identity(ts)");
	ck_changes("SET PARTITIONED BY (bucket(2, a), b AS c)",
		   "fields bucket[2](a), identity(b) as c");
	ck_changes("RESET PARTITIONED BY", "fields ");
	ck_changes("SET PROPERTIES partitioning = ARRAY['day(ts)', 'a']",
		   "fields day(ts), identity(a)");
	ck_changes("SET PROPERTIES partitioning = ARRAY[]", "fields ");
}
END_TEST

START_TEST(the_sort_order_is_changed)
{
	ck_changes("WRITE ORDERED BY id ASC NULLS LAST, category DESC NULLS "
		   "FIRST",
		   "sort identity(id) asc last, identity(category) desc "
		   "first");
	ck_changes("WRITE ORDERED BY (bucket(4, x) DESC, y)",
		   "sort bucket[4](x) desc last, identity(y) asc first");
	ck_changes("WRITE LOCALLY ORDERED BY a, ADD COLUMN b INT",
		   "sort identity(a) asc first; add b INTEGER");
	ck_changes("WRITE UNORDERED", "sort ");
	ck_changes("SET PROPERTIES sorted_by = ARRAY['a DESC NULLS FIRST'], "
		   "x = 1", "set  x=1; sort identity(a) desc first");
}
END_TEST

START_TEST(keys_and_properties_are_changed)
{
	ck_changes("SET IDENTIFIER FIELDS a, b.c, WRITE UNORDERED",
		   "key a, b.c; sort ");
	ck_changes("DROP IDENTIFIER FIELDS (a, b)", "no-key a, b");
	ck_changes("ADD PRIMARY KEY (a)", "key a");
	ck_changes("DROP PRIMARY KEY", "key ");
	ck_changes("SET PROPERTIES write.mode = 'x', \"a b\" = DEFAULT, "
		   "c = 5", "set  write.mode=x; set  a b=(none); set  c=5");
	ck_changes("SET TBLPROPERTIES ('k.l' = 'v', write.mode = true)",
		   "set  k.l=v; set  write.mode=true");
	ck_changes("UNSET TBLPROPERTIES IF EXISTS ('a.b', c)",
		   "set  a.b=(none); set  c=(none)");
	ck_changes("SET PROPERTIES format_version = 3", "upgrade 3");
	ck_changes("SET TBLPROPERTIES ('format-version' = '3')",
		   "upgrade 3");
}
END_TEST

START_TEST(a_comment_is_a_change)
{
	struct text text = TEXT_INIT;

	ck_bound(&world, "COMMENT ON COLUMN s.t.c IS 'x'");
	ck_assert_str_eq(world.statement->alter->name, "s.t");
	dump_changes(world.statement->alter, &text);
	text_add_str(&text, " | ");
	ck_bound(&world, "COMMENT ON TABLE s.t IS 'all'");
	ck_assert_str_eq(world.statement->alter->name, "s.t");
	dump_changes(world.statement->alter, &text);
	text_add_str(&text, " | ");
	ck_bound(&world, "COMMENT ON TABLE t IS NULL");
	dump_changes(world.statement->alter, &text);
	ck_assert_str_eq(text.data, "comment c x | set  comment=all | "
			 "set  comment=(none)");
	text_release(&text);
}
END_TEST

START_TEST(a_missing_table_may_be_no_error)
{
	ck_bound(&world, "ALTER TABLE IF EXISTS a.b DROP COLUMN c");
	ck_assert(world.statement->alter->if_exists);
	ck_assert_str_eq(world.statement->alter->name, "a.b");
	ck_bound(&world, "ALTER TABLE t ADD COLUMN a VARCHAR(5)");
	ck_assert(!world.statement->alter->if_exists);
	ck_assert_uint_eq(world.statement->warning_count, 1);
}
END_TEST

static const struct refused_case refused[] = {
	{ "ALTER TABLE t", ERROR_SYNTAX, 14 },
	{ "ALTER VIEW t", ERROR_UNSUPPORTED, 7 },
	{ "ALTER TABLE t ADD", ERROR_SYNTAX, 18 },
	{ "ALTER TABLE t ADD COLUMN a", ERROR_SYNTAX, 27 },
	{ "ALTER TABLE t ADD COLUMN a INT,", ERROR_SYNTAX, 32 },
	{ "ALTER TABLE t ADD COLUMN (a INT", ERROR_SYNTAX, 32 },
	{ "ALTER TABLE t ADD COLUMN a INT AFTER", ERROR_SYNTAX, 37 },
	{ "ALTER TABLE t ADD COLUMN a INT DEFAULT 'x'",
	  ERROR_TYPE_MISMATCH, 40 },
	{ "ALTER TABLE t ADD COLUMN a INT PRIMARY KEY", ERROR_UNSUPPORTED,
	  26 },
	{ "ALTER TABLE t ADD PARTITION (a = 1)", ERROR_UNSUPPORTED, 19 },
	{ "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 1)", ERROR_UNSUPPORTED,
	  19 },
	{ "ALTER TABLE t DROP PARTITION (a = 1)", ERROR_UNSUPPORTED, 20 },
	{ "ALTER TABLE t DROP COLUMN", ERROR_SYNTAX, 26 },
	{ "ALTER TABLE t RENAME TO u", ERROR_UNSUPPORTED, 22 },
	{ "ALTER TABLE t RENAME COLUMN a TO b.c", ERROR_SYNTAX, 35 },
	{ "ALTER TABLE t RENAME COLUMN a b", ERROR_SYNTAX, 31 },
	{ "ALTER TABLE t ALTER COLUMN a", ERROR_SYNTAX, 29 },
	{ "ALTER TABLE t ALTER COLUMN a TYPE FROB", ERROR_SYNTAX, 35 },
	{ "ALTER TABLE t ALTER COLUMN a SET DEFAULT b",
	  ERROR_UNKNOWN_COLUMN, 42 },
	{ "ALTER TABLE t ALTER COLUMN a SET DEFAULT current_date",
	  ERROR_UNSUPPORTED, 42 },
	{ "ALTER TABLE t ADD PARTITION FIELD frob(a)", ERROR_UNSUPPORTED,
	  35 },
	{ "ALTER TABLE t ADD PARTITION FIELD bucket(a)", ERROR_SYNTAX, 43 },
	{ "ALTER TABLE t ADD PARTITION FIELD bucket(0, a)",
	  ERROR_UNSUPPORTED, 42 },
	{ "ALTER TABLE t ADD PARTITION FIELD bucket(2147483648, a)",
	  ERROR_UNSUPPORTED, 42 },
	{ "ALTER TABLE t ADD PARTITION FIELD bucket('8', a)", ERROR_SYNTAX,
	  42 },
	{ "ALTER TABLE t ADD PARTITION FIELD day(8, a)", ERROR_SYNTAX, 39 },
	{ "ALTER TABLE t REPLACE PARTITION FIELD a", ERROR_SYNTAX, 40 },
	{ "ALTER TABLE t DROP PARTITION FIELD a AS b", ERROR_SYNTAX, 38 },
	{ "ALTER TABLE t REPLACE COLUMNS (a INT)", ERROR_UNSUPPORTED, 23 },
	{ "ALTER TABLE t WRITE DISTRIBUTED BY PARTITION", ERROR_UNSUPPORTED,
	  21 },
	{ "ALTER TABLE t WRITE ORDERED BY", ERROR_SYNTAX, 31 },
	{ "ALTER TABLE t WRITE ORDERED BY a NULLS", ERROR_SYNTAX, 39 },
	{ "ALTER TABLE t WRITE ORDERED BY a, WRITE UNORDERED x",
	  ERROR_SYNTAX, 51 },
	{ "ALTER TABLE t SET LOCATION 'x'", ERROR_UNSUPPORTED, 19 },
	{ "ALTER TABLE t SET x = 1", ERROR_SYNTAX, 19 },
	{ "ALTER TABLE t SET PROPERTIES format_version = 1",
	  ERROR_UNSUPPORTED, 30 },
	{ "ALTER TABLE t SET PROPERTIES format_version = DEFAULT",
	  ERROR_UNSUPPORTED, 30 },
	{ "ALTER TABLE t SET PROPERTIES partitioning = ARRAY['day(ts']",
	  ERROR_SYNTAX, 51 },
	{ "ALTER TABLE t SET PROPERTIES partitioning = ARRAY['a; b']",
	  ERROR_SYNTAX, 51 },
	{ "ALTER TABLE t SET PROPERTIES partitioning = ARRAY['']",
	  ERROR_SYNTAX, 51 },
	{ "ALTER TABLE t SET PROPERTIES sorted_by = 'a'", ERROR_SYNTAX, 42 },
	{ "ALTER TABLE t SET PROPERTIES a = 1, a = 2", ERROR_SYNTAX, 37 },
	{ "ALTER TABLE t EXECUTE optimize", ERROR_UNSUPPORTED, 15 },
	{ "ALTER TABLE t FROB", ERROR_SYNTAX, 15 },
	{ "COMMENT ON COLUMN t IS 'x'", ERROR_SYNTAX, 19 },
	{ "COMMENT ON VIEW t IS 'x'", ERROR_SYNTAX, 12 },
};

START_TEST(a_wrong_change_is_refused_with_its_kind_and_place)
{
	ck_refused(&world, refused[_i].text, refused[_i].code, 1,
		   refused[_i].column);
}
END_TEST

START_TEST(changes_alone_are_read)
{
	struct text text = TEXT_INIT;
	struct sql_alter alter;
	struct arena arena;

	arena_init(&arena, 0);
	ck_ok(sql_parse_changes("alter", "ADD COLUMN a VARCHAR(3), DROP b",
				NULL, &arena, &alter, &err));
	dump_changes(&alter, &text);
	ck_assert_str_eq(text.data, "add a VARCHAR; drop b");
	ck_assert_uint_eq(alter.warning_count, 1);
	ck_assert_int_eq(sql_parse_changes("alter", "DROP COLUMN a b", NULL,
					   &arena, &alter, &err),
			 ERROR_SYNTAX);
	ck_assert_str_eq(err.file, "alter");
	ck_assert_uint_eq(err.column, 15);
	ck_assert_uint_eq(alter.change_count, 0);
	text_release(&text);
	arena_release(&arena);
}
END_TEST

START_TEST(a_failed_allocation_ends_it_well)
{
	static const char sql[] = "ALTER TABLE t ADD COLUMN a INT DEFAULT 1, "
		"SET PARTITIONED BY (bucket(3, a)), WRITE ORDERED BY a, SET "
		"PROPERTIES sorted_by = ARRAY['b'], SET IDENTIFIER FIELDS a";
	int rc = ERROR_NO_MEMORY;

	for (int i = 0; rc == ERROR_NO_MEMORY; i++) {
		world_forget(&world);
		mem_fail_at(i);
		rc = world_bind(&world, sql);
		mem_fail_at(-1);
		ck_assert_int_lt(i, 1000);
	}
	ck_assert_int_eq(rc, 0);
	ck_assert_uint_eq(world.statement->alter->change_count, 5);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bind_alter");
	TCase *tc = tcase_create("bind_alter");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, columns_are_added_in_both_spellings);
	tcase_add_test(tc, columns_are_dropped_and_renamed);
	tcase_add_test(tc, a_column_is_changed_in_each_way);
	tcase_add_test(tc, partition_fields_are_changed);
	tcase_add_test(tc, the_sort_order_is_changed);
	tcase_add_test(tc, keys_and_properties_are_changed);
	tcase_add_test(tc, a_comment_is_a_change);
	tcase_add_test(tc, a_missing_table_may_be_no_error);
	tcase_add_loop_test(tc,
		a_wrong_change_is_refused_with_its_kind_and_place, 0,
		(int)ARRAY_COUNT(refused));
	tcase_add_test(tc, changes_alone_are_read);
	tcase_add_test(tc, a_failed_allocation_ends_it_well);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
