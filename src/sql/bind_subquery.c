/*
 * bind_subquery.c - queries inside expressions
 *
 * How:    the query is bound with the names around it in sight; what it takes
 *         from there is listed. It waits in the list of its level until the
 *         expression is settled, and is joined then (attach.c). IN, EXISTS
 *         and scalar queries are the three that a join can answer; = ANY is
 *         IN, <> ALL is NOT IN, and < ALL and its like compare with the least
 *         or greatest value.
 */
#include "sql/bind_subquery.h"

struct subquery *subquery_of(const struct bind_level *level, size_t number)
{
	for (size_t i = 0; i < level->subqueries.count; i++) {
		struct subquery *subquery = level->subqueries.items[i];

		if (number >= subquery->first &&
		    number < subquery->first + subquery->column_count)
			return subquery;
	}
	return NULL;
}

int outer_ref_add(struct binder *binder, struct outer_list *list,
		  struct expr *expr, size_t *number)
{
	struct outer_ref *ref;

	for (size_t i = 0; i < list->refs.count; i++) {
		ref = list->refs.items[i];
		*number = ref->number;
		if (expr_equal(ref->expr, expr))
			return 0;
	}
	ref = binder_alloc(binder, 1, sizeof(*ref));
	if (!ref)
		return ERROR_NO_MEMORY;
	*number = binder->outer_count++;
	ref->number = *number;
	ref->expr = expr;
	return ast_list_add(&list->refs, binder->arena, ref) ? 0 :
		binder_no_memory(binder);
}

/* The query with the scope around it; ORDER BY alone means nothing in it. */
static int bind_inner(struct binder *binder, const struct name_scope *scope,
		      const struct ast_query *ast, struct outer_list **outer,
		      struct bound_query *out)
{
	const struct name_scope *around = binder->around;
	struct outer_list *refs = binder->refs;
	int rc;

	*outer = binder_alloc(binder, 1, sizeof(**outer));
	if (!*outer)
		return ERROR_NO_MEMORY;
	binder->around = scope;
	binder->refs = *outer;
	rc = bind_query(binder, ast, out);
	binder->around = around;
	binder->refs = refs;
	return rc;
}

static int subquery_new(struct binder *binder, const struct name_scope *scope,
			const struct ast_expr *ast, enum subquery_kind kind,
			struct subquery **out)
{
	struct bind_level *level = scope->level;
	struct subquery *subquery = binder_alloc(binder, 1, sizeof(*subquery));

	*out = subquery;
	if (!subquery)
		return ERROR_NO_MEMORY;
	subquery->kind = kind;
	subquery->place = ast->place;
	subquery->clause = level->clause;
	return 0;
}

/* In the list of the level only when it is complete. */
static int subquery_add(struct binder *binder, struct bind_level *level,
			struct subquery *subquery, size_t column_count)
{
	subquery->first = level->result_count;
	subquery->column_count = column_count;
	level->result_count += column_count;
	return ast_list_add(&level->subqueries, binder->arena, subquery) ? 0 :
		binder_no_memory(binder);
}

static int result_expr(struct binder *binder, const struct subquery *subquery,
		       size_t i, struct type type, struct expr **out)
{
	*out = expr_column(binder->arena, place_column(PLACE_SUBQUERY,
						       subquery->first + i),
			   type);
	if (!*out)
		return binder_no_memory(binder);
	(*out)->line = subquery->place.line;
	(*out)->position = subquery->place.position;
	return 0;
}

static int check_columns(struct binder *binder, const struct ast_expr *ast,
			 const struct bound_query *query, size_t wanted)
{
	size_t count = query->node->schema->column_count;

	if (count == wanted)
		return 0;
	return sql_error(binder->err, ERROR_ARITY, &ast->query->place,
			 "a subquery with %zu columns where %zu %s needed",
			 count, wanted, wanted == 1 ? "is" : "are");
}

static int bind_scalar(struct binder *binder, const struct name_scope *scope,
		       const struct ast_expr *ast, struct bound_value *out)
{
	struct bound_query query;
	struct subquery *subquery;
	int rc = subquery_new(binder, scope, ast, SUBQUERY_SCALAR, &subquery);

	if (!rc)
		rc = bind_inner(binder, scope, ast->query, &subquery->outer,
				&query);
	if (!rc)
		rc = check_columns(binder, ast, &query, 1);
	if (rc)
		return rc;
	subquery->node = query.node;
	out->origins = query.origins[0];
	rc = subquery_add(binder, scope->level, subquery, 1);
	return rc ? rc : result_expr(binder, subquery, 0,
				     query.node->schema->columns[0].type,
				     &out->expr);
}

