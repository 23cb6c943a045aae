#ifndef UTIL_TEXT_H
#define UTIL_TEXT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * A growable run of bytes, used for text and for binary alike; data is
 * always NUL-terminated once something was added. Zeroes are empty. Growing
 * functions return false when out of memory and then have added nothing;
 * `failed` stays set so that a writer may check once at the end.
 */
struct text {
	char *data;
	size_t length;
	size_t capacity;
	bool failed;
};

#define TEXT_INIT { NULL, 0, 0, false }

void text_init(struct text *text);
void text_release(struct text *text);
/* Length 0, memory kept, failed cleared. */
void text_reset(struct text *text);
bool text_reserve(struct text *text, size_t extra_bytes);
bool text_add(struct text *text, const void *data, size_t length);
bool text_add_str(struct text *text, const char *str);
bool text_add_char(struct text *text, char c);
bool text_addf(struct text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Append as a JSON string with its quotes; invalid UTF-8 becomes U+FFFD. */
bool text_add_json(struct text *text, const char *data, size_t length);
/* The text, NUL-terminated, now the caller's (mem_free); text is empty. NULL
 * if it failed. */
char *text_detach(struct text *text);

/* A borrowed run of bytes that somebody else owns. */
struct byte_view {
	const uint8_t *data;
	size_t length;
};

static inline struct byte_view byte_view(const void *data, size_t length)
{
	struct byte_view view = { (const uint8_t *)data, length };

	return view;
}

static inline bool byte_view_equal(struct byte_view a, struct byte_view b)
{
	return a.length == b.length &&
	       (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

/* ASCII case folding only, as SQL names match: <0, 0, >0. */
int text_compare_nocase(const char *a, const char *b);
bool text_equal_nocase(const char *a, const char *b);
bool text_starts_with(const char *text, const char *prefix);
bool text_ends_with(const char *text, const char *suffix);
#endif
