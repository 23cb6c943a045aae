/*
 * parquet_patch.c - a file again, with some columns written anew
 *
 *	"PAR1" | row groups: chunks, copied or new, in the new file's order |
 *	column indexes | offset indexes | Bloom filters | FileMetaData |
 *	its length (4 LE) | "PAR1"
 *
 * Why:    an UPDATE of one column of fifty must not pay for decoding and
 *         encoding the other forty-nine.
 * How:    a chunk does not know where it stands: page headers, dictionary,
 *         Bloom filter and column index hold no offsets. They are copied as
 *         they are; the offsets in the footer and in the offset index move by
 *         as much as the chunk did (patch_finish.c writes those).
 *         Chunks keep codec, encodings and physical type. The schema says for
 *         each column what is there: the old element under a new name, or, if
 *         the column is new or stored in another way, an element of ours; then
 *         no group of it may be copied.
 * Cost:   two reads, a checksum and a write per copied byte, in runs of
 *         neighbours.
 * Limits: what the format allows but we do not parse is left out of the
 *         footer, never carried over unread: deprecated bounds, bounds in an
 *         order that the file does not name, size statistics, key/values.
 */
#include "parquet/page_reader.h"
#include "parquet/patch_state.h"

#define COPY_BYTES ((size_t)1 << 20)

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "copy of a Parquet file");
}

static bool is_leaf(const struct schema_element *element)
{
	return element->type >= 0 && element->child_count <= 0;
}

static size_t count_leaves(const struct schema_element *elements, size_t count)
{
	size_t leaves = 0;

	for (size_t i = 0; i < count; i++)
		leaves += is_leaf(&elements[i]);
	return leaves;
}

/* The paths of a column's leaves, from its elements in the new file. */
static int make_paths(struct parquet_patch *patch,
		      struct patch_column *column, struct error *err)
{
	const char *names[SCHEMA_DEPTH_LIMIT + 2];
	size_t left[SCHEMA_DEPTH_LIMIT + 2], depth = 0, leaf = 0;

	column->parts = arena_zalloc_array(&patch->arena,
					   column->leaf_count + 1,
					   sizeof(*column->parts));
	column->part_counts = arena_zalloc_array(&patch->arena,
						 column->leaf_count + 1,
						 sizeof(size_t));
	if (!column->parts || !column->part_counts)
		return no_memory(err);
	for (size_t i = 0; i < column->element_count; i++) {
		const struct schema_element *element = &column->elements[i];

		if (depth > SCHEMA_DEPTH_LIMIT)
			return error_set(err, ERROR_CORRUPT, "Parquet schema: "
					 "it is nested too deeply");
		names[depth] = element->name;
		if (is_leaf(element)) {
			column->parts[leaf] = arena_copy(
				&patch->arena, names,
				(depth + 1) * sizeof(*names));
			column->part_counts[leaf] = depth + 1;
			if (!column->parts[leaf++])
				return no_memory(err);
		} else if (element->child_count > 0) {
			left[depth++] = (size_t)element->child_count;
			continue;
		}
		while (depth && !--left[depth - 1])
			depth--;
	}
	return 0;
}

/* The elements of one column in the new file. */
static int choose_elements(struct parquet_patch *patch,
			   struct patch_column *column, struct error *err)
{
	const struct parquet_patch_column *def = column->def;
	int rc = 0;

	if (def->fresh)
		rc = write_schema_make(&column->shape, def->fresh,
				       &patch->arena, err);
	if (rc)
		return rc;
	if (def->fresh_element || !def->top) {
		column->elements = column->shape.elements + 1;
		column->element_count = column->shape.element_count - 1;
	} else {
		column->element_count = def->top->element_count;
		column->elements = arena_copy(
			&patch->arena,
			&patch->reader->metadata
				 .elements[def->top->first_element],
			column->element_count * sizeof(*column->elements));
		if (!column->elements)
			return no_memory(err);
	}
	column->elements[0].name = def->name;
	column->leaf_count = count_leaves(column->elements,
					  column->element_count);
	column->first_leaf = patch->leaf_count;
	patch->leaf_count += column->leaf_count;
	return make_paths(patch, column, err);
}

int parquet_patch_new(struct parquet_patch **out, struct output_file *file,
		      const struct parquet_patch_options *options,
		      struct error *err)
{
	struct parquet_patch *patch = mem_zalloc(sizeof(*patch));
	size_t groups = options->reader->metadata.group_count;
	int rc = 0;

