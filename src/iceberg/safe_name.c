/*
 * safe_name.c - names that Avro and Parquet readers take (iceberg.md 6)
 *
 * Why:    Avro allows ASCII letters, digits and '_' in names, and readers of
 *         Parquet files that come by way of Avro schemas no more than that.
 * How:    as iceberg-java, but for letters beyond ASCII, which it keeps.
 * Limits: two names may become one.
 */
#include "iceberg/schema_json.h"

bool safe_name_format(const char *name, struct text *out)
{
	const uint8_t *p = (const uint8_t *)name, *end = p + strlen(name);
	bool changed = p == end;

	for (size_t used; p < end; p += used) {
		uint32_t code = utf8_decode(p, (size_t)(end - p), &used);
		bool digit = code >= '0' && code <= '9';

		if (code == '_' || (code < 128 && ((code | 32) >= 'a' &&
						   (code | 32) <= 'z')) ||
		    (digit && p != (const uint8_t *)name)) {
			text_add_char(out, (char)code);
			continue;
		}
		changed = true;
		if (digit) {
			text_addf(out, "_%c", (char)code);
		} else if (code < 0x10000) {
			text_addf(out, "_x%X", (unsigned)code);
		} else {
			code -= 0x10000;
			text_addf(out, "_x%X_x%X",
				  (unsigned)(0xd800 + (code >> 10)),
				  (unsigned)(0xdc00 + (code & 0x3ff)));
		}
	}
	return changed;
}
