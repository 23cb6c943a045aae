#ifndef EXPR_KERNEL_H
#define EXPR_KERNEL_H
#include "expr/expr_run.h"
#include "expr/function_table.h"

/*
 * What a kernel is: one function that computes one call for many rows. For
 * this room only.
 *
 * args are aligned with the batch: entry r belongs to row r. Where
 * is_constant[i] is true every entry of args[i] is the same, so entry 0 may
 * be used for all. result is owned, has row_count entries and, for a strict
 * function, the validity that follows from its arguments (NULL in, NULL out):
 * a kernel writes data only and leaves out the rows that are null already,
 * or computes them too where nothing can happen to it. Entries of rows that
 * are not selected may be written (fixed width only: the bytes of text that
 * nobody asked for may be gone).
 *
 * Errors: the kernel sets err and failed_row (the smallest selected row that
 * fails); line and column are added by the caller.
 */
struct kernel_call {
	const struct expr *node;
	const struct vector *const *args;
	const bool *is_constant;
	size_t arg_count;
	const struct selection *rows;
	size_t row_count;
	struct vector *result;
	struct arena *heap;		/* bytes that live as long as result */
	const struct expr_context *context;
	void *state;			/* what prepare() made */
	size_t failed_row;
	struct error *err;
};

typedef int (*kernel_run)(struct kernel_call *call);

enum function_flag {
	FUNCTION_LAX = 1,	/* not strict: sets validity itself */
	FUNCTION_SAFE = 2,	/* never fails */
	FUNCTION_CONTEXT = 4,	/* reads expr_context: folded only with one */
	FUNCTION_FLOAT_SAFE = 8,	/* never fails on REAL and DOUBLE */
	/* What prepare() made begins with void (*release)(void *state). */
	FUNCTION_RELEASE = 16,
	FUNCTION_ZONED = 32,	/* kernel_zone.h; not folded by itself */
	FUNCTION_READS_ZONE = 64,	/* kernel_zone.h */
	FUNCTION_TRY = 128,	/* run by step_run_try() */
};

#define FUNCTION_ANY_COUNT 255

/* How the types of a function's arguments and result come about. */
struct function_query {
	const struct function *function;
	const struct type *args;
	size_t arg_count;
	struct type *wanted;
	struct type *result;
	struct arena *arena;	/* for fields of nested types, or NULL */
};

struct function {
	const char *name;
	/*
	 * Fixed types as letters, result first, for resolvers that want
	 * them: V varchar, Z varbinary, L boolean, I integer, B bigint,
	 * F double, D date, T timestamp, W timestamp with time zone; as the
	 * result only, A array of varchar.
	 */
	const char *signature;
	uint8_t min_args;
	uint8_t max_args;	/* FUNCTION_ANY_COUNT = no limit */
	uint8_t flags;
	uint8_t variant;	/* which of several that share a kernel */
	/* Fill wanted and result; false when the types do not fit. */
	bool (*resolve)(const struct function_query *query);
	/* One kernel for all types, or (if NULL) the choice by the types of
	 * a resolved call: never NULL for what resolve() accepts. */
	kernel_run kernel;
	kernel_run (*choose)(const struct expr *node);
	/* Compute once what holds for all rows; may be NULL. */
	int (*prepare)(const struct expr *node, struct arena *arena,
		       void **state, struct error *err);
};

/* Is a pass over all rows cheaper than one over the selected ones? */
static inline bool kernel_is_dense(const struct kernel_call *call)
{
	return !call->rows->rows || call->rows->count >= call->row_count / 2;
}

static inline size_t kernel_dense_count(const struct kernel_call *call)
{
	return call->rows->rows ? call->row_count : call->rows->count;
}

/* Run a statement for the rows that are selected, or for all if that is
 * faster: only where computing an unwanted row does no harm. */
#define KERNEL_LOOP(call, i, ...) \
	do { \
		if (kernel_is_dense(call)) { \
			const size_t loop_end = kernel_dense_count(call); \
			for (size_t i = 0; i < loop_end; i++) { \
				__VA_ARGS__; \
			} \
		} else { \
			const uint32_t *loop_rows = (call)->rows->rows; \
			const size_t loop_end = (call)->rows->count; \
			for (size_t loop_k = 0; loop_k < loop_end; \
			     loop_k++) { \
				const size_t i = loop_rows[loop_k]; \
				__VA_ARGS__; \
			} \
		} \
	} while (0)

/* Visit the selected rows whose result is not null, in ascending order. */
#define KERNEL_ROWS(call, i) \
	for (size_t i, row_k = 0; row_k < (call)->rows->count && \
	     (i = selection_row((call)->rows, row_k), true); row_k++) \
		if (vector_is_null((call)->result, i)) { \
		} else

/* Row i has failed: remember it. The text is set by error_set(). */
static inline int kernel_failed(struct kernel_call *call, size_t i, int rc)
{
	call->failed_row = i;
	return rc;
}

/* Make one entry of the result null, whoever owns its validity. */
static inline int kernel_set_null(struct kernel_call *call, size_t i)
{
	return vector_set_null(call->result, i, call->err);
}

/* Does this call, or this cast, ever fail on some row? Its arguments aside. */
bool node_can_fail(const struct expr *node);
/* Does the node ask expr_context (zone or time)? */
bool node_reads_context(const struct expr *node);

/* The kernel of a CAST or TRY_CAST node, NULL when there is none. */
kernel_run cast_kernel(const struct expr *node);
/* Does the cast only change the name of the type, not one bit of data? */
bool cast_is_relabel(const struct type *from, const struct type *to);
bool cast_can_fail(const struct type *from, const struct type *to,
		   bool is_assignment);
#endif
