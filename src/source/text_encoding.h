#ifndef SOURCE_TEXT_ENCODING_H
#define SOURCE_TEXT_ENCODING_H
#include "util/util.h"

/*
 * Bytes of another encoding as UTF-8, and back. A byte that is none of the
 * encoding becomes the three bytes TEXT_BAD_BYTE, 0x80 | high half, 0x80 |
 * low half: not UTF-8, so the value with it is refused where it is used, and
 * still the byte can be had back. For one thread.
 */
#define TEXT_BAD_BYTE 0xfe

struct text_decoder;

/* encoding as iconv names it; UTF-16 and UTF-32 by their mark. Errors:
 * ERROR_USAGE (unknown), ERROR_NO_MEMORY. */
int text_decoder_new(struct text_decoder **out, const char *encoding,
		     struct error *err);
void text_decoder_free(struct text_decoder *decoder);
/* Where the bytes come from; fewer than capacity only at the end. */
struct text_pull {
	int (*read)(void *context, void *buffer, size_t capacity,
		    size_t *length_out, struct error *err);
	void *context;
};
/* Fill buffer; less than capacity only at the end. Errors: of pull;
 * ERROR_BAD_ENCODING (UTF-16 or UTF-32 without its mark). */
int text_decoder_read(struct text_decoder *decoder,
		      const struct text_pull *pull, void *buffer,
		      size_t capacity, size_t *length_out, struct error *err);
/* What the bytes are, known once some were read; lives with the decoder. */
const char *text_decoder_encoding(const struct text_decoder *decoder);
/* UTF-8 and bad bytes as they were; appended. */
int text_encode(const char *encoding, struct byte_view bytes,
		struct text *out, struct error *err);
/* The byte that a bad one at data, of length bytes, stands for. */
uint8_t text_bad_byte(const uint8_t *data, size_t length);
#endif
