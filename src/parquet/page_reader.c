/*
 * page_reader.c - pages from the file: header, bytes, checksum, decompression
 *
 * Why:    a chunk is read either through (then large reads pay) or a page
 *         here and there (then every byte too many costs).
 * How:    a window of the file that slides. A read that goes on where the
 *         window ends fetches AHEAD_MIN bytes, then twice as many, up to
 *         AHEAD_MAX; a jump fetches what page_reader_expect() said.
 * Limits: memory for a page is bounded by what its stored bytes could expand
 *         to with the codec, so a forged size cannot ask for much.
 */
#include "parquet/page_reader.h"

#define AHEAD_MIN ((size_t)256 << 10)
#define AHEAD_MAX ((size_t)1 << 20)
#define HEADER_FIRST_BYTES 256
#define HEADER_LIMIT_BYTES ((size_t)16 << 20)

int page_buffer_reserve(struct page_buffer *buffer, size_t byte_count,
			struct error *err)
{
	if (byte_count <= buffer->capacity)
		return 0;
	mem_free(buffer->data);
	buffer->capacity = 0;
	buffer->data = mem_alloc_aligned(byte_count);
	if (!buffer->data)
		return error_set(err, ERROR_NO_MEMORY,
				 "a Parquet page of %zu bytes", byte_count);
	buffer->capacity = byte_count;
	return 0;
}

void page_buffer_release(struct page_buffer *buffer)
{
	mem_free(buffer->data);
	buffer->data = NULL;
	buffer->capacity = 0;
}

int page_codec(int32_t number, enum codec_id *out, struct error *err)
{
	switch (number) {
	case 0: *out = CODEC_NONE; return 0;
	case 1: *out = CODEC_SNAPPY; return 0;
	case 2: *out = CODEC_GZIP; return 0;
	case 5: *out = CODEC_LZ4_HADOOP; return 0;
	case 6: *out = CODEC_ZSTD; return 0;
	case 7: *out = CODEC_LZ4_RAW; return 0;
	case 3:
		return error_set(err, ERROR_UNSUPPORTED,
				 "compression LZO is not supported");
	case 4:
		return error_set(err, ERROR_UNSUPPORTED,
				 "compression BROTLI is not supported");
	default:
		return error_set(err, ERROR_CORRUPT,
				 "compression %d is not known", (int)number);
	}
}

/* Most bytes that one stored byte can become, about. */
static uint64_t expansion_limit(enum codec_id codec)
{
	switch (codec) {
	case CODEC_NONE: return 1;
	case CODEC_SNAPPY: return 64;
	case CODEC_GZIP:
	case CODEC_DEFLATE: return 1100;
	case CODEC_LZ4_RAW:
	case CODEC_LZ4_FRAME:
	case CODEC_LZ4_HADOOP: return 256;
	case CODEC_ZSTD: break;
	}
	return 1 << 16;
}

void page_reader_init(struct page_reader *reader, struct input_file *file,
		      uint64_t end, enum codec_id codec)
{
	memset(reader, 0, sizeof(*reader));
	reader->file = file;
	reader->end = end;
	reader->codec = codec;
	reader->ahead_bytes = AHEAD_MIN;
}

void page_reader_release(struct page_reader *reader)
{
	page_buffer_release(&reader->window);
	codec_context_free(reader->context);
	reader->context = NULL;
}

void page_reader_expect(struct page_reader *reader, uint64_t byte_count)
{
	reader->ahead_bytes = byte_count < AHEAD_MAX ? (size_t)byte_count
						     : AHEAD_MAX;
}

/* Move the window so that it begins at offset and holds `wanted` bytes; what
 * it has of them already is kept. */
static int slide_window(struct page_reader *reader, uint64_t offset,
			size_t wanted, struct error *err)
{
	struct page_buffer old = reader->window;
	uint64_t window_end = reader->window_offset + reader->window_bytes;
	const uint8_t *kept = NULL;
	size_t kept_bytes = 0;
	int rc;

	if (reader->window_bytes && offset >= reader->window_offset &&
	    offset < window_end) {
		kept = old.data + (offset - reader->window_offset);
		kept_bytes = (size_t)(window_end - offset);
	}
	reader->window_bytes = 0;
	if (wanted > old.capacity) {
		reader->window.data = NULL;
		reader->window.capacity = 0;
		rc = page_buffer_reserve(&reader->window, wanted, err);
		if (rc) {
			page_buffer_release(&old);
			return rc;
		}
		if (kept)
			memcpy(reader->window.data, kept, kept_bytes);
		page_buffer_release(&old);
	} else if (kept) {
		memmove(old.data, kept, kept_bytes);
	}
	rc = input_file_read(reader->file, offset + kept_bytes,
			     reader->window.data + kept_bytes,
			     wanted - kept_bytes, err);
	if (rc)
		return rc;
	reader->read_bytes += wanted - kept_bytes;
	reader->window_offset = offset;
	reader->window_bytes = wanted;
	return 0;
}

