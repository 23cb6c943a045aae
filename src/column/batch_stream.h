#ifndef COLUMN_BATCH_STREAM_H
#define COLUMN_BATCH_STREAM_H
#include "column/batch.h"

/*
 * A source of batches that one thread pulls. next() gives a batch that stays
 * valid until the next call on the stream, or NULL at the end. A struct that
 * implements it has batch_stream as its first member.
 */
struct batch_stream {
	int (*next)(struct batch_stream *stream, struct batch **out,
		    struct error *err);
	void (*free)(struct batch_stream *stream);
};

/*
 * Rows that several threads may share out among them: a file split at record
 * boundaries, a scan split by row groups. stream_new() may be called several
 * times (from any thread); together the streams give every row exactly once,
 * whole units at a time, and each may be used by one thread only.
 */
struct batch_source {
	const struct schema *(*schema)(const struct batch_source *source);
	/* How many streams can be kept busy, at least 1. A tiny input says 1
	 * so that no thread is started for it. */
	size_t (*parallelism)(const struct batch_source *source);
	int (*stream_new)(struct batch_source *source,
			  struct batch_stream **out, struct error *err);
	void (*free)(struct batch_source *source);
};

static inline int batch_stream_next(struct batch_stream *stream,
				    struct batch **out, struct error *err)
{
	return stream->next(stream, out, err);
}

static inline void batch_stream_free(struct batch_stream *stream)
{
	if (stream)
		stream->free(stream);
}

static inline void batch_source_free(struct batch_source *source)
{
	if (source)
		source->free(source);
}
#endif
