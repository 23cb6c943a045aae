#ifndef EXPR_FUNCTION_TABLE_H
#define EXPR_FUNCTION_TABLE_H
#include "expr/expr_node.h"

/*
 * Functions and operators by name. Operators have the names of their symbols:
 * "+" "-" "*" "/" "%" (binary), "negate", "=" "<>" "<" "<=" ">" ">="
 * "is distinct from", "||", "like" (value, pattern[, escape]). NULLIF,
 * BETWEEN, simple CASE and IS NOT ... are rewritten by the binder.
 */
struct function;

const char *function_name(const struct function *function);
/* Can give NULL for arguments that are not null, or differs from call to
 * call? Such are not folded. */
bool function_is_volatile(const struct function *function);

/*
 * Find the function for arguments of these types, after Trino's coercions.
 * wanted (arg_count entries) receives the type that each argument must be
 * cast to, *result the type of the call. Arguments of TYPE_UNKNOWN (the NULL
 * literal) take any type.
 * Decimal results follow Trino: + - : p = min(38, max(s1,s2) +
 * max(p1-s1, p2-s2) + 1), s = max; * : p1+p2, s1+s2 (over 38: an error when
 * s > 38); / : s = max(s1,s2), p = p1 + s2 + max(0, s2-s1); % : s = max,
 * p = min(p1-s1, p2-s2) + s.
 * Errors: ERROR_UNKNOWN_COLUMN never; ERROR_UNSUPPORTED for a name nobody
 * knows ("no function named x; see rowmerge-functions(5)"), ERROR_TYPE_MISMATCH
 * for arguments that fit none, ERROR_ARITY for their number.
 */
int function_resolve(const char *name, const struct type *args,
		     size_t arg_count, const struct function **out,
		     struct type *wanted, struct type *result,
		     struct error *err);

/*
 * The same as one struct; arena holds the fields of nested types that come
 * out, which types of arguments may be. NULL: a call that has to make a new
 * nested type fits none.
 */
struct function_lookup {
	const char *name;
	const struct type *args;
	size_t arg_count;
	struct arena *arena;
	struct type *wanted;		/* arg_count entries, filled */
	const struct function *function;	/* filled */
	struct type result;		/* filled */
};
int function_find(struct function_lookup *lookup, struct error *err);

/*
 * The type that both coerce to implicitly (Trino): integer < bigint < decimal
 * < real < double; date < timestamp < timestamp with time zone; decimals to
 * the common precision and scale; UNKNOWN to anything. No conversion between
 * text, numbers, booleans and dates. False when there is none.
 */
bool type_common(const struct type *a, const struct type *b,
		 struct type *out);
/*
 * The same for nested types: ROWs by position (a field keeps its name where
 * both have it or one has none), ARRAYs and MAPs by what is in them. A new
 * type is made in arena; type_common() only finds one of the two. False also
 * when out of memory.
 */
bool type_unify(struct arena *arena, const struct type *a,
		const struct type *b, struct type *out);
/* ARRAY(element) and MAP(key, value); false when out of memory. */
bool type_array_of(struct arena *arena, const struct type *element,
		   struct type *out);
bool type_map_of(struct arena *arena, const struct type *key,
		 const struct type *value, struct type *out);
/* Is it, or does it contain, the type of the bare NULL? */
bool type_has_unknown(const struct type *type);
/* May `from` be used where `to` is wanted, without an explicit CAST? */
bool type_coerces(const struct type *from, const struct type *to);
/* May a value of `from` be assigned to a column of `to` (SET, VALUES)? All
 * that coerces, plus narrowing between numbers, timestamps and dates as
 * Trino's INSERT allows: number to number, varchar to varchar, date to
 * timestamp and so on; never text to number or back. */
bool type_assignable(const struct type *from, const struct type *to);
/* Has an order: all but MAP and what contains one. */
bool type_is_orderable(const struct type *type);
/* May it be CAST explicitly? */
bool type_castable(const struct type *from, const struct type *to);
#endif
