ROOM_OBJS := query_run.o scan_filter.o project.o query_values.o \
	set_operation.o
ROOM_TESTS := check_query
