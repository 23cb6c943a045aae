/*
 * aggregate_sorted.c - groups whose calls want rows in an order
 *
 * Why:    DISTINCT and ORDER BY in a call need the rows of a group together.
 * How:    all rows go through a sorter by their group; per call that is
 *         DISTINCT or ordered its rows go through a sorter of its own, by
 *         group, then by what the call wants. These are read side by side:
 *         the first says which groups there are, in the others the rows of a
 *         group follow. DISTINCT leaves out a row that equals the one before.
 * Cost:   every row is copied and sorted once, and once per such call.
 * Limits: sorters share the memory evenly; one thread reads them.
 */
#include <assert.h>
#include "query/aggregate_op.h"
#include "query/row_sorter.h"

/* Groups that are computed at once. */
#define WINDOW_GROUPS ((size_t)1024)

/* Rows of some calls in the order of the groups. */
struct sorted_input {
	size_t call;			/* SIZE_MAX: all that are plain */
	struct row_sorter *sorter;
	struct sorter_reader *reader;
	struct type *types;
	size_t *columns;		/* of the layout that are stored */
	size_t column_count;
	struct sort_column *keys;
	struct expr **key_exprs;
	size_t key_count;
	/* where reading is */
	struct batch *batch;
	size_t at;
	bool has_ended;
	struct text last;		/* key of the last row of a DISTINCT */
	bool has_last;
	size_t last_group;
};

struct sorted_groups {
	struct aggregate_source *source;
	struct sorted_input *inputs;	/* 0: plain calls */
	size_t input_count;
	struct aggregate_states **states;
	/* the groups of the window */
	struct vector *keys;
	struct arena heap;		/* bytes of keys */
	struct byte_view *parts;	/* of the sorters' keys */
	size_t group_count;
	uint32_t *groups;
	uint32_t *rows;
	bool has_given;			/* of no keys: the one row */
	struct arena arena;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "groups of a query");
}

static bool wants_order(const struct aggregate_call *call)
{
	/* count(*) has nothing that an order could change */
	return call->distinct || (call->order_count && call->arg_count);
}

bool sorted_groups_needed(const struct query_node *node)
{
	if (node->kind != QUERY_AGGREGATE)
		return false;
	for (size_t i = 0; i < node->aggregate->call_count; i++)
		if (wants_order(&node->aggregate->calls[i]))
			return true;
	return false;
}

void sorted_groups_free(struct sorted_groups *self)
{
	if (!self)
		return;
	for (size_t i = 0; self->inputs && i < self->input_count; i++) {
		sorter_reader_free(self->inputs[i].reader);
		row_sorter_free(self->inputs[i].sorter);
		text_release(&self->inputs[i].last);
	}
	for (size_t i = 0;
	     self->states && i < self->source->layout.call_count; i++)
		aggregate_states_free(self->states[i]);
	for (size_t i = 0;
	     self->keys && i < self->source->layout.group_count; i++)
		vector_release(&self->keys[i]);
	mem_free(self->states);
	mem_free(self->keys);
	mem_free(self->parts);
	mem_free(self->groups);
	mem_free(self->rows);
	arena_release(&self->heap);
	arena_release(&self->arena);
	mem_free(self);
}

static void add_key(struct sorted_input *input, struct expr *expr,
		    bool descending, bool nulls_first)
{
	struct sort_column *key = &input->keys[input->key_count];

	key->type = expr->type;
	key->descending = descending;
	key->nulls_first = nulls_first;
	input->key_exprs[input->key_count++] = expr;
}

static void add_columns(struct sorted_input *input,
			const struct group_layout *layout, size_t first,
			size_t count)
{
	for (size_t i = first; i < first + count; i++) {
		input->types[input->column_count] = layout->types[i];
		input->columns[input->column_count++] = i;
	}
}

