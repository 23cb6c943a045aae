#include "unit/nested_model.h"

#define TREE_COUNT 100

static struct error err;
static struct model model;
static struct arena heap;

static void start(uint64_t seed)
{
	memset(&model, 0, sizeof(model));
	model.seed = seed * 2654435761u + 1;
}

static void stop(void)
{
	arena_release(&model.arena);
	arena_release(&heap);
}

/* A type with something nested in it, and trees of it. */
static struct type some_trees(const struct tree **trees, bool nulls)
{
	struct type type;

	do
		type = model_type(&model, 3);
	while (!type_is_nested(&type));
	for (size_t i = 0; i < TREE_COUNT; i++) {
		struct tree tree = model_tree(&model, &type, nulls);

		trees[i] = arena_copy(&model.arena, &tree, sizeof(tree));
	}
	return type;
}

START_TEST(what_is_packed_is_unpacked_again)
{
	const struct tree *trees[TREE_COUNT];
	struct vector packed;
	struct type type;

	start((uint64_t)_i);
	type = some_trees(trees, _i % 2);
	vector_init(&packed, type);
	ck_ok(model_build(&type, trees, TREE_COUNT, &packed, &heap, &err));
	ck_assert_int_eq(vector_has_nulls(&packed),
			 vector_null_count(&packed) > 0);
	model_check(&type, trees, TREE_COUNT, &packed);
	vector_release(&packed);
	stop();
}
END_TEST

static int sign(int order)
{
	return (order > 0) - (order < 0);
}

START_TEST(order_and_hash_agree_with_trees)
{
	const struct tree *trees[TREE_COUNT];
	struct selection all = selection_all(TREE_COUNT);
	uint64_t hashes[TREE_COUNT];
	struct vector packed;
	struct type type;

	start(1000 + (uint64_t)_i);
	type = some_trees(trees, _i % 2);
	vector_init(&packed, type);
	ck_ok(model_build(&type, trees, TREE_COUNT, &packed, &heap, &err));
	vector_hash(&packed, &all, true, hashes);
	for (size_t i = 0; i < TREE_COUNT; i++)
		for (size_t j = 0; j < TREE_COUNT; j++) {
			int wanted = sign(model_compare(&type, trees[i],
							trees[j]));
			uint32_t at[2] = { (uint32_t)i, (uint32_t)j };
			uint64_t same = 1, alike = 1;

			vector_and_same(&packed, at, &packed, at + 1, 1,
					&same);
			vector_and_identical(&packed, at, &packed, at + 1, 1,
					     &alike);
			ck_assert_int_eq(same & 1, wanted == 0);
			ck_assert(!(alike & 1) || wanted == 0);
			ck_assert(wanted != 0 || hashes[i] == hashes[j]);
			ck_assert(wanted == 0 || hashes[i] != hashes[j]);
			if (!trees[i]->is_null && !trees[j]->is_null)
				ck_assert_int_eq(sign(vector_compare_values(
					&packed, i, &packed, j)), wanted);
		}
	vector_release(&packed);
	stop();
}
END_TEST

START_TEST(a_gathered_copy_does_not_need_the_packed_bytes)
{
	const struct tree *trees[TREE_COUNT], *wanted[TREE_COUNT];
	struct vector packed, gathered;
	uint32_t index[TREE_COUNT];
	struct arena copies = { 0 };
	struct type type;

	start(2000 + (uint64_t)_i);
	type = some_trees(trees, true);
	vector_init(&packed, type);
	vector_init(&gathered, type);
	ck_ok(model_build(&type, trees, TREE_COUNT, &packed, &heap, &err));
	for (size_t i = 0; i < TREE_COUNT; i++) {
		index[i] = model_random(&model, TREE_COUNT);
		wanted[i] = trees[index[i]];
	}
	ck_ok(vector_gather(&gathered, &packed, index, TREE_COUNT, &copies,
			    &err));
	vector_release(&packed);
	arena_release(&heap);
	model_check(&type, wanted, TREE_COUNT, &gathered);
	vector_release(&gathered);
	arena_release(&copies);
	stop();
}
END_TEST

