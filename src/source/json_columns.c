/*
 * json_columns.c - plain lines of JSON to columns, a block at a time
 *
 * Why:    taking each value to its column one by one costs three times as
 *         much as the same rows in CSV.
 * How:    a line is taken apart where it stands: a key is compared with that
 *         of the next column as two words, a string is searched for its end
 *         16 bytes at a time, and each value becomes a view in its column.
 *         Then one loop per column turns the views of a block of lines into
 *         values, as for CSV. A line that is written in another way (escapes,
 *         white space, names in another case, nested values that nobody
 *         wants) goes through the JSON reader, and its values are views all
 *         the same. As soon as anything is wrong the batch is given up: the
 *         exact way reads it again and finds the first row and column.
 * Cost:   about 1 ns per byte.
 * Limits: no wanted column may be nested or binary.
 */
#include "source/json_columns.h"
#include "source/json_value.h"
#include "source/view_convert.h"

/* Lines whose views stay in the second cache; a multiple of 64. */
#define BLOCK_ROWS 256
#define VALIDITY_WORDS (BATCH_ROW_COUNT / 64)
/* Bytes of a key that are compared as words. */
#define KEY_HEAD 16

struct column {
	/* "name": as it stands in a line; no bytes: it never matches */
	const char *key;
	size_t key_length;
	uint64_t head[2], mask[2];	/* of its first KEY_HEAD bytes */
	bool is_wanted;
	bool is_text;
	bool takes_bare;	/* numbers, true and false are values */
	bool is_whole;		/* 80.0 is 80 */
	bool has_nulls;		/* in the batch */
	bool has_block_nulls;
	uint64_t seen;		/* number of the line that had it last */
	struct byte_view *views;	/* of the block */
	struct byte_view *own_views;	/* BLOCK_ROWS */
	uint64_t *validity;	/* VALIDITY_WORDS */
};

struct json_columns {
	struct csv_conversion what;
	struct column *columns;
	size_t column_count;
	char *keys;
	struct byte_view *views;
	uint64_t *validity;
	uint64_t line;		/* lines so far, for column.seen */
	const char *end;	/* of the chunk */
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "read JSON");
}

size_t json_column_find(const struct schema *schema, const char *key,
			size_t expected)
{
	if (expected < schema->column_count &&
	    strcmp(schema->columns[expected].name, key) == 0)
		return expected;
	for (size_t i = 0; i < schema->column_count; i++)
		if (text_equal_nocase(schema->columns[i].name, key))
			return i;
	return SIZE_MAX;
}

struct byte_view json_row_text(const struct csv_rows *rows, size_t i)
{
	const struct csv_chunk *chunk = rows->chunk;
	size_t start = csv_chunk_row_start(chunk, rows->first_row + i);
	const uint8_t *at = chunk->bytes + start;
	const uint8_t *end = memchr(at, '\n', chunk->length - start);

	return byte_view(at, end ? (size_t)(end - at) : chunk->length - start);
}

/* Does the type have a quick way? */
static bool is_plain_type(const struct type *type)
{
	return type->id == TYPE_VARCHAR ||
	       (!type_is_nested(type) && !type_is_bytes(type));
}

/* The key of a column at `at`; what needs an escape is not compared. */
static char *put_key(struct column *column, const char *name, char *at)
{
	size_t length = strlen(name);
	char bytes[KEY_HEAD] = { 0 }, mask[KEY_HEAD] = { 0 };
	size_t head;

	column->key = at;
	if (json_plain_end(name, name + length) != name + length)
		return at;
	*at++ = '"';
	memcpy(at, name, length);
	at += length;
	*at++ = '"';
	*at++ = ':';
	column->key_length = length + 3;
	head = column->key_length < KEY_HEAD ? column->key_length : KEY_HEAD;
	memcpy(bytes, column->key, head);
	memset(mask, 0xff, head);
	memcpy(column->head, bytes, KEY_HEAD);
	memcpy(column->mask, mask, KEY_HEAD);
	return at;
}

