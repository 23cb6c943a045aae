/*
 * names.c - what the names of a statement stand for
 *
 * Why:    sql asks, storage answers, and neither may know the other.
 * How:    the order of the manual: --bind, a table directory in the
 *         warehouse, a file NAME.csv or NAME.tsv there (also .gz, .zst), each
 *         found or not; what was tried goes into the message.
 */
#include "cli/names.h"
#include <stdlib.h>

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

static int option_flag(const struct sql_option *option, bool *out,
		       struct error *err)
{
	uint8_t value;

	if (parse_boolean(option->value, strlen(option->value), &value))
		return error_set(err, ERROR_BAD_ARGUMENT,
				 "%s => '%s' is neither true nor false",
				 option->name, option->value);
	*out = value;
	return 0;
}

static int option_char(const struct sql_option *option, char *out,
		       struct error *err)
{
	if (strcmp(option->value, "\\t") == 0) {
		*out = '\t';
		return 0;
	}
	if (strlen(option->value) != 1)
		return error_set(err, ERROR_BAD_ARGUMENT,
				 "%s => '%s' is not one character",
				 option->name, option->value);
	*out = option->value[0];
	return 0;
}

static int option_count(const struct sql_option *option, uint64_t *out,
			struct error *err)
{
	int64_t value;

	if (parse_int64(option->value, strlen(option->value), &value) ||
	    value < 0)
		return error_set(err, ERROR_BAD_ARGUMENT,
				 "%s => '%s' is not a number of lines",
				 option->name, option->value);
	*out = (uint64_t)value;
	return 0;
}

/* The arguments of read_csv() over the options of the command line. */
static int read_csv_options(const struct sql_relation_request *request,
			    struct csv_options *csv, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < request->option_count; i++) {
		const struct sql_option *option = &request->options[i];

		if (csv->is_jsonl &&
		    !text_equal_nocase(option->name, "skip_lines"))
			rc = error_set(err, ERROR_UNSUPPORTED,
				       "read_jsonl() has no option %s",
				       option->name);
		else if (text_equal_nocase(option->name, "delimiter"))
			rc = option_char(option, &csv->delimiter, err);
		else if (text_equal_nocase(option->name, "quote"))
			rc = *option->value
				     ? option_char(option, &csv->quote, err)
				     : (csv->quote = 0, 0);
		else if (text_equal_nocase(option->name, "header"))
			rc = option_flag(option, &csv->has_header, err);
		else if (text_equal_nocase(option->name, "null"))
			csv->null_text = option->value;
		else if (text_equal_nocase(option->name, "skip_lines"))
			rc = option_count(option, &csv->skip_lines, err);
		else
			rc = error_set(err, ERROR_UNSUPPORTED,
				       "read_csv() has no option %s",
				       option->name);
	}
	return rc;
}

static bool has_suffix(const char *path, const char *suffix)
{
	static const char *const packed[] = { "", ".gz", ".zst" };
	struct text full = TEXT_INIT;
	bool found = false;

	for (size_t i = 0; i < ARRAY_COUNT(packed) && !found; i++) {
		text_reset(&full);
		text_add_str(&full, suffix);
		text_add_str(&full, packed[i]);
		found = full.data && text_ends_with(path, full.data);
	}
	text_release(&full);
	return found;
}

static bool is_function(const struct sql_relation_request *request,
			const char *name)
{
	return request->function &&
	       text_equal_nocase(request->function, name);
}

bool path_is_jsonl(const char *path)
{
	return has_suffix(path, ".jsonl") || has_suffix(path, ".ndjson");
}

int names_input_format(struct cli *cli, struct error *err)
{
	if (cli->format == ROW_FORMAT_PARQUET)
		return error_set(err, ERROR_UNSUPPORTED, "--format parquet: "
				 "only csv and jsonl are read");
	cli->csv.is_jsonl = cli->format == ROW_FORMAT_JSONL;
	return 0;
}

static int refuse_format(const char *path, struct error *err)
{
	static const char *const others[] = { ".json", ".parquet" };

	for (size_t i = 0; i < ARRAY_COUNT(others); i++)
		if (has_suffix(path, others[i]))
			return error_set(err, ERROR_UNSUPPORTED,
					 "%s: only CSV and JSON Lines files "
					 "and tables can be a source", path);
	return 0;
}

/* A path, glob or '-' as a relation. */
static int open_path(struct names *names,
		     const struct sql_relation_request *request,
		     const char *path, struct relation **out,
		     struct error *err)
{
	struct csv_options csv = names->cli->csv;
	char **paths;
	size_t count;
	int rc = refuse_format(path, err);

	if (!rc && path_is_directory(path)) {
		struct table *table;

		rc = open_pinned(names, path, &table, err);
		return rc ? rc : table_relation_new(out, request->name, table,
						    err);
	}
	if (path_is_jsonl(path) || is_function(request, "read_jsonl"))
		csv.is_jsonl = true;
	else if (is_function(request, "read_csv"))
		csv.is_jsonl = false;
	if (!rc && csv.delimiter == ',' && has_suffix(path, ".tsv"))
		csv.delimiter = '\t';
	if (!rc)
		rc = read_csv_options(request, &csv, err);
	if (!rc && strcmp(path, "-") == 0) {
		paths = (char **)&path;
		count = 1;
	} else if (!rc) {
		rc = path_glob(&names->arena, path, &paths, &count, err);
	}
	if (rc)
		return rc;
	return csv_relation_new(out, request->name, (const char *const *)paths,
				count, &csv, request->types,
				names->cli->thread_count, err);
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
			  "%s.csv, .tsv or .jsonl in %s", name, directory, name,
			  names->cli->warehouse);
}

static int names_resolve(void *context,
			 const struct sql_relation_request *request,
			 struct relation **out, struct error *err)
{
	struct names *names = context;

	*out = NULL;
	if (request->function && !is_function(request, "read_csv") &&
	    !is_function(request, "read_jsonl"))
		return error_set(err, ERROR_UNSUPPORTED,
				 "no table function named %s; there are "
				 "read_csv() and read_jsonl()",
				 request->function);
	if (request->is_path || request->function) {
		const char *path = find_bind(names->cli, request->name);

		return open_path(names, request, path ? path : request->name,
				 out, err);
	}
	return resolve_name(names, request, out, err);
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
	if (!mem_grow((void **)&names->targets, &names->target_capacity,
		      names->target_count, sizeof(*names->targets)))
		return error_set(err, ERROR_NO_MEMORY, "names");
	rc = catalog_find(names->cli->warehouse, name, &names->arena,
			  &directory, &found, err);
	if (rc)
		return rc;
	if (!found) {
		error_set(err, ERROR_UNKNOWN_TABLE, "no table named %s", name);
		return error_hint(err, "there is no table in %s; CREATE TABLE "
				  "makes one", directory);
	}
	rc = open_pinned(names, directory, &table, err);
	if (!rc)
		rc = iceberg_target_new(out, table, &options, err);
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
