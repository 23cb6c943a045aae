#include "unit/check_main.h"
#include "unit/sql_world.h"

static const struct world_table tables[] = {
	{ "pet", "id BIGINT PRIMARY KEY, name VARCHAR DEFAULT 'nameless', "
	  "weight DECIMAL(5,2), born DATE", NULL },
	{ "litter", "n INTEGER, called VARCHAR, kg DOUBLE", NULL },
	{ "in.csv", NULL, "called,id,born" },
	{ NULL, NULL, NULL },
};
static struct world world;

static void setup(void)
{
	world_init(&world, tables);
}

static void teardown(void)
{
	world_forget(&world);
}

START_TEST(update_is_a_merge_without_source)
{
	const struct merge_plan *plan;

	ck_bound(&world, "UPDATE pet SET weight = weight * 2, name = pet.name "
		 "|| '!', born = DEFAULT WHERE id > 5");
	plan = world.statement->merge;
	ck_assert_int_eq(world.statement->kind, SQL_MERGE);
	ck_assert_int_eq(plan->statement, STATEMENT_UPDATE);
	ck_assert_ptr_null(plan->source);
	ck_assert_uint_eq(plan->source_column_count, 0);
	ck_assert_uint_eq(plan->clause_count, 1);
	ck_assert_int_eq(plan->clauses[0].match, WHEN_NOT_MATCHED_BY_SOURCE);
	ck_assert_int_eq(plan->clauses[0].operation, OPERATION_UPDATE);
	ck_dump(plan->clauses[0].condition, "(> #0 5)");
	ck_dump(plan->clauses[0].values[0], "-");
	ck_dump(plan->clauses[0].values[1], "(|| #1 '!')");
	ck_dump(plan->clauses[0].values[2],
		"(cast! (* #2 DECIMAL '2') DECIMAL(5,2))");
	ck_dump(plan->clauses[0].values[3], "NULL:DATE");
}
END_TEST

START_TEST(an_insert_that_reads_its_own_table_says_so)
{
	ck_bound(&world, "INSERT INTO pet (id) SELECT n FROM litter WHERE n "
		 "IN (1, 2)");
	ck_assert(!world.statement->merge->source_reads_target);
	ck_bound(&world, "INSERT INTO pet (id) SELECT n FROM litter UNION ALL "
		 "SELECT id + 100 FROM PET");
	ck_assert(world.statement->merge->source_reads_target);
}
END_TEST

START_TEST(an_update_may_name_itself_and_set_a_column_to_itself)
{
	ck_bound(&world, "UPDATE pet p SET p.name = name, weight = p.weight");
	ck_dump(world.statement->merge->clauses[0].values[1], "#1");
	ck_dump(world.statement->merge->clauses[0].condition, "-");
	ck_bound(&world, "UPDATE pet AS p SET name = 'x' WHERE p.id = 1");
}
END_TEST

START_TEST(delete_is_a_merge_without_source)
{
	const struct merge_plan *plan;

	ck_bound(&world, "DELETE FROM pet AS p WHERE p.born < DATE "
		 "'2000-01-01' OR born IS NULL");
	plan = world.statement->merge;
	ck_assert_int_eq(plan->statement, STATEMENT_DELETE);
	ck_assert_ptr_null(plan->source);
	ck_assert_int_eq(plan->clauses[0].operation, OPERATION_DELETE);
	ck_assert_int_eq(plan->clauses[0].match, WHEN_NOT_MATCHED_BY_SOURCE);
	ck_dump(plan->clauses[0].condition,
		"(or (< #3 DATE '2000-01-01') (isnull #3))");
	ck_bound(&world, "DELETE FROM pet");
	ck_dump(world.statement->merge->clauses[0].condition, "-");
}
END_TEST

