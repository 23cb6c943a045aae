/*
 * change_writer.c - the sink of a worker
 *
 * Why:    the engine gives pages of changes; tables want new rows in data
 *         files and removed rows by position.
 * How:    rows that are inserted, or the new images of updated rows, go on to
 *         the row groups; the rows they replace are noted by position. Where
 *         updates change columns in place, their values are noted by
 *         position, too.
 */
#include "table/write/write_state.h"

struct change_writer {
	struct write_context *context;
	struct row_sink sink;
	struct delete_map deletes;
	struct update_log updates;
	uint32_t *rows;
	size_t row_capacity;
	const struct vector **columns;
	struct vector *nulls;		/* per column: all null */
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "change writer");
}

int change_writer_new(struct change_writer **out,
		      struct write_context *context, struct error *err)
{
	struct change_writer *writer = mem_zalloc(sizeof(*writer));
	size_t count = context->columns->column_count;
	int rc;

	*out = NULL;
	if (!writer)
		return no_memory(err);
	writer->context = context;
	update_log_init(&writer->updates, &context->update_columns,
			context->options.directory, context->update_bytes);
	rc = row_sink_init(&writer->sink, context,
			   context->options.is_blind ? LANE_PLAIN : -1, err);
	writer->columns = mem_zalloc_array(count + 1,
					   sizeof(*writer->columns));
	writer->nulls = mem_zalloc_array(count + 1, sizeof(*writer->nulls));
	if (!rc && (!writer->columns || !writer->nulls))
		rc = no_memory(err);
	if (rc) {
		change_writer_free(writer);
		return rc;
	}
	for (size_t i = 0; i < count; i++)
		vector_init(&writer->nulls[i],
			    context->columns->columns[i].type);
	*out = writer;
	return 0;
}

void change_writer_free(struct change_writer *writer)
{
	if (!writer)
		return;
	for (size_t i = 0; writer->nulls &&
			   i < writer->context->columns->column_count; i++)
		vector_release(&writer->nulls[i]);
	row_sink_release(&writer->sink);
	delete_map_release(&writer->deletes);
	update_log_release(&writer->updates);
	mem_free(writer->rows);
	mem_free(writer->columns);
	mem_free(writer->nulls);
	mem_free(writer);
}

/* Rows of the page with one of the operations (bits). */
static int select_rows(struct change_writer *writer,
		       const struct change_page *page, unsigned operations,
		       struct selection *out, struct error *err)
{
	size_t n = 0;

	if (page->row_count > writer->row_capacity) {
		mem_free(writer->rows);
		writer->row_capacity = 0;
		writer->rows = mem_alloc_array(page->row_count,
					       sizeof(*writer->rows));
		if (!writer->rows)
			return no_memory(err);
		writer->row_capacity = page->row_count;
	}
	for (size_t i = 0; i < page->row_count; i++) {
		writer->rows[n] = (uint32_t)i;
		n += operations >> page->operation[i] & 1;
	}
	out->rows = n == page->row_count ? NULL : writer->rows;
	out->count = n;
	return 0;
}

static int check_not_null(const struct change_page *page, size_t column,
			  const struct column_def *def,
			  const struct selection *rows, struct error *err)
{
	const struct vector *values = page->columns[column];

	if (values->data && !vector_has_nulls(values))
		return 0;
	for (size_t i = 0; i < rows->count; i++) {
		if (values->data &&
		    !vector_is_null(values, selection_row(rows, i)))
			continue;
		error_set(err, ERROR_NOT_NULL, "NULL in column '%s', which "
			  "is NOT NULL", def->name);
		return error_field(err, def->name);
	}
	return 0;
}

static int take_columns(struct change_writer *writer,
			const struct change_page *page,
			const struct selection *rows, struct error *err)
{
	const struct schema *schema = writer->context->columns;
	int rc = 0;

	for (size_t i = 0; !rc && i < schema->column_count; i++) {
		const struct column_def *def = &schema->columns[i];

		if (def->required)
			rc = check_not_null(page, i, def, rows, err);
		writer->columns[i] = page->columns[i];
		if (!rc && !page->columns[i]->data) {
			struct literal null = literal_null(def->type);

			rc = vector_fill(&writer->nulls[i], &null,
					 page->row_count, err);
			writer->columns[i] = &writer->nulls[i];
		}
	}
	return rc;
}

