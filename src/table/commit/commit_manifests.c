/*
 * commit_manifests.c - the manifests of a new snapshot
 *
 * Why:    a manifest that names a removed file must be written anew; small
 *         ones must not pile up, or planning opens hundreds of files.
 * How:    per content and partition spec what must be written is gathered: the
 *         live entries of every manifest that loses a file and of small ones
 *         that are due, then the files added, then those removed. That makes
 *         one manifest, or several when there are many partitions
 *         (manifest_cut.c). All other manifests stay as they are, unread. A
 *         small manifest is due when there are MERGE_COUNT of them (or
 *         commit.manifest.min-count-to-merge of any size) and it is not much
 *         larger than what it is merged with: so an entry is rewritten a
 *         logarithmic number of times. One that cutting has made is not small.
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
	size_t entry_limit;		/* of a manifest; 0 = any number */
	struct placed_entry *entries;
	size_t entry_count;
};

static bool is_kind(const struct manifest_file *manifest,
		    const struct manifest_kind *kind)
{
	return manifest->is_deletes == kind->is_deletes &&
	       manifest->spec_id == kind->spec_id;
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

static bool is_added(const struct added_file *added,
		     const struct manifest_kind *kind)
{
	return added->is_deletes == kind->is_deletes &&
	       added->spec_id == kind->spec_id;
}

static size_t count_added(const struct commit_attempt *attempt,
			  const struct manifest_kind *kind)
{
	const struct change_set *changes = attempt->changes;
	size_t n = 0;

	for (size_t i = 0; i < changes->added_count; i++)
		n += is_added(&changes->added[i], kind);
	return n;
}

/* Is it one of those that many entries are cut into? */
static bool is_full(const struct manifest_builder *builder,
		    const struct manifest_file *manifest)
{
	int64_t files = count_add(manifest->added_files,
				  manifest->existing_files);

	return builder->entry_limit &&
	       files >= (int64_t)builder->entry_limit / 2;
}

/* The smallest manifest of the kind that is kept so far. */
static size_t smallest_kept(const struct manifest_builder *builder)
{
	const struct snapshot_files *files = builder->attempt->files;
	size_t best = SIZE_MAX;

	for (size_t m = 0; m < files->manifest_count; m++) {
		if (builder->rewrite[m] ||
		    !is_kind(&files->manifests[m], &builder->kind) ||
		    is_full(builder, &files->manifests[m]) ||
		    !snapshot_manifest_has_live(files, m))
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
		if (builder->rewrite[m])
			sum += files->manifests[m].length;
		if (is_full(builder, &files->manifests[m]))
			continue;
		all++;
		small += files->manifests[m].length <= SMALL_MANIFEST_BYTES;
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

static struct placed_entry *put_entry(struct manifest_builder *builder,
				      size_t origin)
{
	struct placed_entry *placed = &builder->entries[builder->entry_count];

	placed->origin = origin;
	placed->order = builder->entry_count++;
	return placed;
}

static void put_existing(struct manifest_builder *builder, size_t manifest,
			 const struct manifest_entry *old, bool is_removed)
{
	struct placed_entry *placed = put_entry(builder, manifest);

	placed->old = old;
	placed->is_removed = is_removed;
	placed->partition = old->file.partition;
	placed->partition_count = old->file.partition_count;
}

static void put_added(struct manifest_builder *builder,
		      const struct added_file *added)
{
	struct placed_entry *placed = put_entry(builder, SIZE_MAX);

	placed->added = added;
	placed->partition = added->partition;
	placed->partition_count = added->partition_count;
}

static void entry_of_old(const struct commit_attempt *attempt,
			 const struct placed_entry *placed,
			 struct manifest_entry *out)
{
	*out = *placed->old;
	out->status = placed->is_removed ? ENTRY_DELETED : ENTRY_EXISTING;
	if (placed->is_removed)
		out->snapshot_id = attempt->snapshot_id;
	/* files of old tables may have no such number */
	if (out->file_sequence_number < 0)
		out->file_sequence_number = out->sequence_number;
}

static int entry_of_added(struct commit_attempt *attempt,
			  const struct added_file *added, struct arena *arena,
			  struct manifest_entry *out, struct error *err)
{
	struct fragment fragment;
	int rc = fragment_parse(added->fragment, arena, &fragment, err);

	if (rc)
		return rc;
	memset(out, 0, sizeof(*out));
	out->status = ENTRY_ADDED;
	out->snapshot_id = attempt->snapshot_id;
	out->sequence_number = -1;
	out->file_sequence_number = -1;
	out->file = fragment.file;
	file_totals_add(&attempt->added, &out->file);
	return 0;
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
					put_existing(builder, m, entry, hit);
			}
		}
		if (removed)
			break;
		for (size_t i = 0; i < changes->added_count; i++)
			if (is_added(&changes->added[i], &builder->kind))
				put_added(builder, &changes->added[i]);
	}
	return 0;
}

struct manifest_file *attempt_next_manifest(struct commit_attempt *attempt)
{
	struct manifest_file *bigger = attempt->manifests;

