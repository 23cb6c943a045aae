/*
 * decorrelate.c - a subquery for all rows around it at once
 *
 * Why:    running a subquery per row of the query around it is a nested loop.
 * How:    the domain holds every distinct combination of values that the
 *         subquery reads from around. It is joined in where the subquery
 *         reads them, and its columns go up from there behind those of each
 *         node: they are groups of aggregates, partitions of windows and
 *         LIMITs, keys of joins. A condition that equates such a value is a
 *         hash key of the join with the domain. (Neumann and Kemper,
 *         "Unnesting Arbitrary Queries", has the idea.)
 */
#include "sql/bind_subquery.h"

struct shared_copy {
	const struct query_node *from;
	struct query_node *to;
};

struct decorrelation {
	struct binder *binder;
	const struct outer_list *outer;
	struct query_node *domain;
	size_t count;			/* columns of the domain */
	struct ast_list copies;		/* struct shared_copy */
};

static int rewrite(struct decorrelation *d, struct query_node *node,
		   struct query_node **out);

/* Replace the outer values by columns from base on; columns stay where they
 * are, but from `from` on they have moved by `by`. */
static int replace_moved(struct decorrelation *d, struct expr **expr,
			 size_t base, size_t from, size_t by)
{
	struct outer_change change = { NULL, from, by };

	if (!*expr)
		return 0;
	change.values = binder_alloc(d->binder, d->count + 1,
				     sizeof(*change.values));
	if (!change.values)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < d->count; i++) {
		change.values[i] = expr_column(d->binder->arena, base + i,
			d->domain->schema->columns[i].type);
		if (!change.values[i])
			return binder_no_memory(d->binder);
	}
	return expr_replace_outer(d->binder, *expr, d->outer, &change, expr);
}

static int replace(struct decorrelation *d, struct expr **expr, size_t base)
{
	return replace_moved(d, expr, base, SIZE_MAX, 0);
}

static int replace_all(struct decorrelation *d, struct expr *const *exprs,
		       size_t count, size_t base, struct expr ***out)
{
	int rc = 0;

	*out = binder_alloc(d->binder, count + d->count + 1, sizeof(**out));
	if (!*out)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < count && !rc; i++) {
		(*out)[i] = exprs[i];
		rc = replace(d, &(*out)[i], base);
	}
	return rc;
}

static int replace_sort(struct decorrelation *d, const struct sort_key *keys,
			size_t count, size_t base, struct sort_key **out)
{
	int rc = 0;

	*out = binder_alloc(d->binder, count + 1, sizeof(**out));
	if (!*out)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < count && !rc; i++) {
		(*out)[i] = keys[i];
		rc = replace(d, &(*out)[i].expr, base);
	}
	return rc;
}

/* Column i of the domain, in a node that has them from base on. */
static int domain_column(struct decorrelation *d, size_t base, size_t i,
			 struct expr **out)
{
	*out = expr_column(d->binder->arena, base + i,
			   d->domain->schema->columns[i].type);
	return *out ? 0 : binder_no_memory(d->binder);
}

static struct query_node *use_domain(struct decorrelation *d)
{
	query_use(d->binder, d->domain);
	return d->domain;
}

static int cross_domain(struct decorrelation *d, struct query_node *node,
			struct query_node **out)
{
	struct equi_split none = { 0 };

	return join_new(d->binder, JOIN_INNER, node, use_domain(d), &none,
			out);
}

/* The input with the domain, whether it reads it or not. */
static int input_with(struct decorrelation *d, struct query_node *input,
		      struct query_node **out)
{
	bool depends;
	int rc = query_depends(d->binder, input, d->outer, &depends);

	if (rc)
		return rc;
	return depends ? rewrite(d, input, out) : cross_domain(d, input, out);
}

/* A node of the same kind and contents over another input, with the columns
 * of the domain behind its own. */
static int copy_over(struct decorrelation *d, const struct query_node *node,
		     struct query_node *input, struct query_node **out)
{
	size_t count = node->schema->column_count;
	struct query_node *copy;
	struct schema *schema;
	int rc = query_node_new(d->binder, node->kind, count + d->count,
				&copy);

	if (rc)
		return rc;
	schema = copy->schema;
	*copy = *node;
	copy->schema = schema;
	for (size_t i = 0; i < count + d->count; i++) {
		const struct column_def *def = i < count ?
			&node->schema->columns[i] :
			&d->domain->schema->columns[i - count];

		schema->columns[i].name = def->name;
		schema->columns[i].type = def->type;
	}
	*out = copy;
	return query_input(d->binder, copy, input);
}

