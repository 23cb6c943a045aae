/*
 * sort_buffer.c - rows that wait to be put in order
 *
 * Why:    files are to be sorted, or there are too many partitions to keep a
 *         file open for each; both need rows in order of their place.
 * How:    rows are copied column by column into chunks of some thousand; per
 *         row there is an entry of 16 bytes, and entries alone are sorted, by
 *         merging runs that are in order already, so that rows which come
 *         sorted cost one look. Past its share of the memory the buffer is
 *         written to disk as one run and begins anew.
 * Cost:   a copy of every value, 16 bytes a row, its key.
 */
#include "table/write/sort_state.h"
#include "table/write/write_state.h"

#define INSERTION_ROWS 12
/* Rows that an entry can name. */
#define ROW_LIMIT ((size_t)1 << 31)

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "sorting rows");
}

int sort_buffer_new(struct sort_buffer **out, struct write_context *context,
		    struct error *err)
{
	struct sort_buffer *buffer = mem_zalloc(sizeof(*buffer));
	size_t own = context->columns->column_count;
	int rc = 0;

	*out = NULL;
	if (!buffer)
		return no_memory(err);
	buffer->context = context;
	arena_init(&buffer->key_bytes, 0);
	buffer->column_count = own + (context->has_lineage ? 2 : 0);
	buffer->types = mem_alloc_array(own + 2, sizeof(*buffer->types));
	if (!buffer->types)
		rc = no_memory(err);
	if (!rc)
		rc = sort_keys_init(&buffer->keys, &context->sort, err);
	if (rc) {
		sort_buffer_free(buffer);
		return rc;
	}
	for (size_t i = 0; i < own; i++)
		buffer->types[i] = context->columns->columns[i].type;
	buffer->types[own] = buffer->types[own + 1] = type_of(TYPE_BIGINT);
	*out = buffer;
	return 0;
}

static void chunk_free(struct sort_buffer *buffer, struct sort_chunk *chunk)
{
	if (!chunk)
		return;
	for (size_t i = 0; chunk->columns && i < buffer->column_count; i++)
		vector_release(&chunk->columns[i]);
	arena_release(&chunk->heap);
	mem_free(chunk->columns);
	mem_free(chunk->keys);
	mem_free(chunk->lengths);
	mem_free(chunk);
}

static void drop_chunks(struct sort_buffer *buffer)
{
	for (size_t i = 0; i < buffer->chunk_count; i++)
		chunk_free(buffer, buffer->chunks[i]);
	buffer->chunk_count = 0;
	buffer->entry_count = 0;
	buffer->bytes = 0;
}

void sort_buffer_free(struct sort_buffer *buffer)
{
	if (!buffer)
		return;
	drop_chunks(buffer);
	for (size_t i = 0; i < buffer->run_count; i++)
		mem_free(buffer->runs[i].blocks);
	sort_keys_release(&buffer->keys);
	temporary_file_free(buffer->file);
	arena_release(&buffer->key_bytes);
	mem_free(buffer->runs);
	mem_free(buffer->chunks);
	mem_free(buffer->entries);
	mem_free(buffer->spare);
	mem_free(buffer->types);
	mem_free(buffer);
}

static int chunk_new(struct sort_buffer *buffer, struct sort_chunk **out,
		     struct error *err)
{
	struct sort_chunk *chunk = mem_zalloc(sizeof(*chunk));
	bool keys = !buffer->keys.plan->keys_fit;

	*out = NULL;
	if (!chunk)
		return no_memory(err);
	arena_init(&chunk->heap, 0);
	chunk->columns = mem_zalloc_array(buffer->column_count + 1,
					  sizeof(*chunk->columns));
	if (keys) {
		chunk->keys = mem_alloc_array(SORT_CHUNK_ROWS,
					      sizeof(*chunk->keys));
		chunk->lengths = mem_alloc_array(SORT_CHUNK_ROWS,
						 sizeof(*chunk->lengths));
	}
	if (!chunk->columns || (keys && (!chunk->keys || !chunk->lengths)) ||
	    !mem_grow((void **)&buffer->chunks, &buffer->chunk_capacity,
		      buffer->chunk_count, sizeof(*buffer->chunks))) {
		chunk_free(buffer, chunk);
		return no_memory(err);
	}
	for (size_t i = 0; i < buffer->column_count; i++)
		vector_init(&chunk->columns[i], buffer->types[i]);
	buffer->chunks[buffer->chunk_count++] = chunk;
	*out = chunk;
	return 0;
}

