/*
 * type_json.c - names of primitive types (iceberg.md 5)
 *
 * Why:    schemas name types by text: "int", "decimal(9, 2)", "fixed[16]".
 * Limits: types that have no SQL name here (nanoseconds, variant, geometry,
 *         unknown) are refused by name.
 */
#include "iceberg/schema_json.h"

static const struct {
	const char *name;
	enum type_id id;
} plain_types[] = {
	{ "boolean", TYPE_BOOLEAN },
	{ "int", TYPE_INTEGER },
	{ "long", TYPE_BIGINT },
	{ "float", TYPE_REAL },
	{ "double", TYPE_DOUBLE },
	{ "date", TYPE_DATE },
	{ "time", TYPE_TIME },
	{ "timestamp", TYPE_TIMESTAMP },
	{ "timestamptz", TYPE_TIMESTAMP_TZ },
	{ "string", TYPE_VARCHAR },
	{ "uuid", TYPE_UUID },
	{ "binary", TYPE_VARBINARY },
};

bool type_json_format(const struct type *type, struct text *out)
{
	for (size_t i = 0; i < ARRAY_COUNT(plain_types); i++)
		if (plain_types[i].id == type->id)
			return text_add_str(out, plain_types[i].name);
	if (type->id == TYPE_DECIMAL)
		return text_addf(out, "decimal(%u, %u)", type->precision,
				 type->scale);
	if (type->id == TYPE_FIXED)
		return text_addf(out, "fixed[%u]", (unsigned)type->length);
	return false;
}

static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* A number below a million with blanks around; NULL if there is none. */
static const char *read_number(const char *p, unsigned long limit,
			       unsigned long *out)
{
	const char *start;

	p = skip_blanks(p);
	start = p;
	*out = 0;
	for (; *p >= '0' && *p <= '9'; p++) {
		*out = *out * 10 + (unsigned)(*p - '0');
		if (*out > limit)
			return NULL;
	}
	return p == start ? NULL : skip_blanks(p);
}

/* The text behind name, without regard to case; NULL if it is another. */
static const char *after_name(const char *text, const char *name)
{
	for (; *name; name++, text++)
		if ((*text | 0x20) != *name)
			return NULL;
	return text;
}

static bool parse_decimal_type(const char *text, struct type *out)
{
	const char *p = after_name(text, "decimal");
	unsigned long precision, scale;

	if (!p || *skip_blanks(p) != '(')
		return false;
	p = read_number(skip_blanks(p) + 1, DECIMAL_MAX_PRECISION, &precision);
	if (!p || *p != ',')
		return false;
	p = read_number(p + 1, DECIMAL_MAX_PRECISION, &scale);
	if (!p || p[0] != ')' || p[1] || precision == 0 || scale > precision)
		return false;
	*out = type_decimal((unsigned)precision, (unsigned)scale);
	return true;
}

static bool parse_fixed_type(const char *text, struct type *out)
{
	const char *p = after_name(text, "fixed");
	unsigned long length;

	if (!p || *skip_blanks(p) != '[')
		return false;
	p = read_number(skip_blanks(p) + 1, INT32_MAX, &length);
	if (!p || p[0] != ']' || p[1])
		return false;
	*out = type_of(TYPE_FIXED);
	out->length = (uint32_t)length;
	return true;
}

int type_json_parse(struct type *out, const char *text, struct error *err)
{
	for (size_t i = 0; i < ARRAY_COUNT(plain_types); i++) {
		if (!text_equal_nocase(text, plain_types[i].name))
			continue;
		*out = type_of(plain_types[i].id);
		return 0;
	}
	if (parse_decimal_type(text, out) || parse_fixed_type(text, out))
		return 0;
	*out = type_of(TYPE_UNKNOWN);
	return error_set(err, ERROR_UNSUPPORTED,
			 "the Iceberg type \"%.60s\" is not supported", text);
}
