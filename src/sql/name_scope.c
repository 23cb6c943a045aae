/*
 * name_scope.c - what a name means
 *
 * Why:    a name that could mean two columns is refused, never guessed; the
 *         one exception is the assigned column inside its own SET value.
 * How:    names match regardless of case, quoted or not, an exact match
 *         before one that differs in case. A qualifier is the alias, or the
 *         table's name where it has no alias.
 */
#include "sql/name_scope.h"

/* Names of a wide table share their beginnings: look at the end first. */
static bool may_match(const char *column, const char *name, size_t length)
{
	return strlen(column) == length &&
	       (!length || ((column[length - 1] ^ name[length - 1]) & ~0x20) ==
				   0);
}

static size_t find_name(const struct column_def *defs, size_t count,
			const char *name)
{
	size_t exact = COLUMN_NONE, other = COLUMN_NONE;
	size_t length = strlen(name);

	for (size_t i = 0; i < count; i++) {
		const char *column = defs[i].name;

		if (!may_match(column, name, length) ||
		    !text_equal_nocase(column, name))
			continue;
		if (!strcmp(column, name))
			exact = exact == COLUMN_NONE ? i : COLUMN_SEVERAL;
		else
			other = other == COLUMN_NONE ? i : COLUMN_SEVERAL;
	}
	return exact != COLUMN_NONE ? exact : other;
}

size_t find_column(const struct schema *schema, const char *name)
{
	return find_name(schema->columns, schema->column_count, name);
}

size_t find_field(const struct type *row, const char *name)
{
	return find_name(row->fields, row->field_count, name);
}

bool scope_source_matches(const struct scope_source *source,
			  const char *const *parts, size_t count)
{
	const struct ast_name *table = source->table;

	if (source->alias)
		return count == 1 &&
		       text_equal_nocase(source->alias, parts[0]);
	if (!table || count > table->count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!text_equal_nocase(table->parts[table->count - count + i],
				       parts[i]))
			return false;
	return true;
}

size_t scope_source_ordinal(const struct scope_source *source, size_t column)
{
	return source->ordinals ? source->ordinals[column]
				: source->first + column;
}

static const char *source_name(const struct scope_source *source)
{
	if (source->alias)
		return source->alias;
	return source->table ? source->table->parts[source->table->count - 1]
			     : "";
}

static int ambiguous(const struct ast_name *name, const char *why,
		     const char *hint, struct error *err)
{
	int rc = sql_error(err, ERROR_AMBIGUOUS_COLUMN, &name->place,
			   "column %s is ambiguous: %s",
			   name->parts[name->count - 1], why);

	error_hint(err, "%s", hint);
	return rc;
}

#define LISTED_BYTES 200

/* Nothing is near the name: what there is instead. */
bool sql_hint_delimiter(const struct schema *schema, struct error *err)
{
	const char *name, *mark;

	if (schema->column_count != 1)
		return false;
	name = schema->columns[0].name;
	mark = strpbrk(name, ";|\t,");
	if (!mark)
		return false;
	error_hint(err, "the only column is %s: should it be several, say "
		   "--delimiter '%.*s'", name, *mark == '\t' ? 2 : 1,
		   *mark == '\t' ? "\\t" : mark);
	return true;
}

static void hint_columns(const struct scope_source *source, const char *column,
			 struct error *err)
{
	const struct schema *schema = source->schema;
	struct text text = TEXT_INIT;
	size_t i;

	if (source->file && schema->column_count &&
	    text_starts_with(schema->columns[0].name, "sep=")) {
		error_hint(err, "line 1 looks like a sep= line: --skip-lines 1 "
			   "leaves it out");
		return;
	}
	if (source->file && sql_hint_delimiter(schema, err))
		return;
	for (i = 0; i < schema->column_count && text.length < LISTED_BYTES; i++)
		text_addf(&text, "%s%s", i ? ", " : "",
			  schema->columns[i].name);
	if (text.data)
		error_hint(err, "the columns are %s%s%s%s%s", text.data,
			   i < schema->column_count ? ", ..." : "",
			   source->declares ? "; to have one that no record "
			   "has, declare it: --types '" : "",
			   source->declares ? column : "",
			   source->declares ? " TYPE'" : "");
	text_release(&text);
}

static int unknown_column(const struct name_scope *scope,
			  const struct ast_name *name,
			  const struct scope_source *only, struct error *err)
{
	const char *column = name->parts[name->count - 1];
	const char *fallback = NULL;
	struct name_guess guess;
	int rc;

	name_guess_init(&guess, column);
	for (size_t s = 0; s < scope->source_count; s++) {
		const struct scope_source *source = &scope->sources[s];

		if (only && only != source)
			continue;
		if (source->hidden) {
			if (find_column(source->schema, column) !=
			    COLUMN_NONE)
				fallback = source->hidden;
			continue;
		}
		for (size_t i = 0; i < source->schema->column_count; i++)
			name_guess_offer(&guess,
					 source->schema->columns[i].name);
	}
	if (only)
		rc = sql_error(err, ERROR_UNKNOWN_COLUMN, &name->place,
			       "the %s%s%s%s%s%s has no column %s", only->what,
			       *source_name(only) ? " " : "",
			       source_name(only), only->file ? " (" : "",
			       only->file ? only->file : "",
			       only->file ? ")" : "", column);
	else
		rc = sql_error(err, ERROR_UNKNOWN_COLUMN, &name->place,
			       "there is no column %s here", column);
	error_field(err, column);
	name_guess_hint(&guess, err, fallback);
	for (size_t s = 0; !only && s < scope->source_count; s++)
		if (scope->sources[s].declares && !scope->sources[s].hidden)
			only = &scope->sources[s];
	if (only && !guess.best && !fallback)
		hint_columns(only, column, err);
	return rc;
}

