/*
 * aggregate_value.c - min, max, min_by, max_by and any_value
 *
 * Why:    the aggregates whose result is one of the values they have seen.
 * How:    a value that is better than the one in its group's slot replaces
 *         it. min_by and max_by do so with their keys, note which rows won,
 *         and then store the values of those rows in turn. The slots of other
 *         states are a vector like any, so combining is an update.
 * Limits: NaN wins only against nothing, as in Trino; -0.0 is the minimum
 *         and 0.0 the maximum of the two; ROW and ARRAY are
 *         ordered with NULLs inside last, where Trino refuses them.
 */
#include "expr/aggregate_state.h"
#include <math.h>

/* A batch of candidates for the slots. */
struct pick {
	const struct vector *values;
	const struct selection *rows;
	const uint32_t *groups;
	struct value_slots *slots;
	struct slot_winner *winners;	/* NULL = not asked for */
	size_t winner_count;
	struct error *err;
};

static bool is_by(const struct aggregate_states *states)
{
	return states->arg_count == 2;
}

unsigned pick_parts(const struct aggregate_states *states)
{
	return is_by(states) ? PART_VALUE | PART_KEY : PART_VALUE;
}

static inline void note_winner(struct pick *pick, size_t row, uint32_t group)
{
	if (!pick->winners)
		return;
	pick->winners[pick->winner_count].row = (uint32_t)row;
	pick->winners[pick->winner_count++].group = group;
}

#define PICK_LOOP(type_t, better) do { \
	const type_t *in = pick->values->data; \
	type_t *best = pick->slots->data; \
	uint8_t *has = pick->slots->has; \
	const struct selection *rows = pick->rows; \
	bool has_nulls = vector_has_nulls(pick->values); \
\
	for (size_t i = 0; i < rows->count; i++) { \
		size_t r = selection_row(rows, i); \
		uint32_t g = pick->groups[i]; \
\
		if (has_nulls && vector_is_null(pick->values, r)) \
			continue; \
		if (has[g] && !(better)) \
			continue; \
		has[g] = 1; \
		best[g] = in[r]; \
		note_winner(pick, r, g); \
	} \
} while (0)

#define PICK_NUMBER(type_t) do { \
	if (is_max) \
		PICK_LOOP(type_t, in[r] > best[g]); \
	else \
		PICK_LOOP(type_t, in[r] < best[g]); \
} while (0)

/* NaN loses to all. */
static inline bool is_above(double value, double best)
{
	return value > best || (isnan(best) && !isnan(value));
}

/* Of the zeroes, which are equal, the positive one is above, so that the
 * order of the rows makes no difference. */
static inline bool is_above_signed(double value, double best)
{
	return is_above(value, best) ||
	       (value == best && signbit(best) && !signbit(value));
}

/* min_by and max_by keep the first of equal keys. */
#define PICK_FLOAT(type_t) do { \
	if (pick->winners && is_max) \
		PICK_LOOP(type_t, is_above((double)in[r], (double)best[g])); \
	else if (pick->winners) \
		PICK_LOOP(type_t, is_above(-(double)in[r], \
					   -(double)best[g])); \
	else if (is_max) \
		PICK_LOOP(type_t, is_above_signed((double)in[r], \
						  (double)best[g])); \
	else \
		PICK_LOOP(type_t, is_above_signed(-(double)in[r], \
						  -(double)best[g])); \
} while (0)

#define PICK_UUID() do { \
	if (is_max) \
		PICK_LOOP(struct uuid, \
			  memcmp(&in[r], &best[g], sizeof(in[r])) > 0); \
	else \
		PICK_LOOP(struct uuid, \
			  memcmp(&in[r], &best[g], sizeof(in[r])) < 0); \
} while (0)

static int order_views(const struct type *type, struct byte_view a,
		       struct byte_view b)
{
	size_t length = a.length < b.length ? a.length : b.length;
	int order = 0;

