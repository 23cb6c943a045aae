/* check_file_rights.c - what a new file takes over besides bytes */
#include "unit/check_main.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include "io/io.h"
#include "unit/check_scratch.h"

#define ACCESS_LIST "system.posix_acl_access"

static struct error err;
static struct file_rights rights;

static void setup(void)
{
	error_init(&err);
	scratch_make();
	scratch_file("old", "old", 3);
	scratch_file("new", "new", 3);
}

static void teardown(void)
{
	mem_fail_at(-1);
	scratch_remove();
}

static unsigned mode_of(const char *path)
{
	struct stat info;

	ck_assert_int_eq(stat(path, &info), 0);
	return info.st_mode & 07777;
}

/* An access list as linux/posix_acl_xattr.h has it: version 2, then tag,
 * rights and id of each entry. One user may read, the group may write. */
static bool set_list(const char *path)
{
	static const struct {
		uint32_t version;
		struct {
			uint16_t tag, rights;
			uint32_t id;
		} entries[5];
	} list = { 2, { { 1, 6, UINT32_MAX }, { 2, 4, 12345 },
			{ 4, 6, UINT32_MAX }, { 0x10, 6, UINT32_MAX },
			{ 0x20, 0, UINT32_MAX } } };

	if (setxattr(path, ACCESS_LIST, &list, sizeof(list), 0) == 0)
		return true;
	ck_assert_int_eq(errno, ENOTSUP);	/* this file system has none */
	return false;
}

static bool set_note(const char *path, const char *name, const char *value)
{
	if (setxattr(path, name, value, strlen(value), 0) == 0)
		return true;
	ck_assert_int_eq(errno, ENOTSUP);
	return false;
}

static void expect_note(const char *name, const char *value)
{
	char buffer[100];
	ssize_t length = getxattr("new", name, buffer, sizeof(buffer));

	ck_assert_int_eq(length, (ssize_t)strlen(value));
	ck_assert_mem_eq(buffer, value, (size_t)length);
}

START_TEST(permissions_are_taken_over)
{
	ck_assert_int_eq(chmod("old", 0604), 0);
	ck_ok(file_copy_rights("new", "old", &rights, &err));
	ck_assert_uint_eq(mode_of("new"), 0604);
	ck_assert_uint_eq(rights.name_count, 1);
	ck_assert(!rights.is_partly);
	scratch_expect("new", "new", 3);
}
END_TEST

START_TEST(other_names_of_the_file_are_counted)
{
	ck_assert_int_eq(link("old", "second"), 0);
	ck_assert_int_eq(link("old", "third"), 0);
	ck_ok(file_copy_rights("new", "old", &rights, &err));
	ck_assert_uint_eq(rights.name_count, 3);
}
END_TEST

START_TEST(extended_attributes_are_taken_over)
{
	if (!set_note("old", "user.origin", "cash desk 7"))
		return;
	ck_assert(set_note("old", "user.empty", ""));
	ck_ok(file_copy_rights("new", "old", &rights, &err));
	expect_note("user.origin", "cash desk 7");
	expect_note("user.empty", "");
	ck_assert(!rights.is_partly);
}
END_TEST

START_TEST(an_access_list_is_taken_over)
{
	char had[200], has[200];
	ssize_t length;

	if (!set_list("old"))
		return;
	ck_assert_int_eq(chmod("old", 0640), 0);	/* its mask: reading */
	length = getxattr("old", ACCESS_LIST, had, sizeof(had));
	ck_ok(file_copy_rights("new", "old", &rights, &err));
	ck_assert_int_eq(getxattr("new", ACCESS_LIST, has, sizeof(has)),
			 length);
	ck_assert_mem_eq(has, had, (size_t)length);
	ck_assert_uint_eq(mode_of("new"), 0640);
}
END_TEST

START_TEST(a_list_that_the_old_file_lacks_goes)
{
	if (!set_list("new"))
		return;
	ck_assert_int_eq(chmod("old", 0600), 0);
	ck_ok(file_copy_rights("new", "old", &rights, &err));
	ck_assert_int_lt(getxattr("new", ACCESS_LIST, NULL, 0), 0);
	ck_assert_uint_eq(mode_of("new"), 0600);
}
END_TEST

START_TEST(a_file_that_is_missing_is_an_error)
{
	ck_assert_int_eq(file_copy_rights("new", "none", &rights, &err),
			 ERROR_IO);
	ck_assert_int_eq(file_copy_rights("none", "old", &rights, &err),
			 ERROR_IO);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	if (!set_note("old", "user.origin", "x"))
		return;
	mem_fail_at(_i);
	ck_assert_int_eq(file_copy_rights("new", "old", &rights, &err),
			 ERROR_NO_MEMORY);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("file_rights");
	TCase *tc = tcase_create("file_rights");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, permissions_are_taken_over);
	tcase_add_test(tc, other_names_of_the_file_are_counted);
	tcase_add_test(tc, extended_attributes_are_taken_over);
	tcase_add_test(tc, an_access_list_is_taken_over);
	tcase_add_test(tc, a_list_that_the_old_file_lacks_goes);
	tcase_add_test(tc, a_file_that_is_missing_is_an_error);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, 2);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
