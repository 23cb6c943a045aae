#include "unit/evolve_world.h"

#define INCOMPATIBLE ERROR_INCOMPATIBLE_CHANGE

static struct type row_type(struct column_def *fields, size_t count)
{
	struct type type = type_of(TYPE_ROW);

	type.fields = fields;
	type.field_count = count;
	return type;
}

START_TEST(an_added_column_takes_the_next_id_and_stands_last)
{
	make_world(2);
	ck_assert(evolve(add_of("", "email", type_of(TYPE_VARCHAR))));
	ck_assert_int_eq(id_of("email"), 16);
	ck_assert_int_eq(metadata->last_column_id, 16);
	ck_assert_int_eq(metadata->current_schema_id, 1);
	ck_assert_int_eq((int)metadata->schema_count, 2);
	ck_assert_str_eq(metadata_current_schema(metadata)->columns[6].name,
			 "email");
	ck_has("{\"id\":16,\"name\":\"email\",\"required\":false,"
	       "\"type\":\"string\"}]}", true);
}
END_TEST

START_TEST(columns_go_where_they_are_put_at_any_depth)
{
	struct table_change c[4];

	make_world(2);
	c[0] = add_of("", "a", type_of(TYPE_BIGINT));
	c[0].place = POSITION_FIRST;
	c[1] = add_of("s", "z", type_of(TYPE_BIGINT));
	c[1].place = POSITION_AFTER;
	c[1].after = "X";
	c[2] = add_of("tags.element", "n", type_of(TYPE_DATE));
	c[3] = add_of("m.value", "w", type_of(TYPE_UUID));
	c[3].place = POSITION_FIRST;
	ck_assert(evolve_all(c, 4));
	ck_assert_int_eq((int)metadata->schema_count, 2);
	ck_assert_str_eq(metadata_current_schema(metadata)->columns[0].name,
			 "a");
	ck_assert_str_eq(column_at("s")->type.fields[1].name, "z");
	ck_assert_int_eq(id_of("a"), 16);
	ck_assert_int_eq(id_of("s.z"), 17);
	ck_assert_int_eq(id_of("tags.element.n"), 18);
	ck_assert_int_eq(id_of("m.value.w"), 19);
	ck_assert_str_eq(column_at("m.value")->type.fields[0].name, "w");
	ck_assert_int_eq(id_of("m.value.v"), 15);
}
END_TEST

START_TEST(nested_columns_get_ids_outer_before_inner)
{
	struct column_def inner[2], outer[2];

	memset(inner, 0, sizeof(inner));
	memset(outer, 0, sizeof(outer));
	inner[0].name = (char *)"p";
	inner[0].type = type_of(TYPE_INTEGER);
	inner[0].field_id = 77;
	inner[1].name = (char *)"q";
	inner[1].type = type_of(TYPE_INTEGER);
	outer[0].name = (char *)"in";
	outer[0].type = row_type(inner, 2);
	outer[1].name = (char *)"after";
	outer[1].type = type_of(TYPE_INTEGER);
	make_world(2);
	ck_assert(evolve(add_of("", "r", row_type(outer, 2))));
	ck_assert_int_eq(id_of("r"), 16);
	ck_assert_int_eq(id_of("r.in"), 17);
	ck_assert_int_eq(id_of("r.after"), 18);
	ck_assert_int_eq(id_of("r.in.p"), 19);
	ck_assert_int_eq(id_of("r.in.q"), 20);
}
END_TEST

START_TEST(a_name_dropped_and_added_again_is_another_column)
{
	struct table_change c[2];

	make_world(2);
	ck_assert(evolve(change_of(TABLE_DROP_COLUMN, "name")));
	ck_assert_int_eq(id_of("name"), -1);
	ck_assert(evolve(add_of("", "name", type_of(TYPE_VARCHAR))));
	ck_assert_int_eq(id_of("name"), 16);
	c[0] = change_of(TABLE_DROP_COLUMN, "name");
	c[1] = add_of("", "name", type_of(TYPE_VARCHAR));
	ck_assert(evolve_all(c, 2));
	ck_assert_int_eq(id_of("name"), 17);
	ck_assert_int_eq(metadata->last_column_id, 17);
}
END_TEST

