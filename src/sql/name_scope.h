#ifndef SQL_NAME_SCOPE_H
#define SQL_NAME_SCOPE_H
#include "sql/ast.h"

struct origin;

/* One relation whose columns may be named. */
struct scope_source {
	const char *alias;		/* NULL: the table's name qualifies */
	const struct ast_name *table;	/* NULL = nothing qualifies */
	const char *what;		/* "target", "source", "input" */
	const char *file;		/* that it is read from, or NULL */
	bool declares;			/* as its relation */
	const struct schema *schema;
	struct origin *const *origins;	/* one per column, or NULL */
	size_t first;			/* ordinal of its first column */
	const char *hidden;		/* set: not in scope here, because */
	const size_t *ordinals;		/* one per column; NULL: from first */
	const bool *merged;		/* by USING: the bare name and * mean
					 * another source's; NULL = none */
};

/* The ordinal of a column of the source. */
size_t scope_source_ordinal(const struct scope_source *source, size_t column);

struct bind_level;
struct outer_list;

/* What names mean at one place of a statement. */
struct name_scope {
	struct scope_source *sources;
	size_t source_count;
	/* What aggregates and subqueries of an expression belong to; NULL =
	 * there can be none. */
	struct bind_level *level;
	/* Of a subquery: what stands around it, and what it takes from there.
	 * NULL = nothing. */
	const struct name_scope *outer;
	struct outer_list *refs;
	/* In SET c = ...: the bare name of this column is the first source's
	 * even if another has it too. NULL = none. */
	const char *assigned;
};

/* What the beginning of a name means. */
struct scope_column {
	const struct scope_source *source;
	size_t column;
	size_t part_count;	/* of the name; what follows are fields */
};

/*
 * Find a column. As much of the name as possible is the qualifier: t.r.a is
 * column r of t before it is field r.a of a column t. Errors:
 * ERROR_UNKNOWN_COLUMN with a guess, ERROR_AMBIGUOUS_COLUMN.
 */
int name_scope_find(const struct name_scope *scope,
		    const struct ast_name *name, struct scope_column *out,
		    struct error *err);
/* Does a bare name mean something? */
bool name_scope_has(const struct name_scope *scope, const char *text);
/* Does a qualifier of `count` parts mean the source? */
bool scope_source_matches(const struct scope_source *source,
			  const char *const *parts, size_t count);
/*
 * A column of a schema: the exact name, else the only one that differs in
 * case. COLUMN_NONE, or COLUMN_SEVERAL.
 */
#define COLUMN_NONE SIZE_MAX
#define COLUMN_SEVERAL (SIZE_MAX - 1)
size_t find_column(const struct schema *schema, const char *name);
/* The same in the fields of a ROW. */
size_t find_field(const struct type *row, const char *name);
#endif
