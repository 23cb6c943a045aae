/*
 * column_stats.c - bounds of chunks and pages as SQL values
 *
 * Why:    a scan skips what cannot match; a wrong bound loses rows.
 * How:    a bound goes through the same conversion as the values themselves.
 *         What is not certain is left out: NaN, a minimum above the maximum,
 *         orders that the file does not name, the deprecated fields except
 *         for signed numbers and single values.
 */
#include "parquet/parquet_file.h"

/* Bytes of a bound; 0 = any. */
static size_t bound_bytes(const struct leaf_column *leaf)
{
	switch (leaf->physical) {
	case PHYSICAL_BOOLEAN: return 1;
	case PHYSICAL_INT32:
	case PHYSICAL_FLOAT: return 4;
	case PHYSICAL_INT64:
	case PHYSICAL_DOUBLE: return 8;
	case PHYSICAL_INT96: return 12;
	case PHYSICAL_BYTE_ARRAY: return 0;
	case PHYSICAL_FIXED: break;
	}
	return leaf->logical.kind == LOGICAL_NONE ? 0 : leaf->type_length;
}

bool bound_literal(const struct leaf_column *leaf,
		   const struct value_convert *convert,
		   const struct type *want, struct byte_view bytes,
		   struct literal *out)
{
	uint64_t in[2] = { 0, 0 };
	int128_t value = 0;
	struct byte_view view = bytes;
	struct vector vector;
	size_t width = bound_bytes(leaf);
	const void *from = in;

	if (convert->kind == CONVERT_ALL_NULL || convert->kind == CONVERT_INT96 ||
	    (width && bytes.length != width))
		return false;
	if (type_is_bytes(want)) {
		/* may be cut: shorter than the type, in mid character */
		memcpy(&value, &view, sizeof(view));
	} else {
		if (leaf->physical == PHYSICAL_BYTE_ARRAY)
			from = &view;
		else if (width <= sizeof(in) && bytes.length == width && width)
			memcpy(in, bytes.data, width);
		else if (bytes.length == leaf->type_length)
			from = bytes.data;
		else
			return false;
		if (leaf->physical == PHYSICAL_BOOLEAN && *bytes.data > 1)
			return false;
		if (value_convert_run(convert, from, 1, &value, NULL))
			return false;
	}
	vector_init(&vector, *want);
	vector.data = &value;
	vector.count = 1;
	*out = vector_get(&vector, 0);
	return true;
}

static bool is_nan(const struct literal *literal)
{
	if (literal->type.id == TYPE_REAL)
		return literal->value.real != literal->value.real;
	return literal->type.id == TYPE_DOUBLE &&
	       literal->value.real64 != literal->value.real64;
}

void bounds_take(const struct leaf_column *leaf,
		 const struct value_convert *convert, const struct type *want,
		 const struct byte_view minmax[2], struct parquet_bounds *out)
{
	out->has_min = minmax[0].data && bound_literal(leaf, convert, want,
						       minmax[0], &out->min);
	out->has_max = minmax[1].data && bound_literal(leaf, convert, want,
						       minmax[1], &out->max);
	if ((out->has_min && is_nan(&out->min)) ||
	    (out->has_max && is_nan(&out->max)) ||
	    (out->has_min && out->has_max &&
	     literal_compare(&out->min, &out->max) > 0))
		out->has_min = out->has_max = false;
}

bool bounds_are_ordered(const struct parquet_reader *reader, size_t leaf)
{
	const struct file_metadata *metadata = &reader->metadata;
	enum physical_type physical = reader->leaves[leaf].physical;

	if (metadata->column_orders &&
	    leaf < metadata->column_order_count) {
		uint8_t order = metadata->column_orders[leaf];

		return order == ORDER_TYPE ||
		       (order == ORDER_IEEE_754 &&
			(physical == PHYSICAL_FLOAT ||
			 physical == PHYSICAL_DOUBLE));
	}
	/* nobody ever ordered numbers otherwise */
	return physical != PHYSICAL_BYTE_ARRAY && physical != PHYSICAL_FIXED;
}

/* May the deprecated fields, in signed order, be believed? */
static bool is_signed_order(const struct leaf_column *leaf)
{
	if (leaf->logical.kind == LOGICAL_INTEGER && !leaf->logical.is_signed)
		return false;
	return leaf->physical != PHYSICAL_BYTE_ARRAY &&
	       leaf->physical != PHYSICAL_FIXED &&
	       leaf->physical != PHYSICAL_INT96;
}

void parquet_chunk_bounds(const struct parquet_reader *reader, size_t group,
			  size_t leaf, const struct type *want,
			  struct parquet_bounds *out)
{
	const struct column_chunk *chunk =
		&reader->metadata.groups[group].columns[leaf];
	const struct leaf_column *column = &reader->leaves[leaf];
	const struct chunk_statistics *stats = &chunk->statistics;
	struct byte_view minmax[2] = { stats->min_value, stats->max_value };
	struct value_convert convert;
	bool trusted = bounds_are_ordered(reader, leaf);

	memset(out, 0, sizeof(*out));
	out->null_count = -1;
	out->value_count = chunk->value_count;
	if (stats->null_count >= 0 && stats->null_count <= chunk->value_count)
		out->null_count = stats->null_count;
	out->may_have_nan = (want->id == TYPE_REAL ||
			     want->id == TYPE_DOUBLE) &&
			    stats->nan_count != 0;
	if (!minmax[0].data && !minmax[1].data) {
		minmax[0] = stats->old_min;
		minmax[1] = stats->old_max;
		trusted = is_signed_order(column);
	}
	if (!trusted && !(minmax[0].data && minmax[1].data &&
			  byte_view_equal(minmax[0], minmax[1])))
		return;
	if (value_convert_choose(&convert, column, want, NULL))
		return;
	bounds_take(column, &convert, want, minmax, out);
}
