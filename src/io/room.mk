ROOM_OBJS := temp_file.o file_input.o file_stream.o file_output.o file_fault.o \
	publish.o file_rights.o staged_file.o file_tail.o file_lock.o directory.o directory_visit.o \
	path.o
ROOM_TESTS := check_file_input check_file_output check_publish \
	check_file_tail check_file_rights check_staged_file check_directory
