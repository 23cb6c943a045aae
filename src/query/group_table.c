/*
 * group_table.c - distinct values get numbers
 *
 * Why:    GROUP BY, DISTINCT, EXCEPT and INTERSECT ask of each row: which
 *         group is it of?
 * How:    open addressing over the hash, 8 bytes a slot, half full at most.
 *         Rows of a batch walk together: each to the first slot that is free
 *         or has its tag; then all candidates are compared column by column,
 *         and those that differ walk on. A row that takes a free slot stands
 *         for its group until all are done; then new groups are numbered by
 *         their first rows.
 * Cost:   10 to 20 ns a row while the table is in the cache; 32 bytes a group
 *         and its key.
 */
#include "query/group_table.h"

#define FIRST_SLOTS 1024

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "groups of a query");
}

int group_scratch_init(struct group_scratch *scratch, struct error *err)
{
	size_t n = BATCH_ROW_COUNT;

	memset(scratch, 0, sizeof(*scratch));
	scratch->hashes = mem_alloc_array(n, sizeof(uint64_t));
	scratch->pending = mem_alloc_array(n, sizeof(uint32_t));
	scratch->rows = mem_alloc_array(n, sizeof(uint32_t));
	scratch->others = mem_alloc_array(n, sizeof(uint32_t));
	scratch->equal = mem_alloc_array(BITMAP_WORDS(n), sizeof(uint64_t));
	scratch->slots = mem_alloc_array(n, sizeof(size_t));
	scratch->creators = mem_alloc_array(n, sizeof(uint32_t));
	scratch->order = mem_alloc_array(n, sizeof(uint32_t));
	if (scratch->hashes && scratch->pending && scratch->rows &&
	    scratch->others && scratch->equal && scratch->slots &&
	    scratch->creators && scratch->order)
		return 0;
	group_scratch_release(scratch);
	return no_memory(err);
}

void group_scratch_release(struct group_scratch *scratch)
{
	mem_free(scratch->hashes);
	mem_free(scratch->pending);
	mem_free(scratch->rows);
	mem_free(scratch->others);
	mem_free(scratch->equal);
	mem_free(scratch->slots);
	mem_free(scratch->creators);
	mem_free(scratch->order);
	memset(scratch, 0, sizeof(*scratch));
}

int group_table_init(struct group_table *table, const struct type *types,
		     size_t key_count, struct error *err)
{
	memset(table, 0, sizeof(*table));
	arena_init(&table->heap, 16 * 1024);
	table->keys = mem_zalloc_array(key_count + 1, sizeof(*table->keys));
	table->slots = mem_alloc_array(FIRST_SLOTS, sizeof(*table->slots));
	if (!table->keys || !table->slots) {
		group_table_release(table);
		return no_memory(err);
	}
	memset(table->slots, 0xff, FIRST_SLOTS * sizeof(*table->slots));
	table->slot_mask = FIRST_SLOTS - 1;
	table->key_count = key_count;
	for (size_t i = 0; i < key_count; i++)
		vector_init(&table->keys[i], types[i]);
	return 0;
}

void group_table_release(struct group_table *table)
{
	for (size_t i = 0; table->keys && i < table->key_count; i++)
		vector_release(&table->keys[i]);
	mem_free(table->keys);
	mem_free(table->hashes);
	mem_free(table->slots);
	arena_release(&table->heap);
	memset(table, 0, sizeof(*table));
}

size_t group_table_bytes(const struct group_table *table)
{
	size_t slots = table->slot_mask + 1;
	size_t count = table->count + BATCH_ROW_COUNT;
	size_t width = sizeof(*table->hashes);

	if (slots < 2 * count)
		slots *= 3;	/* the new ones are twice as many */
	for (size_t i = 0; i < table->key_count; i++)
		width += type_width(&table->keys[i].type);
	return table->heap.total_bytes + slots * sizeof(*table->slots) +
	       count * width;
}

void group_hash(struct group_scratch *scratch,
		const struct vector *const *keys, size_t key_count,
		const struct selection *rows)
{
	if (!key_count)
		memset(scratch->hashes, 0, rows->count * sizeof(uint64_t));
	for (size_t k = 0; k < key_count; k++)
		vector_hash(keys[k], rows, k == 0, scratch->hashes);
}

