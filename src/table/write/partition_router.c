/*
 * partition_router.c - which rows of a page go to which partition
 *
 * Why:    pages come in any order; files hold rows of one partition.
 * How:    transforms and hashes are made for the whole page, column by column.
 *         Rows of one hash form a group; one comparison of vectors proves that
 *         they have the same values, too (the few that do not, say -0.0 beside
 *         0.0, are looked up one by one). Only a group's first row is looked
 *         up among the partitions. The page's rows are then put in order of
 *         their groups, ascending within each.
 * Cost:   a few nanoseconds a row and field, a look-up per group.
 */
#include "table/write/write_state.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "partition router");
}

int partition_router_init(struct partition_router *router,
			  struct write_context *context, struct error *err)
{
	size_t count = context->spec->field_count;

	memset(router, 0, sizeof(*router));
	router->context = context;
	router->values = mem_zalloc_array(count + 1, sizeof(*router->values));
	if (!router->values)
		return no_memory(err);
	for (size_t i = 0; i < count; i++)
		vector_init(&router->values[i], context->partition_types[i]);
	return 0;
}

static void free_rows(struct partition_router *router)
{
	mem_free(router->hashes);
	mem_free(router->group_of);
	mem_free(router->first_of);
	mem_free(router->same);
	mem_free(router->local);
	mem_free(router->groups);
	mem_free(router->rows);
	router->hashes = NULL;
	router->group_of = router->first_of = router->local = NULL;
	router->same = NULL;
	router->groups = NULL;
	router->rows = NULL;
	router->row_capacity = 0;
}

void partition_router_release(struct partition_router *router)
{
	if (!router->context)
		return;
	for (size_t i = 0; router->values &&
			   i < router->context->spec->field_count; i++)
		vector_release(&router->values[i]);
	free_rows(router);
	mem_free(router->values);
	mem_free(router->slots);
	memset(router, 0, sizeof(*router));
}

static int reserve_rows(struct partition_router *router, size_t count,
			struct error *err)
{
	size_t local = 64;

	if (count <= router->row_capacity)
		return 0;
	free_rows(router);
	while (local < count * 2)
		local *= 2;
	router->hashes = mem_alloc_array(count, sizeof(*router->hashes));
	router->group_of = mem_alloc_array(count, sizeof(uint32_t));
	router->first_of = mem_alloc_array(count, sizeof(uint32_t));
	router->rows = mem_alloc_array(count, sizeof(uint32_t));
	router->same = mem_alloc_array(BITMAP_WORDS(count), sizeof(uint64_t));
	router->groups = mem_alloc_array(count, sizeof(*router->groups));
	router->local = mem_alloc_array(local, sizeof(uint32_t));
	if (!router->hashes || !router->group_of || !router->first_of ||
	    !router->rows || !router->same || !router->groups ||
	    !router->local) {
		free_rows(router);
		return no_memory(err);
	}
	router->local_size = local;
	router->row_capacity = count;
	return 0;
}

/* The values of the spec's fields, and a hash of them. */
static int make_values(struct partition_router *router,
		       const struct vector *const *columns,
		       const struct selection *rows, struct error *err)
{
	const struct write_context *context = router->context;
	struct selection all = selection_all(rows->count);
	bool first = true;
	int rc = 0;

	for (size_t i = 0; !rc && i < context->spec->field_count; i++) {
		const struct transform *transform =
			&context->spec->fields[i].transform;
		struct literal null = literal_null(
			context->partition_types[i]);

		if (transform->kind == TRANSFORM_VOID) {
			vector_set_type(&router->values[i], null.type);
			rc = vector_fill(&router->values[i], &null,
					 rows->count, err);
			continue;
		}
		rc = field_place_values(&context->sources[i], transform,
					columns, rows, &router->values[i],
					err);
		if (rc == ERROR_OVERFLOW)
			error_prefix(err, "partition field %s",
				     context->spec->fields[i].name);
		if (rc)
			break;
		vector_hash(&router->values[i], &all, first, router->hashes);
		first = false;
	}
	return rc;
}

