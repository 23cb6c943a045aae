#ifndef TESTS_UNIT_NESTED_MODEL_H
#define TESTS_UNIT_NESTED_MODEL_H
#include "unit/column_samples.h"

/*
 * A simple model of nested values to set the packed ones against: trees of
 * literals, made at random from a seed, and vectors built from them.
 */
struct tree {
	bool is_null;
	struct literal scalar;	/* of a type that is not nested */
	struct tree *items;	/* fields, elements, or keys then values */
	size_t count;		/* fields, elements, entries */
};

struct model {
	struct arena arena;
	uint64_t seed;
};

static inline uint32_t model_random(struct model *model, uint32_t below)
{
	model->seed = model->seed * UINT64_C(6364136223846793005) + 1442695;
	return (uint32_t)(model->seed >> 33) % below;
}

static inline struct type model_list_type(struct model *model,
					  enum type_id id, struct type key,
					  struct type value)
{
	struct type type = type_of(id);
	size_t count = id == TYPE_MAP ? 2 : 1;

	type.fields = arena_zalloc_array(&model->arena, 2,
					 sizeof(*type.fields));
	type.field_count = count;
	type.fields[0].name = (char *)(count == 2 ? "key" : "element");
	type.fields[0].type = count == 2 ? key : value;
	type.fields[1].name = (char *)"value";
	type.fields[1].type = value;
	return type;
}

static inline struct type model_type(struct model *model, unsigned depth)
{
	uint32_t kind = model_random(model, depth ? 8 : 4);
	struct type type = type_of(TYPE_ROW);

	if (kind < 4)
		return sample_type(model_random(model, SAMPLE_TYPE_COUNT));
	if (kind == 4 || kind == 5)
		return model_list_type(model, TYPE_ARRAY, type,
				       model_type(model, depth - 1));
	if (kind == 6)
		return model_list_type(model, TYPE_MAP,
			model_type(model, depth > 1 ? 1 : 0),
			model_type(model, depth - 1));
	type.field_count = model_random(model, 12);
	type.fields = arena_zalloc_array(&model->arena, 12,
					 sizeof(*type.fields));
	for (size_t i = 0; i < type.field_count; i++) {
		type.fields[i].name = arena_printf(&model->arena, "f%zu", i);
		type.fields[i].type = model_type(model, depth - 1);
	}
	return type;
}

static inline int model_compare(const struct type *type,
				const struct tree *a, const struct tree *b);

