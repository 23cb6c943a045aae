/*
 * equality_group.c - keys deleted by equality delete files
 *
 * Why:    streaming writers delete by key and leave hundreds of small delete
 *         files; asking each of them for each row would take for ever.
 * How:    delete files with equal columns and equal scope become one hash
 *         table. A delete counts for older data files only, so for each key
 *         only the newest delete matters: its sequence number is kept, and a
 *         row is deleted if that is greater than its file's. NULL equals NULL.
 * Cost:   memory follows the delete rows; a probe is a hash and a comparison
 *         of whole vectors.
 * Limits: 4 G delete rows per group.
 */
#include "table/scan/equality_group.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "equality deletes");
}

static bool same_columns(const struct data_file *a, const struct data_file *b)
{
	if (a->equality_count != b->equality_count)
		return false;
	for (size_t i = 0; i < a->equality_count; i++) {
		size_t k = 0;

		while (k < b->equality_count &&
		       b->equality_ids[k] != a->equality_ids[i])
			k++;
		if (k == b->equality_count)
			return false;
	}
	return true;
}

static bool belongs(const struct snapshot_files *files,
		    const struct equality_group *group,
		    const struct manifest_entry *entry)
{
	const struct data_file *a = &group->sample->file;
	const struct data_file *b = &entry->file;
	bool global = spec_is_unpartitioned(files->metadata, b->spec_id);

	return same_columns(a, b) && global == group->is_global &&
	       (global || partition_equal(a, b));
}

static int find_columns(const struct snapshot_files *files,
			struct equality_group *group, struct error *err)
{
	const struct data_file *file = &group->sample->file;

	group->column_count = file->equality_count;
	group->columns = arena_zalloc_array(&group->arena,
					    group->column_count,
					    sizeof(*group->columns));
	group->keys = arena_zalloc_array(&group->arena, group->column_count,
					 sizeof(*group->keys));
	if (!group->columns || !group->keys)
		return no_memory(err);
	for (size_t i = 0; i < group->column_count; i++) {
		const struct column_def *column = metadata_column(
			files->metadata, file->equality_ids[i]);

		if (!column)
			return error_set(err, ERROR_CORRUPT, "equality "
					 "deletes of '%s' by column %d, which "
					 "no schema has", file->path,
					 (int)file->equality_ids[i]);
		if (type_is_nested(&column->type))
			return error_set(err, ERROR_CORRUPT, "equality "
					 "deletes of '%s' by the nested "
					 "column '%s'", file->path,
					 column->name);
		group->columns[i] = *column;
		group->columns[i].required = false;
		vector_init(&group->keys[i], column->type);
	}
	return 0;
}

/* One column of a row group, appended to the group's keys. */
static int read_column(struct equality_group *group, size_t column,
		       const struct parquet_reader *reader, size_t row_group,
		       struct error *err)
{
	const struct column_def *def = &group->columns[column];
	uint64_t rows = parquet_row_group_rows(reader, row_group);
	struct chunk_reader *chunk;
	struct vector values;
	long leaf = parquet_find_field_id(reader, def->field_id);
	int rc;

	if (leaf < 0)
		return error_set(err, ERROR_CORRUPT, "equality delete file "
				 "'%s' lacks its column '%s'",
				 parquet_reader_path(reader), def->name);
	rc = chunk_reader_open(&chunk, reader, row_group, (size_t)leaf,
			       &def->type, err);
	if (rc)
		return rc;
	vector_init(&values, def->type);
	for (uint64_t at = 0; !rc && at < rows; at += BATCH_ROW_COUNT) {
		size_t n = rows - at < BATCH_ROW_COUNT ? (size_t)(rows - at)
						       : BATCH_ROW_COUNT;
		struct selection all = selection_all(n);

		rc = chunk_reader_read(chunk, at, n, &values, err);
		if (!rc)
			rc = vector_append_selected(&group->keys[column],
						    &values, &all,
						    &group->arena, err);
	}
	vector_release(&values);
	chunk_reader_free(chunk);
	return rc;
}

static int add_sequences(struct equality_group *group, size_t *capacity,
			 size_t count, int64_t sequence, struct error *err)
{
	if (group->row_count + count > *capacity) {
		size_t wanted = (group->row_count + count) * 2;
		int64_t *bigger = mem_realloc_array(group->sequences, wanted,
						    sizeof(*bigger));

		if (!bigger)
			return no_memory(err);
		group->sequences = bigger;
		*capacity = wanted;
	}
	for (size_t i = 0; i < count; i++)
		group->sequences[group->row_count + i] = sequence;
	group->row_count += count;
	if (group->row_count >= UINT32_MAX / 2)
		return error_set(err, ERROR_UNSUPPORTED,
				 "more than 2 G rows of equality deletes");
	return 0;
}

static int read_entry(const struct snapshot_files *files,
		      struct equality_group *group, size_t *capacity,
		      const struct manifest_entry *entry, struct error *err)
{
	struct parquet_reader *reader;
	int rc;

	rc = scan_open_parquet(files, &entry->file, &reader, err);
	if (rc)
		return rc;
	for (size_t g = 0; !rc && g < parquet_row_group_count(reader); g++) {
		rc = interrupt_check(err);
		for (size_t i = 0; !rc && i < group->column_count; i++)
			rc = read_column(group, i, reader, g, err);
		if (!rc)
			rc = add_sequences(group, capacity, (size_t)
					   parquet_row_group_rows(reader, g),
					   entry->sequence_number, err);
	}
	parquet_reader_free(reader);
	return rc;
}

