/*
 * name_map.c - the property schema.name-mapping.default
 *
 * Why:    files that were written by others and added to a table know no
 *         field ids; the table says by which names its columns go in them.
 * How:    the JSON list is read once a scan. Only columns at the top are
 *         kept: nested ones are not read.
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

static int read_field(struct json_reader *json, struct arena *arena,
		      struct name_map_entry *entry, struct error *err)
{
	const char *key;
	int rc = 0;

	entry->field_id = -1;
	json_begin_object(json);
	while (!rc && (key = json_next_key(json))) {
		if (!strcmp(key, "field-id") && !json_null(json))
			entry->field_id = json_int32(json);
		else if (!strcmp(key, "names"))
			rc = read_names(json, arena, entry, err);
		else if (strcmp(key, "field-id"))
			json_skip(json);
	}
	return rc;
}

int name_map_parse(const struct table_metadata *metadata,
		   struct arena *arena, struct name_map *out,
		   struct error *err)
{
	const char *value = metadata_property(metadata,
					      NAME_MAPPING_PROPERTY);
	struct json_reader json;
	size_t capacity = 0;
	char *copy;
	int rc = 0;

	memset(out, 0, sizeof(*out));
	if (!value)
		return 0;
	copy = arena_strdup(arena, value);
	if (!copy)
		return no_memory(err);
	out->is_set = true;
	json_reader_init(&json, copy, strlen(copy));
	json_begin_array(&json);
	while (!rc && json_next_item(&json)) {
		if (out->count == capacity) {
			struct name_map_entry *bigger;

			capacity = capacity * 2 + 16;
			bigger = arena_zalloc_array(arena, capacity,
						    sizeof(*bigger));
			if (!bigger)
				return no_memory(err);
			if (out->count)
				memcpy(bigger, out->entries,
				       out->count * sizeof(*bigger));
			out->entries = bigger;
		}
		rc = read_field(&json, arena, &out->entries[out->count], err);
		out->count++;
	}
	return rc ? rc : json_finish(&json, "property "
				     NAME_MAPPING_PROPERTY, err);
}
