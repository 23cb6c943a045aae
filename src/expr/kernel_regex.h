#ifndef EXPR_KERNEL_REGEX_H
#define EXPR_KERNEL_REGEX_H
#include "expr/kernel.h"

int regex_prepare(const struct expr *node, struct arena *arena, void **state,
		  struct error *err);
int regex_like(struct kernel_call *call);
int regex_extract(struct kernel_call *call);
int regex_replace(struct kernel_call *call);
int regex_count(struct kernel_call *call);
int regex_position(struct kernel_call *call);
enum { REGEX_EXTRACT_ALL, REGEX_SPLIT };
int regex_list(struct kernel_call *call);

/* kernel_split.c: the ARRAY(VARCHAR) of each row, one piece at a time. */
struct piece_list {
	struct vector pieces;
	uint32_t *offsets;	/* rows + 1 */
	size_t row_count;
	struct error *err;
};
int pieces_init(struct piece_list *list, size_t row_count, struct error *err);
void pieces_release(struct piece_list *list);
/* To the row that is not ended yet; data NULL = a null. */
int pieces_add(struct piece_list *list, struct byte_view piece);
void pieces_end_row(struct piece_list *list, size_t row);
int string_split(struct kernel_call *call);
#endif
