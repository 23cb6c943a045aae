/*
 * merge_keep.c - one row per key from the source
 *
 * Why:    a batch of changes has several rows of a key, and only the newest
 *         counts; which one that is must not depend on threads or memory.
 * How:    a hash of the key columns for each row of the store. A worker takes
 *         a part of the hashes, keeps the best row of each in a
 *         table and drops the others. Rows that tie and differ refuse the
 *         run; they are looked for once more to name the first of them. A
 *         source on disk is done part by part, where rows of a key are
 *         together.
 * Cost:   8 bytes a row and 32 a key while it works. Only rows of a key that
 *         is there already are compared one by one.
 */
#include "merge/merge_state.h"

#define SLOT_EMPTY UINT32_MAX
#define HASH_SKIPPED 0		/* NULL in the key: like no other row */
#define INTERRUPT_ROWS 65536

struct keep_slot {
	uint64_t hash;
	uint32_t row;		/* the best so far, SLOT_EMPTY = none */
	bool is_tied;		/* another row is as good and differs */
};

/* Two rows that tie; the first of all in the order of the second. */
struct keep_tie {
	bool is_set;
	uint32_t first;
	uint32_t second;
};

struct keep_run {
	struct merge_state *state;
	struct row_store *store;
	uint64_t **hashes;	/* per chunk */
	size_t next_chunk;	/* atomic */
	size_t next_part;	/* atomic */
	size_t part_count;	/* of the keys */
	struct keep_tie *ties;	/* per part */
};

/* A part of the keys. */
struct keep_table {
	struct keep_run *run;
	size_t part;
	struct keep_slot *slots;
	uint64_t mask;
};

bool merge_keep_has_own_key(const struct merge_state *state)
{
	return state->options->keep && state->options->keep->key;
}

/* ON says of a source column that NULL is a value like others. */
static bool is_null_safe(const struct merge_state *state, size_t column)
{
	for (size_t k = 0; k < state->plan->key_count; k++)
		if (state->key_columns[k] == column &&
		    state->plan->keys[k].null_safe)
			return true;
	return false;
}

int merge_keep_init(struct merge_state *state, struct error *err)
{
	const struct merge_keep *keep = state->options->keep;
	size_t count;

	if (!keep || !state->plan->source)
		return 0;
	count = keep->key ? keep->key_count : state->plan->key_count;
	if (count == 0) {
		error_set(err, ERROR_USAGE, "one row per key is asked for, "
			  "and ON equates no column of the source");
		return error_hint(err, "name the columns with --key");
	}
	state->keep_columns = mem_alloc_array(count, sizeof(size_t));
	state->keep_null_safe = mem_alloc_array(count, sizeof(bool));
	if (!state->keep_columns || !state->keep_null_safe)
		return error_set(err, ERROR_NO_MEMORY, "merge");
	state->keep_count = count;
	for (size_t i = 0; i < count; i++) {
		size_t column = keep->key ? keep->key[i]
					  : state->key_columns[i];

		state->keep_columns[i] = column;
		state->keep_null_safe[i] = is_null_safe(state, column);
	}
	return 0;
}

/* Rows first .. first + count - 1 of a chunk. */
static void hash_window(struct keep_run *run, struct store_chunk *chunk,
			size_t first, size_t count, uint64_t *hashes)
{
	const struct merge_state *state = run->state;
	struct selection all = selection_all(count);

	for (size_t k = 0; k < state->keep_count; k++) {
		struct vector window = { 0 };

		row_store_slice(chunk, state->keep_columns[k], first, count,
				&window);
		vector_hash(&window, &all, k == 0, hashes);
	}
	for (size_t i = 0; i < count; i++)
		hashes[i] |= hashes[i] == HASH_SKIPPED;
	for (size_t k = 0; k < state->keep_count; k++) {
		const struct vector *key =
			&chunk->columns[state->keep_columns[k]];

		if (state->keep_null_safe[k] || !vector_has_nulls(key))
			continue;
		for (size_t i = 0; i < count; i++)
			if (vector_is_null(key, first + i))
				hashes[i] = HASH_SKIPPED;
	}
}

