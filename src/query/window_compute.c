/*
 * window_compute.c - window functions over sorted rows
 *
 * How:    ranks follow from where a row stands. Ends of frames only go up in
 *         a partition, so that finding them costs a step a row. Aggregates
 *         over frames: window_aggregate.c.
 */
#include "query/window_state.h"

static int bad_argument(struct error *err, const char *what)
{
	return error_set(err, ERROR_BAD_ARGUMENT, "%s", what);
}

/* out has count values, none of them null yet. */
static int reserve(struct vector *out, size_t count, struct error *err)
{
	int rc;

	vector_reset(out);
	rc = vector_reserve(out, count, err);
	out->count = rc ? 0 : count;
	return rc;
}

/* An argument of a row; *is_null instead where it is. */
static int argument(struct window_stream *self, size_t column, size_t row,
		    int64_t *out, bool *is_null, struct error *err)
{
	struct row_ref ref;
	const struct vector *from;
	int rc = window_locate(self, row, &ref, err);

	*out = 0;
	if (rc)
		return rc;
	from = &ref.columns[column];
	*is_null = vector_is_null(from, ref.row);
	if (*is_null)
		return 0;
	if (type_width(&from->type) == 4)
		*out = vector_i32(from)[ref.row];
	else
		*out = vector_i64(from)[ref.row];
	return 0;
}

static int compute_rank(struct window_stream *self, size_t call, size_t first,
			size_t count, struct vector *out, struct error *err)
{
	enum window_function function =
		self->source->window->calls[call].function;
	int rc = reserve(out, count, err);

	for (size_t i = 0; !rc && i < count; i++) {
		const struct window_place *at = &self->places[i];
		size_t rank = at->peer_start - at->part_start;
		size_t rows = at->part_end - at->part_start;

		switch (function) {
		case WINDOW_ROW_NUMBER:
			vector_i64(out)[i] =
				(int64_t)(first + i - at->part_start + 1);
			break;
		case WINDOW_RANK:
			vector_i64(out)[i] = (int64_t)rank + 1;
			break;
		case WINDOW_DENSE_RANK:
			vector_i64(out)[i] = (int64_t)at->group + 1;
			break;
		case WINDOW_PERCENT_RANK:
			vector_f64(out)[i] = rows > 1
				? (double)rank / (double)(rows - 1) : 0;
			break;
		default:
			vector_f64(out)[i] =
				(double)(at->peer_end - at->part_start) /
				(double)rows;
			break;
		}
	}
	return rc;
}

static int compute_ntile(struct window_stream *self, size_t call,
			 size_t first, size_t count, struct vector *out,
			 struct error *err)
{
	size_t column = self->source->calls[call].first_arg;
	int rc = reserve(out, count, err);

	for (size_t i = 0; !rc && i < count; i++) {
		const struct window_place *at = &self->places[i];
		uint64_t row = first + i - at->part_start, large, small, tiles;
		int64_t value;
		bool is_null;

		rc = argument(self, column, first + i, &value, &is_null, err);
		if (rc)
			return rc;
		if (is_null) {
			rc = vector_set_null(out, i, err);
			continue;
		}
		if (value <= 0)
			return bad_argument(err, "ntile() wants a number "
					    "above 0");
		tiles = (uint64_t)value;
		small = (at->part_end - at->part_start) / tiles;
		large = (at->part_end - at->part_start) % tiles;
		vector_i64(out)[i] = (int64_t)(
			row < large * (small + 1)
			? row / (small + 1)
			: large + (row - large * (small + 1)) /
				  (small ? small : 1)) + 1;
	}
	return rc;
}

/* Append the value of a column in a row; row SIZE_MAX: NULL. */
static int put_value(struct window_stream *self, size_t column, size_t row,
		     struct vector *out, struct error *err)
{
	struct literal null = literal_null(out->type);
	struct selection one;
	struct row_ref ref;
	int rc;

	if (row == SIZE_MAX)
		return vector_append(out, &null, err);
	rc = window_locate(self, row, &ref, err);
	if (rc)
		return rc;
	one.rows = &ref.row;
	one.count = 1;
	return vector_append_selected(out, &ref.columns[column], &one,
				      &self->out.heap, err);
}

