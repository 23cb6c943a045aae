/*
 * window_source.c - window functions: rows by partition, in order
 *
 * Why:    a window function sees the rows of its partition in an order.
 * How:    rows are sorted by partition, then order; the keys of the sorter
 *         tell where partitions and peers begin. Pages of sorted rows are
 *         kept while a call may look at them: none if there are only ranks,
 *         else those of the partition. A page is computed once the end of its
 *         last partition is known, if some call looks behind the row. Past
 *         the memory pages go to disk and come back as they are looked at.
 * Cost:   see row_sorter.c; a byte and, where rows are looked at, a copy a
 *         row.
 * Limits: one thread computes.
 */
#include "query/window_state.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "window functions");
}

static bool looks_behind(const struct window_call *call)
{
	switch (call->function) {
	case WINDOW_ROW_NUMBER:
	case WINDOW_RANK:
	case WINDOW_DENSE_RANK:
	case WINDOW_LAG:
		return false;
	case WINDOW_PERCENT_RANK:
	case WINDOW_CUME_DIST:
	case WINDOW_NTILE:
	case WINDOW_LEAD:
		return true;
	default:
		return call->unit != FRAME_ROWS ||
		       call->end > FRAME_CURRENT_ROW ||
		       call->start > FRAME_CURRENT_ROW;
	}
}

static bool looks_at_rows(const struct window_call *call)
{
	return call->function > WINDOW_CUME_DIST;
}

/* Greater ones are as good as this. */
#define OFFSET_LIMIT ((int128_t)1 << 125)

/* key: of a RANGE frame, else NULL. */
static int fold_offset(struct window_source *self, const struct expr *expr,
		       const struct type *key, int128_t *whole, double *real,
		       struct error *err)
{
	struct literal value;
	int scale = 0;
	int rc;

	if (!expr)
		return 0;
	rc = expr_evaluate(expr, &self->query.options->context, &self->arena,
			   &value, err);
	if (rc)
		return rc;
	if (!value.is_null && (value.type.id == TYPE_DOUBLE ||
			       value.type.id == TYPE_REAL)) {
		*real = value.type.id == TYPE_REAL ? (double)value.value.real
						   : value.value.real64;
		*whole = *real < 1e37 ? (int128_t)*real : OFFSET_LIMIT;
	} else if (!value.is_null) {
		*whole = value.type.id == TYPE_DECIMAL ? value.value.decimal
			: value.type.id == TYPE_INTEGER ||
			  value.type.id == TYPE_DATE ? value.value.int32
						     : value.value.int64;
		*real = (double)*whole;
		for (int i = 0; value.type.id == TYPE_DECIMAL &&
				i < value.type.scale; i++)
			*real /= 10;
	}
	if (value.is_null || *whole < 0 || *real < 0 || *real != *real)
		return error_set(err, ERROR_BAD_ARGUMENT, "an offset of a "
				 "window frame is a number that is not "
				 "negative");
	if (key && key->id == TYPE_DECIMAL)
		scale = key->scale;
	if (value.type.id == TYPE_DECIMAL)
		scale -= value.type.scale;
	for (; scale > 0; scale--)
		*whole = *whole < OFFSET_LIMIT / 10 ? *whole * 10
						    : OFFSET_LIMIT;
	for (; scale < 0; scale++)
		*whole /= 10;
	if (*whole > OFFSET_LIMIT)
		*whole = OFFSET_LIMIT;
	return 0;
}

static int call_init(struct window_source *self, size_t i, size_t columns,
		     struct error *err)
{
	const struct window_call *call = &self->window->calls[i];
	struct window_call_place *place = &self->calls[i];
	const struct type *key = NULL;
	int rc;

	if (call->aggregate.distinct || call->aggregate.order_count)
		return error_set(err, ERROR_UNSUPPORTED, "DISTINCT and ORDER "
				 "BY in a window function");
	place->first_arg = columns + self->expr_count;
	place->filter = SIZE_MAX;
	for (size_t a = 0; a < call->aggregate.arg_count; a++)
		self->exprs[self->expr_count++] = call->aggregate.args[a];
	if (call->aggregate.filter) {
		place->filter = columns + self->expr_count;
		self->exprs[self->expr_count++] = call->aggregate.filter;
	}
	self->needs_end |= looks_behind(call);
	self->needs_rows |= looks_at_rows(call);
	if (call->unit == FRAME_RANGE && self->window->order_count)
		key = &self->window->order[0].expr->type;
	rc = fold_offset(self, call->start_offset, key, &place->start_offset,
			 &place->start_real, err);
	return rc ? rc : fold_offset(self, call->end_offset, key,
				     &place->end_offset, &place->end_real,
				     err);
}

