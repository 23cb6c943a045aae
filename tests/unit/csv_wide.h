#ifndef TESTS_UNIT_CSV_WIDE_H
#define TESTS_UNIT_CSV_WIDE_H
#include "unit/csv_compare.h"
#include "unit/csv_rejects.h"

/*
 * Random CSV in all its spellings: any delimiter and quote, headers of every
 * form, lines to skip, texts of NULL, marks in numbers, forms of dates,
 * encodings, several files with their columns in different orders, a part of
 * the columns; then fuzzed: bytes changed, taken out, put in, repeated and
 * cut off. The bytes depend on the seed alone.
 */
#define WIDE_FILES 3
#define WIDE_COLUMNS 260

struct wide {
	struct sample sample;	/* bytes is what is being written */
	struct text files[WIDE_FILES];
	struct byte_view views[WIDE_FILES];
	size_t file_count;
	unsigned order[WIDE_COLUMNS];	/* columns of the file at hand */
	struct type types[SAMPLE_TYPES];
	bool wanted[MODEL_FIELDS];	/* delimiters in fields make more */
	bool has_wanted;
	bool typed;
	bool long_names;
	bool changes_case;	/* of names, from file to file */
};

static inline bool one_in(struct wide *w, unsigned n)
{
	return sample_below(&w->sample, n) == 0;
}

static inline char wide_byte(struct wide *w, const char *usual)
{
	if (!one_in(w, 8))
		return usual[sample_below(&w->sample,
					  (unsigned)strlen(usual))];
	for (;;) {
		char c = (char)(1 + sample_below(&w->sample, 127));

		if (c != '\n' && c != '\r')
			return c;
	}
}

static inline void wide_spelling(struct wide *w)
{
	static const char *const encodings[] = { "latin1", "windows-1252",
		"utf-16le", "utf-16be", "utf-16" };
	static const char *const thousands[] = { ".", " ", "\xc2\xa0", "'" };
	static const char *const dates[] = { "%d.%m.%Y", "%m/%d/%y",
					     "%e %B %Y" };
	static const char *const times[] = { "%Y%m%dT%H%M%S",
		"%d-%b-%Y %I:%M:%S.%f %p", "%F %T" };
	struct csv_options *o = &w->sample.options;
	struct sample *s = &w->sample;

	if (one_in(w, 5)) {
		o->decimal_mark = ',';
		if (one_in(w, 2))
			o->thousands_mark = thousands[sample_below(s, 4)];
	}
	if (one_in(w, 5))
		o->date_format = dates[sample_below(s, 3)];
	if (one_in(w, 5))
		o->timestamp_format = times[sample_below(s, 3)];
	if (one_in(w, 8))
		o->encoding = encodings[sample_below(s, 5)];
}

static inline void wide_options(struct wide *w)
{
	static const char *const nulls[] = { "NULL", "\\N", "-", "a", "n/a" };
	struct csv_options *o = &w->sample.options;
	struct sample *s = &w->sample;

	csv_options_init(o);
	o->delimiter = wide_byte(w, ",,,,;\t|:");
	do
		o->quote = one_in(w, 8) ? 0 : wide_byte(w, "\"\"\"\"'`");
	while (o->quote == o->delimiter);
	o->has_header = !one_in(w, 4);
	if (one_in(w, 3))
		o->skip_lines = 1 + sample_below(s, 3);
	for (unsigned i = sample_below(s, 4); i > 0; i--)
		o->null_texts[o->null_text_count++] =
			nulls[sample_below(s, ARRAY_COUNT(nulls))];
	wide_spelling(w);
}

/* A value in quotes; wrong only if odd. */
static inline void wide_in_quotes(struct wide *w, const char *value)
{
	struct text *out = &w->sample.bytes;
	char quote = w->sample.options.quote;

	text_add_char(out, quote);
	for (; *value; value++) {
		if (*value == quote)
			text_add_char(out, quote);
		text_add_char(out, *value);
	}
	text_add_char(out, quote);
}

