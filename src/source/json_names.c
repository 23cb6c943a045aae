/*
 * json_names.c - the columns of JSON Lines
 *
 * Why:    a statement is bound to the names of its source before it is read.
 * How:    the members of the records at the start of the files, in the
 *         order in which they are met.
 * Limits: a member that first comes later is refused there: to leave it out
 *         would lose values.
 */
#include "source/json_rows.h"
#include "source/debezium.h"
#include "source/json_value.h"

static const uint8_t byte_order_mark[] = { 0xef, 0xbb, 0xbf };

/* As many as a statement can name; each is compared with all others. */
#define NAMES_LIMIT 10000

struct names {
	char **names;
	size_t count;
	size_t capacity;
};

/* Where a name is; count = nowhere. Most lines have one order of members. */
static size_t find_name(const struct names *names, const char *key,
			size_t expected)
{
	if (expected < names->count &&
	    strcmp(names->names[expected], key) == 0)
		return expected;
	for (size_t i = 0; i < names->count; i++)
		if (text_equal_nocase(names->names[i], key))
			return i;
	return names->count;
}

/* *at: where the name is expected; then behind where it is. */
static int add_name(struct names *names, const char *key, size_t *at,
		    struct arena *arena, struct error *err)
{
	size_t found = find_name(names, key, *at);
	char *name;

	*at = found + 1;
	if (found < names->count)
		return 0;
	if (names->count == NAMES_LIMIT)
		return error_set(err, ERROR_UNSUPPORTED, "the records have "
				 "more than %d members", NAMES_LIMIT);
	name = arena_strdup(arena, key);
	if (!name || !mem_grow((void **)&names->names, &names->capacity,
			       names->count, sizeof(*names->names)))
		return error_set(err, ERROR_NO_MEMORY, "read JSON");
	names->names[names->count++] = name;
	return 0;
}

/* The members of one line; text is a copy. */
static int add_names(struct names *names, char *text, size_t length,
		     struct arena *arena, struct error *err)
{
	struct json_reader reader;
	const char *key;
	size_t expected = 0;

	json_reader_init(&reader, text, length);
	json_begin_object(&reader);
	while ((key = json_next_key(&reader))) {
		int rc = add_name(names, key, &expected, arena, err);

		if (rc)
			return rc;
		json_skip(&reader);
	}
	return json_finish(&reader, "line", NULL)
		? json_syntax_error(&reader, err) : 0;
}

/* The members of an event's row, and what its envelope says of it. */
static int add_event_names(struct names *names, char *text, size_t length,
			   struct arena *arena, struct error *err)
{
	struct debezium_event event;
	size_t at = 0;
	int rc = debezium_read(&event, text, length, err);

	if (rc || event.is_tombstone)
		return rc;
	rc = add_names(names, event.row, event.row_length, arena, err);
	if (!rc)
		rc = add_name(names, DEBEZIUM_OP, &at, arena, err);
	if (!rc)
		rc = add_name(names, DEBEZIUM_TS_MS, &at, arena, err);
	return rc;
}

/* Can the line be read at all? text is a copy. */
static bool is_object(char *text, size_t length)
{
	struct json_reader reader;

	json_reader_init(&reader, text, length);
	json_begin_object(&reader);
	while (json_next_key(&reader))
		json_skip(&reader);
	return json_finish(&reader, "line", NULL) == 0;
}

static bool is_blank_line(struct byte_view line)
{
	for (size_t i = 0; i < line.length; i++)
		if (line.data[i] != ' ' && line.data[i] != '\t' &&
		    line.data[i] != '\r')
			return false;
	return true;
}

static int refuse_line(const struct csv_head *head, struct byte_view line,
		       uint64_t number, int rc, struct error *err)
{
	size_t valid = utf8_valid_prefix(line.data, line.length);

	if (rc == ERROR_CAST && valid < line.length) {
		rc = error_set(err, ERROR_BAD_ENCODING, "the line is not "
			       "UTF-8: byte 0x%02X",
			       (unsigned)line.data[valid]);
		error_hint(err, "say which encoding the file has: --encoding "
			   "latin1, windows-1252, utf-16, ...");
	}
	error_at(err, head->file_name, number, 0);
	return rc;
}

