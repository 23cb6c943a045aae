ROOM_OBJS := error.o error_list.o mem.o arena.o text.o bitmap.o hash.o uuid.o clock.o \
	interrupt.o thread_pool.o log.o cpu.o
ROOM_TESTS := check_error check_error_list check_mem check_arena check_text check_bitmap \
	check_hash check_uuid check_thread_pool check_cpu
