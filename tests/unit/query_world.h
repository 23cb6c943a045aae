#ifndef TESTS_UNIT_QUERY_WORLD_H
#define TESTS_UNIT_QUERY_WORLD_H
/*
 * Small tables of whole numbers (some NULL) for tests of query operators. A
 * column shows its numbers as values of one of several types, in the same
 * order, so that a model may work with plain numbers. Sources give batches of
 * odd sizes in several units; results come back as rows of numbers.
 */
#include <stdio.h>
#include "unit/expr_build.h"
#include "query/query.h"

#define WORLD_COLUMNS 16
#define WORLD_NULL INT64_MIN
#define WORLD_BATCH 97
#define WORLD_UNIT (3 * WORLD_BATCH)

struct world_row {
	int64_t v[WORLD_COLUMNS];
	uint64_t line;
};

struct world_rows {
	struct world_row *rows;
	size_t count;
	size_t capacity;
	size_t columns;
};

struct world_table {
	struct relation base;
	struct world_rows data;
	struct schema schema;
	char name[16];
};

struct world_source {
	struct batch_source base;
	struct world_table *table;
	bool wanted[WORLD_COLUMNS];
	size_t next_unit;	/* atomic */
};

struct world_stream {
	struct batch_stream base;
	struct world_source *source;
	struct batch batch;
	uint64_t lines[WORLD_BATCH];
	size_t at;
	size_t end;
};

static struct query_options options;
static uint64_t world_seed;

static inline uint64_t draw(uint64_t below)
{
	world_seed = world_seed * UINT64_C(6364136223846793005) + 1442695;
	return hash_word(world_seed) % below;
}

static inline struct type world_type(unsigned kind)
{
	static const enum type_id ids[] = {
		TYPE_BIGINT, TYPE_INTEGER, TYPE_VARCHAR, TYPE_DOUBLE
	};

	return kind == 4 ? type_decimal(30, 0) : type_of(ids[kind]);
}

static inline int put_value(struct vector *to, int64_t value,
			    struct arena *heap, struct error *e)
{
	struct literal out = literal_null(to->type);
	char *text;

	if (value != WORLD_NULL) {
		out.is_null = false;
		switch (to->type.id) {
		case TYPE_INTEGER:
			out.value.int32 = (int32_t)value;
			break;
		case TYPE_VARCHAR:
			text = arena_printf(heap, "%04d%.*s",
					    (int)value + 1000,
					    (int)(value & 7), "xxxxxxx");
			if (!text)
				return error_set(e, ERROR_NO_MEMORY, "text");
			out.value.bytes = byte_view(text, strlen(text));
			break;
		case TYPE_DOUBLE:
			out.value.real64 = (double)value / 2;
			break;
		case TYPE_DECIMAL:
			out.value.decimal = value;
			break;
		default:
			out.value.int64 = value;
			break;
		}
	}
	return vector_append(to, &out, e);
}

static inline int64_t take_value(const struct vector *from, size_t i)
{
	char digits[5] = "";

	if (!from->data)
		return -77777;	/* not asked for */
	if (vector_is_null(from, i))
		return WORLD_NULL;
	switch (from->type.id) {
	case TYPE_BOOLEAN:
		return vector_bool(from)[i];
	case TYPE_INTEGER:
		return vector_i32(from)[i];
	case TYPE_VARCHAR:
		memcpy(digits, vector_bytes(from)[i].data, 4);
		return atoi(digits) - 1000;
	case TYPE_DOUBLE:
		return (int64_t)(vector_f64(from)[i] * 2);
	case TYPE_DECIMAL:
		return (int64_t)vector_decimal(from, i);
	default:
		return vector_i64(from)[i];
	}
}

static inline const struct schema *
world_schema_of(const struct batch_source *s)
{
	return &((const struct world_source *)s)->table->schema;
}

static inline size_t world_parallelism(const struct batch_source *s)
{
	(void)s;
	return 8;
}

static inline int world_next(struct batch_stream *stream, struct batch **out,
			     struct error *e)
{
	struct world_stream *self = (struct world_stream *)stream;
	struct world_rows *data = &self->source->table->data;
	struct batch *batch = &self->batch;
	size_t count;

