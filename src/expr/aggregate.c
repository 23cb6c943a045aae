/*
 * aggregate.c - aggregate functions by name, and the states of their groups
 *
 * Why:    GROUP BY, windows and plain aggregation need the same functions
 *         over many groups at once.
 * How:    one table of functions. The states of a call are columns indexed by
 *         group number (aggregate_state.h), of which each function has those
 *         it needs; a batch goes through one loop per type. Two sets of
 *         states are combined for threads and after spilling.
 * Cost:   one indirect call per batch; 8 to 40 bytes a group and what text
 *         takes.
 */
#include "expr/aggregate_state.h"
#include "expr/function_table.h"
#include "expr/type_coerce.h"

#define FIRST_CAPACITY 16

static bool resolve_count(struct aggregate_lookup *lookup)
{
	if (lookup->arg_count)
		lookup->wanted[0] = lookup->args[0];
	lookup->result = type_of(TYPE_BIGINT);
	return true;
}

/* BOOLEAN in; count_if gives BIGINT, the others BOOLEAN. */
static bool wants_truth(struct aggregate_lookup *lookup, enum type_id result)
{
	lookup->wanted[0] = type_of(TYPE_BOOLEAN);
	lookup->result = type_of(result);
	return type_coerces(&lookup->args[0], &lookup->wanted[0]);
}

static bool resolve_count_if(struct aggregate_lookup *lookup)
{
	return wants_truth(lookup, TYPE_BIGINT);
}

static bool resolve_truth(struct aggregate_lookup *lookup)
{
	return wants_truth(lookup, TYPE_BOOLEAN);
}

/* The type in which a number is summed. */
static bool wants_number(struct aggregate_lookup *lookup)
{
	const struct type *arg = &lookup->args[0];

	lookup->wanted[0] = *arg;
	if (arg->id == TYPE_UNKNOWN || arg->id == TYPE_TINYINT)
		lookup->wanted[0] = type_of(TYPE_BIGINT);
	return arg->id == TYPE_UNKNOWN || type_is_numeric(arg);
}

static bool is_integer(const struct type *type)
{
	return type->id == TYPE_INTEGER || type->id == TYPE_BIGINT;
}

static bool resolve_sum(struct aggregate_lookup *lookup)
{
	if (!wants_number(lookup))
		return false;
	lookup->result = lookup->wanted[0];
	if (is_integer(&lookup->result))
		lookup->result = type_of(TYPE_BIGINT);
	else if (lookup->result.id == TYPE_DECIMAL)
		lookup->result.precision = DECIMAL_MAX_PRECISION;
	return true;
}

static bool resolve_avg(struct aggregate_lookup *lookup)
{
	if (!wants_number(lookup))
		return false;
	lookup->result = lookup->wanted[0];
	if (is_integer(&lookup->result))
		lookup->result = type_of(TYPE_DOUBLE);
	return true;
}

static bool resolve_spread(struct aggregate_lookup *lookup)
{
	lookup->wanted[0] = lookup->result = type_of(TYPE_DOUBLE);
	return type_coerces(&lookup->args[0], &lookup->wanted[0]);
}

static bool resolve_any(struct aggregate_lookup *lookup)
{
	lookup->wanted[0] = lookup->result = lookup->args[0];
	return true;
}

static bool resolve_extreme_of(struct aggregate_lookup *lookup)
{
	return resolve_any(lookup) && type_is_orderable(&lookup->args[0]);
}

static bool resolve_by(struct aggregate_lookup *lookup)
{
	lookup->wanted[1] = lookup->args[1];
	return resolve_any(lookup) && type_is_orderable(&lookup->args[1]);
}

static bool resolve_joined(struct aggregate_lookup *lookup)
{
	lookup->result = type_of(TYPE_VARCHAR);
	for (size_t i = 0; i < lookup->arg_count; i++) {
		lookup->wanted[i] = lookup->result;
		if (!type_coerces(&lookup->args[i], &lookup->wanted[i]))
			return false;
	}
	return true;
}

static bool resolve_array_agg(struct aggregate_lookup *lookup)
{
	lookup->wanted[0] = lookup->args[0];
	return type_array_of(lookup->arena, &lookup->args[0],
			     &lookup->result);
}

