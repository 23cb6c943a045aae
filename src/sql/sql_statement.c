/*
 * sql_statement.c - the door: statements parsed, bound, freed
 *
 * How:    a statement is parsed into its own arena and bound from there, in
 *         as many passes as its untyped columns need. What a failed bind
 *         resolved is freed with the statement.
 */
#include "sql/bind_level.h"
#include "sql/parser.h"

/* Nodes that a statement may bind: many per token, but not a product. */
#define NODES_AT_LEAST ((size_t)1 << 20)
#define NODES_PER_TOKEN 32

static enum sql_kind kind_of(const struct ast_statement *ast)
{
	switch (ast->kind) {
	case AST_STATEMENT_QUERY:
		return SQL_QUERY;
	case AST_STATEMENT_CREATE:
		return SQL_CREATE_TABLE;
	case AST_STATEMENT_DROP:
		return SQL_DROP_TABLE;
	case AST_STATEMENT_ALTER:
		return SQL_ALTER_TABLE;
	default:
		return SQL_MERGE;
	}
}

static int parse_range(const struct sql_script *script,
		       const struct sql_range *range, struct arena *arena,
		       struct ast_statement **out, struct error *err)
{
	struct sql_parser parser;

	parser_init(&parser, script, range, arena, err);
	return parse_statement(&parser, out);
}

int sql_statement_parse(struct sql_script *script, size_t i,
			enum sql_kind *kind, const char **table,
			struct error *err)
{
	struct ast_statement *ast;
	struct arena arena;
	struct error ignored;
	int rc;

	*table = NULL;
	if (!err)
		err = &ignored;
	if (i >= script->statement_count)
		return error_set(err, ERROR_INTERNAL, "%s has no statement "
				 "%zu", script->name, i);
	arena_init(&arena, 0);
	rc = parse_range(script, &script->statements[i], &arena, &ast, err);
	if (!rc) {
		*kind = kind_of(ast);
		if (ast->table_text) {
			*table = arena_strdup(&script->names,
					      ast->table_text);
			if (!*table)
				rc = error_set(err, ERROR_NO_MEMORY,
					       "parsing %s", script->name);
		}
	}
	arena_release(&arena);
	return rc;
}

static void binder_init(struct binder *binder, struct arena *arena,
			const char *file, const struct sql_options *options,
			struct error *err)
{
	memset(binder, 0, sizeof(*binder));
	binder->arena = arena;
	binder->file = file;
	binder->options = options;
	binder->node_limit = NODES_AT_LEAST;
	binder->err = err;
}

static int bind_plain_query(struct binder *binder,
			    const struct ast_statement *ast)
{
	struct bound_query query;
	int rc = bind_query(binder, ast->query, &query);

	if (!rc)
		binder->statement->query = query.node;
	return rc;
}

static int bind_by_kind(struct binder *binder, const struct ast_statement *ast)
{
	switch (ast->kind) {
	case AST_STATEMENT_MERGE:
		return bind_merge(binder, ast);
	case AST_STATEMENT_UPDATE:
		return bind_update(binder, ast);
	case AST_STATEMENT_DELETE:
		return bind_delete(binder, ast);
	case AST_STATEMENT_INSERT:
		return bind_insert(binder, ast);
	case AST_STATEMENT_CREATE:
		return bind_create(binder, ast);
	case AST_STATEMENT_ALTER:
		return bind_alter(binder, ast);
	case AST_STATEMENT_DROP:
		binder->statement->if_exists = ast->if_exists;
		return 0;
	default:
		return bind_plain_query(binder, ast);
	}
}

/* One pass: as if nothing had been bound before. */
static int bind_pass(struct binder *binder, const struct ast_statement *ast)
{
	int rc;

	binder->next_relation = 0;
	binder->node_count = 0;
	binder->depth = 0;
	binder->ctes = NULL;
	binder->around = NULL;
	binder->refs = NULL;
	binder->outer_count = 0;
	memset(&binder->shared, 0, sizeof(binder->shared));
	memset(&binder->warnings, 0, sizeof(binder->warnings));
	rc = bind_ctes(binder, ast->ctes, ast->cte_count);
	if (!rc)
		rc = bind_by_kind(binder, ast);
	if (!rc)
		rc = check_unused_ctes(binder, NULL);
	if (!rc)
		query_unshare(binder);
	return rc;
}

