/*
 * delete_index.c - which delete files apply to which data files
 *
 * Why:    a delete that is applied to the wrong file, or not to the right one,
 *         changes results without an error.
 * How:    the rules of the format, one kind at a time:
 *
 *	deletion vector	the file it names, if not newer than the vector; it
 *			replaces all position files of that file
 *	position file	the file it names (by referenced_data_file or by equal
 *			bounds of file_path), else every file of its partition
 *			that its bounds allow; if not newer than the deletes
 *	equality file	every older file of its partition, or of the table if
 *			its spec is unpartitioned
 *
 *         Partition-wide deletes are sorted by a hash of their partition, so
 *         each data file finds its own by a binary search.
 * Limits: a delete that names a file of another partition is refused: engines
 *         disagree on what it means.
 */
#include <stdlib.h>
#include "table/scan/snapshot_state.h"

#define FIELD_DELETE_PATH INT32_C(2147483546)
/* Shorter equal bounds may both have been cut. */
#define CUT_BOUND_BYTES 64

struct link {
	const struct manifest_entry *entry;
	struct link *next;
};

struct scoped {
	uint64_t partition;	/* hash of spec and partition */
	size_t order;
	const struct manifest_entry *entry;
};

struct builder {
	struct snapshot_files *files;
	struct arena scratch;
	struct link **heads;	/* per file, newest first */
	const struct manifest_entry **vectors;
	struct scoped *scoped;		/* of one partition */
	size_t scoped_count;
	struct scoped *global;		/* equality, of the whole table */
	size_t global_count;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "deletes of a snapshot");
}

bool data_file_is_vector(const struct data_file *file)
{
	return file->format == FORMAT_PUFFIN || file->content_offset >= 0;
}

bool spec_is_unpartitioned(const struct table_metadata *metadata,
			   int32_t spec_id)
{
	const struct partition_spec *spec = metadata_spec(metadata, spec_id);

	for (size_t i = 0; spec && i < spec->field_count; i++)
		if (spec->fields[i].transform.kind != TRANSFORM_VOID)
			return false;
	return spec != NULL;
}

bool partition_equal(const struct data_file *a, const struct data_file *b)
{
	if (a->spec_id != b->spec_id ||
	    a->partition_count != b->partition_count)
		return false;
	for (size_t i = 0; i < a->partition_count; i++) {
		const struct literal *x = &a->partition[i];
		const struct literal *y = &b->partition[i];

		if (x->is_null != y->is_null)
			return false;
		if (!x->is_null && (x->type.id != y->type.id ||
				    literal_compare(x, y) != 0))
			return false;
	}
	return true;
}

static uint64_t literal_hash(const struct literal *value)
{
	if (value->is_null)
		return 1;
	if (type_is_bytes(&value->type))
		return hash_fast(value->value.bytes.data,
				 value->value.bytes.length);
	switch (value->type.id) {
	case TYPE_BOOLEAN:
		return value->value.boolean;
	case TYPE_INTEGER:
	case TYPE_DATE:
		return hash_word((uint32_t)value->value.int32);
	case TYPE_UUID:
		return hash_fast(value->value.uuid.bytes, 16);
	case TYPE_DECIMAL:
		return hash_word((uint64_t)value->value.decimal);
	case TYPE_REAL:
	case TYPE_DOUBLE:
		return 2;	/* -0.0 equals 0.0; few files, so be simple */
	default:
		return hash_word((uint64_t)value->value.int64);
	}
}

static uint64_t partition_hash(const struct data_file *file)
{
	uint64_t hash = (uint32_t)file->spec_id;

	for (size_t i = 0; i < file->partition_count; i++)
		hash = hash_combine(hash, literal_hash(&file->partition[i]));
	return hash;
}

static const struct byte_view *path_bound(const struct data_file *deletes,
					  bool upper)
{
	const struct column_metrics *metrics =
		data_file_metrics(deletes, FIELD_DELETE_PATH);

	if (!metrics)
		return NULL;
	if (upper)
		return metrics->upper.data ? &metrics->upper : NULL;
	return metrics->lower.data ? &metrics->lower : NULL;
}

bool delete_target(const struct data_file *deletes, struct byte_view *out)
{
	const struct byte_view *lower = path_bound(deletes, false);
	const struct byte_view *upper = path_bound(deletes, true);

	if (deletes->referenced_data_file) {
		*out = byte_view(deletes->referenced_data_file,
				 strlen(deletes->referenced_data_file));
		return true;
	}
	if (!lower || !upper || !byte_view_equal(*lower, *upper))
		return false;
	*out = *lower;
	return true;
}

