/*
 * nested_shred.c - packed nested values into levels and values of leaves
 *
 * Why:    Parquet stores each leaf of a nested column on its own, with levels
 *         from which the nesting can be put together again.
 * How:    column-wise, down the type. For each node there is a list of
 *         entries: the levels reached so far and where in the node's vector
 *         the value is, or that it ended above. A ROW hands its entries to
 *         each field, an ARRAY or MAP makes one of every element first.
 * Cost:   per leaf a few ns an entry and level, plus unpacking.
 * Limits: rows are taken SHRED_ROWS at a time, which bounds what is unpacked
 *         at once. Recursion is as deep as the type, TYPE_NESTING_LIMIT.
 */
#include "parquet/nested_shred.h"

#define SHRED_ROWS ((size_t)BATCH_ROW_COUNT)
#define NO_VALUE UINT32_MAX

struct shredder {
	struct chunk_writer *writers;	/* of the leaf that comes next */
	unsigned rep;			/* lists entered */
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "nested column");
}

static void entries_release(struct level_entries *entries)
{
	mem_free(entries->rep);
	mem_free(entries->def);
	mem_free(entries->value);
}

static int entries_init(struct level_entries *entries, size_t count,
			struct error *err)
{
	entries->count = count;
	entries->rep = mem_alloc_array(count + 1, 1);
	entries->def = mem_alloc_array(count + 1, 1);
	entries->value = mem_alloc_array(count + 1, sizeof(uint32_t));
	if (entries->rep && entries->def && entries->value)
		return 0;
	entries_release(entries);
	memset(entries, 0, sizeof(*entries));
	return no_memory(err);
}

static int entries_copy(struct level_entries *out,
			const struct level_entries *from, struct error *err)
{
	int rc = entries_init(out, from->count, err);

	if (rc || from->count == 0)
		return rc;
	memcpy(out->rep, from->rep, from->count);
	memcpy(out->def, from->def, from->count);
	memcpy(out->value, from->value, from->count * sizeof(uint32_t));
	return 0;
}

/* End entries whose value is null, raise the level of the others. */
static int enter_node(const struct column_def *def,
		      const struct vector *vector,
		      struct level_entries *entries, struct error *err)
{
	const uint64_t *validity = vector->validity;
	uint8_t raise = !def->required;
	bool has_null = false;

	if ((!raise && !validity) || vector->count == 0)
		return 0;
	for (size_t i = 0; i < entries->count; i++) {
		uint32_t at = entries->value[i];
		bool live = at != NO_VALUE, valid = live;

		/* no branches: nulls come in no order */
		if (validity)
			valid &= bits_get(validity, live ? at : 0);
		has_null |= live & !valid;
		entries->def[i] += raise & valid;
		entries->value[i] = valid ? at : NO_VALUE;
	}
	if (!has_null || !def->required)
		return 0;
	error_set(err, ERROR_NOT_NULL, "field %s is NOT NULL and got a NULL",
		  def->name);
	error_field(err, def->name);
	return ERROR_NOT_NULL;
}

static int shred_node(struct shredder *shredder, const struct column_def *def,
		      const struct vector *vector,
		      struct level_entries *entries, struct error *err);

static int shred_row(struct shredder *shredder, const struct type *type,
		     const struct vector *vector,
		     const struct level_entries *entries, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < type->field_count; i++) {
		struct level_entries copy = { 0 };
		struct vector field;

		vector_init(&field, vector->type.fields[i].type);
		rc = nested_unpack_rows(vector, i, &field, err);
		if (!rc)
			rc = entries_copy(&copy, entries, err);
		if (!rc)
			rc = shred_node(shredder, &type->fields[i], &field,
					&copy, err);
		entries_release(&copy);
		vector_release(&field);
	}
	return rc;
}

/* Entries of the elements of lists; empty ones keep one that has no value. */
static int expand(const struct level_entries *entries,
		  const uint32_t *offsets, unsigned rep,
		  struct level_entries *out, struct error *err)
{
	size_t count = 0, n = 0;
	int rc;

	for (size_t i = 0; i < entries->count; i++) {
		uint32_t at = entries->value[i];
		size_t length = at == NO_VALUE ? 0
					       : offsets[at + 1] - offsets[at];

		count += length ? length : 1;
	}
	rc = entries_init(out, count, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < entries->count; i++) {
		uint32_t at = entries->value[i];

		out->rep[n] = entries->rep[i];
		out->def[n] = entries->def[i];
		out->value[n] = NO_VALUE;
		if (at == NO_VALUE || offsets[at] == offsets[at + 1]) {
			n++;
			continue;
		}
		for (uint32_t k = offsets[at]; k < offsets[at + 1]; k++, n++) {
			out->rep[n] = k == offsets[at] ? entries->rep[i]
						       : (uint8_t)rep;
			out->def[n] = entries->def[i] + 1;
			out->value[n] = k;
		}
	}
	return 0;
}

