/*
 * aggregate_list.c - array_agg, string_agg and listagg
 *
 * Why:    the aggregates whose result has all values of the group.
 * How:    the values of all groups are appended to one vector in the order of
 *         the rows, each with the number of the next of its group; a result
 *         gathers along that chain. A piece of string_agg is separator and
 *         value in one; how long the first separator is, which the result
 *         leaves out, is known of each group, so that groups can be combined.
 * Cost:   20 bytes and the bytes of the value for each value.
 * Limits: 2^32 - 2 values in all groups together; a text of 2^31 - 1 bytes.
 */
#include "expr/aggregate_state.h"

#define JOINED_LIMIT ((size_t)INT32_MAX)
#define LIST_FIRST_CAPACITY 256

unsigned array_parts(const struct aggregate_states *states)
{
	(void)states;
	return PART_LIST;
}

unsigned joined_parts(const struct aggregate_states *states)
{
	(void)states;
	return PART_LIST | PART_SKIP;
}

void lists_release(struct value_lists *lists)
{
	vector_release(&lists->values);
	mem_free(lists->next);
	mem_free(lists->head);
	mem_free(lists->tail);
	mem_free(lists->skip);
	arena_release(&lists->heap);
}

bool lists_grow(struct value_lists *lists, size_t capacity, bool has_skip)
{
	const size_t width = sizeof(uint32_t);

	return aggregate_column_grow((void **)&lists->head, capacity, width) &&
	       aggregate_column_grow((void **)&lists->tail, capacity, width) &&
	       (!has_skip || aggregate_column_grow((void **)&lists->skip,
						   capacity, width));
}

void lists_begin(struct value_lists *lists, size_t first, size_t end)
{
	for (size_t g = first; g < end; g++)
		lists->head[g] = LIST_END;
}

void lists_reset(struct value_lists *lists, size_t count)
{
	vector_reset(&lists->values);
	arena_reset(&lists->heap);
	lists_begin(lists, 0, count);
}

size_t lists_bytes(const struct value_lists *lists, size_t count)
{
	size_t width = lists->skip ? 3 : 2;

	return count * width * sizeof(uint32_t) +
	       lists->values.count * sizeof(*lists->next) +
	       lists->values.count * type_width(&lists->values.type) +
	       lists->values.validity_words * sizeof(uint64_t) +
	       lists->heap.total_bytes;
}

/* Room for more values and their links. */
static int lists_reserve(struct value_lists *lists, size_t more,
			 struct error *err)
{
	size_t needed = lists->values.count + more;
	size_t capacity = lists->next_capacity ? lists->next_capacity
					       : LIST_FIRST_CAPACITY;
	uint32_t *grown;
	int rc;

	if (needed >= LIST_END)
		return error_set(err, ERROR_OVERFLOW,
				 "2^32 values in the groups of one aggregate");
	if (needed <= lists->next_capacity)
		return 0;
	while (capacity < needed)
		capacity *= 2;
	rc = vector_reserve(&lists->values, capacity, err);
	if (rc)
		return rc;
	grown = mem_realloc_array(lists->next, capacity, sizeof(*grown));
	if (!grown)
		return error_set(err, ERROR_NO_MEMORY, "%zu values", capacity);
	lists->next = grown;
	lists->next_capacity = capacity;
	return 0;
}

/* Value v, the last of all, is the last of its group. */
static void link_value(struct value_lists *lists, uint32_t group, uint32_t v)
{
	if (lists->head[group] == LIST_END)
		lists->head[group] = v;
	else
		lists->next[lists->tail[group]] = v;
	lists->tail[group] = v;
	lists->next[v] = LIST_END;
}

int array_update(struct aggregate_states *states,
		 const struct aggregate_batch *batch)
{
	struct value_lists *lists = &states->lists;
	size_t count = batch->rows->count, old = lists->values.count;
	int rc = lists_reserve(lists, count, batch->err);

	if (rc)
		return rc;
	rc = vector_append_selected(&lists->values, batch->args[0],
				    batch->rows, &lists->heap, batch->err);
	if (rc)
		return rc;
	for (size_t i = 0; i < count; i++)
		link_value(lists, batch->groups[i], (uint32_t)(old + i));
	return 0;
}

