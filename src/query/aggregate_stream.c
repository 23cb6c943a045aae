/*
 * aggregate_stream.c - groups are given out
 *
 * How:    groups that fit are shared out among the streams some thousand at a
 *         time. Else streams take partitions: what the workers know of its
 *         groups comes together first, then the rows from disk are counted;
 *         when all are read the groups are complete. What does not fit again
 *         goes to disk by further bits of the hash.
 */
#include "query/aggregate_op.h"

struct level {
	struct spill *spill;
	size_t next;
};

struct aggregate_stream {
	struct batch_stream base;
	struct aggregate_source *source;
	struct batch out;
	uint32_t *rows;			/* groups that are given */
	uint64_t *lines;
	/* groups to give: at .. end - 1 of set, or of the union */
	const struct group_set *set;
	struct union_reader *reader;
	size_t at;
	size_t end;
	uint64_t unit;
	bool is_empty;			/* another stream has all rows */
	/* partitions */
	struct group_worker worker;
	bool has_worker;
	struct group_set own;
	bool is_spilling;		/* the groups of this partition */
	struct spill *spill;
	struct level levels[SPILL_LEVELS + 1];	/* of our own, from 1 */
	size_t level;
	uint64_t *numbers;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "groups of a query");
}

static void aggregate_stream_free(struct batch_stream *stream)
{
	struct aggregate_stream *self = (struct aggregate_stream *)stream;

	union_reader_free(self->reader);
	if (self->has_worker)
		group_worker_release(&self->worker);
	if (self->own.layout)
		group_set_release(&self->own);
	spill_free(self->spill);
	for (size_t i = 0; i <= SPILL_LEVELS; i++)
		spill_free(self->levels[i].spill);
	batch_release(&self->out);
	mem_free(self->rows);
	mem_free(self->lines);
	mem_free(self->numbers);
	mem_free(self);
}

/* Is a group part of the result? */
static bool is_wanted(const struct aggregate_stream *self,
		      const struct group_place *place)
{
	switch (self->source->query.node->kind) {
	case QUERY_EXCEPT:
		return place->sides == 1;
	case QUERY_INTERSECT:
		return place->sides == 3;
	default:
		return true;
	}
}

static struct group_place place_of(const struct aggregate_stream *self,
				   size_t group)
{
	return self->set ? self->set->places[group]
			 : group_union_place(&self->source->all, group);
}

/* The next groups of one origin; returns how many. */
static size_t pick_groups(struct aggregate_stream *self)
{
	struct origin origin;
	uint32_t index = 0;
	size_t n = 0;

	for (; self->at < self->end && n < BATCH_ROW_COUNT; self->at++) {
		struct group_place place = place_of(self, self->at);

		if (!is_wanted(self, &place))
			continue;
		if (n && place.origin != index)
			break;
		index = place.origin;
		self->lines[n] = place.line;
		self->rows[n++] = (uint32_t)self->at;
	}
	if (!n)
		return 0;
	origin = origin_list_get(&self->source->origins, (uint16_t)index);
	self->out.origin = origin.name;
	self->out.lines = origin.name && !origin.has_lines ? NULL
							   : self->lines;
	return n;
}

/* Wanted keys of the groups in rows. */
static int put_keys(struct aggregate_stream *self, size_t count,
		    struct error *err)
{
	const struct group_layout *layout = &self->source->layout;
	int rc = 0;

	if (!self->set)
		return union_reader_keys(self->reader, self->rows, count,
					 &self->out, err);
	for (size_t i = 0; !rc && i < layout->group_count; i++)
		if (self->source->query.wanted[i])
			rc = vector_gather(&self->out.columns[i],
					   &self->set->table.keys[i],
					   self->rows, count, NULL, err);
	return rc;
}

/* Distinct rows: keys alone, with their places. */
static int put_rows(struct aggregate_stream *self, struct error *err)
{
	batch_reset(&self->out);
	self->out.row_count = pick_groups(self);
	return self->out.row_count
		       ? put_keys(self, self->out.row_count, err) : 0;
}

/* Groups with the results of calls. */
static int put_groups(struct aggregate_stream *self, struct error *err)
{
	const struct group_layout *layout = &self->source->layout;
	const bool *wanted = self->source->query.wanted;
	size_t first = self->at, count = self->end - first;
	int rc;

	count = count < BATCH_ROW_COUNT ? count : BATCH_ROW_COUNT;
	batch_reset(&self->out);
	for (size_t i = 0; i < count; i++)
		self->rows[i] = (uint32_t)(first + i);
	rc = put_keys(self, count, err);
	if (!rc && !self->set)
		rc = union_reader_calls(self->reader, first, count, &self->out,
					err);
	for (size_t i = 0; !rc && self->set && i < layout->call_count; i++)
		if (wanted[layout->group_count + i])
			rc = aggregate_finish(
				self->set->states[i], first, count,
				&self->out.columns[layout->group_count + i],
				&self->out.heap, err);
	self->out.row_count = count;
	self->out.origin = NULL;
	self->out.lines = NULL;
	self->at += count;
	return rc;
}

