#ifndef EXPR_AGGREGATE_STATE_H
#define EXPR_AGGREGATE_STATE_H
#include "expr/aggregate.h"
#include "expr/exact_sum.h"

/*
 * What the groups of one aggregate call have seen, a column per part of the
 * state: entry g belongs to group g. A function has the columns it asks for.
 * For this room only.
 */

/* At most one value of one type per group. Bytes lie in heap. */
struct value_slots {
	struct type type;
	uint8_t *has;		/* is there a value? */
	void *data;		/* type_width() bytes each */
	uint32_t *room;		/* views: bytes that are reserved */
	struct arena heap;
	size_t live_bytes;	/* reserved for what the slots point to */
};

/* Any number of values per group, chained in the order of their rows. */
struct value_lists {
	struct vector values;	/* of all groups */
	uint32_t *next;		/* of each value, LIST_END = none */
	size_t next_capacity;
	uint32_t *head;		/* of each group, LIST_END = empty */
	uint32_t *tail;
	uint32_t *skip;		/* bytes of the first separator */
	struct arena heap;
};
#define LIST_END UINT32_MAX

/* A row of a batch that becomes the value of a group. */
struct slot_winner {
	uint32_t row;
	uint32_t group;
};

enum aggregate_part {
	PART_COUNT = 1,
	PART_SUM = 2,
	PART_HIGH = 4,
	PART_MEAN = 8,
	PART_SPREAD = 16,
	PART_VALUE = 32,
	PART_KEY = 64,
	PART_LIST = 128,
	PART_SKIP = 256,
	PART_FLOAT = 512,
};

struct aggregate_states {
	const struct aggregate_function *function;
	struct type args[AGGREGATE_ARG_LIMIT];
	size_t arg_count;
	struct type type;
	unsigned parts;
	size_t count;
	size_t capacity;
	int64_t *counts;	/* rows that counted */
	int128_t *sums;		/* exact; with highs the low 128 bits, as
				 * unsigned */
	int64_t *highs;		/* of decimals: what is above them */
	double *means;
	double *spreads;	/* sum of the squares of the distances */
	struct exact_sum *floats;	/* PART_FLOAT */
	struct exact_pool wides;	/* what they need besides */
	struct value_slots slots;	/* PART_VALUE */
	struct value_slots keys;	/* PART_KEY: of min_by, max_by */
	struct value_lists lists;	/* PART_LIST */
	struct slot_winner *winners;	/* of one batch */
	size_t winner_capacity;
};

/* One batch on its way into the states. */
struct aggregate_batch {
	const struct vector *const *args;
	const struct selection *rows;
	const uint32_t *groups;
	size_t *bad_row;
	struct error *err;
};

/* Groups of other states on their way into the states: the i-th of rows is
 * group groups[i] here. */
struct aggregate_join {
	const struct aggregate_states *from;
	const struct selection *rows;
	const uint32_t *groups;
};

/* Groups first .. first + count - 1 on their way out. */
struct aggregate_output {
	size_t first;
	size_t count;
	struct vector *out;	/* reset, room for count */
	struct arena *heap;
	struct error *err;
};

struct aggregate_function {
	const char *name;
	uint8_t min_args;
	uint8_t max_args;
	bool is_ordered;
	uint8_t variant;
	/* Fill wanted and result; false when the types do not fit. */
	bool (*resolve)(struct aggregate_lookup *lookup);
	/* The columns for these types. */
	unsigned (*parts)(const struct aggregate_states *states);
	int (*update)(struct aggregate_states *states,
		      const struct aggregate_batch *batch);
	int (*combine)(struct aggregate_states *states,
		       const struct aggregate_join *join, struct error *err);
	int (*finish)(const struct aggregate_states *states,
		      const struct aggregate_output *output);
};

/* One column of the states longer; what is new is not set. False: no memory.
 * Only groups that are there are set, so that room which is not used yet takes
 * no memory. */
bool aggregate_column_grow(void **column, size_t capacity, size_t width);