static int rewrite_filter(struct decorrelation *d, struct query_node *node,
			  struct query_node **out)
{
	struct query_node *input = node->inputs[0];
	size_t base = input->schema->column_count;
	struct expr *condition = node->condition;
	struct equi_split split;
	bool depends;
	int rc = query_depends(d->binder, input, d->outer, &depends);

	if (!rc)
		rc = replace(d, &condition, base);
	if (rc)
		return rc;
	if (depends) {
		rc = rewrite(d, input, out);
		return rc ? rc : filter_new(d->binder, condition, out);
	}
	rc = equi_split(d->binder, condition, base, SPLIT_KEEPS_RIGHT |
			SPLIT_IN_ORDER, &split);
	if (!rc && split.left_only)
		rc = filter_new(d->binder, split.left_only, &input);
	return rc ? rc : join_new(d->binder, JOIN_INNER, input, use_domain(d),
				  &split, out);
}

static int rewrite_project(struct decorrelation *d, struct query_node *node,
			   struct query_node **out)
{
	size_t base = node->inputs[0]->schema->column_count;
	size_t count = node->schema->column_count;
	struct query_node *input;
	int rc = input_with(d, node->inputs[0], &input);

	if (!rc)
		rc = copy_over(d, node, input, out);
	if (!rc)
		rc = replace_all(d, node->exprs, count, base, &(*out)->exprs);
	for (size_t i = 0; i < d->count && !rc; i++)
		rc = domain_column(d, base, i, &(*out)->exprs[count + i]);
	return rc;
}

/* Rows of VALUES that read the domain: a projection of it for each. */
static int rewrite_values(struct decorrelation *d, struct query_node *node,
			  struct query_node **out)
{
	size_t count = node->schema->column_count;
	struct query_node *rows;
	int rc = copy_over(d, node, d->domain, &rows);

	if (rc)
		return rc;
	rows->kind = QUERY_UNION_ALL;
	rows->exprs = NULL;
	rows->inputs = binder_alloc(d->binder, node->row_count + 1,
				    sizeof(*rows->inputs));
	if (!rows->inputs)
		return ERROR_NO_MEMORY;
	rows->input_count = node->row_count;
	for (size_t r = 0; r < node->row_count && !rc; r++) {
		struct query_node *row;

		rc = copy_over(d, node, use_domain(d), &row);
		if (rc)
			return rc;
		row->kind = QUERY_PROJECT;
		row->row_count = 0;
		rows->inputs[r] = row;
		rc = replace_all(d, node->exprs + r * count, count, 0,
				 &row->exprs);
		for (size_t i = 0; i < d->count && !rc; i++)
			rc = domain_column(d, 0, i, &row->exprs[count + i]);
	}
	rows->row_count = 0;
	*out = node->row_count == 1 ? rows->inputs[0] : rows;
	return rc;
}

static int rewrite_set(struct decorrelation *d, struct query_node *node,
		       struct query_node **out)
{
	int rc = copy_over(d, node, node->inputs[0], out);

	if (rc)
		return rc;
	(*out)->inputs = binder_alloc(d->binder, node->input_count + 1,
				      sizeof(*(*out)->inputs));
	if (!(*out)->inputs)
		return ERROR_NO_MEMORY;
	(*out)->input_count = node->input_count;
	for (size_t i = 0; i < node->input_count && !rc; i++)
		rc = input_with(d, node->inputs[i], &(*out)->inputs[i]);
	return rc;
}

static int rewrite_shared(struct decorrelation *d, struct query_node *node,
			  struct query_node **out)
{
	struct shared_copy *copy;
	struct query_node *input;
	int rc;

	for (size_t i = 0; i < d->copies.count; i++) {
		copy = d->copies.items[i];
		if (copy->from != node)
			continue;
		query_use(d->binder, copy->to);
		*out = copy->to;
		return 0;
	}
	rc = input_with(d, node->inputs[0], &input);
	if (!rc)
		rc = query_share(d->binder, input, out);
	copy = binder_alloc(d->binder, 1, sizeof(*copy));
	if (rc || !copy)
		return rc ? rc : ERROR_NO_MEMORY;
	query_use(d->binder, *out);
	copy->from = node;
	copy->to = *out;
	return ast_list_add(&d->copies, d->binder->arena, copy) ? 0 :
		binder_no_memory(d->binder);
}

