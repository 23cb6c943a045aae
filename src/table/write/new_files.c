/*
 * new_files.c - the files that a statement makes
 *
 * Why:    until its commit a statement must leave nothing behind when it
 *         fails, and after it nothing may be lost with the power.
 * How:    every file is made here, its name carries the statement's uuid, and
 *         its path is remembered before it exists. With the files all
 *         directories are to be synced that got a name, up to data/.
 */
#include <errno.h>
#include <stdlib.h>
#include "table/write/write_state.h"

#define CREATE_TRIES 20
/* From so many on removing them takes a while. */
#define MANY_FILES 1000

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "new files");
}

/* A name for a file; the lock is held. */
static int next_name(struct write_context *context, const char *directory,
		     const char *suffix, char **path_out, char **uri_out,
		     struct error *err)
{
	struct text path = TEXT_INIT, uri = TEXT_INIT;
	uint32_t number = context->next_file;
	const char *slash = *directory ? "/" : "";

	text_addf(&path, "%s/%s%s%05u-0-%s-%05u%s", context->data_directory,
		  directory, slash, number, context->uuid, number + 1, suffix);
	text_addf(&uri, "%s/data/%s%s%05u-0-%s-%05u%s",
		  context->options.metadata->location, directory, slash,
		  number, context->uuid, number + 1, suffix);
	*path_out = text_detach(&path);
	*uri_out = text_detach(&uri);
	if (*path_out && *uri_out &&
	    mem_grow((void **)&context->paths, &context->path_capacity,
		     context->path_count, sizeof(*context->paths))) {
		context->paths[context->path_count++] = *path_out;
		context->next_file++;
		return 0;
	}
	mem_free(*path_out);
	mem_free(*uri_out);
	*path_out = *uri_out = NULL;
	return no_memory(err);
}

/* The directory of a path, with what is missing above it. */
static int make_directory(struct write_context *context, const char *path,
			  struct error *err)
{
	char *directory;
	int rc;

	if (!path_is_directory(context->data_directory))
		context->made_directory = true;
	directory = mem_strndup(path, (size_t)(strrchr(path, '/') - path));
	if (!directory)
		return no_memory(err);
	rc = directory_make(directory, err);
	mem_free(directory);
	return rc;
}

int write_context_create(struct write_context *context, const char *directory,
			 const char *suffix, struct output_file **out,
			 char **uri_out, struct error *err)
{
	char *path;
	int rc;

	*out = NULL;
	pthread_mutex_lock(&context->lock);
	rc = next_name(context, directory, suffix, &path, uri_out, err);
	if (!rc) {
		rc = output_file_create(out, path, err);
		/* Processes that fail remove it while it is empty, others
		 * make it: that it is there now tells nothing. */
		for (int i = 0; i < CREATE_TRIES && rc == ERROR_IO &&
				err && err->errnum == ENOENT; i++) {
			rc = make_directory(context, path, err);
			if (!rc)
				rc = output_file_create(out, path, err);
		}
	}
	pthread_mutex_unlock(&context->lock);
	if (rc) {
		mem_free(*uri_out);
		*uri_out = NULL;
	}
	return rc;
}

struct directory_list {
	struct arena *arena;
	char **items;
	size_t count;
	size_t capacity;
};

