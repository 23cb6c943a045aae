/*
 * vector_gather.c - rows of one vector picked into another
 *
 * Why:    joins, selections and sorts decide which rows stay; columns follow
 *         by being gathered, one column at a time.
 * How:    one loop per value width. The nulls are built a word at a time, and
 *         a result without nulls has no bitmap, so that later steps keep
 *         their fast path. Bytes are copied packed into one arena run whose
 *         size is summed up first.
 * Cost:   about a nanosecond a row for fixed widths that lie in the cache.
 */
#include "column/vector_gather.h"
#include <assert.h>

/* Where rows come from: index[i], or i itself when index is NULL. */
struct picker {
	const struct vector *src;
	const uint32_t *index;
	size_t count;
	bool has_holes;		/* some index is GATHER_NULL */
};

static bool find_holes(const uint32_t *index, size_t count)
{
	uint32_t found = 0;

	for (size_t i = 0; i < count; i++)
		found |= index[i] == GATHER_NULL;
	return found;
}

#define DEFINE_PICK(type_t, suffix) \
static void pick_##suffix(const struct picker *p, void *out_data) \
{ \
	const type_t *src = p->src->data; \
	const uint32_t *index = p->index; \
	type_t *out = out_data; \
 \
	for (size_t i = 0; i < p->count; i++) \
		out[i] = src[index[i]]; \
} \
static void pick_holes_##suffix(const struct picker *p, void *out_data) \
{ \
	static const type_t zero; \
	const type_t *src = p->src->data; \
	const uint32_t *index = p->index; \
	type_t *out = out_data; \
 \
	for (size_t i = 0; i < p->count; i++) { \
		const type_t *from = index[i] == GATHER_NULL ? \
			&zero : src + index[i]; \
		out[i] = *from; \
	} \
}

struct wide_value {
	uint64_t words[2];
} __attribute__((may_alias));
typedef uint32_t __attribute__((may_alias)) word32_t;
typedef uint64_t __attribute__((may_alias)) word64_t;

DEFINE_PICK(uint8_t, 1)
DEFINE_PICK(word32_t, 4)
DEFINE_PICK(word64_t, 8)
DEFINE_PICK(struct wide_value, 16)

static void pick_data(const struct picker *p, void *out, size_t width)
{
	if (p->count == 0)
		return;
	if (!p->index) {
		memcpy(out, p->src->data, p->count * width);
		return;
	}
	switch (width) {
	case 1:
		(p->has_holes ? pick_holes_1 : pick_1)(p, out);
		break;
	case 4:
		(p->has_holes ? pick_holes_4 : pick_4)(p, out);
		break;
	case 8:
		(p->has_holes ? pick_holes_8 : pick_8)(p, out);
		break;
	default:
		assert(width == 16);
		(p->has_holes ? pick_holes_16 : pick_16)(p, out);
		break;
	}
}

/* The validity bits of 64 or fewer picked rows from first on. */
static uint64_t pick_validity_word(const struct picker *p, size_t first,
				   size_t count)
{
	const uint64_t *validity = p->src->validity;
	const uint32_t *index = p->index + first;
	uint64_t word = 0;

	if (!validity) {
		for (size_t i = 0; i < count; i++)
			word |= (uint64_t)(index[i] != GATHER_NULL) << i;
		return word;
	}
	if (!p->has_holes) {
		for (size_t i = 0; i < count; i++)
			word |= (uint64_t)bits_get(validity, index[i]) << i;
		return word;
	}
	for (size_t i = 0; i < count; i++)
		if (index[i] != GATHER_NULL)
			word |= (uint64_t)bits_get(validity, index[i]) << i;
	return word;
}

