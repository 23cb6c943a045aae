/*
 * avro_reader.c - the blocks of an Avro object container file
 *
 *	offset	size	meaning
 *	0	4	magic "Obj" 1
 *	4	v	file metadata: an Avro map of bytes
 *	.	16	sync marker
 *	then blocks until the end of the file:
 *	.	v	number of records
 *	.	v	bytes of data, as stored
 *	.	n	data, compressed by avro.codec
 *	.	16	the sync marker again
 *
 * Why:    Iceberg keeps its manifests in this container.
 * How:    the whole file is read at once: manifests are a few MB and all of
 *         it is needed. Uncompressed blocks are handed out where they lie.
 * Limits: AVRO_FILE_LIMIT_BYTES; decompression is bounded for the file as a
 *         whole, so that a small hostile file cannot fill the memory.
 */
#include "avro/avro_reader.h"

#define SYNC_BYTES 16
#define META_LIMIT 4096

struct meta_entry {
	const char *key;
	struct byte_view value;
};

struct avro_reader {
	const char *path;
	struct arena *arena;
	struct cursor cursor;
	uint8_t sync[SYNC_BYTES];
	struct meta_entry *meta;
	size_t meta_count;
	const struct avro_schema *schema;
	enum codec_id codec;
	bool has_checksum;	/* snappy: CRC-32 BE behind each block */
	struct codec_context *context;
	struct text plain;
	uint64_t plain_left;	/* bytes that may still be made */
};

static int corrupt(const struct avro_reader *reader, const char *what,
		   struct error *err)
{
	return error_set(err, ERROR_CORRUPT, "%s: Avro: %s", reader->path,
			 what);
}

static bool read_view(struct cursor *c, struct byte_view *out)
{
	int64_t length;
	const uint8_t *data;

	if (!cursor_zigzag64(c, &length) || length < 0 ||
	    (uint64_t)length > cursor_left(c) ||
	    !cursor_bytes(c, (size_t)length, &data))
		return false;
	*out = byte_view(data, (size_t)length);
	return true;
}

/* Count the entries when reader->meta is NULL, else fill them. */
static int walk_meta(struct avro_reader *reader, struct cursor *c,
		     size_t *count_out, struct error *err)
{
	size_t total = 0;

	for (;;) {
		int64_t count, size;

		if (!cursor_zigzag64(c, &count) || count == INT64_MIN ||
		    (count < 0 && !cursor_zigzag64(c, &size)))
			return corrupt(reader, "malformed header", err);
		if (count == 0)
			break;
		if (count < 0)
			count = -count;
		if (count > META_LIMIT || total + (size_t)count > META_LIMIT)
			return corrupt(reader, "too many header entries", err);
		for (int64_t i = 0; i < count; i++, total++) {
			struct byte_view key, value;

			if (!read_view(c, &key) || !read_view(c, &value))
				return corrupt(reader, "malformed header",
					       err);
			if (!reader->meta)
				continue;
			reader->meta[total].value = value;
			reader->meta[total].key = arena_strndup(reader->arena,
				(const char *)key.data, key.length);
			if (!reader->meta[total].key)
				return error_set(err, ERROR_NO_MEMORY,
						 "Avro header");
		}
	}
	*count_out = total;
	return 0;
}

struct byte_view avro_reader_meta(const struct avro_reader *reader,
				  const char *key)
{
	for (size_t i = 0; i < reader->meta_count; i++)
		if (!strcmp(reader->meta[i].key, key))
			return reader->meta[i].value;
	return byte_view(NULL, 0);
}

static int choose_codec(struct avro_reader *reader, struct error *err)
{
	static const struct {
		const char *name;
		enum codec_id codec;
	} known[] = {
		{ "null", CODEC_NONE },
		{ "deflate", CODEC_DEFLATE },
		{ "snappy", CODEC_SNAPPY },
		{ "zstandard", CODEC_ZSTD },
	};
	struct byte_view name = avro_reader_meta(reader, "avro.codec");

	reader->codec = CODEC_NONE;
	if (!name.data)
		return 0;
	for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
		if (!byte_view_equal(name, byte_view(known[i].name,
						     strlen(known[i].name))))
			continue;
		reader->codec = known[i].codec;
		reader->has_checksum = known[i].codec == CODEC_SNAPPY;
		return 0;
	}
	return error_set(err, ERROR_UNSUPPORTED, "%s: Avro codec \"%.*s\"",
			 reader->path,
			 (int)(name.length < 40 ? name.length : 40),
			 (const char *)name.data);
}

