/*
 * encode_rle.c - runs and bit-packed groups mixed
 *
 *	header (ULEB128 h)	then			meaning
 *	h & 1 == 0		ceil(w / 8) bytes	h >> 1 copies of it
 *	h & 1 == 1		(h >> 1) * w bytes	groups of 8 values
 *
 * Why:    levels, dictionary indexes and some booleans are stored so.
 * How:    reading gives spans, so that a run of a million equal values costs
 *         one fill and a packed run goes through the unpacking loops of
 *         codec/bit_pack.h. Writing packs whatever is not a run of two
 *         groups (16 values) or more.
 * Limits: width <= 32. A last packed run whose bytes are cut short is taken
 *         as far as it goes, since some writers leave the padding out.
 */
#include "parquet/encode_rle.h"

/* Groups of 8 equal values from which on a repeated run is written. */
#define RUN_GROUPS_MIN 2

void rle_reader_init(struct rle_reader *reader, const void *data,
		     size_t length, unsigned width)
{
	memset(reader, 0, sizeof(*reader));
	reader->next = data ? data : (const void *)"";
	reader->end = reader->next + length;
	reader->width = width;
}

static bool begin_run(struct rle_reader *reader)
{
	struct cursor in = { reader->next, reader->end };
	size_t left, value_bytes = (reader->width + 7) / 8;
	uint32_t header;

	if (!cursor_varint32(&in, &header) || header >> 1 == 0)
		return false;
	left = cursor_left(&in);
	reader->is_packed = header & 1;
	reader->run_left = header >> 1;
	if (reader->is_packed) {
		uint64_t bytes = (uint64_t)reader->run_left * reader->width;

		reader->run_left *= 8;
		reader->packed = in.next;
		reader->packed_at = 0;
		if (bytes > left) {
			bytes = left;
			reader->run_left = left * 8 / reader->width;
		}
		in.next += bytes;
	} else {
		if (value_bytes > left)
			return false;
		reader->value = 0;
		for (size_t i = 0; i < value_bytes; i++)
			reader->value |= (uint32_t)in.next[i] << 8 * i;
		in.next += value_bytes;
		if (reader->width < 32 && reader->value >> reader->width)
			return false;
	}
	reader->next = in.next;
	return reader->run_left > 0;
}

/* The values of the group in which the reader stands, up to its end. */
static void unpack_group(struct rle_reader *reader, size_t limit,
			 uint32_t *values, struct rle_span *span)
{
	size_t within = reader->packed_at % 8;
	size_t present = within + reader->run_left;
	uint32_t group[8] = { 0 };
	const uint8_t *at = reader->packed +
			    reader->packed_at / 8 * reader->width;

	if (present > 8)
		present = 8;
	bit_unpack32(at, reader->width, present, group);
	span->count = present - within;
	if (span->count > limit)
		span->count = limit;
	for (size_t i = 0; i < span->count; i++)
		values[i] = group[within + i];
}

bool rle_reader_span(struct rle_reader *reader, size_t limit,
		     uint32_t values[RLE_SPAN_VALUES], struct rle_span *span)
{
	size_t count;

	if (reader->run_left == 0 && !begin_run(reader))
		return false;
	count = reader->run_left < limit ? reader->run_left : limit;
	span->is_run = !reader->is_packed;
	span->count = count;
	span->value = reader->value;
	if (reader->is_packed) {
		if (count > RLE_SPAN_VALUES)
			count = span->count = RLE_SPAN_VALUES;
		if (reader->packed_at % 8)
			unpack_group(reader, count, values, span);
		else
			bit_unpack32(reader->packed +
					     reader->packed_at / 8 *
						     reader->width,
				     reader->width, count, values);
		reader->packed_at += span->count;
	}
	reader->run_left -= span->count;
	return true;
}

/* 1 .. 57 bits of packed bytes beginning at bit `at`, `left` bits exist. */
static uint64_t load_bits(const uint8_t *packed, size_t at, size_t count)
{
	size_t bytes = (at % 8 + count + 7) / 8;
	uint64_t word = 0;

	memcpy(&word, packed + at / 8, bytes < 8 ? bytes : 8);
	return word >> at % 8 & ((UINT64_C(1) << count) - 1);
}

