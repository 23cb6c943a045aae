/*
 * parquet_reader.c - open a file: find the footer, parse it, check it
 *
 *	"PAR1" | pages and indexes | FileMetaData | length (4 LE) | "PAR1"
 *
 * Why:    everything later trusts the numbers that are checked here: counts
 *         agree, each chunk lies inside the file.
 * How:    the last TAIL_BYTES are read at once, which is the whole footer of
 *         all but very wide files.
 * Limits: encrypted files are refused. Chunks in other files (file_path) and
 *         chunks whose type is not the schema's are corrupt.
 */
#include "parquet/parquet_file.h"

#include <inttypes.h>
#include <stdlib.h>

#define TAIL_BYTES ((size_t)32 << 10)
#define MAGIC_BYTES 4
#define END_BYTES 8		/* footer length and magic */
#define MIN_FILE_BYTES (MAGIC_BYTES + END_BYTES)
/* parquet-mr before 1.2.9 forgot the dictionary header in the chunk's size */
#define CHUNK_SLACK_BYTES 100

uint64_t column_chunk_start(const struct column_chunk *chunk)
{
	int64_t start = chunk->data_page_offset;

	if (chunk->dictionary_page_offset > 0 &&
	    chunk->dictionary_page_offset < start)
		start = chunk->dictionary_page_offset;
	return (uint64_t)start;
}

uint64_t column_chunk_end(const struct parquet_reader *reader,
			  const struct column_chunk *chunk)
{
	uint64_t end = column_chunk_start(chunk) +
		       (uint64_t)chunk->compressed_bytes + CHUNK_SLACK_BYTES;

	return end < reader->data_end ? end : reader->data_end;
}

static int bad_footer(struct error *err, const char *why)
{
	return error_set(err, ERROR_CORRUPT, "Parquet footer: %s", why);
}

static int check_chunk(const struct parquet_reader *reader,
		       const struct row_group *group, size_t leaf,
		       struct error *err)
{
	const struct column_chunk *chunk = &group->columns[leaf];
	const struct leaf_column *column = &reader->leaves[leaf];
	int64_t end = (int64_t)reader->data_end;

	if (chunk->is_encrypted)
		return error_set(err, ERROR_UNSUPPORTED,
				 "the Parquet file is encrypted");
	if (chunk->has_file_path)
		return bad_footer(err, "a column lies in another file");
	if (chunk->type != (int32_t)column->physical)
		return bad_footer(err, "a chunk has not its column's type");
	if (chunk->data_page_offset < MAGIC_BYTES ||
	    chunk->data_page_offset > end || chunk->compressed_bytes < 0 ||
	    chunk->compressed_bytes > end ||
	    chunk->dictionary_page_offset > end ||
	    column_chunk_start(chunk) < MAGIC_BYTES ||
	    column_chunk_start(chunk) + (uint64_t)chunk->compressed_bytes >
		    (uint64_t)end)
		return bad_footer(err, "a chunk lies outside the file");
	if (chunk->value_count < 0 ||
	    (column->max_rep == 0 && chunk->value_count != group->row_count))
		return bad_footer(err, "a chunk has a wrong number of values");
	return 0;
}

static int check_groups(struct parquet_reader *reader, struct error *err)
{
	const struct file_metadata *metadata = &reader->metadata;
	uint64_t row_count = 0;
	int rc;

	reader->group_first = arena_zalloc_array(&reader->arena,
						 metadata->group_count + 1,
						 sizeof(uint64_t));
	if (!reader->group_first)
		return error_set(err, ERROR_NO_MEMORY, "Parquet footer");
	for (size_t g = 0; g < metadata->group_count; g++) {
		const struct row_group *group = &metadata->groups[g];

		reader->group_first[g] = row_count;
		row_count += (uint64_t)group->row_count;
		if (row_count > INT64_MAX)
			return bad_footer(err, "too many rows");
		if (group->column_count != reader->leaf_count)
			return bad_footer(err, "a row group has not the "
					  "schema's columns");
		for (size_t i = 0; group->row_count && i < group->column_count;
		     i++) {
			rc = check_chunk(reader, group, i, err);
			if (!rc)
				continue;
			error_prefix(err, "column %s, row group %zu",
				     reader->leaves[i].door.path, g);
			return rc;
		}
	}
	reader->group_first[metadata->group_count] = row_count;
	if (row_count != (uint64_t)metadata->row_count)
		return bad_footer(err, "row groups have not the file's rows");
	return 0;
}

