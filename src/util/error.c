/*
 * error.c - what went wrong, in words and by a stable name
 *
 * Why:    scripts act on the name and the exit status, people on the text,
 *         the place and the hint; all of them travel in one plain struct.
 * How:    a table from code to name; the exit status follows from the band
 *         of numbers that a code lies in. Texts are formatted beside the
 *         struct and copied in, so an argument may point into the struct.
 * Cost:   error paths only.
 * Limits: texts longer than their array are cut, never inside a character.
 */
#include "util/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "util/interrupt.h"

static const struct {
	enum error_code code;
	const char *name;
	const char *exception;
} error_table[] = {
	{ ERROR_NONE, "NONE", NULL },
	{ ERROR_IO, "IO", NULL },
	{ ERROR_NO_SPACE, "NO_SPACE", NULL },
	{ ERROR_CORRUPT, "CORRUPT", NULL },
	{ ERROR_NO_MEMORY, "NO_MEMORY", NULL },
	{ ERROR_INTERNAL, "INTERNAL", NULL },
	{ ERROR_USAGE, "USAGE", NULL },
	{ ERROR_SYNTAX, "SYNTAX", NULL },
	{ ERROR_UNKNOWN_TABLE, "UNKNOWN_TABLE", NULL },
	{ ERROR_TABLE_EXISTS, "TABLE_EXISTS", NULL },
	{ ERROR_MOVED_TABLE, "MOVED_TABLE", NULL },
	{ ERROR_UNKNOWN_VERSION, "UNKNOWN_VERSION", NULL },
	{ ERROR_UNKNOWN_COLUMN, "UNKNOWN_COLUMN", NULL },
	{ ERROR_COLUMN_EXISTS, "COLUMN_EXISTS", NULL },
	{ ERROR_INCOMPATIBLE_CHANGE, "INCOMPATIBLE_CHANGE", NULL },
	{ ERROR_UNSET_PARAMETER, "UNSET_PARAMETER", NULL },
	{ ERROR_AMBIGUOUS_COLUMN, "AMBIGUOUS_COLUMN", NULL },
	{ ERROR_DUPLICATE_ASSIGNMENT, "DUPLICATE_ASSIGNMENT", NULL },
	{ ERROR_ARITY, "ARITY", NULL },
	{ ERROR_TYPE_MISMATCH, "TYPE_MISMATCH", NULL },
	{ ERROR_UNSUPPORTED, "UNSUPPORTED", NULL },
	{ ERROR_NOT_SUPPORTED, "NOT_SUPPORTED", NULL },
	{ ERROR_CAST, "CAST", NULL },
	{ ERROR_OVERFLOW, "OVERFLOW", NULL },
	{ ERROR_DIVISION_BY_ZERO, "DIVISION_BY_ZERO", NULL },
	{ ERROR_NOT_NULL, "NOT_NULL", NULL },
	{ ERROR_RAGGED_ROW, "RAGGED_ROW", NULL },
	{ ERROR_BAD_CSV, "BAD_CSV", NULL },
	{ ERROR_BAD_ENCODING, "BAD_ENCODING", NULL },
	{ ERROR_DUPLICATE_HEADER, "DUPLICATE_HEADER", NULL },
	{ ERROR_DUPLICATE_KEY, "DUPLICATE_KEY", NULL },
	{ ERROR_DUPLICATE_MATCH, "MERGE_TARGET_ROW_MULTIPLE_MATCHES", NULL },
	{ ERROR_SUBQUERY_MULTIPLE_ROWS, "SUBQUERY_MULTIPLE_ROWS", NULL },
	{ ERROR_BAD_ARGUMENT, "BAD_ARGUMENT", NULL },
	{ ERROR_REJECT_LIMIT, "REJECT_LIMIT", NULL },
	{ ERROR_GUARD_DELETES, "GUARD_DELETES", NULL },
	{ ERROR_GUARD_EMPTY_SOURCE, "GUARD_EMPTY_SOURCE", NULL },
	{ ERROR_GUARD_REJECTS, "GUARD_REJECTS", NULL },
	{ ERROR_GUARD_MANUAL_CHANGES, "GUARD_MANUAL_CHANGES", NULL },
	{ ERROR_STALE_RUN, "STALE_RUN", NULL },
	{ ERROR_RUN_NOT_FOUND, "RUN_NOT_FOUND", NULL },
	{ ERROR_VERSION_EXPIRED, "VERSION_EXPIRED", NULL },
	{ ERROR_FOREIGN_CATALOG, "FOREIGN_CATALOG", NULL },
	{ ERROR_CONCURRENT_TRANSACTION, "CONCURRENT_TRANSACTION",
	  "ConcurrentTransactionException" },
	{ ERROR_CONCURRENT_APPEND, "CONCURRENT_APPEND",
	  "ConcurrentAppendException" },
	{ ERROR_CONCURRENT_DELETE_READ, "CONCURRENT_DELETE_READ",
	  "ConcurrentDeleteReadException" },
	{ ERROR_CONCURRENT_DELETE_DELETE, "CONCURRENT_DELETE_DELETE",
	  "ConcurrentDeleteDeleteException" },
	{ ERROR_METADATA_CHANGED, "METADATA_CHANGED",
	  "MetadataChangedException" },
	{ ERROR_PROTOCOL_CHANGED, "PROTOCOL_CHANGED",
	  "ProtocolChangedException" },
	{ ERROR_LOCKED, "LOCKED", NULL },
	{ ERROR_INTERRUPTED, "INTERRUPTED", NULL },
};

