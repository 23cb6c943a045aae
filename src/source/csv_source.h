#ifndef SOURCE_CSV_SOURCE_H
#define SOURCE_CSV_SOURCE_H
#include "source/csv_split.h"

/* What csv_input_open() made and csv_source_new() goes on with. */
struct csv_input {
	struct arena arena;
	struct csv_options options;	/* texts are in arena */
	char **paths;			/* in arena */
	size_t path_count;
	struct csv_splitter *splitter;
	uint64_t byte_count;		/* 0 = unknown */
};
#endif
