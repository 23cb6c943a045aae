/*
 * function_nested.c - argument and result types of functions on ROW, ARRAY
 * and MAP
 *
 * Why:    what comes out depends on the types inside the arguments; the rest
 *         of the function table knows fixed types.
 * How:    a resolver per function. Where an element, a key or an array meets
 *         another, both become the common type. New types live in the arena
 *         of the query; without one nothing fits.
 */
#include "expr/kernel_nested.h"

static const struct type *element_of(const struct type *list)
{
	return &list->fields[0].type;
}

bool resolve_row(const struct function_query *query)
{
	struct type *out = query->result;

	if (!query->arena)
		return false;
	*out = type_of(TYPE_ROW);
	out->fields = arena_zalloc_array(query->arena, query->arg_count,
					 sizeof(*out->fields));
	if (!out->fields)
		return false;
	out->field_count = query->arg_count;
	for (size_t i = 0; i < query->arg_count; i++) {
		query->wanted[i] = query->args[i];
		out->fields[i].name = (char *)(uintptr_t)"";
		out->fields[i].type = query->args[i];
	}
	return true;
}

/* The common type of all arguments. */
static bool common_of(const struct function_query *query, struct type *out)
{
	*out = type_of(TYPE_UNKNOWN);
	for (size_t i = 0; i < query->arg_count; i++)
		if (!type_unify(query->arena, out, &query->args[i], out))
			return false;
	for (size_t i = 0; i < query->arg_count; i++)
		query->wanted[i] = *out;
	return true;
}

bool resolve_array(const struct function_query *query)
{
	struct type element;

	return common_of(query, &element) &&
	       type_array_of(query->arena, &element, query->result);
}

bool resolve_map(const struct function_query *query)
{
	const struct type *args = query->args;

	if (args[0].id != TYPE_ARRAY || args[1].id != TYPE_ARRAY)
		return false;
	query->wanted[0] = args[0];
	query->wanted[1] = args[1];
	return type_map_of(query->arena, element_of(&args[0]),
			   element_of(&args[1]), query->result);
}

bool resolve_empty_map(const struct function_query *query)
{
	struct type unknown = type_of(TYPE_UNKNOWN);

	return type_map_of(query->arena, &unknown, &unknown, query->result);
}

static bool wants_index(const struct function_query *query, size_t i)
{
	query->wanted[i] = type_of(TYPE_BIGINT);
	return type_coerces(&query->args[i], &query->wanted[i]);
}

bool resolve_array_item(const struct function_query *query)
{
	if (query->args[0].id != TYPE_ARRAY)
		return false;
	query->wanted[0] = query->args[0];
	*query->result = *element_of(&query->args[0]);
	return wants_index(query, 1);
}

/*
 * Argument `list` is an ARRAY or a MAP, argument `item` an element or a key
 * of it: as it is where the item coerces, else both become what they have in
 * common.
 */
static bool wants_item(const struct function_query *query, size_t list,
		       size_t item)
{
	const struct type *from = &query->args[list];
	const struct type *part = element_of(from);
	struct type *wanted = &query->wanted[list];

	*wanted = *from;
	query->wanted[item] = *part;
	if (type_coerces(&query->args[item], part))
		return true;
	if (!type_unify(query->arena, part, &query->args[item],
			&query->wanted[item]))
		return false;
	part = &query->wanted[item];
	return from->id == TYPE_ARRAY ?
		type_array_of(query->arena, part, wanted) :
		type_map_of(query->arena, part, &from->fields[1].type,
			    wanted);
}

bool resolve_map_item(const struct function_query *query)
{
	if (query->args[0].id != TYPE_MAP || !wants_item(query, 0, 1))
		return false;
	*query->result = query->args[0].fields[1].type;
	return true;
}

bool resolve_cardinality(const struct function_query *query)
{
	query->wanted[0] = query->args[0];
	*query->result = type_of(TYPE_BIGINT);
	return query->args[0].id == TYPE_ARRAY ||
	       query->args[0].id == TYPE_MAP;
}

bool resolve_map_part(const struct function_query *query)
{
	const struct type *map = &query->args[0];
	struct type entry = type_of(TYPE_ROW);

	if (map->id != TYPE_MAP)
		return false;
	query->wanted[0] = *map;
	entry.fields = map->fields;
	entry.field_count = 2;
	switch (query->function->variant) {
	case NESTED_KEYS:
		return type_array_of(query->arena, &map->fields[0].type,
				     query->result);
	case NESTED_VALUES:
		return type_array_of(query->arena, &map->fields[1].type,
				     query->result);
	default:
		return type_array_of(query->arena, &entry, query->result);
	}
}

bool resolve_contains(const struct function_query *query)
{
	*query->result = type_of(TYPE_BOOLEAN);
	return query->args[0].id == TYPE_ARRAY && wants_item(query, 0, 1);
}

bool resolve_position(const struct function_query *query)
{
	*query->result = type_of(TYPE_BIGINT);
	return query->args[0].id == TYPE_ARRAY && wants_item(query, 0, 1);
}

bool resolve_slice(const struct function_query *query)
{
	query->wanted[0] = *query->result = query->args[0];
	return query->args[0].id == TYPE_ARRAY && wants_index(query, 1) &&
	       wants_index(query, 2);
}

/* Beside "||" a bare NULL or an untyped column is an element. */
bool resolve_concat_lists(const struct function_query *query)
{
	bool is_operator = query->function->name[0] == '|';

	for (size_t i = 0; i < query->arg_count; i++)
		if (is_operator && query->args[i].id != TYPE_ARRAY)
			return false;
	return common_of(query, query->result) &&
	       query->result->id == TYPE_ARRAY;
}

bool resolve_concat_item(const struct function_query *query)
{
	size_t list = query->function->variant == CONCAT_APPEND ? 0 : 1;

	if (query->args[list].id != TYPE_ARRAY ||
	    !wants_item(query, list, 1 - list))
		return false;
	return type_array_of(query->arena, element_of(&query->wanted[list]),
			     query->result);
}
