/*
 * join_spill.c - rows on disk, apart by the hash of their keys
 *
 * Why:    a source may be larger than the memory a run is given; it must
 *         still be joined, only slower.
 * How:    each writer collects rows per partition in a small batch; a full one
 *         is written as a block at the end of the one file; where the blocks
 *         of a partition are stays in memory. Reading gives them back in the
 *         order in which they were written. Block, little-endian as the
 *         machine is (a file never leaves it):
 *
 *	offset	size		meaning
 *	0	4		row count n
 *	4	8		bytes of the block after this word
 *	12	8 n		lines
 *		2 n		origins (index into the spill's list, 0 = none)
 *		n		joinable
 *		per stored column:
 *		1		1 = validity follows
 *		8 ceil(n/64)	validity words, if so
 *		width n		values; for bytes: 8 n lengths, then the bytes
 *
 * Cost:   one write and one read of every row.
 * Limits: a key that fills memory alone cannot be split; SPILL_LEVELS times
 *         a partition can be split again by further bits of the hash.
 */
#include "join/join_spill.h"
#include <pthread.h>
#include "join/row_block.h"

#define BLOCK_ROWS 1024
#define BLOCK_HEADER_BYTES 12
/* What rows of one partition may hold in a writer before they are written. */
#define PENDING_BYTES ((size_t)128 * 1024)

struct spill_block {
	uint64_t offset;
	uint64_t length;	/* with its header */
};

struct partition_file {
	struct spill_block *blocks;
	size_t block_count;
	size_t block_capacity;
	uint64_t byte_count;
	uint64_t row_count;
};

struct spill {
	struct type *types;
	bool *stored;
	size_t column_count;
	size_t *key_columns;
	size_t key_count;
	size_t block_rows;	/* at most BLOCK_ROWS */
	unsigned level;
	struct temporary_file *file;
	uint64_t file_end;
	struct partition_file files[SPILL_PARTITIONS];
	struct origin_list origins;
	pthread_mutex_t lock;	/* file_end, files */
};

/* Rows of one partition that are not written yet. */
struct pending {
	struct vector *columns;
	struct arena heap;
	uint64_t lines[BLOCK_ROWS];
	uint16_t origins[BLOCK_ROWS];
	uint8_t joinable[BLOCK_ROWS];
	size_t row_count;
};

struct spill_writer {
	struct spill *spill;
	struct pending *pending[SPILL_PARTITIONS];
	uint64_t *hashes;
	uint32_t *rows;		/* by partition */
	struct text block;
};

/* Rows whose fixed part fills PENDING_BYTES. */
static size_t choose_block_rows(const struct spill *spill)
{
	size_t width = 11, rows;	/* line, origin, joinable */

	for (size_t i = 0; i < spill->column_count; i++)
		if (spill->stored[i])
			width += type_width(&spill->types[i]);
	rows = PENDING_BYTES / width;
	if (rows < 16)
		return 16;
	return rows < BLOCK_ROWS ? rows : BLOCK_ROWS;
}

int spill_new(struct spill **out, const struct spill_options *options,
	      struct error *err)
{
	struct spill *spill = mem_zalloc(sizeof(*spill));
	size_t n = options->column_count, keys = options->key_count;
	int rc = 0;

	*out = NULL;
	if (!spill)
		return error_set(err, ERROR_NO_MEMORY, "spill");
	origin_list_init(&spill->origins);
	pthread_mutex_init(&spill->lock, NULL);
	spill->level = options->level;
	spill->column_count = n;
	spill->key_count = keys;
	spill->types = mem_alloc_array(n + 1, sizeof(*spill->types));
	spill->stored = mem_alloc_array(n + 1, sizeof(bool));
	spill->key_columns = mem_alloc_array(keys + 1, sizeof(size_t));
	if (!spill->types || !spill->stored || !spill->key_columns)
		rc = error_set(err, ERROR_NO_MEMORY, "spill");
	for (size_t i = 0; !rc && i < n; i++) {
		spill->types[i] = options->types[i];
		spill->stored[i] = !options->stored || options->stored[i];
	}
	for (size_t k = 0; !rc && k < keys; k++)
		spill->key_columns[k] = options->key_columns[k];
	if (!rc)
		spill->block_rows = choose_block_rows(spill);
	if (!rc)
		rc = temporary_file_new(&spill->file, options->directory, err);
	if (rc) {
		spill_free(spill);
		return rc;
	}
	*out = spill;
	return 0;
}

