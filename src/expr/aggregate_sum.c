/*
 * aggregate_sum.c - sum and avg
 *
 * Why:    a sum of integers or decimals must not depend on the order of the
 *         rows or on the number of threads, nor fail because it was too
 *         large for a moment.
 * How:    integers are added in 128 bits, which 2^64 rows cannot overflow.
 *         Decimals are added in 192 bits: a low word of 128, taken as
 *         unsigned, and a high one of 64. Only the result is checked. REAL
 *         and DOUBLE have sums of their own (expr/exact_sum.h) that are
 *         rounded once. An average divides the sum once.
 */
#include "expr/aggregate_state.h"

static bool is_float(const struct aggregate_states *states)
{
	return states->args[0].id == TYPE_REAL ||
	       states->args[0].id == TYPE_DOUBLE;
}

unsigned sum_parts(const struct aggregate_states *states)
{
	if (is_float(states))
		return PART_COUNT | PART_FLOAT;
	if (states->args[0].id == TYPE_DECIMAL)
		return PART_COUNT | PART_SUM | PART_HIGH;
	return PART_COUNT | PART_SUM;
}

/* Add 192 bits: high * 2^128 + low. */
static void add_wide(struct aggregate_states *states, size_t g, int64_t high,
		     uint128_t low)
{
	uint128_t sum = (uint128_t)states->sums[g] + low;

	states->highs[g] += high + (sum < low);
	states->sums[g] = (int128_t)sum;
}

#define ADD_LOOP(type_t, statement) do { \
	const type_t *in = values->data; \
	const struct selection *rows = batch->rows; \
\
	for (size_t i = 0; i < rows->count; i++) { \
		size_t r = selection_row(rows, i); \
		uint32_t g = batch->groups[i]; \
\
		if (has_nulls && vector_is_null(values, r)) \
			continue; \
		counts[g]++; \
		statement; \
	} \
} while (0)

int sum_update(struct aggregate_states *states,
	       const struct aggregate_batch *batch)
{
	const struct vector *values = batch->args[0];
	bool has_nulls = vector_has_nulls(values);
	int64_t *counts = states->counts;
	int128_t *sums = states->sums;
	struct exact_sum *floats = states->floats;
	int rc = 0;

	switch (values->type.id) {
	case TYPE_INTEGER:
		ADD_LOOP(int32_t, sums[g] += in[r]);
		break;
	case TYPE_BIGINT:
		ADD_LOOP(int64_t, sums[g] += in[r]);
		break;
	case TYPE_REAL:
		ADD_LOOP(float, rc |= exact_sum_add(&floats[g], &states->wides,
						    (double)in[r],
						    batch->err));
		break;
	case TYPE_DOUBLE:
		ADD_LOOP(double, rc |= exact_sum_add(&floats[g],
						     &states->wides, in[r],
						     batch->err));
		break;
	default:
		if (type_is_short_decimal(&values->type))
			ADD_LOOP(int64_t,
				 add_wide(states, g, in[r] < 0 ? -1 : 0,
					  (uint128_t)(int128_t)in[r]));
		else
			ADD_LOOP(int128_t,
				 add_wide(states, g, in[r] < 0 ? -1 : 0,
					  (uint128_t)in[r]));
		break;
	}
	return rc ? ERROR_NO_MEMORY : 0;
}

int sum_combine(struct aggregate_states *states,
		const struct aggregate_join *join, struct error *err)
{
	const struct aggregate_states *from = join->from;
	int rc = 0;

	for (size_t i = 0; i < join->rows->count && !rc; i++) {
		uint32_t g = join->groups[i];
		size_t f = selection_row(join->rows, i);

		states->counts[g] += from->counts[f];
		if (states->parts & PART_FLOAT)
			rc = exact_sum_combine(&states->floats[g],
					       &states->wides,
					       &from->floats[f], &from->wides,
					       err);
		else if (states->parts & PART_HIGH)
			add_wide(states, g, from->highs[f],
				 (uint128_t)from->sums[f]);
		else
			states->sums[g] += from->sums[f];
	}
	return rc;
}