/* What an input stores, and by what it is sorted. */
static int input_init(struct sorted_groups *self, struct sorted_input *input,
		      size_t call, struct error *err)
{
	const struct group_layout *layout = &self->source->layout;
	const struct query_aggregate *aggregate =
		self->source->query.node->aggregate;
	const struct aggregate_call *own = call == SIZE_MAX
		? NULL : &aggregate->calls[call];
	size_t keys = layout->group_count + 1, all = layout->column_count + 1;

	if (own)
		keys += own->arg_count + own->order_count;
	input->call = call;
	input->types = arena_zalloc_array(&self->arena, all,
					  sizeof(*input->types));
	input->columns = arena_zalloc_array(&self->arena, all, sizeof(size_t));
	input->keys = arena_zalloc_array(&self->arena, keys,
					 sizeof(*input->keys));
	input->key_exprs = arena_zalloc_array(&self->arena, keys,
					      sizeof(*input->key_exprs));
	if (!input->types || !input->columns || !input->keys ||
	    !input->key_exprs)
		return no_memory(err);
	for (size_t i = 0; i < layout->group_count; i++)
		add_key(input, layout->exprs[i], false, true);
	if (own) {
		add_columns(input, layout, layout->calls[call].first,
			    own->arg_count);
		for (size_t i = 0; i < own->order_count; i++)
			add_key(input, own->order[i].expr,
				own->order[i].descending,
				own->order[i].nulls_first);
		for (size_t i = 0; own->distinct && i < own->arg_count; i++)
			add_key(input, own->args[i], false, true);
		return 0;
	}
	add_columns(input, layout, 0, layout->group_count);
	for (size_t i = 0; i < layout->call_count; i++)
		if (!wants_order(&aggregate->calls[i]))
			add_columns(input, layout, layout->calls[i].first,
				    aggregate->calls[i].arg_count +
				    (aggregate->calls[i].filter != NULL));
	/* count(*) alone: rows without a column are none. There is one: the
	 * argument of the call that wants an order. */
	if (!input->column_count)
		add_columns(input, layout, 0, 1);
	return 0;
}

static int make_inputs(struct sorted_groups *self, size_t writers,
		       struct error *err)
{
	const struct query_aggregate *aggregate =
		self->source->query.node->aggregate;
	const struct query_options *options = self->source->query.options;
	size_t count = 1, n = 0;
	int rc;

	for (size_t i = 0; i < aggregate->call_count; i++)
		count += wants_order(&aggregate->calls[i]);
	self->inputs = arena_zalloc_array(&self->arena, count,
					  sizeof(*self->inputs));
	if (!self->inputs)
		return no_memory(err);
	self->input_count = count;
	rc = input_init(self, &self->inputs[n++], SIZE_MAX, err);
	for (size_t i = 0; !rc && i < aggregate->call_count; i++)
		if (wants_order(&aggregate->calls[i]))
			rc = input_init(self, &self->inputs[n++], i, err);
	for (size_t i = 0; !rc && i < count; i++) {
		struct sorted_input *input = &self->inputs[i];
		struct sorter_options sorter = {
			.types = input->types,
			.column_count = input->column_count,
			.keys = input->keys,
			.key_count = input->key_count,
			.partition_count = self->source->layout.group_count,
			.first_rows = UINT64_MAX,
			.memory_bytes = options->memory_bytes / count,
			.writer_count = writers,
			.directory = query_spill_directory(options),
		};

		if (options->memory_bytes && !sorter.memory_bytes)
			sorter.memory_bytes = 1;
		rc = row_sorter_new(&input->sorter, &sorter, err);
	}
	return rc;
}

/* A thread that reads the input. */
struct sorted_worker {
	struct sorted_groups *groups;
	struct sorter_writer **writers;	/* per input */
	struct expr_list *keys;		/* per input */
	struct expr_list list;		/* of the layout */
	const struct vector **columns;
	struct selection_buffer passed;
};

static void worker_free(void *state)
{
	struct sorted_worker *self = state;

	if (!self)
		return;
	for (size_t i = 0; i < self->groups->input_count; i++) {
		if (self->writers)
			sorter_writer_free(self->writers[i]);
		if (self->keys)
			expr_list_release(&self->keys[i]);
	}
	expr_list_release(&self->list);
	selection_buffer_release(&self->passed);
	mem_free(self->writers);
	mem_free(self->keys);
	mem_free(self->columns);
	mem_free(self);
}

static int worker_new(void *context, size_t worker, void **state,
		      struct error *err)
{
	struct sorted_groups *groups = context;
	const struct query_node *node = groups->source->query.node;
	const struct query_options *options = groups->source->query.options;
	const struct group_layout *layout = &groups->source->layout;
	struct sorted_worker *self = mem_zalloc(sizeof(*self));
	size_t width = node->inputs[0]->schema->column_count;
	int rc;

