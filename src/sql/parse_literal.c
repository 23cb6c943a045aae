/*
 * parse_literal.c - constants of a spec as values
 *
 * Integers are INTEGER, BIGINT where they do not fit, and DECIMAL beyond;
 * 100.0 is DECIMAL(4,1), leading zeros do not count (Trino); 1e3 is DOUBLE.
 * TIMESTAMP '...' with an offset is a TIMESTAMP WITH TIME ZONE.
 */
#include "sql/parser.h"

/* The digits of a number token without underscores, sign in front. */
static char *number_text(struct sql_parser *parser, bool is_negative,
			 size_t *length)
{
	struct sql_token token = parser_peek(parser, 0);
	const char *data = parser->script->text + token.start;
	char *text = arena_alloc_bytes(parser->arena,
				       (size_t)token.length + 2);
	size_t at = 0;

	if (!text)
		return NULL;
	if (is_negative)
		text[at++] = '-';
	for (uint32_t i = 0; i < token.length; i++)
		if (data[i] != '_')
			text[at++] = data[i];
	text[at] = '\0';
	*length = at;
	return text;
}

/* Precision and scale of digits as written: "-0012.50" is (4,2). */
static bool decimal_shape(const char *text, size_t length,
			  unsigned *precision, unsigned *scale)
{
	size_t i = length && (*text == '-' || *text == '+') ? 1 : 0;
	size_t integral = 0, fraction = 0, digits = 0;
	bool has_point = false;

	for (; i < length; i++) {
		if (text[i] == '.' && !has_point) {
			has_point = true;
			continue;
		}
		if (text[i] < '0' || text[i] > '9')
			return false;
		digits++;
		if (has_point)
			fraction++;
		else if (integral || text[i] != '0')
			integral++;
	}
	if (!digits || integral + fraction > DECIMAL_MAX_PRECISION)
		return false;
	*scale = (unsigned)fraction;
	*precision = (unsigned)(integral + fraction);
	if (!*precision)
		*precision = 1;
	return true;
}

static int decimal_literal(const char *text, size_t length,
			   struct literal *out)
{
	unsigned precision, scale;
	char plain[DECIMAL_MAX_PRECISION * 2];
	size_t at = 0;

	if (!decimal_shape(text, length, &precision, &scale))
		return ERROR_CAST;
	/* only what parse_decimal must know: no leading zeros or plus */
	for (size_t i = 0; i < length; i++) {
		bool is_leading = text[i] == '0' &&
			(at == 0 || plain[at - 1] == '-') &&
			i + 1 < length && text[i + 1] != '.';

		if (text[i] == '+' || is_leading || at >= sizeof(plain))
			continue;
		if (text[i] == '.' && (at == 0 || plain[at - 1] == '-'))
			plain[at++] = '0';
		plain[at++] = text[i];
	}
	if (at && plain[at - 1] == '.')
		at--;
	*out = literal_null(type_decimal(precision, scale));
	out->is_null = false;
	return parse_decimal(plain, at, precision, scale, false,
			     &out->value.decimal);
}

static int integer_literal(const char *text, size_t length,
			   struct literal *out)
{
	int64_t value;

	if (parse_int64(text, length, &value))
		return decimal_literal(text, length, out);
	if (value >= INT32_MIN && value <= INT32_MAX) {
		*out = literal_null(type_of(TYPE_INTEGER));
		out->value.int32 = (int32_t)value;
	} else {
		*out = literal_null(type_of(TYPE_BIGINT));
		out->value.int64 = value;
	}
	out->is_null = false;
	return 0;
}

int parse_number(struct sql_parser *parser, bool is_negative,
		 struct literal *out)
{
	struct sql_place place = parser_place(parser, 0);
	uint16_t kind = parser_peek(parser, 0).kind;
	size_t length;
	char *text = number_text(parser, is_negative, &length);
	int rc;

