/*
 * aggregate_source.c - GROUP BY, DISTINCT, EXCEPT and INTERSECT read inputs
 *
 * Why:    all four ask which group a row is of.
 * How:    each thread has a set of groups of its own; at the end they are
 *         read as one (group_union.c). When they outgrow the memory no new group is made: rows of
 *         groups that are there go on being counted, all others go to disk by
 *         the hash of their keys. The groups stay where they are then, and
 *         each partition is a query of its own that begins with what is known
 *         of its groups (aggregate_stream.c). The second input of EXCEPT and
 *         INTERSECT looks its rows up and makes no groups. Where the order of
 *         rows makes a difference, in variances too, one thread reads.
 * Limits: the order of groups is that of their first rows, but not once they
 *         did not fit in memory.
 */
#include "query/aggregate_op.h"

#define LEAST_SHARE ((size_t)64 << 10)

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "groups of a query");
}

size_t aggregate_share(const struct aggregate_source *source)
{
	size_t limit = source->query.options->memory_bytes, share;

	if (!limit)
		return SIZE_MAX;
	share = limit / 2 / (source->worker_count ? source->worker_count : 1);
	return share < LEAST_SHARE ? LEAST_SHARE : share;
}

int aggregate_spill_new(struct aggregate_source *source, unsigned level,
			struct spill **out, struct error *err)
{
	const struct group_layout *layout = &source->layout;
	struct spill_options options = {
		.directory = query_spill_directory(source->query.options),
		.types = layout->types,
		.column_count = layout->column_count,
		.key_columns = layout->group_columns,
		.key_count = layout->group_count,
		.level = level,
	};

	return spill_new(out, &options, err);
}

int group_worker_init(struct group_worker *worker,
		      struct aggregate_source *source, struct error *err)
{
	const struct group_layout *layout = &source->layout;
	int rc;

	memset(worker, 0, sizeof(*worker));
	worker->source = source;
	rc = batch_init_types(&worker->missing, layout->types,
			      layout->column_count, err);
	if (!rc)
		rc = group_work_init(&worker->work, err);
	worker->lines = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint64_t));
	worker->left = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint32_t));
	worker->missing_columns =
		mem_zalloc_array(layout->column_count + 1,
				 sizeof(*worker->missing_columns));
	if (!rc && (!worker->lines || !worker->left ||
		    !worker->missing_columns))
		rc = no_memory(err);
	return rc;
}

void group_worker_release(struct group_worker *worker)
{
	group_work_release(&worker->work);
	spill_writer_free(worker->writer);
	batch_release(&worker->missing);
	mem_free(worker->lines);
	mem_free(worker->left);
	mem_free(worker->missing_columns);
	memset(worker, 0, sizeof(*worker));
}

int group_worker_check(struct group_worker *worker, struct error *err)
{
	struct aggregate_source *source = worker->source;
	int rc = 0;

	if (__atomic_load_n(worker->is_spilling, __ATOMIC_ACQUIRE) ||
	    worker->level == SPILL_LEVELS || !source->layout.group_count ||
	    group_set_bytes(worker->set) <= aggregate_share(source))
		return 0;
	pthread_mutex_lock(&source->lock);
	if (!*worker->spill)
		rc = aggregate_spill_new(source, worker->level, worker->spill,
					 err);
	pthread_mutex_unlock(&source->lock);
	if (!rc)
		__atomic_store_n(worker->is_spilling, true, __ATOMIC_RELEASE);
	return rc;
}

int group_worker_find(struct group_worker *worker,
		      const struct group_rows *rows, struct error *err)
{
	struct aggregate_source *source = worker->source;
	struct selection left = selection_all(rows->batch->row_count);
	size_t sets = source->has_set ? 1 : source->part_count;
	int rc = 0;

	for (size_t s = 0; !rc && s < sets; s++) {
		rc = group_set_add(source->has_set ? &source->set
						   : &source->parts[s].set,
				   &worker->work, rows, &left, false,
				   &source->set_lock, err);
		left.count = worker->work.missing_count;
		left.rows = worker->left;
		memcpy(worker->left, worker->work.missing,
		       left.count * sizeof(*worker->left));
	}
	return rc;
}