static int add_directory(struct directory_list *list, const char *path,
			 size_t length, struct error *err)
{
	char *copy;

	if (list->count && !strncmp(list->items[list->count - 1], path,
				    length) &&
	    !list->items[list->count - 1][length])
		return 0;
	copy = arena_strndup(list->arena, path, length);
	if (!copy || !mem_grow((void **)&list->items, &list->capacity,
			       list->count, sizeof(*list->items)))
		return no_memory(err);
	list->items[list->count++] = copy;
	return 0;
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* How much of a path is a directory that the path before it is in, too. */
static size_t shared_directory(const char *before, const char *path)
{
	size_t end = 0;

	for (size_t i = 0; path[i] && path[i] == before[i]; i++)
		if (path[i] == '/')
			end = i;
	return end;
}

/* Directories of the files from `first` on, and those above them from data/
 * on, parents first. */
static int list_directories(const struct write_context *context, size_t first,
			    struct directory_list *list, struct error *err)
{
	size_t root = strlen(context->data_directory), kept = 0;
	int rc = 0;

	for (size_t i = first; !rc && i < context->path_count; i++) {
		const char *path = context->paths[i];
		size_t end = (size_t)(strrchr(path, '/') - path);
		size_t known = i > first
			? shared_directory(context->paths[i - 1], path) : 0;

		if (end > known)
			rc = add_directory(list, path, end, err);
		while (!rc && end > root && end > known) {
			while (path[--end] != '/')
				;
			if (end > known)
				rc = add_directory(list, path, end, err);
		}
	}
	if (rc || !list->count)
		return rc;
	qsort(list->items, list->count, sizeof(*list->items), compare_text);
	for (size_t i = 0; i < list->count; i++)
		if (!kept || strcmp(list->items[kept - 1], list->items[i]))
			list->items[kept++] = list->items[i];
	list->count = kept;
	return 0;
}

int write_context_unsynced(const struct write_context *context,
			   struct arena *arena, char ***out,
			   size_t *count_out, struct error *err)
{
	size_t own = context->path_count - context->synced_count;
	struct directory_list list = { .arena = arena };
	int rc;

	*count_out = 0;
	*out = NULL;
	rc = list_directories(context, context->synced_count, &list, err);
	if (!rc) {
		*out = arena_zalloc_array(arena, own + list.count + 1,
					  sizeof(**out));
		if (!*out)
			rc = no_memory(err);
	}
	if (!rc && own) {
		memcpy(*out, context->paths + context->synced_count,
		       own * sizeof(**out));
		memcpy(*out + own, list.items, list.count * sizeof(**out));
		own += list.count;
		if (context->made_directory)
			(*out)[own++] = (char *)context->options.directory;
		*count_out = own;
	}
	mem_free(list.items);
	return rc;
}

void write_context_synced(struct write_context *context)
{
	context->synced_count = context->path_count;
}

int write_context_sync(struct write_context *context, char *const *more,
		       size_t more_count, struct error *err)
{
	struct arena arena;
	char **own, **all;
	size_t count;
	int rc;

	arena_init(&arena, 0);
	rc = write_context_unsynced(context, &arena, &own, &count, err);
	all = arena_zalloc_array(&arena, count + more_count + 1,
				 sizeof(*all));
	if (!rc && !all)
		rc = no_memory(err);
	if (!rc) {
		if (count)
			memcpy(all, own, count * sizeof(*all));
		if (more_count)
			memcpy(all + count, more, more_count * sizeof(*all));
		rc = files_sync(all, count + more_count, NULL, NULL, err);
	}
	if (!rc)
		write_context_synced(context);
	arena_release(&arena);
	return rc;
}

struct remove_work {
	struct write_context *context;
	atomic_size_t next;
};

static int remove_some(void *argument, size_t worker, struct error *err)
{
	struct remove_work *work = argument;
	const struct write_context *context = work->context;

	(void)worker;
	for (;;) {
		size_t i = atomic_fetch_add(&work->next, 1);

		if (i >= context->path_count)
			return 0;
		path_remove(context->paths[i], NULL);
	}
}

void write_context_remove_files(struct write_context *context)
{
	struct remove_work work = { .context = context };
	struct directory_list list = { 0 };
	struct arena arena;

	if (!context->path_count)
		return;
	if (context->path_count >= MANY_FILES) {
		log_warn(context->options.log, "removing %zu unfinished "
			 "files", context->path_count);
		thread_run(context->options.thread_count
				   ? context->options.thread_count : 1,
			   remove_some, &work, NULL);
	}
	remove_some(&work, 0, NULL);	/* all, or what threads left */
	arena_init(&arena, 0);
	list.arena = &arena;
	if (!list_directories(context, 0, &list, NULL))
		for (size_t i = list.count; i-- > 1;)	/* 0 is data/ */
			directory_remove_empty(list.items[i], NULL);
	mem_free(list.items);
	arena_release(&arena);
}

int write_context_discard(struct write_context *context,
			  const struct fragments *fragments,
			  struct error *err)
{
	size_t location = strlen(context->options.metadata->location);
	struct arena arena;
	int rc = 0;

	arena_init(&arena, 0);
	for (size_t i = 0; !rc && i < fragments->count; i++) {
		struct fragment fragment;
		char *path;

		rc = fragment_parse(fragments->items[i], &arena, &fragment,
				    err);
		if (rc || (fragment.kind != FRAGMENT_ADD_DATA &&
			   fragment.kind != FRAGMENT_ADD_DELETES))
			continue;
		if (strlen(fragment.file.path) <= location)
			continue;
		path = path_join(&arena, context->options.directory,
				 fragment.file.path + location + 1);
		rc = path ? path_remove(path, err) : no_memory(err);
	}
	arena_release(&arena);
	return rc;
}

size_t write_context_file_count(const struct write_context *context)
{
	return context->path_count;
}
