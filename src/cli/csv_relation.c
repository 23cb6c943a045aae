/*
 * csv_relation.c - files of CSV or JSON Lines as relations of a statement
 *
 * How:    a column has the type that the user said, else that of the write
 *         target's column of the same name; the others are left untyped for
 *         the binder. Reading starts only when the plan is opened.
 */
#include "cli/names.h"
#include "cli/rejects.h"
#include <sys/stat.h>

struct csv_relation {
	struct relation base;
	struct csv_input *input;	/* NULL once it is read */
	struct csv_options options;
	size_t thread_count;
	size_t own_count;		/* columns that the files have */
	bool has_names;			/* the schema's, not the input's */
	char *name;
	char *file;
	char **paths;
	size_t path_count;
};

static int set_names(struct csv_relation *self, struct error *err)
{
	size_t count = self->base.schema.column_count;
	const char **names;
	int rc;

	if (!self->has_names)
		return 0;
	names = mem_alloc_array(count + 1, sizeof(*names));
	if (!names)
		return error_set(err, ERROR_NO_MEMORY, "%s", self->name);
	for (size_t i = 0; i < count; i++)
		names[i] = self->base.schema.columns[i].name;
	rc = csv_input_set_names(self->input, names, err);
	mem_free(names);
	return rc;
}

/* The schema's columns that records lack, and the names of those of files
 * without a header. */
static int name_columns(struct csv_relation *self, struct error *err)
{
	if (self->base.schema.column_count > self->own_count)
		return csv_input_add_columns(self->input, &self->base.schema,
					     err);
	return set_names(self, err);
}

/* Read the files again, to say which rows of them are wrong. */
static int reopen(struct csv_relation *self, struct error *err)
{
	int rc;

	for (size_t i = 0; i < self->path_count; i++) {
		struct stat info;

		if (stat(self->paths[i], &info) || !S_ISREG(info.st_mode))
			return error_set(err, ERROR_IO, "'%s' cannot be read "
					 "twice", self->paths[i]);
	}
	rc = csv_input_open(&self->input, (const char *const *)self->paths,
			    self->path_count, &self->options, err);
	/* who wrote to it meanwhile may have given it other columns */
	if (!rc && csv_input_column_count(self->input) != self->own_count) {
		csv_input_free(self->input);
		self->input = NULL;
		return error_set(err, ERROR_IO, "'%s' was written to while it "
				 "was read", self->paths[0]);
	}
	return rc ? rc : name_columns(self, err);
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

static int add_column(struct csv_relation *self,
		      const struct input_columns *columns, size_t i,
		      const struct schema *types, struct error *err)
{
	const struct column_def *def = &columns->schema.columns[i];
	long at = types ? schema_find(types, def->name) : -1;
	struct type type = def->type;
	bool is_time = self->options.is_debezium &&
		       strcmp(def->name, DEBEZIUM_TS_MS) == 0;

	/* not even the target may know yet */
	if (at >= 0 && types->columns[at].type.id == TYPE_UNKNOWN)
		at = -1;
	if (!columns->typed[i] && at >= 0)
		type = types->columns[at].type;
	else if (!columns->typed[i] && is_time)
		type = type_of(TYPE_BIGINT);
	self->base.untyped[i] = !columns->typed[i] && at < 0 && !is_time;
	return schema_add_column(&self->base.schema, def->name, type, err);
}

/* Who mistyped a name should know. */
static void warn_declared(const struct csv_relation *self,
			  const struct log_sink *log)
{
	const struct schema *schema = &self->base.schema;
	size_t first = self->own_count;
	struct text names = TEXT_INIT;

	for (size_t i = first; i < schema->column_count; i++)
		text_addf(&names, "%s%s", i > first ? ", " : "",
			  schema->columns[i].name);
	if (names.data)
		log_warn(log, "no record at the start of %s has %s, declared "
			 "by --types or columns: NULL where it is missing",
			 self->file, names.data);
	text_release(&names);
}

/* Those of the files have names; the user may declare others. */
static int add_columns(struct csv_relation *self, const char *const *names,
		       const struct file_request *request, struct error *err)
{
	struct input_columns columns;
	size_t count;
	int rc = input_columns_new(&columns, request->options, names,
				   self->own_count, err);

	if (rc)
		return error_at(err, self->file, err ? err->line : 0, 0);
	count = columns.schema.column_count;
	self->base.untyped = mem_zalloc_array(count + 1, sizeof(bool));
	if (!self->base.untyped)
		rc = error_set(err, ERROR_NO_MEMORY, "%s", self->name);
	for (size_t i = 0; !rc && i < count; i++)
		rc = add_column(self, &columns, i, request->types, err);
	input_columns_release(&columns);
	self->has_names = !self->options.has_header && !self->options.is_jsonl;
	if (!rc)
		rc = name_columns(self, err);
	if (!rc)
		warn_declared(self, &request->cli->log);
	return rc;
}

static int read_columns(struct csv_relation *self,
			const struct file_request *request, struct error *err)
{
	size_t count = csv_input_column_count(self->input);
	const char **names = mem_alloc_array(count + 1, sizeof(*names));
	int rc;

	if (!names)
		return error_set(err, ERROR_NO_MEMORY, "%s", self->name);
	for (size_t i = 0; i < count; i++)
		names[i] = csv_input_column_name(self->input, i);
	self->own_count = count;
	rc = add_columns(self, names, request, err);
	mem_free(names);
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

int csv_relation_new(struct relation **out,
		     const struct file_request *request, struct error *err)
{
	struct csv_relation *self = mem_zalloc(sizeof(*self));
	const char *const *paths = request->paths;
	int rc;

	*out = NULL;
	if (!self)
		return error_set(err, ERROR_NO_MEMORY, "%s", request->name);
	schema_init(&self->base.schema);
	self->base.source_open = csv_relation_open;
	self->base.free = csv_relation_free;
	self->thread_count = request->cli->thread_count;
	self->name = mem_strdup(request->name);
	self->base.name = self->name;
	self->file = mem_strdup(strcmp(paths[0], "-") ? paths[0]
						      : "standard input");
	self->base.file = self->file;
	rc = self->name && self->file ? 0 : error_set(err, ERROR_NO_MEMORY,
						      "%s", request->name);
	if (!rc)
		rc = keep_paths(self, paths, request->path_count, err);
	self->options = request->options->csv;
	self->options.is_jsonl = request->options->format == INPUT_JSONL;
	self->options.hints_rejects = request->cli->takes_rejects;
	self->base.declares = self->options.is_jsonl;
	if (!rc)
		rc = rejects_add_input(request->cli, paths,
				       request->path_count,
				       &self->options.rejects, err);
	if (!rc)
		rc = csv_input_open(&self->input, paths, request->path_count,
				    &self->options, err);
	if (!rc)
		rc = read_columns(self, request, err);
	if (rc) {
		csv_relation_free(&self->base);
		return rc;
	}
	*out = &self->base;
	return 0;
}
