/*
 * conflict_check.c - may changes made on one version be made on a newer one?
 *
 * Why:    writers do not wait for each other; what was written on an older
 *         version must still be right on the newest.
 * How:    by files (concurrency.md 4.2): the live files of both versions are
 *         compared, each with the deletes about it, as one difference whatever
 *         the number of commits between.
 *
 *         a file that we change was changed or removed	ConcurrentDeleteDelete
 *         another file was changed or removed		ConcurrentDeleteRead
 *         a file was added				ConcurrentAppend
 *
 *         Blind inserts read nothing, so only the first can be against them.
 *         UPDATE, DELETE and INSERT of what was read in the table do not mind
 *         rows that blind inserts added, unless the table asks for
 *         serializable: they come before those in the serial order. A MERGE
 *         does mind: the inserts may hold its keys.
 *         A manifest that both versions have is not read for that: its files
 *         are in both. They have the same deletes if all manifests of deletes
 *         are in both too; if not, everything is read.
 * Cost:   a hash table of the base's files, one look-up per file of the head.
 */
#include <inttypes.h>
#include "table/commit/commit_state.h"

/* Things of a version by path: live files, or manifests. */
struct path_slots {
	uint32_t *slots;	/* index + 1 */
	size_t mask;
	const struct snapshot_files *files;
	/* NULL = no path: left out */
	const char *(*path)(const struct snapshot_files *files, size_t i);
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "conflict check");
}

static bool covers_properties(const struct table_metadata *a,
			      const struct table_metadata *b)
{
	for (size_t i = 0; i < a->property_count; i++) {
		const char *other;

		if (catalog_is_own_property(a->properties[i].key))
			continue;
		other = metadata_property(b, a->properties[i].key);
		if (!other || strcmp(other, a->properties[i].value))
			return false;
	}
	return true;
}

static int refuse(const struct conflict_check *check, enum error_code code,
		  const char *what, struct error *err)
{
	error_set(err, code, "%s: version %" PRId64 " was read, version %"
		  PRId64 " is there now", what, check->base->version,
		  check->head->version);
	if (err)
		err->retryable = code != ERROR_METADATA_CHANGED &&
				 code != ERROR_PROTOCOL_CHANGED;
	return error_hint(err, "run the statement again");
}

int conflict_check_metadata(const struct conflict_check *check,
			    struct error *err)
{
	const struct table_metadata *base = check->options->read_metadata;
	const struct table_metadata *head = check->head->metadata;

	if (!base)
		base = check->base->metadata;
	if (base->format_version != head->format_version ||
	    !base->table_uuid != !head->table_uuid ||
	    (base->table_uuid && strcmp(base->table_uuid, head->table_uuid)))
		return refuse(check, ERROR_PROTOCOL_CHANGED, "the table was "
			      "replaced or upgraded meanwhile", err);
	if (base->current_schema_id != head->current_schema_id ||
	    base->default_spec_id != head->default_spec_id ||
	    base->default_sort_order_id != head->default_sort_order_id ||
	    strcmp(base->location, head->location) ||
	    !covers_properties(base, head) || !covers_properties(head, base))
		return refuse(check, ERROR_METADATA_CHANGED, "schema, "
			      "layout or properties of the table were changed "
			      "meanwhile", err);
	return 0;
}

static const char *file_path(const struct snapshot_files *files, size_t i)
{
	const struct manifest_entry *entry = files->files[i].entry;

	return entry ? entry->file.path : NULL;
}

static const char *manifest_path(const struct snapshot_files *files, size_t i)
{
	return files->manifests[i].path;
}

/* files and path are set. */
static int path_slots_build(struct path_slots *index, size_t count,
			    struct arena *arena, struct error *err)
{
	size_t size = 8;

