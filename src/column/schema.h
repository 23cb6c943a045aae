#ifndef COLUMN_SCHEMA_H
#define COLUMN_SCHEMA_H
#include "column/type.h"
#include "column/literal.h"

/* One column of a table, file or query. Strings live in the schema's arena. */
struct column_def {
	char *name;
	struct type type;
	int32_t field_id;	/* Iceberg's, 0 = none */
	bool required;		/* NOT NULL */
	bool is_identifier;	/* part of the PRIMARY KEY */
	char *doc;		/* NULL = none */
	struct literal *initial_default;	/* NULL = none */
	struct literal *write_default;	/* value for omitted columns, NULL=none */
};

/* Columns in order. Owns all that hangs below it, in its arena. */
struct schema {
	struct arena arena;
	struct column_def *columns;
	size_t column_count;
	size_t capacity;
	int32_t schema_id;
};

void schema_init(struct schema *schema);
void schema_release(struct schema *schema);
/* Append a copy of def (deep). Errors: ERROR_NO_MEMORY. */
int schema_add(struct schema *schema, const struct column_def *def,
	       struct error *err);
int schema_add_column(struct schema *schema, const char *name,
		      struct type type, struct error *err);
int schema_copy(struct schema *out, const struct schema *schema,
		struct error *err);
/*
 * Index by name: the exact name, else the only one that differs in ASCII
 * case alone. -1 = none; -2 = several differ in case only.
 */
long schema_find(const struct schema *schema, const char *name);
/* By Iceberg field id; -1 = none. */
long schema_find_id(const struct schema *schema, int32_t field_id);
#endif