static uint32_t tag_of(uint64_t hash)
{
	return (uint32_t)(hash >> 32);
}

/* Room for so many more groups, before any row walks. */
static int reserve(struct group_table *table, size_t more, struct error *err)
{
	size_t need = table->count + more, slots = table->slot_mask + 1;
	struct group_slot *grown;

	if (need >= GROUP_NONE)
		return error_set(err, ERROR_UNSUPPORTED,
				 "a query has more than 4 billion groups in "
				 "memory");
	if (!mem_reserve((void **)&table->hashes, &table->hash_capacity, need,
			 sizeof(*table->hashes)))
		return no_memory(err);
	if (slots >= 2 * need)
		return 0;
	while (slots < 2 * need)
		slots *= 2;
	grown = mem_alloc_array(slots, sizeof(*grown));
	if (!grown)
		return no_memory(err);
	memset(grown, 0xff, slots * sizeof(*grown));
	mem_free(table->slots);
	table->slots = grown;
	table->slot_mask = slots - 1;
	for (size_t g = 0; g < table->count; g++) {
		size_t at = table->hashes[g] & table->slot_mask;

		while (grown[at].group != GROUP_NONE)
			at = (at + 1) & table->slot_mask;
		grown[at].tag = tag_of(table->hashes[g]);
		grown[at].group = (uint32_t)g;
	}
	return 0;
}

/* One lookup of a batch. */
struct lookup {
	struct group_table *table;
	struct group_scratch *scratch;
	const struct vector *const *keys;
	const struct selection *rows;
	bool add;
	uint32_t *groups;
	size_t created;		/* new groups; creators has their rows */
};

/* Walk to the first slot that is free or has the tag; true: a candidate. */
static bool walk(struct lookup *look, size_t i)
{
	struct group_table *table = look->table;
	size_t at = look->scratch->slots[i];
	uint32_t tag = tag_of(look->scratch->hashes[i]);

	while (table->slots[at].group != GROUP_NONE &&
	       table->slots[at].tag != tag)
		at = (at + 1) & table->slot_mask;
	look->scratch->slots[i] = at;
	if (table->slots[at].group != GROUP_NONE)
		return true;
	look->groups[i] = GROUP_NONE;
	if (!look->add)
		return false;
	look->groups[i] = (uint32_t)(table->count + look->created);
	table->slots[at].tag = tag;
	table->slots[at].group = look->groups[i];
	look->scratch->creators[look->created++] = (uint32_t)i;
	return false;
}

/* Compare candidates: those in pending whose slot has a new group (is_new),
 * or an old one. Bits of equal are by place in pending. */
static void compare_some(struct lookup *look, size_t count, bool is_new)
{
	struct group_table *table = look->table;
	struct group_scratch *scratch = look->scratch;
	uint64_t bits[BITMAP_WORDS(BATCH_ROW_COUNT)];
	uint32_t places[BATCH_ROW_COUNT];
	size_t n = 0;

	for (size_t j = 0; j < count; j++) {
		uint32_t i = scratch->pending[j];
		uint32_t group = table->slots[scratch->slots[i]].group;

		if ((group >= table->count) != is_new)
			continue;
		scratch->rows[n] = (uint32_t)selection_row(look->rows, i);
		scratch->others[n] = is_new ? (uint32_t)selection_row(
			look->rows, scratch->creators[group - table->count])
					    : group;
		places[n++] = (uint32_t)j;
	}
	if (!n)
		return;
	bits_set_range(bits, 0, n);
	for (size_t k = 0; k < table->key_count; k++)
		vector_and_same(look->keys[k], scratch->rows,
				is_new ? look->keys[k] : &table->keys[k],
				scratch->others, n, bits);
	for (size_t j = 0; j < n; j++)
		bits_put(scratch->equal, places[j], bits_get(bits, j));
}

