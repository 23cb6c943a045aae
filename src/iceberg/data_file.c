/*
 * data_file.c - a data or delete file of a manifest, as a value
 *
 * Cost:   metrics are found by binary search.
 */
#include "iceberg/data_file.h"

const struct column_metrics *data_file_metrics(const struct data_file *file,
					       int32_t field_id)
{
	size_t low = 0, high = file->metrics_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->metrics[middle].field_id < field_id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < file->metrics_count &&
	    file->metrics[low].field_id == field_id)
		return &file->metrics[low];
	return NULL;
}
