ROOM_OBJS := snapshot_files.o path_index.o delete_index.o delete_load.o \
	name_map.o column_source.o file_column.o file_filter.o group_filter.o \
	table_scan.o table_stream.o stream_column.o equality_group.o equality_delete.o \
	scan_explain.o manifest_scope.o
ROOM_TESTS :=
