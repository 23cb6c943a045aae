/*
 * thrift_compact.c - the compact protocol in which Parquet keeps its metadata
 *
 * Why:    every struct of the format, from footer to page header, is in it.
 * How:    field header = (id delta << 4) | type, or type and zigzag id; a
 *         struct ends with 00; list header = (size << 4) | type, or F and a
 *         varint size. Integers are zigzag varints.
 * Limits: unknown fields are skipped to a depth of THRIFT_DEPTH_LIMIT; a list
 *         may not claim more elements than the rest of the input can hold.
 */
#include "parquet/thrift_compact.h"

#define THRIFT_DEPTH_LIMIT 32

void thrift_reader_init(struct thrift_reader *reader, const void *data,
			size_t length)
{
	reader->in = cursor_of(data, length);
	reader->depth = 0;
	reader->failed = false;
}

static uint8_t read_byte(struct thrift_reader *reader)
{
	if (reader->failed || reader->in.next == reader->in.end) {
		reader->failed = true;
		return 0;
	}
	return *reader->in.next++;
}

static uint64_t read_varint(struct thrift_reader *reader)
{
	uint64_t value = 0;

	if (reader->failed || !cursor_varint64(&reader->in, &value)) {
		reader->failed = true;
		return 0;
	}
	return value;
}

static int64_t read_zigzag(struct thrift_reader *reader, int64_t min,
			   int64_t max)
{
	int64_t value = zigzag_decode64(read_varint(reader));

	if (value < min || value > max) {
		reader->failed = true;
		return 0;
	}
	return value;
}

bool thrift_next(struct thrift_reader *reader, struct thrift_field *field)
{
	uint8_t header = read_byte(reader);
	int id;

	if (reader->failed)
		return false;
	field->type = header & 15;
	if (field->type == THRIFT_STOP)
		return false;
	if (header >> 4)
		id = field->id + (header >> 4);
	else
		id = (int)read_zigzag(reader, INT16_MIN, INT16_MAX);
	if (id > INT16_MAX || field->type > THRIFT_UUID)
		reader->failed = true;
	field->id = (int16_t)id;
	return !reader->failed;
}

static bool expect(struct thrift_reader *reader,
		   const struct thrift_field *field, uint8_t type)
{
	if (field->type != type)
		reader->failed = true;
	return !reader->failed;
}

bool thrift_bool(struct thrift_reader *reader,
		 const struct thrift_field *field)
{
	if (field->type != THRIFT_TRUE && field->type != THRIFT_FALSE)
		reader->failed = true;
	return field->type == THRIFT_TRUE;
}

int32_t thrift_i32(struct thrift_reader *reader,
		   const struct thrift_field *field)
{
	return expect(reader, field, THRIFT_I32) ? thrift_item_i32(reader) : 0;
}

int64_t thrift_i64(struct thrift_reader *reader,
		   const struct thrift_field *field)
{
	return expect(reader, field, THRIFT_I64) ? thrift_item_i64(reader) : 0;
}

struct byte_view thrift_binary(struct thrift_reader *reader,
			       const struct thrift_field *field)
{
	return expect(reader, field, THRIFT_BINARY)
		       ? thrift_item_binary(reader)
		       : byte_view(NULL, 0);
}

bool thrift_struct(struct thrift_reader *reader,
		   const struct thrift_field *field)
{
	return expect(reader, field, THRIFT_STRUCT);
}

static size_t list_header(struct thrift_reader *reader, uint8_t *item_type)
{
	uint8_t header = read_byte(reader);
	uint64_t count = header >> 4;

	*item_type = header & 15;
	if (count == 15)
		count = read_varint(reader);
	/* every element takes a byte at least */
	if (reader->failed || count > cursor_left(&reader->in)) {
		reader->failed = true;
		return 0;
	}
	return (size_t)count;
}

size_t thrift_list(struct thrift_reader *reader,
		   const struct thrift_field *field, uint8_t item_type,
		   size_t item_bytes)
{
	uint8_t found = 0;
	size_t count;

	if (!expect(reader, field, THRIFT_LIST))
		return 0;
	count = list_header(reader, &found);
	if (item_type == THRIFT_FALSE && found == THRIFT_TRUE)
		found = THRIFT_FALSE;
	if ((count && found != item_type) ||
	    count > cursor_left(&reader->in) / item_bytes) {
		reader->failed = true;
		return 0;
	}
	return count;
}

bool thrift_item_bool(struct thrift_reader *reader)
{
	return read_byte(reader) == 1;
}

int32_t thrift_item_i32(struct thrift_reader *reader)
{
	return (int32_t)read_zigzag(reader, INT32_MIN, INT32_MAX);
}

int64_t thrift_item_i64(struct thrift_reader *reader)
{
	return read_zigzag(reader, INT64_MIN, INT64_MAX);
}

struct byte_view thrift_item_binary(struct thrift_reader *reader)
{
	uint64_t length = read_varint(reader);
	const uint8_t *data = NULL;

	if (reader->failed || length > cursor_left(&reader->in) ||
	    !cursor_bytes(&reader->in, (size_t)length, &data)) {
		reader->failed = true;
		return byte_view(NULL, 0);
	}
	return byte_view(data, (size_t)length);
}

static void skip_value(struct thrift_reader *reader, uint8_t type);

static void skip_items(struct thrift_reader *reader, uint8_t type,
		       size_t count)
{
	for (size_t i = 0; i < count && !reader->failed; i++) {
		/* a bool is a byte in a list, but in the header of a field */
		if (type == THRIFT_TRUE || type == THRIFT_FALSE)
			read_byte(reader);
		else
			skip_value(reader, type);
	}
}

