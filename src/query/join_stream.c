/*
 * join_stream.c - the streams of a join
 *
 * How:    if the right input fits, each stream probes it with a share of the
 *         left one, and the last to end gives the right rows without a match.
 *         Else streams take partitions of both from disk. Right rows of a
 *         partition that does not fit are split by further bits of the hash;
 *         where that does not help (one key, or no keys) they are joined part
 *         by part, and the left rows of the partition are read once for each,
 *         with what is known of them kept in a byte a row.
 * Limits: streams that work on partitions share the memory evenly.
 */
#include "query/join_state.h"

/* Units of rows that no left row gave. */
#define JOIN_REST_UNIT (UINT64_C(1) << 39)

/* Partitions of both inputs, split at the same level. */
struct split {
	struct spill *right;
	struct spill *left;
	size_t next;
	bool is_final;		/* splitting again does not help */
};

struct join_stream {
	struct batch_stream base;
	struct join_source *source;
	struct join_match match;
	bool is_matching;	/* a batch has begun */
	bool is_resting;
	/* in memory */
	struct batch_stream *left;
	struct expr_list keys;
	const struct vector **key_values;
	bool is_counted;	/* among those that may have left rows */
	bool is_done;
	/* from disk */
	struct split splits[SPILL_LEVELS];	/* of our own, from level 1 */
	size_t level;
	uint64_t unit;
	struct spill_reader *right_reader;
	struct spill_reader *left_reader;
	struct join_part *part;
	uint8_t *flags;		/* per left row; NULL = one part alone */
	size_t left_row;	/* of the next batch */
	bool is_last;
	bool is_begun;		/* a partition */
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "join");
}

static void partition_end(struct join_stream *self)
{
	spill_reader_free(self->right_reader);
	spill_reader_free(self->left_reader);
	join_part_free(self->part);
	mem_free(self->flags);
	self->right_reader = NULL;
	self->left_reader = NULL;
	self->part = NULL;
	self->flags = NULL;
	self->match.round = JOIN_ROUND_ONLY;
	self->is_begun = false;
}

static void split_release(struct split *split)
{
	spill_free(split->right);
	spill_free(split->left);
	memset(split, 0, sizeof(*split));
}

/* Say that the stream has no left rows any more; is it the last? */
static bool leave(struct join_stream *self)
{
	struct join_source *source = self->source;
	bool is_last;

	pthread_mutex_lock(&source->lock);
	source->stream_count -= self->is_counted;
	self->is_counted = false;
	is_last = source->stream_count == 0;
	pthread_mutex_unlock(&source->lock);
	return is_last;
}

/* Only one stream gives the right rows without a match. */
static bool take_rest(struct join_stream *self)
{
	return leave(self) && join_keeps_right(self->source) &&
	       !__atomic_exchange_n(&self->source->is_right_taken, true,
				    __ATOMIC_RELAXED);
}

static void join_stream_free(struct batch_stream *stream)
{
	struct join_stream *self = (struct join_stream *)stream;

	leave(self);
	batch_stream_free(self->left);
	expr_list_release(&self->keys);
	mem_free(self->key_values);
	partition_end(self);
	for (size_t i = 0; i < SPILL_LEVELS; i++)
		split_release(&self->splits[i]);
	join_match_release(&self->match);
	mem_free(self);
}

/* Begin with a batch of the left input. */
static int begin_batch(struct join_stream *self, const struct batch *batch,
		       struct error *err)
{
	struct join_source *source = self->source;
	enum join_kind kind = source->join->kind;
	size_t own = source->left.own_count;
	int rc;

	/* without a state these ask for the right input with each row */
	if (source->right_state && (kind == JOIN_SEMI || kind == JOIN_ANTI))
		return error_list_get(source->query.options->context.errors,
				      (size_t)source->right_state -
				      SINGLE_FAILED, err);
	rc = expr_list_run(&self->keys, batch, err);
	if (rc)
		return rc;
	for (size_t k = 0; k < source->join->key_count; k++) {
		size_t at = source->left.key_columns[k];

		self->key_values[k] = at < own
			? &batch->columns[at] : self->keys.results[at - own];
	}
	self->is_matching = true;
	return join_match_begin(&self->match, source->part, batch,
				self->key_values, NULL, true, err);
}

