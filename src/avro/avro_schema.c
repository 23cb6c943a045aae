/*
 * avro_schema.c - the writer's schema of an Avro file
 *
 * Why:    Avro data cannot be read without the schema it was written with,
 *         and Iceberg's field ids are attributes of that schema.
 * How:    one pass of the JSON reader. Attributes come in any order, so all
 *         are collected first and the node is judged at its end.
 * Limits: fixed and enum types may be named again, records may not: so the
 *         schema is a tree, and the work of decoding is bounded by the bytes.
 *         Namespaces are ignored when a name is looked up.
 */
#include "avro/avro_schema.h"
#include "codec/codec.h"

struct named_type {
	const struct avro_schema *type;
	struct named_type *next;
};

struct schema_parser {
	struct json_reader json;
	struct arena *arena;
	struct named_type *names;
	size_t field_total;
	bool no_memory;
	const char *unsupported;
};

static const char *const kind_names[] = {
	"null", "boolean", "int", "long", "float", "double", "bytes",
	"string", "fixed", "enum", "array", "map", "record", "union",
};

static void *take_memory(struct schema_parser *parser, size_t count,
			 size_t size)
{
	void *memory = arena_zalloc_array(parser->arena, count, size);

	if (!memory) {
		parser->no_memory = true;
		json_fail(&parser->json, "out of memory");
	}
	return memory;
}

static const char *short_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

static char *keep_string(struct schema_parser *parser)
{
	char *text = json_string(&parser->json);
	char *copy = arena_strdup(parser->arena, text);

	if (!copy) {
		parser->no_memory = true;
		json_fail(&parser->json, "out of memory");
	}
	return copy;
}

static const struct avro_schema *find_named(struct schema_parser *parser,
					    const char *name)
{
	for (struct named_type *n = parser->names; n; n = n->next)
		if (!strcmp(short_name(n->type->name), short_name(name)))
			return n->type;
	return NULL;
}

static void set_unsupported(struct schema_parser *parser, const char *what)
{
	if (!parser->unsupported)
		parser->unsupported = what;
	json_fail(&parser->json, what);
}

/* A type given by its name alone. */
static const struct avro_schema *named_reference(struct schema_parser *parser,
						 const char *name)
{
	const struct avro_schema *found;
	struct avro_schema *type;

	for (int kind = AVRO_NULL; kind <= AVRO_STRING; kind++) {
		if (!json_key_is(name, kind_names[kind]))
			continue;
		type = take_memory(parser, 1, sizeof(*type));
		if (!type)
			return NULL;
		type->kind = (enum avro_kind)kind;
		type->is_empty = kind == AVRO_NULL;
		return type;
	}
	found = find_named(parser, name);
	if (!found)
		json_fail(&parser->json, "unknown type name");
	else if (found->kind == AVRO_RECORD)
		set_unsupported(parser, "a record is named a second time");
	return found;
}

static const struct avro_schema *parse_type(struct schema_parser *parser);

/* Growing list of fields; the arena keeps the old ones until it goes. */
struct field_list {
	struct avro_field *items;
	size_t count;
	size_t capacity;
};

static struct avro_field *add_field(struct schema_parser *parser,
				    struct field_list *list)
{
	struct avro_field *field;

	if (list->count == list->capacity) {
		size_t capacity = list->capacity ? list->capacity * 2 : 8;
		struct avro_field *items;

		items = take_memory(parser, capacity, sizeof(*items));
		if (!items)
			return NULL;
		if (list->count)
			memcpy(items, list->items,
			       list->count * sizeof(*items));
		list->items = items;
		list->capacity = capacity;
	}
	field = &list->items[list->count++];
	memset(field, 0, sizeof(*field));
	field->field_id = -1;
	field->index = parser->field_total++;
	return field;
}

static void parse_field(struct schema_parser *parser,
			struct avro_field *field)
{
	const char *key;

