/*
 * window_aggregate.c - aggregates over the frames of rows
 *
 * Why:    a frame that moves along with the row must not be gone through
 *         again for each row.
 * How:    both ends of a frame only go up. The rows from a point on, the
 *         middle, are added to one state as they come. For each row before it
 *         the state of it and all up to the middle is kept; a frame is one of
 *         these and the state behind the middle. When the frame has left the
 *         middle behind, these are made for all its rows, from the last to
 *         the first, and the middle is the frame's end. Nothing is ever taken
 *         away from a sum, so that floating point stays exact as it can be.
 *         A frame whose start stays needs nothing but the one state.
 * Cost:   each row is added twice and combined twice; the states of as many
 *         rows as a moving frame has.
 * Limits: array_agg and string_agg, whose results are as long as the frame,
 *         are computed anew when its start moves.
 */
#include "query/window_state.h"

/* States of frames that long are kept from one partition to the next. */
#define KEPT_SUFFIXES ((size_t)4096)

int window_states_new(const struct window_source *source, size_t call,
		      size_t group_count, struct aggregate_states **out,
		      struct error *err)
{
	const struct aggregate_call *what =
		&source->window->calls[call].aggregate;
	struct type types[AGGREGATE_ARG_LIMIT];
	size_t first = source->calls[call].first_arg;
	int rc;

	for (size_t i = 0; i < what->arg_count; i++)
		types[i] = source->types[first + i];
	rc = aggregate_states_new(out, what->function, types, what->arg_count,
				  &what->type, err);
	if (!rc)
		rc = aggregate_states_grow(*out, group_count, err);
	if (rc) {
		aggregate_states_free(*out);
		*out = NULL;
	}
	return rc;
}

/* Rows low .. high - 1 to group 0 of the states, or each to one of its own. */
static int feed(struct window_stream *self, size_t call,
		struct aggregate_states *states, bool apart, size_t low,
		size_t high, struct error *err)
{
	const struct window_call_place *place = &self->source->calls[call];
	const struct aggregate_call *what =
		&self->source->window->calls[call].aggregate;
	uint32_t groups[BATCH_ROW_COUNT], picked[BATCH_ROW_COUNT];
	size_t base = low;

	while (low < high) {
		const struct vector *args[AGGREGATE_ARG_LIMIT];
		const struct vector *columns, *flag = NULL;
		struct selection rows = { picked, 0 };
		size_t first, end, bad;
		int rc = window_locate_page(self, low, &columns, &first, &end,
					    err);

		if (rc)
			return rc;
		end = end < high ? end : high;
		if (place->filter != SIZE_MAX)
			flag = &columns[place->filter];
		for (size_t i = 0; i < what->arg_count; i++)
			args[i] = &columns[place->first_arg + i];
		for (size_t row = low - first; row < end - first; row++) {
			picked[rows.count] = (uint32_t)row;
			groups[rows.count] = apart ? (uint32_t)(first + row -
								base) : 0;
			rows.count += !flag || (!vector_is_null(flag, row) &&
						vector_bool(flag)[row]);
		}
		if (rows.count)
			rc = aggregate_update(states, args, &rows, groups,
					      &bad, err);
		if (rc)
			return rc;
		low = end;
	}
	return 0;
}

static int combine_one(struct aggregate_states *to, uint32_t group,
		       const struct aggregate_states *from, size_t number,
		       struct error *err)
{
	uint32_t row = (uint32_t)number;
	struct selection one = { &row, 1 };

	return aggregate_combine(to, &group, from, &one, err);
}

/* Empty states for so many rows. */
static int reset_suffixes(struct window_stream *self, size_t call,
			  size_t count, struct error *err)
{
	struct window_progress *own = &self->progress[call];

	/* emptying is in proportion to the longest frame there was */
	if (own->suffixes && own->suffix_count > KEPT_SUFFIXES &&
	    own->suffix_count / 4 > count) {
		aggregate_states_free(own->suffixes);
		own->suffixes = NULL;
	}
	if (!own->suffixes) {
		own->suffix_count = count;
		return window_states_new(self->source, call, count,
					 &own->suffixes, err);
	}
	aggregate_states_reset(own->suffixes);
	if (own->suffix_count < count)
		own->suffix_count = count;
	return aggregate_states_grow(own->suffixes, count, err);
}

