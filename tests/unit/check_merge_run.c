/*
 * The engine against a fake target: pages, paradigms, layouts, counts,
 * refusals. Column 0 and 1 are the target's k and v, 2 and 3 the source's.
 */
#include "unit/check_main.h"
#include "merge/merge.h"
#include "unit/fake_target.h"
#include "unit/expr_build.h"

static struct fake_target fake;
static struct merge_plan plan;
static struct merge_clause clauses[4];
static struct merge_key key;
static struct query_node source_node;
static struct schema source_schema;
static struct merge_options options;
static struct merge_result result;
static int64_t source_rows[4096][2];	/* INT64_MIN = NULL */
static size_t source_count;	/* at most BATCH_ROW_COUNT */

struct fake_source {
	struct batch_source base;
	bool taken;
};

struct fake_source_stream {
	struct batch_stream base;
	struct batch batch;
	bool has_rows;
};

static const struct schema *source_schema_of(const struct batch_source *s)
{
	(void)s;
	return &source_schema;
}

static size_t source_parallelism(const struct batch_source *s)
{
	(void)s;
	return 1;
}

static int source_next(struct batch_stream *stream, struct batch **out,
		       struct error *e)
{
	struct fake_source_stream *self = (struct fake_source_stream *)stream;

	*out = NULL;
	if (!self->has_rows || source_count == 0)
		return 0;
	self->has_rows = false;
	for (size_t i = 0; i < source_count; i++) {
		for (size_t c = 0; c < 2; c++) {
			struct literal value;

			value = literal_null(type_of(TYPE_BIGINT));
			value.is_null = source_rows[i][c] == INT64_MIN;
			value.value.int64 = source_rows[i][c];
			if (vector_append(&self->batch.columns[c], &value, e))
				return e->code;
		}
	}
	self->batch.row_count = source_count;
	*out = &self->batch;
	return 0;
}

static void source_stream_free(struct batch_stream *stream)
{
	batch_release(&((struct fake_source_stream *)stream)->batch);
	mem_free(stream);
}

static int source_stream_new(struct batch_source *s,
			     struct batch_stream **out, struct error *e)
{
	struct fake_source_stream *stream = mem_zalloc(sizeof(*stream));

	stream->base.next = source_next;
	stream->base.free = source_stream_free;
	stream->has_rows = !((struct fake_source *)s)->taken;
	((struct fake_source *)s)->taken = true;
	*out = &stream->base;
	return batch_init(&stream->batch, &source_schema, e);
}

static void source_free(struct batch_source *s)
{
	mem_free(s);
}

static int open_fake_source(void *context, const struct merge_plan *p,
			    struct batch_source **out, struct error *e)
{
	struct fake_source *s = mem_zalloc(sizeof(*s));

	(void)context;
	(void)p;
	(void)e;
	s->base.schema = source_schema_of;
	s->base.parallelism = source_parallelism;
	s->base.stream_new = source_stream_new;
	s->base.free = source_free;
	*out = &s->base;
	return 0;
}

static struct expr *column(size_t i)
{
	return expr_column(&arena, i, type_of(TYPE_BIGINT));
}

static struct expr *number(int64_t value)
{
	struct literal l = literal_null(type_of(TYPE_BIGINT));

	l.is_null = false;
	l.value.int64 = value;
	return expr_literal(&arena, &l);
}

/* Add a clause; v NULL = not assigned, k the source's for an INSERT. */
static void add_clause(enum merge_match match, enum row_operation operation,
		       struct expr *condition, struct expr *v)
{
	struct merge_clause *clause = &clauses[plan.clause_count++];

	clause->match = match;
	clause->operation = operation;
	clause->condition = condition;
	clause->values = arena_zalloc_array(&arena, 2, sizeof(struct expr *));
	clause->values[1] = v;
	if (operation == OPERATION_INSERT)
		clause->values[0] = column(2);
}

