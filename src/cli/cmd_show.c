/*
 * cmd_show.c - rowmerge show: what a table is
 */
#include "cli/cmd_cat.h"
#include "cli/report.h"
#include "cli/statement.h"

struct table_size {
	uint64_t rows;
	uint64_t data_files;
	uint64_t delete_files;
	uint64_t bytes;
};

static int measure(struct table *table, struct table_size *out,
		   struct error *err)
{
	struct snapshot_files *files;
	int rc = table_files(table, &files, err);

	memset(out, 0, sizeof(*out));
	if (rc)
		return rc;
	out->rows = snapshot_live_rows(files);
	for (size_t m = 0; m < files->manifest_count; m++) {
		for (size_t i = 0; i < files->entry_counts[m]; i++) {
			const struct manifest_entry *entry =
				&files->entries[m][i];

			if (entry->status == ENTRY_DELETED)
				continue;
			if (entry->file.content == CONTENT_DATA)
				out->data_files++;
			else
				out->delete_files++;
			out->bytes += (uint64_t)entry->file.file_size;
		}
	}
	return 0;
}

static void add_spec_fields(const struct partition_spec *spec,
			    struct text *out)
{
	text_addf(out, "{\"spec-id\": %d, \"fields\": [",
		  spec ? spec->spec_id : 0);
	for (size_t i = 0; spec && i < spec->field_count; i++) {
		const struct partition_field *field = &spec->fields[i];

		text_addf(out, "%s{\"source-id\": %d, \"field-id\": %d, "
			  "\"name\": ", i ? ", " : "", field->source_id,
			  field->field_id);
		text_add_json(out, field->name, strlen(field->name));
		text_add_str(out, ", \"transform\": ");
		text_add_json(out, field->transform.text,
			      strlen(field->transform.text));
		text_add_char(out, '}');
	}
	text_add_str(out, "]}");
}

static void add_sort_order(const struct table_metadata *metadata,
			   struct text *out)
{
	const struct sort_order *order = NULL;

	for (size_t i = 0; i < metadata->sort_order_count; i++)
		if (metadata->sort_orders[i].order_id ==
		    metadata->default_sort_order_id)
			order = &metadata->sort_orders[i];
	text_addf(out, "{\"order-id\": %d, \"fields\": [",
		  metadata->default_sort_order_id);
	for (size_t i = 0; order && i < order->field_count; i++) {
		const struct sort_field *field = &order->fields[i];

		text_addf(out, "%s{\"transform\": ", i ? ", " : "");
		text_add_json(out, field->transform.text,
			      strlen(field->transform.text));
		text_addf(out, ", \"source-id\": %d, \"direction\": \"%s\", "
			  "\"null-order\": \"nulls-%s\"}", field->source_id,
			  field->descending ? "desc" : "asc",
			  field->nulls_first ? "first" : "last");
	}
	text_add_str(out, "]}");
}

static int show_json(struct table *table, const struct table_size *size,
		     struct text *out, struct error *err)
{
	const struct table_metadata *metadata = table_metadata_of(table);
	int rc;

	text_addf(out, "{\"format_version\": %d, \"version\": %lld, "
		  "\"schema\": ", metadata->format_version,
		  (long long)table_catalog(table)->version);
	rc = schema_json_format(table_schema(table), out, err);
	if (rc)
		return rc;
	text_add_str(out, ", \"partition_spec\": ");
	add_spec_fields(metadata_spec(metadata, metadata->default_spec_id),
			out);
	text_add_str(out, ", \"sort_order\": ");
	add_sort_order(metadata, out);
	text_add_str(out, ", \"properties\": {");
	for (size_t i = 0; i < metadata->property_count; i++) {
		const struct key_value *property = &metadata->properties[i];

		text_add_str(out, i ? ", " : "");
		text_add_json(out, property->key, strlen(property->key));
		text_add_str(out, ": ");
		text_add_json(out, property->value, strlen(property->value));
	}
	text_add_str(out, "}, \"location\": ");
	text_add_json(out, metadata->location, strlen(metadata->location));
	text_add_str(out, ", \"uuid\": ");
	text_add_json(out, metadata->table_uuid,
		      strlen(metadata->table_uuid));
	text_addf(out, ", \"rows\": %llu, \"files\": %llu, "
		  "\"delete_files\": %llu, \"bytes\": %llu}\n",
		  (unsigned long long)size->rows,
		  (unsigned long long)size->data_files,
		  (unsigned long long)size->delete_files,
		  (unsigned long long)size->bytes);
	return 0;
}

static void show_column(const struct column_def *column, struct text *out)
{
	char name[TYPE_NAME_BYTES];

	text_addf(out, "  %d  %s %s", column->field_id, column->name,
		  type_name(&column->type, name));
	if (column->required)
		text_add_str(out, " NOT NULL");
	if (column->write_default) {
		text_add_str(out, " DEFAULT ");
		format_literal_sql(column->write_default, out);
	}
	if (column->is_identifier)
		text_add_str(out, " PRIMARY KEY");
	text_add_char(out, '\n');
}

static void show_text(struct cli *cli, struct table *table,
		      const struct table_size *size, struct text *out)
{
	const struct table_metadata *metadata = table_metadata_of(table);
	const struct schema *schema = table_schema(table);

	text_addf(out, "table %s, version %lld, Iceberg format %d\n",
		  cli->args[0], (long long)table_catalog(table)->version,
		  metadata->format_version);
	text_addf(out, "location %s\nuuid %s\n", metadata->location,
		  metadata->table_uuid);
	text_addf(out, "rows %llu in %llu data files, %llu delete files, %llu "
		  "bytes\ncolumns\n", (unsigned long long)size->rows,
		  (unsigned long long)size->data_files,
		  (unsigned long long)size->delete_files,
		  (unsigned long long)size->bytes);
	for (size_t i = 0; i < schema->column_count; i++)
		show_column(&schema->columns[i], out);
	text_add_str(out, "properties\n");
	for (size_t i = 0; i < metadata->property_count; i++)
		text_addf(out, "  %s = %s\n", metadata->properties[i].key,
			  metadata->properties[i].value);
}

int cmd_show(struct cli *cli, struct error *err)
{
	struct text out = TEXT_INIT;
	struct table_size size;
	struct table *table;
	int rc = cat_open_table(cli, &table, err);

	if (rc)
		return rc;
	rc = measure(table, &size, err);
	if (!rc && cli->json)
		rc = show_json(table, &size, &out, err);
	else if (!rc)
		show_text(cli, table, &size, &out);
	if (!rc && out.failed)
		rc = error_set(err, ERROR_NO_MEMORY, "show");
	if (!rc)
		rc = print_text(out.data, out.length, err);
	text_release(&out);
	table_free(table);
	return rc;
}
