/*
 * value_format.c - values to text
 *
 * Why:    what a CSV export, a message and a default in a spec show; it must
 *         read back as the same value.
 * How:    numbers are written two digits at a time from a table, backwards
 *         from a known end, so that nothing is reversed or moved twice.
 * Cost:   5 to 10 ns a number or time, 30 ns a DOUBLE of everyday size.
 */
#include "column/value_format.h"
#include "column/civil_date.h"
#include "column/decimal128.h"
#include "column/nested.h"
#include "column/power_table.h"
#include "column/shortest_decimal.h"

/* Places after the point that are tried before the general way. */
#define SHORT_SCALE 6

static const char digit_pairs[] =
	"00010203040506070809101112131415161718192021222324"
	"25262728293031323334353637383940414243444546474849"
	"50515253545556575859606162636465666768697071727374"
	"75767778798081828384858687888990919293949596979899";

static inline void put_pair(char *out, unsigned value)
{
	memcpy(out, digit_pairs + 2 * value, 2);
}

/* 1 for 0 .. 20. */
static inline unsigned count_digits(uint64_t value)
{
	unsigned guess = (64 - (unsigned)__builtin_clzll(value | 1)) * 1233
			 >> 12;

	return guess + (value >= power10_table[guess]) + (value == 0 && !guess);
}