/* One separator and value in one piece. */
static int add_piece(struct aggregate_states *states, uint32_t group,
		     struct byte_view separator, struct byte_view value,
		     struct error *err)
{
	struct value_lists *lists = &states->lists;
	struct byte_view *pieces = vector_bytes(&lists->values);
	uint32_t v = (uint32_t)lists->values.count;
	uint8_t *bytes;

	if (separator.length > JOINED_LIMIT ||
	    value.length > JOINED_LIMIT - separator.length)
		return error_set(err, ERROR_OVERFLOW, "a text of %s is "
				 "longer than 2^31 - 1 bytes",
				 states->function->name);
	bytes = arena_alloc_bytes(&lists->heap,
				  separator.length + value.length);
	if (!bytes)
		return error_set(err, ERROR_NO_MEMORY, "values of %s",
				 states->function->name);
	if (separator.length)
		memcpy(bytes, separator.data, separator.length);
	if (value.length)
		memcpy(bytes + separator.length, value.data, value.length);
	pieces[v] = byte_view(bytes, separator.length + value.length);
	lists->values.count++;
	if (lists->head[group] == LIST_END)
		lists->skip[group] = (uint32_t)separator.length;
	link_value(lists, group, v);
	return 0;
}

int joined_update(struct aggregate_states *states,
		  const struct aggregate_batch *batch)
{
	const struct vector *values = batch->args[0];
	const struct vector *separators =
		states->arg_count == 2 ? batch->args[1] : NULL;
	int rc = lists_reserve(&states->lists, batch->rows->count,
			       batch->err);

	for (size_t i = 0; i < batch->rows->count && !rc; i++) {
		size_t r = selection_row(batch->rows, i);
		struct byte_view separator = byte_view(NULL, 0);

		if (vector_is_null(values, r))
			continue;
		if (separators && !vector_is_null(separators, r))
			separator = vector_bytes(separators)[r];
		rc = add_piece(states, batch->groups[i], separator,
			       vector_bytes(values)[r], batch->err);
		if (rc)
			*batch->bad_row = r;
	}
	return rc;
}

/* How many values the joined groups have; their numbers into picked. */
static size_t joined_values(const struct aggregate_join *join,
			    uint32_t *picked)
{
	const struct value_lists *from = &join->from->lists;
	size_t n = 0;

	for (size_t i = 0; i < join->rows->count; i++) {
		uint32_t v = from->head[selection_row(join->rows, i)];

		for (; v != LIST_END; v = from->next[v]) {
			if (picked)
				picked[n] = v;
			n++;
		}
	}
	return n;
}

/* The values of each group in turn are linked to the end of the other's. */
static void link_joined(struct value_lists *lists,
			const struct aggregate_join *join, size_t v)
{
	const struct value_lists *from = &join->from->lists;

	for (size_t i = 0; i < join->rows->count; i++) {
		size_t f = selection_row(join->rows, i);
		uint32_t g = join->groups[i];

		if (from->head[f] == LIST_END)
			continue;
		if (lists->skip && lists->head[g] == LIST_END)
			lists->skip[g] = from->skip[f];
		for (uint32_t at = from->head[f]; at != LIST_END;
		     at = from->next[at])
			link_value(lists, g, (uint32_t)v++);
	}
}

int list_combine(struct aggregate_states *states,
		 const struct aggregate_join *join, struct error *err)
{
	struct value_lists *lists = &states->lists;
	size_t count = joined_values(join, NULL), old = lists->values.count;
	struct selection rows = { NULL, count };
	uint32_t *picked;
	int rc;

	if (!count)
		return 0;
	rc = lists_reserve(lists, count, err);
	if (rc)
		return rc;
	picked = mem_alloc_array(count, sizeof(*picked));
	if (!picked)
		return error_set(err, ERROR_NO_MEMORY, "%zu values", count);
	joined_values(join, picked);
	rows.rows = picked;
	rc = vector_append_selected(&lists->values, &join->from->lists.values,
				    &rows, &lists->heap, err);
	mem_free(picked);
	if (!rc)
		link_joined(lists, join, old);
	return rc;
}

/* The values of the wanted groups, side by side, as an index; offsets and
 * validity of the lists that they make. */
