/*
 * change_set.c - what a statement changes, from its fragments
 *
 * How:    removed files are found by path, deletion vectors by path and
 *         offset, through a hash table.
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
		const struct data_file *file = &set->removed[i].file;
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
		const struct data_file *removed = &set->removed[i].file;

		if (removed->content_offset == offset &&
		    (removed->content == CONTENT_DATA) ==
			    (file->content == CONTENT_DATA) &&
		    !strcmp(removed->path, file->path))
			return i;
	}
	return SIZE_MAX;
}

static int add_change(struct change_set *set, const char *json,
		      struct arena *arena, struct error *err)
{
	struct fragment fragment;
	int rc = fragment_parse(json, arena, &fragment, err);

	if (rc)
		return rc;
	switch (fragment.kind) {
	case FRAGMENT_ADD_DATA:
		set->added[set->added_count++] = fragment.file;
		break;
	case FRAGMENT_ADD_DELETES:
		set->added_deletes[set->added_deletes_count++] =
			fragment.file;
		break;
	case FRAGMENT_REMOVE_DATA:
		set->removed_data_count++;
		set->removed[set->removed_count++] = fragment;
		break;
	case FRAGMENT_REMOVE_DELETES:
		set->removed[set->removed_count++] = fragment;
		break;
	}
	return 0;
}

int change_set_read(struct change_set *out, const struct fragments *fragments,
		    const struct fragments *optional, struct arena *arena,
		    struct error *err)
{
	size_t more = optional ? optional->count : 0;
	size_t count = fragments->count + more;
	int rc = 0;

	memset(out, 0, sizeof(*out));
	out->added = arena_zalloc_array(arena, count + 1,
					sizeof(*out->added));
	out->added_deletes = arena_zalloc_array(arena, count + 1,
						sizeof(*out->added_deletes));
	out->removed = arena_zalloc_array(arena, count + 1,
					  sizeof(*out->removed));
	if (!out->added || !out->added_deletes || !out->removed)
		return no_memory(err);
	for (size_t i = 0; !rc && i < more; i++)
		rc = add_change(out, optional->items[i], arena, err);
	for (size_t i = 0; !rc && i < fragments->count; i++)
		rc = add_change(out, fragments->items[i], arena, err);
	return rc ? rc : index_removed(out, arena, err);
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
