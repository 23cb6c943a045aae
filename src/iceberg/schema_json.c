/*
 * schema_json.c - schemas as Iceberg's JSON (iceberg.md 5)
 *
 * Why:    table metadata, manifests and Parquet footers carry it.
 * How:    members come in any order, so those of a type or a field are
 *         collected before they are judged; a default is kept as text until
 *         its type is known. Nested types are carried, not computed.
 * Limits: TYPE_NESTING_LIMIT levels. Members of a field that we do not know
 *         are not kept.
 */
#include <stdlib.h>
#include "iceberg/schema_json.h"
#include "iceberg/literal_json.h"

struct schema_parser {
	struct json_reader *json;
	struct arena *arena;
	struct error *err;
	int rc;			/* a failure that is not the JSON's */
	const char *column;	/* being read, for messages */
};

struct field_list {
	struct column_def *items;
	size_t count;
	size_t capacity;
};

static void fail(struct schema_parser *parser, int rc)
{
	if (!parser->rc && !parser->json->problem)
		parser->rc = rc;
	json_fail(parser->json, "refused");
}

static void fail_memory(struct schema_parser *parser)
{
	fail(parser, error_set(parser->err, ERROR_NO_MEMORY, "schema"));
}

static char *keep_string(struct schema_parser *parser)
{
	char *copy = arena_strdup(parser->arena, json_string(parser->json));

	if (!copy)
		fail_memory(parser);
	return copy;
}

static struct column_def *add_field(struct schema_parser *parser,
				    struct field_list *list)
{
	struct column_def *items;
	size_t capacity;

	if (list->count == list->capacity) {
		capacity = list->capacity ? list->capacity * 2 : 8;
		items = arena_zalloc_array(parser->arena, capacity,
					   sizeof(*items));
		if (!items) {
			fail_memory(parser);
			return NULL;
		}
		if (list->count)
			memcpy(items, list->items,
			       list->count * sizeof(*items));
		list->items = items;
		list->capacity = capacity;
	}
	return &list->items[list->count++];
}

static void parse_type(struct schema_parser *parser, unsigned depth,
		       struct type *out);

/* A default kept as text, read once its type is known. */
static struct literal *parse_default(struct schema_parser *parser,
				     struct byte_view text,
				     const struct type *type)
{
	struct json_reader json;
	struct literal *out;
	char *copy;
	int rc;

	if (!text.length || parser->json->problem)
		return NULL;
	copy = arena_strndup(parser->arena, (const char *)text.data,
			     text.length);
	out = arena_zalloc(parser->arena, sizeof(*out));
	if (!copy || !out) {
		fail_memory(parser);
		return NULL;
	}
	json_reader_init(&json, copy, text.length);
	if (json_null(&json))
		return NULL;
	if (type_is_nested(type)) {
		fail(parser, error_set(parser->err, ERROR_UNSUPPORTED,
				       "column \"%s\": a default for a nested "
				       "type", parser->column));
		return NULL;
	}
	rc = literal_json_read(&json, type, parser->arena, out, parser->err);
	if (rc)
		fail(parser, rc);
	else if (json_finish(&json, parser->column, parser->err))
		fail(parser, ERROR_CORRUPT);
	return out;
}

static void parse_field(struct schema_parser *parser, unsigned depth,
			struct column_def *out)
{
	struct byte_view initial = { NULL, 0 }, write = { NULL, 0 };
	struct json_reader *json = parser->json;
	bool has_id = false, has_required = false, has_type = false;
	const char *key;

	json_begin_object(json);
	while ((key = json_next_key(json))) {
		if (!strcmp(key, "id")) {
			out->field_id = json_int32(json);
			has_id = true;
		} else if (!strcmp(key, "name")) {
			out->name = keep_string(parser);
			parser->column = out->name;
		} else if (!strcmp(key, "required")) {
			out->required = json_boolean(json);
			has_required = true;
		} else if (!strcmp(key, "type")) {
			parse_type(parser, depth, &out->type);
			has_type = true;
		} else if (!strcmp(key, "doc") && !json_null(json)) {
			out->doc = keep_string(parser);
		} else if (!strcmp(key, "initial-default")) {
			initial = json_raw(json);
		} else if (!strcmp(key, "write-default")) {
			write = json_raw(json);
		} else if (strcmp(key, "doc") != 0) {
			json_skip(json);
		}
	}
	if (!out->name || !has_id || !has_required || !has_type)
		json_fail(json, "a field lacks id, name, required or type");
	parser->column = out->name ? out->name : "";
	out->initial_default = parse_default(parser, initial, &out->type);
	out->write_default = parse_default(parser, write, &out->type);
}

