/*
 * sort_merge.c - sorted runs into files
 *
 * Why:    each partition is to have its rows in order in as few files as its
 *         size asks for, however many threads made the runs.
 * How:    the runs of all buffers are merged in order of place, so a thread
 *         has one file open at a time, with one encoder for all of them. The
 *         work is cut into tasks by place: ranges of partitions of about
 *         equal rows, and ranges of keys within a large one, cut at keys that
 *         are sampled from the runs. A task has files of its own.
 *         Rows are taken from the runs one by one, but copied a column at a
 *         time, some thousand rows together.
 * Cost:   per row as many comparisons as the runs have binary digits.
 * Limits: a cursor per run and thread holds a block of some hundred KiB.
 */
#include <stdlib.h>
#include "table/write/sort_state.h"
#include "table/write/write_state.h"

/* Fewer rows are not worth a task of their own. */
#define TASK_ROWS ((uint64_t)1 << 18)
/* Ranges of partitions per thread; keys are cut into one range each. */
#define TASKS_PER_THREAD 4
/* Keys that are looked at to cut a partition. */
#define SAMPLE_COUNT 1024

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "sorting rows");
}

struct merge_task {
	uint32_t first;		/* partitions first .. last */
	uint32_t last;
	uint64_t low;		/* prefixes, in the only partition */
	uint64_t high;
	bool has_high;		/* rows from high on are not of it */
	struct fragments done;
};

struct merge_work {
	struct write_context *context;
	int lane;
	struct merge_task *tasks;
	size_t task_count;
	size_t task_capacity;
	size_t cursor_count;
	atomic_size_t next;
	atomic_bool failed;
};

/* A row of some cursor. */
struct row_ref {
	const struct vector *columns;
	uint32_t row;
};

struct merger {
	struct merge_work *work;
	struct merge_task *task;
	struct sort_cursor *cursors;
	size_t *heap;			/* of cursors, the first row on top */
	size_t heap_count;
	struct row_ref *refs;
	size_t ref_count;
	struct vector *columns;		/* gathered */
	const struct vector **pointers;
	size_t column_count;
	struct parquet_encoder *encoder;
	struct rolling_file *file;	/* of the partition at hand */
	uint32_t partition;
};

static bool cursor_before(const struct sort_cursor *a,
			  const struct sort_cursor *b)
{
	int order = sort_compare(&a->place, a->key, a->key_length, &b->place,
				 b->key, b->key_length);

	return order ? order < 0 : a->number < b->number;
}

static void sift_down(struct merger *merger, size_t at)
{
	size_t *heap = merger->heap;

	for (;;) {
		size_t child = 2 * at + 1, top = heap[at];

		if (child >= merger->heap_count)
			return;
		if (child + 1 < merger->heap_count &&
		    cursor_before(&merger->cursors[heap[child + 1]],
				  &merger->cursors[heap[child]]))
			child++;
		if (!cursor_before(&merger->cursors[heap[child]],
				   &merger->cursors[top]))
			return;
		heap[at] = heap[child];
		heap[child] = top;
		at = child;
	}
}

/* Is the cursor's row still of the task? */
static bool is_within(const struct merge_task *task,
		      const struct sort_cursor *cursor)
{
	const struct sort_entry *place = &cursor->place;

	return !cursor->at_end && place->partition <= task->last &&
	       (!task->has_high || place->prefix < task->high);
}

static int open_cursors(struct merger *merger, struct error *err)
{
	const struct merge_task *task = merger->task;
	size_t n = 0;
	int rc = 0;

	merger->heap_count = 0;
	for (struct sort_buffer *buffer = merger->work->context->sorted;
	     !rc && buffer; buffer = buffer->next)
		for (size_t r = 0; !rc && r <= buffer->run_count; r++) {
			struct sort_cursor *cursor = &merger->cursors[n];

			rc = sort_cursor_open(cursor, buffer,
					      r < buffer->run_count
						      ? &buffer->runs[r]
						      : NULL, task->first,
					      task->low, err);
			cursor->number = (uint32_t)n;
			if (!rc && is_within(task, cursor))
				merger->heap[merger->heap_count++] = n;
			n++;
		}
	for (size_t i = merger->heap_count / 2; i-- > 0;)
		sift_down(merger, i);
	return rc;
}

