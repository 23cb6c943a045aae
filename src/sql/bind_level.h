#ifndef SQL_BIND_LEVEL_H
#define SQL_BIND_LEVEL_H
#include "sql/binder.h"

/*
 * Aggregates, window functions and subqueries stand inside expressions, but
 * are computed by nodes below them. While a SELECT is bound each of them is a
 * placeholder: an EXPR_COLUMN whose number says what it stands for. Settling
 * puts the nodes under the input and the real columns in their place.
 *
 * A name that only the query around a subquery has is a placeholder too; it
 * stays until that subquery is joined to the query around it.
 */
enum place_kind {
	PLACE_COLUMN,		/* no placeholder */
	PLACE_OUTER,		/* numbered over the whole statement */
	PLACE_AGGREGATE,	/* numbered within the level */
	PLACE_WINDOW,
	PLACE_SUBQUERY,
	PLACE_GROUPING,		/* a call of grouping() */
};
#define PLACE_SHIFT 40

static inline enum place_kind place_kind(size_t column)
{
	return (enum place_kind)(column >> PLACE_SHIFT);
}

static inline size_t place_index(size_t column)
{
	return column & (((size_t)1 << PLACE_SHIFT) - 1);
}

static inline size_t place_column(enum place_kind kind, size_t index)
{
	return (size_t)kind << PLACE_SHIFT | index;
}

/* A value of the query around that a subquery reads. */
struct outer_ref {
	size_t number;		/* of its placeholder */
	struct expr *expr;	/* over the columns of the query around */
};

struct outer_list {
	struct ast_list refs;
};

enum subquery_kind {
	SUBQUERY_SCALAR,
	SUBQUERY_EXISTS,
	SUBQUERY_IN,
};

/* A subquery that is not joined yet. */
struct subquery {
	enum subquery_kind kind;
	struct sql_place place;
	struct query_node *node;
	struct outer_list *outer;
	struct expr **values;	/* IN: one per column of the query */
	size_t value_count;
	size_t first;		/* number of its first placeholder */
	size_t column_count;	/* placeholders: results */
	struct expr **results;	/* once joined */
	unsigned clause;	/* MERGE: where it stands */
};

struct aggregate_place {
	struct aggregate_call call;
	struct sql_place place;
};

struct window_place {
	struct window_call call;
	struct expr **partition;
	size_t partition_count;
	struct sort_key *order;
	size_t order_count;
	struct sql_place place;
	size_t at;		/* its column once settled */
};

struct grouping_place {
	struct expr **args;
	size_t arg_count;
	struct sql_place place;
};

/* What the expressions of one SELECT, or of one MERGE, hold. */
struct bind_level {
	const char *where;	/* "WHERE"; for messages */
	bool takes_aggregates;
	bool takes_windows;
	bool in_aggregate;
	bool in_window;
	bool has_aliases;	/* of the SELECT's items, as names */
	bool is_shown_order;	/* of an ORDER BY that picks no rows */
	unsigned clause;
	const struct ast_query *select;	/* NULL: no SELECT */
	struct ast_list aggregates;	/* struct aggregate_place */
	struct ast_list windows;	/* struct window_place */
	struct ast_list subqueries;	/* struct subquery */
	struct ast_list groupings;	/* struct grouping_place */
	size_t result_count;		/* of the subqueries */
};

/* How placeholders of a level become columns of *input. */
struct settle {
	struct binder *binder;
	struct bind_level *level;
	struct query_node **input;	/* grows by joins */
	const struct schema *named;	/* what columns are called */
	bool is_grouped;
	struct expr **groups;		/* as bound, before settling */
	size_t group_count;
	/* Columns from here on have moved by so many. */
	size_t shift_from;
	size_t shift_by;
	bool keeps_open;	/* placeholders of subqueries not joined yet */
};

/* settle.c */
int settle_expr(struct settle *settle, struct expr **expr);
int settle_exprs(struct settle *settle, struct expr **exprs, size_t count);
int settle_sort(struct settle *settle, struct sort_key *keys, size_t count);
int settle_call(struct settle *settle, struct aggregate_call *call);
/* CASE WHEN condition THEN *expr END, if it can fail. */
int expr_guard(struct binder *binder, struct expr *condition,
	       struct expr **expr);
/* What FILTER leaves out must not fail. */
int call_guard(struct binder *binder, struct aggregate_call *call);
/* Put a condition on the input: filters, and joins for its subqueries. */
int settle_filter(struct settle *settle, struct expr *condition);
/* Is there a placeholder of the kind in it? */
bool expr_has_place(const struct expr *expr, enum place_kind kind);
/* A copy with columns from `from` on moved; placeholders stay. */
int expr_shift(struct binder *binder, const struct expr *expr, size_t from,
	       ptrdiff_t by, struct expr **out);
/* A copy with the outer values of the list replaced; columns move too. */
struct outer_change {
	struct expr **values;	/* one per outer value */
	size_t from;
	size_t by;
};
int expr_replace_outer(struct binder *binder, const struct expr *expr,
		       const struct outer_list *outer,
		       const struct outer_change *change, struct expr **out);
/* All columns of `expr` lie in first .. end - 1 (placeholders do not). */
bool expr_within(const struct expr *expr, size_t first, size_t end);