START_TEST(insert_values_take_the_types_of_their_columns)
{
	const struct merge_plan *plan;
	struct text text = TEXT_INIT;

	ck_bound(&world, "INSERT INTO pet (name, id) VALUES ('rex', 1), "
		 "(DEFAULT, 2), (NULL, 3)");
	plan = world.statement->merge;
	ck_assert_int_eq(plan->statement, STATEMENT_INSERT);
	ck_assert(plan->on_is_false);
	ck_assert_uint_eq(plan->identifier_count, 1);
	ck_assert_int_eq(plan->clauses[0].match, WHEN_NOT_MATCHED);
	ck_assert_int_eq(plan->clauses[0].operation, OPERATION_INSERT);
	ck_dump(plan->clauses[0].values[0], "#5");
	ck_dump(plan->clauses[0].values[1], "#4");
	ck_dump(plan->clauses[0].values[2], "NULL:DECIMAL(5,2)");
	ck_dump(plan->clauses[0].values[3], "NULL:DATE");
	world_dump_query(plan->source, &text);
	ck_assert_str_eq(text.data, "values[name VARCHAR, id BIGINT]"
		"{'rex' 1 'nameless' 2 NULL:VARCHAR 3}");
	text_release(&text);
}
END_TEST

START_TEST(insert_select_assigns_by_position)
{
	const struct merge_plan *plan;

	ck_bound(&world, "INSERT INTO pet (weight, id) SELECT kg, n FROM "
		 "litter WHERE kg > 1e0");
	plan = world.statement->merge;
	ck_assert_uint_eq(plan->source_column_count, 2);
	ck_dump(plan->clauses[0].values[0], "(cast! #5 BIGINT)");
	ck_dump(plan->clauses[0].values[1], "'nameless'");
	ck_dump(plan->clauses[0].values[2], "(cast! #4 DECIMAL(5,2))");
	ck_assert(plan->source_used[0] && plan->source_used[1]);
}
END_TEST

START_TEST(insert_from_a_file_types_columns_by_name_then_by_use)
{
	const struct schema *schema;

	ck_bound(&world, "WITH f AS (SELECT id, called, born FROM 'in.csv') "
		 "INSERT INTO pet (id, name, born) SELECT * FROM f");
	schema = &world.statement->relations[0]->schema;
	ck_assert_int_eq(schema->columns[0].type.id, TYPE_VARCHAR);
	ck_assert_int_eq(schema->columns[1].type.id, TYPE_BIGINT);
	ck_assert_int_eq(schema->columns[2].type.id, TYPE_DATE);
	ck_dump(world.statement->merge->clauses[0].values[1], "#5");
	/* a position that does not fit the name's type is refused */
	ck_refused(&world, "INSERT INTO pet (id, name, born) SELECT * FROM "
		   "'in.csv'", ERROR_TYPE_MISMATCH, 1, 34);
}
END_TEST

START_TEST(insert_takes_a_query_in_parentheses_and_with)
{
	ck_bound(&world, "INSERT INTO pet (id) (VALUES (1), (2))");
	ck_bound(&world, "INSERT INTO pet (SELECT n, called, kg, NULL FROM "
		 "litter)");
	ck_bound(&world, "INSERT INTO pet (id) WITH c AS (SELECT n FROM "
		 "litter) SELECT n FROM c");
	ck_bound(&world, "INSERT INTO pet (id) SELECT n FROM litter UNION ALL "
		 "SELECT 7 LIMIT 3");
}
END_TEST

