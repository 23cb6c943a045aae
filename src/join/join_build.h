#ifndef JOIN_JOIN_BUILD_H
#define JOIN_JOIN_BUILD_H
#include "join/row_store.h"

/*
 * A hash table over the joinable rows of a store: rows of one key are a chain.
 * In front of it stands a filter that says "no" for most keys that are not
 * there: a bitmap of the key range for dense integer keys, else a blocked
 * Bloom filter. Read-only once built.
 *
 * Keys compare by SQL `=`: a NULL or NaN never matches. null_safe keys
 * compare by IS NOT DISTINCT FROM.
 */
struct join_table;

#define JOIN_KEY_LIMIT 16	/* pairs that ON equates */

struct join_table_options {
	const size_t *key_columns;	/* store columns */
	const bool *null_safe;		/* per key */
	size_t key_count;		/* >= 1 */
};
/* store is kept; its rows are complete. */
int join_table_new(struct join_table **out, struct row_store *store,
		   const struct join_table_options *options,
		   struct error *err);
void join_table_free(struct join_table *table);
/*
 * Put the rows of each key in the order of two BIGINT columns of the store,
 * which are unique together: pairs then come in this order however the store
 * was filled. Before the table is probed.
 */
void join_table_order(struct join_table *table, size_t major, size_t minor);
uint64_t join_table_bytes(const struct join_table *table);
/* Rows that can match at all / distinct keys among them. */
uint64_t join_table_row_count(const struct join_table *table);
uint64_t join_table_key_count(const struct join_table *table);
/* "bitmap" or "bloom": for explain and tests. */
const char *join_table_filter_name(const struct join_table *table);
#endif