/* rows between offset and limit of each row of the domain. */
static int number_condition(struct decorrelation *d,
			    const struct query_node *node, size_t number,
			    struct expr **out)
{
	static const char *const names[] = { ">", "<=" };
	uint64_t last = node->limit > INT64_MAX - node->offset ? INT64_MAX :
			node->offset + node->limit;
	const uint64_t bounds[] = { node->offset, last };
	struct sql_place nowhere = { d->binder->file, 0, 0 };

	*out = NULL;
	for (size_t i = 0; i < 2; i++) {
		struct literal bound = literal_null(type_of(TYPE_BIGINT));
		struct bound_value args[2] = { { 0 } }, result;
		int rc;

		bound.is_null = false;
		bound.value.int64 = bounds[i] > INT64_MAX ? INT64_MAX :
				    (int64_t)bounds[i];
		args[0].expr = expr_column(d->binder->arena, number,
					   type_of(TYPE_BIGINT));
		args[1].expr = expr_literal(d->binder->arena, &bound);
		if (!args[0].expr || !args[1].expr)
			return binder_no_memory(d->binder);
		rc = bind_call(d->binder, names[i], &nowhere, args, 2,
			       &result);
		if (rc)
			return rc;
		*out = expr_and(d->binder->arena, *out, result.expr);
		if (!*out)
			return binder_no_memory(d->binder);
	}
	return 0;
}

static int domain_partition(struct decorrelation *d, size_t base,
			    struct query_window *window)
{
	int rc = 0;

	for (size_t i = 0; i < d->count && !rc; i++)
		rc = domain_column(d, base, i,
			&window->partition[window->partition_count++]);
	return rc;
}

/* LIMIT, also of a SORT: row_number() in the partitions of the domain. */
static int rewrite_limit(struct decorrelation *d, struct query_node *node,
			 struct query_node **out)
{
	size_t base = node->schema->column_count;
	struct binder *binder = d->binder;
	struct query_window *window;
	struct query_node *numbered;
	struct expr *condition;
	size_t *columns;
	int rc = input_with(d, node->inputs[0], out);

	if (!rc && node->limit == UINT64_MAX && !node->offset)
		return 0;	/* the order alone means nothing */
	if (!rc)
		rc = project_new(binder, *out, 1, &numbered);
	window = binder_alloc(binder, 1, sizeof(*window));
	columns = binder_alloc(binder, base + d->count + 1, sizeof(*columns));
	if (rc || !window || !columns)
		return rc ? rc : ERROR_NO_MEMORY;
	numbered->kind = QUERY_WINDOW;
	numbered->exprs = NULL;
	numbered->window = window;
	numbered->schema->columns[base + d->count].name = (char *)"_number";
	numbered->schema->columns[base + d->count].type =
		type_of(TYPE_BIGINT);
	window->partition = binder_alloc(binder, d->count + 1,
					 sizeof(*window->partition));
	window->calls = binder_alloc(binder, 1, sizeof(*window->calls));
	if (!window->partition || !window->calls)
		return ERROR_NO_MEMORY;
	rc = domain_partition(d, base, window);
	window->call_count = 1;
	window->calls[0].function = WINDOW_ROW_NUMBER;
	window->calls[0].aggregate.type = type_of(TYPE_BIGINT);
	window->calls[0].unit = FRAME_RANGE;
	window->calls[0].end = FRAME_CURRENT_ROW;
	window->order_count = node->sort_count;
	if (!rc)
		rc = replace_sort(d, node->sort, node->sort_count, base,
				  &window->order);
	if (!rc)
		rc = number_condition(d, node, base + d->count, &condition);
	if (!rc)
		rc = filter_new(binder, condition, &numbered);
	for (size_t i = 0; i < base + d->count; i++)
		columns[i] = i;
	return rc ? rc : query_pick(binder, numbered, columns,
				    base + d->count, out);
}

static int rewrite_window(struct decorrelation *d, struct query_node *node,
			  struct query_node **out)
{
	size_t base = node->inputs[0]->schema->column_count;
	const struct query_window *from = node->window;
	struct query_window *window = binder_alloc(d->binder, 1,
						   sizeof(*window));
	struct query_node *input, *copy;
	size_t *columns, count = node->schema->column_count;
	int rc = input_with(d, node->inputs[0], &input);