static int hash_work(void *context, size_t index, struct error *err)
{
	struct keep_run *run = context;
	int rc = 0;

	(void)index;
	while (!rc) {
		size_t c = __atomic_fetch_add(&run->next_chunk, 1,
					      __ATOMIC_RELAXED);
		struct store_chunk *chunk;

		if (c >= row_store_chunk_count(run->store))
			break;
		rc = interrupt_check(err);
		chunk = row_store_chunk(run->store, c);
		for (size_t i = 0; !rc && i < chunk->row_count;
		     i += BATCH_ROW_COUNT) {
			size_t left = chunk->row_count - i;

			hash_window(run, chunk, i, left < BATCH_ROW_COUNT
						? left : BATCH_ROW_COUNT,
				    run->hashes[c] + i);
		}
	}
	return rc;
}

static bool is_mine(const struct keep_table *table, uint64_t hash)
{
	return hash != HASH_SKIPPED &&
	       (hash >> 32) % table->run->part_count == table->part;
}

/* Have two rows one value in a column? identical: to the last bit. */
static bool is_same(const struct keep_run *run, size_t column, uint32_t a,
		    uint32_t b, bool identical)
{
	uint32_t x = (uint32_t)store_row_place(a);
	uint32_t y = (uint32_t)store_row_place(b);
	const struct vector *left = &row_store_chunk(
		run->store, store_row_chunk(a))->columns[column];
	const struct vector *right = &row_store_chunk(
		run->store, store_row_chunk(b))->columns[column];
	uint64_t equal = 1;

	if (identical)
		vector_and_identical(left, &x, right, &y, 1, &equal);
	else
		vector_and_same(left, &x, right, &y, 1, &equal);
	return equal & 1;
}

static bool has_same_key(const struct keep_run *run, uint32_t a, uint32_t b)
{
	const struct merge_state *state = run->state;
	bool same = true;

	for (size_t k = 0; same && k < state->keep_count; k++)
		same = is_same(run, state->keep_columns[k], a, b, false);
	return same;
}

/* The first stored column in which two rows differ; SIZE_MAX = none. */
static size_t find_difference(const struct keep_run *run, uint32_t a,
			      uint32_t b)
{
	const struct merge_state *state = run->state;

	for (size_t i = 0; i < state->source_count; i++)
		if (state->stored[i] && !is_same(run, i, a, b, true))
			return i;
	return SIZE_MAX;
}

static int compare_column(const struct keep_run *run, size_t column,
			  uint32_t a, uint32_t b)
{
	const struct vector *left = &row_store_chunk(
		run->store, store_row_chunk(a))->columns[column];
	const struct vector *right = &row_store_chunk(
		run->store, store_row_chunk(b))->columns[column];
	size_t x = store_row_place(a), y = store_row_place(b);
	bool no_left = vector_is_null(left, x);
	bool no_right = vector_is_null(right, y);

	if (no_left || no_right)
		return (int)no_right - (int)no_left;
	return vector_compare_values(left, x, right, y);
}

static int compare_places(const struct keep_run *run, uint32_t a, uint32_t b)
{
	struct row_place x = row_store_place(run->store, a);
	struct row_place y = row_store_place(run->store, b);

	return row_place_compare(&x, &y);
}

/* Which of two rows of a key is the better one? */
static int compare_rows(const struct keep_run *run, uint32_t a, uint32_t b)
{
	const struct merge_keep *keep = run->state->options->keep;
	int order = 0;

	if (!keep->latest)
		return compare_places(run, a, b);
	for (size_t i = 0; !order && i < keep->latest_count; i++)
		order = compare_column(run, keep->latest[i], a, b);
	return order;
}

static void drop(const struct keep_run *run, uint32_t row)
{
	struct store_chunk *chunk = row_store_chunk(run->store,
						    store_row_chunk(row));

	row_store_mark(run->store, &row, 1, STORE_MARK_DROPPED);
	chunk->joinable[store_row_place(row)] = 0;
}

/* A row of a key that the slot has already. */
static void contest(const struct keep_run *run, struct keep_slot *slot,
		    uint32_t row)
{
	int order = compare_rows(run, row, slot->row);
	uint32_t loser = row;

	if (order == 0)
		slot->is_tied |= find_difference(run, row, slot->row) !=
				 SIZE_MAX;
	else if (order > 0)
		slot->is_tied = false;
	/* of rows that tie the first one stays */
	if (order > 0 ||
	    (order == 0 && compare_places(run, row, slot->row) < 0)) {
		loser = slot->row;
		slot->row = row;
	}
	drop(run, loser);
}

