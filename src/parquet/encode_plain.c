/*
 * encode_plain.c - PLAIN: values back to back
 *
 *	BOOLEAN		a bit each, from the low end of each byte
 *	INT32 .. DOUBLE	little-endian words; INT96 12 bytes; FIXED raw
 *	BYTE_ARRAY	length (4 bytes little-endian) and bytes
 */
#include "parquet/encode_plain.h"

bool plain_read_fixed(struct cursor *in, size_t width, void *out,
		      size_t count)
{
	const uint8_t *from;
	size_t bytes;

	if (!size_mul(width, count, &bytes) ||
	    !cursor_bytes(in, bytes, &from))
		return false;
	if (bytes)
		memcpy(out, from, bytes);
	return true;
}

bool plain_read_bytes(struct cursor *in, struct byte_view *out, size_t count)
{
	const uint8_t *at = in->next;
	size_t left = cursor_left(in);

	for (size_t i = 0; i < count; i++) {
		uint32_t length;

		if (left < 4)
			return false;
		length = load_le32(at);
		at += 4;
		left -= 4;
		if (length > left)
			return false;
		out[i] = byte_view(at, length);
		at += length;
		left -= length;
	}
	in->next = at;
	return true;
}

void plain_unpack_bools(const uint8_t *bits, size_t first, size_t count,
			uint8_t *out)
{
	size_t i = 0;

	if (first % 8 == 0) {
		bits += first / 8;
		first = 0;
		for (; i + 8 <= count; i += 8) {
			/* bit n of the byte to bit 0 of byte n */
			uint64_t spread = bits[i / 8] *
					  UINT64_C(0x0101010101010101);

			spread &= UINT64_C(0x8040201008040201);
			spread = spread + UINT64_C(0x7f7f7f7f7f7f7f7f);
			spread = spread >> 7 & UINT64_C(0x0101010101010101);
			memcpy(out + i, &spread, 8);
		}
	}
	for (; i < count; i++)
		out[i] = bits[(first + i) / 8] >> (first + i) % 8 & 1;
}

bool plain_write_bools(struct text *out, const uint8_t *values, size_t count)
{
	size_t whole = count / 8;
	uint8_t *to;

	if (!text_reserve(out, whole + 1))
		return false;
	to = (uint8_t *)out->data + out->length;
	for (size_t i = 0; i < whole; i++) {
		uint64_t bytes = load_le64(values + 8 * i);

		/* byte n (0 or 1) to bit n of the top byte */
		to[i] = (uint8_t)(bytes * UINT64_C(0x0102040810204080) >> 56);
	}
	if (count % 8) {
		to[whole] = 0;
		for (size_t i = whole * 8; i < count; i++)
			to[whole] |= (uint8_t)((values[i] & 1) << i % 8);
	}
	out->length += (count + 7) / 8;
	return true;
}

bool plain_write_bytes(struct text *out, const void *data, size_t length)
{
	uint8_t *to;

	if (length > UINT32_MAX || !text_reserve(out, length + 4))
		return false;
	to = (uint8_t *)out->data + out->length;
	store_le32(to, (uint32_t)length);
	if (length)
		memcpy(to + 4, data, length);
	out->length += length + 4;
	return true;
}
