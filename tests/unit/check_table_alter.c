/* check_table_alter.c - ALTER TABLE: one version, by races too */
#include "unit/target_world.h"

#include <errno.h>
#include <sys/wait.h>
#include "table/table_state.h"

#define NOW_US INT64_C(1700000002000000)

static struct target_world world;
static struct table *table;
static int64_t version;

static void setup(void)
{
	error_init(&err);
	interrupt_reset();
	scratch_make();
	table = NULL;
	version = 0;
}

static void teardown(void)
{
	mem_fail_at(-1);
	io_fail_at(-1, 0);
	table_free(table);
	scratch_remove();
}

static const struct schema *reopen(int64_t wanted)
{
	table_free(table);
	table = NULL;
	ck_ok(table_open(&table, "t", wanted, &err));
	return table_schema(table);
}

static struct table_change change_of(enum table_change_kind kind,
				     const char *const *name)
{
	struct table_change change;

	memset(&change, 0, sizeof(change));
	change.kind = kind;
	change.path.parts = name;
	change.path.count = *name ? 1 : 0;
	return change;
}

static struct table_change add_of(const char *name)
{
	static const char *const none[] = { NULL };
	struct table_change change = change_of(TABLE_ADD_COLUMN, none);

	change.column.name = (char *)name;
	change.column.type = type_of(TYPE_BIGINT);
	return change;
}

static int alter(const struct table_change *changes, size_t count)
{
	return table_alter("t", changes, count, NOW_US, &version, &err);
}

static const char *const col_v[] = { "v" }, *const col_s[] = { "s" };

/* Rows of ids from .. from + count - 1, each with v = its id. */
static void insert(int64_t from, int64_t count, int64_t value)
{
	struct change_options options = { .statement = STATEMENT_INSERT,
					  .is_blind = true };
	struct row_change changes[200];
	struct merge_outcome outcome;

	ck_assert_int_le(count, 200);
	for (int64_t i = 0; i < count; i++)
		changes[i] = (struct row_change){ .id = from + i,
			.op = OPERATION_INSERT,
			.value = value == NO_VALUE ? value : from + i };
	ck_ok(world_change(&world, changes, (size_t)count, &options,
			   &outcome));
	world_apply(&world, changes, (size_t)count);
}

START_TEST(several_changes_are_one_version)
{
	struct table_change c[3];
	struct table_version *versions;
	struct arena arena;
	size_t count;

	world_create(&world, "t", 2, NULL, 0);
	insert(0, 10, 0);
	c[0] = add_of("a");
	c[1] = change_of(TABLE_RENAME_COLUMN, col_v);
	c[1].name = "w";
	c[2] = change_of(TABLE_SET_PROPERTY, col_s);
	c[2].name = "owner";
	c[2].text = "me";
	ck_ok(alter(c, 3));
	ck_assert_int_eq(version, 3);
	ck_assert_uint_eq(reopen(0)->column_count, 4);
	ck_assert_str_eq(table_schema(table)->columns[1].name, "w");
	ck_assert_int_eq(table_schema(table)->columns[3].field_id, 4);
	ck_assert_int_eq(table_metadata_of(table)->last_updated_ms,
			 NOW_US / 1000);
	arena_init(&arena, 0);
	ck_ok(table_history(table, &arena, &versions, &count, &err));
	ck_assert_str_eq(versions[0].operation, "alter");
	ck_assert_int_eq(versions[0].parent, 2);
	ck_assert_int_eq(versions[0].snapshot_id, versions[1].snapshot_id);
	arena_release(&arena);
	/* the version before has its own columns */
	ck_assert_str_eq(reopen(2)->columns[1].name, "v");
	ck_assert_uint_eq(table_schema(table)->column_count, 3);
}
END_TEST

START_TEST(nothing_changed_is_no_version)
{
	struct table_change c[2];

	world_create(&world, "t", 2, NULL, 0);
	c[0] = change_of(TABLE_DROP_NOT_NULL, col_v);
	ck_ok(alter(c, 1));
	ck_assert_int_eq(version, 0);
	c[0] = add_of("v");
	c[0].if_not_exists = true;
	c[1] = change_of(TABLE_SET_TYPE, col_v);
	c[1].column.type = type_of(TYPE_BIGINT);
	ck_ok(alter(c, 2));
	ck_assert_int_eq(version, 0);
	reopen(0);
	ck_assert_int_eq(table_catalog(table)->version, 1);
}
END_TEST

START_TEST(a_refused_change_leaves_the_table)
{
	struct table_change c[2];

	world_create(&world, "t", 2, NULL, 0);
	c[0] = add_of("a");
	c[1] = add_of("A");
	ck_assert_int_eq(alter(c, 2), ERROR_COLUMN_EXISTS);
	ck_assert_int_eq(version, 0);
	c[1] = change_of(TABLE_SET_PROPERTY, col_v);
	c[1].name = "rowmerge.nonsense";
	c[1].text = "1";
	ck_assert_int_eq(alter(c, 2), ERROR_BAD_ARGUMENT);
	c[1].name = "rowmerge.default.2";
	c[1].text = "x";
	ck_assert_int_eq(alter(c, 2), ERROR_BAD_ARGUMENT);
	ck_assert_int_eq(alter(c, 0), ERROR_BAD_ARGUMENT);
	ck_assert_uint_eq(reopen(0)->column_count, 3);
}
END_TEST

