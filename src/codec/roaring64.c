/*
 * roaring64.c - a set of row positions
 *
 * Why:    a deletion vector marks a few or nearly all rows of a file.
 * How:    one CRoaring bitmap per high word, in an array sorted by it; files
 *         have less than 2^32 rows, so there is one nearly always. The
 *         payload, little-endian:
 *             8     number of bitmaps
 *             then  4 high word, and the bitmap in the portable format
 * Cost:   CRoaring's; two bytes to some bits per position.
 * Limits: positions below 2^63; the high word 2^31 - 1 is refused because
 *         Iceberg's reader in Java does.
 */
#include "codec/roaring64.h"

#include <limits.h>
#include <roaring/roaring.h>
#include "codec/roaring_check.h"

#define LARGEST_KEY UINT32_C(0x7ffffffe)
#define SMALLEST_ENTRY_BYTES 12		/* a key and an empty bitmap */
#define PIECE 512			/* positions moved at a time */
/*
 * The library takes 75 instructions to add a value, as it may go anywhere.
 * What ascends, as in a delete file, is a bitmap of arrays nearly as it
 * stands: made in one go, of so many positions at least and at most (an array
 * may not have more), and of so many in each array.
 */
#define ASCENDING_FROM 64
#define ASCENDING_LIMIT 4096
#define ARRAY_MEMBERS 16
#define ARRAY_LIMIT (ASCENDING_LIMIT / ARRAY_MEMBERS)
#define COOKIE_PLAIN 12346

struct roaring_part {
	uint32_t key;			/* high word of its positions */
	roaring_bitmap_t *bitmap;	/* low words, never empty */
};

struct roaring64 {
	struct roaring_part *parts;	/* ascending by key */
	size_t part_count;
	size_t capacity;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "a set of row positions");
}

int roaring64_new(struct roaring64 **out, struct error *err)
{
	*out = mem_zalloc(sizeof(**out));
	return *out ? 0 : no_memory(err);
}

void roaring64_free(struct roaring64 *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->part_count; i++)
		roaring_bitmap_free(set->parts[i].bitmap);
	mem_free(set->parts);
	mem_free(set);
}