	columns = binder_alloc(d->binder, count + d->count + 1,
			       sizeof(*columns));
	if (!window || !columns)
		return ERROR_NO_MEMORY;
	if (!rc)
		rc = project_new(d->binder, input, from->call_count, &copy);
	if (rc)
		return rc;
	*window = *from;
	copy->kind = QUERY_WINDOW;
	copy->exprs = NULL;
	copy->window = window;
	rc = replace_all(d, from->partition, from->partition_count, base,
			 &window->partition);
	if (!rc)
		rc = domain_partition(d, base, window);
	if (!rc)
		rc = replace_sort(d, from->order, from->order_count, base,
				  &window->order);
	window->calls = binder_alloc(d->binder, from->call_count + 1,
				     sizeof(*window->calls));
	if (!window->calls)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < from->call_count && !rc; i++) {
		struct aggregate_call *call = &window->calls[i].aggregate;

		window->calls[i] = from->calls[i];
		copy->schema->columns[base + d->count + i].name =
			node->schema->columns[base + i].name;
		copy->schema->columns[base + d->count + i].type = call->type;
		rc = replace_all(d, call->args, call->arg_count, base,
				 &call->args);
		if (!rc)
			rc = replace(d, &call->filter, base);
	}
	/* the calls before the domain */
	for (size_t i = 0; i < count + d->count; i++)
		columns[i] = i < base ? i : i < count ? i + d->count :
			     i - count + base;
	return rc ? rc : query_pick(d->binder, copy, columns,
				    count + d->count, out);
}

static int replace_calls(struct decorrelation *d,
			 const struct query_aggregate *from, size_t base,
			 struct query_aggregate *to)
{
	int rc = 0;

	to->calls = binder_alloc(d->binder, from->call_count + 1,
				 sizeof(*to->calls));
	if (!to->calls)
		return ERROR_NO_MEMORY;
	to->call_count = from->call_count;
	for (size_t i = 0; i < from->call_count && !rc; i++) {
		struct aggregate_call *call = &to->calls[i];

		*call = from->calls[i];
		rc = replace_all(d, call->args, call->arg_count, base,
				 &call->args);
		if (!rc)
			rc = replace(d, &call->filter, base);
		if (!rc)
			rc = replace_sort(d, call->order, call->order_count,
					  base, &call->order);
	}
	return rc;
}

/*
 * One row for each row of the domain, also where it has no row of the input:
 * the domain keeps its rows in a LEFT join, whose calls count only rows that
 * have the mark. Here the input is on the right, and the mark behind it.
 */
static int join_empty(struct decorrelation *d, struct query_node *input,
		      size_t base, struct query_node **out,
		      struct expr **mark)
{
	struct binder *binder = d->binder;
	struct literal yes = literal_null(type_of(TYPE_BOOLEAN));
	struct equi_split split = { .key_count = d->count };
	struct query_node *marked, *joined;
	size_t *columns;
	int rc = project_new(binder, input, 1, &marked);

	split.keys = binder_alloc(binder, d->count + 1, sizeof(*split.keys));
	columns = binder_alloc(binder, base + d->count + 1, sizeof(*columns));
	yes.is_null = false;
	yes.value.boolean = true;
	*mark = expr_literal(binder->arena, &yes);
	if (rc || !split.keys || !columns || !*mark)
		return rc ? rc : binder_no_memory(binder);
	rc = project_set(binder, marked, base + d->count, "_mark", *mark);
	for (size_t i = 0; i < d->count && !rc; i++) {
		split.keys[i].null_safe = true;
		rc = domain_column(d, 0, i, &split.keys[i].left);
		if (!rc)
			rc = domain_column(d, d->count + base, i,
					   &split.keys[i].right);
	}
	if (!rc)
		rc = join_new(binder, JOIN_LEFT, use_domain(d), marked, &split,
			      &joined);
	if (rc)
		return rc;
	/* input, domain, mark again */
	columns[base + d->count] = base + 2 * d->count;
	for (size_t i = 0; i < base; i++)
		columns[i] = d->count + i;
	for (size_t i = 0; i < d->count; i++)
		columns[base + i] = i;
	rc = query_pick(binder, joined, columns, base + d->count + 1, out);
	return rc ? rc : column_expr(binder, *out, base + d->count, mark);
}

static int filter_calls(struct decorrelation *d, struct expr *mark,
			struct query_aggregate *aggregate)
{
	int rc = 0;

