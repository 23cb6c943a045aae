/*
 * join_build.c - the table over the keys of stored rows
 *
 * Why:    a target is far larger than a batch; each of its keys must be
 *         refused in a few nanoseconds, and the few that match be found.
 * How:    integer keys in a range that is not too wide: a bitmap of the range
 *         refuses, and the rank of a bit leads to the rows of its key. Others:
 *         16 bits a row of blocked Bloom filter, then open addressing with
 *         linear probing, 8 bytes a slot, half full at most. Rows of one key
 *         are chained, so that a key repeated a million times stays linear.
 * Cost:   with a bitmap 8 bytes a row and at most 24 of bitmap, else 20 to 36
 *         and the filter's 2 to 4; about 20 ns a row.
 * Limits: built by one thread.
 */
#include "join/join_table.h"
#include <math.h>

/* Bits of the range a row may cost, where that is little anyway / at most. */
#define BITMAP_SMALL_PER_ROW 8192
#define BITMAP_SMALL_BITS (UINT64_C(1) << 25)
#define BITMAP_BITS_PER_ROW 128
#define BITMAP_LIMIT_BITS (UINT64_C(1) << 28)
#define BLOOM_BITS_PER_ROW 16
#define HASH_WINDOW_ROWS 4096
#define PREFETCH_ROWS 16

bool join_type_is_integer(const struct type *type)
{
	switch (type->id) {
	case TYPE_INTEGER:
	case TYPE_BIGINT:
	case TYPE_DATE:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		return true;
	case TYPE_DECIMAL:
		return type_is_short_decimal(type);
	default:
		return false;
	}
}

static bool values_same(const struct vector *a, size_t i,
			const struct vector *b, size_t j)
{
	bool a_null = vector_is_null(a, i), b_null = vector_is_null(b, j);

	if (a_null || b_null)
		return a_null && b_null;
	if (type_is_bytes(&a->type))
		return byte_view_equal(vector_bytes(a)[i],
				       vector_bytes(b)[j]);
	if (type_is_nested(&a->type))
		return vector_compare_values(a, i, b, j) == 0;
	if (a->type.id == TYPE_DOUBLE) {
		double x = vector_f64(a)[i], y = vector_f64(b)[j];

		return x == y || (x != x && y != y);
	}
	if (a->type.id == TYPE_REAL) {
		float x = vector_f32(a)[i], y = vector_f32(b)[j];

		return x == y || (x != x && y != y);
	}
	switch (type_width(&a->type)) {
	case 1:
		return vector_bool(a)[i] == vector_bool(b)[j];
	case 4:
		return vector_i32(a)[i] == vector_i32(b)[j];
	case 8:
		return vector_i64(a)[i] == vector_i64(b)[j];
	default:
		return memcmp((const uint8_t *)a->data + i * 16,
			      (const uint8_t *)b->data + j * 16, 16) == 0;
	}
}

bool join_keys_same(const struct vector *const *a, size_t i,
		    const struct vector *const *b, size_t j, size_t count)
{
	for (size_t k = 0; k < count; k++)
		if (!values_same(a[k], i, b[k], j))
			return false;
	return true;
}

bool join_key_can_match(const struct join_table *table,
			const struct vector *const *keys, size_t i)
{
	for (size_t k = 0; k < table->key_count; k++) {
		if (table->null_safe[k])
			continue;
		if (vector_is_null(keys[k], i))
			return false;
		if (keys[k]->type.id == TYPE_DOUBLE &&
		    isnan(vector_f64(keys[k])[i]))
			return false;
		if (keys[k]->type.id == TYPE_REAL &&
		    isnan(vector_f32(keys[k])[i]))
			return false;
		/* a null or a NaN inside: = is not even true of itself */
		if (type_is_nested(&keys[k]->type) &&
		    nested_equal_sql(&keys[k]->type, vector_bytes(keys[k])[i],
				     vector_bytes(keys[k])[i]) != 1)
			return false;
	}
	return true;
}

void join_table_free(struct join_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; table->next && i < table->chunk_count; i++)
		mem_free(table->next[i]);
	mem_free(table->next);
	mem_free(table->key_columns);
	mem_free(table->key_types);
	mem_free(table->null_safe);
	mem_free(table->slots);
	mem_free(table->bitmap);
	mem_free(table->word_rank);
	mem_free(table->heads);
	mem_free(table->bloom);
	mem_free(table);
}

uint64_t join_table_bytes(const struct join_table *table)
{
	return table->byte_count;
}

uint64_t join_table_row_count(const struct join_table *table)
{
	return table->row_count;
}

