/*
 * show_layout.c - the sections of show about partitions and sort orders
 *
 * How:    fields name their columns by id, so a column that was dropped or
 *         renamed since is still found, in the schema that had it. Files are
 *         sorted by spec and partition values and counted in runs.
 */
#include "cli/show_layout.h"
#include <stdlib.h>

/* Append "a.b" of a field id; false if no column of the list has it. */
static bool add_path(const struct column_def *columns, size_t count,
		     int32_t field_id, unsigned depth, struct text *out)
{
	for (size_t i = 0; i < count && depth < TYPE_NESTING_LIMIT; i++) {
		size_t length = out->length;

		text_addf(out, "%s%s", depth ? "." : "", columns[i].name);
		if (columns[i].field_id == field_id ||
		    add_path(columns[i].type.fields,
			     columns[i].type.field_count, field_id, depth + 1,
			     out))
			return true;
		out->length = length;
	}
	return false;
}

static void add_column(const struct table_metadata *metadata,
		       int32_t field_id, struct text *out)
{
	const struct schema *schema = metadata_current_schema(metadata);

	if (add_path(schema->columns, schema->column_count, field_id, 0, out))
		return;
	for (size_t i = metadata->schema_count; i-- > 0;) {
		schema = &metadata->schemas[i];
		if (add_path(schema->columns, schema->column_count, field_id,
			     0, out)) {
			text_add_str(out, " (dropped)");
			return;
		}
	}
	text_addf(out, "column %d (dropped)", field_id);
}

/* "bucket(8, id)", "id". */
static void add_term(const struct table_metadata *metadata,
		     const struct transform *transform, int32_t field_id,
		     struct text *out)
{
	const char *bracket = strchr(transform->text, '[');
	size_t length = bracket ? (size_t)(bracket - transform->text)
				: strlen(transform->text);

	if (transform->kind == TRANSFORM_IDENTITY) {
		add_column(metadata, field_id, out);
		return;
	}
	text_addf(out, "%.*s(", (int)length, transform->text);
	if (transform->kind == TRANSFORM_BUCKET ||
	    transform->kind == TRANSFORM_TRUNCATE)
		text_addf(out, "%d, ", transform->parameter);
	add_column(metadata, field_id, out);
	text_add_char(out, ')');
}

void show_specs(const struct table_metadata *metadata, struct text *out)
{
	text_add_str(out, "partition specs\n");
	for (size_t i = 0; i < metadata->spec_count; i++) {
		const struct partition_spec *spec = &metadata->specs[i];

		text_addf(out, "  %d  ", spec->spec_id);
		for (size_t f = 0; f < spec->field_count; f++) {
			const struct partition_field *field = &spec->fields[f];

			text_addf(out, "%s%s = ", f ? ", " : "", field->name);
			add_term(metadata, &field->transform,
				 field->source_id, out);
		}
		if (!spec->field_count)
			text_add_str(out, "unpartitioned");
		text_addf(out, "%s\n", spec->spec_id ==
			  metadata->default_spec_id ? "  (current)" : "");
	}
}

void show_sort_orders(const struct table_metadata *metadata, struct text *out)
{
	text_add_str(out, "sort orders\n");
	for (size_t i = 0; i < metadata->sort_order_count; i++) {
		const struct sort_order *order = &metadata->sort_orders[i];

		text_addf(out, "  %d  ", order->order_id);
		for (size_t f = 0; f < order->field_count; f++) {
			const struct sort_field *field = &order->fields[f];

			text_add_str(out, f ? ", " : "");
			add_term(metadata, &field->transform,
				 field->source_id, out);
			text_addf(out, " %s NULLS %s",
				  field->descending ? "DESC" : "ASC",
				  field->nulls_first ? "FIRST" : "LAST");
		}
		if (!order->field_count)
			text_add_str(out, "unsorted");
		text_addf(out, "%s\n", order->order_id ==
			  metadata->default_sort_order_id ? "  (current)" :
			  "");
	}
}

void spec_json(const struct partition_spec *spec, struct text *out)
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

void sort_order_json(const struct table_metadata *metadata, int32_t order_id,
		     struct text *out)
{
	const struct sort_order *order = NULL;

