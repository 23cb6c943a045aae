/*
 * chunk_writer.c - rows of one column into the page being filled
 *
 * Why:    rows come in batches, selected and with nulls; pages want dense
 *         values in their stored form.
 * How:    each batch is copied once, straight into that form: words, PLAIN
 *         bytes, or indexes into the dictionary while that pays. A page is
 *         finished (chunk_pages.c) when it is full, so that no more than one
 *         page a column waits in its raw form.
 * Cost:   1-3 ns a value for numbers, 5-10 ns for texts; then the encoding.
 * Limits: pages end at page_row_limit rows, or at a multiple of
 *         BATCH_ROW_COUNT rows once they have page_byte_limit bytes, or
 *         anywhere at PAGE_HARD_LIMITS times that.
 */
#include "parquet/chunk_writer.h"

#include "parquet/encode_plain.h"

#define PAGE_HARD_LIMITS 16
/* rows that are converted at once; a batch */
#define PIECE_ROWS BATCH_ROW_COUNT
#define VALUE_LIMIT_BYTES ((size_t)1 << 29)

void encoded_chunk_release(struct encoded_chunk *chunk)
{
	text_release(&chunk->dictionary_page);
	text_release(&chunk->pages);
	mem_free(chunk->written);
	mem_free(chunk->page_bytes);
	mem_free(chunk->bloom.words);
	arena_release(&chunk->arena);
	memset(chunk, 0, sizeof(*chunk));
}

static bool is_word(const struct chunk_writer *writer)
{
	return writer->storage.physical != PHYSICAL_BOOLEAN &&
	       writer->storage.physical != PHYSICAL_BYTE_ARRAY &&
	       writer->storage.physical != PHYSICAL_FIXED;
}

/* Begin a chunk: try a dictionary, unless one did not pay a moment ago. */
static int start_chunk(struct chunk_writer *writer, struct error *err)
{
	bool is_bytes = writer->storage.physical == PHYSICAL_BYTE_ARRAY;
	const bool *distinct = writer->options->distinct_columns;

	arena_init(&writer->out.arena, 0);
	writer->row_count = 0;
	writer->entry_count = writer->null_count = writer->nan_count = 0;
	writer->dictionary_pages = writer->page_first_new = 0;
	writer->hash_count = 0;
	writer->writer.is_decided = writer->writer.compresses = false;
	writer->writer.uncompressed_bytes = 0;
	writer->has_dictionary = (is_word(writer) || is_bytes) &&
				 writer->options->dictionary_byte_limit > 0 &&
				 !(distinct && distinct[writer->leaf->top]) &&
				 writer->dictionary_rest == 0;
	if (writer->dictionary_rest)
		writer->dictionary_rest--;
	if (!writer->has_dictionary)
		return 0;
	return dictionary_builder_init(&writer->dictionary,
				       writer->storage.width, err);
}

int chunk_writer_init(struct chunk_writer *writer,
		      const struct write_leaf *leaf, bool wants_bloom,
		      const struct parquet_options *options,
		      struct codec_context *context, struct error *err)
{
	const struct column_def *column = &leaf->column;
	size_t rows = options->page_row_limit;
	int rc;

	memset(writer, 0, sizeof(*writer));
	writer->leaf = leaf;
	writer->column = column;
	writer->options = options;
	rc = parquet_storage_of(&column->type, &writer->storage, err);
	if (rc) {
		error_field(err, column->name);
		return rc;
	}
	writer->order = value_order_of(&column->type);
	writer->wants_bloom = wants_bloom &&
			      writer->storage.physical != PHYSICAL_BOOLEAN;
	writer->uses_delta = !options->compatible_encoding &&
			     (writer->storage.physical == PHYSICAL_INT32 ||
			      writer->storage.physical == PHYSICAL_INT64);
	writer->writer.context = context;
	writer->writer.codec = options->codec;
	writer->writer.level = options->codec_level;
	writer->value_capacity = rows;
	writer->validity = mem_zalloc_array(BITMAP_WORDS(rows) + 1,
					    sizeof(uint64_t));
	writer->indexes = mem_alloc_array(rows, sizeof(uint32_t));
	if (is_word(writer))
		writer->words = mem_alloc_array(rows, writer->storage.width);
	if (!writer->validity || !writer->indexes ||
	    (is_word(writer) && !writer->words))
		return error_set(err, ERROR_NO_MEMORY, "column encoder");
	return start_chunk(writer, err);
}

