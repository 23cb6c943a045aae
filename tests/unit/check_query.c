/*
 * Queries over a fake relation of two columns (a, b BIGINT) in several
 * batches and units, some of them empty: scan, filter, projection, union,
 * limit, values. Expected rows are written down or made by plain loops.
 */
#include <stdio.h>
#include "unit/expr_build.h"
#include "query/query.h"

#define ROWS 10000
#define BATCH_ROWS 900

struct fake_relation {
	struct relation base;
	size_t first;		/* number of the first row */
	size_t row_count;
	bool has_empty;		/* every other batch is empty */
	bool is_nameless;	/* no name and no lines */
	size_t opened;
	size_t range_count;
	bool wanted[2];
};

struct fake_source {
	struct batch_source base;
	struct fake_relation *relation;
	size_t next_unit;	/* atomic */
};

struct fake_stream {
	struct batch_stream base;
	struct fake_source *source;
	struct batch batch;
	uint64_t lines[BATCH_ROWS];
};

static struct fake_relation relations[3];
static struct schema schema;
static struct query_options options;
static struct batch_source *source;
static struct text rows;	/* "a b;" a row of the last run */

static const struct schema *fake_schema(const struct batch_source *s)
{
	(void)s;
	return &schema;
}

static size_t fake_parallelism(const struct batch_source *s)
{
	(void)s;
	return 3;
}

static int fill(struct fake_stream *self, size_t unit, struct error *e)
{
	struct fake_relation *relation = self->source->relation;
	size_t first = unit * BATCH_ROWS, count = BATCH_ROWS;
	struct batch *batch = &self->batch;

	batch_reset(batch);
	if (relation->has_empty) {
		first = unit / 2 * BATCH_ROWS;
		if (unit % 2)
			count = 0;
	}
	if (relation->row_count - first < count)
		count = relation->row_count - first;
	for (size_t c = 0; c < 2; c++) {
		int rc;

		if (!relation->wanted[c])
			continue;
		rc = vector_reserve(&batch->columns[c], count, e);
		if (rc)
			return rc;
		for (size_t i = 0; i < count; i++)
			vector_i64(&batch->columns[c])[i] = (int64_t)(
				relation->first + first + i) * (c ? 10 : 1);
		batch->columns[c].count = count;
	}
	for (size_t i = 0; i < count; i++)
		self->lines[i] = 2 + first + i;
	batch->row_count = count;
	batch->lines = relation->is_nameless ? NULL : self->lines;
	batch->origin = relation->is_nameless ? NULL : "in.csv";
	batch->unit = unit;
	batch->first_row = first;
	return 0;
}

static int fake_next(struct batch_stream *stream, struct batch **out,
		     struct error *e)
{
	struct fake_stream *self = (struct fake_stream *)stream;
	struct fake_relation *relation = self->source->relation;
	size_t unit = __atomic_fetch_add(&self->source->next_unit, 1,
					 __ATOMIC_RELAXED);
	size_t batches = relation->has_empty ? unit / 2 : unit;
	int rc;

	*out = NULL;
	if (batches * BATCH_ROWS >= relation->row_count)
		return 0;
	rc = fill(self, unit, e);
	if (!rc)
		*out = &self->batch;
	return rc;
}

static void fake_stream_free(struct batch_stream *stream)
{
	batch_release(&((struct fake_stream *)stream)->batch);
	mem_free(stream);
}

static int fake_stream_new(struct batch_source *s, struct batch_stream **out,
			   struct error *e)
{
	struct fake_stream *stream = mem_zalloc(sizeof(*stream));
	int rc;

	*out = NULL;
	if (!stream)
		return error_set(e, ERROR_NO_MEMORY, "fake");
	stream->base.next = fake_next;
	stream->base.free = fake_stream_free;
	stream->source = (struct fake_source *)s;
	rc = batch_init(&stream->batch, &schema, e);
	if (rc) {
		mem_free(stream);
		return rc;
	}
	*out = &stream->base;
	return 0;
}

