/*
 * transform_vector.c - partition transforms of whole vectors
 *
 * Why:    every row that is written goes through the transforms of its table,
 *         and those of its sort order; a call per value would cost more than
 *         all else that placing a row takes.
 * How:    a loop per kind of value, over the rows that are wanted. What a
 *         transform means for one value is said in transform.c; a test holds
 *         the two against each other.
 * Limits: nulls take part in the loops (their values are initialised) and are
 *         masked after them; only an overflow must be of a value that counts.
 */
#include "iceberg/partition_spec.h"
#include "codec/codec.h"

struct transform_work {
	const struct transform *transform;
	const struct vector *in;
	const struct selection *rows;
	struct vector *out;
	bool overflow;
};

static int refuse(const struct transform_work *work, struct error *err)
{
	char name[TYPE_NAME_BYTES];

	return error_set(err, ERROR_UNSUPPORTED,
			 "partition transform %s of a %s",
			 work->transform->text,
			 type_name(&work->in->type, name));
}

static bool is_null(const struct transform_work *work, size_t i)
{
	return vector_is_null(work->in, selection_row(work->rows, i));
}

static void bucket_of(const struct transform_work *work, size_t i,
		      const void *bytes, size_t length)
{
	vector_i32(work->out)[i] =
		(int32_t)((hash_murmur3(bytes, length) & 0x7fffffff) %
			  (uint32_t)work->transform->parameter);
}

static void bucket_number(const struct transform_work *work, size_t i,
			  int64_t number)
{
	uint8_t bytes[8];

	store_le64(bytes, (uint64_t)number);
	bucket_of(work, i, bytes, sizeof(bytes));
}

static int apply_bucket(struct transform_work *work, struct error *err)
{
	const struct vector *in = work->in;
	const struct selection *rows = work->rows;
	size_t n = rows->count;

	switch (in->type.id) {
	case TYPE_INTEGER:
	case TYPE_DATE:
		for (size_t i = 0; i < n; i++)
			bucket_number(work, i,
				      vector_i32(in)[selection_row(rows, i)]);
		return 0;
	case TYPE_BIGINT:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMP_TZ:
		for (size_t i = 0; i < n; i++)
			bucket_number(work, i,
				      vector_i64(in)[selection_row(rows, i)]);
		return 0;
	case TYPE_DECIMAL:
		for (size_t i = 0; i < n; i++) {
			uint8_t bytes[16];
			int128_t value = vector_decimal(
				in, selection_row(rows, i));

			bucket_of(work, i, bytes,
				  decimal_to_bytes(value, bytes));
		}
		return 0;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
	case TYPE_FIXED:
		for (size_t i = 0; i < n; i++) {
			struct byte_view view = { NULL, 0 };

			if (!is_null(work, i))
				view = vector_bytes(in)[selection_row(rows, i)];
			bucket_of(work, i, view.length ? (const void *)view.data
						       : "", view.length);
		}
		return 0;
	case TYPE_UUID:
		for (size_t i = 0; i < n; i++)
			bucket_of(work, i, vector_uuid(in)
				  [selection_row(rows, i)].bytes, 16);
		return 0;
	default:
		return refuse(work, err);
	}
}

static void truncate_i32(struct transform_work *work)
{
	int64_t width = work->transform->parameter;

	for (size_t i = 0; i < work->rows->count; i++) {
		int64_t value = vector_i32(work->in)
			[selection_row(work->rows, i)];
		int64_t result = value - floor_mod(value, width);

		work->overflow |= result < INT32_MIN && !is_null(work, i);
		vector_i32(work->out)[i] = (int32_t)result;
	}
}

static void truncate_i64(struct transform_work *work)
{
	int64_t width = work->transform->parameter;

	for (size_t i = 0; i < work->rows->count; i++) {
		int64_t value = vector_i64(work->in)
			[selection_row(work->rows, i)];
		int64_t result;
		bool out = __builtin_sub_overflow(
			value, floor_mod(value, width), &result);

		work->overflow |= out && !is_null(work, i);
		vector_i64(work->out)[i] = result;
	}
}

static void truncate_decimal(struct transform_work *work)
{
	const struct type *type = &work->in->type;
	bool is_short = type_is_short_decimal(type);
	int128_t width = work->transform->parameter;

	for (size_t i = 0; i < work->rows->count; i++) {
		int128_t value = vector_decimal(work->in,
						selection_row(work->rows, i));
		int128_t rest = value % width, result = 0;

		if (rest < 0)
			rest += width;
		if (!decimal_sub(value, rest, &result) ||
		    !decimal_fits(result, type->precision)) {
			work->overflow |= !is_null(work, i);
			result = 0;
		}
		if (is_short)
			vector_i64(work->out)[i] = (int64_t)result;
		else
			vector_i128(work->out)[i] = result;
	}
}

static void truncate_bytes(struct transform_work *work)
{
	size_t width = (size_t)work->transform->parameter;
	bool is_text = work->in->type.id == TYPE_VARCHAR;

	for (size_t i = 0; i < work->rows->count; i++) {
		struct byte_view view = { NULL, 0 };

		if (!is_null(work, i))
			view = vector_bytes(work->in)
				[selection_row(work->rows, i)];
		if (is_text && view.length > width)
			view.length = utf8_prefix_bytes(view.data, view.length,
							width);
		else if (view.length > width)
			view.length = width;
		vector_bytes(work->out)[i] = view;
	}
}

