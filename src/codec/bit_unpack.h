#ifndef CODEC_BIT_UNPACK_H
#define CODEC_BIT_UNPACK_H
#include "codec/bit_pack.h"

/* bit_unpack32() as it is on a machine without AVX2. */
void bit_unpack32_plain(const uint8_t *in, unsigned width, size_t count,
			uint32_t *out);
#endif
