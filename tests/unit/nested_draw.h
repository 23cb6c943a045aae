#ifndef TESTS_UNIT_NESTED_DRAW_H
#define TESTS_UNIT_NESTED_DRAW_H
#include <stdio.h>
#include "column/column.h"

/*
 * Nested types and values drawn at random. The includer says what happens
 * when a call fails: it defines ck_ok(call), and `err`.
 */
static struct arena types;	/* of type trees, names and values */
static uint64_t seed;

static inline uint64_t draw(uint64_t below)
{
	seed = hash_word(seed + UINT64_C(0x9e3779b97f4a7c15));
	return below ? seed % below : 0;
}

static inline struct column_def field_of(const char *name, struct type type,
				  bool required)
{
	static int32_t next_id = 100;
	struct column_def def;

	memset(&def, 0, sizeof(def));
	def.name = arena_strdup(&types, name);
	def.type = type;
	def.required = required;
	def.field_id = next_id++;
	return def;
}

static inline struct type nested_type(enum type_id id, const struct column_def *defs,
			       size_t count)
{
	struct type type = type_of(id);

	type.fields = arena_copy(&types, defs, count * sizeof(*defs));
	type.field_count = count;
	return type;
}

static inline struct type draw_type(unsigned depth)
{
	static const enum type_id leaves[] = {
		TYPE_INTEGER, TYPE_BIGINT, TYPE_VARCHAR, TYPE_BOOLEAN,
		TYPE_DOUBLE, TYPE_UUID, TYPE_DATE, TYPE_VARBINARY,
	};
	struct column_def defs[3];
	size_t count = 1 + draw(3);
	char name[8];

	if (depth == 0 || draw(4) == 0)
		return draw(6) ? type_of(leaves[draw(ARRAY_COUNT(leaves))])
			       : type_decimal(draw(2) ? 12 : 30, 2);
	switch (draw(3)) {
	case 0:
		defs[0] = field_of("element", draw_type(depth - 1), !draw(3));
		return nested_type(TYPE_ARRAY, defs, 1);
	case 1:
		defs[0] = field_of("key", type_of(draw(2) ? TYPE_VARCHAR
							  : TYPE_INTEGER),
				   true);
		defs[1] = field_of("value", draw_type(depth - 1), !draw(3));
		return nested_type(TYPE_MAP, defs, 2);
	default:
		for (size_t i = 0; i < count; i++) {
			snprintf(name, sizeof(name), "f%zu", i);
			defs[i] = field_of(name, draw_type(depth - 1),
					   !draw(3));
		}
		return nested_type(TYPE_ROW, defs, count);
	}
}

static inline void draw_leaf(struct vector *out, size_t i)
{
	switch (out->type.id) {
	case TYPE_BOOLEAN: vector_bool(out)[i] = draw(2); break;
	case TYPE_INTEGER:
	case TYPE_DATE: vector_i32(out)[i] = (int32_t)draw(1000) - 500; break;
	case TYPE_DOUBLE: vector_f64(out)[i] = (double)draw(9) - 4; break;
	case TYPE_VARCHAR:
	case TYPE_VARBINARY: {
		char *text = arena_printf(&types, "%.*s%u", (int)draw(12),
					  "abcdefghijklm", (unsigned)draw(50));
		vector_bytes(out)[i] = byte_view(text, strlen(text));
		break;
	}
	case TYPE_UUID:
		memset(vector_uuid(out)[i].bytes, (int)draw(256), 16);
		break;
	default:
		if (type_is_long_decimal(&out->type))
			vector_i128(out)[i] = (int128_t)draw(1000) - 500;
		else
			vector_i64(out)[i] = (int64_t)draw(100000) - 50000;
	}
}

static inline void draw_validity(uint64_t *bits, size_t count, bool required)
{
	uint64_t share = required ? 1 : 1 + draw(4);

	for (size_t i = 0; i < count; i++)
		bits_put(bits, i, required || draw(share * 2) != 0);
}

static inline void draw_vector(struct vector *out, const struct column_def *def,
			size_t count);

static inline void draw_row(struct vector *out, const struct type *type,
		     const uint64_t *validity, size_t count)
{
	struct vector fields[3];
	const struct vector *views[3];

	for (size_t i = 0; i < type->field_count; i++) {
		draw_vector(&fields[i], &type->fields[i], count);
		views[i] = &fields[i];
	}
	ck_ok(nested_pack_rows(out, views, validity, count, &types, &err));
	for (size_t i = 0; i < type->field_count; i++)
		vector_release(&fields[i]);
}

/* Keys of a list that differ. */
static inline void draw_keys(struct vector *keys, const struct column_def *def,
		      const uint32_t *offsets, size_t count)
{
	draw_vector(keys, def, offsets[count]);
	for (size_t i = 0; i < count; i++)
		for (uint32_t k = offsets[i]; k < offsets[i + 1]; k++) {
			uint32_t n = k - offsets[i];

			if (def->type.id == TYPE_INTEGER)
				vector_i32(keys)[k] = (int32_t)(n * 7 + i);
			else
				vector_bytes(keys)[k].data =
					(const uint8_t *)arena_printf(
						&types, "%08u", n),
				vector_bytes(keys)[k].length = 8;
		}
}

static inline void draw_list(struct vector *out, const struct type *type,
		      const uint64_t *validity, size_t count)
{
	uint32_t *offsets = mem_zalloc_array(count + 1, sizeof(*offsets));
	uint64_t longest = 1 + draw(6);
	struct vector parts[2];

	for (size_t i = 0; i < count; i++)
		offsets[i + 1] = offsets[i] +
				 (bits_get(validity, i)
					  ? (uint32_t)draw(draw(50) ? longest
								    : 40)
					  : 0);
	if (type->id == TYPE_MAP) {
		draw_keys(&parts[0], &type->fields[0], offsets, count);
		draw_vector(&parts[1], &type->fields[1], offsets[count]);
		ck_ok(nested_pack_maps(out, &parts[0], &parts[1], offsets,
				       validity, count, &types, &err));
		vector_release(&parts[1]);
	} else {
		draw_vector(&parts[0], &type->fields[0], offsets[count]);
		ck_ok(nested_pack_lists(out, &parts[0], offsets, validity,
					count, &types, &err));
	}
	vector_release(&parts[0]);
	mem_free(offsets);
}

static inline void draw_vector(struct vector *out, const struct column_def *def,
			size_t count)
{
	uint64_t *validity = mem_zalloc_array(BITMAP_WORDS(count) + 1, 8);

	vector_init(out, def->type);
	draw_validity(validity, count, def->required);
	if (def->type.id == TYPE_ROW) {
		draw_row(out, &def->type, validity, count);
	} else if (type_is_nested(&def->type)) {
		draw_list(out, &def->type, validity, count);
	} else {
		ck_ok(vector_reserve(out, count + 1, &err));
		ck_ok(vector_own_validity(out, &err));
		out->count = count;
		for (size_t i = 0; i < count; i++) {
			bits_put(out->validity, i, bits_get(validity, i));
			if (bits_get(validity, i))
				draw_leaf(out, i);
		}
	}
	mem_free(validity);
}
#endif
