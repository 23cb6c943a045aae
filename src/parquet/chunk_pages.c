/*
 * chunk_pages.c - from filled page to encoded page; is a dictionary worth it?
 *
 * Why:    a dictionary of values that hardly repeat costs more than all else
 *         and saves nothing; one that pays saves most of the file.
 * How:    the share of new values among the first rows gives a guess of how
 *         many distinct values there are (as if all were equally frequent);
 *         while that fits the limit the dictionary is kept, and judged again
 *         by the share of new values in each later page. Integers are also
 *         delta coded once to compare. Given up within its first page, it
 *         leaves no trace; later, its pages stay and new ones go without.
 * Limits: a chunk does not go back to a dictionary.
 */
#include "parquet/chunk_writer.h"

#include <math.h>
#include "parquet/encode_delta.h"
#include "parquet/encode_plain.h"

/* What compression must gain: packed integers are read so much faster than
 * they are decompressed that a little is not worth it. */
#define MIN_GAIN_PERCENT 3
#define MIN_GAIN_PACKED_PERCENT 15
/* After a dictionary that was given up at once, chunks until the next trial:
 * the column is most likely the same there. */
#define DICTIONARY_REST_CHUNKS 3
/* A body to be compressed for a trial should have so many bytes. */
#define DECIDING_BYTES 1024
/* Bounds in the page index are cut to so many bytes, as parquet-java does. */
#define INDEX_BOUND_BYTES 64
/* Values after which a dictionary is judged for the first time. */
#define FIRST_JUDGEMENT 4000
/* Share of new values, in percent, from which on it is given up. */
#define NEW_AT_FIRST 97
#define NEW_IN_PAGE_1 90
#define NEW_IN_PAGE_2 50
#define NEW_LATER 30

/* Distinct values that there may be, if a draw of n has d distinct ones. */
static double guess_distinct(size_t n, size_t d)
{
	double guess = (double)d, share = (double)d / (double)n;

	if (share > 0.999)
		return HUGE_VAL;
	/* d = N (1 - exp(-n / N)), by iteration */
	for (int i = 0; i < 20; i++)
		guess = (double)d / (1 - exp(-(double)n / guess));
	return guess;
}

/* The page's words by their indexes. */
static void look_up_words(struct chunk_writer *writer)
{
	const uint32_t *indexes = writer->indexes;
	const void *values = writer->dictionary.values;

	if (writer->storage.width == 4)
		for (size_t i = 0; i < writer->page_values; i++)
			((uint32_t *)writer->words)[i] =
				((const uint32_t *)values)[indexes[i]];
	else
		for (size_t i = 0; i < writer->page_values; i++)
			((uint64_t *)writer->words)[i] =
				((const uint64_t *)values)[indexes[i]];
}

/* Would delta coding take less than indexes into this dictionary, once it
 * holds as many values as are expected? */
static int try_delta(struct chunk_writer *writer, double distinct,
		     bool *is_smaller, struct error *err)
{
	unsigned now = dictionary_index_width(writer->dictionary.count);
	double later = ceil(log2(distinct > 2 ? distinct : 2));
	size_t count = writer->page_values;
	struct text delta = TEXT_INIT, indexes = TEXT_INIT;
	bool ok;

	look_up_words(writer);
	ok = writer->storage.width == 4
		     ? delta_write32(&delta, writer->words, count)
		     : delta_write64(&delta, writer->words, count);
	ok = ok && rle_write(&indexes, writer->indexes, count, now);
	*is_smaller = (double)delta.length <
		      (double)indexes.length * later / (now ? now : 1);
	text_release(&delta);
	text_release(&indexes);
	return ok ? 0 : error_set(err, ERROR_NO_MEMORY, "column encoder");
}

int chunk_judge_dictionary(struct chunk_writer *writer, bool at_page_end,
			   struct error *err)
{
	const struct dictionary_builder *dictionary = &writer->dictionary;
	size_t limit = writer->options->dictionary_byte_limit;
	size_t values = writer->page_values, fresh;
	double distinct, mean;
	bool delta_is_smaller;
	int rc;

