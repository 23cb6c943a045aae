/*
 * cmd_load.c - rowmerge load: append files or standard input to a table
 *
 * How:    INSERT INTO table (columns of the file) SELECT them, columns by
 *         name; those that the file lacks get their default or NULL.
 */
#include "cli/rejects.h"
#include "cli/statement.h"

#define INPUT_NAME "load input"

static bool add_quoted(struct text *out, const char *name)
{
	text_add_char(out, '"');
	for (; *name; name++) {
		if (*name == '"')
			text_add_char(out, '"');
		text_add_char(out, *name);
	}
	return text_add_char(out, '"');
}

/* a.b as "a"."b" */
static bool add_quoted_table(struct text *out, const char *name)
{
	struct text part = TEXT_INIT;

	for (; *name; name++) {
		if (*name != '.') {
			text_add_char(&part, *name);
			continue;
		}
		add_quoted(out, part.data ? part.data : "");
		text_add_char(out, '.');
		text_reset(&part);
	}
	add_quoted(out, part.data ? part.data : "");
	text_release(&part);
	return !out->failed;
}

static bool add_column_list(struct text *out, const struct schema *schema)
{
	for (size_t i = 0; i < schema->column_count; i++) {
		text_add_str(out, i ? ", " : "");
		add_quoted(out, schema->columns[i].name);
	}
	return !out->failed;
}

static int check_columns(const struct relation *input,
			 const struct schema *table, const char *name,
			 struct error *err)
{
	for (size_t i = 0; i < input->schema.column_count; i++) {
		const char *column = input->schema.columns[i].name;

		if (schema_find(table, column) >= 0)
			continue;
		error_set(err, ERROR_UNKNOWN_COLUMN,
			  "the input has a column %s that table %s lacks",
			  column, name);
		error_field(err, column);
		if (sql_hint_delimiter(&input->schema, err))
			return ERROR_UNKNOWN_COLUMN;
		return error_hint(err, "INSERT INTO ... SELECT chooses the "
				  "columns of an input");
	}
	return 0;
}

static int open_input(struct cli *cli, const struct schema *table,
		      struct relation **out, struct error *err)
{
	struct input_options options = cli->input;
	struct file_request file = {
		.cli = cli,
		.name = INPUT_NAME,
		.options = &options,
		.types = table,
	};
	char **paths;
	int rc = input_paths(cli, cli->args + 1, (size_t)cli->arg_count - 1,
			     &options, &paths, &file.path_count, err);

	*out = NULL;
	if (rc)
		return rc;
	options.csv.all_columns = true;
	file.paths = (const char *const *)paths;
	return file_relation_new(out, &file, err);
}

static int run_insert(struct cli *cli, const char *sql,
		      struct relation *input, struct error *err)
{
	struct sql_statement *statement = NULL;
	struct sql_script *script = NULL;
	struct sql_options options;
	struct names *names;
	int rc = names_new(&names, cli, err);

	if (!rc)
		rc = names_add_relation(names, INPUT_NAME, input, err);
	if (rc) {
		relation_free(input);
		names_free(names);
		return rc;
	}
	rc = statement_options(cli, names, &options, err);
	if (!rc)
		rc = sql_script_new(&script, "load", sql, strlen(sql), err);
	if (!rc)
		rc = sql_statement_bind(script, 0, &options, &statement, err);
	if (!rc) {
		rc = statement_run_merge(cli, statement, err);
		/* nobody has seen the statement that this line is of */
		if (rc && !err->file[0])
			err->line = err->column = 0;
	}
	sql_statement_free(statement);
	names_free(names);
	sql_script_free(script);
	return rc;
}

int cmd_load(struct cli *cli, struct error *err)
{
	struct relation *input = NULL;
	struct text sql = TEXT_INIT;
	struct table *table;
	int rc = rejects_open(cli, err);

	rejects_begin(cli);
	if (!rc)
		rc = names_open_table(cli, cli->args[0], 0, &table, err);
	if (rc)
		return rc;
	rc = open_input(cli, table_schema(table), &input, err);
	if (!rc)
		rc = check_columns(input, table_schema(table), cli->args[0],
				   err);
	table_free(table);
	if (rc) {
		relation_free(input);
		return rc;
	}
	text_add_str(&sql, "INSERT INTO ");
	add_quoted_table(&sql, cli->args[0]);
	text_add_str(&sql, " (");
	add_column_list(&sql, &input->schema);
	text_add_str(&sql, ") SELECT ");
	add_column_list(&sql, &input->schema);
	text_add_str(&sql, " FROM \"" INPUT_NAME "\"");
	if (sql.failed) {
		relation_free(input);
		rc = error_set(err, ERROR_NO_MEMORY, "load");
	} else {
		rc = run_insert(cli, sql.data, input, err);
	}
	text_release(&sql);
	return rc;
}
