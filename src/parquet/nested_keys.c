/*
 * nested_keys.c - maps of a file that have a key twice
 *
 * Why:    nothing keeps a writer from it, and the last value is the one that
 *         counts; packed maps have each key once.
 * How:    only once packing has met such a key: from the last entry of each
 *         map to its first, into a table of hashes; what is there already is
 *         left out, and keys and values are gathered anew.
 * Cost:   some 20 ns an entry.
 */
#include "parquet/nested_keys.h"

struct key_table {
	const struct vector *keys;
	uint64_t *hashes;
	uint32_t *slots;	/* entry + 1; 0 = free */
	size_t slot_count;	/* a power of two */
};

/* Is the key of the entry in the table? It is afterwards. */
static bool table_has(struct key_table *table, uint32_t entry, size_t mask)
{
	size_t at = table->hashes[entry] & mask;

	for (; table->slots[at]; at = (at + 1) & mask) {
		uint32_t other = table->slots[at] - 1;

		if (table->hashes[other] == table->hashes[entry] &&
		    vector_compare_values(table->keys, other, table->keys,
					  entry) == 0)
			return true;
	}
	table->slots[at] = entry + 1;
	return false;
}

static int table_reserve(struct key_table *table, size_t count,
			 struct error *err)
{
	uint32_t *slots;
	size_t wanted = 16;

	while (wanted < count * 2)
		wanted *= 2;
	if (wanted <= table->slot_count)
		return 0;
	slots = mem_realloc_array(table->slots, wanted, sizeof(*slots));
	if (!slots)
		return error_set(err, ERROR_NO_MEMORY, "keys of maps");
	table->slots = slots;
	table->slot_count = wanted;
	return 0;
}

/* Clear the bits of entries whose key comes again in their map. */
static int mark_last(struct key_table *table, const uint32_t *offsets,
		     size_t count, uint64_t *keep, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = offsets[i + 1] - offsets[i], mask = 15;
		int rc = table_reserve(table, length, err);

		if (rc)
			return rc;
		while (mask + 1 < length * 2)
			mask = mask * 2 + 1;
		memset(table->slots, 0, (mask + 1) * sizeof(uint32_t));
		for (uint32_t k = offsets[i + 1]; k-- > offsets[i];) {
			if (vector_is_null(table->keys, k))
				return error_set(err, ERROR_CORRUPT,
						 "a key of a map is null");
			bits_put(keep, k, !table_has(table, k, mask));
		}
	}
	return 0;
}

/* Gather what is kept and move the offsets along. */
static int leave_kept(struct vector parts[2], uint32_t *offsets, size_t count,
		      const uint64_t *keep, struct error *err)
{
	size_t entries = offsets[count], n = 0;
	uint32_t *rows = mem_alloc_array(entries + 1, sizeof(*rows));
	int rc = 0;

	if (!rows)
		return error_set(err, ERROR_NO_MEMORY, "keys of maps");
	for (size_t i = 0; i < count; i++) {
		uint32_t first = offsets[i];

		offsets[i] = (uint32_t)n;
		for (uint32_t k = first; k < offsets[i + 1]; k++) {
			rows[n] = k;
			n += bits_get(keep, k);
		}
	}
	offsets[count] = (uint32_t)n;
	for (int part = 0; !rc && part < 2; part++) {
		struct vector kept;

		vector_init(&kept, parts[part].type);
		rc = vector_gather(&kept, &parts[part], rows, n, NULL, err);
		vector_release(rc ? &kept : &parts[part]);
		if (!rc)
			parts[part] = kept;
	}
	mem_free(rows);
	return rc;
}

int nested_keys_leave_last(struct vector parts[2], uint32_t *offsets,
			   size_t count, struct error *err)
{
	size_t entries = offsets[count];
	struct selection all = selection_all(entries);
	struct key_table table = { .keys = &parts[0] };
	uint64_t *keep = mem_zalloc_array(BITMAP_WORDS(entries) + 1,
					  sizeof(*keep));
	int rc = 0;

	table.hashes = mem_alloc_array(entries + 1, sizeof(*table.hashes));
	if (!keep || !table.hashes)
		rc = error_set(err, ERROR_NO_MEMORY, "keys of maps");
	if (!rc) {
		vector_hash(&parts[0], &all, true, table.hashes);
		rc = mark_last(&table, offsets, count, keep, err);
	}
	if (!rc)
		rc = leave_kept(parts, offsets, count, keep, err);
	mem_free(keep);
	mem_free(table.hashes);
	mem_free(table.slots);
	return rc;
}