static int next_in_memory(struct join_stream *self, struct batch **out,
			  struct error *err)
{
	struct join_source *source = self->source;
	struct batch *batch;
	int rc = 0;

	while (!rc && !self->is_done) {
		if (self->is_resting) {
			rc = join_match_rest_next(&self->match, out, err);
			if (!rc && *out)
				(*out)->unit = JOIN_REST_UNIT;
			self->is_done = !*out;
			return rc;
		}
		if (self->is_matching) {
			rc = join_match_next(&self->match, out, err);
			if (rc || *out)
				return rc;
			self->is_matching = false;
		}
		rc = batch_stream_next(self->left, &batch, err);
		if (rc)
			return rc;
		if (batch) {
			if (batch->row_count)
				rc = begin_batch(self, batch, err);
			continue;
		}
		self->is_done = true;
		if (!take_rest(self))
			return 0;
		self->is_done = false;
		self->is_resting = true;
		rc = join_match_rest_begin(&self->match, source->part, err);
	}
	return rc;
}

/* All rows of a partition to the partitions of another level. */
static int split_side(struct join_source *source, const struct join_side *side,
		      struct spill *from, size_t partition, unsigned level,
		      struct spill **out, struct error *err)
{
	struct spill_options options = {
		.directory = query_spill_directory(source->query.options),
		.types = side->types,
		.stored = side->stored,
		.column_count = side->column_count,
		.key_columns = side->key_columns,
		.key_count = source->spill_key_count,
		.level = level,
	};
	const struct vector **columns;
	struct spill_reader *reader = NULL;
	struct spill_writer *writer = NULL;
	struct batch *batch;
	int rc = spill_new(out, &options, err);

	columns = mem_zalloc_array(side->column_count + 1, sizeof(*columns));
	if (!rc && !columns)
		rc = no_memory(err);
	if (!rc)
		rc = spill_reader_new(&reader, from, partition, err);
	if (!rc)
		rc = spill_writer_new(&writer, *out, err);
	while (!rc && !(rc = spill_reader_next(reader, &batch, err)) &&
	       batch) {
		for (size_t i = 0; i < side->column_count; i++)
			columns[i] = &batch->columns[i];
		rc = spill_append(writer, columns, batch, NULL, err);
	}
	if (!rc)
		rc = spill_writer_finish(writer, err);
	spill_writer_free(writer);
	spill_reader_free(reader);
	mem_free(columns);
	return rc;
}

/* Does splitting leave all rows together? */
static bool split_helps(const struct spill *spill, uint64_t rows)
{
	for (size_t p = 0; p < SPILL_PARTITIONS; p++)
		if (spill_partition_rows(spill, p) == rows)
			return false;
	return true;
}

/* Load right rows until the memory is full. */
static int load_part(struct join_stream *self, struct error *err)
{
	struct join_source *source = self->source;
	const struct join_side *side = &source->right;
	size_t share = join_thread_count(source);
	struct row_store_writer *writer = NULL;
	const struct vector **columns;
	struct row_store *store;
	struct batch *batch = NULL;
	uint64_t rows = 0;
	int rc = row_store_new(&store, side->types, side->stored,
			       side->column_count, err);

	columns = mem_zalloc_array(side->column_count + 1, sizeof(*columns));
	if (!rc && !columns)
		rc = no_memory(err);
	if (!rc)
		rc = row_store_writer_new(&writer, store, err);
	self->is_last = false;
	while (!rc && (rows == 0 || join_fits(source, row_store_bytes(store),
					      rows, share))) {
		struct selection all;

		rc = spill_reader_next(self->right_reader, &batch, err);
		if (rc || !batch)
			break;
		for (size_t i = 0; i < side->column_count; i++)
			columns[i] = &batch->columns[i];
		all = selection_all(batch->row_count);
		rc = row_store_append(writer, columns, batch, &all, NULL, err);
		rows += all.count;
	}
	if (!rc && !batch)
		self->is_last = true;
	row_store_writer_free(writer);
	mem_free(columns);
	if (!rc)
		rc = join_part_new(&self->part, source, store, err);
	if (rc)
		row_store_free(store);
	return rc;
}