uint64_t join_table_key_count(const struct join_table *table)
{
	return table->key_total;
}

const char *join_table_filter_name(const struct join_table *table)
{
	return table->bitmap ? "bitmap" : "bloom";
}

/* Greatest and smallest integer key of rows that can match. */
static void integer_range(const struct join_table *table, int64_t *min,
			  int64_t *max, uint64_t *count)
{
	*min = INT64_MAX;
	*max = INT64_MIN;
	*count = 0;
	for (size_t c = 0; c < table->chunk_count; c++) {
		struct store_chunk *chunk = row_store_chunk(table->store, c);
		const struct vector *key =
			&chunk->columns[table->key_columns[0]];

		for (size_t i = 0; i < chunk->row_count; i++) {
			int64_t value;

			if (!chunk->joinable[i] || vector_is_null(key, i))
				continue;
			value = join_integer_at(key, i);
			*min = value < *min ? value : *min;
			*max = value > *max ? value : *max;
			++*count;
		}
	}
}

/* Is a bitmap over so many numbers worth it for so many rows? */
static bool bitmap_suits(uint64_t range, uint64_t rows)
{
	if (range < 4096 || (range < BITMAP_SMALL_BITS &&
			     range / BITMAP_SMALL_PER_ROW < rows))
		return true;
	return range < BITMAP_LIMIT_BITS && range / BITMAP_BITS_PER_ROW < rows;
}

/* Make the bitmap, empty, if it suits the keys. */
static int bitmap_new(struct join_table *table, struct error *err)
{
	uint64_t count, range;
	int64_t min, max;
	size_t words;

	if (!table->is_integer || table->null_safe[0])
		return 0;
	integer_range(table, &min, &max, &count);
	if (count == 0)
		return 0;
	range = (uint64_t)max - (uint64_t)min;
	if (!bitmap_suits(range, count))
		return 0;
	words = BITMAP_WORDS(range + 1);
	table->bitmap = mem_zalloc_array(words, 8);
	table->word_rank = mem_alloc_array(words, sizeof(uint32_t));
	if (!table->bitmap || !table->word_rank)
		return error_set(err, ERROR_NO_MEMORY, "join table");
	table->bitmap_min = min;
	table->bitmap_range = range;
	table->byte_count += words * 12;
	return 0;
}

static int slots_new(struct join_table *table, struct error *err)
{
	uint64_t rows = row_store_row_count(table->store);
	size_t slot_count = 16, words = 1;

	while (slot_count < 2 * rows)
		slot_count *= 2;
	while (words * 64 < rows * BLOOM_BITS_PER_ROW)
		words *= 2;
	table->slots = mem_alloc_array(slot_count, sizeof(*table->slots));
	table->bloom = mem_zalloc_array(words, 8);
	if (!table->slots || !table->bloom)
		return error_set(err, ERROR_NO_MEMORY, "join table");
	memset(table->slots, 0xff, slot_count * sizeof(*table->slots));
	table->slot_mask = slot_count - 1;
	table->bloom_mask = words - 1;
	table->byte_count += slot_count * sizeof(*table->slots) + words * 8;
	return 0;
}

/* Chains of all rows of a chunk, empty; also those of rows left out. */
static int chunk_chains(struct join_table *table, size_t c, struct error *err)
{
	size_t count = row_store_chunk(table->store, c)->row_count;

	table->next[c] = mem_alloc_array(count + 1, sizeof(uint32_t));
	if (!table->next[c])
		return error_set(err, ERROR_NO_MEMORY, "join table");
	memset(table->next[c], 0xff, count * sizeof(uint32_t));
	table->byte_count += count * sizeof(uint32_t);
	return interrupt_check(err);
}

/* Set the bits of all keys, and count them. */
static void bitmap_mark(struct join_table *table)
{
	uint64_t keys = 0;

	for (size_t c = 0; c < table->chunk_count; c++) {
		struct store_chunk *chunk = row_store_chunk(table->store, c);
		const struct vector *key =
			&chunk->columns[table->key_columns[0]];

		for (size_t i = 0; i < chunk->row_count; i++)
			if (chunk->joinable[i] && !vector_is_null(key, i))
				bits_set(table->bitmap,
					 bitmap_bit(table, key, i));
	}
	for (size_t w = 0; w <= table->bitmap_range / 64; w++) {
		table->word_rank[w] = (uint32_t)keys;
		keys += (uint64_t)__builtin_popcountll(table->bitmap[w]);
	}
	table->key_total = keys;
}

