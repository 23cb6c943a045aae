/*
 * kernel_time_text.c - date_format, date_parse and their like
 *
 * Why:    dates in files are written in many ways.
 * How:    a pattern is compiled when another one comes: for a constant, once
 *         a batch. The zone of an instant is found by kernel_zone.h.
 * Cost:   50-200 ns a row.
 */
#include <stdio.h>
#include "expr/kernel_time_text.h"
#include "expr/kernel_zone.h"
#include "expr/time_format.h"

static int refuse(struct kernel_call *call, size_t row, struct byte_view text,
		  const char *what)
{
	error_set(call->err, ERROR_BAD_ARGUMENT, "%s: '%.*s' %s",
		  call->node->function->name,
		  (int)(text.length < 100 ? text.length : 100),
		  text.data ? (const char *)text.data : "", what);
	return kernel_failed(call, row, ERROR_BAD_ARGUMENT);
}

static int compile_pattern(struct kernel_call *call, size_t row,
			   struct time_format *format)
{
	struct byte_view pattern = vector_bytes(call->args[1])[row];
	const char *wrong = time_format_compile(format, pattern,
		call->node->function->variant);
	char text[120];

	if (!wrong)
		return 0;
	snprintf(text, sizeof(text), "is no pattern: %s", wrong);
	return refuse(call, row, pattern, text);
}

static void read_parts(const struct kernel_call *call, size_t i,
		       struct time_parts *parts)
{
	const struct vector *v = call->args[0];
	const struct time_zone *zone = zone_of_args(call);
	int64_t offset_us;

	memset(parts, 0, sizeof(*parts));
	if (v->type.id == TYPE_DATE) {
		parts->day = vector_i32(v)[i];
		return;
	}
	parts->day = floor_div(vector_i64(v)[i], US_PER_DAY);
	parts->us = floor_mod(vector_i64(v)[i], US_PER_DAY);
	if (v->type.id != TYPE_TIMESTAMP_TZ)
		return;
	offset_us = zone_offset_us(call, vector_i64(v)[i]);
	parts->us += offset_us;
	parts->day += floor_div(parts->us, US_PER_DAY);
	parts->us = floor_mod(parts->us, US_PER_DAY);
	parts->has_offset = true;
	parts->offset = (int32_t)(offset_us / US_PER_SECOND);
	parts->zone = zone ? time_zone_name(zone) : NULL;
}

static int put_text(struct kernel_call *call, size_t i, const char *text,
		    size_t length)
{
	uint8_t *copy = arena_alloc_bytes(call->heap, length);

	if (!copy)
		return error_set(call->err, ERROR_NO_MEMORY, "text of %s",
				 call->node->function->name);
	memcpy(copy, text, length);
	vector_bytes(call->result)[i] = byte_view(copy, length);
	return 0;
}

int time_text_write(struct kernel_call *call)
{
	char text[TIME_ITEM_LIMIT * TIME_ITEM_BYTES + TIME_PATTERN_BYTES];
	struct time_format format;
	bool is_ready = false;

	KERNEL_ROWS(call, i) {
		struct time_parts parts;
		int rc = 0;

		if (!is_ready)
			rc = compile_pattern(call, i, &format);
		is_ready = call->is_constant[1];
		read_parts(call, i, &parts);
		if (!rc)
			rc = put_text(call, i, text,
				      time_format_write(&format, &parts,
							text));
		if (rc)
			return rc;
	}
	return 0;
}

static bool write_parts(const struct kernel_call *call, size_t i,
			const struct time_parts *parts)
{
	struct vector *v = call->result;
	int64_t local, offset = 0;

	if (v->type.id == TYPE_DATE) {
		vector_i32(v)[i] = (int32_t)parts->day;
		return parts->day == (int32_t)parts->day;
	}
	if (__builtin_mul_overflow(parts->day, US_PER_DAY, &local) ||
	    __builtin_add_overflow(local, parts->us, &local))
		return false;
	if (v->type.id == TYPE_TIMESTAMP_TZ)
		offset = parts->has_offset ? parts->offset * US_PER_SECOND
					   : zone_local_offset_us(call, local);
	return !__builtin_sub_overflow(local, offset, &vector_i64(v)[i]);
}

int time_text_read(struct kernel_call *call)
{
	const struct byte_view *in = vector_bytes(call->args[0]);
	struct time_format format;
	bool is_ready = false;

	KERNEL_ROWS(call, i) {
		struct time_parts parts;
		int rc = is_ready ? 0 : compile_pattern(call, i, &format);

		if (rc)
			return rc;
		is_ready = call->is_constant[1];
		if (!time_format_read(&format, in[i], &parts) ||
		    !write_parts(call, i, &parts))
			return refuse(call, i, in[i], "is not of the pattern, "
				      "or no such time exists");
	}
	return 0;
}

int time_from_iso(struct kernel_call *call)
{
	const struct byte_view *in = vector_bytes(call->args[0]);
	bool has_time = call->result->type.id != TYPE_DATE;

	KERNEL_ROWS(call, i) {
		struct time_parts parts;

		if (!time_read_iso(in[i], has_time, &parts) ||
		    !write_parts(call, i, &parts))
			return refuse(call, i, in[i], has_time
				      ? "is no time of ISO 8601"
				      : "is no date of ISO 8601");
	}
	return 0;
}

/* With six digits of the second, which is what types here have. */
int time_to_iso(struct kernel_call *call)
{
	static const char date[] = "yyyy-MM-dd";
	static const char time[] = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS";
	static const char zoned[] = "yyyy-MM-dd'T'HH:mm:ss.SSSSSSZZ";
	char text[TIME_ITEM_LIMIT * TIME_ITEM_BYTES + TIME_PATTERN_BYTES];
	struct time_format format;
	const char *pattern = date;

	if (call->args[0]->type.id == TYPE_TIMESTAMP)
		pattern = time;
	else if (call->args[0]->type.id == TYPE_TIMESTAMP_TZ)
		pattern = zoned;
	if (time_format_compile(&format, byte_view(pattern, strlen(pattern)),
				TIME_STYLE_JODA))
		return error_set(call->err, ERROR_INTERNAL, "to_iso8601");
	KERNEL_ROWS(call, i) {
		struct time_parts parts;
		size_t length;
		int rc;

		read_parts(call, i, &parts);
		length = time_format_write(&format, &parts, text);
		/* UTC is Z. */
		if (parts.has_offset && !parts.offset) {
			length -= strlen("+00:00");
			text[length++] = 'Z';
		}
		rc = put_text(call, i, text, length);
		if (rc)
			return rc;
	}
	return 0;
}