/* What pages are made of. */
static int shape_init(struct window_source *self, struct error *err)
{
	const struct query_node *node = self->query.node;
	const struct query_window *window = self->window;
	const struct schema *input = node->inputs[0]->schema;
	size_t columns = input->column_count, most = 1, all;
	int rc = 0;

	for (size_t i = 0; i < window->call_count; i++)
		most += window->calls[i].aggregate.arg_count + 1;
	all = columns + most + 2;
	self->exprs = arena_zalloc_array(&self->arena, most,
					 sizeof(*self->exprs));
	self->types = arena_zalloc_array(&self->arena, all,
					 sizeof(*self->types));
	self->page_stored = arena_zalloc_array(&self->arena, all,
					       sizeof(bool));
	self->stored = arena_zalloc_array(&self->arena, columns + 1,
					  sizeof(bool));
	self->calls = arena_zalloc_array(&self->arena, window->call_count + 1,
					 sizeof(*self->calls));
	if (!self->exprs || !self->types || !self->page_stored ||
	    !self->stored || !self->calls)
		return no_memory(err);
	for (size_t i = 0; !rc && i < window->call_count; i++)
		rc = call_init(self, i, columns, err);
	self->order_column = columns + self->expr_count;
	if (window->order_count)
		self->exprs[self->expr_count++] = window->order[0].expr;
	self->line_column = columns + self->expr_count;
	for (size_t i = 0; i < columns; i++) {
		self->types[i] = input->columns[i].type;
		self->page_stored[i] = self->query.wanted[i];
		self->stored[i] = self->query.wanted[i];
	}
	for (size_t i = 0; i < self->expr_count; i++) {
		self->types[columns + i] = self->exprs[i]->type;
		self->page_stored[columns + i] = true;
		expr_mark_columns(self->exprs[i], self->stored);
	}
	self->types[self->line_column] = type_of(TYPE_BIGINT);
	self->page_stored[self->line_column] = true;
	self->shape.types = self->types;
	self->shape.stored = self->page_stored;
	self->shape.column_count = self->line_column + 1;
	return rc;
}

/* A thread that reads the input. */
struct window_worker {
	struct sorter_writer *writer;
	struct expr_list keys;
	const struct vector **columns;
};

static void worker_free(void *state)
{
	struct window_worker *self = state;

	if (!self)
		return;
	sorter_writer_free(self->writer);
	expr_list_release(&self->keys);
	mem_free(self->columns);
	mem_free(self);
}

static int worker_new(void *context, size_t worker, void **state,
		      struct error *err)
{
	struct window_source *source = context;
	const struct query_window *window = source->window;
	size_t parts = window->partition_count, count;
	size_t width = source->query.node->inputs[0]->schema->column_count;
	struct window_worker *self = mem_zalloc(sizeof(*self));
	struct expr **exprs;
	int rc = 0;

	*state = self;
	if (!self)
		return no_memory(err);
	count = parts + window->order_count;
	exprs = mem_zalloc_array(count + 1, sizeof(*exprs));
	self->columns = mem_zalloc_array(width + 1, sizeof(*self->columns));
	if (!exprs || !self->columns)
		rc = no_memory(err);
	for (size_t i = 0; !rc && i < count; i++)
		exprs[i] = i < parts ? window->partition[i]
				     : window->order[i - parts].expr;
	if (!rc)
		rc = expr_list_init(&self->keys, exprs, count, width,
				    source->query.options, err);
	if (!rc)
		rc = sorter_writer_new(&self->writer, source->sorter, err);
	mem_free(exprs);
	return rc;
}

