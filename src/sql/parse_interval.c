/*
 * parse_interval.c - INTERVAL '3' DAY beside + and -
 *
 * An interval is no value here: it is a count of one unit, and what it is
 * added to or subtracted from becomes a call of date_add(). So dates take
 * days and months alone, and the last day of a month stays one, as in Trino.
 * A compound interval counts its smallest whole unit: months, or
 * milliseconds (microseconds where it has such a fraction).
 */
#include "sql/parser.h"

enum interval_field {
	FIELD_YEAR, FIELD_MONTH, FIELD_DAY, FIELD_HOUR, FIELD_MINUTE,
	FIELD_SECOND, FIELD_COUNT
};

static const struct {
	const char *word;
	const char *unit;
	int64_t us;	/* 0 = a count of months */
	int64_t limit;	/* of one behind another in '1 02:03:04' */
} fields[FIELD_COUNT] = {
	{ "YEAR", "year", 0, 0 },
	{ "MONTH", "month", 0, 12 },
	{ "DAY", "day", INT64_C(86400000000), 0 },
	{ "HOUR", "hour", INT64_C(3600000000), 24 },
	{ "MINUTE", "minute", 60000000, 60 },
	{ "SECOND", "second", 1000000, 60 },
};

/* What stands between a field and the next: '1-2', '3 04:05:06'. */
static const char separators[FIELD_COUNT] = { '-', 0, ' ', ':', ':', 0 };

/* A text that is read from its start. */
struct cursor {
	const char *data;
	const char *end;
};

static bool take_number(struct cursor *text, int64_t *out)
{
	const char *start = text->data;

	while (text->data < text->end && *text->data >= '0' &&
	       *text->data <= '9')
		text->data++;
	return !parse_int64(start, (size_t)(text->data - start), out);
}

/* A point and up to six digits, in microseconds; 0 without. */
static bool take_fraction(struct cursor *text, int64_t *out)
{
	int64_t scale = 1000000;

	*out = 0;
	if (text->data == text->end || *text->data != '.')
		return true;
	text->data++;
	while (scale > 1 && text->data < text->end && *text->data >= '0' &&
	       *text->data <= '9') {
		scale /= 10;
		*out += (*text->data++ - '0') * scale;
	}
	return scale < 1000000;
}

/* Several fields as one number, of months or of microseconds. */
static bool parse_compound(struct cursor text, enum interval_field first,
			   enum interval_field last, int64_t *out)
{
	int64_t fraction = 0;

	*out = 0;
	for (int i = first; i <= (int)last; i++) {
		int64_t number, weight = fields[i].us;

		if (!weight)
			weight = i == FIELD_YEAR ? 12 : 1;
		if (i > (int)first && (text.data == text.end ||
				       *text.data++ != separators[i - 1]))
			return false;
		if (!take_number(&text, &number) ||
		    (i > (int)first && number >= fields[i].limit) ||
		    __builtin_mul_overflow(number, weight, &number) ||
		    __builtin_add_overflow(*out, number, out))
			return false;
	}
	if (last == FIELD_SECOND && !take_fraction(&text, &fraction))
		return false;
	return text.data == text.end &&
	       !__builtin_add_overflow(*out, fraction, out);
}

/* The count and its unit of what is written; false when it is no interval. */
static bool interval_value(struct cursor text, enum interval_field first,
			   enum interval_field last, int64_t *count,
			   const char **unit)
{
	bool is_plain = first == last && first != FIELD_SECOND;

	if (is_plain) {
		*unit = fields[first].unit;
		return take_number(&text, count) && text.data == text.end;
	}
	if (!parse_compound(text, first, last, count))
		return false;
	if (!fields[first].us) {
		*unit = "month";
	} else if (first == last && *count % 1000000 == 0) {
		*unit = "second";
		*count /= 1000000;
	} else if (*count % 1000 == 0) {
		*unit = "millisecond";
		*count /= 1000;
	} else {
		*unit = "microsecond";
	}
	return true;
}

static int parse_field(struct sql_parser *parser, enum interval_field *out)
{
	for (int i = 0; i < FIELD_COUNT; i++)
		if (parser_accept(parser, fields[i].word)) {
			*out = (enum interval_field)i;
			return 0;
		}
	return parser_expected(parser, "YEAR, MONTH, DAY, HOUR, MINUTE or "
			       "SECOND behind the INTERVAL");
}

static int literal_new(struct sql_parser *parser,
		       const struct sql_place *place,
		       const struct literal *literal, struct ast_expr **out)
{
	int rc = ast_expr_new(parser, AST_LITERAL, place, NULL, out);

	if (!rc)
		(*out)->literal = *literal;
	return rc;
}