START_TEST(ids_of_the_last_columns_dropped_are_not_given_again)
{
	make_world(2);
	ck_assert(evolve(add_of("", "t", type_of(TYPE_DATE))));
	ck_assert(evolve(change_of(TABLE_DROP_COLUMN, "t")));
	/* the schema that was before is found again */
	ck_assert_int_eq(metadata->current_schema_id, 0);
	ck_assert_int_eq((int)metadata->schema_count, 2);
	ck_assert_int_eq(metadata->last_column_id, 16);
	ck_assert(evolve(add_of("", "t", type_of(TYPE_DATE))));
	ck_assert_int_eq(id_of("t"), 17);
}
END_TEST

START_TEST(what_a_statement_takes_back_changes_nothing)
{
	struct table_change c[4];

	make_world(2);
	c[0] = add_of("", "t", type_of(TYPE_DATE));
	c[1] = change_of(TABLE_DROP_COLUMN, "t");
	c[2] = rename_of("name", "n");
	c[3] = rename_of("n", "name");
	ck_assert(!evolve_all(c, 4));
	ck_assert_int_eq((int)metadata->schema_count, 1);
	ck_assert(!evolve(type_of_column("id", type_of(TYPE_INTEGER))));
	ck_assert(!evolve(change_of(TABLE_DROP_NOT_NULL, "name")));
}
END_TEST

START_TEST(renaming_and_moving_keep_ids)
{
	struct table_change c[6];

	make_world(2);
	c[0] = rename_of("s.x", "X2");
	c[1] = move_of("s.y", NULL);
	c[2] = rename_of("m.key.a", "aa");
	c[3] = move_of("m.key.b", NULL);
	c[4] = move_of("id", "tags");
	c[5] = rename_of("TAGS.element.K", "kk");
	ck_assert(evolve_all(c, 6));
	ck_assert_int_eq(id_of("s.X2"), 7);
	ck_assert_int_eq(column_at("s")->type.fields[0].field_id, 8);
	ck_assert_int_eq(id_of("m.key.aa"), 13);
	ck_assert_int_eq(column_at("m.key")->type.fields[0].field_id, 14);
	ck_assert_int_eq(id_of("tags.element.kk"), 10);
	ck_assert_str_eq(metadata_current_schema(metadata)->columns[4].name,
			 "id");
}
END_TEST

START_TEST(names_can_be_exchanged)
{
	struct table_change c[3];

	make_world(2);
	c[0] = rename_of("name", "tmp");
	c[1] = rename_of("ts", "name");
	c[2] = rename_of("tmp", "ts");
	ck_assert(evolve_all(c, 3));
	ck_assert_int_eq(id_of("name"), 3);
	ck_assert_int_eq(id_of("ts"), 2);
}
END_TEST

START_TEST(moving_a_column_puts_it_behind_the_named_one)
{
	static const char *const names[] = { "s", "id", "name", "ts" };

	make_world(2);
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 4; k++) {
			const struct column_def *columns;
			size_t at = 0;

			if (i == k)
				continue;
			evolve(move_of(names[i], names[k]));
			columns = metadata_current_schema(metadata)->columns;
			while (strcmp(columns[at].name, names[k]))
				at++;
			ck_assert_str_eq(columns[at + 1].name, names[i]);
			ck_assert_int_eq((int)metadata_current_schema(
					 metadata)->column_count, 6);
		}
	refused(move_of("id", "id"), ERROR_BAD_ARGUMENT, "after itself");
	refused(move_of("s.x", "id"), ERROR_UNKNOWN_COLUMN, "beside");
}
END_TEST