static int worker_take(void *state, const struct drained_rows *drained,
		       struct error *err)
{
	struct window_worker *self = state;
	const struct batch *batch = drained->batch;
	struct sorter_rows rows = {
		.columns = self->columns,
		.keys = self->keys.results,
		.batch = batch,
		.rows = selection_all(batch->row_count),
		.unit = drained->unit,
		.position = drained->position,
	};
	int rc = expr_list_run(&self->keys, batch, err);

	for (size_t i = 0; i < batch->column_count; i++)
		self->columns[i] = &batch->columns[i];
	return rc ? rc : sorter_add(self->writer, &rows, err);
}

static int worker_end(void *state, struct error *err)
{
	return sorter_writer_finish(((struct window_worker *)state)->writer,
				    err);
}

static int sorter_of(struct window_source *self, size_t writers,
		     struct error *err)
{
	const struct query_window *window = self->window;
	size_t parts = window->partition_count;
	size_t count = parts + window->order_count;
	struct sort_column *keys = mem_zalloc_array(count + 1, sizeof(*keys));
	size_t limit = self->query.options->memory_bytes;
	/* the rest is for pages, or for rows that move to a new pile */
	size_t share = self->wants_first ? 5 : 4;
	struct sorter_options options = {
		.types = self->types,
		.stored = self->stored,
		.column_count = self->query.node->inputs[0]->schema
					->column_count,
		.keys = keys,
		.key_count = count,
		.partition_count = parts,
		.first_rows = UINT64_MAX,
		.first_of_partition = self->wants_first,
		.memory_bytes = limit ? limit / 8 * share + 1 : 0,
		.writer_count = writers,
		.directory = query_spill_directory(self->query.options),
	};
	int rc;

	if (!keys)
		return no_memory(err);
	for (size_t i = 0; i < count; i++) {
		const struct sort_key *order =
			i < parts ? NULL : &window->order[i - parts];

		keys[i].type = order ? order->expr->type
				     : window->partition[i]->type;
		keys[i].descending = order && order->descending;
		keys[i].nulls_first = !order || order->nulls_first;
	}
	rc = row_sorter_new(&self->sorter, &options, err);
	mem_free(keys);
	return rc;
}

static int read_input(void *context, struct error *err)
{
	struct window_source *self = context;
	struct drain drain = {
		.input = self->query.inputs[0],
		.thread_count = query_thread_count(self->query.options,
						   self->query.inputs[0]),
		.context = self,
		.worker_new = worker_new,
		.take = worker_take,
		.worker_end = worker_end,
		.worker_free = worker_free,
	};
	int rc = sorter_of(self, drain.thread_count, err);

	if (!rc)
		rc = query_drain(&drain, err);
	if (!rc && row_sorter_spilled(self->sorter))
		log_note(self->query.options->log, "rows of window functions "
			 "do not fit --memory: %llu bytes on disk",
			 (unsigned long long)row_sorter_spilled(self->sorter));
	return rc;
}

/* Note where partitions and peers begin. */
static int add_flags(struct window_stream *self, size_t count,
		     struct error *err)
{
	const struct byte_view *keys =
		vector_bytes(sorter_keys(self->reader));
	size_t kept = self->row_count - self->flag_base;
	struct byte_view last = byte_view(self->last_key.data,
					  self->last_key.length);

	if (kept + count > self->flag_capacity) {
		size_t capacity = 2 * (kept + count);
		uint8_t *grown = mem_realloc_array(self->flags, capacity, 1);

		if (!grown)
			return no_memory(err);
		self->flags = grown;
		self->flag_capacity = capacity;
	}
	for (size_t i = 0; i < count; i++) {
		uint8_t flags = 0;

		if (!last.length ||
		    !byte_view_equal(sort_key_partition(last),
				     sort_key_partition(keys[i])))
			flags = WINDOW_ROW_PARTITION | WINDOW_ROW_PEERS;
		else if (!byte_view_equal(sort_key_values(last),
					  sort_key_values(keys[i])))
			flags = WINDOW_ROW_PEERS;
		if (flags & WINDOW_ROW_PARTITION)
			self->last_partition = self->row_count + i;
		self->flags[kept + i] = flags;
		last = keys[i];
	}
	text_reset(&self->last_key);
	return text_add(&self->last_key, last.data, last.length)
		       ? 0 : no_memory(err);
}

