/*
 * kernel_text.c - functions on VARCHAR
 *
 * Why:    Trino's text functions, by characters (code points), not bytes.
 * How:    what is part of an argument (substring, trim, split_part) shares
 *         its bytes; what is new goes to the heap of the run.
 * Cost:   a scan of the bytes; lengths count bytes that start a character.
 * Limits: one result has at most 2^31 - 1 bytes.
 */
#include "expr/kernel_text.h"
#include "expr/text_case.h"
#include "expr/text_utf8.h"

#define TEXT_BYTES_LIMIT ((size_t)INT32_MAX)

static int no_memory(struct kernel_call *call)
{
	return error_set(call->err, ERROR_NO_MEMORY, "text of %s()",
			 call->node->function->name);
}

static int too_long(struct kernel_call *call, size_t i)
{
	error_set(call->err, ERROR_BAD_ARGUMENT, "the result of %s() is "
		  "longer than %zu bytes", call->node->function->name,
		  TEXT_BYTES_LIMIT);
	return kernel_failed(call, i, ERROR_BAD_ARGUMENT);
}

static struct byte_view part(struct byte_view text, size_t from, size_t to)
{
	return byte_view(text.data + from, to - from);
}

/* Offset of needle in text at or after from; SIZE_MAX = none. */
static size_t find(struct byte_view text, struct byte_view needle,
		   size_t from)
{
	const uint8_t *at;

	if (from > text.length)
		return SIZE_MAX;
	if (!needle.length)
		return from;
	if (text.length - from < needle.length)
		return SIZE_MAX;
	at = memmem(text.data + from, text.length - from, needle.data,
		    needle.length);
	return at ? (size_t)(at - text.data) : SIZE_MAX;
}

static uint8_t *append(uint8_t *out, struct byte_view text)
{
	if (text.length)
		memcpy(out, text.data, text.length);
	return out + text.length;
}

int string_concat(struct kernel_call *call)
{
	KERNEL_ROWS(call, i) {
		size_t length = 0;
		uint8_t *out, *next;

		for (size_t k = 0; k < call->arg_count; k++)
			length += vector_bytes(call->args[k])[i].length;
		out = next = arena_alloc_bytes(call->heap, length);
		if (!out)
			return no_memory(call);
		for (size_t k = 0; k < call->arg_count; k++)
			next = append(next, vector_bytes(call->args[k])[i]);
		vector_bytes(call->result)[i] = byte_view(out, length);
	}
	return 0;
}

/* NULL separator: NULL. NULL arguments are left out with their separator. */
static int concat_ws_row(struct kernel_call *call, size_t i)
{
	struct byte_view separator;
	size_t length = 0, parts = 0;
	uint8_t *out, *next;

	if (vector_is_null(call->args[0], i))
		return kernel_set_null(call, i);
	separator = vector_bytes(call->args[0])[i];
	for (size_t k = 1; k < call->arg_count; k++) {
		if (vector_is_null(call->args[k], i))
			continue;
		if (parts++)
			length += separator.length;
		length += vector_bytes(call->args[k])[i].length;
	}
	out = next = arena_alloc_bytes(call->heap, length);
	if (!out)
		return no_memory(call);
	parts = 0;
	for (size_t k = 1; k < call->arg_count; k++) {
		if (vector_is_null(call->args[k], i))
			continue;
		if (parts++)
			next = append(next, separator);
		next = append(next, vector_bytes(call->args[k])[i]);
	}
	vector_bytes(call->result)[i] = byte_view(out, length);
	return 0;
}

int string_concat_ws(struct kernel_call *call)
{
	for (size_t k = 0; k < call->rows->count; k++) {
		int rc = concat_ws_row(call, selection_row(call->rows, k));

		if (rc)
			return rc;
	}
	return 0;
}

static bool is_ascii(struct byte_view text)
{
	uint8_t bits = 0;

	for (size_t k = 0; k < text.length; k++)
		bits |= text.data[k];
	return bits < 0x80;
}

static int change_ascii_case(struct kernel_call *call, size_t i, bool upper)
{
	struct byte_view text = vector_bytes(call->args[0])[i];
	uint8_t *out = arena_alloc_bytes(call->heap, text.length);
	const uint8_t first = upper ? 'a' : 'A';

	if (!out)
		return no_memory(call);
	for (size_t k = 0; k < text.length; k++) {
		uint8_t c = text.data[k];

		out[k] = c ^ ((uint8_t)(c - first) < 26 ? 0x20 : 0);
	}
	vector_bytes(call->result)[i] = byte_view(out, text.length);
	return 0;
}

