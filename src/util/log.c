/*
 * log.c - messages to a sink that the caller gave
 *
 * Why:    below cli/ nobody prints; what a room has to say goes through here.
 * How:    format on the stack, on the heap when longer than that.
 * Cost:   nothing when the sink or its function is NULL.
 * Limits: out of memory cuts a message at LINE_BYTES - 1 bytes.
 */
#include "util/log.h"

#include <stdarg.h>
#include <stdio.h>
#include "util/mem.h"

#define LINE_BYTES 512

static void send_line(const struct log_sink *sink,
		      void (*send)(void *context, const char *text),
		      const char *fmt, va_list args)
{
	char line[LINE_BYTES];
	char *longer = NULL;
	va_list again;
	int length;

	va_copy(again, args);
	length = vsnprintf(line, sizeof(line), fmt, args);
	if (length >= LINE_BYTES) {
		longer = mem_alloc((size_t)length + 1);
		if (longer)
			vsnprintf(longer, (size_t)length + 1, fmt, again);
	}
	va_end(again);
	if (length >= 0)
		send(sink->context, longer ? longer : line);
	mem_free(longer);
}

void log_note(const struct log_sink *sink, const char *fmt, ...)
{
	va_list args;

	if (!sink || !sink->note)
		return;
	va_start(args, fmt);
	send_line(sink, sink->note, fmt, args);
	va_end(args);
}

void log_warn(const struct log_sink *sink, const char *fmt, ...)
{
	va_list args;

	if (!sink || !sink->warn)
		return;
	va_start(args, fmt);
	send_line(sink, sink->warn, fmt, args);
	va_end(args);
}

void log_progress(const struct log_sink *sink, const char *stage,
		  uint64_t done, uint64_t total, const char *unit)
{
	if (sink && sink->progress)
		sink->progress(sink->context, stage, done, total, unit);
}
