#include "unit/check_main.h"
#include "unit/sql_world.h"

static const struct world_table tables[] = {
	{ "stock", "sku VARCHAR, shelf INTEGER NOT NULL DEFAULT 7, "
	  "amount DECIMAL(10,2), seen TIMESTAMP", NULL },
	{ "delivery", "sku VARCHAR, shelf BIGINT, amount DECIMAL(12,4), "
	  "fresh BOOLEAN, day DATE, note VARCHAR", NULL },
	{ "ledger", "acct BIGINT PRIMARY KEY, part INTEGER PRIMARY KEY, "
	  "sum DOUBLE", NULL },
	{ "a.b.deep", "k INTEGER, v INTEGER", NULL },
	{ "feed", NULL, "sku,shelf,op,qty,flag,price,extra" },
	{ "half", "sku VARCHAR, amount INTEGER", NULL },
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

#define MERGE_STOCK "MERGE INTO stock t USING delivery s ON "
/* columns: stock 0..3, delivery 4..9 */

static const struct {
	const char *on;
	const char *keys;	/* target=source;  ~ for null-safe */
	const char *target_only, *source_only, *residual;
	bool is_false;
} ons[] = {
	{ "t.sku = s.sku", "#0=#4;", "-", "-", "-", false },
	{ "s.sku = t.sku", "#0=#4;", "-", "-", "-", false },
	{ "t.sku = s.sku AND (t.shelf = s.shelf)",
	  "#0=#4;(cast #1 BIGINT)=#5;", "-", "-", "-", false },
	{ "t.amount = s.amount",
	  "(cast #2 DECIMAL(12,4))=#6;", "-", "-", "-", false },
	{ "t.sku IS NOT DISTINCT FROM s.sku", "#0~#4;", "-", "-", "-",
	  false },
	{ "t.sku IS DISTINCT FROM s.sku", "", "-", "-",
	  "(is distinct from #0 #4)", false },
	{ "upper(t.sku) = lower(s.sku)", "(upper #0)=(lower #4);", "-", "-",
	  "-", false },
	{ "t.shelf + 1 = s.shelf", "(cast (+ #1 1) BIGINT)=#5;", "-", "-",
	  "-", false },
	{ "t.sku = s.sku AND t.shelf > 3 AND s.fresh", "#0=#4;", "(> #1 3)",
	  "#7", "-", false },
	{ "t.shelf > 3 AND t.shelf < 9", "", "(and (> #1 3) (< #1 9))", "-",
	  "-", false },
	{ "t.sku = s.sku AND t.sku = 'x' AND s.note = s.sku", "#0=#4;",
	  "(= #0 'x')", "(= #9 #4)", "-", false },
	{ "t.sku = s.sku OR s.fresh", "", "-", "-", "(or (= #0 #4) #7)",
	  false },
	{ "t.shelf < s.shelf", "", "-", "-", "(< (cast #1 BIGINT) #5)",
	  false },
	{ "t.shelf = s.shelf + t.shelf", "", "-", "-",
	  "(= (cast #1 BIGINT) (+ #5 (cast #1 BIGINT)))", false },
	{ "TRUE", "", "-", "-", "-", false },
	{ "1 = 1 AND 'a' < 'b'", "", "-", "-", "-", false },
	{ "FALSE", "", "-", "-", "-", true },
	{ "NULL", "", "-", "-", "-", true },
	{ "1 > 2", "", "-", "-", "-", true },
	{ "seen < day", "", "-", "-", "(< #3 (cast #8 TIMESTAMP))", false },
};

static void dump_keys(const struct merge_plan *plan, struct text *out)
{
	text_add_str(out, "");
	for (size_t i = 0; i < plan->key_count; i++) {
		world_dump(plan->keys[i].target, out);
		text_add_char(out, plan->keys[i].null_safe ? '~' : '=');
		world_dump(plan->keys[i].source, out);
		text_add_char(out, ';');
	}
}

START_TEST(on_is_split_into_keys_and_what_each_side_can_test)
{
	struct text text = TEXT_INIT, keys = TEXT_INIT;
	const struct merge_plan *plan;

	text_addf(&text, MERGE_STOCK "%s WHEN MATCHED THEN DELETE",
		  ons[_i].on);
	ck_bound(&world, text.data);
	plan = world.statement->merge;
	dump_keys(plan, &keys);
	ck_assert_msg(!strcmp(keys.data ? keys.data : "", ons[_i].keys),
		      "%s: keys %s", ons[_i].on, keys.data);
	ck_dump(plan->target_only, ons[_i].target_only);
	ck_dump(plan->source_only, ons[_i].source_only);
	ck_dump(plan->residual, ons[_i].residual);
	ck_assert_int_eq(plan->on_is_false, ons[_i].is_false);
	text_release(&text);
	text_release(&keys);
}
END_TEST

START_TEST(the_documented_statement_runs_word_for_word)
{
	static const struct world_table accounts[] = {
		{ "accounts", "customer VARCHAR, purchases DECIMAL, "
		  "address VARCHAR", NULL },
		{ "monthly_accounts_update", NULL,
		  "customer,purchases,address" },
		{ NULL, NULL, NULL },
	};
	const struct merge_clause *clauses;

	world.tables = accounts;
	ck_bound(&world,
		"MERGE INTO accounts t USING monthly_accounts_update s\n"
		"    ON (t.customer = s.customer)\n"
		"    WHEN MATCHED AND s.address = 'Berkeley' THEN\n"
		"        DELETE\n"
		"    WHEN MATCHED AND s.customer = 'Joe Shmoe' THEN\n"
		"        UPDATE SET purchases = purchases + 100.0\n"
		"    WHEN MATCHED THEN\n"
		"        UPDATE\n"
		"            SET purchases = s.purchases + t.purchases, "
		"address = s.address\n"
		"    WHEN NOT MATCHED THEN\n"
		"        INSERT (customer, purchases, address)\n"
		"            VALUES (s.customer, s.purchases, s.address);\n");
	ck_assert_uint_eq(world.statement->merge->key_count, 1);
	ck_assert_uint_eq(world.statement->merge->clause_count, 4);
	clauses = world.statement->merge->clauses;
	ck_assert_int_eq(clauses[0].operation, OPERATION_DELETE);
	ck_dump(clauses[0].condition, "(= #5 'Berkeley')");
	ck_dump(clauses[1].values[0], "-");
	ck_dump(clauses[1].values[1],
		"(cast! (+ #1 DECIMAL '100.0') DECIMAL(38,0))");
	ck_dump(clauses[2].values[1], "(+ #4 #1)");
	ck_dump(clauses[2].values[2], "#5");
	ck_assert_int_eq(clauses[3].match, WHEN_NOT_MATCHED);
	ck_dump(clauses[3].values[1], "#4");
	/* the file's columns took the table's types */
	ck_assert_int_eq(world.statement->merge->source->schema->columns[1]
				 .type.precision, 38);
	ck_assert_uint_eq(clauses[3].line, 10);
	ck_assert_uint_eq(clauses[3].position, 5);
}
END_TEST

START_TEST(every_kind_of_clause_keeps_its_place_and_operation)
{
	static const struct {
		enum merge_match match;
		enum row_operation operation;
	} kinds[] = {
		{ WHEN_MATCHED, OPERATION_NONE },
		{ WHEN_MATCHED, OPERATION_UPDATE },
		{ WHEN_NOT_MATCHED, OPERATION_INSERT },
		{ WHEN_NOT_MATCHED, OPERATION_NONE },
		{ WHEN_NOT_MATCHED, OPERATION_INSERT },
		{ WHEN_NOT_MATCHED_BY_SOURCE, OPERATION_UPDATE },
		{ WHEN_NOT_MATCHED_BY_SOURCE, OPERATION_DELETE },
	};
	const struct merge_clause *clauses;

	ck_bound(&world, MERGE_STOCK "t.sku = s.sku\n"
		"WHEN MATCHED AND s.fresh THEN DO NOTHING\n"
		"WHEN MATCHED THEN UPDATE SET t.amount = s.amount\n"
		"WHEN NOT MATCHED BY TARGET AND fresh THEN INSERT (sku) "
		"VALUES (note)\n"
		"WHEN NOT MATCHED AND 1 > 2 THEN DO NOTHING\n"
		"WHEN NOT MATCHED AND TRUE THEN INSERT (sku, shelf) "
		"VALUES (DEFAULT, DEFAULT)\n"
		"WHEN NOT MATCHED BY SOURCE AND shelf > 2 THEN UPDATE "
		"SET shelf = shelf - 1, seen = NULL\n"
		"WHEN NOT MATCHED BY SOURCE THEN DELETE");
	clauses = world.statement->merge->clauses;
	ck_assert_uint_eq(world.statement->merge->clause_count,
			  ARRAY_COUNT(kinds));
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		ck_assert_int_eq(clauses[i].match, kinds[i].match);
		ck_assert_int_eq(clauses[i].operation, kinds[i].operation);
		ck_assert_uint_eq(clauses[i].line, i + 2);
	}
	ck_dump(clauses[1].values[2], "(cast! #6 DECIMAL(10,2))");
	ck_dump(clauses[2].condition, "#7");
	ck_dump(clauses[2].values[0], "#9");
	ck_dump(clauses[2].values[1], "7");
	ck_dump(clauses[2].values[3], "NULL:TIMESTAMP");
	ck_dump(clauses[3].condition, "false");
	ck_dump(clauses[4].condition, "-");
	ck_dump(clauses[4].values[0], "NULL:VARCHAR");
	ck_dump(clauses[4].values[1], "7");
	ck_dump(clauses[5].condition, "(> #1 2)");
	ck_dump(clauses[5].values[1], "(- #1 1)");
	ck_dump(clauses[5].values[3], "NULL:TIMESTAMP");
	ck_dump(clauses[5].values[0], "-");
}
END_TEST

