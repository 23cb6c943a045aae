#ifndef AVRO_AVRO_H
#define AVRO_AVRO_H
/*
 * avro: Avro object container files as Iceberg's manifests are (field ids on
 * every field), read by the writer's schema and resolved by field id, written
 * block by block. It knows no manifests.
 */
#endif
