#include <stdio.h>
#include "unit/check_main.h"
#include "iceberg/iceberg.h"

static struct error err;
static struct table_metadata *metadata;
static struct text document;

static void set_up(void)
{
	error_init(&err);
	text_init(&document);
	metadata = NULL;
}

static void tear_down(void)
{
	mem_fail_at(-1);
	table_metadata_free(metadata);
	text_release(&document);
}

static int parse(const char *json)
{
	table_metadata_free(metadata);
	return table_metadata_parse(&metadata, json, strlen(json), "v7.json",
				    &err);
}

static int parse_file(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "tests/data/iceberg/%s", name);
	ck_ok(input_file_read_all(path, 1 << 20, &document, &err));
	return parse(document.data);
}

START_TEST(the_v2_document_of_java_is_understood)
{
	const struct snapshot *s;

	ck_ok(parse_file("TableMetadataV2Valid.json"));
	ck_assert_int_eq(metadata->format_version, 2);
	ck_assert_str_eq(metadata->table_uuid,
			 "9c12d441-03fe-4693-9a96-a0705ddf69c1");
	ck_assert_str_eq(metadata->location, "s3://bucket/test/location");
	ck_assert_int_eq(metadata->last_sequence_number, 34);
	ck_assert_int_eq(metadata->last_column_id, 3);
	ck_assert_uint_eq(metadata->schema_count, 2);
	ck_assert_uint_eq(metadata_current_schema(metadata)->column_count, 3);
	ck_assert(metadata_current_schema(metadata)->columns[0].is_identifier);
	ck_assert_str_eq(metadata->specs[0].fields[0].transform.text,
			 "identity");
	ck_assert_int_eq(metadata->default_sort_order_id, 3);
	ck_assert(metadata->sort_orders[0].fields[1].descending);
	ck_assert(!metadata->sort_orders[0].fields[1].nulls_first);
	ck_assert_uint_eq(metadata->snapshot_count, 2);
	s = metadata_current_snapshot(metadata);
	ck_assert(s->snapshot_id == INT64_C(3055729675574597004));
	ck_assert(s->parent_id == INT64_C(3051729675574597004));
	ck_assert_str_eq(snapshot_summary(s, "operation"), "append");
	ck_assert_int_eq(s->schema_id, 1);
	ck_assert_int_eq(metadata->snapshots[0].parent_id, -1);
	ck_assert_uint_eq(metadata->snapshot_log_count, 2);
}
END_TEST

START_TEST(other_valid_documents_of_java_are_read)
{
	static const char *const names[] = {
		"TableMetadataV1Valid.json", "TableMetadataV2ValidMinimal.json",
		"TableMetadataV3ValidMinimal.json",
		"TableMetadataStatisticsFiles.json",
		"TableMetadataPartitionStatisticsFiles.json",
		"spark-decimal.metadata.json", "pyiceberg-nulls.metadata.json",
	};

	ck_ok(parse_file(names[_i]));
}
END_TEST

START_TEST(invalid_documents_of_java_are_refused)
{
	static const struct {
		const char *name;
		const char *word;
	} bad[] = {
		{ "TableMetadataV1MissingSchemaType.json", "struct" },
		{ "TableMetadataV2CurrentSchemaNotFound.json",
		  "last-partition-id" },
		{ "TableMetadataV2MissingLastPartitionId.json",
		  "last-partition-id" },
		{ "TableMetadataV2MissingPartitionSpecs.json",
		  "no partition-specs" },
		{ "TableMetadataV2MissingSchemas.json", "no schemas" },
		{ "TableMetadataV2MissingSortOrder.json", "no sort-orders" },
	};

	ck_assert_int_eq(parse_file(bad[_i].name), ERROR_CORRUPT);
	ck_assert_ptr_nonnull(strstr(err.text, bad[_i].word));
	ck_assert_ptr_nonnull(strstr(err.text, "v7.json"));
	ck_assert_ptr_null(metadata);
}
END_TEST

