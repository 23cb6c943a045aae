/*
 * manifest_schema.c - the schemas of manifests and manifest lists
 *
 * Why:    readers find fields by the ids in these schemas, and several insist
 *         on record names and on which fields may be null.
 * How:    one table of fields, in iceberg-java's order, is printed twice: as
 *         the Avro schema, and as the Iceberg schema in "iceberg.schema".
 */
#include <stdio.h>
#include "iceberg/manifest_schema.h"
#include "iceberg/metadata_json.h"
#include "iceberg/schema_json.h"

enum field_kind {
	KIND_INT,
	KIND_LONG,
	KIND_STRING,
	KIND_BOOLEAN,
	KIND_BINARY,
	KIND_LIST_INT,
	KIND_LIST_LONG,
	KIND_MAP_LONG,		/* of int to long */
	KIND_MAP_BINARY,	/* of int to binary */
	KIND_DATA_FILE,
	KIND_PARTITION,
	KIND_SUMMARIES,
};

struct field_row {
	int id;
	const char *name;
	enum field_kind kind;
	bool required;
	int since;	/* format version */
	int key_id;	/* of a map; of a list's element */
	int value_id;
};

static const struct field_row entry_rows[] = {
	{ FIELD_STATUS, "status", KIND_INT, true, 1, 0, 0 },
	{ FIELD_SNAPSHOT_ID, "snapshot_id", KIND_LONG, false, 1, 0, 0 },
	{ FIELD_SEQUENCE_NUMBER, "sequence_number", KIND_LONG, false, 2, 0,
	  0 },
	{ FIELD_FILE_SEQUENCE_NUMBER, "file_sequence_number", KIND_LONG,
	  false, 2, 0, 0 },
	{ FIELD_DATA_FILE, "data_file", KIND_DATA_FILE, true, 1, 0, 0 },
};

static const struct field_row file_rows[] = {
	{ FIELD_CONTENT, "content", KIND_INT, true, 2, 0, 0 },
	{ FIELD_FILE_PATH, "file_path", KIND_STRING, true, 1, 0, 0 },
	{ FIELD_FILE_FORMAT, "file_format", KIND_STRING, true, 1, 0, 0 },
	{ FIELD_PARTITION, "partition", KIND_PARTITION, true, 1, 0, 0 },
	{ FIELD_RECORD_COUNT, "record_count", KIND_LONG, true, 1, 0, 0 },
	{ FIELD_FILE_SIZE, "file_size_in_bytes", KIND_LONG, true, 1, 0, 0 },
	{ FIELD_COLUMN_SIZES, "column_sizes", KIND_MAP_LONG, false, 1, 117,
	  118 },
	{ FIELD_VALUE_COUNTS, "value_counts", KIND_MAP_LONG, false, 1, 119,
	  120 },
	{ FIELD_NULL_COUNTS, "null_value_counts", KIND_MAP_LONG, false, 1,
	  121, 122 },
	{ FIELD_NAN_COUNTS, "nan_value_counts", KIND_MAP_LONG, false, 1, 138,
	  139 },
	{ FIELD_LOWER_BOUNDS, "lower_bounds", KIND_MAP_BINARY, false, 1, 126,
	  127 },
	{ FIELD_UPPER_BOUNDS, "upper_bounds", KIND_MAP_BINARY, false, 1, 129,
	  130 },
	{ 131, "key_metadata", KIND_BINARY, false, 1, 0, 0 },
	{ FIELD_SPLIT_OFFSETS, "split_offsets", KIND_LIST_LONG, false, 1, 133,
	  0 },
	{ FIELD_EQUALITY_IDS, "equality_ids", KIND_LIST_INT, false, 2, 136,
	  0 },
	{ FIELD_SORT_ORDER_ID, "sort_order_id", KIND_INT, false, 1, 0, 0 },
	{ FIELD_FIRST_ROW_ID, "first_row_id", KIND_LONG, false, 3, 0, 0 },
	{ FIELD_REFERENCED_FILE, "referenced_data_file", KIND_STRING, false,
	  2, 0, 0 },
	{ FIELD_CONTENT_OFFSET, "content_offset", KIND_LONG, false, 3, 0, 0 },
	{ FIELD_CONTENT_SIZE, "content_size_in_bytes", KIND_LONG, false, 3, 0,
	  0 },
};