START_TEST(stars_pair_columns_by_name)
{
	static const struct world_table pair[] = {
		{ "t", "a INTEGER, b VARCHAR", NULL },
		{ "s", "x DATE, B VARCHAR, A BIGINT", NULL },
		{ NULL, NULL, NULL },
	};
	const struct merge_clause *clauses;

	world.tables = pair;
	ck_bound(&world, "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN "
		 "UPDATE SET * WHEN NOT MATCHED THEN INSERT *");
	clauses = world.statement->merge->clauses;
	ck_dump(clauses[0].values[0], "(cast! #4 INTEGER)");
	ck_dump(clauses[0].values[1], "#3");
	ck_dump(clauses[1].values[0], "(cast! #4 INTEGER)");
	ck_assert(!world.statement->merge->source_used[0]);
	ck_assert(world.statement->merge->source_used[1]);
	ck_assert(world.statement->merge->source_used[2]);
}
END_TEST

START_TEST(only_source_columns_that_something_reads_are_marked)
{
	static const bool expected[] = { true, false, true, true, false,
					 true };

	ck_bound(&world, MERGE_STOCK "t.sku = s.sku AND s.fresh "
		 "WHEN MATCHED AND s.note = 'n' THEN UPDATE SET "
		 "amount = s.amount");
	for (size_t i = 0; i < ARRAY_COUNT(expected); i++)
		ck_assert_int_eq(world.statement->merge->source_used[i],
				 expected[i]);
}
END_TEST

