/*
 * encode_dictionary.c - values by their index in a dictionary
 *
 * Why:    columns of few values shrink to a few bits a row.
 * How:    reading looks spans of indexes up, checking the greatest index of
 *         a span once. Writing keeps an open-addressing table of indexes
 *         that is never more than half full; texts also keep their hash, so
 *         that a wrong candidate rarely costs a comparison of bytes.
 * Cost:   about 1 ns a value to read; 2-3 ns (words) and 8-12 ns (texts) to
 *         write while the dictionary is in the cache.
 * Limits: 2^31 values; the caller stops long before.
 */
#include "parquet/encode_dictionary.h"

#include <inttypes.h>
#include "column/column.h"
#include "parquet/encode_plain.h"

#define FIRST_SLOTS 256

/* The values of one span. */
#define LOOK_UP(type) \
	do { \
		const type *from = dictionary->values; \
		type *to = (type *)out + done; \
		if (span.is_run) { \
			type value = from[span.value]; \
			for (size_t i = 0; i < span.count; i++) \
				to[i] = value; \
		} else { \
			for (size_t i = 0; i < span.count; i++) \
				to[i] = from[indexes_at[i]]; \
		} \
	} while (0)

int dictionary_read(struct rle_reader *indexes,
		    const struct dictionary_view *dictionary, void *out,
		    size_t count, struct error *err)
{
	uint32_t indexes_at[RLE_SPAN_VALUES];
	struct rle_span span;

	for (size_t done = 0; done < count; done += span.count) {
		uint32_t greatest = 0;

		if (!rle_reader_span(indexes, count - done, indexes_at, &span))
			return error_set(err, ERROR_CORRUPT,
					 "dictionary indexes are cut short");
		if (span.is_run)
			greatest = span.value;
		else
			for (size_t i = 0; i < span.count; i++)
				if (indexes_at[i] > greatest)
					greatest = indexes_at[i];
		if (greatest >= dictionary->count)
			return error_set(err, ERROR_CORRUPT,
					 "index %" PRIu32 " into a dictionary "
					 "of %zu values", greatest,
					 dictionary->count);
		switch (dictionary->width) {
		case 1: LOOK_UP(uint8_t); break;
		case 4: LOOK_UP(uint32_t); break;
		case 8: LOOK_UP(uint64_t); break;
		default: LOOK_UP(int128_t); break;
		}
	}
	return 0;
}

static size_t value_bytes(const struct dictionary_builder *builder)
{
	return builder->width ? builder->width : sizeof(struct byte_view);
}

int dictionary_builder_init(struct dictionary_builder *builder, size_t width,
			    struct error *err)
{
	memset(builder, 0, sizeof(*builder));
	builder->width = width;
	builder->slots = mem_zalloc_array(FIRST_SLOTS, sizeof(uint32_t));
	if (!builder->slots)
		return error_set(err, ERROR_NO_MEMORY, "a dictionary");
	builder->slot_mask = FIRST_SLOTS - 1;
	return 0;
}

void dictionary_builder_release(struct dictionary_builder *builder)
{
	mem_free(builder->values);
	mem_free(builder->slots);
	mem_free(builder->hashes);
	arena_release(&builder->bytes);
	memset(builder, 0, sizeof(*builder));
}

static inline uint32_t word_hash(uint64_t word)
{
	word = (word ^ word >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(word >> 32);
}

static inline uint64_t word_at(const struct dictionary_builder *builder,
			       size_t index)
{
	return builder->width == 4
		       ? ((const uint32_t *)builder->values)[index]
		       : ((const uint64_t *)builder->values)[index];
}

static bool grow_values(struct dictionary_builder *builder)
{
	size_t capacity = builder->capacity ? builder->capacity * 2 : 128;
	void *grown;

	grown = mem_realloc_array(builder->values, capacity,
				  value_bytes(builder));
	if (!grown)
		return false;
	builder->values = grown;
	if (builder->width == 0) {
		grown = mem_realloc_array(builder->hashes, capacity,
					  sizeof(uint32_t));
		if (!grown)
			return false;
		builder->hashes = grown;
	}
	builder->capacity = capacity;
	return true;
}

static bool grow_slots(struct dictionary_builder *builder)
{
	size_t slot_count = (builder->slot_mask + 1) * 2;
	uint32_t *slots = mem_zalloc_array(slot_count, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < builder->count; i++) {
		uint32_t hash = builder->width ? word_hash(word_at(builder, i))
					       : builder->hashes[i];
		size_t slot = hash & (slot_count - 1);

		while (slots[slot])
			slot = (slot + 1) & (slot_count - 1);
		slots[slot] = (uint32_t)i + 1;
	}
	mem_free(builder->slots);
	builder->slots = slots;
	builder->slot_mask = slot_count - 1;
	return true;
}

/* Room for one value more; true if slots may have moved too. */
static bool make_room(struct dictionary_builder *builder)
{
	if (builder->count == builder->capacity && !grow_values(builder))
		return false;
	return builder->count * 2 <= builder->slot_mask ||
	       grow_slots(builder);
}

static inline __attribute__((always_inline)) int
add_words(struct dictionary_builder *builder, const void *words, size_t count,
	  uint32_t *indexes, bool is_wide)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t word = is_wide ? ((const uint64_t *)words)[i]
					: ((const uint32_t *)words)[i];
		size_t slot = word_hash(word) & builder->slot_mask;
		uint32_t index;

		while ((index = builder->slots[slot]) != 0 &&
		       (is_wide ? ((uint64_t *)builder->values)[index - 1]
				: ((uint32_t *)builder->values)[index - 1]) !=
			       word)
			slot = (slot + 1) & builder->slot_mask;
		if (index == 0) {
			builder->slots[slot] = index =
				(uint32_t)builder->count + 1;
			if (is_wide)
				((uint64_t *)builder->values)[index - 1] = word;
			else
				((uint32_t *)builder->values)[index - 1] =
					(uint32_t)word;
			builder->count++;
			builder->plain_bytes += is_wide ? 8 : 4;
			if (!make_room(builder))
				return ERROR_NO_MEMORY;
		}
		indexes[i] = index - 1;
	}
	return 0;
}

