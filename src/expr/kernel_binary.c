/*
 * kernel_binary.c - functions on VARBINARY
 *
 * Why:    keys and digests travel as bytes; hex and hashes are how people
 *         look at them.
 * Cost:   linear in the bytes.
 */
#include "expr/kernel_binary.h"
#include "expr/text_utf8.h"

static int no_memory(struct kernel_call *call)
{
	return error_set(call->err, ERROR_NO_MEMORY, "bytes of %s()",
			 call->node->function->name);
}

int binary_length(struct kernel_call *call)
{
	const struct byte_view *in = vector_bytes(call->args[0]);

	KERNEL_ROWS(call, i)
		vector_i64(call->result)[i] = (int64_t)in[i].length;
	return 0;
}

/* Upper-case digits, as in Trino. */
int binary_to_hex(struct kernel_call *call)
{
	static const char digits[] = "0123456789ABCDEF";
	const struct byte_view *in = vector_bytes(call->args[0]);

	KERNEL_ROWS(call, i) {
		size_t length = in[i].length;
		uint8_t *out = arena_alloc_bytes(call->heap, 2 * length);

		if (!out)
			return no_memory(call);
		for (size_t k = 0; k < length; k++) {
			out[2 * k] = (uint8_t)digits[in[i].data[k] >> 4];
			out[2 * k + 1] = (uint8_t)digits[in[i].data[k] & 15];
		}
		vector_bytes(call->result)[i] = byte_view(out, 2 * length);
	}
	return 0;
}

static int hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool decode_hex(struct byte_view text, uint8_t *out)
{
	if (text.length % 2)
		return false;
	for (size_t k = 0; k < text.length; k += 2) {
		int high = hex_digit(text.data[k]);
		int low = hex_digit(text.data[k + 1]);

		if (high < 0 || low < 0)
			return false;
		out[k / 2] = (uint8_t)(high << 4 | low);
	}
	return true;
}

int binary_from_hex(struct kernel_call *call)
{
	const struct byte_view *in = vector_bytes(call->args[0]);

	KERNEL_ROWS(call, i) {
		uint8_t *out = arena_alloc_bytes(call->heap,
						 in[i].length / 2);

		if (!out)
			return no_memory(call);
		if (!decode_hex(in[i], out)) {
			error_set(call->err, ERROR_BAD_ARGUMENT, "from_hex: "
				  "not pairs of hexadecimal digits: '%.*s'",
				  (int)(in[i].length < 100 ? in[i].length
							   : 100),
				  (const char *)in[i].data);
			return kernel_failed(call, i, ERROR_BAD_ARGUMENT);
		}
		vector_bytes(call->result)[i] = byte_view(out,
							  in[i].length / 2);
	}
	return 0;
}

int binary_to_utf8(struct kernel_call *call)
{
	const struct byte_view *in = vector_bytes(call->args[0]);

	KERNEL_ROWS(call, i)
		vector_bytes(call->result)[i] = in[i];
	return 0;
}

/* Bytes of the well-formed character at data, 0 if it is none. */
static size_t well_formed(const uint8_t *data, size_t left)
{
	size_t width = utf8_width(data[0]);
	uint32_t code;

	if (data[0] < 0x80)
		return 1;
	if (data[0] < 0xc2 || data[0] > 0xf4 || left < width)
		return 0;
	for (size_t k = 1; k < width; k++) {
		if ((data[k] & 0xc0) != 0x80)
			return 0;
	}
	code = utf8_code(data, width);
	if ((width == 3 && code < 0x800) || (width == 4 && code < 0x10000) ||
	    code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return width;
}

/* Each byte that is no part of a character becomes U+FFFD. */
int binary_from_utf8(struct kernel_call *call)
{
	const struct byte_view *in = vector_bytes(call->args[0]);

	KERNEL_ROWS(call, i) {
		const uint8_t *data = in[i].data;
		size_t length = in[i].length, at = 0, used = 0, width;
		uint8_t *out;

		while (at < length &&
		       (width = well_formed(data + at, length - at)))
			at += width;
		if (at == length) {
			vector_bytes(call->result)[i] = in[i];
			continue;
		}
		out = arena_alloc_bytes(call->heap, 3 * length);
		if (!out)
			return no_memory(call);
		for (at = 0; at < length; at += width ? width : 1) {
			width = well_formed(data + at, length - at);
			if (width)
				memcpy(out + used, data + at, width);
			used += width ? width : utf8_put(0xfffd, out + used);
		}
		vector_bytes(call->result)[i] = byte_view(out, used);
	}
	return 0;
}

/* 8 bytes, big-endian. */
int binary_xxhash64(struct kernel_call *call)
{
	const struct byte_view *in = vector_bytes(call->args[0]);

	KERNEL_ROWS(call, i) {
		uint8_t *out = arena_alloc_bytes(call->heap, 8);
		uint64_t hash = hash_xxh64(in[i].data, in[i].length, 0);

		if (!out)
			return no_memory(call);
		for (unsigned k = 0; k < 8; k++)
			out[k] = (uint8_t)(hash >> (56 - 8 * k));
		vector_bytes(call->result)[i] = byte_view(out, 8);
	}
	return 0;
}
