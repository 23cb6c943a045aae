ROOM_OBJS := aggregate.o aggregate_list.o aggregate_number.o aggregate_slots.o \
	aggregate_sum.o aggregate_value.o bound_set.o exact_sum.o expr_compile.o expr_fold.o expr_node.o expr_run.o \
	function_more.o function_nested.o function_table.o function_types.o \
	kernel_arith.o kernel_binary.o kernel_digest.o kernel_number.o \
	kernel_regex.o kernel_split.o kernel_text_more.o kernel_time_text.o \
	kernel_try.o kernel_zone.o time_format.o time_read.o \
	kernel_cast.o kernel_cast_text.o kernel_cast_time.o kernel_compare.o \
	kernel_like.o kernel_logic.o kernel_math.o kernel_nested.o \
	kernel_nested_cast.o kernel_nested_compare.o kernel_nested_list.o \
	kernel_text.o kernel_time.o literal_set.o stat_bounds.o stat_match.o text_case.o \
	type_coerce.o
ROOM_TESTS := check_aggregate check_exact_sum check_functions check_time_format \
	check_expr_compile check_expr_fold check_expr_node \
	check_expr_run check_function_table check_kernel_arith \
	check_kernel_cast check_kernel_compare check_kernel_like \
	check_kernel_logic check_kernel_math check_kernel_text \
	check_kernel_time check_nested_expr check_stat_bounds
