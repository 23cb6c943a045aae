/*
 * bind_lookup.c - subqueries in MERGE, UPDATE and DELETE
 *
 * Why:    they see the table as it was when the statement began, and a change
 *         of a big table must not ask one for each of its rows.
 * How:    what reads the source alone, or nothing, is joined to the source.
 *         In a MATCHED clause a column of the target is one of the source
 *         where ON equates them. If that does not do, the source becomes a
 *         query over the target too: the distinct values of the columns that
 *         the subqueries and ON read, joined to the source by ON, with the
 *         subqueries joined to them; ON then equates these columns. Each
 *         target row matches the pairs that it matched before. Rows without a
 *         source row are such pairs as well: a mark tells BY SOURCE apart.
 *         An UPDATE or DELETE with one subquery that is tied by equality to
 *         the target needs no such query: the subquery is its source, and
 *         rows without a match are a second clause.
 */
#include "sql/bind_subquery.h"

struct lookup {
	struct binder *binder;
	const struct ast_statement *ast;
	struct bind_level *level;
	struct merge_plan *plan;
	struct expr **on;
	size_t target_count;
	size_t *position;	/* of a target column in the source, or none */
	bool has_by_source;
	struct query_node *source;
};

#define NO_POSITION SIZE_MAX

static bool reads_target_columns(const struct lookup *l,
				 const struct expr *expr)
{
	if (expr->kind == EXPR_COLUMN)
		return !place_kind(expr->column) &&
		       expr->column < l->target_count &&
		       l->position[expr->column] == NO_POSITION;
	for (size_t i = 0; i < expr->arg_count; i++)
		if (reads_target_columns(l, expr->args[i]))
			return true;
	return false;
}

/* From combined columns to those of the source. */
static int to_source(const struct lookup *l, const struct expr *expr,
		     struct expr **out)
{
	struct expr *copy = expr_copy_node(l->binder->arena, expr);
	int rc = 0;

	*out = copy;
	if (!copy)
		return binder_no_memory(l->binder);
	if (copy->kind == EXPR_COLUMN && !place_kind(copy->column))
		copy->column = copy->column < l->target_count ?
			l->position[copy->column] :
			copy->column - l->target_count;
	for (size_t i = 0; i < expr->arg_count && !rc; i++)
		rc = to_source(l, expr->args[i], &copy->args[i]);
	return rc;
}

/* Everything that the subquery takes from around, settled. */
static int move_values(struct lookup *l, struct subquery *subquery)
{
	struct settle settle = { .binder = l->binder, .level = l->level,
				 .keeps_open = true };
	int rc = 0;

	for (size_t i = 0; i < subquery->outer->refs.count && !rc; i++) {
		struct outer_ref *ref = subquery->outer->refs.items[i];

		rc = settle_expr(&settle, &ref->expr);
		if (!rc)
			rc = to_source(l, ref->expr, &ref->expr);
	}
	for (size_t i = 0; i < subquery->value_count && !rc; i++) {
		rc = settle_expr(&settle, &subquery->values[i]);
		if (!rc)
			rc = to_source(l, subquery->values[i],
				       &subquery->values[i]);
	}
	return rc;
}

static int join_one(struct lookup *l, struct subquery *subquery)
{
	struct settle settle = { .binder = l->binder, .level = l->level,
				 .input = &l->source };
	int rc = move_values(l, subquery);

	if (!rc)
		rc = attach_subquery(&settle, subquery, subquery->kind ==
				     SUBQUERY_SCALAR ? JOIN_SINGLE :
				     JOIN_MARK);
	for (size_t i = 0; i < subquery->column_count && !rc; i++)
		rc = expr_shift(l->binder, subquery->results[i], 0,
				(ptrdiff_t)l->target_count,
				&subquery->results[i]);
	return rc;
}

static bool takes_target(const struct lookup *l,
			 const struct subquery *subquery)
{
	for (size_t i = 0; i < subquery->outer->refs.count; i++) {
		const struct outer_ref *ref = subquery->outer->refs.items[i];

		if (reads_target_columns(l, ref->expr))
			return true;
	}
	for (size_t i = 0; i < subquery->value_count; i++)
		if (reads_target_columns(l, subquery->values[i]))
			return true;
	return false;
}

