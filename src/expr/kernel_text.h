#ifndef EXPR_KERNEL_TEXT_H
#define EXPR_KERNEL_TEXT_H
#include "expr/kernel.h"

enum { TEXT_LOWER, TEXT_UPPER };
enum { TRIM_BOTH, TRIM_LEFT, TRIM_RIGHT };
enum { PAD_LEFT, PAD_RIGHT };

int string_concat(struct kernel_call *call);
int string_concat_ws(struct kernel_call *call);
int string_change_case(struct kernel_call *call);
int string_trim(struct kernel_call *call);
int string_length(struct kernel_call *call);
int string_substring(struct kernel_call *call);
int string_replace(struct kernel_call *call);
int string_strpos(struct kernel_call *call);
int string_position(struct kernel_call *call);	/* needle first */
int string_reverse(struct kernel_call *call);
int string_starts_with(struct kernel_call *call);
int string_pad(struct kernel_call *call);
int string_split_part(struct kernel_call *call);
int string_chr(struct kernel_call *call);
int string_codepoint(struct kernel_call *call);
#endif
