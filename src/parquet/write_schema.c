/*
 * write_schema.c - how the columns of a schema are stored in a file we write
 *
 *	optional group a (LIST) { repeated group list { optional T element; } }
 *	optional group m (MAP)
 *		{ repeated group key_value { required K key; optional V value; } }
 *
 * Why:    schema elements, level limits and the order of the leaves must
 *         agree in the footer, the pages and the metrics.
 * How:    one walk, depth first, over the types; elements and leaves come out
 *         of it side by side. Field ids stand on every column, field,
 *         element, key and value, never on the middle groups.
 * Limits: TYPE_NESTING_LIMIT levels, which also bounds the recursion.
 */
#include "parquet/write_schema.h"

/* Bytes of the shortest FIXED that holds a precision (19 .. 38). */
static size_t decimal_fixed_bytes(unsigned precision)
{
	static const uint8_t bytes[] = { 9, 9, 9, 10, 10, 11, 11, 11, 12, 12,
					 13, 13, 13, 14, 14, 15, 15, 16, 16,
					 16 };

	return bytes[precision - 19];
}

int parquet_storage_of(const struct type *type, struct storage *out,
		       struct error *err)
{
	char name[TYPE_NAME_BYTES];

	switch (type->id) {
	case TYPE_BOOLEAN: *out = (struct storage){ PHYSICAL_BOOLEAN, 1 }; break;
	case TYPE_INTEGER:
	case TYPE_DATE: *out = (struct storage){ PHYSICAL_INT32, 4 }; break;
	case TYPE_BIGINT:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		*out = (struct storage){ PHYSICAL_INT64, 8 };
		break;
	case TYPE_REAL: *out = (struct storage){ PHYSICAL_FLOAT, 4 }; break;
	case TYPE_DOUBLE: *out = (struct storage){ PHYSICAL_DOUBLE, 8 }; break;
	case TYPE_DECIMAL:
		if (type->precision <= 9)
			*out = (struct storage){ PHYSICAL_INT32, 4 };
		else if (type->precision <= DECIMAL_SHORT_PRECISION)
			*out = (struct storage){ PHYSICAL_INT64, 8 };
		else
			*out = (struct storage){
				PHYSICAL_FIXED,
				decimal_fixed_bytes(type->precision)
			};
		break;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
		*out = (struct storage){ PHYSICAL_BYTE_ARRAY, 0 };
		break;
	case TYPE_FIXED:
		*out = (struct storage){ PHYSICAL_FIXED, type->length };
		break;
	case TYPE_UUID: *out = (struct storage){ PHYSICAL_FIXED, 16 }; break;
	default:
		return error_set(err, ERROR_UNSUPPORTED,
				 "cannot write a column of type %s to Parquet",
				 type_name(type, name));
	}
	return 0;
}

/* Annotations of a column that we write: logical and converted both. */
static void annotate(const struct type *type, struct schema_element *element)
{
	switch (type->id) {
	case TYPE_DATE:
		element->logical = logical_of(LOGICAL_DATE);
		element->converted_type = CONVERTED_DATE;
		break;
	case TYPE_TIME:
		element->logical = logical_time(LOGICAL_TIME, UNIT_MICROS);
		element->logical.is_utc = false;
		element->converted_type = CONVERTED_TIME_MICROS;
		break;
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		element->logical = logical_time(LOGICAL_TIMESTAMP, UNIT_MICROS);
		element->logical.is_utc = type->id == TYPE_TIMESTAMP_TZ;
		element->converted_type = CONVERTED_TIMESTAMP_MICROS;
		break;
	case TYPE_VARCHAR:
		element->logical = logical_of(LOGICAL_STRING);
		element->converted_type = CONVERTED_UTF8;
		break;
	case TYPE_UUID:
		element->logical = logical_of(LOGICAL_UUID);
		break;
	case TYPE_DECIMAL:
		element->logical = logical_of(LOGICAL_DECIMAL);
		element->logical.precision = element->precision =
			type->precision;
		element->logical.scale = element->scale = type->scale;
		element->converted_type = CONVERTED_DECIMAL;
		break;
	default:
		break;
	}
}

struct schema_walk {
	struct arena *arena;
	struct write_schema *out;
	const char *parts[3 * TYPE_NESTING_LIMIT];	/* names so far */
	size_t part_count;
	size_t column;		/* of the schema */
	bool in_list;
};

/* Levels above a node. */
struct levels {
	unsigned def;
	unsigned rep;
	unsigned depth;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "Parquet schema");
}

static struct schema_element *add_element(struct schema_walk *walk,
					  const char *name,
					  enum repetition repetition)
{
	struct write_schema *out = walk->out;
	struct schema_element *element =
		&out->elements[out->element_count++];

	element->type = element->type_length = -1;
	element->child_count = element->converted_type = -1;
	element->repetition = repetition;
	element->name = name;
	return element;
}

static int add_leaf(struct schema_walk *walk, const struct column_def *def,
		    struct schema_element *element, struct levels levels,
		    struct error *err)
{
	struct write_leaf *leaf = &walk->out->leaves[walk->out->leaf_count];
	struct storage storage = { 0 };
	struct text path = TEXT_INIT;
	int rc = parquet_storage_of(&def->type, &storage, err);

