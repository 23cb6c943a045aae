/*
 * patch_plan.c - may a file keep most of its bytes?
 *
 * Why:    an UPDATE of one column costs that column where chunks can be
 *         copied, and the whole file where not.
 * How:    a file is written again as a whole when
 *         - it is not Parquet, has no field ids or was made by a writer whose
 *           chunks are not where they say,
 *         - equality deletes apply to it: they would not to a newer file,
 *         - a partition source of its spec is updated: rows may move,
 *         - it is cheaper. With B bytes in the file, U of them in chunks that
 *           an update reaches, and D of its R rows deleted, now or before,
 *           changing columns costs U + (B - U) / 16 + 2 D, and a kilobyte for
 *           a delete file, if there is one; rewriting costs B (R - D) / R: a
 *           copied byte is taken for a sixteenth of one that is decoded and
 *           encoded. So few deletes go into a delete file of the new file,
 *           and many end in a rewrite; that happens too when over a quarter
 *           of the rows is dead, which scans would pay for ever after.
 *         Otherwise each column of the file that the table still has is
 *         copied, and those that an update clause sets are written anew in
 *         the row groups where a value differs. A column that is stored in
 *         another way than we would (widened since, or new) cannot mix and
 *         is written anew in all groups, but only if it is updated at all.
 */
#include "table/write/patch_file.h"

#define COPY_SHARE 16
#define DELETE_ROW_BYTES 2
#define DELETE_FILE_BYTES 1024
#define DEAD_SHARE 4

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "rewrite of a file");
}

static int open_reader(struct patch_file *file, struct error *err)
{
	const struct snapshot_files *files = file->context->options.files;
	struct input_file *input;
	char *path;
	int rc;

	rc = files->resolver.resolve(files->resolver.context,
				     file->file->entry->file.path,
				     &file->arena, &path, err);
	if (!rc)
		rc = input_file_open(&input, path, err);
	if (rc)
		return rc;
	rc = parquet_reader_open(&file->reader, input, err);
	if (rc)
		input_file_close(input);
	return rc;
}

/* Is a source of the file's partition updated in it? */
static bool moves_rows(const struct patch_file *file)
{
	const struct write_context *context = file->context;
	const struct update_columns *slots = &context->update_columns;
	const struct partition_spec *spec =
		metadata_spec(context->options.metadata,
			      file->file->entry->file.spec_id);

	for (size_t k = 0; spec && k < slots->count; k++) {
		const struct column_def *column =
			&context->columns->columns[slots->columns[k]];

		for (size_t i = 0; i < spec->field_count; i++)
			if (column_has_field(column,
					     spec->fields[i].source_id) &&
			    spec->fields[i].transform.kind != TRANSFORM_VOID &&
			    update_map_has_slot(&context->updates,
						file->index, k))
				return true;
	}
	return false;
}

/* What the manifest alone says against it. */
static bool is_excluded(const struct patch_file *file)
{
	const struct data_file *data = &file->file->entry->file;

	if (data->format != FORMAT_PARQUET || file->context->rewrites_whole)
		return true;
	for (size_t i = 0; i < file->file->delete_count; i++)
		if (file->file->deletes[i]->file.content ==
		    CONTENT_EQUALITY_DELETES)
			return true;
	return moves_rows(file);
}

static const struct parquet_top *find_top(const struct patch_file *file,
					    int32_t field_id)
{
	for (size_t i = 0; i < file->top_count; i++)
		if (file->tops[i].field_id == field_id)
			return &file->tops[i];
	return NULL;
}

/* Which slot of the updates a layout column is; SIZE_MAX = none here. */
static size_t find_slot(const struct patch_file *file, size_t layout)
{
	const struct update_columns *slots = &file->context->update_columns;

	for (size_t k = 0; k < slots->count; k++)
		if (slots->columns[k] == layout)
			return update_map_has_slot(&file->context->updates,
						   file->index, k)
				       ? k : SIZE_MAX;
	return SIZE_MAX;
}

/* Make the column of the new file one that is written anew. */
static int add_fresh(struct patch_file *file, enum fresh_kind kind,
		     size_t slot, size_t layout, struct error *err)
{
	const struct column_def *def = &file->layout->schema.columns[layout];
	struct fresh_column *fresh = &file->fresh[file->fresh_count++];
	struct parquet_patch_column *column =
		&file->columns[file->column_count];
	struct column_def own = *def;
	bool required = false, fits = false;
	int rc = 0;

	schema_init(&fresh->schema);
	if (column->top)
		rc = parquet_top_fits(file->reader, column->top, def, &fits,
				      &required, err);
	fresh->kind = kind;
	fresh->slot = slot;
	fresh->column = file->column_count;
	fresh->layout = layout;
	fresh->writes_all = !fits;
	if (fits)
		own.required = required;
	if (!rc)
		rc = schema_add(&fresh->schema, &own, err);
	if (rc)
		return rc;
	fresh->options = file->layout->parquet;
	fresh->bloom = fresh->options.bloom_columns &&
		       fresh->options.bloom_columns[layout];
	fresh->options.bloom_columns = &fresh->bloom;
	fresh->options.sorting_count = 0;
	if (kind == FRESH_ROW_ID)	/* ascending: deltas are all alike */
		fresh->options.dictionary_byte_limit = 0;
	column->fresh = &fresh->schema;
	column->fresh_element = !fits;
	return table_file_column(file->context->options.files, file->reader,
				 &file->file->entry->file, def, &file->arena,
				 &fresh->place, err);
}

/* Lineage is materialised, unless the rows have none yet. */
static bool wants_lineage(const struct patch_file *file, size_t layout)
{
	size_t count = file->context->columns->column_count;

	return layout >= count &&
	       (file->file->entry->file.first_row_id >= 0 ||
		find_top(file, FIELD_ROW_LINEAGE_ID));
}

