/*
 * varint.c - small integers in bytes
 *
 * Why:    Thrift, Avro, Puffin and Parquet share these encodings.
 * How:    a cursor that never passes the end; a varint has 7 bits per byte,
 *         lowest first, the top bit says that more follow.
 * Cost:   a byte per iteration.
 * Limits: a varint whose value does not fit its type is refused; padding
 *         with zero groups is accepted up to the longest length.
 */
#include "codec/varint.h"

#define VARINT32_BYTES 5

/* At most most_bytes, the last of which may hold no more than last_max. */
static bool read_varint(struct cursor *c, size_t most_bytes, uint8_t last_max,
			uint64_t *out)
{
	size_t left = cursor_left(c);
	uint64_t value = 0;
	uint8_t byte;

	if (left > 0 && *c->next < 0x80) {
		*out = *c->next++;
		return true;
	}
	for (size_t i = 0; i < most_bytes && i < left; i++) {
		byte = c->next[i];
		if (i == most_bytes - 1 && byte > last_max)
			return false;
		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80) {
			c->next += i + 1;
			*out = value;
			return true;
		}
	}
	return false;
}

bool cursor_varint32(struct cursor *c, uint32_t *out)
{
	uint64_t value;

	if (!read_varint(c, VARINT32_BYTES, 0x0f, &value))
		return false;
	*out = (uint32_t)value;
	return true;
}

bool cursor_varint64(struct cursor *c, uint64_t *out)
{
	return read_varint(c, VARINT64_BYTES, 0x01, out);
}

bool cursor_zigzag64(struct cursor *c, int64_t *out)
{
	uint64_t value;

	if (!cursor_varint64(c, &value))
		return false;
	*out = zigzag_decode64(value);
	return true;
}

bool cursor_bytes(struct cursor *c, size_t length, const uint8_t **out)
{
	if (length > cursor_left(c))
		return false;
	*out = c->next;
	c->next += length;
	return true;
}

size_t varint_put(uint8_t *out, uint64_t value)
{
	size_t length = 0;

	while (value >= 0x80) {
		out[length++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	out[length++] = (uint8_t)value;
	return length;
}

bool text_add_varint(struct text *text, uint64_t value)
{
	uint8_t bytes[VARINT64_BYTES];

	return text_add(text, bytes, varint_put(bytes, value));
}

bool text_add_zigzag(struct text *text, int64_t value)
{
	return text_add_varint(text, zigzag_encode64(value));
}

bool text_add_le32(struct text *text, uint32_t value)
{
	uint8_t bytes[sizeof(value)];

	store_le32(bytes, value);
	return text_add(text, bytes, sizeof(bytes));
}

bool text_add_le64(struct text *text, uint64_t value)
{
	uint8_t bytes[sizeof(value)];

	store_le64(bytes, value);
	return text_add(text, bytes, sizeof(bytes));
}