START_TEST(a_bare_assigned_name_is_the_targets_old_value)
{
	ck_bound(&world, MERGE_STOCK "t.sku = s.sku WHEN MATCHED THEN "
		 "UPDATE SET shelf = shelf + 1, amount = -amount");
	ck_dump(world.statement->merge->clauses[0].values[1], "(+ #1 1)");
	ck_dump(world.statement->merge->clauses[0].values[2],
		"(negate #2)");
}
END_TEST

START_TEST(a_primary_key_is_handed_on)
{
	ck_bound(&world, "MERGE INTO ledger l USING delivery d "
		 "ON l.acct = d.shelf WHEN MATCHED THEN DELETE");
	ck_assert_uint_eq(world.statement->merge->identifier_count, 2);
	ck_assert_uint_eq(world.statement->merge->identifier_columns[0], 0);
	ck_assert_uint_eq(world.statement->merge->identifier_columns[1], 1);
}
END_TEST

START_TEST(a_table_without_alias_is_named_by_its_last_parts)
{
	ck_bound(&world, "MERGE INTO a.b.deep USING half ON deep.k = "
		 "half.amount AND b.deep.v = 1 AND a.b.deep.v < 5 "
		 "WHEN MATCHED THEN UPDATE SET deep.v = half.amount");
	ck_assert_uint_eq(world.statement->merge->key_count, 1);
	ck_assert_str_eq(world.statement->name, "a.b.deep");
	ck_refused(&world, "MERGE INTO a.b.deep d USING half ON deep.k = 1 "
		   "WHEN MATCHED THEN DELETE", ERROR_UNKNOWN_COLUMN, 1, 37);
}
END_TEST