#define COUNT count_parts, count_update, count_combine, count_finish
#define TRUTH truth_parts, truth_update, truth_combine, truth_finish
#define SUM sum_parts, sum_update, sum_combine, sum_finish
#define SPREAD spread_parts, spread_update, spread_combine, spread_finish
#define PICK pick_parts, pick_update, pick_combine, pick_finish
#define ARRAY array_parts, array_update, list_combine, array_finish
#define JOINED joined_parts, joined_update, list_combine, joined_finish

static const struct aggregate_function functions[] = {
	{ "count", 0, 1, false, COUNT_ALL_OR_VALUES, resolve_count, COUNT },
	{ "count_if", 1, 1, false, COUNT_TRUE, resolve_count_if, COUNT },
	{ "sum", 1, 1, false, SUM_TOTAL, resolve_sum, SUM },
	{ "avg", 1, 1, false, SUM_AVERAGE, resolve_avg, SUM },
	{ "min", 1, 1, false, PICK_MIN, resolve_extreme_of, PICK },
	{ "max", 1, 1, false, PICK_MAX, resolve_extreme_of, PICK },
	{ "min_by", 2, 2, true, PICK_MIN, resolve_by, PICK },
	{ "max_by", 2, 2, true, PICK_MAX, resolve_by, PICK },
	{ "any_value", 1, 1, true, PICK_ANY, resolve_any, PICK },
	{ "arbitrary", 1, 1, true, PICK_ANY, resolve_any, PICK },
	{ "bool_and", 1, 1, false, BOOL_AND, resolve_truth, TRUTH },
	{ "every", 1, 1, false, BOOL_AND, resolve_truth, TRUTH },
	{ "bool_or", 1, 1, false, BOOL_OR, resolve_truth, TRUTH },
	{ "stddev", 1, 1, false, SPREAD_SAMPLE | SPREAD_ROOT, resolve_spread,
	  SPREAD },
	{ "stddev_samp", 1, 1, false, SPREAD_SAMPLE | SPREAD_ROOT,
	  resolve_spread, SPREAD },
	{ "stddev_pop", 1, 1, false, SPREAD_ROOT, resolve_spread, SPREAD },
	{ "variance", 1, 1, false, SPREAD_SAMPLE, resolve_spread, SPREAD },
	{ "var_samp", 1, 1, false, SPREAD_SAMPLE, resolve_spread, SPREAD },
	{ "var_pop", 1, 1, false, 0, resolve_spread, SPREAD },
	{ "string_agg", 2, 2, true, 0, resolve_joined, JOINED },
	{ "listagg", 1, 2, true, 0, resolve_joined, JOINED },
	{ "array_agg", 1, 1, true, 0, resolve_array_agg, ARRAY },
};

static int type_failure(const struct aggregate_lookup *lookup,
			struct error *err)
{
	char first[TYPE_NAME_BYTES] = "";
	char second[TYPE_NAME_BYTES] = "";
	bool has_two = lookup->arg_count > 1;

	if (lookup->arg_count)
		type_name(&lookup->args[0], first);
	if (has_two)
		type_name(&lookup->args[1], second);
	error_set(err, ERROR_TYPE_MISMATCH, "function %s does not take "
		  "(%s%s%s)", lookup->function->name, first,
		  has_two ? ", " : "", second);
	return error_hint(err, "no conversion between text, numbers, booleans "
			  "and dates is implicit: write CAST(... AS ...)");
}

int aggregate_resolve(struct aggregate_lookup *lookup, struct error *err)
{
	const struct aggregate_function *function = NULL;
	int rc;

	lookup->function = NULL;
	for (size_t i = 0; i < ARRAY_COUNT(functions); i++) {
		if (text_equal_nocase(functions[i].name, lookup->name))
			function = &functions[i];
	}
	if (!function)
		return 0;
	if (lookup->arg_count < function->min_args ||
	    lookup->arg_count > function->max_args) {
		if (function->min_args == function->max_args)
			return error_set(err, ERROR_ARITY, "function %s takes "
				"%u argument%s, not %zu", function->name,
				function->min_args,
				function->min_args == 1 ? "" : "s",
				lookup->arg_count);
		return error_set(err, ERROR_ARITY, "function %s takes %u or "
				 "%u arguments, not %zu", function->name,
				 function->min_args, function->max_args,
				 lookup->arg_count);
	}
	lookup->function = function;
	if (function->resolve(lookup))
		return 0;
	rc = type_failure(lookup, err);
	lookup->function = NULL;
	return rc;
}

