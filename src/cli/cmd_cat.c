/*
 * cmd_cat.c - rowmerge cat: print a table's rows
 *
 * How:    a scan, a filter for --where, a projection for --columns, as the
 *         plan of a query; the table's order of files and rows is kept.
 */
#include "cli/cmd_cat.h"
#include <stdlib.h>
#include "cli/report.h"
#include "cli/statement.h"

/* The version of --at: a number, or the newest one at a point in time. */
static int find_version(struct cli *cli, const char *name, int64_t *out,
			struct error *err)
{
	struct table_version *versions;
	struct arena arena;
	struct table *table;
	int64_t at_us;
	size_t count;
	char *end;
	int rc;

	*out = 0;
	if (!cli->at)
		return 0;
	*out = strtoll(cli->at, &end, 10);
	if (!*end && end != cli->at) {
		if (*out > 0)
			return 0;
		return error_set(err, ERROR_UNKNOWN_VERSION,
				 "there is no version %s", cli->at);
	}
	if (parse_timestamp_tz(cli->at, strlen(cli->at), cli->zone, &at_us))
		return error_set(err, ERROR_USAGE,
				 "--at takes a version or a timestamp, not "
				 "'%s'", cli->at);
	rc = names_open_table(cli, name, 0, &table, err);
	if (rc)
		return rc;
	arena_init(&arena, 0);
	rc = table_history(table, &arena, &versions, &count, err);
	*out = 0;
	for (size_t i = 0; !rc && i < count && *out == 0; i++)
		if (versions[i].time_ms <= at_us / 1000)
			*out = versions[i].version;
	if (!rc && *out == 0)
		rc = error_set(err, ERROR_UNKNOWN_VERSION,
			       "table %s has no version as old as %s", name,
			       cli->at);
	arena_release(&arena);
	table_free(table);
	return rc;
}

int cat_open_table(struct cli *cli, struct table **out, struct error *err)
{
	int64_t version;
	int rc = find_version(cli, cli->args[0], &version, err);

	*out = NULL;
	return rc ? rc : names_open_table(cli, cli->args[0], version, out,
					  err);
}

static struct query_node *node_new(struct cli *cli, enum query_kind kind,
				   struct query_node *input)
{
	struct query_node *node = arena_zalloc(&cli->arena, sizeof(*node));
	struct query_node **inputs;

	if (!node)
		return NULL;
	node->kind = kind;
	if (input) {
		inputs = arena_zalloc(&cli->arena, sizeof(*inputs));
		if (!inputs)
			return NULL;
		inputs[0] = input;
		node->inputs = inputs;
		node->input_count = 1;
		node->schema = input->schema;
	}
	return node;
}

static int add_filter(struct cli *cli, struct query_node **node,
		      struct error *err)
{
	struct sql_parameter *parameters;
	struct sql_options options = { .context = cli_expr_context(cli) };
	struct query_node *filter;

	if (!cli->where)
		return 0;
	parameters = arena_zalloc_array(&cli->arena, cli->parameters.count + 1,
					sizeof(*parameters));
	filter = node_new(cli, QUERY_FILTER, *node);
	if (!filter || !parameters)
		return error_set(err, ERROR_NO_MEMORY, "cat");
	for (size_t i = 0; i < cli->parameters.count; i++) {
		parameters[i].name = cli->parameters.items[i].name;
		parameters[i].text = cli->parameters.items[i].value;
	}
	options.parameters = parameters;
	options.parameter_count = cli->parameters.count;
	*node = filter;
	return sql_bind_condition("--where", cli->where, filter->schema,
				  &options, &cli->arena, &filter->condition,
				  err);
}

/* --columns a,b: their order is the output's. */
static int add_projection(struct cli *cli, struct query_node **node,
			  struct schema *schema, struct error *err)
{
	const struct schema *from = (*node)->schema;
	struct query_node *project;
	char *rest, *name;
	size_t n = 0;
	int rc = 0;

	if (!cli->columns)
		return 0;
	project = node_new(cli, QUERY_PROJECT, *node);
	rest = arena_strdup(&cli->arena, cli->columns);
	if (!project || !rest)
		return error_set(err, ERROR_NO_MEMORY, "cat");
	project->exprs = arena_zalloc_array(&cli->arena, strlen(rest) + 1,
					    sizeof(*project->exprs));
	if (!project->exprs)
		return error_set(err, ERROR_NO_MEMORY, "cat");
	while (!rc && (name = options_next_name(&rest))) {
		long at = schema_find(from, name);

		if (at < 0)
			return error_set(err, ERROR_UNKNOWN_COLUMN,
					 "--columns names %s, which table %s "
					 "lacks", name, cli->args[0]);
		project->exprs[n] = expr_column(&cli->arena, (size_t)at,
						from->columns[at].type);
		if (!project->exprs[n++])
			return error_set(err, ERROR_NO_MEMORY, "cat");
		rc = schema_add_column(schema, from->columns[at].name,
				       from->columns[at].type, err);
	}
	if (!rc && !n)
		rc = error_set(err, ERROR_USAGE, "--columns takes names of "
			       "columns, not '%s'", cli->columns);
	project->schema = schema;
	*node = project;
	return rc;
}

static int print_rows(struct cli *cli, struct query_node *node,
		      struct error *err)
{
	struct query_options query;
	struct row_output_options output = {
		.format = cli->format,
		.thread_count = cli->thread_count,
		.limit = cli->limit,
		.has_header = true,
	};
	struct batch_source *source;
	int rc;

	statement_query_options(cli, &query);
	rc = query_source_new(&source, node, NULL, &query, err);
	if (!rc)
		rc = row_output(cli, source, &output, err);
	batch_source_free(source);
	return rc;
}

int cmd_cat(struct cli *cli, struct error *err)
{
	struct relation *relation = NULL;
	struct query_node *node = NULL;
	struct schema schema;
	struct table *table;
	int rc = cat_open_table(cli, &table, err);

	if (rc)
		return rc;
	schema_init(&schema);
	rc = table_relation_new(&relation, cli->args[0], table, err);
	if (!rc) {
		node = node_new(cli, QUERY_SCAN, NULL);
		if (!node)
			rc = error_set(err, ERROR_NO_MEMORY, "cat");
	}
	if (!rc) {
		node->relation = relation;
		node->schema = &relation->schema;
		rc = add_filter(cli, &node, err);
	}
	if (!rc)
		rc = add_projection(cli, &node, &schema, err);
	if (!rc)
		rc = print_rows(cli, node, err);
	relation_free(relation);
	schema_release(&schema);
	return rc;
}
