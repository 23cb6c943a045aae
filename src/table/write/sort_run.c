/*
 * sort_run.c - sorted rows on disk, and reading rows in order
 *
 * Why:    a statement keeps to its memory however many rows it sorts.
 * How:    a run is blocks of some hundred rows in a file without a name. What
 *         place each begins with stays in memory, so that a reader can start
 *         anywhere. A cursor walks over a run, or over a buffer's rows where
 *         they are, and shows both alike.
 *
 *	of a block	meaning
 *	8 x rows	prefixes
 *	4 x rows	partitions
 *	4 x rows	lengths of keys, if keys do not all fit their prefix
 *	bytes		the keys
 *	per column	1 byte: has nulls; then their bits, one word per 64;
 *			values, or 4 x rows lengths and the bytes
 *
 *	Numbers are as in memory; each part begins at a multiple of 16.
 * Limits: the file is our own and gone with the process: not checked much.
 */
#include "table/write/sort_state.h"
#include "table/write/write_state.h"

/* A block ends at so many rows or bytes, whatever comes first. */
#define BLOCK_ROWS 1024
#define BLOCK_BYTES ((size_t)256 << 10)

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "sorting rows");
}

static int corrupt(struct error *err)
{
	return error_set(err, ERROR_IO, "a temporary file for sorting is "
			 "not what was written");
}

static void align(struct text *out)
{
	static const char zeros[16];

	if (out->length % 16)
		text_add(out, zeros, 16 - out->length % 16);
}

static const struct sort_chunk *chunk_of(const struct sort_buffer *buffer,
					 const struct sort_entry *entry)
{
	return buffer->chunks[entry->row / SORT_CHUNK_ROWS];
}

static void put_places(const struct sort_buffer *buffer,
		       const struct sort_entry *entries, size_t count,
		       struct text *out)
{
	for (size_t i = 0; i < count; i++)
		text_add(out, &entries[i].prefix, sizeof(uint64_t));
	align(out);
	for (size_t i = 0; i < count; i++)
		text_add(out, &entries[i].partition, sizeof(uint32_t));
	align(out);
	if (buffer->keys.plan->keys_fit)
		return;
	for (size_t i = 0; i < count; i++)
		text_add(out, &chunk_of(buffer, &entries[i])->lengths
			 [entries[i].row % SORT_CHUNK_ROWS],
			 sizeof(uint32_t));
	align(out);
	for (size_t i = 0; i < count; i++) {
		const struct sort_chunk *chunk = chunk_of(buffer, &entries[i]);
		size_t row = entries[i].row % SORT_CHUNK_ROWS;

		text_add(out, chunk->keys[row], chunk->lengths[row]);
	}
	align(out);
}

static const struct vector *column_of(const struct sort_buffer *buffer,
				      const struct sort_entry *entry,
				      size_t column)
{
	return &chunk_of(buffer, entry)->columns[column];
}

static void put_nulls(const struct sort_buffer *buffer,
		      const struct sort_entry *entries, size_t count,
		      size_t column, struct text *out)
{
	uint64_t bits[BITMAP_WORDS(BLOCK_ROWS)] = { 0 };
	char any = 0;

	for (size_t i = 0; i < count; i++) {
		bool null = vector_is_null(
			column_of(buffer, &entries[i], column),
			entries[i].row % SORT_CHUNK_ROWS);

		bits_put(bits, i, !null);
		any |= null;
	}
	text_add_char(out, any);
	align(out);
	if (any)
		text_add(out, bits, BITMAP_WORDS(count) * sizeof(*bits));
	align(out);
}

