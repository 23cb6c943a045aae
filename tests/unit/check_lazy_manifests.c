/* check_lazy_manifests.c - manifests that are not read change no result */
#include <unistd.h>
#include "unit/target_draw.h"

#define IDS 3000
#define RUNS 8
#define STEPS 9

/* Partitionings by turns; each table has several of them in the end. */
static const struct {
	const char *column;
	const char *transform;
} layouts[] = {
	{ "id", "truncate[100]" },
	{ "id", "bucket[16]" },
	{ "v", "truncate[50000]" },
	{ "s", "truncate[2]" },
	{ NULL, NULL },
	{ "id", "truncate[40]" },
};
/* So small that a manifest has four entries. */
static const struct key_value small_manifests[] = {
	{ (char *)"commit.manifest.target-size-bytes", (char *)"1200" },
	{ (char *)"write.merge.mode", (char *)"copy-on-write" },
};

static struct target_world twin;
static size_t closed;		/* manifests that were not read */

static struct column_range range_of(size_t column, int64_t min, int64_t max)
{
	struct column_range range = { .column = column };

	range.has_min = range.has_max = true;
	range.min = range.max = literal_null(type_of(TYPE_BIGINT));
	range.min.is_null = range.max.is_null = false;
	range.min.value.int64 = min;
	range.max.value.int64 = max;
	return range;
}

static void set_layout(const char *directory, size_t i)
{
	const char *parts[] = { layouts[i].column };
	struct partition_term term = { { parts, 1 }, layouts[i].transform,
				       NULL, 0, 0 };
	struct table_change change = { .kind = TABLE_SET_PARTITIONING };
	int64_t version;

	change.terms = &term;
	change.term_count = layouts[i].column != NULL;
	ck_ok(table_alter(directory, &change, 1, INT64_C(1700000000500000),
			  &version, &err));
}

/* What a scan found of the rows in a range. */
struct found {
	uint64_t rows;
	uint64_t sum;
};

static bool in_range(const struct column_range *range,
		     const struct target_batch *batch, size_t row)
{
	const struct vector *column = &batch->batch.columns[range->column];
	int64_t value;

	if (vector_is_null(column, row))
		return range->null_matches;
	value = vector_i64(column)[row];
	return range->has_min && value >= range->min.value.int64 &&
	       value <= range->max.value.int64;
}

static void note_batch(const struct column_range *range,
		       const struct target_batch *batch, struct found *out)
{
	const struct vector *columns = batch->batch.columns;

	for (size_t i = 0; i < batch->batch.row_count; i++) {
		uint64_t hash = hash_word(batch->row_ids[i]);

		if (!in_range(range, batch, i))
			continue;
		hash = hash_combine(hash, (uint64_t)vector_i64(&columns[0])[i]);
		if (!vector_is_null(&columns[1], i))
			hash = hash_combine(hash, (uint64_t)
					    vector_i64(&columns[1])[i]);
		out->rows++;
		out->sum += hash;
	}
}

/* Rows of a range with their numbers, all manifests read or not. */
static void scan_range(const char *directory,
		       const struct column_range *range, bool is_eager,
		       struct found *out)
{
	static const size_t columns[] = { 0, 1 };
	struct target_scan_request request = { columns, 2, range, 1 };
	struct iceberg_target_options own = { .wait_ms = 1000 };
	struct merge_begin_options begin = { .statement = STATEMENT_MERGE,
		.paradigm = DELETE_ROW_AND_INSERT_ROW, .reads_target = true,
		.thread_count = 1 };
	struct target_stream *stream;
	struct target_batch *batch;
	struct merge_handle *handle;
	struct snapshot_files *files;
	struct target_scan *scan;
	struct target *target;
	struct table *table;

