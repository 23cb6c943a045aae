/*
 * group_set.c - groups and what their calls have seen
 *
 * How:    a batch finds its groups at once, then each call takes the rows that
 *         its FILTER leaves. Sets of several threads are read as one by
 *         group_union.c, or come together by parts of what they know.
 * Cost:   see group_table.c; 40 bytes a group for its place; the states.
 */
#include "query/group_set.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "groups of a query");
}

static size_t count_columns(const struct query_node *node)
{
	const struct query_aggregate *aggregate = node->aggregate;
	size_t count;

	if (node->kind != QUERY_AGGREGATE)
		return node->schema->column_count;
	count = aggregate->group_count;
	for (size_t i = 0; i < aggregate->call_count; i++)
		count += aggregate->calls[i].arg_count +
			 (aggregate->calls[i].filter != NULL);
	return count;
}

static void add_column(struct group_layout *layout, struct expr *expr)
{
	layout->exprs[layout->computed_count] = expr;
	layout->types[layout->computed_count++] = expr->type;
}

static int add_call(struct group_layout *layout, struct group_call *to,
		    const struct aggregate_call *call, struct error *err)
{
	to->call = call;
	to->first = layout->computed_count;
	to->filter = GROUP_NO_COLUMN;
	to->arg_types = arena_zalloc_array(&layout->arena,
					   call->arg_count + 1,
					   sizeof(*to->arg_types));
	if (!to->arg_types)
		return no_memory(err);
	for (size_t i = 0; i < call->arg_count; i++) {
		to->arg_types[i] = call->args[i]->type;
		add_column(layout, call->args[i]);
	}
	if (call->filter) {
		to->filter = layout->computed_count;
		add_column(layout, call->filter);
	}
	return 0;
}

static int add_columns(struct group_layout *layout,
		       const struct query_node *node, struct error *err)
{
	const struct query_aggregate *aggregate = node->aggregate;
	int rc = 0;

	for (size_t i = 0; i < layout->group_count; i++) {
		struct expr *expr;

		expr = aggregate ? aggregate->groups[i]
			: expr_column(&layout->arena, i,
				      node->inputs[0]->schema->columns[i].type);
		if (!expr)
			return no_memory(err);
		layout->group_columns[i] = i;
		add_column(layout, expr);
	}
	for (size_t i = 0; !rc && i < layout->call_count; i++)
		rc = add_call(layout, &layout->calls[i], &aggregate->calls[i],
			      err);
	layout->column_count = layout->computed_count;
	if (!layout->has_places)
		return rc;
	layout->unit_column = layout->column_count;
	layout->side_column = layout->column_count + 2;
	for (size_t i = 0; i < 3; i++)
		layout->types[layout->column_count++] = type_of(TYPE_BIGINT);
	return rc;
}

int group_layout_init(struct group_layout *layout,
		      const struct query_node *node, struct error *err)
{
	size_t count = count_columns(node);
	int rc;

	memset(layout, 0, sizeof(*layout));
	arena_init(&layout->arena, 0);
	if (node->kind == QUERY_AGGREGATE) {
		layout->group_count = node->aggregate->group_count;
		layout->call_count = node->aggregate->call_count;
	} else {
		layout->group_count = count;
		layout->has_places = true;
	}
	layout->exprs = arena_zalloc_array(&layout->arena, count + 1,
					   sizeof(*layout->exprs));
	layout->types = arena_zalloc_array(&layout->arena, count + 4,
					   sizeof(*layout->types));
	layout->group_columns = arena_zalloc_array(
		&layout->arena, layout->group_count + 1, sizeof(size_t));
	layout->calls = arena_zalloc_array(&layout->arena,
					   layout->call_count + 1,
					   sizeof(*layout->calls));
	if (!layout->exprs || !layout->types || !layout->group_columns ||
	    !layout->calls)
		rc = no_memory(err);
	else
		rc = add_columns(layout, node, err);
	if (rc)
		group_layout_release(layout);
	return rc;
}

void group_layout_release(struct group_layout *layout)
{
	arena_release(&layout->arena);
	memset(layout, 0, sizeof(*layout));
}

int group_call_states_new(struct aggregate_states **out,
			  const struct group_call *call, struct error *err)
{
	return aggregate_states_new(out, call->call->function,
				    call->arg_types, call->call->arg_count,
				    &call->call->type, err);
}

int group_set_init(struct group_set *set, const struct group_layout *layout,
		   struct origin_list *origins, struct error *err)
{
	int rc;

	memset(set, 0, sizeof(*set));
	set->layout = layout;
	set->origins = origins;
	set->states = mem_zalloc_array(layout->call_count + 1,
				       sizeof(*set->states));
	if (!set->states)
		return no_memory(err);
	rc = group_table_init(&set->table, layout->types, layout->group_count,
			      err);
	for (size_t i = 0; !rc && i < layout->call_count; i++)
		rc = group_call_states_new(&set->states[i], &layout->calls[i],
					   err);
	if (rc)
		group_set_release(set);
	return rc;
}

