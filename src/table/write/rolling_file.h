#ifndef TABLE_WRITE_ROLLING_FILE_H
#define TABLE_WRITE_ROLLING_FILE_H
#include <pthread.h>
#include "table/write/write.h"

/*
 * Data files that several threads fill. Private to table/write.
 */
struct file_layout;
struct partition;

/* An encoded row group that waits for its place. */
struct waiting_group {
	struct encoded_row_group *group;
	uint64_t unit;		/* of its first row */
};

/*
 * Data files of one partition and layout, one open at a time. Writers append
 * groups. Those of ordered writers wait while another ordered writer may
 * still have one that comes before it, but never more than a few megabytes.
 */
struct rolling_file {
	pthread_mutex_t lock;
	struct write_context *context;
	const struct partition *partition;
	const struct file_layout *layout;	/* of the context */
	int32_t sort_order_id;
	struct output_file *file;	/* NULL = none open */
	struct parquet_writer *writer;
	char *uri;
	struct waiting_group *waiting;	/* ascending unit */
	size_t waiting_count;
	size_t waiting_capacity;
	size_t waiting_bytes;
	uint64_t *floors;	/* per writer: no smaller unit will come */
	size_t floor_count;
	size_t floor_capacity;
	/* The first few rows of unordered writers, whatever their number. */
	struct parquet_encoder *shared;
	bool shared_taken;
	/* Encoders that no thread holds, of writers into many partitions. */
	struct parquet_encoder **idle;
	size_t idle_count;
	size_t idle_capacity;
	uint64_t pooled_rows;
	struct fragments done;
};
int rolling_file_new(struct rolling_file **out, struct write_context *context,
		     const struct partition *partition, int lane,
		     struct error *err);
void rolling_file_free(struct rolling_file *file);
/* A number for an ordered writer. */
int rolling_file_join(struct rolling_file *file, size_t *writer_out,
		      struct error *err);
/* No group of this writer will begin before unit. */
void rolling_file_raise(struct rolling_file *file, size_t writer,
			uint64_t unit);
/* Take the group, also on failure. Writer SIZE_MAX: no order. */
int rolling_file_append(struct rolling_file *file, size_t writer,
			struct encoded_row_group *group, uint64_t unit,
			struct error *err);
/*
 * Add rows to the shared encoder. *encoder_out: NULL, or when they would be
 * too many: the encoder to add them to, now the caller's.
 */
int rolling_file_share(struct rolling_file *file,
		       const struct vector *const *columns,
		       const struct selection *rows,
		       struct parquet_encoder **encoder_out,
		       struct error *err);
/*
 * Add rows to an encoder of the file that nobody holds: threads that come
 * apart share one, threads that come together have one each.
 */
int rolling_file_pool(struct rolling_file *file,
		      const struct vector *const *columns,
		      const struct selection *rows, struct error *err);
/* Bytes of the largest idle encoder; 0 = none. */
size_t rolling_file_idle_bytes(struct rolling_file *file);
/* Write that encoder's rows as a group, if it is still there. */
int rolling_file_relieve(struct rolling_file *file, struct error *err);
/* Write what is left and close the file. One thread a file. */
int rolling_file_close(struct rolling_file *file, struct error *err);
/* Hand out the fragments of all that were closed. */
int rolling_file_take(struct rolling_file *file, struct fragments *out,
		      struct error *err);
#endif