START_TEST(types_are_widened_and_nothing_else)
{
	make_world(2);
	ck_assert(evolve(type_of_column("id", type_of(TYPE_BIGINT))));
	ck_assert(evolve(type_of_column("s.y", type_of(TYPE_DOUBLE))));
	ck_assert(evolve(type_of_column("m.value.v", type_decimal(38, 2))));
	ck_assert(evolve(type_of_column("m.key.a", type_of(TYPE_BIGINT))));
	ck_has("{\"id\":13,\"name\":\"a\",\"required\":false,"
	       "\"type\":\"long\"}", true);
	refused(type_of_column("id", type_of(TYPE_INTEGER)), INCOMPATIBLE,
		"cannot become INTEGER");
	refused(type_of_column("s.x", type_of(TYPE_DOUBLE)), INCOMPATIBLE,
		"INTEGER can become BIGINT");
	refused(type_of_column("m.value.v", type_decimal(38, 3)),
		INCOMPATIBLE, "DECIMAL(P,2)");
	refused(type_of_column("m.value.v", type_decimal(37, 2)),
		INCOMPATIBLE, "cannot become");
	refused(type_of_column("name", type_of(TYPE_VARBINARY)),
		INCOMPATIBLE, "add a column");
	refused(type_of_column("s", type_of(TYPE_VARCHAR)), INCOMPATIBLE,
		"one by one");
	refused(type_of_column("nix", type_of(TYPE_BIGINT)),
		ERROR_UNKNOWN_COLUMN, "nix");
}
END_TEST

START_TEST(a_date_does_not_become_a_timestamp_in_any_version)
{
	make_world(3);
	ck_assert(evolve(add_of("", "d", type_of(TYPE_DATE))));
	refused(type_of_column("d", type_of(TYPE_TIMESTAMP)), INCOMPATIBLE,
		"cannot become");
}
END_TEST

START_TEST(fields_of_a_map_key_are_neither_added_nor_dropped)
{
	make_world(2);
	refused(add_of("m.key", "c", type_of(TYPE_INTEGER)), INCOMPATIBLE,
		"map's key");
	refused(change_of(TABLE_DROP_COLUMN, "m.key.a"), INCOMPATIBLE,
		"map's key");
	refused(change_of(TABLE_DROP_COLUMN, "m.key"), INCOMPATIBLE,
		"part of the type");
	refused(change_of(TABLE_DROP_NOT_NULL, "m.key"), INCOMPATIBLE,
		"never NULL");
}
END_TEST

START_TEST(parts_of_a_type_are_no_columns)
{
	make_world(2);
	refused(rename_of("tags.element", "e"), INCOMPATIBLE, "renamed");
	refused(change_of(TABLE_DROP_COLUMN, "m.value"), INCOMPATIBLE,
		"dropped");
	refused(move_of("m.value", NULL), INCOMPATIBLE, "moved");
	refused(add_of("tags", "n", type_of(TYPE_DATE)), INCOMPATIBLE,
		"tags.element");
	refused(add_of("m", "n", type_of(TYPE_DATE)), INCOMPATIBLE,
		"m.value");
	refused(add_of("id", "n", type_of(TYPE_DATE)), INCOMPATIBLE,
		"takes no fields");
}
END_TEST

START_TEST(names_that_differ_in_case_alone_are_one)
{
	struct table_change add = add_of("", "NAME", type_of(TYPE_DATE));

	make_world(2);
	refused(add, ERROR_COLUMN_EXISTS, "name");
	add.if_not_exists = true;
	ck_assert(!evolve(add));
	refused(rename_of("ts", "Name"), ERROR_COLUMN_EXISTS, "name");
	refused(rename_of("s.x", "Y"), ERROR_COLUMN_EXISTS, "field 'y'");
	ck_assert(evolve(rename_of("name", "Name")));
	ck_assert_int_eq(id_of("Name"), 2);
	refused(add_of("", "", type_of(TYPE_DATE)), ERROR_BAD_ARGUMENT,
		"without a name");
	refused(rename_of("ts", ""), ERROR_BAD_ARGUMENT, "without a name");
	refused(add_of("", "s.x", type_of(TYPE_DATE)), ERROR_COLUMN_EXISTS,
		"'s.x'");
}
END_TEST