static const struct field_row list_rows[] = {
	{ FIELD_LIST_PATH, "manifest_path", KIND_STRING, true, 1, 0, 0 },
	{ FIELD_LIST_LENGTH, "manifest_length", KIND_LONG, true, 1, 0, 0 },
	{ FIELD_LIST_SPEC_ID, "partition_spec_id", KIND_INT, true, 1, 0, 0 },
	{ FIELD_LIST_CONTENT, "content", KIND_INT, true, 2, 0, 0 },
	{ FIELD_LIST_SEQUENCE, "sequence_number", KIND_LONG, true, 2, 0, 0 },
	{ FIELD_LIST_MIN_SEQUENCE, "min_sequence_number", KIND_LONG, true, 2,
	  0, 0 },
	{ FIELD_LIST_ADDED_SNAPSHOT, "added_snapshot_id", KIND_LONG, true, 1,
	  0, 0 },
	{ FIELD_LIST_ADDED_FILES, "added_files_count", KIND_INT, true, 1, 0,
	  0 },
	{ FIELD_LIST_EXISTING_FILES, "existing_files_count", KIND_INT, true,
	  1, 0, 0 },
	{ FIELD_LIST_DELETED_FILES, "deleted_files_count", KIND_INT, true, 1,
	  0, 0 },
	{ FIELD_LIST_ADDED_ROWS, "added_rows_count", KIND_LONG, true, 1, 0,
	  0 },
	{ FIELD_LIST_EXISTING_ROWS, "existing_rows_count", KIND_LONG, true, 1,
	  0, 0 },
	{ FIELD_LIST_DELETED_ROWS, "deleted_rows_count", KIND_LONG, true, 1,
	  0, 0 },
	{ FIELD_LIST_PARTITIONS, "partitions", KIND_SUMMARIES, false, 1, 508,
	  0 },
	{ 519, "key_metadata", KIND_BINARY, false, 1, 0, 0 },
	{ FIELD_LIST_FIRST_ROW_ID, "first_row_id", KIND_LONG, false, 3, 0,
	  0 },
};

static const struct field_row summary_rows[] = {
	{ FIELD_CONTAINS_NULL, "contains_null", KIND_BOOLEAN, true, 1, 0, 0 },
	{ FIELD_CONTAINS_NAN, "contains_nan", KIND_BOOLEAN, false, 1, 0, 0 },
	{ FIELD_LOWER_BOUND, "lower_bound", KIND_BINARY, false, 1, 0, 0 },
	{ FIELD_UPPER_BOUND, "upper_bound", KIND_BINARY, false, 1, 0, 0 },
};

static const char *const avro_names[] = { "int", "long", "string", "boolean",
					  "bytes", "int", "long" };
static const char *const iceberg_names[] = { "int", "long", "string",
					     "boolean", "binary", "int",
					     "long" };

struct printer {
	int32_t format_version;
	const struct partition_shape *shape;
	struct text *out;
	struct error *err;
};

unsigned decimal_fixed_bytes(unsigned precision)
{
	uint8_t bytes[16];

	return (unsigned)decimal_to_bytes(decimal_power10(precision) - 1,
					  bytes);
}

/* Is there an earlier field of the same fixed type? */
static bool is_named_before(const struct partition_shape *shape, size_t at)
{
	const struct type *type = &shape->types[at];

	for (size_t i = 0; i < at; i++)
		if (type_equal(&shape->types[i], type))
			return true;
	return false;
}

/*
 * Avro type of a partition value. Fixed types are named by their size. Avro
 * takes no name twice, and some readers no type by its name alone: where a
 * second field has the type, the name ends in the id of the field.
 */