static int read_schema(struct avro_reader *reader, struct byte_view text,
		       struct avro_schema_memo *memo, struct error *err)
{
	struct avro_schema *schema;
	int rc;

	if (memo && memo->schema && byte_view_equal(text, memo->text)) {
		reader->schema = memo->schema;
		return 0;
	}
	rc = avro_schema_parse(&schema, text.data, text.length, reader->path,
			       reader->arena, err);
	if (rc)
		return rc;
	reader->schema = schema;
	if (memo)
		*memo = (struct avro_schema_memo){ text, schema };
	return 0;
}

static int read_header(struct avro_reader *reader,
		       struct avro_schema_memo *memo, struct error *err)
{
	static const uint8_t magic[4] = { 'O', 'b', 'j', 1 };
	struct cursor start;
	struct byte_view schema;
	const uint8_t *data;
	int rc;

	if (!cursor_bytes(&reader->cursor, 4, &data) ||
	    memcmp(data, magic, 4) != 0)
		return corrupt(reader, "not an Avro file", err);
	start = reader->cursor;
	rc = walk_meta(reader, &start, &reader->meta_count, err);
	if (rc)
		return rc;
	reader->meta = arena_zalloc_array(reader->arena,
					  reader->meta_count + 1,
					  sizeof(*reader->meta));
	if (!reader->meta)
		return error_set(err, ERROR_NO_MEMORY, "Avro header");
	rc = walk_meta(reader, &reader->cursor, &reader->meta_count, err);
	if (rc)
		return rc;
	if (!cursor_bytes(&reader->cursor, SYNC_BYTES, &data))
		return corrupt(reader, "the header is cut short", err);
	memcpy(reader->sync, data, SYNC_BYTES);
	schema = avro_reader_meta(reader, "avro.schema");
	if (!schema.data)
		return corrupt(reader, "no avro.schema", err);
	rc = read_schema(reader, schema, memo, err);
	return rc ? rc : choose_codec(reader, err);
}

int avro_reader_open(struct avro_reader **out, struct input_file *file,
		     struct avro_schema_memo *memo, struct arena *arena,
		     struct error *err)
{
	uint64_t size = input_file_size(file);
	struct avro_reader *reader;
	uint8_t *data;
	int rc;

	*out = NULL;
	if (size > AVRO_FILE_LIMIT_BYTES)
		return error_set(err, ERROR_CORRUPT,
				 "%s: %llu bytes are too many for an Avro "
				 "file", input_file_path(file),
				 (unsigned long long)size);
	reader = mem_zalloc(sizeof(*reader));
	if (!reader)
		return error_set(err, ERROR_NO_MEMORY, "Avro reader");
	reader->arena = arena;
	reader->plain_left = AVRO_PLAIN_LIMIT_BYTES + size * AVRO_EXPANSION;
	reader->path = arena_strdup(arena, input_file_path(file));
	data = arena_alloc(arena, (size_t)size);
	rc = reader->path && data ? 0 : error_set(err, ERROR_NO_MEMORY,
						  "Avro file of %llu bytes",
						  (unsigned long long)size);
	if (!rc)
		rc = input_file_read(file, 0, data, (size_t)size, err);
	if (!rc) {
		reader->cursor = cursor_of(data, (size_t)size);
		rc = read_header(reader, memo, err);
	}
	if (rc) {
		avro_reader_free(reader);
		return rc;
	}
	*out = reader;
	return 0;
}

void avro_reader_free(struct avro_reader *reader)
{
	if (!reader)
		return;
	codec_context_free(reader->context);
	text_release(&reader->plain);
	mem_free(reader);
}

