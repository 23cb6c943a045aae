/*
 * bind_grouping.c - GROUP BY as nodes: one set of groups, or several
 *
 * How:    one set is one node. With more of them (GROUPING SETS, ROLLUP,
 *         CUBE) the input is shared, each set is a node of its own over it,
 *         projected to the columns of all, with NULL for the groups that it
 *         has not; UNION ALL puts them together. grouping() is a constant of
 *         each set.
 * Cost:   the input is read once and kept for the others; each set makes
 *         its groups from the rows, none from the groups of another.
 */
#include "sql/bind_level.h"

/* So many bits has its result. */
#define GROUPING_ARG_LIMIT 63

int bind_grouping(struct binder *binder, const struct name_scope *scope,
		  const struct ast_expr *ast, struct bound_value *out)
{
	struct bind_level *level = scope ? scope->level : NULL;
	struct grouping_place *place;
	struct bound_value *args;
	size_t number;
	int rc;

	if (!level || !level->takes_aggregates || level->in_aggregate ||
	    !level->select || !level->select->is_grouped)
		return sql_error(binder->err, ERROR_SYNTAX, &ast->place,
				 "grouping() belongs to a query with GROUP "
				 "BY, and stands where groups are");
	if (ast->arg_count > GROUPING_ARG_LIMIT)
		return sql_error(binder->err, ERROR_ARITY, &ast->place,
				 "grouping() takes at most %d arguments",
				 GROUPING_ARG_LIMIT);
	rc = bind_values(binder, scope, ast->args, ast->arg_count, &args);
	place = binder_alloc(binder, 1, sizeof(*place));
	if (rc || !place)
		return rc ? rc : ERROR_NO_MEMORY;
	place->args = binder_alloc(binder, ast->arg_count + 1,
				   sizeof(*place->args));
	if (!place->args)
		return ERROR_NO_MEMORY;
	place->place = ast->place;
	place->arg_count = ast->arg_count;
	for (size_t i = 0; i < ast->arg_count && !rc; i++) {
		rc = value_settle(binder, &args[i]);
		if (!rc)
			rc = binder_fold(binder, &args[i].expr);
		place->args[i] = args[i].expr;
	}
	number = level->groupings.count;
	if (!rc && !ast_list_add(&level->groupings, binder->arena, place))
		rc = binder_no_memory(binder);
	if (rc)
		return rc;
	out->expr = expr_column(binder->arena, place_column(PLACE_GROUPING,
							    number),
				type_of(TYPE_BIGINT));
	return out->expr ? 0 : binder_no_memory(binder);
}

static void set_columns(const struct grouped *g, struct query_node *node)
{
	const struct query_aggregate *aggregate = node->aggregate;

	for (size_t i = 0; i < aggregate->group_count; i++) {
		struct column_def *def = &node->schema->columns[i];
		const struct expr *group = aggregate->groups[i];

		def->name = group->kind == EXPR_COLUMN &&
			    !place_kind(group->column) ?
			g->input->schema->columns[group->column].name :
			(char *)"_group";
		def->type = group->type;
	}
	for (size_t i = 0; i < aggregate->call_count; i++) {
		struct column_def *def = &node->schema->columns[
			aggregate->group_count + i];
		const struct aggregate_call *call = &aggregate->calls[i];

		def->name = (char *)(uintptr_t)aggregate_name(call->function);
		def->type = call->type;
	}
}

/* The groups of one set, or all. */
static int aggregate_new(struct binder *binder, const struct grouped *g,
			 const bool *set, struct query_node **out)
{
	struct query_aggregate *aggregate = binder_alloc(binder, 1,
							 sizeof(*aggregate));
	int rc = query_node_new(binder, QUERY_AGGREGATE, g->group_count +
				g->call_count, out);

	if (rc || !aggregate)
		return rc ? rc : ERROR_NO_MEMORY;
	(*out)->aggregate = aggregate;
	aggregate->calls = g->calls;
	aggregate->call_count = g->call_count;
	aggregate->groups = binder_alloc(binder, g->group_count + 1,
					 sizeof(*aggregate->groups));
	if (!aggregate->groups)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < g->group_count; i++)
		if (!set || set[i])
			aggregate->groups[aggregate->group_count++] =
				g->groups[i];
	(*out)->schema->column_count = aggregate->group_count + g->call_count;
	set_columns(g, *out);
	return query_input(binder, *out, g->input);
}

/* A bit for each argument, the last the lowest: the set has it not. */
static int grouping_value(struct binder *binder, const struct grouped *g,
			  const bool *set, const struct grouping_place *call,
			  struct expr **out)
{
	struct literal bits = literal_null(type_of(TYPE_BIGINT));

	bits.is_null = false;
	bits.value.int64 = 0;
	for (size_t i = 0; i < call->arg_count; i++) {
		size_t at = 0;

		while (at < g->group_count &&
		       !expr_equal(call->args[i], g->bound[at]))
			at++;
		if (at == g->group_count)
			return sql_error(binder->err, ERROR_SYNTAX,
					 &call->place, "argument %zu of "
					 "grouping() is not in GROUP BY",
					 i + 1);
		bits.value.int64 = bits.value.int64 * 2 + (set && !set[at]);
	}
	*out = expr_literal(binder->arena, &bits);
	return *out ? 0 : binder_no_memory(binder);
}

/* One set with the columns of all. */
static int set_new(struct binder *binder, const struct grouped *g,
		   const bool *set, struct query_node **out)
{
	size_t columns = g->group_count + g->call_count, next = 0;
	struct query_node *aggregate, *node;
	int rc = aggregate_new(binder, g, set, &aggregate);

	if (!rc)
		rc = query_node_new(binder, QUERY_PROJECT, columns +
				    g->groupings->count, &node);
	if (!rc)
		rc = query_input(binder, node, aggregate);
	if (rc)
		return rc;
	node->exprs = binder_alloc(binder, columns + g->groupings->count + 1,
				   sizeof(*node->exprs));
	if (!node->exprs)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < columns + g->groupings->count && !rc; i++) {
		const char *name = NULL;
		struct expr *expr = NULL;

		if (i >= columns) {
			rc = grouping_value(binder, g, set,
					    g->groupings->items[i - columns],
					    &expr);
		} else if (i < g->group_count && set && !set[i]) {
			expr = null_expr(binder, &g->groups[i]->type);
		} else {
			name = aggregate->schema->columns[next].name;
			rc = column_expr(binder, aggregate, next++, &expr);
		}
		if (!rc && !expr)
			rc = binder_no_memory(binder);
		if (!rc)
			rc = project_set(binder, node, i, name, expr);
	}
	*out = node;
	return rc;
}

int grouped_new(struct binder *binder, struct grouped *g,
		struct query_node **out)
{
	struct query_node *all;
	int rc;

	if (!g->set_count && !g->groupings->count)
		return aggregate_new(binder, g, NULL, out);
	if (!g->set_count)
		return set_new(binder, g, NULL, out);
	rc = query_share(binder, g->input, &g->input);
	if (!rc)
		rc = query_node_new(binder, QUERY_UNION_ALL, 0, &all);
	if (rc)
		return rc;
	all->inputs = binder_alloc(binder, g->set_count,
				   sizeof(*all->inputs));
	if (!all->inputs)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < g->set_count && !rc; i++) {
		query_use(binder, g->input);
		rc = set_new(binder, g, g->sets[i], &all->inputs[i]);
	}
	if (rc)
		return rc;
	all->input_count = g->set_count;
	all->schema = all->inputs[0]->schema;
	*out = all;
	return 0;
}
