ROOM_OBJS := iceberg_target.o fold.o table_open.o table_create.o table_replace.o table_properties.o \
	table_source.o table_history.o
ROOM_TESTS := check_table_scan
