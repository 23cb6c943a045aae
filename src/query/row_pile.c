/*
 * row_pile.c - rows that an operator keeps, in memory or on disk
 *
 * Why:    sorting, windows and queries that are read twice need all rows
 *         before they can give the first.
 * How:    a chunk has some thousand rows, so that growing copies little. A
 *         run is blocks in a file without a name, one after the other.
 * Cost:   a copy of every value; on disk a write and a read.
 */
#include "query/row_pile.h"

struct wide_value {
	uint64_t words[2];
} __attribute__((may_alias));
typedef uint32_t __attribute__((may_alias)) word32_t;
typedef uint64_t __attribute__((may_alias)) word64_t;

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "rows of a query");
}

void pile_init(struct pile *pile, const struct row_shape *shape)
{
	memset(pile, 0, sizeof(*pile));
	pile->shape = *shape;
}

static void chunk_free(const struct pile *pile, struct pile_chunk *chunk)
{
	if (!chunk)
		return;
	for (size_t i = 0; chunk->columns && i < pile->shape.column_count;
	     i++)
		vector_release(&chunk->columns[i]);
	mem_free(chunk->columns);
	arena_release(&chunk->heap);
	mem_free(chunk);
}

void pile_release(struct pile *pile)
{
	struct row_shape shape = pile->shape;

	for (size_t i = 0; i < pile->chunk_count; i++)
		chunk_free(pile, pile->chunks[i]);
	mem_free(pile->chunks);
	pile_init(pile, &shape);
}

static int chunk_new(struct pile *pile, struct error *err)
{
	struct pile_chunk *chunk = mem_zalloc(sizeof(*chunk));
	size_t count = pile->shape.column_count;

	if (!chunk)
		return no_memory(err);
	arena_init(&chunk->heap, 0);
	chunk->columns = mem_zalloc_array(count + 1, sizeof(*chunk->columns));
	if (!chunk->columns ||
	    !mem_grow((void **)&pile->chunks, &pile->chunk_capacity,
		      pile->chunk_count, sizeof(*pile->chunks))) {
		chunk_free(pile, chunk);
		return no_memory(err);
	}
	for (size_t i = 0; i < count; i++)
		vector_init(&chunk->columns[i], pile->shape.types[i]);
	pile->chunks[pile->chunk_count++] = chunk;
	pile->bytes += sizeof(*chunk) + count * sizeof(struct vector);
	return 0;
}

static size_t chunk_bytes(const struct pile *pile,
			  const struct pile_chunk *chunk)
{
	size_t bytes = chunk->heap.total_bytes;

	for (size_t i = 0; i < pile->shape.column_count; i++)
		bytes += chunk->columns[i].capacity *
			 type_width(&chunk->columns[i].type);
	return bytes;
}

static int chunk_append(struct pile *pile, struct pile_chunk *chunk,
			const struct vector *const *columns,
			const struct selection *rows, struct error *err)
{
	size_t before = chunk_bytes(pile, chunk);
	int rc = 0;

	for (size_t i = 0; !rc && i < pile->shape.column_count; i++)
		if (shape_has(&pile->shape, i))
			rc = vector_append_selected(&chunk->columns[i],
						    columns[i], rows,
						    &chunk->heap, err);
	pile->bytes += chunk_bytes(pile, chunk) - before;
	if (!rc) {
		chunk->row_count += rows->count;
		pile->row_count += rows->count;
	}
	return rc;
}

int pile_append(struct pile *pile, const struct vector *const *columns,
		const struct selection *rows, struct error *err)
{
	uint32_t picked[PILE_CHUNK_ROWS];
	size_t done = 0;
	int rc = 0;

	if (pile->row_count + rows->count >= UINT32_MAX)
		return error_set(err, ERROR_UNSUPPORTED,
				 "a query keeps more than 4 billion rows in "
				 "memory");
	while (!rc && done < rows->count) {
		struct pile_chunk *chunk = pile->chunk_count
			? pile->chunks[pile->chunk_count - 1] : NULL;
		struct selection part = { picked, 0 };
		size_t room;

		if (!chunk || chunk->row_count == PILE_CHUNK_ROWS) {
			rc = chunk_new(pile, err);
			if (rc)
				return rc;
			chunk = pile->chunks[pile->chunk_count - 1];
		}
		room = PILE_CHUNK_ROWS - chunk->row_count;
		if (done == 0 && rows->count <= room)
			return chunk_append(pile, chunk, columns, rows, err);
		while (part.count < room && done < rows->count)
			picked[part.count++] =
				(uint32_t)selection_row(rows, done++);
		rc = chunk_append(pile, chunk, columns, &part, err);
	}
	return rc;
}

