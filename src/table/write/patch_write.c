/*
 * patch_write.c - one file again, with new values in some columns
 *
 * Why:    rows stay where they are, so that only chunks with new values are
 *         decoded and encoded.
 * How:    threads take row groups in turn. For each, the updates of its rows
 *         are loaded; a column whose new values all equal the old ones is
 *         copied; the others are read, overlaid and encoded whole, deleted
 *         rows too, since they hold the places of those behind. Groups are
 *         appended in their order: who is early waits.
 *         With row lineage _row_id is made explicit, and the number of the
 *         last change is null in changed rows (the new file's own) and what
 *         it was before in all others.
 * Cost:   encoding of the changed chunks, at most one group a thread in
 *         memory; a read and a write of all other bytes.
 */
#include "table/write/patch_file.h"
#include <stdlib.h>

struct patch_worker {
	struct patch_file *file;
	struct update_set set;
	struct parquet_encoder **encoders;	/* per fresh column */
	struct vector values;
	struct vector stored;		/* lineage as the file has it */
	uint32_t *rows;			/* BATCH_ROW_COUNT each */
	uint32_t *from;
};

/* One column of one group on its way. */
struct fresh_task {
	struct patch_worker *worker;
	const struct fresh_column *fresh;
	size_t group;
	uint64_t first;		/* position of its first row */
	uint64_t row_count;
	struct chunk_reader *chunk;	/* both NULL = a constant */
	struct nested_reader *nested;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "rewrite of a file");
}

static int read_old(struct fresh_task *task, uint64_t at, size_t count,
		    struct vector *out, struct error *err)
{
	const struct column_def *def = &task->fresh->schema.columns[0];

	if (task->chunk)
		return chunk_reader_read(task->chunk, at, count, out, err);
	if (task->nested)
		return nested_reader_read(task->nested, at, count, out, err);
	if (!type_equal(&out->type, &def->type))
		vector_set_type(out, def->type);
	vector_reset(out);
	return vector_fill(out, &task->fresh->place.constant, count, err);
}

static int open_chunk(struct fresh_task *task, struct error *err)
{
	const struct fresh_column *fresh = task->fresh;

	task->chunk = NULL;
	task->nested = NULL;
	if (fresh->place.is_nested)
		return nested_reader_open(&task->nested,
					  task->worker->file->reader,
					  task->group, &fresh->place.nested,
					  err);
	if (!fresh->place.is_leaf)
		return 0;
	return chunk_reader_open(&task->chunk, task->worker->file->reader,
				 task->group, fresh->place.leaf,
				 &fresh->schema.columns[0].type, err);
}

/* Do rows from .. to - 1 of a view differ from what the file has? */
static int compare_rows(struct fresh_task *task,
			const struct update_view *view, size_t from,
			size_t to, bool *differs, struct error *err)
{
	struct patch_worker *worker = task->worker;
	uint64_t same[BITMAP_WORDS(BATCH_ROW_COUNT)] = { 0 };
	size_t count = to - from;
	int rc;

	for (size_t i = 0; i < count; i++) {
		worker->rows[i] = (uint32_t)(view->first +
					     view->offsets[from + i] -
					     task->first);
		worker->from[i] = (uint32_t)(from + i);
	}
	if (task->chunk)
		rc = chunk_reader_gather(task->chunk, 0, worker->rows, count,
					 &worker->values, err);
	else
		rc = nested_reader_gather(task->nested, 0, worker->rows,
					  count, &worker->values, err);
	if (rc)
		return rc;
	bits_set_range(same, 0, count);
	vector_and_identical(&worker->values, NULL,
			     &view->values[task->fresh->slot], worker->from,
			     count, same);
	*differs = bits_count(same, count) != count;
	return 0;
}

/* Does any updated value of the column in the group differ? */
static int find_difference(struct fresh_task *task, bool *differs,
			   struct error *err)
{
	const struct update_set *set = &task->worker->set;
	uint64_t end = task->first + task->row_count;
	int rc = 0;

	*differs = !task->chunk && !task->nested && set->count;
	for (size_t i = 0; !rc && !*differs && i < set->count; i++) {
		const struct update_view *view = &set->views[i];
		size_t from, to;

		if (!view->values[task->fresh->slot].data)
			continue;
		update_view_clip(view, task->first, end, &from, &to);
		while (!rc && !*differs && from < to) {
			size_t step = to - from < BATCH_ROW_COUNT
					      ? to - from : BATCH_ROW_COUNT;

			rc = compare_rows(task, view, from, from + step,
					  differs, err);
			from += step;
		}
	}
	return rc;
}

