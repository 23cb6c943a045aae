/*
 * manifest_scope.c - which partitions the files of a manifest may be in
 *
 * Why:    a statement about one partition of thousands need not open the
 *         manifests of the others.
 * How:    the manifest list has for each manifest and partition field whether
 *         there are NULLs and NaNs, and the lowest and highest other value.
 *         Deletes apply within a partition only, so those of a manifest whose
 *         values cannot be those of a data manifest are not about its files.
 * Cost:   a comparison per field, and for deletes per pair of manifests.
 * Limits: where bounds or flags are missing, anything may be there.
 */
#include "table/scan/manifest_scope.h"

/* With more to compare it costs less to read all manifests. */
#define PAIR_LIMIT ((size_t)1 << 20)

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "manifests of a snapshot");
}

static bool is_real(const struct type *type)
{
	return type->id == TYPE_REAL || type->id == TYPE_DOUBLE;
}

static bool is_nan(const struct literal *value)
{
	if (value->type.id == TYPE_REAL)
		return value->value.real != value->value.real;
	return value->type.id == TYPE_DOUBLE &&
	       value->value.real64 != value->value.real64;
}

static void decode_field(const struct partition_summary *summary,
			 const struct type *type, struct field_scope *out)
{
	out->may_be_null = summary->contains_null;
	out->may_be_nan = is_real(type) && summary->contains_nan != 0;
	if (type->id == TYPE_UNKNOWN || !summary->lower.data ||
	    !summary->upper.data ||
	    single_value_decode(type, summary->lower, &out->lower, NULL) ||
	    single_value_decode(type, summary->upper, &out->upper, NULL) ||
	    is_nan(&out->lower) || is_nan(&out->upper))
		return;
	out->is_known = true;
}

int manifest_scope_make(const struct snapshot_files *files, size_t m,
			struct arena *arena, struct manifest_scope *out,
			struct error *err)
{
	const struct manifest_file *manifest = &files->manifests[m];
	const struct partition_spec *spec =
		metadata_spec(files->metadata, manifest->spec_id);
	struct type *types;
	int rc;

	memset(out, 0, sizeof(*out));
	if (!spec || manifest->spec_id < 0 ||
	    manifest->partition_count != spec->field_count)
		return 0;
	rc = metadata_partition_types(files->metadata, spec, arena, &types,
				      err);
	if (rc)
		return rc;
	out->fields = arena_zalloc_array(arena, spec->field_count + 1,
					 sizeof(*out->fields));
	if (!out->fields)
		return no_memory(err);
	out->spec = spec;
	for (size_t i = 0; i < spec->field_count; i++) {
		enum transform_kind kind = spec->fields[i].transform.kind;

		out->fields[i].may_be_null = true;
		if (kind != TRANSFORM_VOID && kind != TRANSFORM_UNKNOWN)
			decode_field(&manifest->partitions[i], &types[i],
				     &out->fields[i]);
	}
	return 0;
}

static bool fields_meet(const struct field_scope *a,
			const struct field_scope *b)
{
	if (!a->is_known || !b->is_known ||
	    a->lower.type.id != b->lower.type.id ||
	    (a->may_be_null && b->may_be_null) ||
	    (a->may_be_nan && b->may_be_nan))
		return true;
	return literal_compare(&a->lower, &b->upper) <= 0 &&
	       literal_compare(&b->lower, &a->upper) <= 0;
}

/* May a delete of one be about a file of the other? */
static bool deletes_may_apply(const struct snapshot_files *files,
			      const struct manifest_scope *deletes,
			      const struct manifest_scope *data)
{
	if (!deletes->spec || spec_is_unpartitioned(files->metadata,
						    deletes->spec->spec_id))
		return true;
	if (!data->spec)
		return true;
	if (deletes->spec != data->spec)
		return false;
	for (size_t i = 0; i < data->spec->field_count; i++)
		if (!fields_meet(&deletes->fields[i], &data->fields[i]))
			return false;
	return true;
}

static bool is_listed(const size_t *list, size_t count, size_t m)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list[middle] < m)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && list[low] == m;
}

/* The scopes of data manifests that are read or will be. */
static int data_scopes(const struct snapshot_files *files, const size_t *list,
		       size_t count, struct arena *arena,
		       struct manifest_scope **out, size_t *count_out,
		       struct error *err)
{
	int rc = 0;

	*count_out = 0;
	*out = arena_zalloc_array(arena, files->manifest_count + 1,
				  sizeof(**out));
	if (!*out)
		return no_memory(err);
	for (size_t m = 0; !rc && m < files->manifest_count; m++)
		if (!files->manifests[m].is_deletes &&
		    (files->is_read[m] || is_listed(list, count, m)))
			rc = manifest_scope_make(files, m, arena,
						 &(*out)[(*count_out)++],
						 err);
	return rc;
}

int manifests_with_deletes(const struct snapshot_files *files, size_t *list,
			   size_t *count, struct error *err)
{
	struct manifest_scope *data = NULL, deletes;
	size_t data_count = 0, listed = *count;
	struct arena arena;
	int rc = 0;

	arena_init(&arena, 0);
	for (size_t m = 0; !rc && m < files->manifest_count; m++) {
		bool applies = false;

		if (!files->manifests[m].is_deletes || files->is_read[m] ||
		    is_listed(list, listed, m))
			continue;
		if (!data)
			rc = data_scopes(files, list, listed, &arena, &data,
					 &data_count, err);
		if (!rc)
			rc = manifest_scope_make(files, m, &arena, &deletes,
						 err);
		for (size_t i = 0; !rc && i < data_count && !applies; i++)
			applies = deletes_may_apply(files, &deletes,
						    &data[i]);
		if (applies)
			list[(*count)++] = m;
	}
	arena_release(&arena);
	return rc;
}

static bool field_may_hold(const struct field_scope *field,
			   const struct literal *value)
{
	if (!field->is_known)
		return true;
	if (value->is_null)
		return field->may_be_null;
	if (is_nan(value))
		return field->may_be_nan;
	return value->type.id != field->lower.type.id ||
	       (literal_compare(value, &field->lower) >= 0 &&
		literal_compare(value, &field->upper) <= 0);
}

static bool scope_holds(const struct manifest_scope *scope,
			const struct literal *partition)
{
	for (size_t i = 0; scope->spec && i < scope->spec->field_count; i++)
		if (!field_may_hold(&scope->fields[i], &partition[i]))
			return false;
	return true;
}

int snapshot_files_read_partitions(struct snapshot_files *files,
				   int32_t spec_id,
				   const struct literal *const *partitions,
				   size_t count, struct error *err)
{
	struct manifest_scope scope;
	struct arena arena;
	bool *wanted;
	int rc = 0;

	if (count && files->manifest_count > PAIR_LIMIT / count)
		return snapshot_files_read(files, NULL, err);
	arena_init(&arena, 0);
	wanted = arena_zalloc_array(&arena, files->manifest_count + 1,
				    sizeof(*wanted));
	if (!wanted)
		rc = no_memory(err);
	for (size_t m = 0; !rc && m < files->manifest_count; m++) {
		if (files->is_read[m] || files->manifests[m].is_deletes ||
		    files->manifests[m].spec_id != spec_id)
			continue;
		rc = manifest_scope_make(files, m, &arena, &scope, err);
		for (size_t i = 0; !rc && i < count && !wanted[m]; i++)
			wanted[m] = scope_holds(&scope, partitions[i]);
	}
	if (!rc)
		rc = snapshot_files_read(files, wanted, err);
	arena_release(&arena);
	return rc;
}
