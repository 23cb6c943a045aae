/*
 * kernel_nested_list.c - functions on ARRAY and MAP
 *
 * Why:    subscripts, searches and cuts of lists, as in Trino.
 * How:    the lists of all rows are unpacked into one vector of elements; a
 *         search compares all of them at once with the value of their row,
 *         a cut is a gather, and what comes out is packed again.
 * Cost:   linear in the elements of the rows asked for, also where only one
 *         element of each is wanted.
 */
#include "expr/kernel_nested.h"

#define SHOWN_BYTES 100

static int no_memory(struct kernel_call *call)
{
	return error_set(call->err, ERROR_NO_MEMORY, "elements of %s",
			 call->node->function->name);
}

/* Element number index (from 1, negative from the end) of list i. */
static int pick_item(struct kernel_call *call, const struct nested_rows *rows,
		     const uint32_t *offsets, size_t i, uint32_t *pick)
{
	bool is_lenient = call->node->function->variant == SUBSCRIPT_LENIENT;
	int64_t index = vector_i64(rows->args[1])[i];
	uint32_t length = offsets[i + 1] - offsets[i];
	size_t row = nested_row(rows, i);

	*pick = GATHER_NULL;
	if (index == 0) {
		error_set(call->err, ERROR_BAD_ARGUMENT, "the elements of an "
			  "ARRAY are numbered from 1, not 0");
		return kernel_failed(call, row, ERROR_BAD_ARGUMENT);
	}
	if (index < 0 && !is_lenient) {
		error_set(call->err, ERROR_BAD_ARGUMENT, "subscript %lld of "
			  "an ARRAY is negative", (long long)index);
		error_hint(call->err, "element_at(array, -1) is the last one");
		return kernel_failed(call, row, ERROR_BAD_ARGUMENT);
	}
	if (index > 0 && index <= (int64_t)length)
		*pick = offsets[i] + (uint32_t)(index - 1);
	else if (index < 0 && index >= -(int64_t)length)
		*pick = offsets[i + 1] - (uint32_t)-index;
	if (*pick != GATHER_NULL || is_lenient)
		return 0;
	error_set(call->err, ERROR_BAD_ARGUMENT, "subscript %lld of an ARRAY "
		  "with %u element%s", (long long)index, length,
		  length == 1 ? "" : "s");
	error_hint(call->err, "element_at(array, index) gives NULL instead");
	return kernel_failed(call, row, ERROR_BAD_ARGUMENT);
}

int nested_array_item(struct kernel_call *call)
{
	struct nested_lists lists = { 0 };
	struct nested_rows rows;
	uint32_t *picks = NULL;
	int rc = nested_begin(&rows, call);

	if (!rc)
		rc = nested_lists_open(&lists, rows.args[0], call->err);
	if (!rc) {
		picks = mem_alloc_array(rows.count + 1, sizeof(*picks));
		rc = picks ? 0 : no_memory(call);
	}
	for (size_t i = 0; i < rows.count && !rc; i++)
		rc = pick_item(call, &rows, lists.offsets, i, &picks[i]);
	if (!rc)
		rc = vector_gather(&rows.out, &lists.elements, picks,
				   rows.count, NULL, call->err);
	mem_free(picks);
	nested_lists_close(&lists);
	return nested_end(&rows, call, rc);
}

/* For every element, the row that it is of. */
static uint32_t *owners_of(const uint32_t *offsets, size_t count)
{
	uint32_t *owners = mem_alloc_array((size_t)offsets[count] + 1,
					   sizeof(*owners));

	for (size_t i = 0; owners && i < count; i++)
		for (uint32_t k = offsets[i]; k < offsets[i + 1]; k++)
			owners[k] = (uint32_t)i;
	return owners;
}

static bool is_nan_at(const struct vector *v, size_t i)
{
	if (v->type.id == TYPE_DOUBLE)
		return vector_f64(v)[i] != vector_f64(v)[i];
	return v->type.id == TYPE_REAL && vector_f32(v)[i] != vector_f32(v)[i];
}

/*
 * Which elements equal (SQL) the wanted value of their row: bits of *same.
 * unknown, if not NULL: bits where a NULL leaves it open.
 */
