/*
 * kernel_nested.c - make ROWs, ARRAYs and MAPs, and take fields out
 *
 * Why:    a nested value is packed into one run of bytes; expressions make
 *         such values of whole columns and take whole columns out of them.
 * How:    see kernel_nested.h: rows that nobody asked for are left out first.
 *         A field is taken without a detour when all rows are asked for,
 *         which is what a filter over a scan does.
 * Cost:   packing copies the bytes of the fields; taking a field copies
 *         16 bytes a value at most.
 */
#include "expr/kernel_nested.h"

static int no_memory(struct kernel_call *call)
{
	return error_set(call->err, ERROR_NO_MEMORY, "nested values");
}

static int gather_args(struct nested_rows *rows, struct kernel_call *call)
{
	int rc = 0;

	rows->gathered = mem_zalloc((call->arg_count + 1) *
				    sizeof(*rows->gathered));
	rows->index = mem_alloc_array(call->rows->count + 1,
				      sizeof(*rows->index));
	if (!rows->gathered || !rows->index)
		return no_memory(call);
	rows->count = 0;
	KERNEL_ROWS(call, i)
		rows->index[rows->count++] = (uint32_t)i;
	for (size_t a = 0; a < call->arg_count && !rc; a++) {
		vector_init(&rows->gathered[a], call->args[a]->type);
		rc = vector_gather(&rows->gathered[a], call->args[a],
				   rows->index, rows->count, NULL, call->err);
		rows->args[a] = &rows->gathered[a];
	}
	return rc;
}

static bool wants_all(const struct kernel_call *call)
{
	return !call->rows->rows && call->rows->count == call->row_count &&
	       !call->result->validity;
}

int nested_begin(struct nested_rows *rows, struct kernel_call *call)
{
	memset(rows, 0, sizeof(*rows));
	vector_init(&rows->out, call->node->type);
	rows->arg_count = call->arg_count;
	rows->count = call->row_count;
	rows->args = mem_zalloc((call->arg_count + 1) * sizeof(*rows->args));
	if (!rows->args)
		return no_memory(call);
	if (!wants_all(call))
		return gather_args(rows, call);
	memcpy(rows->args, call->args,
	       call->arg_count * sizeof(*rows->args));
	return 0;
}

typedef uint32_t __attribute__((may_alias)) word32;
typedef uint64_t __attribute__((may_alias)) word64;
struct wide {
	uint64_t words[2];
} __attribute__((may_alias));

#define PUT_BACK(ctype) \
	do { \
		const ctype *in = rows->out.data; \
		ctype *out = result->data; \
 \
		for (size_t i = 0; i < rows->count; i++) \
			out[rows->index[i]] = in[i]; \
	} while (0)

static void put_data_back(const struct nested_rows *rows,
			  struct vector *result)
{
	switch (type_width(&result->type)) {
	case 1:
		PUT_BACK(uint8_t);
		break;
	case 4:
		PUT_BACK(word32);
		break;
	case 8:
		PUT_BACK(word64);
		break;
	default:
		PUT_BACK(struct wide);
		break;
	}
}

static int put_back(const struct nested_rows *rows, struct kernel_call *call)
{
	struct vector *result = call->result;
	int rc = 0;

	if (rows->index)
		put_data_back(rows, result);
	else if (rows->count)
		memcpy(result->data, rows->out.data,
		       rows->count * type_width(&result->type));
	for (size_t i = 0; rows->out.validity && i < rows->count && !rc; i++)
		if (vector_is_null(&rows->out, i))
			rc = kernel_set_null(call, nested_row(rows, i));
	return rc;
}

int nested_end(struct nested_rows *rows, struct kernel_call *call, int rc)
{
	if (!rc)
		rc = put_back(rows, call);
	for (size_t a = 0; rows->gathered && a < rows->arg_count; a++)
		vector_release(&rows->gathered[a]);
	mem_free(rows->gathered);
	mem_free(rows->index);
	mem_free(rows->args);
	vector_release(&rows->out);
	return rc;
}

int nested_lists_open(struct nested_lists *lists, const struct vector *from,
		      struct error *err)
{
	const struct column_def *fields = from->type.fields;
	bool is_map = from->type.id == TYPE_MAP;

	memset(lists, 0, sizeof(*lists));
	vector_init(&lists->elements, fields[0].type);
	vector_init(&lists->values, fields[is_map ? 1 : 0].type);
	lists->offsets = mem_alloc_array(from->count + 1,
					 sizeof(*lists->offsets));
	if (!lists->offsets)
		return error_set(err, ERROR_NO_MEMORY, "nested values");
	lists->offsets[0] = 0;
	if (is_map)
		return nested_unpack_maps(from, &lists->elements,
					  &lists->values, lists->offsets,
					  err);
	return nested_unpack_lists(from, &lists->elements, lists->offsets,
				   err);
}

void nested_lists_close(struct nested_lists *lists)
{
	mem_free(lists->offsets);
	vector_release(&lists->elements);
	vector_release(&lists->values);
}

int nested_field_of(struct kernel_call *call)
{
	size_t field = call->node->field;
	struct nested_rows rows;
	int rc;

	if (wants_all(call))
		return nested_unpack_rows(call->args[0], field, call->result,
					  call->err);
	rc = nested_begin(&rows, call);
	if (!rc)
		rc = nested_unpack_rows(rows.args[0], field, &rows.out,
					call->err);
	return nested_end(&rows, call, rc);
}

int nested_row_of(struct kernel_call *call)
{
	struct nested_rows rows;
	int rc = nested_begin(&rows, call);

	if (!rc)
		rc = nested_pack_rows(&rows.out, rows.args, NULL, rows.count,
				      call->heap, call->err);
	return nested_end(&rows, call, rc);
}

