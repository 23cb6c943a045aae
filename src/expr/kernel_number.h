#ifndef EXPR_KERNEL_NUMBER_H
#define EXPR_KERNEL_NUMBER_H
#include "expr/kernel.h"

enum angle_variant {
	ANGLE_SIN, ANGLE_COS, ANGLE_TAN, ANGLE_ASIN, ANGLE_ACOS, ANGLE_ATAN,
	ANGLE_SINH, ANGLE_COSH, ANGLE_TANH, ANGLE_DEGREES, ANGLE_RADIANS,
};
enum bits_variant {
	BITS_AND, BITS_OR, BITS_XOR, BITS_LEFT, BITS_RIGHT,
	BITS_RIGHT_ARITHMETIC,
};

int number_angle(struct kernel_call *call);	/* enum angle_variant */
int number_atan2(struct kernel_call *call);
int number_bits(struct kernel_call *call);	/* enum bits_variant */
int number_bits_not(struct kernel_call *call);
int number_to_base(struct kernel_call *call);
int number_from_base(struct kernel_call *call);
int number_width_bucket(struct kernel_call *call);
#endif
