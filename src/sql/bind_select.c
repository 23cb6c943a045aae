/*
 * bind_select.c - SELECT from the inside out
 *
 * Order:  FROM, WHERE; then everything else is bound, which shows what there
 *         is to aggregate; GROUP BY, HAVING, windows, QUALIFY, the items,
 *         DISTINCT, ORDER BY and LIMIT follow as nodes. ORDER BY may name
 *         what is no item: that is a column of the projection which a second
 *         one takes away again.
 */
#include "sql/bind_level.h"

struct select_item {
	struct expr *expr;
	struct origin *origins;
	const char *name;	/* NULL: _colN */
};

struct select {
	struct binder *binder;
	const struct ast_query *ast;
	struct name_scope scope;
	struct bind_level level;
	struct query_node *input;
	struct settle settle;
	bool has_input;			/* FROM, or a WHERE without it */
	struct select_item *items;
	size_t item_count;
	struct expr **groups;
	size_t group_count;
	bool **sets;			/* of groups; NULL = one of all */
	struct expr *having;
	struct expr *qualify;
	struct sort_key *order;		/* over the items, hidden ones behind */
	size_t hidden_count;
};

static int bind_from_where(struct select *s)
{
	struct binder *binder = s->binder;
	struct expr *condition;
	struct bound_from from;
	int rc;

	if (s->ast->from) {
		rc = bind_from(binder, s->ast->from, &from);
		if (rc)
			return rc;
		s->input = from.query.node;
		s->scope.sources = from.sources;
		s->scope.source_count = from.source_count;
	} else {
		rc = single_row_new(binder, &s->input);
		if (rc)
			return rc;
	}
	s->has_input = s->ast->from || s->ast->where;
	s->settle.input = &s->input;
	s->settle.named = s->input->schema;
	s->level.where = "WHERE";
	rc = bind_condition(binder, &s->scope, s->ast->where,
			    "the condition of WHERE", &condition);
	return rc ? rc : settle_filter(&s->settle, condition);
}

/* The columns that a star means; *next is where to put them. */
static int bind_star(struct select *s, const struct ast_item *ast,
		     struct select_item *items, size_t *next)
{
	struct binder *binder = s->binder;
	bool is_all = !ast->qualifier.count, is_found = false;

	for (size_t i = 0; i < s->scope.source_count; i++) {
		const struct scope_source *source = &s->scope.sources[i];

		if (!is_all && !scope_source_matches(source,
						     ast->qualifier.parts,
						     ast->qualifier.count))
			continue;
		is_found = true;
		for (size_t c = 0; c < source->schema->column_count; c++) {
			const struct column_def *def =
				&source->schema->columns[c];
			struct select_item *item = items ? &items[*next] : NULL;

			if (is_all && source->merged && source->merged[c])
				continue;
			++*next;
			if (!item)
				continue;
			item->name = def->name;
			item->origins = source->origins ? source->origins[c]
							: NULL;
			item->expr = expr_column(binder->arena,
				scope_source_ordinal(source, c), def->type);
			if (!item->expr)
				return binder_no_memory(binder);
			item->expr->line = ast->place.line;
			item->expr->position = ast->place.position;
		}
	}
	if (is_found)
		return 0;
	if (is_all)
		return sql_error(binder->err, ERROR_SYNTAX, &ast->place,
				 "SELECT * needs FROM");
	return sql_error(binder->err, ERROR_UNKNOWN_COLUMN, &ast->place,
			 "there is no table or alias %s here",
			 ast->qualifier.parts[ast->qualifier.count - 1]);
}

static int bind_expr_item(struct select *s, const struct ast_item *ast,
			  struct select_item *out)
{
	struct bound_value value;
	int rc = bind_value(s->binder, &s->scope, ast->expr, &value);

	if (!rc)
		rc = value_settle(s->binder, &value);
	if (!rc)
		rc = binder_fold(s->binder, &value.expr);
	if (rc)
		return rc;
	out->name = ast->alias;
	if (!out->name && ast->expr->kind == AST_NAME)
		out->name = ast->expr->name.parts[ast->expr->name.count - 1];
	if (!out->name && ast->expr->kind == AST_FIELD)
		out->name = ast->expr->text;
	out->expr = value.expr;
	out->origins = value.origins;
	return 0;
}

