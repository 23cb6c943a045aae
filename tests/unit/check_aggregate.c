/* Aggregates against a model that keeps all rows and goes through them one
 * by one, and by examples. */
#include "unit/aggregate_model.h"

static void collect(struct model *model, const char *name, uint32_t group)
{
	model->name = name;
	model->group = group;
	model->count = 0;
	for (size_t r = 0; r < sample.row_count; r++) {
		if (sample.groups[r] == group && sample.is_used[r])
			model->rows[model->count++] = r;
	}
}

static const struct selection all_groups = { NULL, GROUPS };

/* The even groups of the other states, then the odd ones. */
static int combine_in_parts(struct aggregate_states *states,
			    const uint32_t *map,
			    const struct aggregate_states *other)
{
	uint32_t numbers[GROUPS], groups[GROUPS];
	int rc = 0;

	for (uint32_t part = 0; !rc && part < 2; part++) {
		struct selection rows = { numbers, 0 };

		for (uint32_t g = part; g < GROUPS; g += 2) {
			numbers[rows.count] = g;
			groups[rows.count++] = map[g];
		}
		rc = aggregate_combine(states, groups, other, &rows, &err);
	}
	return rc;
}

/* Groups 0 .. GROUPS - 1 of the states against the model. */
static void compare(const struct model_case *c,
		    const struct aggregate_states *states,
		    const struct type *type)
{
	static struct model model;
	const size_t step = 37;
	struct vector out;

	vector_init(&out, *type);
	for (size_t first = 0; first < GROUPS; first += step) {
		size_t count = GROUPS - first < step ? GROUPS - first : step;

		ck_ok(aggregate_finish(states, first, count, &out, &heap,
				       &err));
		ck_assert_uint_eq(out.count, count);
		for (size_t i = 0; i < count; i++) {
			struct text got = TEXT_INIT, want = TEXT_INIT;
			struct literal value = vector_get(&out, i);

			add_literal(&got, &value);
			collect(&model, c->name, (uint32_t)(first + i));
			c->model(&model, &want);
			ck_assert_msg(got.length == want.length &&
				      memcmp(got.data ? got.data : "",
					     want.data ? want.data : "",
					     got.length) == 0,
				      "%s of %s, group %zu: %s, not %s",
				      c->name, c->types[0], first + i,
				      got.data, want.data);
			text_release(&got);
			text_release(&want);
		}
	}
	vector_release(&out);
}

START_TEST(every_group_is_as_the_model_says)
{
	const struct model_case *c = &cases[_i];
	struct aggregate_lookup lookup;
	struct aggregate_states *states;

	for (size_t n = 0; n < 3; n++) {
		draw_rows(c->types, c->arg_count, ROW_LIMIT / (1 + 9 * n),
			  n == 1 ? 3 : GROUPS);
		states = states_for(c->name, c->arg_count, &lookup);
		ck_ok(aggregate_states_grow(states, GROUPS, &err));
		ck_ok(update(states, 0, sample.row_count));
		compare(c, states, &lookup.result);
		aggregate_states_reset(states);
		ck_ok(update(states, 0, sample.row_count));
		compare(c, states, &lookup.result);
		ck_assert_uint_gt(aggregate_states_bytes(states), GROUPS);
		aggregate_states_free(states);
	}
}
END_TEST

/* Groups of the second states have other numbers: reversed. */
START_TEST(combining_is_as_one_pass)
{
	const struct model_case *c = &cases[_i];
	uint32_t map[GROUPS];
	struct aggregate_lookup lookup;
	struct aggregate_states *states, *other;
	size_t half = ROW_LIMIT / 3;

	draw_rows(c->types, c->arg_count, ROW_LIMIT, GROUPS);
	states = states_for(c->name, c->arg_count, &lookup);
	other = states_for(c->name, c->arg_count, &lookup);
	for (uint32_t g = 0; g < GROUPS; g++)
		map[g] = GROUPS - 1 - g;
	ck_ok(aggregate_states_grow(states, GROUPS / 2, &err));
	ck_ok(aggregate_states_grow(states, GROUPS, &err));
	ck_ok(aggregate_states_grow(other, GROUPS, &err));
	ck_ok(update(states, 0, half));
	for (size_t r = 0; r < ROW_LIMIT; r++)
		sample.groups[r] = GROUPS - 1 - sample.groups[r];
	ck_ok(update(other, half, ROW_LIMIT));
	for (size_t r = 0; r < ROW_LIMIT; r++)
		sample.groups[r] = GROUPS - 1 - sample.groups[r];
	ck_ok(combine_in_parts(states, map, other));
	aggregate_states_free(other);
	compare(c, states, &lookup.result);
	aggregate_states_free(states);
}
END_TEST

