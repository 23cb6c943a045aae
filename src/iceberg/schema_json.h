#ifndef ICEBERG_SCHEMA_JSON_H
#define ICEBERG_SCHEMA_JSON_H
#include "column/column.h"
#include "codec/codec.h"

/*
 * Schemas as JSON (iceberg.md 5): nested types are carried, timestamp_ns and
 * other types without an SQL name here are ERROR_UNSUPPORTED and named.
 */
int schema_json_parse(struct schema *out, const char *json, size_t length,
		      struct error *err);
/* With "schema-id" and "identifier-field-ids" as the table metadata has. */
int schema_json_format(const struct schema *schema, struct text *out,
		       struct error *err);
/* The same for a schema that is the next value of a reader; the caller asks
 * json_finish(). On failure, the reader's included, out is empty. */
int schema_json_read(struct json_reader *json, struct schema *out,
		     struct error *err);
/* "decimal(9, 2)", "timestamptz", ...; primitives only. */
bool type_json_format(const struct type *type, struct text *out);
/* Any type as the JSON of a schema: nested ones are objects. */
int type_json_format_any(const struct type *type, struct text *out,
			 struct error *err);
int type_json_parse(struct type *out, const char *text, struct error *err);
/* Append a name as every reader of Avro and Parquet takes it: ASCII letters,
 * digits and '_', others as _xHEX of their UTF-16 units (iceberg.md 6). True
 * if that differs from the name. */
bool safe_name_format(const char *name, struct text *out);
/* JSON single values (Appendix D) of defaults. */
int literal_json_format(const struct literal *literal, struct text *out,
			struct error *err);
#endif