static int avro_partition_type(struct printer *p, size_t at)
{
	const struct type *type = &p->shape->types[at];
	char suffix[16] = "";
	unsigned size;

	if (is_named_before(p->shape, at))
		snprintf(suffix, sizeof(suffix), "_%d",
			 (int)p->shape->spec->fields[at].field_id);

	switch (type->id) {
	case TYPE_BOOLEAN:
		text_add_str(p->out, "\"boolean\"");
		return 0;
	case TYPE_INTEGER:
		text_add_str(p->out, "\"int\"");
		return 0;
	case TYPE_BIGINT:
		text_add_str(p->out, "\"long\"");
		return 0;
	case TYPE_REAL:
		text_add_str(p->out, "\"float\"");
		return 0;
	case TYPE_DOUBLE:
		text_add_str(p->out, "\"double\"");
		return 0;
	case TYPE_DATE:
		text_add_str(p->out, "{\"type\":\"int\",\"logicalType\":"
				     "\"date\"}");
		return 0;
	case TYPE_TIME:
		text_add_str(p->out, "{\"type\":\"long\",\"logicalType\":"
				     "\"time-micros\"}");
		return 0;
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		text_addf(p->out, "{\"type\":\"long\",\"logicalType\":"
			  "\"timestamp-micros\",\"adjust-to-utc\":%s}",
			  type->id == TYPE_TIMESTAMP_TZ ? "true" : "false");
		return 0;
	case TYPE_VARCHAR:
		text_add_str(p->out, "\"string\"");
		return 0;
	case TYPE_VARBINARY:
		text_add_str(p->out, "\"bytes\"");
		return 0;
	case TYPE_FIXED:
		text_addf(p->out, "{\"type\":\"fixed\",\"name\":\"fixed_%u%s\","
			  "\"size\":%u}", (unsigned)type->length, suffix,
			  (unsigned)type->length);
		return 0;
	case TYPE_UUID:
		text_addf(p->out, "{\"type\":\"fixed\",\"name\":"
			  "\"uuid_fixed%s\",\"size\":16,"
			  "\"logicalType\":\"uuid\"}", suffix);
		return 0;
	case TYPE_DECIMAL:
		size = decimal_fixed_bytes(type->precision);
		text_addf(p->out, "{\"type\":\"fixed\",\"name\":"
			  "\"decimal_%u_%u%s\",\"size\":%u,\"logicalType\":"
			  "\"decimal\",\"precision\":%u,\"scale\":%u}",
			  type->precision, type->scale, suffix, size,
			  type->precision, type->scale);
		return 0;
	default:
		return error_set(p->err, ERROR_UNSUPPORTED,
				 "a partition value without an Avro type");
	}
}

/* A name of its own for each field, though two may be made the same. */
static int add_field_name(struct printer *p, size_t at, bool *changed)
{
	const struct partition_field *fields = p->shape->spec->fields;
	struct text name = TEXT_INIT, other = TEXT_INIT;
	int rc;

	*changed = safe_name_format(fields[at].name, &name);
	for (size_t i = 0; i < at && name.length; i++) {
		text_reset(&other);
		safe_name_format(fields[i].name, &other);
		if (other.length == name.length &&
		    !memcmp(other.data, name.data, name.length)) {
			text_addf(&name, "_%d", (int)fields[at].field_id);
			*changed = true;
			break;
		}
	}
	if (name.length)
		text_add(p->out, name.data, name.length);
	rc = name.failed || other.failed
		     ? error_set(p->err, ERROR_NO_MEMORY, "manifest schema")
		     : 0;
	text_release(&name);
	text_release(&other);
	return rc;
}

