#ifndef PLAN_TABLE_CHANGE_H
#define PLAN_TABLE_CHANGE_H
#include "column/column.h"

/*
 * Changes of a table's metadata as a statement says them: by names, nothing
 * looked up. Several are applied in order and make one version. Whoever
 * applies them knows fields by id.
 */

/* A column at any depth: "a" "b"; "element", "key" and "value" step into
 * arrays and maps. Exact case first, else the only one without case. */
struct column_path {
	const char *const *parts;
	size_t count;
};

/* bucket(8, id) is transform "bucket[8]" of id; a bare column "identity". */
struct partition_term {
	struct column_path column;
	const char *transform;
	const char *name;	/* AS name; NULL = the default name */
	uint32_t line;		/* where it stands, for messages; 0 = nowhere */
	uint32_t position;
};

struct sort_term {
	struct column_path column;
	const char *transform;	/* "identity" if none is written */
	bool descending;
	bool nulls_first;	/* written, else: ASC first, DESC last */
	uint32_t line;
	uint32_t position;
};

enum column_position {
	POSITION_LAST,		/* ADD: at the end; else: where it is */
	POSITION_FIRST,
	POSITION_AFTER,
};

enum table_change_kind {
	TABLE_ADD_COLUMN,	/* path: parent, its parts may be none;
				 * column, position, after, if_not_exists */
	TABLE_DROP_COLUMN,	/* path, if_exists */
	TABLE_RENAME_COLUMN,	/* path, name, if_exists */
	TABLE_SET_TYPE,		/* path, column.type, if_exists */
	TABLE_MOVE_COLUMN,	/* path, position, after */
	TABLE_SET_NOT_NULL,	/* path */
	TABLE_DROP_NOT_NULL,	/* path */
	TABLE_SET_DEFAULT,	/* path, default_value */
	TABLE_DROP_DEFAULT,	/* path */
	TABLE_SET_COMMENT,	/* path, name: the text, NULL = none */
	TABLE_SET_IDENTIFIER,	/* paths: PRIMARY KEY; none = drop it */
	TABLE_ADD_PARTITION_FIELD,	/* term, if_not_exists */
	/* term, if_exists. The identity of a bare name may also be the name
	 * of a partition field. */
	TABLE_DROP_PARTITION_FIELD,
	TABLE_REPLACE_PARTITION_FIELD,	/* term (as above) by new_term */
	TABLE_SET_PARTITIONING,	/* terms: the whole spec; none = none */
	TABLE_SET_SORT_ORDER,	/* sort_terms; none = UNORDERED */
	TABLE_SET_PROPERTY,	/* name, text (NULL removes) */
	TABLE_UPGRADE,		/* format_version */
	TABLE_DROP_IDENTIFIER,	/* paths: leave the PRIMARY KEY */
};

struct table_change {
	enum table_change_kind kind;
	uint32_t line;		/* where it stands, for messages; 0 = nowhere */
	uint32_t position;
	bool if_exists;
	bool if_not_exists;
	struct column_path path;
	struct column_def column;	/* name, type, required, doc, defaults */
	enum column_position place;
	const char *after;		/* a sibling */
	const char *name;
	const char *text;
	/* Of any type; whoever applies the change casts it to the column's
	 * by the rules of an assignment of a literal. */
	const struct literal *default_value;
	const struct column_path *paths;
	size_t path_count;
	struct partition_term term;
	struct partition_term new_term;
	const struct partition_term *terms;
	size_t term_count;
	const struct sort_term *sort_terms;
	size_t sort_term_count;
	int format_version;
};
#endif
