/*
 * parse_layout.c - paths of columns, partition fields, sort orders
 *
 * How:    a term is a column, or a transform of one with its number in front
 *         (bucket(8, id), as Spark has it) or behind (bucket(id, 8), Trino).
 *         Whether the column exists and the transform suits it is decided by
 *         whoever knows the table. Trino's ARRAY['bucket(id, 8)'] holds terms
 *         as texts: each is lexed and parsed by itself.
 */
#include <stdio.h>
#include "sql/parser.h"

struct transform_word {
	const char *word;
	const char *transform;
	bool has_number;
};

static const struct transform_word transform_words[] = {
	{ "BUCKET", "bucket", true },
	{ "TRUNCATE", "truncate", true },
	{ "YEAR", "year", false },
	{ "YEARS", "year", false },
	{ "MONTH", "month", false },
	{ "MONTHS", "month", false },
	{ "DAY", "day", false },
	{ "DAYS", "day", false },
	{ "DATE", "day", false },
	{ "HOUR", "hour", false },
	{ "HOURS", "hour", false },
	{ "DATE_HOUR", "hour", false },
	{ "VOID", "void", false },
	{ "ALWAYS_NULL", "void", false },
	{ "IDENTITY", "identity", false },
};

int parse_column_path(struct sql_parser *parser, struct column_path *out)
{
	struct ast_name name;
	int rc = parse_dotted_name(parser, "a column", &name);

	out->parts = rc ? NULL : name.parts;
	out->count = rc ? 0 : name.count;
	return rc;
}

static const struct transform_word *find_word(const struct sql_parser *parser)
{
	for (size_t i = 0; i < ARRAY_COUNT(transform_words); i++)
		if (parser_is(parser, transform_words[i].word))
			return &transform_words[i];
	return NULL;
}

/* The N of bucket(N, c), from 1. */
static int parse_count(struct sql_parser *parser, int32_t *out)
{
	struct sql_place place = parser_place(parser, 0);
	struct literal number;
	int64_t value;
	int rc;

	if (!parser_is_kind(parser, TOKEN_INTEGER))
		return parser_expected(parser, "a whole number");
	rc = parse_number(parser, false, &number);
	if (rc)
		return rc;
	value = number.type.id == TYPE_INTEGER ? number.value.int32 :
		number.type.id == TYPE_BIGINT ? number.value.int64 : INT64_MAX;
	if (value < 1 || value > INT32_MAX)
		return sql_error(parser->err, ERROR_UNSUPPORTED, &place,
				 "the number of a transform is 1 to %d",
				 INT32_MAX);
	*out = (int32_t)value;
	return 0;
}

static int parse_arguments(struct sql_parser *parser,
			   const struct transform_word *word,
			   struct column_path *column, int32_t *number)
{
	bool number_first = word->has_number &&
			    parser_is_kind(parser, TOKEN_INTEGER);
	int rc = 0;

	if (number_first) {
		rc = parse_count(parser, number);
		if (!rc)
			rc = parser_expect_kind(parser, ',', ", and a column");
	}
	if (!rc)
		rc = parse_column_path(parser, column);
	if (!rc && word->has_number && !number_first) {
		rc = parser_expect_kind(parser, ',', ", and a number");
		if (!rc)
			rc = parse_count(parser, number);
	}
	return rc;
}

/* A column or a transform of one. */
static int parse_term(struct sql_parser *parser, struct column_path *column,
		      const char **transform)
{
	const struct transform_word *word;
	int32_t number = 0;
	char text[40];
	int rc;

	*transform = "identity";
	if (parser_peek(parser, 1).kind != '(')
		return parse_column_path(parser, column);
	word = find_word(parser);
	if (!word) {
		rc = parser_unsupported(parser, 0, "this transform");
		error_hint(parser->err, "there are bucket(N, c), truncate(W, "
			   "c), year(c), month(c), day(c), hour(c), void(c)");
		return rc;
	}
	parser->next += 2;
	rc = parse_arguments(parser, word, column, &number);
	if (!rc)
		rc = parser_expect_kind(parser, ')', ")");
	if (rc)
		return rc;
	*transform = word->transform;
	if (!word->has_number)
		return 0;
	snprintf(text, sizeof(text), "%s[%d]", word->transform, number);
	*transform = arena_strdup(parser->arena, text);
	return *transform ? 0 : parser_no_memory(parser);
}

