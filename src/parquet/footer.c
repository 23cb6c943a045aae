/*
 * footer.c - parse FileMetaData
 *
 * Why:    the footer says what columns a file has and where each chunk lies.
 * How:    one function per struct of parquet.thrift over the sticky reader of
 *         thrift_compact.h; fields we do not use are skipped.
 * Cost:   one pass; arrays are allocated once, since the lists tell their
 *         lengths, and no more than the bytes that are left could fill.
 * Limits: meaning (offsets, counts, the shape of the tree) is checked by
 *         parquet_schema.c and parquet_reader.c.
 */
#include "parquet/footer.h"

/* Least bytes of a valid element, which bounds what a list may claim. */
#define ELEMENT_MIN_BYTES 3
#define GROUP_MIN_BYTES 8
#define CHUNK_MIN_BYTES 16
#define KEY_VALUE_MIN_BYTES 2
#define SORTING_MIN_BYTES 1

/* type, path_in_schema, codec, num_values, compressed size, data page */
#define CHUNK_REQUIRED_FIELDS \
	(1u << 1 | 1u << 3 | 1u << 4 | 1u << 5 | 1u << 7 | 1u << 9)

struct footer_parser {
	struct thrift_reader in;
	struct arena *arena;
	bool no_memory;
};

static void *parser_array(struct footer_parser *parser, size_t count,
			  size_t size)
{
	void *array = arena_zalloc_array(parser->arena, count ? count : 1,
					 size);

	if (!array) {
		parser->no_memory = true;
		parser->in.failed = true;
	}
	return array;
}

static const char *parser_string(struct footer_parser *parser,
				 struct byte_view bytes)
{
	char *copy;

	if (parser->in.failed)
		return "";
	copy = arena_strndup(parser->arena,
			     bytes.length ? (const char *)bytes.data : "",
			     bytes.length);
	if (!copy) {
		parser->no_memory = true;
		parser->in.failed = true;
	}
	return copy;
}

static uint8_t parse_time_unit(struct footer_parser *parser)
{
	struct thrift_field field = { 0, 0 };
	uint8_t unit = UNIT_NONE;

	while (thrift_next(&parser->in, &field)) {
		if (field.id >= UNIT_MILLIS && field.id <= UNIT_NANOS)
			unit = (uint8_t)field.id;
		thrift_skip(&parser->in, &field);
	}
	return unit;
}

/* The struct inside the union: the ids of its fields mean different things
 * by kind. */
static void parse_logical_detail(struct footer_parser *parser,
				 struct logical_type *out)
{
	struct thrift_field field = { 0, 0 };
	bool is_time = out->kind == LOGICAL_TIME ||
		       out->kind == LOGICAL_TIMESTAMP;

	while (thrift_next(&parser->in, &field)) {
		if (out->kind == LOGICAL_DECIMAL && field.id == 1)
			out->scale = thrift_i32(&parser->in, &field);
		else if (out->kind == LOGICAL_DECIMAL && field.id == 2)
			out->precision = thrift_i32(&parser->in, &field);
		else if (is_time && field.id == 1)
			out->is_utc = thrift_bool(&parser->in, &field);
		else if (is_time && field.id == 2 &&
			 thrift_struct(&parser->in, &field))
			out->unit = parse_time_unit(parser);
		else if (out->kind == LOGICAL_INTEGER && field.id == 1 &&
			 field.type == THRIFT_I8 &&
			 cursor_left(&parser->in.in))
			out->bit_width = *parser->in.in.next++;
		else if (out->kind == LOGICAL_INTEGER && field.id == 2)
			out->is_signed = thrift_bool(&parser->in, &field);
		else
			thrift_skip(&parser->in, &field);
	}
}

static void parse_logical_type(struct footer_parser *parser,
			       struct logical_type *out)
{
	struct thrift_field field = { 0, 0 };

	while (thrift_next(&parser->in, &field)) {
		out->kind = LOGICAL_OTHER;
		if (field.id >= LOGICAL_STRING && field.id <= LOGICAL_FLOAT16)
			out->kind = (uint8_t)field.id;
		if (thrift_struct(&parser->in, &field))
			parse_logical_detail(parser, out);
	}
	if (out->kind == LOGICAL_NONE)
		out->kind = LOGICAL_OTHER;	/* an empty union */
}

static void parse_element(struct footer_parser *parser,
			  struct schema_element *out)
{
	struct thrift_reader *in = &parser->in;
	struct thrift_field field = { 0, 0 };

