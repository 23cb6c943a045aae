/*
 * delete_map.c - which rows of which files a statement removes
 *
 * Why:    rows come in any order and from any thread; files want them by data
 *         file and ascending.
 * How:    per writer and file a list that is emptied into a bitmap when it is
 *         long; writers' maps are united at the end.
 * Cost:   8 bytes a row at first, about 2 and less in bitmaps.
 */
#include "table/write/write_state.h"

#define LIST_LIMIT 65536

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "deleted rows");
}

static void list_free(struct delete_list *list)
{
	if (!list)
		return;
	roaring64_free(list->set);
	mem_free(list->positions);
	mem_free(list);
}

void delete_map_release(struct delete_map *map)
{
	for (size_t i = 0; map->lists && i < map->file_count; i++)
		list_free(map->lists[i]);
	mem_free(map->lists);
	memset(map, 0, sizeof(*map));
}

void delete_map_drop(struct delete_map *map, size_t file)
{
	if (!map->lists)
		return;
	list_free(map->lists[file]);
	map->lists[file] = NULL;
}

int delete_map_reserve(struct delete_map *map, size_t file_count,
		       struct error *err)
{
	if (map->lists)
		return 0;
	map->lists = mem_zalloc_array(file_count + 1, sizeof(*map->lists));
	if (!map->lists)
		return no_memory(err);
	map->file_count = file_count;
	return 0;
}

/* Empty the list into its set. */
static int list_pack(struct delete_list *list, struct error *err)
{
	int rc = 0;

	if (!list->set)
		rc = roaring64_new(&list->set, err);
	if (!rc)
		rc = roaring64_add_many(list->set, list->positions,
					list->count, err);
	if (!rc)
		list->count = 0;
	return rc;
}

static int list_add(struct delete_list *list, uint64_t position,
		    struct error *err)
{
	if (list->count >= LIST_LIMIT) {
		int rc = list_pack(list, err);

		if (rc)
			return rc;
	}
	if (!mem_grow((void **)&list->positions, &list->capacity,
		      list->count, sizeof(*list->positions)))
		return no_memory(err);
	list->positions[list->count++] = position;
	return 0;
}

/* The list of a file, new if need be. */
static int map_list(struct delete_map *map, const struct snapshot_files *files,
		    size_t file, struct delete_list **out, struct error *err)
{
	int rc = delete_map_reserve(map, files->file_count, err);

	*out = NULL;
	if (rc)
		return rc;
	if (!map->lists[file])
		map->lists[file] = mem_zalloc(sizeof(**out));
	*out = map->lists[file];
	return *out ? 0 : no_memory(err);
}

int delete_map_ensure(struct delete_map *map,
		      const struct snapshot_files *files, size_t file,
		      struct error *err)
{
	struct delete_list *list;

	return map_list(map, files, file, &list, err);
}

int delete_map_add(struct delete_map *map,
		   const struct snapshot_files *files,
		   const struct change_page *page, bool with_updates,
		   struct error *err)
{
	const struct snapshot_file *file = NULL;
	struct delete_list *list = NULL;
	uint64_t first = 1, end = 0;	/* rows of the file, none yet */
	int rc = 0;

	for (size_t i = 0; !rc && i < page->row_count; i++) {
		uint64_t row = page->row_id[i];

		if ((page->operation[i] != OPERATION_DELETE &&
		     !(page->operation[i] == OPERATION_UPDATE &&
		       with_updates)) || row == ROW_ID_NONE)
			continue;
		if (row < first || row >= end) {
			file = files ? snapshot_files_find(files, row) : NULL;
			if (!file)
				return error_set(err, ERROR_INTERNAL,
						 "a change of no row");
			rc = map_list(map, files,
				      (size_t)(file - files->files), &list,
				      err);
			if (rc)
				return rc;
			first = file->first_row;
			end = first +
			      (uint64_t)file->entry->file.record_count;
		}
		rc = list_add(list, row - first, err);
	}
	return rc;
}

static int list_merge(struct delete_list *list, struct delete_list *from,
		      struct error *err)
{
	int rc = list_pack(list, err);

	if (!rc && from->set)
		rc = roaring64_union(list->set, from->set, err);
	if (!rc && from->count)
		rc = roaring64_add_many(list->set, from->positions,
					from->count, err);
	return rc;
}

int delete_map_merge(struct delete_map *map, struct delete_map *from,
		     struct error *err)
{
	int rc = 0;

	if (!from->lists)
		return 0;
	if (!map->lists) {
		*map = *from;
		memset(from, 0, sizeof(*from));
		return 0;
	}
	for (size_t i = 0; !rc && i < from->file_count; i++) {
		if (!from->lists[i])
			continue;
		if (map->lists[i]) {
			rc = list_merge(map->lists[i], from->lists[i], err);
		} else {
			map->lists[i] = from->lists[i];
			from->lists[i] = NULL;
		}
	}
	delete_map_release(from);
	return rc;
}

int delete_map_set(struct delete_map *map, size_t file,
		   struct roaring64 **out, struct error *err)
{
	int rc;

	*out = NULL;
	if (!map->lists || !map->lists[file])
		return 0;
	rc = list_pack(map->lists[file], err);
	if (!rc)
		*out = map->lists[file]->set;
	return rc;
}