	for (size_t i = 0; i < aggregate->call_count && !rc; i++) {
		struct aggregate_call *call = &aggregate->calls[i];

		call->filter = expr_and(d->binder->arena, mark, call->filter);
		if (!call->filter)
			return binder_no_memory(d->binder);
		rc = call_guard(d->binder, call);
	}
	return rc;
}

static int rewrite_aggregate(struct decorrelation *d, struct query_node *node,
			     struct query_node **out)
{
	size_t base = node->inputs[0]->schema->column_count;
	const struct query_aggregate *from = node->aggregate;
	struct query_aggregate *to = binder_alloc(d->binder, 1, sizeof(*to));
	size_t groups = from->group_count, count = node->schema->column_count;
	size_t *columns = binder_alloc(d->binder, count + d->count + 1,
				       sizeof(*columns));
	struct query_node *input, *copy;
	struct expr *mark = NULL;
	int rc = input_with(d, node->inputs[0], &input);

	if (!to || !columns)
		return ERROR_NO_MEMORY;
	if (!rc && !groups)
		rc = join_empty(d, input, base, &input, &mark);
	if (!rc)
		rc = copy_over(d, node, input, &copy);
	if (!rc)
		rc = replace_all(d, from->groups, groups, base, &to->groups);
	for (size_t i = 0; i < d->count && !rc; i++)
		rc = domain_column(d, base, i, &to->groups[groups + i]);
	if (!rc)
		rc = replace_calls(d, from, base, to);
	if (!rc && mark)
		rc = filter_calls(d, mark, to);
	if (rc)
		return rc;
	to->group_count = groups + d->count;
	copy->aggregate = to;
	/* it gives groups, domain, calls */
	for (size_t i = 0; i < count + d->count; i++) {
		bool is_domain = i >= groups && i < groups + d->count;
		const struct column_def *def = is_domain ?
			&d->domain->schema->columns[i - groups] :
			&node->schema->columns[i < groups ? i : i - d->count];

		copy->schema->columns[i].name = def->name;
		copy->schema->columns[i].type = def->type;
		columns[i] = i < groups ? i : i < count ? i + d->count :
			     i - count + groups;
	}
	return query_pick(d->binder, copy, columns, count + d->count, out);
}

/* Which sides of a join get the domain. */
struct sides {
	struct query_node *left;
	struct query_node *right;
	bool has_left;
	bool has_right;
	size_t left_count;	/* columns without the domain */
	size_t right_count;
};

static int split_sides(struct decorrelation *d, struct query_node *node,
		       struct sides *s)
{
	enum join_kind kind = node->join->kind;
	int rc;

	s->left = node->inputs[0];
	s->right = node->inputs[1];
	s->left_count = s->left->schema->column_count;
	s->right_count = s->right->schema->column_count;
	rc = query_depends(d->binder, s->left, d->outer, &s->has_left);
	if (!rc)
		rc = query_depends(d->binder, s->right, d->outer,
				   &s->has_right);
	if (kind == JOIN_FULL || kind == JOIN_RIGHT)
		s->has_right = true;
	if (kind == JOIN_INNER)
		s->has_left = s->has_left || !s->has_right;
	else if (kind != JOIN_RIGHT)
		s->has_left = true;
	if (!rc && s->has_left)
		rc = input_with(d, s->left, &s->left);
	if (!rc && s->has_right)
		rc = input_with(d, s->right, &s->right);
	return rc;
}

/* Keys of the domain first: the last key may be the one of IN. */
static int join_keys(struct decorrelation *d, const struct query_join *from,
		     const struct sides *s, struct query_join *to)
{
	size_t base = s->has_left ? s->left_count : 0, count = 0;
	int rc = 0;

	to->keys = binder_alloc(d->binder, from->key_count + d->count + 1,
				sizeof(*to->keys));
	if (!to->keys)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < d->count && s->has_left && s->has_right && !rc;
	     i++) {
		to->keys[count].null_safe = true;
		rc = domain_column(d, s->left_count, i, &to->keys[count].left);
		if (!rc)
			rc = domain_column(d, s->right_count, i,
					   &to->keys[count++].right);
	}
	for (size_t i = 0; i < from->key_count && !rc; i++) {
		struct join_key *key = &to->keys[count++];

		*key = from->keys[i];
		if ((!s->has_left && expr_depends(key->left, d->outer)) ||
		    (!s->has_right && expr_depends(key->right, d->outer)))
			return error_set(d->binder->err, ERROR_UNSUPPORTED,
					 "a subquery that reads the query "
					 "around it in such a join");
		rc = replace(d, &key->left, base);
		if (!rc)
			rc = replace(d, &key->right, s->right_count);
	}
	to->key_count = count;
	to->residual = from->residual;
	if (rc || !to->residual)
		return rc;
	return replace_moved(d, &to->residual, s->has_left ? s->left_count :
			     s->left_count + s->right_count, s->left_count,
			     s->has_left ? d->count : 0);
}