#define INTERLEAVE(ctype) \
	do { \
		const ctype *in = from->data; \
		ctype *out = (ctype *)elements->data + a; \
 \
		for (size_t i = 0; i < rows->count; i++) \
			out[i * step] = in[i]; \
	} while (0)

/* Argument a as every step-th element from a on. */
static int interleave(struct vector *elements, const struct nested_rows *rows,
		      size_t a, struct error *err)
{
	const struct vector *from = rows->args[a];
	size_t step = rows->arg_count;
	int rc = 0;

	switch (type_width(&elements->type)) {
	case 1:
		INTERLEAVE(uint8_t);
		break;
	case 4:
		INTERLEAVE(word32);
		break;
	case 8:
		INTERLEAVE(word64);
		break;
	default:
		INTERLEAVE(struct wide);
		break;
	}
	for (size_t i = 0; from->validity && i < rows->count && !rc; i++)
		if (vector_is_null(from, i))
			rc = vector_set_null(elements, i * step + a, err);
	return rc;
}

static int pack_array(struct nested_rows *rows, struct vector *elements,
		      uint32_t *offsets, struct kernel_call *call)
{
	size_t total = rows->count * rows->arg_count;
	int rc = vector_reserve(elements, total, call->err);

	elements->count = total;
	for (size_t a = 0; a < rows->arg_count && !rc; a++)
		rc = interleave(elements, rows, a, call->err);
	for (size_t i = 0; i <= rows->count; i++)
		offsets[i] = (uint32_t)(i * rows->arg_count);
	if (!rc)
		rc = nested_pack_lists(&rows->out, elements, offsets, NULL,
				       rows->count, call->heap, call->err);
	return rc;
}

int nested_array_of(struct kernel_call *call)
{
	uint32_t *offsets = NULL;
	struct nested_rows rows;
	struct vector elements;
	int rc = nested_begin(&rows, call);

	vector_init(&elements, call->node->type.fields[0].type);
	if (!rc && rows.count > UINT32_MAX / (rows.arg_count + 1))
		rc = no_memory(call);
	if (!rc)
		offsets = mem_alloc_array(rows.count + 1, sizeof(*offsets));
	if (!rc && !offsets)
		rc = no_memory(call);
	if (!rc)
		rc = pack_array(&rows, &elements, offsets, call);
	mem_free(offsets);
	vector_release(&elements);
	return nested_end(&rows, call, rc);
}

/* Both lists of each row are of one length, or which row's are not. */
static int check_lengths(const struct nested_lists *keys,
			 const struct nested_lists *values,
			 const struct nested_rows *rows,
			 struct kernel_call *call)
{
	for (size_t i = 0; i < rows->count; i++) {
		uint32_t k = keys->offsets[i + 1] - keys->offsets[i];
		uint32_t v = values->offsets[i + 1] - values->offsets[i];

		if (k == v)
			continue;
		error_set(call->err, ERROR_BAD_ARGUMENT, "map: %u keys but "
			  "%u values", k, v);
		return kernel_failed(call, nested_row(rows, i),
				     ERROR_BAD_ARGUMENT);
	}
	return 0;
}

/* A key is null or twice in some row: in which? */
static int blame_map(struct kernel_call *call, const struct nested_rows *rows,
		     const struct nested_lists *keys,
		     const struct nested_lists *values, int rc)
{
	struct vector one;

	if (rc != ERROR_BAD_ARGUMENT)
		return rc;
	vector_init(&one, call->node->type);
	for (size_t i = 0; i < rows->count; i++) {
		if (nested_pack_maps(&one, &keys->elements, &values->elements,
				     keys->offsets + i, NULL, 1, call->heap,
				     NULL)) {
			call->failed_row = nested_row(rows, i);
			break;
		}
	}
	vector_release(&one);
	return rc;
}

int nested_map_of(struct kernel_call *call)
{
	struct nested_lists keys = { 0 }, values = { 0 };
	struct nested_rows rows;
	int rc = nested_begin(&rows, call);

	if (!rc)
		rc = nested_lists_open(&keys, rows.args[0], call->err);
	if (!rc)
		rc = nested_lists_open(&values, rows.args[1], call->err);
	if (!rc)
		rc = check_lengths(&keys, &values, &rows, call);
	if (!rc)
		rc = blame_map(call, &rows, &keys, &values,
			       nested_pack_maps(&rows.out, &keys.elements,
						&values.elements,
						keys.offsets, NULL,
						rows.count, call->heap,
						call->err));
	nested_lists_close(&keys);
	nested_lists_close(&values);
	return nested_end(&rows, call, rc);
}

int nested_empty_map(struct kernel_call *call)
{
	const struct type *type = &call->node->type;
	struct vector keys, values;
	struct nested_rows rows;
	uint32_t *offsets = NULL;
	int rc = nested_begin(&rows, call);

	vector_init(&keys, type->fields[0].type);
	vector_init(&values, type->fields[1].type);
	if (!rc) {
		offsets = mem_zalloc((rows.count + 1) * sizeof(*offsets));
		rc = offsets ? 0 : no_memory(call);
	}
	if (!rc)
		rc = nested_pack_maps(&rows.out, &keys, &values, offsets,
				      NULL, rows.count, call->heap,
				      call->err);
	mem_free(offsets);
	return nested_end(&rows, call, rc);
}

int nested_cardinality(struct kernel_call *call)
{
	const struct vector *in = call->args[0];

	KERNEL_ROWS(call, i)
		vector_i64(call->result)[i] = (int64_t)
			nested_count(&in->type, vector_bytes(in)[i]);
	return 0;
}
