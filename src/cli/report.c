/*
 * report.c - notes, warnings, progress and failures on stderr
 *
 * Why:    data goes to stdout and nothing else does; what a person reads and
 *         what a program reads are both made here.
 * How:    a progress line only where stderr is a terminal and the work has
 *         taken over a second, at most ten times a second.
 */
#include "cli/report.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PROGRESS_AFTER_NS UINT64_C(1000000000)
#define PROGRESS_EVERY_NS UINT64_C(100000000)

struct report {
	struct cli *cli;
	pthread_mutex_t lock;
	bool shows_progress;
	bool progress_always;
	uint64_t started_ns;
	uint64_t last_ns;
	bool line_is_up;
};

static void clear_line(struct report *report)
{
	if (!report->line_is_up)
		return;
	fputs(isatty(STDERR_FILENO) ? "\r\033[K" : "\n", stderr);
	report->line_is_up = false;
}

void report_clear_progress(struct report *report)
{
	if (!report)
		return;
	pthread_mutex_lock(&report->lock);
	clear_line(report);
	pthread_mutex_unlock(&report->lock);
}

static void say(struct report *report, const char *level, const char *text)
{
	struct text line = TEXT_INIT;

	if (report->cli->log_json) {
		text_addf(&line, "{\"level\":\"%s\",\"message\":", level);
		text_add_json(&line, text, strlen(text));
		text_add_str(&line, "}");
	} else {
		text_addf(&line, "rowmerge: %s%s",
			  strcmp(level, "warning") == 0 ? "warning: " : "",
			  text);
	}
	clear_line(report);
	if (line.data)
		fprintf(stderr, "%s\n", line.data);
	text_release(&line);
}

static void report_note(void *context, const char *text)
{
	struct report *report = context;

	if (report->cli->verbose < 1)
		return;
	pthread_mutex_lock(&report->lock);
	say(report, "note", text);
	pthread_mutex_unlock(&report->lock);
}

static void report_warn(void *context, const char *text)
{
	struct report *report = context;

	pthread_mutex_lock(&report->lock);
	if (report->cli->warnings.length)
		text_add_char(&report->cli->warnings, ',');
	text_add_json(&report->cli->warnings, text, strlen(text));
	if (!report->cli->quiet)
		say(report, "warning", text);
	pthread_mutex_unlock(&report->lock);
}

static void report_progress(void *context, const char *stage, uint64_t done,
			    uint64_t total, const char *unit)
{
	struct report *report = context;
	uint64_t now;

	if (!report->shows_progress)
		return;
	now = clock_monotonic_ns();
	if (!report->progress_always &&
	    now - report->started_ns < PROGRESS_AFTER_NS)
		return;
	if (now - __atomic_load_n(&report->last_ns, __ATOMIC_RELAXED) <
		    PROGRESS_EVERY_NS ||
	    pthread_mutex_trylock(&report->lock) != 0)
		return;
	__atomic_store_n(&report->last_ns, now, __ATOMIC_RELAXED);
	fprintf(stderr, "%s%s: %llu", isatty(STDERR_FILENO) ? "\r\033[K" : "",
		stage, (unsigned long long)done);
	if (total)
		fprintf(stderr, " of %llu", (unsigned long long)total);
	fprintf(stderr, " %s", unit);
	report->line_is_up = true;
	if (!isatty(STDERR_FILENO))
		clear_line(report);
	fflush(stderr);
	pthread_mutex_unlock(&report->lock);
}

int report_new(struct report **out, struct cli *cli, struct error *err)
{
	struct report *report = mem_zalloc(sizeof(*report));

	*out = report;
	if (!report)
		return error_set(err, ERROR_NO_MEMORY, "report");
	report->cli = cli;
	pthread_mutex_init(&report->lock, NULL);
	report->started_ns = clock_monotonic_ns();
	report->progress_always = cli->progress == PROGRESS_ALWAYS;
	report->shows_progress =
		!cli->quiet && !cli->log_json &&
		(report->progress_always ||
		 (cli->progress == PROGRESS_AUTO && isatty(STDERR_FILENO)));
	cli->log.context = report;
	cli->log.note = report_note;
	cli->log.warn = report_warn;
	cli->log.progress = report_progress;
	return 0;
}

