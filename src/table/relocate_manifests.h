#ifndef TABLE_RELOCATE_MANIFESTS_H
#define TABLE_RELOCATE_MANIFESTS_H
#include "table/table_state.h"
#include "table/write/write.h"

/*
 * Manifests and manifest lists of a table that was copied, written anew with
 * the paths of where it is now. Private to table.
 */
struct relocated_path;

struct relocate {
	const struct catalog_table *base;
	struct write_context *context;
	struct path_renamer renamer;
	struct arena arena;
	char uuid[UUID_TEXT_BYTES];	/* in the names of new files */
	uint32_t file_count;
	char **paths;			/* files made in metadata/ */
	size_t path_count;
	size_t path_capacity;
	/* What has been written already, by old path and place in it. */
	struct relocated_path **slots;
	size_t slot_mask;
	size_t slot_count;
	/* By how much delete files of the last list have grown: of all that
	 * are live, and of those that its snapshot has added. */
	int64_t live_growth;
	int64_t added_growth;
};
int relocate_init(struct relocate *relocate, const struct catalog_table *base,
		  struct error *err);
/* Files that were not synced and published are the caller's to remove. */
void relocate_release(struct relocate *relocate);
/* Where a path of the table lies now: in the opened directory if it was
 * below the recorded location, else where it was. In arena. */
int relocate_path(const struct relocate *relocate, const char *uri,
		  struct arena *arena, char **out, struct error *err);
/* The manifest list of a snapshot; *out in the arena of relocate. */
int relocate_list(struct relocate *relocate, const struct snapshot *snapshot,
		  char **out, struct error *err);
#endif
