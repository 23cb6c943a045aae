/*
 * relocate_deletes.c - position deletes once more, with other paths
 *
 * Why:    a position delete file and the footer of a deletion vector name
 *         data files by their whole paths, so a table that was copied cannot
 *         keep them.
 * How:    a delete file is read and written batch by batch, each run of one
 *         path renamed once; a deletion vector is read and goes into a Puffin
 *         file of its own. Rows stay in their order, which is still that of
 *         the paths where all of them change their beginning alone.
 * Limits: the optional column `row` is left out.
 */
#include <inttypes.h>
#include "puffin/puffin.h"
#include "table/write/write_state.h"

struct relocation {
	struct write_context *context;
	const struct data_file *from;
	const struct path_renamer *renamer;
	struct arena *arena;		/* of what is handed out */
	struct arena paths;
	struct byte_view old_path;	/* of the last row */
	char *new_path;
	struct vector renamed;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "copy delete files");
}

static int rename_run(struct relocation *move, struct byte_view path,
		      struct error *err)
{
	char *before = move->new_path;
	char *text;
	int rc;

	if (before && byte_view_equal(path, move->old_path))
		return 0;
	text = arena_strndup(&move->paths, (const char *)path.data,
			     path.length);
	if (!text)
		return no_memory(err);
	rc = move->renamer->rename(move->renamer->context, text, &move->paths,
				   &move->new_path, err);
	if (rc)
		return rc;
	move->old_path = byte_view(text, path.length);
	if (before && strcmp(before, move->new_path) > 0)
		return error_set(err, ERROR_UNSUPPORTED, "position delete "
				 "file '%s' is about files in the table and "
				 "out of it", move->from->path);
	return 0;
}

/* The paths of a batch under their new names. */
static int rename_paths(struct relocation *move, const struct vector *paths,
			struct error *err)
{
	int rc = vector_reserve(&move->renamed, BATCH_ROW_COUNT, err);

	for (size_t i = 0; !rc && i < paths->count; i++) {
		if (vector_is_null(paths, i))
			return error_set(err, ERROR_CORRUPT, "position delete "
					 "file '%s' has a NULL",
					 move->from->path);
		rc = rename_run(move, vector_bytes(paths)[i], err);
		if (!rc)
			vector_bytes(&move->renamed)[i] = byte_view(
				move->new_path, strlen(move->new_path));
	}
	move->renamed.count = paths->count;
	return rc;
}

static int copy_group(struct relocation *move,
		      struct chunk_reader *const chunks[2], uint64_t rows,
		      struct parquet_encoder *encoder, struct error *err)
{
	const struct vector *columns[2];
	struct vector values[2];
	int rc = 0;

	vector_init(&values[0], type_of(TYPE_VARCHAR));
	vector_init(&values[1], type_of(TYPE_BIGINT));
	columns[0] = &move->renamed;
	columns[1] = &values[1];
	for (uint64_t at = 0; !rc && at < rows; at += BATCH_ROW_COUNT) {
		size_t n = rows - at < BATCH_ROW_COUNT ? (size_t)(rows - at)
						       : BATCH_ROW_COUNT;
		struct selection all = selection_all(n);

		rc = interrupt_check(err);
		for (int i = 0; !rc && i < 2; i++)
			rc = chunk_reader_read(chunks[i], at, n, &values[i],
					       err);
		if (!rc)
			rc = rename_paths(move, &values[0], err);
		if (!rc)
			rc = parquet_encoder_add(encoder, columns, &all, err);
	}
	vector_release(&values[0]);
	vector_release(&values[1]);
	return rc;
}

/* One row group of the old file as one of the new. */
static int move_group(struct relocation *move,
		      const struct parquet_reader *reader, size_t group,
		      struct parquet_encoder *encoder,
		      struct parquet_writer *writer, struct error *err)
{
	const struct type types[2] = { type_of(TYPE_VARCHAR),
				       type_of(TYPE_BIGINT) };
	struct chunk_reader *chunks[2] = { NULL, NULL };
	struct encoded_row_group *encoded = NULL;
	size_t leaves[2];
	int rc = position_delete_leaves(reader, leaves, err);

	for (int i = 0; !rc && i < 2; i++)
		rc = chunk_reader_open(&chunks[i], reader, group, leaves[i],
				       &types[i], err);
	if (!rc)
		rc = copy_group(move, chunks,
				parquet_row_group_rows(reader, group),
				encoder, err);
	if (!rc)
		rc = parquet_encoder_finish(encoder, &encoded, err);
	if (!rc && encoded)
		rc = parquet_writer_append(writer, encoded, err);
	if (rc && encoded)
		encoded_row_group_free(encoded);
	for (int i = 0; i < 2; i++)
		chunk_reader_free(chunks[i]);
	return rc;
}

static int move_groups(struct relocation *move,
		       const struct parquet_reader *reader,
		       struct output_file *file, struct data_file *out,
		       struct error *err)
{
	const struct file_layout *layout = &move->context->delete_layout;
	struct parquet_encoder *encoder = NULL;
	struct parquet_writer *writer = NULL;
	int rc;

