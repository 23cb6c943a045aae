/*
 * text_encoding.c - inputs that are not UTF-8
 *
 * Why:    the readers of records know UTF-8 alone; Latin-1, Windows and
 *         UTF-16 exports are read when asked for, never guessed.
 * How:    by iconv() of the C library, a buffer at a time. What it refuses is
 *         kept as bad bytes, so that the row is refused by its own line, and
 *         a record that is set aside is written as it was.
 * Cost:   5 to 10 ns per byte, in the thread that reads.
 * Limits: encodings in which the same text has several forms (ISO-2022) may
 *         be written in another one.
 */
#include "source/text_encoding.h"
#include "source/source.h"

#include <errno.h>
#include <iconv.h>
#include <strings.h>

#define RAW_BYTES ((size_t)32 << 10)
#define NO_ICONV ((iconv_t)-1)
/* What one byte may become. */
#define GROWTH 8

struct text_decoder {
	char *encoding;
	size_t unit_bytes;	/* that are skipped where it is wrong */
	bool by_mark;		/* UTF-16 or UTF-32: the order is not known */
	iconv_t iconv;
	uint8_t raw[RAW_BYTES];
	size_t raw_length;
	bool at_end;
	struct text cooked;
	size_t cooked_used;
};

static bool is_named(const char *name, const char *a, const char *b)
{
	return text_equal_nocase(name, a) || text_equal_nocase(name, b);
}

bool csv_encoding_is_utf8(const char *name, bool *known)
{
	iconv_t try;

	*known = true;
	if (is_named(name, "utf-8", "utf8"))
		return true;
	/* //TRANSLIT and //IGNORE would change text */
	try = strchr(name, '/') || !*name ? NO_ICONV
					  : iconv_open("UTF-8", name);
	*known = try != NO_ICONV;
	if (*known)
		iconv_close(try);
	return false;
}

static size_t unit_bytes(const char *encoding)
{
	if (strncasecmp(encoding, "utf-16", 6) == 0 ||
	    strncasecmp(encoding, "utf16", 5) == 0 ||
	    strncasecmp(encoding, "ucs-2", 5) == 0)
		return 2;
	if (strncasecmp(encoding, "utf-32", 6) == 0 ||
	    strncasecmp(encoding, "utf32", 5) == 0 ||
	    strncasecmp(encoding, "ucs-4", 5) == 0)
		return 4;
	return 1;
}

int text_decoder_new(struct text_decoder **out, const char *encoding,
		     struct error *err)
{
	struct text_decoder *decoder = mem_zalloc(sizeof(*decoder));

	*out = NULL;
	if (decoder)
		decoder->encoding = mem_strdup(encoding);
	if (!decoder || !decoder->encoding) {
		mem_free(decoder);
		return error_set(err, ERROR_NO_MEMORY, "decode %s", encoding);
	}
	decoder->unit_bytes = unit_bytes(encoding);
	decoder->by_mark = is_named(encoding, "utf-16", "utf16") ||
			   is_named(encoding, "utf-32", "utf32");
	decoder->iconv = iconv_open("UTF-8", encoding);
	if (decoder->iconv == NO_ICONV) {
		text_decoder_free(decoder);
		error_set(err, ERROR_USAGE, "no encoding is named '%s'",
			  encoding);
		return error_hint(err, "iconv -l lists them");
	}
	*out = decoder;
	return 0;
}

void text_decoder_free(struct text_decoder *decoder)
{
	if (!decoder)
		return;
	if (decoder->iconv != NO_ICONV)
		iconv_close(decoder->iconv);
	text_release(&decoder->cooked);
	mem_free(decoder->encoding);
	mem_free(decoder);
}

const char *text_decoder_encoding(const struct text_decoder *decoder)
{
	return decoder->encoding;
}

static void add_bad_bytes(struct text *out, const uint8_t *bytes,
			  size_t length)
{
	for (size_t i = 0; i < length; i++) {
		text_add_char(out, (char)TEXT_BAD_BYTE);
		text_add_char(out, (char)(0x80 | bytes[i] >> 4));
		text_add_char(out, (char)(0x80 | (bytes[i] & 15)));
	}
}

uint8_t text_bad_byte(const uint8_t *data, size_t length)
{
	if (length < 3 || data[0] != TEXT_BAD_BYTE)
		return length ? data[0] : 0;
	return (uint8_t)((data[1] & 15) << 4 | (data[2] & 15));
}

/* Which way round, by the first character. */
static int read_mark(struct text_decoder *decoder, struct error *err)
{
	static const struct {
		size_t length;
		const char *bytes;
		const char *encoding;
	} marks[] = {
		{ 2, "\xff\xfe", "UTF-16LE" }, { 2, "\xfe\xff", "UTF-16BE" },
		{ 4, "\xff\xfe\0\0", "UTF-32LE" },
		{ 4, "\0\0\xfe\xff", "UTF-32BE" },
	};
	size_t unit = decoder->unit_bytes;

	for (size_t i = 0; i < ARRAY_COUNT(marks); i++) {
		if (marks[i].length != unit || decoder->raw_length < unit ||
		    memcmp(decoder->raw, marks[i].bytes, unit) != 0)
			continue;
		iconv_close(decoder->iconv);
		mem_free(decoder->encoding);
		decoder->encoding = mem_strdup(marks[i].encoding);
		decoder->iconv = iconv_open("UTF-8", marks[i].encoding);
		decoder->by_mark = false;
		if (!decoder->encoding || decoder->iconv == NO_ICONV)
			return error_set(err, ERROR_NO_MEMORY, "decode");
		return 0;
	}
	error_set(err, ERROR_BAD_ENCODING, "the file does not begin with a "
		  "byte order mark");
	return error_hint(err, "say utf-%zule or utf-%zube", unit * 8,
			  unit * 8);
}

