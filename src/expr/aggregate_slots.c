/*
 * aggregate_slots.c - one value of any type per group
 *
 * Why:    min, max, min_by and any_value keep a value that may be text and
 *         may be replaced with every row; what was replaced must not pile up.
 * How:    a slot keeps the bytes that were reserved for it and reuses them
 *         for what fits. A longer value gets new ones; when more than half of
 *         the heap is such waste, all live values move to a new heap.
 * Cost:   bytes are copied once per new value, and moved at most twice more
 *         on average.
 */
#include "expr/aggregate_state.h"

/* Below this waste does not matter. */
#define COMPACT_BYTES (64 * 1024)
#define SLOT_BLOCK_BYTES (16 * 1024)

void slots_init(struct value_slots *slots, const struct type *type)
{
	slots->type = *type;
	arena_init(&slots->heap, SLOT_BLOCK_BYTES);
}

void slots_release(struct value_slots *slots)
{
	mem_free(slots->has);
	mem_free(slots->data);
	mem_free(slots->room);
	arena_release(&slots->heap);
}

bool slots_grow(struct value_slots *slots, size_t capacity)
{
	size_t width = type_width(&slots->type);

	if (!aggregate_column_grow((void **)&slots->has, capacity, 1) ||
	    !aggregate_column_grow(&slots->data, capacity, width))
		return false;
	return !type_is_view(&slots->type) ||
	       aggregate_column_grow((void **)&slots->room, capacity,
				     sizeof(*slots->room));
}

void slots_begin(struct value_slots *slots, size_t first, size_t end)
{
	size_t width = type_width(&slots->type);

	memset(slots->has + first, 0, end - first);
	memset((uint8_t *)slots->data + first * width, 0,
	       (end - first) * width);
	if (slots->room)
		memset(slots->room + first, 0,
		       (end - first) * sizeof(*slots->room));
}

void slots_reset(struct value_slots *slots, size_t count)
{
	if (!count)
		return;
	memset(slots->has, 0, count);
	if (!slots->room)
		return;
	memset(slots->room, 0, count * sizeof(*slots->room));
	arena_reset(&slots->heap);
	slots->live_bytes = 0;
}

size_t slots_bytes(const struct value_slots *slots, size_t count)
{
	size_t width = 1 + type_width(&slots->type);

	if (slots->room)
		width += sizeof(*slots->room);
	return count * width + slots->heap.total_bytes;
}

/* Move all live values to a new heap, without room to spare. */
static int compact(struct value_slots *slots, size_t count, struct error *err)
{
	struct byte_view *views = slots->data;
	struct arena fresh;
	size_t live = 0;
	uint8_t *at;

	for (size_t g = 0; g < count; g++)
		live += slots->has[g] ? views[g].length : 0;
	arena_init(&fresh, SLOT_BLOCK_BYTES);
	at = arena_alloc_bytes(&fresh, live);
	if (!at) {
		arena_release(&fresh);
		return error_set(err, ERROR_NO_MEMORY, "values of %zu groups",
				 count);
	}
	for (size_t g = 0; g < count; g++) {
		slots->room[g] = 0;
		if (!slots->has[g])
			continue;
		if (views[g].length)
			memcpy(at, views[g].data, views[g].length);
		views[g].data = at;
		slots->room[g] = (uint32_t)views[g].length;
		at += views[g].length;
	}
	arena_release(&slots->heap);
	slots->heap = fresh;
	slots->live_bytes = live;
	return 0;
}

int slots_put_view(struct value_slots *slots, size_t g,
		   struct byte_view value, struct error *err)
{
	struct byte_view *view = (struct byte_view *)slots->data + g;
	/* slot bytes are ours; the view only has them as const */
	uint8_t *room = (uint8_t *)(uintptr_t)view->data;

