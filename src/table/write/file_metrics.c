/*
 * file_metrics.c - what the manifest says of a new file's leaf columns
 *
 * Why:    scans skip files by these bounds, so each must be a true bound, and
 *         short enough that manifests stay small.
 * How:    exact sums from the Parquet writer, cut by the column's mode.
 */
#include "table/write/write_state.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "metrics of a file");
}

static int keep_bound(const struct literal *value, bool upper,
		      const struct column_metrics_mode *mode,
		      struct arena *arena, struct byte_view *out,
		      struct error *err)
{
	struct text bytes = TEXT_INIT;
	struct literal bound = *value;
	bool valid = true;
	uint8_t *copy;
	int rc = 0;

	if (mode->mode == METRICS_TRUNCATE)
		rc = bound_truncate(value, upper, mode->width, arena, &bound,
				    &valid, err);
	if (rc || !valid)
		return rc;
	rc = single_value_encode(&bound, &bytes, err);
	if (!rc) {
		copy = arena_alloc(arena, bytes.length + 1);
		if (!copy) {
			rc = no_memory(err);
		} else {
			if (bytes.length)
				memcpy(copy, bytes.data, bytes.length);
			*out = byte_view(copy, bytes.length);
		}
	}
	text_release(&bytes);
	return rc;
}

static bool has_nans(const struct type *type)
{
	return type->id == TYPE_REAL || type->id == TYPE_DOUBLE;
}

int file_metrics_column(const struct parquet_column_totals *totals,
			const struct column_metrics_mode *mode,
			struct arena *arena, struct column_metrics *out,
			struct error *err)
{
	int rc;

	out->field_id = totals->field_id;
	out->column_size = totals->compressed_bytes;
	out->value_count = out->null_count = out->nan_count = -1;
	if (mode->mode == METRICS_NONE)
		return 0;
	out->value_count = totals->value_count;
	out->null_count = totals->null_count;
	if (has_nans(&totals->type))
		out->nan_count = totals->nan_count;
	if (mode->mode == METRICS_COUNTS || !totals->has_bounds)
		return 0;
	rc = keep_bound(&totals->min, false, mode, arena, &out->lower, err);
	return rc ? rc : keep_bound(&totals->max, true, mode, arena,
				    &out->upper, err);
}

int file_metrics(const struct parquet_writer *writer,
		 const struct file_layout *layout, struct arena *arena,
		 struct data_file *out, struct error *err)
{
	const struct parquet_column_totals *totals =
		parquet_writer_totals(writer);
	size_t count = layout->leaf_count;
	const int64_t *splits;
	int rc = 0;

	out->metrics = arena_zalloc_array(arena, count + 1,
					  sizeof(*out->metrics));
	if (!out->metrics)
		return no_memory(err);
	out->metrics_count = count;
	for (size_t i = 0; !rc && i < count; i++) {
		struct column_metrics m = { 0 };
		size_t at = i;

		rc = file_metrics_column(&totals[i], &layout->metrics[i],
					 arena, &m, err);
		/* ascending field ids */
		for (; at > 0 && out->metrics[at - 1].field_id > m.field_id;
		     at--)
			out->metrics[at] = out->metrics[at - 1];
		out->metrics[at] = m;
	}
	if (rc)
		return rc;
	splits = parquet_writer_split_offsets(writer, &out->split_count);
	out->split_offsets = arena_copy(arena, splits,
					out->split_count * sizeof(*splits));
	return out->split_offsets ? 0 : no_memory(err);
}
