#ifndef EXPR_EXPR_NODE_H
#define EXPR_EXPR_NODE_H
#include "column/column.h"

enum expr_kind {
	EXPR_LITERAL,	/* literal */
	EXPR_COLUMN,	/* column: index into the batch that it runs over */
	EXPR_CALL,	/* function with args, all of the types it wants */
	EXPR_AND,	/* args >= 2; a later one runs only on rows where the */
	EXPR_OR,	/* earlier ones have not decided the result */
	EXPR_NOT,	/* 1 arg */
	EXPR_IS_NULL,	/* 1 arg; IS NOT NULL is NOT of it */
	EXPR_IN,	/* args[0] IN (args[1..]), all of one type */
	EXPR_CASE,	/* args: when, then, when, then, ..., [else]; searched;
			 * branches run only on the rows that reach them */
	EXPR_COALESCE,	/* args of one type; later ones run only where needed */
	EXPR_CAST,	/* args[0] to type; error when it does not convert */
	EXPR_TRY_CAST,	/* the same; NULL when it does not convert */
	EXPR_FIELD,	/* field number `field` of args[0], a ROW */
	/* What a join found for a subquery: args[0], an INTEGER of enum
	 * single_state or NULL, the value, and [what it is where the state is
	 * NULL, else NULL]. What is wrong fails where it is asked for. */
	EXPR_SINGLE,
};

enum single_state {	/* NULL: the subquery has no row */
	SINGLE_ONE,
	SINGLE_SEVERAL,
	/* and more: the number of an error of expr_context's */
	SINGLE_FAILED,
};

/*
 * A node of a bound tree: every type is final, every implicit coercion is an
 * explicit CAST. Nodes live in the arena of the statement and are read-only
 * after binding. line and column are where it stands in the spec, for the
 * messages of runtime errors (0 = nowhere).
 */
struct expr {
	enum expr_kind kind;
	struct type type;
	const struct function *function;	/* CALL */
	struct literal literal;			/* LITERAL */
	size_t column;				/* COLUMN */
	size_t field;				/* FIELD */
	struct expr **args;
	size_t arg_count;
	uint32_t line;
	uint32_t position;	/* column in the line, from 1 */
	/*
	 * An assignment cast: numbers narrow by rounding a half away from
	 * zero and fail on overflow; text may be shorter; set by the binder
	 * on the CASTs of SET and VALUES.
	 */
	bool is_assignment;
	/* Of such a cast to ROW, ARRAY or MAP: the column that is assigned,
	 * for the message about a NULL inside; may be NULL. */
	const char *assigned;
};

/* Deeper trees are refused by the compiler; a parser should stop earlier. */
#define EXPR_DEPTH_LIMIT 2000

struct expr *expr_new(struct arena *arena, enum expr_kind kind,
		      struct type type, size_t arg_count);
/* The node alone once more, with room for as many arguments, which the caller
 * fills. NULL = out of memory. */
struct expr *expr_copy_node(struct arena *arena, const struct expr *expr);
struct expr *expr_literal(struct arena *arena, const struct literal *value);
struct expr *expr_column(struct arena *arena, size_t column,
			 struct type type);
/* Field number `field` of a ROW; of its type. */
struct expr *expr_field(struct arena *arena, struct expr *row, size_t field);
/* NULL arguments are left out; NULL when none is left. */
struct expr *expr_and(struct arena *arena, struct expr *a, struct expr *b);
/* Set in used[column] for every column the tree reads. expr may be NULL. */
void expr_mark_columns(const struct expr *expr, bool *used);
bool expr_is_constant(const struct expr *expr);	/* reads no column */
/* A literal TRUE; NULL counts as one (no condition). */
bool expr_is_true(const struct expr *expr);
/* A literal FALSE or NULL of type BOOLEAN. */
bool expr_is_false_or_null(const struct expr *expr);
bool expr_equal(const struct expr *a, const struct expr *b);
/* Can evaluating the tree fail on some row? */
bool expr_can_fail(const struct expr *expr);
/* A deep copy with column c replaced by map[c]. NULL = out of memory. */
struct expr *expr_remap(struct arena *arena, const struct expr *expr,
			const size_t *map);
/*
 * Replace what reads no column by its value. A subtree whose evaluation fails
 * stays as it is (it fails when a row reaches it). Errors: ERROR_NO_MEMORY.
 */
int expr_fold(struct expr **expr, struct arena *arena, struct error *err);
#endif
