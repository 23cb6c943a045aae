/*
 * sql_text.c - a spec: its text, its statements, its lines
 *
 * Why:    messages show the line of the spec with a caret, long after it was
 *         parsed; so the text is kept with the tokens.
 * How:    lexed once; statements are the runs of tokens between ';'.
 */
#include "sql/sql_text.h"

/* A caret line shows at most so many bytes of the line. */
#define CARET_WINDOW_BYTES 120

static int split_statements(struct sql_script *script, struct error *err)
{
	size_t capacity = 0, first = 0;

	for (size_t i = 0; i <= script->token_count; i++) {
		if (i < script->token_count && script->tokens[i].kind != ';')
			continue;
		if (i > first) {
			if (!mem_grow((void **)&script->statements, &capacity,
				      script->statement_count,
				      sizeof(*script->statements)))
				return error_set(err, ERROR_NO_MEMORY,
						 "statements of %s",
						 script->name);
			script->statements[script->statement_count++] =
				(struct sql_range){ first, i };
		}
		first = i + 1;
	}
	return 0;
}

int sql_script_new(struct sql_script **out, const char *name,
		   const char *text, size_t length, struct error *err)
{
	struct sql_script *script;
	struct error ignored;
	int rc;

	*out = NULL;
	if (!err)
		err = &ignored;
	script = mem_zalloc(sizeof(*script));
	if (!script)
		return error_set(err, ERROR_NO_MEMORY, "script %s", name);
	arena_init(&script->names, 0);
	script->length = length;
	script->name = mem_strdup(name);
	script->text = mem_alloc(length + 1);
	if (!script->name || !script->text) {
		rc = error_set(err, ERROR_NO_MEMORY, "script %s", name);
		goto fail;
	}
	memcpy(script->text, text, length);
	script->text[length] = '\0';
	rc = sql_lex(script->name, script->text, length, &script->tokens,
		     &script->token_count, err);
	if (!rc)
		rc = split_statements(script, err);
	if (rc)
		goto fail;
	*out = script;
	return 0;

fail:
	sql_script_free(script);
	return rc;
}

const char *sql_script_name(const struct sql_script *script)
{
	return script->name;
}

void sql_script_free(struct sql_script *script)
{
	if (!script)
		return;
	arena_release(&script->names);
	mem_free(script->statements);
	mem_free(script->tokens);
	mem_free(script->text);
	mem_free(script->name);
	mem_free(script);
}

size_t sql_script_statement_count(const struct sql_script *script)
{
	return script->statement_count;
}

const char *sql_range_text(const struct sql_script *script,
			   const struct sql_range *range, size_t *length)
{
	const struct sql_token *first = &script->tokens[range->first];
	const struct sql_token *last = &script->tokens[range->end - 1];

	*length = last->start + last->length - first->start;
	return script->text + first->start;
}

static bool is_continuation(char c)
{
	return ((uint8_t)c & 0xc0) == 0x80;
}

bool sql_script_caret(const struct sql_script *script, uint64_t line,
		      uint64_t position, struct text *out)
{
	const char *start = script->text, *end = start + script->length;
	const char *stop, *from, *mark;

	if (!line || !position)
		return true;
	while (--line) {
		start = memchr(start, '\n', (size_t)(end - start));
		if (!start)
			return true;
		start++;
	}
	stop = memchr(start, '\n', (size_t)(end - start));
	if (!stop)
		stop = end;
	if (stop > start && stop[-1] == '\r')
		stop--;
	if (position - 1 > (uint64_t)(stop - start))
		position = (uint64_t)(stop - start) + 1;
	mark = start + (position - 1);
	from = start;
	if (mark - from > CARET_WINDOW_BYTES / 2)
		from = mark - CARET_WINDOW_BYTES / 2;
	while (from < mark && is_continuation(*from))
		from++;
	if (stop - from > CARET_WINDOW_BYTES)
		stop = from + CARET_WINDOW_BYTES;
	while (stop > mark && stop < end && is_continuation(*stop))
		stop--;
	text_add(out, from, (size_t)(stop - from));
	text_add_char(out, '\n');
	for (; from < mark; from++)
		if (!is_continuation(*from))
			text_add_char(out, *from == '\t' ? '\t' : ' ');
	return text_add_str(out, "^\n") && !out->failed;
}
