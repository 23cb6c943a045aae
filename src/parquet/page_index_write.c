/*
 * page_index_write.c - serialise ColumnIndex and OffsetIndex
 *
 * Why:    readers skip pages by them; a wrong order flag loses rows, so it is
 *         taken from the very bounds that are written.
 * How:    one entry a data page. The offset of the first page is known once
 *         the chunk has its place in the file.
 */
#include "parquet/page_index_write.h"

#define UNORDERED 0
#define ASCENDING 1
#define DESCENDING 2

static bool is_null_page(const struct encoded_chunk *chunk, size_t page)
{
	return chunk->written[page].null_count ==
	       chunk->written[page].entry_count;
}

static int32_t boundary_order(const struct encoded_chunk *chunk,
			      enum value_order order)
{
	const struct written_page *last = NULL;
	bool rises = true, falls = true;

	for (size_t i = 0; i < chunk->page_count; i++) {
		const struct written_page *page = &chunk->written[i];
		int min, max;

		if (!page->has_bounds)
			continue;
		if (last) {
			min = value_order_compare(order, page->min, last->min);
			max = value_order_compare(order, page->max, last->max);
			rises &= min >= 0 && max >= 0;
			falls &= min <= 0 && max <= 0;
		}
		last = page;
	}
	return rises ? ASCENDING : falls ? DESCENDING : UNORDERED;
}

bool column_index_serialize(const struct encoded_chunk *chunk,
			    enum value_order order, struct text *out)
{
	size_t count = chunk->page_count;
	const struct written_page *pages = chunk->written;
	struct thrift_writer w;

	for (size_t i = 0; i < count; i++)
		if (!pages[i].has_bounds && !is_null_page(chunk, i))
			return true;
	thrift_writer_init(&w, out);
	thrift_begin_list(&w, 1, THRIFT_FALSE, count);
	for (size_t i = 0; i < count; i++)
		thrift_add_bool(&w, !pages[i].has_bounds);
	thrift_begin_list(&w, 2, THRIFT_BINARY, count);
	for (size_t i = 0; i < count; i++)
		thrift_add_binary(&w, pages[i].min.data, pages[i].min.length);
	thrift_begin_list(&w, 3, THRIFT_BINARY, count);
	for (size_t i = 0; i < count; i++)
		thrift_add_binary(&w, pages[i].max.data, pages[i].max.length);
	thrift_put_i32(&w, 4, boundary_order(chunk, order));
	thrift_begin_list(&w, 5, THRIFT_I64, count);
	for (size_t i = 0; i < count; i++)
		thrift_add_i64(&w, pages[i].null_count);
	if (order == VALUE_ORDER_F32 || order == VALUE_ORDER_F64) {
		thrift_begin_list(&w, 8, THRIFT_I64, count);
		for (size_t i = 0; i < count; i++)
			thrift_add_i64(&w, pages[i].nan_count);
	}
	thrift_finish(&w);
	return !out->failed;
}

bool offset_index_serialize(const struct encoded_chunk *chunk,
			    struct text *out)
{
	int64_t offset = chunk->metadata.data_page_offset;
	struct thrift_writer w;

	thrift_writer_init(&w, out);
	thrift_begin_list(&w, 1, THRIFT_STRUCT, chunk->page_count);
	for (size_t i = 0; i < chunk->page_count; i++) {
		int16_t outer = thrift_begin_struct(&w, 0);

		thrift_put_i64(&w, 1, offset);
		thrift_put_i32(&w, 2, (int32_t)chunk->page_bytes[i]);
		thrift_put_i64(&w, 3, (int64_t)chunk->written[i].first_row);
		thrift_end_struct(&w, outer);
		offset += chunk->page_bytes[i];
	}
	thrift_finish(&w);
	return !out->failed;
}
