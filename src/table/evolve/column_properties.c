/*
 * column_properties.c - properties that name a column follow it
 *
 * Why:    write.parquet.bloom-filter-enabled.column.NAME is about a column,
 *         not about whoever has the name next.
 * How:    each is looked up by the full name among the columns before; it
 *         gets the name that the same id has now, or goes with the column.
 */
#include <stdlib.h>
#include "table/evolve/evolve_state.h"

/* Properties by full name; ours by id are dealt with below. */
static const char *const by_name[] = {
	"write.metadata.metrics.column.",
	"write.parquet.bloom-filter-enabled.column.",
	"write.parquet.bloom-filter-fpp.column.",
	"write.parquet.bloom-filter-ndv.column.",
	"write.parquet.stats-enabled.column.",
};

static const char *const by_id[] = {
	DEFAULT_PROPERTY,
	"rowmerge.identity.",
};

struct full_name {
	const char *name;
	int32_t field_id;
};

struct name_list {
	struct full_name *items;
	size_t count;
	size_t capacity;
	struct arena arena;
	bool failed;
};

static void list_names(struct name_list *list,
		       const struct column_def *columns, size_t count,
		       const char *outer)
{
	for (size_t i = 0; i < count && !list->failed; i++) {
		char *name = arena_printf(&list->arena, "%s%s%s", outer,
					  *outer ? "." : "",
					  columns[i].name);

		if (!name || !mem_grow((void **)&list->items,
				       &list->capacity, list->count,
				       sizeof(*list->items))) {
			list->failed = true;
			return;
		}
		list->items[list->count].name = name;
		list->items[list->count++].field_id = columns[i].field_id;
		list_names(list, columns[i].type.fields,
			   columns[i].type.field_count, name);
	}
}

static int name_list_make(struct name_list *list, const struct schema *schema,
			  struct error *err)
{
	memset(list, 0, sizeof(*list));
	arena_init(&list->arena, 0);
	list_names(list, schema->columns, schema->column_count, "");
	return list->failed ? error_set(err, ERROR_NO_MEMORY, "column names")
			    : 0;
}

static void name_list_release(struct name_list *list)
{
	mem_free(list->items);
	arena_release(&list->arena);
}

static const struct full_name *find_name(const struct name_list *list,
					 const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].name, name))
			return &list->items[i];
	return NULL;
}

static const struct full_name *find_id(const struct name_list *list,
				       int32_t field_id)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].field_id == field_id)
			return &list->items[i];
	return NULL;
}

/* The key's new spelling: itself, another, or NULL when its column is gone.
 * False if out of memory. */
static bool follow(struct evolution *e, char *key,
		   const struct name_list *before,
		   const struct name_list *now, char **out)
{
	*out = key;
	for (size_t i = 0; i < ARRAY_COUNT(by_name); i++) {
		const struct full_name *old, *current;

		if (!text_starts_with(key, by_name[i]))
			continue;
		old = find_name(before, key + strlen(by_name[i]));
		if (!old)
			return true;
		current = find_id(now, old->field_id);
		*out = NULL;
		if (!current)
			return true;
		*out = arena_printf(&e->m->arena, "%s%s", by_name[i],
				    current->name);
		return *out != NULL;
	}
	for (size_t i = 0; i < ARRAY_COUNT(by_id); i++) {
		int32_t id;

		if (!text_starts_with(key, by_id[i]))
			continue;
		key += strlen(by_id[i]);
		if (!parse_int32(key, strlen(key), &id) &&
		    find_id(before, id) && !find_id(now, id))
			*out = NULL;
	}
	return true;
}

int column_properties_follow(struct evolution *e, const struct schema *before)
{
	struct name_list old, now;
	size_t kept = 0;
	int rc = name_list_make(&old, before, e->err);
	int rc_now = name_list_make(&now, &e->schema, e->err);

	for (size_t i = 0; !rc && !rc_now && i < e->m->property_count; i++) {
		struct key_value pair = e->m->properties[i];

		if (!follow(e, pair.key, &old, &now, &pair.key))
			rc = error_set(e->err, ERROR_NO_MEMORY,
				       "column properties");
		if (pair.key)
			e->m->properties[kept++] = pair;
	}
	if (!rc && !rc_now)
		e->m->property_count = kept;
	name_list_release(&old);
	name_list_release(&now);
	return rc ? rc : rc_now;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct full_name *)a)->name,
		      ((const struct full_name *)b)->name);
}

int column_paths_check(const struct schema *schema, struct error *err)
{
	struct name_list list;
	int rc = name_list_make(&list, schema, err);

	if (!rc && list.count)
		qsort(list.items, list.count, sizeof(*list.items),
		      compare_names);
	for (size_t i = 1; !rc && i < list.count; i++)
		if (!strcmp(list.items[i - 1].name, list.items[i].name))
			rc = error_set(err, ERROR_COLUMN_EXISTS, "two columns "
				       "are '%s': a field of a ROW and a name "
				       "with a dot in it", list.items[i].name);
	name_list_release(&list);
	return rc;
}
