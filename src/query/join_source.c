/*
 * join_source.c - a join reads its right input, or puts both on disk
 *
 * Why:    hash joins need one side in memory, and the binder puts the smaller
 *         one right where it knows.
 * How:    several threads fill a row store. If it outgrows the memory, its
 *         rows and those that follow go to disk by the hash of their keys,
 *         and the left input after them, so that each partition is joined by
 *         itself (join_stream.c).
 * Cost:   the right input's columns that are needed, 26 bytes a row, the
 *         table; on disk a write and a read of both inputs.
 */
#include "query/join_state.h"

/* The table over a stored row, at most: slots, chain, filter. */
#define TABLE_BYTES_PER_ROW 52

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "join");
}

bool join_keeps_right(const struct join_source *source)
{
	return source->join->kind == JOIN_RIGHT ||
	       source->join->kind == JOIN_FULL;
}

bool join_keeps_left(const struct join_source *source)
{
	return source->join->kind == JOIN_LEFT ||
	       source->join->kind == JOIN_FULL;
}

size_t join_thread_count(const struct join_source *source)
{
	return query_thread_count(source->query.options,
				  source->query.inputs[0]);
}

bool join_fits(const struct join_source *source, uint64_t byte_count,
	       uint64_t row_count, size_t share)
{
	uint64_t limit = source->query.options->memory_bytes;

	return limit == 0 || byte_count + row_count * TABLE_BYTES_PER_ROW <=
				     limit / share;
}

/* One worker that reads an input. */
struct side_worker {
	struct join_source *source;
	const struct join_side *side;
	struct row_store_writer *writer;	/* right */
	struct spill *spill;
	struct spill_writer *spill_writer;
	struct expr_list keys;
	const struct vector **columns;
	struct vector units;
	struct vector positions;
};

static void worker_free(void *state)
{
	struct side_worker *self = state;

	if (!self)
		return;
	row_store_writer_free(self->writer);
	spill_writer_free(self->spill_writer);
	expr_list_release(&self->keys);
	vector_release(&self->units);
	vector_release(&self->positions);
	mem_free(self->columns);
	mem_free(self);
}

static int worker_new(struct join_source *source, const struct join_side *side,
		      struct side_worker **out, struct error *err)
{
	struct side_worker *self = mem_zalloc(sizeof(*self));

	*out = self;
	if (!self)
		return no_memory(err);
	self->source = source;
	self->side = side;
	vector_init(&self->units, type_of(TYPE_BIGINT));
	vector_init(&self->positions, type_of(TYPE_BIGINT));
	self->columns = mem_zalloc_array(side->column_count + 1,
					 sizeof(*self->columns));
	if (!self->columns)
		return no_memory(err);
	return expr_list_init(&self->keys, side->extra, side->extra_count,
			      side->own_count, source->query.options, err);
}

static int right_worker_new(void *context, size_t worker, void **state,
			    struct error *err)
{
	struct join_source *source = context;
	struct side_worker *self;
	int rc = worker_new(source, &source->right, &self, err);

	*state = self;
	if (!rc)
		rc = row_store_writer_new(&self->writer, source->store, err);
	return rc;
}

static int left_worker_new(void *context, size_t worker, void **state,
			   struct error *err)
{
	struct join_source *source = context;
	struct side_worker *self;
	int rc = worker_new(source, &source->left, &self, err);

	*state = self;
	if (!rc)
		self->spill = source->left_spill;
	return rc;
}

static int make_columns(struct side_worker *self,
			const struct drained_rows *rows, struct error *err)
{
	const struct batch *batch = rows->batch;
	size_t own = self->side->own_count, n = self->side->extra_count;
	int rc = expr_list_run(&self->keys, batch, err);

	for (size_t i = 0; i < own; i++)
		self->columns[i] = &batch->columns[i];
	for (size_t i = 0; i < n; i++)
		self->columns[own + i] = self->keys.results[i];
	if (rc || own + n == self->side->column_count)
		return rc;
	vector_reset(&self->units);
	vector_reset(&self->positions);
	rc = vector_reserve(&self->units, batch->row_count, err);
	if (!rc)
		rc = vector_reserve(&self->positions, batch->row_count, err);
	if (rc)
		return rc;
	self->units.count = self->positions.count = batch->row_count;
	for (size_t i = 0; i < batch->row_count; i++) {
		vector_i64(&self->units)[i] = (int64_t)rows->unit;
		vector_i64(&self->positions)[i] =
			(int64_t)(rows->position + i);
	}
	self->columns[own + n] = &self->units;
	self->columns[own + n + 1] = &self->positions;
	return 0;
}

static int side_spill_new(struct join_source *source,
			  const struct join_side *side, struct spill **out,
			  struct error *err)
{
	struct spill_options options = {
		.directory = query_spill_directory(source->query.options),
		.types = side->types,
		.stored = side->stored,
		.column_count = side->column_count,
		.key_columns = side->key_columns,
		.key_count = source->spill_key_count,
	};

	return spill_new(out, &options, err);
}

