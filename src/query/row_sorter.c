/*
 * row_sorter.c - rows are collected and sorted in parts
 *
 * Why:    ORDER BY, windows and ordered aggregates need rows in order, more
 *         of them than fit in memory.
 * How:    each writer copies rows column by column with their keys; entries
 *         of the first 16 bytes of the key and the row's number are sorted by
 *         merging, so that rows that come sorted cost a look. Past a writer's
 *         share of the memory they are written as a run and it begins anew.
 *         Where only the first rows are wanted, later ones are dropped as
 *         soon as enough are there, and those that come behind them at once.
 *         Where only the first of each partition is, an entry is that of a
 *         partition until the rows are sorted, and a row takes the place of
 *         the one that was it before; when half of the bytes are what longer
 *         values left behind, the rows move to a new pile.
 * Cost:   a copy of every value, 48 bytes a row, its key.
 */
#include "query/sorter_state.h"

#define INSERTION_ROWS 12
#define RUN_BLOCK_ROWS 1024
/* Blocks are cut to so many bytes, about. */
#define RUN_BLOCK_BYTES ((size_t)512 << 10)
#define TOP_LIMIT 100000
#define TOP_SLACK 16384
/* So many bytes that nobody wants do not matter. */
#define WASTE_SLACK ((size_t)64 << 10)
#define LEAST_WRITER_BYTES ((size_t)64 << 10)

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "sorting rows");
}

static int copy_options(struct row_sorter *sorter,
			const struct sorter_options *options,
			struct error *err)
{
	size_t count = options->column_count;
	size_t writers = options->writer_count ? options->writer_count : 1;

	sorter->types = mem_alloc_array(count + 3, sizeof(struct type));
	sorter->stored = mem_alloc_array(count + 3, sizeof(bool));
	sorter->keys = mem_alloc_array(options->key_count + 1,
				       sizeof(*sorter->keys));
	sorter->partition_types = mem_alloc_array(
		options->partition_count + 1, sizeof(struct type));
	if (!sorter->types || !sorter->stored || !sorter->keys ||
	    !sorter->partition_types)
		return no_memory(err);
	for (size_t i = 0; i < options->partition_count; i++)
		sorter->partition_types[i] = options->keys[i].type;
	for (size_t i = 0; i < count; i++) {
		sorter->types[i] = options->types[i];
		sorter->stored[i] = !options->stored || options->stored[i];
	}
	for (size_t i = 0; i < options->key_count; i++)
		sorter->keys[i] = options->keys[i];
	sorter->types[count] = type_of(TYPE_VARBINARY);
	sorter->types[count + 1] = type_of(TYPE_BIGINT);
	sorter->types[count + 2] = type_of(TYPE_INTEGER);
	for (size_t i = count; i < count + 3; i++)
		sorter->stored[i] = true;
	sorter->shape.types = sorter->types;
	sorter->shape.stored = sorter->stored;
	sorter->shape.column_count = count + 3;
	sorter->column_count = count;
	sorter->key_count = options->key_count;
	sorter->partition_count = options->partition_count;
	sorter->first_rows = options->first_rows;
	sorter->first_of_partition = options->first_of_partition;
	sorter->writer_bytes = options->memory_bytes
				       ? options->memory_bytes / writers
				       : SIZE_MAX;
	if (sorter->writer_bytes < LEAST_WRITER_BYTES)
		sorter->writer_bytes = LEAST_WRITER_BYTES;
	return 0;
}

int row_sorter_new(struct row_sorter **out,
		   const struct sorter_options *options, struct error *err)
{
	struct row_sorter *sorter = mem_zalloc(sizeof(*sorter));
	int rc;

	*out = NULL;
	if (!sorter)
		return no_memory(err);
	origin_list_init(&sorter->origins);
	run_file_init(&sorter->file, options->directory);
	pthread_mutex_init(&sorter->lock, NULL);
	rc = copy_options(sorter, options, err);
	if (rc) {
		row_sorter_free(sorter);
		return rc;
	}
	*out = sorter;
	return 0;
}

