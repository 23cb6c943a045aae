#ifndef TABLE_EVOLVE_EVOLVE_STATE_H
#define TABLE_EVOLVE_EVOLVE_STATE_H
#include "table/evolve/evolve.h"

/*
 * Changes on their way into a copy of the metadata, as the files of this room
 * see them. Private.
 */

/* A field of the partition spec to be. It keeps its place when it is taken
 * away, so that one added again is where it was. */
struct spec_slot {
	struct partition_field field;	/* field_id 0 = not given yet */
	bool is_removed;
};

struct evolution {
	struct table_metadata *m;
	struct schema schema;		/* what the current one becomes */
	int32_t last_column_id;
	struct spec_slot *slots;	/* in m's arena, as all below */
	size_t slot_count;
	struct sort_field *sort_fields;
	size_t sort_field_count;
	column_nulls_fn *nulls;
	void *nulls_context;
	struct error *err;
};

/* Where a column is. */
struct column_place {
	struct column_def *column;
	struct column_def *parent;	/* NULL = it is at the top */
	size_t index;			/* among its siblings */
	bool in_key;			/* a map's key or in one */
	bool in_collection;		/* an element, key or value, or in one */
	bool in_optional;		/* in a ROW that may be NULL */
};

/* column_place.c: ERROR_UNKNOWN_COLUMN, ERROR_AMBIGUOUS_COLUMN. No parts:
 * column is NULL, the place of the schema itself. */
int column_find(const struct schema *schema, const struct column_path *path,
		struct column_place *out, struct error *err);
/* "a.b" as messages have it, cut if too long. */
#define PATH_TEXT_BYTES 256
const char *path_text(const struct column_path *path,
		      char buffer[PATH_TEXT_BYTES]);
/* The columns of a ROW, of the schema for NULL. */
struct column_def *siblings_of(const struct schema *schema,
			       const struct column_def *parent,
			       size_t *count_out);
/* Index by name: exact, else the only one without case; -1 none, -2 several. */
long column_find_name(const struct column_def *columns, size_t count,
		      const char *name);
int columns_insert(struct schema *schema, struct column_def *parent,
		   size_t index, const struct column_def *column,
		   struct error *err);
void columns_remove(struct schema *schema, struct column_def *parent,
		    size_t index);
const struct column_def *column_by_id(const struct schema *schema,
				      int32_t field_id);

/* schema_evolution.c: one change of columns. */
int evolve_columns(struct evolution *e, const struct table_change *change);
/* type_promotion.c */
int evolve_type(struct evolution *e, const struct table_change *change);
bool promotion_is_allowed(const struct type *from, const struct type *to);
/* default_value.c: DEFAULT of a column, in the schema or as a property. */
int evolve_default(struct evolution *e, const struct table_change *change);
int default_cast(const struct literal *from, const struct column_def *column,
		 struct arena *arena, struct literal **out,
		 struct error *err);
int default_set_property(struct evolution *e, const struct column_def *column,
			 const struct literal *value);
/* A default of the column becomes one of a wider type. */
int default_widen(struct evolution *e, struct column_def *column,
		  const struct type *to);
/* Properties of v2 become write defaults of v3. */
int defaults_upgrade(struct evolution *e);

/* partition_evolution.c */
int evolve_partitions(struct evolution *e, const struct table_change *change);
int partitions_begin(struct evolution *e);
/* The slots become the default spec. */
int partitions_finish(struct evolution *e, bool *changed);
/* sort_evolution.c */
int evolve_sort_order(struct evolution *e, const struct table_change *change);
int sort_order_begin(struct evolution *e);
int sort_order_finish(struct evolution *e, bool *changed);
/* transform_term.c: column and transform of a term, checked against each
 * other. */
int term_resolve(const struct schema *schema, const struct column_path *path,
		 const char *transform, struct arena *arena,
		 struct transform *out, int32_t *source_id,
		 struct error *err);
bool transforms_equal(const struct transform *a, const struct transform *b);
bool transform_is_time(const struct transform *transform);
/* Append "a.b" of a field id; false if it is not in the schema. */
bool column_full_name(const struct schema *schema, int32_t field_id,
		      struct text *out);

/* column_properties.c: properties that name columns follow from before. */
int column_properties_follow(struct evolution *e,
			     const struct schema *before);
/* name_mapping.c: schema.name-mapping.default follows from before; ids above
 * last_id are new. */
int name_mapping_follow(struct evolution *e, const struct schema *before,
			int32_t last_id);
#endif
