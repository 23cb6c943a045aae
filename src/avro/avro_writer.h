#ifndef AVRO_AVRO_WRITER_H
#define AVRO_AVRO_WRITER_H
#include "codec/codec.h"

/*
 * Writes an Avro object container file into a text. Records are encoded into
 * writer.block (avro/avro_encode.h) and each is ended by end_record. Plain
 * storage of the caller, released after finish or failure.
 *
 * A file of one small block is stored as it is (avro.codec null), a bigger
 * one is deflated; so both read everywhere (iceberg.md 6).
 */
#define AVRO_BLOCK_BYTES (64u << 10)

struct avro_writer {
	struct text *out;	/* kept */
	struct text header;	/* file metadata entries */
	size_t header_count;
	struct text block;	/* records of the open block, encoded */
	size_t record_count;	/* in it */
	bool started;		/* header is out, blocks are deflated */
	uint8_t sync[16];
	struct text packed;
	struct codec_context *context;
};

/* schema: the Avro JSON. out is kept and appended to. Errors: ERROR_IO (no
 * random bytes), ERROR_NO_MEMORY. */
int avro_writer_init(struct avro_writer *writer, struct text *out,
		     const char *schema, struct error *err);
/* Before the first record ends. */
int avro_writer_meta(struct avro_writer *writer, const char *key,
		     const char *value, struct error *err);
int avro_writer_number(struct avro_writer *writer, const char *key,
		       int64_t value, struct error *err);
/* Errors: ERROR_NO_MEMORY, also for what went into block. */
int avro_writer_end_record(struct avro_writer *writer, struct error *err);
int avro_writer_finish(struct avro_writer *writer, struct error *err);
void avro_writer_release(struct avro_writer *writer);
#endif