/* Rows lie anywhere: what is so many rows ahead is fetched before. */
#define FETCH_ROWS 16

#define REPLACE_LOOP(ctype) \
	do { \
		const ctype *from = (const ctype *)values->data; \
		for (size_t i = 0; i < by->count; i++) { \
			if (i + FETCH_ROWS < by->count) \
				__builtin_prefetch( \
					(ctype *)column_of( \
						pile, rows[i + FETCH_ROWS], \
						c)->data + \
					(rows[i + FETCH_ROWS] & \
					 (PILE_CHUNK_ROWS - 1)), 1); \
			((ctype *)column_of(pile, rows[i], c)->data) \
				[rows[i] & (PILE_CHUNK_ROWS - 1)] = \
				from[selection_row(by, i)]; \
		} \
	} while (0)

static struct vector *column_of(const struct pile *pile, uint32_t row,
				size_t column)
{
	return &pile->chunks[row >> PILE_CHUNK_BITS]->columns[column];
}

static struct byte_view *view_of(const struct pile *pile, uint32_t row,
				 size_t column)
{
	return vector_bytes(column_of(pile, row, column)) +
	       (row & (PILE_CHUNK_ROWS - 1));
}

/* Bytes take the room of those that they replace, if they fit. */
static int replace_views(struct pile *pile, const uint32_t *rows, size_t c,
			 const struct vector *values,
			 const struct selection *by, struct error *err)
{
	for (size_t i = 0; i < by->count; i++) {
		struct pile_chunk *chunk =
			pile->chunks[rows[i] >> PILE_CHUNK_BITS];
		struct byte_view *view = view_of(pile, rows[i], c);
		size_t row = selection_row(by, i), held;
		struct byte_view value = vector_bytes(values)[row];
		/* the bytes are ours; the view only has them as const */
		uint8_t *room = (uint8_t *)(uintptr_t)view->data;

		if (i + 2 * FETCH_ROWS < by->count)
			__builtin_prefetch(view_of(
				pile, rows[i + 2 * FETCH_ROWS], c), 1);
		if (i + FETCH_ROWS < by->count)
			__builtin_prefetch(view_of(
				pile, rows[i + FETCH_ROWS], c)->data, 1);
		if (vector_is_null(values, row))
			value = byte_view(NULL, 0);
		if (value.length > view->length) {
			held = chunk->heap.total_bytes;
			room = arena_alloc_bytes(&chunk->heap, value.length);
			if (!room)
				return no_memory(err);
			pile->bytes += chunk->heap.total_bytes - held;
			pile->waste_bytes += view->length;
		} else {
			pile->waste_bytes += view->length - value.length;
		}
		if (value.length)
			memcpy(room, value.data, value.length);
		*view = byte_view(room, value.length);
	}
	return 0;
}

static int replace_validity(struct pile *pile, const uint32_t *rows, size_t c,
			    const struct vector *values,
			    const struct selection *by, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < by->count; i++) {
		struct vector *to = column_of(pile, rows[i], c);
		size_t at = rows[i] & (PILE_CHUNK_ROWS - 1);

		if (vector_is_null(values, selection_row(by, i)))
			rc = vector_set_null(to, at, err);
		else if (to->validity)
			bits_set(to->validity, at);
	}
	return rc;
}

static int replace_column(struct pile *pile, const uint32_t *rows, size_t c,
			  const struct vector *values,
			  const struct selection *by, struct error *err)
{
	int rc = 0;

	if (type_is_view(&values->type)) {
		rc = replace_views(pile, rows, c, values, by, err);
	} else {
		switch (type_width(&values->type)) {
		case 1:
			REPLACE_LOOP(uint8_t);
			break;
		case 4:
			REPLACE_LOOP(word32_t);
			break;
		case 8:
			REPLACE_LOOP(word64_t);
			break;
		default:
			REPLACE_LOOP(struct wide_value);
			break;
		}
	}
	return rc ? rc : replace_validity(pile, rows, c, values, by, err);
}

