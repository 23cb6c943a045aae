/*
 * csv_rows.c - the benchmark's own CSV reader
 *
 * Why:    results are checked, and SQLite is fed, by code that shares
 *         nothing with the programs being measured.
 * How:    one buffer, filled from the end; a record is unescaped where it
 *         lies, which only ever makes it shorter.
 * Limits: RFC 4180 with LF or CR LF, behind the last record too; the header
 *         decides which field is which column.
 */
#include "csv_rows.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)1 << 18)	/* grows for a longer record */

struct csv_rows {
	const char *path;
	int fd;
	bool at_end;			/* read() has said so */
	char *buffer;
	size_t buffer_bytes, start, end;
	unsigned long long line;	/* records read, the header is 1 */
	int order[COLUMN_COUNT];	/* the column of each field */
};

static const char *const column_name[COLUMN_COUNT] = {
	"id", "customer", "purchases", "address", "updated_at", "is_deleted",
	"status", "quantity", "score", "note"
};

static void give_up(const struct csv_rows *rows, const char *what)
{
	fprintf(stderr, "%s: record %llu: %s\n", rows->path, rows->line, what);
	exit(1);
}

/* Move what is left to the front and read more behind it. */
static void fill(struct csv_rows *rows)
{
	ssize_t got;

	memmove(rows->buffer, rows->buffer + rows->start,
		rows->end - rows->start);
	rows->end -= rows->start;
	rows->start = 0;
	/* one byte stays free: the last field is ended by a NUL */
	if (rows->end + 1 == rows->buffer_bytes) {
		rows->buffer_bytes *= 2;
		rows->buffer = realloc(rows->buffer, rows->buffer_bytes);
		if (!rows->buffer)
			give_up(rows, "out of memory");
	}
	got = read(rows->fd, rows->buffer + rows->end,
		   rows->buffer_bytes - 1 - rows->end);
	if (got < 0)
		give_up(rows, "cannot read");
	rows->at_end = got == 0;
	rows->end += (size_t)got;
}

/*
 * Length of the record at start with its line end, 0 if it is not all in the
 * buffer.
 */
static size_t record_bytes(const struct csv_rows *rows)
{
	const char *base = rows->buffer + rows->start, *at = base;
	const char *stop = rows->buffer + rows->end, *feed, *quote;

	for (;;) {
		feed = memchr(at, '\n', (size_t)(stop - at));
		if (!feed)
			return 0;
		quote = memchr(at, '"', (size_t)(feed - at));
		if (!quote)
			return (size_t)(feed - base) + 1;
		at = memchr(quote + 1, '"', (size_t)(stop - quote - 1));
		if (!at)
			return 0;
		at++;		/* a doubled quote opens at once again */
	}
}

/* Unescape one field at *at; *at moves behind its delimiter. */
static void take_field(struct csv_rows *rows, char **at, char *stop,
		       struct csv_field *field)
{
	char *from = *at, *to = *at;

	field->text = to;
	field->is_null = from == stop || *from == ',';
	if (from < stop && *from == '"') {
		for (from++; from < stop; from++) {
			if (*from == '"' && *++from != '"')
				break;
			*to++ = *from;
		}
	} else {
		from = memchr(from, ',', (size_t)(stop - from));
		if (!from)
			from = stop;
		to = from;
	}
	if (from < stop && *from != ',')
		give_up(rows, "stray quote");
	field->length = (size_t)(to - field->text);
	*at = from + 1;
	*to = '\0';
}

static bool next_record(struct csv_rows *rows, struct csv_row *row)
{
	struct csv_field field;
	size_t length;
	char *at, *stop;

	while (!(length = record_bytes(rows))) {
		if (rows->at_end && rows->start == rows->end)
			return false;
		if (rows->at_end)
			give_up(rows, "cut short");
		fill(rows);
	}
	at = rows->buffer + rows->start;
	stop = at + length - 1;
	if (stop > at && stop[-1] == '\r')
		stop--;
	rows->start += length;
	rows->line++;
	for (int i = 0; i < COLUMN_COUNT; i++) {
		if (at > stop)
			give_up(rows, "too few fields");
		take_field(rows, &at, stop, &field);
		row->field[rows->order[i]] = field;
	}
	if (at <= stop)
		give_up(rows, "too many fields");
	return true;
}

struct csv_rows *csv_rows_open(const char *path)
{
	struct csv_rows *rows = calloc(1, sizeof(*rows));
	int order[COLUMN_COUNT];
	struct csv_row header;

	if (!rows || !(rows->buffer = malloc(BUFFER_BYTES))) {
		fprintf(stderr, "%s: out of memory\n", path);
		exit(1);
	}
	rows->buffer_bytes = BUFFER_BYTES;
	rows->path = path;
	rows->fd = strcmp(path, "-") ? open(path, O_RDONLY) : STDIN_FILENO;
	if (rows->fd < 0) {
		perror(path);
		exit(1);
	}
	for (int i = 0; i < COLUMN_COUNT; i++)
		rows->order[i] = i;
	if (!next_record(rows, &header))
		give_up(rows, "no header");
	for (int i = 0; i < COLUMN_COUNT; i++) {
		order[i] = 0;
		while (strcasecmp(header.field[i].text,
				  column_name[order[i]])) {
			if (++order[i] == COLUMN_COUNT)
				give_up(rows, "unknown column");
		}
		for (int j = 0; j < i; j++) {
			if (order[j] == order[i])
				give_up(rows, "a column twice");
		}
	}
	memcpy(rows->order, order, sizeof(order));
	return rows;
}

bool csv_rows_next(struct csv_rows *rows, struct csv_row *row)
{
	return next_record(rows, row);
}

void csv_rows_close(struct csv_rows *rows)
{
	if (rows->fd != STDIN_FILENO)
		close(rows->fd);
	free(rows->buffer);
	free(rows);
}

long long csv_scaled(const struct csv_field *field, int digits)
{
	const char *at = field->text, *stop = at + field->length;
	bool negative = at < stop && *at == '-', in_fraction = false;
	long long value = 0;

	for (at += negative; at < stop; at++) {
		if (*at == '.' && !in_fraction) {
			in_fraction = true;
			continue;
		}
		if (*at < '0' || *at > '9' || (in_fraction && digits-- == 0)) {
			fprintf(stderr, "not a number that fits: %s\n",
				field->text);
			exit(1);
		}
		value = value * 10 + (*at - '0');
	}
	while (digits-- > 0)
		value *= 10;
	return negative ? -value : value;
}

bool csv_boolean(const struct csv_field *field)
{
	switch (field->text[0]) {
	case 't':
	case 'T':
	case '1':
		return true;
	case 'f':
	case 'F':
	case '0':
		return false;
	}
	fprintf(stderr, "not a boolean: %s\n", field->text);
	exit(1);
}