/* new, grow, update, combine and finish once more. */
static int run_all(const struct aggregate_lookup *lookup, size_t arg_count)
{
	struct aggregate_states *states = NULL, *other = NULL;
	uint32_t map[GROUPS];
	struct vector out;
	int rc;

	for (uint32_t g = 0; g < GROUPS; g++)
		map[g] = g;
	vector_init(&out, lookup->result);
	rc = aggregate_states_new(&states, lookup->function, lookup->wanted,
				  arg_count, &lookup->result, &err);
	if (!rc)
		rc = aggregate_states_new(&other, lookup->function,
					  lookup->wanted, arg_count,
					  &lookup->result, &err);
	if (!rc)
		rc = aggregate_states_grow(states, GROUPS, &err);
	if (!rc)
		rc = aggregate_states_grow(other, GROUPS, &err);
	if (!rc)
		rc = update(states, 0, 200);
	if (!rc)
		rc = update(other, 200, 400);
	if (!rc)
		rc = aggregate_combine(states, map, other, &all_groups, &err);
	if (!rc)
		rc = aggregate_finish(states, 0, GROUPS, &out, &heap, &err);
	vector_release(&out);
	aggregate_states_free(states);
	aggregate_states_free(other);
	return rc;
}

/* The test's own batches allocate too: those failures stop it there, so the
 * states are built from one vector without copies. */
static int run_whole(const struct aggregate_lookup *lookup, size_t arg_count)
{
	const struct vector *args[] = { &sample.args[0], &sample.args[1] };
	struct selection rows = selection_all(sample.row_count);
	struct aggregate_states *states = NULL, *other = NULL;
	uint32_t map[GROUPS];
	struct vector out;
	size_t bad_row;
	int rc;

	for (uint32_t g = 0; g < GROUPS; g++)
		map[g] = g;
	vector_init(&out, lookup->result);
	rc = aggregate_states_new(&states, lookup->function, lookup->wanted,
				  arg_count, &lookup->result, &err);
	if (rc) {
		ck_assert_ptr_null(states);
		return rc;
	}
	rc = aggregate_states_new(&other, lookup->function, lookup->wanted,
				  arg_count, &lookup->result, &err);
	if (!rc)
		rc = aggregate_states_grow(states, GROUPS, &err);
	if (!rc)
		rc = aggregate_states_grow(other, GROUPS, &err);
	if (!rc)
		rc = aggregate_update(states, args, &rows, sample.groups,
				      &bad_row, &err);
	if (!rc)
		rc = aggregate_update(other, args, &rows, sample.groups,
				      &bad_row, &err);
	if (!rc)
		rc = aggregate_combine(states, map, other, &all_groups, &err);
	if (!rc)
		rc = aggregate_finish(states, 0, GROUPS, &out, &heap, &err);
	vector_release(&out);
	aggregate_states_free(states);
	aggregate_states_free(other);
	return rc;
}

START_TEST(each_failed_allocation_is_reported)
{
	const struct model_case *c = &cases[_i];
	struct aggregate_lookup lookup;
	int rc = ERROR_NO_MEMORY;

	draw_rows(c->types, c->arg_count, 400, GROUPS);
	aggregate_states_free(states_for(c->name, c->arg_count, &lookup));
	ck_ok(run_all(&lookup, c->arg_count));
	for (long n = 0; rc; n = next_fault(n)) {
		ck_assert_int_lt(n, 500);
		arena_release(&heap);
		mem_fail_at(n);
		rc = run_whole(&lookup, c->arg_count);
		mem_fail_at(-1);
		ck_assert(rc == 0 || rc == ERROR_NO_MEMORY);
	}
}
END_TEST

