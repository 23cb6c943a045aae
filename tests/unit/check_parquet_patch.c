/* check_parquet_patch.c - a file with some columns written anew */
#include "unit/check_main.h"
#include "parquet/parquet.h"

#define GROUPS 3
#define GROUP_ROWS 3000
#define COLUMNS 4

static struct error err;
static struct arena arena;
static struct schema schema;
static struct parquet_options options;
static struct output_file *old_file, *new_file;
static struct parquet_reader *old, *fresh;
static bool blooms[COLUMNS] = { true, false, true, false };

/* Column c of row r: id, number (null now and then), text, double. */
static struct literal value_of(size_t c, size_t r, bool is_new)
{
	struct literal out = literal_null(schema.columns[c].type);
	char *text;

	out.is_null = c == 1 && r % 7 == 0 && !is_new;
	switch (c) {
	case 0: out.is_null = false; out.value.int64 = (int64_t)r; break;
	case 1: out.value.int32 = (int32_t)(is_new ? 70000 + r : r % 900);
		break;
	case 2:
		text = arena_printf(&arena, "text %zu%s", r,
				    is_new ? " new" : "");
		out.is_null = false;
		out.value.bytes = byte_view(text, strlen(text));
		break;
	default: out.is_null = false; out.value.real64 = (double)r / 4;
	}
	return out;
}

static void fill(struct vector *out, size_t c, size_t group, bool is_new)
{
	vector_init(out, schema.columns[c].type);
	for (size_t i = 0; i < GROUP_ROWS; i++) {
		struct literal value = value_of(c, group * GROUP_ROWS + i,
						is_new);

		ck_ok(vector_append(out, &value, &err));
	}
}

static struct encoded_row_group *encode(const struct schema *of, size_t c,
					size_t group, bool is_new)
{
	struct parquet_encoder *encoder;
	struct encoded_row_group *out;
	struct selection all = selection_all(GROUP_ROWS);
	const struct vector *pointers[COLUMNS];
	struct vector vectors[COLUMNS];
	size_t count = of->column_count;

	for (size_t i = 0; i < count; i++) {
		fill(&vectors[i], count == 1 ? c : i, group, is_new);
		pointers[i] = &vectors[i];
	}
	ck_ok(parquet_encoder_new(&encoder, of, &options, &err));
	ck_ok(parquet_encoder_add(encoder, pointers, &all, &err));
	ck_ok(parquet_encoder_finish(encoder, &out, &err));
	parquet_encoder_free(encoder);
	for (size_t i = 0; i < count; i++)
		vector_release(&vectors[i]);
	return out;
}

static struct parquet_reader *open_bytes(struct output_file *file)
{
	struct byte_view bytes = output_file_memory_bytes(file);
	struct parquet_reader *reader;
	struct input_file *input;

	ck_ok(input_file_memory(&input, "memory", bytes.data, bytes.length,
				&err));
	ck_ok(parquet_reader_open(&reader, input, &err));
	return reader;
}

static void setup(void)
{
	static const struct parquet_sort sort = { 0, false, true };
	struct parquet_writer *writer;

	error_init(&err);
	arena_init(&arena, 0);
	schema_init(&schema);
	ck_ok(schema_add_column(&schema, "id", type_of(TYPE_BIGINT), &err));
	ck_ok(schema_add_column(&schema, "n", type_of(TYPE_INTEGER), &err));
	ck_ok(schema_add_column(&schema, "t", type_of(TYPE_VARCHAR), &err));
	ck_ok(schema_add_column(&schema, "d", type_of(TYPE_DOUBLE), &err));
	for (size_t c = 0; c < COLUMNS; c++)
		schema.columns[c].field_id = (int32_t)c + 1;
	parquet_options_init(&options);
	options.page_row_limit = BATCH_ROW_COUNT;
	options.bloom_columns = blooms;
	options.sorting = &sort;
	options.sorting_count = 1;
	ck_ok(output_file_memory(&old_file, "old", &err));
	ck_ok(output_file_memory(&new_file, "new", &err));
	ck_ok(parquet_writer_new(&writer, old_file, &schema, &options, &err));
	for (size_t g = 0; g < GROUPS; g++)
		ck_ok(parquet_writer_append(writer, encode(&schema, 0, g,
							   false), &err));
	ck_ok(parquet_writer_finish(writer, &err));
	parquet_writer_free(writer);
	old = open_bytes(old_file);
	fresh = NULL;
}

static void teardown(void)
{
	mem_fail_at(-1);
	parquet_reader_free(fresh);
	parquet_reader_free(old);
	output_file_free(new_file);
	output_file_free(old_file);
	schema_release(&schema);
	arena_release(&arena);
}

