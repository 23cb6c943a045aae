ROOM_OBJS := change_set.o commit_manifests.o manifest_cut.o commit_snapshot.o \
	conflict_check.o commit.o
ROOM_TESTS := check_change_set check_manifest_cut
