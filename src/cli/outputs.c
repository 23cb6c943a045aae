/*
 * outputs.c - what a run writes must not be what it reads
 *
 * Why:    the feed of changes and the rejects are renamed over what has their
 *         names after the commit: a slip in an option would put them where
 *         the batch or the file that was merged into has just been.
 * How:    files are told by device and inode, whatever path leads to them;
 *         those that are not there yet by directory and name.
 */
#include "cli/outputs.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUTPUT_LIMIT 3

struct output {
	const char *option;
	const char *path;
};

static bool same_node(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool stat_input(const char *path, struct stat *out)
{
	return strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, out) == 0
				      : stat(path, out) == 0;
}

/* Two names that do not exist: are they one? */
static bool same_name(struct cli *cli, const char *a, const char *b)
{
	const char *left = path_dirname(&cli->arena, a);
	const char *right = path_dirname(&cli->arena, b);
	struct stat first, second;

	if (!left || !right || strcmp(path_basename(a), path_basename(b)))
		return false;
	return stat(*left ? left : ".", &first) == 0 &&
	       stat(*right ? right : ".", &second) == 0 &&
	       same_node(&first, &second);
}

static bool same_file(struct cli *cli, const char *a, const char *b)
{
	struct stat first, second;
	bool has_a = stat_input(a, &first), has_b = stat_input(b, &second);

	if (has_a && has_b)
		return same_node(&first, &second);
	return !has_a && !has_b && same_name(cli, a, b);
}

static int list_outputs(struct cli *cli, struct output *out, size_t *count,
			struct error *err)
{
	*count = 0;
	if (cli->changes)
		out[(*count)++] = (struct output){ "--changes",
						   cli->changes };
	if (!cli->rejects_file)
		return 0;
	out[(*count)++] = (struct output){ "--rejects", cli->rejects_file };
	out[*count].option = "--rejects, by its reasons,";
	out[*count].path = arena_printf(&cli->arena, "%s.reasons.jsonl",
					cli->rejects_file);
	return out[(*count)++].path ? 0 : error_set(err, ERROR_NO_MEMORY,
						    "rejects");
}

static int check_name(struct cli *cli, const struct output *output,
		      struct error *err)
{
	const char *path = output->path;
	char *directory = path_dirname(&cli->arena, path);
	struct stat info;

	if (!directory)
		return error_set(err, ERROR_NO_MEMORY, "%s", output->option);
	if (!*path || strcmp(path, "-") == 0 ||
	    (stat(path, &info) == 0 && !S_ISREG(info.st_mode)))
		return error_set(err, ERROR_USAGE, "%s takes the name of a "
				 "file, not '%s'", output->option, path);
	/* the file is renamed over the link, and may be one of the system's */
	if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) {
		error_set(err, ERROR_USAGE, "%s: '%s' is a symbolic link",
			  output->option, path);
		return error_hint(err, "name the file that it leads to");
	}
	if (access(*directory ? directory : ".", W_OK | X_OK) != 0)
		return error_set_errno(err, errno, "%s: cannot write to '%s'",
				       output->option, directory);
	return 0;
}

int outputs_check(struct cli *cli, struct error *err)
{
	struct output outputs[OUTPUT_LIMIT];
	size_t count;
	int rc = list_outputs(cli, outputs, &count, err);

	for (size_t i = 0; !rc && i < count; i++) {
		rc = check_name(cli, &outputs[i], err);
		for (size_t k = 0; !rc && k < i; k++)
			if (same_file(cli, outputs[i].path, outputs[k].path))
				rc = error_set(err, ERROR_USAGE, "%s would "
					       "overwrite what %s writes, "
					       "'%s'", outputs[i].option,
					       outputs[k].option,
					       outputs[k].path);
	}
	return rc;
}

int outputs_check_file(struct cli *cli, const char *what, const char *path,
		       struct error *err)
{
	struct output outputs[OUTPUT_LIMIT];
	size_t count;
	int rc = list_outputs(cli, outputs, &count, err);

	for (size_t i = 0; !rc && i < count; i++)
		if (same_file(cli, outputs[i].path, path))
			rc = error_set(err, ERROR_USAGE, "%s would overwrite "
				       "the %s '%s'", outputs[i].option, what,
				       path);
	return rc;
}