/* Entries of a map as indexes, by ascending key. */
static inline void model_sort(const struct type *type, const struct tree *map,
			      size_t *order)
{
	for (size_t i = 0; i < map->count; i++) {
		size_t at = i;

		for (; at && model_compare(&type->fields[0].type,
					   &map->items[i],
					   &map->items[order[at - 1]]) < 0;
		     at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

static inline int model_compare_entries(const struct type *type,
					const struct tree *a,
					const struct tree *b, size_t count)
{
	size_t a_order[64], b_order[64];
	int order = 0;

	model_sort(type, a, a_order);
	model_sort(type, b, b_order);
	for (size_t i = 0; i < count && !order; i++) {
		order = model_compare(&type->fields[0].type,
				      &a->items[a_order[i]],
				      &b->items[b_order[i]]);
		if (!order)
			order = model_compare(&type->fields[1].type,
				&a->items[a->count + a_order[i]],
				&b->items[b->count + b_order[i]]);
	}
	return order;
}

static inline int model_compare(const struct type *type,
				const struct tree *a, const struct tree *b)
{
	size_t count = a->count < b->count ? a->count : b->count;
	int order = 0;

	if (a->is_null || b->is_null)
		return a->is_null - b->is_null;
	if (!type_is_nested(type))
		return literal_compare(&a->scalar, &b->scalar);
	if (type->id == TYPE_MAP)
		order = model_compare_entries(type, a, b, count);
	for (size_t i = 0; i < count && !order && type->id != TYPE_MAP; i++)
		order = model_compare(&type->fields[type->id == TYPE_ROW
						    ? i : 0].type,
				      &a->items[i], &b->items[i]);
	if (order)
		return order;
	return a->count < b->count ? -1 : a->count > b->count;
}

static inline struct tree model_tree(struct model *model,
				     const struct type *type, bool nulls);

static inline void model_fill_map(struct model *model,
				  const struct type *type, struct tree *tree)
{
	size_t wanted = tree->count;

	tree->count = 0;
	for (size_t i = 0; i < wanted; i++) {
		struct tree key = model_tree(model, &type->fields[0].type,
					     false);
		bool is_new = true;

		for (size_t j = 0; j < tree->count; j++)
			if (model_compare(&type->fields[0].type, &key,
					  &tree->items[j]) == 0)
				is_new = false;
		if (is_new)
			tree->items[tree->count++] = key;
	}
	for (size_t i = 0; i < tree->count; i++)
		tree->items[tree->count + i] = model_tree(model,
						&type->fields[1].type, true);
}

/* A value of few possible ones, so that some are equal. */
static inline struct tree model_tree(struct model *model,
				     const struct type *type, bool nulls)
{
	struct tree tree = { 0 };

	if (nulls && model_random(model, 5) == 0) {
		tree.is_null = true;
		return tree;
	}
	if (!type_is_nested(type)) {
		tree.scalar = sample_value(*type, model_random(model, 40));
		if (type->id == TYPE_DATE)	/* what has four digits */
			tree.scalar.value.int32 /= 1000;
		if (type->id == TYPE_TIME) {
			tree.scalar.value.int64 %= US_PER_DAY;
			if (tree.scalar.value.int64 < 0)
				tree.scalar.value.int64 += US_PER_DAY;
		}
		return tree;
	}
	tree.count = type->id == TYPE_ROW ? type->field_count
		: model_random(model, model_random(model, 8) ? 4 : 40);
	tree.items = arena_zalloc_array(&model->arena, 2 * tree.count + 1,
					sizeof(*tree.items));
	if (type->id == TYPE_MAP) {
		model_fill_map(model, type, &tree);
		return tree;
	}
	for (size_t i = 0; i < tree.count; i++)
		tree.items[i] = model_tree(model,
			&type->fields[type->id == TYPE_ROW ? i : 0].type,
			true);
	return tree;
}

/* Vector of the trees; out is initialised and the caller's to release. */
static inline int model_build(const struct type *type,
			      const struct tree *const *trees, size_t count,
			      struct vector *out, struct arena *heap,
			      struct error *err);

/* Children `first .. first + each tree's count` of all trees. */
static inline int model_build_lists(const struct type *type,
				    const struct tree *const *trees,
				    size_t count, bool keys,
				    struct vector *out, uint32_t *offsets,
				    struct arena *heap, struct error *err)
{
	const struct tree **items;
	size_t total = 0;
	int rc;

	for (size_t i = 0; i < count; i++)
		total += trees[i]->is_null ? 0 : trees[i]->count;
	items = malloc((total + 1) * sizeof(*items));
	total = 0;
	offsets[0] = 0;
	for (size_t i = 0; i < count; i++) {
		const struct tree *tree = trees[i];
		size_t skipped = keys || type->id == TYPE_ARRAY ? 0
								: tree->count;

		for (size_t j = 0; j < tree->count && !tree->is_null; j++)
			items[total++] = &tree->items[skipped + j];
		offsets[i + 1] = (uint32_t)total;
	}
	rc = model_build(&type->fields[type->id == TYPE_MAP && !keys].type,
			 items, total, out, heap, err);
	free(items);
	return rc;
}

static inline int model_build_row(const struct type *type,
				  const struct tree *const *trees,
				  size_t count, const uint64_t *validity,
				  struct vector *out, struct arena *heap,
				  struct error *err)
{
	struct vector fields[12];
	const struct vector *pointers[12];
	const struct tree **items = malloc((count + 1) * sizeof(*items));
	static const struct tree none = { .is_null = true };
	int rc = 0;

	for (size_t f = 0; f < type->field_count; f++) {
		vector_init(&fields[f], type->fields[f].type);
		pointers[f] = &fields[f];
	}
	for (size_t f = 0; f < type->field_count && !rc; f++) {
		for (size_t i = 0; i < count; i++)
			items[i] = trees[i]->is_null ? &none
						     : &trees[i]->items[f];
		rc = model_build(&type->fields[f].type, items, count,
				 &fields[f], heap, err);
	}
	if (!rc)
		rc = nested_pack_rows(out, pointers, validity, count, heap,
				      err);
	for (size_t f = 0; f < type->field_count; f++)
		vector_release(&fields[f]);
	free(items);
	return rc;
}

static inline int model_build(const struct type *type,
			      const struct tree *const *trees, size_t count,
			      struct vector *out, struct arena *heap,
			      struct error *err)
{
	uint64_t *validity = calloc(BITMAP_WORDS(count) + 1,
				    sizeof(*validity));
	uint32_t *offsets = malloc((count + 1) * sizeof(*offsets));
	struct vector keys, values;
	int rc = 0;

	vector_init(&keys, *type);
	vector_init(&values, *type);
	for (size_t i = 0; i < count; i++)
		bits_put(validity, i, !trees[i]->is_null);
	if (type->id == TYPE_MAP) {
		vector_init(&keys, type->fields[0].type);
		rc = model_build_lists(type, trees, count, true, &keys,
				       offsets, heap, err);
	}
	if (type->id == TYPE_MAP || type->id == TYPE_ARRAY) {
		vector_init(&values,
			    type->fields[type->id == TYPE_MAP].type);
		if (!rc)
			rc = model_build_lists(type, trees, count, false,
					       &values, offsets, heap, err);
	}
	if (!rc && type->id == TYPE_ROW)
		rc = model_build_row(type, trees, count, validity, out, heap,
				     err);
	else if (!rc && type->id == TYPE_ARRAY)
		rc = nested_pack_lists(out, &values, offsets, validity, count,
				       heap, err);
	else if (!rc && type->id == TYPE_MAP)
		rc = nested_pack_maps(out, &keys, &values, offsets, validity,
				      count, heap, err);
	for (size_t i = 0; i < count && !rc && !type_is_nested(type); i++) {
		struct literal value = trees[i]->is_null
			? literal_null(*type) : trees[i]->scalar;

		rc = vector_append(out, &value, err);
	}
	vector_release(&keys);
	vector_release(&values);
	free(validity);
	free(offsets);
	return rc;
}

/* Does the vector hold the trees? Unpacked vector by vector. */
static inline void model_check(const struct type *type,
			       const struct tree *const *trees, size_t count,
			       const struct vector *got);

static inline void model_check_children(const struct type *type,
					const struct tree *const *trees,
					size_t count, size_t skip_to,
					const struct vector *got)
{
	const struct tree **items;
	size_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += trees[i]->count;
	items = malloc((total + 1) * sizeof(*items));
	total = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < trees[i]->count; j++)
			items[total++] = &trees[i]->items[
				skip_to * trees[i]->count + j];
	ck_assert_uint_eq(got->count, total);
	model_check(type, items, total, got);
	free(items);
}

static inline void model_check_list(const struct type *type,
				    const struct tree *const *trees,
				    size_t count, const struct vector *got)
{
	uint32_t *offsets = malloc((count + 1) * sizeof(*offsets));
	struct vector keys, values;
	struct error err;

	vector_init(&keys, type_of(TYPE_BOOLEAN));
	vector_init(&values, type_of(TYPE_BOOLEAN));
	if (type->id == TYPE_ARRAY)
		ck_ok(nested_unpack_lists(got, &values, offsets, &err));
	else
		ck_ok(nested_unpack_maps(got, &keys, &values, offsets, &err));
	for (size_t i = 0; i < count; i++)
		ck_assert_uint_eq(offsets[i + 1] - offsets[i],
				  trees[i]->count);
	model_check_children(&type->fields[type->id == TYPE_MAP].type, trees,
			     count, type->id == TYPE_MAP, &values);
	if (type->id == TYPE_MAP)
		model_check_children(&type->fields[0].type, trees, count, 0,
				     &keys);
	vector_release(&keys);
	vector_release(&values);
	free(offsets);
}

static inline void model_check(const struct type *type,
			       const struct tree *const *trees, size_t count,
			       const struct vector *got)
{
	static const struct tree none = { .is_null = true };
	const struct tree **items = malloc((count + 1) * sizeof(*items));
	struct vector field;
	struct error err;

	ck_assert_uint_eq(got->count, count);
	for (size_t i = 0; i < count; i++) {
		ck_assert_int_eq(vector_is_null(got, i), trees[i]->is_null);
		if (!type_is_nested(type) && !trees[i]->is_null)
			ck_literal(vector_get(got, i), trees[i]->scalar);
	}
	if (type->id == TYPE_ARRAY || type->id == TYPE_MAP)
		model_check_list(type, trees, count, got);
	vector_init(&field, type_of(TYPE_BOOLEAN));
	for (size_t f = 0; type->id == TYPE_ROW && f < type->field_count;
	     f++) {
		for (size_t i = 0; i < count; i++)
			items[i] = trees[i]->is_null ? &none
						     : &trees[i]->items[f];
		ck_ok(nested_unpack_rows(got, f, &field, &err));
		model_check(&type->fields[f].type, items, count, &field);
	}
	vector_release(&field);
	free(items);
}
#endif
