/*
 * Merge pages into change pages, for both paradigms.
 */
#include "unit/check_main.h"
#include "merge/row_change_build.h"

static struct error err;
static struct row_change_builder *builder;
static struct vector values[2];
static const struct vector *columns[2] = { &values[0], &values[1] };
static uint64_t row_ids[5000];
static int64_t lineage[5000];
static struct merge_page page;
static struct change_page out[CHANGE_PAGE_LIMIT];
static size_t count;

static void setup(void)
{
	error_init(&err);
	builder = NULL;
	memset(&page, 0, sizeof(page));
	vector_init(&values[0], type_of(TYPE_BIGINT));
	vector_init(&values[1], type_of(TYPE_VARCHAR));
	page.row_count = 3;
	page.columns = columns;
	page.column_count = 2;
	page.row_id = row_ids;
	page.lineage_id = lineage;
	page.case_number = 4;
	page.unit = 12;
	for (size_t i = 0; i < 5000; i++)
		row_ids[i] = i * 10;
}

static void teardown(void)
{
	mem_fail_at(-1);
	row_change_builder_free(builder);
	vector_release(&values[0]);
	vector_release(&values[1]);
}

static void build(enum row_change_paradigm paradigm,
		  enum row_operation operation)
{
	if (!builder)
		ck_ok(row_change_builder_new(&builder, paradigm, &err));
	page.operation = operation;
	ck_ok(row_change_build(builder, &page, out, &count, &err));
}

static void check_page(const struct change_page *change,
		       enum row_operation operation, bool derived)
{
	ck_assert_uint_eq(change->row_count, page.row_count);
	ck_assert_uint_eq(change->column_count, 2);
	ck_assert_ptr_eq(change->row_id, row_ids);
	ck_assert_ptr_eq(change->lineage_id, lineage);
	ck_assert_uint_eq(change->unit, 12);
	for (size_t i = 0; i < change->row_count; i++) {
		ck_assert_int_eq(change->operation[i], operation);
		ck_assert_int_eq(change->case_number[i], 4);
		ck_assert_int_eq(change->insert_from_update[i], derived);
	}
}

START_TEST(an_update_becomes_a_delete_and_a_derived_insert)
{
	build(DELETE_ROW_AND_INSERT_ROW, OPERATION_UPDATE);
	ck_assert_uint_eq(count, 2);
	check_page(&out[0], OPERATION_DELETE, false);
	check_page(&out[1], OPERATION_INSERT, true);
	ck_assert_ptr_null(out[0].columns[0]->data);
	ck_assert_ptr_null(out[0].columns[1]->data);
	ck_assert_ptr_eq(out[1].columns, columns);
}
END_TEST

START_TEST(copy_on_write_keeps_the_update)
{
	build(CHANGE_ONLY_UPDATED_COLUMNS, OPERATION_UPDATE);
	ck_assert_uint_eq(count, 1);
	check_page(&out[0], OPERATION_UPDATE, false);
	ck_assert_ptr_eq(out[0].columns, columns);
}
END_TEST

START_TEST(inserts_and_deletes_stay_what_they_are)
{
	enum row_operation operation = _i & 1 ? OPERATION_INSERT
					      : OPERATION_DELETE;

	build(_i & 2 ? DELETE_ROW_AND_INSERT_ROW
		     : CHANGE_ONLY_UPDATED_COLUMNS, operation);
	ck_assert_uint_eq(count, 1);
	check_page(&out[0], operation, false);
	ck_assert_ptr_eq(out[0].columns, columns);
}
END_TEST

START_TEST(no_row_and_no_operation_give_no_page)
{
	build(DELETE_ROW_AND_INSERT_ROW, OPERATION_NONE);
	ck_assert_uint_eq(count, 0);
	page.row_count = 0;
	build(DELETE_ROW_AND_INSERT_ROW, OPERATION_UPDATE);
	ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(pages_may_grow_and_shrink)
{
	static const size_t sizes[] = { 1, 5000, 3, 4096, 5000 };

	for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
		page.row_count = sizes[i];
		build(DELETE_ROW_AND_INSERT_ROW, OPERATION_UPDATE);
		check_page(&out[0], OPERATION_DELETE, false);
		check_page(&out[1], OPERATION_INSERT, true);
	}
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	bool failed = true;

	page.operation = OPERATION_UPDATE;
	for (long n = 0; failed; n = next_fault(n)) {
		int rc;

		mem_fail_at(n);
		rc = row_change_builder_new(&builder,
					    DELETE_ROW_AND_INSERT_ROW, &err);
		if (!rc)
			rc = row_change_build(builder, &page, out, &count,
					      &err);
		mem_fail_at(-1);
		failed = rc != 0;
		if (failed)
			ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		row_change_builder_free(builder);
		builder = NULL;
		ck_assert_int_lt(n, 20);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("row_change_build");
	TCase *tc = tcase_create("row_change_build");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, an_update_becomes_a_delete_and_a_derived_insert);
	tcase_add_test(tc, copy_on_write_keeps_the_update);
	tcase_add_loop_test(tc, inserts_and_deletes_stay_what_they_are, 0, 4);
	tcase_add_test(tc, no_row_and_no_operation_give_no_page);
	tcase_add_test(tc, pages_may_grow_and_shrink);
	tcase_add_test(tc, each_failed_allocation_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
