/*
 * digest.c - what a table holds, in a few exact numbers
 *
 *	digest TARGET.csv [BATCH.csv...]	("-" is standard input)
 *
 * Why:    a fast wrong result is no result. Every tool's result is exported
 *         as CSV and must have the digest that this program, which shares no
 *         code with any of them, computes from the generated files alone.
 * How:    every row is brought to one form (money in cents, timestamps in
 *         microseconds, doubles as their bits) and hashed; rows are added up,
 *         so that their order does not count. With batches the digest is that
 *         of the table after merging them in order: a matched row is deleted
 *         if the batch says is_deleted, else replaced; a row not matched is
 *         inserted. "batches" has the counts of each.
 * Limits: a key is known by a 64-bit hash of its text.
 */
#include "csv_rows.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
	uint64_t rows;
	uint64_t id_sum;		/* 0 for text keys */
	uint64_t purchases_cents;
	uint64_t quantity;
	uint64_t null_scores;
	uint64_t null_notes;
	uint64_t hash;
};

/* One row of a batch. */
struct change {
	struct tally row;
	size_t next;			/* of the same key, index + 1 */
	unsigned batch;
	bool is_deleted;
};

/* One key that some batch has. */
struct slot {
	uint64_t key;			/* 0: the slot is free */
	size_t first, last;		/* changes, index + 1 */
	bool is_present;		/* in the target */
	struct tally row;		/* as it is there */
};

struct batch_count {
	uint64_t updated, deleted, inserted;
};

struct merge_state {
	struct slot *slot;
	size_t slot_count;		/* a power of two, or 0 */
	size_t key_count;
	struct change *change;
	size_t change_count, change_capacity;
};

static void *must(void *memory)
{
	if (memory)
		return memory;
	fputs("digest: out of memory\n", stderr);
	exit(1);
}

static uint64_t mix(uint64_t x)
{
	x += 0x9E3779B97F4A7C15u;
	x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
	x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
	return x ^ (x >> 31);
}

static uint64_t hash_bytes(const char *text, size_t length)
{
	uint64_t hash = length, word;

	for (; length >= 8; length -= 8, text += 8) {
		memcpy(&word, text, 8);
		hash = mix(hash ^ word);
	}
	word = 0;
	memcpy(&word, text, length);
	return mix(hash ^ word);
}

/* YYYY-MM-DD, a blank or T, HH:MM:SS, perhaps a fraction. */
static uint64_t hash_timestamp(const struct csv_field *field)
{
	static const char form[] = "0000-00-00 00:00:00";
	struct csv_field fraction = { field->text + 19, 0, false };
	bool is_right = field->length >= 19;

	if (is_right && field->text[10] == 'T')
		field->text[10] = ' ';
	for (size_t i = 0; is_right && i < 19; i++)
		is_right = form[i] == '0' ?
			isdigit((unsigned char)field->text[i]) :
			field->text[i] == form[i];
	if (is_right && field->length > 19) {
		fraction.length = field->length - 19;
		is_right = fraction.text[0] == '.';
	}
	if (!is_right) {
		fprintf(stderr, "digest: not a timestamp: %s\n", field->text);
		exit(1);
	}
	return mix(hash_bytes(field->text, 19) ^
		   (uint64_t)csv_scaled(&fraction, 6));
}

static uint64_t hash_double(const struct csv_field *field)
{
	char *stop;
	double value = strtod(field->text, &stop);
	uint64_t bits;

	if (!field->length || *stop) {
		fprintf(stderr, "digest: not a number: %s\n", field->text);
		exit(1);
	}
	memcpy(&bits, &value, sizeof(bits));
	return mix(bits);
}

static uint64_t hash_field(const struct csv_field *field, int column)
{
	if (field->is_null)
		return mix(~(uint64_t)0);
	switch (column) {
	case COLUMN_PURCHASES:
		return mix((uint64_t)csv_scaled(field, 2));
	case COLUMN_QUANTITY:
		return mix((uint64_t)csv_scaled(field, 0));
	case COLUMN_UPDATED_AT:
		return hash_timestamp(field);
	case COLUMN_IS_DELETED:
		return mix(csv_boolean(field));
	case COLUMN_SCORE:
		return hash_double(field);
	default:
		return hash_bytes(field->text, field->length);
	}
}

static void row_tally(struct tally *out, const struct csv_row *row)
{
	const struct csv_field *field = row->field;

	memset(out, 0, sizeof(*out));
	out->rows = 1;
	if (field[COLUMN_ID].length < 20)
		out->id_sum = (uint64_t)csv_scaled(&field[COLUMN_ID], 0);
	if (!field[COLUMN_PURCHASES].is_null)
		out->purchases_cents =
			(uint64_t)csv_scaled(&field[COLUMN_PURCHASES], 2);
	if (!field[COLUMN_QUANTITY].is_null)
		out->quantity =
			(uint64_t)csv_scaled(&field[COLUMN_QUANTITY], 0);
	out->null_scores = field[COLUMN_SCORE].is_null;
	out->null_notes = field[COLUMN_NOTE].is_null;
	for (int i = 0; i < COLUMN_COUNT; i++)
		out->hash = mix(out->hash ^ hash_field(&field[i], i));
}

static void tally_add(struct tally *sum, const struct tally *row)
{
	sum->rows += row->rows;
	sum->id_sum += row->id_sum;
	sum->purchases_cents += row->purchases_cents;
	sum->quantity += row->quantity;
	sum->null_scores += row->null_scores;
	sum->null_notes += row->null_notes;
	sum->hash += row->hash;
}

