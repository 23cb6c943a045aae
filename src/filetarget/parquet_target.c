/*
 * parquet_target.c - a Parquet file that is merged into
 *
 * Why:    a file that others read as Parquet stays one, with its columns in
 *         their order and of their types.
 * How:    batches of the old file are copied into row groups of the new one,
 *         without deleted rows and with new values laid over old ones; rows
 *         to add are encoded as they come and put at the end.
 * Limits: all of the file is encoded again, with zstd; key-value pairs of the
 *         footer that others have put there are not kept. A file with types
 *         that we read but do not write is refused.
 */
#include "filetarget/file_target.h"
#include "filetarget/parquet_rows.h"

#define GROUP_ROWS 122880

static void encoder_options(struct parquet_options *out)
{
	parquet_options_init(out);
	out->created_by = "rowmerge version 0.1.0 (build 0)";
}

static int check_types(const struct file_target *target, struct error *err)
{
	const struct parquet_reader *reader = target->parquet;
	const struct parquet_node *root = parquet_root(reader);

	for (size_t i = 0; i < root->child_count; i++) {
		const struct parquet_node *node = &root->children[i];
		bool kept = node->readable;

		for (size_t l = 0; kept && l < node->leaf_count; l++)
			kept = parquet_leaf_is_kept(reader,
						    node->first_leaf + l);
		if (kept)
			continue;
		error_set(err, ERROR_NOT_SUPPORTED, "column %s of '%s' is of a "
			  "type that is not written, so the file cannot be "
			  "merged into", node->name, target->name);
		return error_field(err, node->name);
	}
	return 0;
}

static int add_columns(struct file_target *target, struct error *err)
{
	const struct parquet_node *root = parquet_root(target->parquet);
	int rc = 0;

	for (size_t i = 0; !rc && i < root->child_count; i++) {
		const struct parquet_node *node = &root->children[i];
		struct column_def def = {
			.name = (char *)node->name,
			.type = node->type,
			.field_id = node->field_id > 0 ? node->field_id : 0,
			.required = node->required,
		};

		rc = schema_add(&target->columns.schema, &def, err);
	}
	return rc;
}

static int parquet_open(struct file_target *target, struct error *err)
{
	struct input_file *file;
	int rc = input_file_open(&file, target->path, err);

	encoder_options(&target->parquet_options);
	if (rc)
		return rc;
	rc = parquet_reader_open(&target->parquet, file, err);
	if (rc) {
		input_file_close(file);
		return rc;
	}
	rc = check_types(target, err);
	return rc ? rc : add_columns(target, err);
}

static void parquet_close(struct file_target *target)
{
	parquet_reader_free(target->parquet);
	target->parquet = NULL;
}

static int parquet_rows_open(struct file_target *target,
			     struct batch_source **out, struct error *err)
{
	return parquet_rows_new(out, target->parquet, &target->columns.schema,
				err);
}

static int parquet_count(const struct file_target *target, uint64_t *out,
			 struct error *err)
{
	*out = parquet_row_count(target->parquet);
	return 0;
}

static uint64_t parquet_limit(const struct file_target *target)
{
	return parquet_row_count(target->parquet);
}

/* The rows added so far become a row group. */
static int finish_group(struct file_changes *changes, struct error *err)
{
	struct encoded_row_group *group = NULL;
	int rc = parquet_encoder_finish(changes->encoder, &group, err);

	if (rc || !group)
		return rc;
	if (!mem_grow((void **)&changes->groups, &changes->group_capacity,
		      changes->group_count, sizeof(*changes->groups))) {
		encoded_row_group_free(group);
		return error_set(err, ERROR_NO_MEMORY, "Parquet");
	}
	changes->groups[changes->group_count++] = group;
	changes->byte_count += encoded_row_group_bytes(group);
	return 0;
}

static int add_rows(struct file_target *target, struct file_changes *changes,
		    const struct change_page *page,
		    const struct selection *rows, struct error *err)
{
	int rc = 0;

	if (!changes->encoder)
		rc = parquet_encoder_new(&changes->encoder,
					 &target->columns.schema,
					 &target->parquet_options, err);
	if (!rc)
		rc = parquet_encoder_add(changes->encoder, page->columns, rows,
					 err);
	if (!rc && parquet_encoder_rows(changes->encoder) >= GROUP_ROWS)
		rc = finish_group(changes, err);
	return rc;
}