void chunk_writer_release(struct chunk_writer *writer)
{
	mem_free(writer->validity);
	mem_free(writer->words);
	mem_free(writer->indexes);
	mem_free(writer->rep);
	mem_free(writer->def);
	mem_free(writer->hashes);
	text_release(&writer->plain);
	dictionary_builder_release(&writer->dictionary);
	page_writer_release(&writer->writer);
	encoded_chunk_release(&writer->out);
}

size_t chunk_writer_bytes(const struct chunk_writer *writer)
{
	return writer->out.pages.capacity + writer->plain.capacity +
	       writer->dictionary.plain_bytes +
	       writer->page_values * writer->storage.width +
	       2 * writer->level_count +
	       writer->hash_capacity * sizeof(uint64_t);
}

#define COPY_VALUES(in_type, out_type, expression) \
	do { \
		const in_type *src = piece->vector->data; \
		out_type *dst = out; \
		if (piece->row) { \
			for (size_t i = 0; i < piece->count; i++) { \
				in_type v = src[piece->row[i]]; \
				dst[i] = (expression); \
			} \
		} else { \
			src += piece->first; \
			for (size_t i = 0; i < piece->count; i++) { \
				in_type v = src[i]; \
				dst[i] = (expression); \
			} \
		} \
	} while (0)

/* Words in stored form. */
static void copy_words(const struct chunk_writer *writer,
		       const struct value_piece *piece, void *out)
{
	if (writer->storage.width == 4 &&
	    type_is_short_decimal(&piece->vector->type))
		COPY_VALUES(int64_t, int32_t, (int32_t)v);
	else if (writer->storage.width == 4)
		COPY_VALUES(uint32_t, uint32_t, v);
	else
		COPY_VALUES(uint64_t, uint64_t, v);
}

static int add_words(struct chunk_writer *writer, const struct value_piece *piece,
		     struct error *err)
{
	uint64_t words[PIECE_ROWS];

	if (!writer->has_dictionary) {
		copy_words(writer, piece,
			   (uint8_t *)writer->words +
				   writer->page_values * writer->storage.width);
		return 0;
	}
	copy_words(writer, piece, words);
	return dictionary_add_words(&writer->dictionary, words, piece->count,
				    writer->indexes + writer->page_values, err);
}

static int copy_texts(struct text *plain, const struct byte_view *texts,
		      size_t count, struct error *err)
{
	size_t bytes = 8;	/* what value_bounds_bytes() may look at */
	uint8_t *to;

	for (size_t i = 0; i < count; i++) {
		if (texts[i].length > VALUE_LIMIT_BYTES)
			return error_set(err, ERROR_UNSUPPORTED,
					 "a value of %zu bytes is too large "
					 "for Parquet", texts[i].length);
		bytes += texts[i].length + 4;
	}
	if (!text_reserve(plain, bytes))
		return error_set(err, ERROR_NO_MEMORY, "column encoder");
	to = (uint8_t *)plain->data + plain->length;
	for (size_t i = 0; i < count; i++) {
		store_le32(to, (uint32_t)texts[i].length);
		if (texts[i].length)
			memcpy(to + 4, texts[i].data, texts[i].length);
		to += 4 + texts[i].length;
	}
	plain->length = (size_t)(to - (uint8_t *)plain->data);
	return 0;
}

static int add_texts(struct chunk_writer *writer, const struct value_piece *piece,
		     struct error *err)
{
	struct byte_view gathered[PIECE_ROWS];
	const struct byte_view *texts = gathered;
	struct byte_view *out = gathered;

