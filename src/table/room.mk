ROOM_OBJS := table_open.o table_create.o table_replace.o table_stage.o table_properties.o \
	table_alter.o table_layout.o table_nulls.o table_relocate.o relocate_manifests.o \
	table_source.o table_history.o update_cost.o fold.o target_evolve.o iceberg_target.o
ROOM_TESTS := check_table_scan check_scan_deletes check_nested_scan check_public_tables \
	check_table_create check_table_alter check_target_evolve check_iceberg_target check_target_conflict check_foreign_table
ROOM_TESTS += check_partition_target check_lazy_manifests
ROOM_OBJS += target_layout.o
