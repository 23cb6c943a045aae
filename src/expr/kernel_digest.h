#ifndef EXPR_KERNEL_DIGEST_H
#define EXPR_KERNEL_DIGEST_H
#include "expr/kernel.h"

enum { DIGEST_MD5, DIGEST_SHA1, DIGEST_SHA256 };
int binary_digest(struct kernel_call *call);
#endif
