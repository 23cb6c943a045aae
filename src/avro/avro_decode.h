#ifndef AVRO_AVRO_DECODE_H
#define AVRO_AVRO_DECODE_H
#include "avro/avro_schema.h"
#include "codec/codec.h"

/*
 * Which fields of a record a reader wants, and how their values come out: in
 * slots, slot i for want i. Fields of nested records are wanted through
 * `parent`; so one record is decoded in one pass whatever its shape.
 */
struct avro_want {
	int32_t field_id;	/* resolved by it; -1 = by name only */
	const char *name;	/* for fields without an id; NULL = none */
	int parent;		/* earlier want that is a record; -1 = root */
};

struct avro_value {
	const struct avro_schema *type;	/* the writer's; NULL = null, absent */
	union {
		int64_t integer;	/* BOOLEAN, INT, LONG, ENUM */
		double real;		/* FLOAT, DOUBLE */
		struct byte_view bytes;	/* BYTES, STRING, FIXED; ARRAY and
					 * MAP: encoded, for avro_items */
	} value;
};

/* Made once per file, in arena. */
struct avro_plan {
	const struct avro_schema *record;
	int32_t *slots;				/* by field index; -1 = skip */
	const struct avro_schema **types;	/* by want, null branch
						 * removed; NULL = absent */
	size_t want_count;
};

/* record must be a RECORD. Errors: ERROR_NO_MEMORY, ERROR_CORRUPT. */
int avro_plan_make(struct avro_plan *out, const struct avro_schema *record,
		   const struct avro_want *wants, size_t want_count,
		   struct arena *arena, struct error *err);
/* Decode one record into want_count values; bytes are borrowed. False when
 * the bytes are malformed or end. */
bool avro_decode(const struct avro_plan *plan, struct cursor *cursor,
		 struct avro_value *values);
/* An INT or LONG; absent for null, what is not there, and other types. */
int64_t avro_number(const struct avro_value *value, int64_t absent);
/* Step over one value. */
bool avro_skip(const struct avro_schema *type, struct cursor *cursor);

/* The items of a decoded ARRAY, one after the other. */
struct avro_items {
	struct cursor cursor;
	uint64_t block_left;
	const struct avro_schema *item;
};

void avro_items_init(struct avro_items *items, const struct avro_value *array);
/* 1: items->cursor stands at an item, which must then be decoded or skipped;
 * 0: no more; -1: malformed. */
int avro_items_next(struct avro_items *items);
/*
 * The common map: its items are records of an INT and then a LONG, INT, BYTES
 * or STRING, all required. Then next_pair, which also steps over the item, is
 * the fast way to read it; like avro_items_next() otherwise.
 */
bool avro_items_are_pairs(const struct avro_schema *array);
int avro_items_next_pair(struct avro_items *items, int32_t *key,
			 struct avro_value *value);
/* How many items the array has; they were counted in by avro_decode(). */
size_t avro_items_count(const struct avro_value *array);
#endif