	memset(out, 0, sizeof(*out));
	ck_ok(table_open(&table, directory, 0, &err));
	ck_ok(iceberg_target_new(&target, table, &own, &err));
	if (is_eager)
		ck_ok(table_files(table, &files, &err));
	ck_ok(target_merge_begin(target, &begin, &handle, &err));
	ck_ok(target->ops->scan_new(handle, &request, &scan, &err));
	ck_ok(target->ops->stream_new(scan, &stream, &err));
	for (;;) {
		ck_ok(target->ops->stream_next(stream, &batch, &err));
		if (!batch)
			break;
		note_batch(range, batch, out);
	}
	target->ops->stream_free(stream);
	target->ops->scan_free(scan);
	target->ops->merge_abort(handle);
	target_free(target);
}

static void check_scans(void)
{
	for (int i = 0; i < 6; i++) {
		bool by_id = i & 1;
		int64_t low = draw(by_id ? IDS : 1000000);
		struct column_range range = range_of(!by_id, low, low +
					draw(by_id ? 200 : 60000));
		struct found lazy, eager;

		range.null_matches = !by_id && draw(2);
		if (range.null_matches && draw(2))
			range.max.value.int64 = range.min.value.int64 = -1;
		scan_range("t", &range, false, &lazy);
		scan_range("t", &range, true, &eager);
		ck_assert_uint_eq(lazy.rows, eager.rows);
		ck_assert_uint_eq(lazy.sum, eager.sum);
	}
}

static void check_total(const struct snapshot *snapshot, const char *key,
			int64_t counted)
{
	const char *value = snapshot_summary(snapshot, key);

	ck_assert_ptr_nonnull(value);
	ck_assert_msg(strtoll(value, NULL, 10) == counted, "%s is %s, not %"
		      PRId64, key, value, counted);
}

struct live_set {
	size_t data;
	size_t deletes;
	int64_t records;
	int64_t squares;	/* that sizes are the same, about */
	size_t manifests;
};

/* Live files as all manifests have them; the summary must say the same. */
static void take_live(const char *directory, struct live_set *out)
{
	struct snapshot_files *files;
	int64_t bytes = 0;
	struct table *table;

	memset(out, 0, sizeof(*out));
	ck_ok(table_open(&table, directory, 0, &err));
	ck_ok(table_files(table, &files, &err));
	out->manifests = files->manifest_count;
	for (size_t m = 0; m < files->manifest_count; m++)
		for (size_t i = 0; i < files->entry_counts[m]; i++) {
			const struct manifest_entry *entry =
				&files->entries[m][i];
			const struct data_file *file = &entry->file;

			if (entry->status == ENTRY_DELETED)
				continue;
			bytes += file->format == FORMAT_PUFFIN
					 ? file->content_size
					 : file->file_size;
			out->squares += file->record_count *
					file->record_count;
			if (file->content != CONTENT_DATA) {
				out->deletes++;
				continue;
			}
			out->data++;
			out->records += file->record_count;
		}
	check_total(files->snapshot, "total-records", out->records);
	check_total(files->snapshot, "total-data-files",
		    (int64_t)out->data);
	check_total(files->snapshot, "total-delete-files",
		    (int64_t)out->deletes);
	check_total(files->snapshot, "total-files-size", bytes);
	table_free(table);
}

/* Changes of ids from low to high. */
static size_t draw_between(int64_t low, int64_t high, uint32_t share)
{
	static const int8_t order[] = { OPERATION_DELETE, OPERATION_UPDATE,
					OPERATION_INSERT };
	static int8_t op[ID_LIMIT];
	size_t n = 0;

	for (int64_t id = low; id <= high; id++) {
		op[id] = OPERATION_NONE;
		if (draw(1000) < share)
			op[id] = !world.present[id] ? OPERATION_INSERT
				 : draw(4) ? OPERATION_UPDATE
					   : OPERATION_DELETE;
	}
	for (int k = 0; k < 3; k++)
		for (int64_t id = low; id <= high; id++)
			if (op[id] == order[k]) {
				changes[n].id = id;
				changes[n].op = op[id];
				changes[n++].value = draw_value();
			}
	return n;
}