int parse_partition_field(struct sql_parser *parser,
			  struct partition_term *out)
{
	struct sql_place place = parser_place(parser, 0);

	memset(out, 0, sizeof(*out));
	out->line = place.line;
	out->position = place.position;
	return parse_term(parser, &out->column, &out->transform);
}

int parse_partition_term(struct sql_parser *parser,
			 struct partition_term *out)
{
	int rc = parse_partition_field(parser, out);

	if (!rc && parser_accept(parser, "AS"))
		rc = parse_name(parser, "a name of the partition field",
				&out->name);
	return rc;
}

int parse_sort_term(struct sql_parser *parser, struct sort_term *out)
{
	struct sql_place place = parser_place(parser, 0);
	int rc;

	memset(out, 0, sizeof(*out));
	out->line = place.line;
	out->position = place.position;
	rc = parse_term(parser, &out->column, &out->transform);
	if (rc)
		return rc;
	out->descending = parser_accept(parser, "DESC");
	if (!out->descending)
		parser_accept(parser, "ASC");
	out->nulls_first = !out->descending;
	if (!parser_accept(parser, "NULLS"))
		return 0;
	out->nulls_first = parser_accept(parser, "FIRST");
	return out->nulls_first ? 0 : parser_expect(parser, "LAST");
}

/* Growing arrays of whole terms. */
static int add_partition_term(struct sql_parser *parser,
			      struct ast_layout *layout)
{
	struct partition_term *grown, term;
	int rc = parse_partition_term(parser, &term);

	if (rc)
		return rc;
	grown = parser_new(parser, (layout->partition_count + 1) *
			   sizeof(*grown));
	if (!grown)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < layout->partition_count; i++)
		grown[i] = layout->partition_terms[i];
	grown[layout->partition_count++] = term;
	layout->partition_terms = grown;
	return 0;
}

static int add_sort_term(struct sql_parser *parser, struct ast_layout *layout)
{
	struct sort_term *grown, term;
	int rc = parse_sort_term(parser, &term);

	if (rc)
		return rc;
	grown = parser_new(parser, (layout->sort_count + 1) * sizeof(*grown));
	if (!grown)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < layout->sort_count; i++)
		grown[i] = layout->sort_terms[i];
	grown[layout->sort_count++] = term;
	layout->sort_terms = grown;
	return 0;
}

/* One partition or sort term; refuses a list that is too long to be meant. */
static int add_term(struct sql_parser *parser, bool is_sort,
		    struct ast_layout *layout)
{
	size_t count = is_sort ? layout->sort_count : layout->partition_count;
	struct sql_place place = parser_place(parser, 0);

	if (count >= SQL_TERM_LIMIT)
		return sql_error(parser->err, ERROR_UNSUPPORTED, &place,
				 "more than %d %s", SQL_TERM_LIMIT, is_sort ?
				 "sort columns" : "partition fields");
	return is_sort ? add_sort_term(parser, layout)
		       : add_partition_term(parser, layout);
}

static int set_once(struct sql_parser *parser, bool is_sort,
		    struct ast_layout *layout)
{
	bool *has = is_sort ? &layout->has_sort : &layout->has_partitioning;
	struct sql_place place = parser_place(parser, 0);

	if (*has)
		return sql_error(parser->err, ERROR_SYNTAX, &place, is_sort ?
				 "the sort order is given twice" :
				 "the partitioning is given twice");
	*has = true;
	return 0;
}

int parse_term_list(struct sql_parser *parser, bool is_sort,
		    struct ast_layout *layout)
{
	int rc;

	do {
		rc = add_term(parser, is_sort, layout);
	} while (!rc && parser_accept_kind(parser, ','));
	return rc;
}

