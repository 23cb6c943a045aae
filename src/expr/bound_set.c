/*
 * bound_set.c - intersect and unite what is known of columns
 *
 * Why:    AND and OR of conditions are intersection and union of the sets of
 *         values that pass; what is kept here is never smaller than that.
 * How:    a range, a list of values, and whether NULL and NaN pass, each
 *         combined on its own. The union of a list and a range is a range.
 * Cost:   linear in the lists.
 */
#include "expr/bound_set.h"

static const struct bound_set out_of_memory = { false, true, NULL, 0 };

static bool is_empty(const struct bound *bound)
{
	return bound->has_values && !bound->value_count;
}

static void set_empty(struct bound *bound)
{
	bound->has_values = true;
	bound->values = NULL;
	bound->value_count = 0;
	bound->has_min = bound->has_max = false;
}

/* Cut the list to the range and the range to the list. */
static void make_consistent(struct bound *bound)
{
	if (bound->has_min && bound->has_max &&
	    literal_compare(&bound->min, &bound->max) > 0) {
		set_empty(bound);
		return;
	}
	if (!bound->has_values)
		return;
	while (bound->value_count && bound->has_min &&
	       literal_compare(&bound->values[0], &bound->min) < 0) {
		bound->values++;
		bound->value_count--;
	}
	while (bound->value_count && bound->has_max &&
	       literal_compare(&bound->values[bound->value_count - 1],
			       &bound->max) > 0)
		bound->value_count--;
	if (!bound->value_count) {
		set_empty(bound);
		return;
	}
	bound->has_min = bound->has_max = true;
	bound->min = bound->values[0];
	bound->max = bound->values[bound->value_count - 1];
}

struct bound_set bound_set_of(struct bound bound, struct arena *arena)
{
	struct bound_set set = { false, false, NULL, 0 };

	if (bound.type.id != TYPE_REAL && bound.type.id != TYPE_DOUBLE)
		bound.nan_matches = false;
	make_consistent(&bound);
	if (is_empty(&bound) && !bound.null_matches && !bound.nan_matches) {
		set.never = true;
		return set;
	}
	set.bounds = arena_alloc(arena, sizeof(*set.bounds));
	if (!set.bounds)
		return out_of_memory;
	set.bounds[0] = bound;
	set.count = 1;
	return set;
}

/* Values in both lists (want_both) or in one of them; false = no memory. */
static bool merge_values(const struct bound *a, const struct bound *b,
			 bool want_both, struct bound *out,
			 struct arena *arena)
{
	size_t i = 0, k = 0, count = 0;
	struct literal *values =
		arena_zalloc_array(arena, a->value_count + b->value_count,
				   sizeof(*values));

	if (!values)
		return false;
	while (i < a->value_count || k < b->value_count) {
		int order = i == a->value_count ? 1
			: k == b->value_count ? -1
			: literal_compare(&a->values[i], &b->values[k]);

		if (!want_both || order == 0)
			values[count++] = order <= 0 ? a->values[i]
						     : b->values[k];
		i += order <= 0;
		k += order >= 0;
	}
	out->has_values = true;
	out->values = values;
	out->value_count = count;
	return true;
}

static bool intersect(const struct bound *a, const struct bound *b,
		      struct bound *out, struct arena *arena)
{
	*out = *a;
	out->null_matches = a->null_matches && b->null_matches;
	out->nan_matches = a->nan_matches && b->nan_matches;
	if (b->has_min && (!a->has_min ||
			   literal_compare(&b->min, &a->min) > 0)) {
		out->has_min = true;
		out->min = b->min;
	}
	if (b->has_max && (!a->has_max ||
			   literal_compare(&b->max, &a->max) < 0)) {
		out->has_max = true;
		out->max = b->max;
	}
	if (a->has_values && b->has_values) {
		if (!merge_values(a, b, true, out, arena))
			return false;
	} else if (b->has_values) {
		out->has_values = true;
		out->values = b->values;
		out->value_count = b->value_count;
	}
	make_consistent(out);
	return true;
}

static bool unite(const struct bound *a, const struct bound *b,
		  struct bound *out, struct arena *arena)
{
	*out = is_empty(a) ? *b : *a;
	out->null_matches = a->null_matches || b->null_matches;
	out->nan_matches = a->nan_matches || b->nan_matches;
	if (is_empty(a) || is_empty(b))
		return true;
	out->has_min = a->has_min && b->has_min;
	if (out->has_min && literal_compare(&b->min, &a->min) < 0)
		out->min = b->min;
	out->has_max = a->has_max && b->has_max;
	if (out->has_max && literal_compare(&b->max, &a->max) > 0)
		out->max = b->max;
	out->has_values = a->has_values && b->has_values;
	return !out->has_values || merge_values(a, b, false, out, arena);
}

struct bound_set bound_set_and(struct bound_set a, struct bound_set b,
			       struct arena *arena)
{
	struct bound_set out = { a.never || b.never, false, NULL, 0 };
	size_t i = 0, k = 0;

	if (a.failed || b.failed)
		return out_of_memory;
	if (out.never)
		return out;
	if (!a.count || !b.count)
		return a.count ? a : b;
	out.bounds = arena_zalloc_array(arena, a.count + b.count,
					sizeof(*out.bounds));
	if (!out.bounds)
		return out_of_memory;
	while (i < a.count || k < b.count) {
		struct bound *to = &out.bounds[out.count++];

		if (k == b.count || (i < a.count && a.bounds[i].column <
						    b.bounds[k].column)) {
			*to = a.bounds[i++];
			continue;
		}
		if (i == a.count || b.bounds[k].column < a.bounds[i].column) {
			*to = b.bounds[k++];
			continue;
		}
		if (!intersect(&a.bounds[i++], &b.bounds[k++], to, arena))
			return out_of_memory;
		if (is_empty(to) && !to->null_matches && !to->nan_matches)
			out.never = true;
	}
	return out;
}

struct bound_set bound_set_or(struct bound_set a, struct bound_set b,
			      struct arena *arena)
{
	struct bound_set out = { false, false, NULL, 0 };
	size_t k = 0;

	if (a.failed || b.failed)
		return out_of_memory;
	if (a.never || b.never)
		return a.never ? b : a;
	if (!a.count || !b.count)
		return out;
	out.bounds = arena_zalloc_array(arena, a.count, sizeof(*out.bounds));
	if (!out.bounds)
		return out_of_memory;
	for (size_t i = 0; i < a.count; i++) {
		while (k < b.count &&
		       b.bounds[k].column < a.bounds[i].column)
			k++;
		if (k == b.count || b.bounds[k].column != a.bounds[i].column)
			continue;
		if (!unite(&a.bounds[i], &b.bounds[k],
			   &out.bounds[out.count++], arena))
			return out_of_memory;
	}
	return out;
}
