#ifndef QUERY_JOIN_STATE_H
#define QUERY_JOIN_STATE_H
#include "query/expr_list.h"
#include "query/query_op.h"
#include "join/join.h"
#include "util/error_list.h"

/*
 * The inside of a join. The right input is kept, the left one is compared
 * with it batch by batch. In a store or a spill stand the columns of an
 * input, then keys that are no plain columns, then (right) where each row
 * stood in the input.
 */
struct join_side {
	struct type *types;
	bool *stored;
	size_t column_count;	/* of all */
	size_t own_count;	/* columns of the input */
	size_t *key_columns;	/* where each key stands */
	struct expr **extra;	/* keys that are no plain columns */
	size_t extra_count;
};

struct join_source {
	struct query_source query;
	const struct query_join *join;
	struct join_side left;
	struct join_side right;
	bool *null_safe;
	bool *residual_columns;	/* left's, then right's */
	size_t spill_key_count;	/* leading keys that tell partitions apart */
	struct query_once once;
	/* SINGLE_FAILED and more: it failed, and has no rows for that. */
	int32_t right_state;
	/* The right input, while it is read, and if it fits. */
	struct row_store *store;
	struct join_part *part;
	/* What does not: both inputs by the hash of the keys. */
	bool is_spilling;	/* atomic */
	uint64_t rows_read;	/* atomic */
	struct spill *right_spill;
	struct spill *left_spill;
	pthread_mutex_t lock;	/* right_spill, streams */
	size_t next_partition;	/* atomic */
	size_t stream_count;	/* that may still have left rows */
	bool is_right_taken;	/* atomic: somebody gives what did not match */
};

bool join_keeps_right(const struct join_source *source);	/* RIGHT, FULL */
bool join_keeps_left(const struct join_source *source);		/* LEFT, FULL */
size_t join_thread_count(const struct join_source *source);

/* Right rows that are joined at once, ready to be probed; read-only but for
 * the marks of the store. */
struct join_part {
	struct row_store *store;
	struct join_table *table;	/* NULL: no keys */
	/* MARK, null_aware: rows whose compared key is NULL, and both by the
	 * keys that correlate, if there are any. */
	struct row_store *null_store;
	struct join_table *null_table;
	struct join_table *group_table;
	uint64_t row_count;
};

/* Takes store. */
int join_part_new(struct join_part **out, struct join_source *source,
		  struct row_store *store, struct error *err);
void join_part_free(struct join_part *part);

#define JOIN_FLAG_MATCHED 1
#define JOIN_FLAG_UNKNOWN 2
#define JOIN_FLAG_SEVERAL 4

/*
 * SINGLE by parts goes over all parts twice: a row is given with its match
 * only if no later part has another.
 */
enum join_round {
	JOIN_ROUND_ONLY,
	JOIN_ROUND_COUNT,	/* flags are set, no row is given */
	JOIN_ROUND_GIVE,	/* flags are known */
};

/* Compares batches of the left input with a part. For one thread. */
struct join_match {
	struct join_source *source;
	struct join_probe *probe;
	struct expr_program *residual;
	struct selection_buffer passed;
	struct batch pairs;		/* what the residual reads */
	const struct vector **pair_columns;
	uint32_t *targets;		/* scratch for rows */
	uint32_t *sources;
	uint64_t *lines;
	uint8_t *own_flags;
	struct batch out;
	/* the batch */
	const struct join_part *part;
	const struct batch *batch;
	uint8_t *flags;			/* JOIN_FLAG_*, per row */
	bool is_last;			/* no other part follows */
	enum join_round round;
	bool is_probed;			/* all pairs have been seen */
	/* Right rows without a match. */
	uint32_t *rest;
	size_t rest_count;
	size_t rest_at;
};

int join_match_init(struct join_match *match, struct join_source *source,
		    struct error *err);
void join_match_release(struct join_match *match);
/* flags: of earlier parts, per row; NULL = there were none and follow none. */
int join_match_begin(struct join_match *match, const struct join_part *part,
		     const struct batch *batch,
		     const struct vector *const *keys, uint8_t *flags,
		     bool is_last, struct error *err);
/* The next rows of the batch; NULL: no more. */
int join_match_next(struct join_match *match, struct batch **out,
		    struct error *err);
/* Then, for RIGHT and FULL, once no batch follows: */
int join_match_rest_begin(struct join_match *match,
			  const struct join_part *part, struct error *err);
int join_match_rest_next(struct join_match *match, struct batch **out,
			 struct error *err);

int join_stream_new(struct batch_source *source, struct batch_stream **out,
		    struct error *err);
/* Read the right input, and the left one too if that does not fit. */
int join_read_inputs(void *context, struct error *err);
/* Does it fit? */
bool join_fits(const struct join_source *source, uint64_t byte_count,
	       uint64_t row_count, size_t share);
#endif
