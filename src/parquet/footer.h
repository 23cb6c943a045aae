#ifndef PARQUET_FOOTER_H
#define PARQUET_FOOTER_H
#include "parquet/parquet_writer.h"
#include "parquet/thrift_compact.h"

#define FILE_MAGIC "PAR1"

/* The structs of parquet.thrift that we use, as read and as written. Names
 * and numbers are the format's. Absent optional integers are -1. */

enum physical_type {
	PHYSICAL_BOOLEAN,
	PHYSICAL_INT32,
	PHYSICAL_INT64,
	PHYSICAL_INT96,
	PHYSICAL_FLOAT,
	PHYSICAL_DOUBLE,
	PHYSICAL_BYTE_ARRAY,
	PHYSICAL_FIXED,		/* FIXED_LEN_BYTE_ARRAY */
};

enum repetition {
	REPETITION_REQUIRED,
	REPETITION_OPTIONAL,
	REPETITION_REPEATED,
};

enum parquet_encoding {
	ENCODING_PLAIN = 0,
	ENCODING_PLAIN_DICTIONARY = 2,
	ENCODING_RLE = 3,
	ENCODING_BIT_PACKED = 4,
	ENCODING_DELTA_BINARY_PACKED = 5,
	ENCODING_DELTA_LENGTH_BYTE_ARRAY = 6,
	ENCODING_DELTA_BYTE_ARRAY = 7,
	ENCODING_RLE_DICTIONARY = 8,
	ENCODING_BYTE_STREAM_SPLIT = 9,
};

enum page_type {
	PAGE_DATA,
	PAGE_INDEX,
	PAGE_DICTIONARY,
	PAGE_DATA_V2,
};

/* LogicalType's field ids; CONVERTED_ONLY ones are made from ConvertedType. */
enum logical_kind {
	LOGICAL_NONE = 0,
	LOGICAL_STRING = 1,
	LOGICAL_MAP = 2,
	LOGICAL_LIST = 3,
	LOGICAL_ENUM = 4,
	LOGICAL_DECIMAL = 5,
	LOGICAL_DATE = 6,
	LOGICAL_TIME = 7,
	LOGICAL_TIMESTAMP = 8,
	LOGICAL_INTEGER = 10,
	LOGICAL_NULL = 11,	/* UNKNOWN: only nulls */
	LOGICAL_JSON = 12,
	LOGICAL_BSON = 13,
	LOGICAL_UUID = 14,
	LOGICAL_FLOAT16 = 15,
	LOGICAL_OTHER = 100,	/* one we do not know */
};

enum converted_type {
	CONVERTED_UTF8,
	CONVERTED_MAP,
	CONVERTED_MAP_KEY_VALUE,
	CONVERTED_LIST,
	CONVERTED_ENUM,
	CONVERTED_DECIMAL,
	CONVERTED_DATE,
	CONVERTED_TIME_MILLIS,
	CONVERTED_TIME_MICROS,
	CONVERTED_TIMESTAMP_MILLIS,
	CONVERTED_TIMESTAMP_MICROS,
	CONVERTED_UINT_8,
	CONVERTED_UINT_16,
	CONVERTED_UINT_32,
	CONVERTED_UINT_64,
	CONVERTED_INT_8,
	CONVERTED_INT_16,
	CONVERTED_INT_32,
	CONVERTED_INT_64,
	CONVERTED_JSON,
	CONVERTED_BSON,
	CONVERTED_INTERVAL,
};

enum time_unit {
	UNIT_NONE,
	UNIT_MILLIS = 1,
	UNIT_MICROS = 2,
	UNIT_NANOS = 3,
};

struct logical_type {
	uint8_t kind;		/* enum logical_kind */
	uint8_t unit;		/* enum time_unit: TIME, TIMESTAMP */
	bool is_utc;		/* TIME, TIMESTAMP */
	bool is_signed;		/* INTEGER */
	uint8_t bit_width;	/* INTEGER */
	int32_t scale;		/* DECIMAL */
	int32_t precision;	/* DECIMAL */
};

static inline struct logical_type logical_of(uint8_t kind)
{
	struct logical_type type;

	memset(&type, 0, sizeof(type));
	type.kind = kind;
	return type;
}

/* TIME or TIMESTAMP, of UTC. */
static inline struct logical_type logical_time(uint8_t kind, uint8_t unit)
{
	struct logical_type type = logical_of(kind);

	type.unit = unit;
	type.is_utc = true;
	return type;
}

