/*
 * page_writer.c - a page: header, checksum, compressed body
 *
 * Why:    two thirds of the time to write a table is compression, and packed
 *         integers hardly shrink any more.
 * How:    the first page of some size is compressed for a trial; if that
 *         gains less than a few percent the chunk is stored as it is. The
 *         codec is the chunk's, so all its pages follow.
 * Limits: a page body stays below 2 GiB; callers cut pages long before.
 */
#include "parquet/page_writer.h"

#define BODY_LIMIT_BYTES ((size_t)1 << 30)

void page_writer_release(struct page_writer *writer)
{
	text_release(&writer->body);
	text_release(&writer->stored);
}

int32_t page_codec_number(enum codec_id codec)
{
	switch (codec) {
	case CODEC_SNAPPY: return 1;
	case CODEC_GZIP: return 2;
	case CODEC_LZ4_HADOOP: return 5;
	case CODEC_ZSTD: return 6;
	case CODEC_LZ4_RAW: return 7;
	default: return 0;
	}
}

void page_writer_begin(struct page_writer *writer)
{
	text_reset(&writer->body);
	writer->stored_from = 0;
}

static int store_page(struct page_writer *writer, struct page_header *header,
		      struct byte_view body, struct byte_view stored,
		      struct text *out, struct error *err)
{
	size_t before = out->length;

	header->uncompressed_bytes = (int32_t)body.length;
	header->compressed_bytes = (int32_t)stored.length;
	header->has_crc = true;
	header->crc = crc32_of(0, stored.data, stored.length);
	header->def_encoding = header->rep_encoding = ENCODING_RLE;
	if (!page_header_serialize(header, out))
		return error_set(err, ERROR_NO_MEMORY, "a Parquet page");
	writer->uncompressed_bytes += (int64_t)(out->length - before +
						body.length);
	if (!text_add(out, stored.data, stored.length))
		return error_set(err, ERROR_NO_MEMORY, "a Parquet page");
	return 0;
}

static int compress_body(struct page_writer *writer, struct error *err)
{
	text_reset(&writer->stored);
	return codec_compress(writer->context, writer->codec, writer->level,
			      writer->body.data, writer->body.length,
			      &writer->stored, err);
}

int page_writer_decide(struct page_writer *writer, unsigned min_gain_percent,
		       struct error *err)
{
	int rc;

	writer->is_decided = true;
	writer->compresses = false;
	if (writer->codec == CODEC_NONE)
		return 0;
	rc = compress_body(writer, err);
	writer->stored_from = rc ? 0 : writer->body.length;
	writer->compresses = writer->stored.length * 100 <
			     writer->body.length * (100 - min_gain_percent);
	return rc;
}

int page_writer_finish(struct page_writer *writer, struct page_header *header,
		       struct text *out, struct error *err)
{
	struct byte_view body = byte_view(writer->body.data,
					  writer->body.length);
	int rc = 0;

	if (writer->body.failed)
		return error_set(err, ERROR_NO_MEMORY, "a Parquet page");
	if (body.length > BODY_LIMIT_BYTES)
		return error_set(err, ERROR_UNSUPPORTED,
				 "a Parquet page of %zu bytes is too large",
				 body.length);
	if (!writer->compresses)
		return store_page(writer, header, body, body, out, err);
	/* the trial has compressed this very body */
	if (writer->stored_from != body.length)
		rc = compress_body(writer, err);
	if (rc)
		return rc;
	return store_page(writer, header, body,
			  byte_view(writer->stored.data,
				    writer->stored.length), out, err);
}

int page_writer_recompress(struct page_writer *writer, struct text *pages,
			   uint32_t *sizes, size_t count, struct error *err)
{
	struct text old = *pages;
	size_t at = 0;
	int rc = 0;

	text_init(pages);
	writer->is_decided = writer->compresses = true;
	writer->uncompressed_bytes = 0;
	for (size_t i = 0; i < count && !rc; i++) {
		struct page_header header;
		size_t before = pages->length;

		page_header_parse(&header, old.data + at, old.length - at);
		page_writer_begin(writer);
		text_add(&writer->body, old.data + at + header.header_bytes,
			 (size_t)header.compressed_bytes);
		rc = page_writer_finish(writer, &header, pages, err);
		at += sizes[i];
		sizes[i] = (uint32_t)(pages->length - before);
	}
	text_release(&old);
	return rc;
}
