/*
 * sorter_read.c - sorted parts become one
 *
 * How:    a heap of cursors, one over each pile in memory and each run on
 *         disk, of which a block is in memory at a time. Rows are noted and
 *         gathered column by column when a batch is full, when a block that
 *         holds some of them is used up, or when the origin changes. Where
 *         only the first of a partition is wanted, those behind it are left
 *         out. Too many runs are merged to fewer first.
 * Cost:   log2(parts) comparisons a row.
 */
#include "query/sorter_state.h"

struct cursor {
	const struct sorted_pile *sorted;	/* or */
	const struct run *run;
	size_t next;		/* entry, or block */
	struct text bytes;	/* of the block */
	struct vector *columns;
	size_t row_count;
	bool is_used_up;	/* rows of the block are still noted */
	/* the row it stands at */
	struct sort_entry entry;
	struct byte_view key;
	struct row_ref ref;
};

struct sorter_reader {
	struct row_sorter *sorter;
	struct cursor *cursors;
	size_t cursor_count;
	struct cursor **heap;
	size_t heap_count;
	struct batch out;	/* with key, line and origin */
	struct row_ref refs[BATCH_ROW_COUNT];
	size_t ref_count;
	struct text partition;	/* of the row noted last, if only first
				 * rows are wanted */
	bool has_partition;
	uint64_t given;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "sorting rows");
}

static void cursor_release(struct row_sorter *sorter, struct cursor *cursor)
{
	for (size_t i = 0;
	     cursor->columns && i < sorter->shape.column_count; i++)
		vector_release(&cursor->columns[i]);
	mem_free(cursor->columns);
	text_release(&cursor->bytes);
}

/* Show the row that ref names. */
static void cursor_show(const struct row_sorter *sorter,
			struct cursor *cursor)
{
	cursor->key = vector_bytes(
		&cursor->ref.columns[sorter_key_column(sorter)])
		[cursor->ref.row];
	if (cursor->sorted)
		cursor->entry = cursor->sorted->entries[cursor->next];
	else
		sort_entry_of(&cursor->entry, cursor->key, 0);
}

/* The first row, or the one after a block that was used up; *more: is there
 * one? */
static int cursor_load(struct row_sorter *sorter, struct cursor *cursor,
		       bool *more, struct error *err)
{
	int rc;

	cursor->is_used_up = false;
	if (cursor->sorted) {
		*more = cursor->next < cursor->sorted->count;
		if (*more) {
			cursor->ref = pile_row(
				&cursor->sorted->pile,
				cursor->sorted->entries[cursor->next].row);
			cursor_show(sorter, cursor);
		}
		return 0;
	}
	*more = cursor->next < cursor->run->block_count;
	if (!*more)
		return 0;
	rc = run_read(&cursor->run->blocks[cursor->next], &sorter->file,
		      &sorter->shape, cursor->columns, &cursor->bytes, err);
	if (rc)
		return rc;
	cursor->row_count = cursor->run->blocks[cursor->next++].row_count;
	cursor->ref.columns = cursor->columns;
	cursor->ref.row = 0;
	cursor_show(sorter, cursor);
	return 0;
}

/* To the next row; false: there is none, or another block is to be read. */
static bool cursor_step(const struct row_sorter *sorter,
			struct cursor *cursor)
{
	if (cursor->sorted) {
		if (++cursor->next == cursor->sorted->count)
			return false;
		cursor->ref = pile_row(
			&cursor->sorted->pile,
			cursor->sorted->entries[cursor->next].row);
	} else {
		if (++cursor->ref.row == cursor->row_count) {
			cursor->is_used_up = true;
			return false;
		}
	}
	cursor_show(sorter, cursor);
	return true;
}

static bool is_before(const struct cursor *a, const struct cursor *b)
{
	if (a->entry.high != b->entry.high)
		return a->entry.high < b->entry.high;
	if (a->entry.low != b->entry.low)
		return a->entry.low < b->entry.low;
	return compare_key_tails(a->key, b->key) < 0;
}

/* Put the cursor at the top where it belongs. */
static void sift_down(struct sorter_reader *reader)
{
	struct cursor **heap = reader->heap, *top = heap[0];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= reader->heap_count)
			break;
		if (child + 1 < reader->heap_count &&
		    is_before(heap[child + 1], heap[child]))
			child++;
		if (!is_before(heap[child], top))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = top;
}

