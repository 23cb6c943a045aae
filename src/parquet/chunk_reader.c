/*
 * chunk_reader.c - the rows of one column chunk, from the pages they need
 *
 * Why:    a scan reads a column through; a lookup wants a few rows of it.
 * How:    a directory of the data pages grows as page headers are met; once
 *         a jump is asked for and the file has an offset index, that becomes
 *         the directory. One page is held, one block of its rows decoded.
 *         Rows that lie in one block are given as a slice of it; rows of
 *         several blocks are put together in a vector of our own, and texts
 *         that would be lost with their page are copied.
 * Cost:   nothing per row for slices. A slice must begin at a multiple of 64
 *         rows of the block, as all reads of whole batches from our own files
 *         do (pages hold a multiple of a batch).
 * Limits: a page that begins where a batch does is decoded a batch at a time,
 *         so that no more memory is touched than is read; any other page in
 *         blocks of BLOCK_ROWS. Who goes back in a page of several blocks
 *         has it decoded from its start again.
 */
#include "parquet/chunk_reader.h"

#include "parquet/page_decode.h"
#include "parquet/parquet_file.h"

#define BLOCK_ROWS ((size_t)65536)
#define NO_PAGE SIZE_MAX
/* Bytes that one coalesced read of neighbouring pages may take. */
#define COALESCE_BYTES ((uint64_t)1 << 20)

struct page_entry {
	uint64_t offset;	/* of the header */
	uint64_t first_row;
	uint64_t row_count;
};

struct chunk_reader {
	const struct parquet_reader *reader;
	size_t group;
	size_t leaf;
	const struct leaf_column *column;
	const struct column_chunk *chunk;
	struct type want;
	struct value_convert convert;
	struct page_reader pages;
	struct page_decoder decoder;
	uint64_t row_count;		/* of the group */

	/* the directory */
	struct page_entry *entries;
	size_t entry_count;
	size_t entry_capacity;
	uint64_t next_offset;		/* where the next page begins */
	uint64_t next_row;		/* rows the directory covers */
	bool index_tried;
	bool is_indexed;		/* the directory is complete */
	bool dictionary_done;

	/* the page and the block of it that are at hand */
	size_t page;
	struct page_header header;
	struct byte_view body;
	struct page_buffer body_bytes;
	uint64_t block_first;
	struct vector block;

	/* rows of several blocks */
	struct vector joined;
	struct arena heap;
	uint64_t pages_read;
};

int chunk_reader_open(struct chunk_reader **out,
		      const struct parquet_reader *reader, size_t group,
		      size_t leaf, const struct type *want,
		      struct error *err)
{
	const struct row_group *rows = &reader->metadata.groups[group];
	struct chunk_reader *chunk;
	struct value_convert convert;
	enum codec_id codec = CODEC_NONE;
	int rc;

	*out = NULL;
	rc = value_convert_choose(&convert, &reader->leaves[leaf], want, err);
	if (!rc && !reader->leaves[leaf].door.is_flat)
		rc = error_set(err, ERROR_UNSUPPORTED, "Parquet column %s is "
			       "nested and cannot be read as a flat one",
			       reader->leaves[leaf].door.path);
	if (!rc && rows->row_count)
		rc = page_codec(rows->columns[leaf].codec, &codec, err);
	if (rc) {
		error_prefix(err, "%s", parquet_reader_path(reader));
		return rc;
	}
	chunk = mem_zalloc(sizeof(*chunk));
	if (!chunk)
		return error_set(err, ERROR_NO_MEMORY, "column chunk");
	chunk->reader = reader;
	chunk->group = group;
	chunk->leaf = leaf;
	chunk->column = &reader->leaves[leaf];
	chunk->chunk = &rows->columns[leaf];
	chunk->want = *want;
	chunk->convert = convert;
	chunk->row_count = (uint64_t)rows->row_count;
	chunk->next_offset = column_chunk_start(chunk->chunk);
	chunk->page = NO_PAGE;
	page_reader_init(&chunk->pages, reader->file,
			 column_chunk_end(reader, chunk->chunk), codec);
	page_decoder_init(&chunk->decoder, chunk->column, &chunk->convert);
	vector_init(&chunk->block, *want);
	vector_init(&chunk->joined, *want);
	arena_init(&chunk->heap, 0);
	*out = chunk;
	return 0;
}