static size_t chunk_bytes(const struct sort_buffer *buffer,
			  const struct sort_chunk *chunk)
{
	size_t bytes = sizeof(*chunk) + chunk->heap.total_bytes;

	for (size_t i = 0; i < buffer->column_count; i++)
		bytes += chunk->columns[i].capacity *
			 type_width(&chunk->columns[i].type);
	if (chunk->keys)
		bytes += SORT_CHUNK_ROWS *
			 (sizeof(*chunk->keys) + sizeof(*chunk->lengths));
	return bytes;
}

static int reserve_entries(struct sort_buffer *buffer, size_t more,
			   struct error *err)
{
	size_t need = buffer->entry_count + more, capacity;
	struct sort_entry *bigger;

	if (need <= buffer->entry_capacity)
		return 0;
	if (need > ROW_LIMIT)
		return error_set(err, ERROR_INTERNAL, "%zu rows to sort",
				 need);
	capacity = buffer->entry_capacity ? buffer->entry_capacity * 2 : 1024;
	if (capacity < need)
		capacity = need;
	bigger = mem_realloc_array(buffer->entries, capacity,
				   sizeof(*bigger));
	if (!bigger)
		return no_memory(err);
	buffer->entries = bigger;
	buffer->entry_capacity = capacity;
	return 0;
}

/* Rows that fit into the chunk; all columns first, then they count. */
static int add_to_chunk(struct sort_buffer *buffer, struct sort_chunk *chunk,
			const struct vector *const *columns,
			const struct selection *rows,
			const uint32_t *partitions, struct error *err)
{
	const struct sort_keys *keys = &buffer->keys;
	uint32_t first = (uint32_t)((buffer->chunk_count - 1) *
				    SORT_CHUNK_ROWS + chunk->row_count);
	struct arena *heap = chunk->keys ? &chunk->heap : &buffer->key_bytes;
	int rc;

	arena_reset(&buffer->key_bytes);
	rc = reserve_entries(buffer, rows->count, err);
	if (!rc)
		rc = sort_keys_make(&buffer->keys, columns, rows, heap, err);
	for (size_t i = 0; !rc && i < buffer->column_count; i++)
		rc = vector_append_selected(&chunk->columns[i], columns[i],
					    rows, &chunk->heap, err);
	for (size_t i = 0; !rc && i < rows->count; i++) {
		struct sort_entry *entry =
			&buffer->entries[buffer->entry_count++];

		entry->prefix = keys->prefixes[i];
		entry->partition = partitions ? partitions[i] : 0;
		entry->row = first + (uint32_t)i;
		if (!chunk->keys)
			continue;
		chunk->keys[chunk->row_count + i] = keys->keys[i];
		chunk->lengths[chunk->row_count + i] = keys->lengths[i];
	}
	if (!rc)
		chunk->row_count += rows->count;
	return rc;
}

static int spill(struct sort_buffer *buffer, struct error *err)
{
	int rc = sort_buffer_sort(buffer, err);

	if (!rc)
		rc = sort_run_write(buffer, err);
	if (!rc)
		drop_chunks(buffer);
	return rc;
}

int sort_buffer_add(struct sort_buffer *buffer,
		    const struct vector *const *columns,
		    const struct selection *rows, const uint32_t *partitions,
		    struct error *err)
{
	size_t limit = buffer->context->sort_bytes, done = 0;
	uint32_t picked[SORT_CHUNK_ROWS];
	int rc = 0;

