/*
 * function_types.c - argument and result types of the functions
 *
 * Why:    Trino's typing rules, apart from the table of names.
 * How:    a resolver per family. Decimal precisions are computed as Trino
 *         does, cut to 38 digits; a scale over 38 does not fit.
 */
#include "expr/function_types.h"
#include "expr/kernel_arith.h"
#include "expr/kernel_compare.h"
#include "expr/kernel_math.h"
#include "expr/type_coerce.h"

static unsigned larger(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static struct type type_of_letter(char letter)
{
	switch (letter) {
	case 'V':
		return type_of(TYPE_VARCHAR);
	case 'Z':
		return type_of(TYPE_VARBINARY);
	case 'L':
		return type_of(TYPE_BOOLEAN);
	case 'I':
		return type_of(TYPE_INTEGER);
	case 'B':
		return type_of(TYPE_BIGINT);
	case 'F':
		return type_of(TYPE_DOUBLE);
	case 'D':
		return type_of(TYPE_DATE);
	case 'T':
		return type_of(TYPE_TIMESTAMP);
	default:
		return type_of(TYPE_TIMESTAMP_TZ);
	}
}

bool resolve_fixed(const struct function_query *query)
{
	const char *signature = query->function->signature;
	struct type text = type_of(TYPE_VARCHAR);

	*query->result = type_of_letter(signature[0]);
	if (signature[0] == 'A' &&
	    !type_array_of(query->arena, &text, query->result))
		return false;
	for (size_t i = 0; i < query->arg_count; i++) {
		query->wanted[i] = type_of_letter(signature[1 + i]);
		if (!type_coerces(&query->args[i], &query->wanted[i]))
			return false;
	}
	return true;
}

/* A number as operators take it: TINYINT as INTEGER. */
static bool number_type(const struct type *type, struct type *out)
{
	*out = *type;
	if (type->id == TYPE_TINYINT)
		*out = type_of(TYPE_INTEGER);
	return type_is_numeric(type);
}

static bool decimal_result(unsigned variant, const struct type *a,
			   const struct type *b, struct type *out)
{
	unsigned scale = larger(a->scale, b->scale);
	unsigned precision;

	switch (variant) {
	case ARITH_ADD:
	case ARITH_SUB:
		precision = scale + larger(a->precision - a->scale,
					   b->precision - b->scale) + 1;
		break;
	case ARITH_MUL:
		precision = a->precision + b->precision;
		scale = a->scale + b->scale;
		break;
	case ARITH_DIV:
		precision = a->precision + b->scale +
			    (b->scale > a->scale ? b->scale - a->scale : 0);
		break;
	default:
		precision = scale + smaller(a->precision - a->scale,
					    b->precision - b->scale);
		break;
	}
	precision = smaller(larger(precision, 1), DECIMAL_MAX_PRECISION);
	*out = type_decimal(precision, scale);
	return scale <= DECIMAL_MAX_PRECISION;
}

bool resolve_arith(const struct function_query *query)
{
	struct type a = query->args[0], b = query->args[1];

	if (a.id == TYPE_UNKNOWN)
		a = b;
	if (b.id == TYPE_UNKNOWN)
		b = a;
	if (a.id == TYPE_UNKNOWN)
		a = b = type_of(TYPE_INTEGER);
	if (!number_type(&a, &a) || !number_type(&b, &b) ||
	    !type_common(&a, &b, query->result))
		return false;
	if (query->result->id != TYPE_DECIMAL) {
		query->wanted[0] = query->wanted[1] = *query->result;
		return true;
	}
	query->wanted[0] = type_as_decimal(&a);
	query->wanted[1] = type_as_decimal(&b);
	return decimal_result(query->function->variant, &query->wanted[0],
			      &query->wanted[1], query->result);
}

bool resolve_same_number(const struct function_query *query)
{
	struct type type = query->args[0];

	if (type.id == TYPE_UNKNOWN)
		type = type_of(TYPE_INTEGER);
	if (!number_type(&type, &type))
		return false;
	query->wanted[0] = *query->result = type;
	return true;
}

bool resolve_sign(const struct function_query *query)
{
	if (!resolve_same_number(query))
		return false;
	if (query->result->id == TYPE_DECIMAL)
		*query->result = type_decimal(1, 0);
	return true;
}

bool resolve_round(const struct function_query *query)
{
	const struct type *type = &query->wanted[0];
	unsigned digits;

	if (!resolve_same_number(query))
		return false;
	if (type->id != TYPE_DECIMAL)
		return true;
	digits = type->precision - type->scale;
	if (query->function->variant != ROUND_TRUNC)
		digits += type->scale ? 1 : 0;
	*query->result = type_decimal(smaller(larger(digits, 1),
					      DECIMAL_MAX_PRECISION), 0);
	return true;
}

bool resolve_round_digits(const struct function_query *query)
{
	struct type *type = &query->wanted[0];

	if (!resolve_same_number(query))
		return false;
	query->wanted[1] = type_of(TYPE_INTEGER);
	if (!type_coerces(&query->args[1], &query->wanted[1]))
		return false;
	if (query->function->variant == ROUND_TRUNC)
		return type->id != TYPE_REAL && type->id != TYPE_DOUBLE;
	if (type->id == TYPE_DECIMAL)
		*query->result = type_decimal(
			smaller(type->precision + 1u, DECIMAL_MAX_PRECISION),
			type->scale);
	return true;
}

bool resolve_compare(const struct function_query *query)
{
	bool is_order = query->function->variant >= COMPARE_LT;
	struct type common;

	if (!type_unify(query->arena, &query->args[0], &query->args[1],
			&common))
		return false;
	if (common.id == TYPE_UNKNOWN)
		common = type_of(TYPE_BOOLEAN);
	if (is_order && !type_is_orderable(&common))
		return false;
	query->wanted[0] = query->wanted[1] = common;
	*query->result = type_of(TYPE_BOOLEAN);
	return true;
}

bool resolve_extreme(const struct function_query *query)
{
	struct type common = query->args[0];

	for (size_t i = 1; i < query->arg_count; i++) {
		if (!type_common(&common, &query->args[i], &common))
			return false;
	}
	if (common.id == TYPE_UNKNOWN)
		common = type_of(TYPE_BOOLEAN);
	if (type_is_nested(&common))
		return false;
	for (size_t i = 0; i < query->arg_count; i++)
		query->wanted[i] = common;
	*query->result = common;
	return true;
}

bool resolve_concat(const struct function_query *query)
{
	struct type type = type_of(TYPE_UNKNOWN);

	for (size_t i = 0; i < query->arg_count; i++) {
		if (!type_common(&type, &query->args[i], &type))
			return false;
	}
	if (type.id == TYPE_UNKNOWN)
		type = type_of(TYPE_VARCHAR);
	if (type.id == TYPE_FIXED)
		type = type_of(TYPE_VARBINARY);
	if (type.id != TYPE_VARCHAR && type.id != TYPE_VARBINARY)
		return false;
	for (size_t i = 0; i < query->arg_count; i++)
		query->wanted[i] = type;
	*query->result = type;
	return true;
}

bool resolve_all_text(const struct function_query *query)
{
	*query->result = type_of(TYPE_VARCHAR);
	for (size_t i = 0; i < query->arg_count; i++) {
		query->wanted[i] = *query->result;
		if (!type_coerces(&query->args[i], &query->wanted[i]))
			return false;
	}
	return true;
}

/* DATE, TIMESTAMP and TIMESTAMP WITH TIME ZONE; a bare NULL is a DATE. */
static bool is_date_type(const struct type *type, struct type *out)
{
	*out = *type;
	if (type->id == TYPE_UNKNOWN)
		*out = type_of(TYPE_DATE);
	return out->id == TYPE_DATE || out->id == TYPE_TIMESTAMP ||
	       out->id == TYPE_TIMESTAMP_TZ;
}

/* The first argument is the name of a unit. */
static bool wants_unit(const struct function_query *query)
{
	query->wanted[0] = type_of(TYPE_VARCHAR);
	return type_coerces(&query->args[0], &query->wanted[0]);
}

bool resolve_trunc(const struct function_query *query)
{
	if (!wants_unit(query) ||
	    !(query->args[1].id == TYPE_TIME ||
	      is_date_type(&query->args[1], &query->wanted[1])))
		return false;
	if (query->args[1].id == TYPE_TIME)
		query->wanted[1] = query->args[1];
	*query->result = query->wanted[1];
	return true;
}

bool resolve_date_add(const struct function_query *query)
{
	if (!wants_unit(query) ||
	    !is_date_type(&query->args[2], &query->wanted[2]))
		return false;
	query->wanted[1] = type_of(TYPE_BIGINT);
	*query->result = query->wanted[2];
	return type_coerces(&query->args[1], &query->wanted[1]);
}

bool resolve_date_diff(const struct function_query *query)
{
	struct type common;

	if (!wants_unit(query) ||
	    !type_common(&query->args[1], &query->args[2], &common) ||
	    !is_date_type(&common, &common))
		return false;
	query->wanted[1] = query->wanted[2] = common;
	*query->result = type_of(TYPE_BIGINT);
	return true;
}

bool resolve_date_field(const struct function_query *query)
{
	*query->result = type_of(TYPE_BIGINT);
	return is_date_type(&query->args[0], &query->wanted[0]);
}

bool resolve_time_field(const struct function_query *query)
{
	*query->result = type_of(TYPE_BIGINT);
	query->wanted[0] = query->args[0];
	if (query->args[0].id == TYPE_UNKNOWN)
		query->wanted[0] = type_of(TYPE_TIMESTAMP);
	return query->wanted[0].id == TYPE_TIME ||
	       query->wanted[0].id == TYPE_TIMESTAMP ||
	       query->wanted[0].id == TYPE_TIMESTAMP_TZ;
}

bool resolve_last_day(const struct function_query *query)
{
	*query->result = type_of(TYPE_DATE);
	return is_date_type(&query->args[0], &query->wanted[0]);
}

/* date(x) is CAST(x AS DATE). */
bool resolve_date(const struct function_query *query)
{
	*query->result = type_of(TYPE_DATE);
	query->wanted[0] = query->args[0];
	if (query->args[0].id == TYPE_VARCHAR)
		return true;
	return is_date_type(&query->args[0], &query->wanted[0]);
}
