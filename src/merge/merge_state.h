#ifndef MERGE_MERGE_STATE_H
#define MERGE_MERGE_STATE_H
#include <pthread.h>
#include "join/join.h"
#include "merge/key_guard.h"
#include "merge/match_guard.h"
#include "merge/merge.h"
#include "merge/row_change_build.h"

/* The first failure in the order of the input, of all workers. */
struct merge_failure {
	pthread_mutex_t lock;
	bool is_set;		/* atomic */
	struct row_place place;
	char origin[ERROR_PLACE_BYTES];	/* what place.origin points to */
	struct error err;
};

/*
 * The inside of a running MERGE: what all workers share, and what each has.
 * Shared state is set up by merge_run.c and read-only while workers run, but
 * for atomic flags and what has a lock of its own.
 */
struct merge_state {
	const struct merge_plan *plan;
	const struct merge_options *options;
	enum row_change_paradigm paradigm;
	struct row_id_column row_id_column;
	struct merge_handle *handle;
	const struct target_ops *ops;
	size_t target_count;	/* columns of the target */
	size_t source_count;	/* columns of the source */
	/* Store: the source's columns, then the computed key columns. */
	struct row_store *store;
	size_t *key_columns;	/* store column of each key */
	bool *stored;		/* per store column */
	struct type *store_types;
	size_t store_column_count;
	struct join_table *table;	/* NULL: no keys, or nothing stored */
	/* A source past --memory: joined in passes over its partitions. */
	struct spill *spill;
	bool is_spilling;	/* atomic: rows go to disk from here on */
	pthread_mutex_t spill_lock;
	/* Spilled, with a BY SOURCE clause: target rows that matched in some
	 * pass, bit per row id; the last pass looks at the others. */
	uint64_t *matched_rows;
	bool is_last_pass;
	struct target_scan_stats scan_stats;	/* of all passes */
	uint64_t taken_rows;		/* source rows acted on, all passes */
	struct target_scan *scan;
	struct key_guard *key_guard;	/* NULL: no PRIMARY KEY */
	bool has_match[3];	/* is there a clause of this merge_match? */
	bool is_explained;	/* the scan, to scan_out */
	bool is_explain;	/* rows nobody took are shown as well */
	/* Order in which an update's columns are compared with the old. */
	size_t *compare_order;
	size_t *compare_few;	/* the same for few rows; in one block with it */
	/* Target columns that an UPDATE may change, where updates stay
	 * updates: their pages have no others. NULL: whole rows. */
	bool *updated_columns;
	struct merge_worker *workers;
	size_t worker_count;
	/* Source columns by which WHEN MATCHED chooses what it deletes. */
	size_t *flag_columns;
	size_t flag_count;
	uint64_t null_flag_rows;	/* atomic; that no clause took */
	uint64_t superseded_rows;	/* by another of their key, all passes */
	/* What tells rows of one key apart, see merge_keep.c. */
	size_t *keep_columns;
	bool *keep_null_safe;
	size_t keep_count;
	bool is_kept;		/* the others are gone already */
	uint64_t rows_read;	/* atomic */
	uint64_t marked_rows;	/* atomic; of them, see plan->source_mark */
	uint64_t null_key_rows;	/* atomic; can match nothing */
	uint64_t unjoined_rows;	/* atomic; ON looks at the source and says no */
	uint64_t null_mark_rows; /* atomic; of the marked, see mark_keys */
	uint64_t rows_scanned;	/* atomic, for progress */
	struct merge_failure failure;
	pthread_mutex_t explain_lock;
	uint64_t explain_left;
	uint64_t first_unit;		/* of the step at hand */
	uint64_t clock;			/* when the step at hand began */
	double seconds_source;
	double seconds_join;
	double seconds_scan;
};

/*
 * Rows with the combined columns, made when asked for. A view over pairs
 * gathers from the target batch and the store; one over the source borrows
 * columns of a batch or chunk window.
 */
