/*
 * function_table.c - functions and operators by name and types
 *
 * Why:    the binder knows names and argument types; this says which
 *         function that is, what its arguments must be cast to and what
 *         comes out, by Trino's rules.
 * How:    one table in two files (function_more.c); overloads of a name stand
 *         as several rows and the first whose resolver takes the types wins.
 *         Most rows have a fixed signature in letters (kernel.h), the others
 *         a resolver of their own.
 * Cost:   a linear search, once per call in a statement.
 */
#include "expr/function_table.h"
#include "expr/kernel.h"
#include "expr/kernel_arith.h"
#include "expr/kernel_binary.h"
#include "expr/kernel_compare.h"
#include "expr/kernel_like.h"
#include "expr/kernel_math.h"
#include "expr/kernel_nested.h"
#include "expr/kernel_text.h"
#include "expr/kernel_time.h"
#include "expr/kernel_zone.h"
#include "expr/function_types.h"

#define EXTRACT_PREFIX "extract_"
#define MANY FUNCTION_ANY_COUNT
#define SAFE FUNCTION_SAFE
#define LAX FUNCTION_LAX
#define FSAFE FUNCTION_FLOAT_SAFE
#define CONTEXT FUNCTION_CONTEXT
#define ZONE (FUNCTION_CONTEXT | FUNCTION_READS_ZONE | FUNCTION_RELEASE)

/* name, signature, min, max, flags, variant, resolve, kernel, choose,
 * prepare */
