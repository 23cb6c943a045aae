/*
 * bind_relation.c - what stands behind FROM and USING becomes a query
 *
 * Names are CTEs first, else the resolver is asked. It is asked once per
 * reference, in the order of the text; later passes take its answers again.
 */
#include "sql/bind_level.h"

int bound_relation_scan(struct binder *binder, struct bound_relation *bound,
			struct bound_query *out)
{
	struct schema *schema = &bound->relation->schema;
	struct query_node *node;
	int rc = query_node_new(binder, QUERY_SCAN, 0, &node);

	if (rc)
		return rc;
	node->schema = schema;
	node->relation = bound->relation;
	out->node = node;
	out->origins = binder_alloc(binder, schema->column_count + 1,
				    sizeof(*out->origins));
	if (!out->origins)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < schema->column_count; i++) {
		struct origin *origin;

		if (!bound->columns[i])
			continue;
		origin = binder_alloc(binder, 1, sizeof(*origin));
		if (!origin)
			return ERROR_NO_MEMORY;
		origin->column = bound->columns[i];
		out->origins[i] = origin;
		schema->columns[i].type = type_of(TYPE_UNKNOWN);
	}
	return 0;
}

static int resolve(struct binder *binder, const struct ast_relation *ast,
		   const struct sql_relation_request *request,
		   struct bound_query *out)
{
	const struct sql_resolver *resolver =
		binder->options ? binder->options->resolver : NULL;
	struct bound_relation *bound;
	struct relation *relation;
	int rc;

	if (binder->next_relation < binder->relations.count) {
		bound = binder->relations.items[binder->next_relation++];
		return bound_relation_scan(binder, bound, out);
	}
	if (!resolver)
		return sql_error(binder->err, ERROR_UNKNOWN_TABLE, &ast->place,
				 "no table can be read here");
	rc = resolver->resolve(resolver->context, request, &relation,
			       binder->err);
	if (rc) {
		if (binder->err->line == 0 && !binder->err->file[0])
			error_at(binder->err, binder->file, ast->place.line,
				 ast->place.position);
		return rc;
	}
	if (!ast_list_add(&binder->owned, binder->arena, relation)) {
		relation_free(relation);
		return binder_no_memory(binder);
	}
	binder->statement->relations = (struct relation **)
		binder->owned.items;
	binder->statement->relation_count = binder->owned.count;
	rc = bound_relation_new(binder, relation, &bound);
	if (rc)
		return rc;
	binder->next_relation++;
	return bound_relation_scan(binder, bound, out);
}

static int bind_options(struct binder *binder, const struct ast_relation *ast,
			struct sql_relation_request *request)
{
	struct sql_option *options;

	options = binder_alloc(binder, ast->option_count + 1,
			       sizeof(*options));
	if (!options)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < ast->option_count; i++) {
		const struct ast_option *option = ast->options[i];
		int rc = bind_constant_text(binder, option->value,
					    &options[i].value);

		options[i].name = option->name;
		if (rc)
			return rc;
		for (size_t j = 0; j < i; j++)
			if (text_equal_nocase(options[j].name, option->name))
				return sql_error(binder->err, ERROR_SYNTAX,
						 &option->place, "option %s "
						 "is given twice",
						 option->name);
	}
	request->options = options;
	request->option_count = ast->option_count;
	return 0;
}

int bind_table(struct binder *binder, const struct ast_relation *ast,
	       struct bound_query *out)
{
	struct sql_relation_request request = { 0 };
	int rc = 0;

	request.types = binder->types;
	if (ast->kind == AST_RELATION_NAME) {
		request.name = ast_name_text(&ast->name, binder->arena);
		if (!request.name)
			return binder_no_memory(binder);
	} else {
		request.is_path = true;
		request.function = ast->function;
		rc = bind_constant_text(binder, ast->path, &request.name);
		if (!rc)
			rc = bind_options(binder, ast, &request);
	}
	return rc ? rc : resolve(binder, ast, &request, out);
}

static struct cte_scope *find_cte(const struct binder *binder,
				  const struct ast_name *name)
{
	if (name->count != 1)
		return NULL;
	for (struct cte_scope *s = binder->ctes; s; s = s->outer)
		if (text_equal_nocase(s->cte->name, name->parts[0]))
			return s;
	return NULL;
}

/* The query of a WITH: what it may see is around where it is defined. */
static int bind_cte_query(struct binder *binder, struct cte_scope *scope)
{
	const struct name_scope *around = binder->around;
	struct outer_list *refs = binder->refs;
	struct cte_scope *outside = binder->ctes;
	struct bound_query *query = &scope->query;
	int rc;

	scope->is_used = true;
	binder->ctes = scope->outer;
	binder->around = scope->around;
	binder->refs = scope->refs;
	rc = bind_query(binder, scope->cte->query, query);
	binder->ctes = outside;
	binder->around = around;
	binder->refs = refs;
	if (!rc)
		rc = query_rename(binder, scope->cte->columns,
				  scope->cte->column_count, &scope->cte->place,
				  query);
	return rc ? rc : query_share(binder, query->node, &query->node);
}

/* Bound once, however often it is named. */
static int bind_cte(struct binder *binder, struct cte_scope *scope,
		    struct bound_query *out)
{
	int rc = scope->is_used ? 0 : bind_cte_query(binder, scope);

	if (rc)
		return rc;
	*out = scope->query;
	query_use(binder, out->node);
	return 0;
}

int bind_ctes(struct binder *binder, struct ast_cte *const *ctes,
	      size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct cte_scope *scope = binder_alloc(binder, 1,
						       sizeof(*scope));

		if (!scope)
			return ERROR_NO_MEMORY;
		scope->cte = ctes[i];
		scope->outer = binder->ctes;
		scope->around = binder->around;
		scope->refs = binder->refs;
		binder->ctes = scope;
	}
	return 0;
}

/* What nobody refers to is checked all the same. */
int check_unused_ctes(struct binder *binder, const struct cte_scope *until)
{
	for (struct cte_scope *s = binder->ctes; s && s != until;
	     s = s->outer) {
		struct bound_query query;
		int rc = s->is_used ? 0 : bind_cte(binder, s, &query);

		if (rc)
			return rc;
	}
	return 0;
}

static int bind_relation_body(struct binder *binder,
			      const struct ast_relation *ast,
			      struct bound_query *out)
{
	struct cte_scope *cte;
	int rc;

	if (ast->kind == AST_RELATION_QUERY) {
		rc = bind_query(binder, ast->query, out);
	} else {
		cte = ast->kind == AST_RELATION_NAME ?
			find_cte(binder, &ast->name) : NULL;
		rc = cte ? bind_cte(binder, cte, out)
			 : bind_table(binder, ast, out);
	}
	if (rc)
		return rc;
	return query_rename(binder, ast->columns, ast->column_count,
			    &ast->columns_place, out);
}

int bind_relation(struct binder *binder, const struct ast_relation *ast,
		  struct bound_query *out)
{
	int rc = binder_enter(binder, &ast->place);

	memset(out, 0, sizeof(*out));
	if (!rc)
		rc = binder_count(binder, &ast->place);
	if (rc)
		return rc;
	rc = bind_relation_body(binder, ast, out);
	binder_leave(binder);
	return rc;
}