static int bind_all(struct sql_script *script, size_t i,
		    struct sql_statement *statement,
		    const struct sql_options *options, struct error *err)
{
	const struct sql_range *range = &script->statements[i];
	struct ast_statement *ast;
	struct binder binder;
	const char *text, *file;
	size_t length;
	int rc;

	text = sql_range_text(script, range, &length);
	statement->text = arena_strndup(&statement->arena, text, length);
	file = arena_strdup(&statement->arena, script->name);
	if (!statement->text || !file)
		return error_set(err, ERROR_NO_MEMORY, "binding %s",
				 script->name);
	rc = parse_range(script, range, &statement->arena, &ast, err);
	if (rc)
		return rc;
	statement->kind = kind_of(ast);
	statement->line = ast->place.line;
	statement->name = ast->table_text;
	binder_init(&binder, &statement->arena, file, options, err);
	binder.statement = statement;
	if (range->end - range->first > NODES_AT_LEAST / NODES_PER_TOKEN)
		binder.node_limit = (range->end - range->first) *
				    NODES_PER_TOKEN;
	do {
		rc = bind_pass(&binder, ast);
		if (rc)
			return rc;
	} while (untyped_settle(&binder));
	rc = untyped_warn(&binder);
	if (rc)
		return rc;
	statement->warnings = (const char **)binder.warnings.items;
	statement->warning_count = binder.warnings.count;
	return 0;
}

int sql_statement_bind(struct sql_script *script, size_t i,
		       const struct sql_options *options,
		       struct sql_statement **out, struct error *err)
{
	struct sql_statement *statement;
	struct error ignored;
	int rc;

	*out = NULL;
	if (!err)
		err = &ignored;
	if (i >= script->statement_count)
		return error_set(err, ERROR_INTERNAL, "%s has no statement "
				 "%zu", script->name, i);
	statement = mem_zalloc(sizeof(*statement));
	if (!statement)
		return error_set(err, ERROR_NO_MEMORY, "binding %s",
				 script->name);
	arena_init(&statement->arena, 16384);
	rc = bind_all(script, i, statement, options, err);
	if (rc) {
		sql_statement_free(statement);
		return rc;
	}
	*out = statement;
	return 0;
}

void sql_statement_free(struct sql_statement *statement)
{
	if (!statement)
		return;
	for (size_t i = 0; i < statement->relation_count; i++)
		relation_free(statement->relations[i]);
	arena_release(&statement->arena);
	mem_free(statement);
}

/* A script of one piece of text, for the parts of a statement below. */
struct sql_piece {
	struct sql_script *script;
	struct sql_range range;
	struct sql_parser parser;
};

static int piece_open(struct sql_piece *piece, const char *name,
		      const char *text, struct arena *arena,
		      struct error *err)
{
	int rc = sql_script_new(&piece->script, name, text, strlen(text), err);

	if (rc)
		return rc;
	piece->range.first = 0;
	piece->range.end = piece->script->token_count;
	parser_init(&piece->parser, piece->script, &piece->range, arena, err);
	return 0;
}

static int piece_end(const struct sql_piece *piece)
{
	return parser_at_end(&piece->parser) ? 0 :
		parser_expected(&piece->parser, "the end");
}

int sql_bind_condition(const char *name, const char *text,
		       const struct schema *schema,
		       const struct sql_options *options,
		       struct arena *arena, struct expr **out,
		       struct error *err)
{
	struct scope_source source = { 0 };
	struct name_scope scope = { 0 };
	struct bound_value value;
	struct sql_piece piece;
	struct ast_expr *ast;
	struct binder binder;
	struct error ignored;
	int rc;

	*out = NULL;
	if (!err)
		err = &ignored;
	rc = piece_open(&piece, name, text, arena, err);
	if (rc)
		return rc;
	rc = parse_expr(&piece.parser, &ast);
	if (!rc)
		rc = piece_end(&piece);
	if (!rc) {
		binder_init(&binder, arena, piece.script->name, options, err);
		source.what = "table";
		source.schema = schema;
		scope.sources = &source;
		scope.source_count = 1;
		rc = bind_value(&binder, &scope, ast, &value);
		if (!rc)
			rc = value_condition(&binder, &value, "the condition");
		if (!rc)
			rc = binder_fold(&binder, &value.expr);
		if (!rc)
			*out = value.expr;
	}
	sql_script_free(piece.script);
	return rc;
}

