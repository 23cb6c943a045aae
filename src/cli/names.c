/*
 * names.c - what the names of a statement stand for
 *
 * Why:    sql asks, storage answers, and neither may know the other.
 * How:    the order of the manual: --bind, a table directory in the
 *         warehouse, a file NAME.csv, .tsv, .jsonl, .ndjson (also .gz, .zst)
 *         or .parquet there, each found or not; what was tried goes into the message.
 */
#include "cli/names.h"
#include <stdlib.h>
#include "cli/outputs.h"

struct named_relation {
	const char *name;
	struct relation *relation;
};

struct opened_table {
	char *directory;
	int64_t version;
};

struct names {
	struct cli *cli;
	struct arena arena;
	struct sql_resolver resolver;
	struct named_relation *given;
	size_t given_count;
	size_t given_capacity;
	struct target **targets;
	size_t target_count;
	size_t target_capacity;
	struct opened_table *opened;
	size_t opened_count;
	size_t opened_capacity;
};

/* The version of a directory this statement reads; the first look decides. */
static int pin_version(struct names *names, const struct table *table,
		       struct error *err)
{
	const struct catalog_table *catalog = table_catalog(table);
	struct opened_table *entry;

	if (!mem_grow((void **)&names->opened, &names->opened_capacity,
		      names->opened_count, sizeof(*names->opened)))
		return error_set(err, ERROR_NO_MEMORY, "names");
	entry = &names->opened[names->opened_count];
	entry->directory = arena_strdup(&names->arena, catalog->directory);
	entry->version = catalog->version;
	if (!entry->directory)
		return error_set(err, ERROR_NO_MEMORY, "names");
	names->opened_count++;
	return 0;
}

static int open_pinned(struct names *names, const char *directory,
		       struct table **out, struct error *err)
{
	char *real;
	int rc = path_real(&names->arena, directory, &real, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < names->opened_count; i++)
		if (strcmp(names->opened[i].directory, real) == 0)
			return table_open(out, directory,
					  names->opened[i].version, err);
	rc = table_open(out, directory, 0, err);
	if (rc)
		return rc;
	rc = pin_version(names, *out, err);
	if (rc) {
		table_free(*out);
		*out = NULL;
	}
	return rc;
}

static const char *find_bind(const struct cli *cli, const char *name)
{
	for (size_t i = cli->binds.count; i-- > 0;)
		if (text_equal_nocase(cli->binds.items[i].name, name))
			return cli->binds.items[i].value;
	return NULL;
}

/* The arguments of read_csv() and the like over the options of the command
 * line. */
static int read_options(const struct sql_relation_request *request,
			struct input_options *options, struct error *err)
{
	bool is_csv = options->format == INPUT_CSV, has_null = false;
	int rc = 0;

	for (size_t i = 0; !rc && i < request->option_count; i++) {
		const struct sql_option *option = &request->options[i];
		bool takes = input_option_is(option->name);

		if (text_equal_nocase(option->name, "null") && !has_null) {
			has_null = true;	/* in place of the command's */
			options->csv.null_text_count = 0;
		}
		if (!takes || options->format == INPUT_PARQUET ||
		    (!is_csv && !input_option_is_general(option->name)))
			rc = error_set(err, ERROR_UNSUPPORTED,
				       "%s() has no option %s",
				       request->function, option->name);
		else
			rc = input_option_set(options, option->name,
					      option->value,
					      ERROR_BAD_ARGUMENT, err);
	}
	return rc;
}

static bool is_function(const struct sql_relation_request *request,
			const char *name)
{
	return request->function &&
	       text_equal_nocase(request->function, name);
}

/* What read_*() says of the format; else the name of the file does. */
static bool said_format(const struct sql_relation_request *request,
			enum input_format *out)
{
	if (is_function(request, "read_jsonl"))
		*out = INPUT_JSONL;
	else if (is_function(request, "read_parquet"))
		*out = INPUT_PARQUET;
	else if (is_function(request, "read_csv"))
		*out = INPUT_CSV;
	else
		return false;
	return true;
}

