/*
 * manifest_list.c - which manifests make up a snapshot (iceberg.md 7)
 *
 * Why:    a scan starts here; the counts and partition bounds tell which
 *         manifests it need not open.
 * How:    read by field id through an Avro plan; written field by field in
 *         the order of manifest_schema.c.
 * Cost:   about 200 bytes and well under a microsecond per manifest.
 */
#include <inttypes.h>
#include "iceberg/manifest_schema.h"

enum list_slot {
	SLOT_PATH, SLOT_LENGTH, SLOT_SPEC_ID, SLOT_CONTENT, SLOT_SEQUENCE,
	SLOT_MIN_SEQUENCE, SLOT_ADDED_SNAPSHOT, SLOT_ADDED_FILES,
	SLOT_EXISTING_FILES, SLOT_DELETED_FILES, SLOT_ADDED_ROWS,
	SLOT_EXISTING_ROWS, SLOT_DELETED_ROWS, SLOT_PARTITIONS,
	SLOT_FIRST_ROW_ID, LIST_SLOTS
};

static const struct avro_want list_wants[LIST_SLOTS] = {
	[SLOT_PATH] = { FIELD_LIST_PATH, "manifest_path", -1 },
	[SLOT_LENGTH] = { FIELD_LIST_LENGTH, "manifest_length", -1 },
	[SLOT_SPEC_ID] = { FIELD_LIST_SPEC_ID, "partition_spec_id", -1 },
	[SLOT_CONTENT] = { FIELD_LIST_CONTENT, "content", -1 },
	[SLOT_SEQUENCE] = { FIELD_LIST_SEQUENCE, "sequence_number", -1 },
	[SLOT_MIN_SEQUENCE] = { FIELD_LIST_MIN_SEQUENCE,
				"min_sequence_number", -1 },
	[SLOT_ADDED_SNAPSHOT] = { FIELD_LIST_ADDED_SNAPSHOT,
				  "added_snapshot_id", -1 },
	[SLOT_ADDED_FILES] = { FIELD_LIST_ADDED_FILES, "added_files_count",
			       -1 },
	[SLOT_EXISTING_FILES] = { FIELD_LIST_EXISTING_FILES,
				  "existing_files_count", -1 },
	[SLOT_DELETED_FILES] = { FIELD_LIST_DELETED_FILES,
				 "deleted_files_count", -1 },
	[SLOT_ADDED_ROWS] = { FIELD_LIST_ADDED_ROWS, "added_rows_count", -1 },
	[SLOT_EXISTING_ROWS] = { FIELD_LIST_EXISTING_ROWS,
				 "existing_rows_count", -1 },
	[SLOT_DELETED_ROWS] = { FIELD_LIST_DELETED_ROWS,
				"deleted_rows_count", -1 },
	[SLOT_PARTITIONS] = { FIELD_LIST_PARTITIONS, "partitions", -1 },
	[SLOT_FIRST_ROW_ID] = { FIELD_LIST_FIRST_ROW_ID, "first_row_id", -1 },
};

static const struct avro_want summary_wants[] = {
	{ FIELD_CONTAINS_NULL, "contains_null", -1 },
	{ FIELD_CONTAINS_NAN, "contains_nan", -1 },
	{ FIELD_LOWER_BOUND, "lower_bound", -1 },
	{ FIELD_UPPER_BOUND, "upper_bound", -1 },
};

struct list_reader {
	const char *path;
	struct arena *arena;
	struct avro_reader *avro;
	struct avro_plan plan;
	struct avro_plan summary_plan;
	bool has_summaries;	/* the schema has them in a usable shape */
	struct manifest_file *manifests;
	size_t count;
	size_t capacity;
};

static int corrupt(const struct list_reader *reader, const char *what,
		   struct error *err)
{
	return error_set(err, ERROR_CORRUPT, "%s: manifest list: %s",
			 reader->path, what);
}

static struct byte_view bytes_of(const struct avro_value *value)
{
	if (!value->type || (value->type->kind != AVRO_BYTES &&
			     value->type->kind != AVRO_STRING))
		return byte_view(NULL, 0);
	return value->value.bytes;
}

static int read_summaries(struct list_reader *reader,
			  const struct avro_value *array,
			  struct manifest_file *out, struct error *err)
{
	struct avro_items items;
	size_t count = avro_items_count(array);
	int more;