static void put_column(const struct sort_buffer *buffer,
		       const struct sort_entry *entries, size_t count,
		       size_t column, struct text *out)
{
	bool is_view = type_is_view(&buffer->types[column]);
	size_t width = type_width(&buffer->types[column]);

	put_nulls(buffer, entries, count, column, out);
	for (size_t i = 0; i < count; i++) {
		const struct vector *from = column_of(buffer, &entries[i],
						      column);
		size_t row = entries[i].row % SORT_CHUNK_ROWS;
		uint32_t length;

		if (!is_view) {
			text_add(out, (const char *)from->data + row * width,
				 width);
			continue;
		}
		length = vector_is_null(from, row)
			? 0 : (uint32_t)vector_bytes(from)[row].length;
		text_add(out, &length, sizeof(length));
	}
	align(out);
	for (size_t i = 0; is_view && i < count; i++) {
		const struct vector *from = column_of(buffer, &entries[i],
						      column);
		size_t row = entries[i].row % SORT_CHUNK_ROWS;

		if (!vector_is_null(from, row) &&
		    vector_bytes(from)[row].length)
			text_add(out, vector_bytes(from)[row].data,
				 vector_bytes(from)[row].length);
	}
	align(out);
}

/* How many of the entries a block takes. */
static size_t measure_block(const struct sort_buffer *buffer,
			    const struct sort_entry *entries, size_t count)
{
	size_t bytes = 0, n = 0;

	while (n < count && n < BLOCK_ROWS && bytes < BLOCK_BYTES) {
		size_t row = entries[n].row % SORT_CHUNK_ROWS;

		for (size_t c = 0; c < buffer->column_count; c++) {
			const struct vector *from =
				column_of(buffer, &entries[n], c);

			if (!type_is_view(&from->type))
				bytes += type_width(&from->type);
			else if (!vector_is_null(from, row))
				bytes += vector_bytes(from)[row].length;
		}
		n++;
	}
	return n;
}

static int add_run(struct sort_buffer *buffer, struct sort_run **out,
		   struct error *err)
{
	if (!mem_grow((void **)&buffer->runs, &buffer->run_capacity,
		      buffer->run_count, sizeof(*buffer->runs)))
		return no_memory(err);
	*out = &buffer->runs[buffer->run_count++];
	memset(*out, 0, sizeof(**out));
	return 0;
}

static int write_block(struct sort_buffer *buffer, struct sort_run *run,
		       const struct sort_entry *entries, size_t count,
		       struct text *bytes, struct error *err)
{
	struct sort_block *block;
	int rc;

	if (!mem_grow((void **)&run->blocks, &run->block_capacity,
		      run->block_count, sizeof(*run->blocks)))
		return no_memory(err);
	text_reset(bytes);
	put_places(buffer, entries, count, bytes);
	for (size_t c = 0; c < buffer->column_count; c++)
		put_column(buffer, entries, count, c, bytes);
	if (bytes->failed)
		return no_memory(err);
	rc = temporary_file_write(buffer->file, buffer->file_end, bytes->data,
				  bytes->length, err);
	if (rc)
		return rc;
	block = &run->blocks[run->block_count++];
	block->offset = buffer->file_end;
	block->length = bytes->length;
	block->prefix = entries[0].prefix;
	block->partition = entries[0].partition;
	block->row_count = (uint32_t)count;
	buffer->file_end += bytes->length;
	return 0;
}

int sort_run_write(struct sort_buffer *buffer, struct error *err)
{
	struct text bytes = TEXT_INIT;
	struct sort_run *run = NULL;
	size_t at = 0;
	int rc = 0;

	if (!buffer->file)
		rc = temporary_file_new(&buffer->file,
					buffer->context->spill_directory,
					err);
	if (!rc)
		rc = add_run(buffer, &run, err);
	while (!rc && at < buffer->entry_count) {
		const struct sort_entry *entries = buffer->entries + at;
		size_t count = measure_block(buffer, entries,
					     buffer->entry_count - at);

		rc = interrupt_check(err);
		if (!rc)
			rc = write_block(buffer, run, entries, count, &bytes,
					 err);
		at += count;
	}
	text_release(&bytes);
	return rc;
}

/* The parts of a block, one after the other. */
struct block_parts {
	uint8_t *data;
	size_t length;
	size_t at;
	bool failed;
};