static const struct function functions[] = {
	{ "+", NULL, 2, 2, FSAFE, ARITH_ADD, resolve_arith, NULL,
	  arith_choose, NULL },
	{ "-", NULL, 2, 2, FSAFE, ARITH_SUB, resolve_arith, NULL,
	  arith_choose, NULL },
	{ "*", NULL, 2, 2, FSAFE, ARITH_MUL, resolve_arith, NULL,
	  arith_choose, NULL },
	{ "/", NULL, 2, 2, FSAFE, ARITH_DIV, resolve_arith, NULL,
	  arith_choose, NULL },
	{ "%", NULL, 2, 2, FSAFE, ARITH_MOD, resolve_arith, NULL,
	  arith_choose, NULL },
	{ "mod", NULL, 2, 2, FSAFE, ARITH_MOD, resolve_arith, NULL,
	  arith_choose, NULL },
	{ "negate", NULL, 1, 1, FSAFE, 0, resolve_same_number, arith_negate,
	  NULL, NULL },
	{ "=", NULL, 2, 2, SAFE, COMPARE_EQ, resolve_compare, NULL,
	  compare_choose, NULL },
	{ "<>", NULL, 2, 2, SAFE, COMPARE_NE, resolve_compare, NULL,
	  compare_choose, NULL },
	{ "<", NULL, 2, 2, SAFE, COMPARE_LT, resolve_compare, NULL,
	  compare_choose, NULL },
	{ "<=", NULL, 2, 2, SAFE, COMPARE_LE, resolve_compare, NULL,
	  compare_choose, NULL },
	{ ">", NULL, 2, 2, SAFE, COMPARE_GT, resolve_compare, NULL,
	  compare_choose, NULL },
	{ ">=", NULL, 2, 2, SAFE, COMPARE_GE, resolve_compare, NULL,
	  compare_choose, NULL },
	{ "is distinct from", NULL, 2, 2, SAFE | LAX, 0, resolve_compare,
	  compare_distinct, NULL, NULL },
	{ "greatest", NULL, 1, MANY, SAFE, EXTREME_GREATEST, resolve_extreme,
	  compare_extreme, NULL, NULL },
	{ "least", NULL, 1, MANY, SAFE, EXTREME_LEAST, resolve_extreme,
	  compare_extreme, NULL, NULL },

	/* nested */
	{ "row", NULL, 1, MANY, SAFE | LAX, 0, resolve_row, nested_row_of,
	  NULL, NULL },
	{ "array", NULL, 0, MANY, SAFE | LAX, 0, resolve_array,
	  nested_array_of, NULL, NULL },
	{ "map", NULL, 0, 0, SAFE | LAX, 0, resolve_empty_map,
	  nested_empty_map, NULL, NULL },
	{ "map", NULL, 2, 2, 0, 0, resolve_map, nested_map_of, NULL, NULL },
	{ "[]", NULL, 2, 2, 0, SUBSCRIPT_STRICT, resolve_array_item,
	  nested_array_item, NULL, NULL },
	{ "[]", NULL, 2, 2, 0, SUBSCRIPT_STRICT, resolve_map_item,
	  nested_map_item, NULL, NULL },
	{ "element_at", NULL, 2, 2, 0, SUBSCRIPT_LENIENT, resolve_array_item,
	  nested_array_item, NULL, NULL },
	{ "element_at", NULL, 2, 2, SAFE, SUBSCRIPT_LENIENT,
	  resolve_map_item, nested_map_item, NULL, NULL },
	{ "cardinality", NULL, 1, 1, SAFE, 0, resolve_cardinality,
	  nested_cardinality, NULL, NULL },
	{ "contains", NULL, 2, 2, SAFE, 0, resolve_contains, nested_contains,
	  NULL, NULL },
	{ "array_position", NULL, 2, 2, SAFE, 0, resolve_position,
	  nested_position, NULL, NULL },
	{ "slice", NULL, 3, 3, 0, 0, resolve_slice, nested_slice, NULL,
	  NULL },
	{ "map_keys", NULL, 1, 1, SAFE, NESTED_KEYS, resolve_map_part,
	  nested_map_part, NULL, NULL },
	{ "map_values", NULL, 1, 1, SAFE, NESTED_VALUES, resolve_map_part,
	  nested_map_part, NULL, NULL },
	{ "map_entries", NULL, 1, 1, SAFE, NESTED_ENTRIES, resolve_map_part,
	  nested_map_part, NULL, NULL },
	{ "||", NULL, 2, MANY, SAFE, CONCAT_LISTS, resolve_concat_lists,
	  nested_concat, NULL, NULL },
	{ "||", NULL, 2, 2, SAFE, CONCAT_APPEND, resolve_concat_item,
	  nested_concat, NULL, NULL },
	{ "||", NULL, 2, 2, SAFE, CONCAT_PREPEND, resolve_concat_item,
	  nested_concat, NULL, NULL },
	{ "concat", NULL, 2, MANY, SAFE, CONCAT_LISTS, resolve_concat_lists,
	  nested_concat, NULL, NULL },

	/* text */
	{ "||", NULL, 2, MANY, SAFE, 0, resolve_concat, string_concat, NULL,
	  NULL },
	{ "concat", NULL, 2, MANY, SAFE, 0, resolve_concat, string_concat, NULL,
	  NULL },
	{ "concat_ws", NULL, 2, MANY, SAFE | LAX, 0, resolve_all_text,
	  string_concat_ws, NULL, NULL },
	{ "like", "LVVV", 2, 3, 0, 0, resolve_fixed, like_run, NULL,
	  like_prepare },
	{ "lower", "VV", 1, 1, SAFE, TEXT_LOWER, resolve_fixed,
	  string_change_case, NULL, NULL },
	{ "upper", "VV", 1, 1, SAFE, TEXT_UPPER, resolve_fixed,
	  string_change_case, NULL, NULL },
	{ "trim", "VVV", 1, 2, SAFE, TRIM_BOTH, resolve_fixed, string_trim,
	  NULL, NULL },
	{ "ltrim", "VVV", 1, 2, SAFE, TRIM_LEFT, resolve_fixed, string_trim,
	  NULL, NULL },
	{ "rtrim", "VVV", 1, 2, SAFE, TRIM_RIGHT, resolve_fixed, string_trim,
	  NULL, NULL },
	{ "length", "BV", 1, 1, SAFE, 0, resolve_fixed, string_length, NULL,
	  NULL },
	{ "length", "BZ", 1, 1, SAFE, 0, resolve_fixed, binary_length, NULL,
	  NULL },
	{ "char_length", "BV", 1, 1, SAFE, 0, resolve_fixed, string_length,
	  NULL, NULL },
	{ "character_length", "BV", 1, 1, SAFE, 0, resolve_fixed,
	  string_length, NULL, NULL },
	{ "substr", "VVBB", 2, 3, SAFE, 0, resolve_fixed, string_substring,
	  NULL, NULL },
	{ "substring", "VVBB", 2, 3, SAFE, 0, resolve_fixed, string_substring,
	  NULL, NULL },
	{ "replace", "VVVV", 2, 3, 0, 0, resolve_fixed, string_replace, NULL,
	  NULL },
	{ "strpos", "BVVB", 2, 3, 0, 0, resolve_fixed, string_strpos, NULL,
	  NULL },
	{ "position", "BVV", 2, 2, SAFE, 0, resolve_fixed, string_position,
	  NULL, NULL },
	{ "reverse", "VV", 1, 1, SAFE, 0, resolve_fixed, string_reverse, NULL,
	  NULL },
	{ "starts_with", "LVV", 2, 2, SAFE, 0, resolve_fixed,
	  string_starts_with, NULL, NULL },
	{ "lpad", "VVBV", 3, 3, 0, PAD_LEFT, resolve_fixed, string_pad, NULL,
	  NULL },
	{ "rpad", "VVBV", 3, 3, 0, PAD_RIGHT, resolve_fixed, string_pad, NULL,
	  NULL },
	{ "split_part", "VVVB", 3, 3, 0, 0, resolve_fixed, string_split_part,
	  NULL, NULL },
	{ "chr", "VB", 1, 1, 0, 0, resolve_fixed, string_chr, NULL, NULL },
	{ "codepoint", "IV", 1, 1, 0, 0, resolve_fixed, string_codepoint, NULL,
	  NULL },

	/* numbers */
	{ "abs", NULL, 1, 1, FSAFE, 0, resolve_same_number, math_abs, NULL,
	  NULL },
	{ "sign", NULL, 1, 1, SAFE, 0, resolve_sign, math_sign, NULL, NULL },
	{ "round", NULL, 1, 1, 0, ROUND_HALF, resolve_round, math_round,
	  NULL, NULL },
	{ "round", NULL, 2, 2, 0, ROUND_HALF, resolve_round_digits,
	  math_round_digits, NULL, NULL },
	{ "floor", NULL, 1, 1, 0, ROUND_FLOOR, resolve_round, math_round,
	  NULL, NULL },
	{ "ceil", NULL, 1, 1, 0, ROUND_CEIL, resolve_round, math_round, NULL,
	  NULL },
	{ "ceiling", NULL, 1, 1, 0, ROUND_CEIL, resolve_round, math_round,
	  NULL, NULL },
	{ "trunc", NULL, 1, 1, 0, ROUND_TRUNC, resolve_round, math_round,
	  NULL, NULL },
	{ "trunc", NULL, 2, 2, 0, ROUND_TRUNC, resolve_round_digits,
	  math_round_digits, NULL, NULL },
	{ "truncate", NULL, 1, 1, 0, ROUND_TRUNC, resolve_round, math_round,
	  NULL, NULL },
	{ "truncate", NULL, 2, 2, 0, ROUND_TRUNC, resolve_round_digits,
	  math_round_digits, NULL, NULL },
	{ "power", "FFF", 2, 2, SAFE, 0, resolve_fixed, math_power, NULL,
	  NULL },
	{ "pow", "FFF", 2, 2, SAFE, 0, resolve_fixed, math_power, NULL,
	  NULL },
	{ "log", "FFF", 2, 2, SAFE, 0, resolve_fixed, math_log, NULL, NULL },
	{ "sqrt", "FF", 1, 1, SAFE, MATH_SQRT, resolve_fixed, math_unary,
	  NULL, NULL },
	{ "cbrt", "FF", 1, 1, SAFE, MATH_CBRT, resolve_fixed, math_unary,
	  NULL, NULL },
	{ "exp", "FF", 1, 1, SAFE, MATH_EXP, resolve_fixed, math_unary, NULL,
	  NULL },
	{ "ln", "FF", 1, 1, SAFE, MATH_LN, resolve_fixed, math_unary, NULL,
	  NULL },
	{ "log2", "FF", 1, 1, SAFE, MATH_LOG2, resolve_fixed, math_unary,
	  NULL, NULL },
	{ "log10", "FF", 1, 1, SAFE, MATH_LOG10, resolve_fixed, math_unary,
	  NULL, NULL },
	{ "is_nan", "LF", 1, 1, SAFE, FLOAT_IS_NAN, resolve_fixed,
	  math_float_test, NULL, NULL },
	{ "is_finite", "LF", 1, 1, SAFE, FLOAT_IS_FINITE, resolve_fixed,
	  math_float_test, NULL, NULL },
	{ "is_infinite", "LF", 1, 1, SAFE, FLOAT_IS_INFINITE, resolve_fixed,
	  math_float_test, NULL, NULL },
	{ "nan", "F", 0, 0, SAFE, FLOAT_NAN, resolve_fixed, math_constant,
	  NULL, NULL },
	{ "infinity", "F", 0, 0, SAFE, FLOAT_INFINITY, resolve_fixed,
	  math_constant, NULL, NULL },
	{ "pi", "F", 0, 0, SAFE, FLOAT_PI, resolve_fixed, math_constant,
	  NULL, NULL },
	{ "e", "F", 0, 0, SAFE, FLOAT_E, resolve_fixed, math_constant, NULL,
	  NULL },

	/* time */
	{ "current_date", "D", 0, 0, SAFE | CONTEXT, NOW_DATE, resolve_fixed,
	  time_now, NULL, NULL },
	{ "current_timestamp", "W", 0, 0, SAFE | CONTEXT, NOW_TIMESTAMP_TZ,
	  resolve_fixed, time_now, NULL, NULL },
	{ "now", "W", 0, 0, SAFE | CONTEXT, NOW_TIMESTAMP_TZ, resolve_fixed,
	  time_now, NULL, NULL },
	{ "localtimestamp", "T", 0, 0, SAFE | CONTEXT, NOW_TIMESTAMP,
	  resolve_fixed, time_now, NULL, NULL },
	{ "date_trunc", NULL, 2, 2, ZONE, 0, resolve_trunc, time_trunc, NULL,
	  zone_prepare },
	{ "date_add", NULL, 3, 3, ZONE, 0, resolve_date_add, time_add, NULL,
	  zone_prepare },
	{ "date_diff", NULL, 3, 3, ZONE, 0, resolve_date_diff, time_diff, NULL,
	  zone_prepare },
	{ "year", NULL, 1, 1, SAFE | ZONE, FIELD_YEAR, resolve_date_field,
	  time_extract, NULL, zone_prepare },
	{ "quarter", NULL, 1, 1, SAFE | ZONE, FIELD_QUARTER,
	  resolve_date_field, time_extract, NULL, zone_prepare },
	{ "month", NULL, 1, 1, SAFE | ZONE, FIELD_MONTH, resolve_date_field,
	  time_extract, NULL, zone_prepare },
	{ "week", NULL, 1, 1, SAFE | ZONE, FIELD_WEEK, resolve_date_field,
	  time_extract, NULL, zone_prepare },
	{ "week_of_year", NULL, 1, 1, SAFE | ZONE, FIELD_WEEK,
	  resolve_date_field, time_extract, NULL, zone_prepare },
	{ "day", NULL, 1, 1, SAFE | ZONE, FIELD_DAY, resolve_date_field,
	  time_extract, NULL, zone_prepare },
	{ "day_of_month", NULL, 1, 1, SAFE | ZONE, FIELD_DAY,
	  resolve_date_field, time_extract, NULL, zone_prepare },
	{ "day_of_week", NULL, 1, 1, SAFE | ZONE, FIELD_DAY_OF_WEEK,
	  resolve_date_field, time_extract, NULL, zone_prepare },
	{ "dow", NULL, 1, 1, SAFE | ZONE, FIELD_DAY_OF_WEEK,
	  resolve_date_field, time_extract, NULL, zone_prepare },
	{ "day_of_year", NULL, 1, 1, SAFE | ZONE, FIELD_DAY_OF_YEAR,
	  resolve_date_field, time_extract, NULL, zone_prepare },
	{ "doy", NULL, 1, 1, SAFE | ZONE, FIELD_DAY_OF_YEAR,
	  resolve_date_field, time_extract, NULL, zone_prepare },
	{ "year_of_week", NULL, 1, 1, SAFE | ZONE, FIELD_YEAR_OF_WEEK,
	  resolve_date_field, time_extract, NULL, zone_prepare },
	{ "yow", NULL, 1, 1, SAFE | ZONE, FIELD_YEAR_OF_WEEK,
	  resolve_date_field, time_extract, NULL, zone_prepare },
	{ "hour", NULL, 1, 1, SAFE | ZONE, FIELD_HOUR, resolve_time_field,
	  time_extract, NULL, zone_prepare },
	{ "minute", NULL, 1, 1, SAFE | ZONE, FIELD_MINUTE, resolve_time_field,
	  time_extract, NULL, zone_prepare },
	{ "second", NULL, 1, 1, SAFE | ZONE, FIELD_SECOND, resolve_time_field,
	  time_extract, NULL, zone_prepare },
	{ "millisecond", NULL, 1, 1, SAFE | ZONE, FIELD_MILLISECOND,
	  resolve_time_field, time_extract, NULL, zone_prepare },
	{ "last_day_of_month", NULL, 1, 1, ZONE, 0, resolve_last_day,
	  time_last_day, NULL, zone_prepare },
	{ "date", NULL, 1, 1, ZONE, 0, resolve_date, NULL, cast_kernel,
	  zone_prepare },
	{ "from_unixtime", "WF", 1, 1, 0, 0, resolve_fixed,
	  time_from_unixtime, NULL, NULL },
	{ "to_unixtime", "FW", 1, 1, SAFE, 0, resolve_fixed,
	  time_to_unixtime, NULL, NULL },

	/* binary */
	{ "to_hex", "VZ", 1, 1, SAFE, 0, resolve_fixed, binary_to_hex, NULL,
	  NULL },
	{ "from_hex", "ZV", 1, 1, 0, 0, resolve_fixed, binary_from_hex, NULL,
	  NULL },
	{ "to_utf8", "ZV", 1, 1, SAFE, 0, resolve_fixed, binary_to_utf8,
	  NULL, NULL },
	{ "from_utf8", "VZ", 1, 1, SAFE, 0, resolve_fixed, binary_from_utf8,
	  NULL, NULL },
	{ "xxhash64", "ZZ", 1, 1, SAFE, 0, resolve_fixed, binary_xxhash64,
	  NULL, NULL },
	{ NULL, NULL, 0, 0, 0, 0, NULL, NULL, NULL, NULL },
};

