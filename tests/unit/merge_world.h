#ifndef TESTS_UNIT_MERGE_WORLD_H
#define TESTS_UNIT_MERGE_WORLD_H
#include "unit/check_main.h"
#include "merge/merge.h"
#include "unit/expr_build.h"
#include "unit/model_target.h"

/*
 * A MERGE of rows in arrays: a source of many units into a model_target. A
 * test sets plan, clauses, options and the rows, and calls run(). Columns 0 to
 * 2 are the target's k, v and t, 3 to 5 the source's.
 */
#define SOURCE_LIMIT 4000
#define SOURCE_BATCH 250

static struct model_target model;
static struct merge_plan plan;
static struct merge_clause clauses[5];
static struct merge_key key;
static struct query_node source_node;
static struct merge_options options;
static struct merge_result result;
static struct model_row source[SOURCE_LIMIT];
static size_t source_count;
static uint64_t state;		/* of the random numbers */

/* ---- the source: units of SOURCE_BATCH rows, any stream takes any ---- */

struct model_source {
	struct batch_source base;
	size_t next;		/* atomic */
};

struct source_stream {
	struct batch_stream base;
	struct model_source *from;
	struct batch batch;
	uint64_t lines[SOURCE_BATCH];
};

static inline const struct schema *source_schema(const struct batch_source *s)
{
	(void)s;
	return &model.schema;
}

static inline size_t source_parallelism(const struct batch_source *s)
{
	(void)s;
	return 4;
}

static inline int source_next(struct batch_stream *handle, struct batch **out,
		       struct error *e)
{
	struct source_stream *self = (struct source_stream *)handle;
	size_t unit = __atomic_fetch_add(&self->from->next, 1,
					 __ATOMIC_RELAXED);
	size_t first = unit * SOURCE_BATCH, count = SOURCE_BATCH;
	struct batch *batch = &self->batch;

	*out = NULL;
	if (first >= source_count)
		return 0;
	if (source_count - first < count)
		count = source_count - first;
	batch_reset(batch);
	for (size_t i = 0; i < count; i++) {
		const struct model_row *row = &source[first + i];

		for (size_t c = 0; c < MODEL_COLUMNS; c++) {
			struct literal value = literal_null(
				model.schema.columns[c].type);
			int rc;

			value.is_null = c < 2 ? row->number[c] == INT64_MIN
					      : !row->t[0];
			if (c < 2)
				value.value.int64 = row->number[c];
			else
				value.value.bytes = byte_view(row->t,
							strlen(row->t));
			rc = vector_append(&batch->columns[c], &value, e);
			if (rc)
				return rc;
		}
		self->lines[i] = first + i + 2;
	}
	batch->row_count = count;
	batch->lines = self->lines;
	batch->origin = "s.csv";
	batch->unit = unit;
	batch->first_row = first;
	*out = batch;
	return 0;
}

static inline void source_stream_free(struct batch_stream *handle)
{
	batch_release(&((struct source_stream *)handle)->batch);
	mem_free(handle);
}

static inline int source_stream_new(struct batch_source *s,
				    struct batch_stream **out,
				    struct error *e)
{
	struct source_stream *stream = mem_zalloc(sizeof(*stream));
	int rc;

	*out = NULL;
	if (!stream)
		return error_set(e, ERROR_NO_MEMORY, "model");
	stream->base.next = source_next;
	stream->base.free = source_stream_free;
	stream->from = (struct model_source *)s;
	rc = batch_init(&stream->batch, &model.schema, e);
	if (rc) {
		mem_free(stream);
		return rc;
	}
	*out = &stream->base;
	return 0;
}

static inline void source_free(struct batch_source *s)
{
	mem_free(s);
}

static inline int open_source(void *context, const struct merge_plan *p,
		       struct batch_source **out, struct error *e)
{
	struct model_source *s = mem_zalloc(sizeof(*s));