/* Marks and forms of dates, mostly those that are asked for. */
static inline void wide_number(struct wide *w, size_t column)
{
	static const char *const comma[] = { "1.234,50", "-0,5", "7", "1,5e3",
		"12 345,25", "1'000", "1.23", "9.999.999,99", ",5" };
	static const char *const days[] = { "31.01.2024", "1.2.2024",
		"12/31/99", " 3 march 2024", "2024-02-30", "29.02.2023" };
	static const char *const times[] = { "20240131T101112",
		"31-Jan-2024 10:11:12.5 PM", "2024-01-31 10:11:12" };
	struct sample *s = &w->sample;
	enum type_id kind = w->types[column % SAMPLE_TYPES].id;
	bool quoted = s->options.quote && (one_in(w, 3) ||
					   s->options.delimiter == ',');
	const char *value = kind == TYPE_DATE ? days[sample_below(s, 6)]
			    : kind == TYPE_TIMESTAMP ?
			      times[sample_below(s, 3)]
			    : comma[sample_below(s, 9)];

	if (quoted)
		wide_in_quotes(w, value);
	else
		text_add_str(&s->bytes, value);
}

static inline void wide_long(struct wide *w)
{
	struct text *out = &w->sample.bytes;
	unsigned length = 1 + sample_below(&w->sample, 3000);
	char quote = w->sample.options.quote;
	bool quoted = quote && one_in(w, 2);

	if (quoted)
		text_add_char(out, quote);
	for (unsigned i = 0; i < length; i++)
		text_add_char(out, quoted && i % 61 == 60 ? '\n'
				   : (char)('a' + (i & 15)));
	if (quoted)
		text_add_char(out, quote);
}

static inline void wide_field(struct wide *w, size_t column)
{
	bool is_spelled = w->sample.options.decimal_mark == ',' ||
			  w->sample.options.date_format ||
			  w->sample.options.timestamp_format;

	if (one_in(w, 200))
		wide_long(w);
	else if (w->typed && is_spelled && one_in(w, 3))
		wide_number(w, column);
	else
		sample_field(&w->sample, column);
}

static inline void wide_name(struct wide *w, size_t column, size_t file)
{
	const char *form = w->changes_case && file % 2 ? "C%zu" : "c%zu";
	char name[80];

	if (w->sample.odd_per_mille && one_in(w, 60))
		column = column ? column - 1 : 0;
	snprintf(name, sizeof(name), form, column);
	if (w->long_names && column % 3 == 0)
		snprintf(name, sizeof(name), "%zu\xc3\xa4, \n\"name\" | of %c",
			 column, w->sample.options.quote);
	if (w->sample.options.quote && (w->long_names || one_in(w, 6)))
		wide_in_quotes(w, name);
	else
		text_add_str(&w->sample.bytes, name);
}

static inline void wide_end(struct wide *w, bool crlf)
{
	struct sample *s = &w->sample;

	if (s->trailing)
		text_add_char(&s->bytes, s->options.delimiter);
	if (s->odd_per_mille && sample_below(s, 3000) < s->odd_per_mille)
		text_add_char(&s->bytes, s->options.delimiter);
	if (one_in(w, 100))
		crlf = !crlf;
	text_add_str(&s->bytes, crlf ? "\r\n" : "\n");
}

static inline void wide_skipped(struct wide *w)
{
	static const char *const junk[] = { "", "# made by \"someone", "\"",
		"a,b,c", "\r", "total;;", "\xff\xfe", "sep=;" };

	for (uint64_t i = 0; i < w->sample.options.skip_lines; i++) {
		text_add_str(&w->sample.bytes,
			     junk[sample_below(&w->sample,
					       ARRAY_COUNT(junk))]);
		text_add_char(&w->sample.bytes, '\n');
	}
}

static inline void wide_write_file(struct wide *w, size_t file)
{
	struct sample *s = &w->sample;
	bool crlf = one_in(w, 3);
	unsigned lines = one_in(w, 8) ? sample_below(s, 200)
				      : sample_below(s, 24);

	if (s->columns > 20)
		lines %= 8;
	memset(&s->bytes, 0, sizeof(s->bytes));
	if (one_in(w, 8))
		text_add_str(&s->bytes, "\xef\xbb\xbf");
	wide_skipped(w);
	for (size_t i = s->columns; file && s->options.has_header && i > 1;
	     i--) {
		size_t at = sample_below(s, (unsigned)i);
		unsigned old = w->order[i - 1];

		w->order[i - 1] = w->order[at];
		w->order[at] = old;
	}
	if (one_in(w, 12))
		text_add_str(&s->bytes, crlf ? "\r\n" : "\n");
	for (size_t i = 0; s->options.has_header && i < s->columns; i++) {
		if (i)
			text_add_char(&s->bytes, s->options.delimiter);
		wide_name(w, w->order[i], file);
	}
	if (s->options.has_header)
		wide_end(w, crlf);
	for (unsigned n = 0; n < lines; n++) {
		for (size_t i = 0; i < s->columns; i++) {
			if (i)
				text_add_char(&s->bytes,
					      s->options.delimiter);
			wide_field(w, w->order[i]);
		}
		wide_end(w, crlf);
		if (one_in(w, 40))
			text_add_str(&s->bytes, crlf ? "\r\n" : "\n");
	}
	if (s->bytes.length && one_in(w, 4))
		s->bytes.length -= s->bytes.data[s->bytes.length - 1] == '\n';
}

