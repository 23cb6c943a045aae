/*
 * group_filter.c - row groups and pages that no wanted row can be in
 *
 * Why:    a merge of recent keys touches one row group of a large file and few
 *         pages of it; keys without order need the Bloom filter.
 * How:    each range is held against the statistics of its column's chunk,
 *         then, for a short list of values, against the chunk's Bloom filter
 *         or, where it has none, its dictionary, and last against the bounds
 *         of the chunk's pages: a span of rows that has no page which can
 *         match is not read.
 * Cost:   statistics are in the footer. The filter is loaded only where it may
 *         well rule out all values: with a false-positive rate of 1 % that
 *         chance is gone at some hundred values. The page index is loaded only
 *         where the range leaves part of the chunk's bounds out, or its values
 *         are fewer than the pages are likely to have.
 */
#include "table/scan/scan_state.h"

#define BLOOM_VALUE_LIMIT 200
#define BLOOM_ROW_LIMIT 16384	/* smaller groups are read at once */
#define PAGE_ROWS 20480		/* of our own writer, about */
#define VALUES_PER_PAGE 8	/* from here on every page has one */

static void stats_of(const struct parquet_bounds *bounds,
		     struct column_stats *out)
{
	out->has_min = bounds->has_min;
	out->has_max = bounds->has_max;
	out->min = bounds->min;
	out->max = bounds->max;
	out->null_count = bounds->null_count;
	out->value_count = bounds->value_count;
	out->may_have_nan = bounds->may_have_nan;
}

/* Where the column of a range is; false if that cannot be said. */
static bool range_source(struct table_scan *scan, struct scan_file *file,
			 const struct column_range *range,
			 struct column_source *out)
{
	const struct column_def *column =
		&scan->schema->columns[range->column];

	struct source_request request = {
		scan->files, &scan->names, file->reader,
		&file->file->entry->file, NULL
	};

	/* ranges are of flat columns */
	return !type_is_nested(&column->type) &&
	       column_source_find(&request, column, out, NULL) == 0 &&
	       (!out->is_leaf ||
		parquet_leaf(file->reader, out->leaf)->readable);
}

static bool statistics_match(struct table_scan *scan, struct scan_file *file,
			     size_t group, const struct column_range *range)
{
	const struct type *type = &scan->schema->columns[range->column].type;
	struct parquet_bounds bounds;
	struct column_source source;
	struct column_stats stats;

	if (!range_source(scan, file, range, &source))
		return true;
	if (!source.is_leaf)
		return constant_may_match(
			range, &source.constant,
			(int64_t)parquet_row_group_rows(file->reader, group));
	parquet_chunk_bounds(file->reader, group, source.leaf, type, &bounds);
	stats_of(&bounds, &stats);
	return column_range_may_match(range, &stats);
}

/* Is one of the range's values in the filter? */
static bool filter_has_any(const struct parquet_bloom_filter *filter,
			   const struct column_range *range, size_t first,
			   size_t count)
{
	if (!range->values)
		return parquet_bloom_filter_may_contain(filter, &range->min);
	for (size_t i = first; i < first + count; i++) {
		struct literal value = vector_get(range->values, i);

		if (parquet_bloom_filter_may_contain(filter, &value))
			return true;
	}
	return false;
}

/*
 * Are the values that the range wants of the chunk few enough to ask for each?
 * *first and *count are those of its list.
 */
static bool has_few_values(const struct column_range *range,
			   const struct column_stats *stats, size_t *first,
			   size_t *count)
{
	*first = 0;
	*count = 1;
	if (range->nan_matches ||
	    (range->null_matches && stats->null_count != 0))
		return false;
	if (range->values)
		column_range_values_in(range, stats, first, count);
	else if (!range->has_min || !range->has_max ||
		 literal_compare(&range->min, &range->max) != 0)
		return false;
	return *count <= BLOOM_VALUE_LIMIT;
}

/* Is one of the chunk's values wanted? */
static int dictionary_match(const struct scan_file *file, size_t group,
			    size_t leaf, const struct type *type,
			    const struct column_range *range,
			    bool *may_match, struct error *err)
{
	struct chunk_reader *chunk;
	struct vector values;
	bool complete;
	int rc = chunk_reader_open(&chunk, file->reader, group, leaf, type,
				   err);

	if (rc)
		return rc;
	vector_init(&values, *type);
	rc = chunk_reader_dictionary(chunk, &values, &complete, err);
	if (!rc && complete) {
		*may_match = false;
		for (size_t i = 0; i < values.count && !*may_match; i++) {
			struct literal value = vector_get(&values, i);

			*may_match = constant_may_match(range, &value, 1);
		}
	}
	vector_release(&values);
	chunk_reader_free(chunk);
	return rc;
}

