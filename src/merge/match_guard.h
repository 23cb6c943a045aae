#ifndef MERGE_MATCH_GUARD_H
#define MERGE_MATCH_GUARD_H
#include "join/join.h"

/*
 * Remembers what a MERGE has done to the target row at hand, so that a second
 * source row for it is an error, never a silent last one wins. The join gives
 * all pairs of one target row together, to one worker; so one row is all
 * there is to remember. For one thread.
 *
 * by_case: only the same WHEN clause twice is refused (Trino's own pair of
 * row id and case number).
 */
struct match_guard;

int match_guard_new(struct match_guard **out, size_t clause_count,
		    bool by_case, struct error *err);
void match_guard_free(struct match_guard *guard);

/* A refused pair and the one that was there before. */
struct match_collision {
	uint64_t row_id;
	uint32_t first_source;	/* rows of the store */
	uint32_t second_source;
	uint32_t first_clause;
	uint32_t second_clause;
	/* Of the two sources; filled in by the caller. */
	struct row_place first_place;
	struct row_place second_place;
};
/*
 * Clause `clause` picks target row row_id for a source row. Returns false and
 * fills *out when the row is taken already.
 */
bool match_guard_mark(struct match_guard *guard, uint64_t row_id,
		      uint32_t source_row, uint32_t clause,
		      struct match_collision *out);
/* by_case: rows that more than one clause has changed. */
uint64_t match_guard_shared_rows(const struct match_guard *guard);

/*
 * Collisions for the message: how many target rows, and the first few by the
 * place of the second source row. For each target row the two source rows
 * that come first in the input, so that the message does not depend on the
 * order in which they were joined.
 */
#define MATCH_COLLISION_SHOWN 10
struct collision_list {
	struct match_collision items[MATCH_COLLISION_SHOWN];
	char *keys[MATCH_COLLISION_SHOWN];	/* "id = 5", owned */
	size_t count;
	uint64_t total;
	bool is_cut;	/* there may be more than total */
	/* The target row at hand, not in items yet. */
	struct match_collision open;
	char *open_key;
	bool is_open;
	bool by_case;	/* both source rows of an item have one clause */
};
void collision_list_release(struct collision_list *list);
/* Is the collision on the target row at hand? Then its key is known. */
bool collision_list_has(const struct collision_list *list, uint64_t row_id);
/* Collisions of one target row come one after the other. Take key (may be
 * NULL). */
void collision_list_add(struct collision_list *list,
			const struct match_collision *collision, char *key);
/* No more collisions: the row at hand goes to the items. */
void collision_list_close(struct collision_list *list);
/* The items of a closed list to another; from is empty afterwards. */
void collision_list_move(struct collision_list *list,
			 struct collision_list *from);
struct collision_list *match_guard_collisions(struct match_guard *guard);
#endif
