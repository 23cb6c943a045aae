#ifndef TABLE_SCAN_STREAM_STATE_H
#define TABLE_SCAN_STREAM_STATE_H
#include "table/scan/scan_state.h"

/*
 * A stream of a scan, as the files of this room see it. Private.
 */
struct stream_column {
	bool resolved;			/* for the current file */
	struct column_source source;
	struct arena arena;		/* of a nested source */
	/* of the current row group, at most one of them */
	struct chunk_reader *chunk;
	struct nested_reader *nested;
	struct vector fetched;
	bool has_fetched;
};

/* Equality deletes of the current file, see equality_delete.c. */
struct stream_equality;

struct table_stream {
	struct table_scan *scan;
	struct target_batch out;
	struct stream_column *columns;	/* per table column */
	struct stream_column lineage;
	struct vector lineage_values;
	int64_t *lineage_ids;
	uint64_t *row_ids;
	struct stream_equality *equality;

	/* the task */
	struct scan_file *file;		/* NULL = none */
	uint64_t unit;
	bool planned;			/* its group has passed group_filter */
	size_t group;			/* the next */
	size_t group_limit;

	/* the row group */
	bool in_group;
	size_t current;
	uint64_t group_rows;
	uint64_t group_first;		/* position in the file */
	uint64_t *spans;		/* bit: worth reading */
	size_t span_capacity;
	size_t span_count;
	size_t next_span;

	/* the span */
	uint64_t span_first;		/* in the group */
	size_t span_rows;
	uint64_t keep[BITMAP_WORDS(BATCH_ROW_COUNT)];
	bool is_compact;		/* kept lists the rows that are left */
	uint32_t *kept;
	size_t kept_count;
	uint32_t *picked;
};

/* Of the rows that are left, leave those whose bit is set. */
void stream_keep_rows(struct table_stream *stream, const uint64_t *keep);

/* Values of the kept rows of the span. */
int stream_column_read(struct table_stream *stream,
		       struct stream_column *column,
		       const struct column_def *def, struct vector *out,
		       struct error *err);
/* All rows of the span, deleted ones too. */
int stream_column_read_span(struct table_stream *stream,
			    struct stream_column *column,
			    const struct column_def *def,
			    struct vector *out, struct error *err);
int stream_lineage_read(struct table_stream *stream, struct error *err);
/* What was read is added to the scan's count. */
void stream_column_close(struct stream_column *column,
			 struct table_scan *scan);
void stream_column_release(struct stream_column *column,
			   struct table_scan *scan);

int stream_equality_open(struct table_stream *stream, struct error *err);
/* Take rows out of kept. */
int stream_equality_apply(struct table_stream *stream, struct error *err);
void stream_equality_close(struct table_stream *stream);
void stream_equality_release(struct table_stream *stream);
#endif
