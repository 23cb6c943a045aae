/*
 * commit_manifests.c - the manifests of a new snapshot
 *
 * Why:    a manifest that names a removed file must be written anew; small
 *         ones must not pile up, or planning opens hundreds of files.
 * How:    per content and partition spec at most one manifest is written. It
 *         takes the live entries of every manifest that loses a file and of
 *         small ones that are due, then the files added, then those removed.
 *         All other manifests stay as they are. A small manifest is due when
 *         there are MERGE_COUNT of them (or commit.manifest.min-count-to-merge
 *         of any size) and it is not much larger than what it is merged with:
 *         so an entry is rewritten a logarithmic number of times.
 *         Old manifests come first and keep their order, new files come last.
 */
#include "table/commit/commit_state.h"

#define MERGE_COUNT 8
#define SMALL_MANIFEST_BYTES 16384
#define DEFAULT_MERGE_COUNT 100
#define DEFAULT_TARGET_BYTES (8 << 20)
/* What an entry takes in a manifest, about: only to compare sizes by. */
#define ENTRY_BYTES 300

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "manifests");
}

/* Manifests of one content and spec. */
struct manifest_kind {
	bool is_deletes;
	int32_t spec_id;
};

struct manifest_builder {
	struct commit_attempt *attempt;
	struct manifest_kind kind;
	bool *rewrite;			/* per manifest of the head */
	struct manifest_entry *entries;
	size_t entry_count;
};

static bool is_kind(const struct manifest_file *manifest,
		    const struct manifest_kind *kind)
{
	return manifest->is_deletes == kind->is_deletes &&
	       manifest->spec_id == kind->spec_id;
}

static bool has_live(const struct commit_attempt *attempt, size_t manifest)
{
	const struct snapshot_files *files = attempt->files;

	for (size_t i = 0; i < files->entry_counts[manifest]; i++)
		if (files->entries[manifest][i].status != ENTRY_DELETED)
			return true;
	return false;
}

/* Manifests that name a removed file. */
static void mark_touched(struct commit_attempt *attempt, bool *rewrite)
{
	const struct snapshot_files *files = attempt->files;

	for (size_t m = 0; m < files->manifest_count; m++)
		for (size_t i = 0; i < files->entry_counts[m]; i++) {
			const struct manifest_entry *entry =
				&files->entries[m][i];
			size_t hit;

			if (entry->status == ENTRY_DELETED)
				continue;
			file_totals_add(&attempt->before, &entry->file);
			hit = change_set_find(attempt->changes, &entry->file);
			if (hit == SIZE_MAX)
				continue;
			rewrite[m] = true;
			attempt->removed_hits[hit]++;
			file_totals_add(&attempt->removed, &entry->file);
		}
}

static int64_t size_property(const struct commit_attempt *attempt,
			     const char *key, int64_t otherwise)
{
	const char *value = metadata_property(attempt->head->metadata, key);
	int64_t number;

	if (!value || parse_int64(value, strlen(value), &number) ||
	    number <= 0)
		return otherwise;
	return number;
}

static size_t count_added(const struct commit_attempt *attempt,
			  const struct manifest_kind *kind)
{
	const struct change_set *changes = attempt->changes;
	size_t n = 0;

	for (size_t i = 0; !kind->is_deletes && i < changes->added_count; i++)
		n += changes->added[i].spec_id == kind->spec_id;
	for (size_t i = 0; kind->is_deletes &&
			   i < changes->added_deletes_count; i++)
		n += changes->added_deletes[i].spec_id == kind->spec_id;
	return n;
}

/* The smallest manifest of the kind that is kept so far. */
static size_t smallest_kept(const struct manifest_builder *builder)
{
	const struct snapshot_files *files = builder->attempt->files;
	size_t best = SIZE_MAX;

	for (size_t m = 0; m < files->manifest_count; m++) {
		if (builder->rewrite[m] ||
		    !is_kind(&files->manifests[m], &builder->kind) ||
		    !has_live(builder->attempt, m))
			continue;
		if (best == SIZE_MAX || files->manifests[m].length <
					files->manifests[best].length)
			best = m;
	}
	return best;
}