	if (!writer->has_dictionary || values == 0)
		return 0;
	if (dictionary->plain_bytes > limit)
		return chunk_leave_dictionary(writer, err);
	fresh = dictionary->count - writer->page_first_new;
	if (!at_page_end) {
		if (writer->dictionary_pages == 0 && writer->page_rows &&
		    values >= FIRST_JUDGEMENT && values <= FIRST_JUDGEMENT * 2 &&
		    fresh * 100 >= values * NEW_AT_FIRST)
			return chunk_leave_dictionary(writer, err);
		return 0;
	}
	if (writer->dictionary_pages > 0) {
		size_t most = writer->dictionary_pages == 1 ? NEW_IN_PAGE_2
							    : NEW_LATER;

		return fresh * 100 >= values * most
			       ? chunk_leave_dictionary(writer, err)
			       : 0;
	}
	/* a small chunk is not worth one either unless values repeat */
	distinct = guess_distinct(values, fresh);
	mean = (double)dictionary->plain_bytes / (double)dictionary->count;
	if ((fresh > 16 && fresh * 100 >= values * NEW_IN_PAGE_1) ||
	    distinct * mean > (double)limit)
		return chunk_leave_dictionary(writer, err);
	if (!writer->uses_delta)
		return 0;
	rc = try_delta(writer, distinct, &delta_is_smaller, err);
	if (rc)
		return rc;
	return delta_is_smaller ? chunk_leave_dictionary(writer, err) : 0;
}

/* The values of the page that is being filled, from indexes to their form. */
int chunk_leave_dictionary(struct chunk_writer *writer, struct error *err)
{
	struct dictionary_builder *dictionary = &writer->dictionary;
	const uint32_t *indexes = writer->indexes;
	size_t count = writer->page_values;
	int rc = 0;

	writer->has_dictionary = false;
	if (writer->words) {
		look_up_words(writer);
	} else {
		const struct byte_view *texts = dictionary->values;

		text_reset(&writer->plain);
		for (size_t i = 0; i < count; i++)
			plain_write_bytes(&writer->plain,
					  texts[indexes[i]].data,
					  texts[indexes[i]].length);
		text_reserve(&writer->plain, 8);
		if (writer->plain.failed)
			return error_set(err, ERROR_NO_MEMORY,
					 "column encoder");
	}
	/* what is new since the last page is in no page */
	dictionary->count = writer->page_first_new;
	if (writer->dictionary_pages == 0) {
		writer->dictionary_rest = DICTIONARY_REST_CHUNKS;
		dictionary_builder_release(dictionary);
	} else if (!writer->writer.compresses &&
		   writer->writer.codec != CODEC_NONE &&
		   !writer->uses_delta) {
		/* indexes did not shrink, but plain values may */
		rc = page_writer_recompress(&writer->writer,
					    &writer->out.pages,
					    writer->out.page_bytes,
					    writer->out.page_count, err);
	}
	return rc;
}

static int take_hash(struct chunk_writer *writer, const void *data,
		     size_t length, struct error *err)
{
	if (!mem_grow((void **)&writer->hashes, &writer->hash_capacity,
		      writer->hash_count, sizeof(uint64_t)))
		return error_set(err, ERROR_NO_MEMORY, "Bloom filter");
	writer->hashes[writer->hash_count++] = hash_xxh64(data, length, 0);
	return 0;
}

/* Of the dictionary's values. */
int chunk_take_hashes(struct chunk_writer *writer, struct error *err)
{
	const struct dictionary_builder *dictionary = &writer->dictionary;
	const struct byte_view *texts = dictionary->values;
	const uint8_t *words = dictionary->values;
	size_t width = dictionary->width;
	int rc = 0;

	for (size_t i = 0; i < dictionary->count && !rc; i++)
		rc = width ? take_hash(writer, words + i * width, width, err)
			   : take_hash(writer, texts[i].data, texts[i].length,
				       err);
	return rc;
}

/* Of the page's values, which are not in a dictionary. */
static int take_page_hashes(struct chunk_writer *writer, struct error *err)
{
	const uint8_t *at = (const uint8_t *)writer->plain.data;
	size_t width = writer->storage.width;
	int rc = 0;

	if (writer->words)
		at = writer->words;
	for (size_t i = 0; i < writer->page_values && !rc; i++) {
		size_t length = width;

		if (writer->storage.physical == PHYSICAL_BYTE_ARRAY) {
			length = load_le32(at);
			at += 4;
		}
		rc = take_hash(writer, at, length, err);
		at += length;
	}
	return rc;
}

/* Which of the dictionary's values occur in the page, as a bitmap. */
static int dictionary_bounds(struct chunk_writer *writer,
			     struct value_bounds *out, struct error *err)
{
	const struct dictionary_builder *dictionary = &writer->dictionary;
	uint64_t *used = mem_zalloc_array(BITMAP_WORDS(dictionary->count) + 1,
					  sizeof(*used));
	size_t n = 0;

