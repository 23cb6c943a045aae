/*
 * cmd_create.c - rowmerge create: make a table from a list of columns
 */
#include "cli/create_like.h"
#include "cli/report.h"
#include "cli/statement.h"

/* "id, region" of --primary-key onto the schema's columns. */
static int apply_primary_key(struct cli *cli, struct schema *schema,
			     struct error *err)
{
	char *rest = arena_strdup(&cli->arena, cli->primary_key);
	bool is_named = false;
	char *name;

	if (!rest)
		return error_set(err, ERROR_NO_MEMORY, "create");
	while ((name = options_next_name(&rest))) {
		long at = schema_find(schema, name);

		if (at < 0)
			return error_set(err, ERROR_UNKNOWN_COLUMN,
					 "--primary-key names %s, which is "
					 "no column", name);
		schema->columns[at].is_identifier = true;
		schema->columns[at].required = true;
		is_named = true;
	}
	return is_named ? 0 : error_set(err, ERROR_USAGE, "--primary-key takes "
					"names of columns, not '%s'",
					cli->primary_key);
}

static int set_layout(struct cli *cli, struct table_create_options *options,
		      struct error *err)
{
	int rc = 0;

	if (cli->partition_by)
		rc = sql_parse_partition_terms(cli->partition_by, &cli->arena,
					       &options->partition_terms,
					       &options->partition_term_count,
					       err);
	if (!rc && cli->sort_by)
		rc = sql_parse_sort_terms(cli->sort_by, &cli->arena,
					  &options->sort_terms,
					  &options->sort_term_count, err);
	return rc;
}

/* *version stays 0 where the table is there already. */
static int create_in(struct cli *cli, struct schema *schema, int64_t *version,
		     struct error *err)
{
	struct table_create_options options = {
		.schema = schema,
		.format_version = cli->format_version,
		.now_us = cli->now_us,
	};
	struct key_value *properties;
	char *directory;
	bool found;
	int rc;

	properties = arena_zalloc_array(&cli->arena, cli->properties.count + 1,
					sizeof(*properties));
	if (!properties)
		return error_set(err, ERROR_NO_MEMORY, "create");
	for (size_t i = 0; i < cli->properties.count; i++) {
		properties[i].key = (char *)cli->properties.items[i].name;
		properties[i].value = (char *)cli->properties.items[i].value;
	}
	options.properties = properties;
	options.property_count = cli->properties.count;
	rc = set_layout(cli, &options, err);
	if (rc)
		return rc;
	rc = catalog_find(cli->warehouse, cli->args[0], &cli->arena,
			  &directory, &found, err);
	if (rc)
		return rc;
	if (found && cli->if_not_exists)
		return 0;
	return table_create(directory, &options, version, err);
}

/* The columns of --like or of --columns. */
static int find_columns(struct cli *cli, struct schema *out,
			struct error *err)
{
	struct sql_options options = { .context = cli_expr_context(cli) };

	if (cli->like)
		return create_like_columns(cli, out, err);
	if (cli->columns)
		return sql_parse_columns(cli->columns, &options, out, err);
	error_set(err, ERROR_USAGE, "a table needs columns");
	return error_hint(err, "say --columns 'id BIGINT NOT NULL, "
			  "name VARCHAR', or --like FILE");
}

/* What --like has found is printed, to be kept and changed. */
static int tell(struct cli *cli, const struct schema *schema, int64_t version,
		struct error *err)
{
	struct text ddl = TEXT_INIT;
	int rc = 0;

	if (!cli->like && !version)
		return summary_skipped(cli, cli->args[0], "create table",
				       "exists already", err);
	if (!cli->like)
		return summary_table(cli, cli->args[0], "create table",
				     version, err);
	if (!create_ddl(cli, schema, &ddl))
		rc = error_set(err, ERROR_NO_MEMORY, "create");
	else
		rc = summary_like(cli, ddl.data, version, err);
	text_release(&ddl);
	return rc;
}

int cmd_create(struct cli *cli, struct error *err)
{
	struct schema schema;
	int64_t version = 0;
	int rc;

	if (cli->dry_run && !cli->like)
		return error_set(err, ERROR_USAGE, "create --dry-run needs "
				 "--like FILE");
	schema_init(&schema);
	rc = find_columns(cli, &schema, err);
	if (!rc && cli->primary_key)
		rc = apply_primary_key(cli, &schema, err);
	if (!rc && !cli->dry_run)
		rc = create_in(cli, &schema, &version, err);
	if (!rc)
		rc = tell(cli, &schema, version, err);
	schema_release(&schema);
	return rc;
}