void spill_free(struct spill *spill)
{
	if (!spill)
		return;
	for (size_t p = 0; p < SPILL_PARTITIONS; p++)
		mem_free(spill->files[p].blocks);
	temporary_file_free(spill->file);
	pthread_mutex_destroy(&spill->lock);
	origin_list_release(&spill->origins);
	mem_free(spill->types);
	mem_free(spill->stored);
	mem_free(spill->key_columns);
	mem_free(spill);
}

uint64_t spill_partition_bytes(const struct spill *spill, size_t partition)
{
	return spill->files[partition].byte_count;
}

uint64_t spill_partition_rows(const struct spill *spill, size_t partition)
{
	return spill->files[partition].row_count;
}

uint64_t spill_bytes(const struct spill *spill)
{
	uint64_t total = 0;

	for (size_t p = 0; p < SPILL_PARTITIONS; p++)
		total += spill->files[p].byte_count;
	return total;
}

static void pending_free(struct spill *spill, struct pending *pending)
{
	if (!pending)
		return;
	for (size_t i = 0; pending->columns && i < spill->column_count; i++)
		vector_release(&pending->columns[i]);
	mem_free(pending->columns);
	arena_release(&pending->heap);
	mem_free(pending);
}

void spill_writer_free(struct spill_writer *writer)
{
	if (!writer)
		return;
	for (size_t p = 0; p < SPILL_PARTITIONS; p++)
		pending_free(writer->spill, writer->pending[p]);
	mem_free(writer->hashes);
	mem_free(writer->rows);
	text_release(&writer->block);
	mem_free(writer);
}

static int pending_new(struct spill *spill, struct pending **out,
		       struct error *err)
{
	struct pending *pending = mem_zalloc(sizeof(*pending));

	*out = pending;
	if (!pending)
		return error_set(err, ERROR_NO_MEMORY, "spill");
	pending->columns = mem_zalloc_array(spill->column_count + 1,
					    sizeof(*pending->columns));
	if (!pending->columns)
		return error_set(err, ERROR_NO_MEMORY, "spill");
	for (size_t i = 0; i < spill->column_count; i++)
		vector_init(&pending->columns[i], spill->types[i]);
	return 0;
}

int spill_writer_new(struct spill_writer **out, struct spill *spill,
		     struct error *err)
{
	struct spill_writer *writer = mem_zalloc(sizeof(*writer));
	int rc = 0;

	*out = NULL;
	if (!writer)
		return error_set(err, ERROR_NO_MEMORY, "spill");
	writer->spill = spill;
	writer->hashes = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint64_t));
	writer->rows = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint32_t));
	if (!writer->hashes || !writer->rows)
		rc = error_set(err, ERROR_NO_MEMORY, "spill");
	for (size_t p = 0; !rc && p < SPILL_PARTITIONS; p++)
		rc = pending_new(spill, &writer->pending[p], err);
	if (rc) {
		spill_writer_free(writer);
		return rc;
	}
	*out = writer;
	return 0;
}

/* Where a block of a partition goes. */
static int place_block(struct spill *spill, struct partition_file *file,
		       uint64_t length, size_t row_count, uint64_t *offset,
		       struct error *err)
{
	int rc = 0;

	pthread_mutex_lock(&spill->lock);
	if (!mem_grow((void **)&file->blocks, &file->block_capacity,
		      file->block_count, sizeof(*file->blocks))) {
		rc = error_set(err, ERROR_NO_MEMORY, "spill");
	} else {
		struct spill_block *block = &file->blocks[file->block_count++];

		*offset = block->offset = spill->file_end;
		block->length = length;
		spill->file_end += length;
		file->byte_count += length;
		file->row_count += row_count;
	}
	pthread_mutex_unlock(&spill->lock);
	return rc;
}