START_TEST(files_calls_and_queries_are_sources_too)
{
	static const struct world_table files[] = {
		{ "stock", "sku VARCHAR, amount INTEGER", NULL },
		{ "in/x.csv", NULL, "sku,amount" },
		{ NULL, NULL, NULL },
	};
	struct sql_parameter parameter = { "file", "in/x.csv" };

	world.tables = files;
	ck_bound(&world, "MERGE INTO stock t USING 'in/x.csv' AS f ON "
		 "t.sku = f.sku WHEN MATCHED THEN DELETE");
	ck_assert_str_eq(world.last_name, "path:in/x.csv");
	ck_bound(&world, "MERGE INTO stock t USING READ_CSV('in/x.csv', "
		 "delimiter => '|', header => FALSE, skip_lines => 2) f ON "
		 "t.sku = f.sku WHEN MATCHED THEN DELETE");
	ck_assert_str_eq(world.last_options,
			 "delimiter=|;header=false;skip_lines=2;");
	world.options.parameters = &parameter;
	world.options.parameter_count = 1;
	ck_bound(&world, "MERGE INTO stock t USING :file f ON t.sku = f.sku "
		 "WHEN MATCHED THEN DELETE");
	ck_bound(&world, "WITH f AS (SELECT sku FROM 'in/x.csv') MERGE INTO "
		 "stock t USING (SELECT f.sku k FROM f) q(key) ON "
		 "t.sku = q.key WHEN MATCHED THEN DELETE");
	ck_assert_str_eq(world.last_name, "path:in/x.csv");
	ck_refused(&world, "MERGE INTO stock t USING read_csv('in/x.csv', "
		   "header => true, HEADER => false) f ON true "
		   "WHEN MATCHED THEN DELETE", ERROR_SYNTAX, 1, 63);
	ck_refused(&world, "MERGE INTO stock t USING generate('x') f ON true "
		   "WHEN MATCHED THEN DELETE", ERROR_UNSUPPORTED, 1, 26);
}
END_TEST

