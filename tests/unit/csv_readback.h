#ifndef TESTS_UNIT_CSV_READBACK_H
#define TESTS_UNIT_CSV_READBACK_H
#include "unit/check_main.h"
#include "source/source.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Reads CSV bytes through the whole room and writes what came out as text,
 * so that two ways of reading can be compared with one memcmp:
 * row@line|value|value, each value in brackets and hex where not printable.
 */

/* Bytes as a file with a path: "/proc/self/fd/N", no disk. */
struct memory_file {
	int descriptor;
	char path[64];
};

static inline struct memory_file memory_file_new(const void *data,
						 size_t length)
{
	struct memory_file file;

	file.descriptor = memfd_create("csv", 0);
	ck_assert_int_ge(file.descriptor, 0);
	ck_assert_int_eq((long)write(file.descriptor, data, length),
			 (long)length);
	snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d",
		 file.descriptor);
	return file;
}

static inline void memory_file_free(struct memory_file *file)
{
	close(file->descriptor);
}

struct readback {
	const char *const *paths;
	size_t path_count;
	const struct csv_options *options;
	const struct type *types;	/* NULL = all VARCHAR */
	size_t type_count;		/* repeated over the columns */
	const bool *wanted;		/* NULL = all */
	size_t thread_count;
	const char *const *declared;	/* JSON Lines: further columns */
	size_t declared_count;
	/* out */
	struct text rows;
	uint64_t row_count;
	uint64_t unit_count;
	int rc;
	struct error err;
};

#define READBACK_UNITS 100000

struct readback_unit {
	struct text rows;
	uint64_t row_count;
	uint64_t first_row;
};

/* One process reads one input at a time; what was used is zeroed again. */
static struct readback_unit readback_units[READBACK_UNITS];

struct readback_run {
	struct readback *in;
	struct batch_source *source;
	struct readback_unit *units;
	atomic_uint_fast64_t unit_end;	/* behind the greatest unit */
};

static inline void readback_value(struct text *out, const struct vector *v,
				  size_t row)
{
	struct text value = TEXT_INIT;

	if (vector_is_null(v, row)) {
		text_add_str(out, "|NULL");
		return;
	}
	ck_assert(format_value(v, row, &value));
	text_add_str(out, "|[");
	for (size_t i = 0; i < value.length; i++) {
		uint8_t c = (uint8_t)value.data[i];

		if (c >= 0x20 && c < 0x7f && c != '[' && c != ']')
			text_add_char(out, (char)c);
		else
			text_addf(out, "[%02x]", c);
	}
	text_add_char(out, ']');
	text_release(&value);
}

static inline void readback_batch(struct readback_run *run,
				  const struct batch *batch)
{
	struct readback_unit *unit;
	struct text *out;

	ck_assert_uint_lt(batch->unit, READBACK_UNITS);
	ck_assert_uint_gt(batch->row_count, 0);
	unit = &run->units[batch->unit];
	out = &unit->rows;
	for (uint_fast64_t end = run->unit_end; end <= batch->unit;)
		if (atomic_compare_exchange_weak(&run->unit_end, &end,
						 batch->unit + 1))
			break;
	if (!unit->row_count)
		unit->first_row = batch->first_row;
	/* rows that are set aside leave gaps */
	if (!run->in->options->rejects)
		ck_assert_uint_eq(batch->first_row,
				  unit->first_row + unit->row_count);
	else
		ck_assert_uint_ge(batch->first_row,
				  unit->first_row + unit->row_count);
	unit->row_count += batch->row_count;
	ck_assert_ptr_nonnull(batch->origin);
	for (size_t r = 0; r < batch->row_count; r++) {
		text_addf(out, "%" PRIu64 "@%" PRIu64, batch->first_row + r,
			  batch->lines[r]);
		for (size_t i = 0; i < batch->column_count; i++) {
			const struct vector *v = &batch->columns[i];

			if (v->count == 0) {
				ck_assert_ptr_null(v->data);
				continue;
			}
			ck_assert_uint_eq(v->count, batch->row_count);
			readback_value(out, v, r);
		}
		text_add_char(out, '\n');
	}
}

static inline int readback_work(void *context, size_t worker,
				struct error *err)
{
	struct readback_run *run = context;
	struct batch_stream *stream;
	struct batch *batch;
	int rc = run->source->stream_new(run->source, &stream, err);

