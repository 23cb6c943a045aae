#ifndef UTIL_UUID_H
#define UTIL_UUID_H
#include <stdbool.h>
#include <stdint.h>
#include "util/error.h"

#define UUID_TEXT_BYTES 37	/* 36 characters and the NUL */

struct uuid {
	uint8_t bytes[16];	/* big-endian, as Iceberg stores it */
};

/* A random version-4 UUID from getrandom(). Errors: ERROR_IO. */
int uuid_random(struct uuid *out, struct error *err);
void uuid_format(const struct uuid *uuid, char text[UUID_TEXT_BYTES]);
/* 36 characters, any case of hex; false if it is none. */
bool uuid_parse(struct uuid *out, const char *text, size_t length);
/* A random number of 1 .. 2^53 - 1: an Iceberg snapshot id that every JSON
 * reader keeps exact. Errors: ERROR_IO. */
int uuid_random_id(int64_t *out, struct error *err);
#endif
