/*
 * name_mapping.c - the property schema.name-mapping.default is kept in step
 *
 * Why:    files without field ids are read by the names in it. A column that
 *         was renamed must find both names, a new one its own.
 * How:    the JSON is read into a tree, added to, and written again. A name
 *         stays with the column that has it, also when that column is gone:
 *         otherwise a column added later under the same name would read the
 *         old one's values.
 */
#include "codec/codec.h"
#include "table/evolve/evolve_state.h"

#define NAME_MAPPING_PROPERTY "schema.name-mapping.default"

struct mapping {
	int32_t field_id;		/* -1 = none */
	const char **names;
	size_t name_count;
	size_t name_capacity;
	struct mapping *fields;
	size_t field_count;
	size_t field_capacity;
	bool has_fields;
};

struct mapping_update {
	struct arena *arena;
	struct error *err;
	const struct schema *before;
	int32_t last_id;		/* ids above are new */
};

static int no_memory(struct mapping_update *u)
{
	return error_set(u->err, ERROR_NO_MEMORY, "name mapping");
}

static int add_name(struct mapping_update *u, struct mapping *m,
		    const char *name)
{
	char *copy = arena_strdup(u->arena, name);

	if (m->name_count == m->name_capacity) {
		size_t capacity = m->name_capacity * 2 + 2;
		const char **bigger = arena_zalloc_array(u->arena, capacity,
							 sizeof(*bigger));

		if (!bigger)
			return no_memory(u);
		if (m->name_count)
			memcpy(bigger, m->names,
			       m->name_count * sizeof(*bigger));
		m->names = bigger;
		m->name_capacity = capacity;
	}
	if (!copy)
		return no_memory(u);
	m->names[m->name_count++] = copy;
	return 0;
}

static struct mapping *add_field(struct mapping_update *u, struct mapping *m)
{
	struct mapping *field;

	if (m->field_count == m->field_capacity) {
		size_t capacity = m->field_capacity * 2 + 4;
		struct mapping *bigger = arena_zalloc_array(u->arena, capacity,
							    sizeof(*bigger));

		if (!bigger)
			return NULL;
		if (m->field_count)
			memcpy(bigger, m->fields,
			       m->field_count * sizeof(*bigger));
		m->fields = bigger;
		m->field_capacity = capacity;
	}
	field = &m->fields[m->field_count++];
	memset(field, 0, sizeof(*field));
	field->field_id = -1;
	return field;
}

static int read_list(struct mapping_update *u, struct json_reader *json,
		     struct mapping *out, unsigned depth);

static int read_field(struct mapping_update *u, struct json_reader *json,
		      struct mapping *out, unsigned depth)
{
	const char *key;
	int rc = 0;

	json_begin_object(json);
	while (!rc && (key = json_next_key(json))) {
		if (!strcmp(key, "field-id") && !json_null(json)) {
			out->field_id = json_int32(json);
		} else if (!strcmp(key, "names")) {
			json_begin_array(json);
			while (!rc && json_next_item(json))
				rc = add_name(u, out, json_string(json));
		} else if (!strcmp(key, "fields")) {
			rc = read_list(u, json, out, depth);
		} else if (strcmp(key, "field-id")) {
			json_skip(json);
		}
	}
	return rc;
}

static int read_list(struct mapping_update *u, struct json_reader *json,
		     struct mapping *out, unsigned depth)
{
	int rc = 0;

	if (depth > TYPE_NESTING_LIMIT)
		return error_set(u->err, ERROR_UNSUPPORTED, "property "
				 NAME_MAPPING_PROPERTY " is nested deeper "
				 "than %d levels", TYPE_NESTING_LIMIT);
	out->has_fields = true;
	json_begin_array(json);
	while (!rc && json_next_item(json)) {
		struct mapping *field = add_field(u, out);

		rc = field ? read_field(u, json, field, depth + 1)
			   : no_memory(u);
	}
	return rc;
}

