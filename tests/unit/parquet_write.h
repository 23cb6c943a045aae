#ifndef TESTS_UNIT_PARQUET_WRITE_H
#define TESTS_UNIT_PARQUET_WRITE_H
#include "parquet/parquet.h"

/*
 * Columns as a Parquet file, as a caller of parquet/ makes one: row groups go
 * through an encoder and are appended. Any step may fail, so that a test can
 * sweep over failing allocations.
 */
struct parquet_writing {
	const struct schema *schema;
	const struct parquet_options *options;
	const struct vector *const *columns;
	size_t row_count;
	size_t group_rows;	/* 0 = one group */
};

static inline int parquet_write_group(struct parquet_encoder *encoder,
				      struct parquet_writer *writer,
				      struct error *err)
{
	struct encoded_row_group *group;
	int rc = parquet_encoder_finish(encoder, &group, err);

	if (!rc) {
		rc = parquet_writer_append(writer, group, err);
		if (rc)
			encoded_row_group_free(group);
	}
	return rc;
}

static inline int parquet_write_groups(const struct parquet_writing *what,
				       struct parquet_encoder *encoder,
				       struct parquet_writer *writer,
				       struct error *err)
{
	uint32_t *index = malloc((what->row_count + 1) * sizeof(*index));
	size_t step = what->group_rows ? what->group_rows : what->row_count;
	int rc = 0;

	for (size_t i = 0; i < what->row_count; i++)
		index[i] = (uint32_t)i;
	for (size_t at = 0; at < what->row_count && !rc; at += step) {
		size_t left = what->row_count - at;
		struct selection some = { index + at,
					  left < step ? left : step };

		rc = parquet_encoder_add(encoder, what->columns, &some, err);
		if (!rc)
			rc = parquet_write_group(encoder, writer, err);
	}
	free(index);
	return rc ? rc : parquet_writer_finish(writer, err);
}

/*
 * Write into a file that stays open. The finished writer, for its offsets, is
 * the caller's if out is not NULL.
 */
static inline int parquet_write(const struct parquet_writing *what,
				struct output_file *file,
				struct parquet_writer **out,
				struct error *err)
{
	struct parquet_encoder *encoder = NULL;
	struct parquet_writer *writer = NULL;
	int rc = parquet_encoder_new(&encoder, what->schema, what->options,
				     err);

	if (!rc)
		rc = parquet_writer_new(&writer, file, what->schema,
					what->options, err);
	if (!rc)
		rc = parquet_write_groups(what, encoder, writer, err);
	parquet_encoder_free(encoder);
	if (out && !rc)
		*out = writer;
	else
		parquet_writer_free(writer);
	return rc;
}
#endif