static void fake_free(struct batch_source *s)
{
	mem_free(s);
}

static int fake_open(struct relation *relation, const bool *wanted,
		     const struct column_range *ranges, size_t range_count,
		     struct batch_source **out, struct error *e)
{
	struct fake_relation *self = (struct fake_relation *)relation;
	struct fake_source *s = mem_zalloc(sizeof(*s));

	(void)ranges;
	*out = NULL;
	if (!s)
		return error_set(e, ERROR_NO_MEMORY, "fake");
	s->base.schema = fake_schema;
	s->base.parallelism = fake_parallelism;
	s->base.stream_new = fake_stream_new;
	s->base.free = fake_free;
	s->relation = self;
	self->opened++;
	self->range_count = range_count;
	for (size_t i = 0; i < 2; i++)
		self->wanted[i] = !wanted || wanted[i];
	*out = &s->base;
	return 0;
}

static void setup(void)
{
	expr_setup();
	memset(relations, 0, sizeof(relations));
	memset(&options, 0, sizeof(options));
	memset(&rows, 0, sizeof(rows));
	source = NULL;
	schema_init(&schema);
	ck_ok(schema_add_column(&schema, "a", type_of(TYPE_BIGINT), &err));
	ck_ok(schema_add_column(&schema, "b", type_of(TYPE_BIGINT), &err));
	for (size_t i = 0; i < 3; i++) {
		relations[i].base.source_open = fake_open;
		relations[i].row_count = ROWS;
		relations[i].first = i * 100000;
	}
}

static void teardown(void)
{
	mem_fail_at(-1);
	batch_source_free(source);
	text_release(&rows);
	schema_release(&schema);
	expr_teardown();
}

static struct query_node *node_of(enum query_kind kind, size_t inputs)
{
	struct query_node *node = arena_zalloc(&arena, sizeof(*node));

	node->kind = kind;
	node->schema = &schema;
	node->input_count = inputs;
	node->inputs = arena_zalloc_array(&arena, inputs + 1,
					  sizeof(*node->inputs));
	return node;
}

static struct query_node *scan(size_t i)
{
	struct query_node *node = node_of(QUERY_SCAN, 0);

	node->relation = &relations[i].base;
	return node;
}

static struct query_node *over(enum query_kind kind, struct query_node *input)
{
	struct query_node *node = node_of(kind, 1);

	node->inputs[0] = input;
	return node;
}

static struct query_node *project(struct query_node *input, struct expr *a,
				  struct expr *b)
{
	struct query_node *node = over(QUERY_PROJECT, input);

	node->exprs = arena_zalloc_array(&arena, 2, sizeof(*node->exprs));
	node->exprs[0] = a;
	node->exprs[1] = b;
	return node;
}

static struct query_node *filter(struct query_node *input,
				 struct expr *condition)
{
	struct query_node *node = over(QUERY_FILTER, input);

	node->condition = condition;
	return node;
}

static struct query_node *both(struct query_node *a, struct query_node *b)
{
	struct query_node *node = node_of(QUERY_UNION_ALL, 2);

	node->inputs[0] = a;
	node->inputs[1] = b;
	return node;
}

static struct query_node *limit(struct query_node *input, uint64_t count,
				uint64_t offset)
{
	struct query_node *node = over(QUERY_LIMIT, input);

	node->limit = count;
	node->offset = offset;
	return node;
}

static void show(const struct vector *v, size_t i)
{
	if (!v->data)
		text_add_str(&rows, "?");
	else if (vector_is_null(v, i))
		text_add_str(&rows, "-");
	else
		text_addf(&rows, "%lld", (long long)vector_i64(v)[i]);
}

