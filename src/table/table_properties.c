/*
 * table_properties.c - table properties, checked
 *
 * Why:    a misspelt property is silently without effect, and a bad value
 *         would surface years later; so ours are checked when they are set.
 * How:    a table of keys and what their values may be. Keys outside of
 *         rowmerge.* that we do not know are other engines' business.
 */
#include <stdio.h>
#include "table/table_state.h"

struct property_rule {
	const char *key;
	const char *words;	/* "a|b|c"; NULL = by kind */
	char kind;		/* n: number > 0, i: any whole number,
				 * d: duration */
};

static const struct property_rule rules[] = {
	{ "write.merge.mode", "merge-on-read|copy-on-write", 0 },
	{ "write.update.mode", "merge-on-read|copy-on-write", 0 },
	{ "write.delete.mode", "merge-on-read|copy-on-write", 0 },
	{ "write.parquet.compression-codec",
	  "zstd|snappy|gzip|lz4|lz4_raw|none|uncompressed", 0 },
	{ "write.target-file-size-bytes", NULL, 'n' },
	{ "write.parquet.row-group-size-bytes", NULL, 'n' },
	{ "write.parquet.page-size-bytes", NULL, 'n' },
	{ "write.metadata.previous-versions-max", NULL, 'n' },
	{ "history.expire.min-snapshots-to-keep", NULL, 'n' },
	{ "history.expire.max-snapshot-age-ms", NULL, 'n' },
	{ "rowmerge.isolation", "write-serializable|serializable", 0 },
	{ "rowmerge.row-level-concurrency", "auto|on|off", 0 },
	{ "rowmerge.key-guard", "true|false", 0 },
	{ "rowmerge.lock-max-hold", NULL, 'd' },
	{ "rowmerge.commit-timeout", NULL, 'd' },
	{ "rowmerge.max-resolve-ms", NULL, 'i' },
	{ "rowmerge.retain-runs", NULL, 'i' },
	{ "rowmerge.fold", "auto|off", 0 },
	{ "rowmerge.write.update.columns", "changed|all", 0 },
	{ "rowmerge.parquet.encoding", "auto|compatible", 0 },
	{ "rowmerge.write.sort", "always|never", 0 },
	{ "rowmerge.write.max-open-partitions", NULL, 'n' },
};

static bool is_number(const char *value, bool positive)
{
	int64_t number;

	return parse_int64(value, strlen(value), &number) == 0 &&
	       number >= (positive ? 1 : 0);
}

/* "10 s", "500ms", "1.5s", "60": a number and a unit. */
static bool is_duration(const char *value)
{
	static const char *const units[] = { "", "ms", "s", "m", "h" };
	const char *p = value + strspn(value, "0123456789");

	if (p == value)
		return false;
	if (*p == '.')
		p += 1 + strspn(p + 1, "0123456789");
	p += strspn(p, " ");
	for (size_t i = 0; i < ARRAY_COUNT(units); i++)
		if (!strcmp(p, units[i]))
			return true;
	return false;
}

static bool is_word(const char *words, const char *value)
{
	size_t length = strlen(value);

	while (*words) {
		size_t word = strcspn(words, "|");

		if (word == length && !memcmp(words, value, length))
			return true;
		words += word + (words[word] == '|');
	}
	return false;
}

static int bad_value(const struct property_rule *rule, const char *value,
		     struct error *err)
{
	error_set(err, ERROR_BAD_ARGUMENT, "'%s' is no value of property %s",
		  value, rule->key);
	if (rule->words)
		error_hint(err, "one of %s", rule->words);
	else
		error_hint(err, rule->kind == 'd'
				? "a number and ms, s, m or h"
				: "a whole number");
	return ERROR_BAD_ARGUMENT;
}

static int check_rule(const struct property_rule *rule, const char *value,
		      struct error *err)
{
	bool fine;

	if (rule->words)
		fine = is_word(rule->words, value);
	else if (rule->kind == 'd')
		fine = is_duration(value);
	else
		fine = is_number(value, rule->kind == 'n');
	return fine ? 0 : bad_value(rule, value, err);
}

/* "rowmerge.default.3" and the like. */
static bool is_column_property(const char *key)
{
	static const char *const prefixes[] = { DEFAULT_PROPERTY,
						"rowmerge.identity." };

	for (size_t i = 0; i < ARRAY_COUNT(prefixes); i++)
		if (text_starts_with(key, prefixes[i]))
			return is_number(key + strlen(prefixes[i]), true);
	return false;
}

int table_property_check(const char *key, const char *value,
			 struct error *err)
{
	static const char *const reserved[] = {
		"format-version", "uuid", "location", "current-snapshot-id",
		"current-schema", "rowmerge.commit", "rowmerge.commit-log",
	};

	if (!*key)
		return error_set(err, ERROR_BAD_ARGUMENT,
				 "a property without a name");
	for (size_t i = 0; i < ARRAY_COUNT(reserved); i++)
		if (!strcmp(key, reserved[i]))
			return error_set(err, ERROR_BAD_ARGUMENT, "%s cannot "
					 "be set as a property", key);
	for (size_t i = 0; i < ARRAY_COUNT(rules); i++)
		if (!strcmp(key, rules[i].key))
			return value ? check_rule(&rules[i], value, err) : 0;
	if (text_starts_with(key, "rowmerge.") && !is_column_property(key))
		return error_set(err, ERROR_BAD_ARGUMENT,
				 "unknown property %s", key);
	return value ? scan_check_property(key, value, err) : 0;
}

void table_record_init(struct commit_record *record, const char *kind,
		       const char *operation,
		       const struct catalog_table *base, int64_t now_us)
{
	const struct table_metadata *metadata = base ? base->metadata : NULL;

	memset(record, 0, sizeof(*record));
	record->kind = kind;
	record->operation = operation;
	record->base = base ? base->version : 0;
	record->parent = record->base;
	record->snapshot_id = metadata ? metadata->current_snapshot_id : -1;
	record->schema_id = metadata ? metadata->current_schema_id : 0;
	record->time_ms = now_us / 1000;
	record->read_scope = "none";
}

int table_default_check(const struct table_metadata *metadata,
			const char *key, const char *text, struct error *err)
{
	const struct schema *schema = metadata_current_schema(metadata);
	struct literal value;
	struct arena arena;
	int32_t field_id;
	const char *id;
	long column;
	int rc;

	if (!text || !text_starts_with(key, DEFAULT_PROPERTY))
		return 0;
	id = key + strlen(DEFAULT_PROPERTY);
	if (parse_int32(id, strlen(id), &field_id))
		field_id = -1;
	column = schema_find_id(schema, field_id);
	if (column < 0)
		return error_set(err, ERROR_BAD_ARGUMENT, "property %s names "
				 "no column", key);
	arena_init(&arena, 0);
	rc = parse_value(text, strlen(text),
			 &schema->columns[column].type, &arena, &value);
	arena_release(&arena);
	if (rc)
		return error_set(err, ERROR_BAD_ARGUMENT, "'%s' is no value "
				 "of column '%s'", text,
				 schema->columns[column].name);
	return 0;
}
