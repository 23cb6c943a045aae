/*
 * text.c - a growable run of bytes
 *
 * Why:    messages, JSON, encoded pages: all are built by appending.
 * How:    capacity doubles; one byte past the end is kept for the NUL. Once
 *         an append has failed all later ones fail, so a builder may look at
 *         `failed` once.
 * Cost:   amortised constant per byte.
 * Limits: data appended must not lie inside the text itself.
 */
#include "util/text.h"

#include <stdarg.h>
#include <stdio.h>
#include "util/mem.h"

#define FIRST_TEXT_BYTES 64

void text_init(struct text *text)
{
	memset(text, 0, sizeof(*text));
}

void text_release(struct text *text)
{
	mem_free(text->data);
	text_init(text);
}

void text_reset(struct text *text)
{
	text->length = 0;
	text->failed = false;
	if (text->data)
		text->data[0] = '\0';
}

static bool fail(struct text *text)
{
	text->failed = true;
	return false;
}

bool text_reserve(struct text *text, size_t extra_bytes)
{
	size_t needed, wanted;
	char *grown;

	if (text->failed)
		return false;
	if (!size_add(text->length, extra_bytes, &needed) ||
	    !size_add(needed, 1, &needed))
		return fail(text);
	if (needed <= text->capacity)
		return true;
	if (!size_mul(text->capacity, 2, &wanted) || wanted < needed)
		wanted = needed;
	if (wanted < FIRST_TEXT_BYTES)
		wanted = FIRST_TEXT_BYTES;
	grown = mem_realloc_array(text->data, wanted, 1);
	if (!grown)
		return fail(text);
	text->data = grown;
	text->capacity = wanted;
	text->data[text->length] = '\0';
	return true;
}

bool text_add(struct text *text, const void *data, size_t length)
{
	if (!text_reserve(text, length))
		return false;
	if (length)
		memcpy(text->data + text->length, data, length);
	text->length += length;
	text->data[text->length] = '\0';
	return true;
}

bool text_add_str(struct text *text, const char *str)
{
	return text_add(text, str, strlen(str));
}

bool text_add_char(struct text *text, char c)
{
	if (!text_reserve(text, 1))
		return false;
	text->data[text->length++] = c;
	text->data[text->length] = '\0';
	return true;
}

bool text_addf(struct text *text, const char *fmt, ...)
{
	va_list args;
	size_t room;
	int length;

	if (!text_reserve(text, 0))
		return false;
	room = text->capacity - text->length;
	va_start(args, fmt);
	length = vsnprintf(text->data + text->length, room, fmt, args);
	va_end(args);
	if (length >= 0 && (size_t)length >= room) {
		text->data[text->length] = '\0';
		if (!text_reserve(text, (size_t)length))
			return false;
		room = text->capacity - text->length;
		va_start(args, fmt);
		length = vsnprintf(text->data + text->length, room, fmt, args);
		va_end(args);
	}
	if (length < 0) {
		text->data[text->length] = '\0';
		return fail(text);
	}
	text->length += (size_t)length;
	return true;
}

/*
 * Bytes of the well-formed UTF-8 character at p, of left bytes; 0 if there
 * is none (Unicode, table 3-7).
 */
static size_t character_bytes(const unsigned char *p, size_t left)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t length;

	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	length = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (length > left)
		return 0;
	if (p[0] == 0xe0)
		low = 0xa0;
	else if (p[0] == 0xed)
		high = 0x9f;
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f;
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

static bool needs_escape(unsigned char c)
{
	return c < 0x20 || c == '"' || c == '\\';
}

static bool add_escape(struct text *text, unsigned char c)
{
	static const char short_from[] = "\b\t\n\f\r\"\\";
	static const char short_to[] = "btnfr\"\\";
	const char *found = c ? strchr(short_from, c) : NULL;

	if (found)
		return text_add_char(text, '\\') &&
		       text_add_char(text, short_to[found - short_from]);
	return text_addf(text, "\\u%04x", c);
}

/* text_add_json() between the quotes. */
static bool add_json_body(struct text *text, const unsigned char *p,
			  size_t left)
{
	const unsigned char *plain = p;
	size_t length;

	while (left > 0) {
		length = character_bytes(p, left);
		if (length > 1 || (length == 1 && !needs_escape(*p))) {
			p += length;
			left -= length;
			continue;
		}
		if (!text_add(text, plain, (size_t)(p - plain)))
			return false;
		if (!(length ? add_escape(text, *p) :
			       text_add(text, "\xef\xbf\xbd", 3)))
			return false;
		plain = ++p;
		left--;
	}
	return text_add(text, plain, (size_t)(p - plain));
}

bool text_add_json(struct text *text, const char *data, size_t length)
{
	size_t before = text->length;

	if (text_add_char(text, '"') &&
	    add_json_body(text, (const unsigned char *)data, length) &&
	    text_add_char(text, '"'))
		return true;
	text->length = before;
	if (text->data)
		text->data[before] = '\0';
	return false;
}

char *text_detach(struct text *text)
{
	char *data;

	text_reserve(text, 0);
	if (text->failed) {
		text_release(text);
		return NULL;
	}
	data = text->data;
	text_init(text);
	return data;
}

static unsigned char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c - 'A' + 'a') :
				      (unsigned char)c;
}

int text_compare_nocase(const char *a, const char *b)
{
	while (*a && fold(*a) == fold(*b)) {
		a++;
		b++;
	}
	return (int)fold(*a) - (int)fold(*b);
}

bool text_equal_nocase(const char *a, const char *b)
{
	return text_compare_nocase(a, b) == 0;
}

bool text_starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool text_ends_with(const char *text, const char *suffix)
{
	size_t length = strlen(text), suffix_length = strlen(suffix);

	return suffix_length <= length &&
	       memcmp(text + length - suffix_length, suffix,
		      suffix_length) == 0;
}
