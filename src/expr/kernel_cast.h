#ifndef EXPR_KERNEL_CAST_H
#define EXPR_KERNEL_CAST_H
#include "expr/kernel.h"

/*
 * Row i does not convert: NULL for TRY_CAST, else an error that names the
 * value. code: ERROR_CAST or ERROR_OVERFLOW.
 */
int cast_refuse(struct kernel_call *call, size_t i, int code);

/* kernel_nested_cast.c: ROW, ARRAY, MAP; state from nested_cast_prepare(). */
int cast_nested(struct kernel_call *call);
int nested_cast_prepare(const struct expr *node, struct arena *arena,
			void **state, struct error *err);

int cast_number(struct kernel_call *call);
int cast_from_text(struct kernel_call *call);
int cast_to_text(struct kernel_call *call);
int cast_time(struct kernel_call *call);
int cast_binary(struct kernel_call *call);
#endif