static void close_cursors(struct merger *merger)
{
	for (size_t i = 0; i < merger->work->cursor_count; i++)
		sort_cursor_release(&merger->cursors[i]);
}

#define GATHER(type_t) \
do { \
	type_t *to = out->data; \
 \
	for (size_t i = 0; i < count; i++) \
		to[i] = ((const type_t *)refs[i].columns[column].data) \
			[refs[i].row]; \
} while (0)

struct wide_value {
	uint64_t words[2];
} __attribute__((may_alias));
typedef uint32_t __attribute__((may_alias)) word32_t;
typedef uint64_t __attribute__((may_alias)) word64_t;

static int gather(const struct row_ref *refs, size_t count, size_t column,
		  struct vector *out, struct error *err)
{
	size_t nulls = 0;
	int rc;

	vector_reset(out);
	rc = vector_reserve(out, count, err);
	if (rc)
		return rc;
	out->count = count;
	switch (type_width(&out->type)) {
	case 1:
		GATHER(uint8_t);
		break;
	case 4:
		GATHER(word32_t);
		break;
	case 8:
		GATHER(word64_t);
		break;
	default:
		GATHER(struct wide_value);
		break;
	}
	for (size_t i = 0; i < count; i++)
		nulls += vector_is_null(&refs[i].columns[column],
					refs[i].row);
	if (!nulls)
		return 0;
	rc = vector_own_validity(out, err);
	for (size_t i = 0; !rc && i < count; i++)
		bits_put(out->validity, i,
			 !vector_is_null(&refs[i].columns[column],
					 refs[i].row));
	return rc;
}

static int end_group(struct merger *merger, struct error *err)
{
	struct encoded_row_group *group;
	int rc = parquet_encoder_finish(merger->encoder, &group, err);

	if (rc || !group)
		return rc;
	return rolling_file_append(merger->file, SIZE_MAX, group, 0, err);
}

/* Rows that were taken go into the encoder; they may go afterwards. */
static int flush(struct merger *merger, struct error *err)
{
	const struct write_context *context = merger->work->context;
	struct selection all = selection_all(merger->ref_count);
	size_t held;
	int rc = 0;

	if (!merger->ref_count)
		return 0;
	for (size_t c = 0; !rc && c < merger->column_count; c++)
		rc = gather(merger->refs, merger->ref_count, c,
			    &merger->columns[c], err);
	held = parquet_encoder_rows(merger->encoder);
	if (!rc && held &&
	    (held + merger->ref_count > context->group_rows ||
	     parquet_encoder_bytes(merger->encoder) >= context->group_bytes))
		rc = end_group(merger, err);
	if (!rc)
		rc = parquet_encoder_add(merger->encoder, merger->pointers,
					 &all, err);
	merger->ref_count = 0;
	return rc ? rc : interrupt_check(err);
}

static int end_partition(struct merger *merger, struct error *err)
{
	int rc = flush(merger, err);

	if (!merger->file)
		return rc;
	if (!rc)
		rc = end_group(merger, err);
	if (!rc)
		rc = rolling_file_close(merger->file, err);
	if (!rc)
		rc = rolling_file_take(merger->file, &merger->task->done,
				       err);
	rolling_file_free(merger->file);
	merger->file = NULL;
	return rc;
}

static int begin_partition(struct merger *merger, uint32_t number,
			   struct error *err)
{
	struct write_context *context = merger->work->context;
	int rc;

	merger->partition = number;
	rc = rolling_file_new(&merger->file, context,
			      context->partitions[number],
			      merger->work->lane, err);
	if (!rc && context->sort.order)
		merger->file->sort_order_id = context->sort.order->order_id;
	return rc;
}

/* The first row of all, and its cursor one further. */
static int take_row(struct merger *merger, struct error *err)
{
	struct sort_cursor *cursor = &merger->cursors[merger->heap[0]];
	bool reload;
	int rc = 0;

	merger->refs[merger->ref_count].columns = cursor->row_columns;
	merger->refs[merger->ref_count++].row = cursor->row;
	sort_cursor_next(cursor, &reload);
	if (reload) {
		rc = flush(merger, err);
		if (!rc)
			rc = sort_cursor_load(cursor, err);
	}
	if (rc)
		return rc;
	if (!is_within(merger->task, cursor))
		merger->heap[0] = merger->heap[--merger->heap_count];
	sift_down(merger, 0);
	return 0;
}

