/*
 * relocate_manifests.c - manifests of a copied table with their new paths
 *
 * Why:    manifests name files by whole paths; other engines would read those
 *         of the original.
 * How:    each reachable manifest is read and written once, however many
 *         snapshots share it, and so is each live delete file that names data
 *         files. Sequence numbers, snapshot ids, row ids and the order of
 *         entries stay.
 * Cost:   about the size of all metadata and position deletes. Data files are
 *         not opened.
 */
#include "table/relocate_manifests.h"

#define FIRST_SLOTS 64

/* key: path, or path and place of a deletion vector. */
struct relocated_path {
	const char *key;
	struct data_file deletes;	/* of a delete file */
	struct manifest_file manifest;	/* path, length and counts of one */
	int64_t live_growth;		/* of a manifest's delete files */
	int64_t added_growth;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "relocate");
}

static int rename_uri(void *context, const char *uri, struct arena *arena,
		      char **out, struct error *err)
{
	return relocate_path(context, uri, arena, out, err);
}

int relocate_init(struct relocate *relocate, const struct catalog_table *base,
		  struct error *err)
{
	struct uuid uuid;
	int rc;

	memset(relocate, 0, sizeof(*relocate));
	relocate->base = base;
	relocate->renamer.context = relocate;
	relocate->renamer.rename = rename_uri;
	arena_init(&relocate->arena, 0);
	relocate->slot_mask = FIRST_SLOTS - 1;
	relocate->slots = mem_zalloc_array(FIRST_SLOTS,
					   sizeof(*relocate->slots));
	rc = relocate->slots ? 0 : no_memory(err);
	if (!rc)
		rc = uuid_random(&uuid, err);
	if (rc) {
		relocate_release(relocate);
		return rc;
	}
	uuid_format(&uuid, relocate->uuid);
	return 0;
}

void relocate_release(struct relocate *relocate)
{
	mem_free(relocate->slots);
	mem_free(relocate->paths);
	arena_release(&relocate->arena);
	memset(relocate, 0, sizeof(*relocate));
}

int relocate_path(const struct relocate *relocate, const char *uri,
		  struct arena *arena, char **out, struct error *err)
{
	const char *directory = relocate->base->directory;
	size_t length = strlen(directory);
	char *path;
	int rc = catalog_resolve_path(relocate->base, uri, arena, &path, err);

	*out = NULL;
	if (rc)
		return rc;
	*out = !strncmp(path, directory, length) && path[length] == '/'
		       ? path_to_uri(arena, path)
		       : arena_strdup(arena, uri);
	return *out ? 0 : no_memory(err);
}

static struct relocated_path **find_slot(const struct relocate *relocate,
					 const char *key)
{
	size_t at = (size_t)hash_fast(key, strlen(key));

	for (;; at++) {
		struct relocated_path **slot =
			&relocate->slots[at & relocate->slot_mask];

		if (!*slot || !strcmp((*slot)->key, key))
			return slot;
	}
}

static int grow_slots(struct relocate *relocate, struct error *err)
{
	struct relocated_path **old = relocate->slots;
	size_t count = relocate->slot_mask + 1;

	if (2 * relocate->slot_count < count)
		return 0;
	relocate->slots = mem_zalloc_array(2 * count, sizeof(*old));
	if (!relocate->slots) {
		relocate->slots = old;
		return no_memory(err);
	}
	relocate->slot_mask = 2 * count - 1;
	for (size_t i = 0; i < count; i++)
		if (old[i])
			*find_slot(relocate, old[i]->key) = old[i];
	mem_free(old);
	return 0;
}

/* What is remembered of key; new (path and deletes empty) if nothing is. */
static int remember(struct relocate *relocate, const char *key,
		    struct relocated_path **out, struct error *err)
{
	struct relocated_path **slot;
	int rc = grow_slots(relocate, err);

	if (rc)
		return rc;
	slot = find_slot(relocate, key);
	if (!*slot) {
		struct relocated_path *made = arena_zalloc(&relocate->arena,
							   sizeof(*made));

		if (!made)
			return no_memory(err);
		made->key = key;
		*slot = made;
		relocate->slot_count++;
	}
	*out = *slot;
	return 0;
}