static int plan_column(struct patch_file *file, size_t layout,
		       size_t metrics, struct error *err)
{
	size_t count = file->context->columns->column_count;
	const struct column_def *def = &file->layout->schema.columns[layout];
	struct parquet_patch_column *column =
		&file->columns[file->column_count];
	size_t slot = layout < count ? find_slot(file, layout) : SIZE_MAX;
	int rc = 0;

	column->name = def->name;
	column->top = find_top(file, def->field_id);
	if (slot != SIZE_MAX)
		rc = add_fresh(file, FRESH_VALUES, slot, layout, err);
	else if (wants_lineage(file, layout))
		rc = add_fresh(file, layout == count ? FRESH_ROW_ID
						     : FRESH_LAST_UPDATED,
			       SIZE_MAX, layout, err);
	else if (!column->top)
		return 0;	/* it stays absent */
	file->metrics[file->column_count++] = metrics;
	return rc;
}

static int plan_columns(struct patch_file *file, struct error *err)
{
	struct write_context *context = file->context;
	int lane = context->has_lineage ? LANE_LINEAGE : LANE_PLAIN;
	size_t count, metrics = 0;
	int rc = write_context_layout(context, lane, err);

	if (rc)
		return rc;
	file->layout = &context->layouts[lane];
	count = file->layout->schema.column_count;
	file->columns = arena_zalloc_array(&file->arena, count + 1,
					   sizeof(*file->columns));
	file->metrics = arena_zalloc_array(&file->arena, count + 1,
					   sizeof(size_t));
	file->fresh = arena_zalloc_array(&file->arena, count + 1,
					 sizeof(*file->fresh));
	if (!file->columns || !file->metrics || !file->fresh)
		return no_memory(err);
	for (size_t i = 0; !rc && i < count; i++) {
		rc = plan_column(file, i, metrics, err);
		metrics += type_leaf_count(
			&file->layout->schema.columns[i].type);
	}
	return rc;
}

/* Rows that are deleted, now or before, at most. */
static int dead_rows(const struct patch_file *file, uint64_t *out,
		     bool *has_deletes, struct error *err)
{
	struct write_context *context = file->context;
	struct roaring64 *now, *old;
	int rc;

	*out = 0;
	rc = delete_map_set(&context->deletes, file->index, &now, err);
	if (!rc)
		rc = snapshot_file_deletes(context->options.files, file->file,
					   &old, err);
	if (rc)
		return rc;
	if (now)
		*out += roaring64_cardinality(now);
	if (old)
		*out += roaring64_cardinality(old);
	*has_deletes = now || old;
	roaring64_free(old);
	return 0;
}

/* Bytes of the chunks that are written anew, at most. */
static uint64_t reached_bytes(const struct patch_file *file)
{
	size_t groups = parquet_row_group_count(file->reader);
	uint64_t bytes = 0;

	for (size_t i = 0; i < file->fresh_count; i++) {
		const struct parquet_top *top =
			file->columns[file->fresh[i].column].top;

		for (size_t g = 0; top && g < groups; g++)
			bytes += parquet_top_bytes(file->reader, g, top);
	}
	return bytes;
}

static int weigh(const struct patch_file *file, enum patch_choice *choice,
		 struct error *err)
{
	uint64_t rows = parquet_row_count(file->reader), dead;
	double bytes = (double)file->file->entry->file.file_size;
	double reached = (double)reached_bytes(file), columns, whole;
	bool has_deletes;
	int rc = dead_rows(file, &dead, &has_deletes, err);

	if (rc || !rows || dead > rows / DEAD_SHARE)
		return rc;
	columns = reached + (bytes - reached) / COPY_SHARE +
		  (double)dead * DELETE_ROW_BYTES +
		  (has_deletes ? DELETE_FILE_BYTES : 0);
	whole = bytes * (double)(rows - dead) / (double)rows;
	if (columns <= whole)
		*choice = PATCH_COLUMNS;
	return 0;
}

static int choose(struct patch_file *file, enum patch_choice *choice,
		  struct error *err)
{
	const struct data_file *data = &file->file->entry->file;
	int rc;

	*choice = PATCH_WHOLE;
	if (is_excluded(file))
		return 0;
	rc = open_reader(file, err);
	if (rc)
		return rc;
	if (parquet_patch_refusal(file->reader) ||
	    parquet_row_count(file->reader) != (uint64_t)data->record_count)
		return 0;
	rc = parquet_tops(file->reader, &file->arena, &file->tops,
			   &file->top_count, err);
	if (!rc)
		rc = plan_columns(file, err);
	if (!rc)
		rc = weigh(file, choice, err);
	return rc;
}

int patch_file_open(struct patch_file *file, struct write_context *context,
		    size_t index, enum patch_choice *choice,
		    struct error *err)
{
	memset(file, 0, sizeof(*file));
	arena_init(&file->arena, 0);
	file->context = context;
	file->index = index;
	file->file = &context->options.files->files[index];
	pthread_mutex_init(&file->lock, NULL);
	pthread_cond_init(&file->turned, NULL);
	return choose(file, choice, err);
}

void patch_file_release(struct patch_file *file)
{
	for (size_t i = 0; i < file->fresh_count; i++)
		schema_release(&file->fresh[i].schema);
	parquet_patch_free(file->patch);
	output_file_free(file->output);
	mem_free(file->uri);
	parquet_reader_free(file->reader);
	pthread_cond_destroy(&file->turned);
	pthread_mutex_destroy(&file->lock);
	arena_release(&file->arena);
}