static void sorted_release(struct sorted_pile *sorted)
{
	pile_release(&sorted->pile);
	mem_free(sorted->entries);
	sorted->entries = NULL;
	sorted->count = 0;
}

void row_sorter_free(struct row_sorter *sorter)
{
	if (!sorter)
		return;
	for (size_t i = 0; i < sorter->run_count; i++)
		run_release(&sorter->runs[i]);
	for (size_t i = 0; i < sorter->pile_count; i++)
		sorted_release(&sorter->piles[i]);
	for (size_t i = 0; i < sorter->waiting_count; i++)
		sorter_writer_free(sorter->waiting[i]);
	mem_free(sorter->runs);
	mem_free(sorter->piles);
	mem_free(sorter->waiting);
	run_file_release(&sorter->file);
	origin_list_release(&sorter->origins);
	pthread_mutex_destroy(&sorter->lock);
	mem_free(sorter->types);
	mem_free(sorter->stored);
	mem_free(sorter->partition_types);
	mem_free(sorter->keys);
	mem_free(sorter);
}

uint64_t row_sorter_spilled(const struct row_sorter *sorter)
{
	return sorter->file.end;
}

static int first_init(struct sorter_writer *writer, struct error *err)
{
	const struct row_sorter *sorter = writer->sorter;
	int rc = selection_buffer_init(&writer->again, BATCH_ROW_COUNT, err);

	if (rc)
		return rc;
	writer->replaced = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint32_t));
	return writer->replaced
		? first_rows_new(&writer->first, sorter->partition_types,
				 sorter->partition_count, err)
		: no_memory(err);
}

int sorter_writer_new(struct sorter_writer **out, struct row_sorter *sorter,
		      struct error *err)
{
	struct sorter_writer *writer = mem_zalloc(sizeof(*writer));
	int rc;

	*out = NULL;
	if (!writer)
		return no_memory(err);
	writer->sorter = sorter;
	pile_init(&writer->sorted.pile, &sorter->shape);
	key_encoder_init(&writer->encoder, sorter->keys, sorter->key_count,
			 sorter->partition_count);
	vector_init(&writer->lines, type_of(TYPE_BIGINT));
	vector_init(&writer->origins, type_of(TYPE_INTEGER));
	writer->columns = mem_alloc_array(sorter->shape.column_count,
					  sizeof(*writer->columns));
	rc = selection_buffer_init(&writer->kept, BATCH_ROW_COUNT, err);
	if (!rc && !writer->columns)
		rc = no_memory(err);
	if (!rc && sorter->first_of_partition)
		rc = first_init(writer, err);
	if (rc) {
		sorter_writer_free(writer);
		return rc;
	}
	*out = writer;
	return 0;
}

void sorter_writer_free(struct sorter_writer *writer)
{
	if (!writer)
		return;
	sorted_release(&writer->sorted);
	first_rows_free(writer->first);
	key_encoder_release(&writer->encoder);
	vector_release(&writer->lines);
	vector_release(&writer->origins);
	selection_buffer_release(&writer->kept);
	selection_buffer_release(&writer->again);
	mem_free(writer->replaced);
	mem_free(writer->columns);
	mem_free(writer->spare);
	mem_free(writer->cutoff);
	mem_free(writer);
}

static inline uint64_t key_word(struct byte_view key, size_t at)
{
	uint64_t word = 0;

	if (key.length >= at + 8) {
		memcpy(&word, key.data + at, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		word = __builtin_bswap64(word);
#endif
		return word;
	}
	for (size_t k = at; k < at + 8; k++)
		word = word << 8 | (k < key.length ? key.data[k] : 0);
	return word;
}

void sort_entry_of(struct sort_entry *entry, struct byte_view key,
		   uint32_t row)
{
	entry->high = key_word(key, 0);
	entry->low = key_word(key, 8);
	entry->row = row;
}

struct byte_view sorter_key_of(const struct sorter_writer *writer,
			       uint32_t row)
{
	struct row_ref ref = pile_row(&writer->sorted.pile, row);

	return vector_bytes(&ref.columns[sorter_key_column(writer->sorter)])
			   [ref.row];
}

static int compare(const struct sorter_writer *writer,
		   const struct sort_entry *a, const struct sort_entry *b)
{
	if (a->high != b->high)
		return a->high < b->high ? -1 : 1;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return compare_key_tails(sorter_key_of(writer, a->row),
				 sorter_key_of(writer, b->row));
}

static void insertion_sort(const struct sorter_writer *writer,
			   struct sort_entry *entries, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct sort_entry entry = entries[i];
		size_t at = i;

		for (; at > 0 && compare(writer, &entries[at - 1], &entry) > 0;
		     at--)
			entries[at] = entries[at - 1];
		entries[at] = entry;
	}
}

