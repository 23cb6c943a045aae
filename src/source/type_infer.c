/*
 * type_infer.c - the type of a column from its values
 *
 * Why:    create --like makes a table for a file; what it chooses must take
 *         each value of the file exactly.
 * How:    a value is of one kind: the first of a list whose spelling it has.
 *         Kinds are a set; the set decides. A spelling that the type would
 *         not give back, such as a number with zeroes in front, is text.
 * Cost:   20 to 60 ns a value.
 */
#include "source/type_infer.h"
#include "source/time_pattern.h"
#include "source/value_rewrite.h"

#define KIND_BOOLEAN 1u
#define KIND_INTEGER 2u
#define KIND_DECIMAL 4u
#define KIND_DOUBLE 8u
#define KIND_DATE 16u
#define KIND_TIMESTAMP 32u
#define KIND_TIMESTAMP_TZ 64u
#define KIND_TIME 128u
#define KIND_TEXT 256u

/* What a DOUBLE gives back as it was. */
#define DOUBLE_DIGITS 15
#define BIGINT_DIGITS 18
/* Longer is no number, day or time. */
#define SHORT_BYTES 64

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A number as it is spelled. */
struct spelling {
	unsigned whole;		/* digits before the point */
	unsigned fraction;	/* behind it */
	bool has_exponent;
	bool has_exponent_sign;
};

static unsigned digits_at(const char *at, const char *end)
{
	const char *start = at;

	while (at < end && is_digit(*at))
		at++;
	return (unsigned)(at - start);
}

/* [-] digits [. digits] [e [sign] digits], no zeroes in front. */
static bool read_number(const char *at, const char *end, struct spelling *out)
{
	memset(out, 0, sizeof(*out));
	if (at < end && *at == '-')
		at++;
	out->whole = digits_at(at, end);
	if (!out->whole || (out->whole > 1 && *at == '0'))
		return false;
	at += out->whole;
	if (at < end && *at == '.') {
		out->fraction = digits_at(++at, end);
		if (!out->fraction)
			return false;
		at += out->fraction;
	}
	if (at < end && (*at == 'e' || *at == 'E')) {
		unsigned n;

		out->has_exponent = true;
		at++;
		out->has_exponent_sign = at < end &&
					 (*at == '+' || *at == '-');
		at += out->has_exponent_sign;
		n = digits_at(at, end);
		if (!n)
			return false;
		at += n;
	}
	return at == end;
}

static bool is_word(struct byte_view text, const char *word)
{
	size_t length = strlen(word);

	if (text.length != length)
		return false;
	for (size_t i = 0; i < length; i++)
		if ((text.data[i] | 0x20) != (uint8_t)word[i])
			return false;
	return true;
}

static bool is_no_finite(struct byte_view text)
{
	return is_word(text, "nan") || is_word(text, "infinity") ||
	       (text.length > 1 && text.data[0] == '-' &&
		is_word(byte_view(text.data + 1, text.length - 1),
			"infinity"));
}

static void add_number(struct text_types *types, struct byte_view text,
		       const struct spelling *n)
{
	const char *data = (const char *)text.data;
	int64_t value;

	if (n->whole > types->whole_digits)
		types->whole_digits = n->whole;
	if (n->fraction > types->scale)
		types->scale = n->fraction;
	if (n->fraction) {
		types->kinds |= KIND_DECIMAL;
		return;
	}
	types->kinds |= KIND_INTEGER;
	if (n->whole > BIGINT_DIGITS &&
	    parse_int64(data, text.length, &value))
		types->is_over_64 = true;
}

static bool is_date(struct byte_view text)
{
	int32_t day;

	return text.length == 10 &&
	       !parse_date((const char *)text.data, text.length, &day);
}

/* The kind of a day or time, 0 = none. */
static unsigned time_kind(struct byte_view text)
{
	const char *data = (const char *)text.data;
	int64_t value;

	if (text.length < 5 || !is_digit(data[0]))
		return 0;
	if (is_date(text))
		return KIND_DATE;
	if (data[2] == ':')
		return text.length >= 8 &&
				       !parse_time(data, text.length, &value)
			       ? KIND_TIME : 0;
	if (text.length < 16 || data[4] != '-')
		return 0;
	if (!parse_timestamp(data, text.length, &value))
		return KIND_TIMESTAMP;
	return parse_timestamp_tz(data, text.length, NULL, &value)
		       ? 0 : KIND_TIMESTAMP_TZ;
}

static void add_plain(struct text_types *types, struct byte_view text)
{
	const char *data = (const char *)text.data;
	struct spelling n;
	unsigned kind;

	if (text.length == 0 || text.length > SHORT_BYTES) {
		types->kinds |= KIND_TEXT;
		return;
	}
	if (read_number(data, data + text.length, &n)) {
		/* 12E4 is the name of something */
		if (!n.has_exponent)
			add_number(types, text, &n);
		else if (n.has_exponent_sign || n.fraction)
			types->kinds |= KIND_DOUBLE;
		else
			types->kinds |= KIND_TEXT;
		return;
	}
	if (is_word(text, "true") || is_word(text, "false")) {
		types->kinds |= KIND_BOOLEAN;
		return;
	}
	kind = is_no_finite(text) ? KIND_DOUBLE : time_kind(text);
	types->kinds |= kind ? kind : KIND_TEXT;
}