struct schema_element {
	int32_t type;		/* enum physical_type; -1 = a group */
	int32_t type_length;	/* FIXED; else -1 */
	int32_t repetition;	/* -1 = absent (root) */
	const char *name;
	int32_t child_count;	/* -1 = absent (leaf) */
	int32_t converted_type;	/* -1 = absent */
	int32_t scale;		/* of the element, beside converted_type */
	int32_t precision;
	bool has_field_id;
	int32_t field_id;
	struct logical_type logical;
};

struct chunk_statistics {
	/* NULL data = absent; an empty value has data and length 0 */
	struct byte_view old_min;	/* deprecated, signed order */
	struct byte_view old_max;
	struct byte_view min_value;
	struct byte_view max_value;
	int64_t null_count;
	int64_t nan_count;
	bool max_is_inexact;	/* or the file does not say */
	bool min_is_inexact;
};

#define ENCODING_STATS_LIMIT 8
struct encoding_count {
	int32_t page_type;
	int32_t encoding;
	int32_t count;
};

struct column_chunk {
	int32_t type;
	int32_t codec;			/* the format's number */
	uint32_t encodings;		/* bit n: encoding n is used */
	struct byte_view path;		/* path_in_schema joined by '.' */
	const char **parts;		/* written only: path_in_schema */
	size_t part_count;
	int64_t value_count;
	int64_t uncompressed_bytes;
	int64_t compressed_bytes;
	int64_t data_page_offset;
	int64_t dictionary_page_offset;	/* <= 0 = absent */
	struct chunk_statistics statistics;
	struct encoding_count encoding_stats[ENCODING_STATS_LIMIT];
	size_t encoding_stats_count;
	int64_t bloom_filter_offset;
	int32_t bloom_filter_length;	/* -1 = not told */
	int64_t offset_index_offset;
	int32_t offset_index_length;
	int64_t column_index_offset;
	int32_t column_index_length;
	bool has_file_path;
	bool is_encrypted;
};

struct row_group {
	struct column_chunk *columns;
	size_t column_count;
	struct parquet_sort *sorting;	/* leaves; none: as the file says */
	size_t sorting_count;
	int64_t total_byte_size;
	int64_t row_count;
	int64_t file_offset;
	int64_t compressed_bytes;
};

enum column_order {
	ORDER_ABSENT,		/* the file has no column_orders */
	ORDER_TYPE,
	ORDER_IEEE_754,
	ORDER_OTHER,
};

struct key_value {
	const char *key;
	const char *value;	/* NULL = absent */
};

struct file_metadata {
	int32_t version;
	struct schema_element *elements;
	size_t element_count;
	int64_t row_count;
	struct row_group *groups;
	size_t group_count;
	struct key_value *key_values;
	size_t key_value_count;
	const char *created_by;		/* NULL = absent */
	uint8_t *column_orders;		/* enum column_order, per leaf */
	size_t column_order_count;
	bool is_encrypted;
	/* written only: leaves by which groups are sorted */
	const struct parquet_sort *sorting;
	size_t sorting_count;
};

/* Everything in out lives in arena; views point into data. ERROR_CORRUPT. */
int footer_parse(struct file_metadata *out, const void *data, size_t length,
		 struct arena *arena, struct error *err);
/* Append the serialised FileMetaData. */
int footer_serialize(const struct file_metadata *metadata, struct text *out,
		     struct error *err);

/* The metadata, its length and the magic as the end of a file; buffer is
 * scratch. ERROR_UNSUPPORTED if it is too large. */
int footer_write(const struct file_metadata *metadata, struct text *buffer,
		 struct output_file *file, struct error *err);

struct page_header {
	int32_t type;
	int32_t uncompressed_bytes;
	int32_t compressed_bytes;
	bool has_crc;
	uint32_t crc;
	int32_t value_count;
	int32_t encoding;
	int32_t def_encoding;		/* v1 */
	int32_t rep_encoding;		/* v1 */
	int32_t null_count;		/* v2 */
	int32_t row_count;		/* v2 */
	int32_t def_bytes;		/* v2 */
	int32_t rep_bytes;		/* v2 */
	bool is_uncompressed;		/* v2: is_compressed is false */
	size_t header_bytes;		/* of itself in the file */
};

enum page_header_result {
	PAGE_HEADER_OK,
	PAGE_HEADER_SHORT,	/* maybe: more bytes are needed */
	PAGE_HEADER_BAD,	/* numbers that cannot be */
};
enum page_header_result page_header_parse(struct page_header *out,
					  const void *data, size_t length);
/* Append a v1 data page header or a dictionary page header. */
bool page_header_serialize(const struct page_header *header,
			   struct text *out);
#endif
