#ifndef QUERY_WINDOW_STATE_H
#define QUERY_WINDOW_STATE_H
#include "query/expr_list.h"
#include "query/query_op.h"
#include "query/row_sorter.h"

/*
 * The inside of window functions. Sorted rows have numbers from 0; pages of
 * them are kept as long as a call may look at them, past the memory on disk.
 * In a page stand the input's columns, then what calls compute from them,
 * then the first order key, then the line.
 */
struct window_page {
	size_t first;		/* number of the first row */
	size_t row_count;
	const char *origin;
	bool has_lines;
	struct pile pile;	/* one chunk; empty if on disk */
	struct run run;
	struct vector *loaded;	/* from disk */
	struct text bytes;
	uint64_t used;		/* when it was last looked at */
};

#define WINDOW_ROW_PARTITION 1	/* the first row of its partition */
#define WINDOW_ROW_PEERS 2	/* the first of equal rows */

struct window_call_place {
	size_t first_arg;	/* column of the page */
	size_t filter;		/* SIZE_MAX = none */
	int128_t start_offset;	/* unscaled, in the order key's scale */
	int128_t end_offset;
	double start_real;
	double end_real;
};

struct window_source {
	struct query_source query;
	const struct query_window *window;
	struct arena arena;
	struct row_sorter *sorter;
	struct query_once once;
	bool is_taken;		/* atomic */
	bool *stored;		/* input columns that are kept */
	struct expr **exprs;	/* what calls compute */
	size_t expr_count;
	struct type *types;	/* of a page */
	bool *page_stored;
	struct row_shape shape;
	size_t order_column;	/* of a page */
	size_t line_column;
	struct window_call_place *calls;
	bool needs_end;		/* a call looks behind the current row */
	bool needs_rows;	/* a call looks at other rows at all */
	bool wants_first;	/* no rows but the first of partitions */
};

/* Where a row stands, for each row of the page that is computed. */
struct window_place {
	size_t part_start;
	size_t part_end;
	size_t peer_start;
	size_t peer_end;
	size_t group;		/* number of its peers in the partition */
};

/* How far a call is. */
struct window_progress {
	size_t part_start;	/* of the partition it is in */
	size_t low;		/* pointers that only go up */
	size_t high;
	size_t low_group;
	size_t high_group;
	/* of an aggregate: window_aggregate.c */
	struct aggregate_states *states;	/* rows middle .. seen_high - 1 */
	size_t middle;
	size_t seen_high;
	struct aggregate_states *suffixes;	/* group i: from suffix_first
						 * + i to middle - 1; NULL */
	size_t suffix_first;
	size_t suffix_count;			/* that there were */
	struct aggregate_states *both;		/* of one frame */
	bool has_value;				/* of rows .. */
	size_t value_low;
	size_t value_high;
	struct vector value;
};

struct window_stream {
	struct batch_stream base;
	struct window_source *source;
	struct sorter_reader *reader;
	struct expr_list list;
	struct window_page **pages;
	size_t page_count;
	size_t page_capacity;
	size_t loaded_count;
	uint64_t clock;
	size_t bytes;		/* in memory */
	struct run_file file;
	uint8_t *flags;		/* WINDOW_ROW_*, of rows from flag_base on */
	size_t flag_base;
	size_t flag_capacity;
	size_t row_count;	/* read so far */
	size_t last_partition;	/* first row of the newest partition */
	bool has_ended;
	struct text last_key;
	size_t next_page;	/* to be computed */
	size_t group;
	size_t part_start;
	size_t peer_start;
	size_t part_end;	/* if known; of the row computed last */
	size_t peer_end;
	struct window_place *places;
	struct window_progress *progress;
	struct batch out;
	bool is_empty;
};

void window_page_free(struct window_stream *self, struct window_page *page);
int window_page_columns(struct window_stream *self, struct window_page *page,
			const struct vector **out, struct error *err);
/* The columns and row in a page; valid until the next call but one. */
int window_locate(struct window_stream *self, size_t row,
		  struct row_ref *out, struct error *err);
/* The page of a row: its columns, and where it begins and ends. */
int window_locate_page(struct window_stream *self, size_t row,
		       const struct vector **columns, size_t *first,
		       size_t *end, struct error *err);
static inline uint8_t window_flags(const struct window_stream *self,
				   size_t row)
{
	return self->flags[row - self->flag_base];
}
/* The frame of a row, whose place is at; rows are asked for in order. */
int window_frame(struct window_stream *self, size_t call, size_t row,
		 const struct window_place *at, size_t *low, size_t *high,
		 struct error *err);
/* Empty states of an aggregate call, of group_count groups. */
int window_states_new(const struct window_source *source, size_t call,
		      size_t group_count, struct aggregate_states **out,
		      struct error *err);
int window_aggregate(struct window_stream *self, size_t call, size_t first,
		     size_t count, struct vector *out, struct error *err);
/* Results of call number `call` for the page's rows from first on. */
int window_compute(struct window_stream *self, size_t call, size_t first,
		   size_t count, struct vector *out, struct error *err);
#endif
