/*
 * csv_record.c - where a record ends, also a wrong one
 *
 * Why:    a wrong record that is set aside must not take its neighbours with
 *         it, and must be the same one wherever the input was cut.
 * How:    from quote to quote; outside of them an LF ends the record. A quote
 *         that neither opens nor closes a field says that the quotes of the
 *         record cannot be trusted: it ends with that line. So what may be
 *         the inside of a field never becomes a record of its own. A lone CR
 *         is refused by the reader, but does not end anything here.
 * Cost:   a search for LF and one for the quote per record.
 */
#include "source/csv_chunk.h"
#include "source/text_encoding.h"

/* Behind the first LF at or after an offset; 0 = there is none. */
static size_t line_end(struct byte_view bytes, size_t at)
{
	const uint8_t *lf = NULL;

	if (at < bytes.length)
		lf = memchr(bytes.data + at, '\n', bytes.length - at);
	return lf ? (size_t)(lf - bytes.data) + 1 : 0;
}

/* Behind the quote that closes what is open at an offset; 0 = none is sure
 * to: the last byte may be the first of two. */
static size_t closing_quote(struct byte_view bytes, size_t at, uint8_t quote)
{
	while (at < bytes.length) {
		const uint8_t *q = memchr(bytes.data + at, quote,
					  bytes.length - at);

		if (!q)
			break;
		at = (size_t)(q - bytes.data) + 1;
		if (at == bytes.length)
			break;
		if (bytes.data[at] != quote)
			return at;
		at++;
	}
	return 0;
}

size_t csv_record_end(struct byte_view bytes, size_t start,
		      const struct csv_options *options)
{
	uint8_t quote = (uint8_t)options->quote;
	size_t at = start;

	for (;;) {
		size_t end = line_end(bytes, at), limit;
		const uint8_t *q = NULL;
		uint8_t next;

		limit = end ? end : bytes.length;
		if (quote && at < limit)
			q = memchr(bytes.data + at, quote, limit - at);
		if (!q)
			return end;
		at = (size_t)(q - bytes.data);
		if (at > start &&
		    bytes.data[at - 1] != (uint8_t)options->delimiter)
			return end;
		at = closing_quote(bytes, at + 1, quote);
		if (!at)
			return 0;
		next = bytes.data[at];
		if (next != (uint8_t)options->delimiter)
			return line_end(bytes, at);
	}
}

int csv_chunk_pack_reject(const struct csv_chunk *chunk, size_t start,
			  const struct csv_options *options,
			  const struct error *reason, struct text *out,
			  struct error *err)
{
	struct byte_view all = byte_view(chunk->bytes, chunk->length);
	size_t end = options->is_jsonl ? line_end(all, start)
				       : csv_record_end(all, start, options);
	struct reject reject = {
		.code = reason->code,
		.line = reason->line,
		.field = reason->field,
		.message = reason->text,
	};
	struct text bytes = TEXT_INIT;
	int rc = 0;

	if (!end)
		end = chunk->length;
	reject.is_open = chunk->bytes[end - 1] != '\n';
	reject.record = byte_view(chunk->bytes + start, end - start);
	if (chunk->file->encoding) {
		rc = text_encode(chunk->file->encoding, reject.record, &bytes,
				 err);
		reject.record = byte_view(bytes.data, bytes.length);
	}
	if (!rc && !reject_pack(out, &reject))
		rc = error_set(err, ERROR_NO_MEMORY, "rejects");
	text_release(&bytes);
	return rc;
}
