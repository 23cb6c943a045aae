/*
 * pull_up.c - a subquery that is tied to the query around by its WHERE
 *
 * Why:    most are: ... WHERE s.id = t.id. Then it is computed once for all
 *         ids that it has, and looked up.
 * How:    conditions that equate something of the subquery with something of
 *         the query around go up as keys; what they compare is a further
 *         column on the way, and a group of aggregates. Other conditions go
 *         up too, where no aggregate is on the way.
 * Limits: any other tie is left to decorrelate.c.
 */
#include "sql/bind_subquery.h"

struct pull {
	struct binder *binder;
	const struct outer_list *outer;
	struct query_node *node;
	struct ast_list keys;		/* struct join_key */
	struct expr *residual;
	struct expr *guard;		/* parts of residual, of no column */
	struct expr **empty;
	bool is_possible;
};

static int pull(struct pull *p, struct query_node *node);

static int depends_on(struct pull *p, const struct query_node *node,
		      bool *out)
{
	return query_depends(p->binder, node, p->outer, out);
}

static bool reads_columns(const struct expr *expr)
{
	return !expr_within(expr, 0, 0);
}

/* "a = b" with an inner and an outer side. */
static int add_key(struct pull *p, struct expr *part, bool *is_key)
{
	bool null_safe = part->kind == EXPR_NOT;
	struct expr *call = null_safe ? part->args[0] : part;
	struct join_key *key;
	bool is_first;

	*is_key = false;
	if (call->kind != EXPR_CALL || call->arg_count != 2 ||
	    strcmp(function_name(call->function),
		   null_safe ? "is distinct from" : "="))
		return 0;
	is_first = expr_depends(call->args[0], p->outer);
	if (is_first == expr_depends(call->args[1], p->outer) ||
	    reads_columns(call->args[is_first ? 0 : 1]) ||
	    !reads_columns(call->args[is_first ? 1 : 0]))
		return 0;
	key = binder_alloc(p->binder, 1, sizeof(*key));
	if (!key)
		return ERROR_NO_MEMORY;
	key->left = call->args[is_first ? 0 : 1];
	key->right = call->args[is_first ? 1 : 0];
	key->null_safe = null_safe;
	*is_key = true;
	if (!ast_list_add(&p->keys, p->binder->arena, key))
		return binder_no_memory(p->binder);
	return p->guard ? expr_guard(p->binder, p->guard, &key->left) : 0;
}

/* A part that is no key: above the join, or in the subquery. */
static int keep_part(struct pull *p, struct expr *part, struct expr **kept)
{
	bool depends = expr_depends(part, p->outer);
	struct expr **slot = depends ? &p->residual : kept;

	*slot = expr_and(p->binder->arena, *slot, part);
	if (!*slot)
		return binder_no_memory(p->binder);
	if (!depends || reads_columns(part))
		return 0;
	p->guard = expr_and(p->binder->arena, p->guard, part);
	return p->guard ? 0 : binder_no_memory(p->binder);
}

static int pull_filter(struct pull *p, struct query_node *node)
{
	struct expr *kept = NULL;
	int rc = pull(p, node->inputs[0]);

	/* HAVING of a global aggregate takes away its one row */
	if (rc || !p->is_possible || p->empty) {
		p->is_possible = false;
		return rc;
	}
	for (size_t i = 0; i < expr_part_count(node->condition) && !rc; i++) {
		struct expr *part = expr_part(node->condition, i);
		bool is_key = false;

		if (expr_depends(part, p->outer))
			rc = add_key(p, part, &is_key);
		if (!rc && !is_key)
			rc = keep_part(p, part, &kept);
	}
	if (!rc && kept)
		rc = filter_new(p->binder, kept, &p->node);
	return rc;
}

static int project_empty(struct pull *p, const struct query_node *node)
{
	struct expr **empty = p->empty;
	size_t count = node->schema->column_count;
	int rc = 0;

	if (!empty)
		return 0;
	p->empty = binder_alloc(p->binder, count + 1, sizeof(*p->empty));
	if (!p->empty)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < count && !rc; i++) {
		rc = expr_over_values(p->binder, node->exprs[i], empty,
				      &p->empty[i]);
		if (!rc)
			rc = binder_fold(p->binder, &p->empty[i]);
	}
	return rc;
}

