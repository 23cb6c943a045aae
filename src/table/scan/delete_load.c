/*
 * delete_load.c - the deleted positions of a data file
 *
 * Why:    position delete files and deletion vectors say the same thing in
 *         two ways; everybody above wants one set.
 * How:    a vector is read where its manifest entry says. A position file
 *         about one data file is read for it; one about several is read once,
 *         sorted out by file, and kept with the snapshot. Paths are compared
 *         once per run of rows, not per row, and not even read where the
 *         statistics say that there is one.
 * Cost:   memory follows the number of deleted positions.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "puffin/puffin.h"
#include "table/scan/snapshot_state.h"

#define FIELD_DELETE_PATH INT32_C(2147483546)
#define FIELD_DELETE_POSITION INT32_C(2147483545)

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "deletes of a file");
}

int scan_open_parquet(const struct snapshot_files *files,
		      const struct data_file *file,
		      struct parquet_reader **out, struct error *err)
{
	static const char *const names[] = { "Parquet", "Avro", "ORC",
					     "Puffin", "an unknown format" };
	struct input_file *input;
	int rc;

	*out = NULL;
	if (file->format != FORMAT_PARQUET)
		return error_set(err, ERROR_UNSUPPORTED, "file '%s' is %s; "
				 "only Parquet files are read", file->path,
				 names[file->format]);
	rc = scan_open_input(files, file->path, &input, err);
	if (rc)
		return rc;
	rc = parquet_reader_open(out, input, err);
	if (rc)
		input_file_close(input);
	return rc;
}

/* Where the positions of one delete file go. */
struct position_sink {
	const struct snapshot_files *files;
	const struct data_file *source;
	size_t only;		/* a file; PATH_NOT_FOUND = all, to shared */
	struct roaring64 *positions;	/* of `only` */
	struct shared_deletes *shared;
};

/* The set that a path's positions belong to; *out NULL = to none. */
static int sink_set(struct position_sink *sink, struct byte_view path,
		    struct roaring64 **out, struct error *err)
{
	struct shared_deletes *shared = sink->shared;
	size_t file;

	file = path_index_find(sink->files, (const char *)path.data,
			       path.length);
	*out = NULL;
	if (sink->only != PATH_NOT_FOUND) {
		/* left out, its rows would come back without a word */
		if (file != sink->only)
			return error_set(err, ERROR_CORRUPT, "delete file "
					 "'%s' has rows of '%.*s', its "
					 "manifest names another file",
					 sink->source->path,
					 (int)path.length,
					 (const char *)path.data);
		*out = sink->positions;
		return 0;
	}
	/* rows of a file that is gone */
	if (file == PATH_NOT_FOUND)
		return 0;
	for (size_t i = shared->set_count; i-- > 0;)
		if (shared->sets[i].file == file) {
			*out = shared->sets[i].positions;
			return 0;
		}
	if (!mem_grow((void **)&shared->sets, &shared->capacity,
		      shared->set_count, sizeof(*shared->sets)))
		return no_memory(err);
	shared->sets[shared->set_count].file = file;
	if (roaring64_new(&shared->sets[shared->set_count].positions, err))
		return no_memory(err);
	*out = shared->sets[shared->set_count++].positions;
	return 0;
}

/* Positions that all belong to one path. */
static int sink_run(struct position_sink *sink, struct byte_view path,
		    const int64_t *positions, size_t count, struct error *err)
{
	struct roaring64 *set;
	int rc = sink_set(sink, path, &set, err);
	uint64_t all = 0;

	for (size_t i = 0; i < count; i++)
		all |= (uint64_t)positions[i];
	if (all >> 63) {
		while (*positions >= 0)
			positions++;
		return error_set(err, ERROR_CORRUPT, "position %" PRId64
				 " in delete file '%s'", *positions,
				 sink->source->path);
	}
	/* none is negative: they are the same without a sign */
	if (!rc && set)
		rc = roaring64_add_many(set, (const uint64_t *)positions,
					count, err);
	return rc;
}

/* The rows of one batch, run by run of equal paths. paths NULL: all of them
 * are `only`. */
static int sink_rows(struct position_sink *sink, const struct vector *paths,
		     struct byte_view only, const struct vector *positions,
		     struct error *err)
{
	const struct byte_view *path = paths ? vector_bytes(paths) : NULL;
	const int64_t *position = vector_i64(positions);
	size_t count = positions->count, first = 0;

