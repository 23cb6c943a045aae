/*
 * schema_infer.c - the columns and types of a whole CSV input
 *
 * How:    all columns are read as text by several threads; what each saw is
 *         merged at the end.
 * Cost:   that of reading, and of looking at each value.
 */
#include "source/csv_source.h"
#include "source/json_infer.h"
#include "source/type_infer.h"

struct inference {
	struct batch_source *source;
	const struct csv_options *options;
	size_t column_count;
	struct text_types *types;	/* column_count per worker */
};

static void add_batch(const struct inference *run, struct text_types *types,
		      const struct batch *batch)
{
	for (size_t c = 0; c < run->column_count; c++) {
		const struct vector *column = &batch->columns[c];

		for (size_t i = 0; i < batch->row_count; i++)
			if (!vector_is_null(column, i))
				text_types_add(&types[c], run->options,
					       vector_bytes(column)[i]);
	}
}

static int infer_worker(void *context, size_t worker, struct error *err)
{
	struct inference *run = context;
	struct text_types *types = run->types + worker * run->column_count;
	struct batch_stream *stream;
	struct batch *batch;
	int rc = run->source->stream_new(run->source, &stream, err);

	if (rc)
		return rc;
	do {
		rc = batch_stream_next(stream, &batch, err);
		if (!rc && batch)
			add_batch(run, types, batch);
	} while (!rc && batch);
	batch_stream_free(stream);
	return rc;
}

static int infer_csv(struct inference *run, const struct schema *names,
		     size_t thread_count, struct schema *out,
		     struct error *err)
{
	int rc;

	run->types = mem_zalloc_array(thread_count * run->column_count + 1,
				      sizeof(*run->types));
	if (!run->types)
		return error_set(err, ERROR_NO_MEMORY, "infer types");
	rc = thread_run(thread_count, infer_worker, run, err);
	for (size_t c = 0; c < run->column_count && !rc; c++) {
		for (size_t w = 1; w < thread_count; w++)
			text_types_merge(&run->types[c],
					 &run->types[w * run->column_count +
						     c]);
		rc = schema_add_column(out, names->columns[c].name,
				       text_types_type(&run->types[c]), err);
	}
	mem_free(run->types);
	return rc;
}

int csv_input_infer(struct csv_input *input, size_t thread_count,
		    struct schema *out, struct error *err)
{
	size_t count = csv_input_column_count(input);
	struct inference run = { .column_count = count };
	struct csv_options options = input->options;
	struct type *types;
	int rc;

	if (input->options.is_jsonl) {
		rc = json_infer(input, out, err);
		csv_input_free(input);
		return rc;
	}
	types = mem_alloc_array(count + 1, sizeof(*types));
	if (!types) {
		csv_input_free(input);
		return error_set(err, ERROR_NO_MEMORY, "infer types");
	}
	for (size_t i = 0; i < count; i++)
		types[i] = type_of(TYPE_VARCHAR);
	rc = csv_source_new(&run.source, input, types, NULL, thread_count,
			    err);
	mem_free(types);
	if (rc) {
		csv_input_free(input);
		return rc;
	}
	/* its texts live with the input, in the source */
	run.options = &options;
	rc = infer_csv(&run, run.source->schema(run.source),
		       run.source->parallelism(run.source), out, err);
	run.source->free(run.source);
	return rc;
}
