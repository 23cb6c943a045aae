#ifndef COLUMN_VECTOR_GATHER_H
#define COLUMN_VECTOR_GATHER_H
#include "column/vector.h"
#include "column/selection.h"

/*
 * dst (reset first, then owned) = src[index[0]], src[index[1]], ... An index
 * of GATHER_NULL gives NULL. Byte values are shared, not copied, when heap is
 * NULL; else their bytes are copied into heap.
 */
#define GATHER_NULL UINT32_MAX
int vector_gather(struct vector *dst, const struct vector *src,
		  const uint32_t *index, size_t count, struct arena *heap,
		  struct error *err);
/* Append src[selection] at the end of dst, same rules for heap. */
int vector_append_selected(struct vector *dst, const struct vector *src,
			   const struct selection *rows, struct arena *heap,
			   struct error *err);
/*
 * dst[row] = src[row] for the selected rows, in place; dst must have the
 * capacity and is extended to count rows. The way results of several CASE
 * branches become one vector. Bytes are shared.
 */
int vector_scatter(struct vector *dst, const struct vector *src,
		   const struct selection *rows, size_t count,
		   struct error *err);
/*
 * dst[rows[i]] = src[src_rows[i]] for i < count, in place; dst then owns its
 * data. src_rows may be NULL (= i). Bytes are shared.
 */
int vector_overlay(struct vector *dst, const uint32_t *rows,
		   const struct vector *src, const uint32_t *src_rows,
		   size_t count, struct error *err);
#endif
