/*
 * bind_join.c - FROM: relations and their joins
 *
 * The columns of a join are those of its left side, then those of its right
 * one. A column that USING or NATURAL merges is one of a further source that
 * has no name: it comes first in SELECT *, and the bare name means it.
 */
#include "sql/bind_subquery.h"

struct join_binder {
	struct binder *binder;
	const struct ast_relation *ast;
	struct bound_from left;
	struct bound_from right;
	size_t left_count;
	size_t right_count;
	struct name_scope scope;	/* of both sides */
	struct expr *condition;
	struct bind_level level;
	/* Columns that both sides share by name. */
	struct ast_column_name **merged;
	size_t merged_count;
	struct expr **merged_exprs;	/* over the columns of the join */
	struct origin **merged_origins;
};

static int single_from(struct binder *binder, const struct ast_relation *ast,
		       struct bound_from *out)
{
	const struct relation *relation;
	struct scope_source *source;
	int rc = bind_relation(binder, ast, &out->query);

	if (rc)
		return rc;
	source = binder_alloc(binder, 1, sizeof(*source));
	if (!source)
		return ERROR_NO_MEMORY;
	source->alias = ast->alias;
	source->table = ast->kind == AST_RELATION_NAME ? &ast->name : NULL;
	source->what = "table";
	relation = query_relation(out->query.node);
	source->file = relation ? relation->file : NULL;
	source->declares = relation && relation->declares;
	source->schema = out->query.node->schema;
	source->origins = out->query.origins;
	out->sources = source;
	out->source_count = 1;
	return 0;
}

int scope_source_move(struct binder *binder, struct scope_source *source,
		      size_t by)
{
	size_t count = source->schema->column_count, *ordinals;

	source->first += by;
	if (!source->ordinals)
		return 0;
	ordinals = binder_alloc(binder, count + 1, sizeof(*ordinals));
	if (!ordinals)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < count; i++)
		ordinals[i] = source->ordinals[i] + by;
	source->ordinals = ordinals;
	return 0;
}

static int combine_sources(struct join_binder *j, struct bound_from *out)
{
	struct binder *binder = j->binder;
	size_t left = j->left.source_count, right = j->right.source_count;
	int rc = 0;

	/* room for merged columns in front */
	out->sources = binder_alloc(binder, 1 + left + right,
				    sizeof(*out->sources));
	if (!out->sources)
		return ERROR_NO_MEMORY;
	out->sources++;
	memcpy(out->sources, j->left.sources, left * sizeof(*out->sources));
	memcpy(out->sources + left, j->right.sources,
	       right * sizeof(*out->sources));
	out->source_count = left + right;
	for (size_t i = left; i < left + right && !rc; i++)
		rc = scope_source_move(binder, &out->sources[i],
				       j->left_count);
	j->scope.sources = out->sources;
	j->scope.source_count = out->source_count;
	j->scope.level = &j->level;
	j->scope.outer = binder->around;
	j->scope.refs = binder->refs;
	return rc;
}

/* The names that stand in both sides. */
static int natural_columns(struct join_binder *j)
{
	struct ast_list names = { NULL, 0, 0 };
	struct name_scope right = { 0 };

	right.sources = j->right.sources;
	right.source_count = j->right.source_count;
	for (size_t s = 0; s < j->left.source_count; s++) {
		const struct scope_source *source = &j->left.sources[s];

		for (size_t c = 0; c < source->schema->column_count; c++) {
			struct ast_column_name *name;

			if ((source->merged && source->merged[c]) ||
			    !name_scope_has(&right,
					    source->schema->columns[c].name))
				continue;
			name = binder_alloc(j->binder, 1, sizeof(*name));
			if (!name)
				return ERROR_NO_MEMORY;
			name->name = source->schema->columns[c].name;
			name->place = j->ast->place;
			if (!ast_list_add(&names, j->binder->arena, name))
				return binder_no_memory(j->binder);
		}
	}
	j->merged = (struct ast_column_name **)names.items;
	j->merged_count = names.count;
	return 0;
}

/* The column of one side; its expression is over both. */
static int side_column(struct join_binder *j, bool is_right,
		       const struct ast_column_name *column,
		       struct bound_value *out)
{
	struct scope_source *sources = j->scope.sources;
	struct name_scope scope = { 0 };
	struct ast_expr ast = { .kind = AST_NAME, .place = column->place };
	const char *part = column->name;

	scope.sources = is_right ? sources + j->left.source_count : sources;
	scope.source_count = is_right ? j->right.source_count
				      : j->left.source_count;
	ast.name.parts = &part;
	ast.name.count = 1;
	ast.name.place = column->place;
	return bind_value(j->binder, &scope, &ast, out);
}