static enum merge_match match_of(const struct lookup *l,
				 const struct subquery *subquery)
{
	return subquery->clause ?
		l->plan->clauses[subquery->clause - 1].match : WHEN_MATCHED;
}

/* In a clause of matches, a target column is what ON says it equals. */
static int equate(struct lookup *l, struct subquery *subquery)
{
	struct equi_split split;
	int rc = 0;

	if (!subquery->clause || match_of(l, subquery) != WHEN_MATCHED ||
	    !*l->on)
		return 0;
	rc = equi_split(l->binder, *l->on, l->target_count, 0, &split);
	for (size_t i = 0; i < split.key_count && !rc; i++) {
		const struct expr *left = split.keys[i].left;
		const struct expr *right = split.keys[i].right;

		if (left->kind == EXPR_COLUMN && right->kind == EXPR_COLUMN &&
		    left->type.id != TYPE_REAL && left->type.id != TYPE_DOUBLE)
			l->position[left->column] =
				right->column - l->target_count;
	}
	return rc;
}

static void forget_positions(struct lookup *l)
{
	for (size_t i = 0; i < l->target_count; i++)
		l->position[i] = NO_POSITION;
}

/* Join what needs no target column to the source. *is_all false: some do. */
static int join_to_source(struct lookup *l, bool *is_all)
{
	int rc = 0;

	*is_all = true;
	for (size_t i = 0; i < l->level->subqueries.count && !rc; i++) {
		struct subquery *subquery = l->level->subqueries.items[i];
		bool is_target;

		forget_positions(l);
		rc = equate(l, subquery);
		if (rc)
			break;
		is_target = takes_target(l, subquery) || !l->source ||
			match_of(l, subquery) == WHEN_NOT_MATCHED_BY_SOURCE;
		for (size_t k = 0; k < i && !is_target; k++) {
			/* a value of it may be another's result */
			const struct subquery *other =
				l->level->subqueries.items[k];

			is_target = !other->results;
		}
		if (is_target)
			*is_all = false;
		else
			rc = join_one(l, subquery);
	}
	forget_positions(l);
	return rc;
}

static void mark_target(const struct lookup *l, const struct expr *expr,
			bool *used)
{
	if (expr->kind == EXPR_COLUMN && !place_kind(expr->column) &&
	    expr->column < l->target_count)
		used[expr->column] = true;
	for (size_t i = 0; i < expr->arg_count; i++)
		mark_target(l, expr->args[i], used);
}

static void mark_needed(const struct lookup *l, bool *used)
{
	if (*l->on)
		mark_target(l, *l->on, used);
	for (size_t i = 0; i < l->level->subqueries.count; i++) {
		const struct subquery *subquery = l->level->subqueries.items[i];

		if (subquery->results)
			continue;
		for (size_t k = 0; k < subquery->outer->refs.count; k++) {
			struct outer_ref *ref = subquery->outer->refs.items[k];

			mark_target(l, ref->expr, used);
		}
		for (size_t k = 0; k < subquery->value_count; k++)
			mark_target(l, subquery->values[k], used);
	}
}

/* The target as a relation to read. */
static int read_target(struct lookup *l, struct bound_query *out)
{
	const struct ast_statement *ast = l->ast;
	struct ast_relation relation = { .kind = AST_RELATION_NAME,
					 .place = ast->table.place,
					 .name = ast->table };
	struct ast_expr path = { .kind = AST_LITERAL,
				 .place = ast->table.place,
				 .literal = literal_null(
					 type_of(TYPE_VARCHAR)) };
	int rc;

	if (ast->is_path) {
		relation.kind = AST_RELATION_PATH;
		relation.path = &path;
		path.literal.is_null = false;
		path.literal.value.bytes = byte_view(
			(const uint8_t *)ast->table_text,
			strlen(ast->table_text));
	}
	rc = bind_table(l->binder, &relation, out);
	if (!rc && out->node->schema->column_count != l->target_count)
		rc = sql_error(l->binder->err, ERROR_UNSUPPORTED,
			       &ast->table.place, "subqueries cannot read a "
			       "table that changes its columns");
	/* columns of a file have the types that they have in the target */
	for (size_t i = 0; i < l->target_count && !rc; i++)
		rc = untyped_fix(l->binder, out->origins[i],
				 &plan_schema(l->plan)->columns[i].type, false,
				 &ast->table.place);
	return rc;
}