static int is_null_at(struct window_stream *self, size_t column, size_t row,
		      bool *is_null, struct error *err)
{
	struct row_ref ref;
	int rc = window_locate(self, row, &ref, err);

	*is_null = !rc && vector_is_null(&ref.columns[column], ref.row);
	return rc;
}

/* The n-th value (from 1) that is not NULL from `from` on towards `to`, which
 * is not looked at; SIZE_MAX: there is none. */
static int find_value(struct window_stream *self, size_t column, size_t from,
		      size_t to, int64_t n, size_t *out, struct error *err)
{
	bool down = to + 1 <= from && to != SIZE_MAX ? true : to == SIZE_MAX;
	size_t row = from;

	*out = SIZE_MAX;
	while (row != to) {
		bool is_null;
		int rc = is_null_at(self, column, row, &is_null, err);

		if (rc)
			return rc;
		if (!is_null && --n == 0) {
			*out = row;
			return 0;
		}
		row = down ? row - 1 : row + 1;
	}
	return 0;
}

/* The row that LAG or LEAD looks at; SIZE_MAX: outside. */
static int shifted_row(struct window_stream *self, size_t call, size_t row,
		       const struct window_place *at, int64_t offset,
		       size_t *out, struct error *err)
{
	const struct window_call *what = &self->source->window->calls[call];
	size_t column = self->source->calls[call].first_arg;
	bool lag = what->function == WINDOW_LAG;
	uint64_t room = lag ? row - at->part_start : at->part_end - row - 1;

	*out = SIZE_MAX;
	if (offset == 0) {
		*out = row;
		return 0;
	}
	if (what->ignore_nulls && room)
		return lag ? find_value(self, column, row - 1,
					at->part_start - 1, offset, out, err)
			   : find_value(self, column, row + 1, at->part_end,
					offset, out, err);
	if ((uint64_t)offset <= room)
		*out = lag ? row - (size_t)offset : row + (size_t)offset;
	return 0;
}

static int compute_shift(struct window_stream *self, size_t call,
			 size_t first, size_t count, struct vector *out,
			 struct error *err)
{
	const struct window_call *what = &self->source->window->calls[call];
	size_t column = self->source->calls[call].first_arg;
	size_t args = what->aggregate.arg_count;
	int rc = 0;

	vector_reset(out);
	for (size_t i = 0; !rc && i < count; i++) {
		int64_t offset = 1;
		bool is_null = false;
		size_t row = SIZE_MAX;

		if (args > 1)
			rc = argument(self, column + 1, first + i, &offset,
				      &is_null, err);
		if (!rc && offset < 0)
			return bad_argument(err, "lag() and lead() want an "
					    "offset that is not negative");
		if (!rc && !is_null)
			rc = shifted_row(self, call, first + i,
					 &self->places[i], offset, &row, err);
		if (rc)
			return rc;
		if (row == SIZE_MAX && !is_null && args > 2)
			rc = put_value(self, column + 2, first + i, out, err);
		else
			rc = put_value(self, column, row, out, err);
	}
	return rc;
}

/* Is the order key of a row before the current one's, moved by the offset of
 * a RANGE frame? or_equal: not behind it. */
struct range_bound {
	bool is_real;
	int128_t whole;
	double real;
	bool descending;
	bool nulls_first;
	bool or_equal;
};

static int stands_before(struct window_stream *self, size_t row,
			 const struct range_bound *bound, bool *out,
			 struct error *err)
{
	struct row_ref ref;
	const struct vector *key;
	int rc = window_locate(self, row, &ref, err);
	int order;

