/*
 * sort_key.c - bytes in whose order rows are sorted
 *
 * Why:    a sort order has several fields, each ascending or descending with
 *         nulls at either end; to compare rows by walking over them costs
 *         more than to lay them out once so that memcmp() does it.
 * How:    per field that may be null one byte that says so, then the value:
 *         whole numbers big-endian with the sign turned; floating point by
 *         its bits, so that -NaN < -inf < -0 < +0 < inf < NaN as the spec has
 *         it; bytes with 0 written as 0 255 and 0 0 behind the last. All bits
 *         of a descending value are turned. A null has no more bytes.
 * Cost:   a loop per field and kind of value.
 */
#include "table/write/sort_state.h"
#include "table/write/write_state.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "sorting rows");
}

/* Bytes of a value in a key; 0: differs by value. */
static size_t key_width(const struct type *type)
{
	if (type_is_bytes(type))
		return 0;
	return type_width(type);
}

static bool is_sorted_by_property(const struct write_context *context)
{
	const char *value = metadata_property(context->options.metadata,
					      "rowmerge.write.sort");

	return !context->options.unsorted &&
	       !(value && text_equal_nocase(value, "never"));
}

/* Can rows be sorted by the field at all? */
static int plan_field(struct write_context *context, size_t i, bool *possible,
		      struct error *err)
{
	struct sort_plan *plan = &context->sort;
	const struct sort_field *field = &plan->order->fields[i];
	struct field_place *place = &plan->places[i];
	int rc = field_place_find(context->columns, field->source_id,
				  &context->arena, place, err);

	*possible = !rc && place->column != SIZE_MAX &&
		    !type_is_nested(&place->type) &&
		    field->transform.kind != TRANSFORM_UNKNOWN;
	if (!*possible)
		return rc;
	plan->types[i] = transform_result_type(&field->transform,
					       &place->type);
	plan->nullable[i] = place->step_count > 0 ||
			    field->transform.kind == TRANSFORM_VOID ||
			    !context->columns->columns[place->column].required;
	return 0;
}

int sort_plan_init(struct write_context *context, struct error *err)
{
	const struct table_metadata *metadata = context->options.metadata;
	struct sort_plan *plan = &context->sort;
	struct arena *arena = &context->arena;
	size_t count = 0, width = 0;
	bool possible = true;
	int rc = 0;

	memset(plan, 0, sizeof(*plan));
	plan->keys_fit = true;
	for (size_t i = 0; i < metadata->sort_order_count; i++)
		if (metadata->sort_orders[i].order_id ==
		    metadata->default_sort_order_id)
			plan->order = &metadata->sort_orders[i];
	if (!plan->order || !plan->order->field_count ||
	    !is_sorted_by_property(context)) {
		plan->order = NULL;
		return 0;
	}
	count = plan->order->field_count;
	plan->places = arena_zalloc_array(arena, count,
					  sizeof(*plan->places));
	plan->types = arena_zalloc_array(arena, count, sizeof(*plan->types));
	plan->nullable = arena_zalloc_array(arena, count, sizeof(bool));
	if (!plan->places || !plan->types || !plan->nullable)
		return no_memory(err);
	for (size_t i = 0; !rc && possible && i < count; i++) {
		rc = plan_field(context, i, &possible, err);
		if (rc || !possible)
			break;
		width += plan->nullable[i] + key_width(&plan->types[i]);
		if (!key_width(&plan->types[i]) || width > sizeof(uint64_t))
			plan->keys_fit = false;
	}
	if (!rc && !possible) {
		log_note(context->options.log, "new files are not sorted: a "
			 "field of sort order %d cannot be sorted by",
			 (int)plan->order->order_id);
		plan->order = NULL;
	}
	return rc;
}

/*
 * Leading fields that are whole columns. Not floating point, whose order is
 * not defined there; what is behind a field left out says nothing.
 */
int sort_plan_describe(const struct sort_plan *plan,
		       struct arena *arena, struct parquet_options *out,
		       struct error *err)
{
	size_t count = plan->order ? plan->order->field_count : 0, n = 0;
	struct parquet_sort *sorting;

	if (!count)
		return 0;
	sorting = arena_zalloc_array(arena, count, sizeof(*sorting));
	if (!sorting)
		return no_memory(err);
	for (; n < count; n++) {
		const struct sort_field *field = &plan->order->fields[n];
		enum type_id type = plan->types[n].id;

		if (field->transform.kind != TRANSFORM_IDENTITY ||
		    plan->places[n].step_count || type == TYPE_REAL ||
		    type == TYPE_DOUBLE)
			break;
		sorting[n].column = plan->places[n].column;
		sorting[n].descending = field->descending;
		sorting[n].nulls_first = field->nulls_first;
	}
	out->sorting = sorting;
	out->sorting_count = n;
	return 0;
}

int sort_keys_init(struct sort_keys *keys, const struct sort_plan *plan,
		   struct error *err)
{
	size_t count = plan->order ? plan->order->field_count : 0;

	memset(keys, 0, sizeof(*keys));
	keys->plan = plan;
	keys->values = mem_zalloc_array(count + 1, sizeof(*keys->values));
	if (!keys->values)
		return no_memory(err);
	for (size_t i = 0; i < count; i++)
		vector_init(&keys->values[i], plan->types[i]);
	return 0;
}

void sort_keys_release(struct sort_keys *keys)
{
	if (!keys->plan)
		return;
	for (size_t i = 0; keys->values && keys->plan->order &&
			   i < keys->plan->order->field_count; i++)
		vector_release(&keys->values[i]);
	mem_free(keys->values);
	mem_free(keys->prefixes);
	mem_free(keys->keys);
	mem_free(keys->lengths);
	memset(keys, 0, sizeof(*keys));
}

