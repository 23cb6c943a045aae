#ifndef SOURCE_VIEW_CONVERT_H
#define SOURCE_VIEW_CONVERT_H
#include "source/source.h"

/*
 * Text to the values of a type that is neither text, binary nor nested, by
 * the rules of column/value_parse.h: count views to as many values of
 * type_width() bytes at to; zone: of times that tell none, NULL = UTC. Returns the first that does not convert, or
 * count. A view with data NULL leaves zeroes. Behind each view
 * CSV_PADDING_BYTES can be read.
 */
size_t view_convert(const struct type *type, const struct time_zone *zone,
		    void *to, const struct byte_view *v, size_t count);
/* Copy a bitmap for vector->count values. Errors: ERROR_NO_MEMORY. */
int view_set_validity(struct vector *vector, const uint64_t *validity,
		      struct error *err);
#endif
