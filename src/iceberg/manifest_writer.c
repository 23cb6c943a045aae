/*
 * manifest_writer.c - manifests of a commit (iceberg.md 8 to 10)
 *
 * Why:    other engines plan their scans from these bytes, so required fields,
 *         header keys and what an entry may inherit are exactly the spec's.
 * How:    entries are encoded in the order of manifest_schema.c; the counts
 *         and partition bounds for the manifest list are gathered meanwhile.
 * Limits: what the format version forbids is refused: deletion vectors in
 *         version 2, new position delete files in version 3.
 */
#include <inttypes.h>
#include <math.h>
#include "iceberg/manifest_schema.h"
#include "iceberg/metadata_json.h"
#include "iceberg/partition_value.h"
#include "iceberg/schema_json.h"
#include "iceberg/single_value.h"

/* Bounds of one partition field over all entries. */
struct field_bounds {
	bool contains_null;
	bool contains_nan;
	const struct literal *lower;	/* borrowed from entries */
	const struct literal *upper;
};

struct manifest_writer {
	const struct table_metadata *metadata;
	struct partition_shape shape;
	struct field_bounds *bounds;
	struct avro_writer avro;
	struct arena *arena;
};

static double real_of(const struct literal *value)
{
	return value->type.id == TYPE_REAL ? (double)value->value.real
					   : value->value.real64;
}

static bool is_real(const struct literal *value)
{
	return value->type.id == TYPE_REAL || value->type.id == TYPE_DOUBLE;
}

/* -0.0 sorts before 0.0 here, unlike in SQL. */
static int compare_bounds(const struct literal *a, const struct literal *b)
{
	int order = literal_compare(a, b);

	if (order == 0 && is_real(a))
		order = !!signbit(real_of(b)) - !!signbit(real_of(a));
	return order;
}

static void note_partition(struct manifest_writer *writer,
			   const struct data_file *file)
{
	for (size_t i = 0; i < file->partition_count; i++) {
		struct field_bounds *bounds = &writer->bounds[i];
		const struct literal *value = &file->partition[i];

		if (value->is_null) {
			bounds->contains_null = true;
		} else if (is_real(value) && isnan(real_of(value))) {
			bounds->contains_nan = true;
		} else {
			if (!bounds->lower ||
			    compare_bounds(value, bounds->lower) < 0)
				bounds->lower = value;
			if (!bounds->upper ||
			    compare_bounds(value, bounds->upper) > 0)
				bounds->upper = value;
		}
	}
}

static int keep_bound(struct manifest_writer *writer,
		      const struct literal *value, struct byte_view *out,
		      struct error *err)
{
	struct text bytes = TEXT_INIT;
	const uint8_t *copy;
	int rc;

	if (!value)
		return 0;
	rc = single_value_encode(value, &bytes, err);
	if (!rc) {
		copy = arena_copy(writer->arena, bytes.data, bytes.length);
		if (copy)
			*out = byte_view(copy, bytes.length);
		else
			rc = error_set(err, ERROR_NO_MEMORY,
				       "partition bounds");
	}
	text_release(&bytes);
	return rc;
}

static int summarise(struct manifest_writer *writer,
		     struct manifest_file *summary, struct error *err)
{
	size_t count = writer->shape.spec->field_count;
	int rc = 0;

	summary->partitions = arena_zalloc_array(writer->arena, count + 1,
					sizeof(*summary->partitions));
	if (!summary->partitions)
		return error_set(err, ERROR_NO_MEMORY, "partition bounds");
	summary->partition_count = count;
	for (size_t i = 0; i < count && !rc; i++) {
		struct partition_summary *out = &summary->partitions[i];
		const struct field_bounds *bounds = &writer->bounds[i];

		out->contains_null = bounds->contains_null;
		out->contains_nan = bounds->contains_nan;
		rc = keep_bound(writer, bounds->lower, &out->lower, err);
		if (!rc)
			rc = keep_bound(writer, bounds->upper, &out->upper,
					err);
	}
	return rc;
}