/* Copy sorted rows, and what calls compute from them, to a page. */
static int page_fill(struct window_stream *self, struct window_page *page,
		     const struct batch *batch, struct error *err)
{
	struct window_source *source = self->source;
	size_t columns = source->shape.column_count;
	size_t own = source->query.node->inputs[0]->schema->column_count;
	struct selection all = selection_all(batch->row_count);
	const struct vector **list;
	struct vector lines;
	int rc = expr_list_run(&self->list, batch, err);

	list = mem_zalloc_array(columns + 1, sizeof(*list));
	vector_init(&lines, type_of(TYPE_BIGINT));
	if (!rc && !list)
		rc = no_memory(err);
	if (!rc)
		rc = vector_reserve(&lines, batch->row_count, err);
	for (size_t i = 0; !rc && i < batch->row_count; i++)
		vector_i64(&lines)[i] = (int64_t)(
			batch->lines ? batch->lines[i]
				     : batch->first_row + i);
	lines.count = batch->row_count;
	for (size_t i = 0; !rc && i < source->line_column; i++)
		list[i] = i < own ? &batch->columns[i]
				  : self->list.results[i - own];
	if (!rc) {
		list[source->line_column] = &lines;
		rc = pile_append(&page->pile, list, &all, err);
	}
	vector_release(&lines);
	mem_free(list);
	page->origin = batch->origin;
	page->has_lines = batch->lines != NULL;
	page->first = self->row_count;
	page->row_count = batch->row_count;
	self->bytes += page->pile.bytes;
	return rc;
}

/* Send a page to disk if there are too many in memory. */
static int page_spill(struct window_stream *self, struct window_page *page,
		      struct error *err)
{
	size_t limit = self->source->query.options->memory_bytes;
	int rc;

	if (!limit || self->bytes <= limit / 2)
		return 0;
	rc = run_write(&page->run, &self->file, &self->source->shape,
		       page->pile.chunks[0]->columns, page->row_count, err);
	if (rc)
		return rc;
	self->bytes -= page->pile.bytes;
	pile_release(&page->pile);
	return 0;
}

/* Read one more page. */
static int read_page(struct window_stream *self, struct error *err)
{
	struct window_page *page;
	struct batch *batch;
	int rc = interrupt_check(err);

	if (!rc)
		rc = sorter_next(self->reader, &batch, err);
	if (rc)
		return rc;
	self->has_ended = !batch;
	if (!batch)
		return 0;
	page = mem_zalloc(sizeof(*page));
	if (!page || !mem_grow((void **)&self->pages, &self->page_capacity,
			       self->page_count, sizeof(*self->pages))) {
		mem_free(page);
		return no_memory(err);
	}
	pile_init(&page->pile, &self->source->shape);
	self->pages[self->page_count++] = page;
	rc = page_fill(self, page, batch, err);
	if (!rc)
		rc = add_flags(self, batch->row_count, err);
	self->row_count += batch->row_count;
	return rc ? rc : page_spill(self, page, err);
}

/* Forget pages and flags that no call looks at any more. */
static void drop_pages(struct window_stream *self)
{
	size_t n = 0, first = self->part_start;

	if (!self->source->needs_rows && self->next_page)
		first = self->pages[self->next_page - 1]->first +
			self->pages[self->next_page - 1]->row_count;
	while (n < self->next_page &&
	       self->pages[n]->first + self->pages[n]->row_count <= first)
		window_page_free(self, self->pages[n++]);
	self->page_count -= n;
	self->next_page -= n;
	if (self->page_count)
		memmove(self->pages, self->pages + n,
			self->page_count * sizeof(*self->pages));
	n = first - self->flag_base;
	if (n < (size_t)BATCH_ROW_COUNT * 16 &&
	    n < (self->row_count - self->flag_base) / 2)
		return;
	if (self->row_count - self->flag_base > n)
		memmove(self->flags, self->flags + n,
			self->row_count - self->flag_base - n);
	self->flag_base = first;
}

