/* check_update_map.c - new values by file and position, against a model */
#include "unit/check_main.h"
#include "unit/check_scratch.h"
#include "table/write/update_map.h"

#define FILES 3
#define MOST_ROWS 6000
#define PAGE_ROWS 700

static struct error err;
static struct arena arena;
static struct schema schema;
static struct snapshot_files files;
static struct manifest_entry entries[FILES];
static struct snapshot_file file_list[FILES];
static size_t ordinals[] = { 1, 2 };
static struct update_columns columns = { &schema, ordinals, 2 };
static struct update_map map;
static uint64_t state;

/* What the model says: changed[f][slot][row], and the value by a number. */
static int32_t model[FILES][2][MOST_ROWS];	/* 0 = as it was */
static int32_t next_number;
static long fail_at;		/* of update_log_add(); -1 = none */

static const int64_t row_counts[FILES] = { 1000, MOST_ROWS, 64 };

static uint64_t random_below(uint64_t below)
{
	state = state * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return (state >> 33) % below;
}

static void setup(void)
{
	uint64_t first = 0;

	error_init(&err);
	scratch_make();
	arena_init(&arena, 0);
	schema_init(&schema);
	ck_ok(schema_add_column(&schema, "id", type_of(TYPE_BIGINT), &err));
	ck_ok(schema_add_column(&schema, "n", type_of(TYPE_INTEGER), &err));
	ck_ok(schema_add_column(&schema, "t", type_of(TYPE_VARCHAR), &err));
	memset(&files, 0, sizeof(files));
	memset(model, 0, sizeof(model));
	memset(&map, 0, sizeof(map));
	for (size_t i = 0; i < FILES; i++) {
		entries[i].file.record_count = row_counts[i];
		file_list[i].entry = &entries[i];
		file_list[i].first_row = first;
		first += (uint64_t)row_counts[i];
	}
	files.files = file_list;
	files.file_count = FILES;
	files.row_id_limit = first;
	state = 1;
	next_number = 0;
	fail_at = -1;
}

static void teardown(void)
{
	mem_fail_at(-1);
	update_map_release(&map);
	schema_release(&schema);
	arena_release(&arena);
	scratch_remove();
}

/* Number 3 of each four is NULL. */
static struct literal value_of(size_t slot, int32_t number)
{
	struct literal out = literal_null(schema.columns[slot + 1].type);
	char *text;

	out.is_null = number % 4 == 3;
	if (out.is_null)
		return out;
	if (slot == 0) {
		out.value.int32 = number;
		return out;
	}
	/* several blocks of the log in all */
	text = arena_printf(&arena, "%*d", 300 + number % 300, number);
	out.value.bytes = byte_view(text, strlen(text));
	return out;
}

/* A page of updates of rows that were not updated yet, of one slot or both,
 * of which every third row is not selected. */
static int add_page(struct update_log *log)
{
	static const struct vector absent;
	uint64_t row_ids[PAGE_ROWS];
	uint32_t rows[PAGE_ROWS];
	struct vector values[2];
	const struct vector *page[3] = { &absent, &absent, &absent };
	size_t file = random_below(FILES), count = 0, selected = 0;
	unsigned slots = 1 + (unsigned)random_below(3);
	uint64_t step = 1 + random_below(9);
	struct selection selection;
	int rc;

	vector_init(&values[0], type_of(TYPE_INTEGER));
	vector_init(&values[1], type_of(TYPE_VARCHAR));
	for (uint64_t row = random_below((uint64_t)row_counts[file]);
	     row < (uint64_t)row_counts[file] && count < PAGE_ROWS;
	     row += step) {
		bool is_taken = model[file][0][row] || model[file][1][row];

		if (is_taken)
			continue;
		row_ids[count] = file_list[file].first_row + row;
		for (size_t slot = 0; slot < 2; slot++) {
			struct literal value = value_of(slot, next_number + 1);

			ck_ok(vector_append(&values[slot], &value, &err));
		}
		next_number++;
		if (count % 3 != 2) {
			for (size_t slot = 0; slot < 2; slot++)
				if (slots >> slot & 1)
					model[file][slot][row] = next_number;
			rows[selected++] = (uint32_t)count;
		}
		count++;
	}
	for (size_t slot = 0; slot < 2; slot++)
		if (slots >> slot & 1)
			page[slot + 1] = &values[slot];
	selection.rows = rows;
	selection.count = selected;
	mem_fail_at(fail_at);
	rc = update_log_add(log, &files, page, row_ids, &selection, &err);
	mem_fail_at(-1);
	vector_release(&values[0]);
	vector_release(&values[1]);
	return rc;
}

