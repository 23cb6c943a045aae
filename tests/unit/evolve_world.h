#ifndef TESTS_UNIT_EVOLVE_WORLD_H
#define TESTS_UNIT_EVOLVE_WORLD_H
#include <stdio.h>
#include "unit/check_main.h"
#include "table/evolve/evolve.h"

/*
 * A table's metadata to be changed, and changes of it in short words.
 */
static struct error err;
static struct table_metadata *metadata;
static struct arena world_arena;

/* ids 1 to 15 */
#define WORLD_SCHEMA \
	"{\"type\":\"struct\",\"schema-id\":0,\"identifier-field-ids\":[1]," \
	"\"fields\":[{\"id\":1,\"name\":\"id\",\"required\":true," \
	"\"type\":\"int\"}," \
	"{\"id\":2,\"name\":\"name\",\"required\":false," \
	"\"type\":\"string\"}," \
	"{\"id\":3,\"name\":\"ts\",\"required\":false," \
	"\"type\":\"timestamp\"}," \
	"{\"id\":4,\"name\":\"s\",\"required\":false," \
	"\"type\":{\"type\":\"struct\",\"fields\":[" \
	"{\"id\":7,\"name\":\"x\",\"required\":false,\"type\":\"int\"}," \
	"{\"id\":8,\"name\":\"y\",\"required\":true,\"type\":\"float\"}]}}," \
	"{\"id\":5,\"name\":\"tags\",\"required\":false," \
	"\"type\":{\"type\":\"list\",\"element-id\":9," \
	"\"element-required\":false,\"element\":{\"type\":\"struct\"," \
	"\"fields\":[{\"id\":10,\"name\":\"k\",\"required\":false," \
	"\"type\":\"string\"}]}}}," \
	"{\"id\":6,\"name\":\"m\",\"required\":false," \
	"\"type\":{\"type\":\"map\",\"key-id\":11,\"key\":{" \
	"\"type\":\"struct\",\"fields\":[" \
	"{\"id\":13,\"name\":\"a\",\"required\":false,\"type\":\"int\"}," \
	"{\"id\":14,\"name\":\"b\",\"required\":false,\"type\":\"int\"}]}," \
	"\"value-id\":12,\"value-required\":false,\"value\":{" \
	"\"type\":\"struct\",\"fields\":[{\"id\":15,\"name\":\"v\"," \
	"\"required\":false,\"type\":\"decimal(9, 2)\"}]}}}]}"

static void make_world(int32_t version)
{
	struct table_metadata_options options = { 0 };
	struct schema schema;

	ck_ok(schema_json_parse(&schema, WORLD_SCHEMA, strlen(WORLD_SCHEMA),
				&err));
	options.format_version = version;
	options.location = "file:///t";
	options.schema = &schema;
	options.now_ms = 1000000;
	ck_ok(table_metadata_new(&metadata, &options, &err));
	schema_release(&schema);
}

/* From here on it has rows. */
static inline void give_rows(void)
{
	static struct key_value summary[] = { { (char *)"operation",
						(char *)"append" } };
	struct snapshot s;

	memset(&s, 0, sizeof(s));
	s.snapshot_id = 1;
	s.parent_id = -1;
	s.sequence_number = 1;
	s.timestamp_ms = 2000000;
	s.manifest_list = (char *)"file:///t/list.avro";
	s.first_row_id = metadata->format_version >= 3 ? 0 : -1;
	s.added_rows = metadata->format_version >= 3 ? 1 : -1;
	s.summary = summary;
	s.summary_count = 1;
	ck_ok(metadata_add_snapshot(metadata, &s, &err));
}

static void world_set_up(void)
{
	error_init(&err);
	arena_init(&world_arena, 0);
	metadata = NULL;
}

static void world_tear_down(void)
{
	mem_fail_at(-1);
	table_metadata_free(metadata);
	arena_release(&world_arena);
}

/* "a.b.c" */
static struct column_path path_of(const char *text)
{
	struct column_path path = { NULL, 0 };
	char *copy = arena_strdup(&world_arena, text);
	const char **parts = arena_zalloc_array(&world_arena,
						strlen(text) + 1,
						sizeof(*parts));

	for (char *p = strtok(copy, "."); p; p = strtok(NULL, "."))
		parts[path.count++] = p;
	path.parts = parts;
	return path;
}

