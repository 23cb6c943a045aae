/*
 * nested_leaf.c - the levels and values of one leaf below a nested column
 *
 * Why:    rows of such a leaf have any number of entries, and only the
 *         repetition levels tell where each begins.
 * How:    a stream of blocks of entries, decoded as they are needed. A place
 *         in it is always the begin of a row; going back, or far ahead when
 *         there is an offset index, starts anew at a page. Values of texts
 *         are copied only when their page has to go before the rows asked for
 *         are complete.
 * Cost:   3-5 ns an entry and the decoding of its value.
 * Limits: BLOCK_ENTRIES at once, however large a page says it is; no more than
 *         ENTRY_LIMIT entries for the rows of one call.
 */
#include "parquet/nested_leaf.h"

#include <inttypes.h>
#include "parquet/level_reader.h"
#include "parquet/page_decode.h"

#define BLOCK_ENTRIES ((size_t)65536)
#define ENTRY_LIMIT ((size_t)1 << 27)

struct nested_leaf {
	const struct parquet_reader *reader;
	size_t group;
	size_t leaf;
	const struct leaf_column *column;
	const struct column_chunk *chunk;
	bool has_values;
	struct value_convert convert;
	struct page_reader pages;
	struct page_decoder decoder;
	uint64_t row_count;		/* of the group */

	struct arena index_arena;
	struct offset_index *index;	/* NULL: none, or not looked for */
	bool index_tried;
	bool by_index;			/* pages are taken from it */

	/* the next page */
	uint64_t next_offset;
	size_t next_page;		/* by_index: which it is */
	uint64_t entries_left;		/* of the chunk; not by_index */
	uint64_t dictionary_offset;	/* 0 = none met */
	bool dictionary_done;

	/* the page at hand: what is not decoded yet */
	struct page_buffer body;
	struct level_reader rep;
	struct level_reader def;
	size_t page_left;
	bool ends_row;			/* the page's last row is complete */

	/* the block at hand */
	uint8_t *block_rep;
	uint8_t *block_def;
	struct vector block;		/* its values, dense */
	size_t block_count;
	size_t block_at;		/* entries used up */
	size_t value_at;		/* values used up */
	uint8_t last_def;		/* of the entry before the block */

	uint64_t row;			/* that begins with the next entry */
	bool at_start;			/* of the chunk or a page sought */

	struct leaf_entries out;
	size_t kept_values;		/* of out: texts that will stay */
	struct arena heap;
	uint64_t pages_read;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "nested column");
}

static int corrupt(struct error *err, const char *what)
{
	return error_set(err, ERROR_CORRUPT, "%s", what);
}

static void go_to_start(struct nested_leaf *leaf)
{
	leaf->by_index = false;
	leaf->next_offset = column_chunk_start(leaf->chunk);
	leaf->entries_left = (uint64_t)leaf->chunk->value_count;
	leaf->row = 0;
	leaf->at_start = true;
	leaf->page_left = leaf->block_count = 0;
	leaf->block_at = leaf->value_at = 0;
}

static int make_blocks(struct nested_leaf *leaf, const struct type *want,
		       struct error *err)
{
	struct type type = want ? *want : type_of(TYPE_UNKNOWN);

	vector_init(&leaf->block, type);
	vector_init(&leaf->out.values, type);
	leaf->block_rep = mem_zalloc(BLOCK_ENTRIES);
	leaf->block_def = mem_zalloc(BLOCK_ENTRIES);
	if (!leaf->block_rep || !leaf->block_def)
		return no_memory(err);
	return 0;
}

int nested_leaf_open(struct nested_leaf **out,
		     const struct parquet_reader *reader, size_t group,
		     size_t leaf_index, const struct type *want,
		     struct error *err)
{
	const struct row_group *rows = &reader->metadata.groups[group];
	const struct leaf_column *column = &reader->leaves[leaf_index];
	struct value_convert convert = { 0 };
	enum codec_id codec = CODEC_NONE;
	struct nested_leaf *leaf;
	int rc = 0;