static int add_avro_partition(struct printer *p)
{
	const struct partition_spec *spec = p->shape->spec;
	int rc;

	text_add_str(p->out, "{\"type\":\"record\",\"name\":\"r102\","
			     "\"fields\":[");
	for (size_t i = 0; i < spec->field_count; i++) {
		const struct partition_field *field = &spec->fields[i];
		bool changed;

		text_add_str(p->out, i ? ",{\"name\":\"" : "{\"name\":\"");
		rc = add_field_name(p, i, &changed);
		if (rc)
			return rc;
		text_add_str(p->out, "\",\"type\":[\"null\",");
		rc = avro_partition_type(p, i);
		if (rc)
			return error_prefix(p->err, "partition field \"%s\"",
					    field->name);
		text_addf(p->out, "],\"default\":null,\"field-id\":%d",
			  (int)field->field_id);
		if (changed) {
			text_add_str(p->out, ",\"iceberg-field-name\":");
			text_add_json(p->out, field->name,
				      strlen(field->name));
		}
		text_add_char(p->out, '}');
	}
	text_add_str(p->out, "]}");
	return 0;
}

static int add_avro_rows(struct printer *p, const char *record,
			 const struct field_row *rows, size_t count);

static int add_avro_kind(struct printer *p, const struct field_row *row)
{
	int rc = 0;

	switch (row->kind) {
	case KIND_LIST_INT:
	case KIND_LIST_LONG:
		text_addf(p->out, "{\"type\":\"array\",\"items\":\"%s\","
			  "\"element-id\":%d}", avro_names[row->kind],
			  row->key_id);
		break;
	case KIND_MAP_LONG:
	case KIND_MAP_BINARY:
		text_addf(p->out, "{\"type\":\"array\",\"items\":{\"type\":"
			  "\"record\",\"name\":\"k%d_v%d\",\"fields\":["
			  "{\"name\":\"key\",\"type\":\"int\",\"field-id\":"
			  "%d},{\"name\":\"value\",\"type\":\"%s\","
			  "\"field-id\":%d}]},\"logicalType\":\"map\"}",
			  row->key_id, row->value_id, row->key_id,
			  row->kind == KIND_MAP_LONG ? "long" : "bytes",
			  row->value_id);
		break;
	case KIND_DATA_FILE:
		rc = add_avro_rows(p, "r2", file_rows,
				   ARRAY_COUNT(file_rows));
		break;
	case KIND_PARTITION:
		rc = add_avro_partition(p);
		break;
	case KIND_SUMMARIES:
		text_add_str(p->out, "{\"type\":\"array\",\"items\":");
		rc = add_avro_rows(p, "r508", summary_rows,
				   ARRAY_COUNT(summary_rows));
		text_add_str(p->out, ",\"element-id\":508}");
		break;
	default:
		add_json_string(p->out, avro_names[row->kind]);
	}
	return rc;
}

static int add_avro_rows(struct printer *p, const char *record,
			 const struct field_row *rows, size_t count)
{
	int rc;

	text_addf(p->out, "{\"type\":\"record\",\"name\":\"%s\","
		  "\"fields\":[", record);
	for (size_t i = 0, printed = 0; i < count; i++) {
		if (rows[i].since > p->format_version)
			continue;
		text_add_str(p->out, printed++ ? ",{\"name\":"
					       : "{\"name\":");
		add_json_string(p->out, rows[i].name);
		text_add_str(p->out, rows[i].required
					     ? ",\"type\":"
					     : ",\"type\":[\"null\",");
		rc = add_avro_kind(p, &rows[i]);
		if (rc)
			return rc;
		text_add_str(p->out, rows[i].required
				? ",\"field-id\":"
				: "],\"default\":null,\"field-id\":");
		add_int64(p->out, rows[i].id);
		text_add_char(p->out, '}');
	}
	text_add_str(p->out, "]}");
	return 0;
}

static int finish(struct printer *p, int rc)
{
	if (!rc && p->out->failed)
		rc = error_set(p->err, ERROR_NO_MEMORY, "manifest schema");
	return rc;
}

int manifest_avro_schema(int32_t format_version,
			 const struct partition_shape *shape,
			 struct text *out, struct error *err)
{
	struct printer p = { format_version, shape, out, err };

