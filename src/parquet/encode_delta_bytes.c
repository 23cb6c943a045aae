/*
 * encode_delta_bytes.c - texts whose lengths or prefixes are delta coded
 *
 *	DELTA_LENGTH_BYTE_ARRAY	lengths (DELTA_BINARY_PACKED), all bytes
 *	DELTA_BYTE_ARRAY	lengths of shared prefixes (ditto), then the
 *				rests as DELTA_LENGTH_BYTE_ARRAY
 *
 * Why:    Trino, Spark (v2 pages), Arrow and DuckDB write them on request.
 * How:    where one part ends is found by walking over its block headers.
 * Limits: a prefix is of the value before in the same page and may not be
 *         longer than it; values are unpacked LENGTHS_AT_ONCE at a time.
 */
#include "parquet/encode_delta_bytes.h"

#define LENGTHS_AT_ONCE 256

bool delta_length_init(struct delta_length_reader *reader, const void *data,
		       size_t length)
{
	size_t extent;

	if (!delta_reader_init(&reader->lengths, data, length) ||
	    !delta_extent(data, length, &extent))
		return false;
	reader->bytes = cursor_of((const uint8_t *)data + extent,
				  length - extent);
	return true;
}

bool delta_length_read(struct delta_length_reader *reader,
		       struct byte_view *out, size_t count)
{
	uint32_t lengths[LENGTHS_AT_ONCE];

	while (count) {
		size_t step = count < LENGTHS_AT_ONCE ? count
						      : LENGTHS_AT_ONCE;

		if (!delta_read32(&reader->lengths, lengths, step))
			return false;
		for (size_t i = 0; i < step; i++) {
			if (!cursor_bytes(&reader->bytes, lengths[i],
					  &out[i].data))
				return false;
			out[i].length = lengths[i];
		}
		out += step;
		count -= step;
	}
	return true;
}

bool delta_bytes_init(struct delta_bytes_reader *reader, const void *data,
		      size_t length)
{
	size_t extent;

	text_reset(&reader->last);
	return delta_reader_init(&reader->prefixes, data, length) &&
	       delta_extent(data, length, &extent) &&
	       delta_length_init(&reader->suffixes,
				 (const uint8_t *)data + extent,
				 length - extent);
}

void delta_bytes_release(struct delta_bytes_reader *reader)
{
	text_release(&reader->last);
}

static int build_value(struct byte_view last, uint32_t prefix,
		       struct byte_view *value, struct arena *heap,
		       struct error *err)
{
	uint8_t *built;

	if (prefix > last.length)
		return error_set(err, ERROR_CORRUPT,
				 "a prefix is longer than the value before");
	built = arena_alloc_bytes(heap, prefix + value->length);
	if (!built)
		return error_set(err, ERROR_NO_MEMORY, "page values");
	if (prefix)
		memcpy(built, last.data, prefix);
	if (value->length)
		memcpy(built + prefix, value->data, value->length);
	*value = byte_view(built, prefix + value->length);
	return 0;
}

int delta_bytes_read(struct delta_bytes_reader *reader, struct arena *heap,
		     size_t byte_limit, struct byte_view *out, size_t count,
		     struct error *err)
{
	uint32_t prefixes[LENGTHS_AT_ONCE];
	struct byte_view last = byte_view(reader->last.data,
					  reader->last.length);
	int rc;

	while (count) {
		size_t step = count < LENGTHS_AT_ONCE ? count
						      : LENGTHS_AT_ONCE;

		if (!delta_read32(&reader->prefixes, prefixes, step) ||
		    !delta_length_read(&reader->suffixes, out, step))
			return error_set(err, ERROR_CORRUPT,
					 "delta coded lengths are damaged");
		for (size_t i = 0; i < step; i++) {
			rc = build_value(last, prefixes[i], &out[i], heap, err);
			if (rc)
				return rc;
			last = out[i];
			if (last.length > byte_limit)
				return error_set(err, ERROR_CORRUPT,
						 "values take too many bytes");
			byte_limit -= last.length;
		}
		out += step;
		count -= step;
	}
	/* heap may be gone by the next call; last may stand in reader->last
	 * itself only when nothing was read */
	if ((const char *)last.data != reader->last.data) {
		text_reset(&reader->last);
		if (!text_add(&reader->last, last.data, last.length))
			return error_set(err, ERROR_NO_MEMORY, "page values");
	}
	return 0;
}