/* Is there a row? How they are sorted does not matter. */
static struct query_node *existence(struct query_node *node)
{
	for (;;) {
		bool is_limit = node->kind == QUERY_LIMIT ||
				node->kind == QUERY_SORT;

		if (!is_limit || node->offset || !node->limit)
			return node;
		node = node->inputs[0];
	}
}

static int bind_exists(struct binder *binder, const struct name_scope *scope,
		       const struct ast_expr *ast, struct bound_value *out)
{
	struct bound_query query;
	struct subquery *subquery;
	int rc = subquery_new(binder, scope, ast, SUBQUERY_EXISTS, &subquery);

	if (!rc)
		rc = bind_inner(binder, scope, ast->query, &subquery->outer,
				&query);
	if (rc)
		return rc;
	subquery->node = existence(query.node);
	rc = subquery_add(binder, scope->level, subquery, 1);
	return rc ? rc : result_expr(binder, subquery, 0,
				     type_of(TYPE_BOOLEAN), &out->expr);
}

/* The value and column i of the query get one type. */
static int unify_column(struct binder *binder, struct bound_value *value,
			const struct bound_query *query, size_t i,
			struct type *types)
{
	struct bound_value pair[2] = { { 0 } };
	int rc;

	pair[0] = *value;
	pair[1].place = value->place;
	pair[1].origins = query->origins[i];
	rc = column_expr(binder, query->node, i, &pair[1].expr);
	if (!rc)
		rc = values_unify(binder, pair, 2, "the value and the query of "
				  "IN", &types[i]);
	if (!rc)
		rc = binder_fold(binder, &pair[0].expr);
	*value = pair[0];
	return rc;
}

static int in_values(struct binder *binder, const struct ast_expr *ast,
		     struct bound_value *values, struct bound_query *query,
		     struct subquery *subquery)
{
	size_t count = query->node->schema->column_count;
	struct type *types = binder_alloc(binder, count + 1, sizeof(*types));
	int rc = types ? 0 : ERROR_NO_MEMORY;

	subquery->values = binder_alloc(binder, count + 1,
					sizeof(*subquery->values));
	if (!subquery->values)
		return ERROR_NO_MEMORY;
	subquery->value_count = count;
	for (size_t i = 0; i < count && !rc; i++) {
		rc = unify_column(binder, &values[i], query, i, types);
		subquery->values[i] = values[i].expr;
	}
	if (!rc)
		rc = query_coerce(binder, types, &ast->query->place, query);
	return rc;
}

static int bind_in_query(struct binder *binder,
			 const struct name_scope *scope,
			 const struct ast_expr *ast, struct bound_value *out)
{
	const struct ast_expr *left = ast->args[0];
	bool is_row = left->kind == AST_ROW && left->arg_count > 1;
	size_t count = is_row ? left->arg_count : 1;
	struct bound_value *values;
	struct bound_query query;
	struct subquery *subquery;
	int rc = subquery_new(binder, scope, ast, SUBQUERY_IN, &subquery);

	if (!rc)
		rc = bind_values(binder, scope, is_row ? left->args :
				 ast->args, count, &values);
	if (!rc)
		rc = bind_inner(binder, scope, ast->query, &subquery->outer,
				&query);
	if (!rc)
		rc = check_columns(binder, ast, &query, count);
	if (!rc)
		rc = in_values(binder, ast, values, &query, subquery);
	if (rc)
		return rc;
	subquery->node = query.node;
	rc = subquery_add(binder, scope->level, subquery, 1);
	return rc ? rc : result_expr(binder, subquery, 0,
				     type_of(TYPE_BOOLEAN), &out->expr);
}

/* What a quantified comparison needs to know of the query's column. */
enum summary {
	SUMMARY_MIN,
	SUMMARY_MAX,
	SUMMARY_ROWS,
	SUMMARY_VALUES,
	SUMMARY_NO_NAN,
	SUMMARY_COUNT,
};

static int summary_call(struct binder *binder, struct expr *column,
			const char *name, bool has_argument,
			struct aggregate_call *out)
{
	struct aggregate_lookup lookup = { .name = name,
					   .args = &column->type,
					   .arg_count = has_argument,
					   .arena = binder->arena };
	int rc = aggregate_resolve(&lookup, binder->err);

	if (rc)
		return rc;
	out->function = lookup.function;
	out->type = lookup.result;
	out->arg_count = has_argument;
	out->args = binder_alloc(binder, 1, sizeof(*out->args));
	if (!out->args)
		return ERROR_NO_MEMORY;
	out->args[0] = column;
	return 0;
}

