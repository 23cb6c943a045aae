#ifndef EXPR_KERNEL_ZONE_H
#define EXPR_KERNEL_ZONE_H
#include "expr/kernel.h"

/*
 * A TIMESTAMP WITH TIME ZONE is an instant; the zone in which it is looked at
 * is the session's unless the expression says otherwise: at_timezone(),
 * with_timezone() and from_unixtime(x, zone) (FUNCTION_ZONED, the zone is
 * argument 1), right where a function or a cast takes their result
 * (FUNCTION_READS_ZONE), or below such functions that give an instant again.
 */

/* The state of such calls and casts: zones that were asked for. */
struct zone_state {
	void (*release)(void *state);	/* first: see FUNCTION_RELEASE */
	struct time_zone **zones;
	size_t count;
	size_t capacity;
	const struct time_zone *last;		/* of zone_find() */
	const struct time_zone *of_args;	/* NULL = the session's */
};

/* Errors: ERROR_UNSUPPORTED when the zone of an argument is no constant. */
int zone_prepare(const struct expr *node, struct arena *arena, void **state,
		 struct error *err);
int zone_find(struct zone_state *state, struct byte_view name,
	      const struct time_zone **out, struct error *err);
/* Is it a call whose result says in which zone it is to be seen? */
bool zone_is_told(const struct expr *node);
/* Does the call or cast look at the zone of its arguments? */
bool zone_is_read(const struct expr *node);

/* The zone in which the arguments are looked at, NULL = UTC. */
static inline const struct time_zone *
zone_of_args(const struct kernel_call *call)
{
	const struct zone_state *state = call->state;

	return state && state->of_args ? state->of_args : call->context->zone;
}

/* Microseconds to add to an instant, to subtract from a local time. */
static inline int64_t zone_offset_us(const struct kernel_call *call,
				     int64_t utc_us)
{
	const struct time_zone *zone = zone_of_args(call);

	return zone ? time_zone_offset(zone, floor_div(utc_us,
						       US_PER_SECOND)) *
		      US_PER_SECOND : 0;
}

static inline int64_t zone_local_offset_us(const struct kernel_call *call,
					   int64_t local_us)
{
	return time_zone_local_us(zone_of_args(call), local_us);
}

int zone_at(struct kernel_call *call);		/* at_timezone */
int zone_with(struct kernel_call *call);	/* with_timezone */
int zone_from_unixtime(struct kernel_call *call);
#endif
