#ifndef UTIL_ERROR_H
#define UTIL_ERROR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What can go wrong, by the stable names that scripts see. A function that
 * can fail returns 0 or one of these, always negative; on failure each *out
 * is NULL and err says what, where and what to do. The names and the exit
 * status of each come from error_name() and error_exit_status().
 */
enum error_code {
	ERROR_NONE = 0,
	/* status 1: the machine or the files */
	ERROR_IO = -1,
	ERROR_NO_SPACE = -2,
	ERROR_CORRUPT = -3,
	ERROR_NO_MEMORY = -4,
	ERROR_INTERNAL = -5,
	/* status 2: wrong use */
	ERROR_USAGE = -20,
	ERROR_SYNTAX = -21,
	ERROR_UNKNOWN_TABLE = -22,
	ERROR_TABLE_EXISTS = -23,
	ERROR_MOVED_TABLE = -24,
	ERROR_UNKNOWN_VERSION = -25,
	ERROR_UNKNOWN_COLUMN = -26,
	ERROR_COLUMN_EXISTS = -27,
	ERROR_INCOMPATIBLE_CHANGE = -28,
	ERROR_UNSET_PARAMETER = -29,
	ERROR_AMBIGUOUS_COLUMN = -30,
	ERROR_DUPLICATE_ASSIGNMENT = -31,
	ERROR_ARITY = -32,
	ERROR_TYPE_MISMATCH = -33,
	ERROR_UNSUPPORTED = -34,
	ERROR_NOT_SUPPORTED = -35,
	/* status 3: the data is refused */
	ERROR_CAST = -50,
	ERROR_OVERFLOW = -51,
	ERROR_DIVISION_BY_ZERO = -52,
	ERROR_NOT_NULL = -53,
	ERROR_RAGGED_ROW = -54,
	ERROR_BAD_CSV = -55,
	ERROR_BAD_ENCODING = -56,
	ERROR_DUPLICATE_HEADER = -57,
	ERROR_DUPLICATE_KEY = -58,
	ERROR_DUPLICATE_MATCH = -59, /* MERGE_TARGET_ROW_MULTIPLE_MATCHES */
	ERROR_SUBQUERY_MULTIPLE_ROWS = -60,
	ERROR_BAD_ARGUMENT = -61,
	ERROR_REJECT_LIMIT = -62,
	/* status 5: refused by a guard */
	ERROR_GUARD_DELETES = -80,
	ERROR_GUARD_EMPTY_SOURCE = -81,
	ERROR_GUARD_REJECTS = -82,
	ERROR_GUARD_MANUAL_CHANGES = -83,
	ERROR_STALE_RUN = -84,
	ERROR_RUN_NOT_FOUND = -85,
	ERROR_VERSION_EXPIRED = -86,
	ERROR_FOREIGN_CATALOG = -87,
	ERROR_CONCURRENT_TRANSACTION = -88,
	/* status 75: try again later; retryable */
	ERROR_CONCURRENT_APPEND = -100,
	ERROR_CONCURRENT_DELETE_READ = -101,
	ERROR_CONCURRENT_DELETE_DELETE = -102,
	ERROR_METADATA_CHANGED = -103,
	ERROR_PROTOCOL_CHANGED = -104,
	ERROR_LOCKED = -105,
	/* status 128 + n: a signal asked us to stop (util/interrupt.h) */
	ERROR_INTERRUPTED = -120,
};

#define ERROR_TEXT_BYTES 2048
#define ERROR_HINT_BYTES 512
#define ERROR_PLACE_BYTES 512

/*
 * One failure. Plain value; error_init() or zeroes make it empty. file, line
 * and column (from 1, 0 = unknown) say where in a spec or an input; column
 * counts bytes in a spec; field names the column of a table or an input.
 */
struct error {
	enum error_code code;
	char text[ERROR_TEXT_BYTES];	/* what is wrong */
	char hint[ERROR_HINT_BYTES];	/* what to do about it, may be "" */
	char file[ERROR_PLACE_BYTES];	/* where, may be "" */
	char field[ERROR_PLACE_BYTES];	/* column name, may be "" */
	uint64_t line;
	uint64_t column;
	int errnum;	/* of the system call that failed, 0 if none did */
	bool retryable;
};

void error_init(struct error *err);
/*
 * Fill code and text (printf), clear hint and place, return code. err may be
 * NULL. `return error_set(err, ERROR_IO, "...")` is the house idiom.
 */
int error_set(struct error *err, enum error_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* error_set() with ": <strerror>" added, and errnum kept; ENOSPC and EDQUOT
 * turn ERROR_IO into ERROR_NO_SPACE, ENOMEM into ERROR_NO_MEMORY. */
int error_set_errno(struct error *err, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Add to a failure that is set: what to do. Returns err->code. */
int error_hint(struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Add where: file may be NULL (kept), 0 = unknown. Returns err->code. */
int error_at(struct error *err, const char *file, uint64_t line,
	     uint64_t column);
/* Add the name of the table or input column. Returns err->code. */
int error_field(struct error *err, const char *name);
/* Put "<prefix>: " before the text of a failure. Returns err->code. */
int error_prefix(struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* "CAST", "MERGE_TARGET_ROW_MULTIPLE_MATCHES", ...; never NULL. */
const char *error_name(enum error_code code);
/* The exit status for code as reference in the manual; 0 for ERROR_NONE. */
int error_exit_status(enum error_code code);
/* The source document's class name of the six conflicts, else NULL. */
const char *error_exception(enum error_code code);
#endif
