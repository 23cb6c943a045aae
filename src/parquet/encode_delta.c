/*
 * encode_delta.c - DELTA_BINARY_PACKED
 *
 *	header	block size, miniblocks a block, count (ULEB128), first value
 *		(zigzag)
 *	block	least delta (zigzag), a width byte for each miniblock, then
 *		the miniblocks: (delta - least delta) at that many bits
 *
 * Why:    keys, times and counters shrink to a few bits a value and unpack
 *         at memory speed, which no general compressor does.
 * How:    64 deltas at a time are unpacked and summed up. All arithmetic is
 *         unsigned and wraps at the width of the type, as the format says.
 * Cost:   about 0.6 ns a value to read, 1.5 ns to write.
 * Limits: block sizes to DELTA_BLOCK_LIMIT. The bytes of the last miniblock
 *         may be cut short after the last value.
 */
#include "parquet/encode_delta.h"

#define DELTA_BLOCK_LIMIT (1u << 24)
#define WRITE_MINIBLOCKS 4
#define WRITE_BLOCK32 128
#define WRITE_BLOCK64 256

struct delta_header {
	uint32_t block_values;
	uint32_t mini_count;
	uint32_t total;
	int64_t first;
};

static bool read_header(struct cursor *in, struct delta_header *out)
{
	if (!cursor_varint32(in, &out->block_values) ||
	    !cursor_varint32(in, &out->mini_count) ||
	    !cursor_varint32(in, &out->total) ||
	    !cursor_zigzag64(in, &out->first))
		return false;
	return out->block_values > 0 && out->block_values % 128 == 0 &&
	       out->block_values <= DELTA_BLOCK_LIMIT &&
	       out->mini_count > 0 &&
	       out->block_values % out->mini_count == 0 &&
	       out->block_values / out->mini_count % 8 == 0;
}

bool delta_reader_init(struct delta_reader *reader, const void *data,
		       size_t length)
{
	struct cursor in = cursor_of(data, length);
	struct delta_header header;

	if (!read_header(&in, &header))
		return false;
	reader->next = in.next;
	reader->end = in.end;
	reader->left = header.total;
	reader->is_first = true;
	reader->last = (uint64_t)header.first;
	reader->min_delta = 0;
	reader->mini_count = header.mini_count;
	reader->mini_values = header.block_values / header.mini_count;
	reader->widths = NULL;
	reader->mini_at = header.mini_count;
	reader->width = 0;
	reader->mini_left = 0;
	reader->buffer_at = reader->buffer_count = 0;
	return true;
}

static bool begin_miniblock(struct delta_reader *reader)
{
	if (reader->mini_at == reader->mini_count) {
		struct cursor in = { reader->next, reader->end };
		int64_t min_delta;

		if (!cursor_zigzag64(&in, &min_delta) ||
		    !cursor_bytes(&in, reader->mini_count, &reader->widths))
			return false;
		reader->min_delta = (uint64_t)min_delta;
		reader->mini_at = 0;
		reader->next = in.next;
	}
	reader->width = reader->widths[reader->mini_at++];
	reader->mini_left = reader->mini_values;
	return reader->width <= 64;
}

/* Unpack some more deltas; `left` bounds what is still of use. */
static bool refill(struct delta_reader *reader)
{
	size_t count, available, bytes;

	if (reader->mini_left == 0 && !begin_miniblock(reader))
		return false;
	count = reader->mini_left < DELTA_BUFFER_VALUES ? reader->mini_left
							: DELTA_BUFFER_VALUES;
	available = (size_t)(reader->end - reader->next);
	bytes = bit_pack_bytes(count, reader->width);
	reader->mini_left -= count;
	if (bytes > available) {
		/* padding after the last value may be missing */
		count = available * 8 / reader->width;
		bytes = available;
		if (count < reader->left)
			return false;
		count = reader->left;
	}
	if (reader->width <= 32)
		bit_unpack32(reader->next, reader->width, count,
			     (uint32_t *)reader->buffer);
	else
		bit_unpack64(reader->next, reader->width, count,
			     reader->buffer);
	reader->next += bytes;
	reader->buffer_at = 0;
	reader->buffer_count = count;
	return true;
}

