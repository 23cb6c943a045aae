#ifndef PARQUET_PAGE_WRITER_H
#define PARQUET_PAGE_WRITER_H
#include "parquet/footer.h"

/* What pages of a chunk have in common and the memory they are made in. */
struct page_writer {
	struct codec_context *context;	/* of the encoder */
	enum codec_id codec;
	int level;
	bool is_decided;		/* whether compression pays here */
	bool compresses;		/* pages are; false until decided */
	struct text body;		/* of the page being made */
	struct text stored;
	size_t stored_from;	/* length of the body that stored is of, by
				 * the trial; 0 = of none */
	int64_t uncompressed_bytes;	/* of all pages, headers included */
};

void page_writer_release(struct page_writer *writer);
/* Begin a body; what is to be in it is appended to writer->body. */
void page_writer_begin(struct page_writer *writer);
/* Compress the body for a trial and decide for all pages that follow: they
 * are compressed if that gains at least so much. */
int page_writer_decide(struct page_writer *writer, unsigned min_gain_percent,
		       struct error *err);
/*
 * Append the page (header and stored body) to out. header->type, value_count
 * and encoding are set by the caller, the rest here.
 */
int page_writer_finish(struct page_writer *writer, struct page_header *header,
		       struct text *out, struct error *err);
/* Compress all pages, which were stored as they are: out is rewritten and
 * sizes[i], of count pages, are the new sizes. */
int page_writer_recompress(struct page_writer *writer, struct text *pages,
			   uint32_t *sizes, size_t count, struct error *err);
/* The format's number of a codec. */
int32_t page_codec_number(enum codec_id codec);
#endif
