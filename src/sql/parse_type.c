/*
 * parse_type.c - names of types
 *
 * The names are Trino's with the aliases that users of PostgreSQL and Spark
 * write. FLOAT is PostgreSQL's: DOUBLE unless FLOAT(n) asks for 24 bits or
 * less. TIMESTAMP and TIME are in microseconds, so only (6) may be written.
 * Nested types are in parse_nested_type.c.
 */
#include "sql/parser.h"

static const struct type_word {
	const char *words;
	enum type_id id;
} type_words[] = {
	{ "BOOLEAN", TYPE_BOOLEAN }, { "BOOL", TYPE_BOOLEAN },
	{ "INTEGER", TYPE_INTEGER }, { "INT", TYPE_INTEGER },
	{ "INT4", TYPE_INTEGER },
	{ "BIGINT", TYPE_BIGINT }, { "INT8", TYPE_BIGINT },
	{ "LONG", TYPE_BIGINT },
	{ "REAL", TYPE_REAL }, { "FLOAT4", TYPE_REAL },
	{ "DOUBLE PRECISION", TYPE_DOUBLE }, { "DOUBLE", TYPE_DOUBLE },
	{ "FLOAT8", TYPE_DOUBLE }, { "FLOAT", TYPE_DOUBLE },
	{ "DECIMAL", TYPE_DECIMAL }, { "NUMERIC", TYPE_DECIMAL },
	{ "DEC", TYPE_DECIMAL },
	{ "DATE", TYPE_DATE }, { "TIME", TYPE_TIME },
	{ "TIMESTAMPTZ", TYPE_TIMESTAMP_TZ }, { "TIMESTAMP", TYPE_TIMESTAMP },
	{ "VARCHAR", TYPE_VARCHAR }, { "CHARACTER VARYING", TYPE_VARCHAR },
	{ "CHAR VARYING", TYPE_VARCHAR }, { "TEXT", TYPE_VARCHAR },
	{ "STRING", TYPE_VARCHAR },
	{ "VARBINARY", TYPE_VARBINARY }, { "BINARY VARYING", TYPE_VARBINARY },
	{ "BYTEA", TYPE_VARBINARY }, { "BINARY", TYPE_VARBINARY },
	{ "BLOB", TYPE_VARBINARY },
	{ "UUID", TYPE_UUID },
};

static const char *const unsupported_types[] = {
	"TINYINT", "SMALLINT", "CHAR", "CHARACTER", "JSON", "INTERVAL",
	"FIXED", "BIT", "MONEY", "VARIANT", "GEOMETRY", "NUMBER", "DATETIME",
};

static const struct type_word *find_type(const struct sql_parser *parser,
					 size_t *count)
{
	for (size_t i = 0; i < ARRAY_COUNT(type_words); i++) {
		if (!parser_is_all(parser, type_words[i].words))
			continue;
		*count = strchr(type_words[i].words, ' ') ? 2 : 1;
		return &type_words[i];
	}
	return NULL;
}

bool parser_at_type(const struct sql_parser *parser, size_t ahead)
{
	struct sql_parser at = *parser;
	size_t count;

	if (parser_peek(parser, ahead).kind != TOKEN_WORD)
		return false;
	if (parser_at_nested_type(parser, ahead))
		return true;
	at.next += ahead;
	if (find_type(&at, &count))
		return true;
	for (size_t i = 0; i < ARRAY_COUNT(unsupported_types); i++)
		if (parser_is(&at, unsupported_types[i]))
			return true;
	return false;
}

static int unknown_type(struct sql_parser *parser)
{
	struct name_guess guess;
	const char *name;
	int rc;

	for (size_t i = 0; i < ARRAY_COUNT(unsupported_types); i++) {
		char what[32] = "type ";

		if (!parser_is(parser, unsupported_types[i]))
			continue;
		strcat(what, unsupported_types[i]);
		parser_unsupported(parser, 0, what);
		return error_hint(parser->err,
			"the types are BOOLEAN, INTEGER, BIGINT, REAL, "
			"DOUBLE, DECIMAL(p,s), DATE, TIME, TIMESTAMP, "
			"TIMESTAMP WITH TIME ZONE, VARCHAR, VARBINARY, UUID, "
			"ROW(name type, ...), ARRAY(type), MAP(key, value)");
	}
	rc = parser_expected(parser, "a type");
	if (!parser_is_name(parser, 0))
		return rc;
	/* keep the message while the name is read */
	name = arena_strndup(parser->arena, parser->script->text +
			     parser_peek(parser, 0).start,
			     parser_peek(parser, 0).length);
	if (!name)
		return parser_no_memory(parser);
	name_guess_init(&guess, name);
	for (size_t i = 0; i < ARRAY_COUNT(type_words); i++)
		name_guess_offer(&guess, type_words[i].words);
	name_guess_hint(&guess, parser->err, NULL);
	return rc;
}

