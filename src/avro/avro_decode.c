/*
 * avro_decode.c - Avro records into the slots that a reader wants
 *
 * Why:    writers differ in field order, extra fields and nullability; only
 *         the field ids are fixed.
 * How:    a plan gives each field of the writer's schema a slot or none; then
 *         decoding and skipping are the same walk over the schema. An array
 *         that is wanted is walked once to find its end, and decoded later by
 *         avro_items.
 * Cost:   a few ns per field. Every item of an array takes a byte at least
 *         (avro_schema.c sees to it), so work is linear in the input.
 */
#include "avro/avro_decode.h"

int avro_plan_make(struct avro_plan *out, const struct avro_schema *record,
		   const struct avro_want *wants, size_t want_count,
		   struct arena *arena, struct error *err)
{
	memset(out, 0, sizeof(*out));
	if (record->kind != AVRO_RECORD)
		return error_set(err, ERROR_CORRUPT,
				 "the Avro schema is not a record");
	out->slots = arena_zalloc_array(arena, record->index_limit + 1,
					sizeof(*out->slots));
	out->types = arena_zalloc_array(arena, want_count + 1,
					sizeof(*out->types));
	if (!out->slots || !out->types)
		return error_set(err, ERROR_NO_MEMORY, "Avro plan");
	for (size_t i = 0; i < record->index_limit; i++)
		out->slots[i] = -1;
	for (size_t w = 0; w < want_count; w++) {
		const struct avro_want *want = &wants[w];
		const struct avro_schema *parent = record;
		const struct avro_field *found = NULL;

		if (want->parent >= 0)
			parent = out->types[want->parent];
		if (!parent || parent->kind != AVRO_RECORD)
			continue;
		for (size_t i = 0; i < parent->field_count && !found; i++)
			if (want->field_id >= 0 &&
			    parent->fields[i].field_id == want->field_id)
				found = &parent->fields[i];
		for (size_t i = 0; i < parent->field_count && !found; i++)
			if (want->name && parent->fields[i].field_id < 0 &&
			    !strcmp(parent->fields[i].name, want->name))
				found = &parent->fields[i];
		if (!found)
			continue;
		out->slots[found->index] = (int32_t)w;
		out->types[w] = avro_not_null(found->type);
	}
	out->record = record;
	out->want_count = want_count;
	return 0;
}

static inline bool read_long(struct cursor *c, int64_t *out)
{
	if (c->next < c->end && !(*c->next & 0x80)) {
		*out = zigzag_decode64(*c->next++);
		return true;
	}
	return cursor_zigzag64(c, out);
}

static inline bool read_bytes(struct cursor *c, struct byte_view *out)
{
	int64_t length;

	if (!read_long(c, &length) || length < 0 ||
	    (uint64_t)length > cursor_left(c))
		return false;
	*out = byte_view(c->next, (size_t)length);
	c->next += length;
	return true;
}

/*
 * Head of a block of array items: its count, 0 at the end. A negative count
 * is followed by the size in bytes, put into *size_out, else -1.
 */
static bool read_block_head(struct cursor *c, uint64_t *count_out,
			    int64_t *size_out)
{
	int64_t count;

	*size_out = -1;
	if (!read_long(c, &count) || count == INT64_MIN)
		return false;
	if (count < 0) {
		if (!read_long(c, size_out) || *size_out < 0 ||
		    (uint64_t)*size_out > cursor_left(c))
			return false;
		count = -count;
	}
	*count_out = (uint64_t)count;
	return *count_out <= cursor_left(c);
}

static bool decode_value(const struct avro_schema *type, int32_t slot,
			 const int32_t *slots, struct cursor *c,
			 struct avro_value *values);

bool avro_items_are_pairs(const struct avro_schema *array)
{
	const struct avro_schema *item;
	enum avro_kind kind;

	if (array->kind != AVRO_ARRAY)
		return false;
	item = array->fields[0].type;
	if (item->kind != AVRO_RECORD || item->field_count != 2 ||
	    item->fields[0].type->kind != AVRO_INT)
		return false;
	kind = item->fields[1].type->kind;
	return kind == AVRO_LONG || kind == AVRO_INT || kind == AVRO_BYTES ||
	       kind == AVRO_STRING;
}

static inline bool read_pair(const struct avro_schema *item, struct cursor *c,
			     int32_t *key, struct avro_value *value)
{
	int64_t number;

	if (!read_long(c, &number) || number < INT32_MIN ||
	    number > INT32_MAX)
		return false;
	*key = (int32_t)number;
	value->type = item->fields[1].type;
	if (value->type->kind == AVRO_BYTES ||
	    value->type->kind == AVRO_STRING)
		return read_bytes(c, &value->value.bytes);
	return read_long(c, &value->value.integer) &&
	       (value->type->kind == AVRO_LONG ||
		(value->value.integer >= INT32_MIN &&
		 value->value.integer <= INT32_MAX));
}

static bool skip_pairs(const struct avro_schema *type, uint64_t count,
		       struct cursor *c)
{
	struct avro_value value;
	int32_t key;

	for (; count > 0; count--)
		if (!read_pair(type->fields[0].type, c, &key, &value))
			return false;
	return true;
}