START_TEST(if_exists_makes_a_missing_column_no_error)
{
	struct table_change c = change_of(TABLE_DROP_COLUMN, "nix");

	make_world(2);
	refused(c, ERROR_UNKNOWN_COLUMN, "nix");
	c.if_exists = true;
	ck_assert(!evolve(c));
	c = rename_of("s.nix", "a");
	c.if_exists = true;
	ck_assert(!evolve(c));
	c = type_of_column("nix", type_of(TYPE_BIGINT));
	c.if_exists = true;
	ck_assert(!evolve(c));
}
END_TEST

START_TEST(what_others_need_is_not_dropped)
{
	make_world(2);
	refused(change_of(TABLE_DROP_COLUMN, "id"), INCOMPATIBLE,
		"primary key");
	refused(change_of(TABLE_DROP_COLUMN, "tags.element.k"), INCOMPATIBLE,
		"drop 'element' as a whole");
	refused(change_of(TABLE_DROP_NOT_NULL, "id"), INCOMPATIBLE,
		"primary key");
}
END_TEST

START_TEST(the_last_column_stays)
{
	static const char *const names[] = { "name", "ts", "s", "tags", "m" };

	make_world(2);
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		ck_assert(evolve(change_of(TABLE_DROP_COLUMN, names[i])));
	ck_assert(evolve(change_of(TABLE_SET_IDENTIFIER, "")));
	refused(change_of(TABLE_DROP_COLUMN, "id"), INCOMPATIBLE,
		"only column");
}
END_TEST

START_TEST(the_primary_key_is_of_single_not_null_values)
{
	struct table_change c = change_of(TABLE_SET_IDENTIFIER, "");
	struct column_path path = path_of("name");

	make_world(2);
	c.paths = &path;
	c.path_count = 1;
	refused(c, INCOMPATIBLE, "set it NOT NULL first");
	path = path_of("s.y");
	refused(c, INCOMPATIBLE, "floating-point");
	path = path_of("s.x");
	refused(c, INCOMPATIBLE, "ROW that may be NULL");
	path = path_of("m.key.a");
	refused(c, INCOMPATIBLE, "inside an ARRAY");
	path = path_of("s");
	refused(c, INCOMPATIBLE, "single value");
	ck_assert(evolve(change_of(TABLE_SET_NOT_NULL, "name")));
	path = path_of("name");
	ck_assert(evolve(c));
	ck_has("\"identifier-field-ids\":[2]", true);
	ck_assert(evolve(change_of(TABLE_DROP_NOT_NULL, "id")));
	ck_assert(evolve(change_of(TABLE_SET_IDENTIFIER, "")));
	ck_assert(evolve(change_of(TABLE_DROP_COLUMN, "name")));
}
END_TEST

START_TEST(columns_leave_the_primary_key_one_by_one)
{
	struct table_change c = change_of(TABLE_DROP_IDENTIFIER, "");
	struct column_path path = path_of("name");

	make_world(2);
	c.paths = &path;
	c.path_count = 1;
	refused(c, ERROR_UNKNOWN_COLUMN, "not part of the primary key");
	path = path_of("nix");
	refused(c, ERROR_UNKNOWN_COLUMN, "nix");
	path = path_of("id");
	ck_assert(evolve(c));
	ck_has("\"schema-id\":1,\"identifier-field-ids\"", false);
	ck_assert(evolve(change_of(TABLE_DROP_COLUMN, "id")));
}
END_TEST

/* id 2 has a NULL, the others have not */
static int nulls_of(void *context, int32_t field_id, bool *out,
		    struct error *e)
{
	*(int *)context += 1;
	*out = field_id == 2;
	return field_id == 3 ? error_set(e, ERROR_IO, "no file") : 0;
}

