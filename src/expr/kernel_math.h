#ifndef EXPR_KERNEL_MATH_H
#define EXPR_KERNEL_MATH_H
#include "expr/kernel.h"

enum math_variant {
	MATH_SQRT, MATH_CBRT, MATH_EXP, MATH_LN, MATH_LOG2, MATH_LOG10,
};
enum float_test { FLOAT_IS_NAN, FLOAT_IS_FINITE, FLOAT_IS_INFINITE };
enum float_constant { FLOAT_NAN, FLOAT_INFINITY, FLOAT_PI, FLOAT_E };
enum round_variant { ROUND_HALF, ROUND_FLOOR, ROUND_CEIL, ROUND_TRUNC };

int math_abs(struct kernel_call *call);
int math_sign(struct kernel_call *call);
int math_round(struct kernel_call *call);	/* one argument */
int math_round_digits(struct kernel_call *call);	/* with digits */
int math_power(struct kernel_call *call);
int math_log(struct kernel_call *call);
int math_unary(struct kernel_call *call);	/* enum math_variant */
int math_float_test(struct kernel_call *call);
int math_constant(struct kernel_call *call);
#endif
