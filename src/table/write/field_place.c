/*
 * field_place.c - where the source of a partition or sort field is
 *
 * Why:    both go by field id, and the id may be of a field inside structs.
 * How:    the way to it is found once a statement; per batch the columns on
 *         the way are unpacked, then the transform is applied.
 * Limits: never inside an array or a map, where a row has many values.
 */
#include "table/write/write_state.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "partition");
}

/* Depth-first through structs; steps has room for TYPE_NESTING_LIMIT. */
static bool find_inside(const struct type *type, int32_t field_id,
			size_t *steps, size_t depth, size_t *count_out,
			struct type *type_out)
{
	if (type->id != TYPE_ROW || depth >= TYPE_NESTING_LIMIT)
		return false;
	for (size_t i = 0; i < type->field_count; i++) {
		steps[depth] = i;
		if (type->fields[i].field_id == field_id) {
			*count_out = depth + 1;
			*type_out = type->fields[i].type;
			return true;
		}
		if (find_inside(&type->fields[i].type, field_id, steps,
				depth + 1, count_out, type_out))
			return true;
	}
	return false;
}

bool column_has_field(const struct column_def *column, int32_t field_id)
{
	size_t steps[TYPE_NESTING_LIMIT], count;
	struct type type;

	return column->field_id == field_id ||
	       find_inside(&column->type, field_id, steps, 0, &count, &type);
}

int field_place_find(const struct schema *schema, int32_t field_id,
		     struct arena *arena, struct field_place *out,
		     struct error *err)
{
	size_t steps[TYPE_NESTING_LIMIT];

	memset(out, 0, sizeof(*out));
	out->column = SIZE_MAX;
	for (size_t i = 0; i < schema->column_count; i++) {
		const struct column_def *column = &schema->columns[i];

		out->type = column->type;
		if (column->field_id != field_id &&
		    !find_inside(&column->type, field_id, steps, 0,
				 &out->step_count, &out->type))
			continue;
		out->column = i;
		out->steps = arena_copy(arena, steps,
					out->step_count * sizeof(*steps));
		return out->steps ? 0 : no_memory(err);
	}
	return 0;
}

/* The selected rows of the column, then a field of them, and so on. */
static int unpack(const struct field_place *place, const struct vector *column,
		  const struct selection *rows, struct vector made[2],
		  const struct vector **out, struct error *err)
{
	const struct vector *from = column;
	int rc = 0;

	if (rows->rows) {
		vector_set_type(&made[1], column->type);
		rc = vector_gather(&made[1], column, rows->rows, rows->count,
				   NULL, err);
		from = &made[1];
	}
	for (size_t i = 0; !rc && i < place->step_count; i++) {
		struct vector *to = &made[i & 1];

		vector_set_type(to, from->type.fields[place->steps[i]].type);
		rc = nested_unpack_rows(from, place->steps[i], to, err);
		from = to;
	}
	*out = from;
	return rc;
}

int field_place_values(const struct field_place *place,
		       const struct transform *transform,
		       const struct vector *const *columns,
		       const struct selection *rows, struct vector *out,
		       struct error *err)
{
	const struct vector *column = columns[place->column], *inner;
	struct selection all = selection_all(rows->count);
	struct vector made[2];
	int rc;

	if (!place->step_count)
		return transform_apply_vector(transform, column, rows, out,
					      err);
	vector_init(&made[0], place->type);
	vector_init(&made[1], place->type);
	rc = unpack(place, column, rows, made, &inner, err);
	if (!rc && transform->kind == TRANSFORM_IDENTITY) {
		/* not borrowed: what it would be borrowed from goes */
		vector_set_type(out, inner->type);
		rc = vector_append_selected(out, inner, &all, NULL, err);
	} else if (!rc) {
		rc = transform_apply_vector(transform, inner, &all, out, err);
	}
	vector_release(&made[0]);
	vector_release(&made[1]);
	return rc;
}