/* A projection like this one, with what goes up through it. */
static int project_over(struct pull *p, const struct query_node *node,
			size_t count)
{
	size_t more = p->keys.count + expr_column_uses(p->residual);
	struct query_node *copy;
	int rc = query_node_new(p->binder, QUERY_PROJECT, count + more, &copy);

	if (!rc)
		rc = query_input(p->binder, copy, p->node);
	if (rc)
		return rc;
	copy->schema->column_count = count;
	copy->exprs = binder_alloc(p->binder, count + more + 1,
				   sizeof(*copy->exprs));
	if (!copy->exprs)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < count && !rc; i++)
		rc = project_set(p->binder, copy, i,
				 node->schema->columns[i].name,
				 node->exprs[i]);
	for (size_t i = 0; i < p->keys.count && !rc; i++) {
		struct join_key *key = p->keys.items[i];

		rc = project_carry(p->binder, copy, key->right, &key->right);
	}
	if (!rc && p->residual)
		rc = project_carry_columns(p->binder, copy, p->residual,
					   &p->residual);
	p->node = copy;
	return rc;
}

static int pull_project(struct pull *p, struct query_node *node)
{
	int rc;

	for (size_t i = 0; i < node->schema->column_count; i++)
		if (expr_depends(node->exprs[i], p->outer)) {
			p->is_possible = false;
			return 0;
		}
	rc = pull(p, node->inputs[0]);
	if (rc || !p->is_possible)
		return rc;
	rc = project_empty(p, node);
	return rc ? rc : project_over(p, node, node->schema->column_count);
}

static bool calls_depend(const struct query_aggregate *aggregate,
			 const struct outer_list *outer)
{
	for (size_t i = 0; i < aggregate->group_count; i++)
		if (expr_depends(aggregate->groups[i], outer))
			return true;
	for (size_t i = 0; i < aggregate->call_count; i++) {
		const struct aggregate_call *call = &aggregate->calls[i];

		if (expr_depends(call->filter, outer))
			return true;
		for (size_t k = 0; k < call->arg_count; k++)
			if (expr_depends(call->args[k], outer))
				return true;
		for (size_t k = 0; k < call->order_count; k++)
			if (expr_depends(call->order[k].expr, outer))
				return true;
	}
	return false;
}

/* Without a row count gives 0, the others NULL. */
static int set_empty(struct pull *p, const struct query_aggregate *aggregate)
{
	p->empty = binder_alloc(p->binder, aggregate->call_count + 1,
				sizeof(*p->empty));
	if (!p->empty)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < aggregate->call_count; i++) {
		const struct aggregate_call *call = &aggregate->calls[i];
		struct literal literal = literal_null(call->type);

		if (!strncmp(aggregate_name(call->function), "count", 5)) {
			literal.is_null = false;
			literal.value.int64 = 0;
		}
		p->empty[i] = expr_literal(p->binder->arena, &literal);
		if (!p->empty[i])
			return binder_no_memory(p->binder);
	}
	return 0;
}