static const struct refused_case refused[] = {
	{ "UPDATE pet SET", ERROR_SYNTAX, 15 },
	{ "UPDATE pet WHERE id = 1", ERROR_SYNTAX, 12 },
	{ "UPDATE pet SET name 'x'", ERROR_SYNTAX, 21 },
	{ "UPDATE pet SET name = 'x' WHERE", ERROR_SYNTAX, 32 },
	{ "DELETE pet", ERROR_SYNTAX, 8 },
	{ "INSERT pet VALUES (1)", ERROR_SYNTAX, 8 },
	{ "INSERT INTO pet", ERROR_SYNTAX, 16 },
	{ "INSERT INTO pet (id VALUES (1)", ERROR_SYNTAX, 21 },
	{ "UPDATE pet SET colour = 1", ERROR_UNKNOWN_COLUMN, 16 },
	{ "UPDATE pet SET name = colour", ERROR_UNKNOWN_COLUMN, 23 },
	{ "UPDATE pet SET dog.name = 'x'", ERROR_UNKNOWN_COLUMN, 16 },
	{ "DELETE FROM pet WHERE nam = 'x'", ERROR_UNKNOWN_COLUMN, 23 },
	{ "INSERT INTO pet (colour) VALUES (1)", ERROR_UNKNOWN_COLUMN, 18 },
	{ "INSERT INTO pet (id) VALUES (id)", ERROR_UNKNOWN_COLUMN, 30 },
	{ "UPDATE cat SET name = 'x'", ERROR_UNKNOWN_TABLE, 8 },
	{ "UPDATE pet SET name = 'x', NAME = 'y'",
	  ERROR_DUPLICATE_ASSIGNMENT, 28 },
	{ "INSERT INTO pet (id, id) VALUES (1, 2)",
	  ERROR_DUPLICATE_ASSIGNMENT, 22 },
	{ "INSERT INTO pet VALUES (1, 'x')", ERROR_ARITY, 24 },
	{ "INSERT INTO pet (id) VALUES (1), (2, 3)", ERROR_ARITY, 34 },
	{ "INSERT INTO pet SELECT n FROM litter", ERROR_ARITY, 17 },
	{ "UPDATE pet SET id = 'x'", ERROR_TYPE_MISMATCH, 21 },
	{ "UPDATE pet SET born = 20240101", ERROR_TYPE_MISMATCH, 23 },
	{ "DELETE FROM pet WHERE id", ERROR_TYPE_MISMATCH, 23 },
	{ "INSERT INTO pet (born) SELECT called FROM litter",
	  ERROR_TYPE_MISMATCH, 31 },
	{ "INSERT INTO pet (id) VALUES (TRUE)", ERROR_TYPE_MISMATCH, 30 },
	{ "UPDATE pet SET id = 1 FROM litter", ERROR_UNSUPPORTED, 23 },
	{ "DELETE FROM pet USING litter", ERROR_UNSUPPORTED, 17 },
	{ "DELETE FROM pet RETURNING id", ERROR_UNSUPPORTED, 17 },
	{ "INSERT OVERWRITE pet VALUES (1)", ERROR_UNSUPPORTED, 8 },
	{ "INSERT INTO pet DEFAULT VALUES", ERROR_UNSUPPORTED, 17 },
	{ "INSERT INTO pet (id) VALUES (1) ON CONFLICT DO NOTHING",
	  ERROR_UNSUPPORTED, 33 },
};

START_TEST(a_wrong_change_is_refused_with_its_kind_and_place)
{
	ck_refused(&world, refused[_i].text, refused[_i].code, 1,
		   refused[_i].column);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bind_change");
	TCase *tc = tcase_create("bind_change");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, update_is_a_merge_without_source);
	tcase_add_test(tc, an_insert_that_reads_its_own_table_says_so);
	tcase_add_test(tc,
		an_update_may_name_itself_and_set_a_column_to_itself);
	tcase_add_test(tc, delete_is_a_merge_without_source);
	tcase_add_test(tc, insert_values_take_the_types_of_their_columns);
	tcase_add_test(tc, insert_select_assigns_by_position);
	tcase_add_test(tc,
		insert_from_a_file_types_columns_by_name_then_by_use);
	tcase_add_test(tc, insert_takes_a_query_in_parentheses_and_with);
	tcase_add_loop_test(tc,
		a_wrong_change_is_refused_with_its_kind_and_place, 0,
		(int)ARRAY_COUNT(refused));
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