struct row_view {
	size_t count;
	const struct vector **columns;	/* T + S; NULL = not made */
	struct vector *made;		/* T + S, owned */
	/* Target side: rows of the worker's current batch; NULL = none. */
	const uint32_t *target_rows;
	/* Source side: rows of the store; NULL = none or borrowed. */
	const uint32_t *source_rows;
	/* Borrowed source columns (S) and which rows of them; picked NULL =
	 * the first count rows. */
	const struct vector *borrowed;
	const uint32_t *picked;
	const struct batch *origin;	/* lines of borrowed columns */
	uint32_t store_first;	/* store row of borrowed row 0, if stored */
	bool is_stored;		/* borrowed columns are a window of the store */
};

/* One program per expression of a clause. */
struct clause_programs {
	struct expr_program *condition;	/* NULL = always */
	struct expr_program **values;	/* per target column, NULL = keep */
};

struct merge_worker {
	struct merge_state *state;
	size_t index;
	struct clause_programs *clauses;
	struct expr_program **key_target;
	struct expr_program **key_source;
	struct expr_program *target_only;
	struct expr_program *source_only;
	struct expr_program *residual;
	struct join_probe *probe;
	struct target_stream *stream;
	struct target_batch *batch;	/* current */
	struct merge_sink *sink;	/* NULL until the first page */
	struct row_change_builder *builder;
	struct match_guard *guard;
	struct key_guard_writer *keys;
	struct row_view pairs;		/* conditions */
	struct row_view action;		/* values */
	/* Row lists of BATCH_ROW_COUNT each. */
	struct selection_buffer in;
	struct selection_buffer rest;
	struct selection_buffer spare;
	struct selection_buffer *taken;	/* per clause */
	uint32_t *list_a;
	uint32_t *list_b;
	uint32_t *list_c;
	uint32_t *action_target;	/* row lists of worker->action */
	uint32_t *action_source;
	int32_t *clause_of;		/* per pair, -1 = none */
	/* Source row that the last failure is about, if is_blamed. */
	struct row_place blame;
	bool is_blamed;
	/* First row id of the first batch with a collision. */
	uint64_t collision_row;
	uint64_t refused_pairs;		/* since the first collision */
	uint64_t *matched;		/* bits of the batch's rows */
	uint64_t *row_ids;
	int64_t *lineage_ids;
	struct vector *scratch;		/* T: fetched old values */
	struct vector *compact;		/* T: new values of changed rows */
	const struct vector **values;	/* T: of a page */
	struct vector *before;		/* T: old values, for a feed of changes */
	const struct vector **shown[2];	/* T each: old and new ones */
	const struct vector **key_vectors;
	struct vector *key_made;	/* per key */
	uint64_t *clause_rows;
	uint64_t inserted;
	uint64_t updated;
	uint64_t deleted;
	uint64_t unchanged;
	uint64_t taken_unstored;	/* streamed source rows acted on */
	uint64_t unit;
};

/* merge_failure.c */
void merge_failure_init(struct merge_failure *failure);
void merge_failure_release(struct merge_failure *failure);
/* Where a batch begins. */
struct row_place merge_batch_place(const struct batch *batch);
/* A failure at a place, which is copied. */
void merge_failure_add(struct merge_failure *failure,
		       const struct row_place *place, const struct error *err);
/* Is there a failure before the place? Then no row from there on matters. */
bool merge_failure_is_before(struct merge_failure *failure,
			     const struct row_place *place);
/* After all workers: the failure to tell, or rc if none was added. */
int merge_failure_tell(struct merge_failure *failure, int rc,
		       struct error *err);

/* merge_worker.c */
int merge_worker_init(struct merge_worker *worker, struct merge_state *state,
		      size_t index, struct error *err);
void merge_worker_release(struct merge_worker *worker);
int merge_worker_sink(struct merge_worker *worker, struct error *err);

/* row_view.c */
int row_view_init(struct row_view *view, struct merge_state *state,
		  struct error *err);
void row_view_release(struct row_view *view, struct merge_state *state);
/* Start over with count rows, nothing made. */
void row_view_reset(struct row_view *view, struct merge_state *state,
		    size_t count);