/* UPDATE and DELETE: subqueries see the rows that WHERE leaves without them. */
static int filter_target(struct lookup *l, struct query_node **node)
{
	struct expr *condition = l->plan->clauses[0].condition, *plain = NULL;
	bool is_behind = false;

	if (l->source || !condition)
		return 0;
	for (size_t i = 0; i < expr_part_count(condition); i++) {
		struct expr *part = expr_part(condition, i);
		bool has_subquery = expr_has_place(part, PLACE_SUBQUERY);

		is_behind = is_behind || has_subquery;
		if (has_subquery || (is_behind && expr_can_fail(part)))
			continue;
		plain = expr_and(l->binder->arena, plain, part);
		if (!plain)
			return binder_no_memory(l->binder);
	}
	return plain ? filter_new(l->binder, plain, node) : 0;
}

/*
 * The distinct values of the needed columns of the target, one row where none
 * is needed; position[c] is their place in it.
 */
static int target_values(struct lookup *l, struct query_node **out)
{
	struct binder *binder = l->binder;
	bool *used = binder_alloc(binder, l->target_count + 1, sizeof(*used));
	size_t *columns = binder_alloc(binder, l->target_count + 1,
				       sizeof(*columns));
	struct bound_query table;
	size_t count = 0;
	int rc;

	if (!used || !columns)
		return ERROR_NO_MEMORY;
	mark_needed(l, used);
	for (size_t i = 0; i < l->target_count; i++) {
		if (!used[i])
			continue;
		columns[count] = i;
		l->position[i] = count++;
	}
	if (!count)
		return single_row_new(binder, out);
	rc = read_target(l, &table);
	if (!rc)
		rc = filter_target(l, &table.node);
	if (!rc)
		rc = query_pick(binder, table.node, columns, count, out);
	return rc ? rc : distinct_new(binder, out);
}

/* A last column, which no name reaches. */
static int add_column(struct lookup *l, struct query_node **node,
		      const char *name, struct expr *value)
{
	struct query_node *wider;
	int rc = project_new(l->binder, *node, 1, &wider);

	if (!rc)
		rc = project_set(l->binder, wider,
				 (*node)->schema->column_count, name, value);
	if (!rc)
		*node = wider;
	return rc;
}

static int add_mark(struct lookup *l, struct query_node **node)
{
	struct literal yes = literal_null(type_of(TYPE_BOOLEAN));
	struct expr *mark;

	yes.is_null = false;
	yes.value.boolean = true;
	mark = expr_literal(l->binder->arena, &yes);
	if (!mark)
		return binder_no_memory(l->binder);
	return add_column(l, node, "_mark", mark);
}

/* Keys of the source: a row with NULL in one matches nothing. */
static int add_mark_keys(struct lookup *l)
{
	struct merge_plan *plan = l->plan;
	struct equi_split split = { .key_count = 0 };
	size_t *keys;
	int rc = 0;

	if (*l->on)
		rc = equi_split(l->binder, *l->on, l->target_count, 0, &split);
	if (rc)
		return rc;
	keys = binder_alloc(l->binder, split.key_count + 1, sizeof(*keys));
	if (!keys)
		return ERROR_NO_MEMORY;
	for (size_t k = 0; k < split.key_count && !rc; k++) {
		struct expr *key;

		if (split.keys[k].null_safe)
			continue;
		rc = to_source(l, split.keys[k].right, &key);
		if (!rc && key->kind == EXPR_COLUMN) {
			keys[plan->mark_key_count++] = key->column;
		} else if (!rc) {
			keys[plan->mark_key_count++] =
				l->source->schema->column_count;
			rc = add_column(l, &l->source, "_key", key);
		}
	}
	plan->mark_keys = keys;
	return rc;
}

