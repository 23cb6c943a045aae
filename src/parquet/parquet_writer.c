/*
 * parquet_writer.c - a file: magic, row groups, indexes, footer
 *
 *	"PAR1" | row groups | column indexes | offset indexes |
 *	Bloom filters | FileMetaData | its length (4 LE) | "PAR1"
 *
 * Why:    one place knows offsets; encoders work without them.
 * How:    an appended group gives up its page bytes at once and stays with
 *         its metadata until the end, when indexes and footer are written.
 * Limits: the footer must stay below 2 GiB.
 */
#include "parquet/parquet_writer.h"

#include "parquet/page_index_write.h"
#include "parquet/parquet_encoder.h"


struct parquet_writer {
	struct output_file *file;
	struct write_schema shape;
	struct parquet_sort *sorting;	/* by leaf */
	const struct parquet_options *options;
	struct encoded_row_group **groups;
	size_t group_count;
	size_t group_capacity;
	int64_t *split_offsets;
	size_t split_capacity;
	uint64_t row_count;
	struct parquet_column_totals *totals;
	struct arena arena;
};

/* Totals, and the leaves of the columns by which rows are sorted. */
static int init_totals(struct parquet_writer *writer, struct error *err)
{
	const struct parquet_options *options = writer->options;
	const struct write_schema *shape = &writer->shape;

	writer->totals = arena_zalloc_array(&writer->arena,
					    shape->leaf_count + 1,
					    sizeof(*writer->totals));
	writer->sorting = arena_zalloc_array(&writer->arena,
					     options->sorting_count + 1,
					     sizeof(*writer->sorting));
	if (!writer->totals || !writer->sorting)
		return error_set(err, ERROR_NO_MEMORY, "Parquet writer");
	for (size_t i = 0; i < shape->leaf_count; i++) {
		const struct write_leaf *leaf = &shape->leaves[i];

		writer->totals[i].field_id = leaf->column.field_id;
		writer->totals[i].column = leaf->top;
		writer->totals[i].type = leaf->column.type;
	}
	for (size_t i = 0; i < options->sorting_count; i++) {
		writer->sorting[i] = options->sorting[i];
		writer->sorting[i].column =
			shape->first_leaf[options->sorting[i].column];
	}
	return 0;
}

int parquet_writer_new(struct parquet_writer **out, struct output_file *file,
		       const struct schema *schema,
		       const struct parquet_options *options,
		       struct error *err)
{
	struct parquet_writer *writer;
	int rc;

	*out = NULL;
	writer = mem_zalloc(sizeof(*writer));
	if (!writer)
		return error_set(err, ERROR_NO_MEMORY, "Parquet writer");
	writer->file = file;
	writer->options = options;
	arena_init(&writer->arena, 0);
	rc = write_schema_make(&writer->shape, schema, &writer->arena, err);
	if (!rc)
		rc = init_totals(writer, err);
	if (!rc)
		rc = output_file_write(file, FILE_MAGIC, 4, err);
	if (rc) {
		parquet_writer_free(writer);
		return rc;
	}
	*out = writer;
	return 0;
}

void parquet_writer_free(struct parquet_writer *writer)
{
	if (!writer)
		return;
	for (size_t i = 0; i < writer->group_count; i++)
		encoded_row_group_free(writer->groups[i]);
	mem_free(writer->groups);
	mem_free(writer->split_offsets);
	arena_release(&writer->arena);
	mem_free(writer);
}

static bool reserve_group(struct parquet_writer *writer)
{
	return mem_grow((void **)&writer->groups, &writer->group_capacity,
			writer->group_count, sizeof(*writer->groups)) &&
	       mem_grow((void **)&writer->split_offsets,
			&writer->split_capacity, writer->group_count,
			sizeof(*writer->split_offsets));
}

static int write_chunk(struct parquet_writer *writer,
		       struct encoded_chunk *chunk, struct error *err)
{
	int64_t start = (int64_t)output_file_offset(writer->file);
	const struct text *dictionary = &chunk->dictionary_page;
	int rc = 0;

	chunk->metadata.data_page_offset = start + (int64_t)dictionary->length;
	if (dictionary->length) {
		chunk->metadata.dictionary_page_offset = start;
		rc = output_file_write(writer->file, dictionary->data,
				       dictionary->length, err);
	}
	if (!rc)
		rc = output_file_write(writer->file, chunk->pages.data,
				       chunk->pages.length, err);
	return rc;
}

/* PLAIN bytes of a column to a literal whose bytes live in the arena. */
int plain_literal(const struct type *type, struct byte_view bytes,
		  struct arena *arena, struct literal *out, struct error *err)
{
	struct literal value = literal_null(*type);

