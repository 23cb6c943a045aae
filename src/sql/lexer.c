/*
 * lexer.c - the text of a spec as tokens
 *
 * Why:    quotes, comments and ';' are told apart once, before any grammar.
 * How:    one pass over bytes. Tokens point into the text; escapes are
 *         resolved by the parser, which knows what a token is for.
 * Limits: texts up to SQL_TEXT_LIMIT. Comments do not nest (as in Trino).
 *         Bytes past ASCII count as letters; the text must be UTF-8.
 */
#include "sql/lexer.h"

struct lexer {
	const char *file;
	const char *text;
	size_t length;
	size_t at;
	size_t line_start;
	uint32_t line;
	struct sql_token *tokens;
	size_t count;
	size_t capacity;
	struct error *err;
};

static int lex_error(struct lexer *lexer, size_t at, const char *what)
{
	error_set(lexer->err, ERROR_SYNTAX, "%s", what);
	return error_at(lexer->err, lexer->file, lexer->line,
			at - lexer->line_start + 1);
}

/* Length of the UTF-8 sequence at s, 0 if it is not well-formed. */
static size_t utf8_step(const uint8_t *s, size_t left)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 :
		   s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
	uint32_t code;

	if (n < 2 || n > left)
		return n <= left ? n : 0;
	code = s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < least[n] || code > 0x10ffff ||
	    (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return n;
}

bool sql_is_utf8(const char *text, size_t length, size_t *bad_at)
{
	const uint8_t *bytes = (const uint8_t *)text;

	for (size_t i = 0; i < length;) {
		size_t n = utf8_step(bytes + i, length - i);

		*bad_at = i;
		if (!n)
			return false;
		i += n;
	}
	return true;
}

static int check_utf8(struct lexer *lexer)
{
	size_t bad_at;

	if (sql_is_utf8(lexer->text, lexer->length, &bad_at))
		return 0;
	for (size_t i = 0; i < bad_at; i++) {
		if (lexer->text[i] != '\n')
			continue;
		lexer->line++;
		lexer->line_start = i + 1;
	}
	lex_error(lexer, bad_at, "the text is not valid UTF-8");
	return error_hint(lexer->err, "save the spec as UTF-8");
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (uint8_t)c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char lex_peek(const struct lexer *lexer, size_t ahead)
{
	size_t at = lexer->at + ahead;

	return at < lexer->length ? lexer->text[at] : 0;
}

static void skip_one(struct lexer *lexer)
{
	if (lexer->text[lexer->at] == '\n') {
		lexer->line++;
		lexer->line_start = lexer->at + 1;
	}
	lexer->at++;
}

static int skip_block_comment(struct lexer *lexer)
{
	struct lexer open = *lexer;

	lexer->at += 2;
	while (lexer->at + 1 < lexer->length) {
		if (lex_peek(lexer, 0) == '*' && lex_peek(lexer, 1) == '/') {
			lexer->at += 2;
			return 0;
		}
		skip_one(lexer);
	}
	return lex_error(&open, open.at, "a comment opened by /* never ends");
}

static int skip_blanks(struct lexer *lexer)
{
	while (lexer->at < lexer->length) {
		char c = lexer->text[lexer->at];

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r' ||
		    c == '\f' || c == '\v') {
			skip_one(lexer);
		} else if (c == '-' && lex_peek(lexer, 1) == '-') {
			while (lexer->at < lexer->length &&
			       lexer->text[lexer->at] != '\n')
				lexer->at++;
		} else if (c == '/' && lex_peek(lexer, 1) == '*') {
			int rc = skip_block_comment(lexer);

			if (rc)
				return rc;
		} else {
			break;
		}
	}
	return 0;
}

/* Past the closing quote; a doubled quote does not close. */
static int skip_quoted(struct lexer *lexer, char quote, const char *what)
{
	struct lexer open = *lexer;

	lexer->at++;
	while (lexer->at < lexer->length) {
		if (lexer->text[lexer->at] != quote) {
			skip_one(lexer);
		} else if (lex_peek(lexer, 1) == quote) {
			lexer->at += 2;
		} else {
			lexer->at++;
			return 0;
		}
	}
	return lex_error(&open, open.at, what);
}

static void skip_digits(struct lexer *lexer)
{
	while (is_digit(lex_peek(lexer, 0)) ||
	       (lex_peek(lexer, 0) == '_' && is_digit(lex_peek(lexer, 1))))
		lexer->at++;
}

static int lex_number(struct lexer *lexer, uint16_t *kind)
{
	size_t start = lexer->at;
	char sign;

	*kind = TOKEN_INTEGER;
	skip_digits(lexer);
	if (lex_peek(lexer, 0) == '.') {
		*kind = TOKEN_DECIMAL;
		lexer->at++;
		if (is_digit(lex_peek(lexer, 0)))
			skip_digits(lexer);
	}
	sign = lex_peek(lexer, 1);
	if ((lex_peek(lexer, 0) | 0x20) == 'e' &&
	    (is_digit(sign) || ((sign == '+' || sign == '-') &&
				is_digit(lex_peek(lexer, 2))))) {
		*kind = TOKEN_DOUBLE;
		lexer->at += 2;
		skip_digits(lexer);
	}
	if (is_letter(lex_peek(lexer, 0))) {
		lex_error(lexer, start, "a name must not start with a digit");
		return error_hint(lexer->err,
				  "put the name in double quotes");
	}
	return 0;
}

