/*
 * parquet_tree.c - the columns of a file as rows, arrays and maps
 *
 * Why:    a list has been spelled in half a dozen ways since the format began,
 *         with two groups, with one and with none; nobody above wants to know.
 * How:    the rules of parquet-format's LogicalTypes for old files, in their
 *         order, decide whether the field that repeats is the element itself
 *         or only wraps it. Levels are noted where they are passed.
 * Limits: recursion is as deep as the schema, SCHEMA_DEPTH_LIMIT. A group
 *         that says LIST or MAP and is not built like one is a ROW.
 */
#include "parquet/parquet_schema.h"

struct tree_build {
	const struct file_metadata *metadata;
	struct leaf_column *leaves;
	struct arena *arena;
	size_t next_element;
	size_t next_leaf;
	uint8_t element_def[SCHEMA_DEPTH_LIMIT + 2];
};

/* Levels of the place where a node stands. */
struct place {
	uint8_t def;
	uint8_t slot_def;
	uint8_t rep;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "Parquet schema");
}

static const struct schema_element *peek(const struct tree_build *build,
					 size_t ahead)
{
	return &build->metadata->elements[build->next_element + ahead];
}

static bool is_leaf(const struct schema_element *element)
{
	return element->type >= 0 && element->child_count <= 0;
}

static int build_field(struct tree_build *build, struct place place,
		       struct parquet_node *out, struct error *err);

static int build_leaf(struct tree_build *build, struct parquet_node *out,
		      struct error *err)
{
	struct leaf_column *leaf = &build->leaves[build->next_leaf++];

	leaf->element_def = arena_copy(build->arena, build->element_def,
				       leaf->max_rep + 1);
	if (!leaf->element_def)
		return no_memory(err);
	out->type = leaf->door.type;
	out->readable = leaf->has_type;
	return 0;
}

/* Have room for count children and the fields of the type. */
static int make_children(struct tree_build *build, struct parquet_node *out,
			 enum type_id id, size_t count, struct error *err)
{
	out->type = type_of(id);
	out->type.fields = arena_zalloc_array(build->arena, count + 1,
					      sizeof(*out->type.fields));
	out->children = arena_zalloc_array(build->arena, count + 1,
					   sizeof(*out->children));
	if (!out->type.fields || !out->children)
		return no_memory(err);
	out->type.field_count = out->child_count = count;
	out->readable = count > 0;
	return 0;
}

/* Of the type, from what the children turned out to be. */
static int take_fields(struct tree_build *build, struct parquet_node *out,
		       struct error *err)
{
	static const char *const names[] = { "key", "value" };

	for (size_t i = 0; i < out->child_count; i++) {
		const struct parquet_node *child = &out->children[i];
		struct column_def *field = &out->type.fields[i];
		const char *name = out->type.id == TYPE_ROW   ? child->name
				   : out->type.id == TYPE_MAP ? names[i]
							      : "element";

		field->name = arena_strdup(build->arena, name);
		if (!field->name)
			return no_memory(err);
		field->type = child->type;
		field->field_id = child->field_id > 0 ? child->field_id : 0;
		field->required = child->required;
		out->readable &= child->readable;
	}
	return 0;
}

/* The place of what repeats. */
static struct place enter_list(struct tree_build *build, struct place place,
			       struct parquet_node *out)
{
	place.def++;
	place.rep++;
	place.slot_def = out->list_def = place.def;
	build->element_def[place.rep] = place.def;
	return place;
}

static int build_row(struct tree_build *build, size_t count,
		     struct place place, struct parquet_node *out,
		     struct error *err)
{
	struct parquet_node *children;
	int rc = make_children(build, out, TYPE_ROW, count, err);

	children = (struct parquet_node *)out->children;
	for (size_t i = 0; !rc && i < count; i++)
		rc = build_field(build, place, &children[i], err);
	return rc ? rc : take_fields(build, out, err);
}

static bool is_list(const struct schema_element *element)
{
	return element->logical.kind == LOGICAL_LIST ||
	       element->converted_type == CONVERTED_LIST;
}

static bool is_map(const struct schema_element *element)
{
	return element->logical.kind == LOGICAL_MAP ||
	       element->converted_type == CONVERTED_MAP ||
	       element->converted_type == CONVERTED_MAP_KEY_VALUE;
}

/* Is the repeated field of a LIST, which comes next, its element? */
static bool repeated_is_element(const struct tree_build *build,
				const char *list_name)
{
	const struct schema_element *repeated = peek(build, 0);
	size_t length = strlen(list_name);

	if (is_leaf(repeated) || repeated->child_count != 1 ||
	    peek(build, 1)->repetition == REPETITION_REPEATED)
		return true;
	return !strcmp(repeated->name, "array") ||
	       (!strncmp(repeated->name, list_name, length) &&
		!strcmp(repeated->name + length, "_tuple"));
}