	value.is_null = false;
	switch (type->id) {
	case TYPE_BOOLEAN: value.value.boolean = *bytes.data; break;
	case TYPE_INTEGER:
	case TYPE_DATE:
		value.value.int32 = (int32_t)load_le32(bytes.data);
		break;
	case TYPE_REAL: memcpy(&value.value.real, bytes.data, 4); break;
	case TYPE_DOUBLE: memcpy(&value.value.real64, bytes.data, 8); break;
	case TYPE_DECIMAL:
		if (type->precision <= 9)
			value.value.decimal = (int32_t)load_le32(bytes.data);
		else if (type->precision <= DECIMAL_SHORT_PRECISION)
			value.value.decimal = (int64_t)load_le64(bytes.data);
		else
			value.value.decimal = decimal_from_bytes(bytes.data,
								 bytes.length);
		break;
	case TYPE_UUID: memcpy(value.value.uuid.bytes, bytes.data, 16); break;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
	case TYPE_FIXED: value.value.bytes = bytes; break;
	default: value.value.int64 = (int64_t)load_le64(bytes.data); break;
	}
	return literal_copy(out, &value, arena, err);
}

/* The literals of a chunk's exact bounds, made before anything is written so
 * that running out of memory changes nothing. */
static int chunk_literals(struct parquet_writer *writer,
			  const struct encoded_row_group *group,
			  struct literal *bounds, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < group->column_count && !rc; i++) {
		const struct encoded_chunk *chunk = &group->chunks[i];
		const struct type *type = &writer->totals[i].type;

		if (!chunk->has_bounds || writer->shape.leaves[i].in_list)
			continue;
		rc = plain_literal(type, chunk->min, &writer->arena,
				   &bounds[2 * i], err);
		if (!rc)
			rc = plain_literal(type, chunk->max,
					   &writer->arena, &bounds[2 * i + 1], err);
	}
	return rc;
}

static void add_totals(struct parquet_writer *writer,
		       const struct encoded_row_group *group,
		       const struct literal *bounds)
{
	for (size_t i = 0; i < group->column_count; i++) {
		const struct encoded_chunk *chunk = &group->chunks[i];
		struct parquet_column_totals *totals = &writer->totals[i];
		int64_t nan_count = chunk->metadata.statistics.nan_count;

		totals->compressed_bytes += chunk->metadata.compressed_bytes;
		totals->value_count += chunk->metadata.value_count;
		totals->null_count += chunk->metadata.statistics.null_count;
		totals->nan_count += nan_count > 0 ? nan_count : 0;
		/* bounds of elements say nothing of rows */
		if (!chunk->has_bounds || writer->shape.leaves[i].in_list)
			continue;
		if (!totals->has_bounds ||
		    literal_compare(&bounds[2 * i], &totals->min) < 0)
			totals->min = bounds[2 * i];
		if (!totals->has_bounds ||
		    literal_compare(&bounds[2 * i + 1], &totals->max) > 0)
			totals->max = bounds[2 * i + 1];
		totals->has_bounds = true;
	}
}

int parquet_writer_append(struct parquet_writer *writer,
			  struct encoded_row_group *group, struct error *err)
{
	struct literal *bounds;
	int64_t start = (int64_t)output_file_offset(writer->file);
	int rc;

	bounds = arena_zalloc_array(&writer->arena,
				    2 * group->column_count + 1,
				    sizeof(*bounds));
	if (!bounds || !reserve_group(writer))
		return error_set(err, ERROR_NO_MEMORY, "Parquet writer");
	rc = chunk_literals(writer, group, bounds, err);
	for (size_t i = 0; i < group->column_count && !rc; i++)
		rc = write_chunk(writer, &group->chunks[i], err);
	if (rc)
		return rc;
	add_totals(writer, group, bounds);
	encoded_row_group_drop_pages(group);
	writer->split_offsets[writer->group_count] = start;
	writer->groups[writer->group_count++] = group;
	writer->row_count += group->row_count;
	return 0;
}

uint64_t parquet_writer_rows(const struct parquet_writer *writer)
{
	return writer->row_count;
}

uint64_t parquet_writer_bytes(const struct parquet_writer *writer)
{
	return output_file_offset(writer->file);
}

enum appendix {
	APPENDIX_COLUMN_INDEX,
	APPENDIX_OFFSET_INDEX,
	APPENDIX_BLOOM,
};

static bool serialize(const struct encoded_chunk *chunk, enum appendix what,
		      const struct type *type, struct text *out)
{
	switch (what) {
	case APPENDIX_COLUMN_INDEX:
		return column_index_serialize(chunk, value_order_of(type), out);
	case APPENDIX_OFFSET_INDEX:
		return offset_index_serialize(chunk, out);
	case APPENDIX_BLOOM:
		break;
	}
	return !chunk->bloom.words || bloom_serialize(&chunk->bloom, out);
}

static void note_appendix(struct column_chunk *metadata, enum appendix what,
			  int64_t offset, int32_t length)
{
	if (length == 0)
		return;
	switch (what) {
	case APPENDIX_COLUMN_INDEX:
		metadata->column_index_offset = offset;
		metadata->column_index_length = length;
		break;
	case APPENDIX_OFFSET_INDEX:
		metadata->offset_index_offset = offset;
		metadata->offset_index_length = length;
		break;
	case APPENDIX_BLOOM:
		metadata->bloom_filter_offset = offset;
		metadata->bloom_filter_length = length;
		break;
	}
}

