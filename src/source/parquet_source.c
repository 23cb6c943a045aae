/*
 * parquet_source.c - the row groups of Parquet files, shared out to streams
 *
 * Why:    a column of a row group is decoded by one thread; several threads
 *         take a group each.
 * How:    under a lock a stream takes the next group; a file is opened when
 *         its first group is taken and closed behind its last. Groups that
 *         the filter excludes are passed over. Rows keep their place in the
 *         input, whatever was passed over. Behind each group the file must
 *         be what it was when it was opened.
 * Cost:   that of decoding; batches borrow from the readers.
 */
#include "source/parquet_input.h"

#include <assert.h>
#include <pthread.h>

struct parquet_source {
	struct batch_source base;
	struct parquet_input *input;
	bool *wanted;
	size_t parallelism;
	struct parquet_source_filter filter;

	pthread_mutex_t lock;
	size_t next_file;
	size_t next_group;		/* of it */
	uint64_t first_row;		/* of the next file in the input */
	uint64_t next_unit;
};

/* A column of the group at hand; one of the two is set. */
struct group_column {
	struct chunk_reader *chunk;
	struct nested_reader *nested;
	struct nested_source *source;	/* in the stream's arena */
};

struct parquet_stream {
	struct batch_stream base;
	struct parquet_source *source;
	struct parquet_file *file;	/* NULL = take the next group */
	size_t group;
	uint64_t unit;
	uint64_t group_row;		/* of its first row in the input */
	uint64_t row;			/* of the group, next to read */
	uint64_t row_count;
	struct group_column *columns;
	struct arena arena;		/* of the group */
	struct batch batch;
};

static void close_group(struct parquet_stream *stream)
{
	struct parquet_source *source = stream->source;

	for (size_t i = 0; i < source->input->schema.column_count; i++) {
		struct group_column *column = &stream->columns[i];

		chunk_reader_free(column->chunk);
		nested_reader_free(column->nested);
		memset(column, 0, sizeof(*column));
	}
	arena_reset(&stream->arena);
	if (!stream->file)
		return;
	pthread_mutex_lock(&source->lock);
	if (--stream->file->users == 0 && stream->file->groups_left == 0)
		parquet_file_close(stream->file);
	pthread_mutex_unlock(&source->lock);
	stream->file = NULL;
}

static int check_columns(const struct parquet_source *source,
			 const struct parquet_file *file, struct error *err)
{
	const struct schema *schema = &source->input->schema;

	for (size_t i = 0; i < schema->column_count; i++) {
		const char *name = schema->columns[i].name;

		if (!source->wanted[i] || file->nodes[i])
			continue;
		error_set(err, ERROR_UNKNOWN_COLUMN,
			  "the file has no column '%s'", name);
		error_hint(err, "each file of a batch needs the columns that "
			   "the statement uses");
		error_field(err, name);
		return error_at(err, file->name, 0, 0);
	}
	return 0;
}

/* Locked. Move to the file that has the next group; NULL at the end. */
static int next_file(struct parquet_source *source, struct parquet_file **out,
		     struct error *err)
{
	struct parquet_input *input = source->input;

	*out = NULL;
	while (source->next_file < input->file_count) {
		struct parquet_file *file = &input->files[source->next_file];
		int rc = 0;

		if (source->next_group == 0) {
			rc = parquet_file_open(input, file, err);
			if (!rc)
				rc = check_columns(source, file, err);
			file->groups_left = file->group_count;
		}
		if (rc)
			return rc;
		if (file->groups_left) {
			*out = file;
			return 0;
		}
		if (file->users == 0)
			parquet_file_close(file);
		source->first_row += file->row_count;
		source->next_file++;
		source->next_group = 0;
	}
	return 0;
}

/* Locked. Take the next group that may have wanted rows. */
static int take_group(struct parquet_stream *stream, struct error *err)
{
	struct parquet_source *source = stream->source;
	const struct parquet_source_filter *filter = &source->filter;

	for (;;) {
		struct parquet_file *file;
		size_t group;
		int rc = next_file(source, &file, err);

		if (rc || !file)
			return rc;
		group = source->next_group++;
		file->groups_left--;
		stream->unit = source->next_unit++;
		if (filter->may_match &&
		    !filter->may_match(filter->context, file->reader, group,
				       file->leaves))
			continue;
		file->users++;
		stream->file = file;
		stream->group = group;
		stream->row = 0;
		stream->row_count = parquet_row_group_rows(file->reader,
							   group);
		stream->group_row = source->first_row +
			parquet_row_group_first(file->reader, group);
		return 0;
	}
}

