#include <stdio.h>
#include "unit/check_main.h"
#include "puffin/deletion_vector.h"
#include "puffin/puffin.h"

static struct error err;
static struct output_file *out;
static struct puffin_writer *writer;
static struct roaring64 *set;

static void set_up(void)
{
	error_init(&err);
	out = NULL;
	writer = NULL;
	set = NULL;
}

static void tear_down(void)
{
	mem_fail_at(-1);
	puffin_writer_free(writer);
	output_file_free(out);
	roaring64_free(set);
}

/* The example of the reference: position 1 deleted. */
static const uint8_t golden[42] = {
	0x00, 0x00, 0x00, 0x22, 0xd1, 0xd3, 0x39, 0x64, 0x01, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0x3a, 0x30, 0, 0, 0x01, 0, 0, 0, 0, 0, 0, 0, 0x10,
	0, 0, 0, 0x01, 0x00, 0xee, 0xbd, 0x85, 0xf4,
};

START_TEST(a_vector_of_one_position_has_the_golden_bytes)
{
	struct text bytes = TEXT_INIT;

	ck_ok(roaring64_new(&set, &err));
	ck_ok(roaring64_add(set, 1, &err));
	ck_ok(deletion_vector_encode(set, &bytes, &err));
	ck_assert_uint_eq(bytes.length, sizeof(golden));
	ck_assert_mem_eq(bytes.data, golden, sizeof(golden));
	text_release(&bytes);
}
END_TEST

START_TEST(vectors_written_by_java_are_read)
{
	static const struct {
		const char *file;
		uint64_t positions[8];
		size_t count;
	} vectors[] = {
		{ "empty-position-index.bin", { 0 }, 0 },
		{ "small-alternating-values-position-index.bin",
		  { 1, 3, 5, 7, 9 }, 5 },
		{ "small-and-large-values-position-index.bin",
		  { 100, 101, 2147483747, 2147483748 }, 4 },
	};
	struct text bytes = TEXT_INIT;
	uint64_t found[9];
	char path[256];

	snprintf(path, sizeof(path), "tests/data/iceberg/%s",
		 vectors[_i].file);
	ck_ok(input_file_read_all(path, 1 << 20, &bytes, &err));
	ck_ok(deletion_vector_decode(&set, (uint8_t *)bytes.data,
				     bytes.length, path, &err));
	ck_assert_uint_eq(roaring64_positions(set, 0, found, 9),
			  vectors[_i].count);
	for (size_t i = 0; i < vectors[_i].count; i++)
		ck_assert_uint_eq(found[i], vectors[_i].positions[i]);
	text_release(&bytes);
}
END_TEST

START_TEST(any_damaged_byte_of_a_vector_is_found)
{
	uint8_t copy[sizeof(golden)];

	memcpy(copy, golden, sizeof(golden));
	copy[_i] ^= 0x40;
	ck_assert_int_eq(deletion_vector_decode(&set, copy, sizeof(copy), "x",
						&err), ERROR_CORRUPT);
	ck_assert_ptr_null(set);
}
END_TEST

START_TEST(a_vector_cut_short_is_corrupt)
{
	ck_assert_int_eq(deletion_vector_decode(&set, golden, (size_t)_i, "x",
						&err), ERROR_CORRUPT);
}
END_TEST

/* Two vectors in a file in memory. */
static int write_file(struct puffin_blob blobs[2])
{
	struct roaring64 *other = NULL;
	uint64_t many[3] = { 5, 70000, UINT64_C(1) << 33 };
	int rc;

	rc = output_file_memory(&out, "dv.puffin", &err);
	if (!rc)
		rc = puffin_writer_new(&writer, out, "rowmerge test", &err);
	if (!rc)
		rc = roaring64_new(&other, &err);
	if (!rc)
		rc = roaring64_add(other, 1, &err);
	if (!rc)
		rc = puffin_writer_add_vector(writer, other,
					      "file:///a \"b\".parquet",
					      &blobs[0], &err);
	if (!rc)
		rc = roaring64_add_many(other, many, 3, &err);
	if (!rc)
		rc = puffin_writer_add_vector(writer, other, "file:///c",
					      &blobs[1], &err);
	if (!rc)
		rc = puffin_writer_finish(writer, &err);
	roaring64_free(other);
	return rc;
}

static int read_vector(const uint8_t *data, size_t length,
		       const struct puffin_blob *blob)
{
	struct input_file *file;
	int rc;

	ck_ok(input_file_memory(&file, "dv.puffin", data, length, &err));
	rc = deletion_vector_read(&set, file, blob->offset, blob->length,
				  blob->cardinality, &err);
	input_file_close(file);
	return rc;
}

