#ifndef TESTS_UNIT_CSV_MODEL_H
#define TESTS_UNIT_CSV_MODEL_H
#include "unit/csv_readback.h"

#include <strings.h>

/*
 * What the manual says about plain text CSV, written down a second time, one
 * byte after the other and without a thought for speed. It shares no code
 * with the room and none with libcsv. It writes the rows as csv_readback.h
 * does; all columns are VARCHAR.
 */
struct model {
	const uint8_t *p;
	const uint8_t *end;
	const struct csv_options *options;
	uint64_t line;
	uint64_t row;
	size_t fields;		/* of a record */
	bool trailing;
	struct text rows;
	enum error_code code;	/* the first error */
	uint64_t error_line;
};

struct model_field {
	uint8_t *data;
	size_t length;
	bool quoted;
};

#define MODEL_FIELDS 4096

static inline bool model_fail(struct model *m, enum error_code code,
			      uint64_t line)
{
	m->code = code;
	m->error_line = line;
	return false;
}

/* RFC 3629 by its table. */
static inline bool model_is_utf8(const uint8_t *s, size_t n)
{
	size_t i = 0;

	while (i < n) {
		uint32_t c = s[i], least, more;

		if (c < 0x80) {
			i++;
			continue;
		}
		if (c >= 0xc2 && c <= 0xdf) {
			more = 1;
			least = 0x80;
			c &= 0x1f;
		} else if (c >= 0xe0 && c <= 0xef) {
			more = 2;
			least = 0x800;
			c &= 0xf;
		} else if (c >= 0xf0 && c <= 0xf4) {
			more = 3;
			least = 0x10000;
			c &= 7;
		} else {
			return false;
		}
		if (n - i <= more)
			return false;
		for (uint32_t k = 1; k <= more; k++) {
			if ((s[i + k] & 0xc0) != 0x80)
				return false;
			c = c << 6 | (s[i + k] & 0x3f);
		}
		if (c < least || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
			return false;
		i += more + 1;
	}
	return true;
}

/* At the end of a line: 1 = taken, 0 = not at one, -1 = lone CR. */
static inline int model_line_end(struct model *m)
{
	if (m->p == m->end)
		return 1;
	if (*m->p == '\n') {
		m->p++;
		m->line++;
		return 1;
	}
	if (*m->p != '\r')
		return 0;
	if (m->p + 1 == m->end || m->p[1] != '\n')
		return -1;
	m->p += 2;
	m->line++;
	return 1;
}

/* One field; p stops at what ends it. */
static inline bool model_field(struct model *m, struct model_field *f)
{
	uint8_t delimiter = (uint8_t)m->options->delimiter;
	uint8_t quote = (uint8_t)m->options->quote;
	uint64_t opened = m->line;

	f->data = malloc((size_t)(m->end - m->p) + 1);
	f->length = 0;
	f->quoted = quote && m->p < m->end && *m->p == quote;
	if (!f->quoted) {
		while (m->p < m->end && *m->p != delimiter &&
		       *m->p != '\n' && *m->p != '\r') {
			if (quote && *m->p == quote)
				return model_fail(m, ERROR_BAD_CSV, m->line);
			f->data[f->length++] = *m->p++;
		}
		return true;
	}
	for (m->p++;; m->p++) {
		if (m->p == m->end)
			return model_fail(m, ERROR_BAD_CSV, opened);
		if (*m->p == quote) {
			if (m->p + 1 == m->end || m->p[1] != quote)
				break;
			m->p++;
		}
		if (*m->p == '\n')
			m->line++;
		f->data[f->length++] = *m->p;
	}
	m->p++;
	if (m->p < m->end && *m->p != delimiter && *m->p != '\n' &&
	    *m->p != '\r')
		return model_fail(m, ERROR_BAD_CSV, m->line);
	return true;
}

/* A record into f; count 0 = the end of the input. */
static inline bool model_record(struct model *m, struct model_field *f,
				size_t *count)
{
	*count = 0;
	while (*count < MODEL_FIELDS) {
		int end;

		if (!model_field(m, &f[(*count)++]))
			return false;
		end = model_line_end(m);
		if (end < 0)
			return model_fail(m, ERROR_BAD_CSV, m->line);
		if (end)
			return true;
		m->p++;		/* the delimiter */
	}
	return true;
}

static inline void model_free(struct model_field *f, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(f[i].data);
}

static inline void model_value(struct model *m, const struct model_field *f)
{
	bool is_null = !f->quoted && f->length == 0;

	for (size_t i = 0; i < m->options->null_text_count; i++) {
		const char *null_text = m->options->null_texts[i];

		if (!f->quoted && f->length == strlen(null_text) &&
		    memcmp(f->data, null_text, f->length) == 0)
			is_null = true;
	}
	if (is_null) {
		text_add_str(&m->rows, "|NULL");
		return;
	}
	text_add_str(&m->rows, "|[");
	for (size_t i = 0; i < f->length; i++) {
		if (f->data[i] >= 0x20 && f->data[i] < 0x7f &&
		    f->data[i] != '[' && f->data[i] != ']')
			text_add_char(&m->rows, (char)f->data[i]);
		else
			text_addf(&m->rows, "[%02x]", f->data[i]);
	}
	text_add_char(&m->rows, ']');
}

static inline bool model_row(struct model *m, const struct model_field *f,
			     size_t count, uint64_t line)
{
	const struct model_field *last = &f[count - 1];

	if (count == 1 && m->fields != 1 && !f->quoted && f->length == 0)
		return true;	/* an empty line */
	if (count != m->fields ||
	    (m->trailing && (last->quoted || last->length)))
		return model_fail(m, ERROR_RAGGED_ROW, line);
	count -= m->trailing;
	for (size_t i = 0; i < count; i++)
		if (!model_is_utf8(f[i].data, f[i].length))
			return model_fail(m, ERROR_BAD_ENCODING, line);
	text_addf(&m->rows, "%" PRIu64 "@%" PRIu64, m->row++, line);
	for (size_t i = 0; i < count; i++)
		model_value(m, &f[i]);
	text_add_char(&m->rows, '\n');
	return true;
}

static inline bool model_names(struct model *m, const struct model_field *f,
			       size_t count, uint64_t line)
{
	for (size_t i = 0; i < count; i++) {
		f[i].data[f[i].length] = 0;
		if (memchr(f[i].data, 0, f[i].length))
			return model_fail(m, ERROR_BAD_CSV, line);
		if (!model_is_utf8(f[i].data, f[i].length))
			return model_fail(m, ERROR_BAD_ENCODING, line);
	}
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if (strcasecmp((const char *)f[i].data,
				       (const char *)f[j].data) == 0)
				return model_fail(m, ERROR_DUPLICATE_HEADER,
						  line);
	return true;
}

static inline bool model_skip(struct model *m)
{
	for (uint64_t i = 0; i < m->options->skip_lines; i++) {
		while (m->p < m->end && *m->p != '\n')
			m->p++;
		if (m->p == m->end)
			return model_fail(m, ERROR_BAD_CSV, m->line);
		m->p++;
		m->line++;
	}
	return true;
}

static inline bool model_header(struct model *m, struct model_field *f,
				size_t *count)
{
	const struct model_field *last;
	struct model start;
	uint64_t line;
	bool has_mark = m->end - m->p >= 3 &&
			memcmp(m->p, "\xef\xbb\xbf", 3) == 0;

	/* Parquet, ZIP */
	if (m->end - m->p >= 4 && (memcmp(m->p, "PAR1", 4) == 0 ||
				   memcmp(m->p, "PK\x03\x04", 4) == 0))
		return model_fail(m, ERROR_BAD_CSV, 0);
	if (has_mark)
		m->p += 3;
	if (m->p == m->end)
		return model_fail(m, ERROR_BAD_CSV, 0);
	if (!has_mark && m->end - m->p >= 2 &&
	    (memcmp(m->p, "\xff\xfe", 2) == 0 ||
	     memcmp(m->p, "\xfe\xff", 2) == 0))
		return model_fail(m, ERROR_BAD_ENCODING, 1);
	if (!model_skip(m))
		return false;
	start = *m;
	do {
		if (m->p == m->end && m->options->has_header)
			return model_fail(m, ERROR_BAD_CSV, m->line);
		if (m->p == m->end) {
			*m = start;
			m->fields = 1;
			return true;
		}
		model_free(f, *count);
		line = m->line;
		if (!model_record(m, f, count))
			return false;
	} while (*count == 1 && !f->quoted && f->length == 0);
	last = &f[*count - 1];
	m->fields = *count;
	if (!m->options->has_header) {
		start.fields = m->fields;
		*m = start;
		return true;
	}
	m->trailing = *count > 1 && !last->quoted && last->length == 0;
	return model_names(m, f, *count - m->trailing, line);
}

static inline void model_read(struct model *m, const void *data,
			      size_t length,
			      const struct csv_options *options)
{
	struct model_field *f = calloc(MODEL_FIELDS, sizeof(*f));
	size_t count = 0;
	bool ok;

	memset(m, 0, sizeof(*m));
	m->p = data;
	m->end = m->p + length;
	m->options = options;
	m->line = 1;
	ok = model_header(m, f, &count);
	model_free(f, count);
	while (ok && m->p < m->end) {
		uint64_t line = m->line;

		ok = model_record(m, f, &count) && model_row(m, f, count, line);
		model_free(f, count);
	}
	free(f);
}
#endif