/* The same statement to both tables: by ranges, and reading all of it. */
static void change_both(size_t count, struct column_range *range)
{
	struct change_options options = { .statement = STATEMENT_MERGE };
	struct merge_outcome outcome;
	struct live_set lazy, eager;

	world_ranges = range;
	world_range_count = 1;
	ck_ok(world_change(&world, changes, count, &options, &outcome));
	world_ranges = NULL;
	world_range_count = 0;
	ck_ok(world_change(&twin, changes, count, &options, &outcome));
	world_apply(&world, changes, count);
	world_apply(&twin, changes, count);
	world_check(&world);
	take_live("t", &lazy);
	take_live("u", &eager);
	ck_assert_uint_eq(lazy.data, eager.data);
	ck_assert_uint_eq(lazy.deletes, eager.deletes);
	ck_assert_int_eq(lazy.records, eager.records);
	ck_assert_int_eq(lazy.squares, eager.squares);
	ck_assert_uint_eq(lazy.manifests, eager.manifests);
}

/* How many manifests a statement about the range leaves closed. */
static size_t count_closed(const struct column_range *range)
{
	static const size_t columns[] = { 0 };
	struct target_scan_request request = { columns, 1, range, 1 };
	struct change_options options = { .statement = STATEMENT_MERGE };
	struct text text = TEXT_INIT;
	struct target_scan *scan;
	struct statement_run run;
	size_t left = 0, all = 0;
	const char *line;

	ck_ok(statement_begin(&run, "t", &options));
	ck_ok(run.target->ops->scan_new(run.handle, &request, &scan, &err));
	ck_ok(run.target->ops->scan_explain(scan, &text, &err));
	line = strstr(text.data, "manifests: ");
	if (line)
		ck_assert_int_eq(sscanf(line, "manifests: %zu of %zu", &left,
					&all), 2);
	text_release(&text);
	run.target->ops->scan_free(scan);
	statement_abort(&run);
	return all - left;
}

START_TEST(statements_that_read_few_manifests_do_as_those_that_read_all)
{
	size_t property_count = _i & 1 ? 2 : 1;

	state = (uint32_t)_i + 1;
	closed = 0;
	world_create(&world, "t", _i & 2 ? 3 : 2, small_manifests,
		     property_count);
	world_create(&twin, "u", _i & 2 ? 3 : 2, small_manifests,
		     property_count);
	for (int step = 0; step < STEPS; step++) {
		int64_t low = draw(IDS - 400), high = low + 30 + draw(300);
		struct column_range range;

		if (step % 2 == 0) {
			size_t i = (size_t)(step / 2 + _i) %
				   ARRAY_COUNT(layouts);

			set_layout("t", i);
			set_layout("u", i);
		}
		if (step == 0 || step == 4) {
			low = 0;
			high = IDS - 1;
		}
		range = range_of(0, low, high);
		change_both(draw_between(low, high, step ? 300 : 700),
			    &range);
		closed += count_closed(&range);
		check_scans();
	}
	ck_assert_uint_gt(closed, 0);
}
END_TEST

/* The manifest of the table whose ids are the lowest. */
static char *lowest_manifest(const char *directory)
{
	static char path[1000];
	struct snapshot_files *files;
	struct table *table;
	int64_t lowest = INT64_MAX;

	ck_ok(table_open(&table, directory, 0, &err));
	ck_ok(table_files(table, &files, &err));
	for (size_t m = 0; m < files->manifest_count; m++) {
		int64_t lower;

		if (files->manifests[m].is_deletes)
			continue;
		memcpy(&lower, files->manifests[m].partitions[0].lower.data,
		       sizeof(lower));
		if (lower >= lowest)
			continue;
		lowest = lower;
		snprintf(path, sizeof(path), "%s",
			 files->manifests[m].path + strlen("file://"));
	}
	table_free(table);
	return path;
}

static void fill_by_hundreds(int format_version)
{
	struct change_options options = { .statement = STATEMENT_INSERT,
					  .is_blind = true };

	world_create(&world, "t", format_version, small_manifests, 1);
	set_layout("t", 0);
	change(draw_between(0, IDS - 1, 1000), &options);
}

