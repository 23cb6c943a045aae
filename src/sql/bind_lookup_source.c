/*
 * bind_lookup_source.c - UPDATE and DELETE whose subquery is their source
 *
 * Why:    DELETE ... WHERE id IN (SELECT ...) is a MERGE: it needs to look at
 *         the rows of the table with these ids only.
 * How:    one subquery that equates something of its own with something of
 *         the table, and has one row for what it equates: EXISTS and IN after
 *         DISTINCT, an aggregate by its groups. The clause is there twice:
 *         for rows with a match, and for those without one, where EXISTS is
 *         FALSE and the aggregate that of no rows. What can never be true is
 *         left out.
 * Limits: IN only where NULL counts as FALSE: as a condition of WHERE.
 */
#include "sql/bind_subquery.h"

struct source {
	struct binder *binder;
	struct bind_level *level;
	struct merge_plan *plan;
	struct subquery *subquery;
	struct late_values late;	/* a scalar query */
	struct pulled pulled;
	struct expr **outer;		/* values over the target's columns */
	struct expr *on;
};

static size_t count_uses(const struct expr *expr)
{
	size_t count = 0;

	if (!expr)
		return 0;
	if (expr->kind == EXPR_COLUMN)
		return place_kind(expr->column) == PLACE_SUBQUERY;
	for (size_t i = 0; i < expr->arg_count; i++)
		count += count_uses(expr->args[i]);
	return count;
}

/* Is the condition, or one of what AND joins in it, the subquery? */
static bool is_condition(const struct source *s)
{
	struct expr *condition = s->plan->clauses[0].condition;

	if (!condition || count_uses(condition) != 1)
		return false;
	for (size_t c = 0; c < s->plan->target_column_count; c++)
		if (count_uses(s->plan->clauses[0].values[c]))
			return false;
	for (size_t i = 0; i < expr_part_count(condition); i++) {
		const struct expr *part = expr_part(condition, i);

		if (part->kind == EXPR_COLUMN &&
		    place_kind(part->column) == PLACE_SUBQUERY)
			return true;
	}
	return false;
}

static int pull_subquery(struct source *s, bool *is_possible)
{
	struct subquery *subquery = s->subquery;
	bool depends;
	int rc = 0;

	*is_possible = false;
	s->late.node = subquery->node;
	if (subquery->kind == SUBQUERY_SCALAR)
		rc = late_values_of(s->binder, subquery->node,
				    subquery->outer, &s->late);
	if (rc || !s->late.node)
		return rc;
	rc = query_depends(s->binder, s->late.node, subquery->outer,
			   &depends);
	*is_possible = true;
	s->pulled.node = s->late.node;
	if (!rc && depends)
		rc = pull_up(s->binder, s->late.node, subquery->outer,
			     &s->pulled, is_possible);
	if (rc || !*is_possible)
		return rc;
	*is_possible = !s->pulled.residual;
	switch (subquery->kind) {
	case SUBQUERY_EXISTS:
		*is_possible = *is_possible && s->pulled.key_count;
		break;
	case SUBQUERY_IN:
		*is_possible = *is_possible && is_condition(s);
		break;
	case SUBQUERY_SCALAR:
		*is_possible = *is_possible && s->pulled.key_count &&
			       s->pulled.empty;
		break;
	}
	return 0;
}

static int add_key(struct source *s, struct expr *target, size_t column,
		   bool null_safe)
{
	struct binder *binder = s->binder;
	struct bound_value args[2] = { { 0 } }, result;
	struct sql_place *place = &s->subquery->place;
	int rc = column_expr(binder, s->plan->source, column, &args[1].expr);

	if (rc)
		return rc;
	args[0].expr = target;
	args[1].expr->column += s->plan->target_column_count;
	rc = bind_call(binder, null_safe ? "is distinct from" : "=", place,
		       args, 2, &result);
	if (!rc && null_safe) {
		struct expr *same;

		rc = expr_node(binder, EXPR_NOT, type_of(TYPE_BOOLEAN), 1,
			       place, &same);
		if (rc)
			return rc;
		same->args[0] = result.expr;
		result.expr = same;
	}
	if (rc)
		return rc;
	s->on = expr_and(binder->arena, s->on, result.expr);
	return s->on ? 0 : binder_no_memory(binder);
}

/* For EXISTS and IN: the distinct keys alone. */
static int distinct_keys(struct source *s)
{
	size_t values = s->subquery->value_count;
	size_t count = values + s->pulled.key_count;
	size_t *columns = binder_alloc(s->binder, count + 1,
				       sizeof(*columns));
	int rc;

	if (!columns)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < values; i++)
		columns[i] = i;
	for (size_t i = 0; i < s->pulled.key_count; i++)
		columns[values + i] = s->pulled.keys[i].right->column;
	rc = query_pick(s->binder, s->pulled.node, columns, count,
			&s->plan->source);
	return rc ? rc : distinct_new(s->binder, &s->plan->source);
}

