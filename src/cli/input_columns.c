/*
 * input_columns.c - columns of an input that the user names or types
 *
 * Why:    a file without a header has no names, and a column that the table
 *         lacks may need a type of its own.
 * How:    a list is cut at the commas outside of brackets and quotes; each
 *         part is a name and, maybe, a type, which sql parses. A name that
 *         no record of JSON Lines has is one more column: a night without
 *         deletes has no member for them.
 */
#include "cli/input_options.h"

/* One part of a list, trimmed. */
struct part {
	const char *text;
	size_t length;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next part of *list; false at the end. */
static bool next_part(const char **list, struct part *out)
{
	const char *at = *list;
	int depth = 0;
	char quote = 0;

	if (!at)
		return false;
	while (is_blank(*at))
		at++;
	out->text = at;
	for (; *at && (depth > 0 || quote || *at != ','); at++) {
		if (quote)
			quote = *at == quote ? 0 : quote;
		else if (*at == '"' || *at == '\'')
			quote = *at;
		else if (*at == '(' || *at == '<')
			depth++;
		else if (*at == ')' || *at == '>')
			depth--;
	}
	out->length = (size_t)(at - out->text);
	while (out->length && is_blank(out->text[out->length - 1]))
		out->length--;
	*list = *at ? at + 1 : NULL;
	return true;
}

/* The name in front, without its quotes; the bytes it took, 0 = none. */
static size_t part_name(const struct part *part, struct text *out)
{
	size_t at = 0;

	text_reset(out);
	if (part->length && part->text[0] == '"') {
		for (at = 1; at < part->length; at++) {
			if (part->text[at] == '"' &&
			    (at + 1 == part->length ||
			     part->text[++at] != '"'))
				break;
			text_add_char(out, part->text[at]);
		}
		if (at < part->length && part->text[at] == '"')
			at++;
		return out->length ? at : 0;
	}
	while (at < part->length && !is_blank(part->text[at]))
		text_add_char(out, part->text[at++]);
	return at;
}

/* The type behind the name, if there is one. */
static int part_type(const struct part *part, size_t name_bytes,
		     struct schema *types, bool *has_type, struct error *err)
{
	struct text sql = TEXT_INIT;
	struct sql_options options;
	int rc;

	*has_type = name_bytes < part->length;
	if (!*has_type)
		return 0;
	memset(&options, 0, sizeof(options));
	text_add(&sql, part->text, part->length);
	if (sql.failed)
		rc = error_set(err, ERROR_NO_MEMORY, "columns");
	else
		rc = sql_parse_columns(sql.data, &options, types, err);
	if (rc)
		error_prefix(err, "columns and types of an input");
	text_release(&sql);
	return rc;
}

static int set_type(struct input_columns *columns, size_t at,
		    const struct schema *types, struct error *err)
{
	struct schema copy;
	int rc;

	schema_init(&copy);
	for (size_t i = 0; i < columns->schema.column_count; i++) {
		const struct column_def *def = &columns->schema.columns[i];

		rc = schema_add_column(&copy, def->name,
				       i == at ? types->columns[0].type
					       : def->type, err);
		if (rc) {
			schema_release(&copy);
			return rc;
		}
	}
	schema_release(&columns->schema);
	columns->schema = copy;
	columns->typed[at] = true;
	return 0;
}

static int refuse_name(const struct input_columns *columns, const char *name,
		       struct error *err)
{
	struct text names = TEXT_INIT;

