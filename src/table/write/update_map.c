/*
 * update_map.c - the updates of all writers, by file and position
 *
 * Why:    files are written again one by one and row group by row group, with
 *         the updates of all threads, which saw the rows in any order.
 * How:    the runs of all logs are sorted; those that meet a range are found
 *         by the largest span of a run of the file, read back if they are on
 *         disk, and laid over the old values column by column.
 */
#include <stdlib.h>
#include "table/write/update_map.h"

#define ALIGNMENT ((size_t)16)

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "updated rows");
}

static size_t padded(size_t bytes)
{
	return (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

static void forget_order(struct update_map *map)
{
	mem_free(map->runs);
	mem_free(map->file_first);
	mem_free(map->spans);
	mem_free(map->dropped);
	map->dropped = NULL;
	map->is_sealed = false;
	map->runs = NULL;
	map->file_first = NULL;
	map->spans = NULL;
	map->run_count = 0;
}

void update_map_release(struct update_map *map)
{
	forget_order(map);
	for (size_t i = 0; i < map->log_count; i++)
		update_log_release(&map->logs[i]);
	mem_free(map->logs);
	memset(map, 0, sizeof(*map));
}

int update_map_merge(struct update_map *map, struct update_log *log,
		     struct error *err)
{
	if (!log->run_count) {
		update_log_release(log);
		return 0;
	}
	if (!mem_grow((void **)&map->logs, &map->log_capacity, map->log_count,
		      sizeof(*map->logs))) {
		update_log_release(log);
		return no_memory(err);
	}
	forget_order(map);
	map->logs[map->log_count++] = *log;
	memset(log, 0, sizeof(*log));
	return 0;
}

static int compare_runs(const void *a, const void *b)
{
	const struct update_run *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

int update_map_seal(struct update_map *map, size_t file_count,
		    struct error *err)
{
	size_t total = 0, at = 0;

	if (map->is_sealed)
		return 0;
	map->file_count = file_count;
	for (size_t i = 0; i < map->log_count; i++)
		total += map->logs[i].run_count;
	map->is_sealed = !total;
	if (!total)
		return 0;
	map->runs = mem_alloc_array(total, sizeof(*map->runs));
	map->file_first = mem_alloc_array(file_count + 1, sizeof(size_t));
	map->spans = mem_zalloc_array(file_count + 1, sizeof(uint32_t));
	map->dropped = mem_zalloc_array(file_count + 1, sizeof(bool));
	if (!map->runs || !map->file_first || !map->spans || !map->dropped) {
		forget_order(map);
		return no_memory(err);
	}
	for (size_t i = 0; i < map->log_count; i++) {
		const struct update_log *log = &map->logs[i];

		for (size_t k = 0; k < log->run_count; k++) {
			map->runs[map->run_count] = log->runs[k];
			map->runs[map->run_count++].log = (uint32_t)i;
		}
	}
	qsort(map->runs, total, sizeof(*map->runs), compare_runs);
	for (size_t file = 0; file <= file_count; file++) {
		map->file_first[file] = at;
		for (; at < total && map->runs[at].file == file; at++)
			if (map->spans[file] < map->runs[at].span)
				map->spans[file] = map->runs[at].span;
	}
	map->is_sealed = true;
	return 0;
}

bool update_map_has(const struct update_map *map, size_t file)
{
	return map->file_first && !map->dropped[file] &&
	       map->file_first[file] < map->file_first[file + 1];
}

void update_map_drop(struct update_map *map, size_t file)
{
	if (map->dropped)
		map->dropped[file] = true;
}

bool update_map_has_slot(const struct update_map *map, size_t file,
			 size_t slot)
{
	uint64_t mask = UINT64_C(1) << (slot < 63 ? slot : 63);

	if (!update_map_has(map, file))
		return false;
	for (size_t i = map->file_first[file]; i < map->file_first[file + 1];
	     i++)
		if (map->runs[i].slots & mask)
			return true;
	return false;
}

void update_set_init(struct update_set *set)
{
	memset(set, 0, sizeof(*set));
	arena_init(&set->arena, 0);
}

void update_set_release(struct update_set *set)
{
	arena_release(&set->arena);
	memset(set, 0, sizeof(*set));
}

/* The first run of the file that begins at position or behind. */
static size_t find_run(const struct update_map *map, size_t file,
		       uint64_t position)
{
	size_t low = map->file_first[file], high = map->file_first[file + 1];

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->runs[middle].first < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A column of a run as a vector that points into the run's bytes. */
static int view_column(struct update_set *set, const uint8_t **from,
		       uint8_t state, size_t count, struct vector *out,
		       struct error *err)
{
	const uint8_t *next = *from;
	size_t width = type_width(&out->type);
	struct byte_view *views;
	const uint32_t *lengths;

	if (!state)
		return 0;
	out->count = count;
	if (state == 2) {
		out->validity = (uint64_t *)(uintptr_t)next;
		next += padded(BITMAP_WORDS(count) * 8);
	}
	if (!type_is_bytes(&out->type) && !type_is_nested(&out->type)) {
		out->data = (void *)(uintptr_t)next;
		*from = next + padded(count * width);
		return 0;
	}
	views = arena_zalloc_array(&set->arena, count, sizeof(*views));
	if (!views)
		return no_memory(err);
	lengths = (const uint32_t *)(const void *)next;
	next += padded(count * 4);
	*from = next;
	for (size_t i = 0; i < count; i++) {
		views[i] = byte_view(next, lengths[i]);
		next += lengths[i];
	}
	*from += padded((size_t)(next - *from));
	out->data = views;
	return 0;
}

static int view_run(struct update_set *set, const struct update_map *map,
		    const struct update_columns *columns,
		    const struct update_run *run, struct error *err)
{
	struct update_view *view = &set->views[set->count];
	const uint8_t *data = run->data, *next;
	int rc = 0;

	if (!data) {
		uint8_t *copy = arena_alloc(&set->arena, run->bytes);

		if (!copy)
			return no_memory(err);
		rc = temporary_file_read(map->logs[run->log].file,
					 run->offset, copy, run->bytes, err);
		data = copy;
	}
	view->values = arena_zalloc_array(&set->arena, columns->count + 1,
					  sizeof(*view->values));
	if (rc || !view->values)
		return rc ? rc : no_memory(err);
	view->first = run->first;
	view->count = run->count;
	next = data + padded(columns->count);
	view->offsets = (const uint32_t *)(const void *)next;
	next += padded(view->count * 4);
	for (size_t k = 0; !rc && k < columns->count; k++) {
		vector_init(&view->values[k],
			    columns->schema->columns[columns->columns[k]]
				    .type);
		rc = view_column(set, &next, data[k], view->count,
				 &view->values[k], err);
	}
	if (!rc)
		set->count++;
	return rc;
}

int update_set_load(struct update_set *set, const struct update_map *map,
		    const struct update_columns *columns, size_t file,
		    uint64_t first, uint64_t end, struct error *err)
{
	uint64_t span;
	size_t from, to;
	int rc = 0;

	set->count = 0;
	set->views = NULL;
	arena_reset(&set->arena);
	if (!update_map_has(map, file))
		return 0;
	span = map->spans[file];
	set->span = span;
	from = find_run(map, file, first > span ? first - span : 0);
	to = find_run(map, file, end);
	if (from == to)
		return 0;
	set->views = arena_zalloc_array(&set->arena, to - from,
					sizeof(*set->views));
	if (!set->views)
		return no_memory(err);
	for (size_t i = from; !rc && i < to; i++)
		if (map->runs[i].first + map->runs[i].span >= first)
			rc = view_run(set, map, columns, &map->runs[i], err);
	return rc;
}

/* How many offsets lie below the limit. */
static size_t count_below(const struct update_view *view, uint64_t limit)
{
	size_t low = 0, high = view->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (view->offsets[middle] < limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void update_view_clip(const struct update_view *view, uint64_t first,
		      uint64_t end, size_t *from, size_t *to)
{
	*from = first > view->first
			? count_below(view, first - view->first) : 0;
	*to = end > view->first ? count_below(view, end - view->first) : 0;
	if (*to < *from)
		*to = *from;
}

/* Rows of the target and of the view that are at one position. */
struct overlay_rows {
	uint32_t rows[BATCH_ROW_COUNT];
	uint32_t from[BATCH_ROW_COUNT];
	size_t count;
};

static void match_rows(const struct update_view *view,
		       const struct update_target *target,
		       struct overlay_rows *out)
{
	size_t from, to, row = 0;
	uint64_t first = target->first, last;

	out->count = 0;
	if (!target->count)
		return;
	last = target->positions
		? target->positions[target->count - 1] - target->base
		: first + target->count - 1;
	if (target->positions)
		first = target->positions[0] - target->base;
	update_view_clip(view, first, last + 1, &from, &to);
	for (size_t i = from; i < to; i++) {
		uint64_t position = view->first + view->offsets[i];

		if (!target->positions) {
			row = (size_t)(position - first);
		} else {
			while (row < target->count &&
			       target->positions[row] - target->base <
				       position)
				row++;
			if (row == target->count)
				break;
			if (target->positions[row] - target->base != position)
				continue;
		}
		out->rows[out->count] = (uint32_t)row;
		out->from[out->count++] = (uint32_t)i;
	}
}

/* The views that may meet the target: *from .. the result - 1. */
static size_t find_views(const struct update_set *set,
			 const struct update_target *target, size_t *from)
{
	uint64_t first = target->positions
				 ? target->positions[0] - target->base
				 : target->first;
	uint64_t last = target->positions
		? target->positions[target->count - 1] - target->base
		: first + target->count - 1;
	size_t low = 0, high = set->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->views[middle].first + set->span < first)
			low = middle + 1;
		else
			high = middle;
	}
	*from = low;
	while (low < set->count && set->views[low].first <= last)
		low++;
	return low;
}

int update_set_apply(const struct update_set *set, size_t slot,
		     const struct update_target *target,
		     struct vector *values, size_t *hits, struct error *err)
{
	struct overlay_rows rows;
	size_t from, to;
	int rc = 0;

	*hits = 0;
	if (!target->count || !set->count)
		return 0;
	to = find_views(set, target, &from);
	for (size_t i = from; !rc && i < to; i++) {
		const struct update_view *view = &set->views[i];

		if (!view->values[slot].data)
			continue;
		match_rows(view, target, &rows);
		*hits += rows.count;
		rc = vector_overlay(values, rows.rows, &view->values[slot],
				    rows.from, rows.count, err);
	}
	return rc;
}

void update_set_clear(const struct update_set *set,
		      const struct update_target *target, uint64_t *bits)
{
	struct overlay_rows rows;
	size_t from, to;

	if (!target->count || !set->count)
		return;
	to = find_views(set, target, &from);
	for (size_t i = from; i < to; i++) {
		match_rows(&set->views[i], target, &rows);
		for (size_t k = 0; k < rows.count; k++)
			bits_put(bits, rows.rows[k], false);
	}
}
