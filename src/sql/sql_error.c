/*
 * sql_error.c - messages about a spec
 *
 * What is wrong goes into the text, where into file, line and column, what to
 * do into the hint. "did you mean" offers the name with the smallest edit
 * distance, at most a third of its length.
 */
#include <stdarg.h>
#include <stdio.h>
#include "sql/sql_error.h"

#define GUESS_NAME_LIMIT 64

int sql_error(struct error *err, enum error_code code,
	      const struct sql_place *place, const char *fmt, ...)
{
	char text[ERROR_TEXT_BYTES];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	error_set(err, code, "%s", text);
	if (place)
		error_at(err, place->file, place->line, place->position);
	return code;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static unsigned edit_distance(const char *a, const char *b)
{
	unsigned row[GUESS_NAME_LIMIT + 1];
	size_t a_length = strlen(a), b_length = strlen(b);

	if (a_length > GUESS_NAME_LIMIT || b_length > GUESS_NAME_LIMIT)
		return UINT32_MAX;
	for (unsigned j = 0; j <= b_length; j++)
		row[j] = j;
	for (unsigned i = 1; i <= a_length; i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= b_length; j++) {
			unsigned same = lower(a[i - 1]) == lower(b[j - 1]);
			unsigned cost = diagonal + !same;

			diagonal = row[j];
			if (row[j] + 1 < cost)
				cost = row[j] + 1;
			if (row[j - 1] + 1 < cost)
				cost = row[j - 1] + 1;
			row[j] = cost;
		}
	}
	return row[b_length];
}

void name_guess_init(struct name_guess *guess, const char *wanted)
{
	size_t limit = strlen(wanted) / 3;

	guess->wanted = wanted;
	guess->best = NULL;
	guess->distance = (unsigned)(limit > 3 ? 3 : limit) + 1;
}

void name_guess_offer(struct name_guess *guess, const char *name)
{
	unsigned distance = edit_distance(guess->wanted, name);

	if (distance < guess->distance) {
		guess->best = name;
		guess->distance = distance;
	}
}

int name_guess_hint(const struct name_guess *guess, struct error *err,
		    const char *fallback)
{
	if (guess->best)
		return error_hint(err, "did you mean %s?", guess->best);
	if (fallback)
		return error_hint(err, "%s", fallback);
	return err ? (int)err->code : 0;
}
