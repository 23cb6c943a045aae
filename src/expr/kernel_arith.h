#ifndef EXPR_KERNEL_ARITH_H
#define EXPR_KERNEL_ARITH_H
#include "expr/kernel.h"

enum arith_variant {
	ARITH_ADD,
	ARITH_SUB,
	ARITH_MUL,
	ARITH_DIV,
	ARITH_MOD,
};

kernel_run arith_choose(const struct expr *node);
int arith_negate(struct kernel_call *call);
#endif
