/*
 * fragment.c - what a writer made, as JSON
 *
 * Why:    sinks hand their results over as texts that the engine carries
 *         without looking, so that they may come from anywhere.
 * How:    one object a file, members as the manifest names them; unknown
 *         numbers are left out. Bounds and partition values are binary single
 *         values in hex.
 */
#include <inttypes.h>
#include "table/write/write_state.h"

static const char *const kinds[] = { "add-data", "add-deletes",
				     "remove-data", "remove-deletes" };
static const char *const formats[] = { "parquet", "avro", "orc", "puffin",
				       "other" };

static void put_string(struct text *out, const char *key, const char *value)
{
	text_addf(out, ",\"%s\":", key);
	text_add_json(out, value, strlen(value));
}

static void put_number(struct text *out, const char *key, int64_t value)
{
	if (value >= 0)
		text_addf(out, ",\"%s\":%" PRId64, key, value);
}

static void put_hex(struct text *out, struct byte_view bytes)
{
	static const char digits[] = "0123456789abcdef";

	text_add_char(out, '"');
	for (size_t i = 0; i < bytes.length; i++) {
		char pair[2] = { digits[bytes.data[i] >> 4],
				 digits[bytes.data[i] & 15] };

		text_add(out, pair, 2);
	}
	text_add_char(out, '"');
}

static void put_metrics(struct text *out, const struct data_file *file)
{
	text_add_str(out, ",\"metrics\":[");
	for (size_t i = 0; i < file->metrics_count; i++) {
		const struct column_metrics *m = &file->metrics[i];

		text_addf(out, "%s{\"id\":%" PRId32, i ? "," : "",
			  m->field_id);
		put_number(out, "size", m->column_size);
		put_number(out, "values", m->value_count);
		put_number(out, "nulls", m->null_count);
		put_number(out, "nans", m->nan_count);
		if (m->lower.data) {
			text_add_str(out, ",\"lower\":");
			put_hex(out, m->lower);
		}
		if (m->upper.data) {
			text_add_str(out, ",\"upper\":");
			put_hex(out, m->upper);
		}
		text_add_char(out, '}');
	}
	text_add_char(out, ']');
}

static int put_partition(struct text *out, const struct data_file *file,
			 struct error *err)
{
	struct text bytes = TEXT_INIT;
	int rc = 0;

	text_add_str(out, ",\"partition\":[");
	for (size_t i = 0; !rc && i < file->partition_count; i++) {
		const struct literal *value = &file->partition[i];

		text_add_str(out, i ? ",{\"type\":\"" : "{\"type\":\"");
		if (!type_json_format(&value->type, out) && !out->failed)
			rc = error_set(err, ERROR_UNSUPPORTED, "a partition "
				       "of an unknown type ('%s')",
				       file->path);
		text_add_char(out, '"');
		text_reset(&bytes);
		if (!rc && !value->is_null) {
			rc = single_value_encode(value, &bytes, err);
			text_add_str(out, ",\"value\":");
			put_hex(out, byte_view(bytes.data, bytes.length));
		}
		text_add_char(out, '}');
	}
	text_add_char(out, ']');
	text_release(&bytes);
	return rc;
}

static void put_splits(struct text *out, const struct data_file *file)
{
	text_add_str(out, ",\"splits\":[");
	for (size_t i = 0; i < file->split_count; i++)
		text_addf(out, "%s%" PRId64, i ? "," : "",
			  file->split_offsets[i]);
	text_add_char(out, ']');
}

int fragment_format(const struct fragment *fragment, char **out,
		    struct error *err)
{
	const struct data_file *file = &fragment->file;
	struct text text = TEXT_INIT;
	int rc = 0;

