#ifndef JOIN_JOIN_TABLE_H
#define JOIN_JOIN_TABLE_H
#include "join/join_build.h"

/*
 * The inside of a join table, shared by its builder and its prober.
 */
#define JOIN_ROW_NONE UINT32_MAX

struct join_slot {
	uint32_t tag;	/* high half of the hash */
	uint32_t row;	/* newest row of the key; JOIN_ROW_NONE = free */
};

struct join_table {
	struct row_store *store;
	size_t *key_columns;
	struct type *key_types;
	bool *null_safe;
	size_t key_count;
	/* One key of at most 8 bytes that compares as an integer. */
	bool is_integer;
	struct join_slot *slots;
	uint64_t slot_mask;
	uint32_t **next;	/* per chunk: next older row of the same key */
	size_t chunk_count;
	uint64_t row_count;
	uint64_t key_total;
	uint64_t byte_count;
	/*
	 * If bitmap is set: bit key - bitmap_min says that the key is there,
	 * and its rank among the bits is the key's place in heads; there are
	 * no slots. Else Bloom words in front of the slots.
	 */
	uint64_t *bitmap;
	int64_t bitmap_min;
	uint64_t bitmap_range;	/* greatest index */
	uint32_t *word_rank;	/* bits in the words before */
	uint32_t *heads;	/* newest row of each key */
	uint64_t *bloom;
	uint64_t bloom_mask;	/* words - 1 */
};

/* Is the key one that is_integer speaks of? */
bool join_type_is_integer(const struct type *type);

static inline int64_t join_integer_at(const struct vector *vector, size_t i)
{
	return type_width(&vector->type) == 4 ? vector_i32(vector)[i]
					      : vector_i64(vector)[i];
}

/* Place in heads of a key whose bit is set. */
static inline uint32_t bitmap_rank(const struct join_table *table,
				   uint64_t bit)
{
	uint64_t below = table->bitmap[bit >> 6] &
			 ((UINT64_C(1) << (bit & 63)) - 1);

	return table->word_rank[bit >> 6] +
	       (uint32_t)__builtin_popcountll(below);
}

/* The four bits of a hash in its Bloom word. */
static inline uint64_t bloom_bits(uint64_t hash)
{
	return UINT64_C(1) << (hash & 63) |
	       UINT64_C(1) << ((hash >> 6) & 63) |
	       UINT64_C(1) << ((hash >> 12) & 63) |
	       UINT64_C(1) << ((hash >> 18) & 63);
}

static inline uint64_t bitmap_bit(const struct join_table *table,
				  const struct vector *key, size_t i)
{
	return (uint64_t)join_integer_at(key, i) -
	       (uint64_t)table->bitmap_min;
}

static inline uint64_t bloom_word(uint64_t hash, uint64_t mask)
{
	return (hash >> 24) & mask;
}

static inline bool bloom_may_contain(const struct join_table *table,
				     uint64_t hash)
{
	uint64_t bits = bloom_bits(hash);

	return (table->bloom[bloom_word(hash, table->bloom_mask)] & bits) ==
	       bits;
}

/*
 * Same key by IS NOT DISTINCT FROM, of row i of vectors a and row j of b, one
 * vector per key. Keys that must not match as NULL never get here.
 */
bool join_keys_same(const struct vector *const *a, size_t i,
		    const struct vector *const *b, size_t j, size_t count);
/* Can the key of row i match at all: no NULL and no NaN where not null_safe. */
bool join_key_can_match(const struct join_table *table,
			const struct vector *const *keys, size_t i);
#endif