	out->type = out->type_length = out->repetition = -1;
	out->child_count = out->converted_type = -1;
	while (thrift_next(in, &field)) {
		switch (field.id) {
		case 1: out->type = thrift_i32(in, &field); break;
		case 2: out->type_length = thrift_i32(in, &field); break;
		case 3: out->repetition = thrift_i32(in, &field); break;
		case 4:
			out->name = parser_string(parser,
						  thrift_binary(in, &field));
			break;
		case 5: out->child_count = thrift_i32(in, &field); break;
		case 6: out->converted_type = thrift_i32(in, &field); break;
		case 7: out->scale = thrift_i32(in, &field); break;
		case 8: out->precision = thrift_i32(in, &field); break;
		case 9:
			out->field_id = thrift_i32(in, &field);
			out->has_field_id = true;
			break;
		case 10:
			if (thrift_struct(in, &field))
				parse_logical_type(parser, &out->logical);
			break;
		default: thrift_skip(in, &field);
		}
	}
	if (!out->name)
		in->failed = true;
}

/* An empty value must differ from an absent one. */
static struct byte_view present(struct byte_view view)
{
	return view.data ? view : byte_view("", 0);
}

static void parse_statistics(struct footer_parser *parser,
			     struct chunk_statistics *out)
{
	struct thrift_reader *in = &parser->in;
	struct thrift_field field = { 0, 0 };

	while (thrift_next(in, &field)) {
		switch (field.id) {
		case 1: out->old_max = present(thrift_binary(in, &field)); break;
		case 2: out->old_min = present(thrift_binary(in, &field)); break;
		case 3: out->null_count = thrift_i64(in, &field); break;
		case 5:
			out->max_value = present(thrift_binary(in, &field));
			break;
		case 6:
			out->min_value = present(thrift_binary(in, &field));
			break;
		case 7: out->max_is_inexact = !thrift_bool(in, &field); break;
		case 8: out->min_is_inexact = !thrift_bool(in, &field); break;
		case 9: out->nan_count = thrift_i64(in, &field); break;
		default: thrift_skip(in, &field);
		}
	}
}

static void parse_encoding_stats(struct footer_parser *parser,
				 struct column_chunk *out,
				 const struct thrift_field *list)
{
	struct thrift_reader *in = &parser->in;
	size_t count = thrift_list(in, list, THRIFT_STRUCT, 1);

	for (size_t i = 0; i < count && !in->failed; i++) {
		struct thrift_field field = { 0, 0 };
		struct encoding_count stat = { -1, -1, 0 };

		while (thrift_next(in, &field)) {
			switch (field.id) {
			case 1: stat.page_type = thrift_i32(in, &field); break;
			case 2: stat.encoding = thrift_i32(in, &field); break;
			case 3: stat.count = thrift_i32(in, &field); break;
			default: thrift_skip(in, &field);
			}
		}
		if (out->encoding_stats_count < ENCODING_STATS_LIMIT)
			out->encoding_stats[out->encoding_stats_count++] = stat;
	}
}

static void parse_path(struct footer_parser *parser, struct column_chunk *out,
		       const struct thrift_field *list)
{
	struct thrift_reader *in = &parser->in;
	size_t count = thrift_list(in, list, THRIFT_BINARY, 1);
	const uint8_t *first = in->in.next;
	size_t length = 0;
	uint8_t *joined;

	for (size_t i = 0; i < count; i++)
		length += thrift_item_binary(in).length + 1;
	if (in->failed)
		return;
	joined = arena_alloc_bytes(parser->arena, length + 1);
	if (!joined) {
		parser->no_memory = true;
		in->failed = true;
		return;
	}
	in->in.next = first;
	length = 0;
	for (size_t i = 0; i < count; i++) {
		struct byte_view name = thrift_item_binary(in);

		if (i)
			joined[length++] = '.';
		if (name.length)
			memcpy(joined + length, name.data, name.length);
		length += name.length;
	}
	out->path = byte_view(joined, length);
}

/* Those that have a name; which of them says no more than that. */
static void parse_encodings(struct footer_parser *parser,
			    struct column_chunk *out,
			    const struct thrift_field *list)
{
	struct thrift_reader *in = &parser->in;
	size_t count = thrift_list(in, list, THRIFT_I32, 1);

	for (size_t i = 0; i < count && !in->failed; i++) {
		int32_t encoding = thrift_item_i32(in);

		if (encoding >= 0 && encoding < 32)
			out->encodings |= UINT32_C(1) << encoding;
	}
}

static void parse_chunk_metadata(struct footer_parser *parser,
				 struct column_chunk *out)
{
	struct thrift_reader *in = &parser->in;
	struct thrift_field field = { 0, 0 };
	uint32_t seen = 0;