int group_worker_spill(struct group_worker *worker,
		       const struct group_rows *rows, struct error *err)
{
	const struct group_layout *layout = &worker->source->layout;
	struct row_origin from = row_origin_of(rows->batch);
	const uint32_t *missing = worker->work.missing;
	size_t count = worker->work.missing_count;
	struct batch *out = &worker->missing;
	int rc = 0;

	if (!count)
		return 0;
	if (!worker->writer)
		rc = spill_writer_new(&worker->writer, *worker->spill, err);
	batch_reset(out);
	for (size_t i = 0; !rc && i < layout->column_count; i++) {
		worker->missing_columns[i] = &out->columns[i];
		rc = vector_gather(&out->columns[i], rows->columns[i], missing,
				   count, NULL, err);
	}
	if (rc)
		return rc;
	for (size_t i = 0; i < count; i++)
		worker->lines[i] = row_origin_line(&from, missing[i]);
	query_batch_place(out, rows->batch);
	out->row_count = count;
	/* rows of a named input without lines have no place to keep */
	out->lines = from.name && !from.has_lines ? NULL : worker->lines;
	return spill_append(worker->writer, worker->missing_columns, out, NULL,
			    err);
}

/* A thread that reads an input. */
struct input_worker {
	struct group_worker groups;
	struct group_set own;
	struct expr_list list;
	const struct vector **columns;
	struct vector units;
	struct vector positions;
	struct vector sides;
	size_t side;
};

static void worker_free(void *state)
{
	struct input_worker *self = state;

	if (!self)
		return;
	group_worker_release(&self->groups);
	if (self->own.layout)
		group_set_release(&self->own);
	expr_list_release(&self->list);
	vector_release(&self->units);
	vector_release(&self->positions);
	vector_release(&self->sides);
	mem_free(self->columns);
	mem_free(self);
}

static int input_worker_new(struct aggregate_source *source, size_t side,
			    void **state, struct error *err)
{
	struct input_worker *self = mem_zalloc(sizeof(*self));
	const struct group_layout *layout = &source->layout;
	const struct query_node *node = source->query.node;
	int rc;

	*state = self;
	if (!self)
		return no_memory(err);
	self->side = side;
	vector_init(&self->units, type_of(TYPE_BIGINT));
	vector_init(&self->positions, type_of(TYPE_BIGINT));
	vector_init(&self->sides, type_of(TYPE_BIGINT));
	self->columns = mem_zalloc_array(layout->column_count + 1,
					 sizeof(*self->columns));
	if (!self->columns)
		return no_memory(err);
	rc = group_worker_init(&self->groups, source, err);
	if (!rc)
		rc = expr_list_init(&self->list, layout->exprs,
				    layout->computed_count,
				    node->inputs[side]->schema->column_count,
				    source->query.options, err);
	self->groups.is_spilling = &source->is_spilling;
	self->groups.spill = &source->spill;
	self->groups.set = &self->own;
	if (!rc && !side)
		rc = group_set_init(&self->own, layout, &source->origins, err);
	return rc;
}

static int first_worker_new(void *context, size_t worker, void **state,
			    struct error *err)
{
	return input_worker_new(context, 0, state, err);
}

static int second_worker_new(void *context, size_t worker, void **state,
			     struct error *err)
{
	return input_worker_new(context, 1, state, err);
}

static int make_columns(struct input_worker *self,
			const struct drained_rows *rows, struct error *err)
{
	const struct group_layout *layout = &self->groups.source->layout;
	size_t count = rows->batch->row_count;
	struct vector *extra[] = { &self->units, &self->positions,
				   &self->sides };
	int rc = expr_list_run(&self->list, rows->batch, err);

	for (size_t i = 0; i < layout->computed_count; i++)
		self->columns[i] = self->list.results[i];
	for (size_t i = 0; !rc && i < ARRAY_COUNT(extra); i++) {
		vector_reset(extra[i]);
		rc = vector_reserve(extra[i], count, err);
		extra[i]->count = rc ? 0 : count;
		if (layout->has_places)
			self->columns[layout->unit_column + i] = extra[i];
	}
	for (size_t i = 0; !rc && i < count; i++) {
		vector_i64(&self->units)[i] = (int64_t)rows->unit;
		vector_i64(&self->positions)[i] =
			(int64_t)(rows->position + i);
		vector_i64(&self->sides)[i] = (int64_t)self->side;
	}
	return rc;
}

