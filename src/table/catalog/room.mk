ROOM_OBJS := catalog_version.o catalog_open.o catalog_path.o catalog_pin.o \
	catalog_swap.o catalog_owner.o commit_record.o record_log.o
ROOM_TESTS := check_catalog
