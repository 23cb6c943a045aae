/*
 * encode_split.c - BYTE_STREAM_SPLIT: the bytes of values in columns
 *
 * Why:    Arrow and DuckDB write floats so, because they compress better.
 * How:    for the widths 4 and 8 the streams are woven in one pass.
 */
#include "parquet/encode_split.h"

static inline __attribute__((always_inline)) void
weave(const uint8_t *data, size_t total, size_t width, size_t count,
      uint8_t *out)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < width; k++)
			out[i * width + k] = data[k * total + i];
}

void split_read(const uint8_t *data, size_t total, size_t width, size_t first,
		size_t count, void *out)
{
	data += first;
	if (width == 4)
		weave(data, total, 4, count, out);
	else if (width == 8)
		weave(data, total, 8, count, out);
	else
		weave(data, total, width, count, out);
}