	if (rc)
		return rc;
	key = &ref.columns[self->source->order_column];
	if (vector_is_null(key, ref.row)) {
		*out = bound->nulls_first;
		return 0;
	}
	if (bound->is_real) {
		double value = key->type.id == TYPE_REAL
			? (double)vector_f32(key)[ref.row]
			: vector_f64(key)[ref.row];

		order = value != value || bound->real != bound->real
			? (value != value) - (bound->real != bound->real)
			: (value > bound->real) - (value < bound->real);
	} else {
		int128_t value = key->type.id == TYPE_DECIMAL
			? vector_decimal(key, ref.row)
			: type_width(&key->type) == 4
			? vector_i32(key)[ref.row] : vector_i64(key)[ref.row];

		order = (value > bound->whole) - (value < bound->whole);
	}
	order = bound->descending ? -order : order;
	*out = bound->or_equal ? order <= 0 : order < 0;
	return 0;
}

/* What a bound of a RANGE frame is compared with; *is_null: the key is NULL,
 * and so the frame its peers. */
static int bound_of(struct window_stream *self, size_t call, size_t row,
		    bool is_end, struct range_bound *out, bool *is_null,
		    struct error *err)
{
	const struct window_call *what = &self->source->window->calls[call];
	const struct window_call_place *place = &self->source->calls[call];
	const struct sort_key *order = &self->source->window->order[0];
	enum frame_bound kind = is_end ? what->end : what->start;
	bool down = (kind == FRAME_PRECEDING) != order->descending;
	int128_t offset = is_end ? place->end_offset : place->start_offset;
	double real = is_end ? place->end_real : place->start_real;
	const struct vector *key;
	struct row_ref ref;
	int rc = window_locate(self, row, &ref, err);

	if (rc)
		return rc;
	memset(out, 0, sizeof(*out));
	key = &ref.columns[self->source->order_column];
	out->descending = order->descending;
	out->nulls_first = order->nulls_first;
	out->or_equal = is_end;
	*is_null = vector_is_null(key, ref.row);
	if (*is_null)
		return 0;
	if (key->type.id == TYPE_REAL || key->type.id == TYPE_DOUBLE) {
		out->is_real = true;
		out->real = key->type.id == TYPE_REAL
			? (double)vector_f32(key)[ref.row]
			: vector_f64(key)[ref.row];
		out->real += down ? -real : real;
		return 0;
	}
	out->whole = key->type.id == TYPE_DECIMAL
		? vector_decimal(key, ref.row)
		: type_width(&key->type) == 4 ? vector_i32(key)[ref.row]
					      : vector_i64(key)[ref.row];
	out->whole += down ? -offset : offset;
	return 0;
}

/* Where a bound of a frame by value is: at first the pointer was. */
static int find_range(struct window_stream *self, size_t call, size_t row,
		      const struct window_place *at, bool is_end,
		      size_t *pointer, struct error *err)
{
	struct range_bound bound;
	bool is_null, before = true;
	int rc = bound_of(self, call, row, is_end, &bound, &is_null, err);

	if (rc)
		return rc;
	if (is_null) {
		*pointer = is_end ? at->peer_end : at->peer_start;
		return 0;
	}
	while (!rc && *pointer < at->part_end) {
		rc = stands_before(self, *pointer, &bound, &before, err);
		if (rc || !before)
			break;
		++*pointer;
	}
	return rc;
}

/* The first row of a group of peers, or the end. */
static size_t find_group(const struct window_stream *self,
			 const struct window_place *at, int128_t wanted,
			 size_t *pointer, size_t *group)
{
	if (wanted < 0)
		return at->part_start;
	while (*pointer < at->part_end && (int128_t)*group < wanted) {
		++*pointer;
		if (*pointer == at->part_end ||
		    window_flags(self, *pointer) & WINDOW_ROW_PEERS)
			++*group;
	}
	return *pointer;
}

static size_t clip(int128_t row, const struct window_place *at)
{
	if (row < (int128_t)at->part_start)
		return at->part_start;
	return row > (int128_t)at->part_end ? at->part_end : (size_t)row;
}

/* One end of the frame of a row: the first row that is in it, or the first
 * behind it. */