static int unpack(const struct type *type, const struct vector *vector,
		  struct vector parts[2], uint32_t *offsets,
		  struct error *err)
{
	return type->id == TYPE_MAP
		       ? nested_unpack_maps(vector, &parts[0], &parts[1],
					    offsets, err)
		       : nested_unpack_lists(vector, &parts[0], offsets, err);
}

static int shred_list(struct shredder *shredder, const struct type *type,
		      const struct vector *vector,
		      const struct level_entries *entries, struct error *err)
{
	struct level_entries elements = { 0 }, copy = { 0 };
	struct vector parts[2];
	uint32_t *offsets = mem_alloc_array(vector->count + 1,
					    sizeof(*offsets));
	int rc;

	if (!offsets)
		return no_memory(err);
	for (size_t i = 0; i < type->field_count; i++)
		vector_init(&parts[i], vector->type.fields[i].type);
	shredder->rep++;
	rc = unpack(type, vector, parts, offsets, err);
	if (!rc)
		rc = expand(entries, offsets, shredder->rep, &elements, err);
	mem_free(offsets);
	if (!rc && type->field_count == 2) {
		rc = entries_copy(&copy, &elements, err);
		if (!rc)
			rc = shred_node(shredder, &type->fields[0], &parts[0],
					&copy, err);
		entries_release(&copy);
	}
	if (!rc)
		rc = shred_node(shredder,
				&type->fields[type->field_count - 1],
				&parts[type->field_count - 1], &elements, err);
	shredder->rep--;
	entries_release(&elements);
	for (size_t i = 0; i < type->field_count; i++)
		vector_release(&parts[i]);
	return rc;
}

/* The entries are the callee's to change. */
static int shred_node(struct shredder *shredder, const struct column_def *def,
		      const struct vector *vector,
		      struct level_entries *entries, struct error *err)
{
	int rc = enter_node(def, vector, entries, err);

	if (rc)
		return rc;
	if (!type_is_nested(&def->type))
		return chunk_writer_add_entries(shredder->writers++, vector,
						entries, err);
	if (def->type.id == TYPE_ROW)
		return shred_row(shredder, &def->type, vector, entries, err);
	return shred_list(shredder, &def->type, vector, entries, err);
}

/* Rows from .. from + count - 1 of the selection, side by side. */
static int gather(const struct vector *vector, const struct selection *rows,
		  size_t from, size_t count, struct vector *out,
		  struct error *err)
{
	const struct byte_view *views = vector_bytes(vector);
	int rc;

	vector_reset(out);
	rc = vector_reserve(out, count, err);
	if (!rc && vector->validity)
		rc = vector_own_validity(out, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < count; i++) {
		size_t row = selection_row(rows, from + i);

		vector_bytes(out)[i] = views[row];
		if (vector->validity)
			bits_put(out->validity, i,
				 bits_get(vector->validity, row));
	}
	out->count = count;
	return 0;
}

static int shred_rows(struct chunk_writer *writers,
		      const struct column_def *column,
		      const struct vector *vector, struct error *err)
{
	struct shredder shredder = { writers, 0 };
	struct level_entries entries = { 0 };
	int rc = entries_init(&entries, vector->count, err);

	if (rc)
		return rc;
	memset(entries.rep, 0, vector->count);
	memset(entries.def, 0, vector->count);
	for (size_t i = 0; i < vector->count; i++)
		entries.value[i] = (uint32_t)i;
	rc = shred_node(&shredder, column, vector, &entries, err);
	entries_release(&entries);
	return rc;
}

int nested_shred(struct chunk_writer *writers,
		 const struct column_def *column, const struct vector *vector,
		 const struct selection *rows, struct error *err)
{
	struct vector some;
	size_t done = 0;
	int rc = 0;

	vector_init(&some, vector->type);
	while (!rc && done < rows->count) {
		size_t step = rows->count - done;

		if (step > SHRED_ROWS)
			step = SHRED_ROWS;
		rc = gather(vector, rows, done, step, &some, err);
		if (!rc)
			rc = shred_rows(writers, column, &some, err);
		done += step;
	}
	vector_release(&some);
	return rc;
}
