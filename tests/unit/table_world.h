#ifndef TESTS_UNIT_TABLE_WORLD_H
#define TESTS_UNIT_TABLE_WORLD_H
#include <inttypes.h>
#include <stdio.h>
#include "unit/check_main.h"
#include "unit/check_scratch.h"
#include "unit/parquet_write.h"
#include "puffin/puffin.h"
#include "table/table.h"

/*
 * Tables made by hand, file by file, so that a test can say which deletes
 * there are and with which sequence numbers. A table has the columns
 * id BIGINT (1), name VARCHAR (2), score DOUBLE (3); row n of a data file
 * has id first + n, name "n<id>" (NULL if id % 7 is 0), score id / 2.
 */
static struct error err;

#define WORLD_ENTRIES 64

struct world {
	char directory[300];
	int format_version;
	int partitioned;	/* by identity of id / 1000, as field "part" */
	struct arena arena;
	struct manifest_entry entries[WORLD_ENTRIES];	/* of the next commit */
	size_t entry_count;
	int next_file;
	size_t group_rows;	/* of data files; 0 = one group */
	bool bloom;
	bool bounds;		/* put bounds of id into the manifest */
};

static inline void world_schema(struct schema *schema)
{
	schema_init(schema);
	ck_ok(schema_add_column(schema, "id", type_of(TYPE_BIGINT), &err));
	ck_ok(schema_add_column(schema, "name", type_of(TYPE_VARCHAR),
				&err));
	ck_ok(schema_add_column(schema, "score", type_of(TYPE_DOUBLE),
				&err));
}

static inline void world_make(struct world *world, const char *name,
			      int format_version, bool partitioned)
{
	struct table_create_options options = { 0 };
	static char part[] = "name";
	struct partition_field field = { 2, 0, part, { 0 } };
	struct partition_spec spec = { 0, &field, 1 };
	struct schema schema;
	int64_t version;

	memset(world, 0, sizeof(*world));
	arena_init(&world->arena, 0);
	snprintf(world->directory, sizeof(world->directory), "%s/%s",
		 scratch_path, name);
	world->format_version = format_version;
	world->partitioned = partitioned;
	world->bounds = true;
	world_schema(&schema);
	options.schema = &schema;
	options.format_version = format_version;
	options.now_us = 1700000000000000;
	if (partitioned) {
		ck_ok(transform_parse(&field.transform, "identity",
				      &world->arena, &err));
		options.spec = &spec;
	}
	ck_ok(table_create(world->directory, &options, &version, &err));
	ck_assert_int_eq(version, 1);
	schema_release(&schema);
}

static inline void world_release(struct world *world)
{
	arena_release(&world->arena);
}

/* A path of the table as a URI in arena, and *local the path itself. */
static inline char *world_path(struct world *world, const char *suffix,
			       char **local)
{
	char real[300];

	ck_assert_ptr_nonnull(realpath(world->directory, real));
	*local = arena_printf(&world->arena, "%s/data/f%03d%s", real,
			      world->next_file++, suffix);
	return path_to_uri(&world->arena, *local);
}

static inline struct manifest_entry *world_entry(struct world *world,
						 const char *uri)
{
	struct manifest_entry *entry =
		&world->entries[world->entry_count++];

	ck_assert_uint_le(world->entry_count, WORLD_ENTRIES);
	memset(entry, 0, sizeof(*entry));
	entry->status = ENTRY_ADDED;
	entry->snapshot_id = -1;
	entry->sequence_number = -1;
	entry->file_sequence_number = -1;
	entry->file.path = arena_strdup(&world->arena, uri);
	entry->file.sort_order_id = -1;
	entry->file.first_row_id = -1;
	entry->file.content_offset = -1;
	entry->file.content_size = -1;
	return entry;
}

/* Give the entry the partition name = text (NULL: name IS NULL). */
static inline void world_partition(struct world *world,
				   struct manifest_entry *entry,
				   const char *text)
{
	struct literal *value = arena_zalloc(&world->arena, sizeof(*value));

	*value = literal_null(type_of(TYPE_VARCHAR));
	if (text) {
		value->is_null = false;
		value->value.bytes = byte_view(text, strlen(text));
	}
	entry->file.partition = value;
	entry->file.partition_count = 1;
}