/* A patch that drops `dropped`, and writes column `changed` anew in `group`
 * (SIZE_MAX = all of them). */
struct plan {
	size_t changed;
	size_t group;
	size_t dropped;
	struct schema one;
	struct parquet_top *tops;
	struct parquet_patch_column columns[COLUMNS];
	size_t count;
	struct parquet_patch_options options;
};

static void make_plan(struct plan *plan, const struct column_def *def)
{
	struct column_def own = *def;
	bool fits, required;
	size_t tops;

	schema_init(&plan->one);
	ck_ok(parquet_tops(old, &arena, &plan->tops, &tops, &err));
	ck_assert_uint_eq(tops, COLUMNS);
	ck_ok(parquet_top_fits(old, &plan->tops[plan->changed], def, &fits,
			       &required, &err));
	ck_assert_int_eq(required, false);
	own.name = (char *)"renamed";
	ck_ok(schema_add(&plan->one, &own, &err));
	for (size_t c = 0; c < COLUMNS; c++) {
		struct parquet_patch_column *column =
			&plan->columns[plan->count];

		if (c == plan->dropped)
			continue;
		plan->count++;
		column->name = c == plan->changed ? "renamed"
						  : schema.columns[c].name;
		column->top = &plan->tops[c];
		if (c == plan->changed) {
			column->fresh = &plan->one;
			column->fresh_element = !fits;
			if (!fits)
				plan->group = SIZE_MAX;
		}
	}
	plan->options.reader = old;
	plan->options.columns = plan->columns;
	plan->options.column_count = plan->count;
	plan->options.created_by = "rowmerge version 0.1.0 (build 0)";
}

static struct parquet_patch *run(struct plan *plan)
{
	struct parquet_patch *patch;

	ck_ok(parquet_patch_new(&patch, new_file, &plan->options, &err));
	for (size_t g = 0; g < GROUPS; g++) {
		struct encoded_row_group *groups[COLUMNS] = { NULL };

		if (g == plan->group || plan->group == SIZE_MAX)
			for (size_t i = 0; i < plan->count; i++)
				if (plan->columns[i].fresh)
					groups[i] = encode(&plan->one,
							   plan->changed, g,
							   true);
		ck_ok(parquet_patch_group(patch, groups, &err));
	}
	ck_ok(parquet_patch_finish(patch, &err));
	fresh = open_bytes(new_file);
	return patch;
}

static void check_column(size_t c, const struct plan *plan)
{
	long leaf = parquet_find_field_id(fresh, (int32_t)c + 1);

	ck_assert_int_ge(leaf, 0);
	for (size_t g = 0; g < GROUPS; g++) {
		bool is_new = c == plan->changed && (g == plan->group ||
						plan->group == SIZE_MAX);
		struct parquet_page_index *index;
		struct chunk_reader *chunk;
		struct parquet_bounds bounds;
		struct vector values;
		const struct type *type = &schema.columns[c].type;

		vector_init(&values, *type);
		ck_ok(chunk_reader_open(&chunk, fresh, g, (size_t)leaf, type,
					&err));
		parquet_chunk_bounds(fresh, g, (size_t)leaf, type, &bounds);
		ck_ok(parquet_page_index(fresh, g, (size_t)leaf, type, &arena,
					 &index, &err));
		ck_assert_ptr_nonnull(index);
		ck_assert_ptr_nonnull(index->bounds);
		ck_assert(bounds.has_min && bounds.has_max);
		/* from the last page to the first: by the offset index */
		for (size_t p = index->page_count; p-- > 0;) {
			size_t first = index->first_row[p];
			size_t count = index->first_row[p + 1] - first;

			ck_ok(chunk_reader_read(chunk, first, count, &values,
						&err));
			for (size_t i = 0; i < count; i++) {
				struct literal got = vector_get(&values, i);
				struct literal want = value_of(
					c, g * GROUP_ROWS + first + i, is_new);

				ck_assert_int_eq(got.is_null, want.is_null);
				if (got.is_null)
					continue;
				ck_assert_int_eq(literal_compare(&got, &want),
						 0);
				ck_assert_int_le(literal_compare(
					&index->bounds[p].min, &got), 0);
				ck_assert_int_ge(literal_compare(
					&index->bounds[p].max, &got), 0);
				ck_assert_int_ge(literal_compare(&bounds.max,
								 &got), 0);
			}
		}
		chunk_reader_free(chunk);
		vector_release(&values);
	}
}

