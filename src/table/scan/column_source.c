/*
 * column_source.c - a column of the table in one data file
 *
 * Why:    files are older than schemas: columns were added, renamed, widened
 *         or came from files that know no ids at all.
 * How:    by field id; in files without ids by the name mapping of the table,
 *         else by position as iceberg-java does (id n is the n-th column of
 *         the file). What is not there takes the file's identity partition
 *         value, else the column's initial default, else NULL. The fields of
 *         a ROW are found in the same way, one level after the other; the
 *         element of an ARRAY, the key and value of a MAP are what they are.
 * Limits: in files without ids and mapping, fields go by their names. Recursion
 *         is as deep as the column's type, TYPE_NESTING_LIMIT.
 */
#include "table/scan/scan_state.h"

static const struct name_map_entry *find_names(const struct name_map *names,
					       int32_t field_id)
{
	for (size_t i = 0; i < names->count; i++)
		if (names->entries[i].field_id == field_id)
			return &names->entries[i];
	return NULL;
}

static const struct parquet_node *find_named(const struct parquet_node *parent,
					     const char *name)
{
	for (size_t i = 0; i < parent->child_count; i++)
		if (!strcmp(parent->children[i].name, name))
			return &parent->children[i];
	return NULL;
}

static const struct parquet_node *find_mapped(const struct name_map *names,
					      const struct parquet_node *parent,
					      int32_t field_id)
{
	const struct name_map_entry *entry = find_names(names, field_id);
	const struct parquet_node *node = NULL;

	for (size_t i = 0; entry && !node && i < entry->name_count; i++)
		node = find_named(parent, entry->names[i]);
	return node;
}

/* A column, or a field of a ROW, in the file; NULL = it is not there. */
static const struct parquet_node *
find_node(const struct source_request *request,
	  const struct parquet_node *parent, const struct column_def *def)
{
	int32_t id = def->field_id;

	if (parquet_has_field_ids(request->reader)) {
		for (size_t i = 0; id > 0 && i < parent->child_count; i++)
			if (parent->children[i].field_id == id)
				return &parent->children[i];
		return NULL;
	}
	if (request->names->is_set)
		return find_mapped(request->names, parent, id);
	if (parent != parquet_root(request->reader))
		return find_named(parent, def->name);
	return id > 0 && (size_t)id <= parent->child_count
		       ? &parent->children[id - 1]
		       : NULL;
}

/* The value that an identity partition gives all rows of the file. */
static const struct literal *partition_value(const struct snapshot_files *f,
					     const struct data_file *file,
					     const struct column_def *column)
{
	const struct partition_spec *spec = metadata_spec(f->metadata,
							  file->spec_id);

	for (size_t i = 0; spec && i < spec->field_count &&
	     i < file->partition_count; i++)
		if (spec->fields[i].source_id == column->field_id &&
		    spec->fields[i].transform.kind == TRANSFORM_IDENTITY &&
		    (file->partition[i].is_null ||
		     type_equal(&file->partition[i].type, &column->type)))
			return &file->partition[i];
	return NULL;
}

/* What stands for a column or field that the file lacks. */
static int find_constant(const struct source_request *request,
			 const struct column_def *def, struct literal *out,
			 struct error *err)
{
	const struct literal *value =
		partition_value(request->files, request->data_file, def);

	*out = literal_null(def->type);
	if (def->type.id == TYPE_UNKNOWN)
		return 0;
	if (!value || value->is_null)
		value = def->initial_default;
	if (value)
		*out = *value;
	if (out->is_null && def->required) {
		error_set(err, ERROR_CORRUPT, "file '%s' lacks the required "
			  "column '%s'", parquet_reader_path(request->reader),
			  def->name);
		return error_field(err, def->name);
	}
	return 0;
}

static int pair(const struct source_request *request,
		const struct column_def *def, const struct parquet_node *node,
		struct nested_source *out, struct error *err);

/* Fields of a ROW by id or name, the parts of others as they stand. */
static int pair_children(const struct source_request *request,
			 const struct type *type,
			 const struct parquet_node *node,
			 struct nested_source *out, struct error *err)
{
	int rc = 0;

	out->children = arena_zalloc_array(request->arena,
					   type->field_count + 1,
					   sizeof(*out->children));
	if (!out->children)
		return error_set(err, ERROR_NO_MEMORY, "nested column");
	for (size_t i = 0; !rc && i < type->field_count; i++) {
		const struct column_def *field = &type->fields[i];
		const struct parquet_node *child =
			type->id == TYPE_ROW ? find_node(request, node, field)
					     : &node->children[i];

		rc = pair(request, field, child, &out->children[i], err);
	}
	return rc;
}

static int pair(const struct source_request *request,
		const struct column_def *def, const struct parquet_node *node,
		struct nested_source *out, struct error *err)
{
	out->type = def->type;
	if (!node || def->type.id == TYPE_UNKNOWN || node->leaf_count == 0)
		return find_constant(request, def, &out->constant, err);
	out->node = node;
	out->constant = literal_null(def->type);
	if (!nested_kinds_fit(&def->type, node)) {
		char have[TYPE_NAME_BYTES], want[TYPE_NAME_BYTES];

		error_set(err, ERROR_UNSUPPORTED, "file '%s' has %s where "
			  "column '%s' is %s",
			  parquet_reader_path(request->reader),
			  type_name(&node->type, have), def->name,
			  type_name(&def->type, want));
		return error_field(err, def->name);
	}
	if (!type_is_nested(&def->type))
		return 0;
	return pair_children(request, &def->type, node, out, err);
}

int column_source_find(const struct source_request *request,
		       const struct column_def *column,
		       struct column_source *out, struct error *err)
{
	const struct parquet_node *node;
	int rc;

	memset(out, 0, sizeof(*out));
	node = find_node(request, parquet_root(request->reader), column);
	rc = pair(request, column, node, &out->nested, err);
	if (rc)
		return rc;
	out->constant = out->nested.constant;
	node = out->nested.node;
	out->is_nested = node && type_is_nested(&column->type);
	out->is_leaf = node && !out->is_nested;
	out->leaf = node ? node->first_leaf : 0;
	return 0;
}