/* Copies of the new values of the updated rows. */
static int add_values(struct file_changes *changes,
		      const struct change_page *page,
		      const struct selection *rows, struct error *err)
{
	struct update_page *copy = mem_zalloc(sizeof(*copy));
	int rc = 0;

	if (!copy || !mem_grow((void **)&changes->pages,
			       &changes->page_capacity, changes->page_count,
			       sizeof(*changes->pages))) {
		mem_free(copy);
		return error_set(err, ERROR_NO_MEMORY, "Parquet");
	}
	arena_init(&copy->heap, 0);
	changes->pages[changes->page_count++] = copy;
	copy->columns = mem_zalloc_array(page->column_count + 1,
					 sizeof(*copy->columns));
	if (!copy->columns)
		return error_set(err, ERROR_NO_MEMORY, "Parquet");
	copy->column_count = page->column_count;
	for (size_t c = 0; !rc && c < page->column_count; c++) {
		vector_init(&copy->columns[c], page->columns[c]->type);
		if (!page->columns[c]->data)
			continue;
		rc = vector_append_selected(&copy->columns[c],
					    page->columns[c], rows,
					    &copy->heap, err);
		changes->byte_count += rows->count *
				       type_width(&page->columns[c]->type);
	}
	changes->byte_count += copy->heap.total_bytes;
	return rc;
}

static int add_updates(struct file_changes *changes,
		       const struct change_page *page,
		       const struct selection *rows, struct error *err)
{
	int rc = add_values(changes, page, rows, err);

	for (size_t i = 0; !rc && i < rows->count; i++) {
		struct row_update update = {
			.row = page->row_id[rows->rows[i]],
			.at = i,
			.page = (uint32_t)(changes->page_count - 1),
		};

		rc = file_changes_add_update(changes, &update, err);
	}
	return rc;
}

static int parquet_add_page(struct file_target *target,
			    struct file_changes *changes,
			    const struct change_page *page, struct error *err)
{
	uint32_t *list = mem_alloc_array(2 * page->row_count + 1,
					 sizeof(*list));
	struct selection updated = { list, 0 };
	struct selection added = { list + page->row_count, 0 };
	int rc = 0;

	if (!list)
		return error_set(err, ERROR_NO_MEMORY, "Parquet");
	for (size_t i = 0; i < page->row_count; i++) {
		if (page->operation[i] == OPERATION_UPDATE)
			list[updated.count++] = (uint32_t)i;
		else if (page->operation[i] == OPERATION_INSERT)
			list[page->row_count + added.count++] = (uint32_t)i;
	}
	if (updated.count)
		rc = add_updates(changes, page, &updated, err);
	if (!rc && added.count)
		rc = add_rows(target, changes, page, &added, err);
	mem_free(list);
	return rc;
}

static int parquet_finish_changes(struct file_target *target,
				  struct file_changes *changes,
				  struct error *err)
{
	return changes->encoder ? finish_group(changes, err) : 0;
}

/* The copy of a file. */
struct parquet_copy {
	const struct file_changes *changes;
	const struct schema *schema;
	struct parquet_options options;
	struct parquet_encoder *encoder;
	struct parquet_writer *writer;
	struct vector *overlaid;	/* per column */
	const struct vector **columns;
	size_t deleted;			/* next ones */
	size_t updated;
	uint32_t rows[BATCH_ROW_COUNT];
	uint32_t from[BATCH_ROW_COUNT];
};

static int write_group(struct parquet_copy *copy, struct error *err)
{
	struct encoded_row_group *group = NULL;
	int rc = parquet_encoder_finish(copy->encoder, &group, err);

	if (rc || !group)
		return rc;
	rc = parquet_writer_append(copy->writer, group, err);
	if (rc)
		encoded_row_group_free(group);
	return rc;
}

/* Lay the values of a run of updates of one page over a batch. */
static int overlay(struct parquet_copy *copy, const struct batch *batch,
		   const struct update_page *page, size_t count,
		   struct error *err)
{
	int rc = 0;

	for (size_t c = 0; !rc && c < batch->column_count; c++) {
		struct vector *to = &copy->overlaid[c];

		if (!page->columns[c].data)
			continue;
		if (copy->columns[c] != to) {
			vector_reset(to);
			vector_reference(to, copy->columns[c]);
			copy->columns[c] = to;
		}
		rc = vector_overlay(to, copy->rows, &page->columns[c],
				    copy->from, count, err);
	}
	return rc;
}

static int apply_updates(struct parquet_copy *copy, const struct batch *batch,
			 struct error *err)
{
	const struct file_changes *changes = copy->changes;
	uint64_t end = batch->first_row + batch->row_count;
	int rc = 0;