static int write_block(struct spill_writer *writer, size_t p,
		       struct error *err)
{
	struct spill *spill = writer->spill;
	struct pending *pending = writer->pending[p];
	struct partition_file *file = &spill->files[p];
	struct text *block = &writer->block;
	uint32_t n = (uint32_t)pending->row_count;
	uint64_t length = 0, offset = 0;
	int rc;

	if (n == 0)
		return 0;
	text_reset(block);
	text_add(block, &n, sizeof(n));
	text_add(block, &length, sizeof(length));
	text_add(block, pending->lines, n * sizeof(uint64_t));
	text_add(block, pending->origins, n * sizeof(uint16_t));
	text_add(block, pending->joinable, n);
	for (size_t i = 0; i < spill->column_count; i++)
		if (spill->stored[i])
			row_block_put(&pending->columns[i], n, block);
	if (block->failed)
		return error_set(err, ERROR_NO_MEMORY, "spill");
	length = block->length - BLOCK_HEADER_BYTES;
	memcpy(block->data + sizeof(n), &length, sizeof(length));
	rc = place_block(spill, file, block->length, n, &offset, err);
	if (!rc)
		rc = temporary_file_write(spill->file, offset, block->data,
					  block->length, err);
	for (size_t i = 0; i < spill->column_count; i++)
		vector_reset(&pending->columns[i]);
	arena_reset(&pending->heap);
	pending->row_count = 0;
	return rc;
}

size_t spill_partition_of(uint64_t hash, unsigned level)
{
	return hash >> (58 - 6 * level) & (SPILL_PARTITIONS - 1);
}

static size_t partition_of(const struct spill_writer *writer, uint64_t hash)
{
	return spill_partition_of(hash, writer->spill->level);
}

static void hash_keys(struct spill_writer *writer,
		      const struct vector *const *columns, size_t row_count)
{
	struct spill *spill = writer->spill;
	struct selection all = selection_all(row_count);

	memset(writer->hashes, 0, row_count * sizeof(uint64_t));
	for (size_t k = 0; k < spill->key_count; k++)
		vector_hash(columns[spill->key_columns[k]], &all, k == 0,
			    writer->hashes);
}

/* Rows of a batch to one partition. */
static int add_rows(struct spill_writer *writer, size_t p,
		    const struct selection *rows,
		    const struct vector *const *columns,
		    const struct row_origin *from, const uint8_t *joinable,
		    struct error *err)
{
	struct spill *spill = writer->spill;
	struct pending *pending = writer->pending[p];
	uint16_t origin;
	size_t done = 0;
	int rc = origin_list_find(&spill->origins, from, &origin, err);

	while (!rc && done < rows->count) {
		size_t room = spill->block_rows - pending->row_count;
		size_t left = rows->count - done;
		struct selection part = { rows->rows + done,
					  left < room ? left : room };

		for (size_t i = 0; !rc && i < spill->column_count; i++)
			if (spill->stored[i])
				rc = vector_append_selected(
					&pending->columns[i], columns[i],
					&part, &pending->heap, err);
		for (size_t i = 0; !rc && i < part.count; i++) {
			size_t row = part.rows[i], at = pending->row_count++;

			pending->lines[at] = row_origin_line(from, row);
			pending->origins[at] = origin;
			pending->joinable[at] = !joinable || joinable[row];
		}
		done += part.count;
		if (!rc && (pending->row_count == spill->block_rows ||
			    pending->heap.total_bytes >= PENDING_BYTES))
			rc = write_block(writer, p, err);
	}
	return rc;
}

