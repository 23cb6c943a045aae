/*
 * row_store.c - rows kept in memory as columns
 *
 * Why:    the source of a MERGE is looked at in the order of its keys, once
 *         for what matches and once for what does not, so it must be kept.
 * How:    each thread fills chunks of its own and takes a new one under a
 *         lock, so that filling needs no lock per row. Row numbers carry the
 *         chunk, so that finding a row is a shift and two loads.
 * Cost:   the values, 10 bytes a row for where it came from and 2 for marks.
 * Limits: 65535 chunks, 4.29 billion rows.
 */
#include "join/row_store.h"
#include <pthread.h>

#define FIRST_CHUNK_ROWS 1024

struct row_store {
	struct type *types;
	bool *stored;
	size_t column_count;
	struct store_chunk **chunks;
	size_t chunk_count;
	size_t chunk_capacity;
	struct origin_list origins;
	uint64_t byte_count;	/* atomic */
	pthread_mutex_t lock;	/* chunks */
};

struct row_store_writer {
	struct row_store *store;
	struct store_chunk *chunk;
	uint32_t *rows;		/* scratch for a part of a selection */
	size_t row_capacity;
};

int row_store_new(struct row_store **out, const struct type *types,
		  const bool *stored, size_t column_count, struct error *err)
{
	struct row_store *store;

	*out = NULL;
	store = mem_zalloc(sizeof(*store));
	if (!store)
		return error_set(err, ERROR_NO_MEMORY, "row store");
	pthread_mutex_init(&store->lock, NULL);
	origin_list_init(&store->origins);
	store->column_count = column_count;
	store->types = mem_zalloc_array(column_count + 1, sizeof(*types));
	store->stored = mem_zalloc_array(column_count + 1, sizeof(bool));
	if (!store->types || !store->stored) {
		row_store_free(store);
		return error_set(err, ERROR_NO_MEMORY, "row store");
	}
	for (size_t i = 0; i < column_count; i++) {
		store->types[i] = types[i];
		store->stored[i] = !stored || stored[i];
	}
	*out = store;
	return 0;
}

static void chunk_free(struct row_store *store, struct store_chunk *chunk)
{
	if (!chunk)
		return;
	for (size_t i = 0; chunk->columns && i < store->column_count; i++)
		vector_release(&chunk->columns[i]);
	mem_free(chunk->columns);
	arena_release(&chunk->heap);
	mem_free(chunk->lines);
	mem_free(chunk->origins);
	mem_free(chunk->joinable);
	mem_free(chunk->marks);
	mem_free(chunk);
}

void row_store_free(struct row_store *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < store->chunk_count; i++)
		chunk_free(store, store->chunks[i]);
	mem_free(store->chunks);
	origin_list_release(&store->origins);
	mem_free(store->types);
	mem_free(store->stored);
	pthread_mutex_destroy(&store->lock);
	mem_free(store);
}

size_t row_store_chunk_count(const struct row_store *store)
{
	return store->chunk_count;
}

struct store_chunk *row_store_chunk(const struct row_store *store, size_t i)
{
	return store->chunks[i];
}

uint64_t row_store_row_count(const struct row_store *store)
{
	uint64_t count = 0;

	for (size_t i = 0; i < store->chunk_count; i++)
		count += store->chunks[i]->row_count;
	return count;
}

struct type row_store_type(const struct row_store *store, size_t column)
{
	return store->types[column];
}

uint64_t row_store_bytes(const struct row_store *store)
{
	return __atomic_load_n(&store->byte_count, __ATOMIC_RELAXED);
}

struct row_place row_store_place(const struct row_store *store, uint32_t row)
{
	const struct store_chunk *chunk = store->chunks[store_row_chunk(row)];
	size_t at = store_row_place(row);
	struct origin origin = origin_list_get(&store->origins,
					       chunk->origins[at]);
	struct row_place place = { origin.name, origin.has_lines,
				   chunk->lines[at], origin.unit };

	return place;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int row_place_compare(const struct row_place *a, const struct row_place *b)
{
	int order = 0;

	if (a->origin && b->origin)
		order = strcmp(a->origin, b->origin);
	else
		order = (a->origin != NULL) - (b->origin != NULL);
	if (!order)
		return compare_numbers(a->line, b->line);
	if (a->unit != b->unit)
		return compare_numbers(a->unit, b->unit);
	return order;
}

int row_store_writer_new(struct row_store_writer **out,
			 struct row_store *store, struct error *err)
{
	struct row_store_writer *writer = mem_zalloc(sizeof(*writer));

