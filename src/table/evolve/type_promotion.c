/*
 * type_promotion.c - a column of a wider type
 *
 * Why:    old files keep their values; a reader widens them, so only such
 *         types are let through that every old value has an equal one in.
 * How:    INTEGER to BIGINT, REAL to DOUBLE, DECIMAL to more digits of the
 *         same scale (iceberg.md 16.2). All of these leave the results of
 *         bucket and truncate as they are; a transform that we do not know
 *         might not.
 * Limits: DATE to TIMESTAMP of version 3 is read, not made: other engines do
 *         not read it. A ROW, ARRAY or MAP is changed by its fields.
 */
#include "table/evolve/evolve_state.h"

bool promotion_is_allowed(const struct type *from, const struct type *to)
{
	if (from->id == TYPE_INTEGER)
		return to->id == TYPE_BIGINT;
	if (from->id == TYPE_REAL)
		return to->id == TYPE_DOUBLE;
	return from->id == TYPE_DECIMAL && to->id == TYPE_DECIMAL &&
	       from->scale == to->scale && from->precision <= to->precision;
}

/* What would be possible. */
static int hint(struct error *err, const struct column_def *column)
{
	switch (column->type.id) {
	case TYPE_INTEGER:
		return error_hint(err, "INTEGER can become BIGINT");
	case TYPE_REAL:
		return error_hint(err, "REAL can become DOUBLE");
	case TYPE_DECIMAL:
		return error_hint(err, "DECIMAL(%u,%u) can become "
				  "DECIMAL(P,%u) with P up to 38",
				  column->type.precision, column->type.scale,
				  column->type.scale);
	case TYPE_ROW:
	case TYPE_ARRAY:
	case TYPE_MAP:
		return error_hint(err, "change its fields one by one");
	default:
		return error_hint(err, "add a column of the new type and "
				  "fill it from this one");
	}
}

/* May the column feed what the table places rows by, after it is wider? */
static int check_sources(struct evolution *e, const struct column_def *column)
{
	for (size_t i = 0; i < e->slot_count; i++) {
		const struct partition_field *field = &e->slots[i].field;

		if (!e->slots[i].is_removed &&
		    field->source_id == column->field_id &&
		    field->transform.kind == TRANSFORM_UNKNOWN)
			return error_set(e->err, ERROR_INCOMPATIBLE_CHANGE,
					 "the table is partitioned by %s of "
					 "column '%s', whose result might "
					 "change with the type",
					 field->transform.text, column->name);
	}
	return 0;
}

int evolve_type(struct evolution *e, const struct table_change *change)
{
	char text[PATH_TEXT_BYTES], from[TYPE_NAME_BYTES], to[TYPE_NAME_BYTES];
	const struct type *wanted = &change->column.type;
	struct column_place place;
	int rc;

	rc = column_find(&e->schema, &change->path, &place, e->err);
	if (rc == ERROR_UNKNOWN_COLUMN && change->if_exists)
		return 0;
	if (!rc && !place.column)
		rc = error_set(e->err, ERROR_BAD_ARGUMENT,
			       "a change of no column");
	if (rc || type_equal(&place.column->type, wanted))
		return rc;
	if (!promotion_is_allowed(&place.column->type, wanted)) {
		error_set(e->err, ERROR_INCOMPATIBLE_CHANGE, "column '%s' is "
			  "%s and cannot become %s",
			  path_text(&change->path, text),
			  type_name(&place.column->type, from),
			  type_name(wanted, to));
		return hint(e->err, place.column);
	}
	rc = check_sources(e, place.column);
	if (!rc)
		rc = default_widen(e, place.column, wanted);
	if (!rc)
		place.column->type = *wanted;
	return rc;
}
