#ifndef TESTS_UNIT_AGGREGATE_MODEL_H
#define TESTS_UNIT_AGGREGATE_MODEL_H
/*
 * Random rows, and aggregates of them by a model that keeps all rows and goes
 * through those of a group one by one.
 */
#include "unit/expr_build.h"
#include <math.h>

#define ROW_LIMIT 4000
#define BATCH_ROWS 250
#define GROUPS 300

/* All rows of a test, as columns of literals. */
struct sample {
	struct vector args[2];
	uint32_t groups[ROW_LIMIT];
	bool is_used[ROW_LIMIT];	/* selected? */
	size_t row_count;
};

static uint64_t seed;
static struct sample sample;
static struct arena heap;

static uint32_t draw(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(seed >> 33) % below;
}

static void setup(void)
{
	expr_setup();
	memset(&sample, 0, sizeof(sample));
	memset(&heap, 0, sizeof(heap));
	seed = 42;
}

static void teardown(void)
{
	vector_release(&sample.args[0]);
	vector_release(&sample.args[1]);
	arena_release(&heap);
	expr_teardown();
}

/* A random value of a type, few enough to meet again. */
static struct literal draw_value(const char *type_text)
{
	static const char *const doubles[] = {
		"DOUBLE:NaN", "DOUBLE:-0.0", "DOUBLE:0.0", "DOUBLE:1.5",
		"DOUBLE:-3.25", "DOUBLE:100",
	};
	char text[120];
	size_t used;
	struct type type = type_from_name(type_text, &used);

	if (draw(5) == 0)
		return literal_null(type);
	switch (type.id) {
	case TYPE_DOUBLE:
		return value_from_text(doubles[draw(6)]);
	case TYPE_BOOLEAN:
		return value_from_text(draw(3) ? "BOOLEAN:true"
					       : "BOOLEAN:false");
	case TYPE_VARCHAR:
		snprintf(text, sizeof(text), "VARCHAR:%.*s%u", (int)draw(30),
			 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", draw(50));
		break;
	case TYPE_UUID:
		snprintf(text, sizeof(text),
			 "UUID:%08x-0000-0000-0000-000000000000", draw(90));
		break;
	case TYPE_DATE:
		snprintf(text, sizeof(text), "DATE:19%02u-01-02",
			 10 + draw(80));
		break;
	default:
		snprintf(text, sizeof(text), "%s:%d", type_text,
			 (int)draw(200) - 100);
		break;
	}
	return value_from_text(arena_strdup(&arena, text));
}

static void draw_rows(const char *const *types, size_t arg_count,
		      size_t row_count, uint32_t groups)
{
	for (size_t a = 0; a < arg_count; a++) {
		size_t used;

		vector_release(&sample.args[a]);
		vector_init(&sample.args[a], type_from_name(types[a], &used));
	}
	sample.row_count = row_count;
	for (size_t r = 0; r < row_count; r++) {
		for (size_t a = 0; a < arg_count; a++) {
			struct literal value = draw_value(types[a]);

			ck_ok(vector_append(&sample.args[a], &value, &err));
		}
		sample.groups[r] = draw(groups);
		sample.is_used[r] = draw(4) != 0;
	}
}

/* Rows first .. end - 1 in batches; every second batch with a selection. */
static int update(struct aggregate_states *states, size_t first, size_t end)
{
	uint32_t rows[BATCH_ROWS], groups[BATCH_ROWS];
	int rc = 0;

	for (size_t at = first; at < end && !rc; at += BATCH_ROWS) {
		size_t left = end - at < BATCH_ROWS ? end - at : BATCH_ROWS;
		struct vector args[2];
		const struct vector *pointers[] = { &args[0], &args[1] };
		struct selection selection = { rows, 0 };
		size_t bad_row;

		for (size_t a = 0; a < 2; a++) {
			vector_init(&args[a], sample.args[a].type);
			for (size_t i = 0; i < left && sample.args[a].count;
			     i++) {
				struct literal value =
					vector_get(&sample.args[a], at + i);

				ck_ok(vector_append(&args[a], &value, NULL));
			}
		}
		for (size_t i = 0; i < left; i++) {
			if (!sample.is_used[at + i])
				continue;
			rows[selection.count] = (uint32_t)i;
			groups[selection.count++] = sample.groups[at + i];
		}
		rc = aggregate_update(states, pointers, &selection, groups,
				      &bad_row, &err);
		vector_release(&args[0]);
		vector_release(&args[1]);
	}
	return rc;
}

static struct aggregate_states *states_for(const char *name, size_t arg_count,
					   struct aggregate_lookup *lookup)
{
	struct aggregate_states *states;
	struct type types[2] = { sample.args[0].type, sample.args[1].type };

