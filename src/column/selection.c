/*
 * selection.c - which rows of a batch an operation is about
 *
 * Why:    WHERE, WHEN and CASE look at fewer and fewer rows of a batch; the
 *         rows themselves do not move.
 * How:    the split writes each row number to both sides and advances one of
 *         them, so that an unpredictable condition costs no branch.
 */
#include "column/selection.h"
#include "column/vector.h"

int selection_buffer_init(struct selection_buffer *buffer,
			  size_t row_capacity, struct error *err)
{
	memset(buffer, 0, sizeof(*buffer));
	buffer->rows = mem_alloc_array(row_capacity ? row_capacity : 1,
				       sizeof(*buffer->rows));
	if (!buffer->rows)
		return error_set(err, ERROR_NO_MEMORY, "selection of %zu rows",
				 row_capacity);
	buffer->capacity = row_capacity;
	return 0;
}

void selection_buffer_release(struct selection_buffer *buffer)
{
	mem_free(buffer->rows);
	memset(buffer, 0, sizeof(*buffer));
}

/* Rows of in where flag is `wanted`, in order; out may be in->rows. */
static size_t pick_rows(const struct selection *in, const struct vector *flag,
			bool wanted, uint32_t *out)
{
	const uint8_t *value = vector_bool(flag);
	const uint64_t *validity = flag->validity;
	size_t picked = 0;

	if (!validity) {
		for (size_t i = 0; i < in->count; i++) {
			uint32_t row = in->rows ? in->rows[i] : (uint32_t)i;

			out[picked] = row;
			picked += (value[row] != 0) == wanted;
		}
		return picked;
	}
	for (size_t i = 0; i < in->count; i++) {
		uint32_t row = in->rows ? in->rows[i] : (uint32_t)i;
		bool yes = value[row] != 0 && bits_get(validity, row);

		out[picked] = row;
		picked += yes == wanted;
	}
	return picked;
}

static void split_both(const struct selection *in, const struct vector *flag,
		       struct selection_buffer *yes,
		       struct selection_buffer *no)
{
	const uint8_t *value = vector_bool(flag);
	const uint64_t *validity = flag->validity;
	size_t yes_count = 0, no_count = 0;

	for (size_t i = 0; i < in->count; i++) {
		uint32_t row = in->rows ? in->rows[i] : (uint32_t)i;
		bool is_yes = value[row] != 0;

		if (validity)
			is_yes &= bits_get(validity, row);
		yes->rows[yes_count] = row;
		no->rows[no_count] = row;
		yes_count += is_yes;
		no_count += !is_yes;
	}
	yes->count = yes_count;
	no->count = no_count;
}

void selection_split(const struct selection *in, const struct vector *flag,
		     struct selection_buffer *yes, struct selection_buffer *no)
{
	if (yes && no)
		split_both(in, flag, yes, no);
	else if (yes)
		yes->count = pick_rows(in, flag, true, yes->rows);
	else if (no)
		no->count = pick_rows(in, flag, false, no->rows);
}
