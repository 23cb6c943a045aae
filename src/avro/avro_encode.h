#ifndef AVRO_AVRO_ENCODE_H
#define AVRO_AVRO_ENCODE_H
#include "codec/codec.h"

/*
 * Append Avro values. INT, LONG and ENUM are text_add_zigzag(). A failed
 * allocation stays in text->failed, so that a whole record is checked once.
 */
void avro_put_boolean(struct text *text, bool value);
void avro_put_long(struct text *text, int64_t value);
/* A double as FLOAT when is_float, else as DOUBLE. */
void avro_put_real(struct text *text, double value, bool is_float);
void avro_put_bytes(struct text *text, const void *data, size_t length);
void avro_put_string(struct text *text, const char *string);
/* The branch of ["null", T]; the value follows if it is present. */
void avro_put_branch(struct text *text, bool present);
/* ["null", "long"] (or int), null when negative. */
void avro_put_optional_long(struct text *text, int64_t value);
#endif
