/*
 * json_reader.c - JSON values pulled in order, integers exact
 *
 * Why:    table metadata holds 64-bit ids, which a reader that keeps numbers
 *         as doubles damages above 2^53, and must be written back with the
 *         members that we do not know, byte for byte.
 * How:    one pass over the caller's buffer; a string loses its escapes where
 *         it stands and its closing quote becomes the NUL. A bit per level
 *         remembers whether it is an object, so nothing recurses.
 * Cost:   about a byte per cycle, no allocation.
 * Limits: JSON_NESTING_LIMIT levels; a member given twice is seen twice.
 */
#include "codec/json_reader.h"
#include "codec/json_plain.h"
#include "codec/utf8.h"
#include "codec/varint.h"

void json_fail(struct json_reader *reader, const char *problem)
{
	if (reader->problem)
		return;
	reader->problem = problem;
	reader->problem_key = reader->key;
	reader->problem_at = (size_t)(reader->next - reader->start);
}

void json_reader_init(struct json_reader *reader, char *text, size_t length)
{
	size_t valid = utf8_valid_prefix(text, length);

	memset(reader, 0, sizeof(*reader));
	reader->start = text;
	reader->next = text;
	reader->end = text + length;
	if (valid < length) {
		reader->next = text + valid;
		json_fail(reader, "invalid UTF-8");
	}
}