START_TEST(literals_carry_packed_values)
{
	const struct tree *trees[TREE_COUNT];
	struct vector packed, appended;
	struct type type;

	start(3000 + (uint64_t)_i);
	type = some_trees(trees, true);
	vector_init(&packed, type);
	vector_init(&appended, type);
	ck_ok(model_build(&type, trees, TREE_COUNT, &packed, &heap, &err));
	for (size_t i = 0; i < TREE_COUNT; i++) {
		struct literal value = vector_get(&packed, i), copy;

		ck_ok(literal_copy(&copy, &value, &model.arena, &err));
		if (!value.is_null && value.value.bytes.length)
			ck_assert_ptr_ne(copy.value.bytes.data,
					 value.value.bytes.data);
		ck_ok(vector_append(&appended, &copy, &err));
	}
	arena_release(&heap);
	model_check(&type, trees, TREE_COUNT, &appended);
	if (!vector_is_null(&appended, 7)) {
		struct literal seven = vector_get(&appended, 7);

		for (size_t i = 0; i < TREE_COUNT; i++)
			trees[i] = trees[7];
		ck_ok(vector_fill(&packed, &seven, TREE_COUNT, &err));
		model_check(&type, trees, TREE_COUNT, &packed);
	}
	vector_release(&packed);
	vector_release(&appended);
	stop();
}
END_TEST

START_TEST(a_failed_allocation_leaves_an_empty_vector)
{
	const struct tree *trees[TREE_COUNT];
	struct vector packed;
	struct type type;
	int rc = -1;

	start(4000 + (uint64_t)_i);
	type = some_trees(trees, true);
	vector_init(&packed, type);
	for (long n = 0; rc; n++) {
		mem_fail_at(n);
		rc = model_build(&type, trees, TREE_COUNT, &packed, &heap,
				 &err);
		mem_fail_at(-1);
		if (rc) {
			ck_assert_int_eq(rc, ERROR_NO_MEMORY);
			ck_assert_uint_eq(packed.count, 0);
		}
		ck_assert(n < 10000);
	}
	model_check(&type, trees, TREE_COUNT, &packed);
	vector_release(&packed);
	stop();
}
END_TEST

static struct literal integer(int32_t number)
{
	struct literal value = literal_null(type_of(TYPE_INTEGER));

	value.is_null = false;
	value.value.int32 = number;
	return value;
}

static struct literal varchar(const char *text)
{
	struct literal value = literal_null(type_of(TYPE_VARCHAR));

	value.is_null = false;
	value.value.bytes = byte_view(text, strlen(text));
	return value;
}

static struct literal real64(double number)
{
	struct literal value = literal_null(type_of(TYPE_DOUBLE));

	value.is_null = false;
	value.value.real64 = number;
	return value;
}

static struct literal array_of(struct type element,
			       const struct literal *values, size_t count)
{
	struct type type = model_list_type(&model, TYPE_ARRAY, element,
					   element);
	uint32_t offsets[2] = { 0, (uint32_t)count };
	struct vector elements, out;
	struct literal value;

	vector_init(&elements, element);
	vector_init(&out, type);
	for (size_t i = 0; i < count; i++)
		ck_ok(vector_append(&elements, &values[i], &err));
	ck_ok(nested_pack_lists(&out, &elements, offsets, NULL, 1, &heap,
				&err));
	value = vector_get(&out, 0);
	vector_release(&elements);
	vector_release(&out);
	return value;
}

