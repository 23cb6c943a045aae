/*
 * json_value.c - JSON values to columns
 *
 * Why:    JSON Lines and the JSON text in a CSV field fill columns of any
 *         type, exactly.
 * How:    a tree of columns, one per node of the type, each with the values
 *         read so far; a nested value is a count of children. At the end the
 *         nodes are packed from the leaves up, a whole column at a time.
 *         Members mostly come in the order of the fields, so the next field
 *         is tried before all.
 * Cost:   about 2 ns per byte of JSON, and what packing costs.
 * Limits: recursion is as deep as the type is (TYPE_NESTING_LIMIT); values
 *         that no type asks for are skipped without recursion.
 */
#include "source/json_value.h"

#include <inttypes.h>

/* How much of a value a message shows. */
#define SHOWN_BYTES 100
#define NO_FIELD SIZE_MAX

struct json_builder {
	struct type type;
	const struct time_zone *zone;
	struct vector values;	/* of a leaf; a nested node's once packed */
	size_t count;
	/* nested nodes: */
	struct json_builder *children;	/* one per field of the type */
	const struct vector **packed;	/* ROW: the children's values */
	bool *seen;			/* ROW: members of this object */
	uint64_t *validity;
	uint32_t *offsets;		/* ARRAY, MAP */
	size_t capacity;		/* of validity and offsets */
	bool has_nulls;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "read JSON");
}

static void builder_release(struct json_builder *builder)
{
	for (size_t i = 0; builder->children && i < builder->type.field_count;
	     i++)
		builder_release(&builder->children[i]);
	mem_free(builder->children);
	mem_free(builder->packed);
	mem_free(builder->seen);
	mem_free(builder->validity);
	mem_free(builder->offsets);
	vector_release(&builder->values);
}

static int builder_init(struct json_builder *builder, const struct type *type,
			const struct time_zone *zone, struct error *err)
{
	size_t fields = type->field_count;

	builder->type = *type;
	builder->zone = zone;
	vector_init(&builder->values, *type);
	if (!type_is_nested(type))
		return 0;
	builder->children = mem_zalloc_array(fields + 1,
					     sizeof(*builder->children));
	builder->packed = mem_zalloc_array(fields + 1,
					   sizeof(*builder->packed));
	builder->seen = mem_zalloc_array(fields + 1, sizeof(bool));
	if (!builder->children || !builder->packed || !builder->seen)
		return no_memory(err);
	for (size_t i = 0; i < fields; i++) {
		int rc = builder_init(&builder->children[i],
				      &type->fields[i].type, zone, err);

		builder->packed[i] = &builder->children[i].values;
		if (rc)
			return rc;
	}
	return 0;
}

int json_builder_new(struct json_builder **out, const struct type *type,
		     const struct time_zone *zone, struct error *err)
{
	struct json_builder *builder = mem_zalloc(sizeof(*builder));
	int rc;

	*out = NULL;
	if (!builder)
		return no_memory(err);
	rc = builder_init(builder, type, zone, err);
	if (rc) {
		json_builder_free(builder);
		return rc;
	}
	*out = builder;
	return 0;
}

void json_builder_free(struct json_builder *builder)
{
	if (!builder)
		return;
	builder_release(builder);
	mem_free(builder);
}

void json_builder_reset(struct json_builder *builder)
{
	vector_reset(&builder->values);
	builder->count = 0;
	builder->has_nulls = false;
	for (size_t i = 0; builder->children && i < builder->type.field_count;
	     i++)
		json_builder_reset(&builder->children[i]);
}

bool json_type_is_whole(const struct type *type)
{
	return type->id == TYPE_TINYINT || type->id == TYPE_INTEGER ||
	       type->id == TYPE_BIGINT;
}

int json_syntax_error(const struct json_reader *reader, struct error *err)
{
	return error_set(err, ERROR_CAST, "malformed JSON: %s, at byte %zu",
			 reader->problem ? reader->problem
					 : "more text behind the value",
			 reader->problem_at + 1);
}