/* Does every row of the chunk have a value? */
static bool is_complete(const struct fresh_task *task)
{
	struct parquet_bounds bounds;

	parquet_chunk_bounds(task->worker->file->reader, task->group,
			     task->fresh->place.leaf,
			     &task->fresh->schema.columns[0].type, &bounds);
	return bounds.null_count == 0;
}

static int must_write(struct fresh_task *task, bool *out, struct error *err)
{
	const struct patch_file *file = task->worker->file;
	bool has_ids = file->file->entry->file.first_row_id >= 0;

	*out = true;
	if (task->fresh->writes_all)
		return 0;
	switch (task->fresh->kind) {
	case FRESH_VALUES:
		return find_difference(task, out, err);
	case FRESH_ROW_ID:
		*out = has_ids && !is_complete(task);
		break;
	case FRESH_LAST_UPDATED:
		*out = task->worker->set.count ||
		       (has_ids && !is_complete(task));
		break;
	}
	return 0;
}

/* worker->values = the row ids or last changes of rows, from what is stored
 * for them and from the file's entry. */
static int make_lineage(struct fresh_task *task, uint64_t at, size_t count,
			struct error *err)
{
	struct patch_worker *worker = task->worker;
	const struct manifest_entry *entry = worker->file->file->entry;
	struct literal null = literal_null(type_of(TYPE_BIGINT));
	int64_t first_id = entry->file.first_row_id;
	bool is_id = task->fresh->kind == FRESH_ROW_ID;
	struct update_target target = { .first = task->first + at,
					.count = count };
	struct vector *out = &worker->values;
	int rc = read_old(task, at, count, &worker->stored, err);

	if (!type_equal(&out->type, &null.type))
		vector_set_type(out, null.type);
	vector_reset(out);
	if (!rc)
		rc = vector_fill(out, &null, count, err);
	for (size_t i = 0; !rc && i < count; i++) {
		int64_t value = is_id ? first_id +
						(int64_t)(target.first + i)
				      : entry->sequence_number;
		bool is_null = vector_is_null(&worker->stored, i);

		if (is_null && first_id < 0)
			continue;	/* the commit gives it an id */
		vector_i64(out)[i] = is_null ? value
					     : vector_i64(&worker->stored)[i];
		bits_set(out->validity, i);
	}
	if (!rc && !is_id)
		update_set_clear(&worker->set, &target, out->validity);
	return rc;
}

static int make_values(struct fresh_task *task, uint64_t at, size_t count,
		       struct error *err)
{
	struct update_target target = { .first = task->first + at,
					.count = count };
	size_t hits;
	int rc;

	if (task->fresh->kind != FRESH_VALUES)
		return make_lineage(task, at, count, err);
	rc = read_old(task, at, count, &task->worker->values, err);
	if (!rc)
		rc = update_set_apply(&task->worker->set, task->fresh->slot,
				      &target, &task->worker->values, &hits,
				      err);
	return rc;
}

static int encode(struct fresh_task *task, struct parquet_encoder **encoder,
		  struct encoded_row_group **out, struct error *err)
{
	const struct vector *column = &task->worker->values;
	int rc = 0;

	if (!*encoder)
		rc = parquet_encoder_new(encoder, &task->fresh->schema,
					 &task->fresh->options, err);
	for (uint64_t at = 0; !rc && at < task->row_count;
	     at += BATCH_ROW_COUNT) {
		uint64_t left = task->row_count - at;
		size_t count = left < BATCH_ROW_COUNT ? (size_t)left
						      : BATCH_ROW_COUNT;
		struct selection all = selection_all(count);

		rc = interrupt_check(err);
		if (!rc)
			rc = make_values(task, at, count, err);
		if (!rc)
			rc = parquet_encoder_add(*encoder, &column, &all,
						 err);
	}
	return rc ? rc : parquet_encoder_finish(*encoder, out, err);
}

/* fresh: per column of the new file, NULL where the chunks are copied. */
static int encode_group(struct patch_worker *worker, size_t group,
			struct encoded_row_group **fresh, struct error *err)
{
	struct patch_file *file = worker->file;
	struct fresh_task task = { .worker = worker, .group = group };
	int rc;

	task.first = parquet_row_group_first(file->reader, group);
	task.row_count = parquet_row_group_rows(file->reader, group);
	if (!task.row_count)
		return 0;
	rc = update_set_load(&worker->set, &file->context->updates,
			     &file->context->update_columns, file->index,
			     task.first, task.first + task.row_count, err);
	for (size_t i = 0; !rc && i < file->fresh_count; i++) {
		bool needed = false;

		task.fresh = &file->fresh[i];
		rc = open_chunk(&task, err);
		if (!rc)
			rc = must_write(&task, &needed, err);
		if (!rc && needed)
			rc = encode(&task, &worker->encoders[i],
				    &fresh[task.fresh->column], err);
		chunk_reader_free(task.chunk);
		nested_reader_free(task.nested);
	}
	return rc;
}

