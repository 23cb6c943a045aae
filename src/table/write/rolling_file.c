/*
 * rolling_file.c - data files that all writers of a statement fill together
 *
 * Why:    a statement of few rows must make one file, whatever the number of
 *         threads; a load must not shuffle its input.
 * How:    writers encode row groups alone and append them under a lock. The
 *         first rows of a statement go to one encoder that they share; who
 *         has too many for it takes it over. A writer that keeps order
 *         has a floor, the unit before which it will bring nothing more; a
 *         group that another writer may still precede waits. What waits is
 *         bounded by WAITING_BYTES: then the first goes out, floor or not, so
 *         nobody ever waits for anybody.
 *         Where rows go to many partitions, a file's encoders belong to no
 *         thread: one is taken, filled and given back, so that a partition
 *         has as many as threads came to it at once, most often one.
 * Cost:   a lock per row group; waiting groups hold their encoded bytes.
 */
#include "table/write/write_state.h"

#define WAITING_BYTES ((size_t)32 << 20)
/* Rows of the shared encoder: a statement of fewer makes one row group. */
#define SHARED_ROWS 8192
/* Groups from this size on are given to the disk at once. */
#define EARLY_FLUSH_BYTES ((size_t)1 << 20)

int rolling_file_new(struct rolling_file **out, struct write_context *context,
		     const struct partition *partition, int lane,
		     struct error *err)
{
	struct rolling_file *file = mem_zalloc(sizeof(*file));

	*out = NULL;
	if (!file || pthread_mutex_init(&file->lock, NULL)) {
		mem_free(file);
		return error_set(err, ERROR_NO_MEMORY, "data file");
	}
	file->context = context;
	file->partition = partition;
	file->layout = &context->layouts[lane];
	*out = file;
	return 0;
}

static void drop_open_file(struct rolling_file *file)
{
	parquet_writer_free(file->writer);
	output_file_free(file->file);
	mem_free(file->uri);
	file->writer = NULL;
	file->file = NULL;
	file->uri = NULL;
}

void rolling_file_free(struct rolling_file *file)
{
	if (!file)
		return;
	drop_open_file(file);
	for (size_t i = 0; i < file->waiting_count; i++)
		encoded_row_group_free(file->waiting[i].group);
	for (size_t i = 0; i < file->idle_count; i++)
		parquet_encoder_free(file->idle[i]);
	parquet_encoder_free(file->shared);
	mem_free(file->idle);
	mem_free(file->waiting);
	mem_free(file->floors);
	fragments_release(&file->done);
	pthread_mutex_destroy(&file->lock);
	mem_free(file);
}

int rolling_file_join(struct rolling_file *file, size_t *writer_out,
		      struct error *err)
{
	int rc = 0;

	pthread_mutex_lock(&file->lock);
	if (mem_grow((void **)&file->floors, &file->floor_capacity,
		     file->floor_count, sizeof(*file->floors))) {
		*writer_out = file->floor_count;
		file->floors[file->floor_count++] = 0;
	} else {
		rc = error_set(err, ERROR_NO_MEMORY, "data file");
	}
	pthread_mutex_unlock(&file->lock);
	return rc;
}

void rolling_file_raise(struct rolling_file *file, size_t writer,
			uint64_t unit)
{
	pthread_mutex_lock(&file->lock);
	if (file->floors[writer] < unit)
		file->floors[writer] = unit;
	pthread_mutex_unlock(&file->lock);
}

static int open_file(struct rolling_file *file, struct error *err)
{
	int rc = write_context_create(file->context,
				      file->partition->directory, ".parquet",
				      &file->file, &file->uri, err);

	if (!rc)
		rc = parquet_writer_new(&file->writer, file->file,
					&file->layout->schema,
					&file->layout->parquet, err);
	if (rc)
		drop_open_file(file);
	return rc;
}

static int close_file(struct rolling_file *file, struct error *err)
{
	struct write_context *context = file->context;
	struct fragment fragment = { .kind = FRAGMENT_ADD_DATA };
	struct data_file *data = &fragment.file;
	struct arena arena;
	int rc;

	if (!file->writer)
		return 0;
	arena_init(&arena, 0);
	rc = parquet_writer_finish(file->writer, err);
	data->format = FORMAT_PARQUET;
	data->spec_id = context->spec->spec_id;
	data->path = file->uri;
	data->partition = file->partition->values;
	data->partition_count = context->spec->field_count;
	data->record_count = (int64_t)parquet_writer_rows(file->writer);
	data->file_size = (int64_t)parquet_writer_bytes(file->writer);
	data->sort_order_id = file->sort_order_id;
	data->first_row_id = -1;
	data->content_offset = data->content_size = -1;
	if (!rc)
		rc = file_metrics(file->writer, file->layout, &arena, data,
				  err);
	if (!rc)
		rc = add_fragment(&file->done, &fragment, err);
	if (!rc)
		rc = output_file_close(file->file, false, err);
	if (!rc) {
		write_context_count(context, (uint64_t)data->file_size);
		write_context_count_lane(context,
					 (uint64_t)data->record_count,
					 (uint64_t)data->file_size);
	}
	drop_open_file(file);
	arena_release(&arena);
	return rc;
}