static const struct {
	const char *text;
	int code;
	uint64_t line, column;
} refused[] = {
	/* grammar */
	{ MERGE_STOCK "t.sku = s.sku", ERROR_SYNTAX, 1, 53 },
	{ "MERGE stock USING delivery ON true WHEN MATCHED THEN DELETE",
	  ERROR_SYNTAX, 1, 7 },
	{ "MERGE INTO stock ON true WHEN MATCHED THEN DELETE", ERROR_SYNTAX,
	  1, 18 },
	{ MERGE_STOCK "true\nWHEN MATCHED DELETE", ERROR_SYNTAX, 2, 14 },
	{ MERGE_STOCK "true\nWHEN MATCHED THEN INSERT (sku) VALUES ('a')",
	  ERROR_SYNTAX, 2, 19 },
	{ MERGE_STOCK "true\nWHEN NOT MATCHED THEN UPDATE SET shelf = 1",
	  ERROR_SYNTAX, 2, 23 },
	{ MERGE_STOCK "true\nWHEN NOT MATCHED THEN DELETE", ERROR_SYNTAX, 2,
	  23 },
	{ MERGE_STOCK "true\nWHEN NOT MATCHED BY SOURCE THEN INSERT *",
	  ERROR_SYNTAX, 2, 33 },
	{ MERGE_STOCK "true\nWHEN NOT MATCHED BY SOURCE THEN UPDATE SET *",
	  ERROR_SYNTAX, 2, 44 },
	{ MERGE_STOCK "true\nWHEN MATCHED BY SOURCE THEN DELETE",
	  ERROR_SYNTAX, 2, 14 },
	{ MERGE_STOCK "true\nWHEN NOT MATCHED THEN INSERT (sku) SELECT 'a'",
	  ERROR_SYNTAX, 2, 36 },
	{ MERGE_STOCK "true\nWHEN NOT MATCHED THEN INSERT (sku) VALUES "
	  "('a'), ('b')", ERROR_SYNTAX, 2, 48 },
	{ MERGE_STOCK "true\nWHEN MATCHED THEN DELETE WHERE t.shelf = 1",
	  ERROR_SYNTAX, 2, 26 },
	{ MERGE_STOCK "true\nWHEN MATCHED THEN UPDATE SET shelf = 1 x",
	  ERROR_SYNTAX, 2, 40 },
	{ MERGE_STOCK "true\nWHEN MATCHED THEN UPDATE shelf = 1",
	  ERROR_SYNTAX, 2, 26 },
	{ MERGE_STOCK "true\nWHEN MATCHED THEN UPDATE SET shelf = DEFAULT + 1",
	  ERROR_SYNTAX, 2, 46 },
	/* names */
	{ MERGE_STOCK "t.sku = s.skew WHEN MATCHED THEN DELETE",
	  ERROR_UNKNOWN_COLUMN, 1, 48 },
	{ MERGE_STOCK "x.sku = s.sku WHEN MATCHED THEN DELETE",
	  ERROR_UNKNOWN_COLUMN, 1, 40 },
	{ MERGE_STOCK "true\nWHEN MATCHED THEN UPDATE SET colour = 'red'",
	  ERROR_UNKNOWN_COLUMN, 2, 30 },
	{ MERGE_STOCK "true\nWHEN MATCHED THEN UPDATE SET s.shelf = 1",
	  ERROR_UNKNOWN_COLUMN, 2, 30 },
	{ MERGE_STOCK "true\nWHEN NOT MATCHED THEN INSERT (sku, colour) "
	  "VALUES ('a', 'b')", ERROR_UNKNOWN_COLUMN, 2, 36 },
	{ MERGE_STOCK "true\nWHEN NOT MATCHED THEN INSERT (sku) VALUES "
	  "(t.sku)", ERROR_UNKNOWN_COLUMN, 2, 44 },
	{ MERGE_STOCK "true\nWHEN NOT MATCHED AND seen IS NULL THEN DO "
	  "NOTHING", ERROR_UNKNOWN_COLUMN, 2, 22 },
	{ MERGE_STOCK "true\nWHEN NOT MATCHED BY SOURCE AND s.fresh THEN "
	  "DELETE", ERROR_UNKNOWN_COLUMN, 2, 32 },
	{ MERGE_STOCK "true\nWHEN NOT MATCHED BY SOURCE THEN UPDATE SET "
	  "sku = note", ERROR_UNKNOWN_COLUMN, 2, 50 },
	{ "MERGE INTO stock t USING half s ON true WHEN MATCHED THEN UPDATE "
	  "SET *", ERROR_UNKNOWN_COLUMN, 1, 59 },
	{ "MERGE INTO stock t USING half s ON true WHEN NOT MATCHED THEN "
	  "INSERT *", ERROR_UNKNOWN_COLUMN, 1, 63 },
	{ "MERGE INTO nowhere t USING half s ON true WHEN MATCHED THEN "
	  "DELETE", ERROR_UNKNOWN_TABLE, 1, 12 },
	{ "MERGE INTO stock t USING nothing s ON true WHEN MATCHED THEN "
	  "DELETE", ERROR_UNKNOWN_TABLE, 1, 26 },
	/* ambiguity */
	{ MERGE_STOCK "sku = note WHEN MATCHED THEN DELETE",
	  ERROR_AMBIGUOUS_COLUMN, 1, 40 },
	{ "MERGE INTO stock x USING delivery x ON x.sku = 'a' WHEN MATCHED "
	  "THEN DELETE", ERROR_AMBIGUOUS_COLUMN, 1, 40 },
	{ MERGE_STOCK "true\nWHEN MATCHED THEN UPDATE SET shelf = amount",
	  ERROR_AMBIGUOUS_COLUMN, 2, 38 },
	{ MERGE_STOCK "true\nWHEN MATCHED THEN UPDATE SET shelf = shelf",
	  ERROR_AMBIGUOUS_COLUMN, 2, 38 },
	{ MERGE_STOCK "true\nWHEN MATCHED THEN UPDATE SET shelf = (SHELF)",
	  ERROR_AMBIGUOUS_COLUMN, 2, 39 },
	{ MERGE_STOCK "true\nWHEN MATCHED AND shelf > 1 THEN DELETE",
	  ERROR_AMBIGUOUS_COLUMN, 2, 18 },
	{ "MERGE INTO stock t USING (SELECT sku, note AS sku FROM delivery) "
	  "s ON t.sku = s.sku WHEN MATCHED THEN DELETE",
	  ERROR_AMBIGUOUS_COLUMN, 1, 79 },
	/* counts */
	{ MERGE_STOCK "true\nWHEN MATCHED THEN UPDATE SET shelf = 1, "
	  "t.SHELF = 2", ERROR_DUPLICATE_ASSIGNMENT, 2, 41 },
	{ MERGE_STOCK "true\nWHEN NOT MATCHED THEN INSERT (sku, Sku) VALUES "
	  "('a', 'b')", ERROR_DUPLICATE_ASSIGNMENT, 2, 36 },
	{ MERGE_STOCK "true\nWHEN NOT MATCHED THEN INSERT (sku, shelf) "
	  "VALUES ('a')", ERROR_ARITY, 2, 50 },
	{ MERGE_STOCK "true\nWHEN NOT MATCHED THEN INSERT VALUES ('a', 1)",
	  ERROR_ARITY, 2, 37 },
	{ MERGE_STOCK "true\nWHEN NOT MATCHED THEN INSERT (sku) VALUES "
	  "('a', 1)", ERROR_ARITY, 2, 43 },
	{ "MERGE INTO stock t USING half s(a, b, c) ON true WHEN MATCHED "
	  "THEN DELETE", ERROR_ARITY, 1, 32 },
	/* types, also where nothing ever runs */
	{ MERGE_STOCK "t.shelf = s.sku WHEN MATCHED THEN DELETE",
	  ERROR_TYPE_MISMATCH, 1, 48 },
	{ MERGE_STOCK "t.shelf WHEN MATCHED THEN DELETE",
	  ERROR_TYPE_MISMATCH, 1, 40 },
	{ MERGE_STOCK "true\nWHEN MATCHED AND FALSE THEN UPDATE SET shelf = "
	  "s.note", ERROR_TYPE_MISMATCH, 2, 48 },
	{ MERGE_STOCK "FALSE\nWHEN MATCHED THEN UPDATE SET seen = '2024'",
	  ERROR_TYPE_MISMATCH, 2, 37 },
	{ MERGE_STOCK "true\nWHEN NOT MATCHED THEN INSERT (shelf) VALUES "
	  "(s.day)", ERROR_TYPE_MISMATCH, 2, 46 },
	{ MERGE_STOCK "true\nWHEN MATCHED AND s.note THEN DELETE",
	  ERROR_TYPE_MISMATCH, 2, 18 },
	/* what is not there yet */
	{ MERGE_STOCK "true\nWHEN MATCHED THEN UPDATE SET (sku, shelf) = "
	  "('a', 1)", ERROR_UNSUPPORTED, 2, 30 },
	/* a resolver that knows no files to write */
	{ "MERGE INTO 'x.csv' t USING half s ON true WHEN MATCHED THEN "
	  "DELETE", ERROR_NOT_SUPPORTED, 1, 12 },
};