char *json_text_copy(struct arena *heap, struct byte_view text)
{
	size_t bytes;
	char *copy;

	if (!size_add(text.length, 1 + JSON_PADDING_BYTES, &bytes))
		return NULL;
	copy = arena_alloc_bytes(heap, bytes);
	if (!copy)
		return NULL;
	if (text.length)
		memcpy(copy, text.data, text.length);
	memset(copy + text.length, 0, 1 + JSON_PADDING_BYTES);
	return copy;
}

/* Room for one more value. */
static int reserve(struct json_builder *builder, struct error *err)
{
	size_t needed = builder->count + 1;
	size_t capacity = builder->capacity;
	uint64_t *validity;
	uint32_t *offsets;

	if (!builder->children) {
		if (builder->values.data && needed <= builder->values.capacity)
			return 0;
		return vector_reserve(&builder->values, needed * 2, err);
	}
	if (needed <= capacity)
		return 0;
	capacity = BITMAP_WORDS(needed * 2) * 64;
	validity = mem_realloc_array(builder->validity, BITMAP_WORDS(capacity),
				     sizeof(*validity));
	if (!validity)
		return no_memory(err);
	memset(validity + builder->capacity / 64, 0,
	       (capacity - builder->capacity) / 8);
	builder->validity = validity;
	offsets = mem_realloc_array(builder->offsets, capacity + 1,
				    sizeof(*offsets));
	if (!offsets) {
		/* validity has room for more, which is no harm */
		return no_memory(err);
	}
	offsets[0] = 0;
	builder->offsets = offsets;
	builder->capacity = capacity;
	return 0;
}

/* A nested value whose children are there. */
static int close_value(struct json_builder *builder, bool is_valid,
		       struct error *err)
{
	bits_put(builder->validity, builder->count, is_valid);
	builder->has_nulls |= !is_valid;
	builder->count++;
	if (builder->type.id == TYPE_ROW)
		return 0;
	if (builder->children[0].count > UINT32_MAX)
		return error_set(err, ERROR_OVERFLOW, "too many elements");
	builder->offsets[builder->count] =
		(uint32_t)builder->children[0].count;
	return 0;
}

int json_builder_add_null(struct json_builder *builder, struct error *err)
{
	int rc = reserve(builder, err);

	if (rc)
		return rc;
	if (!builder->children) {
		struct vector *values = &builder->values;

		rc = vector_set_null(values, builder->count, err);
		if (rc)
			return rc;
		memset((uint8_t *)values->data +
		       builder->count * type_width(&values->type), 0,
		       type_width(&values->type));
		values->count = ++builder->count;
		return 0;
	}
	for (size_t i = 0; builder->type.id == TYPE_ROW && !rc &&
	     i < builder->type.field_count; i++)
		rc = json_builder_add_null(&builder->children[i], err);
	return rc ? rc : close_value(builder, false, err);
}

static int refuse_value(const struct type *type, struct byte_view value,
			struct error *err)
{
	size_t length = value.length;
	char name[TYPE_NAME_BYTES];

	if (length > SHOWN_BYTES)
		length = utf8_valid_prefix(value.data, SHOWN_BYTES);
	return error_set(err, ERROR_CAST, "'%.*s%s' does not convert to %s",
			 (int)length, (const char *)value.data,
			 length < value.length ? "..." : "",
			 type_name(type, name));
}

/* Text of a value to the slot of a leaf; 0 or an error code. */
static int parse_leaf(const struct json_builder *builder,
		      struct byte_view text, struct arena *heap, void *slot)
{
	const char *data = (const char *)text.data;
	struct literal value;
	int rc = parse_value_in(data, text.length, &builder->type,
				builder->zone, heap, &value);

	if (!rc)
		literal_to_data(&value, slot);
	return rc;
}

/* A leaf from text; kind: what it stood as in JSON. */
static int add_leaf(struct json_builder *builder, struct byte_view text,
		    enum json_kind kind, struct arena *heap,
		    struct error *err)
{
	const struct type *type = &builder->type;
	struct vector *values = &builder->values;
	uint8_t *slot;
	int rc = reserve(builder, err);

