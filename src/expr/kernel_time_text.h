#ifndef EXPR_KERNEL_TIME_TEXT_H
#define EXPR_KERNEL_TIME_TEXT_H
#include "expr/kernel.h"

/* Variant: enum time_style. */
int time_text_write(struct kernel_call *call);
int time_text_read(struct kernel_call *call);
int time_from_iso(struct kernel_call *call);
int time_to_iso(struct kernel_call *call);
#endif
