/*
 * number_scan.c - the general form of a number in text
 *
 * Why:    most numbers take a short way; what has an exponent, many zeroes or
 *         more digits than a word must still be read exactly or refused.
 * How:    the grammar is checked once, zeroes at both ends are dropped, and
 *         the point and the exponent become one power of ten.
 */
#include "column/digit_scan.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* [sign] digits, up to end; saturated. */
static bool scan_exponent(const char *at, const char *end, int64_t *out)
{
	bool negative = false;
	int64_t value = 0;

	if (at < end && (*at == '+' || *at == '-'))
		negative = *at++ == '-';
	if (at == end)
		return false;
	for (; at < end; at++) {
		if (!is_digit(*at))
			return false;
		value = value * 10 + (*at - '0');
		if (value > NUMBER_EXPONENT_LIMIT)
			value = NUMBER_EXPONENT_LIMIT;
	}
	*out = negative ? -value : value;
	return true;
}

bool number_scan(const char *data, size_t length, struct number_text *out)
{
	const char *at = data, *end;
	const char *start, *point = NULL;
	int64_t exponent = 0;

	if (length == 0)
		return false;
	end = data + length;

	memset(out, 0, sizeof(*out));
	if (at < end && (*at == '+' || *at == '-'))
		out->negative = *at++ == '-';
	start = at;
	for (; at < end; at++) {
		if (is_digit(*at))
			continue;
		if (*at != '.' || point)
			break;
		point = at;
	}
	if (at - start == (point != NULL))
		return false;	/* no digit */
	if (at < end) {
		if ((*at != 'e' && *at != 'E') ||
		    !scan_exponent(at + 1, end, &exponent))
			return false;
		out->has_exponent = true;
	}
	out->has_point = point != NULL;
	out->exponent = exponent - (point ? at - point - 1 : 0);
	end = at;
	while (start < end && (*start == '0' || *start == '.'))
		start++;
	while (end > start && (end[-1] == '0' || end[-1] == '.')) {
		end--;
		out->exponent += *end == '0';
	}
	out->digits = start;
	out->end = end;
	out->digit_count = (size_t)(end - start);
	if (point && point >= start && point < end)
		out->digit_count--;
	return true;
}

uint64_t number_take19(const char **at, size_t count)
{
	const char *c = *at;
	uint64_t value = 0;

	while (count > 0) {
		if (*c != '.') {
			value = value * 10 + (uint64_t)(*c - '0');
			count--;
		}
		c++;
	}
	*at = c;
	return value;
}