/* Index of the first part whose key is not below key. */
static size_t part_from(const struct roaring64 *set, uint64_t key)
{
	size_t low = 0, high = set->part_count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (set->parts[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const roaring_bitmap_t *part_find(const struct roaring64 *set,
					 uint64_t key)
{
	size_t i = part_from(set, key);

	if (i == set->part_count || set->parts[i].key != key)
		return NULL;
	return set->parts[i].bitmap;
}

/* Put bitmap in at index i; the set owns it after success. */
static int part_insert(struct roaring64 *set, size_t i, uint32_t key,
		       roaring_bitmap_t *bitmap, struct error *err)
{
	if (!mem_grow((void **)&set->parts, &set->capacity, set->part_count,
		      sizeof(*set->parts)))
		return no_memory(err);
	memmove(set->parts + i + 1, set->parts + i,
		(set->part_count - i) * sizeof(*set->parts));
	set->parts[i].key = key;
	set->parts[i].bitmap = bitmap;
	set->part_count++;
	return 0;
}

/* The bitmap for key, made if it is missing; the caller adds to it. */
static int part_get(struct roaring64 *set, uint32_t key,
		    roaring_bitmap_t **out, struct error *err)
{
	size_t i = part_from(set, key);
	int rc;

	if (i < set->part_count && set->parts[i].key == key) {
		*out = set->parts[i].bitmap;
		return 0;
	}
	*out = roaring_bitmap_create();
	if (!*out)
		return no_memory(err);
	rc = part_insert(set, i, key, *out, err);
	if (rc) {
		roaring_bitmap_free(*out);
		*out = NULL;
	}
	return rc;
}

/* What the library reads: a bitmap of nothing but arrays. */
struct array_bitmap {
	uint8_t members[2 * ASCENDING_LIMIT];
	uint32_t ends[ARRAY_LIMIT];	/* of each array, in members */
	uint16_t keys[ARRAY_LIMIT];
	size_t count;			/* arrays */
};

/*
 * Take positions as long as they ascend in one high word and lie close enough
 * together; returns how many.
 */
static size_t take_ascending(struct array_bitmap *out,
			     const uint64_t *positions, size_t count)
{
	uint64_t last, limit = 0;	/* of the array before */
	size_t n = 0;

	if (count > ASCENDING_LIMIT)
		count = ASCENDING_LIMIT;
	out->count = 0;
	while (n < count && out->count <= n / ARRAY_MEMBERS + 4 &&
	       out->count < ARRAY_LIMIT && (n == 0 || positions[n] > limit) &&
	       positions[n] >> 32 == positions[0] >> 32) {
		last = positions[n];
		limit = last | 0xffff;
		do
			store_le16(out->members + 2 * n++, (uint16_t)last);
		while (n < count && positions[n] > last &&
		       (last = positions[n]) <= limit);
		out->keys[out->count] = (uint16_t)(limit >> 16);
		out->ends[out->count++] = (uint32_t)(2 * n);
	}
	return n;
}

/* A word for the cookie and one for the number of arrays, for each its key
 * and members - 1, for each its offset, the members. */
static size_t write_arrays(const struct array_bitmap *from, uint8_t *out)
{
	uint8_t *heads = out + 8, *offsets = heads + 4 * from->count;
	uint32_t members_at = (uint32_t)(8 + 8 * from->count), start = 0;

	store_le32(out, COOKIE_PLAIN);
	store_le32(out + 4, (uint32_t)from->count);
	for (size_t i = 0; i < from->count; i++) {
		uint32_t members = (from->ends[i] - start) / 2;

		store_le16(heads + 4 * i, from->keys[i]);
		store_le16(heads + 4 * i + 2, (uint16_t)(members - 1));
		store_le32(offsets + 4 * i, members_at + start);
		start = from->ends[i];
	}
	memcpy(out + members_at, from->members, start);
	return members_at + start;
}

static int add_arrays(roaring_bitmap_t *bitmap,
		      const struct array_bitmap *arrays, struct error *err)
{
	uint8_t bytes[8 + 8 * ARRAY_LIMIT + 2 * ASCENDING_LIMIT];
	size_t length = write_arrays(arrays, bytes);
	roaring_bitmap_t *more;

	more = roaring_bitmap_portable_deserialize_safe((const char *)bytes,
							length);
	if (!more)
		return no_memory(err);
	roaring_bitmap_or_inplace(bitmap, more);
	roaring_bitmap_free(more);
	return 0;
}

int roaring64_add_many(struct roaring64 *set, const uint64_t *positions,
		       size_t count, struct error *err)
{
	struct array_bitmap arrays;
	roaring_bitmap_t *bitmap;
	uint32_t low[PIECE];
	size_t i = 0, n;
	uint64_t key;
	int rc;

	while (i < count) {
		key = positions[i] >> 32;
		if (key > LARGEST_KEY)
			return error_set(err, ERROR_CORRUPT,
				"row position %llu is out of range",
				(unsigned long long)positions[i]);
		rc = part_get(set, (uint32_t)key, &bitmap, err);
		if (rc)
			return rc;
		n = take_ascending(&arrays, positions + i, count - i);
		if (n >= ASCENDING_FROM && n / ARRAY_MEMBERS >= arrays.count) {
			rc = add_arrays(bitmap, &arrays, err);
			if (rc)
				return rc;
			i += n;
			continue;
		}
		for (n = 0; n < PIECE && i < count &&
		     positions[i] >> 32 == key; n++, i++)
			low[n] = (uint32_t)positions[i];
		roaring_bitmap_add_many(bitmap, n, low);
	}
	return 0;
}

int roaring64_add(struct roaring64 *set, uint64_t position, struct error *err)
{
	return roaring64_add_many(set, &position, 1, err);
}

bool roaring64_contains(const struct roaring64 *set, uint64_t position)
{
	const roaring_bitmap_t *bitmap = part_find(set, position >> 32);

	return bitmap && roaring_bitmap_contains(bitmap, (uint32_t)position);
}

uint64_t roaring64_cardinality(const struct roaring64 *set)
{
	uint64_t count = 0;

	for (size_t i = 0; i < set->part_count; i++)
		count += roaring_bitmap_get_cardinality(set->parts[i].bitmap);
	return count;
}

int roaring64_union(struct roaring64 *set, const struct roaring64 *other,
		    struct error *err)
{
	const struct roaring_part *part;
	roaring_bitmap_t *bitmap;
	int rc;

	if (set == other)
		return 0;
	for (size_t i = 0; i < other->part_count; i++) {
		part = &other->parts[i];
		rc = part_get(set, part->key, &bitmap, err);
		if (rc)
			return rc;
		roaring_bitmap_or_inplace(bitmap, part->bitmap);
	}
	return 0;
}

size_t roaring64_positions(const struct roaring64 *set, uint64_t first,
			   uint64_t *out, size_t capacity)
{
	roaring_uint32_iterator_t at;
	uint32_t low[PIECE], from;
	size_t filled = 0;
	uint64_t high;
	uint32_t got, wanted;

	for (size_t i = part_from(set, first >> 32);
	     i < set->part_count && filled < capacity; i++) {
		high = (uint64_t)set->parts[i].key << 32;
		from = high < first ? (uint32_t)first : 0;
		roaring_init_iterator(set->parts[i].bitmap, &at);
		if (!roaring_move_uint32_iterator_equalorlarger(&at, from))
			continue;
		do {
			wanted = capacity - filled < PIECE ?
				 (uint32_t)(capacity - filled) : PIECE;
			got = roaring_read_uint32_iterator(&at, low, wanted);
			for (uint32_t k = 0; k < got; k++)
				out[filled++] = high | low[k];
		} while (got == wanted && filled < capacity);
	}
	return filled;
}

/* Clear the members from .. last (low words) of one bitmap in keep. */
static void clear_part(const roaring_bitmap_t *bitmap, uint64_t from,
		       uint64_t last, size_t bit, uint64_t *keep)
{
	roaring_uint32_iterator_t at;
	uint32_t low[PIECE], got;

	roaring_init_iterator(bitmap, &at);
	if (!roaring_move_uint32_iterator_equalorlarger(&at, (uint32_t)from))
		return;
	do {
		got = roaring_read_uint32_iterator(&at, low, PIECE);
		for (uint32_t k = 0; k < got; k++) {
			if (low[k] > last)
				return;
			bits_clear(keep, bit + (low[k] - (size_t)from));
		}
	} while (got == PIECE);
}

void roaring64_clear_bits(const struct roaring64 *set, uint64_t first,
			  size_t count, uint64_t *keep)
{
	uint64_t last, from, high, part_last;

	if (count == 0 || first > INT64_MAX)
		return;
	last = count - 1 > INT64_MAX - first ? INT64_MAX : first + count - 1;
	for (size_t i = part_from(set, first >> 32);
	     i < set->part_count && set->parts[i].key <= last >> 32; i++) {
		high = (uint64_t)set->parts[i].key << 32;
		from = high < first ? first : high;
		part_last = (high | UINT32_MAX) < last ? high | UINT32_MAX :
							 last;
		clear_part(set->parts[i].bitmap, from - high,
			   part_last - high, (size_t)(from - first), keep);
	}
}

int roaring64_serialize(struct roaring64 *set, struct text *out,
			struct error *err)
{
	size_t before = out->length, bytes;
	roaring_bitmap_t *bitmap;

	if (!text_add_le64(out, set->part_count))
		goto fail;
	for (size_t i = 0; i < set->part_count; i++) {
		bitmap = set->parts[i].bitmap;
		roaring_bitmap_run_optimize(bitmap);
		bytes = roaring_bitmap_portable_size_in_bytes(bitmap);
		if (!text_add_le32(out, set->parts[i].key) ||
		    !text_reserve(out, bytes))
			goto fail;
		roaring_bitmap_portable_serialize(bitmap,
						  out->data + out->length);
		out->length += bytes;
		out->data[out->length] = '\0';
	}
	return 0;

fail:
	out->length = before;
	return no_memory(err);
}

static int damaged(const char *what, struct error *err)
{
	return error_set(err, ERROR_CORRUPT, "damaged deletion vector: %s",
			 what);
}

/* One key and its bitmap into a set that holds smaller keys only. */
static int read_part(struct roaring64 *set, struct cursor *c,
		     struct error *err)
{
	const uint8_t *word, *start;
	roaring_bitmap_t *bitmap;
	uint64_t members;
	uint32_t key;
	int rc;

	if (!cursor_bytes(c, 4, &word))
		return damaged("it is cut short", err);
	key = load_le32(word);
	if (key > LARGEST_KEY || (set->part_count > 0 &&
	    key <= set->parts[set->part_count - 1].key))
		return damaged("its keys do not ascend", err);
	start = c->next;
	if (!roaring_check(c, &members))
		return damaged("a bitmap is not well formed", err);
	if (members == 0)
		return 0;
	bitmap = roaring_bitmap_portable_deserialize_safe(
		(const char *)start, (size_t)(c->next - start));
	if (!bitmap)
		return no_memory(err);
	rc = part_insert(set, set->part_count, key, bitmap, err);
	if (rc)
		roaring_bitmap_free(bitmap);
	return rc;
}

int roaring64_deserialize(struct roaring64 **out, const void *data,
			  size_t length, struct error *err)
{
	struct cursor c = cursor_of(data, length);
	struct roaring64 *set;
	const uint8_t *word;
	uint64_t count;
	int rc;

	*out = NULL;
	if (!cursor_bytes(&c, 8, &word))
		return damaged("it is cut short", err);
	count = load_le64(word);
	if (count > cursor_left(&c) / SMALLEST_ENTRY_BYTES)
		return damaged("it has fewer bitmaps than it says", err);
	rc = roaring64_new(&set, err);
	if (rc)
		return rc;
	for (uint64_t i = 0; i < count && !rc; i++)
		rc = read_part(set, &c, err);
	if (!rc && cursor_left(&c) > 0)
		rc = damaged("bytes are left over", err);
	if (rc) {
		roaring64_free(set);
		return rc;
	}
	*out = set;
	return 0;
}