static int set_columns(struct json_columns *self, struct error *err)
{
	const struct schema *schema = self->what.schema;
	size_t count = schema->column_count, key_bytes = 0;
	char *at;

	for (size_t i = 0; i < count; i++)
		key_bytes += strlen(schema->columns[i].name) + 3;
	self->column_count = count;
	self->columns = mem_zalloc_array(count + 1, sizeof(*self->columns));
	self->views = mem_alloc_array(count + 1,
				      BLOCK_ROWS * sizeof(*self->views));
	self->validity = mem_alloc_array(count + 1, VALIDITY_WORDS *
					 sizeof(*self->validity));
	self->keys = mem_alloc(key_bytes + 1);
	if (!self->columns || !self->views || !self->validity || !self->keys)
		return no_memory(err);
	at = self->keys;
	for (size_t i = 0; i < count; i++) {
		struct column *column = &self->columns[i];
		const struct type *type = &schema->columns[i].type;

		at = put_key(column, schema->columns[i].name, at);
		column->is_wanted = self->what.wanted[i];
		column->is_text = type->id == TYPE_VARCHAR;
		column->takes_bare = !column->is_wanted || column->is_text ||
				     type_is_numeric(type) ||
				     type->id == TYPE_BOOLEAN;
		column->is_whole = json_type_is_whole(type);
		column->own_views = self->views + i * BLOCK_ROWS;
		column->validity = self->validity + i * VALIDITY_WORDS;
	}
	return 0;
}

int json_columns_new(struct json_columns **out,
		     const struct csv_conversion *what, struct error *err)
{
	struct json_columns *self;
	int rc;

	*out = NULL;
	if (what->options->is_debezium || what->options->force_reference)
		return 0;
	for (size_t i = 0; i < what->schema->column_count; i++)
		if (what->wanted[i] &&
		    !is_plain_type(&what->schema->columns[i].type))
			return 0;
	self = mem_zalloc(sizeof(*self));
	if (!self)
		return no_memory(err);
	self->what = *what;
	rc = set_columns(self, err);
	if (rc) {
		json_columns_free(self);
		return rc;
	}
	*out = self;
	return 0;
}

void json_columns_free(struct json_columns *self)
{
	if (!self)
		return;
	mem_free(self->columns);
	mem_free(self->views);
	mem_free(self->validity);
	mem_free(self->keys);
	mem_free(self);
}

static inline bool is_key(const struct column *column, const char *p,
			  const char *end)
{
	uint64_t words[2];

	memcpy(words, p, sizeof(words));
	if (((words[0] ^ column->head[0]) & column->mask[0]) |
	    ((words[1] ^ column->head[1]) & column->mask[1]))
		return false;
	if (column->key_length <= KEY_HEAD)
		return column->key_length != 0;
	return (size_t)(end - p) >= column->key_length &&
	       memcmp(p + KEY_HEAD, column->key + KEY_HEAD,
		      column->key_length - KEY_HEAD) == 0;
}

static inline struct column *find_key(struct json_columns *self,
				      const char *p, size_t expected)
{
	for (size_t i = expected; i < self->column_count; i++)
		if (is_key(&self->columns[i], p, self->end))
			return &self->columns[i];
	for (size_t i = 0; i < expected; i++)
		if (is_key(&self->columns[i], p, self->end))
			return &self->columns[i];
	return NULL;
}

static inline void put_view(struct column *column, size_t i,
			    struct byte_view value)
{
	column->views[i] = value;
	column->has_block_nulls |= !value.data;
}

/* Behind a number without exponent, NULL = it is none. */
static inline const char *number_end(const char *p)
{
	const char *first = p + (*p == '-'), *at = first;
	unsigned points = 0;

	while ((unsigned char)(*at - '0') < 10 || *at == '.') {
		points += *at == '.';
		at++;
	}
	if (at == first || *first == '.' || at[-1] == '.' || points > 1 ||
	    (*first == '0' && at - first > 1 && first[1] != '.'))
		return NULL;
	return at;
}

/* A value that is neither a string nor nested; false: not seen to be one. */
static inline bool read_bare(const struct column *column, const char **at,
			     struct byte_view *value)
{
	const char *p = *at, *stop;