static int run_task(struct merger *merger, struct error *err)
{
	int rc = open_cursors(merger, err);

	while (!rc && merger->heap_count) {
		uint32_t partition =
			merger->cursors[merger->heap[0]].place.partition;

		if (merger->file && partition != merger->partition)
			rc = end_partition(merger, err);
		if (!rc && !merger->file)
			rc = begin_partition(merger, partition, err);
		if (!rc && merger->ref_count == BATCH_ROW_COUNT)
			rc = flush(merger, err);
		if (!rc)
			rc = take_row(merger, err);
	}
	if (!rc)
		rc = end_partition(merger, err);
	close_cursors(merger);
	return rc;
}

static int merger_init(struct merger *merger, struct merge_work *work,
		       struct error *err)
{
	struct write_context *context = work->context;
	const struct file_layout *layout = &context->layouts[work->lane];
	const struct sort_buffer *any = context->sorted;
	size_t count = any->column_count;

	memset(merger, 0, sizeof(*merger));
	merger->work = work;
	merger->column_count = layout->schema.column_count;
	merger->cursors = mem_zalloc_array(work->cursor_count + 1,
					   sizeof(*merger->cursors));
	merger->heap = mem_alloc_array(work->cursor_count + 1,
				       sizeof(*merger->heap));
	merger->refs = mem_alloc_array(BATCH_ROW_COUNT,
				       sizeof(*merger->refs));
	merger->columns = mem_zalloc_array(count + 1,
					   sizeof(*merger->columns));
	merger->pointers = mem_zalloc_array(count + 1,
					    sizeof(*merger->pointers));
	if (!merger->cursors || !merger->heap || !merger->refs ||
	    !merger->columns || !merger->pointers)
		return no_memory(err);
	for (size_t i = 0; i < count; i++) {
		vector_init(&merger->columns[i], any->types[i]);
		merger->pointers[i] = &merger->columns[i];
	}
	return parquet_encoder_new(&merger->encoder, &layout->schema,
				   &layout->parquet, err);
}

static void merger_release(struct merger *merger)
{
	size_t count = merger->work->context->sorted->column_count;

	if (merger->cursors)
		close_cursors(merger);
	for (size_t i = 0; merger->columns && i < count; i++)
		vector_release(&merger->columns[i]);
	rolling_file_free(merger->file);
	parquet_encoder_free(merger->encoder);
	mem_free(merger->cursors);
	mem_free(merger->heap);
	mem_free(merger->refs);
	mem_free(merger->columns);
	mem_free(merger->pointers);
}

static int merge_some(void *argument, size_t worker, struct error *err)
{
	struct merge_work *work = argument;
	struct merger merger;
	int rc = merger_init(&merger, work, err);

	(void)worker;
	while (!rc && !atomic_load(&work->failed)) {
		size_t i = atomic_fetch_add(&work->next, 1);

		if (i >= work->task_count)
			break;
		merger.task = &work->tasks[i];
		rc = run_task(&merger, err);
	}
	if (rc)
		atomic_store(&work->failed, true);
	merger_release(&merger);
	return rc;
}

static int add_task(struct merge_work *work, struct merge_task task,
		    struct error *err)
{
	if (!mem_grow((void **)&work->tasks, &work->task_capacity,
		      work->task_count, sizeof(*work->tasks)))
		return no_memory(err);
	work->tasks[work->task_count++] = task;
	return 0;
}

