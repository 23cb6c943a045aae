/*
 * partition_map.c - the partitions of a statement
 *
 * Why:    all rows of a partition must reach the same files, whichever thread
 *         has them.
 * How:    a hash table of their values, bit for bit, so that -0.0 and 0.0 are
 *         two: other readers take the value from the manifest. A partition
 *         stays where it is, so that threads remember those they have met.
 * Cost:   some 200 bytes a partition.
 */
#include "table/write/write_state.h"

#define PARTITION_LIMIT ((size_t)1 << 24)

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "partition");
}

static bool is_value(const struct literal *value, const struct vector *vector,
		     size_t row)
{
	struct literal other;

	if (vector_is_null(vector, row) || value->is_null)
		return vector_is_null(vector, row) && value->is_null;
	other = vector_get(vector, row);
	switch (value->type.id) {
	case TYPE_REAL:
		return !memcmp(&value->value.real, &other.value.real,
			       sizeof(float));
	case TYPE_DOUBLE:
		return !memcmp(&value->value.real64, &other.value.real64,
			       sizeof(double));
	default:
		return literal_compare(value, &other) == 0;
	}
}

bool partition_is(const struct partition *partition, size_t field_count,
		  const struct vector *values, size_t row)
{
	for (size_t i = 0; i < field_count; i++)
		if (!is_value(&partition->values[i], &values[i], row))
			return false;
	return true;
}

static int partition_new(struct write_context *context,
			 const struct vector *values, size_t row,
			 struct partition **out, struct error *err)
{
	const struct partition_spec *spec = context->spec;
	struct arena *arena = &context->arena;
	struct partition *partition = arena_zalloc(arena, sizeof(*partition));
	int rc = 0;

	*out = NULL;
	if (!partition)
		return no_memory(err);
	partition->values = arena_zalloc_array(arena, spec->field_count + 1,
					       sizeof(*partition->values));
	if (!partition->values)
		return no_memory(err);
	for (size_t i = 0; !rc && i < spec->field_count; i++) {
		struct literal value = literal_null(
			context->partition_types[i]);

		if (values && !vector_is_null(&values[i], row))
			value = vector_get(&values[i], row);
		value.type = context->partition_types[i];
		rc = literal_copy(&partition->values[i], &value, arena, err);
	}
	if (!rc)
		rc = partition_path(spec, partition->values, arena,
				    &partition->directory, err);
	if (!rc)
		*out = partition;
	return rc;
}

static int grow_slots(struct write_context *context, struct error *err)
{
	size_t size = context->partition_mask ? context->partition_mask + 1
					      : 0;
	uint32_t *slots;

	if (size && context->partition_count * 2 < size)
		return 0;
	size = size ? size * 4 : 64;
	slots = mem_zalloc_array(size, sizeof(*slots));
	if (!slots)
		return no_memory(err);
	for (size_t i = 0; i < context->partition_count; i++) {
		size_t slot = (size_t)context->partitions[i]->hash;

		while (slots[slot & (size - 1)])
			slot++;
		slots[slot & (size - 1)] = (uint32_t)i + 1;
	}
	mem_free(context->partition_slots);
	context->partition_slots = slots;
	context->partition_mask = size - 1;
	return 0;
}

static int add_partition(struct write_context *context,
			 struct partition *partition, uint64_t hash,
			 struct error *err)
{
	size_t slot = (size_t)hash;
	int rc;

	if (context->partition_count >= PARTITION_LIMIT)
		return error_set(err, ERROR_UNSUPPORTED, "a statement into "
				 "more than %zu partitions", PARTITION_LIMIT);
	rc = grow_slots(context, err);
	if (rc)
		return rc;
	if (!mem_grow((void **)&context->partitions,
		      &context->partition_capacity, context->partition_count,
		      sizeof(*context->partitions)))
		return no_memory(err);
	partition->number = (uint32_t)context->partition_count;
	partition->hash = hash;
	partition->is_open = context->partition_count < context->open_limit;
	while (context->partition_slots[slot & context->partition_mask])
		slot++;
	context->partition_slots[slot & context->partition_mask] =
		partition->number + 1;
	context->partitions[context->partition_count++] = partition;
	return 0;
}