int string_change_case(struct kernel_call *call)
{
	bool upper = call->node->function->variant == TEXT_UPPER;
	const struct byte_view *in = vector_bytes(call->args[0]);

	KERNEL_ROWS(call, i) {
		const uint8_t *data = in[i].data;
		size_t length = in[i].length, at = 0, used = 0;
		uint8_t *out;

		if (is_ascii(in[i])) {
			int rc = change_ascii_case(call, i, upper);

			if (rc)
				return rc;
			continue;
		}
		/* A character of two bytes may need three. */
		out = arena_alloc_bytes(call->heap, length + length / 2 + 4);
		if (!out)
			return no_memory(call);
		while (at < length) {
			size_t width = utf8_step(data + at, length - at);

			used += utf8_put(text_case_map(utf8_code(data + at,
								 width),
						       upper), out + used);
			at += width;
		}
		vector_bytes(call->result)[i] = byte_view(out, used);
	}
	return 0;
}

/* White space as Java and Trino see it. */
static bool is_space(uint32_t code)
{
	return (code >= 9 && code <= 13) || (code >= 28 && code <= 32) ||
	       code == 0x1680 ||
	       (code >= 0x2000 && code <= 0x200a && code != 0x2007) ||
	       code == 0x2028 || code == 0x2029 || code == 0x205f ||
	       code == 0x3000;
}

/* Is the character at data to be trimmed? set NULL data = white space. */
static bool is_trimmed(const uint8_t *data, size_t width,
		       const struct byte_view *set)
{
	if (!set)
		return is_space(utf8_code(data, width));
	for (size_t at = 0; at < set->length; ) {
		size_t step = utf8_step(set->data + at, set->length - at);

		if (step == width && memcmp(set->data + at, data, width) == 0)
			return true;
		at += step;
	}
	return false;
}

static struct byte_view trim(struct byte_view text,
			     const struct byte_view *set, unsigned side)
{
	size_t from = 0, to = text.length;

	while (side != TRIM_RIGHT && from < to) {
		size_t width = utf8_step(text.data + from, to - from);

		if (!is_trimmed(text.data + from, width, set))
			break;
		from += width;
	}
	while (side != TRIM_LEFT && to > from) {
		size_t at = utf8_back(text.data, to);

		if (!is_trimmed(text.data + at, to - at, set))
			break;
		to = at;
	}
	return part(text, from, to);
}

int string_trim(struct kernel_call *call)
{
	unsigned side = call->node->function->variant;
	const struct byte_view *in = vector_bytes(call->args[0]);

	KERNEL_ROWS(call, i) {
		const struct byte_view *set = NULL;

		if (call->arg_count > 1)
			set = &vector_bytes(call->args[1])[i];
		vector_bytes(call->result)[i] = trim(in[i], set, side);
	}
	return 0;
}

int string_length(struct kernel_call *call)
{
	const struct byte_view *in = vector_bytes(call->args[0]);

	KERNEL_ROWS(call, i)
		vector_i64(call->result)[i] =
			(int64_t)utf8_count(in[i].data, in[i].length);
	return 0;
}

/* From 1; a negative start counts from the end; 0 gives nothing. */
static struct byte_view substring(struct byte_view text, int64_t start,
				  int64_t length)
{
	size_t from, count;

	if (start == 0 || length <= 0 || !text.length)
		return byte_view(text.data, 0);
	if (start < 0) {
		count = utf8_count(text.data, text.length);
		if ((uint64_t)-(start + 1) >= count)
			return byte_view(text.data, 0);
		start += (int64_t)count + 1;
	}
	from = utf8_offset(text.data, text.length, (size_t)start - 1);
	text = part(text, from, text.length);
	return part(text, 0, utf8_offset(text.data, text.length,
					 (size_t)length));
}

int string_substring(struct kernel_call *call)
{
	const struct byte_view *in = vector_bytes(call->args[0]);
	const int64_t *start = vector_i64(call->args[1]);

	KERNEL_ROWS(call, i) {
		int64_t length = call->arg_count > 2
			? vector_i64(call->args[2])[i] : INT64_MAX;

		vector_bytes(call->result)[i] = substring(in[i], start[i],
							  length);
	}
	return 0;
}

/* Bytes of text with each needle replaced; out may be NULL (only count). */
static size_t replace_into(struct byte_view text, struct byte_view needle,
			   struct byte_view with, uint8_t *out)
{
	size_t used = 0, from = 0;

	while (from <= text.length) {
		size_t at = find(text, needle, from), step;

		if (at == SIZE_MAX)
			break;
		if (out) {
			append(out + used, part(text, from, at));
			append(out + used + at - from, with);
		}
		used += at - from + with.length;
		from = at + needle.length;
		if (needle.length)
			continue;
		if (from >= text.length)
			return used;
		/* Nothing to look for: before each character and at the end */
		step = utf8_step(text.data + from, text.length - from);
		if (out)
			append(out + used, part(text, from, from + step));
		used += step;
		from += step;
	}
	if (out)
		append(out + used, part(text, from, text.length));
	return used + text.length - from;
}

