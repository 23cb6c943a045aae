#ifndef CODEC_VARINT_H
#define CODEC_VARINT_H
#include <endian.h>
#include <stdbool.h>
#include <string.h>
#include "util/util.h"

/* A position in bytes that are being read; never moves past end. */
struct cursor {
	const uint8_t *next;
	const uint8_t *end;
};

static inline struct cursor cursor_of(const void *data, size_t length)
{
	struct cursor c = { (const uint8_t *)data,
			    (const uint8_t *)data + length };

	return c;
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->next);
}

/* Each returns false (cursor not moved) when the bytes do not suffice or a
 * varint is longer than its type. */
bool cursor_varint32(struct cursor *c, uint32_t *out);
bool cursor_varint64(struct cursor *c, uint64_t *out);
bool cursor_zigzag64(struct cursor *c, int64_t *out);
bool cursor_bytes(struct cursor *c, size_t length, const uint8_t **out);

static inline uint64_t zigzag_encode64(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static inline int64_t zigzag_decode64(uint64_t v)
{
	return (int64_t)((v >> 1) ^ (~(v & 1) + 1));
}

#define VARINT64_BYTES 10
/* Write at most VARINT64_BYTES; returns how many. */
size_t varint_put(uint8_t *out, uint64_t value);
bool text_add_varint(struct text *text, uint64_t value);
bool text_add_zigzag(struct text *text, int64_t value);

/* Fixed words of either byte order, for any alignment. */
static inline uint16_t load_le16(const void *p)
{
	uint16_t value;

	memcpy(&value, p, sizeof(value));
	return le16toh(value);
}

static inline uint32_t load_le32(const void *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return le32toh(value);
}

static inline uint64_t load_le64(const void *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return le64toh(value);
}

static inline uint32_t load_be32(const void *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return be32toh(value);
}

static inline uint64_t load_be64(const void *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return be64toh(value);
}

static inline void store_le16(void *p, uint16_t value)
{
	value = htole16(value);
	memcpy(p, &value, sizeof(value));
}

static inline void store_le32(void *p, uint32_t value)
{
	value = htole32(value);
	memcpy(p, &value, sizeof(value));
}

static inline void store_le64(void *p, uint64_t value)
{
	value = htole64(value);
	memcpy(p, &value, sizeof(value));
}

static inline void store_be32(void *p, uint32_t value)
{
	value = htobe32(value);
	memcpy(p, &value, sizeof(value));
}

static inline void store_be64(void *p, uint64_t value)
{
	value = htobe64(value);
	memcpy(p, &value, sizeof(value));
}

bool text_add_le32(struct text *text, uint32_t value);
bool text_add_le64(struct text *text, uint64_t value);
#endif
