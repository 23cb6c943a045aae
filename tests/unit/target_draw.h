#ifndef TESTS_UNIT_TARGET_DRAW_H
#define TESTS_UNIT_TARGET_DRAW_H
#include "unit/target_world.h"

/*
 * The world that the tests of targets share, and random changes of it.
 */
static struct target_world world;
static struct row_change changes[ID_LIMIT];
static uint32_t state;

static inline void setup(void)
{
	error_init(&err);
	interrupt_reset();
	scratch_make();
	state = 1;
	world_spec = NULL;
	world_order = NULL;
}

static inline void teardown(void)
{
	mem_fail_at(-1);
	io_fail_at(-1, 0);
	interrupt_reset();
	scratch_remove();
}

static inline uint32_t draw(uint32_t limit)
{
	state = state * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)(state >> 4) * limit) >> 28);
}

static inline int64_t draw_value(void)
{
	return draw(10) ? (int64_t)draw(1000000) : NO_VALUE;
}

static const struct key_value copy_on_write[] = {
	{ (char *)"write.merge.mode", (char *)"copy-on-write" },
	{ (char *)"write.delete.mode", (char *)"copy-on-write" },
};

/* Changes of about `share` per mille of the ids, deletes first. */
static inline size_t draw_changes(uint32_t ids, uint32_t share,
				  bool inserts, bool deletes)
{
	static const int8_t order[] = { OPERATION_DELETE, OPERATION_UPDATE,
					OPERATION_INSERT };
	static int8_t op[ID_LIMIT];
	size_t n = 0;

	for (uint32_t id = 0; id < ids; id++) {
		op[id] = OPERATION_NONE;
		if (draw(1000) >= share)
			continue;
		if (!world.present[id])
			op[id] = inserts ? OPERATION_INSERT : OPERATION_NONE;
		else
			op[id] = deletes && draw(3) == 0 ? OPERATION_DELETE
							 : OPERATION_UPDATE;
	}
	for (int k = 0; k < 3; k++)
		for (uint32_t id = 0; id < ids; id++)
			if (op[id] == order[k]) {
				changes[n].id = id;
				changes[n].op = op[id];
				changes[n++].value = draw_value();
			}
	return n;
}

static inline void change(size_t count, const struct change_options *options)
{
	struct merge_outcome outcome;

	ck_ok(world_change(&world, changes, count, options, &outcome));
	world_apply(&world, changes, count);
}

/* A MERGE of few, some or nearly all of the ids; the rows are then right. */
static inline void change_any(uint32_t ids)
{
	static const uint32_t shares[] = { 1, 5, 30, 400, 990 };
	struct change_options options = { .statement = STATEMENT_MERGE };
	uint32_t share = shares[draw(5)];
	bool inserts = draw(4) > 0;

	change(draw_changes(ids, share, inserts, draw(4) > 0), &options);
	world_check(&world);
}

static inline void insert_range(int64_t first, size_t count, bool is_blind)
{
	struct change_options options = { .statement = STATEMENT_INSERT,
					  .is_blind = is_blind };

	for (size_t i = 0; i < count; i++) {
		changes[i].id = first + (int64_t)i;
		changes[i].op = OPERATION_INSERT;
		changes[i].value = (first + (int64_t)i) * 3;
	}
	change(count, &options);
}

static inline int64_t newest_version(void)
{
	struct catalog_table *table;
	int64_t version;

	ck_ok(catalog_open(&table, "t", 0, &err));
	version = table->version;
	catalog_table_free(table);
	return version;
}

#endif
