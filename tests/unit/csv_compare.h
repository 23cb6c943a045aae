#ifndef TESTS_UNIT_CSV_COMPARE_H
#define TESTS_UNIT_CSV_COMPARE_H
#include "unit/csv_model.h"
#include "unit/csv_sample.h"
#include "source/csv_scan.h"

/*
 * One input, read in many ways, must come out the same: by libcsv and by the
 * scanner at each level, in chunks of any size, by one to four threads; and,
 * where all columns are text, as the model has it.
 */
struct comparison {
	const void *data;
	size_t length;
	struct csv_options options;
	const struct type *types;	/* NULL = all VARCHAR, with model */
	size_t type_count;
	uint64_t units_seen;		/* sum over all ways */

	uint64_t seed;			/* picks the ways; for messages */
};

static inline void compare_errors(const struct readback *a,
				  const struct readback *b, uint64_t seed)
{
	/* the path of a memory file may differ, the rest may not */
	ck_assert_msg(a->rc == b->rc && a->err.line == b->err.line &&
		      strcmp(a->err.text, b->err.text) == 0 &&
		      strcmp(a->err.field, b->err.field) == 0,
		      "seed %" PRIu64 ": %s '%s' line %" PRIu64
		      " against %s '%s' line %" PRIu64, seed,
		      error_name(a->err.code), a->err.text, a->err.line,
		      error_name(b->err.code), b->err.text, b->err.line);
}

static inline void compare_with_model(const struct comparison *c,
				      const struct readback *read)
{
	struct model model;

	model_read(&model, c->data, c->length, &c->options);
	ck_assert_msg((int)model.code == read->rc,
		      "seed %" PRIu64 ": the model has %s line %" PRIu64
		      ", the reader %s '%s' line %" PRIu64, c->seed,
		      error_name(model.code), model.error_line,
		      error_name(read->err.code), read->err.text,
		      read->err.line);
	if (model.code)
		ck_assert_msg(model.error_line == read->err.line,
			      "seed %" PRIu64 ": the model has line %" PRIu64
			      ", the reader '%s' line %" PRIu64, c->seed,
			      model.error_line, read->err.text,
			      read->err.line);
	else
		readback_same(&read->rows, &model.rows, "model", c->seed);
	text_release(&model.rows);
}

static inline void compare_one_way(struct comparison *c,
				   const struct readback *expected,
				   enum csv_scan_level level,
				   size_t chunk_bytes, size_t thread_count)
{
	struct csv_options options = c->options;
	struct readback read = { .options = &options, .types = c->types,
				 .type_count = c->type_count,
				 .thread_count = thread_count };
	char what[80];

	if (!csv_scan_force(level))
		return;
	options.chunk_bytes = chunk_bytes;
	readback_bytes(&read, c->data, c->length);
	csv_scan_force(CSV_SCAN_BEST);
	snprintf(what, sizeof(what), "level %d, chunks of %zu, %zu threads",
		 (int)level, chunk_bytes, thread_count);
	c->units_seen += read.unit_count;
	compare_errors(expected, &read, c->seed);
	if (expected->rc == 0)
		readback_same(&read.rows, &expected->rows, what, c->seed);
	text_release(&read.rows);
}

static inline void compare_all_ways(struct comparison *c)
{
	static const size_t sizes[] = { 1, 2, 3, 5, 8, 13, 31, 64, 100, 333,
					1000, 4096 };
	struct csv_options options = c->options;
	struct readback expected = { .options = &options, .types = c->types,
				     .type_count = c->type_count,
				     .thread_count = 1 };
	size_t pick = (size_t)(c->seed % ARRAY_COUNT(sizes));

	options.force_reference = true;
	readback_bytes(&expected, c->data, c->length);
	if (!c->types)
		compare_with_model(c, &expected);
	compare_one_way(c, &expected, CSV_SCAN_PORTABLE, 0, 1);
	compare_one_way(c, &expected, CSV_SCAN_SSE2, 0, 1);
	compare_one_way(c, &expected, CSV_SCAN_AVX2, 0, 1);
	compare_one_way(c, &expected, CSV_SCAN_PORTABLE, sizes[pick], 1);
	compare_one_way(c, &expected, CSV_SCAN_SSE2, sizes[pick],
			2 + c->seed % 3);
	compare_one_way(c, &expected, CSV_SCAN_AVX2, sizes[pick],
			2 + c->seed % 3);
	options.chunk_bytes = sizes[(pick + 5) % ARRAY_COUNT(sizes)];
	compare_one_way(c, &expected, CSV_SCAN_BEST, options.chunk_bytes, 1);
	text_release(&expected.rows);
	/* libcsv in chunks */
	readback_bytes(&expected, c->data, c->length);
	compare_one_way(c, &expected, CSV_SCAN_BEST, 0, 1);
	text_release(&expected.rows);
}

/* The sample of a seed, in all ways; how many chunks that were. */
static inline uint64_t compare_sample(uint64_t seed)
{
	struct type types[SAMPLE_TYPES];
	struct sample sample;
	struct comparison c;

	sample_types(types);
	sample_make(&sample, seed);
	memset(&c, 0, sizeof(c));
	c.data = sample.bytes.data ? sample.bytes.data : "";
	c.length = sample.bytes.length;
	c.options = sample.options;
	c.seed = seed;
	if (sample.typed) {
		c.types = types;
		c.type_count = SAMPLE_TYPES;
	}
	compare_all_ways(&c);
	text_release(&sample.bytes);
	return c.units_seen;
}
#endif
