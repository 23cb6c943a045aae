#ifndef MERGE_ROW_CHANGE_BUILD_H
#define MERGE_ROW_CHANGE_BUILD_H
#include "plan/plan.h"

/*
 * The merge page: what the cases gave for each joined row (DESIGN 4.7). In
 * the order of the page: the write-redistribution columns, a hash of them for
 * a target with a layout, the row id, the case row (columns, present,
 * operation, case number), the case number, is_distinct. Arrays have row_count
 * entries. columns: table order; data NULL = NULL in every row.
 */
struct merge_page {
	size_t row_count;
	const struct vector *const *columns;
	size_t column_count;
	const uint64_t *row_id;		/* ROW_ID_NONE = unmatched */
	const int64_t *lineage_id;	/* NULL = no lineage */
	bool present;			/* of all rows */
	enum row_operation operation;	/* of all rows: one clause, one page */
	int32_t case_number;		/* of all rows, -1 = none */
	uint8_t is_distinct;		/* 1 = no other row has this row id */
	uint64_t unit;
};

/*
 * Turns a merge page into what the target's paradigm wants. One per worker;
 * pages are valid until the next call. A page of OPERATION_NONE gives none.
 *
 * DELETE_ROW_AND_INSERT_ROW: an UPDATE becomes a page of deletes and a page
 * of inserts that are marked as derived from it.
 * CHANGE_ONLY_UPDATED_COLUMNS: operations stay.
 */
struct row_change_builder;
int row_change_builder_new(struct row_change_builder **out,
			   enum row_change_paradigm paradigm,
			   struct error *err);
void row_change_builder_free(struct row_change_builder *builder);
#define CHANGE_PAGE_LIMIT 2
int row_change_build(struct row_change_builder *builder,
		     const struct merge_page *page,
		     struct change_page out[CHANGE_PAGE_LIMIT],
		     size_t *count_out, struct error *err);
#endif
