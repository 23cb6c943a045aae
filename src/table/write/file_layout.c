/*
 * file_layout.c - how the files of a table are to be written
 *
 * Why:    table properties say codec, encoding, sizes, Bloom filters and how
 *         much the manifest tells of each column; all of it is decided once a
 *         statement, not per row group.
 * How:    Parquet names are the column names made safe for every reader, who
 *         goes by field id anyway.
 */
#include <stdio.h>
#include <stdlib.h>
#include "table/write/write_state.h"

#define INFERRED_COLUMN_LIMIT 100
#define DEFAULT_TRUNCATE 16
#define LARGEST_PAGE_BYTES ((size_t)16 << 20)
#define LARGEST_PAGE_ROWS ((size_t)1 << 20)

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "layout of files");
}

size_t property_size(const struct table_metadata *metadata, const char *key,
		     size_t otherwise)
{
	const char *value = metadata_property(metadata, key);
	int64_t number;

	if (!value || parse_int64(value, strlen(value), &number) ||
	    number <= 0)
		return otherwise;
	return (size_t)number;
}

/* A property "prefix" + column; NULL = not set. */
static const char *column_property(const struct table_metadata *metadata,
				   const char *prefix, const char *column)
{
	size_t length = strlen(prefix);

	for (size_t i = 0; i < metadata->property_count; i++) {
		const char *key = metadata->properties[i].key;

		if (!strncmp(key, prefix, length) &&
		    !strcmp(key + length, column))
			return metadata->properties[i].value;
	}
	return NULL;
}

static bool parse_mode(const char *text, struct column_metrics_mode *out)
{
	int64_t width;
	size_t length;

	if (!text)
		return false;
	if (text_equal_nocase(text, "none")) {
		out->mode = METRICS_NONE;
	} else if (text_equal_nocase(text, "counts")) {
		out->mode = METRICS_COUNTS;
	} else if (text_equal_nocase(text, "full")) {
		out->mode = METRICS_FULL;
	} else {
		length = strlen(text);
		if (length < 11 || strncmp(text, "truncate(", 9) ||
		    text[length - 1] != ')' ||
		    parse_int64(text + 9, length - 10, &width) || width <= 0)
			return false;
		out->mode = METRICS_TRUNCATE;
		out->width = (size_t)width;
	}
	return true;
}

/* The modes of leaves, in the order in which files have them. */
struct metrics_walk {
	const struct table_metadata *metadata;
	struct file_layout *layout;
	struct column_metrics_mode usual;
	bool told;		/* by the table, not by Iceberg's default */
	size_t limit;		/* columns that have metrics unless told */
	struct text path;	/* of the column or field */
};

static void choose_leaf(struct metrics_walk *walk,
			const struct column_def *column)
{
	size_t leaf = walk->layout->leaf_count++;
	struct column_metrics_mode *mode = &walk->layout->metrics[leaf];

	*mode = walk->usual;
	if (!walk->told && leaf >= walk->limit && !column->is_identifier)
		mode->mode = METRICS_NONE;
	parse_mode(column_property(walk->metadata,
				   "write.metadata.metrics.column.",
				   walk->path.data), mode);
}

/* Depth is bounded by the type's, TYPE_NESTING_LIMIT. */
static int choose_field(struct metrics_walk *walk,
			const struct column_def *column, struct error *err)
{
	size_t length = walk->path.length;
	int rc = 0;

	if (length)
		text_add_char(&walk->path, '.');
	if (!text_add_str(&walk->path, column->name))
		return no_memory(err);
	if (!type_is_nested(&column->type))
		choose_leaf(walk, column);
	for (size_t i = 0; !rc && i < column->type.field_count; i++)
		rc = choose_field(walk, &column->type.fields[i], err);
	walk->path.length = length;
	return rc;
}

size_t type_leaf_count(const struct type *type)
{
	size_t count = !type_is_nested(type);

	for (size_t i = 0; i < type->field_count; i++)
		count += type_leaf_count(&type->fields[i].type);
	return count;
}

static int choose_metrics(struct file_layout *layout,
			  const struct table_metadata *metadata,
			  const struct schema *columns, struct arena *arena,
			  struct error *err)
{
	struct metrics_walk walk = {
		.metadata = metadata,
		.layout = layout,
		.usual = { METRICS_TRUNCATE, DEFAULT_TRUNCATE },
	};
	size_t count = layout->schema.column_count, leaves = 0;
	int rc = 0;

