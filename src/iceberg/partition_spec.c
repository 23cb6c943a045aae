/*
 * partition_spec.c - partition specs and sort orders of the metadata document
 *
 * Why:    each manifest names the spec that its files were placed by, so all
 *         that a table ever had are kept.
 * Limits: a field of several sources (version 3, "source-ids") is
 *         ERROR_UNSUPPORTED.
 */
#include "iceberg/metadata_json.h"

/* "source-id", or "source-ids" with one item. */
static bool parse_source(struct metadata_parser *parser, const char *key,
			 int32_t *out)
{
	struct json_reader *json = &parser->json;
	size_t count = 0;

	if (!strcmp(key, "source-id")) {
		*out = json_int32(json);
		return true;
	}
	if (strcmp(key, "source-ids") != 0)
		return false;
	json_begin_array(json);
	while (json_next_item(json)) {
		*out = json_int32(json);
		if (++count > 1)
			parser_fail(parser, error_set(parser->err,
				ERROR_UNSUPPORTED,
				"%s: a partition or sort field of several "
				"columns", parser->name));
	}
	return true;
}

static void parse_transform(struct metadata_parser *parser,
			    struct transform *out)
{
	const char *text = json_string(&parser->json);
	int rc;

	rc = transform_parse(out, text, &parser->m->arena, parser->err);
	if (rc)
		parser_fail(parser, rc);
}

static void parse_spec_field(struct metadata_parser *parser,
			     struct partition_field *field)
{
	struct json_reader *json = &parser->json;
	const char *key;

	field->source_id = -1;
	field->field_id = -1;
	json_begin_object(json);
	while ((key = json_next_key(json))) {
		if (!strcmp(key, "name"))
			field->name = parser_string(parser);
		else if (!strcmp(key, "transform"))
			parse_transform(parser, &field->transform);
		else if (!strcmp(key, "field-id"))
			field->field_id = json_int32(json);
		else if (!parse_source(parser, key, &field->source_id))
			json_skip(json);
	}
	if (!field->name || !field->transform.text || field->source_id < 0)
		json_fail(json, "a partition field lacks a member");
}

void parse_spec_fields(struct metadata_parser *parser,
		       struct partition_spec *spec)
{
	struct partition_field *field;
	size_t without_id = 0;

	json_begin_array(&parser->json);
	while (json_next_item(&parser->json)) {
		field = parse_item(parser, (void **)&spec->fields,
				   &spec->field_count, sizeof(*field));
		if (!field)
			return;
		parse_spec_field(parser, field);
		without_id += field->field_id < 0;
	}
	if (!without_id)
		return;
	/* old tables number them by position */
	if (without_id != spec->field_count)
		json_fail(&parser->json,
			  "some partition fields have an id, some not");
	for (size_t i = 0; i < spec->field_count; i++)
		spec->fields[i].field_id = 1000 + (int32_t)i;
}

void parse_spec(struct metadata_parser *parser)
{
	struct table_metadata *m = parser->m;
	struct partition_spec *spec;
	bool has_id = false, has_fields = false;
	const char *key;

	spec = parse_item(parser, (void **)&m->specs, &m->spec_count,
			  sizeof(*spec));
	if (!spec)
		return;
	json_begin_object(&parser->json);
	while ((key = json_next_key(&parser->json))) {
		if (!strcmp(key, "spec-id")) {
			spec->spec_id = json_int32(&parser->json);
			has_id = true;
		} else if (!strcmp(key, "fields") && !has_fields) {
			parse_spec_fields(parser, spec);
			has_fields = true;
		} else {
			json_skip(&parser->json);
		}
	}
	if (!has_id || !has_fields)
		json_fail(&parser->json, "a partition spec lacks a member");
}

static void parse_sort_field(struct metadata_parser *parser,
			     struct sort_field *field)
{
	struct json_reader *json = &parser->json;
	const char *key, *text;

	field->source_id = -1;
	json_begin_object(json);
	while ((key = json_next_key(json))) {
		if (!strcmp(key, "transform")) {
			parse_transform(parser, &field->transform);
		} else if (!strcmp(key, "direction")) {
			text = json_string(json);
			field->descending = text_equal_nocase(text, "desc");
			if (!field->descending &&
			    !text_equal_nocase(text, "asc"))
				json_fail(json, "unknown sort direction");
		} else if (!strcmp(key, "null-order")) {
			text = json_string(json);
			field->nulls_first = text_equal_nocase(text,
							"nulls-first");
			if (!field->nulls_first &&
			    !text_equal_nocase(text, "nulls-last"))
				json_fail(json, "unknown null order");
		} else if (!parse_source(parser, key, &field->source_id)) {
			json_skip(json);
		}
	}
	if (!field->transform.text || field->source_id < 0)
		json_fail(json, "a sort field lacks a member");
}

void parse_sort_order(struct metadata_parser *parser)
{
	struct table_metadata *m = parser->m;
	struct sort_order *order;
	struct sort_field *field;
	bool has_id = false;
	const char *key;

	order = parse_item(parser, (void **)&m->sort_orders,
			   &m->sort_order_count, sizeof(*order));
	if (!order)
		return;
	json_begin_object(&parser->json);
	while ((key = json_next_key(&parser->json))) {
		if (!strcmp(key, "order-id")) {
			order->order_id = json_int32(&parser->json);
			has_id = true;
			continue;
		}
		if (strcmp(key, "fields") != 0 || order->field_count) {
			json_skip(&parser->json);
			continue;
		}
		json_begin_array(&parser->json);
		while (json_next_item(&parser->json)) {
			field = parse_item(parser, (void **)&order->fields,
					   &order->field_count,
					   sizeof(*field));
			if (!field)
				return;
			parse_sort_field(parser, field);
		}
	}
	if (!has_id)
		json_fail(&parser->json, "a sort order without an id");
}

void format_spec_fields(const struct partition_spec *spec, struct text *out)
{
	text_add_char(out, '[');
	for (size_t i = 0; i < spec->field_count; i++) {
		const struct partition_field *field = &spec->fields[i];

		text_add_str(out, i ? ",{\"name\":" : "{\"name\":");
		add_json_string(out, field->name);
		text_add_str(out, ",\"transform\":");
		add_json_string(out, field->transform.text);
		text_addf(out, ",\"source-id\":%d,\"field-id\":%d}",
			  (int)field->source_id, (int)field->field_id);
	}
	text_add_char(out, ']');
}

void format_spec(const struct partition_spec *spec, struct text *out)
{
	text_addf(out, "{\"spec-id\":%d,\"fields\":", (int)spec->spec_id);
	format_spec_fields(spec, out);
	text_add_char(out, '}');
}

void format_sort_order(const struct sort_order *order, struct text *out)
{
	text_addf(out, "{\"order-id\":%d,\"fields\":[", (int)order->order_id);
	for (size_t i = 0; i < order->field_count; i++) {
		const struct sort_field *field = &order->fields[i];

		text_add_str(out, i ? ",{\"transform\":" : "{\"transform\":");
		add_json_string(out, field->transform.text);
		text_addf(out, ",\"source-id\":%d,\"direction\":\"%s\","
			  "\"null-order\":\"%s\"}", (int)field->source_id,
			  field->descending ? "desc" : "asc",
			  field->nulls_first ? "nulls-first" : "nulls-last");
	}
	text_add_str(out, "]}");
}