	for (size_t i = 0; i < metadata->sort_order_count; i++)
		if (metadata->sort_orders[i].order_id == order_id)
			order = &metadata->sort_orders[i];
	text_addf(out, "{\"order-id\": %d, \"fields\": [", order_id);
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

/* A file on its way into its partition's counts. */
struct listed_file {
	const struct data_file *file;
	uint64_t rows;
};

static int compare_values(const struct literal *a, const struct literal *b)
{
	if (a->is_null || b->is_null)
		return (int)b->is_null - (int)a->is_null;
	/* a source column may have been widened between two files */
	if (!type_equal(&a->type, &b->type) && a->type.id != b->type.id)
		return a->type.id < b->type.id ? -1 : 1;
	return literal_compare(a, b);
}

static int compare_partitions(const struct data_file *a,
			      const struct data_file *b)
{
	if (a->spec_id != b->spec_id)
		return a->spec_id < b->spec_id ? -1 : 1;
	for (size_t i = 0; i < a->partition_count && i < b->partition_count;
	     i++) {
		int order = compare_values(&a->partition[i],
					   &b->partition[i]);

		if (order)
			return order;
	}
	return a->partition_count < b->partition_count ? -1 :
	       a->partition_count > b->partition_count;
}

/* Also by sort order, so that equal ids are next to each other. */
static int compare_listed(const void *a, const void *b)
{
	const struct data_file *x = ((const struct listed_file *)a)->file;
	const struct data_file *y = ((const struct listed_file *)b)->file;
	int order = compare_partitions(x, y);

	if (order || x->sort_order_id == y->sort_order_id)
		return order;
	return x->sort_order_id < y->sort_order_id ? -1 : 1;
}

static size_t count_deletes(const struct snapshot_files *files,
			    struct listed_file *out)
{
	size_t count = 0;