/* Rows at .. end - 1 to their partitions, given the hashes of all. */
static int spill_range(struct spill_writer *writer,
		       const struct vector *const *columns,
		       const struct row_origin *from, size_t at, size_t end,
		       const uint8_t *joinable, struct error *err)
{
	size_t first[SPILL_PARTITIONS + 1] = { 0 };
	size_t next[SPILL_PARTITIONS];
	int rc = 0;

	for (size_t i = at; i < end; i++)
		first[partition_of(writer, writer->hashes[i]) + 1]++;
	for (size_t p = 0; p < SPILL_PARTITIONS; p++) {
		first[p + 1] += first[p];
		next[p] = first[p];
	}
	for (size_t i = at; i < end; i++)
		writer->rows[next[partition_of(writer,
					       writer->hashes[i])]++] =
			(uint32_t)i;
	for (size_t p = 0; !rc && p < SPILL_PARTITIONS; p++) {
		struct selection rows = { writer->rows + first[p],
					  first[p + 1] - first[p] };

		if (rows.count)
			rc = add_rows(writer, p, &rows, columns, from,
				      joinable, err);
	}
	return rc;
}

int spill_append(struct spill_writer *writer,
		 const struct vector *const *columns,
		 const struct batch *batch, const uint8_t *joinable,
		 struct error *err)
{
	struct row_origin from = row_origin_of(batch);

	hash_keys(writer, columns, batch->row_count);
	return spill_range(writer, columns, &from, 0, batch->row_count,
			   joinable, err);
}

int spill_writer_finish(struct spill_writer *writer, struct error *err)
{
	int rc = 0;

	for (size_t p = 0; !rc && p < SPILL_PARTITIONS; p++)
		rc = write_block(writer, p, err);
	return rc;
}

/* Rows of a store's window; a window may mix origins, so one run of equal
 * origins goes at a time. */
static int spill_window(struct spill_writer *writer,
			const struct row_store *store, size_t c, size_t first,
			struct vector *window, const struct vector **columns,
			struct error *err)
{
	struct store_chunk *chunk = row_store_chunk(store, c);
	size_t left = chunk->row_count - first;
	size_t count = left < BATCH_ROW_COUNT ? left : BATCH_ROW_COUNT;
	int rc = 0;

	for (size_t i = 0; i < writer->spill->column_count; i++)
		row_store_slice(chunk, i, first, count, &window[i]);
	hash_keys(writer, columns, count);
	for (size_t at = 0; !rc && at < count;) {
		const uint8_t *joinable = chunk->joinable + first;
		const uint8_t *marks = chunk->marks + first;
		struct row_place place = row_store_place(
			store, (uint32_t)(c << STORE_CHUNK_BITS |
					  (first + at)));
		struct row_origin from = { place.origin, place.is_line,
					   place.unit, chunk->lines + first,
					   0 };
		size_t end = at + 1;

		if (marks[at] & STORE_MARK_DROPPED) {
			at++;
			continue;
		}
		while (end < count && !(marks[end] & STORE_MARK_DROPPED) &&
		       chunk->origins[first + end] ==
			       chunk->origins[first + at])
			end++;
		rc = spill_range(writer, columns, &from, at, end, joinable,
				 err);
		at = end;
	}
	return rc;
}

int spill_store(struct spill_writer *writer, const struct row_store *store,
		struct error *err)
{
	struct spill *spill = writer->spill;
	const struct vector **columns;
	struct vector *window;
	int rc = 0;

	columns = mem_zalloc_array(spill->column_count + 1, sizeof(*columns));
	window = mem_zalloc_array(spill->column_count + 1, sizeof(*window));
	if (!columns || !window)
		rc = error_set(err, ERROR_NO_MEMORY, "spill");
	for (size_t i = 0; !rc && i < spill->column_count; i++) {
		vector_init(&window[i], spill->types[i]);
		columns[i] = &window[i];
	}
	for (size_t c = 0; !rc && c < row_store_chunk_count(store); c++) {
		struct store_chunk *chunk = row_store_chunk(store, c);

		for (size_t at = 0; !rc && at < chunk->row_count;
		     at += BATCH_ROW_COUNT)
			rc = spill_window(writer, store, c, at, window,
					  columns, err);
	}
	for (size_t i = 0; window && i < spill->column_count; i++)
		vector_release(&window[i]);
	mem_free(window);
	mem_free(columns);
	return rc;
}

