#ifndef QUERY_GROUP_MATCH_H
#define QUERY_GROUP_MATCH_H
#include "query/group_table.h"

/*
 * Which groups of several tables are the same one. The tables have keys of
 * the same types, were filled by different threads, and stay as they are.
 */
struct group_ref {
	uint32_t table;		/* which of the tables */
	uint32_t group;
};

struct group_match {
	size_t table_count;
	/* [table][group]: the next of the same group, in a circle; a group of
	 * one table alone is its own next */
	struct group_ref **next;
};

/* Errors: ERROR_NO_MEMORY, ERROR_INTERRUPTED. On failure nothing is held. */
int group_match_init(struct group_match *match,
		     const struct group_table *const *tables,
		     size_t table_count, size_t thread_count,
		     struct error *err);
void group_match_release(struct group_match *match);
#endif