	*out = NULL;
	if (want)
		rc = value_convert_choose(&convert, column, want, err);
	if (!rc && rows->row_count)
		rc = page_codec(rows->columns[leaf_index].codec, &codec, err);
	if (rc) {
		error_prefix(err, "%s", parquet_reader_path(reader));
		return rc;
	}
	leaf = mem_zalloc(sizeof(*leaf));
	if (!leaf)
		return no_memory(err);
	leaf->reader = reader;
	leaf->group = group;
	leaf->leaf = leaf_index;
	leaf->column = column;
	leaf->chunk = &rows->columns[leaf_index];
	leaf->has_values = want != NULL;
	leaf->convert = convert;
	leaf->row_count = (uint64_t)rows->row_count;
	leaf->rep.max = column->max_rep;
	leaf->def.max = column->max_def;
	page_reader_init(&leaf->pages, reader->file,
			 column_chunk_end(reader, leaf->chunk), codec);
	page_decoder_init(&leaf->decoder, column, &leaf->convert);
	arena_init(&leaf->index_arena, 0);
	arena_init(&leaf->heap, 0);
	go_to_start(leaf);
	rc = make_blocks(leaf, want, err);
	if (rc) {
		nested_leaf_free(leaf);
		return rc;
	}
	*out = leaf;
	return 0;
}

void nested_leaf_free(struct nested_leaf *leaf)
{
	if (!leaf)
		return;
	page_reader_release(&leaf->pages);
	page_decoder_release(&leaf->decoder);
	page_buffer_release(&leaf->body);
	arena_release(&leaf->index_arena);
	arena_release(&leaf->heap);
	vector_release(&leaf->block);
	vector_release(&leaf->out.values);
	mem_free(leaf->out.rep);
	mem_free(leaf->out.def);
	mem_free(leaf->block_rep);
	mem_free(leaf->block_def);
	mem_free(leaf);
}

const struct leaf_entries *nested_leaf_entries(const struct nested_leaf *leaf)
{
	return &leaf->out;
}

const struct leaf_column *nested_leaf_column(const struct nested_leaf *leaf)
{
	return leaf->column;
}

uint64_t nested_leaf_pages_read(const struct nested_leaf *leaf)
{
	return leaf->pages_read;
}

uint64_t nested_leaf_bytes_read(const struct nested_leaf *leaf)
{
	return leaf->pages.read_bytes;
}

/* Texts that were taken and lie in what is about to be overwritten. */
static int keep_texts(struct nested_leaf *leaf, struct error *err)
{
	struct byte_view *views = vector_bytes(&leaf->out.values);
	size_t i = leaf->kept_values;

	leaf->kept_values = leaf->out.values.count;
	if (!leaf->has_values || !page_decoder_borrows(&leaf->decoder) ||
	    page_decoder_uses_dictionary(&leaf->decoder))
		return 0;
	for (; i < leaf->out.values.count; i++) {
		uint8_t *copy;

		if (views[i].length == 0)
			continue;
		copy = arena_alloc_bytes(&leaf->heap, views[i].length);
		if (!copy)
			return no_memory(err);
		memcpy(copy, views[i].data, views[i].length);
		views[i].data = copy;
	}
	return 0;
}

static int load_dictionary(struct nested_leaf *leaf, uint64_t offset,
			   const struct page_header *header,
			   struct error *err)
{
	struct byte_view body;
	int rc;

	if (leaf->dictionary_done && leaf->dictionary_offset != offset)
		return corrupt(err, "a second dictionary page");
	if (leaf->dictionary_done || !leaf->has_values)
		return 0;
	rc = page_reader_body(&leaf->pages, offset, header, true,
			      &leaf->decoder.dictionary_bytes, &body, err);
	if (rc)
		return rc;
	leaf->dictionary_done = true;
	leaf->dictionary_offset = offset;
	return page_decoder_dictionary(&leaf->decoder, header, body, err);
}

