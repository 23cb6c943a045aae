/*
 * relations.c - files and tables as relations of a statement
 *
 * How:    a file's columns get the types of the write target's columns of
 *         the same name; the others are left untyped for the binder. Reading
 *         starts only when the plan is opened.
 */
#include "cli/names.h"
#include <sys/stat.h>

struct csv_relation {
	struct relation base;
	struct csv_input *input;	/* NULL once it is read */
	struct csv_options options;
	size_t thread_count;
	char *name;
	char *file;
	char **paths;
	size_t path_count;
};

/* Read the files again, to say which rows of them are wrong. */
static int reopen(struct csv_relation *self, struct error *err)
{
	for (size_t i = 0; i < self->path_count; i++) {
		struct stat info;

		if (stat(self->paths[i], &info) || !S_ISREG(info.st_mode))
			return error_set(err, ERROR_IO, "'%s' cannot be read "
					 "twice", self->paths[i]);
	}
	return csv_input_open(&self->input, (const char *const *)self->paths,
			      self->path_count, &self->options, err);
}

static int csv_relation_open(struct relation *relation, const bool *wanted,
			     const struct column_range *ranges,
			     size_t range_count, struct batch_source **out,
			     struct error *err)
{
	struct csv_relation *self = (struct csv_relation *)relation;
	size_t count = relation->schema.column_count;
	struct type *types;
	int rc = 0;

	(void)ranges;
	(void)range_count;
	*out = NULL;
	if (!self->input)
		rc = reopen(self, err);
	if (rc)
		return rc;
	types = mem_alloc_array(count + 1, sizeof(*types));
	if (!types)
		return error_set(err, ERROR_NO_MEMORY, "%s", relation->name);
	for (size_t i = 0; i < count; i++)
		types[i] = relation->schema.columns[i].type;
	rc = csv_source_new(out, self->input, types, wanted, self->thread_count,
			    err);
	if (!rc)
		self->input = NULL;	/* taken */
	mem_free(types);
	return rc;
}

static void csv_relation_free(struct relation *relation)
{
	struct csv_relation *self = (struct csv_relation *)relation;

	csv_input_free(self->input);
	schema_release(&relation->schema);
	mem_free(relation->untyped);
	mem_free(self->name);
	mem_free(self->file);
	for (size_t i = 0; i < self->path_count; i++)
		mem_free(self->paths[i]);
	mem_free(self->paths);
	mem_free(self);
}

static int add_columns(struct csv_relation *self, const struct schema *types,
		       struct error *err)
{
	size_t count = csv_input_column_count(self->input);
	int rc = 0;

	self->base.untyped = mem_zalloc_array(count + 1, sizeof(bool));
	if (!self->base.untyped)
		return error_set(err, ERROR_NO_MEMORY, "%s", self->name);
	for (size_t i = 0; !rc && i < count; i++) {
		const char *name = csv_input_column_name(self->input, i);
		struct type type = type_of(TYPE_VARCHAR);
		long at = types ? schema_find(types, name) : -1;

		self->base.untyped[i] = at < 0;
		if (at >= 0)
			type = types->columns[at].type;
		rc = schema_add_column(&self->base.schema, name, type, err);
	}
	return rc;
}

static int keep_paths(struct csv_relation *self, const char *const *paths,
		      size_t count, struct error *err)
{
	self->paths = mem_zalloc_array(count + 1, sizeof(*self->paths));
	if (!self->paths)
		return error_set(err, ERROR_NO_MEMORY, "%s", self->name);
	for (size_t i = 0; i < count; i++) {
		self->paths[i] = mem_strdup(paths[i]);
		if (!self->paths[i])
			return error_set(err, ERROR_NO_MEMORY, "%s",
					 self->name);
		self->path_count++;
	}
	return 0;
}

int csv_relation_new(struct relation **out, const char *name,
		     const char *const *paths, size_t path_count,
		     const struct csv_options *options,
		     const struct schema *types, size_t thread_count,
		     struct error *err)
{
	struct csv_relation *self = mem_zalloc(sizeof(*self));
	int rc;

	*out = NULL;
	if (!self)
		return error_set(err, ERROR_NO_MEMORY, "%s", name);
	schema_init(&self->base.schema);
	self->base.source_open = csv_relation_open;
	self->base.free = csv_relation_free;
	self->thread_count = thread_count;
	self->name = mem_strdup(name);
	self->base.name = self->name;
	self->file = mem_strdup(strcmp(paths[0], "-") ? paths[0]
						      : "standard input");
	self->base.file = self->file;
	rc = self->name && self->file ? 0 : error_set(err, ERROR_NO_MEMORY,
						      "%s", name);
	if (!rc)
		rc = keep_paths(self, paths, path_count, err);
	self->options = *options;
	if (!rc)
		rc = csv_input_open(&self->input, paths, path_count, options,
				    err);
	if (!rc)
		rc = add_columns(self, types, err);
	if (rc) {
		csv_relation_free(&self->base);
		return rc;
	}
	*out = &self->base;
	return 0;
}

struct table_relation {
	struct relation base;
	struct table *table;
	char *name;
};

static int table_relation_open(struct relation *relation, const bool *wanted,
			       const struct column_range *ranges,
			       size_t range_count, struct batch_source **out,
			       struct error *err)
{
	struct table_relation *self = (struct table_relation *)relation;

	return table_source_new(out, self->table, wanted, ranges, range_count,
				err);
}

static void table_relation_free(struct relation *relation)
{
	struct table_relation *self = (struct table_relation *)relation;

	table_free(self->table);
	schema_release(&relation->schema);
	mem_free(self->name);
	mem_free(self);
}

int table_relation_new(struct relation **out, const char *name,
		       struct table *table, struct error *err)
{
	struct table_relation *self = mem_zalloc(sizeof(*self));
	int rc;

	*out = NULL;
	if (!self) {
		table_free(table);
		return error_set(err, ERROR_NO_MEMORY, "%s", name);
	}
	self->table = table;
	self->base.source_open = table_relation_open;
	self->base.free = table_relation_free;
	self->base.table = table_catalog(table)->directory;
	self->name = mem_strdup(name);
	self->base.name = self->name;
	rc = schema_copy(&self->base.schema, table_schema(table), err);
	if (!rc && !self->name)
		rc = error_set(err, ERROR_NO_MEMORY, "%s", name);
	if (rc) {
		table_relation_free(&self->base);
		return rc;
	}
	*out = &self->base;
	return 0;
}
