#ifndef PLAN_QUERY_PLAN_H
#define PLAN_QUERY_PLAN_H
#include "column/column.h"
#include "expr/expr.h"

/*
 * A relation that a name in FROM, USING or INTO stands for, as the one who
 * knows names (cli) found it. The binder reads its columns, may fix the types
 * of untyped ones, and then leaves it alone; the one who runs the plan opens
 * it by `source_open`.
 */
struct relation {
	const char *name;	/* as written, for messages */
	const char *file;	/* that it reads, for messages; NULL = none */
	bool declares;		/* --types may add columns, for messages */
	struct schema schema;
	/*
	 * Columns of a CSV file that no table types: text of unknown type,
	 * like a quoted literal. The binder gives each the type of its first
	 * use (comparison, assignment, cast keeps text), or VARCHAR; two
	 * different types are ERROR_TYPE_MISMATCH. NULL = all typed.
	 */
	bool *untyped;
	const char *table;	/* what a target of it is named; NULL = none */
	/* Batches with the wanted columns materialised (bool per column, the
	 * schema's types as the binder left them). Called again only after
	 * the first source was freed; a pipe fails then. */
	int (*source_open)(struct relation *relation, const bool *wanted,
			   const struct column_range *ranges,
			   size_t range_count, struct batch_source **out,
			   struct error *err);
	void (*free)(struct relation *relation);
	void *context;		/* of the one who made it */
};
void relation_free(struct relation *relation);

enum query_kind {
	QUERY_SCAN,	/* relation */
	QUERY_VALUES,	/* rows of constant expressions */
	QUERY_PROJECT,	/* input, exprs over the input's columns */
	QUERY_FILTER,	/* input, condition */
	QUERY_UNION_ALL,	/* inputs of the same types */
	QUERY_LIMIT,	/* input, limit, offset */
	QUERY_JOIN,	/* two inputs, join */
	QUERY_AGGREGATE,	/* input, aggregate */
	QUERY_WINDOW,	/* input, window: the input's columns, then one per
			 * call */
	QUERY_SORT,	/* input, sort, limit and offset (UINT64_MAX, 0 = all) */
	QUERY_DISTINCT,	/* input: each row once, NULL equals NULL */
	QUERY_EXCEPT,	/* two inputs of the same types: distinct rows of the */
	QUERY_INTERSECT,	/* first that the second has not / has */
	QUERY_SHARED,	/* input, read once however many parents it has: a
			 * WITH query that is named several times */
};

enum join_kind {
	JOIN_INNER,	/* no keys and no residual: CROSS */
	JOIN_LEFT,
	JOIN_RIGHT,
	JOIN_FULL,
	/* Of the left input alone: EXISTS, NOT EXISTS. */
	JOIN_SEMI,
	JOIN_ANTI,
	/* The left input's columns and a BOOLEAN: is there a match? null_aware:
	 * IN of a subquery: unknown where a NULL of either side decides. */
	JOIN_MARK,
	/* LEFT with the one match of each left row, and then the state of
	 * EXPR_SINGLE: NULL = there is no match, else enum single_state; NULLs
	 * stand beside all but SINGLE_ONE. A scalar subquery. */
	JOIN_SINGLE,
};

/* left = right; both of one type. */
struct join_key {
	struct expr *left;	/* over the left input's columns */
	struct expr *right;	/* over the right input's columns */
	bool null_safe;		/* IS NOT DISTINCT FROM */
};

struct query_join {
	enum join_kind kind;
	struct join_key *keys;	/* none: nested loop */
	size_t key_count;
	/* Over the left's columns, then the right's; NULL = none. In all
	 * kinds part of what a match is. */
	struct expr *residual;
	/* SINGLE and MARK: where the right input fails by a value, that is the
	 * state of all left rows; MARK has a state behind the mark then. */
	bool waits;
	bool null_aware;	/* MARK; the last key is the one compared by
				 * IN, the others only correlate */
};

struct sort_key {
	struct expr *expr;	/* over the input's columns */
	bool descending;
	bool nulls_first;
};

/* One aggregate over the rows of a group; see expr's aggregate.h. */
struct aggregate_call {
	const struct aggregate_function *function;
	struct expr **args;	/* over the input's columns */
	size_t arg_count;
	struct type type;	/* of the result */
	bool distinct;
	struct expr *filter;	/* FILTER (WHERE ..); NULL = all rows */
	struct sort_key *order;	/* ORDER BY in it, WITHIN GROUP */
	size_t order_count;
};

/* Output: one column per group expression, then one per call. Without groups
 * there is one row, also of no input. */
struct query_aggregate {
	struct expr **groups;
	size_t group_count;
	struct aggregate_call *calls;
	size_t call_count;
};

enum frame_unit { FRAME_ROWS, FRAME_RANGE, FRAME_GROUPS };
enum frame_bound {
	FRAME_UNBOUNDED_PRECEDING,
	FRAME_PRECEDING,	/* offset */
	FRAME_CURRENT_ROW,
	FRAME_FOLLOWING,	/* offset */
	FRAME_UNBOUNDED_FOLLOWING,
};

enum window_function {
	WINDOW_ROW_NUMBER,
	WINDOW_RANK,
	WINDOW_DENSE_RANK,
	WINDOW_PERCENT_RANK,
	WINDOW_CUME_DIST,
	WINDOW_NTILE,
	WINDOW_LAG,		/* value[, offset[, default]] */
	WINDOW_LEAD,
	WINDOW_FIRST_VALUE,
	WINDOW_LAST_VALUE,
	WINDOW_NTH_VALUE,
	WINDOW_AGGREGATE,	/* aggregate over the frame */
};

struct window_call {
	enum window_function function;
	struct aggregate_call aggregate;	/* args for all functions */
	bool ignore_nulls;
	enum frame_unit unit;
	enum frame_bound start;
	enum frame_bound end;
	struct expr *start_offset;	/* constant; NULL = none */
	struct expr *end_offset;
};

/* Calls that share partition and order. */
struct query_window {
	struct expr **partition;
	size_t partition_count;
	struct sort_key *order;
	size_t order_count;
	struct window_call *calls;
	size_t call_count;
};

/* A bound query; lives in the statement's arena, read-only once bound. */
struct query_node {
	enum query_kind kind;
	struct schema *schema;		/* output names and types */
	struct query_node **inputs;
	size_t input_count;
	struct relation *relation;	/* SCAN; owned by the statement */
	struct expr **exprs;		/* PROJECT: one per output column;
					 * VALUES: row_count * column_count */
	size_t row_count;		/* VALUES */
	struct expr *condition;		/* FILTER */
	uint64_t limit;			/* LIMIT, SORT */
	uint64_t offset;
	struct query_join *join;
	struct query_aggregate *aggregate;
	struct query_window *window;
	struct sort_key *sort;
	size_t sort_count;
};
#endif