/* Blocks of one partition on their way back. */
struct spill_reader {
	struct spill *spill;
	size_t partition;
	size_t next_block;
	struct text block;
	struct batch batch;	/* columns as spilled */
	struct batch cut;	/* a run of rows of one origin */
	uint8_t *origins;	/* in block; not aligned */
	uint64_t lines[BLOCK_ROWS];
	uint8_t joinable[BLOCK_ROWS];
	size_t row_count;	/* of the block */
	size_t at;
	size_t first;		/* of the rows given last */
};

int spill_reader_new(struct spill_reader **out, struct spill *spill,
		     size_t partition, struct error *err)
{
	struct spill_reader *reader = mem_zalloc(sizeof(*reader));
	int rc;

	*out = NULL;
	if (!reader)
		return error_set(err, ERROR_NO_MEMORY, "spill");
	reader->spill = spill;
	reader->partition = partition;
	rc = batch_init_types(&reader->batch, spill->types,
			      spill->column_count, err);
	if (!rc)
		rc = batch_init_types(&reader->cut, spill->types,
				      spill->column_count, err);
	if (rc) {
		spill_reader_free(reader);
		return rc;
	}
	*out = reader;
	return 0;
}

void spill_reader_free(struct spill_reader *reader)
{
	if (!reader)
		return;
	batch_release(&reader->batch);
	batch_release(&reader->cut);
	text_release(&reader->block);
	mem_free(reader);
}

void spill_reader_rewind(struct spill_reader *reader)
{
	reader->next_block = 0;
	reader->row_count = reader->at = 0;
}

/* What stands in the block after its header. */
static int parse_block(struct spill_reader *reader, size_t n,
		       struct error *err)
{
	struct spill *spill = reader->spill;
	struct block_reader in = {
		(const uint8_t *)reader->block.data + BLOCK_HEADER_BYTES,
		reader->block.length - BLOCK_HEADER_BYTES
	};
	const void *lines = row_block_take_bytes(&in, n * sizeof(uint64_t));
	const void *origins = row_block_take_bytes(&in, n * sizeof(uint16_t));
	const void *joinable = row_block_take_bytes(&in, n);
	int rc = 0;

	if (!lines || !origins || !joinable)
		return error_set(err, ERROR_INTERNAL,
				 "a spill file is damaged");
	memcpy(reader->lines, lines, n * sizeof(uint64_t));
	memcpy(reader->joinable, joinable, n);
	reader->origins = (uint8_t *)(uintptr_t)origins;
	for (size_t i = 0; !rc && i < spill->column_count; i++)
		if (spill->stored[i])
			rc = row_block_take(&in, n,
					    &reader->batch.columns[i], err);
	reader->row_count = n;
	reader->at = 0;
	return rc;
}

static int load_block(struct spill_reader *reader, struct error *err)
{
	struct spill *spill = reader->spill;
	const struct spill_block *at =
		&spill->files[reader->partition].blocks[reader->next_block++];
	uint64_t length;
	uint32_t n;
	int rc = interrupt_check(err);

	if (rc)
		return rc;
	text_reset(&reader->block);
	if (!text_reserve(&reader->block, (size_t)at->length))
		return error_set(err, ERROR_NO_MEMORY, "spill");
	rc = temporary_file_read(spill->file, at->offset, reader->block.data,
				 (size_t)at->length, err);
	if (rc)
		return rc;
	reader->block.length = (size_t)at->length;
	memcpy(&n, reader->block.data, sizeof(n));
	memcpy(&length, reader->block.data + sizeof(n), sizeof(length));
	if (n > BLOCK_ROWS || length != at->length - BLOCK_HEADER_BYTES)
		return error_set(err, ERROR_INTERNAL,
				 "a spill file is damaged");
	return parse_block(reader, n, err);
}