/* Target columns equal the ones of the pair, and the pair has them. */
static int set_on(struct lookup *l, size_t mark)
{
	struct binder *binder = l->binder;
	struct expr *on = NULL, *expr;
	int rc = 0;

	if (mark != NO_POSITION) {
		on = expr_column(binder->arena, l->target_count + mark,
				 type_of(TYPE_BOOLEAN));
		if (!on)
			return binder_no_memory(binder);
	}
	for (size_t i = 0; i < l->target_count && !rc; i++) {
		const struct type type = plan_schema(l->plan)->columns[i].type;
		struct bound_value args[2] = { { 0 } }, differ;

		if (l->position[i] == NO_POSITION)
			continue;
		args[0].expr = expr_column(binder->arena, i, type);
		args[1].expr = expr_column(binder->arena, l->target_count +
					   l->position[i], type);
		if (!args[0].expr || !args[1].expr)
			return binder_no_memory(binder);
		rc = bind_call(binder, "is distinct from",
			       &l->ast->place, args, 2, &differ);
		if (!rc)
			rc = expr_node(binder, EXPR_NOT,
				       type_of(TYPE_BOOLEAN), 1,
				       &l->ast->place, &expr);
		if (rc)
			break;
		expr->args[0] = differ.expr;
		on = expr_and(binder->arena, on, expr);
		if (!on)
			return binder_no_memory(binder);
	}
	*l->on = on;
	return rc;
}

/* MATCHED is a pair with a source row, BY SOURCE one without. */
static int set_clauses(struct lookup *l, size_t mark)
{
	struct binder *binder = l->binder;
	int rc = 0;

	for (size_t i = 0; i < l->plan->clause_count && !rc; i++) {
		struct merge_clause *clause = &l->plan->clauses[i];
		struct sql_place place = { binder->file, clause->line,
					   clause->position };
		struct expr *has_source, *condition;

		if (clause->match == WHEN_NOT_MATCHED || !l->has_by_source)
			continue;
		has_source = expr_column(binder->arena, l->target_count + mark,
					 type_of(TYPE_BOOLEAN));
		if (!has_source)
			return binder_no_memory(binder);
		condition = has_source;
		if (clause->match == WHEN_NOT_MATCHED_BY_SOURCE) {
			rc = expr_node(binder, EXPR_IS_NULL,
				       type_of(TYPE_BOOLEAN), 1, &place,
				       &condition);
			if (rc)
				return rc;
			condition->args[0] = has_source;
			clause->is_by_source = true;
		}
		clause->match = WHEN_MATCHED;
		clause->condition = expr_and(binder->arena, condition,
					     clause->condition);
		if (!clause->condition)
			return binder_no_memory(binder);
	}
	return rc;
}

/* Subqueries in ON that read the target. *joined: nothing is left to do. */
static int settle_pairs(struct lookup *l, enum join_kind kind,
			struct query_node **values, struct expr **on,
			bool *joined)
{
	struct outer_on outer = { .level = l->level, .kind = kind,
				  .left = l->source, .right = *values,
				  .condition = *on };
	struct query_node *node;
	int rc = 0;

	for (size_t i = 0; i < l->level->subqueries.count && !rc; i++) {
		struct subquery *subquery = l->level->subqueries.items[i];

		if (!subquery->clause && !subquery->results)
			rc = move_values(l, subquery);
	}
	if (!rc)
		rc = outer_on_settle(l->binder, &outer, &node);
	if (rc)
		return rc;
	*values = outer.right;
	*on = outer.condition;
	*joined = node != NULL;
	if (node)
		l->source = node;
	return 0;
}

static bool has_clause(const struct lookup *l, enum merge_match match)
{
	for (size_t i = 0; i < l->plan->clause_count; i++)
		if (l->plan->clauses[i].match == match)
			return true;
	return false;
}

