/*
 * fuzz_avro.c - any bytes as a manifest list and as a manifest
 *
 * Input:  an Avro file. The table has columns 1 to 4 of several types and
 *         partitions by all of them, so that values of any type are decoded.
 *         What is read is written as a manifest and must be read again.
 */
#include <stdlib.h>
#include "iceberg/iceberg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

#define COLUMNS 5

static struct table_metadata *make_table(void)
{
	const struct type types[COLUMNS] = { type_of(TYPE_BIGINT),
		type_decimal(9, 2), type_of(TYPE_VARCHAR),
		type_of(TYPE_DOUBLE), type_of(TYPE_UUID) };
	static const char *const names[COLUMNS] = { "a", "b", "c", "d", "e" };
	static struct partition_field fields[COLUMNS];
	struct partition_spec spec = { 0, fields, COLUMNS };
	struct table_metadata_options options;
	struct table_metadata *metadata;
	struct schema schema;
	struct arena arena;
	struct error err;

	arena_init(&arena, 0);
	schema_init(&schema);
	memset(&options, 0, sizeof(options));
	for (int i = 0; i < COLUMNS; i++) {
		fields[i].source_id = i + 1;
		fields[i].name = (char *)names[i];
		if (schema_add_column(&schema, names[i], types[i], &err) ||
		    transform_parse(&fields[i].transform, "identity", &arena,
				    &err))
			abort();
	}
	options.format_version = 3;
	options.location = "file:///t";
	options.schema = &schema;
	options.spec = &spec;
	if (table_metadata_new(&metadata, &options, &err))
		abort();
	schema_release(&schema);
	arena_release(&arena);
	return metadata;
}

/* What could be read can be written, unless a rule of the format forbids
 * it, and comes back as it was. */
static void write_back(const struct manifest_entry *entries, size_t count,
		       struct manifest_file *manifest,
		       const struct table_metadata *metadata,
		       struct arena *arena)
{
	struct manifest_source source = { NULL, manifest, metadata, NULL };
	struct manifest_entry *again;
	struct manifest_file summary;
	struct text bytes = TEXT_INIT;
	struct input_file *file;
	struct error err;
	size_t again_count;

	if (!manifest_format(entries, count, manifest->is_deletes, 0, metadata,
			     &bytes, &summary, arena, &err)) {
		if (input_file_memory(&file, "again", bytes.data, bytes.length,
				      &err))
			abort();
		source.file = file;
		if (manifest_read(&again, &again_count, &source, arena, &err) ||
		    again_count != count)
			abort();
		input_file_close(file);
	}
	text_release(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	static struct table_metadata *metadata;
	struct avro_schema_memo *memo = NULL;
	struct manifest_source source;
	struct manifest_entry *entries;
	struct manifest_file *list, manifest;
	struct input_file *file;
	struct arena arena;
	struct error err;
	size_t count;

	if (!metadata)
		metadata = make_table();
	arena_init(&arena, 0);
	error_init(&err);
	if (input_file_memory(&file, "fuzz", data, length, &err))
		abort();
	if (manifest_list_read(&list, &count, file, &arena, &err) &&
	    !err.text[0])
		abort();
	source = (struct manifest_source){ file, &manifest, metadata, &memo };
	memset(&manifest, 0, sizeof(manifest));
	manifest.sequence_number = 7;
	manifest.added_snapshot_id = 1;
	manifest.first_row_id = length % 2 ? 0 : -1;
	for (int i = 0; i < 2; i++) {
		manifest.is_deletes = i;
		if (!manifest_read(&entries, &count, &source, &arena, &err))
			write_back(entries, count, &manifest, metadata,
				   &arena);
		else if (!err.text[0])
			abort();
	}
	input_file_close(file);
	arena_release(&arena);
	return 0;
}