/* round(sum / count), a half away from zero; the sum is 192 bits wide, the
 * quotient fits 128 as each value did. */
static int128_t divide_wide(int64_t high, uint128_t low, uint64_t count)
{
	bool is_negative = high < 0;
	uint64_t words[3];
	uint128_t rest = 0, quotient = 0;

	if (is_negative) {
		low = -low;
		high = (int64_t)(~(uint64_t)high + (low == 0));
	}
	words[0] = (uint64_t)high;
	words[1] = (uint64_t)(low >> 64);
	words[2] = (uint64_t)low;
	for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
		rest = rest << 64 | words[i];
		quotient = quotient << 64 | rest / count;
		rest %= count;
	}
	if (rest >= count - rest)
		quotient++;
	return is_negative ? -(int128_t)quotient : (int128_t)quotient;
}

static void finish_float(const struct aggregate_states *states,
			 const struct aggregate_output *output)
{
	bool is_average = states->function->variant == SUM_AVERAGE;

	for (size_t i = 0; i < output->count; i++) {
		size_t g = output->first + i;
		double value = exact_sum_value(&states->floats[g],
					       &states->wides);

		if (is_average && states->counts[g])
			value /= (double)states->counts[g];
		if (states->type.id == TYPE_REAL)
			vector_f32(output->out)[i] = (float)value;
		else
			vector_f64(output->out)[i] = value;
	}
}

static int sum_overflow(const struct aggregate_states *states,
			struct error *err)
{
	char name[TYPE_NAME_BYTES];

	error_set(err, ERROR_OVERFLOW, "a sum does not fit %s",
		  type_name(&states->type, name));
	return error_hint(err, "cast the argument of sum to a wider type");
}

static int finish_integer(const struct aggregate_states *states,
			  const struct aggregate_output *output)
{
	bool is_average = states->function->variant == SUM_AVERAGE;

	for (size_t i = 0; i < output->count; i++) {
		size_t g = output->first + i;
		int128_t sum = states->sums[g];

		if (is_average) {
			if (states->counts[g])
				vector_f64(output->out)[i] = (double)sum /
					(double)states->counts[g];
			continue;
		}
		if (sum < INT64_MIN || sum > INT64_MAX)
			return sum_overflow(states, output->err);
		vector_i64(output->out)[i] = (int64_t)sum;
	}
	return 0;
}

static int finish_decimal(const struct aggregate_states *states,
			  const struct aggregate_output *output)
{
	bool is_average = states->function->variant == SUM_AVERAGE;

	for (size_t i = 0; i < output->count; i++) {
		size_t g = output->first + i;
		int128_t sum = states->sums[g];

		if (!states->counts[g])
			continue;
		if (is_average)
			sum = divide_wide(states->highs[g], (uint128_t)sum,
					  (uint64_t)states->counts[g]);
		else if (states->highs[g] != (sum < 0 ? -1 : 0) ||
			 !decimal_fits(sum, DECIMAL_MAX_PRECISION))
			return sum_overflow(states, output->err);
		if (type_is_short_decimal(&states->type))
			vector_i64(output->out)[i] = (int64_t)sum;
		else
			vector_i128(output->out)[i] = sum;
	}
	return 0;
}

int sum_finish(const struct aggregate_states *states,
	       const struct aggregate_output *output)
{
	int rc = 0;

	if (is_float(states))
		finish_float(states, output);
	else if (states->args[0].id == TYPE_DECIMAL)
		rc = finish_decimal(states, output);
	else
		rc = finish_integer(states, output);
	for (size_t i = 0; i < output->count && !rc; i++) {
		if (!states->counts[output->first + i])
			rc = vector_set_null(output->out, i, output->err);
	}
	return rc;
}