void chunk_reader_free(struct chunk_reader *chunk)
{
	if (!chunk)
		return;
	page_reader_release(&chunk->pages);
	page_decoder_release(&chunk->decoder);
	page_buffer_release(&chunk->body_bytes);
	mem_free(chunk->entries);
	vector_release(&chunk->block);
	vector_release(&chunk->joined);
	arena_release(&chunk->heap);
	mem_free(chunk);
}

uint64_t chunk_reader_pages_read(const struct chunk_reader *chunk)
{
	return chunk->pages_read;
}

uint64_t chunk_reader_bytes_read(const struct chunk_reader *chunk)
{
	return chunk->pages.read_bytes;
}

/* Say where a failure of the file's own making is. */
static int locate_error(const struct chunk_reader *chunk, size_t page,
			int rc, struct error *err)
{
	if (rc == ERROR_CORRUPT || rc == ERROR_UNSUPPORTED)
		error_prefix(err, "%s: column %s, row group %zu, page %zu",
			     parquet_reader_path(chunk->reader),
			     chunk->column->door.path, chunk->group, page);
	return rc;
}

static int load_dictionary(struct chunk_reader *chunk, uint64_t offset,
			   const struct page_header *header,
			   struct error *err)
{
	struct byte_view body;
	int rc;

	if (chunk->dictionary_done)
		return error_set(err, ERROR_CORRUPT,
				 "a second dictionary page");
	rc = page_reader_body(&chunk->pages, offset, header, true,
			      &chunk->decoder.dictionary_bytes, &body, err);
	if (rc)
		return rc;
	chunk->dictionary_done = true;
	return page_decoder_dictionary(&chunk->decoder, header, body, err);
}

static int add_entry(struct chunk_reader *chunk, uint64_t offset,
		     uint64_t row_count, struct error *err)
{
	if (row_count > chunk->row_count - chunk->next_row)
		return error_set(err, ERROR_CORRUPT,
				 "pages have more rows than the row group");
	if (row_count == 0)
		return 0;
	if (!mem_grow((void **)&chunk->entries, &chunk->entry_capacity,
		      chunk->entry_count, sizeof(*chunk->entries)))
		return error_set(err, ERROR_NO_MEMORY, "page directory");
	chunk->entries[chunk->entry_count++] = (struct page_entry){
		offset, chunk->next_row, row_count
	};
	chunk->next_row += row_count;
	return 0;
}

/* Step over one page; a dictionary is loaded, data is noted. */
static int walk_page(struct chunk_reader *chunk, struct error *err)
{
	uint64_t offset = chunk->next_offset;
	struct page_header header;
	int rc;

	rc = page_reader_header(&chunk->pages, offset, &header, err);
	if (rc)
		return rc;
	chunk->next_offset = offset + header.header_bytes +
			     (uint64_t)header.compressed_bytes;
	if (header.type == PAGE_DICTIONARY)
		return load_dictionary(chunk, offset, &header, err);
	if (header.type != PAGE_DATA && header.type != PAGE_DATA_V2)
		return 0;
	return add_entry(chunk, offset, (uint64_t)header.value_count, err);
}