/* aggregate_slots.c */
void slots_init(struct value_slots *slots, const struct type *type);
void slots_release(struct value_slots *slots);
bool slots_grow(struct value_slots *slots, size_t capacity);
/* Slots first .. end - 1, new ones, are empty. */
void slots_begin(struct value_slots *slots, size_t first, size_t end);
void slots_reset(struct value_slots *slots, size_t count);
size_t slots_bytes(const struct value_slots *slots, size_t count);
/* slot group = values[row] of each winner, in turn; NULL empties it. count:
 * slots in use. */
int slots_store(struct value_slots *slots, size_t count,
		const struct vector *values,
		const struct slot_winner *winners, size_t winner_count,
		struct error *err);
/* One value of bytes; slots_settle() is to be called after the last. */
int slots_put_view(struct value_slots *slots, size_t g,
		   struct byte_view value, struct error *err);
int slots_settle(struct value_slots *slots, size_t count, struct error *err);
/* The slots of groups, in any order, as a vector that shares their bytes; to
 * be released after a failure too. */
int slots_gather(const struct value_slots *slots,
		 const struct selection *groups, struct vector *out,
		 struct error *err);
/* Slots first .. first + count - 1 as a vector that borrows their data. */
int slots_view(const struct value_slots *slots, size_t first, size_t count,
	       struct vector *out, struct error *err);

/* aggregate_number.c */
enum { COUNT_ALL_OR_VALUES, COUNT_TRUE };
enum { BOOL_AND, BOOL_OR };
enum { SUM_TOTAL, SUM_AVERAGE };
enum { SPREAD_SAMPLE = 1, SPREAD_ROOT = 2 };
unsigned count_parts(const struct aggregate_states *states);
int count_update(struct aggregate_states *states,
		 const struct aggregate_batch *batch);
int count_combine(struct aggregate_states *states,
		const struct aggregate_join *join, struct error *err);
int count_finish(const struct aggregate_states *states,
		 const struct aggregate_output *output);
unsigned truth_parts(const struct aggregate_states *states);
int truth_update(struct aggregate_states *states,
		 const struct aggregate_batch *batch);
int truth_combine(struct aggregate_states *states,
		const struct aggregate_join *join, struct error *err);
int truth_finish(const struct aggregate_states *states,
		 const struct aggregate_output *output);

/* aggregate_sum.c */
unsigned sum_parts(const struct aggregate_states *states);
int sum_update(struct aggregate_states *states,
	       const struct aggregate_batch *batch);
int sum_combine(struct aggregate_states *states,
		const struct aggregate_join *join, struct error *err);
int sum_finish(const struct aggregate_states *states,
	       const struct aggregate_output *output);

/* aggregate_number.c */
unsigned spread_parts(const struct aggregate_states *states);
int spread_update(struct aggregate_states *states,
		  const struct aggregate_batch *batch);
int spread_combine(struct aggregate_states *states,
		const struct aggregate_join *join, struct error *err);
int spread_finish(const struct aggregate_states *states,
		  const struct aggregate_output *output);

/* aggregate_value.c */
enum { PICK_ANY, PICK_MIN, PICK_MAX };
unsigned pick_parts(const struct aggregate_states *states);
int pick_update(struct aggregate_states *states,
		const struct aggregate_batch *batch);
int pick_combine(struct aggregate_states *states,
		const struct aggregate_join *join, struct error *err);
int pick_finish(const struct aggregate_states *states,
		const struct aggregate_output *output);

/* aggregate_list.c */
unsigned array_parts(const struct aggregate_states *states);
unsigned joined_parts(const struct aggregate_states *states);
int array_update(struct aggregate_states *states,
		 const struct aggregate_batch *batch);
int joined_update(struct aggregate_states *states,
		  const struct aggregate_batch *batch);
int list_combine(struct aggregate_states *states,
		const struct aggregate_join *join, struct error *err);
int array_finish(const struct aggregate_states *states,
		 const struct aggregate_output *output);
int joined_finish(const struct aggregate_states *states,
		  const struct aggregate_output *output);
void lists_release(struct value_lists *lists);
bool lists_grow(struct value_lists *lists, size_t capacity, bool has_skip);
/* Lists first .. end - 1, new ones, are empty. */
void lists_begin(struct value_lists *lists, size_t first, size_t end);
void lists_reset(struct value_lists *lists, size_t count);
size_t lists_bytes(const struct value_lists *lists, size_t count);
#endif
