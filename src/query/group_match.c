/*
 * group_match.c - threads learn which of their groups are the same
 *
 * Why:    each thread that reads an input numbers the groups it meets; to put
 *         all into one table again costs as much as a thread had to do, and
 *         one thread alone would do it.
 * How:    groups are dealt out by the upper bits of their hashes, some
 *         thousand to a part, and threads take parts. The groups of one table
 *         after another walk a small table of slots, by whole hashes; a slot
 *         knows the group that came last, and what walks on to it is compared
 *         with that. Groups of one table differ, so they need not meet.
 * Cost:   some 30 ns a group, shared by the threads; 12 bytes a group, 8 of
 *         which stay.
 */
#include "query/group_match.h"

/* Slots of so many groups fit the cache of a processor. */
#define PART_GROUPS ((size_t)16 << 10)
#define PART_BITS_LIMIT 12

/* What the threads share. */
struct matching {
	struct group_match *match;
	const struct group_table *const *tables;
	unsigned part_bits;
	uint32_t **numbers;	/* [table]: its groups by part */
	size_t **first;		/* [table][part]: where those begin */
	size_t next_table;	/* atomic */
	size_t next_part;	/* atomic */
};

struct match_slot {
	uint64_t hash;
	struct group_ref last;	/* table GROUP_NONE: free */
};

/* One thread. */
struct matcher {
	struct matching *shared;
	struct match_slot *slots;
	size_t slot_capacity;
	size_t mask;
	uint32_t table;		/* whose groups walk */
	const uint32_t *groups;
	size_t at[BATCH_ROW_COUNT];
	uint32_t pending[BATCH_ROW_COUNT];
	uint32_t picked[BATCH_ROW_COUNT];
	uint32_t rows[BATCH_ROW_COUNT];
	uint32_t others[BATCH_ROW_COUNT];
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "groups of a query");
}

static size_t part_of(const struct matching *shared, uint64_t hash)
{
	return (size_t)(hash >> 32 >> (32 - shared->part_bits));
}

/* Deal the groups of a table out; each is alone at first. */
static int deal_table(struct matching *shared, size_t t, struct error *err)
{
	const struct group_table *table = shared->tables[t];
	size_t parts = (size_t)1 << shared->part_bits;
	size_t *first = mem_zalloc_array(parts + 2, sizeof(*first));
	uint32_t *numbers = mem_alloc_array(table->count + 1,
					    sizeof(*numbers));
	struct group_ref *next = mem_alloc_array(table->count + 1,
						 sizeof(*next));

	shared->first[t] = first;
	shared->numbers[t] = numbers;
	shared->match->next[t] = next;
	if (!first || !numbers || !next)
		return no_memory(err);
	/* first[p + 1] goes from the start of part p to its end */
	for (size_t g = 0; g < table->count; g++)
		first[part_of(shared, table->hashes[g]) + 2]++;
	for (size_t p = 2; p < parts + 2; p++)
		first[p] += first[p - 1];
	for (size_t g = 0; g < table->count; g++) {
		numbers[first[part_of(shared, table->hashes[g]) + 1]++] =
			(uint32_t)g;
		next[g].table = (uint32_t)t;
		next[g].group = (uint32_t)g;
	}
	return 0;
}

static int deal_tables(void *context, size_t worker, struct error *err)
{
	struct matching *shared = context;
	int rc = 0;

	(void)worker;
	while (!rc) {
		size_t t = __atomic_fetch_add(&shared->next_table, 1,
					      __ATOMIC_RELAXED);

		if (t >= shared->match->table_count)
			break;
		rc = deal_table(shared, t, err);
	}
	return rc;
}

/* Walk to a free slot, which is taken, or one with the hash: true. */
static bool walk(struct matcher *self, size_t i)
{
	uint32_t group = self->groups[i];
	uint64_t hash = self->shared->tables[self->table]->hashes[group];
	size_t at = self->at[i];

	for (;; at = (at + 1) & self->mask) {
		struct match_slot *slot = &self->slots[at];

		if (slot->last.table == GROUP_NONE) {
			slot->hash = hash;
			slot->last.table = self->table;
			slot->last.group = group;
			return false;
		}
		if (slot->hash == hash && slot->last.table != self->table)
			break;
	}
	self->at[i] = at;
	return true;
}

/* The group is the same as the one that the slot knows. */
static void join_circle(struct matcher *self, struct match_slot *slot,
			uint32_t group)
{
	struct group_ref **next = self->shared->match->next;
	struct group_ref *old = &next[slot->last.table][slot->last.group];
	struct group_ref self_ref = { self->table, group };

	next[self->table][group] = *old;
	*old = self_ref;
	slot->last = self_ref;
}

/* Compare those in pending whose slot knows a group of table `other`; which
 * are the same is settled, `same` is left of the others. */