	while (thrift_next(in, &field)) {
		if (field.id > 0 && field.id < 32)
			seen |= 1u << field.id;
		switch (field.id) {
		case 1: out->type = thrift_i32(in, &field); break;
		case 2: parse_encodings(parser, out, &field); break;
		case 3: parse_path(parser, out, &field); break;
		case 4: out->codec = thrift_i32(in, &field); break;
		case 5: out->value_count = thrift_i64(in, &field); break;
		case 6: out->uncompressed_bytes = thrift_i64(in, &field); break;
		case 7: out->compressed_bytes = thrift_i64(in, &field); break;
		case 9: out->data_page_offset = thrift_i64(in, &field); break;
		case 11:
			out->dictionary_page_offset = thrift_i64(in, &field);
			break;
		case 12:
			if (thrift_struct(in, &field))
				parse_statistics(parser, &out->statistics);
			break;
		case 13: parse_encoding_stats(parser, out, &field); break;
		case 14:
			out->bloom_filter_offset = thrift_i64(in, &field);
			break;
		case 15:
			/* Dremio once kept something else here */
			if (field.type == THRIFT_I32)
				out->bloom_filter_length =
					thrift_i32(in, &field);
			else
				thrift_skip(in, &field);
			break;
		default: thrift_skip(in, &field);
		}
	}
	if ((seen & CHUNK_REQUIRED_FIELDS) != CHUNK_REQUIRED_FIELDS)
		in->failed = true;
}

static void parse_chunk(struct footer_parser *parser, struct column_chunk *out)
{
	struct thrift_reader *in = &parser->in;
	struct thrift_field field = { 0, 0 };
	bool has_metadata = false;

	out->statistics.null_count = out->statistics.nan_count = -1;
	out->statistics.max_is_inexact = out->statistics.min_is_inexact = true;
	out->bloom_filter_offset = -1;
	out->bloom_filter_length = -1;
	while (thrift_next(in, &field)) {
		switch (field.id) {
		case 1:
			out->has_file_path = thrift_binary(in, &field).length;
			break;
		case 3:
			has_metadata = thrift_struct(in, &field);
			parse_chunk_metadata(parser, out);
			break;
		case 4: out->offset_index_offset = thrift_i64(in, &field); break;
		case 5: out->offset_index_length = thrift_i32(in, &field); break;
		case 6: out->column_index_offset = thrift_i64(in, &field); break;
		case 7: out->column_index_length = thrift_i32(in, &field); break;
		case 8:
		case 9:
			out->is_encrypted = true;
			thrift_skip(in, &field);
			break;
		default: thrift_skip(in, &field);
		}
	}
	if (!has_metadata && !out->is_encrypted)
		in->failed = true;
}

static void parse_sorting(struct footer_parser *parser, struct row_group *out,
			  const struct thrift_field *list)
{
	struct thrift_reader *in = &parser->in;
	size_t count = thrift_list(in, list, THRIFT_STRUCT,
				   SORTING_MIN_BYTES);

	out->sorting = parser_array(parser, count, sizeof(*out->sorting));
	for (size_t i = 0; i < count && !in->failed; i++) {
		struct parquet_sort *column = &out->sorting[i];
		struct thrift_field field = { 0, 0 };

		column->column = SIZE_MAX;
		while (thrift_next(in, &field)) {
			switch (field.id) {
			case 1:
				column->column =
					(size_t)thrift_i32(in, &field);
				break;
			case 2:
				column->descending = thrift_bool(in, &field);
				break;
			case 3:
				column->nulls_first = thrift_bool(in, &field);
				break;
			default: thrift_skip(in, &field);
			}
		}
	}
	out->sorting_count = in->failed ? 0 : count;
}

static void parse_group(struct footer_parser *parser, struct row_group *out)
{
	struct thrift_reader *in = &parser->in;
	struct thrift_field field = { 0, 0 };

	out->row_count = -1;
	while (thrift_next(in, &field)) {
		switch (field.id) {
		case 1:
			out->column_count = thrift_list(in, &field,
							THRIFT_STRUCT,
							CHUNK_MIN_BYTES);
			out->columns = parser_array(parser, out->column_count,
						    sizeof(*out->columns));
			for (size_t i = 0; i < out->column_count && !in->failed;
			     i++)
				parse_chunk(parser, &out->columns[i]);
			break;
		case 2: out->total_byte_size = thrift_i64(in, &field); break;
		case 3: out->row_count = thrift_i64(in, &field); break;
		case 4: parse_sorting(parser, out, &field); break;
		case 5: out->file_offset = thrift_i64(in, &field); break;
		case 6: out->compressed_bytes = thrift_i64(in, &field); break;
		default: thrift_skip(in, &field);
		}
	}
	if (!out->columns || out->row_count < 0)
		in->failed = true;
}