	while (size < count * 2)
		size *= 2;
	index->mask = size - 1;
	index->slots = arena_zalloc_array(arena, size, sizeof(uint32_t));
	if (!index->slots)
		return no_memory(err);
	for (size_t i = 0; i < count; i++) {
		const char *path = index->path(index->files, i);
		size_t slot;

		if (!path)
			continue;
		slot = (size_t)hash_fast(path, strlen(path));
		while (index->slots[slot & index->mask])
			slot++;
		index->slots[slot & index->mask] = (uint32_t)(i + 1);
	}
	return 0;
}

/* Index of the file or manifest, SIZE_MAX = it is not there. */
static size_t path_slots_find(const struct path_slots *index,
			      const char *path)
{
	size_t slot = (size_t)hash_fast(path, strlen(path));

	for (; index->slots[slot & index->mask]; slot++) {
		size_t i = index->slots[slot & index->mask] - 1;

		if (!strcmp(index->path(index->files, i), path))
			return i;
	}
	return SIZE_MAX;
}

static bool same_file(const struct data_file *a, const struct data_file *b)
{
	return a->content_offset == b->content_offset &&
	       !strcmp(a->path, b->path);
}

/* Does every delete of a apply to b as well? */
static bool covers_deletes(const struct snapshot_file *a,
			   const struct snapshot_file *b)
{
	for (size_t i = 0; i < a->delete_count; i++) {
		size_t k = 0;

		/* hundreds of equality deletes have the same order in both */
		if (i < b->delete_count &&
		    same_file(&a->deletes[i]->file, &b->deletes[i]->file))
			continue;
		for (; k < b->delete_count; k++)
			if (same_file(&a->deletes[i]->file,
				      &b->deletes[k]->file))
				break;
		if (k == b->delete_count)
			return false;
	}
	return true;
}

/* Files that our changes remove or delete rows of. */
static bool is_changed_by_us(const struct change_set *changes,
			     const struct data_file *file)
{
	if (change_set_find(changes, file) != SIZE_MAX)
		return true;
	for (size_t i = 0; changes->added_deletes_count &&
			   i < changes->added_count; i++) {
		const char *about = changes->added[i].about;

		if (about && !strcmp(about, file->path))
			return true;
	}
	return false;
}

struct difference {
	size_t ours;		/* files that we change as well */
	size_t others;		/* changed or removed */
	size_t added;
	const char *example[3];	/* a path of each */
};

static void note(size_t *count, const char **example, const char *path)
{
	if (!(*count)++)
		*example = path;
}

/*
 * The manifests of a that are not in b, and those that b has read; false when
 * deletes are among the former.
 */
static bool mark_different(const struct snapshot_files *a,
			   const struct path_slots *b, bool *wanted)
{
	bool same_deletes = true;

	for (size_t m = 0; m < a->manifest_count; m++) {
		size_t other = path_slots_find(b, a->manifests[m].path);

		wanted[m] = other == SIZE_MAX || b->files->is_read[other];
		if (other == SIZE_MAX && a->manifests[m].is_deletes)
			same_deletes = false;
	}
	return same_deletes;
}

/* Read what may differ, in both versions. */
static int read_different(const struct conflict_check *check,
			  struct arena *arena, struct error *err)
{
	struct snapshot_files *files[2] = { check->base_files,
					    check->head_files };
	struct path_slots index[2];
	bool *wanted[2], same_deletes = true;
	int rc = 0;

	for (int i = 0; !rc && i < 2; i++) {
		wanted[i] = arena_zalloc_array(arena,
					       files[i]->manifest_count + 1,
					       sizeof(bool));
		index[i].files = files[i];
		index[i].path = manifest_path;
		rc = wanted[i] ? path_slots_build(&index[i],
						  files[i]->manifest_count,
						  arena, err)
			       : no_memory(err);
	}
	for (int i = 0; !rc && i < 2; i++) {
		same_deletes &= mark_different(files[i], &index[1 - i],
					       wanted[i]);
		rc = snapshot_files_read(files[i], wanted[i], err);
	}
	for (int i = 0; !rc && !same_deletes && i < 2; i++)
		rc = snapshot_files_read(files[i], NULL, err);
	return rc;
}

