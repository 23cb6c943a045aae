#ifndef SOURCE_TYPE_INFER_H
#define SOURCE_TYPE_INFER_H
#include "source/source.h"

/*
 * The narrowest type that has every value seen, by the rules of the manual
 * ("Inferred types"). Values may be added in any order and parts merged: the
 * type depends on the set of values alone. Plain storage of the caller's;
 * zeroes are no values.
 */
struct text_types {
	uint64_t value_count;	/* not null */
	unsigned kinds;		/* TEXT_KIND_* of all values */
	unsigned whole_digits;	/* of the longest number in plain form */
	unsigned scale;
	bool is_over_64;	/* an integer that BIGINT lacks */
};

/* A value that is written as the options say. */
void text_types_add(struct text_types *types,
		    const struct csv_options *options, struct byte_view text);
/* The characters of a JSON number / one of true and false. */
void text_types_add_json(struct text_types *types, struct byte_view text);
/* A text that JSON has in quotes: a date or a time, or text. */
void text_types_add_string(struct text_types *types, struct byte_view text);
/* Anything else: the type is VARCHAR. */
void text_types_add_other(struct text_types *types);
void text_types_merge(struct text_types *types,
		      const struct text_types *more);
struct type text_types_type(const struct text_types *types);
#endif
