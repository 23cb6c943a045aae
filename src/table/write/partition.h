#ifndef TABLE_WRITE_PARTITION_H
#define TABLE_WRITE_PARTITION_H
#include <stdatomic.h>
#include "table/write/write.h"

/*
 * The partitions of a statement and which rows go to which. Private to
 * table/write.
 */
enum { LANE_PLAIN, LANE_LINEAGE, LANE_COUNT };

struct rolling_file;

/* A column of the table, or a field inside structs of it. */
struct field_place {
	size_t column;			/* SIZE_MAX: none has the id */
	const size_t *steps;		/* fields of structs, outermost first */
	size_t step_count;
	struct type type;
};
/* Is the field the column, or inside structs of it? */
bool column_has_field(const struct column_def *column, int32_t field_id);
/* By field id; steps live in arena. */
int field_place_find(const struct schema *schema, int32_t field_id,
		     struct arena *arena, struct field_place *out,
		     struct error *err);
/*
 * Its values in the selected rows, transformed, densely into out, which
 * may borrow from the columns. Bytes are those of the columns.
 */
int field_place_values(const struct field_place *place,
		       const struct transform *transform,
		       const struct vector *const *columns,
		       const struct selection *rows, struct vector *out,
		       struct error *err);

/* A partition that rows go to; a table without partitions has one. */
struct partition {
	uint32_t number;	/* in the context */
	uint64_t hash;
	struct literal *values;	/* one per field of the spec */
	char *directory;	/* below data/; "" */
	/* One of the first few: rows go to its files at once. */
	bool is_open;
	struct rolling_file *lanes[LANE_COUNT];	/* NULL = not used yet */
	_Atomic uint64_t sorted_rows;	/* in sort buffers */
	_Atomic uint64_t rows;		/* that came to it */
};

/* "region=a/day=2024-01-31" of a partition, safe for every reader. */
int partition_path(const struct partition_spec *spec,
		   const struct literal *values, struct arena *arena,
		   char **out, struct error *err);

/*
 * Which partition each row goes to; for one thread. The partitions that it
 * has met are found without a lock.
 */
struct partition_router {
	struct write_context *context;
	struct vector *values;		/* per field of the spec, dense */
	uint64_t *hashes;		/* of the rows at hand, dense */
	uint32_t *group_of;
	uint32_t *first_of;		/* row that its group is known by */
	uint64_t *same;
	size_t row_capacity;
	uint32_t *local;		/* by hash: group + 1 */
	size_t local_size;
	struct partition **slots;	/* by hash: partitions met */
	size_t slot_mask;
	size_t slot_count;
	/* the result of the last call */
	struct router_group {
		struct partition *partition;
		uint32_t first;		/* dense index of its first row */
		uint32_t count;
		uint32_t at;		/* in rows */
	} *groups;
	size_t group_count;
	uint32_t *rows;			/* of the batch, group by group */
};
int partition_router_init(struct partition_router *router,
			  struct write_context *context, struct error *err);
void partition_router_release(struct partition_router *router);
/* Fill groups and rows. */
int partition_router_place(struct partition_router *router,
			   const struct vector *const *columns,
			   const struct selection *rows, struct error *err);
/*
 * The partition with the values in row i of the router's vectors, made if
 * need be; lives with the context. Any thread.
 */
int write_context_partition(struct write_context *context,
			    const struct vector *values, size_t row,
			    uint64_t hash, struct partition **out,
			    struct error *err);
/* Are these its values, bit for bit? */
bool partition_is(const struct partition *partition, size_t field_count,
		  const struct vector *values, size_t row);
#endif
