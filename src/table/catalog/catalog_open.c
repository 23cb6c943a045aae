/*
 * catalog_open.c - a table directory at one version
 *
 * Why:    all that follows needs the metadata and to know where its paths lie
 *         on this machine.
 * How:    the file that catalog_version.c finds is read whole and parsed. The
 *         recorded location is compared with the opened directory; where they
 *         differ, recorded paths under the location are read here.
 * Cost:   one read and one parse of the document.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "table/catalog/catalog_file.h"

void file_identify(const char *path, struct file_identity *out)
{
	struct stat info;

	memset(out, 0, sizeof(*out));
	if (stat(path, &info) != 0)
		return;
	out->device = info.st_dev;
	out->inode = info.st_ino;
	out->size = info.st_size;
	out->modified_ns = (int64_t)info.st_mtim.tv_sec * 1000000000 +
			   info.st_mtim.tv_nsec;
}

bool file_identity_equal(const struct file_identity *a,
			 const struct file_identity *b)
{
	return a->device == b->device && a->inode == b->inode &&
	       a->size == b->size && a->modified_ns == b->modified_ns;
}

/* The first bytes of a gzip member. */
static bool is_gzip(const struct text *bytes)
{
	return bytes->length >= 2 && (uint8_t)bytes->data[0] == 0x1f &&
	       (uint8_t)bytes->data[1] == 0x8b;
}

static int unzip(struct text *bytes, const char *path, struct error *err)
{
	struct text plain = TEXT_INIT;
	struct codec_context *context;
	int rc;

	rc = codec_context_new(&context, err);
	if (rc)
		return rc;
	rc = codec_decompress_text(context, CODEC_GZIP, bytes->data,
				   bytes->length, METADATA_BYTES_LIMIT,
				   &plain, err);
	codec_context_free(context);
	if (rc) {
		text_release(&plain);
		return error_prefix(err, "%s", path);
	}
	text_release(bytes);
	*bytes = plain;
	return 0;
}

int metadata_file_load(const char *path, struct table_metadata **out,
		       struct error *err)
{
	struct text bytes = TEXT_INIT;
	int rc;

	*out = NULL;
	rc = input_file_read_all(path, METADATA_BYTES_LIMIT, &bytes, err);
	if (!rc && is_gzip(&bytes))
		rc = unzip(&bytes, path, err);
	if (!rc)
		rc = table_metadata_parse_text(out, &bytes, path, err);
	text_release(&bytes);
	return rc;
}

/* Is the recorded location another place than the opened directory? */
static int find_moved(struct catalog_table *table, struct arena *arena,
		      struct error *err)
{
	const char *location = table->metadata->location;
	char *path, *real;
	size_t length;
	int rc;

	table->is_moved = true;
	if (!location)
		return 0;
	rc = path_from_uri(arena, location, &path, err);
	if (rc)
		return rc == ERROR_NO_MEMORY ? rc : 0;
	length = strlen(path);
	while (length > 1 && path[length - 1] == '/')
		path[--length] = '\0';
	table->is_moved = strcmp(path, table->directory) != 0;
	if (!table->is_moved || path[0] != '/')
		return 0;
	rc = path_real(arena, path, &real, err);
	if (!rc)
		table->is_moved = strcmp(real, table->directory) != 0;
	return rc == ERROR_NO_MEMORY ? rc : 0;
}

static int find_version(const char *directory, int64_t version,
			struct arena *arena, struct version_found *found,
			struct error *err)
{
	int rc;

	memset(found, 0, sizeof(*found));
	if (version > 0) {
		found->version = version;
		rc = version_find(directory, version, arena, &found->path,
				  err);
		if (rc || found->path)
			return rc;
	}
	rc = version_newest(directory, arena, found, err);
	if (rc)
		return rc;
	if (!found->path)
		return error_set(err, ERROR_UNKNOWN_TABLE,
				 "no table in '%s'", directory);
	if (version && !(found->is_foreign && found->version == version))
		return error_set(err, ERROR_UNKNOWN_VERSION,
				 "no version %" PRId64 " of the table in '%s',"
				 " whose newest is %" PRId64, version,
				 directory, found->version);
	return 0;
}

static int open_found(struct catalog_table *table,
		      const struct version_found *found, struct arena *arena,
		      struct error *err)
{
	int rc;

