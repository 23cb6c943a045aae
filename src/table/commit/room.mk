ROOM_OBJS := change_set.o commit_manifests.o commit_snapshot.o \
	conflict_check.o commit.o
ROOM_TESTS := check_change_set