static int open_column(struct parquet_stream *stream, size_t i,
		       struct error *err)
{
	const struct parquet_file *file = stream->file;
	const struct parquet_node *node = file->nodes[i];
	const struct column_def *def =
		&stream->source->input->schema.columns[i];
	struct group_column *column = &stream->columns[i];
	int rc;

	if (file->leaves[i] >= 0 && !type_is_nested(&def->type)) {
		rc = chunk_reader_open(&column->chunk, file->reader,
				       stream->group, (size_t)file->leaves[i],
				       &def->type, err);
	} else if (!type_equal(&node->type, &def->type)) {
		rc = error_set(err, ERROR_UNSUPPORTED, "column '%s' has "
			       "another type than in the first file",
			       def->name);
	} else {
		column->source = arena_zalloc(&stream->arena,
					      sizeof(*column->source));
		if (!column->source)
			return error_set(err, ERROR_NO_MEMORY, "read '%s'",
					 file->name);
		rc = nested_source_of_node(column->source, node,
					   &stream->arena, err);
		if (!rc)
			rc = nested_reader_open(&column->nested, file->reader,
						stream->group, column->source,
						err);
	}
	if (rc && rc != ERROR_NO_MEMORY) {
		error_field(err, def->name);
		error_at(err, file->name, 0, 0);
	}
	return rc;
}

static int open_group(struct parquet_stream *stream, struct error *err)
{
	const struct parquet_source *source = stream->source;
	int rc = 0;

	for (size_t i = 0; i < source->input->schema.column_count && !rc; i++)
		if (source->wanted[i])
			rc = open_column(stream, i, err);
	return rc;
}

static int read_column(struct parquet_stream *stream, size_t i, size_t count,
		       struct error *err)
{
	struct group_column *column = &stream->columns[i];
	struct vector *out = &stream->batch.columns[i];
	const char *name = stream->source->input->schema.columns[i].name;
	int rc;

	rc = column->chunk ? chunk_reader_read(column->chunk, stream->row,
					       count, out, err)
			   : nested_reader_read(column->nested, stream->row,
						count, out, err);
	if (rc == ERROR_CAST)
		error_prefix(err, "column %s, rows from %llu", name,
			     (unsigned long long)(stream->group_row +
						  stream->row + 1));
	if (rc && rc != ERROR_NO_MEMORY) {
		error_field(err, name);
		error_at(err, stream->file->name, 0, 0);
	}
	return rc;
}

static int read_batch(struct parquet_stream *stream, struct batch **out,
		      struct error *err)
{
	const struct parquet_source *source = stream->source;
	struct batch *batch = &stream->batch;
	uint64_t left = stream->row_count - stream->row;
	size_t count = left < BATCH_ROW_COUNT ? (size_t)left : BATCH_ROW_COUNT;

	batch_reset(batch);
	for (size_t i = 0; i < batch->column_count; i++) {
		int rc = source->wanted[i] ? read_column(stream, i, count, err)
					   : 0;

		if (rc)
			return rc;
	}
	batch->row_count = count;
	batch->origin = stream->file->name;
	batch->first_row = stream->group_row + stream->row;
	batch->unit = stream->unit;
	stream->row += count;
	*out = batch;
	return 0;
}

static int stream_next(struct batch_stream *base, struct batch **out,
		       struct error *err)
{
	struct parquet_stream *stream = (struct parquet_stream *)base;
	struct parquet_source *source = stream->source;

