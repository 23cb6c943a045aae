#ifndef SQL_SQL_ERROR_H
#define SQL_SQL_ERROR_H
#include "util/util.h"

/* Where something stands in a spec; zeroes are nowhere. */
struct sql_place {
	const char *file;
	uint32_t line;
	uint32_t position;
};

/* error_set() at a place; returns code. */
int sql_error(struct error *err, enum error_code code,
	      const struct sql_place *place, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The name nearest to a misspelled one, of those it is offered. */
struct name_guess {
	const char *wanted;
	const char *best;	/* NULL = none is near */
	unsigned distance;
};
void name_guess_init(struct name_guess *guess, const char *wanted);
void name_guess_offer(struct name_guess *guess, const char *name);
/* Hint "did you mean ...?", or fallback (may be NULL). Returns err->code. */
int name_guess_hint(const struct name_guess *guess, struct error *err,
		    const char *fallback);
#endif