static int compare_prefix(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Some prefixes of a partition, spread over all runs, ascending. */
static size_t sample(const struct write_context *context, uint32_t partition,
		     uint64_t rows, uint64_t *out)
{
	uint64_t step = rows / (SAMPLE_COUNT / 2) + 1, due = 0;
	size_t n = 0;

	for (const struct sort_buffer *buffer = context->sorted; buffer;
	     buffer = buffer->next) {
		for (size_t i = 0; i < buffer->entry_count; i++)
			if (buffer->entries[i].partition == partition &&
			    due++ % step == 0 && n < SAMPLE_COUNT)
				out[n++] = buffer->entries[i].prefix;
		for (size_t r = 0; r < buffer->run_count; r++)
			for (size_t b = 0; b < buffer->runs[r].block_count;
			     b++) {
				const struct sort_block *block =
					&buffer->runs[r].blocks[b];

				if (block->partition != partition)
					continue;
				due += block->row_count;
				if (due < step || n == SAMPLE_COUNT)
					continue;
				due -= step;
				out[n++] = block->prefix;
			}
	}
	qsort(out, n, sizeof(*out), compare_prefix);
	return n;
}

/* Tasks for one large partition. */
static int cut_partition(struct merge_work *work, uint32_t partition,
			 uint64_t rows, uint64_t task_rows, struct error *err)
{
	struct merge_task task = { .first = partition, .last = partition };
	uint64_t parts = rows / task_rows;
	uint64_t samples[SAMPLE_COUNT];
	size_t count = 0;
	int rc = 0;

	if (work->context->sort.order && parts > 1)
		count = sample(work->context, partition, rows, samples);
	for (uint64_t i = 1; !rc && i < parts && count; i++) {
		uint64_t cut = samples[count * i / parts];

		if (cut <= task.low)
			continue;
		task.high = cut;
		task.has_high = true;
		rc = add_task(work, task, err);
		task.low = cut;
		task.has_high = false;
	}
	return rc ? rc : add_task(work, task, err);
}

static int plan_tasks(struct merge_work *work, struct error *err)
{
	struct write_context *context = work->context;
	size_t threads = context->options.thread_count;
	struct merge_task task = { 0 };
	uint64_t total = 0, share, cut, sum = 0;
	int rc = 0;

	for (size_t p = 0; p < context->partition_count; p++)
		total += context->partitions[p]->sorted_rows;
	cut = total / (threads ? threads : 1);
	if (cut < TASK_ROWS)
		cut = TASK_ROWS;
	share = cut / TASKS_PER_THREAD;
	for (uint32_t p = 0; !rc && p < context->partition_count; p++) {
		uint64_t rows = context->partitions[p]->sorted_rows;

		if (rows >= 2 * cut) {
			if (sum)
				rc = add_task(work, task, err);
			if (!rc)
				rc = cut_partition(work, p, rows, cut, err);
			sum = 0;
			task.first = p + 1;
			continue;
		}
		task.last = p;
		sum += rows;
		if (sum < share)
			continue;
		rc = add_task(work, task, err);
		sum = 0;
		task.first = p + 1;
	}
	return rc || !sum ? rc : add_task(work, task, err);
}

static void free_buffers(struct write_context *context)
{
	while (context->sorted) {
		struct sort_buffer *buffer = context->sorted;

		context->sorted = buffer->next;
		sort_buffer_free(buffer);
	}
	for (size_t p = 0; p < context->partition_count; p++)
		context->partitions[p]->sorted_rows = 0;
}

static int take_fragments(struct merge_work *work, struct fragments *out,
			  struct error *err)
{
	int rc = 0;

	for (size_t t = 0; t < work->task_count; t++) {
		struct fragments *done = &work->tasks[t].done;

		for (size_t i = 0; !rc && i < done->count; i++) {
			rc = fragments_add(out, done->items[i], err);
			if (!rc)
				done->items[i] = NULL;
		}
		fragments_release(done);
	}
	return rc;
}

int sort_merge(struct write_context *context, struct fragments *out,
	       struct error *err)
{
	size_t threads = context->options.thread_count;
	struct merge_work work = { .context = context };
	int rc = 0;

	if (!context->sorted)
		return 0;
	work.lane = atomic_load(&context->lineage_used) ? LANE_LINEAGE
							: LANE_PLAIN;
	for (const struct sort_buffer *buffer = context->sorted; buffer;
	     buffer = buffer->next)
		work.cursor_count += buffer->run_count + 1;
	rc = write_context_layout(context, work.lane, err);
	if (!rc)
		rc = plan_tasks(&work, err);
	if (!threads || threads > work.task_count)
		threads = work.task_count ? work.task_count : 1;
	if (!rc)
		rc = thread_run(threads, merge_some, &work, err);
	if (!rc)
		rc = take_fragments(&work, out, err);
	for (size_t t = 0; rc && t < work.task_count; t++)
		fragments_release(&work.tasks[t].done);
	mem_free(work.tasks);
	free_buffers(context);
	return rc;
}