	while (!rc && done < rows->count) {
		struct sort_chunk *chunk = buffer->chunk_count
			? buffer->chunks[buffer->chunk_count - 1] : NULL;
		struct selection part = { picked, 0 };
		size_t room, before, first;

		if (!chunk || chunk->row_count == SORT_CHUNK_ROWS)
			rc = chunk_new(buffer, &chunk, err);
		if (rc)
			break;
		room = SORT_CHUNK_ROWS - chunk->row_count;
		first = done;
		for (; part.count < room && done < rows->count; done++)
			picked[part.count++] =
				(uint32_t)selection_row(rows, done);
		before = chunk_bytes(buffer, chunk);
		rc = add_to_chunk(buffer, chunk, columns, &part, partitions
				  ? partitions + first : NULL, err);
		buffer->bytes += chunk_bytes(buffer, chunk) - before;
		/* the entries, and the room to sort them in */
		if (!rc && buffer->bytes + 2 * buffer->entry_count *
			   sizeof(struct sort_entry) > limit)
			rc = spill(buffer, err);
	}
	return rc;
}

int sort_compare(const struct sort_entry *a, const uint8_t *a_key,
		 uint32_t a_length, const struct sort_entry *b,
		 const uint8_t *b_key, uint32_t b_length)
{
	uint32_t length = a_length < b_length ? a_length : b_length;
	int order;

	if (a->partition != b->partition)
		return a->partition < b->partition ? -1 : 1;
	if (a->prefix != b->prefix)
		return a->prefix < b->prefix ? -1 : 1;
	if (!a_key || !b_key || length <= 8)
		return a_key && b_key ? (a_length > b_length) -
						(a_length < b_length) : 0;
	order = memcmp(a_key + 8, b_key + 8, length - 8);
	return order ? order : (a_length > b_length) - (a_length < b_length);
}

static int compare(const struct sort_buffer *buffer,
		   const struct sort_entry *a, const struct sort_entry *b)
{
	const struct sort_chunk *x, *y;
	size_t i, k;

	if (a->partition != b->partition)
		return a->partition < b->partition ? -1 : 1;
	if (a->prefix != b->prefix)
		return a->prefix < b->prefix ? -1 : 1;
	if (buffer->keys.plan->keys_fit)
		return 0;
	x = buffer->chunks[a->row / SORT_CHUNK_ROWS];
	y = buffer->chunks[b->row / SORT_CHUNK_ROWS];
	i = a->row % SORT_CHUNK_ROWS;
	k = b->row % SORT_CHUNK_ROWS;
	return sort_compare(a, x->keys[i], x->lengths[i], b, y->keys[k],
			    y->lengths[k]);
}

static void insertion_sort(const struct sort_buffer *buffer,
			   struct sort_entry *entries, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct sort_entry entry = entries[i];
		size_t at = i;

		for (; at > 0 && compare(buffer, &entries[at - 1], &entry) > 0;
		     at--)
			entries[at] = entries[at - 1];
		entries[at] = entry;
	}
}

/* Merge two sorted neighbours; the first half goes aside. */
static void merge_halves(const struct sort_buffer *buffer,
			 struct sort_entry *entries, size_t half, size_t count)
{
	struct sort_entry *left = buffer->spare;
	size_t i = 0, k = half, out = 0;

	if (compare(buffer, &entries[half - 1], &entries[half]) <= 0)
		return;
	memcpy(left, entries, half * sizeof(*left));
	while (i < half && k < count)
		entries[out++] = compare(buffer, &left[i], &entries[k]) <= 0
					 ? left[i++] : entries[k++];
	memcpy(entries + out, left + i, (half - i) * sizeof(*left));
}

int sort_buffer_sort(struct sort_buffer *buffer, struct error *err)
{
	size_t count = buffer->entry_count, width = INSERTION_ROWS;

	if (count > buffer->spare_capacity) {
		mem_free(buffer->spare);
		buffer->spare_capacity = 0;
		buffer->spare = mem_alloc_array(count, sizeof(*buffer->spare));
		if (!buffer->spare)
			return no_memory(err);
		buffer->spare_capacity = count;
	}
	for (size_t at = 0; at < count; at += width)
		insertion_sort(buffer, buffer->entries + at,
			       count - at < width ? count - at : width);
	for (; width < count; width *= 2) {
		int rc = interrupt_check(err);

		if (rc)
			return rc;
		for (size_t at = 0; count - at > width; at += 2 * width) {
			size_t both = count - at < 2 * width ? count - at
							     : 2 * width;

			merge_halves(buffer, buffer->entries + at, width,
				     both);
			if (both < 2 * width)
				break;
		}
	}
	return 0;
}