static struct keep_slot *find_slot(const struct keep_table *table,
				   uint64_t hash, uint32_t row)
{
	uint64_t at = hash & table->mask;

	for (;; at = (at + 1) & table->mask) {
		struct keep_slot *slot = &table->slots[at];

		if (slot->row == SLOT_EMPTY ||
		    (slot->hash == hash &&
		     (slot->row == row ||
		      has_same_key(table->run, slot->row, row))))
			return slot;
	}
}

static int new_slots(struct keep_table *table, struct error *err)
{
	struct keep_run *run = table->run;
	uint64_t rows = 0, capacity = 16;

	for (size_t c = 0; c < row_store_chunk_count(run->store); c++) {
		size_t count = row_store_chunk(run->store, c)->row_count;

		for (size_t i = 0; i < count; i++)
			rows += is_mine(table, run->hashes[c][i]);
	}
	while (capacity < rows + rows / 2)
		capacity *= 2;
	table->mask = capacity - 1;
	table->slots = mem_alloc_array(capacity, sizeof(*table->slots));
	if (!table->slots)
		return error_set(err, ERROR_NO_MEMORY, "one row per key");
	for (uint64_t i = 0; i < capacity; i++) {
		table->slots[i].row = SLOT_EMPTY;
		table->slots[i].is_tied = false;
	}
	return 0;
}

/* Call act for each row of a part of the keys. */
static int visit_rows(struct keep_table *table,
		      bool (*act)(struct keep_table *table, uint64_t hash,
				  uint32_t row), struct error *err)
{
	struct keep_run *run = table->run;
	size_t seen = 0;
	int rc = 0;

	for (size_t c = 0; !rc && c < row_store_chunk_count(run->store); c++) {
		size_t count = row_store_chunk(run->store, c)->row_count;

		for (size_t i = 0; !rc && i < count; i++) {
			uint64_t hash = run->hashes[c][i];

			if (!is_mine(table, hash))
				continue;
			act(table, hash,
			    (uint32_t)(c << STORE_CHUNK_BITS | i));
			if (++seen % INTERRUPT_ROWS == 0)
				rc = interrupt_check(err);
		}
	}
	return rc;
}

static bool keep_best(struct keep_table *table, uint64_t hash, uint32_t row)
{
	struct keep_slot *slot = find_slot(table, hash, row);

	if (slot->row == SLOT_EMPTY) {
		slot->hash = hash;
		slot->row = row;
		return true;
	}
	contest(table->run, slot, row);
	return false;
}

/* The first row that ties with the best one of its key and differs. */
static bool find_tie(struct keep_table *table, uint64_t hash, uint32_t row)
{
	struct keep_slot *slot = find_slot(table, hash, row);
	struct keep_tie *tie = &table->run->ties[table->part];

	if (!slot->is_tied || slot->row == row ||
	    compare_rows(table->run, row, slot->row) != 0 ||
	    find_difference(table->run, row, slot->row) == SIZE_MAX ||
	    (tie->is_set && compare_places(table->run, tie->second, row) <= 0))
		return false;
	tie->is_set = true;
	tie->first = slot->row;
	tie->second = row;
	return true;
}

static int keep_part(struct keep_run *run, size_t part, struct error *err)
{
	struct keep_table table = { .run = run, .part = part };
	bool is_tied = false;
	int rc = new_slots(&table, err);

	if (!rc)
		rc = visit_rows(&table, keep_best, err);
	for (uint64_t i = 0; !rc && !is_tied && i <= table.mask; i++)
		is_tied = table.slots[i].is_tied;
	if (!rc && is_tied)
		rc = visit_rows(&table, find_tie, err);
	mem_free(table.slots);
	return rc;
}

static int keep_work(void *context, size_t index, struct error *err)
{
	struct keep_run *run = context;
	int rc = 0;

	(void)index;
	while (!rc) {
		size_t part = __atomic_fetch_add(&run->next_part, 1,
						 __ATOMIC_RELAXED);

		if (part >= run->part_count)
			break;
		rc = keep_part(run, part, err);
	}
	return rc;
}

