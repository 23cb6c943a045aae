#ifndef ICEBERG_SINGLE_VALUE_H
#define ICEBERG_SINGLE_VALUE_H
#include "column/column.h"

/* Binary single values (spec Appendix D), used by bounds and partition
 * summaries. Appends. */
int single_value_encode(const struct literal *value, struct text *out,
			struct error *err);
/* Decodes 4-byte forms of widened BIGINT and DOUBLE too; bytes are borrowed.
 * ERROR_CORRUPT when the length does not fit the type. */
int single_value_decode(const struct type *type, struct byte_view bytes,
			struct literal *out, struct error *err);
/*
 * Truncated bounds as metrics mode truncate(16) wants them: the lower is a
 * prefix, the upper an incremented prefix; 16 code points of text, 16 bytes
 * of binary; other types unchanged. *valid is false when there is no upper.
 * Bytes live in arena.
 */
int bound_truncate(const struct literal *value, bool upper, size_t width,
		   struct arena *arena, struct literal *out, bool *valid,
		   struct error *err);
#endif
