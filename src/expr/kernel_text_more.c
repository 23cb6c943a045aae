/*
 * kernel_text_more.c - further functions on VARCHAR
 *
 * Why:    repeat, translate, distances, initcap, left and right.
 * How:    by characters (code points), as kernel_text.c. left, right, initcap
 *         and repeat are those of PostgreSQL; Trino has no such, or (repeat)
 *         one that makes an ARRAY.
 * Cost:   linear in the bytes; translate times its letters; a distance is the
 *         product of the lengths, which is limited.
 * Limits: one result has at most 2^31 - 1 bytes.
 */
#include "expr/kernel_text_more.h"
#include "expr/text_case.h"
#include "expr/text_utf8.h"

#define TEXT_BYTES_LIMIT ((size_t)INT32_MAX)
#define DISTANCE_LIMIT 1000000	/* product of the lengths, as in Trino */

static int no_memory(struct kernel_call *call)
{
	return error_set(call->err, ERROR_NO_MEMORY, "text of %s()",
			 call->node->function->name);
}

static int refuse(struct kernel_call *call, size_t row, const char *what)
{
	error_set(call->err, ERROR_BAD_ARGUMENT, "%s: %s",
		  call->node->function->name, what);
	return kernel_failed(call, row, ERROR_BAD_ARGUMENT);
}

int string_repeat(struct kernel_call *call)
{
	const struct byte_view *in = vector_bytes(call->args[0]);
	const int64_t *count = vector_i64(call->args[1]);

	KERNEL_ROWS(call, i) {
		size_t times = count[i] > 0 ? (size_t)count[i] : 0;
		size_t length = in[i].length;
		uint8_t *out;

		if (!length)
			times = 0;
		if (times && length > TEXT_BYTES_LIMIT / times)
			return refuse(call, i, "the result is longer than "
					       "2^31 - 1 bytes");
		out = arena_alloc_bytes(call->heap, times * length);
		if (!out)
			return no_memory(call);
		for (size_t k = 0; k < times; k++)
			memcpy(out + k * length, in[i].data, length);
		vector_bytes(call->result)[i] = byte_view(out, times * length);
	}
	return 0;
}

/* Character number n of text; false when there are not that many. */
static bool nth_character(struct byte_view text, size_t n,
			  struct byte_view *out)
{
	size_t at = utf8_offset(text.data, text.length, n);

	if (at == text.length)
		return false;
	*out = byte_view(text.data + at, utf8_step(text.data + at,
						   text.length - at));
	return true;
}

/* Which character of set it is, SIZE_MAX = none. */
static size_t character_number(struct byte_view set, const uint8_t *data,
			       size_t width)
{
	size_t number = 0;

	for (size_t at = 0; at < set.length; number++) {
		size_t step = utf8_step(set.data + at, set.length - at);

		if (step == width && memcmp(set.data + at, data, width) == 0)
			return number;
		at += step;
	}
	return SIZE_MAX;
}

int string_translate(struct kernel_call *call)
{
	const struct byte_view *in = vector_bytes(call->args[0]);
	const struct byte_view *from = vector_bytes(call->args[1]);
	const struct byte_view *to = vector_bytes(call->args[2]);

	KERNEL_ROWS(call, i) {
		struct byte_view text = in[i], with;
		size_t used = 0, step;
		uint8_t *out;

		if (text.length > TEXT_BYTES_LIMIT / 4)
			return refuse(call, i, "the text is too long");
		out = arena_alloc_bytes(call->heap, 4 * text.length);
		if (!out)
			return no_memory(call);
		for (size_t at = 0; at < text.length; at += step) {
			size_t number;

			step = utf8_step(text.data + at, text.length - at);
			with = byte_view(text.data + at, step);
			number = character_number(from[i], with.data, step);
			if (number != SIZE_MAX &&
			    !nth_character(to[i], number, &with))
				continue;
			memcpy(out + used, with.data, with.length);
			used += with.length;
		}
		vector_bytes(call->result)[i] = byte_view(out, used);
	}
	return 0;
}

/* Code points in memory of their own; NULL when out of it. */
static uint32_t *code_points(struct byte_view text, size_t *count)
{
	uint32_t *codes = mem_alloc_array(text.length + 1, sizeof(*codes));

	*count = 0;
	for (size_t at = 0; codes && at < text.length; ) {
		size_t step = utf8_step(text.data + at, text.length - at);

		codes[(*count)++] = utf8_code(text.data + at, step);
		at += step;
	}
	return codes;
}