static int interval_new(struct sql_parser *parser, const char *unit,
			const struct sql_place *place, struct ast_expr *count,
			struct ast_expr **out)
{
	struct ast_list args = { NULL, 0, 0 };
	int rc = parser_add(parser, &args, count);

	*out = NULL;
	if (!rc)
		rc = ast_expr_new(parser, AST_INTERVAL, place, &args, out);
	if (!rc)
		(*out)->text = unit;
	return rc;
}

bool parser_at_interval(const struct sql_parser *parser)
{
	uint16_t next = parser_peek(parser, 1).kind;

	return parser_is(parser, "INTERVAL") &&
	       (next == TOKEN_STRING ||
		((next == '-' || next == '+') &&
		 parser_peek(parser, 2).kind == TOKEN_STRING));
}

int parse_interval(struct sql_parser *parser, struct ast_expr **out)
{
	struct sql_place place = parser_place(parser, 0), text_place;
	struct literal literal = literal_null(type_of(TYPE_BIGINT));
	enum interval_field first = FIELD_DAY, last;
	struct ast_expr *count;
	struct byte_view text;
	struct cursor cursor;
	const char *unit;
	bool is_negative;
	int rc;

	*out = NULL;
	parser->next++;
	is_negative = parser_accept_kind(parser, '-');
	if (!is_negative)
		parser_accept_kind(parser, '+');
	text_place = parser_place(parser, 0);
	rc = parse_string(parser, &text);
	if (!rc)
		rc = parse_field(parser, &first);
	last = first;
	if (!rc && parser_accept(parser, "TO"))
		rc = parse_field(parser, &last);
	if (rc)
		return rc;
	cursor.data = (const char *)text.data;
	cursor.end = cursor.data + text.length;
	if (cursor.data < cursor.end && *cursor.data == '-') {
		is_negative = !is_negative;
		cursor.data++;
	}
	if (last < first || !fields[first].us != !fields[last].us ||
	    !interval_value(cursor, first, last, &literal.value.int64, &unit))
		return sql_error(parser->err, ERROR_SYNTAX, &text_place,
				 "'%.60s' is not an INTERVAL %s%s%s",
				 (const char *)text.data, fields[first].word,
				 first == last ? "" : " TO ",
				 first == last ? "" : fields[last].word);
	literal.is_null = false;
	if (is_negative)
		literal.value.int64 = -literal.value.int64;
	rc = literal_new(parser, &text_place, &literal, &count);
	return rc ? rc : interval_new(parser, unit, &place, count, out);
}

/* value moved by an interval, the other way for '-'. */
static int moved_value(struct sql_parser *parser,
		       const struct sql_place *place, bool is_minus,
		       struct ast_expr *value, const struct ast_expr *interval,
		       struct ast_expr **out)
{
	struct literal unit = literal_null(type_of(TYPE_VARCHAR));
	struct ast_expr *args[3] = { NULL, interval->args[0], value };
	int rc = 0;

	unit.is_null = false;
	unit.value.bytes = byte_view((const uint8_t *)interval->text,
				     strlen(interval->text));
	if (is_minus) {
		struct ast_expr *const count[3] = { args[1], NULL, NULL };

		rc = ast_call_new(parser, "negate", place, count, &args[1]);
	}
	if (!rc)
		rc = literal_new(parser, &interval->place, &unit, &args[0]);
	return rc ? rc : ast_call_new(parser, "date_add", place, args, out);
}

int interval_operation(struct sql_parser *parser, const char *name,
		       const struct sql_place *place,
		       struct ast_expr *const args[3], struct ast_expr **out)
{
	struct ast_expr *left = args[0], *right = args[1];
	bool is_left = left->kind == AST_INTERVAL;
	bool both = is_left && right && right->kind == AST_INTERVAL;
	struct ast_expr *interval = is_left ? left : right;
	struct ast_expr *count = interval->args[0];
	int rc;

	if (!right || (*name == '*' && !both)) {
		struct ast_expr *const factors[3] = {
			count, !right ? NULL : is_left ? right : left, NULL
		};

		rc = ast_call_new(parser, name, place, factors, &count);
		return rc ? rc : interval_new(parser, interval->text,
					      &interval->place, count, out);
	}
	if (both || !(*name == '+' || (*name == '-' && !is_left)))
		return sql_error(parser->err, ERROR_UNSUPPORTED, place,
				 "%s does not take an INTERVAL like that",
				 name);
	return moved_value(parser, place, *name == '-', is_left ? right : left,
			   interval, out);
}