/* Bytes to metadata/<uuid>-<suffix>. */
static int write_file(struct relocate *relocate, const char *suffix,
		      const struct text *bytes, char **uri_out,
		      struct error *err)
{
	char *name = arena_printf(&relocate->arena, "metadata/%s-%u%s.avro",
				  relocate->uuid, relocate->file_count++,
				  suffix);
	char *path = name ? path_join(&relocate->arena,
				      relocate->base->directory, name) : NULL;
	struct output_file *file;
	int rc;

	*uri_out = path ? path_to_uri(&relocate->arena, path) : NULL;
	if (!*uri_out || bytes->failed ||
	    !mem_grow((void **)&relocate->paths, &relocate->path_capacity,
		      relocate->path_count, sizeof(*relocate->paths)))
		return no_memory(err);
	rc = output_file_create(&file, path, err);
	if (rc)
		return rc;
	rc = output_file_write(file, bytes->data, bytes->length, err);
	if (!rc)
		rc = output_file_close(file, false, err);
	if (!rc)
		relocate->paths[relocate->path_count++] = path;
	output_file_free(file);
	return rc;
}

/* A live delete file that names data files. */
static int relocate_deletes(struct relocate *relocate, struct data_file *file,
			    struct error *err)
{
	struct relocated_path *known = NULL;
	char *path;
	char *key = arena_printf(&relocate->arena, "%s %lld", file->path,
				 (long long)file->content_offset);
	int rc = key ? remember(relocate, key, &known, err) : no_memory(err);

	if (!rc && !known->deletes.path) {
		struct data_file moved;

		rc = catalog_resolve_path(relocate->base, file->path,
					  &relocate->arena, &path, err);
		if (!rc)
			rc = write_context_relocate(
				relocate->context, file, path,
				&relocate->renamer, &relocate->arena, &moved,
				err);
		if (!rc)
			known->deletes = moved;
	}
	if (!rc) {
		/* what an entry says itself stays */
		struct data_file said = *file;

		*file = known->deletes;
		file->partition = said.partition;
		file->partition_count = said.partition_count;
		file->spec_id = said.spec_id;
	}
	return rc;
}

/* What it counts for in a summary: a deletion vector without its file. */
static int64_t counted_size(const struct data_file *file)
{
	return file->content_offset >= 0 ? file->content_size
					 : file->file_size;
}

static int relocate_entry(struct relocate *relocate,
			  struct manifest_entry *entry,
			  struct relocated_path *manifest, struct error *err)
{
	struct data_file *file = &entry->file;
	int64_t growth = -counted_size(file);
	int rc;

	if (entry->status != ENTRY_DELETED &&
	    file->content == CONTENT_POSITION_DELETES) {
		rc = relocate_deletes(relocate, file, err);
		if (rc)
			return rc;
		growth += counted_size(file);
		manifest->live_growth += growth;
		if (entry->status == ENTRY_ADDED)
			manifest->added_growth += growth;
		return 0;
	}
	rc = relocate_path(relocate, file->path, &relocate->arena,
			   &file->path, err);
	if (!rc && file->referenced_data_file)
		rc = relocate_path(relocate, file->referenced_data_file,
				   &relocate->arena,
				   &file->referenced_data_file, err);
	return rc;
}

/* Numbers that an added entry inherits are not said. */
static void inherit_again(const struct manifest_file *manifest,
			  struct manifest_entry *entries, size_t count)
{
	int64_t next_row = manifest->first_row_id;

	for (size_t i = 0; i < count; i++) {
		struct manifest_entry *entry = &entries[i];

		if (entry->status != ENTRY_ADDED)
			continue;
		if (entry->sequence_number == manifest->sequence_number &&
		    entry->file_sequence_number ==
		    manifest->sequence_number) {
			entry->sequence_number = -1;
			entry->file_sequence_number = -1;
		}
		if (next_row >= 0 && entry->file.first_row_id == next_row) {
			entry->file.first_row_id = -1;
			next_row = count_add(next_row,
					     entry->file.record_count);
		}
	}
}

