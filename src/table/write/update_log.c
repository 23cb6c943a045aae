/*
 * update_log.c - new values of updated rows, as they come
 *
 *	offset	size		meaning
 *	0	slots, padded	per slot: 0 kept, 1 values, 2 values and nulls
 *	..	4 * rows	position - first, uint32, padded
 *	..	8 * words	validity bits (state 2), padded
 *	..	width * rows	values; bytes: uint32 lengths, padded, then
 *				the bytes, padded
 *
 * Why:    where an updated value goes is known only when its file is written
 *         again, after all rows have been seen.
 * How:    the rows of a page that lie in one file are one run: positions and
 *         the columns that the page has. Runs are packed into blocks; when
 *         those exceed their share of the memory, further ones go to an
 *         unnamed file as soon as they are full. Sections are aligned, so
 *         that vectors point right into a block.
 * Cost:   a copy of the new values; 48 bytes a run, which is a batch of rows
 *         where updates are dense.
 * Limits: in memory and of this process alone; numbers are as in memory.
 */
#include "table/write/update_map.h"

#define BLOCK_BYTES ((size_t)1 << 20)
#define ALIGNMENT ((size_t)16)

struct update_block {
	struct update_block *next;
	uint8_t *data;
	size_t capacity;
	size_t used;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "updated rows");
}