/* "(12)" or "(12, 3)": at most two small numbers. */
static int parse_type_numbers(struct sql_parser *parser, uint32_t numbers[2],
			      size_t *count)
{
	int rc;

	*count = 0;
	if (!parser_accept_kind(parser, '('))
		return 0;
	do {
		struct sql_token token = parser_peek(parser, 0);
		uint64_t value = 0;

		if (token.kind != TOKEN_INTEGER || *count == 2)
			return parser_expected(parser, *count == 2 ?
					       ")" : "a number");
		for (uint32_t i = 0; i < token.length; i++) {
			char c = parser->script->text[token.start + i];

			if (c == '_')
				continue;
			value = value * 10 + (uint64_t)(c - '0');
			if (value > UINT32_MAX)
				return parser_expected(parser,
						       "a smaller number");
		}
		numbers[(*count)++] = (uint32_t)value;
		parser->next++;
	} while (parser_accept_kind(parser, ','));
	rc = parser_expect_kind(parser, ')', ")");
	return rc;
}

static int decimal_type(struct sql_parser *parser,
			const struct sql_place *place,
			const uint32_t numbers[2], size_t count,
			struct type *out)
{
	uint32_t precision = count ? numbers[0] : DECIMAL_MAX_PRECISION;
	uint32_t scale = count == 2 ? numbers[1] : 0;

	if (precision < 1 || precision > DECIMAL_MAX_PRECISION)
		return sql_error(parser->err, ERROR_UNSUPPORTED, place,
				 "a DECIMAL has 1 to %d digits, not %u",
				 DECIMAL_MAX_PRECISION, precision);
	if (scale > precision)
		return sql_error(parser->err, ERROR_UNSUPPORTED, place,
				 "the scale %u of a DECIMAL is larger than "
				 "its precision %u", scale, precision);
	*out = type_decimal(precision, scale);
	return 0;
}

/* TIMESTAMP [(6)] [WITH | WITHOUT TIME ZONE] and TIME. */
static int time_type(struct sql_parser *parser, const struct sql_place *place,
		     const uint32_t *numbers, size_t count, struct type *out)
{
	if (count && (count > 1 || numbers[0] != 6)) {
		sql_error(parser->err, ERROR_UNSUPPORTED, place,
			  "a time precision other than 6 is not supported");
		return error_hint(parser->err, "times are kept in "
			"microseconds: leave the precision out");
	}
	if (parser_accept(parser, "WITHOUT TIME ZONE"))
		return 0;
	if (!parser_is_all(parser, "WITH TIME ZONE"))
		return 0;
	if (out->id == TYPE_TIME)
		return parser_unsupported(parser, 0, "TIME WITH TIME ZONE");
	parser_accept(parser, "WITH TIME ZONE");
	out->id = TYPE_TIMESTAMP_TZ;
	return 0;
}

int parse_plain_type(struct sql_parser *parser, struct type *out,
		     uint32_t *length)
{
	struct sql_place place = parser_place(parser, 0);
	const struct type_word *word;
	uint32_t numbers[2] = { 0, 0 };
	size_t count;
	int rc;

	*length = 0;
	word = find_type(parser, &count);
	if (!word)
		return unknown_type(parser);
	*out = type_of(word->id);
	parser->next += count;
	rc = parse_type_numbers(parser, numbers, &count);
	if (rc)
		return rc;
	switch (word->id) {
	case TYPE_DECIMAL:
		return decimal_type(parser, &place, numbers, count, out);
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		rc = time_type(parser, &place, numbers, count, out);
		break;
	case TYPE_VARCHAR:
		if (count == 2 || (count && !numbers[0]))
			return sql_error(parser->err, ERROR_SYNTAX, &place,
					 "VARCHAR takes one length");
		*length = numbers[0];
		break;
	case TYPE_DOUBLE:
		if (count == 1 && !strcmp(word->words, "FLOAT") &&
		    numbers[0] >= 1 && numbers[0] <= 53) {
			if (numbers[0] <= 24)
				out->id = TYPE_REAL;
			break;
		}
		/* fallthrough */
	default:
		if (count)
			return sql_error(parser->err, ERROR_SYNTAX, &place,
					 "type %s takes no such numbers",
					 word->words);
	}
	return rc;
}

int parse_type(struct sql_parser *parser, struct type *out, uint32_t *length)
{
	int rc = parser_at_nested_type(parser, 0) ?
		parse_nested_type(parser, out, length) :
		parse_plain_type(parser, out, length);

	return rc ? rc : parse_array_suffix(parser, out);
}

size_t parser_typed_literal_tokens(const struct sql_parser *parser)
{
	uint16_t next = parser_peek(parser, 1).kind;
	size_t count;

	if (next != TOKEN_STRING && next != TOKEN_WORD && next != '(')
		return 0;
	if (!find_type(parser, &count))
		return 0;
	if (parser_peek(parser, count).kind == '(') {
		while (parser_peek(parser, count).kind == '(' ||
		       parser_peek(parser, count).kind == ',' ||
		       parser_peek(parser, count).kind == TOKEN_INTEGER)
			count++;
		if (parser_peek(parser, count++).kind != ')')
			return 0;
	}
	if (parser_is_at(parser, count, "WITH") &&
	    parser_is_at(parser, count + 1, "TIME") &&
	    parser_is_at(parser, count + 2, "ZONE"))
		count += 3;
	return parser_peek(parser, count).kind == TOKEN_STRING ? count : 0;
}