/* One row of the matrix after the other. costs: b_count + 1 entries. */
static size_t levenshtein(const uint32_t *a, size_t a_count,
			  const uint32_t *b, size_t b_count, size_t *costs)
{
	for (size_t j = 0; j <= b_count; j++)
		costs[j] = j;
	for (size_t i = 0; i < a_count; i++) {
		size_t diagonal = costs[0];

		costs[0] = i + 1;
		for (size_t j = 0; j < b_count; j++) {
			size_t best = diagonal + (a[i] != b[j]);

			diagonal = costs[j + 1];
			if (costs[j] + 1 < best)
				best = costs[j] + 1;
			if (diagonal + 1 < best)
				best = diagonal + 1;
			costs[j + 1] = best;
		}
	}
	return costs[b_count];
}

static int levenshtein_row(struct kernel_call *call, size_t i)
{
	size_t a_count = 0, b_count = 0;
	uint32_t *a = code_points(vector_bytes(call->args[0])[i], &a_count);
	uint32_t *b = code_points(vector_bytes(call->args[1])[i], &b_count);
	size_t *costs = mem_alloc_array(b_count + 1, sizeof(*costs));
	int rc = 0;

	if (!a || !b || !costs)
		rc = no_memory(call);
	else if (b_count && a_count >= DISTANCE_LIMIT / b_count)
		rc = refuse(call, i, "the texts are too long");
	else
		vector_i64(call->result)[i] =
			(int64_t)levenshtein(a, a_count, b, b_count, costs);
	mem_free(a);
	mem_free(b);
	mem_free(costs);
	return rc;
}

int string_levenshtein(struct kernel_call *call)
{
	KERNEL_ROWS(call, i) {
		int rc = levenshtein_row(call, i);

		if (rc)
			return rc;
	}
	return 0;
}

int string_hamming(struct kernel_call *call)
{
	KERNEL_ROWS(call, i) {
		struct byte_view a = vector_bytes(call->args[0])[i];
		struct byte_view b = vector_bytes(call->args[1])[i];
		size_t at = 0, bt = 0;
		int64_t count = 0;

		while (at < a.length && bt < b.length) {
			size_t step = utf8_step(a.data + at, a.length - at);
			size_t other = utf8_step(b.data + bt, b.length - bt);

			count += step != other ||
				 memcmp(a.data + at, b.data + bt, step) != 0;
			at += step;
			bt += other;
		}
		if (at < a.length || bt < b.length)
			return refuse(call, i, "the texts have different "
					       "lengths");
		vector_i64(call->result)[i] = count;
	}
	return 0;
}

/* Letters and digits; all beyond ASCII counts as such. */
static bool is_word(uint32_t code)
{
	return code >= 0x80 || (code >= '0' && code <= '9') ||
	       ((code | 0x20) >= 'a' && (code | 0x20) <= 'z');
}

int string_initcap(struct kernel_call *call)
{
	const struct byte_view *in = vector_bytes(call->args[0]);

	KERNEL_ROWS(call, i) {
		struct byte_view text = in[i];
		size_t used = 0, step;
		bool is_inside = false;
		uint8_t *out;

		/* A character of two bytes may need three. */
		out = arena_alloc_bytes(call->heap, text.length +
						    text.length / 2 + 4);
		if (!out)
			return no_memory(call);
		for (size_t at = 0; at < text.length; at += step) {
			uint32_t code;

			step = utf8_step(text.data + at, text.length - at);
			code = utf8_code(text.data + at, step);
			used += utf8_put(text_case_map(code, !is_inside),
					 out + used);
			is_inside = is_word(code);
		}
		vector_bytes(call->result)[i] = byte_view(out, used);
	}
	return 0;
}

/* The first or last count characters; all but -count if negative. */
static struct byte_view end_of(struct byte_view text, int64_t count,
			       bool is_right)
{
	size_t total = utf8_count(text.data, text.length), wanted, at;

	if (count < 0)
		wanted = (uint64_t)-(count + 1) >= total ? 0 :
			 total - (size_t)-count;
	else
		wanted = (uint64_t)count > total ? total : (size_t)count;
	at = utf8_offset(text.data, text.length,
			 is_right ? total - wanted : wanted);
	return is_right ? byte_view(text.data + at, text.length - at)
			: byte_view(text.data, at);
}

int string_end(struct kernel_call *call)
{
	bool is_right = call->node->function->variant == END_RIGHT;

	KERNEL_ROWS(call, i)
		vector_bytes(call->result)[i] =
			end_of(vector_bytes(call->args[0])[i],
			       vector_i64(call->args[1])[i], is_right);
	return 0;
}

int string_ends_with(struct kernel_call *call)
{
	KERNEL_ROWS(call, i) {
		struct byte_view text = vector_bytes(call->args[0])[i];
		struct byte_view end = vector_bytes(call->args[1])[i];

		vector_bool(call->result)[i] = text.length >= end.length &&
			(!end.length ||
			 memcmp(text.data + text.length - end.length,
				end.data, end.length) == 0);
	}
	return 0;
}
