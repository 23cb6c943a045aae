/*
 * match_guard.c - a target row may be changed once per MERGE
 *
 * Why:    the right join emits a target row once per matching source row;
 *         applying both would make the result depend on the order of rows.
 * How:    the join hands out all pairs of a target row one after the other to
 *         one worker, so the last changed row is remembered and no bitmap of
 *         the target is needed. Rows that no WHEN clause picked never get
 *         here, so they cannot collide.
 * Cost:   one comparison a changed row.
 * Limits: relies on the order of pairs that join_probe.h promises.
 */
#include "merge/match_guard.h"

struct match_guard {
	uint64_t row_id;	/* last row changed; UINT64_MAX = none */
	uint32_t source_row;
	uint32_t clause;
	bool by_case;
	bool is_shared;		/* by_case: another clause has it too */
	uint64_t shared_rows;
	uint64_t *cases;	/* by_case: clauses that have this row */
	uint32_t *case_source;
	size_t clause_count;
	struct collision_list collisions;
};

int match_guard_new(struct match_guard **out, size_t clause_count,
		    bool by_case, struct error *err)
{
	struct match_guard *guard;

	*out = NULL;
	guard = mem_zalloc(sizeof(*guard));
	if (!guard)
		return error_set(err, ERROR_NO_MEMORY, "match guard");
	guard->row_id = UINT64_MAX;
	guard->by_case = by_case;
	guard->collisions.by_case = by_case;
	guard->clause_count = clause_count;
	guard->cases = mem_zalloc_array(BITMAP_WORDS(clause_count) + 1, 8);
	guard->case_source = mem_zalloc_array(clause_count + 1,
					      sizeof(uint32_t));
	if (!guard->cases || !guard->case_source) {
		match_guard_free(guard);
		return error_set(err, ERROR_NO_MEMORY, "match guard");
	}
	*out = guard;
	return 0;
}

void match_guard_free(struct match_guard *guard)
{
	if (!guard)
		return;
	collision_list_release(&guard->collisions);
	mem_free(guard->cases);
	mem_free(guard->case_source);
	mem_free(guard);
}

struct collision_list *match_guard_collisions(struct match_guard *guard)
{
	return &guard->collisions;
}

uint64_t match_guard_shared_rows(const struct match_guard *guard)
{
	return guard->shared_rows;
}

bool match_guard_mark(struct match_guard *guard, uint64_t row_id,
		      uint32_t source_row, uint32_t clause,
		      struct match_collision *out)
{
	bool is_new = guard->row_id != row_id;

	if (is_new) {
		guard->row_id = row_id;
		guard->source_row = source_row;
		guard->clause = clause;
		guard->is_shared = false;
		if (guard->by_case)
			memset(guard->cases, 0,
			       8 * BITMAP_WORDS(guard->clause_count));
	}
	if (guard->by_case && !bits_get(guard->cases, clause)) {
		bits_set(guard->cases, clause);
		guard->case_source[clause] = source_row;
		if (!is_new && !guard->is_shared) {
			guard->is_shared = true;
			guard->shared_rows++;
		}
		return true;
	}
	if (is_new)
		return true;
	out->row_id = row_id;
	out->first_source = guard->by_case ? guard->case_source[clause]
					   : guard->source_row;
	out->first_clause = guard->by_case ? clause : guard->clause;
	out->second_source = source_row;
	out->second_clause = clause;
	return false;
}

void collision_list_release(struct collision_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		mem_free(list->keys[i]);
	mem_free(list->open_key);
	memset(list, 0, sizeof(*list));
}

bool collision_list_has(const struct collision_list *list, uint64_t row_id)
{
	return list->is_open && list->open.row_id == row_id;
}

/* One source row of a collision. */
struct collision_side {
	uint32_t source;
	uint32_t clause;
	struct row_place place;
};

/* Put a side among the first two; a side that is there already stays. */
static void keep_side(struct collision_side sides[2], size_t *count,
		      uint32_t source, uint32_t clause,
		      const struct row_place *place)
{
	struct collision_side side = { source, clause, *place };
	size_t at = *count;

	for (size_t i = 0; i < *count; i++)
		if (sides[i].source == source && sides[i].clause == clause)
			return;
	while (at > 0 && row_place_compare(place, &sides[at - 1].place) < 0)
		at--;
	if (at == 2)
		return;
	if (at == 0 && *count)
		sides[1] = sides[0];
	sides[at] = side;
	*count = *count < 2 ? *count + 1 : 2;
}

static void keep_collision(struct collision_side sides[2], size_t *count,
			   const struct match_collision *from)
{
	keep_side(sides, count, from->first_source, from->first_clause,
		  &from->first_place);
	keep_side(sides, count, from->second_source, from->second_clause,
		  &from->second_place);
}

static void set_sides(struct match_collision *out,
		      const struct collision_side sides[2])
{
	out->first_source = sides[0].source;
	out->first_clause = sides[0].clause;
	out->first_place = sides[0].place;
	out->second_source = sides[1].source;
	out->second_clause = sides[1].clause;
	out->second_place = sides[1].place;
}

void collision_list_add(struct collision_list *list,
			const struct match_collision *collision, char *key)
{
	struct collision_side sides[2];
	size_t count = 0;

	if (!collision_list_has(list, collision->row_id)) {
		collision_list_close(list);
		list->open = *collision;
		list->open_key = key;
		list->is_open = true;
		list->total++;
	} else {
		mem_free(key);
		if (list->by_case && collision->second_clause >
					     list->open.second_clause)
			return;
		if (!list->by_case || collision->second_clause ==
					      list->open.second_clause)
			keep_collision(sides, &count, &list->open);
	}
	keep_collision(sides, &count, collision);
	set_sides(&list->open, sides);
}

static int compare_collisions(const struct match_collision *a,
			      const struct match_collision *b)
{
	int order = row_place_compare(&a->second_place, &b->second_place);

	if (!order)
		order = row_place_compare(&a->first_place, &b->first_place);
	if (!order)
		order = (a->row_id > b->row_id) - (a->row_id < b->row_id);
	return order;
}

/* Takes key. */
static void list_insert(struct collision_list *list,
			const struct match_collision *collision, char *key)
{
	size_t at = list->count;

	while (at > 0 && compare_collisions(collision,
					    &list->items[at - 1]) < 0)
		at--;
	if (at == MATCH_COLLISION_SHOWN) {
		mem_free(key);
		return;
	}
	if (list->count == MATCH_COLLISION_SHOWN)
		mem_free(list->keys[--list->count]);
	for (size_t i = list->count; i > at; i--) {
		list->items[i] = list->items[i - 1];
		list->keys[i] = list->keys[i - 1];
	}
	list->items[at] = *collision;
	list->keys[at] = key;
	list->count++;
}

void collision_list_close(struct collision_list *list)
{
	if (!list->is_open)
		return;
	list_insert(list, &list->open, list->open_key);
	list->open_key = NULL;
	list->is_open = false;
}

void collision_list_move(struct collision_list *list,
			 struct collision_list *from)
{
	collision_list_close(from);
	for (size_t i = 0; i < from->count; i++)
		list_insert(list, &from->items[i], from->keys[i]);
	list->total += from->total;
	list->is_cut |= from->is_cut;
	from->count = 0;
	from->total = 0;
}
