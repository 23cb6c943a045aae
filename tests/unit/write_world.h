#ifndef TESTS_UNIT_WRITE_WORLD_H
#define TESTS_UNIT_WRITE_WORLD_H
#include "unit/check_main.h"
#include "unit/check_scratch.h"
#include "table/write/write.h"

/* What the tests of writers set up: a table's metadata, a place to write. */
static struct error err;
static struct table_metadata *metadata;
static struct write_context *context;
static struct fragments fragments;

static inline void setup(void)
{
	error_init(&err);
	interrupt_reset();
	scratch_make();
	metadata = NULL;
	context = NULL;
	memset(&fragments, 0, sizeof(fragments));
}

static inline void teardown(void)
{
	mem_fail_at(-1);
	fragments_release(&fragments);
	write_context_free(context);
	table_metadata_free(metadata);
	scratch_remove();
}
#endif
