#ifndef ICEBERG_METADATA_JSON_H
#define ICEBERG_METADATA_JSON_H
#include "iceberg/table_metadata.h"
#include "codec/codec.h"

/*
 * What the files that parse and format table metadata share. Private to
 * iceberg.
 */
struct metadata_parser {
	struct json_reader json;
	struct table_metadata *m;
	struct error *err;
	const char *name;	/* of the file, for messages */
	int rc;			/* a failure that is not the JSON's */
	struct key_value *pairs;	/* scratch for one map */
	size_t pair_capacity;
	uint32_t seen;		/* bits: members that must be there */
	size_t extra_bytes;
};

/* Members whose absence a version forbids (bits of `seen`). */
enum metadata_member {
	MEMBER_FORMAT_VERSION = 1 << 0,
	MEMBER_LAST_SEQUENCE = 1 << 1,
	MEMBER_LAST_UPDATED = 1 << 2,
	MEMBER_LAST_COLUMN = 1 << 3,
	MEMBER_SCHEMAS = 1 << 4,
	MEMBER_CURRENT_SCHEMA = 1 << 5,
	MEMBER_SPECS = 1 << 6,
	MEMBER_DEFAULT_SPEC = 1 << 7,
	MEMBER_LAST_PARTITION = 1 << 8,
	MEMBER_ORDERS = 1 << 9,
	MEMBER_DEFAULT_ORDER = 1 << 10,
	MEMBER_NEXT_ROW = 1 << 11,
	MEMBER_V1_SCHEMA = 1 << 12,
	MEMBER_V1_SPEC = 1 << 13,
	MEMBER_REFS = 1 << 14,
};

/*
 * The bytes that a document's strings lie in, byte_count of them with the NUL.
 * Shared by a metadata value and its copies, on any thread.
 */
struct string_pool {
	_Atomic size_t users;
	size_t byte_count;
	char *text;		/* the reader's: NULs for closing quotes */
	char *pristine;		/* as it was read, up to where the last string
				 * with an escape ends; NULL if there is none */
	size_t pristine_bytes;
};

/* Text of strings without escapes, as it was before the reader. */
static inline void nuls_to_quotes(char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		text[i] = text[i] ? text[i] : '"';
}

/* Copy the document from offset to offset as it was read. */
void pool_copy_read(const struct string_pool *pool, size_t from, size_t to,
		    char *out);

/* Stop with a failure that err already tells. */
void parser_fail(struct metadata_parser *parser, int rc);
/* A string of the document, kept where it lies in the pool. */
char *parser_string(struct metadata_parser *parser);
/*
 * Room for one more item in a list that lives in the metadata's arena; it is
 * zeroed. NULL after a failure.
 */
void *parse_item(struct metadata_parser *parser, void **items, size_t *count,
		 size_t item_bytes);
/* A map of strings; null is empty. */
void parser_map(struct metadata_parser *parser, struct key_value **out,
		size_t *count_out);

void parse_schema(struct metadata_parser *parser);
void parse_spec(struct metadata_parser *parser);
void parse_spec_fields(struct metadata_parser *parser,
		       struct partition_spec *spec);
void parse_sort_order(struct metadata_parser *parser);
void parse_snapshot(struct metadata_parser *parser);

/* The load checks, and what older versions leave out is filled in. */
int metadata_complete(struct table_metadata *m, uint32_t seen,
		      const char *name, struct error *err);

/* A decimal number, fast. */
void add_int64(struct text *out, int64_t value);
void add_json_string(struct text *out, const char *value);
/*
 * Step through the pairs of a snapshot's summary_text: *text moves on, false
 * behind the last.
 */
bool summary_next(const char **text, struct key_value *out);
void format_snapshot(const struct snapshot *snapshot, struct text *out);
void format_spec_fields(const struct partition_spec *spec, struct text *out);
void format_spec(const struct partition_spec *spec, struct text *out);
void format_sort_order(const struct sort_order *order, struct text *out);
void format_map(const struct key_value *pairs, size_t count,
		struct text *out);
/* A column at any depth; NULL = none. */
const struct column_def *field_by_id(const struct column_def *columns,
				     size_t count, int32_t field_id);
/* The highest field id at any depth, at least `least`. */
int32_t highest_field_id(const struct column_def *columns, size_t count,
			 int32_t least);
#endif