static int join_pairs(struct lookup *l, struct query_node *values)
{
	size_t count = l->source->schema->column_count;
	enum join_kind kind = l->has_by_source ? JOIN_FULL : JOIN_LEFT;
	struct equi_split split;
	struct expr *on = *l->on;
	bool joined = false;
	int rc;

	for (size_t i = 0; i < l->target_count; i++)
		if (l->position[i] != NO_POSITION)
			l->position[i] += count;
	rc = on ? to_source(l, on, &on) : 0;
	if (!rc && on && expr_has_place(on, PLACE_SUBQUERY))
		rc = settle_pairs(l, kind == JOIN_LEFT &&
				  !has_clause(l, WHEN_NOT_MATCHED) ?
				  JOIN_INNER : kind, &values, &on, &joined);
	if (rc || joined)
		return rc;
	/* the sides' own parts stay with the keys: all is an outer join */
	rc = equi_split(l->binder, on, count, SPLIT_KEEPS_LEFT |
			SPLIT_KEEPS_RIGHT, &split);
	return rc ? rc : join_new(l->binder, kind, l->source, values, &split,
			&l->source);
}

static int join_unjoined(struct lookup *l)
{
	int rc = 0;

	for (size_t i = 0; i < l->level->subqueries.count && !rc; i++) {
		struct subquery *subquery = l->level->subqueries.items[i];

		if (!subquery->results)
			rc = join_one(l, subquery);
	}
	return rc;
}

/* The source with the target's values. */
static int join_target(struct lookup *l)
{
	struct query_node *values;
	struct settle settle = { .binder = l->binder, .level = l->level,
				 .keeps_open = true };
	size_t source_mark, value_mark = NO_POSITION;
	int rc = 0;

	l->has_by_source = has_clause(l, WHEN_NOT_MATCHED_BY_SOURCE);
	if (*l->on)
		rc = settle_expr(&settle, l->on);
	if (!rc)
		rc = target_values(l, &values);
	if (rc)
		return rc;
	if (!l->source) {
		l->source = values;
		for (size_t i = 0; i < l->plan->clause_count; i++)
			l->plan->clauses[i].match = WHEN_MATCHED;
		rc = join_unjoined(l);
		return rc ? rc : set_on(l, NO_POSITION);
	}
	if (l->has_by_source)
		rc = add_mark_keys(l);
	if (!rc)
		rc = add_mark(l, &l->source);
	if (!rc)
		rc = add_mark(l, &values);
	if (rc)
		return rc;
	source_mark = l->source->schema->column_count - 1;
	value_mark = source_mark + values->schema->column_count;
	if (l->has_by_source)
		l->plan->source_mark = source_mark + 1;
	rc = join_pairs(l, values);
	if (!rc)
		rc = join_unjoined(l);
	if (!rc)
		rc = set_clauses(l, source_mark);
	return rc ? rc : set_on(l, value_mark);
}

static int settle_clauses(struct lookup *l)
{
	struct settle settle = { .binder = l->binder, .level = l->level };
	int rc = *l->on ? settle_expr(&settle, l->on) : 0;

	for (size_t i = 0; i < l->plan->clause_count && !rc; i++) {
		struct merge_clause *clause = &l->plan->clauses[i];

		if (clause->condition)
			rc = settle_expr(&settle, &clause->condition);
		for (size_t c = 0; c < l->target_count && !rc; c++)
			if (clause->values[c])
				rc = settle_expr(&settle, &clause->values[c]);
	}
	return rc;
}

int bind_lookups(struct binder *binder, const struct ast_statement *ast,
		 struct bind_level *level, struct merge_plan *plan,
		 struct expr **on)
{
	struct lookup l = { .binder = binder, .ast = ast, .level = level,
			    .plan = plan, .on = on, .source = plan->source,
			    .target_count = plan->target_column_count };
	bool is_done = false;
	int rc;

	if (!level->subqueries.count)
		return 0;
	l.position = binder_alloc(binder, l.target_count + 1,
				  sizeof(*l.position));
	if (!l.position)
		return ERROR_NO_MEMORY;
	rc = plan->source ? 0 : bind_lookup_source(binder, level, plan, on,
						   &is_done);
	if (rc || is_done)
		return rc;
	rc = join_to_source(&l, &is_done);
	if (!rc && !is_done)
		rc = join_target(&l);
	if (!rc)
		rc = settle_clauses(&l);
	if (rc)
		return rc;
	plan->source_is_lookup = !is_done;
	if (is_done)
		plan->lookup_count = l.source->schema->column_count -
				     plan->source_column_count;
	plan->source = l.source;
	plan->source_column_count = l.source->schema->column_count;
	plan->on_is_false = false;
	return 0;
}