enum metric_kind { COLUMN_SIZE, VALUE_COUNT, NULL_COUNT, NAN_COUNT };

static int64_t metric_of(const struct column_metrics *m, enum metric_kind kind)
{
	switch (kind) {
	case COLUMN_SIZE:
		return m->column_size;
	case VALUE_COUNT:
		return m->value_count;
	case NULL_COUNT:
		return m->null_count;
	default:
		return m->nan_count;
	}
}

static void put_counts(struct text *block, const struct data_file *file,
		       enum metric_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < file->metrics_count; i++)
		count += metric_of(&file->metrics[i], kind) >= 0;
	avro_put_branch(block, count > 0);
	if (!count)
		return;
	avro_put_long(block, (int64_t)count);
	for (size_t i = 0; i < file->metrics_count; i++) {
		int64_t value = metric_of(&file->metrics[i], kind);

		if (value < 0)
			continue;
		avro_put_long(block, file->metrics[i].field_id);
		avro_put_long(block, value);
	}
	avro_put_long(block, 0);
}

static void put_bounds(struct text *block, const struct data_file *file,
		       bool upper)
{
	size_t count = 0;

	for (size_t i = 0; i < file->metrics_count; i++)
		count += (upper ? file->metrics[i].upper
				: file->metrics[i].lower).data != NULL;
	avro_put_branch(block, count > 0);
	if (!count)
		return;
	avro_put_long(block, (int64_t)count);
	for (size_t i = 0; i < file->metrics_count; i++) {
		struct byte_view bytes = upper ? file->metrics[i].upper
					       : file->metrics[i].lower;

		if (!bytes.data)
			continue;
		avro_put_long(block, file->metrics[i].field_id);
		avro_put_bytes(block, bytes.data, bytes.length);
	}
	avro_put_long(block, 0);
}

static void put_lists(struct text *block, const struct data_file *file)
{
	avro_put_branch(block, file->split_count > 0);
	if (file->split_count) {
		avro_put_long(block, (int64_t)file->split_count);
		for (size_t i = 0; i < file->split_count; i++)
			avro_put_long(block, file->split_offsets[i]);
		avro_put_long(block, 0);
	}
	avro_put_branch(block, file->equality_count > 0);
	if (file->equality_count) {
		avro_put_long(block, (int64_t)file->equality_count);
		for (size_t i = 0; i < file->equality_count; i++)
			avro_put_long(block, file->equality_ids[i]);
		avro_put_long(block, 0);
	}
}

static int put_partition(struct manifest_writer *writer,
			 const struct data_file *file, struct error *err)
{
	const struct partition_spec *spec = writer->shape.spec;

	for (size_t i = 0; i < spec->field_count; i++)
		if (!partition_value_encode(&file->partition[i],
					    &writer->shape.types[i],
					    &writer->avro.block))
			return error_set(err, ERROR_INTERNAL,
				"%s: partition value \"%s\" is of another "
				"type", file->path, spec->fields[i].name);
	return 0;
}

static int put_file(struct manifest_writer *writer,
		    const struct manifest_entry *entry, struct error *err)
{
	static const char *const formats[] = { "PARQUET", "AVRO", "ORC",
					       "PUFFIN" };
	const struct data_file *file = &entry->file;
	struct text *block = &writer->avro.block;
	int rc;

	avro_put_long(block, file->content);
	avro_put_string(block, file->path);
	avro_put_string(block, formats[file->format]);
	rc = put_partition(writer, file, err);
	if (rc)
		return rc;
	avro_put_long(block, file->record_count);
	avro_put_long(block, file->file_size);
	put_counts(block, file, COLUMN_SIZE);
	put_counts(block, file, VALUE_COUNT);
	put_counts(block, file, NULL_COUNT);
	put_counts(block, file, NAN_COUNT);
	put_bounds(block, file, false);
	put_bounds(block, file, true);
	avro_put_branch(block, false);	/* key_metadata */
	put_lists(block, file);
	avro_put_optional_long(block, file->sort_order_id);
	/* a new file gets its row ids from the manifest */
	if (writer->metadata->format_version >= 3)
		avro_put_optional_long(block,
			entry->status == ENTRY_ADDED ? -1
						     : file->first_row_id);
	avro_put_branch(block, file->referenced_data_file != NULL);
	if (file->referenced_data_file)
		avro_put_string(block, file->referenced_data_file);
	if (writer->metadata->format_version >= 3) {
		avro_put_optional_long(block, file->content_offset);
		avro_put_optional_long(block, file->content_size);
	}
	return 0;
}

