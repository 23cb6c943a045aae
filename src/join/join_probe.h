#ifndef JOIN_JOIN_PROBE_H
#define JOIN_JOIN_PROBE_H
#include "join/join_build.h"

/* Pairs given out at once. */
#define JOIN_PAIR_LIMIT BATCH_ROW_COUNT

/*
 * Finds the pairs (row of a target batch, stored row) that have the same key,
 * or, for a nested loop, all pairs. For one thread.
 *
 *	join_probe_keys() or join_probe_loop()
 *	while join_probe_next() gives pairs: ...
 *
 * Pairs come with ascending target rows; those of one target row are
 * together but may be split over two calls.
 */
struct join_probe;

struct join_pairs {
	uint32_t *target;	/* rows of the batch */
	uint32_t *source;	/* rows of the store */
	size_t count;
};

int join_probe_new(struct join_probe **out, struct error *err);
void join_probe_free(struct join_probe *probe);
/* Start with the selected rows; keys[k] is aligned with the batch and of the
 * type of the table's key k. All are kept until the last next. */
int join_probe_keys(struct join_probe *probe, const struct join_table *table,
		    const struct vector *const *keys,
		    const struct selection *rows, struct error *err);
/* Start all pairs of the selected rows with all joinable rows of store. */
int join_probe_loop(struct join_probe *probe, const struct row_store *store,
		    const struct selection *rows, struct error *err);
/* After join_probe_keys(): for each row that has a match, that row and one of
 * its matches, all at once, instead of the pairs. */
struct join_pairs join_probe_heads(struct join_probe *probe);
/* After join_probe_keys(): has another stored row the key of this match, and
 * comes after it? */
bool join_probe_is_repeated(const struct join_probe *probe, uint32_t source);
/* The next pairs, at most JOIN_PAIR_LIMIT; count 0 at the end. Valid until
 * the next call. */
struct join_pairs join_probe_next(struct join_probe *probe);
#endif
