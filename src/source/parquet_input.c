/*
 * parquet_input.c - Parquet files as one input, and their columns
 *
 * Why:    the statement needs names and types before it is bound, and a glob
 *         may be of more files than a process may have open.
 * How:    each file is opened once to see what it has and closed again; the
 *         readers open it when its row groups are due. A footer is at the end
 *         of a file, so that what comes by a pipe, or packed, is copied to a
 *         file without a name first.
 */
#include "source/parquet_input.h"
#include "source/byte_input.h"

#include <inttypes.h>
#include <unistd.h>

#define COPY_BYTES ((size_t)256 << 10)
#define COPY_TRIES 100

/* A pipe or a packed file to a file of its own. */
static int copy_bytes(const char *path, struct output_file *out,
		      struct error *err)
{
	struct byte_input *input;
	char *buffer = mem_alloc(COPY_BYTES);
	size_t got = COPY_BYTES;
	int rc;

	if (!buffer)
		return error_set(err, ERROR_NO_MEMORY, "copy '%s'", path);
	rc = byte_input_open(&input, path, err);
	while (!rc && got == COPY_BYTES) {
		rc = byte_input_read(input, buffer, COPY_BYTES, &got, err);
		if (!rc)
			rc = output_file_write(out, buffer, got, err);
		if (!rc)
			rc = interrupt_check(err);
	}
	byte_input_free(input);
	mem_free(buffer);
	return rc ? rc : output_file_close(out, false, err);
}

static int make_copy(struct parquet_input *input, struct parquet_file *file,
		     const char *directory, struct error *err)
{
	struct output_file *out = NULL;
	char *path = NULL;
	int rc = ERROR_IO;

	for (unsigned n = 0; n < COPY_TRIES && !out; n++) {
		path = arena_printf(&input->arena,
				    "%s/rowmerge-input.%ld-%u.parquet",
				    directory, (long)getpid(), n);
		if (!path)
			return error_set(err, ERROR_NO_MEMORY, "inputs");
		if (!path_exists(path))
			rc = output_file_create(&out, path, err);
		if (rc && rc != ERROR_IO)
			return rc;
	}
	if (!out)
		return rc;
	rc = copy_bytes(file->path, out, err);
	output_file_free(out);
	file->path = path;
	file->is_copy = true;
	return rc;
}

static int open_reader(struct parquet_file *file, struct error *err)
{
	struct input_file *bytes;
	int rc = input_file_open(&bytes, file->path, err);

	if (rc)
		return rc;
	if (file->is_copy)
		unlink(file->path);
	if (!file->is_seen)
		file->seen = *input_file_stamp(bytes);
	file->is_seen = true;
	/* what is known of it may be of another file by now */
	if (!file_stamp_equal(&file->seen, input_file_stamp(bytes)))
		rc = file_stamp_refuse(file->name, err);
	if (!rc)
		rc = parquet_reader_open(&file->reader, bytes, err);
	if (rc) {
		input_file_close(bytes);
		return error_at(err, file->name, 0, 0);
	}
	parquet_reader_keep_exact(file->reader);
	return 0;
}

static long find_node(const struct parquet_node *root, const char *name,
		      size_t expected)
{
	if (expected < root->child_count &&
	    text_equal_nocase(root->children[expected].name, name))
		return (long)expected;
	for (size_t i = 0; i < root->child_count; i++)
		if (text_equal_nocase(root->children[i].name, name))
			return (long)i;
	return -1;
}

int parquet_file_open(struct parquet_input *input, struct parquet_file *file,
		      struct error *err)
{
	const struct parquet_node *root;
	int rc = file->reader ? 0 : open_reader(file, err);

	if (rc)
		return rc;
	root = parquet_root(file->reader);
	for (size_t i = 0; i < input->schema.column_count; i++) {
		long at = find_node(root, input->schema.columns[i].name, i);
		const struct parquet_node *node;

		file->nodes[i] = NULL;
		file->leaves[i] = -1;
		if (at < 0)
			continue;
		node = file->nodes[i] = &root->children[at];
		if (!type_is_nested(&node->type) && node->leaf_count == 1 &&
		    !node->rep)
			file->leaves[i] = (long)node->first_leaf;
	}
	return 0;
}

int parquet_file_blame(const struct parquet_file *file, int rc,
		       struct error *err)
{
	struct error change;
	int changed;

	if (rc == ERROR_INTERRUPTED || rc == ERROR_NO_MEMORY || file->is_copy)
		return rc;
	error_init(&change);
	changed = input_file_check(parquet_reader_file(file->reader),
				   &change);
	if (changed && err)
		*err = change;
	return changed ? changed : rc;
}

void parquet_file_close(struct parquet_file *file)
{
	if (file->is_copy)
		return;
	parquet_reader_free(file->reader);
	file->reader = NULL;
}

static int refuse_duplicate(const struct parquet_file *file, const char *name,
			    struct error *err)
{
	error_set(err, ERROR_DUPLICATE_HEADER, "the file has column '%s' "
		  "twice", name);
	error_field(err, name);
	return error_at(err, file->name, 0, 0);
}

