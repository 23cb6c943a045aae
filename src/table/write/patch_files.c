/*
 * patch_files.c - all files of which a statement updates columns
 *
 * Why:    a statement touches one large file, or a thousand small ones; both
 *         should keep all threads busy.
 * How:    many files: each thread takes one after the other. Few: one after
 *         the other, its row groups shared out. Which files are written
 *         whole is decided file by file, when it is opened (patch_plan.c).
 */
#include "table/write/patch_file.h"

struct patch_item {
	size_t index;
	bool is_done;		/* not to be rewritten as a whole */
	struct fragments fragments;
};

struct patch_run {
	struct write_context *context;
	struct patch_item *items;
	size_t count;
	size_t threads;		/* of one file */
	atomic_size_t next;
	atomic_bool failed;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "rewrite of files");
}

/* The file has a successor: what is deleted in it is to be said of that. */
static int note_replaced(struct patch_file *file, struct error *err)
{
	struct write_context *context = file->context;
	const struct snapshot_files *files = context->options.files;
	struct roaring64 *old = NULL;
	int rc;

	rc = snapshot_file_deletes(files, file->file, &old, err);
	if (rc)
		return rc;
	pthread_mutex_lock(&context->lock);
	if (old)
		rc = delete_map_ensure(&context->deletes, files, file->index,
				       err);
	context->replaced[file->index] = file->uri;
	file->uri = NULL;
	update_map_drop(&context->updates, file->index);
	pthread_mutex_unlock(&context->lock);
	roaring64_free(old);
	return rc;
}

static int patch_one(struct patch_run *run, struct patch_item *item,
		     struct error *err)
{
	struct patch_file file;
	enum patch_choice choice;
	int rc;

	rc = patch_file_open(&file, run->context, item->index, &choice, err);
	if (!rc && choice == PATCH_COLUMNS) {
		rc = patch_file_write(&file, run->threads, &item->fragments,
				      err);
		if (!rc)
			rc = note_replaced(&file, err);
		item->is_done = true;
	}
	patch_file_release(&file);
	return rc;
}

static int patch_some(void *argument, size_t worker, struct error *err)
{
	struct patch_run *run = argument;
	int rc = 0;

	(void)worker;
	while (!rc && !atomic_load(&run->failed)) {
		size_t i = atomic_fetch_add(&run->next, 1);

		if (i >= run->count)
			break;
		rc = interrupt_check(err);
		if (!rc)
			rc = patch_one(run, &run->items[i], err);
	}
	if (rc)
		atomic_store(&run->failed, true);
	return rc;
}

/* Files with updates as items, in the order of indexes. */
static int list_items(struct patch_run *run, const size_t *indexes,
		      size_t count, struct error *err)
{
	run->items = mem_zalloc_array(count + 1, sizeof(*run->items));
	if (!run->items)
		return no_memory(err);
	for (size_t i = 0; i < count; i++)
		if (update_map_has(&run->context->updates, indexes[i]))
			run->items[run->count++].index = indexes[i];
	return 0;
}

/* Keep in indexes what is still to be rewritten. */
static int collect(struct patch_run *run, size_t *indexes, size_t *count,
		   struct fragments *out, struct error *err)
{
	size_t kept = 0, next = 0;
	int rc = 0;

	for (size_t i = 0; i < *count; i++) {
		bool is_done = false;

		if (next < run->count && run->items[next].index == indexes[i])
			is_done = run->items[next++].is_done;
		if (!is_done)
			indexes[kept++] = indexes[i];
	}
	*count = kept;
	for (size_t i = 0; i < run->count; i++) {
		struct fragments *part = &run->items[i].fragments;

		for (size_t k = 0; !rc && k < part->count; k++) {
			rc = fragments_add(out, part->items[k], err);
			if (!rc)
				part->items[k] = NULL;
		}
	}
	return rc;
}

int patch_files(struct write_context *context, size_t *indexes,
		size_t *count, struct fragments *out, struct error *err)
{
	struct patch_run run = { .context = context };
	size_t threads = context->options.thread_count;
	bool many;
	int rc;

	if (!context->keeps_places || !context->updates.run_count)
		return 0;
	rc = list_items(&run, indexes, *count, err);
	if (!rc)	/* threads add to it */
		rc = delete_map_reserve(&context->deletes,
					context->options.files->file_count,
					err);
	if (!rc && run.count && !context->replaced) {
		context->replaced = mem_zalloc_array(
			context->options.files->file_count,
			sizeof(*context->replaced));
		if (!context->replaced)
			rc = no_memory(err);
	}
	many = run.count >= 2 * threads;
	run.threads = many || !threads ? 1 : threads;
	if (!rc)
		rc = thread_run(many && threads ? threads : 1, patch_some,
				&run, err);
	if (!rc)
		rc = collect(&run, indexes, count, out, err);
	for (size_t i = 0; run.items && i < run.count; i++)
		fragments_release(&run.items[i].fragments);
	mem_free(run.items);
	return rc;
}
