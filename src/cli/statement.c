/*
 * statement.c - bind and run the statements of a spec
 *
 * How:    the whole spec is parsed before anything runs, so that a slip in
 *         its last line changes nothing; each statement is bound when its turn
 *         comes, since one may need what the one before made.
 */
#include "cli/statement.h"
#include "cli/changes.h"
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>
#include "cli/create_fill.h"
#include "cli/outputs.h"
#include "cli/rejects.h"

#define SPEC_LIMIT_BYTES ((size_t)64 << 20)

static int read_standard_input(struct text *out, struct error *err)
{
	struct input_stream *stream;
	size_t got = 0;
	int rc = input_stream_open(&stream, "-", err);

	while (!rc) {
		if (!text_reserve(out, 65536))
			rc = error_set(err, ERROR_NO_MEMORY, "spec");
		else
			rc = input_stream_read(stream, out->data + out->length,
					       65536, &got, err);
		if (rc || got == 0)
			break;
		out->length += got;
		if (out->length > SPEC_LIMIT_BYTES)
			rc = error_set(err, ERROR_USAGE,
				       "the spec is over 64 MiB");
	}
	input_stream_close(stream);
	return rc;
}

static bool is_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/* Does a text hold a name as a word of its own, in any case? True also if it
 * may in other words: with doubled quotes or in parts. */
static bool may_name(const char *text, size_t length, const char *name)
{
	size_t end, name_length = strlen(name);

	if (strpbrk(name, "\"'."))
		return true;
	for (size_t i = 0; i + name_length <= length; i++) {
		end = i + name_length;
		if (strncasecmp(text + i, name, name_length) == 0 &&
		    (i == 0 || !is_word_byte(text[i - 1])) &&
		    (end == length || !is_word_byte(text[end])))
			return true;
	}
	return false;
}

/*
 * A file that is given and not read is a slip in a name, and what the
 * statement finds under the other name may be the batch of yesterday.
 */
static int check_binds_used(const struct cli *cli, const char *text,
			    size_t length, struct error *err)
{
	for (size_t i = 0; i < cli->binds.count; i++)
		if (!may_name(text, length, cli->binds.items[i].name))
			return error_set(err, ERROR_USAGE, "--bind %s=%s: no "
					 "statement has that name",
					 cli->binds.items[i].name,
					 cli->binds.items[i].value);
	return 0;
}

/* Not what --bind says of it: its rows would be read as statements. */
static int take_for_spec(struct cli *cli, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < cli->binds.count && !rc; i++)
		if (strcmp(cli->binds.items[i].value, "-") == 0)
			rc = stream_take(cli, "-", "--bind", err);
	return rc ? rc : stream_take(cli, "-", "the spec", err);
}

int script_open(struct cli *cli, struct sql_script **out, struct error *err)
{
	const char *path = cli->arg_count ? cli->args[0] : NULL;
	struct text text = TEXT_INIT;
	bool is_stdin;
	int rc;

	*out = NULL;
	if (cli->sql && path)
		return error_set(err, ERROR_USAGE,
				 "give statements by -e or by a file, not "
				 "both");
	if (cli->sql) {
		rc = check_binds_used(cli, cli->sql, strlen(cli->sql), err);
		return rc ? rc : sql_script_new(out, "-e", cli->sql,
						strlen(cli->sql), err);
	}
	if (!path) {
		error_set(err, ERROR_USAGE, "no statement");
		return error_hint(err, "name a spec file, - for standard "
				  "input, or use -e SQL");
	}
	rc = outputs_check_file(cli, "spec", path, err);
	is_stdin = strcmp(path, "-") == 0;
	if (!rc && is_stdin)
		rc = take_for_spec(cli, err);
	if (!rc)
		rc = is_stdin ? read_standard_input(&text, err) :
		     input_file_read_all(path, SPEC_LIMIT_BYTES, &text, err);
	if (!rc)
		rc = check_binds_used(cli, text.data, text.length, err);
	if (!rc)
		rc = sql_script_new(out, is_stdin ? "stdin" : path,
				    text.data ? text.data : "", text.length,
				    err);
	text_release(&text);
	return rc;
}

struct expr_context cli_expr_context(struct cli *cli)
{
	struct expr_context context = { .now_us = cli->now_us,
					.zone = cli->zone,
					.errors = &cli->errors };

	return context;
}

int statement_options(struct cli *cli, struct names *names,
		      struct sql_options *out, struct error *err)
{
	struct sql_parameter *parameters;

	memset(out, 0, sizeof(*out));
	parameters = arena_zalloc_array(&cli->arena,
					cli->parameters.count + 1,
					sizeof(*parameters));
	if (!parameters)
		return error_set(err, ERROR_NO_MEMORY, "parameters");
	for (size_t i = 0; i < cli->parameters.count; i++) {
		parameters[i].name = cli->parameters.items[i].name;
		parameters[i].text = cli->parameters.items[i].value;
	}
	out->resolver = names_resolver(names);
	out->parameters = parameters;
	out->parameter_count = cli->parameters.count;
	out->context = cli_expr_context(cli);
	return 0;
}

