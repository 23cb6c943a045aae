/*
 * fold.c - small files must not pile up
 *
 * Why:    a job that merges a hundred rows a minute makes a file a minute; soon
 *         every scan opens thousands, and every merge writes deletes for many.
 * How:    a commit that writes rows anyway takes small files along: from the
 *         smallest up, as long as the next is at most half as large again as
 *         all before it together, its own rows included. So sizes grow
 *         geometrically, a row is moved a logarithmic number of times, and the
 *         number of small files stays logarithmic. Without that half files of
 *         about one size stay apart, each a little larger than the sum. The
 *         caller says how many files make it worth it.
 *         Files of a partition are only taken along where the commit writes
 *         rows of that partition, and are weighed against those.
 *         A tiny file that loses rows goes along in any case: that costs less
 *         than a delete file for it.
 * Cost:   at most ROWS_PER_ROW rows per own row and ROWS_ALWAYS more, so that
 *         no merge is much slower than the others.
 */
#include <stdlib.h>
#include "table/fold.h"

#define TINY_ROWS 512
#define ROWS_PER_ROW 16
#define ROWS_ALWAYS 16384
#define LARGEST_ROWS ((uint64_t)1 << 20)
#define DEFAULT_FILE_BYTES ((int64_t)256 << 20)
#define SMALL_SHARE 8	/* small: this share of the target size */

struct fold_candidate {
	size_t index;
	size_t partition;	/* of the commit's; SIZE_MAX = none */
	uint64_t rows;		/* that are live */
	bool is_tiny;		/* and loses rows */
};

static bool is_off(const struct table_metadata *metadata)
{
	const char *value = metadata_property(metadata, "rowmerge.fold");

	return value && text_equal_nocase(value, "off");
}

static int64_t small_bytes(const struct table_metadata *metadata)
{
	const char *value = metadata_property(
		metadata, "write.target-file-size-bytes");
	int64_t bytes;

	if (!value || parse_int64(value, strlen(value), &bytes) || bytes <= 0)
		bytes = DEFAULT_FILE_BYTES;
	return bytes / SMALL_SHARE;
}

/* May the file be taken along, and how many rows has it? */
static bool weigh(const struct fold_options *options, size_t index,
		  int64_t limit_bytes, struct fold_candidate *out)
{
	const struct snapshot_file *file = &options->files->files[index];
	const struct data_file *data;
	int64_t deleted = 0;

	if (!file->entry)
		return false;
	data = &file->entry->file;
	if (data->file_size > limit_bytes ||
	    data->format != FORMAT_PARQUET || data->record_count <= 0 ||
	    data->spec_id != options->metadata->default_spec_id)
		return false;
	for (size_t i = 0; i < file->delete_count; i++) {
		if (file->deletes[i]->file.content !=
		    CONTENT_POSITION_DELETES)
			return false;
		deleted = count_add(deleted,
				    file->deletes[i]->file.record_count);
	}
	out->index = index;
	out->rows = data->record_count > deleted
			    ? (uint64_t)(data->record_count - deleted) : 0;
	out->is_tiny = data->record_count <= TINY_ROWS &&
		       write_context_touches(options->context, index);
	return true;
}

