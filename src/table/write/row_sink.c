/*
 * row_sink.c - rows into row groups
 *
 * Why:    statements that write rows and those that move them end in the same
 *         files.
 * How:    an encoder per lane, made when first needed. A group ends when it is
 *         large, or, once it is half full, where the input's unit changes, so
 *         that groups of several threads can be put into the input's order.
 *         Without an order to keep, the first rows go to an encoder that all
 *         sinks share, so that few rows make one group.
 *         In a partitioned table rows go to encoders of their partition's
 *         files instead, which all sinks share; where files are sorted, or
 *         partitions are too many, to a sort buffer first.
 *         The lane with lineage columns takes over once any row has lineage:
 *         then new rows go there too, with nulls, and one file is enough.
 */
#include "table/write/write_state.h"

int row_sink_init(struct row_sink *sink, struct write_context *context,
		  int ordered_lane, struct error *err)
{
	struct rolling_file *file;
	int rc = 0;

	memset(sink, 0, sizeof(*sink));
	sink->context = context;
	sink->ordered_lane = ordered_lane;
	for (size_t i = 0; i < LANE_COUNT; i++)
		sink->lanes[i].writer = SIZE_MAX;
	vector_init(&sink->lineage[0], type_of(TYPE_BIGINT));
	vector_init(&sink->lineage[1], type_of(TYPE_BIGINT));
	sink->columns = mem_zalloc_array(context->columns->column_count + 2,
					 sizeof(*sink->columns));
	if (!sink->columns)
		return error_set(err, ERROR_NO_MEMORY, "row group");
	if (context->is_partitioned || context->sort.order)
		sink->ordered_lane = ordered_lane = -1;
	if (context->is_partitioned)
		return partition_router_init(&sink->router, context, err);
	if (ordered_lane < 0)
		return 0;
	/* at once: those that come first must know that there is another */
	rc = write_context_lane(context, context->whole, ordered_lane, &file,
				err);
	return rc ? rc : rolling_file_join(file,
					   &sink->lanes[ordered_lane].writer,
					   err);
}

void row_sink_release(struct row_sink *sink)
{
	for (size_t i = 0; i < LANE_COUNT; i++)
		parquet_encoder_free(sink->lanes[i].encoder);
	vector_release(&sink->lineage[0]);
	vector_release(&sink->lineage[1]);
	partition_router_release(&sink->router);
	sort_buffer_free(sink->sort);
	mem_free(sink->sort_rows);
	mem_free(sink->sort_partitions);
	mem_free(sink->columns);
	memset(sink, 0, sizeof(*sink));
}

/* An encoder of the sink's own. */
static int open_lane(struct row_sink *sink, int lane, struct error *err)
{
	struct file_layout *layout = &sink->context->layouts[lane];

	if (sink->lanes[lane].encoder)
		return 0;
	return parquet_encoder_new(&sink->lanes[lane].encoder,
				   &layout->schema, &layout->parquet, err);
}

static int flush_lane(struct row_sink *sink, int lane, struct error *err)
{
	struct row_sink_lane *in = &sink->lanes[lane];
	struct encoded_row_group *group;
	int rc;

	if (!in->encoder)
		return 0;
	rc = parquet_encoder_finish(in->encoder, &group, err);
	if (rc || !group)
		return rc;
	return rolling_file_append(sink->context->whole->lanes[lane],
				   in->writer, group, in->unit, err);
}

/* Both lineage vectors as nulls. */
static int null_lineage(struct row_sink *sink, size_t count,
			struct error *err)
{
	struct literal null = literal_null(type_of(TYPE_BIGINT));
	int rc = vector_fill(&sink->lineage[0], &null, count, err);

	return rc ? rc : vector_fill(&sink->lineage[1], &null, count, err);
}

static size_t rows_behind(const struct selection *rows)
{
	if (!rows->count)
		return 0;
	return selection_row(rows, rows->count - 1) + 1;
}

/* Which lane the rows go to; its columns are in sink->columns. */
static int choose_lane(struct row_sink *sink,
		       const struct vector *const *columns,
		       const struct selection *rows, bool lineage,
		       int *lane_out, struct error *err)
{
	struct write_context *context = sink->context;
	size_t count = context->columns->column_count;
	int lane, rc = 0;

	if (lineage && !atomic_load(&context->lineage_used))
		atomic_store(&context->lineage_used, true);
	lane = atomic_load(&context->lineage_used) ? LANE_LINEAGE
						   : LANE_PLAIN;
	*lane_out = lane;
	memcpy(sink->columns, columns, count * sizeof(*columns));
	if (context->has_lineage && !lineage &&
	    (lane == LANE_LINEAGE || context->is_partitioned ||
	     context->sort.order))
		rc = null_lineage(sink, rows_behind(rows), err);
	sink->columns[count] = &sink->lineage[0];
	sink->columns[count + 1] = &sink->lineage[1];
	return rc;
}

/* End the row group if the rows are better in the next. */
static int make_room(struct row_sink *sink, int lane, size_t row_count,
		     uint64_t unit, struct error *err)
{
	const struct write_context *context = sink->context;
	const struct row_sink_lane *in = &sink->lanes[lane];
	size_t held = parquet_encoder_rows(in->encoder);
	bool new_unit = lane == sink->ordered_lane && unit != in->unit;

	if (!held || (held + row_count <= context->group_rows &&
		      !(new_unit && held >= context->group_rows / 2) &&
		      parquet_encoder_bytes(in->encoder) <
			      context->group_bytes))
		return 0;
	return flush_lane(sink, lane, err);
}

