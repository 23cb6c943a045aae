ROOM_OBJS := row_store.o origin_list.o join_build.o join_probe.o join_spill.o \
	row_block.o
ROOM_TESTS := check_row_store check_join_probe check_join_spill