	*state = self;
	if (!self)
		return no_memory(err);
	self->groups = groups;
	self->writers = mem_zalloc_array(groups->input_count,
					 sizeof(*self->writers));
	self->keys = mem_zalloc_array(groups->input_count,
				      sizeof(*self->keys));
	self->columns = mem_zalloc_array(layout->column_count + 1,
					 sizeof(*self->columns));
	if (!self->writers || !self->keys || !self->columns)
		return no_memory(err);
	rc = expr_list_init(&self->list, layout->exprs, layout->computed_count,
			    width, options, err);
	if (!rc)
		rc = selection_buffer_init(&self->passed, BATCH_ROW_COUNT,
					   err);
	for (size_t i = 0; !rc && i < groups->input_count; i++) {
		const struct sorted_input *input = &groups->inputs[i];

		rc = expr_list_init(&self->keys[i], input->key_exprs,
				    input->key_count, width, options, err);
		if (!rc)
			rc = sorter_writer_new(&self->writers[i],
					       input->sorter, err);
	}
	return rc;
}

/* Rows of the batch to one of the sorters. */
static int add_rows(struct sorted_worker *self, size_t number,
		    const struct drained_rows *drained, struct error *err)
{
	struct sorted_groups *groups = self->groups;
	const struct sorted_input *input = &groups->inputs[number];
	const struct group_layout *layout = &groups->source->layout;
	/* where rows come from is of no use: one origin for all */
	struct batch batch = { .row_count = drained->batch->row_count };
	struct sorter_rows rows = {
		.columns = self->columns,
		.keys = self->keys[number].results,
		.batch = &batch,
		.rows = selection_all(batch.row_count),
		.unit = drained->unit,
		.position = drained->position,
	};
	int rc;

	if (input->call == SIZE_MAX && !input->column_count)
		return 0;	/* no keys, no plain calls */
	rc = expr_list_run(&self->keys[number], drained->batch, err);
	if (rc)
		return rc;
	if (input->call != SIZE_MAX &&
	    layout->calls[input->call].filter != GROUP_NO_COLUMN) {
		struct selection all = rows.rows;

		selection_split(&all, self->list.results[
				layout->calls[input->call].filter],
				&self->passed, NULL);
		rows.rows = selection_of(&self->passed);
	}
	for (size_t i = 0; i < input->column_count; i++)
		self->columns[i] = self->list.results[input->columns[i]];
	return rows.rows.count ? sorter_add(self->writers[number], &rows, err)
			       : 0;
}

static int worker_take(void *state, const struct drained_rows *rows,
		       struct error *err)
{
	struct sorted_worker *self = state;
	int rc = expr_list_run(&self->list, rows->batch, err);

	for (size_t i = 0; !rc && i < self->groups->input_count; i++)
		rc = add_rows(self, i, rows, err);
	return rc;
}

static int worker_end(void *state, struct error *err)
{
	struct sorted_worker *self = state;
	int rc = 0;

	for (size_t i = 0; !rc && i < self->groups->input_count; i++)
		rc = sorter_writer_finish(self->writers[i], err);
	return rc;
}

/* What the groups of a window need. */
static int make_window(struct sorted_groups *self, struct error *err)
{
	const struct group_layout *layout = &self->source->layout;
	int rc = 0;

	self->states = mem_zalloc_array(layout->call_count + 1,
					sizeof(*self->states));
	self->keys = mem_zalloc_array(layout->group_count + 1,
				      sizeof(*self->keys));
	self->parts = mem_alloc_array(WINDOW_GROUPS, sizeof(*self->parts));
	self->groups = mem_alloc_array(2 * BATCH_ROW_COUNT,
				       sizeof(uint32_t));
	self->rows = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint32_t));
	if (!self->states || !self->keys || !self->parts || !self->groups ||
	    !self->rows)
		return no_memory(err);
	for (size_t i = 0; i < layout->group_count; i++)
		vector_init(&self->keys[i], layout->types[i]);
	for (size_t i = 0; !rc && i < layout->call_count; i++) {
		const struct group_call *call = &layout->calls[i];

		rc = aggregate_states_new(&self->states[i],
					  call->call->function,
					  call->arg_types,
					  call->call->arg_count,
					  &call->call->type, err);
		if (!rc)
			rc = aggregate_states_grow(self->states[i],
						   WINDOW_GROUPS, err);
	}
	return rc;
}

int sorted_groups_new(struct sorted_groups **out,
		      struct aggregate_source *source, struct error *err)
{
	struct sorted_groups *self = mem_zalloc(sizeof(*self));
	struct drain drain = {
		.input = source->query.inputs[0],
		.thread_count = query_thread_count(source->query.options,
						   source->query.inputs[0]),
		.context = self,
		.worker_new = worker_new,
		.take = worker_take,
		.worker_end = worker_end,
		.worker_free = worker_free,
	};
	int rc;

