ROOM_OBJS := metadata_evolve.o column_place.o schema_evolution.o type_promotion.o \
	default_value.o transform_term.o partition_evolution.o sort_evolution.o \
	column_properties.o name_mapping.o
ROOM_TESTS := check_schema_evolution check_layout_evolution