	memset(lookup, 0, sizeof(*lookup));
	lookup->name = name;
	lookup->args = types;
	lookup->arg_count = arg_count;
	lookup->arena = &arena;
	ck_ok(aggregate_resolve(lookup, &err));
	ck_assert_ptr_nonnull(lookup->function);
	ck_assert_str_eq(aggregate_name(lookup->function), name);
	for (size_t i = 0; i < arg_count; i++)
		ck_assert(type_equal(&lookup->wanted[i], &types[i]));
	ck_ok(aggregate_states_new(&states, lookup->function, lookup->wanted,
				   arg_count, &lookup->result, &err));
	return states;
}

/* ---- the model ---- */

struct model {
	const char *name;
	uint32_t group;
	size_t rows[ROW_LIMIT];	/* of the group, in order */
	size_t count;
};

static struct literal arg(const struct model *model, size_t a, size_t i)
{
	return vector_get(&sample.args[a], model->rows[i]);
}

static bool is_nan(const struct literal *value)
{
	return value->type.id == TYPE_DOUBLE && isnan(value->value.real64);
}

static double as_double(const struct literal *value)
{
	switch (value->type.id) {
	case TYPE_INTEGER:
		return value->value.int32;
	case TYPE_BIGINT:
		return (double)value->value.int64;
	default:
		return value->value.real64;
	}
}

static void add_literal(struct text *out, const struct literal *value)
{
	if (value->is_null)
		text_add_str(out, "NULL");
	else
		format_literal(value, out);
}

/* Sums in long double or, of decimals, digits in int128. */
static void model_sum(const struct model *model, struct text *out)
{
	bool is_average = strcmp(model->name, "avg") == 0;
	char text[64];
	double total = 0;
	int128_t exact = 0;
	int64_t count = 0;

	for (size_t i = 0; i < model->count; i++) {
		struct literal value = arg(model, 0, i);

		if (value.is_null)
			continue;
		count++;
		if (value.type.id == TYPE_DECIMAL)
			exact += value.value.decimal;
		else
			total += as_double(&value);
	}
	if (!count) {
		text_add_str(out, "NULL");
		return;
	}
	if (sample.args[0].type.id == TYPE_DECIMAL) {
		int128_t half = count / 2;
		bool is_negative = exact < 0;

		if (is_average) {
			exact = ((is_negative ? -exact : exact) + half) /
				count;
			exact = is_negative ? -exact : exact;
		}
		text_add(out, text, format_decimal(text, exact,
					sample.args[0].type.scale));
	} else if (is_average || sample.args[0].type.id == TYPE_DOUBLE) {
		if (is_average)
			total /= (double)count;
		text_add(out, text, format_double(text, total));
	} else {
		text_add(out, text, format_int64(text, (int64_t)total));
	}
}

/* min and max, unlike min_by and max_by, tell the zeroes apart. */
static int zero_order(const struct literal *a, const struct literal *b)
{
	if (a->type.id != TYPE_DOUBLE || a->value.real64 != 0 ||
	    b->value.real64 != 0)
		return 0;
	return !!signbit(b->value.real64) - !!signbit(a->value.real64);
}

/* Index of the best row by argument `by`, SIZE_MAX = none. */
static size_t model_best(const struct model *model, size_t by, int sign)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < model->count; i++) {
		struct literal value = arg(model, by, i), old;

		if (value.is_null)
			continue;
		if (best == SIZE_MAX) {
			best = i;
			continue;
		}
		old = arg(model, by, best);
		if (is_nan(&value))
			continue;
		if (is_nan(&old) || sign * literal_compare(&value, &old) > 0 ||
		    (by == 0 && sign * zero_order(&value, &old) > 0))
			best = i;
	}
	return best;
}

static void model_extreme(const struct model *model, struct text *out)
{
	int sign = strncmp(model->name, "max", 3) == 0 ? 1 : -1;
	bool is_by = strstr(model->name, "_by") != NULL;
	size_t best = model_best(model, is_by, sign);
	struct literal value;

	if (best == SIZE_MAX) {
		text_add_str(out, "NULL");
		return;
	}
	value = arg(model, 0, best);
	add_literal(out, &value);
}

static void add_quoted(struct text *out, const struct literal *value)
{
	text_add_str(out, "\"");
	add_literal(out, value);
	text_add_str(out, "\"");
}

static void model_list(const struct model *model, struct text *out)
{
	bool is_array = strcmp(model->name, "array_agg") == 0;
	bool is_any = strcmp(model->name, "any_value") == 0;
	size_t count = 0;

	for (size_t i = 0; i < model->count; i++) {
		struct literal value = arg(model, 0, i), separator;

		if (is_array) {
			text_add_str(out, count++ ? "," : "[");
			if (value.is_null)
				text_add_str(out, "null");
			else if (value.type.id == TYPE_VARCHAR)
				add_quoted(out, &value);
			else
				add_literal(out, &value);
			continue;
		}
		if (value.is_null || (is_any && count))
			continue;
		separator = arg(model, is_any ? 0 : 1, i);
		if (count++ && !separator.is_null)
			add_literal(out, &separator);
		add_literal(out, &value);
	}
	if (!count)
		text_add_str(out, "NULL");
	else if (is_array)
		text_add_str(out, "]");
}