START_TEST(not_null_is_for_columns_without_nulls)
{
	struct table_change c = change_of(TABLE_SET_NOT_NULL, "name");
	int asked = 0;
	struct evolve_options options = { nulls_of, &asked };
	bool changed;

	make_world(2);
	ck_assert(evolve(change_of(TABLE_SET_NOT_NULL, "ts")));
	ck_assert(evolve(change_of(TABLE_DROP_NOT_NULL, "ts")));
	give_rows();
	refused(c, INCOMPATIBLE, "may be rows");
	ck_assert_int_eq(metadata_evolve_with(metadata, &c, 1, &options,
					      &changed, &err), INCOMPATIBLE);
	c = change_of(TABLE_SET_NOT_NULL, "s.x");
	ck_ok(metadata_evolve_with(metadata, &c, 1, &options, &changed,
				   &err));
	ck_assert(changed && column_at("s.x")->required);
	c = change_of(TABLE_SET_NOT_NULL, "ts");
	ck_assert_int_eq(metadata_evolve_with(metadata, &c, 1, &options,
					      &changed, &err), ERROR_IO);
	ck_assert_int_eq(asked, 3);
}
END_TEST

START_TEST(a_not_null_column_needs_a_value_for_old_rows)
{
	struct table_change c = add_of("", "n", type_of(TYPE_BIGINT));
	struct literal value = int_value(7);

	c.column.required = true;
	make_world(3);
	give_rows();
	refused(c, INCOMPATIBLE, "give it a DEFAULT");
	c.default_value = &value;
	ck_assert(evolve(c));
	ck_has("{\"id\":16,\"name\":\"n\",\"required\":true,\"type\":\"long\","
	       "\"initial-default\":7,\"write-default\":7}", true);
}
END_TEST

START_TEST(a_new_column_is_set_not_null_by_its_default_alone)
{
	struct literal value = int_value(7);
	struct table_change c[2];

	c[0] = add_of("", "n", type_of(TYPE_BIGINT));
	c[1] = change_of(TABLE_SET_NOT_NULL, "n");
	make_world(3);
	give_rows();
	ck_assert(evolve_all(c, 1));
	refused(c[1], INCOMPATIBLE, "may be rows");
	ck_assert(evolve(change_of(TABLE_DROP_COLUMN, "n")));
	c[0].default_value = &value;
	ck_assert(evolve_all(c, 2));
	ck_assert(column_at("n")->required);
}
END_TEST

START_TEST(version_2_has_defaults_for_new_rows_alone)
{
	struct table_change c = add_of("", "n", type_of(TYPE_BIGINT));
	struct literal value = text_value("x\"y");

	c.default_value = &value;
	make_world(2);
	refused(c, INCOMPATIBLE, "format version 3");
	c = change_of(TABLE_SET_DEFAULT, "name");
	c.default_value = &value;
	ck_assert(evolve(c));
	ck_assert_str_eq(metadata_property(metadata, "rowmerge.default.2"),
			 "x\"y");
	ck_assert_int_eq((int)metadata->schema_count, 1);
	ck_assert(!evolve(c));
	c.path = path_of("tags.element.k");
	refused(c, INCOMPATIBLE, "format version 3");
	ck_assert(evolve(change_of(TABLE_DROP_DEFAULT, "name")));
	ck_assert_ptr_null(metadata_property(metadata, "rowmerge.default.2"));
	c.path = path_of("name");
	ck_assert(evolve(c));
	ck_assert(evolve(change_of(TABLE_DROP_COLUMN, "name")));
	ck_assert_ptr_null(metadata_property(metadata, "rowmerge.default.2"));
}
END_TEST

