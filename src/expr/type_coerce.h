#ifndef EXPR_TYPE_COERCE_H
#define EXPR_TYPE_COERCE_H
#include "column/column.h"

/* For this room; what outsiders may ask is in function_table.h. */

/* An integer type as the decimal that holds all of it; others unchanged. */
struct type type_as_decimal(const struct type *type);
#endif