static int value_match(struct table_scan *scan, struct scan_file *file,
		       size_t group, const struct column_range *range,
		       bool *may_match, struct error *err)
{
	const struct type *type = &scan->schema->columns[range->column].type;
	struct parquet_bloom_filter *filter;
	struct parquet_bounds bounds;
	struct column_source source;
	struct column_stats stats;
	size_t first, count;
	int rc;

	if (parquet_row_group_rows(file->reader, group) < BLOOM_ROW_LIMIT ||
	    !range_source(scan, file, range, &source) || !source.is_leaf)
		return 0;
	parquet_chunk_bounds(file->reader, group, source.leaf, type, &bounds);
	stats_of(&bounds, &stats);
	if (!has_few_values(range, &stats, &first, &count))
		return 0;
	if (!parquet_has_bloom_filter(file->reader, group, source.leaf)) {
		if (!parquet_has_dictionary(file->reader, group, source.leaf))
			return 0;
		rc = dictionary_match(file, group, source.leaf, type, range,
				      may_match, err);
		scan->groups_unlisted += !rc && !*may_match;
		return rc;
	}
	rc = parquet_bloom_filter_load(file->reader, group, source.leaf,
				       &filter, err);
	if (rc || !filter)
		return rc;
	*may_match = filter_has_any(filter, range, first, count);
	scan->groups_bloomed += !*may_match;
	parquet_bloom_filter_free(filter);
	return 0;
}

int group_filter(struct table_scan *scan, struct scan_file *file,
		 size_t group, bool *may_match, struct error *err)
{
	*may_match = true;
	for (size_t i = 0; i < scan->range_count && *may_match; i++)
		*may_match = statistics_match(scan, file, group,
					      &scan->ranges[i]);
	return 0;
}

int value_filter(struct table_scan *scan, struct scan_file *file,
		 size_t group, bool *may_match, struct error *err)
{
	int rc = 0;

	*may_match = true;
	for (size_t i = 0; !rc && i < scan->range_count && *may_match; i++)
		rc = value_match(scan, file, group, &scan->ranges[i],
				 may_match, err);
	return rc;
}

/* Can pages of the group be left out at all? */
static bool pages_may_help(const struct column_range *range,
			   const struct column_stats *stats,
			   uint64_t row_count)
{
	size_t first, count;

	if (!stats->has_min || !stats->has_max)
		return true;
	if (range->has_min && literal_compare(&range->min, &stats->min) > 0)
		return true;
	if (range->has_max && literal_compare(&range->max, &stats->max) < 0)
		return true;
	if (!range->values)
		return !range->null_matches && stats->null_count != 0;
	column_range_values_in(range, stats, &first, &count);
	return count / VALUES_PER_PAGE < row_count / PAGE_ROWS + 1;
}

/* Bits of the spans that a page which may match has rows of. */
static void mark_pages(const struct column_range *range,
		       const struct parquet_page_index *index,
		       uint64_t *marked, size_t span_count, uint64_t *pruned)
{
	for (size_t p = 0; p < index->page_count; p++) {
		uint64_t first = index->first_row[p] / BATCH_ROW_COUNT;
		uint64_t last;
		struct column_stats stats;

		if (index->first_row[p + 1] <= index->first_row[p])
			continue;
		last = (index->first_row[p + 1] - 1) / BATCH_ROW_COUNT;
		stats_of(&index->bounds[p], &stats);
		if (!column_range_may_match(range, &stats)) {
			++*pruned;
			continue;
		}
		if (last < span_count)
			bits_set_range(marked, (size_t)first,
				       (size_t)(last - first + 1));
	}
}

/* The spans of a group that are left. */
struct span_filter {
	struct table_scan *scan;
	struct scan_file *file;
	size_t group;
	struct arena arena;
	uint64_t *spans;
	size_t span_count;
};

static int page_match(struct span_filter *filter,
		      const struct column_range *range, struct error *err)
{
	struct table_scan *scan = filter->scan;
	struct scan_file *file = filter->file;
	size_t group = filter->group;
	const struct type *type = &scan->schema->columns[range->column].type;
	struct parquet_page_index *index;
	struct parquet_bounds bounds;
	struct column_source source;
	struct column_stats stats;
	uint64_t *marked, pruned = 0;
	int rc;

	if (!range_source(scan, file, range, &source) || !source.is_leaf)
		return 0;
	parquet_chunk_bounds(file->reader, group, source.leaf, type, &bounds);
	stats_of(&bounds, &stats);
	if (!pages_may_help(range, &stats,
			    parquet_row_group_rows(file->reader, group)))
		return 0;
	rc = parquet_page_index(file->reader, group, source.leaf, type,
				&filter->arena, &index, err);
	if (rc || !index || !index->bounds)
		return rc;
	marked = arena_zalloc_array(&filter->arena,
				    BITMAP_WORDS(filter->span_count),
				    sizeof(*marked));
	if (!marked)
		return error_set(err, ERROR_NO_MEMORY, "scan of a table");
	mark_pages(range, index, marked, filter->span_count, &pruned);
	scan->pages_pruned += pruned;
	for (size_t i = 0; i < BITMAP_WORDS(filter->span_count); i++)
		filter->spans[i] &= marked[i];
	return 0;
}

int page_filter(struct table_scan *scan, struct scan_file *file,
		size_t group, uint64_t *spans, size_t span_count,
		struct error *err)
{
	struct span_filter filter = { scan, file, group, { 0 }, spans,
				      span_count };
	int rc = 0;

	/* a group of few rows has one page */
	if (span_count <= 1)
		return 0;
	arena_init(&filter.arena, 0);
	for (size_t i = 0; !rc && i < scan->range_count; i++)
		rc = page_match(&filter, &scan->ranges[i], err);
	arena_release(&filter.arena);
	return rc;
}
