#ifndef TESTS_UNIT_MODEL_TARGET_H
#define TESTS_UNIT_MODEL_TARGET_H
#include <pthread.h>
#include <stdio.h>
#include "plan/plan.h"

/*
 * A target in memory with columns k BIGINT, v BIGINT, t VARCHAR that several
 * threads scan and that takes changes as a table does. Row ids have holes
 * (rows deleted before). What a fetch or a batch gave is freed as soon as the
 * contract allows, so that a borrowed value that is used too long is seen.
 */
#define MODEL_COLUMNS 3
#define MODEL_ROW_LIMIT 6000
#define MODEL_GROUP_ROWS 700
#define MODEL_BATCH_ROWS 300

struct model_row {
	int64_t number[2];	/* k, v; INT64_MIN = NULL */
	char t[24];		/* "" = NULL */
};

struct model_change {
	int operation;
	uint64_t row_id;
	bool is_derived;
	bool has[MODEL_COLUMNS];	/* columns that the page had */
	struct model_row row;
};

struct model_target {
	struct target base;
	struct target_ops ops;
	struct schema schema;
	struct model_row rows[MODEL_ROW_LIMIT];
	bool is_gone[MODEL_ROW_LIMIT];
	size_t row_count;
	bool wanted[MODEL_COLUMNS];
	enum row_change_paradigm paradigm;
	size_t next_group;	/* atomic */
	struct model_change *changes;
	size_t change_count;
	size_t change_capacity;
	pthread_mutex_t lock;
	bool has_updated;	/* what merge_begin said of updated columns */
	bool updated[MODEL_COLUMNS];
	bool finished;
	bool aborted;
	int open_streams;	/* atomic */
	int open_sinks;		/* atomic */
	int unfinished_sinks;	/* atomic */
};

struct model_column {
	struct vector vector;
	struct arena heap;
};

struct model_stream {
	struct model_target *model;
	size_t next;		/* row */
	size_t end;
	struct target_batch out;
	struct model_column batch[MODEL_COLUMNS];
	struct model_column fetched[MODEL_COLUMNS];
	uint64_t row_ids[MODEL_BATCH_ROWS];
};

static void model_column_clear(struct model_target *model, size_t column,
			       struct model_column *out)
{
	vector_release(&out->vector);
	arena_release(&out->heap);
	vector_init(&out->vector, model->schema.columns[column].type);
	arena_init(&out->heap, 0);
}

static int model_put(struct model_target *model, size_t column,
		     const struct model_row *row, struct model_column *out,
		     struct error *e)
{
	struct literal value = literal_null(model->schema.columns[column].type);

	if (column < 2) {
		value.is_null = row->number[column] == INT64_MIN;
		value.value.int64 = row->number[column];
	} else {
		size_t length = strlen(row->t);
		char *copy = arena_strdup(&out->heap, row->t);

		if (!copy)
			return error_set(e, ERROR_NO_MEMORY, "model");
		value.is_null = length == 0;
		value.value.bytes = byte_view(copy, length);
	}
	return vector_append(&out->vector, &value, e);
}

static const char *model_name(const struct target *target)
{
	(void)target;
	return "model";
}

static const struct schema *model_schema(const struct target *target)
{
	return &((const struct model_target *)target)->schema;
}

static int model_row_id(struct target *target, struct row_id_column *out,
			struct error *e)
{
	(void)target;
	(void)e;
	out->name = "_row";
	return 0;
}

static int model_paradigm(struct target *target, enum statement_kind statement,
			  enum row_change_paradigm *out, struct error *e)
{
	(void)statement;
	(void)e;
	*out = ((struct model_target *)target)->paradigm;
	return 0;
}

static int model_begin(struct target *target,
		       const struct merge_begin_options *options,
		       struct merge_handle **out, struct error *e)
{
	struct model_target *model = (struct model_target *)target;

	(void)e;
	model->has_updated = options->updated_columns != NULL;
	if (model->has_updated)
		memcpy(model->updated, options->updated_columns,
		       sizeof(model->updated));
	*out = (struct merge_handle *)target;
	return 0;
}

static uint64_t model_limit(const struct merge_handle *handle)
{
	return ((const struct model_target *)handle)->row_count;
}

static int model_scan_new(struct merge_handle *handle,
			  const struct target_scan_request *request,
			  struct target_scan **out, struct error *e)
{
	struct model_target *model = (struct model_target *)handle;

	(void)e;
	memset(model->wanted, 0, sizeof(model->wanted));
	for (size_t i = 0; i < request->column_count; i++)
		model->wanted[request->columns[i]] = true;
	model->next_group = 0;
	*out = (struct target_scan *)handle;
	return 0;
}