/* raw to cooked as far as it goes. */
static int convert(struct text_decoder *decoder, struct error *err)
{
	struct text *cooked = &decoder->cooked;
	char *in = (char *)decoder->raw;
	size_t left = decoder->raw_length;

	text_reset(cooked);
	decoder->cooked_used = 0;
	if (!text_reserve(cooked, left * GROWTH + GROWTH))
		return error_set(err, ERROR_NO_MEMORY, "decode");
	while (left) {
		char *out = cooked->data + cooked->length;
		size_t room = cooked->capacity - cooked->length;
		size_t skip = decoder->unit_bytes;
		bool is_done = iconv(decoder->iconv, &in, &left, &out,
				     &room) != (size_t)-1;
		int reason = errno;

		cooked->length = (size_t)(out - cooked->data);
		if (is_done || (reason == EINVAL && !decoder->at_end))
			break;
		if (reason == E2BIG) {
			if (!text_reserve(cooked, left * GROWTH + GROWTH))
				return error_set(err, ERROR_NO_MEMORY,
						 "decode");
			continue;
		}
		if (skip > left || reason == EINVAL)
			skip = left;
		add_bad_bytes(cooked, (const uint8_t *)in, skip);
		if (cooked->failed)
			return error_set(err, ERROR_NO_MEMORY, "decode");
		in += skip;
		left -= skip;
		iconv(decoder->iconv, NULL, NULL, NULL, NULL);
	}
	memmove(decoder->raw, in, left);
	decoder->raw_length = left;
	return 0;
}

static int refill(struct text_decoder *decoder, const struct text_pull *pull,
		  struct error *err)
{
	size_t want = RAW_BYTES - decoder->raw_length, got;
	int rc = pull->read(pull->context, decoder->raw + decoder->raw_length,
			    want, &got, err);

	if (rc)
		return rc;
	decoder->raw_length += got;
	decoder->at_end = got < want;
	if (decoder->by_mark && decoder->raw_length) {
		rc = read_mark(decoder, err);
		if (rc)
			return rc;
	}
	return convert(decoder, err);
}

int text_decoder_read(struct text_decoder *decoder,
		      const struct text_pull *pull, void *buffer,
		      size_t capacity, size_t *length_out, struct error *err)
{
	struct text *cooked = &decoder->cooked;
	size_t length = 0;

	*length_out = 0;
	while (length < capacity) {
		size_t take = cooked->length - decoder->cooked_used;

		if (take == 0 && decoder->at_end)
			break;
		if (take == 0) {
			int rc = refill(decoder, pull, err);

			if (rc)
				return rc;
			continue;
		}
		if (take > capacity - length)
			take = capacity - length;
		memcpy((uint8_t *)buffer + length,
		       cooked->data + decoder->cooked_used, take);
		decoder->cooked_used += take;
		length += take;
	}
	*length_out = length;
	return 0;
}

/* Well-formed text without a bad byte. */
static int encode_run(iconv_t to, const uint8_t *data, size_t length,
		      struct text *out, struct error *err)
{
	char *in = (char *)data;

	while (length) {
		size_t room, done;
		char *at;

		if (!text_reserve(out, length * GROWTH + GROWTH))
			return error_set(err, ERROR_NO_MEMORY, "encode");
		at = out->data + out->length;
		room = out->capacity - out->length;
		done = iconv(to, &in, &length, &at, &room);
		out->length = (size_t)(at - out->data);
		if (done == (size_t)-1 && errno != E2BIG)
			return error_set(err, ERROR_INTERNAL,
					 "text that was decoded cannot be "
					 "encoded again");
	}
	return 0;
}

int text_encode(const char *encoding, struct byte_view bytes,
		struct text *out, struct error *err)
{
	iconv_t to = iconv_open(encoding, "UTF-8");
	const uint8_t *at = bytes.data, *end = bytes.data + bytes.length;
	int rc = 0;

	if (to == NO_ICONV)
		return error_set(err, ERROR_NO_MEMORY, "encode %s", encoding);
	while (at < end && !rc) {
		const uint8_t *bad = memchr(at, TEXT_BAD_BYTE,
					    (size_t)(end - at));
		uint8_t byte;

		rc = encode_run(to, at, (size_t)((bad ? bad : end) - at), out,
				err);
		if (!bad || rc)
			break;
		byte = text_bad_byte(bad, (size_t)(end - bad));
		if (!text_add(out, &byte, 1))
			rc = error_set(err, ERROR_NO_MEMORY, "encode");
		at = bad + 3 < end ? bad + 3 : end;
	}
	iconv_close(to);
	return rc;
}