	for (size_t m = 0; m < files->manifest_count; m++) {
		for (size_t i = 0; i < files->entry_counts[m]; i++) {
			const struct manifest_entry *entry =
				&files->entries[m][i];

			if (entry->status == ENTRY_DELETED ||
			    entry->file.content == CONTENT_DATA)
				continue;
			if (out)
				out[count].file = &entry->file;
			count++;
		}
	}
	return count;
}

static void add_file(struct partition_files *partition,
		     const struct listed_file *listed)
{
	const struct data_file *file = listed->file;
	int32_t id = file->sort_order_id > 0 ? file->sort_order_id : 0;

	partition->bytes += (uint64_t)file->file_size;
	if (file->content != CONTENT_DATA) {
		partition->delete_files++;
		return;
	}
	partition->data_files++;
	partition->rows += listed->rows;
	if (!partition->order_count ||
	    partition->order_ids[partition->order_count - 1] != id)
		partition->order_ids[partition->order_count++] = id;
}

int partition_files_list(const struct snapshot_files *files,
			 struct arena *arena, struct partition_files **out,
			 size_t *count_out, struct error *err)
{
	size_t count = files->file_count + count_deletes(files, NULL);
	struct partition_files *partition = NULL;
	struct listed_file *listed;
	int32_t *ids;

	*count_out = 0;
	listed = arena_zalloc_array(arena, count + 1, sizeof(*listed));
	ids = arena_zalloc_array(arena, count + 1, sizeof(*ids));
	*out = arena_zalloc_array(arena, count + 1, sizeof(**out));
	if (!listed || !ids || !*out)
		return error_set(err, ERROR_NO_MEMORY, "show");
	for (size_t i = 0; i < files->file_count; i++) {
		listed[i].file = &files->files[i].entry->file;
		listed[i].rows = snapshot_file_live_rows(files,
							 &files->files[i]);
	}
	count_deletes(files, listed + files->file_count);
	qsort(listed, count, sizeof(*listed), compare_listed);
	for (size_t i = 0; i < count; i++) {
		if (!partition || compare_partitions(partition->sample,
						     listed[i].file)) {
			partition = &(*out)[(*count_out)++];
			partition->sample = listed[i].file;
			partition->spec = metadata_spec(files->metadata,
							listed[i].file
								->spec_id);
			partition->order_ids = ids + i;
		}
		add_file(partition, &listed[i]);
	}
	return 0;
}

/* 2017-11 of a month and the like; other values as they are. */
static void add_value(const struct transform *transform,
		      const struct literal *value, struct text *out)
{
	int64_t unit = value->is_null ? 0 : value->value.int32;
	struct civil_date date;

	if (value->is_null) {
		text_add_str(out, "NULL");
	} else if (value->type.id != TYPE_INTEGER) {
		if (value->type.id == TYPE_VARCHAR)
			format_literal_sql(value, out);
		else
			format_literal(value, out);
	} else if (transform->kind == TRANSFORM_YEAR) {
		text_addf(out, "%lld", (long long)unit + 1970);
	} else if (transform->kind == TRANSFORM_MONTH) {
		int64_t year = (unit < 0 ? unit - 11 : unit) / 12;

		text_addf(out, "%lld-%02d", (long long)year + 1970,
			  (int)(unit - year * 12) + 1);
	} else if (transform->kind == TRANSFORM_HOUR) {
		int64_t day = (unit < 0 ? unit - 23 : unit) / 24;

		date = civil_from_days((int32_t)day);
		text_addf(out, "%d-%02u-%02u-%02d", (int)date.year,
			  (unsigned)date.month, (unsigned)date.day,
			  (int)(unit - day * 24));
	} else {
		format_literal(value, out);
	}
}

void show_partition_files(const struct partition_files *list, size_t count,
			  struct text *out)
{
	text_add_str(out, "files by partition\n");
	for (size_t i = 0; i < count; i++) {
		const struct partition_files *part = &list[i];
		size_t fields = part->spec ? part->spec->field_count : 0;

		text_addf(out, "  spec %d", part->sample->spec_id);
		for (size_t f = 0; f < fields &&
		     f < part->sample->partition_count; f++) {
			text_addf(out, "%s%s=", f ? ", " : "  ",
				  part->spec->fields[f].name);
			add_value(&part->spec->fields[f].transform,
				  &part->sample->partition[f], out);
		}
		text_addf(out, ": %llu rows in %llu files, %llu delete files, "
			  "%llu bytes",
			  (unsigned long long)part->rows,
			  (unsigned long long)part->data_files,
			  (unsigned long long)part->delete_files,
			  (unsigned long long)part->bytes);
		for (size_t o = 0; o < part->order_count; o++)
			text_addf(out, "%s%d", o ? ", " : ", sort order ",
				  part->order_ids[o]);
		text_add_char(out, '\n');
	}
}

static int values_json(const struct partition_files *part, struct text *out,
		       struct error *err)
{
	size_t fields = part->spec ? part->spec->field_count : 0;
	int rc = 0;

	for (size_t f = 0; f < fields && f < part->sample->partition_count &&
	     !rc; f++) {
		const char *name = part->spec->fields[f].name;
		const struct literal *value = &part->sample->partition[f];

		text_add_str(out, f ? ", " : "");
		text_add_json(out, name, strlen(name));
		text_add_str(out, ": ");
		if (value->is_null)
			text_add_str(out, "null");
		else
			rc = literal_json_format(value, out, err);
	}
	return rc;
}

int partition_files_json(const struct partition_files *list, size_t count,
			 struct text *out, struct error *err)
{
	text_add_char(out, '[');
	for (size_t i = 0; i < count; i++) {
		const struct partition_files *part = &list[i];
		int rc;

		text_addf(out, "%s{\"spec-id\": %d, \"values\": {",
			  i ? ", " : "", part->sample->spec_id);
		rc = values_json(part, out, err);
		if (rc)
			return rc;
		text_addf(out, "}, \"rows\": %llu, \"files\": %llu, "
			  "\"delete_files\": %llu, \"bytes\": %llu, "
			  "\"sort-order-ids\": [",
			  (unsigned long long)part->rows,
			  (unsigned long long)part->data_files,
			  (unsigned long long)part->delete_files,
			  (unsigned long long)part->bytes);
		for (size_t o = 0; o < part->order_count; o++)
			text_addf(out, "%s%d", o ? ", " : "",
				  part->order_ids[o]);
		text_add_str(out, "]}");
	}
	text_add_char(out, ']');
	return 0;
}