static void group_by_hash(struct partition_router *router, size_t count)
{
	size_t mask = router->local_size - 1;

	router->group_count = 0;
	memset(router->local, 0, router->local_size * sizeof(uint32_t));
	for (size_t i = 0; i < count; i++) {
		uint64_t hash = router->hashes[i];
		size_t slot = (size_t)hash;
		uint32_t group;

		while (router->local[slot & mask] &&
		       router->hashes[router->groups[router->local
				[slot & mask] - 1].first] != hash)
			slot++;
		if (!router->local[slot & mask]) {
			struct router_group *g =
				&router->groups[router->group_count++];

			router->local[slot & mask] =
				(uint32_t)router->group_count;
			g->partition = NULL;
			g->first = (uint32_t)i;
			g->count = 0;
		}
		group = router->local[slot & mask] - 1;
		router->groups[group].count++;
		router->group_of[i] = group;
		router->first_of[i] = router->groups[group].first;
	}
}

static int grow_met(struct partition_router *router, struct error *err)
{
	size_t old = router->slots ? router->slot_mask + 1 : 0;
	size_t size = old ? old * 2 : 64;
	struct partition **slots;

	if (old && router->slot_count * 2 < old)
		return 0;
	slots = mem_zalloc_array(size, sizeof(*slots));
	if (!slots)
		return no_memory(err);
	for (size_t i = 0; i < old; i++) {
		size_t slot;

		if (!router->slots[i])
			continue;
		slot = (size_t)router->slots[i]->hash;
		while (slots[slot & (size - 1)])
			slot++;
		slots[slot & (size - 1)] = router->slots[i];
	}
	mem_free(router->slots);
	router->slots = slots;
	router->slot_mask = size - 1;
	return 0;
}

/* The partition of a row, from those met or from the context. */
static int look_up(struct partition_router *router, size_t row,
		   struct partition **out, struct error *err)
{
	size_t count = router->context->spec->field_count;
	uint64_t hash = router->hashes[row];
	size_t slot = (size_t)hash;
	int rc = grow_met(router, err);

	if (rc)
		return rc;
	for (; router->slots[slot & router->slot_mask]; slot++) {
		*out = router->slots[slot & router->slot_mask];
		if ((*out)->hash == hash &&
		    partition_is(*out, count, router->values, row))
			return 0;
	}
	rc = write_context_partition(router->context, router->values, row,
				     hash, out, err);
	if (rc)
		return rc;
	router->slots[slot & router->slot_mask] = *out;
	router->slot_count++;
	return 0;
}

/* Move a row whose hash is its group's, but not its values. */
static int move_row(struct partition_router *router, size_t row,
		    struct error *err)
{
	struct partition *partition;
	size_t g = 0;
	int rc = look_up(router, row, &partition, err);

	if (rc)
		return rc;
	while (g < router->group_count &&
	       router->groups[g].partition != partition)
		g++;
	if (g == router->group_count) {
		router->groups[g].partition = partition;
		router->groups[g].first = (uint32_t)row;
		router->groups[g].count = 0;
		router->group_count++;
	}
	router->groups[router->group_of[row]].count--;
	router->groups[g].count++;
	router->group_of[row] = (uint32_t)g;
	return 0;
}

static int check_values(struct partition_router *router, size_t count,
			struct error *err)
{
	size_t fields = router->context->spec->field_count;
	int rc = 0;

	bits_set_range(router->same, 0, count);
	for (size_t i = 0; i < fields; i++)
		if (router->context->spec->fields[i].transform.kind !=
		    TRANSFORM_VOID)
			vector_and_identical(&router->values[i], NULL,
					     &router->values[i],
					     router->first_of, count,
					     router->same);
	if (bits_count(router->same, count) == count)
		return 0;
	for (size_t i = 0; !rc && i < count; i++)
		if (!bits_get(router->same, i))
			rc = move_row(router, i, err);
	return rc;
}

int partition_router_place(struct partition_router *router,
			   const struct vector *const *columns,
			   const struct selection *rows, struct error *err)
{
	uint32_t at = 0;
	int rc = reserve_rows(router, rows->count, err);

	router->group_count = 0;
	if (!rc && rows->count)
		rc = make_values(router, columns, rows, err);
	if (rc || !rows->count)
		return rc;
	group_by_hash(router, rows->count);
	for (size_t g = 0; !rc && g < router->group_count; g++)
		rc = look_up(router, router->groups[g].first,
			     &router->groups[g].partition, err);
	if (!rc)
		rc = check_values(router, rows->count, err);
	if (rc)
		return rc;
	for (size_t g = 0; g < router->group_count; g++) {
		router->groups[g].at = at;
		at += router->groups[g].count;
		router->groups[g].count = 0;
	}
	for (size_t i = 0; i < rows->count; i++) {
		struct router_group *g = &router->groups[router->group_of[i]];

		router->rows[g->at + g->count++] =
			(uint32_t)selection_row(rows, i);
	}
	return 0;
}
