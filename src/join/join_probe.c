/*
 * join_probe.c - pairs of target rows and stored rows
 *
 * Why:    for each row of a target batch: which source rows match it?
 * How:    first the filter over the whole batch, a loop without branches that
 *         leaves a short list of candidates. A bitmap is exact: the rank of
 *         the bit gives the chain. Behind a Bloom filter come the slots, tags
 *         first, then the keys, each asked of memory some candidates before
 *         it is needed. Chains are walked only while pairs are handed out.
 * Cost:   1 to 3 ns a row that the filter refuses, about 20 one that matches.
 */
#include "join/join_probe.h"
#include "join/join_table.h"

struct join_probe {
	const struct join_table *table;	/* NULL: nested loop */
	const struct row_store *store;
	struct selection rows;		/* nested loop */
	/* Candidates that have matched, and the chain of each. */
	uint32_t *target;
	uint32_t *head;
	size_t count;
	size_t capacity;
	/* Where next goes on. */
	size_t at;
	uint32_t row;		/* stored row to give out next */
	size_t chunk;
	size_t place;
	uint64_t *hashes;	/* then places of slots */
	uint32_t pair_target[JOIN_PAIR_LIMIT];
	uint32_t pair_source[JOIN_PAIR_LIMIT];
};

int join_probe_new(struct join_probe **out, struct error *err)
{
	*out = mem_zalloc(sizeof(**out));
	if (!*out)
		return error_set(err, ERROR_NO_MEMORY, "join probe");
	return 0;
}

void join_probe_free(struct join_probe *probe)
{
	if (!probe)
		return;
	mem_free(probe->target);
	mem_free(probe->head);
	mem_free(probe->hashes);
	mem_free(probe);
}

static int probe_reserve(struct join_probe *probe, size_t count,
			 struct error *err)
{
	if (count <= probe->capacity)
		return 0;
	mem_free(probe->target);
	mem_free(probe->head);
	mem_free(probe->hashes);
	probe->capacity = 0;
	probe->target = mem_alloc_array(count + 1, sizeof(uint32_t));
	probe->head = mem_alloc_array(count + 1, sizeof(uint32_t));
	probe->hashes = mem_alloc_array(count + 1, sizeof(uint64_t));
	if (!probe->target || !probe->head || !probe->hashes)
		return error_set(err, ERROR_NO_MEMORY, "join probe");
	probe->capacity = count;
	return 0;
}

/* Candidates between asking memory for something and using it. */
#define LOOK_AHEAD 16

#define BITMAP_LOOP(ctype, row_of) \
	do { \
		const ctype *data = (const ctype *)key->data; \
		for (size_t i = 0; i < rows->count; i++) { \
			uint32_t row = (uint32_t)(row_of); \
			uint64_t bit = (uint64_t)(int64_t)data[row] - min; \
			uint64_t safe = bit <= range ? bit : 0; \
			out[n] = row; \
			n += (size_t)(bit <= range) & \
			     (size_t)(table->bitmap[safe >> 6] >> \
				      (safe & 63)); \
		} \
	} while (0)

/* Rows whose key the range bitmap has; NULLs may be among them. */
static size_t filter_bitmap(const struct join_table *table,
			    const struct vector *key,
			    const struct selection *rows, uint32_t *out)
{
	uint64_t min = (uint64_t)table->bitmap_min;
	uint64_t range = table->bitmap_range;
	size_t n = 0;

	if (type_width(&key->type) == 4) {
		if (rows->rows)
			BITMAP_LOOP(int32_t, rows->rows[i]);
		else
			BITMAP_LOOP(int32_t, i);
	} else {
		if (rows->rows)
			BITMAP_LOOP(int64_t, rows->rows[i]);
		else
			BITMAP_LOOP(int64_t, i);
	}
	return n;
}

#define BLOOM_LOOP(row_of) \
	do { \
		for (size_t i = 0; i < rows->count; i++) { \
			uint64_t hash = hashes[i]; \
			out[n] = (uint32_t)(row_of); \
			hashes[n] = hash; \
			n += bloom_may_contain(table, hash); \
		} \
	} while (0)

