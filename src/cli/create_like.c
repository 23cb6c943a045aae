/*
 * create_like.c - a table for a file
 *
 * Why:    a wide export is a table that nobody wants to type.
 * How:    source infers the types from all values, or Parquet has them;
 *         --types goes before both. The statement is printed, so that it can
 *         be kept and changed.
 */
#include "cli/create_like.h"
#include "cli/names.h"
#include <stdlib.h>

/* The types that the user said go before those of the values. */
static int apply_types(const struct input_options *options,
		       const struct schema *inferred, struct schema *out,
		       struct error *err)
{
	size_t count = inferred->column_count;
	const char **names = mem_alloc_array(count + 1, sizeof(*names));
	struct input_options named = *options;
	struct input_columns columns;
	int rc;

	if (!names)
		return error_set(err, ERROR_NO_MEMORY, "create");
	for (size_t i = 0; i < count; i++)
		names[i] = inferred->columns[i].name;
	named.csv.has_header = true;	/* they have their names by now */
	rc = input_columns_new(&columns, &named, names, count, err);
	mem_free(names);
	if (rc)
		return rc;
	/* what --types declares of JSON Lines is behind those of the file */
	for (size_t i = 0; i < columns.schema.column_count && !rc; i++)
		rc = schema_add_column(out, columns.schema.columns[i].name,
				       columns.typed[i] || i >= count
					       ? columns.schema.columns[i].type
					       : inferred->columns[i].type,
				       err);
	input_columns_release(&columns);
	return rc;
}

/* Names for the columns of a file without a header. */
static int name_columns(struct csv_input *input,
			const struct input_options *options, struct error *err)
{
	size_t count = csv_input_column_count(input);
	struct input_columns columns;
	const char **names;
	int rc;

	if (options->csv.has_header || options->format != INPUT_CSV)
		return 0;
	names = mem_alloc_array(count + 1, sizeof(*names));
	if (!names)
		return error_set(err, ERROR_NO_MEMORY, "create");
	for (size_t i = 0; i < count; i++)
		names[i] = csv_input_column_name(input, i);
	rc = input_columns_new(&columns, options, names, count, err);
	if (!rc) {
		for (size_t i = 0; i < count; i++)
			names[i] = columns.schema.columns[i].name;
		rc = csv_input_set_names(input, names, err);
		input_columns_release(&columns);
	}
	mem_free(names);
	return rc;
}

/* No statement can name more. */
static int check_count(const char *path, size_t count, struct error *err)
{
	if (count <= SQL_COLUMN_LIMIT)
		return 0;
	return error_set(err, ERROR_UNSUPPORTED, "%s has %zu columns; a table "
			 "can have %d", path, count, SQL_COLUMN_LIMIT);
}

static int infer_text(struct cli *cli, struct input_options *options,
		      const char *const *paths, size_t count,
		      struct schema *out, struct error *err)
{
	struct csv_options csv = options->csv;
	struct csv_input *input;
	struct schema inferred;
	int rc;

	csv.is_jsonl = options->format == INPUT_JSONL;
	rc = csv_input_open(&input, paths, count, &csv, err);
	if (rc)
		return rc;
	rc = check_count(paths[0], csv_input_column_count(input), err);
	if (!rc)
		rc = name_columns(input, options, err);
	if (rc) {
		csv_input_free(input);
		return rc;
	}
	schema_init(&inferred);
	rc = csv_input_infer(input, cli->thread_count, &inferred, err);
	if (!rc)
		rc = apply_types(options, &inferred, out, err);
	schema_release(&inferred);
	return rc;
}

static int copy_parquet(const char *const *paths, size_t count,
			struct schema *out, struct error *err)
{
	const char *directory = getenv("TMPDIR");
	struct parquet_input *input;
	struct batch_source *source;
	const struct schema *schema;
	int rc = parquet_input_open(&input, paths, count,
				    directory && *directory ? directory
							    : "/tmp", err);

	if (rc)
		return rc;
	/* all columns can be read */
	rc = parquet_source_new(&source, input, NULL, 1, NULL, err);
	if (!rc)
		source->free(source);
	schema = parquet_input_schema(input);
	if (!rc)
		rc = check_count(paths[0], schema->column_count, err);
	for (size_t i = 0; i < schema->column_count && !rc; i++)
		rc = schema_add_column(out, schema->columns[i].name,
				       schema->columns[i].type, err);
	parquet_input_free(input);
	return rc;
}

