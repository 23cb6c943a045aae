/*
 * commit.c - fragments become the next version
 *
 * Why:    the order of syncs is what makes a commit safe, and the retry is
 *         what makes writers independent.
 * How:    manifests and list are written; the catalog syncs them together with
 *         the rows' files, their directories and the metadata, and publishes:
 *         its link is the commit. When another writer was first the new head
 *         is checked against and everything is built anew on it, without what
 *         was optional; files of the lost attempt are removed.
 * Cost:   per attempt one manifest per content that changes, one list, one
 *         metadata file; their syncs run side by side.
 */
#include <errno.h>
#include <inttypes.h>
#include <time.h>
#include "table/commit/commit_state.h"

/* A blind insert only loses races; it may lose many. */
#define BLIND_RETRY_LIMIT 100
#define WAIT_LOW_US 5000
#define WAIT_HIGH_US 500000

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "commit");
}

int attempt_write(struct commit_attempt *attempt, const char *name,
		  const struct text *bytes, char **uri_out,
		  struct error *err)
{
	struct output_file *file;
	char *path;
	int rc;

	*uri_out = arena_printf(attempt->arena, "%s/metadata/%s",
				attempt->head->metadata->location, name);
	path = arena_printf(attempt->arena, "%s/metadata/%s",
			    attempt->head->directory, name);
	if (!path || !*uri_out ||
	    !mem_grow((void **)&attempt->paths, &attempt->path_capacity,
		      attempt->path_count, sizeof(*attempt->paths)))
		return no_memory(err);
	rc = output_file_create(&file, path, err);
	if (rc)
		return rc;
	attempt->paths[attempt->path_count++] = path;
	rc = output_file_write(file, bytes->data, bytes->length, err);
	if (!rc)
		rc = output_file_close(file, false, err);
	output_file_free(file);
	return rc;
}

struct commit_run {
	const struct catalog_table *base;
	struct snapshot_files *base_files;
	const struct fragments *fragments;
	struct change_set changes;
	const struct commit_options *options;
	struct merge_outcome *outcome;
	struct arena arena;
	int64_t snapshot_id;
	uint64_t waited_us;
	/* the newest version seen, when that is not base */
	struct catalog_table *head;
	struct snapshot_files *head_files;
};

static void fill_record(const struct commit_run *run,
			const struct commit_attempt *attempt,
			struct commit_record *record)
{
	const struct commit_options *options = run->options;
	const struct change_set *changes = &run->changes;

	memset(record, 0, sizeof(*record));
	memcpy(record->uuid, attempt->uuid, sizeof(record->uuid));
	record->kind = "data";
	record->operation = options->operation;
	record->base = run->base->version;
	record->parent = attempt->head->version;
	record->snapshot_id = attempt->snapshot_id;
	record->schema_id = attempt->head->metadata->current_schema_id;
	record->time_ms = options->now_us / 1000;
	record->is_blind = options->is_blind && !changes->removed_count &&
			   !changes->added_deletes_count;
	record->deletes_only = options->counts.rows_deleted &&
			       !options->counts.rows_inserted &&
			       !options->counts.rows_updated;
	record->read_scope = record->is_blind ? "none" : "all";
	record->rows_inserted = options->counts.rows_inserted;
	record->rows_updated = options->counts.rows_updated;
	record->rows_deleted = options->counts.rows_deleted;
}

/* All that the new version refers to and that is not synced yet. */
static int list_unsynced(const struct commit_attempt *attempt, char ***out,
			 size_t *count_out, struct error *err)
{
	struct arena *arena = attempt->arena;
	char *metadata = path_join(arena, attempt->head->directory,
				   "metadata");
	size_t count = 0, own = attempt->path_count;
	char **rows = NULL;
	int rc = 0;

	if (attempt->options->context)
		rc = write_context_unsynced(attempt->options->context, arena,
					    &rows, &count, err);
	if (rc)
		return rc;
	*out = arena_zalloc_array(arena, count + own + 1, sizeof(**out));
	if (!*out || !metadata)
		return no_memory(err);
	if (count)
		memcpy(*out, rows, count * sizeof(**out));
	if (own)
		memcpy(*out + count, attempt->paths, own * sizeof(**out));
	(*out)[count + own] = metadata;
	*count_out = count + own + 1;
	return 0;
}

static int publish(struct commit_run *run, struct commit_attempt *attempt,
		   int64_t *version, bool *conflict, struct error *err)
{
	struct catalog_publish_options options = { 0 };
	struct table_metadata *next;
	struct commit_record record;
	char **paths;
	int rc;

	rc = attempt_manifests(attempt, err);
	if (!rc)
		rc = attempt_snapshot(attempt, &next, err);
	if (rc)
		return rc;
	rc = list_unsynced(attempt, &paths, &options.path_count, err);
	if (!rc)
		options.paths = paths;
	fill_record(run, attempt, &record);
	options.wait_ms = run->options->wait_ms;
	options.record = &record;
	/* version 0: a table that this commit creates */
	if (!rc)
		rc = catalog_publish(attempt->head->directory,
				     attempt->head->version ? attempt->head
							    : NULL,
				     next, &options, version, conflict, err);
	if (!rc && run->options->context)
		write_context_synced(run->options->context);
	table_metadata_free(next);
	return rc;
}

static void count_outcome(struct commit_run *run,
			  const struct commit_attempt *attempt,
			  int64_t version)
{
	struct merge_outcome *outcome = run->outcome;

	outcome->version_before = attempt->head->version;
	outcome->version_after = version;
	outcome->files_added = (uint64_t)(attempt->added.data_files +
					  attempt->added.delete_files);
	outcome->files_removed = (uint64_t)(attempt->removed.data_files +
					    attempt->removed.delete_files);
}