	*out = NULL;
	for (;;) {
		int rc;

		if (stream->file && stream->row < stream->row_count) {
			rc = read_batch(stream, out, err);
			return rc ? parquet_file_blame(stream->file, rc, err)
				  : 0;
		}
		rc = stream->file ? parquet_file_blame(stream->file, 0, err)
				  : 0;
		close_group(stream);
		if (!rc)
			rc = interrupt_check(err);
		if (rc)
			return rc;
		pthread_mutex_lock(&source->lock);
		rc = take_group(stream, err);
		pthread_mutex_unlock(&source->lock);
		if (rc || !stream->file)
			return rc;
		rc = open_group(stream, err);
		if (rc)
			return parquet_file_blame(stream->file, rc, err);
	}
}

static void stream_free(struct batch_stream *base)
{
	struct parquet_stream *stream = (struct parquet_stream *)base;

	if (stream->columns)
		close_group(stream);
	mem_free(stream->columns);
	batch_release(&stream->batch);
	arena_release(&stream->arena);
	mem_free(stream);
}

static int source_stream_new(struct batch_source *base,
			     struct batch_stream **out, struct error *err)
{
	struct parquet_source *source = (struct parquet_source *)base;
	struct parquet_stream *stream = mem_zalloc(sizeof(*stream));
	int rc;

	*out = NULL;
	if (!stream)
		return error_set(err, ERROR_NO_MEMORY, "read an input");
	stream->base.next = stream_next;
	stream->base.free = stream_free;
	stream->source = source;
	arena_init(&stream->arena, 0);
	stream->columns = mem_zalloc_array(
		source->input->schema.column_count + 1,
		sizeof(*stream->columns));
	rc = stream->columns ? batch_init(&stream->batch,
					  &source->input->schema, err)
			     : error_set(err, ERROR_NO_MEMORY,
					 "read an input");
	if (rc) {
		stream_free(&stream->base);
		return rc;
	}
	*out = &stream->base;
	return 0;
}

static const struct schema *source_schema(const struct batch_source *base)
{
	return &((const struct parquet_source *)base)->input->schema;
}

static size_t source_parallelism(const struct batch_source *base)
{
	return ((const struct parquet_source *)base)->parallelism;
}

static void source_free(struct batch_source *base)
{
	struct parquet_source *source = (struct parquet_source *)base;

	for (size_t i = 0; i < source->input->file_count; i++) {
		assert(source->input->files[i].users == 0);
		parquet_file_close(&source->input->files[i]);
	}
	mem_free(source->wanted);
	pthread_mutex_destroy(&source->lock);
	mem_free(source);
}

static int set_wanted(struct parquet_source *source, const bool *wanted,
		      struct error *err)
{
	const struct schema *schema = &source->input->schema;

	source->wanted = mem_zalloc_array(schema->column_count + 1,
					  sizeof(bool));
	if (!source->wanted)
		return error_set(err, ERROR_NO_MEMORY, "read an input");
	for (size_t i = 0; i < schema->column_count; i++) {
		source->wanted[i] = !wanted || wanted[i];
		if (!source->wanted[i] || source->input->readable[i])
			continue;
		error_set(err, ERROR_UNSUPPORTED, "column '%s' is of a kind "
			  "that cannot be read", schema->columns[i].name);
		error_field(err, schema->columns[i].name);
		return error_at(err, source->input->files[0].name, 0, 0);
	}
	return 0;
}

int parquet_source_new(struct batch_source **out, struct parquet_input *input,
		       const bool *wanted, size_t thread_count,
		       const struct parquet_source_filter *filter,
		       struct error *err)
{
	struct parquet_source *source = mem_zalloc(sizeof(*source));
	size_t groups = 0;
	int rc;

	*out = NULL;
	if (!source)
		return error_set(err, ERROR_NO_MEMORY, "read an input");
	source->base.schema = source_schema;
	source->base.parallelism = source_parallelism;
	source->base.stream_new = source_stream_new;
	source->base.free = source_free;
	source->input = input;
	if (filter)
		source->filter = *filter;
	pthread_mutex_init(&source->lock, NULL);
	for (size_t i = 0; i < input->file_count; i++)
		groups += input->files[i].group_count;
	source->parallelism = thread_count < groups ? thread_count : groups;
	if (!source->parallelism)
		source->parallelism = 1;
	rc = set_wanted(source, wanted, err);
	if (rc) {
		source_free(&source->base);
		return rc;
	}
	*out = &source->base;
	return 0;
}
