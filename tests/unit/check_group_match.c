/*
 * Sets of groups of several threads, read as one: which groups are the same,
 * also where all hashes are, against a loop over numbers.
 */
#include "unit/expr_build.h"
#include "query/group_union.h"

#define TABLES 3
#define KEYS 20000
#define TEXT_BYTES 24

static struct group_table tables[TABLES];
static const struct group_table *list[TABLES];
static int64_t *numbers[TABLES];	/* of each group; -1 = NULL */
static struct group_match match;

static uint64_t hash_of(int64_t number, unsigned hashes)
{
	uint64_t x = (uint64_t)number * UINT64_C(0x9e3779b97f4a7c15);

	return hashes == 0 ? x ^ x >> 29 : x >> 60 << 60;
}

/* Number i of table t; one in 1 + t is in all tables. */
static int64_t number_at(size_t t, size_t i, size_t count)
{
	size_t number = (i * 7919 + t * 31) % count;

	if (number == 5)
		return -1;
	return (int64_t)(number % (t + 1) ? number * TABLES + t : number);
}

static void fill_table(size_t t, enum type_id id, size_t count,
		       unsigned hashes)
{
	struct type type = type_of(id);
	struct group_scratch scratch;
	struct vector keys;
	const struct vector *columns[] = { &keys };
	uint32_t groups[1000];
	char texts[1000][TEXT_BYTES];

	ck_ok(group_table_init(&tables[t], &type, 1, &err));
	ck_ok(group_scratch_init(&scratch, &err));
	numbers[t] = mem_zalloc_array(count + 1, sizeof(int64_t));
	vector_init(&keys, type);
	for (size_t at = 0; at < count; at += keys.count) {
		struct selection all = selection_all(count - at < 1000
						     ? count - at : 1000);

		vector_reset(&keys);
		ck_ok(vector_reserve(&keys, all.count, &err));
		keys.count = all.count;
		for (size_t i = 0; i < all.count; i++) {
			int64_t number = number_at(t, at + i, count);

			scratch.hashes[i] = hash_of(number, hashes);
			snprintf(texts[i], TEXT_BYTES, "%lld",
				 (long long)number);
			if (id == TYPE_VARCHAR)
				vector_bytes(&keys)[i] = byte_view(
					texts[i], strlen(texts[i]));
			else
				vector_i64(&keys)[i] = number;
			if (number < 0)
				ck_ok(vector_set_null(&keys, i, &err));
		}
		ck_ok(group_table_find(&tables[t], &scratch, columns, &all,
				       true, groups, &err));
		for (size_t i = 0; i < all.count; i++)
			numbers[t][groups[i]] = number_at(t, at + i, count);
	}
	vector_release(&keys);
	group_scratch_release(&scratch);
	list[t] = &tables[t];
}

static void fill(enum type_id id, const size_t *counts, unsigned hashes)
{
	memset(&match, 0, sizeof(match));
	for (size_t t = 0; t < TABLES; t++)
		fill_table(t, id, counts[t], hashes);
}

static void teardown(void)
{
	mem_fail_at(-1);
	group_match_release(&match);
	for (size_t t = 0; t < TABLES; t++) {
		group_table_release(&tables[t]);
		mem_free(numbers[t]);
		numbers[t] = NULL;
	}
	expr_teardown();
}

/* Each circle has all groups of its number, once. */
static void check_circles(void)
{
	size_t most = TABLES * KEYS + 2;
	uint8_t *in = mem_zalloc_array(most, 1);	/* bit t: in table t */

	ck_assert_ptr_nonnull(in);
	for (size_t t = 0; t < TABLES; t++)
		for (size_t g = 0; g < tables[t].count; g++)
			in[numbers[t][g] + 1] |= (uint8_t)(1 << t);
	for (size_t t = 0; t < TABLES; t++) {
		for (size_t g = 0; g < tables[t].count; g++) {
			struct group_ref at = { (uint32_t)t, (uint32_t)g };
			int64_t number = numbers[t][g];
			unsigned seen = 0;

			do {
				ck_assert_int_eq(numbers[at.table][at.group],
						 number);
				ck_assert(!(seen >> at.table & 1));
				seen |= 1U << at.table;
				at = match.next[at.table][at.group];
			} while (at.table != t);
			ck_assert_uint_eq(at.group, g);
			ck_assert_uint_eq(seen, in[number + 1]);
		}
	}
	mem_free(in);
}

START_TEST(equal_groups_of_tables_make_a_circle)
{
	const size_t many[] = { KEYS, KEYS / 2, KEYS - 1 };

	fill(_i ? TYPE_VARCHAR : TYPE_BIGINT, many, 0);
	for (size_t threads = 1; threads < 4; threads += 2) {
		ck_ok(group_match_init(&match, list, TABLES, threads, &err));
		check_circles();
		group_match_release(&match);
	}
}
END_TEST

START_TEST(groups_that_differ_may_have_the_same_hash)
{
	const size_t some[] = { 700, 300, 650 };

	fill(TYPE_BIGINT, some, 1);
	ck_ok(group_match_init(&match, list, TABLES, 1, &err));
	check_circles();
}
END_TEST

START_TEST(tables_may_be_empty)
{
	const size_t few[] = { 0, 9, 0 };

	fill(TYPE_BIGINT, few, 0);
	ck_ok(group_match_init(&match, list, TABLES, 2, &err));
	check_circles();
}
END_TEST

/* GROUP BY c0: max(c1) */
static void make_layout(struct group_layout *layout, struct query_node *node,
			struct query_aggregate *what)
{
	static struct schema schema;
	struct type text = type_of(TYPE_VARCHAR), type;

