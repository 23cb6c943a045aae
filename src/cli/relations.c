/*
 * relations.c - tables as relations of a statement
 */
#include "cli/names.h"

struct table_relation {
	struct relation base;
	struct table *table;
	char *name;
};

static int table_relation_open(struct relation *relation, const bool *wanted,
			       const struct column_range *ranges,
			       size_t range_count, struct batch_source **out,
			       struct error *err)
{
	struct table_relation *self = (struct table_relation *)relation;

	return table_source_new(out, self->table, wanted, ranges, range_count,
				err);
}

static void table_relation_free(struct relation *relation)
{
	struct table_relation *self = (struct table_relation *)relation;

	table_free(self->table);
	schema_release(&relation->schema);
	mem_free(self->name);
	mem_free(self);
}

int table_relation_new(struct relation **out, const char *name,
		       struct table *table, struct error *err)
{
	struct table_relation *self = mem_zalloc(sizeof(*self));
	int rc;

	*out = NULL;
	if (!self) {
		table_free(table);
		return error_set(err, ERROR_NO_MEMORY, "%s", name);
	}
	self->table = table;
	self->base.source_open = table_relation_open;
	self->base.free = table_relation_free;
	self->base.table = table_catalog(table)->directory;
	self->name = mem_strdup(name);
	self->base.name = self->name;
	rc = schema_copy(&self->base.schema, table_schema(table), err);
	if (!rc && !self->name)
		rc = error_set(err, ERROR_NO_MEMORY, "%s", name);
	if (rc) {
		table_relation_free(&self->base);
		return rc;
	}
	*out = &self->base;
	return 0;
}