static int lex_symbol(struct lexer *lexer, uint16_t *kind)
{
	static const struct {
		char text[3];
		uint16_t kind;
	} pairs[] = {
		{ "<>", TOKEN_NOT_EQUAL }, { "!=", TOKEN_NOT_EQUAL },
		{ "<=", TOKEN_LESS_EQUAL }, { ">=", TOKEN_GREATER_EQUAL },
		{ "||", TOKEN_CONCAT }, { "=>", TOKEN_ARROW },
		{ "->", TOKEN_LAMBDA },
	};
	char c = lex_peek(lexer, 0);

	for (size_t i = 0; i < ARRAY_COUNT(pairs); i++) {
		if (c == pairs[i].text[0] &&
		    lex_peek(lexer, 1) == pairs[i].text[1]) {
			*kind = pairs[i].kind;
			lexer->at += 2;
			return 0;
		}
	}
	if (c == '`') {
		lex_error(lexer, lexer->at, "names are not quoted with `");
		return error_hint(lexer->err, "use double quotes: \"name\"");
	}
	if (c == ':' && lex_peek(lexer, 1) == ':') {
		lex_error(lexer, lexer->at, "there is no :: operator");
		return error_hint(lexer->err, "write CAST(value AS type)");
	}
	if (!c || !strchr("(),.;=<>+-*/%?[]:", c))
		return lex_error(lexer, lexer->at, "unexpected character");
	*kind = (uint8_t)c;
	lexer->at++;
	return 0;
}

static void skip_word(struct lexer *lexer)
{
	while (is_letter(lex_peek(lexer, 0)) || is_digit(lex_peek(lexer, 0)) ||
	       lex_peek(lexer, 0) == '$')
		lexer->at++;
}

static int lex_string(struct lexer *lexer, size_t prefix_length)
{
	lexer->at += prefix_length;
	return skip_quoted(lexer, '\'', "a text opened by ' never ends");
}

static int lex_token(struct lexer *lexer, uint16_t *kind)
{
	char c = lex_peek(lexer, 0), next = lex_peek(lexer, 1);

	if (c == '\'') {
		*kind = TOKEN_STRING;
		return lex_string(lexer, 0);
	}
	if ((c | 0x20) == 'x' && next == '\'') {
		*kind = TOKEN_HEX_STRING;
		return lex_string(lexer, 1);
	}
	if ((c | 0x20) == 'u' && next == '&' && lex_peek(lexer, 2) == '\'') {
		*kind = TOKEN_UNICODE_STRING;
		return lex_string(lexer, 2);
	}
	if (c == '"') {
		*kind = TOKEN_QUOTED_NAME;
		return skip_quoted(lexer, '"',
				   "a name opened by \" never ends");
	}
	if (is_letter(c)) {
		*kind = TOKEN_WORD;
		skip_word(lexer);
		return 0;
	}
	if (is_digit(c) || (c == '.' && is_digit(next)))
		return lex_number(lexer, kind);
	if (c == ':' && is_letter(next)) {
		*kind = TOKEN_PARAMETER;
		lexer->at++;
		skip_word(lexer);
		return 0;
	}
	return lex_symbol(lexer, kind);
}

static int lex_all(struct lexer *lexer)
{
	int rc = check_utf8(lexer);

	if (rc)
		return rc;
	if (lexer->length >= 3 && !memcmp(lexer->text, "\xef\xbb\xbf", 3))
		lexer->at = 3;
	for (;;) {
		struct sql_token token;

		rc = skip_blanks(lexer);
		if (rc || lexer->at >= lexer->length)
			return rc;
		token.start = (uint32_t)lexer->at;
		token.line = lexer->line;
		token.position = (uint32_t)(lexer->at - lexer->line_start) + 1;
		rc = lex_token(lexer, &token.kind);
		if (rc)
			return rc;
		token.length = (uint32_t)lexer->at - token.start;
		if (!mem_grow((void **)&lexer->tokens, &lexer->capacity,
			      lexer->count, sizeof(token)))
			return error_set(lexer->err, ERROR_NO_MEMORY,
					 "tokens of %s", lexer->file);
		lexer->tokens[lexer->count++] = token;
	}
}

int sql_lex(const char *file, const char *text, size_t length,
	    struct sql_token **out, size_t *count_out, struct error *err)
{
	struct lexer lexer = { 0 };
	int rc;

	*out = NULL;
	*count_out = 0;
	lexer.file = file;
	lexer.text = text;
	lexer.length = length;
	lexer.line = 1;
	lexer.err = err;
	if (length > SQL_TEXT_LIMIT)
		rc = lex_error(&lexer, 0, "the text is longer than 64 MiB");
	else
		rc = lex_all(&lexer);
	if (rc) {
		mem_free(lexer.tokens);
		return rc;
	}
	*out = lexer.tokens;
	*count_out = lexer.count;
	return 0;
}
