/*
 * crc.c - CRC-32
 *
 * Why:    Puffin blobs, Avro's Snappy blocks and Parquet pages carry it.
 * How:    libdeflate, which folds by carry-less multiplication where the
 *         processor can; zlib's is four times slower.
 * Cost:   far below reading the bytes.
 * Limits: finds damage, not forgery.
 */
#include "codec/crc.h"

#include <libdeflate.h>

uint32_t crc32_of(uint32_t crc, const void *data, size_t length)
{
	/* a null pointer asks for the initial value */
	return length ? libdeflate_crc32(crc, data, length) : crc;
}
