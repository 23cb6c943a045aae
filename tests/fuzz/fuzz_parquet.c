/*
 * fuzz_parquet.c - any bytes as a Parquet file must give values or an error
 *
 * How: open, then for each leaf of each row group: bounds, page index, Bloom
 *      filter, and the values, read through and picked here and there. Nested
 *      columns are read as a whole.
 */
#include "parquet/parquet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Rows that are read of one chunk; a forged file may claim any number. */
#define ROW_LIMIT 200000
#define STEP_ROWS 4096

static void read_values(struct chunk_reader *chunk, uint64_t rows,
			struct vector *out)
{
	static const uint32_t picks[] = { 0, 3, 64, 700, 5000, 70000 };
	size_t count = 0;

	for (uint64_t at = 0; at < rows && at < ROW_LIMIT; at += STEP_ROWS) {
		size_t n = rows - at < STEP_ROWS ? (size_t)(rows - at)
						 : STEP_ROWS;

		if (chunk_reader_read(chunk, at, n, out, NULL))
			break;
		for (size_t i = 0; type_is_bytes(&out->type) && i < n; i++)
			if (!vector_is_null(out, i))
				hash_fast(vector_bytes(out)[i].data,
					  vector_bytes(out)[i].length);
	}
	while (count < ARRAY_COUNT(picks) && picks[count] < rows)
		count++;
	chunk_reader_gather(chunk, 0, picks, count, out, NULL);
	if (rows > 100)
		chunk_reader_read(chunk, rows - 99, 77, out, NULL);
}

static void read_leaf(const struct parquet_reader *reader, size_t group,
		      size_t leaf)
{
	const struct type *type = &parquet_leaf(reader, leaf)->type;
	struct parquet_bloom_filter *bloom;
	struct parquet_page_index *index;
	struct parquet_bounds bounds;
	struct chunk_reader *chunk;
	struct arena arena = { 0 };
	struct vector vector;

	parquet_chunk_bounds(reader, group, leaf, type, &bounds);
	parquet_page_index(reader, group, leaf, type, &arena, &index, NULL);
	arena_release(&arena);
	if (!parquet_bloom_filter_load(reader, group, leaf, &bloom, NULL) &&
	    bloom && bounds.has_min)
		parquet_bloom_filter_may_contain(bloom, &bounds.min);
	parquet_bloom_filter_free(bloom);
	if (chunk_reader_open(&chunk, reader, group, leaf, type, NULL))
		return;
	vector_init(&vector, *type);
	read_values(chunk, parquet_row_group_rows(reader, group), &vector);
	vector_release(&vector);
	chunk_reader_free(chunk);
}

static void touch(const struct vector *vector)
{
	struct text text = TEXT_INIT;

	for (size_t i = 0; i < vector->count; i++)
		if (!vector_is_null(vector, i)) {
			text_reset(&text);
			nested_format_json(&vector->type,
					   vector_bytes(vector)[i], &text);
		}
	text_release(&text);
}

static void read_nested(const struct parquet_reader *reader, size_t group,
			const struct parquet_node *node)
{
	static const uint32_t picks[] = { 0, 3, 4, 64, 700, 5000 };
	uint64_t rows = parquet_row_group_rows(reader, group);
	struct nested_reader *nested = NULL;
	struct nested_source source;
	struct arena arena = { 0 };
	struct vector vector;
	size_t count = 0;

	vector_init(&vector, node->type);
	if (nested_source_of_node(&source, node, &arena, NULL) ||
	    nested_reader_open(&nested, reader, group, &source, NULL))
		goto done;
	for (uint64_t at = 0; at < rows && at < ROW_LIMIT; at += STEP_ROWS) {
		size_t n = rows - at < STEP_ROWS ? (size_t)(rows - at)
						 : STEP_ROWS;

		if (nested_reader_read(nested, at, n, &vector, NULL))
			break;
		touch(&vector);
	}
	while (count < ARRAY_COUNT(picks) && picks[count] < rows)
		count++;
	if (!nested_reader_gather(nested, 0, picks, count, &vector, NULL))
		touch(&vector);
	if (rows > 100 &&
	    !nested_reader_read(nested, rows - 99, 77, &vector, NULL))
		touch(&vector);
done:
	vector_release(&vector);
	nested_reader_free(nested);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct parquet_node *root;
	struct parquet_reader *reader;
	struct input_file *file;

	if (input_file_memory(&file, "fuzz", data, size, NULL))
		return 0;
	if (parquet_reader_open(&reader, file, NULL)) {
		input_file_close(file);
		return 0;
	}
	for (size_t g = 0; g < parquet_row_group_count(reader) && g < 8; g++)
		for (size_t i = 0; i < parquet_leaf_count(reader); i++)
			if (parquet_leaf(reader, i)->readable)
				read_leaf(reader, g, i);
	root = parquet_root(reader);
	for (size_t g = 0; g < parquet_row_group_count(reader) && g < 8; g++)
		for (size_t i = 0; i < root->child_count; i++)
			if (root->children[i].readable &&
			    type_is_nested(&root->children[i].type))
				read_nested(reader, g, &root->children[i]);
	parquet_reader_free(reader);
	return 0;
}
