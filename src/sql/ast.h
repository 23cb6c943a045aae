#ifndef SQL_AST_H
#define SQL_AST_H
#include "plan/plan.h"
#include "sql/sql.h"
#include "sql/sql_error.h"

/*
 * What a statement says, before any name is looked up. All of it lives in one
 * arena and is read-only after parsing: a binder may walk it several times.
 */

/* Nesting of expressions and queries, so that no recursion runs away. */
#define SQL_DEPTH_LIMIT 500

/* A growing array in an arena. */
struct ast_list {
	void **items;
	size_t count;
	size_t capacity;
};
bool ast_list_add(struct ast_list *list, struct arena *arena, void *item);

/* A name of one or more parts: "t.k"; quotes are gone. */
struct ast_name {
	const char **parts;
	size_t count;
	struct sql_place place;
};
/* The parts with dots between them; NULL = out of memory. */
const char *ast_name_text(const struct ast_name *name, struct arena *arena);

enum ast_kind {
	AST_LITERAL,	/* literal; NULL is one of TYPE_UNKNOWN; type: as
			 * written, of a local time for an instant */
	AST_PARAMETER,	/* text: its name */
	AST_DEFAULT,	/* only as a whole value of SET and VALUES */
	AST_NAME,	/* name */
	AST_CALL,	/* text: name of a function or operator; args */
	AST_AND,
	AST_OR,
	AST_NOT,
	AST_IS_NULL,
	AST_IN,		/* args[0] IN (args[1..]) */
	AST_BETWEEN,	/* value, low, high */
	AST_CASE,	/* [operand], when, then, ..., [else] */
	AST_CAST,	/* args[0] to type */
	AST_TRY_CAST,
	AST_ROW,	/* ROW(args), (a, b); name: those of the fields, "" =
			 * none */
	AST_ARRAY,	/* ARRAY[args] */
	AST_FIELD,	/* args[0].text; of what is no name */
	AST_SUBQUERY,	/* (query): its one value */
	AST_EXISTS,	/* query */
	AST_IN_QUERY,	/* args[0] IN (query) */
	AST_QUANTIFIED,	/* args[0] text ANY (query); is_all: ALL */
	AST_INTERVAL,	/* args[0] times the unit text */
};

struct ast_query;
struct ast_call;
struct ast_relation;
struct ast_cte;
struct ast_row;

struct ast_expr {
	enum ast_kind kind;
	struct sql_place place;
	uint32_t depth;		/* 1 + the deepest argument's */
	const char *text;
	struct ast_name name;
	struct literal literal;
	struct type type;
	struct ast_expr **args;
	size_t arg_count;
	bool has_operand;	/* CASE */
	bool has_else;
	bool is_all;		/* QUANTIFIED */
	struct ast_call *call;	/* CALL; NULL = only arguments */
	struct ast_query *query;
};

struct ast_assignment {
	struct ast_name name;
	struct ast_expr *value;
};

/* One of an INSERT column list. */
struct ast_column_name {
	const char *name;
	struct sql_place place;
};

struct ast_when {
	enum merge_match match;
	enum row_operation operation;
	struct sql_place place;
	struct sql_place action_place;
	struct ast_expr *condition;
	bool is_star;			/* SET *, INSERT * */
	struct ast_assignment **assignments;
	size_t assignment_count;
	struct ast_column_name **columns;
	size_t column_count;		/* 0 = no list */
	struct ast_row *row;		/* VALUES */
};

struct ast_column {
	const char *name;
	struct sql_place place;
	struct type type;
	uint32_t text_length;		/* VARCHAR(n), 0 = none */
	bool required;
	bool is_identifier;
	const char *doc;
	struct ast_expr *default_value;
};

struct ast_property {
	const char *key;
	struct ast_expr *value;		/* NULL = DEFAULT */
	struct sql_place place;
};

/* Partition fields and sort columns of a table; a sane number of each. */
#define SQL_TERM_LIMIT 200

/* How a table's rows are laid out: PARTITIONED BY, WRITE ORDERED BY. */
struct ast_layout {
	bool has_partitioning;
	bool has_sort;
	struct partition_term *partition_terms;
	size_t partition_count;
	struct sort_term *sort_terms;
	size_t sort_count;
};

/* One change of ALTER TABLE; what needs binding beside it. */
struct ast_change {
	struct table_change change;
	struct sql_place place;
	struct ast_column *column;	/* ADD_COLUMN, SET_TYPE */
	struct ast_expr *value;		/* SET_DEFAULT */
	struct ast_property *property;	/* SET_PROPERTY */
};

enum ast_statement_kind {
	AST_STATEMENT_MERGE,
	AST_STATEMENT_UPDATE,
	AST_STATEMENT_DELETE,
	AST_STATEMENT_INSERT,
	AST_STATEMENT_QUERY,
	AST_STATEMENT_CREATE,
	AST_STATEMENT_DROP,
	AST_STATEMENT_ALTER,
};

struct ast_statement {
	enum ast_statement_kind kind;
	struct sql_place place;
	struct ast_name table;
	const char *table_text;		/* its parts with dots; NULL = none */
	bool is_path;			/* a quoted path: a file */
	const char *alias;		/* of the table */
	struct ast_cte **ctes;		/* WITH in front of it */
	size_t cte_count;
	struct ast_relation *source;	/* MERGE */
	struct ast_expr *on;
	struct ast_when **whens;
	size_t when_count;
	struct ast_assignment **assignments;	/* UPDATE */
	size_t assignment_count;
	struct ast_expr *where;		/* UPDATE, DELETE */
	struct ast_column_name **columns;	/* INSERT, CREATE (a) AS */
	size_t column_count;
	struct ast_query *query;	/* QUERY, INSERT, CREATE .. AS */
	struct ast_column **defs;	/* CREATE */
	size_t def_count;
	struct ast_column_name **primary_key;	/* of the table */
	size_t primary_key_count;
	struct ast_property **properties;	/* CREATE */
	size_t property_count;
	struct ast_layout layout;	/* CREATE */
	struct ast_change **changes;	/* ALTER */
	size_t change_count;
	bool or_replace;
	bool if_not_exists;
	bool if_exists;
	bool evolves;			/* WITH SCHEMA EVOLUTION */
};
#endif
