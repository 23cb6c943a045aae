/* check_catalog.c - finding, publishing, logging and pinning versions */
#include "unit/check_main.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "table/catalog/catalog_file.h"
#include "unit/check_scratch.h"

static struct error err;
static struct catalog_table *table;
static struct arena arena;

static void setup(void)
{
	error_init(&err);
	interrupt_reset();
	arena_init(&arena, 0);
	table = NULL;
	scratch_make();
	ck_assert_int_eq(mkdir("t", 0777), 0);
	ck_assert_int_eq(mkdir("t/metadata", 0777), 0);
}

static void teardown(void)
{
	mem_fail_at(-1);
	io_fail_at(-1, 0);
	catalog_table_free(table);
	arena_release(&arena);
	scratch_remove();
}

/* The metadata of an empty table at this location. */
static char *metadata_text(const char *location, int64_t updated_ms)
{
	return arena_printf(&arena,
		"{\"format-version\":2,\"table-uuid\":"
		"\"9c12d441-03fe-4693-9a96-a0705ddf69c1\",\"location\":\"%s\","
		"\"last-sequence-number\":0,\"last-updated-ms\":%" PRId64 ","
		"\"last-column-id\":1,\"current-schema-id\":0,\"schemas\":[{"
		"\"type\":\"struct\",\"schema-id\":0,\"fields\":[{\"id\":1,"
		"\"name\":\"id\",\"required\":false,\"type\":\"long\"}]}],"
		"\"default-spec-id\":0,\"partition-specs\":[{\"spec-id\":0,"
		"\"fields\":[]}],\"last-partition-id\":999,"
		"\"default-sort-order-id\":0,\"sort-orders\":[{\"order-id\":0,"
		"\"fields\":[]}],\"properties\":{},\"current-snapshot-id\":-1,"
		"\"refs\":{},\"snapshots\":[],\"snapshot-log\":[],"
		"\"metadata-log\":[]}", location, updated_ms);
}

static void put(const char *name, const char *text)
{
	char path[100];

	snprintf(path, sizeof(path), "t/metadata/%s", name);
	scratch_file(path, text, strlen(text));
}

static void put_version(const char *name, int64_t updated_ms)
{
	put(name, metadata_text("file:///elsewhere/t", updated_ms));
}

static void expect_version(int64_t version)
{
	catalog_table_free(table);
	table = NULL;
	ck_ok(catalog_open(&table, "t", 0, &err));
	ck_assert_int_eq(table->version, version);
}

START_TEST(a_directory_without_metadata_is_no_table)
{
	ck_assert_int_eq(catalog_open(&table, "t", 0, &err),
			 ERROR_UNKNOWN_TABLE);
	ck_assert_int_eq(catalog_open(&table, "nowhere", 0, &err),
			 ERROR_UNKNOWN_TABLE);
	ck_assert(!catalog_is_table("t"));
	ck_assert_ptr_null(table);
}
END_TEST

START_TEST(the_newest_version_is_found_from_any_hint)
{
	static const char *const hints[] = { "1", "2", "3", "1\n", "3\r\n",
					     "77", "", "x", "-1", "../v1" };

	put_version("v1.metadata.json", 1);
	put_version("v2.metadata.json", 2);
	put_version("v3.metadata.json", 3);
	put(HINT_NAME, hints[_i]);
	expect_version(3);
	ck_assert(catalog_is_table("t"));
}
END_TEST

START_TEST(without_a_hint_the_directory_is_listed)
{
	put_version("v9.metadata.json", 1);
	put_version("v10.metadata.json", 2);
	put_version("00077-abc.metadata.json", 2);
	put("vfinal.metadata.json", "x");
	put("v12.metadata.json.tmp", "x");
	expect_version(10);
	ck_assert(!table->is_foreign);
}
END_TEST

START_TEST(an_older_version_is_opened_by_its_number)
{
	put_version("v1.metadata.json", 1);
	put_version("v2.metadata.json", 2);
	ck_ok(catalog_open(&table, "t", 1, &err));
	ck_assert_int_eq(table->version, 1);
	ck_assert_int_eq(table->metadata->last_updated_ms, 1);
	catalog_table_free(table);
	ck_assert_int_eq(catalog_open(&table, "t", 3, &err),
			 ERROR_UNKNOWN_VERSION);
	ck_assert_ptr_nonnull(strstr(err.text, "newest is 2"));
}
END_TEST

