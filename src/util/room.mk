ROOM_OBJS := error.o mem.o arena.o text.o bitmap.o hash.o uuid.o clock.o \
	interrupt.o thread_pool.o log.o
ROOM_TESTS :=
