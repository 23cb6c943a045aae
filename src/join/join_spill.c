/*
 * join_spill.c - rows on disk, apart by the hash of their keys
 *
 * Why:    a source may be larger than the memory a run is given; it must
 *         still be joined, only slower.
 * How:    each writer collects rows per partition in a small batch; a full one
 *         is written as a block at the end of the partition's file. Reading
 *         gives the blocks back to a row store. Block, little-endian as the
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
 * Limits: SPILL_PARTITIONS; a key that fills memory alone cannot be split.
 */
#include "join/join_spill.h"
#include <pthread.h>

#define BLOCK_ROWS 1024
#define BLOCK_HEADER_BYTES 12
/* What rows of one partition may hold in a writer before they are written. */
#define PENDING_BYTES ((size_t)128 * 1024)

struct partition_file {
	struct temporary_file *file;
	uint64_t byte_count;
	pthread_mutex_t lock;
};

struct spill {
	struct type *types;
	bool *stored;
	size_t column_count;
	size_t *key_columns;
	size_t key_count;
	size_t block_rows;	/* at most BLOCK_ROWS */
	struct partition_file files[SPILL_PARTITIONS];
	struct origin_list origins;
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
	for (size_t p = 0; p < SPILL_PARTITIONS; p++)
		pthread_mutex_init(&spill->files[p].lock, NULL);
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
	for (size_t p = 0; !rc && p < SPILL_PARTITIONS; p++)
		rc = temporary_file_new(&spill->files[p].file,
					options->directory, err);
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
	for (size_t p = 0; p < SPILL_PARTITIONS; p++) {
		temporary_file_free(spill->files[p].file);
		pthread_mutex_destroy(&spill->files[p].lock);
	}
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

static void add_column(const struct vector *column, size_t n,
		       struct text *block)
{
	bool has_nulls = vector_has_nulls(column);

