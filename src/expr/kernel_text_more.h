#ifndef EXPR_KERNEL_TEXT_MORE_H
#define EXPR_KERNEL_TEXT_MORE_H
#include "expr/kernel.h"

enum { END_LEFT, END_RIGHT };

int string_repeat(struct kernel_call *call);
int string_translate(struct kernel_call *call);
int string_levenshtein(struct kernel_call *call);
int string_hamming(struct kernel_call *call);
int string_initcap(struct kernel_call *call);
int string_end(struct kernel_call *call);	/* left, right */
int string_ends_with(struct kernel_call *call);
#endif
