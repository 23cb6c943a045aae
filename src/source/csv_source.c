/*
 * csv_source.c - chunks shared out to streams
 *
 * Why:    several threads convert one input; rows, lines and errors must be
 *         those of a single reader.
 * How:    under a lock a stream takes the next chunk, which is read and cut
 *         there; finding its rows and converting them goes on outside. A row
 *         gets its number when the chunks before have counted their rows:
 *         they are counted in the call that takes them, so that the wait is
 *         short and never for a consumer. A stream that meets an error looks
 *         itself through the earlier chunks that others have not finished:
 *         the first wrong row of the input is reported, whoever meets it.
 *         With rejects the rows that are wrong go to the log when a stream
 *         gets past them, and the chunks' in the order of the chunks: what is
 *         set aside is what a single reader would have.
 * Cost:   the lock is held for 0.25 ns per byte.
 */
#include "source/csv_source.h"
#include "source/csv_convert.h"
#include "source/json_rows.h"
#include "source/text_encoding.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct csv_source {
	struct batch_source base;
	struct csv_input *input;
	struct schema schema;
	bool *wanted;
	struct csv_conversion conversion;
	size_t parallelism;
	atomic_uint_fast64_t bytes_taken;
	atomic_bool failed;

	pthread_mutex_t lock;		/* of all below and the splitter */
	pthread_cond_t numbered;
	struct csv_chunk *unfinished;	/* taken, ascending by number */
	struct csv_chunk *spare;
	struct csv_chunk *first;	/* read when the source was made */
	uint64_t next_number;
	uint64_t numbered_count;	/* chunks whose first_row is known */
	uint64_t numbered_rows;
	uint64_t failed_chunk;
	struct error error;

	struct reject_input *rejects;	/* NULL = not kept by this source */
	const struct csv_file *reject_file;	/* the last the log knows */
	struct reject_run *runs;	/* ascending, chunks before are not
					 * done */
	uint64_t next_run;		/* chunk whose rejects are next */
};

/* The rejects of a chunk that all streams are done with. */
struct reject_run {
	struct reject_run *next;
	uint64_t number;
	const struct csv_file *file;
	struct text entries;
};

struct csv_stream {
	struct batch_stream base;
	struct csv_source *source;
	struct csv_converter *converter;	/* one of the two */
	struct json_converter *json;
	struct csv_chunk *chunk;	/* NULL = take the next */
	size_t next_row;
	struct csv_place place;		/* of the last row given out */
	struct csv_refusal refusal;	/* of next_row */
	size_t bad_passed;		/* so many of chunk->bad are in passed */
	struct text passed;		/* what was set aside up to here */
	size_t attempt;			/* rows to convert at once */
	uint64_t *lines;		/* BATCH_ROW_COUNT */
	struct batch batch;
};

static void lock_source(struct csv_source *source)
{
	pthread_mutex_lock(&source->lock);
}

static void unlock_source(struct csv_source *source)
{
	pthread_mutex_unlock(&source->lock);
}

/* Locked. A spare chunk or a new one. */
static int spare_chunk(struct csv_source *source, struct csv_chunk **out,
		       struct error *err)
{
	*out = source->spare;
	if (*out)
		source->spare = (*out)->next;
	else if (csv_chunk_new(out, err))
		return ERROR_NO_MEMORY;
	csv_chunk_reset(*out);
	return 0;
}

/* Locked. */
static void drop_reference(struct csv_source *source, struct csv_chunk *chunk)
{
	assert(chunk->references > 0);
	if (--chunk->references > 0)
		return;
	chunk->next = source->spare;
	source->spare = chunk;
}

/* Locked. Nobody needs to look at the chunk any more. */
static void finish_chunk(struct csv_source *source, struct csv_chunk *chunk)
{
	struct csv_chunk **at = &source->unfinished;

	while (*at != chunk)
		at = &(*at)->next;
	*at = chunk->next;
	chunk->is_done = true;
	drop_reference(source, chunk);
}

/*
 * Locked. Read the next chunk; *out NULL at the end. What goes wrong becomes
 * the error of a chunk without rows: the chunks before it come first.
 */
static int read_chunk(struct csv_source *source, struct csv_chunk **out,
		      struct error *err)
{
	struct csv_chunk *chunk;
	bool more;
	int rc = spare_chunk(source, &chunk, err);

