ROOM_OBJS := block_codec.o codec_lz4.o stream_codec.o varint.o bit_pack.o \
	bit_unpack.o crc.o utf8.o roaring64.o roaring_check.o
ROOM_TESTS :=