/* --format debezium says of all inputs what they are; read_csv() of one. */
static int check_events(const struct input_options *options,
			const struct sql_relation_request *request,
			const char *path, struct error *err)
{
	const char *reader = options->format == INPUT_CSV ? "read_csv"
							  : "read_parquet";

	if (!options->csv.is_debezium || options->format == INPUT_JSONL ||
	    request->function)
		return 0;
	error_set(err, ERROR_USAGE, "--format debezium reads JSON Lines, and "
		  "'%s' is none by its name", path);
	return error_hint(err, "say read_jsonl('%s') if its lines are change "
			  "events, %s('%s') if it is an input of another kind",
			  path, reader, path);
}

/* A path, glob or '-' as a relation. */
static int open_path(struct names *names,
		     const struct sql_relation_request *request,
		     const char *path, struct relation **out,
		     struct error *err)
{
	struct input_options options = names->cli->input;
	char *given = (char *)path;
	enum input_format format;
	char **paths;
	struct file_request file = {
		.cli = names->cli,
		.name = request->name,
		.options = &options,
		.types = request->types,
	};
	int rc;

	if (path_is_directory(path)) {
		struct table *table;

		rc = open_pinned(names, path, &table, err);
		return rc ? rc : table_relation_new(out, request->name, table,
						    err);
	}
	rc = input_paths(names->cli, &given, 1, &options, &paths,
			 &file.path_count, err);
	if (said_format(request, &format)) {
		options.format = format;
		if (rc == ERROR_UNSUPPORTED)
			rc = 0;
	}
	if (!rc)
		rc = check_events(&options, request, path, err);
	if (!rc)
		rc = read_options(request, &options, err);
	if (rc)
		return rc;
	file.paths = (const char *const *)paths;
	return file_relation_new(out, &file, err);
}

/* NAME.csv and the like in the warehouse; NULL = none. */
static const char *find_file(struct names *names, const char *name)
{
	static const char *const suffixes[] = {
		".csv", ".tsv", ".csv.gz", ".tsv.gz", ".csv.zst", ".tsv.zst",
		".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".jsonl.zst",
		".ndjson.zst", ".parquet",
	};

	for (size_t i = 0; i < ARRAY_COUNT(suffixes); i++) {
		char *file = arena_printf(&names->arena, "%s%s", name,
					  suffixes[i]);
		char *path = file ? path_join(&names->arena,
					      names->cli->warehouse, file)
				  : NULL;

		if (path && path_exists(path))
			return path;
	}
	return NULL;
}

static int resolve_name(struct names *names,
			const struct sql_relation_request *request,
			struct relation **out, struct error *err)
{
	const char *name = request->name, *path = find_bind(names->cli, name);
	struct table *table;
	char *directory;
	bool found = false;
	int rc;

	for (size_t i = 0; i < names->given_count; i++) {
		if (!names->given[i].relation ||
		    !text_equal_nocase(names->given[i].name, name))
			continue;
		*out = names->given[i].relation;
		names->given[i].relation = NULL;
		return 0;
	}
	if (path)
		return open_path(names, request, path, out, err);
	rc = catalog_find(names->cli->warehouse, name, &names->arena,
			  &directory, &found, err);
	if (rc)
		return rc;
	if (found) {
		rc = open_pinned(names, directory, &table, err);
		return rc ? rc : table_relation_new(out, name, table, err);
	}
	path = find_file(names, name);
	if (path)
		return open_path(names, request, path, out, err);
	error_set(err, ERROR_UNKNOWN_TABLE, "no table or file named %s", name);
	return error_hint(err, "looked for --bind %s=PATH, the table %s, and "
			  "%s.csv, .tsv, .jsonl or .parquet in %s", name, directory, name,
			  names->cli->warehouse);
}

static int names_resolve(void *context,
			 const struct sql_relation_request *request,
			 struct relation **out, struct error *err)
{
	struct names *names = context;

	*out = NULL;
	if (request->function && !is_function(request, "read_csv") &&
	    !is_function(request, "read_jsonl") &&
	    !is_function(request, "read_parquet"))
		return error_set(err, ERROR_UNSUPPORTED,
				 "no table function named %s; there are "
				 "read_csv(), read_jsonl() and "
				 "read_parquet()", request->function);
	if (request->is_path || request->function) {
		const char *path = find_bind(names->cli, request->name);

		return open_path(names, request, path ? path : request->name,
				 out, err);
	}
	return resolve_name(names, request, out, err);
}

static int names_resolve_file_target(void *context, const char *path,
				     struct target **out, struct error *err)
{
	struct names *names = context;
	const struct input_options *input = &names->cli->input;
	struct file_target_options options = {
		.csv = input->csv,
		.thread_count = names->cli->thread_count,
		.wait_ms = names->cli->wait_ms,
	};
	struct sql_options sql = { 0 };
	struct schema types;
	int rc;

