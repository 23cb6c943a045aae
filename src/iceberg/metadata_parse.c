/*
 * metadata_parse.c - table metadata from its JSON (iceberg.md 4)
 *
 * Why:    a table that is written every minute has a document that grows by a
 *         snapshot each time, and each run reads it; so this is one pass.
 * How:    the document is the pool: the JSON reader leaves strings where they
 *         stand, and makes their closing quotes NULs. So a snapshot's text is
 *         a span of it in which NULs stand for quotes. Only what has escapes,
 *         which are shorter once they are taken out, is copied before: mostly
 *         the properties, which come before the snapshots.
 * Cost:   about 1 ms per MB.
 * Limits: the project's other JSON is cJSON's; here 64-bit ids must stay
 *         exact and unknown members whole, hence codec/json_reader.h.
 */
#include "iceberg/metadata_json.h"
#include "iceberg/schema_json.h"

void parser_fail(struct metadata_parser *parser, int rc)
{
	if (!parser->rc && !parser->json.problem)
		parser->rc = rc;
	json_fail(&parser->json, "refused");
}

static void fail_memory(struct metadata_parser *parser)
{
	parser_fail(parser, error_set(parser->err, ERROR_NO_MEMORY,
				      "table metadata"));
}

char *parser_string(struct metadata_parser *parser)
{
	return json_string(&parser->json);
}

void *parse_item(struct metadata_parser *parser, void **items, size_t *count,
		 size_t item_bytes)
{
	size_t used = *count;
	void *bigger;

	if (parser->json.problem)
		return NULL;
	/* full at 0 and at every power of two from 8 on */
	if (used == 0 || (used >= 8 && (used & (used - 1)) == 0)) {
		size_t capacity = used ? used * 2 : 8;

		bigger = arena_zalloc_array(&parser->m->arena, capacity,
					    item_bytes);
		if (!bigger) {
			fail_memory(parser);
			return NULL;
		}
		if (used)
			memcpy(bigger, *items, used * item_bytes);
		*items = bigger;
	}
	*count = used + 1;
	return (char *)*items + used * item_bytes;
}

void parser_map(struct metadata_parser *parser, struct key_value **out,
		size_t *count_out)
{
	struct json_reader *json = &parser->json;
	size_t count = 0;
	const char *key;

	*out = NULL;
	*count_out = 0;
	if (json_null(json))
		return;
	json_begin_object(json);
	while ((key = json_next_key(json))) {
		if (!mem_grow((void **)&parser->pairs, &parser->pair_capacity,
			      count, sizeof(*parser->pairs))) {
			fail_memory(parser);
			return;
		}
		parser->pairs[count].key = (char *)key;
		parser->pairs[count++].value = parser_string(parser);
	}
	if (json->problem || !count)
		return;
	*out = arena_alloc(&parser->m->arena, count * sizeof(**out));
	if (!*out) {
		fail_memory(parser);
		return;
	}
	memcpy(*out, parser->pairs, count * sizeof(**out));
	*count_out = count;
}

/* Run parse for each item of a list; null is an empty list. */
static void parse_list(struct metadata_parser *parser,
		       void (*parse)(struct metadata_parser *parser))
{
	if (json_null(&parser->json))
		return;
	json_begin_array(&parser->json);
	while (json_next_item(&parser->json))
		parse(parser);
}

void parse_schema(struct metadata_parser *parser)
{
	struct table_metadata *m = parser->m;
	struct schema schema, *slot;
	int rc;

	rc = schema_json_read(&parser->json, &schema, parser->err);
	if (rc) {
		error_prefix(parser->err, "%s", parser->name);
		parser->rc = rc;
	}
	slot = parse_item(parser, (void **)&m->schemas, &m->schema_count,
			  sizeof(*m->schemas));
	if (slot)
		*slot = schema;
	else
		schema_release(&schema);
}

