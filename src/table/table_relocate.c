/*
 * table_relocate.c - a table that was copied becomes one of its own
 *
 * Why:    metadata, manifests and position deletes record whole paths. Other
 *         engines follow them to the original, and would write there.
 * How:    everything that records paths is written anew under new names, then
 *         one commit makes it current (iceberg.md 20). Table uuid, snapshot
 *         ids, sequence numbers and row ids stay; data files are not touched.
 * Limits: what earlier metadata files say of earlier versions stays as it was.
 */
#include "table/relocate_manifests.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "relocate");
}

/* text with every `from` replaced, in arena. */
static char *replace_all(struct arena *arena, const char *text,
			 const char *from, const char *to)
{
	struct text out = TEXT_INIT;
	size_t length = strlen(from);
	char *result = NULL;
	const char *hit;

	while (length && (hit = strstr(text, from)) != NULL) {
		text_add(&out, text, (size_t)(hit - text));
		text_add_str(&out, to);
		text = hit + length;
	}
	text_add_str(&out, text);
	if (!out.failed)
		result = arena_strndup(arena, out.data, out.length);
	text_release(&out);
	return result;
}

static int rename_properties(const struct relocate *relocate,
			     struct table_metadata *next, struct error *err)
{
	static const char *const keys[] = {
		"write.data.path", "write.metadata.path",
		"write.object-storage.path", "write.folder-storage.path",
	};
	int rc = 0;

	for (size_t i = 0; !rc && i < next->property_count; i++)
		for (size_t k = 0; !rc && k < ARRAY_COUNT(keys); k++)
			if (!strcmp(next->properties[i].key, keys[k]))
				rc = relocate_path(relocate,
						   next->properties[i].value,
						   &next->arena,
						   &next->properties[i].value,
						   err);
	return rc;
}

/* Paths in the metadata itself, but for the manifest lists. */
static int rename_metadata(const struct relocate *relocate,
			   struct table_metadata *next, struct error *err)
{
	const char *old = next->location;
	int rc = 0;

	next->location = path_to_uri(&next->arena, relocate->base->directory);
	if (!next->location)
		return no_memory(err);
	for (size_t i = 0; !rc && i < next->metadata_log_count; i++)
		rc = relocate_path(relocate,
				   next->metadata_log[i].metadata_file,
				   &next->arena,
				   &next->metadata_log[i].metadata_file, err);
	if (!rc)
		rc = rename_properties(relocate, next, err);
	/* paths of statistics files are all that members we do not know say */
	if (!rc && next->extra) {
		next->extra = replace_all(&next->arena, next->extra, old,
					  next->location);
		if (!next->extra)
			rc = no_memory(err);
	}
	return rc;
}

/* Delete files name data files, and longer paths make them larger. */
static int resize_summary(const struct relocate *relocate,
			  struct table_metadata *next, size_t snapshot,
			  struct error *err)
{
	int rc = 0;

	if (relocate->live_growth)
		rc = metadata_change_summary(next, snapshot,
					     "total-files-size",
					     relocate->live_growth, err);
	if (!rc && relocate->added_growth)
		rc = metadata_change_summary(next, snapshot,
					     "added-files-size",
					     relocate->added_growth, err);
	return rc;
}

static int relocate_snapshots(struct relocate *relocate,
			      struct table_metadata *next, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < next->snapshot_count; i++) {
		struct snapshot *snapshot = &next->snapshots[i];
		char *list;

		if (!snapshot->manifest_list)
			return error_set(err, ERROR_UNSUPPORTED, "a snapshot "
					 "of the table has no manifest list");
		rc = relocate_list(relocate, snapshot, &list, err);
		if (!rc && !(snapshot->manifest_list =
				     arena_strdup(&next->arena, list)))
			rc = no_memory(err);
		if (!rc)
			rc = resize_summary(relocate, next, i, err);
		snapshot->json = byte_view(NULL, 0);	/* it says the old path */
	}
	return rc;
}

static int make_durable(struct relocate *relocate, struct error *err)
{
	char *metadata = path_join(&relocate->arena,
				   relocate->base->directory, "metadata");
	int rc;

	if (!metadata)
		return no_memory(err);
	rc = write_context_sync(relocate->context, relocate->paths,
				relocate->path_count, err);
	return rc ? rc : directory_sync(metadata, err);
}

static int publish(struct relocate *relocate, struct table_metadata *next,
		   int64_t now_us, int64_t *version_out, struct error *err)
{
	struct catalog_publish_options options = {
		.wait_ms = METADATA_WAIT_MS,
	};
	struct commit_record record;
	bool conflict = false;
	int rc;

	if (next->last_updated_ms < now_us / 1000)
		next->last_updated_ms = now_us / 1000;
	table_record_init(&record, "meta", "relocate", relocate->base,
			  now_us);
	options.record = &record;
	rc = catalog_publish(relocate->base->directory, relocate->base, next,
			     &options, version_out, &conflict, err);
	if (!rc && conflict)
		rc = error_set(err, ERROR_METADATA_CHANGED, "another writer "
			       "has changed the table in '%s' meanwhile",
			       relocate->base->directory);
	return rc;
}

static int run(struct relocate *relocate, int64_t now_us,
	       int64_t *version_out, struct error *err)
{
	const struct catalog_table *base = relocate->base;
	struct write_options write = { .directory = base->directory,
				       .thread_count = 1 };
	struct table_metadata *next;
	int rc;

	rc = table_metadata_copy(&next, base->metadata, err);
	if (rc)
		return rc;
	rc = rename_metadata(relocate, next, err);
	write.metadata = next;
	if (!rc)
		rc = uuid_random(&write.uuid, err);
	if (!rc)
		rc = write_context_new(&relocate->context, &write, err);
	if (!rc)
		rc = relocate_snapshots(relocate, next, err);
	if (!rc)
		rc = make_durable(relocate, err);
	if (!rc)
		rc = interrupt_check(err);
	if (!rc)
		rc = publish(relocate, next, now_us, version_out, err);
	/* a version that may be there needs its files */
	if (relocate->context && *version_out)
		write_context_keep(relocate->context);
	for (size_t i = 0; !*version_out && i < relocate->path_count; i++)
		path_remove(relocate->paths[i], NULL);
	write_context_free(relocate->context);
	table_metadata_free(next);
	return rc;
}

int table_relocate(const char *directory, int64_t now_us,
		   int64_t *version_out, struct error *err)
{
	struct catalog_table *base;
	struct relocate relocate;
	int rc;

	*version_out = 0;
	rc = catalog_open(&base, directory, 0, err);
	if (rc)
		return rc;
	rc = catalog_check_writable(base, err);
	if (!rc)
		*version_out = base->version;
	/* what else there is against writing is said for a moved table too */
	if (rc == ERROR_MOVED_TABLE) {
		base->is_moved = false;
		rc = catalog_check_writable(base, err);
		if (!rc && base->metadata->format_version < 2)
			rc = error_set(err, ERROR_UNSUPPORTED, "the table in "
				       "'%s' is of format version 1, which is "
				       "only read", base->directory);
		if (!rc)
			rc = relocate_init(&relocate, base, err);
		if (!rc) {
			rc = run(&relocate, now_us, version_out, err);
			relocate_release(&relocate);
		}
	}
	catalog_table_free(base);
	return rc;
}
