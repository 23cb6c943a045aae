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
	list->count = 0;
	list->total = 0;
}

void collision_list_add(struct collision_list *list,
			const struct match_collision *collision,
			uint64_t line, char *key)
{
	size_t at = list->count;

	list->total++;
	while (at > 0 && list->lines[at - 1] > line)
		at--;
	if (at == MATCH_COLLISION_SHOWN) {
		mem_free(key);
		return;
	}
	if (list->count == MATCH_COLLISION_SHOWN)
		mem_free(list->keys[--list->count]);
	for (size_t i = list->count; i > at; i--) {
		list->items[i] = list->items[i - 1];
		list->lines[i] = list->lines[i - 1];
		list->keys[i] = list->keys[i - 1];
	}
	list->items[at] = *collision;
	list->lines[at] = line;
	list->keys[at] = key;
	list->count++;
}
