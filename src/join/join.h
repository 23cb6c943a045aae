#ifndef JOIN_JOIN_H
#define JOIN_JOIN_H
/*
 * join: stored rows, the hash table over their keys with a filter in front,
 * probing it with batches, nested loops, and what did not match. It knows
 * rows and keys, no MERGE and no SQL.
 */
#include "join/row_block.h"
#include "join/row_store.h"
#include "join/join_build.h"
#include "join/join_probe.h"
#include "join/join_spill.h"
#endif