	out->partitions = arena_zalloc_array(reader->arena, count + 1,
					     sizeof(*out->partitions));
	if (!out->partitions)
		return error_set(err, ERROR_NO_MEMORY, "manifest list");
	avro_items_init(&items, array);
	while ((more = avro_items_next(&items)) > 0 &&
	       out->partition_count < count) {
		struct avro_value values[ARRAY_COUNT(summary_wants)];
		struct partition_summary *s;

		if (!avro_decode(&reader->summary_plan, &items.cursor,
				 values))
			return corrupt(reader, "malformed summary", err);
		s = &out->partitions[out->partition_count++];
		/* unless it is known that there is none, there may be */
		s->contains_null = !values[0].type ||
				   values[0].type->kind != AVRO_BOOLEAN ||
				   values[0].value.integer;
		s->contains_nan = -1;
		if (values[1].type && values[1].type->kind == AVRO_BOOLEAN)
			s->contains_nan = (int)values[1].value.integer;
		s->lower = bytes_of(&values[2]);
		s->upper = bytes_of(&values[3]);
	}
	return more < 0 ? corrupt(reader, "malformed summary", err) : 0;
}

static int read_manifest_file(struct list_reader *reader,
			      const struct avro_value *v,
			      struct manifest_file *out, struct error *err)
{
	struct byte_view path = bytes_of(&v[SLOT_PATH]);
	int64_t spec_id = avro_number(&v[SLOT_SPEC_ID], 0);
	int64_t content = avro_number(&v[SLOT_CONTENT], 0);

	memset(out, 0, sizeof(*out));
	out->length = avro_number(&v[SLOT_LENGTH], -1);
	out->sequence_number = avro_number(&v[SLOT_SEQUENCE], 0);
	out->min_sequence_number = avro_number(&v[SLOT_MIN_SEQUENCE], 0);
	out->added_snapshot_id = avro_number(&v[SLOT_ADDED_SNAPSHOT], -1);
	out->added_files = avro_number(&v[SLOT_ADDED_FILES], -1);
	out->existing_files = avro_number(&v[SLOT_EXISTING_FILES], -1);
	out->deleted_files = avro_number(&v[SLOT_DELETED_FILES], -1);
	out->added_rows = avro_number(&v[SLOT_ADDED_ROWS], -1);
	out->existing_rows = avro_number(&v[SLOT_EXISTING_ROWS], -1);
	out->deleted_rows = avro_number(&v[SLOT_DELETED_ROWS], -1);
	out->first_row_id = avro_number(&v[SLOT_FIRST_ROW_ID], -1);
	if (!path.data || memchr(path.data, 0, path.length))
		return corrupt(reader, "no usable manifest path", err);
	if (out->length < 0 || out->sequence_number < 0 ||
	    out->min_sequence_number < 0 || spec_id < INT32_MIN ||
	    spec_id > INT32_MAX || content < 0 || content > 1)
		return corrupt(reader, "a number out of range", err);
	out->spec_id = (int32_t)spec_id;
	out->is_deletes = content == 1;
	out->path = arena_strndup(reader->arena, (const char *)path.data,
				  path.length);
	if (!out->path)
		return error_set(err, ERROR_NO_MEMORY, "manifest list");
	if (!v[SLOT_PARTITIONS].type || !reader->has_summaries)
		return 0;
	return read_summaries(reader, &v[SLOT_PARTITIONS], out, err);
}

static int make_plans(struct list_reader *reader, struct error *err)
{
	const struct avro_schema *summaries;
	int rc;

	rc = avro_plan_make(&reader->plan, avro_reader_schema(reader->avro),
			    list_wants, LIST_SLOTS, reader->arena, err);
	if (rc)
		return error_prefix(err, "%s", reader->path);
	summaries = reader->plan.types[SLOT_PARTITIONS];
	if (!summaries || summaries->kind != AVRO_ARRAY ||
	    summaries->fields[0].type->kind != AVRO_RECORD)
		return 0;
	reader->has_summaries = true;
	return avro_plan_make(&reader->summary_plan,
			      summaries->fields[0].type, summary_wants,
			      ARRAY_COUNT(summary_wants), reader->arena, err);
}

static int read_block(struct list_reader *reader, struct cursor *cursor,
		      size_t count, struct error *err)
{
	struct avro_value values[LIST_SLOTS];
	int rc;

	for (size_t i = 0; i < count; i++) {
		if (!avro_decode(&reader->plan, cursor, values))
			return corrupt(reader, "malformed record", err);
		if (!mem_grow((void **)&reader->manifests, &reader->capacity,
			      reader->count, sizeof(*reader->manifests)))
			return error_set(err, ERROR_NO_MEMORY,
					 "manifest list");
		rc = read_manifest_file(reader, values,
					&reader->manifests[reader->count],
					err);
		if (rc)
			return rc;
		reader->count++;
	}
	if (cursor_left(cursor))
		return corrupt(reader, "bytes behind the records", err);
	return 0;
}

int manifest_list_read(struct manifest_file **out, size_t *count_out,
		       struct input_file *file, struct arena *arena,
		       struct error *err)
{
	struct list_reader reader;
	struct cursor cursor;
	size_t count = 0;
	int rc;