	text_add_char(block, has_nulls);
	if (has_nulls)
		text_add(block, column->validity, 8 * BITMAP_WORDS(n));
	if (!type_is_view(&column->type)) {
		text_add(block, column->data, n * type_width(&column->type));
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t length = vector_is_null(column, i)
					  ? 0 : vector_bytes(column)[i].length;

		text_add(block, &length, sizeof(length));
	}
	for (size_t i = 0; i < n; i++)
		if (!vector_is_null(column, i) &&
		    vector_bytes(column)[i].length)
			text_add(block, vector_bytes(column)[i].data,
				 vector_bytes(column)[i].length);
}

static int write_block(struct spill_writer *writer, size_t p,
		       struct error *err)
{
	struct spill *spill = writer->spill;
	struct pending *pending = writer->pending[p];
	struct partition_file *file = &spill->files[p];
	struct text *block = &writer->block;
	uint32_t n = (uint32_t)pending->row_count;
	uint64_t length = 0;
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
			add_column(&pending->columns[i], n, block);
	if (block->failed)
		return error_set(err, ERROR_NO_MEMORY, "spill");
	length = block->length - BLOCK_HEADER_BYTES;
	memcpy(block->data + sizeof(n), &length, sizeof(length));
	pthread_mutex_lock(&file->lock);
	rc = temporary_file_write(file->file, file->byte_count, block->data,
				  block->length, err);
	if (!rc)
		file->byte_count += block->length;
	pthread_mutex_unlock(&file->lock);
	for (size_t i = 0; i < spill->column_count; i++)
		vector_reset(&pending->columns[i]);
	arena_reset(&pending->heap);
	pending->row_count = 0;
	return rc;
}

static size_t partition_of(uint64_t hash)
{
	return hash >> 58;
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
		first[partition_of(writer->hashes[i]) + 1]++;
	for (size_t p = 0; p < SPILL_PARTITIONS; p++) {
		first[p + 1] += first[p];
		next[p] = first[p];
	}
	for (size_t i = at; i < end; i++)
		writer->rows[next[partition_of(writer->hashes[i])]++] =
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

/* Where reading a block is. */
struct block_reader {
	const uint8_t *next;
	size_t left;
};

static const void *take(struct block_reader *reader, size_t length)
{
	const uint8_t *at = reader->next;

	if (length > reader->left)
		return NULL;
	reader->next += length;
	reader->left -= length;
	return at;
}

static bool read_bytes(struct block_reader *reader, size_t n,
		       struct vector *out)
{
	const void *lengths = take(reader, 8 * n);

	for (size_t i = 0; lengths && i < n; i++) {
		struct byte_view *view = &vector_bytes(out)[i];
		uint64_t length;

		memcpy(&length, (const uint8_t *)lengths + 8 * i, 8);
		view->length = (size_t)length;
		view->data = take(reader, (size_t)length);
		if (!view->data)
			return false;
	}
	return lengths != NULL;
}

static int read_column(struct block_reader *reader, size_t n,
		       struct vector *out, struct error *err)
{
	const uint8_t *flag = take(reader, 1);
	const void *data;
	int rc;

	vector_reset(out);
	rc = vector_reserve(out, n, err);
	if (rc)
		return rc;
	out->count = n;
	if (flag && *flag) {
		rc = vector_own_validity(out, err);
		if (rc)
			return rc;
		data = take(reader, 8 * BITMAP_WORDS(n));
		if (data)
			memcpy(out->validity, data, 8 * BITMAP_WORDS(n));
		else
			flag = NULL;
	}
	if (flag && type_is_view(&out->type)) {
		if (read_bytes(reader, n, out))
			return 0;
		flag = NULL;
	}
	data = flag ? take(reader, n * type_width(&out->type)) : NULL;
	if (!data)
		return error_set(err, ERROR_INTERNAL,
				 "a spill file is damaged");
	memcpy(out->data, data, n * type_width(&out->type));
	return 0;
}

/* The rows of one block (after its header) to the store. */
static int read_block(struct spill *spill, const struct text *block, size_t n,
		      struct vector *columns, const struct vector **list,
		      struct row_store_writer *writer, struct error *err)
{
	struct block_reader reader = { (const uint8_t *)block->data,
				       block->length };
	const uint64_t *lines = take(&reader, n * sizeof(uint64_t));
	const uint8_t *origins = take(&reader, n * sizeof(uint16_t));
	const uint8_t *joinable = take(&reader, n);
	int rc = joinable ? 0 : error_set(err, ERROR_INTERNAL,
					  "a spill file is damaged");

	for (size_t i = 0; !rc && i < spill->column_count; i++)
		if (spill->stored[i])
			rc = read_column(&reader, n, &columns[i], err);
	for (size_t at = 0; !rc && at < n;) {
		struct row_origin from = { 0 };
		struct selection rows;
		struct origin known;
		uint32_t numbers[BLOCK_ROWS];
		uint16_t origin, other;
		size_t end = at;

		memcpy(&origin, origins + 2 * at, 2);
		for (; end < n; end++) {
			memcpy(&other, origins + 2 * end, 2);
			if (other != origin)
				break;
			numbers[end - at] = (uint32_t)end;
		}
		known = origin_list_get(&spill->origins, origin);
		from.name = known.name;
		from.has_lines = known.has_lines;
		from.unit = known.unit;
		from.lines = lines;
		rows.rows = numbers;
		rows.count = end - at;
		rc = row_store_append_from(writer, list, &from, &rows,
					   joinable, err);
		at = end;
	}
	return rc;
}

static int read_blocks(struct spill *spill, size_t partition,
		       struct row_store_writer *writer,
		       struct vector *columns, const struct vector **list,
		       struct error *err)
{
	struct partition_file *file = &spill->files[partition];
	struct text block = TEXT_INIT;
	uint64_t at = 0;
	int rc = 0;

	while (!rc && at < file->byte_count) {
		uint8_t header[BLOCK_HEADER_BYTES];
		uint64_t length;
		uint32_t n;

		rc = interrupt_check(err);
		if (!rc)
			rc = temporary_file_read(file->file, at, header,
						 sizeof(header), err);
		if (rc)
			break;
		memcpy(&n, header, sizeof(n));
		memcpy(&length, header + sizeof(n), sizeof(length));
		at += sizeof(header);
		text_reset(&block);
		if (n > BLOCK_ROWS || length > file->byte_count - at)
			rc = error_set(err, ERROR_INTERNAL,
				       "a spill file is damaged");
		else if (!text_reserve(&block, (size_t)length))
			rc = error_set(err, ERROR_NO_MEMORY, "spill");
		else
			rc = temporary_file_read(file->file, at, block.data,
						 (size_t)length, err);
		block.length = (size_t)length;
		at += length;
		if (!rc)
			rc = read_block(spill, &block, n, columns, list,
					writer, err);
	}
	text_release(&block);
	return rc;
}

int spill_read(struct spill *spill, size_t partition,
	       struct row_store *store, struct error *err)
{
	struct row_store_writer *writer = NULL;
	const struct vector **list;
	struct vector *columns;
	int rc = row_store_writer_new(&writer, store, err);

	columns = mem_zalloc_array(spill->column_count + 1, sizeof(*columns));
	list = mem_zalloc_array(spill->column_count + 1, sizeof(*list));
	if (!rc && (!columns || !list))
		rc = error_set(err, ERROR_NO_MEMORY, "spill");
	for (size_t i = 0; !rc && i < spill->column_count; i++) {
		vector_init(&columns[i], spill->types[i]);
		list[i] = &columns[i];
	}
	if (!rc)
		rc = read_blocks(spill, partition, writer, columns, list, err);
	for (size_t i = 0; columns && i < spill->column_count; i++)
		vector_release(&columns[i]);
	mem_free(columns);
	mem_free(list);
	row_store_writer_free(writer);
	return rc;
}
