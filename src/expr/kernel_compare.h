#ifndef EXPR_KERNEL_COMPARE_H
#define EXPR_KERNEL_COMPARE_H
#include "expr/kernel.h"

/* Variants of the comparison functions. */
enum compare_variant {
	COMPARE_EQ,
	COMPARE_NE,
	COMPARE_LT,
	COMPARE_LE,
	COMPARE_GT,
	COMPARE_GE,
};

kernel_run compare_choose(const struct expr *node);
int compare_distinct(struct kernel_call *call);
/* Does the call compare the order of ROWs or ARRAYs, where a NULL inside is
 * an error? */
bool compare_can_fail(const struct expr *node);
/* kernel_nested_compare.c: all six, of ROW, ARRAY and MAP. */
int compare_nested(struct kernel_call *call);
/* Variants of greatest and least. */
enum { EXTREME_GREATEST, EXTREME_LEAST };
int compare_extreme(struct kernel_call *call);
#endif