static int pack_map(struct literal *out, const struct literal *keys,
		    const struct literal *values, size_t count)
{
	struct type type = model_list_type(&model, TYPE_MAP, keys->type,
					   values->type);
	uint32_t offsets[2] = { 0, (uint32_t)count };
	struct vector key, value, map;
	int rc;

	vector_init(&key, keys->type);
	vector_init(&value, values->type);
	vector_init(&map, type);
	for (size_t i = 0; i < count; i++) {
		ck_ok(vector_append(&key, &keys[i], &err));
		ck_ok(vector_append(&value, &values[i], &err));
	}
	rc = nested_pack_maps(&map, &key, &value, offsets, NULL, 1, &heap,
			      &err);
	*out = rc ? literal_null(type) : vector_get(&map, 0);
	ck_assert_uint_eq(map.count, rc ? 0 : 1);
	vector_release(&key);
	vector_release(&value);
	vector_release(&map);
	return rc;
}

static int equal_sql(const struct literal *a, const struct literal *b)
{
	return nested_equal_sql(&a->type, a->value.bytes, b->value.bytes);
}

START_TEST(sql_equality_is_false_before_it_is_unknown)
{
	const struct literal none = literal_null(type_of(TYPE_INTEGER));
	const struct literal one_null[] = { integer(1), none };
	const struct literal two_null[] = { integer(2), none };
	const struct literal one_two[] = { integer(1), integer(2) };
	struct literal a, b, c;

	start(1);
	a = array_of(none.type, one_null, 2);
	b = array_of(none.type, two_null, 2);
	c = array_of(none.type, one_two, 2);
	ck_assert_int_eq(equal_sql(&a, &b), 0);
	ck_assert_int_eq(equal_sql(&a, &a), -1);
	ck_assert_int_eq(equal_sql(&a, &c), -1);
	ck_assert_int_eq(equal_sql(&c, &c), 1);
	c = array_of(none.type, one_two, 1);
	ck_assert_int_eq(equal_sql(&a, &c), 0);
	stop();
}
END_TEST

START_TEST(not_a_number_inside_is_the_same_but_equals_nothing)
{
	const struct literal nan = real64(0.0 / 0.0);
	const struct literal plus = real64(0.0), minus = real64(-0.0);
	struct literal a, b, c;

	start(1);
	a = array_of(nan.type, &nan, 1);
	ck_assert_int_eq(literal_compare(&a, &a), 0);
	ck_assert_int_eq(equal_sql(&a, &a), 0);
	b = array_of(nan.type, &plus, 1);
	c = array_of(nan.type, &minus, 1);
	ck_assert_int_eq(literal_compare(&b, &c), 0);
	ck_assert_int_eq(equal_sql(&b, &c), 1);
	ck_assert_uint_eq(nested_hash(&b.type, b.value.bytes),
			  nested_hash(&c.type, c.value.bytes));
	ck_assert(!nested_identical(&b.type, b.value.bytes, c.value.bytes));
	stop();
}
END_TEST

START_TEST(maps_are_equal_in_any_order_but_not_identical)
{
	const struct literal keys[] = { varchar("b"), varchar("a"),
					varchar("") };
	const struct literal values[] = { integer(1), integer(2),
				literal_null(type_of(TYPE_INTEGER)) };
	const struct literal other_keys[] = { keys[1], keys[2], keys[0] };
	const struct literal other_values[] = { values[1], values[2],
						values[0] };
	const struct literal missing = varchar("c");
	struct literal a, b;

	start(1);
	ck_ok(pack_map(&a, keys, values, 3));
	ck_ok(pack_map(&b, other_keys, other_values, 3));
	ck_assert_int_eq(literal_compare(&a, &b), 0);
	ck_assert_int_eq(equal_sql(&a, &b), -1);
	ck_assert_uint_eq(nested_hash(&a.type, a.value.bytes),
			  nested_hash(&b.type, b.value.bytes));
	ck_assert(!nested_identical(&a.type, a.value.bytes, b.value.bytes));
	ck_literal(nested_key(&a.type, a.value.bytes, 0), keys[0]);
	for (size_t i = 0; i < 3; i++)
		ck_assert_uint_eq(nested_find_key(&a.type, a.value.bytes,
						  &keys[i]), i);
	ck_assert_uint_eq(nested_find_key(&a.type, a.value.bytes, &missing),
			  SIZE_MAX);
	ck_ok(pack_map(&a, keys, values, 2));
	ck_ok(pack_map(&b, other_keys, values, 2));
	ck_assert_int_eq(equal_sql(&a, &b), 0);
	stop();
}
END_TEST