/* Replace the directory by the offset index, if there is a sound one. */
static int try_index(struct chunk_reader *chunk, struct error *err)
{
	struct offset_index *index = NULL;
	struct page_entry *entries;
	struct arena arena;
	int rc;

	if (chunk->index_tried)
		return 0;
	chunk->index_tried = true;
	arena_init(&arena, 0);
	rc = offset_index_load(chunk->reader, chunk->group, chunk->leaf,
			       &arena, &index, err);
	if (!rc && index) {
		entries = mem_realloc_array(chunk->entries, index->page_count,
					    sizeof(*entries));
		if (!entries) {
			arena_release(&arena);
			return error_set(err, ERROR_NO_MEMORY,
					 "page directory");
		}
		for (size_t i = 0; i < index->page_count; i++) {
			entries[i].offset = index->offset[i];
			entries[i].first_row = index->first_row[i];
			entries[i].row_count = index->first_row[i + 1] -
					       index->first_row[i];
		}
		chunk->entries = entries;
		chunk->entry_count = chunk->entry_capacity = index->page_count;
		chunk->next_row = chunk->row_count;
		chunk->is_indexed = true;
		/* its pages are numbered anew, and if it lies they differ */
		chunk->page = NO_PAGE;
	}
	arena_release(&arena);
	/* the pages themselves may still be sound */
	return rc == ERROR_CORRUPT ? 0 : rc;
}

