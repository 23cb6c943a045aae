#ifndef MERGE_MERGE_H
#define MERGE_MERGE_H
/*
 * merge: runs a bound MERGE (and UPDATE, DELETE, INSERT as forms of it)
 * against a target that it knows only as plan/target_ops.h. Right join with
 * `present`, cases over shrinking selections, duplicate detection, row
 * change pages, counts.
 */
#include "plan/plan.h"

/*
 * One row per key from the source: of the rows of a key the one that is the
 * greatest by columns, the first of them before all, NULL before any value;
 * or the last in the order of the input. Equal rows are one; unequal ones that
 * tie are ERROR_DUPLICATE_KEY. A NULL in the key is no value that two rows
 * share, but where ON is null-safe. Columns are the source's, and among
 * plan->source_used.
 */
struct merge_keep {
	const size_t *latest;	/* NULL: the last of the input */
	size_t latest_count;
	const size_t *key;	/* NULL: the columns that ON equates */
	size_t key_count;
};

/* More deletes than this and nothing is committed. */
struct merge_delete_limit {
	bool is_set;
	bool is_share;
	uint64_t rows;
	uint64_t share_ppm;	/* of the target's rows, in millionths */
};

/*
 * Rows that a clause changed, for one who keeps a feed of changes. Per target
 * column a vector of row_count values; NULL: an insert has no old, a delete
 * no new ones. Borrowed. worker is below thread_count.
 */
struct merge_changed_rows {
	size_t worker;
	size_t row_count;
	const struct vector *const *old_values;
	const struct vector *const *new_values;
};

struct merge_options {
	struct expr_context context;
	size_t thread_count;
	size_t memory_bytes;	/* past it the source is spilled to disk */
	const char *spill_directory;	/* "/tmp" or the like */
	const struct log_sink *log;
	/*
	 * Opens the plan's source (room query does it; merge does not know
	 * how). Never called when plan->source is NULL. It is called again,
	 * after the first source was freed, to tell which rows are wrong,
	 * and may fail then.
	 */
	int (*source_open)(void *context, const struct merge_plan *plan,
			   struct batch_source **out, struct error *err);
	void *source_context;
	/*
	 * Called once the source was read, before the target is: an error
	 * refuses the run. NULL = nobody asks.
	 */
	int (*source_read)(void *context, const struct merge_plan *plan,
			   uint64_t rows_read, struct error *err);
	void *source_read_context;
	/* --mode: overrides the target's paradigm for this run. */
	bool has_paradigm;
	enum row_change_paradigm paradigm;
	bool unsorted;			/* --unsorted */
	bool duplicate_match_by_case;	/* --duplicate-match=case */
	bool allow_empty_source;	/* else an empty source with a BY SOURCE
					 * clause is ERROR_GUARD_EMPTY_SOURCE */
	struct merge_delete_limit delete_limit;
	const struct merge_keep *keep;	/* NULL: all rows of the source */
	/* Called for all changed rows, by the worker's thread, and once when
	 * they are all there, before the commit; a failure ends the run.
	 * NULL = nobody asks. */
	int (*changed)(void *context, const struct merge_changed_rows *rows,
		       struct error *err);
	int (*before_commit)(void *context, struct error *err);
	void *changed_context;
	bool dry_run;
	bool is_verbose;	/* merge_explain() asks the target for costs */
	int64_t now_us;
	/* explain: nothing is done but to load the source and to plan the
	 * target's scan; what that leaves out is appended. NULL = run. */
	struct text *scan_out;
	/* explain --rows: both pages as JSON Lines, at most so many rows. */
	uint64_t explain_rows;
	struct text *explain_out;
};

struct merge_clause_count {
	enum merge_match match;
	enum row_operation operation;
	uint64_t rows;
};

struct merge_result {
	uint64_t rows_read;
	uint64_t rows_inserted;
	uint64_t rows_updated;		/* a value changed */
	uint64_t rows_deleted;
	uint64_t rows_unchanged;	/* an UPDATE picked it, nothing changed */
	uint64_t rows_no_action;	/* source rows that no clause took */
	uint64_t rows_superseded;	/* by another one of their key */
	struct merge_clause_count *clauses;	/* one per WHEN clause */
	size_t clause_count;
	struct target_scan_stats scan;
	struct merge_outcome outcome;
	double seconds_source;
	double seconds_scan;
	double seconds_join;
	double seconds_write;
	double seconds_commit;
	double seconds_total;
	uint64_t spilled_bytes;
};
void merge_result_release(struct merge_result *result);

/*
 * Run the plan. On success the target has at most one new version. On any
 * failure it is as before and nothing is left behind. The error names key
 * values, input lines and the clause where rows are the reason.
 */
int merge_run(const struct merge_plan *plan,
	      const struct merge_options *options,
	      struct merge_result *result, struct error *err);
/*
 * The plan in words for explain, appended: keys, predicates, clauses, which
 * ranges prune the target. Does not run it.
 */
int merge_explain(const struct merge_plan *plan,
		  const struct merge_options *options, struct text *out,
		  struct error *err);
#endif