/* DuckDB delta codes unsigned INT32 in 64 bits, so widths may exceed 32. */
static void sum32(struct delta_reader *reader, uint32_t *out, size_t count)
{
	const uint32_t *deltas = (const uint32_t *)reader->buffer +
				 reader->buffer_at;
	const uint64_t *wide = reader->buffer + reader->buffer_at;
	uint32_t last = (uint32_t)reader->last;
	uint32_t least = (uint32_t)reader->min_delta;

	if (reader->width <= 32)
		for (size_t i = 0; i < count; i++)
			out[i] = last += deltas[i] + least;
	else
		for (size_t i = 0; i < count; i++)
			out[i] = last += (uint32_t)wide[i] + least;
	reader->last = last;
}

static void sum64(struct delta_reader *reader, uint64_t *out, size_t count)
{
	uint64_t last = reader->last, least = reader->min_delta;

	if (reader->width <= 32) {
		const uint32_t *deltas = (const uint32_t *)reader->buffer +
					 reader->buffer_at;

		for (size_t i = 0; i < count; i++)
			out[i] = last += deltas[i] + least;
	} else {
		const uint64_t *deltas = reader->buffer + reader->buffer_at;

		for (size_t i = 0; i < count; i++)
			out[i] = last += deltas[i] + least;
	}
	reader->last = last;
}

bool delta_read32(struct delta_reader *reader, uint32_t *out, size_t count)
{
	if (count > reader->left)
		return false;
	if (count && reader->is_first) {
		reader->is_first = false;
		*out++ = (uint32_t)reader->last;
		reader->left--;
		count--;
	}
	while (count) {
		size_t step;

		if (reader->buffer_at == reader->buffer_count &&
		    !refill(reader))
			return false;
		step = reader->buffer_count - reader->buffer_at;
		if (step > count)
			step = count;
		sum32(reader, out, step);
		reader->buffer_at += step;
		reader->left -= step;
		out += step;
		count -= step;
	}
	return true;
}

bool delta_read64(struct delta_reader *reader, uint64_t *out, size_t count)
{
	if (count > reader->left)
		return false;
	if (count && reader->is_first) {
		reader->is_first = false;
		*out++ = reader->last;
		reader->left--;
		count--;
	}
	while (count) {
		size_t step;

		if (reader->buffer_at == reader->buffer_count &&
		    !refill(reader))
			return false;
		step = reader->buffer_count - reader->buffer_at;
		if (step > count)
			step = count;
		sum64(reader, out, step);
		reader->buffer_at += step;
		reader->left -= step;
		out += step;
		count -= step;
	}
	return true;
}

bool delta_extent(const void *data, size_t length, size_t *bytes_out)
{
	struct cursor in = cursor_of(data, length);
	struct delta_header header;
	size_t left, mini_values;

	if (!read_header(&in, &header))
		return false;
	left = header.total ? header.total - 1 : 0;
	mini_values = header.block_values / header.mini_count;
	while (left) {
		const uint8_t *widths, *body;
		int64_t min_delta;

		if (!cursor_zigzag64(&in, &min_delta) ||
		    !cursor_bytes(&in, header.mini_count, &widths))
			return false;
		for (size_t i = 0; i < header.mini_count && left; i++) {
			size_t bytes = mini_values / 8 * widths[i];

			if (widths[i] > 64 || !cursor_bytes(&in, bytes, &body))
				return false;
			left -= left < mini_values ? left : mini_values;
		}
	}
	*bytes_out = length - cursor_left(&in);
	return true;
}

static bool write_header(struct text *out, size_t block_values, size_t count,
			 int64_t first)
{
	return text_add_varint(out, block_values) &&
	       text_add_varint(out, WRITE_MINIBLOCKS) &&
	       text_add_varint(out, count) && text_add_zigzag(out, first);
}