/* Go to disk from now on if the store is full. */
static int check_memory(struct join_source *source, struct error *err)
{
	int rc = 0;

	if (__atomic_load_n(&source->is_spilling, __ATOMIC_ACQUIRE) ||
	    join_fits(source, row_store_bytes(source->store),
		      __atomic_load_n(&source->rows_read, __ATOMIC_RELAXED),
		      1))
		return 0;
	pthread_mutex_lock(&source->lock);
	if (!source->is_spilling) {
		rc = side_spill_new(source, &source->right,
				    &source->right_spill, err);
		if (!rc)
			__atomic_store_n(&source->is_spilling, true,
					 __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&source->lock);
	return rc;
}

static int spill_rows(struct side_worker *self, struct spill *spill,
		      const struct batch *batch, struct error *err)
{
	int rc = 0;

	if (!self->spill_writer)
		rc = spill_writer_new(&self->spill_writer, spill, err);
	if (!rc)
		rc = spill_append(self->spill_writer, self->columns, batch,
				  NULL, err);
	return rc;
}

static int right_take(void *state, const struct drained_rows *rows,
		      struct error *err)
{
	struct side_worker *self = state;
	struct join_source *source = self->source;
	struct selection all = selection_all(rows->batch->row_count);
	int rc = make_columns(self, rows, err);

	if (!rc)
		rc = check_memory(source, err);
	if (rc)
		return rc;
	__atomic_add_fetch(&source->rows_read, all.count, __ATOMIC_RELAXED);
	if (__atomic_load_n(&source->is_spilling, __ATOMIC_ACQUIRE))
		return spill_rows(self, source->right_spill, rows->batch,
				  err);
	return row_store_append(self->writer, self->columns, rows->batch, &all,
				NULL, err);
}

static int left_take(void *state, const struct drained_rows *rows,
		     struct error *err)
{
	struct side_worker *self = state;
	int rc = make_columns(self, rows, err);

	return rc ? rc : spill_rows(self, self->spill, rows->batch, err);
}

static int worker_end(void *state, struct error *err)
{
	struct side_worker *self = state;

	return self->spill_writer ? spill_writer_finish(self->spill_writer,
							err) : 0;
}

/* What the store has goes to disk too. */
static int spill_kept(struct join_source *source, struct error *err)
{
	struct spill_writer *writer;
	int rc = spill_writer_new(&writer, source->right_spill, err);

	if (rc)
		return rc;
	rc = spill_store(writer, source->store, err);
	if (!rc)
		rc = spill_writer_finish(writer, err);
	spill_writer_free(writer);
	row_store_free(source->store);
	source->store = NULL;
	return rc;
}

static int read_side(struct join_source *source, size_t input,
		     struct error *err)
{
	struct batch_source *from = source->query.inputs[input];
	struct drain drain = {
		.input = from,
		.thread_count = query_thread_count(source->query.options,
						   from),
		.context = source,
		.worker_new = input ? right_worker_new : left_worker_new,
		.take = input ? right_take : left_take,
		.worker_end = worker_end,
		.worker_free = worker_free,
	};

	return query_drain(&drain, err);
}

/* Is the failure of the right input told only where a row asks for it? The
 * input then counts as one without rows. */
static int keep_failure(struct join_source *self, int rc, struct error *err)
{
	struct error_list *errors = self->query.options->context.errors;
	enum join_kind kind = self->join->kind;
	size_t number;

	if (!errors || !error_can_wait(err) ||
	    !(self->join->waits || kind == JOIN_SEMI || kind == JOIN_ANTI) ||
	    !error_list_add(errors, err, &number))
		return rc;
	error_init(err);
	self->right_state = SINGLE_FAILED + (int32_t)number;
	row_store_free(self->store);
	spill_free(self->right_spill);
	self->store = NULL;
	self->right_spill = NULL;
	self->is_spilling = false;
	return row_store_new(&self->store, self->right.types,
			     self->right.stored, self->right.column_count,
			     err);
}

int join_read_inputs(void *context, struct error *err)
{
	struct join_source *self = context;
	struct row_store *store;
	int rc = row_store_new(&self->store, self->right.types,
			       self->right.stored, self->right.column_count,
			       err);

	if (!rc)
		rc = read_side(self, 1, err);
	if (rc)
		rc = keep_failure(self, rc, err);
	if (rc)
		return rc;
	if (!self->is_spilling) {
		store = self->store;
		self->store = NULL;
		rc = join_part_new(&self->part, self, store, err);
		if (rc)
			row_store_free(store);
		return rc;
	}
	rc = spill_kept(self, err);
	if (!rc)
		rc = side_spill_new(self, &self->left, &self->left_spill, err);
	if (!rc)
		rc = read_side(self, 0, err);
	if (!rc)
		log_note(self->query.options->log,
			 "a join does not fit --memory: %llu bytes on disk",
			 (unsigned long long)(spill_bytes(self->right_spill) +
					      spill_bytes(self->left_spill)));
	return rc;
}

static void side_release(struct join_side *side)
{
	mem_free(side->types);
	mem_free(side->stored);
	mem_free(side->key_columns);
	mem_free(side->extra);
}

static void join_source_free(struct batch_source *source)
{
	struct join_source *self = (struct join_source *)source;

	join_part_free(self->part);
	row_store_free(self->store);
	spill_free(self->right_spill);
	spill_free(self->left_spill);
	side_release(&self->left);
	side_release(&self->right);
	mem_free(self->null_safe);
	mem_free(self->residual_columns);
	pthread_mutex_destroy(&self->lock);
	query_once_release(&self->once);
	query_source_release(&self->query);
	mem_free(self);
}

static struct expr *side_key(const struct join_source *self, size_t key,
			     bool is_right)
{
	return is_right ? self->join->keys[key].right
			: self->join->keys[key].left;
}

/* used: columns of the input that the output or the residual needs. */
static int side_init(struct join_source *self, struct join_side *side,
		     const struct schema *schema, const bool *used,
		     struct error *err)
{
	bool is_right = side == &self->right;
	size_t own = schema->column_count, keys = self->join->key_count;
	size_t all = own + keys + 2;

	side->own_count = own;
	side->types = mem_alloc_array(all, sizeof(*side->types));
	side->stored = mem_zalloc_array(all, sizeof(bool));
	side->key_columns = mem_alloc_array(keys + 1, sizeof(size_t));
	side->extra = mem_zalloc_array(keys + 1, sizeof(*side->extra));
	if (!side->types || !side->stored || !side->key_columns ||
	    !side->extra)
		return no_memory(err);
	for (size_t i = 0; i < own; i++) {
		side->types[i] = schema->columns[i].type;
		side->stored[i] = used[i];
	}
	for (size_t k = 0; k < keys; k++) {
		struct expr *key = side_key(self, k, is_right);
		size_t at = own + side->extra_count;

		if (key->kind == EXPR_COLUMN)
			at = key->column;
		else
			side->extra[side->extra_count++] = key;
		side->key_columns[k] = at;
		side->types[at] = key->type;
		side->stored[at] = true;
	}
	side->column_count = own + side->extra_count;
	for (size_t i = 0; is_right && i < 2; i++) {
		side->types[side->column_count] = type_of(TYPE_BIGINT);
		side->stored[side->column_count++] = true;
	}
	return 0;
}

static int sides_init(struct join_source *self, struct error *err)
{
	const struct query_node *node = self->query.node;
	const struct schema *left = node->inputs[0]->schema;
	const struct schema *right = node->inputs[1]->schema;
	size_t count = left->column_count + right->column_count;
	size_t outputs = node->schema->column_count;
	bool *used;
	int rc;

	self->residual_columns = mem_zalloc_array(count + 1, sizeof(bool));
	self->null_safe = mem_zalloc_array(self->join->key_count + 1,
					   sizeof(bool));
	used = mem_zalloc_array(count + 1, sizeof(bool));
	if (!self->residual_columns || !self->null_safe || !used) {
		mem_free(used);
		return no_memory(err);
	}
	expr_mark_columns(self->join->residual, self->residual_columns);
	if (self->join->kind == JOIN_MARK)
		outputs = left->column_count;
	for (size_t i = 0; i < count; i++)
		used[i] = self->residual_columns[i] ||
			  (i < outputs && self->query.wanted[i]);
	for (size_t k = 0; k < self->join->key_count; k++)
		self->null_safe[k] = self->join->keys[k].null_safe;
	rc = side_init(self, &self->left, left, used, err);
	if (!rc)
		rc = side_init(self, &self->right, right,
			       used + left->column_count, err);
	mem_free(used);
	return rc;
}

static size_t join_parallelism(const struct batch_source *source)
{
	const struct join_source *self = (const struct join_source *)source;

	return self->query.inputs[0]->parallelism(self->query.inputs[0]);
}

int join_source_new(struct batch_source **out,
		    const struct query_node *node, const bool *wanted,
		    const struct query_options *options,
		    struct batch_source **inputs, struct error *err)
{
	struct join_source *self = mem_zalloc(sizeof(*self));
	int rc;

	*out = NULL;
	if (!self)
		return no_memory(err);
	rc = query_source_init(&self->query, node, wanted, options, err);
	if (rc) {
		mem_free(self);
		return rc;
	}
	pthread_mutex_init(&self->lock, NULL);
	query_once_init(&self->once);
	self->join = node->join;
	/* what IN compares does not tell apart what it is compared with */
	self->spill_key_count = node->join->key_count -
		(node->join->null_aware && node->join->key_count > 0);
	self->query.base.stream_new = join_stream_new;
	self->query.base.parallelism = join_parallelism;
	self->query.base.free = join_source_free;
	rc = sides_init(self, err);
	if (rc) {
		join_source_free(&self->query.base);
		return rc;
	}
	self->query.inputs[0] = inputs[0];
	self->query.inputs[1] = inputs[1];
	self->query.input_count = 2;
	*out = &self->query.base;
	return 0;
}
