#ifndef EXPR_LITERAL_SET_H
#define EXPR_LITERAL_SET_H
#include "expr/expr_node.h"

/*
 * The constants of x IN (...), made once per program: a hash set, so that a
 * list of thousands costs a row no more than a short one. Lives in an arena,
 * read-only once made.
 */
struct literal_set;

/* items[0 .. count - 1] are LITERAL nodes of one type; NULLs and NaN are left
 * out (they equal nothing). Errors: ERROR_NO_MEMORY. */
int literal_set_new(struct literal_set **out, struct expr *const *items,
		    size_t count, struct arena *arena, struct error *err);
/* out[row] = 1 where the value is in the set, for the selected rows that are
 * not null; other entries may be written too. */
void literal_set_match(const struct literal_set *set,
		       const struct vector *values,
		       const struct selection *rows, uint8_t *out);
#endif