/* Where each row of a page stands. */
static void find_places(struct window_stream *self,
			const struct window_page *page)
{
	bool ends = self->source->needs_end;

	for (size_t i = 0; i < page->row_count; i++) {
		size_t row = page->first + i;
		uint8_t flags = window_flags(self, row);

		if (flags & WINDOW_ROW_PARTITION) {
			self->part_start = row;
			self->group = 0;
		} else if (flags & WINDOW_ROW_PEERS) {
			self->group++;
		}
		if (flags & WINDOW_ROW_PEERS)
			self->peer_start = row;
		if (self->peer_end <= row) {
			self->peer_end = row + 1;
			while (ends && self->peer_end < self->row_count &&
			       !(window_flags(self, self->peer_end) &
				 WINDOW_ROW_PEERS))
				self->peer_end++;
		}
		if (self->part_end <= row) {
			self->part_end = self->peer_end;
			while (ends && self->part_end < self->row_count &&
			       !(window_flags(self, self->part_end) &
				 WINDOW_ROW_PARTITION))
				self->part_end++;
		}
		self->places[i].part_start = self->part_start;
		self->places[i].part_end = self->part_end;
		self->places[i].peer_start = self->peer_start;
		self->places[i].peer_end = self->peer_end;
		self->places[i].group = self->group;
	}
}

/* Give the next page with the results of all calls. */
static int compute_page(struct window_stream *self, struct error *err)
{
	struct window_source *source = self->source;
	struct window_page *page = self->pages[self->next_page];
	size_t own = source->query.node->inputs[0]->schema->column_count;
	const struct vector *columns;
	struct batch *out = &self->out;
	int rc = 0;

	batch_reset(out);
	find_places(self, page);
	for (size_t i = 0; !rc && i < source->window->call_count; i++)
		if (source->query.wanted[own + i])
			rc = window_compute(self, i, page->first,
					    page->row_count,
					    &out->columns[own + i], err);
	if (!rc)
		rc = window_page_columns(self, page, &columns, err);
	for (size_t i = 0; !rc && i < own; i++)
		if (source->query.wanted[i])
			vector_reference(&out->columns[i], &columns[i]);
	if (rc)
		return rc;
	out->row_count = page->row_count;
	out->origin = page->origin;
	out->lines = page->has_lines ? (const uint64_t *)vector_i64(
		&columns[source->line_column]) : NULL;
	out->first_row = page->first;
	self->next_page++;
	return 0;
}

/* Is the page complete: is the end of its last partition known? */
static bool is_ready(const struct window_stream *self)
{
	const struct window_page *page;

	if (self->next_page == self->page_count)
		return false;
	page = self->pages[self->next_page];
	return self->has_ended || !self->source->needs_end ||
	       self->last_partition >= page->first + page->row_count;
}

static int begin(struct window_stream *self, struct error *err)
{
	struct window_source *source = self->source;
	const struct query_window *window = source->window;
	int rc = 0;

	if (self->reader)
		return 0;
	for (size_t i = 0; !rc && i < window->call_count; i++) {
		struct window_progress *own = &self->progress[i];

		own->part_start = SIZE_MAX;
		vector_init(&own->value, window->calls[i].aggregate.type);
		if (window->calls[i].function == WINDOW_AGGREGATE)
			rc = window_states_new(source, i, 1, &own->states,
					       err);
	}
	if (!rc)
		rc = sorter_reader_new(&self->reader, source->sorter, err);
	return rc;
}

/* The next first rows of partitions, all of which have number 1. */
static int next_first(struct window_stream *self, struct batch **out,
		      struct error *err)
{
	const struct window_source *source = self->source;
	size_t own = source->query.node->inputs[0]->schema->column_count;
	struct batch *batch;
	int rc = sorter_next(self->reader, &batch, err);

	if (rc || !batch)
		return rc;
	batch_reset(&self->out);
	query_batch_place(&self->out, batch);
	for (size_t i = 0; i < own; i++)
		if (source->query.wanted[i])
			vector_reference(&self->out.columns[i],
					 &batch->columns[i]);
	if (source->query.wanted[own]) {
		struct vector *numbers = &self->out.columns[own];

		rc = vector_reserve(numbers, batch->row_count, err);
		numbers->count = rc ? 0 : batch->row_count;
		for (size_t i = 0; i < numbers->count; i++)
			vector_i64(numbers)[i] = 1;
	}
	*out = rc ? NULL : &self->out;
	return rc;
}