static void parse_fields(struct schema_parser *parser, unsigned depth,
			 struct field_list *list)
{
	const char *outer = parser->column;

	json_begin_array(parser->json);
	while (json_next_item(parser->json)) {
		struct column_def *field = add_field(parser, list);

		if (field)
			parse_field(parser, depth, field);
	}
	parser->column = outer;
}

/* What the members of a nested type said, before it is known to be one. */
struct type_members {
	char *kind;
	struct field_list fields;
	struct column_def first;	/* element or key */
	struct column_def value;
	bool has_first;
	bool has_value;
};

static bool parse_item_member(struct schema_parser *parser, unsigned depth,
			      const char *key, struct type_members *m)
{
	struct json_reader *json = parser->json;

	if (!strcmp(key, "element") || !strcmp(key, "key")) {
		parse_type(parser, depth, &m->first.type);
		m->has_first = true;
	} else if (!strcmp(key, "value")) {
		parse_type(parser, depth, &m->value.type);
		m->has_value = true;
	} else if (!strcmp(key, "element-id") || !strcmp(key, "key-id")) {
		m->first.field_id = json_int32(json);
	} else if (!strcmp(key, "value-id")) {
		m->value.field_id = json_int32(json);
	} else if (!strcmp(key, "element-required")) {
		m->first.required = json_boolean(json);
	} else if (!strcmp(key, "value-required")) {
		m->value.required = json_boolean(json);
	} else {
		return false;
	}
	return true;
}

static void assemble_type(struct schema_parser *parser,
			  const struct type_members *m, struct type *out)
{
	struct field_list items = { NULL, 0, 0 };
	struct column_def *field;

	if (m->kind && !strcmp(m->kind, "struct")) {
		*out = type_of(TYPE_ROW);
		out->fields = m->fields.items;
		out->field_count = m->fields.count;
		return;
	}
	if (m->kind && !strcmp(m->kind, "list") && m->has_first) {
		*out = type_of(TYPE_ARRAY);
	} else if (m->kind && !strcmp(m->kind, "map") && m->has_first &&
		   m->has_value) {
		*out = type_of(TYPE_MAP);
	} else {
		json_fail(parser->json, "a malformed nested type");
		return;
	}
	field = add_field(parser, &items);
	if (!field)
		return;
	*field = m->first;
	field->name = arena_strdup(parser->arena, out->id == TYPE_MAP
						  ? "key" : "element");
	field->required = out->id == TYPE_MAP || m->first.required;
	if (out->id == TYPE_MAP) {
		struct column_def *value = add_field(parser, &items);

		if (!value)
			return;
		*value = m->value;
		value->name = arena_strdup(parser->arena, "value");
	}
	out->fields = items.items;
	out->field_count = items.count;
	for (size_t i = 0; i < items.count; i++)
		if (!items.items[i].name)
			fail_memory(parser);
}

static void parse_nested(struct schema_parser *parser, unsigned depth,
			 struct type *out)
{
	struct json_reader *json = parser->json;
	struct type_members members;
	const char *key;

	memset(&members, 0, sizeof(members));
	json_begin_object(json);
	while ((key = json_next_key(json))) {
		if (!strcmp(key, "type"))
			members.kind = keep_string(parser);
		else if (!strcmp(key, "fields"))
			parse_fields(parser, depth, &members.fields);
		else if (!parse_item_member(parser, depth, key, &members))
			json_skip(json);
	}
	if (!json->problem)
		assemble_type(parser, &members, out);
}

static void parse_type(struct schema_parser *parser, unsigned depth,
		       struct type *out)
{
	struct error ignored;
	char *text;
	int rc;

	*out = type_of(TYPE_UNKNOWN);
	if (json_peek(parser->json) != JSON_STRING) {
		if (depth + 1 < TYPE_NESTING_LIMIT)
			parse_nested(parser, depth + 1, out);
		else
			fail(parser, error_set(parser->err, ERROR_UNSUPPORTED,
					       "column \"%s\" is nested "
					       "deeper than %d levels",
					       parser->column,
					       TYPE_NESTING_LIMIT));
		return;
	}
	text = json_string(parser->json);
	rc = type_json_parse(out, text, &ignored);
	if (rc && !parser->json->problem)
		fail(parser, error_set(parser->err, rc, "column \"%s\": %s",
				       parser->column, ignored.text));
}