START_TEST(gzipped_metadata_is_read_under_both_names)
{
	static const char *const names[] = { "v1.gz.metadata.json",
					     "v1.metadata.json.gz" };
	char command[200];

	put_version("plain", 7);
	snprintf(command, sizeof(command),
		 "gzip -c t/metadata/plain >t/metadata/%s", names[_i]);
	ck_assert_int_eq(system(command), 0);
	expect_version(1);
	ck_assert_int_eq(table->metadata->last_updated_ms, 7);
}
END_TEST

START_TEST(files_of_another_catalog_are_read_not_written)
{
	struct commit_record record = { .kind = "meta" };
	struct catalog_publish_options options = { .record = &record };
	int64_t version;
	bool conflict;

	put_version("00002-b.metadata.json", 20);
	put_version("00002-c.metadata.json", 10);
	put_version("00001-a.metadata.json", 30);
	expect_version(2);
	ck_assert(table->is_foreign);
	ck_assert_int_eq(table->metadata->last_updated_ms, 20);
	table->is_moved = false;
	ck_assert_int_eq(catalog_publish("t", table, table->metadata,
					 &options, &version, &conflict, &err),
			 ERROR_FOREIGN_CATALOG);
}
END_TEST

START_TEST(damaged_metadata_is_corrupt_and_named)
{
	put("v1.metadata.json", "{\"format-version\":2");
	ck_assert_int_eq(catalog_open(&table, "t", 0, &err), ERROR_CORRUPT);
	ck_assert_ptr_nonnull(strstr(err.text, "v1.metadata.json"));
	put("v1.metadata.json", "");
	ck_assert_int_eq(catalog_open(&table, "t", 0, &err), ERROR_CORRUPT);
	put("v1.metadata.json", "\x1f\x8b garbage");
	ck_assert_int_eq(catalog_open(&table, "t", 0, &err), ERROR_CORRUPT);
}
END_TEST

START_TEST(a_moved_table_is_read_here_and_not_written)
{
	struct commit_record record = { .kind = "meta" };
	struct catalog_publish_options options = { .record = &record };
	int64_t version;
	bool conflict;
	char *path;

	put_version("v1.metadata.json", 1);
	expect_version(1);
	ck_assert(table->is_moved);
	ck_ok(catalog_resolve_path(table, "file:///elsewhere/t/data/a.parquet",
				   &arena, &path, &err));
	ck_assert_str_eq(path, arena_printf(&arena, "%s/data/a.parquet",
					    table->directory));
	ck_ok(catalog_resolve_path(table, "file:/elsewhere/t/data/a", &arena,
				   &path, &err));
	ck_assert_str_eq(path, arena_printf(&arena, "%s/data/a",
					    table->directory));
	ck_ok(catalog_resolve_path(table, "file:///elsewhere/tt/a", &arena,
				   &path, &err));
	ck_assert_str_eq(path, "/elsewhere/tt/a");
	ck_assert_int_eq(catalog_resolve_path(table, "s3://b/t/a", &arena,
					      &path, &err),
			 ERROR_UNSUPPORTED);
	ck_assert_int_eq(catalog_resolve_path(table, "t/a", &arena, &path,
					      &err), ERROR_UNSUPPORTED);
	ck_assert_int_eq(catalog_publish("t", table, table->metadata,
					 &options, &version, &conflict, &err),
			 ERROR_MOVED_TABLE);
}
END_TEST

START_TEST(a_location_through_a_link_is_not_moved)
{
	ck_assert_int_eq(symlink("t", "link"), 0);
	put("v1.metadata.json",
	    metadata_text(arena_printf(&arena, "file:%s/link/",
				       scratch_path), 1));
	expect_version(1);
	ck_assert(!table->is_moved);
}
END_TEST

START_TEST(names_are_found_in_any_case)
{
	char *path;
	bool found;

	put_version("v1.metadata.json", 1);
	ck_assert_int_eq(mkdir("ns", 0777), 0);
	ck_assert_int_eq(rename("t", "ns/Table"), 0);
	ck_ok(catalog_find(".", "ns.Table", &arena, &path, &found, &err));
	ck_assert(found);
	ck_ok(catalog_find(".", "NS.tABLE", &arena, &path, &found, &err));
	ck_assert(found);
	ck_assert_str_eq(path, "./ns/Table");
	ck_ok(catalog_find(".", "ns.other", &arena, &path, &found, &err));
	ck_assert(!found);
	ck_assert_str_eq(path, "./ns/other");
	ck_assert_int_eq(mkdir("ns/TABLE", 0777), 0);
	ck_assert_int_eq(catalog_find(".", "ns.table", &arena, &path, &found,
				      &err), ERROR_USAGE);
	ck_ok(catalog_find(".", "ns.Table", &arena, &path, &found, &err));
	ck_assert(found);
}
END_TEST

