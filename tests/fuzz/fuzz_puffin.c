/*
 * fuzz_puffin.c - any bytes as a Puffin file, and as a deletion vector
 *
 * Input:  the bytes of a file. The vector is looked for behind the magic; a
 *         vector with a right length and checksum is put around the bytes as
 *         well, since a fuzzer does not guess a CRC.
 */
#include <stdlib.h>
#include "puffin/puffin.h"
#include "puffin/deletion_vector.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

/* What was accepted is written and read again as the same set. */
static void check_set(struct roaring64 *set)
{
	struct roaring64 *again;
	struct text bytes = TEXT_INIT;
	struct error err;

	if (deletion_vector_encode(set, &bytes, &err) ||
	    deletion_vector_decode(&again, (const uint8_t *)bytes.data,
				   bytes.length, "again", &err))
		abort();
	if (roaring64_cardinality(again) != roaring64_cardinality(set))
		abort();
	roaring64_free(again);
	text_release(&bytes);
}

static void read_file(const uint8_t *data, size_t length)
{
	struct input_file *file;
	struct roaring64 *set;
	struct error err;

	error_init(&err);
	if (input_file_memory(&file, "fuzz", data, length, &err))
		abort();
	if (!deletion_vector_read(&set, file, 4, length > 24 ? length - 24 : 0,
				  1, &err)) {
		check_set(set);
		roaring64_free(set);
	} else if (!err.text[0]) {
		abort();
	}
	input_file_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	static const uint8_t magic[4] = { 0xd1, 0xd3, 0x39, 0x64 };
	struct roaring64 *set;
	struct error err;
	uint8_t *blob;

	read_file(data, length);
	if (length > INT32_MAX)
		return 0;
	blob = malloc(length + 12);
	if (!blob)
		return 0;
	store_be32(blob, (uint32_t)length + 4);
	memcpy(blob + 4, magic, 4);
	if (length)
		memcpy(blob + 8, data, length);
	store_be32(blob + 8 + length, crc32_of(0, blob + 4, length + 4));
	if (!deletion_vector_decode(&set, blob, length + 12, "fuzz", &err)) {
		check_set(set);
		roaring64_free(set);
	}
	free(blob);
	return 0;
}