static void check_bloom(size_t c, size_t group, size_t row, bool is_new)
{
	long leaf = parquet_find_field_id(fresh, (int32_t)c + 1);
	struct parquet_bloom_filter *filter;
	struct literal there = value_of(c, row, is_new);
	struct literal not_there = there;

	ck_ok(parquet_bloom_filter_load(fresh, group, (size_t)leaf, &filter,
					&err));
	ck_assert_ptr_nonnull(filter);
	ck_assert(parquet_bloom_filter_may_contain(filter, &there));
	not_there.value.int64 = -77;
	if (c == 2)
		not_there.value.bytes = byte_view("nowhere", 7);
	ck_assert(!parquet_bloom_filter_may_contain(filter, &not_there));
	parquet_bloom_filter_free(filter);
}

START_TEST(a_patched_file_reads_back_with_sound_statistics_and_indexes)
{
	struct plan plan = { .changed = (size_t)_i, .group = 1,
			     .dropped = (size_t)(_i + 1) % COLUMNS };
	struct parquet_column_totals totals;
	struct parquet_patch *patch;
	size_t splits;

	make_plan(&plan, &schema.columns[_i]);
	patch = run(&plan);
	ck_assert_uint_eq(parquet_leaf_count(fresh), COLUMNS - 1);
	ck_assert_int_lt(parquet_find_field_id(
				 fresh, (int32_t)plan.dropped + 1), 0);
	ck_assert_uint_eq(parquet_row_count(fresh), GROUPS * GROUP_ROWS);
	for (size_t c = 0; c < COLUMNS; c++)
		if (c != plan.dropped)
			check_column(c, &plan);
	if (plan.dropped != 0)
		check_bloom(0, 2, 2 * GROUP_ROWS + 5, false);
	if (plan.changed == 2)	/* the one column's options say which */
		check_bloom(2, 0, 5, false);
	ck_assert_ptr_nonnull(parquet_patch_split_offsets(patch, &splits));
	ck_assert_uint_eq(splits, GROUPS);
	for (size_t i = 0; i < plan.count; i++) {
		bool is_changed = plan.columns[i].fresh != NULL;

		ck_assert_int_eq(parquet_patch_is_fresh(patch, i), is_changed);
		if (!is_changed)
			continue;
		ck_ok(parquet_patch_totals(patch, i, 0, &totals, &err));
		ck_assert_int_eq(totals.field_id, _i + 1);
		ck_assert_int_eq(totals.value_count, GROUPS * GROUP_ROWS);
		ck_assert(totals.has_bounds);
		if (_i == 1) {
			ck_assert_int_eq(totals.min.value.int32, 0);
			ck_assert_int_eq(totals.max.value.int32,
					 70000 + 2 * GROUP_ROWS - 1);
		}
	}
	ck_assert_uint_gt(parquet_patch_copied_bytes(patch),
			  parquet_patch_fresh_bytes(patch));
	parquet_patch_free(patch);
	schema_release(&plan.one);
}
END_TEST

START_TEST(a_widened_column_is_written_anew_in_all_groups_or_in_none)
{
	struct plan plan = { .changed = 1, .group = 1, .dropped = SIZE_MAX };
	struct column_def wide = schema.columns[1];
	struct encoded_row_group *none[COLUMNS] = { NULL };
	struct parquet_patch *patch;

	wide.type = type_of(TYPE_BIGINT);
	make_plan(&plan, &wide);
	ck_assert_uint_eq(plan.group, SIZE_MAX);
	ck_ok(parquet_patch_new(&patch, new_file, &plan.options, &err));
	ck_assert_int_eq(parquet_patch_group(patch, none, &err),
			 ERROR_INTERNAL);
	parquet_patch_free(patch);
	schema_release(&plan.one);
}
END_TEST

START_TEST(each_failed_allocation_of_a_patch_is_reported)
{
	struct plan plan = { .changed = 2, .group = 1, .dropped = SIZE_MAX };
	struct encoded_row_group *groups[COLUMNS] = { NULL };
	struct parquet_patch *patch;
	int rc;

	make_plan(&plan, &schema.columns[2]);
	for (long n = 0; ; n++) {
		mem_fail_at(n);
		rc = parquet_patch_new(&patch, new_file, &plan.options, &err);
		for (size_t g = 0; !rc && g < GROUPS; g++)
			rc = parquet_patch_group(patch, groups, &err);
		if (!rc)
			rc = parquet_patch_finish(patch, &err);
		mem_fail_at(-1);
		parquet_patch_free(patch);
		if (!rc)
			break;
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		output_file_free(new_file);
		ck_ok(output_file_memory(&new_file, "new", &err));
	}
	schema_release(&plan.one);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("parquet_patch");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc,
		a_patched_file_reads_back_with_sound_statistics_and_indexes,
		0, COLUMNS);
	tcase_add_test(tc,
		a_widened_column_is_written_anew_in_all_groups_or_in_none);
	tcase_add_test(tc, each_failed_allocation_of_a_patch_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