static void setup(void)
{
	error_init(&err);
	arena_init(&arena, 0);
	fake_target_init(&fake, &err);
	memset(&plan, 0, sizeof(plan));
	memset(clauses, 0, sizeof(clauses));
	memset(&options, 0, sizeof(options));
	memset(&source_node, 0, sizeof(source_node));
	source_count = 0;
	schema_init(&source_schema);
	ck_ok(schema_add_column(&source_schema, "k", type_of(TYPE_BIGINT),
				&err));
	ck_ok(schema_add_column(&source_schema, "v", type_of(TYPE_BIGINT),
				&err));
	source_node.kind = QUERY_VALUES;
	source_node.schema = &source_schema;
	key.target = column(0);
	key.source = column(2);
	key.null_safe = false;
	plan.statement = STATEMENT_MERGE;
	plan.target = &fake.base;
	plan.target_name = "fake";
	plan.target_column_count = 2;
	plan.source = &source_node;
	plan.source_column_count = 2;
	plan.keys = &key;
	plan.key_count = 1;
	plan.clauses = clauses;
	options.thread_count = 1;	/* the fake has one list of changes */
	options.source_open = open_fake_source;
	fake_target_add(&fake, 1, 10);
	fake_target_add(&fake, 2, 20);
	fake_target_add(&fake, 3, 30);
}

static void teardown(void)
{
	merge_result_release(&result);
	schema_release(&source_schema);
	fake_target_release(&fake);
	arena_release(&arena);
}

static void source_add(int64_t k, int64_t v)
{
	source_rows[source_count][0] = k;
	source_rows[source_count++][1] = v;
}

START_TEST(an_update_is_a_delete_and_a_derived_insert)
{
	add_clause(WHEN_MATCHED, OPERATION_UPDATE, NULL, column(3));
	source_add(2, 21);
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert_str_eq(fake.changes.data, "2 0 1 - - 0;1 0 1 2 21 1;");
	ck_assert_uint_eq(result.rows_updated, 1);
	ck_assert_uint_eq(result.rows_inserted, 0);
	ck_assert_uint_eq(result.rows_deleted, 0);
}
END_TEST

START_TEST(copy_on_write_keeps_an_update_as_one_row_of_what_it_sets)
{
	fake.paradigm = CHANGE_ONLY_UPDATED_COLUMNS;
	add_clause(WHEN_MATCHED, OPERATION_UPDATE, NULL, column(3));
	source_add(2, 21);
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert_str_eq(fake.changes.data, "3 0 1 - 21 0;");
}
END_TEST

START_TEST(calls_come_in_the_order_of_the_interface)
{
	add_clause(WHEN_MATCHED, OPERATION_DELETE, NULL, NULL);
	source_add(3, 0);
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert_str_eq(fake.calls, "row_id;paradigm;begin;scan;sink;"
			 "sink_finish;finish;");
}
END_TEST

START_TEST(a_target_without_the_interface_is_not_supported)
{
	fake.ops.row_change_paradigm = NULL;
	add_clause(WHEN_MATCHED, OPERATION_DELETE, NULL, NULL);
	ck_assert_int_eq(merge_run(&plan, &options, &result, &err),
			 ERROR_NOT_SUPPORTED);
	ck_assert(!fake.finished && !fake.aborted);
}
END_TEST

START_TEST(a_delete_fills_only_the_layout_columns)
{
	fake.update_columns[0] = 0;
	fake.update_column_count = 1;
	add_clause(WHEN_MATCHED, OPERATION_DELETE, NULL, NULL);
	source_add(3, 0);
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert_str_eq(fake.changes.data, "2 0 2 3 - 0;");
}
END_TEST

START_TEST(the_insert_layout_serves_where_there_is_no_update_layout)
{
	fake.insert_columns[0] = 1;
	fake.insert_column_count = 1;
	add_clause(WHEN_MATCHED, OPERATION_DELETE, NULL, NULL);
	source_add(3, 0);
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert_str_eq(fake.changes.data, "2 0 2 - 30 0;");
}
END_TEST