/* Have the bytes [offset, offset + need) in the window. */
static int need_bytes(struct page_reader *reader, uint64_t offset,
		      size_t need, const uint8_t **out, struct error *err)
{
	uint64_t window_end = reader->window_offset + reader->window_bytes;
	size_t wanted = need;
	int rc;

	if (offset > reader->end || need > reader->end - offset)
		return error_set(err, ERROR_CORRUPT,
				 "the page ends outside its column chunk");
	if (offset >= reader->window_offset && offset <= window_end &&
	    need <= window_end - offset && reader->window_bytes) {
		*out = reader->window.data + (offset - reader->window_offset);
		return 0;
	}
	if (wanted < reader->ahead_bytes)
		wanted = reader->ahead_bytes;
	if (wanted > reader->end - offset)
		wanted = (size_t)(reader->end - offset);
	rc = slide_window(reader, offset, wanted, err);
	if (rc)
		return rc;
	/* the next read is ahead of this one, unless told otherwise */
	reader->ahead_bytes *= 2;
	if (reader->ahead_bytes < AHEAD_MIN)
		reader->ahead_bytes = AHEAD_MIN;
	if (reader->ahead_bytes > AHEAD_MAX)
		reader->ahead_bytes = AHEAD_MAX;
	*out = reader->window.data;
	return 0;
}

int page_reader_header(struct page_reader *reader, uint64_t offset,
		       struct page_header *out, struct error *err)
{
	size_t try = HEADER_FIRST_BYTES;

	for (;;) {
		const uint8_t *data = NULL;
		uint64_t left;
		int rc;

		left = offset < reader->end ? reader->end - offset : 0;
		if (left == 0)
			return error_set(err, ERROR_CORRUPT,
					 "pages end before the last row");
		if (try > left)
			try = (size_t)left;
		rc = need_bytes(reader, offset, try, &data, err);
		if (rc)
			return rc;
		switch (page_header_parse(out, data, try)) {
		case PAGE_HEADER_OK:
			return 0;
		case PAGE_HEADER_BAD:
			return error_set(err, ERROR_CORRUPT,
					 "the page header is damaged");
		case PAGE_HEADER_SHORT:
			break;
		}
		if (try == left || try >= HEADER_LIMIT_BYTES)
			return error_set(err, ERROR_CORRUPT,
					 "the page header is damaged");
		try *= 4;
	}
}

static int decompress(struct page_reader *reader, struct byte_view stored,
		      uint8_t *out, size_t out_bytes, struct error *err)
{
	int rc;

	if (out_bytes == 0)
		return 0;
	if (!reader->context) {
		rc = codec_context_new(&reader->context, err);
		if (rc)
			return rc;
	}
	reader->decompressed_bytes += out_bytes;
	return codec_decompress(reader->context, reader->codec, stored.data,
				stored.length, out, out_bytes, err);
}

static int check_size(enum codec_id codec, size_t stored, size_t wanted,
		      struct error *err)
{
	if (codec == CODEC_NONE ? stored != wanted
				: wanted > (uint64_t)stored *
						   expansion_limit(codec))
		return error_set(err, ERROR_CORRUPT,
				 "%zu stored bytes cannot be %zu bytes of a "
				 "page", stored, wanted);
	return 0;
}

/* The page as it is stored, if its checksum is right. */
static int stored_page(struct page_reader *reader, uint64_t offset,
		       const struct page_header *header, const uint8_t **out,
		       struct error *err)
{
	size_t stored = (size_t)header->compressed_bytes;
	int rc = need_bytes(reader, offset + header->header_bytes, stored,
			    out, err);

	if (rc)
		return rc;
	if (header->has_crc && crc32_of(0, *out, stored) != header->crc)
		return error_set(err, ERROR_CORRUPT,
				 "the checksum of the page is wrong");
	return 0;
}

int page_reader_check(struct page_reader *reader, uint64_t offset,
		      const struct page_header *header, struct error *err)
{
	const uint8_t *data = NULL;

	return stored_page(reader, offset, header, &data, err);
}

int page_reader_body(struct page_reader *reader, uint64_t offset,
		     const struct page_header *header, bool keep,
		     struct page_buffer *buffer, struct byte_view *body,
		     struct error *err)
{
	size_t stored = (size_t)header->compressed_bytes;
	size_t wanted = (size_t)header->uncompressed_bytes;
	size_t levels = 0;
	enum codec_id codec = reader->codec;
	const uint8_t *data = NULL;
	int rc;

	rc = stored_page(reader, offset, header, &data, err);
	if (rc)
		return rc;
	if (header->type == PAGE_DATA_V2) {
		levels = (size_t)(header->def_bytes + header->rep_bytes);
		if (header->is_uncompressed)
			codec = CODEC_NONE;
		if (stored == levels)
			wanted = levels;	/* no values, only nulls */
	}
	rc = check_size(codec, stored - levels, wanted - levels, err);
	if (rc)
		return rc;
	if (codec == CODEC_NONE && !keep) {
		*body = byte_view(data, wanted);
		return 0;
	}
	rc = page_buffer_reserve(buffer, wanted ? wanted : 1, err);
	if (rc)
		return rc;
	if (codec == CODEC_NONE)
		levels = wanted;
	memcpy(buffer->data, data, levels);
	rc = decompress(reader, byte_view(data + levels, stored - levels),
			buffer->data + levels, wanted - levels, err);
	if (rc)
		return rc;
	*body = byte_view(buffer->data, wanted);
	return 0;
}
