/*
 * column_source.c - a column of the table in one data file
 *
 * Why:    files are older than schemas: columns were added, renamed, widened
 *         or came from files that know no ids at all.
 * How:    by field id; in files without ids by the name mapping of the table,
 *         else by position as iceberg-java does (id n is the n-th column of
 *         the file). What is not there takes the file's identity partition
 *         value, else the column's initial default, else NULL.
 * Limits: nested columns are refused by name.
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

static long find_mapped(const struct name_map *names,
			const struct parquet_reader *reader, int32_t field_id)
{
	const struct name_map_entry *entry = find_names(names, field_id);

	for (size_t i = 0; entry && i < entry->name_count; i++) {
		long leaf = parquet_find_path(reader, entry->names[i]);

		if (leaf >= 0)
			return leaf;
	}
	return -1;
}

/* Length of the first part of a leaf's path; a flat leaf's name is whole. */
static size_t root_length(const struct parquet_leaf *leaf)
{
	return leaf->is_flat ? strlen(leaf->path) : strcspn(leaf->path, ".");
}

/* The leaf that is the n-th column of the file, from 1. */
static long find_ordinal(const struct parquet_reader *reader, int32_t n)
{
	const struct parquet_leaf *before = NULL;
	int32_t ordinal = 0;

	for (size_t i = 0; i < parquet_leaf_count(reader); i++) {
		const struct parquet_leaf *leaf = parquet_leaf(reader, i);
		size_t length = root_length(leaf);

		/* leaves of one nested column are neighbours */
		if (!before || leaf->is_flat || before->is_flat ||
		    root_length(before) != length ||
		    memcmp(before->path, leaf->path, length))
			ordinal++;
		if (ordinal == n)
			return (long)i;
		before = leaf;
	}
	return -1;
}

static long find_leaf(const struct name_map *names,
		      const struct parquet_reader *reader, int32_t field_id)
{
	if (parquet_has_field_ids(reader))
		return parquet_find_field_id(reader, field_id);
	if (names->is_set)
		return find_mapped(names, reader, field_id);
	return find_ordinal(reader, field_id);
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

int column_source_find(const struct snapshot_files *files,
		       const struct name_map *names,
		       const struct parquet_reader *reader,
		       const struct data_file *file,
		       const struct column_def *column,
		       struct column_source *out, struct error *err)
{
	const struct literal *value;
	long leaf;

	memset(out, 0, sizeof(*out));
	if (type_is_nested(&column->type)) {
		error_set(err, ERROR_UNSUPPORTED,
			  "column '%s' is nested; nested values are not read",
			  column->name);
		return error_field(err, column->name);
	}
	out->constant = literal_null(column->type);
	if (column->type.id == TYPE_UNKNOWN)
		return 0;
	leaf = find_leaf(names, reader, column->field_id);
	if (leaf >= 0) {
		out->is_leaf = true;
		out->leaf = (size_t)leaf;
		return 0;
	}
	value = partition_value(files, file, column);
	if (!value || value->is_null)
		value = column->initial_default;
	if (value)
		out->constant = *value;
	if (out->constant.is_null && column->required) {
		error_set(err, ERROR_CORRUPT, "file '%s' lacks the required "
			  "column '%s'", parquet_reader_path(reader),
			  column->name);
		return error_field(err, column->name);
	}
	return 0;
}
