/*
 * manifest_cut.c - which entries share a manifest
 *
 * Why:    a scan of one partition opens the manifests whose partition bounds
 *         it lies in. One manifest of all partitions is always opened.
 * How:    entries are ordered by partition and cut into manifests of bounded
 *         numbers, as even as may be, as the leaves of a B-tree are. Where
 *         what comes from one old manifest ends and that of another begins
 *         there is a cut as well, if there are enough entries on both sides:
 *         else rewriting two manifests far apart would make one that spans
 *         all between. New entries stay with those before them.
 * Cost:   n log n comparisons for entries that are written anyway.
 */
#include <stdlib.h>
#include "table/commit/commit_state.h"

/* What an entry takes in a manifest, about. */
#define ENTRY_BYTES 300
#define DEFAULT_TARGET_BYTES ((int64_t)8 << 20)

static bool is_partitioned(const struct table_metadata *metadata,
			   int32_t spec_id)
{
	const struct partition_spec *spec = metadata_spec(metadata, spec_id);

	for (size_t i = 0; spec && i < spec->field_count; i++)
		if (spec->fields[i].transform.kind != TRANSFORM_VOID)
			return true;
	return false;
}

size_t manifest_entry_limit(const struct table_metadata *metadata,
			    int32_t spec_id)
{
	const char *value = metadata_property(
		metadata, "commit.manifest.target-size-bytes");
	int64_t bytes;

	if (!is_partitioned(metadata, spec_id))
		return 0;
	if (!value || parse_int64(value, strlen(value), &bytes) || bytes <= 0)
		bytes = DEFAULT_TARGET_BYTES;
	if (bytes / ENTRY_BYTES >= MANIFEST_ENTRIES)
		return MANIFEST_ENTRIES;
	return bytes < 2 * ENTRY_BYTES ? 2 : (size_t)(bytes / ENTRY_BYTES);
}

/* NULL first. */
static int compare_values(const struct literal *a, const struct literal *b)
{
	if (a->is_null || b->is_null)
		return b->is_null - a->is_null;
	if (a->type.id != b->type.id)
		return a->type.id < b->type.id ? -1 : 1;
	return literal_compare(a, b);
}

static int compare_placed(const void *a, const void *b)
{
	const struct placed_entry *x = a, *y = b;

	for (size_t i = 0; i < x->partition_count && i < y->partition_count;
	     i++) {
		int order = compare_values(&x->partition[i],
					   &y->partition[i]);

		if (order)
			return order;
	}
	return (x->order > y->order) - (x->order < y->order);
}

struct cutter {
	size_t *ends;
	size_t count;
	size_t limit;
};

/* Cut one run into even pieces. */
static void cut_run(struct cutter *cutter, size_t first, size_t end)
{
	size_t length = end - first;
	size_t pieces = (length + cutter->limit - 1) / cutter->limit;

	for (size_t i = 1; i <= pieces; i++)
		cutter->ends[cutter->count++] = first + length / pieces * i +
			(length % pieces) * i / pieces;
}

/* How many entries from `first` on come from one manifest or are new. */
static size_t run_of_origin(const struct placed_entry *entries, size_t first,
			    size_t count)
{
	size_t origin = SIZE_MAX, end = first;

	for (; end < count; end++) {
		if (entries[end].origin == SIZE_MAX)
			continue;
		if (origin != SIZE_MAX && entries[end].origin != origin)
			break;
		origin = entries[end].origin;
	}
	return end - first;
}

static void cut_all(struct cutter *cutter, const struct placed_entry *entries,
		    size_t count)
{
	size_t first = 0, at = 0, half = cutter->limit / 2;

	while (at < count) {
		size_t run = run_of_origin(entries, at, count);

		if (at > first && at - first >= half && run >= half) {
			cut_run(cutter, first, at);
			first = at;
		}
		at += run;
	}
	cut_run(cutter, first, count);
}

int manifest_cut(struct placed_entry *entries, size_t count, size_t limit,
		 struct arena *arena, size_t **ends, size_t *end_count,
		 struct error *err)
{
	struct cutter cutter = { NULL, 0, limit };
	size_t room = limit ? count / (limit / 2) : 0;

	*end_count = 0;
	*ends = cutter.ends = arena_zalloc_array(arena, room + 2,
						 sizeof(**ends));
	if (!*ends)
		return error_set(err, ERROR_NO_MEMORY, "manifests");
	if (!limit || count < limit) {
		(*ends)[0] = count;
		*end_count = count ? 1 : 0;
		return 0;
	}
	qsort(entries, count, sizeof(*entries), compare_placed);
	cut_all(&cutter, entries, count);
	*end_count = cutter.count;
	return 0;
}
