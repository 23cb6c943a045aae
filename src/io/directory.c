/*
 * directory.c - names in directories
 *
 * Why:    a table is a directory; making, listing, removing and syncing it
 *         is all that a commit and its clean-up need.
 * How:    plain system calls; trees are removed by descriptors that never
 *         follow a symbolic link.
 * Cost:   a listing holds all names at once.
 * Limits: TREE_DEPTH levels below the root of a removed tree.
 */
#include "io/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "io/file_fault.h"

#define TREE_DEPTH 32
/*
 * Threads that sync: they wait and do not compute, so more than there are
 * processors; but starting one costs about as much as it saves for one path.
 */
#define PATHS_PER_THREAD 2
#define SYNC_THREADS 16
/* So many paths, on not so many file systems, are synced by a call for each
 * of these. */
#define MANY_PATHS 4096
#define DEVICE_LIMIT 8

/* mkdir() that is happy with a directory that exists. Returns an errno. */
static int make_one(const char *path)
{
	int errnum = file_fault_check();

	if (errnum || mkdir(path, 0777) == 0)
		return errnum;
	errnum = errno;
	return path_is_directory(path) ? 0 : errnum;
}

int directory_make(const char *path, struct error *err)
{
	char *copy;
	int errnum = 0;

	if (path_is_directory(path))
		return 0;
	copy = mem_strdup(path);
	if (!copy)
		return error_set(err, ERROR_NO_MEMORY, "make '%s'", path);
	for (char *p = copy + 1; *copy && *p && !errnum; p++) {
		if (*p != '/' || p[-1] == '/')
			continue;
		*p = '\0';
		if (!path_is_directory(copy))
			errnum = make_one(copy);
		*p = '/';
	}
	if (!errnum)
		errnum = make_one(path);
	mem_free(copy);
	if (errnum)
		return error_set_errno(err, errnum,
				       "cannot make directory '%s'", path);
	return 0;
}