START_TEST(names_that_leave_the_warehouse_are_refused)
{
	static const char *const names[] = { "", ".", "..", "a..b", ".a",
					     "a.", "_a", "a/b", "../a",
					     "a._b" };
	char *path;
	bool found;

	ck_assert_int_eq(catalog_find(".", names[_i], &arena, &path, &found,
				      &err), ERROR_USAGE);
	ck_assert_ptr_null(path);
}
END_TEST

static void make_record(struct commit_record *record)
{
	memset(record, 0, sizeof(*record));
	record->kind = "data";
	record->operation = "merge";
	record->snapshot_id = -1;
	record->read_scope = "{\"a\":\"\\\"\n\"}";
	record->rows_inserted = 3;
	record->is_blind = true;
}

/* Publish the next version on top of base (NULL: the first). */
static int publish(const struct catalog_table *base, int64_t *version,
		   bool *conflict)
{
	struct catalog_publish_options options = { .wait_ms = 1000 };
	struct commit_record record;
	struct table_metadata *next;
	int rc;

	if (base) {
		ck_ok(table_metadata_copy(&next, base->metadata, &err));
	} else {
		char *text = metadata_text(
			arena_printf(&arena, "file://%s/t", scratch_path), 1);

		ck_ok(table_metadata_parse(&next, text, strlen(text), "new",
					   &err));
	}
	make_record(&record);
	record.base = record.parent = base ? base->version : 0;
	options.record = &record;
	rc = catalog_publish("t", base, next, &options, version, conflict,
			     &err);
	table_metadata_free(next);
	return rc;
}

static void publish_next(void)
{
	int64_t version;
	bool conflict;

	if (table) {
		catalog_table_free(table);
		table = NULL;
		ck_ok(catalog_open(&table, "t", 0, &err));
	}
	ck_ok(publish(table, &version, &conflict));
	ck_assert(!conflict);
	catalog_table_free(table);
	table = NULL;
	ck_ok(catalog_open(&table, "t", 0, &err));
	ck_assert_int_eq(table->version, version);
}

START_TEST(a_version_is_published_with_hint_and_logs)
{
	struct commit_record *records;
	size_t count;

	publish_next();
	publish_next();
	publish_next();
	scratch_expect("t/metadata/" HINT_NAME, "3", 1);
	ck_assert_uint_eq(table->metadata->metadata_log_count, 2);
	ck_assert_ptr_nonnull(strstr(table->metadata->metadata_log[1]
				     .metadata_file, "v2.metadata.json"));
	ck_ok(commit_log_read(table, &arena, &records, &count, &err));
	ck_assert_uint_eq(count, 3);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_int_eq(records[i].version, (int64_t)i + 1);
		ck_assert_int_eq(records[i].base, (int64_t)i);
		ck_assert_str_eq(records[i].operation, "merge");
		ck_assert_str_eq(records[i].read_scope, "{\"a\":\"\\\"\n\"}");
		ck_assert_uint_eq(records[i].rows_inserted, 3);
		ck_assert(records[i].is_blind);
		ck_assert(!records[i].deletes_only);
	}
	/* an older version knows its own past only */
	catalog_table_free(table);
	ck_ok(catalog_open(&table, "t", 2, &err));
	ck_ok(commit_log_read(table, &arena, &records, &count, &err));
	ck_assert_uint_eq(count, 2);
}
END_TEST

START_TEST(a_base_that_is_not_the_newest_is_a_conflict)
{
	struct catalog_table *stale;
	struct stat before, after;
	int64_t version;
	bool conflict;

	publish_next();
	ck_ok(catalog_open(&stale, "t", 0, &err));
	publish_next();
	ck_assert_int_eq(stat("t/metadata/v2.metadata.json", &before), 0);
	ck_ok(publish(stale, &version, &conflict));
	ck_assert(conflict);
	ck_assert_int_eq(stat("t/metadata/v2.metadata.json", &after), 0);
	ck_assert_int_eq(before.st_ino, after.st_ino);
	/* also when the version after the base was cleaned away */
	publish_next();
	ck_assert_int_eq(unlink("t/metadata/v1.metadata.json"), 0);
	ck_assert_int_eq(unlink("t/metadata/v2.metadata.json"), 0);
	ck_ok(publish(stale, &version, &conflict));
	ck_assert(conflict);
	ck_assert(!path_exists("t/metadata/v2.metadata.json"));
	catalog_table_free(stale);
}
END_TEST

