/*
 * snapshot_files.c - the files of one snapshot
 *
 * Why:    scans, writers and commits all need to know which files are live,
 *         which deletes apply to each, and a number for every row.
 * How:    the manifest list is read when the snapshot is opened, manifests
 *         when somebody needs them, several by several threads, each into an
 *         arena of its own. Data files keep the order of list and manifest,
 *         so that row numbers are the same in every process: once files are
 *         numbered, a manifest that is not read has as many files and rows
 *         set aside as the list says it has. Where the list does not say,
 *         the manifest is read in any case.
 * Cost:   memory follows the number of files read, about their manifests'
 *         size, and some ten bytes for each other.
 * Limits: a list that counts wrong is an error only of the manifest that is
 *         read after files were numbered.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include "table/scan/equality_group.h"

/* Fewer manifests are read by the caller's thread alone. */
#define PARALLEL_MANIFESTS 8
#define THREAD_LIMIT 16
/* A list that names more files than this a byte of manifest is not believed:
 * room for them is made at once. */
#define FILES_PER_BYTE 4

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
	const size_t *manifests;	/* to read */
	size_t count;
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
		    struct avro_schema_memo **memo, struct arena *arena,
		    struct error *err)
{
	struct manifest_file *manifest = &files->manifests[i];
	struct manifest_source source = { NULL, manifest, files->metadata,
					  memo };
	struct input_file *file;
	int rc;

	/* nothing live: known without looking */
	if (manifest->added_files == 0 && manifest->existing_files == 0)
		return 0;
	rc = scan_open_input(files, manifest->path, &file, err);
	if (rc)
		return rc;
	source.file = file;
	rc = manifest_read(&files->entries[i], &files->entry_counts[i],
			   &source, arena, err);
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
	struct avro_schema_memo *memo = NULL;
	int rc = 0;

	while (!rc && !atomic_load(&work->failed)) {
		size_t i = atomic_fetch_add(&work->next, 1);

		if (i >= work->count)
			return 0;
		rc = read_one(files, work->manifests[i], &memo,
			      &files->state->arenas[worker], err);
		if (!rc)
			rc = interrupt_check(err);
	}
	if (rc)
		atomic_store(&work->failed, true);
	return rc;
}

/* Can the manifest stay closed, by what the list says of it? */
static bool is_counted(const struct manifest_file *manifest)
{
	int64_t limit = manifest->length;

	if (manifest->added_files < 0 || manifest->existing_files < 0 ||
	    manifest->added_rows < 0 || manifest->existing_rows < 0 ||
	    manifest->spec_id < 0 || manifest->length < 0)
		return false;
	limit = limit > INT64_MAX / FILES_PER_BYTE ? INT64_MAX
						   : limit * FILES_PER_BYTE;
	return count_add(manifest->added_files, manifest->existing_files) <=
	       limit;
}

static int read_manifests(struct snapshot_files *files,
			  const size_t *manifests, size_t count,
			  struct error *err)
{
	size_t threads = 1;
	struct manifest_work work;
	int rc;

	if (count >= PARALLEL_MANIFESTS)
		threads = thread_available_count();
	if (threads > THREAD_LIMIT)
		threads = THREAD_LIMIT;
	work.files = files;
	work.manifests = manifests;
	work.count = count;
	atomic_init(&work.next, 0);
	atomic_init(&work.failed, false);
	rc = thread_run(threads, read_some, &work, err);
	for (size_t i = 0; !rc && i < count; i++)
		files->is_read[manifests[i]] = true;
	return rc;
}

static bool is_live_data(const struct manifest_entry *entry)
{
	return entry->status != ENTRY_DELETED &&
	       entry->file.content == CONTENT_DATA;
}

static size_t live_data_count(const struct snapshot_files *files, size_t m)
{
	size_t count = 0;

	for (size_t i = 0; i < files->entry_counts[m]; i++)
		count += is_live_data(&files->entries[m][i]);
	return count;
}