	if (rc)
		return rc;
	slot = (uint8_t *)values->data + builder->count * type_width(type);
	if (type->id == TYPE_VARCHAR)
		*(struct byte_view *)(void *)slot = text;
	else if (kind != JSON_STRING && !type_is_numeric(type) &&
		 type->id != TYPE_BOOLEAN)
		rc = ERROR_CAST;
	else if (kind == JSON_NUMBER && json_type_is_whole(type))
		rc = parse_leaf(builder, json_whole(text), heap, slot);
	else
		rc = parse_leaf(builder, text, heap, slot);
	if (rc == ERROR_NO_MEMORY)
		return no_memory(err);
	if (rc)
		return refuse_value(type, text, err);
	values->count = ++builder->count;
	return 0;
}

/* The field that a member is for: NO_FIELD = none or several. */
static size_t find_field(const struct type *type, const char *key,
			 size_t expected)
{
	size_t found = NO_FIELD;

	if (expected < type->field_count &&
	    strcmp(type->fields[expected].name, key) == 0)
		return expected;
	for (size_t i = 0; i < type->field_count; i++)
		if (strcmp(type->fields[i].name, key) == 0)
			return i;
	for (size_t i = 0; i < type->field_count; i++) {
		if (!text_equal_nocase(type->fields[i].name, key))
			continue;
		if (found != NO_FIELD)
			return NO_FIELD;
		found = i;
	}
	return found;
}

static int add_row(struct json_builder *builder, struct json_reader *reader,
		   struct arena *heap, struct error *err)
{
	const struct type *type = &builder->type;
	size_t expected = 0;
	const char *key;
	int rc = reserve(builder, err);

	memset(builder->seen, 0, type->field_count * sizeof(bool));
	json_begin_object(reader);
	while (!rc && (key = json_next_key(reader))) {
		size_t i = find_field(type, key, expected);
		char name[TYPE_NAME_BYTES];

		if (i == NO_FIELD)
			return error_set(err, ERROR_CAST, "%s has no field "
					 "'%.100s'", type_name(type, name),
					 key);
		if (builder->seen[i])
			return error_set(err, ERROR_CAST, "an object has the "
					 "member '%.100s' twice", key);
		builder->seen[i] = true;
		expected = i + 1;
		rc = json_builder_add(&builder->children[i], reader, heap,
				      err);
		if (rc == ERROR_CAST)
			error_prefix(err, "field %s", type->fields[i].name);
	}
	if (!rc && reader->problem)
		return json_syntax_error(reader, err);
	for (size_t i = 0; !rc && i < type->field_count; i++)
		if (!builder->seen[i])
			rc = json_builder_add_null(&builder->children[i], err);
	return rc ? rc : close_value(builder, true, err);
}

static int add_list(struct json_builder *builder, struct json_reader *reader,
		    struct arena *heap, struct error *err)
{
	size_t number = 0;
	int rc = reserve(builder, err);

	json_begin_array(reader);
	while (!rc && json_next_item(reader)) {
		number++;
		rc = json_builder_add(&builder->children[0], reader, heap,
				      err);
		if (rc == ERROR_CAST)
			error_prefix(err, "element %zu", number);
	}
	if (!rc && reader->problem)
		return json_syntax_error(reader, err);
	return rc ? rc : close_value(builder, true, err);
}

/* A key of a map, which JSON has as a string. */
static int add_key(struct json_builder *builder, struct byte_view text,
		   struct arena *heap, struct error *err)
{
	struct json_reader reader;
	char *key;
	int rc;

	if (!type_is_nested(&builder->type))
		return add_leaf(builder, text, JSON_STRING, heap, err);
	key = json_text_copy(heap, text);
	if (!key)
		return no_memory(err);
	json_reader_init(&reader, key, text.length);
	rc = json_builder_add(builder, &reader, heap, err);
	if (rc)
		return rc;
	return json_finish(&reader, "key", NULL)
		? json_syntax_error(&reader, err) : 0;
}