int dictionary_add_words(struct dictionary_builder *builder, const void *words,
			 size_t count, uint32_t *indexes, struct error *err)
{
	int rc = make_room(builder) ? 0 : ERROR_NO_MEMORY;

	if (!rc)
		rc = builder->width == 8
			     ? add_words(builder, words, count, indexes, true)
			     : add_words(builder, words, count, indexes, false);
	return rc ? error_set(err, ERROR_NO_MEMORY, "a dictionary") : 0;
}

/* All bytes of a text of at most 16 in two words. */
static inline void text_words(struct byte_view text, uint64_t words[2])
{
	const uint8_t *data = text.data;
	size_t n = text.length;

	if (n >= 8) {
		words[0] = load_le64(data);
		words[1] = load_le64(data + n - 8);
	} else if (n >= 4) {
		words[0] = load_le32(data);
		words[1] = load_le32(data + n - 4);
	} else {
		words[0] = n ? data[0] | (uint64_t)data[n / 2] << 8 : 0;
		words[1] = n ? data[n - 1] : 0;
	}
}

static inline uint32_t text_hash(struct byte_view text)
{
	uint64_t words[2];

	if (text.length > 16)
		return (uint32_t)hash_fast(text.data, text.length);
	text_words(text, words);
	return (uint32_t)hash_combine(words[0] ^ text.length, words[1]);
}

static inline bool text_equal(struct byte_view a, struct byte_view b)
{
	uint64_t left[2], right[2];

	if (a.length != b.length)
		return false;
	if (a.length > 16)
		return memcmp(a.data, b.data, a.length) == 0;
	text_words(a, left);
	text_words(b, right);
	return left[0] == right[0] && left[1] == right[1];
}

/* The same bytes at the same place. */
static inline bool text_same(struct byte_view a, struct byte_view b)
{
	return a.data == b.data && a.length == b.length;
}

static bool add_text(struct dictionary_builder *builder,
		     struct byte_view text, uint32_t hash, size_t slot)
{
	struct byte_view *values = builder->values;
	uint8_t *copy = arena_alloc_bytes(&builder->bytes, text.length);

	if (!copy)
		return false;
	if (text.length)
		memcpy(copy, text.data, text.length);
	values[builder->count] = byte_view(copy, text.length);
	builder->hashes[builder->count] = hash;
	builder->slots[slot] = (uint32_t)++builder->count;
	builder->plain_bytes += 4 + text.length;
	return make_room(builder);
}

int dictionary_add_texts(struct dictionary_builder *builder,
			 const struct byte_view *texts, size_t count,
			 uint32_t *indexes, struct error *err)
{
	if (!make_room(builder))
		return error_set(err, ERROR_NO_MEMORY, "a dictionary");
	for (size_t i = 0; i < count; i++) {
		const struct byte_view *values = builder->values;
		uint32_t hash, index;
		size_t slot;

		/* one value repeated, such as the path of a delete file */
		if (i && text_same(texts[i], texts[i - 1])) {
			index = indexes[i - 1];
			do
				indexes[i++] = index;
			while (i < count && text_same(texts[i], texts[i - 1]));
			i--;
			continue;
		}
		hash = text_hash(texts[i]);
		slot = hash & builder->slot_mask;
		while ((index = builder->slots[slot]) != 0 &&
		       (builder->hashes[index - 1] != hash ||
			!text_equal(values[index - 1], texts[i])))
			slot = (slot + 1) & builder->slot_mask;
		if (index == 0) {
			index = (uint32_t)builder->count + 1;
			if (!add_text(builder, texts[i], hash, slot))
				return error_set(err, ERROR_NO_MEMORY,
						 "a dictionary");
		}
		indexes[i] = index - 1;
	}
	return 0;
}

bool dictionary_write(const struct dictionary_builder *builder,
		      struct text *out)
{
	const struct byte_view *texts = builder->values;

	if (builder->width)
		return text_add(out, builder->values,
				builder->count * builder->width);
	if (!text_reserve(out, builder->plain_bytes))
		return false;
	for (size_t i = 0; i < builder->count; i++)
		plain_write_bytes(out, texts[i].data, texts[i].length);
	return !out->failed;
}