/* Write validity from bit first on; false if every picked row is valid. */
static bool pick_validity(const struct picker *p, uint64_t *out, size_t first)
{
	bool any_null = false;

	if (!p->index && p->src->validity) {
		bits_copy(out, first, p->src->validity, 0, p->count);
		return bits_count(p->src->validity, p->count) != p->count;
	}
	if (!p->index) {
		bits_set_range(out, first, p->count);
		return false;
	}
	for (size_t i = 0; i < p->count; i += 64) {
		size_t count = p->count - i < 64 ? p->count - i : 64;
		uint64_t full = count < 64 ? (UINT64_C(1) << count) - 1
					   : ~UINT64_C(0);
		uint64_t word = pick_validity_word(p, i, count);

		any_null |= word != full;
		if ((first & 63) == 0)
			out[(first + i) / 64] = word;
		else
			bits_copy(out, first + i, &word, 0, count);
	}
	return any_null;
}

static void copy_bytes(uint8_t *out, const uint8_t *data, size_t length)
{
	uint64_t head, tail;

	if (length > 16) {
		memcpy(out, data, length);
	} else if (length >= 8) {
		memcpy(&head, data, 8);
		memcpy(&tail, data + length - 8, 8);
		memcpy(out, &head, 8);
		memcpy(out + length - 8, &tail, 8);
	} else {
		for (size_t i = 0; i < length; i++)
			out[i] = data[i];
	}
}

/* Give the values first .. first + count - 1 of vector bytes of their own. */
static int own_bytes(struct vector *vector, size_t first, size_t count,
		     struct arena *heap, struct error *err)
{
	struct byte_view *view = vector_bytes(vector) + first;
	size_t total = 0;
	uint8_t *out;

	for (size_t i = 0; i < count; i++) {
		if (vector_is_null(vector, first + i))
			view[i] = byte_view(NULL, 0);
		if (!size_add(total, view[i].length, &total))
			return error_set(err, ERROR_NO_MEMORY,
					 "text of a batch");
	}
	if (total == 0)
		return 0;
	out = arena_alloc_bytes(heap, total);
	if (!out)
		return error_set(err, ERROR_NO_MEMORY,
				 "%zu bytes of text of a batch", total);
	for (size_t i = 0; i < count; i++) {
		if (view[i].length == 0)
			continue;
		copy_bytes(out, view[i].data, view[i].length);
		view[i].data = out;
		out += view[i].length;
	}
	return 0;
}

/* Append what p picks to dst, which has a capacity for it. */
static int append_picked(struct vector *dst, const struct picker *p,
			 struct arena *heap, struct error *err)
{
	size_t width = type_width(&dst->type);
	size_t first = dst->count;
	bool had_validity = dst->validity != NULL;
	int rc;

	if (p->has_holes || p->src->validity || had_validity) {
		rc = vector_own_validity(dst, err);
		if (rc)
			return rc;
		if (!pick_validity(p, dst->validity, first) && !had_validity)
			dst->validity = NULL;
	}
	if (p->count)
		pick_data(p, (uint8_t *)dst->data + first * width, width);
	if (heap && type_is_view(&dst->type))
		return own_bytes(dst, first, p->count, heap, err);
	return 0;
}

int vector_gather(struct vector *dst, const struct vector *src,
		  const uint32_t *index, size_t count, struct arena *heap,
		  struct error *err)
{
	struct picker p = { src, index, count, false };
	int rc;

	assert(type_width(&dst->type) == type_width(&src->type));
	vector_reset(dst);
	rc = vector_reserve(dst, count, err);
	if (rc)
		return rc;
	p.has_holes = index && find_holes(index, count);
	rc = append_picked(dst, &p, heap, err);
	if (rc) {
		vector_reset(dst);
		return rc;
	}
	dst->count = count;
	return 0;
}

int vector_append_selected(struct vector *dst, const struct vector *src,
			   const struct selection *rows, struct arena *heap,
			   struct error *err)
{
	struct picker p = { src, rows->rows, rows->count, false };
	bool had_validity = dst->validity != NULL;
	size_t needed;
	int rc;

	assert(type_width(&dst->type) == type_width(&src->type));
	if (!size_add(dst->count, rows->count, &needed))
		return error_set(err, ERROR_NO_MEMORY, "append to a column");
	if (needed > dst->capacity) {
		size_t capacity = needed;

		if (dst->count && needed / 2 < dst->capacity)
			capacity = dst->capacity * 2;
		rc = vector_reserve(dst, capacity, err);
	} else {
		rc = vector_reserve(dst, needed, err);
	}
	if (!rc)
		rc = append_picked(dst, &p, heap, err);
	if (rc) {
		if (!had_validity)
			dst->validity = NULL;
		return rc;
	}
	dst->count = needed;
	return 0;
}