	*out = NULL;
	text_addf(&text, "{\"kind\":\"%s\"", kinds[fragment->kind]);
	put_string(&text, "path", file->path);
	put_number(&text, "offset", file->content_offset);
	if (fragment->kind == FRAGMENT_ADD_DATA ||
	    fragment->kind == FRAGMENT_ADD_DELETES) {
		put_string(&text, "format", formats[file->format]);
		put_number(&text, "spec", file->spec_id);
		put_number(&text, "rows", file->record_count);
		put_number(&text, "bytes", file->file_size);
		put_number(&text, "order", file->sort_order_id);
		put_number(&text, "length", file->content_size);
		if (file->referenced_data_file)
			put_string(&text, "about", file->referenced_data_file);
		if (file->metrics_count)
			put_metrics(&text, file);
		if (file->split_count)
			put_splits(&text, file);
		rc = put_partition(&text, file, err);
	}
	text_add_char(&text, '}');
	if (!rc && text.failed)
		rc = error_set(err, ERROR_NO_MEMORY, "fragment");
	if (!rc)
		*out = text_detach(&text);
	text_release(&text);
	return rc;
}

struct fragment_parser {
	struct json_reader json;
	struct arena *arena;
	int rc;
	struct error *err;
};

static void fail_memory(struct fragment_parser *parser)
{
	if (!parser->rc)
		parser->rc = error_set(parser->err, ERROR_NO_MEMORY,
				       "fragment");
	json_fail(&parser->json, "out of memory");
}

/* One more item behind an array that lives in the arena. */
static void *parser_grow(struct fragment_parser *parser, void **items,
			 size_t *count, size_t *capacity, size_t size)
{
	if (*count == *capacity) {
		size_t more = *capacity ? *capacity * 2 : 8;
		void *bigger = arena_zalloc_array(parser->arena, more, size);

		if (!bigger) {
			fail_memory(parser);
			return NULL;
		}
		if (*count)
			memcpy(bigger, *items, *count * size);
		*items = bigger;
		*capacity = more;
	}
	return (char *)*items + (*count)++ * size;
}

static struct byte_view parse_bytes(struct fragment_parser *parser)
{
	const char *hex = json_string(&parser->json);
	size_t length = strlen(hex), bytes = 0;
	uint8_t *data = arena_alloc_bytes(parser->arena, length / 2 + 1);

	if (!data) {
		fail_memory(parser);
		return byte_view(NULL, 0);
	}
	if (parse_hex(hex, length, data, &bytes))
		json_fail(&parser->json, "not in hex");
	return byte_view(data, bytes);
}

static void parse_metric(struct fragment_parser *parser,
			 struct column_metrics *out)
{
	struct json_reader *json = &parser->json;
	const char *key;

	out->column_size = out->value_count = -1;
	out->null_count = out->nan_count = -1;
	json_begin_object(json);
	while ((key = json_next_key(json))) {
		if (!strcmp(key, "id"))
			out->field_id = json_int32(json);
		else if (!strcmp(key, "size"))
			out->column_size = json_int64(json);
		else if (!strcmp(key, "values"))
			out->value_count = json_int64(json);
		else if (!strcmp(key, "nulls"))
			out->null_count = json_int64(json);
		else if (!strcmp(key, "nans"))
			out->nan_count = json_int64(json);
		else if (!strcmp(key, "lower"))
			out->lower = parse_bytes(parser);
		else if (!strcmp(key, "upper"))
			out->upper = parse_bytes(parser);
		else
			json_skip(json);
	}
}

static void parse_metrics(struct fragment_parser *parser,
			  struct data_file *file)
{
	size_t capacity = 0;

	json_begin_array(&parser->json);
	while (json_next_item(&parser->json)) {
		struct column_metrics *m = parser_grow(
			parser, (void **)&file->metrics,
			&file->metrics_count, &capacity, sizeof(*m));

		if (!m)
			return;
		parse_metric(parser, m);
	}
}

static void parse_splits(struct fragment_parser *parser,
			 struct data_file *file)
{
	size_t capacity = 0;

	json_begin_array(&parser->json);
	while (json_next_item(&parser->json)) {
		int64_t *offset = parser_grow(
			parser, (void **)&file->split_offsets,
			&file->split_count, &capacity, sizeof(*offset));

		if (!offset)
			return;
		*offset = json_int64(&parser->json);
	}
}

static void parse_partition_value(struct fragment_parser *parser,
				  struct literal *out)
{
	struct json_reader *json = &parser->json;
	struct byte_view bytes = { NULL, 0 };
	const char *key;

