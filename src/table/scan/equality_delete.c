/*
 * equality_delete.c - a stream leaves out rows deleted by equality
 *
 * Why:    the format lets writers delete rows by their values; whoever reads
 *         must compare.
 * How:    for each group of deletes that applies to the file, its columns are
 *         read for the rows that are left (by readers of their own, so the
 *         batch's columns are not disturbed) and probed.
 */
#include "table/scan/equality_group.h"
#include "table/scan/stream_state.h"

struct equality_use {
	const struct equality_group *group;
	struct stream_column *columns;	/* per column of the group */
	struct vector *values;
	const struct vector **pointers;
};

struct stream_equality {
	struct equality_probe probe;
	uint64_t keep[BITMAP_WORDS(BATCH_ROW_COUNT)];
	struct equality_use *uses;
	size_t count;
	size_t capacity;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "equality deletes");
}

static void release_use(struct equality_use *use, struct table_scan *scan)
{
	for (size_t i = 0; i < use->group->column_count; i++) {
		if (use->columns)
			stream_column_release(&use->columns[i], scan);
		if (use->values)
			vector_release(&use->values[i]);
	}
	mem_free(use->columns);
	mem_free(use->values);
	mem_free(use->pointers);
}

static int add_use(struct table_stream *stream,
		   const struct equality_group *group, struct error *err)
{
	struct stream_equality *equality = stream->equality;
	struct equality_use *use;
	size_t count = group->column_count;

	for (size_t i = 0; i < equality->count; i++)
		if (equality->uses[i].group == group)
			return 0;
	if (!mem_grow((void **)&equality->uses, &equality->capacity,
		      equality->count, sizeof(*equality->uses)))
		return no_memory(err);
	use = &equality->uses[equality->count++];
	memset(use, 0, sizeof(*use));
	use->group = group;
	use->columns = mem_zalloc_array(count, sizeof(*use->columns));
	use->values = mem_zalloc_array(count, sizeof(*use->values));
	use->pointers = mem_zalloc_array(count, sizeof(*use->pointers));
	if (!use->columns || !use->values || !use->pointers) {
		release_use(use, stream->scan);
		equality->count--;
		return no_memory(err);
	}
	for (size_t i = 0; i < count; i++) {
		vector_init(&use->values[i], group->columns[i].type);
		use->pointers[i] = &use->values[i];
	}
	return 0;
}

static void forget_uses(struct table_stream *stream)
{
	struct stream_equality *equality = stream->equality;

	for (size_t i = 0; i < equality->count; i++)
		release_use(&equality->uses[i], stream->scan);
	equality->count = 0;
}

int stream_equality_open(struct table_stream *stream, struct error *err)
{
	const struct snapshot_file *file = stream->file->file;
	int rc = 0;

	if (stream->equality)
		forget_uses(stream);
	for (size_t i = 0; !rc && i < file->delete_count; i++) {
		const struct equality_group *group;

		if (file->deletes[i]->file.content !=
		    CONTENT_EQUALITY_DELETES)
			continue;
		if (!stream->equality)
			stream->equality =
				mem_zalloc(sizeof(*stream->equality));
		if (!stream->equality)
			return no_memory(err);
		rc = equality_group_get(stream->scan->files,
					file->deletes[i], &group, err);
		if (!rc)
			rc = add_use(stream, group, err);
	}
	return rc;
}

static int apply_use(struct table_stream *stream, struct equality_use *use,
		     struct error *err)
{
	struct stream_equality *equality = stream->equality;
	size_t count = stream->kept_count;
	int rc;

	for (size_t i = 0; i < use->group->column_count; i++) {
		rc = stream_column_read(stream, &use->columns[i],
					&use->group->columns[i],
					&use->values[i], err);
		if (rc)
			return rc;
	}
	bits_set_range(equality->keep, 0, count);
	equality_group_probe(use->group, use->pointers, count,
			     stream->file->file->entry->sequence_number,
			     &equality->probe, equality->keep);
	stream_keep_rows(stream, equality->keep);
	return 0;
}

int stream_equality_apply(struct table_stream *stream, struct error *err)
{
	struct stream_equality *equality = stream->equality;
	int rc = 0;

	for (size_t i = 0; equality && !rc && stream->kept_count &&
	     i < equality->count; i++)
		rc = apply_use(stream, &equality->uses[i], err);
	return rc;
}

void stream_equality_close(struct table_stream *stream)
{
	struct stream_equality *equality = stream->equality;

	for (size_t i = 0; equality && i < equality->count; i++)
		for (size_t k = 0; k < equality->uses[i].group->column_count;
		     k++)
			stream_column_close(&equality->uses[i].columns[k],
					    stream->scan);
}

void stream_equality_release(struct table_stream *stream)
{
	if (!stream->equality)
		return;
	forget_uses(stream);
	mem_free(stream->equality->uses);
	mem_free(stream->equality);
	stream->equality = NULL;
}
