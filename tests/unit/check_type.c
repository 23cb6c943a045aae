#include <stdio.h>
#include "unit/check_main.h"
#include "column/column.h"

static struct column_def field(const char *name, struct type type)
{
	struct column_def def = { 0 };

	def.name = (char *)name;
	def.type = type;
	return def;
}

static struct type nested(enum type_id id, struct column_def *fields,
			  size_t count)
{
	struct type type = type_of(id);

	type.fields = fields;
	type.field_count = count;
	return type;
}

START_TEST(each_type_has_its_width_and_its_sql_name)
{
	struct type fixed = type_of(TYPE_FIXED);
	const struct {
		struct type type;
		size_t width;
		const char *name;
	} rows[] = {
		{ type_of(TYPE_UNKNOWN), 1, "UNKNOWN" },
		{ type_of(TYPE_BOOLEAN), 1, "BOOLEAN" },
		{ type_of(TYPE_TINYINT), 1, "TINYINT" },
		{ type_of(TYPE_INTEGER), 4, "INTEGER" },
		{ type_of(TYPE_BIGINT), 8, "BIGINT" },
		{ type_of(TYPE_REAL), 4, "REAL" },
		{ type_of(TYPE_DOUBLE), 8, "DOUBLE" },
		{ type_decimal(18, 2), 8, "DECIMAL(18,2)" },
		{ type_decimal(19, 0), 16, "DECIMAL(19,0)" },
		{ type_of(TYPE_DATE), 4, "DATE" },
		{ type_of(TYPE_TIME), 8, "TIME" },
		{ type_of(TYPE_TIMESTAMP), 8, "TIMESTAMP" },
		{ type_of(TYPE_TIMESTAMP_TZ), 8, "TIMESTAMP WITH TIME ZONE" },
		{ type_of(TYPE_VARCHAR), 16, "VARCHAR" },
		{ type_of(TYPE_VARBINARY), 16, "VARBINARY" },
		{ fixed, 16, "FIXED(0)" },
		{ type_of(TYPE_UUID), 16, "UUID" },
		{ type_of(TYPE_ROW), 16, "ROW()" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char name[TYPE_NAME_BYTES];
		struct text text = TEXT_INIT;

		ck_assert_uint_eq(type_width(&rows[i].type), rows[i].width);
		ck_assert_str_eq(type_name(&rows[i].type, name),
				 rows[i].name);
		ck_assert(type_format(&rows[i].type, &text));
		ck_assert_str_eq(text.data, rows[i].name);
		text_release(&text);
		for (size_t j = 0; j < ARRAY_COUNT(rows); j++)
			ck_assert(type_equal(&rows[i].type, &rows[j].type) ==
				  (i == j));
	}
}
END_TEST

START_TEST(a_nested_type_names_its_fields)
{
	struct column_def element = field("element", type_decimal(9, 1));
	struct column_def fields[] = {
		field("plain_1", nested(TYPE_ARRAY, &element, 1)),
		field("odd \"name", type_of(TYPE_DATE)),
	};
	struct column_def entry[] = {
		field("key", type_of(TYPE_VARCHAR)),
		field("value", nested(TYPE_ROW, fields, 2)),
	};
	struct type map = nested(TYPE_MAP, entry, 2);
	char name[TYPE_NAME_BYTES];

	ck_assert_str_eq(type_name(&map, name),
			 "MAP(VARCHAR, ROW(plain_1 ARRAY(DECIMAL(9,1)), "
			 "\"odd \"\"name\" DATE))");
	ck_assert(type_is_nested(&map) && !type_is_numeric(&map));
}
END_TEST

START_TEST(rows_are_equal_by_names_and_types_and_not_by_ids)
{
	struct column_def a[] = { field("x", type_of(TYPE_DATE)),
				  field("y", type_decimal(5, 2)) };
	struct column_def b[] = { field("x", type_of(TYPE_DATE)),
				  field("y", type_decimal(5, 2)) };
	struct type ta = nested(TYPE_ROW, a, 2), tb = nested(TYPE_ROW, b, 2);

	b[1].field_id = 7;
	ck_assert(type_equal(&ta, &tb));
	b[1].type.scale = 1;
	ck_assert(!type_equal(&ta, &tb));
	b[1].type.scale = 2;
	b[1].required = true;
	ck_assert(!type_equal(&ta, &tb));
	b[1].required = false;
	b[0].name = (char *)"X";
	ck_assert(!type_equal(&ta, &tb));
	tb = nested(TYPE_ROW, a, 1);
	ck_assert(!type_equal(&ta, &tb));
	/* an array's element has no name of its own */
	ta = nested(TYPE_ARRAY, a, 1);
	tb = nested(TYPE_ARRAY, b, 1);
	ck_assert(type_equal(&ta, &tb));
}
END_TEST

START_TEST(a_type_inside_itself_ends_at_the_nesting_limit)
{
	struct column_def loop = field("element", type_of(TYPE_ARRAY));
	struct text text = TEXT_INIT;

	loop.type.fields = &loop;
	loop.type.field_count = 1;
	ck_assert(!type_equal(&loop.type, &loop.type));
	ck_assert(type_format(&loop.type, &text));
	ck_assert_uint_lt(text.length, 7 * (TYPE_NESTING_LIMIT + 4));
	text_release(&text);
}
END_TEST

START_TEST(a_name_that_is_too_long_is_cut)
{
	struct column_def fields[32];
	struct type row = nested(TYPE_ROW, fields, 32);
	char name[TYPE_NAME_BYTES];

	for (size_t i = 0; i < 32; i++)
		fields[i] = field("abcdefgh", type_of(TYPE_TIMESTAMP_TZ));
	type_name(&row, name);
	ck_assert_uint_eq(strlen(name), TYPE_NAME_BYTES - 1);
	ck_assert(text_starts_with(name, "ROW(abcdefgh TIMESTAMP"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("type");
	TCase *tc = tcase_create("type");

	tcase_add_test(tc, each_type_has_its_width_and_its_sql_name);
	tcase_add_test(tc, a_nested_type_names_its_fields);
	tcase_add_test(tc, rows_are_equal_by_names_and_types_and_not_by_ids);
	tcase_add_test(tc, a_type_inside_itself_ends_at_the_nesting_limit);
	tcase_add_test(tc, a_name_that_is_too_long_is_cut);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