/* The input's columns are those of the first file. */
static int take_columns(struct parquet_input *input,
			const struct parquet_file *file, struct error *err)
{
	const struct parquet_node *root = parquet_root(file->reader);

	input->readable = arena_zalloc_array(&input->arena,
					     root->child_count + 1,
					     sizeof(bool));
	if (!input->readable)
		return error_set(err, ERROR_NO_MEMORY, "inputs");
	for (size_t i = 0; i < root->child_count; i++) {
		const struct parquet_node *node = &root->children[i];
		bool readable = node->readable;
		int rc;

		if (find_node(root, node->name, i + 1) < (long)i &&
		    find_node(root, node->name, SIZE_MAX) != (long)i)
			return refuse_duplicate(file, node->name, err);
		input->readable[i] = readable;
		rc = schema_add_column(&input->schema, node->name,
				       readable ? node->type
						: type_of(TYPE_VARCHAR), err);
		if (rc)
			return rc;
	}
	return 0;
}

/* Keep the first name of a later file that the first file lacks. */
static int note_extra(struct parquet_input *input,
		      const struct parquet_file *file, struct error *err)
{
	const struct parquet_node *root = parquet_root(file->reader);

	for (size_t i = 0; !input->extra && i < root->child_count; i++) {
		if (schema_find(&input->schema, root->children[i].name) != -1)
			continue;
		input->extra = arena_strdup(&input->arena,
					    root->children[i].name);
		input->extra_file = file->name;
		if (!input->extra)
			return error_set(err, ERROR_NO_MEMORY, "inputs");
	}
	return 0;
}

int parquet_input_check_columns(const struct parquet_input *input,
				struct error *err)
{
	if (!input->extra)
		return 0;
	error_set(err, ERROR_UNKNOWN_COLUMN, "the file has a column '%s' that "
		  "'%s' lacks", input->extra, input->files[0].name);
	error_hint(err, "put a file that has all columns first, or load the "
		   "files one by one");
	error_field(err, input->extra);
	return error_at(err, input->extra_file, 0, 0);
}

static int add_file(struct parquet_input *input, const char *path,
		    const char *directory, struct error *err)
{
	struct parquet_file *file = &input->files[input->file_count++];
	int rc = 0;

	file->path = arena_strdup(&input->arena, path);
	file->name = strcmp(path, "-") ? file->path
				       : arena_strdup(&input->arena,
						      "standard input");
	if (!file->path || !file->name)
		return error_set(err, ERROR_NO_MEMORY, "inputs");
	if (path_is_directory(path))
		return error_set(err, ERROR_IO, "'%s' is a directory", path);
	if (!byte_input_size(path))
		rc = make_copy(input, file, directory, err);
	if (!rc)
		rc = open_reader(file, err);
	if (!rc && input->file_count == 1)
		rc = take_columns(input, file, err);
	else if (!rc)
		rc = note_extra(input, file, err);
	if (rc)
		return rc;
	file->group_count = parquet_row_group_count(file->reader);
	file->row_count = parquet_row_count(file->reader);
	file->nodes = arena_zalloc_array(&input->arena,
					 input->schema.column_count + 1,
					 sizeof(*file->nodes));
	file->leaves = arena_zalloc_array(&input->arena,
					  input->schema.column_count + 1,
					  sizeof(*file->leaves));
	if (!file->nodes || !file->leaves)
		return error_set(err, ERROR_NO_MEMORY, "inputs");
	if (input->file_count > 1)
		parquet_file_close(file);
	return 0;
}

int parquet_input_open(struct parquet_input **out, const char *const *paths,
		       size_t path_count, const char *directory,
		       struct error *err)
{
	struct parquet_input *input;
	int rc = 0;

	*out = NULL;
	if (path_count == 0)
		return error_set(err, ERROR_USAGE, "no input is named");
	input = mem_zalloc(sizeof(*input));
	if (!input)
		return error_set(err, ERROR_NO_MEMORY, "inputs");
	arena_init(&input->arena, 0);
	schema_init(&input->schema);
	input->files = arena_zalloc_array(&input->arena, path_count,
					  sizeof(*input->files));
	if (!input->files)
		rc = error_set(err, ERROR_NO_MEMORY, "inputs");
	for (size_t i = 0; i < path_count && !rc; i++)
		rc = add_file(input, paths[i], directory, err);
	if (rc) {
		parquet_input_free(input);
		return rc;
	}
	*out = input;
	return 0;
}

void parquet_input_free(struct parquet_input *input)
{
	if (!input)
		return;
	for (size_t i = 0; i < input->file_count; i++)
		parquet_reader_free(input->files[i].reader);
	schema_release(&input->schema);
	arena_release(&input->arena);
	mem_free(input);
}

const struct schema *parquet_input_schema(const struct parquet_input *input)
{
	return &input->schema;
}
