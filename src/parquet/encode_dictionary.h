#ifndef PARQUET_ENCODE_DICTIONARY_H
#define PARQUET_ENCODE_DICTIONARY_H
#include "parquet/encode_rle.h"

/* A dictionary to look up in: count values of 1, 4, 8 or 16 bytes. */
struct dictionary_view {
	const void *values;
	size_t count;
	size_t width;
};

/* count values by index. ERROR_CORRUPT for an index beyond the dictionary. */
int dictionary_read(struct rle_reader *indexes,
		    const struct dictionary_view *dictionary, void *out,
		    size_t count, struct error *err);

/*
 * The dictionary of a chunk that is being written: distinct values in the
 * order in which they came. Words of width 4 or 8, or texts (width 0), whose
 * bytes are copied.
 */
struct dictionary_builder {
	size_t width;
	size_t count;
	size_t capacity;	/* of values */
	void *values;		/* words, or struct byte_view */
	struct arena bytes;	/* of texts */
	size_t plain_bytes;	/* size of the dictionary page so far */
	uint32_t *slots;	/* index + 1; 0 = free */
	uint32_t *hashes;	/* of texts, per value */
	size_t slot_mask;
};

int dictionary_builder_init(struct dictionary_builder *builder, size_t width,
			    struct error *err);
void dictionary_builder_release(struct dictionary_builder *builder);
/* Indexes of count words (of the builder's width) / texts; new ones are
 * added. Errors: ERROR_NO_MEMORY. */
int dictionary_add_words(struct dictionary_builder *builder, const void *words,
			 size_t count, uint32_t *indexes, struct error *err);
int dictionary_add_texts(struct dictionary_builder *builder,
			 const struct byte_view *texts, size_t count,
			 uint32_t *indexes, struct error *err);
/* Append the body of the dictionary page. */
bool dictionary_write(const struct dictionary_builder *builder,
		      struct text *out);
/* Bits for an index when count values are in the dictionary. */
static inline unsigned dictionary_index_width(size_t count)
{
	return count > 1 ? bit_width64(count - 1) : 0;
}
#endif
