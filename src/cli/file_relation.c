/*
 * file_relation.c - files that are read as one input
 *
 * How:    the names of the files say the format and the delimiter, unless an
 *         option does; globs are expanded in order. A file that is there
 *         under two names, or twice under one, is refused: its rows would be
 *         too. So is a pipe that two inputs read, by whatever name: each
 *         would have some of its rows.
 */
#include "cli/names.h"
#include <stdlib.h>
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

/* A path that the input has, and the file that it leads to. */
struct named_file {
	struct file_stamp stamp;
	const char *path;
	size_t position;
};

static int compare_files(const void *left, const void *right)
{
	const struct named_file *a = left, *b = right;

	if (a->stamp.device != b->stamp.device)
		return a->stamp.device < b->stamp.device ? -1 : 1;
	if (a->stamp.inode != b->stamp.inode)
		return a->stamp.inode < b->stamp.inode ? -1 : 1;
	return a->position < b->position ? -1 : a->position > b->position;
}

static int same_file(const char *first, const char *second, struct error *err)
{
	if (strcmp(first, second) == 0)
		error_set(err, ERROR_USAGE, "'%s' is given twice as a file of "
			  "one input", first);
	else
		error_set(err, ERROR_USAGE, "'%s' and '%s' are the same file, "
			  "given twice for one input", first, second);
	return error_hint(err, "its rows would be read twice: name it once, "
			  "or change the glob");
}

/* "-" as well: it may be a file that has a name. */
static int stamp_of_input(const char *path, struct file_stamp *out,
			  struct error *err)
{
	return file_stamp_of(strcmp(path, "-") ? path : "/dev/stdin", out,
			     err);
}

/* Files that are not there are for who opens them. */
static int check_once(char **paths, size_t count, struct error *err)
{
	struct named_file *files;
	size_t found = 0;
	struct error ignored;
	int rc = 0;

	if (count < 2)
		return 0;
	files = mem_alloc_array(count, sizeof(*files));
	if (!files)
		return error_set(err, ERROR_NO_MEMORY, "inputs");
	for (size_t i = 0; i < count; i++) {
		struct named_file *file = &files[found];

		file->path = paths[i];
		file->position = i;
		found += !stamp_of_input(paths[i], &file->stamp, &ignored);
	}
	qsort(files, found, sizeof(*files), compare_files);
	for (size_t i = 1; i < found && !rc; i++)
		if (file_stamp_same(&files[i].stamp, &files[i - 1].stamp))
			rc = same_file(files[i - 1].path, files[i].path, err);
	mem_free(files);
	return rc;
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
		rc = check_once(paths, *count_out, err);
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

/* What can be read once, and who does. */
struct taken_stream {
	struct taken_stream *next;
	struct file_stamp stamp;
	bool has_stamp;
	bool is_input;		/* standard input, by that name */
	const char *what;
};

static int refuse_stream(const char *path, const struct taken_stream *taken,
			 struct error *err)
{
	if (strcmp(path, "-") == 0)
		error_set(err, ERROR_USAGE, "standard input is read once, and "
			  "%s has it", taken->what);
	else
		error_set(err, ERROR_USAGE, "'%s' is read once, and %s has it",
			  path, taken->what);
	return error_hint(err, "keep it in a file, or name it once, in a "
			  "query of WITH");
}

int stream_take(struct cli *cli, const char *path, const char *what,
		struct error *err)
{
	struct taken_stream new = { .next = cli->streams };
	struct error ignored;

	new.is_input = strcmp(path, "-") == 0;
	new.has_stamp = !stamp_of_input(path, &new.stamp, &ignored) &&
			!new.stamp.is_regular;
	if (!new.is_input && !new.has_stamp)
		return 0;
	for (const struct taken_stream *s = cli->streams; s; s = s->next)
		if ((s->is_input && new.is_input) ||
		    (s->has_stamp && new.has_stamp &&
		     file_stamp_same(&s->stamp, &new.stamp)))
			return refuse_stream(path, s, err);
	new.what = arena_strdup(&cli->arena, what);
	cli->streams = arena_copy(&cli->arena, &new, sizeof(new));
	return new.what && cli->streams ? 0 :
		error_set(err, ERROR_NO_MEMORY, "'%s'", path);
}

int file_relation_new(struct relation **out,
		      const struct file_request *request, struct error *err)
{
	int rc = 0;

	*out = NULL;
	for (size_t i = 0; !rc && i < request->path_count; i++) {
		const char *path = request->paths[i];

		rc = outputs_check_file(request->cli, "input", path, err);
		if (!rc)
			rc = stream_take(request->cli, path, request->name,
					 err);
	}
	if (rc)
		return rc;
	if (request->options->format == INPUT_PARQUET)
		return parquet_relation_new(out, request, err);
	return csv_relation_new(out, request, err);
}
