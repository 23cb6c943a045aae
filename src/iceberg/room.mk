ROOM_OBJS := transform.o transform_vector.o single_value.o data_file.o \
	literal_json.o \
	type_json.o schema_json.o schema_format.o metadata_parse.o \
	snapshot_json.o partition_spec.o metadata_check.o metadata_format.o \
	table_metadata.o metadata_change.o metadata_new.o metadata_expire.o \
	manifest_schema.o manifest_list.o partition_value.o manifest_reader.o \
	manifest_writer.o safe_name.o
ROOM_TESTS := check_transform check_transform_vector check_single_value \
	check_schema_json check_table_metadata \
	check_metadata_change check_manifest