	json_begin_object(&parser->json);
	while ((key = json_next_key(&parser->json))) {
		if (json_key_is(key, "name"))
			field->name = keep_string(parser);
		else if (json_key_is(key, "type"))
			field->type = parse_type(parser);
		else if (json_key_is(key, "field-id"))
			field->field_id = json_int32(&parser->json);
		else
			json_skip(&parser->json);
	}
	if (!field->name || !field->type)
		json_fail(&parser->json, "a field lacks its name or type");
}

static void parse_fields(struct schema_parser *parser,
			 struct field_list *list)
{
	json_begin_array(&parser->json);
	while (json_next_item(&parser->json)) {
		struct avro_field *field = add_field(parser, list);
		struct avro_field parsed;

		if (!field)
			return;
		parsed = *field;
		parse_field(parser, &parsed);
		list->items[list->count - 1] = parsed;
	}
}

static void parse_item(struct schema_parser *parser, struct field_list *list)
{
	struct avro_field *field = add_field(parser, list);
	const struct avro_schema *type = parse_type(parser);

	if (field)
		list->items[list->count - 1].type = type;
}

static void finish_type(struct schema_parser *parser,
			struct avro_schema *type)
{
	struct named_type *name;

	type->index_limit = parser->field_total;
	switch (type->kind) {
	case AVRO_RECORD:
		type->is_empty = true;
		for (size_t i = 0; i < type->field_count; i++)
			if (type->fields[i].type &&
			    !type->fields[i].type->is_empty)
				type->is_empty = false;
		break;
	case AVRO_FIXED:
		type->is_empty = type->size == 0;
		break;
	case AVRO_ARRAY:
	case AVRO_MAP:
		if (type->field_count != 1)
			json_fail(&parser->json, "no item type");
		else if (type->kind == AVRO_ARRAY && type->fields[0].type &&
			 type->fields[0].type->is_empty)
			set_unsupported(parser, "array items without bytes");
		break;
	default:
		type->is_empty = type->kind == AVRO_NULL;
	}
	if (type->kind != AVRO_RECORD && type->kind != AVRO_FIXED &&
	    type->kind != AVRO_ENUM)
		return;
	if (!type->name) {
		json_fail(&parser->json, "a type lacks its name");
		return;
	}
	if (find_named(parser, type->name)) {
		json_fail(&parser->json, "a type name is defined twice");
		return;
	}
	name = take_memory(parser, 1, sizeof(*name));
	if (!name)
		return;
	name->type = type;
	name->next = parser->names;
	parser->names = name;
}

/* "type" of an object: the name of a kind or another type in full. */
static const struct avro_schema *parse_kind(struct schema_parser *parser,
					    int *kind)
{
	const char *name;

	if (json_peek(&parser->json) != JSON_STRING)
		return parse_type(parser);
	name = json_string(&parser->json);
	for (*kind = AVRO_NULL; *kind <= AVRO_RECORD; ++*kind)
		if (json_key_is(name, kind_names[*kind]))
			return NULL;
	*kind = -1;
	return named_reference(parser, name);
}

