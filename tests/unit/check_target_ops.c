#include <stdio.h>
#include "unit/check_main.h"
#include "plan/plan.h"

static struct error err;

static const char *bare_name(const struct target *target)
{
	return "bare";
}

static const struct target_ops bare_ops = { .name = bare_name };

static const size_t insert_columns[] = { 2 };
static const size_t update_columns[] = { 0, 1 };
static size_t update_column_count;

static int give_insert_layout(struct target *target, struct write_layout *out,
			      struct error *error)
{
	out->columns = insert_columns;
	out->column_count = 1;
	out->function = "bucket";
	return 0;
}

static int give_update_layout(struct target *target, struct write_layout *out,
			      struct error *error)
{
	out->columns = update_columns;
	out->column_count = update_column_count;
	out->function = "partition";
	return 0;
}

static const struct target_ops layout_ops = {
	.insert_layout = give_insert_layout,
	.update_layout = give_update_layout,
};

START_TEST(a_target_without_merge_answers_not_supported_with_its_name)
{
	struct target target = { &bare_ops };
	enum row_change_paradigm paradigm;
	struct row_id_column row_id;
	struct merge_begin_options options = { 0 };
	struct merge_handle *handle = (struct merge_handle *)&target;

	ck_assert_int_eq(target_row_change_paradigm(&target, STATEMENT_MERGE,
						    &paradigm, &err),
			 ERROR_NOT_SUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.text, "bare"));
	ck_assert_int_eq(target_evolve(&target, NULL, 0, &err),
			 ERROR_NOT_SUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.text, "bare"));
	ck_assert_int_eq(target_merge_row_id_column(&target, &row_id, &err),
			 ERROR_NOT_SUPPORTED);
	ck_assert_int_eq(target_merge_begin(&target, &options, &handle, &err),
			 ERROR_NOT_SUPPORTED);
	ck_assert_ptr_null(handle);
}
END_TEST

START_TEST(a_target_without_layouts_has_an_empty_layout)
{
	struct target target = { &bare_ops };
	struct write_layout layout = { .columns = insert_columns,
				       .column_count = 1, .function = "x" };

	ck_ok(target_insert_layout(&target, &layout, &err));
	ck_assert_uint_eq(layout.column_count, 0);
	ck_ok(target_update_layout(&target, &layout, &err));
	ck_assert_uint_eq(layout.column_count, 0);
}
END_TEST

START_TEST(an_empty_update_layout_falls_back_to_the_insert_layout)
{
	struct target target = { &layout_ops };
	struct write_layout layout;

	update_column_count = 0;
	ck_ok(target_update_layout(&target, &layout, &err));
	ck_assert_ptr_eq(layout.columns, insert_columns);
	ck_assert_str_eq(layout.function, "bucket");
	update_column_count = 2;
	ck_ok(target_update_layout(&target, &layout, &err));
	ck_assert_ptr_eq(layout.columns, update_columns);
	ck_assert_str_eq(layout.function, "partition");
}
END_TEST

START_TEST(fragments_keep_the_order_in_which_they_were_added)
{
	struct fragments fragments = { NULL, 0, 0 };

	for (int i = 0; i < 20; i++) {
		char item[8];

		snprintf(item, sizeof(item), "%d", i);
		ck_ok(fragments_add(&fragments, mem_strdup(item), &err));
	}
	ck_assert_uint_eq(fragments.count, 20);
	ck_assert_str_eq(fragments.items[0], "0");
	ck_assert_str_eq(fragments.items[19], "19");
	fragments_release(&fragments);
	ck_assert_uint_eq(fragments.count, 0);
	ck_assert_ptr_null(fragments.items);
}
END_TEST

START_TEST(a_fragment_that_finds_no_memory_stays_the_callers)
{
	struct fragments fragments = { NULL, 0, 0 };
	char *item = mem_strdup("{}");

	mem_fail_at(0);
	ck_assert_int_eq(fragments_add(&fragments, item, &err),
			 ERROR_NO_MEMORY);
	mem_fail_at(-1);
	ck_assert_uint_eq(fragments.count, 0);
	mem_free(item);
	fragments_release(&fragments);
}
END_TEST

static int freed;

static void count_free(struct relation *relation)
{
	freed++;
}

START_TEST(freeing_a_relation_asks_its_maker_and_accepts_null)
{
	struct relation relation = { .free = count_free };

	freed = 0;
	relation_free(&relation);
	relation_free(NULL);
	ck_assert_int_eq(freed, 1);
	target_free(NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_ops");
	TCase *tc = tcase_create("target_ops");

	tcase_add_test(tc,
		a_target_without_merge_answers_not_supported_with_its_name);
	tcase_add_test(tc, a_target_without_layouts_has_an_empty_layout);
	tcase_add_test(tc,
		an_empty_update_layout_falls_back_to_the_insert_layout);
	tcase_add_test(tc,
		fragments_keep_the_order_in_which_they_were_added);
	tcase_add_test(tc, a_fragment_that_finds_no_memory_stays_the_callers);
	tcase_add_test(tc,
		freeing_a_relation_asks_its_maker_and_accepts_null);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