/* NaN compares with nothing, and least and greatest leave it out. */
static int no_nan(struct binder *binder, struct expr *column,
		  const struct sql_place *place, struct expr **out)
{
	struct bound_value args[2] = { { 0 } }, equal;
	int rc;

	args[0].expr = args[1].expr = column;
	rc = bind_call(binder, "=", place, args, 2, &equal);
	*out = equal.expr;
	return rc;
}

static int summarize(struct binder *binder, const struct ast_expr *ast,
		     struct bound_query *query)
{
	static const char *const names[] = { "min", "max", "count", "count",
					     "bool_and" };
	struct query_aggregate *aggregate;
	struct query_node *node;
	struct expr *column, *equal;
	int rc = query_node_new(binder, QUERY_AGGREGATE, SUMMARY_COUNT, &node);

	aggregate = binder_alloc(binder, 1, sizeof(*aggregate));
	if (!rc && !aggregate)
		rc = ERROR_NO_MEMORY;
	if (!rc)
		rc = query_input(binder, node, query->node);
	if (!rc)
		rc = column_expr(binder, query->node, 0, &column);
	if (!rc)
		rc = no_nan(binder, column, &ast->place, &equal);
	if (rc)
		return rc;
	node->aggregate = aggregate;
	aggregate->call_count = SUMMARY_COUNT;
	aggregate->calls = binder_alloc(binder, SUMMARY_COUNT,
					sizeof(*aggregate->calls));
	if (!aggregate->calls)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < SUMMARY_COUNT && !rc; i++) {
		rc = summary_call(binder, i == SUMMARY_NO_NAN ? equal : column,
				  names[i], i != SUMMARY_ROWS,
				  &aggregate->calls[i]);
		node->schema->columns[i].name = (char *)(uintptr_t)names[i];
		node->schema->columns[i].type = aggregate->calls[i].type;
	}
	if (rc)
		error_at(binder->err, binder->file, ast->place.line,
			 ast->place.position);
	query->node = node;
	return rc;
}

static int truth(struct binder *binder, bool value, struct expr **out)
{
	struct literal literal = literal_null(type_of(TYPE_BOOLEAN));

	literal.is_null = false;
	literal.value.boolean = value;
	*out = expr_literal(binder->arena, &literal);
	return *out ? 0 : binder_no_memory(binder);
}

/* x op a, or its opposite. */
static int compare(struct binder *binder, const struct ast_expr *ast,
		   const char *name, struct expr *x, struct expr *a,
		   struct expr **out)
{
	struct bound_value args[2] = { { 0 } }, result;
	int rc;

	args[0].expr = x;
	args[1].expr = a;
	args[0].place = args[1].place = ast->place;
	rc = bind_call(binder, name, &ast->place, args, 2, &result);
	*out = result.expr;
	return rc;
}

static int node_of(struct binder *binder, const struct ast_expr *ast,
		   enum expr_kind kind, struct expr *a, struct expr *b,
		   struct expr **out)
{
	int rc = expr_node(binder, kind, type_of(TYPE_BOOLEAN), b ? 2 : 1,
			   &ast->place, out);

	if (rc)
		return rc;
	(*out)->args[0] = a;
	if (b)
		(*out)->args[1] = b;
	return 0;
}

/* What decides: for ANY that one compares, for ALL that one does not. */
static int deciding(struct binder *binder, const struct ast_expr *ast,
		    struct expr *x, struct expr *const *of, bool is_all,
		    struct expr **out)
{
	bool is_less = *ast->text == '<' && ast->text[1] != '>';
	bool is_equal = *ast->text == '=' || !strcmp(ast->text, "<>");
	struct expr *other;
	int rc;

	if (is_equal) {
		rc = compare(binder, ast, "<>", x, of[SUMMARY_MIN], out);
		if (!rc)
			rc = compare(binder, ast, "<>", x, of[SUMMARY_MAX],
				     &other);
		if (!rc)
			rc = node_of(binder, ast, EXPR_OR, *out, other, out);
	} else {
		rc = compare(binder, ast, ast->text, x,
			     of[is_less == is_all ? SUMMARY_MIN : SUMMARY_MAX],
			     out);
		if (!rc && is_all)
			rc = node_of(binder, ast, EXPR_NOT, *out, NULL, out);
	}
	if (rc || !(is_all || is_equal) ||
	    (of[SUMMARY_MIN]->type.id != TYPE_REAL &&
	     of[SUMMARY_MIN]->type.id != TYPE_DOUBLE))
		return rc;
	rc = node_of(binder, ast, EXPR_NOT, of[SUMMARY_NO_NAN], NULL, &other);
	return rc ? rc : node_of(binder, ast, EXPR_OR, *out, other, out);
}

/*
 * CASE WHEN there is no row THEN is_all WHEN one decides THEN NOT is_all
 * WHEN a NULL is in it THEN NULL ELSE is_all END
 */