int pile_replace(struct pile *pile, const uint32_t *rows,
		 const struct vector *const *columns,
		 const struct selection *by, struct error *err)
{
	int rc = 0;

	for (size_t c = 0; !rc && c < pile->shape.column_count; c++)
		if (shape_has(&pile->shape, c))
			rc = replace_column(pile, rows, c, columns[c], by,
					    err);
	return rc;
}

#define GATHER_LOOP(ctype) \
	do { \
		ctype *dst = (ctype *)out->data; \
		for (size_t i = 0; i < count; i++) { \
			const struct vector *from = &refs[i].columns[column]; \
			dst[i] = ((const ctype *)from->data)[refs[i].row]; \
			any_null |= from->validity != NULL; \
		} \
	} while (0)

int rows_gather(const struct row_ref *refs, size_t count, size_t column,
		struct vector *out, struct error *err)
{
	bool any_null = false;
	int rc;

	vector_reset(out);
	rc = vector_reserve(out, count ? count : 1, err);
	if (rc)
		return rc;
	out->count = count;
	switch (type_width(&out->type)) {
	case 1:
		GATHER_LOOP(uint8_t);
		break;
	case 4:
		GATHER_LOOP(word32_t);
		break;
	case 8:
		GATHER_LOOP(word64_t);
		break;
	default:
		GATHER_LOOP(struct wide_value);
		break;
	}
	if (!any_null)
		return 0;
	rc = vector_own_validity(out, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < count; i++)
		if (vector_is_null(&refs[i].columns[column], refs[i].row))
			bits_clear(out->validity, i);
	return 0;
}

void run_file_init(struct run_file *file, const char *directory)
{
	memset(file, 0, sizeof(*file));
	file->directory = directory;
	pthread_mutex_init(&file->lock, NULL);
}

void run_file_release(struct run_file *file)
{
	temporary_file_free(file->file);
	file->file = NULL;
	pthread_mutex_destroy(&file->lock);
}

void run_release(struct run *run)
{
	mem_free(run->blocks);
	memset(run, 0, sizeof(*run));
}

/* Room at the end of the file. */
static int reserve_bytes(struct run_file *file, size_t length,
			 uint64_t *offset, struct error *err)
{
	int rc = 0;

	pthread_mutex_lock(&file->lock);
	if (!file->file)
		rc = temporary_file_new(&file->file, file->directory, err);
	*offset = file->end;
	if (!rc)
		file->end += length;
	pthread_mutex_unlock(&file->lock);
	return rc;
}

int run_write(struct run *run, struct run_file *file,
	      const struct row_shape *shape, const struct vector *columns,
	      size_t count, struct error *err)
{
	struct text bytes = TEXT_INIT;
	struct run_block *block;
	int rc = 0;

	for (size_t i = 0; i < shape->column_count; i++)
		if (shape_has(shape, i))
			row_block_put(&columns[i], count, &bytes);
	if (bytes.failed ||
	    !mem_grow((void **)&run->blocks, &run->block_capacity,
		      run->block_count, sizeof(*run->blocks)))
		rc = no_memory(err);
	if (!rc) {
		block = &run->blocks[run->block_count];
		block->length = bytes.length;
		block->row_count = count;
		rc = reserve_bytes(file, bytes.length, &block->offset, err);
		if (!rc)
			rc = temporary_file_write(file->file, block->offset,
						  bytes.data, bytes.length,
						  err);
		run->block_count += rc == 0;
	}
	text_release(&bytes);
	return rc;
}

int run_read(const struct run_block *block, struct run_file *file,
	     const struct row_shape *shape, struct vector *columns,
	     struct text *bytes, struct error *err)
{
	struct block_reader reader;
	int rc = interrupt_check(err);

	if (rc)
		return rc;
	text_reset(bytes);
	if (!text_reserve(bytes, block->length))
		return no_memory(err);
	rc = temporary_file_read(file->file, block->offset, bytes->data,
				 block->length, err);
	reader.next = (const uint8_t *)bytes->data;
	reader.left = block->length;
	for (size_t i = 0; !rc && i < shape->column_count; i++)
		if (shape_has(shape, i))
			rc = row_block_take(&reader, block->row_count,
					    &columns[i], err);
	return rc;
}
