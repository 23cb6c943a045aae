/*
 * parquet_schema.c - the schema tree and what its leaves mean in SQL
 *
 * Why:    a leaf is a physical type, a length and up to two annotations, of
 *         which files have either, both or none.
 * How:    converted_type is folded into the logical type first; then one
 *         function maps (physical, logical) to the SQL type. The tree is a
 *         depth-first list, walked with its own stack.
 * Limits: SCHEMA_DEPTH_LIMIT levels. Unsigned 64-bit integers are
 *         DECIMAL(20,0), FLOAT16 is REAL, INT96 is a UTC timestamp.
 */
#include "parquet/parquet_schema.h"

#define UINT64_PRECISION 20

static struct logical_type logical_integer(unsigned bit_width, bool is_signed)
{
	struct logical_type type = logical_of(LOGICAL_INTEGER);

	type.bit_width = (uint8_t)bit_width;
	type.is_signed = is_signed;
	return type;
}

/* The annotation, from converted_type when there is no logicalType. */
static struct logical_type fold_annotation(const struct schema_element *element)
{
	struct logical_type type;

	if (element->logical.kind != LOGICAL_NONE)
		return element->logical;
	switch (element->converted_type) {
	case -1: return logical_of(LOGICAL_NONE);
	case CONVERTED_UTF8: return logical_of(LOGICAL_STRING);
	case CONVERTED_ENUM: return logical_of(LOGICAL_ENUM);
	case CONVERTED_DECIMAL:
		type = logical_of(LOGICAL_DECIMAL);
		type.scale = element->scale;
		type.precision = element->precision;
		return type;
	case CONVERTED_DATE: return logical_of(LOGICAL_DATE);
	case CONVERTED_TIME_MILLIS:
		return logical_time(LOGICAL_TIME, UNIT_MILLIS);
	case CONVERTED_TIME_MICROS:
		return logical_time(LOGICAL_TIME, UNIT_MICROS);
	case CONVERTED_TIMESTAMP_MILLIS:
		return logical_time(LOGICAL_TIMESTAMP, UNIT_MILLIS);
	case CONVERTED_TIMESTAMP_MICROS:
		return logical_time(LOGICAL_TIMESTAMP, UNIT_MICROS);
	case CONVERTED_UINT_8: return logical_integer(8, false);
	case CONVERTED_UINT_16: return logical_integer(16, false);
	case CONVERTED_UINT_32: return logical_integer(32, false);
	case CONVERTED_UINT_64: return logical_integer(64, false);
	case CONVERTED_INT_8: return logical_integer(8, true);
	case CONVERTED_INT_16: return logical_integer(16, true);
	case CONVERTED_INT_32: return logical_integer(32, true);
	case CONVERTED_INT_64: return logical_integer(64, true);
	case CONVERTED_JSON: return logical_of(LOGICAL_JSON);
	case CONVERTED_BSON: return logical_of(LOGICAL_BSON);
	default: return logical_of(LOGICAL_OTHER);
	}
}

static bool map_decimal(const struct leaf_column *leaf, struct type *out)
{
	int32_t precision = leaf->logical.precision;
	int32_t scale = leaf->logical.scale;

	if (precision < 1 || precision > DECIMAL_MAX_PRECISION || scale < 0 ||
	    scale > precision)
		return false;
	switch (leaf->physical) {
	case PHYSICAL_INT32:
	case PHYSICAL_INT64:
	case PHYSICAL_BYTE_ARRAY:
		break;
	case PHYSICAL_FIXED:
		if (leaf->type_length == 0)
			return false;
		break;
	default:
		return false;
	}
	*out = type_decimal((unsigned)precision, (unsigned)scale);
	return true;
}

static bool map_int32(const struct logical_type *logical, struct type *out)
{
	switch (logical->kind) {
	case LOGICAL_NONE:
		*out = type_of(TYPE_INTEGER);
		return true;
	case LOGICAL_INTEGER:
		if (logical->bit_width > 32)
			return false;
		*out = type_of(logical->bit_width == 32 && !logical->is_signed
				       ? TYPE_BIGINT
				       : TYPE_INTEGER);
		return true;
	case LOGICAL_DATE:
		*out = type_of(TYPE_DATE);
		return true;
	case LOGICAL_TIME:
		*out = type_of(TYPE_TIME);
		return logical->unit == UNIT_MILLIS;
	default:
		return false;
	}
}

