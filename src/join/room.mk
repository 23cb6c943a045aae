ROOM_OBJS := row_store.o join_build.o join_probe.o join_spill.o
ROOM_TESTS :=
