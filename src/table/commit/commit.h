#ifndef TABLE_COMMIT_COMMIT_H
#define TABLE_COMMIT_COMMIT_H
/*
 * table/commit: one new version from fragments. Manifests, manifest list,
 * snapshot with its summary and row lineage, small manifests merged, and the
 * retry when another writer was first. It writes no rows.
 */
#include "table/catalog/catalog.h"
#include "table/write/write.h"

struct commit_options {
	const char *operation;		/* "merge", "insert", ... */
	struct uuid uuid;
	int64_t now_us;
	int64_t wait_ms;		/* for the lock */
	uint32_t retry_limit;
	bool is_blind;			/* read nothing of the target */
	struct merge_finish_options counts;
	const struct key_value *summary;	/* further summary keys */
	size_t summary_count;
	const struct log_sink *log;
	/* Changes that are left out when another writer was first, so that
	 * they never make those fail. They go before them. NULL = none. */
	const struct fragments *optional;
	/*
	 * Changes of the metadata that are committed with the rows: base has
	 * them already, read_metadata is what the table was before, and evolve
	 * makes them on a newer head. NULL = none.
	 */
	const struct table_metadata *read_metadata;
	int (*evolve)(void *context, struct catalog_table *head,
		      struct error *err);
	void *evolve_context;
	/* Its files are synced with the commit's own; NULL = they are. */
	struct write_context *context;
};

/*
 * Commit the fragments on top of base. A blind insert that finds a newer head
 * is applied to that; anything else is checked: metadata changed is
 * ERROR_METADATA_CHANGED / PROTOCOL_CHANGED; rows changed meanwhile is the
 * file-level rule of concurrency.md 4.2 (CONCURRENT_APPEND, _DELETE_READ,
 * _DELETE_DELETE), which is always safe. Without fragments nothing happens.
 * outcome: versions, files, attempts, seconds. When it has a new version in
 * spite of an error, nobody can say whether that is this commit.
 */
int commit_fragments(const struct catalog_table *base,
		     struct snapshot_files *files,
		     const struct fragments *fragments,
		     const struct commit_options *options,
		     struct merge_outcome *outcome, struct error *err);
#endif