static int find_equal(const struct nested_lists *lists,
		      const struct nested_rows *rows, uint64_t **same,
		      uint64_t **unknown, struct error *err)
{
	const struct vector *elements = &lists->elements;
	const struct vector *wanted = rows->args[1];
	size_t total = lists->offsets[rows->count];
	size_t words = BITMAP_WORDS(total) + 1;
	uint32_t *owners = owners_of(lists->offsets, rows->count);

	*same = mem_alloc_array(words, sizeof(**same));
	*unknown = mem_zalloc_array(words, sizeof(**unknown));
	if (!owners || !*same || !*unknown) {
		mem_free(owners);
		return error_set(err, ERROR_NO_MEMORY, "elements of lists");
	}
	memset(*same, 0xff, words * sizeof(**same));
	if (!type_is_nested(&elements->type))
		vector_and_same(elements, NULL, wanted, owners, total, *same);
	for (size_t k = 0; k < total; k++) {
		int equal;

		if (vector_is_null(elements, k)) {
			bits_clear(*same, k);
			bits_set(*unknown, k);
		} else if (is_nan_at(elements, k)) {
			bits_clear(*same, k);
		} else if (type_is_nested(&elements->type)) {
			equal = nested_equal_sql(&elements->type,
				vector_bytes(elements)[k],
				vector_bytes(wanted)[owners[k]]);
			bits_put(*same, k, equal == 1);
			bits_put(*unknown, k, equal < 0);
		}
	}
	mem_free(owners);
	return 0;
}

/* The first element of list i with its bit set, GATHER_NULL if none. */
static uint32_t first_of(const uint64_t *bits, const uint32_t *offsets,
			 size_t i)
{
	for (uint32_t k = offsets[i]; k < offsets[i + 1]; k++)
		if (bits_get(bits, k))
			return k;
	return GATHER_NULL;
}

static int missing_key(struct kernel_call *call,
		       const struct nested_rows *rows, size_t i)
{
	struct text text = TEXT_INIT;

	format_value(rows->args[1], i, &text);
	error_set(call->err, ERROR_BAD_ARGUMENT, "the MAP has no key '%.*s'",
		  (int)(text.length < SHOWN_BYTES ? text.length : SHOWN_BYTES),
		  text.data ? text.data : "");
	text_release(&text);
	error_hint(call->err, "element_at(map, key) gives NULL instead");
	return kernel_failed(call, nested_row(rows, i), ERROR_BAD_ARGUMENT);
}

int nested_map_item(struct kernel_call *call)
{
	bool is_lenient = call->node->function->variant == SUBSCRIPT_LENIENT;
	uint64_t *same = NULL, *unknown = NULL;
	struct nested_lists map = { 0 };
	struct nested_rows rows;
	uint32_t *picks = NULL;
	int rc = nested_begin(&rows, call);

	if (!rc)
		rc = nested_lists_open(&map, rows.args[0], call->err);
	if (!rc)
		rc = find_equal(&map, &rows, &same, &unknown, call->err);
	if (!rc) {
		picks = mem_alloc_array(rows.count + 1, sizeof(*picks));
		rc = picks ? 0 : no_memory(call);
	}
	for (size_t i = 0; i < rows.count && !rc; i++) {
		picks[i] = first_of(same, map.offsets, i);
		if (picks[i] == GATHER_NULL && !is_lenient)
			rc = missing_key(call, &rows, i);
	}
	if (!rc)
		rc = vector_gather(&rows.out, &map.values, picks, rows.count,
				   NULL, call->err);
	mem_free(picks);
	mem_free(same);
	mem_free(unknown);
	nested_lists_close(&map);
	return nested_end(&rows, call, rc);
}

/* contains(): found, else NULL if some element left it open, else false. */
static int put_contains(struct nested_rows *rows,
			const struct nested_lists *lists,
			const uint64_t *same, const uint64_t *unknown,
			struct error *err)
{
	int rc = vector_reserve(&rows->out, rows->count, err);

	rows->out.count = rows->count;
	for (size_t i = 0; i < rows->count && !rc; i++) {
		bool found = first_of(same, lists->offsets, i) != GATHER_NULL;

		vector_bool(&rows->out)[i] = found;
		if (!found &&
		    first_of(unknown, lists->offsets, i) != GATHER_NULL)
			rc = vector_set_null(&rows->out, i, err);
	}
	return rc;
}

static int put_positions(struct nested_rows *rows,
			 const struct nested_lists *lists,
			 const uint64_t *same, struct error *err)
{
	int rc = vector_reserve(&rows->out, rows->count, err);

	rows->out.count = rows->count;
	for (size_t i = 0; i < rows->count && !rc; i++) {
		uint32_t at = first_of(same, lists->offsets, i);

		vector_i64(&rows->out)[i] = at == GATHER_NULL ? 0 :
			(int64_t)at - lists->offsets[i] + 1;
	}
	return rc;
}

