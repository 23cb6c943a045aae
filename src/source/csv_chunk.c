/*
 * csv_chunk.c - a run of whole records and where their fields are
 *
 * Why:    threads share an input chunk by chunk; a chunk owns its bytes, so
 *         that text columns can point into them without a copy.
 * How:    memory is kept from one use to the next (the source keeps a list of
 *         free chunks): fresh pages would cost as much as the reading.
 * Cost:   4 bytes per field besides the bytes; lines are counted only when a
 *         line break is inside quotes or a line is empty.
 */
#include "source/csv_chunk.h"
#include "source/csv_reader.h"
#include "source/csv_scan.h"

int csv_chunk_new(struct csv_chunk **out, struct error *err)
{
	*out = mem_zalloc(sizeof(**out));
	if (!*out)
		return error_set(err, ERROR_NO_MEMORY, "a chunk of records");
	return 0;
}

void csv_chunk_free(struct csv_chunk *chunk)
{
	if (!chunk)
		return;
	mem_free(chunk->bytes);
	if (chunk->separators)
		mem_free(chunk->separators - 1);
	mem_free(chunk->row_starts);
	mem_free(chunk->fields);
	text_release(&chunk->text);
	mem_free(chunk->bad);
	text_release(&chunk->bad_text);
	mem_free(chunk);
}

void csv_chunk_reset(struct csv_chunk *chunk)
{
	chunk->next = NULL;
	chunk->file = NULL;
	chunk->number = 0;
	chunk->first_line = 1;
	chunk->first_row = 0;
	chunk->references = 0;
	chunk->is_numbered = false;
	chunk->is_done = false;
	chunk->is_replayed = false;
	chunk->length = 0;
	chunk->row_count = 0;
	chunk->error.code = ERROR_NONE;
	chunk->plain = false;
	chunk->has_row_starts = false;
	chunk->field_count = 0;
	text_reset(&chunk->text);
	chunk->bad_count = 0;
	text_reset(&chunk->bad_text);
}

int csv_chunk_reserve(struct csv_chunk *chunk, size_t capacity,
		      struct error *err)
{
	uint8_t *bytes;

	if (chunk->bytes && capacity <= chunk->capacity)
		return 0;
	if (capacity > SIZE_MAX - CSV_PADDING_BYTES)
		bytes = NULL;
	else if (chunk->length == 0)
		bytes = mem_alloc(capacity + CSV_PADDING_BYTES);
	else
		bytes = mem_realloc_array(chunk->bytes,
					  capacity + CSV_PADDING_BYTES, 1);
	if (!bytes)
		return error_set(err, ERROR_NO_MEMORY,
				 "a chunk of %zu bytes", capacity);
	if (chunk->length == 0)
		mem_free(chunk->bytes);
	chunk->bytes = bytes;
	chunk->capacity = capacity;
	return 0;
}

int csv_chunk_reserve_separators(struct csv_chunk *chunk, size_t count,
				 struct error *err)
{
	uint32_t *old = chunk->separators ? chunk->separators - 1 : NULL;
	uint32_t *grown;

	if (count < chunk->separator_capacity)
		return 0;
	count += count / 2;
	grown = mem_realloc_array(old, count + 1, sizeof(*grown));
	if (!grown)
		return error_set(err, ERROR_NO_MEMORY,
				 "the places of %zu fields", count);
	chunk->separators = grown + 1;
	chunk->separators[-1] = UINT32_MAX;
	chunk->separator_capacity = count;
	return 0;
}

int csv_chunk_reserve_rows(struct csv_chunk *chunk, size_t count,
			   struct error *err)
{
	uint32_t *grown;

	if (count <= chunk->row_start_capacity)
		return 0;
	count += count / 2;
	grown = mem_realloc_array(chunk->row_starts, count, sizeof(*grown));
	if (!grown)
		return error_set(err, ERROR_NO_MEMORY,
				 "the places of %zu rows", count);
	chunk->row_starts = grown;
	chunk->row_start_capacity = count;
	return 0;
}

uint64_t csv_chunk_line(const struct csv_chunk *chunk, size_t offset)
{
	return chunk->first_line + csv_count_byte(chunk->bytes, offset, '\n');
}

uint64_t csv_chunk_row_line(const struct csv_chunk *chunk, size_t row)
{
	return csv_chunk_line(chunk, csv_chunk_row_start(chunk, row));
}

void csv_chunk_lines(const struct csv_chunk *chunk, size_t first_row,
		     size_t count, struct csv_place *place, uint64_t *lines)
{
	if (chunk->plain && chunk->has_line_per_row) {
		for (size_t i = 0; i < count; i++)
			lines[i] = chunk->first_line + first_row + i;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		size_t start = csv_chunk_row_start(chunk, first_row + i);
		const uint8_t *at = chunk->bytes + place->offset;
		const uint8_t *end = chunk->bytes + start;

		/* mostly one line end, right before the row */
		while (at < end) {
			at = memchr(at, '\n', (size_t)(end - at));
			if (!at)
				break;
			place->line++;
			at++;
		}
		place->offset = start;
		lines[i] = place->line;
	}
}

int csv_chunk_read(struct csv_chunk *chunk, const struct csv_options *options,
		   struct error *err)
{
	bool plain = false;
	int rc;

	if (!options->force_reference) {
		rc = csv_scan_chunk(chunk, options, &plain, err);
		if (rc)
			return rc;
	}
	if (plain)
		return 0;
	return csv_reader_read(chunk, chunk->file->field_count,
			       chunk->file->trailing_field, options, err);
}
