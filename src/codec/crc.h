#ifndef CODEC_CRC_H
#define CODEC_CRC_H
#include <stddef.h>
#include <stdint.h>

/* CRC-32 (zlib polynomial) of data; start with 0, pass the last result on. */
uint32_t crc32_of(uint32_t crc, const void *data, size_t length);
#endif