/* The bytes as UTF-16: each a character of its own. */
static inline void wide_encode(struct wide *w)
{
	const char *encoding = w->sample.options.encoding;
	struct text *bytes = &w->sample.bytes, out = TEXT_INIT;
	bool big = encoding && strcmp(encoding, "utf-16be") == 0;

	if (!encoding || strncmp(encoding, "utf-16", 6) != 0)
		return;
	if (!encoding[6]) {
		big = one_in(w, 2);
		text_add(&out, big ? "\xfe\xff" : "\xff\xfe", 2);
	}
	for (size_t i = 0; i < bytes->length; i++) {
		if (big)
			text_add_char(&out, '\0');
		text_add_char(&out, bytes->data[i]);
		if (!big)
			text_add_char(&out, '\0');
	}
	text_release(bytes);
	*bytes = out;
}

/* One change of the bytes, anywhere. */
static inline void wide_spoil(struct wide *w)
{
	static const char special[] = "\"\n\r,'\0\xff\x80;|\t\\# ";
	struct sample *s = &w->sample;
	struct text *bytes = &s->bytes;
	unsigned at, length, piece;
	char copy[64];

	if (!bytes->length || !text_reserve(bytes, sizeof(copy)))
		return;
	at = sample_below(s, (unsigned)bytes->length);
	length = (unsigned)bytes->length - at;
	piece = 1 + sample_below(s, sizeof(copy) - 1);
	if (piece > length)
		piece = length;
	switch (sample_below(s, 6)) {
	case 0:
		bytes->data[at] = (char)sample_random(s);
		break;
	case 1:
		bytes->data[at] = special[sample_below(s, sizeof(special))];
		break;
	case 2:
		memmove(bytes->data + at, bytes->data + at + piece,
			length - piece);
		bytes->length -= piece;
		break;
	case 3:
		memcpy(copy, bytes->data + at, piece);
		memmove(bytes->data + at + piece, bytes->data + at, length);
		memcpy(bytes->data + at, copy, piece);
		bytes->length += piece;
		break;
	case 4:
		memmove(bytes->data + at + 1, bytes->data + at, length);
		bytes->data[at] = special[sample_below(s, sizeof(special))];
		bytes->length++;
		break;
	default:
		if (one_in(w, 4))
			bytes->length = at;
		break;
	}
}

static inline bool wide_is_packed(const struct text *bytes)
{
	return bytes->length >= 3 &&
	       (memcmp(bytes->data, "\x1f\x8b\x08", 3) == 0 ||
		memcmp(bytes->data, "\x28\xb5\x2f", 3) == 0);
}

/* The files of a seed; the caller releases them. */
static inline void wide_make(struct wide *w, uint64_t seed)
{
	struct sample *s = &w->sample;
	unsigned changes;

	memset(w, 0, sizeof(*w));
	s->state = hash_word(seed + 77);
	wide_options(w);
	sample_types(w->types);
	if (one_in(w, 3))
		w->types[7] = type_of(TYPE_DATE);
	s->columns = one_in(w, 40) ? 1 + sample_below(s, WIDE_COLUMNS)
				   : 1 + sample_below(s, 9);
	s->trailing = s->options.has_header && one_in(w, 10);
	w->typed = s->typed = one_in(w, 2);
	w->long_names = s->options.quote && one_in(w, 6);
	w->changes_case = one_in(w, 3);
	w->has_wanted = one_in(w, 4);
	s->odd_per_mille = one_in(w, 2) ? 0 : 1 + sample_below(s, 40);
	w->file_count = one_in(w, 4) ? 1 + sample_below(s, WIDE_FILES) : 1;
	changes = one_in(w, 2) ? 0 : sample_below(s, 5);
	for (unsigned i = 0; i < s->columns; i++)
		w->order[i] = i;
	for (unsigned i = 0; i < MODEL_FIELDS && w->has_wanted; i++)
		w->wanted[i] = one_in(w, 2);
	for (size_t f = 0; f < w->file_count; f++) {
		wide_write_file(w, f);
		wide_encode(w);
		for (unsigned i = 0; i < changes; i++)
			wide_spoil(w);
		/* a writer of CSV never begins so, and it would be unpacked */
		if (wide_is_packed(&s->bytes))
			s->bytes.data[0] = 'c';
		w->files[f] = s->bytes;
		w->views[f] = byte_view(s->bytes.data ? s->bytes.data : "",
					s->bytes.length);
	}
}