/* Write vectors as one Parquet file; entry gets sizes and offsets. */
static inline void world_parquet(struct world *world, const char *path,
				 const struct schema *schema,
				 const struct vector *columns,
				 struct manifest_entry *entry)
{
	const struct vector *pointers[8];
	struct parquet_options options;
	struct parquet_writing what = { schema, &options, pointers,
					columns[0].count, world->group_rows };
	struct parquet_writer *writer;
	struct output_file *file;
	const int64_t *offsets;
	bool bloom[8] = { world->bloom };

	parquet_options_init(&options);
	options.bloom_columns = bloom;
	for (size_t i = 0; i < schema->column_count; i++)
		pointers[i] = &columns[i];
	ck_ok(output_file_create(&file, path, &err));
	ck_ok(parquet_write(&what, file, &writer, &err));
	entry->file.file_size = (int64_t)output_file_offset(file);
	entry->file.record_count = (int64_t)what.row_count;
	offsets = parquet_writer_split_offsets(writer,
					       &entry->file.split_count);
	entry->file.split_offsets =
		arena_copy(&world->arena, offsets,
			   entry->file.split_count * sizeof(*offsets));
	ck_ok(output_file_close(file, false, &err));
	parquet_writer_free(writer);
	output_file_free(file);
}

/* Metrics with exact bounds of a BIGINT column. */
static inline void world_bounds(struct world *world,
				struct manifest_entry *entry,
				int32_t field_id, int64_t low, int64_t high)
{
	struct column_metrics *m = arena_zalloc(&world->arena, sizeof(*m));

	m->field_id = field_id;
	m->column_size = m->nan_count = -1;
	m->value_count = entry->file.record_count;
	m->lower = byte_view(arena_copy(&world->arena, &low, 8), 8);
	m->upper = byte_view(arena_copy(&world->arena, &high, 8), 8);
	entry->file.metrics = m;
	entry->file.metrics_count = 1;
}

static inline void world_fill(struct world *world, struct vector *columns,
			      int64_t first, size_t count)
{
	vector_init(&columns[0], type_of(TYPE_BIGINT));
	vector_init(&columns[1], type_of(TYPE_VARCHAR));
	vector_init(&columns[2], type_of(TYPE_DOUBLE));
	for (int i = 0; i < 3; i++) {
		ck_ok(vector_reserve(&columns[i], count, &err));
		columns[i].count = count;
	}
	for (size_t i = 0; i < count; i++) {
		int64_t id = first + (int64_t)i;
		char *name = arena_printf(&world->arena, "n%" PRId64, id);

		vector_i64(&columns[0])[i] = id;
		vector_bytes(&columns[1])[i] = byte_view(name, strlen(name));
		vector_f64(&columns[2])[i] = (double)id / 2;
		if (id % 7 == 0)
			ck_ok(vector_set_null(&columns[1], i, &err));
	}
}

/* Add a data file of rows first .. first + count - 1. */
static inline struct manifest_entry *
world_data(struct world *world, int64_t first, size_t count)
{
	struct manifest_entry *entry;
	struct vector columns[3];
	struct schema schema;
	char *local, *uri = world_path(world, ".parquet", &local);

	world_schema(&schema);
	for (int i = 0; i < 3; i++)
		schema.columns[i].field_id = i + 1;
	world_fill(world, columns, first, count);
	entry = world_entry(world, uri);
	world_parquet(world, local, &schema, columns, entry);
	if (world->bounds)
		world_bounds(world, entry, 1, first,
			     first + (int64_t)count - 1);
	for (int i = 0; i < 3; i++)
		vector_release(&columns[i]);
	schema_release(&schema);
	return entry;
}