	(void)context;
	(void)p;
	*out = NULL;
	if (!s)
		return error_set(e, ERROR_NO_MEMORY, "model");
	s->base.schema = source_schema;
	s->base.parallelism = source_parallelism;
	s->base.stream_new = source_stream_new;
	s->base.free = source_free;
	*out = &s->base;
	return 0;
}

/* ---- trees ---- */

static inline uint64_t random_below(uint64_t below)
{
	state = state * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return (state >> 33) % below;
}

static inline struct expr *column(size_t i)
{
	return expr_column(&arena, i,
			   model.schema.columns[i % MODEL_COLUMNS].type);
}

static inline struct expr *number(int64_t value)
{
	struct literal l = literal_null(type_of(TYPE_BIGINT));

	l.is_null = value == INT64_MIN;
	l.value.int64 = value;
	return expr_literal(&arena, &l);
}

/* ---- rows and runs ---- */

static inline void random_row(struct model_row *row, int64_t k)
{
	row->number[0] = random_below(40) ? k : INT64_MIN;
	row->number[1] = random_below(10) ? (int64_t)random_below(100)
					  : INT64_MIN;
	snprintf(row->t, sizeof(row->t), "%s%d",
		 random_below(2) ? "text that is long " : "",
		 (int)random_below(5));
	if (random_below(10) == 0)
		row->t[0] = '\0';
}

/* Source keys once each, unless `repeats`. */
static inline void fill_rows(size_t targets, size_t sources, bool repeats)
{
	size_t offset = random_below(targets + 1);

	model.row_count = targets;
	for (size_t i = 0; i < targets; i++) {
		random_row(&model.rows[i], (int64_t)(i * 7919 % targets));
		model.is_gone[i] = random_below(20) == 0;
	}
	source_count = sources;
	for (size_t i = 0; i < sources; i++) {
		random_row(&source[i], (int64_t)(offset + i));
		if (repeats && random_below(30) == 0)
			source[i].number[0] = (int64_t)(offset +
					random_below(i + 1));
	}
}

static inline void merge_world_init(void)
{
	error_init(&err);
	arena_init(&arena, 0);
	model_target_init(&model, &err);
	memset(&plan, 0, sizeof(plan));
	memset(&key, 0, sizeof(key));
	memset(clauses, 0, sizeof(clauses));
	memset(&options, 0, sizeof(options));
	memset(&result, 0, sizeof(result));
	memset(&source_node, 0, sizeof(source_node));
	source_node.kind = QUERY_VALUES;
	source_node.schema = &model.schema;
	key.target = column(0);
	key.source = column(MODEL_COLUMNS);
	plan.target = &model.base;
	plan.target_name = "model";
	plan.target_column_count = MODEL_COLUMNS;
	plan.source = &source_node;
	plan.source_column_count = MODEL_COLUMNS;
	plan.keys = &key;
	plan.key_count = 1;
	plan.clauses = clauses;
	options.source_open = open_source;
	options.spill_directory = "/tmp";
	options.allow_empty_source = true;
	source_count = 0;
}

static inline void merge_world_release(void)
{
	mem_fail_at(-1);
	merge_result_release(&result);
	model_target_release(&model);
	arena_release(&arena);
}

static inline int run(size_t threads, size_t memory)
{
	model_target_reset(&model);
	merge_result_release(&result);
	error_init(&err);
	options.thread_count = threads;
	options.memory_bytes = memory;
	return merge_run(&plan, &options, &result, &err);
}

/* A run for each allocation that fails, until none does. */
static inline void fail_each_allocation(int (*run_once)(size_t threads,
							size_t memory),
					size_t memory)
{
	bool failed = true;

	for (long n = 0; failed; n = next_fault(n + (n < 300 ? 0 : 12))) {
		int rc;

		mem_fail_at(n);
		rc = run_once(1, memory);
		mem_fail_at(-1);
		failed = rc != 0;
		if (failed)
			ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		ck_assert_int_eq(model.open_sinks, 0);
		ck_assert_int_eq(model.open_streams, 0);
		ck_assert_int_lt(n, 100000);
	}
}
#endif