	if ((paths && vector_has_nulls(paths)) || vector_has_nulls(positions))
		return error_set(err, ERROR_CORRUPT, "position delete file "
				 "'%s' has a NULL", sink->source->path);
	while (first < count) {
		size_t end = path ? first : count;
		int rc;

		while (end < count && byte_view_equal(path[end], path[first]))
			end++;
		rc = sink_run(sink, path ? path[first] : only,
			      position + first, end - first, err);
		if (rc)
			return rc;
		first = end;
	}
	return 0;
}

/*
 * Do the statistics say that all rows of a group name one path? Most files
 * are about one data file; then a dictionary of that path alone proves it, or
 * else one row of each batch is looked at, so that damage of a page is seen,
 * and not each.
 */
static bool names_one_path(const struct parquet_reader *reader, size_t group,
			   size_t leaf, struct byte_view *out)
{
	const struct type type = type_of(TYPE_VARCHAR);
	struct parquet_bounds bounds;

	parquet_chunk_bounds(reader, group, leaf, &type, &bounds);
	if (!bounds.has_min || !bounds.has_max || bounds.null_count != 0 ||
	    !byte_view_equal(bounds.min.value.bytes, bounds.max.value.bytes))
		return false;
	*out = bounds.min.value.bytes;
	return true;
}

/* Has the chunk a dictionary of this one path, which all rows then have? */
static int proves_one_path(struct chunk_reader *chunk, struct byte_view only,
			   bool *out, struct error *err)
{
	struct vector values;
	bool complete;
	int rc;

	vector_init(&values, type_of(TYPE_VARCHAR));
	rc = chunk_reader_dictionary(chunk, &values, &complete, err);
	*out = !rc && complete && values.count == 1 &&
	       byte_view_equal(vector_bytes(&values)[0], only);
	vector_release(&values);
	return rc;
}

/* The first path of a batch that the statistics say is of one path. */
static int check_only(const struct position_sink *sink,
		      const struct vector *paths, struct byte_view only,
		      struct error *err)
{
	if (!vector_is_null(paths, 0) &&
	    byte_view_equal(vector_bytes(paths)[0], only))
		return 0;
	return error_set(err, ERROR_CORRUPT, "delete file '%s': the "
			 "statistics of file_path do not fit its rows",
			 sink->source->path);
}

static int read_group(struct position_sink *sink,
		      const struct parquet_reader *reader, size_t group,
		      const size_t leaves[2], struct error *err)
{
	const struct type types[2] = { type_of(TYPE_VARCHAR),
				       type_of(TYPE_BIGINT) };
	struct chunk_reader *chunks[2] = { NULL, NULL };
	uint64_t rows = parquet_row_group_rows(reader, group);
	struct byte_view only = byte_view(NULL, 0);
	bool is_one = names_one_path(reader, group, leaves[0], &only);
	bool is_proved = false;
	struct vector values[2];
	int rc = 0;

	for (int i = 0; i < 2; i++)
		vector_init(&values[i], types[i]);
	for (int i = 0; !rc && i < 2; i++)
		rc = chunk_reader_open(&chunks[i], reader, group, leaves[i],
				       &types[i], err);
	if (!rc && is_one)
		rc = proves_one_path(chunks[0], only, &is_proved, err);
	for (uint64_t at = 0; !rc && at < rows; at += BATCH_ROW_COUNT) {
		size_t n = rows - at < BATCH_ROW_COUNT ? (size_t)(rows - at)
						       : BATCH_ROW_COUNT;

		rc = interrupt_check(err);
		if (!rc && !is_proved)
			rc = chunk_reader_read(chunks[0], at, is_one ? 1 : n,
					       &values[0], err);
		if (!rc && is_one && !is_proved)
			rc = check_only(sink, &values[0], only, err);
		if (!rc)
			rc = chunk_reader_read(chunks[1], at, n, &values[1],
					       err);
		if (!rc)
			rc = sink_rows(sink, is_one ? NULL : &values[0], only,
				       &values[1], err);
	}
	for (int i = 0; i < 2; i++) {
		vector_release(&values[i]);
		chunk_reader_free(chunks[i]);
	}
	return rc;
}

int position_delete_leaves(const struct parquet_reader *reader,
			   size_t out[2], struct error *err)
{
	static const int32_t ids[2] = { FIELD_DELETE_PATH,
					FIELD_DELETE_POSITION };
	static const char *const names[2] = { "file_path", "pos" };

	for (int i = 0; i < 2; i++) {
		long leaf = parquet_find_field_id(reader, ids[i]);

		if (leaf < 0)
			leaf = parquet_find_path(reader, names[i]);
		if (leaf < 0)
			return error_set(err, ERROR_CORRUPT, "position delete "
					 "file '%s' has no column %s",
					 parquet_reader_path(reader),
					 names[i]);
		out[i] = (size_t)leaf;
	}
	return 0;
}