START_TEST(what_is_written_is_read_at_its_place)
{
	struct puffin_blob blobs[2];
	struct byte_view bytes;

	ck_ok(write_file(blobs));
	bytes = output_file_memory_bytes(out);
	ck_assert_uint_eq(blobs[0].offset, 4);
	ck_assert_uint_eq(blobs[0].length, sizeof(golden));
	ck_assert_mem_eq(bytes.data + 4, golden, sizeof(golden));
	ck_assert_uint_eq(blobs[1].cardinality, 4);
	ck_ok(read_vector(bytes.data, bytes.length, &blobs[1]));
	ck_assert(roaring64_contains(set, UINT64_C(1) << 33));
	ck_assert_uint_eq(roaring64_cardinality(set), 4);
}
END_TEST

START_TEST(the_footer_lists_the_blobs_as_the_spec_wants)
{
	static const char expected[] =
		"{\"blobs\":[{\"type\":\"deletion-vector-v1\",\"fields\":"
		"[2147483645],\"snapshot-id\":-1,\"sequence-number\":-1,"
		"\"offset\":4,\"length\":42,\"properties\":{"
		"\"referenced-data-file\":\"file:///a \\\"b\\\".parquet\","
		"\"cardinality\":\"1\"}},";
	struct puffin_blob blobs[2];
	struct byte_view bytes;
	const uint8_t *tail;
	uint32_t length;

	ck_ok(write_file(blobs));
	bytes = output_file_memory_bytes(out);
	tail = bytes.data + bytes.length - 12;
	length = load_le32(tail);
	ck_assert_mem_eq(tail + 8, "PFA1", 4);
	ck_assert_uint_eq(load_le32(tail + 4), 0);
	ck_assert_mem_eq(tail - length - 4, "PFA1", 4);
	ck_assert_mem_eq(tail - length, expected, strlen(expected));
	ck_assert_uint_eq(bytes.length, blobs[1].offset + blobs[1].length + 4 +
						length + 12);
}
END_TEST

START_TEST(a_wrong_place_or_count_is_corrupt)
{
	struct puffin_blob blobs[2], wrong;
	struct byte_view bytes;

	ck_ok(write_file(blobs));
	bytes = output_file_memory_bytes(out);
	wrong = blobs[0];
	switch (_i) {
	case 0:
		wrong.cardinality++;
		break;
	case 1:
		wrong.offset++;
		break;
	case 2:
		wrong.length--;
		break;
	case 3:
		wrong.offset = UINT64_MAX - 3;
		break;
	case 4:
		wrong.length = UINT64_MAX;
		break;
	case 5:
		wrong.offset = 0;
		break;
	default:
		wrong.length = bytes.length;
	}
	ck_assert_int_eq(read_vector(bytes.data, bytes.length, &wrong),
			 ERROR_CORRUPT);
	ck_assert_ptr_nonnull(strstr(err.text, "dv.puffin"));
}
END_TEST

START_TEST(a_bare_blob_is_no_puffin_file)
{
	const struct puffin_blob whole = { 0, sizeof(golden), 1 };

	ck_assert_int_eq(read_vector(golden, sizeof(golden), &whole),
			 ERROR_CORRUPT);
}
END_TEST

START_TEST(an_empty_vector_is_never_written)
{
	struct puffin_blob blob;

	ck_ok(output_file_memory(&out, "dv.puffin", &err));
	ck_ok(puffin_writer_new(&writer, out, "test", &err));
	ck_ok(roaring64_new(&set, &err));
	ck_assert_int_eq(puffin_writer_add_vector(writer, set, "f", &blob,
						  &err), ERROR_INTERNAL);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct puffin_blob blobs[2];
	int rc;

	mem_fail_at(_i);
	rc = write_file(blobs);
	mem_fail_at(-1);
	if (rc)
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("puffin");
	TCase *tc = tcase_create("puffin");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, a_vector_of_one_position_has_the_golden_bytes);
	tcase_add_loop_test(tc, vectors_written_by_java_are_read, 0, 3);
	tcase_add_loop_test(tc, any_damaged_byte_of_a_vector_is_found, 0,
			    sizeof(golden));
	tcase_add_loop_test(tc, a_vector_cut_short_is_corrupt, 0,
			    sizeof(golden));
	tcase_add_test(tc, what_is_written_is_read_at_its_place);
	tcase_add_test(tc, the_footer_lists_the_blobs_as_the_spec_wants);
	tcase_add_loop_test(tc, a_wrong_place_or_count_is_corrupt, 0, 7);
	tcase_add_test(tc, a_bare_blob_is_no_puffin_file);
	tcase_add_test(tc, an_empty_vector_is_never_written);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, 30);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
