#include "unit/check_main.h"
#include "unit/change_dump.h"
#include "unit/sql_world.h"

static const struct world_table tables[] = {
	{ "t", "k INTEGER NOT NULL, v VARCHAR", NULL },
	{ "raw", NULL, "a,b" },
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

/* "id BIGINT NOT NULL KEY DEFAULT 1 // doc, ..." */
static void dump_schema(const struct schema *schema, struct text *out)
{
	char name[TYPE_NAME_BYTES];

	for (size_t i = 0; i < schema->column_count; i++) {
		const struct column_def *def = &schema->columns[i];

		text_addf(out, "%s%s %s", i ? ", " : "", def->name,
			  type_name(&def->type, name));
		if (def->required)
			text_add_str(out, " NOT NULL");
		if (def->is_identifier)
			text_add_str(out, " KEY");
		if (def->write_default) {
			text_add_str(out, " DEFAULT ");
			format_literal_sql(def->write_default, out);
		}
		if (def->doc)
			text_addf(out, " // %s", def->doc);
	}
}

#define ck_schema(schema_, expected) \
	do { \
		struct text ck_text = TEXT_INIT; \
		dump_schema((schema_), &ck_text); \
		ck_assert_str_eq(ck_text.data, (expected)); \
		text_release(&ck_text); \
	} while (0)

START_TEST(create_table_says_all_of_its_columns)
{
	const struct sql_create *create;

	ck_bound(&world, "CREATE TABLE IF NOT EXISTS shop.\"Big Orders\" (\n"
		 "id BIGINT, \"Line No\" INT DEFAULT 1 + 1 NOT NULL,\n"
		 "price DECIMAL(10,2) DEFAULT 1.5 COMMENT 'in euro',\n"
		 "note VARCHAR(20) DEFAULT NULL, day DATE DEFAULT DATE "
		 "'2024-01-31',\n"
		 "CONSTRAINT pk PRIMARY KEY (ID, \"line no\"))\n"
		 "WITH (format_version = 3, \"write.merge.mode\" = "
		 "'copy-on-write', a.b = 12, flag = TRUE)");
	ck_assert_int_eq(world.statement->kind, SQL_CREATE_TABLE);
	ck_assert_str_eq(world.statement->name, "shop.Big Orders");
	create = world.statement->create;
	ck_assert(create->if_not_exists && !create->or_replace);
	ck_assert_int_eq(create->format_version, 3);
	ck_assert_uint_eq(create->property_count, 3);
	ck_assert_str_eq(create->property_keys[0], "write.merge.mode");
	ck_assert_str_eq(create->property_values[0], "copy-on-write");
	ck_assert_str_eq(create->property_keys[1], "a.b");
	ck_assert_str_eq(create->property_values[1], "12");
	ck_assert_str_eq(create->property_values[2], "true");
	ck_schema(&create->schema, "id BIGINT NOT NULL KEY, "
		  "Line No INTEGER NOT NULL KEY DEFAULT 2, "
		  "price DECIMAL(10,2) DEFAULT DECIMAL '1.50' // in euro, "
		  "note VARCHAR, day DATE DEFAULT DATE '2024-01-31'");
	ck_assert_uint_eq(world.statement->warning_count, 1);
	ck_assert_ptr_nonnull(strstr(world.statement->warnings[0],
				     "VARCHAR(20)"));
}
END_TEST

START_TEST(create_table_as_takes_the_querys_columns)
{
	const struct sql_create *create;

	ck_bound(&world, "CREATE OR REPLACE TABLE c WITH (x = 'y') AS "
		 "SELECT k, v || '!' AS w, a FROM (SELECT k, v, 1.5 a FROM t)"
		 " WITH DATA");
	create = world.statement->create;
	ck_assert(create->or_replace);
	ck_schema(&create->schema, "k INTEGER, w VARCHAR, a DECIMAL(2,1)");
	ck_assert_ptr_eq(create->query, world.statement->query);
	ck_assert_uint_eq(create->property_count, 1);
	ck_bound(&world, "CREATE TABLE c (x, y) AS SELECT a, b FROM raw "
		 "WHERE b = true");
	ck_schema(&world.statement->create->schema, "x VARCHAR, y BOOLEAN");
}
END_TEST

static void dump_layout(const struct sql_create *create, struct text *out)
{
	for (size_t i = 0; i < create->partition_count; i++) {
		text_add_str(out, i ? ", " : "by ");
		dump_partition_term(&create->partition_terms[i], out);
	}
	for (size_t i = 0; i < create->sort_count; i++) {
		text_add_str(out, i ? ", " : " order ");
		dump_sort_term(&create->sort_terms[i], out);
	}
}

#define ck_layout(text_, expected) \
	do { \
		struct text ck_text = TEXT_INIT; \
		ck_bound(&world, text_); \
		dump_layout(world.statement->create, &ck_text); \
		ck_assert_str_eq(ck_text.data ? ck_text.data : "", (expected)); \
		text_release(&ck_text); \
	} while (0)

START_TEST(create_table_says_its_layout)
{
	ck_layout("CREATE TABLE x (a INT) PARTITIONED BY (bucket(8, id), "
		  "truncate(s, 4), year(ts), months(ts), day(ts), hours(ts), "
		  "void(x), identity(c), c, a.b AS ab) WRITE ORDERED BY "
		  "(id ASC NULLS LAST, bucket(4, x) DESC) "
		  "WITH (format_version = 3)",
		  "by bucket[8](id), truncate[4](s), year(ts), month(ts), "
		  "day(ts), hour(ts), void(x), identity(c), identity(c), "
		  "identity(a.b) as ab order identity(id) asc last, "
		  "bucket[4](x) desc last");
	ck_assert_int_eq(world.statement->create->format_version, 3);
	ck_layout("CREATE OR REPLACE TABLE x USING ICEBERG WRITE ORDERED BY "
		  "year, day DESC COMMENT 'c' TBLPROPERTIES ('p' = 'q') "
		  "PARTITIONED BY (year) AS SELECT k AS year, v AS day FROM t",
		  "by identity(year) order identity(year) asc first, "
		  "identity(day) desc last");
	ck_assert_uint_eq(world.statement->create->property_count, 2);
	ck_assert_str_eq(world.statement->create->property_keys[0],
			 "comment");
	ck_layout("CREATE TABLE x (id INT) WITH (partitioning = ARRAY["
		  "'bucket(id, 8)', 'day(ts)'], sorted_by = ARRAY["
		  "'id DESC NULLS LAST', 'x'], p = 1)",
		  "by bucket[8](id), day(ts) order identity(id) desc last, "
		  "identity(x) asc first");
	ck_assert_uint_eq(world.statement->create->property_count, 1);
	ck_layout("CREATE TABLE x (id INT) WRITE UNORDERED WITH "
		  "(partitioning = ARRAY[])", "");
}
END_TEST

START_TEST(terms_alone_are_read)
{
	const struct partition_term *terms;
	const struct sort_term *sort;
	struct text text = TEXT_INIT;
	struct arena arena;
	size_t count;

	arena_init(&arena, 0);
	ck_ok(sql_parse_partition_terms("bucket(8, id), day(ts) AS d", &arena,
					&terms, &count, &err));
	ck_assert_uint_eq(count, 2);
	dump_partition_term(&terms[0], &text);
	dump_partition_term(&terms[1], &text);
	ck_ok(sql_parse_sort_terms("a.b DESC, c", &arena, &sort, &count,
				   &err));
	ck_assert_uint_eq(count, 2);
	dump_sort_term(&sort[0], &text);
	ck_assert_str_eq(text.data, "bucket[8](id)day(ts) as d"
			 "identity(a.b) desc last");
	ck_assert_int_eq(sql_parse_sort_terms("a DESC b", &arena, &sort,
					      &count, &err), ERROR_SYNTAX);
	ck_assert(!sort && !count);
	ck_assert_uint_eq(err.column, 8);
	ck_assert_int_eq(sql_parse_partition_terms("", &arena, &terms, &count,
						   NULL), ERROR_SYNTAX);
	text_release(&text);
	arena_release(&arena);
}
END_TEST

START_TEST(drop_says_its_table)
{
	ck_bound(&world, "DROP TABLE IF EXISTS a.b");
	ck_assert_int_eq(world.statement->kind, SQL_DROP_TABLE);
	ck_assert(world.statement->if_exists);
	ck_assert_str_eq(world.statement->name, "a.b");
	ck_bound(&world, "DROP TABLE t");
	ck_assert(!world.statement->if_exists);
}
END_TEST

static const struct refused_case refused[] = {
	{ "CREATE TABLE x", ERROR_SYNTAX, 15 },
	{ "CREATE TABLE x ()", ERROR_SYNTAX, 17 },
	{ "CREATE TABLE x (a INT,)", ERROR_SYNTAX, 23 },
	{ "CREATE TABLE x (a INT", ERROR_SYNTAX, 22 },
	{ "CREATE TABLE x (a INT NOT)", ERROR_SYNTAX, 23 },
	{ "CREATE TABLE x (a BIGNT)", ERROR_SYNTAX, 19 },
	{ "CREATE TABLE x (a INT) WITH (b)", ERROR_SYNTAX, 31 },
	{ "CREATE TABLE x (a INT) WITH (b = 1, b = 2)", ERROR_SYNTAX, 37 },
	{ "CREATE OR REPLACE TABLE IF NOT EXISTS x (a INT)", ERROR_SYNTAX,
	  25 },
	{ "CREATE TABLE x (a INT PRIMARY KEY, PRIMARY KEY (a))",
	  ERROR_SYNTAX, 49 },
	{ "CREATE TABLE x (a INT, A INT)", ERROR_COLUMN_EXISTS, 24 },
	{ "CREATE TABLE x (a INT, PRIMARY KEY (a, A))", ERROR_COLUMN_EXISTS,
	  40 },
	{ "CREATE TABLE x (a INT, PRIMARY KEY (b))", ERROR_UNKNOWN_COLUMN,
	  37 },
	{ "CREATE TABLE x (a INT DEFAULT 'x')", ERROR_TYPE_MISMATCH, 31 },
	{ "CREATE TABLE x (a INT DEFAULT b)", ERROR_UNKNOWN_COLUMN, 31 },
	{ "CREATE TABLE x (a INT DEFAULT 1 / 0)", ERROR_DIVISION_BY_ZERO,
	  33 },
	{ "CREATE TABLE x (a DATE DEFAULT current_date)", ERROR_UNSUPPORTED,
	  32 },
	{ "CREATE TABLE x (a DOUBLE PRIMARY KEY)", ERROR_UNSUPPORTED, 17 },
	{ "CREATE TABLE x (a INT) PARTITIONED BY ()", ERROR_SYNTAX, 40 },
	{ "CREATE TABLE x (a INT) PARTITIONED BY a", ERROR_SYNTAX, 39 },
	{ "CREATE TABLE x (a INT) PARTITIONED BY (frob(a))",
	  ERROR_UNSUPPORTED, 40 },
	{ "CREATE TABLE x (a INT) PARTITIONED BY (a) PARTITIONED BY (a)",
	  ERROR_SYNTAX, 58 },
	{ "CREATE TABLE x (a INT) PARTITIONED BY (a) WITH (partitioning = "
	  "ARRAY['a'])", ERROR_SYNTAX, 64 },
	{ "CREATE TABLE x (a INT) WRITE ORDERED BY ()", ERROR_SYNTAX, 42 },
	{ "CREATE TABLE x (a INT) WRITE DISTRIBUTED BY PARTITION",
	  ERROR_UNSUPPORTED, 30 },
	{ "CREATE TABLE x (a INT) USING parquet", ERROR_UNSUPPORTED, 30 },
	{ "CREATE TABLE x (a INT) LOCATION '/x'", ERROR_UNSUPPORTED, 24 },
	{ "CREATE TABLE x (a INT) WITH (a = 1) TBLPROPERTIES (a = 2)",
	  ERROR_SYNTAX, 52 },
	{ "CREATE TABLE x (a INT) WITH (location = '/x')",
	  ERROR_UNSUPPORTED, 30 },
	{ "CREATE TABLE x (a INT) WITH (partitioning = 'a')", ERROR_SYNTAX,
	  45 },
	{ "CREATE TABLE x (a INT) WITH (format_version = 1)",
	  ERROR_UNSUPPORTED, 30 },
	{ "CREATE TABLE x (a ARRAY(INT, INT))", ERROR_SYNTAX, 28 },
	{ "CREATE TABLE x (a INT ARRAY[3])", ERROR_UNSUPPORTED, 28 },
	{ "CREATE TABLE x (a ROW(INT, b INT))", ERROR_SYNTAX, 17 },
	{ "CREATE TABLE x (a ROW(b INT, B INT))", ERROR_COLUMN_EXISTS, 17 },
	{ "CREATE TABLE x (a ARRAY(INT) PRIMARY KEY)", ERROR_UNSUPPORTED, 17 },
	{ "CREATE TABLE x (a ARRAY(INT) DEFAULT ARRAY[1])",
	  ERROR_UNSUPPORTED, 38 },
	{ "CREATE TABLE x AS SELECT ROW(1) AS a", ERROR_SYNTAX, 19 },
	{ "CREATE TABLE x AS SELECT ARRAY[] AS a", ERROR_TYPE_MISMATCH, 19 },
	{ "CREATE TABLE x (a INT CHECK (a > 1))", ERROR_UNSUPPORTED, 23 },
	{ "CREATE TABLE x (a INT, FOREIGN KEY (a))", ERROR_UNSUPPORTED, 24 },
	{ "CREATE TABLE x AS SELECT NULL AS a", ERROR_TYPE_MISMATCH, 19 },
	{ "CREATE TABLE x AS SELECT k, k FROM t", ERROR_COLUMN_EXISTS, 19 },
	{ "CREATE TABLE x AS SELECT k FROM t WITH NO DATA",
	  ERROR_UNSUPPORTED, 35 },
	{ "CREATE TABLE x (a, b) AS SELECT k FROM t", ERROR_ARITY, 17 },
	{ "CREATE VIEW x AS SELECT 1", ERROR_UNSUPPORTED, 8 },
	{ "DROP TABLE", ERROR_SYNTAX, 11 },
	{ "DROP VIEW x", ERROR_UNSUPPORTED, 6 },
	{ "ALTER TABLE t SET PROPERTIES", ERROR_SYNTAX, 29 },
	{ "ALTER TABLE t SET PROPERTIES a = b", ERROR_SYNTAX, 34 },
};

START_TEST(a_wrong_table_statement_is_refused_with_its_kind_and_place)
{
	ck_refused(&world, refused[_i].text, refused[_i].code, 1,
		   refused[_i].column);
}
END_TEST

START_TEST(columns_alone_become_a_schema)
{
	struct schema schema;

	schema_init(&schema);
	ck_ok(sql_parse_columns("id BIGINT NOT NULL, \"na\"\"me\" VARCHAR "
		"DEFAULT 'x', PRIMARY KEY (id)", NULL, &schema, &err));
	ck_schema(&schema, "id BIGINT NOT NULL KEY, na\"me VARCHAR "
		  "DEFAULT 'x'");
	schema_release(&schema);
	schema_init(&schema);
	ck_assert_int_eq(sql_parse_columns("id BIGINT,", NULL, &schema, &err),
			 ERROR_SYNTAX);
	ck_assert_str_eq(err.file, "columns");
	ck_assert_uint_eq(err.column, 11);
	ck_assert_int_eq(sql_parse_columns("id BIGINT) x", NULL, &schema,
					   &err), ERROR_SYNTAX);
	ck_assert_int_eq(sql_parse_columns("", NULL, &schema, NULL),
			 ERROR_SYNTAX);
	ck_assert_uint_eq(schema.column_count, 0);
	schema_release(&schema);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bind_table");
	TCase *tc = tcase_create("bind_table");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, create_table_says_all_of_its_columns);
	tcase_add_test(tc, create_table_as_takes_the_querys_columns);
	tcase_add_test(tc, create_table_says_its_layout);
	tcase_add_test(tc, terms_alone_are_read);
	tcase_add_test(tc, drop_says_its_table);
	tcase_add_loop_test(tc,
		a_wrong_table_statement_is_refused_with_its_kind_and_place, 0,
		(int)ARRAY_COUNT(refused));
	tcase_add_test(tc, columns_alone_become_a_schema);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