	if (rc)
		return rc;
	element->type = storage.physical;
	if (storage.physical == PHYSICAL_FIXED)
		element->type_length = (int32_t)storage.width;
	annotate(&def->type, element);
	leaf->column = *def;
	leaf->column.required = levels.def == 0;
	leaf->top = walk->column;
	leaf->max_def = (uint8_t)levels.def;
	leaf->max_rep = (uint8_t)levels.rep;
	leaf->is_nested = levels.depth > 0;
	leaf->in_list = walk->in_list;
	leaf->part_count = walk->part_count;
	leaf->parts = arena_copy(walk->arena, walk->parts,
				 walk->part_count * sizeof(*walk->parts));
	for (size_t i = 0; leaf->is_nested && i < walk->part_count; i++) {
		if (i)
			text_add_char(&path, '.');
		text_add_str(&path, walk->parts[i]);
	}
	if (leaf->is_nested)
		leaf->column.name = path.failed ? NULL
				    : arena_strndup(walk->arena, path.data,
						    path.length);
	text_release(&path);
	if (!leaf->parts || !leaf->column.name)
		return no_memory(err);
	walk->out->leaf_count++;
	return 0;
}

static int add_field(struct schema_walk *walk, const struct column_def *def,
		     const char *name, struct levels levels,
		     struct error *err);

/* A group that repeats, below a LIST or MAP, with what is in it. */
static int add_repeated(struct schema_walk *walk, const struct type *type,
			struct schema_element *outer, struct levels levels,
			struct error *err)
{
	static const char *const map_names[] = { "key", "value" };
	bool is_map = type->id == TYPE_MAP, was_in_list = walk->in_list;
	const char *name = is_map ? "key_value" : "list";
	int rc = 0;

	outer->child_count = 1;
	outer->logical = logical_of(is_map ? LOGICAL_MAP : LOGICAL_LIST);
	outer->converted_type = is_map ? CONVERTED_MAP : CONVERTED_LIST;
	add_element(walk, name, REPETITION_REPEATED)->child_count =
		(int32_t)type->field_count;
	walk->parts[walk->part_count++] = name;
	walk->in_list = true;
	levels.def++;
	levels.rep++;
	for (size_t i = 0; !rc && i < type->field_count; i++)
		rc = add_field(walk, &type->fields[i],
			       is_map ? map_names[i] : "element", levels, err);
	walk->in_list = was_in_list;
	walk->part_count--;
	return rc;
}

static int add_group(struct schema_walk *walk, const struct column_def *def,
		     struct schema_element *element, struct levels levels,
		     struct error *err)
{
	const struct type *type = &def->type;
	int rc = 0;

	if (levels.depth++ == TYPE_NESTING_LIMIT)
		return error_set(err, ERROR_UNSUPPORTED,
				 "the type is nested more than %d deep",
				 TYPE_NESTING_LIMIT);
	if (type->id != TYPE_ROW)
		return add_repeated(walk, type, element, levels, err);
	if (type->field_count == 0)
		return error_set(err, ERROR_UNSUPPORTED, "a ROW without "
				 "fields cannot be written to Parquet");
	element->child_count = (int32_t)type->field_count;
	for (size_t i = 0; !rc && i < type->field_count; i++)
		rc = add_field(walk, &type->fields[i], type->fields[i].name,
			       levels, err);
	return rc;
}

static int add_field(struct schema_walk *walk, const struct column_def *def,
		     const char *name, struct levels levels,
		     struct error *err)
{
	struct schema_element *element =
		add_element(walk, name, def->required ? REPETITION_REQUIRED
						      : REPETITION_OPTIONAL);
	int rc;

	levels.def += !def->required;
	element->has_field_id = def->field_id > 0;
	element->field_id = def->field_id;
	walk->parts[walk->part_count++] = name;
	rc = type_is_nested(&def->type)
		     ? add_group(walk, def, element, levels, err)
		     : add_leaf(walk, def, element, levels, err);
	walk->part_count--;
	return rc;
}

/* Elements that a type takes at most, itself included. */
static size_t count_elements(const struct type *type, unsigned depth)
{
	size_t count = 1 + (type->id == TYPE_ARRAY || type->id == TYPE_MAP);

	for (size_t i = 0; depth < TYPE_NESTING_LIMIT && i < type->field_count;
	     i++)
		count += count_elements(&type->fields[i].type, depth + 1);
	return count;
}

int write_schema_make(struct write_schema *out, const struct schema *schema,
		      struct arena *arena, struct error *err)
{
	struct schema_walk walk = { .arena = arena, .out = out };
	struct levels none = { 0 };
	size_t count = 1;
	int rc = 0;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < schema->column_count; i++)
		count += count_elements(&schema->columns[i].type, 0);
	out->elements = arena_zalloc_array(arena, count,
					   sizeof(*out->elements));
	out->leaves = arena_zalloc_array(arena, count, sizeof(*out->leaves));
	out->first_leaf = arena_zalloc_array(arena, schema->column_count + 1,
					     sizeof(*out->first_leaf));
	if (!out->elements || !out->leaves || !out->first_leaf)
		return no_memory(err);
	add_element(&walk, "table", REPETITION_REQUIRED);
	out->elements[0].repetition = -1;
	out->elements[0].child_count = (int32_t)schema->column_count;
	for (size_t i = 0; i < schema->column_count; i++) {
		const struct column_def *column = &schema->columns[i];

		walk.column = i;
		out->first_leaf[i] = out->leaf_count;
		rc = add_field(&walk, column, column->name, none, err);
		if (rc) {
			error_field(err, column->name);
			return rc;
		}
	}
	out->first_leaf[schema->column_count] = out->leaf_count;
	return 0;
}