START_TEST(a_map_refuses_a_null_key_and_a_doubled_one)
{
	struct literal keys[40], values[40], map;

	start(1);
	for (int32_t i = 0; i < 40; i++)
		keys[i] = values[i] = integer(i * 7919 % 40);
	ck_ok(pack_map(&map, keys, values, 40));
	keys[39] = keys[3];
	ck_assert_int_eq(pack_map(&map, keys, values, 40),
			 ERROR_BAD_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "has the key 37 twice"));
	keys[39] = literal_null(keys[0].type);
	ck_assert_int_eq(pack_map(&map, keys, values, 40),
			 ERROR_BAD_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(err.text, "is null"));
	stop();
}
END_TEST

START_TEST(a_value_of_two_gigabytes_is_refused)
{
	struct byte_view views[] = { { (const uint8_t *)"", INT32_MAX / 2 },
				     { (const uint8_t *)"", INT32_MAX / 2 } };
	struct column_def fields[] = { { .name = (char *)"a" },
				       { .name = (char *)"b" } };
	struct type row = type_of(TYPE_ROW);
	struct vector texts, out, list;
	const struct vector *pair[] = { &texts, &texts };
	uint32_t offsets[] = { 0, 2 };

	start(1);
	fields[0].type = fields[1].type = type_of(TYPE_VARCHAR);
	row.fields = fields;
	row.field_count = 2;
	vector_init(&texts, type_of(TYPE_VARCHAR));
	texts.count = 1;
	texts.data = views;
	vector_init(&out, row);
	ck_assert_int_eq(nested_pack_rows(&out, pair, NULL, 1, &heap, &err),
			 ERROR_OVERFLOW);
	ck_assert_ptr_nonnull(strstr(err.text, "ROW(a VARCHAR, b VARCHAR)"));
	vector_init(&list, model_list_type(&model, TYPE_ARRAY, row,
					   texts.type));
	texts.count = 2;
	ck_assert_int_eq(nested_pack_lists(&list, &texts, offsets, NULL, 1,
					   &heap, &err), ERROR_OVERFLOW);
	views[1].length = SIZE_MAX / 2;
	ck_assert_int_eq(nested_pack_lists(&list, &texts, offsets, NULL, 1,
					   &heap, &err), ERROR_OVERFLOW);
	vector_release(&out);
	vector_release(&list);
	stop();
}
END_TEST

static void check_text(const struct literal *value, const char *json,
		       const char *sql)
{
	struct text text = TEXT_INIT;

	ck_assert(format_literal(value, &text));
	ck_assert_str_eq(text.data, json);
	text_reset(&text);
	ck_assert(format_literal_sql(value, &text));
	ck_assert_str_eq(text.data, sql);
	text_release(&text);
}

START_TEST(text_of_nested_values_is_json)
{
	const struct literal texts[] = { varchar("it's"), varchar("a\"b"),
					 varchar("") };
	const struct literal numbers[] = { real64(1.5), real64(0.0 / 0.0),
					   real64(-1.0 / 0.0) };
	struct literal values[2], map;

	start(1);
	values[0] = array_of(texts[0].type, texts, 3);
	check_text(&values[0], "[\"it's\",\"a\\\"b\",\"\"]",
		   "ARRAY['it''s', 'a\"b', '']");
	values[0] = array_of(numbers[0].type, numbers, 3);
	check_text(&values[0], "[1.5,\"NaN\",\"-Infinity\"]",
		   "ARRAY[DOUBLE '1.5', DOUBLE 'NaN', DOUBLE '-Infinity']");
	values[1] = literal_null(values[0].type);
	ck_ok(pack_map(&map, numbers, values, 2));
	check_text(&map, "{\"1.5\":[1.5,\"NaN\",\"-Infinity\"],\"NaN\":null}",
		   "MAP(ARRAY[DOUBLE '1.5', DOUBLE 'NaN'], ARRAY[ARRAY["
		   "DOUBLE '1.5', DOUBLE 'NaN', DOUBLE '-Infinity'], NULL])");
	values[0] = array_of(texts[0].type, texts, 0);
	check_text(&values[0], "[]", "ARRAY[]");
	stop();
}
END_TEST

