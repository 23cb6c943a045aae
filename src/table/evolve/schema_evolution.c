/*
 * schema_evolution.c - columns added, dropped, renamed, moved, made optional
 *
 * Why:    a column is its field id; a change of names or places must never
 *         give one column another one's values.
 * How:    the definition with the id is edited where it is in the schema. New
 *         columns take the next ids, outer before inner, and no id is given
 *         twice, so that a name used again is another column.
 *         Fields of a map's key may be renamed, moved and widened only: more
 *         or fewer of them would change which keys are equal.
 * Limits: NOT NULL is added where a caller can say that there is no NULL.
 */
#include "table/evolve/evolve_state.h"

/* Ids from here on are reserved for metadata columns. */
#define FIELD_ID_LIMIT (INT32_MAX - 200)

static int assign_ids(struct evolution *e, struct column_def *columns,
		      size_t count)
{
	int rc = 0;

	for (size_t i = 0; i < count; i++) {
		if (e->last_column_id >= FIELD_ID_LIMIT)
			return error_set(e->err, ERROR_UNSUPPORTED,
					 "the table has no more column ids");
		columns[i].field_id = ++e->last_column_id;
	}
	for (size_t i = 0; !rc && i < count; i++)
		rc = assign_ids(e, columns[i].type.fields,
				columns[i].type.field_count);
	return rc;
}

static int check_at(const struct column_def *column, unsigned depth,
		    struct error *err)
{
	const struct type *type = &column->type;
	char name[TYPE_NAME_BYTES];
	int rc = 0;

	if (!column->name || !*column->name)
		return error_set(err, ERROR_BAD_ARGUMENT,
				 "a column without a name");
	if (type->id == TYPE_UNKNOWN || type->id == TYPE_TINYINT) {
		error_set(err, ERROR_UNSUPPORTED, "column '%s' cannot be %s",
			  column->name, type_name(type, name));
		return error_field(err, column->name);
	}
	if (depth >= TYPE_NESTING_LIMIT)
		return error_set(err, ERROR_UNSUPPORTED, "column '%s' is "
				 "nested deeper than %d levels", column->name,
				 TYPE_NESTING_LIMIT);
	if (type_is_nested(type) && !type->field_count)
		return error_set(err, ERROR_UNSUPPORTED, "column '%s' is %s "
				 "without fields", column->name,
				 type_name(type, name));
	for (size_t i = 0; !rc && i < type->field_count; i++) {
		rc = check_at(&type->fields[i], depth + 1, err);
		for (size_t k = 0; !rc && k < i; k++)
			if (text_equal_nocase(type->fields[k].name,
					      type->fields[i].name))
				rc = error_set(err, ERROR_COLUMN_EXISTS,
					       "field '%s' twice in '%s'",
					       type->fields[i].name,
					       column->name);
	}
	return rc;
}

int column_check(const struct column_def *column, struct error *err)
{
	return check_at(column, 0, err);
}

/* In table and schema files: no defaults but those at the top of it, and what
 * lies in arrays and maps is named by them. */
static void strip(struct column_def *column)
{
	for (size_t i = 0; i < column->type.field_count; i++) {
		struct column_def *field = &column->type.fields[i];

		field->initial_default = NULL;
		field->write_default = NULL;
		field->is_identifier = false;
		if (column->type.id == TYPE_MAP && !i)
			field->required = true;
		strip(field);
	}
}

/* A deep copy in the schema's arena. */
static int copy_column(struct evolution *e, const struct column_def *from,
		       struct column_def *out)
{
	struct schema *schema = &e->schema;
	int rc = schema_add(schema, from, e->err);

	if (rc)
		return rc;
	*out = schema->columns[--schema->column_count];
	out->initial_default = out->write_default = NULL;
	out->is_identifier = false;
	strip(out);
	return 0;
}

static int find_sibling(struct evolution *e, const struct column_def *parent,
			const char *name, size_t *out)
{
	size_t count;
	struct column_def *columns = siblings_of(&e->schema, parent, &count);
	long found = column_find_name(columns, count, name);

	if (found == -2)
		return error_set(e->err, ERROR_AMBIGUOUS_COLUMN, "several "
				 "columns are '%s' but for their case", name);
	if (found < 0)
		return error_set(e->err, ERROR_UNKNOWN_COLUMN, "there is no "
				 "column '%s' beside it", name);
	*out = (size_t)found;
	return 0;
}

