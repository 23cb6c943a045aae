/*
 * parquet_output.c - rows of a source to standard output as a Parquet file
 *
 * How:    one stream, so that rows keep their order; a row group whenever
 *         enough rows are there. Field ids of a table's columns are kept.
 */
#include <unistd.h>
#include "cli/statement.h"
#include "parquet/parquet.h"

#define GROUP_ROWS 122880

struct parquet_output {
	struct parquet_encoder *encoder;
	struct parquet_writer *writer;
	const struct vector **columns;
	uint64_t left;		/* rows until the limit */
};

static int flush_group(struct parquet_output *out, struct error *err)
{
	struct encoded_row_group *group = NULL;
	int rc = parquet_encoder_finish(out->encoder, &group, err);

	if (rc || !group)
		return rc;
	rc = parquet_writer_append(out->writer, group, err);
	if (rc)
		encoded_row_group_free(group);
	return rc;
}

static int add_batch(struct parquet_output *out, const struct batch *batch,
		     struct error *err)
{
	struct selection rows = selection_all(batch->row_count);
	int rc;

	if (rows.count > out->left)
		rows.count = (size_t)out->left;
	if (out->left != UINT64_MAX)
		out->left -= rows.count;
	for (size_t i = 0; i < batch->column_count; i++)
		out->columns[i] = &batch->columns[i];
	rc = parquet_encoder_add(out->encoder, out->columns, &rows, err);
	if (!rc && parquet_encoder_rows(out->encoder) >= GROUP_ROWS)
		rc = flush_group(out, err);
	return rc;
}

static int write_rows(struct parquet_output *out, struct batch_source *source,
		      struct error *err)
{
	struct batch_stream *stream = NULL;
	struct batch *batch;
	int rc = source->stream_new(source, &stream, err);

	while (!rc && out->left) {
		rc = interrupt_check(err);
		if (!rc)
			rc = batch_stream_next(stream, &batch, err);
		if (rc || !batch)
			break;
		rc = add_batch(out, batch, err);
	}
	batch_stream_free(stream);
	if (!rc)
		rc = flush_group(out, err);
	return rc ? rc : parquet_writer_finish(out->writer, err);
}

int parquet_output(struct batch_source *source, uint64_t limit,
		   struct error *err)
{
	const struct schema *schema = source->schema(source);
	struct parquet_output out = { .left = limit };
	struct parquet_options options;
	struct output_file *file;
	int rc;

	parquet_options_init(&options);
	options.created_by = "rowmerge version " ROWMERGE_VERSION " (build 0)";
	rc = output_file_descriptor(&file, STDOUT_FILENO, "standard output",
				    err);
	if (rc)
		return rc;
	out.columns = mem_zalloc_array(schema->column_count + 1,
				       sizeof(*out.columns));
	if (!out.columns)
		rc = error_set(err, ERROR_NO_MEMORY, "output");
	if (!rc)
		rc = parquet_encoder_new(&out.encoder, schema, &options, err);
	if (!rc)
		rc = parquet_writer_new(&out.writer, file, schema, &options,
					err);
	if (!rc)
		rc = write_rows(&out, source, err);
	if (!rc)
		rc = output_file_close(file, false, err);
	parquet_writer_free(out.writer);
	parquet_encoder_free(out.encoder);
	output_file_free(file);
	mem_free(out.columns);
	return rc;
}
