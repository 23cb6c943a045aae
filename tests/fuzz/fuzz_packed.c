/*
 * fuzz_packed.c - any bytes as a packed CSV file
 *
 * What gzip and zstd streams hold, whole, of several members or cut short,
 * reads as the same rows or the same error, however it is cut and by however
 * many threads; text that is packed here reads as the text.
 *
 * Build:  as fuzz_csv.c.
 * Input:  a byte that picks what is done, the file or its text.
 */
#include "unit/csv_readback.h"
#include "fuzz/fuzz_check.h"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define TEXT_BYTES 4096
#define PACKED_BYTES 16384

#define UNPACKED_LIMIT 60000

static void read_bytes(struct readback *read, struct csv_options *options,
		       struct byte_view bytes, size_t chunk_bytes)
{
	memset(read, 0, sizeof(*read));
	options->chunk_bytes = chunk_bytes;
	read->options = options;
	read->thread_count = chunk_bytes ? 3 : 1;
	readback_bytes(read, bytes.data, bytes.length);
}

static void compare(const struct readback *a, const struct readback *b)
{
	if (a->rc != b->rc || a->err.line != b->err.line) {
		fprintf(stderr, "%s line %" PRIu64 "\nagainst\n%s line %"
			PRIu64 "\n", a->err.text, a->err.line, b->err.text,
			b->err.line);
		abort();
	}
	if (a->rc == 0 && (a->rows.length != b->rows.length ||
			   (a->rows.length &&
			    memcmp(a->rows.data, b->rows.data,
				   a->rows.length) != 0)))
		abort();
}

/* What holds much takes too long to be compared. */
static bool is_small(struct byte_view bytes)
{
	static uint8_t out[UNPACKED_LIMIT];
	z_stream stream = { .next_in = (Bytef *)bytes.data,
			    .avail_in = (uInt)bytes.length,
			    .next_out = out, .avail_out = sizeof(out) };
	size_t unpacked = ZSTD_decompress(out, sizeof(out), bytes.data,
					  bytes.length);

	if (ZSTD_isError(unpacked) &&
	    ZSTD_getErrorCode(unpacked) == ZSTD_error_dstSize_tooSmall)
		return false;
	if (inflateInit2(&stream, 15 + 16) != Z_OK)
		abort();
	while (inflate(&stream, Z_NO_FLUSH) == Z_STREAM_END &&
	       stream.avail_in && stream.avail_out)
		inflateReset(&stream);
	inflateEnd(&stream);
	return stream.avail_out > 0;
}

static size_t pack(uint8_t *out, struct byte_view text, bool zstd)
{
	z_stream stream = { .next_in = (Bytef *)text.data,
			    .avail_in = (uInt)text.length,
			    .next_out = out, .avail_out = PACKED_BYTES };
	size_t length;

	if (zstd) {
		length = ZSTD_compress(out, PACKED_BYTES, text.data,
				       text.length, 1);
		if (ZSTD_isError(length))
			abort();
		return length;
	}
	if (deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK ||
	    deflate(&stream, Z_FINISH) != Z_STREAM_END)
		abort();
	length = stream.total_out;
	deflateEnd(&stream);
	return length;
}

/* Packed in two members it is the text still, cut short it is refused. */
static void fuzz_text(struct csv_options *options, struct byte_view text,
		      bool zstd)
{
	static uint8_t packed[2 * PACKED_BYTES];
	size_t half = text.length / 3, first, all;
	struct readback plain, unpacked;

	first = pack(packed, byte_view(text.data, half), zstd);
	all = first + pack(packed + first,
			   byte_view(text.data + half, text.length - half),
			   zstd);
	read_bytes(&plain, options, text, 0);
	read_bytes(&unpacked, options, byte_view(packed, all), 16);
	compare(&plain, &unpacked);
	text_release(&unpacked.rows);
	read_bytes(&unpacked, options, byte_view(packed, all - 1), 0);
	if (unpacked.rc == 0)
		abort();
	text_release(&plain.rows);
	text_release(&unpacked.rows);
}

static void fuzz_bytes(struct csv_options *options, struct byte_view bytes)
{
	struct readback whole, cut;

	if (!is_small(bytes))
		return;
	read_bytes(&whole, options, bytes, 0);
	read_bytes(&cut, options, bytes, 50);
	compare(&whole, &cut);
	text_release(&whole.rows);
	text_release(&cut.rows);
}

static bool is_packed(struct byte_view text)
{
	return text.length >= 3 &&
	       (memcmp(text.data, "\x1f\x8b\x08", 3) == 0 ||
		memcmp(text.data, "\x28\xb5\x2f", 3) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	struct csv_options options;
	struct byte_view text;

	if (length < 2 || length > TEXT_BYTES)
		return 0;
	text = byte_view(data + 1, length - 1);
	csv_options_init(&options);
	options.has_header = !(data[0] & 4);
	if (data[0] & 1)
		fuzz_bytes(&options, text);
	else if (!is_packed(text))
		fuzz_text(&options, text, data[0] & 2);
	return 0;
}
