/*
 * page_index.c - read ColumnIndex and OffsetIndex
 *
 * Why:    they tell the rows and bounds of each page, so that a few rows of a
 *         large group cost a few pages.
 * How:    both are small structs anywhere in the file. Numbers that cannot
 *         be (pages not ascending, first row not 0) make us do without.
 */
#include "parquet/parquet_file.h"

#define PAGE_LOCATION_MIN_BYTES 7

/* The bytes of an index, in arena. *out.data NULL = absent. */
static int load_bytes(const struct parquet_reader *reader, int64_t offset,
		      int32_t length, struct arena *arena,
		      struct byte_view *out, struct error *err)
{
	uint8_t *data;

	*out = byte_view(NULL, 0);
	if (length <= 0 || offset <= 0)
		return 0;
	if ((uint64_t)offset > reader->data_end ||
	    (uint64_t)length > reader->data_end - (uint64_t)offset)
		return error_set(err, ERROR_CORRUPT,
				 "%s: a page index lies outside the file",
				 parquet_reader_path(reader));
	data = arena_alloc_bytes(arena, (size_t)length);
	if (!data)
		return error_set(err, ERROR_NO_MEMORY, "page index");
	*out = byte_view(data, (size_t)length);
	return input_file_read(reader->file, (uint64_t)offset, data,
			       (size_t)length, err);
}

static int damaged(const struct parquet_reader *reader, size_t leaf,
		   struct error *err)
{
	return error_set(err, ERROR_CORRUPT,
			 "%s: column %s: the page index is damaged",
			 parquet_reader_path(reader),
			 reader->leaves[leaf].door.path);
}

static bool parse_locations(struct thrift_reader *in,
			    const struct thrift_field *list,
			    struct offset_index *out, struct arena *arena)
{
	size_t count = thrift_list(in, list, THRIFT_STRUCT,
				   PAGE_LOCATION_MIN_BYTES);

	out->page_count = count;
	out->first_row = arena_zalloc_array(arena, count + 1, 8);
	out->offset = arena_zalloc_array(arena, count + 1, 8);
	out->bytes = arena_zalloc_array(arena, count + 1, 4);
	if (!out->first_row || !out->offset || !out->bytes)
		return false;
	for (size_t i = 0; i < count && !in->failed; i++) {
		struct thrift_field field = { 0, 0 };

		while (thrift_next(in, &field)) {
			switch (field.id) {
			case 1:
				out->offset[i] =
					(uint64_t)thrift_i64(in, &field);
				break;
			case 2:
				out->bytes[i] =
					(uint32_t)thrift_i32(in, &field);
				break;
			case 3:
				out->first_row[i] =
					(uint64_t)thrift_i64(in, &field);
				break;
			default: thrift_skip(in, &field);
			}
		}
	}
	return true;
}

static bool is_consistent(const struct parquet_reader *reader,
			  const struct column_chunk *chunk,
			  const struct offset_index *index)
{
	uint64_t at = column_chunk_start(chunk);
	uint64_t end = column_chunk_end(reader, chunk);

	if (index->page_count == 0 || index->first_row[0] != 0)
		return false;
	for (size_t i = 0; i < index->page_count; i++) {
		if (index->offset[i] < at || index->offset[i] > end ||
		    index->bytes[i] == 0 ||
		    index->bytes[i] > end - index->offset[i] ||
		    index->first_row[i] >= index->first_row[i + 1])
			return false;
		at = index->offset[i] + index->bytes[i];
	}
	return true;
}

int offset_index_load(const struct parquet_reader *reader, size_t group,
		      size_t leaf, struct arena *arena,
		      struct offset_index **out, struct error *err)
{
	const struct row_group *rows = &reader->metadata.groups[group];
	const struct column_chunk *chunk = &rows->columns[leaf];
	struct thrift_field field = { 0, 0 };
	struct offset_index *index;
	struct thrift_reader in;
	struct byte_view bytes;
	int rc;

	*out = NULL;
	if (rows->row_count == 0)
		return 0;
	rc = load_bytes(reader, chunk->offset_index_offset,
			chunk->offset_index_length, arena, &bytes, err);
	if (rc || !bytes.data)
		return rc;
	index = arena_zalloc(arena, sizeof(*index));
	if (!index)
		return error_set(err, ERROR_NO_MEMORY, "page index");
	thrift_reader_init(&in, bytes.data, bytes.length);
	while (thrift_next(&in, &field)) {
		if (field.id != 1 || index->first_row)
			thrift_skip(&in, &field);
		else if (!parse_locations(&in, &field, index, arena))
			return error_set(err, ERROR_NO_MEMORY, "page index");
	}
	if (in.failed || !index->first_row)
		return damaged(reader, leaf, err);
	index->first_row[index->page_count] = (uint64_t)rows->row_count;
	if (is_consistent(reader, chunk, index))
		*out = index;
	return 0;
}

