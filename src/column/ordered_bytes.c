/*
 * ordered_bytes.c - text and binary as bytes that memcmp() orders
 *
 * Why:    keys of several columns stand behind each other, and a shorter text
 *         must come before a longer one whatever follows it.
 */
#include "column/ordered_bytes.h"

size_t ordered_bytes_length(struct byte_view view)
{
	size_t length = view.length + 2;
	const uint8_t *at = view.data, *end;

	if (!view.length)
		return length;
	end = at + view.length;
	while (at < end && (at = memchr(at, 0, (size_t)(end - at)))) {
		length++;
		at++;
	}
	return length;
}

size_t ordered_put_bytes(uint8_t *out, struct byte_view view)
{
	size_t n = 0;

	if (!view.length || !memchr(view.data, 0, view.length)) {
		if (view.length)
			memcpy(out, view.data, view.length);
		n = view.length;
	} else {
		for (size_t i = 0; i < view.length; i++) {
			out[n++] = view.data[i];
			if (!view.data[i])
				out[n++] = 255;
		}
	}
	out[n++] = 0;
	out[n++] = 0;
	return n;
}