static void skip_map(struct thrift_reader *reader)
{
	uint64_t count = read_varint(reader);
	uint8_t types;

	if (count == 0 || reader->failed)
		return;
	types = read_byte(reader);
	if (count > cursor_left(&reader->in))
		reader->failed = true;
	for (uint64_t i = 0; i < count && !reader->failed; i++) {
		skip_items(reader, types >> 4, 1);
		skip_items(reader, types & 15, 1);
	}
}

static void skip_bytes(struct thrift_reader *reader, size_t length)
{
	const uint8_t *data;

	if (!cursor_bytes(&reader->in, length, &data))
		reader->failed = true;
}

static void skip_value(struct thrift_reader *reader, uint8_t type)
{
	struct thrift_field field = { 0, 0 };
	uint8_t item_type;
	size_t count;

	if (++reader->depth > THRIFT_DEPTH_LIMIT)
		reader->failed = true;
	if (reader->failed)
		return;
	switch (type) {
	case THRIFT_TRUE:
	case THRIFT_FALSE:
		break;
	case THRIFT_I8:
		read_byte(reader);
		break;
	case THRIFT_I16:
	case THRIFT_I32:
	case THRIFT_I64:
		read_varint(reader);
		break;
	case THRIFT_DOUBLE:
		skip_bytes(reader, 8);
		break;
	case THRIFT_BINARY:
		thrift_item_binary(reader);
		break;
	case THRIFT_LIST:
	case THRIFT_SET:
		count = list_header(reader, &item_type);
		skip_items(reader, item_type, count);
		break;
	case THRIFT_MAP:
		skip_map(reader);
		break;
	case THRIFT_STRUCT:
		while (thrift_next(reader, &field))
			skip_value(reader, field.type);
		break;
	case THRIFT_UUID:
		skip_bytes(reader, 16);
		break;
	default:
		reader->failed = true;
	}
	reader->depth--;
}

void thrift_skip(struct thrift_reader *reader,
		 const struct thrift_field *field)
{
	skip_value(reader, field->type);
}

void thrift_writer_init(struct thrift_writer *writer, struct text *out)
{
	writer->out = out;
	writer->last_id = 0;
}

static void put_header(struct thrift_writer *writer, int16_t id, uint8_t type)
{
	int delta = id - writer->last_id;

	if (delta > 0 && delta <= 15) {
		text_add_char(writer->out, (char)(delta << 4 | type));
	} else {
		text_add_char(writer->out, (char)type);
		text_add_zigzag(writer->out, id);
	}
	writer->last_id = id;
}

void thrift_put_bool(struct thrift_writer *writer, int16_t id, bool value)
{
	put_header(writer, id, value ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_put_i8(struct thrift_writer *writer, int16_t id, int8_t value)
{
	put_header(writer, id, THRIFT_I8);
	text_add_char(writer->out, (char)value);
}

void thrift_put_i16(struct thrift_writer *writer, int16_t id, int16_t value)
{
	put_header(writer, id, THRIFT_I16);
	text_add_zigzag(writer->out, value);
}

void thrift_put_i32(struct thrift_writer *writer, int16_t id, int32_t value)
{
	put_header(writer, id, THRIFT_I32);
	text_add_zigzag(writer->out, value);
}

void thrift_put_i64(struct thrift_writer *writer, int16_t id, int64_t value)
{
	put_header(writer, id, THRIFT_I64);
	text_add_zigzag(writer->out, value);
}

void thrift_put_binary(struct thrift_writer *writer, int16_t id,
		       const void *data, size_t length)
{
	put_header(writer, id, THRIFT_BINARY);
	thrift_add_binary(writer, data, length);
}

void thrift_put_string(struct thrift_writer *writer, int16_t id,
		       const char *text)
{
	thrift_put_binary(writer, id, text, strlen(text));
}

int16_t thrift_begin_struct(struct thrift_writer *writer, int16_t id)
{
	int16_t outer_id;

	if (id)
		put_header(writer, id, THRIFT_STRUCT);
	outer_id = writer->last_id;
	writer->last_id = 0;
	return outer_id;
}

void thrift_end_struct(struct thrift_writer *writer, int16_t outer_id)
{
	text_add_char(writer->out, THRIFT_STOP);
	writer->last_id = outer_id;
}

void thrift_put_empty(struct thrift_writer *writer, int16_t id)
{
	thrift_end_struct(writer, thrift_begin_struct(writer, id));
}

void thrift_begin_list(struct thrift_writer *writer, int16_t id,
		       uint8_t item_type, size_t count)
{
	put_header(writer, id, THRIFT_LIST);
	if (count < 15) {
		text_add_char(writer->out, (char)(count << 4 | item_type));
	} else {
		text_add_char(writer->out, (char)(15 << 4 | item_type));
		text_add_varint(writer->out, count);
	}
}

void thrift_add_i32(struct thrift_writer *writer, int32_t value)
{
	text_add_zigzag(writer->out, value);
}

void thrift_add_i64(struct thrift_writer *writer, int64_t value)
{
	text_add_zigzag(writer->out, value);
}

void thrift_add_bool(struct thrift_writer *writer, bool value)
{
	text_add_char(writer->out, value ? 1 : 2);
}

void thrift_add_binary(struct thrift_writer *writer, const void *data,
		       size_t length)
{
	text_add_varint(writer->out, length);
	text_add(writer->out, data, length);
}

void thrift_finish(struct thrift_writer *writer)
{
	text_add_char(writer->out, THRIFT_STOP);
}
