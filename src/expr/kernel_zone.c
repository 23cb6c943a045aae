/*
 * kernel_zone.c - AT TIME ZONE and its like
 *
 * Why:    a table keeps instants without a zone, yet hour(t AT TIME ZONE
 *         'Europe/Berlin') must be the hour in Berlin, as in Trino.
 * How:    at_timezone changes nothing; who takes its result finds the zone in
 *         the tree when the program is made. Zones are loaded once for each
 *         call that needs them.
 * Limits: the zone is forgotten where the result goes through anything else
 *         (CASE, a column of a subquery).
 */
#include <math.h>
#include "expr/kernel_time.h"
#include "expr/kernel_zone.h"

static void zone_release(void *memory)
{
	struct zone_state *state = memory;

	for (size_t i = 0; i < state->count; i++)
		time_zone_free(state->zones[i]);
	mem_free(state->zones);
}

bool zone_is_told(const struct expr *node)
{
	return node->kind == EXPR_CALL &&
	       (node->function->flags & FUNCTION_ZONED);
}

bool zone_is_read(const struct expr *node)
{
	if (node->kind == EXPR_CAST || node->kind == EXPR_TRY_CAST)
		return node->args[0]->type.id == TYPE_TIMESTAMP_TZ;
	return node->kind == EXPR_CALL &&
	       (node->function->flags & FUNCTION_READS_ZONE);
}

/* The argument that names the zone of a value, NULL = the session's. */
static const struct expr *zone_argument(const struct expr *node)
{
	const struct expr *found = NULL;

	if (node->type.id != TYPE_TIMESTAMP_TZ)
		return NULL;
	if (zone_is_told(node))
		return node->args[1];
	if (node->kind != EXPR_CALL || !zone_is_read(node))
		return NULL;
	for (size_t i = 0; i < node->arg_count && !found; i++)
		found = zone_argument(node->args[i]);
	return found;
}

int zone_find(struct zone_state *state, struct byte_view name,
	      const struct time_zone **out, struct error *err)
{
	const struct time_zone *zone = state->last;
	int rc;

	for (size_t i = 0; ; i++) {
		const char *known;

		if (zone) {
			known = time_zone_name(zone);
			if (strlen(known) == name.length &&
			    memcmp(known, name.data, name.length) == 0) {
				*out = state->last = zone;
				return 0;
			}
		}
		if (i == state->count)
			break;
		zone = state->zones[i];
	}
	*out = NULL;
	if (!mem_grow((void **)&state->zones, &state->capacity, state->count,
		      sizeof(*state->zones)))
		return error_set(err, ERROR_NO_MEMORY, "time zones");
	rc = time_zone_new(&state->zones[state->count], name, err);
	if (rc)
		return rc;
	*out = state->last = state->zones[state->count++];
	return 0;
}

int zone_prepare(const struct expr *node, struct arena *arena, void **out,
		 struct error *err)
{
	const struct expr *named = NULL;
	struct zone_state *state = arena_zalloc(arena, sizeof(*state));
	int rc;

	*out = NULL;
	if (!state)
		return error_set(err, ERROR_NO_MEMORY, "time zones");
	state->release = zone_release;
	*out = state;
	for (size_t i = 0; i < node->arg_count && !named; i++)
		named = zone_argument(node->args[i]);
	if (!named || (named->kind == EXPR_LITERAL && named->literal.is_null))
		return 0;
	if (named->kind != EXPR_LITERAL) {
		error_set(err, ERROR_UNSUPPORTED, "the time zone of an "
			  "argument is no constant");
		rc = error_hint(err, "write a constant, or CASE with one for "
				     "each zone");
	} else {
		rc = zone_find(state, named->literal.value.bytes,
			       &state->of_args, err);
	}
	if (rc) {
		zone_release(state);
		*out = NULL;
	}
	return rc;
}

/* The zone that argument 1 names in a row. */
static int zone_of_row(struct kernel_call *call, size_t i,
		       const struct time_zone **out)
{
	int rc = zone_find(call->state, vector_bytes(call->args[1])[i], out,
			   call->err);

	return rc ? kernel_failed(call, i, rc) : 0;
}

int zone_at(struct kernel_call *call)
{
	KERNEL_ROWS(call, i) {
		const struct time_zone *zone;
		int rc = zone_of_row(call, i, &zone);

		if (rc)
			return rc;
		vector_i64(call->result)[i] = vector_i64(call->args[0])[i];
	}
	return 0;
}

int zone_with(struct kernel_call *call)
{
	KERNEL_ROWS(call, i) {
		int64_t local = vector_i64(call->args[0])[i];
		const struct time_zone *zone;
		int rc = zone_of_row(call, i, &zone);

		if (rc)
			return rc;
		if (!__builtin_sub_overflow(local,
				time_zone_local_us(zone, local),
				&vector_i64(call->result)[i]))
			continue;
		error_set(call->err, ERROR_OVERFLOW, "with_timezone: the "
			  "result is out of the range of timestamps");
		return kernel_failed(call, i, ERROR_OVERFLOW);
	}
	return 0;
}

int zone_from_unixtime(struct kernel_call *call)
{
	KERNEL_ROWS(call, i) {
		const struct time_zone *zone;
		int rc = zone_of_row(call, i, &zone);

		if (rc)
			return rc;
	}
	return time_from_unixtime(call);
}
