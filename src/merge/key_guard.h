#ifndef MERGE_KEY_GUARD_H
#define MERGE_KEY_GUARD_H
#include "column/column.h"

/*
 * One statement inserts no PRIMARY KEY twice. Collects the keys of inserted
 * rows from all workers and looks for two equal ones at the end. Rows that
 * are stored already are not looked at: a load stays blind.
 */
struct key_guard;
int key_guard_new(struct key_guard **out, const struct type *types,
		  size_t key_count, struct error *err);
void key_guard_free(struct key_guard *guard);

/* One per thread. Freed by key_guard_free. */
struct key_guard_writer;
int key_guard_writer_new(struct key_guard_writer **out,
			 struct key_guard *guard, struct error *err);
/* keys: one vector per key column, dense, no NULL. unit: the work unit that
 * the rows are from; rows of one unit are near each other. */
int key_guard_add(struct key_guard_writer *writer,
		  const struct vector *const *keys, size_t row_count,
		  uint64_t unit, struct error *err);

/* A key that was inserted twice; only the value of a single integer-like key
 * is known exactly, else is_known is false. */
struct key_guard_duplicate {
	bool found;
	bool is_known;
	int64_t value;
	uint64_t hash_low;
	uint64_t hash_high;
};
/* After all writers are done. Errors: ERROR_NO_MEMORY; a duplicate is no
 * error here. */
int key_guard_check(struct key_guard *guard,
		    struct key_guard_duplicate *out, struct error *err);
/* Is row i of keys the duplicate? For the message. */
bool key_guard_is_duplicate(const struct key_guard *guard,
			    const struct key_guard_duplicate *duplicate,
			    const struct vector *const *keys, size_t i);
/* Append bytes that are equal only for equal values. */
bool key_guard_value_bytes(const struct vector *key, size_t i,
			   struct text *out);
uint64_t key_guard_bytes(const struct key_guard *guard);
#endif