	*out = NULL;
	if (self->at == self->end) {
		self->at = __atomic_fetch_add(&self->source->next_unit, 1,
					      __ATOMIC_RELAXED) * WORLD_UNIT;
		if (self->at >= data->count) {
			self->at = self->end;
			return 0;
		}
		self->end = self->at + WORLD_UNIT;
		self->end = self->end < data->count ? self->end : data->count;
	}
	batch_reset(batch);
	count = self->end - self->at;
	count = count < WORLD_BATCH ? count : WORLD_BATCH;
	for (size_t c = 0; c < batch->column_count; c++)
		for (size_t i = 0; self->source->wanted[c] && i < count; i++) {
			int rc = put_value(&batch->columns[c],
					   data->rows[self->at + i].v[c],
					   &batch->heap, e);

			if (rc)
				return rc;
		}
	for (size_t i = 0; i < count; i++)
		self->lines[i] = data->rows[self->at + i].line;
	batch->row_count = count;
	batch->lines = self->lines;
	batch->origin = self->source->table->name;
	batch->first_row = self->at;
	batch->unit = self->at / WORLD_UNIT;
	self->at += count;
	*out = batch;
	return 0;
}

static inline void world_stream_free(struct batch_stream *stream)
{
	batch_release(&((struct world_stream *)stream)->batch);
	mem_free(stream);
}

static inline int world_stream_new(struct batch_source *s,
				   struct batch_stream **out, struct error *e)
{
	struct world_stream *stream = mem_zalloc(sizeof(*stream));

	*out = NULL;
	if (!stream)
		return error_set(e, ERROR_NO_MEMORY, "world");
	stream->base.next = world_next;
	stream->base.free = world_stream_free;
	stream->source = (struct world_source *)s;
	if (batch_init(&stream->batch, &stream->source->table->schema, e)) {
		mem_free(stream);
		return e->code;
	}
	*out = &stream->base;
	return 0;
}

static inline void world_free(struct batch_source *s)
{
	mem_free(s);
}

static inline int world_open(struct relation *relation, const bool *wanted,
			     const struct column_range *ranges,
			     size_t range_count, struct batch_source **out,
			     struct error *e)
{
	struct world_source *s = mem_zalloc(sizeof(*s));

	(void)ranges;
	(void)range_count;
	*out = NULL;
	if (!s)
		return error_set(e, ERROR_NO_MEMORY, "world");
	s->base.schema = world_schema_of;
	s->base.parallelism = world_parallelism;
	s->base.stream_new = world_stream_new;
	s->base.free = world_free;
	s->table = (struct world_table *)relation;
	for (size_t i = 0; i < s->table->data.columns; i++)
		s->wanted[i] = !wanted || wanted[i];
	*out = &s->base;
	return 0;
}

static inline void world_setup(void)
{
	expr_setup();
	memset(&options, 0, sizeof(options));
	options.thread_count = 1;
	world_seed = 1;
}

static inline struct world_row *rows_add(struct world_rows *rows)
{
	if (rows->count == rows->capacity) {
		rows->capacity = rows->capacity ? 2 * rows->capacity : 64;
		rows->rows = realloc(rows->rows, rows->capacity *
						 sizeof(*rows->rows));
		ck_assert_ptr_nonnull(rows->rows);
	}
	memset(&rows->rows[rows->count], 0, sizeof(*rows->rows));
	return &rows->rows[rows->count++];
}

static inline void rows_release(struct world_rows *rows)
{
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}

static inline struct schema *world_schema(const struct type *types,
					  size_t count)
{
	struct schema *schema = arena_zalloc(&arena, sizeof(*schema));
	char name[8];

	schema_init(schema);
	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "c%zu", i);
		ck_ok(schema_add_column(schema, name, types[i], &err));
	}
	return schema;
}

/* count rows; column c of kind kinds[c], with numbers below range[c], or all
 * different if that is 0; every tenth NULL where nulls. */
static inline void world_fill(struct world_table *table, size_t count,
			      const unsigned *kinds, const uint64_t *range,
			      size_t columns, bool nulls)
{
	memset(table, 0, sizeof(*table));
	table->base.source_open = world_open;
	table->data.columns = columns;
	snprintf(table->name, sizeof(table->name), "t%u.csv",
		 (unsigned)draw(1000));
	schema_init(&table->schema);
	for (size_t c = 0; c < columns; c++)
		ck_ok(schema_add_column(&table->schema, "c",
					world_type(kinds[c]), &err));
	for (size_t i = 0; i < count; i++) {
		struct world_row *row = rows_add(&table->data);

		row->line = i + 2;
		for (size_t c = 0; c < columns; c++)
			row->v[c] = nulls && range[c] && draw(10) == 0
				? WORLD_NULL
				: range[c] ? (int64_t)draw(range[c]) -
						     (int64_t)range[c] / 3
					   : (int64_t)i;
	}
}

static inline void world_table_release(struct world_table *table)
{
	rows_release(&table->data);
	schema_release(&table->schema);
}

static inline struct query_node *node_of(enum query_kind kind,
					 struct schema *schema,
					 struct query_node *a,
					 struct query_node *b)
{
	struct query_node *node = arena_zalloc(&arena, sizeof(*node));

