/*
 * group_union.c - sets of groups of several threads, read as one
 *
 * Why:    to make one set of several costs a copy of all keys and states, by
 *         one thread, and the memory for it.
 * How:    group_match.c says which groups are the same. They are gone through
 *         in the order of their first rows, so that numbers do not depend on
 *         the threads; of each circle the group that comes first stands for
 *         all. Whoever gives some thousand groups out combines their states
 *         in states of its own, so that this is shared by the threads too.
 * Cost:   16 bytes a group; a walk through the places by one thread.
 */
#include "query/group_union.h"

struct union_reader {
	const struct group_union *all;
	const bool *wanted;
	struct aggregate_states **states;	/* of wanted calls */
	struct row_ref *refs;
	/* [set * BATCH_ROW_COUNT + i]: groups of a set and what they are part
	 * of, counted from the first that is given */
	uint32_t *rows;
	uint32_t *groups;
	size_t *counts;			/* of each set */
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "groups of a query");
}

static bool is_before(const struct group_place *a, const struct group_place *b)
{
	return a->unit != b->unit ? a->unit < b->unit
				  : a->position < b->position;
}

/* The set whose next group comes first, and how many of its groups come
 * before the next of any other. */
static size_t next_run(const struct group_union *all, const size_t *at,
		       size_t *end)
{
	const struct group_place *least = NULL, *second = NULL, *places;
	size_t best = SIZE_MAX;

	for (size_t s = 0; s < all->match.table_count; s++) {
		const struct group_place *place;

		if (at[s] == all->sets[s]->table.count)
			continue;
		place = &all->sets[s]->places[at[s]];
		if (!least || is_before(place, least)) {
			second = least;
			least = place;
			best = s;
		} else if (!second || is_before(place, second)) {
			second = place;
		}
	}
	if (best == SIZE_MAX)
		return best;
	places = all->sets[best]->places;
	*end = at[best] + 1;
	while (*end < all->sets[best]->table.count &&
	       (!second || is_before(&places[*end], second)))
		++*end;
	return best;
}

/* Groups first .. end - 1 of a set; those of circles that were met before
 * are marked in known. */
static void put_run(struct group_union *all, size_t set, size_t first,
		    size_t end, uint8_t **known)
{
	struct group_ref **next = all->match.next;

	for (size_t g = first; g < end; g++) {
		struct group_ref one = { (uint32_t)set, (uint32_t)g };
		struct group_ref other;

		if (known[set][g])
			continue;
		all->order[all->count++] = one;
		for (other = next[set][g]; other.table != set;
		     other = next[other.table][other.group])
			known[other.table][other.group] = 1;
	}
}

static int put_in_order(struct group_union *all, struct error *err)
{
	size_t count = all->match.table_count, set, end, groups = 0;
	uint8_t **known = mem_zalloc_array(count + 1, sizeof(*known));
	size_t *at = mem_zalloc_array(count + 1, sizeof(*at));
	int rc = known && at ? 0 : no_memory(err);

	for (size_t s = 0; !rc && s < count; s++) {
		known[s] = mem_zalloc_array(all->sets[s]->table.count + 1, 1);
		groups += all->sets[s]->table.count;
		if (!known[s])
			rc = no_memory(err);
	}
	if (!rc)
		all->order = mem_alloc_array(groups + 1, sizeof(*all->order));
	if (!rc && !all->order)
		rc = no_memory(err);
	while (!rc && (set = next_run(all, at, &end)) != SIZE_MAX) {
		put_run(all, set, at[set], end, known);
		at[set] = end;
		rc = interrupt_check(err);
	}
	for (size_t s = 0; known && s < count; s++)
		mem_free(known[s]);
	mem_free(known);
	mem_free(at);
	return rc;
}

int group_union_init(struct group_union *all,
		     const struct group_set *const *sets, size_t set_count,
		     size_t thread_count, struct error *err)
{
	const struct group_table **tables;
	int rc = 0;

	memset(all, 0, sizeof(*all));
	all->layout = sets[0]->layout;
	all->sets = mem_alloc_array(set_count, sizeof(*all->sets));
	tables = mem_alloc_array(set_count, sizeof(*tables));
	if (!all->sets || !tables)
		rc = no_memory(err);
	for (size_t s = 0; !rc && s < set_count; s++) {
		all->sets[s] = sets[s];
		tables[s] = &sets[s]->table;
	}
	if (!rc)
		rc = group_match_init(&all->match, tables, set_count,
				      thread_count, err);
	mem_free(tables);
	if (!rc)
		rc = put_in_order(all, err);
	if (rc)
		group_union_release(all);
	return rc;
}

void group_union_release(struct group_union *all)
{
	group_match_release(&all->match);
	mem_free(all->sets);
	mem_free(all->order);
	memset(all, 0, sizeof(*all));
}

