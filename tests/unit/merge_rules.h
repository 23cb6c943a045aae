#ifndef TESTS_UNIT_MERGE_RULES_H
#define TESTS_UNIT_MERGE_RULES_H
#include "unit/merge_world.h"

/*
 * Random WHEN clauses, as trees for the engine and as rules for a model that
 * does the same statement row by row over plain arrays, by the rules of the
 * corpus; and whether both made the same table.
 */
/* What a condition or a value is, so that the model need not read trees. */
enum term { TERM_TRUE, TERM_S_LESS, TERM_T_LESS, TERM_S_NULL };
enum value {
	VALUE_KEEP, VALUE_S, VALUE_SUM, VALUE_NULL, VALUE_DIVIDE, VALUE_OTHER,
};

struct model_clause {
	enum merge_match match;
	enum row_operation operation;
	enum term term;
	int64_t limit;
	enum value v;
	enum value t;
};

static struct model_clause rules[5];
static bool has_residual;	/* t.v < s.v */

/* ---- the statement, as trees and as rules ---- */

static inline struct expr *term_tree(const struct model_clause *rule)
{
	struct expr *e;

	switch (rule->term) {
	case TERM_TRUE:
		return NULL;
	case TERM_S_LESS:
		return call2("<", column(4), number(rule->limit));
	case TERM_T_LESS:
		return call2("<", column(1), number(rule->limit));
	case TERM_S_NULL:
		break;
	}
	e = expr_new(&arena, EXPR_IS_NULL, type_of(TYPE_BOOLEAN), 1);
	e->args[0] = column(4);
	return e;
}

static inline struct expr *value_tree(enum value value, size_t c,
				      bool by_source)
{
	switch (value) {
	case VALUE_KEEP:
		return NULL;
	case VALUE_S:
		return column(MODEL_COLUMNS + c);
	case VALUE_SUM:
		return call2("+", column(1), by_source ? number(5) : column(4));
	case VALUE_DIVIDE:
		return call2("/", number(1000), column(by_source ? 1 : 4));
	case VALUE_OTHER:
		return column(c);
	case VALUE_NULL:
		break;
	}
	return c == 1 ? number(INT64_MIN) : NULL;
}

static inline void add_clause(const struct model_clause *rule)
{
	struct merge_clause *clause = &clauses[plan.clause_count];
	bool by_source = rule->match == WHEN_NOT_MATCHED_BY_SOURCE;

	rules[plan.clause_count++] = *rule;
	clause->match = rule->match;
	clause->operation = rule->operation;
	clause->condition = term_tree(rule);
	clause->values = arena_zalloc_array(&arena, MODEL_COLUMNS,
					    sizeof(struct expr *));
	if (rule->operation == OPERATION_INSERT)
		clause->values[0] = column(MODEL_COLUMNS);
	if (rule->operation == OPERATION_INSERT ||
	    rule->operation == OPERATION_UPDATE) {
		clause->values[1] = value_tree(rule->v, 1, by_source);
		clause->values[2] = value_tree(rule->t, 2, by_source);
	}
}

static inline void random_clause(enum merge_match match)
{
	struct model_clause rule = { .match = match };

	rule.limit = (int64_t)random_below(100);
	if (match == WHEN_NOT_MATCHED) {
		rule.operation = random_below(4) ? OPERATION_INSERT
						 : OPERATION_NONE;
		rule.term = random_below(2) ? TERM_TRUE : random_below(2)
					? TERM_S_LESS : TERM_S_NULL;
		rule.v = VALUE_S;
		rule.t = VALUE_S;
	} else {
		static const enum row_operation some[] = {
			OPERATION_UPDATE, OPERATION_UPDATE, OPERATION_DELETE,
			OPERATION_NONE,
		};

		rule.operation = some[random_below(4)];
		rule.term = random_below(2) ? TERM_T_LESS : TERM_TRUE;
		if (match == WHEN_MATCHED && random_below(2))
			rule.term = random_below(2) ? TERM_S_LESS
						    : TERM_S_NULL;
		rule.v = (enum value)random_below(4);
		rule.t = random_below(2) ? VALUE_OTHER : VALUE_KEEP;
		if (match == WHEN_MATCHED && random_below(2))
			rule.t = VALUE_S;
		if (match != WHEN_MATCHED && rule.v == VALUE_S)
			rule.v = VALUE_OTHER;
	}
	add_clause(&rule);
}