static int compare_files(const struct conflict_check *check,
			 struct difference *out, struct error *err)
{
	const struct snapshot_files *base = check->base_files;
	const struct snapshot_files *head = check->head_files;
	struct path_slots old = { .files = base, .path = file_path };
	struct path_slots now = { .files = head, .path = file_path };
	struct arena arena;
	int rc;

	memset(out, 0, sizeof(*out));
	arena_init(&arena, 0);
	rc = read_different(check, &arena, err);
	if (!rc)
		rc = path_slots_build(&old, base->file_count, &arena, err);
	if (!rc)
		rc = path_slots_build(&now, head->file_count, &arena, err);
	for (size_t i = 0; !rc && i < base->file_count; i++) {
		const struct snapshot_file *file = &base->files[i];
		const char *path = file_path(base, i);
		size_t other;

		if (!path)
			continue;
		other = path_slots_find(&now, path);
		if (other != SIZE_MAX &&
		    covers_deletes(file, &head->files[other]) &&
		    covers_deletes(&head->files[other], file))
			continue;
		if (is_changed_by_us(check->changes, &file->entry->file))
			note(&out->ours, &out->example[0], path);
		else
			note(&out->others, &out->example[1], path);
	}
	for (size_t i = 0; !rc && i < head->file_count; i++) {
		const char *path = file_path(head, i);

		if (path && path_slots_find(&old, path) == SIZE_MAX)
			note(&out->added, &out->example[2], path);
	}
	arena_release(&arena);
	return rc;
}

/* Were all versions between made by blind inserts of ours? */
static int winners_are_blind(const struct conflict_check *check, bool *out,
			     struct error *err)
{
	int64_t first = check->base->version + 1;
	int64_t last = check->head->version, found = 0;
	struct commit_record *records;
	struct arena arena;
	size_t count;
	int rc;

	arena_init(&arena, 0);
	rc = commit_log_read(check->head, &arena, &records, &count, err);
	for (size_t i = 0; !rc && i < count; i++)
		found += records[i].version >= first &&
			 records[i].version <= last && records[i].is_blind;
	*out = !rc && found == last - first + 1;
	arena_release(&arena);
	return rc;
}

static int may_ignore_added(const struct conflict_check *check, bool *out,
			    struct error *err)
{
	const char *isolation = metadata_property(check->head->metadata,
						  "rowmerge.isolation");
	const char *operation = check->options->operation;

	*out = false;
	if (isolation && !strcmp(isolation, "serializable"))
		return 0;
	if (strcmp(operation, "update") && strcmp(operation, "delete") &&
	    strcmp(operation, "insert"))
		return 0;
	return winners_are_blind(check, out, err);
}

static int report(const struct conflict_check *check, enum error_code code,
		  const char *what, const struct difference *difference,
		  const char *example, struct error *err)
{
	int rc = refuse(check, code, what, err);

	error_prefix(err, "%s (%zu files that we change, %zu others changed, "
		     "%zu added; '%s')", error_exception(code)
		     ? error_exception(code) : error_name(code),
		     difference->ours, difference->others, difference->added,
		     path_basename(example));
	return rc;
}

int conflict_check_files(const struct conflict_check *check,
			 struct error *err)
{
	struct difference difference;
	bool ignore = false;
	int rc = compare_files(check, &difference, err);

	if (rc)
		return rc;
	if (difference.ours)
		return report(check, ERROR_CONCURRENT_DELETE_DELETE,
			      "rows that this statement changes were changed "
			      "meanwhile", &difference, difference.example[0],
			      err);
	if (check->options->is_blind)
		return 0;
	if (difference.others)
		return report(check, ERROR_CONCURRENT_DELETE_READ, "rows that "
			      "this statement read were changed meanwhile",
			      &difference, difference.example[1], err);
	if (!difference.added)
		return 0;
	rc = may_ignore_added(check, &ignore, err);
	if (rc || ignore)
		return rc;
	return report(check, ERROR_CONCURRENT_APPEND, "rows were added "
		      "meanwhile that this statement did not see",
		      &difference, difference.example[2], err);
}