static int start_page(struct nested_leaf *leaf, uint64_t offset,
		      const struct page_header *header, struct error *err)
{
	struct byte_view body, values;
	int rc;

	rc = page_reader_body(&leaf->pages, offset, header, true, &leaf->body,
			      &body, err);
	if (!rc)
		rc = level_readers_start(&leaf->rep, &leaf->def, header, body,
					 &values, err);
	if (!rc && leaf->has_values)
		rc = page_decoder_start_values(&leaf->decoder,
					       header->encoding, values,
					       (size_t)header->value_count,
					       err);
	if (rc)
		return rc;
	leaf->page_left = (size_t)header->value_count;
	leaf->at_start |= leaf->by_index || header->type == PAGE_DATA_V2;
	leaf->ends_row = leaf->by_index || leaf->column->max_rep == 0 ||
			 header->type == PAGE_DATA_V2;
	leaf->pages_read++;
	return 0;
}

/* Is nothing left in the chunk? */
static bool at_end(const struct nested_leaf *leaf)
{
	return leaf->by_index ? leaf->next_page == leaf->index->page_count
			      : leaf->entries_left == 0;
}

/* Step to the next page: a data page is begun, unless its header tells that
 * all its rows come before `wanted`. */
static int next_page(struct nested_leaf *leaf, uint64_t wanted,
		     struct error *err)
{
	uint64_t offset = leaf->next_offset, rows;
	struct page_header header;
	int rc;

	if (leaf->by_index)
		offset = leaf->index->offset[leaf->next_page];
	rc = page_reader_header(&leaf->pages, offset, &header, err);
	if (rc)
		return rc;
	leaf->next_offset = offset + header.header_bytes +
			    (uint64_t)header.compressed_bytes;
	if (header.type == PAGE_DICTIONARY && !leaf->by_index)
		return load_dictionary(leaf, offset, &header, err);
	if (header.type != PAGE_DATA && header.type != PAGE_DATA_V2)
		return leaf->by_index ? corrupt(err, "the page is not what "
						"its index says")
				      : 0;
	if (leaf->by_index) {
		if (leaf->row != leaf->index->first_row[leaf->next_page])
			return corrupt(err, "the page has not the rows its "
				       "index says");
		leaf->next_page++;
		return header.value_count ? start_page(leaf, offset, &header,
						       err)
					  : 0;
	}
	if ((uint64_t)header.value_count > leaf->entries_left)
		return corrupt(err, "pages have more values than the chunk");
	leaf->entries_left -= (uint64_t)header.value_count;
	rows = (uint64_t)header.row_count;
	if (header.type == PAGE_DATA_V2 && header.row_count > 0 &&
	    wanted > leaf->row && wanted - leaf->row >= rows &&
	    header.row_count <= header.value_count) {
		leaf->row += rows;
		leaf->at_start = true;
		return 0;
	}
	if (header.value_count == 0)
		return 0;
	return start_page(leaf, offset, &header, err);
}

/* A continued list must be one that has elements, before it and in it. */
static int check_levels(const struct nested_leaf *leaf, size_t count,
			struct error *err)
{
	const uint8_t *element_def = leaf->column->element_def;
	uint8_t before = leaf->last_def;

	for (size_t i = 0; i < count; i++) {
		uint8_t rep = leaf->block_rep[i], def = leaf->block_def[i];

		if (rep && (def < element_def[rep] ||
			    before < element_def[rep]))
			return corrupt(err, "levels contradict each other");
		before = def;
	}
	return 0;
}

static int decode_block(struct nested_leaf *leaf, struct error *err)
{
	size_t count = leaf->page_left, values = 0;
	uint8_t max_def = (uint8_t)leaf->column->max_def;
	int rc;

	if (count > BLOCK_ENTRIES)
		count = BLOCK_ENTRIES;
	rc = level_reader_next(&leaf->rep, count, leaf->block_rep, err);
	if (!rc)
		rc = level_reader_next(&leaf->def, count, leaf->block_def,
				       err);
	if (!rc && leaf->at_start && leaf->block_rep[0])
		rc = corrupt(err, "a page begins within a row");
	if (!rc && leaf->column->max_rep)
		rc = check_levels(leaf, count, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < count; i++)
		values += leaf->block_def[i] == max_def;
	vector_reset(&leaf->block);
	if (leaf->has_values) {
		rc = vector_reserve(&leaf->block, values + 1, err);
		if (!rc)
			rc = page_decoder_next_values(&leaf->decoder, values,
						      leaf->block.data, err);
		if (rc)
			return rc;
	}
	leaf->block.count = values;
	leaf->last_def = leaf->block_def[count - 1];
	leaf->at_start = false;
	leaf->page_left -= count;
	leaf->block_count = count;
	leaf->block_at = leaf->value_at = 0;
	return 0;
}

