/*
 * snapshot_json.c - snapshots of the metadata document (iceberg.md 4.2)
 *
 * Why:    a table has hundreds of them and a commit changes none; so each is
 *         kept as the text that it was read from and written back as such,
 *         whatever it holds that we do not know.
 * How:    nobody asks old snapshots for their summaries, so no list of pairs
 *         is made: the strings are checked and end in NULs where they stand,
 *         and whoever asks steps through that. Only a summary with escapes,
 *         which are shorter once they are taken out, becomes pairs at once.
 */
#include "iceberg/metadata_json.h"

static char *skip_space(char *p)
{
	while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
		p++;
	return p;
}

/*
 * Check the object and leave it as `"key NUL : "value NUL ,` with white space
 * in between. False if a string had an escape: then there is more between its
 * NUL and what comes behind. The first character is that behind the brace.
 */
static bool read_plain(struct json_reader *json, const char **out)
{
	bool is_plain = true;
	const char *key;

	json_begin_object(json);
	*out = json->next;
	while ((key = json_next_key(json))) {
		char *end = (char *)key + strlen(key);

		is_plain = is_plain && skip_space(end + 1) == json->next - 1;
		json_string(json);
		is_plain = is_plain && !json->problem && !json->next[-1];
	}
	return is_plain;
}

bool summary_next(const char **text, struct key_value *out)
{
	char *p = skip_space((char *)*text);

	if (*p == ',')
		p = skip_space(p + 1);
	if (*p != '"')
		return false;
	out->key = p + 1;
	p = skip_space(p + strlen(p) + 1);	/* to the colon */
	p = skip_space(p + 1);
	out->value = p + 1;
	*text = p + strlen(p) + 1;
	return true;
}

static void parse_summary(struct metadata_parser *parser, struct snapshot *s)
{
	struct json_reader before = parser->json;

	s->summary_text = NULL;
	s->summary = NULL;
	s->summary_count = 0;
	s->summary_text = json_flat_object(&parser->json);
	if (s->summary_text || json_null(&parser->json) ||
	    read_plain(&parser->json, &s->summary_text) ||
	    parser->json.problem)
		return;
	s->summary_text = NULL;
	/* once more, from what was read */
	json_peek(&before);
	pool_copy_read(parser->m->pool, (size_t)(before.next - before.start),
		       (size_t)(parser->json.next - before.start),
		       before.next);
	parser->json = before;
	parser_map(parser, &s->summary, &s->summary_count);
}

static void parse_manifests(struct metadata_parser *parser,
			    struct snapshot *snapshot)
{
	char **slot;

	if (json_null(&parser->json))
		return;
	json_begin_array(&parser->json);
	while (json_next_item(&parser->json)) {
		slot = parse_item(parser, (void **)&snapshot->manifests,
				  &snapshot->manifest_count, sizeof(*slot));
		if (!slot)
			return;
		*slot = parser_string(parser);
	}
}

/* The number of a snapshot that a member names; NULL for other members. */
static int64_t *number_of(struct snapshot *s, const char *key)
{
	switch (key[0]) {
	case 's':
		if (!strcmp(key, "snapshot-id"))
			return &s->snapshot_id;
		return strcmp(key, "sequence-number") ? NULL
						      : &s->sequence_number;
	case 'p':
		return strcmp(key, "parent-snapshot-id") ? NULL
							 : &s->parent_id;
	case 't':
		return strcmp(key, "timestamp-ms") ? NULL : &s->timestamp_ms;
	case 'f':
		return strcmp(key, "first-row-id") ? NULL : &s->first_row_id;
	case 'a':
		return strcmp(key, "added-rows") ? NULL : &s->added_rows;
	default:
		return NULL;
	}
}

static void parse_members(struct metadata_parser *parser, struct snapshot *s)
{
	struct json_reader *json = &parser->json;
	const char *key;
	int64_t *number;

	json_begin_object(json);
	while ((key = json_next_key(json))) {
		if ((number = number_of(s, key))) {
			if (!json_null(json))
				*number = json_int64(json);
		} else if (json_key_is(key, "summary")) {
			parse_summary(parser, s);
		} else if (json_key_is(key, "manifests")) {
			parse_manifests(parser, s);
		} else if (json_null(json)) {
			continue;
		} else if (json_key_is(key, "manifest-list")) {
			s->manifest_list = parser_string(parser);
		} else if (json_key_is(key, "schema-id")) {
			s->schema_id = json_int32(json);
		} else {
			json_skip(json);
		}
	}
}

