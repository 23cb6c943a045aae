#include "unit/expr_build.h"
#include "expr/kernel.h"

/* What of nested values needs no SQL; the values of expressions and whole
 * batches are in check_bind_nested.c. */

static struct column_def fields_ab[2], fields_cd[2], fields_one[1];

static struct column_def field(const char *name, enum type_id id,
			       bool required)
{
	struct column_def def;

	memset(&def, 0, sizeof(def));
	def.name = (char *)(uintptr_t)name;
	def.type = type_of(id);
	def.required = required;
	return def;
}

static struct type row_type(struct column_def *fields, size_t count)
{
	struct type type = type_of(TYPE_ROW);

	type.fields = fields;
	type.field_count = count;
	return type;
}

/* ROW(a INTEGER, b VARCHAR) */
static struct type row_ab(void)
{
	fields_ab[0] = field("a", TYPE_INTEGER, false);
	fields_ab[1] = field("b", TYPE_VARCHAR, false);
	return row_type(fields_ab, 2);
}

/* ROW(a BIGINT NOT NULL, d VARCHAR) */
static struct type row_cd(void)
{
	fields_cd[0] = field("a", TYPE_BIGINT, true);
	fields_cd[1] = field("d", TYPE_VARCHAR, false);
	return row_type(fields_cd, 2);
}

static struct type array_of(enum type_id id)
{
	struct type element = type_of(id), type;

	ck_assert(type_array_of(&arena, &element, &type));
	return type;
}

static const char *named(const struct type *type)
{
	char *name = arena_alloc(&arena, TYPE_NAME_BYTES);

	return type_name(type, name);
}

START_TEST(a_field_reads_the_column_of_its_row)
{
	struct expr *column = expr_column(&arena, 3, row_ab());
	struct expr *b = expr_field(&arena, column, 1), *other;
	const size_t map[] = { 9, 9, 9, 7 };
	bool used[8] = { false };

	ck_assert_int_eq(b->type.id, TYPE_VARCHAR);
	expr_mark_columns(b, used);
	ck_assert(used[3] && !used[1]);
	ck_assert(!expr_is_constant(b));
	other = expr_remap(&arena, b, map);
	ck_assert_uint_eq(other->field, 1);
	ck_assert_uint_eq(other->args[0]->column, 7);
	ck_assert(!expr_equal(b, other));
	ck_assert(expr_equal(b, expr_field(&arena, column, 1)));
	ck_assert(!expr_equal(expr_field(&arena, column, 0),
			      expr_field(&arena, expr_column(&arena, 3,
							     row_ab()), 1)));
	ck_assert(!expr_can_fail(b));
}
END_TEST

static struct expr *row_of(const char *a, const char *b)
{
	struct expr *row = NODE(EXPR_CALL, row_ab(), lit(a), lit(b));
	struct type args[2] = { type_of(TYPE_INTEGER), type_of(TYPE_VARCHAR) };
	struct type wanted[2];
	struct function_lookup lookup = { "row", args, 2, &arena, wanted, NULL,
					  { 0 } };

	ck_assert_int_eq(function_find(&lookup, &err), 0);
	row->function = lookup.function;
	return row;
}

START_TEST(a_constant_row_and_its_field_are_folded)
{
	struct expr *row = row_of("INTEGER:7", "VARCHAR:x");
	struct expr *b = expr_field(&arena, row_of("INTEGER:7", "VARCHAR"), 1);

	ck_assert_int_eq(expr_fold(&row, &arena, &err), 0);
	ck_assert_int_eq(row->kind, EXPR_LITERAL);
	ck_assert_str_eq(shown(&row->literal), "{\"a\":7,\"b\":\"x\"}");
	ck_assert_int_eq(expr_fold(&b, &arena, &err), 0);
	ck_assert_int_eq(b->kind, EXPR_LITERAL);
	ck_assert(b->literal.is_null);
	ck_assert(expr_equal(row, row));
}
END_TEST

START_TEST(nested_literals_are_equal_bit_by_bit)
{
	struct expr *a = row_of("INTEGER:7", "VARCHAR:x");
	struct expr *b = row_of("INTEGER:7", "VARCHAR:x");
	struct expr *c = row_of("INTEGER:7", "VARCHAR:y");

	ck_assert_int_eq(expr_fold(&a, &arena, &err), 0);
	ck_assert_int_eq(expr_fold(&b, &arena, &err), 0);
	ck_assert_int_eq(expr_fold(&c, &arena, &err), 0);
	ck_assert(expr_equal(a, b));
	ck_assert(!expr_equal(a, c));
}
END_TEST

START_TEST(types_meet_part_by_part)
{
	struct type ab = row_ab(), cd = row_cd(), out;
	struct type narrow = array_of(TYPE_INTEGER);
	struct type wide = array_of(TYPE_DOUBLE);
	struct type text = array_of(TYPE_VARCHAR);
	struct type none = array_of(TYPE_UNKNOWN);

	ck_assert(type_unify(&arena, &ab, &cd, &out));
	ck_assert_str_eq(named(&out), "ROW(a BIGINT, VARCHAR)");
	ck_assert(!out.fields[0].required);
	ck_assert(type_unify(&arena, &narrow, &wide, &narrow));
	ck_assert_str_eq(named(&narrow), "ARRAY(DOUBLE)");
	narrow = array_of(TYPE_INTEGER);
	ck_assert(!type_unify(&arena, &narrow, &text, &out));
	ck_assert(!type_unify(&arena, &narrow, &ab, &out));
	ck_assert(type_unify(&arena, &none, &narrow, &out));
	ck_assert_str_eq(named(&out), "ARRAY(INTEGER)");
	/* without an arena only one of the two */
	ck_assert(type_common(&narrow, &wide, &out));
	ck_assert_str_eq(named(&out), "ARRAY(DOUBLE)");
	ck_assert(!type_common(&narrow, &text, &out));
	ck_assert(type_has_unknown(&none) && !type_has_unknown(&ab));
}
END_TEST