const char *function_name(const struct function *function)
{
	return function->name;
}

bool function_is_volatile(const struct function *function)
{
	return (function->flags & FUNCTION_CONTEXT) && !function->max_args;
}

static const struct function *next_named(const struct function *function,
					 const char *name)
{
	const struct function *end = functions + ARRAY_COUNT(functions) - 1;

	for (; ; function++) {
		if (function == end)
			function = more_functions;
		if (!function->name)
			return NULL;
		if (text_equal_nocase(function->name, name))
			return function;
	}
}

/* "extract_year" is year; the other way round is no function. */
static const struct function *first_named(const char *name)
{
	const struct function *function;

	if (strncasecmp(name, EXTRACT_PREFIX, strlen(EXTRACT_PREFIX)) != 0)
		return next_named(functions, name);
	function = next_named(functions, name + strlen(EXTRACT_PREFIX));
	return function && function->kernel == time_extract ? function : NULL;
}

static bool is_operator(const char *name)
{
	return strcmp(name, "negate") == 0 || strcmp(name, "like") == 0 ||
	       strcmp(name, "is distinct from") == 0 ||
	       !((name[0] >= 'a' && name[0] <= 'z') ||
		 (name[0] >= 'A' && name[0] <= 'Z') || name[0] == '_');
}

