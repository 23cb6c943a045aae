#ifndef JOIN_ORIGIN_LIST_H
#define JOIN_ORIGIN_LIST_H
#include <pthread.h>
#include "column/column.h"

/*
 * Names of the inputs that stored rows are from, each once. Rows keep an
 * index, 0 = not known. Any thread. For this room only.
 */
#define ORIGIN_LIMIT 65535

struct origin {
	char *name;		/* NULL = no name */
	bool has_lines;		/* rows have lines, else numbers from 0 */
	uint64_t unit;		/* the least work unit it came in */
};

struct origin_list {
	struct origin *items;
	size_t count;
	size_t capacity;
	pthread_mutex_t lock;
};

/* What a run of rows has in common, and the line or number of each: lines[i],
 * or first_row + i if lines is NULL. */
struct row_origin {
	const char *name;
	bool has_lines;
	uint64_t unit;
	const uint64_t *lines;
	uint64_t first_row;
};

static inline struct row_origin row_origin_of(const struct batch *batch)
{
	struct row_origin origin = { batch->origin, batch->lines != NULL,
				     batch->unit, batch->lines,
				     batch->first_row };

	return origin;
}

static inline uint64_t row_origin_line(const struct row_origin *origin,
				       size_t row)
{
	return origin->lines ? origin->lines[row] : origin->first_row + row;
}

void origin_list_init(struct origin_list *list);
void origin_list_release(struct origin_list *list);
/* Index of an origin, which is added if it is new. Past ORIGIN_LIMIT: 0. */
int origin_list_find(struct origin_list *list, const struct row_origin *row,
		     uint16_t *out, struct error *err);
/* A copy; the name lives as long as the list. */
struct origin origin_list_get(const struct origin_list *list, uint16_t index);
#endif