static void parse_ref(struct metadata_parser *parser, const char *name)
{
	struct table_metadata *m = parser->m;
	struct json_reader *json = &parser->json;
	struct snapshot_ref *ref;
	bool has_id = false, has_type = false;
	const char *key, *type;

	ref = parse_item(parser, (void **)&m->refs, &m->ref_count,
			 sizeof(*ref));
	if (!ref)
		return;
	ref->name = (char *)name;
	ref->min_snapshots_to_keep = -1;
	ref->max_snapshot_age_ms = -1;
	ref->max_ref_age_ms = -1;
	json_begin_object(json);
	while ((key = json_next_key(json))) {
		if (!strcmp(key, "snapshot-id")) {
			ref->snapshot_id = json_int64(json);
			has_id = true;
		} else if (!strcmp(key, "type")) {
			type = json_string(json);
			ref->is_tag = text_equal_nocase(type, "tag");
			has_type = ref->is_tag ||
				   text_equal_nocase(type, "branch");
		} else if (json_null(json)) {
			continue;
		} else if (!strcmp(key, "min-snapshots-to-keep")) {
			ref->min_snapshots_to_keep = json_int64(json);
		} else if (!strcmp(key, "max-snapshot-age-ms")) {
			ref->max_snapshot_age_ms = json_int64(json);
		} else if (!strcmp(key, "max-ref-age-ms")) {
			ref->max_ref_age_ms = json_int64(json);
		} else {
			json_skip(json);
		}
	}
	if (!has_id || !has_type)
		json_fail(json, "a ref lacks its snapshot or type");
}

static void parse_refs(struct metadata_parser *parser)
{
	const char *name;

	if (json_null(&parser->json))
		return;
	parser->seen |= MEMBER_REFS;
	json_begin_object(&parser->json);
	while ((name = json_next_key(&parser->json)))
		parse_ref(parser, name);
}

static void parse_log_entry(struct metadata_parser *parser,
			    struct log_entry *entry)
{
	struct json_reader *json = &parser->json;
	const char *key;

	entry->timestamp_ms = -1;
	entry->snapshot_id = -1;
	json_begin_object(json);
	while ((key = json_next_key(json))) {
		if (json_key_is(key, "timestamp-ms"))
			entry->timestamp_ms = json_int64(json);
		else if (json_key_is(key, "snapshot-id"))
			entry->snapshot_id = json_int64(json);
		else if (json_key_is(key, "metadata-file"))
			entry->metadata_file = parser_string(parser);
		else
			json_skip(json);
	}
	if (entry->timestamp_ms < 0)
		json_fail(json, "a log entry without a time");
}

static void parse_snapshot_log(struct metadata_parser *parser)
{
	struct table_metadata *m = parser->m;
	struct log_entry *entry;

	entry = parse_item(parser, (void **)&m->snapshot_log,
			   &m->snapshot_log_count, sizeof(*entry));
	if (!entry)
		return;
	parse_log_entry(parser, entry);
	if (entry->snapshot_id < 0)
		json_fail(&parser->json, "a log entry without a snapshot");
}

static void parse_metadata_log(struct metadata_parser *parser)
{
	struct table_metadata *m = parser->m;
	struct log_entry *entry;

	entry = parse_item(parser, (void **)&m->metadata_log,
			   &m->metadata_log_count, sizeof(*entry));
	if (!entry)
		return;
	parse_log_entry(parser, entry);
	if (!entry->metadata_file)
		json_fail(&parser->json, "a log entry without a file");
}

/* Keep a member as it stands, behind those that came before. */
static void keep_extra(struct metadata_parser *parser, const char *key)
{
	struct table_metadata *m = parser->m;
	struct byte_view raw = json_raw(&parser->json);
	struct text text = TEXT_INIT;
	char *joined;

	if (parser->json.problem)
		return;
	if (!strcmp(key, "encryption-keys") && raw.length > 2 &&
	    memcmp(raw.data, "null", 4) != 0)
		m->has_encryption_keys = true;
	add_json_string(&text, key);
	text_add_char(&text, ':');
	text_add(&text, raw.data, raw.length);
	joined = text.failed ? NULL
		 : arena_printf(&m->arena, "%s%s%s", m->extra ? m->extra : "",
				m->extra ? "," : "", text.data);
	text_release(&text);
	if (joined)
		m->extra = joined;
	else
		fail_memory(parser);
}

/* Members that are numbers. */
static bool parse_number(struct metadata_parser *parser, const char *key)
{
	struct table_metadata *m = parser->m;
	const struct {
		const char *name;
		int32_t *small;
		int64_t *big;
		uint32_t bit;
	} numbers[] = {
		{ "format-version", &m->format_version, NULL,
		  MEMBER_FORMAT_VERSION },
		{ "last-sequence-number", NULL, &m->last_sequence_number,
		  MEMBER_LAST_SEQUENCE },
		{ "last-updated-ms", NULL, &m->last_updated_ms,
		  MEMBER_LAST_UPDATED },
		{ "last-column-id", &m->last_column_id, NULL,
		  MEMBER_LAST_COLUMN },
		{ "current-schema-id", &m->current_schema_id, NULL,
		  MEMBER_CURRENT_SCHEMA },
		{ "default-spec-id", &m->default_spec_id, NULL,
		  MEMBER_DEFAULT_SPEC },
		{ "last-partition-id", &m->last_partition_id, NULL,
		  MEMBER_LAST_PARTITION },
		{ "default-sort-order-id", &m->default_sort_order_id, NULL,
		  MEMBER_DEFAULT_ORDER },
		{ "current-snapshot-id", NULL, &m->current_snapshot_id, 0 },
		{ "next-row-id", NULL, &m->next_row_id, MEMBER_NEXT_ROW },
	};

	for (size_t i = 0; i < ARRAY_COUNT(numbers); i++) {
		if (strcmp(key, numbers[i].name))
			continue;
		if (json_null(&parser->json))
			return true;
		parser->seen |= numbers[i].bit;
		if (numbers[i].small)
			*numbers[i].small = json_int32(&parser->json);
		else
			*numbers[i].big = json_int64(&parser->json);
		return true;
	}
	return false;
}