	*out = NULL;
	if (!patch)
		return no_memory(err);
	patch->file = file;
	patch->reader = options->reader;
	patch->options = *options;
	arena_init(&patch->arena, 0);
	patch->columns = arena_zalloc_array(&patch->arena,
					    options->column_count + 1,
					    sizeof(*patch->columns));
	patch->groups = arena_zalloc_array(&patch->arena, groups + 1,
					   sizeof(*patch->groups));
	patch->split_offsets = arena_zalloc_array(&patch->arena, groups + 1,
						  sizeof(int64_t));
	patch->buffer = mem_alloc(COPY_BYTES);
	if (!patch->columns || !patch->groups || !patch->split_offsets ||
	    !patch->buffer)
		rc = no_memory(err);
	for (size_t i = 0; !rc && i < options->column_count; i++) {
		patch->columns[i].def = &options->columns[i];
		rc = choose_elements(patch, &patch->columns[i], err);
	}
	if (!rc)
		rc = output_file_write(file, FILE_MAGIC, 4, err);
	if (rc) {
		parquet_patch_free(patch);
		return rc;
	}
	*out = patch;
	return 0;
}

void parquet_patch_free(struct parquet_patch *patch)
{
	if (!patch)
		return;
	for (size_t g = 0; patch->groups && g < patch->group_count; g++)
		for (size_t i = 0; i < patch->options.column_count; i++)
			encoded_row_group_free(patch->groups[g].fresh[i]);
	mem_free(patch->buffer);
	arena_release(&patch->arena);
	mem_free(patch);
}

int patch_copy_range(struct parquet_patch *patch, uint64_t offset,
		     uint64_t length, struct error *err)
{
	while (length) {
		size_t step = length < COPY_BYTES ? (size_t)length
						  : COPY_BYTES;
		int rc = input_file_read(patch->reader->file, offset,
					 patch->buffer, step, err);

		if (!rc)
			rc = output_file_write(patch->file, patch->buffer,
					       step, err);
		if (rc)
			return rc;
		offset += step;
		length -= step;
		patch->copied_bytes += step;
	}
	return 0;
}

/* Bytes that wait to be copied: chunks that follow each other go at once. */
struct copy_run {
	uint64_t offset;
	uint64_t length;
};

static int flush_run(struct parquet_patch *patch, struct copy_run *run,
		     struct error *err)
{
	int rc = patch_copy_range(patch, run->offset, run->length, err);

	run->length = 0;
	return rc;
}

/* May the chunk's bounds be said again under the order of types? */
static bool has_type_order(const struct parquet_reader *reader, size_t leaf)
{
	const struct file_metadata *metadata = &reader->metadata;

	if (metadata->column_orders && leaf < metadata->column_order_count)
		return metadata->column_orders[leaf] == ORDER_TYPE;
	return bounds_are_ordered(reader, leaf);
}

/* What the footer says of a chunk that is copied to offset `start`. */
static void rebase_chunk(const struct parquet_patch *patch, size_t old_leaf,
			 int64_t start, struct column_chunk *chunk)
{
	int64_t move = start - (int64_t)column_chunk_start(chunk);
	struct chunk_statistics *stats = &chunk->statistics;

	chunk->data_page_offset += move;
	if (chunk->dictionary_page_offset > 0)
		chunk->dictionary_page_offset += move;
	else
		chunk->dictionary_page_offset = 0;
	if (chunk->encoding_stats_count == ENCODING_STATS_LIMIT)
		chunk->encoding_stats_count = 0;	/* maybe not all */
	if (!has_type_order(patch->reader, old_leaf))
		stats->min_value = stats->max_value = byte_view(NULL, 0);
	chunk->bloom_filter_offset = 0;
	chunk->bloom_filter_length = -1;
	chunk->column_index_offset = chunk->offset_index_offset = 0;
	chunk->column_index_length = chunk->offset_index_length = 0;
}

/*
 * Damage must not be written on: what is copied is checked as far as a reader
 * would go, page by page.
 */
static int check_chunk(const struct parquet_patch *patch,
		       const struct column_chunk *chunk, struct error *err)
{
	uint64_t at = column_chunk_start(chunk);
	struct page_header header;
	struct page_reader pages;
	int64_t values = 0;
	int rc = 0;

	page_reader_init(&pages, patch->reader->file,
			 column_chunk_end(patch->reader, chunk), CODEC_NONE);
	while (!rc && values < chunk->value_count) {
		rc = page_reader_header(&pages, at, &header, err);
		if (!rc)
			rc = page_reader_check(&pages, at, &header, err);
		if (rc)
			break;
		at += header.header_bytes + (uint64_t)header.compressed_bytes;
		if (header.type == PAGE_DATA || header.type == PAGE_DATA_V2)
			values += header.value_count;
		rc = interrupt_check(err);
	}
	page_reader_release(&pages);
	return rc;
}

static int copy_column(struct parquet_patch *patch, size_t old_group,
		       const struct patch_column *column,
		       struct column_chunk *chunks, struct copy_run *run,
		       struct error *err)
{
	const struct row_group *group =
		&patch->reader->metadata.groups[old_group];
	int rc = 0;