/* The next batch of the groups that are to be given, if there is one. */
static int give(struct aggregate_stream *self, struct batch **out,
		struct error *err)
{
	size_t first = self->at;
	int rc;

	*out = NULL;
	if (self->at == self->end)
		return 0;
	if (self->source->layout.has_places)
		rc = put_rows(self, err);
	else
		rc = put_groups(self, err);
	self->out.first_row = first;
	self->out.unit = self->unit;
	if (!rc && self->out.row_count)
		*out = &self->out;
	return rc;
}

static int next_in_memory(struct aggregate_stream *self, struct batch **out,
			  struct error *err)
{
	struct aggregate_source *source = self->source;
	size_t count = source->has_union ? source->all.count
					 : source->set.table.count;
	int rc = 0;

	if (source->has_union && !self->reader)
		rc = union_reader_new(&self->reader, &source->all,
				      source->query.wanted, err);
	if (rc)
		return rc;
	for (;;) {
		size_t first;

		rc = give(self, out, err);
		if (rc || *out)
			return rc;
		first = __atomic_fetch_add(&source->next_group,
					   BATCH_ROW_COUNT, __ATOMIC_RELAXED);
		if (first >= count)
			return 0;
		self->set = source->has_union ? NULL : &source->set;
		self->at = first;
		self->end = first + BATCH_ROW_COUNT;
		if (self->end > count)
			self->end = count;
		self->unit = first / BATCH_ROW_COUNT;
	}
}

/* The rows of one input among the selected, into the groups of the
 * partition, or to disk. */
static int add_rows(struct aggregate_stream *self, struct group_rows *rows,
		    const struct selection *selected, struct error *err)
{
	struct group_worker *worker = &self->worker;
	int rc;

	if (!selected->count)
		return 0;
	rc = group_set_add(&self->own, &worker->work, rows, selected,
			   rows->side == 0 && !self->is_spilling, NULL, err);
	if (!rc && self->is_spilling)
		rc = group_worker_spill(worker, rows, err);
	else if (!rc)
		rc = group_worker_check(worker, err);
	return rc;
}

static int take_batch(struct aggregate_stream *self, const struct batch *batch,
		      const struct vector **columns, struct error *err)
{
	const struct group_layout *layout = &self->source->layout;
	struct group_rows rows = { columns, batch, self->numbers,
				   self->numbers, 0 };
	uint32_t picked[BATCH_ROW_COUNT];
	struct selection some = selection_all(batch->row_count);
	int rc = 0;

	for (size_t i = 0; i < layout->column_count; i++)
		columns[i] = &batch->columns[i];
	if (!layout->has_places)
		return add_rows(self, &rows, &some, err);
	rows.units = (const uint64_t *)vector_i64(columns[layout->unit_column]);
	rows.positions = (const uint64_t *)
		vector_i64(columns[layout->unit_column + 1]);
	for (size_t side = 0; !rc && side < 2; side++) {
		const int64_t *sides = vector_i64(
			columns[layout->side_column]);

		some.rows = picked;
		some.count = 0;
		for (size_t i = 0; i < batch->row_count; i++) {
			picked[some.count] = (uint32_t)i;
			some.count += sides[i] == (int64_t)side;
		}
		rows.side = side;
		rc = add_rows(self, &rows, &some, err);
	}
	return rc;
}

static int read_partition(struct aggregate_stream *self, struct spill *spill,
			  size_t partition, struct error *err)
{
	const struct group_layout *layout = &self->source->layout;
	const struct vector **columns;
	struct spill_reader *reader;
	struct batch *batch;
	int rc = spill_reader_new(&reader, spill, partition, err);

	columns = mem_zalloc_array(layout->column_count + 1,
				   sizeof(*columns));
	if (!rc && !columns)
		rc = no_memory(err);
	while (!rc && !(rc = spill_reader_next(reader, &batch, err)) && batch)
		rc = take_batch(self, batch, columns, err);
	spill_reader_free(reader);
	mem_free(columns);
	if (!rc && self->worker.writer)
		rc = spill_writer_finish(self->worker.writer, err);
	spill_writer_free(self->worker.writer);
	self->worker.writer = NULL;
	return rc;
}

/* Groups of a partition that the workers know. */
static size_t count_kept(const struct aggregate_source *source,
			 size_t partition)
{
	size_t count = 0;

	for (size_t i = 0; i < source->part_count; i++)
		count += source->parts[i].first[partition + 1] -
			 source->parts[i].first[partition];
	return count;
}

static int take_kept(struct aggregate_stream *self, size_t partition,
		     struct error *err)
{
	struct aggregate_source *source = self->source;
	int rc = 0;

	for (size_t i = 0; !rc && i < source->part_count; i++) {
		const struct kept_groups *part = &source->parts[i];
		size_t first = part->first[partition];

		rc = group_set_take(&self->own, &part->set,
				    part->numbers + first,
				    part->first[partition + 1] - first,
				    &self->worker.work, err);
	}
	return rc ? rc : group_worker_check(&self->worker, err);
}