static int open_source(void *context, const struct merge_plan *plan,
		       struct batch_source **out, struct error *err)
{
	return query_source_new(out, plan->source, plan->source_used, context,
				err);
}

static const char *spill_directory(void)
{
	const char *directory = getenv("TMPDIR");

	return directory && *directory ? directory : "/tmp";
}

void statement_query_options(struct cli *cli, struct query_options *out)
{
	memset(out, 0, sizeof(*out));
	out->context = cli_expr_context(cli);
	out->thread_count = cli->thread_count;
	out->memory_bytes = cli->memory_bytes;
	out->spill_directory = spill_directory();
	out->log = &cli->log;
}

void statement_merge_options(struct cli *cli, struct merge_options *out)
{
	memset(out, 0, sizeof(*out));
	out->context = cli_expr_context(cli);
	out->thread_count = cli->thread_count;
	out->memory_bytes = cli->memory_bytes;
	out->spill_directory = spill_directory();
	out->log = &cli->log;
	out->source_open = open_source;
	out->has_paradigm = cli->has_mode;
	out->paradigm = cli->mode;
	out->unsorted = cli->unsorted;
	out->duplicate_match_by_case = cli->duplicate_match_by_case;
	out->allow_empty_source = cli->allow_empty_source;
	out->delete_limit = cli->delete_limit;
	out->dry_run = cli->dry_run;
	out->now_us = clock_now_us();	/* of the commit */
}

static int source_read(void *context, const struct merge_plan *plan,
		       uint64_t rows_read, struct error *err)
{
	return rejects_source_read(context, plan, rows_read, err);
}

static int run_and_publish(const struct merge_plan *plan,
			   const struct merge_options *options,
			   struct change_feed *feed, struct merge_result *out,
			   struct error *err)
{
	int rc = merge_run(plan, options, out, err);

	if (rc)
		return rc;
	rc = change_feed_publish(feed, &out->outcome, err);
	if (rc)
		merge_result_release(out);
	return rc;
}

void statement_merge_setup(struct cli *cli, const struct merge_plan *plan,
			   struct query_options *query,
			   struct merge_options *out)
{
	statement_query_options(cli, query);
	statement_merge_options(cli, out);
	/* the query keeps rows while the merge keeps what it gives */
	if (plan->source && query_keeps_rows(plan->source)) {
		query->memory_bytes = cli->memory_bytes / 2;
		out->memory_bytes = cli->memory_bytes / 2;
	}
	out->source_context = query;
}

int statement_merge(struct cli *cli, const struct merge_plan *plan,
		    struct merge_result *out, struct error *err)
{
	struct change_feed *feed = NULL;
	struct query_options query;
	struct merge_options options;
	int rc;

	statement_merge_setup(cli, plan, &query, &options);
	options.source_read = source_read;
	options.source_read_context = cli;
	rc = shape_keep(cli, plan, &options.keep, err);
	if (!rc)
		rc = change_feed_new(&feed, cli, plan, &options, err);
	if (!rc)
		rc = run_and_publish(plan, &options, feed, out, err);
	change_feed_free(feed);
	if (rc)
		return rejects_end(cli, rc, err);
	cli->has_differences |= out->rows_inserted || out->rows_updated ||
				out->rows_deleted ||
				out->outcome.changes_schema;
	rc = rejects_end(cli, 0, err);
	if (rc)
		merge_result_release(out);
	return rc;
}

/* Bind and run a plain statement of a script of one. */
static int run_plain(struct cli *cli, struct sql_script *script,
		     struct names *names, struct error *err)
{
	struct sql_statement *statement = NULL;
	struct merge_options options;
	struct sql_options sql;
	struct merge_result result;
	int rc = statement_options(cli, names, &sql, err);

	if (!rc)
		rc = sql_statement_bind(script, 0, &sql, &statement, err);
	statement_merge_options(cli, &options);
	options.delete_limit.is_set = false;
	options.has_paradigm = false;
	if (!rc)
		rc = merge_run(statement->merge, &options, &result, err);
	if (!rc)
		merge_result_release(&result);
	sql_statement_free(statement);
	return rc;
}

int statement_run_own(struct cli *cli, const char *sql, struct error *err)
{
	struct input_options input = cli->input;
	struct sql_script *script = NULL;
	struct names *names = NULL;
	int rc = sql_script_new(&script, "rowmerge", sql, strlen(sql), err);

	input_options_init(&cli->input);
	cli->input.csv.zone = cli->zone;
	if (!rc)
		rc = names_new(&names, cli, err);
	if (!rc)
		rc = run_plain(cli, script, names, err);
	cli->input = input;
	names_free(names);
	sql_script_free(script);
	return rc;
}