/* Merge two sorted neighbours; the first half goes aside. */
static void merge_halves(const struct sorter_writer *writer,
			 struct sort_entry *entries, size_t half, size_t count)
{
	struct sort_entry *left = writer->spare;
	size_t i = 0, k = half, out = 0;

	if (compare(writer, &entries[half - 1], &entries[half]) <= 0)
		return;
	memcpy(left, entries, half * sizeof(*left));
	while (i < half && k < count)
		entries[out++] = compare(writer, &left[i], &entries[k]) <= 0
					 ? left[i++] : entries[k++];
	memcpy(entries + out, left + i, (half - i) * sizeof(*left));
}

static int sort_entries(struct sorter_writer *writer, struct error *err)
{
	size_t count = writer->sorted.count, width = INSERTION_ROWS;
	struct sort_entry *entries = writer->sorted.entries;

	if (count > writer->spare_capacity) {
		mem_free(writer->spare);
		writer->spare_capacity = 0;
		writer->spare = mem_alloc_array(count, sizeof(*entries));
		if (!writer->spare)
			return no_memory(err);
		writer->spare_capacity = count;
	}
	for (size_t at = 0; at < count; at += width)
		insertion_sort(writer, entries + at,
			       count - at < width ? count - at : width);
	for (; width < count; width *= 2) {
		int rc = interrupt_check(err);

		if (rc)
			return rc;
		for (size_t at = 0; count - at > width; at += 2 * width) {
			size_t both = count - at < 2 * width ? count - at
							     : 2 * width;

			merge_halves(writer, entries + at, width, both);
			if (both < 2 * width)
				break;
		}
	}
	return 0;
}

/* Gather rows of the entries first .. first + count - 1. */
static int gather_entries(const struct sorter_writer *writer, size_t first,
			  size_t count, struct vector *columns,
			  struct error *err)
{
	struct row_ref refs[RUN_BLOCK_ROWS];
	const struct row_shape *shape = &writer->sorter->shape;
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		refs[i] = pile_row(&writer->sorted.pile,
				   writer->sorted.entries[first + i].row);
	for (size_t c = 0; !rc && c < shape->column_count; c++)
		if (shape_has(shape, c))
			rc = rows_gather(refs, count, c, &columns[c], err);
	return rc;
}

int sorter_add_run(struct row_sorter *sorter, struct run *run,
		   struct error *err)
{
	int rc = 0;

	pthread_mutex_lock(&sorter->lock);
	if (mem_grow((void **)&sorter->runs, &sorter->run_capacity,
		     sorter->run_count, sizeof(*sorter->runs)))
		sorter->runs[sorter->run_count++] = *run;
	else
		rc = no_memory(err);
	pthread_mutex_unlock(&sorter->lock);
	return rc;
}

static void forget_rows(struct sorter_writer *writer)
{
	pile_release(&writer->sorted.pile);
	writer->sorted.count = 0;
}