START_TEST(a_v1_document_gets_what_later_versions_require)
{
	struct text out = TEXT_INIT;

	ck_ok(parse_file("TableMetadataV1Valid.json"));
	ck_assert_int_eq(metadata->last_sequence_number, 0);
	ck_assert_uint_eq(metadata->schema_count, 1);
	ck_assert_uint_eq(metadata->spec_count, 1);
	ck_assert_int_eq(metadata->specs[0].fields[0].field_id, 1000);
	ck_assert_int_eq(metadata->last_partition_id, 1000);
	ck_assert_uint_eq(metadata->sort_order_count, 1);
	ck_assert_int_eq(table_metadata_format(metadata, &out, &err),
			 ERROR_UNSUPPORTED);
	ck_ok(metadata_upgrade(metadata, 3, &err));
	ck_assert_int_eq(metadata->next_row_id, 0);
	text_reset(&out);
	ck_ok(table_metadata_format(metadata, &out, &err));
	ck_ok(parse(out.data));
	ck_assert_int_eq(metadata->format_version, 3);
	text_release(&out);
}
END_TEST

START_TEST(a_v1_snapshot_with_a_sequence_number_loses_it)
{
	static const char v1[] = "{\"format-version\":1,\"location\":"
		"\"file:///t\",\"last-updated-ms\":9,\"last-column-id\":1,"
		"\"schema\":{\"type\":\"struct\",\"fields\":[]},"
		"\"partition-spec\":[],\"snapshots\":[{\"snapshot-id\":5,"
		"\"timestamp-ms\":9,\"sequence-number\":3,\"manifest-list\":"
		"\"file:///t/l\"}]}";
	struct text out = TEXT_INIT;

	ck_ok(parse(v1));
	ck_ok(metadata_upgrade(metadata, 2, &err));
	ck_ok(table_metadata_format(metadata, &out, &err));
	ck_ok(parse(out.data));
	ck_assert_int_eq(metadata->snapshots[0].sequence_number, 0);
	text_release(&out);
}
END_TEST

#define HEAD "\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1\"," \
	"\"location\":\"file:///t\",\"last-sequence-number\":%d," \
	"\"last-updated-ms\":1000000,\"last-column-id\":1," \
	"\"current-schema-id\":0,\"schemas\":[{\"type\":\"struct\"," \
	"\"schema-id\":0,\"fields\":[{\"id\":1,\"name\":\"x\",\"required\":" \
	"true,\"type\":\"long\"}]}],\"default-spec-id\":0," \
	"\"partition-specs\":[{\"spec-id\":0,\"fields\":[]}]," \
	"\"last-partition-id\":999,\"default-sort-order-id\":0," \
	"\"sort-orders\":[{\"order-id\":0,\"fields\":[]}]"

#define SNAPSHOT_OF(id, letter) "{ \"snapshot-id\" : " id "," \
	" \"new-thing\": {\"deep\":[1,{\"e\":1.50}], \"\":\"\" }," \
	" \"sequence-number\":2, \"timestamp-ms\":999999," \
	" \"manifest-list\":\"file:///t/l" letter ".avro\",\n\t\"summary\":" \
	"{\"operation\":\"append\", \"total-records\":\"5\"}," \
	" \"schema-id\":0}"
#define SNAPSHOT SNAPSHOT_OF("9007199254740993", "\\u0041")

static char json[1 << 16];

static const char *build(int version, int last_sequence, const char *rest)
{
	int length = snprintf(json, sizeof(json), "{\"format-version\":%d,",
			      version);

	length += snprintf(json + length, sizeof(json) - (size_t)length,
			   HEAD, last_sequence);
	snprintf(json + length, sizeof(json) - (size_t)length, "%s}", rest);
	return json;
}