static int chains_to_index(const struct value_lists *lists,
			   const struct aggregate_output *output,
			   uint32_t **index_out, uint32_t *offsets)
{
	const size_t first = output->first, end = first + output->count;
	size_t total = 0;
	uint32_t *index;

	*index_out = NULL;
	offsets[0] = 0;
	for (size_t g = first; g < end; g++) {
		for (uint32_t v = lists->head[g]; v != LIST_END;
		     v = lists->next[v])
			total++;
		offsets[g - first + 1] = (uint32_t)total;
	}
	index = mem_alloc_array(total + 1, sizeof(*index));
	if (!index)
		return error_set(output->err, ERROR_NO_MEMORY, "%zu values",
				 total);
	total = 0;
	for (size_t g = first; g < end; g++) {
		for (uint32_t v = lists->head[g]; v != LIST_END;
		     v = lists->next[v])
			index[total++] = v;
	}
	*index_out = index;
	return 0;
}

int array_finish(const struct aggregate_states *states,
		 const struct aggregate_output *output)
{
	const struct value_lists *lists = &states->lists;
	uint32_t *offsets = mem_alloc_array(output->count + 1,
					    sizeof(*offsets));
	uint64_t *validity = mem_zalloc_array(BITMAP_WORDS(output->count),
					      sizeof(*validity));
	uint32_t *index = NULL;
	struct vector elements;
	int rc = ERROR_NO_MEMORY;

	vector_init(&elements, lists->values.type);
	if (!offsets || !validity)
		error_set(output->err, rc, "%zu arrays", output->count);
	else
		rc = chains_to_index(lists, output, &index, offsets);
	for (size_t i = 0; i < output->count && !rc; i++) {
		if (offsets[i + 1] > offsets[i])
			validity[i >> 6] |= UINT64_C(1) << (i & 63);
	}
	if (!rc)
		rc = vector_gather(&elements, &lists->values, index,
				   offsets[output->count], NULL, output->err);
	if (!rc)
		rc = nested_pack_lists(output->out, &elements, offsets,
				       validity, output->count, output->heap,
				       output->err);
	vector_release(&elements);
	mem_free(index);
	mem_free(validity);
	mem_free(offsets);
	return rc;
}

static int joined_length(const struct aggregate_states *states, size_t g,
			 size_t *out, struct error *err)
{
	const struct value_lists *lists = &states->lists;
	const struct byte_view *pieces = vector_bytes(&lists->values);
	size_t total = 0;

	for (uint32_t v = lists->head[g]; v != LIST_END; v = lists->next[v]) {
		total += pieces[v].length;
		if (total - lists->skip[g] > JOINED_LIMIT)
			return error_set(err, ERROR_OVERFLOW, "a text of %s "
					 "is longer than 2^31 - 1 bytes",
					 states->function->name);
	}
	*out = total - lists->skip[g];
	return 0;
}

/* The text of a group that is not empty. */
static int join_group(const struct aggregate_states *states, size_t g,
		      struct byte_view *out,
		      const struct aggregate_output *output)
{
	const struct value_lists *lists = &states->lists;
	const struct byte_view *pieces = vector_bytes(&lists->values);
	size_t length = 0, skip = lists->skip[g];
	uint8_t *at;
	int rc = joined_length(states, g, &length, output->err);

	if (rc)
		return rc;
	at = arena_alloc_bytes(output->heap, length);
	if (!at)
		return error_set(output->err, ERROR_NO_MEMORY,
				 "a text of %zu bytes", length);
	*out = byte_view(at, length);
	for (uint32_t v = lists->head[g]; v != LIST_END; v = lists->next[v]) {
		size_t bytes = pieces[v].length - skip;

		if (bytes)
			memcpy(at, pieces[v].data + skip, bytes);
		at += bytes;
		skip = 0;
	}
	return 0;
}

int joined_finish(const struct aggregate_states *states,
		  const struct aggregate_output *output)
{
	struct byte_view *out = vector_bytes(output->out);
	int rc = 0;

	for (size_t i = 0; i < output->count && !rc; i++) {
		size_t g = output->first + i;

		if (states->lists.head[g] == LIST_END)
			rc = vector_set_null(output->out, i, output->err);
		else
			rc = join_group(states, g, &out[i], output);
	}
	return rc;
}
