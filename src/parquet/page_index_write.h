#ifndef PARQUET_PAGE_INDEX_WRITE_H
#define PARQUET_PAGE_INDEX_WRITE_H
#include "parquet/chunk_writer.h"

/* Append the ColumnIndex; nothing at all when some page has no bound that
 * could be told (all its values are NaN). */
bool column_index_serialize(const struct encoded_chunk *chunk,
			    enum value_order order, struct text *out);
/* Append the OffsetIndex. */
bool offset_index_serialize(const struct encoded_chunk *chunk,
			    struct text *out);
#endif