static bool is_comparison(const struct function *function)
{
	return function->resolve == resolve_compare;
}

static int type_failure(const struct function *function,
			const struct type *args, size_t arg_count,
			struct error *err)
{
	char name[TYPE_NAME_BYTES];
	struct text list = TEXT_INIT;

	for (size_t i = 0; i < arg_count; i++) {
		if (i)
			text_add_str(&list, is_comparison(function)
						    ? " with " : ", ");
		text_add_str(&list, type_name(&args[i], name));
	}
	if (is_comparison(function))
		error_set(err, ERROR_TYPE_MISMATCH, "cannot compare %s",
			  list.data ? list.data : "");
	else
		error_set(err, ERROR_TYPE_MISMATCH,
			  "%s %s does not take (%s)",
			  is_operator(function->name) ? "operator"
						      : "function",
			  function->name, list.data ? list.data : "");
	text_release(&list);
	error_hint(err, "no conversion between text, numbers, booleans and "
		   "dates is implicit: write CAST(... AS ...)");
	return ERROR_TYPE_MISMATCH;
}

static int arity_failure(const struct function *function, size_t arg_count,
			 struct error *err)
{
	const char *name = function->name;
	unsigned least = function->min_args, most = function->max_args;

	while ((function = next_named(function + 1, name))) {
		if (function->min_args < least)
			least = function->min_args;
		if (function->max_args > most)
			most = function->max_args;
	}
	if (most == MANY)
		return error_set(err, ERROR_ARITY, "function %s takes at "
				 "least %u arguments, not %zu", name, least,
				 arg_count);
	if (least == most)
		return error_set(err, ERROR_ARITY, "function %s takes %u "
				 "argument%s, not %zu", name, least,
				 least == 1 ? "" : "s", arg_count);
	return error_set(err, ERROR_ARITY, "function %s takes %u to %u "
			 "arguments, not %zu", name, least, most, arg_count);
}