	*out = NULL;
	if (!self)
		return no_memory(err);
	self->source = source;
	arena_init(&self->heap, 0);
	arena_init(&self->arena, 0);
	rc = make_inputs(self, drain.thread_count, err);
	if (!rc)
		rc = query_drain(&drain, err);
	if (!rc)
		rc = make_window(self, err);
	for (size_t i = 0; !rc && i < self->input_count; i++)
		rc = sorter_reader_new(&self->inputs[i].reader,
				       self->inputs[i].sorter, err);
	if (rc) {
		sorted_groups_free(self);
		return rc;
	}
	*out = self;
	return 0;
}

/* Have a row to look at, or know that there is none. */
static int fill(struct sorted_input *input, struct error *err)
{
	int rc = 0;

	if (input->has_ended || (input->batch &&
				 input->at < input->batch->row_count))
		return 0;
	rc = interrupt_check(err);
	if (!rc)
		rc = sorter_next(input->reader, &input->batch, err);
	input->at = 0;
	input->has_ended = !rc && !input->batch;
	return rc;
}

static struct byte_view part_of(const struct sorted_input *input, size_t row)
{
	return sort_key_partition(
		vector_bytes(sorter_keys(input->reader))[row]);
}

static int compare_parts(struct byte_view a, struct byte_view b)
{
	size_t length = a.length < b.length ? a.length : b.length;
	int order = length ? memcmp(a.data, b.data, length) : 0;

	return order ? order : (a.length > b.length) - (a.length < b.length);
}

/* Is the row of another group than the last of the window? */
static bool starts_group(const struct sorted_groups *self,
			 struct byte_view part)
{
	return !self->group_count ||
	       compare_parts(part, self->parts[self->group_count - 1]) != 0;
}

/* A new group of the window, of a row of the first input. */
static int add_group(struct sorted_groups *self, size_t row,
		     struct byte_view part, struct error *err)
{
	const struct sorted_input *input = &self->inputs[0];
	uint32_t number = (uint32_t)row;
	struct selection one = { &number, 1 };
	uint8_t *bytes = arena_copy(&self->heap, part.data, part.length);
	int rc = 0;

	if (!bytes)
		return no_memory(err);
	for (size_t k = 0; !rc && k < self->source->layout.group_count; k++)
		rc = vector_append_selected(&self->keys[k],
					    &input->batch->columns[k], &one,
					    &self->heap, err);
	self->parts[self->group_count++] = byte_view(bytes, part.length);
	return rc;
}

/* The plain calls take rows first .. end - 1; groups has their groups. */
static int update_plain(struct sorted_groups *self, size_t first, size_t end,
			struct error *err)
{
	const struct sorted_input *input = &self->inputs[0];
	const struct group_layout *layout = &self->source->layout;
	const struct query_aggregate *aggregate =
		self->source->query.node->aggregate;
	size_t column = layout->group_count;

	for (size_t c = 0; c < layout->call_count; c++) {
		const struct aggregate_call *call = &aggregate->calls[c];
		const struct vector *args[AGGREGATE_ARG_LIMIT], **list = args;
		uint32_t *to = self->groups;
		const struct vector *flag = NULL;
		struct selection rows = { self->rows, 0 };
		size_t bad = SIZE_MAX;
		int rc;

		if (wants_order(call))
			continue;
		assert(call->arg_count <= ARRAY_COUNT(args));
		for (size_t i = 0; i < call->arg_count; i++)
			args[i] = &input->batch->columns[column++];
		if (call->filter)
			flag = &input->batch->columns[column++];
		to += BATCH_ROW_COUNT;	/* the second half is scratch */
		for (size_t i = first; i < end; i++) {
			self->rows[rows.count] = (uint32_t)i;
			to[rows.count] = self->groups[i - first];
			rows.count += !flag || (!vector_is_null(flag, i) &&
						vector_bool(flag)[i]);
		}
		if (!rows.count)
			continue;
		rc = aggregate_update(self->states[c], list, &rows, to, &bad,
				      err);
		if (rc)
			return rc;
	}
	return 0;
}