static int check_new_name(struct evolution *e,
			  const struct column_def *parent, const char *name,
			  const struct column_def *self)
{
	size_t count;
	struct column_def *columns = siblings_of(&e->schema, parent, &count);

	for (size_t i = 0; i < count; i++)
		if (&columns[i] != self &&
		    text_equal_nocase(columns[i].name, name))
			return error_set(e->err, ERROR_COLUMN_EXISTS,
					 parent ? "'%s' has a field '%s'"
						: "%sthere is a column '%s'",
					 parent ? parent->name : "",
					 columns[i].name);
	return 0;
}

/* A NOT NULL column needs a value for the rows that are there. */
static int check_new_default(struct evolution *e,
			     const struct column_def *column, bool has_default)
{
	if (has_default && e->m->format_version < 3) {
		error_set(e->err, ERROR_INCOMPATIBLE_CHANGE, "column '%s' "
			  "with a DEFAULT needs format version 3: in version "
			  "%d the rows that are there have no value",
			  column->name, (int)e->m->format_version);
		return error_hint(e->err, "add the column, then set its "
				  "DEFAULT for new rows; or upgrade the table "
				  "to format version 3");
	}
	if (!column->required || has_default || !e->m->snapshot_count)
		return 0;
	error_set(e->err, ERROR_INCOMPATIBLE_CHANGE, "column '%s' is NOT "
		  "NULL and the rows that are there have no value",
		  column->name);
	return error_hint(e->err, e->m->format_version >= 3
			  ? "give it a DEFAULT, or add it without NOT NULL"
			  : "add it without NOT NULL; from format version 3 "
			    "on a DEFAULT would do");
}

static int give_default(struct evolution *e,
			const struct table_change *change,
			struct column_def *column)
{
	const struct literal *value = change->default_value
					      ? change->default_value
					      : change->column.write_default;
	bool has_default = value && !value->is_null;
	int rc = check_new_default(e, column, has_default);

	if (rc || !has_default)
		return rc;
	rc = default_cast(value, column, &e->schema.arena,
			  &column->write_default, e->err);
	column->initial_default = column->write_default;
	return rc;
}

static int check_parent(struct evolution *e, const struct table_change *change,
			const struct column_place *place)
{
	char text[PATH_TEXT_BYTES], name[TYPE_NAME_BYTES];
	const struct column_def *parent = place->column;

	if (!parent)
		return 0;
	if (parent->type.id != TYPE_ROW) {
		error_set(e->err, ERROR_INCOMPATIBLE_CHANGE, "'%s' is %s and "
			  "takes no fields", path_text(&change->path, text),
			  type_name(&parent->type, name));
		if (parent->type.id == TYPE_ARRAY)
			error_hint(e->err, "a ROW in it is '%s.element'",
				   path_text(&change->path, text));
		if (parent->type.id == TYPE_MAP)
			error_hint(e->err, "a ROW in it is '%s.value'",
				   path_text(&change->path, text));
		return ERROR_INCOMPATIBLE_CHANGE;
	}
	if (!place->in_key)
		return 0;
	error_set(e->err, ERROR_INCOMPATIBLE_CHANGE, "a field of a map's key "
		  "cannot be added: keys that are equal would no longer be");
	return error_hint(e->err, "fields of a key can be renamed, moved and "
			  "widened");
}

/* Index of a place among the siblings. */
static int place_index(struct evolution *e, const struct table_change *change,
		       const struct column_def *parent, size_t *out)
{
	int rc;

	if (change->place == POSITION_FIRST) {
		*out = 0;
		return 0;
	}
	if (change->place == POSITION_LAST) {
		siblings_of(&e->schema, parent, out);
		return 0;
	}
	rc = find_sibling(e, parent, change->after, out);
	*out += 1;
	return rc;
}

static int add_column(struct evolution *e, const struct table_change *change)
{
	struct column_place place;
	struct column_def column;
	size_t index;
	int rc;

	rc = column_check(&change->column, e->err);
	if (!rc)	/* first: it may move the columns at the top */
		rc = copy_column(e, &change->column, &column);
	if (!rc)
		rc = column_find(&e->schema, &change->path, &place, e->err);
	if (!rc)
		rc = check_parent(e, change, &place);
	if (rc)
		return rc;
	rc = check_new_name(e, place.column, column.name, NULL);
	if (rc == ERROR_COLUMN_EXISTS && change->if_not_exists)
		return 0;
	if (!rc)
		rc = place_index(e, change, place.column, &index);
	if (!rc)
		rc = give_default(e, change, &column);
	if (!rc)
		rc = assign_ids(e, &column, 1);
	return rc ? rc : columns_insert(&e->schema, place.column, index,
					&column, e->err);
}

static bool has_identifier(const struct column_def *column)
{
	if (column->is_identifier)
		return true;
	for (size_t i = 0; i < column->type.field_count; i++)
		if (has_identifier(&column->type.fields[i]))
			return true;
	return false;
}