START_TEST(variances_are_as_two_passes_say)
{
	static const char *const names[] = {
		"stddev", "stddev_samp", "stddev_pop", "variance", "var_samp",
		"var_pop",
	};
	static struct model model;

	for (size_t n = 0; n < ARRAY_COUNT(names); n++) {
		static const char *const types[] = { "DOUBLE" };
		uint32_t map[GROUPS];
		struct aggregate_lookup lookup;
		struct aggregate_states *states, *other;
		struct vector out;

		draw_rows(types, 1, 700, GROUPS);
		for (size_t r = 0; r < 700; r++)
			vector_f64(&sample.args[0])[r] = 1e6 + draw(1000);
		states = states_for(names[n], 1, &lookup);
		other = states_for(names[n], 1, &lookup);
		ck_ok(aggregate_states_grow(states, GROUPS, &err));
		ck_ok(aggregate_states_grow(other, GROUPS, &err));
		ck_ok(update(states, 0, 250));
		ck_ok(update(other, 250, 700));
		for (uint32_t g = 0; g < GROUPS; g++)
			map[g] = g;
		ck_ok(combine_in_parts(states, map, other));
		vector_init(&out, lookup.result);
		ck_ok(aggregate_finish(states, 0, GROUPS, &out, &heap, &err));
		for (uint32_t g = 0; g < GROUPS; g++) {
			double want = 0;

			collect(&model, names[n], g);
			ck_assert_int_eq(vector_is_null(&out, g),
					 !model_spread(&model, &want));
			if (!vector_is_null(&out, g))
				ck_assert_double_eq_tol(vector_f64(&out)[g],
							want, 1e-3);
		}
		vector_release(&out);
		aggregate_states_free(states);
		aggregate_states_free(other);
	}
}
END_TEST

/* One group of these values ("-" = NULL); the result as text. */
static const char *one_group(const char *name, const char *type,
			     const char *const *texts, size_t count)
{
	static char shown[256];
	struct aggregate_lookup lookup;
	struct aggregate_states *states;
	struct text text = TEXT_INIT;
	struct literal value;
	struct vector out;
	size_t used;
	int rc;

	vector_release(&sample.args[0]);
	vector_init(&sample.args[0], type_from_name(type, &used));
	for (size_t i = 0; i < count; i++) {
		char full[128];

		snprintf(full, sizeof(full), "%s:%s", type, texts[i]);
		value = texts[i][0] == '\0' ?
			literal_null(sample.args[0].type) :
			value_from_text(arena_strdup(&arena, full));
		ck_ok(vector_append(&sample.args[0], &value, &err));
		sample.groups[i] = 0;
		sample.is_used[i] = true;
	}
	sample.row_count = count;
	states = states_for(name, 1, &lookup);
	ck_ok(aggregate_states_grow(states, 1, &err));
	ck_ok(update(states, 0, count));
	vector_init(&out, lookup.result);
	rc = aggregate_finish(states, 0, 1, &out, &heap, &err);
	if (rc) {
		snprintf(shown, sizeof(shown), "!%s", error_name(rc));
	} else {
		value = vector_get(&out, 0);
		add_literal(&text, &value);
		snprintf(shown, sizeof(shown), "%s", text.data);
	}
	text_release(&text);
	vector_release(&out);
	aggregate_states_free(states);
	return shown;
}

#define D38 "99999999999999999999999999999999999999"
#define NEARLY "99999999999999999999999999999999999998"