static void *next_part(struct block_parts *parts, size_t length)
{
	void *out = parts->data + parts->at;

	if (parts->failed || length > parts->length - parts->at) {
		parts->failed = true;
		return NULL;
	}
	parts->at += length;
	parts->at = (parts->at + 15) & ~(size_t)15;
	if (parts->at > parts->length)
		parts->at = parts->length;
	return out;
}

static void take_keys(struct sort_cursor *cursor, struct block_parts *parts,
		      size_t count)
{
	size_t sum = 0;
	const uint8_t *at;

	cursor->lengths = next_part(parts, count * sizeof(uint32_t));
	for (size_t i = 0; cursor->lengths && i < count; i++)
		sum += cursor->lengths[i];
	at = next_part(parts, sum);
	for (size_t i = 0; at && i < count; i++) {
		cursor->keys[i] = at;
		at += cursor->lengths[i];
	}
}

static int take_column(struct block_parts *parts, struct vector *out,
		       size_t count, struct error *err)
{
	const char *any = next_part(parts, 1);
	uint64_t *bits = any && *any
		? next_part(parts, BITMAP_WORDS(count) * sizeof(*bits)) : NULL;
	const uint32_t *lengths;
	const uint8_t *at;
	size_t sum = 0;
	int rc;

	vector_reset(out);
	if (!type_is_view(&out->type)) {
		out->data = next_part(parts, count * type_width(&out->type));
		out->validity = bits;
		out->count = count;
		return parts->failed ? corrupt(err) : 0;
	}
	rc = vector_reserve(out, count, err);
	if (rc)
		return rc;
	lengths = next_part(parts, count * sizeof(*lengths));
	for (size_t i = 0; lengths && i < count; i++)
		sum += lengths[i];
	at = next_part(parts, sum);
	if (parts->failed)
		return corrupt(err);
	for (size_t i = 0; i < count; i++) {
		vector_bytes(out)[i] = byte_view(at, lengths[i]);
		at += lengths[i];
	}
	out->validity = bits;
	out->count = count;
	return 0;
}

static int reserve_block(struct sort_cursor *cursor,
			 const struct sort_block *block, struct error *err)
{
	if (block->length > cursor->byte_capacity) {
		mem_free(cursor->bytes);
		cursor->byte_capacity = 0;
		cursor->bytes = mem_alloc_aligned(block->length);
		if (!cursor->bytes)
			return no_memory(err);
		cursor->byte_capacity = block->length;
	}
	if (block->row_count > cursor->key_capacity) {
		mem_free(cursor->keys);
		cursor->key_capacity = 0;
		cursor->keys = mem_alloc_array(block->row_count,
					       sizeof(*cursor->keys));
		if (!cursor->keys)
			return no_memory(err);
		cursor->key_capacity = block->row_count;
	}
	return 0;
}

/* What the cursor shows of the row it stands at. */
static void show_row(struct sort_cursor *cursor)
{
	const struct sort_buffer *buffer = cursor->buffer;
	bool keys_fit = buffer->keys.plan->keys_fit;
	const struct sort_chunk *chunk;

	if (cursor->run) {
		cursor->place.prefix = cursor->prefixes[cursor->at];
		cursor->place.partition = cursor->partitions[cursor->at];
		cursor->key = keys_fit ? NULL : cursor->keys[cursor->at];
		cursor->key_length = keys_fit ? 0
					      : cursor->lengths[cursor->at];
		cursor->row_columns = cursor->columns;
		cursor->row = (uint32_t)cursor->at;
		return;
	}
	cursor->place = buffer->entries[cursor->at];
	chunk = chunk_of(buffer, &cursor->place);
	cursor->row = cursor->place.row % SORT_CHUNK_ROWS;
	cursor->row_columns = chunk->columns;
	cursor->key = keys_fit ? NULL : chunk->keys[cursor->row];
	cursor->key_length = keys_fit ? 0 : chunk->lengths[cursor->row];
}