/* ---- the model ---- */

struct expectation {
	struct model_row rows[MODEL_ROW_LIMIT + SOURCE_LIMIT];
	size_t row_count;
	uint64_t inserted, updated, deleted, unchanged, no_action;
	uint64_t clause_rows[5];
	bool is_refused;
};
static struct expectation expected;

static inline bool is_on(const struct model_row *t, const struct model_row *s)
{
	if (t->number[0] == INT64_MIN || s->number[0] == INT64_MIN) {
		if (!key.null_safe || t->number[0] != s->number[0])
			return false;
	} else if (plan.key_count && t->number[0] != s->number[0]) {
		return false;
	}
	if (!plan.key_count && t->number[0] != s->number[0])
		return false;
	return !has_residual || (t->number[1] != INT64_MIN &&
				 s->number[1] != INT64_MIN &&
				 t->number[1] < s->number[1]);
}

static inline bool is_true(const struct model_clause *rule,
			   const struct model_row *t,
			   const struct model_row *s)
{
	switch (rule->term) {
	case TERM_TRUE:
		return true;
	case TERM_S_LESS:
		return s->number[1] != INT64_MIN &&
		       s->number[1] < rule->limit;
	case TERM_T_LESS:
		return t->number[1] != INT64_MIN &&
		       t->number[1] < rule->limit;
	case TERM_S_NULL:
		break;
	}
	return s->number[1] == INT64_MIN;
}

static inline int first_clause(enum merge_match match,
			       const struct model_row *t,
			       const struct model_row *s)
{
	for (size_t c = 0; c < plan.clause_count; c++)
		if (rules[c].match == match && is_true(&rules[c], t, s))
			return (int)c;
	return -1;
}

static inline struct model_row changed_row(const struct model_clause *rule,
				    const struct model_row *t,
				    const struct model_row *s)
{
	struct model_row out = *t;
	int64_t with = s ? s->number[1] : 5;

	if (rule->v == VALUE_S)
		out.number[1] = s->number[1];
	if (rule->v == VALUE_NULL)
		out.number[1] = INT64_MIN;
	if (rule->v == VALUE_SUM)
		out.number[1] = t->number[1] == INT64_MIN || with == INT64_MIN
					? INT64_MIN : t->number[1] + with;
	if (rule->t == VALUE_S)
		memcpy(out.t, s->t, sizeof(out.t));
	return out;
}

static inline bool is_same_row(const struct model_row *a,
			       const struct model_row *b)
{
	return a->number[0] == b->number[0] && a->number[1] == b->number[1] &&
	       strcmp(a->t, b->t) == 0;
}

static inline void apply(int c, const struct model_row *t,
			 const struct model_row *s)
{
	struct model_row row = *t;

	if (c >= 0)
		expected.clause_rows[c]++;
	if (c >= 0 && rules[c].operation == OPERATION_DELETE) {
		expected.deleted++;
		return;
	}
	if (c >= 0 && rules[c].operation == OPERATION_UPDATE) {
		row = changed_row(&rules[c], t, s);
		if (is_same_row(&row, t))
			expected.unchanged++;
		else
			expected.updated++;
	}
	expected.rows[expected.row_count++] = row;
}