#define SCATTER(type_t) \
do { \
	const type_t *from = src->data; \
	type_t *to = dst->data; \
 \
	for (size_t i = 0; i < rows->count; i++) { \
		size_t row = selection_row(rows, i); \
 \
		to[row] = from[row]; \
	} \
} while (0)

static void scatter_data(struct vector *dst, const struct vector *src,
			 const struct selection *rows)
{
	switch (type_width(&dst->type)) {
	case 1:
		SCATTER(uint8_t);
		break;
	case 4:
		SCATTER(word32_t);
		break;
	case 8:
		SCATTER(word64_t);
		break;
	case 16:
		SCATTER(struct wide_value);
		break;
	default:
		break;
	}
}

static void scatter_validity(struct vector *dst, const struct vector *src,
			     const struct selection *rows)
{
	if (!src->validity) {
		for (size_t i = 0; i < rows->count; i++)
			bits_set(dst->validity, selection_row(rows, i));
		return;
	}
	for (size_t i = 0; i < rows->count; i++) {
		size_t row = selection_row(rows, i);

		bits_put(dst->validity, row, bits_get(src->validity, row));
	}
}

int vector_scatter(struct vector *dst, const struct vector *src,
		   const struct selection *rows, size_t count,
		   struct error *err)
{
	int rc;

	assert(type_width(&dst->type) == type_width(&src->type));
	rc = vector_reserve(dst, count, err);
	if (rc)
		return rc;
	if (dst->count < count)
		dst->count = count;
	if (src->validity || dst->validity) {
		rc = vector_own_validity(dst, err);
		if (rc)
			return rc;
		scatter_validity(dst, src, rows);
	}
	scatter_data(dst, src, rows);
	return 0;
}

#define DEFINE_OVERLAY(type_t, suffix) \
static void overlay_##suffix(void *dst_data, const uint32_t *rows, \
			     const void *src_data, \
			     const uint32_t *src_rows, size_t count) \
{ \
	const type_t *src = src_data; \
	type_t *dst = dst_data; \
 \
	for (size_t i = 0; i < count; i++) \
		dst[rows[i]] = src[src_rows ? src_rows[i] : i]; \
}

DEFINE_OVERLAY(uint8_t, 1)
DEFINE_OVERLAY(word32_t, 4)
DEFINE_OVERLAY(word64_t, 8)
DEFINE_OVERLAY(struct wide_value, 16)

static void overlay_data(void *dst, const uint32_t *rows,
			 const struct vector *src, const uint32_t *src_rows,
			 size_t count)
{
	switch (type_width(&src->type)) {
	case 1:
		overlay_1(dst, rows, src->data, src_rows, count);
		break;
	case 4:
		overlay_4(dst, rows, src->data, src_rows, count);
		break;
	case 8:
		overlay_8(dst, rows, src->data, src_rows, count);
		break;
	default:
		assert(type_width(&src->type) == 16);
		overlay_16(dst, rows, src->data, src_rows, count);
		break;
	}
}

int vector_overlay(struct vector *dst, const uint32_t *rows,
		   const struct vector *src, const uint32_t *src_rows,
		   size_t count, struct error *err)
{
	int rc;

	/* fields of nested types may have other names: files spell them */
	assert(dst->type.id == src->type.id &&
	       type_width(&dst->type) == type_width(&src->type));
	if (!count)
		return 0;
	rc = vector_reserve(dst, dst->count, err);
	if (!rc && (dst->validity || src->validity))
		rc = vector_own_validity(dst, err);
	if (rc)
		return rc;
	overlay_data(dst->data, rows, src, src_rows, count);
	for (size_t i = 0; dst->validity && i < count; i++)
		bits_put(dst->validity, rows[i],
			 !vector_is_null(src, src_rows ? src_rows[i] : i));
	return 0;
}