/* The page that holds a row which the directory covers. */
static size_t find_entry(const struct chunk_reader *chunk, uint64_t row)
{
	size_t low = 0, high = chunk->entry_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (chunk->entries[middle].first_row <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static int find_page(struct chunk_reader *chunk, uint64_t row,
		     size_t *page_out, struct error *err)
{
	int rc;

	if (row >= chunk->next_row && row > 0 && chunk->page == NO_PAGE) {
		rc = try_index(chunk, err);
		if (rc)
			return rc;
	}
	while (row >= chunk->next_row) {
		rc = walk_page(chunk, err);
		if (rc)
			return rc;
		if (row >= chunk->next_row && chunk->entry_count) {
			rc = try_index(chunk, err);
			if (rc)
				return rc;
		}
	}
	*page_out = find_entry(chunk, row);
	return 0;
}

/* With an index the dictionary is what lies before the first data page. */
static int need_dictionary(struct chunk_reader *chunk, struct error *err)
{
	uint64_t start = column_chunk_start(chunk->chunk);
	struct page_header header;
	int rc;

	if (chunk->dictionary_done || !chunk->is_indexed ||
	    chunk->entries[0].offset <= start)
		return 0;
	page_reader_expect(&chunk->pages, chunk->entries[0].offset - start);
	rc = page_reader_header(&chunk->pages, start, &header, err);
	if (rc)
		return rc;
	if (header.type != PAGE_DICTIONARY) {
		chunk->dictionary_done = true;
		return 0;
	}
	return load_dictionary(chunk, start, &header, err);
}

/* Where a page ends, as far as the directory tells. */
static uint64_t page_end(const struct chunk_reader *chunk, size_t page)
{
	if (page + 1 < chunk->entry_count)
		return chunk->entries[page + 1].offset;
	return chunk->is_indexed ? chunk->pages.end : chunk->next_offset;
}

/* The reads to come: from page to last_page, all of which are wanted. */
static void expect_pages(struct chunk_reader *chunk, size_t page,
			 size_t last_page)
{
	uint64_t from = chunk->entries[page].offset, end = from;

	if (chunk->page != NO_PAGE && page == chunk->page + 1)
		return;		/* reading through: ever larger reads */
	for (size_t i = page; i <= last_page && end - from < COALESCE_BYTES;
	     i++)
		end = page_end(chunk, i);
	if (end > from)
		page_reader_expect(&chunk->pages, end - from);
}

static int load_page(struct chunk_reader *chunk, size_t page,
		     struct error *err)
{
	const struct page_entry *entry = &chunk->entries[page];
	int rc;

	chunk->page = NO_PAGE;
	chunk->block.count = 0;
	rc = page_reader_header(&chunk->pages, entry->offset, &chunk->header,
				err);
	if (rc)
		return rc;
	if ((chunk->header.type != PAGE_DATA &&
	     chunk->header.type != PAGE_DATA_V2) ||
	    (uint64_t)chunk->header.value_count != entry->row_count)
		return error_set(err, ERROR_CORRUPT,
				 "the page is not what its index says");
	rc = page_reader_body(&chunk->pages, entry->offset, &chunk->header,
			      page_decoder_borrows(&chunk->decoder),
			      &chunk->body_bytes, &chunk->body, err);
	if (rc)
		return rc;
	rc = page_decoder_start(&chunk->decoder, &chunk->header, chunk->body,
				err);
	if (rc)
		return rc;
	chunk->page = page;
	chunk->pages_read++;
	chunk->block_first = entry->first_row;
	return 0;
}

/* Decode blocks of the page at hand until one has row. */
static int decode_to(struct chunk_reader *chunk, uint64_t row,
		     struct error *err)
{
	const struct page_entry *entry = &chunk->entries[chunk->page];
	size_t block_rows = entry->first_row % BATCH_ROW_COUNT == 0
				    ? BATCH_ROW_COUNT
				    : BLOCK_ROWS;
	int rc;

	if (row < chunk->block_first) {
		rc = page_decoder_start(&chunk->decoder, &chunk->header,
					chunk->body, err);
		if (rc)
			return rc;
		chunk->block_first = entry->first_row;
		chunk->block.count = 0;
	}
	while (row >= chunk->block_first + chunk->block.count) {
		uint64_t done = chunk->block_first + chunk->block.count -
				entry->first_row;
		uint64_t step = entry->row_count - done;

		if (step > block_rows)
			step = block_rows;
		vector_reset(&chunk->block);
		rc = vector_reserve(&chunk->block, (size_t)step, err);
		if (rc)
			return rc;
		chunk->block_first = entry->first_row + done;
		rc = page_decoder_next(&chunk->decoder, (size_t)step,
				       &chunk->block, err);
		if (rc) {
			chunk->block.count = 0;
			chunk->page = NO_PAGE;
			return rc;
		}
	}
	return 0;
}

/* Have row in the block. Rows up to last_row are wanted soon. */
static int need_row(struct chunk_reader *chunk, uint64_t row,
		    uint64_t last_row, struct error *err)
{
	size_t page = chunk->page == NO_PAGE ? 0 : chunk->page, last_page;
	int rc;

	if (chunk->page != NO_PAGE && row >= chunk->block_first &&
	    row < chunk->block_first + chunk->block.count)
		return 0;
	rc = find_page(chunk, row, &page, err);
	if (rc) {
		chunk->page = NO_PAGE;
		return locate_error(chunk, chunk->entry_count, rc, err);
	}
	if (page != chunk->page) {
		rc = need_dictionary(chunk, err);
		last_page = last_row < chunk->next_row
				    ? find_entry(chunk, last_row)
				    : page;
		expect_pages(chunk, page, last_page);
		if (!rc)
			rc = load_page(chunk, page, err);
	}
	if (!rc)
		rc = decode_to(chunk, row, err);
	return rc ? locate_error(chunk, page, rc, err) : 0;
}

static void give(struct vector *out, const struct type *want)
{
	if (!type_equal(&out->type, want))
		vector_set_type(out, *want);
	else
		vector_reset(out);
}

/* Rows of the block from its row `at` on, borrowed. */
static void give_slice(const struct chunk_reader *chunk, size_t at,
		       size_t count, struct vector *out)
{
	const uint64_t *validity = chunk->block.validity;

	out->data = (uint8_t *)chunk->block.data +
		    at * chunk->convert.out_width;
	out->count = count;
	if (validity && bits_count(validity + at / 64, count) < count)
		out->validity = (uint64_t *)validity + at / 64;
}

static int keep_texts(struct chunk_reader *chunk, size_t from, size_t count,
		      struct error *err)
{
	struct byte_view *views = vector_bytes(&chunk->joined);

	if (!page_decoder_borrows(&chunk->decoder) ||
	    page_decoder_uses_dictionary(&chunk->decoder))
		return 0;
	for (size_t i = from; i < from + count; i++) {
		uint8_t *copy;

		if (views[i].length == 0)
			continue;
		copy = arena_alloc_bytes(&chunk->heap, views[i].length);
		if (!copy)
			return error_set(err, ERROR_NO_MEMORY, "values");
		memcpy(copy, views[i].data, views[i].length);
		views[i].data = copy;
	}
	return 0;
}

/* Append rows of the block to joined; validity is there once needed. */
static int join_rows(struct chunk_reader *chunk, size_t at, size_t count,
		     struct error *err)
{
	struct vector *joined = &chunk->joined;
	size_t width = chunk->convert.out_width;
	int rc;

	memcpy((uint8_t *)joined->data + joined->count * width,
	       (uint8_t *)chunk->block.data + at * width, count * width);
	if (chunk->block.validity && !joined->validity) {
		rc = vector_own_validity(joined, err);
		if (rc)
			return rc;
	}
	if (chunk->block.validity)
		bits_copy(joined->validity, joined->count,
			  chunk->block.validity, at, count);
	else if (joined->validity)
		bits_set_range(joined->validity, joined->count, count);
	joined->count += count;
	return 0;
}

static int begin_join(struct chunk_reader *chunk, size_t count,
		      struct error *err)
{
	arena_reset(&chunk->heap);
	vector_reset(&chunk->joined);
	return vector_reserve(&chunk->joined, count ? count : 1, err);
}

static int check_range(const struct chunk_reader *chunk, uint64_t first,
		       uint64_t count, struct error *err)
{
	if (first <= chunk->row_count && count <= chunk->row_count - first)
		return 0;
	return error_set(err, ERROR_INTERNAL,
			 "%s: rows beyond the row group were asked for",
			 parquet_reader_path(chunk->reader));
}

int chunk_reader_read(struct chunk_reader *chunk, uint64_t first,
		      size_t count, struct vector *out, struct error *err)
{
	uint64_t end = first + count, block_end;
	size_t at, step;
	int rc;

	give(out, &chunk->want);
	rc = check_range(chunk, first, count, err);
	if (rc || count == 0)
		return rc;
	rc = need_row(chunk, first, end - 1, err);
	if (rc)
		return rc;
	at = (size_t)(first - chunk->block_first);
	block_end = chunk->block_first + chunk->block.count;
	if (end <= block_end && at % 64 == 0) {
		give_slice(chunk, at, count, out);
		return 0;
	}
	rc = begin_join(chunk, count, err);
	while (!rc && first < end) {
		rc = need_row(chunk, first, end - 1, err);
		if (rc)
			break;
		at = (size_t)(first - chunk->block_first);
		step = chunk->block.count - at;
		if (step > end - first)
			step = (size_t)(end - first);
		rc = join_rows(chunk, at, step, err);
		if (!rc && step < count)
			rc = keep_texts(chunk, chunk->joined.count - step,
					step, err);
		first += step;
	}
	if (!rc)
		vector_reference(out, &chunk->joined);
	return rc;
}

/* data[to + i] = block[rows[i] - base]. */
#define PICK(type) \
	do { \
		type *dst = (type *)joined->data + joined->count; \
		const type *src = chunk->block.data; \
		for (size_t i = 0; i < count; i++) \
			dst[i] = src[rows[i] + base]; \
	} while (0)

/* Append the given rows, all of the block: row r is at r + base in it. */
static int pick_rows(struct chunk_reader *chunk, const uint32_t *rows,
		     size_t count, uint64_t base, struct error *err)
{
	struct vector *joined = &chunk->joined;
	int rc;

	switch (chunk->convert.out_width) {
	case 1: PICK(uint8_t); break;
	case 4: PICK(uint32_t); break;
	case 8: PICK(uint64_t); break;
	default: PICK(struct byte_view); break;
	}
	if (chunk->block.validity && !joined->validity) {
		rc = vector_own_validity(joined, err);
		if (rc)
			return rc;
	}
	for (size_t i = 0; joined->validity && i < count; i++)
		bits_put(joined->validity, joined->count + i,
			 !chunk->block.validity ||
				 bits_get(chunk->block.validity,
					  rows[i] + base));
	joined->count += count;
	return 0;
}

static bool is_in_page(const struct chunk_reader *chunk, uint64_t row)
{
	const struct page_entry *entry;

	if (chunk->page == NO_PAGE)
		return false;
	entry = &chunk->entries[chunk->page];
	return row >= entry->first_row &&
	       row - entry->first_row < entry->row_count;
}

/* The last row that a coalesced read from rows[0]'s page on should reach:
 * as long as no page in between is without a wanted row. */
static uint64_t last_of_run(const struct chunk_reader *chunk, uint64_t first,
			    const uint32_t *rows, size_t count)
{
	size_t page, i = 0;

	if (first + rows[0] >= chunk->next_row ||
	    is_in_page(chunk, first + rows[0]))
		return first + rows[0];
	page = find_entry(chunk, first + rows[0]);
	while (i + 1 < count && first + rows[i + 1] < chunk->next_row) {
		size_t next = page;

		while (first + rows[i + 1] >= chunk->entries[next].first_row +
						      chunk->entries[next]
							      .row_count)
			next++;
		if (next > page + 1)
			break;
		page = next;
		i++;
	}
	return first + rows[i];
}

int chunk_reader_gather(struct chunk_reader *chunk, uint64_t first,
			const uint32_t *rows, size_t count,
			struct vector *out, struct error *err)
{
	size_t done = 0;
	int rc;

	give(out, &chunk->want);
	if (count == 0)
		return 0;
	rc = check_range(chunk, first, (uint64_t)rows[count - 1] + 1, err);
	if (rc)
		return rc;
	rc = begin_join(chunk, count, err);
	while (!rc && done < count) {
		uint64_t row = first + rows[done], end;
		size_t step = 1;

		if (chunk->page == NO_PAGE || row < chunk->block_first ||
		    row >= chunk->block_first + chunk->block.count)
			rc = need_row(chunk, row,
				      last_of_run(chunk, first, rows + done,
						  count - done), err);
		if (rc)
			break;
		end = chunk->block_first + chunk->block.count;
		while (done + step < count && first + rows[done + step] < end)
			step++;
		rc = pick_rows(chunk, rows + done, step,
			       first - chunk->block_first, err);
		if (!rc && step < count)
			rc = keep_texts(chunk, chunk->joined.count - step,
					step, err);
		done += step;
	}
	if (!rc)
		vector_reference(out, &chunk->joined);
	return rc;
}

bool parquet_has_dictionary(const struct parquet_reader *reader, size_t group,
			    size_t leaf)
{
	const struct column_chunk *chunk =
		&reader->metadata.groups[group].columns[leaf];
	bool has = false;

	/* a full list may have been cut */
	if (chunk->encoding_stats_count == ENCODING_STATS_LIMIT)
		return false;
	for (size_t i = 0; i < chunk->encoding_stats_count; i++) {
		const struct encoding_count *stat = &chunk->encoding_stats[i];

		if ((stat->page_type != PAGE_DATA &&
		     stat->page_type != PAGE_DATA_V2) || stat->count == 0)
			continue;
		if (stat->encoding != ENCODING_PLAIN_DICTIONARY &&
		    stat->encoding != ENCODING_RLE_DICTIONARY)
			return false;
		has = true;
	}
	return has;
}

int chunk_reader_dictionary(struct chunk_reader *chunk, struct vector *out,
			    bool *complete, struct error *err)
{
	uint64_t start = column_chunk_start(chunk->chunk);
	struct page_header header;
	int rc = 0;

	*complete = false;
	if (!parquet_has_dictionary(chunk->reader, chunk->group, chunk->leaf))
		return 0;
	if (!chunk->dictionary_done) {
		chunk->page = NO_PAGE;	/* its bytes may go */
		rc = page_reader_header(&chunk->pages, start, &header, err);
		if (!rc && header.type == PAGE_DICTIONARY)
			rc = load_dictionary(chunk, start, &header, err);
		if (rc)
			return locate_error(chunk, 0, rc, err);
		if (!chunk->dictionary_done)
			return 0;
		if (chunk->next_offset == start)
			chunk->next_offset = start + header.header_bytes +
				(uint64_t)header.compressed_bytes;
	}
	give(out, &chunk->want);
	out->data = chunk->decoder.dictionary;
	out->count = chunk->decoder.dictionary_count;
	*complete = true;
	return 0;
}
