#ifndef ICEBERG_SCHEMA_JSON_H
#define ICEBERG_SCHEMA_JSON_H
#include "column/column.h"

/*
 * Schemas as JSON (iceberg.md 5): nested types are carried, timestamp_ns and
 * other types without an SQL name here are ERROR_UNSUPPORTED and named.
 */
int schema_json_parse(struct schema *out, const char *json, size_t length,
		      struct error *err);
/* With "schema-id" and "identifier-field-ids" as the table metadata has. */
int schema_json_format(const struct schema *schema, struct text *out,
		       struct error *err);
/* "decimal(9, 2)", "timestamptz", ...; primitives only. */
bool type_json_format(const struct type *type, struct text *out);
int type_json_parse(struct type *out, const char *text, struct error *err);
/* JSON single values (Appendix D) of defaults. */
int literal_json_format(const struct literal *literal, struct text *out,
			struct error *err);
#endif