	schema.column_count = 0;
	memset(node, 0, sizeof(*node));
	memset(what, 0, sizeof(*what));
	node->kind = QUERY_AGGREGATE;
	node->schema = &schema;
	node->aggregate = what;
	what->group_count = 1;
	what->groups = arena_zalloc_array(&arena, 1, sizeof(*what->groups));
	what->groups[0] = col(0, "BIGINT");
	what->call_count = 1;
	what->calls = arena_zalloc_array(&arena, 1, sizeof(*what->calls));
	ck_ok(aggregate_find(&what->calls[0].function, "max", &text, 1, &type,
			     &what->calls[0].type, &err));
	what->calls[0].arg_count = 1;
	what->calls[0].args = arena_zalloc_array(&arena, 1,
						 sizeof(struct expr *));
	what->calls[0].args[0] = col(1, "VARCHAR");
	ck_ok(group_layout_init(layout, node, &err));
}

/* Row i of unit u: key i % (1 + u), text the number 10 u + i. */
static void add_unit(struct group_set *set, struct group_work *work,
		     uint64_t unit)
{
	struct vector keys, texts;
	const struct vector *columns[] = { &keys, &texts };
	uint64_t units[8], positions[8];
	char bytes[8][TEXT_BYTES];
	struct selection all = selection_all(8);
	struct batch batch;
	struct group_rows rows = { columns, &batch, units, positions, 0 };

	memset(&batch, 0, sizeof(batch));
	batch.row_count = all.count;
	vector_init(&keys, type_of(TYPE_BIGINT));
	vector_init(&texts, type_of(TYPE_VARCHAR));
	ck_ok(vector_reserve(&keys, 8, &err));
	ck_ok(vector_reserve(&texts, 8, &err));
	keys.count = texts.count = 8;
	for (size_t i = 0; i < 8; i++) {
		units[i] = unit;
		positions[i] = i;
		vector_i64(&keys)[i] = (int64_t)(i % (1 + unit));
		snprintf(bytes[i], TEXT_BYTES, "%llu",
			 (unsigned long long)(10 + 10 * unit + i));
		vector_bytes(&texts)[i] = byte_view(bytes[i], 2);
	}
	ck_ok(group_set_add(set, work, &rows, &all, true, NULL, &err));
	vector_release(&keys);
	vector_release(&texts);
}

/* Read all groups; what there should be if it works. */
static int read_union(const struct group_set *const *sets, size_t count,
		      size_t *got)
{
	static const bool wanted[] = { true, true };
	const struct type types[] = { type_of(TYPE_BIGINT),
				      type_of(TYPE_VARCHAR) };
	uint32_t groups[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	struct union_reader *reader = NULL;
	struct group_union all;
	struct batch out;
	int rc;

	*got = 0;
	rc = group_union_init(&all, sets, count, 1, &err);
	if (rc)
		return rc;
	rc = batch_init_types(&out, types, 2, &err);
	if (!rc) {
		rc = union_reader_new(&reader, &all, wanted, &err);
		if (!rc)
			rc = union_reader_keys(reader, groups, all.count,
					       &out, &err);
		if (!rc)
			rc = union_reader_calls(reader, 0, all.count, &out,
						&err);
		for (size_t i = 0; !rc && i < all.count; i++) {
			struct byte_view most =
				vector_bytes(&out.columns[1])[i];

			ck_assert_int_eq(vector_i64(&out.columns[0])[i],
					 (int64_t)i);
			/* the greatest row of unit 3 with this key */
			ck_assert_uint_eq(most.length, 2);
			ck_assert_int_eq(most.data[0], '4');
			ck_assert_int_eq(most.data[1], '4' + (int)i);
		}
		*got = all.count;
		union_reader_free(reader);
		batch_release(&out);
	}
	group_union_release(&all);
	return rc;
}

START_TEST(groups_come_in_the_order_of_first_rows_with_all_they_have_seen)
{
	struct query_aggregate what;
	struct query_node node;
	struct group_layout layout;
	struct group_set sets[2];
	const struct group_set *both[] = { &sets[0], &sets[1] };
	struct origin_list origins;
	struct group_work work;
	size_t got;
	int rc;

	make_layout(&layout, &node, &what);
	origin_list_init(&origins);
	ck_ok(group_work_init(&work, &err));
	for (size_t s = 0; s < 2; s++)
		ck_ok(group_set_init(&sets[s], &layout, &origins, &err));
	/* keys 0 .. 3 appear in units 0 .. 3 */
	for (uint64_t unit = 0; unit < 4; unit++)
		add_unit(&sets[(unit + (uint64_t)_i) % 2], &work, unit);
	ck_ok(read_union(both, 2, &got));
	ck_assert_uint_eq(got, 4);
	for (long nth = 0; ; nth++) {
		mem_fail_at(nth);
		rc = read_union(both, 2, &got);
		mem_fail_at(-1);
		if (!rc)
			break;
		ck_assert_int_eq(rc, ERROR_NO_MEMORY);
		error_init(&err);
	}
	for (size_t s = 0; s < 2; s++)
		group_set_release(&sets[s]);
	group_work_release(&work);
	group_layout_release(&layout);
	origin_list_release(&origins);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("group_match");
	TCase *tc = tcase_create("group_match");

	tcase_add_checked_fixture(tc, expr_setup, teardown);
	tcase_add_loop_test(tc, equal_groups_of_tables_make_a_circle, 0, 2);
	tcase_add_test(tc, groups_that_differ_may_have_the_same_hash);
	tcase_add_test(tc, tables_may_be_empty);
	tcase_add_loop_test(tc,
		groups_come_in_the_order_of_first_rows_with_all_they_have_seen,
		0, 2);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