	if (attempt->manifest_count == attempt->manifest_capacity) {
		size_t wanted = attempt->manifest_capacity * 2 + 8;

		bigger = arena_zalloc_array(attempt->arena, wanted,
					    sizeof(*bigger));
		if (!bigger)
			return NULL;
		if (attempt->manifest_count)
			memcpy(bigger, attempt->manifests,
			       attempt->manifest_count * sizeof(*bigger));
		attempt->manifests = bigger;
		attempt->manifest_capacity = wanted;
	}
	return &bigger[attempt->manifest_count++];
}

static int write_entries(struct manifest_builder *builder,
			 const struct manifest_entry *entries, size_t count,
			 struct error *err)
{
	struct commit_attempt *attempt = builder->attempt;
	struct manifest_file *summary = attempt_next_manifest(attempt);
	struct text bytes = TEXT_INIT;
	char *name;
	int rc;

	if (!summary)
		return no_memory(err);
	rc = manifest_format(entries, count, builder->kind.is_deletes,
			     builder->kind.spec_id, attempt->head->metadata,
			     &bytes, summary, attempt->arena, err);
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
	return 0;
}

/* The entries are there whole only while their manifest is written. */
static int write_manifest(struct manifest_builder *builder,
			  const struct placed_entry *placed, size_t count,
			  struct error *err)
{
	struct manifest_entry *entries;
	struct arena arena;
	int rc = 0;

	arena_init(&arena, 0);
	entries = arena_alloc(&arena, (count + 1) * sizeof(*entries));
	if (!entries)
		rc = no_memory(err);
	for (size_t i = 0; !rc && i < count; i++) {
		if (placed[i].added)
			rc = entry_of_added(builder->attempt, placed[i].added,
					    &arena, &entries[i], err);
		else
			entry_of_old(builder->attempt, &placed[i],
				     &entries[i]);
	}
	if (!rc)
		rc = write_entries(builder, entries, count, err);
	arena_release(&arena);
	return rc;
}

/* What was gathered, in one manifest or in several. */
static int write_gathered(struct manifest_builder *builder, struct error *err)
{
	struct arena *arena = builder->attempt->arena;
	size_t *ends, end_count, first = 0;
	int rc;

	rc = manifest_cut(builder->entries, builder->entry_count,
			  builder->entry_limit, arena, &ends, &end_count,
			  err);
	for (size_t i = 0; !rc && i < end_count; first = ends[i++]) {
		rc = write_manifest(builder, &builder->entries[first],
				    ends[i] - first, err);
		if (!rc)
			rc = interrupt_check(err);
	}
	return rc;
}

/* The manifests of a kind: those that stay, then new ones if need be. */
static int build_kind(struct manifest_builder *builder, struct error *err)
{
	struct commit_attempt *attempt = builder->attempt;
	struct snapshot_files *files = attempt->files;
	int rc;

	builder->entry_limit = manifest_entry_limit(attempt->head->metadata,
						    builder->kind.spec_id);
	mark_due(builder);
	rc = snapshot_files_read(files, builder->rewrite, err);
	for (size_t m = 0; !rc && m < files->manifest_count; m++) {
		struct manifest_file *kept;

		if (!is_kind(&files->manifests[m], &builder->kind) ||
		    builder->rewrite[m] ||
		    !snapshot_manifest_has_live(files, m))
			continue;
		kept = attempt_next_manifest(attempt);
		if (kept)
			*kept = files->manifests[m];
		else
			rc = no_memory(err);
	}
	if (!rc)
		rc = gather(builder, err);
	if (rc || !builder->entry_count)
		return rc;
	return write_gathered(builder, err);
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
					 "times", changes->removed[i].path,
					 attempt->removed_hits[i]);
	return 0;
}

static bool has_found_all(const struct commit_attempt *attempt)
{
	for (size_t i = 0; i < attempt->changes->removed_count; i++)
		if (!attempt->removed_hits[i])
			return false;
	return true;
}

/* Where the removed files are; in what was read, as a rule. */
static int find_removed(struct commit_attempt *attempt, bool *rewrite,
			struct error *err)
{
	size_t count = attempt->changes->removed_count;
	int rc;

	mark_touched(attempt, rewrite);
	if (has_found_all(attempt) || snapshot_files_are_read(attempt->files))
		return check_removed(attempt, err);
	rc = snapshot_files_read(attempt->files, NULL, err);
	if (rc)
		return rc;
	memset(attempt->removed_hits, 0,
	       count * sizeof(*attempt->removed_hits));
	memset(&attempt->removed, 0, sizeof(attempt->removed));
	mark_touched(attempt, rewrite);
	return check_removed(attempt, err);
}

int attempt_manifests(struct commit_attempt *attempt, struct error *err)
{
	size_t count = attempt->files->manifest_count;
	struct manifest_builder builder = { .attempt = attempt };
	int rc;

	builder.rewrite = arena_zalloc_array(attempt->arena, count + 1,
					     sizeof(bool));
	attempt->removed_hits = arena_zalloc_array(
		attempt->arena, attempt->changes->removed_count + 1,
		sizeof(*attempt->removed_hits));
	if (!builder.rewrite || !attempt->removed_hits)
		return no_memory(err);
	rc = find_removed(attempt, builder.rewrite, err);
	if (!rc)
		rc = attempt_totals(attempt, err);
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
