/*
 * parser.c - what every part of the grammar needs
 *
 * Why:    keywords are words until the grammar wants them to be more, so that
 *         a column may be called source, target or value.
 * How:    words are compared as they are met. Only the reserved words of
 *         Trino cannot be names without quotes.
 */
#include <stdio.h>
#include "sql/parser.h"

static const char *const reserved_words[] = {
	"ALTER", "AND", "AS", "BETWEEN", "BY", "CASE", "CAST", "CONSTRAINT",
	"CREATE", "CROSS", "CUBE", "CURRENT_CATALOG", "CURRENT_DATE",
	"CURRENT_PATH", "CURRENT_ROLE", "CURRENT_SCHEMA", "CURRENT_TIME",
	"CURRENT_TIMESTAMP", "CURRENT_USER", "DEALLOCATE", "DELETE",
	"DESCRIBE", "DISTINCT", "DROP", "ELSE", "END", "ESCAPE", "EXCEPT",
	"EXISTS", "EXTRACT", "FALSE", "FOR", "FROM", "FULL", "GROUP",
	"GROUPING", "HAVING", "IN", "INNER", "INSERT", "INTERSECT", "INTO",
	"IS", "JOIN", "LEFT", "LIKE", "LOCALTIME", "LOCALTIMESTAMP",
	"NATURAL", "NORMALIZE", "NOT", "NULL", "ON", "OR", "ORDER", "OUTER",
	"PREPARE", "RECURSIVE", "RIGHT", "ROLLUP", "SELECT", "SKIP", "TABLE",
	"THEN", "TRIM", "TRUE", "UESCAPE", "UNION", "UNNEST", "USING",
	"VALUES", "WHEN", "WHERE", "WITH",
};

/* Words that may follow a relation or an item; they are no alias unless AS
 * says so. */
static const char *const following_words[] = {
	"FETCH", "LIMIT", "OFFSET", "QUALIFY", "RETURNING", "SET",
	"TABLESAMPLE", "WINDOW",
};

/* What stands behind the last token: the ';', or the place right after it. */
static struct sql_token end_token(const struct sql_script *script, size_t end)
{
	struct sql_token token = { TOKEN_END, 0, 0, 1, 1 };

	if (end < script->token_count) {
		token = script->tokens[end];
	} else if (end > 0) {
		token = script->tokens[end - 1];
		for (uint32_t i = 0; i < token.length; i++) {
			token.position++;
			if (script->text[token.start + i] == '\n') {
				token.line++;
				token.position = 1;
			}
		}
		token.start += token.length;
	}
	token.kind = TOKEN_END;
	token.length = 0;
	return token;
}

void parser_init(struct sql_parser *parser, const struct sql_script *script,
		 const struct sql_range *range, struct arena *arena,
		 struct error *err)
{
	parser->script = script;
	parser->arena = arena;
	parser->next = range->first;
	parser->end = range->end;
	parser->end_token = end_token(script, range->end);
	parser->depth = 0;
	parser->deepest = 0;
	parser->type_depth = 0;
	parser->glued_colon = 0;
	parser->err = err;
}

struct sql_token parser_peek(const struct sql_parser *parser, size_t ahead)
{
	struct sql_token token;

	if (ahead >= parser->end - parser->next)
		return parser->end_token;
	token = parser->script->tokens[parser->next + ahead];
	if (parser->glued_colon && parser->next + ahead ==
				   parser->glued_colon - 1) {
		token.kind = TOKEN_WORD;
		token.start++;
		token.length--;
		token.position++;
	}
	return token;
}

struct sql_place parser_place(const struct sql_parser *parser, size_t ahead)
{
	struct sql_token token = parser_peek(parser, ahead);
	struct sql_place place = { parser->script->name, token.line,
				   token.position };

	return place;
}

bool parser_at_end(const struct sql_parser *parser)
{
	return parser->next >= parser->end;
}

