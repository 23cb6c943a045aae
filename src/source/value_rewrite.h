#ifndef SOURCE_VALUE_REWRITE_H
#define SOURCE_VALUE_REWRITE_H
#include "source/source.h"

/* Do values of the type have to be rewritten before they are read? */
bool value_rewrite_applies(const struct csv_options *options,
			   const struct type *type);
/*
 * Put values that are written as the options say into the manual's form, in
 * heap; NULLs (data NULL) stay. Views are replaced. *row_out is the first
 * that is not written so, or count. Errors: ERROR_NO_MEMORY.
 */
int value_rewrite(const struct csv_options *options, const struct type *type,
		  struct byte_view *views, size_t count, struct arena *heap,
		  size_t *row_out, struct error *err);
#endif
