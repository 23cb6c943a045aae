#ifndef EXPR_EXPR_RUN_H
#define EXPR_EXPR_RUN_H
#include "expr/expr_node.h"

/*
 * Evaluates one expression over batches; owns the registers that it needs.
 * For one thread: each worker compiles its own from the shared tree.
 */
struct expr_program;
struct error_list;	/* util/error_list.h */

/* What a statement fixes for all its rows. */
struct expr_context {
	int64_t now_us;			/* current_timestamp, UTC */
	const struct time_zone *zone;	/* the session's, NULL = UTC */
	/* Of subqueries, until somebody asks; kept. NULL: none can wait. */
	struct error_list *errors;
};

/* expr and context are kept. */
int expr_program_new(struct expr_program **out, const struct expr *expr,
		     const struct expr_context *context, struct error *err);
void expr_program_free(struct expr_program *program);
/*
 * Compute the selected rows of a batch. *out points to a vector aligned with
 * the batch: entry r is the result for row r, valid (with its bytes) until
 * the next run of this program; entries of rows not selected are undefined.
 * It may be the batch's own column. columns is an array of the batch's
 * vectors, row_count their length. Only the columns that the expression
 * reads are touched.
 *
 * Errors: those of the functions (OVERFLOW, DIVISION_BY_ZERO, CAST,
 * BAD_ARGUMENT), with line and column of the node; *failed_row is then the
 * smallest row of the batch that failed where that is known, else the first
 * selected.
 */
int expr_program_run(struct expr_program *program,
		     const struct vector *const *columns, size_t row_count,
		     const struct selection *rows, const struct vector **out,
		     size_t *failed_row, struct error *err);
/*
 * Run a condition: rows where it is TRUE to yes, the others (FALSE and NULL)
 * to no; either may be NULL. `in` may not be one of their arrays.
 */
int expr_program_filter(struct expr_program *program,
			const struct vector *const *columns,
			size_t row_count, const struct selection *in,
			struct selection_buffer *yes,
			struct selection_buffer *no, size_t *failed_row,
			struct error *err);
/*
 * expr_fold() that also knows the statement's time and zone: folds
 * current_timestamp and conversions between zoned and local times too.
 */
int expr_fold_context(struct expr **expr, const struct expr_context *context,
		      struct arena *arena, struct error *err);
/* One value, for expressions that read no column. Bytes into arena. */
int expr_evaluate(const struct expr *expr, const struct expr_context *context,
		  struct arena *arena, struct literal *out,
		  struct error *err);
#endif
