/*
 * partition_evolution.c - partition fields added, dropped, replaced
 *
 * Why:    files stay where their spec put them; only the spec for new files
 *         changes. So specs are never edited, and a field that means what one
 *         of an older spec meant keeps that one's id (iceberg.md 16.3).
 * How:    the default spec's fields are slots that are taken away or added;
 *         in the end they are an older spec again, or a new one with the next
 *         id. In version 1 a field that is taken away stays as void, because
 *         there readers know fields by their position.
 *         A field is named by its column and transform: id, id_bucket_8,
 *         id_trunc_4, ts_day.
 */
#include "table/evolve/evolve_state.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "partition spec");
}

int partitions_begin(struct evolution *e)
{
	const struct partition_spec *spec =
		metadata_spec(e->m, e->m->default_spec_id);

	e->slot_count = spec->field_count;
	e->slots = arena_zalloc_array(&e->m->arena, spec->field_count + 1,
				      sizeof(*e->slots));
	if (!e->slots)
		return no_memory(e->err);
	for (size_t i = 0; i < spec->field_count; i++)
		e->slots[i].field = spec->fields[i];
	return 0;
}

static bool is_void(const struct spec_slot *slot)
{
	return slot->field.transform.kind == TRANSFORM_VOID;
}

/* The field of a column by a transform; SIZE_MAX = none. */
static size_t find_equal(const struct evolution *e, int32_t source_id,
			 const struct transform *transform)
{
	for (size_t i = 0; i < e->slot_count; i++)
		if (e->slots[i].field.source_id == source_id &&
		    transforms_equal(&e->slots[i].field.transform, transform))
			return i;
	return SIZE_MAX;
}

static size_t find_named(const struct evolution *e, const char *name)
{
	size_t found = SIZE_MAX, folded = 0;

	for (size_t i = 0; i < e->slot_count; i++) {
		const char *other = e->slots[i].field.name;

		if (e->slots[i].is_removed)
			continue;
		if (!strcmp(other, name))
			return i;
		if (text_equal_nocase(other, name)) {
			found = i;
			folded++;
		}
	}
	return folded == 1 ? found : SIZE_MAX;
}

/* A field of any spec by the same column and transform: its id is kept. */
static const struct partition_field *
find_in_history(const struct table_metadata *m, int32_t source_id,
		const struct transform *transform)
{
	for (size_t i = m->spec_count; i-- > 0;) {
		const struct partition_spec *spec = &m->specs[i];

		for (size_t k = 0; k < spec->field_count; k++)
			if (spec->fields[k].source_id == source_id &&
			    transforms_equal(&spec->fields[k].transform,
					     transform))
				return &spec->fields[k];
	}
	return NULL;
}

/* id_bucket_8 */
static char *default_name(const struct schema *schema,
			  const struct partition_field *field,
			  struct arena *arena)
{
	const struct transform *transform = &field->transform;
	struct text name = TEXT_INIT;
	char *copy = NULL;

	if (column_full_name(schema, field->source_id, &name)) {
		if (transform->kind == TRANSFORM_BUCKET)
			text_addf(&name, "_bucket_%d",
				  (int)transform->parameter);
		else if (transform->kind == TRANSFORM_TRUNCATE)
			text_addf(&name, "_trunc_%d",
				  (int)transform->parameter);
		else if (transform->kind == TRANSFORM_VOID)
			text_add_str(&name, "_null");
		else if (transform->kind != TRANSFORM_IDENTITY)
			text_addf(&name, "_%s", transform->text);
		if (!name.failed)
			copy = arena_strdup(arena, name.data);
	}
	text_release(&name);
	return copy;
}

/* A name of a column is for the identity of that column alone. */
static int check_column_name(const struct schema *schema,
			     const struct partition_field *field,
			     struct error *err)
{
	struct column_path path = { (const char *const *)&field->name, 1 };
	struct column_place place;

	if (!*field->name)
		return error_set(err, ERROR_BAD_ARGUMENT,
				 "a partition field without a name");
	if (column_find(schema, &path, &place, NULL) ||
	    (place.column->field_id == field->source_id &&
	     field->transform.kind == TRANSFORM_IDENTITY))
		return 0;
	error_set(err, ERROR_COLUMN_EXISTS, "partition field '%s' has the "
		  "name of a column", field->name);
	return error_hint(err, "name the field otherwise, with AS");
}

static int exists(const struct partition_field *field, struct error *err)
{
	return error_set(err, ERROR_COLUMN_EXISTS, "there is a partition "
			 "field '%s' already", field->name);
}

