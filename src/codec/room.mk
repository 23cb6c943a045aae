ROOM_OBJS := block_codec.o snappy_library.o codec_lz4.o stream_codec.o varint.o \
	bit_pack.o bit_unpack.o crc.o utf8.o roaring64.o roaring_check.o json_reader.o
ROOM_TESTS := check_varint check_bit_pack check_utf8 check_roaring64 \
	check_block_codec check_stream_codec check_json_reader