	if (!used)
		return error_set(err, ERROR_NO_MEMORY, "column encoder");
	if (dictionary->count == 1 && writer->page_values)
		bits_set(used, 0);
	for (size_t i = 0; dictionary->count > 1 && i < writer->page_values;
	     i++)
		bits_set(used, writer->indexes[i]);
	if (dictionary->width == 0) {
		value_bounds_views(dictionary->values, used, dictionary->count,
				   out);
		mem_free(used);
		return 0;
	}
	/* the words of the page that differ, then as ever */
	for (size_t i = 0; i < dictionary->count; i++) {
		if (!bits_get(used, i))
			continue;
		if (dictionary->width == 4)
			((uint32_t *)writer->words)[n++] =
				((uint32_t *)dictionary->values)[i];
		else
			((uint64_t *)writer->words)[n++] =
				((uint64_t *)dictionary->values)[i];
	}
	mem_free(used);
	value_bounds_words(writer->order, writer->words, n, out);
	if (out->nan_count) {
		/* each NaN counts, not each kind of NaN */
		const double *wide = dictionary->values;
		const float *narrow = dictionary->values;

		out->nan_count = 0;
		for (size_t i = 0; i < writer->page_values; i++) {
			double v = dictionary->width == 8
					   ? wide[writer->indexes[i]]
					   : (double)narrow[writer->indexes[i]];

			out->nan_count += v != v;
		}
	}
	return 0;
}

static int page_bounds(struct chunk_writer *writer, struct value_bounds *out,
		       struct error *err)
{
	const uint8_t *plain = (const uint8_t *)writer->plain.data;

	if (writer->has_dictionary)
		return dictionary_bounds(writer, out, err);
	switch (writer->storage.physical) {
	case PHYSICAL_BYTE_ARRAY:
		value_bounds_bytes(plain, writer->page_values, out);
		break;
	case PHYSICAL_FIXED:
		value_bounds_fixed(writer->order, plain, writer->storage.width,
				   writer->page_values, out);
		break;
	case PHYSICAL_BOOLEAN:
		value_bounds_words(writer->order, plain, writer->page_values,
				   out);
		break;
	default:
		value_bounds_words(writer->order, writer->words,
				   writer->page_values, out);
	}
	return 0;
}

/* Widen one bound of the chunk. */
static bool merge_bound(struct chunk_writer *writer, struct byte_view value,
			int sign, struct byte_view *bound)
{
	struct encoded_chunk *out = &writer->out;
	uint8_t *copy;

	if (out->has_bounds &&
	    sign * value_order_compare(writer->order, value, *bound) <= 0)
		return true;
	copy = arena_alloc_bytes(&out->arena, value.length);
	if (!copy)
		return false;
	if (value.length)
		memcpy(copy, value.data, value.length);
	*bound = byte_view(copy, value.length);
	return true;
}

static int note_page(struct chunk_writer *writer, size_t byte_count,
		     const struct value_bounds *bounds, struct error *err)
{
	struct encoded_chunk *out = &writer->out;
	bool is_text = writer->column->type.id == TYPE_VARCHAR, cut;
	size_t limit = writer->storage.physical == PHYSICAL_BYTE_ARRAY
			       ? INDEX_BOUND_BYTES
			       : SIZE_MAX;
	struct written_page page;

	if (!mem_grow((void **)&out->written, &writer->written_capacity,
		      out->page_count, sizeof(*out->written)) ||
	    !mem_grow((void **)&out->page_bytes, &writer->sizes_capacity,
		      out->page_count, sizeof(*out->page_bytes)))
		return error_set(err, ERROR_NO_MEMORY, "column encoder");
	memset(&page, 0, sizeof(page));
	page.first_row = writer->row_count;
	page.entry_count = (int64_t)chunk_page_entries(writer);
	page.null_count = page.entry_count - (int64_t)writer->page_values;
	page.nan_count = (int64_t)bounds->nan_count;
	page.has_bounds = bounds->has_bounds;
	if (bounds->has_bounds) {
		page.min = value_bound_cut(bounds->min, false, is_text, limit,
					   &cut, &out->arena);
		page.max = value_bound_cut(bounds->max, true, is_text, limit,
					   &cut, &out->arena);
		if (!page.min.data || !page.max.data ||
		    !merge_bound(writer, bounds->min, -1, &out->min) ||
		    !merge_bound(writer, bounds->max, 1, &out->max))
			return error_set(err, ERROR_NO_MEMORY,
					 "column encoder");
		out->has_bounds = true;
	}
	out->page_bytes[out->page_count] = (uint32_t)byte_count;
	out->written[out->page_count++] = page;
	writer->row_count += writer->page_rows;
	writer->entry_count += page.entry_count;
	writer->null_count += page.null_count;
	writer->nan_count += page.nan_count;
	return 0;
}

