#ifndef TESTS_UNIT_SQL_WORLD_H
#define TESTS_UNIT_SQL_WORLD_H
#include <stdio.h>
#include "sql/sql.h"

/*
 * A small world of tables for the tests of the binder, and bound trees as
 * text, so that a test states what it expects in one line.
 */
struct world_table {
	const char *name;
	const char *columns;	/* as CREATE TABLE has them */
	/* Names of a CSV header: typed by the target, else untyped. */
	const char *header;
};

struct world_target {
	struct target target;	/* first */
	struct schema schema;
	const char *name;
};

struct world {
	const struct world_table *tables;
	struct world_target target;
	struct sql_resolver resolver;
	struct sql_options options;
	struct sql_script *script;
	struct sql_statement *statement;
	struct error err;
	size_t resolved;	/* calls of the resolver */
	char last_name[256];	/* of the last relation asked for */
	char last_options[256];
};

static inline const char *world_target_name(const struct target *target)
{
	return ((const struct world_target *)target)->name;
}

static inline const struct schema *
world_target_schema(const struct target *target)
{
	return &((const struct world_target *)target)->schema;
}

static const struct target_ops world_ops = {
	.name = world_target_name,
	.schema = world_target_schema,
};

static inline void world_relation_free(struct relation *relation)
{
	schema_release(&relation->schema);
	mem_free(relation->untyped);
	mem_free((char *)(uintptr_t)relation->name);
	mem_free(relation);
}

static inline const struct world_table *world_find(const struct world *world,
						   const char *name)
{
	const struct world_table *table = world->tables;

	for (; table->name; table++)
		if (text_equal_nocase(table->name, name))
			return table;
	return NULL;
}

/* Header columns: the type of the target's column of that name, or none. */
static inline int world_read_header(const char *header,
				    const struct schema *types,
				    struct relation *relation,
				    struct error *err)
{
	char name[64];

	relation->untyped = mem_zalloc(64);
	if (!relation->untyped)
		return error_set(err, ERROR_NO_MEMORY, "header");
	while (*header) {
		size_t length = strcspn(header, ",");
		long typed;
		int rc;

		snprintf(name, sizeof(name), "%.*s", (int)length, header);
		typed = types ? schema_find(types, name) : -1;
		relation->untyped[relation->schema.column_count] = typed < 0;
		rc = schema_add_column(&relation->schema, name, typed < 0 ?
				       type_of(TYPE_VARCHAR) :
				       types->columns[typed].type, err);
		if (rc)
			return rc;
		header += length;
		header += *header == ',';
	}
	return 0;
}

static inline int world_resolve(void *context,
				const struct sql_relation_request *request,
				struct relation **out, struct error *err)
{
	struct world *world = context;
	const struct world_table *table = world_find(world, request->name);
	struct relation *relation;
	int rc;

	*out = NULL;
	world->resolved++;
	snprintf(world->last_name, sizeof(world->last_name), "%s%s",
		 request->is_path ? "path:" : "", request->name);
	world->last_options[0] = '\0';
	for (size_t i = 0; i < request->option_count; i++) {
		size_t at = strlen(world->last_options);

		snprintf(world->last_options + at,
			 sizeof(world->last_options) - at, "%s=%s;",
			 request->options[i].name, request->options[i].value);
	}
	if (!table)
		return error_set(err, ERROR_UNKNOWN_TABLE, "no table %s",
				 request->name);
	relation = mem_zalloc(sizeof(*relation));
	if (!relation)
		return error_set(err, ERROR_NO_MEMORY, "relation");
	schema_init(&relation->schema);
	relation->free = world_relation_free;
	relation->name = mem_strdup(request->name);
	relation->table = table->header ? NULL : table->name;
	if (!relation->name)
		rc = error_set(err, ERROR_NO_MEMORY, "relation");
	else if (table->header)
		rc = world_read_header(table->header, request->types,
				       relation, err);
	else
		rc = sql_parse_columns(table->columns, NULL,
				       &relation->schema, err);
	if (rc) {
		world_relation_free(relation);
		return rc;
	}
	*out = relation;
	return 0;
}

static inline int world_resolve_target(void *context, const char *name,
				       struct target **out, struct error *err)
{
	struct world *world = context;
	const struct world_table *table = world_find(world, name);

	*out = NULL;
	if (!table)
		return error_set(err, ERROR_UNKNOWN_TABLE, "no table %s",
				 name);
	if (!world->target.schema.column_count) {
		int rc = sql_parse_columns(table->columns, NULL,
					   &world->target.schema, err);

		if (rc)
			return rc;
	}
	world->target.name = table->name;
	*out = &world->target.target;
	return 0;
}

static inline void world_init(struct world *world,
			      const struct world_table *tables)
{
	memset(world, 0, sizeof(*world));
	world->tables = tables;
	world->target.target.ops = &world_ops;
	schema_init(&world->target.schema);
	world->resolver.context = world;
	world->resolver.resolve = world_resolve;
	world->resolver.resolve_target = world_resolve_target;
	world->options.resolver = &world->resolver;
}

