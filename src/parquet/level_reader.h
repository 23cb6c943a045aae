#ifndef PARQUET_LEVEL_READER_H
#define PARQUET_LEVEL_READER_H
#include "parquet/encode_rle.h"
#include "parquet/footer.h"

/* Levels of one kind in a page, of any width; given forwards. */
struct level_reader {
	unsigned max;
	bool is_bit_packed;	/* the legacy encoding */
	struct rle_reader rle;
	const uint8_t *bits;	/* legacy: most significant bit first */
	size_t bit_at;
	size_t bit_end;
};

/*
 * Begin with a data page of a nested column: where its levels are, and in
 * *values_out the bytes behind them. ERROR_CORRUPT.
 */
int level_readers_start(struct level_reader *rep, struct level_reader *def,
			const struct page_header *header,
			struct byte_view body, struct byte_view *values_out,
			struct error *err);
/* The next count levels. ERROR_CORRUPT when they end or exceed max. */
int level_reader_next(struct level_reader *reader, size_t count, uint8_t *out,
		      struct error *err);
#endif