static void parse_v1_schema(struct metadata_parser *parser)
{
	/* repeats an entry of "schemas" when there is such a list */
	if (parser->m->schema_count) {
		json_skip(&parser->json);
		return;
	}
	parser->seen |= MEMBER_V1_SCHEMA;
	parse_schema(parser);
}

static void parse_v1_spec(struct metadata_parser *parser)
{
	struct table_metadata *m = parser->m;
	struct partition_spec *spec;

	if (m->spec_count) {
		json_skip(&parser->json);
		return;
	}
	spec = parse_item(parser, (void **)&m->specs, &m->spec_count,
			  sizeof(*spec));
	parser->seen |= MEMBER_V1_SPEC;
	if (spec)
		parse_spec_fields(parser, spec);
}

/* A list may come behind the member of version 1 that it replaces. */
static void parse_schemas(struct metadata_parser *parser)
{
	struct table_metadata *m = parser->m;

	for (size_t i = 0; i < m->schema_count; i++)
		schema_release(&m->schemas[i]);
	m->schema_count = 0;
	parser->seen |= MEMBER_SCHEMAS;
	parser->seen &= ~(uint32_t)MEMBER_V1_SCHEMA;
	parse_list(parser, parse_schema);
}

static void parse_specs(struct metadata_parser *parser)
{
	parser->m->spec_count = 0;
	parser->seen |= MEMBER_SPECS;
	parser->seen &= ~(uint32_t)MEMBER_V1_SPEC;
	parse_list(parser, parse_spec);
}

static void parse_member(struct metadata_parser *parser, const char *key)
{
	struct table_metadata *m = parser->m;

	if (parse_number(parser, key))
		return;
	if (!strcmp(key, "table-uuid")) {
		if (!json_null(&parser->json))
			m->table_uuid = parser_string(parser);
	} else if (!strcmp(key, "location")) {
		m->location = parser_string(parser);
	} else if (!strcmp(key, "schema")) {
		parse_v1_schema(parser);
	} else if (!strcmp(key, "schemas")) {
		parse_schemas(parser);
	} else if (!strcmp(key, "partition-spec")) {
		parse_v1_spec(parser);
	} else if (!strcmp(key, "partition-specs")) {
		parse_specs(parser);
	} else if (!strcmp(key, "sort-orders")) {
		parser->seen |= MEMBER_ORDERS;
		parse_list(parser, parse_sort_order);
	} else if (!strcmp(key, "properties")) {
		parser_map(parser, &m->properties, &m->property_count);
	} else if (!strcmp(key, "refs")) {
		parse_refs(parser);
	} else if (!strcmp(key, "snapshots")) {
		parse_list(parser, parse_snapshot);
	} else if (!strcmp(key, "snapshot-log")) {
		parse_list(parser, parse_snapshot_log);
	} else if (!strcmp(key, "metadata-log")) {
		parse_list(parser, parse_metadata_log);
	} else {
		keep_extra(parser, key);
	}
}

static int check_version(const char *name, int32_t version,
			 struct error *err)
{
	if (version >= 1 && version <= 3)
		return 0;
	if (version < 1)
		return error_set(err, ERROR_CORRUPT, "%s: format version %d",
				 name, (int)version);
	error_set(err, ERROR_UNSUPPORTED, "%s: Iceberg format version %d",
		  name, (int)version);
	return error_hint(err, "versions 1 to 3 are read");
}

/*
 * A document that we fail to read may be of a later version: then say so,
 * wherever the version stands. Returns rc if it is not.
 */
