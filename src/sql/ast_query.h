#ifndef SQL_AST_QUERY_H
#define SQL_AST_QUERY_H
#include "sql/ast.h"

/* The part of ast.h that is about queries. */

/* One of ORDER BY. */
struct ast_sort {
	struct ast_expr *expr;
	bool descending;
	bool nulls_first;
	struct sql_place place;
};

/* OVER (...) and what WINDOW names. */
struct ast_window {
	const char *base;		/* another window's name, or NULL */
	struct sql_place place;
	struct ast_expr **partition;
	size_t partition_count;
	struct ast_sort **order;
	size_t order_count;
	bool has_frame;
	struct sql_place frame_place;
	enum frame_unit unit;
	enum frame_bound start;
	enum frame_bound end;
	struct ast_expr *start_offset;	/* NULL = none */
	struct ast_expr *end_offset;
};

struct ast_named_window {
	const char *name;
	struct sql_place place;
	struct ast_window *window;
};

/* What an aggregate or window function has beside its arguments. */
struct ast_call {
	bool is_star;			/* count(*) */
	bool distinct;
	bool ignore_nulls;
	struct ast_sort **order;	/* ORDER BY in it, WITHIN GROUP */
	size_t order_count;
	bool is_within_group;
	struct ast_expr *filter;
	struct ast_window *over;	/* NULL = no window function */
	struct sql_place place;		/* of the first of these */
};

enum ast_relation_kind {
	AST_RELATION_NAME,
	AST_RELATION_PATH,
	AST_RELATION_FUNCTION,	/* read_csv(...) */
	AST_RELATION_QUERY,
	AST_RELATION_JOIN,	/* left and right */
};

struct ast_option {
	const char *name;
	const struct ast_expr *value;	/* literal or parameter */
	struct sql_place place;
};

struct ast_relation {
	enum ast_relation_kind kind;
	struct sql_place place;
	struct ast_name name;
	const struct ast_expr *path;	/* PATH, FUNCTION: text or parameter */
	const char *function;		/* lower case */
	struct ast_option **options;
	size_t option_count;
	struct ast_query *query;
	const char *alias;		/* NULL = none */
	const char **columns;		/* AS t(a, b) */
	size_t column_count;		/* 0 = none */
	struct sql_place columns_place;
	enum join_kind join;		/* JOIN: INNER, LEFT, RIGHT, FULL */
	struct ast_relation *left;
	struct ast_relation *right;
	struct ast_expr *on;		/* NULL: CROSS, USING, NATURAL */
	bool is_natural;
	struct ast_column_name **using_columns;
	size_t using_count;
};

/* One of a select list: an expression, * or t.* */
struct ast_item {
	struct sql_place place;
	bool is_star;
	struct ast_name qualifier;	/* of t.*; count 0 = plain star */
	struct ast_expr *expr;
	const char *alias;		/* NULL = none */
};

struct ast_cte {
	const char *name;
	const char **columns;
	size_t column_count;
	struct ast_query *query;
	struct sql_place place;
};

/* One set of GROUPING SETS, ROLLUP or CUBE. */
struct ast_group_set {
	size_t *groups;		/* indices of the query's groups */
	size_t count;
};

enum ast_query_kind {
	AST_SELECT,
	AST_VALUES,
	AST_UNION,	/* ALL or distinct, many inputs */
	AST_EXCEPT,	/* two inputs */
	AST_INTERSECT,
	AST_NESTED,	/* a query in parentheses with its own WITH or LIMIT */
};

struct ast_row {
	struct ast_expr **values;
	size_t count;
	struct sql_place place;
};

struct ast_query {
	enum ast_query_kind kind;
	struct sql_place place;
	struct ast_cte **ctes;
	size_t cte_count;
	struct ast_item **items;	/* SELECT */
	size_t item_count;
	struct ast_relation *from;	/* NULL = none */
	struct ast_expr *where;
	bool distinct;			/* SELECT, UNION */
	bool is_grouped;		/* GROUP BY is there */
	struct ast_expr **groups;
	size_t group_count;
	struct ast_group_set **sets;	/* none: one of all groups */
	size_t set_count;
	struct ast_expr *having;
	struct ast_named_window **windows;
	size_t window_count;
	struct ast_expr *qualify;
	struct ast_row **rows;		/* VALUES */
	size_t row_count;
	struct ast_query **inputs;	/* UNION .. NESTED */
	size_t input_count;
	struct ast_sort **order;	/* ORDER BY */
	size_t order_count;
	struct ast_expr *limit;		/* literal or parameter; NULL = none */
	struct ast_expr *offset;
};
#endif