/* Add a position delete file; paths[i] and positions[i], count rows. */
static inline struct manifest_entry *
world_positions(struct world *world, const char *const *paths,
		const int64_t *positions, size_t count)
{
	struct manifest_entry *entry;
	struct vector columns[2];
	struct schema schema;
	char *local, *uri = world_path(world, "-deletes.parquet", &local);

	schema_init(&schema);
	ck_ok(schema_add_column(&schema, "file_path", type_of(TYPE_VARCHAR),
				&err));
	ck_ok(schema_add_column(&schema, "pos", type_of(TYPE_BIGINT), &err));
	schema.columns[0].field_id = 2147483546;
	schema.columns[1].field_id = 2147483545;
	schema.columns[0].required = schema.columns[1].required = true;
	vector_init(&columns[0], type_of(TYPE_VARCHAR));
	vector_init(&columns[1], type_of(TYPE_BIGINT));
	for (int i = 0; i < 2; i++) {
		ck_ok(vector_reserve(&columns[i], count, &err));
		columns[i].count = count;
	}
	for (size_t i = 0; i < count; i++) {
		vector_bytes(&columns[0])[i] = byte_view(paths[i],
							 strlen(paths[i]));
		vector_i64(&columns[1])[i] = positions[i];
	}
	entry = world_entry(world, uri);
	entry->file.content = CONTENT_POSITION_DELETES;
	world_parquet(world, local, &schema, columns, entry);
	for (int i = 0; i < 2; i++)
		vector_release(&columns[i]);
	schema_release(&schema);
	return entry;
}

/* Add a deletion vector of the data file at uri. */
static inline struct manifest_entry *
world_vector(struct world *world, const char *target,
	     const uint64_t *positions, size_t count)
{
	struct manifest_entry *entry;
	struct puffin_writer *writer;
	struct output_file *file;
	struct puffin_blob blob;
	struct roaring64 *set;
	char *local, *uri = world_path(world, ".puffin", &local);

	ck_ok(roaring64_new(&set, &err));
	ck_ok(roaring64_add_many(set, positions, count, &err));
	ck_ok(output_file_create(&file, local, &err));
	ck_ok(puffin_writer_new(&writer, file, "test", &err));
	ck_ok(puffin_writer_add_vector(writer, set, target, &blob, &err));
	ck_ok(puffin_writer_finish(writer, &err));
	entry = world_entry(world, uri);
	entry->file.content = CONTENT_POSITION_DELETES;
	entry->file.format = FORMAT_PUFFIN;
	entry->file.record_count = (int64_t)blob.cardinality;
	entry->file.file_size = (int64_t)output_file_offset(file);
	entry->file.content_offset = (int64_t)blob.offset;
	entry->file.content_size = (int64_t)blob.length;
	entry->file.referenced_data_file = arena_strdup(&world->arena,
							target);
	ck_ok(output_file_close(file, false, &err));
	puffin_writer_free(writer);
	output_file_free(file);
	roaring64_free(set);
	return entry;
}

/* Add equality deletes by name; NULL names are NULL. */
static inline struct manifest_entry *
world_names(struct world *world, const char *const *names, size_t count)
{
	struct manifest_entry *entry;
	struct vector column;
	struct schema schema;
	char *local, *uri = world_path(world, "-eq.parquet", &local);
	int32_t id = 2;

	schema_init(&schema);
	ck_ok(schema_add_column(&schema, "name", type_of(TYPE_VARCHAR),
				&err));
	schema.columns[0].field_id = 2;
	vector_init(&column, type_of(TYPE_VARCHAR));
	ck_ok(vector_reserve(&column, count, &err));
	column.count = count;
	for (size_t i = 0; i < count; i++) {
		if (names[i])
			vector_bytes(&column)[i] = byte_view(
				names[i], strlen(names[i]));
		else
			ck_ok(vector_set_null(&column, i, &err));
	}
	entry = world_entry(world, uri);
	entry->file.content = CONTENT_EQUALITY_DELETES;
	entry->file.equality_ids = arena_copy(&world->arena, &id, sizeof(id));
	entry->file.equality_count = 1;
	world_parquet(world, local, &schema, &column, entry);
	vector_release(&column);
	schema_release(&schema);
	return entry;
}

/* Write one manifest of the entries of one kind, append its line. */
static inline void world_manifest(struct world *world, bool deletes,
				  const struct table_metadata *metadata,
				  struct manifest_file *lines,
				  size_t *line_count)
{
	struct manifest_entry chosen[WORLD_ENTRIES];
	struct manifest_file *line = &lines[*line_count];
	struct text bytes = TEXT_INIT;
	char *local, *uri;
	size_t count = 0;

	for (size_t i = 0; i < world->entry_count; i++)
		if ((world->entries[i].file.content != CONTENT_DATA) ==
		    deletes)
			chosen[count++] = world->entries[i];
	if (!count)
		return;
	uri = world_path(world, ".avro", &local);
	memset(line, 0, sizeof(*line));
	ck_ok(manifest_format(chosen, count, deletes,
			      metadata->default_spec_id, metadata, &bytes,
			      line, &world->arena, &err));
	scratch_file(local, bytes.data, bytes.length);
	line->path = uri;
	line->length = (int64_t)bytes.length;
	line->sequence_number = metadata->last_sequence_number + 1;
	if (line->min_sequence_number < 0)
		line->min_sequence_number = line->sequence_number;
	line->first_row_id = -1;
	++*line_count;
	text_release(&bytes);
}

