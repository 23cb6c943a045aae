/*
 * schema_format.c - schemas to Iceberg's JSON, in Java's member order
 *
 * Why:    the counterpart of schema_json.c.
 * Limits: types nested deeper than TYPE_NESTING_LIMIT, and types without an
 *         Iceberg name, are ERROR_UNSUPPORTED.
 */
#include "iceberg/schema_json.h"

static int format_type(const struct type *type, unsigned depth,
		       struct text *out, struct error *err);

static int format_default(const char *member, const struct literal *value,
			  struct text *out, struct error *err)
{
	if (!value || value->is_null)
		return 0;
	text_addf(out, ",\"%s\":", member);
	return literal_json_format(value, out, err);
}

static int format_field(const struct column_def *field, unsigned depth,
			struct text *out, struct error *err)
{
	int rc;

	text_addf(out, "{\"id\":%d,\"name\":", (int)field->field_id);
	text_add_json(out, field->name, strlen(field->name));
	text_addf(out, ",\"required\":%s,\"type\":",
		  field->required ? "true" : "false");
	rc = format_type(&field->type, depth, out, err);
	if (rc)
		return error_prefix(err, "column \"%s\"", field->name);
	if (field->doc) {
		text_add_str(out, ",\"doc\":");
		text_add_json(out, field->doc, strlen(field->doc));
	}
	rc = format_default("initial-default", field->initial_default, out,
			    err);
	if (!rc)
		rc = format_default("write-default", field->write_default,
				    out, err);
	if (!rc)
		text_add_char(out, '}');
	return rc;
}

static int format_fields(const struct column_def *fields, size_t count,
			 unsigned depth, struct text *out, struct error *err)
{
	int rc;

	text_add_str(out, "\"fields\":[");
	for (size_t i = 0; i < count; i++) {
		if (i)
			text_add_char(out, ',');
		rc = format_field(&fields[i], depth, out, err);
		if (rc)
			return rc;
	}
	text_add_str(out, "]");
	return 0;
}

static int format_list(const struct type *type, unsigned depth,
		       struct text *out, struct error *err)
{
	const struct column_def *element = &type->fields[0];
	int rc;

	text_addf(out, "{\"type\":\"list\",\"element-id\":%d,\"element\":",
		  (int)element->field_id);
	rc = format_type(&element->type, depth, out, err);
	if (!rc)
		text_addf(out, ",\"element-required\":%s}",
			  element->required ? "true" : "false");
	return rc;
}

static int format_map(const struct type *type, unsigned depth,
		      struct text *out, struct error *err)
{
	const struct column_def *key = &type->fields[0];
	const struct column_def *value = &type->fields[1];
	int rc;

	text_addf(out, "{\"type\":\"map\",\"key-id\":%d,\"key\":",
		  (int)key->field_id);
	rc = format_type(&key->type, depth, out, err);
	if (rc)
		return rc;
	text_addf(out, ",\"value-id\":%d,\"value\":", (int)value->field_id);
	rc = format_type(&value->type, depth, out, err);
	if (!rc)
		text_addf(out, ",\"value-required\":%s}",
			  value->required ? "true" : "false");
	return rc;
}

static int format_type(const struct type *type, unsigned depth,
		       struct text *out, struct error *err)
{
	char name[TYPE_NAME_BYTES];
	int rc;

	if (depth >= TYPE_NESTING_LIMIT)
		return error_set(err, ERROR_UNSUPPORTED,
				 "nested deeper than %d levels",
				 TYPE_NESTING_LIMIT);
	switch (type->id) {
	case TYPE_ROW:
		text_add_str(out, "{\"type\":\"struct\",");
		rc = format_fields(type->fields, type->field_count, depth + 1,
				   out, err);
		if (!rc)
			text_add_char(out, '}');
		return rc;
	case TYPE_ARRAY:
		return format_list(type, depth + 1, out, err);
	case TYPE_MAP:
		return format_map(type, depth + 1, out, err);
	default:
		text_add_char(out, '"');
		if (!type_json_format(type, out) && !out->failed)
			return error_set(err, ERROR_UNSUPPORTED,
					 "Iceberg has no type for %s",
					 type_name(type, name));
		text_add_char(out, '"');
		return 0;
	}
}

int type_json_format_any(const struct type *type, struct text *out,
			 struct error *err)
{
	int rc = format_type(type, 0, out, err);

	if (!rc && out->failed)
		rc = error_set(err, ERROR_NO_MEMORY, "type");
	return rc;
}

/* Identifier fields at any depth; *first is cleared by the first. */
static void format_identifiers(const struct column_def *fields, size_t count,
			       struct text *out, bool *first)
{
	for (size_t i = 0; i < count; i++) {
		if (fields[i].is_identifier) {
			text_add_str(out, *first
				? ",\"identifier-field-ids\":[" : ",");
			text_addf(out, "%d", (int)fields[i].field_id);
			*first = false;
		}
		format_identifiers(fields[i].type.fields,
				   fields[i].type.field_count, out, first);
	}
}

int schema_json_format(const struct schema *schema, struct text *out,
		       struct error *err)
{
	bool first = true;
	int rc;

	text_addf(out, "{\"type\":\"struct\",\"schema-id\":%d",
		  (int)schema->schema_id);
	format_identifiers(schema->columns, schema->column_count, out,
			   &first);
	text_add_str(out, first ? "," : "],");
	rc = format_fields(schema->columns, schema->column_count, 0, out, err);
	if (rc)
		return rc;
	text_add_char(out, '}');
	if (out->failed)
		return error_set(err, ERROR_NO_MEMORY, "schema");
	return 0;
}