/* element, key and value are parts of a type, no columns. */
static int check_is_field(struct evolution *e,
			  const struct table_change *change,
			  const struct column_place *place, const char *verb)
{
	char text[PATH_TEXT_BYTES];

	if (!place->column)
		return error_set(e->err, ERROR_BAD_ARGUMENT,
				 "a change of no column");
	if (!place->parent || place->parent->type.id == TYPE_ROW)
		return 0;
	return error_set(e->err, ERROR_INCOMPATIBLE_CHANGE, "'%s' is part of "
			 "the type of '%s' and cannot be %s",
			 path_text(&change->path, text), place->parent->name,
			 verb);
}

static int drop_column(struct evolution *e, const struct table_change *change,
		       const struct column_place *place)
{
	char text[PATH_TEXT_BYTES];
	size_t count;
	int rc = check_is_field(e, change, place, "dropped");

	if (rc)
		return rc;
	path_text(&change->path, text);
	siblings_of(&e->schema, place->parent, &count);
	if (place->in_key) {
		error_set(e->err, ERROR_INCOMPATIBLE_CHANGE, "field '%s' of "
			  "a map's key cannot be dropped: keys that differ "
			  "would be equal", text);
		return error_hint(e->err, "fields of a key can be renamed, "
				  "moved and widened");
	}
	if (has_identifier(place->column)) {
		error_set(e->err, ERROR_INCOMPATIBLE_CHANGE, "column '%s' is "
			  "part of the primary key and cannot be dropped",
			  text);
		return error_hint(e->err, "drop or change the primary key "
				  "first");
	}
	if (count == 1) {
		error_set(e->err, ERROR_INCOMPATIBLE_CHANGE, "'%s' is the "
			  "only %s there and cannot be dropped", text,
			  place->parent ? "field" : "column");
		return place->parent
			       ? error_hint(e->err, "drop '%s' as a whole",
					    place->parent->name)
			       : ERROR_INCOMPATIBLE_CHANGE;
	}
	columns_remove(&e->schema, place->parent, place->index);
	return 0;
}

static int rename_column(struct evolution *e,
			 const struct table_change *change,
			 const struct column_place *place)
{
	int rc = check_is_field(e, change, place, "renamed");

	if (!rc && !*change->name)
		rc = error_set(e->err, ERROR_BAD_ARGUMENT,
			       "a column without a name");
	if (!rc)
		rc = check_new_name(e, place->parent, change->name,
				    place->column);
	if (rc)
		return rc;
	place->column->name = arena_strdup(&e->schema.arena, change->name);
	return place->column->name ? 0 : error_set(e->err, ERROR_NO_MEMORY,
						   "column name");
}

static int move_column(struct evolution *e, const struct table_change *change,
		       const struct column_place *place)
{
	struct column_def *columns, moved;
	size_t count, to;
	int rc = check_is_field(e, change, place, "moved");

	if (!rc)
		rc = place_index(e, change, place->parent, &to);
	if (rc)
		return rc;
	columns = siblings_of(&e->schema, place->parent, &count);
	if (change->place == POSITION_AFTER && to == place->index + 1)
		return error_set(e->err, ERROR_BAD_ARGUMENT, "column '%s' "
				 "cannot be moved after itself",
				 place->column->name);
	if (to > place->index)
		to--;
	moved = columns[place->index];
	memmove(columns + place->index, columns + place->index + 1,
		(count - place->index - 1) * sizeof(*columns));
	memmove(columns + to + 1, columns + to,
		(count - to - 1) * sizeof(*columns));
	columns[to] = moved;
	return 0;
}

/* A column that came with this statement is its default in all rows. */
static int has_nulls(struct evolution *e, const struct column_def *column,
		     bool *out)
{
	bool is_new = column->field_id > e->m->last_column_id;

	*out = e->m->snapshot_count && !(is_new && column->initial_default);
	if (!*out || is_new || !e->nulls)
		return 0;
	return e->nulls(e->nulls_context, column->field_id, out, e->err);
}

static int set_not_null(struct evolution *e,
			const struct table_change *change,
			const struct column_place *place)
{
	char text[PATH_TEXT_BYTES];
	bool nulls;
	int rc;

	if (place->column->required)
		return 0;
	rc = has_nulls(e, place->column, &nulls);
	if (rc)
		return rc;
	if (!nulls) {
		place->column->required = true;
		return 0;
	}
	error_set(e->err, ERROR_INCOMPATIBLE_CHANGE, "column '%s' cannot be "
		  "NOT NULL: there may be rows where it is NULL",
		  path_text(&change->path, text));
	return error_hint(e->err, "give those rows a value first");
}