/* The manifests of the current snapshot, read back. */
static inline void world_carry(struct world *world,
			       const struct snapshot *snapshot,
			       struct manifest_file *lines,
			       size_t *line_count)
{
	struct manifest_file *old;
	struct input_file *file;
	char *path;
	size_t count;

	if (!snapshot)
		return;
	ck_ok(path_from_uri(&world->arena, snapshot->manifest_list, &path,
			    &err));
	ck_ok(input_file_open(&file, path, &err));
	ck_ok(manifest_list_read(&old, &count, file, &world->arena, &err));
	input_file_close(file);
	for (size_t i = 0; i < count; i++)
		lines[(*line_count)++] = old[i];
}

/* Commit the entries added since the last commit; returns the version. */
static inline int64_t world_commit(struct world *world)
{
	static char key[] = "operation", value[] = "overwrite";
	struct key_value summary = { key, value };
	struct manifest_file lines[WORLD_ENTRIES];
	struct manifest_list_options list = { 0 };
	struct catalog_publish_options publish = { .wait_ms = 1000 };
	struct commit_record record = { .kind = "data", .operation = "test" };
	struct snapshot snapshot = { 0 };
	struct table_metadata *next;
	struct catalog_table *base;
	struct text bytes = TEXT_INIT;
	size_t line_count = 0;
	int64_t version = 0;
	bool conflict = true;
	char *local;

	ck_ok(catalog_open(&base, world->directory, 0, &err));
	ck_ok(table_metadata_copy(&next, base->metadata, &err));
	ck_ok(metadata_upgrade(next, world->format_version, &err));
	snapshot.snapshot_id = next->last_sequence_number + 100;
	for (size_t i = 0; i < world->entry_count; i++)
		world->entries[i].snapshot_id = snapshot.snapshot_id;
	world_carry(world, metadata_current_snapshot(next), lines,
		    &line_count);
	world_manifest(world, false, next, lines, &line_count);
	world_manifest(world, true, next, lines, &line_count);
	snapshot.parent_id = next->current_snapshot_id;
	snapshot.sequence_number = next->last_sequence_number + 1;
	snapshot.timestamp_ms = 1700000000000 + snapshot.sequence_number;
	snapshot.schema_id = next->current_schema_id;
	snapshot.first_row_id = next->next_row_id;
	snapshot.summary = &summary;
	snapshot.summary_count = 1;
	if (world->format_version >= 3)
		for (size_t i = 0; i < line_count; i++)
			if (!lines[i].is_deletes &&
			    lines[i].first_row_id < 0) {
				lines[i].first_row_id =
					snapshot.first_row_id +
					snapshot.added_rows;
				snapshot.added_rows +=
					lines[i].added_rows +
					lines[i].existing_rows;
			}
	for (size_t i = 0; i < line_count; i++)
		if (lines[i].added_snapshot_id < 0 ||
		    lines[i].sequence_number == snapshot.sequence_number)
			lines[i].added_snapshot_id = snapshot.snapshot_id;
	list.format_version = world->format_version;
	list.snapshot_id = snapshot.snapshot_id;
	list.parent_id = snapshot.parent_id;
	list.sequence_number = snapshot.sequence_number;
	list.first_row_id = snapshot.first_row_id;
	ck_ok(manifest_list_format(lines, line_count, &list, &bytes, &err));
	snapshot.manifest_list = world_path(world, "-list.avro", &local);
	scratch_file(local, bytes.data, bytes.length);
	ck_ok(metadata_add_snapshot(next, &snapshot, &err));
	record.base = record.parent = base->version;
	record.snapshot_id = snapshot.snapshot_id;
	publish.record = &record;
	ck_ok(catalog_publish(base->directory, base, next, &publish,
			      &version, &conflict, &err));
	ck_assert(!conflict);
	table_metadata_free(next);
	catalog_table_free(base);
	text_release(&bytes);
	world->entry_count = 0;
	return version;
}
#endif