START_TEST(a_wrong_merge_is_refused_with_its_kind_and_place)
{
	ck_refused(&world, refused[_i].text, refused[_i].code,
		   refused[_i].line, refused[_i].column);
	ck_assert_ptr_null(world.statement);
}
END_TEST

START_TEST(an_untyped_column_takes_the_type_of_its_use)
{
	const struct schema *schema;

	/* sku and shelf are typed by the table; the others by their use */
	ck_bound(&world, "MERGE INTO stock t USING feed f ON t.sku = f.sku "
		 "WHEN MATCHED AND f.op = 'D' THEN DELETE "
		 "WHEN MATCHED AND f.flag = true THEN UPDATE SET "
		 "amount = f.price, shelf = f.qty "
		 "WHEN NOT MATCHED AND f.price > 0 THEN INSERT (sku, amount) "
		 "VALUES (f.sku, f.price * 2)");
	schema = world.statement->merge->source->schema;
	ck_assert_int_eq(schema->columns[0].type.id, TYPE_VARCHAR);
	ck_assert_int_eq(schema->columns[1].type.id, TYPE_INTEGER);
	ck_assert_int_eq(schema->columns[2].type.id, TYPE_VARCHAR);
	ck_assert_int_eq(schema->columns[3].type.id, TYPE_INTEGER);
	ck_assert_int_eq(schema->columns[4].type.id, TYPE_BOOLEAN);
	ck_assert_int_eq(schema->columns[5].type.id, TYPE_DECIMAL);
	ck_assert_int_eq(schema->columns[5].type.precision, 10);
	ck_assert_int_eq(schema->columns[6].type.id, TYPE_VARCHAR);
	ck_assert_uint_eq(world.resolved, 1);
	ck_dump(world.statement->merge->clauses[1].values[2], "#9");
}
END_TEST

START_TEST(the_use_is_found_through_projections_unions_and_ctes)
{
	const struct relation *relation;

	ck_bound(&world, "WITH a AS (SELECT sku, qty AS n, price FROM feed), "
		 "b(k, n, p) AS (SELECT * FROM a UNION ALL SELECT 'x', "
		 "NULL, NULL) "
		 "MERGE INTO stock t USING (SELECT k, n, p FROM b) q ON "
		 "t.sku = q.k WHEN MATCHED THEN UPDATE SET amount = q.p, "
		 "shelf = CASE WHEN q.n IS NULL THEN NULL ELSE q.n END");
	relation = world.statement->relations[0];
	ck_assert_int_eq(relation->schema.columns[3].type.id, TYPE_INTEGER);
	ck_assert_int_eq(relation->schema.columns[5].type.id, TYPE_DECIMAL);
}
END_TEST