static bool skip_blocks(const struct avro_schema *type, struct cursor *c)
{
	bool pairs = avro_items_are_pairs(type);
	uint64_t count;
	int64_t size;

	for (;;) {
		const uint8_t *start;
		struct byte_view key;

		if (!read_block_head(c, &count, &size))
			return false;
		if (count == 0)
			return true;
		start = c->next;
		if (pairs) {
			if (!skip_pairs(type, count, c))
				return false;
			count = 0;
		}
		for (uint64_t i = 0; i < count; i++) {
			if (type->kind == AVRO_MAP && !read_bytes(c, &key))
				return false;
			if (!decode_value(type->fields[0].type, -1, NULL, c,
					  NULL))
				return false;
		}
		if (size >= 0 && c->next - start != size)
			return false;
	}
}

static bool decode_record(const struct avro_schema *type,
			  const int32_t *slots, struct cursor *c,
			  struct avro_value *values)
{
	for (size_t i = 0; i < type->field_count; i++) {
		const struct avro_field *field = &type->fields[i];

		if (!decode_value(field->type,
				  slots ? slots[field->index] : -1, slots, c,
				  values))
			return false;
	}
	return true;
}

static bool decode_real(const struct avro_schema *type, struct cursor *c,
			struct avro_value *out)
{
	const uint8_t *data;

	if (type->kind == AVRO_FLOAT) {
		uint32_t bits;
		float real;

		if (!cursor_bytes(c, 4, &data))
			return false;
		bits = load_le32(data);
		memcpy(&real, &bits, sizeof(real));
		out->value.real = (double)real;
	} else {
		uint64_t bits;

		if (!cursor_bytes(c, 8, &data))
			return false;
		bits = load_le64(data);
		memcpy(&out->value.real, &bits, sizeof(bits));
	}
	return true;
}

/* slots NULL: everything below is skipped. */
static bool decode_value(const struct avro_schema *type, int32_t slot,
			 const int32_t *slots, struct cursor *c,
			 struct avro_value *values)
{
	struct avro_value ignored;
	struct avro_value *out = slot >= 0 ? &values[slot] : &ignored;
	const uint8_t *start = c->next;
	int64_t number;

	switch (type->kind) {
	case AVRO_NULL:
		return true;
	case AVRO_BOOLEAN:
		if (c->next == c->end || *c->next > 1)
			return false;
		out->value.integer = *c->next++;
		break;
	case AVRO_INT:
	case AVRO_ENUM:
		if (!read_long(c, &number) || number < INT32_MIN ||
		    number > INT32_MAX)
			return false;
		out->value.integer = number;
		break;
	case AVRO_LONG:
		if (!read_long(c, &out->value.integer))
			return false;
		break;
	case AVRO_FLOAT:
	case AVRO_DOUBLE:
		if (!decode_real(type, c, out))
			return false;
		break;
	case AVRO_BYTES:
	case AVRO_STRING:
		if (!read_bytes(c, &out->value.bytes))
			return false;
		break;
	case AVRO_FIXED:
		if (cursor_left(c) < type->size)
			return false;
		out->value.bytes = byte_view(c->next, type->size);
		c->next += type->size;
		break;
	case AVRO_UNION:
		if (!read_long(c, &number) || number < 0 ||
		    (uint64_t)number >= type->field_count)
			return false;
		return decode_value(type->fields[number].type, slot, slots, c,
				    values);
	case AVRO_RECORD:
		if (!type->is_empty && !decode_record(type, slots, c, values))
			return false;
		break;
	case AVRO_ARRAY:
	case AVRO_MAP:
		if (!skip_blocks(type, c))
			return false;
		out->value.bytes = byte_view(start, (size_t)(c->next - start));
		break;
	default:
		return false;
	}
	out->type = type;
	return true;
}

bool avro_decode(const struct avro_plan *plan, struct cursor *cursor,
		 struct avro_value *values)
{
	for (size_t i = 0; i < plan->want_count; i++)
		values[i].type = NULL;
	return decode_record(plan->record, plan->slots, cursor, values);
}

int64_t avro_number(const struct avro_value *value, int64_t absent)
{
	if (!value->type || (value->type->kind != AVRO_INT &&
			     value->type->kind != AVRO_LONG))
		return absent;
	return value->value.integer;
}

bool avro_skip(const struct avro_schema *type, struct cursor *cursor)
{
	return decode_value(type, -1, NULL, cursor, NULL);
}

void avro_items_init(struct avro_items *items, const struct avro_value *array)
{
	items->cursor = cursor_of(array->value.bytes.data,
				  array->value.bytes.length);
	items->block_left = 0;
	items->item = array->type->fields[0].type;
}

int avro_items_next(struct avro_items *items)
{
	int64_t size;

	if (items->block_left == 0) {
		if (!read_block_head(&items->cursor, &items->block_left,
				     &size))
			return -1;
		if (items->block_left == 0)
			return 0;
	}
	items->block_left--;
	return 1;
}

int avro_items_next_pair(struct avro_items *items, int32_t *key,
			 struct avro_value *value)
{
	int more = avro_items_next(items);

	if (more > 0 && !read_pair(items->item, &items->cursor, key, value))
		return -1;
	return more;
}

size_t avro_items_count(const struct avro_value *array)
{
	struct cursor c = cursor_of(array->value.bytes.data,
				    array->value.bytes.length);
	const struct avro_schema *item = array->type->fields[0].type;
	uint64_t count;
	size_t total = 0;
	int64_t size;

	while (read_block_head(&c, &count, &size) && count) {
		total += (size_t)count;
		if (size >= 0) {
			c.next += size;
			continue;
		}
		for (uint64_t i = 0; i < count; i++)
			if (!avro_skip(item, &c))
				return total;
	}
	return total;
}
