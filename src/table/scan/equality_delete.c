/* equality_delete.c */
#include "table/scan/stream_state.h"

int stream_equality_open(struct table_stream *stream, struct error *err)
{
	const struct snapshot_file *file = stream->file->file;

	for (size_t i = 0; i < file->delete_count; i++)
		if (file->deletes[i]->file.content ==
		    CONTENT_EQUALITY_DELETES)
			return error_set(err, ERROR_UNSUPPORTED,
					 "equality deletes of '%s'",
					 file->entry->file.path);
	return 0;
}

int stream_equality_apply(struct table_stream *stream, struct error *err)
{
	return 0;
}

void stream_equality_close(struct table_stream *stream)
{
}

void stream_equality_release(struct table_stream *stream)
{
}
