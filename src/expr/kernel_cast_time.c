/*
 * kernel_cast_time.c - casts between dates and times, and between binaries
 *
 * Why:    DATE, TIME and TIMESTAMP are local; TIMESTAMP WITH TIME ZONE is an
 *         instant. Between the two stands the zone of the session.
 * How:    every value becomes local microseconds, then the new type.
 * Cost:   a few ns a row.
 */
#include "expr/kernel_cast.h"
#include "expr/kernel_zone.h"

/* Local microseconds of entry i; false on overflow. */
static bool read_local(const struct kernel_call *call, size_t i, int64_t *out)
{
	const struct vector *v = call->args[0];

	switch (v->type.id) {
	case TYPE_DATE:
		return !__builtin_mul_overflow((int64_t)vector_i32(v)[i],
					       US_PER_DAY, out);
	case TYPE_TIMESTAMP_TZ:
		return !__builtin_add_overflow(vector_i64(v)[i],
			zone_offset_us(call, vector_i64(v)[i]), out);
	default:
		*out = vector_i64(v)[i];
		return true;
	}
}

static bool write_local(const struct kernel_call *call, size_t i,
			int64_t local)
{
	struct vector *v = call->result;

	switch (v->type.id) {
	case TYPE_DATE:
		vector_i32(v)[i] = (int32_t)floor_div(local, US_PER_DAY);
		return true;
	case TYPE_TIME:
		vector_i64(v)[i] = floor_mod(local, US_PER_DAY);
		return true;
	case TYPE_TIMESTAMP_TZ:
		return !__builtin_sub_overflow(local,
			zone_local_offset_us(call, local), &vector_i64(v)[i]);
	default:
		vector_i64(v)[i] = local;
		return true;
	}
}

int cast_time(struct kernel_call *call)
{
	KERNEL_ROWS(call, i) {
		int64_t local;
		int rc;

		if (read_local(call, i, &local) &&
		    write_local(call, i, local))
			continue;
		rc = cast_refuse(call, i, ERROR_OVERFLOW);
		if (rc)
			return rc;
	}
	return 0;
}

static int binary_row(struct kernel_call *call, size_t i)
{
	const struct vector *in = call->args[0];
	struct vector *out = call->result;
	struct byte_view bytes;

	if (in->type.id == TYPE_UUID)
		bytes = byte_view(&vector_uuid(in)[i], sizeof(struct uuid));
	else
		bytes = vector_bytes(in)[i];
	if (out->type.id == TYPE_UUID) {
		if (bytes.length != sizeof(struct uuid))
			return ERROR_CAST;
		memcpy(&vector_uuid(out)[i], bytes.data, bytes.length);
		return 0;
	}
	if (out->type.id == TYPE_FIXED && bytes.length != out->type.length)
		return ERROR_CAST;
	if (in->type.id == TYPE_UUID) {
		bytes.data = arena_copy(call->heap, bytes.data, bytes.length);
		if (!bytes.data)
			return error_set(call->err, ERROR_NO_MEMORY, "cast");
	}
	vector_bytes(out)[i] = bytes;
	return 0;
}

/* VARBINARY, FIXED and UUID among each other: the same bytes or refused. */
int cast_binary(struct kernel_call *call)
{
	KERNEL_ROWS(call, i) {
		int rc = binary_row(call, i);

		if (rc == ERROR_CAST)
			rc = cast_refuse(call, i, rc);
		if (rc)
			return rc;
	}
	return 0;
}