/* Rows of the first input until the window is full: its groups. */
static int read_groups(struct sorted_groups *self, struct error *err)
{
	struct sorted_input *input = &self->inputs[0];

	for (;;) {
		size_t first, count, end;
		int rc = fill(input, err);

		if (rc || input->has_ended)
			return rc;
		first = input->at;
		count = input->batch->row_count;
		for (end = first; end < count; end++) {
			struct byte_view part = part_of(input, end);

			if (starts_group(self, part)) {
				if (self->group_count == WINDOW_GROUPS)
					break;
				rc = add_group(self, end, part, err);
				if (rc)
					return rc;
			}
			self->groups[end - first] =
				(uint32_t)self->group_count - 1;
		}
		rc = update_plain(self, first, end, err);
		if (rc)
			return rc;
		input->at = end;
		if (end < count)
			return 0;
	}
}

/* Is a row of a DISTINCT call the same as the one before in its group? */
static int is_repeated(struct sorted_input *input, size_t row, size_t group,
		       bool *repeated, struct error *err)
{
	struct byte_view key = sort_key_values(
		vector_bytes(sorter_keys(input->reader))[row]);

	*repeated = input->has_last && input->last_group == group &&
		    input->last.length == key.length &&
		    memcmp(input->last.data, key.data, key.length) == 0;
	if (*repeated)
		return 0;
	text_reset(&input->last);
	if (!text_add(&input->last, key.data, key.length))
		return no_memory(err);
	input->has_last = true;
	input->last_group = group;
	return 0;
}

/* Rows of a call that belong to groups of the window. */
static int read_call(struct sorted_groups *self, struct sorted_input *input,
		     struct error *err)
{
	const struct aggregate_call *call =
		&self->source->query.node->aggregate->calls[input->call];
	size_t group = 0;

	input->has_last = false;
	for (;;) {
		const struct vector *args[AGGREGATE_ARG_LIMIT];
		struct selection rows = { self->rows, 0 };
		size_t bad = SIZE_MAX, count;
		int order = 0, rc = fill(input, err);

		if (rc || input->has_ended)
			return rc;
		assert(call->arg_count <= ARRAY_COUNT(args));
		count = input->batch->row_count;
		for (; input->at < count; input->at++) {
			struct byte_view part = part_of(input, input->at);
			bool repeated = false;

			while (group < self->group_count &&
			       (order = compare_parts(
					self->parts[group], part)) < 0)
				group++;
			if (group == self->group_count || order > 0)
				break;
			if (call->distinct)
				rc = is_repeated(input, input->at, group,
						 &repeated, err);
			if (rc)
				return rc;
			self->rows[rows.count] = (uint32_t)input->at;
			self->groups[rows.count] = (uint32_t)group;
			rows.count += !repeated;
		}
		for (size_t i = 0; i < call->arg_count; i++)
			args[i] = &input->batch->columns[i];
		if (rows.count)
			rc = aggregate_update(self->states[input->call], args,
					      &rows, self->groups, &bad, err);
		if (rc || input->at < count)
			return rc;
	}
}

static int put_window(struct sorted_groups *self, const bool *wanted,
		      struct batch *out, struct error *err)
{
	const struct group_layout *layout = &self->source->layout;
	int rc = 0;

	out->row_count = self->group_count;
	for (size_t i = 0; i < layout->group_count; i++)
		if (wanted[i])
			vector_reference(&out->columns[i], &self->keys[i]);
	for (size_t i = 0; !rc && i < layout->call_count; i++) {
		struct vector *to = &out->columns[layout->group_count + i];

		if (wanted[layout->group_count + i])
			rc = aggregate_finish(self->states[i], 0,
					      self->group_count, to,
					      &out->heap, err);
	}
	return rc;
}

int sorted_groups_next(struct sorted_groups *self, const bool *wanted,
		       struct batch *out, struct error *err)
{
	const struct group_layout *layout = &self->source->layout;
	int rc;

	batch_reset(out);
	out->row_count = 0;
	if (self->has_given && !layout->group_count)
		return 0;
	self->group_count = 0;
	arena_reset(&self->heap);
	for (size_t i = 0; i < layout->group_count; i++)
		vector_reset(&self->keys[i]);
	for (size_t i = 0; i < layout->call_count; i++)
		aggregate_states_reset(self->states[i]);
	rc = read_groups(self, err);
	if (!rc && !layout->group_count && !self->group_count)
		self->parts[self->group_count++] = byte_view("", 0);
	for (size_t i = 1; !rc && self->group_count && i < self->input_count;
	     i++)
		rc = read_call(self, &self->inputs[i], err);
	if (!rc && self->group_count)
		rc = put_window(self, wanted, out, err);
	self->has_given = true;
	return rc;
}