	*out = writer;
	if (!writer)
		return error_set(err, ERROR_NO_MEMORY, "row store");
	writer->store = store;
	return 0;
}

void row_store_writer_free(struct row_store_writer *writer)
{
	if (!writer)
		return;
	mem_free(writer->rows);
	mem_free(writer);
}

/* A new empty chunk, known to the store. */
static int writer_new_chunk(struct row_store_writer *writer,
			    struct error *err)
{
	struct row_store *store = writer->store;
	struct store_chunk *chunk = mem_zalloc(sizeof(*chunk));
	int rc = 0;

	if (!chunk)
		return error_set(err, ERROR_NO_MEMORY, "row store");
	arena_init(&chunk->heap, 16 * 1024);
	chunk->columns = mem_zalloc_array(store->column_count + 1,
					  sizeof(*chunk->columns));
	if (!chunk->columns) {
		chunk_free(store, chunk);
		return error_set(err, ERROR_NO_MEMORY, "row store");
	}
	for (size_t i = 0; i < store->column_count; i++)
		vector_init(&chunk->columns[i], store->types[i]);
	pthread_mutex_lock(&store->lock);
	if (store->chunk_count >= STORE_CHUNK_LIMIT)
		rc = error_set(err, ERROR_UNSUPPORTED,
			       "the source has more than %zu rows in memory",
			       STORE_CHUNK_LIMIT * STORE_CHUNK_ROWS);
	else if (!mem_grow((void **)&store->chunks, &store->chunk_capacity,
			   store->chunk_count, sizeof(*store->chunks)))
		rc = error_set(err, ERROR_NO_MEMORY, "row store");
	else
		store->chunks[store->chunk_count++] = chunk;
	pthread_mutex_unlock(&store->lock);
	if (rc) {
		chunk_free(store, chunk);
		return rc;
	}
	writer->chunk = chunk;
	return 0;
}

/* Room for extra rows in the side arrays; columns grow by themselves. */
static int chunk_reserve(struct row_store *store, struct store_chunk *chunk,
			 size_t extra, struct error *err)
{
	size_t need = chunk->row_count + extra;
	size_t capacity = chunk->capacity ? chunk->capacity
					  : FIRST_CHUNK_ROWS;
	uint64_t *lines;
	uint16_t *origins;
	uint8_t *flags;

	if (need <= chunk->capacity)
		return 0;
	while (capacity < need)
		capacity *= 2;
	lines = mem_realloc_array(chunk->lines, capacity, sizeof(*lines));
	if (lines)
		chunk->lines = lines;
	origins = mem_realloc_array(chunk->origins, capacity,
				    sizeof(*origins));
	if (origins)
		chunk->origins = origins;
	flags = mem_realloc_array(chunk->joinable, capacity, 1);
	if (flags)
		chunk->joinable = flags;
	if (!lines || !origins || !flags)
		return error_set(err, ERROR_NO_MEMORY, "row store");
	flags = mem_realloc_array(chunk->marks, capacity, 1);
	if (!flags)
		return error_set(err, ERROR_NO_MEMORY, "row store");
	chunk->marks = flags;
	memset(flags + chunk->capacity, 0, capacity - chunk->capacity);
	for (size_t i = 0; i < store->column_count; i++) {
		int rc;

		if (!store->stored[i])
			continue;
		rc = vector_reserve(&chunk->columns[i], capacity, err);
		if (rc)
			return rc;
	}
	chunk->capacity = capacity;
	return 0;
}

/* Append rows that fit the current chunk. */
static int chunk_append(struct row_store_writer *writer,
			const struct vector *const *columns,
			const struct row_origin *from,
			const struct selection *rows, const uint8_t *joinable,
			struct error *err)
{
	struct row_store *store = writer->store;
	struct store_chunk *chunk = writer->chunk;
	size_t first = chunk->row_count, heap_before;
	uint64_t added = 12 * rows->count;
	uint16_t origin;
	int rc;