int string_replace(struct kernel_call *call)
{
	const struct byte_view *in = vector_bytes(call->args[0]);
	const struct byte_view *needle = vector_bytes(call->args[1]);

	KERNEL_ROWS(call, i) {
		struct byte_view with = byte_view(NULL, 0);
		size_t length;
		uint8_t *out;

		if (call->arg_count > 2)
			with = vector_bytes(call->args[2])[i];
		length = replace_into(in[i], needle[i], with, NULL);
		if (length > TEXT_BYTES_LIMIT)
			return too_long(call, i);
		out = arena_alloc_bytes(call->heap, length);
		if (!out)
			return no_memory(call);
		replace_into(in[i], needle[i], with, out);
		vector_bytes(call->result)[i] = byte_view(out, length);
	}
	return 0;
}

static int64_t position(struct byte_view text, struct byte_view needle)
{
	size_t at = find(text, needle, 0);

	return at == SIZE_MAX ? 0 : (int64_t)utf8_count(text.data, at) + 1;
}

/* The instance-th occurrence, from the end if negative; they may overlap. */
static int64_t position_of(struct byte_view text, struct byte_view needle,
			   int64_t instance)
{
	size_t at = instance > 0 ? find(text, needle, 0) : text.length;

	if (!needle.length)
		return 1;
	if (instance > 0) {
		while (at != SIZE_MAX && --instance)
			at = find(text, needle, at + 1);
		return at == SIZE_MAX
			? 0 : (int64_t)utf8_count(text.data, at) + 1;
	}
	while (at > 0) {
		at--;
		if (text.length - at >= needle.length &&
		    memcmp(text.data + at, needle.data, needle.length) == 0 &&
		    ++instance == 0)
			return (int64_t)utf8_count(text.data, at) + 1;
	}
	return 0;
}

int string_strpos(struct kernel_call *call)
{
	const struct byte_view *text = vector_bytes(call->args[0]);
	const struct byte_view *needle = vector_bytes(call->args[1]);

	KERNEL_ROWS(call, i) {
		int64_t instance = call->arg_count > 2
			? vector_i64(call->args[2])[i] : 1;

		if (instance == 0) {
			error_set(call->err, ERROR_BAD_ARGUMENT, "strpos: the "
				  "instance must be a positive or negative "
				  "number");
			return kernel_failed(call, i, ERROR_BAD_ARGUMENT);
		}
		vector_i64(call->result)[i] = position_of(text[i], needle[i],
							  instance);
	}
	return 0;
}

int string_position(struct kernel_call *call)
{
	const struct byte_view *needle = vector_bytes(call->args[0]);
	const struct byte_view *text = vector_bytes(call->args[1]);

	KERNEL_ROWS(call, i)
		vector_i64(call->result)[i] = position(text[i], needle[i]);
	return 0;
}

int string_reverse(struct kernel_call *call)
{
	const struct byte_view *in = vector_bytes(call->args[0]);

	KERNEL_ROWS(call, i) {
		size_t length = in[i].length, at = 0;
		uint8_t *out = arena_alloc_bytes(call->heap, length);

		if (!out)
			return no_memory(call);
		while (at < length) {
			size_t width = utf8_step(in[i].data + at,
						 length - at);

			memcpy(out + length - at - width, in[i].data + at,
			       width);
			at += width;
		}
		vector_bytes(call->result)[i] = byte_view(out, length);
	}
	return 0;
}

int string_starts_with(struct kernel_call *call)
{
	const struct byte_view *in = vector_bytes(call->args[0]);
	const struct byte_view *start = vector_bytes(call->args[1]);

	KERNEL_ROWS(call, i)
		vector_bool(call->result)[i] =
			in[i].length >= start[i].length &&
			(!start[i].length ||
			 memcmp(in[i].data, start[i].data,
				start[i].length) == 0);
	return 0;
}

/* count characters of fill, repeated. */
static size_t fill_bytes(struct byte_view fill, size_t count)
{
	size_t per = utf8_count(fill.data, fill.length);

	return count / per * fill.length +
	       utf8_offset(fill.data, fill.length, count % per);
}