/* What the merged column is: of an outer join's side that always is there. */
static int merge_column(struct join_binder *j, size_t i,
			struct bound_value *sides)
{
	struct binder *binder = j->binder;
	struct expr *expr;
	struct type type;
	int rc = values_unify(binder, sides, 2, "the columns of USING", &type);

	if (rc)
		return rc;
	expr = sides[j->ast->join == JOIN_RIGHT ? 1 : 0].expr;
	if (j->ast->join == JOIN_FULL) {
		rc = expr_node(binder, EXPR_COALESCE, type, 2,
			       &j->merged[i]->place, &expr);
		if (rc)
			return rc;
		expr->args[0] = sides[0].expr;
		expr->args[1] = sides[1].expr;
	}
	j->merged_exprs[i] = expr;
	rc = origin_concat(binder, sides[0].origins, &j->merged_origins[i]);
	if (!rc)
		rc = origin_concat(binder, sides[1].origins,
				   &j->merged_origins[i]);
	return rc;
}

static int bind_using(struct join_binder *j)
{
	struct binder *binder = j->binder;
	size_t count = j->merged_count;
	int rc = 0;

	j->merged_exprs = binder_alloc(binder, count + 1,
				       sizeof(*j->merged_exprs));
	j->merged_origins = binder_alloc(binder, count + 1,
					 sizeof(*j->merged_origins));
	if (!j->merged_exprs || !j->merged_origins)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < count && !rc; i++) {
		struct bound_value sides[2], args[2], equal;

		rc = side_column(j, false, j->merged[i], &sides[0]);
		if (!rc)
			rc = side_column(j, true, j->merged[i], &sides[1]);
		args[0] = sides[0];
		args[1] = sides[1];
		if (!rc)
			rc = bind_call(binder, "=", &j->merged[i]->place,
				       args, 2, &equal);
		if (!rc)
			rc = merge_column(j, i, sides);
		if (rc)
			return rc;
		j->condition = expr_and(binder->arena, j->condition,
					equal.expr);
		if (!j->condition)
			return binder_no_memory(binder);
	}
	return 0;
}

/* The columns that were merged are found under their own table's name. */
static int hide_merged(struct join_binder *j)
{
	bool **flags = binder_alloc(j->binder, j->scope.source_count + 1,
				    sizeof(*flags));

	if (!flags)
		return ERROR_NO_MEMORY;
	for (size_t s = 0; s < j->scope.source_count; s++) {
		struct scope_source *source = &j->scope.sources[s];
		size_t count = source->schema->column_count;

		flags[s] = binder_alloc(j->binder, count + 1, sizeof(bool));
		if (!flags[s])
			return ERROR_NO_MEMORY;
		for (size_t c = 0; c < count; c++) {
			const char *name = source->schema->columns[c].name;

			flags[s][c] = source->merged && source->merged[c];
			for (size_t i = 0; i < j->merged_count; i++)
				if (text_equal_nocase(name,
						      j->merged[i]->name))
					flags[s][c] = true;
		}
		source->merged = flags[s];
	}
	return 0;
}

/* The source of the merged columns, in front of the others. */
static int add_merged(struct join_binder *j, struct bound_from *out)
{
	struct binder *binder = j->binder;
	struct query_node *node, *names;
	struct scope_source *source;
	size_t *ordinals, count = out->query.node->schema->column_count;
	int rc = hide_merged(j);

	if (!rc)
		rc = project_new(binder, out->query.node, j->merged_count,
				 &node);
	if (!rc)
		rc = query_node_new(binder, QUERY_PROJECT, j->merged_count,
				    &names);
	if (rc)
		return rc;
	ordinals = binder_alloc(binder, j->merged_count + 1,
				sizeof(*ordinals));
	if (!ordinals)
		return ERROR_NO_MEMORY;
	source = --out->sources;
	out->source_count++;
	memset(source, 0, sizeof(*source));
	source->what = "table";
	source->schema = names->schema;
	source->origins = j->merged_origins;
	source->ordinals = ordinals;
	for (size_t i = 0; i < j->merged_count && !rc; i++) {
		struct expr *expr = j->merged_exprs[i];

		names->schema->columns[i].name =
			(char *)(uintptr_t)j->merged[i]->name;
		names->schema->columns[i].type = expr->type;
		ordinals[i] = expr->kind == EXPR_COLUMN ? expr->column
							: count++;
		if (expr->kind != EXPR_COLUMN)
			rc = project_set(binder, node, ordinals[i],
					 j->merged[i]->name, expr);
	}
	if (rc || count == out->query.node->schema->column_count)
		return rc;
	node->schema->column_count = count;
	out->query.node = node;
	return 0;
}

static int both_conditions(struct join_binder *j, struct expr **slot,
			   struct expr *more)
{
	if (!more)
		return 0;
	*slot = expr_and(j->binder->arena, *slot, more);
	return *slot ? 0 : binder_no_memory(j->binder);
}

