#ifndef SQL_LEXER_H
#define SQL_LEXER_H
#include "util/util.h"

/*
 * The words of a spec. A symbol of one character has that character as its
 * kind.
 */
enum sql_token_kind {
	TOKEN_END = 0,
	TOKEN_WORD = 256,	/* identifier or keyword without quotes */
	TOKEN_QUOTED_NAME,	/* "..." */
	TOKEN_STRING,		/* '...' */
	TOKEN_UNICODE_STRING,	/* U&'...' */
	TOKEN_HEX_STRING,	/* X'...' */
	TOKEN_INTEGER,		/* 12, 1_000 */
	TOKEN_DECIMAL,		/* 1.5, .5, 1. */
	TOKEN_DOUBLE,		/* 1e3 */
	TOKEN_PARAMETER,	/* :name */
	TOKEN_NOT_EQUAL,	/* <> != */
	TOKEN_LESS_EQUAL,
	TOKEN_GREATER_EQUAL,
	TOKEN_CONCAT,		/* || */
	TOKEN_ARROW,		/* => */
	TOKEN_LAMBDA,		/* -> */
};

struct sql_token {
	uint16_t kind;
	uint32_t start;		/* bytes from the start of the text */
	uint32_t length;
	uint32_t line;		/* from 1 */
	uint32_t position;	/* bytes in the line, from 1 */
};

#define SQL_TEXT_LIMIT (64u << 20)

/*
 * Split a text into tokens (comments and blanks are dropped); *out is freed
 * with mem_free. file is for messages. Errors: ERROR_SYNTAX.
 */
int sql_lex(const char *file, const char *text, size_t length,
	    struct sql_token **out, size_t *count_out, struct error *err);
/* Is it well-formed UTF-8? *bad_at is the first byte that is not. */
bool sql_is_utf8(const char *text, size_t length, size_t *bad_at);
#endif