/* Rows whose hash the Bloom filter has, and their hashes in front. */
static size_t filter_bloom(const struct join_table *table,
			   const struct selection *rows, uint64_t *hashes,
			   uint32_t *out)
{
	size_t n = 0;

	if (rows->rows)
		BLOOM_LOOP(rows->rows[i]);
	else
		BLOOM_LOOP(i);
	return n;
}

/* The chain of each candidate of a bitmap; returns how many match. */
static size_t bitmap_chains(struct join_probe *probe,
			    const struct vector *key, size_t count)
{
	const struct join_table *table = probe->table;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t row = probe->target[i], rank;

		if (vector_is_null(key, row))
			continue;
		rank = bitmap_rank(table, bitmap_bit(table, key, row));
		__builtin_prefetch(&table->heads[rank]);
		probe->target[kept] = row;
		probe->head[kept++] = rank;
	}
	for (size_t i = 0; i < kept; i++)
		probe->head[i] = table->heads[probe->head[i]];
	return kept;
}

/* The first slot from `at` on with the tag, or the free one behind. */
static uint64_t find_tag(const struct join_table *table, uint64_t at,
			 uint32_t tag)
{
	while (table->slots[at].row != JOIN_ROW_NONE &&
	       table->slots[at].tag != tag)
		at = (at + 1) & table->slot_mask;
	return at;
}

/* Newest stored row with the key of the target row, from a slot on that
 * find_tag() gave; or JOIN_ROW_NONE. */
static uint32_t find_chain(const struct join_table *table,
			   const struct vector *const *keys, uint32_t row,
			   uint64_t at)
{
	uint32_t tag = table->slots[at].tag;

	while (table->slots[at].row != JOIN_ROW_NONE) {
		uint32_t stored = table->slots[at].row;
		struct store_chunk *chunk = row_store_chunk(
			table->store, store_row_chunk(stored));
		const struct vector *other[JOIN_KEY_LIMIT];

		for (size_t k = 0; k < table->key_count; k++)
			other[k] = &chunk->columns[table->key_columns[k]];
		if (join_keys_same(keys, row, other, store_row_place(stored),
				   table->key_count))
			return stored;
		at = find_tag(table, (at + 1) & table->slot_mask, tag);
	}
	return JOIN_ROW_NONE;
}

/* Address of the first key of a stored row. */
static const uint8_t *stored_key(const struct join_table *table, uint32_t row)
{
	const struct vector *key =
		&row_store_chunk(table->store, store_row_chunk(row))
			 ->columns[table->key_columns[0]];

	return (const uint8_t *)key->data +
	       store_row_place(row) * type_width(&key->type);
}

/* Candidates whose tag is in the table; hashes become places of slots. */
static size_t match_tags(struct join_probe *probe,
			 const struct vector *const *keys, size_t count)
{
	const struct join_table *table = probe->table;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t hash = probe->hashes[i], at;

		if (i + LOOK_AHEAD < count)
			__builtin_prefetch(&table->slots[
				probe->hashes[i + LOOK_AHEAD] &
				table->slot_mask]);
		if (!join_key_can_match(table, keys, probe->target[i]))
			continue;
		at = find_tag(table, hash & table->slot_mask,
			      (uint32_t)(hash >> 32));
		if (table->slots[at].row == JOIN_ROW_NONE)
			continue;
		__builtin_prefetch(stored_key(table, table->slots[at].row));
		probe->target[kept] = probe->target[i];
		probe->hashes[kept++] = at;
	}
	return kept;
}