/* The middle becomes the end of the frame. */
static int move_middle(struct window_stream *self, size_t call, size_t low,
		       size_t high, struct error *err)
{
	struct window_progress *own = &self->progress[call];
	size_t count = high - low;
	int rc = interrupt_check(err);

	if (!rc && count > UINT32_MAX)
		rc = error_set(err, ERROR_UNSUPPORTED, "a window frame of "
			       "more than 4 billion rows");
	aggregate_states_reset(own->states);
	own->middle = own->seen_high = high;
	own->suffix_first = low;
	if (rc || !count)
		return rc;
	rc = reset_suffixes(self, call, count, err);
	if (!rc)
		rc = feed(self, call, own->suffixes, true, low, high, err);
	for (size_t i = count - 1; !rc && i > 0; i--)
		rc = combine_one(own->suffixes, (uint32_t)(i - 1),
				 own->suffixes, i, err);
	return rc;
}

/* Begin anew with the first row of the frame. */
static int begin_frame(struct window_stream *self, size_t call, size_t low,
		       struct error *err)
{
	struct window_progress *own = &self->progress[call];

	aggregate_states_reset(own->states);
	own->middle = own->seen_high = low;
	return interrupt_check(err);
}

/* Bring the states to the frame low .. high - 1. */
static int follow(struct window_stream *self, size_t call, size_t low,
		  size_t high, struct error *err)
{
	struct window_progress *own = &self->progress[call];
	const struct aggregate_call *what =
		&self->source->window->calls[call].aggregate;
	bool is_list = aggregate_is_ordered(what->function);
	int rc = 0;

	if (own->middle == SIZE_MAX || high < own->seen_high ||
	    (is_list && low != own->middle))
		rc = begin_frame(self, call, low, err);
	else if (low > own->middle)
		rc = move_middle(self, call, low, high, err);
	if (!rc && high > own->seen_high) {
		rc = feed(self, call, own->states, false, own->seen_high, high,
			  err);
		own->seen_high = high;
	}
	return rc;
}

/* What the states say of the frame that they follow. */
static int finish(struct window_stream *self, size_t call, size_t low,
		  struct error *err)
{
	struct window_progress *own = &self->progress[call];
	struct aggregate_states *states = own->states;
	int rc = 0;

	if (low < own->middle) {
		if (!own->both)
			rc = window_states_new(self->source, call, 1,
					       &own->both, err);
		if (rc)
			return rc;
		states = own->both;
		aggregate_states_reset(states);
		rc = combine_one(states, 0, own->suffixes,
				 low - own->suffix_first, err);
		if (!rc)
			rc = combine_one(states, 0, own->states, 0, err);
	}
	return rc ? rc : aggregate_finish(states, 0, 1, &own->value,
					  &self->out.heap, err);
}

int window_aggregate(struct window_stream *self, size_t call, size_t first,
		     size_t count, struct vector *out, struct error *err)
{
	struct window_progress *own = &self->progress[call];
	const uint32_t zero = 0;
	const struct selection one = { &zero, 1 };
	int rc = 0;

	vector_reset(out);
	own->has_value = false;		/* its bytes are gone */
	for (size_t i = 0; !rc && i < count; i++) {
		size_t low, high;

		rc = window_frame(self, call, first + i, &self->places[i],
				  &low, &high, err);
		if (rc)
			return rc;
		if (!own->has_value || low != own->value_low ||
		    high != own->value_high) {
			rc = follow(self, call, low, high, err);
			if (!rc)
				rc = finish(self, call, low, err);
			own->has_value = !rc;
			own->value_low = low;
			own->value_high = high;
		}
		if (!rc)
			rc = vector_append_selected(out, &own->value, &one,
						    NULL, err);
	}
	return rc;
}
