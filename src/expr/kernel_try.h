#ifndef EXPR_KERNEL_TRY_H
#define EXPR_KERNEL_TRY_H
#include "expr/kernel.h"

/* Stands for TRY in the function table; the compiler takes step_run_try(). */
int try_kernel(struct kernel_call *call);
int type_name_of(struct kernel_call *call);	/* typeof */
bool resolve_try(const struct function_query *query);
bool resolve_typeof(const struct function_query *query);
#endif
