#ifndef TESTS_UNIT_CSV_REJECTS_H
#define TESTS_UNIT_CSV_REJECTS_H
#include "unit/check_scratch.h"
#include "unit/csv_model.h"
#include "unit/csv_sample.h"
#include "source/csv_scan.h"

/*
 * Reading that sets rows aside must come out the same by libcsv and by the
 * scanner, in chunks of any size, by one to four threads: rows, records and
 * reasons; and, where all columns are text, as a model has it that knows
 * nothing of the room: bytes are taken one by one.
 */
struct set_aside {
	struct text rows;
	struct text records;	/* FILE */
	struct text reasons;	/* CODE@LINE of each */
	int rc;
	struct error err;
};

static inline void set_aside_release(struct set_aside *out)
{
	text_release(&out->rows);
	text_release(&out->records);
	text_release(&out->reasons);
}

/* "CODE@LINE" of each line of the second file. */
static inline void read_reasons(struct text *out)
{
	char line[8192], code[64];
	FILE *file = fopen("bad.reasons.jsonl", "r");

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file)) {
		const char *at = strstr(line, "\"line\": ");
		const char *name = strstr(line, "\"code\": \"");

		ck_assert_ptr_nonnull(at);
		ck_assert_ptr_nonnull(name);
		sscanf(name + 9, "%60[A-Z_]", code);
		text_addf(out, "%s@%lu\n", code, strtoul(at + 8, NULL, 10));
	}
	fclose(file);
}

/* The working directory is a scratch one. */
static inline void read_files_aside(struct set_aside *out,
				    struct readback *read,
				    const struct byte_view *files,
				    size_t file_count, uint64_t limit)
{
	struct csv_options options = *read->options;
	const char *const none[] = { "input" };
	struct reject_log *log;

	memset(out, 0, sizeof(*out));
	error_init(&out->err);
	ck_assert_int_eq(reject_log_new(&log, ".", &out->err), 0);
	reject_log_set_limit(log, limit);
	ck_assert_int_eq(reject_log_add_input(log, none, 1, &options.rejects,
					      &out->err), 0);
	read->options = &options;
	readback_files(read, files, file_count);
	out->rows = read->rows;
	out->rc = read->rc;
	out->err = read->err;
	if (!read->rc || read->rc == ERROR_REJECT_LIMIT) {
		struct error err;

		ck_assert_int_eq(reject_log_stage(log, "bad", &err), 0);
		ck_assert_int_eq(reject_log_publish(log, &err), 0);
		ck_assert_int_eq(input_file_read_all("bad", 1 << 30,
						     &out->records, &err), 0);
		read_reasons(&out->reasons);
	}
	reject_log_free(log);
}

static inline void read_setting_aside(struct set_aside *out,
				      struct readback *read,
				      const void *data, size_t length,
				      uint64_t limit)
{
	const struct byte_view file = byte_view(data, length);

	read_files_aside(out, read, &file, 1, limit);
}

/* Where a record ends, byte by byte. */
static inline const uint8_t *model_record_end(const struct model *m)
{
	enum { START, BARE, QUOTED, CLOSED, WRONG } state = START;
	uint8_t delimiter = (uint8_t)m->options->delimiter;
	uint8_t quote = (uint8_t)m->options->quote;

	for (const uint8_t *p = m->p; p < m->end; p++) {
		if (state == QUOTED) {
			state = *p == quote ? CLOSED : QUOTED;
			continue;
		}
		if (*p == '\n')
			return p + 1;
		if (state == WRONG)
			continue;
		if (*p == delimiter)
			state = START;
		else if (quote && *p == quote)
			state = state == BARE ? WRONG : QUOTED;
		else if (state == CLOSED)
			state = WRONG;
		else
			state = BARE;
	}
	return m->end;
}

