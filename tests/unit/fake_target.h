#ifndef TESTS_UNIT_FAKE_TARGET_H
#define TESTS_UNIT_FAKE_TARGET_H
#include <stdio.h>
#include "plan/plan.h"

/*
 * A target in memory with columns k BIGINT, v BIGINT: for tests of the engine
 * alone. It gives its rows in one batch (v only when fetched), records the
 * order of calls and every change row, and applies nothing.
 */
#define FAKE_ROW_LIMIT 4096
struct fake_target {
	struct target base;
	struct target_ops ops;
	struct schema schema;
	int64_t k[FAKE_ROW_LIMIT];
	int64_t v[FAKE_ROW_LIMIT];
	size_t row_count;
	enum row_change_paradigm paradigm;
	size_t insert_columns[2];
	size_t insert_column_count;
	size_t update_columns[2];
	size_t update_column_count;
	char calls[4096];	/* "schema;begin;..." without schema */
	struct text changes;	/* "op case row_id k v derived;" a row */
	size_t fetches;		/* of v */
	bool wants_v;		/* the scan asked for v */
	uint64_t unit;		/* of its batch */
	uint64_t last_unit;	/* of the last page */
	bool units_go_down;	/* a page came with a smaller one */
	bool finished;
	bool aborted;
};

struct fake_stream {
	struct fake_target *fake;
	bool given;
	struct target_batch batch;
	uint64_t row_ids[FAKE_ROW_LIMIT];
	struct vector fetched;
};

static inline void fake_call(struct fake_target *fake, const char *name)
{
	size_t length = strlen(fake->calls);

	snprintf(fake->calls + length, sizeof(fake->calls) - length, "%s;",
		 name);
}

static const char *fake_name(const struct target *target)
{
	(void)target;
	return "fake";
}

static const struct schema *fake_schema(const struct target *target)
{
	return &((const struct fake_target *)target)->schema;
}

static int fake_row_id(struct target *target, struct row_id_column *out,
		       struct error *err)
{
	(void)err;
	fake_call((struct fake_target *)target, "row_id");
	out->name = "_row";
	out->has_lineage = false;
	return 0;
}

static int fake_paradigm(struct target *target, enum statement_kind statement,
			 enum row_change_paradigm *out, struct error *err)
{
	(void)statement;
	(void)err;
	fake_call((struct fake_target *)target, "paradigm");
	*out = ((struct fake_target *)target)->paradigm;
	return 0;
}

static int fake_insert_layout(struct target *target, struct write_layout *out,
			      struct error *err)
{
	struct fake_target *fake = (struct fake_target *)target;

	(void)err;
	out->columns = fake->insert_columns;
	out->column_count = fake->insert_column_count;
	out->function = "bucket";
	return 0;
}

static int fake_update_layout(struct target *target, struct write_layout *out,
			      struct error *err)
{
	struct fake_target *fake = (struct fake_target *)target;

	(void)err;
	out->columns = fake->update_columns;
	out->column_count = fake->update_column_count;
	out->function = "bucket";
	return 0;
}

static int fake_begin(struct target *target,
		      const struct merge_begin_options *options,
		      struct merge_handle **out, struct error *err)
{
	(void)options;
	(void)err;
	fake_call((struct fake_target *)target, "begin");
	*out = (struct merge_handle *)target;
	return 0;
}

static uint64_t fake_limit(const struct merge_handle *handle)
{
	return ((const struct fake_target *)handle)->row_count;
}

static int fake_scan_new(struct merge_handle *handle,
			 const struct target_scan_request *request,
			 struct target_scan **out, struct error *err)
{
	struct fake_target *fake = (struct fake_target *)handle;

	(void)err;
	fake_call(fake, "scan");
	fake->wants_v = false;
	for (size_t i = 0; i < request->column_count; i++)
		fake->wants_v |= request->columns[i] == 1;
	*out = (struct target_scan *)handle;
	return 0;
}

static size_t fake_parallelism(const struct target_scan *scan)
{
	(void)scan;
	return 1;
}

static int fake_stream_new(struct target_scan *scan,
			   struct target_stream **out, struct error *err)
{
	struct fake_stream *stream = mem_zalloc(sizeof(*stream));
	int rc;

	stream->fake = (struct fake_target *)scan;
	rc = batch_init(&stream->batch.batch, &stream->fake->schema, err);
	vector_init(&stream->fetched, type_of(TYPE_BIGINT));
	*out = (struct target_stream *)stream;
	return rc;
}

static int fake_stream_next(struct target_stream *handle,
			    struct target_batch **out, struct error *err)
{
	struct fake_stream *stream = (struct fake_stream *)handle;
	struct fake_target *fake = stream->fake;
	int rc;

	*out = NULL;
	if (stream->given || fake->row_count == 0)
		return 0;
	stream->given = true;
	rc = vector_reserve(&stream->batch.batch.columns[0], fake->row_count,
			    err);
	if (rc)
		return rc;
	memcpy(stream->batch.batch.columns[0].data, fake->k,
	       fake->row_count * sizeof(int64_t));
	stream->batch.batch.columns[0].count = fake->row_count;
	if (fake->wants_v) {
		rc = vector_reserve(&stream->batch.batch.columns[1],
				    fake->row_count, err);
		if (rc)
			return rc;
		memcpy(stream->batch.batch.columns[1].data, fake->v,
		       fake->row_count * sizeof(int64_t));
		stream->batch.batch.columns[1].count = fake->row_count;
	}
	stream->batch.batch.row_count = fake->row_count;
	for (size_t i = 0; i < fake->row_count; i++)
		stream->row_ids[i] = i;
	stream->batch.row_ids = stream->row_ids;
	stream->batch.batch.unit = fake->unit;
	*out = &stream->batch;
	return 0;
}

