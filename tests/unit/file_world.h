#ifndef TESTS_UNIT_FILE_WORLD_H
#define TESTS_UNIT_FILE_WORLD_H
#include "unit/check_main.h"
#include "unit/check_scratch.h"
#include "unit/parquet_write.h"
#include "filetarget/filetarget.h"

/*
 * A file of rows (id BIGINT, name VARCHAR), CSV or Parquet, that takes changes
 * through the interface of targets as the engine calls it, and is read back;
 * in a scratch directory.
 */
#define FILE_ROWS 6000
#define FILE_CHANGES 1000
#define NO_NUMBER INT64_MIN

struct file_row {
	int64_t id;		/* NO_NUMBER = NULL */
	char name[40];
	bool no_name;
};

/* What is to become of a row, or a row to add. */
struct file_change {
	enum row_operation operation;
	uint64_t row;
	bool keeps_id;		/* an update's page has no id */
	struct file_row to;
};

struct file_world {
	const char *path;	/* "t.csv" or "t.parquet" */
	struct schema schema;
	struct file_target_options options;
	struct target *target;
	struct merge_handle *handle;
	struct merge_sink *sinks[2];
	struct fragments fragments;
	struct merge_outcome outcome;
	const struct file_change *changes;
	size_t change_count;
	struct vector values[FILE_CHANGES][2];
	size_t memory_bytes;
	bool dry_run;
	uint64_t seen;		/* rows of the scan */
};

static struct error err;
static struct file_world world;

static inline void file_world_init(const char *path)
{
	error_init(&err);
	scratch_make();
	memset(&world, 0, sizeof(world));
	world.path = path;
	schema_init(&world.schema);
	ck_ok(schema_add_column(&world.schema, "id", type_of(TYPE_BIGINT),
				&err));
	ck_ok(schema_add_column(&world.schema, "name", type_of(TYPE_VARCHAR),
				&err));
	csv_options_init(&world.options.csv);
	world.options.types = &world.schema;
	world.options.thread_count = 2;
}

/* Vectors of two columns; names are borrowed from the rows. */
static inline void file_vectors(struct vector columns[2],
				const struct file_row *rows, size_t count)
{
	vector_init(&columns[0], type_of(TYPE_BIGINT));
	vector_init(&columns[1], type_of(TYPE_VARCHAR));
	for (size_t i = 0; i < count; i++) {
		struct literal id = literal_null(type_of(TYPE_BIGINT));
		struct literal name = literal_null(type_of(TYPE_VARCHAR));

		id.is_null = rows[i].id == NO_NUMBER;
		id.value.int64 = rows[i].id;
		name.is_null = rows[i].no_name;
		name.value.bytes = byte_view(rows[i].name,
					     strlen(rows[i].name));
		ck_ok(vector_append(&columns[0], &id, &err));
		ck_ok(vector_append(&columns[1], &name, &err));
	}
}

static inline void file_write_parquet(const struct file_row *rows,
				      size_t count, size_t group_rows)
{
	struct vector columns[2];
	const struct vector *pointers[2] = { &columns[0], &columns[1] };
	struct parquet_options options;
	const struct parquet_writing what = { &world.schema, &options,
					      pointers, count, group_rows };
	struct output_file *file;

	file_vectors(columns, rows, count);
	parquet_options_init(&options);
	ck_ok(output_file_create(&file, world.path, &err));
	ck_ok(parquet_write(&what, file, NULL, &err));
	ck_ok(output_file_close(file, false, &err));
	output_file_free(file);
	vector_release(&columns[0]);
	vector_release(&columns[1]);
}

/* Fields that need quotes have them. */
static inline void file_write_csv(const struct file_row *rows, size_t count)
{
	FILE *file = fopen(world.path, "wb");

	ck_assert_ptr_nonnull(file);
	fputs("id,name\n", file);
	for (size_t i = 0; i < count; i++) {
		const char *name = rows[i].name;

		if (rows[i].id != NO_NUMBER)
			fprintf(file, "%lld", (long long)rows[i].id);
		fputc(',', file);
		if (!rows[i].no_name && name[strcspn(name, ",\"\n\r")])
			fprintf(file, "\"%s\"", name);
		else if (!rows[i].no_name)
			fputs(*name ? name : "\"\"", file);
		fputc('\n', file);
	}
	ck_assert_int_eq(fclose(file), 0);
}

static inline int file_scan(struct file_row *rows)
{
	static const size_t columns[] = { 0, 1 };
	const struct target_ops *ops = world.target->ops;
	struct target_scan_request request = { columns, 2, NULL, 0 };
	struct target_stream *stream;
	struct target_batch *batch;
	struct target_scan *scan;
	int rc = ops->scan_new(world.handle, &request, &scan, &err);

	world.seen = 0;
	if (rc)
		return rc;
	rc = ops->stream_new(scan, &stream, &err);
	while (!rc && !(rc = ops->stream_next(stream, &batch, &err)) &&
	       batch) {
		for (size_t i = 0; i < batch->batch.row_count; i++) {
			struct literal id = vector_get(
				&batch->batch.columns[0], i);
			struct literal name = vector_get(
				&batch->batch.columns[1], i);
			struct file_row *row = rows ? &rows[world.seen] : NULL;

			ck_assert_uint_eq(batch->row_ids[i], world.seen);
			ck_assert_uint_lt(world.seen++, FILE_ROWS);
			if (!row)
				continue;
			memset(row, 0, sizeof(*row));
			row->id = id.is_null ? NO_NUMBER : id.value.int64;
			row->no_name = name.is_null;
			if (!name.is_null)
				memcpy(row->name, name.value.bytes.data,
				       name.value.bytes.length);
		}
	}
	if (stream)
		ops->stream_free(stream);
	ops->scan_free(scan);
	return rc;
}

