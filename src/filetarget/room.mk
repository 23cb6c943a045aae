ROOM_OBJS := file_target.o file_changes.o csv_target.o csv_records.o \
	csv_dialect.o parquet_target.o parquet_rows.o
ROOM_TESTS := check_file_target check_csv_dialect