static int bind_items(struct select *s)
{
	const struct ast_query *ast = s->ast;
	size_t count = 0, next = 0;
	int rc = 0;

	s->level.where = "SELECT";
	s->level.takes_aggregates = s->level.takes_windows = true;
	for (size_t i = 0; i < ast->item_count && !rc; i++) {
		if (ast->items[i]->is_star)
			rc = bind_star(s, ast->items[i], NULL, &count);
		else
			count++;
	}
	if (!rc && count > SQL_COLUMN_LIMIT)
		rc = sql_error(s->binder->err, ERROR_UNSUPPORTED, &ast->place,
			       "more than %d columns", SQL_COLUMN_LIMIT);
	if (rc)
		return rc;
	/* behind them what only ORDER BY names */
	s->items = binder_alloc(s->binder, count + ast->order_count + 1,
				sizeof(*s->items));
	if (!s->items)
		return ERROR_NO_MEMORY;
	s->item_count = count;
	for (size_t i = 0; i < ast->item_count && !rc; i++) {
		if (ast->items[i]->is_star)
			rc = bind_star(s, ast->items[i], s->items, &next);
		else
			rc = bind_expr_item(s, ast->items[i],
					    &s->items[next++]);
	}
	return rc;
}

/* The expression behind an ordinal of GROUP BY. */
static int group_of_ordinal(struct select *s, const struct ast_expr *ast,
			    size_t ordinal, struct expr **out)
{
	const struct expr *item = s->items[ordinal].expr;

	*out = s->items[ordinal].expr;
	if (!expr_has_place(item, PLACE_AGGREGATE) &&
	    !expr_has_place(item, PLACE_GROUPING) &&
	    !expr_has_place(item, PLACE_WINDOW))
		return 0;
	return sql_error(s->binder->err, ERROR_SYNTAX, &ast->place,
			 "column %zu is computed from groups: it cannot be in "
			 "GROUP BY", ordinal + 1);
}

static int bind_group(struct select *s, const struct ast_expr *ast,
		      struct ast_list *groups)
{
	struct bound_value value;
	size_t ordinal;
	int rc = ordinal_of(s->binder, ast, s->item_count, "GROUP BY",
			    &ordinal);

	if (!rc && ordinal != SIZE_MAX) {
		rc = group_of_ordinal(s, ast, ordinal, &value.expr);
	} else if (!rc && ast->kind == AST_ROW && ast->arg_count > 1) {
		/* (a, b) is a list of two */
		for (size_t i = 0; i < ast->arg_count && !rc; i++)
			rc = bind_group(s, ast->args[i], groups);
		return rc;
	} else if (!rc) {
		rc = bind_value(s->binder, &s->scope, ast, &value);
		if (!rc)
			rc = value_settle(s->binder, &value);
		if (!rc)
			rc = binder_fold(s->binder, &value.expr);
	}
	if (rc)
		return rc;
	if (value.expr->type.id == TYPE_MAP)
		return sql_error(s->binder->err, ERROR_TYPE_MISMATCH,
				 &ast->place, "values of type MAP cannot be "
				 "compared");
	return ast_list_add(groups, s->binder->arena, value.expr) ? 0 :
		binder_no_memory(s->binder);
}

/* The group that is equal to this one, or it is a new one. */
static size_t add_group(struct select *s, struct expr *group)
{
	for (size_t i = 0; i < s->group_count; i++)
		if (expr_equal(s->groups[i], group))
			return i;
	s->groups[s->group_count] = group;
	return s->group_count++;
}

/*
 * Sets of groups over the expressions of GROUP BY become ones over the
 * groups, each of which is there once: ends[i] is the first behind those of
 * expression i.
 */
static int bind_sets(struct select *s, const struct ast_list *all,
		     const size_t *ends)
{
	size_t set_count = s->ast->set_count;
	size_t *group_of = binder_alloc(s->binder, all->count + 1,
					sizeof(*group_of));

	s->groups = binder_alloc(s->binder, all->count + 1,
				 sizeof(*s->groups));
	s->sets = binder_alloc(s->binder, set_count + 1, sizeof(*s->sets));
	if (!group_of || !s->groups || !s->sets)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < all->count; i++)
		group_of[i] = add_group(s, all->items[i]);
	for (size_t i = 0; i < set_count; i++) {
		const struct ast_group_set *set = s->ast->sets[i];

		s->sets[i] = binder_alloc(s->binder, s->group_count + 1,
					  sizeof(**s->sets));
		if (!s->sets[i])
			return ERROR_NO_MEMORY;
		for (size_t k = 0; k < set->count; k++) {
			size_t at = set->groups[k];

			for (size_t g = at ? ends[at - 1] : 0; g < ends[at];
			     g++)
				s->sets[i][group_of[g]] = true;
		}
	}
	return 0;
}

static int bind_groups(struct select *s)
{
	struct ast_list groups = { NULL, 0, 0 };
	size_t *ends = binder_alloc(s->binder, s->ast->group_count + 1,
				    sizeof(*ends));
	int rc = ends ? 0 : ERROR_NO_MEMORY;

	s->level.where = "GROUP BY";
	s->level.takes_aggregates = s->level.takes_windows = false;
	s->level.has_aliases = true;
	for (size_t i = 0; i < s->ast->group_count && !rc; i++) {
		rc = bind_group(s, s->ast->groups[i], &groups);
		ends[i] = groups.count;
	}
	s->level.has_aliases = false;
	if (!rc && s->ast->set_count)
		return bind_sets(s, &groups, ends);
	s->groups = (struct expr **)groups.items;
	s->group_count = groups.count;
	return rc;
}