bool delete_is_about(const struct data_file *deletes,
		     const struct data_file *data)
{
	struct byte_view path;

	return deletes->content == CONTENT_POSITION_DELETES &&
	       delete_target(deletes, &path) &&
	       path_is_same((const char *)path.data, path.length, data->path,
			    strlen(data->path));
}

static int add_link(struct builder *b, size_t file,
		    const struct manifest_entry *entry, struct error *err)
{
	struct link *link = arena_alloc(&b->scratch, sizeof(*link));

	if (!link)
		return no_memory(err);
	link->entry = entry;
	link->next = b->heads[file];
	b->heads[file] = link;
	return 0;
}

/* A delete that is about one data file. */
static int add_targeted(struct builder *b, size_t target,
			const struct manifest_entry *entry,
			struct error *err)
{
	const struct manifest_entry *data = b->files->files[target].entry;

	if (data->sequence_number > entry->sequence_number)
		return 0;
	if (!partition_equal(&data->file, &entry->file))
		return error_set(err, ERROR_CORRUPT, "delete file '%s' names "
				 "data file '%s' of another partition",
				 entry->file.path, data->file.path);
	if (!data_file_is_vector(&entry->file))
		return add_link(b, target, entry, err);
	if (b->vectors[target])
		return error_set(err, ERROR_CORRUPT, "data file '%s' has two "
				 "deletion vectors, in '%s' and '%s'",
				 data->file.path,
				 b->vectors[target]->file.path,
				 entry->file.path);
	b->vectors[target] = entry;
	return 0;
}

static int add_position(struct builder *b, const struct manifest_entry *entry,
			struct error *err)
{
	struct scoped *scoped = &b->scoped[b->scoped_count];
	struct byte_view path;
	size_t target;

	if (data_file_is_vector(&entry->file) &&
	    (!entry->file.referenced_data_file ||
	     entry->file.content_offset < 0 || entry->file.content_size < 0))
		return error_set(err, ERROR_CORRUPT, "deletion vector in '%s'"
				 " does not say where it is or what for",
				 entry->file.path);
	if (delete_target(&entry->file, &path)) {
		target = path_index_find(b->files, (const char *)path.data,
					 path.length);
		if (target != PATH_NOT_FOUND)
			return add_targeted(b, target, entry, err);
		/* its data file is gone, unless the bound was cut */
		if (entry->file.referenced_data_file ||
		    path.length > CUT_BOUND_BYTES)
			return 0;
	}
	scoped->entry = entry;
	scoped->partition = partition_hash(&entry->file);
	scoped->order = b->scoped_count++;
	return 0;
}

static int add_equality(struct builder *b, const struct manifest_entry *entry,
			struct error *err)
{
	struct scoped *scoped;

	if (!entry->file.equality_count)
		return error_set(err, ERROR_CORRUPT, "equality delete file "
				 "'%s' names no columns", entry->file.path);
	if (spec_is_unpartitioned(b->files->metadata, entry->file.spec_id)) {
		b->global[b->global_count++].entry = entry;
		return 0;
	}
	scoped = &b->scoped[b->scoped_count];
	scoped->entry = entry;
	scoped->partition = partition_hash(&entry->file);
	scoped->order = b->scoped_count++;
	return 0;
}

static int sort_entries(struct builder *b, struct error *err)
{
	struct snapshot_files *files = b->files;
	int rc = 0;

	for (size_t m = 0; m < files->manifest_count; m++) {
		for (size_t i = 0; !rc && i < files->entry_counts[m]; i++) {
			const struct manifest_entry *entry =
				&files->entries[m][i];

			if (entry->status == ENTRY_DELETED)
				continue;
			if (entry->file.content == CONTENT_POSITION_DELETES)
				rc = add_position(b, entry, err);
			else if (entry->file.content ==
				 CONTENT_EQUALITY_DELETES)
				rc = add_equality(b, entry, err);
		}
	}
	return rc;
}

