#ifndef AVRO_AVRO_H
#define AVRO_AVRO_H
/*
 * avro: Avro object container files as Iceberg's manifests are (field ids on
 * every field), read by the writer's schema and resolved by field id, written
 * block by block. It knows no manifests.
 */
#include "avro/avro_schema.h"
#include "avro/avro_decode.h"
#include "avro/avro_encode.h"
#include "avro/avro_reader.h"
#include "avro/avro_writer.h"
#endif