	for (size_t i = 0; i < columns->schema.column_count && i < 20; i++)
		text_addf(&names, "%s%s", i ? ", " : "",
			  columns->schema.columns[i].name);
	error_set(err, ERROR_UNKNOWN_COLUMN, "the input has no column '%s' to "
		  "give a type to", name);
	error_field(err, name);
	error_hint(err, "its columns are %s%s", names.data ? names.data :
		   "none", columns->has_header ?
		   "; --no-header if that is no header" : columns->is_jsonl ?
		   "; one that no record has needs a type" : "");
	text_release(&names);
	return err ? (int)err->code : ERROR_UNKNOWN_COLUMN;
}

/* A column that no record of JSON Lines has; types: empty = not said. */
static int declare(struct input_columns *columns, const char *name,
		   const struct schema *types, struct error *err)
{
	size_t count = columns->schema.column_count;
	bool *typed = mem_realloc_array(columns->typed, count + 2,
					sizeof(*typed));

	if (!typed)
		return error_set(err, ERROR_NO_MEMORY, "columns");
	columns->typed = typed;
	typed[count] = types->column_count > 0;
	return schema_add_column(&columns->schema, name, typed[count]
					 ? types->columns[0].type
					 : type_of(TYPE_VARCHAR), err);
}

/* One part that gives a type by name; untyped: it need not. */
static int apply_typed(struct input_columns *columns, const struct part *part,
		       struct text *name, bool untyped, struct error *err)
{
	struct schema types;
	size_t used = part_name(part, name);
	bool has_type = false;
	long at;
	int rc;

	if (!used || name->failed)
		return error_set(err, ERROR_USAGE, "'%.*s' is no column",
				 (int)part->length, part->text);
	at = schema_find(&columns->schema, name->data);
	if (at < 0 && !columns->is_jsonl)
		return refuse_name(columns, name->data, err);
	schema_init(&types);
	rc = part_type(part, used, &types, &has_type, err);
	if (!rc && at < 0 && (has_type || untyped))
		rc = declare(columns, name->data, &types, err);
	else if (!rc && at < 0)
		rc = refuse_name(columns, name->data, err);
	else if (!rc && has_type)
		rc = set_type(columns, (size_t)at, &types, err);
	schema_release(&types);
	return rc;
}

static int apply_types(struct input_columns *columns, const char *list,
		       bool untyped, struct error *err)
{
	struct text name = TEXT_INIT;
	struct part part;
	int rc = 0;

	while (!rc && next_part(&list, &part))
		rc = apply_typed(columns, &part, &name, untyped, err);
	text_release(&name);
	return rc;
}

/* The columns of a file without a header, in order. */
static int apply_names(struct input_columns *columns, const char *list,
		       size_t count, struct error *err)
{
	struct text name = TEXT_INIT;
	struct part part;
	int rc = 0;

	while (!rc && next_part(&list, &part)) {
		size_t used = part_name(&part, &name);

		if (!used || name.failed)
			rc = error_set(err, ERROR_USAGE, "'%.*s' is no column",
				       (int)part.length, part.text);
		else if (schema_find(&columns->schema, name.data) != -1)
			rc = error_set(err, ERROR_DUPLICATE_HEADER, "column "
				       "'%s' is named twice", name.data);
		else
			rc = schema_add_column(&columns->schema, name.data,
					       type_of(TYPE_VARCHAR), err);
	}
	text_release(&name);
	if (!rc && columns->schema.column_count != count)
		rc = error_set(err, ERROR_ARITY, "%zu columns are named, the "
			       "input has %zu", columns->schema.column_count,
			       count);
	return rc;
}

int input_columns_new(struct input_columns *out,
		      const struct input_options *options,
		      const char *const *names, size_t count,
		      struct error *err)
{
	bool is_csv = options->format == INPUT_CSV;
	bool by_order = is_csv && !options->csv.has_header && options->columns;
	int rc = 0;

	schema_init(&out->schema);
	out->is_jsonl = options->format == INPUT_JSONL;
	out->has_header = is_csv && options->csv.has_header;
	out->typed = mem_zalloc_array(count + 1, sizeof(bool));
	if (!out->typed)
		return error_set(err, ERROR_NO_MEMORY, "columns");
	if (by_order)
		rc = apply_names(out, options->columns, count, err);
	for (size_t i = 0; i < count && !by_order && !rc; i++)
		rc = schema_add_column(&out->schema, names[i],
				       type_of(TYPE_VARCHAR), err);
	if (!rc && options->columns)
		rc = apply_types(out, options->columns, true, err);
	if (!rc && options->types)
		rc = apply_types(out, options->types, false, err);
	if (rc)
		input_columns_release(out);
	return rc;
}

void input_columns_release(struct input_columns *columns)
{
	schema_release(&columns->schema);
	mem_free(columns->typed);
	columns->typed = NULL;
}