static int check_entry(const struct manifest_writer *writer,
		       const struct manifest_entry *entry, bool is_deletes,
		       struct error *err)
{
	const struct data_file *file = &entry->file;
	int32_t version = writer->metadata->format_version;
	bool is_vector = file->format == FORMAT_PUFFIN;
	const char *problem = NULL;

	if ((file->content != CONTENT_DATA) != is_deletes)
		problem = "data and deletes in one manifest";
	else if (file->format == FORMAT_OTHER)
		problem = "an unknown file format";
	else if (file->partition_count != writer->shape.spec->field_count)
		problem = "a partition of another spec";
	else if (file->record_count < 0 || file->file_size < 0)
		problem = "no record count or file size";
	else if (entry->status != ENTRY_ADDED && entry->sequence_number < 0)
		problem = "an old file without sequence number";
	else if (is_vector && version < 3)
		problem = "a deletion vector in format version 2";
	else if (is_vector && (!file->referenced_data_file ||
			       file->content_offset < 0 ||
			       file->content_size < 0))
		problem = "a deletion vector without its place";
	else if (version >= 3 && !is_vector && entry->status == ENTRY_ADDED &&
		 file->content == CONTENT_POSITION_DELETES)
		problem = "a new position delete file in format version 3";
	if (!problem)
		return 0;
	return error_set(err, ERROR_INTERNAL, "manifest entry %s: %s",
			 file->path, problem);
}

static int put_entry(struct manifest_writer *writer,
		     const struct manifest_entry *entry, struct error *err)
{
	struct text *block = &writer->avro.block;
	int rc;

	avro_put_long(block, entry->status);
	avro_put_optional_long(block, entry->snapshot_id);
	avro_put_optional_long(block, entry->sequence_number);
	avro_put_optional_long(block, entry->file_sequence_number);
	rc = put_file(writer, entry, err);
	return rc ? rc : avro_writer_end_record(&writer->avro, err);
}

static void count_entry(struct manifest_file *summary,
			const struct manifest_entry *entry)
{
	int64_t rows = entry->file.record_count;

	switch (entry->status) {
	case ENTRY_EXISTING:
		summary->existing_files++;
		summary->existing_rows = count_add(summary->existing_rows,
						   rows);
		break;
	case ENTRY_ADDED:
		summary->added_files++;
		summary->added_rows = count_add(summary->added_rows, rows);
		break;
	default:
		summary->deleted_files++;
		summary->deleted_rows = count_add(summary->deleted_rows, rows);
	}
	if (entry->status != ENTRY_EXISTING && summary->added_snapshot_id < 0)
		summary->added_snapshot_id = entry->snapshot_id;
	if (entry->status != ENTRY_DELETED && entry->sequence_number >= 0 &&
	    (summary->min_sequence_number < 0 ||
	     entry->sequence_number < summary->min_sequence_number))
		summary->min_sequence_number = entry->sequence_number;
}

/* Header keys; "schema" is the table's schema, not the manifest's. */
static int put_meta(struct manifest_writer *writer, bool is_deletes,
		    struct error *err)
{
	const struct table_metadata *m = writer->metadata;
	struct text json = TEXT_INIT;
	int rc;