static void copy_packed_bits(struct rle_reader *reader, uint64_t *bits,
			     size_t first, size_t count)
{
	size_t at = reader->packed_at;

	if (at % 8 == 0 && first % 8 == 0) {
		uint8_t *to = (uint8_t *)bits + first / 8;

		memcpy(to, reader->packed + at / 8, (count + 7) / 8);
		if (count % 8)
			to[count / 8] &= (uint8_t)((1 << count % 8) - 1);
		return;
	}
	while (count) {
		size_t step = count < 56 ? count : 56, shift = first % 64;
		uint64_t word = load_bits(reader->packed, at, step);

		bits[first / 64] |= word << shift;
		if (shift + step > 64)
			bits[first / 64 + 1] |= word >> (64 - shift);
		at += step;
		first += step;
		count -= step;
	}
}

bool rle_reader_bits(struct rle_reader *reader, size_t count, uint64_t *bits,
		     size_t *ones_out)
{
	size_t done = 0;

	memset(bits, 0, BITMAP_WORDS(count) * sizeof(*bits));
	while (done < count) {
		size_t step = count - done;

		if (reader->run_left == 0 && !begin_run(reader))
			return false;
		if (step > reader->run_left)
			step = reader->run_left;
		if (reader->is_packed) {
			copy_packed_bits(reader, bits, done, step);
			reader->packed_at += step;
		} else if (reader->value) {
			bits_set_range(bits, done, step);
		}
		reader->run_left -= step;
		done += step;
	}
	*ones_out = bits_count(bits, count);
	return true;
}

bool rle_write_run(struct text *out, uint32_t value, size_t count,
		   unsigned width)
{
	uint8_t bytes[4] = { (uint8_t)value, (uint8_t)(value >> 8),
			     (uint8_t)(value >> 16), (uint8_t)(value >> 24) };

	return text_add_varint(out, (uint64_t)count << 1) &&
	       text_add(out, bytes, (width + 7) / 8);
}

/* Packed groups; the last one may be filled up with zeroes. */
static bool write_packed(struct text *out, const uint32_t *values,
			 size_t count, unsigned width)
{
	size_t whole = count / 8 * 8;
	uint32_t last[8] = { 0 };

	if (count == 0)
		return true;
	if (!text_add_varint(out, (uint64_t)(count + 7) / 8 << 1 | 1) ||
	    !text_reserve(out, bit_pack_bytes(whole + 8, width)))
		return false;
	bit_pack32(values, width, whole, (uint8_t *)out->data + out->length);
	out->length += bit_pack_bytes(whole, width);
	if (whole < count) {
		memcpy(last, values + whole, (count - whole) * sizeof(*last));
		bit_pack32(last, width, 8, (uint8_t *)out->data + out->length);
		out->length += width;
	}
	out->data[out->length] = '\0';
	return true;
}

/* Length of the run of equal values that begins at values[0]. */
static size_t run_length(const uint32_t *values, size_t count)
{
	size_t n = 1;

	while (n < count && values[n] == values[0])
		n++;
	return n;
}

bool rle_write(struct text *out, const uint32_t *values, size_t count,
	       unsigned width)
{
	size_t packed_from = 0, at = 0;

	if (width == 0)
		return count == 0 || rle_write_run(out, 0, count, 0);
	while (at < count) {
		size_t run;

		/* at stands at a multiple of 8 from packed_from */
		if (at + 8 * RUN_GROUPS_MIN > count ||
		    values[at] != values[at + 7] ||
		    values[at] != values[at + 15]) {
			at += 8;
			continue;
		}
		run = run_length(values + at, count - at);
		if (run < 8 * RUN_GROUPS_MIN) {
			at += 8;
			continue;
		}
		if (!write_packed(out, values + packed_from, at - packed_from,
				  width) ||
		    !rle_write_run(out, values[at], run, width))
			return false;
		at += run;
		packed_from = at;
	}
	return write_packed(out, values + packed_from, count - packed_from,
			    width);
}

bool rle_write_bits(struct text *out, const uint64_t *bits, size_t count)
{
	size_t words = count / 64, packed_from = 0, at = 0;

	/* runs are looked for in whole words only */
	while (at <= words) {
		size_t end = at;
		uint64_t word = at < words ? bits[at] : 0;

		if (at < words && (word == 0 || ~word == 0))
			while (end < words && bits[end] == word)
				end++;
		if (end == at && at < words) {
			at++;
			continue;
		}
		/* a run, or the end: first what lies before it */
		if (at > packed_from || (at == words && count % 64)) {
			size_t n = at == words ? count - packed_from * 64
					       : (at - packed_from) * 64;

			if (!text_add_varint(out, (uint64_t)(n + 7) / 8 << 1 |
							  1) ||
			    !text_add(out, bits + packed_from, (n + 7) / 8))
				return false;
		}
		if (at == words)
			break;
		if (!rle_write_run(out, word & 1, (end - at) * 64, 1))
			return false;
		at = end;
		packed_from = at;
	}
	return true;
}