/* Drain one stream into rows; units must not go down. */
static int drain(struct batch_stream *stream)
{
	uint64_t unit = 0;

	for (;;) {
		struct batch *batch;
		int rc = batch_stream_next(stream, &batch, &err);

		if (rc || !batch)
			return rc;
		ck_assert_uint_ge(batch->unit, unit);
		unit = batch->unit;
		ck_assert_uint_le(batch->row_count, BATCH_ROW_COUNT);
		for (size_t i = 0; i < batch->row_count; i++) {
			show(&batch->columns[0], i);
			text_add_char(&rows, ' ');
			show(&batch->columns[1], i);
			text_add_char(&rows, ';');
		}
	}
}

/* All rows of a query, by one stream after the other. */
static int run(struct query_node *root, const bool *wanted)
{
	int rc;

	batch_source_free(source);
	source = NULL;
	text_reset(&rows);
	rc = query_source_new(&source, root, wanted, &options, &err);
	for (int i = 0; !rc && i < 2; i++) {
		struct batch_stream *stream;

		rc = source->stream_new(source, &stream, &err);
		if (!rc) {
			rc = drain(stream);
			batch_stream_free(stream);
		}
	}
	return rc;
}

/* Expected rows: numbers first .. end - 1 for which number % of == 0. */
static void expect(struct text *out, size_t first, size_t end, size_t of)
{
	for (size_t i = first; i < end; i++)
		if (i % of == 0)
			text_addf(out, "%zu %zu;", i, i * 10);
}

static void check_rows(struct text *expected)
{
	ck_assert_uint_eq(rows.length, expected->length);
	if (rows.length)
		ck_assert_int_eq(memcmp(rows.data, expected->data,
					rows.length), 0);
	text_release(expected);
}

static struct expr *every(int64_t n)
{
	return call2("=", call2("%", col(0, "BIGINT"),
				lit(arena_printf(&arena, "BIGINT:%d",
						 (int)n))), lit("BIGINT:0"));
}

START_TEST(a_scan_gives_all_rows)
{
	struct text expected = TEXT_INIT;

	ck_ok(run(scan(0), NULL));
	expect(&expected, 0, ROWS, 1);
	check_rows(&expected);
	ck_assert_uint_eq(source->parallelism(source), 3);
}
END_TEST

START_TEST(a_filter_gives_the_rows_for_which_it_is_true)
{
	struct text expected = TEXT_INIT;

	relations[0].has_empty = _i;
	ck_ok(run(filter(scan(0), every(7)), NULL));
	expect(&expected, 0, ROWS, 7);
	check_rows(&expected);
}
END_TEST

START_TEST(a_filter_keeps_the_lines_of_its_rows)
{
	struct batch_stream *stream;
	struct batch *batch;

	ck_ok(query_source_new(&source, filter(scan(0), every(400)), NULL,
			       &options, &err));
	ck_ok(source->stream_new(source, &stream, &err));
	ck_ok(batch_stream_next(stream, &batch, &err));
	ck_assert_uint_eq(batch->row_count, 3);
	ck_assert_uint_eq(batch->lines[1], 402);
	ck_assert_str_eq(batch->origin, "in.csv");
	batch_stream_free(stream);
}
END_TEST

START_TEST(a_filter_keeps_the_numbers_of_rows_without_lines)
{
	struct batch_stream *stream;
	struct batch *batch;

	relations[0].is_nameless = true;
	ck_ok(query_source_new(&source, filter(scan(0), every(400)), NULL,
			       &options, &err));
	ck_ok(source->stream_new(source, &stream, &err));
	ck_ok(batch_stream_next(stream, &batch, &err));
	ck_assert_uint_eq(batch->lines[1], 400);
	ck_assert_ptr_null(batch->origin);
	batch_stream_free(stream);
}
END_TEST

START_TEST(a_filter_over_a_scan_tells_it_the_ranges)
{
	ck_ok(run(filter(scan(0), call2(">=", col(0, "BIGINT"),
					lit("BIGINT:9998"))), NULL));
	ck_assert_str_eq(rows.data, "9998 99980;9999 99990;");
	ck_assert_uint_eq(relations[0].range_count, 1);
}
END_TEST