/* Mark small manifests that are due to be merged. */
static void mark_due(struct manifest_builder *builder)
{
	const struct commit_attempt *attempt = builder->attempt;
	const struct snapshot_files *files = attempt->files;
	const char *enabled = metadata_property(
		attempt->head->metadata, "commit.manifest-merge.enabled");
	int64_t usual = size_property(attempt,
				      "commit.manifest.min-count-to-merge",
				      DEFAULT_MERGE_COUNT);
	int64_t limit = size_property(attempt,
				      "commit.manifest.target-size-bytes",
				      DEFAULT_TARGET_BYTES);
	int64_t sum = (int64_t)count_added(attempt, &builder->kind) *
		      ENTRY_BYTES;
	int64_t small = 0, all = 0;

	if (enabled && text_equal_nocase(enabled, "false"))
		return;
	for (size_t m = 0; m < files->manifest_count; m++) {
		if (!is_kind(&files->manifests[m], &builder->kind))
			continue;
		all++;
		small += files->manifests[m].length <= SMALL_MANIFEST_BYTES;
		if (builder->rewrite[m])
			sum += files->manifests[m].length;
	}
	if (small < MERGE_COUNT && all < usual)
		return;
	for (;;) {
		size_t m = smallest_kept(builder);
		int64_t length;

		if (m == SIZE_MAX)
			return;
		length = files->manifests[m].length;
		if (sum + length > limit ||
		    (length > SMALL_MANIFEST_BYTES && length > sum))
			return;
		builder->rewrite[m] = true;
		sum += length;
	}
}

static void put_existing(struct manifest_builder *builder,
			 const struct manifest_entry *from, bool removed)
{
	struct manifest_entry *entry =
		&builder->entries[builder->entry_count++];

	*entry = *from;
	entry->status = removed ? ENTRY_DELETED : ENTRY_EXISTING;
	if (removed)
		entry->snapshot_id = builder->attempt->snapshot_id;
	/* files of old tables may have no such number */
	if (entry->file_sequence_number < 0)
		entry->file_sequence_number = entry->sequence_number;
}

static void put_added(struct manifest_builder *builder,
		      const struct data_file *file)
{
	struct manifest_entry *entry =
		&builder->entries[builder->entry_count++];

	memset(entry, 0, sizeof(*entry));
	entry->status = ENTRY_ADDED;
	entry->snapshot_id = builder->attempt->snapshot_id;
	entry->sequence_number = -1;
	entry->file_sequence_number = -1;
	entry->file = *file;
	file_totals_add(&builder->attempt->added, file);
}

/* Entries in their order: those that stay, new ones, removed ones. */
static int gather(struct manifest_builder *builder, struct error *err)
{
	struct commit_attempt *attempt = builder->attempt;
	const struct snapshot_files *files = attempt->files;
	const struct change_set *changes = attempt->changes;
	size_t room = count_added(attempt, &builder->kind);

	for (size_t m = 0; m < files->manifest_count; m++)
		if (builder->rewrite[m] &&
		    is_kind(&files->manifests[m], &builder->kind)) {
			room += files->entry_counts[m];
			attempt->manifests_replaced++;
		}
	builder->entry_count = 0;
	builder->entries = arena_zalloc_array(attempt->arena, room + 1,
					      sizeof(*builder->entries));
	if (!builder->entries)
		return no_memory(err);
	for (int removed = 0; removed < 2; removed++) {
		for (size_t m = 0; m < files->manifest_count; m++) {
			if (!builder->rewrite[m] ||
			    !is_kind(&files->manifests[m], &builder->kind))
				continue;
			for (size_t i = 0; i < files->entry_counts[m]; i++) {
				const struct manifest_entry *entry =
					&files->entries[m][i];
				bool hit = change_set_find(
					changes, &entry->file) != SIZE_MAX;

				if (entry->status != ENTRY_DELETED &&
				    hit == (removed == 1))
					put_existing(builder, entry, hit);
			}
		}
		if (removed)
			break;
		for (size_t i = 0; !builder->kind.is_deletes &&
				   i < changes->added_count; i++)
			if (changes->added[i].spec_id ==
			    builder->kind.spec_id)
				put_added(builder, &changes->added[i]);
		for (size_t i = 0; builder->kind.is_deletes &&
				   i < changes->added_deletes_count; i++)
			if (changes->added_deletes[i].spec_id ==
			    builder->kind.spec_id)
				put_added(builder,
					  &changes->added_deletes[i]);
	}
	return 0;
}

