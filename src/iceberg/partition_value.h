#ifndef ICEBERG_PARTITION_VALUE_H
#define ICEBERG_PARTITION_VALUE_H
#include "avro/avro.h"
#include "column/column.h"

/*
 * Partition values of manifests: Avro to literals and back. Private to
 * iceberg.
 *
 * decode: a literal of type, or of the Avro value's own type when that is
 * TYPE_UNKNOWN; bytes are borrowed. False if the value does not fit.
 */
bool partition_value_decode(const struct avro_value *value,
			    const struct type *type, struct literal *out);
/* Append ["null", T]. False when the literal is not of the type. */
bool partition_value_encode(const struct literal *value,
			    const struct type *type, struct text *out);
#endif
