ROOM_OBJS := avro_schema.o avro_decode.o avro_encode.o avro_reader.o \
	avro_writer.o
ROOM_TESTS := check_avro_schema check_avro_reader