static int write_manifest(struct manifest_builder *builder, struct error *err)
{
	struct commit_attempt *attempt = builder->attempt;
	struct manifest_file *summary =
		&attempt->manifests[attempt->manifest_count];
	struct text bytes = TEXT_INIT;
	char *name;
	int rc;

	rc = manifest_format(builder->entries, builder->entry_count,
			     builder->kind.is_deletes, builder->kind.spec_id,
			     attempt->head->metadata, &bytes, summary,
			     attempt->arena, err);
	name = arena_printf(attempt->arena, "%s-m%u%s.avro", attempt->uuid,
			    attempt->manifests_created,
			    attempt->number > 1
				    ? arena_printf(attempt->arena, "-%u",
						   attempt->number)
				    : "");
	if (!rc && !name)
		rc = no_memory(err);
	if (!rc)
		rc = attempt_write(attempt, name, &bytes, &summary->path,
				   err);
	summary->length = (int64_t)bytes.length;
	text_release(&bytes);
	if (rc)
		return rc;
	summary->sequence_number = attempt->sequence_number;
	if (summary->min_sequence_number < 0)
		summary->min_sequence_number = attempt->sequence_number;
	summary->added_snapshot_id = attempt->snapshot_id;
	attempt->manifests_created++;
	attempt->manifest_count++;
	return 0;
}

/* The manifests of a kind: those that stay, then a new one if need be. */
static int build_kind(struct manifest_builder *builder, struct error *err)
{
	struct commit_attempt *attempt = builder->attempt;
	const struct snapshot_files *files = attempt->files;
	int rc;

	mark_due(builder);
	for (size_t m = 0; m < files->manifest_count; m++)
		if (is_kind(&files->manifests[m], &builder->kind) &&
		    !builder->rewrite[m] && has_live(attempt, m))
			attempt->manifests[attempt->manifest_count++] =
				files->manifests[m];
	rc = gather(builder, err);
	if (rc || !builder->entry_count)
		return rc;
	return write_manifest(builder, err);
}

/* The spec ids of a content, in the order in which they are met. */
static int list_kinds(struct commit_attempt *attempt, bool is_deletes,
		      struct manifest_kind **out, size_t *count_out,
		      struct error *err)
{
	const struct table_metadata *metadata = attempt->head->metadata;
	size_t n = 0;

	*count_out = 0;
	*out = arena_zalloc_array(attempt->arena, metadata->spec_count + 1,
				  sizeof(**out));
	if (!*out)
		return no_memory(err);
	for (size_t i = 0; i < metadata->spec_count; i++) {
		(*out)[n].is_deletes = is_deletes;
		(*out)[n++].spec_id = metadata->specs[i].spec_id;
	}
	*count_out = n;
	return 0;
}

static int check_removed(const struct commit_attempt *attempt,
			 struct error *err)
{
	const struct change_set *changes = attempt->changes;

	for (size_t i = 0; i < changes->removed_count; i++)
		if (attempt->removed_hits[i] != 1)
			return error_set(err, ERROR_INTERNAL, "file '%s' to "
					 "be removed is in the table %zu "
					 "times", changes->removed[i].file.path,
					 attempt->removed_hits[i]);
	return 0;
}

int attempt_manifests(struct commit_attempt *attempt, struct error *err)
{
	size_t count = attempt->files->manifest_count;
	size_t specs = attempt->head->metadata->spec_count;
	struct manifest_builder builder = { .attempt = attempt };
	int rc = 0;

	builder.rewrite = arena_zalloc_array(attempt->arena, count + 1,
					     sizeof(bool));
	attempt->removed_hits = arena_zalloc_array(
		attempt->arena, attempt->changes->removed_count + 1,
		sizeof(*attempt->removed_hits));
	attempt->manifests = arena_zalloc_array(attempt->arena,
						count + 2 * specs + 1,
						sizeof(*attempt->manifests));
	if (!builder.rewrite || !attempt->removed_hits || !attempt->manifests)
		return no_memory(err);
	mark_touched(attempt, builder.rewrite);
	rc = check_removed(attempt, err);
	for (int is_deletes = 0; !rc && is_deletes < 2; is_deletes++) {
		struct manifest_kind *kinds;
		size_t kind_count;

		rc = list_kinds(attempt, is_deletes == 1, &kinds,
				&kind_count, err);
		for (size_t k = 0; !rc && k < kind_count; k++) {
			builder.kind = kinds[k];
			rc = build_kind(&builder, err);
		}
	}
	return rc;
}
