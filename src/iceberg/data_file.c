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

/* A copy of count items; NULL for none, *ok false when out of memory. */
static void *copy_array(struct arena *arena, const void *items, size_t count,
			size_t size, bool *ok)
{
	void *copy;

	if (count == 0)
		return NULL;
	copy = arena_zalloc_array(arena, count, size);
	if (copy)
		memcpy(copy, items, count * size);
	else
		*ok = false;
	return copy;
}

static char *copy_string(struct arena *arena, const char *text, bool *ok)
{
	char *copy;

	if (!text)
		return NULL;
	copy = arena_strdup(arena, text);
	if (!copy)
		*ok = false;
	return copy;
}

static void copy_view(struct arena *arena, struct byte_view *view, bool *ok)
{
	if (!view->data)
		return;
	view->data = arena_copy(arena, view->data, view->length);
	if (!view->data)
		*ok = false;
}

int data_file_copy(struct data_file *out, const struct data_file *file,
		   struct arena *arena, struct error *err)
{
	bool ok = true;
	int rc;

	*out = *file;
	out->path = copy_string(arena, file->path, &ok);
	out->referenced_data_file =
		copy_string(arena, file->referenced_data_file, &ok);
	out->partition = copy_array(arena, file->partition,
				    file->partition_count,
				    sizeof(*out->partition), &ok);
	out->metrics = copy_array(arena, file->metrics, file->metrics_count,
				  sizeof(*out->metrics), &ok);
	out->split_offsets = copy_array(arena, file->split_offsets,
					file->split_count,
					sizeof(*out->split_offsets), &ok);
	out->equality_ids = copy_array(arena, file->equality_ids,
				       file->equality_count,
				       sizeof(*out->equality_ids), &ok);
	for (size_t i = 0; ok && i < out->metrics_count; i++) {
		copy_view(arena, &out->metrics[i].lower, &ok);
		copy_view(arena, &out->metrics[i].upper, &ok);
	}
	for (size_t i = 0; ok && i < out->partition_count; i++) {
		rc = literal_copy(&out->partition[i], &file->partition[i],
				  arena, err);
		if (rc)
			goto fail;
	}
	if (ok)
		return 0;
	rc = error_set(err, ERROR_NO_MEMORY, "data file entry");
fail:
	memset(out, 0, sizeof(*out));
	return rc;
}