/* The next character that is not white space, 0 at the end. */
static inline char next_char(struct json_reader *reader)
{
	char *p = reader->next;

	if (p < reader->end && (unsigned char)*p > ' ')
		return *p;
	while (p < reader->end &&
	       (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
		p++;
	reader->next = p;
	return p < reader->end ? *p : '\0';
}

enum json_kind json_peek(struct json_reader *reader)
{
	if (reader->problem)
		return JSON_NONE;
	switch (next_char(reader)) {
	case '{':
		return JSON_OBJECT;
	case '[':
		return JSON_ARRAY;
	case '"':
		return JSON_STRING;
	case 't':
	case 'f':
		return JSON_BOOLEAN;
	case 'n':
		return JSON_NULL;
	case '-':
	case '0': case '1': case '2': case '3': case '4':
	case '5': case '6': case '7': case '8': case '9':
		return JSON_NUMBER;
	default:
		return JSON_NONE;
	}
}

static void begin(struct json_reader *reader, bool is_object)
{
	unsigned level = reader->depth;
	uint64_t bit = UINT64_C(1) << (level % 64);

	if (reader->problem)
		return;
	if (next_char(reader) != (is_object ? '{' : '[')) {
		json_fail(reader, is_object ? "expected an object"
					    : "expected a list");
		return;
	}
	if (level >= JSON_NESTING_LIMIT) {
		json_fail(reader, "nested too deeply");
		return;
	}
	if (is_object)
		reader->is_object[level / 64] |= bit;
	else
		reader->is_object[level / 64] &= ~bit;
	reader->depth++;
	reader->next++;
	reader->first = true;
}

void json_begin_object(struct json_reader *reader)
{
	begin(reader, true);
}

void json_begin_array(struct json_reader *reader)
{
	begin(reader, false);
}

/* Step over the comma before an item, or over the closing bracket. */
static bool step(struct json_reader *reader, char close)
{
	char c;

	if (reader->problem)
		return false;
	c = next_char(reader);
	if (c == close) {
		reader->next++;
		reader->depth--;
		reader->first = false;
		return false;
	}
	if (!reader->first) {
		if (c != ',') {
			json_fail(reader, "expected a comma");
			return false;
		}
		reader->next++;
	}
	reader->first = false;
	return true;
}

bool json_next_item(struct json_reader *reader)
{
	return step(reader, ']');
}

static bool hex4(const char *p, const char *end, uint32_t *out)
{
	uint32_t value = 0;

	if (end - p < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		char c = p[i];

		value <<= 4;
		if (c >= '0' && c <= '9')
			value |= (uint32_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value |= (uint32_t)(c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			value |= (uint32_t)(c - 'A' + 10);
		else
			return false;
	}
	*out = value;
	return true;
}

/*
 * One escape at p (behind the backslash) into out. Returns the bytes of the
 * source used, 0 if it is malformed; *length_out the bytes made.
 */
static size_t unescape(const char *p, const char *end, uint8_t out[4],
		       size_t *length_out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;
	uint32_t code, low;

	if (p == end || *p == '\0')
		return 0;
	at = strchr(from, *p);
	if (at) {
		out[0] = (uint8_t)to[at - from];
		*length_out = 1;
		return 1;
	}
	if (*p != 'u' || !hex4(p + 1, end, &code))
		return 0;
	if (code < 0xd800 || code > 0xdfff) {
		*length_out = utf8_encode(code, out);
		return 5;
	}
	if (code > 0xdbff || end - p < 7 || p[5] != '\\' || p[6] != 'u' ||
	    !hex4(p + 7, end, &low) || low < 0xdc00 || low > 0xdfff)
		return 0;
	code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	*length_out = utf8_encode(code, out);
	return 11;
}

enum string_use {
	STRING_SKIPPED,	/* the text stays as it is */
	STRING_NAME,	/* unescaped in place, without a NUL inside */
	STRING_TEXT,	/* with any character */
};

/* Behind the opening quote to behind the closing one. What is unescaped ends
 * with a NUL; *length_out, unless NULL, is without it. */
static char *read_string(struct json_reader *reader, enum string_use use,
			 size_t *length_out)
{
	bool change = use != STRING_SKIPPED;
	char *start, *to;

	if (reader->problem)
		return NULL;
	if (next_char(reader) != '"') {
		json_fail(reader, "expected a string");
		return NULL;
	}
	start = ++reader->next;
	to = (char *)json_plain_end(start, reader->end);
	if (to < reader->end && *to == '"') {
		if (change)
			*to = '\0';
		if (length_out)
			*length_out = (size_t)(to - start);
		reader->next = to + 1;
		reader->first = false;
		return start;
	}
	to = start;
	for (;;) {
		char *p = (char *)json_plain_end(reader->next,
						 reader->end);
		size_t run = (size_t)(p - reader->next), used, made;
		uint8_t bytes[4];

		if (change && to != reader->next)
			memmove(to, reader->next, run);
		to += run;
		reader->next = p;
		if (p == reader->end || (unsigned char)*p < 0x20) {
			json_fail(reader, p == reader->end || *p == '\n' ?
				  "a string does not end" : "a control "
				  "character in a string is not escaped");
			return NULL;
		}
		reader->next++;
		if (*p == '"')
			break;
		used = unescape(p + 1, reader->end, bytes, &made);
		if (!used) {
			json_fail(reader, "malformed escape");
			return NULL;
		}
		if (use == STRING_NAME && !bytes[0]) {
			json_fail(reader, "\\u0000 in a name");
			return NULL;
		}
		reader->next += used;
		if (change)
			memcpy(to, bytes, made);
		to += made;
	}
	if (change)
		*to = '\0';
	if (length_out)
		*length_out = (size_t)(to - start);
	reader->first = false;
	return start;
}

char *json_string(struct json_reader *reader)
{
	static char empty[1];
	char *string = read_string(reader, STRING_NAME, NULL);

	return string ? string : empty;
}

struct byte_view json_text(struct json_reader *reader)
{
	size_t length = 0;
	char *string = read_string(reader, STRING_TEXT, &length);

	return byte_view(string ? string : "", length);
}

/* The closing quotes of a flat object; room for those of one block more. */
struct flat_strings {
	char *closing[JSON_FLAT_STRINGS + 64];
	size_t count;
};

/* The closing quote of the string at p, NULL if there is none at once. */
static inline char *flat_string(char *p, const char *end)
{
	if (end - p < 2 || *p != '"')
		return NULL;
	p = (char *)json_plain_end(p + 1, end);
	return p < end && *p == '"' ? p : NULL;
}

/* The flat object from behind its brace at p on; returns what is behind it,
 * NULL if it is none. */
static char *flat_by_string(char *p, const char *end, struct flat_strings *out)
{
	out->count = 0;
	do {
		char *quote = flat_string(p, end);

		if (!quote || out->count == JSON_FLAT_STRINGS)
			return NULL;
		out->closing[out->count++] = quote;
		p = quote + 1;
	} while (p < end && *p++ == (out->count % 2 ? ':' : ','));
	if (p > end || p[-1] != '}' || out->count % 2)
		return NULL;
	return p;
}

#ifdef JSON_BLOCK
/* Are the first count characters of a block that is not plain? */
static bool plain_until(const char *p, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if ((unsigned char)p[i] < 0x20 || p[i] == '\\')
			return false;
	return true;
}

/*
 * The same by the quotes of a block at a time. Behind a closing quote the
 * next opening one is expected and taken out, so each that is left closes a
 * string. *sure false: the end of the text is too near to tell.
 */
static char *flat_by_block(char *p, const char *end, struct flat_strings *out,
			   bool *sure)
{
	uint64_t opening = 0;	/* a quote that begins the block */
	char pair[2] = { ':', '"' };
	size_t count = 0;

	*sure = true;
	if (end - p < 1 || *p++ != '"')
		return NULL;
	for (; end - p >= JSON_BLOCK + 2; p += JSON_BLOCK) {
		bool is_plain;
		uint64_t quotes = json_block_quotes(p, &is_plain) & ~opening;
		unsigned at = 0;

		while (quotes) {
			at = (unsigned)__builtin_ctzll(quotes);
			out->closing[count++] = p + at;
			if (memcmp(p + at + 1, pair, 2) != 0)
				break;
			pair[0] ^= ':' ^ ',';
			quotes &= quotes - 1;
			quotes &= quotes - 1;	/* the opening one */
		}
		if (count > JSON_FLAT_STRINGS)
			return NULL;
		if (quotes) {
			out->count = count;
			return p[at + 1] == '}' && count % 2 == 0 &&
			       (is_plain || plain_until(p, at))
				       ? p + at + 2 : NULL;
		}
		if (!is_plain)
			return NULL;
		opening = at + 2 < JSON_BLOCK
				  ? 0 : UINT64_C(1) << (at + 2 - JSON_BLOCK);
	}
	*sure = false;
	return NULL;
}
#endif

char *json_flat_object(struct json_reader *reader)
{
	struct flat_strings strings;
	char *start, *behind = NULL;
	bool sure = false;

	if (reader->problem || next_char(reader) != '{')
		return NULL;
	start = reader->next + 1;
#ifdef JSON_BLOCK
	behind = flat_by_block(start, reader->end, &strings, &sure);
#endif
	if (!sure)
		behind = flat_by_string(start, reader->end, &strings);
	if (!behind)
		return NULL;
	for (size_t i = 0; i < strings.count; i++)
		*strings.closing[i] = '\0';
	reader->next = behind;
	reader->first = false;
	return start;
}

static void read_colon(struct json_reader *reader)
{
	if (reader->problem)
		return;
	if (next_char(reader) != ':')
		json_fail(reader, "expected a colon");
	else
		reader->next++;
}

static char *next_key(struct json_reader *reader, enum string_use use,
		      size_t *length_out)
{
	char *key;

	if (!step(reader, '}'))
		return NULL;
	key = read_string(reader, use, length_out);
	if (!key)
		return NULL;
	reader->key = key;
	read_colon(reader);
	return reader->problem ? NULL : key;
}

const char *json_next_key(struct json_reader *reader)
{
	return next_key(reader, STRING_NAME, NULL);
}

char *json_next_text(struct json_reader *reader, size_t *length_out)
{
	return next_key(reader, STRING_TEXT, length_out);
}

static bool read_word(struct json_reader *reader, const char *word)
{
	size_t length = strlen(word);

	if (reader->problem)
		return false;
	next_char(reader);
	if ((size_t)(reader->end - reader->next) < length ||
	    memcmp(reader->next, word, length) != 0)
		return false;
	reader->next += length;
	reader->first = false;
	return true;
}

bool json_null(struct json_reader *reader)
{
	return read_word(reader, "null");
}

bool json_boolean(struct json_reader *reader)
{
	if (read_word(reader, "true"))
		return true;
	if (!read_word(reader, "false"))
		json_fail(reader, "expected true or false");
	return false;
}

static char *digits_end(char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

struct byte_view json_number(struct json_reader *reader)
{
	struct byte_view none = { NULL, 0 };
	char *start, *p, *q;

	if (reader->problem)
		return none;
	next_char(reader);
	start = reader->next;
	p = start;
	if (p < reader->end && *p == '-')
		p++;
	q = digits_end(p, reader->end);
	if (q == p || (*p == '0' && q - p > 1))
		goto fail;
	p = q;
	if (p < reader->end && *p == '.') {
		q = digits_end(++p, reader->end);
		if (q == p)
			goto fail;
		p = q;
	}
	if (p < reader->end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < reader->end && (*p == '+' || *p == '-'))
			p++;
		q = digits_end(p, reader->end);
		if (q == p)
			goto fail;
		p = q;
	}
	reader->next = p;
	reader->first = false;
	return byte_view(start, (size_t)(p - start));
fail:
	json_fail(reader, "expected a number");
	return none;
}

/* Eight digits at p into *value, behind what it has; false: not all are. */
static inline bool eight_digits(const char *p, uint64_t *value)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t word = load_le64(p), above = word + 6 * ones;

	if ((word & above & (0xf0 * ones)) != 0x30 * ones)
		return false;
	word = (word & 0x0f * ones) * (10 << 8 | 1) >> 8;
	word = (word & UINT64_C(0xff00ff00ff00ff)) * (100 << 16 | 1) >> 16;
	word = (word & UINT64_C(0xffff0000ffff)) *
		       (UINT64_C(10000) << 32 | 1) >> 32;
	*value = *value * 100000000 + word;
	return true;
}

/* A whole number of at most 18 digits, as most are: they cannot overflow. */
static bool short_int64(struct json_reader *reader, int64_t *out)
{
	const char *p, *end = reader->end, *digits;
	uint64_t value = 0;
	bool is_negative;

	if (reader->problem)
		return false;
	is_negative = next_char(reader) == '-';
	p = digits = reader->next + is_negative;
	if (end - p > 18)
		end = p + 19;
	while (end - p >= 8 && eight_digits(p, &value))
		p += 8;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		value = value * 10 + (uint64_t)(*p - '0');
	if (p == digits || p - digits > 18 || (*digits == '0' &&
	    p - digits > 1) || (p < reader->end && (*p == '.' || *p == 'e' ||
						    *p == 'E')))
		return false;
	reader->next = (char *)p;
	reader->first = false;
	*out = is_negative ? -(int64_t)value : (int64_t)value;
	return true;
}

static int64_t any_int64(struct json_reader *reader)
{
	struct byte_view text = json_number(reader);
	bool negative = text.length && text.data[0] == '-';
	uint64_t limit = (uint64_t)INT64_MAX + negative;
	uint64_t value = 0;

	for (size_t i = negative; i < text.length; i++) {
		unsigned digit = text.data[i] - (unsigned)'0';

		if (digit > 9) {
			json_fail(reader, "expected a whole number");
			return 0;
		}
		if (value > (limit - digit) / 10) {
			json_fail(reader, "number out of range");
			return 0;
		}
		value = value * 10 + digit;
	}
	return negative ? (int64_t)(0 - value) : (int64_t)value;
}

int64_t json_int64(struct json_reader *reader)
{
	int64_t value;

	return short_int64(reader, &value) ? value : any_int64(reader);
}

int32_t json_int32(struct json_reader *reader)
{
	int64_t value = json_int64(reader);

	if (value < INT32_MIN || value > INT32_MAX) {
		json_fail(reader, "number out of range");
		return 0;
	}
	return (int32_t)value;
}

static bool in_object(const struct json_reader *reader)
{
	unsigned level = reader->depth - 1;

	return (reader->is_object[level / 64] >> (level % 64)) & 1;
}

/* One value, or the opening bracket of one. */
static void skip_start(struct json_reader *reader)
{
	switch (json_peek(reader)) {
	case JSON_OBJECT:
		begin(reader, true);
		break;
	case JSON_ARRAY:
		begin(reader, false);
		break;
	case JSON_STRING:
		read_string(reader, STRING_SKIPPED, NULL);
		break;
	case JSON_NUMBER:
		json_number(reader);
		break;
	case JSON_NULL:
		if (!json_null(reader))
			json_fail(reader, "expected a value");
		break;
	case JSON_BOOLEAN:
		json_boolean(reader);
		break;
	default:
		json_fail(reader, "expected a value");
	}
}

struct byte_view json_raw(struct json_reader *reader)
{
	struct byte_view none = { NULL, 0 };
	unsigned depth = reader->depth;
	char *start;

	if (reader->problem)
		return none;
	next_char(reader);
	start = reader->next;
	skip_start(reader);
	while (reader->depth > depth && !reader->problem) {
		if (!in_object(reader)) {
			if (json_next_item(reader))
				skip_start(reader);
			continue;
		}
		if (!step(reader, '}'))
			continue;
		read_string(reader, STRING_SKIPPED, NULL);
		read_colon(reader);
		skip_start(reader);
	}
	if (reader->problem)
		return none;
	return byte_view(start, (size_t)(reader->next - start));
}

void json_skip(struct json_reader *reader)
{
	json_raw(reader);
}

int json_finish(struct json_reader *reader, const char *name,
		struct error *err)
{
	if (!reader->problem) {
		if (next_char(reader) != '\0' || reader->next < reader->end)
			json_fail(reader, "more text behind the value");
		else if (reader->depth)
			json_fail(reader, "the text ends early");
	}
	if (!reader->problem)
		return 0;
	if (reader->problem_key)
		return error_set(err, ERROR_CORRUPT,
				 "%s: JSON: %s at or behind \"%.100s\", byte "
				 "%zu", name, reader->problem,
				 reader->problem_key, reader->problem_at);
	return error_set(err, ERROR_CORRUPT, "%s: JSON: %s, byte %zu", name,
			 reader->problem, reader->problem_at);
}
