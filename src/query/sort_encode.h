#ifndef QUERY_SORT_ENCODE_H
#define QUERY_SORT_ENCODE_H
#include "plan/plan.h"

/*
 * Keys whose bytes memcmp() puts in the order of rows. A key ends with where
 * its row stands in the input, so that no two are equal and equal values
 * stay in the order of the input, however many threads read it:
 *
 *	values of the leading (partition) columns
 *	values of the other columns
 *	8 bytes work unit, 8 bytes row of the unit	(SORT_TIE_BYTES)
 *	4 bytes length of the first part		(all big-endian)
 *
 * The key of no row is the start of another's.
 */
#define SORT_TIE_BYTES 20

struct sort_column {
	struct type type;
	bool descending;
	bool nulls_first;
};

struct key_encoder {
	const struct sort_column *columns;
	size_t column_count;
	size_t partition_count;	/* leading columns */
	struct vector keys;	/* the result, VARBINARY */
	struct arena bytes;
	uint32_t *lengths;
	uint32_t *part_lengths;
	uint8_t **at;
	size_t capacity;
	/* of one column of nested values */
	struct text nested;
	size_t *nested_ends;
};

/* columns are kept. */
void key_encoder_init(struct key_encoder *encoder,
		      const struct sort_column *columns, size_t column_count,
		      size_t partition_count);
void key_encoder_release(struct key_encoder *encoder);
/* Keys of row_count rows, from `position` of work unit `unit` on; values[i]
 * is column i of all. Valid until the next run. */
int key_encoder_run(struct key_encoder *encoder,
		    const struct vector *const *values, size_t row_count,
		    uint64_t unit, uint64_t position, struct error *err);

/* The part of a key that says its partition. */
struct byte_view sort_key_partition(struct byte_view key);
/* All but where the row stands: equal for peers. */
static inline struct byte_view sort_key_values(struct byte_view key)
{
	return byte_view(key.data, key.length - SORT_TIE_BYTES);
}
#endif
