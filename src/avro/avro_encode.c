/*
 * avro_encode.c - single Avro values
 *
 * Why:    manifests are written field by field in the order of their schema.
 * Cost:   a few ns per value.
 */
#include "avro/avro_encode.h"

void avro_put_boolean(struct text *text, bool value)
{
	text_add_char(text, value ? 1 : 0);
}

void avro_put_long(struct text *text, int64_t value)
{
	text_add_zigzag(text, value);
}

void avro_put_real(struct text *text, double value, bool is_float)
{
	float narrow = (float)value;
	uint64_t bits;
	uint32_t bits32;

	if (is_float) {
		memcpy(&bits32, &narrow, sizeof(bits32));
		text_add_le32(text, bits32);
	} else {
		memcpy(&bits, &value, sizeof(bits));
		text_add_le64(text, bits);
	}
}

void avro_put_bytes(struct text *text, const void *data, size_t length)
{
	text_add_zigzag(text, (int64_t)length);
	if (length)
		text_add(text, data, length);
}

void avro_put_string(struct text *text, const char *string)
{
	avro_put_bytes(text, string, strlen(string));
}

void avro_put_branch(struct text *text, bool present)
{
	text_add_zigzag(text, present);
}

void avro_put_optional_long(struct text *text, int64_t value)
{
	avro_put_branch(text, value >= 0);
	if (value >= 0)
		text_add_zigzag(text, value);
}
