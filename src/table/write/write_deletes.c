/*
 * write_deletes.c - merge-on-read: removed rows as positions
 *
 * Why:    a statement that removes few rows must not rewrite files.
 * How:    per data file one set, with what was deleted there before; the old
 *         delete files about that file alone go. Format version 2: a Parquet
 *         file per data file, made by several threads. Version 3: a deletion
 *         vector per data file, each in a Puffin file of its own: DuckDB's
 *         reader (iceberg extension 1.5.5) applies one vector of a file that
 *         has several to all of the data files. A data file without
 *         rows left is removed itself.
 *         Copy-on-write leaves those of files that it wrote anew with all rows
 *         in their places; what it writes then is about the new files.
 * Limits: what a delete file about several data files says is repeated in the
 *         new one; saying it twice changes nothing.
 */
#include "puffin/puffin.h"
#include "table/write/write_state.h"

/* From so many delete files on several threads write them, if there are that
 * many positions: a thread costs as much as a small file or two. */
#define PARALLEL_FILES 4
#define PARALLEL_POSITIONS 32768
/* Positions given to the encoder at a time: little memory that is new. */
#define PIECE_POSITIONS 1024

struct touched_file {
	size_t index;
	const struct snapshot_file *file;
	const char *path;		/* the new one's, if it was replaced */
	struct roaring64 *positions;	/* of the delete map */
	bool is_replaced;
	bool is_empty;			/* no row is left: it goes */
	struct fragments fragments;
};

struct delete_work {
	struct write_context *context;
	struct touched_file *files;
	size_t count;
	uint64_t positions;		/* about so many, old and new */
	atomic_size_t next;
	atomic_bool failed;
	bool as_vectors;
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "delete files");
}

int remove_file_deletes(const struct snapshot_file *file,
			struct fragments *out, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < file->delete_count; i++) {
		struct fragment fragment = { .kind = FRAGMENT_REMOVE_DELETES };
		const struct data_file *deletes = &file->deletes[i]->file;

		if (!delete_is_about(deletes, &file->entry->file))
			continue;
		fragment.file.path = deletes->path;
		fragment.file.content_offset =
			deletes->format == FORMAT_PUFFIN
				? deletes->content_offset : -1;
		rc = add_fragment(out, &fragment, err);
	}
	return rc;
}

int remove_data_file(const struct snapshot_file *file,
		     struct fragments *out, struct error *err)
{
	struct fragment fragment = { .kind = FRAGMENT_REMOVE_DATA };
	int rc;

	fragment.file.path = file->entry->file.path;
	fragment.file.content_offset = -1;
	rc = add_fragment(out, &fragment, err);
	return rc ? rc : remove_file_deletes(file, out, err);
}

/* All deleted positions of the file, old and new. */
static int unite(struct delete_work *work, struct touched_file *touched,
		 struct error *err)
{
	struct write_context *context = work->context;
	struct roaring64 *old;
	int rc;

	rc = delete_map_set(&context->deletes, touched->index,
			    &touched->positions, err);
	if (!rc)
		rc = snapshot_file_deletes(context->options.files,
					   touched->file, &old, err);
	if (rc)
		return rc;
	if (old) {
		rc = roaring64_union(touched->positions, old, err);
		roaring64_free(old);
	}
	touched->is_empty =
		!touched->is_replaced &&
		roaring64_cardinality(touched->positions) >=
		(uint64_t)touched->file->entry->file.record_count;
	return rc;
}

/* What delete entries share with the data file they are about. */
static void about_file(struct fragment *fragment,
		       const struct touched_file *touched)
{
	const struct data_file *data = &touched->file->entry->file;

	fragment->kind = FRAGMENT_ADD_DELETES;
	fragment->file.content = CONTENT_POSITION_DELETES;
	fragment->file.spec_id = data->spec_id;
	fragment->file.partition = data->partition;
	fragment->file.partition_count = data->partition_count;
	fragment->file.record_count =
		(int64_t)roaring64_cardinality(touched->positions);
	fragment->file.referenced_data_file = (char *)touched->path;
	fragment->file.sort_order_id = -1;
	fragment->file.first_row_id = -1;
	fragment->file.content_offset = -1;
	fragment->file.content_size = -1;
}

/* All positions into the encoder. */
static int encode_positions(struct parquet_encoder *encoder,
			    const struct touched_file *touched,
			    struct parquet_writer *writer, size_t group_rows,
			    struct error *err)
{
	const char *path = touched->path;
	struct literal name = literal_null(type_of(TYPE_VARCHAR));
	const struct vector *columns[2];
	struct vector vectors[2];
	uint64_t first = 0;
	int rc;

