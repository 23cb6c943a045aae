/*
 * untyped.c - columns of a file get the type of their first use
 *
 * Why:    a CSV file has no types, and guessing them from the batch would let
 *         tonight's data change a type. What no table types is text of
 *         unknown type, as a quoted literal is in PostgreSQL.
 * How:    in a pass such a column has type UNKNOWN, as the bare NULL has.
 *         Where something asks for a type, the column behind it (also
 *         through projections and CTEs that pass it on) is fixed to it. After
 *         the pass the types are set and the statement is bound again, until
 *         nothing is left open; what nobody asked about becomes VARCHAR. If
 *         such text is compared for its order, say so: 9 is after 10 there.
 * Limits: a number literal says little about a column, so a later use with a
 *         real numeric type wins over it; any other two types are an error.
 */
#include "sql/binder.h"

/* A chain of columns that decide each other is followed so far. */
#define UNTYPED_PASS_LIMIT 16
/* A warning names so many columns. */
#define UNTYPED_NAMED 4

int origin_concat(struct binder *binder, const struct origin *origins,
		  struct origin **list)
{
	for (; origins; origins = origins->next) {
		struct origin *copy = binder_alloc(binder, 1, sizeof(*copy));

		if (!copy)
			return ERROR_NO_MEMORY;
		copy->column = origins->column;
		copy->next = *list;
		*list = copy;
	}
	return 0;
}

static const char *column_name(const struct untyped_column *column)
{
	return column->relation->schema.columns[column->column].name;
}

static int two_types(struct binder *binder,
		     const struct untyped_column *column,
		     const struct type *type, const struct sql_place *place)
{
	char old_name[TYPE_NAME_BYTES], new_name[TYPE_NAME_BYTES];
	const struct bound_relation *target = binder->untyped_target;
	const char *name = column_name(column);
	struct type common;

	sql_error(binder->err, ERROR_TYPE_MISMATCH, place,
		  "column %s of %s is used as %s here and as %s in line %u, "
		  "column %u", name, column->relation->name,
		  type_name(type, new_name),
		  type_name(&column->type, old_name), column->place.line,
		  column->place.position);
	error_field(binder->err, name);
	if (target && column->relation == target->relation)
		error_hint(binder->err, "the file has no type for it: give it "
			   "one, --types '%s %s'", name,
			   type_common(&column->type, type, &common) ?
			   type_name(&common, new_name) : "TYPE");
	else
		error_hint(binder->err, "the file has no type for it: CAST it "
			   "at each use");
	return ERROR_TYPE_MISMATCH;
}

static int fix_one(struct binder *binder, struct untyped_column *column,
		   const struct type *type, bool is_weak,
		   const struct sql_place *place)
{
	bool are_numbers = type_is_numeric(&column->type) &&
			   type_is_numeric(type);
	struct type common;

	if (!column->is_fixed ||
	    (column->is_weak && !is_weak && are_numbers)) {
		column->is_fixed = true;
		column->is_weak = is_weak;
		column->type = *type;
		column->place = *place;
		return 0;
	}
	if (type_equal(&column->type, type)) {
		column->is_weak = column->is_weak && is_weak;
		return 0;
	}
	if (column->is_weak && is_weak &&
	    type_common(&column->type, type, &common)) {
		column->type = common;
		return 0;
	}
	if (is_weak && are_numbers)
		return 0;
	return two_types(binder, column, type, place);
}

int untyped_fix(struct binder *binder, const struct origin *origins,
		const struct type *type, bool is_weak,
		const struct sql_place *place)
{
	if (type->id == TYPE_UNKNOWN)
		return 0;
	for (; origins; origins = origins->next) {
		int rc = fix_one(binder, origins->column, type, is_weak,
				 place);

		if (rc)
			return rc;
	}
	return 0;
}

void untyped_ordered(const struct origin *origins)
{
	for (; origins; origins = origins->next)
		origins->column->is_ordered = true;
}

