/*
 * json_infer.c - the columns and types of JSON Lines
 *
 * Why:    members may be objects and arrays, whose types are found as those
 *         of columns are.
 * How:    a node for each member, element and field, with all kinds of values
 *         that were met there. A node with values of several kinds is text,
 *         as is one without any.
 * Limits: deeper than TYPE_NESTING_LIMIT, and objects of more than
 *         MEMBERS_LIMIT members (they are rather maps), are text.
 */
#include "source/json_infer.h"
#include "source/json_rows.h"
#include "source/json_value.h"
#include "source/type_infer.h"

#define MEMBERS_LIMIT 1000

struct node {
	char *name;
	struct node *next;	/* of the same object */
	struct node *members;	/* in the order in which they were met */
	struct node **end;
	struct node *tried;	/* mostly the one that comes next */
	size_t member_count;
	struct node *element;
	struct text_types types;
	bool has_object;
	bool has_array;
};

struct json_inference {
	struct arena arena;	/* of nodes */
	struct arena copies;
	struct node root;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "infer types");
}

static struct node *node_new(struct json_inference *run, const char *name)
{
	struct node *node = arena_zalloc(&run->arena, sizeof(*node));

	if (!node)
		return NULL;
	node->end = &node->members;
	node->name = arena_strdup(&run->arena, name);
	return node->name ? node : NULL;
}

static struct node *find_member(struct node *node, const char *key)
{
	struct node *member = node->tried;

	if (member && strcmp(member->name, key) == 0)
		return member;
	for (member = node->members; member; member = member->next)
		if (text_equal_nocase(member->name, key))
			return member;
	return NULL;
}

/* The member's node; NULL = out of memory. */
static struct node *member_of(struct json_inference *run, struct node *node,
			      const char *key)
{
	struct node *member = find_member(node, key);

	if (!member) {
		member = node_new(run, key);
		if (!member)
			return NULL;
		*node->end = member;
		node->end = &member->next;
		node->member_count++;
	}
	node->tried = member->next ? member->next : node->members;
	return member;
}

static int add_value(struct json_inference *run, struct node *node,
		     struct json_reader *reader, unsigned depth,
		     struct error *err);

static int add_object(struct json_inference *run, struct node *node,
		      struct json_reader *reader, unsigned depth,
		      struct error *err)
{
	const char *key;

	node->has_object = true;
	json_begin_object(reader);
	while ((key = json_next_key(reader))) {
		struct node *member;
		int rc;

		if (node->member_count > MEMBERS_LIMIT) {
			text_types_add_other(&node->types);
			json_skip(reader);
			continue;
		}
		member = member_of(run, node, key);
		rc = member ? add_value(run, member, reader, depth + 1, err)
			    : no_memory(err);
		if (rc)
			return rc;
	}
	return 0;
}

static int add_array(struct json_inference *run, struct node *node,
		     struct json_reader *reader, unsigned depth,
		     struct error *err)
{
	node->has_array = true;
	if (!node->element)
		node->element = node_new(run, "element");
	if (!node->element)
		return no_memory(err);
	json_begin_array(reader);
	while (json_next_item(reader)) {
		int rc = add_value(run, node->element, reader, depth + 1, err);

		if (rc)
			return rc;
	}
	return 0;
}

static int add_value(struct json_inference *run, struct node *node,
		     struct json_reader *reader, unsigned depth,
		     struct error *err)
{
	enum json_kind kind = json_peek(reader);

	if (depth >= TYPE_NESTING_LIMIT &&
	    (kind == JSON_OBJECT || kind == JSON_ARRAY)) {
		text_types_add_other(&node->types);
		json_skip(reader);
		return 0;
	}
	switch (kind) {
	case JSON_OBJECT:
		return add_object(run, node, reader, depth, err);
	case JSON_ARRAY:
		return add_array(run, node, reader, depth, err);
	case JSON_STRING:
		text_types_add_string(&node->types, json_text(reader));
		return 0;
	case JSON_NUMBER:
	case JSON_BOOLEAN:
		text_types_add_json(&node->types, json_raw(reader));
		return 0;
	default:
		json_skip(reader);
		return 0;
	}
}

