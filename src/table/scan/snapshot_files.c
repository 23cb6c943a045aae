/*
 * snapshot_files.c - the files of one snapshot
 *
 * Why:    scans, writers and commits all need to know which files are live,
 *         which deletes apply to each, and a number for every row.
 * How:    the manifest list and all manifests are read once, several manifests
 *         by several threads, each into an arena of its own. Data files keep
 *         the order of list and manifest, so that row numbers are the same in
 *         every process.
 * Cost:   memory follows the number of files, about their manifests' size.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include "table/scan/equality_group.h"

/* Fewer manifests are read by the caller's thread alone. */
#define PARALLEL_MANIFESTS 8
#define THREAD_LIMIT 16

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "files of a snapshot");
}

int scan_open_input(const struct snapshot_files *files, const char *uri,
		    struct input_file **out, struct error *err)
{
	const struct path_resolver *resolver = &files->resolver;
	struct arena arena;
	char *path;
	int rc;

	*out = NULL;
	arena_init(&arena, 0);
	rc = resolver->resolve(resolver->context, uri, &arena, &path, err);
	if (!rc) {
		rc = input_file_open(out, path, err);
		if (rc == ERROR_IO && !path_exists(path)) {
			rc = error_set(err, ERROR_CORRUPT,
				       "file '%s' of the table is missing",
				       path);
			error_hint(err, "if the version was expired "
				   "meanwhile, run the statement again");
		}
	}
	arena_release(&arena);
	return rc;
}

/* The manifests that a v1 snapshot names itself. */
static int embedded_manifests(struct snapshot_files *files,
			      struct error *err)
{
	const struct snapshot *snapshot = files->snapshot;
	size_t count = snapshot->manifest_count;

	files->manifests = arena_zalloc_array(&files->arena, count + 1,
					      sizeof(*files->manifests));
	if (!files->manifests)
		return no_memory(err);
	files->manifest_count = count;
	for (size_t i = 0; i < count; i++) {
		struct manifest_file *m = &files->manifests[i];

		m->path = snapshot->manifests[i];
		m->length = -1;
		m->spec_id = -1;
		m->added_snapshot_id = snapshot->snapshot_id;
		m->added_files = m->existing_files = m->deleted_files = -1;
		m->added_rows = m->existing_rows = m->deleted_rows = -1;
		m->first_row_id = -1;
	}
	return 0;
}

static int read_list(struct snapshot_files *files, struct error *err)
{
	struct input_file *file;
	int rc;

	if (!files->snapshot->manifest_list)
		return embedded_manifests(files, err);
	rc = scan_open_input(files, files->snapshot->manifest_list, &file,
			     err);
	if (rc)
		return rc;
	rc = manifest_list_read(&files->manifests, &files->manifest_count,
				file, &files->arena, err);
	input_file_close(file);
	return rc;
}

struct manifest_work {
	struct snapshot_files *files;
	atomic_size_t next;
	atomic_bool failed;
};

/* Version 1 may leave out what a manifest list must have from version 2 on. */
static void complete_counts(struct manifest_file *manifest,
			    const struct manifest_entry *entries,
			    size_t count)
{
	int64_t file_counts[3] = { 0, 0, 0 }, rows[3] = { 0, 0, 0 };

	if (manifest->added_files >= 0 && manifest->existing_files >= 0 &&
	    manifest->deleted_files >= 0 && manifest->added_rows >= 0 &&
	    manifest->existing_rows >= 0 && manifest->deleted_rows >= 0)
		return;
	for (size_t i = 0; i < count; i++) {
		file_counts[entries[i].status]++;
		rows[entries[i].status] =
			count_add(rows[entries[i].status],
				  entries[i].file.record_count);
	}
	manifest->added_files = file_counts[ENTRY_ADDED];
	manifest->existing_files = file_counts[ENTRY_EXISTING];
	manifest->deleted_files = file_counts[ENTRY_DELETED];
	manifest->added_rows = rows[ENTRY_ADDED];
	manifest->existing_rows = rows[ENTRY_EXISTING];
	manifest->deleted_rows = rows[ENTRY_DELETED];
}

static int read_one(struct snapshot_files *files, size_t i,
		    struct arena *arena, struct error *err)
{
	struct manifest_file *manifest = &files->manifests[i];
	struct input_file *file;
	int rc;

	/* nothing live: known without looking */
	if (manifest->added_files == 0 && manifest->existing_files == 0)
		return 0;
	rc = scan_open_input(files, manifest->path, &file, err);
	if (rc)
		return rc;
	rc = manifest_read(&files->entries[i], &files->entry_counts[i], file,
			   manifest, files->metadata, arena, err);
	if (manifest->length < 0)
		manifest->length = (int64_t)input_file_size(file);
	input_file_close(file);
	if (rc)
		return rc;
	if (manifest->spec_id < 0)
		manifest->spec_id = files->entry_counts[i]
			? files->entries[i]->file.spec_id
			: files->metadata->default_spec_id;
	complete_counts(manifest, files->entries[i], files->entry_counts[i]);
	return 0;
}