static void parse_key_value(struct footer_parser *parser,
			    struct key_value *out)
{
	struct thrift_reader *in = &parser->in;
	struct thrift_field field = { 0, 0 };

	while (thrift_next(in, &field)) {
		if (field.id == 1)
			out->key = parser_string(parser,
						 thrift_binary(in, &field));
		else if (field.id == 2)
			out->value = parser_string(parser,
						   thrift_binary(in, &field));
		else
			thrift_skip(in, &field);
	}
	if (!out->key)
		in->failed = true;
}

static void parse_column_orders(struct footer_parser *parser,
				struct file_metadata *out,
				const struct thrift_field *list)
{
	struct thrift_reader *in = &parser->in;
	size_t count = thrift_list(in, list, THRIFT_STRUCT, 1);

	out->column_orders = parser_array(parser, count, 1);
	for (size_t i = 0; i < count && !in->failed; i++) {
		struct thrift_field field = { 0, 0 };

		out->column_orders[i] = ORDER_OTHER;
		while (thrift_next(in, &field)) {
			if (field.id == 1)
				out->column_orders[i] = ORDER_TYPE;
			else if (field.id == 2)
				out->column_orders[i] = ORDER_IEEE_754;
			thrift_skip(in, &field);
		}
	}
	out->column_order_count = in->failed ? 0 : count;
}

static void parse_elements(struct footer_parser *parser,
			   struct file_metadata *out,
			   const struct thrift_field *list)
{
	struct thrift_reader *in = &parser->in;

	out->element_count = thrift_list(in, list, THRIFT_STRUCT,
					 ELEMENT_MIN_BYTES);
	out->elements = parser_array(parser, out->element_count,
				     sizeof(*out->elements));
	for (size_t i = 0; i < out->element_count && !in->failed; i++)
		parse_element(parser, &out->elements[i]);
}

static void parse_groups(struct footer_parser *parser,
			 struct file_metadata *out,
			 const struct thrift_field *list)
{
	struct thrift_reader *in = &parser->in;

	out->group_count = thrift_list(in, list, THRIFT_STRUCT,
				       GROUP_MIN_BYTES);
	out->groups = parser_array(parser, out->group_count,
				   sizeof(*out->groups));
	for (size_t i = 0; i < out->group_count && !in->failed; i++)
		parse_group(parser, &out->groups[i]);
}

static void parse_key_values(struct footer_parser *parser,
			     struct file_metadata *out,
			     const struct thrift_field *list)
{
	struct thrift_reader *in = &parser->in;

	out->key_value_count = thrift_list(in, list, THRIFT_STRUCT,
					   KEY_VALUE_MIN_BYTES);
	out->key_values = parser_array(parser, out->key_value_count,
				       sizeof(*out->key_values));
	for (size_t i = 0; i < out->key_value_count && !in->failed; i++)
		parse_key_value(parser, &out->key_values[i]);
}

int footer_parse(struct file_metadata *out, const void *data, size_t length,
		 struct arena *arena, struct error *err)
{
	struct footer_parser parser;
	struct thrift_reader *in = &parser.in;
	struct thrift_field field = { 0, 0 };

	memset(out, 0, sizeof(*out));
	out->row_count = -1;
	parser.arena = arena;
	parser.no_memory = false;
	thrift_reader_init(in, data, length);
	while (thrift_next(in, &field)) {
		switch (field.id) {
		case 1: out->version = thrift_i32(in, &field); break;
		case 2: parse_elements(&parser, out, &field); break;
		case 3: out->row_count = thrift_i64(in, &field); break;
		case 4: parse_groups(&parser, out, &field); break;
		case 5: parse_key_values(&parser, out, &field); break;
		case 6:
			out->created_by = parser_string(
				&parser, thrift_binary(in, &field));
			break;
		case 7: parse_column_orders(&parser, out, &field); break;
		case 8:
			out->is_encrypted = true;
			thrift_skip(in, &field);
			break;
		default: thrift_skip(in, &field);
		}
	}
	if (parser.no_memory)
		return error_set(err, ERROR_NO_MEMORY, "Parquet footer");
	if (in->failed || !out->elements || out->row_count < 0)
		return error_set(err, ERROR_CORRUPT,
				 "Parquet footer is damaged");
	return 0;
}
