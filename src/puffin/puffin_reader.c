/*
 * puffin_reader.c - one deletion vector out of a Puffin file
 *
 * Why:    a scan knows the place of a vector from its manifest entry; the
 *         footer would only repeat it.
 * How:    three small reads and the blob. The magic at both ends is checked
 *         because some writers left bare blobs, which no other engine reads.
 * Cost:   reads the blob only, whatever else the file holds.
 */
#include <inttypes.h>
#include "puffin/puffin.h"
#include "puffin/deletion_vector.h"

static int check_magic(struct input_file *file, uint64_t offset,
		       struct error *err)
{
	char magic[PUFFIN_MAGIC_BYTES];
	int rc;

	rc = input_file_read(file, offset, magic, sizeof(magic), err);
	if (rc)
		return rc;
	if (memcmp(magic, PUFFIN_MAGIC, sizeof(magic)) != 0)
		return error_set(err, ERROR_CORRUPT, "%s: not a Puffin file",
				 input_file_path(file));
	return 0;
}

static int check_file(struct input_file *file, uint64_t offset,
		      uint64_t length, struct error *err)
{
	uint64_t size = input_file_size(file), footer = PUFFIN_MIN_BYTES - 4;
	int rc;

	if (size < PUFFIN_MIN_BYTES)
		return error_set(err, ERROR_CORRUPT, "%s: not a Puffin file",
				 input_file_path(file));
	if (offset < PUFFIN_MAGIC_BYTES || length > size ||
	    offset > size - length || size - length - offset < footer)
		return error_set(err, ERROR_CORRUPT,
				 "%s: deletion vector at %" PRIu64 " of %"
				 PRIu64 " bytes leaves the blobs of a file of "
				 "%" PRIu64 " bytes", input_file_path(file),
				 offset, length, size);
	rc = check_magic(file, 0, err);
	return rc ? rc : check_magic(file, size - PUFFIN_MAGIC_BYTES, err);
}

int deletion_vector_read(struct roaring64 **out, struct input_file *file,
			 uint64_t offset, uint64_t length,
			 uint64_t cardinality, struct error *err)
{
	struct roaring64 *set = NULL;
	uint8_t *blob;
	int rc;

	*out = NULL;
	rc = check_file(file, offset, length, err);
	if (rc)
		return rc;
	blob = mem_alloc((size_t)length + 1);
	if (!blob)
		return error_set(err, ERROR_NO_MEMORY,
				 "deletion vector of %" PRIu64 " bytes",
				 length);
	rc = input_file_read(file, offset, blob, (size_t)length, err);
	if (!rc)
		rc = deletion_vector_decode(&set, blob, (size_t)length,
					    input_file_path(file), err);
	mem_free(blob);
	if (rc)
		return rc;
	if (roaring64_cardinality(set) != cardinality) {
		rc = error_set(err, ERROR_CORRUPT,
			       "%s: deletion vector of %" PRIu64 " rows, the "
			       "manifest says %" PRIu64, input_file_path(file),
			       roaring64_cardinality(set), cardinality);
		roaring64_free(set);
		return rc;
	}
	*out = set;
	return 0;
}