static bool keys_equal(const struct equality_group *group, size_t a, size_t b)
{
	for (size_t i = 0; i < group->column_count; i++) {
		const struct vector *keys = &group->keys[i];
		bool null = vector_is_null(keys, a);

		if (null != vector_is_null(keys, b))
			return false;
		if (!null && vector_compare_values(keys, a, keys, b) != 0)
			return false;
	}
	return true;
}

static void insert_key(struct equality_group *group, size_t row)
{
	size_t slot = group->hashes[row] & group->mask;

	for (; group->slots[slot]; slot = (slot + 1) & group->mask) {
		size_t other = group->slots[slot] - 1;

		if (group->hashes[other] != group->hashes[row] ||
		    !keys_equal(group, other, row))
			continue;
		if (group->sequences[row] > group->sequences[other])
			group->sequences[other] = group->sequences[row];
		return;
	}
	group->slots[slot] = (uint32_t)(row + 1);
}

static int build_table(struct equality_group *group, struct error *err)
{
	struct selection all = selection_all(group->row_count);
	size_t slots = 16;

	while (slots < group->row_count * 2)
		slots *= 2;
	group->slots = mem_zalloc_array(slots, sizeof(*group->slots));
	group->hashes = mem_alloc_array(group->row_count + 1,
					sizeof(*group->hashes));
	if (!group->slots || !group->hashes)
		return no_memory(err);
	group->mask = slots - 1;
	for (size_t i = 0; i < group->column_count; i++)
		vector_hash(&group->keys[i], &all, i == 0, group->hashes);
	for (size_t i = 0; i < group->row_count; i++)
		insert_key(group, i);
	return 0;
}

static int load_group(const struct snapshot_files *files,
		      struct equality_group *group, struct error *err)
{
	size_t capacity = 0;
	int rc = find_columns(files, group, err);

	for (size_t m = 0; !rc && m < files->manifest_count; m++) {
		for (size_t i = 0; !rc && i < files->entry_counts[m]; i++) {
			const struct manifest_entry *entry =
				&files->entries[m][i];

			if (entry->status != ENTRY_DELETED &&
			    entry->file.content == CONTENT_EQUALITY_DELETES &&
			    belongs(files, group, entry))
				rc = read_entry(files, group, &capacity,
						entry, err);
		}
	}
	return rc ? rc : build_table(group, err);
}

void equality_groups_free(struct equality_group *groups)
{
	while (groups) {
		struct equality_group *next = groups->next;

		for (size_t i = 0; groups->keys && i < groups->column_count;
		     i++)
			vector_release(&groups->keys[i]);
		mem_free(groups->sequences);
		mem_free(groups->hashes);
		mem_free(groups->slots);
		arena_release(&groups->arena);
		mem_free(groups);
		groups = next;
	}
}

static int get_locked(const struct snapshot_files *files,
		      const struct manifest_entry *entry,
		      const struct equality_group **out, struct error *err)
{
	struct snapshot_state *state = files->state;
	struct equality_group *group;
	int rc;

	for (group = state->equality; group; group = group->next)
		if (belongs(files, group, entry)) {
			*out = group;
			return 0;
		}
	group = mem_zalloc(sizeof(*group));
	if (!group)
		return no_memory(err);
	arena_init(&group->arena, 0);
	group->sample = entry;
	group->is_global = spec_is_unpartitioned(files->metadata,
						 entry->file.spec_id);
	rc = load_group(files, group, err);
	if (rc) {
		equality_groups_free(group);
		return rc;
	}
	group->next = state->equality;
	state->equality = group;
	*out = group;
	return 0;
}

int equality_group_get(const struct snapshot_files *files,
		       const struct manifest_entry *entry,
		       const struct equality_group **out, struct error *err)
{
	int rc;

	*out = NULL;
	pthread_mutex_lock(&files->state->lock);
	rc = get_locked(files, entry, out, err);
	pthread_mutex_unlock(&files->state->lock);
	return rc;
}

/*
 * The next key with the row's hash for each undecided row; rows that have
 * none are not deleted and drop out. Returns how many are left.
 */
static size_t next_candidates(const struct equality_group *group,
			      struct equality_probe *probe, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t row = probe->rows[i];
		size_t slot = probe->slots[i];

		while (group->slots[slot] &&
		       group->hashes[group->slots[slot] - 1] !=
		       probe->hashes[row])
			slot = (slot + 1) & group->mask;
		if (!group->slots[slot])
			continue;
		probe->rows[n] = row;
		probe->keys[n] = group->slots[slot] - 1;
		probe->slots[n++] = (slot + 1) & group->mask;
	}
	return n;
}

void equality_group_probe(const struct equality_group *group,
			  const struct vector *const *values, size_t count,
			  int64_t data_sequence, struct equality_probe *probe,
			  uint64_t *keep)
{
	struct selection all = selection_all(count);
	size_t left = count;

	for (size_t i = 0; i < group->column_count; i++)
		vector_hash(values[i], &all, i == 0, probe->hashes);
	for (size_t i = 0; i < count; i++) {
		probe->rows[i] = (uint32_t)i;
		probe->slots[i] = probe->hashes[i] & group->mask;
	}
	while ((left = next_candidates(group, probe, left)) > 0) {
		size_t n = 0;

		bits_set_range(probe->equal, 0, left);
		for (size_t i = 0; i < group->column_count; i++)
			vector_and_same(values[i], probe->rows,
					&group->keys[i], probe->keys, left,
					probe->equal);
		for (size_t i = 0; i < left; i++) {
			if (!bits_get(probe->equal, i)) {
				probe->rows[n] = probe->rows[i];
				probe->slots[n++] = probe->slots[i];
			} else if (group->sequences[probe->keys[i]] >
				   data_sequence) {
				bits_clear(keep, probe->rows[i]);
			}
		}
		left = n;
	}
}