static size_t padded(size_t bytes)
{
	return (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

void update_log_init(struct update_log *log,
		     const struct update_columns *columns,
		     const char *directory, size_t limit_bytes)
{
	memset(log, 0, sizeof(*log));
	log->columns = columns;
	log->directory = directory;
	log->limit_bytes = limit_bytes;
}

void update_log_release(struct update_log *log)
{
	while (log->blocks) {
		struct update_block *block = log->blocks;

		log->blocks = block->next;
		mem_free(block->data);
		mem_free(block);
	}
	temporary_file_free(log->file);
	mem_free(log->runs);
	memset(log, 0, sizeof(*log));
}

/* The newest block is full: keep it, or put it into the file and empty it. */
static int put_away(struct update_log *log, struct error *err)
{
	struct update_block *block = log->blocks;
	int rc = 0;

	if (!block || log->block_bytes <= log->limit_bytes)
		return 0;
	if (!log->file)
		rc = temporary_file_new(&log->file, log->directory, err);
	if (!rc)
		rc = temporary_file_write(log->file, log->file_bytes,
					  block->data, block->used, err);
	if (rc)
		return rc;
	for (size_t i = log->open_run; i < log->run_count; i++) {
		struct update_run *run = &log->runs[i];

		run->offset = log->file_bytes +
			      (uint64_t)(run->data - block->data);
		run->data = NULL;
	}
	log->file_bytes += block->used;
	log->block_bytes -= block->capacity;
	log->blocks = block->next;
	mem_free(block->data);
	mem_free(block);
	return 0;
}

/* Room for so many bytes, aligned, in the newest block. */
static int take_room(struct update_log *log, size_t bytes, uint8_t **out,
		     struct error *err)
{
	struct update_block *block = log->blocks;
	int rc;

	if (block && block->capacity - block->used >= bytes) {
		*out = block->data + block->used;
		return 0;
	}
	rc = put_away(log, err);
	if (rc)
		return rc;
	block = mem_zalloc(sizeof(*block));
	if (!block)
		return no_memory(err);
	block->capacity = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
	block->data = mem_alloc_aligned(block->capacity);
	if (!block->data) {
		mem_free(block);
		return no_memory(err);
	}
	block->next = log->blocks;
	log->blocks = block;
	log->block_bytes += block->capacity;
	log->open_run = log->run_count;
	*out = block->data;
	return 0;
}

/* Rows from .. to - 1 of a selection that become one run. */
struct run_rows {
	const struct selection *rows;
	const uint64_t *row_ids;
	size_t from;
	size_t to;
	uint64_t file_first;	/* row id of the file's row 0 */
};

static size_t column_bytes(const struct vector *values,
			   const struct run_rows *run)
{
	size_t count = run->to - run->from;
	size_t bytes = padded(BITMAP_WORDS(count) * 8);

	if (!values->data)
		return 0;
	if (!type_is_bytes(&values->type) && !type_is_nested(&values->type))
		return bytes + padded(count * type_width(&values->type));
	bytes += padded(count * 4);
	for (size_t i = run->from; i < run->to; i++) {
		size_t row = selection_row(run->rows, i);

		if (!vector_is_null(values, row))
			bytes += vector_bytes(values)[row].length;
	}
	return padded(bytes);
}

/* Bytes that the run takes at most. */
static size_t run_bytes(const struct update_log *log,
			const struct vector *const *columns,
			const struct run_rows *run)
{
	size_t bytes = padded(log->columns->count) +
		       padded((run->to - run->from) * 4);

	for (size_t k = 0; k < log->columns->count; k++)
		bytes += column_bytes(columns[log->columns->columns[k]], run);
	return bytes;
}

/* The end of a section of so many bytes, its padding cleared. */
static uint8_t *section_end(uint8_t *start, size_t bytes)
{
	memset(start + bytes, 0, padded(bytes) - bytes);
	return start + padded(bytes);
}

static uint8_t *put_validity(uint8_t *to, const struct vector *values,
			     const struct run_rows *run)
{
	size_t count = run->to - run->from;
	uint64_t *bits = (uint64_t *)(void *)to;

	memset(to, 0, padded(BITMAP_WORDS(count) * 8));
	for (size_t i = 0; i < count; i++)
		bits_put(bits, i, !vector_is_null(values, selection_row(
						run->rows, run->from + i)));
	return to + padded(BITMAP_WORDS(count) * 8);
}

static uint8_t *put_texts(uint8_t *to, const struct vector *values,
			  const struct run_rows *run)
{
	size_t count = run->to - run->from;
	uint32_t *lengths = (uint32_t *)(void *)to;
	uint8_t *start = section_end(to, count * 4), *next = start;

	for (size_t i = 0; i < count; i++) {
		size_t row = selection_row(run->rows, run->from + i);
		struct byte_view view = vector_bytes(values)[row];

		lengths[i] = 0;
		if (vector_is_null(values, row) || !view.length)
			continue;
		lengths[i] = (uint32_t)view.length;
		memcpy(next, view.data, view.length);
		next += view.length;
	}
	return section_end(start, (size_t)(next - start));
}

static uint8_t *put_values(uint8_t *to, const struct vector *values,
			   const struct run_rows *run)
{
	size_t width = type_width(&values->type), count = run->to - run->from;
	const uint8_t *data = values->data;

	if (!run->rows->rows)
		memcpy(to, data + run->from * width, count * width);
	for (size_t i = 0; run->rows->rows && i < count; i++)
		memcpy(to + i * width,
		       data + run->rows->rows[run->from + i] * width, width);
	return section_end(to, count * width);
}

static uint8_t *put_column(uint8_t *to, const struct vector *values,
			   const struct run_rows *run, uint8_t *state)
{
	*state = !values->data ? 0 : vector_has_nulls(values) ? 2 : 1;
	if (!*state)
		return to;
	if (*state == 2)
		to = put_validity(to, values, run);
	if (type_is_bytes(&values->type) || type_is_nested(&values->type))
		return put_texts(to, values, run);
	return put_values(to, values, run);
}

static int add_run(struct update_log *log, size_t file,
		   const struct vector *const *columns,
		   const struct run_rows *from, struct error *err)
{
	size_t count = from->to - from->from;
	struct update_run run = { .file = (uint32_t)file };
	uint8_t *start = NULL, *to;
	uint32_t *offsets;
	int rc;

	if (!mem_grow((void **)&log->runs, &log->run_capacity, log->run_count,
		      sizeof(*log->runs)))
		return no_memory(err);
	rc = take_room(log, run_bytes(log, columns, from), &start, err);
	if (rc)
		return rc;
	run.count = (uint32_t)count;
	run.first = from->row_ids[selection_row(from->rows, from->from)] -
		    from->file_first;
	memset(start, 0, padded(log->columns->count));
	to = start + padded(log->columns->count);
	offsets = (uint32_t *)(void *)to;
	for (size_t i = 0; i < count; i++)
		offsets[i] = (uint32_t)(from->row_ids[selection_row(
						from->rows, from->from + i)] -
					from->file_first - run.first);
	run.span = offsets[count - 1];
	to = section_end(to, count * 4);
	for (size_t k = 0; k < log->columns->count; k++) {
		to = put_column(to, columns[log->columns->columns[k]], from,
				&start[k]);
		if (start[k])
			run.slots |= UINT64_C(1) << (k < 63 ? k : 63);
	}
	run.data = start;
	run.bytes = (size_t)(to - start);
	log->blocks->used += run.bytes;
	log->runs[log->run_count++] = run;
	return 0;
}

int update_log_add(struct update_log *log, const struct snapshot_files *files,
		   const struct vector *const *columns,
		   const uint64_t *row_ids, const struct selection *rows,
		   struct error *err)
{
	struct run_rows run = { rows, row_ids, 0, 0, 0 };
	int rc = 0;

	while (!rc && run.from < rows->count) {
		uint64_t row = row_ids[selection_row(rows, run.from)];
		const struct snapshot_file *file =
			files ? snapshot_files_find(files, row) : NULL;
		uint64_t end, last = row;

		if (!file)
			return error_set(err, ERROR_INTERNAL,
					 "an update of no row");
		run.file_first = file->first_row;
		end = run.file_first +
		      (uint64_t)file->entry->file.record_count;
		for (run.to = run.from + 1; run.to < rows->count; run.to++) {
			uint64_t next = row_ids[selection_row(rows, run.to)];

			if (next <= last || next >= end ||
			    next - row > UINT32_MAX)
				break;
			last = next;
		}
		rc = add_run(log, (size_t)(file - files->files), columns, &run,
			     err);
		run.from = run.to;
	}
	return rc;
}