static size_t model_parallelism(const struct target_scan *scan)
{
	(void)scan;
	return 4;
}

static int model_stream_new(struct target_scan *scan,
			    struct target_stream **out, struct error *e)
{
	struct model_target *model = (struct model_target *)scan;
	struct model_stream *stream = mem_zalloc(sizeof(*stream));
	int rc;

	*out = NULL;
	if (!stream)
		return error_set(e, ERROR_NO_MEMORY, "model");
	stream->model = model;
	rc = batch_init(&stream->out.batch, &model->schema, e);
	if (rc) {
		mem_free(stream);
		return rc;
	}
	__atomic_add_fetch(&model->open_streams, 1, __ATOMIC_RELAXED);
	*out = (struct target_stream *)stream;
	return 0;
}

static void model_drop(struct model_stream *stream)
{
	for (size_t c = 0; c < MODEL_COLUMNS; c++) {
		model_column_clear(stream->model, c, &stream->batch[c]);
		model_column_clear(stream->model, c, &stream->fetched[c]);
		vector_reset(&stream->out.batch.columns[c]);
	}
}

static int model_stream_next(struct target_stream *handle,
			     struct target_batch **out, struct error *e)
{
	struct model_stream *stream = (struct model_stream *)handle;
	struct model_target *model = stream->model;
	struct batch *batch = &stream->out.batch;
	size_t n = 0;

	*out = NULL;
	model_drop(stream);
	while (n == 0) {
		if (stream->next == stream->end) {
			size_t group = __atomic_fetch_add(&model->next_group,
							  1, __ATOMIC_RELAXED);

			stream->next = group * MODEL_GROUP_ROWS;
			if (stream->next >= model->row_count) {
				stream->next = stream->end;
				return 0;
			}
			stream->end = stream->next + MODEL_GROUP_ROWS;
			if (stream->end > model->row_count)
				stream->end = model->row_count;
			batch->unit = group;
		}
		for (; stream->next < stream->end && n < MODEL_BATCH_ROWS;
		     stream->next++)
			if (!model->is_gone[stream->next])
				stream->row_ids[n++] = stream->next;
	}
	for (size_t c = 0; c < MODEL_COLUMNS; c++) {
		for (size_t i = 0; model->wanted[c] && i < n; i++) {
			int rc = model_put(model, c,
					   &model->rows[stream->row_ids[i]],
					   &stream->batch[c], e);

			if (rc)
				return rc;
		}
		if (model->wanted[c])
			vector_reference(&batch->columns[c],
					 &stream->batch[c].vector);
	}
	batch->row_count = n;
	stream->out.row_ids = stream->row_ids;
	*out = &stream->out;
	return 0;
}

static int model_stream_fetch(struct target_stream *handle, size_t column,
			      const struct selection *rows,
			      struct vector *out, struct error *e)
{
	struct model_stream *stream = (struct model_stream *)handle;
	struct model_column *to = &stream->fetched[column];
	int rc = 0;

	model_column_clear(stream->model, column, to);
	for (size_t i = 0; !rc && i < rows->count; i++) {
		size_t row = selection_row(rows, i);

		ck_assert(i == 0 || row > selection_row(rows, i - 1));
		ck_assert_uint_lt(row, stream->out.batch.row_count);
		rc = model_put(stream->model, column,
			       &stream->model->rows[stream->row_ids[row]], to,
			       e);
	}
	if (!rc)
		vector_reference(out, &to->vector);
	return rc;
}

static void model_stream_free(struct target_stream *handle)
{
	struct model_stream *stream = (struct model_stream *)handle;

	model_drop(stream);
	__atomic_sub_fetch(&stream->model->open_streams, 1, __ATOMIC_RELAXED);
	batch_release(&stream->out.batch);
	mem_free(stream);
}

static void model_scan_stats(const struct target_scan *scan,
			     struct target_scan_stats *out)
{
	(void)scan;
	memset(out, 0, sizeof(*out));
}

static void model_scan_free(struct target_scan *scan)
{
	(void)scan;
}

struct model_sink {
	struct model_target *model;
	bool is_finished;
};

static int model_sink_new(struct merge_handle *handle, struct merge_sink **out,
			  struct error *e)
{
	struct model_sink *sink = mem_zalloc(sizeof(*sink));

	*out = (struct merge_sink *)sink;
	if (!sink)
		return error_set(e, ERROR_NO_MEMORY, "model");
	sink->model = (struct model_target *)handle;
	__atomic_add_fetch(&sink->model->open_sinks, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&sink->model->unfinished_sinks, 1,
			   __ATOMIC_RELAXED);
	return 0;
}

static void model_get(const struct vector *v, size_t i, size_t column,
		      struct model_row *row)
{
	bool is_null = !v->data || vector_is_null(v, i);