/* Days and hours of one column say the same. */
static int check_time(const struct evolution *e,
		      const struct partition_field *field)
{
	for (size_t i = 0; i < e->slot_count; i++) {
		const struct partition_field *other = &e->slots[i].field;

		if (e->slots[i].is_removed ||
		    other->source_id != field->source_id ||
		    !transform_is_time(&other->transform) ||
		    !transform_is_time(&field->transform))
			continue;
		error_set(e->err, ERROR_INCOMPATIBLE_CHANGE, "partition field "
			  "'%s' is the %s of the same column",
			  other->name, other->transform.text);
		return error_hint(e->err, "replace that field, or drop it "
				  "first");
	}
	return 0;
}

/* What held the name and is no more must not hold it any longer. */
static int free_name(struct evolution *e, const char *name)
{
	for (size_t i = 0; i < e->slot_count; i++) {
		struct spec_slot *slot = &e->slots[i];
		bool is_gone = slot->is_removed || is_void(slot);

		if (!text_equal_nocase(slot->field.name, name) ||
		    (slot->is_removed && e->m->format_version >= 2))
			continue;
		if (!is_gone)
			return exists(&slot->field, e->err);
		slot->field.name = arena_printf(&e->m->arena, "%s_%d",
						slot->field.name,
						(int)slot->field.field_id);
		if (!slot->field.name)
			return no_memory(e->err);
	}
	return 0;
}

static int append_slot(struct evolution *e,
		       const struct partition_field *field)
{
	struct spec_slot *bigger;

	bigger = arena_zalloc_array(&e->m->arena, e->slot_count + 1,
				    sizeof(*bigger));
	if (!bigger)
		return no_memory(e->err);
	if (e->slot_count)
		memcpy(bigger, e->slots, e->slot_count * sizeof(*bigger));
	bigger[e->slot_count].field = *field;
	e->slots = bigger;
	e->slot_count++;
	return 0;
}

static int name_field(struct evolution *e, struct partition_field *field,
		      const char *wanted, const char *former)
{
	const char *name = wanted ? wanted : former;

	field->name = name ? arena_strdup(&e->m->arena, name)
			   : default_name(&e->schema, field, &e->m->arena);
	if (!field->name)
		return no_memory(e->err);
	return check_column_name(&e->schema, field, e->err);
}

/* Taken away by this statement and added by it: it never went. */
static int restore_slot(struct evolution *e, struct spec_slot *slot,
			const char *wanted)
{
	int rc;

	if (wanted && strcmp(wanted, slot->field.name)) {
		rc = name_field(e, &slot->field, wanted, NULL);
		if (!rc)
			rc = free_name(e, wanted);
		if (rc)
			return rc;
	} else if (find_named(e, slot->field.name) != SIZE_MAX) {
		return exists(&slot->field, e->err);
	}
	slot->is_removed = false;
	return 0;
}

static int resolve(struct evolution *e, const struct partition_term *term,
		   struct partition_field *out)
{
	memset(out, 0, sizeof(*out));
	return term_resolve(&e->schema, &term->column, term->transform,
			    &e->m->arena, &out->transform, &out->source_id,
			    e->err);
}

static int add_field(struct evolution *e, const struct partition_term *term,
		     bool if_not_exists)
{
	const struct partition_field *former;
	struct partition_field field;
	size_t at;
	int rc = resolve(e, term, &field);

	if (rc)
		return rc;
	at = find_equal(e, field.source_id, &field.transform);
	if (at != SIZE_MAX && !e->slots[at].is_removed)
		return if_not_exists ? 0 : exists(&e->slots[at].field, e->err);
	rc = check_time(e, &field);
	if (rc)
		return rc;
	if (at != SIZE_MAX)
		return restore_slot(e, &e->slots[at], term->name);
	former = e->m->format_version >= 2
			 ? find_in_history(e->m, field.source_id,
					   &field.transform)
			 : NULL;
	if (former)
		field.field_id = former->field_id;
	rc = name_field(e, &field, term->name, former ? former->name : NULL);
	/* the name it had may be a column's now */
	if (rc == ERROR_COLUMN_EXISTS && former && !term->name)
		rc = name_field(e, &field, NULL, NULL);
	if (!rc)
		rc = free_name(e, field.name);
	return rc ? rc : append_slot(e, &field);
}

/* The same; a failure says where the term stands. */
static int add_term(struct evolution *e, const struct partition_term *term,
		    bool if_not_exists)
{
	int rc = add_field(e, term, if_not_exists);

	if (rc && e->err && term->line && !e->err->line)
		error_at(e->err, NULL, term->line, term->position);
	return rc;
}