static int compare_rows(const void *a, const void *b)
{
	const struct fold_candidate *x = a, *y = b;

	if (x->partition != y->partition)
		return x->partition < y->partition ? -1 : 1;
	if (x->rows != y->rows)
		return x->rows < y->rows ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static int compare_index(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

/* How many of the sorted candidates of a partition go along. */
static size_t choose_prefix(const struct fold_candidate *candidates,
			    size_t count, const struct fold_options *options,
			    uint64_t *budget)
{
	size_t partition = candidates[0].partition;
	uint64_t sum = options->own_rows, left = *budget;
	size_t n = 0;

	if (partition == SIZE_MAX)
		return 0;
	if (options->is_partitioned)
		sum = write_context_partition_rows(options->context,
						   partition);
	for (; n < count; n++) {
		if (candidates[n].rows > left ||
		    candidates[n].rows - candidates[n].rows / 3 > sum)
			break;
		sum += candidates[n].rows;
		left -= candidates[n].rows;
	}
	if (n < options->least_count)
		return 0;
	*budget = left;
	return n;
}

/* Put the indexes of all that go along into chosen; returns their number. */
static size_t choose(const struct fold_candidate *candidates, size_t count,
		     const struct fold_options *options, size_t *chosen)
{
	uint64_t own_rows = options->own_rows;
	uint64_t budget = own_rows > LARGEST_ROWS / ROWS_PER_ROW
				  ? LARGEST_ROWS
				  : own_rows * ROWS_PER_ROW + ROWS_ALWAYS;
	size_t n = 0;

	for (size_t at = 0, end; at < count; at = end) {
		size_t prefix;

		for (end = at + 1; end < count && candidates[end].partition ==
						  candidates[at].partition;)
			end++;
		prefix = choose_prefix(&candidates[at], end - at, options,
				       &budget);
		for (size_t i = at; i < end; i++)
			if (i < at + prefix || candidates[i].is_tiny)
				chosen[n++] = candidates[i].index;
	}
	return n;
}

/* The small files; those of no partition that gets rows are not looked at
 * further. */
static int weigh_all(const struct fold_options *options,
		     struct fold_candidate *candidates, size_t *count_out,
		     struct error *err)
{
	int64_t limit = small_bytes(options->metadata);
	size_t count = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < options->files->file_count; i++) {
		struct fold_candidate *candidate = &candidates[count];

		if (!weigh(options, i, limit, candidate))
			continue;
		candidate->partition = 0;
		if (options->is_partitioned)
			rc = write_context_partition_of(
				options->context,
				&options->files->files[i].entry->file,
				&candidate->partition, err);
		count += candidate->partition != SIZE_MAX ||
			 candidate->is_tiny;
	}
	*count_out = count;
	return rc;
}

int fold_read(const struct fold_options *options, struct error *err)
{
	size_t count = write_context_partition_count(options->context);
	const struct literal **partitions;
	int rc;

	/* files are numbered, whatever is read */
	if (!options->own_rows || is_off(options->metadata))
		count = 0;
	partitions = mem_alloc_array(count + 1, sizeof(*partitions));
	if (!partitions)
		return error_set(err, ERROR_NO_MEMORY, "fold");
	for (size_t i = 0; i < count; i++)
		partitions[i] = write_context_partition_values(
			options->context, i);
	rc = snapshot_files_read_partitions(options->files,
					    options->metadata->default_spec_id,
					    partitions, count, err);
	mem_free(partitions);
	return rc;
}

int fold_choose(const struct fold_options *options, size_t **out,
		size_t *count_out, struct error *err)
{
	size_t total = options->files->file_count, count = 0, n = 0;
	struct fold_candidate *candidates;
	size_t *chosen;
	int rc;

	*out = NULL;
	*count_out = 0;
	if (!options->own_rows || !total || is_off(options->metadata))
		return 0;
	candidates = mem_alloc_array(total + 1, sizeof(*candidates));
	chosen = mem_alloc_array(total, sizeof(*chosen));
	if (!candidates || !chosen) {
		rc = error_set(err, ERROR_NO_MEMORY, "fold");
		goto out;
	}
	rc = weigh_all(options, candidates, &count, err);
	if (rc)
		goto out;
	qsort(candidates, count, sizeof(*candidates), compare_rows);
	n = choose(candidates, count, options, chosen);
	qsort(chosen, n, sizeof(*chosen), compare_index);
	if (n) {
		*out = chosen;
		*count_out = n;
		chosen = NULL;
	}
out:
	mem_free(candidates);
	mem_free(chosen);
	return rc;
}