START_TEST(version_3_keeps_what_old_rows_have)
{
	struct literal seven = int_value(7), eight = int_value(8);
	struct table_change c = add_of("s", "n", type_of(TYPE_INTEGER));

	c.default_value = &seven;
	make_world(3);
	ck_assert(evolve(c));
	c = change_of(TABLE_SET_DEFAULT, "s.n");
	c.default_value = &eight;
	ck_assert(evolve(c));
	ck_has("\"initial-default\":7,\"write-default\":8", true);
	ck_assert(evolve(type_of_column("s.n", type_of(TYPE_BIGINT))));
	ck_has("\"type\":\"long\",\"initial-default\":7,\"write-default\":8",
	       true);
	ck_assert(evolve(change_of(TABLE_DROP_DEFAULT, "s.n")));
	ck_has("\"type\":\"long\",\"initial-default\":7}", true);
}
END_TEST

START_TEST(an_upgrade_takes_the_defaults_along)
{
	struct literal value = text_value("x");
	struct table_change c[2];

	c[0] = change_of(TABLE_SET_DEFAULT, "name");
	c[0].default_value = &value;
	c[1] = change_of(TABLE_UPGRADE, "");
	c[1].format_version = 3;
	make_world(2);
	ck_assert(evolve_all(c, 1));
	ck_assert(evolve_all(c + 1, 1));
	ck_assert_int_eq(metadata->format_version, 3);
	ck_assert_ptr_null(metadata_property(metadata, "rowmerge.default.2"));
	ck_has("\"type\":\"string\",\"write-default\":\"x\"", true);
	ck_assert(!evolve_all(c + 1, 1));
	c[1].format_version = 2;
	refused(c[1], ERROR_UNSUPPORTED, "cannot become one of version 2");
}
END_TEST

START_TEST(a_default_is_a_value_of_its_column)
{
	struct literal text = text_value("x"), number = int_value(5);
	struct table_change c = change_of(TABLE_SET_DEFAULT, "ts");

	make_world(3);
	c.default_value = &number;
	refused(c, ERROR_TYPE_MISMATCH, "is INTEGER, not TIMESTAMP");
	c.default_value = &text;
	refused(c, ERROR_TYPE_MISMATCH, "not a value of TIMESTAMP");
	text = text_value("2024-01-31");
	ck_assert(evolve(c));
	ck_has("\"write-default\":\"2024-01-31T00:00:00\"", true);
	c.path = path_of("s");
	refused(c, ERROR_UNSUPPORTED, "single values");
	c.path = path_of("tags.element");
	refused(c, INCOMPATIBLE, "part of the type");
	c.path = path_of("m.value.v");
	c.default_value = &number;
	ck_assert(evolve(c));
	ck_has("\"write-default\":\"5.00\"", true);
}
END_TEST

START_TEST(comments_are_kept_and_taken_away)
{
	struct table_change c = change_of(TABLE_SET_COMMENT, "s.x");

	make_world(2);
	c.name = "the \"x\"";
	ck_assert(evolve(c));
	ck_has("\"type\":\"int\",\"doc\":\"the \\\"x\\\"\"}", true);
	c.name = NULL;
	ck_assert(evolve(c));
	ck_assert_ptr_null(column_at("s.x")->doc);
}
END_TEST

START_TEST(properties_of_a_column_follow_it)
{
	struct table_change c[6];

	make_world(2);
	c[0] = property_of("write.metadata.metrics.column.s.x", "full");
	c[1] = property_of("write.parquet.bloom-filter-enabled.column.name",
			   "true");
	c[2] = property_of("write.metadata.metrics.column.other", "none");
	ck_assert(evolve_all(c, 3));
	c[0] = rename_of("s", "t");
	c[1] = rename_of("t.x", "z");
	c[2] = change_of(TABLE_DROP_COLUMN, "name");
	c[3] = add_of("", "name", type_of(TYPE_VARCHAR));
	c[4] = add_of("", "s", type_of(TYPE_VARCHAR));
	c[5] = property_of("write.metadata.metrics.column.s", "counts");
	ck_assert(evolve_all(c, 6));
	ck_has("write.metadata.metrics.column.t.z\":\"full\"", true);
	ck_has("write.metadata.metrics.column.s\":\"counts\"", true);
	ck_has("column.other\":\"none\"", true);
	ck_has("column.s.x", false);
	ck_has("bloom-filter", false);
}
END_TEST