	*out = NULL;
	if (rc)
		return rc;
	rc = csv_splitter_next(source->input->splitter, chunk, &more,
			       &chunk->error);
	atomic_store(&source->bytes_taken,
		     csv_splitter_taken(source->input->splitter));
	if (!rc && !more) {
		chunk->next = source->spare;
		source->spare = chunk;
		return 0;
	}
	assert(!rc || chunk->error.code);
	*out = chunk;
	return 0;
}

/* Locked. Take the next chunk for a stream; *out NULL at the end. */
static int take_chunk(struct csv_source *source, struct csv_chunk **out,
		      struct error *err)
{
	struct csv_chunk **end = &source->unfinished;
	struct csv_chunk *chunk = source->first;
	int rc = 0;

	*out = NULL;
	source->first = NULL;
	if (!chunk)
		rc = read_chunk(source, &chunk, err);
	if (rc || !chunk)
		return rc;
	chunk->number = source->next_number++;
	chunk->references = 1;
	chunk->next = NULL;
	while (*end)
		end = &(*end)->next;
	*end = chunk;
	*out = chunk;
	return 0;
}

/* Wait until the rows of all chunks before are counted. */
static void number_rows(struct csv_source *source, struct csv_chunk *chunk)
{
	lock_source(source);
	while (source->numbered_count != chunk->number)
		pthread_cond_wait(&source->numbered, &source->lock);
	chunk->first_row = source->numbered_rows;
	chunk->is_numbered = true;
	source->numbered_rows += chunk->row_count;
	source->numbered_count++;
	pthread_cond_broadcast(&source->numbered);
	unlock_source(source);
}

/* Find the rows of a chunk. */
static int find_rows(const struct csv_source *source, struct csv_chunk *chunk)
{
	if (source->input->options.is_jsonl)
		return json_chunk_read(chunk,
				source->input->options.is_debezium,
				&chunk->error);
	return csv_chunk_read(chunk, &source->input->options, &chunk->error);
}

/* The stream is before the first row of a chunk. */
static void begin_chunk(struct csv_stream *stream, struct csv_chunk *chunk)
{
	stream->chunk = chunk;
	stream->next_row = 0;
	stream->refusal.is_set = false;
	stream->bad_passed = 0;
	text_reset(&stream->passed);
	stream->attempt = BATCH_ROW_COUNT;
	stream->place.offset = 0;
	stream->place.line = chunk->first_line;
}

static int next_chunk(struct csv_stream *stream, struct error *err)
{
	struct csv_source *source = stream->source;
	struct csv_chunk *chunk;
	int rc;

	lock_source(source);
	rc = take_chunk(source, &chunk, err);
	unlock_source(source);
	if (rc || !chunk)
		return rc;
	if (!chunk->error.code && find_rows(source, chunk))
		chunk->row_count = 0;
	number_rows(source, chunk);
	begin_chunk(stream, chunk);
	return 0;
}

/* Rows before the next record that is set aside for its structure. */
static size_t rows_in_sequence(const struct csv_stream *stream)
{
	const struct csv_chunk *chunk = stream->chunk;
	size_t end = chunk->row_count;

	if (stream->bad_passed < chunk->bad_count)
		end = chunk->bad[stream->bad_passed].row;
	return end - stream->next_row;
}

static int convert_rows(struct csv_stream *stream, struct batch *batch,
			const struct csv_rows *rows,
			struct csv_refusal *refusal, struct error *err)
{
	batch_reset(batch);
	if (!stream->source->input->options.rejects)
		refusal = NULL;
	if (stream->json)
		return json_convert(stream->json, rows, batch, refusal, err);
	return csv_convert(stream->converter, rows, batch, refusal, err);
}

/* Another stream met an error: it is everybody's. */
static int failed_before(struct csv_source *source, struct error *err)
{
	lock_source(source);
	*err = source->error;
	unlock_source(source);
	return err->code;
}

static int fill_batch(struct csv_stream *stream, struct error *err)
{
	struct csv_chunk *chunk = stream->chunk;
	struct batch *batch = &stream->batch;
	struct csv_rows rows = { chunk, stream->next_row,
				 rows_in_sequence(stream) };
	int rc;

	if (rows.count > stream->attempt)
		rows.count = stream->attempt;
	rc = convert_rows(stream, batch, &rows, &stream->refusal, err);
	if (rc)
		return rc;
	/* rows behind a wrong one are converted again: not all too many */
	stream->attempt = 2 * batch->row_count + 64;
	if (!stream->refusal.is_set || stream->attempt > BATCH_ROW_COUNT)
		stream->attempt = BATCH_ROW_COUNT;
	csv_chunk_lines(chunk, stream->next_row, batch->row_count,
			&stream->place, stream->lines);
	batch->lines = stream->lines;
	batch->origin = chunk->file->name;
	batch->first_row = chunk->first_row + stream->next_row;
	batch->unit = chunk->number;
	stream->next_row += batch->row_count;
	return 0;
}