static int refuse_line(const struct csv_chunk *chunk, size_t row, int rc,
		       struct error *err)
{
	return rc == ERROR_NO_MEMORY
		       ? rc
		       : error_at(err, chunk->file->name,
				  csv_chunk_row_line(chunk, row), 0);
}

static int add_chunk(struct json_inference *run, struct csv_chunk *chunk,
		     struct error *err)
{
	int rc = json_chunk_read(chunk, false, err);

	for (size_t i = 0; i < chunk->row_count && !rc; i++) {
		size_t start = csv_chunk_row_start(chunk, i);
		const uint8_t *at = chunk->bytes + start;
		const uint8_t *end = memchr(at, '\n', chunk->length - start);
		size_t length = end ? (size_t)(end - at)
				    : chunk->length - start;
		struct json_reader reader;
		char *copy;

		arena_reset(&run->copies);
		copy = json_text_copy(&run->copies, byte_view(at, length));
		if (!copy)
			return no_memory(err);
		json_reader_init(&reader, copy, length);
		rc = add_object(run, &run->root, &reader, 0, err);
		if (!rc && json_finish(&reader, "line", NULL))
			rc = json_syntax_error(&reader, err);
		if (rc)
			rc = refuse_line(chunk, i, rc, err);
	}
	return rc;
}

static int type_of_node(struct json_inference *run, const struct node *node,
			struct type *out, struct error *err);

/* fields of the type are those of the nodes of a list. */
static int set_fields(struct json_inference *run, const struct node *first,
		      size_t count, struct type *out, struct error *err)
{
	size_t i = 0;

	out->fields = arena_zalloc_array(&run->arena, count + 1,
					 sizeof(*out->fields));
	if (!out->fields)
		return no_memory(err);
	out->field_count = count;
	for (const struct node *node = first; i < count; node = node->next) {
		struct column_def *field = &out->fields[i++];
		int rc;

		field->name = node->name;
		rc = type_of_node(run, node, &field->type, err);
		if (rc)
			return rc;
	}
	return 0;
}

static int type_of_node(struct json_inference *run, const struct node *node,
			struct type *out, struct error *err)
{
	*out = type_of(TYPE_VARCHAR);
	if (!node->has_object && !node->has_array) {
		*out = text_types_type(&node->types);
		return 0;
	}
	if (node->types.kinds || (node->has_object && node->has_array) ||
	    (node->has_object && !node->member_count))
		return 0;
	*out = type_of(node->has_object ? TYPE_ROW : TYPE_ARRAY);
	if (node->has_object)
		return set_fields(run, node->members, node->member_count, out,
				  err);
	return set_fields(run, node->element, 1, out, err);
}

static int read_all(struct json_inference *run, struct csv_input *input,
		    struct error *err)
{
	struct csv_chunk *chunk;
	bool more = true;
	int rc = csv_chunk_new(&chunk, err);

	while (!rc && more) {
		csv_chunk_reset(chunk);
		rc = csv_splitter_next(input->splitter, chunk, &more, err);
		if (!rc && more)
			rc = add_chunk(run, chunk, err);
		if (!rc)
			rc = interrupt_check(err);
	}
	csv_chunk_free(chunk);
	return rc;
}

int json_infer(struct csv_input *input, struct schema *out,
	       struct error *err)
{
	struct json_inference run = { 0 };
	int rc;

	arena_init(&run.arena, 0);
	arena_init(&run.copies, 0);
	run.root.end = &run.root.members;
	rc = read_all(&run, input, err);
	if (!rc && run.root.member_count > MEMBERS_LIMIT)
		rc = error_set(err, ERROR_UNSUPPORTED, "the records have more "
			       "than %d members", MEMBERS_LIMIT);
	for (struct node *n = run.root.members; n && !rc; n = n->next) {
		struct type type;

		rc = type_of_node(&run, n, &type, err);
		if (!rc)
			rc = schema_add_column(out, n->name, type, err);
	}
	arena_release(&run.copies);
	arena_release(&run.arena);
	return rc;
}