/* The document from offset to offset; a copy only where some of it, and not
 * all, may have had escapes. */
static bool keep_span(struct table_metadata *m, size_t from, size_t to,
		      struct byte_view *out)
{
	const struct string_pool *pool = m->pool;
	char *copy;

	*out = byte_view(pool->text + from, to - from);
	if (from >= pool->pristine_bytes)
		return true;
	if (to <= pool->pristine_bytes) {
		out->data = (const uint8_t *)pool->pristine + from;
		return true;
	}
	copy = arena_alloc_bytes(&m->arena, to - from);
	if (!copy)
		return false;
	pool_copy_read(pool, from, to, copy);
	out->data = (const uint8_t *)copy;
	return true;
}

void parse_snapshot(struct metadata_parser *parser)
{
	struct table_metadata *m = parser->m;
	struct snapshot *snapshot;
	size_t start, end;

	snapshot = parse_item(parser, (void **)&m->snapshots,
			      &m->snapshot_count, sizeof(*snapshot));
	if (!snapshot)
		return;
	snapshot->snapshot_id = -1;
	snapshot->parent_id = -1;
	snapshot->timestamp_ms = -1;
	snapshot->schema_id = -1;
	snapshot->first_row_id = -1;
	snapshot->added_rows = -1;
	json_peek(&parser->json);
	start = (size_t)(parser->json.next - parser->json.start);
	parse_members(parser, snapshot);
	if (parser->json.problem)
		return;
	end = (size_t)(parser->json.next - parser->json.start);
	if (!keep_span(m, start, end, &snapshot->json)) {
		parser_fail(parser, error_set(parser->err, ERROR_NO_MEMORY,
					      "a snapshot"));
		return;
	}
	if (snapshot->parent_id < 0)
		snapshot->parent_id = -1;
	if (snapshot->snapshot_id < 0 || snapshot->timestamp_ms < 0 ||
	    (!snapshot->manifest_list && !snapshot->manifests))
		json_fail(&parser->json,
			  "a snapshot lacks its id, time or manifest list");
}

static void format_manifests(const struct snapshot *snapshot,
			     struct text *out)
{
	text_add_str(out, ",\"manifests\":[");
	for (size_t i = 0; i < snapshot->manifest_count; i++) {
		if (i)
			text_add_char(out, ',');
		add_json_string(out, snapshot->manifests[i]);
	}
	text_add_char(out, ']');
}

static void format_summary(const struct snapshot *s, struct text *out)
{
	const char *text = s->summary_text;
	struct key_value pair;
	bool first = true;

	if (!text) {
		format_map(s->summary, s->summary_count, out);
		return;
	}
	text_add_char(out, '{');
	while (summary_next(&text, &pair)) {
		if (!first)
			text_add_char(out, ',');
		first = false;
		add_json_string(out, pair.key);
		text_add_char(out, ':');
		add_json_string(out, pair.value);
	}
	text_add_char(out, '}');
}

static void format_number(struct text *out, const char *name, int64_t value)
{
	text_add_str(out, name);
	add_int64(out, value);
}

void format_snapshot(const struct snapshot *s, struct text *out)
{
	size_t start = out->length;

	if (s->json.data) {
		if (text_add(out, s->json.data, s->json.length))
			nuls_to_quotes(out->data + start, s->json.length);
		return;
	}
	text_add_char(out, '{');
	if (s->sequence_number > 0) {
		format_number(out, "\"sequence-number\":", s->sequence_number);
		text_add_char(out, ',');
	}
	format_number(out, "\"snapshot-id\":", s->snapshot_id);
	if (s->parent_id >= 0)
		format_number(out, ",\"parent-snapshot-id\":", s->parent_id);
	format_number(out, ",\"timestamp-ms\":", s->timestamp_ms);
	text_add_str(out, ",\"summary\":");
	format_summary(s, out);
	if (s->manifest_list) {
		text_add_str(out, ",\"manifest-list\":");
		add_json_string(out, s->manifest_list);
	} else {
		format_manifests(s, out);
	}
	if (s->schema_id >= 0)
		format_number(out, ",\"schema-id\":", s->schema_id);
	if (s->first_row_id >= 0)
		format_number(out, ",\"first-row-id\":", s->first_row_id);
	if (s->added_rows >= 0)
		format_number(out, ",\"added-rows\":", s->added_rows);
	text_add_char(out, '}');
}
