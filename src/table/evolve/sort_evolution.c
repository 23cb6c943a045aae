/*
 * sort_evolution.c - the order that new files are sorted by
 *
 * Why:    files keep the id of the order that they were written in, so orders
 *         are never edited (iceberg.md 16.4).
 * How:    an order that the table had is found again; another takes the next
 *         id. 0 is unsorted, always.
 */
#include "table/evolve/evolve_state.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "sort order");
}

static const struct sort_order *current_order(const struct table_metadata *m)
{
	for (size_t i = 0; i < m->sort_order_count; i++)
		if (m->sort_orders[i].order_id == m->default_sort_order_id)
			return &m->sort_orders[i];
	return NULL;
}

int sort_order_begin(struct evolution *e)
{
	const struct sort_order *order = current_order(e->m);

	e->sort_fields = order ? order->fields : NULL;
	e->sort_field_count = order ? order->field_count : 0;
	return 0;
}

int sort_order_from_terms(const struct schema *schema,
			  const struct sort_term *terms, size_t count,
			  struct arena *arena, struct sort_order *out,
			  struct error *err)
{
	int rc = 0;

	memset(out, 0, sizeof(*out));
	if (!count)
		return 0;
	out->order_id = 1;
	out->fields = arena_zalloc_array(arena, count, sizeof(*out->fields));
	if (!out->fields)
		return no_memory(err);
	for (size_t i = 0; !rc && i < count; i++) {
		struct sort_field *field = &out->fields[i];

		field->descending = terms[i].descending;
		field->nulls_first = terms[i].nulls_first;
		rc = term_resolve(schema, &terms[i].column,
				  terms[i].transform, arena,
				  &field->transform, &field->source_id, err);
		if (rc && err && terms[i].line && !err->line)
			error_at(err, NULL, terms[i].line, terms[i].position);
	}
	if (rc)
		memset(out, 0, sizeof(*out));
	else
		out->field_count = count;
	return rc;
}

int evolve_sort_order(struct evolution *e, const struct table_change *change)
{
	struct sort_order order;
	int rc;

	rc = sort_order_from_terms(&e->schema, change->sort_terms,
				   change->sort_term_count, &e->m->arena,
				   &order, e->err);
	if (rc)
		return rc;
	e->sort_fields = order.fields;
	e->sort_field_count = order.field_count;
	return 0;
}

static bool is_current(const struct evolution *e,
		       const struct sort_order *order)
{
	if (!order || order->field_count != e->sort_field_count)
		return false;
	for (size_t i = 0; i < order->field_count; i++) {
		const struct sort_field *a = &order->fields[i];
		const struct sort_field *b = &e->sort_fields[i];

		if (a->source_id != b->source_id ||
		    a->descending != b->descending ||
		    a->nulls_first != b->nulls_first ||
		    !transforms_equal(&a->transform, &b->transform))
			return false;
	}
	return true;
}

static int check_sources(const struct evolution *e)
{
	for (size_t i = 0; i < e->sort_field_count; i++) {
		int32_t id = e->sort_fields[i].source_id;
		const struct column_def *column =
			column_by_id(metadata_current_schema(e->m), id);

		if (!column || column_by_id(&e->schema, id))
			continue;
		error_set(e->err, ERROR_INCOMPATIBLE_CHANGE, "the table is "
			  "ordered by column '%s', which is to be dropped",
			  column->name);
		return error_hint(e->err, "change the sort order first");
	}
	return 0;
}

static int append_order(struct evolution *e, int32_t order_id)
{
	struct table_metadata *m = e->m;
	struct sort_order *bigger;

	bigger = arena_zalloc_array(&m->arena, m->sort_order_count + 1,
				    sizeof(*bigger));
	if (!bigger)
		return no_memory(e->err);
	if (m->sort_order_count)
		memcpy(bigger, m->sort_orders,
		       m->sort_order_count * sizeof(*bigger));
	bigger[m->sort_order_count].order_id = order_id;
	bigger[m->sort_order_count].fields = e->sort_fields;
	bigger[m->sort_order_count].field_count = e->sort_field_count;
	m->sort_orders = bigger;
	m->sort_order_count++;
	m->default_sort_order_id = order_id;
	return 0;
}

int sort_order_finish(struct evolution *e, bool *changed)
{
	struct table_metadata *m = e->m;
	int32_t next_id = e->sort_field_count ? 1 : 0;
	int rc = check_sources(e);

	if (rc || is_current(e, current_order(m)))
		return rc;
	*changed = true;
	for (size_t i = 0; i < m->sort_order_count; i++) {
		if (is_current(e, &m->sort_orders[i])) {
			m->default_sort_order_id =
				m->sort_orders[i].order_id;
			return 0;
		}
		if (next_id && m->sort_orders[i].order_id >= next_id)
			next_id = m->sort_orders[i].order_id + 1;
	}
	return append_order(e, next_id);
}