/* Write the rows as a sorted run, and begin anew. */
static int spill(struct sorter_writer *writer, struct error *err)
{
	struct row_sorter *sorter = writer->sorter;
	size_t rows = writer->sorted.count, block;
	struct run run = { 0 };
	struct batch batch;
	int rc = sort_entries(writer, err);

	if (rc)
		return rc;
	block = RUN_BLOCK_BYTES / (writer->sorted.pile.bytes / rows + 1) + 16;
	block = block < RUN_BLOCK_ROWS ? block : RUN_BLOCK_ROWS;
	rc = batch_init_types(&batch, sorter->types,
			      sorter->shape.column_count, err);
	if (rc)
		return rc;
	for (size_t at = 0; !rc && at < rows; at += block) {
		size_t count = rows - at < block ? rows - at : block;

		rc = gather_entries(writer, at, count, batch.columns, err);
		if (!rc)
			rc = run_write(&run, &sorter->file, &sorter->shape,
				       batch.columns, count, err);
	}
	batch_release(&batch);
	if (!rc)
		rc = sorter_add_run(sorter, &run, err);
	if (rc)
		run_release(&run);
	forget_rows(writer);
	return rc || !writer->first ? rc : first_rows_reset(writer->first, err);
}

/* Move the rows that entries know to a new pile. */
static int drop_others(struct sorter_writer *writer, struct error *err)
{
	struct row_sorter *sorter = writer->sorter;
	size_t width = sorter->shape.column_count;
	struct pile pile;
	struct batch batch;
	int rc = batch_init_types(&batch, sorter->types, width, err);

	if (rc)
		return rc;
	pile_init(&pile, &sorter->shape);
	for (size_t at = 0; !rc && at < writer->sorted.count;) {
		size_t count = writer->sorted.count - at;
		struct selection all;

		all = selection_all(count < RUN_BLOCK_ROWS ? count
							   : RUN_BLOCK_ROWS);
		rc = gather_entries(writer, at, all.count, batch.columns, err);
		for (size_t c = 0; c < width; c++)
			writer->columns[c] = &batch.columns[c];
		if (!rc)
			rc = pile_append(&pile, writer->columns, &all, err);
		at += all.count;
	}
	batch_release(&batch);
	pile_release(&writer->sorted.pile);
	writer->sorted.pile = pile;
	for (size_t i = 0; i < writer->sorted.count; i++)
		writer->sorted.entries[i].row = (uint32_t)i;
	return rc;
}

/* Keep the first rows, and the key of the last of them. */
static int keep_first(struct sorter_writer *writer, struct error *err)
{
	size_t wanted = (size_t)writer->sorter->first_rows;
	struct sorted_pile old;
	struct byte_view key;
	int rc = sort_entries(writer, err);

	if (rc || wanted == 0 || writer->sorted.count < wanted)
		return rc;
	old = writer->sorted;
	pile_init(&writer->sorted.pile, &writer->sorter->shape);
	for (size_t i = 0; !rc && i < wanted; i++) {
		struct row_ref ref = pile_row(&old.pile, old.entries[i].row);
		struct selection one = { &ref.row, 1 };

		for (size_t c = 0; c < writer->sorter->shape.column_count; c++)
			writer->columns[c] = &ref.columns[c];
		rc = pile_append(&writer->sorted.pile, writer->columns, &one,
				 err);
		old.entries[i].row = (uint32_t)i;
	}
	pile_release(&old.pile);
	writer->sorted.count = rc ? 0 : wanted;
	if (rc)
		return rc;
	key = sorter_key_of(writer, (uint32_t)wanted - 1);
	if (key.length > writer->cutoff_capacity) {
		mem_free(writer->cutoff);
		writer->cutoff_capacity = 0;
		writer->cutoff_length = 0;
		writer->cutoff = mem_alloc(key.length);
		if (!writer->cutoff)
			return no_memory(err);
		writer->cutoff_capacity = key.length;
	}
	memcpy(writer->cutoff, key.data, key.length);
	writer->cutoff_length = key.length;
	return 0;
}

static bool is_behind(const struct sorter_writer *writer,
		      struct byte_view key)
{
	size_t length = key.length < writer->cutoff_length
				? key.length : writer->cutoff_length;

	return memcmp(key.data, writer->cutoff, length) > 0;
}

/* Which rows are wanted at all. */
static int pick_rows(struct sorter_writer *writer,
		     const struct sorter_rows *rows, struct selection *out,
		     struct error *err)
{
	size_t n = 0;