static const struct avro_schema *parse_object(struct schema_parser *parser)
{
	const struct avro_schema *inner = NULL;
	struct json_reader *json = &parser->json;
	struct field_list fields = { NULL, 0, 0 }, items = { NULL, 0, 0 };
	struct avro_schema *type;
	const char *key;
	int32_t size = 0, element_id = -1;
	int kind = -1;

	type = take_memory(parser, 1, sizeof(*type));
	if (!type)
		return NULL;
	json_begin_object(json);
	while ((key = json_next_key(json))) {
		if (json_key_is(key, "type"))
			inner = parse_kind(parser, &kind);
		else if (json_key_is(key, "name"))
			type->name = keep_string(parser);
		else if (json_key_is(key, "logicalType"))
			type->logical = keep_string(parser);
		else if (json_key_is(key, "fields"))
			parse_fields(parser, &fields);
		else if (json_key_is(key, "items") || json_key_is(key, "values"))
			parse_item(parser, &items);
		else if (json_key_is(key, "size"))
			size = json_int32(json);
		else if (json_key_is(key, "precision"))
			type->precision = json_int32(json);
		else if (json_key_is(key, "scale"))
			type->scale = json_int32(json);
		else if (json_key_is(key, "element-id"))
			element_id = json_int32(json);
		else
			json_skip(json);
	}
	if (json->problem)
		return NULL;
	if (inner)
		return inner;
	if (kind < 0 || size < 0) {
		json_fail(json, kind < 0 ? "a type lacks its kind"
					 : "a negative size");
		return NULL;
	}
	type->kind = (enum avro_kind)kind;
	type->size = (uint32_t)size;
	if (kind == AVRO_ARRAY && items.count == 1)
		items.items[0].field_id = element_id;
	if (kind == AVRO_RECORD)
		items = fields;
	type->fields = items.items;
	type->field_count = items.count;
	finish_type(parser, type);
	return type;
}

static const struct avro_schema *parse_union(struct schema_parser *parser)
{
	struct field_list list = { NULL, 0, 0 };
	struct avro_schema *type;

	type = take_memory(parser, 1, sizeof(*type));
	if (!type)
		return NULL;
	json_begin_array(&parser->json);
	while (json_next_item(&parser->json))
		parse_item(parser, &list);
	if (parser->json.problem)
		return NULL;
	for (size_t i = 0; i < list.count; i++)
		if (list.items[i].type->kind == AVRO_UNION)
			json_fail(&parser->json, "a union in a union");
	type->kind = AVRO_UNION;
	type->fields = list.items;
	type->field_count = list.count;
	type->index_limit = parser->field_total;
	return type;
}

static const struct avro_schema *parse_type(struct schema_parser *parser)
{
	const char *name;

	switch (json_peek(&parser->json)) {
	case JSON_STRING:
		name = json_string(&parser->json);
		return named_reference(parser, name);
	case JSON_ARRAY:
		return parse_union(parser);
	default:
		return parse_object(parser);
	}
}

int avro_schema_parse(struct avro_schema **out, const void *json,
		      size_t length, const char *name, struct arena *arena,
		      struct error *err)
{
	struct schema_parser parser;
	const struct avro_schema *type;
	char *copy;
	int rc;

	*out = NULL;
	if (length > AVRO_SCHEMA_LIMIT_BYTES)
		return error_set(err, ERROR_CORRUPT,
				 "%s: Avro schema of %zu bytes", name, length);
	memset(&parser, 0, sizeof(parser));
	parser.arena = arena;
	copy = arena_strndup(arena, json, length);
	if (!copy)
		return error_set(err, ERROR_NO_MEMORY, "Avro schema");
	if (strlen(copy) != length)
		return error_set(err, ERROR_CORRUPT,
				 "%s: Avro schema with a NUL", name);
	json_reader_init(&parser.json, copy, length);
	type = parse_type(&parser);
	rc = json_finish(&parser.json, name, err);
	if (parser.no_memory)
		return error_set(err, ERROR_NO_MEMORY, "Avro schema");
	if (parser.unsupported)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s: Avro schema: %s", name,
				 parser.unsupported);
	if (rc)
		return error_prefix(err, "Avro schema");
	*out = arena_alloc(arena, sizeof(**out));
	if (!*out)
		return error_set(err, ERROR_NO_MEMORY, "Avro schema");
	**out = *type;
	return 0;
}

const struct avro_schema *avro_not_null(const struct avro_schema *type)
{
	if (type->kind != AVRO_UNION || type->field_count != 2)
		return type;
	if (type->fields[0].type->kind == AVRO_NULL)
		return type->fields[1].type;
	if (type->fields[1].type->kind == AVRO_NULL)
		return type->fields[0].type;
	return type;
}