static int frame_edge(struct window_stream *self, size_t call, size_t row,
		      const struct window_place *at, bool is_end, size_t *out,
		      struct error *err)
{
	const struct window_call *what = &self->source->window->calls[call];
	struct window_progress *own = &self->progress[call];
	const struct window_call_place *place = &self->source->calls[call];
	enum frame_bound kind = is_end ? what->end : what->start;
	int128_t offset = is_end ? place->end_offset : place->start_offset;
	int rc = 0;

	if (kind == FRAME_PRECEDING)
		offset = -offset;
	if (kind == FRAME_UNBOUNDED_PRECEDING) {
		*out = at->part_start;
	} else if (kind == FRAME_UNBOUNDED_FOLLOWING) {
		*out = at->part_end;
	} else if (kind == FRAME_CURRENT_ROW) {
		if (what->unit == FRAME_ROWS)
			*out = row + is_end;
		else
			*out = is_end ? at->peer_end : at->peer_start;
	} else if (what->unit == FRAME_ROWS) {
		*out = clip((int128_t)row + offset + is_end, at);
	} else if (what->unit == FRAME_GROUPS) {
		*out = find_group(self, at, (int128_t)at->group + offset +
					    is_end,
				  is_end ? &own->high : &own->low,
				  is_end ? &own->high_group
					 : &own->low_group);
	} else {
		rc = find_range(self, call, row, at, is_end,
				is_end ? &own->high : &own->low, err);
		*out = is_end ? own->high : own->low;
	}
	return rc;
}

int window_frame(struct window_stream *self, size_t call, size_t row,
		      const struct window_place *at, size_t *low, size_t *high,
		      struct error *err)
{
	struct window_progress *own = &self->progress[call];
	int rc;

	if (own->part_start != at->part_start) {
		own->part_start = at->part_start;
		own->low = own->high = at->part_start;
		own->low_group = own->high_group = 0;
		own->middle = own->seen_high = SIZE_MAX;
	}
	rc = frame_edge(self, call, row, at, false, low, err);
	if (!rc)
		rc = frame_edge(self, call, row, at, true, high, err);
	if (!rc && *high < *low)
		*high = *low;
	return rc;
}

static int compute_value(struct window_stream *self, size_t call,
			 size_t first, size_t count, struct vector *out,
			 struct error *err)
{
	const struct window_call *what = &self->source->window->calls[call];
	size_t column = self->source->calls[call].first_arg;
	int rc = 0;

	vector_reset(out);
	for (size_t i = 0; !rc && i < count; i++) {
		size_t low, high, row = SIZE_MAX;
		bool is_null = false;
		int64_t n = 1;

		rc = window_frame(self, call, first + i, &self->places[i],
				  &low, &high, err);
		if (!rc && what->function == WINDOW_NTH_VALUE)
			rc = argument(self, column + 1, first + i, &n,
				      &is_null, err);
		if (!rc && !is_null && n <= 0)
			return bad_argument(err, "nth_value() wants a number "
					    "above 0");
		if (!rc && !is_null && low < high) {
			bool last = what->function == WINDOW_LAST_VALUE;

			if (what->ignore_nulls)
				rc = last ? find_value(self, column, high - 1,
						       low - 1, 1, &row, err)
					  : find_value(self, column, low, high,
						       n, &row, err);
			else if (last)
				row = high - 1;
			else if ((uint64_t)n <= high - low)
				row = low + (size_t)n - 1;
		}
		if (!rc)
			rc = put_value(self, column, row, out, err);
	}
	return rc;
}

int window_compute(struct window_stream *self, size_t call, size_t first,
		   size_t count, struct vector *out, struct error *err)
{
	switch (self->source->window->calls[call].function) {
	case WINDOW_NTILE:
		return compute_ntile(self, call, first, count, out, err);
	case WINDOW_LAG:
	case WINDOW_LEAD:
		return compute_shift(self, call, first, count, out, err);
	case WINDOW_FIRST_VALUE:
	case WINDOW_LAST_VALUE:
	case WINDOW_NTH_VALUE:
		return compute_value(self, call, first, count, out, err);
	case WINDOW_AGGREGATE:
		return window_aggregate(self, call, first, count, out, err);
	default:
		return compute_rank(self, call, first, count, out, err);
	}
}