/* One kind of appendix of all chunks of all groups. */
static int write_appendix(struct parquet_writer *writer, enum appendix what,
			  struct text *buffer, struct error *err)
{
	for (size_t g = 0; g < writer->group_count; g++) {
		struct encoded_row_group *group = writer->groups[g];

		for (size_t i = 0; i < group->column_count; i++) {
			struct encoded_chunk *chunk = &group->chunks[i];
			int64_t offset =
				(int64_t)output_file_offset(writer->file);
			int rc;

			text_reset(buffer);
			if (!serialize(chunk, what,
				       &writer->totals[i].type,
				       buffer))
				return error_set(err, ERROR_NO_MEMORY,
						 "Parquet writer");
			rc = output_file_write(writer->file, buffer->data,
					       buffer->length, err);
			if (rc)
				return rc;
			note_appendix(&chunk->metadata, what, offset,
				      (int32_t)buffer->length);
		}
	}
	return 0;
}

static int fill_groups(struct parquet_writer *writer,
		       struct file_metadata *metadata, struct error *err)
{
	const struct write_leaf *leaves = writer->shape.leaves;
	size_t columns = writer->shape.leaf_count;

	metadata->groups = arena_zalloc_array(&writer->arena,
					      writer->group_count + 1,
					      sizeof(*metadata->groups));
	if (!metadata->groups)
		return error_set(err, ERROR_NO_MEMORY, "Parquet writer");
	for (size_t g = 0; g < writer->group_count; g++) {
		const struct encoded_row_group *from = writer->groups[g];
		struct row_group *group = &metadata->groups[g];

		group->columns = arena_zalloc_array(&writer->arena, columns + 1,
						    sizeof(*group->columns));
		if (!group->columns)
			return error_set(err, ERROR_NO_MEMORY,
					 "Parquet writer");
		group->column_count = columns;
		group->row_count = (int64_t)from->row_count;
		group->file_offset = writer->split_offsets[g];
		for (size_t i = 0; i < columns; i++) {
			struct column_chunk *chunk = &group->columns[i];

			*chunk = from->chunks[i].metadata;
			chunk->parts = leaves[i].parts;
			chunk->part_count = leaves[i].part_count;
			group->total_byte_size += chunk->uncompressed_bytes;
			group->compressed_bytes += chunk->compressed_bytes;
		}
	}
	return 0;
}

static int fill_metadata(struct parquet_writer *writer,
			 struct file_metadata *metadata,
			 struct key_value key_values[2], struct error *err)
{
	const struct parquet_options *options = writer->options;

	memset(metadata, 0, sizeof(*metadata));
	metadata->version = 1;
	metadata->row_count = (int64_t)writer->row_count;
	metadata->group_count = writer->group_count;
	metadata->created_by = options->created_by;
	metadata->column_order_count = writer->shape.leaf_count;
	metadata->sorting = writer->sorting;
	metadata->sorting_count = options->sorting_count;
	metadata->key_values = key_values;
	if (options->iceberg_schema)
		key_values[metadata->key_value_count++] = (struct key_value){
			"iceberg.schema", options->iceberg_schema
		};
	if (options->delete_type)
		key_values[metadata->key_value_count++] = (struct key_value){
			"delete-type", options->delete_type
		};
	metadata->elements = writer->shape.elements;
	metadata->element_count = writer->shape.element_count;
	return fill_groups(writer, metadata, err);
}

static int write_footer(struct parquet_writer *writer, struct text *buffer,
			struct error *err)
{
	struct file_metadata metadata;
	struct key_value key_values[2];
	int rc;

	rc = fill_metadata(writer, &metadata, key_values, err);
	if (rc)
		return rc;
	return footer_write(&metadata, buffer, writer->file, err);
}

int parquet_writer_finish(struct parquet_writer *writer, struct error *err)
{
	struct text buffer = TEXT_INIT;
	int rc;

	rc = write_appendix(writer, APPENDIX_COLUMN_INDEX, &buffer, err);
	if (!rc)
		rc = write_appendix(writer, APPENDIX_OFFSET_INDEX, &buffer,
				    err);
	if (!rc)
		rc = write_appendix(writer, APPENDIX_BLOOM, &buffer, err);
	if (!rc)
		rc = write_footer(writer, &buffer, err);
	text_release(&buffer);
	return rc ? rc : output_file_flush(writer->file, err);
}

const struct parquet_column_totals *
parquet_writer_totals(const struct parquet_writer *writer)
{
	return writer->totals;
}

const int64_t *parquet_writer_split_offsets(const struct parquet_writer *w,
					    size_t *count_out)
{
	*count_out = w->group_count;
	return w->split_offsets;
}