	if (memcmp(p, "null", 4) == 0) {
		*value = byte_view(NULL, 0);
		*at = p + 4;
		return true;
	}
	if (memcmp(p, "true", 4) == 0)
		stop = p + 4;
	else if (memcmp(p, "false", 5) == 0)
		stop = p + 5;
	else
		stop = number_end(p);
	if (!stop || !column->takes_bare)
		return false;
	*value = byte_view(p, (size_t)(stop - p));
	if (column->is_whole)
		*value = json_whole(*value);
	*at = stop;
	return true;
}

/* The members that the line has not. */
static void put_missing(struct json_columns *self, size_t i)
{
	for (size_t c = 0; c < self->column_count; c++)
		if (self->columns[c].seen != self->line)
			put_view(&self->columns[c], i, byte_view(NULL, 0));
}

/*
 * The line at p as row i of the block; false: it is not plain. The chunk ends
 * with NULs, at which everything stops.
 */
static bool read_plain(struct json_columns *self, const char *p, size_t i)
{
	const char *padded = self->end + CSV_PADDING_BYTES;
	size_t expected = 0, count = 0;

	if (*p++ != '{')
		return false;
	self->line++;
	for (;;) {
		struct column *column = find_key(self, p, expected);
		struct byte_view value;

		if (!column || column->seen == self->line)
			return false;
		column->seen = self->line;
		expected = (size_t)(column - self->columns) + 1;
		count++;
		p += column->key_length;
		p += *p == ' ';
		if (*p == '"') {
			const char *start = ++p;

			p = json_plain_end(p, padded);
			if (p >= self->end || *p != '"')
				return false;
			value = byte_view(start, (size_t)(p++ - start));
		} else if (!read_bare(column, &p, &value)) {
			return false;
		}
		put_view(column, i, value);
		if (*p == '}')
			break;
		if (*p++ != ',')
			return false;
		p += *p == ' ';
	}
	for (p++; *p == ' ' || *p == '\t' || *p == '\r'; p++)
		;
	if (count < self->column_count)
		put_missing(self, i);
	return *p == '\n' || p == self->end;
}

/* One value of the JSON reader. False: it is no value of the column. */
static bool take_value(struct column *column, struct json_reader *reader,
		       struct byte_view *value)
{
	enum json_kind kind = json_peek(reader);

	*value = byte_view(NULL, 0);
	if (!column->is_wanted) {
		json_skip(reader);
	} else if (kind == JSON_STRING) {
		*value = json_text(reader);
	} else if (kind != JSON_NULL) {
		*value = json_raw(reader);
		if (column->is_whole)
			*value = json_whole(*value);
		return column->takes_bare;
	} else {
		return json_null(reader);
	}
	return true;
}

/* The same by way of the JSON reader. *is_right: nothing is wrong. */
static int read_exactly(struct json_columns *self, struct byte_view line,
			size_t i, struct arena *heap, bool *is_right,
			struct error *err)
{
	char *text = json_text_copy(heap, line);
	struct json_reader reader;
	size_t expected = 0;
	const char *key;

	if (!text)
		return no_memory(err);
	*is_right = false;
	self->line++;
	json_reader_init(&reader, text, line.length);
	json_begin_object(&reader);
	while ((key = json_next_key(&reader))) {
		size_t at = json_column_find(self->what.schema, key, expected);
		struct byte_view value;

		if (at == SIZE_MAX || self->columns[at].seen == self->line ||
		    !take_value(&self->columns[at], &reader, &value))
			return 0;
		self->columns[at].seen = self->line;
		expected = at + 1;
		put_view(&self->columns[at], i, value);
	}
	*is_right = json_finish(&reader, "line", NULL) == 0;
	put_missing(self, i);
	return 0;
}

/* Lines of the block to views. */
static int read_block(struct json_columns *self, const struct csv_rows *rows,
		      struct arena *heap, bool *is_right, struct error *err)
{
	const char *bytes = (const char *)rows->chunk->bytes;

	for (size_t i = 0; i < rows->count; i++) {
		size_t start = csv_chunk_row_start(rows->chunk,
						   rows->first_row + i);
		int rc;

		if (read_plain(self, bytes + start, i))
			continue;
		rc = read_exactly(self, json_row_text(rows, i), i, heap,
				  is_right, err);
		if (rc || !*is_right)
			return rc;
	}
	return 0;
}