static int rows_run_out(const struct manifest_file *manifest,
			struct error *err)
{
	return error_set(err, ERROR_CORRUPT, "manifest '%s': more rows than "
			 "can be counted", manifest->path);
}

/* Fill in the files of a manifest that has been read, from its place on. */
static int place_files(struct snapshot_files *files, size_t m,
		       struct error *err)
{
	struct manifest_place *place = &files->state->places[m];
	size_t at = place->first_file;
	uint64_t row = place->first_row;

	for (size_t i = 0; i < files->entry_counts[m]; i++) {
		const struct manifest_entry *entry = &files->entries[m][i];

		if (!is_live_data(entry))
			continue;
		if (entry->file.record_count < 0 ||
		    (uint64_t)entry->file.record_count >
		    place->row_limit - row || at == place->file_limit)
			break;
		files->files[at].entry = entry;
		files->files[at++].first_row = row;
		row += (uint64_t)entry->file.record_count;
	}
	if (at != place->file_limit || row != place->row_limit)
		return error_set(err, ERROR_CORRUPT, "manifest '%s' has not "
				 "the %zu files and %" PRIu64 " rows that the "
				 "manifest list gives it",
				 files->manifests[m].path,
				 place->file_limit - place->first_file,
				 place->row_limit - place->first_row);
	place->is_filled = true;
	return 0;
}

/* How many files and rows are set aside for a manifest. */
static int measure(const struct snapshot_files *files, size_t m,
		   size_t *count, uint64_t *rows, struct error *err)
{
	const struct manifest_file *manifest = &files->manifests[m];
	int64_t sum = 0;

	*count = 0;
	*rows = 0;
	if (!files->is_read[m]) {
		if (manifest->is_deletes)
			return 0;
		*count = (size_t)(manifest->added_files +
				  manifest->existing_files);
		*rows = (uint64_t)count_add(manifest->added_rows,
					    manifest->existing_rows);
		return 0;
	}
	for (size_t i = 0; i < files->entry_counts[m]; i++) {
		const struct manifest_entry *entry = &files->entries[m][i];

		if (!is_live_data(entry))
			continue;
		if (entry->file.record_count < 0)
			return error_set(err, ERROR_CORRUPT, "manifest '%s': "
					 "%" PRId64 " rows in '%s'",
					 manifest->path,
					 entry->file.record_count,
					 entry->file.path);
		sum = count_add(sum, entry->file.record_count);
	}
	*count = live_data_count(files, m);
	*rows = (uint64_t)sum;
	return 0;
}

/* Every manifest gets its place; from now on numbers stay. */
static int number_files(struct snapshot_files *files, struct error *err)
{
	struct manifest_place *places = files->state->places;
	size_t total = 0;
	uint64_t rows = 0;
	int rc = 0;

	for (size_t m = 0; !rc && m < files->manifest_count; m++) {
		size_t count;
		uint64_t more;

		rc = measure(files, m, &count, &more, err);
		if (!rc && more > (uint64_t)INT64_MAX - 1 - rows)
			rc = rows_run_out(&files->manifests[m], err);
		places[m].first_file = total;
		places[m].first_row = rows;
		total += rc ? 0 : count;
		rows += rc ? 0 : more;
		places[m].file_limit = total;
		places[m].row_limit = rows;
	}
	if (rc)
		return rc;
	files->files = arena_zalloc_array(&files->arena, total + 1,
					  sizeof(*files->files));
	if (!files->files)
		return no_memory(err);
	for (size_t m = 0; m < files->manifest_count; m++)
		for (size_t i = places[m].first_file;
		     i < places[m].file_limit; i++) {
			files->files[i].manifest = m;
			files->files[i].first_row = places[m].first_row;
		}
	files->file_count = total;
	files->row_id_limit = rows;
	rc = path_index_init(files, err);
	files->is_numbered = rc == 0;
	return rc;
}

