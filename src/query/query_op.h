#ifndef QUERY_QUERY_OP_H
#define QUERY_QUERY_OP_H
#include <pthread.h>
#include "query/query.h"

/*
 * The inside of the room: every node of a plan becomes a batch_source over
 * the sources of its inputs. Each constructor takes the inputs on success.
 */
struct query_source {
	struct batch_source base;
	const struct query_node *node;
	const struct query_options *options;
	bool *wanted;			/* per output column */
	struct batch_source **inputs;
	size_t input_count;
};

int query_source_init(struct query_source *source,
		      const struct query_node *node, const bool *wanted,
		      const struct query_options *options, struct error *err);
void query_source_release(struct query_source *source);
const struct schema *query_source_schema(const struct batch_source *source);
/* The parallelism of the first input / of the widest one. */
size_t query_source_parallelism(const struct batch_source *source);
/* 1 */
size_t query_source_sequential(const struct batch_source *source);
const char *query_spill_directory(const struct query_options *options);

int filter_source_new(struct batch_source **out,
		      const struct query_node *node, const bool *wanted,
		      const struct query_options *options,
		      struct batch_source *input, struct error *err);
int project_source_new(struct batch_source **out,
		       const struct query_node *node, const bool *wanted,
		       const struct query_options *options,
		       struct batch_source *input, struct error *err);
int values_source_new(struct batch_source **out,
		      const struct query_node *node, const bool *wanted,
		      const struct query_options *options, struct error *err);
int union_source_new(struct batch_source **out,
		     const struct query_node *node, const bool *wanted,
		     const struct query_options *options,
		     struct batch_source **inputs, size_t input_count,
		     struct error *err);
int limit_source_new(struct batch_source **out,
		     const struct query_node *node, const bool *wanted,
		     const struct query_options *options,
		     struct batch_source *input, struct error *err);

int sort_source_new(struct batch_source **out,
		    const struct query_node *node, const bool *wanted,
		    const struct query_options *options,
		    struct batch_source *input, struct error *err);
int join_source_new(struct batch_source **out,
		    const struct query_node *node, const bool *wanted,
		    const struct query_options *options,
		    struct batch_source **inputs, struct error *err);
/* AGGREGATE, DISTINCT; EXCEPT and INTERSECT of two inputs. */
int aggregate_source_new(struct batch_source **out,
			 const struct query_node *node, const bool *wanted,
			 const struct query_options *options,
			 struct batch_source **inputs, struct error *err);
int window_source_new(struct batch_source **out,
		      const struct query_node *node, const bool *wanted,
		      const struct query_options *options,
		      struct batch_source *input, struct error *err);
/* Of a window: nobody wants any but the first rows of partitions. */
void window_source_first_rows(struct batch_source *source);

/*
 * What all sources that read one shared input have in common. Made by the
 * first of them; each source holds it, the last to be freed frees it.
 */
struct shared_rows;
/* Takes input. */
int shared_rows_new(struct shared_rows **out, const struct query_node *node,
		    const bool *wanted, const struct query_options *options,
		    struct batch_source *input, struct error *err);
void shared_rows_free(struct shared_rows *rows);	/* gives up a hold */
int shared_source_new(struct batch_source **out, const struct query_node *node,
		      const bool *wanted, const struct query_options *options,
		      struct shared_rows *rows, struct error *err);

/* Something that the first stream does and all wait for. */
struct query_once {
	pthread_mutex_t lock;
	bool is_done;
	int rc;
	struct error err;
};
void query_once_init(struct query_once *once);
void query_once_release(struct query_once *once);
int query_once_run(struct query_once *once,
		   int (*work)(void *context, struct error *err),
		   void *context, struct error *err);

/*
 * Read an input to its end with several threads. Each worker has a state of
 * its own; a row is known by its unit and its number in it.
 */
struct drained_rows {
	const struct batch *batch;
	uint64_t unit;
	uint64_t position;	/* of the first row in the unit */
};
struct drain {
	struct batch_source *input;
	size_t thread_count;
	void *context;
	int (*worker_new)(void *context, size_t worker, void **state,
			  struct error *err);
	int (*take)(void *state, const struct drained_rows *rows,
		    struct error *err);
	int (*worker_end)(void *state, struct error *err);
	void (*worker_free)(void *state);	/* accepts NULL */
	bool has_failed;			/* atomic */
};
int query_drain(struct drain *drain, struct error *err);
/* Threads that are worth it for an input. */
size_t query_thread_count(const struct query_options *options,
			  const struct batch_source *input);
/* The number of rows before a batch in its unit, for one stream. */
struct row_counter {
	uint64_t unit;
	uint64_t next;
	bool has_unit;
};
uint64_t row_counter_add(struct row_counter *counter,
			 const struct batch *batch);

/* Say which row of a batch a failure is about. Returns err->code. */
int query_blame(const struct batch *batch, size_t row, struct error *err);
/* Where a batch comes from: copied from one to the other, rows unchanged. */
void query_batch_place(struct batch *out, const struct batch *from);
#endif
