/*
 * transform_term.c - "bucket[8] of id": a term of a spec or a sort order
 *
 * Why:    partition specs and sort orders take the same terms by the same
 *         rules (iceberg.md 14).
 * How:    the column is found by its path, the transform is written anew in
 *         the spec's spelling.
 * Limits: a source in an array or a map has many values a row and is refused.
 */
#include "table/evolve/evolve_state.h"

bool transforms_equal(const struct transform *a, const struct transform *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == TRANSFORM_UNKNOWN)
		return !strcmp(a->text, b->text);
	return a->parameter == b->parameter;
}

bool transform_is_time(const struct transform *transform)
{
	return transform->kind == TRANSFORM_YEAR ||
	       transform->kind == TRANSFORM_MONTH ||
	       transform->kind == TRANSFORM_DAY ||
	       transform->kind == TRANSFORM_HOUR;
}

static bool takes_time(enum transform_kind kind, const struct type *type)
{
	return type->id == TYPE_TIMESTAMP || type->id == TYPE_TIMESTAMP_TZ ||
	       (type->id == TYPE_DATE && kind != TRANSFORM_HOUR);
}

static bool takes_type(const struct transform *transform,
		       const struct type *type)
{
	switch (transform->kind) {
	case TRANSFORM_BUCKET:
		return type->id != TYPE_BOOLEAN && type->id != TYPE_REAL &&
		       type->id != TYPE_DOUBLE && !type_is_nested(type);
	case TRANSFORM_TRUNCATE:
		return type->id == TYPE_INTEGER || type->id == TYPE_BIGINT ||
		       type->id == TYPE_DECIMAL || type->id == TYPE_VARCHAR ||
		       type->id == TYPE_VARBINARY;
	case TRANSFORM_IDENTITY:
	case TRANSFORM_VOID:
		return !type_is_nested(type);
	default:
		return takes_time(transform->kind, type);
	}
}

static const char *takes_what(enum transform_kind kind)
{
	switch (kind) {
	case TRANSFORM_BUCKET:
		return "it takes whole numbers, decimals, dates, times, "
		       "timestamps, text, binary and UUIDs";
	case TRANSFORM_TRUNCATE:
		return "it takes whole numbers, decimals, text and binary";
	case TRANSFORM_HOUR:
		return "it takes timestamps";
	case TRANSFORM_YEAR:
	case TRANSFORM_MONTH:
	case TRANSFORM_DAY:
		return "it takes dates and timestamps";
	default:
		return "name a field of it";
	}
}

/* "Bucket[08]" is "bucket[8]" in the metadata. */
static int spell(struct transform *transform, struct arena *arena,
		 struct error *err)
{
	static const char *const names[] = {
		[TRANSFORM_IDENTITY] = "identity",
		[TRANSFORM_BUCKET] = "bucket",
		[TRANSFORM_TRUNCATE] = "truncate",
		[TRANSFORM_YEAR] = "year",
		[TRANSFORM_MONTH] = "month",
		[TRANSFORM_DAY] = "day",
		[TRANSFORM_HOUR] = "hour",
		[TRANSFORM_VOID] = "void",
	};
	const char *name = names[transform->kind];

	transform->text = transform->parameter
		? arena_printf(arena, "%s[%d]", name,
			       (int)transform->parameter)
		: arena_strdup(arena, name);
	return transform->text ? 0 : error_set(err, ERROR_NO_MEMORY,
					       "transform");
}

static int unknown_transform(const char *transform, struct error *err)
{
	error_set(err, ERROR_UNSUPPORTED, "unknown transform %s", transform);
	return error_hint(err, "one of identity, bucket(N, column), "
			  "truncate(W, column), year, month, day, hour; N "
			  "and W are whole numbers from 1");
}

int term_resolve(const struct schema *schema, const struct column_path *path,
		 const char *transform, struct arena *arena,
		 struct transform *out, int32_t *source_id,
		 struct error *err)
{
	char text[PATH_TEXT_BYTES], name[TYPE_NAME_BYTES];
	struct column_place place;
	int rc;

	rc = column_find(schema, path, &place, err);
	if (rc)
		return rc;
	if (!place.column)
		return error_set(err, ERROR_BAD_ARGUMENT,
				 "a partition or sort field without a column");
	if (place.in_collection) {
		error_set(err, ERROR_INCOMPATIBLE_CHANGE, "'%s' is inside an "
			  "ARRAY or a MAP and has many values in a row",
			  path_text(path, text));
		return error_hint(err, "partition and sort by columns, and "
				  "by fields of ROWs");
	}
	rc = transform_parse(out, transform ? transform : "identity", arena,
			     err);
	if (rc)
		return rc;
	if (out->kind == TRANSFORM_UNKNOWN)
		return unknown_transform(transform, err);
	if (!takes_type(out, &place.column->type)) {
		error_set(err, ERROR_TYPE_MISMATCH, "%s of column '%s', which "
			  "is %s", out->text, path_text(path, text),
			  type_name(&place.column->type, name));
		return error_hint(err, "%s", takes_what(out->kind));
	}
	*source_id = place.column->field_id;
	return spell(out, arena, err);
}
