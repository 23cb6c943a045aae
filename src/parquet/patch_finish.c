/*
 * patch_finish.c - indexes, Bloom filters and footer of a patched file
 *
 * Why:    readers skip by them, so they must be as right as before.
 * How:    those of new chunks are made as for any file. A column index and a
 *         Bloom filter of a copied chunk are copied; its offset index is
 *         parsed, checked and written again with the offsets moved. An index
 *         that contradicts itself is left out, which costs speed alone.
 */
#include "parquet/page_index_write.h"
#include "parquet/patch_state.h"

#define COLUMN_INDEX_LIMIT INT32_MAX

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "copy of a Parquet file");
}

/* What stands for a leaf of a group. */
struct leaf_place {
	struct patch_group *group;
	const struct patch_column *column;
	size_t index;			/* of the leaf in the column */
	struct column_chunk *chunk;	/* of the new file */
	struct encoded_chunk *fresh;	/* NULL = copied */
	size_t old_leaf;
	const struct column_chunk *old;	/* when copied */
};

static struct leaf_place find_place(struct parquet_patch *patch, size_t g,
				    size_t c, size_t index)
{
	struct leaf_place place = { .group = &patch->groups[g],
				    .column = &patch->columns[c],
				    .index = index };

	place.chunk = &place.group->chunks[place.column->first_leaf + index];
	if (place.group->fresh[c]) {
		place.fresh = &place.group->fresh[c]->chunks[index];
		return place;
	}
	place.old_leaf = place.column->def->top->first_leaf + index;
	place.old = &patch->reader->metadata.groups[place.group->old_group]
			     .columns[place.old_leaf];
	return place;
}

typedef int write_leaf(struct parquet_patch *patch, struct leaf_place *place,
		       struct text *buffer, struct error *err);

/* One kind of appendix of all chunks of all groups. */
static int write_each(struct parquet_patch *patch, write_leaf *write,
		      struct text *buffer, struct error *err)
{
	int rc = 0;

	for (size_t g = 0; !rc && g < patch->group_count; g++)
		for (size_t c = 0; !rc && c < patch->options.column_count;
		     c++)
			for (size_t i = 0;
			     !rc && i < patch->columns[c].leaf_count; i++) {
				struct leaf_place place =
					find_place(patch, g, c, i);

				text_reset(buffer);
				rc = write(patch, &place, buffer, err);
			}
	return rc;
}

static int write_buffer(struct parquet_patch *patch, const struct text *buffer,
			struct error *err)
{
	if (buffer->failed)
		return no_memory(err);
	patch->fresh_bytes += buffer->length;
	return output_file_write(patch->file, buffer->data, buffer->length,
				 err);
}

/* An offset index that is sound, moved to where its chunk is now. */
static int move_offsets(struct parquet_patch *patch,
			const struct leaf_place *place, struct text *buffer,
			struct error *err)
{
	uint64_t start = column_chunk_start(place->chunk);
	uint64_t old_start = column_chunk_start(place->old);
	struct offset_index *index;
	struct thrift_writer w;
	struct arena arena;
	int rc;

	arena_init(&arena, 0);
	rc = offset_index_load(patch->reader, place->group->old_group,
			       place->old_leaf, &arena, &index, err);
	if (!rc && index) {
		thrift_writer_init(&w, buffer);
		thrift_begin_list(&w, 1, THRIFT_STRUCT, index->page_count);
		for (size_t i = 0; i < index->page_count; i++) {
			int16_t outer = thrift_begin_struct(&w, 0);

			thrift_put_i64(&w, 1, (int64_t)(index->offset[i] -
							old_start + start));
			thrift_put_i32(&w, 2, (int32_t)index->bytes[i]);
			thrift_put_i64(&w, 3, (int64_t)index->first_row[i]);
			thrift_end_struct(&w, outer);
		}
		thrift_finish(&w);
	}
	arena_release(&arena);
	return rc;
}

static int write_offset_index(struct parquet_patch *patch,
			      struct leaf_place *place, struct text *buffer,
			      struct error *err)
{
	int64_t offset = (int64_t)output_file_offset(patch->file);
	int rc = 0;

	if (place->fresh) {
		if (!offset_index_serialize(place->fresh, buffer))
			rc = no_memory(err);
	} else {
		rc = move_offsets(patch, place, buffer, err);
	}
	if (!rc && buffer->length) {
		place->chunk->offset_index_offset = offset;
		place->chunk->offset_index_length = (int32_t)buffer->length;
	}
	return rc ? rc : write_buffer(patch, buffer, err);
}

/* Is the range of an index inside the old file? */
static bool is_inside(const struct parquet_reader *reader, int64_t offset,
		      int32_t length)
{
	return offset > 0 && length > 0 &&
	       (uint64_t)offset < reader->data_end &&
	       (uint64_t)length <= reader->data_end - (uint64_t)offset;
}

static int write_column_index(struct parquet_patch *patch,
			      struct leaf_place *place, struct text *buffer,
			      struct error *err)
{
	const struct parquet_reader *reader = patch->reader;
	int64_t offset = (int64_t)output_file_offset(patch->file);
	const struct file_metadata *metadata = &reader->metadata;

