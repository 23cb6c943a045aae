#ifndef ICEBERG_ICEBERG_H
#define ICEBERG_ICEBERG_H
/*
 * iceberg: the objects of the Iceberg spec as plain values, read from and
 * written to their files: table metadata JSON, manifest lists, manifests,
 * schemas, partition specs, sort orders, single values. It knows no live
 * table: no versions, no commits, no scans.
 */
#include "iceberg/table_metadata.h"
#include "iceberg/schema_json.h"
#include "iceberg/partition_spec.h"
#include "iceberg/data_file.h"
#include "iceberg/manifest.h"
#include "iceberg/single_value.h"
#endif