void group_set_release(struct group_set *set)
{
	for (size_t i = 0; set->states && i < set->layout->call_count; i++)
		aggregate_states_free(set->states[i]);
	mem_free(set->states);
	mem_free(set->places);
	group_table_release(&set->table);
	memset(set, 0, sizeof(*set));
}

size_t group_set_bytes(const struct group_set *set)
{
	size_t bytes = group_table_bytes(&set->table) +
		       (set->table.count + BATCH_ROW_COUNT) *
			       sizeof(*set->places);

	for (size_t i = 0; i < set->layout->call_count; i++)
		bytes += aggregate_states_bytes(set->states[i]);
	return bytes;
}

int group_work_init(struct group_work *work, struct error *err)
{
	size_t n = BATCH_ROW_COUNT;

	memset(work, 0, sizeof(*work));
	work->groups = mem_alloc_array(n, sizeof(uint32_t));
	work->rows = mem_alloc_array(n, sizeof(uint32_t));
	work->missing = mem_alloc_array(n, sizeof(uint32_t));
	work->call_rows = mem_alloc_array(n, sizeof(uint32_t));
	work->call_groups = mem_alloc_array(n, sizeof(uint32_t));
	if (!work->groups || !work->rows || !work->missing ||
	    !work->call_rows || !work->call_groups) {
		group_work_release(work);
		return no_memory(err);
	}
	return group_scratch_init(&work->scratch, err);
}

void group_work_release(struct group_work *work)
{
	group_scratch_release(&work->scratch);
	mem_free(work->groups);
	mem_free(work->rows);
	mem_free(work->missing);
	mem_free(work->call_rows);
	mem_free(work->call_groups);
	memset(work, 0, sizeof(*work));
}

/* Room for what is known of all groups. */
static int grow(struct group_set *set, size_t before, struct error *err)
{
	size_t count = set->table.count;
	int rc = 0;

	if (!mem_reserve((void **)&set->places, &set->place_capacity, count,
			 sizeof(*set->places)))
		return no_memory(err);
	for (size_t g = before; g < count; g++) {
		memset(&set->places[g], 0, sizeof(set->places[g]));
		set->places[g].unit = UINT64_MAX;
		set->places[g].position = UINT64_MAX;
	}
	for (size_t i = 0; !rc && i < set->layout->call_count; i++)
		rc = aggregate_states_grow(set->states[i], count, err);
	return rc;
}

static bool is_before(uint64_t unit, uint64_t position,
		      const struct group_place *place)
{
	return unit != place->unit ? unit < place->unit
				   : position < place->position;
}

static int note_places(struct group_set *set, const struct group_rows *rows,
		       const struct selection *found, const uint32_t *groups,
		       size_t before, struct error *err)
{
	struct row_origin from = row_origin_of(rows->batch);
	bool all = set->layout->has_places;
	uint16_t origin = 0;
	int rc = 0;

	if (set->layout->has_places)
		rc = origin_list_find(set->origins, &from, &origin, err);
	for (size_t i = 0; !rc && i < found->count; i++) {
		struct group_place *place = &set->places[groups[i]];
		size_t row = selection_row(found, i);

		if (groups[i] < before && !all)
			continue;
		if (rows->side == 0 &&
		    is_before(rows->units[row], rows->positions[row], place)) {
			place->unit = rows->units[row];
			place->position = rows->positions[row];
			place->line = row_origin_line(&from, row);
			place->origin = origin;
		}
		place->sides |= (uint8_t)(1 << rows->side);
	}
	return rc;
}

/* Rows that a call's FILTER leaves. */
static struct selection filter_rows(struct group_work *work,
				    const struct vector *flag,
				    const struct selection *rows,
				    const uint32_t *groups)
{
	struct selection out = { work->call_rows, 0 };

	for (size_t i = 0; i < rows->count; i++) {
		size_t row = selection_row(rows, i);

		work->call_rows[out.count] = (uint32_t)row;
		work->call_groups[out.count] = groups[i];
		out.count += !vector_is_null(flag, row) &&
			     vector_bool(flag)[row];
	}
	return out;
}

static int update_calls(struct group_set *set, struct group_work *work,
			const struct group_rows *rows,
			const struct selection *found, const uint32_t *groups,
			struct error *err)
{
	for (size_t c = 0; c < set->layout->call_count; c++) {
		const struct group_call *call = &set->layout->calls[c];
		struct selection some = *found;
		const uint32_t *to = groups;
		size_t bad_row = SIZE_MAX;
		int rc;

		if (call->filter != GROUP_NO_COLUMN) {
			some = filter_rows(work, rows->columns[call->filter],
					   found, groups);
			to = work->call_groups;
		}
		if (!some.count)
			continue;
		rc = aggregate_update(set->states[c],
				      rows->columns + call->first, &some, to,
				      &bad_row, err);
		if (rc)
			return query_blame(rows->batch, bad_row, err);
	}
	return 0;
}