/* Groups by the keys first; then its own columns, then the keys. */
static int pull_aggregate(struct pull *p, struct query_node *node)
{
	const struct query_aggregate *from = node->aggregate;
	size_t keys, count = node->schema->column_count, *columns;
	struct query_aggregate *to = binder_alloc(p->binder, 1, sizeof(*to));
	struct query_node *copy;
	int rc = to ? 0 : ERROR_NO_MEMORY;

	p->is_possible = !calls_depend(from, p->outer);
	if (!rc && p->is_possible)
		rc = pull(p, node->inputs[0]);
	if (!rc && p->empty)
		p->is_possible = false;
	if (p->residual)
		p->is_possible = false;
	if (rc || !p->is_possible)
		return rc;
	keys = p->keys.count;
	*to = *from;
	to->group_count = from->group_count + keys;
	to->groups = binder_alloc(p->binder, to->group_count + 1,
				  sizeof(*to->groups));
	columns = binder_alloc(p->binder, count + keys + 1, sizeof(*columns));
	rc = query_node_new(p->binder, QUERY_AGGREGATE, count + keys, &copy);
	if (!rc)
		rc = query_input(p->binder, copy, p->node);
	if (rc || !to->groups || !columns)
		return rc ? rc : ERROR_NO_MEMORY;
	copy->aggregate = to;
	for (size_t i = 0; i < keys; i++) {
		struct join_key *key = p->keys.items[i];

		to->groups[i] = key->right;
		copy->schema->columns[i].name = (char *)"_key";
		copy->schema->columns[i].type = key->right->type;
		columns[count + i] = i;
	}
	for (size_t i = 0; i < count; i++) {
		if (i < from->group_count)
			to->groups[keys + i] = from->groups[i];
		copy->schema->columns[keys + i].name =
			node->schema->columns[i].name;
		copy->schema->columns[keys + i].type =
			node->schema->columns[i].type;
		columns[i] = keys + i;
	}
	rc = query_pick(p->binder, copy, columns, count + keys, &p->node);
	for (size_t i = 0; i < keys && !rc; i++) {
		struct join_key *key = p->keys.items[i];

		rc = column_expr(p->binder, p->node, count + i, &key->right);
	}
	return !rc && !from->group_count ? set_empty(p, from) : rc;
}

static int pull_distinct(struct pull *p, struct query_node *node)
{
	struct query_node *distinct;
	int rc = pull(p, node->inputs[0]);

	if (p->residual || p->empty)
		p->is_possible = false;
	if (rc || !p->is_possible)
		return rc;
	/* the keys must be columns of it */
	rc = project_new(p->binder, p->node, 0, &distinct);
	if (!rc)
		rc = project_over(p, distinct,
				  distinct->schema->column_count);
	if (!rc)
		rc = query_node_new(p->binder, QUERY_DISTINCT, 0, &distinct);
	if (!rc)
		rc = query_input(p->binder, distinct, p->node);
	if (rc)
		return rc;
	distinct->schema = p->node->schema;
	p->node = distinct;
	return 0;
}

static int pull(struct pull *p, struct query_node *node)
{
	bool depends;
	int rc = depends_on(p, node, &depends);

	if (rc)
		return rc;
	p->node = node;
	if (!depends)
		return 0;
	switch (node->kind) {
	case QUERY_FILTER:
		return pull_filter(p, node);
	case QUERY_PROJECT:
		return pull_project(p, node);
	case QUERY_AGGREGATE:
		return pull_aggregate(p, node);
	case QUERY_DISTINCT:
		return pull_distinct(p, node);
	default:
		p->is_possible = false;
		return 0;
	}
}

/* Keys as columns of the result: they may be expressions over it still. */
static int finish(struct pull *p)
{
	struct query_node *columns;
	int rc = project_new(p->binder, p->node, 0, &columns);

	return rc ? rc : project_over(p, columns,
				      columns->schema->column_count);
}

int pull_up(struct binder *binder, struct query_node *node,
	    const struct outer_list *outer, struct pulled *out,
	    bool *is_pulled)
{
	struct pull p = { .binder = binder, .outer = outer,
			  .is_possible = true };
	int rc = pull(&p, node);

	memset(out, 0, sizeof(*out));
	*is_pulled = false;
	if (!rc && p.is_possible)
		rc = finish(&p);
	if (rc || !p.is_possible)
		return rc;
	out->keys = binder_alloc(binder, p.keys.count + 1,
				 sizeof(*out->keys));
	if (!out->keys)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < p.keys.count; i++)
		out->keys[i] = *(struct join_key *)p.keys.items[i];
	out->key_count = p.keys.count;
	out->node = p.node;
	out->residual = p.residual;
	out->empty = p.empty;
	*is_pulled = true;
	return 0;
}
