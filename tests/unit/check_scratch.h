#ifndef TESTS_UNIT_CHECK_SCRATCH_H
#define TESTS_UNIT_CHECK_SCRATCH_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <check.h>

/*
 * A directory of its own for each test: scratch_make() in the set-up makes it
 * the working directory, scratch_remove() in the tear-down removes it.
 */
static char scratch_path[256];

static inline void scratch_make(void)
{
	const char *parent = getenv("TMPDIR");

	snprintf(scratch_path, sizeof(scratch_path), "%s/rowmerge-XXXXXX",
		 parent && *parent ? parent : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(scratch_path));
	ck_assert_int_eq(chdir(scratch_path), 0);
}

static inline void scratch_remove(void)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf '%s'", scratch_path);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(system(command), 0);
}

/* Write a file by other means than the code under test. */
static inline void scratch_file(const char *name, const void *data,
				size_t length)
{
	FILE *file = fopen(name, "wb");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, length, file), length);
	ck_assert_int_eq(fclose(file), 0);
}

/* Does the file hold exactly these bytes? */
static inline void scratch_expect(const char *name, const void *data,
				  size_t length)
{
	char *bytes = malloc(length + 1);
	FILE *file = fopen(name, "rb");

	ck_assert_ptr_nonnull(bytes);
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(bytes, 1, length + 1, file), length);
	if (length)
		ck_assert_mem_eq(bytes, data, length);
	fclose(file);
	free(bytes);
}
#endif