START_TEST(contradicting_documents_are_refused)
{
	static const struct {
		int version;
		int last_sequence;
		const char *rest;
		const char *word;
	} bad[] = {
		{ 3, 2, "", "next-row-id" },
		{ 3, 2, ",\"next-row-id\":-1", "counter" },
		{ 2, 1, ",\"snapshots\":[" SNAPSHOT "]", "sequence number" },
		{ 2, 2, ",\"current-snapshot-id\":5", "does not exist" },
		{ 2, 2, ",\"snapshots\":[" SNAPSHOT "],\"refs\":{\"main\":{"
		  "\"snapshot-id\":9007199254740993,\"type\":\"branch\"}}",
		  "main" },
		{ 2, 2, ",\"snapshots\":[" SNAPSHOT "],\"refs\":{\"b\":{"
		  "\"snapshot-id\":9007199254740992,\"type\":\"branch\"}}",
		  "\"b\"" },
		{ 2, 2, ",\"current-snapshot-id\":9007199254740993,"
		  "\"snapshots\":[" SNAPSHOT "],\"refs\":{\"main\":{"
		  "\"snapshot-id\":9007199254740993,\"type\":\"tag\"}}",
		  "tag" },
		{ 2, 2, ",\"snapshots\":[" SNAPSHOT "," SNAPSHOT "]",
		  "one id" },
		{ 2, 2, ",\"snapshot-log\":[{\"timestamp-ms\":100000,"
		  "\"snapshot-id\":1},{\"timestamp-ms\":39999,"
		  "\"snapshot-id\":1}]", "snapshot log" },
		{ 2, 2, ",\"metadata-log\":[{\"timestamp-ms\":1060001,"
		  "\"metadata-file\":\"x\"}]", "metadata log" },
		{ 2, 2, ",\"refs\":{\"a\":{\"snapshot-id\":1}}", "ref" },
		{ 2, 2, ",\"snapshots\":[{}]", "snapshot" },
		{ 2, 2, ",\"default-spec-id\":4", "partition spec" },
		{ 2, 2, ",\"current-schema-id\":4", "current schema" },
		{ 2, 2, ",\"default-sort-order-id\":4", "sort order" },
		{ 0, 2, "", "format version 0" },
		{ 2, 2, ",\"properties\":{\"a\":1}", "string" },
		{ 2, 2, ",\"last-sequence-number\":9223372036854775807",
		  "counter" },
		{ 2, 2, ",\"last-column-id\":2147483647", "counter" },
	};

	ck_assert_int_eq(parse(build(bad[_i].version, bad[_i].last_sequence,
				     bad[_i].rest)), ERROR_CORRUPT);
	ck_assert_msg(strstr(err.text, bad[_i].word) != NULL, "%s", err.text);
}
END_TEST

START_TEST(later_versions_are_unsupported_wherever_they_stand)
{
	ck_assert_int_eq(parse("{\"schemas\":{\"other\":1},"
			       "\"format-version\":4}"), ERROR_UNSUPPORTED);
	ck_assert_int_eq(parse("{\"format-version\":4,\"location\":\"x\"}"),
			 ERROR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.text, "4"));
	ck_assert_int_eq(parse_file("TableMetadataUnsupportedVersion.json"),
			 ERROR_UNSUPPORTED);
}
END_TEST

START_TEST(snapshots_and_unknown_members_come_back_byte_for_byte)
{
	/* the last escape of the document is here, there or before */
	static const char *const snapshots[] = {
		SNAPSHOT,
		SNAPSHOT_OF("9007199254740993", "A"),
		SNAPSHOT "," SNAPSHOT_OF("7", "B"),
		SNAPSHOT_OF("9007199254740993", "A") ","
			SNAPSHOT_OF("7", "\\\\"),
	};
	struct table_metadata *copy;
	struct text out = TEXT_INIT, again = TEXT_INIT, rest = TEXT_INIT;
	struct text list = TEXT_INIT;

	text_addf(&rest, ",\"properties\":{\"a\":\"\\\"b\"},"
		  "\"current-snapshot-id\":9007199254740993,"
		  "\"snapshots\":[ %s ],\"later\":{ \"a\": [1.0, null] },"
		  "\"statistics\":[ ]", snapshots[_i]);
	ck_ok(parse(build(2, 2, rest.data)));
	ck_assert_str_eq(metadata->snapshots[0].manifest_list,
			 "file:///t/lA.avro");
	ck_assert_str_eq(metadata->extra, "\"later\":{ \"a\": [1.0, null] },"
					  "\"statistics\":[ ]");
	ck_assert_str_eq(metadata->refs[0].name, "main");
	ck_ok(table_metadata_copy(&copy, metadata, &err));
	ck_ok(table_metadata_format(metadata, &out, &err));
	text_addf(&list, "\"snapshots\":[%s]", snapshots[_i]);
	ck_assert_ptr_nonnull(strstr(out.data, list.data));
	ck_assert_uint_eq(strlen(out.data), out.length);
	ck_assert_ptr_nonnull(strstr(out.data, "\"later\":{ \"a\": [1.0, null]"
					       " }"));
	table_metadata_free(metadata);
	metadata = copy;
	ck_ok(table_metadata_format(copy, &again, &err));
	ck_assert_str_eq(out.data, again.data);
	text_release(&out);
	text_release(&again);
	text_release(&rest);
	text_release(&list);
}
END_TEST

