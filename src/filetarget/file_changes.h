#ifndef FILETARGET_FILE_CHANGES_H
#define FILETARGET_FILE_CHANGES_H
#include "column/column.h"
#include "parquet/parquet.h"
#include "plan/plan.h"

/*
 * What is to become of the rows of a file, in memory: rows to leave out, rows
 * with new values, rows to add. One a sink, then one of them all.
 */

/* New values of a row. CSV: text of them at `at` in file_changes.texts;
 * Parquet: row `at` of an update_page. */
struct row_update {
	uint64_t row;
	uint64_t at;
	uint32_t page;		/* Parquet: index of its update_page */
	uint32_t text;		/* CSV: index of its text */
};

/* Parquet: new values of some columns. */
struct update_page {
	struct vector *columns;	/* data NULL: kept */
	size_t column_count;
	struct arena heap;
};

/* CSV: text of rows to add, in the order of the units. */
struct added_text {
	uint64_t unit;
	size_t at;
	size_t length;
	uint32_t text;
};

struct file_changes {
	uint64_t *deleted;
	size_t deleted_count;
	size_t deleted_capacity;
	struct row_update *updates;
	size_t update_count;
	size_t update_capacity;
	struct update_page **pages;
	size_t page_count;
	size_t page_capacity;
	struct text **texts;
	size_t text_count;
	size_t text_capacity;
	struct added_text *added;
	size_t added_count;
	size_t added_capacity;
	struct parquet_encoder *encoder;	/* Parquet: rows to add */
	struct encoded_row_group **groups;
	size_t group_count;
	size_t group_capacity;
	uint64_t byte_count;	/* held, about */
};

void file_changes_release(struct file_changes *changes);
bool file_changes_are_none(const struct file_changes *changes);
/* Rows of the page that are deleted. */
int file_changes_add_deletes(struct file_changes *changes,
			     const struct change_page *page,
			     struct error *err);
int file_changes_add_update(struct file_changes *changes,
			    const struct row_update *update,
			    struct error *err);
/* All of from, which is empty afterwards, to the end of into. */
int file_changes_move(struct file_changes *into, struct file_changes *from,
		      struct error *err);
/* Ascending by row, added rows by unit. Errors: ERROR_DUPLICATE_MATCH: one
 * row is changed twice. */
int file_changes_sort(struct file_changes *changes, struct error *err);
#endif
