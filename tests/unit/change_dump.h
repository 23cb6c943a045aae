#ifndef TESTS_UNIT_CHANGE_DUMP_H
#define TESTS_UNIT_CHANGE_DUMP_H
#include "plan/plan.h"

/*
 * Changes of a table as text, so that a test states what it expects in one
 * line: "add price DECIMAL(10,2) after id; drop? a.b".
 */
static inline void dump_path(const struct column_path *path, struct text *out)
{
	for (size_t i = 0; i < path->count; i++)
		text_addf(out, "%s%s", i ? "." : "", path->parts[i]);
}

static inline void dump_partition_term(const struct partition_term *term,
				       struct text *out)
{
	text_addf(out, "%s(", term->transform);
	dump_path(&term->column, out);
	text_add_char(out, ')');
	if (term->name)
		text_addf(out, " as %s", term->name);
}

static inline void dump_sort_term(const struct sort_term *term,
				  struct text *out)
{
	text_addf(out, "%s(", term->transform);
	dump_path(&term->column, out);
	text_addf(out, ") %s %s", term->descending ? "desc" : "asc",
		  term->nulls_first ? "first" : "last");
}

static inline void dump_column(const struct table_change *change,
			       struct text *out)
{
	const struct column_def *column = &change->column;
	char name[TYPE_NAME_BYTES];

	if (change->kind == TABLE_ADD_COLUMN)
		text_addf(out, "%s%s", change->path.count ? "." : "",
			  column->name);
	text_addf(out, " %s", type_name(&column->type, name));
	if (column->required)
		text_add_str(out, " not null");
	if (column->write_default) {
		text_add_str(out, " default ");
		format_literal_sql(column->write_default, out);
	}
	if (column->doc)
		text_addf(out, " // %s", column->doc);
}

static inline void dump_change(const struct table_change *change,
			       struct text *out)
{
	static const char *const words[] = {
		[TABLE_ADD_COLUMN] = "add",
		[TABLE_DROP_COLUMN] = "drop",
		[TABLE_RENAME_COLUMN] = "rename",
		[TABLE_SET_TYPE] = "type",
		[TABLE_MOVE_COLUMN] = "move",
		[TABLE_SET_NOT_NULL] = "not-null",
		[TABLE_DROP_NOT_NULL] = "null",
		[TABLE_SET_DEFAULT] = "default",
		[TABLE_DROP_DEFAULT] = "no-default",
		[TABLE_SET_COMMENT] = "comment",
		[TABLE_SET_IDENTIFIER] = "key",
		[TABLE_DROP_IDENTIFIER] = "no-key",
		[TABLE_ADD_PARTITION_FIELD] = "add-field",
		[TABLE_DROP_PARTITION_FIELD] = "drop-field",
		[TABLE_REPLACE_PARTITION_FIELD] = "replace-field",
		[TABLE_SET_PARTITIONING] = "fields",
		[TABLE_SET_SORT_ORDER] = "sort",
		[TABLE_SET_PROPERTY] = "set",
		[TABLE_UPGRADE] = "upgrade",
	};

	text_addf(out, "%s%s%s ", words[change->kind],
		  change->if_exists ? "?" : "",
		  change->if_not_exists ? "+" : "");
	dump_path(&change->path, out);
	if (change->column.name)
		dump_column(change, out);
	if (change->term.transform)
		dump_partition_term(&change->term, out);
	if (change->new_term.transform) {
		text_add_str(out, " by ");
		dump_partition_term(&change->new_term, out);
	}
	for (size_t i = 0; i < change->path_count; i++) {
		text_add_str(out, i ? ", " : "");
		dump_path(&change->paths[i], out);
	}
	for (size_t i = 0; i < change->term_count; i++) {
		text_add_str(out, i ? ", " : "");
		dump_partition_term(&change->terms[i], out);
	}
	for (size_t i = 0; i < change->sort_term_count; i++) {
		text_add_str(out, i ? ", " : "");
		dump_sort_term(&change->sort_terms[i], out);
	}
	if (change->default_value) {
		text_add_str(out, " to ");
		format_literal_sql(change->default_value, out);
	}
	if (change->kind == TABLE_UPGRADE)
		text_addf(out, "%d", change->format_version);
	else if (change->name)
		text_addf(out, " %s", change->name);
	if (change->kind == TABLE_SET_PROPERTY)
		text_addf(out, "=%s", change->text ? change->text : "(none)");
	if (change->place == POSITION_FIRST)
		text_add_str(out, " first");
	if (change->place == POSITION_AFTER)
		text_addf(out, " after %s", change->after);
}
#endif