/* A document of one old snapshot with this member, and what follows it. */
static int parse_snapshot_with(const char *member, const char *rest)
{
	static char text[4096];

	snprintf(text, sizeof(text), ",\"snapshots\":[{\"snapshot-id\":1,"
		 "\"sequence-number\":1,\"timestamp-ms\":999999,"
		 "\"manifest-list\":\"l\",%s},{\"snapshot-id\":2,"
		 "\"sequence-number\":2,\"timestamp-ms\":999999,"
		 "\"manifest-list\":\"m\",\"summary\":{\"a\":\"2\"}}],"
		 "\"current-snapshot-id\":2%s", member, rest);
	return parse(build(2, 2, text));
}

static void check_summary(const char *a, const char *b)
{
	const struct snapshot *s = metadata_snapshot(metadata, 1);
	const char *found = snapshot_summary(s, "a");

	if (a)
		ck_assert_str_eq(found, a);
	else
		ck_assert_ptr_null(found);
	found = snapshot_summary(s, "b");
	if (b)
		ck_assert_str_eq(found, b);
	else
		ck_assert_ptr_null(found);
	ck_assert_ptr_null(snapshot_summary(s, "c"));
	ck_assert_str_eq(snapshot_summary(metadata_snapshot(metadata, 2),
					  "a"), "2");
}

/* Read, copied, written from its members, and added to another table. */
START_TEST(a_summary_is_found_however_it_is_written)
{
	static const struct {
		const char *member;
		const char *a;
		const char *b;
	} ways[] = {
		{ "\"summary\":{\"a\":\"x\",\"b\":\"y\"}", "x", "y" },
		{ "\"summary\" : {\n\"a\" :\t\"x\" , \"b\": \"\" }", "x", "" },
		{ "\"summary\":{\"a\":\"\\\"c\\\":\\\"\",\"b\":\"y\"}",
		  "\"c\":\"", "y" },
		{ "\"summary\":{\"\\u0061\":\"x\\u0041\",\"b\":\"y\"}", "xA",
		  "y" },
		{ "\"summary\":{\"a\":\"x\\\\\",\"\\u0062\":\"y\"}", "x\\",
		  "y" },
		{ "\"summary\":{\"b\":\"1\",\"a\":\"x\",\"b\":\"2\"}", "x",
		  "2" },
		{ "\"summary\":{ }", NULL, NULL },
		{ "\"summary\":null", NULL, NULL },
		{ "\"schema-id\":0", NULL, NULL },
		{ "\"summary\":{\"c\":\"1\"},\"summary\":{\"a\":\"x\"}", "x",
		  NULL },
	};
	struct table_metadata *copy;
	struct text out = TEXT_INIT;
	struct snapshot s;

	ck_ok(parse_snapshot_with(ways[_i].member, ""));
	check_summary(ways[_i].a, ways[_i].b);
	ck_ok(table_metadata_copy(&copy, metadata, &err));
	table_metadata_free(metadata);
	metadata = copy;
	check_summary(ways[_i].a, ways[_i].b);
	metadata->snapshots[0].json = byte_view(NULL, 0);
	ck_ok(table_metadata_format(metadata, &out, &err));
	ck_ok(parse(out.data));
	check_summary(ways[_i].a, ways[_i].b);
	s = metadata->snapshots[0];
	s.snapshot_id = 3;
	s.sequence_number = 3;
	ck_ok(metadata_add_snapshot(metadata, &s, &err));
	metadata->snapshots[0].snapshot_id = 4;
	metadata->snapshots[2].snapshot_id = 1;
	check_summary(ways[_i].a, ways[_i].b);
	text_release(&out);
}
END_TEST

START_TEST(damage_in_an_old_snapshot_is_found)
{
	static const char *const bad[] = {
		"\"summary\":{\"a\":1}", "\"summary\":{\"a\":null}",
		"\"summary\":{\"a\":{}}", "\"summary\":[\"a\"]",
		"\"summary\":{\"a\" \"x\"}", "\"summary\":{\"a\":\"x\" \"b\":"
		"\"y\"}", "\"summary\":{\"a\":\"x\",}", "\"summary\":{a:\"x\"}",
		"\"summary\":{\"a\":\"\\q\"}", "\"summary\":{\"a\":\"\\u0000\"}",
		"\"summary\":{\"a\":\"x\ny\"}", "\"summary\":{\"a\":\"x\"",
		"\"summary\":\"x\"", "\"sequence-number\":3",
		"\"snapshot-id\":2", "\"timestamp-ms\":-1",
		"\"manifest-list\":7", "\"snapshot-id\":1.5",
	};

	ck_assert_int_eq(parse_snapshot_with(bad[_i], ""), ERROR_CORRUPT);
	/* and is a later version's own affair, even behind snapshots */
	ck_assert_int_eq(parse_snapshot_with("\"schema-id\":0", ",\"later\":1,"
					     "\"format-version\":4"),
			 ERROR_UNSUPPORTED);
	ck_assert_int_eq(parse_snapshot_with("\"schema-id\":0", ",\"refs\":1,"
					     "\"format-version\":4"),
			 ERROR_UNSUPPORTED);
}
END_TEST