static uint16_t origin_at(const struct spill_reader *reader, size_t row)
{
	uint16_t origin;

	memcpy(&origin, reader->origins + 2 * row, sizeof(origin));
	return origin;
}

/* Rows first .. end - 1 of the block as a batch of their own. */
static int cut_rows(struct spill_reader *reader, size_t first, size_t end,
		    struct error *err)
{
	uint32_t rows[BLOCK_ROWS];
	int rc = 0;

	batch_reset(&reader->cut);
	for (size_t i = first; i < end; i++)
		rows[i - first] = (uint32_t)i;
	for (size_t i = 0; !rc && i < reader->cut.column_count; i++) {
		const struct vector *from = &reader->batch.columns[i];

		if (!reader->spill->stored[i])
			continue;
		if (first == 0 && end == reader->row_count)
			vector_reference(&reader->cut.columns[i], from);
		else
			rc = vector_gather(&reader->cut.columns[i], from, rows,
					   end - first, NULL, err);
	}
	return rc;
}

int spill_reader_next(struct spill_reader *reader, struct batch **out,
		      struct error *err)
{
	const struct partition_file *file =
		&reader->spill->files[reader->partition];
	struct batch *cut = &reader->cut;
	struct origin known;
	size_t first, end;
	int rc = 0;

	*out = NULL;
	while (!rc && reader->at == reader->row_count) {
		if (reader->next_block == file->block_count)
			return 0;
		rc = load_block(reader, err);
	}
	if (rc)
		return rc;
	first = reader->at;
	for (end = first + 1; end < reader->row_count; end++)
		if (origin_at(reader, end) != origin_at(reader, first))
			break;
	rc = cut_rows(reader, first, end, err);
	if (rc)
		return rc;
	known = origin_list_get(&reader->spill->origins,
				origin_at(reader, first));
	cut->row_count = end - first;
	cut->origin = known.name;
	cut->unit = known.unit;
	cut->lines = known.name && !known.has_lines ? NULL
						    : reader->lines + first;
	cut->first_row = reader->lines[first];
	reader->first = first;
	reader->at = end;
	*out = cut;
	return 0;
}

const uint8_t *spill_reader_joinable(const struct spill_reader *reader)
{
	return reader->joinable + reader->first;
}

/* All that a reader gives, to the store. */
static int read_all(struct spill_reader *reader,
		    struct row_store_writer *writer,
		    const struct vector **list, struct error *err)
{
	struct spill *spill = reader->spill;
	struct batch *batch;
	int rc;

	while (!(rc = spill_reader_next(reader, &batch, err)) && batch) {
		struct row_origin from;
		struct selection all = selection_all(batch->row_count);
		struct origin known = origin_list_get(
			&spill->origins, origin_at(reader, reader->first));

		for (size_t i = 0; i < spill->column_count; i++)
			list[i] = &batch->columns[i];
		from.name = known.name;
		from.has_lines = known.has_lines;
		from.unit = known.unit;
		from.lines = reader->lines + reader->first;
		from.first_row = 0;
		rc = row_store_append_from(writer, list, &from, &all,
					   spill_reader_joinable(reader),
					   err);
		if (rc)
			break;
	}
	return rc;
}

int spill_read(struct spill *spill, size_t partition,
	       struct row_store *store, struct error *err)
{
	struct row_store_writer *writer = NULL;
	struct spill_reader *reader = NULL;
	const struct vector **list;
	int rc = row_store_writer_new(&writer, store, err);

	list = mem_zalloc_array(spill->column_count + 1, sizeof(*list));
	if (!rc && !list)
		rc = error_set(err, ERROR_NO_MEMORY, "spill");
	if (!rc)
		rc = spill_reader_new(&reader, spill, partition, err);
	if (!rc)
		rc = read_all(reader, writer, list, err);
	spill_reader_free(reader);
	mem_free(list);
	row_store_writer_free(writer);
	return rc;
}
