/*
 * kernel_like.c - LIKE
 *
 * Why:    % is any text, _ one character, an escape makes either plain.
 * How:    a pattern becomes a list of parts: bytes, one character, any text.
 *         A constant pattern (nearly all are) is split once per program;
 *         'abc', 'abc%', '%abc' and '%abc%' are recognised and need one
 *         comparison or one search. Otherwise the parts are matched from the
 *         left, going back to the last % on a mismatch.
 * Cost:   a memcmp or memmem a row for the simple shapes.
 */
#include "expr/kernel_like.h"
#include "expr/text_utf8.h"

enum part_kind {
	PART_BYTES,
	PART_ONE,
	PART_ANY,
};

struct like_part {
	enum part_kind kind;
	struct byte_view bytes;
};

enum like_shape {
	LIKE_EXACT,
	LIKE_PREFIX,
	LIKE_SUFFIX,
	LIKE_INSIDE,
	LIKE_PARTS,
};

struct like_pattern {
	enum like_shape shape;
	struct byte_view bytes;		/* of the simple shapes */
	struct like_part *parts;
	size_t part_count;
};

static void add_part(struct like_pattern *pattern, enum part_kind kind,
		     struct byte_view bytes)
{
	struct like_part *last = NULL;

	if (pattern->part_count)
		last = &pattern->parts[pattern->part_count - 1];
	if (last && last->kind == PART_ANY && kind == PART_ANY)
		return;
	/* Plain text is copied to one place, so that it can be joined. */
	if (last && last->kind == PART_BYTES && kind == PART_BYTES) {
		last->bytes.length += bytes.length;
		return;
	}
	pattern->parts[pattern->part_count].kind = kind;
	pattern->parts[pattern->part_count++].bytes = bytes;
}

static bool is_kind(const struct like_pattern *pattern, size_t i,
		    enum part_kind kind)
{
	return i < pattern->part_count && pattern->parts[i].kind == kind;
}

static void find_shape(struct like_pattern *pattern)
{
	size_t count = pattern->part_count;
	bool starts_any = is_kind(pattern, 0, PART_ANY);
	bool ends_any = count && is_kind(pattern, count - 1, PART_ANY);
	size_t plain = count - starts_any - (ends_any && count > 1);

	pattern->shape = LIKE_PARTS;
	if (plain > 1)
		return;
	if (plain == 1) {
		if (!is_kind(pattern, starts_any, PART_BYTES))
			return;
		pattern->bytes = pattern->parts[starts_any].bytes;
	}
	if (starts_any && (ends_any || count == 1))
		pattern->shape = LIKE_INSIDE;
	else if (starts_any)
		pattern->shape = LIKE_SUFFIX;
	else if (ends_any)
		pattern->shape = LIKE_PREFIX;
	else
		pattern->shape = LIKE_EXACT;
}

/* Split a pattern. escape length 0 = none. */
static int pattern_new(struct like_pattern *out, struct byte_view text,
		       struct byte_view escape, struct arena *arena,
		       struct error *err)
{
	uint8_t *plain = arena_alloc_bytes(arena, text.length);
	size_t at = 0, used = 0;

	memset(out, 0, sizeof(*out));
	out->parts = arena_zalloc_array(arena, text.length + 1,
					sizeof(*out->parts));
	if (!plain || !out->parts)
		return error_set(err, ERROR_NO_MEMORY, "LIKE pattern");
	while (at < text.length) {
		size_t width = utf8_step(text.data + at, text.length - at);
		bool escaped = escape.length && width == escape.length &&
			memcmp(text.data + at, escape.data, width) == 0;

		if (escaped) {
			at += width;
			width = at < text.length
				? utf8_step(text.data + at, text.length - at)
				: 0;
			if (!width || !(text.data[at] == '%' ||
			    text.data[at] == '_' || (width == escape.length &&
			    memcmp(text.data + at, escape.data, width) == 0)))
				return error_set(err, ERROR_BAD_ARGUMENT,
					"LIKE: the escape character must be "
					"followed by '%%', '_' or itself");
		}
		if (!escaped && text.data[at] == '%') {
			add_part(out, PART_ANY, byte_view(NULL, 0));
		} else if (!escaped && text.data[at] == '_') {
			add_part(out, PART_ONE, byte_view(NULL, 0));
		} else {
			memcpy(plain + used, text.data + at, width);
			add_part(out, PART_BYTES, byte_view(plain + used,
							    width));
			used += width;
		}
		at += width;
	}
	find_shape(out);
	return 0;
}

