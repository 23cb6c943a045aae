#ifndef QUERY_GROUP_UNION_H
#define QUERY_GROUP_UNION_H
#include "query/group_match.h"
#include "query/group_set.h"
#include "query/row_pile.h"

/*
 * The groups of several sets, each once, in the order of their first rows.
 * The sets stay as they are; what they know of a group comes together when
 * the group is given out.
 */
struct group_union {
	const struct group_layout *layout;
	const struct group_set **sets;
	struct group_match match;
	struct group_ref *order;	/* of each group one in a set */
	size_t count;
};

/* The sets are kept. On failure nothing is held. */
int group_union_init(struct group_union *all,
		     const struct group_set *const *sets, size_t set_count,
		     size_t thread_count, struct error *err);
void group_union_release(struct group_union *all);
/* Where the first row of the group stood, and sides of all its rows. */
struct group_place group_union_place(const struct group_union *all,
				     size_t group);

/* What one thread needs to give groups out; it reads the union only. */
struct union_reader;
/* wanted: per group key and call. It and the union are kept. */
int union_reader_new(struct union_reader **out, const struct group_union *all,
		     const bool *wanted, struct error *err);
void union_reader_free(struct union_reader *reader);
/* Wanted keys of groups, BATCH_ROW_COUNT at most, into the first columns. */
int union_reader_keys(struct union_reader *reader, const uint32_t *groups,
		      size_t count, struct batch *out, struct error *err);
/* The results of wanted calls on groups first .. first + count - 1, behind
 * the keys. */
int union_reader_calls(struct union_reader *reader, size_t first,
		       size_t count, struct batch *out, struct error *err);
#endif