/* Returns an errno. */
static int sync_open_directory(int descriptor)
{
	if (fsync(descriptor) == 0)
		return 0;
	/* some network file systems cannot sync a directory */
	return errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

int directory_sync(const char *path, struct error *err)
{
	int errnum = file_fault_check();
	int descriptor;

	if (errnum)
		return error_set_errno(err, errnum,
				       "cannot sync directory '%s'", path);
	descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (descriptor < 0)
		return error_set_errno(err, errno,
				       "cannot open directory '%s'", path);
	errnum = sync_open_directory(descriptor);
	close(descriptor);
	if (errnum)
		return error_set_errno(err, errnum,
				       "cannot sync directory '%s'", path);
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_dot_name(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* What directory_list() collects before the count is known. */
struct name_list {
	char **names;
	size_t count;
	size_t capacity;
};

/* All names of an open directory into list; returns an errno. */
static int read_names(DIR *handle, struct arena *arena,
		      struct name_list *list)
{
	struct dirent *entry;

	for (;;) {
		errno = 0;
		entry = readdir(handle);
		if (!entry)
			return errno;
		if (is_dot_name(entry->d_name))
			continue;
		if (!mem_grow((void **)&list->names, &list->capacity,
			      list->count, sizeof(*list->names)))
			return ENOMEM;
		list->names[list->count] = arena_strdup(arena, entry->d_name);
		if (!list->names[list->count])
			return ENOMEM;
		list->count++;
	}
}

int directory_list(const char *path, struct arena *arena, char ***names_out,
		   size_t *count_out, struct error *err)
{
	struct name_list list = { NULL, 0, 0 };
	DIR *handle = opendir(path);
	int errnum;

	*names_out = NULL;
	*count_out = 0;
	if (!handle)
		return error_set_errno(err, errno,
				       "cannot list directory '%s'", path);
	errnum = read_names(handle, arena, &list);
	closedir(handle);
	if (!errnum) {
		if (list.count)
			qsort(list.names, list.count, sizeof(*list.names),
			      compare_names);
		*names_out = arena_copy(arena, list.names,
					list.count * sizeof(*list.names));
		if (!*names_out)
			errnum = ENOMEM;
	}
	mem_free(list.names);
	if (errnum)
		return error_set_errno(err, errnum,
				       "cannot list directory '%s'", path);
	*count_out = list.count;
	return 0;
}

static int remove_entries(int parent, const char *name, unsigned depth);

/* Remove one name of an open directory. Returns an errno. */
static int remove_entry(int parent, const char *name, unsigned depth)
{
	int errnum;

	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return errno;
	errnum = remove_entries(parent, name, depth);
	if (errnum)
		return errnum;
	if (unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 0;
	return errno;
}

/* Empty the directory name of parent, depth levels below the root. */
static int remove_entries(int parent, const char *name, unsigned depth)
{
	struct dirent *entry;
	int descriptor, errnum = 0;
	DIR *handle;

	if (depth > TREE_DEPTH)
		return ELOOP;
	descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY |
			    O_NOFOLLOW | O_CLOEXEC);
	if (descriptor < 0)
		return errno == ENOENT ? 0 : errno;
	handle = fdopendir(descriptor);
	if (!handle) {
		errnum = errno;
		close(descriptor);
		return errnum;
	}
	while (!errnum) {
		errno = 0;
		entry = readdir(handle);
		if (!entry) {
			errnum = errno;
			break;
		}
		if (!is_dot_name(entry->d_name))
			errnum = remove_entry(dirfd(handle), entry->d_name,
					      depth + 1);
	}
	closedir(handle);
	return errnum;
}

int directory_remove_tree(const char *path, struct error *err)
{
	int errnum = remove_entry(AT_FDCWD, path, 0);

	if (errnum)
		return error_set_errno(err, errnum, "cannot remove '%s'",
				       path);
	return 0;
}

int directory_remove_empty(const char *path, struct error *err)
{
	if (rmdir(path) == 0 || errno == ENOENT || errno == ENOTEMPTY ||
	    errno == EEXIST)
		return 0;
	return error_set_errno(err, errno, "cannot remove '%s'", path);
}

bool path_exists(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0;
}

bool path_is_directory(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

int path_remove(const char *path, struct error *err)
{
	if (unlink(path) == 0 || errno == ENOENT)
		return 0;
	return error_set_errno(err, errno, "cannot remove '%s'", path);
}

/* The paths that the workers of files_sync() share. */
struct sync_work {
	char *const *paths;
	size_t count;
	atomic_size_t next;
	atomic_bool stop;
	int (*work)(void *context, struct error *err);
	void *context;
};

static int sync_descriptor(int descriptor)
{
	struct stat info;

	if (fstat(descriptor, &info) != 0)
		return errno;
	if (!S_ISDIR(info.st_mode))
		return fdatasync(descriptor) != 0 ? errno : 0;
	return sync_open_directory(descriptor);
}

static int sync_one(const char *path, struct error *err)
{
	int errnum = file_fault_check();
	int descriptor;

	if (errnum)
		return error_set_errno(err, errnum, "cannot sync '%s'", path);
	descriptor = open(path, O_RDONLY | O_CLOEXEC);
	if (descriptor < 0)
		return error_set_errno(err, errno, "cannot open '%s'", path);
	errnum = sync_descriptor(descriptor);
	close(descriptor);
	if (errnum)
		return error_set_errno(err, errnum, "cannot sync '%s'", path);
	return 0;
}

/*
 * Start writing all files back before the first is waited for: the journal
 * commit that the first wait brings then takes the others along. A hint.
 */
static void start_write_back(char *const *paths, size_t count)
{
	int descriptor;

	for (size_t i = 0; i < count; i++) {
		descriptor = open(paths[i], O_RDONLY | O_CLOEXEC);
		if (descriptor < 0)
			continue;
		(void)sync_file_range(descriptor, 0, 0,
				      SYNC_FILE_RANGE_WRITE);
		close(descriptor);
	}
}

static int sync_some(void *context, size_t worker, struct error *err)
{
	struct sync_work *work = context;
	size_t i;
	int rc = 0;

	if (worker == 0 && work->work)
		rc = work->work(work->context, err);
	while (!rc && !atomic_load(&work->stop)) {
		i = atomic_fetch_add(&work->next, 1);
		if (i >= work->count)
			break;
		rc = interrupt_check(err);
		if (!rc)
			rc = sync_one(work->paths[i], err);
	}
	if (rc)
		atomic_store(&work->stop, true);
	return rc;
}

/* Everything on the file system of a path. Returns an errno. */
static int sync_file_system(const char *path)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	int errnum = 0;

	if (descriptor < 0)
		return errno;
	if (syncfs(descriptor) != 0)
		errnum = errno;
	close(descriptor);
	return errnum;
}

/* One call per file system; *done false when there are too many of them. */
static int sync_file_systems(char *const *paths, size_t count, bool *done,
			     struct error *err)
{
	dev_t devices[DEVICE_LIMIT];
	size_t device_count = 0, k;
	struct stat info;
	int errnum;

	*done = false;
	for (size_t i = 0; i < count; i++) {
		errnum = stat(paths[i], &info) != 0 ? errno : 0;
		for (k = 0; !errnum && k < device_count; k++)
			if (devices[k] == info.st_dev)
				break;
		if (!errnum && k < device_count)
			continue;
		if (device_count == DEVICE_LIMIT)
			return 0;
		if (!errnum)
			errnum = file_fault_check();
		if (!errnum)
			errnum = sync_file_system(paths[i]);
		if (errnum)
			return error_set_errno(err, errnum, "cannot sync '%s'",
					       paths[i]);
		devices[device_count++] = info.st_dev;
	}
	*done = true;
	return 0;
}

int files_sync(char *const *paths, size_t count,
	       int (*work)(void *context, struct error *err), void *context,
	       struct error *err)
{
	struct sync_work shared = {
		.paths = paths,
		.count = count,
		.work = work,
		.context = context,
	};
	size_t threads = count / PATHS_PER_THREAD + (work && count);
	bool done = false;
	int rc = 0;

	if (count >= MANY_PATHS)
		rc = sync_file_systems(paths, count, &done, err);
	if (rc)
		return rc;
	if (done)
		return work ? work(context, err) : 0;
	if (threads > SYNC_THREADS)
		threads = SYNC_THREADS;
	if (count > 1)
		start_write_back(paths, count);
	return thread_run(threads, sync_some, &shared, err);
}