static int build_body(struct tree_build *build,
		      const struct schema_element *element,
		      struct place place, struct parquet_node *out,
		      struct error *err);

/* The field that comes next is the element itself. */
static int build_element(struct tree_build *build, struct place place,
			 struct parquet_node *out, struct error *err)
{
	const struct schema_element *element = peek(build, 0);

	build->next_element++;
	out->required = true;
	return build_body(build, element, place, out, err);
}

static int build_list(struct tree_build *build, const char *name,
		      struct place place, struct parquet_node *out,
		      struct error *err)
{
	struct parquet_node *children;
	int rc = make_children(build, out, TYPE_ARRAY, 1, err);

	if (rc)
		return rc;
	children = (struct parquet_node *)out->children;
	place = enter_list(build, place, out);
	if (repeated_is_element(build, name)) {
		rc = build_element(build, place, &children[0], err);
	} else {
		build->next_element++;
		rc = build_field(build, place, &children[0], err);
	}
	return rc ? rc : take_fields(build, out, err);
}

/* The group of keys and values comes next. */
static int build_map(struct tree_build *build, struct place place,
		     struct parquet_node *out, struct error *err)
{
	size_t count = (size_t)peek(build, 0)->child_count;
	struct parquet_node *children;
	int rc = make_children(build, out,
			       count == 2 ? TYPE_MAP : TYPE_ARRAY, count, err);

	if (rc)
		return rc;
	build->next_element++;
	children = (struct parquet_node *)out->children;
	place = enter_list(build, place, out);
	for (size_t i = 0; !rc && i < count; i++)
		rc = build_field(build, place, &children[i], err);
	return rc ? rc : take_fields(build, out, err);
}

/* What an element holds; its own repetition is dealt with. */
static int build_body(struct tree_build *build,
		      const struct schema_element *element,
		      struct place place, struct parquet_node *out,
		      struct error *err)
{
	const struct schema_element *inner = element + 1;
	bool wraps;
	int rc;

	out->name = element->name;
	out->field_id = element->has_field_id ? element->field_id : -1;
	out->max_def = place.def;
	out->slot_def = place.slot_def;
	out->rep = place.rep;
	out->first_leaf = build->next_leaf;
	wraps = !is_leaf(element) && element->child_count == 1 &&
		inner->repetition == REPETITION_REPEATED;
	if (is_leaf(element))
		rc = build_leaf(build, out, err);
	else if (wraps && is_list(element))
		rc = build_list(build, element->name, place, out, err);
	else if (wraps && is_map(element) && !is_leaf(inner) &&
		 (inner->child_count == 1 || inner->child_count == 2))
		rc = build_map(build, place, out, err);
	else
		rc = build_row(build, (size_t)element->child_count, place, out,
			       err);
	out->leaf_count = build->next_leaf - out->first_leaf;
	return rc;
}

static int build_field(struct tree_build *build, struct place place,
		       struct parquet_node *out, struct error *err)
{
	const struct schema_element *element = peek(build, 0);
	struct parquet_node *children;
	int rc;

	if (element->repetition != REPETITION_REPEATED) {
		build->next_element++;
		out->required = element->repetition == REPETITION_REQUIRED;
		place.def += !out->required;
		return build_body(build, element, place, out, err);
	}
	/* a list that is never null, of elements that are never null */
	out->name = element->name;
	out->field_id = element->has_field_id ? element->field_id : -1;
	out->required = true;
	out->max_def = place.def;
	out->slot_def = place.slot_def;
	out->rep = place.rep;
	out->first_leaf = build->next_leaf;
	rc = make_children(build, out, TYPE_ARRAY, 1, err);
	if (rc)
		return rc;
	children = (struct parquet_node *)out->children;
	rc = build_element(build, enter_list(build, place, out), &children[0],
			   err);
	out->leaf_count = build->next_leaf - out->first_leaf;
	return rc ? rc : take_fields(build, out, err);
}

int parquet_schema_tree(const struct file_metadata *metadata,
			struct leaf_column *leaves, struct arena *arena,
			struct parquet_node **out, struct error *err)
{
	struct tree_build build = {
		.metadata = metadata,
		.leaves = leaves,
		.arena = arena,
		.next_element = 1,
	};
	struct parquet_node *root = arena_zalloc(arena, sizeof(*root));
	struct place top = { 0, 0, 0 };
	int rc;

	*out = NULL;
	if (!root)
		return no_memory(err);
	root->name = metadata->elements[0].name;
	root->field_id = -1;
	root->required = true;
	rc = build_row(&build, (size_t)metadata->elements[0].child_count, top,
		       root, err);
	if (rc)
		return rc;
	root->leaf_count = build.next_leaf;
	*out = root;
	return 0;
}