	node->kind = kind;
	node->schema = schema;
	node->inputs = arena_zalloc_array(&arena, 2, sizeof(*node->inputs));
	node->inputs[0] = a;
	node->inputs[1] = b;
	node->input_count = (size_t)(a != NULL) + (b != NULL);
	node->limit = UINT64_MAX;
	return node;
}

static inline struct query_node *scan_of(struct world_table *table)
{
	struct query_node *node = node_of(QUERY_SCAN, &table->schema, NULL,
					  NULL);

	node->relation = &table->base;
	return node;
}

static inline struct expr *column_of(const struct world_table *table,
				     size_t column)
{
	return expr_column(&arena, column,
			   table->schema.columns[column].type);
}

struct world_run {
	struct batch_source *source;
	struct world_rows parts[8];
	size_t columns;
};

static inline int world_drain(void *context, size_t worker, struct error *e)
{
	struct world_run *run = context;
	struct world_rows *out = &run->parts[worker];
	struct batch_stream *stream;
	struct batch *batch = NULL;
	int rc = run->source->stream_new(run->source, &stream, e);

	if (rc)
		return rc;
	while (!(rc = batch_stream_next(stream, &batch, e)) && batch) {
		if (batch->row_count > BATCH_ROW_COUNT)
			abort();
		for (size_t i = 0; i < batch->row_count; i++) {
			struct world_row *row = rows_add(out);

			row->line = batch->lines ? batch->lines[i] : 0;
			for (size_t c = 0; c < run->columns; c++)
				row->v[c] = take_value(&batch->columns[c], i);
		}
	}
	batch_stream_free(stream);
	return rc;
}

/* Run a plan by so many streams at once; rows to out. */
static inline int world_query(struct query_node *root, size_t streams,
			      const bool *wanted, struct world_rows *out)
{
	struct world_run run;
	int rc;

	memset(&run, 0, sizeof(run));
	memset(out, 0, sizeof(*out));
	run.columns = root->schema->column_count;
	out->columns = run.columns;
	error_init(&err);
	rc = query_source_new(&run.source, root, wanted, &options, &err);
	if (!rc)
		rc = thread_run(streams, world_drain, &run, &err);
	for (size_t p = 0; p < 8; p++) {
		for (size_t i = 0; !rc && i < run.parts[p].count; i++)
			*rows_add(out) = run.parts[p].rows[i];
		rows_release(&run.parts[p]);
	}
	batch_source_free(run.source);
	return rc;
}

static size_t compared_columns;

static inline int compare_rows(const void *a, const void *b)
{
	const struct world_row *x = a, *y = b;

	for (size_t c = 0; c < compared_columns; c++)
		if (x->v[c] != y->v[c])
			return x->v[c] < y->v[c] ? -1 : 1;
	return 0;
}

static inline void rows_sort(struct world_rows *rows)
{
	compared_columns = rows->columns;
	if (rows->count)
		qsort(rows->rows, rows->count, sizeof(*rows->rows),
		      compare_rows);
}

/* The same rows in the same order. */
static inline void rows_same(const struct world_rows *got,
			     const struct world_rows *expected)
{
	ck_assert_uint_eq(got->count, expected->count);
	for (size_t i = 0; i < got->count; i++)
		for (size_t c = 0; c < expected->columns; c++)
			ck_assert_msg(got->rows[i].v[c] ==
				      expected->rows[i].v[c],
				      "row %zu column %zu is %lld, not %lld",
				      i, c, (long long)got->rows[i].v[c],
				      (long long)expected->rows[i].v[c]);
}

/* The same rows in any order; both get sorted. */
static inline void rows_same_set(struct world_rows *got,
				 struct world_rows *expected)
{
	rows_sort(got);
	rows_sort(expected);
	rows_same(got, expected);
}

/* Let allocations of one run fail in turn, later ones not each. Works only in
 * one thread. */
static inline void world_fail_each(struct query_node *root, long limit)
{
	bool failed = true;

	for (long n = 0; failed; n = next_fault(n) + n / 8) {
		struct world_rows got;
		int rc;

		mem_fail_at(n);
		rc = world_query(root, 1, NULL, &got);
		mem_fail_at(-1);
		rows_release(&got);
		failed = rc != 0;
		if (failed)
			ck_assert_msg(rc == ERROR_NO_MEMORY, "%ld: %s %s", n,
				      error_name(rc), err.text);
		ck_assert_int_lt(n, limit);
	}
}

/* A run that must go to disk fails where it cannot. */
static inline void world_fail_disk(struct query_node *root)
{
	struct world_rows got;

	options.spill_directory = "/no/such/directory";
	ck_assert_int_eq(world_query(root, 1, NULL, &got), ERROR_IO);
	ck_assert_ptr_nonnull(strstr(err.text, "/no/such/directory"));
	options.spill_directory = NULL;
	rows_release(&got);
}
#endif