static bool write_values(struct chunk_writer *writer, struct text *body)
{
	size_t count = writer->page_values;

	if (writer->has_dictionary) {
		unsigned width = dictionary_index_width(
			writer->dictionary.count);

		return text_add_char(body, (char)width) &&
		       rle_write(body, writer->indexes, count, width);
	}
	if (writer->uses_delta)
		return writer->storage.width == 4
			       ? delta_write32(body, writer->words, count)
			       : delta_write64(body, writer->words, count);
	if (writer->words)
		return text_add(body, writer->words,
				count * writer->storage.width);
	if (writer->storage.physical == PHYSICAL_BOOLEAN)
		return plain_write_bools(body, (uint8_t *)writer->plain.data,
					 count);
	return text_add(body, writer->plain.data, writer->plain.length);
}

/*
 * By the body that has been made and what the dictionary holds, since both
 * are stored alike; earlier pages, too small to tell, follow.
 */
static int chunk_decide_codec(struct chunk_writer *writer, struct error *err)
{
	struct page_writer *pages = &writer->writer;
	bool is_packed = writer->has_dictionary || writer->uses_delta;
	size_t length = pages->body.length;
	struct text body;
	int rc;

	if (writer->has_dictionary &&
	    !dictionary_write(&writer->dictionary, &pages->body))
		return error_set(err, ERROR_NO_MEMORY, "a Parquet page");
	rc = page_writer_decide(pages, is_packed ? MIN_GAIN_PACKED_PERCENT
						 : MIN_GAIN_PERCENT, err);
	pages->body.length = length;
	if (writer->has_dictionary)
		pages->stored_from = 0;	/* it is of more than the body */
	body = pages->body;
	if (rc || !pages->compresses || writer->out.page_count == 0)
		return rc;
	text_init(&pages->body);	/* recompressing needs one too */
	rc = page_writer_recompress(pages, &writer->out.pages,
				    writer->out.page_bytes,
				    writer->out.page_count, err);
	text_release(&pages->body);
	pages->body = body;
	return rc;
}

int chunk_page_finish(struct chunk_writer *writer, struct error *err)
{
	struct text *body = &writer->writer.body;
	struct value_bounds bounds;
	struct page_header header;
	size_t before;
	int rc;

	rc = chunk_judge_dictionary(writer, true, err);
	if (rc)
		return rc;
	/* nulls alone need no dictionary */
	if (writer->has_dictionary && writer->dictionary.count == 0)
		rc = chunk_leave_dictionary(writer, err);
	if (!rc && writer->wants_bloom && !writer->has_dictionary)
		rc = take_page_hashes(writer, err);
	if (!rc)
		rc = page_bounds(writer, &bounds, err);
	if (rc)
		return rc;
	memset(&header, 0, sizeof(header));
	header.type = PAGE_DATA;
	header.value_count = (int32_t)chunk_page_entries(writer);
	header.encoding = writer->has_dictionary ? ENCODING_RLE_DICTIONARY
			  : writer->uses_delta	 ? ENCODING_DELTA_BINARY_PACKED
						 : ENCODING_PLAIN;
	page_writer_begin(&writer->writer);
	if (!chunk_write_levels(writer, body) || !write_values(writer, body))
		return error_set(err, ERROR_NO_MEMORY, "a Parquet page");
	if (!writer->writer.is_decided && body->length >= DECIDING_BYTES) {
		rc = chunk_decide_codec(writer, err);
		if (rc)
			return rc;
	}
	before = writer->out.pages.length;
	rc = page_writer_finish(&writer->writer, &header, &writer->out.pages,
				err);
	if (rc)
		return rc;
	rc = note_page(writer, writer->out.pages.length - before, &bounds, err);
	writer->dictionary_pages += writer->has_dictionary;
	writer->page_first_new = writer->dictionary.count;
	writer->page_rows = writer->page_values = writer->level_count = 0;
	writer->page_has_nulls = false;
	text_reset(&writer->plain);
	return rc;
}
