#ifndef JOIN_JOIN_H
#define JOIN_JOIN_H
/*
 * join: key columns, the hash table over a stored set of rows with a filter
 * in front of it, probing with batches, nested loops, and what did not match.
 * It knows rows and keys, no MERGE and no SQL.
 */
#endif