START_TEST(of_many_changes_at_once_all_are_made)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
	int status;

	world_create(&world, "t", 2, NULL, 0);
	for (int i = 0; i < 6; i++)
		if (fork() == 0) {
			struct table_change c = add_of(names[i]);

			_exit(alter(&c, 1) ? 1 : 0);
		}
	for (int i = 0; i < 6; i++) {
		ck_assert_int_gt(wait(&status), 0);
		ck_assert(WIFEXITED(status) && !WEXITSTATUS(status));
	}
	ck_assert_uint_eq(reopen(0)->column_count, 9);
	ck_assert_int_eq(table_catalog(table)->version, 7);
	for (int32_t i = 0; i < 9; i++)
		ck_assert_int_eq(table_schema(table)->columns[i].field_id,
				 i + 1);
}
END_TEST

START_TEST(a_change_that_another_made_first_is_seen)
{
	int done = 0, status;

	world_create(&world, "t", 2, NULL, 0);
	for (int i = 0; i < 4; i++)
		if (fork() == 0) {
			struct table_change c = add_of("a");
			int rc = alter(&c, 1);

			_exit(rc == 0 ? 0 : rc == ERROR_COLUMN_EXISTS ? 1 : 2);
		}
	for (int i = 0; i < 4; i++) {
		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_lt(WEXITSTATUS(status), 2);
		done += WEXITSTATUS(status) == 0;
	}
	ck_assert_int_eq(done, 1);
}
END_TEST

START_TEST(not_null_looks_at_the_rows)
{
	struct table_change c = change_of(TABLE_SET_NOT_NULL, col_v);
	struct table_change added;

	world_create(&world, "t", 2 + _i, NULL, 0);
	insert(0, 100, 0);
	ck_ok(alter(&c, 1));
	ck_assert(reopen(0)->columns[1].required);
	c.kind = TABLE_DROP_NOT_NULL;
	ck_ok(alter(&c, 1));
	insert(100, 10, NO_VALUE);
	c.kind = TABLE_SET_NOT_NULL;
	ck_assert_int_eq(alter(&c, 1), ERROR_INCOMPATIBLE_CHANGE);
	/* a column that came after the rows has no counts: it is read */
	added = add_of("a");
	ck_ok(alter(&added, 1));
	c.path.parts = (const char *const[]){ "a" };
	ck_assert_int_eq(alter(&c, 1), ERROR_INCOMPATIBLE_CHANGE);
}
END_TEST

START_TEST(not_null_holds_for_rows_whose_nulls_are_deleted)
{
	struct change_options options = { .statement = STATEMENT_DELETE };
	struct table_change c = change_of(TABLE_SET_NOT_NULL, col_v);
	struct row_change gone = { .id = 100, .op = OPERATION_DELETE };
	struct merge_outcome outcome;

	world_create(&world, "t", 2 + _i, NULL, 0);
	insert(0, 100, 0);
	insert(100, 1, NO_VALUE);
	ck_ok(world_change(&world, &gone, 1, &options, &outcome));
	ck_ok(alter(&c, 1));
	ck_assert(reopen(0)->columns[1].required);
}
END_TEST

START_TEST(a_statement_that_read_the_old_columns_is_refused)
{
	struct change_options options = { .statement = STATEMENT_INSERT,
					  .is_blind = true };
	struct row_change own = { .id = 700, .op = OPERATION_INSERT,
				  .row_id = ROW_ID_NONE,
				  .lineage = INT64_MIN };
	struct table_change c[4];
	struct statement_run run;
	struct merge_outcome outcome;
	struct sort_term sort = { { col_v, 1 }, NULL, false, true, 0, 0 };

	c[0] = add_of("a");
	c[1] = change_of(TABLE_ADD_PARTITION_FIELD, col_v);
	c[1].term.column = c[1].path;
	c[1].term.transform = "bucket[2]";
	c[2] = change_of(TABLE_SET_SORT_ORDER, col_v);
	c[2].sort_terms = &sort;
	c[2].sort_term_count = 1;
	c[3] = change_of(TABLE_UPGRADE, col_v);
	c[3].format_version = 3;
	world_create(&world, "t", 2, NULL, 0);
	ck_ok(statement_begin(&run, "t", &options));
	ck_ok(alter(&c[_i], 1));
	ck_assert_int_eq(statement_finish(&run, &own, 1, &outcome),
			 _i == 3 ? ERROR_PROTOCOL_CHANGED
				 : ERROR_METADATA_CHANGED);
}
END_TEST