static int unknown_qualifier(const struct name_scope *scope,
			     const struct ast_name *name, struct error *err)
{
	/* of x.y.z without any x, x is the name to look at */
	const char *qualifier = name->parts[0];
	struct name_guess guess;
	int rc;

	name_guess_init(&guess, qualifier);
	for (size_t s = 0; s < scope->source_count; s++)
		if (!scope->sources[s].hidden)
			name_guess_offer(&guess,
					 source_name(&scope->sources[s]));
	rc = sql_error(err, ERROR_UNKNOWN_COLUMN, &name->place,
		       name->count > 2 ? "there is no table, alias or column "
		       "%s here, so no %s.%s" : "there is no table or alias "
		       "%s here, so no column %s.%s", qualifier, qualifier,
		       name->parts[1]);
	name_guess_hint(&guess, err, NULL);
	return rc;
}

static int hidden_source(const struct ast_name *name,
			 const struct scope_source *source, struct error *err)
{
	int rc = sql_error(err, ERROR_UNKNOWN_COLUMN, &name->place,
			   "the %s %s cannot be named here", source->what,
			   source_name(source));

	error_hint(err, "%s", source->hidden);
	return rc;
}

/*
 * The last part as a column, the others as its qualifier. out->source NULL:
 * there is none. *known is set to a source that has the qualifier.
 */
static int find_qualified(const struct name_scope *scope,
			  const struct ast_name *name,
			  struct scope_column *out,
			  const struct scope_source **known,
			  struct error *err)
{
	const struct scope_source *found = NULL;
	size_t column;

	out->source = NULL;
	for (size_t s = 0; s < scope->source_count; s++) {
		const struct scope_source *source = &scope->sources[s];

		if (!scope_source_matches(source, name->parts,
					  name->count - 1))
			continue;
		if (found)
			return ambiguous(name, "two tables have this name or "
				"alias", "give each an alias of its own", err);
		found = source;
	}
	if (!found)
		return 0;
	*known = found;
	if (found->hidden)
		return hidden_source(name, found, err);
	column = find_column(found->schema,
			     name->parts[name->count - 1]);
	if (column == COLUMN_SEVERAL)
		return ambiguous(name, "several columns have this name",
				 "give them different names", err);
	if (column == COLUMN_NONE)
		return 0;
	out->source = found;
	out->column = column;
	out->part_count = name->count;
	return 0;
}

/* A column by its bare name. */
static size_t bare_column(const struct scope_source *source,
			  const char *text)
{
	size_t column = COLUMN_NONE;

	if (!source->hidden)
		column = find_column(source->schema, text);
	if (column < source->schema->column_count && source->merged &&
	    source->merged[column])
		return COLUMN_NONE;
	return column;
}

bool name_scope_has(const struct name_scope *scope, const char *text)
{
	for (size_t s = 0; s < scope->source_count; s++)
		if (bare_column(&scope->sources[s], text) != COLUMN_NONE)
			return true;
	return false;
}

static bool is_merge(const struct name_scope *scope)
{
	return !strcmp(scope->sources[0].what, "target");
}

static int find_bare(const struct name_scope *scope,
		     const struct ast_name *name, struct scope_column *out,
		     struct error *err)
{
	const char *text = name->parts[0];
	bool is_assigned = scope->assigned &&
			   text_equal_nocase(scope->assigned, text);

	out->source = NULL;
	out->part_count = 1;
	for (size_t s = 0; s < scope->source_count; s++) {
		const struct scope_source *source = &scope->sources[s];
		size_t column = bare_column(source, text);

		if (column == COLUMN_NONE)
			continue;
		if (column == COLUMN_SEVERAL)
			return ambiguous(name, "several columns have this "
				"name", "give them different names", err);
		if (out->source)
			return ambiguous(name, is_merge(scope) ?
				"both the target and the source have it" :
				"several tables have it", "put the alias in "
				"front, as in t.c", err);
		out->source = source;
		out->column = column;
		if (is_assigned)
			break;
	}
	return out->source ? 0 : unknown_column(scope, name, NULL, err);
}

/* A column of that name with fields to name, or whose type is yet to come. */
static bool has_fields(const struct name_scope *scope, const char *text)
{
	for (size_t s = 0; s < scope->source_count; s++) {
		const struct scope_source *source = &scope->sources[s];
		size_t column = bare_column(source, text);
		enum type_id id;

		if (column >= source->schema->column_count)
			continue;
		id = source->schema->columns[column].type.id;
		if (id == TYPE_ROW || id == TYPE_UNKNOWN)
			return true;
	}
	return false;
}

/* The first `count` parts. */
static struct ast_name name_head(const struct ast_name *name, size_t count)
{
	struct ast_name head = *name;

	head.count = count;
	return head;
}

int name_scope_find(const struct name_scope *scope,
		    const struct ast_name *name, struct scope_column *out,
		    struct error *err)
{
	struct ast_name head = name_head(name, 1);
	struct ast_name unknown = *name;
	const struct scope_source *known = NULL;

	for (size_t count = name->count; count > 1; count--) {
		struct ast_name part = name_head(name, count);
		const struct scope_source *found = NULL;
		int rc = find_qualified(scope, &part, out, &found, err);

		if (rc || out->source)
			return rc;
		if (found && !known) {
			known = found;
			unknown = part;
		}
	}
	if (name->count == 1 || (known ? has_fields : name_scope_has)(
					scope, name->parts[0]))
		return find_bare(scope, &head, out, err);
	if (known)
		return unknown_column(scope, &unknown, known, err);
	return unknown_qualifier(scope, name, err);
}
