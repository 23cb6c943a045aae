#include "unit/check_main.h"
#include "unit/change_dump.h"
#include "unit/sql_world.h"

static const struct world_table tables[] = {
	{ "t", "k INTEGER NOT NULL, v VARCHAR DEFAULT 'd', PRIMARY KEY (k)",
	  NULL },
	{ "wide", "k INTEGER, v VARCHAR, price DECIMAL(10,2), \"Day\" DATE",
	  NULL },
	{ "raw", NULL, "k,v,note" },
	{ "half", NULL, "k,extra" },
	{ "n", "k INTEGER, pos ROW(lat INTEGER, lon INTEGER), "
	  "l ARRAY(ROW(a INTEGER, b INTEGER))", NULL },
	{ "swapped", "k INTEGER, pos ROW(lon INTEGER, LAT INTEGER)", NULL },
	{ "higher", "k INTEGER, pos ROW(alt DATE, lat INTEGER)", NULL },
	{ "lists", "k INTEGER, l ARRAY(ROW(b INTEGER, a INTEGER))", NULL },
	{ "longer", "k INTEGER, l ARRAY(ROW(a INTEGER, b INTEGER, c DATE))",
	  NULL },
	{ NULL, NULL, NULL },
};
static struct world world;
static struct target_ops ops;
static struct text evolved;

/* The column becomes one more field of a ROW, or of an ARRAY's. */
static int add_field(struct schema *schema, const struct table_change *change,
		     struct error *err)
{
	long at = schema_find(schema, change->path.parts[0]);
	struct type *type = &schema->columns[at].type;
	struct column_def *fields;

	if (type->id == TYPE_ARRAY)
		type = &type->fields[0].type;
	fields = arena_zalloc_array(&schema->arena, type->field_count + 1,
				    sizeof(*fields));
	if (!fields)
		return error_set(err, ERROR_NO_MEMORY, "field");
	memcpy(fields, type->fields, type->field_count * sizeof(*fields));
	fields[type->field_count++] = change->column;
	type->fields = fields;
	return 0;
}

static int evolve(struct target *target, const struct table_change *changes,
		  size_t count, struct error *err)
{
	struct world_target *own = (struct world_target *)target;

	for (size_t i = 0; i < count; i++) {
		int rc = changes[i].path.count
			? add_field(&own->schema, &changes[i], err)
			: schema_add(&own->schema, &changes[i].column, err);

		if (rc)
			return rc;
		text_add_str(&evolved, evolved.length ? "; " : "");
		dump_change(&changes[i], &evolved);
	}
	return 0;
}

static void setup(void)
{
	world_init(&world, tables);
	ops = *world.target.target.ops;
	ops.evolve = evolve;
	world.target.target.ops = &ops;
	text_init(&evolved);
}

static void teardown(void)
{
	world_forget(&world);
	text_release(&evolved);
}

#define ck_evolved(text_, expected) \
	do { \
		text_reset(&evolved); \
		ck_bound(&world, text_); \
		text_add_str(&evolved, ""); \
		ck_assert_str_eq(evolved.length ? evolved.data : "", \
				 (expected)); \
	} while (0)

#define MERGE(source, whens) \
	"MERGE WITH SCHEMA EVOLUTION INTO t x USING " source " s ON x.k = s.k " \
	whens

START_TEST(a_star_adds_the_columns_of_the_source_once)
{
	const struct merge_clause *clauses;

	ck_evolved(MERGE("wide", "WHEN MATCHED THEN UPDATE SET * "
			 "WHEN NOT MATCHED THEN INSERT *"),
		   "add price DECIMAL(10,2); add Day DATE");
	ck_assert_uint_eq(world.statement->merge->target_column_count, 4);
	ck_assert_uint_eq(world.statement->merge->identifier_count, 1);
	clauses = world.statement->merge->clauses;
	ck_dump(clauses[0].values[2], "#6");
	ck_dump(clauses[1].values[3], "#7");
	ck_dump(world.statement->merge->keys[0].source, "#4");
}
END_TEST

