#ifndef COLUMN_COLUMN_H
#define COLUMN_COLUMN_H
/*
 * column: the one shape in which rows travel. Types, values, vectors of
 * values, batches of vectors, selections of rows, streams of batches, and
 * the operations that need no SQL: gather, compare, hash, sort, parse and
 * print. It knows no expressions, no files and no tables.
 */
#include "column/type.h"
#include "column/decimal128.h"
#include "column/civil_date.h"
#include "column/literal.h"
#include "column/schema.h"
#include "column/vector.h"
#include "column/selection.h"
#include "column/batch.h"
#include "column/batch_stream.h"
#include "column/vector_gather.h"
#include "column/vector_compare.h"
#include "column/vector_hash.h"
#include "column/time_zone.h"
#include "column/value_parse.h"
#include "column/value_format.h"
#include "column/nested.h"
#include "column/ordered_bytes.h"
#include "column/row_id.h"
#endif