static int reserve(struct sort_keys *keys, size_t count, struct error *err)
{
	if (count <= keys->capacity)
		return 0;
	mem_free(keys->prefixes);
	mem_free(keys->keys);
	mem_free(keys->lengths);
	keys->capacity = 0;
	keys->prefixes = mem_alloc_array(count, sizeof(*keys->prefixes));
	keys->keys = mem_alloc_array(count, sizeof(*keys->keys));
	keys->lengths = mem_alloc_array(count, sizeof(*keys->lengths));
	if (!keys->prefixes || !keys->keys || !keys->lengths)
		return no_memory(err);
	keys->capacity = count;
	return 0;
}

/* How long each row's key is; returns the sum. */
static size_t measure(struct sort_keys *keys, size_t count)
{
	const struct sort_plan *plan = keys->plan;
	size_t sum = 0;

	memset(keys->lengths, 0, count * sizeof(*keys->lengths));
	for (size_t f = 0; f < plan->order->field_count; f++) {
		const struct vector *values = &keys->values[f];
		size_t width = key_width(&plan->types[f]);

		for (size_t i = 0; i < count; i++) {
			size_t length = plan->nullable[f];

			if (plan->nullable[f] && vector_is_null(values, i)) {
				keys->lengths[i]++;
				continue;
			}
			length += width;
			if (!width)
				length += ordered_bytes_length(
					vector_bytes(values)[i]);
			keys->lengths[i] += (uint32_t)length;
		}
	}
	for (size_t i = 0; i < count; i++)
		sum += keys->lengths[i];
	return sum;
}

static size_t put_value(uint8_t *out, const struct vector *values, size_t i)
{
	uint32_t word;
	uint64_t bits;

	switch (values->type.id) {
	case TYPE_BOOLEAN:
		out[0] = vector_bool(values)[i];
		return 1;
	case TYPE_INTEGER:
	case TYPE_DATE:
		ordered_put_whole(out, (uint32_t)vector_i32(values)[i], 4);
		return 4;
	case TYPE_REAL:
		memcpy(&word, &vector_f32(values)[i], 4);
		ordered_put_float(out, word, 4);
		return 4;
	case TYPE_DOUBLE:
		memcpy(&bits, &vector_f64(values)[i], 8);
		ordered_put_float(out, bits, 8);
		return 8;
	case TYPE_DECIMAL:
		if (type_is_short_decimal(&values->type))
			break;
		ordered_put_i128(out, vector_i128(values)[i]);
		return 16;
	case TYPE_UUID:
		memcpy(out, vector_uuid(values)[i].bytes, 16);
		return 16;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
	case TYPE_FIXED:
		return ordered_put_bytes(out, vector_bytes(values)[i]);
	default:
		break;
	}
	ordered_put_whole(out, (uint64_t)vector_i64(values)[i], 8);
	return 8;
}

/* A field of every row, where each row's key goes on; at moves behind it. */
static void put_field(const struct sort_keys *keys, size_t f, size_t count,
		      uint8_t **at)
{
	const struct sort_field *field = &keys->plan->order->fields[f];
	const struct vector *values = &keys->values[f];
	bool nullable = keys->plan->nullable[f];

	for (size_t i = 0; i < count; i++) {
		bool is_null = nullable && vector_is_null(values, i);
		size_t n;

		if (nullable)
			*at[i]++ = is_null != field->nulls_first;
		if (is_null)
			continue;
		n = put_value(at[i], values, i);
		for (size_t k = 0; field->descending && k < n; k++)
			at[i][k] = (uint8_t)~at[i][k];
		at[i] += n;
	}
}

static int put_keys(struct sort_keys *keys, size_t count, struct arena *heap,
		    struct error *err)
{
	size_t sum = measure(keys, count), fields;
	uint8_t *bytes = arena_alloc_bytes(heap, sum + 1);
	uint8_t **at = mem_alloc_array(count + 1, sizeof(*at));

	if (!bytes || !at) {
		mem_free(at);
		return no_memory(err);
	}
	fields = keys->plan->order->field_count;
	for (size_t i = 0; i < count; i++) {
		keys->keys[i] = at[i] = bytes;
		bytes += keys->lengths[i];
	}
	for (size_t f = 0; f < fields; f++)
		put_field(keys, f, count, at);
	mem_free(at);
	return 0;
}

int sort_keys_make(struct sort_keys *keys, const struct vector *const *columns,
		   const struct selection *rows, struct arena *heap,
		   struct error *err)
{
	const struct sort_order *order = keys->plan->order;
	size_t count = rows->count;
	int rc = reserve(keys, count, err);

	if (!order) {
		if (!rc)
			memset(keys->prefixes, 0,
			       count * sizeof(*keys->prefixes));
		return rc;
	}
	for (size_t f = 0; !rc && f < order->field_count; f++)
		rc = field_place_values(&keys->plan->places[f],
					&order->fields[f].transform, columns,
					rows, &keys->values[f], err);
	if (!rc)
		rc = put_keys(keys, count, heap, err);
	for (size_t i = 0; !rc && i < count; i++) {
		uint64_t prefix = 0;

		for (size_t k = 0; k < 8; k++)
			prefix = prefix << 8 |
				 (k < keys->lengths[i] ? keys->keys[i][k] : 0);
		keys->prefixes[i] = prefix;
	}
	return rc;
}
