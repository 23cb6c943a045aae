#ifndef SQL_UNTYPED_H
#define SQL_UNTYPED_H
#include "sql/ast_query.h"

struct binder;
struct bound_query;
struct bound_relation;

/*
 * A column of a file that no table types: its type is that of its first use.
 * Kept over the passes of a statement (see untyped.c).
 */
struct untyped_column {
	struct relation *relation;
	size_t column;
	bool is_fixed;
	bool is_weak;		/* only compared with plain numbers so far */
	struct type type;
	struct sql_place place;	/* of the use */
	bool is_ordered;	/* asked for by < or so, beside nothing typed */
	struct untyped_column *next_text;	/* of text_order */
};

/* The untyped columns that a value or a query column passes on unchanged. */
struct origin {
	struct untyped_column *column;
	struct origin *next;
};

/* Put copies of the origins in front of a list. */
int origin_concat(struct binder *binder, const struct origin *origins,
		  struct origin **list);
/* Fix the type of the columns, or TYPE_MISMATCH with an earlier use. */
int untyped_fix(struct binder *binder, const struct origin *origins,
		const struct type *type, bool is_weak,
		const struct sql_place *place);
/* The values have been asked for their order, and nothing typed them there. */
void untyped_ordered(const struct origin *origins);
/* Warn, once, of columns that became text and are ordered. */
int untyped_warn(struct binder *binder);
/* Apply what a pass found; true when another pass is needed. */
bool untyped_settle(struct binder *binder);
/* Register a relation; *out may have been met in an earlier pass. */
int bound_relation_new(struct binder *binder, struct relation *relation,
		       struct bound_relation **out);
/* A scan of it, its open columns of type UNKNOWN from now on. */
int bound_relation_scan(struct binder *binder, struct bound_relation *bound,
			struct bound_query *out);
#endif