	json_begin_object(json);
	while ((key = json_next_key(json))) {
		if (!strcmp(key, "type")) {
			const char *name = json_string(json);

			if (type_json_parse(&out->type, name, NULL))
				json_fail(json, "no type");
		} else if (!strcmp(key, "value")) {
			bytes = parse_bytes(parser);
		} else {
			json_skip(json);
		}
	}
	out->is_null = !bytes.data;
	if (bytes.data &&
	    single_value_decode(&out->type, bytes, out, NULL))
		json_fail(json, "no value of its type");
}

static void parse_partition(struct fragment_parser *parser,
			    struct data_file *file)
{
	size_t capacity = 0;

	json_begin_array(&parser->json);
	while (json_next_item(&parser->json)) {
		struct literal *value = parser_grow(
			parser, (void **)&file->partition,
			&file->partition_count, &capacity, sizeof(*value));

		if (!value)
			return;
		parse_partition_value(parser, value);
	}
}

/* The position of a word in a list, else the reader fails. */
static int parse_word(struct fragment_parser *parser,
		      const char *const *words, size_t count)
{
	const char *word = json_string(&parser->json);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(words[i], word))
			return (int)i;
	json_fail(&parser->json, "an unknown word");
	return 0;
}

static bool parse_file_number(struct json_reader *json, const char *key,
			      struct data_file *file)
{
	if (!strcmp(key, "offset"))
		file->content_offset = json_int64(json);
	else if (!strcmp(key, "spec"))
		file->spec_id = json_int32(json);
	else if (!strcmp(key, "rows"))
		file->record_count = json_int64(json);
	else if (!strcmp(key, "bytes"))
		file->file_size = json_int64(json);
	else if (!strcmp(key, "order"))
		file->sort_order_id = json_int32(json);
	else if (!strcmp(key, "length"))
		file->content_size = json_int64(json);
	else
		return false;
	return true;
}

static void parse_member(struct fragment_parser *parser, const char *key,
			 struct fragment *out)
{
	struct json_reader *json = &parser->json;
	struct data_file *file = &out->file;

	if (parse_file_number(json, key, file))
		return;
	if (!strcmp(key, "kind"))
		out->kind = (enum fragment_kind)parse_word(
			parser, kinds, ARRAY_COUNT(kinds));
	else if (!strcmp(key, "format"))
		file->format = (enum file_format)parse_word(
			parser, formats, ARRAY_COUNT(formats));
	else if (!strcmp(key, "path"))
		file->path = json_string(json);
	else if (!strcmp(key, "about"))
		file->referenced_data_file = json_string(json);
	else if (!strcmp(key, "metrics"))
		parse_metrics(parser, file);
	else if (!strcmp(key, "splits"))
		parse_splits(parser, file);
	else if (!strcmp(key, "partition"))
		parse_partition(parser, file);
	else
		json_skip(json);
}

int fragment_parse(const char *json, struct arena *arena,
		   struct fragment *out, struct error *err)
{
	size_t length = strlen(json);
	struct fragment_parser parser = { .arena = arena, .err = err };
	char *copy = arena_strndup(arena, json, length);
	struct data_file *file = &out->file;
	const char *key;
	int rc;

	memset(out, 0, sizeof(*out));
	if (!copy)
		return error_set(err, ERROR_NO_MEMORY, "fragment");
	file->record_count = file->file_size = -1;
	file->sort_order_id = -1;
	file->first_row_id = -1;
	file->content_offset = file->content_size = -1;
	json_reader_init(&parser.json, copy, length);
	json_begin_object(&parser.json);
	while ((key = json_next_key(&parser.json)))
		parse_member(&parser, key, out);
	rc = json_finish(&parser.json, "fragment", parser.rc ? NULL : err);
	if (parser.rc)
		return parser.rc;
	if (!rc && !file->path)
		rc = error_set(err, ERROR_CORRUPT, "a fragment without path");
	if (out->kind == FRAGMENT_ADD_DELETES ||
	    out->kind == FRAGMENT_REMOVE_DELETES)
		file->content = CONTENT_POSITION_DELETES;
	return rc;
}

int add_fragment(struct fragments *out, const struct fragment *fragment,
		 struct error *err)
{
	char *json;
	int rc = fragment_format(fragment, &json, err);

	if (rc)
		return rc;
	rc = fragments_add(out, json, err);
	if (rc)
		mem_free(json);
	return rc;
}
