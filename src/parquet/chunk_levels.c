/*
 * chunk_levels.c - entries of a nested leaf into pages, and levels as bytes
 *
 *	v1 body: [length and repetition levels] [length and definition
 *	levels] values
 *
 * Why:    a leaf below a ROW, ARRAY or MAP has more than rows and nulls: each
 *         entry says where a record or list begins and how much of the path
 *         down to it is there.
 * How:    levels are kept a byte each while a page is filled. Once it is full
 *         it ends before the next record, so that the offset index can name
 *         rows. The values themselves go the way of flat columns.
 * Limits: a page holds at least one record, however large that is.
 */
#include "parquet/chunk_writer.h"

/* Entries that are added at once. */
#define PIECE_ENTRIES BATCH_ROW_COUNT
/* Of large texts, so that a page does not grow far beyond its limit. */
#define PIECE_TEXTS 256

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "column encoder");
}

static bool grow(void **array, size_t count, size_t width)
{
	void *bigger = mem_realloc_array(*array, count, width);

	if (bigger)
		*array = bigger;
	return bigger != NULL;
}

/* Room for some more entries in the page. */
static int reserve(struct chunk_writer *writer, size_t more,
		   struct error *err)
{
	size_t levels = writer->level_count + more;
	size_t values = writer->page_values + more;

	if (levels > INT32_MAX)
		return error_set(err, ERROR_UNSUPPORTED,
				 "column %s: one row has too many elements for "
				 "Parquet", writer->column->name);
	if (levels > writer->level_capacity) {
		levels += levels / 2;
		if (!grow((void **)&writer->def, levels, 1) ||
		    (writer->leaf->max_rep &&
		     !grow((void **)&writer->rep, levels, 1)))
			return no_memory(err);
		writer->level_capacity = levels;
	}
	if (values > writer->value_capacity) {
		values += values / 2;
		if (!grow((void **)&writer->indexes, values,
			  sizeof(*writer->indexes)) ||
		    (writer->words && !grow(&writer->words, values,
					    writer->storage.width)))
			return no_memory(err);
		writer->value_capacity = values;
	}
	return 0;
}

static bool page_is_full(const struct chunk_writer *writer)
{
	const struct parquet_options *options = writer->options;

	return writer->level_count >= options->page_row_limit ||
	       writer->plain.length >= options->page_byte_limit;
}

static bool begins_record(const struct chunk_writer *writer,
			  const struct level_entries *entries, size_t i)
{
	return writer->leaf->max_rep == 0 || entries->rep[i] == 0;
}

/* How many entries from `done` on may be added before the page is looked at
 * again; a full page takes no more than the rest of its record. */
static size_t next_step(const struct chunk_writer *writer,
			const struct level_entries *entries, size_t done)
{
	size_t step = writer->storage.physical == PHYSICAL_BYTE_ARRAY
			      ? PIECE_TEXTS
			      : PIECE_ENTRIES;
	size_t limit = writer->options->page_row_limit;

	if (step > entries->count - done)
		step = entries->count - done;
	if (!page_is_full(writer))
		return step < limit - writer->level_count
			       ? step
			       : limit - writer->level_count;
	for (size_t i = 1; i < step; i++)
		if (begins_record(writer, entries, done + i))
			return i;
	return step;
}

static int add_some(struct chunk_writer *writer, const struct vector *values,
		    const struct level_entries *entries, size_t from,
		    size_t count, struct error *err)
{
	uint8_t max_def = writer->leaf->max_def;
	uint32_t present[PIECE_ENTRIES];
	struct value_piece piece = { values, present, 0, 0 };
	size_t at = writer->level_count, rows = count;
	int rc = reserve(writer, count, err);

	if (rc)
		return rc;
	memcpy(writer->def + at, entries->def + from, count);
	if (writer->leaf->max_rep) {
		memcpy(writer->rep + at, entries->rep + from, count);
		rows = 0;
		for (size_t i = from; i < from + count; i++)
			rows += entries->rep[i] == 0;
	}
	for (size_t i = from; i < from + count; i++) {
		present[piece.count] = entries->value[i];
		piece.count += entries->def[i] == max_def;
	}
	writer->level_count += count;
	writer->page_rows += rows;
	return piece.count ? chunk_add_piece(writer, &piece, err) : 0;
}

int chunk_writer_add_entries(struct chunk_writer *writer,
			     const struct vector *values,
			     const struct level_entries *entries,
			     struct error *err)
{
	size_t done = 0;
	int rc = 0;

	while (!rc && done < entries->count) {
		size_t step;

		if (page_is_full(writer) &&
		    begins_record(writer, entries, done)) {
			rc = chunk_page_finish(writer, err);
			continue;
		}
		step = next_step(writer, entries, done);
		rc = add_some(writer, values, entries, done, step, err);
		if (!rc)
			rc = chunk_judge_dictionary(writer, false, err);
		done += step;
	}
	return rc;
}

/* One kind of levels with its length in front. */
static bool write_nested(const uint8_t *levels, size_t count, unsigned max,
			 struct text *body)
{
	size_t prefix_at = body->length;
	uint32_t *wide;
	bool ok;

	if (max == 0)
		return true;
	wide = mem_alloc_array(count, sizeof(*wide));
	if (!wide)
		return false;
	for (size_t i = 0; i < count; i++)
		wide[i] = levels[i];
	ok = text_add_le32(body, 0) &&
	     rle_write(body, wide, count, bit_width64(max));
	mem_free(wide);
	if (ok)
		store_le32(body->data + prefix_at,
			   (uint32_t)(body->length - prefix_at - 4));
	return ok;
}

static bool write_flat(const struct chunk_writer *writer, struct text *body)
{
	size_t prefix_at = body->length;

	if (writer->column->required)
		return true;
	text_add_le32(body, 0);
	if (writer->page_has_nulls)
		rle_write_bits(body, writer->validity, writer->page_rows);
	else
		rle_write_run(body, 1, writer->page_rows, 1);
	if (body->failed)
		return false;
	store_le32(body->data + prefix_at,
		   (uint32_t)(body->length - prefix_at - 4));
	return true;
}

bool chunk_write_levels(const struct chunk_writer *writer, struct text *body)
{
	const struct write_leaf *leaf = writer->leaf;

	if (!leaf->is_nested)
		return write_flat(writer, body);
	return write_nested(writer->rep, writer->level_count, leaf->max_rep,
			    body) &&
	       write_nested(writer->def, writer->level_count, leaf->max_def,
			    body);
}
