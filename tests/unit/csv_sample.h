#ifndef TESTS_UNIT_CSV_SAMPLE_H
#define TESTS_UNIT_CSV_SAMPLE_H
#include "unit/csv_readback.h"

/* Random CSV files: dialects, quotes, line ends, Unicode, and spoiled ones. */
struct sample {
	uint64_t state;		/* of the random numbers */
	struct csv_options options;
	size_t columns;
	bool trailing;
	bool typed;		/* values that convert to sample_types */
	unsigned odd_per_mille;	/* chance of each spoiled field */
	struct text bytes;
};

#define SAMPLE_TYPES 8

static inline void sample_types(struct type types[SAMPLE_TYPES])
{
	types[0] = type_of(TYPE_BIGINT);
	types[1] = type_of(TYPE_VARCHAR);
	types[2] = type_decimal(18, 2);
	types[3] = type_of(TYPE_DOUBLE);
	types[4] = type_of(TYPE_TIMESTAMP);
	types[5] = type_of(TYPE_BOOLEAN);
	types[6] = type_of(TYPE_VARBINARY);
	types[7] = type_decimal(30, 4);
}

static inline uint64_t sample_random(struct sample *s)
{
	s->state += UINT64_C(0x9e3779b97f4a7c15);
	return hash_word(s->state);
}

static inline unsigned sample_below(struct sample *s, unsigned limit)
{
	return (unsigned)(sample_random(s) >> 33) % limit;
}

/* What a field may hold if it is quoted. */
static inline void sample_quoted(struct sample *s)
{
	static const char *const parts[] = {
		"", "a", "Oak St", "\n", "\r\n", "\r", ",", ";", "|", "\t",
		"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "  ", "NULL",
		"1234567", "x y", "\n\n",
	};
	char quote = s->options.quote;
	unsigned count = sample_below(s, 6);

	text_add_char(&s->bytes, quote);
	for (unsigned i = 0; i < count; i++) {
		if (sample_below(s, 4) == 0) {
			text_add_char(&s->bytes, quote);
			text_add_char(&s->bytes, quote);
		} else {
			text_add_str(&s->bytes, parts[sample_below(s,
						ARRAY_COUNT(parts))]);
		}
	}
	text_add_char(&s->bytes, quote);
}

static inline void sample_typed(struct sample *s, size_t column)
{
	static const char *const values[SAMPLE_TYPES][6] = {
		{ "1", "-77", "9223372036854775807", "0012", "1e3", "0" },
		{ "abc", "h\xc3\xa9", "12 Oak St", " x ", "NULL", "-" },
		{ "1.50", "-0.01", "9999999999999999.99", "7", ".5", "00.1" },
		{ "0.6437", "1e-300", "NaN", "-Infinity", "12345.678", "5e-324"
		},
		{ "2024-02-29 10:11:12.345", "1969-12-31T23:59:59",
		  "2024-01-01", "0001-01-01 00:00",
		  "9999-12-31 23:59:59.999999", "2022-01-23 11:23:31.956" },
		{ "true", "FALSE", "t", "0", "yes", "No" },
		{ "00ff", "AB", "\\x1234", "cafe", "00", "ffffffffff" },
		{ "12345678901234567890123456.7891", "1", "-0.0001", "1e20",
		  "77.7", "0" },
	};

	text_add_str(&s->bytes, values[column % SAMPLE_TYPES]
		     [sample_below(s, 6)]);
}

/* Something that may be wrong, whatever it is. */
static inline void sample_odd(struct sample *s)
{
	static const char *const odd[] = {
		"a\"b", "\"a\"b", "\"", "x\ry", "\r", "\x80", "\xed\xa0\x80",
		"\"\"\"", "\"a\" ", " \"a\"", ",", "'", "\n", "\r\n", "\"\"x",
		"\xc3", "\xff", "\"\r\"", "\"\"\"\"", "abc", "1.999",
	};
	unsigned pick = sample_below(s, ARRAY_COUNT(odd) + 2);

	if (pick < ARRAY_COUNT(odd))
		text_add_str(&s->bytes, odd[pick]);
	else
		text_add_char(&s->bytes, (char)sample_random(s));
}

