/*
 * debezium.c - change events as rows
 *
 * Why:    change data capture writes what was before and after each change;
 *         a merge wants the row, and what became of it.
 * How:    the spans of the members that matter are taken from the envelope;
 *         the row is then read as any line of JSON is. A tombstone, which
 *         follows a delete for the log's own sake, is skipped like an empty
 *         line.
 */
#include "source/debezium.h"
#include "codec/codec.h"

struct envelope {
	struct byte_view payload;
	struct byte_view before;
	struct byte_view after;
	struct byte_view op;
	struct byte_view ts_ms;
};

static bool is_null(const struct byte_view *value)
{
	return !value->data ||
	       (value->length == 4 && memcmp(value->data, "null", 4) == 0);
}

static int read_envelope(struct envelope *out, char *text, size_t length,
			 struct error *err)
{
	struct json_reader reader;
	const char *key;
	int rc;

	memset(out, 0, sizeof(*out));
	json_reader_init(&reader, text, length);
	json_begin_object(&reader);
	while ((key = json_next_key(&reader))) {
		struct byte_view *to = NULL;

		if (strcmp(key, "payload") == 0)
			to = &out->payload;
		else if (strcmp(key, "before") == 0)
			to = &out->before;
		else if (strcmp(key, "after") == 0)
			to = &out->after;
		else if (strcmp(key, "op") == 0)
			to = &out->op;
		else if (strcmp(key, "ts_ms") == 0)
			to = &out->ts_ms;
		if (to)
			*to = json_raw(&reader);
		else
			json_skip(&reader);
	}
	rc = json_finish(&reader, "change event", err);
	if (rc)
		err->code = ERROR_CAST;
	return rc ? ERROR_CAST : 0;
}

static int refuse(const struct envelope *envelope, struct error *err)
{
	if (!envelope->op.data)
		error_set(err, ERROR_CAST, "the line is no change event: it "
			  "has no op");
	else
		error_set(err, ERROR_CAST, "a change event with op %.*s is "
			  "about no row", (int)envelope->op.length < 40
				? (int)envelope->op.length : 40,
			  (const char *)envelope->op.data);
	return error_hint(err, "--format debezium takes events with before, "
			  "after and op c, r, u or d; leave out truncates, "
			  "messages, schema changes and heartbeats");
}

static bool copy_span(char *out, size_t capacity,
		      const struct byte_view *span)
{
	if (span->length >= capacity)
		return false;
	memcpy(out, span->data, span->length);
	out[span->length] = '\0';
	return true;
}

int debezium_read(struct debezium_event *out, char *text, size_t length,
		  struct error *err)
{
	struct envelope envelope;
	struct byte_view *row;
	char op;
	int rc;

	memset(out, 0, sizeof(*out));
	out->is_tombstone = debezium_is_tombstone((const uint8_t *)text,
						  length);
	if (out->is_tombstone)
		return 0;
	rc = read_envelope(&envelope, text, length, err);
	if (!rc && !is_null(&envelope.payload)) {
		char *payload = (char *)envelope.payload.data;

		payload[envelope.payload.length] = '\0';
		rc = read_envelope(&envelope, payload,
				   envelope.payload.length, err);
	}
	if (rc)
		return rc;
	if (envelope.op.length != 3 || envelope.op.data[0] != '"' ||
	    !strchr("crud", envelope.op.data[1]))
		return refuse(&envelope, err);
	op = (char)envelope.op.data[1];
	row = op == 'd' ? &envelope.before : &envelope.after;
	if (is_null(row)) {
		error_set(err, ERROR_CAST, "a change event with op \"%c\" has "
			  "no %s", op, op == 'd' ? "before" : "after");
		return error_hint(err, op == 'd'
			? "let the table log its old rows (REPLICA IDENTITY "
			  "FULL)" : "the event is cut short");
	}
	if (is_null(&envelope.ts_ms))
		envelope.ts_ms = byte_view("null", 4);
	if (!copy_span(out->op, sizeof(out->op), &envelope.op) ||
	    !copy_span(out->ts_ms, sizeof(out->ts_ms), &envelope.ts_ms))
		return error_set(err, ERROR_CAST, "ts_ms of a change event is "
				 "no number");
	out->row = (char *)row->data;
	out->row_length = row->length;
	out->row[row->length] = '\0';
	return 0;
}

static size_t trim_end(const uint8_t *line, size_t length)
{
	while (length && (line[length - 1] == ' ' || line[length - 1] == '\t' ||
			  line[length - 1] == '\r'))
		length--;
	return length;
}

static bool cut_end(const uint8_t *line, size_t *length, const char *end)
{
	size_t bytes = strlen(end);

	*length = trim_end(line, *length);
	if (*length < bytes || memcmp(line + *length - bytes, end, bytes))
		return false;
	*length -= bytes;
	return true;
}

bool debezium_is_tombstone(const uint8_t *line, size_t length)
{
	size_t left = length;
	bool in_envelope = cut_end(line, &left, "}");

	if (!cut_end(line, &left, "null"))
		return false;
	if (in_envelope)
		return cut_end(line, &left, ":") &&
		       cut_end(line, &left, "\"payload\"");
	while (left && (*line == ' ' || *line == '\t')) {
		line++;
		left--;
	}
	return left == 0;
}