static int pad_row(struct kernel_call *call, size_t i, size_t wanted)
{
	struct byte_view text = vector_bytes(call->args[0])[i];
	struct byte_view fill = vector_bytes(call->args[2])[i];
	size_t count = utf8_count(text.data, text.length), bytes;
	bool is_left = call->node->function->variant == PAD_LEFT;
	uint8_t *out, *next;

	if (count >= wanted) {
		vector_bytes(call->result)[i] =
			part(text, 0, utf8_offset(text.data, text.length,
						  wanted));
		return 0;
	}
	bytes = fill_bytes(fill, wanted - count);
	if (bytes + text.length > TEXT_BYTES_LIMIT)
		return too_long(call, i);
	out = arena_alloc_bytes(call->heap, bytes + text.length);
	if (!out)
		return no_memory(call);
	next = is_left ? out : append(out, text);
	for (size_t at = 0; at < bytes; at += fill.length)
		next = append(next, part(fill, 0, bytes - at < fill.length
					 ? bytes - at : fill.length));
	if (is_left)
		append(next, text);
	vector_bytes(call->result)[i] = byte_view(out, bytes + text.length);
	return 0;
}

int string_pad(struct kernel_call *call)
{
	const int64_t *wanted = vector_i64(call->args[1]);
	const struct byte_view *fill = vector_bytes(call->args[2]);

	KERNEL_ROWS(call, i) {
		int rc = ERROR_BAD_ARGUMENT;

		if (wanted[i] < 0 || wanted[i] > INT32_MAX)
			error_set(call->err, rc, "%s: the length must be in "
				  "0..%d, not %lld",
				  call->node->function->name, INT32_MAX,
				  (long long)wanted[i]);
		else if (!fill[i].length)
			error_set(call->err, rc, "%s: the padding must not be "
				  "empty", call->node->function->name);
		else
			rc = pad_row(call, i, (size_t)wanted[i]);
		if (rc)
			return kernel_failed(call, i, rc);
	}
	return 0;
}

/* Field number index (from 1); false when there are not that many. */
static bool split_part(struct byte_view text, struct byte_view delimiter,
		       int64_t index, struct byte_view *out)
{
	size_t from = 0;

	if (!delimiter.length) {
		from = utf8_offset(text.data, text.length, (size_t)index - 1);
		if (from >= text.length)
			return false;
		*out = part(text, from, from + utf8_step(text.data + from,
							 text.length - from));
		return true;
	}
	while (--index) {
		from = find(text, delimiter, from);
		if (from == SIZE_MAX)
			return false;
		from += delimiter.length;
	}
	*out = part(text, from, text.length);
	from = find(*out, delimiter, 0);
	if (from != SIZE_MAX)
		out->length = from;
	return true;
}

int string_split_part(struct kernel_call *call)
{
	const struct byte_view *text = vector_bytes(call->args[0]);
	const struct byte_view *delimiter = vector_bytes(call->args[1]);
	const int64_t *index = vector_i64(call->args[2]);

	KERNEL_ROWS(call, i) {
		int rc = 0;

		if (index[i] <= 0) {
			error_set(call->err, ERROR_BAD_ARGUMENT,
				  "split_part: the index must be greater than "
				  "zero, not %lld", (long long)index[i]);
			return kernel_failed(call, i, ERROR_BAD_ARGUMENT);
		}
		if (!split_part(text[i], delimiter[i], index[i],
				&vector_bytes(call->result)[i]))
			rc = kernel_set_null(call, i);
		if (rc)
			return rc;
	}
	return 0;
}

int string_chr(struct kernel_call *call)
{
	const int64_t *code = vector_i64(call->args[0]);

	KERNEL_ROWS(call, i) {
		uint8_t *out;

		if (code[i] < 0 || code[i] > 0x10ffff ||
		    (code[i] >= 0xd800 && code[i] <= 0xdfff)) {
			error_set(call->err, ERROR_BAD_ARGUMENT,
				  "chr: not a Unicode code point: %lld",
				  (long long)code[i]);
			return kernel_failed(call, i, ERROR_BAD_ARGUMENT);
		}
		out = arena_alloc_bytes(call->heap, 4);
		if (!out)
			return no_memory(call);
		vector_bytes(call->result)[i] =
			byte_view(out, utf8_put((uint32_t)code[i], out));
	}
	return 0;
}

int string_codepoint(struct kernel_call *call)
{
	const struct byte_view *in = vector_bytes(call->args[0]);

	KERNEL_ROWS(call, i) {
		if (!in[i].length ||
		    utf8_step(in[i].data, in[i].length) != in[i].length) {
			error_set(call->err, ERROR_BAD_ARGUMENT,
				  "codepoint: not a single character");
			return kernel_failed(call, i, ERROR_BAD_ARGUMENT);
		}
		vector_i32(call->result)[i] =
			(int32_t)utf8_code(in[i].data, in[i].length);
	}
	return 0;
}