int create_like_columns(struct cli *cli, struct schema *out,
			struct error *err)
{
	struct input_options options = cli->input;
	char *given = (char *)cli->like;
	char **paths;
	size_t count;
	int rc = input_paths(cli, &given, 1, &options, &paths, &count, err);

	if (rc)
		return rc;
	if (options.format == INPUT_PARQUET)
		return copy_parquet((const char *const *)paths, count, out,
				    err);
	return infer_text(cli, &options, (const char *const *)paths, count,
			  out, err);
}

/* "name TYPE", as one field of a ROW is written. */
static bool add_column(const struct column_def *def, bool quoted,
		       struct text *out)
{
	text_reset(out);
	if (quoted) {
		text_add_char(out, '"');
		for (const char *c = def->name; *c; c++) {
			if (*c == '"')
				text_add_char(out, '"');
			text_add_char(out, *c);
		}
		text_add_str(out, "\" ");
	} else {
		text_addf(out, "%s ", def->name);
	}
	type_format(&def->type, out);
	if (def->required)
		text_add_str(out, " NOT NULL");
	return !out->failed;
}

/* Can it be read back without quotes? */
static bool reads_back(const char *column, const char *name)
{
	struct sql_options options;
	struct schema schema;
	struct error ignored;
	bool same;

	memset(&options, 0, sizeof(options));
	error_init(&ignored);
	schema_init(&schema);
	same = !sql_parse_columns(column, &options, &schema, &ignored) &&
	       schema.column_count == 1 &&
	       strcmp(schema.columns[0].name, name) == 0;
	schema_release(&schema);
	return same;
}

static void add_keys(const struct schema *schema, struct text *out)
{
	bool has_key = false;

	for (size_t i = 0; i < schema->column_count; i++) {
		if (!schema->columns[i].is_identifier)
			continue;
		text_addf(out, "%s\"%s\"", has_key ? ", "
						   : ",\n    PRIMARY KEY (",
			  schema->columns[i].name);
		has_key = true;
	}
	if (has_key)
		text_add_char(out, ')');
}

static void add_properties(const struct cli *cli, struct text *out)
{
	bool has_one = cli->format_version != 0;

	if (has_one)
		text_addf(out, "\nWITH (format_version = %d",
			  cli->format_version);
	for (size_t i = 0; i < cli->properties.count; i++) {
		const struct name_value *item = &cli->properties.items[i];

		text_addf(out, "%s\"%s\" = '", has_one ? ", " : "\nWITH (",
			  item->name);
		for (const char *c = item->value; *c; c++) {
			if (*c == '\'')
				text_add_char(out, '\'');
			text_add_char(out, *c);
		}
		text_add_char(out, '\'');
		has_one = true;
	}
	if (has_one)
		text_add_char(out, ')');
}

bool create_ddl(const struct cli *cli, const struct schema *schema,
		struct text *out)
{
	struct text column = TEXT_INIT;

	const char *name = cli->args[0];
	bool plain = name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "abcdefghijklmnopqrstuvwxyz0123456789_.")]
		     == '\0' && (*name < '0' || *name > '9');

	text_addf(out, plain ? "CREATE TABLE %s (" : "CREATE TABLE \"%s\" (",
		  name);
	for (size_t i = 0; i < schema->column_count; i++) {
		const struct column_def *def = &schema->columns[i];

		if (!add_column(def, false, &column))
			break;
		if (!reads_back(column.data, def->name))
			add_column(def, true, &column);
		text_addf(out, "%s\n    ", i ? "," : "");
		text_add(out, column.data, column.length);
	}
	add_keys(schema, out);
	text_add_str(out, "\n)");
	if (cli->partition_by)
		text_addf(out, "\nPARTITIONED BY (%s)", cli->partition_by);
	if (cli->sort_by)
		text_addf(out, "\nWRITE ORDERED BY (%s)", cli->sort_by);
	add_properties(cli, out);
	text_add_char(out, ';');
	out->failed |= column.failed;
	text_release(&column);
	return !out->failed;
}