/*
 * Get past what is set aside at the stream's place: only when rows behind it
 * are asked for, so that it does not depend on how many are read at once.
 */
static int pass_rejects(struct csv_stream *stream, struct error *err)
{
	struct csv_chunk *chunk = stream->chunk;
	bool added = true;
	int rc = 0;

	if (stream->refusal.is_set) {
		rc = csv_chunk_pack_reject(chunk,
				csv_chunk_row_start(chunk, stream->next_row),
				&stream->source->input->options,
				&stream->refusal.reason, &stream->passed, err);
		stream->refusal.is_set = false;
		stream->next_row++;
	}
	while (!rc && added && stream->bad_passed < chunk->bad_count &&
	       chunk->bad[stream->bad_passed].row == stream->next_row) {
		size_t i = stream->bad_passed++;
		size_t start = i ? chunk->bad[i - 1].end : 0;

		added = text_add(&stream->passed, chunk->bad_text.data + start,
				 chunk->bad[i].end - start);
	}
	return added ? rc : error_set(err, ERROR_NO_MEMORY, "rejects");
}

/* What is before the records of a file, as it is there. */
static int log_head(struct reject_input *rejects, const struct csv_file *file,
		    struct error *err)
{
	struct byte_view head = file->head;
	/* a mark alone is no line */
	bool is_open = head.length > 3 && head.data[head.length - 1] != '\n';
	struct text bytes = TEXT_INIT;
	int rc = 0;

	if (file->encoding) {
		rc = text_encode(file->encoding, head, &bytes, err);
		head = byte_view(bytes.data, bytes.length);
	}
	if (!rc)
		rc = reject_input_file(rejects, file->name, head, is_open,
				       err);
	text_release(&bytes);
	return rc;
}

/* Locked. To the log; the file that they are of goes before them. */
static int log_run(struct csv_source *source, const struct reject_run *run,
		   struct error *err)
{
	int rc = 0;

	if (run->entries.length == 0)
		return 0;
	if (run->file != source->reject_file)
		rc = log_head(source->rejects, run->file, err);
	source->reject_file = run->file;
	if (!rc)
		rc = reject_input_add(source->rejects,
				      byte_view(run->entries.data,
						run->entries.length), err);
	return rc ? error_at(err, run->file->name, err->line, 0) : 0;
}

/* Locked. What is next in the order of chunks. */
static int log_runs(struct csv_source *source, struct error *err)
{
	int rc = 0;

	while (!rc && !source->failed && source->runs &&
	       source->runs->number == source->next_run) {
		struct reject_run *run = source->runs;
		struct error own;

		source->runs = run->next;
		source->next_run++;
		error_init(&own);
		rc = log_run(source, run, &own);
		if (rc) {
			source->error = own;
			source->failed_chunk = run->number;
			atomic_store(&source->failed, true);
			if (err)
				*err = own;
		}
		text_release(&run->entries);
		mem_free(run);
	}
	return rc;
}

/* Locked. Give the rejects of a chunk that was read their place. */
static int queue_rejects(struct csv_source *source, struct csv_stream *stream,
			 struct error *err)
{
	const struct csv_chunk *chunk = stream->chunk;
	struct reject_run **at = &source->runs;
	struct reject_run *run = mem_zalloc(sizeof(*run));

	if (!run)
		return error_set(err, ERROR_NO_MEMORY, "rejects");
	run->number = chunk->number;
	run->file = chunk->file;
	run->entries = stream->passed;
	text_init(&stream->passed);
	while (*at && (*at)->number < run->number)
		at = &(*at)->next;
	run->next = *at;
	*at = run;
	return log_runs(source, err);
}

static int leave_chunk(struct csv_stream *stream, struct error *err)
{
	struct csv_source *source = stream->source;
	int rc = 0;

	if (!stream->chunk)
		return 0;
	lock_source(source);
	if (source->rejects && !stream->chunk->is_replayed)
		rc = queue_rejects(source, stream, err);
	finish_chunk(source, stream->chunk);
	unlock_source(source);
	stream->chunk = NULL;
	return rc;
}

/* From the stream's chunk; *out NULL: it has no more. */
static int next_batch(struct csv_stream *stream, struct batch **out,
		      struct error *err)
{
	struct csv_chunk *chunk = stream->chunk;

