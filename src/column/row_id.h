#ifndef COLUMN_ROW_ID_H
#define COLUMN_ROW_ID_H
#include <stdint.h>

/*
 * Target rows of one statement are numbered densely from 0: the data files of
 * the snapshot in a fixed order, each with as many numbers as it has physical
 * rows. A row id is that number; the target maps it back to (data file,
 * position). In vectors it is a BIGINT; NULL = a source row without a match.
 */
#define ROW_ID_NONE UINT64_MAX
#endif
