#ifndef UTIL_LOG_H
#define UTIL_LOG_H
#include <stddef.h>
#include <stdint.h>

/*
 * How the rooms below cli/ speak: they call these with a sink that the
 * caller gave them and never print. NULL sinks are silent. Any thread may
 * call; the sink locks.
 */
struct log_sink {
	void *context;
	/* One line of prose, without a line end; for -v. */
	void (*note)(void *context, const char *text);
	/* Something the user should know; goes to "warnings" too. */
	void (*warn)(void *context, const char *text);
	/* Work done so far; total 0 = unknown. unit: "rows", "bytes". */
	void (*progress)(void *context, const char *stage, uint64_t done,
			 uint64_t total, const char *unit);
};

void log_note(const struct log_sink *sink, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void log_warn(const struct log_sink *sink, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void log_progress(const struct log_sink *sink, const char *stage,
		  uint64_t done, uint64_t total, const char *unit);
#endif