	*out = NULL;
	while (!*out) {
		int rc = pass_rejects(stream, err);

		if (rc)
			return rc;
		if (stream->next_row == chunk->row_count)
			break;
		rc = fill_batch(stream, err);
		if (rc)
			return rc;
		if (stream->batch.row_count)
			*out = &stream->batch;
	}
	if (*out || !chunk->error.code)
		return 0;
	*err = chunk->error;
	return err->code;
}

/* Locked. The unfinished chunk with the smallest number >= number. */
static struct csv_chunk *unfinished_from(struct csv_source *source,
					 uint64_t number)
{
	struct csv_chunk *chunk = source->unfinished;

	while (chunk && chunk->number < number)
		chunk = chunk->next;
	return chunk;
}

/*
 * Locked, with a reference. Read a chunk that another stream has, up to its
 * first error: 0 = none, then what is set aside in it has its place.
 */
static int replay_chunk(struct csv_stream *stream, struct csv_chunk *chunk,
			struct error *err)
{
	struct csv_source *source = stream->source;
	struct batch *batch;
	int rc;

	while (!chunk->is_numbered)
		pthread_cond_wait(&source->numbered, &source->lock);
	if (chunk->is_done)
		return 0;
	unlock_source(source);
	begin_chunk(stream, chunk);
	do
		rc = next_batch(stream, &batch, err);
	while (!rc && batch);
	lock_source(source);
	if (rc || chunk->is_done || !source->rejects)
		return rc;
	chunk->is_replayed = true;
	return queue_rejects(source, stream, err);
}

/*
 * The stream met an error in its chunk: return it, or one that is earlier in
 * the input, be it that too much was set aside. The source is failed from
 * then on, the stream has nothing more to give.
 */
static int fail(struct csv_stream *stream, struct error *err)
{
	struct csv_source *source = stream->source;
	struct csv_chunk *own = stream->chunk;
	uint64_t failed = own->number;
	struct csv_chunk *chunk;
	uint64_t from = 0;

	lock_source(source);
	while ((chunk = unfinished_from(source, from)) != NULL &&
	       chunk->number < failed) {
		struct error earlier;

		from = chunk->number + 1;
		chunk->references++;
		if (replay_chunk(stream, chunk, &earlier)) {
			*err = earlier;
			failed = chunk->number;
		}
		drop_reference(source, chunk);
	}
	begin_chunk(stream, own);
	csv_hint_rejects(&source->input->options, err);
	if (!source->failed || failed < source->failed_chunk) {
		source->error = *err;
		source->failed_chunk = failed;
	}
	*err = source->error;
	atomic_store(&source->failed, true);
	unlock_source(source);
	return err->code;
}

static int stream_next(struct batch_stream *base, struct batch **out,
		       struct error *err)
{
	struct csv_stream *stream = (struct csv_stream *)base;
	struct csv_source *source = stream->source;
	struct error own;
	int rc;

	*out = NULL;
	if (!err)
		err = &own;
	for (;;) {
		if (atomic_load(&source->failed))
			return failed_before(source, err);
		if (!stream->chunk) {
			rc = interrupt_check(err);
			if (!rc)
				rc = next_chunk(stream, err);
			if (rc || !stream->chunk)
				return rc;
		}
		if (next_batch(stream, out, err))
			return fail(stream, err);
		if (*out)
			return 0;
		rc = leave_chunk(stream, err);
		if (rc)
			return rc;
	}
}

static void stream_free(struct batch_stream *base)
{
	struct csv_stream *stream = (struct csv_stream *)base;

	leave_chunk(stream, NULL);
	csv_converter_free(stream->converter);
	json_converter_free(stream->json);
	mem_free(stream->lines);
	text_release(&stream->passed);
	batch_release(&stream->batch);
	mem_free(stream);
}

static int source_stream_new(struct batch_source *base,
			     struct batch_stream **out, struct error *err)
{
	struct csv_source *source = (struct csv_source *)base;
	struct csv_stream *stream = mem_zalloc(sizeof(*stream));
	int rc;

	*out = NULL;
	if (!stream)
		return error_set(err, ERROR_NO_MEMORY, "read an input");
	stream->base.next = stream_next;
	stream->base.free = stream_free;
	stream->source = source;
	text_init(&stream->passed);
	stream->lines = mem_alloc_array(BATCH_ROW_COUNT,
					sizeof(*stream->lines));
	if (!stream->lines)
		rc = error_set(err, ERROR_NO_MEMORY, "read an input");
	else if (source->input->options.is_jsonl)
		rc = json_converter_new(&stream->json, &source->conversion,
					err);
	else
		rc = csv_converter_new(&stream->converter,
				       &source->conversion, err);
	if (!rc)
		rc = batch_init(&stream->batch, &source->schema, err);
	if (rc) {
		stream_free(&stream->base);
		return rc;
	}
	*out = &stream->base;
	return 0;
}