/* The parts of an AND, or the expression itself. */
size_t expr_part_count(const struct expr *expr);
struct expr *expr_part(struct expr *expr, size_t i);

/* equi_split.c: a condition over two sides taken apart. */
enum split_flag {
	SPLIT_KEEPS_LEFT = 1,	/* parts of one side are part of residual */
	SPLIT_KEEPS_RIGHT = 2,
	/* so are those that can fail behind one that reads another side */
	SPLIT_IN_ORDER = 4,
};
struct equi_split {
	struct join_key *keys;		/* all over the combined columns */
	size_t key_count;
	struct expr *left_only;
	struct expr *right_only;
	struct expr *residual;
	bool is_false;			/* never true; part of residual too */
};
int equi_split(struct binder *binder, struct expr *condition,
	       size_t left_count, unsigned flags, struct equi_split *out);

/* query_node.c, bind_join.c */
struct bound_from {
	struct bound_query query;
	struct scope_source *sources;
	size_t source_count;
};
int bind_from(struct binder *binder, const struct ast_relation *ast,
	      struct bound_from *out);
/* Its columns begin `by` later. */
int scope_source_move(struct binder *binder, struct scope_source *source,
		      size_t by);
/* left and right as a join; keys and residual of an equi_split over them. */
int join_new(struct binder *binder, enum join_kind kind,
	     struct query_node *left, struct query_node *right,
	     const struct equi_split *split, struct query_node **out);
/* It keeps a failure of the right input; MARK gets a column for that. Once. */
void join_wait(struct query_node *join);
int filter_new(struct binder *binder, struct expr *condition,
	       struct query_node **input);
/* A projection of all columns with room for `more`. */
int project_new(struct binder *binder, struct query_node *input, size_t more,
		struct query_node **out);
int project_set(struct binder *binder, struct query_node *node, size_t i,
		const char *name, struct expr *expr);
/* One that can be the input of several. */
int query_share(struct binder *binder, struct query_node *node,
		struct query_node **out);
/* One more uses it. */
void query_use(struct binder *binder, const struct query_node *shared);
/* Shared nodes with one parent are their input. */
void query_unshare(struct binder *binder);
/* All columns and the number of each row, from 1 on, among those that are
 * equal in the first `equal` columns. */
int number_rows(struct binder *binder, struct query_node *input, size_t equal,
		struct query_node **out);
/* A projection of some columns. */
int query_pick(struct binder *binder, struct query_node *input,
	       const size_t *columns, size_t count, struct query_node **out);
int column_expr(struct binder *binder, const struct query_node *node,
		size_t column, struct expr **out);

/* bind_aggregate.c, bind_window.c */
bool is_aggregate_name(const char *name);
bool is_window_name(const char *name);
int bind_aggregate(struct binder *binder, const struct name_scope *scope,
		   const struct ast_expr *ast, struct bound_value *out);
int bind_window_function(struct binder *binder,
			 const struct name_scope *scope,
			 const struct ast_expr *ast, struct bound_value *out);
/* The call of an aggregate without a place for it. */
int bind_aggregate_call(struct binder *binder,
			const struct name_scope *scope,
			const struct ast_expr *ast,
			struct aggregate_call *out);
int bind_sort(struct binder *binder, const struct name_scope *scope,
	      struct ast_sort *const *asts, size_t count,
	      struct sort_key **out);
int add_windows(struct settle *settle);

/* bind_grouping.c: rows by their groups, and by several sets of them. */
struct grouped {
	struct query_node *input;
	struct expr **groups;		/* over the input's columns */
	struct expr *const *bound;	/* the same as names were bound */
	size_t group_count;
	struct aggregate_call *calls;
	size_t call_count;
	/* group_count each; the groups that are in it. NULL = one of all. */
	bool *const *sets;
	size_t set_count;
	const struct ast_list *groupings;
};
/* Columns: the groups, NULL where a set has it not, the calls, and one for
 * each call of grouping(). */
int grouped_new(struct binder *binder, struct grouped *grouped,
		struct query_node **out);
int bind_grouping(struct binder *binder, const struct name_scope *scope,
		  const struct ast_expr *ast, struct bound_value *out);

/* bind_relation.c: the table of that name, whatever WITH says. */
int bind_table(struct binder *binder, const struct ast_relation *ast,
	       struct bound_query *out);

/* bind_select.c */
int bind_select(struct binder *binder, const struct ast_query *ast,
		struct bound_query *out);
/* bind_query.c */
/* SORT or LIMIT for what the query says, or nothing; keys over *input. */
int bind_sorted(struct binder *binder, const struct ast_query *ast,
		struct sort_key *keys, struct query_node **input);
/* Does its order decide which rows there are? */
bool order_picks(const struct ast_query *ast);
/* The column from 0 that a number written out means; SIZE_MAX = none. */
int ordinal_of(struct binder *binder, const struct ast_expr *ast,
	       size_t count, const char *what, size_t *out);
int distinct_new(struct binder *binder, struct query_node **input);
/* One row: what SELECT without FROM runs over. */
int single_row_new(struct binder *binder, struct query_node **out);
/* VALUES whose expressions hold subqueries become projections. */
int rows_with_subqueries(struct binder *binder, struct bind_level *level,
			 struct query_node **rows);
#endif