/* Split rows into those with a group, which stay in groups, and others. */
static struct selection split_found(struct group_work *work,
				    const struct selection *selected)
{
	struct selection found = { work->rows, 0 };

	work->missing_count = 0;
	for (size_t i = 0; i < selected->count; i++) {
		uint32_t row = (uint32_t)selection_row(selected, i);

		if (work->groups[i] == GROUP_NONE) {
			work->missing[work->missing_count++] = row;
			continue;
		}
		work->groups[found.count] = work->groups[i];
		work->rows[found.count++] = row;
	}
	return work->missing_count ? found : *selected;
}

int group_set_add(struct group_set *set, struct group_work *work,
		  const struct group_rows *rows,
		  const struct selection *selected, bool add,
		  pthread_mutex_t *lock, struct error *err)
{
	struct selection found = *selected;
	size_t before = set->table.count;
	int rc;

	work->missing_count = 0;
	group_hash(&work->scratch, rows->columns, set->layout->group_count,
		   selected);
	rc = group_table_find(&set->table, &work->scratch, rows->columns,
			      selected, add, work->groups, err);
	if (!rc && set->table.count > before)
		rc = grow(set, before, err);
	if (rc)
		return rc;
	if (!add)
		found = split_found(work, selected);
	if (!found.count)
		return 0;
	if (lock)
		pthread_mutex_lock(lock);
	rc = note_places(set, rows, &found, work->groups, before, err);
	if (!rc)
		rc = update_calls(set, work, rows, &found, work->groups, err);
	if (lock)
		pthread_mutex_unlock(lock);
	return rc;
}

/* Where the first rows of groups of a set stood, which are others in out. */
static void merge_places(struct group_set *out, const struct group_set *set,
			 const struct selection *rows, const uint32_t *map)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct group_place *from = &set->places[rows->rows[i]];
		struct group_place *place = &out->places[map[i]];
		uint8_t sides = place->sides | from->sides;

		if (is_before(from->unit, from->position, place))
			*place = *from;
		place->sides = sides;
	}
}

/* Groups of a set into the table of another; map gets what numbers they have
 * there. */
struct group_list {
	const struct group_set *set;
	const uint32_t *numbers;
	size_t count;
};

static int merge_groups(struct group_set *out, const struct group_list *groups,
			struct group_work *work, uint32_t *map,
			struct error *err)
{
	const struct group_set *set = groups->set;
	const struct vector *keys[1], **list = keys;
	size_t key_count = set->layout->group_count, before;
	int rc = 0;

	if (key_count > 1)
		list = mem_alloc_array(key_count, sizeof(*list));
	if (!list)
		return no_memory(err);
	for (size_t k = 0; k < key_count; k++)
		list[k] = &set->table.keys[k];
	for (size_t at = 0; !rc && at < groups->count;) {
		struct selection rows = { work->rows, 0 };

		while (rows.count < BATCH_ROW_COUNT &&
		       at + rows.count < groups->count) {
			uint32_t g = groups->numbers[at + rows.count];

			work->scratch.hashes[rows.count] =
				set->table.hashes[g];
			work->rows[rows.count++] = g;
		}
		before = out->table.count;
		rc = group_table_find(&out->table, &work->scratch, list, &rows,
				      true, map + at, err);
		if (!rc && out->table.count > before)
			rc = grow(out, before, err);
		if (!rc)
			merge_places(out, set, &rows, map + at);
		at += rows.count;
	}
	if (list != keys)
		mem_free(list);
	return rc;
}

int group_set_take(struct group_set *out, const struct group_set *from,
		   const uint32_t *numbers, size_t count,
		   struct group_work *work, struct error *err)
{
	struct group_list groups = { from, numbers, count };
	struct selection rows = { numbers, count };
	uint32_t *map = mem_alloc_array(count + 1, sizeof(*map));
	int rc = map ? 0 : no_memory(err);

	if (!rc)
		rc = merge_groups(out, &groups, work, map, err);
	for (size_t c = 0; !rc && c < out->layout->call_count; c++)
		rc = aggregate_combine(out->states[c], map, from->states[c],
				       &rows, err);
	mem_free(map);
	return rc;
}

int group_set_add_empty(struct group_set *set, struct group_work *work,
			struct error *err)
{
	struct selection one = selection_all(1);
	size_t before = set->table.count;
	int rc;

	work->scratch.hashes[0] = 0;
	rc = group_table_find(&set->table, &work->scratch, NULL, &one, true,
			      work->groups, err);
	return !rc && set->table.count > before ? grow(set, before, err) : rc;
}