	if (rc)
		return rc;
	while ((rc = batch_stream_next(stream, &batch, err)) == 0 && batch)
		readback_batch(run, batch);
	batch_stream_free(stream);
	return rc;
}

/* Units in order make the rows; row numbers must go on from unit to unit. */
static inline void readback_join(struct readback_run *run)
{
	struct readback *in = run->in;

	for (size_t i = 0; i < run->unit_end; i++) {
		struct readback_unit *unit = &run->units[i];

		if (unit->row_count && in->rc == 0 && !in->options->rejects)
			ck_assert_uint_eq(unit->first_row, in->row_count);
		in->row_count += unit->row_count;
		in->unit_count += unit->row_count > 0;
		text_add(&in->rows, unit->rows.data, unit->rows.length);
		text_release(&unit->rows);
		memset(unit, 0, sizeof(*unit));
	}
}

static inline int readback_declare(const struct readback *in,
				   struct csv_input *input, struct error *err)
{
	size_t own = csv_input_column_count(input);
	struct schema all;
	int rc = 0;

	schema_init(&all);
	for (size_t i = 0; i < own + in->declared_count && !rc; i++)
		rc = schema_add_column(&all, i < own
					? csv_input_column_name(input, i)
					: in->declared[i - own],
				       type_of(TYPE_VARCHAR), err);
	if (!rc)
		rc = csv_input_add_columns(input, &all, err);
	schema_release(&all);
	return rc;
}

static inline int readback_source(struct readback *in,
				  struct batch_source **out)
{
	struct csv_input *input;
	struct type *types;
	bool *wanted;
	size_t count;
	int rc = csv_input_open(&input, in->paths, in->path_count, in->options,
				&in->err);

	*out = NULL;
	if (rc) {
		ck_assert_ptr_null(input);
		return rc;
	}
	rc = in->declared ? readback_declare(in, input, &in->err) : 0;
	if (rc) {
		csv_input_free(input);
		return rc;
	}
	count = csv_input_column_count(input);
	types = calloc(count, sizeof(*types));
	wanted = calloc(count, sizeof(*wanted));
	for (size_t i = 0; i < count; i++) {
		types[i] = in->types ? in->types[i % in->type_count]
				     : type_of(TYPE_VARCHAR);
		wanted[i] = in->wanted ? in->wanted[i] : true;
	}
	rc = csv_source_new(out, input, types, wanted, in->thread_count,
			    &in->err);
	free(types);
	free(wanted);
	if (rc)
		csv_input_free(input);
	return rc;
}

/* Read it all; the caller frees rows. */
static inline void readback(struct readback *in)
{
	struct readback_run run = { .in = in };

	memset(&in->rows, 0, sizeof(in->rows));
	in->row_count = in->unit_count = 0;
	error_init(&in->err);
	in->rc = readback_source(in, &run.source);
	if (in->rc)
		return;
	run.units = readback_units;
	in->rc = thread_run(in->thread_count, readback_work, &run, &in->err);
	readback_join(&run);
	batch_source_free(run.source);
}

/* Two texts are the same; shown where they are not. */
static inline void readback_same(const struct text *a, const struct text *b,
				 const char *what, uint64_t seed)
{
	size_t at = 0, from;

	while (at < a->length && at < b->length && a->data[at] == b->data[at])
		at++;
	if (at == a->length && at == b->length)
		return;
	from = at > 200 ? at - 200 : 0;
	ck_abort_msg("seed %" PRIu64 ", %s, at %zu:\n%.500s\nagainst\n%.500s",
		     seed, what, at, a->length ? a->data + from : "",
		     b->length ? b->data + from : "");
}

#define READBACK_FILES 4

/* Some files of bytes. */
static inline void readback_files(struct readback *in,
				  const struct byte_view *files, size_t count)
{
	struct memory_file memory[READBACK_FILES];
	const char *paths[READBACK_FILES];

	ck_assert_uint_le(count, READBACK_FILES);
	for (size_t i = 0; i < count; i++) {
		memory[i] = memory_file_new(files[i].data, files[i].length);
		paths[i] = memory[i].path;
	}
	in->paths = paths;
	in->path_count = count;
	readback(in);
	for (size_t i = 0; i < count; i++)
		memory_file_free(&memory[i]);
	in->paths = NULL;
}

/* One file of bytes. */
static inline void readback_bytes(struct readback *in, const void *data,
				  size_t length)
{
	const struct byte_view file = byte_view(data, length);

	readback_files(in, &file, 1);
}
#endif
