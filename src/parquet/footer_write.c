/*
 * footer_write.c - serialise FileMetaData
 *
 * Why:    readers find everything through it; several are picky (see the
 *         writer recipe in the manual of the format), so each field that one
 *         of them needs is written, and none that another trips over.
 * How:    field ids ascending, one function per struct. No file_path, no
 *         ordinal beyond 16 bits.
 */
#include "parquet/footer.h"

static void put_time_unit(struct thrift_writer *w, int16_t id, uint8_t unit)
{
	int16_t outer = thrift_begin_struct(w, id);

	thrift_put_empty(w, unit);
	thrift_end_struct(w, outer);
}

static void put_logical_type(struct thrift_writer *w,
			     const struct logical_type *type)
{
	int16_t element = thrift_begin_struct(w, 10);
	int16_t outer = thrift_begin_struct(w, type->kind);

	switch (type->kind) {
	case LOGICAL_DECIMAL:
		thrift_put_i32(w, 1, type->scale);
		thrift_put_i32(w, 2, type->precision);
		break;
	case LOGICAL_TIME:
	case LOGICAL_TIMESTAMP:
		thrift_put_bool(w, 1, type->is_utc);
		put_time_unit(w, 2, type->unit);
		break;
	case LOGICAL_INTEGER:
		thrift_put_i8(w, 1, (int8_t)type->bit_width);
		thrift_put_bool(w, 2, type->is_signed);
		break;
	default:
		break;
	}
	thrift_end_struct(w, outer);
	thrift_end_struct(w, element);
}

static void put_element(struct thrift_writer *w,
			const struct schema_element *element)
{
	int16_t outer = thrift_begin_struct(w, 0);

	if (element->type >= 0)
		thrift_put_i32(w, 1, element->type);
	if (element->type_length >= 0)
		thrift_put_i32(w, 2, element->type_length);
	if (element->repetition >= 0)
		thrift_put_i32(w, 3, element->repetition);
	thrift_put_string(w, 4, element->name);
	if (element->child_count >= 0)
		thrift_put_i32(w, 5, element->child_count);
	if (element->converted_type >= 0)
		thrift_put_i32(w, 6, element->converted_type);
	if (element->converted_type == CONVERTED_DECIMAL) {
		thrift_put_i32(w, 7, element->scale);
		thrift_put_i32(w, 8, element->precision);
	}
	if (element->has_field_id)
		thrift_put_i32(w, 9, element->field_id);
	if (element->logical.kind != LOGICAL_NONE)
		put_logical_type(w, &element->logical);
	thrift_end_struct(w, outer);
}

static void put_view(struct thrift_writer *w, int16_t id,
		     struct byte_view view)
{
	if (view.data)
		thrift_put_binary(w, id, view.data, view.length);
}

static void put_statistics(struct thrift_writer *w,
			   const struct chunk_statistics *statistics)
{
	int16_t outer = thrift_begin_struct(w, 12);

	if (statistics->null_count >= 0)
		thrift_put_i64(w, 3, statistics->null_count);
	put_view(w, 5, statistics->max_value);
	put_view(w, 6, statistics->min_value);
	if (statistics->max_value.data)
		thrift_put_bool(w, 7, !statistics->max_is_inexact);
	if (statistics->min_value.data)
		thrift_put_bool(w, 8, !statistics->min_is_inexact);
	if (statistics->nan_count >= 0)
		thrift_put_i64(w, 9, statistics->nan_count);
	thrift_end_struct(w, outer);
}

static void put_encoding_stats(struct thrift_writer *w,
			       const struct column_chunk *chunk)
{
	if (!chunk->encoding_stats_count)
		return;
	thrift_begin_list(w, 13, THRIFT_STRUCT, chunk->encoding_stats_count);
	for (size_t i = 0; i < chunk->encoding_stats_count; i++) {
		const struct encoding_count *stat = &chunk->encoding_stats[i];
		int16_t outer = thrift_begin_struct(w, 0);

		thrift_put_i32(w, 1, stat->page_type);
		thrift_put_i32(w, 2, stat->encoding);
		thrift_put_i32(w, 3, stat->count);
		thrift_end_struct(w, outer);
	}
}

static void put_chunk_metadata(struct thrift_writer *w,
			       const struct column_chunk *chunk)
{
	int16_t outer = thrift_begin_struct(w, 3);

	thrift_put_i32(w, 1, chunk->type);
	thrift_begin_list(w, 2, THRIFT_I32,
			  (size_t)__builtin_popcount(chunk->encodings));
	for (int32_t i = 0; i < 32; i++)
		if (chunk->encodings >> i & 1)
			thrift_add_i32(w, i);
	thrift_begin_list(w, 3, THRIFT_BINARY, chunk->part_count);
	for (size_t i = 0; i < chunk->part_count; i++)
		thrift_add_binary(w, chunk->parts[i], strlen(chunk->parts[i]));
	thrift_put_i32(w, 4, chunk->codec);
	thrift_put_i64(w, 5, chunk->value_count);
	thrift_put_i64(w, 6, chunk->uncompressed_bytes);
	thrift_put_i64(w, 7, chunk->compressed_bytes);
	thrift_put_i64(w, 9, chunk->data_page_offset);
	if (chunk->dictionary_page_offset > 0)
		thrift_put_i64(w, 11, chunk->dictionary_page_offset);
	put_statistics(w, &chunk->statistics);
	put_encoding_stats(w, chunk);
	if (chunk->bloom_filter_offset > 0) {
		thrift_put_i64(w, 14, chunk->bloom_filter_offset);
		if (chunk->bloom_filter_length > 0)
			thrift_put_i32(w, 15, chunk->bloom_filter_length);
	}
	thrift_end_struct(w, outer);
}

