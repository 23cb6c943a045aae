/*
 * avro_writer.c - Avro object container files (layout in avro_reader.c)
 *
 * Why:    a table that takes a small merge every minute writes two small Avro
 *         files each time; compressing them costs more than it saves, since a
 *         file takes whole disk pages.
 * How:    the header waits until the first block is full. If the file ends
 *         before, it is one block, stored plain; else all are deflated, fast.
 * Cost:   plain about a byte per ns; deflated about 100 MB/s.
 */
#include <inttypes.h>
#include <stdio.h>
#include "avro/avro_writer.h"
#include "avro/avro_encode.h"

#define DEFLATE_LEVEL 1

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "Avro writer");
}

int avro_writer_meta(struct avro_writer *writer, const char *key,
		     const char *value, struct error *err)
{
	avro_put_string(&writer->header, key);
	avro_put_string(&writer->header, value);
	writer->header_count++;
	return writer->header.failed ? no_memory(err) : 0;
}

int avro_writer_number(struct avro_writer *writer, const char *key,
		       int64_t value, struct error *err)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%" PRId64, value);
	return avro_writer_meta(writer, key, digits, err);
}

int avro_writer_init(struct avro_writer *writer, struct text *out,
		     const char *schema, struct error *err)
{
	struct uuid sync;
	int rc;

	memset(writer, 0, sizeof(*writer));
	writer->out = out;
	rc = uuid_random(&sync, err);
	if (rc)
		return rc;
	memcpy(writer->sync, sync.bytes, sizeof(writer->sync));
	return avro_writer_meta(writer, "avro.schema", schema, err);
}

void avro_writer_release(struct avro_writer *writer)
{
	text_release(&writer->header);
	text_release(&writer->block);
	text_release(&writer->packed);
	codec_context_free(writer->context);
	writer->context = NULL;
}

static int write_header(struct avro_writer *writer, const char *codec,
			struct error *err)
{
	int rc = avro_writer_meta(writer, "avro.codec", codec, err);

	if (rc)
		return rc;
	text_add(writer->out, "Obj\1", 4);
	text_add_zigzag(writer->out, (int64_t)writer->header_count);
	text_add(writer->out, writer->header.data, writer->header.length);
	text_add_zigzag(writer->out, 0);
	text_add(writer->out, writer->sync, sizeof(writer->sync));
	return writer->out->failed ? no_memory(err) : 0;
}

static int write_block(struct avro_writer *writer, const struct text *data,
		       struct error *err)
{
	text_add_zigzag(writer->out, (int64_t)writer->record_count);
	avro_put_bytes(writer->out, data->data, data->length);
	text_add(writer->out, writer->sync, sizeof(writer->sync));
	text_reset(&writer->block);
	writer->record_count = 0;
	return writer->out->failed ? no_memory(err) : 0;
}

static int deflate_block(struct avro_writer *writer, struct error *err)
{
	int rc = 0;

	if (!writer->started) {
		rc = codec_context_new(&writer->context, err);
		if (!rc)
			rc = write_header(writer, "deflate", err);
		writer->started = true;
	}
	if (rc)
		return rc;
	text_reset(&writer->packed);
	rc = codec_compress(writer->context, CODEC_DEFLATE, DEFLATE_LEVEL,
			    writer->block.data, writer->block.length,
			    &writer->packed, err);
	return rc ? rc : write_block(writer, &writer->packed, err);
}

int avro_writer_end_record(struct avro_writer *writer, struct error *err)
{
	if (writer->block.failed)
		return no_memory(err);
	writer->record_count++;
	if (writer->block.length < AVRO_BLOCK_BYTES)
		return 0;
	return deflate_block(writer, err);
}

int avro_writer_finish(struct avro_writer *writer, struct error *err)
{
	int rc;

	if (writer->started)
		return writer->record_count ? deflate_block(writer, err) : 0;
	rc = write_header(writer, "null", err);
	if (!rc && writer->record_count)
		rc = write_block(writer, &writer->block, err);
	return rc;
}