/* Offset behind the byte order mark and the lines to skip. */
static size_t data_start(const struct csv_head *head, uint64_t *lines)
{
	size_t at = 0;

	if (head->length >= sizeof(byte_order_mark) &&
	    memcmp(head->bytes, byte_order_mark, sizeof(byte_order_mark)) == 0)
		at = sizeof(byte_order_mark);
	for (*lines = 0; *lines < head->options->skip_lines; ++*lines) {
		const uint8_t *end = memchr(head->bytes + at, '\n',
					    head->length - at);

		if (!end)
			return head->length;
		at = (size_t)(end + 1 - head->bytes);
	}
	return at;
}

/* The names of all whole lines from out->length on. *is_blank_out: there is no
 * other. */
static int sample(struct names *names, const struct csv_head *head,
		  const struct csv_header *out, struct arena *arena,
		  bool *is_blank_out, struct error *err)
{
	uint64_t number = out->lines;
	size_t at = out->length;
	struct arena copies;
	int rc = 0;

	arena_init(&copies, 0);
	*is_blank_out = true;
	while (at < head->length && !rc) {
		const uint8_t *start = head->bytes + at;
		const uint8_t *end = memchr(start, '\n', head->length - at);
		struct byte_view line;
		char *text;

		number++;
		if (!end && !head->at_end)
			break;
		line = byte_view(start, end ? (size_t)(end - start)
					    : head->length - at);
		at += line.length + 1;
		if (is_blank_line(line))
			continue;
		*is_blank_out = false;
		arena_reset(&copies);
		text = json_text_copy(&copies, line);
		if (text && head->options->rejects &&
		    !is_object(text, line.length))
			continue;	/* will be set aside */
		if (head->options->rejects)
			text = json_text_copy(&copies, line);
		if (!text)
			rc = error_set(err, ERROR_NO_MEMORY, "read JSON");
		else if (head->options->is_debezium)
			rc = add_event_names(names, text, line.length, arena,
					     err);
		else
			rc = add_names(names, text, line.length, arena, err);
		if (rc == ERROR_CAST && head->options->rejects)
			rc = 0;		/* likewise */
		if (rc)
			rc = refuse_line(head, line, number, rc, err);
	}
	arena_release(&copies);
	return rc;
}

static int refuse_empty(const struct csv_head *head, bool is_blank,
			struct error *err)
{
	error_set(err, ERROR_BAD_CSV, is_blank ?
		  "the file is empty, it has no record" :
		  "no line of the file has a member, so it has no columns");
	if (is_blank)
		error_hint(err, "an upload cut short looks like this; if there "
			   "may be no rows, leave the run out when the file is "
			   "empty");
	return error_at(err, head->file_name, 1, 0);
}

int json_names_read(struct csv_header *out, const struct csv_head *head,
		    struct arena *arena, bool *more_out, struct error *err)
{
	struct names names = { NULL, 0, 0 };
	size_t wanted = head->options->chunk_bytes;
	bool is_blank;
	int rc;

	memset(out, 0, sizeof(*out));
	*more_out = false;
	if (wanted > JSON_SAMPLE_BYTES)
		wanted = JSON_SAMPLE_BYTES;
	if (!head->at_end && !head->is_sample && head->length < wanted) {
		*more_out = true;
		return 0;
	}
	out->length = data_start(head, &out->lines);
	rc = sample(&names, head, out, arena, &is_blank, err);
	if (!rc && names.count == 0 && !head->at_end)
		*more_out = !head->is_sample;
	else if (!rc && names.count == 0)
		rc = refuse_empty(head, is_blank, err);
	if (!rc && !*more_out) {
		out->names = arena_copy(arena, names.names,
					names.count * sizeof(*names.names));
		out->name_count = names.count;
		if (!out->names)
			rc = error_set(err, ERROR_NO_MEMORY, "read JSON");
	}
	mem_free(names.names);
	return rc;
}

int json_names_join(struct csv_header *names, const struct csv_header *more,
		    struct arena *arena, struct error *err)
{
	struct names all = { NULL, 0, 0 };
	size_t at = 0;
	int rc = 0;

	for (size_t i = 0; i < names->name_count && !rc; i++)
		rc = add_name(&all, names->names[i], &at, arena, err);
	at = 0;
	for (size_t i = 0; i < more->name_count && !rc; i++)
		rc = add_name(&all, more->names[i], &at, arena, err);
	if (!rc && all.count > names->name_count) {
		names->names = arena_copy(arena, all.names,
					  all.count * sizeof(*all.names));
		names->name_count = all.count;
		if (!names->names)
			rc = error_set(err, ERROR_NO_MEMORY, "read JSON");
	}
	mem_free(all.names);
	return rc;
}