	if (value.length > UINT32_MAX)
		return error_set(err, ERROR_OVERFLOW, "a value of %zu bytes",
				 value.length);
	if (value.length > slots->room[g] || !room) {
		room = arena_alloc_bytes(&slots->heap, value.length);
		if (!room)
			return error_set(err, ERROR_NO_MEMORY, "a value of "
					 "%zu bytes", value.length);
		slots->live_bytes += value.length;
		slots->live_bytes -= slots->room[g];
		slots->room[g] = (uint32_t)value.length;
	}
	if (value.length)
		memcpy(room, value.data, value.length);
	*view = byte_view(room, value.length);
	slots->has[g] = 1;
	return 0;
}

int slots_settle(struct value_slots *slots, size_t count, struct error *err)
{
	if (slots->heap.total_bytes / 2 <= slots->live_bytes + count +
						   COMPACT_BYTES)
		return 0;
	return compact(slots, count, err);
}

static int store_views(struct value_slots *slots, size_t count,
		       const struct vector *values,
		       const struct slot_winner *winners, size_t winner_count,
		       struct error *err)
{
	const struct byte_view *in = vector_bytes(values);
	int rc = 0;

	for (size_t i = 0; i < winner_count && !rc; i++) {
		uint32_t g = winners[i].group;

		slots->has[g] = 0;
		if (!vector_is_null(values, winners[i].row))
			rc = slots_put_view(slots, g, in[winners[i].row],
					    err);
	}
	return rc ? rc : slots_settle(slots, count, err);
}

#define STORE_LOOP(type_t) do { \
	const type_t *in = values->data; \
	type_t *out = slots->data; \
\
	for (size_t i = 0; i < winner_count; i++) { \
		uint32_t g = winners[i].group; \
\
		slots->has[g] = !vector_is_null(values, winners[i].row); \
		out[g] = in[winners[i].row]; \
	} \
} while (0)

int slots_store(struct value_slots *slots, size_t count,
		const struct vector *values,
		const struct slot_winner *winners, size_t winner_count,
		struct error *err)
{
	if (type_is_view(&slots->type))
		return store_views(slots, count, values, winners,
				   winner_count, err);
	switch (slots->type.id) {
	case TYPE_UNKNOWN:
	case TYPE_BOOLEAN:
	case TYPE_TINYINT:
		STORE_LOOP(uint8_t);
		break;
	case TYPE_INTEGER:
	case TYPE_DATE:
		STORE_LOOP(int32_t);
		break;
	case TYPE_REAL:
		STORE_LOOP(float);
		break;
	case TYPE_DOUBLE:
		STORE_LOOP(double);
		break;
	case TYPE_UUID:
		STORE_LOOP(struct uuid);
		break;
	case TYPE_DECIMAL:
		if (type_is_long_decimal(&slots->type)) {
			STORE_LOOP(int128_t);
			break;
		}
		STORE_LOOP(int64_t);
		break;
	default:
		STORE_LOOP(int64_t);
		break;
	}
	return 0;
}

int slots_view(const struct value_slots *slots, size_t first, size_t count,
	       struct vector *out, struct error *err)
{
	vector_init(out, slots->type);
	out->data = (uint8_t *)slots->data + first * type_width(&slots->type);
	out->count = count;
	for (size_t i = 0; i < count; i++) {
		int rc = slots->has[first + i] ? 0
					       : vector_set_null(out, i, err);

		if (rc) {
			vector_release(out);
			return rc;
		}
	}
	return 0;
}

int slots_gather(const struct value_slots *slots,
		 const struct selection *groups, struct vector *out,
		 struct error *err)
{
	struct vector all;
	int rc;

	vector_init(out, slots->type);
	vector_init(&all, slots->type);
	all.data = slots->data;
	rc = vector_gather(out, &all, groups->rows, groups->count, NULL, err);
	for (size_t i = 0; !rc && i < groups->count; i++)
		if (!slots->has[selection_row(groups, i)])
			rc = vector_set_null(out, i, err);
	return rc;
}