static int apply_truncate(struct transform_work *work, struct error *err)
{
	switch (work->in->type.id) {
	case TYPE_INTEGER:
		truncate_i32(work);
		return 0;
	case TYPE_BIGINT:
		truncate_i64(work);
		return 0;
	case TYPE_DECIMAL:
		truncate_decimal(work);
		return 0;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY:
		truncate_bytes(work);
		return 0;
	default:
		return refuse(work, err);
	}
}

static int32_t unit_of_days(enum transform_kind kind, int32_t days)
{
	struct civil_date date;

	if (kind == TRANSFORM_DAY)
		return days;
	date = civil_from_days(days);
	return kind == TRANSFORM_YEAR
		       ? date.year - 1970
		       : (date.year - 1970) * 12 + date.month - 1;
}

/* Days of neighbours are the same more often than not: one calendar look. */
static int apply_time(struct transform_work *work, struct error *err)
{
	enum transform_kind kind = work->transform->kind;
	enum type_id type = work->in->type.id;
	bool is_date = type == TYPE_DATE;
	int32_t last_days = 0, last_unit = unit_of_days(kind, 0);

	if ((!is_date && type != TYPE_TIMESTAMP &&
	     type != TYPE_TIMESTAMP_TZ) ||
	    (is_date && kind == TRANSFORM_HOUR))
		return refuse(work, err);
	for (size_t i = 0; i < work->rows->count; i++) {
		size_t row = selection_row(work->rows, i);
		int64_t hours;
		int32_t days;

		if (kind == TRANSFORM_HOUR) {
			hours = floor_div(vector_i64(work->in)[row],
					  INT64_C(3600) * US_PER_SECOND);
			work->overflow |= (hours < INT32_MIN ||
					   hours > INT32_MAX) &&
					  !is_null(work, i);
			vector_i32(work->out)[i] = (int32_t)hours;
			continue;
		}
		if (is_null(work, i))
			continue;
		days = is_date ? vector_i32(work->in)[row]
			       : (int32_t)floor_div(vector_i64(work->in)[row],
						    US_PER_DAY);
		if (days != last_days) {
			last_days = days;
			last_unit = unit_of_days(kind, days);
		}
		vector_i32(work->out)[i] = last_unit;
	}
	return 0;
}

static int mask_nulls(const struct transform_work *work, struct error *err)
{
	int rc;

	if (!vector_has_nulls(work->in))
		return 0;
	rc = vector_own_validity(work->out, err);
	for (size_t i = 0; !rc && i < work->rows->count; i++)
		bits_put(work->out->validity, i, !is_null(work, i));
	return rc;
}

/* The first value that overflows, in the words of transform_apply(). */
static int refuse_overflow(const struct transform_work *work,
			   struct error *err)
{
	struct arena arena;
	int rc = 0;

	arena_init(&arena, 0);
	for (size_t i = 0; i < work->rows->count && !rc; i++) {
		size_t row = selection_row(work->rows, i);
		struct literal value = vector_get(work->in, row), made;

		rc = transform_apply(work->transform, &value, &arena, &made,
				     err);
	}
	arena_release(&arena);
	return rc ? rc : error_set(err, ERROR_OVERFLOW, "%s leaves the range "
				   "of its type", work->transform->text);
}

static int apply(struct transform_work *work, struct error *err)
{
	int rc;

	switch (work->transform->kind) {
	case TRANSFORM_BUCKET:
		rc = apply_bucket(work, err);
		break;
	case TRANSFORM_TRUNCATE:
		rc = apply_truncate(work, err);
		break;
	case TRANSFORM_YEAR:
	case TRANSFORM_MONTH:
	case TRANSFORM_DAY:
	case TRANSFORM_HOUR:
		rc = apply_time(work, err);
		break;
	default:
		rc = refuse(work, err);
	}
	if (!rc && work->overflow)
		rc = refuse_overflow(work, err);
	return rc ? rc : mask_nulls(work, err);
}

static int copy_selected(const struct vector *in, const struct selection *rows,
			 struct vector *out, struct error *err)
{
	if (rows->rows)
		return vector_gather(out, in, rows->rows, rows->count, NULL,
				     err);
	vector_reference(out, in);
	out->count = rows->count;
	return 0;
}

int transform_apply_vector(const struct transform *transform,
			   const struct vector *in,
			   const struct selection *rows, struct vector *out,
			   struct error *err)
{
	struct type type = transform_result_type(transform, &in->type);
	struct transform_work work = { transform, in, rows, out, false };
	struct literal null = literal_null(type);
	int rc;

	vector_set_type(out, type);
	if (!in->data || transform->kind == TRANSFORM_VOID)
		return vector_fill(out, &null, rows->count, err);
	if (transform->kind == TRANSFORM_IDENTITY)
		return type_is_nested(&in->type)
			       ? refuse(&work, err)
			       : copy_selected(in, rows, out, err);
	rc = vector_reserve(out, rows->count + 1, err);
	if (rc)
		return rc;
	out->count = rows->count;
	return apply(&work, err);
}