	if (!shape)
		return finish(&p, add_avro_rows(&p, "manifest_file",
						list_rows,
						ARRAY_COUNT(list_rows)));
	return finish(&p, add_avro_rows(&p, "manifest_entry", entry_rows,
					ARRAY_COUNT(entry_rows)));
}

static int add_iceberg_partition(struct printer *p)
{
	const struct partition_spec *spec = p->shape->spec;
	int rc;

	text_add_str(p->out, "{\"type\":\"struct\",\"fields\":[");
	for (size_t i = 0; i < spec->field_count; i++) {
		text_addf(p->out, "%s{\"id\":%d,\"name\":", i ? "," : "",
			  (int)spec->fields[i].field_id);
		text_add_json(p->out, spec->fields[i].name,
			      strlen(spec->fields[i].name));
		text_add_str(p->out, ",\"required\":false,\"type\":");
		rc = type_json_format_any(&p->shape->types[i], p->out, p->err);
		if (rc)
			return rc;
		text_add_char(p->out, '}');
	}
	text_add_str(p->out, "]}");
	return 0;
}

static int add_iceberg_rows(struct printer *p, const struct field_row *rows,
			    size_t count);

static int add_iceberg_kind(struct printer *p, const struct field_row *row)
{
	int rc = 0;

	switch (row->kind) {
	case KIND_LIST_INT:
	case KIND_LIST_LONG:
		text_addf(p->out, "{\"type\":\"list\",\"element-id\":%d,"
			  "\"element\":\"%s\",\"element-required\":true}",
			  row->key_id, iceberg_names[row->kind]);
		break;
	case KIND_MAP_LONG:
	case KIND_MAP_BINARY:
		text_addf(p->out, "{\"type\":\"map\",\"key-id\":%d,\"key\":"
			  "\"int\",\"value-id\":%d,\"value\":\"%s\","
			  "\"value-required\":true}", row->key_id,
			  row->value_id,
			  row->kind == KIND_MAP_LONG ? "long" : "binary");
		break;
	case KIND_DATA_FILE:
		rc = add_iceberg_rows(p, file_rows, ARRAY_COUNT(file_rows));
		break;
	case KIND_PARTITION:
		rc = add_iceberg_partition(p);
		break;
	case KIND_SUMMARIES:
		text_add_str(p->out, "{\"type\":\"list\",\"element-id\":508,"
				     "\"element\":");
		rc = add_iceberg_rows(p, summary_rows,
				      ARRAY_COUNT(summary_rows));
		text_add_str(p->out, ",\"element-required\":true}");
		break;
	default:
		add_json_string(p->out, iceberg_names[row->kind]);
	}
	return rc;
}

static int add_iceberg_rows(struct printer *p, const struct field_row *rows,
			    size_t count)
{
	int rc;

	text_add_str(p->out, "{\"type\":\"struct\",\"fields\":[");
	for (size_t i = 0, printed = 0; i < count; i++) {
		if (rows[i].since > p->format_version)
			continue;
		text_add_str(p->out, printed++ ? ",{\"id\":" : "{\"id\":");
		add_int64(p->out, rows[i].id);
		text_add_str(p->out, ",\"name\":");
		add_json_string(p->out, rows[i].name);
		text_add_str(p->out, rows[i].required
				? ",\"required\":true,\"type\":"
				: ",\"required\":false,\"type\":");
		rc = add_iceberg_kind(p, &rows[i]);
		if (rc)
			return rc;
		text_add_char(p->out, '}');
	}
	text_add_str(p->out, "]}");
	return 0;
}

int manifest_iceberg_schema(int32_t format_version,
			    const struct partition_shape *shape,
			    struct text *out, struct error *err)
{
	struct printer p = { format_version, shape, out, err };

	if (!shape)
		return finish(&p, add_iceberg_rows(&p, list_rows,
						   ARRAY_COUNT(list_rows)));
	return finish(&p, add_iceberg_rows(&p, entry_rows,
					   ARRAY_COUNT(entry_rows)));
}