static uint64_t row_key(const struct csv_row *row)
{
	const struct csv_field *id = &row->field[COLUMN_ID];
	uint64_t key = hash_bytes(id->text, id->length);

	return key ? key : 1;
}

/* The slot of key, or the free one where it belongs. */
static struct slot *find_slot(const struct merge_state *state, uint64_t key)
{
	size_t at = key & (state->slot_count - 1);

	while (state->slot[at].key && state->slot[at].key != key)
		at = (at + 1) & (state->slot_count - 1);
	return &state->slot[at];
}

static void grow_slots(struct merge_state *state)
{
	struct merge_state bigger = *state;

	bigger.slot_count = state->slot_count ? state->slot_count * 2 : 1024;
	bigger.slot = must(calloc(bigger.slot_count, sizeof(*bigger.slot)));
	for (size_t i = 0; i < state->slot_count; i++) {
		if (state->slot[i].key)
			*find_slot(&bigger, state->slot[i].key) =
				state->slot[i];
	}
	free(state->slot);
	*state = bigger;
}

/* Put a change behind the earlier ones of its key. */
static void append_change(struct merge_state *state, uint64_t key,
			  const struct change *change)
{
	struct slot *slot;

	if (state->key_count * 2 >= state->slot_count)
		grow_slots(state);
	if (state->change_count == state->change_capacity) {
		state->change_capacity = state->change_capacity * 2 + 1024;
		state->change = must(realloc(state->change,
			state->change_capacity * sizeof(*state->change)));
	}
	slot = find_slot(state, key);
	if (!slot->key) {
		slot->key = key;
		state->key_count++;
	}
	state->change[state->change_count++] = *change;
	if (!slot->last) {
		slot->first = state->change_count;
	} else if (state->change[slot->last - 1].batch == change->batch) {
		fputs("digest: a batch has a key twice\n", stderr);
		exit(1);
	} else {
		state->change[slot->last - 1].next = state->change_count;
	}
	slot->last = state->change_count;
}

static void read_batch(struct merge_state *state, const char *path,
		       unsigned batch)
{
	struct csv_rows *rows = csv_rows_open(path);
	struct csv_row row;

	while (csv_rows_next(rows, &row)) {
		const struct csv_field *deleted =
			&row.field[COLUMN_IS_DELETED];
		struct change change = { .batch = batch };

		change.is_deleted = !deleted->is_null && csv_boolean(deleted);
		row_tally(&change.row, &row);
		append_change(state, row_key(&row), &change);
	}
	csv_rows_close(rows);
}

static void read_target(struct merge_state *state, const char *path,
			struct tally *sum)
{
	struct csv_rows *rows = csv_rows_open(path);
	struct csv_row row;

	while (csv_rows_next(rows, &row)) {
		struct slot *slot = NULL;
		struct tally tally;

		row_tally(&tally, &row);
		if (state->slot_count)
			slot = find_slot(state, row_key(&row));
		if (!slot || !slot->key) {
			tally_add(sum, &tally);
			continue;
		}
		if (slot->is_present) {
			fputs("digest: the target has a key twice\n", stderr);
			exit(1);
		}
		slot->is_present = true;
		slot->row = tally;
	}
	csv_rows_close(rows);
}

/* Merge the changes of every key in the order of the batches. */
static void replay(struct merge_state *state, struct tally *sum,
		   struct batch_count *count)
{
	for (size_t i = 0; i < state->slot_count; i++) {
		struct slot *slot = &state->slot[i];
		const struct change *change;

		for (size_t at = slot->first; at; at = change->next) {
			change = &state->change[at - 1];
			if (!slot->is_present) {
				count[change->batch].inserted++;
			} else if (change->is_deleted) {
				count[change->batch].deleted++;
				slot->is_present = false;
				continue;
			} else {
				count[change->batch].updated++;
			}
			slot->is_present = true;
			slot->row = change->row;
		}
		if (slot->is_present)
			tally_add(sum, &slot->row);
	}
}

static void print_digest(const struct tally *sum,
			 const struct batch_count *count, unsigned batches)
{
	printf("{\"rows\": %llu, \"id_sum\": %llu, \"purchases_cents\": %llu,"
	       " \"quantity\": %llu, \"null_scores\": %llu,"
	       " \"null_notes\": %llu, \"hash\": \"%016llx\"",
	       (unsigned long long)sum->rows,
	       (unsigned long long)sum->id_sum,
	       (unsigned long long)sum->purchases_cents,
	       (unsigned long long)sum->quantity,
	       (unsigned long long)sum->null_scores,
	       (unsigned long long)sum->null_notes,
	       (unsigned long long)sum->hash);
	printf(", \"batches\": [");
	for (unsigned i = 0; i < batches; i++)
		printf("%s{\"updated\": %llu, \"deleted\": %llu,"
		       " \"inserted\": %llu}", i ? ", " : "",
		       (unsigned long long)count[i].updated,
		       (unsigned long long)count[i].deleted,
		       (unsigned long long)count[i].inserted);
	puts("]}");
}

int main(int argc, char **argv)
{
	struct merge_state state = { 0 };
	struct batch_count *count;
	struct tally sum = { 0 };
	unsigned batches;

	if (argc < 2) {
		fputs("usage: digest TARGET.csv [BATCH.csv...]\n", stderr);
		return 2;
	}
	batches = (unsigned)argc - 2;
	count = must(calloc(batches + 1, sizeof(*count)));
	for (unsigned i = 0; i < batches; i++)
		read_batch(&state, argv[i + 2], i);
	read_target(&state, argv[1], &sum);
	replay(&state, &sum, count);
	print_digest(&sum, count, batches);
	free(state.slot);
	free(state.change);
	free(count);
	return 0;
}