/* Start a pass over the partition's left rows. */
static int begin_pass(struct join_stream *self, uint64_t left_rows,
		      struct error *err)
{
	bool was_first = self->part == NULL;
	int rc;

	join_part_free(self->part);
	self->part = NULL;
	rc = load_part(self, err);
	if (rc)
		return rc;
	if (was_first && !self->is_last) {
		self->flags = mem_zalloc_array((size_t)left_rows + 1, 1);
		if (!self->flags)
			return no_memory(err);
		if (self->source->join->kind == JOIN_SINGLE)
			self->match.round = JOIN_ROUND_COUNT;
	}
	spill_reader_rewind(self->left_reader);
	self->left_row = 0;
	return 0;
}

static int begin_partition(struct join_stream *self,
			   const struct split *split, size_t partition,
			   struct error *err)
{
	int rc = spill_reader_new(&self->right_reader, split->right, partition,
				  err);

	if (!rc)
		rc = spill_reader_new(&self->left_reader, split->left,
				      partition, err);
	if (!rc)
		rc = begin_pass(self,
				spill_partition_rows(split->left, partition),
				err);
	self->is_begun = true;
	return rc;
}

/* Begin with a partition, or split it first. */
static int enter_partition(struct join_stream *self,
			   const struct split *split, size_t partition,
			   struct error *err)
{
	struct join_source *source = self->source;
	uint64_t rows = spill_partition_rows(split->right, partition);
	uint64_t bytes = spill_partition_bytes(split->right, partition);
	size_t level = self->level + 1;
	struct split *next;
	int rc;

	if ((!spill_partition_rows(split->left, partition) &&
	     !join_keeps_right(source)) ||
	    (!rows && !spill_partition_rows(split->left, partition)))
		return 0;
	if (split->is_final || level == SPILL_LEVELS ||
	    !source->spill_key_count ||
	    join_fits(source, 2 * bytes, rows, join_thread_count(source)))
		return begin_partition(self, split, partition, err);
	next = &self->splits[level];
	rc = split_side(source, &source->right, split->right, partition,
			(unsigned)level, &next->right, err);
	if (!rc)
		rc = split_side(source, &source->left, split->left, partition,
				(unsigned)level, &next->left, err);
	next->is_final = !rc && !split_helps(next->right, rows);
	self->level = level;
	return rc;
}

/* The next partition of the innermost split; false: there is none. */
static bool take_partition(struct join_stream *self, struct split *split,
			   size_t *partition)
{
	struct join_source *source = self->source;

	while (self->level) {
		struct split *top = &self->splits[self->level];

		if (top->next < SPILL_PARTITIONS) {
			*split = *top;
			*partition = top->next++;
			self->unit++;
			return true;
		}
		split_release(top);
		self->level--;
	}
	memset(split, 0, sizeof(*split));
	split->right = source->right_spill;
	split->left = source->left_spill;
	*partition = __atomic_fetch_add(&source->next_partition, 1,
					__ATOMIC_RELAXED);
	self->unit = (uint64_t)*partition << 32;
	return *partition < SPILL_PARTITIONS;
}