static int read_positions(struct position_sink *sink, struct error *err)
{
	struct parquet_reader *reader;
	size_t leaves[2];
	int rc;

	rc = scan_open_parquet(sink->files, sink->source, &reader, err);
	if (rc)
		return rc;
	rc = position_delete_leaves(reader, leaves, err);
	if (!rc && sink->source->record_count >= 0 &&
	    parquet_row_count(reader) !=
	    (uint64_t)sink->source->record_count)
		rc = error_set(err, ERROR_CORRUPT, "delete file '%s' has "
			       "%" PRIu64 " rows, its manifest says %" PRId64,
			       parquet_reader_path(reader),
			       parquet_row_count(reader),
			       sink->source->record_count);
	for (size_t g = 0; !rc && g < parquet_row_group_count(reader); g++)
		rc = read_group(sink, reader, g, leaves, err);
	parquet_reader_free(reader);
	return rc;
}

static int read_vector(const struct snapshot_files *files,
		       const struct data_file *file, struct roaring64 **out,
		       struct error *err)
{
	struct input_file *input;
	int rc;

	*out = NULL;
	if (file->record_count < 0)
		return error_set(err, ERROR_CORRUPT, "deletion vector in '%s' "
				 "without a count", file->path);
	rc = scan_open_input(files, file->path, &input, err);
	if (rc)
		return rc;
	rc = deletion_vector_read(out, input, (uint64_t)file->content_offset,
				  (uint64_t)file->content_size,
				  (uint64_t)file->record_count, err);
	input_file_close(input);
	return rc;
}

static int compare_sets(const void *a, const void *b)
{
	const struct shared_set *x = a, *y = b;

	return (x->file > y->file) - (x->file < y->file);
}

static void shared_free_one(struct shared_deletes *shared)
{
	for (size_t i = 0; i < shared->set_count; i++)
		roaring64_free(shared->sets[i].positions);
	mem_free(shared->sets);
	mem_free(shared);
}

void shared_deletes_free(struct shared_deletes *list)
{
	while (list) {
		struct shared_deletes *next = list->next;

		shared_free_one(list);
		list = next;
	}
}

/* The sorted-out positions of a delete file; the state's lock is held. */
static int load_shared(const struct snapshot_files *files,
		       const struct manifest_entry *entry,
		       const struct shared_deletes **out, struct error *err)
{
	struct position_sink sink = { files, &entry->file, PATH_NOT_FOUND,
				      NULL, NULL };
	struct snapshot_state *state = files->state;
	int rc;

	*out = NULL;
	for (struct shared_deletes *s = state->shared; s; s = s->next)
		if (s->entry == entry) {
			*out = s;
			return 0;
		}
	sink.shared = mem_zalloc(sizeof(*sink.shared));
	if (!sink.shared)
		return no_memory(err);
	sink.shared->entry = entry;
	rc = read_positions(&sink, err);
	if (rc) {
		shared_free_one(sink.shared);
		return rc;
	}
	if (sink.shared->set_count)
		qsort(sink.shared->sets, sink.shared->set_count,
		      sizeof(*sink.shared->sets), compare_sets);
	sink.shared->next = state->shared;
	state->shared = sink.shared;
	*out = sink.shared;
	return 0;
}

static int add_shared(const struct snapshot_files *files, size_t index,
		      const struct manifest_entry *entry,
		      struct roaring64 *positions, struct error *err)
{
	const struct shared_deletes *shared;
	struct shared_set key = { index, NULL };
	const struct shared_set *set = NULL;
	int rc;

	pthread_mutex_lock(&files->state->lock);
	rc = load_shared(files, entry, &shared, err);
	pthread_mutex_unlock(&files->state->lock);
	if (!rc && shared->set_count)
		set = bsearch(&key, shared->sets, shared->set_count,
			      sizeof(*shared->sets), compare_sets);
	return set ? roaring64_union(positions, set->positions, err) : rc;
}

/* Add what one delete entry says of the file to *positions. */
static int add_entry(const struct snapshot_files *files, size_t index,
		     const struct manifest_entry *entry,
		     struct roaring64 **positions, struct error *err)
{
	struct position_sink sink = { files, &entry->file, index, NULL,
				      NULL };
	struct byte_view path;

	if (data_file_is_vector(&entry->file)) {
		roaring64_free(*positions);
		return read_vector(files, &entry->file, positions, err);
	}
	if (!*positions) {
		int rc = roaring64_new(positions, err);

		if (rc)
			return rc;
	}
	if (!delete_target(&entry->file, &path) ||
	    path_index_find(files, (const char *)path.data, path.length) ==
	    PATH_NOT_FOUND)
		return add_shared(files, index, entry, *positions, err);
	sink.positions = *positions;
	return read_positions(&sink, err);
}

