ROOM_OBJS := deletion_vector.o puffin_reader.o puffin_writer.o
ROOM_TESTS := check_puffin