static int change_range(int64_t low, int64_t high)
{
	struct change_options options = { .statement = STATEMENT_MERGE };
	struct column_range range = range_of(0, low, high);
	size_t count = draw_between(low, high, 400);
	struct merge_outcome outcome;
	int rc;

	world_ranges = &range;
	world_range_count = 1;
	rc = world_change(&world, changes, count, &options, &outcome);
	world_ranges = NULL;
	world_range_count = 0;
	if (!rc)
		world_apply(&world, changes, count);
	return rc;
}

START_TEST(a_damaged_manifest_is_met_by_who_needs_it)
{
	struct snapshot_files *files;
	struct table *table;
	char *path;

	fill_by_hundreds(2 + _i);
	path = lowest_manifest("t");
	ck_assert_int_eq(truncate(path, 40), 0);
	for (int i = 0; i < 3; i++)
		ck_ok(change_range(2000, 2150));
	ck_ok(table_open(&table, "t", 0, &err));
	ck_assert_int_eq(table_files(table, &files, &err), ERROR_CORRUPT);
	ck_assert_ptr_null(files);
	table_free(table);
	ck_assert_int_eq(change_range(0, 50), ERROR_CORRUPT);
}
END_TEST

/* The list of the newest snapshot says more rows of its first manifest. */
static void overstate_rows(void)
{
	struct snapshot_files *files;
	struct manifest_list_options options = { 0 };
	struct text bytes = TEXT_INIT;
	struct table *table;
	FILE *file;

	ck_ok(table_open(&table, "t", 0, &err));
	ck_ok(table_files(table, &files, &err));
	files->manifests[0].added_rows++;
	options.format_version = table_metadata_of(table)->format_version;
	options.snapshot_id = files->snapshot->snapshot_id;
	options.parent_id = files->snapshot->parent_id;
	options.sequence_number = files->snapshot->sequence_number;
	options.first_row_id = files->snapshot->first_row_id;
	ck_ok(manifest_list_format(files->manifests, files->manifest_count,
				   &options, &bytes, &err));
	file = fopen(files->snapshot->manifest_list + strlen("file://"), "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes.data, 1, bytes.length, file),
			  bytes.length);
	fclose(file);
	text_release(&bytes);
	table_free(table);
}

START_TEST(a_list_that_counts_wrong_is_met_once_numbers_are_given)
{
	const struct column_range range = range_of(0, 2000, 2100);
	struct change_options options = { .statement = STATEMENT_MERGE };
	static const size_t columns[] = { 0 };
	struct target_scan_request some = { columns, 1, &range, 1 };
	struct target_scan_request all = { columns, 1, NULL, 0 };
	struct target_scan *scan;
	struct statement_run run;

	fill_by_hundreds(2);
	overstate_rows();
	/* read before numbers are given: what is there counts */
	world_check(&world);
	ck_ok(change_range(0, 50));
	world_check(&world);
	overstate_rows();
	ck_ok(statement_begin(&run, "t", &options));
	ck_ok(run.target->ops->scan_new(run.handle, &some, &scan, &err));
	run.target->ops->scan_free(scan);
	ck_assert_int_eq(run.target->ops->scan_new(run.handle, &all, &scan,
						   &err), ERROR_CORRUPT);
	ck_assert_ptr_nonnull(strstr(err.text, "manifest list gives it"));
	statement_abort(&run);
}
END_TEST

