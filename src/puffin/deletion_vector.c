/*
 * deletion_vector.c - the blob deletion-vector-v1
 *
 *	offset	size	meaning
 *	0	4 BE	length of magic and bitmap: L
 *	4	4	magic D1 D3 39 64
 *	8	L - 4	bitmap (codec/roaring64.h)
 *	L + 4	4 BE	CRC-32 of magic and bitmap
 *
 * Why:    a deleted row must stay deleted in every engine, so all that the
 *         blob says about itself is checked before it is believed.
 */
#include "puffin/deletion_vector.h"

#define VECTOR_OVERHEAD 12

static const uint8_t vector_magic[4] = { 0xd1, 0xd3, 0x39, 0x64 };

int deletion_vector_encode(struct roaring64 *positions, struct text *out,
			   struct error *err)
{
	size_t start = out->length, length;
	uint8_t word[4] = { 0, 0, 0, 0 };
	int rc;

	text_add(out, word, 4);
	text_add(out, vector_magic, 4);
	rc = roaring64_serialize(positions, out, err);
	if (rc)
		return rc;
	if (out->failed)
		return error_set(err, ERROR_NO_MEMORY, "deletion vector");
	length = out->length - start - 4;
	if (length > INT32_MAX)
		return error_set(err, ERROR_UNSUPPORTED,
				 "a deletion vector of %zu bytes", length);
	store_be32(out->data + start, (uint32_t)length);
	store_be32(word, crc32_of(0, out->data + start + 4, length));
	if (!text_add(out, word, 4))
		return error_set(err, ERROR_NO_MEMORY, "deletion vector");
	return 0;
}

int deletion_vector_decode(struct roaring64 **out, const uint8_t *blob,
			   size_t length, const char *name,
			   struct error *err)
{
	int rc;

	*out = NULL;
	if (length < VECTOR_OVERHEAD || load_be32(blob) != length - 8)
		return error_set(err, ERROR_CORRUPT,
				 "%s: the length of a deletion vector differs",
				 name);
	if (memcmp(blob + 4, vector_magic, 4) != 0)
		return error_set(err, ERROR_CORRUPT,
				 "%s: not a deletion vector", name);
	if (crc32_of(0, blob + 4, length - 8) != load_be32(blob + length - 4))
		return error_set(err, ERROR_CORRUPT,
				 "%s: the checksum of a deletion vector "
				 "differs", name);
	rc = roaring64_deserialize(out, blob + 8, length - VECTOR_OVERHEAD,
				   err);
	return rc ? error_prefix(err, "%s: deletion vector", name) : 0;
}