static bool map_int64(const struct logical_type *logical, struct type *out)
{
	switch (logical->kind) {
	case LOGICAL_NONE:
		*out = type_of(TYPE_BIGINT);
		return true;
	case LOGICAL_INTEGER:
		*out = logical->is_signed ? type_of(TYPE_BIGINT)
					  : type_decimal(UINT64_PRECISION, 0);
		return logical->bit_width == 64;
	case LOGICAL_TIME:
		*out = type_of(TYPE_TIME);
		return logical->unit == UNIT_MICROS ||
		       logical->unit == UNIT_NANOS;
	case LOGICAL_TIMESTAMP:
		*out = type_of(logical->is_utc ? TYPE_TIMESTAMP_TZ
					       : TYPE_TIMESTAMP);
		return logical->unit != UNIT_NONE;
	default:
		return false;
	}
}

static bool map_bytes(const struct logical_type *logical, struct type *out)
{
	switch (logical->kind) {
	case LOGICAL_NONE:
	case LOGICAL_BSON:
		*out = type_of(TYPE_VARBINARY);
		return true;
	case LOGICAL_STRING:
	case LOGICAL_ENUM:
	case LOGICAL_JSON:
		*out = type_of(TYPE_VARCHAR);
		return true;
	default:
		return false;
	}
}

static bool map_fixed(const struct leaf_column *leaf, struct type *out)
{
	switch (leaf->logical.kind) {
	case LOGICAL_NONE:
		*out = type_of(TYPE_FIXED);
		out->length = (uint32_t)leaf->type_length;
		return true;
	case LOGICAL_UUID:
		*out = type_of(TYPE_UUID);
		return leaf->type_length == 16;
	case LOGICAL_FLOAT16:
		*out = type_of(TYPE_REAL);
		return leaf->type_length == 2;
	default:
		return false;
	}
}

/* The SQL type of a leaf; false if we know none. */
static bool map_type(const struct leaf_column *leaf, struct type *out)
{
	bool is_plain = leaf->logical.kind == LOGICAL_NONE;

	if (leaf->logical.kind == LOGICAL_NULL) {
		*out = type_of(TYPE_UNKNOWN);
		return true;
	}
	if (leaf->logical.kind == LOGICAL_DECIMAL)
		return map_decimal(leaf, out);
	switch (leaf->physical) {
	case PHYSICAL_BOOLEAN:
		*out = type_of(TYPE_BOOLEAN);
		return is_plain;
	case PHYSICAL_INT32: return map_int32(&leaf->logical, out);
	case PHYSICAL_INT64: return map_int64(&leaf->logical, out);
	case PHYSICAL_INT96:
		*out = type_of(TYPE_TIMESTAMP_TZ);
		return is_plain;
	case PHYSICAL_FLOAT:
		*out = type_of(TYPE_REAL);
		return is_plain;
	case PHYSICAL_DOUBLE:
		*out = type_of(TYPE_DOUBLE);
		return is_plain;
	case PHYSICAL_BYTE_ARRAY: return map_bytes(&leaf->logical, out);
	case PHYSICAL_FIXED: return map_fixed(leaf, out);
	}
	return false;
}

/* A group whose children are being walked. */
struct level {
	size_t children_left;
	size_t path_bytes;	/* of the path up to and with this group */
	unsigned max_def;
	unsigned max_rep;
};

struct tree_walk {
	const struct file_metadata *metadata;
	struct arena *arena;
	struct leaf_column *leaves;
	size_t leaf_count;
	struct text path;
	struct level stack[SCHEMA_DEPTH_LIMIT];
	size_t depth;		/* groups on the stack; 1 = the root alone */
};

static int bad_schema(struct error *err, const char *why)
{
	return error_set(err, ERROR_CORRUPT, "Parquet schema: %s", why);
}

