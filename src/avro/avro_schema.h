#ifndef AVRO_AVRO_SCHEMA_H
#define AVRO_AVRO_SCHEMA_H
#include "util/util.h"

enum avro_kind {
	AVRO_NULL,
	AVRO_BOOLEAN,
	AVRO_INT,
	AVRO_LONG,
	AVRO_FLOAT,
	AVRO_DOUBLE,
	AVRO_BYTES,
	AVRO_STRING,
	AVRO_FIXED,
	AVRO_ENUM,
	AVRO_ARRAY,
	AVRO_MAP,
	AVRO_RECORD,
	AVRO_UNION,
};

struct avro_schema;

/* A field of a record, a branch of a union, the item of an array or map. */
struct avro_field {
	const char *name;	/* record fields only */
	int32_t field_id;	/* field-id or element-id; -1 = none */
	size_t index;		/* unique within the whole schema */
	const struct avro_schema *type;
};

/* A schema as its writer wrote it: a tree, everything in one arena. */
struct avro_schema {
	enum avro_kind kind;
	const char *name;	/* RECORD, FIXED, ENUM; else NULL */
	const char *logical;	/* "decimal", ...; NULL = none */
	uint32_t size;		/* FIXED: bytes */
	int32_t precision;	/* decimal */
	int32_t scale;
	struct avro_field *fields;
	size_t field_count;
	size_t index_limit;	/* no field below has a higher index */
	bool is_empty;		/* a value takes no bytes */
};

#define AVRO_SCHEMA_LIMIT_BYTES (4u << 20)

/*
 * Parse the JSON of a schema into arena. Errors: ERROR_CORRUPT;
 * ERROR_UNSUPPORTED for what no manifest has: a record named a second time,
 * an array of items without bytes.
 */
int avro_schema_parse(struct avro_schema **out, const void *json,
		      size_t length, const char *name, struct arena *arena,
		      struct error *err);
/* The other branch of a two-branch union with null, else the type itself. */
const struct avro_schema *avro_not_null(const struct avro_schema *type);
#endif