START_TEST(only_wanted_columns_are_read)
{
	const bool second[] = { false, true };

	relations[0].row_count = 2;
	ck_ok(run(scan(0), second));
	ck_assert_str_eq(rows.data, "? 0;? 10;");
	ck_ok(run(project(scan(0), col(1, "BIGINT"), col(0, "BIGINT")),
		  second));
	ck_assert(relations[0].wanted[0] && !relations[0].wanted[1]);
	ck_assert_str_eq(rows.data, "? 0;? 1;");
	ck_ok(run(filter(scan(0), every(1)), second));
	ck_assert(relations[0].wanted[0] && relations[0].wanted[1]);
}
END_TEST

START_TEST(a_projection_computes_and_passes_on)
{
	struct text expected = TEXT_INIT;

	relations[0].has_empty = true;
	ck_ok(run(project(scan(0), call2("+", col(0, "BIGINT"),
					 lit("BIGINT:1")),
			  lit("BIGINT")), NULL));
	for (size_t i = 0; i < ROWS; i++)
		text_addf(&expected, "%zu -;", i + 1);
	check_rows(&expected);
}
END_TEST

START_TEST(a_failing_row_is_named_by_its_line)
{
	struct expr *bad = call2("/", lit("BIGINT:1"),
				 call2("-", col(0, "BIGINT"),
				       lit("BIGINT:1234")));

	ck_assert_int_eq(run(project(scan(0), bad, col(1, "BIGINT")), NULL),
			 ERROR_DIVISION_BY_ZERO);
	ck_assert_ptr_nonnull(strstr(err.text, "in.csv:1236"));
	error_init(&err);
	ck_assert_int_eq(run(filter(scan(0), call2("=", bad,
						   lit("BIGINT:1"))), NULL),
			 ERROR_DIVISION_BY_ZERO);
	ck_assert_ptr_nonnull(strstr(err.text, "in.csv:1236"));
}
END_TEST

START_TEST(a_union_gives_one_input_after_the_other)
{
	struct text expected = TEXT_INIT;

	/* nested both ways: units go up through all three */
	ck_ok(run(_i ? both(both(scan(0), scan(1)), scan(2))
		     : both(scan(0), both(scan(1), scan(2))), NULL));
	expect(&expected, 0, ROWS, 1);
	expect(&expected, 100000, 100000 + ROWS, 1);
	expect(&expected, 200000, 200000 + ROWS, 1);
	check_rows(&expected);
}
END_TEST

START_TEST(a_limit_gives_the_rows_behind_its_offset)
{
	static const uint64_t cases[][2] = {
		{ 0, 0 }, { 1, 0 }, { 900, 0 }, { 901, 0 }, { 5, 899 },
		{ 2000, 1 }, { 900, 900 }, { 20000, 9990 }, { 5, 20000 },
		{ UINT64_MAX, 0 }, { UINT64_MAX, UINT64_MAX },
	};
	struct text expected = TEXT_INIT;
	uint64_t count = cases[_i][0], first = cases[_i][1];

	ck_ok(run(limit(scan(0), count, first), NULL));
	if (first < ROWS)
		expect(&expected, (size_t)first, count < ROWS - first
				? (size_t)(first + count) : ROWS, 1);
	check_rows(&expected);
	ck_assert_uint_eq(source->parallelism(source), 1);
}
END_TEST

START_TEST(a_limit_keeps_lines_and_row_numbers)
{
	struct batch_stream *stream;
	struct batch *batch;

	ck_ok(query_source_new(&source, limit(scan(0), 10, 905), NULL,
			       &options, &err));
	ck_ok(source->stream_new(source, &stream, &err));
	ck_ok(batch_stream_next(stream, &batch, &err));
	ck_assert_uint_eq(batch->row_count, 10);
	ck_assert_uint_eq(batch->lines[0], 907);
	ck_assert_uint_eq(batch->first_row, 905);
	batch_stream_free(stream);
}
END_TEST