static int add_leaf(struct tree_walk *walk,
		    const struct schema_element *element,
		    const struct level *level, struct error *err)
{
	struct leaf_column *leaf = &walk->leaves[walk->leaf_count++];
	char *path;

	if (element->type < PHYSICAL_BOOLEAN || element->type > PHYSICAL_FIXED)
		return bad_schema(err, "a leaf has no known type");
	if (element->type == PHYSICAL_FIXED && element->type_length < 0)
		return bad_schema(err, "a fixed length is missing");
	path = arena_strndup(walk->arena, walk->path.data, walk->path.length);
	if (!path)
		return error_set(err, ERROR_NO_MEMORY, "Parquet schema");
	leaf->physical = (enum physical_type)element->type;
	if (leaf->physical == PHYSICAL_FIXED)
		leaf->type_length = (size_t)element->type_length;
	leaf->logical = fold_annotation(element);
	leaf->max_def = level->max_def;
	leaf->max_rep = level->max_rep;
	leaf->door.path = path;
	leaf->door.field_id = element->has_field_id ? element->field_id : -1;
	leaf->door.is_flat = walk->depth == 1 && level->max_rep == 0;
	leaf->door.required = leaf->door.is_flat && level->max_def == 0;
	leaf->has_type = map_type(leaf, &leaf->door.type);
	leaf->door.readable = leaf->has_type && leaf->door.is_flat;
	return 0;
}

static int visit(struct tree_walk *walk, const struct schema_element *element,
		 struct error *err)
{
	struct level *parent = &walk->stack[walk->depth - 1];
	struct level level = *parent;

	if (element->repetition < REPETITION_REQUIRED ||
	    element->repetition > REPETITION_REPEATED)
		return bad_schema(err, "a field has no repetition");
	parent->children_left--;
	level.max_def += element->repetition != REPETITION_REQUIRED;
	level.max_rep += element->repetition == REPETITION_REPEATED;
	walk->path.length = parent->path_bytes;
	if (walk->path.length)
		text_add_char(&walk->path, '.');
	if (!text_add_str(&walk->path, element->name))
		return error_set(err, ERROR_NO_MEMORY, "Parquet schema");
	if (element->type >= 0 && element->child_count <= 0)
		return add_leaf(walk, element, &level, err);
	if (element->child_count < 0)
		return bad_schema(err, "a field is neither leaf nor group");
	if (walk->depth == SCHEMA_DEPTH_LIMIT)
		return bad_schema(err, "it is nested too deeply");
	level.children_left = (size_t)element->child_count;
	level.path_bytes = walk->path.length;
	walk->stack[walk->depth++] = level;
	return 0;
}

static int walk_tree(struct tree_walk *walk, struct error *err)
{
	const struct file_metadata *metadata = walk->metadata;
	int rc;

	memset(&walk->stack[0], 0, sizeof(walk->stack[0]));
	walk->stack[0].children_left = (size_t)metadata->elements[0].child_count;
	walk->depth = 1;
	for (size_t i = 1; i < metadata->element_count; i++) {
		while (walk->depth &&
		       walk->stack[walk->depth - 1].children_left == 0)
			walk->depth--;
		if (walk->depth == 0)
			return bad_schema(err, "more fields than told");
		rc = visit(walk, &metadata->elements[i], err);
		if (rc)
			return rc;
	}
	while (walk->depth && walk->stack[walk->depth - 1].children_left == 0)
		walk->depth--;
	return walk->depth ? bad_schema(err, "fewer fields than told") : 0;
}

int parquet_schema_leaves(const struct file_metadata *metadata,
			  struct arena *arena, struct leaf_column **out,
			  size_t *count_out, struct error *err)
{
	struct tree_walk walk;
	int rc;

	*out = NULL;
	if (metadata->element_count == 0 || metadata->elements[0].child_count < 0)
		return bad_schema(err, "it has no root");
	memset(&walk, 0, sizeof(walk));
	walk.metadata = metadata;
	walk.arena = arena;
	walk.leaves = arena_zalloc_array(arena, metadata->element_count,
					 sizeof(*walk.leaves));
	if (!walk.leaves)
		return error_set(err, ERROR_NO_MEMORY, "Parquet schema");
	rc = walk_tree(&walk, err);
	text_release(&walk.path);
	if (rc)
		return rc;
	*out = walk.leaves;
	*count_out = walk.leaf_count;
	return 0;
}