/* Of a text that is written in the user's way: as the manual has it. */
static bool rewrite(const struct csv_options *options, struct type type,
		    struct byte_view text, struct byte_view *out,
		    struct arena *heap)
{
	size_t row = 0;

	*out = text;
	return value_rewrite_applies(options, &type) &&
	       !value_rewrite(options, &type, out, 1, heap, &row, NULL) &&
	       row == 1;
}

void text_types_add(struct text_types *types,
		    const struct csv_options *options, struct byte_view text)
{
	struct type number = type_of(TYPE_DOUBLE);
	struct byte_view plain = text;
	char written[TIME_PATTERN_BYTES];
	struct arena heap;
	size_t length;

	types->value_count++;
	if (types->kinds & KIND_TEXT)
		return;
	if (options->date_format) {
		length = time_pattern_apply(options->date_format, false, text,
					    written);
		if (length && is_date(byte_view(written, length))) {
			types->kinds |= KIND_DATE;
			return;
		}
	}
	if (options->timestamp_format) {
		length = time_pattern_apply(options->timestamp_format, true,
					    text, written);
		if (length && time_kind(byte_view(written, length))) {
			types->kinds |= time_kind(byte_view(written, length));
			return;
		}
	}
	if (!value_rewrite_applies(options, &number)) {
		add_plain(types, text);
		return;
	}
	arena_init(&heap, 0);
	if (rewrite(options, number, text, &plain, &heap))
		add_plain(types, plain);
	else
		types->kinds |= KIND_TEXT;
	arena_release(&heap);
}

void text_types_add_json(struct text_types *types, struct byte_view text)
{
	const char *data = (const char *)text.data;
	struct spelling n;

	types->value_count++;
	if (is_word(text, "true") || is_word(text, "false"))
		types->kinds |= KIND_BOOLEAN;
	else if (!read_number(data, data + text.length, &n))
		types->kinds |= KIND_TEXT;
	else if (n.has_exponent)
		types->kinds |= KIND_DOUBLE;
	else
		add_number(types, text, &n);
}

void text_types_add_string(struct text_types *types, struct byte_view text)
{
	unsigned kind = text.length <= SHORT_BYTES ? time_kind(text) : 0;

	types->value_count++;
	types->kinds |= kind ? kind : KIND_TEXT;
}

void text_types_add_other(struct text_types *types)
{
	types->value_count++;
	types->kinds |= KIND_TEXT;
}

void text_types_merge(struct text_types *types,
		      const struct text_types *more)
{
	types->value_count += more->value_count;
	types->kinds |= more->kinds;
	types->is_over_64 |= more->is_over_64;
	if (more->whole_digits > types->whole_digits)
		types->whole_digits = more->whole_digits;
	if (more->scale > types->scale)
		types->scale = more->scale;
}

/* Room for values that come later, as far as there is any. */
static struct type decimal_type(unsigned whole, unsigned scale)
{
	unsigned precision = whole + scale;

	if (precision > DECIMAL_MAX_PRECISION)
		return type_of(TYPE_VARCHAR);
	return type_decimal(precision <= DECIMAL_SHORT_PRECISION
				    ? DECIMAL_SHORT_PRECISION
				    : DECIMAL_MAX_PRECISION,
			    scale);
}

static struct type number_type(const struct text_types *types)
{
	unsigned digits = types->whole_digits + types->scale;

	if (types->kinds & KIND_DOUBLE)
		return type_of(digits <= DOUBLE_DIGITS ? TYPE_DOUBLE
						       : TYPE_VARCHAR);
	if (types->kinds & KIND_DECIMAL)
		return decimal_type(types->whole_digits, types->scale);
	if (types->is_over_64)
		return decimal_type(types->whole_digits, 0);
	return type_of(TYPE_BIGINT);
}

struct type text_types_type(const struct text_types *types)
{
	unsigned kinds = types->kinds;

	if (!kinds)
		return type_of(TYPE_VARCHAR);
	if (!(kinds & ~(KIND_INTEGER | KIND_DECIMAL | KIND_DOUBLE)))
		return number_type(types);
	switch (kinds) {
	case KIND_BOOLEAN:
		return type_of(TYPE_BOOLEAN);
	case KIND_DATE:
		return type_of(TYPE_DATE);
	case KIND_TIME:
		return type_of(TYPE_TIME);
	case KIND_TIMESTAMP:
	case KIND_TIMESTAMP | KIND_DATE:
		return type_of(TYPE_TIMESTAMP);
	case KIND_TIMESTAMP_TZ:
		return type_of(TYPE_TIMESTAMP_TZ);
	default:
		return type_of(TYPE_VARCHAR);
	}
}
