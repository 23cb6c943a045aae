/*
 * write_context.c - what the writers of one statement share
 *
 * Why:    until its commit a statement must leave nothing behind when it
 *         fails, whichever thread fails where.
 * How:    every file is made here, its name carries the statement's uuid, and
 *         its path is remembered before it exists; unless the commit took
 *         them over, all are removed at the end.
 */
#include "table/write/write_state.h"

#define DEFAULT_GROUP_ROWS 131072
#define DEFAULT_GROUP_BYTES ((size_t)128 << 20)
#define LARGEST_GROUP_ROWS ((size_t)1 << 22)
#define DEFAULT_FILE_BYTES ((size_t)256 << 20)

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "writers");
}

/* New files are of the default spec, which places no rows: all NULL. */
static int empty_partition(struct write_context *context, struct error *err)
{
	const struct table_metadata *metadata = context->options.metadata;
	const struct partition_spec *spec =
		metadata_spec(metadata, metadata->default_spec_id);
	struct type *types;
	int rc;

	if (!spec)
		return error_set(err, ERROR_CORRUPT, "the table has no "
				 "partition spec %d",
				 (int)metadata->default_spec_id);
	rc = metadata_partition_types(metadata, spec, &context->arena, &types,
				      err);
	if (rc)
		return rc;
	context->partition = arena_zalloc_array(&context->arena,
						spec->field_count + 1,
						sizeof(*context->partition));
	if (!context->partition)
		return no_memory(err);
	context->partition_count = spec->field_count;
	for (size_t i = 0; i < spec->field_count; i++)
		context->partition[i] = literal_null(types[i]);
	return 0;
}

static void choose_sizes(struct write_context *context)
{
	const struct table_metadata *metadata = context->options.metadata;
	size_t bytes = property_size(
		metadata, "write.parquet.row-group-size-bytes", 0);
	size_t share = context->options.memory_bytes;

	context->group_rows = bytes ? LARGEST_GROUP_ROWS
				    : DEFAULT_GROUP_ROWS;
	context->group_bytes = bytes ? bytes : DEFAULT_GROUP_BYTES;
	if (share && context->options.thread_count)
		share /= context->options.thread_count;
	if (share && context->group_bytes > share)
		context->group_bytes = share;
	context->file_bytes = property_size(
		metadata, "write.target-file-size-bytes",
		DEFAULT_FILE_BYTES);
}

int write_context_new(struct write_context **out,
		      const struct write_options *options, struct error *err)
{
	struct write_context *context = mem_zalloc(sizeof(*context));
	int rc = 0;

	*out = NULL;
	if (!context)
		return no_memory(err);
	if (pthread_mutex_init(&context->lock, NULL)) {
		mem_free(context);
		return no_memory(err);
	}
	context->options = *options;
	arena_init(&context->arena, 0);
	uuid_format(&options->uuid, context->uuid);
	context->columns = metadata_current_schema(options->metadata);
	context->has_lineage = options->metadata->format_version >= 3;
	context->data_directory = path_join(&context->arena,
					    options->directory, "data");
	if (!context->data_directory)
		rc = no_memory(err);
	else if (!context->columns)
		rc = error_set(err, ERROR_CORRUPT,
			       "the table has no current schema");
	if (!rc)
		rc = empty_partition(context, err);
	choose_sizes(context);
	if (rc) {
		write_context_free(context);
		return rc;
	}
	*out = context;
	return 0;
}

void write_context_keep(struct write_context *context)
{
	context->kept = true;
}

void write_context_free(struct write_context *context)
{
	if (!context)
		return;
	for (size_t i = 0; i < LANE_COUNT; i++)
		if (context->lane_ready[i])
			rolling_file_release(&context->lanes[i]);
	for (size_t i = 0; i < context->path_count; i++) {
		if (!context->kept)
			path_remove(context->paths[i], NULL);
		mem_free(context->paths[i]);
	}
	mem_free(context->paths);
	if (context->delete_layout_ready)
		file_layout_release(&context->delete_layout);
	delete_map_release(&context->deletes);
	pthread_mutex_destroy(&context->lock);
	arena_release(&context->arena);
	mem_free(context);
}

int write_context_lane(struct write_context *context, int lane,
		       struct error *err)
{
	struct rolling_file *file = &context->lanes[lane];
	int rc = 0;

	pthread_mutex_lock(&context->lock);
	if (!context->lane_ready[lane]) {
		rc = rolling_file_init(file, context, err);
		if (!rc) {
			rc = data_layout_init(&file->layout,
					      context->options.metadata,
					      context->columns,
					      lane == LANE_LINEAGE,
					      &context->arena, err);
			if (rc)
				rolling_file_release(file);
		}
		context->lane_ready[lane] = rc == 0;
	}
	pthread_mutex_unlock(&context->lock);
	return rc;
}

/* A name for a file; the lock is held. */
static int next_name(struct write_context *context, const char *suffix,
		     char **path_out, char **uri_out, struct error *err)
{
	struct text path = TEXT_INIT, uri = TEXT_INIT;
	uint32_t number = context->next_file;

	text_addf(&path, "%s/%05u-0-%s-%05u%s", context->data_directory,
		  number, context->uuid, number + 1, suffix);
	text_addf(&uri, "%s/data/%05u-0-%s-%05u%s",
		  context->options.metadata->location, number, context->uuid,
		  number + 1, suffix);
	*path_out = text_detach(&path);
	*uri_out = text_detach(&uri);
	if (*path_out && *uri_out &&
	    mem_grow((void **)&context->paths, &context->path_capacity,
		     context->path_count, sizeof(*context->paths))) {
		context->paths[context->path_count++] = *path_out;
		context->next_file++;
		return 0;
	}
	mem_free(*path_out);
	mem_free(*uri_out);
	*path_out = *uri_out = NULL;
	return no_memory(err);
}