int aggregate_find(const struct aggregate_function **out, const char *name,
		   const struct type *args, size_t arg_count,
		   struct type *args_out, struct type *type_out,
		   struct error *err)
{
	struct aggregate_lookup lookup = { .name = name, .args = args,
					   .arg_count = arg_count };
	int rc = aggregate_resolve(&lookup, err);

	*out = lookup.function;
	if (!lookup.function)
		return rc;
	for (size_t i = 0; i < arg_count; i++)
		args_out[i] = lookup.wanted[i];
	*type_out = lookup.result;
	return 0;
}

const char *aggregate_name(const struct aggregate_function *function)
{
	return function->name;
}

bool aggregate_is_ordered(const struct aggregate_function *function)
{
	return function->is_ordered;
}

int aggregate_states_new(struct aggregate_states **out,
			 const struct aggregate_function *function,
			 const struct type *args, size_t arg_count,
			 const struct type *type, struct error *err)
{
	struct aggregate_states *states;

	*out = NULL;
	states = mem_zalloc(sizeof(*states));
	if (!states)
		return error_set(err, ERROR_NO_MEMORY, "aggregate states");
	states->function = function;
	states->arg_count = arg_count;
	for (size_t i = 0; i < arg_count; i++)
		states->args[i] = args[i];
	states->type = *type;
	states->parts = function->parts(states);
	if (states->parts & PART_VALUE)
		slots_init(&states->slots, &args[0]);
	if (states->parts & PART_KEY)
		slots_init(&states->keys, &args[1]);
	if (states->parts & PART_LIST)
		vector_init(&states->lists.values, args[0]);
	*out = states;
	return 0;
}

void aggregate_states_free(struct aggregate_states *states)
{
	if (!states)
		return;
	mem_free(states->counts);
	mem_free(states->sums);
	mem_free(states->highs);
	mem_free(states->means);
	mem_free(states->spreads);
	mem_free(states->floats);
	exact_pool_release(&states->wides);
	mem_free(states->winners);
	slots_release(&states->slots);
	slots_release(&states->keys);
	lists_release(&states->lists);
	mem_free(states);
}

bool aggregate_column_grow(void **column, size_t capacity, size_t width)
{
	uint8_t *grown = mem_realloc_array(*column, capacity, width);

	if (!grown)
		return false;
	*column = grown;
	return true;
}

/* A column of numbers, one a group. */
struct number_column {
	void **column;		/* NULL inside: the function has none */
	size_t width;
};
#define NUMBER_COLUMNS 6

static void number_columns(struct aggregate_states *states,
			   struct number_column out[NUMBER_COLUMNS])
{
	const struct number_column columns[NUMBER_COLUMNS] = {
		{ (void **)&states->counts, sizeof(int64_t) },
		{ (void **)&states->sums, sizeof(int128_t) },
		{ (void **)&states->highs, sizeof(int64_t) },
		{ (void **)&states->means, sizeof(double) },
		{ (void **)&states->spreads, sizeof(double) },
		{ (void **)&states->floats, sizeof(struct exact_sum) },
	};

	memcpy(out, columns, sizeof(columns));
}

/* The fixed parts, each its own allocation. A column that has grown before
 * another fails is longer than capacity says, which does no harm. */
static bool grow_columns(struct aggregate_states *states, size_t capacity)
{
	static const enum aggregate_part parts[NUMBER_COLUMNS] = {
		PART_COUNT, PART_SUM, PART_HIGH, PART_MEAN, PART_SPREAD,
		PART_FLOAT
	};
	struct number_column columns[NUMBER_COLUMNS];

	number_columns(states, columns);
	for (size_t i = 0; i < NUMBER_COLUMNS; i++) {
		if ((states->parts & parts[i]) &&
		    !aggregate_column_grow(columns[i].column, capacity,
					   columns[i].width))
			return false;
	}
	if ((states->parts & PART_VALUE) &&
	    !slots_grow(&states->slots, capacity))
		return false;
	if ((states->parts & PART_KEY) && !slots_grow(&states->keys, capacity))
		return false;
	return !(states->parts & PART_LIST) ||
	       lists_grow(&states->lists, capacity, states->parts & PART_SKIP);
}