/* The chain of each candidate whose tag is there; returns how many match. */
static size_t slot_chains(struct join_probe *probe,
			  const struct vector *const *keys, size_t count)
{
	const struct join_table *table = probe->table;
	bool is_bytes = type_is_view(&keys[0]->type);
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t row = probe->target[i], head;

		if (is_bytes && i + LOOK_AHEAD < count) {
			uint64_t at = probe->hashes[i + LOOK_AHEAD];
			const struct byte_view *view = (const void *)
				stored_key(table, table->slots[at].row);

			__builtin_prefetch(view->data);
		}
		head = find_chain(table, keys, row, probe->hashes[i]);
		probe->target[kept] = row;
		probe->head[kept] = head;
		kept += head != JOIN_ROW_NONE;
	}
	return kept;
}

int join_probe_keys(struct join_probe *probe, const struct join_table *table,
		    const struct vector *const *keys,
		    const struct selection *rows, struct error *err)
{
	size_t count;
	int rc = probe_reserve(probe, rows->count, err);

	if (rc)
		return rc;
	probe->table = table;
	probe->store = table->store;
	probe->at = 0;
	probe->row = JOIN_ROW_NONE;
	if (table->bitmap) {
		count = filter_bitmap(table, keys[0], rows, probe->target);
		count = bitmap_chains(probe, keys[0], count);
	} else {
		for (size_t k = 0; k < table->key_count; k++)
			vector_hash(keys[k], rows, k == 0, probe->hashes);
		count = filter_bloom(table, rows, probe->hashes,
				     probe->target);
		count = match_tags(probe, keys, count);
		count = slot_chains(probe, keys, count);
	}
	probe->count = count;
	if (count)
		probe->row = probe->head[0];
	return 0;
}

int join_probe_loop(struct join_probe *probe, const struct row_store *store,
		    const struct selection *rows, struct error *err)
{
	(void)err;
	probe->table = NULL;
	probe->store = store;
	probe->rows = *rows;
	probe->at = 0;
	probe->chunk = 0;
	probe->place = 0;
	return 0;
}

struct join_pairs join_probe_heads(struct join_probe *probe)
{
	struct join_pairs pairs = { probe->target, probe->head, probe->count };

	return pairs;
}

bool join_probe_is_repeated(const struct join_probe *probe, uint32_t source)
{
	return probe->table->next[store_row_chunk(source)]
				 [store_row_place(source)] != JOIN_ROW_NONE;
}

static struct join_pairs next_of_loop(struct join_probe *probe)
{
	struct join_pairs pairs = { probe->pair_target, probe->pair_source,
				    0 };

	while (probe->at < probe->rows.count) {
		uint32_t row = (uint32_t)selection_row(&probe->rows,
						       probe->at);

		while (probe->chunk < row_store_chunk_count(probe->store)) {
			struct store_chunk *chunk = row_store_chunk(
				probe->store, probe->chunk);

			while (probe->place < chunk->row_count) {
				size_t place = probe->place;

				if (pairs.count == JOIN_PAIR_LIMIT)
					return pairs;
				probe->place++;
				if (!chunk->joinable[place])
					continue;
				pairs.target[pairs.count] = row;
				pairs.source[pairs.count++] = (uint32_t)(
					probe->chunk << STORE_CHUNK_BITS |
					place);
			}
			probe->chunk++;
			probe->place = 0;
		}
		probe->chunk = 0;
		probe->at++;
	}
	return pairs;
}

struct join_pairs join_probe_next(struct join_probe *probe)
{
	struct join_pairs pairs = { probe->pair_target, probe->pair_source,
				    0 };
	const struct join_table *table = probe->table;

	if (!table)
		return next_of_loop(probe);
	while (probe->at < probe->count) {
		while (probe->row != JOIN_ROW_NONE) {
			uint32_t row = probe->row;

			if (pairs.count == JOIN_PAIR_LIMIT)
				return pairs;
			pairs.target[pairs.count] = probe->target[probe->at];
			pairs.source[pairs.count++] = row;
			probe->row = table->next[store_row_chunk(row)]
						[store_row_place(row)];
		}
		probe->at++;
		if (probe->at < probe->count)
			probe->row = probe->head[probe->at];
	}
	return pairs;
}