int statement_run_merge(struct cli *cli, const struct sql_statement *statement,
			struct error *err)
{
	struct merge_result result;
	int rc = statement_merge(cli, statement->merge, &result, err);

	if (rc)
		return rc;
	rc = summary_merge(cli, statement->merge, &result, err);
	merge_result_release(&result);
	return rc;
}

static int run_query(struct cli *cli, const struct sql_statement *statement,
		     struct error *err)
{
	struct row_output_options output = {
		.format = cli->format,
		.thread_count = cli->thread_count,
		.limit = UINT64_MAX,
		.has_header = true,
	};
	struct query_options query;
	struct batch_source *source = NULL;
	int rc;

	statement_query_options(cli, &query);
	rc = query_source_new(&source, statement->query, NULL, &query, err);
	if (!rc)
		rc = row_output(cli, source, &output, err);
	batch_source_free(source);
	if (!rc)
		rc = rejects_source_read(cli, NULL, 0, err);
	return rejects_end(cli, rc, err);
}

static int run_create(struct cli *cli, const struct sql_statement *statement,
		      struct error *err)
{
	const struct sql_create *create = statement->create;
	struct table_create_options options = {
		.schema = &create->schema,
		.format_version = create->format_version,
		.or_replace = create->or_replace,
		.now_us = clock_now_us(),
	};
	struct key_value *properties;
	char *directory;
	int64_t version;
	bool found;
	int rc;

	rc = catalog_find(cli->warehouse, create->name, &cli->arena,
			  &directory, &found, err);
	if (rc)
		return rc;
	if (found && create->if_not_exists)
		return summary_skipped(cli, create->name, "create table",
				       "exists already", err);
	properties = arena_zalloc_array(&cli->arena,
					create->property_count + 1,
					sizeof(*properties));
	if (!properties)
		return error_set(err, ERROR_NO_MEMORY, "properties");
	for (size_t i = 0; i < create->property_count; i++) {
		properties[i].key = (char *)create->property_keys[i];
		properties[i].value = (char *)create->property_values[i];
	}
	options.properties = properties;
	options.property_count = create->property_count;
	options.partition_terms = create->partition_terms;
	options.partition_term_count = create->partition_count;
	options.sort_terms = create->sort_terms;
	options.sort_term_count = create->sort_count;
	if (create->query)
		return create_fill(cli, create, &options, directory, err);
	rc = table_create(directory, &options, &version, err);
	return rc ? rc : summary_table(cli, create->name, "create table",
				       version, err);
}

static int run_drop(struct cli *cli, const struct sql_statement *statement,
		    struct error *err)
{
	char *directory;
	bool found;
	int rc;

	rc = catalog_find(cli->warehouse, statement->name, &cli->arena,
			  &directory, &found, err);
	if (rc)
		return rc;
	if (!found && statement->if_exists)
		return summary_skipped(cli, statement->name, "drop table",
				       "is not there", err);
	if (!found)
		return error_set(err, ERROR_UNKNOWN_TABLE, "no table named %s",
				 statement->name);
	rc = catalog_drop(directory, err);
	return rc ? rc : summary_table(cli, statement->name, "drop table", 0,
				       err);
}

static int run_bound(struct cli *cli, const struct sql_statement *statement,
		     struct error *err)
{
	if (cli->dry_run && statement->kind != SQL_MERGE)
		return error_set(err, ERROR_USAGE, "--dry-run takes a MERGE, "
				 "UPDATE, DELETE or INSERT");
	for (size_t i = 0; i < statement->warning_count; i++)
		log_warn(&cli->log, "%s", statement->warnings[i]);
	switch (statement->kind) {
	case SQL_MERGE:
		return statement_run_merge(cli, statement, err);
	case SQL_QUERY:
		return run_query(cli, statement, err);
	case SQL_CREATE_TABLE:
		return run_create(cli, statement, err);
	case SQL_DROP_TABLE:
		return run_drop(cli, statement, err);
	case SQL_ALTER_TABLE:
		break;
	}
	return statement_alter(cli, statement->alter, err);
}

int statement_run(struct cli *cli, struct sql_script *script, size_t i,
		  struct error *err)
{
	struct sql_statement *statement = NULL;
	struct sql_options options;
	struct names *names;
	int rc = names_new(&names, cli, err);

	rejects_begin(cli);
	if (!rc)
		rc = statement_options(cli, names, &options, err);
	if (!rc)
		rc = sql_statement_bind(script, i, &options, &statement, err);
	if (!rc) {
		rc = run_bound(cli, statement, err);
		/* an expression knows its line, but not of which spec */
		if (rc && err->line && !err->file[0])
			error_at(err, sql_script_name(script), err->line,
				 err->column);
	}
	sql_statement_free(statement);
	names_free(names);
	return rc;
}