/* What file_apply() does from now on. */
static inline void file_prepare(const struct file_change *changes,
				size_t count)
{
	for (size_t i = 0; i < world.change_count; i++) {
		vector_release(&world.values[i][0]);
		vector_release(&world.values[i][1]);
	}
	ck_assert_uint_le(count, FILE_CHANGES);
	world.changes = changes;
	world.change_count = count;
	for (size_t i = 0; i < count; i++)
		file_vectors(world.values[i], &changes[i].to, 1);
}

static inline void file_world_release(void)
{
	mem_fail_at(-1);
	io_fail_at(-1, 0);
	file_prepare(NULL, 0);
	schema_release(&world.schema);
	scratch_remove();
}

/* A page of one change. */
static inline int file_store(struct merge_sink *sink,
			     const struct file_change *change,
			     const struct vector *values, uint64_t unit)
{
	struct vector none[2];
	const struct vector *pointers[2];
	int8_t operation = (int8_t)change->operation;
	int32_t case_number = 0;
	uint64_t row_id = change->operation == OPERATION_INSERT
				  ? ROW_ID_NONE : change->row;
	uint8_t derived = 0;
	struct change_page page = { .row_count = 1, .columns = pointers,
		.column_count = 2, .operation = &operation,
		.case_number = &case_number, .row_id = &row_id,
		.insert_from_update = &derived, .unit = unit };

	vector_init(&none[0], type_of(TYPE_BIGINT));
	vector_init(&none[1], type_of(TYPE_VARCHAR));
	pointers[0] = change->keeps_id ||
		      change->operation == OPERATION_DELETE ? &none[0]
							    : &values[0];
	pointers[1] = change->operation == OPERATION_DELETE ? &none[1]
							    : &values[1];
	return world.target->ops->sink_store(sink, &page, &err);
}

/* A CSV file has its new rows in the order of their units, a Parquet file in
 * that of the sinks. */
static inline size_t file_sink(size_t i)
{
	if (world.path[2] == 'p' &&
	    world.changes[i].operation == OPERATION_INSERT)
		return 0;
	return i / 7 % 2;
}

static inline int file_store_all(void)
{
	const struct target_ops *ops = world.target->ops;
	int rc = 0;

	for (size_t s = 0; !rc && s < 2; s++)
		rc = ops->sink_new(world.handle, &world.sinks[s], &err);
	for (size_t i = 0; !rc && i < world.change_count; i++)
		rc = file_store(world.sinks[file_sink(i)], &world.changes[i],
				world.values[i], i / 7);
	for (size_t s = 0; !rc && s < 2; s++)
		rc = ops->sink_finish(world.sinks[s], &world.fragments, &err);
	for (size_t s = 0; s < 2; s++) {
		if (world.sinks[s])
			ops->sink_free(world.sinks[s]);
		world.sinks[s] = NULL;
	}
	return rc;
}

static inline int file_open(void)
{
	struct merge_begin_options begin = {
		.statement = STATEMENT_MERGE,
		.paradigm = CHANGE_ONLY_UPDATED_COLUMNS,
		.reads_target = true, .thread_count = 2,
		.memory_bytes = world.memory_bytes };
	int rc = file_target_new(&world.target, world.path, &world.options,
				 &err);

	world.handle = NULL;
	if (rc)
		ck_assert_ptr_null(world.target);
	return rc ? rc : target_merge_begin(world.target, &begin,
					    &world.handle, &err);
}

static inline void file_close(void)
{
	if (world.handle)
		world.target->ops->merge_abort(world.handle);
	world.handle = NULL;
	target_free(world.target);
	world.target = NULL;
	fragments_release(&world.fragments);
	memset(&world.fragments, 0, sizeof(world.fragments));
}

/* Open, read, change, finish or abort, close. */
static inline int file_apply(void)
{
	struct merge_finish_options finish = { .dry_run = world.dry_run };
	int rc = file_open();

	if (!rc)
		rc = file_scan(NULL);
	if (!rc)
		rc = file_store_all();
	if (!rc) {
		rc = world.target->ops->merge_finish(world.handle,
						     &world.fragments, &finish,
						     &world.outcome, &err);
		world.handle = NULL;
	}
	file_close();
	return rc;
}

/* Is the file what the rows say, and alone in its directory? */
static inline void file_expect(const struct file_row *rows, size_t count)
{
	static struct file_row got[FILE_ROWS];

	ck_ok(file_open());
	ck_ok(file_scan(got));
	file_close();
	ck_assert_uint_eq(world.seen, count);
	for (size_t i = 0; i < count; i++) {
		ck_assert_int_eq(got[i].id, rows[i].id);
		ck_assert_int_eq(got[i].no_name, rows[i].no_name);
		ck_assert_str_eq(got[i].name, rows[i].no_name ? ""
							       : rows[i].name);
	}
	ck_assert_int_eq(system("test \"$(ls -A)\" = \"$(ls -A t.*)\""), 0);
}
#endif