	if (piece->row)
		COPY_VALUES(struct byte_view, struct byte_view, v);
	else
		texts = vector_bytes(piece->vector) + piece->first;
	if (writer->has_dictionary)
		return dictionary_add_texts(&writer->dictionary, texts,
					    piece->count,
					    writer->indexes +
						    writer->page_values, err);
	return copy_texts(&writer->plain, texts, piece->count, err);
}

/* UUID, FIXED and decimals of more than 18 digits. */
static int add_fixed(struct chunk_writer *writer, const struct value_piece *piece,
		     struct error *err)
{
	size_t width = writer->storage.width;
	const struct vector *vector = piece->vector;
	uint8_t *to;

	if (!text_reserve(&writer->plain, piece->count * width))
		return error_set(err, ERROR_NO_MEMORY, "column encoder");
	to = (uint8_t *)writer->plain.data + writer->plain.length;
	for (size_t i = 0; i < piece->count; i++, to += width) {
		size_t row = piece->row ? piece->row[i] : piece->first + i;

		if (vector->type.id == TYPE_UUID) {
			memcpy(to, vector_uuid(vector)[row].bytes, 16);
		} else if (vector->type.id == TYPE_DECIMAL) {
			int128_t value = vector_i128(vector)[row];

			for (size_t k = 0; k < width; k++)
				to[width - 1 - k] = (uint8_t)(value >> 8 * k);
		} else {
			struct byte_view view = vector_bytes(vector)[row];

			if (view.length != width)
				return error_set(err, ERROR_INTERNAL,
						 "a FIXED value of %zu bytes",
						 view.length);
			if (width)
				memcpy(to, view.data, width);
		}
	}
	writer->plain.length += piece->count * width;
	return 0;
}

static int add_booleans(struct chunk_writer *writer,
			const struct value_piece *piece, struct error *err)
{
	uint8_t *out;

	if (!text_reserve(&writer->plain, piece->count))
		return error_set(err, ERROR_NO_MEMORY, "column encoder");
	out = (uint8_t *)writer->plain.data + writer->plain.length;
	COPY_VALUES(uint8_t, uint8_t, v != 0);
	writer->plain.length += piece->count;
	return 0;
}

int chunk_add_piece(struct chunk_writer *writer,
		    const struct value_piece *piece, struct error *err)
{
	int rc;

	if (writer->storage.physical == PHYSICAL_BOOLEAN)
		rc = add_booleans(writer, piece, err);
	else if (writer->storage.physical == PHYSICAL_FIXED)
		rc = add_fixed(writer, piece, err);
	else if (writer->storage.physical == PHYSICAL_BYTE_ARRAY)
		rc = add_texts(writer, piece, err);
	else
		rc = add_words(writer, piece, err);
	if (!rc)
		writer->page_values += piece->count;
	return rc;
}

/* Rows from .. from + count - 1 of the selection fit the page. */
static int add_rows(struct chunk_writer *writer, const struct vector *vector,
		    const struct selection *rows, size_t from, size_t count,
		    struct error *err)
{
	struct value_piece piece = { vector, NULL, from, count };
	uint32_t present[PIECE_ROWS];
	size_t n = 0, at = writer->page_rows;

	if (rows->rows)
		piece.row = rows->rows + from;
	if (vector->validity) {
		for (size_t i = 0; i < count; i++) {
			uint32_t row = (uint32_t)selection_row(rows, from + i);
			bool valid = bits_get(vector->validity, row);

			present[n] = row;
			n += valid;
			bits_put(writer->validity, at + i, valid);
		}
		if (n < count) {
			piece.row = present;
			piece.count = n;
			writer->page_has_nulls = true;
		}
		if (n < count && writer->column->required) {
			error_set(err, ERROR_NOT_NULL,
				  "column %s is NOT NULL and got a NULL",
				  writer->column->name);
			error_field(err, writer->column->name);
			return ERROR_NOT_NULL;
		}
	} else if (!writer->column->required) {
		bits_set_range(writer->validity, at, count);
	}
	writer->page_rows += count;
	return piece.count ? chunk_add_piece(writer, &piece, err) : 0;
}