bool delta_write32(struct text *out, const uint32_t *values, size_t count)
{
	const size_t mini = WRITE_BLOCK32 / WRITE_MINIBLOCKS;
	size_t at = 1;

	if (!write_header(out, WRITE_BLOCK32, count,
			  count ? (int32_t)values[0] : 0))
		return false;
	while (at < count) {
		size_t n = count - at < WRITE_BLOCK32 ? count - at
						      : WRITE_BLOCK32;
		uint32_t deltas[WRITE_BLOCK32] = { 0 };
		int32_t least = INT32_MAX;
		uint8_t *widths, *body;

		for (size_t i = 0; i < n; i++) {
			deltas[i] = values[at + i] - values[at + i - 1];
			if ((int32_t)deltas[i] < least)
				least = (int32_t)deltas[i];
		}
		for (size_t i = 0; i < n; i++)
			deltas[i] -= (uint32_t)least;
		if (!text_add_zigzag(out, least) ||
		    !text_reserve(out, WRITE_MINIBLOCKS + sizeof(deltas)))
			return false;
		widths = (uint8_t *)out->data + out->length;
		body = widths + WRITE_MINIBLOCKS;
		for (size_t m = 0; m < WRITE_MINIBLOCKS; m++) {
			uint32_t all = 0;

			for (size_t i = 0; i < mini; i++)
				all |= deltas[m * mini + i];
			widths[m] = (uint8_t)bit_width64(all);
			if (m * mini >= n)
				continue;
			bit_pack32(deltas + m * mini, widths[m], mini, body);
			body += mini / 8 * widths[m];
		}
		out->length = (size_t)(body - (uint8_t *)out->data);
		at += n;
	}
	return true;
}

static uint8_t *write_mini64(const uint64_t *deltas, size_t mini,
			     uint8_t *width_out, uint8_t *body)
{
	uint32_t narrow[WRITE_BLOCK64 / WRITE_MINIBLOCKS];
	uint64_t all = 0;

	for (size_t i = 0; i < mini; i++)
		all |= deltas[i];
	*width_out = (uint8_t)bit_width64(all);
	if (*width_out > 32) {
		bit_pack64(deltas, *width_out, mini, body);
	} else {
		for (size_t i = 0; i < mini; i++)
			narrow[i] = (uint32_t)deltas[i];
		bit_pack32(narrow, *width_out, mini, body);
	}
	return body + mini / 8 * *width_out;
}

bool delta_write64(struct text *out, const uint64_t *values, size_t count)
{
	const size_t mini = WRITE_BLOCK64 / WRITE_MINIBLOCKS;
	size_t at = 1;

	if (!write_header(out, WRITE_BLOCK64, count,
			  count ? (int64_t)values[0] : 0))
		return false;
	while (at < count) {
		size_t n = count - at < WRITE_BLOCK64 ? count - at
						      : WRITE_BLOCK64;
		uint64_t deltas[WRITE_BLOCK64] = { 0 };
		int64_t least = INT64_MAX;
		uint8_t *widths, *body;

		for (size_t i = 0; i < n; i++) {
			deltas[i] = values[at + i] - values[at + i - 1];
			if ((int64_t)deltas[i] < least)
				least = (int64_t)deltas[i];
		}
		for (size_t i = 0; i < n; i++)
			deltas[i] -= (uint64_t)least;
		if (!text_add_zigzag(out, least) ||
		    !text_reserve(out, WRITE_MINIBLOCKS + sizeof(deltas)))
			return false;
		widths = (uint8_t *)out->data + out->length;
		body = widths + WRITE_MINIBLOCKS;
		for (size_t m = 0; m < WRITE_MINIBLOCKS; m++) {
			widths[m] = 0;
			if (m * mini < n)
				body = write_mini64(deltas + m * mini, mini,
						    &widths[m], body);
		}
		out->length = (size_t)(body - (uint8_t *)out->data);
		at += n;
	}
	return true;
}