START_TEST(what_a_file_has_no_type_for_is_added_as_text)
{
	ck_evolved(MERGE("raw", "WHEN NOT MATCHED THEN INSERT *"),
		   "add note VARCHAR");
	ck_dump(world.statement->merge->clauses[0].values[2], "#5");
	ck_evolved(MERGE("(SELECT k, v, CAST(note AS DATE) AS day FROM raw)",
			 "WHEN NOT MATCHED THEN INSERT *"), "add day DATE");
}
END_TEST

START_TEST(a_column_that_is_assigned_by_its_name_is_added)
{
	ck_evolved(MERGE("wide", "WHEN MATCHED THEN UPDATE SET x.price = "
			 "s.price, v = 'n' WHEN NOT MATCHED THEN INSERT "
			 "(k, \"day\") VALUES (s.k, DATE '2024-01-31')"),
		   "add price DECIMAL(10,2); add day DATE");
	ck_evolved(MERGE("wide", "WHEN MATCHED THEN UPDATE SET v = s.v"),
		   "");
	ck_evolved(MERGE("wide", "WHEN MATCHED THEN DELETE"), "");
	ck_refused(&world, MERGE("wide", "WHEN MATCHED THEN UPDATE SET "
				 "nosuch = 1"), ERROR_UNKNOWN_COLUMN, 1, 93);
}
END_TEST

START_TEST(what_the_source_lacks_keeps_its_value_or_gets_its_default)
{
	const struct merge_clause *clauses;

	ck_evolved(MERGE("half", "WHEN MATCHED THEN UPDATE SET * "
			 "WHEN NOT MATCHED THEN INSERT *"),
		   "add extra VARCHAR");
	clauses = world.statement->merge->clauses;
	ck_assert_ptr_null(clauses[0].values[1]);
	ck_dump(clauses[1].values[1], "'d'");
}
END_TEST

START_TEST(an_insert_adds_what_its_query_or_list_has_more)
{
	ck_evolved("INSERT WITH SCHEMA EVOLUTION INTO t SELECT * FROM wide",
		   "add price DECIMAL(10,2); add Day DATE");
	ck_dump(world.statement->merge->clauses[0].values[3], "#7");
	ck_evolved("INSERT WITH SCHEMA EVOLUTION INTO t (k, cost) "
		   "SELECT k, price FROM wide", "add cost DECIMAL(10,2)");
	ck_dump(world.statement->merge->clauses[0].values[1], "'d'");
	ck_evolved("INSERT WITH SCHEMA EVOLUTION INTO t (k, n) "
		   "VALUES (1, 2.5), (2, NULL)", "add n DECIMAL(2,1)");
	ck_evolved("INSERT WITH SCHEMA EVOLUTION INTO t VALUES (1, 'x')", "");
	ck_refused(&world, "INSERT WITH SCHEMA EVOLUTION INTO t (k, n) "
		   "SELECT 1", ERROR_ARITY, 1, 44);
	ck_refused(&world, "INSERT WITH SCHEMA EVOLUTION INTO t SELECT 1",
		   ERROR_ARITY, 1, 37);
}
END_TEST

#define NESTED(evolution, source, whens) \
	"MERGE " evolution "INTO n USING " source " s ON n.k = s.k " whens
#define EVOLVES "WITH SCHEMA EVOLUTION "

START_TEST(a_star_pairs_the_fields_of_a_row_by_name)
{
	const struct merge_clause *clauses;

	ck_evolved(NESTED(EVOLVES, "swapped", "WHEN MATCHED THEN UPDATE SET "
			  "*"), "");
	clauses = world.statement->merge->clauses;
	ck_dump(clauses[0].values[1], "(case (isnull #4) NULL:ROW(lat INTEGER"
		", lon INTEGER) (row (. #4 LAT) (. #4 lon)))");
	ck_bound(&world, NESTED("", "(SELECT k, pos, NULL AS l FROM swapped)",
				"WHEN NOT MATCHED THEN INSERT *"));
	clauses = world.statement->merge->clauses;
	ck_dump(clauses[0].values[1], "(case (isnull #4) NULL:ROW(lat INTEGER"
		", lon INTEGER) (row (. #4 LAT) (. #4 lon)))");
}
END_TEST

