/*
 * parquet_encoder.c - batches into one encoded row group
 *
 * Why:    encoding and compressing is nearly all the work of writing, so each
 *         thread has an encoder of its own and files are only appended to.
 * How:    a chunk writer per leaf column; they share one compression context.
 *         Nested columns are taken apart on the way.
 */
#include "parquet/parquet_encoder.h"

#include "parquet/nested_shred.h"

#define DEFAULT_PAGE_ROWS 20480
#define DEFAULT_PAGE_BYTES ((size_t)1 << 20)
#define DEFAULT_DICTIONARY_BYTES ((size_t)1 << 20)
#define DEFAULT_BLOOM_BYTES ((size_t)1 << 20)

struct parquet_encoder {
	const struct schema *schema;
	struct arena arena;
	struct write_schema shape;
	struct codec_context *context;
	struct chunk_writer *leaves;
	size_t leaf_count;	/* that are initialised */
	size_t row_count;
};

void parquet_options_init(struct parquet_options *options)
{
	memset(options, 0, sizeof(*options));
	options->codec = CODEC_ZSTD;
	options->page_row_limit = DEFAULT_PAGE_ROWS;
	options->page_byte_limit = DEFAULT_PAGE_BYTES;
	options->dictionary_byte_limit = DEFAULT_DICTIONARY_BYTES;
	options->bloom_fpp = 0.01;
	options->bloom_byte_limit = DEFAULT_BLOOM_BYTES;
	options->created_by = "rowmerge version 0.1.0 (build 0)";
}

static int init_leaves(struct parquet_encoder *encoder,
		       const struct parquet_options *options,
		       struct error *err)
{
	const bool *blooms = options->bloom_columns;
	size_t count = encoder->shape.leaf_count;

	encoder->leaves = mem_zalloc_array(count + 1,
					   sizeof(*encoder->leaves));
	if (!encoder->leaves)
		return error_set(err, ERROR_NO_MEMORY, "Parquet encoder");
	for (size_t i = 0; i < count; i++) {
		const struct write_leaf *leaf = &encoder->shape.leaves[i];
		int rc = chunk_writer_init(&encoder->leaves[i], leaf,
					   blooms && blooms[leaf->top],
					   options, encoder->context, err);

		encoder->leaf_count = i + 1;
		if (rc)
			return rc;
	}
	return 0;
}

int parquet_encoder_new(struct parquet_encoder **out,
			const struct schema *schema,
			const struct parquet_options *options,
			struct error *err)
{
	struct parquet_encoder *encoder;
	int rc;

	*out = NULL;
	encoder = mem_zalloc(sizeof(*encoder));
	if (!encoder)
		return error_set(err, ERROR_NO_MEMORY, "Parquet encoder");
	encoder->schema = schema;
	arena_init(&encoder->arena, 0);
	rc = write_schema_make(&encoder->shape, schema, &encoder->arena, err);
	if (!rc)
		rc = codec_context_new(&encoder->context, err);
	if (!rc)
		rc = init_leaves(encoder, options, err);
	if (rc) {
		parquet_encoder_free(encoder);
		return rc;
	}
	*out = encoder;
	return 0;
}

void parquet_encoder_free(struct parquet_encoder *encoder)
{
	if (!encoder)
		return;
	for (size_t i = 0; i < encoder->leaf_count; i++)
		chunk_writer_release(&encoder->leaves[i]);
	mem_free(encoder->leaves);
	arena_release(&encoder->arena);
	codec_context_free(encoder->context);
	mem_free(encoder);
}

int parquet_encoder_add(struct parquet_encoder *encoder,
			const struct vector *const *columns,
			const struct selection *rows, struct error *err)
{
	const struct schema *schema = encoder->schema;

	for (size_t i = 0; i < schema->column_count; i++) {
		const struct column_def *column = &schema->columns[i];
		struct chunk_writer *leaves =
			encoder->leaves + encoder->shape.first_leaf[i];
		int rc;

		if (type_is_nested(&column->type))
			rc = nested_shred(leaves, column, columns[i], rows,
					  err);
		else
			rc = chunk_writer_add(leaves, columns[i], rows, err);
		if (rc)
			return rc;
	}
	encoder->row_count += rows->count;
	return 0;
}

size_t parquet_encoder_rows(const struct parquet_encoder *encoder)
{
	return encoder->row_count;
}

size_t parquet_encoder_bytes(const struct parquet_encoder *encoder)
{
	size_t bytes = 0;

	for (size_t i = 0; i < encoder->leaf_count; i++)
		bytes += chunk_writer_bytes(&encoder->leaves[i]);
	return bytes;
}

int parquet_encoder_finish(struct parquet_encoder *encoder,
			   struct encoded_row_group **out, struct error *err)
{
	size_t column_count = encoder->leaf_count;
	struct encoded_row_group *group;
	int rc = 0;

	*out = NULL;
	if (encoder->row_count == 0)
		return 0;
	group = mem_zalloc(sizeof(*group));
	if (!group)
		return error_set(err, ERROR_NO_MEMORY, "row group");
	group->column_count = column_count;
	group->row_count = encoder->row_count;
	group->chunks = mem_zalloc_array(column_count + 1,
					 sizeof(*group->chunks));
	if (!group->chunks)
		rc = error_set(err, ERROR_NO_MEMORY, "row group");
	for (size_t i = 0; i < column_count && !rc; i++)
		rc = chunk_writer_finish(&encoder->leaves[i],
					 &group->chunks[i], err);
	if (rc) {
		encoded_row_group_free(group);
		return rc;
	}
	encoder->row_count = 0;
	*out = group;
	return 0;
}

void encoded_row_group_free(struct encoded_row_group *group)
{
	if (!group)
		return;
	for (size_t i = 0; group->chunks && i < group->column_count; i++)
		encoded_chunk_release(&group->chunks[i]);
	mem_free(group->chunks);
	mem_free(group);
}

void encoded_row_group_drop_pages(struct encoded_row_group *group)
{
	for (size_t i = 0; i < group->column_count; i++) {
		text_release(&group->chunks[i].dictionary_page);
		text_release(&group->chunks[i].pages);
	}
}

size_t encoded_row_group_bytes(const struct encoded_row_group *group)
{
	size_t bytes = 0;

	for (size_t i = 0; i < group->column_count; i++)
		bytes += (size_t)group->chunks[i].metadata.compressed_bytes;
	return bytes;
}