/* Read the partition; its groups are to be given then. */
static int enter_partition(struct aggregate_stream *self, struct spill *spill,
			   size_t partition, struct error *err)
{
	bool has_kept = !self->level && count_kept(self->source, partition);
	int rc;

	if (!has_kept && !spill_partition_rows(spill, partition))
		return 0;
	if (self->own.layout)
		group_set_release(&self->own);
	rc = group_set_init(&self->own, &self->source->layout,
			    &self->source->origins, err);
	if (rc)
		return rc;
	self->worker.level = (unsigned)self->level + 1;
	self->is_spilling = false;
	if (has_kept)
		rc = take_kept(self, partition, err);
	if (!rc)
		rc = read_partition(self, spill, partition, err);
	if (rc)
		return rc;
	self->set = &self->own;
	self->at = 0;
	self->end = self->own.table.count;
	if (self->spill) {
		self->levels[++self->level].spill = self->spill;
		self->levels[self->level].next = 0;
		self->spill = NULL;
	}
	return 0;
}

/* The next partition of the innermost spill; NULL: there is none. */
static struct spill *take_partition(struct aggregate_stream *self,
				    size_t *partition)
{
	struct aggregate_source *source = self->source;

	while (self->level) {
		struct level *top = &self->levels[self->level];

		if (top->next < SPILL_PARTITIONS) {
			*partition = top->next++;
			self->unit++;
			return top->spill;
		}
		spill_free(top->spill);
		top->spill = NULL;
		self->level--;
	}
	*partition = __atomic_fetch_add(&source->next_partition, 1,
					__ATOMIC_RELAXED);
	self->unit = (uint64_t)*partition << 32;
	return *partition < SPILL_PARTITIONS ? source->spill : NULL;
}

static int next_from_disk(struct aggregate_stream *self, struct batch **out,
			  struct error *err)
{
	for (;;) {
		struct spill *spill;
		size_t partition;
		int rc = give(self, out, err);

		if (rc || *out)
			return rc;
		if (self->at < self->end)
			continue;
		spill = take_partition(self, &partition);
		if (!spill)
			return 0;
		rc = enter_partition(self, spill, partition, err);
		if (rc)
			return rc;
	}
}

static int next_sorted(struct aggregate_stream *self, struct batch **out,
		       struct error *err)
{
	int rc = sorted_groups_next(self->source->sorted,
				    self->source->query.wanted, &self->out,
				    err);

	if (!rc && self->out.row_count)
		*out = &self->out;
	return rc;
}

static int begin_worker(struct aggregate_stream *self, struct error *err)
{
	int rc;

	if (self->has_worker)
		return 0;
	self->has_worker = true;
	rc = group_worker_init(&self->worker, self->source, err);
	self->worker.set = &self->own;
	self->worker.is_spilling = &self->is_spilling;
	self->worker.spill = &self->spill;
	self->numbers = mem_zalloc_array(BATCH_ROW_COUNT, sizeof(uint64_t));
	return rc || self->numbers ? rc : no_memory(err);
}

static int aggregate_stream_next(struct batch_stream *stream,
				 struct batch **out, struct error *err)
{
	struct aggregate_stream *self = (struct aggregate_stream *)stream;
	struct aggregate_source *source = self->source;
	int rc;

	*out = NULL;
	if (self->is_empty)
		return 0;
	rc = query_once_run(&source->once, aggregate_read_inputs, source, err);
	if (!rc)
		rc = interrupt_check(err);
	if (!rc && source->spill)
		rc = begin_worker(self, err);
	if (rc)
		return rc;
	if (source->sorted)
		rc = next_sorted(self, out, err);
	else if (source->spill)
		rc = next_from_disk(self, out, err);
	else
		rc = next_in_memory(self, out, err);
	if (rc)
		*out = NULL;
	return rc;
}

int aggregate_stream_new(struct batch_source *source,
			 struct batch_stream **out, struct error *err)
{
	struct aggregate_source *self = (struct aggregate_source *)source;
	struct aggregate_stream *stream = mem_zalloc(sizeof(*stream));
	int rc;

	*out = NULL;
	if (!stream)
		return no_memory(err);
	stream->base.next = aggregate_stream_next;
	stream->base.free = aggregate_stream_free;
	stream->source = self;
	stream->rows = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint32_t));
	stream->lines = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint64_t));
	rc = batch_init(&stream->out, self->query.node->schema, err);
	if (!rc && (!stream->rows || !stream->lines))
		rc = no_memory(err);
	if (rc) {
		aggregate_stream_free(&stream->base);
		return rc;
	}
	if (sorted_groups_needed(self->query.node))
		stream->is_empty = __atomic_exchange_n(&self->is_taken, true,
						       __ATOMIC_RELAXED);
	*out = &stream->base;
	return 0;
}
