/*
 * crc.c - CRC-32
 *
 * Why:    Puffin blobs, Avro's Snappy blocks and Parquet pages carry it.
 * How:    zlib, in steps that fit its 32-bit lengths.
 * Cost:   about 1 GB/s.
 * Limits: finds damage, not forgery.
 */
#include "codec/crc.h"

#include <zlib.h>

uint32_t crc32_of(uint32_t crc, const void *data, size_t length)
{
	/* zlib takes a null pointer as a request for the initial value */
	return length ? (uint32_t)crc32_z(crc, data, length) : crc;
}
