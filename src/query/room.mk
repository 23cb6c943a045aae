ROOM_OBJS := query_run.o plan_shape.o query_drain.o expr_list.o scan_filter.o \
	project.o query_values.o set_operation.o row_pile.o sort_encode.o \
	row_sorter.o first_rows.o sorter_first.o sorter_read.o \
	sort_source.o shared_source.o \
	join_source.o join_part.o join_match.o join_stream.o \
	group_table.o group_match.o group_set.o group_union.o \
	aggregate_source.o aggregate_stream.o aggregate_sorted.o \
	window_source.o window_page.o window_compute.o window_aggregate.o
ROOM_TESTS := check_query check_sort_source check_join_source \
	check_group_match check_aggregate_source check_window_source \
	check_first_rows