static bool page_is_full(const struct chunk_writer *writer)
{
	const struct parquet_options *options = writer->options;

	if (writer->page_rows == options->page_row_limit)
		return true;
	return writer->plain.length >= options->page_byte_limit &&
	       (writer->page_rows % BATCH_ROW_COUNT == 0 ||
		writer->plain.length / PAGE_HARD_LIMITS >=
			options->page_byte_limit);
}

/* How many rows may be added before page_is_full() must be asked. */
static size_t rows_until_check(const struct chunk_writer *writer,
			       const struct vector *vector)
{
	size_t step = PIECE_ROWS - writer->page_rows % PIECE_ROWS;
	size_t left = writer->options->page_row_limit - writer->page_rows;

	/* large texts: look more often */
	if (vector->type.id == TYPE_VARCHAR ||
	    vector->type.id == TYPE_VARBINARY)
		step = step < 256 ? step : 256;
	return step < left ? step : left;
}

int chunk_writer_add(struct chunk_writer *writer, const struct vector *vector,
		     const struct selection *rows, struct error *err)
{
	size_t done = 0;
	int rc;

	while (done < rows->count) {
		size_t step = rows_until_check(writer, vector);

		if (step > rows->count - done)
			step = rows->count - done;
		rc = add_rows(writer, vector, rows, done, step, err);
		if (rc)
			return rc;
		done += step;
		if (page_is_full(writer))
			rc = chunk_page_finish(writer, err);
		else
			rc = chunk_judge_dictionary(writer, false, err);
		if (rc)
			return rc;
	}
	return 0;
}

static int write_dictionary(struct chunk_writer *writer, struct error *err)
{
	struct page_header header;
	int rc;

	if (!writer->dictionary_pages)
		return 0;
	memset(&header, 0, sizeof(header));
	header.type = PAGE_DICTIONARY;
	header.value_count = (int32_t)writer->dictionary.count;
	header.encoding = ENCODING_PLAIN;
	page_writer_begin(&writer->writer);
	if (!dictionary_write(&writer->dictionary, &writer->writer.body))
		return error_set(err, ERROR_NO_MEMORY, "a dictionary");
	rc = page_writer_finish(&writer->writer, &header,
				&writer->out.dictionary_page, err);
	return rc;
}

#define COMPRESS_FROM_BYTES 1024

/* No page was large enough to tell whether compression pays. */
static int decide_late(struct chunk_writer *writer, struct error *err)
{
	struct encoded_chunk *out = &writer->out;
	size_t bytes = out->pages.length;

	if (writer->writer.is_decided)
		return 0;
	if (writer->dictionary_pages)
		bytes += writer->dictionary.plain_bytes;
	writer->writer.is_decided = true;
	if (writer->writer.codec == CODEC_NONE || bytes < COMPRESS_FROM_BYTES)
		return 0;
	return page_writer_recompress(&writer->writer, &out->pages,
				      out->page_bytes, out->page_count, err);
}

static int build_bloom(struct chunk_writer *writer, struct error *err)
{
	const struct parquet_options *options = writer->options;
	struct bloom_bits *bloom = &writer->out.bloom;
	size_t bytes;
	int rc;

	/* a dictionary alone serves as well; nulls alone need nothing */
	if (!writer->wants_bloom || writer->hash_count == 0)
		return 0;
	if (writer->dictionary_pages) {
		rc = chunk_take_hashes(writer, err);
		if (rc)
			return rc;
	}
	bytes = bloom_size(writer->hash_count, options->bloom_fpp,
			   options->bloom_byte_limit);
	bloom->words = mem_zalloc(bytes);
	if (!bloom->words)
		return error_set(err, ERROR_NO_MEMORY, "Bloom filter");
	bloom->block_count = bytes / 32;
	for (size_t i = 0; i < writer->hash_count; i++)
		bloom_insert(bloom, writer->hashes[i]);
	return 0;
}

