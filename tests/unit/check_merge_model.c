/*
 * Random MERGEs against a model: the same statement done row by row over
 * plain arrays, by the rules of the corpus. Every number of threads, with and
 * without a source that fits in memory, must give the model's table and
 * counts, or the same refusal.
 */
#include <dlfcn.h>
#include <errno.h>
#include "unit/check_main.h"
#include "merge/merge.h"
#include "unit/model_target.h"

#define SOURCE_LIMIT 4000
#define SOURCE_BATCH 250

/* What a condition or a value is, so that the model need not read trees. */
enum term { TERM_TRUE, TERM_S_LESS, TERM_T_LESS, TERM_S_NULL };
enum value {
	VALUE_KEEP, VALUE_S, VALUE_SUM, VALUE_NULL, VALUE_DIVIDE, VALUE_OTHER,
};

struct model_clause {
	enum merge_match match;
	enum row_operation operation;
	enum term term;
	int64_t limit;
	enum value v;
	enum value t;
};

static struct error err;
static struct model_target model;
static struct arena arena;
static struct merge_plan plan;
static struct merge_clause clauses[5];
static struct model_clause rules[5];
static struct merge_key key;
static struct query_node source_node;
static struct merge_options options;
static struct merge_result result;
static struct model_row source[SOURCE_LIMIT];
static size_t source_count;
static bool has_residual;	/* t.v < s.v */
static uint64_t state;

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

static const struct schema *source_schema(const struct batch_source *s)
{
	(void)s;
	return &model.schema;
}

static size_t source_parallelism(const struct batch_source *s)
{
	(void)s;
	return 4;
}