int function_find(struct function_lookup *lookup, struct error *err)
{
	const struct function *first = first_named(lookup->name);
	const struct function *candidate = NULL;
	size_t count = lookup->arg_count;

	lookup->function = NULL;
	if (!first)
		return error_set(err, ERROR_UNSUPPORTED, "no function named "
				 "%s; see rowmerge-functions(5)", lookup->name);
	for (const struct function *f = first; f;
	     f = next_named(f + 1, first->name)) {
		struct function_query query = { f, lookup->args, count,
						lookup->wanted,
						&lookup->result,
						lookup->arena };

		if (count < f->min_args ||
		    (f->max_args != MANY && count > f->max_args))
			continue;
		candidate = f;
		if (f->resolve(&query)) {
			lookup->function = f;
			return 0;
		}
	}
	if (!candidate)
		return arity_failure(first, count, err);
	return type_failure(candidate, lookup->args, count, err);
}

int function_resolve(const char *name, const struct type *args,
		     size_t arg_count, const struct function **out,
		     struct type *wanted, struct type *result,
		     struct error *err)
{
	struct function_lookup lookup = { 0 };
	int rc;

	lookup.name = name;
	lookup.args = args;
	lookup.arg_count = arg_count;
	lookup.wanted = wanted;
	rc = function_find(&lookup, err);
	*out = lookup.function;
	if (!rc)
		*result = lookup.result;
	return rc;
}