/* What has been read becomes files, with their deletes. */
static int take_read(struct snapshot_files *files, struct error *err)
{
	struct snapshot_state *state = files->state;
	int rc = 0;

	if (!files->is_numbered)
		rc = number_files(files, err);
	for (size_t m = 0; !rc && m < files->manifest_count; m++) {
		if (!files->is_read[m] || state->places[m].is_filled)
			continue;
		rc = place_files(files, m, err);
		if (!rc)
			rc = path_index_add(files,
					    state->places[m].first_file,
					    state->places[m].file_limit, err);
	}
	/* they may leave out positions of files that are known only now */
	shared_deletes_free(state->shared);
	state->shared = NULL;
	return rc ? rc : delete_index_build(files, err);
}

int snapshot_files_read(struct snapshot_files *files, const bool *wanted,
			struct error *err)
{
	size_t count = 0, *list;
	int rc;

	if (files->is_numbered && snapshot_files_are_read(files))
		return 0;
	list = mem_alloc_array(files->manifest_count + 1, sizeof(*list));
	if (!list)
		return no_memory(err);
	for (size_t m = 0; m < files->manifest_count; m++)
		if (!files->is_read[m] &&
		    (!wanted || wanted[m] ||
		     !is_counted(&files->manifests[m])))
			list[count++] = m;
	rc = wanted ? manifests_with_deletes(files, list, &count, err) : 0;
	if (!rc && count)
		rc = read_manifests(files, list, count, err);
	mem_free(list);
	if (!rc && (count || !files->is_numbered))
		rc = take_read(files, err);
	return rc;
}

bool snapshot_files_are_read(const struct snapshot_files *files)
{
	for (size_t m = 0; m < files->manifest_count; m++)
		if (!files->is_read[m])
			return false;
	return true;
}

bool snapshot_manifest_has_live(const struct snapshot_files *files, size_t m)
{
	if (!files->is_read[m])
		return files->manifests[m].added_files ||
		       files->manifests[m].existing_files;
	for (size_t i = 0; i < files->entry_counts[m]; i++)
		if (files->entries[m][i].status != ENTRY_DELETED)
			return true;
	return false;
}

static int make_state(struct snapshot_files *files, struct error *err)
{
	struct snapshot_state *state = files->state;
	size_t count = files->manifest_count;

	files->entries = arena_zalloc_array(&files->arena, count + 1,
					    sizeof(*files->entries));
	files->entry_counts = arena_zalloc_array(&files->arena, count + 1,
						 sizeof(size_t));
	files->is_read = arena_zalloc_array(&files->arena, count + 1,
					    sizeof(bool));
	state->places = arena_zalloc_array(&files->arena, count + 1,
					   sizeof(*state->places));
	state->arenas = arena_zalloc_array(&files->arena, THREAD_LIMIT,
					   sizeof(*state->arenas));
	if (!files->entries || !files->entry_counts || !files->is_read ||
	    !state->places || !state->arenas)
		return no_memory(err);
	for (size_t i = 0; i < THREAD_LIMIT; i++)
		arena_init(&state->arenas[i], 0);
	state->arena_count = THREAD_LIMIT;
	return 0;
}

int snapshot_files_open(struct snapshot_files **out,
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
		rc = make_state(files, err);
	if (rc) {
		snapshot_files_free(files);
		return rc;
	}
	*out = files;
	return 0;
}

int snapshot_files_load(struct snapshot_files **out,
			const struct table_metadata *metadata,
			const struct snapshot *snapshot,
			const struct schema *schema,
			const struct path_resolver *resolver,
			struct error *err)
{
	int rc = snapshot_files_open(out, metadata, snapshot, schema,
				     resolver, err);

	if (!rc)
		rc = snapshot_files_read(*out, NULL, err);
	if (rc) {
		snapshot_files_free(*out);
		*out = NULL;
	}
	return rc;
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