static int worker_take(void *state, const struct drained_rows *drained,
		       struct error *err)
{
	struct input_worker *self = state;
	struct group_worker *groups = &self->groups;
	struct aggregate_source *source = groups->source;
	struct selection all = selection_all(drained->batch->row_count);
	bool add = !self->side && !__atomic_load_n(&source->is_spilling,
						   __ATOMIC_ACQUIRE);
	struct group_rows rows = { .columns = self->columns,
				   .batch = drained->batch,
				   .side = self->side };
	int rc = make_columns(self, drained, err);

	if (rc)
		return rc;
	rows.units = (const uint64_t *)vector_i64(&self->units);
	rows.positions = (const uint64_t *)vector_i64(&self->positions);
	rc = self->side ? group_worker_find(groups, &rows, err)
			: group_set_add(groups->set, &groups->work, &rows,
					&all, add, NULL, err);
	if (rc)
		return rc;
	if (source->spill && !add)
		return group_worker_spill(groups, &rows, err);
	return self->side ? 0 : group_worker_check(groups, err);
}

static int worker_end(void *state, struct error *err)
{
	struct input_worker *self = state;
	struct aggregate_source *source = self->groups.source;
	int rc = 0;

	if (self->groups.writer)
		rc = spill_writer_finish(self->groups.writer, err);
	if (rc || self->side)
		return rc;
	pthread_mutex_lock(&source->lock);
	source->parts[source->part_count++].set = self->own;
	memset(&self->own, 0, sizeof(self->own));
	pthread_mutex_unlock(&source->lock);
	return 0;
}

static int read_input(struct aggregate_source *self, size_t side,
		      struct error *err)
{
	struct drain drain = {
		.input = self->query.inputs[side],
		.thread_count = side ? query_thread_count(
					       self->query.options,
					       self->query.inputs[side])
				     : self->worker_count,
		.context = self,
		.worker_new = side ? second_worker_new : first_worker_new,
		.take = worker_take,
		.worker_end = worker_end,
		.worker_free = worker_free,
	};

	return query_drain(&drain, err);
}

/* Sort the groups of a worker by partition. */
static int sort_groups(struct kept_groups *part, struct error *err)
{
	const uint64_t *hashes = part->set.table.hashes;
	size_t count = part->set.table.count;
	size_t next[SPILL_PARTITIONS];

	part->numbers = mem_alloc_array(count + 1, sizeof(*part->numbers));
	if (!part->numbers)
		return no_memory(err);
	for (size_t g = 0; g < count; g++)
		part->first[spill_partition_of(hashes[g], 0) + 1]++;
	for (size_t p = 0; p < SPILL_PARTITIONS; p++) {
		part->first[p + 1] += part->first[p];
		next[p] = part->first[p];
	}
	for (size_t g = 0; g < count; g++)
		part->numbers[next[spill_partition_of(hashes[g], 0)]++] =
			(uint32_t)g;
	return 0;
}

/* What the workers have, to be read as one. */
static int unite_parts(struct aggregate_source *self, struct error *err)
{
	size_t count = self->part_count;
	const struct group_set **sets = mem_alloc_array(count, sizeof(*sets));
	int rc;

	if (!sets)
		return no_memory(err);
	for (size_t i = 0; i < count; i++)
		sets[i] = &self->parts[i].set;
	rc = group_union_init(&self->all, sets, count,
			      self->query.options->thread_count, err);
	self->has_union = !rc;
	mem_free(sets);
	return rc;
}

static int join_parts(struct aggregate_source *self, struct error *err)
{
	struct group_work work;
	int rc = group_work_init(&work, err);

	if (!rc && self->query.node->kind == QUERY_AGGREGATE &&
	    !self->layout.group_count)
		rc = group_set_add_empty(&self->parts[0].set, &work, err);
	if (!rc && self->spill) {
		for (size_t i = 0; !rc && i < self->part_count; i++)
			rc = sort_groups(&self->parts[i], err);
	} else if (!rc && self->part_count == 1) {
		self->set = self->parts[--self->part_count].set;
		self->has_set = true;
	} else if (!rc) {
		rc = unite_parts(self, err);
	}
	group_work_release(&work);
	return rc;
}

