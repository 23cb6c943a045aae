/*
 * bind_evolve.c - WITH SCHEMA EVOLUTION: the target gets the source's columns
 *
 * How:    before ON and the clauses are bound, every source column that the
 *         target lacks and that is to be written is added at the end, with
 *         the source's type; fields that a ROW of the source has more are
 *         added to the target's ROW. The target takes the changes at once and
 *         makes them with the rows, as one version. A pass that comes later
 *         finds them there.
 * Limits: what a file has no type for becomes VARCHAR. Types that differ are
 *         not changed: the value is assigned or refused as it always is.
 */
#include "sql/binder.h"

struct additions {
	struct binder *binder;
	const struct schema *target;
	struct table_change *changes;
	size_t count;
	size_t capacity;
	const char *path[TYPE_NESTING_LIMIT];
	size_t depth;
};

/* Named before, by another clause? */
static bool is_added(const struct additions *a, const char *name)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct table_change *change = &a->changes[i];
		size_t same = 0;

		if (change->path.count != a->depth ||
		    !text_equal_nocase(change->column.name, name))
			continue;
		while (same < a->depth &&
		       !strcmp(change->path.parts[same], a->path[same]))
			same++;
		if (same == a->depth)
			return true;
	}
	return false;
}

static int add_column(struct additions *a, const struct column_def *column)
{
	struct table_change *change;
	const char **parts;

	if (is_added(a, column->name))
		return 0;
	if (a->count == a->capacity) {
		size_t capacity = a->capacity ? a->capacity * 2 : 8;

		change = binder_alloc(a->binder, capacity, sizeof(*change));
		if (!change)
			return ERROR_NO_MEMORY;
		if (a->count)
			memcpy(change, a->changes,
			       a->count * sizeof(*change));
		a->changes = change;
		a->capacity = capacity;
	}
	parts = binder_alloc(a->binder, a->depth + 1, sizeof(*parts));
	if (!parts)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < a->depth; i++)
		parts[i] = a->path[i];
	change = &a->changes[a->count++];
	change->kind = TABLE_ADD_COLUMN;
	change->path.parts = parts;
	change->path.count = a->depth;
	change->column.name = column->name;
	change->column.type = column->type;
	if (change->column.type.id == TYPE_UNKNOWN)
		change->column.type = type_of(TYPE_VARCHAR);
	change->column.doc = column->doc;
	return 0;
}

/* Fields of the source's ROWs that the target's lack; the column itself is in
 * both. The key of a MAP stays as it is. */
static int add_fields(struct additions *a, const struct column_def *target,
		      const struct column_def *source)
{
	const struct type *has = &target->type, *gets = &source->type;
	int rc = 0;

	if (has->id != gets->id || !type_is_nested(has) ||
	    a->depth >= TYPE_NESTING_LIMIT)
		return 0;
	a->path[a->depth++] = target->name;
	for (size_t i = 0; i < gets->field_count && !rc; i++) {
		size_t at = i;

		if (has->id == TYPE_MAP && i == 0)
			continue;
		if (has->id == TYPE_ROW)
			at = find_field(has, gets->fields[i].name);
		if (at < has->field_count)
			rc = add_fields(a, &has->fields[at], &gets->fields[i]);
		else if (at == COLUMN_NONE)
			rc = add_column(a, &gets->fields[i]);
	}
	a->depth--;
	return rc;
}

static int add_missing(struct additions *a, const char *name,
		       const struct column_def *source)
{
	size_t at = find_column(a->target, name);
	struct column_def column = *source;

	if (at == COLUMN_SEVERAL)
		return 0;
	if (at != COLUMN_NONE)
		return add_fields(a, &a->target->columns[at], source);
	column.name = (char *)(uintptr_t)name;
	return add_column(a, &column);
}

/* For the summary; an earlier pass, whose plan is there, may have added some,
 * which this one finds in the target. */
static int remember(struct additions *a, struct merge_plan *plan)
{
	const struct merge_plan *before = a->binder->statement->merge;
	size_t count = before ? before->added_count : 0;
	struct table_change *all;

	if (!count) {
		plan->added = a->changes;
		plan->added_count = a->count;
		return 0;
	}
	all = binder_alloc(a->binder, count + a->count, sizeof(*all));
	if (!all)
		return ERROR_NO_MEMORY;
	memcpy(all, before->added, count * sizeof(*all));
	if (a->count)
		memcpy(all + count, a->changes, a->count * sizeof(*all));
	plan->added = all;
	plan->added_count = count + a->count;
	return 0;
}