	*out = NULL;
	*count_out = 0;
	memset(&reader, 0, sizeof(reader));
	reader.path = input_file_path(file);
	reader.arena = arena;
	rc = avro_reader_open(&reader.avro, file, NULL, arena, err);
	if (!rc)
		rc = make_plans(&reader, err);
	while (!rc) {
		rc = avro_reader_next(reader.avro, &cursor, &count, err);
		if (rc || !count)
			break;
		rc = read_block(&reader, &cursor, count, err);
	}
	if (!rc) {
		*out = arena_copy(arena, reader.manifests,
				  reader.count * sizeof(**out));
		*count_out = reader.count;
		if (!*out) {
			*count_out = 0;
			rc = error_set(err, ERROR_NO_MEMORY, "manifest list");
		}
	}
	mem_free(reader.manifests);
	avro_reader_free(reader.avro);
	return rc;
}

static void put_optional_bytes(struct text *block, struct byte_view bytes)
{
	avro_put_branch(block, bytes.data != NULL);
	if (bytes.data)
		avro_put_bytes(block, bytes.data, bytes.length);
}

static void put_summaries(struct text *block, const struct manifest_file *m)
{
	avro_put_branch(block, m->partitions != NULL);
	if (!m->partitions)
		return;
	if (m->partition_count)
		avro_put_long(block, (int64_t)m->partition_count);
	for (size_t i = 0; i < m->partition_count; i++) {
		const struct partition_summary *s = &m->partitions[i];

		avro_put_boolean(block, s->contains_null);
		avro_put_branch(block, s->contains_nan >= 0);
		if (s->contains_nan >= 0)
			avro_put_boolean(block, s->contains_nan > 0);
		put_optional_bytes(block, s->lower);
		put_optional_bytes(block, s->upper);
	}
	avro_put_long(block, 0);
}

static int put_manifest_file(struct text *block,
			     const struct manifest_file *m,
			     int32_t format_version, struct error *err)
{
	const int64_t numbers[] = {
		m->sequence_number, m->min_sequence_number,
		m->added_snapshot_id, m->added_files, m->existing_files,
		m->deleted_files, m->added_rows, m->existing_rows,
		m->deleted_rows,
	};

	avro_put_string(block, m->path);
	avro_put_long(block, m->length);
	avro_put_long(block, m->spec_id);
	avro_put_long(block, m->is_deletes);
	for (size_t i = 0; i < ARRAY_COUNT(numbers); i++) {
		/* version 2 requires what version 1 may not know; snapshot
		 * ids of some writers are negative */
		if (numbers[i] == -1 ||
		    (numbers[i] < 0 && numbers[i] != m->added_snapshot_id))
			return error_set(err, ERROR_INTERNAL,
					 "manifest %s: a number of the "
					 "manifest list is not known",
					 m->path);
		avro_put_long(block, numbers[i]);
	}
	put_summaries(block, m);
	avro_put_branch(block, false);	/* key_metadata */
	if (format_version >= 3)
		avro_put_optional_long(block, m->is_deletes
						      ? -1 : m->first_row_id);
	return 0;
}

static int put_list_meta(struct avro_writer *writer,
			 const struct manifest_list_options *options,
			 const char *iceberg_schema, struct error *err)
{
	int rc;

	rc = avro_writer_number(writer, "format-version",
				options->format_version, err);
	if (!rc)
		rc = avro_writer_number(writer, "snapshot-id",
					options->snapshot_id, err);
	if (!rc && options->parent_id >= 0)
		rc = avro_writer_number(writer, "parent-snapshot-id",
					options->parent_id, err);
	else if (!rc)
		rc = avro_writer_meta(writer, "parent-snapshot-id", "null",
				      err);
	if (!rc)
		rc = avro_writer_number(writer, "sequence-number",
					options->sequence_number, err);
	if (!rc && options->format_version >= 3)
		rc = avro_writer_number(writer, "first-row-id",
					options->first_row_id, err);
	if (!rc)
		rc = avro_writer_meta(writer, "iceberg.schema",
				      iceberg_schema, err);
	return rc;
}

int manifest_list_format(const struct manifest_file *manifests, size_t count,
			 const struct manifest_list_options *options,
			 struct text *out, struct error *err)
{
	struct text avro = TEXT_INIT, iceberg = TEXT_INIT;
	struct avro_writer writer;
	int rc;

	memset(&writer, 0, sizeof(writer));
	rc = manifest_avro_schema(options->format_version, NULL, &avro, err);
	if (!rc)
		rc = manifest_iceberg_schema(options->format_version, NULL,
					     &iceberg, err);
	if (!rc)
		rc = avro_writer_init(&writer, out, avro.data, err);
	if (!rc)
		rc = put_list_meta(&writer, options, iceberg.data, err);
	for (size_t i = 0; !rc && i < count; i++) {
		rc = put_manifest_file(&writer.block, &manifests[i],
				       options->format_version, err);
		if (!rc)
			rc = avro_writer_end_record(&writer, err);
	}
	if (!rc)
		rc = avro_writer_finish(&writer, err);
	avro_writer_release(&writer);
	text_release(&avro);
	text_release(&iceberg);
	return rc;
}
