/*
 * bloom_filter.c - split block Bloom filters
 *
 *	BloomFilterHeader | blocks of 32 bytes = 8 words, little-endian
 *
 * Why:    a key that a file does not hold is ruled out by one cache line.
 * How:    the upper half of the hash picks the block; the lower half times
 *         eight odd constants picks a bit in each of its words.
 * Limits: to 128 MiB. The hash is of the bytes in the *file's* type: the
 *         value asked for is turned into that first; where several byte
 *         strings stand for one value (BYTE_ARRAY decimals, NaN, cut
 *         nanoseconds) the answer is "maybe".
 */
#include "parquet/bloom_filter.h"

#include <math.h>
#include "parquet/parquet_file.h"

#define BLOCK_BYTES 32
#define BLOOM_LIMIT_BYTES (128 << 20)
/* BloomFilterHeader is some 16 bytes */
#define HEADER_LIMIT_BYTES 256

static const uint32_t salt[8] = {
	0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
	0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
};

size_t bloom_size(size_t value_count, double fpp, size_t byte_limit)
{
	double bits = -8.0 * (double)value_count /
		      log(1.0 - pow(fpp, 1.0 / 8));
	size_t bytes = BLOCK_BYTES;

	while ((double)bytes * 8 < bits && bytes * 2 <= byte_limit &&
	       bytes < BLOOM_LIMIT_BYTES)
		bytes *= 2;
	return bytes;
}

static uint32_t *block_of(const struct bloom_bits *bits, uint64_t hash)
{
	size_t block = (size_t)((hash >> 32) * bits->block_count >> 32);

	return bits->words + block * 8;
}

void bloom_insert(const struct bloom_bits *bits, uint64_t hash)
{
	uint32_t *words = block_of(bits, hash), low = (uint32_t)hash;

	for (size_t i = 0; i < 8; i++)
		words[i] |= UINT32_C(1) << (low * salt[i] >> 27);
}

bool bloom_test(const struct bloom_bits *bits, uint64_t hash)
{
	const uint32_t *words = block_of(bits, hash);
	uint32_t low = (uint32_t)hash;

	for (size_t i = 0; i < 8; i++)
		if (!(words[i] >> (low * salt[i] >> 27) & 1))
			return false;
	return true;
}

bool bloom_serialize(const struct bloom_bits *bits, struct text *out)
{
	struct thrift_writer w;

	thrift_writer_init(&w, out);
	thrift_put_i32(&w, 1, (int32_t)(bits->block_count * BLOCK_BYTES));
	for (int16_t id = 2; id <= 4; id++) {
		int16_t outer = thrift_begin_struct(&w, id);

		thrift_put_empty(&w, 1);	/* BLOCK, XXHASH, UNCOMPRESSED */
		thrift_end_struct(&w, outer);
	}
	thrift_finish(&w);
	for (size_t i = 0; i < bits->block_count * 8; i++)
		text_add_le32(out, bits->words[i]);
	return !out->failed;
}

struct parquet_bloom_filter {
	struct bloom_bits bits;
	const struct leaf_column *leaf;
};

bool parquet_has_bloom_filter(const struct parquet_reader *reader,
			      size_t group, size_t leaf)
{
	return reader->metadata.groups[group].columns[leaf]
		       .bloom_filter_offset > 0;
}

/* Is the union's only field 1 (the one kind that there is)? */
static bool parse_kind(struct thrift_reader *in,
		       const struct thrift_field *field)
{
	struct thrift_field kind = { 0, 0 };
	bool known = false;

	if (!thrift_struct(in, field))
		return false;
	while (thrift_next(in, &kind)) {
		known = kind.id == 1;
		thrift_skip(in, &kind);
	}
	return known;
}

/* Header at data; false = malformed. *known false: of an unknown kind. */
static bool parse_header(const uint8_t *data, size_t length,
			 size_t *header_bytes, int32_t *bitset_bytes,
			 bool *known)
{
	struct thrift_field field = { 0, 0 };
	struct thrift_reader in;
	unsigned kinds = 0;

	*bitset_bytes = 0;
	thrift_reader_init(&in, data, length);
	while (thrift_next(&in, &field)) {
		if (field.id == 1)
			*bitset_bytes = thrift_i32(&in, &field);
		else if (field.id >= 2 && field.id <= 4)
			kinds += parse_kind(&in, &field);
		else
			thrift_skip(&in, &field);
	}
	*header_bytes = length - cursor_left(&in.in);
	*known = kinds == 3;
	return !in.failed && *bitset_bytes > 0 &&
	       *bitset_bytes % BLOCK_BYTES == 0 &&
	       *bitset_bytes <= BLOOM_LIMIT_BYTES;
}

