#ifndef PARQUET_PAGE_READER_H
#define PARQUET_PAGE_READER_H
#include "parquet/footer.h"
#include "io/io.h"

/* Memory that only grows; contents are lost when it does. */
struct page_buffer {
	uint8_t *data;
	size_t capacity;
};

int page_buffer_reserve(struct page_buffer *buffer, size_t byte_count,
			struct error *err);
void page_buffer_release(struct page_buffer *buffer);

/* Reads pages of one chunk through a window of the file. */
struct page_reader {
	struct input_file *file;
	uint64_t end;			/* no page reaches beyond */
	enum codec_id codec;
	struct codec_context *context;	/* made when first needed */
	struct page_buffer window;
	uint64_t window_offset;		/* of its first byte in the file */
	size_t window_bytes;
	size_t ahead_bytes;		/* how much the next read asks for */
	uint64_t read_bytes;		/* from the file */
	uint64_t decompressed_bytes;
};

/* The format's codec number; ERROR_UNSUPPORTED for LZO, BROTLI, others. */
int page_codec(int32_t number, enum codec_id *out, struct error *err);
/* Start at [offset, end) of file. */
void page_reader_init(struct page_reader *reader, struct input_file *file,
		      uint64_t end, enum codec_id codec);
void page_reader_release(struct page_reader *reader);
/* The next reads may fetch so many bytes at once from where they begin. */
void page_reader_expect(struct page_reader *reader, uint64_t byte_count);
/* The header at offset. */
int page_reader_header(struct page_reader *reader, uint64_t offset,
		       struct page_header *out, struct error *err);
/* Check the page whose header stands at offset against its CRC, if it has one,
 * without decompressing it. ERROR_CORRUPT. */
int page_reader_check(struct page_reader *reader, uint64_t offset,
		      const struct page_header *header, struct error *err);
/*
 * The bytes of the page whose header stands at offset, checked against the
 * CRC and decompressed; *body points into buffer, or, if `keep` is false and
 * the page is stored as it is, into the window: then until the next call.
 * Its length is header->uncompressed_bytes; or less for a v2 page without
 * values.
 */
int page_reader_body(struct page_reader *reader, uint64_t offset,
		     const struct page_header *header, bool keep,
		     struct page_buffer *buffer, struct byte_view *body,
		     struct error *err);
#endif