static int add_map(struct json_builder *builder, struct json_reader *reader,
		   struct arena *heap, struct error *err)
{
	const char *key;
	size_t length;
	int rc = reserve(builder, err);

	json_begin_object(reader);
	while (!rc && (key = json_next_text(reader, &length))) {
		rc = add_key(&builder->children[0], byte_view(key, length),
			     heap, err);
		if (!rc)
			rc = json_builder_add(&builder->children[1], reader,
					      heap, err);
		if (rc == ERROR_CAST)
			error_prefix(err, "key '%.100s'", key);
	}
	if (!rc && reader->problem)
		return json_syntax_error(reader, err);
	return rc ? rc : close_value(builder, true, err);
}

static int refuse_kind(const struct type *type, struct json_reader *reader,
		       struct error *err)
{
	struct byte_view text = json_raw(reader);

	if (reader->problem)
		return json_syntax_error(reader, err);
	return refuse_value(type, text, err);
}

static int add_nested(struct json_builder *builder, enum json_kind kind,
		      struct json_reader *reader, struct arena *heap,
		      struct error *err)
{
	enum json_kind wanted = builder->type.id == TYPE_ARRAY ? JSON_ARRAY
							       : JSON_OBJECT;

	if (kind != wanted)
		return refuse_kind(&builder->type, reader, err);
	switch (builder->type.id) {
	case TYPE_ROW:
		return add_row(builder, reader, heap, err);
	case TYPE_ARRAY:
		return add_list(builder, reader, heap, err);
	default:
		return add_map(builder, reader, heap, err);
	}
}

int json_builder_add(struct json_builder *builder, struct json_reader *reader,
		     struct arena *heap, struct error *err)
{
	enum json_kind kind = json_peek(reader);
	struct byte_view text;

	if (kind == JSON_NULL && json_null(reader))
		return json_builder_add_null(builder, err);
	if (kind == JSON_NULL || kind == JSON_NONE) {
		json_fail(reader, "expected a value");
		return json_syntax_error(reader, err);
	}
	if (builder->children)
		return add_nested(builder, kind, reader, heap, err);
	text = kind == JSON_STRING ? json_text(reader) : json_raw(reader);
	if (reader->problem)
		return json_syntax_error(reader, err);
	return add_leaf(builder, text, kind, heap, err);
}

/* Pack a node whose children are packed. */
static int pack(struct json_builder *builder, struct arena *heap,
		struct error *err)
{
	const uint64_t *validity = builder->has_nulls ? builder->validity
						      : NULL;
	int rc = reserve(builder, err);	/* offsets, if there are no values */

	if (rc)
		return rc;
	if (builder->type.id == TYPE_ROW)
		return nested_pack_rows(&builder->values, builder->packed,
					validity, builder->count, heap, err);
	if (builder->type.id == TYPE_ARRAY)
		return nested_pack_lists(&builder->values, builder->packed[0],
					 builder->offsets, validity,
					 builder->count, heap, err);
	return nested_pack_maps(&builder->values, builder->packed[0],
				builder->packed[1], builder->offsets, validity,
				builder->count, heap, err);
}

static int finish(struct json_builder *builder, struct arena *heap,
		  struct error *err)
{
	int rc = 0;

	if (!builder->children)
		return builder->count ? 0 : reserve(builder, err);
	for (size_t i = 0; !rc && i < builder->type.field_count; i++)
		rc = finish(&builder->children[i], heap, err);
	if (!rc)
		rc = pack(builder, heap, err);
	if (rc == ERROR_BAD_ARGUMENT && err) {
		err->code = ERROR_CAST;
		rc = ERROR_CAST;
	}
	return rc;
}

int json_builder_finish(struct json_builder *builder, struct vector *out,
			struct arena *heap, struct error *err)
{
	int rc = finish(builder, heap, err);

	if (rc)
		vector_reset(out);
	else
		vector_reference(out, &builder->values);
	return rc;
}
