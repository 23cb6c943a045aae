/*
 * kernel_split.c - split, and lists of pieces of text
 *
 * Why:    split and regexp_split make an ARRAY of each text.
 * How:    the pieces of all rows are one vector of views into the texts;
 *         packing copies them.
 * Cost:   16 bytes a piece besides the packed result.
 */
#include "expr/kernel_nested.h"
#include "expr/kernel_regex.h"

#define PIECES_LIMIT ((size_t)INT32_MAX)

int pieces_init(struct piece_list *list, size_t row_count, struct error *err)
{
	memset(list, 0, sizeof(*list));
	vector_init(&list->pieces, type_of(TYPE_VARCHAR));
	list->row_count = row_count;
	list->err = err;
	list->offsets = mem_zalloc_array(row_count + 1,
					 sizeof(*list->offsets));
	if (!list->offsets)
		return error_set(err, ERROR_NO_MEMORY, "pieces of text");
	return 0;
}

void pieces_release(struct piece_list *list)
{
	vector_release(&list->pieces);
	mem_free(list->offsets);
}

int pieces_add(struct piece_list *list, struct byte_view piece)
{
	size_t count = list->pieces.count;
	int rc;

	if (count >= PIECES_LIMIT)
		return error_set(list->err, ERROR_BAD_ARGUMENT, "more than "
				 "%zu pieces of text", PIECES_LIMIT);
	if (count == list->pieces.capacity) {
		rc = vector_reserve(&list->pieces, count ? 2 * count : 256,
				    list->err);
		if (rc)
			return rc;
	}
	list->pieces.count++;
	if (!piece.data)
		return vector_set_null(&list->pieces, count, list->err);
	vector_bytes(&list->pieces)[count] = piece;
	return 0;
}

void pieces_end_row(struct piece_list *list, size_t row)
{
	list->offsets[row + 1] = (uint32_t)list->pieces.count;
}

/* At most limit pieces, the last with all that is left. */
static int split_row(struct piece_list *list, struct byte_view text,
		     struct byte_view delimiter, int64_t limit)
{
	size_t from = 0;
	int rc = 0;

	while (!rc && --limit > 0) {
		const uint8_t *at = NULL;

		if (text.length - from >= delimiter.length)
			at = memmem(text.data + from, text.length - from,
				    delimiter.data, delimiter.length);
		if (!at)
			break;
		rc = pieces_add(list, byte_view(text.data + from,
			(size_t)(at - text.data) - from));
		from = (size_t)(at - text.data) + delimiter.length;
	}
	return rc ? rc : pieces_add(list, byte_view(text.data + from,
						    text.length - from));
}

static int refuse(struct kernel_call *call, size_t row, const char *what)
{
	error_set(call->err, ERROR_BAD_ARGUMENT, "split: %s", what);
	return kernel_failed(call, row, ERROR_BAD_ARGUMENT);
}

int string_split(struct kernel_call *call)
{
	static const uint8_t empty[1];
	struct nested_rows rows;
	struct piece_list list = { .offsets = NULL };
	int rc = nested_begin(&rows, call);

	if (!rc)
		rc = pieces_init(&list, rows.count, call->err);
	for (size_t i = 0; i < rows.count && !rc; i++) {
		struct byte_view text = vector_bytes(rows.args[0])[i];
		struct byte_view delimiter = vector_bytes(rows.args[1])[i];
		int64_t limit = rows.arg_count > 2
			? vector_i64(rows.args[2])[i] : INT64_MAX;

		if (!text.length)
			text.data = empty;
		if (limit <= 0)
			rc = refuse(call, nested_row(&rows, i),
				    "the limit must be positive");
		else if (!delimiter.length)
			rc = refuse(call, nested_row(&rows, i),
				    "the delimiter may not be empty");
		else
			rc = split_row(&list, text, delimiter, limit);
		pieces_end_row(&list, i);
	}
	if (!rc)
		rc = nested_pack_lists(&rows.out, &list.pieces, list.offsets,
				       NULL, rows.count, call->heap,
				       call->err);
	pieces_release(&list);
	return nested_end(&rows, call, rc);
}
