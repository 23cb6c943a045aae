#ifndef PARQUET_PARQUET_H
#define PARQUET_PARQUET_H
/*
 * parquet: Parquet files, read and written, as columns. It knows the format
 * and nothing of tables: which files there are, which rows are deleted and
 * what a column is called in a newer schema is said by its callers.
 * Source: apache/parquet-format; facts in the manual of the project.
 */
#include "parquet/parquet_reader.h"
#include "parquet/chunk_reader.h"
#include "parquet/nested_reader.h"
#include "parquet/parquet_writer.h"
#include "parquet/parquet_patch.h"
#endif