/* Takes the group. */
static int write_group(struct rolling_file *file,
		       struct encoded_row_group *group, struct error *err)
{
	int rc = 0;

	if (!file->writer)
		rc = open_file(file, err);
	if (!rc)
		rc = parquet_writer_append(file->writer, group, err);
	if (rc) {
		encoded_row_group_free(group);
		return rc;
	}
	if (parquet_writer_bytes(file->writer) >= file->context->file_bytes)
		return close_file(file, err);
	/* early write-back leaves less to wait for at the end */
	if (encoded_row_group_bytes(group) < EARLY_FLUSH_BYTES)
		return 0;
	return output_file_flush(file->file, err);
}

/* Write the first of the groups that wait; it is gone afterwards. */
static int write_first(struct rolling_file *file, struct error *err)
{
	struct encoded_row_group *group = file->waiting[0].group;

	file->waiting_bytes -= encoded_row_group_bytes(group);
	file->waiting_count--;
	memmove(file->waiting, file->waiting + 1,
		file->waiting_count * sizeof(*file->waiting));
	return write_group(file, group, err);
}

static uint64_t lowest_floor(const struct rolling_file *file)
{
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 0; i < file->floor_count; i++)
		if (file->floors[i] < lowest)
			lowest = file->floors[i];
	return lowest;
}

int rolling_file_append(struct rolling_file *file, size_t writer,
			struct encoded_row_group *group, uint64_t unit,
			struct error *err)
{
	struct waiting_group added = { group, unit };
	size_t at;
	int rc = 0;

	pthread_mutex_lock(&file->lock);
	if (writer == SIZE_MAX) {
		rc = write_group(file, group, err);
		pthread_mutex_unlock(&file->lock);
		return rc;
	}
	if (!mem_grow((void **)&file->waiting, &file->waiting_capacity,
		      file->waiting_count, sizeof(*file->waiting))) {
		pthread_mutex_unlock(&file->lock);
		encoded_row_group_free(group);
		return error_set(err, ERROR_NO_MEMORY, "data file");
	}
	for (at = file->waiting_count;
	     at > 0 && file->waiting[at - 1].unit > unit; at--)
		file->waiting[at] = file->waiting[at - 1];
	file->waiting[at] = added;
	file->waiting_count++;
	file->waiting_bytes += encoded_row_group_bytes(group);
	if (file->floors[writer] < unit)
		file->floors[writer] = unit;
	while (!rc && file->waiting_count &&
	       (file->waiting_bytes > WAITING_BYTES ||
		file->waiting[0].unit <= lowest_floor(file)))
		rc = write_first(file, err);
	pthread_mutex_unlock(&file->lock);
	return rc;
}

int rolling_file_share(struct rolling_file *file,
		       const struct vector *const *columns,
		       const struct selection *rows,
		       struct parquet_encoder **encoder_out,
		       struct error *err)
{
	size_t held;
	int rc = 0;

	*encoder_out = NULL;
	pthread_mutex_lock(&file->lock);
	if (!file->shared)
		rc = parquet_encoder_new(&file->shared, &file->layout->schema,
					 &file->layout->parquet, err);
	held = rc ? 0 : parquet_encoder_rows(file->shared);
	if (!rc && !file->shared_taken && held + rows->count <= SHARED_ROWS) {
		rc = parquet_encoder_add(file->shared, columns, rows, err);
	} else if (!rc) {
		/* a further one is made for the next who has too many */
		*encoder_out = file->shared;
		file->shared = NULL;
		file->shared_taken = true;
	}
	pthread_mutex_unlock(&file->lock);
	return rc;
}

/* Encode what the encoder has and append it; it is gone afterwards. */
static int retire(struct rolling_file *file, struct parquet_encoder *encoder,
		  struct error *err)
{
	struct encoded_row_group *group = NULL;
	int64_t bytes = (int64_t)parquet_encoder_bytes(encoder);
	int rc = parquet_encoder_finish(encoder, &group, err);

	atomic_fetch_sub(&file->context->pool_bytes, bytes);
	parquet_encoder_free(encoder);
	return group ? rolling_file_append(file, SIZE_MAX, group, 0, err) : rc;
}

static int pool_add(struct rolling_file *file, struct parquet_encoder *encoder,
		    const struct vector *const *columns,
		    const struct selection *rows, struct error *err)
{
	size_t before = parquet_encoder_bytes(encoder);
	int rc = parquet_encoder_add(encoder, columns, rows, err);

	atomic_fetch_add(&file->context->pool_bytes,
			 (int64_t)parquet_encoder_bytes(encoder) -
				 (int64_t)before);
	return rc;
}