static inline void wide_release(struct wide *w)
{
	for (size_t f = 0; f < w->file_count; f++)
		text_release(&w->files[f]);
}

/* Chunks of one byte and up. */
static inline size_t wide_chunk(struct wide *w)
{
	struct sample *s = &w->sample;

	if (one_in(w, 6))
		return 0;
	return 1 + sample_below(s, 1U << sample_below(s, 17));
}

/* Without rejects: the first error, or all rows. */
static inline void wide_compare(struct wide *w, uint64_t seed)
{
	struct comparison c = { .options = w->sample.options,
				.data = w->views[0].data,
				.length = w->views[0].length, .seed = seed };
	struct csv_options options = w->sample.options;
	struct readback expected = { .options = &options,
		.types = w->typed ? w->types : NULL,
		.type_count = SAMPLE_TYPES,
		.wanted = w->has_wanted ? w->wanted : NULL,
		.thread_count = 1 };

	options.force_reference = true;
	readback_files(&expected, w->views, w->file_count);
	if (!w->typed && !w->has_wanted && w->file_count == 1 &&
	    !options.encoding)
		compare_with_model(&c, &expected);
	for (int i = 0; i < 7; i++) {
		struct csv_options way = w->sample.options;
		struct readback read = expected;
		char what[80];

		if (!csv_scan_force(i < 5 ? (enum csv_scan_level)(i % 3)
					  : CSV_SCAN_BEST))
			continue;
		way.force_reference = i == 6;
		way.chunk_bytes = i < 2 ? 0 : wide_chunk(w);
		read.options = &way;
		read.thread_count = 1 + sample_below(&w->sample, 4);
		readback_files(&read, w->views, w->file_count);
		csv_scan_force(CSV_SCAN_BEST);
		snprintf(what, sizeof(what),
			 "way %d, chunks of %zu, %zu threads", i,
			 way.chunk_bytes, read.thread_count);
		compare_errors(&expected, &read, seed);
		if (!expected.rc)
			readback_same(&read.rows, &expected.rows, what, seed);
		text_release(&read.rows);
	}
	text_release(&expected.rows);
}

/* With rejects: rows, records and reasons. In a scratch directory. */
static inline void wide_compare_aside(struct wide *w, uint64_t seed)
{
	uint64_t limit = one_in(w, 6) ? sample_below(&w->sample, 3)
				      : UINT64_MAX;
	struct csv_options options = w->sample.options;
	struct readback read = { .options = &options,
		.types = w->typed ? w->types : NULL,
		.type_count = SAMPLE_TYPES,
		.wanted = w->has_wanted ? w->wanted : NULL,
		.thread_count = 1 };
	struct set_aside expected, got;

	options.force_reference = true;
	read_files_aside(&expected, &read, w->views, w->file_count, limit);
	if (!w->typed && !w->has_wanted && w->file_count == 1 &&
	    !options.encoding && limit == UINT64_MAX) {
		model_set_aside(&got, w->views[0].data, w->views[0].length,
				&w->sample.options);
		same_set_aside(&expected, &got, seed);
		set_aside_release(&got);
	}
	for (int i = 0; i < 4; i++) {
		struct csv_options way = w->sample.options;

		way.force_reference = i == 3;
		way.chunk_bytes = i ? wide_chunk(w) : 0;
		read.options = &way;
		read.thread_count = 1 + sample_below(&w->sample, 4);
		read_files_aside(&got, &read, w->views, w->file_count, limit);
		same_set_aside(&expected, &got, seed);
		set_aside_release(&got);
	}
	set_aside_release(&expected);
}

/* The files of a seed, in many ways. In a scratch directory. */
static inline void compare_wide(uint64_t seed)
{
	struct wide w;

	wide_make(&w, seed);
	wide_compare(&w, seed);
	wide_compare_aside(&w, seed);
	wide_release(&w);
}
#endif
