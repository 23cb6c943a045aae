#ifndef ICEBERG_MANIFEST_SCHEMA_H
#define ICEBERG_MANIFEST_SCHEMA_H
#include "iceberg/manifest.h"
#include "avro/avro.h"

/*
 * The record schemas of manifests and manifest lists (iceberg.md 7, 8), as
 * the Avro and the Iceberg JSON of a file's header. Private to iceberg.
 */
enum manifest_field_id {
	FIELD_STATUS = 0,
	FIELD_SNAPSHOT_ID = 1,
	FIELD_DATA_FILE = 2,
	FIELD_SEQUENCE_NUMBER = 3,
	FIELD_FILE_SEQUENCE_NUMBER = 4,
	FIELD_CONTENT = 134,
	FIELD_FILE_PATH = 100,
	FIELD_FILE_FORMAT = 101,
	FIELD_PARTITION = 102,
	FIELD_RECORD_COUNT = 103,
	FIELD_FILE_SIZE = 104,
	FIELD_COLUMN_SIZES = 108,
	FIELD_VALUE_COUNTS = 109,
	FIELD_NULL_COUNTS = 110,
	FIELD_NAN_COUNTS = 137,
	FIELD_LOWER_BOUNDS = 125,
	FIELD_UPPER_BOUNDS = 128,
	FIELD_SPLIT_OFFSETS = 132,
	FIELD_EQUALITY_IDS = 135,
	FIELD_SORT_ORDER_ID = 140,
	FIELD_FIRST_ROW_ID = 142,
	FIELD_REFERENCED_FILE = 143,
	FIELD_CONTENT_OFFSET = 144,
	FIELD_CONTENT_SIZE = 145,
	FIELD_LIST_PATH = 500,
	FIELD_LIST_LENGTH = 501,
	FIELD_LIST_SPEC_ID = 502,
	FIELD_LIST_CONTENT = 517,
	FIELD_LIST_SEQUENCE = 515,
	FIELD_LIST_MIN_SEQUENCE = 516,
	FIELD_LIST_ADDED_SNAPSHOT = 503,
	FIELD_LIST_ADDED_FILES = 504,
	FIELD_LIST_EXISTING_FILES = 505,
	FIELD_LIST_DELETED_FILES = 506,
	FIELD_LIST_ADDED_ROWS = 512,
	FIELD_LIST_EXISTING_ROWS = 513,
	FIELD_LIST_DELETED_ROWS = 514,
	FIELD_LIST_PARTITIONS = 507,
	FIELD_LIST_FIRST_ROW_ID = 520,
	FIELD_CONTAINS_NULL = 509,
	FIELD_CONTAINS_NAN = 518,
	FIELD_LOWER_BOUND = 510,
	FIELD_UPPER_BOUND = 511,
};

/* Partition fields as the r102 record has them. */
struct partition_shape {
	const struct partition_spec *spec;
	const struct type *types;	/* one per field */
};

/* Both append. shape NULL: the schema of a manifest list. Errors:
 * ERROR_NO_MEMORY, ERROR_UNSUPPORTED (a partition of no Avro type). */
int manifest_avro_schema(int32_t format_version,
			 const struct partition_shape *shape,
			 struct text *out, struct error *err);
int manifest_iceberg_schema(int32_t format_version,
			    const struct partition_shape *shape,
			    struct text *out, struct error *err);
/* Bytes of the Avro fixed that holds every decimal of a precision. */
unsigned decimal_fixed_bytes(unsigned precision);
#endif
