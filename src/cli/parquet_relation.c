/*
 * parquet_relation.c - Parquet files as relations of a statement
 *
 * How:    columns have the file's types. What a filter says of the columns is
 *         held against the statistics of each row group before it is read.
 */
#include "cli/names.h"
#include <stdlib.h>

struct parquet_relation {
	struct relation base;
	struct parquet_input *input;
	size_t thread_count;
	char *name;
	char *file;
	/* of the source that is open; lists are left to their bounds */
	struct arena arena;
	struct column_range *ranges;
	size_t range_count;
};

static bool may_match(void *context, const struct parquet_reader *reader,
		      size_t group, const long *leaves)
{
	const struct parquet_relation *self = context;

	for (size_t i = 0; i < self->range_count; i++) {
		const struct column_range *range = &self->ranges[i];
		const struct column_def *def =
			&self->base.schema.columns[range->column];
		struct parquet_bounds bounds;
		struct column_stats stats;

		if (leaves[range->column] < 0)
			continue;
		parquet_chunk_bounds(reader, group,
				     (size_t)leaves[range->column],
				     &def->type, &bounds);
		stats.has_min = bounds.has_min;
		stats.has_max = bounds.has_max;
		stats.min = bounds.min;
		stats.max = bounds.max;
		stats.null_count = bounds.null_count;
		stats.value_count = bounds.value_count;
		stats.may_have_nan = bounds.may_have_nan;
		if (!column_range_may_match(range, &stats))
			return false;
	}
	return true;
}

/* The ranges of a filter, which go when the source is made. */
static int keep_ranges(struct parquet_relation *self,
		       const struct column_range *ranges, size_t count,
		       struct error *err)
{
	int rc = 0;

	arena_reset(&self->arena);
	self->range_count = 0;
	self->ranges = arena_zalloc_array(&self->arena, count + 1,
					  sizeof(*ranges));
	if (!self->ranges)
		return error_set(err, ERROR_NO_MEMORY, "%s", self->name);
	for (size_t i = 0; i < count && !rc; i++) {
		struct column_range *to = &self->ranges[i];

		*to = ranges[i];
		to->values = NULL;
		to->value_count = 0;
		if (to->has_min)
			rc = literal_copy(&to->min, &ranges[i].min,
					  &self->arena, err);
		if (!rc && to->has_max)
			rc = literal_copy(&to->max, &ranges[i].max,
					  &self->arena, err);
	}
	self->range_count = rc ? 0 : count;
	return rc;
}

static int parquet_relation_open(struct relation *relation,
				 const bool *wanted,
				 const struct column_range *ranges,
				 size_t range_count, struct batch_source **out,
				 struct error *err)
{
	struct parquet_relation *self = (struct parquet_relation *)relation;
	struct parquet_source_filter filter = { may_match, self };

	int rc = keep_ranges(self, ranges, range_count, err);

	*out = NULL;
	if (rc)
		return rc;
	return parquet_source_new(out, self->input, wanted,
				  self->thread_count, &filter, err);
}

static void parquet_relation_free(struct relation *relation)
{
	struct parquet_relation *self = (struct parquet_relation *)relation;

	parquet_input_free(self->input);
	schema_release(&relation->schema);
	arena_release(&self->arena);
	mem_free(self->name);
	mem_free(self->file);
	mem_free(self);
}

/* What says how CSV is written says nothing of Parquet; types would. */
static int check_options(const struct file_request *request,
			 struct error *err)
{
	if (!request->options->types && !request->options->columns)
		return 0;
	error_set(err, ERROR_UNSUPPORTED, "'%s': a Parquet file has names and "
		  "types of its own", request->paths[0]);
	return error_hint(err, "CAST in the spec changes a type; "
			  "read_csv(types => ...) types one input alone");
}

int parquet_relation_new(struct relation **out,
			 const struct file_request *request,
			 struct error *err)
{
	const char *directory = getenv("TMPDIR");
	struct parquet_relation *self;
	const char *path = request->paths[0];
	int rc = check_options(request, err);

	*out = NULL;
	if (rc)
		return rc;
	self = mem_zalloc(sizeof(*self));
	if (!self)
		return error_set(err, ERROR_NO_MEMORY, "%s", request->name);
	schema_init(&self->base.schema);
	arena_init(&self->arena, 0);
	self->base.source_open = parquet_relation_open;
	self->base.free = parquet_relation_free;
	self->thread_count = request->cli->thread_count;
	self->base.name = self->name = mem_strdup(request->name);
	self->base.file = self->file =
		mem_strdup(strcmp(path, "-") ? path : "standard input");
	if (!self->name || !self->file)
		rc = error_set(err, ERROR_NO_MEMORY, "%s", request->name);
	if (!rc)
		rc = parquet_input_open(&self->input, request->paths,
					request->path_count,
					directory && *directory ? directory
								: "/tmp",
					err);
	if (!rc && request->options->csv.all_columns)
		rc = parquet_input_check_columns(self->input, err);
	if (!rc)
		rc = schema_copy(&self->base.schema,
				 parquet_input_schema(self->input), err);
	if (rc) {
		parquet_relation_free(&self->base);
		return rc;
	}
	*out = &self->base;
	return 0;
}