/* Have entries in the block; block_count stays block_at at the end. */
static int next_block(struct nested_leaf *leaf, uint64_t wanted,
		      struct error *err)
{
	int rc = keep_texts(leaf, err);

	while (!rc && leaf->page_left == 0 && !at_end(leaf))
		rc = next_page(leaf, wanted, err);
	if (rc || leaf->page_left == 0)
		return rc;
	return decode_block(leaf, err);
}

static int reserve(struct nested_leaf *leaf, size_t more, struct error *err)
{
	struct leaf_entries *out = &leaf->out;
	size_t capacity = out->count + more;
	uint8_t *rep, *def;

	if (capacity > ENTRY_LIMIT)
		return error_set(err, ERROR_UNSUPPORTED, "more than %zu "
				 "elements in a batch of rows", ENTRY_LIMIT);
	if (capacity <= out->capacity)
		return 0;
	capacity += capacity / 2;
	rep = mem_realloc_array(out->rep, capacity, 1);
	if (rep)
		out->rep = rep;
	def = mem_realloc_array(out->def, capacity, 1);
	if (def)
		out->def = def;
	if (!rep || !def)
		return no_memory(err);
	out->capacity = capacity;
	return 0;
}

/* Append count entries of the block, `values` of which have one. */
static int append(struct nested_leaf *leaf, size_t count, size_t values,
		  struct error *err)
{
	struct leaf_entries *out = &leaf->out;
	size_t width = leaf->convert.out_width;
	int rc = reserve(leaf, count, err);

	if (rc)
		return rc;
	memcpy(out->rep + out->count, leaf->block_rep + leaf->block_at, count);
	memcpy(out->def + out->count, leaf->block_def + leaf->block_at, count);
	out->count += count;
	out->has_nulls |= values < count;
	if (!leaf->has_values || values == 0)
		return 0;
	/* one more than there are: nested_assemble() may look at it */
	if (out->values.count + values >= out->values.capacity) {
		rc = vector_reserve(&out->values,
				    (out->values.count + values) * 3 / 2 + 1,
				    err);
		if (rc)
			return rc;
	}
	memcpy((uint8_t *)out->values.data + out->values.count * width,
	       (uint8_t *)leaf->block.data + leaf->value_at * width,
	       values * width);
	out->values.count += values;
	return 0;
}

/* How many entries of the block belong to the row begun and to the next
 * *rows_left rows, which is counted down. */
static size_t measure(const struct nested_leaf *leaf, uint64_t *rows_left)
{
	size_t left = leaf->block_count - leaf->block_at, i;
	const uint8_t *rep = leaf->block_rep + leaf->block_at;

	if (leaf->column->max_rep == 0) {
		left = *rows_left < left ? (size_t)*rows_left : left;
		*rows_left -= left;
		return left;
	}
	for (i = 0; i < left; i++) {
		if (rep[i])
			continue;
		if (*rows_left == 0)
			break;
		--*rows_left;
	}
	return i;
}

/* Use up the next count rows; keep: they are wanted. */
static int pass_rows(struct nested_leaf *leaf, uint64_t count, bool keep,
		     struct error *err)
{
	uint8_t max_def = (uint8_t)leaf->column->max_def;
	uint64_t rows_left = count;
	int rc = 0;

	for (;;) {
		size_t step, values = 0;
		uint64_t before = rows_left;

		if (leaf->block_at == leaf->block_count) {
			uint64_t skip_to = keep ? 0 : leaf->row + rows_left;
			uint64_t row = leaf->row;

			if (rows_left == 0 &&
			    (leaf->column->max_rep == 0 ||
			     (leaf->page_left == 0 && leaf->ends_row)))
				break;
			rc = next_block(leaf, skip_to, err);
			if (rc)
				return rc;
			rows_left -= leaf->row - row;
			if (leaf->block_at == leaf->block_count) {
				if (rows_left == 0)
					break;
				return corrupt(err, "pages end before the "
					       "last row");
			}
			before = rows_left;
		}
		step = measure(leaf, &rows_left);
		leaf->row += before - rows_left;
		if (step == 0)
			break;
		for (size_t i = 0; i < step; i++)
			values += leaf->block_def[leaf->block_at + i] ==
				  max_def;
		if (keep)
			rc = append(leaf, step, values, err);
		if (rc)
			return rc;
		leaf->block_at += step;
		leaf->value_at += values;
	}
	return 0;
}

