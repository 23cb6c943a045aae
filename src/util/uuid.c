/*
 * uuid.c - random identifiers and their text
 *
 * Why:    tables, files and snapshots are named without a registry.
 * How:    bytes of getrandom(), with the version and variant bits set.
 * Cost:   a system call per identifier.
 * Limits: text is the 36-character form only.
 */
#include "util/uuid.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#define SNAPSHOT_ID_BITS 53

static int fill_random(void *buffer, size_t length, struct error *err)
{
	uint8_t *next = buffer;
	ssize_t got;

	while (length > 0) {
		got = getrandom(next, length, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_set_errno(err, errno,
					       "cannot get random bytes");
		next += got;
		length -= (size_t)got;
	}
	return 0;
}

int uuid_random(struct uuid *out, struct error *err)
{
	int rc = fill_random(out->bytes, sizeof(out->bytes), err);

	if (rc) {
		memset(out, 0, sizeof(*out));
		return rc;
	}
	out->bytes[6] = (uint8_t)((out->bytes[6] & 0x0f) | 0x40);
	out->bytes[8] = (uint8_t)((out->bytes[8] & 0x3f) | 0x80);
	return 0;
}

static bool dash_before(size_t byte)
{
	return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

void uuid_format(const struct uuid *uuid, char text[UUID_TEXT_BYTES])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < sizeof(uuid->bytes); i++) {
		if (dash_before(i))
			*text++ = '-';
		*text++ = digits[uuid->bytes[i] >> 4];
		*text++ = digits[uuid->bytes[i] & 15];
	}
	*text = '\0';
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool uuid_parse(struct uuid *out, const char *text, size_t length)
{
	struct uuid parsed;
	int high, low;

	if (length != UUID_TEXT_BYTES - 1)
		return false;
	for (size_t i = 0; i < sizeof(parsed.bytes); i++) {
		if (dash_before(i) && *text++ != '-')
			return false;
		high = hex_value(text[0]);
		low = hex_value(text[1]);
		if (high < 0 || low < 0)
			return false;
		parsed.bytes[i] = (uint8_t)(high << 4 | low);
		text += 2;
	}
	*out = parsed;
	return true;
}

int uuid_random_id(int64_t *out, struct error *err)
{
	uint64_t bits;
	int rc;

	*out = 0;
	do {
		rc = fill_random(&bits, sizeof(bits), err);
		if (rc)
			return rc;
		*out = (int64_t)(bits >> (64 - SNAPSHOT_ID_BITS));
	} while (*out == 0);
	return 0;
}
