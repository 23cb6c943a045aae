/*
 * aggregate_number.c - counts, truth values, and how far numbers spread
 *
 * Why:    the aggregates whose state is a number or two.
 * How:    count: a number. bool_and, bool_or: bit 0 a TRUE was there, bit 1 a
 *         FALSE. variance and its kin: count, mean and the sum of squared
 *         distances by Welford's method, two of which combine by Chan's.
 * Limits: the last digits of a variance depend on the order of the rows.
 */
#include "expr/aggregate_state.h"
#include <math.h>

#define SEEN_TRUE 1
#define SEEN_FALSE 2

/* Row r of the batch goes to group g, unless it is null. */
#define BATCH_VALUES(batch, values, r, g) \
	for (size_t r, k = 0; k < (batch)->rows->count && \
	     (r = selection_row((batch)->rows, k), true); k++) \
		if (vector_is_null(values, r)) { \
		} else \
			for (uint32_t g = (batch)->groups[k], once = 1; once; \
			     once = 0)

unsigned count_parts(const struct aggregate_states *states)
{
	(void)states;
	return PART_COUNT;
}

int count_update(struct aggregate_states *states,
		 const struct aggregate_batch *batch)
{
	const struct vector *values = states->arg_count ? batch->args[0]
							: NULL;
	int64_t *counts = states->counts;

	if (states->function->variant == COUNT_TRUE) {
		const uint8_t *truth = vector_bool(values);

		BATCH_VALUES(batch, values, r, g)
			counts[g] += truth[r];
	} else if (!values || !vector_has_nulls(values)) {
		for (size_t i = 0; i < batch->rows->count; i++)
			counts[batch->groups[i]]++;
	} else {
		for (size_t i = 0; i < batch->rows->count; i++) {
			size_t r = selection_row(batch->rows, i);

			counts[batch->groups[i]] += !vector_is_null(values, r);
		}
	}
	return 0;
}

int count_combine(struct aggregate_states *states,
		const struct aggregate_join *join, struct error *err)
{
	(void)err;
	for (size_t i = 0; i < join->rows->count; i++)
		states->counts[join->groups[i]] +=
			join->from->counts[selection_row(join->rows, i)];
	return 0;
}

int count_finish(const struct aggregate_states *states,
		 const struct aggregate_output *output)
{
	memcpy(output->out->data, states->counts + output->first,
	       output->count * sizeof(int64_t));
	return 0;
}

unsigned truth_parts(const struct aggregate_states *states)
{
	(void)states;
	return PART_COUNT;
}

int truth_update(struct aggregate_states *states,
		 const struct aggregate_batch *batch)
{
	const struct vector *values = batch->args[0];
	const uint8_t *truth = vector_bool(values);

	BATCH_VALUES(batch, values, r, g)
		states->counts[g] |= truth[r] ? SEEN_TRUE : SEEN_FALSE;
	return 0;
}

int truth_combine(struct aggregate_states *states,
		const struct aggregate_join *join, struct error *err)
{
	(void)err;
	for (size_t i = 0; i < join->rows->count; i++)
		states->counts[join->groups[i]] |=
			join->from->counts[selection_row(join->rows, i)];
	return 0;
}

int truth_finish(const struct aggregate_states *states,
		 const struct aggregate_output *output)
{
	uint8_t *out = vector_bool(output->out);
	int rc = 0;

	for (size_t i = 0; i < output->count && !rc; i++) {
		int64_t seen = states->counts[output->first + i];

		if (states->function->variant == BOOL_AND)
			out[i] = !(seen & SEEN_FALSE);
		else
			out[i] = (seen & SEEN_TRUE) != 0;
		if (!seen)
			rc = vector_set_null(output->out, i, output->err);
	}
	return rc;
}

unsigned spread_parts(const struct aggregate_states *states)
{
	(void)states;
	return PART_COUNT | PART_MEAN | PART_SPREAD;
}

int spread_update(struct aggregate_states *states,
		  const struct aggregate_batch *batch)
{
	const struct vector *values = batch->args[0];
	const double *in = vector_f64(values);

	BATCH_VALUES(batch, values, r, g) {
		double delta = in[r] - states->means[g];

		states->counts[g]++;
		states->means[g] += delta / (double)states->counts[g];
		states->spreads[g] += delta * (in[r] - states->means[g]);
	}
	return 0;
}

int spread_combine(struct aggregate_states *states,
		const struct aggregate_join *join, struct error *err)
{
	const struct aggregate_states *from = join->from;

	(void)err;
	for (size_t i = 0; i < join->rows->count; i++) {
		uint32_t g = join->groups[i];
		size_t f = selection_row(join->rows, i);
		double here = (double)states->counts[g];
		double there = (double)from->counts[f];
		double delta = from->means[f] - states->means[g];

		if (!from->counts[f])
			continue;
		states->counts[g] += from->counts[f];
		if (here == 0) {
			states->means[g] = from->means[f];
			states->spreads[g] = from->spreads[f];
			continue;
		}
		states->means[g] += delta * (there / (here + there));
		states->spreads[g] += from->spreads[f] +
				      delta * delta * (here * there /
						       (here + there));
	}
	return 0;
}

int spread_finish(const struct aggregate_states *states,
		  const struct aggregate_output *output)
{
	uint8_t variant = states->function->variant;
	double *out = vector_f64(output->out);
	int rc = 0;

	for (size_t i = 0; i < output->count && !rc; i++) {
		size_t g = output->first + i;
		int64_t count = states->counts[g];

		if (variant & SPREAD_SAMPLE)
			count--;
		if (count <= 0) {
			rc = vector_set_null(output->out, i, output->err);
			continue;
		}
		out[i] = states->spreads[g] / (double)count;
		if (variant & SPREAD_ROOT)
			out[i] = sqrt(out[i]);
	}
	return rc;
}