/* The target has the changes from here on. */
static int apply(struct additions *a, const struct sql_place *place,
		 struct merge_plan *plan)
{
	struct binder *binder = a->binder;
	int rc = 0;

	for (size_t i = 0; i < a->count && !rc; i++) {
		struct table_change *change = &a->changes[i];

		change->line = place->line;
		change->position = place->position;
		if (change->path.count && !*change->column.name)
			return sql_error(binder->err, ERROR_SYNTAX, place,
					 "a ROW field of column %s has no "
					 "name", change->path.parts[0]);
		rc = check_column_type(binder, change->column.name,
				       &change->column.type, place);
	}
	if (!rc)
		rc = remember(a, plan);
	if (rc || !a->count)
		return rc;
	rc = target_evolve(plan->target, a->changes, a->count, binder->err);
	if (rc && !binder->err->file[0])
		error_at(binder->err, binder->file, place->line,
			 place->position);
	return rc ? rc : bind_target_schema(binder, plan);
}

/* A column that is written by its name: from the source's of that name, or
 * there if only the source has it. */
static int add_named(struct additions *a, const struct schema *source,
		     const char *name, bool is_copy)
{
	size_t at = find_column(source, name);

	if (at == COLUMN_NONE || at == COLUMN_SEVERAL ||
	    (!is_copy && find_column(a->target, name) != COLUMN_NONE))
		return 0;
	return add_missing(a, name, &source->columns[at]);
}

/* SET c = s.c */
static bool is_copy(const struct ast_expr *value, const char *name)
{
	return value->kind == AST_NAME && value->name.count &&
	       text_equal_nocase(value->name.parts[value->name.count - 1],
				 name);
}

static int add_for_set(struct additions *a, const struct ast_statement *ast,
		       const struct schema *source,
		       const struct ast_assignment *assignment)
{
	const struct scope_source target = { .alias = ast->alias,
					     .table = &ast->table };
	const struct ast_name *name = &assignment->name;
	const char *column = name->parts[name->count - 1];

	/* else it is a field of a column */
	if (name->count > 1 && !scope_source_matches(&target, name->parts,
						     name->count - 1))
		return 0;
	return add_named(a, source, column,
			 is_copy(assignment->value, column));
}

static int add_for_when(struct additions *a, const struct ast_statement *ast,
			const struct schema *source,
			const struct ast_when *when)
{
	int rc = 0;

	for (size_t i = 0; when->is_star && i < source->column_count && !rc;
	     i++)
		rc = add_missing(a, source->columns[i].name,
				 &source->columns[i]);
	for (size_t i = 0; i < when->assignment_count && !rc; i++)
		rc = add_for_set(a, ast, source, when->assignments[i]);
	for (size_t i = 0; i < when->column_count && !rc; i++) {
		const char *name = when->columns[i]->name;

		rc = add_named(a, source, name, i < when->row->count &&
			       is_copy(when->row->values[i], name));
	}
	return rc;
}

int evolve_for_merge(struct binder *binder, const struct ast_statement *ast,
		     const struct bound_query *source, struct merge_plan *plan)
{
	struct additions a = { .binder = binder };
	int rc = 0;

	a.target = plan_schema(plan);
	for (size_t i = 0; i < ast->when_count && !rc; i++)
		rc = add_for_when(&a, ast, source->node->schema,
				  ast->whens[i]);
	return rc ? rc : apply(&a, &ast->place, plan);
}

int evolve_for_insert(struct binder *binder, const struct ast_statement *ast,
		      const struct bound_query *source,
		      struct merge_plan *plan)
{
	const struct schema *schema = source->node->schema;
	struct additions a = { .binder = binder };
	int rc = 0;

	a.target = plan_schema(plan);
	for (size_t i = 0; i < schema->column_count && !rc; i++) {
		const char *name = i < ast->column_count ?
			ast->columns[i]->name : schema->columns[i].name;

		if (ast->column_count)
			rc = i < ast->column_count ?
				add_missing(&a, name, &schema->columns[i]) : 0;
		else if (i < a.target->column_count)
			rc = add_fields(&a, &a.target->columns[i],
					&schema->columns[i]);
		else
			rc = add_missing(&a, name, &schema->columns[i]);
	}
	return rc ? rc : apply(&a, &ast->place, plan);
}
