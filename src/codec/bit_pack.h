#ifndef CODEC_BIT_PACK_H
#define CODEC_BIT_PACK_H
#include <stddef.h>
#include <stdint.h>

/*
 * LSB-first bit packing as Parquet uses it: value i occupies bits i * width
 * to (i + 1) * width - 1. These are the inner loops of every scan; they are
 * specialised by width.
 *
 * unpack: in holds at least bit_pack_bytes(count, width) bytes, all of which
 * and no more are read. width 0 gives zeroes. width <= 32 / 64.
 */
static inline size_t bit_pack_bytes(size_t count, unsigned width)
{
	return (count / 8) * width + ((count % 8) * width + 7) / 8;
}

void bit_unpack32(const uint8_t *in, unsigned width, size_t count,
		  uint32_t *out);
void bit_unpack64(const uint8_t *in, unsigned width, size_t count,
		  uint64_t *out);
/* pack: writes bit_pack_bytes(count, width) bytes; the last one padded with
 * zero bits. Values must fit width. */
void bit_pack32(const uint32_t *in, unsigned width, size_t count,
		uint8_t *out);
void bit_pack64(const uint64_t *in, unsigned width, size_t count,
		uint8_t *out);
/* Bits needed for value; 0 for 0. */
static inline unsigned bit_width64(uint64_t value)
{
	return value ? 64u - (unsigned)__builtin_clzll(value) : 0;
}
#endif
