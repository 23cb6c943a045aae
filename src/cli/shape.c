/*
 * shape.c - how the rows of a batch are made into those of the source
 *
 * Why:    --keep-latest-by, --keep-last and --key name columns of whatever the
 *         source turns out to be.
 * How:    names are looked up in the columns of the bound source and marked
 *         as used, so that they are read. What has no order, or no type to
 *         order it by, is refused: text puts 9 after 10.
 */
#include "cli/statement.h"

static int find_columns(struct cli *cli, const struct merge_plan *plan,
			const char *option, const char *text,
			const size_t **out, size_t *count_out,
			struct error *err)
{
	const struct schema *schema = plan->source->schema;
	char *list = arena_strdup(&cli->arena, text), *name;
	size_t *columns = arena_zalloc_array(&cli->arena, strlen(text) + 1,
					     sizeof(*columns));

	*count_out = 0;
	if (!list || !columns)
		return error_set(err, ERROR_NO_MEMORY, "options");
	while ((name = options_next_name(&list))) {
		long at = schema_find(schema, name);

		if (!*name)
			break;
		if (at < 0) {
			error_set(err, at == -2 ? ERROR_AMBIGUOUS_COLUMN
						: ERROR_UNKNOWN_COLUMN,
				  at == -2 ? "--%s names %s, which several "
					     "columns of the source are "
					     "called"
					   : "--%s names %s, which the source "
					     "does not have", option, name);
			return error_field(err, name);
		}
		if (plan->source_used)
			plan->source_used[at] = true;
		columns[(*count_out)++] = (size_t)at;
	}
	*out = columns;
	if (name || !*count_out)
		return error_set(err, ERROR_USAGE, "--%s takes names of "
				 "columns, not '%s'", option, text);
	return 0;
}

static bool is_untyped(const struct query_node *node, size_t column);

/* Is a value over the columns of a node made of what is_untyped()? CAST says
 * what is meant, also to text. */
static bool is_of_untyped(const struct query_node *node,
			  const struct expr *expr)
{
	if (expr->type.id != TYPE_VARCHAR)
		return false;
	if (expr->kind == EXPR_COLUMN)
		return is_untyped(node, expr->column);
	if (expr->kind != EXPR_CALL && expr->kind != EXPR_CASE &&
	    expr->kind != EXPR_COALESCE && expr->kind != EXPR_SINGLE)
		return false;
	for (size_t i = 0; i < expr->arg_count; i++)
		if (is_of_untyped(node, expr->args[i]))
			return true;
	return false;
}

static bool any_of_untyped(const struct query_node *node,
			   struct expr *const *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_of_untyped(node, values[i]))
			return true;
	return false;
}

static bool is_untyped_aggregate(const struct query_node *node, size_t column)
{
	const struct query_aggregate *aggregate = node->aggregate;
	const struct aggregate_call *call;

	if (column < aggregate->group_count)
		return is_of_untyped(node->inputs[0],
				     aggregate->groups[column]);
	call = &aggregate->calls[column - aggregate->group_count];
	return any_of_untyped(node->inputs[0], call->args, call->arg_count);
}

static bool is_untyped_window(const struct query_node *node, size_t column)
{
	size_t count = node->inputs[0]->schema->column_count;
	const struct aggregate_call *call;

	if (column < count)
		return is_untyped(node->inputs[0], column);
	call = &node->window->calls[column - count].aggregate;
	return any_of_untyped(node->inputs[0], call->args, call->arg_count);
}

/* Does a column hold text only because nothing says the type of a file's? */
static bool is_untyped(const struct query_node *node, size_t column)
{
	size_t left;

	if (node->schema->columns[column].type.id != TYPE_VARCHAR)
		return false;
	switch (node->kind) {
	case QUERY_SCAN:
		return node->relation->untyped &&
		       node->relation->untyped[column];
	case QUERY_VALUES:
		return false;
	case QUERY_PROJECT:
		return is_of_untyped(node->inputs[0], node->exprs[column]);
	case QUERY_JOIN:
		left = node->inputs[0]->schema->column_count;
		return column < left
			? is_untyped(node->inputs[0], column)
			: is_untyped(node->inputs[1], column - left);
	case QUERY_AGGREGATE:
		return is_untyped_aggregate(node, column);
	case QUERY_WINDOW:
		return is_untyped_window(node, column);
	default:	/* the columns are those of each input */
		for (size_t i = 0; i < node->input_count; i++)
			if (is_untyped(node->inputs[i], column))
				return true;
		return false;
	}
}

/* Do rows come in the order of an input? */
static bool has_order(const struct query_node *node)
{
	switch (node->kind) {
	case QUERY_SCAN:
		return !node->relation->table;
	case QUERY_VALUES:
		return true;
	case QUERY_PROJECT:
	case QUERY_FILTER:
	case QUERY_LIMIT:
	case QUERY_UNION_ALL:
		for (size_t i = 0; i < node->input_count; i++)
			if (!has_order(node->inputs[i]))
				return false;
		return true;
	default:
		return false;
	}
}

static int check_latest(const struct merge_plan *plan,
			const struct merge_keep *keep, struct error *err)
{
	const struct schema *schema = plan->source->schema;

	for (size_t i = 0; i < keep->latest_count; i++) {
		const struct column_def *def =
			&schema->columns[keep->latest[i]];

		if (type_is_nested(&def->type))
			return error_set(err, ERROR_TYPE_MISMATCH,
					 "--keep-latest-by %s: a nested value "
					 "is neither higher nor lower",
					 def->name);
		if (!is_untyped(plan->source, keep->latest[i]))
			continue;
		error_set(err, ERROR_TYPE_MISMATCH, "--keep-latest-by %s: "
			  "nothing says the type of that column, and as text "
			  "9 is higher than 10", def->name);
		error_hint(err, "give it one: --types '%s BIGINT', or CAST in "
			   "a query; VARCHAR if text is right", def->name);
		return error_field(err, def->name);
	}
	return 0;
}

int shape_keep(struct cli *cli, const struct merge_plan *plan,
	       const struct merge_keep **out, struct error *err)
{
	struct merge_keep *keep;
	int rc = 0;

	*out = NULL;
	if (!plan->source || !(cli->keep_last || cli->keep_latest_by ||
			       (cli->input.csv.is_debezium &&
				has_order(plan->source))))
		return 0;
	keep = arena_zalloc_array(&cli->arena, 1, sizeof(*keep));
	if (!keep)
		return error_set(err, ERROR_NO_MEMORY, "options");
	if (cli->keep_latest_by)
		rc = find_columns(cli, plan, "keep-latest-by",
				  cli->keep_latest_by, &keep->latest,
				  &keep->latest_count, err);
	else if (!has_order(plan->source))
		rc = error_set(err, ERROR_USAGE, "--keep-last needs rows in "
			       "the order of an input, and those of a table, "
			       "join or group have none");
	if (!rc && cli->keep_key)
		rc = find_columns(cli, plan, "key", cli->keep_key, &keep->key,
				  &keep->key_count, err);
	if (!rc)
		rc = check_latest(plan, keep, err);
	if (!rc)
		*out = keep;
	return rc;
}