int write_context_create(struct write_context *context, const char *suffix,
			 struct output_file **out, char **uri_out,
			 struct error *err)
{
	char *path;
	int rc;

	*out = NULL;
	pthread_mutex_lock(&context->lock);
	rc = next_name(context, suffix, &path, uri_out, err);
	if (!rc) {
		rc = output_file_create(out, path, err);
		if (rc == ERROR_IO &&
		    !path_is_directory(context->data_directory)) {
			rc = directory_make(context->data_directory, err);
			context->made_directory = true;
			if (!rc)
				rc = output_file_create(out, path, err);
		}
	}
	pthread_mutex_unlock(&context->lock);
	if (rc) {
		mem_free(*uri_out);
		*uri_out = NULL;
	}
	return rc;
}

void write_context_count(struct write_context *context, uint64_t bytes)
{
	pthread_mutex_lock(&context->lock);
	context->bytes += bytes;
	pthread_mutex_unlock(&context->lock);
}

uint64_t write_context_bytes(const struct write_context *context)
{
	return context->bytes;
}

int write_context_unsynced(const struct write_context *context,
			   struct arena *arena, char ***out,
			   size_t *count_out, struct error *err)
{
	size_t own = context->path_count - context->synced_count;

	*count_out = 0;
	*out = arena_zalloc_array(arena, own + 2, sizeof(**out));
	if (!*out)
		return no_memory(err);
	if (!own)
		return 0;
	memcpy(*out, context->paths + context->synced_count,
	       own * sizeof(**out));
	(*out)[own++] = context->data_directory;
	if (context->made_directory)
		(*out)[own++] = (char *)context->options.directory;
	*count_out = own;
	return 0;
}

void write_context_synced(struct write_context *context)
{
	context->synced_count = context->path_count;
}

int write_context_sync(struct write_context *context, char *const *more,
		       size_t more_count, struct error *err)
{
	struct arena arena;
	char **own, **all;
	size_t count;
	int rc;

	arena_init(&arena, 0);
	rc = write_context_unsynced(context, &arena, &own, &count, err);
	all = arena_zalloc_array(&arena, count + more_count + 1,
				 sizeof(*all));
	if (!rc && !all)
		rc = no_memory(err);
	if (!rc) {
		memcpy(all, own, count * sizeof(*all));
		if (more_count)
			memcpy(all + count, more, more_count * sizeof(*all));
		rc = files_sync(all, count + more_count, NULL, NULL, err);
	}
	if (!rc)
		write_context_synced(context);
	arena_release(&arena);
	return rc;
}

/* Indexes of the files that lose rows. */
static int touched_files(struct write_context *context, size_t **out,
			 size_t *count_out, struct error *err)
{
	const struct delete_map *deletes = &context->deletes;

	*count_out = 0;
	*out = mem_alloc_array(deletes->file_count + 1, sizeof(**out));
	if (!*out)
		return no_memory(err);
	for (size_t i = 0; deletes->lists && i < deletes->file_count; i++)
		if (deletes->lists[i])
			(*out)[(*count_out)++] = i;
	return 0;
}

static int finish_lanes(struct write_context *context, struct fragments *out,
			struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < LANE_COUNT; i++)
		if (context->lane_ready[i])
			rc = rolling_file_finish(&context->lanes[i], out,
						 err);
	return rc;
}

int write_context_finish(struct write_context *context,
			 struct fragments *out, struct error *err)
{
	size_t *touched, count;
	int rc;

	if (context->options.paradigm == CHANGE_ONLY_UPDATED_COLUMNS) {
		rc = touched_files(context, &touched, &count, err);
		if (!rc)
			rc = rewrite_files(context, touched, count, out, err);
		mem_free(touched);
	} else {
		rc = write_deletes(context, out, err);
	}
	return rc ? rc : finish_lanes(context, out, err);
}

bool write_context_touches(const struct write_context *context, size_t file)
{
	return context->deletes.lists && context->deletes.lists[file];
}

int write_context_discard(struct write_context *context,
			  const struct fragments *fragments,
			  struct error *err)
{
	struct arena arena;
	int rc = 0;

	arena_init(&arena, 0);
	for (size_t i = 0; !rc && i < fragments->count; i++) {
		struct fragment fragment;
		char *path;

		rc = fragment_parse(fragments->items[i], &arena, &fragment,
				    err);
		if (rc || (fragment.kind != FRAGMENT_ADD_DATA &&
			   fragment.kind != FRAGMENT_ADD_DELETES))
			continue;
		path = path_join(&arena, context->data_directory,
				 path_basename(fragment.file.path));
		rc = path ? path_remove(path, err) : no_memory(err);
	}
	arena_release(&arena);
	return rc;
}

int write_context_fold(struct write_context *context,
		       const size_t *file_indexes, size_t count,
		       struct fragments *out, struct error *err)
{
	return rewrite_files(context, file_indexes, count, out, err);
}
