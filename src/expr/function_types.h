#ifndef EXPR_FUNCTION_TYPES_H
#define EXPR_FUNCTION_TYPES_H
#include "expr/kernel.h"

/*
 * Resolvers of the function table: which argument types a function takes,
 * what they are cast to, and the type that comes out. Each fills
 * query->wanted and query->result, or returns false.
 */
extern const struct function more_functions[];	/* up to one without name */

bool resolve_fixed(const struct function_query *query);
bool resolve_arith(const struct function_query *query);
bool resolve_same_number(const struct function_query *query);
bool resolve_sign(const struct function_query *query);
bool resolve_round(const struct function_query *query);
bool resolve_round_digits(const struct function_query *query);
bool resolve_compare(const struct function_query *query);
bool resolve_extreme(const struct function_query *query);
bool resolve_concat(const struct function_query *query);
bool resolve_all_text(const struct function_query *query);
bool resolve_trunc(const struct function_query *query);
bool resolve_date_add(const struct function_query *query);
bool resolve_date_diff(const struct function_query *query);
bool resolve_date_field(const struct function_query *query);
bool resolve_time_field(const struct function_query *query);
bool resolve_last_day(const struct function_query *query);
bool resolve_date(const struct function_query *query);
#endif
