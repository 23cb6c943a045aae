/*
 * origin_list.c - names of the inputs that rows are from
 *
 * Why:    a message names file and line; a stored row must not carry a name.
 * How:    a list that is searched once a batch, under a lock. The least unit
 *         of each is kept, so that places have the order of the input for any
 *         number of threads.
 * Limits: ORIGIN_LIMIT names; rows of further ones have none.
 */
#include "join/origin_list.h"

void origin_list_init(struct origin_list *list)
{
	memset(list, 0, sizeof(*list));
	pthread_mutex_init(&list->lock, NULL);
}

void origin_list_release(struct origin_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		mem_free(list->items[i].name);
	mem_free(list->items);
	pthread_mutex_destroy(&list->lock);
}

static bool is_same(const struct origin *origin, const struct row_origin *row)
{
	if (origin->has_lines != row->has_lines)
		return false;
	if (!origin->name || !row->name)
		return !origin->name && !row->name;
	return strcmp(origin->name, row->name) == 0;
}

static int add_origin(struct origin_list *list, const struct row_origin *row,
		      uint16_t *out, struct error *err)
{
	char *name = row->name ? mem_strdup(row->name) : NULL;
	struct origin *item;

	if ((row->name && !name) ||
	    !mem_grow((void **)&list->items, &list->capacity, list->count,
		      sizeof(*list->items))) {
		mem_free(name);
		return error_set(err, ERROR_NO_MEMORY, "names of inputs");
	}
	item = &list->items[list->count++];
	item->name = name;
	item->has_lines = row->has_lines;
	item->unit = row->unit;
	*out = (uint16_t)list->count;
	return 0;
}

int origin_list_find(struct origin_list *list, const struct row_origin *row,
		     uint16_t *out, struct error *err)
{
	int rc = 0;

	*out = 0;
	pthread_mutex_lock(&list->lock);
	for (size_t i = list->count; i > 0 && !*out; i--) {
		struct origin *item = &list->items[i - 1];

		if (!is_same(item, row))
			continue;
		*out = (uint16_t)i;
		if (row->unit < item->unit)
			item->unit = row->unit;
	}
	if (!*out && list->count < ORIGIN_LIMIT)
		rc = add_origin(list, row, out, err);
	pthread_mutex_unlock(&list->lock);
	return rc;
}

struct origin origin_list_get(const struct origin_list *list, uint16_t index)
{
	struct origin none = { NULL, false, 0 };

	return index ? list->items[index - 1] : none;
}
