#ifndef PARQUET_PARQUET_ENCODER_H
#define PARQUET_PARQUET_ENCODER_H
#include "parquet/chunk_writer.h"

/* A row group in memory: its chunks, one per leaf. */
struct encoded_row_group {
	struct encoded_chunk *chunks;
	size_t column_count;
	size_t row_count;
};

/* Free the bytes of pages that have been written; the rest stays. */
void encoded_row_group_drop_pages(struct encoded_row_group *group);
/* PLAIN bytes of a column to a literal whose bytes live in the arena. */
int plain_literal(const struct type *type, struct byte_view bytes,
		  struct arena *arena, struct literal *out, struct error *err);
#endif