static int make_source(struct source *s)
{
	struct subquery *subquery = s->subquery;
	bool is_scalar = subquery->kind == SUBQUERY_SCALAR;
	size_t values = subquery->value_count;
	int rc = 0;

	s->outer = binder_alloc(s->binder, subquery->outer->refs.count + 1,
				sizeof(*s->outer));
	if (!s->outer)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < subquery->outer->refs.count; i++)
		s->outer[i] = ((struct outer_ref *)
			       subquery->outer->refs.items[i])->expr;
	s->plan->source = s->pulled.node;
	if (!is_scalar)
		rc = distinct_keys(s);
	for (size_t i = 0; i < values && !rc; i++)
		rc = add_key(s, subquery->values[i], i, false);
	for (size_t i = 0; i < s->pulled.key_count && !rc; i++) {
		struct outer_change change = { s->outer, SIZE_MAX, 0 };
		struct expr *target;

		rc = expr_replace_outer(s->binder, s->pulled.keys[i].left,
					subquery->outer, &change, &target);
		if (!rc)
			rc = add_key(s, target, is_scalar ?
				     s->pulled.keys[i].right->column :
				     values + i, s->pulled.keys[i].null_safe);
	}
	s->plan->source_column_count = s->plan->source->schema->column_count;
	return rc;
}

/* Value i of a scalar query over the target's columns and the source's. */
static int late_value(struct source *s, size_t i, bool is_matched,
		      struct expr **out)
{
	struct outer_change change = { s->outer, 0,
				       s->plan->target_column_count };
	int rc = 0;

	*out = s->late.values[i];
	if (!is_matched) {
		rc = expr_over_values(s->binder, *out, s->pulled.empty, out);
		change.from = SIZE_MAX;
	}
	return rc ? rc : expr_replace_outer(s->binder, *out,
					    s->subquery->outer, &change, out);
}

/* What the subquery is for rows with a match, and for those without one. */
static int set_results(struct source *s, bool is_matched)
{
	struct subquery *subquery = s->subquery;
	struct literal truth = literal_null(type_of(TYPE_BOOLEAN));
	int rc = 0;

	subquery->results = binder_alloc(s->binder, subquery->column_count + 1,
					 sizeof(*subquery->results));
	if (!subquery->results)
		return ERROR_NO_MEMORY;
	truth.is_null = false;
	truth.value.boolean = is_matched;
	for (size_t i = 0; i < subquery->column_count && !rc; i++) {
		struct expr **result = &subquery->results[i];

		if (subquery->kind != SUBQUERY_SCALAR) {
			*result = expr_literal(s->binder->arena, &truth);
			rc = *result ? 0 : binder_no_memory(s->binder);
		} else {
			rc = late_value(s, i, is_matched, result);
		}
	}
	return rc;
}

static int settle_clause(struct source *s, const struct merge_clause *from,
			 bool is_matched, struct merge_clause *out)
{
	struct settle settle = { .binder = s->binder, .level = s->level };
	size_t count = s->plan->target_column_count;
	int rc = set_results(s, is_matched);

	*out = *from;
	out->match = is_matched ? WHEN_MATCHED : WHEN_NOT_MATCHED_BY_SOURCE;
	out->values = binder_alloc(s->binder, count + 1,
				   sizeof(*out->values));
	if (!out->values)
		return ERROR_NO_MEMORY;
	if (!rc && out->condition)
		rc = settle_expr(&settle, &out->condition);
	if (!rc && out->condition)
		rc = binder_fold(s->binder, &out->condition);
	if (!rc && expr_is_true(out->condition))
		out->condition = NULL;
	for (size_t i = 0; i < count && !rc; i++) {
		out->values[i] = from->values[i];
		if (!out->values[i])
			continue;
		rc = settle_expr(&settle, &out->values[i]);
		if (!rc)
			rc = binder_fold(s->binder, &out->values[i]);
	}
	return rc;
}

static int make_clauses(struct source *s)
{
	struct merge_plan *plan = s->plan;
	const struct merge_clause from = plan->clauses[0];
	struct merge_clause *clauses = binder_alloc(s->binder, 2,
						    sizeof(*clauses));
	size_t count = 0;
	int rc = clauses ? 0 : ERROR_NO_MEMORY;

	for (size_t i = 0; i < 2 && !rc; i++) {
		rc = settle_clause(s, &from, i == 0, &clauses[count]);
		if (!expr_is_false_or_null(clauses[count].condition))
			count++;
	}
	/* one at least: a statement that changes nothing is one too */
	plan->clauses = clauses;
	plan->clause_count = count ? count : 1;
	return rc;
}

int bind_lookup_source(struct binder *binder, struct bind_level *level,
		       struct merge_plan *plan, struct expr **on,
		       bool *is_done)
{
	struct source s = { .binder = binder, .level = level, .plan = plan };
	bool is_possible;
	int rc;

	*is_done = false;
	if (level->subqueries.count != 1)
		return 0;
	s.subquery = level->subqueries.items[0];
	rc = pull_subquery(&s, &is_possible);
	if (rc || !is_possible)
		return rc;
	rc = make_source(&s);
	if (!rc)
		rc = make_clauses(&s);
	if (rc)
		return rc;
	*on = s.on;
	plan->on_is_false = false;
	plan->source_is_lookup = true;
	*is_done = true;
	return 0;
}