START_TEST(nested_types_coerce_assign_and_cast_as_their_parts_do)
{
	struct type ab = row_ab(), cd = row_cd();
	struct type narrow = array_of(TYPE_INTEGER);
	struct type wide = array_of(TYPE_BIGINT);
	struct type text = array_of(TYPE_VARCHAR);
	struct type varchar = type_of(TYPE_VARCHAR);
	struct type one = row_type(fields_one, 1);

	fields_one[0] = field("a", TYPE_INTEGER, false);
	ck_assert(type_coerces(&ab, &cd) && !type_coerces(&cd, &ab));
	ck_assert(type_assignable(&cd, &ab));
	ck_assert(type_coerces(&narrow, &wide));
	ck_assert(!type_coerces(&wide, &narrow));
	ck_assert(type_assignable(&wide, &narrow));
	ck_assert(!type_assignable(&text, &narrow));
	ck_assert(type_castable(&text, &narrow));
	ck_assert(!type_castable(&text, &ab));
	ck_assert(!type_castable(&varchar, &text));
	ck_assert(!type_castable(&text, &varchar));
	ck_assert(!type_castable(&ab, &one));
}
END_TEST

START_TEST(a_cast_fails_only_where_a_part_may)
{
	struct type ab = row_ab(), cd = row_cd();
	struct type text = array_of(TYPE_VARCHAR);
	struct type number = array_of(TYPE_INTEGER);
	struct type renamed;

	ck_assert(cast_can_fail(&ab, &cd, false));	/* NOT NULL */
	ck_assert(cast_can_fail(&cd, &ab, false));	/* narrows */
	ck_assert(cast_can_fail(&text, &number, false));
	ck_assert(!cast_can_fail(&number, &text, false));
	ck_assert(!cast_is_relabel(&ab, &cd));
	ck_assert(type_unify(&arena, &ab, &cd, &renamed));
	ck_assert(cast_is_relabel(&cd, &renamed));
	ck_assert(!cast_is_relabel(&renamed, &cd));
}
END_TEST

START_TEST(a_function_that_makes_a_type_needs_an_arena)
{
	struct type args[2] = { array_of(TYPE_INTEGER),
				array_of(TYPE_INTEGER) };
	struct type wanted[2], result;
	const struct function *function;

	ck_assert_int_eq(function_resolve("row", args, 2, &function, wanted,
					  &result, &err),
			 ERROR_TYPE_MISMATCH);
	ck_assert_int_eq(function_resolve("=", args, 2, &function, wanted,
					  &result, &err), 0);
	ck_assert_int_eq(function_resolve("||", args, 2, &function, wanted,
					  &result, &err), 0);
	ck_assert_str_eq(named(&result), "ARRAY(INTEGER)");
	args[1] = array_of(TYPE_DOUBLE);
	ck_assert_int_eq(function_resolve("=", args, 2, &function, wanted,
					  &result, &err),
			 ERROR_TYPE_MISMATCH);
}
END_TEST

START_TEST(a_zone_inside_is_asked_of_the_context)
{
	struct type local = array_of(TYPE_TIMESTAMP);
	struct type zoned = array_of(TYPE_TIMESTAMP_TZ);
	struct expr *column = expr_column(&arena, 0, local);
	struct expr *cast = NODE(EXPR_CAST, zoned, column);

	ck_assert(node_reads_context(cast));
	cast = NODE(EXPR_CAST, array_of(TYPE_DATE), column);
	ck_assert(!node_reads_context(cast));
}
END_TEST

START_TEST(conditions_on_nested_columns_prune_nothing)
{
	struct expr *column = expr_column(&arena, 0, row_ab());
	struct expr *row = row_of("INTEGER:7", "VARCHAR:x");
	struct expr *conditions[3];
	struct column_range *ranges;
	size_t count;
	bool never;

	ck_assert_int_eq(expr_fold(&row, &arena, &err), 0);
	conditions[0] = call2("=", column, row);
	conditions[1] = BOOL_NODE(EXPR_IN, column, row);
	conditions[2] = BOOL_NODE(EXPR_IS_NULL, column);
	for (size_t i = 0; i < ARRAY_COUNT(conditions); i++) {
		ck_assert_ptr_nonnull(conditions[i]);
		ck_assert_int_eq(stat_bounds(conditions[i], 1, &arena,
					     &ranges, &count, &never, &err),
				 0);
		ck_assert(!never);
		ck_assert_uint_eq(count, 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("nested_expr");
	TCase *tc = tcase_create("nested_expr");

	tcase_add_checked_fixture(tc, expr_setup, expr_teardown);
	tcase_add_test(tc, a_field_reads_the_column_of_its_row);
	tcase_add_test(tc, a_constant_row_and_its_field_are_folded);
	tcase_add_test(tc, nested_literals_are_equal_bit_by_bit);
	tcase_add_test(tc, types_meet_part_by_part);
	tcase_add_test(tc,
		nested_types_coerce_assign_and_cast_as_their_parts_do);
	tcase_add_test(tc, a_cast_fails_only_where_a_part_may);
	tcase_add_test(tc, a_function_that_makes_a_type_needs_an_arena);
	tcase_add_test(tc, a_zone_inside_is_asked_of_the_context);
	tcase_add_test(tc, conditions_on_nested_columns_prune_nothing);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