START_TEST(two_statements_at_once_are_judged_as_when_all_is_read)
{
	/* of the other: kind, ids; what the first is told */
	static const struct {
		bool is_blind;
		int64_t low;
		int rc;
	} cases[] = {
		{ true, IDS, ERROR_CONCURRENT_APPEND },
		{ false, 0, ERROR_CONCURRENT_DELETE_READ },
		{ false, 2050, ERROR_CONCURRENT_DELETE_DELETE },
	};
	const struct column_range range = range_of(0, 2000, 2099);
	static struct row_change own[100];
	struct change_options options = { .statement = STATEMENT_MERGE };
	struct merge_outcome outcome;
	struct statement_run run;
	size_t n;

	fill_by_hundreds(2 + _i % 2);
	n = draw_between(2000, 2099, 1000);
	memcpy(own, changes, n * sizeof(*own));
	world_ranges = &range;
	world_range_count = 1;
	ck_ok(statement_begin(&run, "t", &options));
	ck_ok(statement_scan(&run, own, n));
	world_ranges = NULL;
	world_range_count = 0;
	options.is_blind = cases[_i / 2].is_blind;
	change(draw_between(cases[_i / 2].low, cases[_i / 2].low + 49, 1000),
	       &options);
	ck_assert_int_eq(statement_finish(&run, own, n, &outcome),
			 cases[_i / 2].rc);
	world_check(&world);
}
END_TEST

START_TEST(a_blind_insert_goes_on_top_of_a_change_elsewhere)
{
	static struct row_change own[50];
	struct change_options blind = { .statement = STATEMENT_INSERT,
					.is_blind = true };
	struct merge_outcome outcome;
	struct live_set live;
	struct statement_run run;
	size_t n;

	fill_by_hundreds(2 + _i);
	n = draw_between(IDS, IDS + 49, 1000);
	memcpy(own, changes, n * sizeof(*own));
	for (size_t i = 0; i < n; i++) {
		own[i].row_id = ROW_ID_NONE;
		own[i].lineage = INT64_MIN;
	}
	ck_ok(statement_begin(&run, "t", &blind));
	ck_ok(change_range(1000, 1100));
	ck_ok(statement_finish(&run, own, n, &outcome));
	ck_assert_int_eq(outcome.attempts, 2);
	world_apply(&world, own, n);
	world_check(&world);
	take_live("t", &live);
}
END_TEST

START_TEST(each_failed_allocation_leaves_the_old_version)
{
	bool done = false;
	long failures = 0;

	fill_by_hundreds(2 + _i);
	for (long n = 0; !done; n += 1 + n / 40) {
		struct live_set before, after;
		int rc;

		take_live("t", &before);
		mem_fail_at(n);
		rc = change_range(2000, 2060);
		done = mem_alloc_count() <= n;
		mem_fail_at(-1);
		failures += rc != 0;
		if (!rc)
			continue;
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		take_live("t", &after);
		ck_assert_uint_eq(before.data, after.data);
		ck_assert_int_eq(before.squares, after.squares);
	}
	ck_assert_int_gt(failures, 30);
	world_check(&world);
}
END_TEST

START_TEST(totals_that_the_parent_lacks_are_counted)
{
	struct live_set live;
	char command[400];

	fill_by_hundreds(2);
	snprintf(command, sizeof(command), "cd t/metadata && f=$(ls -t "
		 "v*.metadata.json | head -n 1) && sed -i "
		 "'s/total-files-size/total-nothing/' $f");
	ck_assert_int_eq(system(command), 0);
	ck_ok(change_range(2000, 2100));
	take_live("t", &live);
	world_check(&world);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lazy_manifests");
	TCase *tc = tcase_create("lazy_manifests");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc,
		statements_that_read_few_manifests_do_as_those_that_read_all,
		0, RUNS);
	tcase_add_loop_test(tc, a_damaged_manifest_is_met_by_who_needs_it, 0,
			    2);
	tcase_add_test(tc,
		       a_list_that_counts_wrong_is_met_once_numbers_are_given);
	tcase_add_loop_test(tc,
		two_statements_at_once_are_judged_as_when_all_is_read, 0, 6);
	tcase_add_loop_test(tc,
		a_blind_insert_goes_on_top_of_a_change_elsewhere, 0, 2);
	tcase_add_loop_test(tc, each_failed_allocation_leaves_the_old_version,
			    0, 2);
	tcase_add_test(tc, totals_that_the_parent_lacks_are_counted);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