#define MAPPING "schema.name-mapping.default"

START_TEST(the_name_mapping_learns_new_names_and_keeps_old_ones)
{
	struct table_change c[4];

	make_world(2);
	ck_assert(evolve(property_of(MAPPING, "[{\"field-id\":1,\"names\":"
		"[\"id\",\"no\"]},{\"names\":[\"zzz\"]},{\"field-id\":2,"
		"\"names\":[\"name\"]},{\"field-id\":4,\"names\":[\"s\"],"
		"\"fields\":[{\"field-id\":7,\"names\":[\"x\"]}]}]")));
	c[0] = rename_of("id", "key");
	c[1] = rename_of("s.x", "z");
	c[2] = add_of("s", "new", type_of(TYPE_DATE));
	c[3] = change_of(TABLE_DROP_COLUMN, "name");
	ck_assert(evolve_all(c, 4));
	ck_assert_str_eq(metadata_property(metadata, MAPPING),
		"[{\"field-id\":1,\"names\":[\"id\",\"no\",\"key\"]},"
		"{\"names\":[\"zzz\"]},{\"field-id\":2,\"names\":[\"name\"]},"
		"{\"field-id\":4,\"names\":[\"s\"],\"fields\":["
		"{\"field-id\":7,\"names\":[\"x\",\"z\"]},"
		"{\"field-id\":16,\"names\":[\"new\"]}]}]");
	/* files that have "name" mean the column that is gone */
	ck_assert(evolve(add_of("", "name", type_of(TYPE_VARCHAR))));
	ck_assert_ptr_nonnull(strstr(metadata_property(metadata, MAPPING),
		",{\"field-id\":17,\"names\":[]}]"));
}
END_TEST

START_TEST(a_name_mapping_that_is_none_is_said)
{
	make_world(2);
	ck_assert(evolve(property_of(MAPPING, "[{\"field-id\":")));
	refused(rename_of("id", "key"), ERROR_CORRUPT, MAPPING);
}
END_TEST

START_TEST(an_error_says_where_the_change_stands)
{
	struct table_change c = change_of(TABLE_DROP_COLUMN, "nix");

	c.line = 3;
	c.position = 14;
	make_world(2);
	refused(c, ERROR_UNKNOWN_COLUMN, "nix");
	ck_assert_int_eq((int)err.line, 3);
	ck_assert_int_eq((int)err.column, 14);
}
END_TEST

START_TEST(ids_do_not_run_over)
{
	make_world(2);
	metadata->last_column_id = INT32_MAX - 200;
	refused(add_of("", "n", type_of(TYPE_DATE)), ERROR_UNSUPPORTED,
		"no more column ids");
}
END_TEST