	name.is_null = false;
	name.value.bytes = byte_view(path, strlen(path));
	vector_init(&vectors[0], type_of(TYPE_VARCHAR));
	vector_init(&vectors[1], type_of(TYPE_BIGINT));
	columns[0] = &vectors[0];
	columns[1] = &vectors[1];
	rc = vector_fill(&vectors[0], &name, PIECE_POSITIONS, err);
	if (!rc)
		rc = vector_reserve(&vectors[1], PIECE_POSITIONS, err);
	while (!rc) {
		struct encoded_row_group *group = NULL;
		size_t n = roaring64_positions(
			touched->positions, first,
			(uint64_t *)vector_i64(&vectors[1]),
			PIECE_POSITIONS);
		struct selection all = selection_all(n);

		if (n) {
			vectors[0].count = vectors[1].count = n;
			first = (uint64_t)vector_i64(&vectors[1])[n - 1] + 1;
			rc = parquet_encoder_add(encoder, columns, &all, err);
		}
		if (!rc && (!n || parquet_encoder_rows(encoder) >= group_rows))
			rc = parquet_encoder_finish(encoder, &group, err);
		if (!rc && group)
			rc = parquet_writer_append(writer, group, err);
		if (rc && group)
			encoded_row_group_free(group);
		if (!n)
			break;
	}
	vector_release(&vectors[0]);
	vector_release(&vectors[1]);
	return rc;
}

static int finish_position_file(struct delete_work *work,
				struct touched_file *touched,
				struct parquet_writer *writer,
				struct output_file *file, const char *uri,
				struct error *err)
{
	struct fragment fragment = { 0 };
	struct arena arena;
	int rc;

	arena_init(&arena, 0);
	about_file(&fragment, touched);
	rc = parquet_writer_finish(writer, err);
	fragment.file.format = FORMAT_PARQUET;
	fragment.file.path = (char *)uri;
	fragment.file.file_size = (int64_t)parquet_writer_bytes(writer);
	if (!rc)
		rc = file_metrics(writer, &work->context->delete_layout,
				  &arena, &fragment.file, err);
	if (!rc)
		rc = add_fragment(&touched->fragments, &fragment, err);
	if (!rc)
		rc = output_file_close(file, false, err);
	if (!rc)
		write_context_count(work->context,
				    (uint64_t)fragment.file.file_size);
	arena_release(&arena);
	return rc;
}

static int write_position_file(struct delete_work *work,
			       struct parquet_encoder *encoder,
			       struct touched_file *touched,
			       struct error *err)
{
	struct write_context *context = work->context;
	struct file_layout *layout = &context->delete_layout;
	struct parquet_writer *writer = NULL;
	struct output_file *file;
	char *uri;
	int rc;

	rc = write_context_create(context, "", "-deletes.parquet", &file,
				  &uri, err);
	if (rc)
		return rc;
	rc = parquet_writer_new(&writer, file, &layout->schema,
				&layout->parquet, err);
	if (!rc)
		rc = encode_positions(encoder, touched, writer,
				      context->group_rows, err);
	if (!rc)
		rc = finish_position_file(work, touched, writer, file, uri,
					  err);
	parquet_writer_free(writer);
	output_file_free(file);
	mem_free(uri);
	return rc;
}

/* Version 3: the vector in a Puffin file of its own. */
static int encode_vector(struct delete_work *work,
			 struct touched_file *touched,
			 struct output_file *file, const char *uri,
			 struct error *err)
{
	struct fragment fragment = { 0 };
	struct puffin_writer *puffin;
	struct puffin_blob blob;
	int rc;

	rc = puffin_writer_new(&puffin, file, "rowmerge", err);
	if (rc)
		return rc;
	rc = puffin_writer_add_vector(puffin, touched->positions,
				      touched->path, &blob, err);
	if (!rc)
		rc = puffin_writer_finish(puffin, err);
	puffin_writer_free(puffin);
	if (rc)
		return rc;
	about_file(&fragment, touched);
	fragment.file.format = FORMAT_PUFFIN;
	fragment.file.path = (char *)uri;
	fragment.file.file_size = (int64_t)output_file_offset(file);
	fragment.file.content_offset = (int64_t)blob.offset;
	fragment.file.content_size = (int64_t)blob.length;
	write_context_count(work->context, output_file_offset(file));
	return add_fragment(&touched->fragments, &fragment, err);
}

