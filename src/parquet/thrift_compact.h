#ifndef PARQUET_THRIFT_COMPACT_H
#define PARQUET_THRIFT_COMPACT_H
#include "codec/codec.h"

/* Types as they stand in a field or list header. */
enum thrift_type {
	THRIFT_STOP = 0,
	THRIFT_TRUE = 1,
	THRIFT_FALSE = 2,
	THRIFT_I8 = 3,
	THRIFT_I16 = 4,
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_DOUBLE = 7,
	THRIFT_BINARY = 8,
	THRIFT_LIST = 9,
	THRIFT_SET = 10,
	THRIFT_MAP = 11,
	THRIFT_STRUCT = 12,
	THRIFT_UUID = 13,
};

/*
 * Reading. `failed` is sticky: after the first malformed byte every getter
 * returns zero and thrift_next() ends its loop, so a parser checks it once at
 * the end. Nothing is copied; binary values point into the input.
 */
struct thrift_reader {
	struct cursor in;
	unsigned depth;
	bool failed;
};

/* The field that is being read; zeroes before the first of a struct. */
struct thrift_field {
	int16_t id;
	uint8_t type;
};

void thrift_reader_init(struct thrift_reader *reader, const void *data,
			size_t length);
/* Step to the next field of the struct; false at its end (or a failure). */
bool thrift_next(struct thrift_reader *reader, struct thrift_field *field);
/* The value of the field, which must be of that type. */
bool thrift_bool(struct thrift_reader *reader,
		 const struct thrift_field *field);
int32_t thrift_i32(struct thrift_reader *reader,
		   const struct thrift_field *field);
int64_t thrift_i64(struct thrift_reader *reader,
		   const struct thrift_field *field);
struct byte_view thrift_binary(struct thrift_reader *reader,
			       const struct thrift_field *field);
/* Is the field a struct? Fails if not. Its fields follow by thrift_next(). */
bool thrift_struct(struct thrift_reader *reader,
		   const struct thrift_field *field);
/*
 * Begin a list of elements of item_type; returns how many follow. Fails when
 * the rest of the input could not hold them at item_bytes each.
 */
size_t thrift_list(struct thrift_reader *reader,
		   const struct thrift_field *field, uint8_t item_type,
		   size_t item_bytes);
/* Elements of a list. */
bool thrift_item_bool(struct thrift_reader *reader);
int32_t thrift_item_i32(struct thrift_reader *reader);
int64_t thrift_item_i64(struct thrift_reader *reader);
struct byte_view thrift_item_binary(struct thrift_reader *reader);
void thrift_skip(struct thrift_reader *reader,
		 const struct thrift_field *field);

/* Writing, appended to out; text's own `failed` is the error. */
struct thrift_writer {
	struct text *out;
	int16_t last_id;
};

void thrift_writer_init(struct thrift_writer *writer, struct text *out);
void thrift_put_bool(struct thrift_writer *writer, int16_t id, bool value);
void thrift_put_i8(struct thrift_writer *writer, int16_t id, int8_t value);
void thrift_put_i16(struct thrift_writer *writer, int16_t id, int16_t value);
void thrift_put_i32(struct thrift_writer *writer, int16_t id, int32_t value);
void thrift_put_i64(struct thrift_writer *writer, int16_t id, int64_t value);
void thrift_put_binary(struct thrift_writer *writer, int16_t id,
		       const void *data, size_t length);
void thrift_put_string(struct thrift_writer *writer, int16_t id,
		       const char *text);
/* A struct: id 0 is an element of a list. Returns what end needs. */
int16_t thrift_begin_struct(struct thrift_writer *writer, int16_t id);
void thrift_end_struct(struct thrift_writer *writer, int16_t outer_id);
/* The struct {} as a field: members of unions. */
void thrift_put_empty(struct thrift_writer *writer, int16_t id);
void thrift_begin_list(struct thrift_writer *writer, int16_t id,
		       uint8_t item_type, size_t count);
void thrift_add_i32(struct thrift_writer *writer, int32_t value);
void thrift_add_i64(struct thrift_writer *writer, int64_t value);
void thrift_add_bool(struct thrift_writer *writer, bool value);
void thrift_add_binary(struct thrift_writer *writer, const void *data,
		       size_t length);
/* The 00 after the last field of the outermost struct. */
void thrift_finish(struct thrift_writer *writer);
#endif
