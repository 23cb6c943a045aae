/*
 * file_relation.c - files that are read as one input
 *
 * How:    the names of the files say the format and the delimiter, unless an
 *         option does; globs are expanded in order.
 */
#include "cli/names.h"
#include "cli/outputs.h"

static bool add_path(char ***paths, size_t *capacity, size_t *count,
		     char *path)
{
	if (!mem_grow((void **)paths, capacity, *count, sizeof(**paths)))
		return false;
	(*paths)[(*count)++] = path;
	return true;
}

static int expand(struct cli *cli, char *const *given, size_t given_count,
		  char ***paths, size_t *count, struct error *err)
{
	static const char standard_input[] = "-";
	size_t capacity = 0;
	bool added = true;

	if (given_count == 0)
		added = add_path(paths, &capacity, count,
				 (char *)standard_input);
	for (size_t i = 0; i < given_count && added; i++) {
		char **found = (char **)&given[i];
		size_t n = 1;

		if (strcmp(given[i], "-") != 0) {
			int rc = path_glob(&cli->arena, given[i], &found, &n,
					   err);

			if (rc)
				return rc;
		}
		for (size_t k = 0; k < n && added; k++)
			added = add_path(paths, &capacity, count, found[k]);
	}
	return added ? 0 : error_set(err, ERROR_NO_MEMORY, "inputs");
}

/* All files of an input have one format. */
static int find_format(char **paths, size_t count,
		       struct input_options *options, struct error *err)
{
	enum input_format fallback = options->format;

	for (size_t i = 0; i < count; i++) {
		enum input_format format;
		int rc = input_format_of(paths[i], fallback, &format, err);

		if (rc)
			return rc;
		if (i == 0)
			options->format = format;
		else if (format != options->format)
			return error_set(err, ERROR_UNSUPPORTED, "'%s' and "
					 "'%s' are of two formats: one input "
					 "has one", paths[0], paths[i]);
	}
	return 0;
}

int input_paths(struct cli *cli, char *const *given, size_t given_count,
		struct input_options *options, char ***out,
		size_t *count_out, struct error *err)
{
	char **paths = NULL;
	int rc;

	*out = NULL;
	*count_out = 0;
	rc = expand(cli, given, given_count, &paths, count_out, err);
	if (!rc)
		rc = find_format(paths, *count_out, options, err);
	if (!rc && options->format == INPUT_CSV && !options->has_delimiter &&
	    input_is_tsv(paths[0]))
		options->csv.delimiter = '\t';
	if (!rc) {
		*out = arena_copy(&cli->arena, paths,
				  *count_out * sizeof(*paths));
		if (!*out)
			rc = error_set(err, ERROR_NO_MEMORY, "inputs");
	}
	mem_free(paths);
	return rc;
}

int file_relation_new(struct relation **out,
		      const struct file_request *request, struct error *err)
{
	int rc = 0;

	*out = NULL;
	for (size_t i = 0; !rc && i < request->path_count; i++)
		rc = outputs_check_file(request->cli, "input",
					request->paths[i], err);
	if (rc)
		return rc;
	if (request->options->format == INPUT_PARQUET)
		return parquet_relation_new(out, request, err);
	return csv_relation_new(out, request, err);
}
