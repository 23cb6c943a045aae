#ifndef PARQUET_NESTED_SHRED_H
#define PARQUET_NESTED_SHRED_H
#include "parquet/chunk_writer.h"

/*
 * Take the selected rows of a nested column apart into entries of its leaves
 * and add them to the leaves' writers, which lie in the order of the leaves.
 * ERROR_NOT_NULL names the field that got a NULL.
 */
int nested_shred(struct chunk_writer *writers,
		 const struct column_def *column, const struct vector *vector,
		 const struct selection *rows, struct error *err);
#endif