static int load_index(struct nested_leaf *leaf, struct error *err)
{
	int rc;

	if (leaf->index_tried)
		return 0;
	leaf->index_tried = true;
	rc = offset_index_load(leaf->reader, leaf->group, leaf->leaf,
			       &leaf->index_arena, &leaf->index, err);
	if (rc)
		leaf->index = NULL;
	/* the pages themselves may still be sound */
	return rc == ERROR_CORRUPT ? 0 : rc;
}

/* The page that holds a row. */
static size_t find_page(const struct offset_index *index, uint64_t row)
{
	size_t low = 0, high = index->page_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (index->first_row[middle] <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* With an index the dictionary is what lies before the first data page. */
static int need_dictionary(struct nested_leaf *leaf, struct error *err)
{
	uint64_t start = column_chunk_start(leaf->chunk);
	struct page_header header;
	int rc;

	if (leaf->dictionary_done || !leaf->has_values ||
	    leaf->index->offset[0] <= start)
		return 0;
	page_reader_expect(&leaf->pages, leaf->index->offset[0] - start);
	rc = page_reader_header(&leaf->pages, start, &header, err);
	if (rc || header.type != PAGE_DICTIONARY)
		return rc;
	return load_dictionary(leaf, start, &header, err);
}

/* Go to a page by the index, if it is worth it. */
static int seek(struct nested_leaf *leaf, uint64_t row, struct error *err)
{
	bool back = row < leaf->row;
	size_t page;
	int rc = load_index(leaf, err);

	if (rc)
		return rc;
	if (leaf->index) {
		page = find_page(leaf->index, row);
		/* forwards, to another page than the one at hand */
		if (back || leaf->index->first_row[page] > leaf->row) {
			rc = keep_texts(leaf, err);
			if (!rc)
				rc = need_dictionary(leaf, err);
			if (rc)
				return rc;
			go_to_start(leaf);
			leaf->by_index = true;
			leaf->next_page = page;
			leaf->row = leaf->index->first_row[page];
			page_reader_expect(&leaf->pages,
					   leaf->index->bytes[page]);
		}
	} else if (back) {
		rc = keep_texts(leaf, err);
		go_to_start(leaf);
	}
	return rc;
}

static int take(struct nested_leaf *leaf, uint64_t first, uint64_t count,
		struct error *err)
{
	int rc = 0;

	if (first != leaf->row)
		rc = seek(leaf, first, err);
	if (!rc && first > leaf->row)
		rc = pass_rows(leaf, first - leaf->row, false, err);
	return rc ? rc : pass_rows(leaf, count, true, err);
}

int nested_leaf_take(struct nested_leaf *leaf, uint64_t first, uint64_t count,
		     struct error *err)
{
	int rc;

	if (first > leaf->row_count || count > leaf->row_count - first)
		return error_set(err, ERROR_INTERNAL,
				 "%s: rows beyond the row group were asked for",
				 parquet_reader_path(leaf->reader));
	rc = count ? take(leaf, first, count, err) : 0;
	if (!rc)
		return 0;
	if (rc == ERROR_CORRUPT || rc == ERROR_UNSUPPORTED)
		error_prefix(err, "%s: column %s, row group %zu, row %" PRIu64,
			     parquet_reader_path(leaf->reader),
			     leaf->column->door.path, leaf->group, leaf->row);
	go_to_start(leaf);
	return rc;
}

void nested_leaf_begin(struct nested_leaf *leaf)
{
	leaf->out.count = 0;
	leaf->out.has_nulls = false;
	vector_reset(&leaf->out.values);
	leaf->kept_values = 0;
	arena_reset(&leaf->heap);
}