static bool is_bare_name(const struct partition_term *term)
{
	return term->column.count == 1 &&
	       (!term->transform ||
		text_equal_nocase(term->transform, "identity"));
}

/* By column and transform, else by the field's name. */
static int find_field(struct evolution *e, const struct partition_term *term,
		      size_t *out)
{
	struct partition_field field;
	char text[PATH_TEXT_BYTES];
	int rc = 0;

	*out = SIZE_MAX;
	if (term->column.count) {
		rc = resolve(e, term, &field);
		if (!rc)
			*out = find_equal(e, field.source_id,
					  &field.transform);
		if (*out != SIZE_MAX && e->slots[*out].is_removed)
			*out = SIZE_MAX;
	}
	if (*out == SIZE_MAX && !term->column.count && term->name)
		*out = find_named(e, term->name);
	if (*out == SIZE_MAX && is_bare_name(term))
		*out = find_named(e, term->column.parts[0]);
	if (*out != SIZE_MAX)
		return 0;
	if (rc && rc != ERROR_UNKNOWN_COLUMN)
		return rc;
	if (!term->column.count)
		return error_set(e->err, ERROR_UNKNOWN_COLUMN, "there is no "
				 "partition field '%s'",
				 term->name ? term->name : "");
	return error_set(e->err, ERROR_UNKNOWN_COLUMN, "the table is not "
			 "partitioned by %s of '%s'",
			 term->transform ? term->transform : "identity",
			 path_text(&term->column, text));
}

static void remove_slot(struct evolution *e, size_t at)
{
	if (e->slots[at].field.field_id) {
		e->slots[at].is_removed = true;
		return;
	}
	/* it came with this statement */
	memmove(&e->slots[at], &e->slots[at + 1],
		(e->slot_count - at - 1) * sizeof(*e->slots));
	e->slot_count--;
}

static int drop_field(struct evolution *e, const struct partition_term *term,
		      bool if_exists)
{
	size_t at;
	int rc = find_field(e, term, &at);

	if (rc == ERROR_UNKNOWN_COLUMN && if_exists)
		return 0;
	if (!rc)
		remove_slot(e, at);
	return rc;
}

/* A field that was there before is now where its term stands. */
static int move_last(struct evolution *e, const struct partition_term *term)
{
	struct partition_field field;
	struct spec_slot slot;
	size_t at;
	int rc = resolve(e, term, &field);

	if (rc || e->m->format_version < 2)
		return rc;
	at = find_equal(e, field.source_id, &field.transform);
	slot = e->slots[at];
	memmove(&e->slots[at], &e->slots[at + 1],
		(e->slot_count - at - 1) * sizeof(slot));
	e->slots[e->slot_count - 1] = slot;
	return 0;
}

static int set_all(struct evolution *e, const struct table_change *change)
{
	int rc = 0;

	for (size_t i = e->slot_count; i-- > 0;)
		if (!e->slots[i].is_removed)
			remove_slot(e, i);
	for (size_t i = 0; !rc && i < change->term_count; i++) {
		rc = add_term(e, &change->terms[i], false);
		if (!rc)
			rc = move_last(e, &change->terms[i]);
	}
	return rc;
}

int evolve_partitions(struct evolution *e, const struct table_change *change)
{
	int rc;

	switch (change->kind) {
	case TABLE_ADD_PARTITION_FIELD:
		return add_term(e, &change->term, change->if_not_exists);
	case TABLE_DROP_PARTITION_FIELD:
		return drop_field(e, &change->term, change->if_exists);
	case TABLE_REPLACE_PARTITION_FIELD:
		rc = drop_field(e, &change->term, false);
		return rc ? rc : add_term(e, &change->new_term, false);
	default:
		return set_all(e, change);
	}
}

/* The fields of the spec to be. */
static int collect(struct evolution *e, struct partition_spec *out)
{
	bool keeps_places = e->m->format_version < 2;

	memset(out, 0, sizeof(*out));
	out->fields = arena_zalloc_array(&e->m->arena, e->slot_count + 1,
					 sizeof(*out->fields));
	if (!out->fields)
		return no_memory(e->err);
	for (size_t i = 0; i < e->slot_count; i++) {
		struct partition_field *field =
			&out->fields[out->field_count];

		if (e->slots[i].is_removed && !keeps_places)
			continue;
		*field = e->slots[i].field;
		if (e->slots[i].is_removed &&
		    transform_parse(&field->transform, "void", &e->m->arena,
				    e->err))
			return ERROR_NO_MEMORY;
		out->field_count++;
	}
	return 0;
}