	if (place->fresh) {
		const struct type *type =
			&place->column->shape.leaves[place->index].column.type;

		if (!column_index_serialize(place->fresh,
					    value_order_of(type), buffer))
			return no_memory(err);
		if (buffer->length) {
			place->chunk->column_index_offset = offset;
			place->chunk->column_index_length =
				(int32_t)buffer->length;
		}
		return write_buffer(patch, buffer, err);
	}
	/* the order of its bounds must be the one that we name */
	if (!metadata->column_orders ||
	    place->old_leaf >= metadata->column_order_count ||
	    metadata->column_orders[place->old_leaf] != ORDER_TYPE ||
	    !is_inside(reader, place->old->column_index_offset,
		       place->old->column_index_length) ||
	    !is_inside(reader, place->old->offset_index_offset,
		       place->old->offset_index_length))
		return 0;
	place->chunk->column_index_offset = offset;
	place->chunk->column_index_length = place->old->column_index_length;
	return patch_copy_range(patch,
				(uint64_t)place->old->column_index_offset,
				(uint64_t)place->old->column_index_length,
				err);
}

static int write_bloom(struct parquet_patch *patch, struct leaf_place *place,
		       struct text *buffer, struct error *err)
{
	int64_t offset = (int64_t)output_file_offset(patch->file);
	uint64_t bytes = 0;
	int rc = 0;

	if (place->fresh) {
		if (!place->fresh->bloom.words)
			return 0;
		if (!bloom_serialize(&place->fresh->bloom, buffer))
			return no_memory(err);
		bytes = buffer->length;
		rc = write_buffer(patch, buffer, err);
	} else {
		rc = bloom_filter_extent(patch->reader,
					 place->group->old_group,
					 place->old_leaf, &bytes, err);
		if (!rc && bytes)
			rc = patch_copy_range(
				patch,
				(uint64_t)place->old->bloom_filter_offset,
				bytes, err);
	}
	if (!rc && bytes) {
		place->chunk->bloom_filter_offset = offset;
		place->chunk->bloom_filter_length = (int32_t)bytes;
	}
	return rc;
}

/* The leaf of the new file that stands for one of the old; SIZE_MAX = none,
 * or one that is new in this group. */
static size_t new_leaf(const struct parquet_patch *patch,
		       const struct patch_group *group, size_t old_leaf)
{
	for (size_t c = 0; c < patch->options.column_count; c++) {
		const struct patch_column *column = &patch->columns[c];
		const struct parquet_top *top = column->def->top;

		if (!top || group->fresh[c] || old_leaf < top->first_leaf ||
		    old_leaf - top->first_leaf >= top->leaf_count)
			continue;
		return column->first_leaf + old_leaf - top->first_leaf;
	}
	return SIZE_MAX;
}

/* The old group's order, as far as its columns were copied. */
static int take_sorting(struct parquet_patch *patch,
			const struct patch_group *from, struct row_group *out,
			struct error *err)
{
	const struct row_group *old =
		&patch->reader->metadata.groups[from->old_group];

	out->sorting = arena_zalloc_array(&patch->arena,
					  old->sorting_count + 1,
					  sizeof(*out->sorting));
	if (!out->sorting)
		return no_memory(err);
	for (size_t i = 0; i < old->sorting_count; i++) {
		size_t leaf = new_leaf(patch, from, old->sorting[i].column);

		if (leaf == SIZE_MAX)
			break;
		out->sorting[i] = old->sorting[i];
		out->sorting[i].column = leaf;
		out->sorting_count++;
	}
	return 0;
}

static int fill_groups(struct parquet_patch *patch,
		       struct file_metadata *metadata, struct error *err)
{
	int rc = 0;

	metadata->groups = arena_zalloc_array(&patch->arena,
					      patch->group_count + 1,
					      sizeof(*metadata->groups));
	if (!metadata->groups)
		return no_memory(err);
	metadata->group_count = patch->group_count;
	for (size_t g = 0; !rc && g < patch->group_count; g++) {
		const struct patch_group *from = &patch->groups[g];
		struct row_group *out = &metadata->groups[g];

		out->columns = from->chunks;
		out->column_count = patch->leaf_count;
		out->row_count = (int64_t)parquet_row_group_rows(
			patch->reader, from->old_group);
		out->file_offset = from->offset;
		metadata->row_count += out->row_count;
		for (size_t i = 0; i < patch->leaf_count; i++) {
			out->total_byte_size = (int64_t)((uint64_t)
				out->total_byte_size + (uint64_t)
				from->chunks[i].uncompressed_bytes);
			out->compressed_bytes +=
				from->chunks[i].compressed_bytes;
		}
		rc = take_sorting(patch, from, out, err);
	}
	return rc;
}

static int fill_elements(struct parquet_patch *patch,
			 struct file_metadata *metadata, struct error *err)
{
	size_t count = 1;