/* An encoder with room, not in the pool any more; the lock is held. */
static int pool_take(struct rolling_file *file, struct parquet_encoder **out,
		     struct error *err)
{
	if (file->idle_count) {
		*out = file->idle[--file->idle_count];
		return 0;
	}
	return parquet_encoder_new(out, &file->layout->schema,
				   &file->layout->parquet, err);
}

/* The lock is held; takes the encoder. */
static int pool_give(struct rolling_file *file,
		     struct parquet_encoder *encoder, struct error *err)
{
	if (!mem_grow((void **)&file->idle, &file->idle_capacity,
		      file->idle_count, sizeof(*file->idle))) {
		parquet_encoder_free(encoder);
		return error_set(err, ERROR_NO_MEMORY, "data file");
	}
	file->idle[file->idle_count++] = encoder;
	return 0;
}

static bool is_full(const struct rolling_file *file,
		    const struct parquet_encoder *encoder, size_t more)
{
	size_t held = parquet_encoder_rows(encoder);

	return held && (held + more > file->context->group_rows ||
			parquet_encoder_bytes(encoder) >=
				file->context->group_bytes);
}

int rolling_file_pool(struct rolling_file *file,
		      const struct vector *const *columns,
		      const struct selection *rows, struct error *err)
{
	struct parquet_encoder *encoder = NULL, *full = NULL;
	bool is_small;
	int rc;

	pthread_mutex_lock(&file->lock);
	is_small = file->pooled_rows + rows->count <= SHARED_ROWS;
	file->pooled_rows += rows->count;
	rc = pool_take(file, &encoder, err);
	if (!rc && is_full(file, encoder, rows->count)) {
		full = encoder;
		rc = parquet_encoder_new(&encoder, &file->layout->schema,
					 &file->layout->parquet, err);
	}
	if (!rc && is_small)	/* few rows: one row group */
		rc = pool_add(file, encoder, columns, rows, err);
	if (!rc && is_small)
		rc = pool_give(file, encoder, err);
	else if (rc)
		parquet_encoder_free(encoder);
	pthread_mutex_unlock(&file->lock);
	if (full && rc)
		parquet_encoder_free(full);
	else if (full)
		rc = retire(file, full, err);
	if (is_small)
		return rc;
	if (!rc)
		rc = pool_add(file, encoder, columns, rows, err);
	if (rc) {
		parquet_encoder_free(encoder);
		return rc;
	}
	pthread_mutex_lock(&file->lock);
	rc = pool_give(file, encoder, err);
	pthread_mutex_unlock(&file->lock);
	return rc;
}

static size_t largest_idle(const struct rolling_file *file, size_t *bytes_out)
{
	size_t best = 0;

	*bytes_out = 0;
	for (size_t i = 0; i < file->idle_count; i++) {
		size_t bytes = parquet_encoder_bytes(file->idle[i]);

		if (bytes <= *bytes_out)
			continue;
		*bytes_out = bytes;
		best = i;
	}
	return best;
}

size_t rolling_file_idle_bytes(struct rolling_file *file)
{
	size_t bytes;

	pthread_mutex_lock(&file->lock);
	largest_idle(file, &bytes);
	pthread_mutex_unlock(&file->lock);
	return bytes;
}

int rolling_file_relieve(struct rolling_file *file, struct error *err)
{
	struct parquet_encoder *encoder = NULL;
	size_t bytes, at;

	pthread_mutex_lock(&file->lock);
	at = largest_idle(file, &bytes);
	if (bytes) {
		encoder = file->idle[at];
		file->idle[at] = file->idle[--file->idle_count];
	}
	pthread_mutex_unlock(&file->lock);
	return encoder ? retire(file, encoder, err) : 0;
}

static int write_shared(struct rolling_file *file, struct error *err)
{
	struct encoded_row_group *group = NULL;
	int rc = 0;

	if (file->shared)
		rc = parquet_encoder_finish(file->shared, &group, err);
	parquet_encoder_free(file->shared);
	file->shared = NULL;
	return group ? write_group(file, group, err) : rc;
}

int rolling_file_close(struct rolling_file *file, struct error *err)
{
	int rc = 0;

	while (!rc && file->waiting_count)
		rc = write_first(file, err);
	while (!rc && file->idle_count)
		rc = retire(file, file->idle[--file->idle_count], err);
	if (!rc)
		rc = write_shared(file, err);
	return rc ? rc : close_file(file, err);
}

int rolling_file_take(struct rolling_file *file, struct fragments *out,
		      struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < file->done.count; i++) {
		rc = fragments_add(out, file->done.items[i], err);
		if (!rc)
			file->done.items[i] = NULL;
	}
	if (!rc)
		file->done.count = 0;
	return rc;
}