static int fake_stream_fetch(struct target_stream *handle, size_t column,
			     const struct selection *rows, struct vector *out,
			     struct error *err)
{
	struct fake_stream *stream = (struct fake_stream *)handle;
	int rc;

	stream->fake->fetches++;
	ck_assert_uint_eq(column, 1);
	vector_reset(out);
	rc = vector_reserve(out, rows->count + 1, err);
	for (size_t i = 0; !rc && i < rows->count; i++)
		vector_i64(out)[i] = stream->fake->v[selection_row(rows, i)];
	out->count = rows->count;
	return rc;
}

static void fake_stream_free(struct target_stream *handle)
{
	struct fake_stream *stream = (struct fake_stream *)handle;

	batch_release(&stream->batch.batch);
	vector_release(&stream->fetched);
	mem_free(stream);
}

static void fake_scan_stats(const struct target_scan *scan,
			    struct target_scan_stats *out)
{
	(void)scan;
	memset(out, 0, sizeof(*out));
}

static void fake_scan_free(struct target_scan *scan)
{
	(void)scan;
}

static int fake_sink_new(struct merge_handle *handle, struct merge_sink **out,
			 struct error *err)
{
	(void)err;
	fake_call((struct fake_target *)handle, "sink");
	*out = (struct merge_sink *)handle;
	return 0;
}

static void fake_add_value(struct text *out, const struct vector *v, size_t i)
{
	if (!v->data || vector_is_null(v, i))
		text_add_str(out, " -");
	else
		text_addf(out, " %lld", (long long)vector_i64(v)[i]);
}

static int fake_sink_store(struct merge_sink *sink,
			   const struct change_page *page, struct error *err)
{
	struct fake_target *fake = (struct fake_target *)sink;

	(void)err;
	fake->units_go_down |= page->unit < fake->last_unit;
	fake->last_unit = page->unit;
	for (size_t i = 0; i < page->row_count; i++) {
		text_addf(&fake->changes, "%d %d ", page->operation[i],
			  page->case_number[i]);
		if (page->row_id[i] == ROW_ID_NONE)
			text_add_str(&fake->changes, "-");
		else
			text_addf(&fake->changes, "%llu",
				  (unsigned long long)page->row_id[i]);
		fake_add_value(&fake->changes, page->columns[0], i);
		fake_add_value(&fake->changes, page->columns[1], i);
		text_addf(&fake->changes, " %d;",
			  page->insert_from_update[i]);
	}
	return 0;
}

static int fake_sink_finish(struct merge_sink *sink, struct fragments *out,
			    struct error *err)
{
	fake_call((struct fake_target *)sink, "sink_finish");
	return fragments_add(out, mem_strdup("{}"), err);
}

static void fake_sink_free(struct merge_sink *sink)
{
	(void)sink;
}

static int fake_finish(struct merge_handle *handle,
		       const struct fragments *fragments,
		       const struct merge_finish_options *options,
		       struct merge_outcome *out, struct error *err)
{
	struct fake_target *fake = (struct fake_target *)handle;

	(void)options;
	(void)err;
	fake_call(fake, "finish");
	fake->finished = true;
	out->version_before = 1;
	out->version_after = fragments->count ? 2 : 1;
	return 0;
}

static void fake_abort(struct merge_handle *handle)
{
	fake_call((struct fake_target *)handle, "abort");
	((struct fake_target *)handle)->aborted = true;
}

static inline void fake_target_init(struct fake_target *fake,
				    struct error *err)
{
	memset(fake, 0, sizeof(*fake));
	fake->ops = (struct target_ops){
		.name = fake_name, .schema = fake_schema,
		.merge_row_id_column = fake_row_id,
		.row_change_paradigm = fake_paradigm,
		.insert_layout = fake_insert_layout,
		.update_layout = fake_update_layout,
		.merge_begin = fake_begin, .row_id_limit = fake_limit,
		.scan_new = fake_scan_new,
		.scan_parallelism = fake_parallelism,
		.stream_new = fake_stream_new,
		.stream_next = fake_stream_next,
		.stream_fetch = fake_stream_fetch,
		.stream_free = fake_stream_free,
		.scan_stats = fake_scan_stats, .scan_free = fake_scan_free,
		.sink_new = fake_sink_new, .sink_store = fake_sink_store,
		.sink_finish = fake_sink_finish, .sink_free = fake_sink_free,
		.merge_finish = fake_finish, .merge_abort = fake_abort,
	};
	fake->base.ops = &fake->ops;
	schema_init(&fake->schema);
	ck_assert_int_eq(schema_add_column(&fake->schema, "k",
					   type_of(TYPE_BIGINT), err), 0);
	ck_assert_int_eq(schema_add_column(&fake->schema, "v",
					   type_of(TYPE_BIGINT), err), 0);
}

static inline void fake_target_release(struct fake_target *fake)
{
	schema_release(&fake->schema);
	text_release(&fake->changes);
}

static inline void fake_target_add(struct fake_target *fake, int64_t k,
				   int64_t v)
{
	fake->k[fake->row_count] = k;
	fake->v[fake->row_count++] = v;
}
#endif