START_TEST(a_gzipped_next_version_is_a_conflict_too)
{
	int64_t version;
	bool conflict;

	publish_next();
	put("v2.gz.metadata.json", "x");
	ck_ok(publish(table, &version, &conflict));
	ck_assert(conflict);
}
END_TEST

START_TEST(a_second_creator_loses)
{
	int64_t version;
	bool conflict;

	publish_next();
	ck_ok(publish(NULL, &version, &conflict));
	ck_assert(conflict);
	expect_version(1);
}
END_TEST

START_TEST(writers_that_race_make_every_version_once)
{
	const int writers = 4, commits = 12;
	struct commit_record *records;
	size_t count;
	int status;

	publish_next();
	for (int w = 0; w < writers; w++) {
		if (fork() != 0)
			continue;
		for (int done = 0; done < commits;) {
			struct catalog_table *base;
			int64_t version;
			bool conflict = true;

			if (catalog_open(&base, "t", 0, &err))
				_exit(2);
			if (publish(base, &version, &conflict))
				_exit(3);
			done += !conflict;
			catalog_table_free(base);
		}
		_exit(0);
	}
	for (int w = 0; w < writers; w++) {
		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_eq(status, 0);
	}
	expect_version(1 + writers * commits);
	ck_ok(commit_log_read(table, &arena, &records, &count, &err));
	ck_assert_uint_eq(count, (size_t)(1 + writers * commits));
	for (size_t i = 0; i < count; i++)
		ck_assert_int_eq(records[i].version, (int64_t)i + 1);
}
END_TEST

START_TEST(a_held_lock_is_waited_for_and_then_reported)
{
	struct catalog_publish_options options = { .wait_ms = 20 };
	struct commit_record record;
	struct table_metadata *next;
	struct file_lock *lock;
	int64_t version;
	bool conflict;

	publish_next();
	make_record(&record);
	options.record = &record;
	ck_ok(file_lock_take(&lock, "t/" LOCK_NAME, true, 0, &err));
	ck_ok(table_metadata_copy(&next, table->metadata, &err));
	ck_assert_int_eq(catalog_publish("t", table, next, &options, &version,
					 &conflict, &err), ERROR_LOCKED);
	table_metadata_free(next);
	file_lock_free(lock);
	expect_version(1);
}
END_TEST

START_TEST(a_failed_write_leaves_the_old_or_the_new_version)
{
	bool seen_old = false, seen_new = false;
	int64_t before = 1;

	publish_next();
	for (long n = 0;; n = next_fault(n)) {
		struct catalog_table *base;
		int64_t version;
		bool conflict, done;
		int rc;

		ck_ok(catalog_open(&base, "t", 0, &err));
		io_fail_at(n, _i ? ENOSPC : EIO);
		rc = publish(base, &version, &conflict);
		done = io_operation_count() <= n;
		io_fail_at(-1, 0);
		catalog_table_free(base);
		catalog_table_free(table);
		ck_ok(catalog_open(&table, "t", 0, &err));
		if (rc) {
			ck_assert_int_eq(rc, _i ? ERROR_NO_SPACE : ERROR_IO);
			ck_assert_int_eq(table->version, before);
			seen_old = true;
		} else {
			ck_assert(!conflict);
			ck_assert_int_eq(table->version, before + 1);
			before++;
			seen_new = true;
		}
		if (done)
			break;
	}
	ck_assert(seen_old && seen_new);
}
END_TEST

START_TEST(each_failed_allocation_leaves_the_old_or_the_new_version)
{
	int64_t before = 1;
	long failed = 0;

	publish_next();
	for (long n = 0;; n = next_fault(n)) {
		struct catalog_table *base = NULL;
		int64_t version;
		bool conflict, done;
		struct catalog_publish_options options = { .wait_ms = 1000 };
		struct commit_record record;
		struct table_metadata *next = NULL;
		int rc;

		make_record(&record);
		options.record = &record;
		mem_fail_at(n);
		rc = catalog_open(&base, "t", 0, &err);
		if (!rc)
			rc = table_metadata_copy(&next, base->metadata, &err);
		if (!rc)
			rc = catalog_publish("t", base, next, &options,
					     &version, &conflict, &err);
		done = mem_alloc_count() <= n;
		mem_fail_at(-1);
		table_metadata_free(next);
		catalog_table_free(base);
		catalog_table_free(table);
		ck_ok(catalog_open(&table, "t", 0, &err));
		if (rc)
			ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		if (!rc && !conflict)
			before++;
		ck_assert_int_eq(table->version, before);
		failed += rc != 0;
		if (done)
			break;
	}
	ck_assert_int_gt(failed, 10);
}
END_TEST