	*out = NULL;
	if (!mem_grow((void **)&names->targets, &names->target_capacity,
		      names->target_count, sizeof(*names->targets)))
		return error_set(err, ERROR_NO_MEMORY, "names");
	schema_init(&types);
	rc = outputs_check_file(names->cli, "target", path, err);
	if (!rc && input->types)
		rc = sql_parse_columns(input->types, &sql, &types, err);
	options.types = &types;
	if (!rc)
		rc = file_target_new(out, path, &options, err);
	if (!rc)
		names->targets[names->target_count++] = *out;
	schema_release(&types);
	return rc;
}

static int names_resolve_target(void *context, const char *name,
				struct target **out, struct error *err)
{
	struct names *names = context;
	struct iceberg_target_options options = {
		.wait_ms = names->cli->wait_ms,
		.retry_limit = names->cli->retry_limit,
	};
	struct table *table;
	char *directory;
	bool found;
	int rc;

	*out = NULL;
	if (find_bind(names->cli, name))
		return names_resolve_file_target(
			context, find_bind(names->cli, name), out, err);
	if (!mem_grow((void **)&names->targets, &names->target_capacity,
		      names->target_count, sizeof(*names->targets)))
		return error_set(err, ERROR_NO_MEMORY, "names");
	rc = catalog_find(names->cli->warehouse, name, &names->arena,
			  &directory, &found, err);
	if (rc)
		return rc;
	if (!found) {
		const char *file = find_file(names, name);

		error_set(err, ERROR_UNKNOWN_TABLE, "no table named %s", name);
		if (file)
			return error_hint(err, "there is a file '%s': to "
					  "change that, write its path in "
					  "quotes", file);
		return error_hint(err, "there is no table in %s; CREATE TABLE "
				  "makes one", directory);
	}
	rc = open_pinned(names, directory, &table, err);
	if (!rc)
		rc = iceberg_target_new(out, table, &options, err);
	/* a table of a newer format: not a target, whatever the statement */
	if (rc == ERROR_UNSUPPORTED)
		rc = err->code = ERROR_NOT_SUPPORTED;
	if (rc)
		return rc;
	names->targets[names->target_count++] = *out;
	return 0;
}

int names_new(struct names **out, struct cli *cli, struct error *err)
{
	struct names *names = mem_zalloc(sizeof(*names));

	*out = names;
	if (!names)
		return error_set(err, ERROR_NO_MEMORY, "names");
	names->cli = cli;
	arena_init(&names->arena, 0);
	names->resolver.context = names;
	names->resolver.resolve = names_resolve;
	names->resolver.resolve_target = names_resolve_target;
	names->resolver.resolve_file_target = names_resolve_file_target;
	return 0;
}

void names_free(struct names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->target_count; i++)
		target_free(names->targets[i]);
	for (size_t i = 0; i < names->given_count; i++)
		relation_free(names->given[i].relation);
	mem_free(names->given);
	mem_free(names->targets);
	mem_free(names->opened);
	arena_release(&names->arena);
	mem_free(names);
}

struct sql_resolver *names_resolver(struct names *names)
{
	return &names->resolver;
}

int names_add_relation(struct names *names, const char *name,
		       struct relation *relation, struct error *err)
{
	struct named_relation *given;

	if (!mem_grow((void **)&names->given, &names->given_capacity,
		      names->given_count, sizeof(*names->given)))
		return error_set(err, ERROR_NO_MEMORY, "names");
	given = &names->given[names->given_count++];
	given->name = name;
	given->relation = relation;
	return 0;
}

int names_open_table(struct cli *cli, const char *name, int64_t version,
		     struct table **out, struct error *err)
{
	struct arena arena;
	char *directory;
	bool found;
	int rc;

	*out = NULL;
	arena_init(&arena, 0);
	rc = catalog_find(cli->warehouse, name, &arena, &directory, &found,
			  err);
	if (!rc && !found) {
		rc = error_set(err, ERROR_UNKNOWN_TABLE, "no table named %s",
			       name);
		error_hint(err, "looked in %s", directory);
	}
	if (!rc)
		rc = table_open(out, directory, version, err);
	arena_release(&arena);
	return rc;
}