	*out = rows->rows;
	if (writer->sorter->first_rows == 0)
		out->count = 0;
	if (!writer->cutoff_length)
		return 0;
	if (rows->rows.count > writer->kept.capacity) {
		selection_buffer_release(&writer->kept);
		if (selection_buffer_init(&writer->kept, rows->rows.count,
					  err))
			return err->code;
	}
	for (size_t i = 0; i < rows->rows.count; i++) {
		size_t row = selection_row(&rows->rows, i);

		writer->kept.rows[n] = (uint32_t)row;
		n += !is_behind(writer,
				vector_bytes(&writer->encoder.keys)[row]);
	}
	out->rows = writer->kept.rows;
	out->count = n;
	return 0;
}

/* The columns behind those of the caller. */
static int make_places(struct sorter_writer *writer,
		       const struct sorter_rows *rows, struct error *err)
{
	size_t count = rows->batch->row_count;
	struct row_origin origin = row_origin_of(rows->batch);
	uint16_t index;
	int rc = origin_list_find(&writer->sorter->origins, &origin, &index,
				  err);

	vector_reset(&writer->lines);
	vector_reset(&writer->origins);
	if (!rc)
		rc = vector_reserve(&writer->lines, count, err);
	if (!rc)
		rc = vector_reserve(&writer->origins, count, err);
	if (rc)
		return rc;
	writer->lines.count = writer->origins.count = count;
	for (size_t i = 0; i < count; i++) {
		vector_i64(&writer->lines)[i] =
			(int64_t)row_origin_line(&origin, i);
		vector_i32(&writer->origins)[i] = index;
	}
	return 0;
}

static int reserve_entries(struct sorter_writer *writer, size_t need,
			   struct error *err)
{
	if (!mem_reserve((void **)&writer->sorted.entries,
			 &writer->entry_capacity, need,
			 sizeof(*writer->sorted.entries)))
		return no_memory(err);
	return 0;
}

static int add_entries(struct sorter_writer *writer,
		       const struct selection *rows, struct error *err)
{
	struct sorted_pile *sorted = &writer->sorted;
	size_t need = sorted->count + rows->count;
	int rc = reserve_entries(writer, need, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < rows->count; i++)
		sort_entry_of(&sorted->entries[sorted->count + i],
			      vector_bytes(&writer->encoder.keys)
					  [selection_row(rows, i)],
			      (uint32_t)(sorted->count + i));
	sorted->count = need;
	return 0;
}

static struct byte_view first_key(const void *context, uint32_t partition)
{
	const struct sorter_writer *writer = context;

	return sorter_key_of(writer, writer->sorted.entries[partition].row);
}

/* Rows that are the first of their partition now, and their entries: picked
 * go to the end of the pile, those in again to the rows in replaced. */
static int pick_first(struct sorter_writer *writer,
		      const struct sorter_rows *rows, struct selection *picked,
		      struct error *err)
{
	struct sorted_pile *sorted = &writer->sorted;
	const struct byte_view *keys = vector_bytes(&writer->encoder.keys);
	struct first_batch batch = { rows->keys, keys, &rows->rows, first_key,
				     writer };
	struct selection all;
	const uint32_t *partitions;
	size_t n = 0;
	int rc = first_rows_pick(writer->first, &batch, &all, &partitions,
				 err);

	if (!rc)
		rc = reserve_entries(writer, writer->first->table.count, err);
	if (rc)
		return rc;
	writer->again.count = 0;
	for (size_t i = 0; i < all.count; i++) {
		uint32_t row = all.rows[i];
		struct sort_entry *entry = &sorted->entries[partitions[i]];
		bool is_new = partitions[i] >= sorted->count;
		size_t again = writer->again.count;

		if (is_new) {
			entry->row = (uint32_t)(sorted->pile.row_count + n);
			writer->kept.rows[n++] = row;
		} else {
			writer->replaced[again] = entry->row;
			writer->again.rows[again] = row;
			writer->again.count++;
		}
		sort_entry_of(entry, keys[row], entry->row);
	}
	picked->rows = writer->kept.rows;
	picked->count = n;
	sorted->count = writer->first->table.count;
	return 0;
}

