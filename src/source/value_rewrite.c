/*
 * value_rewrite.c - numbers and times in another spelling
 *
 * Why:    a decimal comma, marks between thousands and dates with the day
 *         first are read when asked for, by the readers that read all others.
 * How:    each value is spelled anew: marks between thousands go, the decimal
 *         mark becomes a point, times go through time_pattern.c. What is not
 *         spelled as was asked is refused here.
 * Cost:   a copy of each value, about 20 ns.
 */
#include "source/value_rewrite.h"
#include "source/time_pattern.h"

#define GROUP_DIGITS 3

static bool is_number(const struct type *type)
{
	return type_is_numeric(type);
}

static const char *time_format(const struct csv_options *options,
			       const struct type *type)
{
	if (type->id == TYPE_DATE)
		return options->date_format;
	if (type->id == TYPE_TIMESTAMP || type->id == TYPE_TIMESTAMP_TZ)
		return options->timestamp_format;
	return NULL;
}

bool value_rewrite_applies(const struct csv_options *options,
			   const struct type *type)
{
	if (is_number(type))
		return options->decimal_mark != '.' ||
		       options->thousands_mark;
	return time_format(options, type) != NULL;
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* The whole part of a number: digits, or groups of three of them between
 * marks. Returns the bytes taken, 0 = wrongly grouped. */
static size_t copy_whole(const struct csv_options *options,
			 struct byte_view text, char *out, size_t *used)
{
	const char *mark = options->thousands_mark;
	size_t mark_bytes = mark ? strlen(mark) : 0;
	size_t at = 0, group = 0, length = 0;
	bool has_marks = false;

	for (;;) {
		if (at < text.length && is_digit(text.data[at])) {
			out[length++] = (char)text.data[at++];
			group++;
			continue;
		}
		if (!mark_bytes || text.length - at < mark_bytes ||
		    memcmp(text.data + at, mark, mark_bytes) != 0)
			break;
		if (group == 0 || group > GROUP_DIGITS ||
		    (has_marks && group != GROUP_DIGITS))
			return 0;
		has_marks = true;
		group = 0;
		at += mark_bytes;
	}
	if (has_marks && group != GROUP_DIGITS)
		return 0;
	*used = length;
	return at;
}

/* Returns the length in out, 0 = not a number spelled so. */
static size_t rewrite_number(const struct csv_options *options,
			     struct byte_view text, char *out)
{
	size_t at = 0, length = 0, whole = 0, taken;

	if (at < text.length && (text.data[0] == '-' || text.data[0] == '+'))
		out[length++] = (char)text.data[at++];
	taken = copy_whole(options, byte_view(text.data + at,
			   text.length - at), out + length, &whole);
	if (!taken && at < text.length && is_digit(text.data[at]))
		return 0;
	at += taken;
	length += whole;
	for (; at < text.length; at++) {
		char c = (char)text.data[at];

		if (c == options->decimal_mark)
			c = '.';
		else if (c == '.' || c == ',')
			return 0;
		out[length++] = c;
	}
	return length;
}

int value_rewrite(const struct csv_options *options, const struct type *type,
		  struct byte_view *views, size_t count, struct arena *heap,
		  size_t *row_out, struct error *err)
{
	const char *format = time_format(options, type);
	bool timestamp = type->id != TYPE_DATE;

	for (*row_out = 0; *row_out < count; ++*row_out) {
		struct byte_view *view = &views[*row_out];
		size_t room = format ? TIME_PATTERN_BYTES : view->length;
		size_t length;
		char *out;

		if (!view->data)
			continue;
		/* readers of values load whole words */
		out = arena_alloc_bytes(heap, room + 64);
		if (!out)
			return error_set(err, ERROR_NO_MEMORY,
					 "convert fields");
		length = format ? time_pattern_apply(format, timestamp, *view,
						     out)
				: rewrite_number(options, *view, out);
		if (!length && (format || view->length))
			return 0;
		*view = byte_view(out, length);
	}
	return 0;
}
