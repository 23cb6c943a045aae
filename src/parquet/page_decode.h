#ifndef PARQUET_PAGE_DECODE_H
#define PARQUET_PAGE_DECODE_H
#include "parquet/encode_delta_bytes.h"
#include "parquet/encode_rle.h"
#include "parquet/page_reader.h"
#include "parquet/value_convert.h"

/*
 * Decodes data pages of one column into vectors, some rows at a time and
 * forwards; of a nested column only its values, not its levels. Values that are bytes point into the page, the dictionary or the
 * decoder (until its next call).
 */
struct page_decoder {
	const struct leaf_column *leaf;
	const struct value_convert *convert;
	/* the dictionary, already in the vector's form */
	void *dictionary;
	size_t dictionary_count;
	struct page_buffer dictionary_bytes;

	/* the page */
	size_t values_left;		/* nulls included */
	int32_t encoding;
	struct rle_reader levels;
	struct page_buffer level_bytes;	/* BIT_PACKED ones, turned round */
	struct cursor plain;
	size_t value_at;		/* of split and PLAIN boolean values */
	size_t value_total;		/* of split values */
	struct rle_reader indexes;	/* or RLE booleans */
	struct delta_reader delta;
	struct delta_length_reader lengths;
	struct delta_bytes_reader strings;
	bool check_text;		/* values may be malformed UTF-8 */

	struct page_buffer scratch;	/* physical values of a block */
	struct page_buffer views;	/* FIXED that was delta coded */
	struct arena heap;		/* rebuilt texts of a block */
};

void page_decoder_init(struct page_decoder *decoder,
		       const struct leaf_column *leaf,
		       const struct value_convert *convert);
void page_decoder_release(struct page_decoder *decoder);
/* Must bodies be kept, because values point into them? */
bool page_decoder_borrows(const struct page_decoder *decoder);
/* Take the values of a dictionary page, whose body stays in
 * decoder->dictionary_bytes. */
int page_decoder_dictionary(struct page_decoder *decoder,
			    const struct page_header *header,
			    struct byte_view body, struct error *err);
/* Begin with the first row of a data page; body stays until its last. */
int page_decoder_start(struct page_decoder *decoder,
		       const struct page_header *header,
		       struct byte_view body, struct error *err);
/* The same of a page whose levels are known: values are what is left of the
 * body, of value_count entries that are not null. */
int page_decoder_start_values(struct page_decoder *decoder, int32_t encoding,
			      struct byte_view values, size_t value_count,
			      struct error *err);
/* The next count values, none of them null, to data. */
int page_decoder_next_values(struct page_decoder *decoder, size_t count,
			     void *data, struct error *err);
/* The next count rows into out, which owns room for them. */
int page_decoder_next(struct page_decoder *decoder, size_t count,
		      struct vector *out, struct error *err);
/* Do the values point into the dictionary, which stays? */
static inline bool page_decoder_uses_dictionary(const struct page_decoder *d)
{
	return d->encoding == ENCODING_RLE_DICTIONARY;
}
#endif