static int bind_group_conditions(struct select *s)
{
	int rc;

	s->level.where = "HAVING";
	s->level.takes_aggregates = true;
	rc = bind_condition(s->binder, &s->scope, s->ast->having,
			    "the condition of HAVING", &s->having);
	s->level.where = "QUALIFY";
	s->level.takes_windows = true;
	s->level.has_aliases = true;
	if (!rc)
		rc = bind_condition(s->binder, &s->scope, s->ast->qualify,
				    "the condition of QUALIFY", &s->qualify);
	s->level.has_aliases = false;
	return rc;
}

/* An item by its name; SIZE_MAX = none. */
static int find_item(struct select *s, const struct ast_expr *ast,
		     size_t *out)
{
	size_t count = s->item_count;

	*out = SIZE_MAX;
	if (ast->kind != AST_NAME || ast->name.count != 1)
		return 0;
	for (size_t i = 0; i < count; i++) {
		const struct select_item *item = &s->items[i];

		if (!item->name ||
		    !text_equal_nocase(item->name, ast->name.parts[0]))
			continue;
		if (*out != SIZE_MAX &&
		    !expr_equal(item->expr, s->items[*out].expr))
			return sql_error(s->binder->err,
					 ERROR_AMBIGUOUS_COLUMN, &ast->place,
					 "several columns of SELECT are called "
					 "%s", item->name);
		if (*out == SIZE_MAX)
			*out = i;
	}
	return 0;
}

/* Column at of what is sorted, for one key of ORDER BY. */
static int bind_key(struct select *s, const struct ast_sort *sort,
		    struct sort_key *key)
{
	struct ast_sort *const list[] = { (struct ast_sort *)(uintptr_t)sort };
	struct sort_key *bound;
	size_t at;
	int rc = ordinal_of(s->binder, sort->expr, s->item_count, "ORDER BY",
			    &at);

	if (!rc && at == SIZE_MAX)
		rc = find_item(s, sort->expr, &at);
	if (rc)
		return rc;
	key->descending = sort->descending;
	key->nulls_first = sort->nulls_first;
	if (at == SIZE_MAX) {
		rc = bind_sort(s->binder, &s->scope, list, 1, &bound);
		if (rc)
			return rc;
		for (at = 0; at < s->item_count + s->hidden_count; at++)
			if (expr_equal(s->items[at].expr, bound->expr))
				break;
		if (at >= s->item_count && s->ast->distinct)
			return sql_error(s->binder->err, ERROR_SYNTAX,
					 &sort->place, "with DISTINCT, ORDER "
					 "BY can only name what is selected");
		if (at == s->item_count + s->hidden_count) {
			s->items[at].expr = bound->expr;
			s->hidden_count++;
		}
	}
	if (order_picks(s->ast))
		untyped_ordered(s->items[at].origins);
	key->expr = expr_column(s->binder->arena, at,
				s->items[at].expr->type);
	return key->expr ? 0 : binder_no_memory(s->binder);
}

static int bind_keys(struct select *s)
{
	char name[TYPE_NAME_BYTES];
	int rc = 0;

	s->level.where = "ORDER BY";
	s->level.has_aliases = true;
	s->level.is_shown_order = !order_picks(s->ast);
	s->order = binder_alloc(s->binder, s->ast->order_count + 1,
				sizeof(*s->order));
	if (!s->order)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < s->ast->order_count && !rc; i++) {
		const struct ast_sort *sort = s->ast->order[i];
		const struct type *type;

		rc = bind_key(s, sort, &s->order[i]);
		if (rc)
			break;
		type = &s->order[i].expr->type;
		if (type->id != TYPE_UNKNOWN && !type_is_orderable(type))
			rc = sql_error(s->binder->err, ERROR_TYPE_MISMATCH,
				       &sort->place, "values of type %s have "
				       "no order", type_name(type, name));
	}
	s->level.has_aliases = false;
	s->level.is_shown_order = false;
	return rc;
}