START_TEST(lost_lines_of_the_log_are_found_in_the_metadata)
{
	struct commit_record *records;
	size_t count;
	FILE *file;

	for (int i = 0; i < 5; i++)
		publish_next();
	if (_i == 0)
		ck_assert_int_eq(unlink("t/" LOG_DIRECTORY "/commits.jsonl"),
				 0);
	if (_i == 1)
		ck_assert_int_eq(truncate("t/" LOG_DIRECTORY "/commits.jsonl",
					  300), 0);
	if (_i == 2) {
		/* a hole, as after a crash */
		file = fopen("t/" LOG_DIRECTORY "/commits.jsonl", "r+b");
		ck_assert_ptr_nonnull(file);
		for (int i = 0; i < 400; i++)
			fputc(0, file);
		fclose(file);
	}
	ck_ok(commit_log_read(table, &arena, &records, &count, &err));
	ck_assert_uint_eq(count, 5);
	for (size_t i = 0; i < count; i++)
		ck_assert_int_eq(records[i].version, (int64_t)i + 1);
}
END_TEST

START_TEST(what_a_failed_commit_appended_is_not_read)
{
	struct commit_record *records;
	size_t count;
	FILE *file;

	publish_next();
	publish_next();
	file = fopen("t/" LOG_DIRECTORY "/commits.jsonl", "ab");
	ck_assert_ptr_nonnull(file);
	fputs("{\"version\":2,\"op\":\"ghost\"}\n", file);
	fclose(file);
	ck_ok(commit_log_read(table, &arena, &records, &count, &err));
	ck_assert_uint_eq(count, 2);
	ck_assert_str_eq(records[1].operation, "merge");
	publish_next();
	ck_ok(commit_log_read(table, &arena, &records, &count, &err));
	ck_assert_uint_eq(count, 3);
	ck_assert_str_eq(records[1].operation, "merge");
}
END_TEST

/* The text of version 1, once with a snapshot more. */
static void put_foreign(const char *name, const char *uuid, int64_t time_ms)
{
	char *text = metadata_text("file:///catalog/t", time_ms);
	char *snapshots = strstr(text, "\"snapshots\":[]");

	ck_assert_ptr_nonnull(snapshots);
	*snapshots = '\0';
	if (uuid)
		memcpy(strstr(text, "9c12d441"), uuid, 8);
	put(name, arena_printf(&arena,
		"%s\"snapshots\":[{\"snapshot-id\":5,\"sequence-number\":0,"
		"\"timestamp-ms\":%" PRId64 ",\"summary\":{\"operation\":"
		"\"append\"},\"manifest-list\":\"file:///l.avro\"}],"
		"\"snapshot-log\":[],\"metadata-log\":[]}", text, time_ms));
}

START_TEST(a_table_that_another_catalog_took_over_is_not_written)
{
	int64_t version;
	bool conflict;

	publish_next();
	put_foreign("00001-aa.metadata.json", NULL, 5);
	ck_assert_int_eq(publish(table, &version, &conflict),
			 ERROR_FOREIGN_CATALOG);
	/* it still opens at our version */
	expect_version(1);
	/* a newer one without snapshots is what counts then */
	put_version("00002-bb.metadata.json", 6);
	publish_next();
}
END_TEST

START_TEST(metadata_of_another_table_is_no_takeover)
{
	publish_next();
	put_foreign("00001-aa.metadata.json", "00000000", 5);
	publish_next();
	put("00002-bb.metadata.json", "{");
	publish_next();
}
END_TEST

START_TEST(checksums_of_replaced_names_are_removed)
{
	publish_next();
	put(".v2.metadata.json.crc", "x");
	put(".version-hint.text.crc", "x");
	publish_next();
	ck_assert(!path_exists("t/metadata/.v2.metadata.json.crc"));
	ck_assert(!path_exists("t/metadata/.version-hint.text.crc"));
}
END_TEST