static inline void world_forget(struct world *world)
{
	sql_statement_free(world->statement);
	sql_script_free(world->script);
	world->statement = NULL;
	world->script = NULL;
	schema_release(&world->target.schema);
	schema_init(&world->target.schema);
}

/* Bind the first statement of a text; 0 or the error code. */
static inline int world_bind(struct world *world, const char *text)
{
	int rc;

	world_forget(world);
	error_init(&world->err);
	rc = sql_script_new(&world->script, "test.sql", text, strlen(text),
			    &world->err);
	if (!rc)
		rc = sql_statement_bind(world->script, 0, &world->options,
					&world->statement, &world->err);
	return rc;
}

/* A bound tree as text: (= #0 (cast #3 BIGINT)). */
static inline void world_dump(const struct expr *expr, struct text *out)
{
	static const char *const words[] = {
		[EXPR_AND] = "and", [EXPR_OR] = "or", [EXPR_NOT] = "not",
		[EXPR_IS_NULL] = "isnull", [EXPR_IN] = "in",
		[EXPR_CASE] = "case", [EXPR_COALESCE] = "coalesce",
		[EXPR_CAST] = "cast", [EXPR_TRY_CAST] = "try_cast",
		[EXPR_FIELD] = ".", [EXPR_SINGLE] = "single",
	};
	char name[TYPE_NAME_BYTES];

	if (!expr) {
		text_add_str(out, "-");
	} else if (expr->kind == EXPR_LITERAL) {
		if (expr->literal.is_null)
			text_addf(out, "NULL:%s", type_name(&expr->type,
							   name));
		else
			format_literal_sql(&expr->literal, out);
	} else if (expr->kind == EXPR_COLUMN) {
		text_addf(out, "#%zu", expr->column);
	} else {
		text_addf(out, "(%s", expr->kind == EXPR_CALL ?
			  function_name(expr->function) : words[expr->kind]);
		if (expr->is_assignment)
			text_add_str(out, "!");
		for (size_t i = 0; i < expr->arg_count; i++) {
			text_add_char(out, ' ');
			world_dump(expr->args[i], out);
		}
		if (expr->kind == EXPR_FIELD)
			text_addf(out, " %s", expr->args[0]->type.fields
						[expr->field].name);
		if (expr->kind == EXPR_CAST || expr->kind == EXPR_TRY_CAST)
			text_addf(out, " %s", type_name(&expr->type, name));
		text_add_char(out, ')');
	}
}

static inline void world_dump_list(struct expr *const *exprs, size_t count,
				   struct text *out)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			text_add_char(out, ' ');
		world_dump(exprs[i], out);
	}
}

static inline void world_dump_sort(const struct sort_key *keys, size_t count,
				   struct text *out)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			text_add_str(out, ", ");
		world_dump(keys[i].expr, out);
		text_addf(out, "%s%s", keys[i].descending ? " desc" : "",
			  keys[i].nulls_first ? " nulls first" : "");
	}
}

/* sum(distinct #0 order #1) filter (> #0 1) */
static inline void world_dump_call(const struct aggregate_call *call,
				   const char *name, struct text *out)
{
	text_addf(out, "%s(%s", name, call->distinct ? "distinct " : "");
	world_dump_list(call->args, call->arg_count, out);
	if (call->order_count) {
		text_add_str(out, " order ");
		world_dump_sort(call->order, call->order_count, out);
	}
	text_add_char(out, ')');
	if (call->filter) {
		text_add_str(out, " filter ");
		world_dump(call->filter, out);
	}
}

static inline void world_dump_join(const struct query_join *join,
				   struct text *out)
{
	static const char *const kinds[] = { "inner", "left", "right", "full",
					     "semi", "anti", "mark",
					     "single" };

	text_addf(out, "{%s%s", kinds[join->kind],
		  join->null_aware ? " null-aware" : "");
	for (size_t i = 0; i < join->key_count; i++) {
		text_add_char(out, ' ');
		world_dump(join->keys[i].left, out);
		text_add_str(out, join->keys[i].null_safe ? "==" : "=");
		world_dump(join->keys[i].right, out);
	}
	if (join->residual) {
		text_add_str(out, " if ");
		world_dump(join->residual, out);
	}
	text_add_char(out, '}');
}

static inline void world_dump_window(const struct query_window *window,
				     struct text *out)
{
	static const char *const names[] = {
		"row_number", "rank", "dense_rank", "percent_rank",
		"cume_dist", "ntile", "lag", "lead", "first_value",
		"last_value", "nth_value",
	};
	static const char *const units[] = { "rows", "range", "groups" };
	static const char *const bounds[] = { "first", "before", "row",
					      "after", "last" };