/* The node of GROUP BY; from here on columns are groups and calls. */
static int add_aggregate(struct select *s)
{
	struct ast_list *calls = &s->level.aggregates;
	struct grouped grouped = {
		.bound = s->groups, .group_count = s->group_count,
		.call_count = calls->count, .sets = s->sets,
		.set_count = s->ast->set_count,
		.groupings = &s->level.groupings,
	};
	int rc = 0;

	if (!s->ast->is_grouped && !s->ast->having && !calls->count &&
	    !s->level.groupings.count)
		return 0;
	grouped.groups = binder_alloc(s->binder, s->group_count + 1,
				      sizeof(*grouped.groups));
	grouped.calls = binder_alloc(s->binder, calls->count + 1,
				     sizeof(*grouped.calls));
	if (!grouped.groups || !grouped.calls)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < s->group_count && !rc; i++) {
		grouped.groups[i] = s->groups[i];
		rc = settle_expr(&s->settle, &grouped.groups[i]);
	}
	for (size_t i = 0; i < calls->count && !rc; i++) {
		struct aggregate_place *place = calls->items[i];

		grouped.calls[i] = place->call;
		rc = settle_call(&s->settle, &grouped.calls[i]);
	}
	grouped.input = s->input;
	s->settle.named = s->input->schema;
	s->settle.is_grouped = true;
	s->settle.groups = s->groups;
	s->settle.group_count = s->group_count;
	s->has_input = true;
	return rc ? rc : grouped_new(s->binder, &grouped, &s->input);
}

/* Is the projection the input as it is? */
static bool is_identity(const struct select *s)
{
	const struct schema *schema = s->input->schema;

	if (s->ast->item_count != 1 || !s->ast->items[0]->is_star ||
	    s->item_count != schema->column_count || s->hidden_count)
		return false;
	for (size_t i = 0; i < s->item_count; i++)
		if (s->items[i].expr->kind != EXPR_COLUMN ||
		    s->items[i].expr->column != i ||
		    strcmp(s->items[i].name, schema->columns[i].name))
			return false;
	return true;
}

static int add_projection(struct select *s)
{
	size_t count = s->item_count + s->hidden_count;
	struct query_node *node;
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++)
		rc = settle_expr(&s->settle, &s->items[i].expr);
	if (rc || is_identity(s))
		return rc;
	rc = query_node_new(s->binder, s->has_input ? QUERY_PROJECT :
			    QUERY_VALUES, count, &node);
	if (!rc && s->has_input)
		rc = query_input(s->binder, node, s->input);
	if (rc)
		return rc;
	node->row_count = s->has_input ? 0 : 1;
	node->exprs = binder_alloc(s->binder, count + 1,
				   sizeof(*node->exprs));
	if (!node->exprs)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < count && !rc; i++)
		rc = project_set(s->binder, node, i, s->items[i].name,
				 s->items[i].expr);
	s->input = node;
	return rc;
}

static int set_output(struct select *s, struct bound_query *out)
{
	size_t *columns;
	int rc = 0;

	if (s->hidden_count) {
		columns = binder_alloc(s->binder, s->item_count + 1,
				       sizeof(*columns));
		if (!columns)
			return ERROR_NO_MEMORY;
		for (size_t i = 0; i < s->item_count; i++)
			columns[i] = i;
		rc = query_pick(s->binder, s->input, columns, s->item_count,
				&s->input);
	}
	out->node = s->input;
	out->origins = binder_alloc(s->binder, s->item_count + 1,
				    sizeof(*out->origins));
	if (!out->origins)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < s->item_count; i++)
		out->origins[i] = s->items[i].origins;
	return rc;
}

static int add_nodes(struct select *s, struct bound_query *out)
{
	int rc = add_aggregate(s);

	if (!rc)
		rc = settle_filter(&s->settle, s->having);
	if (!rc && (s->level.windows.count || s->level.subqueries.count))
		s->has_input = true;
	if (!rc)
		rc = add_windows(&s->settle);
	if (!rc)
		rc = settle_filter(&s->settle, s->qualify);
	if (!rc)
		rc = add_projection(s);
	if (!rc && s->ast->distinct)
		rc = distinct_new(s->binder, &s->input);
	if (!rc)
		rc = bind_sorted(s->binder, s->ast, s->order, &s->input);
	return rc ? rc : set_output(s, out);
}

int bind_select(struct binder *binder, const struct ast_query *ast,
		struct bound_query *out)
{
	struct select s = { .binder = binder, .ast = ast };
	int rc;

	s.level.select = ast;
	s.scope.level = &s.level;
	s.scope.outer = binder->around;
	s.scope.refs = binder->refs;
	s.settle.binder = binder;
	s.settle.level = &s.level;
	rc = bind_from_where(&s);
	if (!rc)
		rc = bind_items(&s);
	if (!rc)
		rc = bind_groups(&s);
	if (!rc)
		rc = bind_group_conditions(&s);
	if (!rc)
		rc = bind_keys(&s);
	if (!rc && ast->qualify && !s.level.windows.count)
		rc = sql_error(binder->err, ERROR_SYNTAX,
			       &ast->qualify->place, "QUALIFY needs a window "
			       "function");
	return rc ? rc : add_nodes(&s, out);
}
