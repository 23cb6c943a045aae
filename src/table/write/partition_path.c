/*
 * partition_path.c - a directory name for a partition
 *
 * Why:    who looks at a table with ls wants to find the files of a day; no
 *         reader goes by the name, the manifest has the values.
 * How:    name=value per field, as Iceberg writes it: years, months, days and
 *         hours as dates, bytes in base64, NULL as "null". All but letters,
 *         digits, '_', '.' and '-' are written as '-' and two hex digits:
 *         a percent sign would be decoded by some readers and not by others.
 * Limits: a value is cut after VALUE_BYTES, names and fields where a file
 *         system would not take more, and fields past PATH_BYTES are left
 *         out. Two partitions may then share a directory, which harms nobody:
 *         file names are unique.
 */
#include "table/write/write_state.h"

#define VALUE_BYTES 80
/* as written: of a field's name, of a field with its value, of all */
#define NAME_BYTES 100
#define FIELD_BYTES 240		/* a name has 255 */
#define PATH_BYTES 1000

/* As much as fits before out is limit bytes long. */
static void put_safe(struct text *out, const char *data, size_t length,
		     size_t limit)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < length && out->length + 3 <= limit; i++) {
		unsigned char c = (unsigned char)data[i];
		bool plain = (c >= '0' && c <= '9') ||
			     (c >= 'a' && c <= 'z') ||
			     (c >= 'A' && c <= 'Z') || c == '-' ||
			     ((c == '_' || c == '.') && i > 0);

		if (plain) {
			text_add_char(out, (char)c);
			continue;
		}
		text_add_char(out, '-');
		text_add_char(out, digits[c >> 4]);
		text_add_char(out, digits[c & 15]);
	}
}

static void put_base64(struct text *out, struct byte_view bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm"
				     "nopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < bytes.length && i < VALUE_BYTES; i += 3) {
		size_t left = bytes.length - i;
		uint32_t word = (uint32_t)bytes.data[i] << 16;

		if (left > 1)
			word |= (uint32_t)bytes.data[i + 1] << 8;
		if (left > 2)
			word |= bytes.data[i + 2];
		text_add_char(out, digits[word >> 18]);
		text_add_char(out, digits[(word >> 12) & 63]);
		text_add_char(out, left > 1 ? digits[(word >> 6) & 63] : '=');
		text_add_char(out, left > 2 ? digits[word & 63] : '=');
	}
}

static void put_days(struct text *out, int64_t days, enum transform_kind kind)
{
	struct civil_date date = civil_from_days((int32_t)days);

	text_addf(out, "%04d", (int)date.year);
	if (kind != TRANSFORM_YEAR)
		text_addf(out, "-%02d", (int)date.month);
	if (kind != TRANSFORM_YEAR && kind != TRANSFORM_MONTH)
		text_addf(out, "-%02d", (int)date.day);
}

static void put_value(struct text *out, const struct transform *transform,
		      const struct literal *value)
{
	int64_t unit = value->value.int32;

	if (value->is_null) {
		text_add_str(out, "null");
		return;
	}
	switch (transform->kind) {
	case TRANSFORM_YEAR:
		put_days(out, civil_to_days((int32_t)unit + 1970, 1, 1),
			 TRANSFORM_YEAR);
		return;
	case TRANSFORM_MONTH:
		put_days(out, civil_to_days(
				 1970 + (int32_t)floor_div(unit, 12),
				 (unsigned)floor_mod(unit, 12) + 1, 1),
			 TRANSFORM_MONTH);
		return;
	case TRANSFORM_DAY:
		put_days(out, unit, TRANSFORM_DAY);
		return;
	case TRANSFORM_HOUR:
		put_days(out, floor_div(unit, 24), TRANSFORM_DAY);
		text_addf(out, "-%02d", (int)floor_mod(unit, 24));
		return;
	default:
		break;
	}
	if (value->type.id == TYPE_VARBINARY ||
	    value->type.id == TYPE_FIXED) {
		put_base64(out, value->value.bytes);
		return;
	}
	if (!format_literal(value, out))
		out->failed = true;
}

int partition_path(const struct partition_spec *spec,
		   const struct literal *values, struct arena *arena,
		   char **out, struct error *err)
{
	struct text path = TEXT_INIT, value = TEXT_INIT;
	bool is_first = true;

	*out = NULL;
	for (size_t i = 0; i < spec->field_count; i++) {
		const struct partition_field *field = &spec->fields[i];
		size_t start = path.length + !is_first;

		if (field->transform.kind == TRANSFORM_VOID)
			continue;
		if (path.length > PATH_BYTES)
			break;
		if (!is_first)
			text_add_char(&path, '/');
		is_first = false;
		put_safe(&path, field->name, strlen(field->name),
			 start + NAME_BYTES);
		text_add_char(&path, '=');
		text_reset(&value);
		put_value(&value, &field->transform, &values[i]);
		put_safe(&path, value.data ? value.data : "",
			 value.length < VALUE_BYTES ? value.length
						    : VALUE_BYTES,
			 start + FIELD_BYTES);
	}
	if (!path.failed && !value.failed)
		*out = arena_strndup(arena, path.data ? path.data : "",
				     path.length);
	text_release(&path);
	text_release(&value);
	return *out ? 0 : error_set(err, ERROR_NO_MEMORY, "partition path");
}