	walk.told = parse_mode(metadata_property(
		metadata, "write.metadata.metrics.default"), &walk.usual);
	walk.limit = property_size(
		metadata,
		"write.metadata.metrics.max-inferred-column-defaults",
		INFERRED_COLUMN_LIMIT);
	for (size_t i = 0; i < count; i++)
		leaves += type_leaf_count(&layout->schema.columns[i].type);
	layout->metrics = arena_zalloc_array(arena, leaves + 1,
					     sizeof(*layout->metrics));
	if (!layout->metrics)
		return no_memory(err);
	for (size_t i = 0; !rc && i < columns->column_count; i++)
		rc = choose_field(&walk, &columns->columns[i], err);
	text_release(&walk.path);
	/* of row lineage */
	while (!rc && layout->leaf_count < leaves)
		layout->metrics[layout->leaf_count++] = walk.usual;
	return rc;
}

static bool is_true(const char *value)
{
	return value && text_equal_nocase(value, "true");
}

static int choose_blooms(struct file_layout *layout,
			 const struct table_metadata *metadata,
			 const struct schema *columns, struct arena *arena,
			 struct error *err)
{
	bool *blooms = arena_zalloc_array(arena,
					  layout->schema.column_count + 1,
					  sizeof(bool));

	if (!blooms)
		return no_memory(err);
	for (size_t i = 0; i < columns->column_count; i++) {
		const struct column_def *column = &columns->columns[i];
		const char *told = column_property(
			metadata,
			"write.parquet.bloom-filter-enabled.column.",
			column->name);

		if (column->type.id == TYPE_BOOLEAN)
			continue;
		blooms[i] = told ? is_true(told) : column->is_identifier;
	}
	layout->parquet.bloom_columns = blooms;
	return 0;
}

static int choose_codec(struct parquet_options *out,
			const struct table_metadata *metadata,
			struct error *err)
{
	static const struct {
		const char *name;
		enum codec_id codec;
	} codecs[] = {
		{ "zstd", CODEC_ZSTD }, { "snappy", CODEC_SNAPPY },
		{ "gzip", CODEC_GZIP }, { "lz4", CODEC_LZ4_RAW },
		{ "lz4_raw", CODEC_LZ4_RAW }, { "none", CODEC_NONE },
		{ "uncompressed", CODEC_NONE },
	};
	const char *name = metadata_property(
		metadata, "write.parquet.compression-codec");
	const char *level = metadata_property(
		metadata, "write.parquet.compression-level");
	int32_t number;
	size_t i;

	for (i = 0; name && i < ARRAY_COUNT(codecs); i++)
		if (text_equal_nocase(name, codecs[i].name))
			break;
	if (name && i == ARRAY_COUNT(codecs)) {
		error_set(err, ERROR_UNSUPPORTED, "compression codec '%s' "
			  "of the table", name);
		return error_hint(err, "set write.parquet.compression-codec "
				  "to zstd");
	}
	if (name)
		out->codec = codecs[i].codec;
	if (level && !parse_int32(level, strlen(level), &number) &&
	    number > 0 && number <= 22)
		out->codec_level = number;
	return 0;
}

/* A property that is a size, but no more than a page can be. */
static size_t limited_size(const struct table_metadata *metadata,
			   const char *key, size_t otherwise, size_t limit)
{
	size_t size = property_size(metadata, key, otherwise);

	return size < limit ? size : limit;
}

static int choose_parquet(struct parquet_options *out,
			  const struct table_metadata *metadata,
			  struct error *err)
{
	const char *encoding = metadata_property(metadata,
						 "rowmerge.parquet.encoding");

	parquet_options_init(out);
	out->compatible_encoding = encoding &&
				   text_equal_nocase(encoding, "compatible");
	out->page_byte_limit = limited_size(
		metadata, "write.parquet.page-size-bytes",
		out->page_byte_limit, LARGEST_PAGE_BYTES);
	out->page_row_limit = limited_size(
		metadata, "write.parquet.page-row-limit",
		out->page_row_limit, LARGEST_PAGE_ROWS);
	out->dictionary_byte_limit = limited_size(
		metadata, "write.parquet.dict-size-bytes",
		out->dictionary_byte_limit, LARGEST_PAGE_BYTES);
	out->bloom_byte_limit = property_size(
		metadata, "write.parquet.bloom-filter-max-bytes",
		out->bloom_byte_limit);
	return choose_codec(out, metadata, err);
}

static int add_lineage(struct schema *schema, struct error *err)
{
	struct column_def columns[2] = {
		{ .name = (char *)"_row_id", .type = { .id = TYPE_BIGINT },
		  .field_id = FIELD_ROW_LINEAGE_ID },
		{ .name = (char *)"_last_updated_sequence_number",
		  .type = { .id = TYPE_BIGINT },
		  .field_id = FIELD_LAST_UPDATED },
	};
	int rc = schema_add(schema, &columns[0], err);

	return rc ? rc : schema_add(schema, &columns[1], err);
}