	rc = schema_json_format(metadata_current_schema(m), &json, err);
	if (!rc)
		rc = avro_writer_meta(&writer->avro, "schema", json.data, err);
	if (!rc)
		rc = avro_writer_number(&writer->avro, "schema-id",
					m->current_schema_id, err);
	text_reset(&json);
	format_spec_fields(writer->shape.spec, &json);
	if (!rc && json.failed)
		rc = error_set(err, ERROR_NO_MEMORY, "manifest header");
	if (!rc)
		rc = avro_writer_meta(&writer->avro, "partition-spec",
				      json.data, err);
	if (!rc)
		rc = avro_writer_number(&writer->avro, "partition-spec-id",
					writer->shape.spec->spec_id, err);
	if (!rc)
		rc = avro_writer_number(&writer->avro, "format-version",
					m->format_version, err);
	if (!rc)
		rc = avro_writer_meta(&writer->avro, "content",
				      is_deletes ? "deletes" : "data", err);
	text_reset(&json);
	if (!rc)
		rc = manifest_iceberg_schema(m->format_version,
					     &writer->shape, &json, err);
	if (!rc)
		rc = avro_writer_meta(&writer->avro, "iceberg.schema",
				      json.data, err);
	text_release(&json);
	return rc;
}

static int start(struct manifest_writer *writer, int32_t spec_id,
		 struct text *out, struct error *err)
{
	const struct table_metadata *m = writer->metadata;
	struct text schema = TEXT_INIT;
	struct type *types;
	int rc;

	if (m->format_version != 2 && m->format_version != 3)
		return error_set(err, ERROR_UNSUPPORTED,
				 "writing tables of format version %d",
				 (int)m->format_version);
	writer->shape.spec = metadata_spec(m, spec_id);
	if (!writer->shape.spec || !metadata_current_schema(m))
		return error_set(err, ERROR_INTERNAL,
				 "no partition spec %d", (int)spec_id);
	rc = metadata_partition_types(m, writer->shape.spec, writer->arena,
				      &types, err);
	if (rc)
		return rc;
	writer->shape.types = types;
	writer->bounds = arena_zalloc_array(writer->arena,
		writer->shape.spec->field_count + 1, sizeof(*writer->bounds));
	if (!writer->bounds)
		return error_set(err, ERROR_NO_MEMORY, "partition bounds");
	rc = manifest_avro_schema(m->format_version, &writer->shape, &schema,
				  err);
	if (!rc)
		rc = avro_writer_init(&writer->avro, out, schema.data, err);
	text_release(&schema);
	return rc;
}

int manifest_format(const struct manifest_entry *entries, size_t count,
		    bool is_deletes, int32_t spec_id,
		    const struct table_metadata *metadata, struct text *out,
		    struct manifest_file *summary, struct arena *arena,
		    struct error *err)
{
	struct manifest_writer writer;
	int rc;

	memset(&writer, 0, sizeof(writer));
	memset(summary, 0, sizeof(*summary));
	writer.metadata = metadata;
	writer.arena = arena;
	summary->spec_id = spec_id;
	summary->is_deletes = is_deletes;
	summary->sequence_number = -1;
	summary->min_sequence_number = -1;
	summary->added_snapshot_id = -1;
	summary->first_row_id = -1;
	rc = start(&writer, spec_id, out, err);
	if (!rc)
		rc = put_meta(&writer, is_deletes, err);
	for (size_t i = 0; !rc && i < count; i++) {
		rc = check_entry(&writer, &entries[i], is_deletes, err);
		if (rc)
			break;
		rc = put_entry(&writer, &entries[i], err);
		if (rc)
			break;
		note_partition(&writer, &entries[i].file);
		count_entry(summary, &entries[i]);
	}
	if (!rc)
		rc = avro_writer_finish(&writer.avro, err);
	if (!rc)
		rc = summarise(&writer, summary, err);
	avro_writer_release(&writer.avro);
	return rc;
}
