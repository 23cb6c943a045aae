#ifndef EXPR_EXPR_COMPILE_H
#define EXPR_EXPR_COMPILE_H
#include "expr/kernel.h"
#include "expr/literal_set.h"

/*
 * The compiled form of a tree: one step per node, each with the register
 * that holds its result. For this room only.
 */
struct expr_frame;
struct expr_step;

/* Compute the selected rows of one step; *out aligned with the batch. Called
 * with at least one row. */
typedef int (*step_run)(struct expr_step *step, struct expr_frame *frame,
			const struct selection *rows,
			const struct vector **out);

struct expr_step {
	const struct expr *node;
	step_run run;
	struct expr_step **args;
	size_t arg_count;
	kernel_run kernel;		/* CALL, CAST */
	void *state;			/* CALL, CAST: from prepare() */
	bool has_release;		/* state begins with release() */
	bool is_strict;
	/* May the step run on rows that AND or OR have decided already? It
	 * cannot fail and costs little. */
	bool is_cheap;
	struct literal_set *set;	/* IN */
	bool set_has_null;
	struct vector result;
	size_t filled_rows;		/* LITERAL: rows that are filled in */
	const struct vector **arg_values;	/* of the running call */
	bool *arg_is_constant;
	struct vector codes;		/* AND, OR: 0 false, 1 null, 2 true */
	struct selection_buffer picked;	/* CASE */
	struct selection_buffer rest[2];	/* rows not decided yet */
};

struct expr_program {
	const struct expr_context *context;
	struct arena arena;		/* steps */
	struct arena heap;		/* bytes of the results of a run */
	struct expr_step *root;
	struct expr_step **steps;
	size_t step_count;
	size_t step_capacity;
	struct selection_buffer split[2];	/* of a filter */
};

/* One run. */
struct expr_frame {
	struct expr_program *program;
	const struct vector *const *columns;
	size_t row_count;
	size_t failed_row;
	struct error *err;
};

/* Evaluate a step for rows (possibly none). */
int step_evaluate(struct expr_step *step, struct expr_frame *frame,
		  const struct selection *rows, const struct vector **out);
/* The step's register with room for the batch, no nulls. */
int step_result(struct expr_step *step, struct expr_frame *frame);
int step_buffer(struct selection_buffer *buffer, size_t row_count,
		struct error *err);

/* kernel_logic.c */
int step_run_and_or(struct expr_step *step, struct expr_frame *frame,
		    const struct selection *rows, const struct vector **out);
int step_run_not(struct expr_step *step, struct expr_frame *frame,
		 const struct selection *rows, const struct vector **out);
int step_run_is_null(struct expr_step *step, struct expr_frame *frame,
		     const struct selection *rows, const struct vector **out);
int step_run_in(struct expr_step *step, struct expr_frame *frame,
		const struct selection *rows, const struct vector **out);
int step_run_case(struct expr_step *step, struct expr_frame *frame,
		  const struct selection *rows, const struct vector **out);
int step_run_coalesce(struct expr_step *step, struct expr_frame *frame,
		      const struct selection *rows,
		      const struct vector **out);
int step_run_single(struct expr_step *step, struct expr_frame *frame,
		    const struct selection *rows, const struct vector **out);

/* kernel_try.c */
int step_run_try(struct expr_step *step, struct expr_frame *frame,
		 const struct selection *rows, const struct vector **out);

/* expr_run.c */
int step_run_literal(struct expr_step *step, struct expr_frame *frame,
		     const struct selection *rows, const struct vector **out);
int step_run_column(struct expr_step *step, struct expr_frame *frame,
		    const struct selection *rows, const struct vector **out);
int step_run_call(struct expr_step *step, struct expr_frame *frame,
		  const struct selection *rows, const struct vector **out);
int step_run_relabel(struct expr_step *step, struct expr_frame *frame,
		     const struct selection *rows, const struct vector **out);
#endif