static bool token_is_word(const struct sql_parser *parser,
			  const struct sql_token *token, const char *word,
			  size_t length)
{
	const char *text = parser->script->text + token->start;

	if (token->kind != TOKEN_WORD || token->length != length ||
	    ((text[0] ^ word[0]) & ~0x20))
		return false;
	for (size_t i = 0; i < length; i++) {
		char c = text[i];

		if (c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		if (c != word[i])
			return false;
	}
	return true;
}

bool parser_is_at(const struct sql_parser *parser, size_t ahead,
		  const char *word)
{
	struct sql_token token = parser_peek(parser, ahead);

	return token_is_word(parser, &token, word, strlen(word));
}

bool parser_is(const struct sql_parser *parser, const char *word)
{
	return parser_is_at(parser, 0, word);
}

/* Number of the words if all are there, else 0. */
static size_t count_words(const struct sql_parser *parser, const char *words)
{
	size_t count = 0;

	while (*words) {
		size_t length = strcspn(words, " ");
		struct sql_token token = parser_peek(parser, count);

		if (!token_is_word(parser, &token, words, length))
			return 0;
		count++;
		words += length;
		words += *words == ' ';
	}
	return count;
}

bool parser_is_all(const struct sql_parser *parser, const char *words)
{
	return count_words(parser, words) > 0;
}

bool parser_is_kind(const struct sql_parser *parser, uint16_t kind)
{
	return parser_peek(parser, 0).kind == kind;
}

bool parser_accept(struct sql_parser *parser, const char *words)
{
	size_t count = count_words(parser, words);

	parser->next += count;
	return count > 0;
}

bool parser_accept_kind(struct sql_parser *parser, uint16_t kind)
{
	if (!parser_is_kind(parser, kind))
		return false;
	parser->next++;
	return true;
}

int parser_expect(struct sql_parser *parser, const char *words)
{
	return parser_accept(parser, words) ? 0
					    : parser_expected(parser, words);
}

int parser_expect_kind(struct sql_parser *parser, uint16_t kind,
		       const char *what)
{
	return parser_accept_kind(parser, kind) ? 0
						: parser_expected(parser, what);
}

int parser_expected(const struct sql_parser *parser, const char *what)
{
	struct sql_token token = parser_peek(parser, 0);
	struct sql_place place = parser_place(parser, 0);
	const char *text = parser->script->text + token.start;
	int length = token.length > 40 ? 40 : (int)token.length;

	if (token.kind == TOKEN_END)
		return sql_error(parser->err, ERROR_SYNTAX, &place,
				 "the statement ends too early: expected %s",
				 what);
	while (length > 0 && (uint32_t)length < token.length &&
	       ((uint8_t)text[length] & 0xc0) == 0x80)
		length--;
	return sql_error(parser->err, ERROR_SYNTAX, &place,
			 "syntax error at %.*s: expected %s", length, text,
			 what);
}

int parser_unsupported(const struct sql_parser *parser, size_t ahead,
		       const char *what)
{
	struct sql_place place = parser_place(parser, ahead);

	return sql_error(parser->err, ERROR_UNSUPPORTED, &place,
			 "%s is not supported", what);
}

int parser_no_memory(const struct sql_parser *parser)
{
	return error_set(parser->err, ERROR_NO_MEMORY, "parsing %s",
			 parser->script->name);
}

int parser_enter(struct sql_parser *parser)
{
	struct sql_place place;

	if (parser->depth < SQL_DEPTH_LIMIT) {
		parser->depth++;
		return 0;
	}
	place = parser_place(parser, 0);
	return sql_error(parser->err, ERROR_SYNTAX, &place,
			 "nested deeper than %d levels", SQL_DEPTH_LIMIT);
}

void parser_leave(struct sql_parser *parser)
{
	parser->depth--;
}

void *parser_new(struct sql_parser *parser, size_t byte_count)
{
	void *memory = arena_zalloc(parser->arena, byte_count);

	if (!memory)
		parser_no_memory(parser);
	return memory;
}

int parser_add(struct sql_parser *parser, struct ast_list *list, void *item)
{
	if (ast_list_add(list, parser->arena, item))
		return 0;
	return parser_no_memory(parser);
}

static bool is_listed(const struct sql_parser *parser, size_t ahead,
		      const char *const *words, size_t count)
{
	struct sql_token token = parser_peek(parser, ahead);

	for (size_t i = 0; i < count; i++)
		if (token_is_word(parser, &token, words[i],
				  strlen(words[i])))
			return true;
	return false;
}

bool parser_is_name(const struct sql_parser *parser, size_t ahead)
{
	uint16_t kind = parser_peek(parser, ahead).kind;

	if (kind == TOKEN_WORD)
		return !is_listed(parser, ahead, reserved_words,
				  ARRAY_COUNT(reserved_words));
	return kind == TOKEN_QUOTED_NAME;
}

/* The bytes between the quotes, doubled quotes made one. */
static char *unquote(struct sql_parser *parser, const char *data,
		     size_t length, char quote, size_t *length_out)
{
	char *text = arena_alloc_bytes(parser->arena, length + 1);
	size_t at = 0;

	if (!text)
		return NULL;
	for (size_t i = 0; i < length; i++) {
		text[at++] = data[i];
		if (data[i] == quote)
			i++;
	}
	text[at] = '\0';
	*length_out = at;
	return text;
}

static int name_error(struct sql_parser *parser, const char *what)
{
	int rc = parser_expected(parser, what);

	if (parser_is_kind(parser, TOKEN_WORD))
		error_hint(parser->err, "a reserved word needs double quotes "
			   "to be a name");
	return rc;
}

int parse_name(struct sql_parser *parser, const char *what, const char **out)
{
	struct sql_token token = parser_peek(parser, 0);
	const char *text = parser->script->text + token.start;
	struct sql_place place = parser_place(parser, 0);
	size_t length = token.length;

	*out = NULL;
	if (!parser_is_name(parser, 0))
		return name_error(parser, what);
	if (token.kind == TOKEN_QUOTED_NAME)
		*out = unquote(parser, text + 1, length - 2, '"', &length);
	else
		*out = arena_strndup(parser->arena, text, length);
	if (!*out)
		return parser_no_memory(parser);
	if (!length || strlen(*out) != length)
		return sql_error(parser->err, ERROR_SYNTAX, &place, length ?
				 "a name must not contain NUL" :
				 "a name must not be empty");
	parser->next++;
	return 0;
}

bool parser_at_part(const struct sql_parser *parser)
{
	return parser_is_kind(parser, '.') &&
	       (parser_is_name(parser, 1) ||
		parser_peek(parser, 1).kind == TOKEN_WORD);
}

int parse_dotted_name(struct sql_parser *parser, const char *what,
		      struct ast_name *out)
{
	struct ast_list parts = { NULL, 0, 0 };

	memset(out, 0, sizeof(*out));
	out->place = parser_place(parser, 0);
	do {
		const char *part;
		int rc = parse_name(parser, parts.count ? "a name" : what,
				    &part);

		if (!rc)
			rc = parser_add(parser, &parts,
					(void *)(uintptr_t)part);
		if (rc)
			return rc;
	} while (parser_at_part(parser) && parser_accept_kind(parser, '.'));
	out->parts = (const char **)parts.items;
	out->count = parts.count;
	return 0;
}

int parse_alias(struct sql_parser *parser, const char **out)
{
	*out = NULL;
	if (parser_accept(parser, "AS"))
		return parse_name(parser, "an alias", out);
	if (!parser_is_name(parser, 0) ||
	    is_listed(parser, 0, following_words,
		      ARRAY_COUNT(following_words)))
		return 0;
	return parse_name(parser, "an alias", out);
}

int parse_column_names(struct sql_parser *parser,
		       struct ast_column_name ***out, size_t *count_out)
{
	struct ast_list list = { NULL, 0, 0 };
	int rc;

	*out = NULL;
	*count_out = 0;
	rc = parser_expect_kind(parser, '(', "(");
	if (rc)
		return rc;
	do {
		struct ast_column_name *column;

		column = parser_new(parser, sizeof(*column));
		if (!column)
			return ERROR_NO_MEMORY;
		column->place = parser_place(parser, 0);
		if (list.count >= SQL_COLUMN_LIMIT)
			return sql_error(parser->err, ERROR_UNSUPPORTED,
					 &column->place, "more than %d "
					 "columns", SQL_COLUMN_LIMIT);
		rc = parse_name(parser, "a column name", &column->name);
		if (!rc)
			rc = parser_add(parser, &list, column);
		if (rc)
			return rc;
	} while (parser_accept_kind(parser, ','));
	rc = parser_expect_kind(parser, ')', ", or )");
	if (rc)
		return rc;
	*out = (struct ast_column_name **)list.items;
	*count_out = list.count;
	return 0;
}

int parse_name_list(struct sql_parser *parser, const char ***out,
		    size_t *count_out)
{
	struct ast_column_name **columns;
	const char **names;
	size_t count;
	int rc;

	*out = NULL;
	*count_out = 0;
	rc = parse_column_names(parser, &columns, &count);
	if (rc)
		return rc;
	names = parser_new(parser, count * sizeof(*names));
	if (!names)
		return ERROR_NO_MEMORY;
	for (size_t i = 0; i < count; i++)
		names[i] = columns[i]->name;
	*out = names;
	*count_out = count;
	return 0;
}

/* U&'...': \XXXX and \+XXXXXX are code points, \\ is a backslash. */
static int unescape(struct sql_parser *parser, char *text, size_t *length)
{
	struct sql_place place = parser_place(parser, 0);
	size_t at = 0;

	for (size_t i = 0; i < *length;) {
		size_t digits = 4;
		uint32_t code = 0;

		if (text[i] != '\\') {
			text[at++] = text[i++];
			continue;
		}
		i++;
		if (i < *length && text[i] == '\\') {
			text[at++] = text[i++];
			continue;
		}
		if (i < *length && text[i] == '+') {
			digits = 6;
			i++;
		}
		for (; digits && i < *length; digits--, i++) {
			const char *hex = "0123456789abcdef";
			const char *d = text[i] ? strchr(hex, text[i] |
				(text[i] > '9' ? 0x20 : 0)) : NULL;

			if (!d)
				break;
			code = code << 4 | (uint32_t)(d - hex);
		}
		if (digits || !code || code > 0x10ffff ||
		    (code >= 0xd800 && code <= 0xdfff))
			return sql_error(parser->err, ERROR_SYNTAX, &place,
					 "bad escape in a U& text");
		/* at most 4 bytes for 5 or 8 read */
		if (code < 0x80) {
			text[at++] = (char)code;
		} else if (code < 0x800) {
			text[at++] = (char)(0xc0 | code >> 6);
			text[at++] = (char)(0x80 | (code & 0x3f));
		} else if (code < 0x10000) {
			text[at++] = (char)(0xe0 | code >> 12);
			text[at++] = (char)(0x80 | (code >> 6 & 0x3f));
			text[at++] = (char)(0x80 | (code & 0x3f));
		} else {
			text[at++] = (char)(0xf0 | code >> 18);
			text[at++] = (char)(0x80 | (code >> 12 & 0x3f));
			text[at++] = (char)(0x80 | (code >> 6 & 0x3f));
			text[at++] = (char)(0x80 | (code & 0x3f));
		}
	}
	text[at] = '\0';
	*length = at;
	return 0;
}

int parse_string(struct sql_parser *parser, struct byte_view *out)
{
	struct sql_token token = parser_peek(parser, 0);
	const char *data = parser->script->text + token.start;
	size_t prefix = token.kind == TOKEN_UNICODE_STRING ? 2 :
			token.kind == TOKEN_HEX_STRING ? 1 : 0;
	size_t length;
	char *text;
	int rc = 0;

	*out = byte_view(NULL, 0);
	if (token.kind != TOKEN_STRING && !prefix)
		return parser_expected(parser, "a quoted text");
	text = unquote(parser, data + prefix + 1, token.length - prefix - 2,
		       '\'', &length);
	if (!text)
		return parser_no_memory(parser);
	if (token.kind == TOKEN_UNICODE_STRING)
		rc = unescape(parser, text, &length);
	if (rc)
		return rc;
	parser->next++;
	*out = byte_view(text, length);
	return 0;
}