static int search(struct kernel_call *call, bool is_position)
{
	uint64_t *same = NULL, *unknown = NULL;
	struct nested_lists lists = { 0 };
	struct nested_rows rows;
	int rc = nested_begin(&rows, call);

	if (!rc)
		rc = nested_lists_open(&lists, rows.args[0], call->err);
	if (!rc)
		rc = find_equal(&lists, &rows, &same, &unknown, call->err);
	if (!rc)
		rc = is_position ?
			put_positions(&rows, &lists, same, call->err) :
			put_contains(&rows, &lists, same, unknown, call->err);
	mem_free(same);
	mem_free(unknown);
	nested_lists_close(&lists);
	return nested_end(&rows, call, rc);
}

int nested_contains(struct kernel_call *call)
{
	return search(call, false);
}

int nested_position(struct kernel_call *call)
{
	return search(call, true);
}

static int pack_entries(struct vector *entries,
			const struct nested_lists *map,
			struct kernel_call *call)
{
	const struct vector *const fields[2] = { &map->elements,
						 &map->values };

	return nested_pack_rows(entries, fields, NULL, map->elements.count,
				call->heap, call->err);
}

int nested_map_part(struct kernel_call *call)
{
	const struct type *element = &call->node->type.fields[0].type;
	struct nested_lists map = { 0 };
	struct vector entries;
	struct nested_rows rows;
	const struct vector *part;
	int rc = nested_begin(&rows, call);

	vector_init(&entries, *element);
	if (!rc)
		rc = nested_lists_open(&map, rows.args[0], call->err);
	switch (call->node->function->variant) {
	case NESTED_KEYS:
		part = &map.elements;
		break;
	case NESTED_VALUES:
		part = &map.values;
		break;
	default:
		part = &entries;
		if (!rc)
			rc = pack_entries(&entries, &map, call);
		break;
	}
	if (!rc)
		rc = nested_pack_lists(&rows.out, part, map.offsets, NULL,
				       rows.count, call->heap, call->err);
	vector_release(&entries);
	nested_lists_close(&map);
	return nested_end(&rows, call, rc);
}

/* slice(array, start, length): the elements of list i that stay. */
static int slice_range(struct kernel_call *call,
		       const struct nested_rows *rows,
		       const uint32_t *offsets, size_t i, uint32_t range[2])
{
	int64_t start = vector_i64(rows->args[1])[i];
	int64_t length = vector_i64(rows->args[2])[i];
	int64_t count = offsets[i + 1] - offsets[i];

	range[0] = range[1] = offsets[i];
	if (start == 0 || length < 0) {
		error_set(call->err, ERROR_BAD_ARGUMENT, start ?
			  "slice: the length %lld is negative" :
			  "slice: the elements of an ARRAY are numbered "
			  "from 1", (long long)length);
		return kernel_failed(call, nested_row(rows, i),
				     ERROR_BAD_ARGUMENT);
	}
	if (start < 0)
		start += count + 1;
	if (start <= 0 || start > count)
		return 0;
	if (length > count - start + 1)
		length = count - start + 1;
	range[0] = offsets[i] + (uint32_t)(start - 1);
	range[1] = range[0] + (uint32_t)length;
	return 0;
}

static int slice_lists(struct kernel_call *call, struct nested_rows *rows,
		       const struct nested_lists *lists, uint32_t *picks,
		       uint32_t *offsets)
{
	struct vector kept;
	uint32_t total = 0;
	int rc = 0;

	for (size_t i = 0; i < rows->count && !rc; i++) {
		uint32_t range[2];

		rc = slice_range(call, rows, lists->offsets, i, range);
		for (uint32_t k = range[0]; k < range[1] && !rc; k++)
			picks[total++] = k;
		offsets[i + 1] = total;
	}
	vector_init(&kept, lists->elements.type);
	if (!rc)
		rc = vector_gather(&kept, &lists->elements, picks, total,
				   NULL, call->err);
	if (!rc)
		rc = nested_pack_lists(&rows->out, &kept, offsets, NULL,
				       rows->count, call->heap, call->err);
	vector_release(&kept);
	return rc;
}