/* Mark the identifier fields; false if one is missing. */
static struct column_def *find_def(struct column_def *defs, size_t count,
				   int32_t id)
{
	for (size_t i = 0; i < count; i++) {
		struct column_def *found;

		if (defs[i].field_id == id)
			return &defs[i];
		found = find_def(defs[i].type.fields,
				 defs[i].type.field_count, id);
		if (found)
			return found;
	}
	return NULL;
}

static void mark_identifiers(struct schema_parser *parser,
			     struct byte_view list, struct schema *schema)
{
	struct json_reader json;
	char *copy;

	if (!list.length || parser->json->problem)
		return;
	copy = arena_strndup(parser->arena, (const char *)list.data,
			     list.length);
	if (!copy) {
		fail_memory(parser);
		return;
	}
	json_reader_init(&json, copy, list.length);
	if (json_null(&json))
		return;
	json_begin_array(&json);
	while (json_next_item(&json)) {
		int32_t id = json_int32(&json);
		struct column_def *def = find_def(schema->columns,
						  schema->column_count, id);

		if (def)
			def->is_identifier = true;
		else
			json_fail(&json, "an identifier field is missing");
	}
	if (json_finish(&json, "identifier-field-ids", parser->err))
		fail(parser, ERROR_CORRUPT);
}

static size_t count_ids(const struct column_def *defs, size_t count)
{
	size_t total = count;

	for (size_t i = 0; i < count; i++)
		total += count_ids(defs[i].type.fields,
				   defs[i].type.field_count);
	return total;
}

static int32_t *collect_ids(const struct column_def *defs, size_t count,
			    int32_t *out)
{
	for (size_t i = 0; i < count; i++) {
		*out++ = defs[i].field_id;
		out = collect_ids(defs[i].type.fields,
				  defs[i].type.field_count, out);
	}
	return out;
}

static int compare_ids(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* Field ids name columns: two of one id would read each other's data. */
static void check_ids(struct schema_parser *parser,
		      const struct schema *schema)
{
	size_t count = count_ids(schema->columns, schema->column_count);
	int32_t *ids = mem_alloc_array(count + 1, sizeof(*ids));

	if (!ids) {
		fail_memory(parser);
		return;
	}
	collect_ids(schema->columns, schema->column_count, ids);
	qsort(ids, count, sizeof(*ids), compare_ids);
	for (size_t i = 1; i < count; i++)
		if (ids[i] == ids[i - 1])
			json_fail(parser->json, "a field id is used twice");
	mem_free(ids);
}

int schema_json_read(struct json_reader *json, struct schema *out,
		     struct error *err)
{
	struct schema_parser parser = { json, &out->arena, err, 0, "" };
	struct byte_view identifiers = { NULL, 0 };
	struct field_list fields = { NULL, 0, 0 };
	bool is_struct = false, has_fields = false;
	const char *key;

	schema_init(out);
	json_begin_object(json);
	while ((key = json_next_key(json))) {
		if (!strcmp(key, "type")) {
			is_struct = !strcmp(json_string(json), "struct");
		} else if (!strcmp(key, "schema-id")) {
			out->schema_id = json_int32(json);
		} else if (!strcmp(key, "fields")) {
			parse_fields(&parser, 0, &fields);
			has_fields = true;
		} else if (!strcmp(key, "identifier-field-ids")) {
			identifiers = json_raw(json);
		} else {
			json_skip(json);
		}
	}
	if (!is_struct || !has_fields)
		json_fail(json, "a schema must be a struct with fields");
	out->columns = fields.items;
	out->column_count = fields.count;
	out->capacity = fields.capacity;
	if (!json->problem)
		check_ids(&parser, out);
	mark_identifiers(&parser, identifiers, out);
	if (json->problem)
		schema_release(out);
	return parser.rc;
}

int schema_json_parse(struct schema *out, const char *json, size_t length,
		      struct error *err)
{
	struct json_reader reader;
	char *copy = mem_strndup(json, length);
	int rc;

	schema_init(out);
	if (!copy)
		return error_set(err, ERROR_NO_MEMORY, "schema");
	json_reader_init(&reader, copy, strlen(copy));
	rc = schema_json_read(&reader, out, err);
	if (!rc)
		rc = json_finish(&reader, "schema", err);
	if (rc)
		schema_release(out);
	mem_free(copy);
	return rc;
}
