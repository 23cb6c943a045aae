/*
 * fuzz_regex_date.c - any bytes as patterns of text and of dates
 *
 * A regular expression and a text go through every regexp function, which end
 * and agree with one another; a pattern of dates writes what it reads again;
 * a time zone file gives offsets or is refused.
 *
 * Build:  as fuzz_csv.c.
 * Input:  a byte that picks what is done, the pattern, a zero byte, the text.
 */
#include "expr/expr.h"
#include "expr/time_format.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

static const struct expr_context utc = { .now_us = 0 };

/* VARCHAR is well-formed always: bytes that are not are made so. */
static struct byte_view well_formed(struct arena *arena,
				    struct byte_view bytes)
{
	uint8_t *out = arena_alloc(arena, 2 * bytes.length + 1);
	size_t used = 0;

	for (size_t i = 0; i < bytes.length; i++) {
		uint8_t c = bytes.data[i];

		if (c >= 0x80)
			out[used++] = (uint8_t)(0xc0 | c >> 6);
		out[used++] = c >= 0x80 ? (uint8_t)(0x80 | (c & 0x3f)) : c;
	}
	return byte_view(out, used);
}

static struct expr *text_node(struct arena *arena, struct byte_view bytes)
{
	struct literal value = literal_null(type_of(TYPE_VARCHAR));

	value.is_null = false;
	value.value.bytes = bytes;
	return expr_literal(arena, &value);
}

/* name(args); false when it refuses them. */
static bool call(struct arena *arena, const char *name, struct expr **args,
		 size_t count, struct literal *out)
{
	struct type types[3], wanted[3];
	struct function_lookup lookup = { .name = name, .args = types,
		.arg_count = count, .arena = arena, .wanted = wanted };
	struct expr *expr;
	struct error err;
	int rc;

	error_init(&err);
	for (size_t i = 0; i < count; i++)
		types[i] = args[i]->type;
	if (function_find(&lookup, &err))
		abort();
	expr = expr_new(arena, EXPR_CALL, lookup.result, count);
	expr->function = lookup.function;
	memcpy(expr->args, args, count * sizeof(*args));
	rc = expr_evaluate(expr, &utc, arena, out, &err);
	if (rc && rc != ERROR_BAD_ARGUMENT) {
		fprintf(stderr, "%s: %s\n", name, err.text);
		abort();
	}
	return rc == 0;
}

static void fuzz_regex(struct arena *arena, struct byte_view pattern,
		       struct byte_view text)
{
	struct literal like, count, all, split, position, extract, replace;
	struct expr *args[3];
	size_t pieces;

	args[0] = text_node(arena, well_formed(arena, text));
	args[1] = text_node(arena, well_formed(arena, pattern));
	if (!call(arena, "regexp_like", args, 2, &like) ||
	    !call(arena, "regexp_count", args, 2, &count) ||
	    !call(arena, "regexp_extract_all", args, 2, &all) ||
	    !call(arena, "regexp_split", args, 2, &split) ||
	    !call(arena, "regexp_position", args, 2, &position) ||
	    !call(arena, "regexp_extract", args, 2, &extract))
		return;
	pieces = nested_count(&all.type, all.value.bytes);
	if ((int64_t)pieces != count.value.int64 ||
	    nested_count(&split.type, split.value.bytes) != pieces + 1 ||
	    like.value.boolean != (pieces > 0) ||
	    (position.value.int64 > 0) != (pieces > 0) ||
	    extract.is_null != (pieces == 0))
		abort();
	/* Each match by itself changes nothing. */
	args[2] = text_node(arena, byte_view("$0", 2));
	if (!call(arena, "regexp_replace", args, 3, &replace))
		return;
	if (replace.value.bytes.length != args[0]->literal.value.bytes.length ||
	    (replace.value.bytes.length &&
	     memcmp(replace.value.bytes.data,
		    args[0]->literal.value.bytes.data,
		    replace.value.bytes.length) != 0))
		abort();
	args[2] = args[1];
	call(arena, "regexp_replace", args, 3, &replace);
}

static void fuzz_date(struct byte_view pattern, struct byte_view text,
		      enum time_style style)
{
	static char out[TIME_ITEM_LIMIT * TIME_ITEM_BYTES +
			TIME_PATTERN_BYTES];
	struct time_format format;
	struct time_parts parts;
	size_t length;

	if (time_format_compile(&format, pattern, style))
		return;
	if (!time_format_read(&format, text, &parts))
		memset(&parts, 0, sizeof(parts));
	length = time_format_write(&format, &parts, out);
	if (length > sizeof(out))
		abort();
	/* What was written may be ambiguous, but reading it ends. */
	time_format_read(&format, byte_view(out, length), &parts);
}

static void fuzz_iso(struct byte_view text)
{
	struct time_parts parts;

	if (time_read_iso(text, true, &parts) &&
	    (parts.us < 0 || parts.us >= US_PER_DAY))
		abort();
	time_read_iso(text, false, &parts);
}

static void fuzz_zone(struct byte_view file)
{
	struct time_zone *zone;
	struct error err;

	error_init(&err);
	if (time_zone_from_file(&zone, file, &err))
		return;
	for (int64_t t = -9000000000000; t < 9000000000000; t += 90000000123) {
		int32_t offset = time_zone_offset(zone, t);

		if (offset < -30 * 3600 || offset > 30 * 3600)
			abort();
		time_zone_local_offset(zone, t);
	}
	time_zone_free(zone);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	struct byte_view pattern, text;
	struct arena arena = { 0 };
	const uint8_t *zero;

	if (length < 2 || length > 4096)
		return 0;
	pattern = byte_view(data + 1, length - 1);
	zero = memchr(pattern.data, '\0', pattern.length);
	text = byte_view(pattern.data + pattern.length, 0);
	if (zero && data[0] % 5 != 4) {
		text = byte_view(zero + 1, (size_t)(data + length - zero) - 1);
		pattern.length = (size_t)(zero - pattern.data);
	}
	switch (data[0] % 5) {
	case 0:
		fuzz_regex(&arena, pattern, text);
		break;
	case 1:
		fuzz_date(pattern, text, TIME_STYLE_MYSQL);
		break;
	case 2:
		fuzz_date(pattern, text, TIME_STYLE_JODA);
		break;
	case 3:
		fuzz_iso(pattern);
		break;
	default:
		fuzz_zone(pattern);
		break;
	}
	arena_release(&arena);
	return 0;
}