int parse_partitioned_by(struct sql_parser *parser, struct ast_layout *layout)
{
	int rc = set_once(parser, false, layout);

	if (!rc)
		rc = parser_expect_kind(parser, '(', "(");
	if (!rc)
		rc = parse_term_list(parser, false, layout);
	return rc ? rc : parser_expect_kind(parser, ')', ", or )");
}

int parse_ordered_by(struct sql_parser *parser, struct ast_layout *layout)
{
	bool has_paren = parser_accept_kind(parser, '(');
	int rc = set_once(parser, true, layout);

	if (rc)
		return rc;
	for (;;) {
		rc = add_term(parser, true, layout);
		if (rc)
			return rc;
		if (!parser_is_kind(parser, ',') ||
		    (!has_paren && parser_at_action(parser, 1)))
			break;
		parser->next++;
	}
	return has_paren ? parser_expect_kind(parser, ')', ", or )") : 0;
}

int parse_write_order(struct sql_parser *parser, struct ast_layout *layout)
{
	int rc;

	if (!parser_is(parser, "WRITE"))
		return parser_expected(parser, "WRITE");
	if (parser_is_all(parser, "WRITE DISTRIBUTED BY")) {
		rc = parser_unsupported(parser, 1, "DISTRIBUTED BY");
		error_hint(parser->err, "rows always go to the files of their "
			   "partition: WRITE ORDERED BY alone says the rest");
		return rc;
	}
	parser->next++;
	if (parser_accept(parser, "UNORDERED"))
		return set_once(parser, true, layout);
	/* files are sorted one by one, so LOCALLY is what ORDERED does */
	if (!parser_accept(parser, "LOCALLY ORDERED BY") &&
	    !parser_accept(parser, "ORDERED BY"))
		return parser_expected(parser, "ORDERED BY or UNORDERED");
	return parse_ordered_by(parser, layout);
}

/* The term read last stands there. */
static void put_at(struct ast_layout *layout, bool is_sort,
		   const struct sql_place *place)
{
	struct partition_term *field;
	struct sort_term *column;

	if (is_sort) {
		column = &layout->sort_terms[layout->sort_count - 1];
		column->line = place->line;
		column->position = place->position;
	} else {
		field = &layout->partition_terms[layout->partition_count - 1];
		field->line = place->line;
		field->position = place->position;
	}
}

/* The term that a text of Trino's ARRAY holds. */
static int parse_term_text(struct sql_parser *outer, bool is_sort,
			   struct ast_layout *layout)
{
	struct sql_place place = parser_place(outer, 0);
	struct sql_script *script;
	struct sql_parser parser;
	struct sql_range range;
	struct byte_view text;
	int rc = parse_string(outer, &text);

	if (rc)
		return rc;
	rc = sql_script_new(&script, is_sort ? "sorted_by" : "partitioning",
			    (const char *)text.data, text.length, outer->err);
	if (!rc) {
		range.first = 0;
		range.end = script->token_count;
		parser_init(&parser, script, &range, outer->arena, outer->err);
		rc = add_term(&parser, is_sort, layout);
		if (!rc && !parser_at_end(&parser))
			rc = parser_expected(&parser, "the end");
		sql_script_free(script);
	}
	if (rc)
		error_at(outer->err, place.file, place.line, place.position);
	else
		put_at(layout, is_sort, &place);
	return rc;
}

int parse_layout_array(struct sql_parser *parser, bool is_sort,
		       struct ast_layout *layout)
{
	int rc = set_once(parser, is_sort, layout);

	if (!rc)
		rc = parser_expect(parser, "ARRAY");
	if (!rc)
		rc = parser_expect_kind(parser, '[', "[");
	if (rc || parser_accept_kind(parser, ']'))
		return rc;
	do {
		rc = parse_term_text(parser, is_sort, layout);
	} while (!rc && parser_accept_kind(parser, ','));
	return rc ? rc : parser_expect_kind(parser, ']', ", or ]");
}