static void heap_add(struct sorter_reader *reader, struct cursor *cursor)
{
	size_t at = reader->heap_count++;

	while (at > 0 && is_before(cursor, reader->heap[(at - 1) / 2])) {
		reader->heap[at] = reader->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	reader->heap[at] = cursor;
}

static int add_cursor(struct sorter_reader *reader,
		      const struct sorted_pile *sorted, const struct run *run,
		      struct error *err)
{
	struct row_sorter *sorter = reader->sorter;
	struct cursor *cursor = &reader->cursors[reader->cursor_count++];
	bool more;
	int rc;

	cursor->sorted = sorted;
	cursor->run = run;
	if (run) {
		size_t count = sorter->shape.column_count;

		cursor->columns = mem_zalloc_array(count,
						   sizeof(struct vector));
		if (!cursor->columns)
			return no_memory(err);
		for (size_t i = 0; i < count; i++)
			vector_init(&cursor->columns[i], sorter->types[i]);
	}
	rc = cursor_load(sorter, cursor, &more, err);
	if (!rc && more)
		heap_add(reader, cursor);
	return rc;
}

/* A reader of the first run_count runs, and of the piles if asked for. */
static int reader_new(struct sorter_reader **out, struct row_sorter *sorter,
		      size_t run_count, bool with_piles, struct error *err)
{
	struct sorter_reader *reader = mem_zalloc(sizeof(*reader));
	size_t count = run_count + (with_piles ? sorter->pile_count : 0);
	int rc;

	*out = NULL;
	if (!reader)
		return no_memory(err);
	reader->sorter = sorter;
	reader->cursors = mem_zalloc_array(count + 1,
					   sizeof(*reader->cursors));
	reader->heap = mem_zalloc_array(count + 1, sizeof(*reader->heap));
	rc = batch_init_types(&reader->out, sorter->types,
			      sorter->shape.column_count, err);
	if (!rc && (!reader->cursors || !reader->heap))
		rc = no_memory(err);
	for (size_t i = 0; !rc && i < run_count; i++)
		rc = add_cursor(reader, NULL, &sorter->runs[i], err);
	for (size_t i = 0; !rc && with_piles && i < sorter->pile_count; i++)
		rc = add_cursor(reader, &sorter->piles[i], NULL, err);
	if (rc) {
		sorter_reader_free(reader);
		return rc;
	}
	*out = reader;
	return 0;
}

/* Is the row the first of its partition? */
static int is_first(struct sorter_reader *reader, struct byte_view key,
		    bool *out, struct error *err)
{
	struct byte_view part = sort_key_partition(key);
	struct text *last = &reader->partition;

	*out = !reader->has_partition ||
	       !byte_view_equal(byte_view(last->data, last->length), part);
	if (!*out)
		return 0;
	reader->has_partition = true;
	text_reset(last);
	return text_add(last, part.data, part.length) ? 0 : no_memory(err);
}

/* Note rows until the batch ends. by_origin: at a change of origin too. */
static int note_rows(struct sorter_reader *reader, size_t limit,
		     bool by_origin, struct error *err)
{
	struct row_sorter *sorter = reader->sorter;
	size_t column = sorter_origin_column(sorter);
	int32_t origin = 0;

	reader->ref_count = 0;
	while (reader->heap_count && reader->ref_count < limit) {
		struct cursor *top = reader->heap[0];
		bool is_noted = true;
		int32_t other;
		int rc = 0;

		if (top->is_used_up) {
			bool more;

			if (reader->ref_count)
				break;
			rc = cursor_load(sorter, top, &more, err);
			if (rc)
				return rc;
			if (!more)
				reader->heap[0] =
					reader->heap[--reader->heap_count];
			if (reader->heap_count)
				sift_down(reader);
			continue;
		}
		other = vector_i32(&top->ref.columns[column])[top->ref.row];
		if (reader->ref_count == 0)
			origin = other;
		else if (by_origin && other != origin)
			break;
		if (sorter->first_of_partition)
			rc = is_first(reader, top->key, &is_noted, err);
		if (rc)
			return rc;
		reader->refs[reader->ref_count] = top->ref;
		reader->ref_count += is_noted;
		if (cursor_step(sorter, top))
			sift_down(reader);
		else if (!top->is_used_up) {
			reader->heap[0] = reader->heap[--reader->heap_count];
			if (reader->heap_count)
				sift_down(reader);
		}
	}
	return 0;
}

static int gather_rows(struct sorter_reader *reader, struct error *err)
{
	const struct row_shape *shape = &reader->sorter->shape;
	int rc = 0;

	batch_reset(&reader->out);
	for (size_t c = 0; !rc && c < shape->column_count; c++)
		if (shape_has(shape, c))
			rc = rows_gather(reader->refs, reader->ref_count, c,
					 &reader->out.columns[c], err);
	reader->out.row_count = reader->ref_count;
	return rc;
}

/* The first runs become one. */
static int merge_runs(struct row_sorter *sorter, struct error *err)
{
	size_t count = SORTER_MERGE_LIMIT;
	struct sorter_reader *reader;
	struct run run = { 0 };
	int rc = reader_new(&reader, sorter, count, false, err);

	while (!rc) {
		rc = note_rows(reader, 1024, false, err);
		if (rc || !reader->ref_count)
			break;
		rc = gather_rows(reader, err);
		if (!rc)
			rc = run_write(&run, &sorter->file, &sorter->shape,
				       reader->out.columns, reader->ref_count,
				       err);
	}
	sorter_reader_free(reader);
	if (!rc)
		rc = sorter_add_run(sorter, &run, err);
	if (rc) {
		run_release(&run);
		return rc;
	}
	for (size_t i = 0; i < count; i++)
		run_release(&sorter->runs[i]);
	sorter->run_count -= count;
	memmove(sorter->runs, sorter->runs + count,
		sorter->run_count * sizeof(*sorter->runs));
	return 0;
}

int sorter_reader_new(struct sorter_reader **out, struct row_sorter *sorter,
		      struct error *err)
{
	int rc = sorter_settle(sorter, err);

	*out = NULL;
	while (!rc && sorter->run_count > SORTER_MERGE_LIMIT)
		rc = merge_runs(sorter, err);
	return rc ? rc : reader_new(out, sorter, sorter->run_count, true, err);
}

void sorter_reader_free(struct sorter_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; reader->cursors && i < reader->cursor_count; i++)
		cursor_release(reader->sorter, &reader->cursors[i]);
	mem_free(reader->cursors);
	mem_free(reader->heap);
	batch_release(&reader->out);
	text_release(&reader->partition);
	mem_free(reader);
}