static int read_some(void *context, size_t worker, struct error *err)
{
	struct manifest_work *work = context;
	struct snapshot_files *files = work->files;
	int rc = 0;

	while (!rc && !atomic_load(&work->failed)) {
		size_t i = atomic_fetch_add(&work->next, 1);

		if (i >= files->manifest_count)
			return 0;
		rc = read_one(files, i, &files->state->arenas[worker], err);
		if (!rc)
			rc = interrupt_check(err);
	}
	if (rc)
		atomic_store(&work->failed, true);
	return rc;
}

static int read_manifests(struct snapshot_files *files, struct error *err)
{
	struct snapshot_state *state = files->state;
	size_t count = files->manifest_count, threads = 1;
	struct manifest_work work;

	if (count >= PARALLEL_MANIFESTS)
		threads = thread_available_count();
	if (threads > THREAD_LIMIT)
		threads = THREAD_LIMIT;
	files->entries = arena_zalloc_array(&files->arena, count + 1,
					    sizeof(*files->entries));
	files->entry_counts = arena_zalloc_array(&files->arena, count + 1,
						 sizeof(size_t));
	state->arenas = arena_zalloc_array(&files->arena, threads,
					   sizeof(*state->arenas));
	if (!files->entries || !files->entry_counts || !state->arenas)
		return no_memory(err);
	for (size_t i = 0; i < threads; i++)
		arena_init(&state->arenas[i], 0);
	state->arena_count = threads;
	work.files = files;
	atomic_init(&work.next, 0);
	atomic_init(&work.failed, false);
	return thread_run(threads, read_some, &work, err);
}

static bool is_live_data(const struct manifest_entry *entry)
{
	return entry->status != ENTRY_DELETED &&
	       entry->file.content == CONTENT_DATA;
}

static int number_file(struct snapshot_files *files, size_t manifest,
		       const struct manifest_entry *entry, struct error *err)
{
	struct snapshot_file *file = &files->files[files->file_count];

	if (entry->file.record_count < 0 ||
	    (uint64_t)entry->file.record_count >
	    (uint64_t)INT64_MAX - files->row_id_limit)
		return error_set(err, ERROR_CORRUPT, "manifest '%s': %" PRId64
				 " rows in '%s'",
				 files->manifests[manifest].path,
				 entry->file.record_count, entry->file.path);
	file->entry = entry;
	file->manifest = manifest;
	file->first_row = files->row_id_limit;
	files->row_id_limit += (uint64_t)entry->file.record_count;
	files->file_count++;
	return 0;
}

static int number_files(struct snapshot_files *files, struct error *err)
{
	size_t count = 0;
	int rc = 0;

	for (size_t m = 0; m < files->manifest_count; m++)
		for (size_t i = 0; i < files->entry_counts[m]; i++)
			count += is_live_data(&files->entries[m][i]);
	files->files = arena_zalloc_array(&files->arena, count + 1,
					  sizeof(*files->files));
	if (!files->files)
		return no_memory(err);
	for (size_t m = 0; m < files->manifest_count; m++)
		for (size_t i = 0; !rc && i < files->entry_counts[m]; i++)
			if (is_live_data(&files->entries[m][i]))
				rc = number_file(files, m,
						 &files->entries[m][i], err);
	return rc;
}

int snapshot_files_load(struct snapshot_files **out,
			const struct table_metadata *metadata,
			const struct snapshot *snapshot,
			const struct schema *schema,
			const struct path_resolver *resolver,
			struct error *err)
{
	struct snapshot_files *files = mem_zalloc(sizeof(*files));
	int rc = 0;

	*out = NULL;
	if (!files)
		return no_memory(err);
	arena_init(&files->arena, 0);
	files->metadata = metadata;
	files->snapshot = snapshot;
	files->schema = schema;
	files->resolver = *resolver;
	files->state = mem_zalloc(sizeof(*files->state));
	if (!files->state || pthread_mutex_init(&files->state->lock, NULL)) {
		mem_free(files->state);
		files->state = NULL;
		snapshot_files_free(files);
		return no_memory(err);
	}
	if (snapshot)
		rc = read_list(files, err);
	if (!rc)
		rc = read_manifests(files, err);
	if (!rc)
		rc = number_files(files, err);
	if (!rc)
		rc = path_index_build(files, err);
	if (!rc)
		rc = delete_index_build(files, err);
	if (rc) {
		snapshot_files_free(files);
		return rc;
	}
	*out = files;
	return 0;
}

void snapshot_files_free(struct snapshot_files *files)
{
	struct snapshot_state *state;

	if (!files)
		return;
	state = files->state;
	if (state) {
		for (size_t i = 0; i < state->arena_count; i++)
			arena_release(&state->arenas[i]);
		shared_deletes_free(state->shared);
		known_deletes_free(state->known);
		equality_groups_free(state->equality);
		pthread_mutex_destroy(&state->lock);
		mem_free(state);
	}
	arena_release(&files->arena);
	mem_free(files);
}

const struct snapshot_file *
snapshot_files_find(const struct snapshot_files *files, uint64_t row_id)
{
	size_t low = 0, high = files->file_count;

	if (row_id >= files->row_id_limit)
		return NULL;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (files->files[middle].first_row <= row_id)
			low = middle;
		else
			high = middle;
	}
	return &files->files[low];
}
