/*
 * merge_failure.c - which of several failures is told
 *
 * Why:    two workers may fail at two rows; what is said must not depend on
 *         which was faster, nor on how many they are.
 * How:    a failure has a place in the input, and the first place wins. A
 *         worker goes on until it is past the place of a known failure.
 * Cost:   one relaxed load a batch while nothing has failed.
 */
#include "merge/merge_state.h"
#include <stdio.h>

void merge_failure_init(struct merge_failure *failure)
{
	memset(failure, 0, sizeof(*failure));
	pthread_mutex_init(&failure->lock, NULL);
}

void merge_failure_release(struct merge_failure *failure)
{
	pthread_mutex_destroy(&failure->lock);
}

struct row_place merge_batch_place(const struct batch *batch)
{
	struct row_place place = { batch->origin, batch->lines != NULL,
				   batch->first_row, batch->unit };

	if (batch->lines && batch->row_count)
		place.line = batch->lines[0];
	return place;
}

void merge_failure_add(struct merge_failure *failure,
		       const struct row_place *place, const struct error *err)
{
	pthread_mutex_lock(&failure->lock);
	if (!failure->is_set ||
	    row_place_compare(place, &failure->place) < 0) {
		failure->place = *place;
		failure->err = *err;
		if (place->origin) {
			snprintf(failure->origin, sizeof(failure->origin),
				 "%s", place->origin);
			failure->place.origin = failure->origin;
		}
	}
	__atomic_store_n(&failure->is_set, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&failure->lock);
}

bool merge_failure_is_before(struct merge_failure *failure,
			     const struct row_place *place)
{
	bool is_before;

	if (!__atomic_load_n(&failure->is_set, __ATOMIC_ACQUIRE))
		return false;
	pthread_mutex_lock(&failure->lock);
	is_before = row_place_compare(&failure->place, place) < 0;
	pthread_mutex_unlock(&failure->lock);
	return is_before;
}

int merge_failure_tell(struct merge_failure *failure, int rc,
		       struct error *err)
{
	if (!failure->is_set)
		return rc;
	if (err)
		*err = failure->err;
	return failure->err.code;
}