static int window_stream_next(struct batch_stream *stream, struct batch **out,
			      struct error *err)
{
	struct window_stream *self = (struct window_stream *)stream;
	struct window_source *source = self->source;
	int rc;

	*out = NULL;
	if (self->is_empty)
		return 0;
	rc = query_once_run(&source->once, read_input, source, err);
	if (!rc)
		rc = begin(self, err);
	if (!rc && source->wants_first)
		return next_first(self, out, err);
	if (!rc)
		drop_pages(self);
	while (!rc && !self->has_ended && !is_ready(self))
		rc = read_page(self, err);
	if (rc || self->next_page == self->page_count)
		return rc;
	rc = compute_page(self, err);
	if (!rc)
		*out = &self->out;
	return rc;
}

static void window_stream_free(struct batch_stream *stream)
{
	struct window_stream *self = (struct window_stream *)stream;
	size_t calls = self->source->window->call_count;

	for (size_t i = 0; i < self->page_count; i++)
		window_page_free(self, self->pages[i]);
	for (size_t i = 0; self->progress && i < calls; i++) {
		aggregate_states_free(self->progress[i].states);
		aggregate_states_free(self->progress[i].suffixes);
		aggregate_states_free(self->progress[i].both);
		vector_release(&self->progress[i].value);
	}
	sorter_reader_free(self->reader);
	expr_list_release(&self->list);
	run_file_release(&self->file);
	text_release(&self->last_key);
	batch_release(&self->out);
	mem_free(self->pages);
	mem_free(self->flags);
	mem_free(self->places);
	mem_free(self->progress);
	mem_free(self);
}

static int window_stream_new(struct batch_source *source,
			     struct batch_stream **out, struct error *err)
{
	struct window_source *self = (struct window_source *)source;
	const struct query_node *node = self->query.node;
	struct window_stream *stream = mem_zalloc(sizeof(*stream));
	int rc;

	*out = NULL;
	if (!stream)
		return no_memory(err);
	stream->base.next = window_stream_next;
	stream->base.free = window_stream_free;
	stream->source = self;
	run_file_init(&stream->file,
		      query_spill_directory(self->query.options));
	rc = batch_init(&stream->out, node->schema, err);
	stream->places = mem_zalloc_array(BATCH_ROW_COUNT,
					  sizeof(*stream->places));
	stream->progress = mem_zalloc_array(self->window->call_count + 1,
					    sizeof(*stream->progress));
	if (!rc && (!stream->places || !stream->progress))
		rc = no_memory(err);
	if (!rc)
		rc = expr_list_init(&stream->list, self->exprs,
				    self->expr_count,
				    node->inputs[0]->schema->column_count,
				    self->query.options, err);
	if (rc) {
		window_stream_free(&stream->base);
		return rc;
	}
	stream->is_empty = __atomic_exchange_n(&self->is_taken, true,
					       __ATOMIC_RELAXED);
	*out = &stream->base;
	return 0;
}

static void window_source_free(struct batch_source *source)
{
	struct window_source *self = (struct window_source *)source;

	row_sorter_free(self->sorter);
	query_once_release(&self->once);
	arena_release(&self->arena);
	query_source_release(&self->query);
	mem_free(self);
}

int window_source_new(struct batch_source **out,
		      const struct query_node *node, const bool *wanted,
		      const struct query_options *options,
		      struct batch_source *input, struct error *err)
{
	struct window_source *self = mem_zalloc(sizeof(*self));
	int rc;

	*out = NULL;
	if (!self)
		return no_memory(err);
	rc = query_source_init(&self->query, node, wanted, options, err);
	if (rc) {
		mem_free(self);
		return rc;
	}
	query_once_init(&self->once);
	arena_init(&self->arena, 0);
	self->window = node->window;
	self->query.base.stream_new = window_stream_new;
	self->query.base.parallelism = query_source_sequential;
	self->query.base.free = window_source_free;
	rc = shape_init(self, err);
	if (rc) {
		window_source_free(&self->query.base);
		return rc;
	}
	self->query.inputs[0] = input;
	self->query.input_count = 1;
	*out = &self->query.base;
	return 0;
}

void window_source_first_rows(struct batch_source *source)
{
	((struct window_source *)source)->wants_first = true;
}