	rc = origin_list_find(&store->origins, from, &origin, err);
	if (!rc)
		rc = chunk_reserve(store, chunk, rows->count, err);
	if (rc)
		return rc;
	heap_before = chunk->heap.total_bytes;
	for (size_t i = 0; i < store->column_count; i++) {
		if (!store->stored[i])
			continue;
		rc = vector_append_selected(&chunk->columns[i], columns[i],
					    rows, &chunk->heap, err);
		if (rc)
			return rc;
		added += rows->count * type_width(&store->types[i]);
	}
	for (size_t i = 0; i < rows->count; i++) {
		size_t row = selection_row(rows, i);

		chunk->lines[first + i] = row_origin_line(from, row);
		chunk->origins[first + i] = origin;
		chunk->joinable[first + i] = !joinable || joinable[row];
	}
	chunk->row_count += rows->count;
	added += chunk->heap.total_bytes - heap_before;
	__atomic_add_fetch(&store->byte_count, added, __ATOMIC_RELAXED);
	return 0;
}

int row_store_append(struct row_store_writer *writer,
		     const struct vector *const *columns,
		     const struct batch *batch, const struct selection *rows,
		     const uint8_t *joinable, struct error *err)
{
	struct row_origin origin = row_origin_of(batch);

	return row_store_append_from(writer, columns, &origin, rows, joinable,
				     err);
}

int row_store_append_from(struct row_store_writer *writer,
			  const struct vector *const *columns,
			  const struct row_origin *origin,
			  const struct selection *rows,
			  const uint8_t *joinable, struct error *err)
{
	size_t done = 0;

	while (done < rows->count) {
		struct selection part = *rows;
		size_t room;
		int rc;

		if (!writer->chunk ||
		    writer->chunk->row_count == STORE_CHUNK_ROWS) {
			rc = writer_new_chunk(writer, err);
			if (rc)
				return rc;
		}
		room = STORE_CHUNK_ROWS - writer->chunk->row_count;
		part.count = rows->count - done < room ? rows->count - done
						       : room;
		if (done && !rows->rows) {
			/* a tail of "all rows" needs its numbers */
			if (writer->row_capacity < part.count) {
				uint32_t *grown = mem_realloc_array(
					writer->rows, part.count,
					sizeof(*grown));

				if (!grown)
					return error_set(err, ERROR_NO_MEMORY,
							 "row store");
				writer->rows = grown;
				writer->row_capacity = part.count;
			}
			for (size_t i = 0; i < part.count; i++)
				writer->rows[i] = (uint32_t)(done + i);
			part.rows = writer->rows;
		} else if (done) {
			part.rows = rows->rows + done;
		}
		rc = chunk_append(writer, columns, origin, &part, joinable,
				  err);
		if (rc)
			return rc;
		done += part.count;
	}
	return 0;
}

struct wide_value {
	uint64_t words[2];
} __attribute__((may_alias));
typedef uint32_t __attribute__((may_alias)) word32_t;
typedef uint64_t __attribute__((may_alias)) word64_t;

#define GATHER_LOOP(ctype) \
	do { \
		ctype *dst = (ctype *)out->data; \
		for (size_t i = 0; i < count; i++) { \
			const struct store_chunk *chunk; \
			if (rows[i] == STORE_ROW_NONE) { \
				memset(&dst[i], 0, sizeof(*dst)); \
				has_nulls = true; \
				continue; \
			} \
			chunk = store->chunks[store_row_chunk(rows[i])]; \
			dst[i] = ((const ctype *)chunk->columns[column].data)[ \
				store_row_place(rows[i])]; \
		} \
	} while (0)

int row_store_gather(const struct row_store *store, size_t column,
		     const uint32_t *rows, size_t count, struct vector *out,
		     struct error *err)
{
	bool has_nulls = false;
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
	for (size_t c = 0; c < store->chunk_count && !has_nulls; c++)
		has_nulls = store->chunks[c]->columns[column].validity != NULL;
	if (!has_nulls)
		return 0;
	rc = vector_own_validity(out, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < count; i++) {
		const struct vector *from;

		if (rows[i] == STORE_ROW_NONE) {
			bits_clear(out->validity, i);
			continue;
		}
		from = &store->chunks[store_row_chunk(rows[i])]
				->columns[column];
		if (vector_is_null(from, store_row_place(rows[i])))
			bits_clear(out->validity, i);
	}
	return 0;
}

void row_store_slice(const struct store_chunk *chunk, size_t column,
		     size_t first, size_t count, struct vector *out)
{
	const struct vector *from = &chunk->columns[column];

	vector_reference(out, from);
	if (!from->data)
		return;
	out->data = (uint8_t *)from->data + first * type_width(&from->type);
	if (from->validity)
		out->validity = from->validity + first / 64;
	out->count = count;
}

void row_store_mark(struct row_store *store, const uint32_t *rows,
		    size_t count, uint8_t marks)
{
	for (size_t i = 0; i < count; i++) {
		struct store_chunk *chunk =
			store->chunks[store_row_chunk(rows[i])];
		uint8_t *flag = &chunk->marks[store_row_place(rows[i])];

		if ((__atomic_load_n(flag, __ATOMIC_RELAXED) & marks) != marks)
			__atomic_fetch_or(flag, marks, __ATOMIC_RELAXED);
	}
}

uint64_t row_store_marked_count(const struct row_store *store, uint8_t marks)
{
	uint64_t count = 0;

	for (size_t c = 0; c < store->chunk_count; c++) {
		const struct store_chunk *chunk = store->chunks[c];

		for (size_t i = 0; i < chunk->row_count; i++)
			count += (chunk->marks[i] & marks) == marks;
	}
	return count;
}