static int source_next(struct batch_stream *handle, struct batch **out,
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

static void source_stream_free(struct batch_stream *handle)
{
	batch_release(&((struct source_stream *)handle)->batch);
	mem_free(handle);
}

static int source_stream_new(struct batch_source *s, struct batch_stream **out,
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

static void source_free(struct batch_source *s)
{
	mem_free(s);
}

static int open_source(void *context, const struct merge_plan *p,
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

/* ---- the statement, as trees and as rules ---- */

static uint64_t random_below(uint64_t below)
{
	state = state * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return (state >> 33) % below;
}

static struct expr *column(size_t i)
{
	return expr_column(&arena, i,
			   model.schema.columns[i % MODEL_COLUMNS].type);
}

static struct expr *number(int64_t value)
{
	struct literal l = literal_null(type_of(TYPE_BIGINT));

	l.is_null = value == INT64_MIN;
	l.value.int64 = value;
	return expr_literal(&arena, &l);
}

static struct expr *call(const char *name, struct expr *a, struct expr *b)
{
	struct type types[2] = { a->type, b->type }, wanted[2], type;
	const struct function *function;
	struct expr *e;

	ck_ok(function_resolve(name, types, 2, &function, wanted, &type,
			       &err));
	e = expr_new(&arena, EXPR_CALL, type, 2);
	e->function = function;
	e->args[0] = a;
	e->args[1] = b;
	return e;
}

static struct expr *term_tree(const struct model_clause *rule)
{
	struct expr *e;

	switch (rule->term) {
	case TERM_TRUE:
		return NULL;
	case TERM_S_LESS:
		return call("<", column(4), number(rule->limit));
	case TERM_T_LESS:
		return call("<", column(1), number(rule->limit));
	case TERM_S_NULL:
		break;
	}
	e = expr_new(&arena, EXPR_IS_NULL, type_of(TYPE_BOOLEAN), 1);
	e->args[0] = column(4);
	return e;
}

static struct expr *value_tree(enum value value, size_t c, bool by_source)
{
	switch (value) {
	case VALUE_KEEP:
		return NULL;
	case VALUE_S:
		return column(MODEL_COLUMNS + c);
	case VALUE_SUM:
		return call("+", column(1), by_source ? number(5) : column(4));
	case VALUE_DIVIDE:
		return call("/", number(1000), column(by_source ? 1 : 4));
	case VALUE_OTHER:
		return column(c);
	case VALUE_NULL:
		break;
	}
	return c == 1 ? number(INT64_MIN) : NULL;
}

static void add_clause(const struct model_clause *rule)
{
	struct merge_clause *clause = &clauses[plan.clause_count];
	bool by_source = rule->match == WHEN_NOT_MATCHED_BY_SOURCE;

	rules[plan.clause_count++] = *rule;
	clause->match = rule->match;
	clause->operation = rule->operation;
	clause->condition = term_tree(rule);
	clause->values = arena_zalloc_array(&arena, MODEL_COLUMNS,
					    sizeof(struct expr *));
	if (rule->operation == OPERATION_INSERT)
		clause->values[0] = column(MODEL_COLUMNS);
	if (rule->operation == OPERATION_INSERT ||
	    rule->operation == OPERATION_UPDATE) {
		clause->values[1] = value_tree(rule->v, 1, by_source);
		clause->values[2] = value_tree(rule->t, 2, by_source);
	}
}

static void random_clause(enum merge_match match)
{
	struct model_clause rule = { .match = match };

	rule.limit = (int64_t)random_below(100);
	if (match == WHEN_NOT_MATCHED) {
		rule.operation = random_below(4) ? OPERATION_INSERT
						 : OPERATION_NONE;
		rule.term = random_below(2) ? TERM_TRUE : random_below(2)
					? TERM_S_LESS : TERM_S_NULL;
		rule.v = VALUE_S;
		rule.t = VALUE_S;
	} else {
		static const enum row_operation some[] = {
			OPERATION_UPDATE, OPERATION_UPDATE, OPERATION_DELETE,
			OPERATION_NONE,
		};

		rule.operation = some[random_below(4)];
		rule.term = random_below(2) ? TERM_T_LESS : TERM_TRUE;
		if (match == WHEN_MATCHED && random_below(2))
			rule.term = random_below(2) ? TERM_S_LESS
						    : TERM_S_NULL;
		rule.v = (enum value)random_below(4);
		rule.t = random_below(2) ? VALUE_OTHER : VALUE_KEEP;
		if (match == WHEN_MATCHED && random_below(2))
			rule.t = VALUE_S;
		if (match != WHEN_MATCHED && rule.v == VALUE_S)
			rule.v = VALUE_OTHER;
	}
	add_clause(&rule);
}

/* ---- the model ---- */

struct expectation {
	struct model_row rows[MODEL_ROW_LIMIT + SOURCE_LIMIT];
	size_t row_count;
	uint64_t inserted, updated, deleted, unchanged, no_action;
	uint64_t clause_rows[5];
	bool is_refused;
};
static struct expectation expected;

static bool is_on(const struct model_row *t, const struct model_row *s)
{
	if (t->number[0] == INT64_MIN || s->number[0] == INT64_MIN) {
		if (!key.null_safe || t->number[0] != s->number[0])
			return false;
	} else if (plan.key_count && t->number[0] != s->number[0]) {
		return false;
	}
	if (!plan.key_count && t->number[0] != s->number[0])
		return false;
	return !has_residual || (t->number[1] != INT64_MIN &&
				 s->number[1] != INT64_MIN &&
				 t->number[1] < s->number[1]);
}

static bool is_true(const struct model_clause *rule, const struct model_row *t,
		    const struct model_row *s)
{
	switch (rule->term) {
	case TERM_TRUE:
		return true;
	case TERM_S_LESS:
		return s->number[1] != INT64_MIN &&
		       s->number[1] < rule->limit;
	case TERM_T_LESS:
		return t->number[1] != INT64_MIN &&
		       t->number[1] < rule->limit;
	case TERM_S_NULL:
		break;
	}
	return s->number[1] == INT64_MIN;
}

static int first_clause(enum merge_match match, const struct model_row *t,
			const struct model_row *s)
{
	for (size_t c = 0; c < plan.clause_count; c++)
		if (rules[c].match == match && is_true(&rules[c], t, s))
			return (int)c;
	return -1;
}

static struct model_row changed_row(const struct model_clause *rule,
				    const struct model_row *t,
				    const struct model_row *s)
{
	struct model_row out = *t;
	int64_t with = s ? s->number[1] : 5;

	if (rule->v == VALUE_S)
		out.number[1] = s->number[1];
	if (rule->v == VALUE_NULL)
		out.number[1] = INT64_MIN;
	if (rule->v == VALUE_SUM)
		out.number[1] = t->number[1] == INT64_MIN || with == INT64_MIN
					? INT64_MIN : t->number[1] + with;
	if (rule->t == VALUE_S)
		memcpy(out.t, s->t, sizeof(out.t));
	return out;
}

static bool is_same_row(const struct model_row *a, const struct model_row *b)
{
	return a->number[0] == b->number[0] && a->number[1] == b->number[1] &&
	       strcmp(a->t, b->t) == 0;
}

static void apply(int c, const struct model_row *t, const struct model_row *s)
{
	struct model_row row = *t;

	if (c >= 0)
		expected.clause_rows[c]++;
	if (c >= 0 && rules[c].operation == OPERATION_DELETE) {
		expected.deleted++;
		return;
	}
	if (c >= 0 && rules[c].operation == OPERATION_UPDATE) {
		row = changed_row(&rules[c], t, s);
		if (is_same_row(&row, t))
			expected.unchanged++;
		else
			expected.updated++;
	}
	expected.rows[expected.row_count++] = row;
}

static void run_model(void)
{
	static bool matched[SOURCE_LIMIT], taken[SOURCE_LIMIT];

	memset(&expected, 0, sizeof(expected));
	memset(matched, 0, sizeof(matched));
	memset(taken, 0, sizeof(taken));
	for (size_t i = 0; i < model.row_count; i++) {
		const struct model_row *t = &model.rows[i], *with = NULL;
		int act = -1, actions = 0;
		bool any = false;

		if (model.is_gone[i])
			continue;
		for (size_t j = 0; j < source_count; j++) {
			int c;

			if (!is_on(t, &source[j]))
				continue;
			any = matched[j] = true;
			c = first_clause(WHEN_MATCHED, t, &source[j]);
			taken[j] |= c >= 0;
			if (c < 0)
				continue;
			if (rules[c].operation == OPERATION_NONE) {
				expected.clause_rows[c]++;
				continue;
			}
			actions++;
			act = c;
			with = &source[j];
		}
		expected.is_refused |= actions > 1;
		if (!any)
			act = first_clause(WHEN_NOT_MATCHED_BY_SOURCE, t,
					   NULL);
		apply(act, t, with);
	}
	for (size_t j = 0; j < source_count; j++) {
		int c = matched[j] ? -1 : first_clause(WHEN_NOT_MATCHED, NULL,
						       &source[j]);

		taken[j] |= c >= 0;
		expected.no_action += !taken[j];
		if (c < 0)
			continue;
		expected.clause_rows[c]++;
		if (rules[c].operation != OPERATION_INSERT)
			continue;
		expected.inserted++;
		expected.rows[expected.row_count++] = source[j];
	}
}

/* ---- comparing ---- */

static int compare_rows(const void *a, const void *b)
{
	const struct model_row *x = a, *y = b;

	for (size_t c = 0; c < 2; c++)
		if (x->number[c] != y->number[c])
			return x->number[c] < y->number[c] ? -1 : 1;
	return strcmp(x->t, y->t);
}

/* What an update's page does not have stays; it has nothing else. */
static void keep_columns(const struct model_change *change,
			 struct model_row *row)
{
	const struct model_row *old = &model.rows[change->row_id];

	ck_assert(model.has_updated);
	for (size_t c = 0; c < MODEL_COLUMNS; c++) {
		if (change->has[c]) {
			ck_assert(model.updated[c]);
			continue;
		}
		if (c < 2)
			row->number[c] = old->number[c];
		else
			memcpy(row->t, old->t, sizeof(row->t));
	}
}

/* The table that the changes make of the model's rows. */
static void check_table(void)
{
	static struct model_row rows[MODEL_ROW_LIMIT + SOURCE_LIMIT];
	static bool gone[MODEL_ROW_LIMIT];
	size_t n = 0;

	memcpy(gone, model.is_gone, sizeof(gone));
	for (size_t i = 0; i < model.change_count; i++) {
		const struct model_change *change = &model.changes[i];

		if (change->operation != OPERATION_INSERT) {
			ck_assert_uint_lt(change->row_id, model.row_count);
			ck_assert(!gone[change->row_id]);
			gone[change->row_id] = true;
		}
		if (change->operation != OPERATION_DELETE)
			rows[n++] = change->row;
		if (change->operation == OPERATION_UPDATE)
			keep_columns(change, &rows[n - 1]);
	}
	for (size_t i = 0; i < model.row_count; i++)
		if (!gone[i])
			rows[n++] = model.rows[i];
	ck_assert_uint_eq(n, expected.row_count);
	qsort(rows, n, sizeof(*rows), compare_rows);
	qsort(expected.rows, n, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < n; i++)
		ck_assert(is_same_row(&rows[i], &expected.rows[i]));
}

static void check_counts(void)
{
	ck_assert_uint_eq(result.rows_read, source_count);
	ck_assert_uint_eq(result.rows_inserted, expected.inserted);
	ck_assert_uint_eq(result.rows_updated, expected.updated);
	ck_assert_uint_eq(result.rows_deleted, expected.deleted);
	ck_assert_uint_eq(result.rows_unchanged, expected.unchanged);
	ck_assert_uint_eq(result.rows_no_action, expected.no_action);
	for (size_t c = 0; c < plan.clause_count; c++)
		ck_assert_uint_eq(result.clauses[c].rows,
				  expected.clause_rows[c]);
}

/* ---- fixtures ---- */

static void setup(void)
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
	has_residual = false;
	source_count = 0;
}

static void teardown(void)
{
	mem_fail_at(-1);
	merge_result_release(&result);
	model_target_release(&model);
	arena_release(&arena);
}

static void random_row(struct model_row *row, int64_t k)
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
static void fill_rows(size_t targets, size_t sources, bool repeats)
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

static int run(size_t threads, size_t memory)
{
	model_target_reset(&model);
	merge_result_release(&result);
	error_init(&err);
	options.thread_count = threads;
	options.memory_bytes = memory;
	return merge_run(&plan, &options, &result, &err);
}

static void check_all_ways(bool may_spill)
{
	static char first_text[ERROR_TEXT_BYTES];
	static const size_t threads[] = { 1, 2, 4 };

	run_model();
	for (size_t i = 0; i < 6; i++) {
		int rc;

		if (i >= 3 && !may_spill)
			break;
		rc = run(threads[i % 3], i < 3 ? 0 : 60000);
		if (!expected.is_refused) {
			ck_assert_msg(rc == 0, "%s", err.text);
			ck_assert(model.finished && !model.aborted);
			check_counts();
			check_table();
			continue;
		}
		ck_assert_int_eq(rc, ERROR_DUPLICATE_MATCH);
		ck_assert(model.aborted && !model.finished);
		if (i == 0)
			memcpy(first_text, err.text, sizeof(first_text));
		else if (i < 3)
			ck_assert_str_eq(err.text, first_text);
	}
}

START_TEST(a_random_merge_is_what_the_model_says)
{
	size_t count;

	state = hash_word((uint64_t)_i + 1);
	count = 2 + random_below(3);
	model.paradigm = random_below(2) ? DELETE_ROW_AND_INSERT_ROW
					 : CHANGE_ONLY_UPDATED_COLUMNS;
	key.null_safe = random_below(3) == 0;
	random_clause(WHEN_MATCHED);
	for (size_t i = 0; i < count; i++)
		random_clause((enum merge_match)random_below(3));
	if (random_below(3) == 0) {
		has_residual = true;
		plan.residual = call("<", column(1), column(4));
	}
	/* null-safe: NULLs repeat, so most such runs are refused */
	fill_rows(random_below(4000), random_below(SOURCE_LIMIT),
		  random_below(3) == 0);
	if (key.null_safe)
		for (size_t i = 0, n = 0; i < source_count; i++)
			if (source[i].number[0] == INT64_MIN && n++)
				source[i].number[0] = (int64_t)(i + 100000);
	check_all_ways(true);
}
END_TEST

START_TEST(a_random_nested_loop_is_what_the_model_says)
{
	state = hash_word((uint64_t)_i + 1);
	plan.key_count = 0;
	plan.residual = call("=", column(0), column(MODEL_COLUMNS));
	for (size_t i = 0; i < 3; i++)
		random_clause((enum merge_match)((i + (size_t)_i) % 3));
	fill_rows(300, random_below(120), _i & 1);
	check_all_ways(false);
}
END_TEST

/* The failing rows are those with v = 0: source lines 1001, 1502, 2003. */
static void make_failing(void)
{
	state = 5;
	fill_rows(2500, 2600, false);
	for (size_t i = 0; i < source_count; i++) {
		source[i].number[0] = (int64_t)i;
		source[i].number[1] = (i + 2) % 501 == 500 && i > 900 ? 0 : 7;
	}
	for (size_t i = 0; i < model.row_count; i++) {
		model.rows[i].number[0] = (int64_t)((i * 7919) % 2500);
		model.is_gone[i] = false;
	}
}

START_TEST(the_same_failure_is_told_for_any_number_of_threads)
{
	static const size_t threads[] = { 1, 2, 4, 3 };
	struct model_clause update = { WHEN_MATCHED, OPERATION_UPDATE,
				       TERM_TRUE, 0, VALUE_DIVIDE,
				       VALUE_KEEP };
	struct model_clause insert = { WHEN_NOT_MATCHED, OPERATION_INSERT,
				       TERM_TRUE, 0, VALUE_DIVIDE, VALUE_S };
	char text[ERROR_TEXT_BYTES];

	make_failing();
	if (_i == 0)
		add_clause(&update);	/* fails while the target is read */
	else
		add_clause(&insert);	/* ... while rows are inserted */
	if (_i == 1)
		model.row_count = 0;
	if (_i == 2)
		plan.on_is_false = true;	/* ... while it is streamed */
	for (size_t round = 0; round < 12; round++) {
		ck_assert_int_eq(run(threads[round % 4], 0),
				 ERROR_DIVISION_BY_ZERO);
		ck_assert(model.aborted && !model.finished);
		if (round == 0)
			memcpy(text, err.text, sizeof(text));
		ck_assert_str_eq(err.text, text);
		if (_i)
			ck_assert_ptr_nonnull(strstr(err.text, "s.csv:1001"));
	}
}
END_TEST

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
/* Threads that may still be started; -1 = any number. */
static int thread_allowance = -1;

/* Takes the place of the C library's. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
		   void *(*start)(void *), void *argument)
{
	static int (*real)(pthread_t *, const pthread_attr_t *,
			   void *(*)(void *), void *);

	if (!real) {
		void *symbol = dlsym(RTLD_NEXT, "pthread_create");

		memcpy(&real, &symbol, sizeof(real));
	}
	if (thread_allowance == 0)
		return EAGAIN;
	thread_allowance -= thread_allowance > 0;
	return real(thread, attributes, start, argument);
}

START_TEST(no_row_is_lost_when_a_thread_cannot_be_started)
{
	struct model_clause update = { WHEN_MATCHED, OPERATION_UPDATE,
				       TERM_TRUE, 0, VALUE_SUM, VALUE_S };
	struct model_clause insert = { WHEN_NOT_MATCHED, OPERATION_INSERT,
				       TERM_TRUE, 0, VALUE_S, VALUE_S };

	state = 23;
	add_clause(&update);
	add_clause(&insert);
	fill_rows(3500, 3000, false);
	run_model();
	for (int n = 0; n < 13; n++) {
		thread_allowance = n;
		ck_ok(run(4, 0));
		thread_allowance = -1;
		check_counts();
		check_table();
	}
}
END_TEST
#endif

START_TEST(an_interrupt_stops_a_run)
{
	struct model_clause update = { WHEN_MATCHED, OPERATION_UPDATE,
				       TERM_TRUE, 0, VALUE_S, VALUE_S };

	add_clause(&update);
	fill_rows(1000, 1000, false);
	interrupt_request(2);
	ck_assert_int_eq(run(2, 0), ERROR_INTERRUPTED);
	interrupt_reset();
	ck_assert(model.aborted);
	ck_ok(run(2, 0));
}
END_TEST

START_TEST(each_failed_allocation_is_reported_and_leaves_nothing)
{
	bool failed = true;

	state = 17;
	plan.key_count = 1;
	random_clause(WHEN_MATCHED);
	random_clause(WHEN_NOT_MATCHED);
	random_clause(WHEN_NOT_MATCHED_BY_SOURCE);
	plan.residual = call("<", column(1), column(4));
	fill_rows(900, 600, false);
	for (long n = 0; failed; n = next_fault(n + (n < 300 ? 0 : 12))) {
		int rc;

		mem_fail_at(n);
		rc = run(1, _i ? 20000 : 0);
		mem_fail_at(-1);
		failed = rc != 0;
		if (failed)
			ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		ck_assert_int_eq(model.open_sinks, 0);
		ck_assert_int_eq(model.open_streams, 0);
		ck_assert_int_lt(n, 100000);
	}
	ck_assert(model.finished);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("merge_model");
	TCase *tc = tcase_create("merge_model");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, a_random_merge_is_what_the_model_says, 0, 40);
	tcase_add_loop_test(tc, a_random_nested_loop_is_what_the_model_says,
			    0, 12);
	tcase_add_loop_test(tc,
		the_same_failure_is_told_for_any_number_of_threads, 0, 3);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
	tcase_add_test(tc, no_row_is_lost_when_a_thread_cannot_be_started);
#endif
	tcase_add_test(tc, an_interrupt_stops_a_run);
	tcase_add_loop_test(tc,
		each_failed_allocation_is_reported_and_leaves_nothing, 0, 2);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