static bool specs_equal(const struct partition_spec *a,
			const struct partition_spec *b)
{
	if (a->field_count != b->field_count)
		return false;
	for (size_t i = 0; i < a->field_count; i++)
		if (a->fields[i].source_id != b->fields[i].source_id ||
		    strcmp(a->fields[i].name, b->fields[i].name) ||
		    !transforms_equal(&a->fields[i].transform,
				      &b->fields[i].transform))
			return false;
	return true;
}

/* Does the spec lack a source? Then the statement dropped a column. */
static int check_sources(const struct evolution *e,
			 const struct partition_spec *spec)
{
	for (size_t i = 0; i < spec->field_count; i++) {
		const struct partition_field *field = &spec->fields[i];

		if (field->transform.kind == TRANSFORM_VOID ||
		    column_by_id(&e->schema, field->source_id) ||
		    !column_by_id(metadata_current_schema(e->m),
				  field->source_id))
			continue;
		error_set(e->err, ERROR_INCOMPATIBLE_CHANGE, "the table is "
			  "partitioned by '%s', %s of a column that is to be "
			  "dropped", field->name, field->transform.text);
		return error_hint(e->err, "drop the partition field first");
	}
	return 0;
}

/* Has a column that the statement adds or renames the name of a field that
 * stays? Java's library would not open the table. */
static int check_new_columns(const struct evolution *e,
			     const struct partition_spec *spec)
{
	const struct schema *before = metadata_current_schema(e->m);

	for (size_t i = 0; i < spec->field_count; i++) {
		const struct partition_field *field = &spec->fields[i];
		struct column_path path = {
			(const char *const *)&field->name, 1
		};
		struct column_place now, old;

		if (column_find(&e->schema, &path, &now, NULL) ||
		    now.column->field_id == field->source_id ||
		    (!column_find(before, &path, &old, NULL) &&
		     old.column->field_id == now.column->field_id))
			continue;
		error_set(e->err, ERROR_COLUMN_EXISTS, "column '%s' would "
			  "have the name of a partition field",
			  now.column->name);
		return error_hint(e->err, "name the column otherwise, or give "
				  "the partition field another name with "
				  "REPLACE PARTITION FIELD ... AS");
	}
	return 0;
}

static int append_spec(struct evolution *e, struct partition_spec *spec)
{
	struct table_metadata *m = e->m;
	struct partition_spec *bigger;

	for (size_t i = 0; i < m->spec_count; i++)
		if (m->specs[i].spec_id >= spec->spec_id)
			spec->spec_id = m->specs[i].spec_id + 1;
	for (size_t i = 0; i < spec->field_count; i++)
		if (!spec->fields[i].field_id)
			spec->fields[i].field_id = ++m->last_partition_id;
	bigger = arena_zalloc_array(&m->arena, m->spec_count + 1,
				    sizeof(*bigger));
	if (!bigger)
		return no_memory(e->err);
	memcpy(bigger, m->specs, m->spec_count * sizeof(*bigger));
	bigger[m->spec_count++] = *spec;
	m->specs = bigger;
	m->default_spec_id = spec->spec_id;
	return 0;
}

int partitions_finish(struct evolution *e, bool *changed)
{
	struct table_metadata *m = e->m;
	struct partition_spec spec;
	int rc = collect(e, &spec);

	if (!rc)
		rc = check_sources(e, &spec);
	if (!rc)
		rc = check_new_columns(e, &spec);
	if (rc || specs_equal(&spec, metadata_spec(m, m->default_spec_id)))
		return rc;
	*changed = true;
	for (size_t i = 0; i < m->spec_count; i++)
		if (specs_equal(&spec, &m->specs[i])) {
			m->default_spec_id = m->specs[i].spec_id;
			return 0;
		}
	return append_spec(e, &spec);
}

int partition_spec_from_terms(const struct schema *schema,
			      const struct partition_term *terms,
			      size_t count, struct arena *arena,
			      struct partition_spec *out, struct error *err)
{
	struct table_metadata m;
	struct evolution e;
	int rc = 0;

	memset(out, 0, sizeof(*out));
	memset(&m, 0, sizeof(m));
	memset(&e, 0, sizeof(e));
	m.format_version = 2;
	m.arena = *arena;
	e.m = &m;
	e.schema = *schema;
	e.err = err;
	for (size_t i = 0; !rc && i < count; i++)
		rc = add_term(&e, &terms[i], false);
	if (!rc)
		rc = collect(&e, out);
	*arena = m.arena;
	if (rc)
		memset(out, 0, sizeof(*out));
	return rc;
}