static int check_escape(struct byte_view escape, struct error *err)
{
	if (escape.length &&
	    utf8_step(escape.data, escape.length) == escape.length)
		return 0;
	return error_set(err, ERROR_BAD_ARGUMENT,
			 "LIKE: the escape must be a single character");
}

int like_prepare(const struct expr *node, struct arena *arena, void **state,
		 struct error *err)
{
	struct byte_view escape = byte_view(NULL, 0);
	struct like_pattern *pattern;
	int rc;

	*state = NULL;
	for (size_t i = 1; i < node->arg_count; i++) {
		if (node->args[i]->kind != EXPR_LITERAL ||
		    node->args[i]->literal.is_null)
			return 0;
	}
	pattern = arena_zalloc(arena, sizeof(*pattern));
	if (!pattern)
		return error_set(err, ERROR_NO_MEMORY, "LIKE pattern");
	if (node->arg_count > 2) {
		escape = node->args[2]->literal.value.bytes;
		rc = check_escape(escape, err);
		/* A bad one fails when a row reaches it, not before. */
		if (rc)
			return 0;
	}
	rc = pattern_new(pattern, node->args[1]->literal.value.bytes, escape,
			 arena, err);
	if (!rc)
		*state = pattern;
	return rc == ERROR_NO_MEMORY ? rc : 0;
}

static bool same_at(struct byte_view text, size_t at, struct byte_view bytes)
{
	return text.length - at >= bytes.length &&
	       (!bytes.length ||
		memcmp(text.data + at, bytes.data, bytes.length) == 0);
}

static bool match_parts(const struct like_pattern *pattern,
			struct byte_view text)
{
	size_t part = 0, at = 0;
	size_t any = SIZE_MAX, any_at = 0;	/* the last % and its end */

	for (;;) {
		if (part == pattern->part_count && at == text.length)
			return true;
		if (part < pattern->part_count) {
			const struct like_part *p = &pattern->parts[part];

			if (p->kind == PART_ANY) {
				any = part++;
				any_at = at;
				continue;
			}
			if (p->kind == PART_ONE && at < text.length) {
				at += utf8_step(text.data + at,
						text.length - at);
				part++;
				continue;
			}
			if (p->kind == PART_BYTES &&
			    same_at(text, at, p->bytes)) {
				at += p->bytes.length;
				part++;
				continue;
			}
		}
		if (any == SIZE_MAX || any_at >= text.length)
			return false;
		any_at += utf8_step(text.data + any_at,
				    text.length - any_at);
		at = any_at;
		part = any + 1;
	}
}

static bool match(const struct like_pattern *pattern, struct byte_view text)
{
	struct byte_view bytes = pattern->bytes;

	switch (pattern->shape) {
	case LIKE_EXACT:
		return byte_view_equal(text, bytes);
	case LIKE_PREFIX:
		return same_at(text, 0, bytes);
	case LIKE_SUFFIX:
		return text.length >= bytes.length &&
		       same_at(text, text.length - bytes.length, bytes);
	case LIKE_INSIDE:
		return !bytes.length ||
		       (text.length >= bytes.length &&
			memmem(text.data, text.length, bytes.data,
			       bytes.length));
	default:
		return match_parts(pattern, text);
	}
}

int like_run(struct kernel_call *call)
{
	const struct byte_view *text = vector_bytes(call->args[0]);
	const struct byte_view *pattern = vector_bytes(call->args[1]);
	const struct like_pattern *prepared = call->state;
	uint8_t *out = vector_bool(call->result);

	KERNEL_ROWS(call, i) {
		struct byte_view escape = byte_view(NULL, 0);
		struct like_pattern own;
		int rc = 0;

		if (prepared) {
			out[i] = match(prepared, text[i]);
			continue;
		}
		if (call->arg_count > 2) {
			escape = vector_bytes(call->args[2])[i];
			rc = check_escape(escape, call->err);
		}
		if (!rc)
			rc = pattern_new(&own, pattern[i], escape, call->heap,
					 call->err);
		if (rc)
			return kernel_failed(call, i, rc);
		out[i] = match(&own, text[i]);
	}
	return 0;
}