int sql_parse_columns(const char *text, const struct sql_options *options,
		      struct schema *out, struct error *err)
{
	struct ast_statement ast = { 0 };
	struct schema schema = { 0 };
	struct sql_piece piece;
	struct binder binder;
	struct arena arena;
	struct error ignored;
	int rc;

	if (!err)
		err = &ignored;
	arena_init(&arena, 0);
	rc = piece_open(&piece, "columns", text, &arena, err);
	if (rc) {
		arena_release(&arena);
		return rc;
	}
	rc = parse_columns(&piece.parser, &ast);
	if (!rc)
		rc = piece_end(&piece);
	if (!rc) {
		binder_init(&binder, &arena, piece.script->name, options, err);
		rc = bind_columns(&binder, &ast, &schema);
	}
	for (size_t i = 0; i < schema.column_count && !rc; i++)
		rc = schema_add(out, &schema.columns[i], err);
	sql_script_free(piece.script);
	arena_release(&arena);
	return rc;
}

static int parse_terms(const char *name, const char *text, bool is_sort,
		       struct arena *arena, struct ast_layout *out,
		       struct error *err)
{
	struct sql_piece piece;
	int rc;

	memset(out, 0, sizeof(*out));
	rc = piece_open(&piece, name, text, arena, err);
	if (rc)
		return rc;
	rc = parse_term_list(&piece.parser, is_sort, out);
	if (!rc)
		rc = piece_end(&piece);
	/* no place of a script */
	for (size_t i = 0; i < out->partition_count; i++)
		out->partition_terms[i].line = 0;
	for (size_t i = 0; i < out->sort_count; i++)
		out->sort_terms[i].line = 0;
	sql_script_free(piece.script);
	return rc;
}

int sql_parse_partition_terms(const char *text, struct arena *arena,
			      const struct partition_term **out,
			      size_t *count_out, struct error *err)
{
	struct ast_layout layout;
	struct error ignored;
	int rc = parse_terms("partitioning", text, false, arena, &layout,
			     err ? err : &ignored);

	*out = rc ? NULL : layout.partition_terms;
	*count_out = rc ? 0 : layout.partition_count;
	return rc;
}

int sql_parse_sort_terms(const char *text, struct arena *arena,
			 const struct sort_term **out, size_t *count_out,
			 struct error *err)
{
	struct ast_layout layout;
	struct error ignored;
	int rc = parse_terms("sort order", text, true, arena, &layout,
			     err ? err : &ignored);

	*out = rc ? NULL : layout.sort_terms;
	*count_out = rc ? 0 : layout.sort_count;
	return rc;
}

int sql_parse_changes(const char *name, const char *text,
		      const struct sql_options *options, struct arena *arena,
		      struct sql_alter *out, struct error *err)
{
	struct ast_statement ast = { 0 };
	struct sql_piece piece;
	struct binder binder;
	struct error ignored;
	int rc;

	memset(out, 0, sizeof(*out));
	if (!err)
		err = &ignored;
	rc = piece_open(&piece, name, text, arena, err);
	if (rc)
		return rc;
	rc = parse_changes(&piece.parser, &ast);
	if (!rc)
		rc = piece_end(&piece);
	if (!rc) {
		binder_init(&binder, arena, piece.script->name, options, err);
		rc = bind_changes(&binder, &ast, out);
		out->warnings = (const char **)binder.warnings.items;
		out->warning_count = binder.warnings.count;
	}
	sql_script_free(piece.script);
	return rc;
}

int sql_parse_type(const char *text, struct arena *arena, struct type *out,
		   struct error *err)
{
	struct sql_piece piece;
	struct error ignored;
	uint32_t length;
	int rc;

	if (!err)
		err = &ignored;
	rc = piece_open(&piece, "type", text, arena, err);
	if (!rc) {
		rc = parse_type(&piece.parser, out, &length);
		if (!rc)
			rc = piece_end(&piece);
		sql_script_free(piece.script);
	}
	return rc;
}
