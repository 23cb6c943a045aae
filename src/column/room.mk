ROOM_OBJS := type.o literal.o vector.o selection.o schema.o batch.o \
	vector_gather.o vector_compare.o vector_hash.o decimal128.o \
	civil_date.o power_table.o number_scan.o value_parse.o \
	value_parse_double.o value_parse_time.o time_zone.o shortest_decimal.o value_format.o \
	ordered_bytes.o nested_pack.o nested_unpack.o nested_compare.o nested_format.o
ROOM_TESTS := check_type check_literal check_vector check_schema check_batch \
	check_vector_gather check_vector_compare check_vector_hash \
	check_decimal128 check_civil_date check_shortest_decimal \
	check_value_parse check_value_parse_double check_value_parse_time \
	check_time_zone 	check_value_format check_ordered_bytes check_nested