/* Append the group when it is its turn. */
static int append_group(struct patch_file *file, size_t group,
			struct encoded_row_group **fresh, struct error *err)
{
	int rc = 0;

	pthread_mutex_lock(&file->lock);
	while (file->turn != group && !atomic_load(&file->failed))
		pthread_cond_wait(&file->turned, &file->lock);
	if (!atomic_load(&file->failed)) {
		rc = parquet_patch_group(file->patch, fresh, err);
		file->turn++;
		if (rc)
			atomic_store(&file->failed, true);
		if (!rc)
			memset(fresh, 0,
			       file->column_count * sizeof(*fresh));
		pthread_cond_broadcast(&file->turned);
	}
	pthread_mutex_unlock(&file->lock);
	return rc;
}

static void fail(struct patch_file *file)
{
	pthread_mutex_lock(&file->lock);
	atomic_store(&file->failed, true);
	pthread_cond_broadcast(&file->turned);
	pthread_mutex_unlock(&file->lock);
}

static int write_groups(struct patch_worker *worker,
			struct encoded_row_group **fresh, struct error *err)
{
	struct patch_file *file = worker->file;
	size_t count = parquet_row_group_count(file->reader);
	int rc = 0;

	while (!rc && !atomic_load(&file->failed)) {
		size_t group = atomic_fetch_add(&file->next_group, 1);

		if (group >= count)
			break;
		rc = encode_group(worker, group, fresh, err);
		if (!rc)
			rc = append_group(file, group, fresh, err);
		for (size_t i = 0; i < file->column_count; i++) {
			encoded_row_group_free(fresh[i]);
			fresh[i] = NULL;
		}
	}
	if (rc)
		fail(file);
	return rc;
}

static int work(void *argument, size_t index, struct error *err)
{
	struct patch_file *file = argument;
	struct patch_worker worker = { .file = file };
	struct encoded_row_group **fresh;
	int rc = 0;

	(void)index;
	update_set_init(&worker.set);
	vector_init(&worker.values, type_of(TYPE_BIGINT));
	vector_init(&worker.stored, type_of(TYPE_BIGINT));
	worker.encoders = mem_zalloc_array(file->fresh_count + 1,
					   sizeof(*worker.encoders));
	worker.rows = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint32_t));
	worker.from = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint32_t));
	fresh = mem_zalloc_array(file->column_count + 1, sizeof(*fresh));
	if (!worker.encoders || !worker.rows || !worker.from || !fresh) {
		rc = no_memory(err);
		fail(file);
	}
	if (!rc)
		rc = write_groups(&worker, fresh, err);
	for (size_t i = 0; worker.encoders && i < file->fresh_count; i++)
		parquet_encoder_free(worker.encoders[i]);
	mem_free(worker.encoders);
	mem_free(worker.rows);
	mem_free(worker.from);
	mem_free(fresh);
	vector_release(&worker.values);
	vector_release(&worker.stored);
	update_set_release(&worker.set);
	return rc;
}

/* Metrics of a column's leaves that were written anew, if only in part. */
static int add_fresh_metrics(struct patch_file *file, size_t column,
			     struct data_file *out, struct error *err)
{
	size_t count = parquet_patch_leaf_count(file->patch, column);
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++) {
		const struct column_metrics_mode *mode =
			&file->layout->metrics[file->metrics[column] + i];
		struct parquet_column_totals totals;

		rc = parquet_patch_totals(file->patch, column, i, &totals,
					  err);
		if (!rc)
			rc = file_metrics_column(
				&totals, mode, &file->arena,
				&out->metrics[out->metrics_count++], err);
	}
	return rc;
}

/* Metrics of a column's leaves: new ones, or the old file's. */
static int add_metrics(struct patch_file *file, size_t column,
		       struct data_file *out, struct error *err)
{
	const struct data_file *old = &file->file->entry->file;
	const struct parquet_top *top = file->columns[column].top;

	if (parquet_patch_is_fresh(file->patch, column))
		return add_fresh_metrics(file, column, out, err);
	for (size_t i = 0; top && i < top->leaf_count; i++) {
		const struct column_metrics *kept = data_file_metrics(
			old, parquet_leaf(file->reader,
					  top->first_leaf + i)->field_id);

		if (kept)
			out->metrics[out->metrics_count++] = *kept;
	}
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	const struct column_metrics *x = a, *y = b;

