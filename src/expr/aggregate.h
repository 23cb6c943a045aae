#ifndef EXPR_AGGREGATE_H
#define EXPR_AGGREGATE_H
#include "expr/expr_node.h"

/*
 * Aggregate functions: count, count_if, sum, avg, min, max, bool_and, bool_or,
 * every, string_agg, listagg, any_value, arbitrary, min_by, max_by, array_agg,
 * stddev and variance, as Trino has them. They work on whole vectors: a batch
 * of rows goes into the states of their groups at once. DISTINCT, FILTER and
 * ORDER BY are the caller's: it gives the rows that count, in order.
 *
 * NULL arguments do not count, but for count(*) and array_agg; without a row
 * that counts the result is NULL (count, count_if: 0). sum: BIGINT of
 * integers, DECIMAL(38,s) of DECIMAL(p,s), both exact whatever the order, so
 * that only a final sum that does not fit is ERROR_OVERFLOW; that of REAL and
 * DOUBLE is the exact one rounded, also whatever the order; stddev and variance
 * go by the order of the rows. avg: DOUBLE of integers,
 * else the type of the argument; a decimal average is rounded a half away
 * from zero. min, max, min_by, max_by: NaN only where there is nothing else,
 * the first of equals; MAP has no order. string_agg(x, separator): of each
 * value but the first its separator, NULL = none, goes before it.
 */
struct aggregate_function;
#define AGGREGATE_ARG_LIMIT 2

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
/*
 * The same as one struct. arena holds the new type of array_agg's result;
 * without one (and in aggregate_find()) it is ERROR_TYPE_MISMATCH.
 */
struct aggregate_lookup {
	const char *name;
	const struct type *args;
	size_t arg_count;
	struct arena *arena;
	struct type wanted[AGGREGATE_ARG_LIMIT];	/* filled */
	const struct aggregate_function *function;	/* filled or NULL */
	struct type result;				/* filled */
};
int aggregate_resolve(struct aggregate_lookup *lookup, struct error *err);
const char *aggregate_name(const struct aggregate_function *function);
/* Does the order of the rows matter (string_agg, array_agg, any_value)? */
bool aggregate_is_ordered(const struct aggregate_function *function);

/*
 * States of many groups of one call, each of a number from 0. args (what
 * aggregate_find() said the arguments are cast to) and type are copied, their
 * fields kept.
 */
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
 * Row selection_row(rows, i) of args goes to group groups[i]. Values are
 * copied. Errors: ERROR_OVERFLOW where one result gets too long; *bad_row is
 * then the row (else the first).
 */
int aggregate_update(struct aggregate_states *states,
		     const struct vector *const *args,
		     const struct selection *rows, const uint32_t *groups,
		     size_t *bad_row, struct error *err);
/* Group groups[i] of states takes what group selection_row(rows, i) of from
 * has seen, rows being in any order; from's rows come after. The two are of
 * one call. */
int aggregate_combine(struct aggregate_states *states,
		      const uint32_t *groups,
		      const struct aggregate_states *from,
		      const struct selection *rows, struct error *err);
/* Results of groups first .. first + count - 1; bytes go into heap. out is of
 * the result's type and is reset first. Errors: ERROR_OVERFLOW of a sum. */
int aggregate_finish(const struct aggregate_states *states, size_t first,
		     size_t count, struct vector *out, struct arena *heap,
		     struct error *err);
/* Forget what the groups have seen (a moving window frame begins anew). */
void aggregate_states_reset(struct aggregate_states *states);
/* Memory that is in use for the groups that are there. */
size_t aggregate_states_bytes(const struct aggregate_states *states);
#endif
