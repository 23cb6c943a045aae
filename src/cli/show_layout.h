#ifndef CLI_SHOW_LAYOUT_H
#define CLI_SHOW_LAYOUT_H
#include "cli/cli.h"

/*
 * How a table's rows lie: its partition specs, its sort orders, and the files
 * of each partition; as text for a person and as JSON.
 */

/* "id_bucket_8 = bucket(8, id)", the sections of show. */
void show_specs(const struct table_metadata *metadata, struct text *out);
void show_sort_orders(const struct table_metadata *metadata,
		      struct text *out);
/* {"spec-id": 0, "fields": [...]} as the metadata has it; NULL = spec 0. */
void spec_json(const struct partition_spec *spec, struct text *out);
/* The same of the order with this id. */
void sort_order_json(const struct table_metadata *metadata, int32_t order_id,
		     struct text *out);

/* The files of one partition of one spec. */
struct partition_files {
	const struct partition_spec *spec;	/* NULL = not in the metadata */
	const struct data_file *sample;		/* has the values */
	uint64_t data_files;
	uint64_t delete_files;
	uint64_t rows;		/* that are live */
	uint64_t bytes;
	int32_t *order_ids;	/* of the data files, ascending */
	size_t order_count;
};
/* All partitions by spec and value; in arena. */
int partition_files_list(const struct snapshot_files *files,
			 struct arena *arena, struct partition_files **out,
			 size_t *count_out, struct error *err);
void show_partition_files(const struct partition_files *list, size_t count,
			  struct text *out);
int partition_files_json(const struct partition_files *list, size_t count,
			 struct text *out, struct error *err);
#endif