int sort_cursor_load(struct sort_cursor *cursor, struct error *err)
{
	const struct sort_run *run = cursor->run;
	struct block_parts parts = { 0 };
	const struct sort_block *block;
	int rc;

	if (cursor->block >= run->block_count) {
		cursor->at_end = true;
		return 0;
	}
	block = &run->blocks[cursor->block++];
	rc = reserve_block(cursor, block, err);
	if (!rc)
		rc = temporary_file_read(cursor->buffer->file, block->offset,
					 cursor->bytes, block->length, err);
	if (rc)
		return rc;
	parts.data = cursor->bytes;
	parts.length = block->length;
	cursor->row_count = block->row_count;
	cursor->prefixes = next_part(&parts, block->row_count *
				     sizeof(uint64_t));
	cursor->partitions = next_part(&parts, block->row_count *
				       sizeof(uint32_t));
	if (!cursor->buffer->keys.plan->keys_fit)
		take_keys(cursor, &parts, block->row_count);
	for (size_t c = 0; !rc && c < cursor->buffer->column_count; c++)
		rc = take_column(&parts, &cursor->columns[c],
				 block->row_count, err);
	if (!rc && parts.failed)
		rc = corrupt(err);
	cursor->at = 0;
	if (!rc)
		show_row(cursor);
	return rc;
}

static bool is_below(const struct sort_entry *entry, uint32_t partition,
		     uint64_t prefix)
{
	return entry->partition < partition ||
	       (entry->partition == partition && entry->prefix < prefix);
}

/* First of the rows in memory that is not below. */
static void start_in_memory(struct sort_cursor *cursor, uint32_t partition,
			    uint64_t prefix)
{
	size_t low = 0, high = cursor->buffer->entry_count;

	cursor->row_count = high;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (is_below(&cursor->buffer->entries[middle], partition,
			     prefix))
			low = middle + 1;
		else
			high = middle;
	}
	cursor->at = low;
	cursor->at_end = low == cursor->row_count;
	if (!cursor->at_end)
		show_row(cursor);
}

static int start_on_disk(struct sort_cursor *cursor, uint32_t partition,
			 uint64_t prefix, struct error *err)
{
	size_t low = 0, high = cursor->run->block_count;
	bool reload = false;
	int rc;

	/* the last block that begins below holds the first such row, if any */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct sort_block *block = &cursor->run->blocks[middle];
		struct sort_entry first = { block->prefix, block->partition,
					    0 };

		if (is_below(&first, partition, prefix))
			low = middle + 1;
		else
			high = middle;
	}
	cursor->block = low ? low - 1 : 0;
	rc = sort_cursor_load(cursor, err);
	while (!rc && !cursor->at_end &&
	       is_below(&cursor->place, partition, prefix)) {
		sort_cursor_next(cursor, &reload);
		if (reload)
			rc = sort_cursor_load(cursor, err);
	}
	return rc;
}

int sort_cursor_open(struct sort_cursor *cursor, struct sort_buffer *buffer,
		     const struct sort_run *run, uint32_t partition,
		     uint64_t prefix, struct error *err)
{
	memset(cursor, 0, sizeof(*cursor));
	cursor->buffer = buffer;
	cursor->run = run;
	if (!run) {
		start_in_memory(cursor, partition, prefix);
		return 0;
	}
	cursor->columns = mem_zalloc_array(buffer->column_count + 1,
					   sizeof(*cursor->columns));
	if (!cursor->columns)
		return no_memory(err);
	for (size_t i = 0; i < buffer->column_count; i++)
		vector_init(&cursor->columns[i], buffer->types[i]);
	return start_on_disk(cursor, partition, prefix, err);
}

void sort_cursor_next(struct sort_cursor *cursor, bool *reload)
{
	*reload = false;
	if (++cursor->at < cursor->row_count)
		show_row(cursor);
	else if (cursor->run)
		*reload = true;
	else
		cursor->at_end = true;
}

void sort_cursor_release(struct sort_cursor *cursor)
{
	for (size_t i = 0; cursor->columns && i < cursor->buffer->column_count;
	     i++)
		vector_release(&cursor->columns[i]);
	mem_free(cursor->columns);
	mem_free(cursor->bytes);
	mem_free(cursor->keys);
	memset(cursor, 0, sizeof(*cursor));
}