static int write_manifest(struct relocate *relocate,
			  const struct manifest_file *manifest,
			  struct relocated_path *known, struct error *err)
{
	const struct table_metadata *metadata = relocate->base->metadata;
	struct manifest_source source = { NULL, manifest, metadata, NULL };
	struct manifest_entry *entries;
	struct text bytes = TEXT_INIT;
	struct input_file *input;
	size_t count;
	int32_t spec_id;
	char *path;
	int rc;

	rc = catalog_resolve_path(relocate->base, manifest->path,
				  &relocate->arena, &path, err);
	if (!rc)
		rc = input_file_open(&input, path, err);
	if (rc)
		return rc;
	source.file = input;
	rc = manifest_read(&entries, &count, &source, &relocate->arena, err);
	input_file_close(input);
	for (size_t i = 0; !rc && i < count; i++)
		rc = relocate_entry(relocate, &entries[i], known, err);
	if (rc)
		return rc;
	inherit_again(manifest, entries, count);
	spec_id = manifest->spec_id >= 0 ? manifest->spec_id
		: count ? entries[0].file.spec_id : metadata->default_spec_id;
	rc = manifest_format(entries, count, manifest->is_deletes, spec_id,
			     metadata, &bytes, &known->manifest,
			     &relocate->arena, err);
	known->manifest.path = NULL;
	known->manifest.length = (int64_t)bytes.length;
	if (!rc)
		rc = write_file(relocate, "-m", &bytes,
				&known->manifest.path, err);
	text_release(&bytes);
	return rc;
}

/* Old lists do not say every number. */
static void complete(int64_t *number, int64_t counted)
{
	if (*number < 0)
		*number = counted;
}

static int relocate_manifest(struct relocate *relocate,
			     struct manifest_file *manifest,
			     int64_t snapshot_id, struct error *err)
{
	struct relocated_path *known = NULL;
	int rc = interrupt_check(err);

	if (!rc)
		rc = remember(relocate, manifest->path, &known, err);
	if (!rc && !known->manifest.path)
		rc = write_manifest(relocate, manifest, known, err);
	if (rc)
		return rc;
	manifest->path = known->manifest.path;
	manifest->length = known->manifest.length;
	relocate->live_growth += known->live_growth;
	if (manifest->added_snapshot_id == snapshot_id)
		relocate->added_growth += known->added_growth;
	complete(&manifest->added_files, known->manifest.added_files);
	complete(&manifest->existing_files, known->manifest.existing_files);
	complete(&manifest->deleted_files, known->manifest.deleted_files);
	complete(&manifest->added_rows, known->manifest.added_rows);
	complete(&manifest->existing_rows, known->manifest.existing_rows);
	complete(&manifest->deleted_rows, known->manifest.deleted_rows);
	return 0;
}

int relocate_list(struct relocate *relocate, const struct snapshot *snapshot,
		  char **out, struct error *err)
{
	struct manifest_list_options options = {
		.format_version = relocate->base->metadata->format_version,
		.snapshot_id = snapshot->snapshot_id,
		.parent_id = snapshot->parent_id,
		.sequence_number = snapshot->sequence_number,
		.first_row_id = snapshot->first_row_id,
	};
	struct manifest_file *manifests;
	struct text bytes = TEXT_INIT;
	struct input_file *input;
	size_t count;
	char *path;
	int rc;

	*out = NULL;
	relocate->live_growth = relocate->added_growth = 0;
	rc = catalog_resolve_path(relocate->base, snapshot->manifest_list,
				  &relocate->arena, &path, err);
	if (!rc)
		rc = input_file_open(&input, path, err);
	if (rc)
		return rc;
	rc = manifest_list_read(&manifests, &count, input, &relocate->arena,
				err);
	input_file_close(input);
	for (size_t i = 0; !rc && i < count; i++)
		rc = relocate_manifest(relocate, &manifests[i],
				       snapshot->snapshot_id, err);
	if (!rc)
		rc = manifest_list_format(manifests, count, &options, &bytes,
					  err);
	if (!rc)
		rc = write_file(relocate, "-snap", &bytes, out, err);
	text_release(&bytes);
	return rc;
}
