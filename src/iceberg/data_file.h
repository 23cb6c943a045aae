#ifndef ICEBERG_DATA_FILE_H
#define ICEBERG_DATA_FILE_H
#include "column/column.h"

enum file_content {
	CONTENT_DATA = 0,
	CONTENT_POSITION_DELETES = 1,	/* a file, or a deletion vector */
	CONTENT_EQUALITY_DELETES = 2,
};

enum file_format {
	FORMAT_PARQUET,
	FORMAT_AVRO,
	FORMAT_ORC,
	FORMAT_PUFFIN,
	FORMAT_OTHER,
};

/* Metrics of one leaf column; counts -1 and bounds with data NULL are
 * unknown. Bounds are binary single values. */
struct column_metrics {
	int32_t field_id;
	int64_t column_size;
	int64_t value_count;
	int64_t null_count;
	int64_t nan_count;
	struct byte_view lower;
	struct byte_view upper;
};

/* A data_file of the spec (iceberg.md 8.2). Numbers that are null are -1. */
struct data_file {
	enum file_content content;
	enum file_format format;
	int32_t spec_id;		/* of the manifest */
	char *path;			/* URI, byte for byte */
	struct literal *partition;	/* one per field of the spec */
	size_t partition_count;
	int64_t record_count;
	int64_t file_size;
	struct column_metrics *metrics;	/* ascending field_id */
	size_t metrics_count;
	int64_t *split_offsets;
	size_t split_count;
	int32_t *equality_ids;
	size_t equality_count;
	int32_t sort_order_id;
	int64_t first_row_id;
	char *referenced_data_file;	/* NULL = none */
	int64_t content_offset;
	int64_t content_size;
};

/* Sum of two counts, which files may overstate: stops at the end. */
static inline int64_t count_add(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Metrics of a column, NULL = none. */
const struct column_metrics *data_file_metrics(const struct data_file *file,
					       int32_t field_id);
#endif
