#ifndef EXPR_KERNEL_NESTED_H
#define EXPR_KERNEL_NESTED_H
#include "expr/kernel.h"

/*
 * Packed values are computed for exactly the rows that need them: what
 * stands at other rows of a register is not defined and may not be read. So
 * the arguments are gathered, the result is made for them side by side, and
 * is put back where it belongs.
 */
struct nested_rows {
	const struct vector **args;	/* count values each */
	struct vector *gathered;	/* behind args, if not all rows */
	size_t arg_count;
	uint32_t *index;	/* row of the batch, NULL = i itself */
	size_t count;
	struct vector out;	/* of the call's type, for the kernel */
};

/* The selected rows whose result is not null already. */
int nested_begin(struct nested_rows *rows, struct kernel_call *call);
/* Put out into the result, unless rc says that it failed; release all. */
int nested_end(struct nested_rows *rows, struct kernel_call *call, int rc);
/* The row of the batch of value i. */
static inline size_t nested_row(const struct nested_rows *rows, size_t i)
{
	return rows->index ? rows->index[i] : i;
}

/* A list or map argument as elements (keys) and where each begins. */
struct nested_lists {
	struct vector elements;
	struct vector values;	/* of a map */
	uint32_t *offsets;	/* count + 1 */
};
int nested_lists_open(struct nested_lists *lists, const struct vector *from,
		      struct error *err);
void nested_lists_close(struct nested_lists *lists);

/* kernel_nested.c */
int nested_field_of(struct kernel_call *call);	/* EXPR_FIELD */
int nested_row_of(struct kernel_call *call);	/* ROW(...) */
int nested_array_of(struct kernel_call *call);	/* ARRAY[...] */
int nested_map_of(struct kernel_call *call);	/* MAP(keys, values) */
int nested_empty_map(struct kernel_call *call);	/* MAP() */
int nested_cardinality(struct kernel_call *call);

/* kernel_nested_list.c */
enum { NESTED_KEYS, NESTED_VALUES, NESTED_ENTRIES };
enum { SUBSCRIPT_STRICT, SUBSCRIPT_LENIENT };	/* a[i], element_at(a, i) */
int nested_map_part(struct kernel_call *call);
int nested_array_item(struct kernel_call *call);
int nested_map_item(struct kernel_call *call);
int nested_contains(struct kernel_call *call);
int nested_position(struct kernel_call *call);
int nested_slice(struct kernel_call *call);
enum { CONCAT_LISTS, CONCAT_APPEND, CONCAT_PREPEND };
int nested_concat(struct kernel_call *call);

/* Resolvers of the function table, function_nested.c. */
bool resolve_row(const struct function_query *query);
bool resolve_array(const struct function_query *query);
bool resolve_map(const struct function_query *query);
bool resolve_empty_map(const struct function_query *query);
bool resolve_array_item(const struct function_query *query);
bool resolve_map_item(const struct function_query *query);
bool resolve_cardinality(const struct function_query *query);
bool resolve_map_part(const struct function_query *query);
bool resolve_contains(const struct function_query *query);
bool resolve_position(const struct function_query *query);
bool resolve_slice(const struct function_query *query);
bool resolve_concat_lists(const struct function_query *query);
bool resolve_concat_item(const struct function_query *query);
#endif