/* Left, right and then the domain. */
static int order_columns(struct decorrelation *d, struct query_node *join,
			 const struct sides *s, struct query_node **out)
{
	enum join_kind kind = join->join->kind;
	size_t moved = s->has_left ? d->count : 0;
	size_t state = kind == JOIN_SINGLE;
	size_t right = kind == JOIN_MARK ? (size_t)1 + join->join->waits :
		       kind == JOIN_SEMI || kind == JOIN_ANTI ? 0 :
		       s->right_count + state;
	size_t count = s->left_count + right, base;
	size_t *columns = binder_alloc(d->binder, count + d->count + 1,
				       sizeof(*columns));
	int rc;

	if (!columns)
		return ERROR_NO_MEMORY;
	base = s->has_left && kind != JOIN_RIGHT ? s->left_count :
	       s->left_count + moved + s->right_count;
	for (size_t i = 0; i < count; i++)
		columns[i] = i < s->left_count ? i : i + moved;
	if (state && s->has_right)
		columns[count - 1] += d->count;
	for (size_t i = 0; i < d->count; i++)
		columns[count + i] = base + i;
	rc = query_pick(d->binder, join, columns, count + d->count, out);
	for (size_t i = 0; i < d->count && kind == JOIN_FULL && !rc; i++) {
		struct expr **slot = &(*out)->exprs[count + i], *either;
		struct sql_place nowhere = { d->binder->file, 0, 0 };

		rc = expr_node(d->binder, EXPR_COALESCE, (*slot)->type, 2,
			       &nowhere, &either);
		if (rc)
			break;
		either->args[0] = *slot;
		rc = domain_column(d, s->left_count + moved + s->right_count,
				   i, &either->args[1]);
		*slot = either;
	}
	return rc;
}

static int rewrite_join(struct decorrelation *d, struct query_node *node,
			struct query_node **out)
{
	struct equi_split none = { 0 };
	struct query_node *join;
	struct sides s;
	bool null_aware = node->join->null_aware;
	int rc = split_sides(d, node, &s);

	if (!rc)
		rc = join_new(d->binder, node->join->kind, s.left, s.right,
			      &none, &join);
	if (!rc)
		rc = join_keys(d, node->join, &s, join->join);
	if (rc)
		return rc;
	join->join->null_aware = null_aware;
	if (node->join->waits)
		join_wait(join);
	return order_columns(d, join, &s, out);
}

static int rewrite_distinct(struct decorrelation *d, struct query_node *node,
			    struct query_node **out)
{
	struct query_node *input;
	int rc = input_with(d, node->inputs[0], &input);

	return rc ? rc : copy_over(d, node, input, out);
}

static int rewrite(struct decorrelation *d, struct query_node *node,
		   struct query_node **out)
{
	switch (node->kind) {
	case QUERY_FILTER:
		return rewrite_filter(d, node, out);
	case QUERY_PROJECT:
		return rewrite_project(d, node, out);
	case QUERY_VALUES:
		return rewrite_values(d, node, out);
	case QUERY_UNION_ALL:
	case QUERY_EXCEPT:
	case QUERY_INTERSECT:
		return rewrite_set(d, node, out);
	case QUERY_DISTINCT:
		return rewrite_distinct(d, node, out);
	case QUERY_SHARED:
		return rewrite_shared(d, node, out);
	case QUERY_LIMIT:
	case QUERY_SORT:
		return rewrite_limit(d, node, out);
	case QUERY_WINDOW:
		return rewrite_window(d, node, out);
	case QUERY_AGGREGATE:
		return rewrite_aggregate(d, node, out);
	case QUERY_JOIN:
		return rewrite_join(d, node, out);
	default:
		return cross_domain(d, node, out);
	}
}

int decorrelate(struct binder *binder, struct query_node *node,
		const struct outer_list *outer, struct query_node *domain,
		struct query_node **out)
{
	struct decorrelation d = { binder, outer, domain, outer->refs.count,
				   { NULL, 0, 0 } };

	return input_with(&d, node, out);
}