/* One attempt on the head; what it wrote is removed unless it succeeds. */
static int try_once(struct commit_run *run, uint32_t number, bool *conflict,
		    struct error *err)
{
	struct arena arena;
	struct commit_attempt attempt = {
		.head = run->head ? run->head : run->base,
		.files = run->head ? run->head_files : run->base_files,
		.changes = &run->changes,
		.options = run->options,
		.arena = &arena,
		.number = number,
		.snapshot_id = run->snapshot_id,
	};
	int64_t version = 0;
	int rc;

	arena_init(&arena, 0);
	attempt.sequence_number =
		attempt.head->metadata->last_sequence_number + 1;
	uuid_format(&run->options->uuid, attempt.uuid);
	*conflict = false;
	rc = publish(run, &attempt, &version, conflict, err);
	if (version)	/* also when nobody can say whether it is this one */
		count_outcome(run, &attempt, version);
	else
		for (size_t i = 0; i < attempt.path_count; i++)
			path_remove(attempt.paths[i], NULL);
	mem_free(attempt.paths);
	arena_release(&arena);
	return rc;
}

/* Sleep a random time that grows with each loss. */
static void wait_some(struct commit_run *run)
{
	uint64_t high = run->waited_us ? run->waited_us * 3 : WAIT_LOW_US * 3;
	uint64_t wait_us = WAIT_LOW_US;
	struct timespec rest;
	int64_t noise;

	if (uuid_random_id(&noise, NULL) == 0)
		wait_us += (uint64_t)noise % (high - WAIT_LOW_US + 1);
	if (wait_us > WAIT_HIGH_US)
		wait_us = WAIT_HIGH_US;
	run->waited_us = wait_us;
	rest.tv_sec = 0;
	rest.tv_nsec = (long)wait_us * 1000;
	while (nanosleep(&rest, &rest) && errno == EINTR &&
	       !interrupt_check(NULL))
		;
}

static int resolve(void *context, const char *uri, struct arena *arena,
		   char **out, struct error *err)
{
	return catalog_resolve_path(context, uri, arena, out, err);
}

static void drop_head(struct commit_run *run)
{
	snapshot_files_free(run->head_files);
	catalog_table_free(run->head);
	run->head_files = NULL;
	run->head = NULL;
}

static int read_changes(struct commit_run *run, bool with_optional,
			struct error *err)
{
	change_set_release(&run->changes);
	arena_reset(&run->arena);
	return change_set_read(&run->changes, run->fragments,
			       with_optional ? run->options->optional : NULL,
			       &run->arena, err);
}

/* Open the newest version and see whether the changes are right on it. */
static int move_to_head(struct commit_run *run, struct error *err)
{
	struct conflict_check check = {
		.base = run->base,
		.base_files = run->base_files,
		.changes = &run->changes,
		.options = run->options,
	};
	struct path_resolver resolver = { NULL, resolve };
	const struct table_metadata *metadata;
	int rc;

	drop_head(run);
	rc = read_changes(run, false, err);
	if (rc)
		return rc;
	rc = catalog_open(&run->head, run->base->directory, 0, err);
	if (rc)
		return rc;
	resolver.context = run->head;
	check.head = run->head;
	rc = conflict_check_metadata(&check, err);
	if (!rc && run->options->evolve)
		rc = run->options->evolve(run->options->evolve_context,
					  run->head, err);
	metadata = run->head->metadata;
	if (!rc)
		rc = snapshot_files_open(&run->head_files, metadata,
					 metadata_current_snapshot(metadata),
					 metadata_current_schema(metadata),
					 &resolver, err);
	check.head_files = run->head_files;
	if (!rc)
		rc = conflict_check_files(&check, err);
	return rc;
}

static int gave_up(const struct commit_run *run, uint32_t attempts,
		   struct error *err)
{
	error_set(err, ERROR_CONCURRENT_APPEND, "other writers were first %"
		  PRIu32 " times in '%s'", attempts, run->base->directory);
	if (err)
		err->retryable = true;
	return error_hint(err, "run the statement again");
}

static int run_attempts(struct commit_run *run, struct error *err)
{
	uint32_t limit = run->options->retry_limit;
	bool conflict = true;
	int rc = 0;

	if (run->options->is_blind && limit < BLIND_RETRY_LIMIT)
		limit = BLIND_RETRY_LIMIT;
	for (uint32_t i = 1; !rc && conflict; i++) {
		run->outcome->attempts = i;
		rc = try_once(run, i, &conflict, err);
		if (rc || !conflict)
			break;
		if (i > limit)
			return gave_up(run, i, err);
		wait_some(run);
		rc = interrupt_check(err);
		if (!rc)
			rc = move_to_head(run, err);
	}
	return rc;
}

int commit_fragments(const struct catalog_table *base,
		     struct snapshot_files *files,
		     const struct fragments *fragments,
		     const struct commit_options *options,
		     struct merge_outcome *outcome, struct error *err)
{
	uint64_t start = clock_monotonic_ns();
	struct commit_run run = {
		.base = base,
		.base_files = files,
		.fragments = fragments,
		.options = options,
		.outcome = outcome,
	};
	int rc;

	memset(outcome, 0, sizeof(*outcome));
	outcome->version_before = outcome->version_after = base->version;
	if (!fragments->count)
		return 0;
	arena_init(&run.arena, 0);
	rc = read_changes(&run, true, err);
	if (!rc)
		rc = uuid_random_id(&run.snapshot_id, err);
	if (!rc)
		rc = run_attempts(&run, err);
	drop_head(&run);
	change_set_release(&run.changes);
	arena_release(&run.arena);
	outcome->commit_seconds =
		(double)(clock_monotonic_ns() - start) / 1e9;
	return rc;
}
