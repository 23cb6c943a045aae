/*
 * snapshot_json.c - snapshots of the metadata document (iceberg.md 4.2)
 *
 * Why:    a table has hundreds of them and a commit changes none; so each is
 *         kept as the text that it was read from and written back as such,
 *         whatever it holds that we do not know.
 */
#include "iceberg/metadata_json.h"

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
		if (!strcmp(key, "summary"))
			parser_map(parser, &s->summary, &s->summary_count);
		else if (!strcmp(key, "manifests"))
			parse_manifests(parser, s);
		else if (json_null(json))
			continue;
		else if ((number = number_of(s, key)))
			*number = json_int64(json);
		else if (!strcmp(key, "manifest-list"))
			s->manifest_list = parser_string(parser);
		else if (!strcmp(key, "schema-id"))
			s->schema_id = json_int32(json);
		else
			json_skip(json);
	}
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
	/* a comma, a bracket or white space stood there */
	snapshot->json = (char *)parser->pristine + start;
	snapshot->json[end - start] = '\0';
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

static void format_number(struct text *out, const char *name, int64_t value)
{
	text_add_str(out, name);
	add_int64(out, value);
}

void format_snapshot(const struct snapshot *s, struct text *out)
{
	if (s->json) {
		text_add_str(out, s->json);
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
	format_map(s->summary, s->summary_count, out);
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
