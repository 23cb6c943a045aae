/*
 * fuzz_sql.c - any text at all through the lexer, the parser and the binder
 *
 * Every table exists and has the same columns; columns of 'paths' are
 * untyped. What is looked for is a crash, a leak or a hang, and an error
 * without a message.
 */
#include <stdlib.h>
#include "sql/sql.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fuzz_target {
	struct target target;
	struct schema schema;
} fuzz_target;

static const char *target_name(const struct target *target)
{
	return "target";
}

static const struct schema *target_schema(const struct target *target)
{
	return &fuzz_target.schema;
}

/* The next input needs the same columns: it says yes and does nothing. */
static int target_takes(struct target *target,
			const struct table_change *changes, size_t count,
			struct error *err)
{
	(void)err;
	if (!target || !changes || !count)
		abort();
	return 0;
}

static const struct target_ops fuzz_ops = {
	.name = target_name,
	.evolve = target_takes,
	.schema = target_schema,
};

static void free_relation(struct relation *relation)
{
	schema_release(&relation->schema);
	mem_free(relation->untyped);
	mem_free(relation);
}

static int add_columns(struct schema *schema, struct error *err)
{
	return sql_parse_columns("a INTEGER PRIMARY KEY, b VARCHAR DEFAULT "
		"'x', c DECIMAL(10,2), d DATE, e DOUBLE, f BOOLEAN, "
		"k BIGINT, ts TIMESTAMP, u UUID, v VARBINARY, r ROW(a INTEGER "
		"NOT NULL, b VARCHAR, q ROW(z INTEGER)), l ARRAY(INTEGER), "
		"m MAP(VARCHAR, ROW(n INTEGER))", NULL, schema, err);
}

static int resolve(void *context, const struct sql_relation_request *request,
		   struct relation **out, struct error *err)
{
	struct relation *relation = mem_zalloc(sizeof(*relation));
	int rc;

	*out = NULL;
	if (!relation)
		abort();
	schema_init(&relation->schema);
	relation->free = free_relation;
	relation->name = "relation";
	rc = add_columns(&relation->schema, err);
	if (rc)
		abort();
	if (request->is_path || request->function) {
		size_t count = relation->schema.column_count;

		relation->untyped = mem_zalloc(count);
		if (!relation->untyped)
			abort();
		for (size_t i = 0; i < count; i++) {
			relation->untyped[i] = i % 3 != 0;
			if (relation->untyped[i])
				relation->schema.columns[i].type =
					type_of(TYPE_VARCHAR);
		}
	}
	*out = relation;
	return 0;
}

static int resolve_target(void *context, const char *name,
			  struct target **out, struct error *err)
{
	*out = &fuzz_target.target;
	return 0;
}

static void bind_all(struct sql_script *script,
		     const struct sql_options *options)
{
	for (size_t i = 0; i < sql_script_statement_count(script); i++) {
		struct sql_statement *statement;
		struct text caret = TEXT_INIT;
		struct error err;
		const char *table;
		enum sql_kind kind;
		int parsed, rc;

		error_init(&err);
		parsed = sql_statement_parse(script, i, &kind, &table, &err);
		error_init(&err);
		rc = sql_statement_bind(script, i, options, &statement, &err);
		if (rc && (err.code != (enum error_code)rc || !*err.text))
			abort();
		if (parsed && !rc)
			abort();
		sql_script_caret(script, err.line, err.column, &caret);
		text_release(&caret);
		sql_statement_free(statement);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct sql_parameter parameter = { "p", "12" };
	static const struct sql_resolver resolver = { NULL, resolve,
						      resolve_target };
	struct sql_options options = { 0 };
	struct sql_script *script;
	struct error err;

	options.resolver = &resolver;
	options.parameters = &parameter;
	options.parameter_count = 1;
	if (!fuzz_target.target.ops) {
		schema_init(&fuzz_target.schema);
		fuzz_target.target.ops = &fuzz_ops;
		if (add_columns(&fuzz_target.schema, &err))
			abort();
	}
	error_init(&err);
	if (sql_script_new(&script, "fuzz.sql", (const char *)data, size,
			   &err)) {
		if (!*err.text)
			abort();
		return 0;
	}
	bind_all(script, &options);
	sql_script_free(script);
	return 0;
}
