ROOM_OBJS := target_ops.o query_plan.o
ROOM_TESTS := check_target_ops
