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
	QUERY_LIMIT,	/* input, limit */
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
	uint64_t limit;			/* LIMIT */
	uint64_t offset;
};
#endif