	rc = parquet_encoder_new(&encoder, &layout->schema, &layout->parquet,
				 err);
	if (!rc)
		rc = parquet_writer_new(&writer, file, &layout->schema,
					&layout->parquet, err);
	for (size_t g = 0; !rc && g < parquet_row_group_count(reader); g++)
		rc = move_group(move, reader, g, encoder, writer, err);
	if (!rc && parquet_writer_rows(writer) !=
		   (uint64_t)move->from->record_count)
		rc = error_set(err, ERROR_CORRUPT, "delete file '%s' has "
			       "%" PRIu64 " rows, its manifest says %" PRId64,
			       parquet_reader_path(reader),
			       parquet_writer_rows(writer),
			       move->from->record_count);
	if (!rc)
		rc = parquet_writer_finish(writer, err);
	if (!rc)
		rc = file_metrics(writer, layout, move->arena, out, err);
	parquet_writer_free(writer);
	parquet_encoder_free(encoder);
	return rc;
}

static int move_positions(struct relocation *move, struct input_file *input,
			  struct output_file *file, struct data_file *out,
			  struct error *err)
{
	struct write_context *context = move->context;
	struct parquet_reader *reader;
	int rc = 0;

	if (!context->delete_layout_ready) {
		rc = delete_layout_init(&context->delete_layout,
					context->options.metadata,
					&context->arena, err);
		context->delete_layout_ready = rc == 0;
	}
	if (!rc)
		rc = parquet_reader_open(&reader, input, err);
	if (rc) {
		input_file_close(input);
		return rc;
	}
	rc = move_groups(move, reader, file, out, err);
	parquet_reader_free(reader);
	return rc;
}

static int move_vector(struct relocation *move, struct input_file *input,
		       struct output_file *file, struct data_file *out,
		       struct error *err)
{
	const struct data_file *from = move->from;
	struct puffin_writer *puffin = NULL;
	struct roaring64 *positions = NULL;
	struct puffin_blob blob;
	int rc = 0;

	if (from->content_offset < 0 || from->content_size < 0 ||
	    from->record_count < 0 || !from->referenced_data_file)
		rc = error_set(err, ERROR_CORRUPT, "deletion vector in '%s' "
			       "without its place or data file", from->path);
	if (!rc)
		rc = deletion_vector_read(&positions, input,
					  (uint64_t)from->content_offset,
					  (uint64_t)from->content_size,
					  (uint64_t)from->record_count, err);
	input_file_close(input);
	if (!rc)
		rc = puffin_writer_new(&puffin, file, "rowmerge", err);
	if (!rc)
		rc = puffin_writer_add_vector(puffin, positions,
					      out->referenced_data_file,
					      &blob, err);
	if (!rc)
		rc = puffin_writer_finish(puffin, err);
	if (!rc) {
		out->content_offset = (int64_t)blob.offset;
		out->content_size = (int64_t)blob.length;
	}
	puffin_writer_free(puffin);
	roaring64_free(positions);
	return rc;
}

static int move_content(struct relocation *move, const char *path,
			struct data_file *out, struct error *err)
{
	bool is_vector = move->from->format == FORMAT_PUFFIN;
	struct input_file *input;
	struct output_file *file;
	char *uri;
	int rc;

	rc = input_file_open(&input, path, err);
	if (rc)
		return rc;
	rc = write_context_create(move->context, "", is_vector
				  ? "-deletes.puffin" : "-deletes.parquet",
				  &file, &uri, err);
	if (rc) {
		input_file_close(input);
		return rc;
	}
	rc = (is_vector ? move_vector : move_positions)(move, input, file,
							out, err);
	if (!rc)
		rc = output_file_close(file, false, err);
	if (!rc) {
		out->file_size = (int64_t)output_file_offset(file);
		out->path = arena_strdup(move->arena, uri);
		write_context_count(move->context, (uint64_t)out->file_size);
		if (!out->path)
			rc = no_memory(err);
	}
	output_file_free(file);
	mem_free(uri);
	return rc;
}

int write_context_relocate(struct write_context *context,
			   const struct data_file *from, const char *path,
			   const struct path_renamer *renamer,
			   struct arena *arena, struct data_file *out,
			   struct error *err)
{
	struct relocation move = {
		.context = context,
		.from = from,
		.renamer = renamer,
		.arena = arena,
	};
	int rc = 0;

	*out = *from;
	out->metrics = NULL;
	out->metrics_count = 0;
	out->split_offsets = NULL;
	out->split_count = 0;
	if (from->referenced_data_file)
		rc = renamer->rename(renamer->context,
				     from->referenced_data_file, arena,
				     &out->referenced_data_file, err);
	if (rc)
		return rc;
	arena_init(&move.paths, 0);
	vector_init(&move.renamed, type_of(TYPE_VARCHAR));
	rc = move_content(&move, path, out, err);
	vector_release(&move.renamed);
	arena_release(&move.paths);
	return rc;
}