static int compare_scoped(const void *a, const void *b)
{
	const struct scoped *x = a, *y = b;

	if (x->partition != y->partition)
		return x->partition < y->partition ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Do two paths begin alike, as far as file: and slashes go? */
static bool is_spelled_alike(const char *path, size_t length,
			     const struct byte_view *bound)
{
	size_t n = length - path_core(path, length).length;

	return n == bound->length - path_core((const char *)bound->data,
					      bound->length).length &&
	       !memcmp(path, bound->data, n);
}

/* May the path be in a position delete file with these bounds? */
static bool bounds_allow(const struct data_file *deletes, const char *path)
{
	const struct byte_view *lower = path_bound(deletes, false);
	const struct byte_view *upper = path_bound(deletes, true);
	size_t length = strlen(path), n;

	/* another spelling of the same path sorts elsewhere */
	if (!lower || !upper || !is_spelled_alike(path, length, lower) ||
	    !is_spelled_alike(path, length, upper))
		return true;
	n = length < lower->length ? length : lower->length;
	if (memcmp(path, lower->data, n) < 0)
		return false;
	n = length < upper->length ? length : upper->length;
	return memcmp(path, upper->data, n) <= 0;
}

static bool scope_applies(const struct snapshot_file *file,
			  const struct manifest_entry *entry)
{
	const struct manifest_entry *data = file->entry;

	if (entry->file.content == CONTENT_EQUALITY_DELETES)
		return data->sequence_number < entry->sequence_number;
	return data->sequence_number <= entry->sequence_number &&
	       bounds_allow(&entry->file, data->file.path);
}

static int add_scoped(struct builder *b, size_t index, struct error *err)
{
	const struct snapshot_file *file = &b->files->files[index];
	uint64_t partition = partition_hash(&file->entry->file);
	size_t low = 0, high = b->scoped_count;
	int rc = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (b->scoped[middle].partition < partition)
			low = middle + 1;
		else
			high = middle;
	}
	for (; !rc && low < b->scoped_count &&
	     b->scoped[low].partition == partition; low++) {
		const struct manifest_entry *entry = b->scoped[low].entry;

		if (scope_applies(file, entry) &&
		    partition_equal(&file->entry->file, &entry->file))
			rc = add_link(b, index, entry, err);
	}
	return rc;
}

/* The deletes of one file as an array, in the order they were met. */
static int finish_file(struct builder *b, size_t index, struct error *err)
{
	struct snapshot_file *file = &b->files->files[index];
	const struct manifest_entry *vector = b->vectors[index];
	size_t count = vector ? 1 : 0, at;

	for (struct link *link = b->heads[index]; link; link = link->next)
		count++;
	if (!count)
		return 0;
	file->deletes = arena_zalloc_array(&b->files->arena, count,
					   sizeof(*file->deletes));
	if (!file->deletes)
		return no_memory(err);
	at = count;
	for (struct link *link = b->heads[index]; link; link = link->next)
		if (!vector ||
		    link->entry->file.content == CONTENT_EQUALITY_DELETES)
			file->deletes[--at] = link->entry;
	if (vector)
		file->deletes[--at] = vector;
	file->deletes += at;
	file->delete_count = count - at;
	return 0;
}

static int apply_scopes(struct builder *b, struct error *err)
{
	int rc = 0;

	if (b->scoped_count)
		qsort(b->scoped, b->scoped_count, sizeof(*b->scoped),
		      compare_scoped);
	for (size_t i = 0; !rc && i < b->files->file_count; i++) {
		if (!b->files->files[i].entry)
			continue;
		if (b->scoped_count)
			rc = add_scoped(b, i, err);
		for (size_t k = 0; !rc && k < b->global_count; k++)
			if (scope_applies(&b->files->files[i],
					  b->global[k].entry))
				rc = add_link(b, i, b->global[k].entry, err);
		if (!rc)
			rc = finish_file(b, i, err);
	}
	return rc;
}

int delete_index_build(struct snapshot_files *files, struct error *err)
{
	struct builder b = { .files = files };
	size_t count = 0;
	int rc = 0;

	for (size_t m = 0; m < files->manifest_count; m++)
		for (size_t i = 0; i < files->entry_counts[m]; i++)
			count += files->entries[m][i].status !=
					 ENTRY_DELETED &&
				 files->entries[m][i].file.content !=
					 CONTENT_DATA;
	if (!count || !files->file_count)
		return 0;
	arena_init(&b.scratch, 0);
	b.heads = arena_zalloc_array(&b.scratch, files->file_count,
				     sizeof(struct link *));
	b.vectors = arena_zalloc_array(&b.scratch, files->file_count,
				       sizeof(*b.vectors));
	b.scoped = arena_zalloc_array(&b.scratch, count, sizeof(*b.scoped));
	b.global = arena_zalloc_array(&b.scratch, count, sizeof(*b.global));
	if (!b.heads || !b.vectors || !b.scoped || !b.global)
		rc = no_memory(err);
	if (!rc)
		rc = sort_entries(&b, err);
	if (!rc)
		rc = apply_scopes(&b, err);
	arena_release(&b.scratch);
	return rc;
}
