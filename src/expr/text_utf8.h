#ifndef EXPR_TEXT_UTF8_H
#define EXPR_TEXT_UTF8_H
#include <stddef.h>
#include <stdint.h>

/*
 * Characters of well-formed UTF-8 (a VARCHAR is that always), for this room:
 * codec/, which has the careful ones, is out of its reach.
 */

/* Bytes of the character that starts with this byte. */
static inline size_t utf8_width(uint8_t lead)
{
	return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/* The same, never past the end. */
static inline size_t utf8_step(const uint8_t *data, size_t left)
{
	size_t width = utf8_width(data[0]);

	return width < left ? width : left;
}

static inline size_t utf8_count(const uint8_t *data, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length; i++)
		count += (data[i] & 0xc0) != 0x80;
	return count;
}

/* Offset of character n; length when there are not that many. */
static inline size_t utf8_offset(const uint8_t *data, size_t length, size_t n)
{
	size_t at = 0;

	while (n && at < length) {
		at += utf8_step(data + at, length - at);
		n--;
	}
	return at;
}

/* Start of the character before offset at (at > 0). */
static inline size_t utf8_back(const uint8_t *data, size_t at)
{
	do
		at--;
	while (at && (data[at] & 0xc0) == 0x80);
	return at;
}

static inline uint32_t utf8_code(const uint8_t *data, size_t width)
{
	switch (width) {
	case 1:
		return data[0];
	case 2:
		return (data[0] & 0x1fu) << 6 | (data[1] & 0x3fu);
	case 3:
		return (data[0] & 0x0fu) << 12 | (data[1] & 0x3fu) << 6 |
		       (data[2] & 0x3fu);
	default:
		return (data[0] & 0x07u) << 18 | (data[1] & 0x3fu) << 12 |
		       (data[2] & 0x3fu) << 6 | (data[3] & 0x3fu);
	}
}

/* Write a code point; returns its bytes. */
static inline size_t utf8_put(uint32_t code, uint8_t *out)
{
	if (code < 0x80) {
		out[0] = (uint8_t)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (uint8_t)(0xc0 | code >> 6);
		out[1] = (uint8_t)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (uint8_t)(0xe0 | code >> 12);
		out[1] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
		out[2] = (uint8_t)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (uint8_t)(0xf0 | code >> 18);
	out[1] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
	out[2] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
	out[3] = (uint8_t)(0x80 | (code & 0x3f));
	return 4;
}
#endif