/* Overlay count rows from first on, all of them or each third. */
static void check_range(size_t file, uint64_t first, size_t count, bool sparse)
{
	uint64_t positions[BATCH_ROW_COUNT];
	struct update_target target = { .first = first, .count = count };
	struct update_set set;

	if (sparse) {
		target.count = 0;
		target.base = file_list[file].first_row;
		for (size_t i = 0; i < count; i += 3)
			positions[target.count++] =
				target.base + first + i;
		target.positions = positions;
	}
	update_set_init(&set);
	ck_ok(update_set_load(&set, &map, &columns, file, first,
			      first + count, &err));
	for (size_t slot = 0; slot < 2; slot++) {
		struct literal none = literal_null(
			schema.columns[slot + 1].type);
		struct vector values;
		size_t hits, wanted = 0;

		none.is_null = false;	/* 0 or '' */
		vector_init(&values, none.type);
		ck_ok(vector_fill(&values, &none, target.count, &err));
		ck_ok(update_set_apply(&set, slot, &target, &values, &hits,
				       &err));
		for (size_t i = 0; i < target.count; i++) {
			uint64_t row = sparse ? positions[i] - target.base
					      : first + i;
			int32_t number = model[file][slot][row];
			struct literal want = number ? value_of(slot, number)
						     : none;
			struct literal got = vector_get(&values, i);

			wanted += number != 0;
			ck_assert_int_eq(got.is_null, want.is_null);
			if (!got.is_null)
				ck_assert_int_eq(literal_compare(&got, &want),
						 0);
		}
		ck_assert_uint_eq(hits, wanted);
		vector_release(&values);
	}
	update_set_release(&set);
}

/* _i: bytes that may be kept in memory. */
START_TEST(values_come_back_by_position_from_memory_and_from_disk)
{
	struct update_log logs[2];

	for (size_t i = 0; i < 2; i++)
		update_log_init(&logs[i], &columns, scratch_path,
				(size_t)_i << 24);
	for (int page = 0; page < 60; page++)
		ck_ok(add_page(&logs[page & 1]));
	for (int page = 0; page < 2000; page++)	/* many blocks */
		ck_ok(add_page(&logs[0]));
	for (size_t i = 0; i < 2; i++)
		ck_ok(update_map_merge(&map, &logs[i], &err));
	ck_assert_int_eq(map.logs[0].file != NULL, _i == 0);
	ck_ok(update_map_seal(&map, FILES, &err));
	for (size_t f = 0; f < FILES; f++) {
		size_t rows = (size_t)row_counts[f];

		ck_assert(update_map_has(&map, f));
		for (int turn = 0; turn < 40; turn++) {
			uint64_t first = random_below(rows);
			size_t count = 1 + random_below(
				rows - first < BATCH_ROW_COUNT
					? rows - first : BATCH_ROW_COUNT);

			check_range(f, first, count, turn & 1);
		}
	}
	update_map_drop(&map, 1);
	ck_assert(!update_map_has(&map, 1) && update_map_has(&map, 0));
}
END_TEST

START_TEST(a_map_without_updates_has_none)
{
	struct update_log log;

	update_log_init(&log, &columns, scratch_path, 0);
	ck_ok(update_map_merge(&map, &log, &err));
	ck_ok(update_map_seal(&map, FILES, &err));
	ck_assert(!update_map_has(&map, 0));
	ck_assert(!update_map_has_slot(&map, 0, 0));
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct update_log log;

	bool failed = false;

	update_log_init(&log, &columns, scratch_path, 0);
	fail_at = _i < 3 ? _i : -1;
	failed = add_page(&log) != 0;
	mem_fail_at(_i < 3 ? -1 : _i - 3);
	if (!failed)
		failed = update_map_merge(&map, &log, &err) != 0;
	if (!failed)
		failed = update_map_seal(&map, FILES, &err) != 0;
	mem_fail_at(-1);
	ck_assert(failed);
	ck_assert_int_eq(err.code, ERROR_NO_MEMORY);
	update_log_release(&log);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("update_map");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc,
		values_come_back_by_position_from_memory_and_from_disk, 0, 2);
	tcase_add_test(tc, a_map_without_updates_has_none);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, 8);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
