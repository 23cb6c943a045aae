#ifndef EXPR_AGGREGATE_H
#define EXPR_AGGREGATE_H
#include "expr/expr_node.h"

/*
 * Aggregate functions: count, sum, avg, min, max, bool_and, bool_or, every,
 * string_agg, listagg, any_value, arbitrary, min_by, max_by, array_agg,
 * stddev and variance, as Trino has them. They work on whole vectors: a batch
 * of rows goes into the states of their groups at once. DISTINCT, FILTER and
 * ORDER BY are the caller's: it gives the rows that count, in order.
 */
struct aggregate_function;

/*
 * The function of a name for argument types; args_out (arg_count types) is
 * what the arguments are to be cast to, *type_out the result. count(*) has no
 * argument. *out NULL and 0 when the name is none of an aggregate. Errors:
 * ERROR_ARITY, ERROR_TYPE_MISMATCH.
 */
int aggregate_find(const struct aggregate_function **out, const char *name,
		   const struct type *args, size_t arg_count,
		   struct type *args_out, struct type *type_out,
		   struct error *err);
const char *aggregate_name(const struct aggregate_function *function);
/* Does the order of the rows matter (string_agg, array_agg, any_value)? */
bool aggregate_is_ordered(const struct aggregate_function *function);

/* States of many groups of one call, each of a number from 0. */
struct aggregate_states;
int aggregate_states_new(struct aggregate_states **out,
			 const struct aggregate_function *function,
			 const struct type *args, size_t arg_count,
			 const struct type *type, struct error *err);
void aggregate_states_free(struct aggregate_states *states);
/* Room for groups 0 .. count - 1; new ones have seen nothing. */
int aggregate_states_grow(struct aggregate_states *states, size_t count,
			  struct error *err);
/*
 * Row selection_row(rows, i) of args goes to group groups[i]. Values are copied.
 * Errors: ERROR_OVERFLOW; *bad_row is then the row.
 */
int aggregate_update(struct aggregate_states *states,
		     const struct vector *const *args,
		     const struct selection *rows, const uint32_t *groups,
		     size_t *bad_row, struct error *err);
/* Group groups[i] of states takes what group i of from has seen, for i <
 * count; from's rows come after. */
int aggregate_combine(struct aggregate_states *states,
		      const uint32_t *groups,
		      const struct aggregate_states *from, size_t count,
		      struct error *err);
/* Results of groups first .. first + count - 1; bytes go into heap. */
int aggregate_finish(const struct aggregate_states *states, size_t first,
		     size_t count, struct vector *out, struct arena *heap,
		     struct error *err);
/* Forget what the groups have seen (a moving window frame begins anew). */
void aggregate_states_reset(struct aggregate_states *states);
size_t aggregate_states_bytes(const struct aggregate_states *states);
#endif