/* Copy text, cut before the first character that does not fit whole. */
static void copy_cut(char *to, size_t capacity, const char *text)
{
	size_t length = strlen(text);

	if (length >= capacity) {
		length = capacity - 1;
		while (length > 0 && ((unsigned char)text[length] & 0xc0) ==
		       0x80)
			length--;
	}
	memcpy(to, text, length);
	to[length] = '\0';
}

void error_init(struct error *err)
{
	err->code = ERROR_NONE;
	err->text[0] = '\0';
	err->hint[0] = '\0';
	err->file[0] = '\0';
	err->field[0] = '\0';
	err->line = 0;
	err->column = 0;
	err->retryable = false;
}

static void set_code(struct error *err, enum error_code code)
{
	error_init(err);
	err->code = code;
	err->retryable = error_exit_status(code) == 75;
}

int error_set(struct error *err, enum error_code code, const char *fmt, ...)
{
	char text[ERROR_TEXT_BYTES + 8];
	va_list args;

	if (!err)
		return code;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	set_code(err, code);
	copy_cut(err->text, sizeof(err->text), text);
	return code;
}

static enum error_code code_of_errno(int errnum)
{
	if (errnum == ENOSPC || errnum == EDQUOT)
		return ERROR_NO_SPACE;
	if (errnum == ENOMEM)
		return ERROR_NO_MEMORY;
	return ERROR_IO;
}

int error_set_errno(struct error *err, int errnum, const char *fmt, ...)
{
	char text[ERROR_TEXT_BYTES + 8];
	char reason[256];
	enum error_code code = code_of_errno(errnum);
	size_t length;
	va_list args;

	if (!err)
		return code;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	length = strlen(text);
	snprintf(text + length, sizeof(text) - length, ": %s",
		 strerror_r(errnum, reason, sizeof(reason)));
	set_code(err, code);
	err->errnum = errnum;
	copy_cut(err->text, sizeof(err->text), text);
	return code;
}

int error_hint(struct error *err, const char *fmt, ...)
{
	char hint[ERROR_HINT_BYTES + 8];
	va_list args;

	if (!err)
		return ERROR_NONE;
	va_start(args, fmt);
	vsnprintf(hint, sizeof(hint), fmt, args);
	va_end(args);
	copy_cut(err->hint, sizeof(err->hint), hint);
	return err->code;
}

int error_at(struct error *err, const char *file, uint64_t line,
	     uint64_t column)
{
	if (!err)
		return ERROR_NONE;
	if (file && file != err->file)
		copy_cut(err->file, sizeof(err->file), file);
	err->line = line;
	err->column = column;
	return err->code;
}

int error_field(struct error *err, const char *name)
{
	if (!err)
		return ERROR_NONE;
	copy_cut(err->field, sizeof(err->field), name);
	return err->code;
}

int error_prefix(struct error *err, const char *fmt, ...)
{
	char text[2 * ERROR_TEXT_BYTES + 8];
	size_t length;
	va_list args;

	if (!err)
		return ERROR_NONE;
	va_start(args, fmt);
	vsnprintf(text, ERROR_TEXT_BYTES, fmt, args);
	va_end(args);
	length = strlen(text);
	snprintf(text + length, sizeof(text) - length, ": %s", err->text);
	copy_cut(err->text, sizeof(err->text), text);
	return err->code;
}

const char *error_name(enum error_code code)
{
	for (size_t i = 0; i < sizeof(error_table) / sizeof(error_table[0]);
	     i++)
		if (error_table[i].code == code)
			return error_table[i].name;
	return "INTERNAL";
}

int error_exit_status(enum error_code code)
{
	int signal_number;

	if (code == ERROR_NONE)
		return 0;
	if (code == ERROR_INTERRUPTED) {
		signal_number = interrupt_signal();
		return 128 + (signal_number ? signal_number : 2);
	}
	if (code <= ERROR_CONCURRENT_APPEND && code >= ERROR_LOCKED)
		return 75;
	if (code <= ERROR_GUARD_DELETES &&
	    code >= ERROR_CONCURRENT_TRANSACTION)
		return 5;
	if (code <= ERROR_CAST && code >= ERROR_REJECT_LIMIT)
		return 3;
	if (code <= ERROR_USAGE && code >= ERROR_NOT_SUPPORTED)
		return 2;
	return 1;
}

const char *error_exception(enum error_code code)
{
	for (size_t i = 0; i < sizeof(error_table) / sizeof(error_table[0]);
	     i++)
		if (error_table[i].code == code)
			return error_table[i].exception;
	return NULL;
}
