#ifndef SQL_BIND_SUBQUERY_H
#define SQL_BIND_SUBQUERY_H
#include "sql/bind_level.h"

/*
 * From a subquery that is bound to the join that it becomes: what stands in
 * an expression is a placeholder (bind_level.h) until then.
 */

/* bind_subquery.c */
int bind_subquery(struct binder *binder, const struct name_scope *scope,
		  const struct ast_expr *ast, struct bound_value *out);
struct subquery *subquery_of(const struct bind_level *level, size_t number);
/* A number for a value of the query around; the same for the same value. */
int outer_ref_add(struct binder *binder, struct outer_list *list,
		  struct expr *expr, size_t *number);

/* attach.c: join it to the input of settle, whose columns its outer values
 * and its IN values are over by then. kind: MARK, SEMI, ANTI or SINGLE. */
int attach_subquery(struct settle *settle, struct subquery *subquery,
		    enum join_kind kind);

/* outer_on.c: a join whose ON has subqueries that are not joined yet */
struct outer_on {
	struct bind_level *level;	/* theirs; none of a WHEN clause */
	enum join_kind kind;		/* INNER, LEFT, RIGHT or FULL */
	struct query_node *left;
	struct query_node *right;
	struct expr *condition;		/* over left's columns, then right's */
};
/*
 * *out: the join, columns as condition's. NULL: right has got columns for all
 * subqueries, condition reads them, and the join is left to the caller.
 */
int outer_on_settle(struct binder *binder, struct outer_on *on,
		    struct query_node **out);

/* decorrelate.c */
/* Does the query read one of the outer values? */
int query_depends(struct binder *binder, const struct query_node *node,
		  const struct outer_list *outer, bool *out);
bool expr_depends(const struct expr *expr, const struct outer_list *outer);
/* May running the query fail because of a value? */
int query_can_fail(struct binder *binder, const struct query_node *node,
		   bool *out);
/*
 * The query for every row of domain at once, whose columns are the outer
 * values: its columns, then those of the domain. domain is a shared node.
 */
int decorrelate(struct binder *binder, struct query_node *node,
		const struct outer_list *outer, struct query_node *domain,
		struct query_node **out);

/* late_value.c */
struct late_values {
	struct query_node *node;	/* what is to be joined; NULL: nothing */
	/* Per column of the subquery: over node's columns and outer values. */
	struct expr **values;
};
int late_values_of(struct binder *binder, struct query_node *node,
		   const struct outer_list *outer, struct late_values *out);
/* Does the query always give exactly one row? May it give more? */
bool gives_one_row(const struct query_node *node);
bool gives_several_rows(const struct query_node *node);
/* A copy with values[c] for column c; placeholders stay. */
int expr_over_values(struct binder *binder, const struct expr *expr,
		     struct expr *const *values, struct expr **out);
/* How often it reads a column; NULL reads none. */
size_t expr_column_uses(const struct expr *expr);
/* The column of a projection that is expr of its input; a new one, for which
 * there is room, if need be. The same for the columns that expr reads. */
int project_carry(struct binder *binder, struct query_node *node,
		  struct expr *expr, struct expr **out);
int project_carry_columns(struct binder *binder, struct query_node *node,
			  const struct expr *expr, struct expr **out);

/* pull_up.c */
struct pulled {
	struct query_node *node;	/* reads no outer value */
	/* right: over node's columns; left: over outer values. */
	struct join_key *keys;
	size_t key_count;
	struct expr *residual;	/* over node's columns and outer values */
	/* A global aggregate: what its columns are where there is no row.
	 * NULL = none: no row. */
	struct expr **empty;
};
/* *is_pulled false: only decorrelate() can do it. */
int pull_up(struct binder *binder, struct query_node *node,
	    const struct outer_list *outer, struct pulled *out,
	    bool *is_pulled);

/* bind_lookup.c, bind_lookup_source.c: subqueries of MERGE, UPDATE, DELETE.
 * *on and the clauses hold placeholders, and none afterwards. */
int bind_lookups(struct binder *binder, const struct ast_statement *ast,
		 struct bind_level *level, struct merge_plan *plan,
		 struct expr **on);
int bind_lookup_source(struct binder *binder, struct bind_level *level,
		       struct merge_plan *plan, struct expr **on,
		       bool *is_done);
#endif
