/*
 * change_set.c - what a statement changes, from its fragments
 *
 * Why:    a statement may add a file to each of a hundred thousand partitions.
 * How:    of what is added only partition and place are kept, about a hundred
 *         bytes; the fragment is read again for its manifest. Removed files
 *         are found by path, deletion vectors by path and offset, through a
 *         hash table.
 */
#include "table/commit/commit_state.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "commit");
}

static uint64_t key_hash(const char *path, int64_t offset)
{
	return hash_combine(hash_fast(path, strlen(path)), (uint64_t)offset);
}

/* Puffin files hold many vectors; other files are one thing. */
static int64_t key_offset(const struct data_file *file)
{
	return file->format == FORMAT_PUFFIN ? file->content_offset : -1;
}

static int index_removed(struct change_set *set, struct arena *arena,
			 struct error *err)
{
	size_t size = 8;

	while (size < set->removed_count * 2)
		size *= 2;
	set->slots = arena_zalloc_array(arena, size, sizeof(*set->slots));
	if (!set->slots)
		return no_memory(err);
	set->slot_mask = size - 1;
	for (size_t i = 0; i < set->removed_count; i++) {
		const struct removed_file *file = &set->removed[i];
		size_t slot = (size_t)key_hash(file->path,
					       file->content_offset);

		while (set->slots[slot & set->slot_mask])
			slot++;
		set->slots[slot & set->slot_mask] = (uint32_t)(i + 1);
	}
	return 0;
}

size_t change_set_find(const struct change_set *set,
		       const struct data_file *file)
{
	int64_t offset = key_offset(file);
	size_t slot;

	if (!set->removed_count)
		return SIZE_MAX;
	for (slot = (size_t)key_hash(file->path, offset);
	     set->slots[slot & set->slot_mask]; slot++) {
		size_t i = set->slots[slot & set->slot_mask] - 1;
		const struct removed_file *removed = &set->removed[i];

		if (removed->content_offset == offset &&
		    removed->is_deletes == (file->content != CONTENT_DATA) &&
		    !strcmp(removed->path, file->path))
			return i;
	}
	return SIZE_MAX;
}

static int copy_partition(struct added_file *out, const struct data_file *file,
			  struct arena *arena, struct error *err)
{
	int rc = 0;

	out->partition_count = file->partition_count;
	if (!file->partition_count)
		return 0;
	out->partition = arena_zalloc_array(arena, file->partition_count,
					    sizeof(*out->partition));
	if (!out->partition)
		return no_memory(err);
	for (size_t i = 0; !rc && i < file->partition_count; i++)
		rc = literal_copy(&out->partition[i], &file->partition[i],
				  arena, err);
	return rc;
}

static int put_added(struct change_set *set, const char *json,
		     const struct data_file *file, struct arena *arena,
		     struct error *err)
{
	struct added_file *added;

	if (!mem_grow((void **)&set->added, &set->added_capacity,
		      set->added_count, sizeof(*set->added)))
		return no_memory(err);
	added = &set->added[set->added_count++];
	memset(added, 0, sizeof(*added));
	added->fragment = json;
	added->is_deletes = file->content != CONTENT_DATA;
	added->spec_id = file->spec_id;
	set->added_deletes_count += added->is_deletes;
	if (file->referenced_data_file) {
		added->about = arena_strdup(arena, file->referenced_data_file);
		if (!added->about)
			return no_memory(err);
	}
	return copy_partition(added, file, arena, err);
}

static int put_removed(struct change_set *set, const struct data_file *file,
		       struct arena *arena, struct error *err)
{
	struct removed_file *removed;

	if (!mem_grow((void **)&set->removed, &set->removed_capacity,
		      set->removed_count, sizeof(*set->removed)))
		return no_memory(err);
	removed = &set->removed[set->removed_count++];
	removed->is_deletes = file->content != CONTENT_DATA;
	removed->content_offset = file->content_offset;
	removed->path = arena_strdup(arena, file->path);
	set->removed_data_count += !removed->is_deletes;
	return removed->path ? 0 : no_memory(err);
}

/* The fragment is read into memory that the next one is read into. */
static int add_change(struct change_set *set, const char *json,
		      struct arena *arena, struct arena *scratch,
		      struct error *err)
{
	struct fragment fragment;
	int rc;

	arena_reset(scratch);
	rc = fragment_parse(json, scratch, &fragment, err);
	if (rc)
		return rc;
	if (fragment.kind == FRAGMENT_ADD_DATA ||
	    fragment.kind == FRAGMENT_ADD_DELETES)
		return put_added(set, json, &fragment.file, arena, err);
	return put_removed(set, &fragment.file, arena, err);
}

int change_set_read(struct change_set *out, const struct fragments *fragments,
		    const struct fragments *optional, struct arena *arena,
		    struct error *err)
{
	size_t more = optional ? optional->count : 0;
	struct arena scratch;
	int rc = 0;

	change_set_release(out);
	arena_init(&scratch, 0);
	for (size_t i = 0; !rc && i < more; i++)
		rc = add_change(out, optional->items[i], arena, &scratch,
				err);
	for (size_t i = 0; !rc && i < fragments->count; i++)
		rc = add_change(out, fragments->items[i], arena, &scratch,
				err);
	arena_release(&scratch);
	return rc ? rc : index_removed(out, arena, err);
}

void change_set_release(struct change_set *set)
{
	mem_free(set->added);
	mem_free(set->removed);
	memset(set, 0, sizeof(*set));
}

static void add_to(int64_t *sum, int64_t count)
{
	if (count > 0)	/* -1: not known */
		*sum = count_add(*sum, count);
}

void file_totals_add(struct file_totals *totals, const struct data_file *file)
{
	bool is_vector = file->format == FORMAT_PUFFIN;

	add_to(&totals->bytes, is_vector ? file->content_size
					 : file->file_size);
	switch (file->content) {
	case CONTENT_DATA:
		totals->data_files++;
		add_to(&totals->records, file->record_count);
		break;
	case CONTENT_POSITION_DELETES:
		totals->delete_files++;
		totals->vectors += is_vector;
		totals->position_delete_files += !is_vector;
		add_to(&totals->position_deletes, file->record_count);
		break;
	case CONTENT_EQUALITY_DELETES:
		totals->delete_files++;
		totals->equality_delete_files++;
		add_to(&totals->equality_deletes, file->record_count);
		break;
	}
}