static int bitmap_fill(struct join_table *table, struct error *err)
{
	bitmap_mark(table);
	table->heads = mem_alloc_array(table->key_total + 1,
				       sizeof(uint32_t));
	if (!table->heads)
		return error_set(err, ERROR_NO_MEMORY, "join table");
	memset(table->heads, 0xff, table->key_total * sizeof(uint32_t));
	table->byte_count += table->key_total * sizeof(uint32_t);
	for (size_t c = 0; c < table->chunk_count; c++) {
		struct store_chunk *chunk = row_store_chunk(table->store, c);
		const struct vector *key =
			&chunk->columns[table->key_columns[0]];
		int rc = chunk_chains(table, c, err);

		if (rc)
			return rc;
		for (size_t i = 0; i < chunk->row_count; i++) {
			uint32_t *head;

			if (!chunk->joinable[i] || vector_is_null(key, i))
				continue;
			head = &table->heads[bitmap_rank(
				table, bitmap_bit(table, key, i))];
			table->next[c][i] = *head;
			*head = (uint32_t)(c << STORE_CHUNK_BITS | i);
			table->row_count++;
		}
	}
	return 0;
}

/* Put one row into its slot or at the head of its key's chain. */
static void table_insert(struct join_table *table, uint32_t row,
			 uint64_t hash, const struct vector *const *keys)
{
	uint32_t tag = (uint32_t)(hash >> 32);
	uint64_t at = hash & table->slot_mask;

	for (;; at = (at + 1) & table->slot_mask) {
		struct join_slot *slot = &table->slots[at];
		const struct vector *other[JOIN_KEY_LIMIT];
		struct store_chunk *chunk;

		if (slot->row == JOIN_ROW_NONE) {
			slot->tag = tag;
			slot->row = row;
			table->key_total++;
			return;
		}
		if (slot->tag != tag)
			continue;
		chunk = row_store_chunk(table->store,
					store_row_chunk(slot->row));
		for (size_t k = 0; k < table->key_count; k++)
			other[k] = &chunk->columns[table->key_columns[k]];
		if (!join_keys_same(keys, store_row_place(row), other,
				    store_row_place(slot->row),
				    table->key_count))
			continue;
		table->next[store_row_chunk(row)][store_row_place(row)] =
			slot->row;
		slot->row = row;
		return;
	}
}

static void insert_window(struct join_table *table, size_t c,
			  const struct vector *const *keys, size_t first,
			  size_t count)
{
	struct store_chunk *chunk = row_store_chunk(table->store, c);
	uint64_t hashes[HASH_WINDOW_ROWS + PREFETCH_ROWS];

	for (size_t k = 0; k < table->key_count; k++) {
		struct vector window;
		struct selection all = selection_all(count);

		vector_init(&window, keys[k]->type);
		row_store_slice(chunk, table->key_columns[k], first, count,
				&window);
		vector_hash(&window, &all, k == 0, hashes);
	}
	memset(hashes + count, 0, PREFETCH_ROWS * sizeof(*hashes));
	for (size_t i = 0; i < count; i++) {
		size_t place = first + i;
		uint64_t hash = hashes[i], soon = hashes[i + PREFETCH_ROWS];

		__builtin_prefetch(&table->slots[soon & table->slot_mask], 1);
		__builtin_prefetch(
			&table->bloom[bloom_word(soon, table->bloom_mask)], 1);
		if (!chunk->joinable[place] ||
		    !join_key_can_match(table, keys, place))
			continue;
		table->bloom[bloom_word(hash, table->bloom_mask)] |=
			bloom_bits(hash);
		table_insert(table, (uint32_t)(c << STORE_CHUNK_BITS | place),
			     hash, keys);
		table->row_count++;
	}
}

static int slots_fill(struct join_table *table, struct error *err)
{
	for (size_t c = 0; c < table->chunk_count; c++) {
		struct store_chunk *chunk = row_store_chunk(table->store, c);
		const struct vector *keys[JOIN_KEY_LIMIT];
		int rc = chunk_chains(table, c, err);

		if (rc)
			return rc;
		for (size_t k = 0; k < table->key_count; k++)
			keys[k] = &chunk->columns[table->key_columns[k]];
		for (size_t i = 0; i < chunk->row_count;
		     i += HASH_WINDOW_ROWS) {
			size_t left = chunk->row_count - i;

			insert_window(table, c, keys, i,
				      left < HASH_WINDOW_ROWS
					      ? left : HASH_WINDOW_ROWS);
		}
	}
	return 0;
}

static int table_init(struct join_table *table, struct row_store *store,
		      const struct join_table_options *options,
		      struct error *err)
{
	size_t count = options->key_count;