static inline void run_model(void)
{
	static bool matched[SOURCE_LIMIT], taken[SOURCE_LIMIT];

	memset(&expected, 0, sizeof(expected));
	memset(matched, 0, sizeof(matched));
	memset(taken, 0, sizeof(taken));
	for (size_t i = 0; i < model.row_count; i++) {
		const struct model_row *t = &model.rows[i], *with = NULL;
		int act = -1, actions = 0;
		bool any = false;

		if (model.is_gone[i])
			continue;
		for (size_t j = 0; j < source_count; j++) {
			int c;

			if (!is_on(t, &source[j]))
				continue;
			any = matched[j] = true;
			c = first_clause(WHEN_MATCHED, t, &source[j]);
			taken[j] |= c >= 0;
			if (c < 0)
				continue;
			if (rules[c].operation == OPERATION_NONE) {
				expected.clause_rows[c]++;
				continue;
			}
			actions++;
			act = c;
			with = &source[j];
		}
		expected.is_refused |= actions > 1;
		if (!any)
			act = first_clause(WHEN_NOT_MATCHED_BY_SOURCE, t,
					   NULL);
		apply(act, t, with);
	}
	for (size_t j = 0; j < source_count; j++) {
		int c = matched[j] ? -1 : first_clause(WHEN_NOT_MATCHED, NULL,
						       &source[j]);

		taken[j] |= c >= 0;
		expected.no_action += !taken[j];
		if (c < 0)
			continue;
		expected.clause_rows[c]++;
		if (rules[c].operation != OPERATION_INSERT)
			continue;
		expected.inserted++;
		expected.rows[expected.row_count++] = source[j];
	}
}

/* ---- comparing ---- */

static inline int compare_rows(const void *a, const void *b)
{
	const struct model_row *x = a, *y = b;

	for (size_t c = 0; c < 2; c++)
		if (x->number[c] != y->number[c])
			return x->number[c] < y->number[c] ? -1 : 1;
	return strcmp(x->t, y->t);
}

/* What an update's page does not have stays; it has nothing else. */
static inline void keep_columns(const struct model_change *change,
			 struct model_row *row)
{
	const struct model_row *old = &model.rows[change->row_id];

	ck_assert(model.has_updated);
	for (size_t c = 0; c < MODEL_COLUMNS; c++) {
		if (change->has[c]) {
			ck_assert(model.updated[c]);
			continue;
		}
		if (c < 2)
			row->number[c] = old->number[c];
		else
			memcpy(row->t, old->t, sizeof(row->t));
	}
}

/* The table that the changes make of the model's rows. */
static inline void check_table(void)
{
	static struct model_row rows[MODEL_ROW_LIMIT + SOURCE_LIMIT];
	static bool gone[MODEL_ROW_LIMIT];
	size_t n = 0;

	memcpy(gone, model.is_gone, sizeof(gone));
	for (size_t i = 0; i < model.change_count; i++) {
		const struct model_change *change = &model.changes[i];

		if (change->operation != OPERATION_INSERT) {
			ck_assert_uint_lt(change->row_id, model.row_count);
			ck_assert(!gone[change->row_id]);
			gone[change->row_id] = true;
		}
		if (change->operation != OPERATION_DELETE)
			rows[n++] = change->row;
		if (change->operation == OPERATION_UPDATE)
			keep_columns(change, &rows[n - 1]);
	}
	for (size_t i = 0; i < model.row_count; i++)
		if (!gone[i])
			rows[n++] = model.rows[i];
	ck_assert_uint_eq(n, expected.row_count);
	qsort(rows, n, sizeof(*rows), compare_rows);
	qsort(expected.rows, n, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < n; i++)
		ck_assert(is_same_row(&rows[i], &expected.rows[i]));
}

static inline void check_counts(void)
{
	ck_assert_uint_eq(result.rows_read, source_count);
	ck_assert_uint_eq(result.rows_inserted, expected.inserted);
	ck_assert_uint_eq(result.rows_updated, expected.updated);
	ck_assert_uint_eq(result.rows_deleted, expected.deleted);
	ck_assert_uint_eq(result.rows_unchanged, expected.unchanged);
	ck_assert_uint_eq(result.rows_no_action, expected.no_action);
	for (size_t c = 0; c < plan.clause_count; c++)
		ck_assert_uint_eq(result.clauses[c].rows,
				  expected.clause_rows[c]);
}
#endif