	while (!rc && copy->updated < changes->update_count &&
	       changes->updates[copy->updated].row < end) {
		uint32_t page = changes->updates[copy->updated].page;
		size_t n = 0;

		for (; copy->updated < changes->update_count; copy->updated++) {
			const struct row_update *update =
				&changes->updates[copy->updated];

			if (update->row >= end || update->page != page)
				break;
			copy->rows[n] = (uint32_t)(update->row -
						   batch->first_row);
			copy->from[n++] = (uint32_t)update->at;
		}
		rc = overlay(copy, batch, changes->pages[page], n, err);
	}
	return rc;
}

static int copy_batch(struct parquet_copy *copy, const struct batch *batch,
		      struct error *err)
{
	const struct file_changes *changes = copy->changes;
	struct selection left;
	size_t n = 0;
	int rc;

	for (size_t c = 0; c < batch->column_count; c++)
		copy->columns[c] = &batch->columns[c];
	rc = apply_updates(copy, batch, err);
	for (size_t i = 0; i < batch->row_count; i++) {
		if (copy->deleted < changes->deleted_count &&
		    changes->deleted[copy->deleted] == batch->first_row + i)
			copy->deleted++;
		else
			copy->rows[n++] = (uint32_t)i;
	}
	left.rows = copy->rows;
	left.count = n;
	if (!rc && n)
		rc = parquet_encoder_add(copy->encoder, copy->columns, &left,
					 err);
	if (!rc && parquet_encoder_rows(copy->encoder) >= GROUP_ROWS)
		rc = write_group(copy, err);
	return rc;
}

static int copy_rows(struct parquet_copy *copy, struct batch_source *rows,
		     struct error *err)
{
	struct batch_stream *stream = NULL;
	struct batch *batch;
	int rc = rows->stream_new(rows, &stream, err);

	while (!rc) {
		rc = interrupt_check(err);
		if (!rc)
			rc = batch_stream_next(stream, &batch, err);
		if (rc || !batch)
			break;
		rc = copy_batch(copy, batch, err);
	}
	batch_stream_free(stream);
	return rc ? rc : write_group(copy, err);
}

static int new_copy(struct parquet_copy *copy, struct output_file *out,
		    struct error *err)
{
	size_t count = copy->schema->column_count;
	int rc;

	encoder_options(&copy->options);
	copy->overlaid = mem_zalloc_array(count + 1, sizeof(*copy->overlaid));
	copy->columns = mem_zalloc_array(count + 1, sizeof(*copy->columns));
	if (!copy->overlaid || !copy->columns)
		return error_set(err, ERROR_NO_MEMORY, "Parquet");
	for (size_t c = 0; c < count; c++)
		vector_init(&copy->overlaid[c], copy->schema->columns[c].type);
	rc = parquet_encoder_new(&copy->encoder, copy->schema, &copy->options,
				 err);
	if (!rc)
		rc = parquet_writer_new(&copy->writer, out, copy->schema,
					&copy->options, err);
	return rc;
}

static void release_copy(struct parquet_copy *copy)
{
	for (size_t c = 0; copy->overlaid && c < copy->schema->column_count;
	     c++)
		vector_release(&copy->overlaid[c]);
	mem_free(copy->overlaid);
	mem_free(copy->columns);
	parquet_encoder_free(copy->encoder);
	parquet_writer_free(copy->writer);
}

static int parquet_rewrite(struct merge_handle *handle,
			   struct output_file *out, struct error *err)
{
	struct file_changes *changes = &handle->changes;
	struct file_target *target = handle->target;
	struct parquet_copy copy = { .changes = changes,
				     .schema = &target->columns.schema };
	struct batch_source *rows = NULL;
	int rc = new_copy(&copy, out, err);

	if (!rc)
		rc = parquet_rows_open(target, &rows, err);
	if (!rc)
		rc = copy_rows(&copy, rows, err);
	for (size_t i = 0; !rc && i < changes->group_count; i++) {
		rc = parquet_writer_append(copy.writer, changes->groups[i],
					   err);
		if (!rc)
			changes->groups[i] = NULL;	/* taken */
	}
	if (!rc)
		rc = parquet_writer_finish(copy.writer, err);
	batch_source_free(rows);
	release_copy(&copy);
	return rc;
}

const struct file_format parquet_format = {
	.open = parquet_open,
	.close = parquet_close,
	.rows_open = parquet_rows_open,
	.row_limit = parquet_limit,
	.row_count = parquet_count,
	.add_page = parquet_add_page,
	.finish_changes = parquet_finish_changes,
	.rewrite = parquet_rewrite,
};
