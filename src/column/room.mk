ROOM_OBJS := type.o literal.o vector.o selection.o schema.o batch.o \
	vector_gather.o
ROOM_TESTS :=