/* Whose parts of ON are asked with the keys: an outer join's rows of that side
 * are there whatever ON says of them. */
static unsigned kept_sides(enum join_kind kind)
{
	unsigned flags = SPLIT_IN_ORDER;

	if (kind != JOIN_INNER && kind != JOIN_RIGHT)
		flags |= SPLIT_KEEPS_LEFT;
	if (kind != JOIN_INNER && kind != JOIN_LEFT)
		flags |= SPLIT_KEEPS_RIGHT;
	return flags;
}

/* Parts of ON that read one side only go below the join. */
static int push_sides(struct join_binder *j, const struct equi_split *split)
{
	struct expr *condition;
	int rc = 0;

	if (split->left_only)
		rc = filter_new(j->binder, split->left_only,
				&j->left.query.node);
	if (rc || !split->right_only)
		return rc;
	rc = expr_shift(j->binder, split->right_only, j->left_count,
			-(ptrdiff_t)j->left_count, &condition);
	return rc ? rc : filter_new(j->binder, condition,
				    &j->right.query.node);
}

/* Parts with subqueries or outer values of an inner join's ON: above it. */
static int hold_back(struct join_binder *j, struct expr **above)
{
	struct expr *condition = j->condition, *kept = NULL;
	int rc = 0;

	*above = NULL;
	if (!condition || j->ast->join != JOIN_INNER)
		return 0;
	for (size_t i = 0; i < expr_part_count(condition) && !rc; i++) {
		struct expr *part = expr_part(condition, i);

		if (expr_has_place(part, PLACE_SUBQUERY) ||
		    expr_has_place(part, PLACE_OUTER))
			rc = both_conditions(j, above, part);
		else
			rc = both_conditions(j, &kept, part);
	}
	j->condition = kept;
	return rc;
}

/* Subqueries in ON of an outer join; *joined is the join if it has to be made
 * in parts. */
static int settle_outer_on(struct join_binder *j, struct query_node **joined)
{
	struct outer_on on = {
		.level = &j->level, .kind = j->ast->join,
		.left = j->left.query.node, .right = j->right.query.node,
		.condition = j->condition,
	};
	int rc = outer_on_settle(j->binder, &on, joined);

	j->right.query.node = on.right;
	j->condition = on.condition;
	return rc;
}

static int make_join(struct join_binder *j, struct bound_from *out)
{
	struct binder *binder = j->binder;
	struct settle settle = { .binder = binder, .level = &j->level };
	struct query_node *joined = NULL;
	struct equi_split split;
	struct expr *above;
	int rc = hold_back(j, &above);

	if (!rc && j->condition &&
	    expr_has_place(j->condition, PLACE_SUBQUERY))
		rc = settle_outer_on(j, &joined);
	if (joined)
		out->query.node = joined;
	if (rc || joined)
		return rc;
	rc = equi_split(binder, j->condition, j->left_count,
			kept_sides(j->ast->join), &split);
	if (!rc)
		rc = push_sides(j, &split);
	if (!rc)
		rc = join_new(binder, j->ast->join, j->left.query.node,
			      j->right.query.node, &split, &out->query.node);
	if (rc)
		return rc;
	settle.input = &out->query.node;
	settle.named = out->query.node->schema;
	return settle_filter(&settle, above);
}

static int bind_join(struct binder *binder, const struct ast_relation *ast,
		     struct bound_from *out)
{
	struct join_binder j = { .binder = binder, .ast = ast };
	int rc = bind_from(binder, ast->left, &j.left);

	j.level.where = "ON";
	if (!rc)
		rc = bind_from(binder, ast->right, &j.right);
	if (rc)
		return rc;
	j.left_count = j.left.query.node->schema->column_count;
	j.right_count = j.right.query.node->schema->column_count;
	rc = combine_sources(&j, out);
	j.merged = ast->using_columns;
	j.merged_count = ast->using_count;
	if (!rc && ast->is_natural)
		rc = natural_columns(&j);
	if (!rc && j.merged_count)
		rc = bind_using(&j);
	else if (!rc)
		rc = bind_condition(binder, &j.scope, ast->on,
				    "the condition of ON", &j.condition);
	if (!rc)
		rc = make_join(&j, out);
	if (!rc && j.merged_count)
		rc = add_merged(&j, out);
	return rc;
}

int bind_from(struct binder *binder, const struct ast_relation *ast,
	      struct bound_from *out)
{
	int rc = binder_enter(binder, &ast->place);

	memset(out, 0, sizeof(*out));
	if (!rc)
		rc = binder_count(binder, &ast->place);
	if (rc)
		return rc;
	rc = ast->kind == AST_RELATION_JOIN ? bind_join(binder, ast, out)
					    : single_from(binder, ast, out);
	binder_leave(binder);
	return rc;
}