/* Does it not matter in what order a call sees its rows? */
static bool is_orderless(const struct aggregate_call *call)
{
	static const struct {
		const char *name;
		bool nested;	/* also of a nested type */
	} known[] = {
		{ "count", true }, { "count_if", true }, { "min", false },
		{ "max", false }, { "bool_and", true }, { "bool_or", true },
		{ "every", true }, { "sum", false }, { "avg", false },
	};
	const char *name = aggregate_name(call->function);
	bool has_nested = false;

	if (aggregate_is_ordered(call->function))
		return false;
	for (size_t i = 0; i < call->arg_count; i++)
		has_nested |= type_is_nested(&call->args[i]->type);
	for (size_t i = 0; i < ARRAY_COUNT(known); i++)
		if (text_equal_nocase(name, known[i].name))
			return known[i].nested || !has_nested;
	return false;
}

static size_t choose_workers(const struct aggregate_source *self)
{
	const struct query_aggregate *aggregate = self->query.node->aggregate;

	for (size_t i = 0; i < self->layout.call_count; i++)
		if (!is_orderless(&aggregate->calls[i]))
			return 1;
	return query_thread_count(self->query.options, self->query.inputs[0]);
}

int aggregate_read_inputs(void *context, struct error *err)
{
	struct aggregate_source *self = context;
	int rc;

	if (sorted_groups_needed(self->query.node))
		return sorted_groups_new(&self->sorted, self, err);
	self->worker_count = choose_workers(self);
	self->parts = mem_zalloc_array(self->worker_count + 1,
				       sizeof(*self->parts));
	if (!self->parts)
		return no_memory(err);
	rc = read_input(self, 0, err);
	if (!rc)
		rc = join_parts(self, err);
	if (!rc && self->query.input_count > 1)
		rc = read_input(self, 1, err);
	if (!rc && self->spill)
		log_note(self->query.options->log,
			 "groups do not fit --memory: %llu bytes on disk",
			 (unsigned long long)spill_bytes(self->spill));
	return rc;
}

static void aggregate_source_free(struct batch_source *source)
{
	struct aggregate_source *self = (struct aggregate_source *)source;

	sorted_groups_free(self->sorted);
	group_union_release(&self->all);
	for (size_t i = 0; i < self->part_count; i++) {
		group_set_release(&self->parts[i].set);
		mem_free(self->parts[i].numbers);
	}
	mem_free(self->parts);
	if (self->has_set)
		group_set_release(&self->set);
	spill_free(self->spill);
	group_layout_release(&self->layout);
	origin_list_release(&self->origins);
	query_once_release(&self->once);
	pthread_mutex_destroy(&self->lock);
	pthread_mutex_destroy(&self->set_lock);
	query_source_release(&self->query);
	mem_free(self);
}

/* Groups of a set or partitions are shared out; a lot of them is likely
 * where the input is large. */
static size_t aggregate_parallelism(const struct batch_source *source)
{
	const struct aggregate_source *self =
		(const struct aggregate_source *)source;

	return self->query.node->kind == QUERY_AGGREGATE &&
	       (!self->layout.group_count ||
		sorted_groups_needed(self->query.node))
		? 1 : self->query.inputs[0]->parallelism(
			      self->query.inputs[0]);
}

int aggregate_source_new(struct batch_source **out,
			 const struct query_node *node, const bool *wanted,
			 const struct query_options *options,
			 struct batch_source **inputs, struct error *err)
{
	struct aggregate_source *self = mem_zalloc(sizeof(*self));
	int rc;

	*out = NULL;
	if (!self)
		return no_memory(err);
	rc = query_source_init(&self->query, node, wanted, options, err);
	if (rc) {
		mem_free(self);
		return rc;
	}
	origin_list_init(&self->origins);
	query_once_init(&self->once);
	pthread_mutex_init(&self->lock, NULL);
	pthread_mutex_init(&self->set_lock, NULL);
	self->query.base.stream_new = aggregate_stream_new;
	self->query.base.parallelism = aggregate_parallelism;
	self->query.base.free = aggregate_source_free;
	rc = group_layout_init(&self->layout, node, err);
	if (rc) {
		aggregate_source_free(&self->query.base);
		return rc;
	}
	self->query.inputs[0] = inputs[0];
	self->query.inputs[1] = node->input_count > 1 ? inputs[1] : NULL;
	self->query.input_count = node->input_count;
	*out = &self->query.base;
	return 0;
}