static int damaged(const struct parquet_reader *reader, size_t leaf,
		   struct error *err)
{
	return error_set(err, ERROR_CORRUPT,
			 "%s: column %s: the Bloom filter is damaged",
			 parquet_reader_path(reader),
			 reader->leaves[leaf].door.path);
}

int bloom_filter_extent(const struct parquet_reader *reader, size_t group,
			size_t leaf, uint64_t *bytes_out, struct error *err)
{
	const struct column_chunk *chunk =
		&reader->metadata.groups[group].columns[leaf];
	uint64_t offset = (uint64_t)chunk->bloom_filter_offset, left;
	uint8_t head[HEADER_LIMIT_BYTES];
	size_t head_bytes, header_bytes;
	int32_t bitset_bytes;
	bool known;
	int rc;

	*bytes_out = 0;
	if (!parquet_has_bloom_filter(reader, group, leaf) ||
	    offset >= reader->data_end)
		return 0;
	left = reader->data_end - offset;
	head_bytes = left < sizeof(head) ? (size_t)left : sizeof(head);
	rc = input_file_read(reader->file, offset, head, head_bytes, err);
	if (rc)
		return rc;
	if (parse_header(head, head_bytes, &header_bytes, &bitset_bytes,
			 &known) && known &&
	    (uint64_t)bitset_bytes <= left - header_bytes)
		*bytes_out = header_bytes + (uint64_t)bitset_bytes;
	return 0;
}

int parquet_bloom_filter_load(const struct parquet_reader *reader,
			      size_t group, size_t leaf,
			      struct parquet_bloom_filter **out,
			      struct error *err)
{
	const struct column_chunk *chunk =
		&reader->metadata.groups[group].columns[leaf];
	uint8_t head[HEADER_LIMIT_BYTES];
	struct parquet_bloom_filter *filter;
	uint64_t offset = (uint64_t)chunk->bloom_filter_offset, left;
	size_t header_bytes;
	int32_t bitset_bytes;
	bool known;
	int rc;

	*out = NULL;
	if (!parquet_has_bloom_filter(reader, group, leaf))
		return 0;
	if (offset >= reader->data_end)
		return damaged(reader, leaf, err);
	left = reader->data_end - offset;
	rc = input_file_read(reader->file, offset, head,
			     left < sizeof(head) ? (size_t)left : sizeof(head),
			     err);
	if (rc)
		return rc;
	if (!parse_header(head, left < sizeof(head) ? (size_t)left
						    : sizeof(head),
			  &header_bytes, &bitset_bytes, &known) ||
	    (uint64_t)bitset_bytes > left - header_bytes)
		return damaged(reader, leaf, err);
	if (!known)
		return 0;
	filter = mem_zalloc(sizeof(*filter));
	if (!filter)
		return error_set(err, ERROR_NO_MEMORY, "Bloom filter");
	filter->leaf = &reader->leaves[leaf];
	filter->bits.block_count = (size_t)bitset_bytes / BLOCK_BYTES;
	filter->bits.words = mem_alloc_aligned((size_t)bitset_bytes);
	rc = filter->bits.words
		     ? input_file_read(reader->file, offset + header_bytes,
				       filter->bits.words,
				       (size_t)bitset_bytes, err)
		     : error_set(err, ERROR_NO_MEMORY, "Bloom filter");
	if (rc) {
		parquet_bloom_filter_free(filter);
		return rc;
	}
	for (size_t i = 0; i < filter->bits.block_count * 8; i++)
		filter->bits.words[i] = load_le32(&filter->bits.words[i]);
	*out = filter;
	return 0;
}

void parquet_bloom_filter_free(struct parquet_bloom_filter *filter)
{
	if (!filter)
		return;
	mem_free(filter->bits.words);
	mem_free(filter);
}

enum probe {
	PROBE_NONE,	/* no value of the file can equal it */
	PROBE_HASH,
	PROBE_MAYBE,
};

static enum probe probe_bytes(const void *data, size_t length, uint64_t *hash)
{
	*hash = hash_xxh64(data, length, 0);
	return PROBE_HASH;
}

