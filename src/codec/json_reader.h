#ifndef CODEC_JSON_READER_H
#define CODEC_JSON_READER_H
#include "util/util.h"

/*
 * Pulls the values of one JSON text (RFC 8259, strict) in order, without a
 * tree. Integers are exact up to 64 bits; the span of any value can be taken
 * as it stands. Strings are unescaped in place, so the text is the reader's
 * and is changed; what json_string() and json_next_key() return points into
 * it. The first failure sticks: later calls give zeroes and end loops, so a
 * caller asks once, with json_finish(). Plain value of the caller's.
 *
 *	json_begin_object(&r);
 *	while ((key = json_next_key(&r))) {
 *		if (!strcmp(key, "id"))
 *			id = json_int64(&r);
 *		else
 *			json_skip(&r);
 *	}
 */
#define JSON_NESTING_LIMIT 256

enum json_kind {
	JSON_NONE,	/* after a failure, and at the end */
	JSON_NULL,
	JSON_BOOLEAN,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json_reader {
	char *start;
	char *next;
	char *end;
	const char *key;	/* last member name, for messages */
	const char *problem;	/* NULL = fine so far */
	const char *problem_key;
	size_t problem_at;	/* byte offset */
	bool first;		/* just behind a { or [ */
	unsigned depth;
	uint64_t is_object[JSON_NESTING_LIMIT / 64];
};

/* text[length] must be a NUL; all of it is checked to be UTF-8. */
void json_reader_init(struct json_reader *reader, char *text, size_t length);
/* Kind of the value that comes next, nothing consumed. */
enum json_kind json_peek(struct json_reader *reader);
void json_begin_object(struct json_reader *reader);
/* Name of the next member, whose value must then be read; NULL at the }. */
const char *json_next_key(struct json_reader *reader);
/* The same where names are data: *length_out, as a NUL may be among them. */
char *json_next_text(struct json_reader *reader, size_t *length_out);
/* Is the member called so? Most names differ in their first character. */
static inline bool json_key_is(const char *key, const char *name)
{
	return key[0] == name[0] && strcmp(key, name) == 0;
}
void json_begin_array(struct json_reader *reader);
/* Is there one more item, to be read next? false behind the ]. */
bool json_next_item(struct json_reader *reader);
/* Never NULL, "" after a failure. An escaped NUL is a failure. */
char *json_string(struct json_reader *reader);
/* A string that is data, with any character; empty after a failure. */
struct byte_view json_text(struct json_reader *reader);
/*
 * An object of nothing but strings, written without white space and escapes:
 * in one go; closing quotes become NULs as elsewhere. NULL when the next value
 * is another, or has more than JSON_FLAT_STRINGS strings: then it is still to
 * be read. Else what follows the brace.
 */
#define JSON_FLAT_STRINGS 128
char *json_flat_object(struct json_reader *reader);
bool json_boolean(struct json_reader *reader);
/* Whole numbers only: a fraction, an exponent or an overflow is a failure. */
int64_t json_int64(struct json_reader *reader);
int32_t json_int32(struct json_reader *reader);
/* The characters of a number. */
struct byte_view json_number(struct json_reader *reader);
/* Consume a null if there is one. */
bool json_null(struct json_reader *reader);
/* The characters of any value, checked; empty after a failure. */
struct byte_view json_raw(struct json_reader *reader);
void json_skip(struct json_reader *reader);
/* The caller found something wrong with the last value; problem is kept. */
void json_fail(struct json_reader *reader, const char *problem);
/* Is all read and fine? ERROR_CORRUPT, naming `name`, member and offset. */
int json_finish(struct json_reader *reader, const char *name,
		struct error *err);
#endif
