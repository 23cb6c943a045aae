/*
 * fuzz_json.c - any bytes as JSON values, as JSON Lines and as change events
 *
 * A value that is read prints as JSON that reads as the same packed value.
 * Lines give the same rows, or the same error, however they are cut and by
 * however many threads.
 *
 * Build:  as fuzz_csv.c.
 * Input:  a byte that picks what is done, a byte that picks the types, the
 *         text.
 */
#include "unit/nested_model.h"
#include "unit/csv_readback.h"
#include "source/json_value.h"
#include "fuzz/fuzz_check.h"

#define COLUMN_TYPES 5

static void disagree(const char *text, const struct error *err)
{
	fprintf(stderr, "%s: %s\n", text, err->text);
	abort();
}

/* One value of the type; false if it is refused. */
static bool read_value(const struct type *type, struct byte_view text,
		       struct arena *heap, struct literal *out,
		       struct error *err)
{
	struct json_builder *builder;
	struct json_reader reader;
	struct vector values;
	char *copy = json_text_copy(heap, text);
	int rc;

	vector_init(&values, *type);
	if (json_builder_new(&builder, type, NULL, err))
		abort();
	json_reader_init(&reader, copy, text.length);
	rc = json_builder_add(builder, &reader, heap, err);
	if (!rc && json_finish(&reader, "fuzz", NULL))
		rc = json_syntax_error(&reader, err);
	if (!rc)
		rc = json_builder_finish(builder, &values, heap, err);
	if (!rc)
		*out = vector_get(&values, 0);
	else if (!err->text[0])
		abort();
	vector_release(&values);
	json_builder_free(builder);
	return rc == 0;
}

static void fuzz_value(const struct type *type, struct byte_view text)
{
	struct text json = TEXT_INIT;
	struct arena heap = { 0 };
	struct literal value, again;
	struct error err;

	error_init(&err);
	if (read_value(type, text, &heap, &value, &err) && !value.is_null) {
		if (!format_literal(&value, &json))
			abort();
		if (!read_value(type, byte_view(json.data, json.length),
				&heap, &again, &err))
			disagree(json.data, &err);
		if (!nested_identical(type, value.value.bytes,
				      again.value.bytes) ||
		    nested_compare(type, value.value.bytes,
				   again.value.bytes) != 0 ||
		    nested_hash(type, value.value.bytes) !=
		    nested_hash(type, again.value.bytes))
			disagree(json.data, &err);
	}
	text_release(&json);
	arena_release(&heap);
}

static void fuzz_lines(const struct type *types, struct byte_view text,
		       bool is_debezium)
{
	struct readback whole, cut;
	struct csv_options options;

	csv_options_init(&options);
	options.is_jsonl = true;
	options.is_debezium = is_debezium;
	memset(&whole, 0, sizeof(whole));
	whole.options = &options;
	whole.types = types;
	whole.type_count = COLUMN_TYPES;
	whole.thread_count = 1;
	cut = whole;
	cut.thread_count = 2;
	readback_bytes(&whole, text.data, text.length);
	options.chunk_bytes = 16;
	readback_bytes(&cut, text.data, text.length);
	if (whole.rc != cut.rc || whole.err.line != cut.err.line)
		disagree(whole.err.text, &cut.err);
	if (whole.rc == 0 && (whole.rows.length != cut.rows.length ||
			      (cut.rows.length &&
			       memcmp(whole.rows.data, cut.rows.data,
				      cut.rows.length) != 0)))
		abort();
	text_release(&whole.rows);
	text_release(&cut.rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	struct type types[COLUMN_TYPES];
	struct model model = { .seed = 0 };
	struct byte_view text;

	if (length < 2 || length > 4096)
		return 0;
	text = byte_view(data + 2, length - 2);
	model.seed = data[1] * UINT64_C(2654435761) + 1;
	for (size_t i = 0; i < COLUMN_TYPES; i++)
		do
			types[i] = model_type(&model, 3);
		while (i == 0 && !type_is_nested(&types[i]));
	if (data[0] & 1)
		fuzz_value(&types[0], text);
	else if (length < 5 ||
		 (memcmp(text.data, "\x1f\x8b\x08", 3) != 0 &&
		  memcmp(text.data, "\x28\xb5\x2f", 3) != 0))
		fuzz_lines(types, text, data[0] & 2);
	arena_release(&model.arena);
	return 0;
}