struct group_place group_union_place(const struct group_union *all,
				     size_t group)
{
	struct group_ref one = all->order[group], at = one;
	struct group_place out = all->sets[one.table]->places[one.group];

	for (;;) {
		const struct group_place *place;
		uint8_t sides;

		at = all->match.next[at.table][at.group];
		if (at.table == one.table)
			return out;
		place = &all->sets[at.table]->places[at.group];
		sides = out.sides | place->sides;
		if (is_before(place, &out))
			out = *place;
		out.sides = sides;
	}
}

static int states_init(struct union_reader *self, struct error *err)
{
	const struct group_layout *layout = self->all->layout;
	int rc = 0;

	for (size_t c = 0; !rc && c < layout->call_count; c++) {
		if (!self->wanted[layout->group_count + c])
			continue;
		rc = group_call_states_new(&self->states[c],
					   &layout->calls[c], err);
		if (!rc)
			rc = aggregate_states_grow(self->states[c],
						   BATCH_ROW_COUNT, err);
	}
	return rc;
}

int union_reader_new(struct union_reader **out, const struct group_union *all,
		     const bool *wanted, struct error *err)
{
	struct union_reader *self = mem_zalloc(sizeof(*self));
	size_t sets = all->match.table_count;
	int rc = 0;

	*out = NULL;
	if (!self)
		return no_memory(err);
	self->all = all;
	self->wanted = wanted;
	self->states = mem_zalloc_array(all->layout->call_count + 1,
					sizeof(*self->states));
	self->refs = mem_alloc_array(BATCH_ROW_COUNT, sizeof(*self->refs));
	self->rows = mem_alloc_array(sets * BATCH_ROW_COUNT,
				     sizeof(*self->rows));
	self->groups = mem_alloc_array(sets * BATCH_ROW_COUNT,
				       sizeof(*self->groups));
	self->counts = mem_alloc_array(sets, sizeof(*self->counts));
	if (!self->states || !self->refs || !self->rows || !self->groups ||
	    !self->counts)
		rc = no_memory(err);
	if (!rc)
		rc = states_init(self, err);
	if (rc) {
		union_reader_free(self);
		return rc;
	}
	*out = self;
	return 0;
}

void union_reader_free(struct union_reader *reader)
{
	if (!reader)
		return;
	for (size_t c = 0;
	     reader->states && c < reader->all->layout->call_count; c++)
		aggregate_states_free(reader->states[c]);
	mem_free(reader->states);
	mem_free(reader->refs);
	mem_free(reader->rows);
	mem_free(reader->groups);
	mem_free(reader->counts);
	mem_free(reader);
}

int union_reader_keys(struct union_reader *reader, const uint32_t *groups,
		      size_t count, struct batch *out, struct error *err)
{
	const struct group_union *all = reader->all;
	int rc = 0;

	for (size_t i = 0; i < count; i++) {
		struct group_ref one = all->order[groups[i]];

		reader->refs[i].columns = all->sets[one.table]->table.keys;
		reader->refs[i].row = one.group;
	}
	for (size_t k = 0; !rc && k < all->layout->group_count; k++)
		if (reader->wanted[k])
			rc = rows_gather(reader->refs, count, k,
					 &out->columns[k], err);
	return rc;
}

/* What of each set is part of the groups. */
static void list_members(struct union_reader *reader, size_t first,
			 size_t count)
{
	const struct group_union *all = reader->all;

	memset(reader->counts, 0,
	       all->match.table_count * sizeof(*reader->counts));
	for (size_t i = 0; i < count; i++) {
		struct group_ref one = all->order[first + i], at = one;

		do {
			size_t n = at.table * (size_t)BATCH_ROW_COUNT +
				   reader->counts[at.table]++;

			reader->rows[n] = at.group;
			reader->groups[n] = (uint32_t)i;
			at = all->match.next[at.table][at.group];
		} while (at.table != one.table);
	}
}

int union_reader_calls(struct union_reader *reader, size_t first,
		       size_t count, struct batch *out, struct error *err)
{
	const struct group_union *all = reader->all;
	size_t column = all->layout->group_count;
	int rc = 0;

	list_members(reader, first, count);
	for (size_t c = 0; !rc && c < all->layout->call_count; c++) {
		struct aggregate_states *states = reader->states[c];

		if (!states)
			continue;
		aggregate_states_reset(states);
		for (size_t s = 0; !rc && s < all->match.table_count; s++) {
			size_t n = s * BATCH_ROW_COUNT;
			struct selection rows = { reader->rows + n,
						  reader->counts[s] };

			rc = aggregate_combine(states, reader->groups + n,
					       all->sets[s]->states[c], &rows,
					       err);
		}
		if (!rc)
			rc = aggregate_finish(states, 0, count,
					      &out->columns[column + c],
					      &out->heap, err);
	}
	return rc;
}
