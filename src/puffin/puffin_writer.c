/*
 * puffin_writer.c - Puffin files of deletion vectors
 *
 *	offset	size	meaning
 *	0	4	magic "PFA1"
 *	4	n	blobs, back to back
 *	.	4	magic: the footer starts
 *	.	m	footer payload: JSON that lists the blobs
 *	.	4 LE	m
 *	.	4	flags, 0: the payload is not compressed
 *	.	4	magic
 *
 * Why:    format version 3 keeps deleted positions here. One file per commit
 *         with one blob per data file is what every reader accepts.
 * How:    blobs are written as they come, the footer's JSON grows beside.
 */
#include <inttypes.h>
#include "puffin/puffin.h"
#include "puffin/deletion_vector.h"

/* Field id of the row position, which the vector is about. */
#define POSITION_FIELD_ID 2147483645

struct puffin_writer {
	struct output_file *file;
	struct text footer;	/* JSON so far */
	struct text blob;
	size_t blob_count;
	const char *created_by;	/* owned */
};

int puffin_writer_new(struct puffin_writer **out, struct output_file *file,
		      const char *created_by, struct error *err)
{
	struct puffin_writer *writer;
	int rc;

	*out = NULL;
	writer = mem_zalloc(sizeof(*writer));
	if (!writer)
		return error_set(err, ERROR_NO_MEMORY, "Puffin writer");
	writer->file = file;
	writer->created_by = mem_strdup(created_by);
	if (!writer->created_by) {
		rc = error_set(err, ERROR_NO_MEMORY, "Puffin writer");
		goto fail;
	}
	text_add_str(&writer->footer, "{\"blobs\":[");
	rc = output_file_write(file, PUFFIN_MAGIC, PUFFIN_MAGIC_BYTES, err);
	if (rc)
		goto fail;
	*out = writer;
	return 0;

fail:
	puffin_writer_free(writer);
	return rc;
}

void puffin_writer_free(struct puffin_writer *writer)
{
	if (!writer)
		return;
	text_release(&writer->footer);
	text_release(&writer->blob);
	mem_free((char *)writer->created_by);
	mem_free(writer);
}

static int add_to_footer(struct puffin_writer *writer,
			 const struct puffin_blob *blob, const char *path,
			 struct error *err)
{
	struct text *json = &writer->footer;

	if (writer->blob_count++)
		text_add_char(json, ',');
	text_addf(json, "{\"type\":\"deletion-vector-v1\",\"fields\":[%d],"
		  "\"snapshot-id\":-1,\"sequence-number\":-1,\"offset\":%"
		  PRIu64 ",\"length\":%" PRIu64 ",\"properties\":{"
		  "\"referenced-data-file\":", POSITION_FIELD_ID,
		  blob->offset, blob->length);
	text_add_json(json, path, strlen(path));
	text_addf(json, ",\"cardinality\":\"%" PRIu64 "\"}}",
		  blob->cardinality);
	if (json->failed)
		return error_set(err, ERROR_NO_MEMORY, "Puffin footer");
	return 0;
}

int puffin_writer_add_vector(struct puffin_writer *writer,
			     struct roaring64 *positions,
			     const char *referenced_data_file,
			     struct puffin_blob *out, struct error *err)
{
	struct puffin_blob blob;
	int rc;

	memset(out, 0, sizeof(*out));
	blob.cardinality = roaring64_cardinality(positions);
	if (blob.cardinality == 0)
		return error_set(err, ERROR_INTERNAL,
				 "an empty deletion vector for %s",
				 referenced_data_file);
	/* the footer is JSON, and the path must come back byte for byte */
	if (!utf8_is_valid(referenced_data_file, strlen(referenced_data_file)))
		return error_set(err, ERROR_UNSUPPORTED,
				 "a data file whose path is not UTF-8: %s",
				 referenced_data_file);
	text_reset(&writer->blob);
	rc = deletion_vector_encode(positions, &writer->blob, err);
	if (rc)
		return rc;
	blob.offset = output_file_offset(writer->file);
	blob.length = writer->blob.length;
	rc = output_file_write(writer->file, writer->blob.data,
			       writer->blob.length, err);
	if (!rc)
		rc = add_to_footer(writer, &blob, referenced_data_file, err);
	if (rc)
		return rc;
	*out = blob;
	return 0;
}

int puffin_writer_finish(struct puffin_writer *writer, struct error *err)
{
	struct text *json = &writer->footer;
	uint8_t tail[12];
	int rc;

	text_add_str(json, "],\"properties\":{\"created-by\":");
	text_add_json(json, writer->created_by, strlen(writer->created_by));
	text_add_str(json, "}}");
	if (json->failed)
		return error_set(err, ERROR_NO_MEMORY, "Puffin footer");
	if (json->length > INT32_MAX)
		return error_set(err, ERROR_UNSUPPORTED,
				 "a Puffin footer of %zu bytes", json->length);
	store_le32(tail, (uint32_t)json->length);
	store_le32(tail + 4, 0);
	memcpy(tail + 8, PUFFIN_MAGIC, PUFFIN_MAGIC_BYTES);
	rc = output_file_write(writer->file, PUFFIN_MAGIC, PUFFIN_MAGIC_BYTES,
			       err);
	if (!rc)
		rc = output_file_write(writer->file, json->data, json->length,
				       err);
	if (!rc)
		rc = output_file_write(writer->file, tail, sizeof(tail), err);
	return rc ? rc : output_file_flush(writer->file, err);
}
