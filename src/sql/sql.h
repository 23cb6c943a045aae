#ifndef SQL_SQL_H
#define SQL_SQL_H
/*
 * sql: from the text of a spec to bound statements. Lexer, parser, names,
 * types, coercions, messages with a caret. It opens no table and no file:
 * what a name stands for is asked of the resolver.
 */
#include "plan/plan.h"

/* Columns of a table, a query, an INSERT list; rows of VALUES are free. */
#define SQL_COLUMN_LIMIT 10000

/* A text with statements separated by ';'. */
struct sql_script;
/* name is used in messages; text is copied. Only lexed here. Errors:
 * ERROR_SYNTAX (an open comment or quote, bytes that are not UTF-8). */
int sql_script_new(struct sql_script **out, const char *name,
		   const char *text, size_t length, struct error *err);
void sql_script_free(struct sql_script *script);
/* As it was given. */
const char *sql_script_name(const struct sql_script *script);

/* A value given to :NAME. text as on the command line. The literal takes the
 * type that its use asks for, like a quoted literal of unknown type. */
struct sql_parameter {
	const char *name;
	const char *text;
};

enum sql_kind {
	SQL_MERGE,		/* merge: MERGE, UPDATE, DELETE, INSERT */
	SQL_QUERY,		/* query: SELECT, VALUES */
	SQL_CREATE_TABLE,	/* create; query set for AS SELECT */
	SQL_DROP_TABLE,
	SQL_ALTER_TABLE,	/* alter; also COMMENT ON */
};

struct sql_create {
	const char *name;
	bool or_replace;
	bool if_not_exists;
	struct schema schema;	/* required, identifier and defaults set;
				 * field ids 0 */
	int format_version;	/* 0 = not said */
	const char **property_keys;	/* WITH, but format_version */
	const char **property_values;
	size_t property_count;
	const struct partition_term *partition_terms;
	size_t partition_count;
	const struct sort_term *sort_terms;
	size_t sort_count;
	struct query_node *query;	/* AS SELECT, else NULL; its columns
					 * are the schema's */
};

/* Several changes that make one version. */
struct sql_alter {
	const char *name;
	bool if_exists;
	const struct table_change *changes;
	size_t change_count;
	const char **warnings;
	size_t warning_count;
};

/* A bound statement; everything hangs below its arena. */
struct sql_statement {
	struct arena arena;
	enum sql_kind kind;
	const char *text;		/* of this statement, trimmed */
	uint32_t line;			/* where it starts */
	const char *name;		/* of the table that it is about */
	bool if_exists;			/* DROP */
	struct merge_plan *merge;
	struct query_node *query;
	struct sql_create *create;
	struct sql_alter *alter;
	struct relation **relations;	/* all it resolved; freed with it */
	size_t relation_count;
	/* Things to say: warnings of the binder. */
	const char **warnings;
	size_t warning_count;
};

/*
 * How names become relations. resolve() is asked for tables, files (path =
 * true: 'in/x.csv' as a quoted path or glob) and read_csv(...) calls. types
 * is the schema of the write target, by which a CSV file's columns of the
 * same name are typed (NULL = no target: every column untyped). The relation
 * is given to the caller (relation_free).
 * Errors: ERROR_UNKNOWN_TABLE with what was tried.
 */
struct sql_option {
	const char *name;	/* "delimiter" */
	const char *value;	/* text of the literal */
};
struct sql_relation_request {
	const char *name;	/* as written, quotes removed; dots kept */
	bool is_path;		/* a quoted path */
	const char *function;	/* "read_csv", else NULL */
	const struct sql_option *options;
	size_t option_count;
	const struct schema *types;
};
struct sql_resolver {
	void *context;
	int (*resolve)(void *context,
		       const struct sql_relation_request *request,
		       struct relation **out, struct error *err);
	/* The table that a statement writes; the target is borrowed from the
	 * context and outlives the statement. */
	int (*resolve_target)(void *context, const char *name,
			      struct target **out, struct error *err);
	/* The same of a file by its path; NULL = none can be written. */
	int (*resolve_file_target)(void *context, const char *path,
				   struct target **out, struct error *err);
};
struct sql_options {
	const struct sql_resolver *resolver;
	const struct sql_parameter *parameters;
	size_t parameter_count;
	struct expr_context context;	/* for folding */
};

/* Number of statements (empty ones do not count) / the next one's line. */
size_t sql_script_statement_count(const struct sql_script *script);
/*
 * Parse statement i without binding and say its kind and the table it writes
 * (NULL for a query). Used to check a whole spec before anything runs.
 * *table lives as long as the script. Errors: ERROR_SYNTAX and
 * ERROR_UNSUPPORTED with file, line and column (sql_script_caret() shows the
 * place).
 */
int sql_statement_parse(struct sql_script *script, size_t i,
			enum sql_kind *kind, const char **table,
			struct error *err);
/* Parse and bind statement i. */
int sql_statement_bind(struct sql_script *script, size_t i,
		       const struct sql_options *options,
		       struct sql_statement **out, struct error *err);
void sql_statement_free(struct sql_statement *statement);

/* An expression alone over the columns of a schema (cat --where). Must be
 * BOOLEAN. Lives in arena. */
int sql_bind_condition(const char *name, const char *text,
		       const struct schema *schema,
		       const struct sql_options *options,
		       struct arena *arena, struct expr **out,
		       struct error *err);
/* "id BIGINT NOT NULL, name VARCHAR DEFAULT 'x', PRIMARY KEY (id)" of
 * create --columns, into an initialised schema. */
int sql_parse_columns(const char *text, const struct sql_options *options,
		      struct schema *out, struct error *err);
/* "bucket(8, id), day(ts) AS d" of --partition-by; *out lives in arena. */
int sql_parse_partition_terms(const char *text, struct arena *arena,
			      const struct partition_term **out,
			      size_t *count_out, struct error *err);
/* "id DESC NULLS LAST, name" of --sort-by; *out lives in arena. */
int sql_parse_sort_terms(const char *text, struct arena *arena,
			 const struct sort_term **out, size_t *count_out,
			 struct error *err);
/*
 * "ADD COLUMN a DATE, DROP COLUMN b": what may stand behind ALTER TABLE t.
 * name is for messages. What out refers to lives in arena.
 */
int sql_parse_changes(const char *name, const char *text,
		      const struct sql_options *options, struct arena *arena,
		      struct sql_alter *out, struct error *err);
/* "DECIMAL(18,2)" to a type; the fields of a nested one live in arena. */
int sql_parse_type(const char *text, struct arena *arena, struct type *out,
		   struct error *err);
/*
 * The line of the script at (line, position) and a caret under it, as a
 * message shows it; appended.
 */
bool sql_script_caret(const struct sql_script *script, uint64_t line,
		      uint64_t position, struct text *out);
/*
 * Where the only column of a file looks like a whole header, hint at its
 * delimiter; else false and err is as it was.
 */
bool sql_hint_delimiter(const struct schema *schema, struct error *err);
#endif