	if (column < 2) {
		row->number[column] = is_null ? INT64_MIN : vector_i64(v)[i];
		return;
	}
	row->t[0] = '\0';
	if (!is_null)
		snprintf(row->t, sizeof(row->t), "%.*s",
			 (int)vector_bytes(v)[i].length,
			 (const char *)vector_bytes(v)[i].data);
}

static int model_sink_store(struct merge_sink *handle,
			    const struct change_page *page, struct error *e)
{
	struct model_target *model = ((struct model_sink *)handle)->model;
	int rc = 0;

	pthread_mutex_lock(&model->lock);
	for (size_t i = 0; !rc && i < page->row_count; i++) {
		struct model_change *change;

		if (!mem_grow((void **)&model->changes,
			      &model->change_capacity, model->change_count,
			      sizeof(*change))) {
			rc = error_set(e, ERROR_NO_MEMORY, "model");
			break;
		}
		change = &model->changes[model->change_count++];
		memset(change, 0, sizeof(*change));
		change->operation = page->operation[i];
		change->row_id = page->row_id[i];
		change->is_derived = page->insert_from_update[i];
		for (size_t c = 0; c < MODEL_COLUMNS; c++) {
			change->has[c] = page->columns[c]->data != NULL;
			model_get(page->columns[c], i, c, &change->row);
		}
	}
	pthread_mutex_unlock(&model->lock);
	return rc;
}

static int model_sink_finish(struct merge_sink *sink, struct fragments *out,
			     struct error *e)
{
	char *item = mem_strdup("{}");
	int rc;

	if (!item)
		return error_set(e, ERROR_NO_MEMORY, "model");
	rc = fragments_add(out, item, e);
	if (rc)
		mem_free(item);
	((struct model_sink *)sink)->is_finished = true;
	__atomic_sub_fetch(&((struct model_sink *)sink)->model
				    ->unfinished_sinks, 1, __ATOMIC_RELAXED);
	return rc;
}

static void model_sink_free(struct merge_sink *handle)
{
	struct model_sink *sink = (struct model_sink *)handle;

	__atomic_sub_fetch(&sink->model->open_sinks, 1, __ATOMIC_RELAXED);
	mem_free(sink);
}

static int model_finish(struct merge_handle *handle,
			const struct fragments *fragments,
			const struct merge_finish_options *options,
			struct merge_outcome *out, struct error *e)
{
	struct model_target *model = (struct model_target *)handle;

	(void)fragments;
	(void)options;
	(void)e;
	ck_assert_int_eq(model->open_streams, 0);
	ck_assert_int_eq(model->open_sinks, 0);
	ck_assert_int_eq(model->unfinished_sinks, 0);
	model->finished = true;
	out->version_after = 1;
	return 0;
}

static void model_abort(struct merge_handle *handle)
{
	struct model_target *model = (struct model_target *)handle;

	ck_assert_int_eq(model->open_streams, 0);
	ck_assert_int_eq(model->open_sinks, 0);
	model->aborted = true;
}

static inline void model_target_init(struct model_target *model,
				     struct error *e)
{
	memset(model, 0, sizeof(*model));
	pthread_mutex_init(&model->lock, NULL);
	model->ops = (struct target_ops){
		.name = model_name, .schema = model_schema,
		.merge_row_id_column = model_row_id,
		.row_change_paradigm = model_paradigm,
		.merge_begin = model_begin, .row_id_limit = model_limit,
		.scan_new = model_scan_new,
		.scan_parallelism = model_parallelism,
		.stream_new = model_stream_new,
		.stream_next = model_stream_next,
		.stream_fetch = model_stream_fetch,
		.stream_free = model_stream_free,
		.scan_stats = model_scan_stats, .scan_free = model_scan_free,
		.sink_new = model_sink_new, .sink_store = model_sink_store,
		.sink_finish = model_sink_finish,
		.sink_free = model_sink_free,
		.merge_finish = model_finish, .merge_abort = model_abort,
	};
	model->base.ops = &model->ops;
	schema_init(&model->schema);
	schema_add_column(&model->schema, "k", type_of(TYPE_BIGINT), e);
	schema_add_column(&model->schema, "v", type_of(TYPE_BIGINT), e);
	schema_add_column(&model->schema, "t", type_of(TYPE_VARCHAR), e);
	ck_assert_int_eq(e->code, 0);
}

/* Forget the last run. */
static inline void model_target_reset(struct model_target *model)
{
	model->change_count = 0;
	model->finished = model->aborted = false;
	model->unfinished_sinks = 0;
}

static inline void model_target_release(struct model_target *model)
{
	schema_release(&model->schema);
	mem_free(model->changes);
	pthread_mutex_destroy(&model->lock);
}
#endif