/* Groups first .. end - 1 have seen nothing. */
static void begin_groups(struct aggregate_states *states, size_t first,
			 size_t end)
{
	struct number_column columns[NUMBER_COLUMNS];

	number_columns(states, columns);
	for (size_t i = 0; i < NUMBER_COLUMNS; i++)
		if (*columns[i].column)
			memset((uint8_t *)*columns[i].column +
			       first * columns[i].width, 0,
			       (end - first) * columns[i].width);
	if (states->parts & PART_VALUE)
		slots_begin(&states->slots, first, end);
	if (states->parts & PART_KEY)
		slots_begin(&states->keys, first, end);
	if (states->parts & PART_LIST)
		lists_begin(&states->lists, first, end);
}

int aggregate_states_grow(struct aggregate_states *states, size_t count,
			  struct error *err)
{
	size_t capacity = states->capacity ? states->capacity
					   : FIRST_CAPACITY;

	if (count <= states->count)
		return 0;
	if (count > UINT32_MAX)
		return error_set(err, ERROR_NO_MEMORY, "more than 2^32 groups");
	while (capacity < count)
		capacity *= 2;
	if (capacity > states->capacity) {
		if (!grow_columns(states, capacity))
			return error_set(err, ERROR_NO_MEMORY,
					 "states of %zu groups", count);
		states->capacity = capacity;
	}
	begin_groups(states, states->count, count);
	states->count = count;
	return 0;
}

int aggregate_update(struct aggregate_states *states,
		     const struct vector *const *args,
		     const struct selection *rows, const uint32_t *groups,
		     size_t *bad_row, struct error *err)
{
	struct aggregate_batch batch = { args, rows, groups, bad_row, err };

	if (!rows->count)
		return 0;
	*bad_row = selection_row(rows, 0);
	return states->function->update(states, &batch);
}

int aggregate_combine(struct aggregate_states *states,
		      const uint32_t *groups,
		      const struct aggregate_states *from,
		      const struct selection *rows, struct error *err)
{
	struct aggregate_join join = { from, rows, groups };

	return rows->count ? states->function->combine(states, &join, err) : 0;
}

int aggregate_finish(const struct aggregate_states *states, size_t first,
		     size_t count, struct vector *out, struct arena *heap,
		     struct error *err)
{
	struct aggregate_output output = { first, count, out, heap, err };
	int rc;

	vector_reset(out);
	rc = vector_reserve(out, count, err);
	if (rc)
		return rc;
	out->count = count;
	return count ? states->function->finish(states, &output) : 0;
}

void aggregate_states_reset(struct aggregate_states *states)
{
	size_t count = states->count;
	struct number_column columns[NUMBER_COLUMNS];

	number_columns(states, columns);
	for (size_t i = 0; i < NUMBER_COLUMNS; i++)
		if (*columns[i].column)
			memset(*columns[i].column, 0,
			       count * columns[i].width);
	exact_pool_reset(&states->wides);
	if (states->parts & PART_VALUE)
		slots_reset(&states->slots, count);
	if (states->parts & PART_KEY)
		slots_reset(&states->keys, count);
	if (states->parts & PART_LIST)
		lists_reset(&states->lists, count);
}

size_t aggregate_states_bytes(const struct aggregate_states *states)
{
	size_t count = states->count, width = 0;
	size_t bytes = sizeof(*states);

	width += states->counts ? sizeof(*states->counts) : 0;
	width += states->sums ? sizeof(*states->sums) : 0;
	width += states->highs ? sizeof(*states->highs) : 0;
	width += states->means ? sizeof(*states->means) : 0;
	width += states->spreads ? sizeof(*states->spreads) : 0;
	width += states->floats ? sizeof(*states->floats) : 0;
	bytes += width * count;
	bytes += exact_pool_bytes(&states->wides);
	bytes += states->winner_capacity * sizeof(*states->winners);
	if (states->parts & PART_VALUE)
		bytes += slots_bytes(&states->slots, count);
	if (states->parts & PART_KEY)
		bytes += slots_bytes(&states->keys, count);
	if (states->parts & PART_LIST)
		bytes += lists_bytes(&states->lists, count);
	return bytes;
}