static void put_chunk(struct thrift_writer *w,
		      const struct column_chunk *chunk)
{
	int16_t outer = thrift_begin_struct(w, 0);

	thrift_put_i64(w, 2, 0);
	put_chunk_metadata(w, chunk);
	if (chunk->offset_index_length > 0) {
		thrift_put_i64(w, 4, chunk->offset_index_offset);
		thrift_put_i32(w, 5, chunk->offset_index_length);
	}
	if (chunk->column_index_length > 0) {
		thrift_put_i64(w, 6, chunk->column_index_offset);
		thrift_put_i32(w, 7, chunk->column_index_length);
	}
	thrift_end_struct(w, outer);
}

static void put_sorting_columns(struct thrift_writer *w,
				const struct parquet_sort *sorting,
				size_t count)
{
	thrift_begin_list(w, 4, THRIFT_STRUCT, count);
	for (size_t i = 0; i < count; i++) {
		int16_t outer = thrift_begin_struct(w, 0);

		thrift_put_i32(w, 1, (int32_t)sorting[i].column);
		thrift_put_bool(w, 2, sorting[i].descending);
		thrift_put_bool(w, 3, sorting[i].nulls_first);
		thrift_end_struct(w, outer);
	}
}

static void put_group(struct thrift_writer *w,
		      const struct file_metadata *metadata, size_t index)
{
	const struct row_group *group = &metadata->groups[index];
	int16_t outer = thrift_begin_struct(w, 0);

	thrift_begin_list(w, 1, THRIFT_STRUCT, group->column_count);
	for (size_t i = 0; i < group->column_count; i++)
		put_chunk(w, &group->columns[i]);
	thrift_put_i64(w, 2, group->total_byte_size);
	thrift_put_i64(w, 3, group->row_count);
	if (group->sorting_count)
		put_sorting_columns(w, group->sorting, group->sorting_count);
	else if (metadata->sorting_count)
		put_sorting_columns(w, metadata->sorting,
				    metadata->sorting_count);
	thrift_put_i64(w, 5, group->file_offset);
	thrift_put_i64(w, 6, group->compressed_bytes);
	if (metadata->group_count <= INT16_MAX)
		thrift_put_i16(w, 7, (int16_t)index);
	thrift_end_struct(w, outer);
}

static void put_key_values(struct thrift_writer *w,
			   const struct file_metadata *metadata)
{
	thrift_begin_list(w, 5, THRIFT_STRUCT, metadata->key_value_count);
	for (size_t i = 0; i < metadata->key_value_count; i++) {
		const struct key_value *pair = &metadata->key_values[i];
		int16_t outer = thrift_begin_struct(w, 0);

		thrift_put_string(w, 1, pair->key);
		if (pair->value)
			thrift_put_string(w, 2, pair->value);
		thrift_end_struct(w, outer);
	}
}

int footer_serialize(const struct file_metadata *metadata, struct text *out,
		     struct error *err)
{
	struct thrift_writer w;

	thrift_writer_init(&w, out);
	thrift_put_i32(&w, 1, metadata->version);
	thrift_begin_list(&w, 2, THRIFT_STRUCT, metadata->element_count);
	for (size_t i = 0; i < metadata->element_count; i++)
		put_element(&w, &metadata->elements[i]);
	thrift_put_i64(&w, 3, metadata->row_count);
	thrift_begin_list(&w, 4, THRIFT_STRUCT, metadata->group_count);
	for (size_t i = 0; i < metadata->group_count; i++)
		put_group(&w, metadata, i);
	if (metadata->key_value_count)
		put_key_values(&w, metadata);
	if (metadata->created_by)
		thrift_put_string(&w, 6, metadata->created_by);
	thrift_begin_list(&w, 7, THRIFT_STRUCT, metadata->column_order_count);
	for (size_t i = 0; i < metadata->column_order_count; i++) {
		int16_t outer = thrift_begin_struct(&w, 0);

		thrift_put_empty(&w, 1);
		thrift_end_struct(&w, outer);
	}
	thrift_finish(&w);
	if (out->failed)
		return error_set(err, ERROR_NO_MEMORY, "Parquet footer");
	return 0;
}

int footer_write(const struct file_metadata *metadata, struct text *buffer,
		 struct output_file *file, struct error *err)
{
	size_t length;
	int rc;

	text_reset(buffer);
	rc = footer_serialize(metadata, buffer, err);
	if (rc)
		return rc;
	length = buffer->length;
	if (length > INT32_MAX)
		return error_set(err, ERROR_UNSUPPORTED,
				 "a Parquet footer of %zu bytes is too large",
				 length);
	if (!text_add_le32(buffer, (uint32_t)length) ||
	    !text_add(buffer, FILE_MAGIC, 4))
		return error_set(err, ERROR_NO_MEMORY, "Parquet footer");
	return output_file_write(file, buffer->data, buffer->length, err);
}