START_TEST(a_pin_is_held_while_it_lives)
{
	struct catalog_pin *pin;
	struct file_lock *lock;
	struct uuid uuid;
	char name[UUID_TEXT_BYTES];
	char *path;

	publish_next();
	ck_ok(uuid_random(&uuid, &err));
	uuid_format(&uuid, name);
	path = arena_printf(&arena, "t/" PIN_DIRECTORY "/%s", name);
	ck_ok(catalog_pin_take(&pin, table, &uuid, &err));
	ck_assert_ptr_nonnull(pin);
	scratch_expect(path, arena_printf(&arena, "1 %ld\n", (long)getpid()),
		       strlen(arena_printf(&arena, "1 %ld\n",
					   (long)getpid())));
	ck_ok(file_lock_take(&lock, path, true, 0, &err));
	ck_assert_ptr_null(lock);
	catalog_pin_free(pin);
	/* it is free, and the next statement takes it over under its name */
	ck_ok(file_lock_take(&lock, path, true, 0, &err));
	ck_assert_ptr_nonnull(lock);
	file_lock_free(lock);
	ck_ok(uuid_random(&uuid, &err));
	uuid_format(&uuid, name);
	ck_ok(catalog_pin_take(&pin, table, &uuid, &err));
	ck_assert(!path_exists(path));
	ck_assert(path_exists(arena_printf(&arena, "t/" PIN_DIRECTORY "/%s",
					   name)));
	catalog_pin_free(pin);
}
END_TEST

/* Iteration 1: what is not the table's stays. */
START_TEST(a_dropped_table_is_gone_with_all_its_files)
{
	char **names;
	int64_t version;
	bool conflict;
	size_t count;

	publish_next();
	ck_assert_int_eq(mkdir("t/data", 0777), 0);
	scratch_file("t/data/rows", "x", 1);
	if (_i)
		scratch_file("t/other", "x", 1);
	ck_ok(catalog_drop("t", &err));
	ck_assert_int_eq(catalog_drop("t", &err), ERROR_UNKNOWN_TABLE);
	/* a commit that was on its way does not bring it back */
	ck_assert_int_eq(publish(table, &version, &conflict),
			 ERROR_UNKNOWN_TABLE);
	ck_assert_int_eq(path_exists("t"), _i);
	if (!_i)
		return;
	ck_ok(directory_list("t", &arena, &names, &count, &err));
	ck_assert_uint_eq(count, 1);
	ck_assert_str_eq(names[0], "other");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("catalog");
	TCase *tc = tcase_create("catalog");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, a_directory_without_metadata_is_no_table);
	tcase_add_loop_test(tc, the_newest_version_is_found_from_any_hint, 0,
			    10);
	tcase_add_test(tc, without_a_hint_the_directory_is_listed);
	tcase_add_test(tc, an_older_version_is_opened_by_its_number);
	tcase_add_loop_test(tc, gzipped_metadata_is_read_under_both_names, 0,
			    2);
	tcase_add_test(tc, files_of_another_catalog_are_read_not_written);
	tcase_add_test(tc, damaged_metadata_is_corrupt_and_named);
	tcase_add_test(tc, a_moved_table_is_read_here_and_not_written);
	tcase_add_test(tc, a_location_through_a_link_is_not_moved);
	tcase_add_test(tc, names_are_found_in_any_case);
	tcase_add_loop_test(tc, names_that_leave_the_warehouse_are_refused, 0,
			    10);
	tcase_add_test(tc, a_version_is_published_with_hint_and_logs);
	tcase_add_test(tc, a_base_that_is_not_the_newest_is_a_conflict);
	tcase_add_test(tc, a_gzipped_next_version_is_a_conflict_too);
	tcase_add_test(tc, a_second_creator_loses);
	tcase_add_test(tc, writers_that_race_make_every_version_once);
	tcase_add_test(tc, a_held_lock_is_waited_for_and_then_reported);
	tcase_add_loop_test(tc,
			    a_failed_write_leaves_the_old_or_the_new_version,
			    0, 2);
	tcase_add_test(tc,
		each_failed_allocation_leaves_the_old_or_the_new_version);
	tcase_add_loop_test(tc,
			    lost_lines_of_the_log_are_found_in_the_metadata,
			    0, 3);
	tcase_add_test(tc, what_a_failed_commit_appended_is_not_read);
	tcase_add_test(tc,
		a_table_that_another_catalog_took_over_is_not_written);
	tcase_add_test(tc, metadata_of_another_table_is_no_takeover);
	tcase_add_test(tc, checksums_of_replaced_names_are_removed);
	tcase_add_test(tc, a_pin_is_held_while_it_lives);
	tcase_add_loop_test(tc, a_dropped_table_is_gone_with_all_its_files, 0,
			    2);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