START_TEST(an_alter_does_not_mind_rows)
{
	struct table_change c = add_of("a");

	world_create(&world, "t", 2, NULL, 0);
	insert(0, 10, 0);
	ck_ok(alter(&c, 1));
	world_check(&world);
}
END_TEST

START_TEST(a_copy_of_a_table_is_not_changed)
{
	struct table_change c = add_of("a");

	world_create(&world, "o", 2, NULL, 0);
	ck_assert_int_eq(system("cp -r o t"), 0);
	ck_assert_int_eq(alter(&c, 1), ERROR_MOVED_TABLE);
	ck_assert_int_eq(table_alter("nix", &c, 1, NOW_US, &version, &err),
			 ERROR_UNKNOWN_TABLE);
}
END_TEST

START_TEST(each_failed_write_leaves_the_old_version)
{
	struct table_change c = add_of("a");
	bool done = false;

	world_create(&world, "t", 2, NULL, 0);
	for (long n = 0; !done; n++) {
		int rc;

		io_fail_at(n, ENOSPC);
		rc = alter(&c, 1);
		done = io_operation_count() <= n;
		io_fail_at(-1, 0);
		ck_assert_uint_eq(reopen(0)->column_count, rc ? 3 : 4);
		c.if_not_exists = true;
	}
	ck_assert_uint_eq(reopen(0)->column_count, 4);
}
END_TEST

START_TEST(a_new_table_is_laid_out_by_terms)
{
	struct table_create_options options = { 0 };
	struct partition_term terms[] = {
		{ { col_v, 1 }, "bucket[4]", NULL, 0, 0 },
		{ { col_s, 1 }, "identity", NULL, 0, 0 },
	};
	struct sort_term sort = { { col_s, 1 }, "truncate[3]", true, false, 0, 0 };
	const struct table_metadata *m;
	struct schema schema;

	schema_init(&schema);
	ck_ok(schema_add_column(&schema, "s", type_of(TYPE_VARCHAR), &err));
	ck_ok(schema_add_column(&schema, "v", type_of(TYPE_BIGINT), &err));
	options.schema = &schema;
	options.now_us = NOW_US;
	options.partition_terms = terms;
	options.partition_term_count = 2;
	options.sort_terms = &sort;
	options.sort_term_count = 1;
	ck_ok(table_create("t", &options, &version, &err));
	reopen(0);
	m = table_metadata_of(table);
	ck_assert_uint_eq(m->specs[0].field_count, 2);
	ck_assert_str_eq(m->specs[0].fields[0].name, "v_bucket_4");
	ck_assert_int_eq(m->specs[0].fields[0].source_id, 2);
	ck_assert_int_eq(m->specs[0].fields[0].field_id, 1000);
	ck_assert_int_eq(m->specs[0].fields[1].field_id, 1001);
	ck_assert_int_eq(m->default_sort_order_id, 1);
	ck_assert_int_eq(m->sort_orders[0].fields[0].source_id, 1);
	/* made anew: columns of other ids, the old spec stays */
	options.or_replace = true;
	options.partition_term_count = 1;
	ck_ok(table_create("t", &options, &version, &err));
	reopen(0);
	m = table_metadata_of(table);
	ck_assert_uint_eq(m->spec_count, 2);
	ck_assert_int_eq(m->default_spec_id, 1);
	ck_assert_int_eq(m->specs[1].fields[0].source_id, 4);
	ck_assert_int_eq(m->specs[1].fields[0].field_id, 1002);
	ck_assert_int_eq(m->default_sort_order_id, 2);
	ck_assert_int_eq(m->sort_orders[1].fields[0].source_id, 3);
	terms[0].transform = "day";
	ck_assert_int_eq(table_create("t", &options, &version, &err),
			 ERROR_TYPE_MISMATCH);
	options.or_replace = false;
	ck_assert_int_eq(table_create("u", &options, &version, &err),
			 ERROR_TYPE_MISMATCH);
	ck_assert(!path_is_directory("u"));
	schema_release(&schema);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("table_alter");
	TCase *tc = tcase_create("table_alter");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, several_changes_are_one_version);
	tcase_add_test(tc, nothing_changed_is_no_version);
	tcase_add_test(tc, a_refused_change_leaves_the_table);
	tcase_add_test(tc, of_many_changes_at_once_all_are_made);
	tcase_add_test(tc, a_change_that_another_made_first_is_seen);
	tcase_add_loop_test(tc, not_null_looks_at_the_rows, 0, 2);
	tcase_add_loop_test(tc,
			    not_null_holds_for_rows_whose_nulls_are_deleted,
			    0, 2);
	tcase_add_loop_test(tc,
			    a_statement_that_read_the_old_columns_is_refused,
			    0, 4);
	tcase_add_test(tc, an_alter_does_not_mind_rows);
	tcase_add_test(tc, a_copy_of_a_table_is_not_changed);
	tcase_add_test(tc, each_failed_write_leaves_the_old_version);
	tcase_add_test(tc, a_new_table_is_laid_out_by_terms);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
