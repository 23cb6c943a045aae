#ifndef EXPR_KERNEL_BINARY_H
#define EXPR_KERNEL_BINARY_H
#include "expr/kernel.h"

int binary_to_hex(struct kernel_call *call);
int binary_from_hex(struct kernel_call *call);
int binary_to_utf8(struct kernel_call *call);
int binary_from_utf8(struct kernel_call *call);
int binary_xxhash64(struct kernel_call *call);
int binary_length(struct kernel_call *call);
#endif