static int compare_leaf_paths(const void *a, const void *b)
{
	const struct leaf_column *const *left = a, *const *right = b;

	return strcmp((*left)->door.path, (*right)->door.path);
}

static int compare_leaf_ids(const void *a, const void *b)
{
	const struct leaf_column *const *left = a, *const *right = b;
	int32_t l = (*left)->door.field_id, r = (*right)->door.field_id;

	return (l > r) - (l < r);
}

/* Paths must differ; ids that do not are no ids. */
static int check_names(struct parquet_reader *reader, struct error *err)
{
	const struct leaf_column **sorted;
	size_t count = reader->leaf_count;
	bool repeated = false;

	sorted = mem_alloc_array(count + 1, sizeof(*sorted));
	if (!sorted)
		return error_set(err, ERROR_NO_MEMORY, "Parquet footer");
	for (size_t i = 0; i < count; i++)
		sorted[i] = &reader->leaves[i];
	qsort(sorted, count, sizeof(*sorted), compare_leaf_paths);
	for (size_t i = 1; i < count; i++) {
		if (strcmp(sorted[i - 1]->door.path, sorted[i]->door.path))
			continue;
		error_set(err, ERROR_CORRUPT,
			  "Parquet footer: column %s is there twice",
			  sorted[i]->door.path);
		mem_free(sorted);
		return ERROR_CORRUPT;
	}
	qsort(sorted, count, sizeof(*sorted), compare_leaf_ids);
	for (size_t i = 0; i < count; i++) {
		reader->has_field_ids |= sorted[i]->door.field_id >= 0;
		repeated |= i > 0 && sorted[i]->door.field_id >= 0 &&
			    sorted[i]->door.field_id ==
				    sorted[i - 1]->door.field_id;
	}
	mem_free(sorted);
	for (size_t i = 0; i < count && repeated; i++)
		reader->leaves[i].door.field_id = -1;
	if (repeated)
		reader->has_field_ids = false;
	return 0;
}

/* Read the footer into reader->footer. */
static int load_footer(struct parquet_reader *reader, size_t *length_out,
		       struct error *err)
{
	uint64_t size = input_file_size(reader->file);
	size_t tail = size < TAIL_BYTES ? (size_t)size : TAIL_BYTES;
	uint64_t length;
	const uint8_t *end;
	int rc;

	if (size < MIN_FILE_BYTES)
		return error_set(err, ERROR_CORRUPT, "not a Parquet file: "
				 "%" PRIu64 " bytes are too few", size);
	reader->footer = mem_alloc(tail);
	if (!reader->footer)
		return error_set(err, ERROR_NO_MEMORY, "Parquet footer");
	rc = input_file_read(reader->file, size - tail, reader->footer, tail,
			     err);
	if (rc)
		return rc;
	end = reader->footer + tail;
	if (memcmp(end - MAGIC_BYTES, "PARE", MAGIC_BYTES) == 0)
		return error_set(err, ERROR_UNSUPPORTED,
				 "the Parquet file is encrypted");
	if (memcmp(end - MAGIC_BYTES, "PAR1", MAGIC_BYTES) != 0)
		return error_set(err, ERROR_CORRUPT, "not a Parquet file, or "
				 "one that was cut short");
	length = load_le32(end - END_BYTES);
	if (length > size - MIN_FILE_BYTES)
		return bad_footer(err, "it is longer than the file");
	reader->data_end = size - END_BYTES - length;
	*length_out = (size_t)length;
	if (length + END_BYTES <= tail) {
		memmove(reader->footer, end - END_BYTES - length,
			(size_t)length);
		return 0;
	}
	mem_free(reader->footer);
	reader->footer = mem_alloc((size_t)length);
	if (!reader->footer)
		return error_set(err, ERROR_NO_MEMORY, "Parquet footer");
	return input_file_read(reader->file, reader->data_end, reader->footer,
			       (size_t)length, err);
}

static int open_file(struct parquet_reader *reader, struct error *err)
{
	size_t length = 0;
	int rc;

	rc = load_footer(reader, &length, err);
	if (rc)
		return rc;
	rc = footer_parse(&reader->metadata, reader->footer, length,
			  &reader->arena, err);
	if (rc)
		return rc;
	if (reader->metadata.is_encrypted)
		return error_set(err, ERROR_UNSUPPORTED,
				 "the Parquet file is encrypted");
	rc = parquet_schema_leaves(&reader->metadata, &reader->arena,
				   &reader->leaves, &reader->leaf_count, err);
	if (!rc)
		rc = parquet_schema_tree(&reader->metadata, reader->leaves,
					 &reader->arena, &reader->root, err);
	if (rc)
		return rc;
	rc = check_names(reader, err);
	if (rc)
		return rc;
	return check_groups(reader, err);
}

