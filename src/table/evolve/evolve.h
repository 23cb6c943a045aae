#ifndef TABLE_EVOLVE_EVOLVE_H
#define TABLE_EVOLVE_EVOLVE_H
/*
 * table/evolve: what a table's schema, partition spec and sort order become
 * by a change, by field ids, on a copy of its metadata. It writes nothing and
 * knows no versions; no data file is ever touched by it.
 * Source: iceberg.md 16; spec "Schema Evolution", "Partition Evolution",
 * "Sort Orders".
 */
#include "iceberg/iceberg.h"
#include "plan/plan.h"

/* In format version 2 a column's DEFAULT is the property with its field id. */
#define DEFAULT_PROPERTY "rowmerge.default."
#define DEFAULT_PROPERTY_BYTES 40	/* with the field id */

/*
 * Has any row of the table a NULL in the column? Asked for SET NOT NULL, at
 * any depth, with the id it has in the metadata before the changes.
 */
typedef int column_nulls_fn(void *context, int32_t field_id, bool *out,
			    struct error *err);

struct evolve_options {
	/* NULL: a table with a snapshot takes no NOT NULL. */
	column_nulls_fn *nulls;
	void *context;
};

/*
 * Apply the changes in order to m. Schema, spec and order ids are given
 * once at the end: several changes make at most one new schema, spec and
 * order, and equal ones are found again. *changed_out is false when nothing
 * is different afterwards. On failure m is not to be used. options may be
 * NULL.
 * Errors: ERROR_UNKNOWN_COLUMN, ERROR_COLUMN_EXISTS, ERROR_AMBIGUOUS_COLUMN,
 * ERROR_INCOMPATIBLE_CHANGE (with what would be possible), ERROR_TYPE_MISMATCH
 * (a default of another type), ERROR_UNSUPPORTED, ERROR_BAD_ARGUMENT.
 */
int metadata_evolve_with(struct table_metadata *m,
			 const struct table_change *changes, size_t count,
			 const struct evolve_options *options,
			 bool *changed_out, struct error *err);
int metadata_evolve(struct table_metadata *m,
		    const struct table_change *changes, size_t count,
		    bool *changed_out, struct error *err);

/* Can it be a column of a table: names, types, at any depth?
 * ERROR_BAD_ARGUMENT, ERROR_UNSUPPORTED, ERROR_COLUMN_EXISTS. */
int column_check(const struct column_def *column, struct error *err);
/* ERROR_COLUMN_EXISTS: two columns whose paths are spelt alike. */
int column_paths_check(const struct schema *schema, struct error *err);

/* For CREATE TABLE: terms over a new table's schema whose field ids are
 * assigned already. In arena. Field ids of the spec are 0: not given. */
int partition_spec_from_terms(const struct schema *schema,
			      const struct partition_term *terms,
			      size_t count, struct arena *arena,
			      struct partition_spec *out, struct error *err);
int sort_order_from_terms(const struct schema *schema,
			  const struct sort_term *terms, size_t count,
			  struct arena *arena, struct sort_order *out,
			  struct error *err);
#endif
