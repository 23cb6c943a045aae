#ifndef PARQUET_PARQUET_WRITER_H
#define PARQUET_PARQUET_WRITER_H
#include "codec/codec.h"
#include "column/column.h"
#include "io/io.h"

/*
 * Writing is split in two so that threads need not wait for each other: an
 * encoder (one per thread) turns batches into one encoded row group in
 * memory; the writer (one per file) appends encoded groups in the order in
 * which they are given and writes indexes, Bloom filters and footer.
 */
struct parquet_options {
	enum codec_id codec;		/* CODEC_ZSTD */
	int codec_level;		/* 0 = default of the codec (1) */
	/* Integers without a dictionary as PLAIN, not DELTA_BINARY_PACKED. */
	bool compatible_encoding;
	size_t page_row_limit;		/* 20480: a multiple of a batch */
	size_t page_byte_limit;		/* 1 MiB */
	size_t dictionary_byte_limit;	/* 1 MiB a chunk */
	/* Per column, values hardly repeat: no dictionary is tried. NULL =
	 * not known of any. */
	const bool *distinct_columns;
	const bool *bloom_columns;	/* per column, of all its leaves;
					 * NULL = none */
	double bloom_fpp;		/* 0.01 */
	size_t bloom_byte_limit;	/* 1 MiB a chunk */
	const char *created_by;		/* "rowmerge version 0.1.0 (build 0)" */
	const char *iceberg_schema;	/* KV "iceberg.schema", NULL = none */
	const char *delete_type;	/* KV "delete-type", NULL = none */
	/* Columns by which every group is sorted, the first before all. */
	const struct parquet_sort *sorting;
	size_t sorting_count;
};
struct parquet_sort {
	size_t column;		/* of the schema, not nested */
	bool descending;
	bool nulls_first;
};
/* The values in comments above. */
void parquet_options_init(struct parquet_options *options);

/*
 * Sums over one leaf column of a file, for Iceberg's metrics. Of a nested
 * column's leaf, value_count is of its entries, so a null or empty list is one
 * without a value; a leaf below an ARRAY or MAP has no bounds.
 */
struct parquet_column_totals {
	int32_t field_id;
	size_t column;		/* of the schema that the leaf belongs to */
	struct type type;	/* of the leaf */
	int64_t compressed_bytes;
	int64_t value_count;	/* nulls and NaN included */
	int64_t null_count;
	int64_t nan_count;	/* REAL, DOUBLE; else 0 */
	bool has_bounds;
	struct literal min;	/* exact, untruncated; in the owner's arena */
	struct literal max;
};

struct parquet_encoder;
/* schema (its field ids and names are written, nested ones too) and options
 * are kept. */
int parquet_encoder_new(struct parquet_encoder **out,
			const struct schema *schema,
			const struct parquet_options *options,
			struct error *err);
void parquet_encoder_free(struct parquet_encoder *encoder);
/*
 * Add the selected rows: columns[i] is a vector of schema column i's type.
 * Everything is copied. A NULL in a required column is ERROR_NOT_NULL with
 * the column's name (callers check earlier with better words).
 */
int parquet_encoder_add(struct parquet_encoder *encoder,
			const struct vector *const *columns,
			const struct selection *rows, struct error *err);
size_t parquet_encoder_rows(const struct parquet_encoder *encoder);
/* Memory held for rows not yet encoded, about. */
size_t parquet_encoder_bytes(const struct parquet_encoder *encoder);
/* One row group of all rows added since the last finish; the encoder is empty
 * again. With no rows *out is NULL. */
struct encoded_row_group;
int parquet_encoder_finish(struct parquet_encoder *encoder,
			   struct encoded_row_group **out, struct error *err);
void encoded_row_group_free(struct encoded_row_group *group);
size_t encoded_row_group_bytes(const struct encoded_row_group *group);

struct parquet_writer;
/* file is kept (not closed by free). Writes the magic. */
int parquet_writer_new(struct parquet_writer **out, struct output_file *file,
		       const struct schema *schema,
		       const struct parquet_options *options,
		       struct error *err);
void parquet_writer_free(struct parquet_writer *writer);
/* Take the group, write its bytes. On failure it is still the caller's. */
int parquet_writer_append(struct parquet_writer *writer,
			  struct encoded_row_group *group, struct error *err);
uint64_t parquet_writer_rows(const struct parquet_writer *writer);
uint64_t parquet_writer_bytes(const struct parquet_writer *writer);
/*
 * Write indexes and footer. The file is flushed, not closed or synced.
 * Totals (one per leaf, in the order of the schema's tree) and split offsets
 * (start of each group) belong to the writer and live until free.
 */
int parquet_writer_finish(struct parquet_writer *writer, struct error *err);
const struct parquet_column_totals *
parquet_writer_totals(const struct parquet_writer *writer);
const int64_t *parquet_writer_split_offsets(const struct parquet_writer *w,
					    size_t *count_out);
#endif