START_TEST(the_first_true_clause_takes_a_row)
{
	add_clause(WHEN_MATCHED, OPERATION_DELETE,
		   call2("<", column(3), number(5)), NULL);
	add_clause(WHEN_MATCHED, OPERATION_UPDATE,
		   call2("<", column(3), number(50)), column(3));
	add_clause(WHEN_NOT_MATCHED, OPERATION_INSERT,
		   call2(">", column(3), number(0)), column(3));
	source_add(1, 4);
	source_add(2, 40);
	source_add(3, 400);
	source_add(4, 44);
	source_add(5, INT64_MIN);
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert_str_eq(fake.changes.data, "2 0 0 - - 0;2 1 1 - - 0;"
			 "1 1 1 2 40 1;1 2 - 4 44 0;");
	ck_assert_uint_eq(result.rows_read, 5);
	ck_assert_uint_eq(result.rows_no_action, 2);
	ck_assert_uint_eq(result.clauses[2].rows, 1);
}
END_TEST

START_TEST(an_update_to_the_same_value_writes_nothing)
{
	add_clause(WHEN_MATCHED, OPERATION_UPDATE, NULL, column(3));
	source_add(1, 10);
	source_add(2, 20);
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert_uint_eq(result.rows_unchanged, 2);
	ck_assert_uint_eq(result.rows_updated, 0);
	ck_assert_int_eq(result.outcome.version_after, 1);
	ck_assert_uint_eq(fake.changes.length, 0);
}
END_TEST

START_TEST(two_source_rows_for_one_target_row_are_refused)
{
	add_clause(WHEN_MATCHED, OPERATION_UPDATE, NULL, column(3));
	source_add(2, 21);
	source_add(2, 22);
	ck_assert_int_eq(merge_run(&plan, &options, &result, &err),
			 ERROR_DUPLICATE_MATCH);
	ck_assert_ptr_nonnull(strstr(err.text, "k = 2"));
	ck_assert(fake.aborted && !fake.finished);
}
END_TEST

START_TEST(a_second_match_that_no_clause_takes_is_no_collision)
{
	add_clause(WHEN_MATCHED, OPERATION_UPDATE,
		   call2(">", column(3), number(21)), column(3));
	source_add(2, 21);
	source_add(2, 22);
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert_uint_eq(result.rows_updated, 1);
}
END_TEST

START_TEST(by_case_two_clauses_may_act_on_one_row)
{
	options.duplicate_match_by_case = true;
	add_clause(WHEN_MATCHED, OPERATION_DELETE,
		   call2("=", column(3), number(21)), NULL);
	add_clause(WHEN_MATCHED, OPERATION_UPDATE, NULL, column(3));
	source_add(2, 21);
	source_add(2, 22);
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert_uint_eq(result.rows_updated, 1);
	ck_assert_uint_eq(result.rows_deleted, 1);
}
END_TEST

START_TEST(null_keys_match_nothing_unless_null_safe)
{
	add_clause(WHEN_MATCHED, OPERATION_DELETE, NULL, NULL);
	add_clause(WHEN_NOT_MATCHED, OPERATION_INSERT, NULL, column(3));
	source_add(INT64_MIN, 5);
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert_str_eq(fake.changes.data, "1 1 - - 5 0;");
}
END_TEST

START_TEST(by_source_clauses_see_rows_without_a_match)
{
	add_clause(WHEN_NOT_MATCHED_BY_SOURCE, OPERATION_UPDATE,
		   call2(">", column(1), number(10)), number(0));
	source_add(3, 1);
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert_str_eq(fake.changes.data, "2 0 1 - - 0;1 0 1 2 0 1;");
}
END_TEST