	if (!text)
		return parser_no_memory(parser);
	if (kind == TOKEN_INTEGER) {
		rc = integer_literal(text, length, out);
	} else if (kind == TOKEN_DECIMAL) {
		rc = decimal_literal(text, length, out);
	} else {
		*out = literal_null(type_of(TYPE_DOUBLE));
		out->is_null = false;
		rc = parse_double(text, length, &out->value.real64);
	}
	if (rc) {
		sql_error(parser->err, ERROR_SYNTAX, &place,
			  "the number %.60s does not fit any type", text);
		if (kind != TOKEN_DOUBLE)
			error_hint(parser->err, "a DECIMAL has at most %d "
				   "digits", DECIMAL_MAX_PRECISION);
		return ERROR_SYNTAX;
	}
	parser->next++;
	return 0;
}

int parse_text_literal(struct sql_parser *parser, struct literal *out)
{
	struct sql_place place = parser_place(parser, 0);
	bool is_hex = parser_is_kind(parser, TOKEN_HEX_STRING);
	struct byte_view text;
	uint8_t *bytes;
	size_t length, at = 0;
	int rc = parse_string(parser, &text);

	if (rc)
		return rc;
	*out = literal_null(type_of(is_hex ? TYPE_VARBINARY : TYPE_VARCHAR));
	out->is_null = false;
	out->value.bytes = text;
	if (!is_hex)
		return 0;
	bytes = arena_alloc_bytes(parser->arena, text.length + 1);
	if (!bytes)
		return parser_no_memory(parser);
	/* blanks between the digits are allowed, a \x in front is not */
	for (size_t i = 0; i < text.length; i++)
		if (text.data[i] != ' ')
			bytes[at++] = text.data[i];
	if ((at && bytes[0] == '\\') ||
	    parse_hex((const char *)bytes, at, bytes, &length))
		return sql_error(parser->err, ERROR_SYNTAX, &place,
				 "X'...' needs an even number of hex digits");
	out->value.bytes = byte_view(bytes, length);
	return 0;
}

static int text_to_literal(struct sql_parser *parser, struct byte_view text,
			   struct type *type, bool has_numbers,
			   struct literal *out)
{
	const char *data = (const char *)text.data;
	int rc;

	if (type->id == TYPE_DECIMAL && !has_numbers)
		return decimal_literal(data, text.length, out);
	if (type->id == TYPE_TIMESTAMP) {
		int64_t us;

		rc = parse_timestamp(data, text.length, &us);
		if (rc == ERROR_CAST &&
		    !parse_timestamp_tz(data, text.length, NULL, &us)) {
			type->id = TYPE_TIMESTAMP_TZ;
			rc = 0;
		}
		*out = literal_null(*type);
		out->is_null = false;
		out->value.int64 = us;
		return rc;
	}
	/* without an offset it is a local time, in a zone that is known later */
	if (type->id == TYPE_TIMESTAMP_TZ) {
		const struct type local = type_of(TYPE_TIMESTAMP);

		if (!parse_value(data, text.length, &local, parser->arena,
				 out))
			return 0;
	}
	return parse_value(data, text.length, type, parser->arena, out);
}

int parse_typed_literal(struct sql_parser *parser, struct type *type,
			struct literal *out)
{
	struct sql_place place;
	struct byte_view text;
	size_t start = parser->next;
	uint32_t length;
	bool has_numbers = false;
	char name[TYPE_NAME_BYTES];
	int rc = parse_type(parser, type, &length);

	if (rc)
		return rc;
	for (size_t i = start; i < parser->next; i++)
		if (parser->script->tokens[i].kind == '(')
			has_numbers = true;
	place = parser_place(parser, 0);
	if (length)
		return parser_unsupported(parser, 0, "a length here");
	rc = parse_string(parser, &text);
	if (rc)
		return rc;
	rc = text_to_literal(parser, text, type, has_numbers, out);
	if (rc == ERROR_NO_MEMORY)
		return parser_no_memory(parser);
	if (rc)
		return sql_error(parser->err, ERROR_SYNTAX, &place,
				 "'%.60s' is not a %s", (const char *)text.data,
				 type_name(type, name));
	return 0;
}