int nested_slice(struct kernel_call *call)
{
	struct nested_lists lists = { 0 };
	struct nested_rows rows;
	uint32_t *picks = NULL, *offsets = NULL;
	int rc = nested_begin(&rows, call);

	if (!rc)
		rc = nested_lists_open(&lists, rows.args[0], call->err);
	if (!rc) {
		picks = mem_alloc_array((size_t)lists.offsets[rows.count] + 1,
					sizeof(*picks));
		offsets = mem_zalloc_array(rows.count + 1, sizeof(*offsets));
		rc = picks && offsets ? slice_lists(call, &rows, &lists, picks,
						    offsets)
				      : no_memory(call);
	}
	mem_free(picks);
	mem_free(offsets);
	nested_lists_close(&lists);
	return nested_end(&rows, call, rc);
}

/* Argument a as lists; a lone element is a list of one. */
static int open_part(struct nested_lists *part, const struct nested_rows *rows,
		     size_t a, bool is_item, struct error *err)
{
	if (!is_item)
		return nested_lists_open(part, rows->args[a], err);
	vector_init(&part->elements, rows->args[a]->type);
	vector_reference(&part->elements, rows->args[a]);
	part->offsets = mem_alloc_array(rows->count + 1,
					sizeof(*part->offsets));
	if (!part->offsets)
		return error_set(err, ERROR_NO_MEMORY, "elements of lists");
	for (size_t i = 0; i <= rows->count; i++)
		part->offsets[i] = (uint32_t)i;
	return 0;
}

/* All elements of all parts behind each other; first[a] is where those of
 * part a begin. */
static int join_elements(const struct nested_lists *parts, size_t count,
			 struct vector *all, uint32_t *first,
			 struct error *err)
{
	uint64_t total = 0;
	int rc = 0;

	for (size_t a = 0; a < count && !rc; a++) {
		struct selection rows = selection_all(
			parts[a].elements.count);

		first[a] = (uint32_t)total;
		total += rows.count;
		if (total >= UINT32_MAX)
			return error_set(err, ERROR_NO_MEMORY,
					 "elements of lists");
		rc = vector_append_selected(all, &parts[a].elements, &rows,
					    NULL, err);
	}
	return rc;
}

static int pack_joined(struct kernel_call *call, struct nested_rows *rows,
		       const struct nested_lists *parts,
		       const struct vector *all, const uint32_t *first)
{
	uint32_t *picks = mem_alloc_array(all->count + 1, sizeof(*picks));
	uint32_t *offsets = mem_zalloc_array(rows->count + 1,
					     sizeof(*offsets));
	struct vector joined;
	uint32_t total = 0;
	int rc = picks && offsets ? 0 : no_memory(call);

	vector_init(&joined, all->type);
	for (size_t i = 0; i < rows->count && !rc; i++) {
		for (size_t a = 0; a < rows->arg_count; a++) {
			const uint32_t *at = &parts[a].offsets[i];

			for (uint32_t k = at[0]; k < at[1]; k++)
				picks[total++] = first[a] + k;
		}
		offsets[i + 1] = total;
	}
	if (!rc)
		rc = vector_gather(&joined, all, picks, total, NULL,
				   call->err);
	if (!rc)
		rc = nested_pack_lists(&rows->out, &joined, offsets, NULL,
				       rows->count, call->heap, call->err);
	vector_release(&joined);
	mem_free(picks);
	mem_free(offsets);
	return rc;
}

int nested_concat(struct kernel_call *call)
{
	unsigned variant = call->node->function->variant;
	size_t count = call->arg_count;
	struct nested_lists *parts = mem_zalloc_array(count, sizeof(*parts));
	uint32_t *first = mem_zalloc_array(count, sizeof(*first));
	struct nested_rows rows;
	struct vector all;
	int rc = nested_begin(&rows, call);

	vector_init(&all, call->node->type.fields[0].type);
	if (!rc && (!parts || !first))
		rc = no_memory(call);
	for (size_t a = 0; a < count && !rc; a++)
		rc = open_part(&parts[a], &rows, a,
			       variant == (a ? CONCAT_APPEND :
					       CONCAT_PREPEND), call->err);
	if (!rc)
		rc = join_elements(parts, count, &all, first, call->err);
	if (!rc)
		rc = pack_joined(call, &rows, parts, &all, first);
	for (size_t a = 0; parts && a < count; a++)
		nested_lists_close(&parts[a]);
	mem_free(parts);
	mem_free(first);
	vector_release(&all);
	return nested_end(&rows, call, rc);
}
