/*
 * path_index.c - live data files by their path
 *
 * Why:    deletes name the data file they are about by its path, and other
 *         writers spell one path in several ways; a delete that is not found
 *         would bring rows back without a word.
 * How:    a hash table over the paths, where the scheme file: and the number
 *         of slashes behind it do not count.
 */
#include "table/scan/snapshot_state.h"

struct byte_view path_core(const char *path, size_t length)
{
	static const char scheme[] = "file:";
	static const char host[] = "//localhost/";
	size_t skip = 0;

	if (length > sizeof(scheme) - 1 &&
	    !memcmp(path, scheme, sizeof(scheme) - 1)) {
		skip = sizeof(scheme) - 1;
		if (length - skip > sizeof(host) - 1 &&
		    !memcmp(path + skip, host, sizeof(host) - 1))
			skip += sizeof(host) - 2;
		while (skip + 1 < length && path[skip] == '/' &&
		       path[skip + 1] == '/')
			skip++;
	}
	return byte_view(path + skip, length - skip);
}

bool path_is_same(const char *a, size_t a_length, const char *b,
		  size_t b_length)
{
	if (a_length == b_length && !memcmp(a, b, a_length))
		return true;
	return byte_view_equal(path_core(a, a_length),
			       path_core(b, b_length));
}

size_t path_index_find(const struct snapshot_files *files, const char *path,
		       size_t length)
{
	const struct path_index *index = &files->state->paths;
	struct byte_view core = path_core(path, length);
	size_t slot;

	if (!index->slots)
		return PATH_NOT_FOUND;
	slot = hash_fast(core.data, core.length) & index->mask;
	for (; index->slots[slot]; slot = (slot + 1) & index->mask) {
		size_t i = index->slots[slot] - 1;
		const char *other = files->files[i].entry->file.path;

		if (path_is_same(path, length, other, strlen(other)))
			return i;
	}
	return PATH_NOT_FOUND;
}

int path_index_init(struct snapshot_files *files, struct error *err)
{
	struct path_index *index = &files->state->paths;
	size_t slots = 8;

	while (slots < files->file_count * 2)
		slots *= 2;
	index->slots = arena_zalloc_array(&files->arena, slots,
					  sizeof(*index->slots));
	if (!index->slots || files->file_count >= UINT32_MAX)
		return error_set(err, ERROR_NO_MEMORY,
				 "files of a snapshot");
	index->mask = slots - 1;
	return 0;
}

int path_index_add(struct snapshot_files *files, size_t first, size_t limit,
		   struct error *err)
{
	struct path_index *index = &files->state->paths;

	for (size_t i = first; i < limit; i++) {
		const char *path = files->files[i].entry->file.path;
		size_t length = strlen(path), slot;
		struct byte_view core = path_core(path, length);

		if (path_index_find(files, path, length) != PATH_NOT_FOUND)
			return error_set(err, ERROR_CORRUPT, "data file '%s' "
					 "is live twice in one snapshot",
					 path);
		slot = hash_fast(core.data, core.length) & index->mask;
		while (index->slots[slot])
			slot = (slot + 1) & index->mask;
		index->slots[slot] = (uint32_t)(i + 1);
	}
	return 0;
}