static struct table_change change_of(enum table_change_kind kind,
				     const char *path)
{
	struct table_change change;

	memset(&change, 0, sizeof(change));
	change.kind = kind;
	change.path = path_of(path);
	return change;
}

static inline struct table_change add_of(const char *parent, const char *name,
					 struct type type)
{
	struct table_change change = change_of(TABLE_ADD_COLUMN, parent);

	change.column.name = (char *)name;
	change.column.type = type;
	return change;
}

static inline struct table_change rename_of(const char *path,
					    const char *name)
{
	struct table_change change = change_of(TABLE_RENAME_COLUMN, path);

	change.name = name;
	return change;
}

static inline struct table_change type_of_column(const char *path,
						 struct type type)
{
	struct table_change change = change_of(TABLE_SET_TYPE, path);

	change.column.type = type;
	return change;
}

static inline struct table_change move_of(const char *path,
					  const char *after)
{
	struct table_change change = change_of(TABLE_MOVE_COLUMN, path);

	change.place = after ? POSITION_AFTER : POSITION_FIRST;
	change.after = after;
	return change;
}

static inline struct table_change property_of(const char *key,
					      const char *value)
{
	struct table_change change = change_of(TABLE_SET_PROPERTY, "");

	change.name = key;
	change.text = value;
	return change;
}

static inline struct partition_term term_of(const char *transform,
					    const char *column,
					    const char *name)
{
	struct partition_term term = { path_of(column), transform, name, 0, 0 };

	return term;
}

static inline struct table_change field_of(enum table_change_kind kind,
					   const char *transform,
					   const char *column)
{
	struct table_change change = change_of(kind, "");

	change.term = term_of(transform, column, NULL);
	return change;
}

static inline struct literal text_value(const char *text)
{
	struct literal value = literal_null(type_of(TYPE_VARCHAR));

	value.is_null = false;
	value.value.bytes = byte_view(text, strlen(text));
	return value;
}

static inline struct literal int_value(int32_t number)
{
	struct literal value = literal_null(type_of(TYPE_INTEGER));

	value.is_null = false;
	value.value.int32 = number;
	return value;
}

/* One change or several; the result is *changed. */
static inline bool evolve_all(const struct table_change *changes, size_t count)
{
	bool changed;

	ck_ok(metadata_evolve(metadata, changes, count, &changed, &err));
	return changed;
}

static bool evolve(struct table_change change)
{
	return evolve_all(&change, 1);
}

/* Refused with the code and a text that has the words; nothing is kept. */
static void refused(struct table_change change, int code, const char *words)
{
	struct table_metadata *copy;
	bool changed;
	int rc;

	ck_ok(table_metadata_copy(&copy, metadata, &err));
	error_init(&err);
	rc = metadata_evolve(copy, &change, 1, &changed, &err);
	table_metadata_free(copy);
	ck_assert_msg(rc == code, "%s, not %s: %s", error_name(rc),
		      error_name(code), err.text);
	ck_assert_msg(strstr(err.text, words) || strstr(err.hint, words),
		      "%s (%s)", err.text, err.hint);
}

/* The text of the metadata has the words. */
static inline void ck_has(const char *words, bool has)
{
	struct text out = TEXT_INIT;

	ck_ok(table_metadata_format(metadata, &out, &err));
	ck_assert_msg(!strstr(out.data, words) == !has, "%s in %s", words,
		      out.data);
	text_release(&out);
}

static inline const struct column_def *column_at(const char *path)
{
	const struct schema *schema = metadata_current_schema(metadata);
	struct column_path parts = path_of(path);
	const struct column_def *columns = schema->columns, *found = NULL;
	size_t count = schema->column_count;

	for (size_t i = 0; i < parts.count; i++) {
		found = NULL;
		for (size_t k = 0; k < count && !found; k++)
			if (!strcmp(columns[k].name, parts.parts[i]))
				found = &columns[k];
		if (!found)
			return NULL;
		columns = found->type.fields;
		count = found->type.field_count;
	}
	return found;
}

/* -1 = there is none */
static inline int id_of(const char *path)
{
	const struct column_def *column = column_at(path);

	return column ? (int)column->field_id : -1;
}
#endif