	for (size_t i = 0; i < patch->options.column_count; i++)
		count += patch->columns[i].element_count;
	metadata->elements = arena_zalloc_array(&patch->arena, count,
						sizeof(*metadata->elements));
	if (!metadata->elements)
		return no_memory(err);
	metadata->elements[0] = (struct schema_element){
		.type = -1, .type_length = -1, .repetition = -1,
		.name = "table", .converted_type = -1,
		.child_count = (int32_t)patch->options.column_count,
	};
	metadata->element_count = 1;
	for (size_t i = 0; i < patch->options.column_count; i++) {
		const struct patch_column *column = &patch->columns[i];

		memcpy(&metadata->elements[metadata->element_count],
		       column->elements,
		       column->element_count * sizeof(*column->elements));
		metadata->element_count += column->element_count;
	}
	return 0;
}

static int write_footer(struct parquet_patch *patch, struct text *buffer,
			struct error *err)
{
	struct file_metadata metadata = { .version = 1 };
	struct key_value schema = { "iceberg.schema",
				    patch->options.iceberg_schema };
	int rc;

	metadata.created_by = patch->options.created_by;
	metadata.column_order_count = patch->leaf_count;
	metadata.key_values = &schema;
	metadata.key_value_count = schema.value != NULL;
	rc = fill_elements(patch, &metadata, err);
	if (!rc)
		rc = fill_groups(patch, &metadata, err);
	if (rc)
		return rc;
	return footer_write(&metadata, buffer, patch->file, err);
}

int parquet_patch_finish(struct parquet_patch *patch, struct error *err)
{
	struct text buffer = TEXT_INIT;
	int rc;

	rc = write_each(patch, write_column_index, &buffer, err);
	if (!rc)
		rc = write_each(patch, write_offset_index, &buffer, err);
	if (!rc)
		rc = write_each(patch, write_bloom, &buffer, err);
	if (!rc)
		rc = write_footer(patch, &buffer, err);
	text_release(&buffer);
	return rc ? rc : output_file_flush(patch->file, err);
}

/* Unknown stays unknown. */
static int64_t add_known(int64_t sum, int64_t count)
{
	return sum < 0 || count < 0 ? -1 : sum + count;
}

static void widen(struct parquet_column_totals *totals,
		  const struct literal *min, const struct literal *max)
{
	if (!totals->has_bounds || literal_compare(min, &totals->min) < 0)
		totals->min = *min;
	if (!totals->has_bounds || literal_compare(max, &totals->max) > 0)
		totals->max = *max;
	totals->has_bounds = true;
}

static int fresh_totals(struct parquet_patch *patch,
			const struct leaf_place *place,
			struct parquet_column_totals *totals,
			struct error *err)
{
	const struct encoded_chunk *chunk = place->fresh;
	struct literal min, max;
	int rc;

	totals->null_count = add_known(totals->null_count,
				       chunk->metadata.statistics.null_count);
	if (chunk->metadata.statistics.nan_count >= 0)
		totals->nan_count = add_known(
			totals->nan_count,
			chunk->metadata.statistics.nan_count);
	if (!chunk->has_bounds)
		return 0;
	rc = plain_literal(&totals->type, chunk->min, &patch->arena, &min,
			   err);
	if (!rc)
		rc = plain_literal(&totals->type, chunk->max, &patch->arena,
				   &max, err);
	if (!rc)
		widen(totals, &min, &max);
	return rc;
}

/* *lost: the chunk does not say what its values are. */
static void copied_totals(const struct parquet_patch *patch,
			  const struct leaf_place *place,
			  struct parquet_column_totals *totals, bool *lost)
{
	const struct type *type = &totals->type;
	bool is_float = type->id == TYPE_REAL || type->id == TYPE_DOUBLE;
	struct parquet_bounds bounds;

	parquet_chunk_bounds(patch->reader, place->group->old_group,
			     place->old_leaf, type, &bounds);
	totals->null_count = add_known(totals->null_count, bounds.null_count);
	if (is_float)
		totals->nan_count = add_known(
			totals->nan_count, place->old->statistics.nan_count);
	if (bounds.has_min && bounds.has_max)
		widen(totals, &bounds.min, &bounds.max);
	else
		*lost |= bounds.null_count != bounds.value_count;
}

int parquet_patch_totals(struct parquet_patch *patch, size_t column,
			 size_t leaf, struct parquet_column_totals *out,
			 struct error *err)
{
	const struct write_leaf *from =
		&patch->columns[column].shape.leaves[leaf];
	bool lost = false;
	int rc = 0;

	memset(out, 0, sizeof(*out));
	out->field_id = from->column.field_id;
	out->column = column;
	out->type = from->column.type;
	for (size_t g = 0; !rc && g < patch->group_count; g++) {
		struct leaf_place place = find_place(patch, g, column, leaf);

		out->compressed_bytes += place.chunk->compressed_bytes;
		out->value_count += place.chunk->value_count;
		if (place.fresh)
			rc = fresh_totals(patch, &place, out, err);
		else
			copied_totals(patch, &place, out, &lost);
	}
	/* bounds of elements say nothing of rows */
	if (lost || from->in_list)
		out->has_bounds = false;
	return rc;
}
