/*
 * file_changes.c - what is to become of the rows of a file
 *
 * Why:    a file is written anew from start to end when all changes are
 *         known; until then they are kept by row number.
 * Cost:   8 bytes a deleted row, 24 a changed one and its new values.
 */
#include "filetarget/file_changes.h"
#include <stdlib.h>

static void page_free(struct update_page *page)
{
	if (!page)
		return;
	for (size_t i = 0; page->columns && i < page->column_count; i++)
		vector_release(&page->columns[i]);
	mem_free(page->columns);
	arena_release(&page->heap);
	mem_free(page);
}

void file_changes_release(struct file_changes *changes)
{
	for (size_t i = 0; i < changes->page_count; i++)
		page_free(changes->pages[i]);
	for (size_t i = 0; i < changes->text_count; i++) {
		text_release(changes->texts[i]);
		mem_free(changes->texts[i]);
	}
	for (size_t i = 0; i < changes->group_count; i++)
		encoded_row_group_free(changes->groups[i]);
	parquet_encoder_free(changes->encoder);
	mem_free(changes->deleted);
	mem_free(changes->updates);
	mem_free(changes->pages);
	mem_free(changes->texts);
	mem_free(changes->added);
	mem_free(changes->groups);
	memset(changes, 0, sizeof(*changes));
}

bool file_changes_are_none(const struct file_changes *changes)
{
	return !changes->deleted_count && !changes->update_count &&
	       !changes->added_count && !changes->group_count;
}

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "changes of a file");
}

int file_changes_add_deletes(struct file_changes *changes,
			     const struct change_page *page,
			     struct error *err)
{
	for (size_t i = 0; i < page->row_count; i++) {
		if (page->operation[i] != OPERATION_DELETE)
			continue;
		if (!mem_grow((void **)&changes->deleted,
			      &changes->deleted_capacity,
			      changes->deleted_count, sizeof(uint64_t)))
			return no_memory(err);
		changes->deleted[changes->deleted_count++] = page->row_id[i];
		changes->byte_count += sizeof(uint64_t);
	}
	return 0;
}

int file_changes_add_update(struct file_changes *changes,
			    const struct row_update *update,
			    struct error *err)
{
	if (!mem_grow((void **)&changes->updates, &changes->update_capacity,
		      changes->update_count, sizeof(*changes->updates)))
		return no_memory(err);
	changes->updates[changes->update_count++] = *update;
	changes->byte_count += sizeof(*update);
	return 0;
}

/* Room for more items at the end of an array. */
static bool reserve(void **array, size_t *capacity, size_t used, size_t more,
		    size_t item_bytes)
{
	void *grown;

	if (used + more <= *capacity)
		return true;
	grown = mem_realloc_array(*array, used + more, item_bytes);
	if (!grown)
		return false;
	*array = grown;
	*capacity = used + more;
	return true;
}

#define RESERVE(into, from, array, count, capacity) \
	reserve((void **)&(into)->array, &(into)->capacity, (into)->count, \
		(from)->count, sizeof(*(into)->array))

int file_changes_move(struct file_changes *into, struct file_changes *from,
		      struct error *err)
{
	uint32_t pages = (uint32_t)into->page_count;
	uint32_t texts = (uint32_t)into->text_count;

	if (!RESERVE(into, from, deleted, deleted_count, deleted_capacity) ||
	    !RESERVE(into, from, updates, update_count, update_capacity) ||
	    !RESERVE(into, from, pages, page_count, page_capacity) ||
	    !RESERVE(into, from, texts, text_count, text_capacity) ||
	    !RESERVE(into, from, added, added_count, added_capacity) ||
	    !RESERVE(into, from, groups, group_count, group_capacity))
		return no_memory(err);
	for (size_t i = 0; i < from->deleted_count; i++)
		into->deleted[into->deleted_count++] = from->deleted[i];
	for (size_t i = 0; i < from->update_count; i++) {
		struct row_update *to = &into->updates[into->update_count++];

		*to = from->updates[i];
		to->page += pages;
		to->text += texts;
	}
	for (size_t i = 0; i < from->added_count; i++) {
		into->added[into->added_count] = from->added[i];
		into->added[into->added_count++].text += texts;
	}
	for (size_t i = 0; i < from->page_count; i++)
		into->pages[into->page_count++] = from->pages[i];
	for (size_t i = 0; i < from->text_count; i++)
		into->texts[into->text_count++] = from->texts[i];
	for (size_t i = 0; i < from->group_count; i++)
		into->groups[into->group_count++] = from->groups[i];
	from->page_count = from->text_count = from->group_count = 0;
	into->byte_count += from->byte_count;
	file_changes_release(from);
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int by_row(const void *a, const void *b)
{
	const struct row_update *x = a, *y = b;

	return (x->row > y->row) - (x->row < y->row);
}

static int by_unit(const void *a, const void *b)
{
	const struct added_text *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit > y->unit ? 1 : -1;
	if (x->text != y->text)
		return x->text > y->text ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

static int changed_twice(uint64_t row, struct error *err)
{
	error_set(err, ERROR_DUPLICATE_MATCH, "row %llu of the file is changed "
		  "twice", (unsigned long long)row);
	return error_hint(err, "a file takes one change a row: "
			  "--duplicate-match=row");
}

int file_changes_sort(struct file_changes *changes, struct error *err)
{
	size_t d = 0;

	if (changes->deleted_count)
		qsort(changes->deleted, changes->deleted_count,
		      sizeof(uint64_t), by_number);
	if (changes->update_count)
		qsort(changes->updates, changes->update_count,
		      sizeof(*changes->updates), by_row);
	if (changes->added_count)
		qsort(changes->added, changes->added_count,
		      sizeof(*changes->added), by_unit);
	for (size_t i = 1; i < changes->deleted_count; i++)
		if (changes->deleted[i] == changes->deleted[i - 1])
			return changed_twice(changes->deleted[i], err);
	for (size_t i = 0; i < changes->update_count; i++) {
		uint64_t row = changes->updates[i].row;

		if (i && changes->updates[i - 1].row == row)
			return changed_twice(row, err);
		while (d < changes->deleted_count && changes->deleted[d] < row)
			d++;
		if (d < changes->deleted_count && changes->deleted[d] == row)
			return changed_twice(row, err);
	}
	return 0;
}
