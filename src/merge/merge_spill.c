/*
 * merge_spill.c - a source that does not fit in memory
 *
 * Why:    a run keeps to its --memory and still gives the right rows.
 * How:    once the store is full, all rows go to disk by the hash of their
 *         keys. Then as many partitions as fit are loaded and joined, with a
 *         scan of the target for each such pass. BY SOURCE clauses need to
 *         know all matches, so they wait for a last pass.
 * Cost:   one more write and read of the source, one scan of the keys a pass.
 * Limits: a join without equated columns cannot be split and is refused.
 */
#include "merge/merge_state.h"

/* The table over a stored row, at most: slots, chain, filter. */
#define TABLE_BYTES_PER_ROW 52

/* What a thread takes that makes row groups: rows, encodings, pages. */
#define WRITER_BYTES ((uint64_t)80 << 20)

/* The source's part of the memory; the rest, half of it at most and more where
 * new values wait for their file, is the writers'. */
static uint64_t source_limit(const struct merge_state *state)
{
	uint64_t memory = state->options->memory_bytes, rest = memory / 2;

	if (state->worker_count < rest / WRITER_BYTES)
		rest = state->worker_count * WRITER_BYTES;
	if (state->paradigm == CHANGE_ONLY_UPDATED_COLUMNS)
		rest += memory / 4;
	return memory - rest;
}

static bool fits(const struct merge_state *state, uint64_t byte_count,
		 uint64_t row_count)
{
	uint64_t limit = source_limit(state);

	return limit == 0 ||
	       byte_count + row_count * TABLE_BYTES_PER_ROW <= limit;
}

/* Rows apart by the columns that ON equates, or by those of one row per key
 * until that is done. */
static struct spill_options spill_options_of(const struct merge_state *state)
{
	bool own_key = merge_keep_has_own_key(state) && !state->is_kept;
	struct spill_options options = {
		.directory = state->options->spill_directory
				     ? state->options->spill_directory : "/tmp",
		.types = state->store_types,
		.stored = state->stored,
		.column_count = state->store_column_count,
		.key_columns = own_key ? state->keep_columns
				       : state->key_columns,
		.key_count = own_key ? state->keep_count
				     : state->plan->key_count,
	};

	return options;
}

static int start_spill(struct merge_state *state, struct error *err)
{
	struct spill_options options = spill_options_of(state);
	int rc;

	if (!state->plan->key_count &&
	    (!state->plan->on_is_false || !options.key_count)) {
		error_set(err, ERROR_NO_MEMORY,
			  "the source does not fit --memory, and a join "
			  "without equated columns needs all of it");
		return error_hint(err, "raise --memory, or equate a column of "
				  "both sides in ON");
	}
	rc = spill_new(&state->spill, &options, err);
	if (!rc)
		__atomic_store_n(&state->is_spilling, true, __ATOMIC_RELEASE);
	return rc;
}

int merge_spill_check(struct merge_state *state, struct error *err)
{
	int rc = 0;

	if (__atomic_load_n(&state->is_spilling, __ATOMIC_RELAXED) ||
	    fits(state, row_store_bytes(state->store),
		 __atomic_load_n(&state->rows_read, __ATOMIC_RELAXED)))
		return 0;
	pthread_mutex_lock(&state->spill_lock);
	if (!state->is_spilling)
		rc = start_spill(state, err);
	pthread_mutex_unlock(&state->spill_lock);
	return rc;
}

int merge_spill_finish(struct merge_state *state, struct error *err)
{
	struct spill_writer *writer;
	int rc = spill_writer_new(&writer, state->spill, err);

	if (rc)
		return rc;
	rc = spill_store(writer, state->store, err);
	if (!rc)
		rc = spill_writer_finish(writer, err);
	spill_writer_free(writer);
	row_store_free(state->store);
	state->store = NULL;
	mem_trim();
	log_note(state->options->log,
		 "the source does not fit --memory: %llu bytes on disk",
		 (unsigned long long)spill_bytes(state->spill));
	return rc;
}

static int new_store(struct merge_state *state, struct error *err)
{
	join_table_free(state->table);
	state->table = NULL;
	row_store_free(state->store);
	mem_trim();
	return row_store_new(&state->store, state->store_types, state->stored,
			     state->store_column_count, err);
}

/* Partitions from *next on, as many as fit; one at the least. */
static int load_partitions(struct merge_state *state, size_t *next,
			   struct error *err)
{
	uint64_t byte_count = 0;
	int rc = new_store(state, err);

	while (!rc && *next < SPILL_PARTITIONS) {
		uint64_t more = spill_partition_bytes(state->spill, *next);

		/* on disk a text value takes less than in memory: 2 is safe */
		if (byte_count && !fits(state, 2 * (byte_count + more), 0))
			break;
		byte_count += more;
		rc = spill_read(state->spill, (*next)++, state->store, err);
	}
	return rc;
}

/* What is on disk by the columns of one row per key, once more without the
 * rows that are dropped and by those of ON. */
static int spill_again(struct merge_state *state, struct error *err)
{
	struct spill *from = state->spill;
	struct spill_writer *writer = NULL;
	struct spill_options options;
	int rc;

	state->is_kept = true;
	options = spill_options_of(state);
	rc = spill_new(&state->spill, &options, err);
	if (!rc)
		rc = spill_writer_new(&writer, state->spill, err);
	for (size_t p = 0; !rc && p < SPILL_PARTITIONS; p++) {
		rc = new_store(state, err);
		if (!rc)
			rc = spill_read(from, p, state->store, err);
		state->is_kept = false;
		if (!rc)
			rc = merge_keep_rows(state, err);
		state->is_kept = true;
		if (!rc)
			rc = spill_store(writer, state->store, err);
	}
	if (!rc)
		rc = spill_writer_finish(writer, err);
	spill_writer_free(writer);
	spill_free(from);
	return rc;
}

int merge_spill_passes(struct merge_state *state,
		       int (*run_pass)(struct merge_state *state,
				       struct error *err),
		       struct error *err)
{
	size_t next = 0;
	int rc = 0;

	if (merge_keep_has_own_key(state) && state->plan->key_count)
		rc = spill_again(state, err);
	if (rc)
		return rc;
	if (state->has_match[WHEN_NOT_MATCHED_BY_SOURCE]) {
		uint64_t rows = state->ops->row_id_limit(state->handle);

		state->matched_rows = mem_zalloc_array(
			BITMAP_WORDS(rows) + 1, sizeof(uint64_t));
		if (!state->matched_rows)
			return error_set(err, ERROR_NO_MEMORY, "merge");
	}
	while (!rc && next < SPILL_PARTITIONS) {
		rc = load_partitions(state, &next, err);
		if (!rc)
			rc = run_pass(state, err);
	}
	if (!rc && state->matched_rows) {
		state->is_last_pass = true;
		rc = new_store(state, err);
		if (!rc)
			rc = run_pass(state, err);
	}
	return rc;
}