START_TEST(a_row_is_an_object_in_field_order)
{
	struct column_def defs[4] = { { .name = (char *)"z" },
		{ .name = (char *)"A b" }, { .name = (char *)"day" },
		{ .name = (char *)"amount" } };
	struct type row = type_of(TYPE_ROW);
	struct literal values[4], packed;
	struct vector fields[4], out;
	const struct vector *pointers[4];
	struct literal amount = literal_null(type_decimal(38, 2));
	struct literal day = literal_null(type_of(TYPE_DATE));
	struct literal flag = literal_null(type_of(TYPE_BOOLEAN));

	start(1);
	amount.is_null = day.is_null = flag.is_null = false;
	amount.value.decimal = -(int128_t)1000000000000000000 * 1000 - 5;
	day.value.int32 = -1;
	flag.value.boolean = 1;
	values[0] = flag;
	values[1] = literal_null(type_of(TYPE_VARCHAR));
	values[2] = day;
	values[3] = amount;
	for (size_t i = 0; i < 4; i++) {
		defs[i].type = values[i].type;
		vector_init(&fields[i], values[i].type);
		ck_ok(vector_append(&fields[i], &values[i], &err));
		pointers[i] = &fields[i];
	}
	row.fields = defs;
	row.field_count = 4;
	vector_init(&out, row);
	ck_ok(nested_pack_rows(&out, pointers, NULL, 1, &heap, &err));
	packed = vector_get(&out, 0);
	check_text(&packed, "{\"z\":true,\"A b\":null,\"day\":\"1969-12-31\","
		   "\"amount\":-10000000000000000000.05}",
		   "ROW(true, NULL, DATE '1969-12-31', "
		   "DECIMAL '-10000000000000000000.05')");
	for (size_t i = 0; i < 4; i++) {
		ck_literal(nested_field(&row, packed.value.bytes, i),
			   values[i]);
		vector_release(&fields[i]);
	}
	vector_release(&out);
	stop();
}
END_TEST

START_TEST(there_is_no_least_nested_value)
{
	const struct literal number = integer(1);
	struct literal array, least, greatest;
	struct vector vector;

	start(1);
	array = array_of(number.type, &number, 1);
	vector_init(&vector, array.type);
	ck_ok(vector_append(&vector, &array, &err));
	vector_min_max(&vector, &least, &greatest, NULL);
	ck_assert(least.is_null && greatest.is_null);
	vector_release(&vector);
	stop();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("nested");
	TCase *tc = tcase_create("nested");

	tcase_add_loop_test(tc, what_is_packed_is_unpacked_again, 0, 60);
	tcase_add_loop_test(tc, order_and_hash_agree_with_trees, 0, 40);
	tcase_add_loop_test(tc, a_gathered_copy_does_not_need_the_packed_bytes,
			    0, 10);
	tcase_add_loop_test(tc, literals_carry_packed_values, 0, 20);
	tcase_add_loop_test(tc, a_failed_allocation_leaves_an_empty_vector, 0,
			    5);
	tcase_add_test(tc, sql_equality_is_false_before_it_is_unknown);
	tcase_add_test(tc, not_a_number_inside_is_the_same_but_equals_nothing);
	tcase_add_test(tc, maps_are_equal_in_any_order_but_not_identical);
	tcase_add_test(tc, a_map_refuses_a_null_key_and_a_doubled_one);
	tcase_add_test(tc, a_value_of_two_gigabytes_is_refused);
	tcase_add_test(tc, text_of_nested_values_is_json);
	tcase_add_test(tc, a_row_is_an_object_in_field_order);
	tcase_add_test(tc, there_is_no_least_nested_value);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