static int write_vector_file(struct delete_work *work,
			     struct touched_file *touched, struct error *err)
{
	struct output_file *file;
	char *uri;
	int rc;

	rc = write_context_create(work->context, "", "-deletes.puffin", &file,
				  &uri, err);
	if (rc)
		return rc;
	rc = encode_vector(work, touched, file, uri, err);
	if (!rc)
		rc = output_file_close(file, false, err);
	output_file_free(file);
	mem_free(uri);
	return rc;
}

/* One worker: the sets of some files, and their files. */
static int delete_some(void *argument, size_t worker, struct error *err)
{
	struct delete_work *work = argument;
	struct parquet_encoder *encoder = NULL;
	int rc = 0;

	if (!work->as_vectors)
		rc = parquet_encoder_new(
			&encoder, &work->context->delete_layout.schema,
			&work->context->delete_layout.parquet, err);
	while (!rc && !atomic_load(&work->failed)) {
		size_t i = atomic_fetch_add(&work->next, 1);
		struct touched_file *touched = &work->files[i];

		if (i >= work->count)
			break;
		rc = interrupt_check(err);
		if (!rc)
			rc = unite(work, touched, err);
		if (rc)
			break;
		if (touched->is_empty) {
			rc = remove_data_file(touched->file,
					      &touched->fragments, err);
			continue;
		}
		if (!touched->is_replaced)	/* else they went with it */
			rc = remove_file_deletes(touched->file,
						 &touched->fragments, err);
		if (!rc)
			rc = work->as_vectors
				     ? write_vector_file(work, touched, err)
				     : write_position_file(work, encoder,
							   touched, err);
	}
	if (rc)
		atomic_store(&work->failed, true);
	parquet_encoder_free(encoder);
	return rc;
}

static uint64_t estimate(const struct delete_list *list,
			 const struct snapshot_file *file)
{
	uint64_t positions = list->count;

	if (list->set)
		positions += roaring64_cardinality(list->set);
	for (size_t i = 0; i < file->delete_count; i++)
		if (file->deletes[i]->file.record_count > 0)
			positions += (uint64_t)
				file->deletes[i]->file.record_count;
	return positions;
}

static int list_touched(struct delete_work *work, struct error *err)
{
	const struct delete_map *map = &work->context->deletes;
	size_t count = 0;

	for (size_t i = 0; i < map->file_count; i++)
		count += map->lists[i] != NULL;
	work->files = mem_zalloc_array(count + 1, sizeof(*work->files));
	if (!work->files)
		return no_memory(err);
	for (size_t i = 0; i < map->file_count; i++) {
		struct touched_file *touched = &work->files[work->count];

		if (!map->lists[i])
			continue;
		touched->index = i;
		touched->file = &work->context->options.files->files[i];
		touched->path = touched->file->entry->file.path;
		touched->is_replaced = work->context->replaced &&
				       work->context->replaced[i];
		if (touched->is_replaced)
			touched->path = work->context->replaced[i];
		work->positions += estimate(map->lists[i], touched->file);
		work->count++;
	}
	return 0;
}

static int run_work(struct delete_work *work, struct fragments *out,
		    struct error *err)
{
	struct write_context *context = work->context;
	size_t threads = context->options.thread_count;
	int rc;

	if (work->count < PARALLEL_FILES ||
	    work->positions < PARALLEL_POSITIONS || !threads)
		threads = 1;
	rc = thread_run(threads, delete_some, work, err);
	for (size_t f = 0; !rc && f < work->count; f++) {
		struct fragments *part = &work->files[f].fragments;

		for (size_t i = 0; !rc && i < part->count; i++) {
			rc = fragments_add(out, part->items[i], err);
			if (!rc)
				part->items[i] = NULL;
		}
	}
	return rc;
}

int write_deletes(struct write_context *context, struct fragments *out,
		  struct error *err)
{
	struct delete_work work = { .context = context };
	int rc;

	if (!context->deletes.lists)
		return 0;
	work.as_vectors = context->options.metadata->format_version >= 3;
	rc = list_touched(&work, err);
	if (!rc && !work.as_vectors && work.count &&
	    !context->delete_layout_ready) {
		rc = delete_layout_init(&context->delete_layout,
					context->options.metadata,
					&context->arena, err);
		context->delete_layout_ready = rc == 0;
	}
	if (!rc && work.count)
		rc = run_work(&work, out, err);
	for (size_t i = 0; i < work.count; i++)
		fragments_release(&work.files[i].fragments);
	mem_free(work.files);
	return rc;
}