static inline void model_set_aside(struct set_aside *out, const void *data,
				   size_t length,
				   const struct csv_options *options)
{
	struct model_field *f = calloc(MODEL_FIELDS, sizeof(*f));
	struct model m = { .p = data, .line = 1, .options = options };
	size_t count = 0;
	bool ok;

	memset(out, 0, sizeof(*out));
	m.end = m.p + length;
	ok = model_header(&m, f, &count);
	model_free(f, count);
	out->rc = ok ? 0 : (int)m.code;
	text_add(&out->records, data, (size_t)(m.p - (const uint8_t *)data));
	while (ok && m.p < m.end) {
		const uint8_t *start = m.p, *end = model_record_end(&m);
		const uint8_t *all = m.end;
		uint64_t line = m.line;
		bool good;

		m.end = end;
		good = model_record(&m, f, &count) &&
		       model_row(&m, f, count, line);
		model_free(f, count);
		if (good) {
			ck_assert_ptr_eq(m.p, end);
		} else {
			text_add(&out->records, start, (size_t)(end - start));
			text_addf(&out->reasons, "%s@%" PRIu64 "\n",
				  error_name(m.code), m.error_line);
			/* its structure was right: it has a number */
			m.row += m.code == ERROR_BAD_ENCODING;
		}
		m.line = line;
		for (const uint8_t *p = start; p < end; p++)
			m.line += *p == '\n';
		m.p = end;
		m.end = all;
	}
	out->rows = m.rows;
	free(f);
}

static inline void same_set_aside(const struct set_aside *a,
				  const struct set_aside *b, uint64_t seed)
{
	ck_assert_msg(a->rc == b->rc, "seed %" PRIu64 ": %s '%s' against %s",
		      seed, error_name(a->err.code), a->err.text,
		      error_name(b->err.code));
	if (a->rc && a->rc != ERROR_REJECT_LIMIT)
		return;
	if (!a->rc)
		readback_same(&a->rows, &b->rows, "rows", seed);
	readback_same(&a->records, &b->records, "records", seed);
	readback_same(&a->reasons, &b->reasons, "reasons", seed);
}

/* One input in some ways. types NULL = all VARCHAR, with the model. */
static inline void compare_set_aside(const struct csv_options *options,
				     const void *data, size_t length,
				     const struct type *types,
				     size_t type_count, uint64_t seed)
{
	static const size_t sizes[] = { 1, 2, 3, 7, 16, 50, 200, 1000 };
	uint64_t limit = seed % 5 == 0 ? seed % 3 : UINT64_MAX;
	struct csv_options reference = *options;
	struct readback read = { .options = &reference, .types = types,
				 .type_count = type_count,
				 .thread_count = 1 };
	struct set_aside expected, got;

	reference.force_reference = true;
	read_setting_aside(&expected, &read, data, length, limit);
	if (!types && limit == UINT64_MAX) {
		model_set_aside(&got, data, length, options);
		same_set_aside(&expected, &got, seed);
		set_aside_release(&got);
	}
	for (unsigned i = 0; i < 4; i++) {
		struct csv_options cut = *options;

		cut.chunk_bytes = i ? sizes[(seed + i * 3) %
					    ARRAY_COUNT(sizes)] : 0;
		cut.force_reference = i == 3;
		read.options = &cut;
		read.thread_count = 1 + (seed + i) % 4;
		read_setting_aside(&got, &read, data, length, limit);
		same_set_aside(&expected, &got, seed);
		set_aside_release(&got);
	}
	set_aside_release(&expected);
}

static inline void compare_sample_aside(uint64_t seed)
{
	struct type types[SAMPLE_TYPES];
	struct sample sample;
	bool typed;

	sample_types(types);
	sample_make(&sample, seed);
	typed = sample.typed;
	compare_set_aside(&sample.options,
			  sample.bytes.data ? sample.bytes.data : "",
			  sample.bytes.length, typed ? types : NULL,
			  SAMPLE_TYPES, seed);
	text_release(&sample.bytes);
}
#endif
