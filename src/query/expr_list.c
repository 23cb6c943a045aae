/*
 * expr_list.c - several expressions over the same batches
 */
#include "query/expr_list.h"
#include "query/query_op.h"

int expr_list_init(struct expr_list *list, struct expr *const *exprs,
		   size_t count, size_t column_count,
		   const struct query_options *options, struct error *err)
{
	int rc = 0;

	memset(list, 0, sizeof(*list));
	list->programs = mem_zalloc_array(count + 1, sizeof(*list->programs));
	list->results = mem_zalloc_array(count + 1, sizeof(*list->results));
	list->columns = mem_zalloc_array(column_count + 1,
					 sizeof(*list->columns));
	if (!list->programs || !list->results || !list->columns)
		rc = error_set(err, ERROR_NO_MEMORY, "query");
	list->column_count = column_count;
	for (; !rc && list->count < count; list->count++)
		if (exprs[list->count])
			rc = expr_program_new(&list->programs[list->count],
					      exprs[list->count],
					      &options->context, err);
	if (rc)
		expr_list_release(list);
	return rc;
}

void expr_list_release(struct expr_list *list)
{
	for (size_t i = 0; list->programs && i < list->count; i++)
		expr_program_free(list->programs[i]);
	mem_free(list->programs);
	mem_free(list->results);
	mem_free(list->columns);
	memset(list, 0, sizeof(*list));
}

int expr_list_run(struct expr_list *list, const struct batch *batch,
		  struct error *err)
{
	struct selection all = selection_all(batch->row_count);

	for (size_t i = 0; i < list->column_count; i++)
		list->columns[i] = &batch->columns[i];
	for (size_t i = 0; i < list->count; i++) {
		size_t failed;
		int rc;

		if (!list->programs[i])
			continue;
		rc = expr_program_run(list->programs[i], list->columns,
				      batch->row_count, &all,
				      &list->results[i], &failed, err);
		if (rc)
			return query_blame(batch, failed, err);
	}
	return 0;
}
