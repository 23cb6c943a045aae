/*
 * ast.c - small helpers of the syntax tree
 */
#include "sql/ast.h"

bool ast_list_add(struct ast_list *list, struct arena *arena, void *item)
{
	if (list->count == list->capacity) {
		size_t capacity = list->capacity ? list->capacity * 2 : 4;
		void **items = arena_zalloc_array(arena, capacity,
						  sizeof(*items));

		if (!items)
			return false;
		if (list->count)
			memcpy(items, list->items,
			       list->count * sizeof(*items));
		list->items = items;
		list->capacity = capacity;
	}
	list->items[list->count++] = item;
	return true;
}

const char *ast_name_text(const struct ast_name *name, struct arena *arena)
{
	size_t length = 0, at = 0;
	char *text;

	for (size_t i = 0; i < name->count; i++)
		length += strlen(name->parts[i]) + 1;
	text = arena_alloc_bytes(arena, length + 1);
	if (!text)
		return NULL;
	for (size_t i = 0; i < name->count; i++) {
		size_t part = strlen(name->parts[i]);

		if (i)
			text[at++] = '.';
		memcpy(text + at, name->parts[i], part);
		at += part;
	}
	text[at] = '\0';
	return text;
}