/* Is there an instant in it, at any depth? */
static bool type_has_zone(const struct type *type)
{
	if (type->id == TYPE_TIMESTAMP_TZ)
		return true;
	for (size_t i = 0; i < type->field_count; i++)
		if (type_has_zone(&type->fields[i].type))
			return true;
	return false;
}

bool node_reads_context(const struct expr *node)
{
	bool has_zone = type_has_zone(&node->type);

	for (size_t i = 0; i < node->arg_count; i++)
		has_zone |= type_has_zone(&node->args[i]->type);
	if (node->kind == EXPR_CALL)
		return (node->function->flags & FUNCTION_CONTEXT) &&
		       (has_zone || !node->arg_count);
	return (node->kind == EXPR_CAST || node->kind == EXPR_TRY_CAST) &&
	       has_zone && node->args[0]->type.id != TYPE_UNKNOWN &&
	       !type_equal(&node->type, &node->args[0]->type);
}

bool node_can_fail(const struct expr *node)
{
	const struct type *type = &node->type;

	switch (node->kind) {
	case EXPR_CALL:
		if (compare_can_fail(node))
			return true;
		if (node->function->flags & FUNCTION_SAFE)
			return false;
		return !((node->function->flags & FUNCTION_FLOAT_SAFE) &&
			 (type->id == TYPE_REAL || type->id == TYPE_DOUBLE));
	case EXPR_CAST:
		return cast_can_fail(&node->args[0]->type, type,
				     node->is_assignment);
	case EXPR_SINGLE:
		return true;
	default:
		return false;
	}
}

bool expr_can_fail(const struct expr *expr)
{
	if (node_can_fail(expr))
		return true;
	if (expr->kind == EXPR_CALL &&
	    (expr->function->flags & FUNCTION_TRY))
		return false;
	for (size_t i = 0; i < expr->arg_count; i++) {
		if (expr_can_fail(expr->args[i]))
			return true;
	}
	return false;
}