START_TEST(fields_that_a_row_has_more_are_added_and_others_kept)
{
	const struct merge_clause *clauses;

	ck_evolved(NESTED(EVOLVES, "higher", "WHEN MATCHED THEN UPDATE SET * "
			  "WHEN NOT MATCHED THEN INSERT *"),
		   "add pos.alt DATE");
	clauses = world.statement->merge->clauses;
	ck_dump(clauses[0].values[1], "(case (isnull #4) NULL:ROW(lat INTEGER"
		", lon INTEGER, alt DATE) (row (. #4 lat) (. #1 lon) "
		"(. #4 alt)))");
	ck_dump(clauses[1].values[1], "(case (isnull #4) NULL:ROW(lat INTEGER"
		", lon INTEGER, alt DATE) (row (. #4 lat) NULL:INTEGER "
		"(. #4 alt)))");
	ck_evolved(NESTED(EVOLVES, "higher", "WHEN MATCHED THEN UPDATE SET "
			  "pos = s.pos"), "add pos.alt DATE");
	ck_refused(&world, NESTED("", "(SELECT k, pos, NULL AS l FROM higher)",
				  "WHEN MATCHED THEN UPDATE SET *"),
		   ERROR_TYPE_MISMATCH, 1, 92);
	ck_refused(&world, NESTED("", "(SELECT k, ROW(1 AS x, 2 AS y) AS pos, "
				  "NULL AS l FROM higher)",
				  "WHEN MATCHED THEN UPDATE SET *"),
		   ERROR_TYPE_MISMATCH, 1, 115);
}
END_TEST

START_TEST(elements_of_a_list_must_have_the_order_of_the_table)
{
	ck_refused(&world, NESTED(EVOLVES, "lists", "WHEN MATCHED THEN UPDATE "
				  "SET *"), ERROR_TYPE_MISMATCH, 1, 81);
	ck_evolved(NESTED(EVOLVES, "longer", "WHEN MATCHED THEN UPDATE SET *"),
		   "add l.element.c DATE");
	ck_dump(world.statement->merge->clauses[0].values[2], "#4");
}
END_TEST

START_TEST(a_target_that_cannot_evolve_says_so)
{
	ops.evolve = NULL;
	ck_refused(&world, MERGE("wide", "WHEN NOT MATCHED THEN INSERT *"),
		   ERROR_NOT_SUPPORTED, 1, 1);
	ck_bound(&world, MERGE("wide", "WHEN MATCHED THEN DELETE"));
	ck_refused(&world, "MERGE INTO t WITH SCHEMA EVOLUTION USING wide s "
		   "ON true WHEN MATCHED THEN DELETE", ERROR_SYNTAX, 1, 14);
}
END_TEST

START_TEST(a_failed_allocation_ends_it_well)
{
	int rc = ERROR_NO_MEMORY;

	for (int i = 0; rc == ERROR_NO_MEMORY; i++) {
		world_forget(&world);
		mem_fail_at(i);
		rc = world_bind(&world, MERGE("wide", "WHEN NOT MATCHED THEN "
					      "INSERT *"));
		mem_fail_at(-1);
		ck_assert_int_lt(i, 1000);
	}
	ck_assert_int_eq(rc, 0);
	ck_assert_uint_eq(world.statement->merge->target_column_count, 4);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bind_evolve");
	TCase *tc = tcase_create("bind_evolve");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_star_adds_the_columns_of_the_source_once);
	tcase_add_test(tc, what_a_file_has_no_type_for_is_added_as_text);
	tcase_add_test(tc, a_column_that_is_assigned_by_its_name_is_added);
	tcase_add_test(tc,
		what_the_source_lacks_keeps_its_value_or_gets_its_default);
	tcase_add_test(tc, an_insert_adds_what_its_query_or_list_has_more);
	tcase_add_test(tc, a_star_pairs_the_fields_of_a_row_by_name);
	tcase_add_test(tc,
		fields_that_a_row_has_more_are_added_and_others_kept);
	tcase_add_test(tc,
		elements_of_a_list_must_have_the_order_of_the_table);
	tcase_add_test(tc, a_target_that_cannot_evolve_says_so);
	tcase_add_test(tc, a_failed_allocation_ends_it_well);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
