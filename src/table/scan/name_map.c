/*
 * name_map.c - the property schema.name-mapping.default
 *
 * Why:    files that were written by others and added to a table know no
 *         field ids; the table says by which names its columns go in them.
 * How:    the JSON list is read once a scan. Field ids are unique over all
 *         levels, so that nested fields go into the same list.
 */
#include "table/scan/scan_state.h"

#define NAME_MAPPING_PROPERTY "schema.name-mapping.default"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "name mapping");
}

static int read_names(struct json_reader *json, struct arena *arena,
		      struct name_map_entry *entry, struct error *err)
{
	size_t capacity = 0;

	json_begin_array(json);
	while (json_next_item(json)) {
		const char *name = json_string(json);
		char *copy = arena_strdup(arena, name);
		const char **bigger = entry->names;

		if (entry->name_count == capacity) {
			capacity = capacity * 2 + 2;
			bigger = arena_zalloc_array(arena, capacity,
						    sizeof(*bigger));
			if (bigger && entry->name_count)
				memcpy(bigger, entry->names,
				       entry->name_count * sizeof(*bigger));
		}
		if (!copy || !bigger)
			return no_memory(err);
		entry->names = bigger;
		entry->names[entry->name_count++] = copy;
	}
	return 0;
}

static struct name_map_entry *add_entry(struct name_map *map,
					struct arena *arena)
{
	struct name_map_entry *bigger;

	if (map->count == map->capacity) {
		size_t capacity = map->capacity * 2 + 16;

		bigger = arena_zalloc_array(arena, capacity, sizeof(*bigger));
		if (!bigger)
			return NULL;
		if (map->count)
			memcpy(bigger, map->entries,
			       map->count * sizeof(*bigger));
		map->entries = bigger;
		map->capacity = capacity;
	}
	return &map->entries[map->count++];
}

/* The fields of a list, and what is nested in them. The reader of JSON
 * refuses what is too deep. */
static int read_fields(struct json_reader *json, struct arena *arena,
		       struct name_map *map, struct error *err)
{
	int rc = 0;

	json_begin_array(json);
	while (!rc && json_next_item(json)) {
		struct name_map_entry entry = { .field_id = -1 }, *place;
		const char *key;

		json_begin_object(json);
		while (!rc && (key = json_next_key(json))) {
			if (!strcmp(key, "field-id") && !json_null(json))
				entry.field_id = json_int32(json);
			else if (!strcmp(key, "names"))
				rc = read_names(json, arena, &entry, err);
			else if (!strcmp(key, "fields"))
				rc = read_fields(json, arena, map, err);
			else if (strcmp(key, "field-id"))
				json_skip(json);
		}
		place = rc ? NULL : add_entry(map, arena);
		if (place)
			*place = entry;
		else if (!rc)
			rc = no_memory(err);
	}
	return rc;
}

static int read_map(const char *value, struct arena *arena,
		    struct name_map *out, struct error *err)
{
	char *copy = arena_strdup(arena, value);
	struct json_reader json;
	int rc;

	if (!copy)
		return no_memory(err);
	out->is_set = true;
	json_reader_init(&json, copy, strlen(copy));
	rc = read_fields(&json, arena, out, err);
	return rc ? rc : json_finish(&json, "property "
				     NAME_MAPPING_PROPERTY, err);
}

int name_map_parse(const struct table_metadata *metadata,
		   struct arena *arena, struct name_map *out,
		   struct error *err)
{
	const char *value = metadata_property(metadata,
					      NAME_MAPPING_PROPERTY);

	memset(out, 0, sizeof(*out));
	return value ? read_map(value, arena, out, err) : 0;
}

int scan_check_property(const char *key, const char *value, struct error *err)
{
	struct name_map map = { 0 };
	struct arena arena;
	int rc;

	if (strcmp(key, NAME_MAPPING_PROPERTY))
		return 0;
	arena_init(&arena, 0);
	rc = read_map(value, &arena, &map, err);
	arena_release(&arena);
	if (rc == ERROR_CORRUPT) {
		rc = error_set(err, ERROR_BAD_ARGUMENT, "'%s' is no value of "
			       "property %s", value, key);
		error_hint(err, "a JSON list of objects with field-id, names "
			   "and fields");
	}
	return rc;
}