/* All rows find their group. */
static void walk_all(struct lookup *look)
{
	struct group_table *table = look->table;
	struct group_scratch *scratch = look->scratch;
	size_t count = look->rows->count, pending = 0;

	for (size_t i = 0; i < count; i++) {
		if (i + 16 < count)
			__builtin_prefetch(&table->slots[
				scratch->hashes[i + 16] & table->slot_mask]);
		scratch->slots[i] = scratch->hashes[i] & table->slot_mask;
		scratch->pending[pending] = (uint32_t)i;
		pending += walk(look, i);
	}
	while (pending) {
		size_t left = 0, all = pending;

		compare_some(look, pending, false);
		compare_some(look, pending, true);
		pending = 0;
		for (size_t j = 0; j < all; j++) {
			uint32_t i = scratch->pending[j];
			size_t at = scratch->slots[i];

			if (bits_get(scratch->equal, j)) {
				look->groups[i] = table->slots[at].group;
				continue;
			}
			scratch->pending[left++] = i;
		}
		for (size_t j = 0; j < left; j++) {
			uint32_t i = scratch->pending[j];

			scratch->slots[i] = (scratch->slots[i] + 1) &
					    table->slot_mask;
			scratch->pending[pending] = i;
			pending += walk(look, i);
		}
	}
}

/* Free slots again, in the reverse of the order in which they were taken. */
static void take_back(struct lookup *look)
{
	struct group_scratch *scratch = look->scratch;

	for (size_t c = 0; c < look->created; c++) {
		struct group_slot *slot = &look->table->slots[
			scratch->slots[scratch->creators[c]]];

		slot->tag = slot->group = UINT32_MAX;
	}
}

/* New keys that are -0.0 become 0.0: it is one group with that, and which row
 * came first is a matter of threads. */
static void drop_signs(struct vector *keys, size_t base)
{
	if (keys->type.id == TYPE_DOUBLE)
		for (size_t i = base; i < keys->count; i++)
			vector_f64(keys)[i] += 0.0;
	else if (keys->type.id == TYPE_REAL)
		for (size_t i = base; i < keys->count; i++)
			vector_f32(keys)[i] += 0.0F;
}

/* Number new groups by their first rows and keep their keys. */
static int settle(struct lookup *look, struct error *err)
{
	struct group_table *table = look->table;
	struct group_scratch *scratch = look->scratch;
	size_t count = look->rows->count, n = look->created, at = 0;
	uint32_t base = (uint32_t)table->count;
	struct selection first = { scratch->rows, n };
	int rc = 0;

	/* a creator is the first row of its group or no row before it has
	 * walked past it: the least row of each group may be another */
	memset(scratch->order, 0xff, n * sizeof(uint32_t));
	for (size_t i = 0; i < count; i++) {
		uint32_t group = look->groups[i];

		if (group < base || group == GROUP_NONE)
			continue;
		if (scratch->order[group - base] == UINT32_MAX) {
			scratch->order[group - base] = (uint32_t)at;
			scratch->rows[at++] =
				(uint32_t)selection_row(look->rows, i);
			table->hashes[base + at - 1] = scratch->hashes[i];
		}
	}
	for (size_t k = 0; !rc && k < table->key_count; k++)
		rc = vector_append_selected(&table->keys[k], look->keys[k],
					    &first, &table->heap, err);
	if (rc) {
		take_back(look);
		for (size_t k = 0; k < table->key_count; k++)
			if (table->keys[k].count > base)
				table->keys[k].count = base;
		return rc;
	}
	for (size_t k = 0; k < table->key_count; k++)
		drop_signs(&table->keys[k], base);
	for (size_t i = 0; i < count; i++)
		if (look->groups[i] >= base && look->groups[i] != GROUP_NONE)
			look->groups[i] = base +
				scratch->order[look->groups[i] - base];
	for (size_t c = 0; c < n; c++)
		table->slots[scratch->slots[scratch->creators[c]]].group =
			base + scratch->order[c];
	table->count += n;
	return 0;
}

int group_table_find(struct group_table *table, struct group_scratch *scratch,
		     const struct vector *const *keys,
		     const struct selection *rows, bool add, uint32_t *groups,
		     struct error *err)
{
	struct lookup look = { table, scratch, keys, rows, add, groups, 0 };
	int rc = 0;

	if (add)
		rc = reserve(table, rows->count, err);
	if (rc)
		return rc;
	walk_all(&look);
	return look.created ? settle(&look, err) : 0;
}