/* "id = 5 AND region = 'x'" of a row. */
static void add_values(const struct keep_run *run, const size_t *columns,
		       size_t count, uint32_t row, struct text *out)
{
	const struct merge_state *state = run->state;
	struct store_chunk *chunk = row_store_chunk(run->store,
						    store_row_chunk(row));

	for (size_t i = 0; i < count; i++) {
		struct literal value = vector_get(&chunk->columns[columns[i]],
						  store_row_place(row));

		text_add_str(out, i ? " AND " : "");
		text_add_str(out, columns[i] < state->source_count
				? state->plan->source->schema
					  ->columns[columns[i]].name
				: "the key of ON");
		text_add_str(out, " = ");
		format_literal_sql(&value, out);
	}
}

static void add_place(const struct keep_run *run, uint32_t row,
		      struct text *out)
{
	struct row_place place = row_store_place(run->store, row);

	text_addf(out, "%s%s%llu", place.origin ? place.origin : "row ",
		  place.origin ? (place.is_line ? ":" : " row ") : "",
		  (unsigned long long)place.line);
}

static int tell_tie(const struct keep_run *run, const struct keep_tie *tie,
		    struct error *err)
{
	const struct merge_state *state = run->state;
	const struct merge_keep *keep = state->options->keep;
	size_t column = find_difference(run, tie->first, tie->second);
	struct text text = TEXT_INIT;

	text_add_str(&text, "source rows ");
	add_place(run, tie->first, &text);
	text_add_str(&text, " and ");
	add_place(run, tie->second, &text);
	text_add_str(&text, " have one key, ");
	add_values(run, state->keep_columns, state->keep_count, tie->first,
		   &text);
	if (keep->latest) {
		text_add_str(&text, ", and tie in ");
		add_values(run, keep->latest, keep->latest_count, tie->first,
			   &text);
	}
	text_addf(&text, ", but differ in %s",
		  state->plan->source->schema->columns[column].name);
	error_set(err, ERROR_DUPLICATE_KEY, "%s",
		  text.data ? text.data : "source rows tie");
	text_release(&text);
	return error_hint(err, keep->latest
			? "add a column to --keep-latest-by that tells them "
			  "apart" : "the input has no order between them");
}

static int tell_ties(const struct keep_run *run, struct error *err)
{
	const struct keep_tie *best = NULL;

	for (size_t w = 0; w < run->part_count; w++) {
		const struct keep_tie *tie = &run->ties[w];

		if (tie->is_set &&
		    (!best || compare_places(run, tie->second,
					     best->second) < 0))
			best = tie;
	}
	return best ? tell_tie(run, best, err) : 0;
}

static int new_hashes(struct keep_run *run, struct error *err)
{
	size_t chunks = row_store_chunk_count(run->store);

	run->hashes = mem_zalloc_array(chunks + 1, sizeof(*run->hashes));
	run->ties = mem_zalloc_array(run->part_count, sizeof(*run->ties));
	for (size_t c = 0; run->hashes && c < chunks; c++) {
		size_t rows = row_store_chunk(run->store, c)->row_count;

		run->hashes[c] = mem_alloc_array(rows + 1, sizeof(uint64_t));
		if (!run->hashes[c])
			return error_set(err, ERROR_NO_MEMORY,
					 "one row per key");
	}
	return run->hashes && run->ties
		       ? 0 : error_set(err, ERROR_NO_MEMORY,
				       "one row per key");
}

int merge_keep_rows(struct merge_state *state, struct error *err)
{
	struct keep_run run = { .state = state, .store = state->store,
				.part_count = state->worker_count };
	size_t chunks = row_store_chunk_count(state->store);
	int rc;

	if (!state->keep_count || state->is_kept || !chunks)
		return 0;
	if (run.part_count > chunks)
		run.part_count = chunks;
	rc = new_hashes(&run, err);
	if (!rc)
		rc = thread_run(run.part_count, hash_work, &run, err);
	if (!rc)
		rc = thread_run(run.part_count, keep_work, &run, err);
	if (!rc)
		rc = tell_ties(&run, err);
	for (size_t c = 0; run.hashes && c < chunks; c++)
		mem_free(run.hashes[c]);
	mem_free(run.hashes);
	mem_free(run.ties);
	if (!rc)
		state->superseded_rows += row_store_marked_count(
			state->store, STORE_MARK_DROPPED);
	return rc;
}
