ROOM_OBJS := main.o options.o report.o names.o relations.o csv_relation.o parquet_relation.o \
	file_relation.o input_options.o input_columns.o rejects.o outputs.o statement.o \
	create_fill.o create_like.o summary.o shape.o changes.o row_output.o parquet_output.o cmd_merge.o \
	cmd_sql.o cmd_explain.o \
	cmd_create.o cmd_alter.o cmd_load.o cmd_cat.o cmd_log.o cmd_show.o show_layout.o
ROOM_TESTS :=