	text_add_char(out, '{');
	for (size_t i = 0; i < window->call_count; i++) {
		const struct window_call *call = &window->calls[i];

		if (i)
			text_add_char(out, ' ');
		world_dump_call(&call->aggregate, call->function ==
				WINDOW_AGGREGATE ? aggregate_name(
					call->aggregate.function) :
				names[call->function], out);
		if (call->ignore_nulls)
			text_add_str(out, " ignore nulls");
		text_addf(out, " %s %s", units[call->unit],
			  bounds[call->start]);
		if (call->start_offset)
			world_dump(call->start_offset, out);
		text_addf(out, "..%s", bounds[call->end]);
		if (call->end_offset)
			world_dump(call->end_offset, out);
	}
	text_add_str(out, " by ");
	world_dump_list(window->partition, window->partition_count, out);
	text_add_str(out, " order ");
	world_dump_sort(window->order, window->order_count, out);
	text_add_char(out, '}');
}

static inline void world_dump_contents(const struct query_node *node,
				       struct text *out)
{
	const struct query_aggregate *aggregate = node->aggregate;
	size_t count = node->schema->column_count;

	if (node->exprs) {
		text_add_char(out, '{');
		world_dump_list(node->exprs, node->kind == QUERY_VALUES ?
				count * node->row_count : count, out);
		text_add_char(out, '}');
	}
	if (node->condition) {
		text_add_char(out, '{');
		world_dump(node->condition, out);
		text_add_char(out, '}');
	}
	if (aggregate) {
		text_add_str(out, "{by ");
		world_dump_list(aggregate->groups, aggregate->group_count,
				out);
		for (size_t i = 0; i < aggregate->call_count; i++) {
			text_add_char(out, ' ');
			world_dump_call(&aggregate->calls[i], aggregate_name(
				aggregate->calls[i].function), out);
		}
		text_add_char(out, '}');
	}
	if (node->join)
		world_dump_join(node->join, out);
	if (node->window)
		world_dump_window(node->window, out);
	if (node->sort_count) {
		text_add_char(out, '{');
		world_dump_sort(node->sort, node->sort_count, out);
		text_add_char(out, '}');
	}
	if (node->kind == QUERY_LIMIT ||
	    (node->kind == QUERY_SORT && (node->limit != UINT64_MAX ||
					  node->offset)))
		text_addf(out, "{%lld %llu}", (long long)node->limit,
			  (unsigned long long)node->offset);
}

/* Nodes below one with two inputs stand in parentheses, the second time
 * shared ones are met too. */
static inline void world_dump_query(const struct query_node *node,
				    struct text *out)
{
	static const char *const words[] = {
		"scan", "values", "project", "filter", "union", "limit",
		"join", "aggregate", "window", "sort", "distinct", "except",
		"intersect", "shared",
	};
	char name[TYPE_NAME_BYTES];
	bool has_sides = node->kind == QUERY_JOIN ||
			 node->kind == QUERY_EXCEPT ||
			 node->kind == QUERY_INTERSECT;

	text_addf(out, "%s[", words[node->kind]);
	for (size_t i = 0; i < node->schema->column_count; i++)
		text_addf(out, "%s%s %s", i ? ", " : "",
			  node->schema->columns[i].name,
			  type_name(&node->schema->columns[i].type, name));
	text_add_str(out, "]");
	world_dump_contents(node, out);
	for (size_t i = 0; i < node->input_count; i++) {
		text_add_str(out, i ? " + " : " < ");
		if (has_sides)
			text_add_char(out, '(');
		world_dump_query(node->inputs[i], out);
		if (has_sides)
			text_add_char(out, ')');
	}
}

#define ck_dump(expr_, expected) \
	do { \
		struct text ck_text = TEXT_INIT; \
		world_dump((expr_), &ck_text); \
		ck_assert_str_eq(ck_text.data, (expected)); \
		text_release(&ck_text); \
	} while (0)

/* A text, the code that it is refused with, and the column of line 1. */
struct refused_case {
	const char *text;
	int code;
	uint64_t column;
};

/* The statement fails with this code at line:column. */
#define ck_refused(world_, text_, code_, line_, column_) \
	do { \
		int ck_rc = world_bind((world_), (text_)); \
		ck_assert_msg(ck_rc == (code_) && \
			      (world_)->err.code == (code_), \
			      "%s: %s: %s", (text_), error_name(ck_rc), \
			      (world_)->err.text); \
		ck_assert_str_eq((world_)->err.file, "test.sql"); \
		ck_assert_msg((world_)->err.line == (line_) && \
			      (world_)->err.column == (column_), \
			      "%s: at %d:%d: %s", (text_), \
			      (int)(world_)->err.line, \
			      (int)(world_)->err.column, \
			      (world_)->err.text); \
	} while (0)

#define ck_bound(world_, text_) \
	do { \
		int ck_rc = world_bind((world_), (text_)); \
		ck_assert_msg(ck_rc == 0, "%s: %s: %s at %d:%d", (text_), \
			      error_name(ck_rc), (world_)->err.text, \
			      (int)(world_)->err.line, \
			      (int)(world_)->err.column); \
	} while (0)
#endif