/* The schema as Iceberg JSON for the footer. */
static int describe(struct file_layout *layout, const struct schema *schema,
		    struct arena *arena, struct error *err)
{
	struct text json = TEXT_INIT;
	int rc = schema_json_format(schema, &json, err);

	if (!rc) {
		layout->iceberg_schema = arena_strndup(arena, json.data,
						       json.length);
		if (!layout->iceberg_schema)
			rc = no_memory(err);
	}
	layout->parquet.iceberg_schema = layout->iceberg_schema;
	text_release(&json);
	return rc;
}

/* Does another of the count fields have the name of this one? */
static bool is_taken(const struct column_def *fields, size_t count,
		     size_t field)
{
	for (size_t i = 0; i < count; i++)
		if (i != field && !strcmp(fields[i].name, fields[field].name))
			return true;
	return false;
}

/* Columns, or fields of a ROW; those of the others have names of their own
 * in Parquet. Depth is bounded by the type's. */
static int rename_fields(struct column_def *fields, size_t count,
			 struct arena *arena, struct text *name,
			 struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++) {
		struct column_def *field = &fields[i];

		rc = rename_fields(field->type.fields, field->type.field_count,
				   arena, name, err);
		text_reset(name);
		/* one before it is named so: _row_id may be any column */
		if (rc || (!safe_name_format(field->name, name) &&
			   !is_taken(fields, i, i)))
			continue;
		if (!name->length)
			text_add_char(name, '_');
		field->name = name->failed ? NULL
				: arena_strndup(arena, name->data,
						name->length);
		/* one of names that differ in other letters alone */
		while (field->name && is_taken(fields, count, i))
			field->name = arena_printf(arena, "%s_", field->name);
		if (!field->name)
			rc = no_memory(err);
	}
	return rc;
}

static int rename_columns(struct schema *schema, struct error *err)
{
	struct text name = TEXT_INIT;
	int rc = rename_fields(schema->columns, schema->column_count,
			       &schema->arena, &name, err);

	text_release(&name);
	return rc;
}

int data_layout_init(struct file_layout *out,
		     const struct table_metadata *metadata,
		     const struct schema *columns, bool with_lineage,
		     struct arena *arena, struct error *err)
{
	int rc;

	memset(out, 0, sizeof(*out));
	rc = schema_copy(&out->schema, columns, err);
	if (rc)
		return rc;
	if (with_lineage)
		rc = add_lineage(&out->schema, err);
	if (!rc)
		rc = choose_parquet(&out->parquet, metadata, err);
	if (!rc)
		rc = describe(out, &out->schema, arena, err);
	if (!rc)
		rc = rename_columns(&out->schema, err);
	if (!rc)
		rc = choose_blooms(out, metadata, columns, arena, err);
	if (!rc)
		rc = choose_metrics(out, metadata, columns, arena, err);
	if (rc)
		file_layout_release(out);
	return rc;
}

/*
 * Positions never repeat, and as packed deltas no codec makes them smaller:
 * what a small merge would try in vain costs more than all else of the file.
 */
static void choose_positions(struct parquet_options *out)
{
	static const bool distinct[2] = { false, true };

	out->distinct_columns = distinct;
	if (!out->compatible_encoding)
		out->codec = CODEC_NONE;
}

int delete_layout_init(struct file_layout *out,
		       const struct table_metadata *metadata,
		       struct arena *arena, struct error *err)
{
	struct column_def columns[2] = {
		{ .name = (char *)"file_path", .type = { .id = TYPE_VARCHAR },
		  .field_id = FIELD_DELETE_PATH, .required = true },
		{ .name = (char *)"pos", .type = { .id = TYPE_BIGINT },
		  .field_id = FIELD_DELETE_POSITION, .required = true },
	};
	int rc;

	memset(out, 0, sizeof(*out));
	schema_init(&out->schema);
	rc = schema_add(&out->schema, &columns[0], err);
	if (!rc)
		rc = schema_add(&out->schema, &columns[1], err);
	if (!rc)
		rc = choose_parquet(&out->parquet, metadata, err);
	if (!rc)
		rc = describe(out, &out->schema, arena, err);
	choose_positions(&out->parquet);
	out->parquet.delete_type = "position";
	out->metrics = arena_zalloc_array(arena, 2, sizeof(*out->metrics));
	if (!rc && !out->metrics)
		rc = no_memory(err);
	if (rc) {
		file_layout_release(out);
		return rc;
	}
	/* equal whole bounds of the path say which file it is about */
	out->metrics[0].mode = out->metrics[1].mode = METRICS_FULL;
	out->leaf_count = 2;
	return 0;
}

void file_layout_release(struct file_layout *layout)
{
	schema_release(&layout->schema);
	memset(layout, 0, sizeof(*layout));
}
