ROOM_OBJS := source_open.o csv_source.o csv_split.o csv_header.o csv_chunk.o \
	csv_scan.o csv_reader.o csv_record.o reject_log.o text_encoding.o \
	time_pattern.o value_rewrite.o view_convert.o json_columns.o \
	parquet_input.o parquet_source.o \
	type_infer.o schema_infer.o json_infer.o \
	csv_extract.o csv_convert.o byte_input.o \
	row_format.o csv_format.o jsonl_format.o \
	json_value.o json_rows.o debezium.o json_names.o
ROOM_TESTS := check_source_open check_csv_source check_csv_differential \
	check_csv_scan check_byte_input check_csv_format check_csv_convert \
	check_json_value check_jsonl_source check_json_columns \
	check_parquet_source check_csv_rejects check_csv_spelling \
	check_csv_dialects check_debezium
