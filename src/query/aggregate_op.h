#ifndef QUERY_AGGREGATE_OP_H
#define QUERY_AGGREGATE_OP_H
#include "query/group_union.h"

/*
 * The inside of GROUP BY, DISTINCT, EXCEPT and INTERSECT.
 */
struct sorted_groups;

/* What a worker has seen, by the partitions of the spill. */
struct kept_groups {
	struct group_set set;
	uint32_t *numbers;		/* of groups; NULL = nothing spilled */
	size_t first[SPILL_PARTITIONS + 1];
};

struct aggregate_source {
	struct query_source query;
	struct group_layout layout;
	struct origin_list origins;
	struct query_once once;
	/* The groups that are in memory. */
	struct group_set set;
	bool has_set;
	/* Else those of each worker; a group may be in several. If all are
	 * in memory a union lists them. */
	struct group_union all;
	bool has_union;
	struct kept_groups *parts;
	size_t part_count;
	size_t worker_count;
	/* Rows of other groups. */
	bool is_spilling;		/* atomic */
	struct spill *spill;
	size_t next_partition;		/* atomic */
	pthread_mutex_t lock;		/* parts, spill */
	pthread_mutex_t set_lock;	/* what is known of groups of sets */
	size_t next_group;		/* atomic */
	/* Instead of all this, where calls need rows in an order. */
	struct sorted_groups *sorted;
	bool is_taken;			/* atomic */
};

int aggregate_read_inputs(void *context, struct error *err);
int aggregate_spill_new(struct aggregate_source *source, unsigned level,
			struct spill **out, struct error *err);
/* Bytes that groups of one thread may take. */
size_t aggregate_share(const struct aggregate_source *source);

/* A thread that puts rows into groups and what has none to disk. */
struct group_worker {
	struct aggregate_source *source;
	struct group_work work;
	struct group_set *set;
	bool *is_spilling;	/* atomic: no new groups */
	struct spill **spill;	/* made when it is needed */
	unsigned level;
	struct spill_writer *writer;
	struct batch missing;
	uint64_t *lines;
	uint32_t *left;		/* rows that are looked for */
	const struct vector **missing_columns;
};
int group_worker_init(struct group_worker *worker,
		      struct aggregate_source *source, struct error *err);
void group_worker_release(struct group_worker *worker);
/* Note the rows in groups that are there; others are left missing. */
int group_worker_find(struct group_worker *worker,
		      const struct group_rows *rows, struct error *err);
/* Rows that have no group and get none, to the spill. */
int group_worker_spill(struct group_worker *worker,
		       const struct group_rows *rows, struct error *err);
/* Start to spill if the set is full. */
int group_worker_check(struct group_worker *worker, struct error *err);

int aggregate_stream_new(struct batch_source *source,
			 struct batch_stream **out, struct error *err);

/* Does a call want its rows in an order, or each once? */
bool sorted_groups_needed(const struct query_node *node);
/* Reads the whole input. */
int sorted_groups_new(struct sorted_groups **out,
		      struct aggregate_source *source, struct error *err);
void sorted_groups_free(struct sorted_groups *groups);
/* The next groups into out; no rows at the end. */
int sorted_groups_next(struct sorted_groups *groups, const bool *wanted,
		       struct batch *out, struct error *err);
#endif
