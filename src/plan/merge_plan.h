#ifndef PLAN_MERGE_PLAN_H
#define PLAN_MERGE_PLAN_H
#include "plan/query_plan.h"
#include "plan/target_ops.h"

enum merge_match {
	WHEN_MATCHED,
	WHEN_NOT_MATCHED,		/* BY TARGET: only the source is there */
	WHEN_NOT_MATCHED_BY_SOURCE,	/* only the target is there */
};

/* One WHEN clause, numbered by its place from 0. */
struct merge_clause {
	enum merge_match match;
	/* It says BY SOURCE, though subqueries make it MATCHED: the rows it
	 * acts on are pairs without a source row. */
	bool is_by_source;
	/* INSERT, UPDATE, DELETE, or NONE for DO NOTHING. */
	enum row_operation operation;
	struct expr *condition;		/* NULL = always */
	/*
	 * One per table column, of the column's type. UPDATE: NULL = keep the
	 * row's value. INSERT: never NULL (defaults are filled in).
	 */
	struct expr **values;
	uint32_t line;			/* where it stands */
	uint32_t position;
};

/* Does it act on rows that the source lacks? */
static inline bool merge_clause_is_by_source(const struct merge_clause *clause)
{
	return clause->match == WHEN_NOT_MATCHED_BY_SOURCE ||
	       clause->is_by_source;
}

/* target = source; both of one type, over the combined columns. */
struct merge_key {
	struct expr *target;	/* reads target columns only */
	struct expr *source;	/* reads source columns only */
	bool null_safe;		/* IS NOT DISTINCT FROM */
};

/*
 * A bound statement that changes a table: MERGE, and the others as forms of
 * it. UPDATE and DELETE have no source and one NOT MATCHED BY SOURCE clause;
 * INSERT has ON FALSE and one NOT MATCHED clause.
 *
 * Expressions run over combined columns: the target's first (ordinals 0 ..
 * target_column_count - 1), then the source's.
 */
struct merge_plan {
	enum statement_kind statement;
	struct target *target;		/* borrowed */
	const char *target_name;
	size_t target_column_count;
	struct query_node *source;	/* NULL: no rows */
	size_t source_column_count;
	/* Its last columns are results of the statement's subqueries. */
	size_t lookup_count;
	/* All of it is: its rows are not the user's, nothing is said of them,
	 * and there may be none. */
	bool source_is_lookup;
	/* Of a lookup with a BY SOURCE clause: the column that is not NULL
	 * where a row is one of the user's source, from 1; 0 = none. */
	size_t source_mark;
	/* With a mark: source columns that ON equates, so that a row with NULL
	 * in one matches nothing. */
	const size_t *mark_keys;
	size_t mark_key_count;
	bool source_reads_target;	/* INSERT ... SELECT of the target */
	/*
	 * ON as a conjunction: the equi-keys AND target_only AND source_only
	 * AND residual; NULL = nothing of that kind. No key: nested loop.
	 */
	struct merge_key *keys;
	size_t key_count;
	struct expr *target_only;
	struct expr *source_only;
	struct expr *residual;
	bool on_is_false;		/* folded: nothing ever matches */
	struct merge_clause *clauses;
	size_t clause_count;
	/* Table ordinals of the PRIMARY KEY; one statement inserts no key
	 * twice. */
	const size_t *identifier_columns;
	size_t identifier_count;
	/* Source columns used by ON or a clause, bool each. */
	bool *source_used;
	/* Columns and fields that WITH SCHEMA EVOLUTION adds to the target:
	 * TABLE_ADD_COLUMN each, in their order. */
	const struct table_change *added;
	size_t added_count;
};
#endif
