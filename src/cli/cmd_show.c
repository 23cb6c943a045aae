/*
 * cmd_show.c - rowmerge show: what a table is
 */
#include "cli/cmd_cat.h"
#include "cli/report.h"
#include "cli/show_layout.h"
#include "cli/statement.h"

struct table_size {
	uint64_t rows;
	uint64_t data_files;
	uint64_t delete_files;
	uint64_t bytes;
	struct partition_files *partitions;	/* --files, else NULL */
	size_t partition_count;
};

static int measure(struct cli *cli, struct table *table,
		   struct table_size *out, struct error *err)
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
	if (!cli->show_files)
		return 0;
	return partition_files_list(files, &cli->arena, &out->partitions,
				    &out->partition_count, err);
}

static void layout_json(const struct table_metadata *metadata,
			struct text *out)
{
	text_add_str(out, ", \"partition_spec\": ");
	spec_json(metadata_spec(metadata, metadata->default_spec_id), out);
	text_add_str(out, ", \"sort_order\": ");
	sort_order_json(metadata, metadata->default_sort_order_id, out);
	text_add_str(out, ", \"partition_specs\": [");
	for (size_t i = 0; i < metadata->spec_count; i++) {
		text_add_str(out, i ? ", " : "");
		spec_json(&metadata->specs[i], out);
	}
	text_add_str(out, "], \"sort_orders\": [");
	for (size_t i = 0; i < metadata->sort_order_count; i++) {
		text_add_str(out, i ? ", " : "");
		sort_order_json(metadata, metadata->sort_orders[i].order_id,
				out);
	}
	text_add_char(out, ']');
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
	layout_json(metadata, out);
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
		  "\"delete_files\": %llu, \"bytes\": %llu",
		  (unsigned long long)size->rows,
		  (unsigned long long)size->data_files,
		  (unsigned long long)size->delete_files,
		  (unsigned long long)size->bytes);
	if (size->partitions) {
		text_add_str(out, ", \"partitions\": ");
		rc = partition_files_json(size->partitions,
					  size->partition_count, out, err);
	}
	text_add_str(out, "}\n");
	return rc;
}

/* A column by its id; what is nested in it under it. */
static void show_column(const struct column_def *column, unsigned depth,
			struct text *out)
{
	char name[TYPE_NAME_BYTES];
	const char *type = column->type.id == TYPE_ROW ? "ROW" :
			   column->type.id == TYPE_ARRAY ? "ARRAY" :
			   column->type.id == TYPE_MAP ? "MAP" :
			   type_name(&column->type, name);

	text_addf(out, "%*s%d  %s %s", (int)(2 + depth * 2), "",
		  column->field_id, column->name, type);
	if (column->required)
		text_add_str(out, " NOT NULL");
	if (column->write_default) {
		text_add_str(out, " DEFAULT ");
		format_literal_sql(column->write_default, out);
	}
	if (column->is_identifier)
		text_add_str(out, " PRIMARY KEY");
	if (column->doc) {
		text_add_str(out, " COMMENT ");
		text_add_json(out, column->doc, strlen(column->doc));
	}
	text_add_char(out, '\n');
	for (size_t i = 0; i < column->type.field_count; i++)
		show_column(&column->type.fields[i], depth + 1, out);
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
		show_column(&schema->columns[i], 0, out);
	show_specs(metadata, out);
	show_sort_orders(metadata, out);
	text_add_str(out, "properties\n");
	for (size_t i = 0; i < metadata->property_count; i++)
		if (cli->verbose || !catalog_is_own_property(
				       metadata->properties[i].key))
			text_addf(out, "  %s = %s\n",
				  metadata->properties[i].key,
				  metadata->properties[i].value);
	if (size->partitions)
		show_partition_files(size->partitions, size->partition_count,
				     out);
}

int cmd_show(struct cli *cli, struct error *err)
{
	struct text out = TEXT_INIT;
	struct table_size size;
	struct table *table;
	int rc = cat_open_table(cli, &table, err);

	if (rc)
		return rc;
	rc = measure(cli, table, &size, err);
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
