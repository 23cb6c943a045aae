#ifndef CODEC_UTF8_H
#define CODEC_UTF8_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Well-formed UTF-8 (no surrogates, no overlong forms, <= U+10FFFF)? ASCII
 * runs are skipped 16 bytes at a time. */
bool utf8_is_valid(const void *data, size_t length);
/* Offset of the first byte that is not well formed; length if all is. */
size_t utf8_valid_prefix(const void *data, size_t length);
/* Code points in well-formed text. */
size_t utf8_length(const void *data, size_t length);
/* Bytes of the first count code points (all if there are fewer). */
size_t utf8_prefix_bytes(const void *data, size_t length, size_t count);
/* Decode the code point at data (length > 0); bytes used in *used. Returns
 * U+FFFD and 1 for a malformed byte. */
uint32_t utf8_decode(const uint8_t *data, size_t length, size_t *used);
/* Encode into out; returns 1-4 bytes. */
size_t utf8_encode(uint32_t code_point, uint8_t out[4]);
#endif
