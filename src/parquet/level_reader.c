/*
 * level_reader.c - repetition and definition levels of a nested column's page
 *
 *	v1 body: [length, repetition levels] [length, definition levels]
 *	v2 body: repetition levels, definition levels (lengths in the header)
 *
 * Why:    they are all that is known of lists and nulls, so none of them may
 *         be out of range.
 * How:    both kinds are RLE hybrids of the bits that the greatest level
 *         takes, or in very old files packed from the most significant bit.
 * Cost:   about 1 ns a level.
 */
#include "parquet/level_reader.h"

static int cut_short(struct error *err)
{
	return error_set(err, ERROR_CORRUPT, "levels are cut short");
}

static void start_run(struct level_reader *reader, uint32_t value,
		      size_t count)
{
	rle_reader_init(&reader->rle, NULL, 0, bit_width64(reader->max));
	reader->rle.value = value;
	reader->rle.run_left = count;
}

static int start_v1(struct level_reader *reader, int32_t encoding,
		    size_t count, struct cursor *in, struct error *err)
{
	unsigned width = bit_width64(reader->max);
	const uint8_t *prefix, *data;

	if (reader->max == 0) {
		start_run(reader, 0, count);
		return 0;
	}
	if (encoding == ENCODING_BIT_PACKED) {
		reader->is_bit_packed = true;
		reader->bit_at = 0;
		reader->bit_end = count * width;
		return cursor_bytes(in, (count * width + 7) / 8, &reader->bits)
			       ? 0
			       : cut_short(err);
	}
	if (encoding != ENCODING_RLE)
		return error_set(err, ERROR_CORRUPT,
				 "levels in an unknown encoding");
	if (!cursor_bytes(in, 4, &prefix) ||
	    !cursor_bytes(in, load_le32(prefix), &data))
		return cut_short(err);
	rle_reader_init(&reader->rle, data, load_le32(prefix), width);
	return 0;
}

static int start_v2(struct level_reader *reader, size_t length, size_t count,
		    struct cursor *in, struct error *err)
{
	const uint8_t *data;

	if (!cursor_bytes(in, length, &data))
		return cut_short(err);
	if (reader->max == 0)
		start_run(reader, 0, count);
	else
		rle_reader_init(&reader->rle, data, length,
				bit_width64(reader->max));
	return 0;
}

int level_readers_start(struct level_reader *rep, struct level_reader *def,
			const struct page_header *header,
			struct byte_view body, struct byte_view *values_out,
			struct error *err)
{
	struct cursor in = cursor_of(body.data, body.length);
	size_t count = (size_t)header->value_count;
	int rc;

	rep->is_bit_packed = def->is_bit_packed = false;
	if (header->type == PAGE_DATA_V2) {
		rc = start_v2(rep, (size_t)header->rep_bytes, count, &in, err);
		if (!rc)
			rc = start_v2(def, (size_t)header->def_bytes, count,
				      &in, err);
		/* some leave levels out when there is no null */
		if (!rc && header->def_bytes == 0 && header->null_count == 0)
			start_run(def, def->max, count);
	} else {
		rc = start_v1(rep, header->rep_encoding, count, &in, err);
		if (!rc)
			rc = start_v1(def, header->def_encoding, count, &in,
				      err);
	}
	if (!rc)
		*values_out = byte_view(in.next, cursor_left(&in));
	return rc;
}

static bool read_bit_packed(struct level_reader *reader, size_t count,
			    uint8_t *out)
{
	unsigned width = bit_width64(reader->max);

	if (count > (reader->bit_end - reader->bit_at) / width)
		return false;
	for (size_t i = 0; i < count; i++) {
		unsigned level = 0;

		for (unsigned k = 0; k < width; k++, reader->bit_at++)
			level = level << 1 |
				(reader->bits[reader->bit_at / 8] >>
					 (7 - reader->bit_at % 8) & 1);
		out[i] = (uint8_t)level;
	}
	return true;
}

static bool read_rle(struct level_reader *reader, size_t count, uint8_t *out)
{
	uint32_t values[RLE_SPAN_VALUES];
	struct rle_span span;

	for (; count; count -= span.count, out += span.count) {
		if (!rle_reader_span(&reader->rle, count, values, &span))
			return false;
		if (span.is_run) {
			if (span.value > reader->max)
				return false;
			memset(out, (int)span.value, span.count);
			continue;
		}
		/* max is at most 8 bits wide, and so are these */
		for (size_t i = 0; i < span.count; i++)
			out[i] = (uint8_t)values[i];
	}
	return true;
}

int level_reader_next(struct level_reader *reader, size_t count, uint8_t *out,
		      struct error *err)
{
	uint8_t greatest = 0;

	if (!(reader->is_bit_packed ? read_bit_packed(reader, count, out)
				    : read_rle(reader, count, out)))
		return cut_short(err);
	for (size_t i = 0; i < count; i++)
		greatest = out[i] > greatest ? out[i] : greatest;
	if (greatest > reader->max)
		return error_set(err, ERROR_CORRUPT,
				 "a level of %u where %u is the greatest",
				 greatest, reader->max);
	return 0;
}
