#ifndef COLUMN_SELECTION_H
#define COLUMN_SELECTION_H
#include "util/util.h"

/*
 * Which rows of a batch an operation is about: ascending row numbers without
 * repeats. rows NULL means rows 0 .. count - 1. Plain value; who owns rows is
 * said where it is made.
 */
struct selection {
	const uint32_t *rows;
	size_t count;
};

static inline struct selection selection_all(size_t count)
{
	struct selection s = { NULL, count };

	return s;
}

static inline size_t selection_row(const struct selection *s, size_t i)
{
	return s->rows ? s->rows[i] : i;
}

/* Storage for a selection that is computed; holds row_capacity rows. */
struct selection_buffer {
	uint32_t *rows;
	size_t count;
	size_t capacity;
};

int selection_buffer_init(struct selection_buffer *buffer,
			  size_t row_capacity, struct error *err);
void selection_buffer_release(struct selection_buffer *buffer);
static inline struct selection
selection_of(const struct selection_buffer *buffer)
{
	struct selection s = { buffer->rows, buffer->count };

	return s;
}

struct vector;
/*
 * Split in by a BOOLEAN vector that is aligned with the batch's rows: rows
 * where it is true go to yes, all others (false and NULL) to no. Either may
 * be NULL. Both must have capacity for in->count.
 */
void selection_split(const struct selection *in, const struct vector *flag,
		     struct selection_buffer *yes, struct selection_buffer *no);
#endif
