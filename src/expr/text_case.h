#ifndef EXPR_TEXT_CASE_H
#define EXPR_TEXT_CASE_H
#include <stdbool.h>
#include <stdint.h>

/* The simple (one to one) case mapping of a code point, itself if none. */
uint32_t text_case_map(uint32_t code_point, bool to_upper);
#endif