/* The lock is held. */
static int find_or_add(struct write_context *context,
		       const struct vector *values, size_t row, uint64_t hash,
		       struct partition **out, struct error *err)
{
	size_t count = context->spec->field_count, slot = (size_t)hash;
	struct partition *partition;
	int rc;

	for (; context->partition_slots &&
	       context->partition_slots[slot & context->partition_mask];
	     slot++) {
		partition = context->partitions[context->partition_slots
				[slot & context->partition_mask] - 1];
		if (partition->hash == hash &&
		    partition_is(partition, count, values, row)) {
			*out = partition;
			return 0;
		}
	}
	rc = partition_new(context, values, row, &partition, err);
	if (!rc)
		rc = add_partition(context, partition, hash, err);
	if (!rc)
		*out = partition;
	return rc;
}

int write_context_partition(struct write_context *context,
			    const struct vector *values, size_t row,
			    uint64_t hash, struct partition **out,
			    struct error *err)
{
	int rc;

	*out = NULL;
	pthread_mutex_lock(&context->lock);
	if (values) {
		rc = find_or_add(context, values, row, hash, out, err);
	} else {
		rc = partition_new(context, NULL, 0, out, err);
		if (!rc)
			rc = add_partition(context, *out, hash, err);
	}
	pthread_mutex_unlock(&context->lock);
	return rc;
}

size_t write_context_partition_count(const struct write_context *context)
{
	return context->partition_count;
}

const struct literal *
write_context_partition_values(const struct write_context *context,
			       size_t number)
{
	return context->partitions[number]->values;
}

uint64_t write_context_partition_rows(const struct write_context *context,
				      size_t number)
{
	return context->partitions[number]->rows;
}

/* Its values as vectors of one row, hashed as the router does. */
static int hash_values(const struct write_context *context,
		       const struct data_file *file, struct vector *values,
		       uint64_t *hash_out, struct error *err)
{
	const struct partition_spec *spec = context->spec;
	struct selection one = selection_all(1);
	bool first = true;
	int rc = 0;

	for (size_t i = 0; !rc && i < spec->field_count; i++) {
		vector_init(&values[i], context->partition_types[i]);
		rc = vector_append(&values[i], &file->partition[i], err);
		if (rc || spec->fields[i].transform.kind == TRANSFORM_VOID)
			continue;
		vector_hash(&values[i], &one, first, hash_out);
		first = false;
	}
	return rc;
}

int write_context_partition_of(const struct write_context *context,
			       const struct data_file *file,
			       size_t *number_out, struct error *err)
{
	size_t count = context->spec->field_count, slot;
	struct vector *values;
	uint64_t hash = 0;
	int rc;

	*number_out = SIZE_MAX;
	if (file->spec_id != context->spec->spec_id ||
	    file->partition_count != count || !context->partition_count)
		return 0;
	if (!context->is_partitioned) {
		*number_out = 0;
		return 0;
	}
	values = mem_zalloc_array(count, sizeof(*values));
	if (!values)
		return no_memory(err);
	rc = hash_values(context, file, values, &hash, err);
	slot = (size_t)hash;
	for (; !rc && context->partition_slots[slot & context->partition_mask];
	     slot++) {
		const struct partition *partition =
			context->partitions[context->partition_slots
				[slot & context->partition_mask] - 1];

		if (partition->hash == hash &&
		    partition_is(partition, count, values, 0)) {
			*number_out = partition->number;
			break;
		}
	}
	for (size_t i = 0; i < count; i++)
		vector_release(&values[i]);
	mem_free(values);
	return rc;
}
