ROOM_OBJS := thrift_compact.o footer.o footer_write.o page_header.o \
	parquet_schema.o encode_plain.o encode_rle.o encode_delta.o \
	encode_delta_bytes.o encode_dictionary.o encode_split.o \
	value_convert.o page_reader.o page_decode.o chunk_reader.o \
	parquet_reader.o column_stats.o page_index.o bloom_filter.o \
	page_stats.o page_writer.o chunk_writer.o chunk_pages.o \
	parquet_encoder.o page_index_write.o parquet_writer.o \
	write_schema.o chunk_levels.o nested_shred.o parquet_tree.o \
	level_reader.o nested_leaf.o nested_assemble.o nested_reader.o \
	nested_keys.o parquet_tops.o parquet_patch.o patch_finish.o
ROOM_TESTS := check_thrift_compact check_parquet_encodings \
	check_bloom_filter check_parquet_file check_parquet_foreign \
	check_parquet_nested check_parquet_patch
