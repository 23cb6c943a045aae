#ifndef AVRO_AVRO_READER_H
#define AVRO_AVRO_READER_H
#include "avro/avro_schema.h"
#include "codec/codec.h"
#include "io/io.h"

/*
 * Reads an Avro object container file, codecs null, deflate, snappy and
 * zstandard. Everything that it hands out lives in the arena, so values may
 * point into it; only the reader itself is freed.
 */
struct avro_reader;

#define AVRO_FILE_LIMIT_BYTES (UINT64_C(1) << 30)
/* Decompressed bytes of a file: this and AVRO_EXPANSION times its size. */
#define AVRO_PLAIN_LIMIT_BYTES (UINT64_C(64) << 20)
#define AVRO_EXPANSION 256

/*
 * The schema of the file that was read last into an arena. Files of one kind
 * mostly have the same, and to parse it can cost more than all that follows.
 */
struct avro_schema_memo {
	struct byte_view text;
	const struct avro_schema *schema;	/* NULL at first */
};

/*
 * Read the file and its header. file is needed by the call only, arena is
 * kept; memo, if not NULL, belongs to the arena. Errors: ERROR_CORRUPT,
 * ERROR_UNSUPPORTED (codec), ERROR_IO.
 */
int avro_reader_open(struct avro_reader **out, struct input_file *file,
		     struct avro_schema_memo *memo, struct arena *arena,
		     struct error *err);
void avro_reader_free(struct avro_reader *reader);
const struct avro_schema *avro_reader_schema(const struct avro_reader *reader);
/* A key of the file metadata; data NULL when it is absent. */
struct byte_view avro_reader_meta(const struct avro_reader *reader,
				  const char *key);
/*
 * The next block of records, *count_out of them; 0 at the end. A block is
 * used up when the cursor is at its end after count records; that is the
 * caller's to check.
 */
int avro_reader_next(struct avro_reader *reader, struct cursor *out,
		     size_t *count_out, struct error *err);
#endif