	table->version = found->version;
	table->is_foreign = found->is_foreign;
	table->metadata_path = mem_strdup(found->path);
	if (!table->metadata_path)
		return error_set(err, ERROR_NO_MEMORY, "open table");
	/* first: what is put there meanwhile is not what was read */
	file_identify(found->path, &table->identity);
	rc = metadata_file_load(found->path, &table->metadata, err);
	if (rc == ERROR_IO && !path_exists(found->path))
		return error_set(err, ERROR_CORRUPT, "'%s' vanished while "
				 "the table was being opened", found->path);
	return rc ? rc : find_moved(table, arena, err);
}

int catalog_open(struct catalog_table **out, const char *directory,
		 int64_t version, struct error *err)
{
	struct version_found found;
	struct catalog_table *table;
	struct arena arena;
	char *real;
	int rc;

	*out = NULL;
	if (!path_is_directory(directory))
		return error_set(err, ERROR_UNKNOWN_TABLE,
				 "no table in '%s'", directory);
	table = mem_zalloc(sizeof(*table));
	if (!table)
		return error_set(err, ERROR_NO_MEMORY, "open table");
	arena_init(&arena, 0);
	rc = path_real(&arena, directory, &real, err);
	if (!rc) {
		table->directory = mem_strdup(real);
		if (!table->directory)
			rc = error_set(err, ERROR_NO_MEMORY, "open table");
	}
	if (!rc)
		rc = find_version(real, version, &arena, &found, err);
	if (!rc)
		rc = open_found(table, &found, &arena, err);
	arena_release(&arena);
	if (rc) {
		catalog_table_free(table);
		return rc;
	}
	*out = table;
	return 0;
}

void catalog_table_free(struct catalog_table *table)
{
	if (!table)
		return;
	table_metadata_free(table->metadata);
	mem_free(table->directory);
	mem_free(table->metadata_path);
	mem_free(table);
}

bool catalog_is_table(const char *directory)
{
	struct version_found found;
	struct arena arena;
	bool is_table;

	arena_init(&arena, 0);
	is_table = version_newest(directory, &arena, &found, NULL) == 0 &&
		   found.path;
	arena_release(&arena);
	return is_table;
}

/*
 * Take a folder of the table out of the way by a new name, and say in *out
 * what is to be removed. Whoever creates a table here from then on has a
 * folder of his own.
 */
static int set_aside(const char *directory, const char *name,
		     struct arena *arena, char **out, struct error *err)
{
	char text[UUID_TEXT_BYTES];
	struct uuid uuid;
	char *from, *to;
	int rc = uuid_random(&uuid, err);

	if (rc)
		return rc;
	uuid_format(&uuid, text);
	from = path_join(arena, directory, name);
	to = arena_printf(arena, "%s/.dropped-%s", directory, text);
	if (!from || !to)
		return error_set(err, ERROR_NO_MEMORY, "drop table");
	/* a mount point stays where it is */
	*out = rename(from, to) == 0 ? to : from;
	return 0;
}

/* Remove the table; the directory, too, unless something else is in it. A
 * link to it that leads nowhere then goes, too. */
static int drop_locked(const char *directory, const char *real,
		       struct arena *arena, struct error *err)
{
	char *data, *metadata;
	int rc = set_aside(real, "data", arena, &data, err);

	/* without metadata there is no table; the rest is only bytes */
	if (!rc)
		rc = set_aside(real, METADATA_DIRECTORY, arena, &metadata,
			       err);
	if (!rc)
		rc = directory_remove_tree(metadata, err);
	if (!rc)
		rc = directory_remove_tree(data, err);
	if (!rc)
		rc = directory_remove_empty(real, err);
	if (!rc && path_exists(directory) && !path_is_directory(directory))
		rc = path_remove(directory, err);
	return rc;
}

int catalog_drop(const char *directory, struct error *err)
{
	struct file_lock *lock = NULL;
	struct arena arena;
	char *real, *path = NULL;
	int rc;

	if (!catalog_is_table(directory))
		return error_set(err, ERROR_UNKNOWN_TABLE,
				 "no table in '%s'", directory);
	arena_init(&arena, 0);
	rc = path_real(&arena, directory, &real, err);
	if (!rc) {
		path = path_join(&arena, real, LOCK_NAME);
		if (!path)
			rc = error_set(err, ERROR_NO_MEMORY, "drop table");
	}
	/* a commit in flight ends before; the next one finds no table */
	if (!rc && path_exists(path))
		rc = file_lock_take(&lock, path, true, -1, err);
	if (!rc)
		rc = drop_locked(directory, real, &arena, err);
	file_lock_free(lock);
	arena_release(&arena);
	return rc;
}