static void compare_with(struct matcher *self, uint32_t other, size_t count,
			 uint64_t *same)
{
	const struct group_table *a = self->shared->tables[self->table];
	const struct group_table *b = self->shared->tables[other];
	uint64_t bits[BITMAP_WORDS(BATCH_ROW_COUNT)];
	size_t n = 0;

	for (size_t j = 0; j < count; j++) {
		uint32_t i = self->pending[j];
		struct match_slot *slot = &self->slots[self->at[i]];

		if (slot->last.table != other)
			continue;
		self->rows[n] = self->groups[i];
		self->others[n] = slot->last.group;
		self->picked[n++] = (uint32_t)j;
	}
	if (!n)
		return;
	bits_set_range(bits, 0, n);
	for (size_t k = 0; k < a->key_count; k++)
		vector_and_same(&a->keys[k], self->rows, &b->keys[k],
				self->others, n, bits);
	for (size_t k = 0; k < n; k++) {
		size_t j = self->picked[k];

		bits_put(same, j, bits_get(bits, k));
		if (bits_get(bits, k))
			join_circle(self,
				    &self->slots[self->at[self->pending[j]]],
				    self->rows[k]);
	}
}

/* Some groups of one table find those before them. */
static void match_some(struct matcher *self, size_t count)
{
	const uint64_t *hashes = self->shared->tables[self->table]->hashes;
	uint64_t same[BITMAP_WORDS(BATCH_ROW_COUNT)];
	size_t pending = 0;

	for (size_t i = 0; i < count; i++) {
		self->at[i] = hashes[self->groups[i]] & self->mask;
		self->pending[pending] = (uint32_t)i;
		pending += walk(self, i);
	}
	while (pending) {
		size_t all = pending;

		for (uint32_t other = 0; other < self->table; other++)
			compare_with(self, other, all, same);
		pending = 0;
		for (size_t j = 0; j < all; j++) {
			uint32_t i = self->pending[j];

			if (bits_get(same, j))
				continue;
			self->at[i] = (self->at[i] + 1) & self->mask;
			self->pending[pending] = i;
			pending += walk(self, i);
		}
	}
}

/* Free slots for all groups of a part, half full at most. */
static int clear_slots(struct matcher *self, size_t part, struct error *err)
{
	const struct matching *shared = self->shared;
	size_t count = 0, slots = 64;

	for (size_t t = 0; t < shared->match->table_count; t++)
		count += shared->first[t][part + 1] - shared->first[t][part];
	while (slots < 2 * count)
		slots *= 2;
	if (slots > self->slot_capacity) {
		mem_free(self->slots);
		self->slot_capacity = 0;
		self->slots = mem_alloc_array(slots, sizeof(*self->slots));
		if (!self->slots)
			return no_memory(err);
		self->slot_capacity = slots;
	}
	memset(self->slots, 0xff, slots * sizeof(*self->slots));
	self->mask = slots - 1;
	return 0;
}

static int match_part(struct matcher *self, size_t part, struct error *err)
{
	const struct matching *shared = self->shared;
	int rc = clear_slots(self, part, err);

	for (size_t t = 0; !rc && t < shared->match->table_count; t++) {
		size_t at = shared->first[t][part];
		size_t end = shared->first[t][part + 1];

		self->table = (uint32_t)t;
		while (at < end) {
			size_t count = end - at < BATCH_ROW_COUNT
					       ? end - at : BATCH_ROW_COUNT;

			self->groups = shared->numbers[t] + at;
			match_some(self, count);
			at += count;
		}
	}
	return rc ? rc : interrupt_check(err);
}

static int match_parts(void *context, size_t worker, struct error *err)
{
	struct matching *shared = context;
	struct matcher *self = mem_zalloc(sizeof(*self));
	int rc = self ? 0 : no_memory(err);

	(void)worker;
	if (self)
		self->shared = shared;
	while (!rc) {
		size_t part = __atomic_fetch_add(&shared->next_part, 1,
						 __ATOMIC_RELAXED);

		if (part >> shared->part_bits)
			break;
		rc = match_part(self, part, err);
	}
	if (self)
		mem_free(self->slots);
	mem_free(self);
	return rc;
}

int group_match_init(struct group_match *match,
		     const struct group_table *const *tables,
		     size_t table_count, size_t thread_count,
		     struct error *err)
{
	struct matching shared = { .match = match, .tables = tables };
	size_t groups = 0;
	int rc;

	memset(match, 0, sizeof(*match));
	match->table_count = table_count;
	for (size_t t = 0; t < table_count; t++)
		groups += tables[t]->count;
	while (groups >> shared.part_bits > PART_GROUPS &&
	       shared.part_bits < PART_BITS_LIMIT)
		shared.part_bits++;
	match->next = mem_zalloc_array(table_count + 1, sizeof(*match->next));
	shared.numbers = mem_zalloc_array(table_count + 1,
					  sizeof(*shared.numbers));
	shared.first = mem_zalloc_array(table_count + 1,
					sizeof(*shared.first));
	rc = match->next && shared.numbers && shared.first ? 0
							    : no_memory(err);
	/* a few groups are not worth a thread */
	if (!shared.part_bits)
		thread_count = 1;
	if (!rc)
		rc = thread_run(thread_count, deal_tables, &shared, err);
	if (!rc)
		rc = thread_run(thread_count, match_parts, &shared, err);
	for (size_t t = 0; t < table_count; t++) {
		if (shared.numbers)
			mem_free(shared.numbers[t]);
		if (shared.first)
			mem_free(shared.first[t]);
	}
	mem_free(shared.numbers);
	mem_free(shared.first);
	if (rc)
		group_match_release(match);
	return rc;
}

void group_match_release(struct group_match *match)
{
	for (size_t t = 0; match->next && t < match->table_count; t++)
		mem_free(match->next[t]);
	mem_free(match->next);
	memset(match, 0, sizeof(*match));
}