static const struct {
	const char *use;	/* of the untyped column op, a condition */
	const char *type;
} uses[] = {
	{ "f.op", "BOOLEAN" },
	{ "NOT f.op", "BOOLEAN" },
	{ "f.op = t.seen", "TIMESTAMP" },
	{ "t.amount < f.op", "DECIMAL(10,2)" },
	{ "f.op IN (DATE '2024-01-01', f.op)", "DATE" },
	{ "f.op BETWEEN 1 AND 5", "BIGINT" },
	{ "f.op > 1 AND t.shelf = f.op", "INTEGER" },
	{ "f.op LIKE 'a%'", "VARCHAR" },
	{ "f.op IS NULL", "VARCHAR" },
	{ "CASE f.op WHEN 'D' THEN TRUE END", "VARCHAR" },
	{ "COALESCE(f.op, t.seen) IS NULL", "TIMESTAMP" },
	{ "IF(f.qty = 1, f.op, NULL) = DATE '2024-01-01'", "DATE" },
	{ "NULLIF(f.op, 'x') IS NULL", "VARCHAR" },
	{ "CAST(f.op AS DATE) = DATE '2024-01-01'", "VARCHAR" },
	{ "f.op IS NOT DISTINCT FROM UUID "
	  "'550e8400-e29b-41d4-a716-446655440000'", "UUID" },
	{ "f.op = f.qty AND f.qty = 1e0", "DOUBLE" },
};

START_TEST(each_use_of_an_untyped_column_asks_for_this_type)
{
	struct text text = TEXT_INIT;
	char name[TYPE_NAME_BYTES];

	text_addf(&text, "MERGE INTO stock t USING feed f ON t.sku = f.sku "
		  "WHEN MATCHED AND %s THEN DELETE", uses[_i].use);
	ck_bound(&world, text.data);
	ck_assert_str_eq(type_name(&world.statement->relations[0]->schema
					    .columns[2].type, name),
			 uses[_i].type);
	text_release(&text);
}
END_TEST

START_TEST(two_types_for_one_untyped_column_are_a_mismatch)
{
	ck_refused(&world, "MERGE INTO stock t USING feed f ON t.sku = f.sku\n"
		   "WHEN MATCHED AND f.op = 'D' THEN DELETE\n"
		   "WHEN MATCHED AND f.op = 3 THEN DELETE",
		   ERROR_TYPE_MISMATCH, 3, 18);
	ck_assert_str_eq(world.err.field, "op");
	ck_assert_ptr_nonnull(strstr(world.err.text, "line 2"));
	ck_refused(&world, "MERGE INTO stock t USING feed f ON t.sku = f.sku\n"
		   "WHEN MATCHED THEN UPDATE SET amount = f.qty, "
		   "shelf = f.qty", ERROR_TYPE_MISMATCH, 2, 54);
}
END_TEST

START_TEST(untyped_columns_that_are_ordered_are_warned_of_once)
{
	ck_bound(&world, "MERGE INTO stock t USING feed f ON t.sku = f.sku\n"
		 "WHEN MATCHED AND f.op < f.qty AND f.qty > f.op THEN DELETE");
	ck_assert_uint_eq(world.statement->warning_count, 1);
	ck_assert_ptr_nonnull(strstr(world.statement->warnings[0],
				     "op and qty have no type"));
	ck_bound(&world, "MERGE INTO stock t USING feed f ON t.sku = f.sku\n"
		 "WHEN MATCHED AND f.op <> f.extra THEN DELETE\n"
		 "WHEN MATCHED AND f.op < 'D' AND t.amount > f.qty "
		 "THEN DELETE");
	ck_assert_uint_eq(world.statement->warning_count, 0);
}
END_TEST