static int drop_not_null(struct evolution *e,
			 const struct table_change *change,
			 const struct column_place *place)
{
	char text[PATH_TEXT_BYTES];

	path_text(&change->path, text);
	if (place->parent && place->parent->type.id == TYPE_MAP &&
	    !place->index)
		return error_set(e->err, ERROR_INCOMPATIBLE_CHANGE,
				 "'%s', a map's key, is never NULL", text);
	if (!has_identifier(place->column)) {
		place->column->required = false;
		return 0;
	}
	error_set(e->err, ERROR_INCOMPATIBLE_CHANGE, "column '%s' is part of "
		  "the primary key and stays NOT NULL", text);
	return error_hint(e->err, "drop or change the primary key first");
}

static int set_comment(struct evolution *e, const struct table_change *change,
		       const struct column_place *place)
{
	int rc = check_is_field(e, change, place, "commented on");

	if (rc)
		return rc;
	place->column->doc = NULL;
	if (!change->name)
		return 0;
	place->column->doc = arena_strdup(&e->schema.arena, change->name);
	return place->column->doc ? 0 : error_set(e->err, ERROR_NO_MEMORY,
						  "column comment");
}

static void clear_identifiers(struct column_def *columns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		columns[i].is_identifier = false;
		clear_identifiers(columns[i].type.fields,
				  columns[i].type.field_count);
	}
}

static int refuse_identifier(struct evolution *e,
			     const struct column_path *path, const char *why)
{
	char text[PATH_TEXT_BYTES];

	return error_set(e->err, ERROR_INCOMPATIBLE_CHANGE, "column '%s' "
			 "cannot be part of the primary key: it is %s",
			 path_text(path, text), why);
}

static int set_identifier(struct evolution *e,
			  const struct table_change *change)
{
	clear_identifiers(e->schema.columns, e->schema.column_count);
	for (size_t i = 0; i < change->path_count; i++) {
		const struct column_path *path = &change->paths[i];
		struct column_place place;
		const char *why = NULL;
		enum type_id id;
		int rc;

		rc = column_find(&e->schema, path, &place, e->err);
		if (rc)
			return rc;
		id = place.column->type.id;
		if (type_is_nested(&place.column->type))
			why = "not a single value";
		else if (id == TYPE_REAL || id == TYPE_DOUBLE)
			why = "a floating-point number";
		else if (place.in_collection)
			why = "inside an ARRAY or a MAP";
		else if (place.in_optional)
			why = "in a ROW that may be NULL";
		else if (place.column->is_identifier)
			why = "there twice";
		if (why)
			return refuse_identifier(e, path, why);
		if (!place.column->required) {
			refuse_identifier(e, path, "not NOT NULL");
			return error_hint(e->err, "set it NOT NULL first");
		}
		place.column->is_identifier = true;
	}
	return 0;
}

static int drop_identifier(struct evolution *e,
			   const struct table_change *change)
{
	for (size_t i = 0; i < change->path_count; i++) {
		struct column_place place;
		int rc = column_find(&e->schema, &change->paths[i], &place,
				     e->err);

		if (rc)
			return rc;
		if (!place.column || !place.column->is_identifier) {
			char text[PATH_TEXT_BYTES];

			return error_set(e->err, ERROR_UNKNOWN_COLUMN,
					 "column '%s' is not part of the "
					 "primary key",
					 path_text(&change->paths[i], text));
		}
		place.column->is_identifier = false;
	}
	return 0;
}

int evolve_columns(struct evolution *e, const struct table_change *change)
{
	struct column_place place;
	int rc;

	if (change->kind == TABLE_ADD_COLUMN)
		return add_column(e, change);
	if (change->kind == TABLE_SET_IDENTIFIER)
		return set_identifier(e, change);
	if (change->kind == TABLE_DROP_IDENTIFIER)
		return drop_identifier(e, change);
	rc = column_find(&e->schema, &change->path, &place, e->err);
	if (rc == ERROR_UNKNOWN_COLUMN && change->if_exists)
		return 0;
	if (!rc && !place.column)
		rc = error_set(e->err, ERROR_BAD_ARGUMENT,
			       "a change of no column");
	if (rc)
		return rc;
	switch (change->kind) {
	case TABLE_DROP_COLUMN:
		return drop_column(e, change, &place);
	case TABLE_RENAME_COLUMN:
		return rename_column(e, change, &place);
	case TABLE_MOVE_COLUMN:
		return move_column(e, change, &place);
	case TABLE_SET_NOT_NULL:
		return set_not_null(e, change, &place);
	case TABLE_DROP_NOT_NULL:
		return drop_not_null(e, change, &place);
	default:
		return set_comment(e, change, &place);
	}
}