static void model_truth(const struct model *model, struct text *out)
{
	size_t truths = 0, lies = 0;
	char text[24];

	for (size_t i = 0; i < model->count; i++) {
		struct literal value = arg(model, 0, i);

		truths += !value.is_null && value.value.boolean;
		lies += !value.is_null && !value.value.boolean;
	}
	if (strcmp(model->name, "count_if") == 0) {
		snprintf(text, sizeof(text), "%zu", truths);
		text_add_str(out, text);
	} else if (!truths && !lies) {
		text_add_str(out, "NULL");
	} else if (strcmp(model->name, "bool_or") == 0) {
		text_add_str(out, truths ? "true" : "false");
	} else {
		text_add_str(out, lies ? "false" : "true");
	}
}

static void model_count(const struct model *model, struct text *out)
{
	size_t count = 0;
	char text[24];

	for (size_t i = 0; i < model->count; i++)
		count += !arg(model, 0, i).is_null;
	snprintf(text, sizeof(text), "%zu", count);
	text_add_str(out, text);
}

/* Two passes, where the states take one. */
static bool model_spread(const struct model *model, double *out)
{
	bool is_population = strstr(model->name, "_pop") != NULL;
	long double mean = 0, spread = 0;
	size_t count = 0;

	for (size_t i = 0; i < model->count; i++) {
		struct literal value = arg(model, 0, i);

		count += !value.is_null;
		mean += value.is_null ? 0 : value.value.real64;
	}
	if (count < (is_population ? 1 : 2))
		return false;
	mean /= count;
	for (size_t i = 0; i < model->count; i++) {
		struct literal value = arg(model, 0, i);

		if (!value.is_null)
			spread += (value.value.real64 - mean) *
				  (value.value.real64 - mean);
	}
	spread /= is_population ? count : count - 1;
	*out = (double)(model->name[0] == 's' ? sqrtl(spread) : spread);
	return true;
}

struct model_case {
	const char *name;
	const char *types[2];
	size_t arg_count;
	void (*model)(const struct model *model, struct text *out);
};

static const struct model_case cases[] = {
	{ "count", { "VARCHAR" }, 1, model_count },
	{ "count", { "DOUBLE" }, 1, model_count },
	{ "count_if", { "BOOLEAN" }, 1, model_truth },
	{ "sum", { "INTEGER" }, 1, model_sum },
	{ "sum", { "BIGINT" }, 1, model_sum },
	{ "sum", { "DOUBLE" }, 1, model_sum },
	{ "sum", { "DECIMAL(9,2)" }, 1, model_sum },
	{ "sum", { "DECIMAL(30,4)" }, 1, model_sum },
	{ "avg", { "INTEGER" }, 1, model_sum },
	{ "avg", { "BIGINT" }, 1, model_sum },
	{ "avg", { "DECIMAL(9,2)" }, 1, model_sum },
	{ "avg", { "DECIMAL(30,4)" }, 1, model_sum },
	{ "min", { "INTEGER" }, 1, model_extreme },
	{ "max", { "BIGINT" }, 1, model_extreme },
	{ "min", { "DOUBLE" }, 1, model_extreme },
	{ "max", { "DOUBLE" }, 1, model_extreme },
	{ "max", { "VARCHAR" }, 1, model_extreme },
	{ "min", { "VARCHAR" }, 1, model_extreme },
	{ "min", { "DATE" }, 1, model_extreme },
	{ "max", { "UUID" }, 1, model_extreme },
	{ "min", { "UUID" }, 1, model_extreme },
	{ "max", { "BOOLEAN" }, 1, model_extreme },
	{ "min", { "DECIMAL(9,2)" }, 1, model_extreme },
	{ "max", { "DECIMAL(30,4)" }, 1, model_extreme },
	{ "min_by", { "VARCHAR", "BIGINT" }, 2, model_extreme },
	{ "max_by", { "INTEGER", "VARCHAR" }, 2, model_extreme },
	{ "max_by", { "VARCHAR", "DOUBLE" }, 2, model_extreme },
	{ "min_by", { "UUID", "DATE" }, 2, model_extreme },
	{ "bool_and", { "BOOLEAN" }, 1, model_truth },
	{ "every", { "BOOLEAN" }, 1, model_truth },
	{ "bool_or", { "BOOLEAN" }, 1, model_truth },
	{ "any_value", { "VARCHAR" }, 1, model_list },
	{ "any_value", { "BIGINT" }, 1, model_list },
	{ "string_agg", { "VARCHAR", "VARCHAR" }, 2, model_list },
	{ "array_agg", { "INTEGER" }, 1, model_list },
	{ "array_agg", { "BIGINT" }, 1, model_list },
	{ "array_agg", { "VARCHAR" }, 1, model_list },
};
#define CASES ARRAY_COUNT(cases)
#endif
