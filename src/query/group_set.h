#ifndef QUERY_GROUP_SET_H
#define QUERY_GROUP_SET_H
#include "expr/expr.h"
#include "join/join.h"
#include "query/expr_list.h"
#include "query/group_table.h"
#include "query/query_op.h"

/*
 * What groups are made of: columns computed from an input, in this order:
 * group keys; per call its arguments, and its FILTER if it has one. On disk
 * stand behind them, where places are kept, the unit and the row in it, and
 * for two inputs which one the row is of.
 */
#define GROUP_NO_COLUMN SIZE_MAX

struct group_call {
	const struct aggregate_call *call;
	struct type *arg_types;
	size_t first;		/* column of the first argument */
	size_t filter;		/* GROUP_NO_COLUMN = none */
};

struct group_layout {
	struct arena arena;
	struct expr **exprs;	/* of computed_count */
	struct type *types;	/* of column_count */
	size_t computed_count;
	size_t column_count;
	size_t group_count;
	size_t *group_columns;	/* 0, 1, .. */
	struct group_call *calls;
	size_t call_count;
	bool has_places;	/* the first row of each group is known */
	size_t unit_column;
	size_t side_column;
};

/* AGGREGATE by its expressions; others by all columns of the first input. */
int group_layout_init(struct group_layout *layout,
		      const struct query_node *node, struct error *err);
void group_layout_release(struct group_layout *layout);

/* Rows with their columns as laid out. */
struct group_rows {
	const struct vector *const *columns;
	const struct batch *batch;	/* where they come from */
	const uint64_t *units;		/* per row of the batch */
	const uint64_t *positions;
	size_t side;			/* which input */
};

/* Where the first row of a group stood. */
struct group_place {
	uint64_t unit;
	uint64_t position;
	uint64_t line;
	uint32_t origin;
	uint8_t sides;		/* bit i: input i has such a row */
};

/* Groups in memory and what the calls know of them. */
struct group_set {
	const struct group_layout *layout;
	struct origin_list *origins;	/* borrowed */
	struct group_table table;
	struct aggregate_states **states;
	struct group_place *places;	/* per group */
	size_t place_capacity;
};

/* States of a call, of no group yet. */
int group_call_states_new(struct aggregate_states **out,
			  const struct group_call *call, struct error *err);
int group_set_init(struct group_set *set, const struct group_layout *layout,
		   struct origin_list *origins, struct error *err);
void group_set_release(struct group_set *set);
/* Memory in use, with the places of one more batch of new groups. */
size_t group_set_bytes(const struct group_set *set);

/* What one thread needs to put rows into sets. */
struct group_work {
	struct group_scratch scratch;
	uint32_t *groups;
	uint32_t *rows;		/* found */
	uint32_t *missing;
	uint32_t *call_rows;
	uint32_t *call_groups;
	size_t missing_count;
};
int group_work_init(struct group_work *work, struct error *err);
void group_work_release(struct group_work *work);
/*
 * Put the selected rows into their groups. add: make new ones; else rows of
 * groups that are not there are left in work->missing. lock: NULL, or held
 * while what is known of a group changes.
 */
int group_set_add(struct group_set *set, struct group_work *work,
		  const struct group_rows *rows,
		  const struct selection *selected, bool add,
		  pthread_mutex_t *lock, struct error *err);
/* Of a set without keys: its one group is there though no row is. */
int group_set_add_empty(struct group_set *set, struct group_work *work,
			struct error *err);
/* What is known of the groups of from that numbers names, which go up, into
 * out; from stays as it is and may be read by others meanwhile. */
int group_set_take(struct group_set *out, const struct group_set *from,
		   const uint32_t *numbers, size_t count,
		   struct group_work *work, struct error *err);
#endif
