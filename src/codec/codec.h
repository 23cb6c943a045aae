#ifndef CODEC_CODEC_H
#define CODEC_CODEC_H
/*
 * codec: bytes to bytes. Block and stream compression behind one face, and
 * the small integer, checksum and text codes that the file formats share.
 * It knows no file format.
 */
#include "codec/block_codec.h"
#include "codec/stream_codec.h"
#include "codec/varint.h"
#include "codec/bit_pack.h"
#include "codec/crc.h"
#include "codec/utf8.h"
#include "codec/roaring64.h"
#include "codec/json_plain.h"
#include "codec/json_reader.h"
#endif
