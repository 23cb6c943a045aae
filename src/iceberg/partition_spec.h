#ifndef ICEBERG_PARTITION_SPEC_H
#define ICEBERG_PARTITION_SPEC_H
#include "column/column.h"

enum transform_kind {
	TRANSFORM_IDENTITY,
	TRANSFORM_BUCKET,
	TRANSFORM_TRUNCATE,
	TRANSFORM_YEAR,
	TRANSFORM_MONTH,
	TRANSFORM_DAY,
	TRANSFORM_HOUR,
	TRANSFORM_VOID,
	TRANSFORM_UNKNOWN,	/* kept as text; not pruned or written by */
};

struct transform {
	enum transform_kind kind;
	int32_t parameter;	/* bucket count, truncate width */
	char *text;		/* as in the metadata: "bucket[16]" */
};

int transform_parse(struct transform *out, const char *text,
		    struct arena *arena, struct error *err);
/* Type of the result for a source type (iceberg.md 14). */
struct type transform_result_type(const struct transform *transform,
				  const struct type *source);
/* NULL gives NULL. Bytes of the result live in arena. */
int transform_apply(const struct transform *transform,
		    const struct literal *value, struct arena *arena,
		    struct literal *out, struct error *err);

/*
 * The same for the selected rows of a vector, densely into out, which gets
 * the type of the result. A vector with data NULL is null in every row. Bytes
 * of the result are those of the source or a beginning of them: they live as
 * long. Errors: as above.
 */
int transform_apply_vector(const struct transform *transform,
			   const struct vector *in,
			   const struct selection *rows, struct vector *out,
			   struct error *err);

struct partition_field {
	int32_t source_id;
	int32_t field_id;
	char *name;
	struct transform transform;
};

struct partition_spec {
	int32_t spec_id;
	struct partition_field *fields;
	size_t field_count;
};

struct sort_field {
	int32_t source_id;
	struct transform transform;
	bool descending;
	bool nulls_first;
};

struct sort_order {
	int32_t order_id;
	struct sort_field *fields;
	size_t field_count;
};
#endif