	if (count > JOIN_KEY_LIMIT)
		return error_set(err, ERROR_UNSUPPORTED,
				 "ON equates more than %d pairs",
				 JOIN_KEY_LIMIT);
	table->store = store;
	table->key_count = count;
	table->chunk_count = row_store_chunk_count(store);
	table->key_columns = mem_alloc_array(count, sizeof(size_t));
	table->key_types = mem_alloc_array(count, sizeof(struct type));
	table->null_safe = mem_alloc_array(count, sizeof(bool));
	table->next = mem_zalloc_array(table->chunk_count + 1,
				       sizeof(*table->next));
	if (!table->key_columns || !table->key_types || !table->null_safe ||
	    !table->next)
		return error_set(err, ERROR_NO_MEMORY, "join table");
	for (size_t k = 0; k < count; k++) {
		table->key_columns[k] = options->key_columns[k];
		table->null_safe[k] = options->null_safe &&
				      options->null_safe[k];
		table->key_types[k] =
			row_store_type(store, options->key_columns[k]);
	}
	table->is_integer = count == 1 &&
			    join_type_is_integer(&table->key_types[0]);
	return bitmap_new(table, err);
}

int join_table_new(struct join_table **out, struct row_store *store,
		   const struct join_table_options *options,
		   struct error *err)
{
	struct join_table *table;
	int rc;

	*out = NULL;
	table = mem_zalloc(sizeof(*table));
	if (!table)
		return error_set(err, ERROR_NO_MEMORY, "join table");
	rc = table_init(table, store, options, err);
	if (!rc && table->bitmap) {
		rc = bitmap_fill(table, err);
	} else if (!rc) {
		rc = slots_new(table, err);
		if (!rc)
			rc = slots_fill(table, err);
	}
	if (rc) {
		join_table_free(table);
		return rc;
	}
	*out = table;
	return 0;
}

/* What orders the rows of a chain. */
struct chain_order {
	const struct join_table *table;
	size_t major;
	size_t minor;
};

static int64_t order_value(const struct chain_order *order, size_t column,
			   uint32_t row)
{
	const struct store_chunk *chunk =
		row_store_chunk(order->table->store, store_row_chunk(row));

	return vector_i64(&chunk->columns[column])[store_row_place(row)];
}

static bool is_ordered(const struct chain_order *order, uint32_t a, uint32_t b)
{
	int64_t x = order_value(order, order->major, a);
	int64_t y = order_value(order, order->major, b);

	return x != y ? x < y : order_value(order, order->minor, a) <
				order_value(order, order->minor, b);
}

static uint32_t *next_of(const struct join_table *table, uint32_t row)
{
	return &table->next[store_row_chunk(row)][store_row_place(row)];
}

/* Merge two ordered chains. */
static uint32_t merge_chains(const struct chain_order *order, uint32_t a,
			     uint32_t b)
{
	uint32_t head = JOIN_ROW_NONE, *tail = &head;

	while (a != JOIN_ROW_NONE && b != JOIN_ROW_NONE) {
		uint32_t *less = is_ordered(order, b, a) ? &b : &a;

		*tail = *less;
		tail = next_of(order->table, *less);
		*less = *tail;
	}
	*tail = a != JOIN_ROW_NONE ? a : b;
	return head;
}

/* Sort a chain: chains of 2^i rows wait in level[i], as in counting. */
static uint32_t sort_chain(const struct chain_order *order, uint32_t head)
{
	uint32_t level[33], row = head;
	size_t used = 0;

	while (row != JOIN_ROW_NONE) {
		uint32_t one = row, *next = next_of(order->table, row);
		size_t i = 0;

		row = *next;
		*next = JOIN_ROW_NONE;
		for (; i < used && level[i] != JOIN_ROW_NONE; i++) {
			one = merge_chains(order, level[i], one);
			level[i] = JOIN_ROW_NONE;
		}
		if (i == used)
			used++;
		level[i] = one;
	}
	head = JOIN_ROW_NONE;
	for (size_t i = 0; i < used; i++)
		if (level[i] != JOIN_ROW_NONE)
			head = merge_chains(order, level[i], head);
	return head;
}

void join_table_order(struct join_table *table, size_t major, size_t minor)
{
	struct chain_order order = { table, major, minor };
	size_t count = table->bitmap ? table->key_total
				     : table->slot_mask + 1;

	for (size_t i = 0; i < count; i++) {
		uint32_t *head = table->bitmap ? &table->heads[i]
					       : &table->slots[i].row;

		if (*head != JOIN_ROW_NONE &&
		    *next_of(table, *head) != JOIN_ROW_NONE)
			*head = sort_chain(&order, *head);
	}
}
