#ifndef SOURCE_JSON_VALUE_H
#define SOURCE_JSON_VALUE_H
#include "codec/codec.h"
#include "column/column.h"

/*
 * JSON values to a column of any type, one after the other:
 *
 *	null			NULL
 *	ROW			an object: members by the exact name of a
 *				field, else by the only one that differs in
 *				case; a missing one is NULL
 *	ARRAY			an array
 *	MAP			an object, its names are the keys as text
 *				(a nested key: JSON in the text)
 *	numbers, BOOLEAN	a number, true or false, or a string that
 *				CSV would read as the type; exact or refused:
 *				80.0 is a whole number, "80.0" is none
 *	VARCHAR			a string; of any other value its characters
 *	all others		a string
 *
 * For one thread.
 */
struct json_builder;

/* type borrowed: its fields outlive the builder; so is zone, of times that
 * tell none (NULL = UTC). Errors: ERROR_NO_MEMORY. */
int json_builder_new(struct json_builder **out, const struct type *type,
		     const struct time_zone *zone, struct error *err);
void json_builder_free(struct json_builder *builder);
/* No values, memory kept. */
void json_builder_reset(struct json_builder *builder);
/*
 * Append the reader's next value. The reader's text has JSON_PADDING_BYTES
 * readable bytes behind it and lives as long as the values: text points into
 * it. Errors: ERROR_CAST says what is wrong and where in the value (the
 * caller knows column and line), an object has a member twice or one that no
 * field is named for, too; ERROR_NO_MEMORY. After one: reset.
 */
#define JSON_PADDING_BYTES 64
int json_builder_add(struct json_builder *builder, struct json_reader *reader,
		     struct arena *heap, struct error *err);
int json_builder_add_null(struct json_builder *builder, struct error *err);
/*
 * All values as a vector that borrows from builder, heap and text. Errors:
 * ERROR_CAST (a key twice in a MAP), ERROR_OVERFLOW (a value too long), of
 * some value, after which the caller asks for them one by one.
 */
int json_builder_finish(struct json_builder *builder, struct vector *out,
			struct arena *heap, struct error *err);
/* Of a whole number: 80.0 is 80. */
bool json_type_is_whole(const struct type *type);
/* A number, or any other bare value, without a fraction of zeros only. */
static inline struct byte_view json_whole(struct byte_view number)
{
	size_t end = number.length;

	while (end > 1 && number.data[end - 1] == '0')
		end--;
	if (end > 1 && end < number.length && number.data[end - 1] == '.')
		number.length = end - 1;
	return number;
}
/* What the reader found wrong, as ERROR_CAST. */
int json_syntax_error(const struct json_reader *reader, struct error *err);
/*
 * A copy of text for a reader, with NUL and padding behind it; NULL = no
 * memory.
 */
char *json_text_copy(struct arena *heap, struct byte_view text);
#endif
