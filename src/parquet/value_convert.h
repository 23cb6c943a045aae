#ifndef PARQUET_VALUE_CONVERT_H
#define PARQUET_VALUE_CONVERT_H
#include "parquet/parquet_schema.h"

enum convert_kind {
	CONVERT_COPY,		/* same bits in file and vector */
	CONVERT_I32_TO_I64,
	CONVERT_U32_TO_I64,
	CONVERT_I32_TO_I128,
	CONVERT_I64_TO_I128,
	CONVERT_U64_TO_I128,
	CONVERT_TIME_MS,	/* INT32 ms to us */
	CONVERT_DATE_TO_US,
	CONVERT_MS_TO_US,
	CONVERT_NS_TO_US,	/* floor */
	CONVERT_INT96,
	CONVERT_F32_TO_F64,
	CONVERT_F16_TO_F32,
	CONVERT_F16_TO_F64,
	CONVERT_FIXED_TO_VIEW,
	CONVERT_FIXED_TO_I64,	/* decimals, big-endian */
	CONVERT_FIXED_TO_I128,
	CONVERT_VIEW_TO_FIXED,	/* checks the length */
	CONVERT_VIEW_TO_I64,
	CONVERT_VIEW_TO_I128,
	CONVERT_ALL_NULL,	/* annotated UNKNOWN: any value is an error */
};

/*
 * From the physical values of a leaf, as decoded (BOOLEAN as bytes 0 and 1,
 * BYTE_ARRAY as byte views, FIXED and INT96 as raw bytes back to back, else
 * words), to the values of a vector of a wanted type.
 */
struct value_convert {
	enum convert_kind kind;
	size_t in_width;	/* bytes of a physical value */
	size_t out_width;	/* bytes of a value in the vector */
	size_t length;		/* FIXED: of the leaf, or of the wanted type */
	bool is_text;		/* must be well-formed UTF-8 */
	bool is_exact;		/* ns that are not whole us are refused */
};

/* ERROR_UNSUPPORTED when the leaf cannot become want. */
int value_convert_choose(struct value_convert *out,
			 const struct leaf_column *leaf,
			 const struct type *want, struct error *err);
/*
 * Convert count values. Byte views into `in` (FIXED) stay valid as long as
 * it. Errors: ERROR_CORRUPT for a value that has no place in the type;
 * ERROR_CAST where is_exact refuses one.
 */
int value_convert_run(const struct value_convert *convert, const void *in,
		      size_t count, void *out, struct error *err);
/* Are all of these well-formed UTF-8? */
bool value_views_are_text(const struct byte_view *views, size_t count);
#endif
