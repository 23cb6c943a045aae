/*
 * row_change_build.c - from the cases' result to change rows
 *
 * Why:    targets differ in how they take an update: as a delete and an
 *         insert, or as one change.
 * How:    rows arrive by clause, so that a page has one operation and becomes
 *         one or two change pages that share its columns; nothing is copied.
 * Cost:   9 bytes a row to fill in operation, case and origin.
 */
#include "merge/row_change_build.h"

struct row_change_builder {
	enum row_change_paradigm paradigm;
	int8_t *operation[CHANGE_PAGE_LIMIT];
	int32_t *case_number;
	uint8_t *from_update[CHANGE_PAGE_LIMIT];
	struct vector *absent;		/* NULL columns of deletes */
	const struct vector **absent_columns;
	size_t absent_count;
	size_t capacity;
};

int row_change_builder_new(struct row_change_builder **out,
			   enum row_change_paradigm paradigm,
			   struct error *err)
{
	*out = mem_zalloc(sizeof(**out));
	if (!*out)
		return error_set(err, ERROR_NO_MEMORY, "row change");
	(*out)->paradigm = paradigm;
	return 0;
}

static void builder_clear(struct row_change_builder *builder)
{
	for (size_t i = 0; i < CHANGE_PAGE_LIMIT; i++) {
		mem_free(builder->operation[i]);
		mem_free(builder->from_update[i]);
		builder->operation[i] = NULL;
		builder->from_update[i] = NULL;
	}
	mem_free(builder->case_number);
	builder->case_number = NULL;
	builder->capacity = 0;
}

void row_change_builder_free(struct row_change_builder *builder)
{
	if (!builder)
		return;
	builder_clear(builder);
	mem_free(builder->absent);
	mem_free(builder->absent_columns);
	mem_free(builder);
}

static int builder_reserve(struct row_change_builder *builder, size_t count,
			   struct error *err)
{
	bool ok = true;

	if (count <= builder->capacity)
		return 0;
	builder_clear(builder);
	for (size_t i = 0; i < CHANGE_PAGE_LIMIT; i++) {
		builder->operation[i] = mem_alloc_array(count, 1);
		builder->from_update[i] = mem_alloc_array(count, 1);
		ok = ok && builder->operation[i] && builder->from_update[i];
	}
	builder->case_number = mem_alloc_array(count, sizeof(int32_t));
	if (!ok || !builder->case_number) {
		builder_clear(builder);
		return error_set(err, ERROR_NO_MEMORY, "row change");
	}
	builder->capacity = count;
	return 0;
}

/* Columns that are NULL in every row: an update's deletes. */
static int builder_absent(struct row_change_builder *builder,
			  const struct merge_page *page, struct error *err)
{
	if (builder->absent_count == page->column_count)
		return 0;
	mem_free(builder->absent);
	mem_free(builder->absent_columns);
	builder->absent_count = 0;
	builder->absent = mem_zalloc_array(page->column_count + 1,
					   sizeof(*builder->absent));
	builder->absent_columns = mem_zalloc_array(
		page->column_count + 1, sizeof(*builder->absent_columns));
	if (!builder->absent || !builder->absent_columns)
		return error_set(err, ERROR_NO_MEMORY, "row change");
	for (size_t i = 0; i < page->column_count; i++)
		builder->absent_columns[i] = &builder->absent[i];
	builder->absent_count = page->column_count;
	return 0;
}

static void fill_page(struct row_change_builder *builder, size_t slot,
		      const struct merge_page *page,
		      enum row_operation operation, bool from_update,
		      struct change_page *out)
{
	memset(builder->operation[slot], operation, page->row_count);
	memset(builder->from_update[slot], from_update, page->row_count);
	out->row_count = page->row_count;
	out->columns = page->columns;
	out->column_count = page->column_count;
	out->operation = builder->operation[slot];
	out->case_number = builder->case_number;
	out->row_id = page->row_id;
	out->lineage_id = page->lineage_id;
	out->insert_from_update = builder->from_update[slot];
	out->unit = page->unit;
}

int row_change_build(struct row_change_builder *builder,
		     const struct merge_page *page,
		     struct change_page out[CHANGE_PAGE_LIMIT],
		     size_t *count_out, struct error *err)
{
	bool is_pair = page->operation == OPERATION_UPDATE &&
		       builder->paradigm == DELETE_ROW_AND_INSERT_ROW;
	int rc;

	*count_out = 0;
	if (page->operation == OPERATION_NONE || page->row_count == 0)
		return 0;
	rc = builder_reserve(builder, page->row_count, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < page->row_count; i++)
		builder->case_number[i] = page->case_number;
	if (is_pair) {
		rc = builder_absent(builder, page, err);
		if (rc)
			return rc;
	}
	if (is_pair) {
		fill_page(builder, 0, page, OPERATION_DELETE, false, &out[0]);
		out[0].columns = builder->absent_columns;
		fill_page(builder, 1, page, OPERATION_INSERT, true, &out[1]);
		*count_out = 2;
	} else {
		fill_page(builder, 0, page, page->operation, false, &out[0]);
		*count_out = 1;
	}
	return 0;
}
