#ifndef PARQUET_ENCODE_SPLIT_H
#define PARQUET_ENCODE_SPLIT_H
#include "util/util.h"

/*
 * BYTE_STREAM_SPLIT: byte k of all values, then byte k + 1, ... Give back
 * values first .. first + count - 1 of the total in data, width bytes each.
 */
void split_read(const uint8_t *data, size_t total, size_t width, size_t first,
		size_t count, void *out);
#endif