/* The lineage of the page's images; *any is false when none has one. */
static int take_lineage(struct change_writer *writer,
			const struct change_page *page, bool *any,
			struct error *err)
{
	struct literal null = literal_null(type_of(TYPE_BIGINT));
	struct vector *ids = &writer->sink.lineage[0];
	int rc;

	*any = false;
	if (!page->lineage_id || !writer->context->has_lineage)
		return 0;
	for (size_t i = 0; !*any && i < page->row_count; i++)
		*any = page->lineage_id[i] != INT64_MIN &&
		       (page->operation[i] == OPERATION_UPDATE ||
			page->insert_from_update[i]);
	if (!*any)
		return 0;
	rc = vector_fill(ids, &null, page->row_count, err);
	if (!rc)
		rc = vector_fill(&writer->sink.lineage[1], &null,
				 page->row_count, err);
	for (size_t i = 0; !rc && i < page->row_count; i++) {
		if (page->lineage_id[i] == INT64_MIN ||
		    (page->operation[i] != OPERATION_UPDATE &&
		     !page->insert_from_update[i]))
			continue;
		vector_i64(ids)[i] = page->lineage_id[i];
		bits_set(ids->validity, i);
	}
	return rc;
}

/* New values for rows that stay where they are. */
static int store_updates(struct change_writer *writer,
			 const struct change_page *page, struct error *err)
{
	const struct write_context *context = writer->context;
	const struct update_columns *slots = &context->update_columns;
	struct selection rows;
	int rc = select_rows(writer, page, 1u << OPERATION_UPDATE, &rows, err);

	if (rc || !rows.count)
		return rc;
	for (size_t k = 0; !rc && k < slots->count; k++) {
		size_t i = slots->columns[k];
		const struct column_def *def = &context->columns->columns[i];

		if (def->required && page->columns[i]->data)
			rc = check_not_null(page, i, def, &rows, err);
	}
	return rc ? rc : update_log_add(&writer->updates,
					context->options.files, page->columns,
					page->row_id, &rows, err);
}

int change_writer_store(struct change_writer *writer,
			const struct change_page *page, struct error *err)
{
	bool keeps_places = writer->context->keeps_places, lineage;
	unsigned images_of = 1u << OPERATION_INSERT;
	struct selection images;
	int rc;

	if (page->column_count != writer->context->columns->column_count)
		return error_set(err, ERROR_INTERNAL, "a page of %zu columns",
				 page->column_count);
	rc = delete_map_add(&writer->deletes, writer->context->options.files,
			    page, !keeps_places, err);
	if (!rc && keeps_places)
		rc = store_updates(writer, page, err);
	if (!keeps_places)
		images_of |= 1u << OPERATION_UPDATE;
	if (!rc)
		rc = select_rows(writer, page, images_of, &images, err);
	if (rc || !images.count)
		return rc;
	rc = take_columns(writer, page, &images, err);
	if (!rc)
		rc = take_lineage(writer, page, &lineage, err);
	if (!rc)
		rc = row_sink_add(&writer->sink, writer->columns, &images,
				  page->unit, lineage, err);
	return rc;
}

int change_writer_finish(struct change_writer *writer,
			 struct fragments *out, struct error *err)
{
	struct write_context *context = writer->context;
	int rc = row_sink_finish(&writer->sink, err);

	(void)out;	/* files are shared: the context says what they are */
	if (rc)
		return rc;
	pthread_mutex_lock(&context->lock);
	rc = delete_map_merge(&context->deletes, &writer->deletes, err);
	if (!rc)
		rc = update_map_merge(&context->updates, &writer->updates,
				      err);
	pthread_mutex_unlock(&context->lock);
	return rc;
}
