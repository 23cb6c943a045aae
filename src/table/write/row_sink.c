/*
 * row_sink.c - rows into row groups
 *
 * Why:    statements that write rows and those that move them end in the same
 *         files.
 * How:    an encoder per lane, made when first needed. A group ends when it is
 *         large, or, once it is half full, where the input's unit changes, so
 *         that groups of several threads can be put into the input's order.
 *         The lane with lineage columns takes over once any row has lineage:
 *         then new rows go there too, with nulls, and one file is enough.
 */
#include "table/write/write_state.h"

int row_sink_init(struct row_sink *sink, struct write_context *context,
		  struct error *err)
{
	memset(sink, 0, sizeof(*sink));
	sink->context = context;
	vector_init(&sink->lineage[0], type_of(TYPE_BIGINT));
	vector_init(&sink->lineage[1], type_of(TYPE_BIGINT));
	sink->columns = mem_zalloc_array(context->columns->column_count + 2,
					 sizeof(*sink->columns));
	if (!sink->columns)
		return error_set(err, ERROR_NO_MEMORY, "row group");
	return 0;
}

void row_sink_release(struct row_sink *sink)
{
	for (size_t i = 0; i < LANE_COUNT; i++)
		parquet_encoder_free(sink->lanes[i].encoder);
	vector_release(&sink->lineage[0]);
	vector_release(&sink->lineage[1]);
	mem_free(sink->columns);
	memset(sink, 0, sizeof(*sink));
}

static int open_lane(struct row_sink *sink, int lane, struct error *err)
{
	struct row_sink_lane *out = &sink->lanes[lane];
	struct rolling_file *file = &sink->context->lanes[lane];
	int rc;

	if (out->encoder)
		return 0;
	rc = write_context_lane(sink->context, lane, err);
	if (!rc)
		rc = rolling_file_join(file, &out->writer, err);
	if (!rc)
		rc = parquet_encoder_new(&out->encoder, &file->layout.schema,
					 &file->layout.parquet, err);
	return rc;
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
	return rolling_file_append(&sink->context->lanes[lane], in->writer,
				   group, in->unit, err);
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

int row_sink_add(struct row_sink *sink, const struct vector *const *columns,
		 const struct selection *rows, uint64_t unit, bool lineage,
		 struct error *err)
{
	struct write_context *context = sink->context;
	size_t count = context->columns->column_count;
	struct row_sink_lane *in;
	size_t held;
	int lane, rc;

	if (!rows->count)
		return 0;
	if (lineage && !atomic_load(&context->lineage_used))
		atomic_store(&context->lineage_used, true);
	lane = atomic_load(&context->lineage_used) ? LANE_LINEAGE
						   : LANE_PLAIN;
	rc = open_lane(sink, lane, err);
	if (rc)
		return rc;
	in = &sink->lanes[lane];
	held = parquet_encoder_rows(in->encoder);
	if (held && (held + rows->count > context->group_rows ||
		     (unit != in->unit && held >= context->group_rows / 2) ||
		     parquet_encoder_bytes(in->encoder) >=
			     context->group_bytes)) {
		rc = flush_lane(sink, lane, err);
		held = 0;
	}
	if (!rc && !held) {
		in->unit = unit;
		rolling_file_raise(&context->lanes[lane], in->writer, unit);
	}
	for (size_t i = 0; i < count; i++)
		sink->columns[i] = columns[i];
	if (!rc && lane == LANE_LINEAGE && !lineage)
		rc = null_lineage(sink, rows_behind(rows), err);
	sink->columns[count] = &sink->lineage[0];
	sink->columns[count + 1] = &sink->lineage[1];
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
		if (!rc && sink->lanes[lane].encoder)
			rolling_file_raise(&sink->context->lanes[lane],
					   sink->lanes[lane].writer,
					   UINT64_MAX);
	}
	return rc;
}
