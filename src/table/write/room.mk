ROOM_OBJS := fragment.o file_layout.o file_metrics.o rolling_file.o \
	row_sink.o field_place.o partition_path.o partition_map.o \
	partition_router.o new_files.o sort_key.o sort_buffer.o \
	sort_run.o sort_merge.o delete_map.o update_log.o update_map.o \
	patch_plan.o patch_write.o patch_files.o change_writer.o \
	write_context.o write_deletes.o rewrite_files.o relocate_deletes.o
ROOM_TESTS := check_sort_files check_fragment check_change_writer check_update_map