/* Bits of the rows of a block that begins at row first. */
static void note_nulls(struct column *column, size_t first, size_t count)
{
	uint64_t *words = column->validity + first / 64;

	if (!column->has_block_nulls)
		return;
	for (size_t at = 0; at < count; at += 64) {
		size_t end = count - at < 64 ? count - at : 64;
		uint64_t word = ~UINT64_C(0);

		for (size_t i = 0; i < end; i++)
			word &= ~((uint64_t)!column->views[at + i].data << i);
		words[at / 64] = word;
		column->has_nulls |= word != ~UINT64_C(0);
	}
}

/* Views of a block to values. false: one does not convert. */
static bool convert_block(struct json_columns *self, struct batch *batch,
			  size_t first, size_t count)
{
	for (size_t c = 0; c < self->column_count; c++) {
		struct column *column = &self->columns[c];
		struct vector *vector = &batch->columns[c];
		size_t width = type_width(&vector->type);

		if (!column->is_wanted)
			continue;
		note_nulls(column, first, count);
		if (!column->is_text &&
		    view_convert(&vector->type, self->what.options->zone,
				 (uint8_t *)vector->data + first * width,
				 column->views, count) < count)
			return false;
	}
	return true;
}

/* Text is made where it stays, all else from views of the block. */
static void begin_block(struct json_columns *self, struct batch *batch,
			size_t first)
{
	for (size_t c = 0; c < self->column_count; c++) {
		struct column *column = &self->columns[c];

		column->views = column->is_wanted && column->is_text
			? vector_bytes(&batch->columns[c]) + first
			: column->own_views;
		column->has_block_nulls = false;
	}
}

static int begin_batch(struct json_columns *self, struct batch *batch,
		       size_t count, struct error *err)
{
	for (size_t c = 0; c < self->column_count; c++) {
		int rc;

		if (!self->columns[c].is_wanted)
			continue;
		self->columns[c].has_nulls = false;
		memset(self->columns[c].validity, 0xff,
		       VALIDITY_WORDS * sizeof(uint64_t));
		rc = vector_reserve(&batch->columns[c], count, err);
		if (rc)
			return rc;
	}
	return 0;
}

static int end_batch(struct json_columns *self, struct batch *batch,
		     size_t count, struct error *err)
{
	batch->row_count = count;
	for (size_t c = 0; c < self->column_count; c++) {
		int rc = 0;

		if (!self->columns[c].is_wanted)
			continue;
		batch->columns[c].count = count;
		if (self->columns[c].has_nulls)
			rc = view_set_validity(&batch->columns[c],
					       self->columns[c].validity, err);
		if (rc)
			return rc;
	}
	return 0;
}

static bool is_utf8(const struct csv_rows *rows)
{
	struct byte_view first, last;

	if (rows->count == 0)
		return true;
	first = json_row_text(rows, 0);
	last = json_row_text(rows, rows->count - 1);
	return utf8_is_valid(first.data, (size_t)(last.data - first.data) +
					 last.length);
}

int json_columns_convert(struct json_columns *self,
			 const struct csv_rows *rows, struct batch *batch,
			 bool *done_out, struct error *err)
{
	bool is_right = is_utf8(rows);
	int rc = begin_batch(self, batch, rows->count, err);

	*done_out = false;
	self->end = (const char *)rows->chunk->bytes + rows->chunk->length;
	for (size_t first = 0; first < rows->count && is_right && !rc;
	     first += BLOCK_ROWS) {
		struct csv_rows block = *rows;
		size_t left = rows->count - first;

		block.first_row += first;
		block.count = left < BLOCK_ROWS ? left : BLOCK_ROWS;
		begin_block(self, batch, first);
		rc = read_block(self, &block, &batch->heap, &is_right, err);
		if (!rc && is_right)
			is_right = convert_block(self, batch, first,
						 block.count);
	}
	if (!rc && is_right)
		rc = end_batch(self, batch, rows->count, err);
	*done_out = !rc && is_right;
	return rc;
}