const struct avro_schema *avro_reader_schema(const struct avro_reader *reader)
{
	return reader->schema;
}

static uint32_t adler32_of(const void *data, size_t length)
{
	const uint8_t *bytes = data;
	uint64_t a = 1, b = 0;

	for (size_t i = 0; i < length; i++) {
		a += bytes[i];
		b += a;
		if (i % 4096 == 4095) {
			a %= 65521;
			b %= 65521;
		}
	}
	return (uint32_t)((b % 65521) << 16 | a % 65521);
}

/*
 * PyIceberg makes its deflate data from a zlib stream and leaves the
 * first three bytes of that stream's checksum behind it.
 */
static int inflate_with_tail(struct avro_reader *reader,
			     struct byte_view data, struct error *err)
{
	struct text *plain = &reader->plain;
	struct error ignored;
	uint8_t checksum[4];
	int rc;

	rc = codec_decompress_text(reader->context, reader->codec, data.data,
				   data.length, (size_t)reader->plain_left,
				   plain, err);
	if (rc != ERROR_CORRUPT || reader->codec != CODEC_DEFLATE ||
	    data.length < 3)
		return rc;
	text_reset(plain);
	if (codec_decompress_text(reader->context, reader->codec, data.data,
				  data.length - 3, (size_t)reader->plain_left,
				  plain, &ignored))
		return rc;
	store_be32(checksum, adler32_of(plain->data, plain->length));
	return memcmp(checksum, data.data + data.length - 3, 3) ? rc : 0;
}

static int decompress(struct avro_reader *reader, struct byte_view data,
		      struct cursor *out, struct error *err)
{
	uint32_t checksum = 0;
	uint8_t *copy;
	int rc;

	if (reader->has_checksum) {
		if (data.length < 4)
			return corrupt(reader, "no block checksum", err);
		data.length -= 4;
		checksum = load_be32(data.data + data.length);
	}
	if (!reader->context) {
		rc = codec_context_new(&reader->context, err);
		if (rc)
			return rc;
	}
	text_reset(&reader->plain);
	rc = inflate_with_tail(reader, data, err);
	if (rc)
		return error_prefix(err, "%s: Avro block", reader->path);
	reader->plain_left -= reader->plain.length;
	if (reader->has_checksum &&
	    crc32_of(0, reader->plain.data, reader->plain.length) != checksum)
		return corrupt(reader, "a block checksum differs", err);
	copy = arena_copy(reader->arena, reader->plain.data,
			  reader->plain.length);
	if (!copy)
		return error_set(err, ERROR_NO_MEMORY, "Avro block");
	*out = cursor_of(copy, reader->plain.length);
	return 0;
}

int avro_reader_next(struct avro_reader *reader, struct cursor *out,
		     size_t *count_out, struct error *err)
{
	struct byte_view data;
	const uint8_t *sync;
	int64_t count;
	int rc;

	*count_out = 0;
	*out = cursor_of("", 0);
	for (;;) {
		if (cursor_left(&reader->cursor) == 0)
			return 0;
		if (!cursor_zigzag64(&reader->cursor, &count) || count < 0 ||
		    !read_view(&reader->cursor, &data) ||
		    !cursor_bytes(&reader->cursor, SYNC_BYTES, &sync))
			return corrupt(reader, "a block is cut short", err);
		if (memcmp(sync, reader->sync, SYNC_BYTES) != 0)
			return corrupt(reader, "a sync marker differs", err);
		if (count > 0)
			break;
		if (data.length && reader->codec == CODEC_NONE)
			return corrupt(reader, "bytes without records", err);
	}
	if (reader->codec == CODEC_NONE) {
		*out = cursor_of(data.data, data.length);
	} else {
		rc = decompress(reader, data, out, err);
		if (rc)
			return rc;
	}
	if (reader->schema->is_empty || (uint64_t)count > cursor_left(out))
		return corrupt(reader, "more records than bytes", err);
	*count_out = (size_t)count;
	return 0;
}