START_TEST(an_empty_source_does_not_run_a_by_source_clause_unasked)
{
	add_clause(WHEN_NOT_MATCHED_BY_SOURCE, OPERATION_DELETE, NULL, NULL);
	ck_assert_int_eq(merge_run(&plan, &options, &result, &err),
			 ERROR_GUARD_EMPTY_SOURCE);
	options.allow_empty_source = true;
	error_init(&err);
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert_uint_eq(result.rows_deleted, 3);
}
END_TEST

START_TEST(no_equated_columns_join_by_nested_loop)
{
	plan.key_count = 0;
	plan.residual = call2(">", column(0), column(2));
	add_clause(WHEN_MATCHED, OPERATION_UPDATE, NULL, column(3));
	source_add(2, 7);
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert_str_eq(fake.changes.data, "2 0 2 - - 0;1 0 2 3 7 1;");
}
END_TEST

START_TEST(a_statement_inserts_no_primary_key_twice)
{
	static const size_t identifier[] = { 0 };

	plan.identifier_columns = identifier;
	plan.identifier_count = 1;
	plan.on_is_false = true;
	add_clause(WHEN_NOT_MATCHED, OPERATION_INSERT, NULL, column(3));
	source_add(7, 1);
	source_add(8, 2);
	source_add(7, 3);
	ck_assert_int_eq(merge_run(&plan, &options, &result, &err),
			 ERROR_DUPLICATE_KEY);
	ck_assert_ptr_nonnull(strstr(err.text, "k = 7"));
	ck_assert(fake.aborted);
}
END_TEST

START_TEST(explain_shows_both_pages_and_untaken_rows)
{
	struct text out = TEXT_INIT;

	options.explain_rows = 100;
	options.explain_out = &out;
	options.dry_run = true;
	add_clause(WHEN_MATCHED, OPERATION_UPDATE, NULL, column(3));
	source_add(2, 21);
	source_add(9, 90);
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert_ptr_nonnull(strstr(out.data, "\"case_row\":[2,21,true,3,0]"));
	ck_assert_ptr_nonnull(strstr(out.data,
				     "\"case_row\":[null,null,false,-1,-1]"));
	ck_assert_ptr_nonnull(strstr(out.data, "\"insert_from_update\":1"));
	text_release(&out);
}
END_TEST

START_TEST(explain_shows_where_an_untaken_row_lies)
{
	struct text out = TEXT_INIT;

	options.explain_rows = 100;
	options.explain_out = &out;
	options.dry_run = true;
	fake.update_columns[0] = 1;
	fake.update_column_count = 1;
	add_clause(WHEN_MATCHED, OPERATION_UPDATE,
		   call2(">", column(3), number(50)), column(3));
	source_add(2, 21);
	source_add(3, 99);
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert_ptr_nonnull(strstr(out.data,
				     "\"case_row\":[null,20,true,-1,-1]"));
	ck_assert_ptr_nonnull(strstr(out.data, "\"redistribution\":[20]"));
	text_release(&out);
}
END_TEST

START_TEST(units_of_inserts_follow_those_of_the_scan)
{
	fake.unit = 77;
	add_clause(WHEN_MATCHED, OPERATION_UPDATE, NULL, column(3));
	add_clause(WHEN_NOT_MATCHED, OPERATION_INSERT, NULL, column(3));
	source_add(2, 21);
	source_add(9, 90);
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert(!fake.units_go_down);
	ck_assert_uint_ge(fake.last_unit, 77);
}
END_TEST

START_TEST(late_columns_are_fetched_for_matched_rows_only)
{
	add_clause(WHEN_MATCHED, OPERATION_UPDATE, NULL, column(3));
	source_add(9, 90);
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert_uint_eq(fake.fetches, 0);
}
END_TEST

/* 4000 source rows against the target: every clause kind. */
static void add_many(void)
{
	fake.row_count = 0;
	for (int64_t i = 0; i < 2000; i++)
		fake_target_add(&fake, 2 * i, i);
	for (int64_t i = 0; i < 4000; i++)
		source_add(i < 3000 ? i : INT64_MIN, i);
	add_clause(WHEN_MATCHED, OPERATION_UPDATE, NULL, column(3));
	add_clause(WHEN_NOT_MATCHED, OPERATION_INSERT, NULL, column(3));
	add_clause(WHEN_NOT_MATCHED_BY_SOURCE, OPERATION_DELETE, NULL, NULL);
}