START_TEST(columns_that_cannot_be_are_refused)
{
	struct column_def fields[2];

	memset(fields, 0, sizeof(fields));
	fields[0].name = (char *)"a";
	fields[0].type = type_of(TYPE_DATE);
	fields[1].name = (char *)"A";
	fields[1].type = type_of(TYPE_DATE);
	make_world(2);
	refused(add_of("", "r", row_type(fields, 2)), ERROR_COLUMN_EXISTS,
		"twice");
	refused(add_of("", "r", row_type(fields, 0)), ERROR_UNSUPPORTED,
		"without fields");
	refused(add_of("", "r", type_of(TYPE_UNKNOWN)), ERROR_UNSUPPORTED,
		"UNKNOWN");
	fields[0].type = type_of(TYPE_TINYINT);
	refused(add_of("", "r", row_type(fields, 1)), ERROR_UNSUPPORTED,
		"TINYINT");
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
	struct literal value = text_value("v");
	struct table_change c[7];
	bool changed;
	int rc = ERROR_NO_MEMORY;

	c[0] = rename_of("s.x", "z");
	c[1] = add_of("", "n", type_of(TYPE_VARCHAR));
	c[1].default_value = &value;
	c[2] = change_of(TABLE_DROP_COLUMN, "tags");
	c[3] = field_of(TABLE_ADD_PARTITION_FIELD, "bucket[4]", "id");
	c[4] = change_of(TABLE_SET_COMMENT, "ts");
	c[4].name = "when";
	c[5] = change_of(TABLE_UPGRADE, "");
	c[5].format_version = 3;
	c[6] = property_of("write.metadata.metrics.column.s.z", "full");
	for (long n = 0; rc; n++) {
		make_world(3);
		ck_assert(evolve(property_of(MAPPING, "[{\"field-id\":1,"
				"\"names\":[\"id\"]}]")));
		error_init(&err);
		mem_fail_at(n);
		rc = metadata_evolve(metadata, c, 7, &changed, &err);
		mem_fail_at(-1);
		ck_assert_msg(!rc || rc == ERROR_NO_MEMORY, "%s", err.text);
		ck_assert_int_eq(rc, err.code);
		if (rc)
			table_metadata_free(metadata);
	}
	ck_assert_int_eq(id_of("n"), 16);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("schema_evolution");
	TCase *tc = tcase_create("schema_evolution");

	tcase_add_checked_fixture(tc, world_set_up, world_tear_down);
	tcase_add_test(tc, an_added_column_takes_the_next_id_and_stands_last);
	tcase_add_test(tc, columns_go_where_they_are_put_at_any_depth);
	tcase_add_test(tc, nested_columns_get_ids_outer_before_inner);
	tcase_add_test(tc, a_name_dropped_and_added_again_is_another_column);
	tcase_add_test(tc, ids_of_the_last_columns_dropped_are_not_given_again);
	tcase_add_test(tc, what_a_statement_takes_back_changes_nothing);
	tcase_add_test(tc, renaming_and_moving_keep_ids);
	tcase_add_test(tc, names_can_be_exchanged);
	tcase_add_test(tc, moving_a_column_puts_it_behind_the_named_one);
	tcase_add_test(tc, types_are_widened_and_nothing_else);
	tcase_add_test(tc, a_date_does_not_become_a_timestamp_in_any_version);
	tcase_add_test(tc, fields_of_a_map_key_are_neither_added_nor_dropped);
	tcase_add_test(tc, parts_of_a_type_are_no_columns);
	tcase_add_test(tc, names_that_differ_in_case_alone_are_one);
	tcase_add_test(tc, if_exists_makes_a_missing_column_no_error);
	tcase_add_test(tc, what_others_need_is_not_dropped);
	tcase_add_test(tc, the_last_column_stays);
	tcase_add_test(tc, the_primary_key_is_of_single_not_null_values);
	tcase_add_test(tc, columns_leave_the_primary_key_one_by_one);
	tcase_add_test(tc, not_null_is_for_columns_without_nulls);
	tcase_add_test(tc, a_not_null_column_needs_a_value_for_old_rows);
	tcase_add_test(tc, a_new_column_is_set_not_null_by_its_default_alone);
	tcase_add_test(tc, version_2_has_defaults_for_new_rows_alone);
	tcase_add_test(tc, version_3_keeps_what_old_rows_have);
	tcase_add_test(tc, an_upgrade_takes_the_defaults_along);
	tcase_add_test(tc, a_default_is_a_value_of_its_column);
	tcase_add_test(tc, comments_are_kept_and_taken_away);
	tcase_add_test(tc, properties_of_a_column_follow_it);
	tcase_add_test(tc,
		       the_name_mapping_learns_new_names_and_keeps_old_ones);
	tcase_add_test(tc, a_name_mapping_that_is_none_is_said);
	tcase_add_test(tc, an_error_says_where_the_change_stands);
	tcase_add_test(tc, ids_do_not_run_over);
	tcase_add_test(tc, columns_that_cannot_be_are_refused);
	tcase_add_test(tc, each_failed_allocation_is_reported);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