START_TEST(values_are_computed_once)
{
	struct query_node *node = node_of(QUERY_VALUES, 0);
	struct text expected = TEXT_INIT;

	node->row_count = 5000;
	node->exprs = arena_zalloc_array(&arena, 10000,
					 sizeof(*node->exprs));
	for (size_t i = 0; i < 5000; i++) {
		node->exprs[2 * i] = i % 2 ? lit("BIGINT") : lit("BIGINT:7");
		node->exprs[2 * i + 1] = call2("+", lit("BIGINT:40"),
					       lit("BIGINT:2"));
		text_add_str(&expected, i % 2 ? "- 42;" : "7 42;");
	}
	ck_ok(run(node, NULL));
	check_rows(&expected);
}
END_TEST

START_TEST(a_query_that_is_too_deep_is_refused)
{
	struct query_node *node = scan(0);

	for (int i = 0; i < 600; i++)
		node = _i ? both(node, scan(1)) : filter(node, every(1));
	ck_assert_int_eq(run(node, NULL), ERROR_UNSUPPORTED);
	ck_assert_ptr_null(source);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct query_node *values = node_of(QUERY_VALUES, 0);
	struct query_node *root;
	bool failed = true;

	values->row_count = 1;
	values->exprs = arena_zalloc_array(&arena, 2, sizeof(struct expr *));
	values->exprs[0] = call2("+", lit("BIGINT:40"), lit("BIGINT:2"));
	values->exprs[1] = lit("BIGINT:3");
	relations[0].row_count = 1000;
	root = limit(both(project(filter(scan(0), every(2)),
				  call2("+", col(0, "BIGINT"),
					lit("BIGINT:1")), col(1, "BIGINT")),
			  values), 450, 3);
	for (long n = 0; failed; n = next_fault(n)) {
		struct batch_stream *stream;
		int rc;

		mem_fail_at(n);
		rc = query_source_new(&source, root, NULL, &options, &err);
		if (rc)
			ck_assert_ptr_null(source);
		if (!rc)
			rc = source->stream_new(source, &stream, &err);
		if (!rc) {
			struct batch *batch = NULL;

			do {
				rc = batch_stream_next(stream, &batch, &err);
			} while (!rc && batch);
			batch_stream_free(stream);
		}
		mem_fail_at(-1);
		failed = rc != 0;
		if (failed)
			ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		batch_source_free(source);
		source = NULL;
		ck_assert_int_lt(n, 500);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("query");
	TCase *tc = tcase_create("query");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_scan_gives_all_rows);
	tcase_add_loop_test(tc, a_filter_gives_the_rows_for_which_it_is_true,
			    0, 2);
	tcase_add_test(tc, a_filter_keeps_the_lines_of_its_rows);
	tcase_add_test(tc,
		       a_filter_keeps_the_numbers_of_rows_without_lines);
	tcase_add_test(tc, a_filter_over_a_scan_tells_it_the_ranges);
	tcase_add_test(tc, only_wanted_columns_are_read);
	tcase_add_test(tc, a_projection_computes_and_passes_on);
	tcase_add_test(tc, a_failing_row_is_named_by_its_line);
	tcase_add_loop_test(tc, a_union_gives_one_input_after_the_other, 0, 2);
	tcase_add_loop_test(tc, a_limit_gives_the_rows_behind_its_offset,
			    0, 11);
	tcase_add_test(tc, a_limit_keeps_lines_and_row_numbers);
	tcase_add_test(tc, values_are_computed_once);
	tcase_add_loop_test(tc, a_query_that_is_too_deep_is_refused, 0, 2);
	tcase_add_test(tc, each_failed_allocation_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