static int quantified_case(struct binder *binder, const struct ast_expr *ast,
			   struct expr *x, struct expr *const *of,
			   bool is_all, struct expr **out)
{
	struct type boolean = type_of(TYPE_BOOLEAN);
	struct literal zero = literal_null(type_of(TYPE_BIGINT));
	struct expr *none, *nulls, **args;
	int rc = expr_node(binder, EXPR_CASE, boolean, 7, &ast->place, out);

	if (rc)
		return rc;
	args = (*out)->args;
	zero.is_null = false;
	zero.value.int64 = 0;
	none = expr_literal(binder->arena, &zero);
	args[5] = null_expr(binder, &boolean);
	if (!none || !args[5])
		return binder_no_memory(binder);
	rc = compare(binder, ast, "=", of[SUMMARY_ROWS], none, &args[0]);
	if (!rc)
		rc = truth(binder, is_all, &args[1]);
	if (!rc)
		rc = deciding(binder, ast, x, of, is_all, &args[2]);
	if (!rc)
		rc = truth(binder, !is_all, &args[3]);
	if (!rc)
		rc = compare(binder, ast, "<", of[SUMMARY_VALUES],
			     of[SUMMARY_ROWS], &nulls);
	if (!rc)
		rc = node_of(binder, ast, EXPR_IS_NULL, x, NULL, &none);
	if (!rc)
		rc = node_of(binder, ast, EXPR_OR, nulls, none, &args[4]);
	return rc ? rc : truth(binder, is_all, &args[6]);
}

static int bind_compared(struct binder *binder,
			 const struct name_scope *scope,
			 const struct ast_expr *ast, struct bound_value *out)
{
	bool is_any_unequal = !strcmp(ast->text, "<>") && !ast->is_all;
	struct expr *of[SUMMARY_COUNT];
	struct bound_value value;
	struct bound_query query;
	struct subquery *subquery;
	struct type type;
	int rc = subquery_new(binder, scope, ast, SUBQUERY_SCALAR, &subquery);

	if (!rc)
		rc = bind_value(binder, scope, ast->args[0], &value);
	if (!rc)
		rc = bind_inner(binder, scope, ast->query, &subquery->outer,
				&query);
	if (!rc)
		rc = check_columns(binder, ast, &query, 1);
	if (!rc)
		rc = unify_column(binder, &value, &query, 0, &type);
	if (!rc && type.id == TYPE_UNKNOWN && strcmp(ast->text, "<>") &&
	    strcmp(ast->text, "=")) {
		untyped_ordered(value.origins);
		untyped_ordered(query.origins[0]);
	}
	if (!rc)
		rc = query_coerce(binder, &type, &ast->query->place, &query);
	if (!rc)
		rc = summarize(binder, ast, &query);
	if (rc)
		return rc;
	subquery->node = query.node;
	rc = subquery_add(binder, scope->level, subquery, SUMMARY_COUNT);
	for (size_t i = 0; i < SUMMARY_COUNT && !rc; i++)
		rc = result_expr(binder, subquery, i,
				 query.node->schema->columns[i].type, &of[i]);
	if (!rc)
		rc = quantified_case(binder, ast, value.expr, of, ast->is_all ||
				     is_any_unequal, &out->expr);
	/* one differs: not all are equal */
	if (!rc && is_any_unequal)
		rc = node_of(binder, ast, EXPR_NOT, out->expr, NULL,
			     &out->expr);
	return rc;
}

static int bind_quantified(struct binder *binder,
			   const struct name_scope *scope,
			   const struct ast_expr *ast,
			   struct bound_value *out)
{
	int rc;

	if (!strcmp(ast->text, "=") && !ast->is_all)
		return bind_in_query(binder, scope, ast, out);
	if (strcmp(ast->text, "<>") || !ast->is_all)
		return bind_compared(binder, scope, ast, out);
	rc = bind_in_query(binder, scope, ast, out);
	return rc ? rc : node_of(binder, ast, EXPR_NOT, out->expr, NULL,
				 &out->expr);
}

int bind_subquery(struct binder *binder, const struct name_scope *scope,
		  const struct ast_expr *ast, struct bound_value *out)
{
	if (!scope || !scope->level)
		return sql_error(binder->err, ERROR_UNSUPPORTED, &ast->place,
				 "a subquery cannot stand here");
	switch (ast->kind) {
	case AST_EXISTS:
		return bind_exists(binder, scope, ast, out);
	case AST_IN_QUERY:
		return bind_in_query(binder, scope, ast, out);
	case AST_QUANTIFIED:
		return bind_quantified(binder, scope, ast, out);
	default:
		return bind_scalar(binder, scope, ast, out);
	}
}