static void count_encoding(struct column_chunk *metadata, int32_t page_type,
			   int32_t encoding, size_t count)
{
	struct encoding_count *stat =
		&metadata->encoding_stats[metadata->encoding_stats_count];

	if (count == 0)
		return;
	metadata->encodings |= 1u << encoding;
	*stat = (struct encoding_count){ page_type, encoding, (int32_t)count };
	metadata->encoding_stats_count++;
}

#define STATISTICS_LIMIT_BYTES 256

static int fill_statistics(struct chunk_writer *writer, struct error *err)
{
	struct encoded_chunk *out = &writer->out;
	struct chunk_statistics *stats = &out->metadata.statistics;
	bool is_text = writer->column->type.id == TYPE_VARCHAR;
	size_t limit = writer->storage.physical == PHYSICAL_BYTE_ARRAY
			       ? STATISTICS_LIMIT_BYTES
			       : SIZE_MAX;

	stats->null_count = writer->null_count;
	stats->nan_count = -1;
	if (writer->order == VALUE_ORDER_F32 ||
	    writer->order == VALUE_ORDER_F64)
		stats->nan_count = writer->nan_count;
	if (!out->has_bounds)
		return 0;
	stats->min_value = value_bound_cut(out->min, false, is_text, limit,
					   &stats->min_is_inexact,
					   &out->arena);
	stats->max_value = value_bound_cut(out->max, true, is_text, limit,
					   &stats->max_is_inexact,
					   &out->arena);
	if (!stats->min_value.data || !stats->max_value.data)
		return error_set(err, ERROR_NO_MEMORY, "statistics");
	return 0;
}

static int fill_metadata(struct chunk_writer *writer, struct error *err)
{
	struct encoded_chunk *out = &writer->out;
	struct column_chunk *metadata = &out->metadata;
	size_t direct = out->page_count - writer->dictionary_pages;
	int32_t encoding = writer->uses_delta ? ENCODING_DELTA_BINARY_PACKED
					      : ENCODING_PLAIN;

	memset(metadata, 0, sizeof(*metadata));
	metadata->type = writer->storage.physical;
	metadata->codec = page_codec_number(writer->writer.compresses
						    ? writer->writer.codec
						    : CODEC_NONE);
	metadata->encodings = 1u << ENCODING_RLE;	/* levels */
	count_encoding(metadata, PAGE_DICTIONARY, ENCODING_PLAIN,
		       writer->dictionary_pages > 0);
	count_encoding(metadata, PAGE_DATA, ENCODING_RLE_DICTIONARY,
		       writer->dictionary_pages);
	count_encoding(metadata, PAGE_DATA, encoding, direct);
	metadata->path = byte_view(writer->column->name,
				   strlen(writer->column->name));
	metadata->value_count = writer->entry_count;
	metadata->uncompressed_bytes = writer->writer.uncompressed_bytes;
	metadata->compressed_bytes = (int64_t)(out->dictionary_page.length +
					       out->pages.length);
	metadata->bloom_filter_length = -1;
	return fill_statistics(writer, err);
}

int chunk_writer_finish(struct chunk_writer *writer,
			struct encoded_chunk *out, struct error *err)
{
	int rc = 0;

	memset(out, 0, sizeof(*out));
	if (chunk_page_entries(writer))
		rc = chunk_page_finish(writer, err);
	if (!rc)
		rc = decide_late(writer, err);
	if (!rc)
		rc = write_dictionary(writer, err);
	if (!rc)
		rc = build_bloom(writer, err);
	if (!rc)
		rc = fill_metadata(writer, err);
	if (rc)
		return rc;
	*out = writer->out;
	memset(&writer->out, 0, sizeof(writer->out));
	writer->written_capacity = writer->sizes_capacity = 0;
	dictionary_builder_release(&writer->dictionary);
	return start_chunk(writer, err);
}