static const struct schema *source_schema(const struct batch_source *base)
{
	return &((const struct csv_source *)base)->schema;
}

static size_t source_parallelism(const struct batch_source *base)
{
	return ((const struct csv_source *)base)->parallelism;
}

static void free_chunks(struct csv_chunk *chunk)
{
	while (chunk) {
		struct csv_chunk *next = chunk->next;

		csv_chunk_free(chunk);
		chunk = next;
	}
}

static void free_runs(struct reject_run *run)
{
	while (run) {
		struct reject_run *next = run->next;

		text_release(&run->entries);
		mem_free(run);
		run = next;
	}
}

static void source_free(struct batch_source *base)
{
	struct csv_source *source = (struct csv_source *)base;

	assert(!source->unfinished);
	free_chunks(source->spare);
	csv_chunk_free(source->first);
	free_runs(source->runs);
	csv_input_free(source->input);
	schema_release(&source->schema);
	mem_free(source->wanted);
	pthread_cond_destroy(&source->numbered);
	pthread_mutex_destroy(&source->lock);
	mem_free(source);
}

/* Threads that find work; the first chunk is read if the size is unknown. */
static int plan_parallelism(struct csv_source *source, size_t thread_count,
			    struct error *err)
{
	uint64_t bytes = source->input->byte_count;
	uint64_t chunks = bytes / source->input->options.chunk_bytes + 1;
	int rc;

	source->parallelism = thread_count ? thread_count : 1;
	if (bytes == 0) {
		rc = read_chunk(source, &source->first, err);
		if (rc)
			return rc;
		chunks = csv_splitter_at_end(source->input->splitter) ? 1 :
			 source->parallelism;
	}
	if (source->parallelism > chunks)
		source->parallelism = (size_t)chunks;
	return 0;
}

static int set_columns(struct csv_source *source, const struct type *types,
		       const bool *wanted, struct error *err)
{
	struct csv_input *input = source->input;
	size_t count = csv_input_column_count(input);

	source->wanted = mem_alloc_array(count, sizeof(*wanted));
	if (!source->wanted)
		return error_set(err, ERROR_NO_MEMORY, "read an input");
	for (size_t i = 0; i < count; i++) {
		const char *name = csv_input_column_name(input, i);
		int rc;

		source->wanted[i] = !wanted || wanted[i];
		rc = schema_add_column(&source->schema, name, types[i], err);
		if (rc)
			return rc;
	}
	csv_splitter_want(input->splitter, source->wanted);
	source->conversion.schema = &source->schema;
	source->conversion.wanted = source->wanted;
	source->conversion.options = &input->options;
	return 0;
}

static int begin_rejects(struct csv_source *source, struct error *err)
{
	struct reject_input *rejects = source->input->options.rejects;

	if (!rejects || !reject_input_begin(rejects))
		return 0;
	source->rejects = rejects;
	source->reject_file = csv_splitter_file(source->input->splitter);
	return log_head(rejects, source->reject_file, err);
}

int csv_source_new(struct batch_source **out, struct csv_input *input,
		   const struct type *types, const bool *wanted,
		   size_t thread_count, struct error *err)
{
	struct csv_source *source = mem_zalloc(sizeof(*source));
	int rc;

	*out = NULL;
	if (!source)
		return error_set(err, ERROR_NO_MEMORY, "read an input");
	source->base.schema = source_schema;
	source->base.parallelism = source_parallelism;
	source->base.stream_new = source_stream_new;
	source->base.free = source_free;
	schema_init(&source->schema);
	pthread_mutex_init(&source->lock, NULL);
	pthread_cond_init(&source->numbered, NULL);
	source->input = input;
	rc = set_columns(source, types, wanted, err);
	if (!rc)
		rc = begin_rejects(source, err);
	if (!rc)
		rc = plan_parallelism(source, thread_count, err);
	if (rc) {
		csv_splitter_want(input->splitter, NULL);
		source->input = NULL;	/* still the caller's */
		source_free(&source->base);
		return rc;
	}
	*out = &source->base;
	return 0;
}

uint64_t csv_source_bytes_read(const struct batch_source *base)
{
	return atomic_load(&((const struct csv_source *)base)->bytes_taken);
}