static void write_list(const struct mapping *m, struct text *out)
{
	text_add_char(out, '[');
	for (size_t i = 0; i < m->field_count; i++) {
		const struct mapping *field = &m->fields[i];

		text_add_str(out, i ? ",{" : "{");
		if (field->field_id >= 0)
			text_addf(out, "\"field-id\":%d,",
				  (int)field->field_id);
		text_add_str(out, "\"names\":[");
		for (size_t k = 0; k < field->name_count; k++) {
			if (k)
				text_add_char(out, ',');
			text_add_json(out, field->names[k],
				      strlen(field->names[k]));
		}
		text_add_char(out, ']');
		if (field->has_fields) {
			text_add_str(out, ",\"fields\":");
			write_list(field, out);
		}
		text_add_char(out, '}');
	}
	text_add_char(out, ']');
}

static bool has_name(const struct mapping *m, const char *name)
{
	for (size_t i = 0; i < m->field_count; i++)
		for (size_t k = 0; k < m->fields[i].name_count; k++)
			if (!strcmp(m->fields[i].names[k], name))
				return true;
	return false;
}

static struct mapping *find_id(const struct mapping *m, int32_t field_id)
{
	for (size_t i = 0; i < m->field_count; i++)
		if (m->fields[i].field_id == field_id)
			return &m->fields[i];
	return NULL;
}

static int follow(struct mapping_update *u, struct mapping *m,
		  const struct column_def *columns, size_t count);

static int follow_column(struct mapping_update *u, struct mapping *m,
			 const struct column_def *column)
{
	struct mapping *field = find_id(m, column->field_id);
	const struct column_def *old = column_by_id(u->before,
						    column->field_id);
	bool is_new = column->field_id > u->last_id;
	bool renamed = !is_new && (!old || strcmp(old->name, column->name));
	int rc = 0;

	if (!field && !is_new)
		return 0;	/* left out of the mapping on purpose */
	if ((is_new || renamed) && has_name(m, column->name)) {
		renamed = false;	/* the name is another column's */
		if (!field)
			field = add_field(u, m);
	} else if (is_new) {
		field = add_field(u, m);
		renamed = true;
	}
	if (!field)
		return no_memory(u);
	field->field_id = column->field_id;
	if (renamed)
		rc = add_name(u, field, column->name);
	if (rc || !column->type.field_count)
		return rc;
	field->has_fields = true;
	return follow(u, field, column->type.fields,
		      column->type.field_count);
}

static int follow(struct mapping_update *u, struct mapping *m,
		  const struct column_def *columns, size_t count)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++)
		rc = follow_column(u, m, &columns[i]);
	return rc;
}

int name_mapping_follow(struct evolution *e, const struct schema *before,
			int32_t last_id)
{
	const char *value = metadata_property(e->m, NAME_MAPPING_PROPERTY);
	struct mapping_update u = { NULL, e->err, before, last_id };
	struct text out = TEXT_INIT;
	struct json_reader json;
	struct mapping root;
	struct arena arena;
	char *copy;
	int rc;

	if (!value)
		return 0;
	memset(&root, 0, sizeof(root));
	arena_init(&arena, 0);
	u.arena = &arena;
	copy = arena_strdup(&arena, value);
	if (copy) {
		json_reader_init(&json, copy, strlen(copy));
		rc = read_list(&u, &json, &root, 0);
		if (!rc)
			rc = json_finish(&json, "property "
					 NAME_MAPPING_PROPERTY, e->err);
	} else {
		rc = no_memory(&u);
	}
	if (!rc)
		rc = follow(&u, &root, e->schema.columns,
			    e->schema.column_count);
	if (!rc) {
		write_list(&root, &out);
		rc = out.failed ? no_memory(&u)
				: metadata_set_property(e->m,
						NAME_MAPPING_PROPERTY,
						out.data, e->err);
	}
	text_release(&out);
	arena_release(&arena);
	return rc;
}