/* The lists of a ColumnIndex, each NULL or as long as the page count. */
struct column_index {
	bool *null_pages;
	struct byte_view *min;
	struct byte_view *max;
	int64_t *null_counts;
	int64_t *nan_counts;
};

static void *parse_list(struct thrift_reader *in,
			const struct thrift_field *list, size_t page_count,
			struct arena *arena)
{
	uint8_t type = list->id == 1   ? THRIFT_FALSE
		       : list->id <= 3 ? THRIFT_BINARY
				       : THRIFT_I64;
	size_t count = thrift_list(in, list, type, 1);
	void *out;

	if (count != page_count) {
		in->failed = true;
		return NULL;
	}
	out = arena_zalloc_array(arena, count + 1, sizeof(struct byte_view));
	for (size_t i = 0; out && i < count; i++) {
		if (list->id == 1)
			((bool *)out)[i] = thrift_item_bool(in);
		else if (list->id <= 3)
			((struct byte_view *)out)[i] = thrift_item_binary(in);
		else
			((int64_t *)out)[i] = thrift_item_i64(in);
	}
	if (!out)
		in->failed = true;
	return out;
}

static bool parse_column_index(struct byte_view bytes, size_t page_count,
			       struct arena *arena, struct column_index *out)
{
	struct thrift_field field = { 0, 0 };
	struct thrift_reader in;

	memset(out, 0, sizeof(*out));
	thrift_reader_init(&in, bytes.data, bytes.length);
	while (thrift_next(&in, &field)) {
		void **list = field.id == 1   ? (void **)&out->null_pages
			      : field.id == 2 ? (void **)&out->min
			      : field.id == 3 ? (void **)&out->max
			      : field.id == 5 ? (void **)&out->null_counts
			      : field.id == 8 ? (void **)&out->nan_counts
					      : NULL;

		if (list)
			*list = parse_list(&in, &field, page_count, arena);
		else
			thrift_skip(&in, &field);
	}
	return !in.failed && out->null_pages && out->min && out->max;
}

static void take_page_bounds(const struct leaf_column *leaf,
			     const struct type *want,
			     const struct column_index *index,
			     struct parquet_page_index *out)
{
	struct value_convert convert;
	bool known = value_convert_choose(&convert, leaf, want, NULL) == 0;

	for (size_t i = 0; i < out->page_count; i++) {
		struct parquet_bounds *bounds = &out->bounds[i];
		struct byte_view minmax[2] = { index->min[i], index->max[i] };

		bounds->value_count = (int64_t)(out->first_row[i + 1] -
						out->first_row[i]);
		bounds->null_count = -1;
		if (index->null_pages[i])
			bounds->null_count = bounds->value_count;
		else if (index->null_counts && index->null_counts[i] >= 0 &&
			 index->null_counts[i] <= bounds->value_count)
			bounds->null_count = index->null_counts[i];
		bounds->may_have_nan = (want->id == TYPE_REAL ||
					want->id == TYPE_DOUBLE) &&
				       !(index->nan_counts &&
					 index->nan_counts[i] == 0);
		if (known && !index->null_pages[i])
			bounds_take(leaf, &convert, want, minmax, bounds);
	}
}

int parquet_page_index(const struct parquet_reader *reader, size_t group,
		       size_t leaf, const struct type *want,
		       struct arena *arena, struct parquet_page_index **out,
		       struct error *err)
{
	const struct column_chunk *chunk =
		&reader->metadata.groups[group].columns[leaf];
	struct parquet_page_index *index;
	struct offset_index *offsets;
	struct column_index columns;
	struct byte_view bytes;
	int rc;

	*out = NULL;
	if (reader->leaves[leaf].max_rep)
		return 0;
	rc = offset_index_load(reader, group, leaf, arena, &offsets, err);
	if (rc || !offsets)
		return rc;
	index = arena_zalloc(arena, sizeof(*index));
	if (!index)
		return error_set(err, ERROR_NO_MEMORY, "page index");
	index->page_count = offsets->page_count;
	index->first_row = offsets->first_row;
	rc = load_bytes(reader, chunk->column_index_offset,
			chunk->column_index_length, arena, &bytes, err);
	if (rc)
		return rc;
	if (bytes.data && bounds_are_ordered(reader, leaf)) {
		if (!parse_column_index(bytes, index->page_count, arena,
					&columns))
			return damaged(reader, leaf, err);
		index->bounds = arena_zalloc_array(arena, index->page_count,
						   sizeof(*index->bounds));
		if (!index->bounds)
			return error_set(err, ERROR_NO_MEMORY, "page index");
		take_page_bounds(&reader->leaves[leaf], want, &columns, index);
	}
	*out = index;
	return 0;
}