START_TEST(a_parameter_is_typed_by_its_use)
{
	static const struct sql_parameter parameters[] = {
		{ "low", "12.5" }, { "key", "k'1" }, { "bad", "x" },
	};

	world.options.parameters = parameters;
	world.options.parameter_count = 3;
	ck_bound(&world, MERGE_STOCK "t.sku = s.sku AND t.amount > :LOW "
		 "WHEN MATCHED AND s.note = :key THEN UPDATE SET sku = :low");
	ck_dump(world.statement->merge->target_only,
		"(> #2 DECIMAL '12.50')");
	ck_dump(world.statement->merge->clauses[0].condition,
		"(= #9 'k''1')");
	ck_dump(world.statement->merge->clauses[0].values[0], "'12.5'");
	ck_refused(&world, MERGE_STOCK "t.shelf = :bad WHEN MATCHED THEN "
		   "DELETE", ERROR_CAST, 1, 50);
	ck_refused(&world, MERGE_STOCK "t.shelf = :none WHEN MATCHED THEN "
		   "DELETE", ERROR_UNSET_PARAMETER, 1, 50);
	ck_assert_ptr_nonnull(strstr(world.err.hint, "--param none="));
}
END_TEST

START_TEST(the_time_of_the_statement_is_a_constant)
{
	world.options.context.now_us = INT64_C(1706700000000000);
	ck_bound(&world, MERGE_STOCK "t.sku = s.sku AND t.seen > "
		 "localtimestamp AND s.day = current_date WHEN MATCHED AND "
		 "1 / 0 = s.shelf AND current_date < s.day THEN DELETE");
	ck_dump(world.statement->merge->target_only,
		"(> #3 TIMESTAMP '2024-01-31 11:20:00')");
	ck_dump(world.statement->merge->source_only,
		"(= #8 DATE '2024-01-31')");
	/* what fails, fails for the rows that reach it */
	ck_dump(world.statement->merge->clauses[0].condition,
		"(and (= (cast (/ 1 0) BIGINT) #5) "
		"(< DATE '2024-01-31' #8))");
}
END_TEST

START_TEST(each_failed_allocation_is_reported_and_nothing_leaks)
{
	static const char text[] = "WITH c AS (SELECT sku, qty FROM feed) "
		"MERGE INTO stock t USING c s ON t.sku = s.sku WHEN MATCHED "
		"AND s.qty > 1 THEN UPDATE SET amount = s.qty";
	long allocations, failures = 0;

	ck_bound(&world, text);
	mem_fail_at(1000000);
	ck_bound(&world, text);
	allocations = mem_alloc_count();
	ck_assert_int_gt(allocations, 5);
	for (long i = 0; i < allocations; i++) {
		int rc;

		world_forget(&world);
		mem_fail_at(i);
		rc = world_bind(&world, text);
		mem_fail_at(-1);
		ck_assert(rc == 0 || rc == ERROR_NO_MEMORY);
		failures += rc != 0;
	}
	ck_assert_int_gt(failures, 5);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bind_merge");
	TCase *tc = tcase_create("bind_merge");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc,
		on_is_split_into_keys_and_what_each_side_can_test, 0,
		(int)ARRAY_COUNT(ons));
	tcase_add_test(tc, the_documented_statement_runs_word_for_word);
	tcase_add_test(tc,
		every_kind_of_clause_keeps_its_place_and_operation);
	tcase_add_test(tc, stars_pair_columns_by_name);
	tcase_add_test(tc,
		only_source_columns_that_something_reads_are_marked);
	tcase_add_test(tc, a_bare_assigned_name_is_the_targets_old_value);
	tcase_add_test(tc, a_primary_key_is_handed_on);
	tcase_add_test(tc,
		a_table_without_alias_is_named_by_its_last_parts);
	tcase_add_test(tc, files_calls_and_queries_are_sources_too);
	tcase_add_loop_test(tc,
		a_wrong_merge_is_refused_with_its_kind_and_place, 0,
		(int)ARRAY_COUNT(refused));
	tcase_add_test(tc, an_untyped_column_takes_the_type_of_its_use);
	tcase_add_test(tc,
		the_use_is_found_through_projections_unions_and_ctes);
	tcase_add_loop_test(tc,
		each_use_of_an_untyped_column_asks_for_this_type, 0,
		(int)ARRAY_COUNT(uses));
	tcase_add_test(tc, two_types_for_one_untyped_column_are_a_mismatch);
	tcase_add_test(tc,
		       untyped_columns_that_are_ordered_are_warned_of_once);
	tcase_add_test(tc, a_parameter_is_typed_by_its_use);
	tcase_add_test(tc, the_time_of_the_statement_is_a_constant);
	tcase_add_test(tc,
		each_failed_allocation_is_reported_and_nothing_leaks);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