int sorter_skip(struct sorter_reader *reader, uint64_t count,
		struct error *err)
{
	while (count) {
		int rc = note_rows(reader, count < BATCH_ROW_COUNT
					   ? (size_t)count : BATCH_ROW_COUNT,
				   false, err);

		if (rc || !reader->ref_count)
			return rc;
		count -= reader->ref_count;
		reader->given += reader->ref_count;
	}
	return 0;
}

int sorter_next(struct sorter_reader *reader, struct batch **out,
		struct error *err)
{
	struct row_sorter *sorter = reader->sorter;
	uint64_t left = sorter->first_rows - reader->given;
	struct batch *batch = &reader->out;
	struct origin origin;
	int rc;

	*out = NULL;
	rc = note_rows(reader, left < BATCH_ROW_COUNT ? (size_t)left
						      : BATCH_ROW_COUNT,
		       true, err);
	if (rc || !reader->ref_count)
		return rc;
	rc = gather_rows(reader, err);
	if (rc)
		return rc;
	origin = origin_list_get(
		&sorter->origins, (uint16_t)vector_i32(
			&batch->columns[sorter_origin_column(sorter)])[0]);
	batch->origin = origin.name;
	batch->lines = origin.name && !origin.has_lines ? NULL
		: (const uint64_t *)vector_i64(
			  &batch->columns[sorter_line_column(sorter)]);
	batch->first_row = reader->given;
	reader->given += reader->ref_count;
	*out = batch;
	return 0;
}

const struct vector *sorter_keys(const struct sorter_reader *reader)
{
	return &reader->out.columns[sorter_key_column(reader->sorter)];
}
