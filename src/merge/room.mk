ROOM_OBJS := merge_run.o merge_worker.o merge_source.o merge_scan.o merge_prune.o \
	merge_action.o merge_error.o merge_failure.o merge_explain.o merge_spill.o row_view.o case_select.o \
	update_diff.o merge_guard.o merge_keep.o merge_changes.o match_guard.o key_guard.o row_change_build.o explain_rows.o
ROOM_TESTS := check_merge_run check_merge_model check_match_guard \
	check_key_guard check_row_change_build check_merge_keep \
	check_merge_changes check_merge_guard