/* Make every column that expr reads (expr may be NULL). */
int row_view_need(struct row_view *view, struct merge_worker *worker,
		  const struct expr *expr, struct error *err);
int row_view_need_column(struct row_view *view, struct merge_worker *worker,
			 size_t column, struct error *err);
/* The source row behind row i; false when there is none. */
bool row_view_place(const struct row_view *view,
		    const struct merge_state *state, size_t i,
		    struct row_place *out);
/* Say, in err and worker->blame, which source row a failure is about. Returns
 * err->code. */
int row_view_blame(const struct row_view *view, struct merge_worker *worker,
		   size_t i, struct error *err);

/* case_select.c: the WHEN clauses of one kind over the view's rows `in`:
 * worker->taken[clause] gets the rows of each, worker->rest the others. */
int case_select(struct merge_worker *worker, struct row_view *view,
		enum merge_match match, const struct selection *in,
		struct error *err);

/* A column that an UPDATE keeps, into worker->compact, for the changed rows
 * (numbers in the action; NULL = all). */
int merge_fetch_kept(struct merge_worker *worker, size_t column,
		     const uint32_t *changed, size_t count,
		     struct error *err);
/* The same, into any vector. */
int merge_fetch_old(struct merge_worker *worker, size_t column,
		    const uint32_t *changed, size_t count, struct vector *out,
		    struct error *err);
/* merge_action.c: apply the clause to rows (dense in worker->action). */
int merge_action(struct merge_worker *worker, size_t clause,
		 struct error *err);
/* Rows that no clause took, for explain --rows; view's rows. */
int merge_show_untaken(struct merge_worker *worker, struct row_view *view,
		       const struct selection *rows, bool present,
		       struct error *err);

/* merge_spill.c */
/* Does the source still fit? When not: rows go to disk from here on. */
int merge_spill_check(struct merge_state *state, struct error *err);
/* After loading: what is in memory follows to disk. */
int merge_spill_finish(struct merge_state *state, struct error *err);
/* Join pass after pass; run_pass joins what is in the store. */
int merge_spill_passes(struct merge_state *state,
		       int (*run_pass)(struct merge_state *state,
				       struct error *err),
		       struct error *err);

/* merge_source.c: read the source into the store, or straight to inserts. */
int merge_source_load(struct merge_state *state, struct error *err);
int merge_source_stream(struct merge_state *state, struct error *err);
/* Rows of the store that matched nothing. */
int merge_insert_unmatched(struct merge_state *state, struct error *err);

/* merge_scan.c: the target side. */
int merge_scan_target(struct merge_state *state, struct error *err);

/* merge_prune.c: ranges for the scan request; lists live in arena. */
int merge_prune_ranges(const struct merge_state *state, struct arena *arena,
		       struct column_range **out, size_t *count_out,
		       bool *never, struct error *err);

/* Mark the columns (bool each) that an UPDATE clause may change; false when
 * there are none. */
bool update_mark_columns(const struct merge_plan *plan, bool *updated);
/* Is the new value of a column what ON says it equals already? */
bool update_is_joined(const struct merge_plan *plan, size_t column,
		      const struct expr *value);
/* update_diff.c: which of count rows an UPDATE really changes: their numbers
 * to changed (ascending). worker->values hold the new values (data NULL =
 * kept), worker->action the rows. */
int update_diff(struct merge_worker *worker, size_t clause, size_t count,
		uint32_t *changed, size_t *changed_count, struct error *err);
/* The order for merge_state.compare_order, or that for few rows. */
void update_diff_order(const struct schema *schema, bool is_few,
		       size_t *order);

/* merge_error.c: rows as the reason of a refusal, in words. */
int merge_collision_error(const struct merge_state *state,
			  const struct collision_list *list,
			  struct error *err);
int merge_duplicate_key_error(struct merge_state *state,
			      const struct key_guard_duplicate *duplicate,
			      struct error *err);

/* explain_rows.c */
int explain_merge_page(struct merge_state *state,
		       const struct merge_page *page, struct error *err);
int explain_change_page(struct merge_state *state,
			const struct change_page *page, struct error *err);
#include "merge/merge_steps.h"
#endif