int parquet_reader_open(struct parquet_reader **out, struct input_file *file,
			struct error *err)
{
	struct parquet_reader *reader = mem_zalloc(sizeof(*reader));
	int rc;

	*out = NULL;
	if (!reader)
		return error_set(err, ERROR_NO_MEMORY, "Parquet reader");
	reader->file = file;
	arena_init(&reader->arena, 0);
	rc = open_file(reader, err);
	if (rc) {
		if (rc != ERROR_IO && rc != ERROR_NO_MEMORY)
			error_prefix(err, "%s", input_file_path(file));
		error_at(err, input_file_path(file), 0, 0);
		reader->file = NULL;	/* still the caller's */
		parquet_reader_free(reader);
		return rc;
	}
	*out = reader;
	return 0;
}

void parquet_reader_free(struct parquet_reader *reader)
{
	if (!reader)
		return;
	if (reader->file)
		input_file_close(reader->file);
	arena_release(&reader->arena);
	mem_free(reader->footer);
	mem_free(reader);
}

void parquet_reader_keep_exact(struct parquet_reader *reader)
{
	for (size_t i = 0; i < reader->leaf_count; i++)
		reader->leaves[i].exact_times = true;
}

const struct input_file *parquet_reader_file(
	const struct parquet_reader *reader)
{
	return reader->file;
}

const char *parquet_reader_path(const struct parquet_reader *reader)
{
	return input_file_path(reader->file);
}

bool parquet_leaf_is_kept(const struct parquet_reader *reader, size_t leaf)
{
	const struct leaf_column *column = &reader->leaves[leaf];
	const struct logical_type *logical = &column->logical;

	switch (logical->kind) {
	case LOGICAL_NONE:
		return column->physical != PHYSICAL_INT96;
	case LOGICAL_INTEGER:
		return logical->is_signed && logical->bit_width >= 32;
	case LOGICAL_TIME:
	case LOGICAL_TIMESTAMP:
		return logical->unit == UNIT_MICROS;
	case LOGICAL_STRING:
	case LOGICAL_DECIMAL:
	case LOGICAL_DATE:
	case LOGICAL_UUID:
		return true;
	default:
		return false;
	}
}

size_t parquet_leaf_count(const struct parquet_reader *reader)
{
	return reader->leaf_count;
}

const struct parquet_leaf *parquet_leaf(const struct parquet_reader *reader,
					size_t leaf)
{
	return &reader->leaves[leaf].door;
}

const struct parquet_node *parquet_root(const struct parquet_reader *reader)
{
	return reader->root;
}

bool parquet_has_field_ids(const struct parquet_reader *reader)
{
	return reader->has_field_ids;
}

long parquet_find_field_id(const struct parquet_reader *reader, int32_t id)
{
	for (size_t i = 0; id >= 0 && i < reader->leaf_count; i++)
		if (reader->leaves[i].door.field_id == id)
			return (long)i;
	return -1;
}

long parquet_find_path(const struct parquet_reader *reader, const char *path)
{
	for (size_t i = 0; i < reader->leaf_count; i++)
		if (strcmp(reader->leaves[i].door.path, path) == 0)
			return (long)i;
	return -1;
}

const char *parquet_key_value(const struct parquet_reader *reader,
			      const char *key)
{
	const struct file_metadata *metadata = &reader->metadata;

	for (size_t i = 0; i < metadata->key_value_count; i++)
		if (strcmp(metadata->key_values[i].key, key) == 0)
			return metadata->key_values[i].value;
	return NULL;
}

size_t parquet_row_group_count(const struct parquet_reader *reader)
{
	return reader->metadata.group_count;
}

uint64_t parquet_row_count(const struct parquet_reader *reader)
{
	return (uint64_t)reader->metadata.row_count;
}

uint64_t parquet_row_group_rows(const struct parquet_reader *reader,
				size_t group)
{
	return (uint64_t)reader->metadata.groups[group].row_count;
}

uint64_t parquet_row_group_first(const struct parquet_reader *reader,
				 size_t group)
{
	return reader->group_first[group];
}