/* Note a column whose order is that of text; each name once. */
static void note_text_order(struct binder *binder,
			    struct untyped_column *column)
{
	struct untyped_column **end = &binder->text_order;

	for (; *end; end = &(*end)->next_text)
		if (text_equal_nocase(column_name(*end), column_name(column)))
			return;
	*end = column;
}

int untyped_warn(struct binder *binder)
{
	const struct untyped_column *column = binder->text_order;
	struct text names = TEXT_INIT;
	size_t count = 0, i = 0;
	int rc;

	for (; column; column = column->next_text)
		count++;
	for (column = binder->text_order; column && i < UNTYPED_NAMED;
	     column = column->next_text)
		text_addf(&names, "%s%.80s", !i++ ? "" : i == count ? " and " :
			  ", ", column_name(column));
	if (count > UNTYPED_NAMED)
		text_addf(&names, " and %zu more", count - UNTYPED_NAMED);
	if (names.failed)
		rc = binder_no_memory(binder);
	else if (!count)
		rc = 0;
	else
		rc = binder_warn(binder, "%s %s no type and %s ordered as "
				 "text, where 9 is higher than 10: give %s one "
				 "with --types or CAST (VARCHAR if text is "
				 "right)", names.data,
				 count > 1 ? "have" : "has",
				 count > 1 ? "are" : "is",
				 count > 1 ? "each" : "it");
	text_release(&names);
	return rc;
}

/* A literal's digits are no bound for the column. */
static struct type settled_type(const struct untyped_column *column)
{
	if (!column->is_weak)
		return column->type;
	if (column->type.id == TYPE_INTEGER)
		return type_of(TYPE_BIGINT);
	if (column->type.id == TYPE_DECIMAL)
		return type_decimal(DECIMAL_MAX_PRECISION,
				    column->type.scale);
	return column->type;
}

/* Type what is fixed, with `all` the rest too; the number of columns. */
static size_t settle_relation(struct binder *binder,
			      struct bound_relation *bound, bool all)
{
	struct schema *schema = &bound->relation->schema;
	size_t count = 0;

	for (size_t c = 0; c < schema->column_count; c++) {
		struct untyped_column *column = bound->columns[c];

		if (!column || (!column->is_fixed && !all))
			continue;
		if (!column->is_fixed) {
			column->type = type_of(TYPE_VARCHAR);
			if (column->is_ordered)
				note_text_order(binder, column);
		}
		schema->columns[c].type = settled_type(column);
		bound->columns[c] = NULL;
		count++;
	}
	return count;
}

static size_t settle_all(struct binder *binder, bool all)
{
	size_t count = 0;

	for (size_t i = 0; i < binder->relations.count; i++)
		count += settle_relation(binder, binder->relations.items[i],
					 all);
	return count;
}

bool untyped_settle(struct binder *binder)
{
	bool all = ++binder->pass_count >= UNTYPED_PASS_LIMIT;

	/* what is fixed now may decide the rest in the next pass */
	if (!all && settle_all(binder, false))
		return true;
	return settle_all(binder, true) > 0;
}

int bound_relation_new(struct binder *binder, struct relation *relation,
		       struct bound_relation **out)
{
	size_t count = relation->schema.column_count;
	struct bound_relation *bound;

	*out = NULL;
	bound = binder_alloc(binder, 1, sizeof(*bound));
	if (!bound)
		return ERROR_NO_MEMORY;
	bound->relation = relation;
	bound->columns = binder_alloc(binder, count, sizeof(*bound->columns));
	if (!bound->columns)
		return ERROR_NO_MEMORY;
	for (size_t c = 0; relation->untyped && c < count; c++) {
		struct untyped_column *column;

		if (!relation->untyped[c])
			continue;
		column = binder_alloc(binder, 1, sizeof(*column));
		if (!column)
			return ERROR_NO_MEMORY;
		column->relation = relation;
		column->column = c;
		bound->columns[c] = column;
	}
	if (!ast_list_add(&binder->relations, binder->arena, bound))
		return binder_no_memory(binder);
	*out = bound;
	return 0;
}