/* Eight digits as characters, the first one in the lowest byte. */
static inline uint64_t eight_digits(uint32_t value)
{
	uint64_t word = value / 10000 | (uint64_t)(value % 10000) << 32;
	uint64_t upper;

	upper = (word * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
	word = upper | (word - 100 * upper) << 16;
	upper = (word * 103 >> 10) & UINT64_C(0x000f000f000f000f);
	word = upper | (word - 10 * upper) << 8;
	return word | UINT64_C(0x3030303030303030);
}

static inline void store8(char *out, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	memcpy(out, &word, sizeof(word));
}

/* Exactly count digits (1..24), zeroes in front. May write 8 bytes. */
static inline void put_digits(char *out, uint64_t value, unsigned count)
{
	const uint64_t low_base = 100000000;
	uint64_t rest = value / low_base;

	if (count <= 8) {
		store8(out, eight_digits((uint32_t)value) >> (64 - 8 * count));
		return;
	}
	if (count > 16) {
		store8(out, eight_digits((uint32_t)(rest / low_base)) >>
			    (8 * (24 - count)));
		rest %= low_base;
		store8(out + count - 16, eight_digits((uint32_t)rest));
	} else {
		store8(out, eight_digits((uint32_t)rest) >>
			    (8 * (16 - count)));
	}
	store8(out + count - 8, eight_digits((uint32_t)(value % low_base)));
}

size_t format_int64(char *out, int64_t value)
{
	uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
	unsigned count = count_digits(magnitude);

	*out = '-';
	out += value < 0;
	put_digits(out, magnitude, count);
	return count + (value < 0);
}

/* All digits of magnitude, at least least_count of them; how many. */
static unsigned put_wide(char *out, uint128_t magnitude, unsigned least_count)
{
	const uint64_t chunk = power10_table[19];
	uint64_t parts[3];
	unsigned part_count = 0, count;

	while (magnitude >> 64 || magnitude >= chunk ||
	       19 * part_count + 20 < least_count) {
		parts[part_count++] = (uint64_t)(magnitude % chunk);
		magnitude /= chunk;
	}
	count = count_digits((uint64_t)magnitude);
	if (count + 19 * part_count < least_count)
		count = least_count - 19 * part_count;
	put_digits(out, (uint64_t)magnitude, count);
	while (part_count > 0) {
		put_digits(out + count, parts[--part_count], 19);
		count += 19;
	}
	return count;
}

size_t format_decimal(char *out, int128_t unscaled, unsigned scale)
{
	uint128_t magnitude = unscaled < 0 ? -(uint128_t)unscaled
					   : (uint128_t)unscaled;
	char *start = out;
	unsigned whole;

	*out = '-';
	out += unscaled < 0;
	if (scale == 0)
		return put_wide(out, magnitude, 1) + (size_t)(out - start);
	if (magnitude >> 64 == 0 && scale < POWER10_COUNT) {
		uint64_t base = power10_table[scale];
		uint64_t upper = (uint64_t)magnitude / base;

		whole = count_digits(upper);
		put_digits(out, upper, whole);
		out[whole] = '.';
		put_digits(out + whole + 1, (uint64_t)magnitude - upper * base,
			   scale);
	} else {
		/* the whole part moves back to make room for the point */
		whole = put_wide(out + 1, magnitude, scale + 1) - scale;
		memmove(out, out + 1, whole);
		out[whole] = '.';
	}
	return (size_t)(out - start) + whole + 1 + scale;
}

static size_t put_text(char *out, const char *text)
{
	size_t length = strlen(text);

	memcpy(out, text, length);
	return length;
}

/* digits * 10^exponent as Java spells it. */
static size_t put_shortest(char *out, struct shortest_decimal number)
{
	unsigned count = count_digits(number.digits);
	int power = (int)count - 1 + number.exponent;	/* of first digit */
	size_t length;

	if (power >= -3 && power < 7) {
		if (number.exponent < 0)
			return format_decimal(out, (int128_t)number.digits,
					      (unsigned)-number.exponent);
		number.digits *= power10_table[number.exponent];
		return format_decimal(out, (int128_t)number.digits * 10, 1);
	}
	put_digits(out + 1, number.digits, count);
	out[0] = out[1];
	out[1] = '.';
	length = count + 1;
	if (count == 1) {
		out[2] = '0';
		length = 3;
	}
	out[length++] = 'E';
	return length + format_int64(out + length, power);
}

/*
 * For 1e-3 <= value < 1e7 with at most SHORT_SCALE places after the point: a
 * decimal of up to 15 digits that divides back to value is the shortest once
 * its zeroes are gone. Writes it and returns the length, 0 = has more places.
 */
static size_t put_short_double(char *out, double value)
{
	double base = exact_power_table[SHORT_SCALE];
	uint64_t digits = (uint64_t)(int64_t)(value * base + 0.5);
	unsigned scale = SHORT_SCALE;

	if ((double)(int64_t)digits / base != value)
		return 0;
	if (digits % 10000 == 0) {
		digits /= 10000;
		scale -= 4;
	}
	if (digits % 100 == 0) {
		digits /= 100;
		scale -= 2;
	}
	if (scale > 0 && digits % 10 == 0) {
		digits /= 10;
		scale--;
	}
	if (scale == 0) {
		digits *= 10;
		scale = 1;
	}
	return format_decimal(out, (int128_t)digits, scale);
}

size_t format_double(char *out, double value)
{
	size_t sign = 0;
	uint64_t bits;

	if (value != value)
		return put_text(out, "NaN");
	memcpy(&bits, &value, sizeof(bits));
	if (bits >> 63) {
		*out = '-';
		sign = 1;
		value = -value;
	}
	if (value == 0)
		return sign + put_text(out + sign, "0.0");
	if (value - value != 0)
		return sign + put_text(out + sign, "Infinity");
	if (value >= 1e-3 && value < 1e7) {
		size_t length = put_short_double(out + sign, value);

		if (length)
			return sign + length;
	}
	return sign + put_shortest(out + sign, shortest_from_double(value));
}

size_t format_real(char *out, float value)
{
	size_t sign = 0;
	uint32_t bits;

	if (value != value)
		return put_text(out, "NaN");
	memcpy(&bits, &value, sizeof(bits));
	if (bits >> 31) {
		*out = '-';
		sign = 1;
		value = -value;
	}
	if (value == 0)
		return sign + put_text(out + sign, "0.0");
	if (value - value != 0)
		return sign + put_text(out + sign, "Infinity");
	return sign + put_shortest(out + sign, shortest_from_real(value));
}

size_t format_date(char *out, int32_t days)
{
	struct civil_date date = civil_from_days(days);
	char *at = out;
	uint32_t year = (uint32_t)date.year;

	if (year > 9999) {
		*at++ = date.year < 0 ? '-' : '+';
		if (date.year < 0)
			year = -year;
	}
	if (year > 9999) {
		unsigned count = count_digits(year);

		put_digits(at, year, count);
		at += count;
	} else {
		put_pair(at, year / 100);
		put_pair(at + 2, year % 100);
		at += 4;
	}
	*at++ = '-';
	put_pair(at, date.month);
	at[2] = '-';
	put_pair(at + 3, date.day);
	return (size_t)(at + 5 - out);
}

/* Microseconds of a day, 0 .. US_PER_DAY - 1. */
static size_t put_time(char *out, uint64_t microseconds)
{
	uint32_t seconds = (uint32_t)(microseconds / 1000000);
	uint32_t fraction = (uint32_t)(microseconds % 1000000);
	uint32_t minutes = seconds / 60;
	size_t length = 15;

	put_pair(out, minutes / 60);
	out[2] = ':';
	put_pair(out + 3, minutes % 60);
	out[5] = ':';
	put_pair(out + 6, seconds % 60);
	if (fraction == 0)
		return 8;
	out[8] = '.';
	put_pair(out + 9, fraction / 10000);
	put_pair(out + 11, fraction / 100 % 100);
	put_pair(out + 13, fraction % 100);
	while (out[length - 1] == '0')
		length--;
	return length;
}

size_t format_time(char *out, int64_t microseconds)
{
	return put_time(out, (uint64_t)floor_mod(microseconds, US_PER_DAY));
}

size_t format_timestamp(char *out, int64_t microseconds, bool with_zone)
{
	int64_t days = floor_div(microseconds, US_PER_DAY);
	size_t length = format_date(out, (int32_t)days);

	out[length++] = ' ';
	length += put_time(out + length,
			   (uint64_t)floor_mod(microseconds, US_PER_DAY));
	if (with_zone)
		length += put_text(out + length, "+00:00");
	return length;
}

static bool add_hex(struct text *out, struct byte_view bytes)
{
	static const char hex[] = "0123456789abcdef";
	size_t digit_count;
	char *at;

	if (!size_mul(bytes.length, 2, &digit_count) ||
	    !text_reserve(out, digit_count))
		return false;
	for (size_t i = 0; i < bytes.length; ) {
		char chunk[256];
		size_t used = 0;

		for (at = chunk; i < bytes.length && used < sizeof(chunk);
		     i++, used += 2) {
			*at++ = hex[bytes.data[i] >> 4];
			*at++ = hex[bytes.data[i] & 15];
		}
		if (!text_add(out, chunk, used))
			return false;
	}
	return true;
}

/* A value of fixed width into out, VALUE_TEXT_BYTES long. */
static size_t format_fixed(const struct literal *value, char *out)
{
	char uuid[UUID_TEXT_BYTES];

	switch (value->type.id) {
	case TYPE_BOOLEAN:
		return put_text(out, value->value.boolean ? "true" : "false");
	case TYPE_TINYINT:
	case TYPE_INTEGER:
		return format_int64(out, value->value.int32);
	case TYPE_BIGINT:
		return format_int64(out, value->value.int64);
	case TYPE_REAL:
		return format_real(out, value->value.real);
	case TYPE_DOUBLE:
		return format_double(out, value->value.real64);
	case TYPE_DECIMAL:
		return format_decimal(out, value->value.decimal,
				      value->type.scale);
	case TYPE_DATE:
		return format_date(out, value->value.int32);
	case TYPE_TIME:
		return format_time(out, value->value.int64);
	case TYPE_TIMESTAMP:
		return format_timestamp(out, value->value.int64, false);
	case TYPE_TIMESTAMP_TZ:
		return format_timestamp(out, value->value.int64, true);
	case TYPE_UUID:
		uuid_format(&value->value.uuid, uuid);
		return put_text(out, uuid);
	default:
		return 0;
	}
}

bool format_literal(const struct literal *value, struct text *out)
{
	char buffer[VALUE_TEXT_BYTES];
	struct byte_view bytes = value->value.bytes;

	if (value->is_null)
		return true;
	if (value->type.id == TYPE_VARCHAR)
		return text_add(out, bytes.length ? (const void *)bytes.data
						  : "", bytes.length);
	if (type_is_bytes(&value->type))
		return add_hex(out, bytes);
	if (type_is_nested(&value->type))
		return nested_format_json(&value->type, bytes, out);
	return text_add(out, buffer, format_fixed(value, buffer));
}

bool format_value(const struct vector *vector, size_t row, struct text *out)
{
	struct literal value = vector_get(vector, row);

	return format_literal(&value, out);
}

static bool add_quoted(struct text *out, struct byte_view bytes)
{
	const uint8_t *at = bytes.data;
	const uint8_t *end = at + bytes.length;

	if (!text_add_char(out, '\''))
		return false;
	while (at < end) {
		const uint8_t *quote = memchr(at, '\'', (size_t)(end - at));
		const uint8_t *stop = quote ? quote + 1 : end;

		if (!text_add(out, at, (size_t)(stop - at)) ||
		    (quote && !text_add_char(out, '\'')))
			return false;
		at = stop;
	}
	return text_add_char(out, '\'');
}

/* What stands before the quoted value; NULL = a bare value. */
static const char *sql_prefix(const struct literal *value)
{
	switch (value->type.id) {
	case TYPE_REAL:
		return "REAL ";
	case TYPE_DOUBLE:
		return "DOUBLE ";
	case TYPE_DECIMAL:
		return "DECIMAL ";
	case TYPE_DATE:
		return "DATE ";
	case TYPE_TIME:
		return "TIME ";
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:	/* told apart by its offset */
		return "TIMESTAMP ";
	case TYPE_UUID:
		return "UUID ";
	case TYPE_VARBINARY:
	case TYPE_FIXED:
		return "X";
	default:
		return NULL;
	}
}

bool format_literal_sql(const struct literal *value, struct text *out)
{
	const char *prefix = sql_prefix(value);

	if (value->is_null)
		return text_add_str(out, "NULL");
	if (value->type.id == TYPE_VARCHAR)
		return add_quoted(out, value->value.bytes);
	if (type_is_nested(&value->type))
		return nested_format_sql(&value->type, value->value.bytes,
					 out);
	if (!prefix)
		return format_literal(value, out);
	return text_add_str(out, prefix) && text_add_char(out, '\'') &&
	       format_literal(value, out) && text_add_char(out, '\'');
}