START_TEST(missing_null_and_minus_one_are_no_snapshot)
{
	static const char *const rest[] = { ",\"current-snapshot-id\":-1",
					    ",\"current-snapshot-id\":null",
					    "" };
	struct text out = TEXT_INIT;

	ck_ok(parse(build(2, 0, rest[_i])));
	ck_assert_ptr_null(metadata_current_snapshot(metadata));
	ck_ok(table_metadata_format(metadata, &out, &err));
	ck_assert_ptr_nonnull(strstr(out.data, "\"current-snapshot-id\":-1"));
	ck_ok(metadata_upgrade(metadata, 3, &err));
	text_reset(&out);
	ck_ok(table_metadata_format(metadata, &out, &err));
	ck_assert_ptr_nonnull(strstr(out.data,
				     "\"current-snapshot-id\":null"));
	text_release(&out);
}
END_TEST

START_TEST(an_encrypted_table_is_read_but_not_written)
{
	struct text out = TEXT_INIT;

	ck_ok(parse(build(3, 0, ",\"next-row-id\":0,\"encryption-keys\":[{"
			  "\"key-id\":\"k\"}]")));
	ck_assert(metadata->has_encryption_keys);
	ck_assert_int_eq(table_metadata_format(metadata, &out, &err),
			 ERROR_UNSUPPORTED);
	ck_ok(parse(build(3, 0, ",\"next-row-id\":0,\"encryption-keys\":[]")));
	ck_assert(!metadata->has_encryption_keys);
	text_release(&out);
}
END_TEST

START_TEST(a_document_cut_anywhere_is_refused)
{
	size_t length = strlen(build(2, 2, ",\"snapshots\":[" SNAPSHOT "]"));

	for (size_t i = 0; i < length; i++)
		ck_assert_int_eq(table_metadata_parse(&metadata, json, i, "x",
						      &err), ERROR_CORRUPT);
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct table_metadata *copy = NULL;
	struct text out = TEXT_INIT;
	int rc;

	build(2, 2, ",\"current-snapshot-id\":9007199254740993,"
	      "\"snapshots\":[" SNAPSHOT "],\"later\":1");
	mem_fail_at(_i);
	rc = parse(json);
	if (!rc)
		rc = table_metadata_copy(&copy, metadata, &err);
	if (!rc)
		rc = table_metadata_format(copy, &out, &err);
	mem_fail_at(-1);
	if (rc)
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
	table_metadata_free(copy);
	text_release(&out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("table_metadata");
	TCase *tc = tcase_create("table_metadata");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, the_v2_document_of_java_is_understood);
	tcase_add_loop_test(tc, other_valid_documents_of_java_are_read, 0, 7);
	tcase_add_loop_test(tc, invalid_documents_of_java_are_refused, 0, 6);
	tcase_add_test(tc, a_v1_document_gets_what_later_versions_require);
	tcase_add_test(tc, a_v1_snapshot_with_a_sequence_number_loses_it);
	tcase_add_loop_test(tc, contradicting_documents_are_refused,
			    0, 19);
	tcase_add_test(tc,
		       later_versions_are_unsupported_wherever_they_stand);
	tcase_add_loop_test(tc,
		snapshots_and_unknown_members_come_back_byte_for_byte, 0, 4);
	tcase_add_loop_test(tc, a_summary_is_found_however_it_is_written, 0,
			    10);
	tcase_add_loop_test(tc, damage_in_an_old_snapshot_is_found, 0, 18);
	tcase_add_loop_test(tc, missing_null_and_minus_one_are_no_snapshot, 0,
			    3);
	tcase_add_test(tc, an_encrypted_table_is_read_but_not_written);
	tcase_add_test(tc, a_document_cut_anywhere_is_refused);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, 40);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