	return (x->field_id > y->field_id) - (x->field_id < y->field_id);
}

static int fill_metrics(struct patch_file *file, struct data_file *out,
			struct error *err)
{
	size_t most = file->layout->leaf_count +
		      parquet_leaf_count(file->reader);
	const int64_t *splits;
	int rc = 0;

	out->metrics = arena_zalloc_array(&file->arena, most + 1,
					  sizeof(*out->metrics));
	if (!out->metrics)
		return no_memory(err);
	for (size_t i = 0; !rc && i < file->column_count; i++)
		rc = add_metrics(file, i, out, err);
	qsort(out->metrics, out->metrics_count, sizeof(*out->metrics),
	      compare_ids);
	splits = parquet_patch_split_offsets(file->patch, &out->split_count);
	out->split_offsets = (int64_t *)splits;
	return rc;
}

/* The order that the rows still have; 0 = none. */
static int32_t kept_order(const struct patch_file *file)
{
	const struct table_metadata *metadata =
		file->context->options.metadata;
	int32_t id = file->file->entry->file.sort_order_id;
	const struct sort_order *order = NULL;

	for (size_t i = 0; i < metadata->sort_order_count; i++)
		if (metadata->sort_orders[i].order_id == id)
			order = &metadata->sort_orders[i];
	if (id <= 0 || !order)
		return 0;
	for (size_t f = 0; f < file->fresh_count; f++) {
		const struct fresh_column *fresh = &file->fresh[f];

		for (size_t i = 0; i < order->field_count; i++)
			if (column_has_field(&fresh->schema.columns[0],
					     order->fields[i].source_id) &&
			    parquet_patch_is_fresh(file->patch,
						   fresh->column))
				return 0;
	}
	return id;
}

static int finish(struct patch_file *file, struct fragments *out,
		  struct error *err)
{
	const struct data_file *old = &file->file->entry->file;
	struct fragment fragment = { .kind = FRAGMENT_ADD_DATA };
	struct data_file *data = &fragment.file;
	int rc = parquet_patch_finish(file->patch, err);

	data->format = FORMAT_PARQUET;
	data->spec_id = old->spec_id;
	data->path = file->uri;
	data->partition = old->partition;
	data->partition_count = old->partition_count;
	data->record_count = old->record_count;
	data->file_size = (int64_t)output_file_offset(file->output);
	data->sort_order_id = kept_order(file);
	data->first_row_id = -1;
	data->content_offset = data->content_size = -1;
	if (!rc)
		rc = fill_metrics(file, data, err);
	if (!rc)
		rc = add_fragment(out, &fragment, err);
	if (!rc)
		rc = remove_data_file(file->file, out, err);
	if (!rc)
		rc = output_file_close(file->output, false, err);
	return rc;
}

/* Of the file's own partition, below data/. */
static int choose_directory(struct patch_file *file, char **out,
			    struct error *err)
{
	const struct data_file *old = &file->file->entry->file;
	const struct partition_spec *spec = metadata_spec(
		file->context->options.metadata, old->spec_id);

	*out = (char *)"";
	if (!spec || spec->field_count != old->partition_count)
		return 0;
	return partition_path(spec, old->partition, &file->arena, out, err);
}

int patch_file_write(struct patch_file *file, size_t thread_count,
		     struct fragments *out, struct error *err)
{
	struct write_context *context = file->context;
	size_t groups = parquet_row_group_count(file->reader);
	struct parquet_patch_options options = {
		.reader = file->reader,
		.columns = file->columns,
		.column_count = file->column_count,
		.created_by = file->layout->parquet.created_by,
		.iceberg_schema = file->layout->iceberg_schema,
	};
	char *directory;
	int rc;

	rc = choose_directory(file, &directory, err);
	if (!rc)
		rc = write_context_create(context, directory, ".parquet",
					  &file->output, &file->uri, err);
	if (!rc)
		rc = parquet_patch_new(&file->patch, file->output, &options,
				       err);
	if (rc)
		return rc;
	if (thread_count > groups)
		thread_count = groups;
	if (thread_count > 1)
		rc = thread_run(thread_count, work, file, err);
	else
		rc = work(file, 0, err);
	if (!rc)
		rc = finish(file, out, err);
	if (rc)
		return rc;
	write_context_count(context, output_file_offset(file->output));
	write_context_count_kept(context,
				 parquet_patch_copied_bytes(file->patch),
				 parquet_patch_fresh_bytes(file->patch));
	return 0;
}