static enum probe probe_integer(const struct leaf_column *leaf,
				int128_t value, uint64_t *hash)
{
	uint8_t bytes[16];

	if (leaf->physical == PHYSICAL_INT32) {
		bool is_unsigned = leaf->logical.kind == LOGICAL_INTEGER &&
				   !leaf->logical.is_signed;

		if (is_unsigned ? value != (uint32_t)value
				: value != (int32_t)value)
			return PROBE_NONE;
		store_le32(bytes, (uint32_t)value);
		return probe_bytes(bytes, 4, hash);
	}
	if (leaf->logical.kind == LOGICAL_INTEGER && !leaf->logical.is_signed
		    ? value != (int128_t)(uint64_t)value
		    : value != (int64_t)value)
		return PROBE_NONE;
	store_le64(bytes, (uint64_t)value);
	return probe_bytes(bytes, 8, hash);
}

static enum probe probe_time(const struct leaf_column *leaf, int64_t us,
			     uint64_t *hash)
{
	if (leaf->logical.unit == UNIT_MICROS)
		return probe_integer(leaf, us, hash);
	if (leaf->logical.unit != UNIT_MILLIS)
		return PROBE_MAYBE;
	return us % 1000 ? PROBE_NONE : probe_integer(leaf, us / 1000, hash);
}

static enum probe probe_decimal(const struct leaf_column *leaf,
				int128_t value, uint64_t *hash)
{
	size_t length = leaf->type_length;
	uint8_t bytes[16];

	if (leaf->physical == PHYSICAL_INT32 ||
	    leaf->physical == PHYSICAL_INT64)
		return probe_integer(leaf, value, hash);
	if (leaf->physical != PHYSICAL_FIXED || length > 16)
		return PROBE_MAYBE;
	for (size_t i = 0; i < length; i++)
		bytes[length - 1 - i] = (uint8_t)(value >> 8 * i);
	if (length == 0 || decimal_from_bytes(bytes, length) != value)
		return PROBE_NONE;
	return probe_bytes(bytes, length, hash);
}

/* -0.0 equals 0.0 but hashes otherwise. */
static enum probe probe_float(const struct leaf_column *leaf, double value,
			      uint64_t *hash)
{
	float narrow = (float)value;

	if (value != value || value == 0)
		return PROBE_MAYBE;
	if (leaf->physical == PHYSICAL_DOUBLE)
		return probe_bytes(&value, sizeof(value), hash);
	if (leaf->physical != PHYSICAL_FLOAT)
		return PROBE_MAYBE;
	if ((double)narrow != value)
		return PROBE_NONE;
	return probe_bytes(&narrow, sizeof(narrow), hash);
}

static enum probe probe_literal(const struct leaf_column *leaf,
				const struct literal *value, uint64_t *hash)
{
	switch (value->type.id) {
	case TYPE_INTEGER:
		return probe_integer(leaf, value->value.int32, hash);
	case TYPE_DATE:
		return probe_integer(leaf, value->value.int32, hash);
	case TYPE_BIGINT:
		return probe_integer(leaf, value->value.int64, hash);
	case TYPE_DECIMAL:
		return probe_decimal(leaf, value->value.decimal, hash);
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		if (leaf->logical.kind == LOGICAL_TIME ||
		    leaf->logical.kind == LOGICAL_TIMESTAMP)
			return probe_time(leaf, value->value.int64, hash);
		return PROBE_MAYBE;
	case TYPE_REAL:
		return probe_float(leaf, value->value.real, hash);
	case TYPE_DOUBLE:
		return probe_float(leaf, value->value.real64, hash);
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
	case TYPE_FIXED:
		return probe_bytes(value->value.bytes.data,
				   value->value.bytes.length, hash);
	case TYPE_UUID:
		return probe_bytes(value->value.uuid.bytes, 16, hash);
	default:
		return PROBE_MAYBE;
	}
}

bool parquet_bloom_filter_may_contain(const struct parquet_bloom_filter *f,
				      const struct literal *value)
{
	struct value_convert convert;
	uint64_t hash = 0;

	if (value->is_null ||
	    value_convert_choose(&convert, f->leaf, &value->type, NULL))
		return true;
	switch (probe_literal(f->leaf, value, &hash)) {
	case PROBE_NONE: return false;
	case PROBE_HASH: return bloom_test(&f->bits, hash);
	case PROBE_MAYBE: break;
	}
	return true;
}
