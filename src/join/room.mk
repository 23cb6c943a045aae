ROOM_OBJS := row_store.o origin_list.o join_build.o join_probe.o join_spill.o
ROOM_TESTS :=