/* Sum over change rows that does not depend on their order. */
static uint64_t digest_changes(void)
{
	uint64_t sum = 0;
	char *next = fake.changes.data, *row;

	while ((row = strsep(&next, ";")))
		sum += hash_xxh64(row, strlen(row), 0);
	return sum;
}

START_TEST(a_source_past_memory_gives_the_same_rows)
{
	uint64_t digest;

	add_many();
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert_uint_eq(result.rows_updated, 1499);
	ck_assert_uint_eq(result.rows_unchanged, 1);
	ck_assert_uint_eq(result.rows_inserted, 2500);
	ck_assert_uint_eq(result.rows_deleted, 500);
	ck_assert_uint_eq(result.spilled_bytes, 0);
	digest = digest_changes();
	merge_result_release(&result);
	text_reset(&fake.changes);
	options.memory_bytes = 65536;
	options.spill_directory = "/tmp";
	ck_ok(merge_run(&plan, &options, &result, &err));
	ck_assert_uint_gt(result.spilled_bytes, 0);
	ck_assert_uint_eq(result.rows_updated, 1499);
	ck_assert_uint_eq(result.rows_inserted, 2500);
	ck_assert_uint_eq(result.rows_deleted, 500);
	ck_assert_uint_eq(result.rows_no_action, 0);
	ck_assert_uint_eq(digest_changes(), digest);
}
END_TEST

START_TEST(a_nested_loop_past_memory_is_refused)
{
	add_many();
	plan.key_count = 0;
	options.memory_bytes = 65536;
	ck_assert_int_eq(merge_run(&plan, &options, &result, &err),
			 ERROR_NO_MEMORY);
	ck_assert(fake.aborted);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("merge_run");
	TCase *tc = tcase_create("merge_run");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, an_update_is_a_delete_and_a_derived_insert);
	tcase_add_test(tc, copy_on_write_keeps_an_update_as_one_row_of_what_it_sets);
	tcase_add_test(tc, calls_come_in_the_order_of_the_interface);
	tcase_add_test(tc, a_target_without_the_interface_is_not_supported);
	tcase_add_test(tc, a_delete_fills_only_the_layout_columns);
	tcase_add_test(tc,
		       the_insert_layout_serves_where_there_is_no_update_layout);
	tcase_add_test(tc, the_first_true_clause_takes_a_row);
	tcase_add_test(tc, an_update_to_the_same_value_writes_nothing);
	tcase_add_test(tc, two_source_rows_for_one_target_row_are_refused);
	tcase_add_test(tc,
		       a_second_match_that_no_clause_takes_is_no_collision);
	tcase_add_test(tc, by_case_two_clauses_may_act_on_one_row);
	tcase_add_test(tc, null_keys_match_nothing_unless_null_safe);
	tcase_add_test(tc, by_source_clauses_see_rows_without_a_match);
	tcase_add_test(tc,
		an_empty_source_does_not_run_a_by_source_clause_unasked);
	tcase_add_test(tc, no_equated_columns_join_by_nested_loop);
	tcase_add_test(tc, a_statement_inserts_no_primary_key_twice);
	tcase_add_test(tc, explain_shows_both_pages_and_untaken_rows);
	tcase_add_test(tc, explain_shows_where_an_untaken_row_lies);
	tcase_add_test(tc, units_of_inserts_follow_those_of_the_scan);
	tcase_add_test(tc, late_columns_are_fetched_for_matched_rows_only);
	tcase_add_test(tc, a_source_past_memory_gives_the_same_rows);
	tcase_add_test(tc, a_nested_loop_past_memory_is_refused);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