static int blame_version(const char *name, const char *json, size_t length,
			 int rc, struct error *err)
{
	char *copy = mem_strndup(json, length);
	struct json_reader reader;
	int32_t version = 1;
	const char *key;

	if (!copy)
		return rc;
	json_reader_init(&reader, copy, strlen(copy));
	json_begin_object(&reader);
	while ((key = json_next_key(&reader)))
		if (!strcmp(key, "format-version"))
			version = json_int32(&reader);
		else
			json_skip(&reader);
	mem_free(copy);
	return version > 3 ? check_version(name, version, err) : rc;
}

/* Behind the last string with an escape, or further. */
static size_t escapes_end(const char *text, size_t length)
{
	const char *end = text + length, *last, *quote;

	last = memrchr(text, '\\', length);
	if (!last)
		return 0;
	if (end - last <= 2)
		return length;
	quote = memchr(last + 2, '"', (size_t)(end - last) - 2);
	return quote ? (size_t)(quote - text) + 1 : length;
}

void pool_copy_read(const struct string_pool *pool, size_t from, size_t to,
		    char *out)
{
	size_t kept = from < pool->pristine_bytes
			      ? pool->pristine_bytes - from : 0;

	if (kept > to - from)
		kept = to - from;
	if (kept)
		memcpy(out, pool->pristine + from, kept);
	if (out + kept != pool->text + from + kept)
		memcpy(out + kept, pool->text + from + kept,
		       to - from - kept);
	nuls_to_quotes(out + kept, to - from - kept);
}

/* The pool: the text, which is taken, and a copy of what has escapes. */
static int set_up(struct metadata_parser *parser, struct text *json,
		  struct error *err)
{
	size_t length = json->length;
	struct string_pool *pool = mem_zalloc(sizeof(*pool));

	if (!pool)
		return error_set(err, ERROR_NO_MEMORY, "table metadata");
	parser->m->pool = pool;
	pool->users = 1;
	pool->byte_count = length + 1;
	pool->text = text_detach(json);
	if (pool->text)
		pool->pristine_bytes = escapes_end(pool->text, length);
	if (pool->pristine_bytes)
		pool->pristine = mem_alloc(pool->pristine_bytes);
	if (!pool->text || (pool->pristine_bytes && !pool->pristine))
		return error_set(err, ERROR_NO_MEMORY,
				 "table metadata of %zu bytes", length);
	if (pool->pristine)
		memcpy(pool->pristine, pool->text, pool->pristine_bytes);
	json_reader_init(&parser->json, pool->text, length);
	return 0;
}

static int parse_document(struct metadata_parser *parser, struct error *err)
{
	const char *key;
	int rc;

	json_begin_object(&parser->json);
	while ((key = json_next_key(&parser->json)))
		parse_member(parser, key);
	if (parser->rc)
		return parser->rc;
	rc = json_finish(&parser->json, parser->name, err);
	if (!rc && parser->seen & MEMBER_FORMAT_VERSION)
		rc = check_version(parser->name, parser->m->format_version,
				   err);
	if (rc)
		return rc;
	return metadata_complete(parser->m, parser->seen, parser->name, err);
}

int table_metadata_parse_text(struct table_metadata **out, struct text *json,
			      const char *name, struct error *err)
{
	struct metadata_parser parser;
	size_t length = json->length;
	int rc;

	*out = NULL;
	memset(&parser, 0, sizeof(parser));
	parser.err = err;
	parser.name = name;
	parser.m = mem_zalloc(sizeof(*parser.m));
	if (!parser.m) {
		text_release(json);
		return error_set(err, ERROR_NO_MEMORY, "table metadata");
	}
	arena_init(&parser.m->arena, 64 << 10);
	parser.m->current_snapshot_id = -1;
	parser.m->next_row_id = -1;
	parser.m->last_partition_id = -1;
	rc = set_up(&parser, json, err);
	text_release(json);
	if (!rc)
		rc = parse_document(&parser, err);
	mem_free(parser.pairs);
	if (rc == ERROR_CORRUPT) {
		struct string_pool *pool = parser.m->pool;

		pool_copy_read(pool, 0, length, pool->text);
		rc = blame_version(name, pool->text, length, rc, err);
	}
	if (rc)
		table_metadata_free(parser.m);
	else
		*out = parser.m;
	return rc;
}

int table_metadata_parse(struct table_metadata **out, const char *json,
			 size_t length, const char *name, struct error *err)
{
	struct text copy = TEXT_INIT;

	*out = NULL;
	text_add(&copy, json, length);
	if (copy.failed) {
		text_release(&copy);
		return error_set(err, ERROR_NO_MEMORY,
				 "table metadata of %zu bytes", length);
	}
	return table_metadata_parse_text(out, &copy, name, err);
}