static size_t held_bytes(const struct sorter_writer *writer)
{
	size_t bytes = writer->first ? first_rows_bytes(writer->first) : 0;

	return bytes + writer->sorted.pile.bytes +
	       2 * writer->sorted.count * sizeof(struct sort_entry);
}

/* Keep to what is wanted and to the memory. */
static int shrink(struct sorter_writer *writer, struct error *err)
{
	struct row_sorter *sorter = writer->sorter;
	const struct pile *pile = &writer->sorted.pile;
	int rc = 0;

	if (sorter->first_rows <= TOP_LIMIT &&
	    writer->sorted.count > 2 * sorter->first_rows + TOP_SLACK)
		rc = keep_first(writer, err);
	if (!rc && pile->waste_bytes > WASTE_SLACK &&
	    (pile->waste_bytes > pile->bytes / 2 ||
	     (pile->waste_bytes > pile->bytes / 4 &&
	      held_bytes(writer) > sorter->writer_bytes)))
		rc = drop_others(writer, err);
	if (!rc && held_bytes(writer) > sorter->writer_bytes)
		rc = spill(writer, err);
	return rc;
}

/* Rows of old partitions, which columns has. */
static int replace_rows(struct sorter_writer *writer, struct error *err)
{
	struct selection again = selection_of(&writer->again);

	return pile_replace(&writer->sorted.pile, writer->replaced,
			    writer->columns, &again, err);
}

int sorter_add(struct sorter_writer *writer, const struct sorter_rows *rows,
	       struct error *err)
{
	struct row_sorter *sorter = writer->sorter;
	struct selection picked;
	int rc = key_encoder_run(&writer->encoder, rows->keys,
				 rows->batch->row_count, rows->unit,
				 rows->position, err);

	if (!rc && writer->first)
		rc = pick_first(writer, rows, &picked, err);
	else if (!rc)
		rc = pick_rows(writer, rows, &picked, err);
	if (rc || (picked.count == 0 && writer->again.count == 0))
		return rc;
	rc = make_places(writer, rows, err);
	for (size_t i = 0; i < sorter->column_count; i++)
		writer->columns[i] = rows->columns[i];
	writer->columns[sorter_key_column(sorter)] = &writer->encoder.keys;
	writer->columns[sorter_line_column(sorter)] = &writer->lines;
	writer->columns[sorter_origin_column(sorter)] = &writer->origins;
	if (!rc)
		rc = pile_append(&writer->sorted.pile, writer->columns,
				 &picked, err);
	if (!rc && writer->first)
		rc = replace_rows(writer, err);
	else if (!rc)
		rc = add_entries(writer, &picked, err);
	return rc ? rc : shrink(writer, err);
}

int sorter_finish_sorted(struct sorter_writer *writer, struct error *err)
{
	struct row_sorter *sorter = writer->sorter;
	bool is_first;
	int rc = sort_entries(writer, err);

	if (rc)
		return rc;
	mem_free(writer->spare);
	writer->spare = NULL;
	writer->spare_capacity = 0;
	is_first = writer->first != NULL;
	first_rows_free(writer->first);
	writer->first = NULL;
	/* then they are in order, which whoever reads them is glad of */
	if (is_first && writer->sorted.pile.bytes <= sorter->writer_bytes / 2)
		rc = drop_others(writer, err);
	if (rc)
		return rc;
	pthread_mutex_lock(&sorter->lock);
	if (mem_grow((void **)&sorter->piles, &sorter->pile_capacity,
		     sorter->pile_count, sizeof(*sorter->piles))) {
		sorter->piles[sorter->pile_count++] = writer->sorted;
		memset(&writer->sorted, 0, sizeof(writer->sorted));
		pile_init(&writer->sorted.pile, &sorter->shape);
		writer->entry_capacity = 0;
	} else {
		rc = no_memory(err);
	}
	pthread_mutex_unlock(&sorter->lock);
	return rc;
}

int sorter_writer_finish(struct sorter_writer *writer, struct error *err)
{
	if (writer->sorted.count == 0)
		return 0;
	return writer->first ? sorter_wait(writer, err)
			     : sorter_finish_sorted(writer, err);
}