	for (size_t i = 0; !rc && i < column->leaf_count; i++) {
		size_t leaf = column->def->top->first_leaf + i;
		struct column_chunk *chunk = &chunks[column->first_leaf + i];
		uint64_t start = column_chunk_start(&group->columns[leaf]);

		rc = check_chunk(patch, &group->columns[leaf], err);
		if (rc)
			return error_prefix(
				err, "%s: column %s of row group %zu",
				input_file_path(patch->reader->file),
				patch->reader->leaves[leaf].door.path,
				old_group);
		*chunk = group->columns[leaf];
		if (run->length && run->offset + run->length != start)
			rc = flush_run(patch, run, err);
		if (!run->length)
			run->offset = start;
		rebase_chunk(patch, leaf,
			     (int64_t)(output_file_offset(patch->file) +
				       run->length), chunk);
		chunk->parts = column->parts[i];
		chunk->part_count = column->part_counts[i];
		run->length += (uint64_t)chunk->compressed_bytes;
	}
	return rc;
}

static int write_column(struct parquet_patch *patch,
			const struct patch_column *column,
			struct encoded_row_group *fresh,
			struct column_chunk *chunks, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < column->leaf_count; i++) {
		struct encoded_chunk *chunk = &fresh->chunks[i];
		struct column_chunk *out = &chunks[column->first_leaf + i];
		int64_t start = (int64_t)output_file_offset(patch->file);
		size_t dictionary = chunk->dictionary_page.length;

		chunk->metadata.data_page_offset = start +
						   (int64_t)dictionary;
		if (dictionary) {
			chunk->metadata.dictionary_page_offset = start;
			rc = output_file_write(patch->file,
					       chunk->dictionary_page.data,
					       dictionary, err);
		}
		if (!rc)
			rc = output_file_write(patch->file, chunk->pages.data,
					       chunk->pages.length, err);
		*out = chunk->metadata;
		out->parts = column->parts[i];
		out->part_count = column->part_counts[i];
		patch->fresh_bytes += (uint64_t)out->compressed_bytes;
	}
	return rc;
}

static int write_columns(struct parquet_patch *patch,
			 struct patch_group *group,
			 struct encoded_row_group *const *fresh,
			 struct error *err)
{
	struct copy_run run = { 0, 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < patch->options.column_count; i++) {
		struct patch_column *column = &patch->columns[i];

		if (!fresh[i]) {
			rc = copy_column(patch, group->old_group, column,
					 group->chunks, &run, err);
			continue;
		}
		rc = flush_run(patch, &run, err);
		if (!rc)
			rc = write_column(patch, column, fresh[i],
					  group->chunks, err);
	}
	return rc ? rc : flush_run(patch, &run, err);
}

static int check_fresh(const struct parquet_patch *patch, size_t old_group,
		       struct encoded_row_group *const *fresh,
		       struct error *err)
{
	uint64_t rows = parquet_row_group_rows(patch->reader, old_group);

	for (size_t i = 0; i < patch->options.column_count; i++) {
		const struct parquet_patch_column *def =
			patch->columns[i].def;

		if (!fresh[i] ? !def->top || def->fresh_element
			      : fresh[i]->row_count != rows ||
				fresh[i]->column_count !=
					patch->columns[i].leaf_count)
			return error_set(err, ERROR_INTERNAL,
					 "column %s of row group %zu",
					 def->name, old_group);
	}
	return 0;
}

int parquet_patch_group(struct parquet_patch *patch,
			struct encoded_row_group *const *fresh,
			struct error *err)
{
	size_t count = patch->options.column_count;
	struct patch_group *group = &patch->groups[patch->group_count];
	size_t old_group = patch->next_group;
	int rc;

	if (!parquet_row_group_rows(patch->reader, old_group)) {
		patch->next_group++;
		return 0;
	}
	rc = check_fresh(patch, old_group, fresh, err);
	if (rc)
		return rc;
	group->old_group = old_group;
	group->offset = (int64_t)output_file_offset(patch->file);
	group->fresh = arena_zalloc_array(&patch->arena, count + 1,
					  sizeof(*group->fresh));
	group->chunks = arena_zalloc_array(&patch->arena,
					   patch->leaf_count + 1,
					   sizeof(*group->chunks));
	if (!group->fresh || !group->chunks)
		return no_memory(err);
	rc = write_columns(patch, group, fresh, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < count; i++) {
		if (!fresh[i])
			continue;
		encoded_row_group_drop_pages(fresh[i]);
		group->fresh[i] = fresh[i];
		patch->columns[i].is_fresh = true;
	}
	patch->split_offsets[patch->group_count++] = group->offset;
	patch->next_group++;
	return 0;
}

const int64_t *parquet_patch_split_offsets(const struct parquet_patch *patch,
					   size_t *count_out)
{
	*count_out = patch->group_count;
	return patch->split_offsets;
}

bool parquet_patch_is_fresh(const struct parquet_patch *patch, size_t column)
{
	return patch->columns[column].is_fresh;
}

uint64_t parquet_patch_copied_bytes(const struct parquet_patch *patch)
{
	return patch->copied_bytes;
}

uint64_t parquet_patch_fresh_bytes(const struct parquet_patch *patch)
{
	return patch->fresh_bytes;
}

size_t parquet_patch_leaf_count(const struct parquet_patch *patch,
				size_t column)
{
	return patch->columns[column].leaf_count;
}