void report_free(struct report *report)
{
	if (!report)
		return;
	clear_line(report);
	pthread_mutex_destroy(&report->lock);
	mem_free(report);
}

static void add_json_member(struct text *out, const char *name,
			    const char *value)
{
	if (!*value)
		return;
	text_addf(out, ",\"%s\":", name);
	text_add_json(out, value, strlen(value));
}

/* What a failure is, where, and what to do: "code":...,"retryable":... */
static void add_error_members(struct text *out, const struct error *err)
{
	const char *exception = error_exception(err->code);

	text_addf(out, "\"code\":\"%s\",\"message\":",
		  error_name(err->code));
	text_add_json(out, err->text, strlen(err->text));
	add_json_member(out, "hint", err->hint);
	add_json_member(out, "file", err->file);
	if (err->line)
		text_addf(out, ",\"line\":%llu",
			  (unsigned long long)err->line);
	if (err->field[0])
		add_json_member(out, "column", err->field);
	else if (err->column)
		text_addf(out, ",\"column\":%llu",
			  (unsigned long long)err->column);
	if (exception)
		add_json_member(out, "exception", exception);
	text_addf(out, ",\"retryable\":%s",
		  err->retryable ? "true" : "false");
}

static void print_error_json(const struct error *err)
{
	struct text out = TEXT_INIT;
	struct error ignored;

	error_init(&ignored);
	text_add_str(&out, "{\"error\":{");
	add_error_members(&out, err);
	text_add_str(&out, "}}\n");
	if (out.data)
		print_text(out.data, out.length, &ignored);
	text_release(&out);
}

/* A reader that knows its file alone begins with it, bare or in quotes. */
static bool says_file(const struct error *err)
{
	size_t length = strlen(err->file);
	const char *text = err->text + (err->text[0] == '\'');

	return !strncmp(text, err->file, length) &&
	       text_starts_with(text + length, text == err->text ? ": "
								 : "': ");
}

static void add_place(const struct error *err, struct text *out)
{
	if (!err->line && (!err->file[0] || says_file(err)))
		return;
	text_add_str(out, err->file[0] ? err->file : "line ");
	if (err->line)
		text_addf(out, "%s%llu", err->file[0] ? ":" : "",
			  (unsigned long long)err->line);
	if (err->line && err->column)
		text_addf(out, ":%llu", (unsigned long long)err->column);
	text_add_str(out, ": ");
}

static void print_error_text(const struct error *err,
			     const struct sql_script *script)
{
	const char *exception = error_exception(err->code);
	struct text out = TEXT_INIT;

	text_add_str(&out, "rowmerge: ");
	add_place(err, &out);
	text_add_str(&out, err->text);
	if (exception)
		text_addf(&out, " (%s)", exception);
	text_addf(&out, " [%s]\n", error_name(err->code));
	if (script && err->line && err->column)
		sql_script_caret(script, err->line, err->column, &out);
	if (out.length && out.data[out.length - 1] != '\n')
		text_add_char(&out, '\n');
	if (err->hint[0])
		text_addf(&out, "hint: %s\n", err->hint);
	if (out.data)
		fputs(out.data, stderr);
	text_release(&out);
}

/* Also before there is a report: what is wrong may be an option. */
static void log_error_json(const struct error *err)
{
	struct text line = TEXT_INIT;

	text_add_str(&line, "{\"level\":\"error\",");
	add_error_members(&line, err);
	text_add_str(&line, "}\n");
	if (line.data)
		fputs(line.data, stderr);
	text_release(&line);
}

void report_error(struct cli *cli, const struct error *err,
		  const struct sql_script *script)
{
	report_clear_progress(cli->report);
	if (err->code == ERROR_INTERRUPTED)
		return;		/* the status says it */
	if (cli->json)
		print_error_json(err);
	if (cli->log_json)
		log_error_json(err);
	else
		print_error_text(err, script);
}

int print_text(const char *data, size_t length, struct error *err)
{
	while (length) {
		ssize_t n = write(STDOUT_FILENO, data, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set_errno(err, errno, "standard output");
		data += n;
		length -= (size_t)n;
	}
	return 0;
}
