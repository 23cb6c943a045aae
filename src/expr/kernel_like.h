#ifndef EXPR_KERNEL_LIKE_H
#define EXPR_KERNEL_LIKE_H
#include "expr/kernel.h"

int like_prepare(const struct expr *node, struct arena *arena, void **state,
		 struct error *err);
int like_run(struct kernel_call *call);
#endif
