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
 *         files instead, which all sinks share.
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
	if (context->is_partitioned) {
		sink->ordered_lane = -1;
		return partition_router_init(&sink->router, context, err);
	}
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
	if (lane == LANE_LINEAGE && !lineage)
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

/* Rows in sink->columns to the files of their partitions. */
static int add_to_partitions(struct row_sink *sink, int lane,
			     const struct selection *rows, struct error *err)
{
	struct write_context *context = sink->context;
	struct partition_router *router = &sink->router;
	int rc = partition_router_place(router, sink->columns, rows, err);

	for (size_t g = 0; !rc && g < router->group_count; g++) {
		const struct router_group *group = &router->groups[g];
		struct selection part = { router->rows + group->at,
					  group->count };
		struct rolling_file *file;

		rc = write_context_lane(context, group->partition, lane,
					&file, err);
		if (!rc)
			rc = rolling_file_pool(file, sink->columns, &part,
					       err);
	}
	return rc ? rc : write_context_relieve(context, err);
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
	if (!rc && sink->context->is_partitioned)
		return add_to_partitions(sink, lane, rows, err);
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
	return rc;
}