	if (type_is_nested(type))
		return nested_compare(type, a, b);
	if (length)
		order = memcmp(a.data, b.data, length);
	return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int pick_views(struct pick *pick, bool is_max)
{
	const struct byte_view *in = vector_bytes(pick->values);
	const struct type *type = &pick->values->type;
	int rc = 0;

	for (size_t i = 0; i < pick->rows->count && !rc; i++) {
		size_t r = selection_row(pick->rows, i);
		uint32_t g = pick->groups[i];
		const struct byte_view *best = pick->slots->data;
		int order;

		if (vector_is_null(pick->values, r))
			continue;
		if (pick->slots->has[g]) {
			order = order_views(type, in[r], best[g]);
			if (is_max ? order <= 0 : order >= 0)
				continue;
		}
		rc = slots_put_view(pick->slots, g, in[r], pick->err);
		note_winner(pick, r, g);
	}
	return rc;
}

static int pick_extreme(struct pick *pick, bool is_max)
{
	const struct type *type = &pick->values->type;

	if (type_is_view(type))
		return pick_views(pick, is_max);
	switch (type->id) {
	case TYPE_UNKNOWN:	/* all null */
	case TYPE_BOOLEAN:
		PICK_NUMBER(uint8_t);
		break;
	case TYPE_TINYINT:
		PICK_NUMBER(int8_t);
		break;
	case TYPE_INTEGER:
	case TYPE_DATE:
		PICK_NUMBER(int32_t);
		break;
	case TYPE_REAL:
		PICK_FLOAT(float);
		break;
	case TYPE_DOUBLE:
		PICK_FLOAT(double);
		break;
	case TYPE_UUID:
		PICK_UUID();
		break;
	case TYPE_DECIMAL:
		if (type_is_long_decimal(type)) {
			PICK_NUMBER(int128_t);
			break;
		}
		PICK_NUMBER(int64_t);
		break;
	default:
		PICK_NUMBER(int64_t);
		break;
	}
	return 0;
}

/* The first value of each group that has none. */
static void pick_first(struct pick *pick)
{
	for (size_t i = 0; i < pick->rows->count; i++) {
		size_t r = selection_row(pick->rows, i);
		uint32_t g = pick->groups[i];

		if (pick->slots->has[g] || vector_is_null(pick->values, r))
			continue;
		pick->slots->has[g] = 1;
		note_winner(pick, r, g);
	}
}

static int winners_reserve(struct aggregate_states *states, size_t count,
			   struct error *err)
{
	struct slot_winner *grown;

	if (count <= states->winner_capacity)
		return 0;
	grown = mem_realloc_array(states->winners, count, sizeof(*grown));
	if (!grown)
		return error_set(err, ERROR_NO_MEMORY, "winners of %zu rows",
				 count);
	states->winners = grown;
	states->winner_capacity = count;
	return 0;
}

int pick_update(struct aggregate_states *states,
		const struct aggregate_batch *batch)
{
	uint8_t variant = states->function->variant;
	bool wants_winners = is_by(states) || variant == PICK_ANY;
	struct pick pick = { batch->args[is_by(states) ? 1 : 0], batch->rows,
			     batch->groups,
			     is_by(states) ? &states->keys : &states->slots,
			     NULL, 0, batch->err };
	int rc = 0;

	if (wants_winners) {
		rc = winners_reserve(states, batch->rows->count, batch->err);
		pick.winners = states->winners;
	}
	if (rc)
		return rc;
	if (variant == PICK_ANY)
		pick_first(&pick);
	else
		rc = pick_extreme(&pick, variant == PICK_MAX);
	if (!rc && wants_winners)
		rc = slots_store(&states->slots, states->count,
				 batch->args[0], pick.winners,
				 pick.winner_count, batch->err);
	return rc ? rc : slots_settle(pick.slots, states->count, batch->err);
}

int pick_combine(struct aggregate_states *states,
		 const struct aggregate_join *join, struct error *err)
{
	const struct aggregate_states *from = join->from;
	struct selection all = selection_all(join->rows->count);
	struct vector values, keys;
	const struct vector *args[] = { &values, &keys };
	struct aggregate_batch batch = { args, &all, join->groups, NULL, err };
	int rc;

	vector_init(&keys, type_of(TYPE_UNKNOWN));
	rc = slots_gather(&from->slots, join->rows, &values, err);
	if (!rc && is_by(states))
		rc = slots_gather(&from->keys, join->rows, &keys, err);
	if (!rc)
		rc = pick_update(states, &batch);
	vector_release(&values);
	vector_release(&keys);
	return rc;
}

int pick_finish(const struct aggregate_states *states,
		const struct aggregate_output *output)
{
	struct selection all = selection_all(output->count);
	struct vector values;
	int rc = slots_view(&states->slots, output->first, output->count,
			    &values, output->err);

	if (rc)
		return rc;
	output->out->count = 0;
	rc = vector_append_selected(output->out, &values, &all, output->heap,
				    output->err);
	vector_release(&values);
	return rc;
}