/* Rows in sink->columns to the sort buffer; partitions as it has them. */
static int add_to_sort(struct row_sink *sink, const struct selection *rows,
		       const uint32_t *partitions, struct error *err)
{
	int rc = 0;

	if (!sink->sort)
		rc = sort_buffer_new(&sink->sort, sink->context, err);
	return rc ? rc : sort_buffer_add(sink->sort, sink->columns, rows,
					 partitions, err);
}

static int reserve_sort(struct row_sink *sink, size_t count,
			struct error *err)
{
	if (count <= sink->sort_capacity)
		return 0;
	mem_free(sink->sort_rows);
	mem_free(sink->sort_partitions);
	sink->sort_capacity = 0;
	sink->sort_rows = mem_alloc_array(count, sizeof(uint32_t));
	sink->sort_partitions = mem_alloc_array(count, sizeof(uint32_t));
	if (!sink->sort_rows || !sink->sort_partitions)
		return error_set(err, ERROR_NO_MEMORY, "row group");
	sink->sort_capacity = count;
	return 0;
}

/* Of the rows that were placed, those whose partitions have no open file. */
static int sort_placed(struct row_sink *sink, const struct selection *rows,
		       struct error *err)
{
	const struct partition_router *router = &sink->router;
	struct selection part = { NULL, 0 };
	int rc = reserve_sort(sink, rows->count, err);

	for (size_t g = 0; !rc && g < router->group_count; g++) {
		struct partition *partition = router->groups[g].partition;

		if (!partition->is_open)
			atomic_fetch_add(&partition->sorted_rows,
					 router->groups[g].count);
	}
	for (size_t i = 0; !rc && i < rows->count; i++) {
		const struct partition *partition =
			router->groups[router->group_of[i]].partition;

		if (partition->is_open)
			continue;
		sink->sort_rows[part.count] =
			(uint32_t)selection_row(rows, i);
		sink->sort_partitions[part.count++] = partition->number;
	}
	part.rows = sink->sort_rows;
	if (rc || !part.count)
		return rc;
	return add_to_sort(sink, &part, sink->sort_partitions, err);
}

/* Rows in sink->columns to the files of their partitions. */
static int add_to_partitions(struct row_sink *sink, int lane,
			     const struct selection *rows, struct error *err)
{
	struct write_context *context = sink->context;
	struct partition_router *router = &sink->router;
	int rc = partition_router_place(router, sink->columns, rows, err);
	bool any_closed = false;

	for (size_t g = 0; !rc && g < router->group_count; g++) {
		const struct router_group *group = &router->groups[g];
		struct selection part = { router->rows + group->at,
					  group->count };
		struct rolling_file *file;

		atomic_fetch_add(&group->partition->rows, group->count);
		any_closed |= !group->partition->is_open;
		if (!group->partition->is_open)
			continue;
		rc = write_context_lane(context, group->partition, lane,
					&file, err);
		if (!rc)
			rc = rolling_file_pool(file, sink->columns, &part,
					       err);
	}
	if (!rc && any_closed)
		rc = sort_placed(sink, rows, err);
	return rc ? rc : write_context_relieve(context, err);
}

/* All rows in sink->columns, where not each has its file at once. */
static int place(struct row_sink *sink, int lane, const struct selection *rows,
		 struct error *err)
{
	struct write_context *context = sink->context;

	if (context->is_partitioned)
		return add_to_partitions(sink, lane, rows, err);
	atomic_fetch_add(&context->whole->sorted_rows, rows->count);
	return add_to_sort(sink, rows, NULL, err);
}

int row_sink_add(struct row_sink *sink, const struct vector *const *columns,
		 const struct selection *rows, uint64_t unit, bool lineage,
		 struct error *err)
{
	struct rolling_file *file;
	struct row_sink_lane *in;
	int lane, rc;

	if (!rows->count)
		return 0;
	rc = choose_lane(sink, columns, rows, lineage, &lane, err);
	if (!rc && (sink->context->is_partitioned ||
		    sink->context->sort.order))
		return place(sink, lane, rows, err);
	if (!rc)
		rc = write_context_lane(sink->context, sink->context->whole,
					lane, &file, err);
	if (rc)
		return rc;
	in = &sink->lanes[lane];
	if (!in->encoder && lane != sink->ordered_lane) {
		rc = rolling_file_share(file, sink->columns, rows,
					&in->encoder, err);
		if (rc || !in->encoder)
			return rc;
	}
	rc = open_lane(sink, lane, err);
	if (!rc)
		rc = make_room(sink, lane, rows->count, unit, err);
	if (!rc && !parquet_encoder_rows(in->encoder)) {
		in->unit = unit;
		if (lane == sink->ordered_lane)
			rolling_file_raise(file, in->writer, unit);
	}
	if (!rc)
		rc = parquet_encoder_add(in->encoder, sink->columns, rows,
					 err);
	return rc;
}

int row_sink_finish(struct row_sink *sink, struct error *err)
{
	int rc = 0;

	for (int lane = 0; !rc && lane < LANE_COUNT; lane++) {
		rc = flush_lane(sink, lane, err);
		if (!rc && lane == sink->ordered_lane)
			rolling_file_raise(sink->context->whole->lanes[lane],
					   sink->lanes[lane].writer,
					   UINT64_MAX);
	}
	if (rc || !sink->sort)
		return rc;
	rc = sort_buffer_sort(sink->sort, err);
	if (rc)
		return rc;
	pthread_mutex_lock(&sink->context->lock);
	sink->sort->next = sink->context->sorted;
	sink->context->sorted = sink->sort;
	pthread_mutex_unlock(&sink->context->lock);
	sink->sort = NULL;
	return 0;
}