void known_deletes_free(struct known_deletes *list)
{
	while (list) {
		struct known_deletes *next = list->next;

		roaring64_free(list->positions);
		mem_free(list);
		list = next;
	}
}

static int copy_positions(const struct roaring64 *positions,
			  struct roaring64 **out, struct error *err)
{
	int rc = roaring64_new(out, err);

	if (!rc)
		rc = roaring64_union(*out, positions, err);
	if (rc) {
		roaring64_free(*out);
		*out = NULL;
	}
	return rc;
}

/* A copy of what was read before; *out NULL = nothing was. */
static int recall_deletes(const struct snapshot_files *files, size_t index,
			  struct roaring64 **out, struct error *err)
{
	struct snapshot_state *state = files->state;
	int rc = 0;

	*out = NULL;
	pthread_mutex_lock(&state->lock);
	for (struct known_deletes *k = state->known; k && !*out && !rc;
	     k = k->next)
		if (k->file == index)
			rc = copy_positions(k->positions, out, err);
	pthread_mutex_unlock(&state->lock);
	return rc;
}

/* Keep a copy; without memory for it the file is read again. */
static void remember_deletes(const struct snapshot_files *files, size_t index,
			     const struct roaring64 *positions)
{
	struct snapshot_state *state = files->state;
	struct known_deletes *known;

	if (roaring64_cardinality(positions) > KNOWN_DELETES_LIMIT)
		return;
	known = mem_zalloc(sizeof(*known));
	if (!known)
		return;
	known->file = index;
	if (copy_positions(positions, &known->positions, NULL)) {
		mem_free(known);
		return;
	}
	pthread_mutex_lock(&state->lock);
	known->next = state->known;
	state->known = known;
	pthread_mutex_unlock(&state->lock);
}

int snapshot_file_deletes(const struct snapshot_files *files,
			  const struct snapshot_file *file,
			  struct roaring64 **out, struct error *err)
{
	size_t index = (size_t)(file - files->files);
	struct roaring64 *positions = NULL;
	uint64_t beyond;
	int rc;

	*out = NULL;
	if (file->delete_count == 0)
		return 0;
	rc = recall_deletes(files, index, out, err);
	if (rc || *out)
		return rc;
	for (size_t i = 0; !rc && i < file->delete_count; i++)
		if (file->deletes[i]->file.content ==
		    CONTENT_POSITION_DELETES)
			rc = add_entry(files, index, file->deletes[i],
				       &positions, err);
	if (!rc && positions &&
	    roaring64_positions(positions,
				(uint64_t)file->entry->file.record_count,
				&beyond, 1))
		rc = error_set(err, ERROR_CORRUPT, "row %" PRIu64 " of '%s' "
			       "is deleted, which has %" PRId64 " rows",
			       beyond, file->entry->file.path,
			       file->entry->file.record_count);
	if (!rc && positions && !roaring64_cardinality(positions)) {
		roaring64_free(positions);
		positions = NULL;
	}
	if (rc) {
		roaring64_free(positions);
		return rc;
	}
	if (positions)
		remember_deletes(files, index, positions);
	*out = positions;
	return 0;
}

/* Deleted rows of a file; several delete files may name one row. */
static uint64_t deleted_rows(const struct snapshot_files *files,
			     const struct snapshot_file *file)
{
	const struct data_file *only = NULL;
	struct roaring64 *positions;
	uint64_t count = 0;
	size_t n = 0;

	for (size_t i = 0; i < file->delete_count; i++) {
		if (file->deletes[i]->file.content !=
		    CONTENT_POSITION_DELETES)
			continue;
		only = &file->deletes[i]->file;
		n++;
	}
	if (!n)
		return 0;
	if (n == 1 && delete_is_about(only, &file->entry->file))
		return (uint64_t)only->record_count;
	if (snapshot_file_deletes(files, file, &positions, NULL) == 0 &&
	    positions) {
		count = roaring64_cardinality(positions);
		roaring64_free(positions);
	}
	return count;
}

uint64_t snapshot_file_live_rows(const struct snapshot_files *files,
				 const struct snapshot_file *file)
{
	uint64_t rows = (uint64_t)file->entry->file.record_count;
	uint64_t deleted = deleted_rows(files, file);

	return rows > deleted ? rows - deleted : 0;
}

uint64_t snapshot_live_rows(const struct snapshot_files *files)
{
	uint64_t live = 0;

	for (size_t i = 0; i < files->file_count; i++)
		if (files->files[i].entry)
			live += snapshot_file_live_rows(files,
							&files->files[i]);
	return live;
}