static inline void sample_field(struct sample *s, size_t column)
{
	static const char *const bare[] = {
		"", "a", "1", "Maple Ave", "NULL", " ", "\xc3\xa9t\xc3\xa9",
		"42.5", "2022-01-23 11:23:31.956", "a longer value in a field",
		"-", "\xe6\xbc\xa2", "'",
	};
	size_t before = s->bytes.length;

	if (sample_below(s, 1000) < s->odd_per_mille) {
		sample_odd(s);
	} else if (sample_below(s, 6) == 0) {
		;
	} else if (s->typed && (column % SAMPLE_TYPES != 1 ||
				sample_below(s, 2))) {
		bool quoted = s->options.quote && sample_below(s, 5) == 0;

		if (quoted)
			text_add_char(&s->bytes, s->options.quote);
		sample_typed(s, column);
		if (quoted)
			text_add_char(&s->bytes, s->options.quote);
	} else if (s->options.quote && sample_below(s, 3) == 0) {
		sample_quoted(s);
	} else if (sample_below(s, 60) == 0) {
		text_add_char(&s->bytes, '\0');
	} else {
		text_add_str(&s->bytes, bare[sample_below(s,
					     ARRAY_COUNT(bare))]);
	}
	/* a quote other than " must not stand bare in a field */
	for (size_t i = before; i < s->bytes.length && !s->odd_per_mille; i++)
		if (s->options.quote == '\'' && s->bytes.data[i] == '\'' &&
		    s->bytes.data[before] != '\'')
			s->bytes.data[i] = '.';
}

static inline void sample_line(struct sample *s, bool crlf)
{
	for (size_t i = 0; i < s->columns; i++) {
		if (i)
			text_add_char(&s->bytes, s->options.delimiter);
		sample_field(s, i);
	}
	if (s->trailing)
		text_add_char(&s->bytes, s->options.delimiter);
	if (s->odd_per_mille && sample_below(s, 2000) < s->odd_per_mille)
		text_add_char(&s->bytes, s->options.delimiter);
	text_add_str(&s->bytes, crlf ? "\r\n" : "\n");
}

/* The sample of a seed; the caller releases bytes. */
static inline void sample_make(struct sample *s, uint64_t seed)
{
	static const char delimiters[] = { ',', ',', ',', ';', '\t', '|' };
	static const char quotes[] = { '"', '"', '"', '"', '\'', 0 };
	unsigned line_end, lines;

	memset(s, 0, sizeof(*s));
	s->state = hash_word(seed + 1);
	csv_options_init(&s->options);
	s->options.delimiter = delimiters[sample_below(s, 6)];
	s->options.quote = quotes[sample_below(s, 6)];
	s->options.has_header = sample_below(s, 4) != 0;
	s->options.null_texts[0] = "NULL";
	s->options.null_text_count = sample_below(s, 3) == 0;
	s->columns = 1 + sample_below(s, sample_below(s, 3) ? 4 : 12);
	s->trailing = s->options.has_header && sample_below(s, 10) == 0;
	s->typed = sample_below(s, 3) == 0;
	s->odd_per_mille = sample_below(s, 2) ? 0 : 1 + sample_below(s, 60);
	line_end = sample_below(s, 3);
	lines = sample_below(s, 8) ? sample_below(s, 30)
				   : sample_below(s, 300);
	if (sample_below(s, 8) == 0)
		text_add_str(&s->bytes, "\xef\xbb\xbf");
	for (size_t i = 0; s->options.has_header && i < s->columns; i++)
		text_addf(&s->bytes, "%.*sc%zu%s", i != 0,
			  &s->options.delimiter, i, i + 1 < s->columns ? "" :
			  s->trailing ? (char[]){ s->options.delimiter, '\n',
						  0 } : "\n");
	for (unsigned i = 0; i < lines; i++) {
		sample_line(s, line_end == 2 ? sample_below(s, 2) : line_end);
		if (sample_below(s, 40) == 0)
			text_add_str(&s->bytes, line_end ? "\r\n" : "\n");
	}
	if (s->bytes.length && sample_below(s, 4) == 0)
		s->bytes.length -= s->bytes.data[s->bytes.length - 1] == '\n';
	if (s->bytes.length && s->odd_per_mille && sample_below(s, 4) == 0)
		s->bytes.data[sample_below(s, (unsigned)s->bytes.length)] =
			(char)sample_random(s);
}
#endif