START_TEST(examples_hold)
{
	static const struct {
		const char *name;
		const char *type;
		const char *values[5];
		size_t count;
		const char *expected;
	} rows[] = {
		{ "sum", "BIGINT", { "9223372036854775807", "1" }, 2,
		  "!OVERFLOW" },
		{ "sum", "BIGINT", { "9223372036854775807", "1", "-2" }, 3,
		  "9223372036854775806" },
		{ "sum", "BIGINT", { "-9223372036854775808", "-1" }, 2,
		  "!OVERFLOW" },
		{ "sum", "INTEGER", { "2147483647", "2147483647" }, 2,
		  "4294967294" },
		{ "sum", "DECIMAL(38,0)", { D38, D38, D38, "-" D38,
		  "-" NEARLY }, 5, "!OVERFLOW" },
		{ "sum", "DECIMAL(38,0)", { D38, "1" }, 2, "!OVERFLOW" },
		{ "sum", "DECIMAL(38,0)", { D38, D38, "-" D38, "-" D38,
		  "7" }, 5, "7" },
		{ "sum", "DECIMAL(38,0)", { "-" D38, "-" D38, "-" D38, D38 },
		  4, "!OVERFLOW" },
		{ "avg", "DECIMAL(38,0)", { D38, D38, D38, D38, NEARLY }, 5,
		  D38 },
		{ "avg", "DECIMAL(38,0)", { "-" D38, "-" D38, "-" D38,
		  "-" D38 }, 4, "-" D38 },
		{ "avg", "DECIMAL(3,1)", { "0.1", "0.2" }, 2, "0.2" },
		{ "avg", "DECIMAL(3,1)", { "-0.1", "-0.2" }, 2, "-0.2" },
		{ "avg", "DECIMAL(3,1)", { "0.1", "0.1", "0.2" }, 3, "0.1" },
		{ "avg", "REAL", { "1.5", "2.5" }, 2, "2.0" },
		{ "sum", "REAL", { "1.5", "2.25", "" }, 3, "3.75" },
		{ "sum", "DOUBLE", { "" }, 1, "NULL" },
		{ "avg", "BIGINT", { "9223372036854775807",
		  "9223372036854775807" }, 2, "9.223372036854776E18" },
		{ "max", "DOUBLE", { "NaN", "-Infinity" }, 2, "-Infinity" },
		{ "min", "DOUBLE", { "NaN", "Infinity" }, 2, "Infinity" },
		{ "min", "DOUBLE", { "NaN", "NaN" }, 2, "NaN" },
		{ "max", "DOUBLE", { "-0.0", "0.0" }, 2, "0.0" },
		{ "max", "REAL", { "0.0", "-0.0" }, 2, "0.0" },
		{ "min", "REAL", { "-0.0", "0.0" }, 2, "-0.0" },
		{ "min", "DOUBLE", { "0.0", "-0.0" }, 2, "-0.0" },
		{ "max", "VARCHAR", { "a", "B", "\xc3\xa9" }, 3, "\xc3\xa9" },
		{ "listagg", "VARCHAR", { "a", "", "b" }, 3, "ab" },
		{ "var_pop", "DOUBLE", { "5" }, 1, "0.0" },
		{ "var_samp", "DOUBLE", { "5" }, 1, "NULL" },
		{ "arbitrary", "BIGINT", { "", "4", "5" }, 3, "4" },
		{ "array_agg", "BIGINT", { "", "4", "5" }, 3, "[null,4,5]" },
		{ "count", "BIGINT", { "", "" }, 2, "0" },
		{ "count_if", "BOOLEAN", { "", "true" }, 2, "1" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const char *got = one_group(rows[i].name, rows[i].type,
					    rows[i].values, rows[i].count);
		const char *want = rows[i].expected;

		ck_assert_msg(strcmp(got, want) == 0, "%zu: %s(%s) is %s, "
			      "not %s", i, rows[i].name, rows[i].type, got,
			      want);
	}
}
END_TEST

START_TEST(count_of_all_rows_takes_no_argument)
{
	struct aggregate_lookup lookup;
	struct aggregate_states *states = states_for("count", 0, &lookup);
	uint32_t groups[] = { 1, 0, 1 };
	struct selection rows = selection_all(3);
	struct vector out;
	size_t bad_row;

	ck_ok(aggregate_states_grow(states, 3, &err));
	ck_ok(aggregate_update(states, NULL, &rows, groups, &bad_row, &err));
	vector_init(&out, lookup.result);
	ck_ok(aggregate_finish(states, 0, 3, &out, &heap, &err));
	ck_assert_int_eq(vector_i64(&out)[0], 1);
	ck_assert_int_eq(vector_i64(&out)[1], 2);
	ck_assert_int_eq(vector_i64(&out)[2], 0);
	ck_ok(aggregate_finish(states, 1, 1, &out, &heap, &err));
	ck_assert_int_eq(vector_i64(&out)[0], 2);
	ck_ok(aggregate_finish(states, 1, 0, &out, &heap, &err));
	ck_assert_uint_eq(out.count, 0);
	vector_release(&out);
	aggregate_states_free(states);
}
END_TEST

/* Each row is the greatest so far, and longer than the ones before. */
START_TEST(replaced_text_does_not_pile_up)
{
	static const char *const types[] = { "VARCHAR" };
	struct aggregate_lookup lookup;
	struct aggregate_states *states;
	const struct vector *args[] = { &sample.args[0] };
	struct selection rows = selection_all(100);
	struct vector out;
	size_t bad_row;

	draw_rows(types, 1, 100, 1);
	states = states_for("max", 1, &lookup);
	ck_ok(aggregate_states_grow(states, 2, &err));
	for (size_t batch = 0; batch < 400; batch++) {
		static char texts[100][1024];
		size_t length = 100 + batch * 2;

		vector_reset(&sample.args[0]);
		for (size_t i = 0; i < 100; i++) {
			struct literal value = literal_null(type_of(
				TYPE_VARCHAR));

			snprintf(texts[i], sizeof(texts[i]), "%08zu",
				 batch * 100 + i);
			memset(texts[i] + 8, 'x', length);
			value.is_null = false;
			value.value.bytes = byte_view(texts[i], length + i);
			ck_ok(vector_append(&sample.args[0], &value, &err));
		}
		ck_ok(aggregate_update(states, args, &rows, sample.groups,
				       &bad_row, &err));
		memset(texts, 'z', sizeof(texts));	/* copied, that is */
		ck_assert_uint_lt(aggregate_states_bytes(states), 400000);
	}
	vector_init(&out, lookup.result);
	ck_ok(aggregate_finish(states, 0, 2, &out, &heap, &err));
	ck_assert(memcmp(vector_bytes(&out)[0].data, "00039999x", 9) == 0);
	ck_assert(vector_is_null(&out, 1));
	vector_release(&out);
	aggregate_states_free(states);
}
END_TEST

START_TEST(types_are_as_trino_has_them)
{
	static const struct {
		const char *name;
		const char *args[2];
		const char *expected;	/* wanted, result or !error */
	} rows[] = {
		{ "sum", { "INTEGER" }, "INTEGER>BIGINT" },
		{ "SUM", { "DECIMAL(5,2)" }, "DECIMAL(5,2)>DECIMAL(38,2)" },
		{ "sum", { "REAL" }, "REAL>REAL" },
		{ "sum", { "UNKNOWN" }, "BIGINT>BIGINT" },
		{ "sum", { "VARCHAR" }, "!TYPE_MISMATCH" },
		{ "sum", { "DATE" }, "!TYPE_MISMATCH" },
		{ "avg", { "BIGINT" }, "BIGINT>DOUBLE" },
		{ "avg", { "DECIMAL(5,2)" }, "DECIMAL(5,2)>DECIMAL(5,2)" },
		{ "avg", { "REAL" }, "REAL>REAL" },
		{ "min", { "TIMESTAMP" }, "TIMESTAMP>TIMESTAMP" },
		{ "stddev", { "DECIMAL(5,2)" }, "DOUBLE>DOUBLE" },
		{ "bool_and", { "INTEGER" }, "!TYPE_MISMATCH" },
		{ "count", { "VARCHAR" }, "VARCHAR>BIGINT" },
		{ "count", { "VARCHAR", "VARCHAR" }, "!ARITY" },
		{ "sum", { NULL }, "!ARITY" },
		{ "string_agg", { "VARCHAR" }, "!ARITY" },
		{ "string_agg", { "VARCHAR", "UNKNOWN" },
		  "VARCHAR>VARCHAR" },
		{ "string_agg", { "BIGINT", "VARCHAR" }, "!TYPE_MISMATCH" },
		{ "max_by", { "DATE", "REAL" }, "DATE>DATE" },
		{ "array_agg", { "DATE" }, "!TYPE_MISMATCH" },	/* no arena */
		{ "median", { "DATE" }, "none" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct aggregate_function *function;
		struct type args[2], wanted[2], result;
		char a[TYPE_NAME_BYTES], b[TYPE_NAME_BYTES], got[300];
		size_t used, count = 0;
		int rc;

		while (count < 2 && rows[i].args[count]) {
			args[count] = type_from_name(rows[i].args[count],
						     &used);
			count++;
		}
		rc = aggregate_find(&function, rows[i].name, args, count,
				    wanted, &result, &err);
		if (rc)
			snprintf(got, sizeof(got), "!%s", error_name(rc));
		else if (!function)
			snprintf(got, sizeof(got), "none");
		else
			snprintf(got, sizeof(got), "%s>%s",
				 type_name(&wanted[0], a),
				 type_name(&result, b));
		ck_assert_int_eq(rc != 0 && function != NULL, 0);
		ck_assert_msg(strcmp(got, rows[i].expected) == 0,
			      "%s: %s, not %s", rows[i].name, got,
			      rows[i].expected);
	}
}
END_TEST

START_TEST(a_map_has_no_order_but_can_be_kept)
{
	struct type number = type_of(TYPE_BIGINT), map;
	struct aggregate_lookup lookup = { .name = "max", .args = &map,
					   .arg_count = 1, .arena = &arena };

	ck_assert(type_map_of(&arena, &number, &number, &map));
	ck_assert_int_eq(aggregate_resolve(&lookup, &err),
			 ERROR_TYPE_MISMATCH);
	ck_assert_ptr_nonnull(strstr(err.text, "MAP"));
	lookup.name = "any_value";
	ck_ok(aggregate_resolve(&lookup, &err));
	ck_assert(type_equal(&lookup.result, &map));
	ck_assert(aggregate_is_ordered(lookup.function));
}
END_TEST

/* ROWs by their fields in turn, and the bytes of a batch that is gone. */
START_TEST(nested_values_are_compared_and_copied)
{
	char names[2][2] = { "a", "b" };
	struct column_def fields[2] = {
		{ .name = names[0], .type = type_of(TYPE_BIGINT) },
		{ .name = names[1], .type = type_of(TYPE_VARCHAR) },
	};
	struct type type = type_of(TYPE_ROW);
	struct vector a, b, rows, out;
	const struct vector *parts[] = { &a, &b }, *args[] = { &rows };
	struct selection all = selection_all(3);
	const uint32_t groups[3] = { 0 };
	struct aggregate_lookup lookup;
	struct aggregate_states *states;
	struct text shown = TEXT_INIT;
	struct arena batch = { 0 };
	struct literal value;
	size_t bad_row;

	type.fields = fields;
	type.field_count = 2;
	vector_init(&a, fields[0].type);
	vector_init(&b, fields[1].type);
	vector_init(&rows, type);
	for (int i = 0; i < 3; i++) {
		value = value_from_text(i == 1 ? "BIGINT:7" : "BIGINT:2");
		ck_ok(vector_append(&a, &value, &err));
		value = value_from_text(i == 2 ? "VARCHAR:a" : "VARCHAR:b");
		ck_ok(vector_append(&b, &value, &err));
	}
	ck_ok(nested_pack_rows(&rows, parts, NULL, 3, &batch, &err));
	sample.args[0].type = type;
	states = states_for("min", 1, &lookup);
	ck_ok(aggregate_states_grow(states, 1, &err));
	ck_ok(aggregate_update(states, args, &all, groups, &bad_row, &err));
	arena_release(&batch);
	vector_init(&out, type);
	ck_ok(aggregate_finish(states, 0, 1, &out, &heap, &err));
	aggregate_states_free(states);
	value = vector_get(&out, 0);
	add_literal(&shown, &value);
	ck_assert_str_eq(shown.data, "{\"a\":2,\"b\":\"a\"}");
	text_release(&shown);
	vector_release(&out);
	vector_release(&rows);
	vector_release(&a);
	vector_release(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("aggregate");
	TCase *tc = tcase_create("aggregate");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, every_group_is_as_the_model_says, 0, CASES);
	tcase_add_loop_test(tc, combining_is_as_one_pass, 0, CASES);
	tcase_add_loop_test(tc, each_failed_allocation_is_reported, 0, CASES);
	tcase_add_test(tc, variances_are_as_two_passes_say);
	tcase_add_test(tc, examples_hold);
	tcase_add_test(tc, count_of_all_rows_takes_no_argument);
	tcase_add_test(tc, replaced_text_does_not_pile_up);
	tcase_add_test(tc, nested_values_are_compared_and_copied);
	tcase_add_test(tc, types_are_as_trino_has_them);
	tcase_add_test(tc, a_map_has_no_order_but_can_be_kept);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