/* The next left batch of the pass; *more false: it is over. */
static int next_left(struct join_stream *self, bool *more, struct error *err)
{
	struct join_source *source = self->source;
	struct batch *batch;
	int rc = spill_reader_next(self->left_reader, &batch, err);

	*more = !rc && batch;
	if (!*more)
		return rc;
	for (size_t k = 0; k < source->join->key_count; k++)
		self->key_values[k] =
			&batch->columns[source->left.key_columns[k]];
	self->is_matching = true;
	rc = join_match_begin(&self->match, self->part, batch,
			      self->key_values,
			      self->flags ? self->flags + self->left_row
					  : NULL, self->is_last, err);
	self->left_row += batch->row_count;
	return rc;
}

static int next_of_partition(struct join_stream *self, struct batch **out,
			     struct error *err)
{
	bool more;
	int rc;

	for (;;) {
		if (self->is_resting) {
			rc = join_match_rest_next(&self->match, out, err);
			if (rc || *out)
				return rc;
			self->is_resting = false;
		} else {
			if (self->is_matching) {
				rc = join_match_next(&self->match, out, err);
				if (rc || *out)
					return rc;
				self->is_matching = false;
			}
			rc = next_left(self, &more, err);
			if (rc)
				return rc;
			if (more)
				continue;
			if (join_keeps_right(self->source)) {
				self->is_resting = true;
				rc = join_match_rest_begin(&self->match,
							   self->part, err);
				if (rc)
					return rc;
				continue;
			}
		}
		if (self->is_last && self->match.round == JOIN_ROUND_COUNT) {
			self->match.round = JOIN_ROUND_GIVE;
			spill_reader_rewind(self->right_reader);
		} else if (self->is_last) {
			partition_end(self);
			return 0;
		}
		rc = begin_pass(self, self->left_row, err);
		if (rc)
			return rc;
	}
}

static int next_from_disk(struct join_stream *self, struct batch **out,
			  struct error *err)
{
	for (;;) {
		struct split split;
		size_t partition;
		int rc;

		if (self->is_begun) {
			rc = next_of_partition(self, out, err);
			if (!rc && *out)
				(*out)->unit = self->unit;
			if (rc || *out)
				return rc;
		}
		if (!take_partition(self, &split, &partition))
			return 0;
		rc = enter_partition(self, &split, partition, err);
		if (rc)
			return rc;
	}
}

static int join_stream_next(struct batch_stream *stream, struct batch **out,
			    struct error *err)
{
	struct join_stream *self = (struct join_stream *)stream;
	struct join_source *source = self->source;
	struct batch_source *left = source->query.inputs[0];
	int rc = query_once_run(&source->once, join_read_inputs, source, err);

	*out = NULL;
	if (!rc)
		rc = interrupt_check(err);
	if (rc)
		return rc;
	if (source->is_spilling)
		rc = next_from_disk(self, out, err);
	else if (!self->left)
		rc = left->stream_new(left, &self->left, err);
	if (!rc && !source->is_spilling)
		rc = next_in_memory(self, out, err);
	if (rc)
		*out = NULL;
	return rc;
}

int join_stream_new(struct batch_source *source, struct batch_stream **out,
		    struct error *err)
{
	struct join_source *self = (struct join_source *)source;
	struct join_stream *stream = mem_zalloc(sizeof(*stream));
	int rc;

	*out = NULL;
	if (!stream)
		return no_memory(err);
	stream->base.next = join_stream_next;
	stream->base.free = join_stream_free;
	stream->source = self;
	stream->key_values = mem_zalloc_array(self->join->key_count + 1,
					      sizeof(*stream->key_values));
	rc = join_match_init(&stream->match, self, err);
	if (!rc && !stream->key_values)
		rc = no_memory(err);
	if (!rc)
		rc = expr_list_init(&stream->keys, self->left.extra,
				    self->left.extra_count,
				    self->left.own_count, self->query.options,
				    err);
	if (rc) {
		join_stream_free(&stream->base);
		return rc;
	}
	pthread_mutex_lock(&self->lock);
	self->stream_count++;
	stream->is_counted = true;
	pthread_mutex_unlock(&self->lock);
	*out = &stream->base;
	return 0;
}
